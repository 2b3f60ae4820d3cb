/* Second derivatives of path lengths by joint coordinates, in closed form.
 *
 * Between two points without a wrap the length feels only the slots that move one end and not the other. With d_j the
 * displacement of that end, against that of the other, u the direction and l the length of the segment,
 *     d2l/dq_i dq_j = (d_i . d_j - (u . d_i)(u . d_j)) / l + g . (w_i x S_j(p)),
 * the last term where i is j or above it on the way to the same end p, g = dl/dp, w the angular part of S.
 *
 * Where a wrap is touched, all is taken relative to the wrap: with c_j = (1 where j moves the point) - (1 where j moves
 * the wrap), d_j = c_j S_j(p), H the second derivative of the segment by its ends, it is d_i' H d_j + g . d d_j/dq_i
 * and d d_j / dq_i = c_j ( [i above j] (w_i x S_j(p) - w_j x S_i(p)) + m_i w_j x S_i(p) - m'_i w_i x S_j(p) ) as seen
 * from the wrap, m and m' being 1 where i moves the point and the wrap. */
#include "path/internal.h"

#include "base/alloc.h"

typedef struct pathScratch {
    double *da, *db;      /* 3 n each: displacement of the ends */
    double *ma, *mb, *mw; /* n each: 1 where the slot moves first end, second end, wrap */
} pathScratch;

static pathScratch cut(snPathWork *work, int32_t n)
{
    double *at = work->scratch;
    return (pathScratch){at, at + 3 * n, at + 6 * n, at + 7 * n, at + 8 * n};
}

static void mask(const int32_t *above, int32_t slot, int32_t n, double *m)
{
    memset(m, 0, (size_t)n * sizeof *m);
    for (; slot >= 0; slot = above[slot]) m[slot] = 1;
}

static bool is_above(const int32_t *above, int32_t i, int32_t j)
{
    for (j = above[j]; j > i; j = above[j]) {}
    return j == i;
}

/* ---- straight segments ---------------------------------------------------------------------- */

/* The slots that move one end of a segment but not the other, furthest out first: of the slots of the two ends the
 * later one cannot move the other end, since a slot comes behind those above it. */
typedef struct pathClimb {
    int32_t a, b; /* where the climb from either end is; equal: done */
} pathClimb;

static bool climbs_second(pathClimb c)
{
    return c.b > c.a;
}

static int32_t climb_slot(pathClimb c)
{
    return climbs_second(c) ? c.b : c.a;
}

static pathClimb climb(pathClimb c, const int32_t *above)
{
    return climbs_second(c) ? (pathClimb){c.a, above[c.b]} : (pathClimb){above[c.a], c.b};
}

static void add_straight(const snPathLinks *links, const snPathWork *work, int32_t first, int32_t n, int32_t k,
                         const pathScratch *t, double *H)
{
    const int32_t *col = work->link + first, *above = work->above + first;
    const pathClimb start = {work->slot[k], work->slot[k + 1]};
    v3 end[2] = {v3_load(work->now + 3 * k), v3_load(work->now + 3 * k + 3)}, u;
    double length = path_straight(end[0], end[1], &u), *d = t->da, *along = t->db;
    for (pathClimb c = start; c.a != c.b; c = climb(c, above)) {
        int32_t j = climb_slot(c);
        bool second = climbs_second(c);
        v3 moved = v3_scale(sp_at(link_axis(links, col[j]), end[second]), second ? 1 : -1); /* apart */
        v3_store(d + 3 * j, moved);
        along[j] = v3_dot(moved, u);
    }
    for (pathClimb c = start; c.a != c.b; c = climb(c, above)) {
        int32_t j = climb_slot(c);
        v3 dj = v3_load(d + 3 * j), turned = v3_cross(dj, u); /* u . (w x d) = w . (d x u) */
        for (pathClimb o = c; o.a != o.b; o = climb(o, above)) {
            int32_t i = climb_slot(o);
            double sum = (v3_dot(v3_load(d + 3 * i), dj) - along[i] * along[j]) / length;
            if (climbs_second(o) == climbs_second(c)) sum += v3_dot(link_axis(links, col[i]).w, turned);
            H[(int64_t)i * n + j] += sum;
        }
    }
}

/* ---- segments that touch a wrap -------------------------------------------------------------- */

/* A slot that moves both ends and the wrap, or none of them, changes nothing. */
static bool matters(const pathScratch *t, int32_t j)
{
    return t->ma[j] != t->mw[j] || t->mb[j] != t->mw[j];
}

/* d_i' H d_j of all slots, on or above the diagonal of H. */
static void add_segment(const pathSegment *s, const pathScratch *t, int32_t n, double *H)
{
    for (int32_t j = 0; j < n; ++j) {
        if (!matters(t, j)) continue;
        v3 a = v3_load(t->da + 3 * j), b = v3_load(t->db + 3 * j);
        v3 ha = v3_add(m3_mulv(&s->aa, a), m3_mulv(&s->ab, b)), hb = m3_mulv(&s->bb, b);
        v3 cross = {s->ab.m[0] * a.x + s->ab.m[3] * a.y + s->ab.m[6] * a.z,
                    s->ab.m[1] * a.x + s->ab.m[4] * a.y + s->ab.m[7] * a.z,
                    s->ab.m[2] * a.x + s->ab.m[5] * a.y + s->ab.m[8] * a.z};
        hb = v3_add(hb, cross);
        for (int32_t i = 0; i <= j; ++i)
            if (matters(t, i))
                H[(int64_t)i * n + j] += v3_dot(v3_load(t->da + 3 * i), ha) + v3_dot(v3_load(t->db + 3 * i), hb);
    }
}

/* How a displacement turns: for one end p, g its dl/dp. */
static double wrapped_turn(const snPathLinks *links, const int32_t *col, bool above, int32_t i, int32_t j, v3 p, v3 g,
                           const double *m, const double *mw)
{
    double cj = m[j] - mw[j];
    if (cj == 0) return 0;
    spatial Si = link_axis(links, col[i]), Sj = link_axis(links, col[j]);
    v3 ij = v3_cross(Si.w, sp_at(Sj, p)), ji = v3_cross(Sj.w, sp_at(Si, p)), sum = {0, 0, 0};
    if (above) sum = v3_sub(ij, ji);
    sum = v3_mad(v3_mad(sum, m[i], ji), -mw[i], ij);
    return cj * v3_dot(g, sum);
}

static void add_wrapped(const snPathLinks *links, const snPathWork *work, int32_t first, int32_t n, v3 a, v3 b,
                        const pathSegment *s, const pathScratch *t, double *H)
{
    const int32_t *col = work->link + first, *above = work->above + first;
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i <= j && matters(t, j); ++i) {
            if (!matters(t, i)) continue;
            bool up = i != j && is_above(above, i, j);
            H[(int64_t)i * n + j] += wrapped_turn(links, col, up, i, j, a, s->ga, t->ma, t->mw) +
                                     wrapped_turn(links, col, up, i, j, b, s->gb, t->mb, t->mw);
        }
}

/* Displacements of both ends, less what the wrap does. */
static void displace(const snPathLinks *links, const int32_t *col, int32_t n, v3 a, v3 b, pathScratch *t)
{
    for (int32_t j = 0; j < n; ++j) {
        if (!matters(t, j)) continue;
        spatial S = link_axis(links, col[j]);
        v3_store(t->da + 3 * j, v3_scale(sp_at(S, a), t->ma[j] - t->mw[j]));
        v3_store(t->db + 3 * j, v3_scale(sp_at(S, b), t->mb[j] - t->mw[j]));
    }
}

static void add_over_wrap(const snPathSet *set, const snPathLinks *links, const snPathWork *work, int32_t first,
                          int32_t n, int32_t k, pathScratch *t, double *H)
{
    v3 a = v3_load(work->now + 3 * k), b = v3_load(work->now + 3 * k + 3);
    pathWrap wrap;
    (void)path_wrap_at(set, links, k, &wrap);
    pathSegment s = path_segment(a, b, &wrap, true);
    mask(work->above + first, work->slot[k], n, t->ma);
    mask(work->above + first, work->slot[k + 1], n, t->mb);
    mask(work->above + first, work->wrap_slot[k], n, t->mw);
    displace(links, work->link + first, n, a, b, t);
    add_segment(&s, t, n, H);
    add_wrapped(links, work, first, n, a, b, &s, t, H);
}

/* ---- all of a path --------------------------------------------------------------------------- */

/* From slots, upper half, to entries, both halves. */
static void fold(const snPathWork *work, int32_t path, const double *over_slots, double *H)
{
    int32_t first = work->slotadr[path], n = work->slotadr[path + 1] - first;
    int32_t m = work->rowadr[path + 1] - work->rowadr[path];
    const int32_t *entry = work->entry + first;
    memset(H, 0, (size_t)m * (size_t)m * sizeof *H);
    for (int32_t j = 0; j < n; ++j) {
        H[(int64_t)entry[j] * m + entry[j]] += over_slots[(int64_t)j * n + j] + work->curl[first + j];
        for (int32_t i = 0; i < j; ++i) {
            H[(int64_t)entry[i] * m + entry[j]] += over_slots[(int64_t)i * n + j];
            H[(int64_t)entry[j] * m + entry[i]] += over_slots[(int64_t)i * n + j];
        }
    }
}

void sn_path_hessian(const snPathSet *set, const snPathLinks *links, snPathWork *work, int32_t path, double *result)
{
    int32_t first = work->slotadr[path], n = work->slotadr[path + 1] - first;
    double *H =
        set->follows ? work->scratch + (size_t)work->max_row * (SN_PATH_SCRATCH + (size_t)work->max_row) : result;
    pathScratch t = cut(work, n);
    memset(H, 0, (size_t)n * (size_t)n * sizeof *H);
    for (int32_t k = set->pointadr[path]; k + 1 < set->pointadr[path + 1]; ++k)
        if (work->touches[k])
            add_over_wrap(set, links, work, first, n, k, &t, H);
        else
            add_straight(links, work, first, n, k, &t, H);
    if (set->follows) {
        fold(work, path, H, result);
        return;
    }
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i < j; ++i) H[(int64_t)j * n + i] = H[(int64_t)i * n + j];
}

bool sn_path_keep(const snPathSet *set, snPathWork *work)
{
    size_t all = 0;
    for (int32_t p = 0; p < set->npath; ++p) {
        size_t n = (size_t)(work->rowadr[p + 1] - work->rowadr[p]);
        all += n * n;
    }
    work->kept = work->kept ? work->kept : SN_NEW_ARRAY(double, all);
    work->is_kept = false;
    return work->kept != NULL;
}

static void keep_all(const snPathSet *set, const snPathLinks *links, snPathWork *work)
{
    double *H = work->kept;
    for (int32_t p = 0; p < set->npath; ++p) {
        int32_t n = work->rowadr[p + 1] - work->rowadr[p];
        sn_path_hessian(set, links, work, p, H);
        H += (int64_t)n * n;
    }
    work->is_kept = true;
}

void sn_path_geometric(const snPathSet *set, const snPathLinks *links, snPathWork *work, const double *f, double scale,
                       double *A, int32_t ld)
{
    double *scratch = work->scratch + (size_t)work->max_row * SN_PATH_SCRATCH, *kept = work->kept;
    if (kept && !work->is_kept) keep_all(set, links, work);
    for (int32_t p = 0; p < set->npath; ++p) {
        int32_t first = work->rowadr[p], n = work->rowadr[p + 1] - first;
        double *H = kept ? kept : scratch;
        if (kept) kept += (int64_t)n * n;
        if (f[p] == 0) continue;
        if (!kept) sn_path_hessian(set, links, work, p, H);
        double by = scale * f[p];
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < n; ++j)
                A[(int64_t)work->col[first + i] * ld + work->col[first + j]] += by * H[(int64_t)i * n + j];
    }
}
