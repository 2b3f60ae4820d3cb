/* The solves of lanes.h. Included after lanes_triangle_impl.h by the file of each instruction set.
 *
 * Only the triangular solves run across the lanes. What has to do with single rows runs along the strand: inside the
 * solver a point takes four numbers, the fourth without meaning, so that it is one vector; and what successive rows add
 * to the same points or to the same body stays in registers until the next points or body. */

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
