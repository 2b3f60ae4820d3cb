/* Second derivatives of path lengths by joint coordinates, in closed form:
 *     d2l/dq_i dq_j = sum over segments of d_i' H d_j + sum over points of g . (w_i x dp/dq_j),  i above j or j itself
 * with d the displacements of a segment's ends, H its second derivative, w the angular part of S. Segments between two
 * points of one bone count as well: their first part cancels against the second. Where a wrap is touched, all is taken
 * relative to the wrap: with c_j = (1 where j moves the point) - (1 where j moves the wrap), d_j = c_j S_j(p) and
 *     d d_j / dq_i = c_j ( [i above j] (w_i x S_j(p) - w_j x S_i(p)) + m_i w_j x S_i(p) - m'_i w_i x S_j(p) )
 * as seen from the wrap, m and m' being 1 where i moves the point and the wrap. */
#include "path/internal.h"

#include "base/alloc.h"

typedef struct pathScratch {
    double *moment;       /* 12 n: sum of p g' (9) and of g (3) over the points behind a slot, straight segments only */
    double *da, *db;      /* 3 n each: displacement of the ends */
    double *ma, *mb, *mw; /* n each: 1 where the slot moves first end, second end, wrap */
} pathScratch;

static pathScratch cut(snPathWork *work, int32_t n)
{
    double *at = work->scratch;
    return (pathScratch){at, at + 12 * n, at + 15 * n, at + 18 * n, at + 19 * n, at + 20 * n};
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

static void add_moment(double *moment, int32_t slot, v3 p, v3 g)
{
    if (slot < 0) return;
    double *at = moment + 12 * slot, pp[3], gg[3];
    v3_store(pp, p), v3_store(gg, g);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) at[3 * r + c] += pp[r] * gg[c];
    for (int r = 0; r < 3; ++r) at[9 + r] += gg[r];
}

/* d_i' H d_j of all slots, on or above the diagonal of H. */
static void add_segment(const pathSegment *s, const pathScratch *t, int32_t n, double *H)
{
    for (int32_t j = 0; j < n; ++j) {
        v3 a = v3_load(t->da + 3 * j), b = v3_load(t->db + 3 * j);
        if (v3_len2(a) == 0 && v3_len2(b) == 0) continue;
        v3 ha = v3_add(m3_mulv(&s->aa, a), m3_mulv(&s->ab, b)), hb = m3_mulv(&s->bb, b);
        v3 cross = {s->ab.m[0] * a.x + s->ab.m[3] * a.y + s->ab.m[6] * a.z,
                    s->ab.m[1] * a.x + s->ab.m[4] * a.y + s->ab.m[7] * a.z,
                    s->ab.m[2] * a.x + s->ab.m[5] * a.y + s->ab.m[8] * a.z};
        hb = v3_add(hb, cross);
        for (int32_t i = 0; i <= j; ++i)
            H[(int64_t)i * n + j] += v3_dot(v3_load(t->da + 3 * i), ha) + v3_dot(v3_load(t->db + 3 * i), hb);
    }
}

/* The same of a straight segment: its length feels only how far its ends move apart, and of
 * that only what is across. */
static void add_straight(const snPathLinks *links, const int32_t *col, int32_t n, v3 a, v3 b, v3 along, double length,
                         pathScratch *t, double *H)
{
    double *d = t->da, *part = t->db;
    for (int32_t j = 0; j < n; ++j) {
        spatial S = link_axis(links, col[j]);
        v3 apart = v3_sub(v3_scale(sp_at(S, b), t->mb[j]), v3_scale(sp_at(S, a), t->ma[j]));
        v3_store(d + 3 * j, apart);
        part[j] = v3_dot(apart, along);
        if (t->ma[j] + t->mb[j] == 0) continue;
        for (int32_t i = 0; i <= j; ++i)
            H[(int64_t)i * n + j] += (v3_dot(v3_load(d + 3 * i), apart) - part[i] * part[j]) / length;
    }
}

/* How a displacement turns: for one end p of a segment that touches a wrap, g its dl/dp. */
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
    const int32_t *col = work->col + first, *above = work->above + first;
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i <= j; ++i) {
            bool up = i != j && is_above(above, i, j);
            H[(int64_t)i * n + j] += wrapped_turn(links, col, up, i, j, a, s->ga, t->ma, t->mw) +
                                     wrapped_turn(links, col, up, i, j, b, s->gb, t->mb, t->mw);
        }
}

/* Displacements of both ends of a segment, less what its wrap does where it touches. */
static void displace(const snPathLinks *links, const int32_t *col, int32_t n, v3 a, v3 b, bool touches, pathScratch *t)
{
    for (int32_t j = 0; j < n; ++j) {
        spatial S = link_axis(links, col[j]);
        double w = touches ? t->mw[j] : 0;
        v3_store(t->da + 3 * j, v3_scale(sp_at(S, a), t->ma[j] - w));
        v3_store(t->db + 3 * j, v3_scale(sp_at(S, b), t->mb[j] - w));
    }
}

/* Second part of straight segments: with T = sum p g', G = sum g behind j it is w_i . (T w_j - tr(T) w_j + v_j x G). */
static void add_turns(const snPathLinks *links, const snPathWork *work, int32_t first, int32_t n, double *moment,
                      double *H)
{
    const int32_t *col = work->col + first, *above = work->above + first;
    for (int32_t j = n - 1; j >= 0; --j) {
        double *at = moment + 12 * j;
        m3 T;
        memcpy(T.m, at, sizeof T.m);
        spatial S = link_axis(links, col[j]);
        v3 y = v3_mad(m3_mulv(&T, S.w), -(T.m[0] + T.m[4] + T.m[8]), S.w);
        y = v3_add(y, v3_cross(S.v, v3_load(at + 9)));
        for (int32_t i = j; i >= 0; i = above[i]) H[(int64_t)i * n + j] += v3_dot(link_axis(links, col[i]).w, y);
        if (above[j] >= 0)
            for (int k = 0; k < 12; ++k) moment[12 * above[j] + k] += at[k];
    }
}

/* One segment from point k to the next; the masks of its ends are set. */
static void add_piece(const snPathSet *set, const snPathLinks *links, const snPathWork *work, int32_t first, int32_t n,
                      int32_t k, pathScratch *t, double *H)
{
    v3 a = v3_load(work->now + 3 * k), b = v3_load(work->now + 3 * k + 3);
    pathWrap wrap;
    bool wrapped = path_wrap_at(set, links, k, &wrap);
    if (!wrapped && work->slot[k] == work->slot[k + 1]) return; /* on one bone: its length never changes */
    pathSegment s = path_segment(a, b, wrapped ? &wrap : NULL, wrapped);
    if (s.touches) {
        mask(work->above + first, work->wrap_slot[k], n, t->mw);
        displace(links, work->col + first, n, a, b, true, t);
        add_segment(&s, t, n, H);
        add_wrapped(links, work, first, n, a, b, &s, t, H);
        return;
    }
    add_straight(links, work->col + first, n, a, b, s.gb, s.length, t, H);
    add_moment(t->moment, work->slot[k], a, s.ga);
    add_moment(t->moment, work->slot[k + 1], b, s.gb);
}

void sn_path_hessian(const snPathSet *set, const snPathLinks *links, snPathWork *work, int32_t path, double *H)
{
    int32_t first = work->rowadr[path], n = work->rowadr[path + 1] - first;
    pathScratch t = cut(work, n);
    memset(H, 0, (size_t)n * (size_t)n * sizeof *H);
    memset(t.moment, 0, (size_t)n * 12 * sizeof *t.moment);
    mask(work->above + first, work->slot[set->pointadr[path]], n, t.mb);
    for (int32_t k = set->pointadr[path]; k + 1 < set->pointadr[path + 1]; ++k) {
        memcpy(t.ma, t.mb, (size_t)n * sizeof *t.ma);
        if (work->slot[k] != work->slot[k + 1]) mask(work->above + first, work->slot[k + 1], n, t.mb);
        add_piece(set, links, work, first, n, k, &t, H);
    }
    add_turns(links, work, first, n, t.moment, H);
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
