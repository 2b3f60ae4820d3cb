/* Random motions of a model, seeded, and what following them must give. Shared by the quick and the long test. */
#ifndef SN_TESTS_ROBUST_CASE_H
#define SN_TESTS_ROBUST_CASE_H

#include "check.h"
#include "model/model.h"
#include "sinew/control.h"
#include "sinew/io.h"

#include <stdlib.h>
#include <string.h>

typedef enum MotionKind { MOTION_REACH, MOTION_SWAY, MOTION_TAP, MOTION_BEYOND, MOTION_KINDS } MotionKind;
static const char *const motion_name[MOTION_KINDS] = {"reach", "sway", "tap", "beyond"};

static double random01(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * random01(seed);
}

/* The end joint of a finger goes with the middle one: the two share their tendons, and no hand bends one alone. */
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
static void random_pose(const snModel *m, uint64_t *seed, double part, double *q)
{
    for (int32_t c = 0; c < m->ncoord; ++c) {
        double middle = (m->coord_lower[c] + m->coord_upper[c]) / 2, half = (m->coord_upper[c] - m->coord_lower[c]) / 2;
        q[c] = middle + part * half * between(seed, -1, 1);
    }
    couple_fingertips(m, q);
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

/* Fingers that tap: knuckles bend by up to 20 degrees, the rest of the hand holds a pose near rest. */
static void tapping_poses(const snModel *m, uint64_t *seed, double *a, double *b)
{
    random_pose(m, seed, 0.3, a);
    memcpy(b, a, sizeof(double) * (size_t)m->ncoord);
    for (int32_t c = 0; c < m->ncoord; ++c)
        if (!strncmp(m->coord_name[c], "mcp", 3) && strstr(m->coord_name[c], ".0") && random01(seed) < 0.6)
            b[c] = fmin(a[c] + between(seed, 8, 20) * SN_DEG, m->coord_upper[c]);
}

static snTrack *random_motion(const snModel *m, MotionKind kind, uint64_t seed, double seconds)
{
    enum { RATE = 125 };
    int32_t n = (int32_t)(seconds * RATE) + 1, nc = m->ncoord;
    double *time = calloc((size_t)n, sizeof *time), *value = calloc((size_t)n * (size_t)nc, sizeof *value);
    double *a = calloc((size_t)nc, sizeof *a), *b = calloc((size_t)nc, sizeof *b), hertz = 5;
    for (int i = 0; i < 10; ++i) random01(&seed);
    if (kind == MOTION_TAP) {
        tapping_poses(m, &seed, a, b);
        hertz = between(&seed, 3, 5);
    } else {
        random_pose(m, &seed, kind == MOTION_BEYOND ? 1.4 : 0.8, a);
        random_pose(m, &seed, kind == MOTION_BEYOND ? 1.4 : 0.8, b);
        if (kind == MOTION_SWAY) hertz = between(&seed, 0.3, 0.8);
    }
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

typedef struct Outcome {
    snStatus status;
    double mean, worst, worst_time, activation;
    int32_t wrong_sides, frames;
    char culprit[128], wrong_side[128];
} Outcome;

static Outcome follow_random(const snModel *m, MotionKind kind, uint64_t seed, double seconds)
{
    snTrack *motion = random_motion(m, kind, seed, seconds), *replay = NULL;
    snFollowDef def = sn_default_follow_def();
    snFollowReport r;
    def.frame_rate = 50;
    Outcome o = {.status = sn_follow(m, motion, &def, &replay, &r, NULL)};
    o.mean = r.all.mean, o.worst = r.all.worst, o.worst_time = r.all.worst_time, o.activation = r.max_activation;
    o.wrong_sides = r.wrong_sides, o.frames = r.frames;
    memcpy(o.culprit, r.culprit, sizeof o.culprit);
    memcpy(o.wrong_side, r.wrong_side, sizeof o.wrong_side);
    sn_follow_report_free(&r);
    sn_track_destroy(motion);
    if (replay) sn_track_destroy(replay);
    return o;
}

static void print_outcome(MotionKind kind, uint64_t seed, const Outcome *o)
{
    print_message("%-6s seed %llu: %d frames, mean %.3f mm, worst %.2f mm at %.2f s, activation %.2f%s%s%s%s\n",
                  motion_name[kind], (unsigned long long)seed, o->frames, 1e3 * o->mean, 1e3 * o->worst, o->worst_time,
                  o->activation, o->status == SN_DIVERGED ? ", DIVERGED: " : "", o->culprit,
                  o->wrong_sides ? ", WRONG SIDE: " : "", o->wrong_side);
}

#endif
