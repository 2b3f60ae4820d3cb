/* The nearest motion that a limb can make: frames that lack torque are drawn to the nearest pose that holds, and the
 * change is spread over their neighbours so that it stays smooth:
 *     min over d of sum w_i |d_i - o_i|^2 + stiffness |second differences of d|^2
 * for each coordinate, o being the way to the nearest pose (0 where the frame passes) and w large where it fails.
 * Frames that fail then are drawn as well, and those that still fail get a larger weight. */
#include "analysis/patient.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 5 };
static const double first_weight = 30, grows = 5; /* of a frame that fails, against 1 of one that passes */
static const double reach = 0.05;                 /* s: over which a change fades */

typedef struct Search {
    snPatient *p;
    const snTargets *t;
    snNearestMotion *out;
    double *offset, *d; /* frames x coordinates: to the nearest pose; what is added */
    double *weight;     /* frames */
    double *band;       /* 3 frames: the factor of the smoothing */
    double *pose, *activation, *v, *a;
    snProgress progress;
} Search;

/* Velocity and acceleration of the changed motion: those of the target and differences of the change. */
static void move_frame(const Search *s, int32_t i, double *q)
{
    const snTargets *t = s->t;
    size_t n = (size_t)t->ncoordinate, at = (size_t)i * n;
    bool inner = i > 0 && i + 1 < t->nframe;
    double h = inner ? (t->time[i + 1] - t->time[i - 1]) / 2 : 1;
    for (size_t k = 0; k < n; ++k) {
        const double *d = s->d + at + k;
        q[k] = t->q[at + k] + d[0];
        s->v[k] = t->v[at + k] + (inner ? (d[n] - *(d - n)) / (2 * h) : 0);
        s->a[k] = t->a[at + k] + (inner ? (d[n] - 2 * d[0] + *(d - n)) / (h * h) : 0);
    }
}

static snStatus fails(Search *s, int32_t i, bool *bad)
{
    snHeld h;
    move_frame(s, i, s->pose);
    sn_patient_frame(s->p, s->t, i);
    snStatus status = sn_hold(s->p, s->pose, s->v, s->a, &h);
    *bad = h.unmet > 1;
    return status == SN_FAILED ? SN_OK : status;
}

/* Where frame i fails: a larger weight, and the way to its nearest pose if that is not known yet. */
static snStatus draw(Search *s, int32_t i)
{
    size_t n = (size_t)s->t->ncoordinate;
    const double *target = s->t->q + (size_t)i * n;
    snNearest near = {.pose = s->pose, .activation = s->activation};
    bool known = s->weight[i] > 1;
    s->weight[i] = known ? s->weight[i] * grows : first_weight;
    if (known) return SN_OK;
    sn_patient_frame(s->p, s->t, i);
    snStatus status = sn_nearest(s->p, target, &near);
    for (size_t k = 0; k < n && status == SN_OK; ++k) s->offset[(size_t)i * n + k] = near.pose[k] - target[k];
    return status;
}

/* L D L' of W + stiffness S'S, S second differences: bands of two beside the diagonal. */
static void factor_band(Search *s)
{
    int32_t n = s->t->nframe;
    double *D = s->band, *one = D + n, *two = one + n, h = (s->t->time[n - 1] - s->t->time[0]) / (n - 1);
    double stiffness = pow(reach / h, 4);
    for (int32_t i = 0; i < n; ++i) D[i] = s->weight[i], one[i] = two[i] = 0;
    for (int32_t i = 1; i + 1 < n; ++i) {
        D[i - 1] += stiffness, D[i] += 4 * stiffness, D[i + 1] += stiffness;
        one[i - 1] -= 2 * stiffness, one[i] -= 2 * stiffness, two[i - 1] += stiffness;
    }
    for (int32_t i = 0; i < n; ++i) {
        double a = one[i], b = two[i];
        one[i] = a / D[i], two[i] = b / D[i];
        if (i + 1 < n) D[i + 1] -= a * one[i];
        if (i + 1 < n) one[i + 1] -= b * one[i];
        if (i + 2 < n) D[i + 2] -= b * two[i];
    }
}

static void smooth(Search *s)
{
    int32_t n = s->t->nframe;
    size_t nc = (size_t)s->t->ncoordinate;
    const double *D = s->band, *one = D + n, *two = one + n;
    factor_band(s);
    for (size_t k = 0; k < nc; ++k) {
        double *x = s->d + k;
        for (int32_t i = 0; i < n; ++i) {
            size_t at = (size_t)i * nc;
            x[at] = s->weight[i] * s->offset[at + k];
            if (i > 0) x[at] -= one[i - 1] * x[at - nc];
            if (i > 1) x[at] -= two[i - 2] * x[at - 2 * nc];
        }
        for (int32_t i = n - 1; i >= 0; --i) {
            size_t at = (size_t)i * nc;
            x[at] /= D[i];
            if (i + 1 < n) x[at] -= one[i] * x[at + nc];
            if (i + 2 < n) x[at] -= two[i] * x[at + 2 * nc];
        }
    }
}

static snStatus go(Search *s)
{
    snStatus status = SN_OK;
    for (int round = 0; round <= ROUNDS && status == SN_OK; ++round) {
        s->out->left = 0;
        for (int32_t i = 0; i < s->t->nframe && status == SN_OK; ++i) {
            bool bad = false;
            if (s->progress.call && s->progress.call(s->progress.user, "nearest motion", round * s->t->nframe + i,
                                                     (ROUNDS + 1) * s->t->nframe))
                return SN_CANCELLED;
            status = fails(s, i, &bad);
            s->out->left += bad;
            if (bad && status == SN_OK && round < ROUNDS) status = draw(s, i);
        }
        if (round == 0) s->out->failing = s->out->left;
        if (!s->out->left) break;
        if (round < ROUNDS && s->t->nframe > 2)
            smooth(s);
        else if (round < ROUNDS)
            memcpy(s->d, s->offset, sizeof *s->d * (size_t)s->t->nframe * (size_t)s->t->ncoordinate);
    }
    return status;
}

static void keep(const Search *s)
{
    snNearestMotion *out = s->out;
    size_t nc = (size_t)s->t->ncoordinate;
    double sum = 0;
    int64_t count = 0;
    for (int32_t i = 0; i < s->t->nframe; ++i)
        for (size_t k = 0; k < nc; ++k) {
            size_t at = (size_t)i * nc + k;
            double low = s->p->s->tree.lower[k], high = s->p->s->tree.upper[k], q = s->t->q[at] + s->d[at];
            out->q[at] = q < low ? low : q > high ? high : q;
            double off = fabs(out->q[at] - s->t->q[at]);
            if (!s->p->s->tree.driven[k]) continue;
            sum += off * off, ++count;
            if (off > out->error) out->error = off, out->worst = (int32_t)k, out->worst_frame = i;
        }
    out->rms = count ? sqrt(sum / (double)count) : 0;
}

snStatus sn_nearest_motion(snPatient *p, const snTargets *t, snNearestMotion *out, snProgress progress, snError *error)
{
    if (!p || !t || !out || !out->q)
        return sn_fail_argument(error, "sn_nearest_motion without patient, targets or place");
    size_t nf = (size_t)t->nframe, nc = (size_t)t->ncoordinate, n = nf * nc;
    double *block = SN_NEW_ARRAY(double, 2 * n + 4 * nf + 3 * nc + (size_t)p->nu);
    if (!block) return sn_fail_no_memory(error);
    double *q = out->q;
    *out = (snNearestMotion){.q = q, .worst = -1, .worst_frame = -1};
    Search s = {.p = p, .t = t, .out = out, .progress = progress};
    s.offset = block, s.d = block + n, s.weight = s.d + n, s.band = s.weight + nf;
    s.pose = s.band + 3 * nf, s.v = s.pose + nc, s.a = s.v + nc, s.activation = s.a + nc;
    for (size_t i = 0; i < nf; ++i) s.weight[i] = 1;
    snStatus status = go(&s);
    if (status == SN_OK) keep(&s);
    sn_free(block);
    if (status == SN_CANCELLED) return sn_fail(error, status, "stopped");
    return status == SN_OK ? SN_OK : sn_fail(error, status, "%s", sn_status_text(status));
}
