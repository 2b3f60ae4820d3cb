/* A surface or shape node as the surface that the kernels of geom know. */
#ifndef SN_MODEL_NODE_SURFACE_H
#define SN_MODEL_NODE_SURFACE_H

#include "base/arena.h"
#include "geom/surface.h"
#include "sinew/spec.h"

/* The surface in the frame `body` (world pose of what carries it, m). Arrays come from the arena. The node must have
 * passed sn_check. False when out of memory. */
bool sn_node_surface(const snSpec *spec, snId node, rigid body, snArena *arena, snSurface *surface);

#endif
