/* The triangular solves of lanes.h across the lanes, for `count` right-hand sides side by side, one or two: with the
 * band of the strands, and with the factors of their rows. Included between lanes_impl.h and lanes_solve_impl.h by the
 * file of each instruction set. */

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

/* The solves. ------------------------------------------------------------------------------------------------------ */

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
