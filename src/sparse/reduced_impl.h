/* The numbers of the reduced system: right-looking factorisation in dense panels. Included after lanes_impl.h by the
 * file of each instruction set. */

/* x[i] -= f column[i] for i in [from, ld), from rounded down to four: what is above the diagonal is never read. */
static inline void subtract_column(double *x, const double *column, double f, int32_t from, int32_t ld)
{
    vd factor = vd_all(f);
    for (int32_t i = from & ~3; i < ld; i += 4) vd_put(x + i, vd_nmadd(factor, vd_get(column + i), vd_get(x + i)));
}

/* Takes the earlier columns of the node, `count` of them, out of column d; factor[c] = entry (d, c) of L. */
static inline void eliminate_column(double *panel, const double *factor, int32_t d, int32_t ld)
{
    double *to = panel + (int64_t)d * ld;
    int32_t i = d & ~3;
    for (; i + 8 <= ld; i += 8) {
        const double *p = panel + i;
        vd a = vd_get(to + i), b = vd_get(to + i + 4);
        for (int32_t c = 0; c < d; ++c, p += ld) {
            vd f = vd_all(factor[c]);
            a = vd_nmadd(f, vd_get(p), a);
            b = vd_nmadd(f, vd_get(p + 4), b);
        }
        vd_put(to + i, a);
        vd_put(to + i + 4, b);
    }
    for (; i < ld; i += 4) {
        vd a = vd_get(to + i);
        for (int32_t c = 0; c < d; ++c) a = vd_nmadd(vd_all(factor[c]), vd_get(panel + (int64_t)c * ld + i), a);
        vd_put(to + i, a);
    }
}

/* Eliminates the columns of a node from each other. Returns the first whose pivot is bad, or -1. */
static int32_t factor_panel(snReduced *r, int32_t s)
{
    int32_t width = r->start[s + 1] - r->start[s], ld = r->ld[s];
    double *panel = r->panel + r->paneladr[s], *inverse = r->inverse + r->start[s], *factor = r->work;
    const int8_t *sign = r->sign + r->start[s];
    for (int32_t d = 0; d < width; ++d) {
        for (int32_t c = 0; c < d; ++c) factor[c] = panel[(int64_t)c * ld + d] * inverse[c];
        eliminate_column(panel, factor, d, ld);
        double pivot = panel[(int64_t)d * ld + d];
        if (!(pivot * sign[d] > 0 && pivot * sign[d] < INFINITY)) return r->start[s] + d;
        inverse[d] = 1 / pivot;
    }
    return -1;
}

/* Columns j .. j + 3 of L D L' of a node, rows j & ~3 to ld, into out, ld apart. factor holds, for each column of the
 * node, the four entries of L in those rows. */
static void outer_columns(const double *panel, const double *factor, int32_t width, int32_t ld, int32_t j, double *out)
{
    for (int32_t i = j & ~3; i < ld; i += 8) {
        vd a[4] = {{0}}, b[4] = {{0}};
        const double *p = panel + i, *f = factor;
        for (int32_t c = 0; c < width; ++c, p += ld, f += 4) {
            vd x = vd_get(p), y = vd_get(p + 4);
            for (int k = 0; k < 4; ++k) {
                vd e = vd_all(f[k]);
                a[k] = vd_madd(e, x, a[k]);
                b[k] = vd_madd(e, y, b[k]);
            }
        }
        for (int k = 0; k < 4; ++k) {
            vd_put(out + k * ld + i, a[k]);
            if (i + 4 < ld) vd_put(out + k * ld + i + 4, b[k]);
        }
    }
}

static void subtract_mapped(const snReduced *r, int32_t p, int32_t end, const int32_t *map, int32_t row, int32_t skip,
                            const double *from, double *column)
{
    for (; p < end; ++p, ++map) {
        int32_t width = r->exposed[r->below[p]];
        for (int32_t i = skip; i < width; ++i) column[*map + i] -= from[row + i];
        row += width;
        skip = 0;
    }
}

/* Takes the node's part out of the panels of the nodes below it. */
static void update_below(snReduced *r, int32_t s)
{
    int32_t width = r->start[s + 1] - r->start[s], ld = r->ld[s], row = width, end = r->belowadr[s + 1];
    const int32_t *map = r->map + r->mapadr[s];
    const double *panel = r->panel + r->paneladr[s], *inverse = r->inverse + r->start[s];
    double *factor = r->work, *out = r->work + 4 * width;
    for (int32_t p = r->belowadr[s]; p < end; ++p) {
        int32_t t = r->below[p], columns = r->exposed[t];
        double *target = r->panel + r->paneladr[t];
        for (int32_t j = 0; j < columns; j += 4) {
            int32_t count = columns - j < 4 ? columns - j : 4;
            for (int32_t c = 0; c < width; ++c)
                for (int32_t k = 0; k < 4; ++k)
                    factor[4 * c + k] = k < count ? panel[(int64_t)c * ld + row + j + k] * inverse[c] : 0;
            outer_columns(panel, factor, width, ld, row + j, out);
            for (int32_t k = 0; k < count; ++k)
                subtract_mapped(r, p, end, map, row, j + k, out + k * ld, target + (int64_t)(j + k) * r->ld[t]);
        }
        row += columns;
        map += end - p;
    }
}

static int32_t reduced_factor(snReduced *r)
{
    for (int32_t s = 0; s < r->nnode; ++s) {
        int32_t bad = factor_panel(r, s);
        if (bad >= 0) return bad;
        update_below(r, s);
    }
    return -1;
}

/* The rows below a node, between x and a dense copy. */
static void gather_below(const snReduced *r, int32_t s, const double *x, double *dense)
{
    for (int32_t p = r->belowadr[s]; p < r->belowadr[s + 1]; ++p)
        for (int32_t i = r->start[r->below[p]]; i < r->start[r->below[p]] + r->exposed[r->below[p]]; ++i)
            *dense++ = x[i];
}

static void scatter_below(const snReduced *r, int32_t s, const double *dense, double *x)
{
    for (int32_t p = r->belowadr[s]; p < r->belowadr[s + 1]; ++p)
        for (int32_t i = r->start[r->below[p]]; i < r->start[r->below[p]] + r->exposed[r->below[p]]; ++i)
            x[i] = *dense++;
}

static void reduced_forward(const snReduced *r, int32_t s, double *x)
{
    int32_t first = r->start[s], width = r->start[s + 1] - first, ld = r->ld[s];
    const double *column = r->panel + r->paneladr[s];
    double *dense = r->work;
    memcpy(dense, x + first, (size_t)width * sizeof *x);
    gather_below(r, s, x, dense + width);
    for (int32_t c = 0; c < width; ++c, column += ld) {
        double xc = dense[c];
        subtract_column(dense, column, xc * r->inverse[first + c], c + 1, ld);
        x[first + c] = xc;
    }
    scatter_below(r, s, dense + width, x);
}

static void reduced_backward(const snReduced *r, int32_t s, double *x)
{
    int32_t first = r->start[s], width = r->start[s + 1] - first, ld = r->ld[s], height = r->height[s];
    double *dense = r->work;
    memcpy(dense, x + first, (size_t)width * sizeof *x);
    gather_below(r, s, x, dense + width);
    for (int32_t i = height; i < ld; ++i) dense[i] = 0;
    for (int32_t c = width - 1; c >= 0; --c) {
        const double *column = r->panel + r->paneladr[s] + (int64_t)c * ld;
        double sum = dense[c];
        int32_t i = c + 1, whole = (c + 4) & ~3;
        for (; i < whole && i < height; ++i) sum -= column[i] * dense[i];
        vd acc = {0};
        for (i = whole; i < ld; i += 4) acc = vd_madd(vd_get(column + i), vd_get(dense + i), acc);
        dense[c] = x[first + c] = (sum - vd_sum(acc)) * r->inverse[first + c];
    }
}

static void reduced_solve(const snReduced *r, double *x)
{
    for (int32_t s = 0; s < r->nnode; ++s) reduced_forward(r, s, x);
    for (int32_t s = r->nnode - 1; s >= 0; --s) reduced_backward(r, s, x);
}

/* SN_MANY interleaved vectors. Two rows or two columns at a time share what is loaded. ------------------------------
 */

/* x rows [0, count) -= rows of the panel times own */
VD_INLINE void many_subtract(double *x, const double *row, int32_t count, const double *own, int32_t width, int32_t ld)
{
    vd a[2], b[2];
    for (int32_t i = 0; i < count; ++i) a[i] = vd_get(x + SN_MANY * i), b[i] = vd_get(x + SN_MANY * i + 4);
    for (int32_t c = 0; c < width; ++c, row += ld, own += SN_MANY) {
        vd low = vd_get(own), high = vd_get(own + 4);
        for (int32_t i = 0; i < count; ++i) {
            a[i] = vd_nmadd(vd_all(row[i]), low, a[i]);
            b[i] = vd_nmadd(vd_all(row[i]), high, b[i]);
        }
    }
    for (int32_t i = 0; i < count; ++i) vd_put(x + SN_MANY * i, a[i]), vd_put(x + SN_MANY * i + 4, b[i]);
}

/* own = D^-1 L^-1 own within the node, then out of the rows below. */
static void many_forward(const snReduced *r, int32_t s, double *x)
{
    int32_t first = r->start[s], width = r->start[s + 1] - first, ld = r->ld[s];
    const double *panel = r->panel + r->paneladr[s], *row = panel + width;
    double *own = x + (int64_t)SN_MANY * first;
    for (int32_t c = 0; c < width; ++c) {
        many_subtract(own + SN_MANY * c, panel + c, 1, own, c, ld);
        vd inverse = vd_all(r->inverse[first + c]);
        vd_put(own + SN_MANY * c, vd_get(own + SN_MANY * c) * inverse);
        vd_put(own + SN_MANY * c + 4, vd_get(own + SN_MANY * c + 4) * inverse);
    }
    for (int32_t p = r->belowadr[s]; p < r->belowadr[s + 1]; ++p) {
        double *at = x + (int64_t)SN_MANY * r->start[r->below[p]];
        int32_t count = r->exposed[r->below[p]], i = 0;
        for (; i + 2 <= count; i += 2) many_subtract(at + SN_MANY * i, row + i, 2, own, width, ld);
        if (i < count) many_subtract(at + SN_MANY * i, row + i, 1, own, width, ld);
        row += count;
    }
}

/* own columns [0, count) -= inverse (columns of the panel below the node)' x */
VD_INLINE void many_gather(const snReduced *r, int32_t s, const double *column, int32_t count, const double *inverse,
                           const double *x, double *own)
{
    vd a[2] = {vd_all(0), vd_all(0)}, b[2] = {vd_all(0), vd_all(0)};
    for (int32_t p = r->belowadr[s]; p < r->belowadr[s + 1]; ++p) {
        const double *at = x + (int64_t)SN_MANY * r->start[r->below[p]];
        for (int32_t i = 0; i < r->exposed[r->below[p]]; ++i, at += SN_MANY, ++column) {
            vd low = vd_get(at), high = vd_get(at + 4);
            for (int32_t c = 0; c < count; ++c) {
                a[c] = vd_madd(vd_all(column[c * r->ld[s]]), low, a[c]);
                b[c] = vd_madd(vd_all(column[c * r->ld[s]]), high, b[c]);
            }
        }
    }
    for (int32_t c = 0; c < count; ++c, own += SN_MANY) {
        vd_put(own, vd_nmadd(vd_all(inverse[c]), a[c], vd_get(own)));
        vd_put(own + 4, vd_nmadd(vd_all(inverse[c]), b[c], vd_get(own + 4)));
    }
}

/* After many_forward x holds D^-1 L^-1 b already. */
static void many_backward(const snReduced *r, int32_t s, double *x)
{
    int32_t first = r->start[s], width = r->start[s + 1] - first, ld = r->ld[s], c = 0;
    const double *panel = r->panel + r->paneladr[s], *inverse = r->inverse + first;
    double *own = x + (int64_t)SN_MANY * first;
    for (; c + 2 <= width; c += 2)
        many_gather(r, s, panel + (int64_t)c * ld + width, 2, inverse + c, x, own + SN_MANY * c);
    if (c < width) many_gather(r, s, panel + (int64_t)c * ld + width, 1, inverse + c, x, own + SN_MANY * c);
    for (c = width - 2; c >= 0; --c) {
        const double *column = panel + (int64_t)c * ld;
        vd a = vd_all(0), b = vd_all(0);
        for (int32_t i = c + 1; i < width; ++i) {
            a = vd_madd(vd_all(column[i]), vd_get(own + SN_MANY * i), a);
            b = vd_madd(vd_all(column[i]), vd_get(own + SN_MANY * i + 4), b);
        }
        vd_put(own + SN_MANY * c, vd_nmadd(vd_all(inverse[c]), a, vd_get(own + SN_MANY * c)));
        vd_put(own + SN_MANY * c + 4, vd_nmadd(vd_all(inverse[c]), b, vd_get(own + SN_MANY * c + 4)));
    }
}

static bool below_reached(const snReduced *r, int32_t s, const uint8_t *reached)
{
    for (int32_t p = r->belowadr[s]; p < r->belowadr[s + 1]; ++p)
        if (reached[r->below[p]]) return true;
    return false;
}

static void reduced_solve_many(const snReduced *r, double *x, uint8_t *reached)
{
    for (int32_t s = 0; s < r->nnode; ++s) {
        if (!reached[s]) continue;
        many_forward(r, s, x);
        for (int32_t p = r->belowadr[s]; p < r->belowadr[s + 1]; ++p) reached[r->below[p]] = 1;
    }
    for (int32_t s = r->nnode - 1; s >= 0; --s) {
        reached[s] |= below_reached(r, s, reached);
        if (reached[s]) many_backward(r, s, x);
    }
}

static const snLanes lanes_table = {LANES_NAME,     lanes_factor,   lanes_forward, lanes_backward,
                                    lanes_residual, reduced_factor, reduced_solve, reduced_solve_many};
