/* The part of the linear system that both solvers share: copies of the pattern, the arrays of values, the product with
 * the matrix, and the choice of the solver. */
#include "system/kkt_internal.h"

#include "base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* One block of memory that the object owns: where its pointer is, how many items, how large. */
typedef struct Block {
    size_t offset;
    int64_t count;
    size_t size;
    const void *copy; /* filled from here, or NULL */
} Block;

#define BLOCK(field, number, from)                                                                                     \
    {                                                                                                                  \
        offsetof(snKkt, field), (number), sizeof *((snKkt *)0)->field, (from)                                          \
    }
enum { NBLOCK = 24 };

/* point_A has one double more, since kernels load its 3-vectors four wide. */
static void list_blocks(const snKktPattern *p, int32_t size, Block list[NBLOCK])
{
    const Block block[NBLOCK] = {
        BLOCK(pattern.strand_pointadr, p->nstrand + 1, p->strand_pointadr),
        BLOCK(pattern.strand_ownadr, p->nstrand + 1, p->strand_ownadr),
        BLOCK(pattern.own_body, p->nown, p->own_body),
        BLOCK(pattern.link_partadr, p->nlink + 1, p->nlink ? p->link_partadr : NULL),
        BLOCK(pattern.part_strand, p->npart, p->part_strand),
        BLOCK(pattern.joint_body, 2 * p->njoint, p->joint_body),
        BLOCK(pattern.pair_body, 2 * p->npair, p->pair_body),
        BLOCK(values.body_A, 36 * (int64_t)p->nbody, NULL),
        BLOCK(values.pair_A, 36 * (int64_t)p->npair, NULL),
        BLOCK(values.point_A, 36 * (int64_t)p->npoint + 1, NULL),
        BLOCK(values.own, p->nown, NULL),
        BLOCK(values.own_J, 6 * (int64_t)p->nown + 2, NULL),
        BLOCK(values.own_D, p->nown, NULL),
        BLOCK(values.own_on, p->nown, NULL),
        BLOCK(values.part, p->npart, NULL),
        BLOCK(values.link_D, p->nlink, NULL),
        BLOCK(values.link_on, p->nlink, NULL),
        BLOCK(values.joint_J, 12 * (int64_t)p->njoint, NULL),
        BLOCK(values.joint_D, p->njoint, NULL),
        BLOCK(values.joint_on, p->njoint, NULL),
        BLOCK(own_strand, p->nown, NULL),
        BLOCK(rhs, size, NULL),
        BLOCK(residual, size, NULL),
        BLOCK(scale, size, NULL),
    };
    memcpy(list, block, sizeof block);
}

static void set_pointer(snKkt *k, size_t offset, void *pointer)
{
    memcpy((char *)k + offset, &pointer, sizeof pointer);
}

static bool allocate(snKkt *k, const snKktPattern *from)
{
    Block list[NBLOCK];
    list_blocks(from, k->size, list);
    for (int i = 0; i < NBLOCK; ++i) {
        void *memory = sn_alloc((size_t)list[i].count, list[i].size);
        if (!memory) return false;
        if (list[i].copy && list[i].count) memcpy(memory, list[i].copy, (size_t)list[i].count * list[i].size);
        set_pointer(k, list[i].offset, memory);
    }
    return true;
}

static void release(snKkt *k)
{
    Block list[NBLOCK];
    list_blocks(&k->pattern, k->size, list);
    for (int i = 0; i < NBLOCK; ++i) {
        void *memory;
        memcpy(&memory, (char *)k + list[i].offset, sizeof memory);
        sn_free(memory);
    }
    sn_free(k);
}

static void number_vector(snKkt *k, const snKktPattern *p)
{
    k->point0 = 6 * p->nbody;
    k->own0 = k->point0 + 3 * p->npoint;
    k->link0 = k->own0 + p->nown;
    k->joint0 = k->link0 + p->nlink;
    k->size = k->joint0 + p->njoint;
}

static void clear_pattern_pointers(snKktPattern *p)
{
    p->strand_pointadr = p->strand_ownadr = p->own_body = p->link_partadr = p->part_strand = NULL;
    p->joint_body = p->pair_body = NULL;
}

/* Until the caller says otherwise every row is on and the spans of a strand's rows run along it. */
static void default_values(snKkt *k)
{
    const snKktPattern *p = &k->pattern;
    for (int32_t s = 0; s < p->nstrand; ++s) {
        int32_t first = p->strand_ownadr[s], m = p->strand_ownadr[s + 1] - first;
        int32_t last_span = p->strand_pointadr[s + 1] - p->strand_pointadr[s] - 4;
        for (int32_t r = 0; r < m; ++r) {
            k->own_strand[first + r] = s;
            k->values.own[first + r].span = m > 1 && last_span > 0 ? r * last_span / (m - 1) : 0;
        }
    }
    memset(k->values.own_on, 1, (size_t)p->nown);
    memset(k->values.link_on, 1, (size_t)p->nlink);
    memset(k->values.joint_on, 1, (size_t)p->njoint);
}

static atomic_bool portable_only;
void sn_kkt_force_portable(bool on)
{
    atomic_store(&portable_only, on);
}

static bool create_solver(snKkt *k, snKktKind kind)
{
    return kind == SN_KKT_PLAIN ? sn_kkt_plain_create(k) : sn_kkt_strand_create(k, atomic_load(&portable_only));
}

snKkt *sn_kkt_create(const snKktPattern *pattern, snKktKind kind, snPool *pool)
{
    snKkt *k = SN_NEW(snKkt);
    if (!k) return NULL;
    int64_t before = sn_alloc_bytes();
    k->pattern = *pattern;
    clear_pattern_pointers(&k->pattern); /* the caller's: release frees what stands here, also when half is there */
    k->pool = pool;
    number_vector(k, pattern);
    bool ok = allocate(k, pattern);
    if (ok) default_values(k);
    if (!ok || !create_solver(k, kind)) {
        release(k);
        return NULL;
    }
    k->bytes = sn_alloc_bytes() - before + (int64_t)sizeof *k;
    return k;
}

void sn_kkt_destroy(snKkt *k)
{
    if (!k) return;
    k->solver->destroy(k->state);
    release(k);
}

snKktValues *sn_kkt_values(snKkt *k)
{
    return &k->values;
}
int32_t sn_kkt_size(const snKkt *k)
{
    return k->size;
}
int64_t sn_kkt_bytes(const snKkt *k)
{
    return k->bytes;
}
const char *sn_kkt_simd_name(const snKkt *k)
{
    return k->solver->simd_name(k->state);
}

snStatus sn_kkt_factor(snKkt *k, const uint8_t *strand_dirty, int32_t *culprit)
{
    int32_t unused;
    return k->solver->factor(k, strand_dirty, culprit ? culprit : &unused);
}

void sn_kkt_set_aside(snKkt *k)
{
    if (k->solver->swap) k->solver->swap(k);
}

void sn_kkt_put_back(snKkt *k)
{
    if (k->solver->swap)
        k->solver->swap(k);
    else
        (void)sn_kkt_factor(k, NULL, NULL);
}

void sn_kkt_solve(snKkt *k, const double *rhs, double *solution, int32_t refine)
{
    k->solver->solve(k, rhs, solution, refine, 0);
}

void sn_kkt_solve_to(snKkt *k, const double *rhs, double *solution, int32_t refine, double enough)
{
    k->solver->solve(k, rhs, solution, refine, enough);
}

void sn_kkt_solve_bodies(snKkt *k, const double *rhs, double *velocity)
{
    k->solver->solve_bodies(k, rhs, velocity);
}

void sn_kkt_body_response(snKkt *k, int32_t nforce, const int32_t *force_strand, const int32_t *force_adr,
                          const double *force, double *response)
{
    k->solver->body_response(k, nforce, force_strand, force_adr, force, response);
}

void sn_kkt_attach(snKkt *k, const double *rhs, const double *force)
{
    assert((rhs != NULL) == (force != NULL));
    k->attached_rhs = rhs;
    k->attached_force = force;
    k->solver->attach(k);
}

void sn_kkt_respond_bodies(snKkt *k, int32_t count, const double *force, int32_t ld, double *response)
{
    if (count > 0 && k->pattern.nbody > 0) k->solver->respond_bodies(k, count, force, ld, response);
}

void sn_kkt_attached_response(snKkt *k, int32_t count, const int32_t *strand, int32_t ld, double *response)
{
    assert(k->attached_rhs && ld > count && ld % 8 == 0);
    k->solver->attached_response(k, count, strand, ld, response);
}

void sn_kkt_attached_solve(snKkt *k, const double *level, const double *total, double *solution, int32_t refine,
                           double enough)
{
    assert(k->attached_rhs);
    k->solver->attached_solve(k, level, total, solution, refine, enough);
}

bool sn_kkt_is_attached(const snKkt *k)
{
    return k->attached_rhs != NULL;
}

/* A row that is off has no entry in the matrix: its unknown is 0, and so must its right-hand side be. */
void sn_kkt_mask_rhs(const snKkt *k, const double *rhs, double *masked)
{
    const snKktPattern *p = &k->pattern;
    if (masked != rhs) memcpy(masked, rhs, (size_t)k->size * sizeof *masked);
    for (int32_t r = 0; r < p->nown; ++r)
        if (!k->values.own_on[r]) masked[k->own0 + r] = 0;
    for (int32_t r = 0; r < p->nlink; ++r)
        if (!k->values.link_on[r]) masked[k->link0 + r] = 0;
    for (int32_t r = 0; r < p->njoint; ++r)
        if (!k->values.joint_on[r]) masked[k->joint0 + r] = 0;
}

/* The product with the matrix. ---------------------------------------------------------------------------------- */

/* residual -= K x, scale += |K| |x|, one pair of entries at a time. scale may be NULL. */
typedef struct Product {
    const double *x;
    double *residual, *scale;
} Product;

static inline void add_entry(Product q, int32_t i, int32_t j, double a)
{
    q.residual[i] -= a * q.x[j];
    if (q.scale) q.scale[i] += fabs(a * q.x[j]);
}

static inline void add_both(Product q, int32_t i, int32_t j, double a)
{
    add_entry(q, i, j, a);
    add_entry(q, j, i, a);
}

static void add_body_blocks(const snKkt *k, Product q)
{
    const snKktPattern *p = &k->pattern;
    for (int32_t b = 0; b < p->nbody; ++b)
        for (int32_t e = 0; e < 36; ++e) add_entry(q, 6 * b + e / 6, 6 * b + e % 6, k->values.body_A[36 * b + e]);
    for (int32_t c = 0; c < p->npair; ++c) {
        int32_t i = 6 * p->pair_body[2 * c], j = 6 * p->pair_body[2 * c + 1];
        for (int32_t e = 0; e < 36; ++e) add_both(q, i + e / 6, j + e % 6, k->values.pair_A[36 * c + e]);
    }
}

/* Cubic basis functions overlap with their next three neighbours, so a point is coupled with those; the lower half of
 * the band is the transpose of the upper one and is not kept. */
static void add_strand_band(const snKkt *k, Product q, int32_t s)
{
    int32_t first = k->pattern.strand_pointadr[s], end = k->pattern.strand_pointadr[s + 1];
    for (int32_t i = first; i < end; ++i) {
        const double *a = k->values.point_A + 36 * (ptrdiff_t)i;
        int32_t row = k->point0 + 3 * i;
        for (int32_t e = 0; e < 9; ++e) add_entry(q, row + e / 3, row + e % 3, a[e]);
        for (int32_t c = 1; c < 4 && i + c < end; ++c)
            for (int32_t e = 0; e < 9; ++e) add_both(q, row + e / 3, row + 3 * c + e % 3, a[9 * c + e]);
    }
}

/* A row that holds a place on a strand: the four control points of its span by their basis values, along n. */
static void add_part(const snKkt *k, Product q, int32_t row, int32_t strand, const snKktPart *part)
{
    int32_t point = sn_kkt_point_index(k, strand, part->span);
    for (int32_t e = 0; e < 12; ++e) add_both(q, row, point + e, part->b[e / 3] * part->n[e % 3]);
}

static void add_wrench(Product q, int32_t row, int32_t body, const double *J)
{
    if (body < 0) return;
    for (int32_t c = 0; c < 6; ++c) add_both(q, row, 6 * body + c, J[c]);
}

/* Rows of constraints. D, their compliance, stands with a minus on the diagonal: that makes the system quasidefinite,
 * so that it can be factored in any order without pivoting. */
static void add_rows(const snKkt *k, Product q)
{
    const snKktPattern *p = &k->pattern;
    const snKktValues *v = &k->values;
    for (int32_t r = 0; r < p->nown; ++r) {
        if (!v->own_on[r]) continue;
        add_part(k, q, k->own0 + r, k->own_strand[r], &v->own[r]);
        add_wrench(q, k->own0 + r, p->own_body[r], v->own_J + 6 * r);
        add_entry(q, k->own0 + r, k->own0 + r, -v->own_D[r]);
    }
    for (int32_t r = 0; r < p->nlink; ++r) {
        if (!v->link_on[r]) continue;
        for (int32_t e = p->link_partadr[r]; e < p->link_partadr[r + 1]; ++e)
            add_part(k, q, k->link0 + r, p->part_strand[e], &v->part[e]);
        add_entry(q, k->link0 + r, k->link0 + r, -v->link_D[r]);
    }
    for (int32_t r = 0; r < p->njoint; ++r) {
        if (!v->joint_on[r]) continue;
        for (int32_t side = 0; side < 2; ++side)
            add_wrench(q, k->joint0 + r, p->joint_body[2 * r + side], v->joint_J + 12 * r + 6 * side);
        add_entry(q, k->joint0 + r, k->joint0 + r, -v->joint_D[r]);
    }
}

/* A NaN is the answer if there is one; fmax alone would pass over it. */
static double largest(const double *a, int32_t n)
{
    double best = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (isnan(a[i])) return a[i];
        best = fmax(best, fabs(a[i]));
    }
    return best;
}

double sn_kkt_residual_scaled(const snKkt *k, const double *rhs, const double *solution, double *residual,
                              double *scale)
{
    assert(residual != rhs && residual != solution);
    Product q = {solution, residual, scale};
    sn_kkt_mask_rhs(k, rhs, residual);
    for (int32_t i = 0; scale && i < k->size; ++i) scale[i] = fabs(residual[i]);
    add_body_blocks(k, q);
    for (int32_t s = 0; s < k->pattern.nstrand; ++s) add_strand_band(k, q, s);
    add_rows(k, q);
    if (!scale) return 0;
    double size = largest(scale, k->size), off = largest(residual, k->size);
    return off == 0 ? 0 : off / size;
}

double sn_kkt_residual(const snKkt *k, const double *rhs, const double *solution, double *residual)
{
    return sn_kkt_residual_scaled(k, rhs, solution, residual, k->scale);
}
