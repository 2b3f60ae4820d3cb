/* A body of flesh: lattice, material, bones that hold it, and the search for its rest under them.
 *
 * Bones hold the flesh by springs of no length from points fixed in the bone to points embedded in the lattice. A
 * spring's stiffness matrix is constant and its pull is linear in the pose of the bone, so all springs are added up
 * once and cost nothing per spring afterwards.
 *
 * Setting up allocates; posing, evaluating and solving do not. Results do not depend on the number of threads:
 * octahedra are worked on in slabs that are fixed, every second one at a time, since only neighbouring slabs share
 * nodes. */
#ifndef SN_FLESH_TISSUE_H
#define SN_FLESH_TISSUE_H

#include "flesh/element.h"
#include "flesh/multigrid.h"

/* A sample that belongs to a muscle, with the direction of its fibres. */
typedef struct snMuscleSample {
    int32_t sample, muscle;
    float direction[3]; /* unit; zero: no fibres here */
} snMuscleSample;

/* A point of a bone that holds the flesh around it. */
typedef struct snBoneSample {
    int32_t sample; /* near it: says which copy of a cell is meant */
    int32_t bone;
    v3 point;         /* in the rest pose, world */
    double stiffness; /* N/m */
} snBoneSample;

typedef struct snTissueDef {
    const snSamples *samples;
    int32_t nmuscle, nmuscle_sample, nbone, nbone_sample;
    const snMuscleSample *muscle_sample;
    const snBoneSample *bone_sample;
    const double *bone_rest; /* 7 per bone: pose that the samples are given in */
    snFleshMaterial material;
    double density;    /* kg/m^3 */
    double gravity[3]; /* m/s^2 */
    double least_fill; /* cells that hold less material than this part of their volume count as if they held it */
    snPool *pool;      /* may be NULL */
    const snElementKernels *kernels; /* NULL: the best there are */
} snTissueDef;

enum { SN_TISSUE_SLABS = 64 };

/* A push on one embedded point towards a plane: stiffness * (distance below it). */
typedef struct snTissuePush {
    int32_t oct, tet;
    double weight[4];
    double normal[3], offset; /* pushed while normal . x < offset */
    double stiffness;         /* N/m */
} snTissuePush;

/* An octahedron with corners that hang: the rows of the matrix that its corners are means of. */
typedef struct snOctRows {
    int32_t n, row[12], place[144]; /* rows; n * n blocks of the matrix */
    uint8_t corner[12];
    float share[12]; /* 1, or 0.5 of a corner that hangs */
} snOctRows;

typedef struct snBoneHold {
    int32_t bone;
    double stiffness, moment[3]; /* sum of w k, sum of w k X in the bone's frame */
} snBoneHold;

typedef struct snTissue {
    snLattice lattice; /* rows of the matrix are its nodes */
    snMultigrid grid;
    snElements elements;
    const snElementKernels *kernels;
    snPool *pool;
    int32_t n; /* nodes */
    snOctBatch *batch;
    snFiberLanes *fiber;
    snFiberState *muscle; /* nmuscle: strongest at the material's optimum, no tendons, until told otherwise */
    int32_t nslab, slab[SN_TISSUE_SLABS + 1]; /* first batch of each */
    int32_t *lane_oct;                        /* SN_OCTS per batch: octahedra, -1 */
    int32_t *batch_rows;                      /* per batch: first of its snOctRows, -1: none of its corners hangs */
    snOctRows *rows;
    int32_t *place;                        /* 36 per octahedron without such corners: blocks of the matrix */
    int32_t ntet[SN_LATTICE_SIZES], nrows; /* tetrahedra of each size that hold flesh; octahedra with rows */
    /* springs */
    int32_t *spring_start, *spring_column, *spring_place; /* per row; entries that are not zero */
    double *spring;
    int32_t *hold_start;
    snBoneHold *hold;
    int32_t nbone;
    double *bone_rest, *bone_moment; /* 7; 5 per bone: sum k, k X, k X^2 in its frame */
    double *pull, pull_energy;       /* 4 per node: of the springs in this pose and of gravity */
    double *weight_force;            /* 4 per node: gravity alone */
    double *mass;                    /* per node, kg */
    /* inertia: mass / step^2 (x - inertia_at); step 0: none */
    double step, *inertia_at;
    int32_t npush;
    const snTissuePush *push;
    /* state and work */
    double *rest, *x, *trial, *gradient; /* 4 per node */
    float *cg_r, *cg_z, *cg_p, *cg_q, *cg_x;
    double *sums; /* per chunk of rows */
    snOctMeasure *slab_measure;
} snTissue; /* zeroed memory is an empty one */

snStatus sn_tissue_create(const snTissueDef *def, snTissue *tissue, snError *error);
void sn_tissue_free(snTissue *tissue);
int64_t sn_tissue_bytes(const snTissue *tissue);
/* Poses of the bones (7 each) for what follows. */
void sn_tissue_pose(snTissue *tissue, const double *pose);

/* Energy of everything at x (4 per node) and its gradient (may be NULL). */
snOctMeasure sn_tissue_evaluate(snTissue *tissue, const double *x, double *gradient);
/* The matrix at x. */
void sn_tissue_assemble(snTissue *tissue, const double *x, bool project);

typedef struct snTissueSettings {
    double tolerance;   /* m: how far from rest the result may be */
    double forcing;     /* conjugate gradients stop at this part of the gradient */
    int32_t newton, cg; /* at most */
    bool project;       /* the first iteration: it starts far from rest */
} snTissueSettings;

typedef struct snTissueReport {
    int32_t newton, cg, projected, halvings;
    double energy, least, volume; /* at the end */
    int32_t inverted;
    double first, step; /* m: largest move of the first and of the last iteration */
    double residual;    /* N: largest component of the gradient at the start of the last iteration */
    bool converged;
    double seconds, evaluate_s, assemble_s, coarsen_s, cg_s;
} snTissueReport;

snTissueSettings sn_default_tissue_settings(void);
/* From x to the nearest rest. */
snTissueReport sn_tissue_solve(snTissue *tissue, const snTissueSettings *settings);

#endif
