/* A muscle of a model filled with strands: the model is copied, its input strands become guides that take no part any
 * more, and new strands of one group take their place with their attachments.
 *
 * Of an input come to each of its strands: all attributes but the radius (the muscle's physiological cross-section is
 * shared) and the force (the input's is shared), the place in the hierarchy of the scene, and its constraints to bodies
 * and surfaces. Struts are not copied: they are between particular strands. */
#include "author/autostrands.h"

#include "author/own/strands.h"
#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "math/spline.h"
#include "model/copy.h"
#include "model/nodes.h"

#include <stdio.h>
#include <string.h>

enum { POSITIONS = 96, NAME = 256 };

typedef struct {
    const snSpec *from;
    snSpec *to;
    const snFillDef *def;
    snId mesh_node;
    snMesh mesh; /* world, m */
    int32_t ninput;
    snId *strand; /* ids of the inputs */
    snAutoStrandInput *input;
    double *position; /* ninput x POSITIONS x 3 */
    snAutoStrands *fill;
    double *point; /* control points of the new strands, world, m */
    double radius;
    char *names; /* of the new strands, separated by blanks */
    char group[NAME];
    snError *error;
} Fill;

/* ---- reading the model -------------------------------------------------------------------------- */

/* Copies the next word of a list and moves on; false at the end. */
static bool next_word(const char **at, char word[NAME])
{
    const char *c = *at + strspn(*at, " \t\n");
    size_t length = strcspn(c, " \t\n");
    *at = c + length;
    snprintf(word, NAME, "%.*s", (int)length, c);
    return length > 0;
}

static bool is_input(const Fill *f, const char *name)
{
    for (int32_t i = 0; i < f->ninput; ++i)
        if (strcmp(sn_spec_strand(f->from, f->strand[i])->name, name) == 0) return true;
    return false;
}

static snStatus read_mesh(Fill *f)
{
    const char *name = f->def->mesh ? f->def->mesh : "";
    f->mesh_node = sn_spec_find(f->from, SN_KIND_NODE, name);
    if (!f->mesh_node || sn_spec_node(f->from, f->mesh_node)->kind != SN_NODE_MESH) {
        sn_fail(f->error, SN_BAD_INPUT, "the scene has no mesh \"%.100s\"", name);
        sn_error_remedy(f->error, "name a mesh node of the scene");
        return SN_BAD_INPUT;
    }
    const snNodeDef *node = sn_spec_node(f->from, f->mesh_node);
    affine world = sn_node_world(f->from, f->mesh_node);
    f->mesh.nvertex = node->nvertex, f->mesh.ntriangle = node->ntriangle;
    f->mesh.vertex = SN_NEW_ARRAY(double, 3 * (size_t)node->nvertex);
    f->mesh.triangle = SN_NEW_ARRAY(int32_t, 3 * (size_t)node->ntriangle);
    if (!f->mesh.vertex || !f->mesh.triangle) return sn_fail_no_memory(f->error);
    for (int32_t v = 0; v < node->nvertex; ++v)
        v3_store(f->mesh.vertex + 3 * v, affine_apply(&world, v3_load(node->vertex + 3 * v)));
    bool mirrored = m3_det(&world.a) < 0; /* then outside must be put outside again */
    for (int32_t t = 0; t < node->ntriangle; ++t)
        for (int c = 0; c < 3; ++c) f->mesh.triangle[3 * t + c] = node->triangle[3 * t + (mirrored && c ? 3 - c : c)];
    return SN_OK;
}

/* Positions along the curve of a strand, world, m. */
static snStatus read_curve(Fill *f, snId strand, double *position)
{
    snId id = sn_strand_node(f->from, strand);
    const snNodeDef *node = id ? sn_spec_node(f->from, id) : NULL;
    if (!node || node->kind != SN_NODE_CURVE || node->npoint < 4 || node->closed) {
        sn_fail(f->error, SN_BAD_INPUT, "the strand has no open curve of at least 4 control points");
        sn_error_element(f->error, "strand", sn_spec_strand(f->from, strand)->name);
        return SN_BAD_INPUT;
    }
    int32_t n = node->npoint, span = 0;
    double *knot = SN_NEW_ARRAY(double, n + 4);
    if (!knot) return sn_fail_no_memory(f->error);
    if (node->nknot == n + 4)
        memcpy(knot, node->knot, (size_t)node->nknot * sizeof(double));
    else
        spline_clamped_knots(knot, n);
    affine world = sn_node_world(f->from, id);
    for (int32_t i = 0; i < POSITIONS; ++i) {
        double b[4], s = knot[3] + (knot[n] - knot[3]) * i / (POSITIONS - 1.0), sum = 0;
        span = spline_basis(knot, n, s, span, b, NULL, NULL);
        v3 p = {0, 0, 0};
        for (int j = 0; j < 4; ++j) {
            double w = b[j] * (node->nweight ? node->weight[span + j] : 1);
            p = v3_mad(p, w, v3_load(node->point + 3 * (span + j))), sum += w;
        }
        v3_store(position + 3 * i, affine_apply(&world, v3_scale(p, 1 / sum)));
    }
    sn_free(knot);
    return SN_OK;
}

static snStatus read_inputs(Fill *f)
{
    char word[NAME];
    int32_t n = 0;
    for (const char *at = f->def->strands ? f->def->strands : ""; next_word(&at, word);) ++n;
    f->strand = SN_NEW_ARRAY(snId, n), f->input = SN_NEW_ARRAY(snAutoStrandInput, n);
    f->position = SN_NEW_ARRAY(double, 3 * POSITIONS * (size_t)n);
    if (!f->strand || !f->input || !f->position) return sn_fail_no_memory(f->error);
    for (const char *at = f->def->strands ? f->def->strands : ""; next_word(&at, word);) {
        snId id = sn_spec_find(f->from, SN_KIND_STRAND, word);
        if (!id || is_input(f, word)) {
            sn_fail(f->error, SN_BAD_INPUT,
                    id ? "strand \"%.100s\" is named twice" : "the model has no strand \"%.100s\"", word);
            sn_error_remedy(f->error, "name strands of the model that run through the mesh, each once");
            return SN_BAD_INPUT;
        }
        double *position = f->position + 3 * POSITIONS * (size_t)f->ninput;
        snStatus status = read_curve(f, id, position);
        if (status != SN_OK) return status;
        f->input[f->ninput] = (snAutoStrandInput){sn_spec_strand(f->from, id)->name, POSITIONS, position};
        f->strand[f->ninput++] = id;
    }
    return SN_OK;
}

/* ---- filling ------------------------------------------------------------------------------------ */

static snStatus relax_watched(Fill *f, int32_t *steps)
{
    double moved = INFINITY;
    snFillAnswer answer;
    for (*steps = 0; (answer = f->def->watch(f->def->watch_user, f->fill, *steps, moved)) == SN_FILL_STEP; ++*steps)
        moved = sn_autostrands_step(f->fill);
    return answer == SN_FILL_FINISH ? SN_OK : SN_CANCELLED;
}

static snStatus relax(Fill *f, snProgress progress, snFillReport *report)
{
    snAutoStrandsDef def = f->def->fill;
    def.mesh = &f->mesh, def.ninput = f->ninput, def.input = f->input;
    snStatus status = sn_autostrands_create(&def, &f->fill, f->error);
    if (status != SN_OK) return status;
    status = f->def->watch ? relax_watched(f, &report->steps)
                           : sn_autostrands_run(f->fill, f->def->steps, progress, &report->steps);
    if (status != SN_OK) return sn_fail(f->error, status, "stopped after %d steps", (int)report->steps);
    report->converged = report->steps > 0 && f->fill->moved <= SN_AUTOSTRANDS_CONVERGED;
    int32_t n = sn_autostrands_view(f->fill).count, per = sn_autostrands_view(f->fill).control_points;
    f->point = SN_NEW_ARRAY(double, 3 * (size_t)n * (size_t)per);
    if (!f->point) return sn_fail_no_memory(f->error);
    status = sn_autostrands_finish(f->fill, f->point, f->error);
    if (status == SN_OK) status = sn_autostrands_quality(f->fill, &report->quality, f->error);
    if (status == SN_OK)
        status = sn_measure_muscle(&f->mesh, n, f->fill->samples, sn_autostrands_view(f->fill).point, &report->muscle,
                                   f->error);
    report->strands = n;
    f->radius = sqrt(report->muscle.cross_section / n / SN_PI);
    return status;
}

/* ---- the new model ------------------------------------------------------------------------------ */

/* The list without the inputs, in new memory; NULL when out of memory. */
static char *without_inputs(const Fill *f, const char *list)
{
    char word[NAME], *kept = SN_NEW_ARRAY(char, strlen(list) + 2);
    for (const char *at = list; kept && next_word(&at, word);)
        if (!is_input(f, word)) strcat(strcat(kept, *kept ? " " : ""), word);
    return kept;
}

/* A group that had inputs goes on without them; one that had nothing else ends. */
static snStatus copy_group(Fill *f, const snGroupDef *from)
{
    snGroupDef def = *from;
    char *kept = without_inputs(f, def.strands ? def.strands : "");
    if (!kept) return SN_NO_MEMORY;
    def.strands = kept;
    snStatus status = *kept ? sn_add_group(f->to, &def, NULL) : SN_OK;
    sn_free(kept);
    return status;
}

/* A function that activates the input activates the group instead. */
static snStatus copy_function(Fill *f, const snFunctionDef *from)
{
    snFunctionDef def = *from;
    char word[NAME];
    const char *list = def.muscles ? def.muscles : "";
    size_t room = strlen(list) + 2 + (strlen(f->group) + 1) * (size_t)f->ninput;
    char *muscles = SN_NEW_ARRAY(char, room);
    if (!muscles) return SN_NO_MEMORY;
    for (const char *at = list; next_word(&at, word);) {
        if (*muscles) strcat(muscles, " ");
        strcat(muscles, is_input(f, word) ? f->group : word);
    }
    def.muscles = muscles;
    snStatus status = sn_add_function(f->to, &def, NULL);
    sn_free(muscles);
    return status;
}

static snStatus copy_strand(Fill *f, snId id)
{
    snStrandDef def = *sn_spec_strand(f->from, id);
    if (is_input(f, def.name)) def.enabled = false;
    return sn_add_strand(f->to, &def, NULL);
}

static snStatus copy_constraint(Fill *f, snId id)
{
    snConstraintDef def = *sn_spec_constraint(f->from, id);
    if (is_input(f, def.strand) || (def.attachment && is_input(f, def.attachment))) def.enabled = false;
    return sn_add_constraint(f->to, &def, NULL);
}

static snStatus copy_one(void *user, snKind kind, snId id)
{
    Fill *f = user;
    switch (kind) {
    case SN_KIND_STRAND:
        return copy_strand(f, id);
    case SN_KIND_GROUP:
        return copy_group(f, sn_spec_group(f->from, id));
    case SN_KIND_CONSTRAINT:
        return copy_constraint(f, id);
    case SN_KIND_FUNCTION:
        return copy_function(f, sn_spec_function(f->from, id));
    default:
        return sn_copy_element(f->from, f->to, kind, id);
    }
}

static snStatus copy_model(Fill *f)
{
    snStatus status = sn_set_scene(f->to, sn_spec_scene(f->from));
    snModelDef model = *sn_spec_model(f->from);
    model.scene = ""; /* a file of its own: the input's scene is not written over */
    if (status == SN_OK) status = sn_set_model(f->to, &model);
    if (status == SN_OK) status = sn_copy_elements(f->from, copy_one, f);
    return status;
}

static m3 inverse(const m3 *a)
{
    v3 r[3] = {v3_load(a->m), v3_load(a->m + 3), v3_load(a->m + 6)};
    m3 columns = m3_columns(v3_cross(r[1], r[2]), v3_cross(r[2], r[0]), v3_cross(r[0], r[1]));
    double det = m3_det(a);
    for (int i = 0; i < 9; ++i) columns.m[i] /= det;
    return columns;
}

/* The curve of a new strand, beside its input's in the scene. */
static snStatus add_curve(Fill *f, int32_t strand, const char *name)
{
    int32_t n = sn_autostrands_view(f->fill).control_points;
    snId beside = sn_strand_node(f->from, f->strand[sn_autostrands_view(f->fill).input[strand]]);
    snNodeDef node = *sn_spec_node(f->from, beside);
    affine world = sn_node_world(f->from, beside);
    m3 back = inverse(&world.a);
    double *point = f->point + 3 * (size_t)strand * (size_t)n;
    for (int32_t i = 0; i < n; ++i) v3_store(point + 3 * i, m3_mulv(&back, v3_sub(v3_load(point + 3 * i), world.t)));
    node.name = name, node.npoint = n, node.point = point;
    node.degree = 3, node.nknot = node.nweight = 0, node.knot = node.weight = NULL;
    return sn_add_node(f->to, &node, NULL);
}

static snStatus add_constraints(Fill *f, const char *input, const char *name)
{
    snStatus status = SN_OK;
    for (snId id = 1; id <= sn_spec_count(f->from, SN_KIND_CONSTRAINT) && status == SN_OK; ++id) {
        snConstraintDef def = *sn_spec_constraint(f->from, id);
        if (strcmp(def.strand, input) != 0 || def.type == SN_CONSTRAINT_STRUT) continue;
        if (def.type == SN_CONSTRAINT_FIXED && sn_spec_find(f->from, SN_KIND_STRAND, def.attachment)) continue;
        char own[2 * NAME];
        if (def.name && *def.name) snprintf(own, sizeof own, "%.200s.%.200s", name, def.name), def.name = own;
        def.strand = name;
        status = sn_add_constraint(f->to, &def, NULL);
    }
    return status;
}

static snStatus add_strand(Fill *f, int32_t strand)
{
    int32_t input = sn_autostrands_view(f->fill).input[strand], of_input = 0;
    for (int32_t s = 0; s < sn_autostrands_view(f->fill).count; ++s)
        of_input += sn_autostrands_view(f->fill).input[s] == input;
    snStrandDef def = *sn_spec_strand(f->from, f->strand[input]);
    const char *from = def.name;
    char name[NAME + 16];
    snprintf(name, sizeof name, "%s_%d", f->group, (int)strand + 1);
    if (sn_spec_find(f->from, SN_KIND_STRAND, name) || sn_spec_find(f->from, SN_KIND_NODE, name)) {
        sn_fail(f->error, SN_BAD_INPUT, "the model has a \"%.100s\" already", name);
        sn_error_remedy(f->error, "choose another name for the group");
        return SN_BAD_INPUT;
    }
    strcat(strcat(f->names, *f->names ? " " : ""), name);
    def.name = name, def.node = "", def.enabled = true, def.npoint = 0, def.point = NULL;
    def.radius = f->radius, def.max_force /= of_input;
    snStatus status = add_curve(f, strand, name);
    if (status == SN_OK) status = sn_add_strand(f->to, &def, NULL);
    return status == SN_OK ? add_constraints(f, from, name) : status;
}

static snStatus add_group(Fill *f)
{
    int32_t n = sn_autostrands_view(f->fill).count;
    snStatus status = SN_OK;
    f->names = SN_NEW_ARRAY(char, (size_t)n *(strlen(f->group) + 16) + 1);
    if (!f->names) return SN_NO_MEMORY;
    for (int32_t s = 0; s < n && status == SN_OK; ++s) status = add_strand(f, s);
    snGroupDef def = sn_default_group_def();
    def.name = f->group, def.type = f->def->type, def.strands = f->names;
    def.preserve = f->def->preserve, def.struts = f->def->struts;
    return status == SN_OK ? sn_add_group(f->to, &def, NULL) : status;
}

/* The group's name must be free, unless the group of that name has only inputs and ends. */
static snStatus check_group(Fill *f)
{
    const char *name = f->def->group && *f->def->group ? f->def->group : f->def->mesh;
    snprintf(f->group, sizeof f->group, "%.200s", name);
    snId taken = sn_spec_find(f->from, SN_KIND_GROUP, f->group);
    char *rest = taken ? without_inputs(f, sn_spec_group(f->from, taken)->strands) : NULL;
    bool clash = (rest && *rest) || sn_spec_find(f->from, SN_KIND_STRAND, f->group);
    sn_free(rest);
    if (!clash && !strpbrk(f->group, " \t\n")) return SN_OK;
    sn_fail(f->error, SN_BAD_INPUT, "\"%.100s\" cannot be the name of the new group: %s", f->group,
            clash ? "the model has a strand or group of that name" : "it has blanks");
    sn_error_remedy(f->error, "choose another name for the group");
    return SN_BAD_INPUT;
}

/* Several inputs cannot stand for one group in a function: their levels may differ. */
static snStatus check_functions(Fill *f)
{
    for (snId id = 1; f->ninput > 1 && id <= sn_spec_count(f->from, SN_KIND_FUNCTION); ++id) {
        const snFunctionDef *function = sn_spec_function(f->from, id);
        char word[NAME];
        for (const char *at = function->muscles ? function->muscles : ""; next_word(&at, word);) {
            if (!is_input(f, word)) continue;
            sn_fail(f->error, SN_BAD_INPUT, "function \"%.60s\" activates strand \"%.60s\", one of %d inputs",
                    function->name, word, (int)f->ninput);
            sn_error_remedy(f->error, "fill from one strand at a time, or let the function name a group");
            return SN_BAD_INPUT;
        }
    }
    return SN_OK;
}

snStatus sn_fill_muscle(const snSpec *spec, const snFillDef *def, snProgress progress, snSpec **filled,
                        snFillReport *report, snError *error)
{
    if (!def) return sn_fail_argument(error, "sn_fill_muscle without def");
    snFillDef taken = sn_default_fill_def();
    if (SN_TAKE_DEF(def, snFillDef, taken, error)) return SN_BAD_ARGUMENT;
    snFillReport done = {0};
    Fill f = {.from = spec, .def = def, .error = error};
    snStatus status = read_mesh(&f);
    if (status == SN_OK) status = read_inputs(&f);
    if (status == SN_OK) status = check_group(&f);
    if (status == SN_OK) status = check_functions(&f);
    if (status == SN_OK) status = relax(&f, progress, &done);
    if (status == SN_OK && !(f.to = sn_spec_create())) status = SN_NO_MEMORY;
    if (status == SN_OK) status = copy_model(&f);
    if (status == SN_OK) status = add_group(&f);
    if (status == SN_OK) {
        *filled = f.to, f.to = NULL;
        if (report) *report = done;
    } else if (status == SN_NO_MEMORY) {
        sn_fail_no_memory(error);
    }
    sn_spec_destroy(f.to);
    sn_autostrands_destroy(f.fill);
    void *block[] = {f.mesh.vertex, f.mesh.triangle, f.strand, f.input, f.position, f.point, f.names};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    return status;
}
