/* The grid of samples while a library is made: points with their shapes, planes that are put in and cut off. */
#ifndef SN_AUTHOR_LIBRARY_GRID_H
#define SN_AUTHOR_LIBRARY_GRID_H

#include "author/library.h"
#include "base/array.h"

typedef struct snLibraryPoint {
    double at[SN_LIBRARY_AXES];
    double *x;      /* points of the muscle */
    double *vertex; /* surface, world */
    double *delta;  /* surface in the frame of the bones, less the drawn one */
    rigid bone[SN_SOFT_BONES];
    snSoftInfo info;
    double force;
    double jump[SN_LIBRARY_AXES]; /* m: to the next sample along each axis, see library_flood.c */
    bool solved;
    const struct snLibraryPoint *parent; /* it was solved in one step from this sample; NULL: otherwise */
    int32_t solves;
    double seconds, worst; /* of its solves */
} snLibraryPoint;

/* A true solve between samples: how far the blend was off, m. */
typedef struct snLibraryMiddle {
    double at[SN_LIBRARY_AXES], most, rms;
} snLibraryMiddle;

typedef struct snLibraryWorker {
    snSoftState *state;
    double *coordinate, *pose;
    snLibraryPoint *spare;
} snLibraryWorker;

typedef struct snLibraryGrid {
    const snModel *model;
    const snSoftMuscle *muscle;
    snPool *pool;
    snProgress progress;
    int32_t nworker;
    snLibraryWorker *worker;
    int32_t ncoord, naxis, activation; /* activation: its axis, -1 */
    int32_t coord[SN_LIBRARY_AXES];    /* coordinate of the model, -1: activation */
    snLibraryAxis axis[SN_LIBRARY_AXES];
    snLibraryPoint **point; /* last axis fastest */
    double limit, tone;
    snLibraryMuscle frame; /* weights of the vertices only */
    double done, expected;
    SN_ARRAY(snLibraryMiddle) middle;
    int32_t spent_solves;
    double spent_seconds, spent_worst;
} snLibraryGrid;

snStatus sn_library_grid_create(const snModel *model, const snSoftMuscle *muscle, const snLibraryDef *def, snPool *pool,
                                snLibraryGrid *g, snError *error);
void sn_library_grid_free(snLibraryGrid *g);
snLibraryPoint *sn_library_point_create(const snLibraryGrid *g);
void sn_library_point_destroy(snLibraryPoint *p);
void sn_library_copy(const snLibraryGrid *g, const snLibraryPoint *from, snLibraryPoint *to);

static inline int32_t sn_library_total(const snLibraryGrid *g)
{
    int32_t n = 1;
    for (int32_t a = 0; a < g->naxis; ++a) n *= g->axis[a].n;
    return n;
}
static inline int32_t sn_library_flat(const snLibraryGrid *g, const int32_t index[3])
{
    int32_t flat = 0;
    for (int32_t a = 0; a < g->naxis; ++a) flat = flat * g->axis[a].n + index[a];
    return flat;
}
static inline void sn_library_unflat(const snLibraryGrid *g, int32_t flat, int32_t index[3])
{
    for (int32_t a = g->naxis - 1; a >= 0; --a) index[a] = flat % g->axis[a].n, flat /= g->axis[a].n;
}

int32_t sn_library_neighbours(const snLibraryGrid *g, int32_t flat, int32_t near[2 * SN_LIBRARY_AXES]);
/* Fills p->delta from p->vertex. */
void sn_library_localise(const snLibraryGrid *g, snLibraryPoint *p);
/* Largest difference of two shapes in the frame of the bones, m. */
double sn_library_apart(const snLibraryGrid *g, const snLibraryPoint *p, const snLibraryPoint *q);
/* The same of a sample to the neighbour that is most different. */
double sn_library_step(const snLibraryGrid *g, int32_t flat);
/* Largest jump between a sample and its neighbours. */
double sn_library_jump(const snLibraryGrid *g, int32_t flat);

/* Weights of the vertices fitted to the samples (two bones), see library.h. */
snStatus sn_library_fit(snLibraryGrid *g, snError *error);

/* The plane in the middle of interval k of an axis. */
typedef struct snLibraryPlane {
    int32_t axis, interval, count;
    double value;
    snLibraryPoint **point, **below, **above; /* owned; of the grid */
} snLibraryPlane;
snStatus sn_library_plane_create(const snLibraryGrid *g, int32_t axis, int32_t interval, snLibraryPlane *plane,
                                 snError *error);
void sn_library_plane_free(snLibraryPlane *plane);
/* How far the blend of the grid is from the solved shape of a plane's point: largest and root mean square, m. */
double sn_library_blend_error(const snLibraryGrid *g, const snLibraryPlane *plane, int32_t i, double *rms);
snStatus sn_library_insert(snLibraryGrid *g, snLibraryPlane *plane, snError *error); /* takes its points */
/* The box with the most samples of which all converged and none jumps to the next by more than the limit. How many they
 * are, 0: none converged. */
int32_t sn_library_sound_box(const snLibraryGrid *g, int32_t low[3], int32_t high[3]);
snStatus sn_library_cut(snLibraryGrid *g, const int32_t low[3], const int32_t high[3], snError *error);
/* The finished muscle, without its name and note. */
snStatus sn_library_pack(snLibraryGrid *g, snLibraryMuscle *out, snError *error);

#endif
