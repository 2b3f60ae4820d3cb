/* Pattern, lengths, P. A path's entries are the links above some of its points but not above all, so the links that are
 * left out come before all that are kept, and wrenches of points add up from slot to slot as in a little tree. */
#include "path/internal.h"

#include "base/alloc.h"

/* What moves between points: -1 stands for the root. */
static int32_t wrap_of(const snPathSet *set, int32_t point)
{
    return set->point_wrap ? set->point_wrap[point] : -1;
}

static bool has_segment(const snPathSet *set, int32_t path, int32_t point)
{
    return point + 1 < set->pointadr[path + 1];
}

/* Adds 1 to every link above the given one and itself. */
static void count_chain(const int32_t *parent, int32_t link, int32_t *count)
{
    for (int32_t i = link; i >= 0; i = parent[i]) ++count[i];
}

/* Counts, for each link, how many of a path's points and wraps it moves; returns how many there are. */
static int32_t count_path(const snPathSet *set, const int32_t *parent, int32_t ndof, int32_t path, int32_t *count)
{
    int32_t all = 0;
    memset(count, 0, (size_t)ndof * sizeof *count);
    for (int32_t k = set->pointadr[path]; k < set->pointadr[path + 1]; ++k) {
        count_chain(parent, set->point_link[k], count), ++all;
        if (has_segment(set, path, k) && wrap_of(set, k) >= 0)
            count_chain(parent, set->wrap_link[wrap_of(set, k)], count), ++all;
    }
    return all;
}

/* The coordinates of the links of count that are not 0, in its place: 1 where there is one. */
static void mark_columns(const snPathSet *set, int32_t ndof, const int32_t *slot_of, int32_t *count)
{
    memset(count, 0, (size_t)ndof * sizeof *count);
    for (int32_t i = 0; i < ndof; ++i)
        if (slot_of[i] >= 0) count[set->follows ? set->follows[i] : i] = 1;
}

static void note_points(const snPathSet *set, int32_t p, const int32_t *slot_of, snPathWork *work)
{
    for (int32_t k = set->pointadr[p]; k < set->pointadr[p + 1]; ++k) {
        int32_t link = set->point_link[k], wrap = has_segment(set, p, k) ? wrap_of(set, k) : -1;
        int32_t on = wrap < 0 ? -1 : set->wrap_link[wrap];
        work->slot[k] = link < 0 ? -1 : slot_of[link];
        work->wrap_slot[k] = on < 0 ? -1 : slot_of[on];
    }
}

typedef struct pathPattern {
    int32_t nnz, nslot;
} pathPattern;

/* Slots and entries of all paths; writes them where work is given. slot_of (ndof) is scratch like count. */
static pathPattern find_pattern(const snPathSet *set, int32_t ndof, const int32_t *parent, int32_t *count,
                                int32_t *slot_of, snPathWork *work)
{
    pathPattern all = {0, 0};
    for (int32_t p = 0; p < set->npath; ++p) {
        int32_t parts = count_path(set, parent, ndof, p, count), first = all.nslot, row = all.nnz;
        for (int32_t i = 0; i < ndof; ++i) {
            slot_of[i] = -1;
            if (count[i] == 0 || count[i] == parts) continue;
            slot_of[i] = all.nslot - first;
            if (work) work->link[all.nslot] = i, work->above[all.nslot] = parent[i] < 0 ? -1 : slot_of[parent[i]];
            ++all.nslot;
        }
        mark_columns(set, ndof, slot_of, count);
        for (int32_t i = 0; i < ndof; ++i) {
            if (!count[i]) continue;
            if (work) work->col[all.nnz] = i;
            count[i] = all.nnz++ - row;
        }
        if (!work) continue;
        for (int32_t j = first; j < all.nslot; ++j)
            work->entry[j] = count[set->follows ? set->follows[work->link[j]] : work->link[j]];
        work->rowadr[p] = row, work->slotadr[p] = first;
        if (all.nslot - first > work->max_row) work->max_row = all.nslot - first;
        note_points(set, p, slot_of, work);
    }
    if (work) work->rowadr[set->npath] = all.nnz, work->slotadr[set->npath] = all.nslot;
    return all;
}

static bool lay_out(const snPathSet *set, snPathWork *work, pathPattern all)
{
    size_t np = (size_t)set->npath, nk = (size_t)set->npoint, nz = (size_t)all.nnz, ns = (size_t)all.nslot;
    size_t doubles = 3 * nk + np * 8 + nz + ns, integers = 2 * np + 2 + nz + 3 * ns + 2 * nk;
    work->block = sn_alloc(doubles * sizeof(double) + integers * sizeof(int32_t) + nk * sizeof(bool), 1);
    if (!work->block) return false;
    double *at = work->block;
    work->now = at, at += 3 * nk;
    work->length = at, at += np;
    work->rate = at, at += np;
    work->passive = at, at += np;
    work->passive_l = at, at += np;
    work->passive_v = at, at += np;
    work->active = at, at += np;
    work->active_l = at, at += np;
    work->active_v = at, at += np;
    work->P = at, at += nz;
    work->curl = at, at += ns;
    int32_t *index = (int32_t *)(void *)at;
    work->rowadr = index, index += np + 1;
    work->col = index, index += nz;
    work->slotadr = index, index += np + 1;
    work->link = index, index += ns;
    work->entry = index, index += ns;
    work->above = index, index += ns;
    work->slot = index, index += nk;
    work->wrap_slot = index, index += nk;
    work->touches = (bool *)index;
    work->nnz = all.nnz, work->nslot = all.nslot;
    return true;
}

snPathWork *sn_path_create(const snPathSet *set, int32_t ndof, const int32_t *parent)
{
    snPathWork *work = SN_NEW(snPathWork);
    int32_t *count = SN_NEW_ARRAY(int32_t, 2 * (size_t)ndof);
    if (!work || !count || !lay_out(set, work, find_pattern(set, ndof, parent, count, count + ndof, NULL))) {
        sn_free(count);
        sn_path_destroy(work);
        return NULL;
    }
    find_pattern(set, ndof, parent, count, count + ndof, work);
    sn_free(count);
    size_t n = (size_t)work->max_row;
    work->scratch = SN_NEW_ARRAY(double, SN_PATH_SCRATCH *n + 2 * n * n);
    if (work->scratch) return work;
    sn_path_destroy(work);
    return NULL;
}

void sn_path_destroy(snPathWork *work)
{
    if (!work) return;
    sn_free(work->kept);
    sn_free(work->scratch);
    sn_free(work->block);
    sn_free(work);
}

v3 path_placed(const snPathLinks *links, int32_t link, v3 x, bool point)
{
    if (link < 0 || !links) return x;
    const double *R = links->rotation + 9 * link;
    v3 turned = {R[0] * x.x + R[1] * x.y + R[2] * x.z, R[3] * x.x + R[4] * x.y + R[5] * x.z,
                 R[6] * x.x + R[7] * x.y + R[8] * x.z};
    return point ? v3_add(turned, v3_load(links->shift + 3 * link)) : turned;
}

bool path_wrap_at(const snPathSet *set, const snPathLinks *links, int32_t point, pathWrap *wrap)
{
    int32_t w = wrap_of(set, point);
    if (w < 0) return false;
    int32_t on = set->wrap_link[w];
    wrap->kind = set->wrap_kind[w];
    wrap->rule = set->wrap_rule ? set->wrap_rule[w] : SN_WRAP_MIDDLE;
    wrap->sense = 0;
    wrap->radius = set->wrap_radius[w];
    wrap->centre = path_placed(links, on, v3_load(set->wrap_centre + 3 * w), true);
    wrap->axis = path_placed(links, on, v3_load(set->wrap_axis + 3 * w), false);
    wrap->side = path_placed(links, on, v3_load(set->wrap_side + 3 * w), false);
    return true;
}

double sn_path_neutral_length(const snPathSet *set, int32_t path)
{
    double sum = 0;
    for (int32_t k = set->pointadr[path]; has_segment(set, path, k); ++k) {
        pathWrap wrap;
        bool wrapped = path_wrap_at(set, NULL, k, &wrap);
        sum += path_segment(v3_load(set->point + 3 * k), v3_load(set->point + 3 * k + 3), wrapped ? &wrap : NULL, false)
                   .length;
    }
    return sum;
}

static void add_wrench(double *wrench, int32_t slot, v3 p, v3 g)
{
    if (slot < 0) return;
    sp_store(wrench + 6 * slot, sp_add(sp_load(wrench + 6 * slot), sp_wrench(p, g)));
}

/* Adds dl/dp of both ends of a segment as wrenches of their slots; returns its length. */
static double straight_wrenches(const snPathWork *work, int32_t k, double *wrench)
{
    v3 a = v3_load(work->now + 3 * k), b = v3_load(work->now + 3 * k + 3), along;
    double length = path_straight(a, b, &along);
    if (work->slot[k] == work->slot[k + 1]) return length; /* on one bone the two cancel */
    add_wrench(wrench, work->slot[k], a, v3_neg(along));
    add_wrench(wrench, work->slot[k + 1], b, along);
    return length;
}

static double wrapped_wrenches(snPathWork *work, int32_t k, const pathWrap *wrap, double *wrench)
{
    v3 a = v3_load(work->now + 3 * k), b = v3_load(work->now + 3 * k + 3);
    pathSegment s = path_segment(a, b, wrap, false);
    work->touches[k] = s.touches;
    if (!s.touches) return straight_wrenches(work, k, wrench);
    add_wrench(wrench, work->slot[k], a, s.ga);
    add_wrench(wrench, work->slot[k + 1], b, s.gb);
    add_wrench(wrench, work->wrap_slot[k], a, v3_neg(s.ga));
    add_wrench(wrench, work->wrap_slot[k], b, v3_neg(s.gb));
    return s.length;
}

static double path_wrenches(const snPathSet *set, const snPathLinks *links, snPathWork *work, int32_t path,
                            double *wrench)
{
    double sum = 0;
    for (int32_t k = set->pointadr[path]; has_segment(set, path, k); ++k) {
        pathWrap wrap;
        work->touches[k] = false;
        sum += path_wrap_at(set, links, k, &wrap) ? wrapped_wrenches(work, k, &wrap, wrench)
                                                  : straight_wrenches(work, k, wrench);
    }
    return sum;
}

void sn_path_length(const snPathSet *set, const snPathLinks *links, snPathWork *work, int32_t p)
{
    int32_t first = work->slotadr[p], n = work->slotadr[p + 1] - first;
    double *wrench = work->scratch, *P = work->P + work->rowadr[p];
    for (int32_t k = set->pointadr[p]; k < set->pointadr[p + 1]; ++k)
        v3_store(work->now + 3 * k, path_placed(links, set->point_link[k], v3_load(set->point + 3 * k), true));
    work->is_kept = false;
    memset(wrench, 0, (size_t)n * 6 * sizeof *wrench);
    memset(P, 0, (size_t)(work->rowadr[p + 1] - work->rowadr[p]) * sizeof *P);
    work->length[p] = path_wrenches(set, links, work, p, wrench);
    for (int32_t j = n - 1; j >= 0; --j) {
        spatial w = sp_load(wrench + 6 * j);
        int32_t above = work->above[first + j], link = work->link[first + j];
        P[work->entry[first + j]] += sp_dot(link_axis(links, link), w);
        work->curl[first + j] = links->bend ? sp_dot(sp_load(links->bend + 6 * link), w) : 0;
        if (above >= 0) sp_store(wrench + 6 * above, sp_add(sp_load(wrench + 6 * above), w));
    }
}

void sn_path_lengths(const snPathSet *set, const snPathLinks *links, snPathWork *work)
{
    for (int32_t p = 0; p < set->npath; ++p) sn_path_length(set, links, work, p);
}

void sn_path_rates(const snPathSet *set, snPathWork *work, const double *v)
{
    for (int32_t p = 0; p < set->npath; ++p) {
        double sum = 0;
        for (int32_t e = work->rowadr[p]; e < work->rowadr[p + 1]; ++e) sum += work->P[e] * v[work->col[e]];
        work->rate[p] = sum;
    }
}

void sn_path_push(const snPathSet *set, const snPathWork *work, const double *f, double *tau)
{
    for (int32_t p = 0; p < set->npath; ++p)
        for (int32_t e = work->rowadr[p]; e < work->rowadr[p + 1]; ++e) tau[work->col[e]] -= work->P[e] * f[p];
}

void sn_path_stiffness(const snPathSet *set, const snPathWork *work, const double *w, double *A, int32_t ld)
{
    for (int32_t p = 0; p < set->npath; ++p) {
        int32_t end = work->rowadr[p + 1];
        if (w[p] == 0) continue;
        for (int32_t i = work->rowadr[p]; i < end; ++i) {
            double scale = w[p] * work->P[i];
            double *row = A + (int64_t)work->col[i] * ld;
            for (int32_t j = i; j < end; ++j) row[work->col[j]] += scale * work->P[j];
        }
    }
}

bool sn_path_arc(const snPathSet *set, const snPathLinks *links, const snPathWork *work, int32_t point, v3 touch[2])
{
    pathWrap wrap;
    if (!work->touches[point] || !path_wrap_at(set, links, point, &wrap)) return false;
    path_arc(v3_load(work->now + 3 * point), v3_load(work->now + 3 * point + 3), &wrap, 2, touch);
    return true;
}
