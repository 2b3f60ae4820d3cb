/* The skin across a bone: how far from it, all around. */
#include "author/flesh_model.h"

#include "author/own/flesh.h"
#include "base/error.h"

#include <string.h>

/* The plane across a bone now, with two axes in it that turn with the bone. */
typedef struct {
    v3 at, normal, u, w;
} Plane;

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
    v3 along = v3_unit(v3_sub(b, a)), aside = fabs(along.x) < 0.7 ? v3_of(1, 0, 0) : v3_of(0, 1, 0);
    p.u = q_rotate(turn, v3_unit(v3_cross(along, aside))), p.w = v3_cross(p.normal, p.u);
    return p;
}

/* The piece of the section that a triangle has, in the plane's axes. */
static bool cut_triangle(const Plane *plane, const int32_t *corner, const double *point, double piece[2][2])
{
    v3 p[3];
    double d[3];
    int found = 0;
    for (int k = 0; k < 3; ++k) {
        p[k] = v3_load(point + 3 * (size_t)corner[k]);
        d[k] = v3_dot(v3_sub(p[k], plane->at), plane->normal);
    }
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        if ((d[k] < 0) == (d[next] < 0)) continue;
        v3 on = v3_sub(v3_lerp(p[k], p[next], d[k] / (d[k] - d[next])), plane->at);
        piece[found][0] = v3_dot(on, plane->u), piece[found][1] = v3_dot(on, plane->w);
        ++found;
    }
    return found == 2;
}

/* Shortens the rays that a piece of the section crosses. */
static void stop_rays(double piece[2][2], double *ray)
{
    for (int k = 0; k < SN_FLESH_RAYS; ++k) {
        double angle = 2 * SN_PI * k / SN_FLESH_RAYS, c = cos(angle), s = sin(angle);
        double a = c * piece[0][1] - s * piece[0][0], b = c * piece[1][1] - s * piece[1][0]; /* beside the ray */
        if ((a < 0) == (b < 0)) continue;
        double t = a / (a - b), x = piece[0][0] + t * (piece[1][0] - piece[0][0]);
        double far = c * x + s * (piece[0][1] + t * (piece[1][1] - piece[0][1]));
        if (far > 0 && far < ray[k]) ray[k] = far;
    }
}

static const snFleshBone *find_bone(const snAnatomy *a, const char *name)
{
    for (int32_t i = 0; i < a->nbone; ++i)
        if (strcmp(a->bone[i].name, name) == 0) return &a->bone[i];
    return NULL;
}

snStatus sn_flesh_section(const snFlesh *f, const char *name, double at, const double *point, double *ray,
                          snError *error)
{
    if (!f || !name || !point || !ray) return sn_fail_argument(error, "sn_flesh_section without flesh, bone or points");
    const snFleshBone *bone = find_bone(&f->anatomy, name);
    const snDeformSurface *skin = &f->surface[0];
    if (!bone)
        return sn_fail(error, SN_BAD_INPUT, "section: the model has no bone \"%.100s\" with a closed mesh", name);
    Plane plane = plane_across(f, bone, at);
    for (int k = 0; k < SN_FLESH_RAYS; ++k) ray[k] = INFINITY;
    for (int32_t t = 0; t < skin->ntriangle; ++t) {
        double piece[2][2];
        if (cut_triangle(&plane, skin->triangle + 3 * t, point, piece)) stop_rays(piece, ray);
    }
    for (int k = 0; k < SN_FLESH_RAYS; ++k)
        if (ray[k] < INFINITY) return SN_OK;
    return sn_fail(error, SN_BAD_INPUT, "section: no skin around \"%.100s\" at %g of its length", name, at);
}
