/* A deformation library: shapes of muscles at equilibrium over joint coordinates and activation, and their blend.
 *
 * A vertex is x = B (X + delta): B the blend of the bones' motions since the pose as drawn, by the vertex's weights, X
 * the vertex as drawn, delta what the equilibria add, sampled on a grid and stored in 16 bits. Samples are ordered with
 * the last axis fastest. A sample is three planes of nvertex numbers: x, then y, then z. */
#ifndef SN_MESHFREE_LIBRARY_H
#define SN_MESHFREE_LIBRARY_H

#include "geom/mesh.h"

enum {
    SN_LIBRARY_AXES = 3,
    SN_LIBRARY_BODIES = 4,
    SN_LIBRARY_NAME = 64,
    SN_LIBRARY_VALUES = 17,
    SN_LIBRARY_NOTE = 256
};

typedef struct snLibraryAxis {
    char name[SN_LIBRARY_NAME];      /* a joint coordinate such as GH.1, or "activation" */
    bool angle;                      /* values are rad */
    int32_t n;                       /* 1 to SN_LIBRARY_VALUES */
    double value[SN_LIBRARY_VALUES]; /* increasing; rad, m or 0 to 1 */
} snLibraryAxis;

/* What is known about a sample. */
typedef struct snLibrarySample {
    float residual; /* N: largest force left on a point */
    float energy;   /* J */
    float least;    /* volume ratio at the worst point */
    float volume;   /* over that at rest */
    float force;    /* N: on the insertion */
    float jump;     /* m: how far it is from itself solved from a neighbour, or a neighbour from it */
    float step;     /* m: largest difference to a neighbour on the grid, in the frame of the bones */
    float left_out; /* m: error of the blend when this sample is left out */
} snLibrarySample;

typedef struct snLibraryMuscle {
    char name[SN_LIBRARY_NAME], mesh[SN_LIBRARY_NAME];
    char note[SN_LIBRARY_NOTE]; /* what was restricted and why; may be empty */
    uint64_t hash;              /* of the mesh as drawn */
    int32_t nvertex, nbody, naxis, nsample;
    char body[SN_LIBRARY_BODIES][SN_LIBRARY_NAME];
    snLibraryAxis axis[SN_LIBRARY_AXES];
    float *weight;  /* nbody x nvertex */
    double unit;    /* m for each step of the 16 bits */
    int16_t *delta; /* nsample x 3 x nvertex */
    snLibrarySample *sample;
    float midpoint_rms, midpoint_max; /* m: of true solves at the middles of cells */
    double contact_depth;             /* m: deepest point in a bone when it was made; not in the file */
} snLibraryMuscle;

typedef struct snLibrary snLibrary;
struct snLibrary {
    int32_t nmuscle;
    snLibraryMuscle *muscle;
    int32_t solves; /* of what made it, with their processor time; 0 when it was read from a file */
    double solve_mean, solve_worst, seconds;
    double flood_seconds; /* of these for the samples of the first grid */
    char *left_out;       /* muscles that could not be made, a line for each with the reason; NULL: none */
};

void sn_library_muscle_free(snLibraryMuscle *muscle);
void sn_library_clear(snLibrary *library); /* frees what it holds */

/* Identifies a mesh: its triangles and its vertices in micrometres. */
uint64_t sn_library_hash(const snTriMesh *mesh);

/* Samples and weights of a blend: cubic along joint coordinates, linear along the activation, clamped outside. */
typedef struct snLibraryMix {
    int32_t count;
    int32_t sample[32];
    float weight[32];
} snLibraryMix;
snLibraryMix sn_library_mix(const snLibraryMuscle *muscle, const double *coordinate);

/* B of a vertex without delta: row-major 3 x 4 from the bodies' motions since the pose as drawn. */
void sn_library_frame(const snLibraryMuscle *muscle, int32_t vertex, const rigid *motion, double B[12]);
/* Vertices (3 each) of a mix; rest: 3 x nvertex as planes; motion: of each body since the pose as drawn. */
void sn_library_blend(const snLibraryMuscle *muscle, const snLibraryMix *mix, const float *rest, const rigid *motion,
                      double *vertex);

#endif
