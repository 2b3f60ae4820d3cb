/* The upper body from its tables: bodies, coordinates, springs and line muscles on a tree. upper_body_bone.c draws its
 * bones.
 */
#include "upper_body/upper_body.h"
#include "author/table.h"
#include "common/bone.h"
#include "common/segment.h"
#include "sinew/author.h"
#include "upper_body/upper_body_bone.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BONES, COORDINATES, SPRINGS, MUSCLES, POINTS, FUNCTIONS, TABLES };
enum { MAX_WORD = 32, MAX_POINT = 16, MAX_TEXT = 400 };

static const char *const table_name[TABLES] = {"bones.tsv",   "coordinates.tsv", "springs.tsv",
                                               "muscles.tsv", "points.tsv",      "functions.tsv"};

typedef struct Maker {
    const snUpperBodyDef *def;
    snSpec *spec;
    snFigures table[TABLES];
    snUpperBodyDrawing drawing;
    snError *error;
} Maker;

/* ---- drawing -------------------------------------------------------------------------------- */

static snStatus add_mesh(Maker *k, const char *body, snId parent, v3 centre)
{
    snBoneMesh mesh = {0};
    char name[2 * MAX_WORD];
    snStatus status = sn_upper_body_bone(&k->drawing, body, &mesh, k->error);
    const double origin[3] = {centre.x, centre.y, centre.z};
    for (int32_t i = 0; i < mesh.vertex.count; ++i) /* whole micrometres make short files */
        mesh.vertex.at[i] = rint(1e6 * (mesh.vertex.at[i] - origin[i % 3])) / 1e6;
    if (status == SN_OK && mesh.vertex.count > 0) {
        snNodeDef node = sn_default_node_def();
        (void)snprintf(name, sizeof name, "%s_bone", body);
        node.name = name, node.kind = SN_NODE_MESH, node.parent = parent;
        memcpy(node.color, sn_upper_body_color(body), sizeof node.color);
        node.nvertex = mesh.vertex.count / 3, node.vertex = mesh.vertex.at;
        node.ntriangle = mesh.triangle.count / 3, node.triangle = mesh.triangle.at;
        status = sn_add_node(k->spec, &node, NULL);
    }
    sn_bone_free(&mesh);
    return status;
}

/* ---- the model ------------------------------------------------------------------------------- */

static snStatus add_body(Maker *k, int32_t row)
{
    snFigures *t = &k->table[BONES];
    char name[MAX_WORD];
    double six[6] = {0};
    sn_figures_name(t, row, "body", name, sizeof name);
    v3 centre = sn_figures_v3(t, row, "centre");
    rigid frame = {q_identity(), centre};
    snBodyDef size = sn_default_body_def();
    snId node;
    if (sscanf(sn_figures_text(t, row, "inertia"), "%lf %lf %lf %lf %lf %lf", six, six + 1, six + 2, six + 3, six + 4,
               six + 5) != 6)
        sn_figures_complain(t, row, "inertia is not six numbers");
    memcpy(size.inertia, six, sizeof size.inertia);
    memcpy(size.inertia_products, six + 3, sizeof size.inertia_products);
    bool moving = sn_figures_has(t, row, "parent");
    snStatus status = sn_segment_add_node(k->spec, name, 0, frame, SN_NODE_GROUP, &node);
    if (status == SN_OK)
        status = sn_segment_add_body(k->spec, name, node, frame, sn_figures_v3(t, row, "com"), moving,
                                     sn_figures_number(t, row, "mass"), &size);
    if (status == SN_OK && k->def->meshes) status = add_mesh(k, name, node, centre);
    return status;
}

static snStatus add_coordinate(Maker *k, int32_t row)
{
    snFigures *t = &k->table[COORDINATES];
    snCoordinateDef d = sn_default_coordinate_def();
    bool slides = strcmp(sn_figures_text(t, row, "kind"), "slide") == 0;
    double unit = slides ? 1 : 1 / SN_DEG;
    d.name = sn_figures_text(t, row, "name");
    d.type = slides ? SN_COORDINATE_SLIDE : SN_COORDINATE_TURN;
    d.parent = sn_figures_text(t, row, "parent"), d.body = sn_figures_text(t, row, "child");
    v3_store(d.axis, v3_unit(sn_figures_v3(t, row, "axis")));
    v3_store(d.center, sn_figures_v3(t, row, "centre"));
    d.range[0] = unit * sn_figures_number(t, row, "lower"), d.range[1] = unit * sn_figures_number(t, row, "upper");
    d.stiffness = sn_figures_number(t, row, "stiffness"), d.damping = sn_figures_number(t, row, "damping");
    d.rest = unit * sn_figures_number(t, row, "rest");
    d.stop_stiffness = sn_figures_number(t, row, "stop_stiffness");
    d.stop_damping = sn_figures_number(t, row, "stop_damping");
    d.driven = strcmp(sn_figures_text(t, row, "driven"), "yes") == 0;
    d.yields = strcmp(sn_figures_text(t, row, "driven"), "yields") == 0;
    return sn_add_coordinate(k->spec, &d, NULL);
}

static snStatus add_spring(Maker *k, int32_t row)
{
    snFigures *t = &k->table[SPRINGS];
    snSpringDef d = sn_default_spring_def();
    d.name = sn_figures_text(t, row, "name");
    d.body_a = sn_figures_text(t, row, "body_a"), d.body_b = sn_figures_text(t, row, "body_b");
    v3_store(d.point, sn_figures_v3(t, row, "point"));
    d.stiffness = sn_figures_number(t, row, "k"), d.damping = sn_figures_number(t, row, "c");
    return sn_add_spring(k->spec, &d, NULL);
}

/* Points stand in the order of the muscles; *at is the first that is not used yet. */
static snStatus add_muscle(Maker *k, int32_t row, int32_t *at)
{
    snFigures *t = &k->table[MUSCLES], *p = &k->table[POINTS];
    snLineMuscleDef d = sn_default_line_muscle_def();
    double point[3 * MAX_POINT];
    char bodies[MAX_TEXT] = "", label[2 * MAX_WORD + MAX_TEXT];
    size_t used = 0;
    d.name = sn_figures_text(t, row, "name");
    for (; *at < p->nrow && d.npoint < MAX_POINT && strcmp(sn_figures_text(p, *at, "muscle"), d.name) == 0; ++*at) {
        v3_store(point + 3 * d.npoint, sn_figures_v3(p, *at, "point"));
        int n = snprintf(bodies + used, sizeof bodies - used, "%s%s", used ? " " : "", sn_figures_text(p, *at, "body"));
        if (n < 0 || (size_t)n >= sizeof bodies - used) break;
        used += (size_t)n, ++d.npoint;
    }
    const char *side = strcmp(sn_figures_text(t, row, "side"), "L") == 0 ? "left" : "right";
    (void)snprintf(label, sizeof label, "%s, %s", sn_figures_text(t, row, "muscle"), side);
    d.bodies = bodies, d.point = point, d.label = label, d.part = sn_figures_text(t, row, "part");
    d.max_force = sn_figures_number(t, row, "max_force"), d.pcsa = sn_figures_number(t, row, "pcsa");
    d.fiber_length = sn_figures_number(t, row, "fibre_length");
    d.fiber_neutral = sn_figures_number(t, row, "x_neutral");
    d.slack_length = sn_figures_number(t, row, "slack_length");
    d.passive_scale = sn_figures_number(t, row, "passive");
    d.passive_damping = 0.1 * 0.8 * d.passive_scale; /* a tenth of the scale of the exponential law */
    d.max_velocity = 8, d.effort = sn_figures_number(t, row, "effort");
    d.active_fl = "ramp-active", d.passive_fl = "exponential-passive";
    d.radius = sqrt(d.pcsa * d.fiber_length / (SN_PI * sn_figures_number(t, row, "neutral_length")));
    return sn_add_line_muscle(k->spec, &d, NULL);
}

/* Whether a name fits a pattern with at most one *. */
static bool fits(const char *name, const char *pattern)
{
    const char *star = strchr(pattern, '*');
    if (!star) return strcmp(name, pattern) == 0;
    size_t before = (size_t)(star - pattern), after = strlen(star + 1), n = strlen(name);
    return n >= before + after && strncmp(name, pattern, before) == 0 && strcmp(name + n - after, star + 1) == 0;
}

/* Adds the muscles that fit one "PATTERN LEVEL" to a function; names holds those of all muscles. */
static void add_levels(Maker *k, int32_t row, const char *item, snFunctionDef *d, double *level, char *names)
{
    snFigures *t = &k->table[MUSCLES];
    char pattern[2 * MAX_WORD];
    double of = -1;
    int32_t before = d->nlevel;
    if (sscanf(item, "%63s %lf", pattern, &of) != 2 || !(of >= 0 && of <= 1)) {
        sn_figures_complain(&k->table[FUNCTIONS], row, "levels: expected MUSCLE LEVEL, found \"%.60s\"", item);
        return;
    }
    for (int32_t i = 0; i < t->nrow; ++i) {
        const char *name = sn_figures_text(t, i, "name");
        if (!fits(name, pattern) || d->nlevel == t->nrow) continue;
        if (d->nlevel > 0) strcat(names, " ");
        strcat(names, name);
        level[d->nlevel++] = of;
    }
    if (d->nlevel == before) sn_figures_complain(&k->table[FUNCTIONS], row, "no muscle is called %s", pattern);
}

static snStatus add_function(Maker *k, int32_t row)
{
    snFigures *t = &k->table[FUNCTIONS], *m = &k->table[MUSCLES];
    snFunctionDef d = sn_default_function_def();
    size_t room = 1;
    for (int32_t i = 0; i < m->nrow; ++i) room += strlen(sn_figures_text(m, i, "name")) + 1;
    char *names = SN_NEW_ARRAY(char, room);
    double *level = SN_NEW_ARRAY(double, m->nrow > 0 ? m->nrow : 1);
    snStatus status = names && level ? SN_OK : SN_NO_MEMORY;
    d.name = sn_figures_text(t, row, "function"), d.muscles = names, d.level = level;
    for (const char *at = sn_figures_text(t, row, "levels"); at && *at && status == SN_OK;) {
        add_levels(k, row, at, &d, level, names);
        at = strchr(at, ';');
        if (at) at += strspn(at, "; ");
    }
    if (status == SN_OK && t->error.status == SN_OK) status = sn_add_function(k->spec, &d, NULL);
    sn_free(level);
    sn_free(names);
    return status;
}

static snStatus build(Maker *k)
{
    snModelDef model = sn_default_model_def();
    model.type = SN_MODEL_TREE, model.scene = k->def->scene ? k->def->scene : "body.scene.xml", model.step = 0.007;
    model.method = SN_METHOD_BODY; /* ribs, sternum and hyoid are passive, and muscles pull at them */
    model.views = "Anterior=+x Posterior=-x Right=+z Left=-z Superior=+y";
    snStatus status = sn_set_model(k->spec, &model);
    int32_t point = 0;
    for (int32_t i = 0; i < k->table[BONES].nrow && status == SN_OK; ++i) status = add_body(k, i);
    for (int32_t i = 0; i < k->table[COORDINATES].nrow && status == SN_OK; ++i) status = add_coordinate(k, i);
    for (int32_t i = 0; i < k->table[SPRINGS].nrow && status == SN_OK; ++i) status = add_spring(k, i);
    for (int32_t i = 0; i < k->table[MUSCLES].nrow && status == SN_OK; ++i) status = add_muscle(k, i, &point);
    for (int32_t i = 0; i < k->table[FUNCTIONS].nrow && status == SN_OK; ++i) status = add_function(k, i);
    return status;
}

snUpperBodyDef sn_default_upper_body_def(void)
{
    return (snUpperBodyDef){.tables = "", .meshes = true};
}

snStatus sn_author_upper_body(const snUpperBodyDef *def, snSpec **spec, snError *error)
{
    Maker *k = SN_NEW(Maker);
    if (!k) return sn_fail_no_memory(error);
    k->def = def, k->spec = sn_spec_create(), k->error = error;
    snStatus status = k->spec ? SN_OK : SN_NO_MEMORY;
    for (int i = 0; i < TABLES && status == SN_OK; ++i)
        if ((status = sn_figures_load(&k->table[i], def->tables, table_name[i])) != SN_OK && error)
            *error = k->table[i].error;
    if (status == SN_OK) status = sn_upper_body_drawing_load(&k->drawing, def->tables, error);
    if (status == SN_OK) status = build(k);
    sn_upper_body_drawing_free(&k->drawing);
    for (int i = 0; i < TABLES; ++i) {
        if (status == SN_OK && k->table[i].error.status != SN_OK) {
            status = k->table[i].error.status;
            if (error) *error = k->table[i].error;
        }
        sn_figures_free(&k->table[i]);
    }
    if (status == SN_OK)
        *spec = k->spec;
    else
        sn_spec_destroy(k->spec);
    sn_free(k);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(error) : status;
}
