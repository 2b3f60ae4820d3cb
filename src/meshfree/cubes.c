/* quads.h for cubes: trilinear shape functions, two quadrature points along each side, and one in the middle for the
 * volume. */
#include "meshfree/quads.h"

#include "base/alloc.h"
#include "base/error.h"

typedef struct lattice {
    v3 low, size;
    const int32_t *cells;
    snSoftInsideFn inside;
    const void *context;
} lattice;

static double eighth(const lattice *l, int32_t i, int32_t j, int32_t k, int part)
{
    v3 at = v3_of(i + 0.25 + 0.5 * (part & 1), j + 0.25 + 0.5 * (part >> 1 & 1), k + 0.25 + 0.5 * (part >> 2));
    return l->inside ? l->inside(l->context, v3_add(l->low, v3_mul(at, l->size)), 0.5 * l->size.x) : 1;
}

/* Shape gradients at quadrature point `part` of a cube; 8: in the middle. */
static void cube_gradients(v3 size, int part, double *gradient, v3 *place)
{
    const double near = part < 8 ? 0.5 - 0.5 / sqrt(3.0) : 0.5;
    double t[3], h[3] = {size.x, size.y, size.z};
    for (int e = 0; e < 3; ++e) t[e] = (part >> e & 1) ? 1 - near : near;
    *place = v3_of(t[0], t[1], t[2]);
    for (int c = 0; c < 8; ++c) {
        double value[3], slope[3];
        for (int e = 0; e < 3; ++e) {
            value[e] = (c >> e & 1) ? t[e] : 1 - t[e];
            slope[e] = ((c >> e & 1) ? 1 : -1) / h[e];
        }
        gradient[3 * c] = slope[0] * value[1] * value[2];
        gradient[3 * c + 1] = value[0] * slope[1] * value[2];
        gradient[3 * c + 2] = value[0] * value[1] * slope[2];
    }
}

static void add_cube(const lattice *l, int32_t i, int32_t j, int32_t k, const int32_t node[8], const double share[9],
                     snSoftQuads *q)
{
    for (int part = 0; part < 9; ++part) {
        if (share[part] <= 0) continue;
        int32_t at = q->first[q->n];
        v3 place;
        cube_gradients(l->size, part, q->gradient + 3 * at, &place);
        for (int c = 0; c < 8; ++c) q->node[at + c] = node[c];
        v3_store(q->centre + 3 * q->n, v3_add(l->low, v3_mul(v3_add(v3_of(i, j, k), place), l->size)));
        q->part[q->n] = part < 8 ? SN_SOFT_SHAPE : SN_SOFT_VOLUME;
        q->volume[q->n] = share[part] * l->size.x * l->size.y * l->size.z / 8;
        q->first[++q->n] = at + 8;
    }
}

/* number: the corners' nodes, or the count of cubes only. Nodes are numbered in order of their use. */
static int32_t walk(const lattice *l, int32_t *number, snSoftQuads *q)
{
    const int32_t *n = l->cells;
    int32_t cubes = 0;
    for (int32_t i = 0; i < n[0]; ++i)
        for (int32_t j = 0; j < n[1]; ++j)
            for (int32_t k = 0; k < n[2]; ++k) {
                double share[9], sum = 0;
                for (int part = 0; part < 8; ++part) sum += share[part] = eighth(l, i, j, k, part);
                if (sum <= 0) continue;
                share[8] = sum;
                ++cubes;
                if (!q) continue;
                int32_t node[8];
                for (int c = 0; c < 8; ++c) {
                    int32_t a = i + (c & 1), b = j + (c >> 1 & 1), d = k + (c >> 2);
                    int32_t *slot = number + ((size_t)a * (size_t)(n[1] + 1) + (size_t)b) * (size_t)(n[2] + 1) + d;
                    if (*slot == 0) {
                        v3_store(q->rest + 3 * q->nnode, v3_add(l->low, v3_mul(v3_of(a, b, d), l->size)));
                        *slot = ++q->nnode;
                    }
                    node[c] = *slot - 1;
                }
                add_cube(l, i, j, k, node, share, q);
            }
    return cubes;
}

snStatus sn_soft_quads_from_cubes(v3 low, const int32_t cells[3], v3 size, snSoftInsideFn inside, const void *context,
                                  snSoftQuads *q, snError *error)
{
    lattice l = {low, size, cells, inside, context};
    *q = (snSoftQuads){0};
    size_t cubes = (size_t)walk(&l, NULL, NULL);
    size_t corners = (size_t)(cells[0] + 1) * (size_t)(cells[1] + 1) * (size_t)(cells[2] + 1);
    size_t nodes = 8 * cubes < corners ? 8 * cubes : corners;
    if (cubes == 0) return sn_fail(error, SN_BAD_INPUT, "no cube of the lattice lies inside the muscle");
    int32_t *number = SN_NEW_ARRAY(int32_t, corners);
    q->rest = SN_NEW_ARRAY(double, 3 * nodes), q->volume = SN_NEW_ARRAY(double, 9 * cubes);
    q->centre = SN_NEW_ARRAY(double, 27 * cubes), q->first = SN_NEW_ARRAY(int32_t, 9 * cubes + 1);
    q->node = SN_NEW_ARRAY(int32_t, 72 * cubes), q->gradient = SN_NEW_ARRAY(double, 216 * cubes);
    q->part = SN_NEW_ARRAY(uint8_t, 9 * cubes);
    q->hold_first = SN_NEW_ARRAY(int32_t, nodes + 1);
    bool ok =
        number && q->rest && q->volume && q->centre && q->first && q->node && q->gradient && q->hold_first && q->part;
    if (ok) walk(&l, number, q);
    sn_free(number);
    if (ok) return SN_OK;
    sn_soft_quads_free(q);
    return sn_fail_no_memory(error);
}
