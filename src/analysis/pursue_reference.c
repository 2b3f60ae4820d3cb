/* What a limb follows: the target at a time and its rates. */
#include "analysis/pursue.h"

#include "motion/poses.h"

void sn_pursue_given(snPursue *u, double time, double *q)
{
    sn_poses_at(u->poses, time, u->row, NULL, NULL);
    for (int32_t k = 0; k < u->p->nq; ++k) q[k] = u->column[k] < 0 ? 0 : u->row[u->column[k]];
}

void sn_pursue_reference(snPursue *u, double time, double *q, double *v, double *a)
{
    int32_t nc = sn_poses_columns(u->poses);
    double *row = u->row;
    sn_poses_at(u->poses, time, row, row + nc, row + 2 * nc);
    for (int32_t k = 0; k < u->p->nq; ++k) {
        int32_t c = u->column[k];
        q[k] = c < 0 ? 0 : row[c];
        if (v) v[k] = c < 0 ? 0 : row[nc + c];
        if (a) a[k] = c < 0 ? 0 : row[2 * nc + c];
        u->p->ignored[k] = c >= 0 && !sn_poses_seen(u->poses, c, time);
    }
    if (u->turned >= 0) sn_patient_turn(u->p, row[u->turned]);
    sn_patient_clamp(u->p, q, q);
    for (int32_t k = 0; k < u->p->nq; ++k) u->report->clamped[k] = u->report->clamped[k] || u->p->clamped[k];
}

void sn_pursue_rates(snPursue *u, double time, double h)
{
    sn_pursue_reference(u, time - h, u->before, NULL, NULL);
    sn_pursue_reference(u, time + h, u->after, NULL, NULL);
    sn_pursue_reference(u, time, u->target, u->rate, u->acceleration);
    if (time - h < u->begin || time + h > u->end) return;
    for (int32_t k = 0; k < u->p->nq; ++k) {
        u->rate[k] = (u->target[k] - u->before[k]) / h;
        u->acceleration[k] = (u->after[k] - 2 * u->target[k] + u->before[k]) / (h * h);
    }
}
