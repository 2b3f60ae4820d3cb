/* The static check for co-contraction: least activations that hold a torque, and muscles that pull nearly the same way.
 *
 * Rows of torques are divided by what the coordinate's muscles can do together, so that a fingertip counts as much as
 * the wrist. A muscle that needs its neighbours to cancel its side effects shows as |a| far above the |a| that the same
 * torque takes when the other coordinates do not count. */
#include "analysis/own/muscles.h"
#include "base/alloc.h"
#include "base/error.h"
#include "opt/minnorm.h"
#include "sim/plant.h"
#include "sinew/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SIMILAR = 0.98; /* cosine: about 11 degrees */

typedef struct Statics {
    const snModel *m;
    int32_t nrow, n;
    int32_t *row_coord; /* coordinates that some muscle moves */
    double *R;          /* nrow x n, divided by scale */
    double *scale;      /* nrow: N m */
    double *up, *down;  /* nrow: part of scale that all muscles of one direction give */
    double *tau, *a;
    snMinNorm *work;
} Statics;

static double torque_per_activation(const Statics *t, const double *arm, int32_t muscle, int32_t c)
{
    const snModel *m = t->m;
    double sum = 0;
    for (int32_t k = m->muscle_strandadr[muscle]; k < m->muscle_strandadr[muscle + 1]; ++k) {
        int32_t i = m->muscle_strand[k];
        sum += arm[(size_t)i * (size_t)m->ncoord + (size_t)c] * m->strand_force[i];
    }
    return sum;
}

static void fill_rows(Statics *t, const double *arm)
{
    for (int32_t c = 0; c < t->m->ncoord; ++c) {
        double *row = t->R + (size_t)t->nrow * (size_t)t->n, up = 0, down = 0;
        for (int32_t k = 0; k < t->n; ++k) {
            row[k] = torque_per_activation(t, arm, k, c);
            if (row[k] > 0)
                up += row[k];
            else
                down -= row[k];
        }
        double scale = fmax(up, down);
        if (scale <= 0) continue;
        for (int32_t k = 0; k < t->n; ++k) row[k] /= scale;
        t->scale[t->nrow] = scale;
        t->up[t->nrow] = up / scale;
        t->down[t->nrow] = down / scale;
        t->row_coord[t->nrow++] = c;
    }
}

static snStatus hold(Statics *t, int32_t nrow, const double *R, const double *tau, double *norm, double *largest,
                     double *unmet)
{
    snMinNormInfo info;
    memset(t->a, 0, sizeof(double) * (size_t)t->n);
    snStatus status = sn_minnorm_solve(t->work, nrow, t->n, R, tau, t->a, &info);
    double size = 0;
    for (int32_t r = 0; r < nrow; ++r) size += tau[r] * tau[r];
    *largest = 0;
    for (int32_t k = 0; k < t->n; ++k) *largest = fmax(*largest, t->a[k]);
    *norm = sqrt(info.norm2);
    *unmet = size > 0 ? info.unmet / sqrt(size) : 0;
    return status;
}

static snStatus hold_coordinate(Statics *t, int32_t row, double share, snHold *out)
{
    double ignored, unmet;
    memset(t->tau, 0, sizeof(double) * (size_t)t->nrow);
    t->tau[row] = share;
    *out = (snHold){.coordinate = t->row_coord[row], .torque = share * t->scale[row]};
    snStatus status = hold(t, t->nrow, t->R, t->tau, &out->norm, &out->largest, &out->unmet);
    if (status != SN_OK) return status;
    return hold(t, 1, t->R + (size_t)row * (size_t)t->n, &share, &out->alone, &ignored, &unmet);
}

/* Torque that muscles must give against the weight of the bodies, all joints as drawn. */
static snStatus weight_torques(Statics *t)
{
    const snModel *m = t->m;
    const double small = 1e-5;
    double *q = SN_NEW_ARRAY(double, m->ncoord);
    rigid *low = SN_NEW_ARRAY(rigid, m->nbody), *high = SN_NEW_ARRAY(rigid, m->nbody);
    snStatus status = q && low && high ? SN_OK : SN_NO_MEMORY;
    for (int32_t r = 0; status == SN_OK && r < t->nrow; ++r) {
        int32_t c = t->row_coord[r];
        double torque = 0;
        q[c] = -small, sn_pose_bodies(m, q, low);
        q[c] = small, sn_pose_bodies(m, q, high);
        q[c] = 0;
        for (int32_t b = 0; b < m->nbody; ++b)
            torque -= m->body_mass[b] * v3_dot(m->gravity, v3_sub(high[b].p, low[b].p)) / (2 * small);
        t->tau[r] = torque / t->scale[r];
    }
    sn_free(q);
    sn_free(low);
    sn_free(high);
    return status;
}

static snStatus hold_weight(Statics *t, snHold *out)
{
    snStatus status = weight_torques(t);
    if (status != SN_OK) return status;
    *out = (snHold){.coordinate = -1};
    for (int32_t r = 0; r < t->nrow; ++r)
        if (fabs(t->tau[r] * t->scale[r]) > fabs(out->torque)) out->torque = t->tau[r] * t->scale[r];
    return hold(t, t->nrow, t->R, t->tau, &out->norm, &out->largest, &out->unmet);
}

/* ---- muscles that pull the same way --------------------------------------------------------- */

static double cosine(const Statics *t, int32_t a, int32_t b)
{
    double ab = 0, aa = 0, bb = 0;
    for (int32_t r = 0; r < t->nrow; ++r) {
        double x = t->R[(size_t)r * (size_t)t->n + (size_t)a], y = t->R[(size_t)r * (size_t)t->n + (size_t)b];
        ab += x * y, aa += x * x, bb += y * y;
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static int most_similar(const void *a, const void *b)
{
    double x = ((const snTwins *)a)->cosine, y = ((const snTwins *)b)->cosine;
    return (x < y) - (x > y);
}

static snStatus find_twins(const Statics *t, snStatics *out)
{
    int64_t n = t->n;
    out->twins = SN_NEW_ARRAY(snTwins, n * (n - 1) / 2);
    if (!out->twins) return SN_NO_MEMORY;
    for (int32_t a = 0; a < t->n; ++a)
        for (int32_t b = a + 1; b < t->n; ++b) {
            double c = cosine(t, a, b);
            if (c > SIMILAR) out->twins[out->ntwins++] = (snTwins){a, b, c};
        }
    qsort(out->twins, (size_t)out->ntwins, sizeof *out->twins, most_similar);
    return SN_OK;
}

/* ---- all together --------------------------------------------------------------------------- */

static bool allocate(Statics *t)
{
    size_t nc = (size_t)t->m->ncoord, n = (size_t)t->n;
    return (t->row_coord = SN_NEW_ARRAY(int32_t, nc)) && (t->R = SN_NEW_ARRAY(double, nc *n)) &&
           (t->scale = SN_NEW_ARRAY(double, nc)) && (t->up = SN_NEW_ARRAY(double, nc)) &&
           (t->down = SN_NEW_ARRAY(double, nc)) && (t->tau = SN_NEW_ARRAY(double, nc)) &&
           (t->a = SN_NEW_ARRAY(double, n)) && (t->work = sn_minnorm_create(t->m->ncoord, t->n));
}

static snStatus check(Statics *t, const double *arm, double share, snStatics *out)
{
    if (!allocate(t)) return SN_NO_MEMORY;
    fill_rows(t, arm);
    out->hold = SN_NEW_ARRAY(snHold, 2 * t->nrow + 1);
    if (!out->hold) return SN_NO_MEMORY;
    snStatus status = SN_OK;
    for (int32_t r = 0; r < t->nrow && status == SN_OK; ++r) {
        if (t->up[r] > 0) status = hold_coordinate(t, r, share * t->up[r], &out->hold[out->nhold++]);
        if (status == SN_OK && t->down[r] > 0)
            status = hold_coordinate(t, r, -share * t->down[r], &out->hold[out->nhold++]);
    }
    if (status == SN_OK && t->nrow) status = hold_weight(t, &out->hold[out->nhold++]);
    return status == SN_OK ? find_twins(t, out) : status;
}

snStatus sn_static_check(const snModel *m, const double *arm, double share, snStatics *statics, snError *error)
{
    if (!m || !arm || !statics)
        return sn_fail_argument(error, "the model, the arms or the place for the result is NULL");
    Statics t = {.m = m, .n = m->nmuscle};
    snStatics out = {0};
    if (!(share > 0 && share <= 1))
        return sn_fail(error, SN_BAD_INPUT, "the share of torque is %g, expected above 0 and at most 1", share);
    snStatus status = check(&t, arm, share, &out);
    sn_minnorm_destroy(t.work);
    void *block[] = {t.row_coord, t.R, t.scale, t.up, t.down, t.tau, t.a};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    if (status == SN_OK)
        *statics = out;
    else
        sn_statics_free(&out);
    if (status == SN_NO_MEMORY) return sn_fail_no_memory(error);
    return status == SN_OK ? SN_OK : sn_fail(error, status, "the least activation could not be found");
}

void sn_statics_free(snStatics *statics)
{
    if (!statics) return;
    sn_free(statics->hold);
    sn_free(statics->twins);
    *statics = (snStatics){0};
}
