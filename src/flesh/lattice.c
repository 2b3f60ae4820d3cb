/* Octahedra from samples: components by union-find, first of samples within an octahedron, then of its corners. */
#include "flesh/lattice.h"

#include "base/alloc.h"

#include <string.h>

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

int32_t sn_lattice_locate(const snLattice *l, v3 point, int32_t face[4])
{
    double p[3] = {(point.x - l->low.x) / l->spacing, (point.y - l->low.y) / l->spacing,
                   (point.z - l->low.z) / l->spacing};
    double u[3];
    int axis = 0;
    for (int d = 0; d < 3; ++d) {
        face[1 + d] = (int32_t)floor(p[d]);
        u[d] = p[d] - face[1 + d] - 0.5;
        if (fabs(u[d]) > fabs(u[axis])) axis = d;
    }
    face[0] = axis;
    face[1 + axis] += u[axis] > 0;
    double b = u[(axis + 1) % 3], c = u[(axis + 2) % 3];
    return fabs(c) > fabs(b) ? (c < 0 ? 0 : 2) : (b > 0 ? 1 : 3);
}

static int32_t face_key(const snLattice *l, const int32_t face[4])
{
    return face[0] + 3 * ((face[1] * (l->n[1] + 1) + face[2]) * (l->n[2] + 1) + face[3]);
}

static void key_face(const snLattice *l, int32_t key, int32_t face[4])
{
    face[0] = key % 3, key /= 3;
    face[3] = key % (l->n[2] + 1), key /= l->n[2] + 1;
    face[2] = key % (l->n[1] + 1), face[1] = key / (l->n[1] + 1);
}

/* Half spacings of the six corners of an octahedron. */
static void corners_of(const int32_t face[4], int32_t at[6][3])
{
    static const int32_t corner[4][2] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};
    int a = face[0], b = (a + 1) % 3, c = (a + 2) % 3;
    for (int i = 0; i < 6; ++i) {
        at[i][a] = 2 * face[1 + a] + (i == 0 ? -1 : i == 1 ? 1 : 0);
        at[i][b] = 2 * face[1 + b] + (i < 2 ? 1 : corner[i - 2][0]);
        at[i][c] = 2 * face[1 + c] + (i < 2 ? 1 : corner[i - 2][1]);
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
    sn_tet_frame(face[0], k, frame);
    low = v3_of(l->low.x + 0.25 * l->spacing * (at[0][0] + at[1][0]),
                l->low.y + 0.25 * l->spacing * (at[0][1] + at[1][1]),
                l->low.z + 0.25 * l->spacing * (at[0][2] + at[1][2])); /* middle between the centres */
    v3 d = v3_scale(v3_sub(point, low), 1 / l->spacing);
    double along = v3_dot(d, frame[0]), out = 2 * v3_dot(d, frame[1]), edge = v3_dot(d, frame[2]);
    weight[0] = 0.5 * (1 - out) - along, weight[1] = 0.5 * (1 - out) + along;
    weight[2] = 0.5 * out - edge, weight[3] = 0.5 * out + edge;
}

/* Face of every sample that is inside, and the components of samples within one. */
static void join_samples(const snSamples *s, const snLattice *l, int32_t *key, int32_t *parent)
{
    int32_t i = 0, face[4];
    for (int32_t x = 0; x < s->n[0]; ++x)
        for (int32_t y = 0; y < s->n[1]; ++y)
            for (int32_t z = 0; z < s->n[2]; ++z, ++i) {
                parent[i] = i, key[i] = -1;
                if (!(s->flag[i] & SN_SAMPLE_INSIDE)) continue;
                (void)sn_lattice_locate(l, sn_sample_point(s, x, y, z), face);
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
        if (key[v] >= 0 && parent[v] == v) key_face(l, key[v], face), ++layer[face[1 + l->axis] + 2], ++l->noct;
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
            l->sample_oct[v] = layer[face[1 + l->axis] + 1]++;
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

static snStatus number_nodes(const snSamples *s, snLattice *l)
{
    int32_t nslot = 6 * l->noct, *parent = SN_NEW_ARRAY(int32_t, nslot), last[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    if (!parent) return SN_NO_MEMORY;
    for (int32_t i = 0; i < nslot; ++i) parent[i] = i;
    for (int32_t v = 0, n = (int32_t)sample_count(s); v < n; ++v)
        for (int d = 0; d < 3; ++d) {
            if (!(s->flag[v] & (1 << d))) continue;
            int32_t a = l->sample_oct[v], b = l->sample_oct[v + stride(s, d)];
            if (a == b || (last[d][0] == a && last[d][1] == b)) continue;
            join_corners(l, parent, a, b);
            last[d][0] = a, last[d][1] = b;
        }
    for (int32_t i = 0; i < nslot; ++i) {
        int32_t root = root_of(parent, i);
        l->oct_node[i] = root == i ? l->nnode++ : l->oct_node[root];
    }
    sn_free(parent);
    l->node_at = SN_NEW_ARRAY(int32_t, 3 * (size_t)l->nnode);
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
        join_samples(s, l, key, parent);
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
    *l = (snLattice){0};
}

/* The pair of corners of a coarse octahedron whose mean is the fine node; false when there is none. */
static bool pair_of(const int32_t *at, int32_t corner[6][3], const int32_t *coarse_node, int32_t parent[2])
{
    for (int i = 0; i < 6; ++i)
        for (int j = i; j < 6; ++j)
            if (corner[i][0] + corner[j][0] == at[0] && corner[i][1] + corner[j][1] == at[1] &&
                corner[i][2] + corner[j][2] == at[2]) {
                /* opposite corners have the centre of the octahedron between them: on an edge for the two centres only
                 */
                if (i >= 2 && j == i + 2) continue;
                parent[0] = coarse_node[i], parent[1] = coarse_node[j];
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
            if (parent[2 * node[i]] >= 0) continue;
            int best = -1, least = INT32_MAX;
            for (int j = 0; j < 6; ++j) {
                int far = 0;
                for (int d = 0; d < 3; ++d) {
                    int way =
                        fine->node_at[3 * (size_t)node[i] + (size_t)d] - fine->node_at[3 * (size_t)node[j] + (size_t)d];
                    far += way * way;
                }
                if (parent[2 * node[j]] >= 0 && far < least) best = j, least = far;
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
            if (parent[2 * node] < 0)
                (void)pair_of(fine->node_at + 3 * (size_t)node, corner, coarse->oct_node + 6 * (size_t)c,
                              parent + 2 * node);
        }
    }
    lean_on_fellows(fine, parent);
    return SN_OK;
}

snStatus sn_lattice_renumber(snLattice *l, const int32_t *number)
{
    int32_t *at = SN_NEW_ARRAY(int32_t, 3 * (size_t)l->nnode);
    if (!at) return SN_NO_MEMORY;
    for (int32_t i = 0; i < l->nnode; ++i)
        memcpy(at + 3 * (size_t)number[i], l->node_at + 3 * (size_t)i, 3 * sizeof *at);
    for (int32_t i = 0; i < 6 * l->noct; ++i) l->oct_node[i] = number[l->oct_node[i]];
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
