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

/* SN_MANY interleaved vectors. -----------------------------------------------------------------------------------
 *
 * In blocks of six rows or columns, as bodies have them, of three, as points on strands have them, and single ones:
 * that many times two vectors stay in registers, which is as much as fits. Inlined for each number. */

typedef struct Many {
    vd low[6], high[6];
} Many;

VD_INLINE void many_get(Many *m, const double *x, int count)
{
    for (int i = 0; i < count; ++i) m->low[i] = vd_get(x + SN_MANY * i), m->high[i] = vd_get(x + SN_MANY * i + 4);
}

VD_INLINE void many_put(const Many *m, double *x, int count)
{
    for (int i = 0; i < count; ++i) vd_put(x + SN_MANY * i, m->low[i]), vd_put(x + SN_MANY * i + 4, m->high[i]);
}

static void copy_many(double *to, const double *from, int32_t count)
{
    for (int32_t i = 0; i < 2 * count; ++i) vd_put(to + 4 * i, vd_get(from + 4 * i));
}

/* m -= rows of the panel times x, over `width` columns */
VD_INLINE void many_subtract(Many *m, const double *row, int count, const double *x, int32_t width, int32_t ld)
{
    for (int32_t c = 0; c < width; ++c, row += ld, x += SN_MANY) {
        vd low = vd_get(x), high = vd_get(x + 4);
        for (int i = 0; i < count; ++i) {
            vd f = vd_all(row[i]);
            m->low[i] = vd_nmadd(f, low, m->low[i]);
            m->high[i] = vd_nmadd(f, high, m->high[i]);
        }
    }
}

/* m += columns of the panel, each times x, over `height` rows */
VD_INLINE void many_gather(Many *m, const double *column, int count, const double *x, int32_t height, int32_t ld)
{
    for (int32_t i = 0; i < height; ++i, ++column, x += SN_MANY) {
        vd low = vd_get(x), high = vd_get(x + 4);
        for (int c = 0; c < count; ++c) {
            vd f = vd_all(column[c * ld]);
            m->low[c] = vd_madd(f, low, m->low[c]);
            m->high[c] = vd_madd(f, high, m->high[c]);
        }
    }
}

/* Column k of a block on the diagonal, its numbers at `column`: what it takes from the later ones. Called for each k
 * in turn: a loop over k would not be unrolled. */
VD_INLINE void forward_column(Many *m, const double *column, double inverse, int k, int count)
{
    if (k >= count) return;
    vd f = vd_all(inverse);
    m->low[k] *= f, m->high[k] *= f;
    for (int i = k + 1; i < count; ++i) {
        vd e = vd_all(column[i]);
        m->low[i] = vd_nmadd(e, m->low[k], m->low[i]);
        m->high[i] = vd_nmadd(e, m->high[k], m->high[i]);
    }
}

/* D^-1 L^-1 on columns [c, c + count) of a node, those before it done. */
VD_INLINE void forward_columns(const double *panel, int32_t ld, const double *inverse, int32_t c, int count,
                               double *own)
{
    Many m;
    const double *block = panel + (int64_t)c * ld + c;
    many_get(&m, own + SN_MANY * c, count);
    many_subtract(&m, panel + c, count, own, c, ld);
    forward_column(&m, block, inverse[c], 0, count);
    forward_column(&m, block + ld, count > 1 ? inverse[c + 1] : 0, 1, count);
    forward_column(&m, block + 2 * ld, count > 2 ? inverse[c + 2] : 0, 2, count);
    forward_column(&m, block + 3 * ld, count > 3 ? inverse[c + 3] : 0, 3, count);
    forward_column(&m, block + 4 * ld, count > 4 ? inverse[c + 4] : 0, 4, count);
    forward_column(&m, block + 5 * ld, count > 5 ? inverse[c + 5] : 0, 5, count);
    many_put(&m, own + SN_MANY * c, count);
}

VD_INLINE void forward_rows(const double *row, int32_t ld, int count, const double *own, int32_t width, double *x)
{
    Many m;
    many_get(&m, x, count);
    many_subtract(&m, row, count, own, width, ld);
    many_put(&m, x, count);
}

/* The size of the next block out of `left` rows or columns. */
static inline int32_t block_of(int32_t left)
{
    return left >= 6 ? 6 : left >= 3 ? 3 : 1;
}

/* own = D^-1 L^-1 own within the node, then out of the rows below. */
static void many_forward(const snReduced *r, int32_t s, double *x)
{
    int32_t first = r->start[s], width = r->start[s + 1] - first, ld = r->ld[s], step;
    const double *panel = r->panel + r->paneladr[s], *row = panel + width, *inverse = r->inverse + first;
    double *own = x + (int64_t)SN_MANY * first;
    for (int32_t c = 0; c < width; c += step) {
        step = block_of(width - c);
        if (step == 6)
            forward_columns(panel, ld, inverse, c, 6, own);
        else if (step == 3)
            forward_columns(panel, ld, inverse, c, 3, own);
        else
            forward_columns(panel, ld, inverse, c, 1, own);
    }
    for (int32_t p = r->belowadr[s]; p < r->belowadr[s + 1]; ++p) {
        double *at = x + (int64_t)SN_MANY * r->start[r->below[p]];
        for (int32_t left = r->exposed[r->below[p]]; left > 0; left -= step, row += step, at += SN_MANY * step) {
            step = block_of(left);
            if (step == 6)
                forward_rows(row, ld, 6, own, width, at);
            else if (step == 3)
                forward_rows(row, ld, 3, own, width, at);
            else
                forward_rows(row, ld, 1, own, width, at);
        }
    }
}

/* Column k of a block on the diagonal: its answer, from the sum of what is behind it, and what that gives to the
 * columns before it. block is the row of the panel that belongs to column k. */
VD_INLINE void backward_column(Many *m, const double *block, int32_t ld, double inverse, double *own, int k, int count)
{
    if (k >= count) return;
    vd f = vd_all(inverse), low = vd_nmadd(f, m->low[k], vd_get(own + SN_MANY * k)),
       high = vd_nmadd(f, m->high[k], vd_get(own + SN_MANY * k + 4));
    vd_put(own + SN_MANY * k, low);
    vd_put(own + SN_MANY * k + 4, high);
    for (int i = 0; i < k; ++i) {
        vd e = vd_all(block[i * ld]);
        m->low[i] = vd_madd(e, low, m->low[i]);
        m->high[i] = vd_madd(e, high, m->high[i]);
    }
}

/* L'^-1 on columns [c, c + count) of a node of `height` rows, those behind it done. x holds D^-1 L^-1 b before. */
VD_INLINE void backward_columns(const double *panel, int32_t ld, const double *inverse, int32_t c, int count,
                                int32_t height, double *x)
{
    int32_t row = c + count;
    double *own = x + SN_MANY * c;
    Many m;
    panel += (int64_t)c * ld;
    inverse += c;
    for (int i = 0; i < count; ++i) m.low[i] = m.high[i] = vd_all(0);
    many_gather(&m, panel + row, count, x + SN_MANY * row, height - row, ld);
    backward_column(&m, panel + c + 5, ld, count > 5 ? inverse[5] : 0, own, 5, count);
    backward_column(&m, panel + c + 4, ld, count > 4 ? inverse[4] : 0, own, 4, count);
    backward_column(&m, panel + c + 3, ld, count > 3 ? inverse[3] : 0, own, 3, count);
    backward_column(&m, panel + c + 2, ld, count > 2 ? inverse[2] : 0, own, 2, count);
    backward_column(&m, panel + c + 1, ld, count > 1 ? inverse[1] : 0, own, 1, count);
    backward_column(&m, panel + c, ld, inverse[0], own, 0, count);
}

/* The node's rows and those below it are copied to one piece first. */
static void many_backward(const snReduced *r, int32_t s, double *x, double *dense)
{
    int32_t first = r->start[s], width = r->start[s + 1] - first, ld = r->ld[s], height = r->height[s];
    const double *panel = r->panel + r->paneladr[s], *inverse = r->inverse + first;
    double *own = x + (int64_t)SN_MANY * first, *to = dense;
    copy_many(to, own, width);
    to += SN_MANY * width;
    for (int32_t p = r->belowadr[s]; p < r->belowadr[s + 1]; ++p) {
        int32_t count = r->exposed[r->below[p]];
        copy_many(to, x + (int64_t)SN_MANY * r->start[r->below[p]], count);
        to += SN_MANY * count;
    }
    for (int32_t end = width, step; end > 0; end -= step) {
        step = block_of(end);
        if (step == 6)
            backward_columns(panel, ld, inverse, end - 6, 6, height, dense);
        else if (step == 3)
            backward_columns(panel, ld, inverse, end - 3, 3, height, dense);
        else
            backward_columns(panel, ld, inverse, end - 1, 1, height, dense);
    }
    copy_many(own, dense, width);
}

static bool below_reached(const snReduced *r, int32_t s, const uint8_t *reached)
{
    for (int32_t p = r->belowadr[s]; p < r->belowadr[s + 1]; ++p)
        if (reached[r->below[p]]) return true;
    return false;
}

static void reduced_solve_many(const snReduced *r, double *x, uint8_t *reached)
{
    double *dense = x + (int64_t)SN_MANY * r->n;
    for (int32_t s = 0; s < r->nnode; ++s) {
        if (!reached[s]) continue;
        many_forward(r, s, x);
        for (int32_t p = r->belowadr[s]; p < r->belowadr[s + 1]; ++p) reached[r->below[p]] = 1;
    }
    for (int32_t s = r->nnode - 1; s >= 0; --s) {
        reached[s] |= below_reached(r, s, reached);
        if (reached[s]) many_backward(r, s, x, dense);
    }
}

static const snLanes lanes_table = {LANES_NAME,     lanes_factor,   lanes_forward, lanes_forward_two, lanes_backward,
                                    lanes_residual, reduced_factor, reduced_solve, reduced_solve_many};
