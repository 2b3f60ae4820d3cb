/* Motions of coordinates, sampled; the motion check and the comparison of a case with a healthy limb. */
#include "analysis/patient.h"
#include "motion/poses.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 1000000 };

static snStatus fail_column(const snModel *m, const char *text, snError *error)
{
    const char *best = NULL;
    int least = sn_name_near(text) + 1;
    for (int32_t k = 0; k < m->ncoord; ++k) {
        int d = sn_name_distance(text, m->coord_name[k]);
        if (d < least) least = d, best = m->coord_name[k];
    }
    (void)sn_fail(error, SN_BAD_INPUT, "the model has no joint coordinate called %.80s", text);
    if (best)
        sn_error_remedy(error, "did you mean %s?", best);
    else
        sn_error_remedy(error, "`sinew info MODEL --list` names what there is");
    return SN_BAD_INPUT;
}

/* column[k]: of coordinate k, -1: none; turned: the column that turns gravity. */
static snStatus match(const snModel *m, const snPoses *poses, int32_t *column, int32_t *turned, char *ignored,
                      size_t size, snError *error)
{
    if (ignored && size) *ignored = '\0';
    *turned = -1;
    for (int32_t k = 0; k < m->ncoord; ++k) column[k] = -1;
    for (int32_t c = 0; c < sn_poses_columns(poses); ++c) {
        const char *text = sn_poses_name(poses, c);
        int32_t k = sn_find(m, SN_ITEM_COORDINATE, text);
        if (k >= 0 && column[k] >= 0)
            return sn_fail(error, SN_BAD_INPUT, "the columns %.80s and %.80s mean the same coordinate",
                           sn_poses_name(poses, column[k]), text);
        if (k >= 0)
            column[k] = c;
        else if (!sn_model_holds(m, text))
            return fail_column(m, text, error);
        else if (v3_dot(m->fixed_axis, m->fixed_axis) > 0)
            *turned = c;
        else if (ignored)
            (void)snprintf(ignored, size, "%s", text);
    }
    return SN_OK;
}

static void sample(const snPoses *poses, const int32_t *column, int32_t turned, double rate, double *row, snTargets *t)
{
    int32_t last = sn_poses_frames(poses) - 1, nc = sn_poses_columns(poses);
    double first = sn_poses_time(poses, 0), end = sn_poses_time(poses, last);
    for (int32_t i = 0; i < t->nframe; ++i) {
        t->time[i] = rate > 0 ? fmin(first + i / rate, end) : sn_poses_time(poses, i);
        sn_poses_at(poses, t->time[i], row, row + nc, row + 2 * nc);
        t->turn[i] = turned < 0 ? 0 : row[turned];
        for (int32_t k = 0; k < t->ncoordinate; ++k) {
            size_t at = (size_t)i * (size_t)t->ncoordinate + (size_t)k;
            t->q[at] = column[k] < 0 ? 0 : row[column[k]];
            t->v[at] = column[k] < 0 ? 0 : row[nc + column[k]];
            t->a[at] = column[k] < 0 ? 0 : row[2 * nc + column[k]];
        }
    }
}

snStatus sn_targets_create(const snModel *m, const snPoses *poses, double rate, snTargets *t, char *ignored,
                           size_t size, snError *error)
{
    if (!poses) return sn_fail_argument(error, "sn_targets_create without poses");
    int32_t keys = sn_poses_frames(poses);
    double length = sn_poses_time(poses, keys - 1) - sn_poses_time(poses, 0);
    if (length * rate > MAX_FRAMES)
        return sn_fail(error, SN_BAD_INPUT, "the motion lasts %g s; at most %g s are supported", length,
                       MAX_FRAMES / rate);
    *t = (snTargets){.nframe = rate > 0 ? (int32_t)ceil(length * rate - 1e-6) + 1 : keys, .ncoordinate = m->ncoord};
    size_t n = (size_t)t->nframe * (size_t)m->ncoord;
    int32_t *column = SN_NEW_ARRAY(int32_t, m->ncoord), turned = -1;
    double *row = SN_NEW_ARRAY(double, 3 * (size_t)sn_poses_columns(poses));
    t->memory = t->q = SN_NEW_ARRAY(double, 3 * n + 2 * (size_t)t->nframe);
    snStatus status =
        column && row && t->memory ? match(m, poses, column, &turned, ignored, size, error) : sn_fail_no_memory(error);
    if (status == SN_OK) {
        t->v = t->q + n, t->a = t->v + n, t->time = t->a + n, t->turn = t->time + t->nframe;
        sample(poses, column, turned, rate, row, t);
    } else
        sn_targets_free(t);
    sn_free(column);
    sn_free(row);
    return status;
}

int32_t sn_targets_peak(const snTargets *t)
{
    if (!t) return 0;
    int32_t peak = 0;
    double most = -1;
    for (int32_t i = 0; i < t->nframe; ++i) {
        double sum = 0;
        for (int32_t k = 0; k < t->ncoordinate; ++k)
            sum += pow(t->q[(size_t)i * (size_t)t->ncoordinate + (size_t)k], 2);
        if (sum > most + 1e-9) most = sum, peak = i;
    }
    return peak;
}

void sn_patient_frame(snPatient *p, const snTargets *t, int32_t frame)
{
    sn_patient_turn(p, t->turn ? t->turn[frame] : 0);
}

static snStatus hold_frame(snPatient *p, const snTargets *t, int32_t i, snHeld *h)
{
    size_t at = (size_t)i * (size_t)t->ncoordinate;
    sn_patient_frame(p, t, i);
    return sn_hold(p, t->q + at, t->v + at, t->a + at, h);
}

/* ---- motion check --------------------------------------------------------------------------- */

static snStatus judge(snPatient *p, const snTargets *t, snImpossible *s)
{
    snHeld h;
    snNearest near = {.pose = SN_NEW_ARRAY(double, p->nq), .activation = SN_NEW_ARRAY(double, p->nu)};
    snStatus status = near.pose && near.activation ? SN_OK : SN_NO_MEMORY;
    sn_patient_frame(p, t, s->worst_frame);
    if (status == SN_OK) status = sn_nearest(p, t->q + (size_t)s->worst_frame * (size_t)t->ncoordinate, &near);
    if (status == SN_OK) {
        s->distance = near.error;
        (void)hold_frame(p, t, s->worst_frame, &h);
        s->verdict = sn_verdict(p, &h, &near);
    }
    sn_free(near.pose);
    sn_free(near.activation);
    return status;
}

snStatus sn_check_motion(snPatient *p, const snTargets *t, snMotionCheck *out)
{
    if (!p || !t || !out) return SN_BAD_ARGUMENT;
    bool open = false;
    double worst = 0;
    *out = (snMotionCheck){.nframe = t->nframe};
    size_t room = (size_t)t->nframe / 2 + 1;
    snImpossible *list = out->memory = out->stretch = sn_alloc(room * sizeof *list + (size_t)p->nq, 1);
    snStatus status = list ? SN_OK : SN_NO_MEMORY;
    if (list) out->clamped = (bool *)(list + room);
    for (int32_t i = 0; i < t->nframe && status == SN_OK; ++i) {
        snHeld h;
        bool clamped = false;
        status = hold_frame(p, t, i, &h);
        if (status == SN_FAILED) status = SN_OK; /* judged by what is missing */
        for (int32_t k = 0; k < p->nq; ++k)
            if (h.clamped[k]) clamped = out->clamped[k] = true;
        out->nclamped += clamped;
        bool bad = h.unmet > 1;
        out->nbad += bad;
        if (bad && !open) list[out->count++] = (snImpossible){.first = i}, worst = 0;
        if (bad && h.unmet > worst) {
            worst = h.unmet;
            list[out->count - 1].worst_frame = i;
            list[out->count - 1].coordinate = h.worst;
            list[out->count - 1].torque = fabs(h.missing[h.worst]);
        }
        if (bad) list[out->count - 1].last = i;
        open = bad;
    }
    for (int32_t i = 0; i < out->count && status == SN_OK; ++i) status = judge(p, t, &list[i]);
    if (status != SN_OK) sn_motion_check_free(out);
    return status;
}

/* ---- comparison ----------------------------------------------------------------------------- */

typedef struct Sums {
    double *healthy, *changed, *force, *impulse, *most, *base; /* per unit of the case */
    int32_t *frame;
} Sums;

static double unit_force(const snPatient *p, int32_t unit)
{
    double sum = 0;
    for (int32_t i = p->s->unit_pathadr[unit]; i < p->s->unit_pathadr[unit + 1]; ++i)
        sum += p->force[p->s->unit_path[i]];
    return sum;
}

/* Adds one frame; dt: what it stands for, s. */
static void add_frame(const snPatient *healthy, const snPatient *changed, const int32_t *same, int32_t i, double dt,
                      Sums *s)
{
    for (int32_t u = 0; u < changed->nu; ++u) {
        double before = same[u] < 0 ? 0 : healthy->activation[same[u]], after = changed->activation[u];
        double force = unit_force(changed, u) - (same[u] < 0 ? 0 : unit_force(healthy, same[u]));
        s->healthy[u] += before, s->changed[u] += after;
        s->force[u] += force, s->impulse[u] += dt * force;
        if (i == 0 || after - before > s->most[u]) s->most[u] = after - before, s->base[u] = before, s->frame[u] = i;
    }
}

static void note_missing(const snHeld *h, int32_t i, double *unmet, double *torque, int32_t *worst, int32_t *frame)
{
    *torque = fmax(*torque, h->unmet_torque);
    if (h->unmet <= *unmet) return;
    *unmet = h->unmet;
    if (worst) *worst = h->worst, *frame = i;
}

static int by_force(const void *a, const void *b)
{
    const snUnitChange *x = a, *y = b;
    return x->force > y->force ? -1 : x->force < y->force ? 1 : x->unit - y->unit;
}

/* Ranges in the frames where units rise most: one frame serves all units that peak in it. */
static snStatus find_ranges(snPatient *p, const snTargets *t, const Sums *s, snUnitChange *unit, double *low,
                            double *high)
{
    snStatus status = SN_OK;
    for (int32_t u = 0; u < p->nu; ++u) unit[u].low = unit[u].high = -1;
    for (int32_t u = 0; u < p->nu && status == SN_OK; ++u) {
        snHeld h;
        if (!unit[u].rises || unit[u].low >= 0) continue;
        status = hold_frame(p, t, s->frame[u], &h);
        if (status == SN_OK) status = sn_ranges(p, low, high);
        if (status == SN_FAILED) status = SN_OK; /* frames out of reach have no sharp ranges */
        for (int32_t k = 0; k < p->nu; ++k)
            if (s->frame[k] == s->frame[u]) unit[k].low = low[k], unit[k].high = high[k];
    }
    for (int32_t u = 0; u < p->nu; ++u) unit[u].must = unit[u].rises && unit[u].low > s->base[u] + 0.02;
    return status;
}

static void fill(const snPatient *p, const Sums *s, int32_t n, snCompared *out)
{
    out->count = p->nu;
    for (int32_t u = 0; u < p->nu; ++u)
        out->unit[u] = (snUnitChange){.unit = u,
                                      .healthy = s->healthy[u] / n,
                                      .changed = s->changed[u] / n,
                                      .force = s->force[u] / n,
                                      .impulse = s->impulse[u],
                                      .most = s->most[u],
                                      .rises = s->most[u] > 0.01};
}

static snStatus compare(snPatient *healthy, snPatient *changed, const snTargets *t, const int32_t *same, Sums *s,
                        snCompared *out)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < t->nframe && status == SN_OK; ++i) {
        snHeld a, b;
        double before = t->time[i > 0 ? i - 1 : 0], after = t->time[i + 1 < t->nframe ? i + 1 : i];
        status = hold_frame(healthy, t, i, &a);
        if (status == SN_OK || status == SN_FAILED) status = hold_frame(changed, t, i, &b);
        if (status == SN_FAILED) status = SN_OK;
        if (status != SN_OK) break;
        note_missing(&a, i, &out->healthy_unmet, &out->healthy_torque, NULL, NULL);
        note_missing(&b, i, &out->case_unmet, &out->case_torque, &out->worst, &out->worst_frame);
        add_frame(healthy, changed, same, i, (after - before) / 2, s);
    }
    return status;
}

snStatus sn_compare(snPatient *healthy, snPatient *changed, const snTargets *t, snCompared *out)
{
    if (!healthy || !changed) return SN_BAD_ARGUMENT;
    size_t n = (size_t)changed->nu;
    *out = (snCompared){.worst = -1, .worst_frame = -1};
    double *block = SN_NEW_ARRAY(double, 8 * n);
    int32_t *frame = SN_NEW_ARRAY(int32_t, 2 * n), *same = frame ? frame + n : NULL;
    out->memory = out->unit = SN_NEW_ARRAY(snUnitChange, n);
    snStatus status = block && frame && out->unit ? SN_OK : SN_NO_MEMORY;
    if (status == SN_OK) {
        Sums s = {block, block + n, block + 2 * n, block + 3 * n, block + 4 * n, block + 5 * n, frame};
        for (int32_t u = 0; u < changed->nu; ++u)
            same[u] = sn_map_get(&healthy->m->muscle_map, changed->m->muscle_name[u]);
        status = compare(healthy, changed, t, same, &s, out);
        if (status == SN_OK) {
            fill(changed, &s, t->nframe, out);
            status = find_ranges(changed, t, &s, out->unit, block + 6 * n, block + 7 * n);
            qsort(out->unit, n, sizeof *out->unit, by_force);
        }
    }
    sn_free(block);
    sn_free(frame);
    if (status != SN_OK) sn_compared_free(out);
    return status;
}
