/* A surface, shape or mesh node as the surface that the kernels of geom know. */
#ifndef SN_MODEL_NODE_SURFACE_H
#define SN_MODEL_NODE_SURFACE_H

#include "base/arena.h"
#include "geom/surface.h"
#include "sinew/spec.h"

/* The surface in the frame `body` (world pose of what carries it, m). Arrays come from the arena. The node must have
 * passed sn_check. SN_BAD_INPUT: a mesh that no distance grid of allowed size can show; the error names the node. */
snStatus sn_node_surface(const snSpec *spec, snId node, rigid body, snArena *arena, snSurface *surface, snError *error);
/* The triangles of a mesh node in a frame (world pose, m), turned around where a mirroring scale turned them. Free it;
 * false when out of memory. The indices must be sound. */
bool sn_node_mesh(const snSpec *spec, snId node, rigid frame, snTriMesh *mesh);

#endif
