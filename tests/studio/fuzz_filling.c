/* Any bytes as messages to the filling of a muscle: taken or refused, never a crash. Its mesh is open, so that what is
 * started ends at once with a message. */
#include "scenes.h"
#include "studio/server/filling.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void wake(void *user)
{
    (void)user;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double vertex[9] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0};
    static const int32_t triangle[3] = {0, 1, 2};
    static snFilling *filling;
    if (!filling) {
        snSpec *spec = sn_scene("pulley");
        snNodeDef node = sn_default_node_def();
        node.name = "open", node.kind = SN_NODE_MESH;
        node.nvertex = 3, node.vertex = vertex, node.ntriangle = 1, node.triangle = triangle;
        if (!spec || sn_add_node(spec, &node, NULL) != SN_OK) abort();
        if (sn_filling_create(spec, wake, NULL, &filling) != SN_OK) abort();
    }
    for (size_t at = 0; at < size;) {
        size_t length = data[at] < size - at - 1 ? data[at] : size - at - 1;
        bool taken = sn_filling_message(filling, data + at + 1, length);
        if (taken && (length < 4 || length % 4 != 0)) abort();
        at += 1 + length;
    }
    uint32_t sequence = 0;
    size_t bytes = 0;
    unsigned char *snapshot = sn_filling_snapshot(filling, &sequence, &bytes);
    if (snapshot && bytes < 4) abort();
    free(snapshot);
    return 0;
}
