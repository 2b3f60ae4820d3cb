/* Octahedra from samples: components by union-find, first of samples within an octahedron, then of its corners. */
#include "flesh/lattice.h"

#include "base/alloc.h"

#include <assert.h>
#include <string.h>

enum { KINDS = 3 * SN_LATTICE_SIZES, EDGES = 13 };

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i) parent[i] = parent[parent[i]], i = parent[i];
    return i;
}

/* The smaller number becomes the root, so that the result does not depend on the order of unions. */
static void unite(int32_t *parent, int32_t a, int32_t b)
{
    a = root_of(parent, a), b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

static size_t sample_count(const snSamples *s)
{
    return (size_t)s->n[0] * (size_t)s->n[1] * (size_t)s->n[2];
}

/* Distance in the flat array to the neighbour in direction d. */
static int32_t stride(const snSamples *s, int d)
{
    return d == 0 ? s->n[1] * s->n[2] : d == 1 ? s->n[2] : 1;
}

int32_t sn_lattice_locate(const snLattice *l, int32_t size, v3 point, int32_t face[4])
{
    double spacing = l->spacing * (1 << size), u[3];
    double p[3] = {(point.x - l->low.x) / spacing, (point.y - l->low.y) / spacing, (point.z - l->low.z) / spacing};
    int axis = 0;
    for (int d = 0; d < 3; ++d) {
        face[1 + d] = (int32_t)floor(p[d]);
        u[d] = p[d] - face[1 + d] - 0.5;
        if (fabs(u[d]) > fabs(u[axis])) axis = d;
    }
    face[0] = axis + 4 * size;
    face[1 + axis] += u[axis] > 0;
    double b = u[(axis + 1) % 3], c = u[(axis + 2) % 3];
    return fabs(c) > fabs(b) ? (c < 0 ? 0 : 2) : (b > 0 ? 1 : 3);
}

static int32_t face_key(const snLattice *l, const int32_t face[4])
{
    int32_t kind = sn_face_axis(face) + 3 * sn_face_size(face);
    return kind + KINDS * ((face[1] * (l->n[1] + 1) + face[2]) * (l->n[2] + 1) + face[3]);
}

static void key_face(const snLattice *l, int32_t key, int32_t face[4])
{
    face[0] = key % KINDS % 3 + 4 * (key % KINDS / 3), key /= KINDS;
    face[3] = key % (l->n[2] + 1), key /= l->n[2] + 1;
    face[2] = key % (l->n[1] + 1), face[1] = key / (l->n[1] + 1);
}

/* Layer of an octahedron along the axis, in smallest cubes. */
static int32_t layer_of(const snLattice *l, const int32_t face[4])
{
    return face[1 + l->axis] << sn_face_size(face);
}

/* Half spacings (of the smallest cubes) of the six corners of an octahedron. */
static void corners_of(const int32_t face[4], int32_t at[6][3])
{
    static const int32_t corner[4][2] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};
    int a = sn_face_axis(face), b = (a + 1) % 3, c = (a + 2) % 3, scale = 1 << sn_face_size(face);
    for (int i = 0; i < 6; ++i) {
        at[i][a] = scale * (2 * face[1 + a] + (i == 0 ? -1 : i == 1 ? 1 : 0));
        at[i][b] = scale * (2 * face[1 + b] + (i < 2 ? 1 : corner[i - 2][0]));
        at[i][c] = scale * (2 * face[1 + c] + (i < 2 ? 1 : corner[i - 2][1]));
    }
}

void sn_tet_frame(int32_t axis, int32_t k, v3 frame[3])
{
    static const double out[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}}, edge[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double f[3][3] = {{0}};
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    f[0][axis] = 1;
    f[1][b] = out[k][0], f[1][c] = out[k][1];
    f[2][b] = edge[k][0], f[2][c] = edge[k][1];
    for (int i = 0; i < 3; ++i) frame[i] = v3_load(f[i]);
}

void sn_tet_weights(const snLattice *l, const int32_t face[4], int32_t k, v3 point, double weight[4])
{
    int32_t at[6][3];
    v3 frame[3], low;
    corners_of(face, at);
    sn_tet_frame(sn_face_axis(face), k, frame);
    low = v3_of(l->low.x + 0.25 * l->spacing * (at[0][0] + at[1][0]),
                l->low.y + 0.25 * l->spacing * (at[0][1] + at[1][1]),
                l->low.z + 0.25 * l->spacing * (at[0][2] + at[1][2])); /* middle between the centres */
    v3 d = v3_scale(v3_sub(point, low), 1 / (l->spacing * (1 << sn_face_size(face))));
    double along = v3_dot(d, frame[0]), out = 2 * v3_dot(d, frame[1]), edge = v3_dot(d, frame[2]);
    weight[0] = 0.5 * (1 - out) - along, weight[1] = 0.5 * (1 - out) + along;
    weight[2] = 0.5 * out - edge, weight[3] = 0.5 * out + edge;
}

/* Face of every sample that is inside, and the components of samples within one. */
static void join_samples(const snSamples *s, const snLattice *l, int32_t level, int32_t *key, int32_t *parent)
{
    int32_t i = 0, face[4];
    for (int32_t x = 0; x < s->n[0]; ++x)
        for (int32_t y = 0; y < s->n[1]; ++y)
            for (int32_t z = 0; z < s->n[2]; ++z, ++i) {
                parent[i] = i, key[i] = -1;
                if (!(s->flag[i] & SN_SAMPLE_INSIDE)) continue;
                int32_t size = s->size && s->size[i] > level ? s->size[i] - level : 0;
                (void)sn_lattice_locate(l, size, sn_sample_point(s, x, y, z), face);
                key[i] = face_key(l, face);
            }
    for (int32_t v = 0, n = (int32_t)sample_count(s); v < n; ++v)
        for (int d = 0; d < 3; ++d)
            if (s->flag[v] & (1 << d) && key[v + stride(s, d)] == key[v]) unite(parent, v, v + stride(s, d));
}

/* Counts the roots by layers along the axis and numbers them so; fills faces and the octahedron of each sample. */
static snStatus number_octs(const snSamples *s, snLattice *l, const int32_t *key, int32_t *parent)
{
    int32_t n = (int32_t)sample_count(s), face[4];
    int32_t *layer = SN_NEW_ARRAY(int32_t, l->n[l->axis] + 3);
    l->sample_oct = SN_NEW_ARRAY(int32_t, n);
    if (!layer || !l->sample_oct) return sn_free(layer), SN_NO_MEMORY;
    for (int32_t v = 0; v < n; ++v)
        if (key[v] >= 0 && parent[v] == v) key_face(l, key[v], face), ++layer[layer_of(l, face) + 2], ++l->noct;
    for (int32_t i = 2; i < l->n[l->axis] + 3; ++i) layer[i] += layer[i - 1];
    l->oct_face = SN_NEW_ARRAY(int32_t, 4 * (size_t)l->noct);
    l->oct_node = SN_NEW_ARRAY(int32_t, 6 * (size_t)l->noct);
    if (!l->oct_face || !l->oct_node) return sn_free(layer), SN_NO_MEMORY;
    for (int32_t v = 0; v < n; ++v) {
        l->sample_oct[v] = -1;
        if (key[v] < 0) continue;
        int32_t root = root_of(parent, v); /* not after v: already numbered */
        if (root == v) {
            key_face(l, key[v], face);
            l->sample_oct[v] = layer[layer_of(l, face) + 1]++;
            memcpy(l->oct_face + 4 * (size_t)l->sample_oct[v], face, sizeof face);
        } else {
            l->sample_oct[v] = l->sample_oct[root];
        }
    }
    sn_free(layer);
    return SN_OK;
}

/* Makes corners of two octahedra one where they are at the same place. */
static void join_corners(const snLattice *l, int32_t *parent, int32_t a, int32_t b)
{
    int32_t p[6][3], q[6][3];
    corners_of(l->oct_face + 4 * (size_t)a, p), corners_of(l->oct_face + 4 * (size_t)b, q);
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
            if (memcmp(p[i], q[j], sizeof p[i]) == 0) unite(parent, 6 * a + i, 6 * b + j);
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* Edges of the four tetrahedra of an octahedron. */
static const int8_t edge[EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {1, 3},
                                      {1, 4}, {1, 5}, {2, 3}, {3, 4}, {4, 5}, {5, 2}};

/* While nodes are numbered: corners of all octahedra, 6 each. */
typedef struct {
    int32_t n;
    int32_t *parent; /* the same node */
    int32_t *over;   /* of a root: 1 + EDGES * octahedron + edge, the edge that it is the middle of; 0: does not hang */
    int32_t *place;  /* by the place of a corner or an edge's middle of a large octahedron: 1 + corner that is there */
} Corners;

static void corners_free(Corners *c)
{
    sn_free(c->parent);
    sn_free(c->over);
    sn_free(c->place);
}

/* Corners and centres of the smallest cubes, each on a grid of its own. */
static size_t place_of(const snLattice *l, const int32_t at[3])
{
    size_t x = (size_t)((at[0] + 1) >> 1), y = (size_t)((at[1] + 1) >> 1), z = (size_t)((at[2] + 1) >> 1);
    return 2 * ((x * (size_t)(l->n[1] + 2) + y) * (size_t)(l->n[2] + 2) + z) + (size_t)(at[0] & 1);
}

static size_t middle_of(const snLattice *l, int32_t corner[6][3], int k)
{
    const int32_t *p = corner[edge[k][0]], *q = corner[edge[k][1]];
    return place_of(l, (int32_t[3]){(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2});
}

/* Around large octahedra no flesh is apart: what is at the same place is one. */
static void join_at_large(const snLattice *l, Corners *c)
{
    int32_t at[6][3];
    for (int32_t o = 0; o < l->noct; ++o) {
        if (sn_face_size(l->oct_face + 4 * (size_t)o) == 0) continue;
        corners_of(l->oct_face + 4 * (size_t)o, at);
        for (int i = 0; i < 6; ++i) c->place[place_of(l, at[i])] = -1;
        for (int k = 0; k < EDGES; ++k) c->place[middle_of(l, at, k)] = -1;
    }
    for (int32_t o = 0; o < l->noct; ++o) {
        corners_of(l->oct_face + 4 * (size_t)o, at);
        for (int i = 0; i < 6; ++i) {
            int32_t *place = &c->place[place_of(l, at[i])];
            if (*place > 0) unite(c->parent, *place - 1, 6 * o + i);
            if (*place < 0) *place = 6 * o + i + 1;
        }
    }
}

/* Nodes in the middle of an edge of a larger octahedron hang. */
static void find_hanging(const snLattice *l, Corners *c)
{
    int32_t at[6][3];
    for (int32_t o = 0; o < l->noct; ++o) {
        if (sn_face_size(l->oct_face + 4 * (size_t)o) == 0) continue;
        corners_of(l->oct_face + 4 * (size_t)o, at);
        for (int k = 0; k < EDGES; ++k) {
            int32_t there = c->place[middle_of(l, at, k)];
            if (there > 0) c->over[root_of(c->parent, there - 1)] = 1 + EDGES * o + k;
        }
    }
}

static snStatus find_corners(const snSamples *s, const snLattice *l, Corners *c)
{
    int32_t last[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    bool large = false;
    c->n = 6 * l->noct, c->parent = SN_NEW_ARRAY(int32_t, c->n), c->over = SN_NEW_ARRAY(int32_t, c->n);
    if (!c->parent || !c->over) return SN_NO_MEMORY;
    for (int32_t i = 0; i < c->n; ++i) c->parent[i] = i;
    for (int32_t v = 0, n = (int32_t)sample_count(s); v < n; ++v)
        for (int d = 0; d < 3; ++d) {
            if (!(s->flag[v] & (1 << d))) continue;
            int32_t a = l->sample_oct[v], b = l->sample_oct[v + stride(s, d)];
            if (a == b || (last[d][0] == a && last[d][1] == b)) continue;
            join_corners(l, c->parent, a, b);
            last[d][0] = a, last[d][1] = b;
        }
    for (int32_t o = 0; o < l->noct; ++o) large = large || sn_face_size(l->oct_face + 4 * (size_t)o) > 0;
    if (!large) return SN_OK;
    c->place = SN_NEW_ARRAY(int32_t, 2 * (size_t)(l->n[0] + 2) * (size_t)(l->n[1] + 2) * (size_t)(l->n[2] + 2));
    if (!c->place) return SN_NO_MEMORY;
    join_at_large(l, c);
    find_hanging(l, c);
    return SN_OK;
}

/* Numbers for the corners: first the nodes that do not hang, then those that do. */
static snStatus number_corners(snLattice *l, Corners *c)
{
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t i = 0; i < c->n; ++i) {
            int32_t root = root_of(c->parent, i);
            if ((c->over[root] > 0) != (pass == 1)) continue;
            if (root != i)
                l->oct_node[i] = l->oct_node[root];
            else
                l->oct_node[i] = pass == 0 ? l->nnode++ : l->nnode + l->nhang++;
        }
    l->hang = SN_NEW_ARRAY(int32_t, 2 * (size_t)l->nhang);
    if (!l->hang) return SN_NO_MEMORY;
    for (int32_t i = 0; i < c->n; ++i) {
        if (c->parent[i] != i || c->over[i] == 0) continue;
        int32_t o = (c->over[i] - 1) / EDGES, k = (c->over[i] - 1) % EDGES;
        for (int j = 0; j < 2; ++j) {
            int32_t end = l->oct_node[6 * (size_t)o + (size_t)edge[k][j]];
            assert(end < l->nnode); /* by the distance between sizes */
            l->hang[2 * (size_t)(l->oct_node[i] - l->nnode) + (size_t)j] = end;
        }
    }
    return SN_OK;
}

static snStatus number_nodes(const snSamples *s, snLattice *l)
{
    Corners c = {0};
    snStatus status = find_corners(s, l, &c);
    if (status == SN_OK) status = number_corners(l, &c);
    corners_free(&c);
    if (status != SN_OK) return status;
    l->node_at = SN_NEW_ARRAY(int32_t, 3 * (size_t)(l->nnode + l->nhang));
    if (!l->node_at) return SN_NO_MEMORY;
    for (int32_t o = 0; o < l->noct; ++o) {
        int32_t at[6][3];
        corners_of(l->oct_face + 4 * (size_t)o, at);
        for (int i = 0; i < 6; ++i)
            memcpy(l->node_at + 3 * (size_t)l->oct_node[6 * (size_t)o + (size_t)i], at[i], sizeof at[i]);
    }
    return SN_OK;
}

snStatus sn_lattice_create(const snSamples *s, int32_t level, snLattice *l)
{
    int32_t per = SN_LATTICE_FINE << level;
    *l = (snLattice){.low = s->low, .spacing = s->spacing * per};
    for (int d = 0; d < 3; ++d) {
        l->n[d] = (s->n[d] + per - 1) / per;
        if (l->n[d] > l->n[l->axis]) l->axis = d;
    }
    int32_t *key = SN_NEW_ARRAY(int32_t, sample_count(s)), *parent = SN_NEW_ARRAY(int32_t, sample_count(s));
    snStatus status = key && parent ? SN_OK : SN_NO_MEMORY;
    if (status == SN_OK) {
        join_samples(s, l, level, key, parent);
        status = number_octs(s, l, key, parent);
    }
    sn_free(key);
    sn_free(parent);
    if (status == SN_OK) status = number_nodes(s, l);
    if (status != SN_OK) sn_lattice_free(l);
    return status;
}

void sn_lattice_forget(snLattice *l)
{
    sn_free(l->sample_oct);
    l->sample_oct = NULL;
}

void sn_lattice_free(snLattice *l)
{
    sn_lattice_forget(l);
    sn_free(l->oct_node);
    sn_free(l->oct_face);
    sn_free(l->node_at);
    sn_free(l->hang);
    *l = (snLattice){0};
}

int32_t sn_lattice_spread(const snLattice *l, int32_t oct, int32_t tet, const double weight[4], int32_t row[8],
                          double share[8])
{
    int32_t node[4], n = 0;
    sn_oct_tet(l->oct_node + 6 * (size_t)oct, tet, node);
    for (int i = 0; i < 4; ++i) {
        bool hangs = node[i] >= l->nnode;
        for (int k = 0; k <= hangs; ++k, ++n) {
            row[n] = hangs ? l->hang[2 * (size_t)(node[i] - l->nnode) + (size_t)k] : node[i];
            share[n] = hangs ? 0.5 * weight[i] : weight[i];
        }
    }
    return n;
}

/* The pair of corners of a coarse octahedron whose mean is the fine node; false when there is none. */
static bool pair_of(const snLattice *coarse, const int32_t *at, int32_t corner[6][3], const int32_t *coarse_node,
                    int32_t parent[2])
{
    for (int i = 0; i < 6; ++i)
        for (int j = i; j < 6; ++j)
            if (corner[i][0] + corner[j][0] == at[0] && corner[i][1] + corner[j][1] == at[1] &&
                corner[i][2] + corner[j][2] == at[2]) {
                /* opposite corners have the centre of the octahedron between them: on an edge for the two centres only
                 */
                if (i >= 2 && j == i + 2) continue;
                int32_t first[2], second[2];
                sn_lattice_rows(coarse, coarse_node[i], first), sn_lattice_rows(coarse, coarse_node[j], second);
                parent[0] = first[0], parent[1] = second[i == j];
                return true;
            }
    return false;
}

/* Corners of an octahedron without material of their own lean on a fellow corner. */
static void lean_on_fellows(const snLattice *fine, int32_t *parent)
{
    for (int32_t o = 0; o < fine->noct; ++o) {
        const int32_t *node = fine->oct_node + 6 * (size_t)o;
        for (int i = 0; i < 6; ++i) {
            if (node[i] >= fine->nnode || parent[2 * node[i]] >= 0) continue;
            int best = -1, least = INT32_MAX;
            for (int j = 0; j < 6; ++j) {
                int far = 0;
                for (int d = 0; d < 3; ++d) {
                    int way =
                        fine->node_at[3 * (size_t)node[i] + (size_t)d] - fine->node_at[3 * (size_t)node[j] + (size_t)d];
                    far += way * way;
                }
                if (node[j] < fine->nnode && parent[2 * node[j]] >= 0 && far < least) best = j, least = far;
            }
            if (best < 0) continue;
            parent[2 * node[i]] = parent[2 * node[best]], parent[2 * node[i] + 1] = parent[2 * node[best] + 1];
        }
    }
}

snStatus sn_lattice_parents(const snSamples *s, const snLattice *fine, const snLattice *coarse, int32_t *parent)
{
    int32_t corner[6][3], last[2] = {-1, -1};
    for (int32_t i = 0; i < 2 * fine->nnode; ++i) parent[i] = -1;
    for (int32_t v = 0, n = (int32_t)sample_count(s); v < n; ++v) {
        int32_t o = fine->sample_oct[v], c = coarse->sample_oct[v];
        if (o < 0 || (o == last[0] && c == last[1])) continue;
        last[0] = o, last[1] = c;
        corners_of(coarse->oct_face + 4 * (size_t)c, corner);
        for (int i = 0; i < 6; ++i) {
            int32_t node = fine->oct_node[6 * (size_t)o + (size_t)i];
            if (node < fine->nnode && parent[2 * node] < 0)
                (void)pair_of(coarse, fine->node_at + 3 * (size_t)node, corner, coarse->oct_node + 6 * (size_t)c,
                              parent + 2 * node);
        }
    }
    lean_on_fellows(fine, parent);
    return SN_OK;
}

snStatus sn_lattice_renumber(snLattice *l, const int32_t *number)
{
    int32_t all = l->nnode + l->nhang, *at = SN_NEW_ARRAY(int32_t, 3 * (size_t)all);
    if (!at) return SN_NO_MEMORY;
    for (int32_t i = 0; i < all; ++i)
        memcpy(at + 3 * (size_t)(i < l->nnode ? number[i] : i), l->node_at + 3 * (size_t)i, 3 * sizeof *at);
    for (int32_t i = 0; i < 6 * l->noct; ++i)
        if (l->oct_node[i] < l->nnode) l->oct_node[i] = number[l->oct_node[i]];
    for (int32_t i = 0; i < 2 * l->nhang; ++i) l->hang[i] = number[l->hang[i]];
    sn_free(l->node_at);
    l->node_at = at;
    return SN_OK;
}

int32_t sn_samples_keep_marked(snSamples *s, const uint8_t *marked)
{
    int32_t n = (int32_t)sample_count(s), gone = 0, *parent = SN_NEW_ARRAY(int32_t, n);
    uint8_t *keep = SN_NEW_ARRAY(uint8_t, n);
    if (!parent || !keep) return sn_free(parent), sn_free(keep), -1;
    for (int32_t i = 0; i < n; ++i) parent[i] = i;
    for (int32_t v = 0; v < n; ++v)
        for (int d = 0; d < 3; ++d)
            if (s->flag[v] & (1 << d)) unite(parent, v, v + stride(s, d));
    for (int32_t v = 0; v < n; ++v)
        if (marked[v]) keep[root_of(parent, v)] = 1;
    for (int32_t v = 0; v < n; ++v) {
        if (!(s->flag[v] & SN_SAMPLE_INSIDE) || keep[root_of(parent, v)]) continue;
        gone += parent[v] == v;
        s->flag[v] = 0; /* its links end at samples that go too */
    }
    sn_free(parent);
    sn_free(keep);
    return gone;
}
