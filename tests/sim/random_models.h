/* Valid models at random, from a seed: 2 to 8 bones with joints of every kind, 1 to 8 muscles that run through eyelets
 * and over shapes, as paths, splines or both. Half of the models are like limbs from a finger to a forearm; the other half
 * are wild: muscles of up to 1 kN run between any bones with every eyelet on another side, some bones hang on nothing but
 * muscles, tendons are drawn up to 5 % too long. What comes of a seed is the same on every machine. */
#ifndef SN_TESTS_SIM_RANDOM_MODELS_H
#define SN_TESTS_SIM_RANDOM_MODELS_H

#include "build.h"
#include "math/vec.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { RANDOM_BODIES = 8, RANDOM_STRANDS = 8, RANDOM_VIAS = 16, RANDOM_JUMPS = 5 };

/* What the strands of a model are: all of them paths, splines through eyelets, splines over shapes too, or any. */
typedef enum RandomClass { RANDOM_PATHS, RANDOM_EYELETS, RANDOM_SURFACES, RANDOM_MIXED, RANDOM_CLASSES } RandomClass;

static const char *const random_class_name[RANDOM_CLASSES] = {"paths", "splines through eyelets", "splines over shapes",
                                                              "paths and splines"};

typedef struct RandomBone {
    char name[16], joint[16], shape[16];
    int parent;
    v3 begin, end, side; /* world; side: a unit vector across the bone */
    double thick;        /* half */
    double knob;         /* radius of the shape at its beginning, which is carried by its parent; 0: none */
} RandomBone;

typedef struct RandomModel {
    uint64_t state;
    RandomClass kind;
    bool wild;
    snBuild build;
    RandomBone bone[RANDOM_BODIES];
    int nbone, nstrand;
    double shorter[RANDOM_STRANDS]; /* m: set before, what a belly ends earlier */
    double weaker;                  /* set before: factor on all forces */
    double activation[RANDOM_STRANDS][RANDOM_JUMPS];
} RandomModel;

static inline double random_in(RandomModel *r, double low, double high)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(r->state >> 11) / 9007199254740992.0;
}

static inline int random_of(RandomModel *r, int count)
{
    return (int)random_in(r, 0, count);
}

static inline bool random_chance(RandomModel *r, double share)
{
    return random_in(r, 0, 1) < share;
}

/* Between low and high, each factor as likely as the next. */
static inline double random_scale(RandomModel *r, double low, double high)
{
    return exp(random_in(r, log(low), log(high)));
}

static inline v3 random_direction(RandomModel *r)
{
    double x = random_in(r, -1, 1), y = random_in(r, -1, 1), z = random_in(r, -1, 1);
    return v3_unit(v3_of(x, y, z + 1e-3));
}

static inline void random_bone(RandomModel *r, int i)
{
    RandomBone *b = &r->bone[i];
    b->parent = i == 0 ? -1 : random_chance(r, 0.75) ? i - 1 : random_of(r, i);
    snprintf(b->name, sizeof b->name, "b%d", i);
    snprintf(b->joint, sizeof b->joint, "j%d", i);
    snprintf(b->shape, sizeof b->shape, "k%d", i);
    b->begin = i == 0 ? v3_of(0, 0, 0) : r->bone[b->parent].end;
    v3 along = v3_unit(v3_mad(v3_of(0, -1, 0), 0.6, random_direction(r)));
    double length = random_scale(r, 0.025, 0.15);
    b->end = v3_mad(b->begin, length, along);
    b->side = v3_unit(v3_cross(along, random_direction(r)));
    b->thick = length * random_in(r, 0.08, 0.2);
    b->knob = 0;
    double half[3] = {b->thick, b->thick, length / 2}, turn[4], center[3], axis[3];
    double mass = random_scale(r, 900, 1900) * length * 4 * b->thick * b->thick;
    v3_store(axis, along);
    v3_store(center, v3_scale(v3_add(b->begin, b->end), 0.5));
    sn_build_z_to(axis, turn);
    sn_build_body(&r->build, b->name, center, turn, half, i == 0 ? 0 : mass);
}

static inline void random_joint(RandomModel *r, int i)
{
    static const snJointType type[] = {SN_JOINT_TYPE_HINGE,     SN_JOINT_TYPE_HINGE,     SN_JOINT_TYPE_HINGE,
                                       SN_JOINT_TYPE_BALL,      SN_JOINT_TYPE_BALL,      SN_JOINT_TYPE_UNIVERSAL,
                                       SN_JOINT_TYPE_UNIVERSAL, SN_JOINT_TYPE_PRISMATIC, SN_JOINT_TYPE_CYLINDRICAL,
                                       SN_JOINT_TYPE_RIGID};
    const RandomBone *b = &r->bone[i];
    if (r->wild && random_chance(r, 0.1)) return; /* hangs on its muscles, if any */
    snJointDef def = sn_default_joint_def();
    double axis[3];
    def.name = b->joint, def.body_a = r->bone[b->parent].name, def.body_b = b->name;
    def.type = type[random_of(r, 10)];
    v3_store(def.position, b->begin);
    v3_store(axis, b->side);
    sn_build_z_to(axis, def.rotation);
    bool slides = def.type == SN_JOINT_TYPE_PRISMATIC || def.type == SN_JOINT_TYPE_CYLINDRICAL;
    def.limited = slides || random_chance(r, 0.6);
    bool sprung = random_chance(r, 0.7);
    double weight = random_scale(r, 0.003, 0.3), calm = random_scale(r, 0.02, 0.2);
    for (int k = 0; k < 3; ++k) {
        def.lower[k] = -random_in(r, 10, 80), def.upper[k] = random_in(r, 10, 80);
        bool metres =
            (def.type == SN_JOINT_TYPE_PRISMATIC && k == 0) || (def.type == SN_JOINT_TYPE_CYLINDRICAL && k == 1);
        if (metres) def.lower[k] *= 1e-4, def.upper[k] *= 1e-4;
        if (!sprung) continue;
        def.stiffness[k] = weight * (metres ? 1e4 : 1), def.damping[k] = calm * def.stiffness[k];
    }
    sn_build_joint(&r->build, &def);
}

/* A cylinder, ball or ellipsoid about a joint, carried by the bone before it. */
static inline void random_knob(RandomModel *r, int i)
{
    RandomBone *b = &r->bone[i];
    const RandomBone *on = &r->bone[b->parent];
    if (b->knob > 0) return;
    b->knob = b->thick * random_in(r, 0.7, 1.5);
    double center[3], axis[3];
    v3_store(center, b->begin), v3_store(axis, b->side);
    int kind = random_of(r, 3);
    if (kind == 0) {
        sn_build_cylinder(&r->build, b->shape, on->name, center, axis, b->knob, 4 * b->knob);
        return;
    }
    snNodeDef node = sn_default_node_def();
    node.name = b->shape, node.kind = SN_NODE_SHAPE;
    node.parent = sn_spec_find(r->build.spec, SN_KIND_NODE, on->name);
    node.shape = kind == 1 ? SN_SHAPE_SPHERE : SN_SHAPE_ELLIPSOID;
    node.translate[2] = v3_len(v3_sub(on->end, on->begin)) / 2; /* z of a bone runs along it */
    for (int k = 0; k < 3; ++k) node.extent[k] = b->knob * (kind == 2 && k == 2 ? 1.4 : 1);
    snStatus status = sn_add_node(r->build.spec, &node, NULL);
    if (r->build.status == SN_OK) r->build.status = status;
}

/* A place beside a bone, at a share of its length. */
static inline v3 random_beside(RandomModel *r, const RandomBone *b, double share, v3 side, double away)
{
    v3 along = v3_unit(v3_sub(b->end, b->begin));
    v3 out = v3_unit(v3_mad(side, -v3_dot(side, along), along));
    v3 jitter = v3_scale(random_direction(r), 0.15 * b->thick);
    return v3_add(v3_mad(v3_add(b->begin, v3_scale(v3_sub(b->end, b->begin), share)), away, out), jitter);
}

static inline void random_via(snVia *via, int *n, snViaKind kind, const char *on, v3 p)
{
    via[*n] = (snVia){.kind = kind, .on = on};
    v3_store(via[(*n)++].p, p);
}

/* Two or three bones, the last one first: each is followed by its parent, in a wild model often by any other. */
static inline int random_chain(RandomModel *r, int chain[4])
{
    int n = 0, links = 2 + random_of(r, 2);
    chain[n++] = 1 + random_of(r, r->nbone - 1);
    while (n < links) {
        int next = r->bone[chain[n - 1]].parent;
        if (r->wild && random_chance(r, 0.5)) next = random_of(r, r->nbone);
        if (next < 0 || next == chain[n - 1]) break;
        chain[n++] = next;
    }
    if (n == 1) chain[n++] = r->bone[chain[0]].parent;
    return n;
}

static inline void random_eyelet(RandomModel *r, int bone, double from, double to, v3 *side, snVia *via, int *n)
{
    const RandomBone *b = &r->bone[bone];
    if (r->wild && random_chance(r, 0.5)) *side = random_direction(r);
    double share = random_in(r, from, to), away = b->thick * random_in(r, 1.2, 2);
    random_via(via, n, SN_VIA_SLIDING, b->name, random_beside(r, b, share, *side, away));
}

/* Over the shape at the beginning of a bone. */
static inline void random_over(RandomModel *r, int bone, bool path, v3 side, snVia *via, int *n)
{
    random_knob(r, bone);
    const RandomBone *next = &r->bone[bone], *before = &r->bone[next->parent];
    v3 along = v3_unit(v3_sub(next->end, before->begin)), out = v3_unit(v3_mad(side, -v3_dot(side, along), along));
    double reach = path ? 0 : 0.004 * (1 + random_of(r, 3));
    random_via(via, n, SN_VIA_SURFACE, next->shape, v3_mad(next->begin, 1.5 * next->knob, out));
    via[*n - 1].before = via[*n - 1].after = fmin(reach, next->knob);
}

static inline int random_route(RandomModel *r, bool shapes, bool path, snVia *via)
{
    int chain[4], links = random_chain(r, chain), n = 0;
    v3 side = random_direction(r);
    const RandomBone *b = &r->bone[chain[links - 1]];
    double share = random_in(r, 0, 0.3), away = b->thick * random_in(r, 1, 2);
    random_via(via, &n, SN_VIA_FIXED, b->name, random_beside(r, b, share, side, away));
    for (int k = links - 2; k >= 0; --k) {
        bool over = shapes && chain[k] > 0 && random_chance(r, 0.6);
        if (random_chance(r, 0.5)) random_eyelet(r, chain[k + 1], 0.5, 0.85, &side, via, &n);
        if (over) random_over(r, chain[k], path, side, via, &n);
        if (random_chance(r, 0.5)) random_eyelet(r, chain[k], 0.15, 0.45, &side, via, &n);
    }
    b = &r->bone[chain[0]];
    share = random_in(r, 0.55, 1), away = b->thick * random_in(r, 0.5, 1.5);
    random_via(via, &n, SN_VIA_FIXED, b->name, random_beside(r, b, share, side, away));
    return n;
}

static inline void random_strand(RandomModel *r, int i)
{
    static const char *const law[] = {"", "hill-active", "arch-active"};
    char name[16];
    snVia via[RANDOM_VIAS];
    snStrandDef def = sn_default_strand_def();
    bool path = r->kind == RANDOM_PATHS || (r->kind == RANDOM_MIXED && random_chance(r, 0.5));
    snPath way = {.via = via, .nvia = random_route(r, r->kind != RANDOM_EYELETS, path, via)};
    double whole = 0;
    for (int k = 1; k < way.nvia; ++k) whole += v3_len(v3_sub(v3_load(via[k].p), v3_load(via[k - 1].p)));
    way.npoint = (int32_t)fmin(40, fmax(8, whole / random_in(r, 0.003, 0.012)));
    bool tendon = random_chance(r, 0.8), ligament = tendon && random_chance(r, 0.2);
    if (tendon && !ligament) way.belly = v3_len(v3_sub(v3_load(via[1].p), v3_load(via[0].p))) * random_in(r, 0.3, 0.9);
    if (way.belly > 0) way.belly = fmax(1e-3, way.belly - r->shorter[i]);
    snprintf(name, sizeof name, "s%d", i);
    def.name = name, def.kind = path ? SN_STRAND_PATH : SN_STRAND_SPLINE;
    if (ligament) def.belly_start = def.belly_end = 0;
    def.radius = random_scale(r, 0.001, 0.01);
    def.stiffness = random_scale(r, 2e5, 5e6), def.tendon_stiffness = random_scale(r, 3e7, 1.2e9);
    def.max_force = random_chance(r, 0.3) ? 0 : random_scale(r, 3, r->wild ? 1000 : 300);
    if (r->weaker > 0) def.active_scale *= r->weaker;
    def.damping = random_scale(r, 5e-4, 3e-3), def.mass_damping = random_in(r, 0, 2);
    def.tension_only = random_chance(r, 0.7);
    def.active_fl = law[random_of(r, 3)];
    def.rest_scale = r->wild ? random_in(r, 0.95, 1.05) : random_in(r, 0.98, 1.02);
    sn_build_strand(&r->build, &def, &way);
    for (int k = 0; k < RANDOM_JUMPS; ++k) r->activation[i][k] = random_in(r, 0, 1);
}

/* Activation of the muscle of this name at a time: constant for a fifth of a second, then another. */
static inline double random_activation(const RandomModel *r, const char *muscle, double time)
{
    int jump = (int)(time * RANDOM_JUMPS);
    return r->activation[muscle[1] - '0'][jump < RANDOM_JUMPS ? jump : RANDOM_JUMPS - 1];
}

/* The spec goes to the caller with what activates it; NULL: out of memory. It may be refused when it is compiled. */
static inline snSpec *random_model(uint64_t seed, RandomModel *r)
{
    r->state = seed * 2654435761u + 12345u, r->kind = (RandomClass)(seed % RANDOM_CLASSES);
    for (int k = 0; k < 8; ++k) (void)random_in(r, 0, 1);
    r->build = sn_build_begin();
    r->wild = random_chance(r, 0.5);
    r->nbone = 2 + random_of(r, RANDOM_BODIES - 1), r->nstrand = 1 + random_of(r, RANDOM_STRANDS);
    for (int i = 0; i < r->nbone; ++i) random_bone(r, i);
    for (int i = 1; i < r->nbone; ++i) random_joint(r, i);
    for (int i = 0; i < r->nstrand; ++i) random_strand(r, i);
    return sn_build_end(&r->build);
}

#endif
