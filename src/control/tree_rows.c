/* Layout, metric, torques and muscles of the program's rows: see tree_rows.h. */
#include "control/tree_rows.h"

#include "base/alloc.h"
#include "opt/dense.h"

#include <string.h>

static bool lay_out(treeControlWork *w, const snTreeSim *sim, int32_t nunit)
{
    size_t n = (size_t)sim->tree->ndof, np = (size_t)sim->paths->npath, nu = (size_t)nunit, ld = (size_t)sim->ld;
    size_t ldm = (size_t)w->ldm, ldp = (size_t)w->ldp, nnz = (size_t)sim->line->nnz;
    w->block = sn_alloc(ldp * ldp + (size_t)w->np * ldm + ldm * ldm + nu * ldm + 9 * ld + np + 3 * nu, sizeof(double));
    w->index = sn_alloc(3 * n + nu + 1 + 2 * nnz, sizeof(int32_t));
    w->qp = sn_dualqp_create(w->nm + w->np, nunit);
    if (!w->block || !w->index || !w->qp) return false;
    double *at = w->block;
    w->App = at, at += ldp * ldp;
    w->G = at, at += (size_t)w->np * ldm;
    w->M = at, at += ldm * ldm;
    w->Bt = at, at += nu * ldm;
    double **vector[9] = {&w->bp, &w->tau, &w->y, &w->y_other, &w->dv, &w->least, &w->load, &w->q, &w->passive_tau};
    double **each[3] = {&w->a, &w->other, &w->bias};
    for (int k = 0; k < 9; ++k) *vector[k] = at, at += ld;
    for (int k = 0; k < 3; ++k) *each[k] = at, at += nu;
    w->active = at;
    w->place = w->index, w->driven = w->place + n, w->passive = w->driven + n;
    w->adr = w->passive + n, w->col = w->adr + nu + 1, w->entry = w->col + nnz;
    return true;
}

static int32_t row_of(const treeControlWork *w, int32_t coordinate)
{
    int32_t at = w->place[coordinate];
    return at >= 0 ? at : w->nm - 1 - at;
}

/* Entries of every muscle: the rows that any of its paths pulls at, rising. */
static bool find_entries(treeControlWork *w, const snTreeSim *sim, int32_t nunit, const int32_t *unit)
{
    const snPathWork *line = sim->line;
    int32_t n = sim->tree->ndof, count = 0, *where = SN_NEW_ARRAY(int32_t, n > 0 ? n : 1);
    if (!where) return false;
    for (int32_t u = 0; u < nunit; ++u) {
        w->adr[u] = count;
        for (int32_t r = 0; r < n; ++r) where[r] = -1;
        for (int32_t p = 0; p < sim->paths->npath; ++p)
            for (int32_t e = line->rowadr[p]; sn_treerows_unit(unit, p) == u && e < line->rowadr[p + 1]; ++e)
                where[row_of(w, line->col[e])] = 0;
        for (int32_t r = 0; r < n; ++r)
            if (where[r] == 0) where[r] = count, w->col[count++] = r;
        for (int32_t p = 0; p < sim->paths->npath; ++p)
            for (int32_t e = line->rowadr[p]; sn_treerows_unit(unit, p) == u && e < line->rowadr[p + 1]; ++e)
                w->entry[e] = where[row_of(w, line->col[e])];
    }
    w->adr[nunit] = count;
    sn_free(where);
    return true;
}

void sn_treerows_destroy(treeControlWork *w)
{
    if (!w) return;
    sn_dualqp_destroy(w->qp);
    sn_free(w->index);
    sn_free(w->block);
    sn_free(w);
}

treeControlWork *sn_treerows_create(const snTreeSim *sim, int32_t nunit, const int32_t *unit)
{
    treeControlWork *w = SN_NEW(treeControlWork);
    if (!w) return NULL;
    for (int32_t i = 0; i < sim->tree->ndof; ++i) w->nm += sim->tree->driven[i];
    w->np = sim->tree->ndof - w->nm;
    w->ldm = sn_dense_ld(sim->tree->ndof), w->ldp = sn_dense_ld(w->np > 0 ? w->np : 1);
    if (!lay_out(w, sim, nunit)) {
        sn_treerows_destroy(w);
        return NULL;
    }
    int32_t m = 0, p = 0;
    for (int32_t i = 0; i < sim->tree->ndof; ++i) {
        if (sim->tree->driven[i])
            w->place[i] = m, w->driven[m++] = i;
        else
            w->place[i] = -1 - p, w->passive[p++] = i;
    }
    if (find_entries(w, sim, nunit, unit)) return w;
    sn_treerows_destroy(w);
    return NULL;
}

/* x = U^-T x for the rows of G, from A_pm. */
static void divide_down(treeControlWork *w)
{
    for (int32_t r = 0; r < w->np; ++r) {
        double *row = w->G + (int64_t)r * w->ldm, own = w->App[(int64_t)r * w->ldp + r];
        for (int32_t k = 0; k < r; ++k) {
            const double *above = w->G + (int64_t)k * w->ldm;
            double scale = w->App[(int64_t)k * w->ldp + r];
            for (int32_t c = 0; c < w->nm; ++c) row[c] -= scale * above[c];
        }
        for (int32_t c = 0; c < w->nm; ++c) row[c] *= own;
    }
}

/* The same with U: G is there. */
static void divide_up(treeControlWork *w)
{
    for (int32_t r = w->np - 1; r >= 0; --r) {
        double *row = w->G + (int64_t)r * w->ldm;
        const double *U = w->App + (int64_t)r * w->ldp;
        for (int32_t k = r + 1; k < w->np; ++k)
            for (int32_t c = 0; c < w->nm; ++c) row[c] -= U[k] * w->G[(int64_t)k * w->ldm + c];
        for (int32_t c = 0; c < w->nm; ++c) row[c] *= U[r];
    }
}

/* A_pp factored, and A_pm. */
static bool part_passive(treeControlWork *w, const snTreeSim *sim)
{
    for (int32_t r = 0; r < w->np; ++r) {
        const double *row = sim->A + (int64_t)w->passive[r] * sim->ld;
        double *own = w->App + (int64_t)r * w->ldp, *cross = w->G + (int64_t)r * w->ldm;
        for (int32_t c = 0; c < w->np; ++c) own[c] = row[w->passive[c]];
        for (int32_t c = 0; c < w->nm; ++c) cross[c] = row[w->driven[c]];
        w->least[r] = 0;
    }
    return sn_dense()->factor(w->np, w->App, w->ldp, w->least);
}

static void add_masses(treeControlWork *w, const snTreeSim *sim)
{
    for (int32_t r = 0; r < w->nm; ++r) {
        const double *mass = sim->M + (int64_t)w->driven[r] * sim->ld;
        double *metric = w->M + (int64_t)r * w->ldm;
        for (int32_t c = 0; c < w->nm; ++c) metric[c] += mass[w->driven[c]];
    }
}

/* Steadied: rows of all coordinates, as the step has them. What is missing costs M_mm over what driven ones lack once
 * passive ones give way, and A_pp over what passive ones lack:
 *     [M_mm + k A_mp A_pp^-1 A_pm, k A_mp; k A_pm, k A_pp],  k = 1 / (steady eps), as dear whatever driven ones cost
 */
static void join_metric(const snTreeControl *c, const snTreeSim *sim)
{
    treeControlWork *w = c->work;
    double k = 1 / (c->steady * c->eps);
    sn_dense()->gram(w->np, w->nm, w->G, w->ldm, w->M);
    for (int32_t r = 0; r < w->nm; ++r)
        for (int32_t i = 0; i < w->nm; ++i) w->M[(int64_t)r * w->ldm + i] *= k;
    add_masses(w, sim);
    for (int32_t r = 0; r < w->np; ++r) {
        const double *row = sim->A + (int64_t)w->passive[r] * sim->ld;
        double *metric = w->M + (int64_t)(w->nm + r) * w->ldm;
        for (int32_t i = 0; i < w->nm; ++i) metric[i] = w->M[(int64_t)i * w->ldm + w->nm + r] = k * row[w->driven[i]];
        for (int32_t i = 0; i < w->np; ++i) metric[w->nm + i] = k * row[w->passive[i]];
    }
}

/* A dv - b of one coordinate, over h; change: to be added to b. A stop does not hold a driven one that leaves it. */
static double torque_for(const snTreeSim *sim, int32_t i, const double *dv, const double *change)
{
    const double *row = sim->A + (int64_t)i * sim->ld;
    double sum = -(sim->b[i] + change[i]);
    for (int32_t j = 0; j < sim->tree->ndof; ++j) sum += row[j] * dv[j];
    if (sim->tree->driven[i]) sum += sim->stop_b[i] - sim->stop_A[i] * dv[i];
    return sum / sim->h;
}

/* Torques that a step needs for dv of the driven coordinates and, where they have rows, for dv_p = -h k_v v_p or what is asked; else
 * what passive ones do by themselves is taken off. */
void sn_treerows_torques(const snTreeControl *c, const snTreeSim *sim, const double *change)
{
    treeControlWork *w = c->work;
    double *dv = w->q;
    memcpy(dv, w->dv, (size_t)sim->tree->ndof * sizeof *dv);
    for (int32_t k = 0; k < w->np; ++k) {
        int32_t i = w->passive[k];
        dv[i] = !w->joined ? 0 : sim->h * (c->asked[i] > 0 ? c->wanted[i] : -c->k_v * sim->v[i]);
    }
    for (int32_t r = 0; r < w->nm; ++r) w->tau[r] = torque_for(sim, w->driven[r], dv, change);
    for (int32_t k = 0; k < w->np; ++k) {
        double tau = torque_for(sim, w->passive[k], dv, change);
        const double *g = w->G + (int64_t)k * w->ldm;
        w->tau[w->nm + k] = tau;
        for (int32_t r = 0; !w->joined && r < w->nm; ++r) w->tau[r] -= g[r] * tau;
    }
}

/* What each muscle gives at activation 1: every row by itself. */
static void find_entries_of_B(const snTreeControl *c, const snTreeSim *sim)
{
    treeControlWork *w = c->work;
    const snPathWork *line = sim->line;
    memset(w->Bt, 0, (size_t)w->adr[c->nunit] * sizeof *w->Bt);
    for (int32_t p = 0; p < sim->paths->npath; ++p)
        for (int32_t e = line->rowadr[p]; e < line->rowadr[p + 1]; ++e) w->Bt[w->entry[e]] -= line->P[e] * w->active[p];
}

/* The same, passive rows eliminated. */
static void find_rows_of_B(const snTreeControl *c, const snTreeSim *sim)
{
    treeControlWork *w = c->work;
    const snPathWork *line = sim->line;
    memset(w->Bt, 0, (size_t)c->nunit * (size_t)w->ldm * sizeof *w->Bt);
    for (int32_t p = 0; p < sim->paths->npath; ++p) {
        double *row = w->Bt + (int64_t)sn_treerows_unit(c->unit, p) * w->ldm;
        if (!(w->active[p] > 0)) continue;
        for (int32_t e = line->rowadr[p]; e < line->rowadr[p + 1]; ++e) {
            int32_t at = w->place[line->col[e]];
            double pull = -line->P[e] * w->active[p];
            if (at >= 0) {
                row[at] += pull;
                continue;
            }
            const double *g = w->G + (int64_t)(-1 - at) * w->ldm;
            for (int32_t r = 0; r < w->nm; ++r) row[r] -= g[r] * pull;
        }
    }
}

void sn_treerows_B(const snTreeControl *c, const snTreeSim *sim)
{
    if (c->work->joined)
        find_entries_of_B(c, sim);
    else
        find_rows_of_B(c, sim);
}

bool sn_treerows_metric(const snTreeControl *c, const snTreeSim *sim)
{
    treeControlWork *w = c->work;
    w->joined = c->steady > 0 && !c->paper;
    w->nrow = w->joined ? w->nm + w->np : w->nm;
    if (!part_passive(w, sim)) return false;
    divide_down(w);
    if (w->joined) {
        join_metric(c, sim);
        return true;
    }
    divide_up(w);
    memset(w->M, 0, (size_t)w->nm * (size_t)w->ldm * sizeof *w->M);
    add_masses(w, sim);
    return true;
}
