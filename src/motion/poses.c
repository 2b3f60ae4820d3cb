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
    bool *hidden;                            /* frames x columns: was not seen; NULL: all was */
    int32_t gaps;
};

/* From one key to another. */
static double slope(const snPoses *p, int32_t from, int32_t to, int32_t column)
{
    const double *v = p->value + column;
    return (v[(size_t)to * (size_t)p->columns] - v[(size_t)from * (size_t)p->columns]) / (p->time[to] - p->time[from]);
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

/* The next key of a column that was seen, from `frame` on in steps of 1 or -1; -1 or frames: none. */
static int32_t next_seen(const snPoses *p, int32_t frame, int32_t column, int32_t step)
{
    while (p->hidden && frame >= 0 && frame < p->frames &&
           p->hidden[(size_t)frame * (size_t)p->columns + (size_t)column])
        frame += step;
    return frame;
}

static void derive_column(snPoses *p, int32_t c, bool rest)
{
    int32_t first = next_seen(p, 0, c, 1), last = next_seen(p, p->frames - 1, c, -1), before = first;
    size_t n = (size_t)p->columns, column = (size_t)c;
    for (int32_t f = next_seen(p, first + 1, c, 1), after; f < last; before = f, f = after) {
        size_t at = (size_t)f * n + column;
        after = next_seen(p, f + 1, c, 1);
        inner_key(slope(p, before, f, c), slope(p, f, after, c), p->time[f] - p->time[before],
                  p->time[after] - p->time[f], &p->velocity[at], &p->acceleration[at]);
    }
    if (rest || first == last) return;
    p->velocity[(size_t)first * n + column] = slope(p, first, next_seen(p, first + 1, c, 1), c);
    p->velocity[(size_t)last * n + column] = slope(p, next_seen(p, last - 1, c, -1), last, c);
}

static snStatus check_values(const snPoses *p, snError *error)
{
    for (int32_t f = 0; f < p->frames; ++f) {
        if (!isfinite(p->time[f])) return sn_fail(error, SN_BAD_INPUT, "the time of frame %d is not finite", f + 1);
        if (f && p->time[f] <= p->time[f - 1])
            return sn_fail(error, SN_BAD_INPUT, "the time %g does not come after %g", p->time[f], p->time[f - 1]);
        for (int32_t c = 0; c < p->columns; ++c)
            if (!isfinite(p->value[(size_t)f * (size_t)p->columns + (size_t)c]) &&
                !(p->hidden && p->hidden[(size_t)f * (size_t)p->columns + (size_t)c]))
                return sn_fail(error, SN_BAD_INPUT, "%s at time %g is not finite", p->name[c], p->time[f]);
    }
    return p->frames ? SN_OK : sn_fail(error, SN_BAD_INPUT, "the motion has no frames");
}

static snStatus copy_names(snPoses *p, const char *const *name, snError *error)
{
    for (int32_t c = 0; c < p->columns; ++c) {
        if (!name[c][0] || sn_map_get(&p->names, name[c]) >= 0)
            return sn_fail(error, SN_BAD_INPUT, "the column name \"%.80s\" is empty or appears twice", name[c]);
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
    return copy_names(p, name, error);
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

/* One column of the motion from key a to key b, at a time between them. */
static void between(const snPoses *p, int32_t a, int32_t b, int32_t c, double time, double out[3])
{
    size_t from = (size_t)a * (size_t)p->columns + (size_t)c, to = (size_t)b * (size_t)p->columns + (size_t)c;
    double h = p->time[b] - p->time[a], s = (time - p->time[a]) / h;
    double k0[3] = {p->value[from], h * p->velocity[from], h * h * p->acceleration[from]};
    double k1[3] = {p->value[to], h * p->velocity[to], h * h * p->acceleration[to]};
    quintic(k0, k1, s, out);
    out[1] /= h, out[2] /= h * h;
}

/* ---- gaps ----------------------------------------------------------------------------------- */

static snStatus find_gaps(snPoses *p, snError *error)
{
    size_t n = (size_t)p->frames * (size_t)p->columns;
    for (size_t i = 0; i < n; ++i) p->gaps += isnan(p->value[i]);
    if (!p->gaps) return SN_OK;
    p->hidden = SN_NEW_ARRAY(bool, n);
    if (!p->hidden) return sn_fail_no_memory(error);
    for (size_t i = 0; i < n; ++i) p->hidden[i] = isnan(p->value[i]);
    for (int32_t c = 0; c < p->columns; ++c)
        if (next_seen(p, 0, c, 1) == p->frames) {
            (void)sn_fail(error, SN_BAD_INPUT, "the column \"%.80s\" is empty: there is nothing to fill it in from",
                          p->name[c]);
            sn_error_remedy(error, "leave the column out, or give it a value in one row at least");
            return SN_BAD_INPUT;
        }
    return SN_OK;
}

/* What was not seen gets value, velocity and acceleration of the quintic over the gap, so that what is sampled between
 * the keys within the gap is that quintic again. */
static void fill_gaps(snPoses *p)
{
    for (int32_t c = 0; c < p->columns && p->hidden; ++c)
        for (int32_t f = 0; f < p->frames; ++f) {
            size_t at = (size_t)f * (size_t)p->columns + (size_t)c;
            int32_t before = next_seen(p, f, c, -1), after = next_seen(p, f, c, 1);
            double out[3] = {0, 0, 0};
            if (!p->hidden[at]) continue;
            if (before >= 0 && after < p->frames)
                between(p, before, after, c, p->time[f], out);
            else
                out[0] = sn_poses_key(p, before >= 0 ? before : after)[c];
            p->value[at] = out[0], p->velocity[at] = out[1], p->acceleration[at] = out[2];
        }
}

int32_t sn_poses_gaps(const snPoses *p)
{
    return p->gaps;
}

bool sn_poses_seen(const snPoses *p, int32_t column, double time)
{
    int32_t last = p->frames - 1;
    if (!p->hidden) return true;
    int32_t i = last == 0 || time <= p->time[0] ? 0
                : time >= p->time[last]         ? last
                                                : sn_find_interval(p->time, p->frames, time);
    const bool *hidden = p->hidden + (size_t)i * (size_t)p->columns + (size_t)column;
    return !hidden[0] && (i == last || time == p->time[i] || !hidden[p->columns]);
}

/* ---- life ----------------------------------------------------------------------------------- */

static snStatus create(const snPoses *head, const char *const *name, const double *time, const double *value, bool rest,
                       bool gaps, snPoses **poses, snError *error)
{
    snPoses *p = SN_NEW(snPoses);
    if (!p) return sn_fail_no_memory(error);
    p->columns = head->columns;
    p->frames = head->frames;
    snStatus status = fill(p, name, time, value, error);
    if (status == SN_OK && gaps) status = find_gaps(p, error);
    if (status == SN_OK) status = check_values(p, error);
    if (status != SN_OK) {
        sn_poses_destroy(p);
        return status;
    }
    for (int32_t c = 0; c < p->columns; ++c) derive_column(p, c, rest);
    fill_gaps(p);
    *poses = p;
    return SN_OK;
}

snStatus sn_poses_create(int32_t columns, const char *const *name, int32_t frames, const double *time,
                         const double *value, bool rest, snPoses **poses, snError *error)
{
    assert(columns >= 0 && frames >= 0);
    return create(&(snPoses){.columns = columns, .frames = frames}, name, time, value, rest, false, poses, error);
}

snStatus sn_poses_create_gappy(int32_t columns, const char *const *name, int32_t frames, const double *time,
                               const double *value, bool rest, snPoses **poses, snError *error)
{
    assert(columns >= 0 && frames >= 0);
    return create(&(snPoses){.columns = columns, .frames = frames}, name, time, value, rest, true, poses, error);
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
    sn_free(p->hidden);
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
    for (size_t c = 0; c < n; ++c) {
        double out[3];
        between(p, i, i + 1, (int32_t)c, time, out);
        value[c] = out[0];
        if (velocity) velocity[c] = out[1];
        if (acceleration) acceleration[c] = out[2];
    }
}
