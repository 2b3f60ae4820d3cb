/* Key poses in joint coordinates and their interpolation.
 *
 * Each coordinate is a quintic per interval, given by value, velocity and acceleration at its two keys, hence C2. The
 * velocities and accelerations are those of the parabola through three keys, limited so that the curve does not
 * overshoot: the velocity is zero where the slope changes its sign or vanishes (as Fritsch and Carlson do for cubics),
 * the acceleration zero beside a hold. From rest to rest this is the minimum-jerk profile 10 s^3 - 15 s^4 + 6 s^5 of
 * human reaching (Flash and Hogan 1985). */
#include "sinew/motion.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "motion/interval.h"
#include "motion/poses.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct snPoses {
    snArena arena;
    snNameMap names;
    int32_t columns, frames;
    const char **name;
    double *time;
    double *value, *velocity, *acceleration; /* frames x columns */
};

static double slope(const snPoses *p, int32_t frame, int32_t column)
{
    const double *v = p->value + (size_t)frame * (size_t)p->columns + column;
    return (v[p->columns] - v[0]) / (p->time[frame + 1] - p->time[frame]);
}

static double clamp_to(double x, double bound)
{
    return fmax(-bound, fmin(bound, x));
}

/* Velocity and acceleration of an inner key from the slopes a, b of its two intervals, of lengths h and k. */
static void inner_key(double a, double b, double h, double k, double *velocity, double *acceleration)
{
    *velocity = *acceleration = 0;
    if (a == 0 || b == 0) return;
    double bend = 2 * (b - a) / (h + k);
    if (a * b < 0) {
        *acceleration = clamp_to(bend, 8 * fmin(fabs(a) / h, fabs(b) / k));
        return;
    }
    *velocity = clamp_to((a * k + b * h) / (h + k), 2 * fmin(fabs(a), fabs(b)));
    *acceleration = clamp_to(bend, 4 * fabs(*velocity) / fmax(h, k));
}

static void set_derivatives(snPoses *p, bool rest)
{
    int32_t last = p->frames - 1;
    for (int32_t c = 0; c < p->columns; ++c) {
        for (int32_t f = 1; f < last; ++f) {
            size_t at = (size_t)f * (size_t)p->columns + (size_t)c;
            inner_key(slope(p, f - 1, c), slope(p, f, c), p->time[f] - p->time[f - 1], p->time[f + 1] - p->time[f],
                      &p->velocity[at], &p->acceleration[at]);
        }
        if (rest || last == 0) continue;
        size_t end = (size_t)last * (size_t)p->columns + (size_t)c;
        p->velocity[c] = slope(p, 0, c);
        p->velocity[end] = slope(p, last - 1, c);
    }
}

static snStatus check_values(const snPoses *p, snError *error)
{
    for (int32_t f = 0; f < p->frames; ++f) {
        if (!isfinite(p->time[f])) return sn_fail(error, SN_BAD_INPUT, "the time of frame %d is not finite", f + 1);
        if (f && p->time[f] <= p->time[f - 1])
            return sn_fail(error, SN_BAD_INPUT, "the time %g does not come after %g", p->time[f], p->time[f - 1]);
        for (int32_t c = 0; c < p->columns; ++c)
            if (!isfinite(p->value[(size_t)f * (size_t)p->columns + (size_t)c]))
                return sn_fail(error, SN_BAD_INPUT, "%s at time %g is not finite", p->name[c], p->time[f]);
    }
    return p->frames ? SN_OK : sn_fail(error, SN_BAD_INPUT, "the motion has no frames");
}

static snStatus copy_names(snPoses *p, const char *const *name, snError *error)
{
    for (int32_t c = 0; c < p->columns; ++c) {
        if (!name[c][0] || sn_map_get(&p->names, name[c]) >= 0)
            return sn_fail(error, SN_BAD_INPUT, "the column name \"%.80s\" is empty or there twice", name[c]);
        p->name[c] = sn_arena_strdup(&p->arena, name[c]);
        if (!p->name[c] || !sn_map_put(&p->names, p->name[c], c)) return sn_fail_no_memory(error);
    }
    return SN_OK;
}

static snStatus fill(snPoses *p, const char *const *name, const double *time, const double *value, snError *error)
{
    size_t n = (size_t)p->frames * (size_t)p->columns;
    p->name = sn_arena_alloc(&p->arena, (size_t)p->columns, sizeof *p->name);
    p->time = SN_NEW_ARRAY(double, p->frames);
    p->value = SN_NEW_ARRAY(double, n);
    p->velocity = SN_NEW_ARRAY(double, n);
    p->acceleration = SN_NEW_ARRAY(double, n);
    if (!p->name || !p->time || !p->value || !p->velocity || !p->acceleration) return sn_fail_no_memory(error);
    if (p->frames) memcpy(p->time, time, (size_t)p->frames * sizeof *time);
    if (n) memcpy(p->value, value, n * sizeof *value);
    snStatus status = copy_names(p, name, error);
    return status == SN_OK ? check_values(p, error) : status;
}

snStatus sn_poses_create(int32_t columns, const char *const *name, int32_t frames, const double *time,
                         const double *value, bool rest, snPoses **poses, snError *error)
{
    assert(columns >= 0 && frames >= 0);
    snPoses *p = SN_NEW(snPoses);
    if (!p) return sn_fail_no_memory(error);
    p->columns = columns;
    p->frames = frames;
    snStatus status = fill(p, name, time, value, error);
    if (status != SN_OK) {
        sn_poses_destroy(p);
        return status;
    }
    set_derivatives(p, rest);
    *poses = p;
    return SN_OK;
}

void sn_poses_destroy(snPoses *p)
{
    if (!p) return;
    sn_map_free(&p->names);
    sn_arena_free(&p->arena);
    sn_free(p->time);
    sn_free(p->value);
    sn_free(p->velocity);
    sn_free(p->acceleration);
    sn_free(p);
}

int32_t sn_poses_columns(const snPoses *p)
{
    return p->columns;
}
const char *sn_poses_name(const snPoses *p, int32_t column)
{
    return p->name[column];
}
int32_t sn_poses_find(const snPoses *p, const char *name)
{
    return sn_map_get(&p->names, name);
}
int32_t sn_poses_frames(const snPoses *p)
{
    return p->frames;
}
double sn_poses_time(const snPoses *p, int32_t frame)
{
    return p->time[frame];
}
const double *sn_poses_key(const snPoses *p, int32_t frame)
{
    return p->value + (size_t)frame * (size_t)p->columns;
}

/* The quintic with the given value, velocity and acceleration at s = 0 and s = 1, all per unit of s. */
static void quintic(const double k0[3], const double k1[3], double s, double out[3])
{
    double d = k1[0] - k0[0] - k0[1] - k0[2] / 2, e = k1[1] - k0[1] - k0[2], f = k1[2] - k0[2];
    double c3 = 10 * d - 4 * e + f / 2, c4 = -15 * d + 7 * e - f, c5 = 6 * d - 3 * e + f / 2;
    out[0] = k0[0] + s * (k0[1] + s * (k0[2] / 2 + s * (c3 + s * (c4 + s * c5))));
    out[1] = k0[1] + s * (k0[2] + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)));
    out[2] = k0[2] + s * (6 * c3 + s * (12 * c4 + s * 20 * c5));
}

void sn_poses_at(const snPoses *p, double time, double *value, double *velocity, double *acceleration)
{
    size_t n = (size_t)p->columns;
    int32_t last = p->frames - 1;
    if (last == 0 || time < p->time[0] || time > p->time[last]) {
        memcpy(value, sn_poses_key(p, time > p->time[last] ? last : 0), n * sizeof *value);
        if (velocity) memset(velocity, 0, n * sizeof *velocity);
        if (acceleration) memset(acceleration, 0, n * sizeof *acceleration);
        return;
    }
    int32_t i = sn_find_interval(p->time, p->frames, time);
    double h = p->time[i + 1] - p->time[i], s = (time - p->time[i]) / h;
    for (size_t c = 0; c < n; ++c) {
        size_t a = (size_t)i * n + c, b = a + n;
        double k0[3] = {p->value[a], h * p->velocity[a], h * h * p->acceleration[a]}, out[3];
        double k1[3] = {p->value[b], h * p->velocity[b], h * h * p->acceleration[b]};
        quintic(k0, k1, s, out);
        value[c] = out[0];
        if (velocity) velocity[c] = out[1] / h;
        if (acceleration) acceleration[c] = out[2] / (h * h);
    }
}
