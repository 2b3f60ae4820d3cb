/* What comes out of AutoStrands: curves rebuilt to a number of control points and kept inside the mesh, their quality,
 * and the physiological cross-section of a muscle. */
#include "author/autostrands.h"

#include "author/own/strands.h"
#include "base/alloc.h"
#include "base/error.h"
#include "math/spline.h"

#include <string.h>

enum {
    FINE = 4,       /* positions looked at for each sample of a strand */
    MAX_ROUNDS = 30 /* of moving a curve inside */
};

static v3 curve_at(const double *knot, const double *point, int32_t n, double s, int32_t *span, double b[4])
{
    *span = spline_basis(knot, n, s, *span, b, NULL, NULL);
    v3 p = {0, 0, 0};
    for (int i = 0; i < 4; ++i) p = v3_mad(p, b[i], v3_load(point + 3 * (*span + i)));
    return p;
}

/* Moves control points so that no position looked at is outside the mesh. */
static void move_inside(const snAutoStrands *a, const double *knot, double *point)
{
    int32_t n = a->control_points, fine = FINE * (a->samples - 1), span = 0;
    bool moved = true;
    for (int round = 0; moved && round < MAX_ROUNDS; ++round) {
        moved = false;
        for (int32_t i = 0; i <= fine; ++i) {
            double b[4];
            v3 p = curve_at(knot, point, n, (double)i / fine, &span, b);
            snMeshHit hit;
            double d = sn_bvh_signed_distance(a->tree, &a->side, p, INFINITY, &hit);
            if (d <= 1e-5) continue;
            /* the smallest change of the four control points that moves p to the wall and a little further */
            v3 way = v3_scale(v3_sub(hit.point, p), 1.1 / (b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]));
            for (int j = 0; j < 4; ++j)
                v3_store(point + 3 * (span + j), v3_mad(v3_load(point + 3 * (span + j)), b[j], way));
            moved = true;
        }
    }
}

snStatus sn_autostrands_finish(const snAutoStrands *a, double *point, snError *error)
{
    if (!a) return sn_fail_argument(error, "sn_autostrands_finish without strands");
    int32_t n = a->control_points;
    double *knot = SN_NEW_ARRAY(double, n + 4);
    if (!knot) return sn_fail_no_memory(error);
    spline_clamped_knots(knot, n);
    bool fine = true;
    for (int32_t s = 0; fine && s < a->count; ++s) {
        double *curve = point + 3 * (size_t)s * (size_t)n;
        fine = spline_fit(a->point + 3 * (size_t)s * (size_t)a->samples, a->samples, knot, n, curve) != 0;
        if (fine) move_inside(a, knot, curve);
    }
    sn_free(knot);
    return fine ? SN_OK : sn_fail_no_memory(error);
}

/* ---- quality ------------------------------------------------------------------------------------ */

/* Positions of the curves at FINE for each sample, strand by strand; NULL when out of memory. */
static double *fine_positions(const snAutoStrands *a, snError *error)
{
    int32_t n = a->control_points, fine = FINE * (a->samples - 1), span = 0;
    double *point = SN_NEW_ARRAY(double, 3 * (size_t)n * (size_t)a->count), *knot = SN_NEW_ARRAY(double, n + 4);
    double *position = SN_NEW_ARRAY(double, 3 * (size_t)(fine + 1) * (size_t)a->count), b[4];
    bool made = point && knot && position && sn_autostrands_finish(a, point, error) == SN_OK;
    if (made) {
        spline_clamped_knots(knot, n);
        for (int32_t s = 0; s < a->count; ++s)
            for (int32_t i = 0; i <= fine; ++i)
                v3_store(position + 3 * ((size_t)s * (size_t)(fine + 1) + (size_t)i),
                         curve_at(knot, point + 3 * (size_t)s * (size_t)n, n, (double)i / fine, &span, b));
    } else {
        sn_free(position), position = NULL;
        sn_fail_no_memory(error);
    }
    sn_free(point);
    sn_free(knot);
    return position;
}

static double distance_to_segment(v3 p, v3 from, v3 to)
{
    v3 way = v3_sub(to, from);
    double length2 = v3_len2(way), t = length2 > 0 ? fmin(fmax(v3_dot(v3_sub(p, from), way) / length2, 0), 1) : 0;
    return v3_dist(p, v3_mad(from, t, way));
}

/* Distance from position i of a strand to another strand. */
static double distance_to_strand(const double *position, int32_t fine, int32_t strand, int32_t i, int32_t other)
{
    const double *to = position + 3 * (size_t)other * (size_t)(fine + 1);
    v3 p = v3_load(position + 3 * ((size_t)strand * (size_t)(fine + 1) + (size_t)i));
    double least = INFINITY;
    for (int32_t j = 0; j < fine; j += 2) { /* pieces of half a sample */
        v3 from = v3_load(to + 3 * j), end = v3_load(to + 3 * (j + 2 <= fine ? j + 2 : fine));
        least = fmin(least, distance_to_segment(p, from, end));
    }
    return least;
}

/* Spacing in every section between the ends; nearest: scratch, one for each strand. */
static void measure_spacing(const snAutoStrands *a, const double *position, double *nearest, snAutoStrandsQuality *q)
{
    int32_t fine = FINE * (a->samples - 1), sections = a->samples - 2;
    double sum = 0, squares = 0;
    q->nearest = INFINITY;
    for (int32_t k = 1; k + 1 < a->samples; ++k) {
        double mean = 0;
        for (int32_t s = 0; s < a->count; ++s) {
            nearest[s] = INFINITY;
            for (int32_t o = 0; o < a->count; ++o)
                if (o != s) nearest[s] = fmin(nearest[s], distance_to_strand(position, fine, s, FINE * k, o));
            mean += nearest[s] / a->count;
        }
        sum += mean / sections;
        for (int32_t s = 0; s < a->count; ++s) {
            double relative = nearest[s] / mean;
            squares += (relative - 1) * (relative - 1) / ((double)sections * a->count);
            q->nearest = fmin(q->nearest, relative);
        }
    }
    q->spacing = sum, q->spacing_variation = sqrt(squares);
}

static v3 separation(const snAutoStrands *a, const double *position, int32_t s, int32_t o, int32_t k, v3 *tangent)
{
    size_t per = (size_t)FINE * (size_t)(a->samples - 1) + 1, i = (size_t)(FINE * k);
    const double *ps = position + 3 * ((size_t)s * per + i), *po = position + 3 * ((size_t)o * per + i);
    *tangent = v3_unit(v3_add(v3_sub(v3_load(ps + 3), v3_load(ps - 3)), v3_sub(v3_load(po + 3), v3_load(po - 3))));
    v3 d = v3_sub(v3_load(po), v3_load(ps));
    return v3_mad(d, -v3_dot(d, *tangent), *tangent);
}

/* Angle by which the separation of two strands turns about them from section k - 1 to k. */
static double turn_at(const snAutoStrands *a, const double *position, int32_t s, int32_t o, int32_t k)
{
    v3 tangent, before = separation(a, position, s, o, k - 1, &tangent),
                now = separation(a, position, s, o, k, &tangent);
    return atan2(v3_dot(v3_cross(before, now), tangent), v3_dot(before, now));
}

/* By how much the whole muscle twists from section k - 1 to k: the mean over pairs that are
 * neighbours in the middle. */
static double twist_at(const snAutoStrands *a, const double *position, double near, int32_t k)
{
    v3 t;
    double sum = 0;
    int32_t n = 0;
    for (int32_t s = 0; s < a->count; ++s)
        for (int32_t o = s + 1; o < a->count; ++o)
            if (v3_len(separation(a, position, s, o, a->samples / 2, &t)) < near)
                sum += turn_at(a, position, s, o, k), ++n;
    return n ? sum / n : 0;
}

/* Whether the separation of two strands turns by more than a right angle about them, more than the muscle itself twists
 * (twist: per section), while they are side by side. */
static bool changes_sides(const snAutoStrands *a, const double *position, const double *twist, double apart, int32_t s,
                          int32_t o)
{
    v3 tangent, before = separation(a, position, s, o, 1, &tangent);
    double turn = 0, least = 0, most = 0;
    bool changed = false;
    for (int32_t k = 2; k + 1 < a->samples; ++k) {
        v3 now = separation(a, position, s, o, k, &tangent);
        turn += atan2(v3_dot(v3_cross(before, now), tangent), v3_dot(before, now)) - twist[k];
        if (v3_len(before) > apart) least = most = turn;
        least = fmin(least, turn), most = fmax(most, turn);
        changed = changed || most - least > SN_PI / 2;
        before = now;
    }
    return changed;
}

static void count_crossings(const snAutoStrands *a, const double *position, double *twist, snAutoStrandsQuality *q)
{
    v3 t;
    int32_t middle = a->samples / 2;
    for (int32_t k = 2; k + 1 < a->samples; ++k) twist[k] = twist_at(a, position, 1.5 * q->spacing, k);
    for (int32_t s = 0; s < a->count; ++s)
        for (int32_t o = s + 1; o < a->count; ++o)
            if (v3_len(separation(a, position, s, o, middle, &t)) < 1.5 * q->spacing)
                q->crossings += changes_sides(a, position, twist, 2 * q->spacing, s, o);
}

static void measure_wall(const snAutoStrands *a, const double *position, snAutoStrandsQuality *q)
{
    int32_t per = FINE * (a->samples - 1) + 1;
    q->wall_least = INFINITY;
    for (int32_t i = 0; i < per * a->count; ++i) {
        double d = sn_bvh_signed_distance(a->tree, &a->side, v3_load(position + 3 * (size_t)i), INFINITY, NULL);
        q->outside = fmax(q->outside, d);
        q->wall += fmax(-d, 0) / ((double)per * a->count);
        bool between = i % per >= FINE && i % per < per - FINE;
        if (between && d <= 0) q->wall_least = fmin(q->wall_least, -d);
    }
}

static void measure_bend(const snAutoStrands *a, const double *position, snAutoStrandsQuality *q)
{
    int32_t per = FINE * (a->samples - 1) + 1;
    for (int32_t s = 0; s < a->count; ++s) {
        const double *p = position + 3 * (size_t)s * (size_t)per;
        for (int32_t i = 1; i < per; ++i)
            q->mean_length += v3_dist(v3_load(p + 3 * i), v3_load(p + 3 * i - 3)) / a->count;
        for (int32_t i = FINE; i + FINE < per; i += FINE) {
            v3 u = v3_sub(v3_load(p + 3 * i), v3_load(p + 3 * (i - FINE)));
            v3 v = v3_sub(v3_load(p + 3 * (i + FINE)), v3_load(p + 3 * i));
            q->bend = fmax(q->bend, atan2(v3_len(v3_cross(u, v)), v3_dot(u, v)) / SN_DEG);
        }
    }
}

snStatus sn_autostrands_quality(const snAutoStrands *a, snAutoStrandsQuality *quality, snError *error)
{
    if (!a) return sn_fail_argument(error, "sn_autostrands_quality without strands");
    double *nearest = SN_NEW_ARRAY(double, a->count), *position = nearest ? fine_positions(a, error) : NULL;
    double *twist = position ? SN_NEW_ARRAY(double, a->samples) : NULL;
    if (twist) {
        snAutoStrandsQuality q = {0};
        if (a->count > 1) {
            measure_spacing(a, position, nearest, &q);
            count_crossings(a, position, twist, &q);
        }
        measure_wall(a, position, &q);
        measure_bend(a, position, &q);
        *quality = q;
    }
    bool fine = twist != NULL;
    sn_free(twist);
    sn_free(position);
    sn_free(nearest);
    return fine ? SN_OK : sn_fail_no_memory(error);
}

/* ---- physiological cross-section ---------------------------------------------------------------- */

snStatus sn_measure_muscle(const snMesh *mesh, int32_t nstrand, int32_t nposition, const double *position,
                           snMuscleMeasure *measure, snError *error)
{
    if (!mesh) return sn_fail_argument(error, "sn_measure_muscle without mesh");
    snTriMesh view = {mesh->nvertex, mesh->ntriangle, mesh->vertex, mesh->triangle};
    snStatus status = sn_trimesh_require(&view, true, "the muscle mesh", error);
    if (status != SN_OK) return status;
    double length = 0, volume;
    for (int32_t s = 0; s < nstrand; ++s)
        for (int32_t i = 1; i < nposition; ++i) {
            const double *p = position + 3 * ((size_t)s * (size_t)nposition + (size_t)i);
            length += v3_dist(v3_load(p), v3_load(p - 3)) / nstrand;
        }
    if (!(length > 0)) return sn_fail(error, SN_BAD_INPUT, "the muscle has no strand that has a length");
    sn_trimesh_integrals(&view, &volume, NULL, NULL);
    *measure = (snMuscleMeasure){volume, length, volume / length};
    return SN_OK;
}
