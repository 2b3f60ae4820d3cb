/* Points of surfaces embedded in the lattice: each in a cell that holds flesh on its own side of the skin. */
#include "author/flesh.h"

#include <string.h>

enum { REACH = 3 }; /* samples around a point that are looked at first */

typedef struct {
    const snFleshSamples *s;
    const snBvh *skin;
    const snLattice *lattice;
    v3 point, inner;                                          /* the point, and the same a little inside */
    int32_t face[SN_LATTICE_SIZES][4], tet[SN_LATTICE_SIZES]; /* that the point is in, by size */
    int32_t best;
    double least;
} Search;

static bool is_around(const Search *w, int32_t oct)
{
    const int32_t *face = w->lattice->oct_face + 4 * (size_t)oct;
    return memcmp(w->face[sn_face_size(face)], face, sizeof w->face[0]) == 0;
}

/* Cells around the point itself come before all others. */
static void look_at(Search *w, int32_t x, int32_t y, int32_t z, bool crossing)
{
    const snSamples *g = &w->s->grid;
    if (x < 0 || y < 0 || z < 0 || x >= g->n[0] || y >= g->n[1] || z >= g->n[2]) return;
    int32_t i = (x * g->n[1] + y) * g->n[2] + z, oct = w->lattice->sample_oct[i];
    if (oct < 0) return;
    v3 p = sn_sample_point(g, x, y, z);
    double d = v3_dist(p, w->point);
    if (!is_around(w, oct)) d += 4 * REACH * g->spacing;
    if (d >= w->least) return;
    if (crossing && sn_bvh_segment_crosses(w->skin, w->inner, p)) return;
    w->best = i, w->least = d;
}

static void search(Search *w, int32_t reach, bool crossing)
{
    const snSamples *g = &w->s->grid;
    int32_t at[3] = {(int32_t)floor((w->point.x - g->low.x) / g->spacing),
                     (int32_t)floor((w->point.y - g->low.y) / g->spacing),
                     (int32_t)floor((w->point.z - g->low.z) / g->spacing)};
    for (int32_t x = at[0] - reach; x <= at[0] + reach; ++x)
        for (int32_t y = at[1] - reach; y <= at[1] + reach; ++y)
            for (int32_t z = at[2] - reach; z <= at[2] + reach; ++z) look_at(w, x, y, z, crossing);
}

snStatus sn_flesh_embed(const snFleshSamples *s, const snBvh *skin, const snLattice *l, int32_t n, const double *point,
                        const double *normal, snEmbedded *to)
{
    for (int32_t v = 0; v < n; ++v) {
        Search w = {.s = s, .skin = skin, .lattice = l, .point = v3_load(point + 3 * v), .best = -1, .least = INFINITY};
        w.inner = normal ? v3_mad(w.point, -1e-3 * s->grid.spacing, v3_load(normal + 3 * v)) : w.point;
        for (int32_t k = 0; k < SN_LATTICE_SIZES; ++k) w.tet[k] = sn_lattice_locate(l, k, w.point, w.face[k]);
        search(&w, REACH, true);
        for (int32_t reach = REACH; w.best < 0 && reach < 200; reach *= 2) search(&w, reach, false);
        if (w.best < 0) return SN_BAD_INPUT;
        int32_t oct = l->sample_oct[w.best], face[4], size = sn_face_size(l->oct_face + 4 * (size_t)oct);
        int32_t tet = w.tet[size];
        if (!is_around(&w, oct)) {
            const snSamples *g = &s->grid;
            v3 p = sn_sample_point(g, w.best / (g->n[1] * g->n[2]), w.best / g->n[2] % g->n[1], w.best % g->n[2]);
            tet = sn_lattice_locate(l, size, p, face);
        }
        to[v].oct = oct, to[v].tet = tet;
        sn_tet_weights(l, l->oct_face + 4 * (size_t)oct, tet, w.point, to[v].weight);
    }
    return SN_OK;
}

v3 sn_embedded_at(const snLattice *l, const snEmbedded *e, const double *x)
{
    int32_t row[8];
    double share[8];
    v3 p = {0};
    int32_t n = sn_lattice_spread(l, e->oct, e->tet, e->weight, row, share);
    for (int32_t i = 0; i < n; ++i) p = v3_mad(p, share[i], v3_load(x + 4 * (size_t)row[i]));
    return p;
}
