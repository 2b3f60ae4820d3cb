/* The nodes of a glTF file: who hangs on whom, and how they rest.
 *
 * At rest a joint of the skin is where its inverse bind matrix says: in many files the nodes hold some frame of the
 * motion instead. A bind matrix counts in the space of the skinned mesh, which may be turned against the scene; that
 * turn is common to the whole skin. Nodes that are not in the skin rest as they stand. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/gltf_read.h"

#include <string.h>

enum { MAX_NODES = 10000 };

/* ---- hierarchy ------------------------------------------------------------------------------ */

static snStatus find_parents(const snGltf *g, const snJsonValue *list, snGltfNodes *n)
{
    for (int32_t i = 0; i < n->count; ++i) n->at[i].parent = n->at[i].joint = -1;
    for (int32_t i = 0; i < n->count; ++i) {
        const snJsonValue *children = sn_json_member(sn_json_item(list, i), "children");
        for (int32_t k = 0; children && k < children->count; ++k) {
            const snJsonValue *child = sn_json_item(children, k);
            double index = child && child->kind == SN_JSON_NUMBER ? child->number : -1;
            if (!(index >= 0 && index < n->count) || index != floor(index))
                return sn_gltf_fail(g, "nodes", i, "children[%d] is not a node", k);
            snGltfNode *node = &n->at[(int32_t)index];
            if (node->parent >= 0)
                return sn_gltf_fail(g, "nodes", (int32_t)index, "a child of both nodes[%d] and nodes[%d]", node->parent,
                                    i);
            node->parent = i;
        }
    }
    return SN_OK;
}

/* Parents first; what no root reaches is a ring. */
static snStatus sort(const snGltf *g, snGltfNodes *n)
{
    int32_t done = 0;
    unsigned char *state = SN_NEW_ARRAY(unsigned char, n->count); /* 1: on the way up from a leaf, 2: in the order */
    int32_t *stack = SN_NEW_ARRAY(int32_t, n->count);
    snStatus status = state && stack ? SN_OK : sn_fail_no_memory(g->error);
    for (int32_t i = 0; status == SN_OK && i < n->count; ++i) {
        int32_t depth = 0, node = i;
        for (; node >= 0 && !state[node]; node = n->at[node].parent) state[node] = 1, stack[depth++] = node;
        if (node >= 0 && state[node] == 1) status = sn_gltf_fail(g, "nodes", node, "a descendant of itself");
        while (depth > 0) {
            node = stack[--depth];
            state[node] = 2;
            n->order[done++] = node;
        }
    }
    sn_free(state);
    sn_free(stack);
    return status;
}

/* ---- rest ----------------------------------------------------------------------------------- */

static bool read_numbers(const snJsonValue *node, const char *key, int count, double *number)
{
    const snJsonValue *list = sn_json_member(node, key);
    if (!list || list->kind != SN_JSON_ARRAY || list->count != count) return false;
    for (int i = 0; i < count; ++i) {
        if (list->item[i].kind != SN_JSON_NUMBER) return false;
        number[i] = list->item[i].number;
    }
    return true;
}

/* The rotation of a matrix whose columns may be scaled; false: none, or mirrored. */
static bool rotation_of(v3 x, v3 y, v3 z, quat *q)
{
    v3 a = v3_unit(x), c = v3_cross(a, y);
    if (!(v3_len(x) > 1e-12 && v3_len(c) > 1e-12 && v3_dot(v3_cross(x, y), z) > 0)) return false;
    c = v3_unit(c);
    m3 m = m3_columns(a, v3_cross(c, a), c);
    *q = q_unit(q_from_m3(&m));
    return true;
}

static snStatus read_local(const snGltf *g, int32_t index, const snJsonValue *json, snGltfNode *node)
{
    double q[4], t[3], m[16];
    node->local = rigid_identity(), node->scale = v3_of(1, 1, 1);
    if (read_numbers(json, "matrix", 16, m)) {
        v3 x = v3_load(m), y = v3_load(m + 4), z = v3_load(m + 8);
        if (!rotation_of(x, y, z, &node->local.q))
            return sn_gltf_fail(g, "nodes", index, "the matrix is not a turn and a scale");
        node->local.p = v3_load(m + 12), node->scale = v3_of(v3_len(x), v3_len(y), v3_len(z));
        return SN_OK;
    }
    if (read_numbers(json, "translation", 3, t)) node->local.p = v3_load(t);
    if (read_numbers(json, "scale", 3, t)) node->scale = v3_load(t);
    if (read_numbers(json, "rotation", 4, q)) {
        node->local.q = (quat){q[3], q[0], q[1], q[2]};
        double length = q_dot(node->local.q, node->local.q);
        if (!(length > 1e-12 && length < 1e12)) return sn_gltf_fail(g, "nodes", index, "the rotation has no length");
        node->local.q = q_unit(node->local.q);
    }
    return SN_OK;
}

/* The inverse of a matrix that scales after turning: rows of m are the axes at rest, scaled. */
static bool unbind(const double *m, rigid *rest)
{
    v3 x = v3_of(m[0], m[4], m[8]), y = v3_of(m[1], m[5], m[9]), z = v3_of(m[2], m[6], m[10]);
    if (!rotation_of(x, y, z, &rest->q)) return false;
    v3 back = v3_of(m[12] / v3_len(x), m[13] / v3_len(y), m[14] / v3_len(z));
    rest->p = v3_neg(q_rotate(rest->q, back));
    return isfinite(rest->p.x) && isfinite(rest->p.y) && isfinite(rest->p.z);
}

/* Of several skins the one with the most joints: meshes of one character share them. */
static int32_t main_skin(const snJsonValue *skins)
{
    int32_t best = -1, most = 0;
    for (int32_t i = 0; skins && i < skins->count; ++i) {
        const snJsonValue *joints = sn_json_member(sn_json_item(skins, i), "joints");
        if (joints && joints->kind == SN_JSON_ARRAY && joints->count > most) best = i, most = joints->count;
    }
    return best;
}

static snStatus bind(snGltf *g, snGltfNodes *n)
{
    const snJsonValue *skins = sn_gltf_list(g, "skins");
    int32_t which = main_skin(skins), count = 0;
    if (which < 0) return SN_OK;
    const snJsonValue *skin = sn_json_item(skins, which), *joints = sn_json_member(skin, "joints");
    double *matrix = NULL;
    snStatus status = SN_OK;
    if (sn_json_member(skin, "inverseBindMatrices"))
        status = sn_gltf_numbers(g, sn_json_member_index(skin, "inverseBindMatrices"), 16, &matrix, &count);
    if (status == SN_OK && matrix && count < joints->count)
        status = sn_gltf_fail(g, "skins", which, "%d bind matrices for %d joints", count, joints->count);
    for (int32_t i = 0; status == SN_OK && i < joints->count; ++i) {
        const snJsonValue *joint = &joints->item[i];
        bool there = joint->kind == SN_JSON_NUMBER && joint->number >= 0 && joint->number < n->count;
        if (!there || joint->number != floor(joint->number)) {
            status = sn_gltf_fail(g, "skins", which, "joints[%d] is not a node", i);
            break;
        }
        snGltfNode *node = &n->at[(int32_t)joint->number];
        node->joint = 0;
        if (matrix && !node->bound) node->bound = unbind(matrix + 16 * (size_t)i, &node->rest);
    }
    sn_free(matrix);
    return status;
}

static snStatus place(const snGltf *g, snGltfNodes *n)
{
    for (int32_t i = 0; i < n->count; ++i) {
        snGltfNode *node = &n->at[n->order[i]];
        const snGltfNode *parent = node->parent >= 0 ? &n->at[node->parent] : NULL;
        v3 step = node->local.p;
        if (parent) step = v3_mul(step, parent->scale), node->scale = v3_mul(node->scale, parent->scale);
        if (!node->bound) node->rest = parent ? rigid_mul(parent->rest, (rigid){node->local.q, step}) : node->local;
        bool apart = node->bound && (!parent || !parent->bound); /* the skin begins here */
        node->seen = apart ? q_mul(node->rest.q, q_conj(node->local.q)) : parent ? parent->rest.q : q_identity();
        if (!(v3_len(node->rest.p) < 1e12)) return sn_gltf_fail(g, "nodes", n->order[i], "too far from the origin");
    }
    return SN_OK;
}

snStatus sn_gltf_nodes(snGltf *g, snGltfNodes *n)
{
    const snJsonValue *list = sn_gltf_list(g, "nodes");
    *n = (snGltfNodes){.count = list ? list->count : 0};
    if (n->count < 1 || n->count > MAX_NODES) {
        sn_fail(g->error, SN_BAD_FILE, "the file has %d nodes, expected 1 to %d", n->count, MAX_NODES);
        sn_error_place(g->error, g->file, 0, 0);
        return SN_BAD_FILE;
    }
    n->at = SN_NEW_ARRAY(snGltfNode, n->count), n->order = SN_NEW_ARRAY(int32_t, n->count);
    snStatus status = n->at && n->order ? SN_OK : sn_fail_no_memory(g->error);
    if (status == SN_OK) status = find_parents(g, list, n);
    if (status == SN_OK) status = sort(g, n);
    for (int32_t i = 0; status == SN_OK && i < n->count; ++i)
        status = read_local(g, i, sn_json_item(list, i), &n->at[i]);
    if (status == SN_OK) status = bind(g, n);
    if (status == SN_OK) status = place(g, n);
    if (status != SN_OK) sn_gltf_nodes_free(n);
    return status;
}

void sn_gltf_nodes_free(snGltfNodes *n)
{
    sn_free(n->at);
    sn_free(n->order);
    *n = (snGltfNodes){0};
}
