/* What the two solvers behind kkt.h share: the copied pattern, the values and the layout of a vector. */
#ifndef SN_SPARSE_KKT_INTERNAL_H
#define SN_SPARSE_KKT_INTERNAL_H

#include "system/kkt.h"

/* A solver. Each function gets the object that holds it; state is the solver's own. */
typedef struct snKktSolver {
    void (*destroy)(void *state);
    snStatus (*factor)(snKkt *kkt, const uint8_t *strand_dirty, int32_t *culprit);
    void (*swap)(snKkt *kkt); /* factors with those set aside; NULL: they have to be made again */
    void (*solve)(snKkt *kkt, const double *rhs, double *solution, int32_t refine, double enough);
    void (*solve_bodies)(snKkt *kkt, const double *rhs, double *velocity);
    void (*body_response)(snKkt *kkt, int32_t nforce, const int32_t *force_strand, const int32_t *force_adr,
                          const double *force, double *response);
    void (*respond_bodies)(snKkt *kkt, int32_t count, const double *force, int32_t ld, double *response);
    void (*attached_response)(snKkt *kkt, int32_t count, const int32_t *strand, int32_t ld, double *response);
    void (*attached_solve)(snKkt *kkt, const double *level, const double *total, double *solution, int32_t refine,
                           double enough);
    void (*attach)(snKkt *kkt);
    const char *(*simd_name)(const void *state);
} snKktSolver;

struct snKkt {
    snKktPattern pattern;                        /* arrays owned */
    snKktValues values;                          /* arrays owned */
    int32_t point0, own0, link0, joint0, size;   /* where each kind starts in a vector */
    int32_t *own_strand;                         /* nown */
    double *rhs, *residual, *scale;              /* size each */
    snPool *pool;                                /* may be NULL */
    const double *attached_rhs, *attached_force; /* both or none */
    const snKktSolver *solver;
    void *state;
    int64_t bytes;
};

/* Makes the solver's state and sets kkt->solver; false when out of memory, with nothing left behind. */
bool sn_kkt_plain_create(snKkt *kkt);
bool sn_kkt_strand_create(snKkt *kkt, bool portable);

/* As sn_kkt_residual; without the scale when scale is NULL, and then returns 0. */
double sn_kkt_residual_scaled(const snKkt *kkt, const double *rhs, const double *solution, double *residual,
                              double *scale);
/* Copies rhs, with zeros for the rows that are switched off. */
void sn_kkt_mask_rhs(const snKkt *kkt, const double *rhs, double *masked);
/* The index in a vector of control point `point` (within the strand) of a strand. */
static inline int32_t sn_kkt_point_index(const snKkt *kkt, int32_t strand, int32_t point)
{
    return kkt->point0 + 3 * (kkt->pattern.strand_pointadr[strand] + point);
}

#endif
