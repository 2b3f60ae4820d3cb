/* What tests of the shoulder share: the model, what each function does to the bones, the gap below the scapula. */
#ifndef SN_TESTS_SHOULDER_CASE_H
#define SN_TESTS_SHOULDER_CASE_H

#include "check.h"
#include "geom/surface.h"
#include "model/model.h"
#include "shoulder/shoulder.h"
#include "sim/state.h"
#include "sinew/author.h"

#include <string.h>

#define SHOULDER_TABLES SINEW_SOURCE_DIR "/models/shoulder"

typedef struct Shoulder {
    snShoulder tables;
    snSpec *spec;
    snModel *model;
    snState *state;
    int32_t clavicle, scapula, humerus; /* bodies */
    rigid rest[4];
    snSurface ribs;
} Shoulder;

static inline snSpec *shoulder_spec(bool meshes)
{
    snShoulderDef def = sn_default_shoulder_def();
    def.tables = SHOULDER_TABLES, def.meshes = meshes;
    snSpec *spec = NULL;
    snError error;
    char text[1024];
    if (sn_author_shoulder(&def, &spec, &error) != SN_OK)
        print_error("%s\n", sn_error_format(&error, text, sizeof text));
    assert_non_null(spec);
    return spec;
}

static inline rigid shoulder_pose(const Shoulder *c, int32_t body)
{
    return rigid_mul(c->state->body[body], c->model->body_node[body]);
}

static inline void shoulder_open(Shoulder *c)
{
    snError error;
    snSimDef def = sn_default_sim_def();
    def.threads = 1;
    *c = (Shoulder){.spec = shoulder_spec(true)};
    assert_int_equal(sn_shoulder_read(&c->tables, SHOULDER_TABLES, &error), SN_OK);
    assert_int_equal(sn_compile(c->spec, &c->model, &error), SN_OK);
    assert_int_equal(sn_state_create(c->model, &def, &c->state, &error), SN_OK);
    c->clavicle = sn_find(c->model, SN_ITEM_BODY, "clavicle");
    c->scapula = sn_find(c->model, SN_ITEM_BODY, "scapula");
    c->humerus = sn_find(c->model, SN_ITEM_BODY, "humerus");
    for (int32_t b = 0; b < 4; ++b) c->rest[b] = shoulder_pose(c, b);
    for (int32_t i = 0; i < c->tables.surface.count; ++i) {
        const snShoulderSurface *f = &c->tables.surface.at[i];
        if (strcmp(f->name, "rib_cage_back") == 0)
            c->ribs = (snSurface){.kind = SN_SURFACE_ELLIPSOID, .frame = f->frame, .size = f->size};
    }
    assert_true(c->ribs.size.x > 0);
}

static inline void shoulder_close(Shoulder *c)
{
    sn_state_destroy(c->state);
    sn_model_destroy(c->model);
    sn_spec_destroy(c->spec);
    sn_shoulder_free(&c->tables);
}

/* A landmark carried by a body. */
static inline v3 shoulder_mark(const Shoulder *c, int32_t body, const char *name)
{
    return rigid_apply(shoulder_pose(c, body), rigid_unapply(c->rest[body], sn_shoulder_landmark(&c->tables, name)));
}

/* Turn of a body since rest, as a rotation vector in world axes. */
static inline v3 shoulder_turn(const Shoulder *c, int32_t body)
{
    return q_log(q_mul(shoulder_pose(c, body).q, q_conj(c->rest[body].q)));
}

/* Least and largest gap between the ribs and the costal face of the scapula along its medial border, m. */
static inline void shoulder_gap(const Shoulder *c, double *least, double *most)
{
    const double half_bone = 0.003;
    v3 a = shoulder_mark(c, c->scapula, "TS"), b = shoulder_mark(c, c->scapula, "AI");
    for (int i = 0; i <= 10; ++i) {
        snSurfaceHint hint = {0};
        double gap = sn_surface_closest(&c->ribs, v3_lerp(a, b, i / 10.0), &hint).distance - half_bone;
        *least = fmin(*least, gap), *most = fmax(*most, gap);
    }
}

/* Directions in the world: how far a bone has gone in the sense of a function, rad. */
static inline double shoulder_measure(const Shoulder *c, const char *function)
{
    v3 tilt = shoulder_turn(c, c->scapula), arm = q_rotate(shoulder_pose(c, c->humerus).q, v3_of(0, -1, 0));
    v3 sc = shoulder_mark(c, c->clavicle, "SC"), ac = shoulder_mark(c, c->clavicle, "AC");
    v3 sc0 = sn_shoulder_landmark(&c->tables, "SC"), ac0 = sn_shoulder_landmark(&c->tables, "AC");
    v3 border = v3_lerp(shoulder_mark(c, c->scapula, "TS"), shoulder_mark(c, c->scapula, "AI"), 0.5);
    v3 border0 = v3_lerp(sn_shoulder_landmark(&c->tables, "TS"), sn_shoulder_landmark(&c->tables, "AI"), 0.5);
    v3 axis = v3_neg(q_rotate(c->rest[c->scapula].q, v3_of(1, 0, 0))), middle = c->ribs.frame.p;
    double raised = asin(v3_unit(v3_sub(ac, sc)).y) - asin(v3_unit(v3_sub(ac0, sc0)).y);
    /* round the thorax, away from the spine */
    double round = atan2(border.z, middle.x - border.x) - atan2(border0.z, middle.x - border0.x);
    double inwards = v3_dot(shoulder_turn(c, c->humerus), v3_of(0, 1, 0));
    if (strcmp(function, "scapula.elevation") == 0) return raised;
    if (strcmp(function, "scapula.depression") == 0) return -raised;
    if (strcmp(function, "scapula.abduction") == 0) return round;
    if (strcmp(function, "scapula.adduction") == 0) return -round;
    if (strcmp(function, "scapula.upward_rotation") == 0) return v3_dot(tilt, axis);
    if (strcmp(function, "scapula.downward_rotation") == 0) return -v3_dot(tilt, axis);
    if (strcmp(function, "humerus.flexion") == 0) return atan2(arm.x, -arm.y);
    if (strcmp(function, "humerus.extension") == 0) return -atan2(arm.x, -arm.y);
    if (strcmp(function, "humerus.abduction") == 0) return atan2(arm.z, -arm.y);
    if (strcmp(function, "humerus.adduction") == 0) return -atan2(arm.z, -arm.y);
    if (strcmp(function, "humerus.medial_rotation") == 0) return inwards;
    assert_string_equal(function, "humerus.lateral_rotation");
    return -inwards;
}

/* Furthest that a vertex of the moving bones is from where it rests, m. */
static inline double shoulder_offset(const Shoulder *c)
{
    double worst = 0;
    const snModel *m = c->model;
    for (int32_t b = 1; b < m->nbody; ++b)
        for (int32_t i = m->body_vertexadr[b]; i < m->body_vertexadr[b + 1]; ++i) {
            v3 p = v3_load(m->body_vertex + 3 * i);
            rigid rest = rigid_mul(c->rest[b], rigid_inverse(m->body_node[b]));
            worst = fmax(worst, v3_dist(rigid_apply(c->state->body[b], p), rigid_apply(rest, p)));
        }
    return worst;
}

/* Activations of a function at a level, all others at zero. */
static inline void shoulder_activate(Shoulder *c, const snShoulderFunction *f, double level)
{
    for (int32_t i = 0; i < c->model->nmuscle; ++i) c->state->activation[i] = 0;
    for (int32_t i = 0; f && i < f->count; ++i) {
        int32_t muscle = sn_find(c->model, SN_ITEM_MUSCLE, c->tables.part.at[f->part[i]].name);
        assert_true(muscle >= 0);
        c->state->activation[muscle] = level * f->level[i];
    }
}

#endif
