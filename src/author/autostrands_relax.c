/* The relaxation of AutoStrands. A step moves a point p towards c, the mean of the samples of its section that are
 * nearest to it, and against the bending of its strand,
 *     p += w (repulsion (c - p) + stiffness (b - (b- + b+) / 2)) / (repulsion + 4 stiffness),   w = 1.5,
 * where b leads from a point to the middle between its neighbours and b-, b+ are those of the neighbours: the slope of
 * the bending energy. (Pulling to the middle itself, as a string does, shrinks bellies and cuts bends short before it
 * takes away the zigzag.) The divisor bounds the step's largest eigenvalue by w, so that any pair of parameters is
 * stable. Distances to samples are taken across the strand only: a section is as thick as the spacing of its points. */
#include "author/autostrands.h"

#include <string.h>

static const double over_relaxation = 1.5;
static const double whole_steps = 40; /* from then on w falls as 1 / steps: see damping_of */
static const double margin_of_spacing = 0.15;
static const double beginning = 0.85; /* of a section's width: wider, the parts of several inputs overlap */

/* ---- the wall ----------------------------------------------------------------------------------- */

/* The nearest place inside by at least the margin; the place itself when it is there already. */
static v3 keep_inside(const snAutoStrands *a, v3 place, double margin)
{
    snMeshHit hit;
    double d = sn_bvh_signed_distance(a->tree, &a->side, place, INFINITY, &hit);
    if (d <= -margin) return place;
    v3 out = v3_scale(v3_sub(place, hit.point), d > 0 ? 1 : -1);
    double length = v3_len(out);
    out = length > 1e-9 ? v3_scale(out, 1 / length) : v3_unit(v3_load(a->side.face + 3 * (size_t)hit.triangle));
    /* where the muscle is thinner than the margin, as deep as it goes */
    for (int i = 0; i < 4; ++i, margin *= 0.5) {
        v3 moved = v3_mad(hit.point, -margin, out);
        if (sn_bvh_signed_distance(a->tree, &a->side, moved, INFINITY, NULL) <= -0.5 * margin) return moved;
    }
    return hit.point;
}

/* ---- the beginning ------------------------------------------------------------------------------ */

/* A section of one input's part of the muscle: its plane's axes, the mean of its samples, and twice the root of their
 * covariance in the plane, a symmetric matrix that turns a unit disc into the ellipse as wide as the samples. */
typedef struct {
    v3 mean, across, other;
    double xx, xy, yy;
    double major, flat; /* angle of the longest axis in the plane, and how much longer it is: 0 round, 1 a line */
} Shape;

static void measure_shape(const snAutoStrands *a, int32_t input, int32_t k, Shape *shape)
{
    int32_t n = 0;
    v3 sum = {0, 0, 0};
    for (int32_t s = a->first[k]; s < a->first[k + 1]; ++s)
        if (a->owner[s] == input) sum = v3_add(sum, v3_load(a->place + 3 * (size_t)s)), ++n;
    shape->mean = sn_autostrands_path(a, input, k);
    shape->xx = shape->yy = a->spacing[k], shape->xy = 0;
    if (n < 8) return;
    shape->mean = v3_scale(sum, 1.0 / n);
    double xx = 0, xy = 0, yy = 0;
    for (int32_t s = a->first[k]; s < a->first[k + 1]; ++s) {
        if (a->owner[s] != input) continue;
        v3 d = v3_sub(v3_load(a->place + 3 * (size_t)s), shape->mean);
        double x = v3_dot(d, shape->across), y = v3_dot(d, shape->other);
        xx += x * x / n, xy += x * y / n, yy += y * y / n;
    }
    double root = sqrt(fmax(xx * yy - xy * xy, 0)), scale = 2 / sqrt(xx + yy + 2 * root);
    shape->xx = (xx + root) * scale, shape->xy = xy * scale, shape->yy = (yy + root) * scale;
}

/* Of the samples of an input's widest section, those n that are furthest from each other, each picked as the furthest
 * from the ones before it; as places in the unit disc, kept at the start of the targets. */
static void pick_seeds(snAutoStrands *a, int32_t first, int32_t n, const Shape *shape, int32_t k)
{
    int32_t input = a->input[first];
    double det = shape->xx * shape->yy - shape->xy * shape->xy;
    for (int32_t i = 0; i < n; ++i) {
        v3 best = shape->mean;
        double most = -1;
        for (int32_t s = a->first[k]; s < a->first[k + 1]; ++s) {
            if (a->owner[s] != input) continue;
            v3 d = v3_sub(v3_load(a->place + 3 * (size_t)s), shape->mean);
            double x = v3_dot(d, shape->across), y = v3_dot(d, shape->other), least = i ? INFINITY : -x * x - y * y;
            for (int32_t j = 0; j < i; ++j) {
                v3 seed = v3_load(a->target + 3 * (size_t)j);
                least = fmin(least, (x - seed.x) * (x - seed.x) + (y - seed.y) * (y - seed.y));
            }
            if (least > most || most < 0) most = fmax(least, 0), best = v3_of(x, y, 0);
        }
        v3_store(a->target + 3 * (size_t)i, best);
    }
    for (int32_t i = 0; i < n; ++i) {
        v3 seed = v3_load(a->target + 3 * (size_t)i);
        v3 disc =
            v3_of((shape->yy * seed.x - shape->xy * seed.y) / det, (shape->xx * seed.y - shape->xy * seed.x) / det, 0);
        v3_store(a->target + 3 * (size_t)i, disc);
    }
}

static void place_seeds(snAutoStrands *a, int32_t first, int32_t n, const Shape *shape, int32_t k)
{
    for (int32_t i = 0; i < n; ++i) {
        v3 disc = v3_scale(v3_load(a->target + 3 * (size_t)i), beginning);
        v3 p = v3_mad(shape->mean, shape->xx * disc.x + shape->xy * disc.y, shape->across);
        p = v3_mad(p, shape->xy * disc.x + shape->yy * disc.y, shape->other);
        p = keep_inside(a, p, margin_of_spacing * a->spacing[k]);
        v3_store(a->point + 3 * ((size_t)(first + i) * (size_t)a->samples + (size_t)k), p);
    }
}

/* The axes of section k, carried along the input without twist from those of the section before. */
static void carry_axes(const snAutoStrands *a, int32_t input, int32_t k, Shape *shape)
{
    v3 t = sn_autostrands_tangent(a, input, k);
    shape->across = k ? v3_unit(v3_mad(shape->across, -v3_dot(shape->across, t), t)) : v3_perp(t);
    shape->other = v3_cross(t, shape->across);
}

static void find_major(Shape *s)
{
    double difference = hypot(s->xx - s->yy, 2 * s->xy);
    s->major = 0.5 * atan2(2 * s->xy, s->xx - s->yy);
    s->flat = difference / (s->xx + s->yy);
}

static void turn_axes(Shape *s, double angle)
{
    v3 across = s->across, other = s->other;
    s->across = v3_add(v3_scale(across, cos(angle)), v3_scale(other, sin(angle)));
    s->other = v3_add(v3_scale(other, cos(angle)), v3_scale(across, -sin(angle)));
}

/* The shape of section k, from that of the section before. Its axes turn with a flat section that twists, so that
 * strands keep their neighbours; a round one has no direction to follow. */
static void next_shape(const snAutoStrands *a, int32_t input, int32_t k, Shape *s)
{
    double major = s->major, flat = s->flat;
    carry_axes(a, input, k, s);
    measure_shape(a, input, k, s);
    find_major(s);
    if (k > 0) {
        double turn = s->major - major, trust = fmin(fmax((fmin(flat, s->flat) - 0.1) / 0.2, 0), 1);
        turn -= SN_PI * round(turn / SN_PI);
        turn_axes(s, trust * fmin(fmax(turn, -0.5), 0.5));
        measure_shape(a, input, k, s);
        find_major(s);
    }
}

void sn_autostrands_begin(snAutoStrands *a)
{
    int32_t widest = 0;
    for (int32_t k = 0; k < a->samples; ++k)
        if (a->spacing[k] > a->spacing[widest]) widest = k;
    for (int32_t first = 0, n; first < a->count; first += n) {
        Shape shape = {0};
        int32_t input = a->input[first];
        for (n = 1; first + n < a->count && a->input[first + n] == input; ++n) continue;
        for (int32_t k = 0; k <= widest; ++k) next_shape(a, input, k, &shape);
        pick_seeds(a, first, n, &shape, widest);
        for (int32_t k = 0; k < a->samples; ++k) {
            next_shape(a, input, k, &shape);
            place_seeds(a, first, n, &shape, k);
        }
    }
}

/* ---- a step ------------------------------------------------------------------------------------- */

/* Points and tangents of the strands in section k, side by side: x, y, z, and the tangent's x, y, z. */
static void gather_section(snAutoStrands *a, int32_t k)
{
    double *lane = a->lane;
    int32_t n = a->count;
    for (int32_t s = 0; s < n; ++s) {
        v3 p = sn_autostrands_at(a, s, k), t = sn_autostrands_tangent(a, a->input[s], k);
        double value[6] = {p.x, p.y, p.z, t.x, t.y, t.z};
        for (int c = 0; c < 6; ++c) lane[c * n + s] = value[c];
    }
}

/* Strand of the gathered section that is nearest to a place, measured across the strand. */
static int32_t nearest_strand(const snAutoStrands *a, v3 place)
{
    int32_t n = a->count, best = 0;
    const double *restrict px = a->lane, *restrict tx = px + 3 * n;
    double *restrict d2 = a->lane + 6 * n;
    for (int32_t s = 0; s < n; ++s) {
        double x = place.x - px[s], y = place.y - px[n + s], z = place.z - px[2 * n + s];
        double along = x * tx[s] + y * tx[n + s] + z * tx[2 * n + s];
        d2[s] = x * x + y * y + z * z - along * along;
    }
    for (int32_t s = 1; s < n; ++s)
        if (d2[s] < d2[best]) best = s;
    return best;
}

/* Fills the targets of section k with the means of the samples nearest to each strand. */
static void find_targets(snAutoStrands *a, int32_t k)
{
    size_t stride = 3 * (size_t)a->samples;
    double *target = a->target + 3 * (size_t)k;
    gather_section(a, k);
    for (int32_t s = 0; s < a->count; ++s) a->weight[s] = 0, v3_store(target + (size_t)s * stride, v3_of(0, 0, 0));
    for (int32_t i = a->first[k]; i < a->first[k + 1]; ++i) {
        v3 place = v3_load(a->place + 3 * (size_t)i);
        int32_t s = nearest_strand(a, place);
        double *sum = target + (size_t)s * stride;
        v3_store(sum, v3_add(v3_load(sum), place));
        ++a->weight[s];
    }
    for (int32_t s = 0; s < a->count; ++s) {
        double *t = target + (size_t)s * stride;
        v3_store(t, a->weight[s] ? v3_scale(v3_load(t), 1.0 / a->weight[s]) : sn_autostrands_at(a, s, k));
    }
}

/* Ends are held in the plane of the input's end, within the attachment's radius of it. */
static v3 end_place(const snAutoStrands *a, int32_t strand, int32_t k, v3 p)
{
    v3 end = sn_autostrands_path(a, a->input[strand], k), t = sn_autostrands_tangent(a, a->input[strand], k);
    v3 d = v3_sub(p, end);
    d = v3_mad(d, -v3_dot(d, t), t);
    double length = v3_len(d);
    if (length > a->attachment_radius) d = v3_scale(d, a->attachment_radius / length);
    return v3_add(end, d);
}

/* From point k of a strand to the middle between its neighbours; nothing at the ends and beyond. */
static v3 bend(const snAutoStrands *a, int32_t s, int32_t k)
{
    if (k <= 0 || k >= a->samples - 1) return v3_of(0, 0, 0);
    v3 middle = v3_scale(v3_add(sn_autostrands_at(a, s, k - 1), sn_autostrands_at(a, s, k + 1)), 0.5);
    return v3_sub(middle, sn_autostrands_at(a, s, k));
}

/* A share of the full step. The mean of the samples nearest to a strand jumps when a sample changes hands, so that full
 * steps may go on in a circle of a few hundredths of the spacing for ever (a flat belly that bends to and fro does);
 * steps that fall as 1 / n average over the circle and end in its middle. */
static double damping_of(const snAutoStrands *a)
{
    return a->steps > whole_steps ? whole_steps / a->steps : 1;
}

static v3 moved_point(const snAutoStrands *a, int32_t s, int32_t k, v3 target)
{
    v3 p = sn_autostrands_at(a, s, k);
    bool end = k == 0 || k == a->samples - 1;
    if (end && a->attachment_radius <= 0) return sn_autostrands_path(a, a->input[s], k);
    v3 beside = v3_scale(v3_add(bend(a, s, k - 1), bend(a, s, k + 1)), 0.5);
    v3 pull = v3_mad(v3_scale(v3_sub(target, p), a->repulsion), a->stiffness, v3_sub(bend(a, s, k), beside));
    double share = damping_of(a), margin = margin_of_spacing * a->spacing[k], full = over_relaxation;
    v3 q = v3_mad(p, (end ? 1 : share) * full / (a->repulsion + 4 * a->stiffness), pull);
    if (!end) return keep_inside(a, q, margin);
    /* An end is drawn to the plane of the input's end and pushed from the wall, in turns where the two meet. */
    q = keep_inside(a, end_place(a, s, k, q), margin);
    return v3_mad(p, share, v3_sub(q, p));
}

double sn_autostrands_step(snAutoStrands *a)
{
    if (!a) return 0;
    ++a->steps;
    for (int32_t k = 0; k < a->samples; ++k) find_targets(a, k);
    double moved = 0, spacing = 0;
    for (int32_t s = 0; s < a->count; ++s) {
        for (int32_t k = 0; k < a->samples; ++k) {
            double *target = a->target + 3 * ((size_t)s * (size_t)a->samples + (size_t)k);
            v3 p = moved_point(a, s, k, v3_load(target));
            moved += v3_len2(v3_sub(p, sn_autostrands_at(a, s, k)));
            spacing += a->spacing[k] * a->spacing[k];
            v3_store(target, p);
        }
    }
    memcpy(a->point, a->target, 3 * (size_t)a->count * (size_t)a->samples * sizeof(double));
    a->moved = spacing > 0 ? sqrt(moved / spacing) : 0;
    return a->moved;
}

snStatus sn_autostrands_run(snAutoStrands *a, int32_t steps, snProgress progress, int32_t *steps_done)
{
    int32_t done = 0;
    snStatus status = SN_OK;
    for (double moved = INFINITY; done < steps && moved > SN_AUTOSTRANDS_CONVERGED && status == SN_OK;) {
        moved = sn_autostrands_step(a);
        ++done;
        if (progress.call && progress.call(progress.user, "relax", done, steps)) status = SN_CANCELLED;
    }
    if (steps_done) *steps_done = done;
    return status;
}
