/* Bodies of the studio's data: their meshes, the surfaces that strands wrap on, and plain sticks where a body has no
 * mesh, so that there is always something to see. Vertices are in the frame of the body's node, m. */
#include "base/alloc.h"
#include "base/error.h"
#include "model/nodes.h"
#include "page/html_pack.h"
#include "page/tissue.h"

#include <string.h>

static const double WRAP_COLOR[3] = {0.55, 0.66, 0.78};

/* A mesh under way. */
typedef struct Shape {
    int32_t nvertex, ntriangle;
    double *vertex;
    int32_t *triangle;
} Shape;

static bool shape_alloc(Shape *s, int32_t nvertex, int32_t ntriangle)
{
    s->vertex = SN_NEW_ARRAY(double, 3 * (int64_t)nvertex);
    s->triangle = SN_NEW_ARRAY(int32_t, 3 * (int64_t)ntriangle);
    s->nvertex = nvertex, s->ntriangle = ntriangle;
    return s->vertex && s->triangle;
}

static void shape_free(Shape *s)
{
    sn_free(s->vertex);
    sn_free(s->triangle);
}

void sn_pack_mesh(snPack *p, const char *name, const double color[3], int32_t nvertex, const double *vertex,
                  int32_t ntriangle, const int32_t *triangle)
{
    sn_json_text(&p->head, "\"name\":");
    sn_json_string(&p->head, name);
    sn_pack_member(p, "color");
    sn_json_numbers(&p->head, color, 3);
    sn_pack_member(p, "nvertex");
    sn_json_int(&p->head, nvertex);
    sn_pack_member(p, "ntriangle");
    sn_json_int(&p->head, ntriangle);
    sn_pack_member(p, "vertices");
    sn_run_i16(&p->head, &p->data, vertex, 3 * (int64_t)nvertex, 3);
    sn_pack_member(p, "triangles");
    sn_run_index(&p->head, &p->data, triangle, 3 * (int64_t)ntriangle);
}

static void put_shape(snPack *p, bool *first, const char *name, const double color[3], const Shape *s, bool wrap)
{
    sn_json_text(&p->head, *first ? "{" : ",{");
    *first = false;
    sn_pack_mesh(p, name, color, s->nvertex, s->vertex, s->ntriangle, s->triangle);
    sn_json_text(&p->head, wrap ? ",\"wrap\":true}" : "}");
}

/* ---- meshes of the scene ------------------------------------------------------------------ */

/* A triangle mesh that is not the skin and whose indices are sound. */
static bool is_shown(const snSpec *spec, snId node)
{
    const snNodeDef *def = sn_spec_node(spec, node);
    const char *skin = sn_spec_model(spec)->skin;
    if (def->kind != SN_NODE_MESH || !def->visible || def->ntriangle < 1 || !def->vertex || !def->triangle)
        return false;
    if (skin && *skin && strcmp(skin, def->name) == 0) return false;
    for (int64_t i = 0; i < 3 * (int64_t)def->ntriangle; ++i)
        if (def->triangle[i] < 0 || def->triangle[i] >= def->nvertex) return false;
    return true;
}

static snStatus put_node(snPack *p, snId node, rigid frame, bool *first)
{
    const snNodeDef *def = sn_spec_node(p->def->spec, node);
    affine world = sn_node_world(p->def->spec, node);
    Shape s = {.nvertex = def->nvertex, .ntriangle = def->ntriangle, .triangle = (int32_t *)def->triangle};
    s.vertex = SN_NEW_ARRAY(double, 3 * (int64_t)def->nvertex);
    if (!s.vertex) return sn_fail_no_memory(p->error);
    for (int32_t i = 0; i < def->nvertex; ++i)
        v3_store(s.vertex + 3 * i, rigid_unapply(frame, affine_apply(&world, v3_load(def->vertex + 3 * i))));
    const double *c = def->color;
    bool plain = c[0] == c[1] && c[1] == c[2]; /* nobody chose a colour */
    put_shape(p, first, def->name, plain ? sn_tissue_color[SN_TISSUE_BONE] : c, &s, false);
    sn_free(s.vertex);
    return SN_OK;
}

/* ---- wrap surfaces ------------------------------------------------------------------------ */

enum { ROUND = 28, ALONG = 20 };

static v3 surface_at(const snSurface *s, double drawn, double a, double b)
{
    double angle = 2 * SN_PI * a, z = SN_PI * (b - 0.5), u, v;
    switch (s->kind) {
    case SN_SURFACE_PLANE:
        return v3_of((a - 0.5) * drawn, (b - 0.5) * drawn, 0);
    case SN_SURFACE_CYLINDER:
        return v3_of(s->size.x * cos(angle), s->size.x * sin(angle), (b - 0.5) * drawn);
    case SN_SURFACE_SPHERE:
        return v3_of(s->size.x * cos(angle) * cos(z), s->size.x * sin(angle) * cos(z), s->size.x * sin(z));
    case SN_SURFACE_ELLIPSOID:
        return v3_of(s->size.x * cos(angle) * cos(z), s->size.y * sin(angle) * cos(z), s->size.z * sin(z));
    case SN_SURFACE_PATCH:
    case SN_SURFACE_DISTANCE:
        break;
    }
    u = s->knot_u[3] + b * (s->knot_u[s->nu] - s->knot_u[3]);
    v = s->knot_v[3] + a * (s->knot_v[s->nv] - s->knot_v[3]);
    return rigid_unapply(s->frame, sn_surface_patch_eval(s, u, v, NULL));
}

static bool surface_shape(const snSurface *s, rigid to_node, double drawn, Shape *shape)
{
    if (!shape_alloc(shape, (ROUND + 1) * (ALONG + 1), 2 * ROUND * ALONG)) return false;
    int32_t *t = shape->triangle;
    for (int32_t j = 0; j <= ALONG; ++j)
        for (int32_t i = 0; i <= ROUND; ++i) {
            v3 x = rigid_apply(s->frame, surface_at(s, drawn, (double)i / ROUND, (double)j / ALONG));
            int32_t at = j * (ROUND + 1) + i, up = at + ROUND + 1;
            v3_store(shape->vertex + 3 * at, rigid_apply(to_node, x));
            if (i == ROUND || j == ALONG) continue;
            *t++ = at, *t++ = at + 1, *t++ = up;
            *t++ = at + 1, *t++ = up + 1, *t++ = up;
        }
    return true;
}

/* Length that a cylinder, or side that a plane, is drawn with, m. */
static double drawn_size(const snSpec *spec, snId node)
{
    const snNodeDef *def = sn_spec_node(spec, node);
    double size = def->shape == SN_SHAPE_CYLINDER ? def->extent[1] : def->extent[0];
    size *= sn_unit_metres(sn_spec_scene(spec)->units);
    return size > 0 ? size : 0.02;
}

/* The surface nodes that the constraints of a body lie on, each once. */
static snStatus put_wraps(snPack *p, int32_t body, bool *seen, bool *first)
{
    const snModel *m = p->model;
    const snSpec *spec = p->def->spec;
    for (int32_t k = 0; k < m->nconstraint; ++k) {
        const snConstraint *c = &m->constraint[k];
        if (c->type != SN_CONSTRAINT_SURFACE || c->body != body || c->surface < 0) continue;
        snId id = sn_spec_find(spec, SN_KIND_CONSTRAINT, m->constraint_name[k]);
        snId node = id ? sn_spec_find(spec, SN_KIND_NODE, sn_spec_constraint(spec, id)->attachment) : 0;
        if (!node || seen[node]) continue;
        seen[node] = true;
        if (sn_spec_node(spec, node)->kind == SN_NODE_MESH) continue; /* drawn as the mesh that it is */
        Shape shape = {0};
        bool fine =
            surface_shape(&m->surface[c->surface], rigid_inverse(m->body_node[body]), drawn_size(spec, node), &shape);
        if (fine) put_shape(p, first, sn_spec_node(spec, node)->name, WRAP_COLOR, &shape, true);
        shape_free(&shape);
        if (!fine) return sn_fail_no_memory(p->error);
    }
    return SN_OK;
}

/* ---- sticks ------------------------------------------------------------------------------- */

/* A slender double pyramid from a to b, thickest near a. */
static bool stick_shape(v3 a, v3 b, Shape *s)
{
    static const int32_t triangle[24] = {0, 2, 1, 0, 3, 2, 0, 4, 3, 0, 1, 4, 5, 1, 2, 5, 2, 3, 5, 3, 4, 5, 4, 1};
    if (!shape_alloc(s, 6, 8)) return false;
    double length = v3_dist(a, b), radius = 0.09 * length;
    v3 along = v3_unit(v3_sub(b, a)), x = v3_perp(along), y = v3_cross(along, x), waist = v3_lerp(a, b, 0.16);
    v3_store(s->vertex, a);
    v3_store(s->vertex + 3, v3_mad(waist, radius, x));
    v3_store(s->vertex + 6, v3_mad(waist, radius, y));
    v3_store(s->vertex + 9, v3_mad(waist, -radius, x));
    v3_store(s->vertex + 12, v3_mad(waist, -radius, y));
    v3_store(s->vertex + 15, b);
    memcpy(s->triangle, triangle, sizeof triangle);
    return true;
}

static snStatus put_stick(snPack *p, const char *name, v3 a, v3 b, bool *first)
{
    Shape s = {0};
    if (v3_dist(a, b) < 1e-4) return SN_OK;
    bool fine = stick_shape(a, b, &s);
    if (fine) put_shape(p, first, name, sn_tissue_color[SN_TISSUE_BONE], &s, false);
    shape_free(&s);
    return fine ? SN_OK : sn_fail_no_memory(p->error);
}

/* A body without a mesh: sticks from its node's origin to its joints and to where strands are fixed. */
static snStatus put_sticks(snPack *p, int32_t body, bool *first)
{
    const snModel *m = p->model;
    rigid node = m->body_node[body];
    for (int32_t j = 0; j < m->njoint; ++j) {
        if (m->joint_a[j] != body && m->joint_b[j] != body) continue;
        v3 at = m->joint_a[j] == body ? m->joint[j].frame_a.p : m->joint[j].frame_b.p;
        snStatus status = put_stick(p, m->body_name[body], rigid_unapply(node, at), v3_of(0, 0, 0), first);
        if (status) return status;
    }
    for (int32_t k = 0; *first && k < m->nconstraint; ++k) {
        const snConstraint *c = &m->constraint[k];
        if (c->body != body || c->type == SN_CONSTRAINT_SURFACE) continue;
        snStatus status = put_stick(p, m->body_name[body], v3_of(0, 0, 0), rigid_unapply(node, c->point), first);
        if (status) return status;
    }
    return SN_OK;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static snStatus put_body(snPack *p, int32_t body, bool *seen)
{
    const snSpec *spec = p->def->spec;
    const snModel *m = p->model;
    rigid rest = sn_pack_rest(p, body);
    snId id = sn_spec_find(spec, SN_KIND_BODY, m->body_name[body]);
    double pose[7];
    v3_store(pose, rest.p), q_store(pose + 3, rest.q);
    sn_json_text(&p->head, body ? ",{\"name\":" : "{\"name\":");
    sn_json_string(&p->head, m->body_name[body]);
    sn_json_text(&p->head, m->body_mode[body] == SN_BODY_PINNED ? ",\"pinned\":true,\"rest\":" : ",\"rest\":");
    sn_json_numbers(&p->head, pose, 7);
    sn_json_text(&p->head, ",\"meshes\":[");
    bool first = true;
    snStatus status = SN_OK;
    for (snId node = 1; !status && node <= sn_spec_count(spec, SN_KIND_NODE); ++node)
        if (is_shown(spec, node) && sn_node_body(spec, node) == id) status = put_node(p, node, rest, &first);
    if (!status && first) status = put_sticks(p, body, &first);
    if (!status) status = put_wraps(p, body, seen, &first);
    sn_json_text(&p->head, "]}");
    return status;
}

snStatus sn_pack_bodies(snPack *p)
{
    const snSpec *spec = p->def->spec;
    int32_t nnode = sn_spec_count(spec, SN_KIND_NODE);
    bool *seen = SN_NEW_ARRAY(bool, nnode + 1), first = true;
    if (!seen) return sn_fail_no_memory(p->error);
    snStatus status = SN_OK;
    sn_pack_member(p, "bodies");
    sn_json_text(&p->head, "[");
    for (int32_t b = 0; !status && b < p->model->nbody; ++b) status = put_body(p, b, seen);
    sn_json_text(&p->head, "],\"scenery\":[");
    for (snId node = 1; !status && node <= nnode; ++node)
        if (is_shown(spec, node) && !sn_node_body(spec, node)) status = put_node(p, node, rigid_identity(), &first);
    sn_json_text(&p->head, "]");
    sn_free(seen);
    return status;
}
