/* A skin for a model that has none: the surface at a distance from bones and muscles, rounded where they meet. */
#include "author/flesh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geom/grid.h"
#include "geom/remesh.h"

/* How far the rounding reaches, in covers. */
static const double FILLET = 4;

typedef struct {
    const snAnatomy *a;
    snMeshSide *side; /* bones, then muscles */
    double cover, edge;
    const snGrid *grid;
} Growth;

static double capsule_distance(const snFleshStrand *s, v3 p, double limit)
{
    double best = limit, reach = limit + s->radius;
    if (p.x < s->low.x - reach || p.y < s->low.y - reach || p.z < s->low.z - reach || p.x > s->high.x + reach ||
        p.y > s->high.y + reach || p.z > s->high.z + reach)
        return limit;
    for (int32_t i = 0; i + 1 < s->npoint; ++i) {
        v3 d = v3_sub(s->point[i + 1], s->point[i]), q = v3_sub(p, s->point[i]);
        double t = fmin(fmax(v3_dot(q, d) / fmax(v3_len2(d), 1e-20), 0), 1);
        best = fmin(best, v3_len(v3_mad(q, -t, d)) - s->radius);
    }
    return best;
}

static double grown_distance(const void *context, v3 p, double limit)
{
    const Growth *g = context;
    double fillet = FILLET * g->cover, reach = limit + g->cover + fillet, d = reach;
    for (int32_t i = 0; i < g->a->nbone; ++i)
        d = sn_distance_union(d, sn_mesh_depth(g->a->bone[i].tree, &g->side[i], p, reach), fillet);
    for (int32_t i = 0; i < g->a->nmuscle; ++i)
        d = sn_distance_union(d, sn_mesh_depth(g->a->muscle[i].tree, &g->side[g->a->nbone + i], p, reach), fillet);
    for (int32_t i = 0; i < g->a->nstrand; ++i)
        if (g->a->strand[i].mesh < 0) d = sn_distance_union(d, capsule_distance(&g->a->strand[i], p, reach), fillet);
    return d - g->cover;
}

static double edge_of(const void *context, v3 p)
{
    (void)p;
    return ((const Growth *)context)->edge;
}

static v3 onto(const void *context, v3 p)
{
    return sn_grid_project(((const Growth *)context)->grid, p);
}

static v3 normal_of(const void *context, v3 p)
{
    v3 n;
    (void)sn_grid_sample(((const Growth *)context)->grid, p, &n);
    return n;
}

static void extent(const snTriMesh *mesh, v3 *low, v3 *high)
{
    for (int32_t i = 0; i < mesh->nvertex; ++i) {
        v3 p = sn_trimesh_point(mesh, i);
        *low = v3_of(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        *high = v3_of(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
    }
}

static snStatus extract(Growth *g, snPool *pool, snTriMesh *mesh, snError *error)
{
    v3 low = v3_of(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
    snGrid grid = {0};
    for (int32_t i = 0; i < g->a->nbone; ++i) extent(&g->a->bone[i].mesh, &low, &high);
    for (int32_t i = 0; i < g->a->nmuscle; ++i) extent(&g->a->muscle[i].mesh, &low, &high);
    for (int32_t i = 0; i < g->a->nstrand; ++i)
        for (int32_t k = 0; k < g->a->strand[i].npoint; ++k) {
            v3 p = g->a->strand[i].point[k];
            low = v3_of(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = v3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
    double room = g->cover * (FILLET + 2) + 8 * g->edge + 0.02;
    snGridDef def = {.low = v3_sub(low, v3_of(room, room, room)),
                     .high = v3_add(high, v3_of(room, room, room)),
                     .spacing = 0.75 * g->edge,
                     .distance = grown_distance,
                     .context = g,
                     .pool = pool};
    snStatus status = sn_grid_create(&def, &grid, error);
    if (status == SN_OK) status = sn_grid_extract(&grid, mesh, error);
    if (status == SN_OK) {
        snRemeshDef remesh = sn_default_remesh_def();
        g->grid = &grid;
        remesh.size = edge_of, remesh.project = onto, remesh.normal = normal_of, remesh.context = g;
        status = sn_remesh(&remesh, mesh, error);
    }
    sn_grid_free(&grid);
    return status;
}

/* The largest of several closed parts; inner walls of hollows go with the rest. */
static snStatus keep_largest(snTriMesh *mesh, snError *error)
{
    int32_t n = mesh->nvertex, *part = SN_NEW_ARRAY(int32_t, n), best = -1, nv = 0, nt = 0;
    double *volume = SN_NEW_ARRAY(double, n);
    if (!part || !volume) return sn_free(part), sn_free(volume), sn_fail_no_memory(error);
    for (int32_t i = 0; i < n; ++i) part[i] = i;
    for (bool again = true; again;) {
        again = false;
        for (int32_t t = 0; t < mesh->ntriangle; ++t) {
            int32_t *c = mesh->triangle + 3 * t, least = n;
            for (int k = 0; k < 3; ++k) least = part[c[k]] < least ? part[c[k]] : least;
            least = part[least] < least ? part[least] : least;
            for (int k = 0; k < 3; ++k)
                if (part[c[k]] != least) part[part[c[k]]] = least, part[c[k]] = least, again = true;
        }
    }
    for (int32_t t = 0; t < mesh->ntriangle; ++t) {
        v3 a = sn_trimesh_corner(mesh, t, 0), b = sn_trimesh_corner(mesh, t, 1), c = sn_trimesh_corner(mesh, t, 2);
        volume[part[mesh->triangle[3 * t]]] += v3_dot(a, v3_cross(b, c)) / 6;
    }
    for (int32_t i = 0; i < n; ++i)
        if (volume[i] != 0 && (best < 0 || volume[i] > volume[best])) best = i;
    for (int32_t t = 0; t < mesh->ntriangle; ++t)
        if (part[mesh->triangle[3 * t]] == best) {
            for (int k = 0; k < 3; ++k) mesh->triangle[3 * nt + k] = mesh->triangle[3 * t + k];
            ++nt;
        }
    for (int32_t i = 0; i < n; ++i) {
        bool keep = part[i] == best;
        if (keep) v3_store(mesh->vertex + 3 * nv, sn_trimesh_point(mesh, i));
        part[i] = keep ? nv++ : -1;
    }
    for (int32_t i = 0; i < 3 * nt; ++i) mesh->triangle[i] = part[mesh->triangle[i]];
    mesh->nvertex = nv, mesh->ntriangle = nt;
    sn_free(part);
    sn_free(volume);
    return SN_OK;
}

snStatus sn_anatomy_grow_skin(snAnatomy *a, double cover, double edge, snPool *pool, snError *error)
{
    int32_t n = a->nbone + a->nmuscle;
    Growth g = {.a = a, .cover = cover, .edge = edge, .side = SN_NEW_ARRAY(snMeshSide, n + 1)};
    if (!g.side) return sn_fail_no_memory(error);
    snStatus status = SN_OK;
    for (int32_t i = 0; status == SN_OK && i < n; ++i)
        if (!sn_mesh_side_create(i < a->nbone ? &a->bone[i].mesh : &a->muscle[i - a->nbone].mesh, &g.side[i]))
            status = sn_fail_no_memory(error);
    if (status == SN_OK) status = extract(&g, pool, &a->skin, error);
    if (status == SN_OK) status = keep_largest(&a->skin, error);
    for (int32_t i = 0; i < n; ++i) sn_mesh_side_free(&g.side[i]);
    sn_free(g.side);
    a->skin_name = "flesh", a->grown = true;
    a->skin_color[0] = 0.86, a->skin_color[1] = 0.67, a->skin_color[2] = 0.57;
    return status;
}
