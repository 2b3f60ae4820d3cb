/* Segments of a body made from tables: their nodes in the scene and their rigid bodies. */
#ifndef SN_KIT_SEGMENT_H
#define SN_KIT_SEGMENT_H

#include "math/vec.h"
#include "sinew/spec.h"

/* A node without a shape of its own, placed in its parent (0: the world). id may be NULL. */
snStatus sn_segment_add_node(snSpec *spec, const char *name, snId parent, rigid frame, snNodeKind kind, snId *id);

/* The rigid body of a segment's node, and a locator name_center at its centre of mass.
 * frame: of the segment in the world; size: radius, length and inertia are taken from it. */
snStatus sn_segment_add_body(snSpec *spec, const char *name, snId node, rigid frame, v3 center_of_mass, bool moving,
                             double mass, const snBodyDef *size);

#endif
