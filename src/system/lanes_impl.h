/* The arithmetic of lanes.h, for the vector type vd and its operations that the including file defines: what is common,
 * and the factorisation. Loops over the lanes themselves occur only where strands differ: in gathering, in the rows'
 * spans, in the bodies they touch.
 *
 * Triangles on the diagonal, of 3 x 3 in L and of 4 x 4 in R, are stored inverted: the solves then wait for two or
 * three products in a row instead of a division's worth for each unknown. */
#include <string.h>

enum { TILE_COLUMNS = 2 }; /* of sixteen registers; with half of them it is no faster to take fewer */

VD_INLINE vmask vd_is_pivot(vd a)
{
    return (a > 0) & (a < (double)INFINITY);
}
/* The root and the inverse do not wait for each other. */
VD_INLINE vd vd_inverse_sqrt(vd a)
{
    return vd_sqrt(a) * (1 / a);
}
VD_INLINE vd *lanes_of(double *a)
{
    return (vd *)(void *)a;
}

/* Not memcpy and memset: for a few vectors those become slow string instructions. */
static inline void vd_copy(vd *to, const vd *from, int count)
{
    for (int i = 0; i < count; ++i) to[i] = from[i];
}

static inline void vd_clear(vd *x, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) x[i] = vd_all(0);
}

/* A = L L', blocks of 3 x 3 in a band of three below the diagonal. ------------------------------------------------ */

/* Where entry e of the 36 numbers of point i goes in L, counted from point i; -1: the other half of the diagonal. */
static const int16_t band_place[36] = {0,   -1,  -1,  1,   2,   -1,  3,   4,   5, /* block (i, i) */
                                       39,  42,  45,  40,  43,  46,  41,  44,  47,
                                       81,  84,  87,  82,  85,  88,  83,  86,  89,   /* i + 1, i + 2 */
                                       123, 126, 129, 124, 127, 130, 125, 128, 131}; /* i + 3 */

/* The 36 numbers of a point, with what reaches beyond the strand's end zero, and identity after the end. */
static const double *point_numbers(const snLaneData *d, const snBatch *b, const snLane *lane, int32_t i,
                                   double copy[36])
{
    static const double identity[36] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (i >= lane->npoint) return identity;
    const double *a = d->values->point_A + 36 * (int64_t)(lane->point + i);
    if (i + 3 < lane->npoint || lane->npoint == b->npoint) return a; /* pack_band stops at the end of the batch */
    memset(copy, 0, 36 * sizeof *copy);
    memcpy(copy, a, 9 * (size_t)(lane->npoint - i) * sizeof *copy);
    return copy;
}

/* Four numbers of each lane into their places in L. */
VD_INLINE void pack_four(const double *const a[SN_LANES], int e, int count, vd *L)
{
    vd r[4] = {vd_get(a[0] + e), vd_get(a[1] + e), vd_get(a[2] + e), vd_get(a[3] + e)};
    vd_transpose(r);
    for (int k = 0; k < 4; ++k)
        if (band_place[e + k] >= 0 && e + k < count) L[band_place[e + k]] = r[k];
}

static void pack_band(const snLaneData *d, const snBatch *b, vd *L)
{
    double copy[SN_LANES][36];
    for (int32_t i = 0; i < b->npoint; ++i, L += SN_BAND) {
        const double *a[SN_LANES];
        for (int l = 0; l < SN_LANES; ++l) a[l] = point_numbers(d, b, &b->lane[l], i, copy[l]);
        int reach = b->npoint - i;
        if (reach > 3) { /* with constant places: the loop that is nearly all of it */
#pragma GCC unroll 9
            for (int e = 0; e < 36; e += 4) pack_four(a, e, 36, L);
        } else {
            for (int e = 0; e < 36; e += 4) pack_four(a, e, 9 * reach, L);
        }
    }
}

VD_INLINE vd *band_block(vd *point, int32_t distance)
{
    return point + 6 + 9 * (distance - 1);
}

/* x -= p q' for blocks */
static inline void block_subtract(vd x[9], const vd *p, const vd *q)
{
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) x[3 * i + j] = vd_nmadd(p[3 * i + c], q[3 * j + c], x[3 * i + j]);
}

/* x = x T^-T for the triangle T of a point, t its inverse */
static inline void block_divide(vd x[9], const vd *t)
{
    for (int i = 0; i < 3; ++i) {
        vd *r = x + 3 * i;
        r[2] = vd_madd(r[2], t[5], vd_madd(r[1], t[4], r[0] * t[3]));
        r[1] = vd_madd(r[1], t[2], r[0] * t[1]);
        r[0] = r[0] * t[0];
    }
}

/* The inverse of the Cholesky factor of a symmetric 3 x 3 block. */
VD_INLINE vmask triangle_factor(vd t[6])
{
    vmask ok = vd_is_pivot(t[0]);
    vd i0 = vd_inverse_sqrt(t[0]), l10 = t[1] * i0, l20 = t[3] * i0;
    vd d1 = vd_nmadd(l10, l10, t[2]);
    ok &= vd_is_pivot(d1);
    vd i1 = vd_inverse_sqrt(d1), l21 = vd_nmadd(l20, l10, t[4]) * i1;
    vd d2 = vd_nmadd(l21, l21, vd_nmadd(l20, l20, t[5]));
    ok &= vd_is_pivot(d2);
    vd i2 = vd_inverse_sqrt(d2);
    t[0] = i0, t[2] = i1, t[5] = i2;
    t[1] = -(l10 * i0) * i1;
    t[4] = -(l21 * i1) * i2;
    t[3] = -vd_madd(l20, i0, l21 * t[1]) * i2;
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
            vd_copy(x, block, 9);
            for (int32_t far = reach; far > near; --far)
                block_subtract(x, band_block(point, far), band_block(other, far - near));
            block_divide(x, other);
            vd_copy(block, x, 9);
        }
        vd_copy(t, point, 6);
        for (int32_t far = reach; far > 0; --far) triangle_subtract(t, band_block(point, far));
        ok &= triangle_factor(t);
        vd_copy(point, t, 6);
    }
    return ok;
}

/* The points that a group of four columns touches: from first to before end. None: both npoint. */
typedef struct Reach {
    int32_t first, end;
} Reach;

/* L^-1 on a group of four columns; those of point i are at y[4 (3 (i - first) + c)]. Past their reach they count as
 * zero, whatever is there. */
static void band_forward_four(const vd *L, Reach at, int32_t n, vd *y)
{
    for (int32_t i = at.first; i < n; ++i, y += 12) {
        const vd *t = L + SN_BAND * i;
        vd x[3][4];
        for (int c = 0; c < 3; ++c)
            for (int a = 0; a < 4; ++a) x[c][a] = i < at.end ? y[4 * c + a] : vd_all(0);
        for (int32_t far = i - at.first < 3 ? i - at.first : 3; far > 0; --far) {
            const vd *p = t + 6 + 9 * (far - 1), *z = y - 12 * far;
            for (int k = 0; k < 3; ++k)
                for (int a = 0; a < 4; ++a)
                    for (int c = 0; c < 3; ++c) x[c][a] = vd_nmadd(p[3 * c + k], z[4 * k + a], x[c][a]);
        }
        for (int a = 0; a < 4; ++a) {
            y[a] = x[0][a] * t[0];
            y[4 + a] = vd_madd(x[1][a], t[2], x[0][a] * t[1]);
            y[8 + a] = vd_madd(x[2][a], t[5], vd_madd(x[1][a], t[4], x[0][a] * t[3]));
        }
    }
}

/* Rows and links into lanes. -------------------------------------------------------------------------------------- */

static inline void touch(Reach *at, int32_t span)
{
    if (span < at->first) at->first = span;
    if (span + 4 > at->end) at->end = span + 4;
}

/* The columns of G' of a group of four rows, into lanes of y, over the points that they touch. */
static Reach pack_rows(const snLaneData *d, const snBatch *b, int32_t group, vd *y)
{
    Reach at = {b->npoint, 0};
    for (int l = 0; l < SN_LANES; ++l)
        for (int32_t r = 4 * group; r < 4 * group + 4 && r < b->lane[l].nown; ++r) {
            int32_t row = b->lane[l].own + r;
            if (d->values->own_on[row]) touch(&at, d->values->own[row].span);
        }
    if (at.end == 0) return (Reach){b->npoint, b->npoint};
    vd_clear(y, 12 * (int64_t)(at.end - at.first));
    for (int l = 0; l < SN_LANES; ++l)
        for (int32_t r = 4 * group; r < 4 * group + 4 && r < b->lane[l].nown; ++r) {
            int32_t row = b->lane[l].own + r;
            if (!d->values->own_on[row]) continue;
            const snKktPart *part = &d->values->own[row];
            double *to = (double *)(y + 12 * (part->span - at.first) + (r - 4 * group)) + l;
            for (int i = 0; i < 12; ++i) to[16 * i] = part->b[i / 3] * part->n[i % 3];
        }
    return at;
}

/* The same for a group of four border columns: only link rows touch points. */
static Reach pack_links(const snLaneData *d, const snBatch *b, int32_t group, vd *u)
{
    Reach at = {b->npoint, 0};
    for (int pass = 0; pass < 2; ++pass) {
        if (pass && at.end == 0) return (Reach){b->npoint, b->npoint};
        if (pass) vd_clear(u, 12 * (int64_t)(at.end - at.first));
        for (int l = 0; l < SN_LANES; ++l)
            for (int32_t p = 0; p < b->lane[l].nlinkpart; ++p) {
                const snLinkPart *link = &b->lane[l].linkpart[p];
                const snKktPart *part = &d->values->part[link->part];
                if (link->column / 4 != group || !d->values->link_on[link->link]) continue;
                touch(&at, part->span);
                if (!pass) continue;
                double *to = (double *)(u + 12 * (part->span - at.first) + link->column % 4) + l;
                for (int i = 0; i < 12; ++i) to[16 * i] += part->b[i / 3] * part->n[i % 3];
            }
    }
    return at;
}

/* Rows and border, in tiles of 4 x 4. ---------------------------------------------------------------------------- */

/* A sum over k of products of two groups of four: plus count1 terms, minus count2 terms. */
typedef struct Products {
    const vd *p1, *q1, *p2, *q2;
    int32_t count1, count2;
} Products;

/* t[4 a + b] += for b = first .. first + TILE_COLUMNS - 1: as many sums as stay in registers. */
static inline void tile_columns(vd *t, int first, const Products *s)
{
    vd x[4][TILE_COLUMNS];
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < TILE_COLUMNS; ++b) x[a][b] = t[4 * a + first + b];
    const vd *p = s->p1, *q = s->q1 + first;
    for (int32_t k = 0; k < s->count1; ++k, p += 4, q += 4)
        for (int a = 0; a < 4; ++a) {
            vd pa = vd_keep(p[a]);
            for (int b = 0; b < TILE_COLUMNS; ++b) x[a][b] = vd_madd(pa, q[b], x[a][b]);
        }
    p = s->p2, q = s->q2 + first;
    for (int32_t k = 0; k < s->count2; ++k, p += 4, q += 4)
        for (int a = 0; a < 4; ++a) {
            vd pa = vd_keep(p[a]);
            for (int b = 0; b < TILE_COLUMNS; ++b) x[a][b] = vd_nmadd(pa, q[b], x[a][b]);
        }
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < TILE_COLUMNS; ++b) t[4 * a + first + b] = x[a][b];
}

static inline void tile_add(vd t[16], const Products *s)
{
    for (int first = 0; first < 4; first += TILE_COLUMNS) tile_columns(t, first, s);
}

/* out[4 b + a] = (t T^-T)[a][b] for the triangle T, its inverse i in tile form. */
static inline void tile_divide(const vd t[16], const vd *i, vd *out)
{
    for (int a = 0; a < 4; ++a) {
        const vd *x = t + 4 * a;
        out[a] = x[0] * i[0];
        out[4 + a] = vd_madd(x[1], i[5], x[0] * i[1]);
        out[8 + a] = vd_madd(x[2], i[10], vd_madd(x[1], i[6], x[0] * i[2]));
        out[12 + a] = vd_madd(x[3], i[15], x[2] * i[11]) + vd_madd(x[1], i[7], x[0] * i[3]);
    }
}

/* The inverse of the Cholesky factor of the symmetric tile t, in tile form: out[4 b + a] for a >= b. */
VD_INLINE vmask tile_factor(vd t[16], vd *out)
{
    vmask ok = {-1, -1, -1, -1};
    for (int b = 0; b < 4; ++b) {
        ok &= vd_is_pivot(t[5 * b]);
        vd inverse = vd_inverse_sqrt(t[5 * b]);
        out[5 * b] = inverse;
        for (int a = b + 1; a < 4; ++a) t[4 * a + b] *= inverse;
        for (int a = b + 1; a < 4; ++a)
            for (int c = b + 1; c <= a; ++c) t[4 * a + c] = vd_nmadd(t[4 * a + b], t[4 * c + b], t[4 * a + c]);
    }
    for (int b = 0; b < 4; ++b)
        for (int a = b + 1; a < 4; ++a) {
            vd sum = t[4 * a + b] * out[5 * b];
            for (int c = b + 1; c < a; ++c) sum = vd_madd(t[4 * a + c], out[4 * b + c], sum);
            out[4 * b + a] = -sum * out[5 * a];
        }
    return ok;
}

static inline int64_t row_panel(int32_t group)
{
    return 8 * (int64_t)group * (group + 1);
}

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
    return (Products){
        .p1 = p + 12 * (first - first_p), .q1 = q + 12 * (first - first_q), .count1 = 3 * (npoint - first)};
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
            if (i == j)
                row_diagonal(d, b, i, t);
            else
                vd_clear(t, 16);
            tile_add(t, &s);
            if (i == j)
                ok &= tile_factor(t, Ri + 16 * i);
            else
                tile_divide(t, Rj + 16 * j, Ri + 16 * j);
        }
    }
    return ok;
}

/* V0: minus the body sides of the rows, into lanes. V[k][a] of group g is at 16 g nrowgroup + 4 k + a. */
static void pack_wrenches(const snLaneData *d, const snBatch *b, vd *V)
{
    uint32_t panel = 16 * (uint32_t)b->nrowgroup;
    for (int32_t g = 0; g < b->nbordergroup; ++g) {
        int32_t first = 6 * b->nslot >= 4 * g + 4 ? b->first_row[g] : 0;
        vd_clear(V + (int64_t)panel * g + 16 * first, 16 * (int64_t)(b->nrowgroup - first));
    }
    for (int l = 0; l < SN_LANES; ++l)
        for (int32_t r = 0; r < b->lane[l].nown; ++r) {
            int32_t row = b->lane[l].own + r, slot = d->own_slot[row];
            if (slot < 0 || !d->values->own_on[row]) continue;
            const double *J = d->values->own_J + 6 * (int64_t)row;
            double *at = (double *)(V + 4 * r) + l;
            for (uint32_t c = 0, column = 6 * (uint32_t)slot; c < 6; ++c, ++column)
                at[4 * ((uint64_t)(column / 4) * panel + column % 4)] = -J[c];
        }
}

/* Tile (group, j) of U'Y into t, and its link columns into C. */
static void couple(const snBatch *b, const snLaneWork *w, int32_t group, int32_t j, vd t[16])
{
    const vd *Y = lanes_of(w->Y), *U = lanes_of(w->U);
    int64_t stride = 12 * (int64_t)b->npoint;
    Products s =
        point_products(U + stride * group, w->start[b->nrowgroup + group], Y + stride * j, w->start[j], b->npoint);
    s.p2 = s.q2 = s.p1;
    vd_clear(t, 16);
    tile_add(t, &s);
    for (int a = 0; a < 4; ++a) {
        int32_t column = 4 * group + a - 6 * b->nslot;
        if (column >= 0 && column < b->nlink)
            vd_copy(lanes_of(b->C) + 4 * ((int64_t)column * b->nrowgroup + j), t + 4 * a, 4);
    }
}

/* V = R^-1 (Y'U - V0), for one group of columns. */
static void border_solve(const snBatch *b, const snLaneWork *w, int32_t group, vd *V)
{
    const vd *R = lanes_of(b->R);
    bool links = w->start[b->nrowgroup + group] < b->npoint;
    int32_t first = links ? 0 : b->first_row[group];
    for (int32_t j = first; j < b->nrowgroup; ++j) {
        vd t[16];
        const vd *Rj = R + row_panel(j);
        Products s = {V, V, V + 16 * first, Rj + 16 * first, 0, 4 * (j - first)};
        if (links)
            couple(b, w, group, j, t);
        else
            vd_clear(t, 16);
        for (int k = 0; k < 4; ++k)
            for (int a = 0; a < 4; ++a) t[4 * a + k] += V[16 * j + 4 * k + a];
        tile_add(t, &s);
        tile_divide(t, Rj + 16 * j, V + 16 * j);
    }
}

/* Tile (g, h) of V'V - U'U to the strands' own blocks. */
static void store_block(const snBatch *b, int32_t g, int32_t h, vd t[16])
{
    for (int a = 0; a < 4; ++a) {
        vd_transpose(t + 4 * a);
        for (int l = 0; l < SN_LANES; ++l)
            vd_put(b->lane[l].block + row_panel(g) + 4 * a * (g + 1) + 4 * h, t[4 * a + l]);
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
        Products s = {
            V + panel * g + 16 * first, V + panel * h + 16 * first, u.p1, u.q1, 4 * (b->nrowgroup - first), u.count1};
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
        Reach at = pack_rows(d, b, g, Y + stride * g);
        w->start[g] = at.first;
        band_forward_four(L, at, b->npoint, Y + stride * g);
    }
    ok &= rows_factor(d, b, w);
    pack_wrenches(d, b, V);
    vd_clear(lanes_of(b->C), 4 * (int64_t)b->nlink * b->nrowgroup);
    for (int32_t g = 0; g < b->nbordergroup; ++g) {
        int32_t *start = &w->start[b->nrowgroup + g];
        *start = b->npoint;
        if (b->nlink && 4 * g + 4 > 6 * b->nslot) {
            Reach at = pack_links(d, b, g, U + stride * g);
            *start = at.first;
            band_forward_four(L, at, b->npoint, U + stride * g);
        }
        border_solve(b, w, g, V + 16 * (int64_t)g * b->nrowgroup);
        border_products(b, w, g, V);
    }
    b->bad = 0;
    for (unsigned l = 0; l < SN_LANES; ++l) b->bad |= ok[l] ? 0u : 1u << l;
}
