/* The clinical hand: bones, joints and paths of the shipped hand on a tree, as units of one activation each.
 *
 * The forearm is fixed, so that what lies on humerus, ulna or radius is fixed too. Paths are straight between eyelets;
 * the knuckles' tubes are cylinders here. */
#include "clinical/clinical_hand.h"

#include "author/table.h"

#include "base/alloc.h"
#include "base/error.h"
#include "hand/hand.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LAW = 32, MAX_TEXT = 400, DIGITS = 16, TABLES = 6 };

typedef struct Maker {
    const snHand *hand;
    const snClinicalHandDef *def;
    snSpec *spec;
    snFigures units, nerves, joints, donors, laws, arms;
    snError *error;
} Maker;

/* ---- tables --------------------------------------------------------------------------------- */

static int32_t row_of(snFigures *table, const char *column, const char *name)
{
    for (int32_t i = 0; i < table->nrow; ++i)
        if (strcmp(sn_figures_text(table, i, column), name) == 0) return i;
    return -1;
}

static snStatus load(Maker *k)
{
    snFigures *table[] = {&k->units, &k->nerves, &k->joints, &k->donors, &k->laws, &k->arms};
    static const char *const name[] = {"units.tsv", "nerves.tsv", "joints.tsv", "donors.tsv", "laws.tsv", "arms.tsv"};
    for (int i = 0; i < TABLES; ++i)
        if (sn_figures_load(table[i], k->def->tables, name[i]) != SN_OK) {
            if (k->error) *k->error = table[i]->error;
            return table[i]->error.status;
        }
    return SN_OK;
}

/* The first complaint of any table. */
static snStatus finish(Maker *k, snStatus status)
{
    snFigures *table[] = {&k->units, &k->nerves, &k->joints, &k->donors, &k->laws, &k->arms};
    for (int i = 0; i < TABLES; ++i) {
        if (status == SN_OK && table[i]->error.status != SN_OK) {
            status = table[i]->error.status;
            if (k->error) *k->error = table[i]->error;
        }
        sn_figures_free(table[i]);
    }
    return status == SN_NO_MEMORY ? sn_fail_no_memory(k->error) : status;
}

/* ---- bones ---------------------------------------------------------------------------------- */

static bool is_forearm(const char *body)
{
    return strcmp(body, "humerus") == 0 || strcmp(body, "ulna") == 0 || strcmp(body, "radius") == 0;
}

/* Nodes of the strand hand without the upper arm, joints and surfaces. */
static snStatus copy_nodes(const snSpec *from, snSpec *to)
{
    int32_t n = sn_spec_count(from, SN_KIND_NODE);
    snId *moved = SN_NEW_ARRAY(snId, n + 1);
    snStatus status = moved ? SN_OK : SN_NO_MEMORY;
    for (snId id = 1; id <= n && status == SN_OK; ++id) {
        snNodeDef node = *sn_spec_node(from, id);
        bool part = node.kind == SN_NODE_SURFACE || sn_spec_find(from, SN_KIND_JOINT, node.name);
        if (part || strcmp(node.name, "humerus") == 0 || (node.parent && !moved[node.parent])) continue;
        node.parent = node.parent ? moved[node.parent] : 0;
        status = sn_add_node(to, &node, &moved[id]);
    }
    sn_free(moved);
    return status;
}

static snStatus add_bones(Maker *k)
{
    snHandDef def = sn_default_hand_def();
    snSpec *all = sn_spec_create();
    def.meshes = k->def->meshes, def.tables = k->def->hand_tables;
    snStatus status = all ? sn_hand_add_bones(k->hand, &def, all, k->error) : SN_NO_MEMORY;
    if (status == SN_OK) status = sn_set_scene(k->spec, sn_spec_scene(all));
    if (status == SN_OK) status = copy_nodes(all, k->spec);
    for (snId id = 1; all && id <= sn_spec_count(all, SN_KIND_BODY) && status == SN_OK; ++id) {
        snBodyDef body = *sn_spec_body(all, id);
        if (strcmp(body.name, "humerus") == 0) continue;
        body.pinned = is_forearm(body.name);
        status = sn_add_body(k->spec, &body, NULL);
    }
    sn_spec_destroy(all);
    return status;
}

/* ---- coordinates ---------------------------------------------------------------------------- */

/* mcp2 flexion is "index finger MCP flexion". */
static const char *label_of(const char *joint, const char *motion, char text[64])
{
    static const char *const digit[] = {"thumb", "index finger", "middle finger", "ring finger", "little finger"};
    size_t n = strcspn(joint, "12345");
    char kind[DIGITS] = "";
    for (size_t i = 0; i < n && i + 1 < sizeof kind; ++i) kind[i] = (char)toupper((unsigned char)joint[i]);
    if (joint[n])
        (void)snprintf(text, 64, "%s %s %s", digit[joint[n] - '1'], kind, motion);
    else
        (void)snprintf(text, 64, "%s %s", joint, motion);
    return text;
}

/* What joints.tsv of this hand says beyond that of the strand hand. */
static void refine(Maker *k, snCoordinateDef *d)
{
    snFigures *t = &k->joints;
    int32_t row = row_of(t, "coordinate", d->name);
    if (row < 0) return;
    if (sn_figures_has(t, row, "axis")) v3_store(d->axis, sn_figures_v3(t, row, "axis"));
    if (sn_figures_has(t, row, "center")) v3_store(d->center, sn_figures_v3(t, row, "center"));
    if (sn_figures_has(t, row, "lower")) d->range[0] = sn_figures_number(t, row, "lower");
    if (sn_figures_has(t, row, "upper")) d->range[1] = sn_figures_number(t, row, "upper");
    if (sn_figures_has(t, row, "stiffness")) d->stiffness = sn_figures_number(t, row, "stiffness");
    if (sn_figures_has(t, row, "damping")) d->damping = sn_figures_number(t, row, "damping");
    if (sn_figures_has(t, row, "rest")) d->rest = sn_figures_number(t, row, "rest");
    d->stop_stiffness = sn_figures_number(t, row, "stop");
    d->compression = sn_figures_number(t, row, "compression");
    d->tolerance = sn_figures_number(t, row, "tolerance");
    d->driven = sn_figures_number(t, row, "driven") > 0;
}

/* dof 0 and 1 from the strand hand's joint; 2: only what joints.tsv of this hand says. */
static snStatus add_coordinate(Maker *k, const snHandJoint *j, int32_t dof)
{
    static const char *const second = "deviation", *const thumb = "abduction";
    bool cmc = strncmp(j->name, "cmc", 3) == 0;
    const char *motion = dof == 0 ? "flexion" : dof == 2 ? "axial" : cmc ? thumb : second;
    char name[64], label[64];
    (void)snprintf(name, sizeof name, "%s.%s", j->name, motion);
    snCoordinateDef d = sn_default_coordinate_def();
    d.name = name;
    d.label = label_of(j->name, motion, label);
    d.parent = k->hand->bone.at[j->parent].name;
    d.body = k->hand->bone.at[j->child].name;
    v3_store(d.center, j->center);
    if (dof < 2) {
        v3_store(d.axis, v3_unit(j->axis[dof]));
        d.range[0] = j->lower[dof], d.range[1] = j->upper[dof];
        d.stiffness = j->stiffness[dof], d.damping = j->damping[dof];
    }
    refine(k, &d);
    return sn_add_coordinate(k->spec, &d, NULL);
}

static snStatus add_coordinates(Maker *k)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < k->hand->joint.count && status == SN_OK; ++i) {
        const snHandJoint *j = &k->hand->joint.at[i];
        bool axial = strcmp(j->name, "cmc1") == 0;
        if (is_forearm(k->hand->bone.at[j->child].name)) continue;
        for (int32_t dof = 0; dof < j->dofs + axial && status == SN_OK; ++dof) status = add_coordinate(k, j, dof);
    }
    return status;
}

/* ---- muscles -------------------------------------------------------------------------------- */

static int32_t muscle_called(const snHand *hand, const char *name)
{
    for (int32_t i = 0; i < hand->muscle.count; ++i)
        if (strcmp(hand->muscle.at[i].name, name) == 0) return i;
    return -1;
}

/* Fibres as in the strand hand: passive force begins where single joints in the middle four fifths of their range
 * stretch them to, or most of what they do together, and never below the optimal length. */
static void set_fibers(const snHand *hand, int32_t muscle, snLineMuscleDef *d)
{
    const snHandMuscle *m = &hand->muscle.at[muscle];
    double least[SN_HAND_MAX_PATH], most[SN_HAND_MAX_PATH], together[SN_HAND_MAX_PATH], from_end[SN_HAND_MAX_PATH];
    double q[SN_HAND_MAX_COORDINATE] = {0}, optimal = m->fiber_length * cos(m->pennation), neutral = m->fiber_neutral;
    rigid motion[SN_HAND_MAX_BODY];
    sn_hand_pose(hand, q, motion);
    double length = sn_hand_path_length(hand, motion, muscle, from_end);
    if (length - neutral * optimal < 0.008) neutral = length / optimal; /* no room for a tendon */
    sn_hand_excursion(hand, muscle, 0.8, false, least, most);
    sn_hand_excursion(hand, muscle, 0.8, true, least, together);
    double longest = fmax(most[0] - from_end[0], 0.7 * (together[0] - from_end[0]));
    d->fiber_neutral = neutral;
    d->passive_rest = fmax(fmax(neutral + longest / optimal, 1.02 * neutral), 1);
}

/* A cylinder as wide as the strand hand's tube and the tendon on it. */
static snStatus add_wrap(Maker *k, const snHandSurface *s, const snHandMuscle *m, const char *name)
{
    snNodeDef node = sn_default_node_def();
    const snHandBone *bone = &k->hand->bone.at[s->body];
    v3 x = v3_perp(s->axis), y = v3_cross(s->axis, x);
    m3 axes = m3_columns(x, y, s->axis);
    rigid frame = rigid_mul(rigid_inverse(bone->frame), (rigid){q_from_m3(&axes), s->center});
    node.name = name, node.kind = SN_NODE_SHAPE, node.shape = SN_SHAPE_CYLINDER;
    node.parent = sn_spec_find(k->spec, SN_KIND_NODE, bone->name);
    node.visible = false;
    node.extent[0] = s->radius + m->radius, node.extent[1] = s->length;
    v3_store(node.translate, frame.p);
    q_store(node.rotate, frame.q);
    return sn_add_node(k->spec, &node, NULL);
}

typedef struct Route {
    double point[3 * SN_HAND_MAX_PATH];
    char bodies[MAX_TEXT], wraps[MAX_TEXT];
    bool wrapped;
} Route;

static bool add_word(char text[MAX_TEXT], const char *word)
{
    size_t used = strlen(text);
    int n = snprintf(text + used, MAX_TEXT - used, "%s%s", used ? " " : "", word);
    return n >= 0 && (size_t)n < MAX_TEXT - used;
}

static const snHandJoint *joint_called(const snHand *hand, const char *name)
{
    for (int32_t i = 0; i < hand->joint.count; ++i)
        if (strcmp(hand->joint.at[i].name, name) == 0) return &hand->joint.at[i];
    return NULL;
}

/* Moves the eyelets on both sides of a joint alike, away from its axis or towards it, until the straight stretch
 * between them has the arm that arms.tsv gives for the drawn pose. Other joints keep theirs: between two eyelets of one
 * bone nothing changes. */
static snStatus set_arms(Maker *k, const snHandMuscle *m, Route *r)
{
    snFigures *t = &k->arms;
    for (int32_t row = 0; row < t->nrow; ++row) {
        if (strcmp(sn_figures_text(t, row, "strand"), m->name) != 0) continue;
        const snHandJoint *j = joint_called(k->hand, sn_figures_text(t, row, "joint"));
        double wanted = sn_figures_number(t, row, "arm");
        bool found = false;
        int32_t n = 0, before = -1;
        for (int32_t i = 0; j && i < m->npoint; ++i) {
            const snHandPoint *p = &k->hand->point.at[m->first + i];
            if (p->kind == SN_HAND_SURFACE) continue;
            if (before == j->parent && p->body == j->child) {
                double *a = r->point + 3 * (n - 1), *b = r->point + 3 * n;
                v3 axis = v3_unit(j->axis[0]), u = v3_unit(v3_sub(v3_load(b), v3_load(a)));
                v3 away = v3_cross(u, axis);
                double arm = -v3_dot(axis, v3_cross(v3_sub(v3_load(b), j->center), u));
                v3 shift = v3_scale(away, (arm - wanted) / v3_dot(away, away));
                v3_store(a, v3_add(v3_load(a), shift));
                v3_store(b, v3_add(v3_load(b), shift));
                found = true;
            }
            before = p->body;
            ++n;
        }
        if (found) continue;
        sn_fail(k->error, SN_BAD_FILE, "%s does not cross a joint called \"%s\"", m->name,
                sn_figures_text(t, row, "joint"));
        sn_error_place(k->error, t->file, 0, 0);
        return SN_BAD_FILE;
    }
    return SN_OK;
}

/* Points and their bodies; a surface or a guard between two of them becomes the wrap of that stretch. */
static snStatus set_path(Maker *k, const snHandMuscle *m, snLineMuscleDef *d, Route *r)
{
    bool fits = true;
    const char *over = "-";
    char name[64];
    snStatus status = SN_OK;
    *r = (Route){.bodies = "", .wraps = ""};
    d->npoint = 0;
    for (int32_t i = 0; i < m->npoint && status == SN_OK; ++i) {
        const snHandPoint *p = &k->hand->point.at[m->first + i];
        const char *body = k->hand->bone.at[p->body].name;
        int32_t tube = p->kind == SN_HAND_SURFACE ? p->surface : p->guard;
        if (p->kind != SN_HAND_SURFACE) {
            if (d->npoint) fits = add_word(r->wraps, over) && fits;
            fits = add_word(r->bodies, strcmp(body, "humerus") == 0 ? "ulna" : body) && fits;
            over = "-";
            v3_store(r->point + 3 * d->npoint++, p->at);
        }
        if (tube < 0) continue;
        const snHandSurface *s = &k->hand->surface.at[tube];
        (void)snprintf(name, sizeof name, "%s.%s", s->name, m->name);
        over = name, r->wrapped = true;
        status = add_wrap(k, s, m, name);
    }
    d->bodies = r->bodies, d->point = r->point;
    if (r->wrapped) d->wraps = r->wraps;
    if (!fits) return sn_fail(k->error, SN_BAD_FILE, "the path of %s is too long", m->name);
    return status;
}

static snStatus add_muscle(Maker *k, const char *strand, const snLineMuscleDef *shared)
{
    int32_t muscle = muscle_called(k->hand, strand), nerve = row_of(&k->nerves, "strand", strand);
    snLineMuscleDef d = *shared;
    Route route;
    if (muscle < 0) {
        sn_fail(k->error, SN_BAD_FILE, "strand \"%s\" is not in the tables of the hand", strand);
        sn_error_place(k->error, k->units.file, 0, 0);
        return SN_BAD_FILE;
    }
    const snHandMuscle *m = &k->hand->muscle.at[muscle];
    snStatus status = set_path(k, m, &d, &route);
    if (status == SN_OK) status = set_arms(k, m, &route);
    if (status != SN_OK) return status;
    d.name = strand, d.label = m->label;
    d.max_force = m->max_force, d.fiber_length = m->fiber_length, d.radius = m->radius;
    d.pennation = m->pennation / SN_DEG;
    d.active_fl = "fiber-active", d.passive_fl = "fiber-passive";
    if (nerve >= 0) d.nerve = sn_figures_text(&k->nerves, nerve, "lesions");
    set_fibers(k->hand, muscle, &d);
    if (shared->passive_rest > 0) d.passive_rest = shared->passive_rest;
    return sn_add_line_muscle(k->spec, &d, NULL);
}

static bool next_word(const char **at, char word[SN_HAND_NAME])
{
    *at += strspn(*at, " ");
    size_t n = strcspn(*at, " ");
    if (!n) return false;
    (void)snprintf(word, SN_HAND_NAME, "%.*s", (int)n, *at);
    *at += n;
    return true;
}

static snStatus add_unit(Maker *k, int32_t row)
{
    snFigures *t = &k->units;
    char word[SN_HAND_NAME];
    const char *strands = sn_figures_text(t, row, "strands");
    double force = 0;
    for (const char *at = strands; next_word(&at, word);) {
        int32_t i = muscle_called(k->hand, word);
        if (i >= 0) force += k->hand->muscle.at[i].max_force;
    }
    snLineMuscleDef d = sn_default_line_muscle_def();
    d.unit = sn_figures_text(t, row, "unit");
    if (sn_figures_has(t, row, "coupled")) d.coupled = sn_figures_text(t, row, "coupled");
    d.part = sn_figures_number(t, row, "wrist") > 0 ? "wrist" : "digits";
    d.relative_fiber = sn_figures_number(t, row, "relative_fiber");
    d.passive_rest = sn_figures_has(t, row, "onset") ? sn_figures_number(t, row, "onset") : 0;
    d.tone = sn_figures_has(t, row, "tone") ? sn_figures_number(t, row, "tone") : 0;
    snStatus status = SN_OK;
    for (const char *at = strands; next_word(&at, word) && status == SN_OK;) {
        int32_t i = muscle_called(k->hand, word);
        double share = i >= 0 && force > 0 ? k->hand->muscle.at[i].max_force / force : 0;
        d.relative_force = share * sn_figures_number(t, row, "relative_force");
        status = add_muscle(k, word, &d);
    }
    return status;
}

static snStatus add_donor(Maker *k, int32_t row)
{
    snLineMuscleDef d = sn_default_line_muscle_def();
    d.enabled = false, d.passive_rest = 0;
    d.unit = sn_figures_text(&k->donors, row, "unit");
    return add_muscle(k, sn_figures_text(&k->donors, row, "strand"), &d);
}

static snStatus add_law(Maker *k, const char *name)
{
    double stretch[MAX_LAW], force[MAX_LAW];
    snForceLengthDef d = sn_default_force_length_def();
    d.name = name, d.stretch = stretch, d.force = force;
    for (int32_t i = 0; i < k->laws.nrow && d.npoint < MAX_LAW; ++i) {
        if (strcmp(sn_figures_text(&k->laws, i, "law"), name) != 0) continue;
        stretch[d.npoint] = sn_figures_number(&k->laws, i, "stretch");
        force[d.npoint++] = sn_figures_number(&k->laws, i, "force");
    }
    return sn_add_force_length(k->spec, &d, NULL);
}

static snStatus build(Maker *k)
{
    snModelDef model = sn_default_model_def();
    model.type = SN_MODEL_TREE;
    model.scene = k->def->scene ? k->def->scene : "hand-clinical.scene.xml";
    model.fixed = "prosup"; /* the forearm */
    for (int32_t i = 0; i < k->hand->joint.count; ++i)
        if (strcmp(k->hand->joint.at[i].name, model.fixed) == 0)
            v3_store(model.fixed_axis, v3_unit(k->hand->joint.at[i].axis[0]));
    model.views = "Palmar=-z Dorsal=+z Radial=+x Ulnar=-x Proximal=+y Distal=-y";
    model.step = 1.0 / 240;
    snStatus status = sn_set_model(k->spec, &model);
    if (status == SN_OK) status = add_bones(k);
    if (status == SN_OK) status = add_coordinates(k);
    if (status == SN_OK) status = add_law(k, "fiber-passive");
    if (status == SN_OK) status = add_law(k, "fiber-active");
    for (int32_t i = 0; i < k->units.nrow && status == SN_OK; ++i) status = add_unit(k, i);
    for (int32_t i = 0; i < k->donors.nrow && status == SN_OK; ++i) status = add_donor(k, i);
    return status;
}

snClinicalHandDef sn_default_clinical_hand_def(void)
{
    return (snClinicalHandDef){.hand_tables = "", .tables = "", .meshes = true};
}

snStatus sn_author_clinical_hand(const snClinicalHandDef *def, snSpec **spec, snError *error)
{
    snHand hand = {0};
    Maker k = {.hand = &hand, .def = def, .spec = sn_spec_create(), .error = error};
    snStatus status = k.spec ? sn_hand_read(&hand, def->hand_tables, error) : SN_NO_MEMORY;
    if (status == SN_OK) status = load(&k);
    if (status == SN_OK) status = build(&k);
    status = finish(&k, status);
    sn_hand_free(&hand);
    if (status == SN_OK)
        *spec = k.spec;
    else
        sn_spec_destroy(k.spec);
    return status;
}
