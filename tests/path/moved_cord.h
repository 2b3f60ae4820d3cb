/* Cords of tests: three bodies, and the length after one of them has moved. */
#ifndef SN_TESTS_PATH_MOVED_CORD_H
#define SN_TESTS_PATH_MOVED_CORD_H

#include "check.h"
#include "path/cord.h"

#include <math.h>
#include <string.h>

enum { BODIES = 3, MOST_NODES = 40 };

static inline double pseudo(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24) * 2 - 1;
}

static inline double length_at(const snCord *c, const rigid *pose)
{
    snCordNode node[MOST_NODES];
    double length;
    sn_cord_place(c, pose, node, &length);
    return length;
}

/* A random pose, shifted along z by up to `aside`. */
static inline rigid pose_aside(unsigned *seed, double size, double aside)
{
    v3 turn = {pseudo(seed), pseudo(seed), pseudo(seed)};
    v3 shift = {0.01 * pseudo(seed), 0.01 * pseudo(seed), aside * pseudo(seed)};
    return (rigid){q_exp(v3_scale(turn, size)), shift};
}

/* How high a stop of a cord is above the foot of the wall that it leans on; it must be at that wall. */
static inline double height_at_wall(const snCordGate *gate, rigid pose, v3 stop)
{
    v3 x = v3_sub(rigid_unapply(pose, stop), gate->at);
    double aside = v3_dot(x, gate->aside), up = v3_dot(x, gate->out) - gate->low[aside > 0];
    assert_near(fabs(aside), gate->half, 1e-15);
    assert_near(v3_dot(x, v3_cross(gate->aside, gate->out)), 0, 1e-15);
    assert_true(up >= -1e-15);
    return up;
}

/* A pose moved by d along one of its six velocities. */
static inline rigid moved(rigid pose, int k, double d)
{
    v3 turn = {k == 0 ? d : 0, k == 1 ? d : 0, k == 2 ? d : 0},
       shift = {k == 3 ? d : 0, k == 4 ? d : 0, k == 5 ? d : 0};
    return (rigid){q_mul(pose.q, q_exp(turn)), v3_add(pose.p, shift)};
}

/* The same for body b of several. */
static inline void move_body(const rigid *pose, int b, int k, double d, rigid *now)
{
    memcpy(now, pose, sizeof *now * BODIES);
    now[b] = moved(pose[b], k, d);
}

static inline double moved_length(const snCord *c, const rigid *pose, int b, int k, double d)
{
    rigid now[BODIES];
    move_body(pose, b, k, d, now);
    return length_at(c, now);
}

/* Largest change of a gradient from one pose to the next, whose gradient is kept; at the first there is none. */
static inline double change_of(const double *g, double *before, bool first)
{
    double most = 0;
    for (int k = 0; k < 6 * BODIES && !first; ++k) most = fmax(most, fabs(g[k] - before[k]));
    memcpy(before, g, sizeof *g * 6 * BODIES);
    return most;
}

#endif
