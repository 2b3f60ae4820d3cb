/* Loops over the items of the strand-structured solver, each on some worker with scratch of its own; and what factoring
 * and solving share. */
#ifndef SN_SYSTEM_STRAND_JOB_H
#define SN_SYSTEM_STRAND_JOB_H

#include "system/strand_solver.h"

#include <stdatomic.h>

typedef struct snStrandJob snStrandJob;
struct snStrandJob {
    snKkt *k;
    snStrandSolver *s;
    void (*run)(snStrandJob *job, int32_t item, int32_t worker);
    int32_t count;
    atomic_int next;
    const uint8_t *dirty; /* factor */
    const double *rhs;    /* solve */
    const double *level;  /* solve with what is attached; NULL without */
    bool first, last;
    int32_t nforce; /* body response: the forces of one chunk */
    const int32_t *force_strand, *force_adr;
    const double *force;
    double *response;
    int32_t ld;           /* of the response by rows */
    const int32_t *order; /* of forces on bodies: those that are answered together follow each other */
};

static inline void sn_strand_work(void *context, int32_t worker)
{
    snStrandJob *job = context;
    for (int32_t i; (i = atomic_fetch_add(&job->next, 1)) < job->count;) job->run(job, i, worker);
}

static inline void sn_strand_run(snStrandJob *job, int32_t count, void (*run)(snStrandJob *, int32_t, int32_t))
{
    job->run = run;
    job->count = count;
    atomic_store(&job->next, 0);
    sn_pool_loop(job->k->pool, count < job->s->nworker ? count : job->s->nworker, sn_strand_work, job);
}

/* The border of a lane for the attached right-hand side (0) or force (1). */
static inline double *sn_kept_border(const snStrandSolver *s, int32_t lane, int r)
{
    return s->kept_border + (2 * (int64_t)lane + r) * s->border_size;
}

/* The lanes' pieces of a vector as in kkt.h. Kernels take one type for what they read and what they write. */
static inline snLaneVector sn_lanes_in(const snKkt *k, const snBatch *b, const double *vector)
{
    snLaneVector v = {.stride = 3};
    for (int l = 0; l < SN_LANES; ++l) {
        v.point[l] = (double *)vector + k->point0 + 3 * b->lane[l].point;
        v.row[l] = (double *)vector + k->own0 + b->lane[l].own;
    }
    return v;
}

/* strand_factor.c */
snStatus sn_strand_factor(snKkt *k, const uint8_t *strand_dirty, int32_t *culprit);

#endif
