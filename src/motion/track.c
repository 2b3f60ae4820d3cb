/* Tracks: frames at increasing times in one block of doubles, and smooth interpolation between them.
 *
 * Invariants:
 * 1. Frame f occupies store.value[f * stride .. (f + 1) * stride): poses, then points, then scalars.
 * 2. Times increase strictly; every value is finite; every rotation has a norm between 0.5 and 2.
 * 3. Values are kept bit for bit as given. Rotations are made unit and of like sign only when interpolating.
 *
 * Positions are cubic Hermite curves whose key velocities come from the parabola through three neighbouring keys.
 * Rotations do the same in the log space of the left key: q(t) = q0 exp(u(t)), where u is a cubic from 0 to
 * log(q0^-1 q1) whose end derivatives are those that give the wanted angular velocities at both keys. Angular velocity
 * in body axes is Jr(u) u', with Jr the right Jacobian of the exponential map, so that the velocity returned is the
 * exact derivative of the interpolation. A motion at constant velocity is reproduced. */
#include "motion/track.h"
#include "base/def.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "math/vec.h"
#include "motion/interval.h"
#include "motion/store.h"

#include <assert.h>
#include <string.h>

static const size_t REST = (size_t)1 << 21; /* doubles: 16 MB of a large track are in memory while it grows */

struct snTrack {
    snArena arena; /* names */
    snTrackDef def;
    int32_t npoint;
    snNameMap body, strand, scalar;
    int32_t frames, capacity;
    size_t stride;
    double *time;
    snStore store;
};

static const char *const *copy_names(snArena *arena, snNameMap *map, const char *const *name, int32_t count,
                                     snStatus *status)
{
    const char **copy = sn_arena_alloc(arena, (size_t)count + 1, sizeof *copy);
    if (!copy) *status = SN_NO_MEMORY;
    for (int32_t i = 0; i < count && *status == SN_OK; ++i) {
        if (!name[i] || !name[i][0] || sn_map_get(map, name[i]) >= 0)
            *status = SN_BAD_INPUT;
        else if (!(copy[i] = sn_arena_strdup(arena, name[i])) || !sn_map_put(map, copy[i], i))
            *status = SN_NO_MEMORY;
    }
    return copy;
}

static snStatus copy_def(snTrack *t, const snTrackDef *def)
{
    snStatus status = SN_OK;
    t->def = *def;
    t->def.size = sizeof t->def;
    t->def.model = sn_arena_strdup(&t->arena, def->model ? def->model : "");
    if (!t->def.model) return SN_NO_MEMORY;
    t->def.body_name = copy_names(&t->arena, &t->body, def->body_name, def->nbody, &status);
    if (status == SN_OK)
        t->def.strand_name = copy_names(&t->arena, &t->strand, def->strand_name, def->nstrand, &status);
    if (status == SN_OK)
        t->def.scalar_name = copy_names(&t->arena, &t->scalar, def->scalar_name, def->nscalar, &status);
    if (status != SN_OK) return status;
    int32_t *count = sn_arena_alloc(&t->arena, (size_t)def->nstrand, sizeof *count);
    if (!count) return SN_NO_MEMORY;
    t->def.strand_npoint = count;
    for (int32_t i = 0; i < def->nstrand; ++i) {
        count[i] = def->strand_npoint[i];
        if (count[i] < 1 || count[i] > INT32_MAX - t->npoint) return SN_BAD_INPUT;
        t->npoint += count[i];
    }
    t->stride = 7 * (size_t)def->nbody + 3 * (size_t)t->npoint + (size_t)def->nscalar;
    return SN_OK;
}

snStatus sn_track_create(const snTrackDef *def, snTrack **track)
{
    snTrackDef taken = sn_default_track_def();
    if (SN_TAKE_DEF(def, snTrackDef, taken, NULL)) return SN_BAD_ARGUMENT;
    if (!track || def->nbody < 0 || def->nstrand < 0 || def->nscalar < 0) return SN_BAD_ARGUMENT;
    if ((def->nbody && !def->body_name) || (def->nscalar && !def->scalar_name)) return SN_BAD_ARGUMENT;
    if (def->nstrand && (!def->strand_name || !def->strand_npoint)) return SN_BAD_ARGUMENT;
    snTrack *t = SN_NEW(snTrack);
    if (!t) return SN_NO_MEMORY;
    snStatus status = copy_def(t, def);
    if (status == SN_OK)
        *track = t;
    else
        sn_track_destroy(t);
    return status;
}

void sn_track_destroy(snTrack *t)
{
    if (!t) return;
    sn_map_free(&t->body);
    sn_map_free(&t->strand);
    sn_map_free(&t->scalar);
    sn_free(t->time);
    sn_store_free(&t->store);
    sn_arena_free(&t->arena);
    sn_free(t);
}

static bool reserve(snTrack *t)
{
    if (t->frames < t->capacity) return true;
    if (t->capacity > INT32_MAX / 2) return false;
    int32_t first = t->stride < 10000 ? 64 : 1; /* a frame may be large */
    int32_t wanted = t->capacity ? 2 * t->capacity : first;
    double *time = sn_realloc(t->time, (size_t)t->frames, (size_t)wanted, sizeof *time);
    if (!time) return false;
    t->time = time;
    if (!sn_store_grow(&t->store, (size_t)t->frames * t->stride, (size_t)wanted * t->stride)) return false;
    t->capacity = wanted;
    return true;
}

static bool all_finite(const double *value, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!isfinite(value[i])) return false;
    return true;
}

static bool rotations_valid(const double *pose, int32_t nbody)
{
    for (int32_t i = 0; i < nbody; ++i) {
        quat q = q_load(pose + 7 * i + 3);
        double n2 = q_dot(q, q);
        if (!(n2 >= 0.25 && n2 <= 4)) return false;
    }
    return true;
}

/* Positions beyond a thousand kilometres are a mistake of units, or a simulation that has run away. */
static bool within_reach(const snTrack *t, const double *pose, const double *point)
{
    for (int32_t i = 0; i < t->def.nbody; ++i)
        for (int k = 0; k < 3; ++k)
            if (fabs(pose[7 * (size_t)i + (size_t)k]) > SN_FARTHEST) return false;
    for (size_t i = 0; i < 3 * (size_t)t->npoint; ++i)
        if (fabs(point[i]) > SN_FARTHEST) return false;
    return true;
}

snStatus sn_track_append(snTrack *t, double time, const double *pose, const double *point, const double *scalar)
{
    if (!t) return SN_BAD_ARGUMENT;
    size_t npose = 7 * (size_t)t->def.nbody, npoint = 3 * (size_t)t->npoint, nscalar = (size_t)t->def.nscalar;
    if ((npose && !pose) || (npoint && !point) || (nscalar && !scalar)) return SN_BAD_ARGUMENT;
    if (!isfinite(time) || (t->frames && time <= t->time[t->frames - 1])) return SN_BAD_INPUT;
    if (!all_finite(pose, npose) || !all_finite(point, npoint) || !all_finite(scalar, nscalar)) return SN_BAD_INPUT;
    if (!rotations_valid(pose, t->def.nbody) || !within_reach(t, pose, point)) return SN_BAD_INPUT;
    if (!reserve(t)) return SN_NO_MEMORY;
    double *to = t->store.value + (size_t)t->frames * t->stride;
    if (npose) memcpy(to, pose, npose * sizeof *to);
    if (npoint) memcpy(to + npose, point, npoint * sizeof *to);
    if (nscalar) memcpy(to + npose + npoint, scalar, nscalar * sizeof *to);
    t->time[t->frames++] = time;
    size_t used = (size_t)t->frames * t->stride;
    if (used / REST > (used - t->stride) / REST) sn_store_rest(&t->store, used);
    return SN_OK;
}

void sn_track_rest(const snTrack *t)
{
    snStore store = t->store; /* the values stay as they are */
    sn_store_rest(&store, (size_t)t->frames * t->stride);
}

int32_t sn_track_frames(const snTrack *t)
{
    return t ? t->frames : 0;
}
const snTrackDef *sn_track_def(const snTrack *t)
{
    return t ? &t->def : NULL;
}
snTrackFrame sn_track_frame(const snTrack *t, int32_t frame)
{
    if (!t || frame < 0 || frame >= t->frames) return (snTrackFrame){0};
    const double *pose = t->store.value + (size_t)frame * t->stride;
    const double *point = pose + 7 * (size_t)t->def.nbody;
    return (snTrackFrame){
        .time = t->time[frame], .pose = pose, .point = point, .scalar = point + 3 * (size_t)t->npoint};
}
int32_t sn_track_find(const snTrack *t, snChannel kind, const char *name)
{
    if (!t || !name) return -1;
    const snNameMap *map = kind == SN_CHANNEL_BODY ? &t->body : kind == SN_CHANNEL_STRAND ? &t->strand : &t->scalar;
    return sn_map_get(map, name);
}

/* ---- interpolation -------------------------------------------------------------------------- */

static quat rotation_at(const snTrack *t, int32_t body, int32_t frame)
{
    return q_unit(q_load(sn_track_pose(t, frame) + 7 * body + 3));
}

static v3 position_at(const snTrack *t, int32_t body, int32_t frame)
{
    return v3_load(sn_track_pose(t, frame) + 7 * body);
}

/* Mean velocity from frame to frame + 1. The rotation vector has the same components in the axes of both keys. */
static v3 chord_linear(const snTrack *t, int32_t body, int32_t frame)
{
    v3 d = v3_sub(position_at(t, body, frame + 1), position_at(t, body, frame));
    return v3_scale(d, 1 / (t->time[frame + 1] - t->time[frame]));
}

static v3 chord_angular(const snTrack *t, int32_t body, int32_t frame)
{
    quat q = q_mul(q_conj(rotation_at(t, body, frame)), rotation_at(t, body, frame + 1));
    return v3_scale(q_log(q), 1 / (t->time[frame + 1] - t->time[frame]));
}

typedef v3 (*chordFn)(const snTrack *t, int32_t body, int32_t frame);

/* Velocity at a key: that of the parabola through it and its neighbours; at the ends, of the last parabola. */
static v3 key_velocity(const snTrack *t, chordFn chord, int32_t body, int32_t frame)
{
    int32_t last = t->frames - 1;
    if (last == 1) return chord(t, body, 0);
    if (frame == 0) return v3_sub(v3_scale(chord(t, body, 0), 2), key_velocity(t, chord, body, 1));
    if (frame == last) return v3_sub(v3_scale(chord(t, body, last - 1), 2), key_velocity(t, chord, body, last - 1));
    double before = t->time[frame] - t->time[frame - 1], after = t->time[frame + 1] - t->time[frame];
    v3 a = chord(t, body, frame - 1), b = chord(t, body, frame);
    return v3_scale(v3_add(v3_scale(a, after), v3_scale(b, before)), 1 / (before + after));
}

/* The cubic with value 0 and slope m0 at s = 0, value p1 and slope m1 at s = 1, and its derivative. */
static v3 hermite(v3 p1, v3 m0, v3 m1, double s, v3 *derivative)
{
    double s2 = s * s, s3 = s2 * s;
    double a = s3 - 2 * s2 + s, b = 3 * s2 - 2 * s3, c = s3 - s2;
    double da = 3 * s2 - 4 * s + 1, db = 6 * (s - s2), dc = 3 * s2 - 2 * s;
    *derivative = v3_add(v3_add(v3_scale(m0, da), v3_scale(p1, db)), v3_scale(m1, dc));
    return v3_add(v3_add(v3_scale(m0, a), v3_scale(p1, b)), v3_scale(m1, c));
}

/* Jr(u) w with Jr = I - (1 - cos a)/a^2 [u] + (a - sin a)/a^3 [u]^2, a = |u|: body angular velocity of exp(u). */
static v3 right_jacobian(v3 u, v3 w)
{
    double a2 = v3_len2(u), a = sqrt(a2);
    double b = a > 1e-3 ? (1 - cos(a)) / a2 : 0.5 - a2 / 24,
           c = a > 1e-3 ? (a - sin(a)) / (a2 * a) : 1.0 / 6 - a2 / 120;
    v3 uw = v3_cross(u, w);
    return v3_mad(v3_mad(w, -b, uw), c, v3_cross(u, uw));
}

/* Its inverse: I + [u]/2 + (1/a^2 - cot(a/2)/(2 a)) [u]^2, regular for a <= pi. */
static v3 right_jacobian_inverse(v3 u, v3 w)
{
    double a2 = v3_len2(u), a = sqrt(a2);
    double c = a > 1e-3 ? 1 / a2 - cos(a / 2) / (2 * a * sin(a / 2)) : 1.0 / 12 + a2 / 720;
    v3 uw = v3_cross(u, w);
    return v3_mad(v3_mad(w, 0.5, uw), c, v3_cross(u, uw));
}

static void interpolate_position(const snTrack *t, int32_t body, int32_t i, double s, double h, double *out,
                                 double *rate)
{
    v3 p0 = position_at(t, body, i), d;
    v3 m0 = v3_scale(key_velocity(t, chord_linear, body, i), h);
    v3 m1 = v3_scale(key_velocity(t, chord_linear, body, i + 1), h);
    v3 p = hermite(v3_sub(position_at(t, body, i + 1), p0), m0, m1, s, &d);
    v3_store(out, v3_add(p0, p));
    if (rate) v3_store(rate, v3_scale(d, 1 / h));
}

static void interpolate_rotation(const snTrack *t, int32_t body, int32_t i, double s, double h, double *out,
                                 double *rate)
{
    quat q0 = rotation_at(t, body, i);
    v3 u1 = v3_scale(chord_angular(t, body, i), h), d;
    v3 m0 = v3_scale(key_velocity(t, chord_angular, body, i), h);
    v3 m1 = right_jacobian_inverse(u1, v3_scale(key_velocity(t, chord_angular, body, i + 1), h));
    v3 u = hermite(u1, m0, m1, s, &d);
    quat q = q_mul(q0, q_exp(u));
    q_store(out, q);
    if (rate) v3_store(rate, v3_scale(q_rotate(q, right_jacobian(u, d)), 1 / h));
}

void sn_track_pose_at(const snTrack *t, int32_t body, double time, double pose[7], double velocity[6])
{
    if (!t || !pose || t->frames == 0 || body < 0 || body >= t->def.nbody) return;
    int32_t last = t->frames - 1;
    if (last == 0 || time < t->time[0] || time > t->time[last]) {
        int32_t frame = time > t->time[last] ? last : 0;
        v3_store(pose, position_at(t, body, frame));
        q_store(pose + 3, rotation_at(t, body, frame));
        if (velocity) memset(velocity, 0, 6 * sizeof *velocity);
        return;
    }
    int32_t i = sn_find_interval(t->time, t->frames, time);
    double h = t->time[i + 1] - t->time[i], s = (time - t->time[i]) / h;
    interpolate_position(t, body, i, s, h, pose, velocity ? velocity + 3 : NULL);
    interpolate_rotation(t, body, i, s, h, pose + 3, velocity);
}

/* Control points follow the same parabolas as the bodies, so that strands stay on their bones between frames. */
static double value_at(const snTrack *t, size_t column, int32_t frame)
{
    return t->store.value[(size_t)frame * t->stride + column];
}

static double slope_at(const snTrack *t, size_t column, int32_t frame)
{
    int32_t last = t->frames - 1, left = frame > 0 ? frame - 1 : 0;
    if (frame == last && last > 1) left = last - 2;
    int32_t middle = left + 1, right = left + 2 < last ? left + 2 : last;
    double h0 = t->time[middle] - t->time[left];
    double a = (value_at(t, column, middle) - value_at(t, column, left)) / h0;
    if (right == middle) return a;
    double h1 = t->time[right] - t->time[middle];
    double b = (value_at(t, column, right) - value_at(t, column, middle)) / h1;
    double centre = (a * h1 + b * h0) / (h0 + h1);
    return frame == left ? 2 * a - centre : frame == right ? 2 * b - centre : centre;
}

void sn_track_points_at(const snTrack *t, double time, double *point)
{
    if (!t || !point) return;
    assert(t->frames > 0);
    size_t first = 7 * (size_t)t->def.nbody, count = 3 * (size_t)t->npoint;
    int32_t last = t->frames - 1;
    if (last == 0 || time <= t->time[0] || time >= t->time[last]) {
        memcpy(point, sn_track_point(t, time > t->time[0] ? last : 0), count * sizeof *point);
        return;
    }
    int32_t i = sn_find_interval(t->time, t->frames, time);
    double h = t->time[i + 1] - t->time[i], s = (time - t->time[i]) / h, s2 = s * s, s3 = s2 * s;
    for (size_t k = first; k < first + count; ++k) {
        double p0 = value_at(t, k, i), p1 = value_at(t, k, i + 1) - p0;
        double m0 = h * slope_at(t, k, i), m1 = h * slope_at(t, k, i + 1);
        point[k - first] = p0 + m0 * (s3 - 2 * s2 + s) + p1 * (3 * s2 - 2 * s3) + m1 * (s3 - s2);
    }
}

void sn_track_scalars_at(const snTrack *t, double time, double *scalar)
{
    if (!t || !scalar) return;
    assert(t->frames > 0);
    int32_t last = t->frames - 1;
    if (last == 0 || time <= t->time[0] || time >= t->time[last]) {
        memcpy(scalar, sn_track_scalar(t, time > t->time[0] ? last : 0), (size_t)t->def.nscalar * sizeof *scalar);
        return;
    }
    int32_t i = sn_find_interval(t->time, t->frames, time);
    double s = (time - t->time[i]) / (t->time[i + 1] - t->time[i]);
    const double *a = sn_track_scalar(t, i), *b = sn_track_scalar(t, i + 1);
    for (int32_t k = 0; k < t->def.nscalar; ++k) scalar[k] = a[k] + s * (b[k] - a[k]);
}
