/* The reference solver: the whole matrix as a list of entries, ordered by approximate minimum degree and factored by
 * up-looking LDL'. Knows nothing of strands beyond where their entries are.
 *
 * 1. Entries are listed in one fixed sequence, by list_places (where) and list_values (how much). A row that is
 *    switched off keeps its entries, as zeros, with -1 on the diagonal.
 * 2. The places depend on the spans of the rows. When a span changes the places, the order and the symbolic factor are
 *    made anew, without allocation: room is made for the pattern in which every row touches its whole strand, under
 *    the order of that pattern. Should the better order of the actual pattern ever need more room than that, the order
 *    of the whole-strand pattern serves, under which every actual pattern fits. */
#include "system/kkt_internal.h"

#include "base/alloc.h"
#include "sparse/ldl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct Plain {
    int32_t nentry;
    int32_t *i, *j;                    /* nentry: where each entry is, unordered */
    int32_t *slot;                     /* nentry: where its value goes in matrix.value */
    double *entry;                     /* nentry: the values */
    int32_t *perm, *place, *safe_perm; /* size: perm[place[u]] = u */
    int32_t *next;                     /* size: scratch */
    int8_t *sign;                      /* size: of the pivots, in order */
    int32_t *own_span, *part_span;     /* the spans of the places as listed; -1 at first */
    double *work;                      /* size */
    snUpper matrix;
    snLdl ldl;
    snOrder order;
} Plain;

typedef struct Places {
    int32_t *i, *j;
    int32_t count;
} Places;

static inline void put(Places *l, int32_t i, int32_t j)
{
    if (l->i) l->i[l->count] = i, l->j[l->count] = j;
    ++l->count;
}

static void put_bodies(const snKktPattern *p, Places *l)
{
    for (int32_t b = 0; b < p->nbody; ++b)
        for (int32_t c = 0; c < 6; ++c)
            for (int32_t r = 0; r <= c; ++r) put(l, 6 * b + r, 6 * b + c);
    for (int32_t c = 0; c < p->npair; ++c)
        for (int32_t e = 0; e < 36; ++e) put(l, 6 * p->pair_body[2 * c] + e / 6, 6 * p->pair_body[2 * c + 1] + e % 6);
}

static void put_strand(const snKkt *k, int32_t s, Places *l)
{
    int32_t n = k->pattern.strand_pointadr[s + 1] - k->pattern.strand_pointadr[s];
    for (int32_t i = 0; i < n; ++i) {
        int32_t row = sn_kkt_point_index(k, s, i);
        for (int32_t c = 0; c < 3; ++c)
            for (int32_t r = 0; r <= c; ++r) put(l, row + r, row + c);
        for (int32_t c = 1; c < 4 && i + c < n; ++c)
            for (int32_t e = 0; e < 9; ++e) put(l, row + e / 3, row + 3 * c + e % 3);
    }
}

/* With whole, the row meets every point of the strand; otherwise the four of its span. */
static void put_part(const snKkt *k, int32_t row, int32_t strand, int32_t span, bool whole, Places *l)
{
    int32_t n = k->pattern.strand_pointadr[strand + 1] - k->pattern.strand_pointadr[strand];
    assert(whole || (span >= 0 && span + 4 <= n));
    int32_t first = sn_kkt_point_index(k, strand, whole ? 0 : span), count = whole ? 3 * n : 12;
    for (int32_t e = 0; e < count; ++e) put(l, first + e, row);
}

static void put_wrench(int32_t row, int32_t body, Places *l)
{
    for (int32_t c = 0; body >= 0 && c < 6; ++c) put(l, 6 * body + c, row);
}

static void list_places(const snKkt *k, bool whole, Places *l)
{
    const snKktPattern *p = &k->pattern;
    put_bodies(p, l);
    for (int32_t s = 0; s < p->nstrand; ++s) put_strand(k, s, l);
    for (int32_t r = 0; r < p->nown; ++r) {
        put_part(k, k->own0 + r, k->own_strand[r], k->values.own[r].span, whole, l);
        put_wrench(k->own0 + r, p->own_body[r], l);
        put(l, k->own0 + r, k->own0 + r);
    }
    for (int32_t r = 0; r < p->nlink; ++r) {
        for (int32_t e = p->link_partadr[r]; e < p->link_partadr[r + 1]; ++e)
            put_part(k, k->link0 + r, p->part_strand[e], k->values.part[e].span, whole, l);
        put(l, k->link0 + r, k->link0 + r);
    }
    for (int32_t r = 0; r < p->njoint; ++r) {
        for (int32_t side = 0; side < 2; ++side) put_wrench(k->joint0 + r, p->joint_body[2 * r + side], l);
        put(l, k->joint0 + r, k->joint0 + r);
    }
}

static double *value_bodies(const snKkt *k, double *v)
{
    for (int32_t b = 0; b < k->pattern.nbody; ++b)
        for (int32_t c = 0; c < 6; ++c)
            for (int32_t r = 0; r <= c; ++r) *v++ = k->values.body_A[36 * b + 6 * r + c];
    memcpy(v, k->values.pair_A, 36 * (size_t)k->pattern.npair * sizeof *v);
    return v + 36 * k->pattern.npair;
}

static double *value_strand(const snKkt *k, int32_t s, double *v)
{
    int32_t first = k->pattern.strand_pointadr[s], end = k->pattern.strand_pointadr[s + 1];
    for (int32_t i = first; i < end; ++i) {
        const double *a = k->values.point_A + 36 * (ptrdiff_t)i;
        for (int32_t c = 0; c < 3; ++c)
            for (int32_t r = 0; r <= c; ++r) *v++ = a[3 * r + c];
        for (int32_t c = 1; c < 4 && i + c < end; ++c)
            for (int32_t e = 0; e < 9; ++e) *v++ = a[9 * c + e];
    }
    return v;
}

static double *value_part(const snKktPart *part, bool on, double *v)
{
    for (int32_t e = 0; e < 12; ++e) *v++ = on ? part->b[e / 3] * part->n[e % 3] : 0;
    return v;
}

static double *value_wrench(const double *J, int32_t body, bool on, double *v)
{
    for (int32_t c = 0; body >= 0 && c < 6; ++c) *v++ = on ? J[c] : 0;
    return v;
}

static void list_values(const snKkt *k, double *v)
{
    const snKktPattern *p = &k->pattern;
    const snKktValues *a = &k->values;
    v = value_bodies(k, v);
    for (int32_t s = 0; s < p->nstrand; ++s) v = value_strand(k, s, v);
    for (int32_t r = 0; r < p->nown; ++r) {
        v = value_part(&a->own[r], a->own_on[r], v);
        v = value_wrench(a->own_J + 6 * r, p->own_body[r], a->own_on[r], v);
        *v++ = a->own_on[r] ? -a->own_D[r] : -1;
    }
    for (int32_t r = 0; r < p->nlink; ++r) {
        for (int32_t e = p->link_partadr[r]; e < p->link_partadr[r + 1]; ++e)
            v = value_part(&a->part[e], a->link_on[r], v);
        *v++ = a->link_on[r] ? -a->link_D[r] : -1;
    }
    for (int32_t r = 0; r < p->njoint; ++r) {
        for (int32_t side = 0; side < 2; ++side)
            v = value_wrench(a->joint_J + 12 * r + 6 * side, p->joint_body[2 * r + side], a->joint_on[r], v);
        *v++ = a->joint_on[r] ? -a->joint_D[r] : -1;
    }
}

/* The upper triangle in the order perm; slot may be NULL. */
static void build_matrix(snUpper *m, int32_t nentry, const int32_t *i, const int32_t *j, const int32_t *perm,
                         int32_t *place, int32_t *next, int32_t *slot)
{
    for (int32_t u = 0; u < m->n; ++u) place[perm[u]] = u;
    memset(m->start, 0, (size_t)(m->n + 1) * sizeof *m->start);
    for (int32_t e = 0; e < nentry; ++e) {
        int32_t a = place[i[e]], b = place[j[e]];
        ++m->start[(a > b ? a : b) + 1];
    }
    for (int32_t u = 0; u < m->n; ++u) m->start[u + 1] += m->start[u], next[u] = m->start[u];
    for (int32_t e = 0; e < nentry; ++e) {
        int32_t a = place[i[e]], b = place[j[e]], at = next[a > b ? a : b]++;
        m->row[at] = a > b ? b : a;
        if (slot) slot[e] = at;
    }
}

/* The order of the pattern in which rows touch whole strands, and the entries of its factor (-1: no memory). */
static int64_t analyse_whole(const snKkt *k, int32_t *safe_perm)
{
    Places all = {0};
    list_places(k, true, &all);
    int32_t nentry = all.count, *block = SN_NEW_ARRAY(int32_t, 3 * (int64_t)nentry + 3 * (int64_t)k->size + 1);
    snUpper m = {.n = k->size};
    snOrder order = {0};
    snLdl ldl = {0};
    int64_t room = -1;
    if (block && sn_order_create(&order, k->size, nentry) && sn_ldl_create(&ldl, k->size, 0)) {
        all = (Places){block, block + nentry, 0};
        m.row = all.j + nentry;
        m.start = m.row + nentry;
        list_places(k, true, &all);
        sn_order_amd(&order, nentry, all.i, all.j, safe_perm);
        build_matrix(&m, nentry, all.i, all.j, safe_perm, m.start + m.n + 1, m.start + 2 * m.n + 1, NULL);
        room = sn_ldl_symbolic(&ldl, &m);
    }
    sn_ldl_destroy(&ldl);
    sn_order_destroy(&order);
    sn_free(block);
    return room;
}

static void plain_destroy(void *state)
{
    Plain *p = state;
    if (!p) return;
    void *block[] = {p->i,         p->j,         p->slot,         p->entry,      p->perm,
                     p->place,     p->safe_perm, p->next,         p->sign,       p->own_span,
                     p->part_span, p->work,      p->matrix.start, p->matrix.row, p->matrix.value};
    for (size_t b = 0; b < sizeof block / sizeof *block; ++b) sn_free(block[b]);
    sn_ldl_destroy(&p->ldl);
    sn_order_destroy(&p->order);
    sn_free(p);
}

static bool allocate(Plain *p, const snKkt *k)
{
    int32_t n = k->size, e = p->nentry;
    return (p->i = SN_NEW_ARRAY(int32_t, e)) && (p->j = SN_NEW_ARRAY(int32_t, e)) &&
           (p->slot = SN_NEW_ARRAY(int32_t, e)) && (p->entry = SN_NEW_ARRAY(double, e)) &&
           (p->perm = SN_NEW_ARRAY(int32_t, n)) && (p->place = SN_NEW_ARRAY(int32_t, n)) &&
           (p->safe_perm = SN_NEW_ARRAY(int32_t, n)) && (p->next = SN_NEW_ARRAY(int32_t, n)) &&
           (p->sign = SN_NEW_ARRAY(int8_t, n)) && (p->own_span = SN_NEW_ARRAY(int32_t, k->pattern.nown)) &&
           (p->part_span = SN_NEW_ARRAY(int32_t, k->pattern.npart)) && (p->work = SN_NEW_ARRAY(double, n)) &&
           (p->matrix.start = SN_NEW_ARRAY(int32_t, n + 1)) && (p->matrix.row = SN_NEW_ARRAY(int32_t, e)) &&
           (p->matrix.value = SN_NEW_ARRAY(double, e)) && sn_order_create(&p->order, n, e);
}

/* True when a span differs from the one that the places were listed with; notes the new ones. */
static bool spans_changed(Plain *p, const snKkt *k)
{
    bool changed = false;
    for (int32_t r = 0; r < k->pattern.nown; ++r) {
        changed |= p->own_span[r] != k->values.own[r].span;
        p->own_span[r] = k->values.own[r].span;
    }
    for (int32_t e = 0; e < k->pattern.npart; ++e) {
        changed |= p->part_span[e] != k->values.part[e].span;
        p->part_span[e] = k->values.part[e].span;
    }
    return changed;
}

static void analyse(Plain *p, const snKkt *k)
{
    Places l = {p->i, p->j, 0};
    list_places(k, false, &l);
    sn_order_amd(&p->order, p->nentry, p->i, p->j, p->perm);
    build_matrix(&p->matrix, p->nentry, p->i, p->j, p->perm, p->place, p->next, p->slot);
    if (sn_ldl_symbolic(&p->ldl, &p->matrix) > p->ldl.capacity) {
        memcpy(p->perm, p->safe_perm, (size_t)k->size * sizeof *p->perm);
        build_matrix(&p->matrix, p->nentry, p->i, p->j, p->perm, p->place, p->next, p->slot);
        sn_ldl_symbolic(&p->ldl, &p->matrix);
    }
    for (int32_t u = 0; u < k->size; ++u) p->sign[u] = p->perm[u] < k->own0 ? 1 : -1;
}

/* The strand, or -1 - body, that an unknown or row belongs to. A link row counts for the first strand it touches. */
static int32_t owner_of(const snKkt *k, int32_t u)
{
    const snKktPattern *p = &k->pattern;
    if (u < k->point0) return -1 - u / 6;
    if (u >= k->joint0) {
        const int32_t *body = p->joint_body + 2 * (u - k->joint0);
        return -1 - (body[0] >= 0 ? body[0] : body[1]);
    }
    if (u >= k->link0) return p->part_strand[p->link_partadr[u - k->link0]];
    if (u >= k->own0) return k->own_strand[u - k->own0];
    int32_t s = 0;
    while (p->strand_pointadr[s + 1] <= (u - k->point0) / 3) ++s;
    return s;
}

static snStatus plain_factor(snKkt *k, const uint8_t *strand_dirty, int32_t *culprit)
{
    Plain *p = k->state;
    (void)strand_dirty;
    if (spans_changed(p, k)) analyse(p, k);
    list_values(k, p->entry);
    for (int32_t e = 0; e < p->nentry; ++e) p->matrix.value[p->slot[e]] = p->entry[e];
    int32_t bad = sn_ldl_factor(&p->ldl, &p->matrix, p->sign);
    if (bad < 0) return SN_OK;
    *culprit = owner_of(k, p->perm[bad]);
    return SN_DIVERGED;
}

/* solution += K^-1 rhs, or = with first. */
static void solve_once(const snKkt *k, const double *rhs, double *solution, bool first)
{
    const Plain *p = k->state;
    for (int32_t u = 0; u < k->size; ++u) p->work[u] = rhs[p->perm[u]];
    sn_ldl_solve(&p->ldl, p->work);
    if (first) memset(solution, 0, (size_t)k->size * sizeof *solution);
    for (int32_t u = 0; u < k->size; ++u) solution[p->perm[u]] += p->work[u];
}

static double largest(const double *x, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static void plain_solve(snKkt *k, const double *rhs, double *solution, int32_t refine, double enough)
{
    sn_kkt_mask_rhs(k, rhs, k->rhs);
    double least = enough * largest(k->rhs + k->point0, 3 * k->pattern.npoint);
    solve_once(k, k->rhs, solution, true);
    for (int32_t i = 0; i < refine; ++i) {
        sn_kkt_residual_scaled(k, k->rhs, solution, k->residual, NULL);
        if (largest(k->residual, k->size) <= least) break;
        solve_once(k, k->residual, solution, false);
    }
}

static void plain_solve_bodies(snKkt *k, const double *rhs, double *velocity)
{
    sn_kkt_mask_rhs(k, rhs, k->rhs);
    solve_once(k, k->rhs, k->residual, true);
    memcpy(velocity, k->residual, 6 * (size_t)k->pattern.nbody * sizeof *velocity);
}

static void plain_body_response(snKkt *k, int32_t nforce, const int32_t *force_strand, const int32_t *force_adr,
                                const double *force, double *response)
{
    const snKktPattern *p = &k->pattern;
    for (int32_t f = 0; f < nforce; ++f) {
        int32_t s = force_strand[f], n = 3 * (p->strand_pointadr[s + 1] - p->strand_pointadr[s]);
        memset(k->rhs, 0, (size_t)k->size * sizeof *k->rhs);
        memcpy(k->rhs + sn_kkt_point_index(k, s, 0), force + force_adr[f], (size_t)n * sizeof *force);
        solve_once(k, k->rhs, k->residual, true);
        memcpy(response + 6 * (ptrdiff_t)p->nbody * f, k->residual, 6 * (size_t)p->nbody * sizeof *response);
    }
}

static void plain_respond_bodies(snKkt *k, int32_t count, const double *force, int32_t ld, double *response)
{
    int32_t n = 6 * k->pattern.nbody;
    for (int32_t f = 0; f < count; ++f) {
        memset(k->rhs, 0, (size_t)k->size * sizeof *k->rhs);
        memcpy(k->rhs, force + (ptrdiff_t)n * f, (size_t)n * sizeof *k->rhs);
        solve_once(k, k->rhs, k->residual, true);
        for (int32_t i = 0; i < n; ++i) response[(ptrdiff_t)ld * i + f] = k->residual[i];
    }
}

static void plain_attach(snKkt *k)
{
    (void)k; /* nothing is known of a right-hand side before it is solved for */
}

static void plain_attached_response(snKkt *k, int32_t count, const int32_t *strand, int32_t ld, double *response)
{
    const snKktPattern *p = &k->pattern;
    for (int32_t f = 0; f <= count; ++f) {
        if (f < count) {
            int32_t first = p->strand_pointadr[strand[f]], n = 3 * (p->strand_pointadr[strand[f] + 1] - first);
            memset(k->rhs, 0, (size_t)k->size * sizeof *k->rhs);
            memcpy(k->rhs + k->point0 + 3 * first, k->attached_force + 3 * first, (size_t)n * sizeof *k->rhs);
        } else {
            sn_kkt_mask_rhs(k, k->attached_rhs, k->rhs);
        }
        solve_once(k, k->rhs, k->residual, true);
        for (int32_t i = 0; i < 6 * p->nbody; ++i) response[(ptrdiff_t)ld * i + f] = k->residual[i];
    }
}

static void plain_attached_solve(snKkt *k, const double *level, const double *total, double *solution, int32_t refine,
                                 double enough)
{
    (void)level;
    plain_solve(k, total, solution, refine, enough);
}

static const char *plain_simd_name(const void *state)
{
    (void)state;
    return "portable";
}

bool sn_kkt_plain_create(snKkt *k)
{
    static const snKktSolver solver = {.destroy = plain_destroy,
                                       .factor = plain_factor,
                                       .solve = plain_solve,
                                       .solve_bodies = plain_solve_bodies,
                                       .body_response = plain_body_response,
                                       .respond_bodies = plain_respond_bodies,
                                       .attached_response = plain_attached_response,
                                       .attached_solve = plain_attached_solve,
                                       .attach = plain_attach,
                                       .simd_name = plain_simd_name};
    Plain *p = SN_NEW(Plain);
    if (!p) return false;
    Places l = {0};
    list_places(k, false, &l);
    p->nentry = l.count;
    int64_t room = -1;
    if (allocate(p, k)) room = analyse_whole(k, p->safe_perm);
    if (room < 0 || !sn_ldl_create(&p->ldl, k->size, room)) {
        plain_destroy(p);
        return false;
    }
    p->matrix.n = k->size;
    k->solver = &solver;
    k->state = p;
    spans_changed(p, k);
    analyse(p, k);
    return true;
}
