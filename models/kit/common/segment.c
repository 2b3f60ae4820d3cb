/* See segment.h. */
#include "common/segment.h"

#include <stdio.h>

snStatus sn_segment_add_node(snSpec *spec, const char *name, snId parent, rigid frame, snNodeKind kind, snId *id)
{
    snNodeDef node = sn_default_node_def();
    node.name = name;
    node.kind = kind;
    node.parent = parent;
    v3_store(node.translate, frame.p);
    q_store(node.rotate, frame.q);
    return sn_add_node(spec, &node, id);
}

snStatus sn_segment_add_body(snSpec *spec, const char *name, snId node, rigid frame, v3 center_of_mass, bool moving,
                             double mass, const snBodyDef *size)
{
    char center[64];
    snprintf(center, sizeof center, "%s_center", name);
    rigid at = {q_identity(), rigid_unapply(frame, center_of_mass)};
    snStatus status = sn_segment_add_node(spec, center, node, at, SN_NODE_LOCATOR, NULL);
    if (status != SN_OK) return status;
    snBodyDef def = *size;
    def.name = name;
    def.pinned = !moving;
    def.mass_from = SN_MASS_GIVEN;
    def.mass = mass;
    def.center_of_mass = center;
    return sn_add_body(spec, &def, NULL);
}
