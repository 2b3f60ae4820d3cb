/* Products and sweeps with a block matrix. One row at a time in vectors of four, which every machine has: the matrix
 * streams through once and memory, not arithmetic, sets the pace. */
#include "flesh/blocks.h"

#include <math.h>

typedef struct {
    snRowsFn body;
    void *context;
    int32_t first, last;
} Rows;

static void run_chunk(void *context, int32_t chunk)
{
    const Rows *r = context;
    int32_t first = r->first + chunk * SN_BLOCKS_CHUNK, last = first + SN_BLOCKS_CHUNK;
    r->body(r->context, first, last < r->last ? last : r->last);
}

void sn_rows_loop(snPool *pool, int32_t first, int32_t last, snRowsFn body, void *context)
{
    Rows rows = {body, context, first, last};
    if (last - first < 4 * SN_BLOCKS_CHUNK) /* starting a loop costs as much */
        body(context, first, last);
    else
        sn_pool_loop(pool, sn_rows_chunks(last - first), run_chunk, &rows);
}

static inline snF4 get(const float *a)
{
    return *(const snF4Any *)(const void *)a;
}

static inline void put(float *a, snF4 v)
{
    *(snF4Any *)(void *)a = v;
}

/* Sum of the blocks [from, to) times x. The fourth lane is the next block's: cleared. */
static inline snF4 partial_row(const snBlocks *m, int32_t from, int32_t to, const float *x)
{
    snF4 a = {0}, b = {0}, c = {0};
    const float *e = m->block + 9 * (size_t)from;
    for (int32_t k = from; k < to; ++k, e += 9) {
        const float *v = x + 4 * (size_t)m->column[k];
        a += get(e) * v[0];
        b += get(e + 3) * v[1];
        c += get(e + 6) * v[2];
    }
    a += b + c;
    a[3] = 0;
    return a;
}

static inline snF4 times_inverse(const snBlocks *m, int32_t row, snF4 v)
{
    const float *d = m->inverse + 12 * (size_t)row;
    return get(d) * v[0] + get(d + 4) * v[1] + get(d + 8) * v[2];
}

typedef struct {
    const snBlocks *m;
    const float *b;
    float *x, *y;
} Sweep;

static void product_rows(void *context, int32_t first, int32_t last)
{
    const Sweep *s = context;
    for (int32_t i = first; i < last; ++i)
        put(s->y + 4 * (size_t)i, partial_row(s->m, s->m->start[i], s->m->start[i + 1], s->x));
}

void sn_blocks_product(const snBlocks *m, snPool *pool, const float *x, float *y)
{
    Sweep s = {m, NULL, (float *)x, y};
    sn_rows_loop(pool, 0, m->n, product_rows, &s);
}

static void first_rows(void *context, int32_t first, int32_t last)
{
    const Sweep *s = context;
    for (int32_t i = first; i < last; ++i) {
        snF4 r = get(s->b + 4 * (size_t)i) - partial_row(s->m, s->m->start[i], s->m->diagonal[i], s->x);
        put(s->x + 4 * (size_t)i, times_inverse(s->m, i, r));
    }
}

static void residual_rows(void *context, int32_t first, int32_t last)
{
    const Sweep *s = context;
    for (int32_t i = first; i < last; ++i)
        put(s->y + 4 * (size_t)i, -partial_row(s->m, s->m->diagonal[i] + 1, s->m->start[i + 1], s->x));
}

void sn_blocks_first_sweep(const snBlocks *m, snPool *pool, const float *b, float *x, float *r)
{
    Sweep s = {m, b, x, r};
    for (int32_t c = 0; c < m->ncolor; ++c) sn_rows_loop(pool, m->color[c], m->color[c + 1], first_rows, &s);
    sn_rows_loop(pool, 0, m->n, residual_rows, &s);
}

static void back_rows(void *context, int32_t first, int32_t last)
{
    const Sweep *s = context;
    for (int32_t i = first; i < last; ++i) {
        float *x = s->x + 4 * (size_t)i;
        snF4 r = get(s->b + 4 * (size_t)i) - partial_row(s->m, s->m->start[i], s->m->start[i + 1], s->x);
        put(x, get(x) + times_inverse(s->m, i, r));
    }
}

void sn_blocks_back_sweep(const snBlocks *m, snPool *pool, const float *b, float *x)
{
    Sweep s = {m, b, x, NULL};
    for (int32_t c = m->ncolor - 1; c >= 0; --c) sn_rows_loop(pool, m->color[c], m->color[c + 1], back_rows, &s);
}

/* Inverse of a symmetric 3 x 3 block; false when it is not positive definite. */
static bool invert(const float *a, float *to)
{
    double xx = a[0], yx = a[1], zx = a[2], yy = a[4], zy = a[5], zz = a[8];
    double cxx = yy * zz - zy * zy, cyx = zy * zx - yx * zz, czx = yx * zy - yy * zx;
    double det = xx * cxx + yx * cyx + zx * czx, scale = xx + yy + zz;
    bool fine = xx > 0 && xx * yy - yx * yx > 0 && det > 1e-9 * scale * scale * scale;
    double i = 1 / det;
    double v[9] = {cxx, cyx, czx, cyx, xx * zz - zx * zx, zx * yx - xx * zy, czx, zx * yx - xx * zy, xx * yy - yx * yx};
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
            to[4 * c + r] = (float)(fine ? v[3 * c + r] * i : r == c && scale > 0 ? 3 / scale : 0);
    to[3] = to[7] = to[11] = 0;
    return fine;
}

static void invert_rows(void *context, int32_t first, int32_t last)
{
    const Sweep *s = context;
    for (int32_t i = first; i < last; ++i)
        if (!invert(s->m->block + 9 * (size_t)s->m->diagonal[i], s->m->inverse + 12 * (size_t)i))
            s->m->inverse[12 * (size_t)i + 3] = 1; /* lane that nobody reads: a mark */
}

int32_t sn_blocks_invert(snBlocks *m, snPool *pool)
{
    Sweep s = {m, NULL, NULL, NULL};
    int32_t bad = 0;
    sn_rows_loop(pool, 0, m->n, invert_rows, &s);
    for (int32_t i = 0; i < m->n; ++i) {
        bad += m->inverse[12 * (size_t)i + 3] > 0;
        m->inverse[12 * (size_t)i + 3] = 0;
    }
    return bad;
}

typedef struct {
    const float *a, *b;
    double *sum;
} Dot;

static void dot_rows(void *context, int32_t first, int32_t last)
{
    const Dot *d = context;
    for (int32_t from = first; from < last; from += SN_BLOCKS_CHUNK) {
        double sum[4] = {0};
        int32_t to = from + SN_BLOCKS_CHUNK < last ? from + SN_BLOCKS_CHUNK : last;
        for (int32_t i = from; i < to; ++i)
            for (int l = 0; l < 3; ++l)
                sum[l] += (double)d->a[4 * (size_t)i + (size_t)l] * (double)d->b[4 * (size_t)i + (size_t)l];
        d->sum[from / SN_BLOCKS_CHUNK] = sum[0] + sum[1] + sum[2];
    }
}

double sn_rows_dot(snPool *pool, int32_t n, const float *a, const float *b, double *scratch)
{
    Dot d = {a, b, scratch};
    double sum = 0;
    sn_rows_loop(pool, 0, n, dot_rows, &d);
    for (int32_t c = 0; c < sn_rows_chunks(n); ++c) sum += scratch[c];
    return sum;
}
