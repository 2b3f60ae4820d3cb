/* Deformers: surfaces that move with bones and muscles, whatever moves them.
 *
 * A skin over tendons, soft tissue and a library of muscle shapes all turn one frame of a replay (where the bones are,
 * where the strands run, how active the muscles are) into the points of one or several surfaces. They share this
 * interface, so every exporter, the page and the commands take any of them.
 *
 * To use one: ask for its surfaces, make room for sn_deformer_points points, call sn_deform for each frame.
 * sinew/playback.h makes the frames of a replay. A new kind is an snDeformerDef (src/geom/deform.h).
 * World frame, m; poses are position then rotation (w first). A deformer belongs to one thread at a time. */
#ifndef SINEW_DEFORM_H
#define SINEW_DEFORM_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snDeformer snDeformer;

/* One surface: triangles that never change, and its points in the pose as drawn. */
typedef struct snDeformSurface {
    const char *name;
    int32_t nvertex, ntriangle;
    const double *vertex;    /* 3 each, pose as drawn */
    const int32_t *triangle; /* 3 each, counter-clockwise seen from outside; vertices of this surface, from 0 */
    double color[3];
    const int32_t *body;  /* 4 per vertex: bodies of the model that a viewer may blend, or NULL: none known */
    const double *weight; /* 4 per vertex, sum 1 */
} snDeformSurface;

/* What a deformer sees of a frame. Bodies, control points and muscles are all of the compiled model's, in its order. */
typedef struct snFrame {
    double time;              /* s */
    const double *pose;       /* 7 per body */
    const double *point;      /* 3 per control point of all strands; NULL: not known */
    const double *activation; /* one per muscle, 0 to 1; NULL: not known */
    bool restart;             /* does not follow the last frame: a deformer with a memory starts anew */
    snProgress progress;      /* for frames that take long; a deformer that is cancelled returns SN_CANCELLED */
} snFrame;

SN_API void sn_deformer_destroy(snDeformer *deformer); /* NULL is fine; destroys what it was made of */

SN_API int32_t sn_deformer_surfaces(const snDeformer *deformer);
SN_API const snDeformSurface *sn_deformer_surface(const snDeformer *deformer, int32_t surface); /* NULL past the last */
SN_API int32_t sn_deformer_points(const snDeformer *deformer); /* of all surfaces together */

/* Points (3 each) of all surfaces at a frame, one surface after the other. On failure they are undefined. */
SN_API snStatus sn_deform(snDeformer *deformer, const snFrame *frame, double *point, snError *error);

#ifdef __cplusplus
}
#endif
#endif
