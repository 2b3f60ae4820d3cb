/* Muscles and tendons routed over points and wraps on bones, as kernels over arrays: length, its derivatives by joint
 * coordinates, force. Knows no tree and no model: links are numbers with a motion, as tree/tree.h describes them.
 *
 * A path runs straight from point to point; between two points it may pass over a cylinder or a sphere, along the
 * shortest curve on the chosen side. With u_k the direction from point k to the next, g_k = u_(k-1) - u_k:
 *     P_j = dl/dq_j = S_j . sum over points behind j of (p_k x g_k; g_k);   torque = -P f,   moment arm = -P
 * P is sparse: a path has an entry for each link that moves some of its points but not all.
 * Invariants: neighbouring points do not coincide; every path has at least 2 points. */
#ifndef SN_PATH_PATH_H
#define SN_PATH_PATH_H

#include "math/law.h"
#include "math/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum snWrapKind {
    SN_WRAP_CYLINDER,
    SN_WRAP_SPHERE,
    SN_WRAP_SURFACE /* of any shape: cords only, see geodesic.h */
} snWrapKind;

/* On which side of a cylinder or a sphere a path passes. */
typedef enum snWrapRule {
    SN_WRAP_MIDDLE,  /* by the middle between its ends: on that side of the axis that wrap_side points to */
    SN_WRAP_TANGENT, /* by the middle of where its tangents touch, also where the straight line is free but on the wrong
                        side; wrap_side 0: the shorter way */
    SN_WRAP_INSIDE /* through the circle: where the straight line misses it, the path bends at the nearest point of it */
} snWrapRule;

/* The muscle on a path. Both stretches are straight lines over the length of the path l:
 *     x = x_neutral + (l - neutral_length) / fibre_length                            of the fibres
 *     s = passive_neutral + (l - neutral_length) / passive_length                    of the parallel element
 *     f = strength a F0 L(x) max(0, 1 + min(ldot, 0) / v_max)
 *         + weight max(0, F0 passive_scale P(s) + passive_damping sdot)
 * The damper is silent where P(s) <= 0. A rigid tendon is in these figures: x_neutral says how long the fibres are in
 * the neutral pose. Pennation: multiply fibre_length and max_force by its cosine.
 *   upper body      SN_LAW_RAMP_ACTIVE; SN_LAW_EXPONENTIAL_PASSIVE over l / slack length (passive_length = slack length,
 *                   passive_neutral = neutral_length / slack length), passive_scale 1, passive_damping 0.1 * 0.8 F0,
 *                   v_max = 8 fibre_length
 *   clinical hand   SN_LAW_BLIX_ACTIVE and SN_LAW_BLIX_PASSIVE, or the Hill laws, both over the fibres (passive_length =
 *                   fibre_length, passive_neutral = x_neutral) */
typedef struct snPathMuscle {
    double max_force;       /* F0, N; 0: no active part */
    double neutral_length;  /* of the path at q = 0, m: sn_path_neutral_length gives it */
    double fibre_length;    /* optimal, m */
    double x_neutral;       /* fibre length over the optimal one at q = 0 */
    double v_max;           /* shortening speed of the path at which no active force is left, m/s; infinite: none */
    double passive_length;  /* m per unit of the passive law's stretch */
    double passive_neutral; /* the passive law's stretch at q = 0 */
    double passive_scale;   /* passive force = F0 passive_scale P(s); 0: none */
    double passive_damping; /* N s, times the rate of s */
    int32_t active_law, passive_law; /* indices into snPathSet.law */
} snPathMuscle;

/* The immutable description. Whoever fills it owns the arrays. */
typedef struct snPathSet {
    int32_t npath, npoint, nwrap, nlaw;
    const int32_t *pointadr;     /* npath + 1: points of path i are pointadr[i] .. pointadr[i + 1] - 1 */
    const int32_t *point_link;   /* npoint: -1: fixed */
    const double *point;         /* 3 npoint: neutral world, m */
    const int32_t *point_wrap;   /* npoint: wrap between this point and the next, -1: none. NULL: no wraps */
    const snWrapKind *wrap_kind; /* nwrap */
    const int32_t *wrap_link;    /* nwrap */
    const double *wrap_centre;   /* 3 nwrap: a point on the axis, or the centre; neutral world, m */
    const double *wrap_axis;     /* 3 nwrap: unit vector; of a sphere ignored */
    const double *wrap_radius;   /* nwrap: m */
    const double *wrap_side; /* 3 nwrap: cylinder: the path passes on the side of the axis that this direction (neutral
                                world) points to; zero: whichever is shorter. Of a sphere ignored: always the shorter */
    const snWrapRule *wrap_rule; /* nwrap; NULL: SN_WRAP_MIDDLE for all */
    const int32_t *follows;      /* ndof: as snTree.follows; NULL: every link is its own coordinate */
    const snPathMuscle *muscle;  /* npath; NULL: lengths only */
    const snLaw *law;            /* nlaw */
} snPathSet;

/* Links as tree/tree.h makes them. */
typedef struct snPathLinks {
    int32_t ndof;
    const int32_t *parent;              /* ndof */
    const bool *slides;                 /* ndof */
    const double *rotation, *shift, *S; /* 9, 3, 6 per link, now */
    const double *bend;                 /* 6 per link: for second derivatives where links follow others, else NULL */
} snPathLinks;

/* What evaluating leaves behind, and its scratch. Open for reading. */
typedef struct snPathWork {
    /* the pattern of P, set once. A slot is a link that changes the length of a path; its entry is the column of P of the
     * coordinate that moves it. Where no link follows another the two are the same. */
    int32_t nnz, nslot;
    int32_t *rowadr;    /* npath + 1 */
    int32_t *col;       /* nnz: coordinates, rising within a path */
    int32_t *slotadr;   /* npath + 1 */
    int32_t *link;      /* nslot: links, rising within a path */
    int32_t *entry;     /* nslot: entry (within its path) that the slot adds to */
    int32_t *above;     /* nslot: slot (within its path) of the link above, -1: none */
    int32_t *slot;      /* npoint: slot (within its path) of the last link that moves the point, -1: none */
    int32_t *wrap_slot; /* npoint: the same of the wrap that follows the point */
    int32_t max_row;    /* largest number of slots of a path */
    /* by sn_path_lengths */
    double *now;    /* 3 npoint: points, world, m */
    double *length; /* npath, m */
    double *P;      /* nnz, m/rad or m/m */
    double *curl;   /* nslot: what the second derivative has on the diagonal where a link follows another */
    bool *touches;  /* npoint: the wrap that follows the point is touched */
    /* by sn_path_rates */
    double *rate; /* npath: dl/dt, m/s */
    /* by sn_path_forces */
    double *passive, *passive_l, *passive_v; /* npath: f_p and its derivatives by l and ldot: N, N/m, N s/m */
    double *active, *active_l, *active_v;    /* npath: force at activation 1, and its derivatives */
    double *kept; /* by sn_path_geometric, after sn_path_keep: d2l/dq2 of every path, one after the other */
    bool is_kept; /* they are of the present lengths */
    double *scratch;
    void *block;
} snPathWork;

snPathWork *sn_path_create(const snPathSet *set, int32_t ndof, const int32_t *parent); /* NULL when out of memory */
void sn_path_destroy(snPathWork *work);                                                /* NULL is fine */

/* Length of one path in the neutral pose: for filling in snPathMuscle. Needs no work. */
double sn_path_neutral_length(const snPathSet *set, int32_t path);
/* Points, lengths and P. */
void sn_path_lengths(const snPathSet *set, const snPathLinks *links, snPathWork *work);
/* The same of one path; what is known of the others stays as it is. */
void sn_path_length(const snPathSet *set, const snPathLinks *links, snPathWork *work, int32_t path);
/* rate = P v. Needs lengths. */
void sn_path_rates(const snPathSet *set, snPathWork *work, const double *v);
/* Forces and slopes at activation 0 and 1 from length and rate. strength and weight (npath each, NULL for 1) scale the
 * active and the passive part. Needs lengths and rates. */
void sn_path_forces(const snPathSet *set, snPathWork *work, const double *strength, const double *weight);

/* Adds -P f to tau (ndof). */
void sn_path_push(const snPathSet *set, const snPathWork *work, const double *f, double *tau);
/* Adds P diag(w) P' to the upper half of A. */
void sn_path_stiffness(const snPathSet *set, const snPathWork *work, const double *w, double *A, int32_t ld);
/* Adds scale * sum over paths of f d2l/dq2 to both halves of A. Needs lengths. */
void sn_path_geometric(const snPathSet *set, const snPathLinks *links, snPathWork *work, const double *f, double scale,
                       double *A, int32_t ld);
/* From now on second derivatives are kept until the lengths change: for who asks more than once in a pose. False: out
 * of memory. */
bool sn_path_keep(const snPathSet *set, snPathWork *work);
/* d2l/dq2 of one path: dense over its entries, n x n with n = rowadr[path + 1] - rowadr[path]. Needs lengths. */
void sn_path_hessian(const snPathSet *set, const snPathLinks *links, snPathWork *work, int32_t path, double *H);

/* Where the path touches the wrap behind a point (world; both ends of the arc); false where it runs straight. */
bool sn_path_arc(const snPathSet *set, const snPathLinks *links, const snPathWork *work, int32_t point, v3 touch[2]);

/* Drawing. --------------------------------------------------------------------------------------------------------- */
/* A path as a line of straight pieces, with as many points in every pose: its own, and SN_PATH_ARC between two that
 * have a wrap, along the arc where it touches and along the straight line where not. */
enum { SN_PATH_ARC = 7 };
int32_t sn_path_drawn_count(const snPathSet *set, int32_t path);
/* The points (3 each, world) of one path; of links only rotation and shift are read. */
void sn_path_drawn(const snPathSet *set, const snPathLinks *links, int32_t path, double *point);

#endif
