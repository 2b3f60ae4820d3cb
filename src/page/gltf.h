/* A glTF document under construction: the binary buffer with its views and accessors, and the JSON around it.
 *
 * Every add function remembers a failure (out of memory) in `failed` and may be called without checking; the ids it
 * returns are then not to be used. Numbers are stored as little-endian singles. */
#ifndef SN_IO_GLTF_H
#define SN_IO_GLTF_H

#include "page/html_bytes.h"
#include "math/vec.h"
#include "sinew/io.h"

typedef struct snGltf {
    snBytes bin;
    snBytes views, accessors; /* JSON lists without their brackets */
    snBytes meshes, nodes, skins, channels, samplers;
    int32_t nview, naccessor, nmesh, nnode, nsampler;
    bool failed;
} snGltf;

void sn_gltf_free(snGltf *g);
bool sn_gltf_failed(const snGltf *g);

/* Vectors of `width` doubles as an accessor with min and max. target: 34962 vertices, 0 none. */
int32_t sn_gltf_vectors(snGltf *g, const double *value, size_t count, int width, int target);
/* The same of which only the vectors longer than `least` are stored (glTF's sparse accessors). */
int32_t sn_gltf_sparse(snGltf *g, const double *value, size_t count, int width, double least);
int32_t sn_gltf_indices(snGltf *g, const int32_t *index, size_t count);
int32_t sn_gltf_joints(snGltf *g, const int32_t *joint, size_t count); /* 4 each, 16 bits */

/* Morph targets of one mesh: `count` shapes after the first, at times[0 .. count]. */
typedef struct snShapes {
    int32_t count;
    const double *time;
    const int32_t *position, *normal, *color; /* accessors, one for each target; NULL or -1: none */
} snShapes;

typedef struct snGltfMesh {
    const char *name;
    int32_t material;
    int32_t index, position, normal, color, joints, weights; /* accessors, -1: none */
    const snShapes *shapes;                                  /* may be NULL */
    const char *extras;                                      /* JSON object, may be NULL */
} snGltfMesh;
int32_t sn_gltf_mesh(snGltf *g, const snGltfMesh *mesh);
/* mesh, skin: -1 none. */
int32_t sn_gltf_node(snGltf *g, const char *name, int32_t mesh, int32_t skin, const double pose[7]);
/* path: translation, rotation or weights. */
void sn_gltf_animate(snGltf *g, int32_t node, const char *path, int32_t time_accessor, int32_t value_accessor);
void sn_gltf_animate_shapes(snGltf *g, int32_t node, const snShapes *shapes);

/* Unit normals of a mesh, weighted by area. */
void sn_vertex_normals(int32_t nvertex, int32_t ntriangle, const double *vertex, const int32_t *triangle,
                       double *normal);

/* ---- tubes ---- */
typedef struct snTubes {
    int32_t nstrand, sides;
    const int32_t *npoint;  /* of each strand */
    const double *radius;   /* of each strand */
    int32_t *nring, *first; /* rings and first vertex of each */
    double *side;           /* nstrand x 3: which way vertex 0 of the first ring looks, kept over time */
    int32_t nvertex, ntriangle;
    int32_t *triangle;
} snTubes;
snStatus sn_tubes_create(snTubes *tubes, int32_t nstrand, const int32_t *npoint, const double *radius, int32_t sides);
void sn_tubes_free(snTubes *tubes);
/* Vertices and normals (3 each) around the curves of these control points. */
void sn_tubes_shape(snTubes *tubes, const double *point, double *vertex, double *normal);

#endif
