/* The surface through the contours of a muscle.
 *
 * Per slice the signed distance to the loops, on the nodes of a grid; between slices cubic in z, with tangents limited
 * so that nothing is made up; beyond the last slice a dome. The zero surface of that field needs no correspondence
 * between loops, so heads that join and tails that part come by themselves. Marching tetrahedra make it closed and
 * manifold; remeshing gives the triangles their shape. All this is in the frame of the stack, the world comes last. */
#include "author/contours.h"

#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "base/parallel.h"
#include "geom/grid.h"
#include "geom/remesh.h"

#include <string.h>

enum { MARGIN = 6 }; /* nodes around the contours */

typedef struct {
    const snStackPlace *place;
    int32_t nslice;
    const snSlice **slice;
    double *z;        /* m, of each slice that has contours */
    double *deep;     /* m: largest distance to the wall inside a slice */
    double *distance; /* per slice, n[0] x n[1] */
    double step;      /* between slices, m */
    double edge;
    snGrid grid;
} Build;

/* ---- distance within a slice ------------------------------------------------------------------ */

static double segment_square(const double *a, const double *b, const double *h, double x, double y)
{
    double ax = a[0] * h[0], ay = a[1] * h[1], dx = b[0] * h[0] - ax, dy = b[1] * h[1] - ay;
    double t = ((x - ax) * dx + (y - ay) * dy) / fmax(dx * dx + dy * dy, 1e-30);
    t = fmax(0, fmin(1, t));
    double u = x - ax - t * dx, v = y - ay - t * dy;
    return u * u + v * v;
}

static double slice_distance(const snSlice *slice, const double *h, double x, double y)
{
    double least = INFINITY;
    for (int32_t l = 0; l < slice->nloop; ++l) {
        const snLoop *loop = slice->loop + l;
        for (int32_t i = 0; i < loop->npoint; ++i)
            least =
                fmin(least, segment_square(loop->point + 2 * i, loop->point + 2 * ((i + 1) % loop->npoint), h, x, y));
    }
    return sn_slice_inside(slice, x / h[0], y / h[1]) ? -sqrt(least) : sqrt(least);
}

static void measure_slice(void *context, int32_t k)
{
    const Build *b = context;
    const snGrid *g = &b->grid;
    double *to = b->distance + (size_t)k * (size_t)g->n[0] * (size_t)g->n[1], deep = 0;
    for (int32_t i = 0; i < g->n[0]; ++i)
        for (int32_t j = 0; j < g->n[1]; ++j) {
            double d =
                slice_distance(b->slice[k], b->place->spacing, g->low.x + i * g->spacing, g->low.y + j * g->spacing);
            deep = fmax(deep, -d);
            *to++ = fmin(d, b->step); /* far outside says nothing about where a part ends between slices */
        }
    b->deep[k] = fmax(deep, 0.25 * g->spacing);
}

/* ---- between and beyond the slices ------------------------------------------------------------ */

/* Distance as a share of a step from the last slice to the tip. Where the muscle gets thinner, by the square of its
 * depth, which falls evenly towards a round tip; where it ends bluntly, the middle of where the tip can be. */
static double tip_share(double last, double before)
{
    double fall = before * before - last * last;
    return fall > 0 ? fmax(0.2, fmin(0.9, last * last / fall)) : 0.5;
}

static double dome(double d, double deep, double out, double tip)
{
    double s = out / tip;
    return s < 1 ? d + deep * (1 - sqrt(1 - s * s)) : d + deep + (out - tip);
}

static double limited(double slope, double left, double right)
{
    if (left * right <= 0) return 0;
    double most = 3 * fmin(fabs(left), fabs(right));
    return fmax(-most, fmin(most, slope));
}

/* Slope at slice k of the column of distances. */
static double slope_at(const Build *b, const double *column, size_t stride, int32_t k)
{
    double left = k > 0 ? (column[(size_t)k * stride] - column[(size_t)(k - 1) * stride]) / (b->z[k] - b->z[k - 1]) : 0;
    double right = k + 1 < b->nslice
                       ? (column[(size_t)(k + 1) * stride] - column[(size_t)k * stride]) / (b->z[k + 1] - b->z[k])
                       : 0;
    if (k == 0) return right;
    if (k + 1 == b->nslice) return left;
    double a = b->z[k] - b->z[k - 1], c = b->z[k + 1] - b->z[k];
    return limited((left * c + right * a) / (a + c), left, right);
}

static double column_value(const Build *b, const double *column, size_t stride, double z)
{
    int32_t last = b->nslice - 1, k = 0;
    if (z <= b->z[0]) return dome(column[0], b->deep[0], b->z[0] - z, tip_share(b->deep[0], b->deep[1]) * b->step);
    if (z >= b->z[last])
        return dome(column[(size_t)last * stride], b->deep[last], z - b->z[last],
                    tip_share(b->deep[last], b->deep[last - 1]) * b->step);
    while (b->z[k + 1] < z) ++k;
    double h = b->z[k + 1] - b->z[k], t = (z - b->z[k]) / h, s = 1 - t;
    return (1 + 2 * t) * s * s * column[(size_t)k * stride] + t * s * s * h * slope_at(b, column, stride, k) +
           t * t * (3 - 2 * t) * column[(size_t)(k + 1) * stride] - t * t * s * h * slope_at(b, column, stride, k + 1);
}

static void fill_layer(void *context, int32_t i)
{
    const Build *b = context;
    const snGrid *g = &b->grid;
    size_t plane = (size_t)g->n[0] * (size_t)g->n[1];
    double far = 4 * g->spacing;
    for (int32_t j = 0; j < g->n[1]; ++j) {
        size_t node = (size_t)i * (size_t)g->n[1] + (size_t)j;
        for (int32_t k = 0; k < g->n[2]; ++k) {
            double d = column_value(b, b->distance + node, plane, g->low.z + k * g->spacing);
            g->value[node * (size_t)g->n[2] + (size_t)k] = (float)fmax(-far, fmin(far, d));
        }
    }
}

/* ---- the grid --------------------------------------------------------------------------------- */

static double contour_volume(const Build *b)
{
    double sum = 0, pixel = b->place->spacing[0] * b->place->spacing[1];
    for (int32_t k = 0; k < b->nslice; ++k) {
        double below = k > 0 ? b->z[k] - b->z[k - 1] : b->step,
               above = k + 1 < b->nslice ? b->z[k + 1] - b->z[k] : b->step;
        sum += sn_slice_area(b->slice[k]) * pixel * 0.5 * (below + above);
    }
    return sum;
}

static snStatus gather(Build *b, const snOutline *muscle, snSurfaceReport *report, snError *error)
{
    int32_t first = -1, last = -1;
    b->slice = SN_NEW_ARRAY(const snSlice *, muscle->nslice), b->z = SN_NEW_ARRAY(double, muscle->nslice);
    b->deep = SN_NEW_ARRAY(double, muscle->nslice);
    if (!b->slice || !b->z || !b->deep) return sn_fail_no_memory(error);
    for (int32_t k = 0; k < muscle->nslice; ++k) {
        if (muscle->slice[k].nloop == 0) continue;
        b->slice[b->nslice] = muscle->slice + k;
        b->z[b->nslice++] = k * b->place->spacing[2];
        first = first < 0 ? k : first;
        last = k;
    }
    if (b->nslice < 2) {
        sn_fail(error, SN_BAD_INPUT, "muscle %s has contours in %d slice%s; a surface needs two", muscle->name,
                (int)b->nslice, b->nslice == 1 ? "" : "s");
        return SN_BAD_INPUT;
    }
    b->step = b->place->spacing[2];
    report->slices = b->nslice, report->filled = last - first + 1 - b->nslice;
    return SN_OK;
}

static snStatus make_grid(Build *b, snError *error)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int32_t k = 0; k < b->nslice; ++k)
        for (int32_t l = 0; l < b->slice[k]->nloop; ++l)
            for (int32_t i = 0; i < b->slice[k]->loop[l].npoint; ++i)
                for (int c = 0; c < 2; ++c) {
                    double x = b->slice[k]->loop[l].point[2 * i + c] * b->place->spacing[c];
                    low[c] = fmin(low[c], x), high[c] = fmax(high[c], x);
                }
    snGrid *g = &b->grid;
    double h = g->spacing = 0.5 * b->edge, room = MARGIN * h, total = 1;
    double extent[3] = {high[0] - low[0] + 2 * room, high[1] - low[1] + 2 * room,
                        b->z[b->nslice - 1] - b->z[0] + 2 * (room + b->step)};
    g->low = v3_of(low[0] - room, low[1] - room, b->z[0] - b->step - room);
    for (int c = 0; c < 3; ++c) {
        double n = ceil(extent[c] / h) + 1;
        total *= n;
        if (!(total < 3e8)) {
            sn_fail(error, SN_BAD_INPUT, "edges of %.3g mm are too short for this muscle", 1e3 * b->edge);
            sn_error_remedy(error, "choose longer ones");
            return SN_BAD_INPUT;
        }
        g->n[c] = (int32_t)n;
    }
    g->value = SN_NEW_ARRAY(float, total);
    b->distance = SN_NEW_ARRAY(double, (size_t)g->n[0] * (size_t)g->n[1] * (size_t)b->nslice);
    return g->value && b->distance ? SN_OK : sn_fail_no_memory(error);
}

/* ---- the mesh --------------------------------------------------------------------------------- */

static double size_at(const void *context, v3 p)
{
    (void)p;
    return ((const Build *)context)->edge;
}
static v3 onto(const void *context, v3 p)
{
    return sn_grid_project(&((const Build *)context)->grid, p);
}
static v3 normal_at(const void *context, v3 p)
{
    v3 n;
    (void)sn_grid_sample(&((const Build *)context)->grid, p, &n);
    return n;
}

static snStatus extract(Build *b, snTriMesh *mesh, snSurfaceReport *report, snError *error)
{
    snStatus status = sn_grid_extract(&b->grid, mesh, error);
    if (status == SN_OK) status = sn_trimesh_drop_specks(mesh, 0.01, &report->parts, error);
    if (status != SN_OK) return status;
    snRemeshDef remesh = sn_default_remesh_def();
    remesh.size = size_at, remesh.project = onto, remesh.normal = normal_at, remesh.context = b;
    status = sn_remesh(&remesh, mesh, error);
    if (status == SN_OK) status = sn_trimesh_require(mesh, true, "the surface", error);
    return status;
}

static void to_world(const snStackPlace *p, snTriMesh *mesh)
{
    v3 a = v3_load(p->axis), b = v3_load(p->axis + 3), c = v3_load(p->axis + 6), origin = v3_load(p->origin);
    for (int32_t v = 0; v < mesh->nvertex; ++v) {
        v3 x = sn_trimesh_point(mesh, v);
        v3_store(mesh->vertex + 3 * v, v3_mad(v3_mad(v3_mad(origin, x.x, a), x.y, b), x.z, c));
    }
    if (v3_dot(v3_cross(a, b), c) > 0) return;
    for (int32_t t = 0; t < mesh->ntriangle; ++t) {
        int32_t *corner = mesh->triangle + 3 * t, swap = corner[1];
        corner[1] = corner[2], corner[2] = swap;
    }
}

static snStatus build(Build *b, const snOutline *muscle, const snSurfaceDef *def, snTriMesh *mesh,
                      snSurfaceReport *report, snError *error)
{
    const double *h = b->place->spacing;
    snStatus status = gather(b, muscle, report, error);
    if (status != SN_OK) return status;
    report->contour_volume = contour_volume(b);
    b->edge = def->edge > 0 ? def->edge : fmax(cbrt(report->contour_volume) / 22, 2 * fmax(h[0], h[1]));
    status = make_grid(b, error);
    if (status != SN_OK) return status;
    snPool *pool = sn_pool_create(def->threads > 0 ? def->threads : sn_hardware_threads());
    sn_pool_loop(pool, b->nslice, measure_slice, b);
    sn_pool_loop(pool, b->grid.n[0], fill_layer, b);
    sn_pool_destroy(pool);
    status = extract(b, mesh, report, error);
    if (status == SN_BAD_INPUT && def->edge > 0) sn_error_remedy(error, "choose shorter edges");
    if (status != SN_OK) return status;
    to_world(b->place, mesh);
    sn_trimesh_integrals(mesh, &report->volume, NULL, NULL);
    report->edge = b->edge, report->worst_aspect = sn_trimesh_worst_aspect(mesh, NULL);
    return SN_OK;
}

snStatus sn_make_surface(const snContours *contours, const snSurfaceDef *def, snMesh *mesh, snSurfaceReport *report,
                         snError *error)
{
    if (!contours) return sn_fail_argument(error, "sn_make_surface without contours");
    snSurfaceDef taken = sn_default_surface_def();
    if (SN_TAKE_DEF(def, snSurfaceDef, taken, error)) return SN_BAD_ARGUMENT;
    const snOutline *muscle = sn_contours_find(contours, def->muscle);
    snSurfaceReport made = {0};
    snTriMesh shape = {0};
    Build b = {.place = &contours->place};
    if (!muscle) return sn_no_such_outline(contours, def->muscle, error);
    snStatus status = build(&b, muscle, def, &shape, &made, error);
    sn_free(b.slice), sn_free(b.z), sn_free(b.deep), sn_free(b.distance);
    sn_grid_free(&b.grid);
    if (status != SN_OK) {
        sn_trimesh_free(&shape);
        return status;
    }
    *mesh = (snMesh){
        .nvertex = shape.nvertex, .ntriangle = shape.ntriangle, .vertex = shape.vertex, .triangle = shape.triangle};
    if (report) *report = made;
    return SN_OK;
}
