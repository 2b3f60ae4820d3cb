/* Knots of tests: cords between three bodies, random poses, and what all cords of a knot do together. */
#ifndef SN_TESTS_PATH_KNOT_CASE_H
#define SN_TESTS_PATH_KNOT_CASE_H

#include "moved_cord.h"
#include "path/knot.h"

enum { NODES = 14, WIDTH = 6 * BODIES };

/* fiber: so short that the cord is on the rising branch; the slope of a falling one is taken as none. */
static inline snCord tendon(const snCordPoint *point, int32_t npoint, double belly, double rest, double fiber)
{
    return (snCord){.npoint = npoint,
                    .nslot = BODIES,
                    .point = point,
                    .tendon_rest = rest,
                    .belly_rest = belly,
                    .tendon = 900,
                    .passive = 40,
                    .active = 50,
                    .fiber = fiber,
                    .passive_law = {.kind = SN_LAW_HILL_PASSIVE},
                    .active_law = {.kind = SN_LAW_HILL_ACTIVE}};
}

static inline void some_poses(unsigned *seed, double turned, double shifted, rigid *pose)
{
    for (int b = 0; b < BODIES; ++b) {
        v3 turn = {pseudo(seed), pseudo(seed), pseudo(seed)}, shift = {pseudo(seed), pseudo(seed), pseudo(seed)};
        pose[b] = (rigid){q_exp(v3_scale(turn, turned)), v3_scale(shift, shifted)};
    }
}

static inline double energy_of(const snKnot *knot, const snKnotCordNow *now, const double *a)
{
    double sum = 0;
    for (int32_t i = 0; i < knot->ncord; ++i) sum += sn_cord_energy(knot->cord[i].cord, now[i].length, a[i]);
    return sum;
}

/* Force on the bodies: -sum T g. */
static inline void force_of(const snKnot *knot, const snKnotCordNow *now, double *f)
{
    memset(f, 0, sizeof *f * WIDTH);
    for (int32_t i = 0; i < knot->ncord; ++i)
        for (int k = 0; k < WIDTH; ++k) f[k] -= now[i].pull.tension * now[i].g[k];
}

/* How far the answer of the forces to an activation, from a little less of it to a little more, is from -dT/da g. */
static inline void compare_answer(const snKnotCordNow *now, const double *less, const double *more, double d,
                                  double *worst, double *largest)
{
    for (int k = 0; k < WIDTH; ++k) {
        double answer = (more[k] - less[k]) / (2 * d);
        *worst = fmax(*worst, fabs(answer + now->pull.by_a * now->g[k]));
        *largest = fmax(*largest, fabs(answer));
    }
}

#endif
