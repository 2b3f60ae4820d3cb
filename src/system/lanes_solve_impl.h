/* The solves of lanes.h. Included after lanes_impl.h by the file of each instruction set.
 *
 * Only the triangular solves run across the lanes. What has to do with single rows runs along the strand: inside the
 * solver a point takes four numbers, the fourth without meaning, so that it is one vector; and what successive rows add
 * to the same points or to the same body stays in registers until the next points or body. */

/* Between the strands' own arrays and lanes. ---------------------------------------------------------------------- */

VD_INLINE vd get_point(const double *a, int32_t stride, bool last)
{
    if (stride == 4 || !last) return vd_get(a);
    return (vd){a[0], a[1], a[2], 0};
}

/* How many points all four lanes have, the last point of a strand not counted: it may not be loaded four wide. */
static int32_t common_points(const snBatch *b, double *const of[SN_LANES])
{
    int32_t common = b->npoint;
    for (int l = 0; l < SN_LANES; ++l) {
        int32_t n = of[l] ? b->lane[l].npoint - 1 : 0;
        if (n < common) common = n;
    }
    return common > 0 ? common : 0;
}

/* x[3 i + c] from the points of each lane; zeros after a strand's end, and for NULL. Vectors in x are `count` apart, as
 * many as are solved for side by side. */
VD_INLINE void gather_points(const snBatch *b, double *const from[SN_LANES], int32_t stride, vd *x, int count)
{
    int32_t i = 0, common = common_points(b, from);
    for (; i < common; ++i, x += 3 * count) {
        vd r[4];
        for (int l = 0; l < SN_LANES; ++l) r[l] = vd_get(from[l] + stride * i);
        vd_transpose(r);
        x[0] = r[0], x[count] = r[1], x[2 * count] = r[2];
    }
    for (; i < b->npoint; ++i, x += 3 * count) {
        vd r[4];
        for (int l = 0; l < SN_LANES; ++l) {
            int32_t n = b->lane[l].npoint;
            r[l] = from[l] && i < n ? get_point(from[l] + stride * i, stride, i == n - 1) : vd_all(0);
        }
        vd_transpose(r);
        x[0] = r[0], x[count] = r[1], x[2 * count] = r[2];
    }
}

VD_INLINE void scatter_points(const snBatch *b, const vd *x, int count, vd *const to[SN_LANES])
{
    int32_t n[SN_LANES], all = b->npoint;
    for (int l = 0; l < SN_LANES; ++l) n[l] = b->lane[l].npoint, all = n[l] < all ? n[l] : all;
    for (int32_t i = 0; i < b->npoint; ++i, x += 3 * count) {
        vd r[4] = {x[0], x[count], x[2 * count], vd_all(0)};
        vd_transpose(r);
        for (int l = 0; l < SN_LANES; ++l)
            if (i < all || i < n[l]) to[l][i] = r[l];
    }
}

VD_INLINE vd get_some(const double *a, int32_t count)
{
    if (count >= 4) return vd_get(a);
    return (vd){count > 0 ? a[0] : 0, count > 1 ? a[1] : 0, count > 2 ? a[2] : 0, 0};
}

static inline void put_some(double *a, int32_t count, vd x)
{
    if (count >= 4)
        vd_put(a, x);
    else
        for (int32_t i = 0; i < count; ++i) a[i] = x[i];
}

VD_INLINE void gather_rows(const snBatch *b, double *const from[SN_LANES], vd *x, int count)
{
    for (int32_t i = 0; i < 4 * b->nrowgroup; i += 4, x += 4 * count) {
        vd r[4];
        for (int l = 0; l < SN_LANES; ++l) r[l] = get_some(from[l] + i, b->lane[l].nown - i);
        vd_transpose(r);
        for (int a = 0; a < 4; ++a) x[a * count] = r[a];
    }
}

VD_INLINE void scatter_rows(const snBatch *b, const vd *x, int count, double *const to[SN_LANES])
{
    for (int32_t i = 0; i < 4 * b->nrowgroup; i += 4, x += 4 * count) {
        vd r[4] = {x[0], x[count], x[2 * count], x[3 * count]};
        vd_transpose(r);
        for (int l = 0; l < SN_LANES; ++l) put_some(to[l] + i, b->lane[l].nown - i, r[l]);
    }
}

/* Triangular solves across the lanes, for `count` right-hand sides side by side, one or two. ---------------------- */

/* One point of the forward solve, with `reach` points before it; near holds the solutions of the three before, the
 * last first. They stay in registers: the solve waits for each point's predecessor, and by way of memory it waits
 * longer. */
VD_INLINE void forward_point(const vd *L, int reach, vd near[9], vd *x)
{
    vd a = x[0], b = x[1], c = x[2];
    for (int far = reach; far > 0; --far) {
        const vd *p = L + 6 + 9 * (far - 1), *y = near + 3 * (far - 1);
        for (int k = 0; k < 3; ++k) {
            a = vd_nmadd(p[k], y[k], a);
            b = vd_nmadd(p[3 + k], y[k], b);
            c = vd_nmadd(p[6 + k], y[k], c);
        }
    }
    for (int k = 8; k >= 3; --k) near[k] = near[k - 3];
    near[0] = x[0] = a * L[0];
    near[1] = x[1] = vd_madd(b, L[2], a * L[1]);
    near[2] = x[2] = vd_madd(c, L[5], vd_madd(b, L[4], a * L[3]));
}

static void band_forward(const vd *L, int32_t n, vd *x)
{
    vd near[9] = {{0}};
    if (n > 0) forward_point(L, 0, near, x);
    if (n > 1) forward_point(L + SN_BAND, 1, near, x + 3);
    if (n > 2) forward_point(L + 2 * SN_BAND, 2, near, x + 6);
    for (int32_t i = 3; i < n; ++i) forward_point(L + SN_BAND * i, 3, near, x + 3 * i);
}

/* The same backwards, with `reach` points after it. */
VD_INLINE void backward_point(const vd *t, int reach, vd near[9], vd *x)
{
    vd a = x[0], b = x[1], c = x[2];
    for (int far = reach; far > 0; --far) {
        const vd *p = t + SN_BAND * far + 6 + 9 * (far - 1), *z = near + 3 * (far - 1);
        for (int k = 0; k < 3; ++k) {
            a = vd_nmadd(p[3 * k], z[k], a);
            b = vd_nmadd(p[3 * k + 1], z[k], b);
            c = vd_nmadd(p[3 * k + 2], z[k], c);
        }
    }
    for (int k = 8; k >= 3; --k) near[k] = near[k - 3];
    near[0] = x[0] = vd_madd(a, t[0], vd_madd(b, t[1], c * t[3]));
    near[1] = x[1] = vd_madd(b, t[2], c * t[4]);
    near[2] = x[2] = c * t[5];
}

static void band_backward(const vd *L, int32_t n, vd *x)
{
    vd near[9] = {{0}};
    if (n > 0) backward_point(L + SN_BAND * (n - 1), 0, near, x + 3 * (n - 1));
    if (n > 1) backward_point(L + SN_BAND * (n - 2), 1, near, x + 3 * (n - 2));
    if (n > 2) backward_point(L + SN_BAND * (n - 3), 2, near, x + 3 * (n - 3));
    for (int32_t i = n - 4; i >= 0; --i) backward_point(L + SN_BAND * i, 3, near, x + 3 * i);
}

/* The same for two right-hand sides, interleaved. What is loaded of L serves both, and neither waits for the other, so
 * that their solutions may go by way of memory: sixteen registers would not hold them. */
VD_INLINE void forward_two_points(const vd *L, int reach, vd *x)
{
    vd a[2] = {x[0], x[1]}, b[2] = {x[2], x[3]}, c[2] = {x[4], x[5]};
    for (int far = reach; far > 0; --far) {
        const vd *p = L + 6 + 9 * (far - 1), *y = x - 6 * far;
        for (int k = 0; k < 3; ++k, y += 2) {
            vd p0 = vd_keep(p[k]), p1 = vd_keep(p[3 + k]), p2 = vd_keep(p[6 + k]);
            for (int r = 0; r < 2; ++r) {
                a[r] = vd_nmadd(p0, y[r], a[r]);
                b[r] = vd_nmadd(p1, y[r], b[r]);
                c[r] = vd_nmadd(p2, y[r], c[r]);
            }
        }
    }
    for (int r = 0; r < 2; ++r) {
        x[r] = a[r] * L[0];
        x[2 + r] = vd_madd(b[r], L[2], a[r] * L[1]);
        x[4 + r] = vd_madd(c[r], L[5], vd_madd(b[r], L[4], a[r] * L[3]));
    }
}

static void band_forward_two(const vd *L, int32_t n, vd *x)
{
    if (n > 0) forward_two_points(L, 0, x);
    if (n > 1) forward_two_points(L + SN_BAND, 1, x + 6);
    if (n > 2) forward_two_points(L + 2 * SN_BAND, 2, x + 12);
    for (int32_t i = 3; i < n; ++i) forward_two_points(L + SN_BAND * i, 3, x + 6 * i);
}

VD_INLINE void backward_two_points(const vd *t, int reach, vd *x)
{
    vd a[2] = {x[0], x[1]}, b[2] = {x[2], x[3]}, c[2] = {x[4], x[5]};
    for (int far = reach; far > 0; --far) {
        const vd *p = t + SN_BAND * far + 6 + 9 * (far - 1), *z = x + 6 * far;
        for (int k = 0; k < 3; ++k, z += 2) {
            vd p0 = vd_keep(p[3 * k]), p1 = vd_keep(p[3 * k + 1]), p2 = vd_keep(p[3 * k + 2]);
            for (int r = 0; r < 2; ++r) {
                a[r] = vd_nmadd(p0, z[r], a[r]);
                b[r] = vd_nmadd(p1, z[r], b[r]);
                c[r] = vd_nmadd(p2, z[r], c[r]);
            }
        }
    }
    for (int r = 0; r < 2; ++r) {
        x[r] = vd_madd(a[r], t[0], vd_madd(b[r], t[1], c[r] * t[3]));
        x[2 + r] = vd_madd(b[r], t[2], c[r] * t[4]);
        x[4 + r] = c[r] * t[5];
    }
}

static void band_backward_two(const vd *L, int32_t n, vd *x)
{
    if (n > 0) backward_two_points(L + SN_BAND * (n - 1), 0, x + 6 * (n - 1));
    if (n > 1) backward_two_points(L + SN_BAND * (n - 2), 1, x + 6 * (n - 2));
    if (n > 2) backward_two_points(L + SN_BAND * (n - 3), 2, x + 6 * (n - 3));
    for (int32_t i = n - 4; i >= 0; --i) backward_two_points(L + SN_BAND * i, 3, x + 6 * i);
}

/* One group of four rows, the sums over the groups before it in s. */
VD_INLINE void triangle_forward(const vd *R, const vd s[4], vd *y, int count)
{
    y[0] = s[0] * R[0];
    y[count] = vd_madd(s[1], R[5], s[0] * R[1]);
    y[2 * count] = vd_madd(s[2], R[10], vd_madd(s[1], R[6], s[0] * R[2]));
    y[3 * count] = vd_madd(s[3], R[15], s[2] * R[11]) + vd_madd(s[1], R[7], s[0] * R[3]);
}

VD_INLINE void rows_forward(const vd *R, int32_t ngroup, vd *x, int count)
{
    for (int32_t i = 0; i < ngroup; ++i) {
        vd *y = x + 4 * count * i, s[2][4], z[2][4];
        for (int r = 0; r < count; ++r)
            for (int a = 0; a < 4; ++a) s[r][a] = y[a * count + r], z[r][a] = vd_all(0);
        const vd *k = x;
        for (int32_t rest = 4 * i; rest > 0; rest -= 2, R += 8, k += 2 * count)
            for (int r = 0; r < count; ++r)
                for (int a = 0; a < 4; ++a) {
                    s[r][a] = vd_nmadd(R[a], k[r], s[r][a]);
                    z[r][a] = vd_nmadd(R[4 + a], k[count + r], z[r][a]);
                }
        for (int r = 0; r < count; ++r) {
            for (int a = 0; a < 4; ++a) s[r][a] += z[r][a];
            triangle_forward(R, s[r], y + r, count);
        }
        R += 16;
    }
}

VD_INLINE void triangle_backward(const vd *t, vd *s, int count)
{
    vd s0 = s[0], s1 = s[count], s2 = s[2 * count], s3 = s[3 * count];
    s[0] = vd_madd(s0, t[0], s1 * t[1]) + vd_madd(s2, t[2], s3 * t[3]);
    s[count] = vd_madd(s1, t[5], vd_madd(s2, t[6], s3 * t[7]));
    s[2 * count] = vd_madd(s2, t[10], s3 * t[11]);
    s[3 * count] = s3 * t[15];
}

VD_INLINE void rows_backward(const vd *R, int32_t ngroup, vd *x, int count)
{
    for (int32_t i = ngroup - 1; i >= 0; --i) {
        const vd *p = R + row_panel(i);
        vd *y = x + 4 * count * i, s[2][4], *k = x;
        for (int r = 0; r < count; ++r) {
            triangle_backward(p + 16 * i, y + r, count);
            for (int a = 0; a < 4; ++a) s[r][a] = y[a * count + r];
        }
        for (int32_t rest = 4 * i; rest > 0; --rest, p += 4, k += count)
            for (int r = 0; r < count; ++r) {
                vd a = vd_nmadd(p[1], s[r][1], vd_nmadd(p[0], s[r][0], k[r]));
                k[r] = vd_nmadd(p[3], s[r][3], vd_nmadd(p[2], s[r][2], a));
            }
    }
}

/* The scratch of the lanes of a batch. */
typedef struct Lanes {
    vd *t[SN_LANES], *q[SN_LANES];
    double *w[SN_LANES], *y[SN_LANES];
} Lanes;

static Lanes lanes_scratch(const snLaneData *d, const snBatch *b)
{
    Lanes s;
    for (int l = 0; l < SN_LANES; ++l) {
        s.t[l] = lanes_of(d->t) + b->lane[l].point;
        s.q[l] = lanes_of(d->q) + b->lane[l].point;
        s.w[l] = d->w + b->lane[l].own;
        s.y[l] = d->y + b->lane[l].own;
    }
    return s;
}

/* x = A^-1 x */
VD_INLINE void points_solve(const snBatch *b, vd *x, int count)
{
    const vd *L = lanes_of(b->L);
    if (count == 1)
        band_forward(L, b->npoint, x), band_backward(L, b->npoint, x);
    else
        band_forward_two(L, b->npoint, x), band_backward_two(L, b->npoint, x);
}

/* to = A^-1 to */
static void points_solve_own(const snBatch *b, const snLaneWork *w, vd *const to[SN_LANES])
{
    double *const from[SN_LANES] = {(double *)to[0], (double *)to[1], (double *)to[2], (double *)to[3]};
    vd *x = lanes_of(w->x);
    gather_points(b, from, 4, x, 1);
    points_solve(b, x, 1);
    scatter_points(b, x, 1, to);
}

/* The numbers of link column i in the lanes' borders; zero where a lane has no such column. */
static vd link_numbers(const snBatch *b, int32_t i)
{
    vd x = vd_all(0);
    for (int l = 0; l < SN_LANES; ++l)
        if (i < b->lane[l].nlink) x[l] = b->lane[l].border[6 * b->nslot + i];
    return x;
}

/* w -= C' (links), for all lanes */
static void subtract_links_from_rows(const snBatch *b, vd *w)
{
    const vd *C = lanes_of(b->C);
    for (int32_t i = 0; i < b->nlink; ++i) {
        vd f = link_numbers(b, i);
        for (int32_t r = 0; r < 4 * b->nrowgroup; ++r, ++C) w[r] = vd_nmadd(*C, f, w[r]);
    }
}

/* The links' part of the borders -= C y, the vectors of y `count` apart */
static void subtract_rows_from_links(const snBatch *b, const vd *y, int count, double *const border[SN_LANES])
{
    const vd *C = lanes_of(b->C);
    for (int32_t i = 0; i < b->nlink; ++i) {
        vd sum[2] = {vd_all(0), vd_all(0)};
        for (int32_t r = 0; r < 4 * b->nrowgroup; r += 2, C += 2) {
            sum[0] = vd_madd(C[0], y[r * count], sum[0]);
            sum[1] = vd_madd(C[1], y[(r + 1) * count], sum[1]);
        }
        sum[0] += sum[1];
        for (int l = 0; l < SN_LANES; ++l)
            if (i < b->lane[l].nlink) border[l][6 * b->nslot + i] -= sum[0][l];
    }
}

/* x = S^-1 x */
VD_INLINE void rows_solve(const snBatch *b, vd *x, int count)
{
    rows_forward(lanes_of(b->R), b->nrowgroup, x, count);
    rows_backward(lanes_of(b->R), b->nrowgroup, x, count);
}

/* Rows along the strand. ------------------------------------------------------------------------------------------ */

/* The direction of a part, with zero for its fourth number. */
VD_INLINE vd part_direction(const snKktPart *part)
{
    const vmask three = {-1, -1, -1, 0};
    return (vd)((vmask)vd_get((const double *)(const void *)part + 4) & three);
}

static inline double part_dot(const snKktPart *part, const vd *point)
{
    const vd *x = point + part->span;
    vd s = vd_madd(vd_all(part->b[1]), x[1], vd_all(part->b[0]) * x[0]);
    vd t = vd_madd(vd_all(part->b[3]), x[3], vd_all(part->b[2]) * x[2]);
    vd product = (s + t) * part_direction(part);
    return (product[0] + product[2]) + product[1];
}

static inline void part_add(const snKktPart *part, double y, vd *point)
{
    vd f = part_direction(part) * vd_all(y);
    for (int k = 0; k < 4; ++k) point[part->span + k] = vd_madd(vd_all(part->b[k]), f, point[part->span + k]);
}

/* w = G t - r, zero for rows that are off */
static void rows_of_points(const snLaneData *d, const snLane *lane, const vd *t, const double *r, double *w)
{
    for (int32_t i = 0; i < lane->nown; ++i) {
        int32_t row = lane->own + i;
        w[i] = d->values->own_on[row] ? part_dot(&d->values->own[row], t) - (r ? r[i] : 0) : 0;
    }
}

/* q += sign G' y */
static void add_rows_to_points(const snLaneData *d, const snLane *lane, const double *y, double sign, vd *q)
{
    vd sum[4];
    int32_t span = 0;
    if (lane->nown == 0) return;
    vd_clear(sum, 4);
    for (int32_t i = 0; i < lane->nown; ++i) {
        const snKktPart *part = &d->values->own[lane->own + i];
        if (!d->values->own_on[lane->own + i]) continue;
        if (part->span != span) {
            for (int k = 0; k < 4; ++k) q[span + k] += sum[k], sum[k] = vd_all(0);
            span = part->span;
        }
        vd f = part_direction(part) * vd_all(sign * y[i]);
        for (int k = 0; k < 4; ++k) sum[k] = vd_madd(vd_all(part->b[k]), f, sum[k]);
    }
    for (int k = 0; k < 4; ++k) q[span + k] += sum[k];
}

/* The last two of six numbers, in the upper half of a vector. */
VD_INLINE vd upper_two(const double *x)
{
    return (vd){0, 0, x[4], x[5]};
}

static inline void flush_body(double *border, vd low, vd high)
{
    vd_put(border, vd_get(border) + low);
    border[4] += high[2];
    border[5] += high[3];
}

/* border = J' y */
static void bodies_of_rows(const snLaneData *d, const snLane *lane, const double *y, double *border)
{
    vd low = {0}, high = {0};
    int32_t current = -1;
    for (int32_t i = 0; i < 6 * lane->nslot; ++i) border[i] = 0;
    for (int32_t i = 0; i < lane->nown; ++i) {
        int32_t row = lane->own + i, slot = d->own_slot[row];
        const double *J = d->values->own_J + 6 * (int64_t)row;
        if (slot < 0 || !d->values->own_on[row]) continue;
        if (slot != current) {
            if (current >= 0) flush_body(border + 6 * current, low, high);
            low = high = vd_all(0);
            current = slot;
        }
        low = vd_madd(vd_get(J), vd_all(y[i]), low);
        high = vd_madd(vd_get(J + 2), vd_all(y[i]), high);
    }
    if (current >= 0) flush_body(border + 6 * current, low, high);
}

/* w += sign J border */
static void add_bodies_to_rows(const snLaneData *d, const snLane *lane, const double *border, double sign, double *w)
{
    vd low = {0}, high = {0};
    int32_t current = -1;
    for (int32_t i = 0; i < lane->nown; ++i) {
        int32_t row = lane->own + i, slot = d->own_slot[row];
        const double *J = d->values->own_J + 6 * (int64_t)row;
        if (slot < 0 || !d->values->own_on[row]) continue;
        if (slot != current) {
            current = slot;
            low = vd_get(border + 6 * slot);
            high = upper_two(border + 6 * slot);
        }
        w[i] += sign * vd_sum(vd_madd(vd_get(J + 2), high, vd_get(J) * low));
    }
}

/* What the link columns of the border see of x. */
static void links_of_points(const snLaneData *d, const snBatch *b, const snLane *lane, const vd *x, double *border)
{
    for (int32_t i = 0; i < lane->nlink; ++i) border[6 * b->nslot + i] = 0;
    for (int32_t p = 0; p < lane->nlinkpart; ++p) {
        const snLinkPart *link = &lane->linkpart[p];
        if (d->values->link_on[link->link]) border[link->column] += part_dot(&d->values->part[link->part], x);
    }
}

/* q += sign (link columns) border */
static void add_links_to_points(const snLaneData *d, const snLane *lane, double sign, vd *q)
{
    for (int32_t p = 0; p < lane->nlinkpart; ++p) {
        const snLinkPart *link = &lane->linkpart[p];
        if (d->values->link_on[link->link])
            part_add(&d->values->part[link->part], sign * lane->border[link->column], q);
    }
}

/* The three functions of the table. ------------------------------------------------------------------------------- */

/* to = A^-1 (G' y + what the link rows' multipliers, in the borders, give to the points) */
static void points_of_rows(const snLaneData *d, const snBatch *b, const snLaneWork *w, double *const y[SN_LANES],
                           vd *const to[SN_LANES])
{
    for (int l = 0; l < SN_LANES; ++l) {
        vd_clear(to[l], b->lane[l].npoint);
        add_rows_to_points(d, &b->lane[l], y[l], 1, to[l]);
        add_links_to_points(d, &b->lane[l], 1, to[l]);
    }
    points_solve_own(b, w, to);
}

/* For each of `count` right-hand sides its own scratch and borders. */
VD_INLINE void forward_several(const snLaneData *d, const snBatch *b, const snLaneWork *w, const snLaneVector *rhs,
                               double *const border[][SN_LANES], int count)
{
    Lanes s[2];
    vd *x = lanes_of(w->x), *y = lanes_of(w->row);
    for (int r = 0; r < count; ++r) gather_points(b, rhs[r].point, rhs[r].stride, x + r, count);
    points_solve(b, x, count);
    for (int r = 0; r < count; ++r) {
        s[r] = lanes_scratch(&d[r], b);
        scatter_points(b, x + r, count, s[r].t);
        for (int l = 0; l < SN_LANES; ++l) rows_of_points(&d[r], &b->lane[l], s[r].t[l], rhs[r].row[l], s[r].w[l]);
        gather_rows(b, s[r].w, y + r, count);
    }
    rows_solve(b, y, count);
    for (int r = 0; r < count; ++r) {
        scatter_rows(b, y + r, count, s[r].y);
        for (int l = 0; l < SN_LANES; ++l) {
            bodies_of_rows(&d[r], &b->lane[l], s[r].y[l], border[r][l]);
            links_of_points(&d[r], b, &b->lane[l], s[r].t[l], border[r][l]);
        }
        subtract_rows_from_links(b, y + r, count, border[r]);
    }
}

static void lanes_forward(const snLaneData *d, snBatch *b, snLaneWork *w, const snLaneVector *rhs)
{
    double *const border[1][SN_LANES] = {{b->lane[0].border, b->lane[1].border, b->lane[2].border, b->lane[3].border}};
    forward_several(d, b, w, rhs, border, 1);
}

static void lanes_forward_two(const snLaneData d[2], const snBatch *b, snLaneWork *w, const snLaneVector rhs[2],
                              double *const border[2][SN_LANES])
{
    forward_several(d, b, w, rhs, border, 2);
}

static void lanes_backward(const snLaneData *d, snBatch *b, snLaneWork *w, const snLaneVector *out)
{
    Lanes s = lanes_scratch(d, b);
    for (int l = 0; l < SN_LANES; ++l) add_bodies_to_rows(d, &b->lane[l], b->lane[l].border, 1, s.w[l]);
    vd *y = lanes_of(w->row);
    gather_rows(b, s.w, y, 1);
    subtract_links_from_rows(b, y);
    rows_solve(b, y, 1);
    scatter_rows(b, y, 1, out->row);
    points_of_rows(d, b, w, out->row, s.q);
    for (int l = 0; l < SN_LANES; ++l) {
        vd *x = lanes_of(out->point[l]);
        for (int32_t i = 0; i < b->lane[l].npoint; ++i) x[i] = s.t[l][i] - s.q[l][i];
    }
}

/* res -= A x. The blocks (i, i + k) of a point act on x by rows, for point i, and transposed, for point i + k. The
 * fourth numbers of their rows are whatever comes next, and nothing made of them is used. `ahead` holds what is to be
 * taken from point i and the three after it. */
static void subtract_band(const snLaneData *d, const snLane *lane, const vd *x, vd *res)
{
    vd ahead[4] = {{0}};
    for (int32_t i = 0; i < lane->npoint; ++i) {
        const double *a = d->values->point_A + 36 * (int64_t)(lane->point + i);
        int32_t end = lane->npoint - i < 4 ? lane->npoint - i : 4;
        vd x0 = vd_all(x[i][0]), x1 = vd_all(x[i][1]), x2 = vd_all(x[i][2]), sum[4] = {{0}};
        for (int32_t k = 0; k < end; ++k, a += 9) {
            vd row0 = vd_get(a), row1 = vd_get(a + 3), row2 = vd_get(a + 6);
            sum[0] = vd_madd(row0, x[i + k], sum[0]);
            sum[1] = vd_madd(row1, x[i + k], sum[1]);
            sum[2] = vd_madd(row2, x[i + k], sum[2]);
            if (k) ahead[k] = vd_madd(row2, x2, vd_madd(row1, x1, vd_madd(row0, x0, ahead[k])));
        }
        vd_transpose(sum);
        res[i] -= ahead[0] + ((sum[0] + sum[1]) + sum[2]);
        ahead[0] = ahead[1], ahead[1] = ahead[2], ahead[2] = ahead[3], ahead[3] = vd_all(0);
    }
}

/* The larger of two vectors, number by number. */
VD_INLINE vd vd_larger(vd a, vd b)
{
    vmask take = a > b;
    return (vd)(((vmask)a & take) | ((vmask)b & ~take));
}

VD_INLINE vd vd_magnitude(vd a)
{
    const vmask sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    return (vd)((vmask)a & ~sign);
}

/* The largest magnitude of the points; their fourth numbers have no meaning. */
static double largest_point(const vd *x, int32_t n)
{
    vd most = vd_all(0);
    for (int32_t i = 0; i < n; ++i) most = vd_larger(vd_magnitude(x[i]), most);
    double a = most[0] > most[1] ? most[0] : most[1];
    return a > most[2] ? a : most[2];
}

static double largest_row(const double *x, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i) most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

static double lanes_residual(const snLaneData *d, snBatch *b, const snLaneVector *rhs, const snLaneVector *x,
                             const snLaneVector *res, double *size)
{
    double off = 0;
    *size = 0;
    for (int l = 0; l < SN_LANES; ++l) {
        const snLane *lane = &b->lane[l];
        const double *r = rhs->row[l], *y = x->row[l], *D = d->values->own_D + lane->own;
        vd *point = lanes_of(x->point[l]), *out = lanes_of(res->point[l]);
        double *row = res->row[l];
        if (lane->strand < 0) continue;
        for (int32_t i = 0; i < lane->npoint; ++i)
            out[i] = get_point(rhs->point[l] + rhs->stride * i, rhs->stride, i == lane->npoint - 1);
        *size = fmax(*size, largest_point(out, lane->npoint));
        add_links_to_points(d, lane, -1, out);
        subtract_band(d, lane, point, out);
        add_rows_to_points(d, lane, y, -1, out);
        rows_of_points(d, lane, point, r, row);
        for (int32_t i = 0; i < lane->nown; ++i) row[i] = d->values->own_on[lane->own + i] ? D[i] * y[i] - row[i] : 0;
        add_bodies_to_rows(d, lane, lane->border, -1, row);
        bodies_of_rows(d, lane, y, lane->border2);
        off = fmax(off, fmax(largest_point(out, lane->npoint), largest_row(row, lane->nown)));
    }
    return off;
}
