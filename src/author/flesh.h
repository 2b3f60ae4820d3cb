/* From a model to its flesh: what the files flesh_*.c share. */
#ifndef SN_AUTHOR_FLESH_H
#define SN_AUTHOR_FLESH_H

#include "base/arena.h"
#include "base/array.h"
#include "flesh/tissue.h"
#include "geom/bvh.h"
#include "sinew/flesh.h"
#include "sinew/model.h"

/* Signed distance to a closed mesh within the limit; beyond it the limit with the right sign. */
static inline double sn_mesh_depth(const snBvh *tree, const snMeshSide *side, v3 p, double limit)
{
    snMeshHit hit = {0};
    double d = sn_bvh_signed_distance(tree, side, p, limit, &hit);
    return hit.triangle < 0 && sn_bvh_inside(tree, p) ? -limit : d;
}

/* A bone: closed mesh in the world, in the pose as drawn. */
typedef struct snFleshBone {
    const char *name;
    int32_t body; /* of the compiled model */
    snTriMesh mesh;
    snBvh *tree;
} snFleshBone;

/* A strand as a polyline with its belly. */
typedef struct snFleshStrand {
    const char *name;
    int32_t muscle; /* of the compiled model: its activation */
    int32_t fibers; /* which muscle of the tissue: strands of one muscle share theirs, lines have each their own */
    int32_t npoint;
    v3 *point;     /* of the belly, world, pose as drawn */
    double radius; /* m: of a belly that grows around it; 0: it fills a mesh */
    int32_t mesh;  /* index of that mesh, -1 */
    int32_t line;  /* line muscle that it is grown around, -1 */
    /* of a line: stretch at which it is strongest; m of belly and of the whole path as drawn; where its points stand
     * among those of all lines */
    double optimum, length, path_length;
    int32_t path_start, path_count;
    v3 low, high;
} snFleshStrand;

typedef struct snFleshMuscle {
    const char *name;
    snTriMesh mesh;
    snBvh *tree;
    int32_t nstrand;
    double color[3];
} snFleshMuscle;

/* The anatomy in the pose as drawn; strings and points in the arena. */
typedef struct snAnatomy {
    snArena arena;
    snModel *model;
    int32_t nbody;
    double *rest; /* 7 per body of the compiled model */
    int32_t nbone, nmuscle, nstrand, nfibers, nline_point;
    snFleshBone *bone;
    snFleshMuscle *muscle;
    snFleshStrand *strand;
    snTriMesh skin;
    const char *skin_name;
    double skin_color[3];
    bool grown;
} snAnatomy; /* zeroed memory is an empty one */

snStatus sn_anatomy_create(const snSpec *spec, const char *mesh, snAnatomy *a, snError *error);
void sn_anatomy_free(snAnatomy *a);
double sn_line_length(const double *point, int32_t n); /* of a line through n points */
/* A closed surface over bones and muscles, `cover` outside them, with triangles of about `edge`. */
snStatus sn_anatomy_grow_skin(snAnatomy *a, double cover, double edge, snPool *pool, snError *error);

/* Samples of the material and what they are. */
typedef struct snFleshSamples {
    snSamples grid;
    float *depth; /* per sample: signed distance to the surface, negative inside, true near it */
    SN_ARRAY(snMuscleSample) muscle;
    SN_ARRAY(snBoneSample) bone;
    int32_t dropped, outside;  /* parts that no bone holds; muscles outside the surface */
    const char *first_outside; /* name of one of those, the anatomy's */
    int32_t thin;              /* muscles that fit between the samples */
    const char *thinnest;      /* of those */
    double thin_spacing;       /* m: of the lattice, that would take it in */
    double muscle_volume;
    double needed; /* m: spacing that the thinnest part asks for, where it was too coarse */
} snFleshSamples;

typedef struct snFleshSampling {
    const snAnatomy *anatomy;
    const snBvh *tree; /* of the skin */
    double spacing;    /* of the lattice */
    int32_t sizes;     /* of its cells */
    double hold;       /* N/m^4 */
    snPool *pool;
    snProgress progress;
} snFleshSampling;

snStatus sn_flesh_sample(const snFleshSampling *s, snFleshSamples *to, snError *error);
void sn_flesh_samples_free(snFleshSamples *s);

/* A point embedded in the lattice. */
typedef struct snEmbedded {
    int32_t oct, tet;
    double weight[4];
} snEmbedded;

/* Embeds points; those of the skin in the cell on their own side of the surface. normal may be NULL: the points lie
 * inside. Points that no sample is near get the nearest cell there is. */
snStatus sn_flesh_embed(const snFleshSamples *s, const snBvh *skin, const snLattice *lattice, int32_t n,
                        const double *point, const double *normal, snEmbedded *to);
v3 sn_embedded_at(const snLattice *lattice, const snEmbedded *e, const double *x);

#endif
