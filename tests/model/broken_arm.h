/* An arm that one thing at a time is broken of. */
#ifndef SN_TESTS_BROKEN_ARM_H
#define SN_TESTS_BROKEN_ARM_H

#include "base/alloc.h"
#include "check.h"
#include "model/spec_internal.h"
#include "sinew/model.h"

#include <string.h>

/* The defs of the arm; a test changes some before they are added. */
typedef struct Arm {
    snSceneDef scene;
    snModelDef model;
    snNodeDef upper, lower, wrap, mesh, curve, extra;
    snBodyDef humerus, ulna, third;
    snJointDef elbow, second;
    snStrandDef biceps;
    snGroupDef group, other_group;
    snConstraintDef origin, eyelet, surface, insertion, other;
    snForceLengthDef law;
    snFunctionDef flexion;
} Arm;

static const double points[] = {0.01, 0.3, 0, 0.03, 0.2, 0, 0.03, 0.12, 0, 0.03, 0.06, 0, 0.02, 0.0, 0, 0.02, -0.05, 0};
static const double stretch[] = {0.5, 1, 1.5}, force[] = {0, 1, 0}, level[] = {1};
static const double tetra[] = {0, 0, 0, 0.05, 0, 0, 0, 0.05, 0, 0, 0, 0.05};
static const int32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

static inline snNodeDef node_of(const char *name, snNodeKind kind, snId parent)
{
    snNodeDef d = sn_default_node_def();
    d.name = name, d.kind = kind, d.parent = parent;
    return d;
}

static inline snConstraintDef constraint_of(const char *name, snConstraintType type, double position,
                                            const char *attachment)
{
    snConstraintDef d = sn_default_constraint_def();
    d.name = name, d.type = type, d.strand = "biceps", d.position = position, d.attachment = attachment;
    return d;
}

static inline void init_scene(Arm *a)
{
    a->scene = sn_default_scene_def();
    a->model = sn_default_model_def();
    a->upper = node_of("humerus", SN_NODE_GROUP, 0);
    a->lower = node_of("ulna", SN_NODE_GROUP, 0);
    a->wrap = node_of("wrap", SN_NODE_SHAPE, 1);
    a->wrap.shape = SN_SHAPE_CYLINDER, a->wrap.extent[0] = 0.015;
    a->mesh = node_of("shaft", SN_NODE_MESH, 2);
    a->mesh.nvertex = 4, a->mesh.vertex = tetra, a->mesh.ntriangle = 4, a->mesh.triangle = faces;
    a->curve = node_of("biceps", SN_NODE_CURVE, 0);
    a->curve.npoint = 6, a->curve.point = points;
    a->extra = node_of("", SN_NODE_LOCATOR, 0); /* added when it has a name */
}

static inline void init(Arm *a)
{
    memset(a, 0, sizeof *a);
    init_scene(a);
    a->humerus = a->ulna = a->third = sn_default_body_def();
    a->humerus.name = "humerus", a->humerus.pinned = true;
    a->ulna.name = "ulna";
    a->third.name = "";
    a->elbow = sn_default_joint_def();
    a->elbow.name = "elbow", a->elbow.type = SN_JOINT_TYPE_HINGE;
    a->elbow.body_a = "humerus", a->elbow.body_b = "ulna";
    a->elbow.limited = true, a->elbow.upper[0] = 140, a->elbow.lower[0] = -10;
    a->second = sn_default_joint_def();
    a->biceps = sn_default_strand_def();
    a->biceps.name = "biceps", a->biceps.active_fl = "bell", a->biceps.radius = 0.004;
    a->group = a->other_group = sn_default_group_def();
    a->group.name = "flexors", a->group.strands = "biceps";
    a->origin = constraint_of("origin", SN_CONSTRAINT_FIXED, 0, "humerus");
    a->eyelet = constraint_of("eyelet", SN_CONSTRAINT_SLIDING, 0.3, "humerus");
    a->surface = constraint_of("over", SN_CONSTRAINT_SURFACE, 0.8, "wrap");
    a->surface.equality = SN_INEQUAL;
    a->insertion = constraint_of("insertion", SN_CONSTRAINT_FIXED, 1, "ulna");
    a->other = constraint_of("", SN_CONSTRAINT_SLIDING, 0.5, "humerus");
    a->law = sn_default_force_length_def();
    a->law.name = "bell", a->law.npoint = 3, a->law.stretch = stretch, a->law.force = force;
    a->flexion = sn_default_function_def();
    a->flexion.name = "elbow.flexion", a->flexion.muscles = "flexors", a->flexion.nlevel = 1, a->flexion.level = level;
}

static inline snSpec *build(const Arm *a)
{
    snSpec *s = sn_spec_create();
    const snOrigin none = {"", 0, 0};
    const snNodeDef *nodes[] = {&a->upper, &a->lower, &a->wrap, &a->mesh, &a->curve};
    sn_set_scene(s, &a->scene);
    sn_set_model(s, &a->model);
    for (int i = 0; i < 5; ++i) sn_add_node(s, nodes[i], NULL);
    snNodeDef locator = node_of("elbow", SN_NODE_LOCATOR, 0);
    sn_add_node(s, &locator, NULL);
    if (*a->extra.name) sn_add_node(s, &a->extra, NULL);
    /* as a reader does it: no node is made up */
    sn_spec_add(s, SN_KIND_BODY, &a->humerus, none, NULL);
    sn_spec_add(s, SN_KIND_BODY, &a->ulna, none, NULL);
    if (*a->third.name) sn_spec_add(s, SN_KIND_BODY, &a->third, none, NULL);
    sn_spec_add(s, SN_KIND_JOINT, &a->elbow, none, NULL);
    if (*a->second.name) sn_spec_add(s, SN_KIND_JOINT, &a->second, none, NULL);
    sn_spec_add(s, SN_KIND_STRAND, &a->biceps, none, NULL);
    sn_add_group(s, &a->group, NULL);
    if (*a->other_group.name) sn_add_group(s, &a->other_group, NULL);
    const snConstraintDef *k[] = {&a->origin, &a->eyelet, &a->surface, &a->insertion};
    for (int i = 0; i < 4; ++i) sn_add_constraint(s, k[i], NULL);
    if (*a->other.name) sn_add_constraint(s, &a->other, NULL);
    sn_add_force_length(s, &a->law, NULL);
    sn_add_function(s, &a->flexion, NULL);
    return s;
}

static inline void show(const snProblems *p)
{
    char text[1400];
    for (int32_t i = 0; i < p->count; ++i)
        print_error("  %s: %s\n", p->problem[i].status ? "error" : "warning",
                    sn_error_format(&p->problem[i], text, sizeof text));
}

static inline bool reports(const snProblems *p, bool error, const char *words)
{
    char text[1400];
    for (int32_t i = 0; i < p->count; ++i)
        if ((p->problem[i].status != SN_OK) == error &&
            strstr(sn_error_format(&p->problem[i], text, sizeof text), words))
            return true;
    return false;
}

static inline void expect(const Arm *a, bool error, const char *words)
{
    int64_t live = sn_alloc_live();
    snSpec *s = build(a);
    snProblems p;
    snStatus status = sn_check(s, &p);
    if (!reports(&p, error, words)) {
        print_error("expected %s: %s\nfound:\n", error ? "an error" : "a warning", words);
        show(&p);
        fail();
    }
    if (error) assert_int_equal(status, SN_BAD_INPUT);
    for (int32_t i = 0; i < p.count; ++i) assert_true(p.problem[i].element[0] && p.problem[i].message[0]);
    sn_problems_free(&p);
    sn_spec_destroy(s);
    assert_int_equal(sn_alloc_live(), live);
}

/* A fresh arm, broken by the statement, must give the message. */
#define ERROR(words, ...)                                                                                              \
    do {                                                                                                               \
        Arm a;                                                                                                         \
        init(&a);                                                                                                      \
        __VA_ARGS__;                                                                                                   \
        expect(&a, true, words);                                                                                       \
    } while (0)
#define WARNING(words, ...)                                                                                            \
    do {                                                                                                               \
        Arm a;                                                                                                         \
        init(&a);                                                                                                      \
        __VA_ARGS__;                                                                                                   \
        expect(&a, false, words);                                                                                      \
    } while (0)

#endif
