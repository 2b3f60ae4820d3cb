/* A triangle mesh that owns its memory: what files are read into and tools give back. */
#ifndef SINEW_MESH_H
#define SINEW_MESH_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snMesh {
    int32_t nvertex, ntriangle;
    double *vertex;    /* 3 each */
    int32_t *triangle; /* 3 each */
    double *color;     /* 3 each, 0 to 1, or NULL */
} snMesh;

SN_API void sn_mesh_free(snMesh *mesh); /* NULL and all zero are fine; leaves it all zero */

#ifdef __cplusplus
}
#endif
#endif
