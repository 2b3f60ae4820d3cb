/* Where the nodes of a scene are in the world, and which node stands for a body, joint or strand. */
#ifndef SN_MODEL_NODES_H
#define SN_MODEL_NODES_H

#include "math/vec.h"
#include "sinew/spec.h"

/* x -> a x + t. Scales need not be uniform, so that it is not rigid in general. */
typedef struct affine {
    m3 a;
    v3 t;
} affine;

static inline v3 affine_apply(const affine *e, v3 x)
{
    return v3_add(m3_mulv(&e->a, x), e->t);
}

double sn_unit_metres(snUnits units);   /* metres per unit of the scene */
v3 sn_spec_gravity(const snSpec *spec); /* m/s^2, the default resolved */

/* Node coordinates to world coordinates, in metres: the scene's units are taken into account. */
affine sn_node_world(const snSpec *spec, snId node);
/* The same without the scales: rotations multiplied, origin where sn_node_world puts it, in metres. A mirroring scale
 * is undone along the node's z. */
rigid sn_node_frame(const snSpec *spec, snId node);
/* Whether node is `above` or hangs somewhere below it. */
bool sn_node_is_under(const snSpec *spec, snId node, snId above);

/* The node that stands for an element: by its node attribute, or the one called like it. 0 when there is none. */
snId sn_body_node(const snSpec *spec, snId body);
snId sn_joint_node(const snSpec *spec, snId joint);
snId sn_strand_node(const snSpec *spec, snId strand);
/* The body whose node is this one or the nearest above it; 0 when none. */
snId sn_node_body(const snSpec *spec, snId node);

#endif
