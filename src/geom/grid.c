/* Sampling goes by cubes that are divided only near the surface, so that the work grows with the surface and not with
 * the volume.
 *
 * Extraction: each cell is cut into six tetrahedra around its diagonal, the same way in every cell, so
 * faces match and the surface is closed and manifold whatever the samples. A vertex sits on an edge of the
 * lattice and is kept off its ends, so no triangle is degenerate. */
#include "geom/grid.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"

#include <string.h>

enum { BLOCK = 16 };

/* ---- sampling --------------------------------------------------------------------------------- */

typedef struct {
    const snGridDef *def;
    snGrid *grid;
    int32_t nblock[3];
} Sampling;

static v3 grid_point(const snGrid *g, int32_t i, int32_t j, int32_t k)
{
    return v3_of(g->low.x + g->spacing * i, g->low.y + g->spacing * j, g->low.z + g->spacing * k);
}

static size_t grid_index(const snGrid *g, int32_t i, int32_t j, int32_t k)
{
    return ((size_t)i * (size_t)g->n[1] + (size_t)j) * (size_t)g->n[2] + (size_t)k;
}

/* Fills the points of a cube of `size` cells. One look at its centre tells whether the surface can come near; only then
 * its eight parts are looked at. Values are true up to three cells from the surface, which is as far as smoothing and
 * extraction look. */
static void sample_cube(const Sampling *s, const int32_t first[3], int32_t size)
{
    snGrid *g = s->grid;
    for (int c = 0; c < 3; ++c)
        if (first[c] >= g->n[c]) return;
    double h = g->spacing, far = 4 * h, half = 0.5 * (size - 1) * h, reach = half * sqrt(3.0) + 3 * h;
    v3 centre = v3_add(grid_point(g, first[0], first[1], first[2]), v3_of(half, half, half));
    double d = s->def->distance(s->def->context, centre, size == 1 ? far : reach);
    if (size > 1 && fabs(d) < reach) {
        for (int i = 0; i < 8; ++i) {
            int32_t part = size / 2,
                    at[3] = {first[0] + (i & 1) * part, first[1] + (i >> 1 & 1) * part, first[2] + (i >> 2) * part};
            sample_cube(s, at, part);
        }
        return;
    }
    float value = (float)fmax(-far, fmin(far, d));
    for (int32_t i = first[0]; i < first[0] + size && i < g->n[0]; ++i)
        for (int32_t j = first[1]; j < first[1] + size && j < g->n[1]; ++j)
            for (int32_t k = first[2]; k < first[2] + size && k < g->n[2]; ++k)
                g->value[grid_index(g, i, j, k)] = value;
}

static void sample_block(void *context, int32_t item)
{
    const Sampling *s = context;
    int32_t first[3] = {item / (s->nblock[1] * s->nblock[2]) * BLOCK, item / s->nblock[2] % s->nblock[1] * BLOCK,
                        item % s->nblock[2] * BLOCK};
    sample_cube(s, first, BLOCK);
}

snStatus sn_grid_create(const snGridDef *def, snGrid *grid, snError *error)
{
    v3 size = v3_sub(def->high, def->low);
    snGrid g = {.low = def->low, .spacing = def->spacing};
    if (!(def->spacing > 0) || !(size.x > 0 && size.y > 0 && size.z > 0) || !(v3_len(size) / def->spacing < 1e5))
        return sn_fail(error, SN_BAD_INPUT, "a grid of %g x %g x %g m with spacing %g m", size.x, size.y, size.z,
                       def->spacing);
    double extent[3] = {size.x, size.y, size.z}, total = 1;
    Sampling s = {def, &g, {0}};
    for (int c = 0; c < 3; ++c) {
        g.n[c] = (int32_t)ceil(extent[c] / def->spacing) + 2;
        s.nblock[c] = (g.n[c] + BLOCK - 1) / BLOCK;
        total *= g.n[c];
    }
    if (!(total < 2e9)) return sn_fail(error, SN_BAD_INPUT, "a grid of %.3g points is too fine", total);
    g.value = SN_NEW_ARRAY(float, total);
    if (!g.value) return sn_fail_no_memory(error);
    sn_pool_loop(def->pool, s.nblock[0] * s.nblock[1] * s.nblock[2], sample_block, &s);
    *grid = g;
    return SN_OK;
}

void sn_grid_free(snGrid *grid)
{
    sn_free(grid->value);
    *grid = (snGrid){0};
}

/* Weights of the quadratic B-spline for the three samples around x, and their derivatives per cell. */
static int32_t spline3(double x, int32_t n, double w[3], double d[3])
{
    int32_t middle = (int32_t)floor(x + 0.5);
    middle = middle < 1 ? 1 : middle > n - 2 ? n - 2 : middle;
    double t = fmax(-0.5, fmin(0.5, x - middle));
    w[0] = 0.5 * (0.5 - t) * (0.5 - t), w[1] = 0.75 - t * t, w[2] = 0.5 * (0.5 + t) * (0.5 + t);
    d[0] = t - 0.5, d[1] = -2 * t, d[2] = t + 0.5;
    return middle - 1;
}

double sn_grid_sample(const snGrid *grid, v3 point, v3 *gradient)
{
    double w[3][3], d[3][3], x[3], value = 0, gx = 0, gy = 0, gz = 0;
    int32_t first[3];
    v3_store(x, v3_scale(v3_sub(point, grid->low), 1 / grid->spacing));
    for (int c = 0; c < 3; ++c) first[c] = spline3(x[c], grid->n[c], w[c], d[c]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const float *row = grid->value + grid_index(grid, first[0] + i, first[1] + j, first[2]);
            double line = w[2][0] * row[0] + w[2][1] * row[1] + w[2][2] * row[2];
            double slope = d[2][0] * row[0] + d[2][1] * row[1] + d[2][2] * row[2];
            value += w[0][i] * w[1][j] * line;
            gx += d[0][i] * w[1][j] * line, gy += w[0][i] * d[1][j] * line, gz += w[0][i] * w[1][j] * slope;
        }
    if (gradient) *gradient = v3_scale(v3_of(gx, gy, gz), 1 / grid->spacing);
    return value;
}

v3 sn_grid_project(const snGrid *grid, v3 point)
{
    for (int step = 0; step < 4; ++step) {
        v3 g;
        double d = sn_grid_sample(grid, point, &g), slope = v3_len2(g);
        if (fabs(d) < 1e-4 * grid->spacing) break;
        /* where the slope fades (between two parts, or in a flat far region) a short step only */
        point = v3_mad(point, -d / fmax(slope, 0.25), g);
    }
    return point;
}

/* ---- extraction ------------------------------------------------------------------------------- */

typedef struct {
    const snGrid *grid;
    SN_ARRAY(v3) vertex;
    SN_ARRAY(int32_t) triangle;
    int32_t *layer[2]; /* vertex + 1 of each lattice edge that starts in this or the next layer, 7 per point */
    bool out_of_memory;
} March;

static void corner_offset(int corner, int32_t d[3])
{
    d[0] = corner & 1, d[1] = corner >> 1 & 1, d[2] = corner >> 2;
}

/* The vertex on the lattice edge between two corners of the cell (i, j, k), one of which holds all bits of the other.
 */
static int32_t edge_vertex(March *m, const int32_t cell[3], int a, int b, const double value[8])
{
    if ((a & b) != a) {
        int swap = a;
        a = b, b = swap;
    }
    const snGrid *g = m->grid;
    int32_t da[3], db[3];
    corner_offset(a, da), corner_offset(b, db);
    int32_t *slot = m->layer[da[0]] + 7 * ((cell[1] + da[1]) * g->n[2] + cell[2] + da[2]) + (a ^ b) - 1;
    if (*slot) return *slot - 1;
    double t = value[a] / (value[a] - value[b]);
    t = fmax(0.03, fmin(0.97, t));
    v3 p = v3_lerp(grid_point(g, cell[0] + da[0], cell[1] + da[1], cell[2] + da[2]),
                   grid_point(g, cell[0] + db[0], cell[1] + db[1], cell[2] + db[2]), t);
    if (!sn_array_push(&m->vertex, p)) {
        m->out_of_memory = true;
        return 0;
    }
    *slot = m->vertex.count;
    return *slot - 1;
}

static void emit(March *m, int32_t a, int32_t b, int32_t c)
{
    if (!sn_array_reserve(&m->triangle, 3)) {
        m->out_of_memory = true;
        return;
    }
    int32_t *to = m->triangle.at + m->triangle.count;
    to[0] = a, to[1] = b, to[2] = c;
    m->triangle.count += 3;
}

/* One tetrahedron, corners in positive order. Even permutations bring the inside corners to the front. */
static void march_tetrahedron(March *m, const int32_t cell[3], const int corner[4], const double value[8])
{
    static const int8_t order[16][4] = {
        {0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {2, 0, 1, 3}, {0, 2, 3, 1}, {1, 2, 0, 3}, {0, 1, 2, 3},
        {3, 0, 2, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}, {0, 3, 1, 2}, {2, 3, 0, 1}, {0, 2, 3, 1}, {1, 3, 2, 0}, {0, 1, 2, 3}};
    int inside = 0, count = 0;
    for (int i = 0; i < 4; ++i)
        if (value[corner[i]] < 0) inside |= 1 << i, ++count;
    if (count == 0 || count == 4) return;
    int o[4];
    for (int i = 0; i < 4; ++i) o[i] = corner[order[inside][i]];
    if (count == 1) {
        emit(m, edge_vertex(m, cell, o[0], o[1], value), edge_vertex(m, cell, o[0], o[2], value),
             edge_vertex(m, cell, o[0], o[3], value));
    } else if (count == 3) {
        emit(m, edge_vertex(m, cell, o[0], o[3], value), edge_vertex(m, cell, o[1], o[3], value),
             edge_vertex(m, cell, o[2], o[3], value));
    } else {
        int32_t ik = edge_vertex(m, cell, o[0], o[2], value), il = edge_vertex(m, cell, o[0], o[3], value);
        int32_t jl = edge_vertex(m, cell, o[1], o[3], value), jk = edge_vertex(m, cell, o[1], o[2], value);
        emit(m, ik, il, jl);
        emit(m, ik, jl, jk);
    }
}

static void march_cell(March *m, const int32_t cell[3])
{
    /* Paths from corner 0 to corner 7 along the axes, in positive order (odd permutations of the axes swap the middle).
     */
    static const int path[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};
    double value[8];
    int inside = 0;
    for (int c = 0; c < 8; ++c) {
        int32_t d[3];
        corner_offset(c, d);
        value[c] = m->grid->value[grid_index(m->grid, cell[0] + d[0], cell[1] + d[1], cell[2] + d[2])];
        inside += value[c] < 0;
    }
    if (inside == 0 || inside == 8) return;
    for (int i = 0; i < 6; ++i) march_tetrahedron(m, cell, path[i], value);
}

static bool rim_is_outside(const snGrid *g)
{
    for (int32_t i = 0; i < g->n[0]; ++i)
        for (int32_t j = 0; j < g->n[1]; ++j) {
            bool rim = i == 0 || j == 0 || i == g->n[0] - 1 || j == g->n[1] - 1;
            for (int32_t k = 0; k < g->n[2]; k += rim ? 1 : g->n[2] - 1)
                if (g->value[grid_index(g, i, j, k)] < 0) return false;
        }
    return true;
}

static snStatus march(March *m, snTriMesh *mesh, snError *error)
{
    const snGrid *g = m->grid;
    size_t layer = 7 * (size_t)g->n[1] * (size_t)g->n[2];
    for (int32_t i = 0; i + 1 < g->n[0] && !m->out_of_memory; ++i) {
        for (int32_t j = 0; j + 1 < g->n[1]; ++j)
            for (int32_t k = 0; k + 1 < g->n[2]; ++k) march_cell(m, (const int32_t[3]){i, j, k});
        int32_t *swap = m->layer[0];
        m->layer[0] = m->layer[1], m->layer[1] = swap;
        memset(swap, 0, layer * sizeof *swap);
    }
    if (m->out_of_memory) return sn_fail_no_memory(error);
    if (!m->triangle.count) return sn_fail(error, SN_BAD_INPUT, "the grid holds no surface");
    snTriMesh made;
    if (!sn_trimesh_alloc(&made, m->vertex.count, m->triangle.count / 3)) return sn_fail_no_memory(error);
    for (int32_t v = 0; v < made.nvertex; ++v) v3_store(made.vertex + 3 * v, m->vertex.at[v]);
    memcpy(made.triangle, m->triangle.at, sizeof(int32_t) * (size_t)m->triangle.count);
    *mesh = made;
    return SN_OK;
}

snStatus sn_grid_extract(const snGrid *grid, snTriMesh *mesh, snError *error)
{
    if (!rim_is_outside(grid)) return sn_fail(error, SN_BAD_INPUT, "the surface leaves the grid");
    size_t layer = 7 * (size_t)grid->n[1] * (size_t)grid->n[2];
    March m = {.grid = grid, .layer = {SN_NEW_ARRAY(int32_t, layer), SN_NEW_ARRAY(int32_t, layer)}};
    snStatus status = m.layer[0] && m.layer[1] ? march(&m, mesh, error) : sn_fail_no_memory(error);
    sn_free(m.layer[0]), sn_free(m.layer[1]);
    sn_array_free(&m.vertex);
    sn_array_free(&m.triangle);
    return status;
}
