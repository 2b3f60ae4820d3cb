/* Sampling a mesh's signed distance and interpolating it.
 *
 * The samples are true everywhere, not only near the surface: a strand may be drawn or pushed anywhere and needs a side
 * and a normal there. Near the surface they come from the tree of triangles; from there the closest triangle is handed
 * on from neighbour to neighbour in eight sweeps, which is a hundred times as fast and hardly ever misses a closer one.
 * Interpolation: coefficients c of the cubic B-spline with (c[i-1] + 4 c[i] + c[i+1]) / 6 = sample[i] along each axis,
 * no curvature at the rim. It is of fourth order where the distance is smooth; edges of the mesh are rounded by about a
 * quarter of the spacing. */
#include "geom/distance.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geom/bvh.h"

enum { MARGIN = 4, CELLS = 48, MAX_REFINE = 4, MAX_PART = 64 };
static const double MOST_POINTS = 4e6, AUTO_POINTS = 1e6;
static const double BAND = 2.5;    /* cells about the surface whose distance comes from the tree */
static const double NEAR = 8;      /* cells within which the closest triangle must be the true one */
static const double STEEP = 0.3;   /* of the slope one: less across the mesh's surface means that it is not seen */
static const double POOR = 0.1;    /* of the surface not seen: try a finer grid */
static const double REFINE = 0.65; /* factor on the spacing */

typedef struct {
    const snTriMesh *mesh;
    snBvh *tree;
    snMeshSide side;
    snFans fans;
    v3 low, high;
    double reach; /* m: of the grid beyond the mesh, at least */
} Source;

static size_t index_of(const snDistance *f, int32_t i, int32_t j, int32_t k)
{
    return ((size_t)i * (size_t)f->n[1] + (size_t)j) * (size_t)f->n[2] + (size_t)k;
}

/* ---- samples ---------------------------------------------------------------------------------- */

/* What is known at a grid point: the closest triangle so far (-1: none), its closest point, and the side. */
typedef struct {
    v3 point;
    double distance;
    int32_t triangle;
    float sign;
} Sample;

static v3 grid_point(const snDistance *f, int32_t i, int32_t j, int32_t k)
{
    return v3_of(f->low.x + f->spacing * i, f->low.y + f->spacing * j, f->low.z + f->spacing * k);
}

/* The band about the surface, by cubes that are divided only where the surface may come near. */
static void sample_cube(const Source *s, const snDistance *f, Sample *sample, const int32_t first[3], int32_t size)
{
    for (int c = 0; c < 3; ++c)
        if (first[c] >= f->n[c]) return;
    double half = 0.5 * (size - 1) * f->spacing, reach = half * sqrt(3.0) + BAND * f->spacing;
    v3 centre = v3_add(grid_point(f, first[0], first[1], first[2]), v3_of(half, half, half));
    snMeshHit hit;
    double d = sn_bvh_signed_distance(s->tree, &s->side, centre, reach, &hit);
    if (hit.triangle < 0) return;
    if (size == 1) {
        sample[index_of(f, first[0], first[1], first[2])] =
            (Sample){hit.point, hit.distance, hit.triangle, d < 0 ? -1.0f : 1.0f};
        return;
    }
    for (int i = 0; i < 8; ++i) {
        int32_t part = size / 2,
                at[3] = {first[0] + (i & 1) * part, first[1] + (i >> 1 & 1) * part, first[2] + (i >> 2) * part};
        sample_cube(s, f, sample, at, part);
    }
}

static void sample_band(const Source *s, const snDistance *f, Sample *sample)
{
    enum { BLOCK = 16 };
    for (int32_t i = 0; i < f->n[0]; i += BLOCK)
        for (int32_t j = 0; j < f->n[1]; j += BLOCK)
            for (int32_t k = 0; k < f->n[2]; k += BLOCK) sample_cube(s, f, sample, (const int32_t[3]){i, j, k}, BLOCK);
}

static v3 closest_of(const snTriMesh *m, int32_t t, v3 p, double weight[3])
{
    return sn_triangle_closest(p, sn_trimesh_corner(m, t, 0), sn_trimesh_corner(m, t, 1), sn_trimesh_corner(m, t, 2),
                               weight);
}

/* Takes over a neighbour's triangle when it is closer than the own one. Beyond the band neighbours are on one side. */
static void hand_on(const Source *s, v3 p, const Sample *from, Sample *to)
{
    if (from->triangle < 0 || from->triangle == to->triangle) return;
    if (to->triangle >= 0 && v3_dist(p, from->point) >= to->distance) return;
    double weight[3];
    v3 q = closest_of(s->mesh, from->triangle, p, weight);
    *to = (Sample){q, v3_dist(p, q), from->triangle, to->triangle < 0 ? from->sign : to->sign};
}

/* From triangle to triangle around the corners that the closest point leans on, as long as they come closer: a mesh
 * finer than the grid has triangles that no neighbour knew. */
static void descend(const Source *s, v3 p, Sample *at)
{
    double weight[3], other[3];
    closest_of(s->mesh, at->triangle, p, weight);
    for (bool better = true; better;) {
        int32_t here = at->triangle;
        better = false;
        if (weight[0] > 0 && weight[1] > 0 && weight[2] > 0) return;
        for (int c = 0; c < 3; ++c) {
            int32_t v = s->mesh->triangle[3 * here + c];
            if (!(weight[c] > 0)) continue;
            for (int32_t i = s->fans.start[v]; i < s->fans.start[v + 1]; ++i) {
                v3 q = closest_of(s->mesh, s->fans.list[i], p, other);
                double d = v3_dist(p, q);
                if (!(d < at->distance * (1 - 1e-9))) continue;
                at->point = q, at->distance = d, at->triangle = s->fans.list[i];
                better = true;
            }
        }
        if (better) closest_of(s->mesh, at->triangle, p, weight);
    }
}

/* Further away a few per cent of a cell are of no consequence. */
static void descend_all(const Source *s, const snDistance *f, Sample *sample)
{
    for (int32_t i = 0; i < f->n[0]; ++i)
        for (int32_t j = 0; j < f->n[1]; ++j)
            for (int32_t k = 0; k < f->n[2]; ++k) {
                Sample *at = sample + index_of(f, i, j, k);
                bool near = at->distance > BAND * f->spacing && at->distance < NEAR * f->spacing;
                if (near) descend(s, grid_point(f, i, j, k), at);
            }
}

static void sweep(const Source *s, const snDistance *f, Sample *sample, int direction)
{
    int32_t step[3], begin[3];
    for (int c = 0; c < 3; ++c) step[c] = direction >> c & 1 ? -1 : 1, begin[c] = step[c] > 0 ? 0 : f->n[c] - 1;
    for (int32_t i = begin[0]; i >= 0 && i < f->n[0]; i += step[0])
        for (int32_t j = begin[1]; j >= 0 && j < f->n[1]; j += step[1])
            for (int32_t k = begin[2]; k >= 0 && k < f->n[2]; k += step[2]) {
                v3 p = grid_point(f, i, j, k);
                Sample *to = sample + index_of(f, i, j, k);
                if (i != begin[0]) hand_on(s, p, sample + index_of(f, i - step[0], j, k), to);
                if (j != begin[1]) hand_on(s, p, sample + index_of(f, i, j - step[1], k), to);
                if (k != begin[2]) hand_on(s, p, sample + index_of(f, i, j, k - step[2]), to);
            }
}

static bool sample_all(const Source *s, const snDistance *f, float *value)
{
    size_t count = sn_distance_count(f);
    Sample *sample = SN_NEW_ARRAY(Sample, count);
    if (!sample) return false;
    for (size_t i = 0; i < count; ++i) sample[i].triangle = -1;
    sample_band(s, f, sample);
    for (int direction = 0; direction < 8; ++direction) sweep(s, f, sample, direction);
    descend_all(s, f, sample);
    for (size_t i = 0; i < count; ++i) value[i] = sample[i].sign * (float)sample[i].distance;
    sn_free(sample);
    return true;
}

/* ---- coefficients ----------------------------------------------------------------------------- */

/* In place, from samples to coefficients of one line; factor and x are scratch. The ends keep their value, which is the
 * condition of no curvature there. */
static void solve_line(float *line, size_t stride, int32_t n, double *factor, double *x)
{
    factor[0] = 0, x[0] = line[0];
    for (int32_t i = 1; i + 1 < n; ++i) {
        double pivot = 4 - factor[i - 1];
        factor[i] = 1 / pivot;
        x[i] = (6 * (double)line[(size_t)i * stride] - x[i - 1]) / pivot;
    }
    x[n - 1] = line[(size_t)(n - 1) * stride];
    for (int32_t i = n - 2; i > 0; --i) {
        x[i] -= factor[i] * x[i + 1];
        line[(size_t)i * stride] = (float)x[i];
    }
}

static void solve_axis(const snDistance *f, float *value, int axis, double *scratch)
{
    const int32_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    const size_t stride[3] = {(size_t)f->n[1] * (size_t)f->n[2], (size_t)f->n[2], 1};
    for (int32_t i = 0; i < f->n[a]; ++i)
        for (int32_t j = 0; j < f->n[b]; ++j)
            solve_line(value + (size_t)i * stride[a] + (size_t)j * stride[b], stride[axis], f->n[axis], scratch,
                       scratch + f->n[axis]);
}

/* ---- evaluation ------------------------------------------------------------------------------- */

/* Weights of the four coefficients around x, and their derivatives per cell; x within [1, n - 2]. */
static int32_t weights(double x, int32_t n, double w[4], double d[4])
{
    int32_t i = (int32_t)x;
    i = i < 1 ? 1 : i > n - 3 ? n - 3 : i;
    double t = x - i, u = 1 - t;
    w[0] = u * u * u / 6, w[3] = t * t * t / 6;
    w[1] = 2.0 / 3 - t * t + 0.5 * t * t * t, w[2] = 2.0 / 3 - u * u + 0.5 * u * u * u;
    d[0] = -0.5 * u * u, d[3] = 0.5 * t * t;
    d[1] = -2 * t + 1.5 * t * t, d[2] = 2 * u - 1.5 * u * u;
    return i - 1;
}

static double evaluate(const snDistance *f, const double x[3], v3 *gradient)
{
    double w[3][4], d[3][4], value = 0, gx = 0, gy = 0, gz = 0;
    int32_t first[3];
    for (int c = 0; c < 3; ++c) first[c] = weights(x[c], f->n[c], w[c], d[c]);
    for (int i = 0; i < 4; ++i) {
        double plane = 0, plane_y = 0, plane_z = 0;
        for (int j = 0; j < 4; ++j) {
            const float *c = f->coefficient + index_of(f, first[0] + i, first[1] + j, first[2]);
            const double *v = w[2], *s = d[2];
            double line = v[0] * (double)c[0] + v[1] * (double)c[1] + v[2] * (double)c[2] + v[3] * (double)c[3];
            double slope = s[0] * (double)c[0] + s[1] * (double)c[1] + s[2] * (double)c[2] + s[3] * (double)c[3];
            plane += w[1][j] * line, plane_y += d[1][j] * line, plane_z += w[1][j] * slope;
        }
        value += w[0][i] * plane;
        gx += d[0][i] * plane, gy += w[0][i] * plane_y, gz += w[0][i] * plane_z;
    }
    *gradient = v3_scale(v3_of(gx, gy, gz), 1 / f->spacing);
    return value;
}

double sn_distance_sample(const snDistance *f, v3 point, v3 *gradient)
{
    double x[3], at[3];
    bool inside = true;
    v3 g;
    v3_store(x, v3_scale(v3_sub(point, f->low), 1 / f->spacing));
    for (int c = 0; c < 3; ++c) {
        at[c] = x[c] > 1 ? (x[c] < f->n[c] - 2 ? x[c] : f->n[c] - 2) : 1; /* NaN ends at the rim, too */
        inside = inside && at[c] == x[c];
    }
    double d = evaluate(f, at, &g);
    if (!inside) {
        v3 rim = v3_mad(f->low, f->spacing, v3_load(at)), away = v3_sub(point, v3_mad(rim, -d, v3_unit(g)));
        d = v3_len(away);
        g = v3_scale(away, 1 / d);
    }
    if (gradient) *gradient = g;
    return d;
}

/* Second derivatives of the weights, per cell^2. */
static void curve_weights(double x, int32_t first, double s[4])
{
    double t = x - (first + 1), u = 1 - t;
    s[0] = u, s[1] = 3 * t - 2, s[2] = 3 * u - 2, s[3] = t;
}

double sn_distance_bend(const snDistance *f, v3 point, v3 *gradient, m3 *second)
{
    double x[3], w[3][3][4], sum[6] = {0};
    int32_t first[3];
    v3_store(x, v3_scale(v3_sub(point, f->low), 1 / f->spacing));
    for (int c = 0; c < 3; ++c) {
        x[c] = x[c] > 1 ? (x[c] < f->n[c] - 2 ? x[c] : f->n[c] - 2) : 1;
        first[c] = weights(x[c], f->n[c], w[c][0], w[c][1]);
        curve_weights(x[c], first[c], w[c][2]);
    }
    static const int order[6][3] = {{2, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 2, 0}, {0, 1, 1}, {0, 0, 2}};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const float *c = f->coefficient + index_of(f, first[0] + i, first[1] + j, first[2]);
            double line[3] = {0};
            for (int k = 0; k < 4; ++k)
                for (int e = 0; e < 3; ++e) line[e] += w[2][e][k] * (double)c[k];
            for (int e = 0; e < 6; ++e) sum[e] += w[0][order[e][0]][i] * w[1][order[e][1]][j] * line[order[e][2]];
        }
    for (int e = 0; e < 6; ++e) sum[e] /= f->spacing * f->spacing;
    *second = (m3){{sum[0], sum[1], sum[2], sum[1], sum[3], sum[4], sum[2], sum[4], sum[5]}};
    return sn_distance_sample(f, point, gradient);
}

/* ---- error ------------------------------------------------------------------------------------ */

/* What the grid makes of the mesh's surface: area, and how much of it the grid hardly crosses. */
typedef struct {
    double area, unseen;
} Seen;

static v3 mix(v3 a, v3 b, v3 c, double u, double v)
{
    return v3_add(v3_scale(a, 1 - u - v), v3_add(v3_scale(b, u), v3_scale(c, v)));
}

static void measure_triangle(const snTriMesh *mesh, int32_t t, snDistance *f, Seen *seen)
{
    v3 a = sn_trimesh_corner(mesh, t, 0), b = sn_trimesh_corner(mesh, t, 1), c = sn_trimesh_corner(mesh, t, 2), g;
    v3 normal = v3_cross(v3_sub(b, a), v3_sub(c, a));
    double side = fmax(v3_dist(a, b), fmax(v3_dist(b, c), v3_dist(c, a))), size = v3_len(normal);
    int32_t parts = (int32_t)fmin(ceil(side / f->spacing), MAX_PART);
    if (parts < 1) parts = 1;
    double part = 1.0 / parts, area = size / (parts * parts);
    for (int32_t i = 0; i <= parts; ++i)
        for (int32_t j = 0; i + j <= parts; ++j) {
            v3 p = mix(a, b, c, i * part, j * part);
            double off = fabs(sn_distance_sample(f, p, NULL));
            if (off > f->error) f->error = off, f->error_at = p;
            if (i + j == parts) continue;
            sn_distance_sample(f, mix(a, b, c, (i + 1 / 3.0) * part, (j + 1 / 3.0) * part), &g);
            seen->area += area;
            if (v3_dot(g, normal) < STEEP * size) seen->unseen += area;
        }
}

/* ---- making ----------------------------------------------------------------------------------- */

static double size_grid(const Source *s, double spacing, snDistance *f)
{
    double extent[3], total = 1, margin = fmax(MARGIN, ceil(s->reach / spacing) + 1); /* the rim is one cell wide */
    v3_store(extent, v3_sub(s->high, s->low));
    *f = (snDistance){.spacing = spacing, .reach = (margin - 1) * spacing};
    f->low = v3_mad(s->low, -margin * spacing, v3_of(1, 1, 1));
    for (int c = 0; c < 3; ++c) {
        double n = ceil(extent[c] / spacing) + 2 * margin + 1;
        if (!(n < 1e5)) return INFINITY;
        f->n[c] = (int32_t)n;
        total *= n;
    }
    return total;
}

/* A grid of the given spacing; the grid is sized already. */
static snStatus make(const Source *s, snDistance *f, double *unseen, snError *error)
{
    int32_t longest = f->n[0] > f->n[1] ? f->n[0] : f->n[1];
    if (f->n[2] > longest) longest = f->n[2];
    float *value = SN_NEW_ARRAY(float, sn_distance_count(f));
    double *scratch = SN_NEW_ARRAY(double, 2 * (size_t)longest);
    if (!value || !scratch || !sample_all(s, f, value)) {
        sn_free(value);
        sn_free(scratch);
        return sn_fail_no_memory(error);
    }
    for (int axis = 0; axis < 3; ++axis) solve_axis(f, value, axis, scratch);
    sn_free(scratch);
    f->coefficient = value;
    Seen seen = {0};
    for (int32_t t = 0; t < s->mesh->ntriangle; ++t) measure_triangle(s->mesh, t, f, &seen);
    *unseen = seen.unseen / seen.area;
    return SN_OK;
}

static snStatus make_fine_enough(const Source *s, double given, snDistance *distance, snError *error)
{
    v3 size = v3_sub(s->high, s->low);
    double spacing = given > 0 ? given : fmax(size.x, fmax(size.y, size.z)) / CELLS, unseen = 0;
    snDistance f = {0};
    for (int round = 0;; ++round, spacing *= REFINE) {
        snDistance next;
        double total = size_grid(s, spacing, &next);
        if (round > 0 && (total > AUTO_POINTS || round > MAX_REFINE)) break;
        if (!(total <= MOST_POINTS))
            return sn_fail(error, SN_BAD_INPUT,
                           "a distance grid with spacing %.3g m needs %.3g points; the limit is %.3g", spacing, total,
                           MOST_POINTS);
        sn_distance_free(&f);
        f = next;
        snStatus status = make(s, &f, &unseen, error);
        if (status != SN_OK) return status;
        if (given > 0 || unseen <= POOR) break;
    }
    if (unseen > 2 * POOR) {
        sn_fail(error, SN_BAD_INPUT,
                "the mesh is too thin for a distance grid with spacing %.3g m: %.0f %% of its surface is lost",
                f.spacing, 100 * unseen);
        sn_distance_free(&f);
        return SN_BAD_INPUT;
    }
    *distance = f;
    return SN_OK;
}

snStatus sn_distance_create(const snTriMesh *mesh, double spacing, snDistance *distance, snError *error)
{
    return sn_distance_create_reaching(mesh, spacing, 0, distance, error);
}

snStatus sn_distance_create_reaching(const snTriMesh *mesh, double spacing, double reach, snDistance *distance,
                                     snError *error)
{
    Source s = {.mesh = mesh, .low = sn_trimesh_point(mesh, 0), .high = sn_trimesh_point(mesh, 0), .reach = reach};
    for (int32_t v = 1; v < mesh->nvertex; ++v) {
        v3 p = sn_trimesh_point(mesh, v);
        s.low = v3_of(fmin(s.low.x, p.x), fmin(s.low.y, p.y), fmin(s.low.z, p.z));
        s.high = v3_of(fmax(s.high.x, p.x), fmax(s.high.y, p.y), fmax(s.high.z, p.z));
    }
    s.tree = sn_bvh_create(mesh);
    bool fine = s.tree && sn_mesh_side_create(mesh, &s.side) && sn_fans_create(mesh, &s.fans);
    snStatus status = fine ? make_fine_enough(&s, spacing, distance, error) : sn_fail_no_memory(error);
    sn_fans_free(&s.fans);
    sn_mesh_side_free(&s.side);
    sn_bvh_destroy(s.tree);
    return status;
}

void sn_distance_free(snDistance *distance)
{
    sn_free((float *)distance->coefficient);
    *distance = (snDistance){0};
}
