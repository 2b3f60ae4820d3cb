/* Any bytes as a muscle file, over a scene made in code: an error or a spec that the checker can judge. */
#include "model_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const double points[] = {0.01, 0.3, 0, 0.03, 0.2, 0, 0.03, 0.12, 0, 0.03, 0.06, 0, 0.02, 0, 0, 0.02, -0.05, 0};

static void add_node(snSpec *spec, const char *name, snNodeKind kind, snId parent)
{
    snNodeDef node = sn_default_node_def();
    node.name = name, node.kind = kind, node.parent = parent;
    node.extent[0] = 0.015;
    if (kind == SN_NODE_CURVE) node.npoint = 6, node.point = points;
    sn_add_node(spec, &node, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snError error;
    snSpec *spec = sn_spec_create();
    if (!spec) return 0;
    add_node(spec, "humerus", SN_NODE_GROUP, 0);
    add_node(spec, "wrap", SN_NODE_SHAPE, 1);
    add_node(spec, "ulna", SN_NODE_GROUP, 0);
    add_node(spec, "elbow", SN_NODE_LOCATOR, 0);
    add_node(spec, "biceps", SN_NODE_CURVE, 0);
    if (sn_model_read(spec, SN_DOCUMENT_MUSCLE, "fuzz", (const char *)data, size, &error) == SN_OK) use_spec(spec);
    sn_spec_destroy(spec);
    return 0;
}
