/* The studio's data: a head in JSON and a binary part (docs/studio.md). The spec is compiled, so that bodies, strands,
 * points and muscles stand in the order of the runtime model and a live state fits without a map. */
#include "page/html_pack.h"
#include "base/def.h"

#include "base/alloc.h"
#include "base/error.h"
#include "model/nodes.h"
#include "model/views.h"
#include "page/tissue.h"

#include <string.h>

#define BLANKS " \t\r\n" /* what names in one attribute are separated by */

void sn_pack_member(snPack *p, const char *name)
{
    sn_json_text(&p->head, ",\"");
    sn_json_text(&p->head, name);
    sn_json_text(&p->head, "\":");
}

rigid sn_pack_rest(const snPack *p, int32_t body)
{
    return rigid_mul(p->model->body_rest[body], p->model->body_node[body]);
}

static void put_names(snPack *p, const char *member, const char *const *name, int32_t count)
{
    sn_pack_member(p, member);
    sn_json_text(&p->head, "[");
    for (int32_t i = 0; i < count; ++i) {
        if (i) sn_json_text(&p->head, ",");
        sn_json_string(&p->head, name[i]);
    }
    sn_json_text(&p->head, "]");
}

/* ---- strands ------------------------------------------------------------------------------ */

/* The mesh that a strand's belly has, in the world as drawn; nothing where there is none that is sound. */
static void put_belly(snPack *p, const char *name)
{
    snId id = name && *name ? sn_spec_find(p->def->spec, SN_KIND_NODE, name) : 0;
    const snNodeDef *def = id ? sn_spec_node(p->def->spec, id) : NULL;
    if (!def || def->kind != SN_NODE_MESH || def->ntriangle < 1 || !def->vertex) return;
    for (int64_t i = 0; i < 3 * (int64_t)def->ntriangle; ++i)
        if (def->triangle[i] < 0 || def->triangle[i] >= def->nvertex) return;
    double *vertex = SN_NEW_ARRAY(double, 3 * (int64_t)def->nvertex);
    affine world = sn_node_world(p->def->spec, id);
    for (int32_t v = 0; vertex && v < def->nvertex; ++v)
        v3_store(vertex + 3 * v, affine_apply(&world, v3_load(def->vertex + 3 * v)));
    if (vertex) {
        sn_pack_member(p, "shape");
        sn_json_text(&p->head, "{");
        sn_pack_mesh(p, name, def->color, def->nvertex, vertex, def->ntriangle, def->triangle);
        sn_json_text(&p->head, "}");
    }
    sn_free(vertex);
}

static void put_strand(snPack *p, int32_t i)
{
    const snModel *m = p->model;
    const snStrand *s = &m->strand[i];
    snId id = sn_spec_find(p->def->spec, SN_KIND_STRAND, m->strand_name[i]);
    const snStrandDef *def = id ? sn_spec_strand(p->def->spec, id) : NULL;
    double belly[2] = {def ? def->belly_start : 0, def ? def->belly_end : 0};
    sn_json_text(&p->head, i ? ",{\"name\":" : "{\"name\":");
    sn_json_string(&p->head, m->strand_name[i]);
    sn_pack_member(p, "label");
    sn_json_string(&p->head, def ? def->label : "");
    sn_pack_member(p, "radius");
    sn_json_number(&p->head, m->strand_radius[i]);
    sn_pack_member(p, "belly");
    sn_json_numbers(&p->head, belly, 2);
    sn_pack_member(p, "maxForce");
    sn_json_number(&p->head, def ? def->max_force : 0);
    sn_pack_member(p, "bellyRadius");
    sn_json_number(&p->head, def ? sn_drawn_belly(def) : m->strand_radius[i]);
    sn_pack_member(p, "npoint");
    sn_json_int(&p->head, s->n);
    sn_pack_member(p, "muscle");
    sn_json_int(&p->head, m->strand_muscle[i]);
    sn_pack_member(p, "knots");
    sn_json_numbers(&p->head, s->knot, s->n + 4);
    put_belly(p, def ? def->belly_mesh : NULL);
    sn_json_text(&p->head, "}");
}

static void put_strands(snPack *p)
{
    const snModel *m = p->model;
    put_names(p, "muscles", m->muscle_name, m->nmuscle);
    sn_pack_member(p, "strands");
    sn_json_text(&p->head, "[");
    for (int32_t i = 0; i < m->nstrand; ++i) put_strand(p, i);
    sn_json_text(&p->head, "]");
    sn_pack_member(p, "points");
    sn_run_f32(&p->head, &p->data, m->rest_point, 3 * (int64_t)m->npoint);
}

/* ---- groups ------------------------------------------------------------------------------- */

static void put_group(snPack *p, const snGroupDef *def)
{
    bool first = true;
    sn_json_text(&p->head, "{\"name\":");
    sn_json_string(&p->head, def->name);
    sn_json_text(&p->head, ",\"strands\":[");
    for (const char *at = def->strands; at && *at;) {
        char name[256];
        at += strspn(at, BLANKS);
        size_t n = strcspn(at, BLANKS);
        if (n > 0 && n < sizeof name) {
            memcpy(name, at, n);
            name[n] = '\0';
            int32_t strand = sn_find(p->model, SN_ITEM_STRAND, name);
            if (strand >= 0 && !first) sn_json_text(&p->head, ",");
            if (strand >= 0) sn_json_int(&p->head, strand), first = false;
        }
        at += n;
    }
    sn_json_text(&p->head, "]}");
}

static void put_groups(snPack *p)
{
    const snSpec *spec = p->def->spec;
    sn_pack_member(p, "groups");
    sn_json_text(&p->head, "[");
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_GROUP); ++id) {
        if (id > 1) sn_json_text(&p->head, ",");
        put_group(p, sn_spec_group(spec, id));
    }
    sn_json_text(&p->head, "]");
}

static void put_functions(snPack *p)
{
    const snSpec *spec = p->def->spec;
    sn_pack_member(p, "functions");
    sn_json_text(&p->head, "[");
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_FUNCTION); ++id) {
        if (id > 1) sn_json_text(&p->head, ",");
        sn_json_string(&p->head, sn_spec_function(spec, id)->name);
    }
    sn_json_text(&p->head, "]");
}

/* ---- constraints and joints --------------------------------------------------------------- */

static void put_constraint(snPack *p, int32_t k)
{
    static const char *const type[] = {[SN_CONSTRAINT_FIXED] = "fixed",
                                       [SN_CONSTRAINT_SLIDING] = "sliding",
                                       [SN_CONSTRAINT_SURFACE] = "surface",
                                       [SN_CONSTRAINT_STRUT] = "strut"};
    const snModel *m = p->model;
    const snConstraint *c = &m->constraint[k];
    const snStrand *s = &m->strand[c->strand];
    snId id = sn_spec_find(p->def->spec, SN_KIND_CONSTRAINT, m->constraint_name[k]);
    double start = s->knot[3], range = s->knot[s->n] - start;
    sn_json_text(&p->head, "{\"name\":");
    sn_json_string(&p->head, m->constraint_name[k]);
    sn_pack_member(p, "type");
    sn_json_string(&p->head, type[c->type]);
    sn_pack_member(p, "strand");
    sn_json_int(&p->head, c->strand);
    sn_pack_member(p, "position");
    sn_json_number(&p->head, range > 0 ? (c->s - start) / range : 0);
    sn_pack_member(p, "attachment");
    const char *other = c->other >= 0 ? m->strand_name[c->other] : ""; /* struts of a sheet are not in the spec */
    sn_json_string(&p->head, id ? sn_spec_constraint(p->def->spec, id)->attachment : other);
    if (c->body >= 0 && c->type != SN_CONSTRAINT_STRUT) {
        double local[3];
        v3_store(local, rigid_unapply(m->body_node[c->body], c->point));
        sn_pack_member(p, "body");
        sn_json_int(&p->head, c->body);
        sn_pack_member(p, "local");
        sn_json_numbers(&p->head, local, 3);
    }
    sn_json_text(&p->head, "}");
}

/* What the model calls a positive change of the k-th coordinate of a joint, its underscores as blanks; else empty. */
static void put_motion(snPack *p, int32_t joint, int32_t k)
{
    snId id = sn_spec_find(p->def->spec, SN_KIND_JOINT, p->model->joint_name[joint]);
    const char *at = id ? sn_spec_joint(p->def->spec, id)->motions : "";
    char name[64];
    size_t n;
    for (at += strspn(at, BLANKS); k > 0; --k) at += strcspn(at, BLANKS), at += strspn(at, BLANKS);
    n = strcspn(at, BLANKS);
    if (n >= sizeof name) n = 0;
    for (size_t i = 0; i < n; ++i) name[i] = at[i] == '_' ? ' ' : at[i];
    name[n] = 0;
    sn_pack_member(p, "motion");
    sn_json_string(&p->head, name);
}

static void put_coordinate(snPack *p, int32_t joint, int32_t k)
{
    const snModel *m = p->model;
    bool angle = sn_joint_dof_is_angle(m->joint[joint].kind, k - m->joint_coordadr[joint]);
    sn_json_text(&p->head, k ? ",{\"name\":" : "{\"name\":");
    sn_json_string(&p->head, m->coord_name[k]);
    sn_pack_member(p, "joint");
    sn_json_string(&p->head, m->joint_name[joint]);
    snId id = sn_spec_find(p->def->spec, SN_KIND_JOINT, m->joint_name[joint]);
    sn_pack_member(p, "jointLabel");
    sn_json_string(&p->head, id ? sn_spec_joint(p->def->spec, id)->label : "");
    put_motion(p, joint, k - m->joint_coordadr[joint]);
    sn_pack_member(p, "lower");
    sn_json_number(&p->head, m->coord_lower[k]);
    sn_pack_member(p, "upper");
    sn_json_number(&p->head, m->coord_upper[k]);
    sn_pack_member(p, "unit");
    sn_json_string(&p->head, angle ? "rad" : "m");
    sn_pack_member(p, "body");
    sn_json_int(&p->head, m->joint_b[joint] >= 0 ? m->joint_b[joint] : m->joint_a[joint]);
    sn_json_text(&p->head, "}");
}

static void put_postures(snPack *p)
{
    const snStudioDef *def = p->def;
    sn_pack_member(p, "postures");
    sn_json_text(&p->head, "[");
    for (int32_t i = 0; i < def->nposture; ++i) {
        sn_json_text(&p->head, i ? ",{\"name\":" : "{\"name\":");
        sn_json_string(&p->head, def->posture_name[i]);
        sn_pack_member(p, "values");
        sn_json_text(&p->head, "[");
        for (int32_t k = 0; k < p->model->ncoord; ++k) {
            if (k) sn_json_text(&p->head, ",");
            sn_json_number(&p->head, def->posture[(size_t)i * (size_t)p->model->ncoord + (size_t)k]);
        }
        sn_json_text(&p->head, "]}");
    }
    sn_json_text(&p->head, "]");
}

static void put_rest(snPack *p)
{
    const snModel *m = p->model;
    sn_pack_member(p, "constraints");
    sn_json_text(&p->head, "[");
    for (int32_t k = 0; k < m->nconstraint; ++k) {
        if (k) sn_json_text(&p->head, ",");
        put_constraint(p, k);
    }
    sn_json_text(&p->head, "]");
    sn_pack_member(p, "coordinates");
    sn_json_text(&p->head, "[");
    for (int32_t j = 0; j < m->njoint; ++j)
        for (int32_t k = m->joint_coordadr[j]; k < m->joint_coordadr[j + 1]; ++k) put_coordinate(p, j, k);
    sn_pack_tree_coordinates(p);
    sn_json_text(&p->head, "]");
    put_postures(p);
}

/* ---- meshes that can be filled with strands ------------------------------------------------- */

static const double REACH = 2e-3; /* m: a strand so far outside the box of a mesh still runs through it */

/* Whether all control points of a strand lie in a box. */
static bool is_inside(const snModel *m, int32_t strand, v3 low, v3 high)
{
    for (int32_t i = m->strand_pointadr[strand]; i < m->strand_pointadr[strand + 1]; ++i) {
        const double *p = m->rest_point + 3 * i;
        if (p[0] < low.x || p[1] < low.y || p[2] < low.z || p[0] > high.x || p[1] > high.y || p[2] > high.z)
            return false;
    }
    return true;
}

static bool has_inside(const snModel *m, v3 low, v3 high)
{
    for (int32_t i = 0; i < m->nstrand; ++i)
        if (is_inside(m, i, low, high)) return true;
    return false;
}

/* A mesh with strands that run through it: its node, they by their places in the spec, and its shape in the world. */
static snStatus put_fillable(snPack *p, snId node, bool *first)
{
    static const double color[3] = {0.75, 0.35, 0.3};
    const snNodeDef *def = sn_spec_node(p->def->spec, node);
    affine world = sn_node_world(p->def->spec, node);
    double *vertex = SN_NEW_ARRAY(double, 3 * (int64_t)def->nvertex);
    v3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    if (!vertex) return sn_fail_no_memory(p->error);
    for (int32_t i = 0; i < def->nvertex; ++i) {
        v3 x = affine_apply(&world, v3_load(def->vertex + 3 * i));
        low = v3_of(fmin(low.x, x.x - REACH), fmin(low.y, x.y - REACH), fmin(low.z, x.z - REACH));
        high = v3_of(fmax(high.x, x.x + REACH), fmax(high.y, x.y + REACH), fmax(high.z, x.z + REACH));
        v3_store(vertex + 3 * i, x);
    }
    if (has_inside(p->model, low, high)) {
        bool one = true;
        sn_json_text(&p->head, *first ? "{" : ",{");
        *first = false;
        sn_pack_mesh(p, def->name, color, def->nvertex, vertex, def->ntriangle, def->triangle);
        sn_pack_member(p, "node");
        sn_json_int(&p->head, node - 1);
        sn_pack_member(p, "inputs");
        sn_json_text(&p->head, "[");
        for (int32_t i = 0; i < p->model->nstrand; ++i) {
            if (!is_inside(p->model, i, low, high)) continue;
            if (!one) sn_json_text(&p->head, ",");
            one = false;
            sn_json_text(&p->head, "{\"index\":");
            sn_json_int(&p->head, sn_spec_find(p->def->spec, SN_KIND_STRAND, p->model->strand_name[i]) - 1);
            sn_pack_member(p, "name");
            sn_json_string(&p->head, p->model->strand_name[i]);
            sn_json_text(&p->head, "}");
        }
        sn_json_text(&p->head, "]}");
    }
    sn_free(vertex);
    return SN_OK;
}

/* Whether a mesh is what a strand is drawn as. */
static bool is_belly(const snSpec *spec, const char *name)
{
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_STRAND); ++id) {
        const char *belly = sn_spec_strand(spec, id)->belly_mesh;
        if (belly && strcmp(belly, name) == 0) return true;
    }
    return false;
}

static snStatus put_fillables(snPack *p)
{
    const snSpec *spec = p->def->spec;
    snStatus status = SN_OK;
    bool first = true;
    sn_pack_member(p, "fillable");
    sn_json_text(&p->head, "[");
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE) && status == SN_OK; ++id) {
        const snNodeDef *def = sn_spec_node(spec, id);
        bool skin = sn_spec_model(spec)->skin && strcmp(sn_spec_model(spec)->skin, def->name) == 0;
        bool bone = def->visible && sn_node_body(spec, id) > 0;
        if (def->kind == SN_NODE_MESH && def->nvertex > 3 && def->ntriangle > 3 && !skin && !bone &&
            !is_belly(spec, def->name))
            status = put_fillable(p, id, &first);
    }
    sn_json_text(&p->head, "]");
    return status;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void put_title(snPack *p)
{
    const snStudioDef *def = p->def;
    const char *name = def->name && *def->name ? def->name : def->replay ? sn_track_def(def->replay)->model : NULL;
    sn_json_text(&p->head, "{\"format\":\"sinew-studio\",\"version\":1,\"generator\":\"sinew ");
    sn_json_text(&p->head, sn_version());
    sn_json_text(&p->head, "\",\"name\":");
    sn_json_string(&p->head, name && *name ? name : "model");
    sn_pack_member(p, "title");
    sn_json_string(&p->head, def->title);
    sn_json_text(&p->head, sn_spec_scene(def->spec)->up == SN_AXIS_Z ? ",\"up\":\"z\"" : ",\"up\":\"y\"");
    sn_json_text(&p->head, def->live ? ",\"live\":true" : ",\"live\":false");
}

static void put_palette(snPack *p)
{
    sn_pack_member(p, "palette");
    for (int i = 0; i < SN_TISSUES; ++i) {
        sn_json_text(&p->head, i ? ",\"" : "{\"");
        sn_json_text(&p->head, sn_tissue_name[i]);
        sn_json_text(&p->head, "\":");
        sn_json_numbers(&p->head, sn_tissue_color[i], 3);
    }
    sn_json_text(&p->head, "}");
}

static void put_views(snPack *p)
{
    const char *at = sn_spec_model(p->def->spec)->views;
    snNamedView view;
    sn_pack_member(p, "views");
    sn_json_text(&p->head, "[");
    for (bool first = true; sn_next_view(&at, &view); first = false) {
        double from[3] = {0};
        from[view.axis] = view.sign;
        sn_json_text(&p->head, first ? "{\"name\":" : ",{\"name\":");
        sn_json_string(&p->head, view.name);
        sn_pack_member(p, "from");
        sn_json_numbers(&p->head, from, 3);
        sn_json_text(&p->head, "}");
    }
    sn_json_text(&p->head, "]");
}

static snStatus fill(snPack *p)
{
    put_title(p);
    put_palette(p);
    put_views(p);
    snStatus status = sn_pack_bodies(p);
    if (status) return status;
    put_strands(p);
    status = sn_pack_lines(p);
    if (status) return status;
    put_groups(p);
    put_functions(p);
    put_rest(p);
    if (p->def->clinic) status = sn_pack_clinic(p);
    if (!status && p->def->live) status = put_fillables(p);
    if (!status && p->def->skin) status = sn_pack_skin(p);
    if (!status && p->def->library) status = sn_pack_soft(p);
    if (!status && p->def->replay) status = sn_pack_replay(p);
    sn_json_text(&p->head, "}");
    return status;
}

/* Head and binary part behind each other, with the sixteen bytes before them. */
static snStatus join(snPack *p, void **bytes, size_t *size)
{
    sn_bytes_pad(&p->head, 8, ' ');
    if (p->head.failed || p->data.failed) return sn_fail_no_memory(p->error);
    if (p->head.size > UINT32_MAX) return sn_fail(p->error, SN_FAILED, "the model is too large for the studio");
    snBytes all = {0};
    unsigned char front[16] = {'S', 'W', 'N', 'S', 1};
    for (int i = 0; i < 4; ++i) front[8 + i] = (unsigned char)(p->head.size >> (8 * i));
    sn_bytes_add(&all, front, sizeof front);
    sn_bytes_add(&all, p->head.at, p->head.size);
    sn_bytes_add(&all, p->data.at, p->data.size);
    if (all.failed) {
        sn_bytes_free(&all);
        return sn_fail_no_memory(p->error);
    }
    *bytes = all.at;
    *size = all.size;
    return SN_OK;
}

snStatus sn_pack_studio(const snStudioDef *def, void **bytes, size_t *size, snError *error)
{
    if (!def) return sn_fail_argument(error, "sn_pack_studio without def");
    snStudioDef taken = sn_default_studio_def();
    if (SN_TAKE_DEF(def, snStudioDef, taken, error)) return SN_BAD_ARGUMENT;
    snClinicDef clinic = sn_default_clinic_def();
    if (taken.clinic && SN_TAKE_DEF(taken.clinic, snClinicDef, clinic, error)) return SN_BAD_ARGUMENT;
    snPack p = {.def = def, .error = error};
    snStatus status = sn_compile(def->spec, &p.model, error);
    if (status) return status;
    status = fill(&p);
    if (!status) status = join(&p, bytes, size);
    sn_bytes_free(&p.head);
    sn_bytes_free(&p.data);
    sn_model_destroy(p.model);
    return status;
}
