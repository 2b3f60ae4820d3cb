/* A glTF document under construction: the binary buffer with its views and accessors, and the JSON around it.
 *
 * Every add function remembers a failure (out of memory) in `failed` and may be called without checking; the ids it
 * returns are then not to be used. Numbers are stored as little-endian singles unless said otherwise. */
#ifndef SN_IO_GLTF_H
#define SN_IO_GLTF_H

#include "math/vec.h"
#include "page/html_bytes.h"
#include "page/own/glb.h"
#include "sinew/io.h"

typedef struct snGltf {
    snBytes bin;
    snBytes views, accessors; /* JSON lists without their brackets */
    snBytes meshes, nodes, skins, channels, samplers;
    int32_t nview, naccessor, nmesh, nnode, nsampler;
    bool quantized; /* some accessor needs KHR_mesh_quantization */
    bool failed;
} snGltf;

void sn_gltf_free(snGltf *g);
bool sn_gltf_failed(const snGltf *g);

/* Vectors of `width` doubles as an accessor with min and max. target: 34962 vertices, 0 none. */
int32_t sn_gltf_vectors(snGltf *g, const double *value, size_t count, int width, int target);
/* Differences of a morph target, 3 each, of which only those longer than `least` are stored (glTF's sparse accessors),
 * rounded (KHR_mesh_quantization): positions to 1/32767 m, directions to 1/127. With one beyond 1 they are stored as
 * they are. */
int32_t sn_gltf_differences(snGltf *g, const double *value, size_t count, double least, bool direction);
int32_t sn_gltf_indices(snGltf *g, const int32_t *index, size_t count);
int32_t sn_gltf_joints(snGltf *g, const int32_t *joint, size_t count); /* 4 each, 16 bits */
int32_t sn_gltf_texture(snGltf *g, const double *uv, size_t count);    /* 2 each, 0 to 1, 16 bits */
/* Texture coordinates (2 each, 0 to 1) of any mesh: around its longest axis and back, and along it. */
void sn_mesh_texture(size_t count, const double *vertex, double *uv);
int32_t sn_gltf_mesh_texture(snGltf *g, const double *vertex, size_t count);

/* Morph targets of one mesh: `count` shapes after the first, at times[0 .. count]. */
typedef struct snShapes {
    int32_t count;
    const double *time;
    const int32_t *position, *normal; /* accessors, one for each target; normal may be NULL */
} snShapes;

/* Triangles of one material. */
typedef struct snGltfPart {
    int32_t material, index; /* index: accessor */
} snGltfPart;

enum { SN_GLTF_PARTS = 2 };

typedef struct snGltfMesh {
    const char *name;
    snGltfPart part[SN_GLTF_PARTS]; /* they share the vertices */
    int32_t npart;
    int32_t position, normal, uv, joints, weights; /* accessors, -1: none */
    const snShapes *shapes;                        /* may be NULL */
} snGltfMesh;
int32_t sn_gltf_mesh(snGltf *g, const snGltfMesh *mesh);
/* mesh, skin: -1 none. pose may be NULL; extras: a JSON object, may be NULL. */
int32_t sn_gltf_node(snGltf *g, const char *name, int32_t mesh, int32_t skin, const double pose[7], const char *extras);
/* path: translation, rotation or weights. */
void sn_gltf_animate(snGltf *g, int32_t node, const char *path, int32_t time_accessor, int32_t value_accessor);
void sn_gltf_animate_shapes(snGltf *g, int32_t node, const snShapes *shapes);

/* Unit normals of a mesh, weighted by area. */
void sn_vertex_normals(int32_t nvertex, int32_t ntriangle, const double *vertex, const int32_t *triangle,
                       double *normal);

/* ---- tubes ---- */

/* A strand as it is drawn. */
typedef struct snTubeDef {
    int32_t npoint, sides;
    double tendon, belly;          /* radii, m */
    double belly_start, belly_end; /* fractions of the parameter; equal: no belly */
    bool straight;                 /* from point to point instead of a spline; the parameter is then the length */
} snTubeDef;

/* The tube around one strand: the first tip, rings of sides + 1 vertices (the seam twice, for its texture), the last
 * tip. */
typedef struct snTube {
    snTubeDef def;
    int32_t nring, nvertex, ntriangle;
    int32_t *triangle; /* those of the tendon, then those of the belly */
    int32_t ntendon;
    double side[3];      /* which way vertex 0 of the first ring looks, kept over time */
    double drawn_length; /* m, of the first shape; 0 before it */
} snTube;
snStatus sn_tube_create(snTube *tube, const snTubeDef *def); /* SN_BAD_INPUT: fewer than 2 or too many points */
void sn_tube_free(snTube *tube);
/* Vertices and normals (3 each) around the curve of these control points. The belly keeps its volume: it is the thicker
 * the shorter the strand is against the first shape. */
void sn_tube_shape(snTube *tube, const double *point, double *vertex, double *normal);
void sn_tube_texture(const snTube *tube, double *uv); /* 2 each: around, along */

struct snBellyBind;
/* A GLB without a model: what def gives and no more. belly: one for each strand, empty where it is a tube; may be NULL.
 */
snStatus sn_save_glb(const snGlbDef *def, const struct snBellyBind *belly, const char *path, snError *error);

#endif
