/* The linear system of one step, and the two solvers behind one interface.
 *
 *     [ A   G' ] [ x ]   [ f ]
 *     [ G  -D  ] [ y ] = [ r ]        A symmetric positive definite, D diagonal and positive
 *
 * x holds 6 velocities for each free body and 3 for each strand control point; y one multiplier per
 * row. A has a 6x6 block per body, some 6x6 blocks between bodies (joint springs), and for each
 * strand a band of 3x3 blocks. Rows are of three kinds:
 *   own row     touches one strand and at most one free body (fixed, sliding, surface)
 *   link row    touches points of two or more strands, no body (strand to strand, strut, volume)
 *   joint row   touches one or two bodies, no strand (joints, limits)
 * A row meets a strand only through one of its points p(s): n . p(s), so its strand part is a span,
 * four basis values and a direction. Values and spans may change from step to step, the pattern
 * (who touches whom) does not. A row that is switched off keeps its place: it is treated as y = 0. Numbers that have no
 * meaning (rows that are off, blocks past the end of a strand, the side of a body -1) are never read.
 * List the own rows of a strand in their order along it: the structured solver then skips more zeros.
 *
 * Vectors (right-hand side, solution) are laid out as
 *     [ body 6*nbody | point 3*npoint | own rows | link rows | joint rows ]. */
#ifndef SN_SPARSE_KKT_H
#define SN_SPARSE_KKT_H

#include "base/parallel.h"
#include "sinew/base.h"

#include <stdint.h>

typedef struct snKktPattern {
    int32_t nbody, nstrand, npoint; /* free bodies, strands, control points of all strands */
    int32_t nown, nlink, njoint, npart, npair;
    const int32_t *strand_pointadr; /* nstrand + 1: first control point of each strand */
    const int32_t *strand_ownadr;   /* nstrand + 1: first own row of each strand */
    const int32_t *own_body;        /* nown: free body, or -1 */
    const int32_t *link_partadr;    /* nlink + 1: first part of each link row */
    const int32_t *part_strand;     /* npart: strand of each part */
    const int32_t *joint_body;      /* 2 * njoint: free bodies, or -1 */
    const int32_t *pair_body; /* 2 * npair: two different free bodies with a 6x6 block between them, first < second */
} snKktPattern;

/* The strand side of a row: sum over k of b[k] n . q[span + k]. span counts within the strand. */
typedef struct snKktPart {
    double b[4], n[3];
    int32_t span;
} snKktPart;

/* The numbers of one step. All arrays belong to the solver object and are written by the caller. */
typedef struct snKktValues {
    double *body_A; /* nbody * 36, row-major, full symmetric block */
    double *pair_A; /* npair * 36, row-major, block (first, second) */
    /* npoint * 36: for control point i and k = 0..3 the row-major 3x3 block (i, i + k) at 36 i + 9 k */
    double *point_A;
    snKktPart *own;    /* nown */
    double *own_J;     /* nown * 6: body side */
    double *own_D;     /* nown */
    uint8_t *own_on;   /* nown: 0 switches the row off */
    snKktPart *part;   /* npart */
    double *link_D;    /* nlink */
    uint8_t *link_on;  /* nlink */
    double *joint_J;   /* njoint * 12: first body's six, second body's six */
    double *joint_D;   /* njoint */
    uint8_t *joint_on; /* njoint */
} snKktValues;

typedef enum snKktKind {
    SN_KKT_STRAND, /* strand by strand, in SIMD lanes, threaded: the default */
    SN_KKT_PLAIN   /* AMD and up-looking LDL': any structure, the reference */
} snKktKind;

typedef struct snKkt snKkt;

/* Copies the pattern. pool may be NULL and must outlive the object. NULL when out of memory. */
snKkt *sn_kkt_create(const snKktPattern *pattern, snKktKind kind, snPool *pool);
void sn_kkt_destroy(snKkt *kkt); /* NULL is fine */
snKktValues *sn_kkt_values(snKkt *kkt);
int32_t sn_kkt_size(const snKkt *kkt); /* length of a vector */

/* Factors the current values. SN_DIVERGED when a pivot is not positive or not finite; *culprit then is the
 * strand (>= 0; for a link row the first it touches), or -1 - body. strand_dirty may be NULL; otherwise strands whose
 * entry is 0 have the same values as at the last factorisation (body, pair, link and joint
 * values may always differ). */
snStatus sn_kkt_factor(snKkt *kkt, const uint8_t *strand_dirty, int32_t *culprit);

/* Sets the factors aside, so that others can be made and used for a while: values of bodies and joint rows may change
 * and change back, no strand is dirty meanwhile. sn_kkt_put_back returns to the factors set aside, once the values are
 * again those they were made of. */
void sn_kkt_set_aside(snKkt *kkt);
void sn_kkt_put_back(snKkt *kkt);

/* solution = K^-1 rhs with `refine` steps of iterative refinement. rhs and solution may be the same. */
void sn_kkt_solve(snKkt *kkt, const double *rhs, double *solution, int32_t refine);
/* The same, but refines no further once the largest residual is at most `enough` of the largest right-hand side of a
 * control point (of the bodies not: a driven one is as good as infinitely heavy). */
void sn_kkt_solve_to(snKkt *kkt, const double *rhs, double *solution, int32_t refine, double enough);

/* The velocities of the bodies alone (6 * nbody), without refinement: about half the work. */
void sn_kkt_solve_bodies(snKkt *kkt, const double *rhs, double *velocity);

/* residual = rhs - K solution, from the values as they are (switched-off rows give zero). Returns its largest
 * absolute entry relative to the largest of |rhs| + |K| |solution|. */
double sn_kkt_residual(const snKkt *kkt, const double *rhs, const double *solution, double *residual);

/* The velocities of the bodies, 6 * nbody each, that answer to forces on single strands: force j acts on the control
 * points of strand force_strand[j] with force + force_adr[j] (3 per point). response is column j at
 * response + 6 * nbody * j. Needs a factorisation. */
void sn_kkt_body_response(snKkt *kkt, int32_t nforce, const int32_t *force_strand, const int32_t *force_adr,
                          const double *force, double *response);

/* The velocities of the bodies that answer to forces on the bodies themselves: force j is 6 * nbody numbers at
 * force + 6 * nbody * j; its answer is column j of response, whose 6 * nbody rows are ld
 * apart. Needs a factorisation. */
void sn_kkt_respond_bodies(snKkt *kkt, int32_t count, const double *force, int32_t ld, double *response);

/* Right-hand sides that are known before the factorisation: rhs, laid out as all are, and a force on each strand alone,
 * 3 numbers for each control point. While they are set, sn_kkt_factor eliminates the strands for both at once, each
 * while it is in the cache. The arrays stay the caller's; what they hold of a strand may change when the strand is
 * dirty at the next factorisation. NULL twice: no longer. */
void sn_kkt_attach(snKkt *kkt, const double *rhs, const double *force);

/* After a factorisation with right-hand sides attached: the velocities of the bodies, 6 * nbody rows, that answer to
 * the forces on `count` strands, a column for each, and in column `count` those under rhs. Rows are ld apart, a
 * multiple of 8 above count; what is behind the last column is overwritten. */
void sn_kkt_attached_response(snKkt *kkt, int32_t count, const int32_t *strand, int32_t ld, double *response);

/* As sn_kkt_solve_to for `total` = rhs + level[s] times the force on each strand s: two passes over the strands fewer
 * than without what the factorisation has kept. */
void sn_kkt_attached_solve(snKkt *kkt, const double *level, const double *total, double *solution, int32_t refine,
                           double enough);
bool sn_kkt_is_attached(const snKkt *kkt);

int64_t sn_kkt_bytes(const snKkt *kkt); /* memory it holds; a guess when other threads allocated while it was made */
const char *sn_kkt_simd_name(const snKkt *kkt); /* "avx2", "portable" */
/* For tests and benchmarks: force the portable lanes in objects created from now on. */
void sn_kkt_force_portable(bool on);

#endif
