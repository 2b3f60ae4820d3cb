/* A GLB file being written: what its parts (bones, strands, skin) share. */
#ifndef SN_PAGE_GLB_H
#define SN_PAGE_GLB_H

#include "page/belly_bind.h"
#include "page/gltf.h"
#include "page/own/glb.h"
#include "page/tissue.h"

enum { MATERIAL_BONE, MATERIAL_TENDON, MATERIAL_MUSCLE, MATERIAL_SKIN };

typedef struct glbWriter {
    const snGlbDef *def;
    const snTrackDef *channels;
    const snBellyBind *belly; /* one for each strand; may be NULL */
    snGltf gltf;
    double start, end;
    int32_t nkey, nshape;          /* times of bones and of shapes */
    double *key_time, *shape_time; /* from zero */
    int32_t key_accessor;
    int32_t *body_node;
    double *pose; /* nkey x 7 */
    snError *error;
} glbWriter;

/* A mesh whose shapes come one after the other: the first as it is, the others as differences from it. A shape that the
 * way from one kept shape to the next comes near enough to is left out. */
typedef struct snMorph {
    size_t nvertex;
    int32_t nshape;
    double *all[2];      /* position, normal of each shape: nshape x 3 nvertex */
    double *shape[2];    /* where the caller puts the next one */
    double *time, *work; /* of the shapes that are kept; one shape */
    int32_t *target[2];  /* their accessors */
    int32_t first[2];
    double least[2];     /* m, and of a unit normal: smaller differences are not stored */
    double tolerance[2]; /* the same: what leaving out a shape may change */
    bool creased;        /* normals that turn round may be off: the vertex lies in a crease */
} snMorph;

bool sn_morph_create(snMorph *m, size_t nvertex, int32_t nshape);
void sn_morph_free(snMorph *m); /* all zero is fine */
/* What m->shape holds becomes shape i, and is to be filled anew. */
void sn_morph_add(snMorph *m, int32_t i);
/* Writes the shapes that are kept, once all were added. They live as long as m. */
snShapes sn_morph_write(snMorph *m, glbWriter *w);

snStatus sn_glb_add_strands(glbWriter *w);
snStatus sn_glb_add_skin(glbWriter *w);

#endif
