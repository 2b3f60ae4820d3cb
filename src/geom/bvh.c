/* Binary tree of boxes. Nodes are stored in depth-first order: the left child follows its parent, the
 * right child's index is stored. Splits are at the median of the longest side of the centres' box, so the
 * depth is bounded and walking needs a small fixed stack. */
#include "geom/bvh.h"

#include "base/alloc.h"

#include <string.h>

enum { LEAF = 4, STACK = 64 };

typedef struct {
    double low[3], high[3];
    int32_t first, count; /* leaf: triangles order[first ..]; inner: count 0, right child in first */
} Node;

struct snBvh {
    const snTriMesh *mesh;
    Node *node;
    int32_t *order, nnode;
};

/* ---- building --------------------------------------------------------------------------------- */

/* Comparisons, not calls of fmin and fmax. */
static inline void widen(double *low, double *high, const double *p)
{
    for (int c = 0; c < 3; ++c) {
        low[c] = p[c] < low[c] ? p[c] : low[c];
        high[c] = p[c] > high[c] ? p[c] : high[c];
    }
}

static void box_of_leaf(const snBvh *tree, Node *node)
{
    const snTriMesh *m = tree->mesh;
    for (int c = 0; c < 3; ++c) node->low[c] = INFINITY, node->high[c] = -INFINITY;
    for (int32_t i = 0; i < node->count; ++i)
        for (int k = 0; k < 3; ++k)
            widen(node->low, node->high, m->vertex + 3 * m->triangle[3 * tree->order[node->first + i] + k]);
}

static void box_of_children(Node *node, const Node *left, const Node *right)
{
    for (int c = 0; c < 3; ++c) {
        node->low[c] = right->low[c] < left->low[c] ? right->low[c] : left->low[c];
        node->high[c] = right->high[c] > left->high[c] ? right->high[c] : left->high[c];
    }
}

static int longest_side(const double *centre, const int32_t *order, int32_t n)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < n; ++i) widen(low, high, centre + 3 * order[i]);
    double x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

/* Quickselect: the k smallest centres along an axis come first. */
static void split_at(const double *centre, int axis, int32_t *order, int32_t n, int32_t k)
{
    int32_t low = 0, high = n - 1;
    while (low < high) {
        double pivot = centre[3 * order[(low + high) / 2] + axis];
        int32_t i = low, j = high;
        while (i <= j) {
            while (centre[3 * order[i] + axis] < pivot) ++i;
            while (centre[3 * order[j] + axis] > pivot) --j;
            if (i <= j) {
                int32_t swap = order[i];
                order[i++] = order[j], order[j--] = swap;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            return;
    }
}

static int32_t build(snBvh *tree, const double *centre, int32_t first, int32_t n)
{
    int32_t at = tree->nnode++;
    Node *node = tree->node + at;
    if (n <= LEAF) {
        node->first = first, node->count = n;
        box_of_leaf(tree, node);
        return at;
    }
    split_at(centre, longest_side(centre, tree->order + first, n), tree->order + first, n, n / 2);
    build(tree, centre, first, n / 2);
    node->first = build(tree, centre, first + n / 2, n - n / 2);
    box_of_children(node, node + 1, tree->node + node->first);
    return at;
}

snBvh *sn_bvh_create(const snTriMesh *mesh)
{
    int32_t n = mesh->ntriangle;
    snBvh *tree = SN_NEW(snBvh);
    double *centre = SN_NEW_ARRAY(double, 3 * (size_t)n);
    if (tree) {
        tree->mesh = mesh;
        tree->node = SN_NEW_ARRAY(Node, 2 * (size_t)n + 1);
        tree->order = SN_NEW_ARRAY(int32_t, n);
    }
    if (!tree || !centre || !tree->node || !tree->order) {
        sn_free(centre);
        sn_bvh_destroy(tree);
        return NULL;
    }
    for (int32_t t = 0; t < n; ++t) {
        tree->order[t] = t;
        v3 sum =
            v3_add(sn_trimesh_corner(mesh, t, 0), v3_add(sn_trimesh_corner(mesh, t, 1), sn_trimesh_corner(mesh, t, 2)));
        v3_store(centre + 3 * t, sum);
    }
    build(tree, centre, 0, n);
    sn_free(centre);
    return tree;
}

const snTriMesh *sn_bvh_mesh(const snBvh *tree)
{
    return tree->mesh;
}
void sn_bvh_refit(snBvh *tree) /* children come after their parent: from the last to the first */
{
    for (int32_t i = tree->nnode - 1; i >= 0; --i) {
        Node *node = tree->node + i;
        if (node->count > 0)
            box_of_leaf(tree, node);
        else
            box_of_children(node, node + 1, tree->node + node->first);
    }
}

void sn_bvh_destroy(snBvh *tree)
{
    if (!tree) return;
    sn_free(tree->node), sn_free(tree->order), sn_free(tree);
}

/* ---- closest point ---------------------------------------------------------------------------- */

/* The point of a segment and its parameter. */
static double along_segment(v3 q, v3 a, v3 b)
{
    v3 d = v3_sub(b, a);
    double length = v3_len2(d), t = length > 0 ? v3_dot(v3_sub(q, a), d) / length : 0;
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

v3 sn_triangle_closest(v3 query, v3 a, v3 b, v3 c, double weight[3])
{
    v3 ab = v3_sub(b, a), ac = v3_sub(c, a), n = v3_cross(ab, ac), aq = v3_sub(query, a);
    double area = v3_len2(n), wb = v3_dot(v3_cross(aq, ac), n), wc = v3_dot(v3_cross(ab, aq), n), wa = area - wb - wc;
    if (area > 0 && wa >= 0 && wb >= 0 && wc >= 0) {
        weight[0] = wa / area, weight[1] = wb / area, weight[2] = wc / area;
        return v3_mad(v3_mad(a, weight[1], ab), weight[2], ac);
    }
    const v3 corner[3] = {a, b, c};
    v3 best = a;
    double least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        double t = along_segment(query, corner[i], corner[j]);
        v3 p = v3_lerp(corner[i], corner[j], t);
        double d = v3_len2(v3_sub(query, p));
        if (!(d < least)) continue;
        least = d, best = p;
        weight[i] = 1 - t, weight[j] = t, weight[(i + 2) % 3] = 0;
    }
    return best;
}

/* How far x lies outside [low, high]. */
static inline double beyond(double low, double high, double x)
{
    double below = low - x, above = x - high, far = below > above ? below : above;
    return far > 0 ? far : 0;
}

static double box_distance2(const Node *node, v3 q)
{
    double x = beyond(node->low[0], node->high[0], q.x), y = beyond(node->low[1], node->high[1], q.y);
    double z = beyond(node->low[2], node->high[2], q.z);
    return x * x + y * y + z * z;
}

static void closest_in_leaf(const snBvh *tree, const Node *node, v3 q, snMeshHit *hit, double *least)
{
    for (int32_t i = 0; i < node->count; ++i) {
        int32_t t = tree->order[node->first + i];
        double weight[3];
        v3 p = sn_triangle_closest(q, sn_trimesh_corner(tree->mesh, t, 0), sn_trimesh_corner(tree->mesh, t, 1),
                                   sn_trimesh_corner(tree->mesh, t, 2), weight);
        double d = v3_len2(v3_sub(p, q));
        if (!(d < *least)) continue;
        *least = d, hit->point = p, hit->triangle = t;
        memcpy(hit->weight, weight, sizeof weight);
    }
}

snMeshHit sn_bvh_closest(const snBvh *tree, v3 query, double limit)
{
    snMeshHit hit = {.distance = limit, .triangle = -1};
    struct {
        int32_t node;
        double bound;
    } stack[STACK];
    double least = limit < 1e150 ? limit * limit : INFINITY;
    int top = 0;
    stack[top].node = 0, stack[top++].bound = box_distance2(tree->node, query);
    while (top) {
        --top;
        if (!(stack[top].bound < least)) continue;
        const Node *node = tree->node + stack[top].node;
        if (node->count) {
            closest_in_leaf(tree, node, query, &hit, &least);
            continue;
        }
        int32_t left = (int32_t)(node - tree->node) + 1, right = node->first;
        double dl = box_distance2(tree->node + left, query), dr = box_distance2(tree->node + right, query);
        bool left_nearer = dl < dr;
        stack[top].node = left_nearer ? right : left, stack[top++].bound = left_nearer ? dr : dl;
        stack[top].node = left_nearer ? left : right, stack[top++].bound = left_nearer ? dl : dr;
    }
    if (hit.triangle >= 0) hit.distance = sqrt(least);
    return hit;
}

/* ---- inside or outside ------------------------------------------------------------------------ */

double sn_trimesh_winding(const snTriMesh *mesh, v3 query)
{
    double sum = 0; /* of half the solid angles (van Oosterom and Strackee) */
    for (int32_t t = 0; t < mesh->ntriangle; ++t) {
        v3 a = v3_sub(sn_trimesh_corner(mesh, t, 0), query), b = v3_sub(sn_trimesh_corner(mesh, t, 1), query);
        v3 c = v3_sub(sn_trimesh_corner(mesh, t, 2), query);
        double la = v3_len(a), lb = v3_len(b), lc = v3_len(c);
        double det = v3_dot(a, v3_cross(b, c));
        sum += atan2(det, la * lb * lc + v3_dot(a, b) * lc + v3_dot(b, c) * la + v3_dot(c, a) * lb);
    }
    return sum / (2 * SN_PI);
}

static bool ray_meets_box(const Node *node, v3 o, v3 inverse)
{
    double x0 = (node->low[0] - o.x) * inverse.x, x1 = (node->high[0] - o.x) * inverse.x;
    double y0 = (node->low[1] - o.y) * inverse.y, y1 = (node->high[1] - o.y) * inverse.y;
    double z0 = (node->low[2] - o.z) * inverse.z, z1 = (node->high[2] - o.z) * inverse.z;
    double enter = fmax(fmax(fmin(x0, x1), fmin(y0, y1)), fmin(z0, z1));
    double leave = fmin(fmin(fmax(x0, x1), fmax(y0, y1)), fmax(z0, z1));
    return leave >= 0 && enter <= leave * (1 + 1e-12);
}

/* +1 when the ray leaves through the triangle, -1 when it enters, 0 when it misses, 2 when too near an edge to say. */
static int ray_crosses(v3 o, v3 d, v3 a, v3 b, v3 c)
{
    v3 oa = v3_sub(a, o), ob = v3_sub(b, o), oc = v3_sub(c, o);
    double u = v3_dot(d, v3_cross(oa, ob)), v = v3_dot(d, v3_cross(ob, oc)), w = v3_dot(d, v3_cross(oc, oa));
    double size = fmax(v3_len2(oa), fmax(v3_len2(ob), v3_len2(oc))) * 1e-13;
    bool positive = u > -size && v > -size && w > -size, negative = u < size && v < size && w < size;
    if (!positive && !negative) return 0;
    if (fabs(u) <= size || fabs(v) <= size || fabs(w) <= size) return 2;
    double along = v3_dot(oa, v3_cross(v3_sub(b, a), v3_sub(c, a)));
    if (positive) return along > 0 ? 1 : 0;
    return along < 0 ? -1 : 0;
}

/* Both children of an inner node: one stands behind it, the other where it says. */
static inline void push_children(const snBvh *tree, const Node *node, int32_t *stack, int32_t *top)
{
    stack[(*top)++] = node->first;
    stack[(*top)++] = (int32_t)(node - tree->node) + 1;
}

static bool ray_winding(const snBvh *tree, v3 o, v3 d, int *winding)
{
    int32_t stack[STACK], top = 0;
    v3 inverse = v3_of(1 / d.x, 1 / d.y, 1 / d.z);
    *winding = 0;
    stack[top++] = 0;
    while (top) {
        const Node *node = tree->node + stack[--top];
        if (!ray_meets_box(node, o, inverse)) continue;
        if (!node->count) {
            push_children(tree, node, stack, &top);
            continue;
        }
        for (int32_t i = 0; i < node->count; ++i) {
            int32_t t = tree->order[node->first + i];
            int sign = ray_crosses(o, d, sn_trimesh_corner(tree->mesh, t, 0), sn_trimesh_corner(tree->mesh, t, 1),
                                   sn_trimesh_corner(tree->mesh, t, 2));
            if (sign == 2) return false;
            *winding += sign;
        }
    }
    return true;
}

int sn_bvh_winding(const snBvh *tree, v3 query)
{
    static const v3 direction[] = {{0.5773, 0.4713, 0.6667}, {-0.3127, 0.8913, 0.3291}, {0.1237, -0.5519, 0.8247}};
    if (box_distance2(tree->node, query) > 0) return 0;
    int winding;
    for (int i = 0; i < 3; ++i)
        if (ray_winding(tree, query, direction[i], &winding)) return winding;
    return (int)lround(sn_trimesh_winding(tree->mesh, query));
}

bool sn_mesh_side_create(const snTriMesh *mesh, snMeshSide *side)
{
    snFans fans = {0};
    *side = (snMeshSide){SN_NEW_ARRAY(double, 3 * (size_t)mesh->ntriangle),
                         SN_NEW_ARRAY(double, 9 * (size_t)mesh->ntriangle),
                         SN_NEW_ARRAY(double, 3 * (size_t)mesh->nvertex)};
    if (!side->face || !side->edge || !side->vertex || !sn_fans_create(mesh, &fans)) {
        sn_mesh_side_free(side);
        return false;
    }
    for (int32_t t = 0; t < mesh->ntriangle; ++t) {
        v3 k[3] = {sn_trimesh_corner(mesh, t, 0), sn_trimesh_corner(mesh, t, 1), sn_trimesh_corner(mesh, t, 2)};
        v3 n = v3_unit(v3_cross(v3_sub(k[1], k[0]), v3_sub(k[2], k[0])));
        v3_store(side->face + 3 * t, n);
        for (int c = 0; c < 3; ++c) {
            v3 a = v3_unit(v3_sub(k[(c + 1) % 3], k[c])), b = v3_unit(v3_sub(k[(c + 2) % 3], k[c]));
            double *to = side->vertex + 3 * mesh->triangle[3 * t + c];
            v3_store(to, v3_mad(v3_load(to), acos(fmax(-1, fmin(1, v3_dot(a, b)))), n));
        }
    }
    for (int32_t t = 0; t < mesh->ntriangle; ++t)
        for (int c = 0; c < 3; ++c) {
            int32_t a = mesh->triangle[3 * t + c], b = mesh->triangle[3 * t + (c + 1) % 3];
            v3 sum = v3_load(side->face + 3 * t);
            for (int32_t i = fans.start[b]; i < fans.start[b + 1]; ++i) {
                const int32_t *k = mesh->triangle + 3 * fans.list[i];
                for (int e = 0; e < 3; ++e)
                    if (k[e] == b && k[(e + 1) % 3] == a) sum = v3_add(sum, v3_load(side->face + 3 * fans.list[i]));
            }
            v3_store(side->edge + 9 * t + 3 * c, sum);
        }
    sn_fans_free(&fans);
    return true;
}

void sn_mesh_side_free(snMeshSide *side)
{
    sn_free(side->face), sn_free(side->edge), sn_free(side->vertex);
    *side = (snMeshSide){0};
}

/* The pseudo-normal of the corner, edge or face that the closest point lies on (Baerentzen and Aanaes): its sign
 * against the way to the query tells the side exactly. */
static v3 pseudo_normal(const snBvh *tree, const snMeshSide *side, const snMeshHit *hit)
{
    int t = hit->triangle, zeros = 0, zero = 0, full = 0;
    for (int c = 0; c < 3; ++c) {
        if (hit->weight[c] == 0) ++zeros, zero = c;
        if (hit->weight[c] > hit->weight[full]) full = c;
    }
    if (zeros == 0) return v3_load(side->face + 3 * t);
    if (zeros == 1) return v3_load(side->edge + 9 * t + 3 * ((zero + 1) % 3));
    return v3_load(side->vertex + 3 * tree->mesh->triangle[3 * t + full]);
}

double sn_bvh_signed_distance(const snBvh *tree, const snMeshSide *side, v3 query, double limit, snMeshHit *hit)
{
    snMeshHit found = sn_bvh_closest(tree, query, limit);
    if (hit) *hit = found;
    if (found.triangle < 0) return limit;
    double sign = v3_dot(v3_sub(query, found.point), pseudo_normal(tree, side, &found)) < 0 ? -1 : 1;
    return sign * found.distance;
}

/* ---- crossings -------------------------------------------------------------------------------- */

static bool boxes_meet(const Node *a, const Node *b)
{
    for (int c = 0; c < 3; ++c)
        if (a->low[c] > b->high[c] || b->low[c] > a->high[c]) return false;
    return true;
}

static double orient(v3 a, v3 b, v3 c, v3 d)
{
    return v3_dot(v3_sub(d, a), v3_cross(v3_sub(b, a), v3_sub(c, a)));
}

/* Which side of the plane of a b c a point is on: 0 within round-off. Flat caps have many triangles in one plane. */
static int side_of(v3 a, v3 b, v3 c, v3 p)
{
    v3 normal = v3_cross(v3_sub(b, a), v3_sub(c, a)), d = v3_sub(p, a);
    double height = v3_dot(d, normal), noise = 1e-12 * v3_len(normal) * v3_len(d);
    return (height > noise) - (height < -noise);
}

static bool segment_crosses(v3 p, v3 q, v3 a, v3 b, v3 c)
{
    if (side_of(a, b, c, p) * side_of(a, b, c, q) >= 0) return false;
    double u = orient(p, q, a, b), v = orient(p, q, b, c), w = orient(p, q, c, a);
    return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

int32_t sn_bvh_segment_hits(const snBvh *tree, v3 a, v3 b, int32_t *triangle, int32_t most)
{
    int32_t stack[STACK], top = 0, count = 0;
    Node box = {.low = {fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)},
                .high = {fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)}};
    stack[top++] = 0;
    while (top && count < most) {
        const Node *node = tree->node + stack[--top];
        if (!boxes_meet(node, &box)) continue;
        if (!node->count) {
            push_children(tree, node, stack, &top);
            continue;
        }
        for (int32_t i = 0; i < node->count && count < most; ++i) {
            int32_t t = tree->order[node->first + i];
            if (segment_crosses(a, b, sn_trimesh_corner(tree->mesh, t, 0), sn_trimesh_corner(tree->mesh, t, 1),
                                sn_trimesh_corner(tree->mesh, t, 2)))
                triangle[count++] = t;
        }
    }
    return count;
}

/* Two triangles with one corner in common: only the far edges can cross the other triangle. Two in common: they cross
 * only when folded flat onto each other. */
static bool triangles_cross(const snTriMesh *m, int32_t s, int32_t t)
{
    v3 a[3], b[3];
    int shared = 0, ka = 0, kb = 0;
    for (int i = 0; i < 3; ++i) {
        a[i] = sn_trimesh_corner(m, s, i), b[i] = sn_trimesh_corner(m, t, i);
        for (int j = 0; j < 3; ++j)
            if (m->triangle[3 * s + i] == m->triangle[3 * t + j]) ++shared, ka = i, kb = j;
    }
    if (shared >= 2) {
        v3 na = v3_unit(v3_cross(v3_sub(a[1], a[0]), v3_sub(a[2], a[0])));
        v3 nb = v3_unit(v3_cross(v3_sub(b[1], b[0]), v3_sub(b[2], b[0])));
        return v3_dot(na, nb) < -0.999999;
    }
    for (int i = 0; i < 3; ++i) {
        if ((!shared || i == (ka + 1) % 3) && segment_crosses(a[i], a[(i + 1) % 3], b[0], b[1], b[2])) return true;
        if ((!shared || i == (kb + 1) % 3) && segment_crosses(b[i], b[(i + 1) % 3], a[0], a[1], a[2])) return true;
    }
    return false;
}

static double box_size(const Node *a)
{
    return (a->high[0] - a->low[0]) + (a->high[1] - a->low[1]) + (a->high[2] - a->low[2]);
}

static void note_crossing(int32_t s, int32_t t, int32_t *pair, int32_t most, int32_t *count)
{
    if (*count < most) pair[2 * *count] = s, pair[2 * *count + 1] = t;
    ++*count;
}

static void leaf_crossings(const snBvh *tree, const Node *a, const Node *b, int32_t *pair, int32_t most, int32_t *count)
{
    for (int32_t i = 0; i < a->count; ++i)
        for (int32_t j = a == b ? i + 1 : 0; j < b->count; ++j) {
            int32_t s = tree->order[a->first + i], t = tree->order[b->first + j];
            if (triangles_cross(tree->mesh, s, t)) note_crossing(s, t, pair, most, count);
        }
}

/* Walks pairs of nodes; the depth of the recursion is twice that of the tree. */
static void node_crossings(const snBvh *tree, int32_t x, int32_t y, int32_t *pair, int32_t most, int32_t *count)
{
    const Node *a = tree->node + x, *b = tree->node + y;
    if (!boxes_meet(a, b)) return;
    if (a->count && b->count) {
        leaf_crossings(tree, a, b, pair, most, count);
    } else if (x == y) {
        node_crossings(tree, x + 1, x + 1, pair, most, count);
        node_crossings(tree, a->first, a->first, pair, most, count);
        node_crossings(tree, x + 1, a->first, pair, most, count);
    } else if (b->count || (!a->count && box_size(a) > box_size(b))) {
        node_crossings(tree, x + 1, y, pair, most, count);
        node_crossings(tree, a->first, y, pair, most, count);
    } else {
        node_crossings(tree, x, y + 1, pair, most, count);
        node_crossings(tree, x, b->first, pair, most, count);
    }
}

int32_t sn_bvh_self_intersections(const snBvh *tree, int32_t *pair, int32_t most)
{
    int32_t count = 0;
    node_crossings(tree, 0, 0, pair, most, &count);
    return count;
}
