/* Sections of the skin across a bone, as a tape around a limb measures them. */
#include "author/flesh_model.h"

#include "author/own/flesh.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* The plane across a bone now, with two axes in it. */
typedef struct {
    v3 at, normal, u, w;
} Plane;

/* A piece of the section, from one edge of the mesh to the next. */
typedef struct {
    int64_t from, to;
    double p[2], q[2];
    bool used;
} Piece;

static v3 farthest(const snTriMesh *mesh, v3 from)
{
    v3 best = from;
    for (int32_t i = 0; i < mesh->nvertex; ++i) {
        v3 p = sn_trimesh_point(mesh, i);
        if (v3_dist(p, from) > v3_dist(best, from)) best = p;
    }
    return best;
}

/* Across the line between the ends of the bone, `at` of the way from the end that is higher as drawn. */
static Plane plane_across(const snFlesh *f, const snFleshBone *bone, double at)
{
    v3 a = farthest(&bone->mesh, sn_trimesh_point(&bone->mesh, 0)), b = farthest(&bone->mesh, a);
    if (v3_dot(v3_sub(a, b), v3_load(f->gravity)) > 0) {
        v3 swap = a;
        a = b, b = swap;
    }
    const double *rest = f->anatomy.rest + 7 * bone->body, *now = f->pose + 7 * bone->body;
    quat turn = q_mul(q_load(now + 3), q_conj(q_load(rest + 3)));
    Plane p = {.normal = q_rotate(turn, v3_unit(v3_sub(b, a)))};
    p.at = v3_add(v3_load(now), q_rotate(turn, v3_sub(v3_lerp(a, b, at), v3_load(rest))));
    p.u = v3_unit(v3_cross(p.normal, fabs(p.normal.x) < 0.7 ? v3_of(1, 0, 0) : v3_of(0, 1, 0)));
    p.w = v3_cross(p.normal, p.u);
    return p;
}

static int64_t edge_key(int32_t a, int32_t b)
{
    return a < b ? ((int64_t)a << 32) | b : ((int64_t)b << 32) | a;
}

/* Where the edge from a to b meets the plane, in the plane's axes. */
static void cut_edge(const Plane *p, v3 a, v3 b, double da, double db, double to[2])
{
    v3 on = v3_sub(v3_lerp(a, b, da / (da - db)), p->at);
    to[0] = v3_dot(on, p->u), to[1] = v3_dot(on, p->w);
}

static bool cut_triangle(const Plane *plane, const int32_t *corner, const double *point, Piece *to)
{
    v3 p[3];
    double d[3];
    int found = 0;
    for (int k = 0; k < 3; ++k) {
        p[k] = v3_load(point + 3 * (size_t)corner[k]);
        d[k] = v3_dot(v3_sub(p[k], plane->at), plane->normal);
    }
    *to = (Piece){0};
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        if ((d[k] < 0) == (d[next] < 0)) continue;
        bool rises = d[k] < 0;
        cut_edge(plane, p[k], p[next], d[k], d[next], rises ? to->p : to->q);
        *(rises ? &to->from : &to->to) = edge_key(corner[k], corner[next]);
        ++found;
    }
    return found == 2;
}

static int by_from(const void *a, const void *b)
{
    const Piece *p = a, *q = b;
    return p->from < q->from ? -1 : p->from > q->from;
}

/* One loop from a piece on: area and length; its turns around the middle. */
static double follow_loop(Piece *piece, int32_t n, Piece *at, snFleshSection *loop)
{
    double turns = 0;
    *loop = (snFleshSection){0};
    while (at && !at->used) {
        double cross = at->p[0] * at->q[1] - at->p[1] * at->q[0], dot = at->p[0] * at->q[0] + at->p[1] * at->q[1];
        at->used = true;
        turns += atan2(cross, dot) / (2 * SN_PI);
        loop->area += 0.5 * cross, loop->girth += hypot(at->q[0] - at->p[0], at->q[1] - at->p[1]);
        Piece key = {.from = at->to};
        at = bsearch(&key, piece, (size_t)n, sizeof *piece, by_from);
    }
    loop->area = fabs(loop->area);
    return turns;
}

static const snFleshBone *find_bone(const snAnatomy *a, const char *name)
{
    for (int32_t i = 0; i < a->nbone; ++i)
        if (strcmp(a->bone[i].name, name) == 0) return &a->bone[i];
    return NULL;
}

snStatus sn_flesh_section(const snFlesh *f, const char *name, double at, const double *point, snFleshSection *to,
                          snError *error)
{
    if (!f || !name || !point || !to) return sn_fail_argument(error, "sn_flesh_section without flesh, bone or points");
    const snFleshBone *bone = find_bone(&f->anatomy, name);
    const snDeformSurface *skin = &f->surface[0];
    int32_t n = 0;
    *to = (snFleshSection){0};
    if (!bone)
        return sn_fail(error, SN_BAD_INPUT, "section: the model has no bone \"%.100s\" with a closed mesh", name);
    Plane plane = plane_across(f, bone, at);
    Piece *piece = SN_NEW_ARRAY(Piece, skin->ntriangle + 1);
    if (!piece) return sn_fail_no_memory(error);
    for (int32_t t = 0; t < skin->ntriangle; ++t) n += cut_triangle(&plane, skin->triangle + 3 * t, point, &piece[n]);
    qsort(piece, (size_t)n, sizeof *piece, by_from);
    for (int32_t i = 0; i < n; ++i) { /* the smallest loop around the bone */
        snFleshSection loop;
        if (piece[i].used || fabs(follow_loop(piece, n, &piece[i], &loop)) < 0.5) continue;
        if (to->area == 0 || loop.area < to->area) *to = loop;
    }
    sn_free(piece);
    if (to->area > 0) return SN_OK;
    return sn_fail(error, SN_BAD_INPUT, "section: the skin does not surround \"%.100s\" at %g of its length", name, at);
}
