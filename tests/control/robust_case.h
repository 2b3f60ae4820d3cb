/* Random motions of a model, seeded, and what following them must give. Shared by the quick and the long test.
 *
 * Poses are drawn over the whole range of every coordinate. Whether muscles could make such a motion is not asked of
 * the follower but of inverse dynamics with the bones on the motion (control/inverse.h). */
#ifndef SN_TESTS_ROBUST_CASE_H
#define SN_TESTS_ROBUST_CASE_H

#include "analysis/feasible.h"
#include "check.h"
#include "control/inverse.h"
#include "model/model.h"
#include "sinew/io.h"
#include "sinew/record.h"

#include <stdlib.h>
#include <string.h>

typedef enum MotionKind { MOTION_POSE, MOTION_SWAY, MOTION_REACH, MOTION_TAP, MOTION_BEYOND, MOTION_KINDS } MotionKind;
static const char *const motion_name[MOTION_KINDS] = {"pose", "sway", "reach", "tap", "beyond"};

/* A motion is feasible when no coordinate ever lacks more than this (N m; about the weight of 20 g at 1 cm), and where
 * something lacks, the bones come to rest within FOLLOWED (m), on the mean, of where they should be: analysis/sag.h. */
static const double FEASIBLE = 2e-3, FOLLOWED = 1e-3;

static double random01(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * random01(seed);
}

/* The end joint of a finger goes with the middle one: the two share their tendons, and few hands bend one alone. */
static void couple_fingertips(const snModel *m, double *q)
{
    for (int32_t c = 0; c < m->ncoord; ++c) {
        char name[32];
        if (strncmp(m->coord_name[c], "dip", 3) != 0) continue;
        snprintf(name, sizeof name, "pip%s", m->coord_name[c] + 3);
        int32_t pip = sn_find(m, SN_ITEM_COORDINATE, name);
        if (pip >= 0) q[c] = fmin(0.6 * q[pip], m->coord_upper[c]);
    }
}

/* A pose within `part` of every range, around its middle (or as far beyond its ends). */
static void random_pose(const snModel *m, uint64_t *seed, double part, bool coupled, double *q)
{
    for (int32_t c = 0; c < m->ncoord; ++c) {
        double middle = (m->coord_lower[c] + m->coord_upper[c]) / 2, half = (m->coord_upper[c] - m->coord_lower[c]) / 2;
        q[c] = middle + part * half * between(seed, -1, 1);
    }
    if (coupled) couple_fingertips(m, q);
}

static double smooth_step(double t)
{
    t = fmin(fmax(t, 0), 1);
    return t * t * t * (10 + t * (6 * t - 15));
}

/* One row of coordinates at a time of a motion that is given by two poses and, for swaying and tapping, a frequency. */
static void motion_at(const snModel *m, MotionKind kind, const double *a, const double *b, double hertz, double t,
                      double *q)
{
    double k = smooth_step(t / 0.6);
    if (kind == MOTION_SWAY || kind == MOTION_TAP) k = 0.5 - 0.5 * cos(2 * SN_PI * hertz * t);
    for (int32_t c = 0; c < m->ncoord; ++c) q[c] = a[c] + k * (b[c] - a[c]);
}

/* Fingers that tap: knuckles bend by up to 20 degrees, the rest of the hand holds its pose. */
static void add_taps(const snModel *m, uint64_t *seed, const double *a, double *b)
{
    for (int32_t c = 0; c < m->ncoord; ++c) {
        b[c] = a[c];
        if (strncmp(m->coord_name[c], "mcp", 3) != 0 || !strstr(m->coord_name[c], ".0")) continue;
        if (random01(seed) < 0.6) b[c] = fmin(a[c] + between(seed, 8, 20) * SN_DEG, m->coord_upper[c]);
    }
}

static snTrack *random_motion(const snModel *m, MotionKind kind, bool coupled, double scale, uint64_t seed,
                              double seconds)
{
    enum { RATE = 125 };
    int32_t n = (int32_t)(seconds * RATE) + 1, nc = m->ncoord;
    double *time = calloc((size_t)n, sizeof *time), *value = calloc((size_t)n * (size_t)nc, sizeof *value);
    double *a = calloc((size_t)nc, sizeof *a), *b = calloc((size_t)nc, sizeof *b), hertz = 5;
    for (int i = 0; i < 10; ++i) random01(&seed);
    double part = kind == MOTION_BEYOND ? 1.4 : 1;
    random_pose(m, &seed, part, coupled, a);
    random_pose(m, &seed, part, coupled, b);
    if (kind == MOTION_TAP) add_taps(m, &seed, a, b), hertz = between(&seed, 3, 5);
    if (kind == MOTION_POSE) memcpy(b, a, sizeof *a * (size_t)nc);
    if (kind == MOTION_SWAY) hertz = between(&seed, 0.3, 0.8);
    for (int32_t c = 0; c < nc; ++c) a[c] *= scale, b[c] *= scale;
    for (int32_t i = 0; i < n; ++i) {
        time[i] = (double)i / RATE;
        motion_at(m, kind, a, b, hertz, time[i], value + (size_t)i * (size_t)nc);
    }
    snTrack *motion = NULL;
    assert_int_equal(sn_motion_from_coordinates(m, n, time, value, &motion), SN_OK);
    free(time);
    free(value);
    free(a);
    free(b);
    return motion;
}

static snModel *shipped_hand(void)
{
    snSpec *spec = NULL;
    snModel *m = NULL;
    snError error;
    char path[4096];
    if (sn_find_model("hand", path, sizeof path, &error) != SN_OK || sn_load_model(path, &spec, &error) != SN_OK ||
        sn_compile(spec, &m, &error) != SN_OK)
        print_error("%s\n", error.message);
    assert_non_null(m);
    sn_spec_destroy(spec);
    return m;
}

typedef struct Case {
    MotionKind kind;
    bool coupled;
    double scale; /* on the angles: 1 is the whole range */
    uint64_t seed;
    double seconds;
} Case;

typedef struct Outcome {
    snStatus status;
    double mean, worst, worst_time, activation;
    int32_t wrong_sides, frames;
    char culprit[128], wrong_side[128];
} Outcome;

static snTrack *motion_of(const snModel *m, const Case *c)
{
    return random_motion(m, c->kind, c->coupled, c->scale, c->seed * 0x9E3779B97F4A7C15u, c->seconds);
}

/* Settling takes longer than following a second, so it is done once. Kept to the end of the program, as tests do. */
static void settle_once(const snModel *m, snSimDef *def)
{
    static const snModel *of = NULL;
    static void *settled = NULL;
    static size_t size;
    if (of != m) {
        snState *state = NULL;
        assert_int_equal(sn_state_create(m, def, &state, NULL), SN_OK);
        size = sn_state_save(m, state, NULL);
        free(settled);
        settled = malloc(size);
        assert_non_null(settled);
        (void)sn_state_save(m, state, settled);
        sn_state_destroy(state);
        of = m;
    }
    def->settled = settled, def->settled_size = size;
}

/* Could muscles make it? */
static bool is_feasible(const snModel *m, const Case *c)
{
    snFeasibleDef def = sn_default_feasible_def();
    snFeasible demand;
    snTrack *motion = motion_of(m, c);
    def.every = 3, def.enough = FEASIBLE, def.sag = 2 * FOLLOWED;
    settle_once(m, &def.sim);
    assert_int_equal(sn_feasible(m, motion, &def, &demand, NULL), SN_OK);
    sn_track_destroy(motion);
    return demand.unmet <= FEASIBLE && demand.sag <= FOLLOWED;
}

/* Draws the angles in until muscles could make the motion; scale 0 when none of it is feasible. */
static inline Case feasible_part(const snModel *m, Case c)
{
    for (c.scale = 1; c.scale > 0.1; c.scale -= 0.2)
        if (is_feasible(m, &c)) return c;
    c.scale = 0;
    return c;
}

static Outcome follow_case(const snModel *m, const Case *c)
{
    snTrack *motion = motion_of(m, c), *replay = NULL;
    snFollowDef def = sn_default_follow_def();
    snFollowReport r;
    Outcome o;
    def.frame_rate = 50;
    settle_once(m, &def.sim);
    o.status = sn_follow(m, motion, &def, &replay, &r, NULL);
    o.mean = r.all.mean, o.worst = r.all.worst, o.worst_time = r.all.worst_time, o.activation = r.max_activation;
    o.wrong_sides = r.wrong_sides, o.frames = r.frames;
    memcpy(o.culprit, r.culprit, sizeof o.culprit);
    memcpy(o.wrong_side, r.wrong_side, sizeof o.wrong_side);
    sn_follow_report_free(&r);
    if (replay) sn_track_destroy(replay);
    sn_track_destroy(motion);
    return o;
}

static void print_outcome(const Case *c, const Outcome *o)
{
    print_message("%s, fingertips %s, scale %.1f, seed %llu: mean %.3f mm, worst %.2f mm at %.2f s, activation "
                  "%.2f%s%s%s%s\n",
                  motion_name[c->kind], c->coupled ? "coupled" : "free", c->scale, (unsigned long long)c->seed,
                  1e3 * o->mean, 1e3 * o->worst, o->worst_time, o->activation,
                  o->status == SN_DIVERGED ? ", DIVERGED: " : "", o->culprit, o->wrong_sides ? ", WRONG SIDE: " : "",
                  o->wrong_side);
}

#endif
