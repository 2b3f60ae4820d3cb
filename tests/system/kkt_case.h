/* Random systems of every kind for the tests of the linear solvers. */
#ifndef SN_TESTS_KKT_CASE_H
#define SN_TESTS_KKT_CASE_H

#include "base/alloc.h"
#include "system/kkt.h"

#include <stdlib.h>
#include <string.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline double uniform(Random *r)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(r->state >> 11) / 9007199254740992.0;
}
static inline double signed_unit(Random *r)
{
    return 2 * uniform(r) - 1;
}
static inline int32_t below(Random *r, int32_t n)
{
    return (int32_t)(uniform(r) * n);
}

/* What a system is made of. Zeroed counts are fine. */
typedef struct KktCase {
    uint64_t seed;
    int32_t nbody, nstrand, min_point, max_point, max_own;
    int32_t nlink2, nlink5, njoint, npair;
    double min_D, max_D, off; /* off: share of rows that are switched off */
    bool redundant;           /* every second own row repeats the one before */
} KktCase;

typedef struct KktArrays {
    snKktPattern pattern;
    int32_t pointadr[600], ownadr[600], body[12000], partadr[2000], part[6000], joint[4000], pair[600];
} KktArrays;

static inline void make_pattern(const KktCase *c, KktArrays *a)
{
    Random r = {c->seed};
    snKktPattern *p = &a->pattern;
    *p = (snKktPattern){.nbody = c->nbody, .nstrand = c->nstrand, .nlink = c->nlink2 + c->nlink5, .njoint = c->njoint};
    for (int32_t s = 0; s < c->nstrand; ++s) {
        a->pointadr[s] = p->npoint;
        a->ownadr[s] = p->nown;
        p->npoint += c->min_point + below(&r, c->max_point - c->min_point + 1);
        int32_t m = below(&r, c->max_own + 1);
        for (int32_t i = 0; i < m; ++i)
            a->body[p->nown++] = c->nbody == 0 || uniform(&r) < 0.3 ? -1 : (i * c->nbody / m + below(&r, 3)) % c->nbody;
    }
    a->pointadr[c->nstrand] = p->npoint;
    a->ownadr[c->nstrand] = p->nown;
    for (int32_t l = 0; l < p->nlink; ++l) {
        a->partadr[l] = p->npart;
        int32_t first = below(&r, c->nstrand), parts = l < c->nlink2 ? 2 : 5;
        for (int32_t e = 0; e < parts; ++e) a->part[p->npart++] = (first + e / (parts > 2 ? 2 : 1)) % c->nstrand;
    }
    a->partadr[p->nlink] = p->npart;
    for (int32_t j = 0; j < c->njoint; ++j) {
        int32_t first = below(&r, c->nbody);
        a->joint[2 * j] = j % 5 == 4 ? -1 : first;
        a->joint[2 * j + 1] = j % 5 == 3 ? -1 : (first + 1) % c->nbody;
        if (a->joint[2 * j] < 0 && a->joint[2 * j + 1] < 0) a->joint[2 * j] = first;
        if (a->joint[2 * j] == a->joint[2 * j + 1]) a->joint[2 * j + 1] = -1;
    }
    for (int32_t e = 0; e < c->npair && e + 1 < c->nbody; ++e, ++p->npair)
        a->pair[2 * e] = e, a->pair[2 * e + 1] = e + 1;
    p->strand_pointadr = a->pointadr, p->strand_ownadr = a->ownadr, p->own_body = a->body;
    p->link_partadr = a->partadr, p->part_strand = a->part, p->joint_body = a->joint, p->pair_body = a->pair;
}

static inline void random_part(Random *r, snKktPart *part, int32_t n, double along)
{
    double u = uniform(r), last = n - 4;
    for (int c = 0; c < 3; ++c) part->n[c] = signed_unit(r);
    part->b[0] = (1 - u) * (1 - u) * (1 - u) / 6;
    part->b[3] = u * u * u / 6;
    part->b[1] = 2.0 / 3 - u * u + u * u * u / 2;
    part->b[2] = 1 - part->b[0] - part->b[1] - part->b[3];
    double span = along < 0 ? uniform(r) * (last + 1) : along * last + 1.5 * uniform(r);
    part->span = span > last ? (int32_t)last : (int32_t)span;
}

static inline double random_D(Random *r, const KktCase *c)
{
    return c->min_D * pow(c->max_D / c->min_D, uniform(r));
}

static inline int32_t strand_points(const snKktPattern *p, int32_t s)
{
    return p->strand_pointadr[s + 1] - p->strand_pointadr[s];
}

static inline void random_strand(Random *r, const KktCase *c, const snKktPattern *p, snKktValues *v, int32_t s)
{
    int32_t n = strand_points(p, s), first = p->strand_ownadr[s], m = p->strand_ownadr[s + 1] - first;
    for (int32_t i = 0; i < n; ++i) {
        double *a = v->point_A + 36 * (p->strand_pointadr[s] + i);
        for (int e = 0; e < 36; ++e) a[e] = 0.25 * signed_unit(r);
        for (int e = 0; e < 3; ++e)
            for (int g = 0; g < e; ++g) a[3 * e + g] = a[3 * g + e];
        for (int e = 0; e < 3; ++e) a[4 * e] = 5.5 + uniform(r);
    }
    for (int32_t i = 0; i < m; ++i) {
        int32_t row = first + i;
        random_part(r, &v->own[row], n, i % 7 == 6 ? -1 : (double)i / m);
        for (int e = 0; e < 6; ++e) v->own_J[6 * row + e] = signed_unit(r);
        v->own_D[row] = random_D(r, c);
        v->own_on[row] = uniform(r) >= c->off;
        if (c->redundant && i % 2 && p->own_body[row] == p->own_body[row - 1]) {
            v->own[row] = v->own[row - 1];
            memcpy(v->own_J + 6 * row, v->own_J + 6 * (row - 1), 6 * sizeof(double));
        }
    }
}

static inline void random_values(const KktCase *c, const snKktPattern *p, snKktValues *v, uint64_t seed)
{
    Random r = {seed};
    for (int32_t b = 0; b < p->nbody; ++b)
        for (int e = 0; e < 6; ++e)
            for (int g = 0; g <= e; ++g)
                v->body_A[36 * b + 6 * e + g] = v->body_A[36 * b + 6 * g + e] =
                    e == g ? 6 + uniform(&r) : 0.4 * signed_unit(&r);
    for (int32_t e = 0; e < 36 * p->npair; ++e) v->pair_A[e] = 0.2 * signed_unit(&r);
    for (int32_t s = 0; s < p->nstrand; ++s) random_strand(&r, c, p, v, s);
    for (int32_t l = 0; l < p->nlink; ++l) {
        for (int32_t e = p->link_partadr[l]; e < p->link_partadr[l + 1]; ++e)
            random_part(&r, &v->part[e], strand_points(p, p->part_strand[e]), -1);
        v->link_D[l] = random_D(&r, c);
        v->link_on[l] = uniform(&r) >= c->off;
    }
    for (int32_t j = 0; j < p->njoint; ++j) {
        for (int e = 0; e < 12; ++e) v->joint_J[12 * j + e] = signed_unit(&r);
        v->joint_D[j] = random_D(&r, c);
        v->joint_on[j] = uniform(&r) >= c->off;
    }
}

static inline void copy_values(const snKktPattern *p, snKktValues *to, const snKktValues *from)
{
    memcpy(to->body_A, from->body_A, 36 * (size_t)p->nbody * sizeof(double));
    memcpy(to->pair_A, from->pair_A, 36 * (size_t)p->npair * sizeof(double));
    memcpy(to->point_A, from->point_A, 36 * (size_t)p->npoint * sizeof(double));
    memcpy(to->own, from->own, (size_t)p->nown * sizeof *to->own);
    memcpy(to->own_J, from->own_J, 6 * (size_t)p->nown * sizeof(double));
    memcpy(to->own_D, from->own_D, (size_t)p->nown * sizeof(double));
    memcpy(to->own_on, from->own_on, (size_t)p->nown);
    memcpy(to->part, from->part, (size_t)p->npart * sizeof *to->part);
    memcpy(to->link_D, from->link_D, (size_t)p->nlink * sizeof(double));
    memcpy(to->link_on, from->link_on, (size_t)p->nlink);
    memcpy(to->joint_J, from->joint_J, 12 * (size_t)p->njoint * sizeof(double));
    memcpy(to->joint_D, from->joint_D, (size_t)p->njoint * sizeof(double));
    memcpy(to->joint_on, from->joint_on, (size_t)p->njoint);
}

static inline double *random_vector(int32_t n, uint64_t seed)
{
    Random r = {seed};
    double *x = malloc((size_t)(n + 1) * sizeof *x);
    for (int32_t i = 0; i < n; ++i) x[i] = signed_unit(&r);
    return x;
}

static inline double largest_of(const double *x, int32_t n)
{
    double best = 0;
    for (int32_t i = 0; i < n; ++i) best = !(fabs(x[i]) <= best) ? fabs(x[i]) : best;
    return best;
}

/* The largest difference relative to the largest entry. */
static inline double difference(const double *x, const double *y, int32_t n)
{
    double best = 0, size = largest_of(y, n);
    for (int32_t i = 0; i < n; ++i) best = !(fabs(x[i] - y[i]) <= best) ? fabs(x[i] - y[i]) : best;
    return size > 0 ? best / size : best;
}

/* Small and large, with and without each kind of thing. */
static const KktCase kkt_cases[] = {
    {.seed = 1, .nbody = 3, .nstrand = 5, .min_point = 4, .max_point = 9, .max_own = 8, .min_D = 1e-6, .max_D = 1e-4},
    {.seed = 2,
     .nbody = 5,
     .nstrand = 9,
     .min_point = 4,
     .max_point = 14,
     .max_own = 20,
     .nlink2 = 6,
     .njoint = 12,
     .npair = 3,
     .min_D = 1e-6,
     .max_D = 1e-5},
    {.seed = 3,
     .nbody = 4,
     .nstrand = 6,
     .min_point = 5,
     .max_point = 7,
     .max_own = 12,
     .nlink2 = 4,
     .nlink5 = 5,
     .njoint = 10,
     .npair = 2,
     .min_D = 1e-9,
     .max_D = 1e-4},
    {.seed = 4,
     .nbody = 0,
     .nstrand = 7,
     .min_point = 4,
     .max_point = 10,
     .max_own = 9,
     .nlink2 = 5,
     .nlink5 = 3,
     .min_D = 1e-6,
     .max_D = 1e-6},
    {.seed = 5, .nbody = 6, .nstrand = 0, .njoint = 18, .npair = 5, .min_D = 1e-6, .max_D = 1e-6},
    {.seed = 6,
     .nbody = 4,
     .nstrand = 10,
     .min_point = 6,
     .max_point = 12,
     .max_own = 16,
     .nlink2 = 8,
     .nlink5 = 4,
     .njoint = 9,
     .min_D = 1e-6,
     .max_D = 1e-6,
     .off = 0.4},
    {.seed = 7,
     .nbody = 4,
     .nstrand = 8,
     .min_point = 8,
     .max_point = 12,
     .max_own = 14,
     .nlink2 = 3,
     .njoint = 6,
     .min_D = 1e-6,
     .max_D = 1e-6,
     .redundant = true},
    {.seed = 8,
     .nbody = 2,
     .nstrand = 3,
     .min_point = 6,
     .max_point = 6,
     .max_own = 0,
     .nlink2 = 2,
     .njoint = 4,
     .min_D = 1e-7,
     .max_D = 1e-5},
    {.seed = 9,
     .nbody = 17,
     .nstrand = 54,
     .min_point = 10,
     .max_point = 14,
     .max_own = 26,
     .nlink2 = 20,
     .nlink5 = 6,
     .njoint = 70,
     .npair = 10,
     .min_D = 1e-9,
     .max_D = 1e-4,
     .off = 0.1},
    {.seed = 10,
     .nbody = 1,
     .nstrand = 1,
     .min_point = 30,
     .max_point = 30,
     .max_own = 3,
     .min_D = 1e-6,
     .max_D = 1e-6},
};
enum { NCASE = sizeof kkt_cases / sizeof *kkt_cases };

#endif
