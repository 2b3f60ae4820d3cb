/* Models in motion as GLB files. */
#ifndef SN_PAGE_OWN_GLB_H
#define SN_PAGE_OWN_GLB_H

#include "sinew/mesh.h"
#include "sinew/motion.h"
#include "sinew/spec.h"

/* An animation as one GLB file (glTF 2.0) that plays in any viewer: bones as moving nodes, strands as tubes whose
 * colour shows their activation (morph targets, colours included), the skin as a skinned mesh with morph targets for
 * what the bones do not explain, or as morph targets alone. */
typedef snStatus (*snSkinAtFn)(void *user, double time, double *vertex); /* fills 3 per vertex, world */
typedef struct snGlbDef {
    size_t size;                 /* of this struct: set by its default function */
    const snTrack *track;        /* bodies, strands, and scalars for the colours */
    const snMesh *body_mesh;     /* one for each body of the track, in the body's axes, may be empty; NULL: none */
    const double *strand_radius; /* m, one for each strand; NULL: 1 mm */
    /* 3 for each strand: radius (m), start and end (fractions of the parameter); NULL: none */
    const double *strand_belly;
    const int32_t *strand_scalar; /* the activation of each strand, -1 none; NULL: activation/STRAND */
    bool straight_strands; /* strands run straight from point to point; sn_save_model_glb: of a model on a tree */
    int32_t tube_sides;
    const snMesh *skin;        /* at rest, world; NULL: none */
    const double *rest_pose;   /* nbody x 7: bones while the skin is at rest; NULL: the first frame */
    const int32_t *skin_bone;  /* 4 for each vertex: bodies of the track; NULL: not skinned */
    const double *skin_weight; /* 4 for each vertex, sum 1 */
    snSkinAtFn skin_at;        /* the deformed skin; NULL: what the bones do */
    void *skin_user;
    double skin_opacity;
    double start, end;  /* s; equal: all of the track */
    double rate;        /* keys of the bones per second */
    int32_t max_shapes; /* morph targets at most */
} snGlbDef;
static inline snGlbDef sn_default_glb_def(void)
{
    SN_DEF(snGlbDef, def);
    def.tube_sides = 5;
    def.skin_opacity = 1;
    def.rate = 30;
    def.max_shapes = 48;
    return def;
}
/* body_mesh, strand_radius and strand_scalar that are NULL come from the model. */
snStatus sn_save_model_glb(const snSpec *spec, const snGlbDef *def, const char *path, snError *error);
/* The visible meshes of a body as one, in the axes of its node, m; no triangles when it has none. */
snStatus sn_body_mesh(const snSpec *spec, const char *body, snMesh *mesh, snError *error);

#endif
