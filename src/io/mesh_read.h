/* What the mesh readers share: building a mesh item by item, and polygons made into triangles.
 * Each sn_parse_* reads a file held in memory; `file` is its name for messages. */
#ifndef SN_IO_MESH_READ_H
#define SN_IO_MESH_READ_H

#include "base/array.h"
#include "sinew/io.h"

enum { SN_MESH_MAX_ITEMS = 100 * 1000 * 1000, SN_MESH_MAX_SIDES = 10000 };

typedef SN_ARRAY(double) snDoubles;
typedef SN_ARRAY(int32_t) snInts;

typedef struct snMeshBuild {
    snDoubles vertex, color;
    snInts triangle;
    snInts ring; /* scratch of sn_mesh_add_polygon */
} snMeshBuild;   /* zeroed memory is an empty one */

/* Splits a polygon by cutting ears off in the plane of its Newell normal, so that concave ones come out right too.
 * The corners must be valid vertices. False when out of memory. */
bool sn_mesh_add_polygon(snMeshBuild *build, const int32_t *corner, int32_t count);
/* Gives the arrays to the mesh. */
void sn_mesh_finish(snMeshBuild *build, snMesh *mesh);
void sn_mesh_abandon(snMeshBuild *build);

snStatus sn_parse_obj(const char *file, const char *data, size_t size, snMesh *mesh, snError *error);
snStatus sn_parse_ply(const char *file, const char *data, size_t size, snMesh *mesh, snError *error);
snStatus sn_parse_vtp(const char *file, const char *data, size_t size, snMesh *mesh, snError *error);
snStatus sn_parse_stl(const char *file, const char *data, size_t size, snMesh *mesh, snError *error);

#endif
