/* What comes behind the surface: the line through a muscle's middle, points inside it, and its place in a model. */
#include "author/contours.h"

#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "image/stack.h"
#include "math/vec.h"
#include "meshfree/points.h"
#include "model/nodes.h"

#include <stdio.h>
#include <string.h>

snStatus sn_no_such_outline(const snContours *contours, const char *muscle, snError *error)
{
    if (contours->nmuscle == 0) return sn_fail(error, SN_BAD_INPUT, "the file has no muscles");
    sn_fail(error, SN_BAD_INPUT, "the contours have no muscle %.60s", muscle ? muscle : "");
    sn_error_remedy(error, "the first of %d is %s", (int)contours->nmuscle, contours->muscle[0].name);
    return SN_BAD_INPUT;
}

/* ---- parts of a mesh -------------------------------------------------------------------------- */

static int32_t root_of(int32_t *part, int32_t v)
{
    while (part[v] != v) v = part[v] = part[part[v]];
    return v;
}

/* Keeps the parts of at least so much volume. now: room for an index per vertex. */
static void compact(snTriMesh *mesh, int32_t *part, int32_t *now, const double *volume, double least)
{
    int32_t nv = 0, nt = 0;
    for (int32_t v = 0; v < mesh->nvertex; ++v) {
        if (volume[root_of(part, v)] < least) continue;
        memmove(mesh->vertex + 3 * nv, mesh->vertex + 3 * v, 3 * sizeof(double));
        now[v] = nv++;
    }
    for (int32_t t = 0; t < mesh->ntriangle; ++t) {
        int32_t corner[3];
        memcpy(corner, mesh->triangle + 3 * t, sizeof corner);
        if (volume[root_of(part, corner[0])] < least) continue;
        for (int c = 0; c < 3; ++c) mesh->triangle[3 * nt + c] = now[corner[c]];
        ++nt;
    }
    mesh->nvertex = nv, mesh->ntriangle = nt;
}

snStatus sn_trimesh_drop_specks(snTriMesh *mesh, double share, int32_t *parts, snError *error)
{
    int32_t n = mesh->nvertex, *part = SN_NEW_ARRAY(int32_t, n), *now = SN_NEW_ARRAY(int32_t, n);
    double *volume = SN_NEW_ARRAY(double, n), largest = 0;
    snStatus status = part && now && volume ? SN_OK : sn_fail_no_memory(error);
    if (status == SN_OK) {
        for (int32_t v = 0; v < n; ++v) part[v] = v;
        for (int32_t t = 0; t < mesh->ntriangle; ++t)
            for (int c = 1; c < 3; ++c)
                part[root_of(part, mesh->triangle[3 * t + c])] = root_of(part, mesh->triangle[3 * t]);
        for (int32_t t = 0; t < mesh->ntriangle; ++t) {
            v3 a = sn_trimesh_corner(mesh, t, 0), b = sn_trimesh_corner(mesh, t, 1), c = sn_trimesh_corner(mesh, t, 2);
            volume[root_of(part, mesh->triangle[3 * t])] += v3_dot(a, v3_cross(b, c)) / 6;
        }
        for (int32_t v = 0; v < n; ++v) largest = fmax(largest, volume[v]);
        *parts = 0;
        for (int32_t v = 0; v < n; ++v) *parts += part[v] == v && volume[v] >= share * largest;
        compact(mesh, part, now, volume, share * largest);
    }
    sn_free(part), sn_free(now), sn_free(volume);
    return status;
}

/* ---- the line through the middle -------------------------------------------------------------- */

/* Centre of a loop's area. */
static v3 loop_centre(const snLoop *loop, double slice)
{
    double twice = 0, x = 0, y = 0;
    for (int32_t i = 0; i < loop->npoint; ++i) {
        const double *a = loop->point + 2 * i, *b = loop->point + 2 * ((i + 1) % loop->npoint);
        double w = a[0] * b[1] - a[1] * b[0];
        twice += w, x += w * (a[0] + b[0]), y += w * (a[1] + b[1]);
    }
    return twice != 0 ? v3_of(x / (3 * twice), y / (3 * twice), slice) : v3_of(loop->point[0], loop->point[1], slice);
}

static bool loop_holds(const snLoop *loop, v3 p)
{
    snLoop copy = *loop;
    snSlice slice = {.nloop = 1, .loop = &copy};
    return sn_slice_inside(&slice, p.x, p.y);
}

/* The outer loop that continues the one before: its centre is nearest, and one of the two centres is in the other loop.
 * Without one before, the largest. NULL: there is none. */
static const snLoop *choose_loop(const snSlice *slice, int32_t k, const snLoop *before, v3 near, v3 *centre)
{
    const snLoop *chosen = NULL;
    double best = -INFINITY;
    for (int32_t l = 0; l < slice->nloop; ++l) {
        const snLoop *loop = slice->loop + l;
        double area = sn_loop_area(loop);
        if (area <= 0) continue;
        v3 c = loop_centre(loop, k);
        if (before && !loop_holds(before, c) && !loop_holds(loop, near)) continue;
        double good = before ? -hypot(c.x - near.x, c.y - near.y) : area;
        if (good > best) best = good, chosen = loop, *centre = c;
    }
    return chosen;
}

/* Centres of slice after slice in a direction; returns the last that has one. */
static int32_t follow_line(const snOutline *muscle, int32_t k, int32_t step, const snLoop *loop, v3 *centre)
{
    while (k + step >= 0 && k + step < muscle->nslice) {
        loop = choose_loop(muscle->slice + k + step, k + step, loop, centre[k], centre + k + step);
        if (!loop) break;
        k += step;
    }
    return k;
}

/* Both sides of the largest slice: the first and the last slice that have a centre. */
static void follow_both(const snOutline *muscle, v3 *centre, int32_t *first, int32_t *last)
{
    int32_t widest = 0;
    for (int32_t k = 1; k < muscle->nslice; ++k)
        if (sn_slice_area(muscle->slice + k) > sn_slice_area(muscle->slice + widest)) widest = k;
    *first = *last = widest;
    const snLoop *loop = choose_loop(muscle->slice + widest, widest, NULL, v3_of(0, 0, 0), centre + widest);
    if (!loop) return;
    *last = follow_line(muscle, widest, 1, loop, centre);
    *first = follow_line(muscle, widest, -1, loop, centre);
}

snStatus sn_contour_line(const snContours *contours, const char *muscle, int32_t npoint, double *point, snError *error)
{
    if (!contours) return sn_fail_argument(error, "sn_contour_line without contours");
    const snOutline *m = sn_contours_find(contours, muscle);
    int32_t first, last;
    if (!m) return sn_no_such_outline(contours, muscle, error);
    if (npoint < 2) return sn_fail_argument(error, "a line needs two points");
    v3 *centre = SN_NEW_ARRAY(v3, m->nslice), *smooth = SN_NEW_ARRAY(v3, m->nslice);
    if (!centre || !smooth) {
        sn_free(centre), sn_free(smooth);
        return sn_fail_no_memory(error);
    }
    follow_both(m, centre, &first, &last);
    for (int32_t k = first; k <= last; ++k) {
        int32_t a = k > first ? k - 1 : k, b = k < last ? k + 1 : k;
        smooth[k] = v3_scale(v3_add(v3_add(centre[a], centre[b]), v3_scale(centre[k], 2)), 0.25);
        smooth[k].z = k;
    }
    for (int32_t i = 0; i < npoint && first < last; ++i) {
        double at = first + (double)(last - first) * i / (npoint - 1);
        int32_t k = (int32_t)fmin(floor(at), last - 1);
        v3 p = v3_lerp(smooth[k], smooth[k + 1], at - k);
        sn_stack_point(&contours->place, (const double[3]){p.x, p.y, p.z}, point + 3 * i);
    }
    sn_free(centre), sn_free(smooth);
    return first < last ? SN_OK : sn_fail(error, SN_BAD_INPUT, "muscle %s is in a single slice", m->name);
}

/* ---- points inside ---------------------------------------------------------------------------- */

snStatus sn_fill_points(const snMesh *mesh, int32_t count, double *point, double *volume, snError *error)
{
    if (!mesh) return sn_fail_argument(error, "sn_fill_points without mesh");
    snTriMesh shape = {mesh->nvertex, mesh->ntriangle, mesh->vertex, mesh->triangle};
    snSoftPointsDef def = sn_default_soft_points_def();
    snSoftPoints made = {0};
    v3 low = v3_of(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
    for (int32_t v = 0; v < mesh->nvertex; ++v) {
        v3 p = sn_trimesh_point(&shape, v);
        low = v3_of(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    v3 size = v3_sub(high, low);
    def.axis = size.x > size.y && size.x > size.z ? v3_of(1, 0, 0) : size.y > size.z ? v3_of(0, 1, 0) : v3_of(0, 0, 1);
    def.mesh = &shape, def.count = count;
    snStatus status = sn_soft_points_create(&def, &made, error);
    if (status != SN_OK) return status;
    memcpy(point, made.x, 3 * (size_t)count * sizeof(double));
    if (volume) memcpy(volume, made.volume, (size_t)count * sizeof(double));
    sn_soft_points_free(&made);
    return SN_OK;
}

/* ---- a muscle of a model ---------------------------------------------------------------------- */

enum { NAME = 128 };

typedef struct {
    double scale;
    rigid move;
} Placement;

/* Brings the line's ends to the given points: scaled evenly, turned the shorter way. */
static snStatus place_ends(const snSurfaceMuscleDef *def, Placement *out, snError *error)
{
    *out = (Placement){1, rigid_identity()};
    if (!def->origin_point || !def->insertion_point) return SN_OK;
    v3 a = v3_load(def->line + (def->reverse ? 3 * (def->npoint - 1) : 0));
    v3 b = v3_load(def->line + (def->reverse ? 0 : 3 * (def->npoint - 1)));
    v3 p = v3_load(def->origin_point), d = v3_sub(b, a), e = v3_sub(v3_load(def->insertion_point), p);
    double from = v3_len(d), to = v3_len(e);
    if (!(from > 0 && to > 0) || to / from > 100 || from / to > 100)
        return sn_fail(error, SN_BAD_INPUT, "the muscle is %.3g mm long, and origin and insertion are %.3g mm apart",
                       1e3 * from, 1e3 * to);
    v3 axis = v3_cross(d, e);
    double angle = atan2(v3_len(axis), v3_dot(d, e));
    quat q = v3_len(axis) > 0 ? q_axis_angle(v3_unit(axis), angle)
             : angle > 1      ? q_axis_angle(v3_perp(v3_unit(d)), angle)
                              : q_identity();
    out->scale = to / from;
    out->move = (rigid){q, v3_sub(p, q_rotate(q, v3_scale(a, out->scale)))};
    return SN_OK;
}

static v3 placed(const Placement *p, const double *x)
{
    return rigid_apply(p->move, v3_scale(v3_load(x), p->scale));
}

static snStatus check_muscle(const snSpec *spec, const snSurfaceMuscleDef *def, const char *mesh_name, snError *error)
{
    const char *body[2] = {def->origin, def->insertion};
    for (int i = 0; i < 2; ++i)
        if (!body[i] || !sn_spec_find(spec, SN_KIND_BODY, body[i])) {
            sn_fail(error, SN_BAD_INPUT, "the model has no body \"%.60s\"", body[i] ? body[i] : "");
            sn_error_remedy(error, "name the bodies of origin and insertion; sinew info MODEL lists them");
            return SN_BAD_INPUT;
        }
    if (sn_spec_find(spec, SN_KIND_STRAND, def->name) || sn_spec_find(spec, SN_KIND_NODE, def->name) ||
        sn_spec_find(spec, SN_KIND_NODE, mesh_name)) {
        sn_fail(error, SN_BAD_INPUT, "the model has a \"%.60s\" already", def->name);
        sn_error_remedy(error, "choose another name");
        return SN_BAD_INPUT;
    }
    snTriMesh shape = {def->mesh->nvertex, def->mesh->ntriangle, def->mesh->vertex, def->mesh->triangle};
    return sn_trimesh_require(&shape, true, def->name, error);
}

static snStatus add_mesh(snSpec *spec, const snSurfaceMuscleDef *def, const char *name, const Placement *p, double unit)
{
    snNodeDef node = sn_default_node_def();
    snId id;
    double *vertex = SN_NEW_ARRAY(double, 3 * (size_t)def->mesh->nvertex);
    if (!vertex) return SN_NO_MEMORY;
    for (int32_t v = 0; v < def->mesh->nvertex; ++v)
        v3_store(vertex + 3 * v, v3_scale(placed(p, def->mesh->vertex + 3 * v), 1 / unit));
    node.name = name, node.kind = SN_NODE_MESH;
    node.color[0] = 0.72, node.color[1] = 0.24, node.color[2] = 0.2;
    node.nvertex = def->mesh->nvertex, node.ntriangle = def->mesh->ntriangle;
    node.vertex = vertex, node.triangle = def->mesh->triangle;
    snStatus status = sn_add_node(spec, &node, &id);
    sn_free(vertex);
    return status;
}

static snStatus add_strand(snSpec *spec, const snSurfaceMuscleDef *def, const Placement *p, double unit)
{
    snNodeDef node = sn_default_node_def();
    snStrandDef strand = sn_default_strand_def();
    snTriMesh shape = {def->mesh->nvertex, def->mesh->ntriangle, def->mesh->vertex, def->mesh->triangle};
    double *point = SN_NEW_ARRAY(double, 3 * (size_t)def->npoint), volume, length = 0;
    snId id;
    if (!point) return SN_NO_MEMORY;
    for (int32_t i = 0; i < def->npoint; ++i) {
        v3 x = placed(p, def->line + 3 * (def->reverse ? def->npoint - 1 - i : i));
        v3_store(point + 3 * i, v3_scale(x, 1 / unit));
        if (i > 0) length += unit * v3_dist(v3_load(point + 3 * i), v3_load(point + 3 * i - 3));
    }
    sn_trimesh_integrals(&shape, &volume, NULL, NULL);
    node.name = strand.name = def->name, node.kind = SN_NODE_CURVE, node.degree = 3;
    node.npoint = def->npoint, node.point = point;
    strand.radius = sqrt(p->scale * p->scale * p->scale * volume / (length * SN_PI));
    strand.max_force = def->max_force;
    snStatus status = sn_add_node(spec, &node, &id);
    if (status == SN_OK) status = sn_add_strand(spec, &strand, &id);
    sn_free(point);
    return status;
}

static snStatus add_end(snSpec *spec, const char *muscle, const char *what, const char *body, double position)
{
    snConstraintDef end = sn_default_constraint_def();
    char name[2 * NAME];
    snId id;
    (void)snprintf(name, sizeof name, "%s.%s", muscle, what);
    end.name = name, end.strand = muscle, end.attachment = body, end.position = position;
    return sn_add_constraint(spec, &end, &id);
}

snStatus sn_add_surface_muscle(snSpec *spec, const snSurfaceMuscleDef *def, snError *error)
{
    snSurfaceMuscleDef taken = sn_default_surface_muscle_def();
    if (SN_TAKE_DEF(def, snSurfaceMuscleDef, taken, error)) return SN_BAD_ARGUMENT;
    char mesh_name[NAME];
    Placement p;
    if (!def->name || !def->name[0] || strlen(def->name) > NAME - 16 ||
        strcspn(def->name, " \t\n") != strlen(def->name))
        return sn_fail(error, SN_BAD_INPUT, "a muscle needs a name without blanks, of at most %d characters",
                       NAME - 16);
    if (def->npoint < 4) return sn_fail(error, SN_BAD_INPUT, "the line of a strand needs 4 points");
    if (sn_spec_model(spec)->type != SN_MODEL_STRANDS)
        return sn_fail(error, SN_BAD_INPUT, "a model on a tree has no strands");
    (void)snprintf(mesh_name, sizeof mesh_name, "%s_muscle", def->name);
    snStatus status = check_muscle(spec, def, mesh_name, error);
    if (status == SN_OK) status = place_ends(def, &p, error);
    if (status != SN_OK) return status;
    double unit = sn_unit_metres(sn_spec_scene(spec)->units);
    status = add_mesh(spec, def, mesh_name, &p, unit);
    if (status == SN_OK) status = add_strand(spec, def, &p, unit);
    if (status == SN_OK) status = add_end(spec, def->name, "origin", def->origin, 0);
    if (status == SN_OK) status = add_end(spec, def->name, "insertion", def->insertion, 1);
    return status == SN_OK ? SN_OK : sn_fail_no_memory(error);
}
