/* The upper body from its tables: bodies, coordinates, springs and line muscles on a tree. Bones are drawn from the
 * landmarks of the survey: vertebrae as a body with its processes, ribs on their curves, the rest as tubes and lumps.
 */
#include "common/bone.h"
#include "common/segment.h"
#include "author/table.h"
#include "upper_body/upper_body.h"
#include "sinew/author.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BONES, COORDINATES, SPRINGS, MUSCLES, POINTS, SHAPES, LANDMARKS, VERTEBRAE, PROCESSES, RIBS, TABLES };
enum { MAX_WORD = 32, MAX_POINT = 16, MAX_TEXT = 400, AROUND = 12 };

static const char *const table_name[TABLES] = {"bones.tsv",
                                               "coordinates.tsv",
                                               "springs.tsv",
                                               "muscles.tsv",
                                               "points.tsv",
                                               "shapes.tsv",
                                               "survey/bone_landmarks.tsv",
                                               "survey/vertebra_dimensions.tsv",
                                               "survey/vertebra_landmarks.tsv",
                                               "survey/rib_geometry.tsv"};
static const v3 atlas_half = {0.006, 0.006, 0.02}; /* m: estimate */
static const double bone_color[3] = {0.91, 0.87, 0.77};

typedef struct Maker {
    const snUpperBodyDef *def;
    snSpec *spec;
    snFigures table[TABLES];
    snError *error;
} Maker;

/* ---- drawing -------------------------------------------------------------------------------- */

static const char *text_of(Maker *k, int table, int32_t row, const char *column)
{
    return sn_figures_text(&k->table[table], row, column);
}

static double number_of(Maker *k, int table, int32_t row, const char *column)
{
    return sn_figures_number(&k->table[table], row, column);
}

static v3 place_of(Maker *k, int table, int32_t row)
{
    return v3_of(number_of(k, table, row, "x"), number_of(k, table, row, "y"), number_of(k, table, row, "z"));
}

static v3 mirrored(v3 p, bool left)
{
    return left ? v3_of(p.x, p.y, -p.z) : p;
}

/* A tube through points of the world; vertices are left in the world. */
static bool add_tube(snBoneMesh *mesh, const v3 *at, int32_t n, double half_side, double half_out)
{
    v3 out[MAX_POINT], middle = v3_sub(at[n - 1], at[0]), side = v3_perp(v3_unit(middle));
    for (int32_t i = 0; i < n; ++i) out[i] = side;
    return sn_bone_sweep(mesh, at, out, n, half_side, half_out, AROUND);
}

static bool find_landmark(Maker *k, const char *body, const char *name, size_t length, v3 *at)
{
    for (int32_t i = 0; i < k->table[LANDMARKS].nrow; ++i) {
        const char *word = text_of(k, LANDMARKS, i, "landmark");
        if (strcmp(text_of(k, LANDMARKS, i, "body"), body) != 0 || strlen(word) != length ||
            strncmp(word, name, length) != 0)
            continue;
        *at = place_of(k, LANDMARKS, i);
        return true;
    }
    return false;
}

/* Points of a row of shapes.tsv. */
static int32_t row_points(Maker *k, int32_t row, v3 at[MAX_POINT])
{
    int32_t n = 0;
    const char *word = text_of(k, SHAPES, row, "landmarks"), *body = text_of(k, SHAPES, row, "body");
    while (n < MAX_POINT && *(word += strspn(word, " "))) {
        size_t length = strcspn(word, " ");
        if (!find_landmark(k, body, word, length, &at[n])) {
            sn_figures_complain(&k->table[SHAPES], row, "%s has no landmark \"%.*s\"", body, (int)length, word);
            return 0;
        }
        ++n, word += length;
    }
    return n;
}

/* One row on one side: both sides of a bone in the middle where it stands beside it. */
static bool draw_row(Maker *k, int32_t row, bool left, snBoneMesh *mesh)
{
    v3 at[MAX_POINT];
    int32_t n = row_points(k, row, at);
    double side = number_of(k, SHAPES, row, "half_side"), out = number_of(k, SHAPES, row, "half_out");
    if (n < 2) return true;
    for (int32_t i = 0; i < n; ++i) at[i] = mirrored(at[i], left);
    if (strcmp(text_of(k, SHAPES, row, "kind"), "tube") == 0) return add_tube(mesh, at, n, side, out);
    v3 along = v3_sub(at[1], at[0]);
    v3 x = v3_unit(along), y = v3_unit(v3_cross(v3_of(0, 0, 1), x));
    m3 axes = m3_columns(x, y, v3_cross(x, y));
    return sn_bone_lump(mesh, (rigid){q_from_m3(&axes), v3_lerp(at[0], at[1], 0.5)},
                        v3_of(v3_len(along) / 2, out, side), 2.2, 0);
}

static bool draw_shapes(Maker *k, const char *body, snBoneMesh *mesh)
{
    char right[MAX_WORD];
    size_t n = strlen(body);
    bool left = n > 2 && strcmp(body + n - 2, "_L") == 0, paired = left || (n > 2 && strcmp(body + n - 2, "_R") == 0);
    (void)snprintf(right, sizeof right, "%s", body);
    if (left) right[n - 1] = 'R';
    for (int32_t i = 0; i < k->table[SHAPES].nrow; ++i) {
        if (strcmp(text_of(k, SHAPES, i, "body"), right) != 0) continue;
        if (!draw_row(k, i, left, mesh)) return false;
        v3 at[MAX_POINT];
        bool beside = !paired && row_points(k, i, at) > 0 && fabs(at[0].z) > 1e-4;
        if (beside && !draw_row(k, i, true, mesh)) return false;
    }
    return true;
}

/* Body of the vertebra, spinous and transverse processes. */
static bool draw_vertebra(Maker *k, const char *body, snBoneMesh *mesh)
{
    snFigures *t = &k->table[VERTEBRAE];
    for (int32_t i = 0; i < t->nrow; ++i) {
        if (strcmp(sn_figures_text(t, i, "vertebra"), body) != 0) continue;
        v3 centre = v3_of(sn_figures_number(t, i, "x"), sn_figures_number(t, i, "y"), 0);
        quat tilt = q_axis_angle(v3_of(0, 0, -1), sn_figures_number(t, i, "tilt_deg") * SN_DEG);
        v3 half = atlas_half; /* the atlas has no body */
        if (sn_figures_has(t, i, "EPWu_mm"))
            half = v3_scale(v3_of(sn_figures_number(t, i, "EPDu_mm"), sn_figures_number(t, i, "body_h_mm"),
                                  sn_figures_number(t, i, "EPWu_mm")),
                            0.5e-3);
        if (!sn_bone_lump(mesh, (rigid){tilt, centre}, half, 3, 0)) return false;
        v3 back = v3_add(centre, q_rotate(tilt, v3_of(-half.x, 0, 0)));
        for (int32_t p = 0; p < k->table[PROCESSES].nrow; ++p) {
            const char *mark = text_of(k, PROCESSES, p, "landmark");
            bool spine = strcmp(mark, "SP") == 0;
            if (strcmp(text_of(k, PROCESSES, p, "vertebra"), body) != 0 || (!spine && strcmp(mark, "TP") != 0))
                continue;
            v3 at[2] = {back, place_of(k, PROCESSES, p)};
            if (v3_dist(at[0], at[1]) > 1e-3 && !add_tube(mesh, at, 2, 0.0035, 0.0045)) return false;
        }
    }
    return true;
}

/* rib3_L and the like: the curve of the table, mirrored where it is a left one. */
static bool draw_rib(Maker *k, const char *body, snBoneMesh *mesh)
{
    int number;
    char side;
    if (sscanf(body, "rib%d_%c", &number, &side) != 2) return true;
    for (int32_t i = 0; i < k->table[RIBS].nrow; ++i) {
        if ((int)number_of(k, RIBS, i, "rib") != number) continue;
        v3 at[MAX_POINT], p;
        int32_t n = 0;
        for (const char *c = text_of(k, RIBS, i, "curve");
             n < MAX_POINT && sscanf(c, "%lf,%lf,%lf", &p.x, &p.y, &p.z) == 3;) {
            at[n++] = mirrored(p, side == 'L');
            if (!(c = strchr(c, ';'))) break;
            ++c;
        }
        return n < 2 || add_tube(mesh, at, n, 0.006, 0.0035);
    }
    return true;
}

/* Cartilage from its joint to the springs that hold its ribs. */
static bool draw_cartilage(Maker *k, const char *body, v3 joint, snBoneMesh *mesh)
{
    for (int32_t i = 0; i < k->table[SPRINGS].nrow; ++i) {
        if (strcmp(text_of(k, SPRINGS, i, "body_b"), body) != 0 || strcmp(body, "sternum") == 0) continue;
        v3 at[2] = {joint, sn_figures_v3(&k->table[SPRINGS], i, "point")};
        if (!add_tube(mesh, at, 2, 0.0055, 0.004)) return false;
    }
    return true;
}

static snStatus add_mesh(Maker *k, const char *body, snId parent, v3 centre)
{
    snBoneMesh mesh = {0};
    char name[2 * MAX_WORD];
    snStatus status = draw_vertebra(k, body, &mesh) && draw_rib(k, body, &mesh) &&
                              draw_cartilage(k, body, centre, &mesh) && draw_shapes(k, body, &mesh)
                          ? SN_OK
                          : SN_NO_MEMORY;
    for (int32_t i = 0; i < mesh.vertex.count; i += 3)
        v3_store(mesh.vertex.at + i, v3_sub(v3_load(mesh.vertex.at + i), centre));
    if (status == SN_OK && mesh.vertex.count > 0) {
        snNodeDef node = sn_default_node_def();
        (void)snprintf(name, sizeof name, "%s_bone", body);
        node.name = name, node.kind = SN_NODE_MESH, node.parent = parent;
        memcpy(node.color, bone_color, sizeof node.color);
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
    d.passive_scale = 1, d.passive_damping = 0.1 * 0.8; /* a tenth of the scale of the exponential law */
    d.max_velocity = 8;
    d.active_fl = "ramp-active", d.passive_fl = "exponential-passive";
    d.radius = sqrt(d.pcsa * d.fiber_length / (SN_PI * sn_figures_number(t, row, "neutral_length")));
    return sn_add_line_muscle(k->spec, &d, NULL);
}

static snStatus build(Maker *k)
{
    snModelDef model = sn_default_model_def();
    model.type = SN_MODEL_TREE, model.scene = k->def->scene ? k->def->scene : "body.scene.xml", model.step = 0.007;
    model.views = "Anterior=+x Posterior=-x Right=+z Left=-z Superior=+y";
    snStatus status = sn_set_model(k->spec, &model);
    int32_t point = 0;
    for (int32_t i = 0; i < k->table[BONES].nrow && status == SN_OK; ++i) status = add_body(k, i);
    for (int32_t i = 0; i < k->table[COORDINATES].nrow && status == SN_OK; ++i) status = add_coordinate(k, i);
    for (int32_t i = 0; i < k->table[SPRINGS].nrow && status == SN_OK; ++i) status = add_spring(k, i);
    for (int32_t i = 0; i < k->table[MUSCLES].nrow && status == SN_OK; ++i) status = add_muscle(k, i, &point);
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
    if (status == SN_OK) status = build(k);
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
