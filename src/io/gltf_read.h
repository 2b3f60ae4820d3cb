/* A glTF 2.0 file (.gltf or .glb) as motion input: its buffers, accessors, nodes and one animation.
 *
 * What comes out is the skeleton as a BVH file would have it (io/bvh.h), so that the same mappings serve both. */
#ifndef SN_IO_GLTF_READ_H
#define SN_IO_GLTF_READ_H

#include "io/bvh.h"
#include "io/json_read.h"

enum { SN_GLTF_BUFFERS = 1000 };

typedef struct snGltfBuffer {
    const char *bytes; /* NULL: not read yet */
    char *own;         /* to be freed */
    size_t size;
} snGltfBuffer;

typedef struct snGltf {
    const char *file;
    bool alone; /* no other file is read */
    snArena arena;
    snJsonValue root;
    const char *chunk; /* the binary part of a .glb */
    size_t chunk_size;
    snGltfBuffer *buffer; /* one for each of the file */
    int32_t nbuffer;
    snError *error;
} snGltf;

/* ---- gltf_file.c: container, buffers, accessors */

/* data must outlive the result. alone: buffers in files of their own are refused. */
snStatus sn_gltf_open(const char *file, const char *data, size_t size, bool alone, snGltf *gltf, snError *error);
void sn_gltf_close(snGltf *gltf);
/* SN_BAD_FILE; the message begins with LIST[INDEX]. */
snStatus sn_gltf_fail(const snGltf *gltf, const char *list, int32_t index, const char *format, ...) SN_PRINTF(4, 5);
const snJsonValue *sn_gltf_list(const snGltf *gltf, const char *list); /* NULL: none */
/* The numbers of an accessor of `width` components (1, 3, 4 or 16), count x width; to be freed with sn_free. */
snStatus sn_gltf_numbers(snGltf *gltf, int32_t accessor, int width, double **number, int32_t *count);

/* ---- gltf_nodes.c: hierarchy and rest pose */

typedef struct snGltfNode {
    int32_t parent; /* -1: a root */
    int32_t joint;  /* its place among the joints; -1: left out */
    rigid local;    /* at rest, against the parent */
    v3 scale;
    bool bound; /* a joint of the skin: its rest pose is that of the bind matrices */
    rigid rest; /* in the scene, or in the skin's space where bound */
    quat seen;  /* rest rotation of the parent as this node's local turns are taken against it */
} snGltfNode;

typedef struct snGltfNodes {
    snGltfNode *at;
    int32_t *order; /* parents before children */
    int32_t count;
} snGltfNodes;

snStatus sn_gltf_nodes(snGltf *gltf, snGltfNodes *nodes);
void sn_gltf_nodes_free(snGltfNodes *nodes);

/* ---- gltf_motion.c */

/* The animation of this name, or the first that turns nodes (NULL). Rotations are those of each joint against its
 * parent, in the axes of the scene at rest. The first key is at time 0. */
snStatus sn_parse_gltf(const char *file, const char *data, size_t size, bool alone, const char *animation,
                       snBvhFile *skeleton, snError *error);
/* FILE.glb or FILE.gltf, or FILE.glb#NAME for one animation of several. */
snStatus sn_load_gltf_file(const char *path, snBvhFile *skeleton, snError *error);
/* Whether the path is one of those; length: of the file's own name in it. */
bool sn_is_gltf(const char *path, size_t *length);

#endif
