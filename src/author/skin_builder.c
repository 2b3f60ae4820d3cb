/* The union of the chains as a field, its surface, and what each vertex belongs to. */
#include "author/skin_builder.h"

#include "author/skin_loft.h"
#include "base/alloc.h"
#include "base/error.h"
#include "geom/grid.h"
#include "geom/remesh.h"

#include <string.h>

enum { GRIDS = 4, WORST_ASPECT = 4 };

typedef struct {
    v3 center, ex, ey, ez; /* on the back of the finger; ey towards the tip */
    double half_length, half_width;
} Nail;

typedef struct {
    const snSkinBuildDef *def;
    snSkinLoft *loft; /* per chain */
    Nail *nail;
    double fillet[SN_SKIN_MAX_CHAINS]; /* largest radius that a chain takes part in; [0] is the largest of all */
    double edge;                       /* wished edge length of a chain of relative length 1 */
    snGrid grid;
} Builder;

/* ---- the field -------------------------------------------------------------------------------- */

/* How far along the nail's edge a point is: negative on the plate (m, about). */
static double nail_edge(const Nail *nail, v3 p, double *forward)
{
    v3 d = v3_sub(p, nail->center);
    double x = v3_dot(d, nail->ex) / nail->half_width, y = v3_dot(d, nail->ey) / nail->half_length;
    *forward = y;
    return (pow(pow(fabs(x), 3) + pow(fabs(y), 3), 1.0 / 3) - 1) * fmin(nail->half_width, nail->half_length);
}

static double smooth_step(double from, double to, double x)
{
    double t = fmax(0, fmin(1, (x - from) / (to - from)));
    return t * t * (3 - 2 * t);
}

/* Height of the relief: a flat plate sunk between folds of skin at the sides and the root, free at the tip. The figures
 * are authored: what reads as a nail at edge lengths around a millimetre. */
static double nail_relief(const Nail *nail, v3 p)
{
    double reach = 1.5 * fmax(nail->half_length, nail->half_width);
    if (v3_dist(p, nail->center) > reach || v3_dot(v3_sub(p, nail->center), nail->ez) < -0.6 * nail->half_width)
        return 0;
    double forward, e = nail_edge(nail, p, &forward) / nail->half_width, free_edge = smooth_step(0.3, 0.8, forward);
    double plate = 1 - smooth_step(-0.25, -0.05, e),
           groove = smooth_step(-0.25, -0.05, e) * (1 - smooth_step(0, 0.2, e));
    double fold = smooth_step(-0.02, 0.15, e) * (1 - smooth_step(0.15, 0.5, e)) * (1 - free_edge);
    return 2e-4 * plate - 4.5e-4 * groove + 4e-4 * fold;
}

/* Distance of chain i, cut back where a neighbour of its group is nearer. */
static double kept_apart(const snSkinBuildDef *def, const double *distance, int32_t i)
{
    double d = distance[i];
    for (int32_t j = 0; def->chain[i].group && j < def->nchain; ++j)
        if (j != i && def->chain[j].group == def->chain[i].group)
            d = fmax(d, sn_distance_apart(distance[i], distance[j], def->gap));
    return d;
}

/* The union in the order of the chains; chains of a group are united plainly before the fillet. */
static double unite(const snSkinBuildDef *def, const double *distance)
{
    double all = INFINITY;
    for (int32_t i = 0; i < def->nchain; ++i) {
        int32_t first = i, group = def->chain[i].group;
        double part = kept_apart(def, distance, i);
        for (; group && i + 1 < def->nchain && def->chain[i + 1].group == group; ++i)
            part = fmin(part, kept_apart(def, distance, i + 1));
        all = first ? sn_distance_union(all, part, def->chain[first].fillet) : part;
    }
    return all;
}

/* A fillet lowers the field by at most a quarter of its radius, so a first look tells whether the point is near the
 * surface; only then chains as far as a fillet beyond that matter. */
static double skin_distance(const void *context, v3 p, double limit)
{
    const Builder *b = context;
    double distance[SN_SKIN_MAX_CHAINS], near = limit + 0.25 * b->fillet[0];
    for (int32_t i = 0; i < b->def->nchain; ++i) distance[i] = sn_skin_loft_distance(&b->loft[i], p, near, NULL);
    double all = unite(b->def, distance);
    if (all >= near || all <= -limit) return all;
    for (int32_t i = 0; i < b->def->nchain; ++i) {
        double reach = fmax(all, 0) + b->fillet[i];
        if (distance[i] >= near && reach > near) distance[i] = sn_skin_loft_distance(&b->loft[i], p, reach, NULL);
    }
    all = unite(b->def, distance);
    if (fabs(all) < 2e-3)
        for (int32_t i = 0; i < b->def->nnail; ++i) all -= nail_relief(&b->nail[i], p);
    return all;
}

/* ---- edge lengths ------------------------------------------------------------------------------ */

static double edge_of(const snSkinSection *s)
{
    return s->edge > 0 ? s->edge : 1;
}

/* What a chain wishes at a place: its sections' wishes, interpolated at the nearest point of the line through their
 * middles. */
static double chain_wish(const snSkinChain *chain, v3 p)
{
    double least = INFINITY, wish = 1;
    for (int32_t i = 0; i + 1 < chain->nsection; ++i) {
        const snSkinSection *s = chain->section + i;
        v3 way = v3_sub(s[1].center, s->center);
        double t = fmax(0, fmin(1, v3_dot(v3_sub(p, s->center), way) / fmax(v3_len2(way), 1e-20)));
        double d = v3_dist(p, v3_mad(s->center, t, way));
        if (d < least) least = d, wish = (1 - t) * edge_of(s) + t * edge_of(s + 1);
    }
    return (chain->edge > 0 ? chain->edge : 1) * wish;
}

/* A mix of the chains' wishes, weighted by nearness, so that the length changes slowly. */
static double wished_edge(const void *context, v3 p)
{
    const Builder *b = context;
    double sum = 0, total = 0;
    for (int32_t i = 0; i < b->def->nchain; ++i) {
        const snSkinLoft *l = &b->loft[i];
        v3 out = v3_of(fmax(0, fmax(l->low.x - p.x, p.x - l->high.x)), fmax(0, fmax(l->low.y - p.y, p.y - l->high.y)),
                       fmax(0, fmax(l->low.z - p.z, p.z - l->high.z)));
        double wish = chain_wish(b->def->chain + i, p), weight = exp(-v3_len(out) / 0.006) / (wish * wish * wish);
        sum += weight * wish, total += weight;
    }
    double edge = total > 1e-12 ? sum / total : 1;
    for (int32_t i = 0; i < b->def->nnail; ++i) {
        double d = v3_dist(p, b->nail[i].center) / (2 * b->nail[i].half_length);
        edge *= 1 - 0.3 * exp(-d * d * d * d);
    }
    return b->edge * edge;
}

static v3 grid_project(const void *context, v3 p)
{
    return sn_grid_project(&((const Builder *)context)->grid, p);
}
static v3 grid_normal(const void *context, v3 p)
{
    v3 gradient;
    sn_grid_sample(&((const Builder *)context)->grid, p, &gradient);
    return gradient;
}

/* ---- the parts --------------------------------------------------------------------------------- */

static snStatus make_lofts(Builder *b, double detail, snSkinBuild *build, snError *error)
{
    b->loft = SN_NEW_ARRAY(snSkinLoft, b->def->nchain);
    if (!b->loft) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < b->def->nchain; ++i) {
        snStatus status = sn_skin_loft_create(&b->def->chain[i], detail, &b->loft[i], error);
        if (status != SN_OK) return status;
        double volume;
        sn_trimesh_integrals(&b->loft[i].mesh, &volume, NULL, NULL);
        build->loft_volume += volume;
        for (int32_t k = 0; k <= i; ++k) b->fillet[k] = fmax(b->fillet[k], b->def->chain[i].fillet);
    }
    return SN_OK;
}

static snStatus make_nails(Builder *b, snError *error)
{
    b->nail = SN_NEW_ARRAY(Nail, b->def->nnail);
    if (!b->nail) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < b->def->nnail; ++i) {
        const snSkinNail *n = b->def->nail + i;
        if (n->chain < 0 || n->chain >= b->def->nchain || n->section < 1 ||
            n->section >= b->def->chain[n->chain].nsection || !(n->length > 0 && n->width > 0))
            return sn_fail(error, SN_BAD_INPUT, "nail %d names no section of a chain or has no size", (int)i);
        const snSkinSection *s = b->def->chain[n->chain].section + n->section;
        v3 ey = v3_sub(s->center, s[-1].center);
        ey = v3_unit(v3_mad(ey, -v3_dot(ey, s->ez), s->ez));
        v3 center = v3_mad(v3_mad(s->center, 0.5 * s->depth, s->ez), 0.25 * s->breadth, ey);
        b->nail[i] = (Nail){center, s->ex, ey, s->ez, 0.5 * n->length, 0.5 * n->width};
    }
    return SN_OK;
}

static void bounds(const Builder *b, double margin, v3 *low, v3 *high)
{
    *low = b->loft[0].low, *high = b->loft[0].high;
    for (int32_t i = 1; i < b->def->nchain; ++i) {
        v3 l = b->loft[i].low, h = b->loft[i].high;
        *low = v3_of(fmin(low->x, l.x), fmin(low->y, l.y), fmin(low->z, l.z));
        *high = v3_of(fmax(high->x, h.x), fmax(high->y, h.y), fmax(high->z, h.z));
    }
    *low = v3_sub(*low, v3_of(margin, margin, margin)), *high = v3_add(*high, v3_of(margin, margin, margin));
}

/* Edge length for the wished number of triangles, from the area of the lofts: a first guess for the grid. */
static double guess_edge(const Builder *b)
{
    double count = 0;
    for (int32_t i = 0; i < b->def->nchain; ++i) {
        double wish = b->def->chain[i].edge > 0 ? b->def->chain[i].edge : 1;
        count += sn_trimesh_area(&b->loft[i].mesh) / (sqrt(3.0) / 4 * wish * wish);
    }
    return sqrt(count / b->def->triangles);
}

static double finest_wish(const Builder *b)
{
    double finest = 1;
    for (int32_t i = 0; i < b->def->nchain; ++i)
        if (b->def->chain[i].edge > 0) finest = fmin(finest, b->def->chain[i].edge);
    return finest;
}

static snStatus extract_surface(Builder *b, double spacing, snTriMesh *mesh, snError *error)
{
    snGridDef grid = {.spacing = spacing, .distance = skin_distance, .context = b, .pool = b->def->pool};
    bounds(b, 6 * spacing + 0.25 * b->fillet[0], &grid.low, &grid.high);
    snStatus status = sn_grid_create(&grid, &b->grid, error);
    if (status == SN_OK) status = sn_grid_extract(&b->grid, mesh, error);
    if (status != SN_OK) return status;
    b->edge = 1;
    b->edge = sqrt(sn_remesh_estimate(mesh, wished_edge, b) / b->def->triangles);
    snRemeshDef remesh = sn_default_remesh_def();
    remesh.size = wished_edge, remesh.project = grid_project, remesh.normal = grid_normal, remesh.context = b;
    return sn_remesh(&remesh, mesh, error);
}

static bool well_made(const snTriMesh *mesh)
{
    snBvh *tree = sn_bvh_create(mesh);
    bool fine =
        tree && sn_trimesh_worst_aspect(mesh, NULL) <= WORST_ASPECT && !sn_bvh_self_intersections(tree, NULL, 0);
    sn_bvh_destroy(tree);
    return fine;
}

/* Where the surface grazes a plane of the grid, tiny facets can be left that the remesher cannot resolve, and fingers
 * may touch where both are coarse; another grid does not fail in the same place. */
static snStatus make_surface(Builder *b, snTriMesh *mesh, snError *error)
{
    double spacing = b->def->spacing > 0 ? b->def->spacing : 0.8 * finest_wish(b) * guess_edge(b);
    snStatus status = extract_surface(b, spacing, mesh, error);
    for (int i = 1; i < GRIDS && status == SN_OK && !well_made(mesh); ++i) {
        sn_grid_free(&b->grid);
        sn_trimesh_free(mesh);
        status = extract_surface(b, spacing * (1 - 0.023 * i), mesh, error);
    }
    return status;
}

static snStatus label_vertices(const Builder *b, snSkinBuild *build, snError *error)
{
    int32_t n = build->mesh.nvertex;
    build->chain = SN_NEW_ARRAY(int32_t, n), build->body = SN_NEW_ARRAY(int32_t, n),
    build->nail = SN_NEW_ARRAY(double, n);
    if (!build->chain || !build->body || !build->nail) return sn_fail_no_memory(error);
    for (int32_t v = 0; v < n; ++v) {
        v3 p = sn_trimesh_point(&build->mesh, v);
        double least = INFINITY, forward;
        for (int32_t i = 0; i < b->def->nchain; ++i) {
            int32_t section = 0;
            double d = sn_skin_loft_distance(&b->loft[i], p, 0.02 + b->fillet[0], &section);
            if (!(d < least)) continue;
            least = d, build->chain[v] = i, build->body[v] = b->def->chain[i].section[section].body;
        }
        for (int32_t i = 0; i < b->def->nnail; ++i) {
            v3 way = v3_sub(p, b->nail[i].center);
            if (v3_dot(way, b->nail[i].ez) > -0.6 * b->nail[i].half_width &&
                nail_edge(&b->nail[i], p, &forward) < -0.1 * b->nail[i].half_width)
                build->nail[v] = 1;
        }
    }
    return SN_OK;
}

snSkinBuildDef sn_default_skin_build_def(void)
{
    return (snSkinBuildDef){.gap = 0.0022, .triangles = 50000};
}

snStatus sn_skin_build(const snSkinBuildDef *def, snSkinBuild *build, snError *error)
{
    if (def->nchain < 1 || def->nchain > SN_SKIN_MAX_CHAINS || def->triangles < 100 || def->triangles > 10000000)
        return sn_fail(error, SN_BAD_INPUT,
                       "%d chains and %d triangles: expected 1 to %d chains and 100 to 10000000 triangles",
                       (int)def->nchain, (int)def->triangles, SN_SKIN_MAX_CHAINS);
    Builder b = {.def = def};
    snSkinBuild made = {0};
    double widest = 0;
    for (int32_t i = 0; i < def->nchain; ++i)
        for (int32_t k = 0; k < def->chain[i].nsection; ++k) widest = fmax(widest, def->chain[i].section[k].breadth);
    snStatus status = make_lofts(&b, widest / 90, &made, error);
    if (status == SN_OK) status = make_nails(&b, error);
    if (status == SN_OK) status = make_surface(&b, &made.mesh, error);
    if (status == SN_OK) status = sn_trimesh_require(&made.mesh, true, "skin", error);
    if (status == SN_OK) status = label_vertices(&b, &made, error);
    for (int32_t i = 0; b.loft && i < def->nchain; ++i) sn_skin_loft_free(&b.loft[i]);
    sn_free(b.loft), sn_free(b.nail);
    sn_grid_free(&b.grid);
    if (status != SN_OK) {
        sn_skin_build_free(&made);
        return status;
    }
    made.worst_aspect = sn_trimesh_worst_aspect(&made.mesh, NULL);
    *build = made;
    return SN_OK;
}

void sn_skin_build_free(snSkinBuild *build)
{
    sn_trimesh_free(&build->mesh);
    sn_free(build->chain), sn_free(build->body), sn_free(build->nail);
    *build = (snSkinBuild){0};
}
