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

/* Row i of the panel applied to, or from, SN_MANY interleaved vectors. -------------------------------------------- */

static void many_forward(const snReduced *r, int32_t s, double *x)
{
    int32_t first = r->start[s], width = r->start[s + 1] - first, ld = r->ld[s];
    const double *panel = r->panel + r->paneladr[s];
    double *own = x + (int64_t)SN_MANY * first;
    for (int32_t c = 0; c < width; ++c) {
        vd a = vd_get(own + SN_MANY * c), b = vd_get(own + SN_MANY * c + 4);
        for (int32_t k = 0; k < c; ++k) {
            vd f = vd_all(panel[(int64_t)k * ld + c]);
            a = vd_nmadd(f, vd_get(own + SN_MANY * k), a);
            b = vd_nmadd(f, vd_get(own + SN_MANY * k + 4), b);
        }
        vd inverse = vd_all(r->inverse[first + c]);
        vd_put(own + SN_MANY * c, a * inverse);
        vd_put(own + SN_MANY * c + 4, b * inverse);
    }
    const double *row = panel + width;
    for (int32_t p = r->belowadr[s]; p < r->belowadr[s + 1]; ++p)
        for (int32_t i = r->start[r->below[p]]; i < r->start[r->below[p]] + r->exposed[r->below[p]]; ++i, ++row) {
            double *at = x + (int64_t)SN_MANY * i;
            vd a = vd_get(at), b = vd_get(at + 4);
            for (int32_t c = 0; c < width; ++c) {
                vd f = vd_all(row[(int64_t)c * ld]);
                a = vd_nmadd(f, vd_get(own + SN_MANY * c), a);
                b = vd_nmadd(f, vd_get(own + SN_MANY * c + 4), b);
            }
            vd_put(at, a);
            vd_put(at + 4, b);
        }
}

/* After many_forward x holds D^-1 L^-1 b already. */
static void many_backward(const snReduced *r, int32_t s, double *x)
{
    int32_t first = r->start[s], width = r->start[s + 1] - first, ld = r->ld[s];
    double *own = x + (int64_t)SN_MANY * first;
    for (int32_t c = width - 1; c >= 0; --c) {
        const double *column = r->panel + r->paneladr[s] + (int64_t)c * ld, *row = column + width;
        vd a = {0}, b = {0}, inverse = vd_all(r->inverse[first + c]);
        for (int32_t i = c + 1; i < width; ++i) {
            a = vd_madd(vd_all(column[i]), vd_get(own + SN_MANY * i), a);
            b = vd_madd(vd_all(column[i]), vd_get(own + SN_MANY * i + 4), b);
        }
        for (int32_t p = r->belowadr[s]; p < r->belowadr[s + 1]; ++p)
            for (int32_t i = r->start[r->below[p]]; i < r->start[r->below[p]] + r->exposed[r->below[p]]; ++i, ++row) {
                a = vd_madd(vd_all(*row), vd_get(x + (int64_t)SN_MANY * i), a);
                b = vd_madd(vd_all(*row), vd_get(x + (int64_t)SN_MANY * i + 4), b);
            }
        vd_put(own + SN_MANY * c, vd_nmadd(inverse, a, vd_get(own + SN_MANY * c)));
        vd_put(own + SN_MANY * c + 4, vd_nmadd(inverse, b, vd_get(own + SN_MANY * c + 4)));
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
