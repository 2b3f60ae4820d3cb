/* The arithmetic of lanes.h, for the vector type vd and its operations that the including file defines. Loops over the
 * lanes themselves occur only where strands differ: in gathering, in the rows' spans, in the bodies they touch. */
#include <string.h>

typedef double vd_any __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long vmask __attribute__((vector_size(32)));

static inline vd vd_all(double a) { return (vd){a, a, a, a}; }
static inline vd vd_get(const double *a) { return *(const vd_any *)(const void *)a; }
static inline void vd_put(double *a, vd x) { *(vd_any *)(void *)a = x; }
static inline double vd_sum(vd a) { return (a[0] + a[2]) + (a[1] + a[3]); }
static inline vmask vd_is_pivot(vd a) { return (a > 0) & (a < (double)INFINITY); }
static inline vd *lanes_of(double *a) { return (vd *)(void *)a; }

static inline void vd_clear(vd *x, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) x[i] = vd_all(0);
}

/* Rows to columns of a 4 x 4 block. */
static inline void vd_transpose(vd r[4])
{
    vd a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    vd c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Between the strands' own arrays and lanes. --------------------------------------------------------------------- */

static inline vd get_some(const double *a, int32_t count)
{
    if (count >= 4) return vd_get(a);
    return (vd){count > 0 ? a[0] : 0, count > 1 ? a[1] : 0, count > 2 ? a[2] : 0, 0};
}

static inline void put_some(double *a, int32_t count, vd x)
{
    if (count >= 4) vd_put(a, x);
    else
        for (int32_t i = 0; i < count; ++i) a[i] = x[i];
}

/* count vectors (rounded up to four) from length[l] numbers of each lane; zeros after that, and for NULL. */
static void gather(double *const from[SN_LANES], const int32_t length[SN_LANES], int32_t count, vd *x)
{
    for (int32_t i = 0; i < count; i += 4) {
        for (int l = 0; l < SN_LANES; ++l) x[i + l] = from[l] ? get_some(from[l] + i, length[l] - i) : vd_all(0);
        vd_transpose(x + i);
    }
}

static void scatter(const vd *x, const int32_t length[SN_LANES], int32_t count, double *const to[SN_LANES])
{
    for (int32_t i = 0; i < count; i += 4) {
        vd r[4] = {x[i], x[i + 1], x[i + 2], x[i + 3]};
        vd_transpose(r);
        for (int l = 0; l < SN_LANES; ++l) put_some(to[l] + i, length[l] - i, r[l]);
    }
}

/* The arrays of the lanes of a batch within arrays over all points or rows. */
typedef struct Where {
    double *at[SN_LANES];
    int32_t length[SN_LANES];
} Where;

static Where points_in(const snBatch *b, double *all)
{
    Where w;
    for (int l = 0; l < SN_LANES; ++l) w.at[l] = all + 3 * b->lane[l].point, w.length[l] = 3 * b->lane[l].npoint;
    return w;
}

static Where rows_in(const snBatch *b, double *all)
{
    Where w;
    for (int l = 0; l < SN_LANES; ++l) w.at[l] = all + b->lane[l].own, w.length[l] = b->lane[l].nown;
    return w;
}

/* A = L L', blocks of 3 x 3 in a band of three below the diagonal. ------------------------------------------------ */

/* Where entry e of the 36 numbers of point i goes in L, counted from point i; -1: the other half of the diagonal. */
static const int16_t band_place[36] = {
    0,  -1, -1, 1,  2,  -1, 3,  4,  5,                                                            /* block (i, i) */
    39, 42, 45, 40, 43, 46, 41, 44, 47, 81, 84, 87, 82, 85, 88, 83, 86, 89,                       /* i + 1, i + 2 */
    123, 126, 129, 124, 127, 130, 125, 128, 131};                                                 /* i + 3 */

/* The 36 numbers of a point, with what reaches beyond the strand's end zero, and identity after the end. */
static const double *point_numbers(const snLaneData *d, const snLane *lane, int32_t i, double copy[36])
{
    static const double identity[36] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (i >= lane->npoint) return identity;
    const double *a = d->values->point_A + 36 * (int64_t)(lane->point + i);
    if (i + 3 < lane->npoint) return a;
    memset(copy, 0, 36 * sizeof *copy);
    memcpy(copy, a, 9 * (size_t)(lane->npoint - i) * sizeof *copy);
    return copy;
}

static void pack_band(const snLaneData *d, const snBatch *b, vd *L)
{
    double copy[SN_LANES][36];
    for (int32_t i = 0; i < b->npoint; ++i, L += SN_BAND) {
        const double *a[SN_LANES];
        for (int l = 0; l < SN_LANES; ++l) a[l] = point_numbers(d, &b->lane[l], i, copy[l]);
        int32_t reach = b->npoint - i, count = reach > 3 ? 36 : 9 * reach;
        for (int32_t e = 0; e < 36; e += 4) {
            vd r[4] = {vd_get(a[0] + e), vd_get(a[1] + e), vd_get(a[2] + e), vd_get(a[3] + e)};
            vd_transpose(r);
            for (int32_t k = 0; k < 4; ++k)
                if (band_place[e + k] >= 0 && e + k < count) L[band_place[e + k]] = r[k];
        }
    }
}

static inline vd *band_block(vd *point, int32_t distance) { return point + 6 + 9 * (distance - 1); }

/* x -= p q' for blocks */
static inline void block_subtract(vd x[9], const vd *p, const vd *q)
{
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) x[3 * i + j] = vd_nmadd(p[3 * i + c], q[3 * j + c], x[3 * i + j]);
}

/* x = x T^-T for the triangle T of a point */
static inline void block_divide(vd x[9], const vd *t)
{
    for (int i = 0; i < 3; ++i) {
        vd *r = x + 3 * i;
        r[0] = r[0] * t[0];
        r[1] = vd_nmadd(r[0], t[1], r[1]) * t[2];
        r[2] = vd_nmadd(r[1], t[4], vd_nmadd(r[0], t[3], r[2])) * t[5];
    }
}

static inline vmask triangle_factor(vd t[6])
{
    vmask ok = vd_is_pivot(t[0]);
    t[0] = 1 / vd_sqrt(t[0]);
    t[1] *= t[0];
    t[3] *= t[0];
    t[2] = vd_nmadd(t[1], t[1], t[2]);
    ok &= vd_is_pivot(t[2]);
    t[2] = 1 / vd_sqrt(t[2]);
    t[4] = vd_nmadd(t[3], t[1], t[4]) * t[2];
    t[5] = vd_nmadd(t[4], t[4], vd_nmadd(t[3], t[3], t[5]));
    ok &= vd_is_pivot(t[5]);
    t[5] = 1 / vd_sqrt(t[5]);
    return ok;
}

static inline void triangle_subtract(vd t[6], const vd *p)
{
    for (int c = 0; c < 3; ++c) {
        t[0] = vd_nmadd(p[c], p[c], t[0]);
        t[1] = vd_nmadd(p[3 + c], p[c], t[1]);
        t[2] = vd_nmadd(p[3 + c], p[3 + c], t[2]);
        t[3] = vd_nmadd(p[6 + c], p[c], t[3]);
        t[4] = vd_nmadd(p[6 + c], p[3 + c], t[4]);
        t[5] = vd_nmadd(p[6 + c], p[6 + c], t[5]);
    }
}

static vmask band_factor(vd *L, int32_t n)
{
    vmask ok = {-1, -1, -1, -1};
    for (int32_t i = 0; i < n; ++i) {
        vd *point = L + SN_BAND * i, t[6];
        int32_t reach = i < 3 ? i : 3;
        for (int32_t near = reach; near > 0; --near) {
            vd x[9], *block = band_block(point, near), *other = point - SN_BAND * near;
            memcpy(x, block, sizeof x);
            for (int32_t far = reach; far > near; --far)
                block_subtract(x, band_block(point, far), band_block(other, far - near));
            block_divide(x, other);
            memcpy(block, x, sizeof x);
        }
        memcpy(t, point, sizeof t);
        for (int32_t far = reach; far > 0; --far) triangle_subtract(t, band_block(point, far));
        ok &= triangle_factor(t);
        memcpy(point, t, sizeof t);
    }
    return ok;
}

static void band_forward(const vd *L, int32_t n, vd *x)
{
    for (int32_t i = 0; i < n; ++i, L += SN_BAND, x += 3) {
        vd a = x[0], b = x[1], c = x[2];
        for (int32_t far = i < 3 ? i : 3; far > 0; --far) {
            const vd *p = L + 6 + 9 * (far - 1), *y = x - 3 * far;
            for (int k = 0; k < 3; ++k) {
                a = vd_nmadd(p[k], y[k], a);
                b = vd_nmadd(p[3 + k], y[k], b);
                c = vd_nmadd(p[6 + k], y[k], c);
            }
        }
        x[0] = a * L[0];
        x[1] = vd_nmadd(L[1], x[0], b) * L[2];
        x[2] = vd_nmadd(L[4], x[1], vd_nmadd(L[3], x[0], c)) * L[5];
    }
}

static void band_backward(const vd *L, int32_t n, vd *x)
{
    for (int32_t i = n - 1; i >= 0; --i) {
        const vd *t = L + SN_BAND * i;
        vd *y = x + 3 * i, a = y[0], b = y[1], c = y[2];
        for (int32_t far = n - 1 - i < 3 ? n - 1 - i : 3; far > 0; --far) {
            const vd *p = t + SN_BAND * far + 6 + 9 * (far - 1), *z = y + 3 * far;
            for (int k = 0; k < 3; ++k) {
                a = vd_nmadd(p[3 * k], z[k], a);
                b = vd_nmadd(p[3 * k + 1], z[k], b);
                c = vd_nmadd(p[3 * k + 2], z[k], c);
            }
        }
        y[2] = c * t[5];
        y[1] = vd_nmadd(t[4], y[2], b) * t[2];
        y[0] = vd_nmadd(t[1], y[1], vd_nmadd(t[3], y[2], a)) * t[0];
    }
}

/* Four columns at a time: L^-1 on columns that are zero before point `first`. y[3 (i - first) + c] holds the four. */
static void band_forward_four(const vd *L, int32_t first, int32_t n, vd *y)
{
    for (int32_t i = first; i < n; ++i, y += 12) {
        const vd *t = L + SN_BAND * i;
        vd x[3][4];
        for (int c = 0; c < 3; ++c)
            for (int a = 0; a < 4; ++a) x[c][a] = y[4 * c + a];
        for (int32_t far = i - first < 3 ? i - first : 3; far > 0; --far) {
            const vd *p = t + 6 + 9 * (far - 1), *z = y - 12 * far;
            for (int k = 0; k < 3; ++k)
                for (int a = 0; a < 4; ++a)
                    for (int c = 0; c < 3; ++c) x[c][a] = vd_nmadd(p[3 * c + k], z[4 * k + a], x[c][a]);
        }
        for (int a = 0; a < 4; ++a) {
            y[a] = x[0][a] * t[0];
            y[4 + a] = vd_nmadd(t[1], y[a], x[1][a]) * t[2];
            y[8 + a] = vd_nmadd(t[4], y[4 + a], vd_nmadd(t[3], y[a], x[2][a])) * t[5];
        }
    }
}

/* A row on the points of its strand: twelve numbers b[k] n[c], and what is done with them. ------------------------- */

static inline void part_numbers(const snKktPart *part, vd e[3])
{
    const double *number = (const double *)(const void *)part;
    vd b = vd_get(number), n = vd_get(number + 3); /* b3 n0 n1 n2 */
    e[0] = __builtin_shufflevector(b, b, 0, 0, 0, 1) * __builtin_shufflevector(n, n, 1, 2, 3, 1);
    e[1] = __builtin_shufflevector(b, b, 1, 1, 2, 2) * __builtin_shufflevector(n, n, 2, 3, 1, 2);
    e[2] = __builtin_shufflevector(b, b, 2, 3, 3, 3) * __builtin_shufflevector(n, n, 3, 1, 2, 3);
}

static inline double part_dot(const snKktPart *part, const double *point)
{
    vd e[3];
    const double *x = point + 3 * part->span;
    part_numbers(part, e);
    return vd_sum(vd_madd(e[2], vd_get(x + 8), vd_madd(e[1], vd_get(x + 4), e[0] * vd_get(x))));
}

static inline void part_add(const snKktPart *part, double y, double *point)
{
    vd e[3], f = vd_all(y);
    double *x = point + 3 * part->span;
    part_numbers(part, e);
    for (int i = 0; i < 3; ++i) vd_put(x + 4 * i, vd_madd(e[i], f, vd_get(x + 4 * i)));
}

static inline double wrench_dot(const double *J, const double *x)
{
    return vd_sum(vd_get(J) * vd_get(x)) + (J[4] * x[4] + J[5] * x[5]);
}

static inline void wrench_add(const double *J, double y, double *x)
{
    vd_put(x, vd_madd(vd_get(J), vd_all(y), vd_get(x)));
    x[4] += J[4] * y;
    x[5] += J[5] * y;
}

/* The columns of G' of a group of four rows, into lanes of y; returns the first point that any of them touches. */
static int32_t pack_rows(const snLaneData *d, const snBatch *b, int32_t group, vd *y)
{
    int32_t first = b->npoint;
    for (int l = 0; l < SN_LANES; ++l)
        for (int32_t r = 4 * group; r < 4 * group + 4 && r < b->lane[l].nown; ++r) {
            int32_t row = b->lane[l].own + r;
            if (d->values->own_on[row] && d->values->own[row].span < first) first = d->values->own[row].span;
        }
    vd_clear(y, 12 * (int64_t)(b->npoint - first));
    for (int l = 0; l < SN_LANES; ++l)
        for (int32_t r = 4 * group; r < 4 * group + 4 && r < b->lane[l].nown; ++r) {
            int32_t row = b->lane[l].own + r;
            if (!d->values->own_on[row]) continue;
            const snKktPart *part = &d->values->own[row];
            vd e[3];
            part_numbers(part, e);
            double *at = (double *)(y + 12 * (part->span - first) + (r - 4 * group)) + l;
            for (int i = 0; i < 12; ++i) at[16 * i] = e[i / 4][i % 4];
        }
    return first;
}

/* The same for a group of four border columns: only link rows touch points. */
static int32_t pack_links(const snLaneData *d, const snBatch *b, int32_t group, vd *u)
{
    int32_t first = b->npoint;
    for (int pass = 0; pass < 2; ++pass) {
        if (pass) memset(u, 0, 12 * (size_t)(b->npoint - first) * sizeof *u);
        for (int l = 0; l < SN_LANES; ++l)
            for (int32_t p = 0; p < b->lane[l].nlinkpart; ++p) {
                const snLinkPart *link = &b->lane[l].linkpart[p];
                const snKktPart *part = &d->values->part[link->part];
                if (link->column / 4 != group || !d->values->link_on[link->link]) continue;
                if (part->span < first) first = part->span;
                if (!pass) continue;
                double *at = (double *)(u + 12 * (part->span - first) + link->column % 4) + l;
                for (int i = 0; i < 12; ++i) at[16 * i] += part->b[i / 3] * part->n[i % 3];
            }
    }
    return first;
}

/* Rows and border, in tiles of 4 x 4. ---------------------------------------------------------------------------- */

/* A sum over k of products of two groups of four: plus count1 terms, minus count2 terms. */
typedef struct Products {
    const vd *p1, *q1, *p2, *q2;
    int32_t count1, count2;
} Products;

/* t[4 a + b] += for b = half, half + 1: eight sums stay in registers. */
static inline void tile_half(vd *t, int half, const Products *s)
{
    vd x[4][2];
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 2; ++b) x[a][b] = t[4 * a + half + b];
    const vd *p = s->p1, *q = s->q1 + half;
    for (int32_t k = 0; k < s->count1; ++k, p += 4, q += 4)
        for (int a = 0; a < 4; ++a) {
            vd pa = vd_keep(p[a]);
            for (int b = 0; b < 2; ++b) x[a][b] = vd_madd(pa, q[b], x[a][b]);
        }
    p = s->p2, q = s->q2 + half;
    for (int32_t k = 0; k < s->count2; ++k, p += 4, q += 4)
        for (int a = 0; a < 4; ++a) {
            vd pa = vd_keep(p[a]);
            for (int b = 0; b < 2; ++b) x[a][b] = vd_nmadd(pa, q[b], x[a][b]);
        }
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 2; ++b) t[4 * a + half + b] = x[a][b];
}

static inline void tile_add(vd t[16], const Products *s)
{
    tile_half(t, 0, s);
    tile_half(t, 2, s);
}

/* out[4 b + a] = (t T^-T)[a][b] for the triangle T in tile form. */
static inline void tile_divide(const vd t[16], const vd *triangle, vd *out)
{
    for (int a = 0; a < 4; ++a) {
        vd x0 = t[4 * a] * triangle[0];
        vd x1 = vd_nmadd(x0, triangle[1], t[4 * a + 1]) * triangle[5];
        vd x2 = vd_nmadd(x1, triangle[6], vd_nmadd(x0, triangle[2], t[4 * a + 2])) * triangle[10];
        vd x3 = vd_nmadd(x2, triangle[11], vd_nmadd(x1, triangle[7], vd_nmadd(x0, triangle[3], t[4 * a + 3])));
        out[a] = x0, out[4 + a] = x1, out[8 + a] = x2, out[12 + a] = x3 * triangle[15];
    }
}

/* The Cholesky factor of the symmetric tile t: out[4 b + a] for a >= b, inverse diagonal. */
static inline vmask tile_factor(vd t[16], vd *out)
{
    vmask ok = {-1, -1, -1, -1};
    for (int b = 0; b < 4; ++b) {
        ok &= vd_is_pivot(t[5 * b]);
        vd inverse = 1 / vd_sqrt(t[5 * b]);
        out[5 * b] = inverse;
        for (int a = b + 1; a < 4; ++a) out[4 * b + a] = t[4 * a + b] * inverse;
        for (int a = b + 1; a < 4; ++a)
            for (int c = b + 1; c <= a; ++c) t[4 * a + c] = vd_nmadd(out[4 * b + a], out[4 * b + c], t[4 * a + c]);
    }
    return ok;
}

static inline int64_t row_panel(int32_t group) { return 8 * (int64_t)group * (group + 1); }

static void row_diagonal(const snLaneData *d, const snBatch *b, int32_t group, vd t[16])
{
    for (int i = 0; i < 16; ++i) t[i] = vd_all(0);
    for (int a = 0; a < 4; ++a) {
        vd x = vd_all(1);
        for (int l = 0; l < SN_LANES; ++l) {
            int32_t r = 4 * group + a, row = b->lane[l].own + r;
            if (r < b->lane[l].nown && d->values->own_on[row]) x[l] = d->values->own_D[row];
        }
        t[5 * a] = x;
    }
}

/* The products over the points from the later of the two first points on. */
static inline Products point_products(const vd *p, int32_t first_p, const vd *q, int32_t first_q, int32_t npoint)
{
    int32_t first = first_p > first_q ? first_p : first_q;
    return (Products){.p1 = p + 12 * (first - first_p), .q1 = q + 12 * (first - first_q), .count1 = 3 * (npoint - first)};
}

static vmask rows_factor(const snLaneData *d, const snBatch *b, snLaneWork *w)
{
    vmask ok = {-1, -1, -1, -1};
    const vd *Y = lanes_of(w->Y);
    vd *R = lanes_of(b->R), t[16];
    int64_t stride = 12 * (int64_t)b->npoint;
    for (int32_t i = 0; i < b->nrowgroup; ++i) {
        vd *Ri = R + row_panel(i);
        for (int32_t j = 0; j <= i; ++j) {
            const vd *Rj = R + row_panel(j);
            Products s = point_products(Y + stride * i, w->start[i], Y + stride * j, w->start[j], b->npoint);
            s.p2 = Ri, s.q2 = Rj, s.count2 = 4 * j;
            if (i == j) row_diagonal(d, b, i, t);
            else vd_clear(t, 16);
            tile_add(t, &s);
            if (i == j) ok &= tile_factor(t, Ri + 16 * i);
            else tile_divide(t, Rj + 16 * j, Ri + 16 * j);
        }
    }
    return ok;
}

static void rows_forward(const vd *R, int32_t ngroup, vd *x)
{
    for (int32_t i = 0; i < ngroup; ++i) {
        vd *y = x + 4 * i, s[4] = {y[0], y[1], y[2], y[3]}, z[4] = {{0}};
        for (int32_t k = 0; k < 4 * i; k += 2, R += 8)
            for (int a = 0; a < 4; ++a) s[a] = vd_nmadd(R[a], x[k], s[a]), z[a] = vd_nmadd(R[4 + a], x[k + 1], z[a]);
        for (int a = 0; a < 4; ++a) s[a] += z[a];
        y[0] = s[0] * R[0];
        y[1] = vd_nmadd(R[1], y[0], s[1]) * R[5];
        y[2] = vd_nmadd(R[6], y[1], vd_nmadd(R[2], y[0], s[2])) * R[10];
        y[3] = vd_nmadd(R[11], y[2], vd_nmadd(R[7], y[1], vd_nmadd(R[3], y[0], s[3]))) * R[15];
        R += 16;
    }
}

static void rows_backward(const vd *R, int32_t ngroup, vd *x)
{
    for (int32_t i = ngroup - 1; i >= 0; --i) {
        const vd *p = R + row_panel(i), *t = p + 16 * i;
        vd *y = x + 4 * i;
        vd d = y[3] * t[15];
        vd c = vd_nmadd(t[11], d, y[2]) * t[10];
        vd b = vd_nmadd(t[6], c, vd_nmadd(t[7], d, y[1])) * t[5];
        vd a = vd_nmadd(t[1], b, vd_nmadd(t[2], c, vd_nmadd(t[3], d, y[0]))) * t[0];
        y[0] = a, y[1] = b, y[2] = c, y[3] = d;
        for (int32_t k = 0; k < 4 * i; ++k, p += 4)
            x[k] = vd_nmadd(p[3], d, vd_nmadd(p[2], c, vd_nmadd(p[1], b, vd_nmadd(p[0], a, x[k]))));
    }
}

/* V0: minus the body sides of the rows, into lanes. V[k][a] of group g is at 16 g nrowgroup + 4 k + a. */
static void pack_wrenches(const snLaneData *d, const snBatch *b, vd *V)
{
    memset(V, 0, 16 * (size_t)b->nbordergroup * (size_t)b->nrowgroup * sizeof *V);
    for (int l = 0; l < SN_LANES; ++l)
        for (int32_t r = 0; r < b->lane[l].nown; ++r) {
            int32_t row = b->lane[l].own + r, slot = d->own_slot[row];
            if (slot < 0 || !d->values->own_on[row]) continue;
            const double *J = d->values->own_J + 6 * (int64_t)row;
            for (int c = 0; c < 6; ++c) {
                int32_t column = 6 * slot + c;
                vd *at = V + 16 * (int64_t)(column / 4) * b->nrowgroup + 4 * r + column % 4;
                ((double *)at)[l] = -J[c];
            }
        }
}

/* V = R^-1 (Y'U - V0), for one group of columns. */
static void border_solve(const snBatch *b, const snLaneWork *w, int32_t group, vd *V)
{
    const vd *Y = lanes_of(w->Y), *U = lanes_of(w->U), *R = lanes_of(b->R);
    int64_t stride = 12 * (int64_t)b->npoint;
    int32_t first_point = w->start[b->nrowgroup + group];
    int32_t first = first_point < b->npoint ? 0 : b->first_row[group];
    for (int32_t j = first; j < b->nrowgroup; ++j) {
        vd t[16];
        const vd *Rj = R + row_panel(j);
        Products s = {.p2 = V + 16 * first, .q2 = Rj + 16 * first, .count2 = 4 * (j - first)};
        if (first_point < b->npoint) {
            Products u = point_products(U + stride * group, first_point, Y + stride * j, w->start[j], b->npoint);
            s.p1 = u.p1, s.q1 = u.q1, s.count1 = u.count1;
        } else s.p1 = s.q1 = V;
        for (int k = 0; k < 4; ++k)
            for (int a = 0; a < 4; ++a) t[4 * a + k] = V[16 * j + 4 * k + a];
        tile_add(t, &s);
        tile_divide(t, Rj + 16 * j, V + 16 * j);
    }
}

/* Tile (g, h) of V'V - U'U to the strands' own blocks. */
static void store_block(const snBatch *b, int32_t g, int32_t h, vd t[16])
{
    for (int a = 0; a < 4; ++a) {
        vd_transpose(t + 4 * a);
        for (int l = 0; l < SN_LANES; ++l) vd_put(b->lane[l].block + row_panel(g) + 4 * a * (g + 1) + 4 * h, t[4 * a + l]);
    }
}

static void border_products(const snBatch *b, const snLaneWork *w, int32_t g, const vd *V)
{
    const vd *U = lanes_of(w->U);
    const int32_t *start = w->start + b->nrowgroup;
    int64_t stride = 12 * (int64_t)b->npoint, panel = 16 * (int64_t)b->nrowgroup;
    for (int32_t h = 0; h <= g; ++h) {
        int32_t first_g = start[g] < b->npoint ? 0 : b->first_row[g];
        int32_t first_h = start[h] < b->npoint ? 0 : b->first_row[h];
        int32_t first = first_g > first_h ? first_g : first_h;
        Products u = point_products(U + stride * g, start[g], U + stride * h, start[h], b->npoint);
        Products s = {V + panel * g + 16 * first, V + panel * h + 16 * first, u.p1, u.q1, 4 * (b->nrowgroup - first),
                      u.count1};
        vd t[16];
        vd_clear(t, 16);
        tile_add(t, &s);
        store_block(b, g, h, t);
    }
}

static void lanes_factor(const snLaneData *d, snBatch *b, snLaneWork *w)
{
    vd *L = lanes_of(b->L), *Y = lanes_of(w->Y), *U = lanes_of(w->U), *V = lanes_of(w->V);
    int64_t stride = 12 * (int64_t)b->npoint;
    pack_band(d, b, L);
    vmask ok = band_factor(L, b->npoint);
    for (int32_t g = 0; g < b->nrowgroup; ++g) {
        w->start[g] = pack_rows(d, b, g, Y + stride * g);
        band_forward_four(L, w->start[g], b->npoint, Y + stride * g);
    }
    ok &= rows_factor(d, b, w);
    pack_wrenches(d, b, V);
    for (int32_t g = 0; g < b->nbordergroup; ++g) {
        int32_t *start = &w->start[b->nrowgroup + g];
        *start = 4 * g + 4 <= 6 * b->nslot ? b->npoint : pack_links(d, b, g, U + stride * g);
        band_forward_four(L, *start, b->npoint, U + stride * g);
        border_solve(b, w, g, V + 16 * (int64_t)g * b->nrowgroup);
        border_products(b, w, g, V);
    }
    b->bad = 0;
    for (unsigned l = 0; l < SN_LANES; ++l) b->bad |= ok[l] ? 0u : 1u << l;
}

/* Solving. ------------------------------------------------------------------------------------------------------- */

/* to = A^-1 from */
static void points_solve(const snBatch *b, const snLaneWork *w, double *const from[SN_LANES], const Where *to)
{
    vd *x = lanes_of(w->x);
    gather(from, to->length, 3 * b->npoint, x);
    band_forward(lanes_of(b->L), b->npoint, x);
    band_backward(lanes_of(b->L), b->npoint, x);
    scatter(x, to->length, 3 * b->npoint, to->at);
}

/* to = S^-1 from */
static void rows_solve(const snBatch *b, const snLaneWork *w, double *const from[SN_LANES], const Where *to)
{
    vd *x = lanes_of(w->row);
    gather(from, to->length, 4 * b->nrowgroup, x);
    rows_forward(lanes_of(b->R), b->nrowgroup, x);
    rows_backward(lanes_of(b->R), b->nrowgroup, x);
    scatter(x, to->length, 4 * b->nrowgroup, to->at);
}

/* w = G t - r, zero for rows that are off */
static void rows_of_points(const snLaneData *d, const snLane *lane, const double *t, const double *r, double *w)
{
    for (int32_t i = 0; i < lane->nown; ++i) {
        int32_t row = lane->own + i;
        w[i] = d->values->own_on[row] ? part_dot(&d->values->own[row], t) - (r ? r[i] : 0) : 0;
    }
}

/* q = G' y */
static void points_of_rows(const snLaneData *d, const snLane *lane, const double *y, double *q)
{
    memset(q, 0, 3 * (size_t)lane->npoint * sizeof *q);
    for (int32_t i = 0; i < lane->nown; ++i)
        if (d->values->own_on[lane->own + i]) part_add(&d->values->own[lane->own + i], y[i], q);
}

/* border = J' y */
static void bodies_of_rows(const snLaneData *d, const snLane *lane, const double *y, double *border)
{
    memset(border, 0, (size_t)(6 * lane->nslot) * sizeof *border);
    for (int32_t i = 0; i < lane->nown; ++i) {
        int32_t row = lane->own + i, slot = d->own_slot[row];
        if (slot >= 0 && d->values->own_on[row]) wrench_add(d->values->own_J + 6 * (int64_t)row, y[i], border + 6 * slot);
    }
}

/* w += J border */
static void rows_of_bodies(const snLaneData *d, const snLane *lane, const double *border, double *w)
{
    for (int32_t i = 0; i < lane->nown; ++i) {
        int32_t row = lane->own + i, slot = d->own_slot[row];
        if (slot >= 0 && d->values->own_on[row]) w[i] += wrench_dot(d->values->own_J + 6 * (int64_t)row, border + 6 * slot);
    }
}

/* What the link columns of the border see of x, of each strand. */
static void links_of_points(const snLaneData *d, const snBatch *b, const snLane *lane, const double *x)
{
    double *border = lane->border + 6 * b->nslot;
    memset(border, 0, (size_t)lane->nlink * sizeof *border);
    for (int32_t p = 0; p < lane->nlinkpart; ++p) {
        const snLinkPart *link = &lane->linkpart[p];
        if (d->values->link_on[link->link])
            lane->border[link->column] += part_dot(&d->values->part[link->part], x);
    }
}

/* f = rhs - (link columns) border */
static void subtract_links(const snLaneData *d, const snLane *lane, const double *rhs, double *f)
{
    memcpy(f, rhs, 3 * (size_t)lane->npoint * sizeof *f);
    for (int32_t p = 0; p < lane->nlinkpart; ++p) {
        const snLinkPart *link = &lane->linkpart[p];
        if (d->values->link_on[link->link]) part_add(&d->values->part[link->part], -lane->border[link->column], f);
    }
}

static void lanes_forward(const snLaneData *d, snBatch *b, snLaneWork *w, const snLaneVector *rhs)
{
    Where t = points_in(b, d->t), q = points_in(b, d->q), row = rows_in(b, d->w), y = rows_in(b, d->y);
    points_solve(b, w, rhs->point, &t);
    for (int l = 0; l < SN_LANES; ++l) rows_of_points(d, &b->lane[l], t.at[l], rhs->row[l], row.at[l]);
    rows_solve(b, w, row.at, &y);
    for (int l = 0; l < SN_LANES; ++l) bodies_of_rows(d, &b->lane[l], y.at[l], b->lane[l].border);
    if (!b->nlink) return;
    for (int l = 0; l < SN_LANES; ++l) points_of_rows(d, &b->lane[l], y.at[l], q.at[l]);
    points_solve(b, w, q.at, &q);
    for (int l = 0; l < SN_LANES; ++l) {
        for (int32_t i = 0; i < q.length[l]; ++i) q.at[l][i] = t.at[l][i] - q.at[l][i];
        links_of_points(d, b, &b->lane[l], q.at[l]);
    }
}

static void lanes_backward(const snLaneData *d, snBatch *b, snLaneWork *w, const snLaneVector *rhs,
                           const snLaneVector *out)
{
    Where t = points_in(b, d->t), q = points_in(b, d->q), row = rows_in(b, d->w), y = rows_in(b, d->y);
    if (b->nlink) {
        for (int l = 0; l < SN_LANES; ++l) subtract_links(d, &b->lane[l], rhs->point[l], q.at[l]);
        points_solve(b, w, q.at, &t);
        for (int l = 0; l < SN_LANES; ++l) rows_of_points(d, &b->lane[l], t.at[l], rhs->row[l], row.at[l]);
    }
    for (int l = 0; l < SN_LANES; ++l) rows_of_bodies(d, &b->lane[l], b->lane[l].border, row.at[l]);
    rows_solve(b, w, row.at, &y);
    for (int l = 0; l < SN_LANES; ++l) points_of_rows(d, &b->lane[l], y.at[l], q.at[l]);
    points_solve(b, w, q.at, &q);
    for (int l = 0; l < SN_LANES; ++l) {
        for (int32_t i = 0; i < q.length[l]; ++i) out->point[l][i] = t.at[l][i] - q.at[l][i];
        if (b->lane[l].nown) memcpy(out->row[l], y.at[l], (size_t)b->lane[l].nown * sizeof(double));
    }
}

/* res -= A x. The blocks (i, i + k) of a point act on x by rows, for point i, and transposed, for point i + k. Vectors of
 * three are handled four wide; the fourth number is whatever comes next, and nothing made of it is used. `ahead` holds what
 * is to be taken from point i and the three after it. */
static void subtract_band(const snLaneData *d, const snLane *lane, const double *x, double *res)
{
    vd ahead[4] = {{0}};
    for (int32_t i = 0; i < lane->npoint; ++i) {
        const double *a = d->values->point_A + 36 * (int64_t)(lane->point + i);
        int32_t end = lane->npoint - i < 4 ? lane->npoint - i : 4;
        const double *xi = x + 3 * i;
        vd x0 = vd_all(xi[0]), x1 = vd_all(xi[1]), x2 = vd_all(xi[2]);
        vd sum[4] = {{0}};
        for (int32_t k = 0; k < end; ++k, a += 9) {
            vd xk = {xi[3 * k], xi[3 * k + 1], xi[3 * k + 2], 0};
            vd row0 = vd_get(a), row1 = vd_get(a + 3), row2 = vd_get(a + 6);
            sum[0] = vd_madd(row0, xk, sum[0]);
            sum[1] = vd_madd(row1, xk, sum[1]);
            sum[2] = vd_madd(row2, xk, sum[2]);
            if (k) ahead[k] = vd_madd(row2, x2, vd_madd(row1, x1, vd_madd(row0, x0, ahead[k])));
        }
        vd_transpose(sum);
        vd total = ahead[0] + ((sum[0] + sum[1]) + sum[2]);
        for (int c = 0; c < 3; ++c) res[3 * i + c] -= total[c];
        ahead[0] = ahead[1], ahead[1] = ahead[2], ahead[2] = ahead[3], ahead[3] = vd_all(0);
    }
}

static void lane_residual(const snLaneData *d, const snLane *lane, const double *f, const double *r, const double *x,
                          const double *y, double *res_f, double *res_r)
{
    const snKktValues *v = d->values;
    subtract_links(d, lane, f, res_f);
    subtract_band(d, lane, x, res_f);
    memset(lane->border2, 0, (size_t)(6 * lane->nslot) * sizeof *lane->border2);
    for (int32_t i = 0; i < lane->nown; ++i) {
        int32_t row = lane->own + i, slot = d->own_slot[row];
        res_r[i] = 0;
        if (!v->own_on[row]) continue;
        part_add(&v->own[row], -y[i], res_f);
        res_r[i] = r[i] - part_dot(&v->own[row], x) + v->own_D[row] * y[i];
        if (slot < 0) continue;
        res_r[i] -= wrench_dot(v->own_J + 6 * (int64_t)row, lane->border + 6 * slot);
        wrench_add(v->own_J + 6 * (int64_t)row, y[i], lane->border2 + 6 * slot);
    }
}

static void lanes_residual(const snLaneData *d, snBatch *b, const snLaneVector *rhs, const snLaneVector *x,
                           const snLaneVector *res)
{
    for (int l = 0; l < SN_LANES; ++l)
        if (b->lane[l].strand >= 0)
            lane_residual(d, &b->lane[l], rhs->point[l], rhs->row[l], x->point[l], x->row[l], res->point[l], res->row[l]);
}
