/* The method of [Tsang 2005], as a reference: joints move by themselves at 24 steps a second,
 *
 *     (I/h + k) dw = T - k w,  w += dw,  theta += h w,  l -= sum dtheta r, kept within 0.5 to 1.5 of l0,
 *
 * with Blix's curves over relative forces (the percentages of Brand as numbers: that the paper means them so is our
 * inference) and a friction of 0.015 N m s/rad. Activations minimise w_s/2 |t - f(c)|^2 + w_c/4 |c|^2 by L-BFGS-B:
 * first all joints but the root (of a hand, the wrist), then the root by muscles that cross nothing else. */
#include "analysis/pursue.h"

#include "base/alloc.h"
#include "base/error.h"
#include "opt/boxqp.h"
#include "opt/lbfgsb.h"

#include <math.h>
#include <string.h>

static const double friction = 0.015, frame = 1.0 / 24;
static const double pose_weight = 1, effort_weight = 1e-4; /* w_s per rad^2, w_c */
static const double newtons_per_percent = 68.93;           /* so that extrinsic muscles sum to the published total */

typedef struct Paper {
    snPatient *p;
    const double *target;
    double unit;                              /* force of one percent */
    double *w, *stretch, *inertia, *free, *R; /* nq, np, nq, nq, nq x nz: theta' = free + R c */
    double *c, *lo, *hi;
    bool *row; /* nq: counts in this stage */
    snLbfgsb *solver;
    void *block;
} Paper;

/* Whether a coordinate is of the joint at the root of the tree, from which all others hang: of a hand, the wrist. */
static bool is_root(const snPatient *p, int32_t k)
{
    const char *root = p->m->coord_name[0];
    size_t n = strcspn(root, ".");
    return strncmp(p->m->coord_name[k], root, n) == 0 && p->m->coord_name[k][n] == root[n];
}

/* Whether a unit moves nothing but the root. */
static bool moves_root_only(const snPatient *p, int32_t unit)
{
    for (int32_t i = p->s->unit_pathadr[unit]; i < p->s->unit_pathadr[unit + 1]; ++i) {
        int32_t path = p->s->unit_path[i];
        for (int32_t k = p->path->rowadr[path]; k < p->path->rowadr[path + 1]; ++k)
            if (!is_root(p, p->path->col[k])) return false;
    }
    return true;
}

static snStatus open_paper(snPatient *p, bool newtons, Paper *s, snError *error)
{
    size_t nq = (size_t)p->nq, np = (size_t)p->np, nz = (size_t)p->nz;
    *s = (Paper){.p = p, .unit = newtons ? newtons_per_percent : 1};
    double *at = s->block = SN_NEW_ARRAY(double, 3 * nq + np + nq * nz + 3 * nz);
    s->row = SN_NEW_ARRAY(bool, nq);
    if (!at || !s->row) return sn_fail_no_memory(error);
    s->w = at, s->inertia = s->w + nq, s->free = s->inertia + nq, s->stretch = s->free + nq, s->R = s->stretch + np;
    s->c = s->R + nq * nz, s->lo = s->c + nz, s->hi = s->lo + nz;
    for (size_t i = 0; i < nz; ++i) s->hi[i] = 1;
    for (int32_t i = 0; i < p->np; ++i)
        if (!(p->s->relative_force[i] > 0 && p->s->relative_fiber[i] > 0)) {
            (void)sn_fail(error, SN_BAD_INPUT, "muscle %.80s has no relative force and fibre length",
                          p->s->path_name[i]);
            sn_error_remedy(error, "use --method torque or step");
            return SN_BAD_INPUT;
        }
    return SN_OK;
}

static void close_paper(Paper *s)
{
    sn_lbfgsb_destroy(s->solver);
    sn_free(s->block);
    sn_free(s->row);
}

/* Fibre lengths over l0 in a pose: as drawn they are 1. */
static void start_lengths(Paper *s)
{
    for (int32_t i = 0; i < s->p->np; ++i) {
        double l0 = s->p->s->relative_fiber[i];
        s->stretch[i] = 1 + (s->p->path->length[i] - s->p->s->path.muscle[i].neutral_length) / l0;
    }
}

/* theta' = free + R c from the pose where p is placed. scratch: the mass matrix. */
static void linearise(Paper *s, const double *q, double *M, int32_t ld)
{
    static const snLaw active = {.kind = SN_LAW_BLIX_ACTIVE}, passive = {.kind = SN_LAW_BLIX_PASSIVE};
    snPatient *p = s->p;
    const snPathWork *w = p->path;
    size_t nz = (size_t)p->nz;
    double slope;
    sn_tree_mass(&p->s->tree, p->tree, M, ld);
    memset(s->R, 0, sizeof *s->R * (size_t)p->nq * nz);
    memset(s->free, 0, sizeof *s->free * (size_t)p->nq);
    for (int32_t i = 0; i < p->np; ++i) {
        double f = s->unit * p->s->relative_force[i],
               fa = p->strength[i] * f * sn_law_eval(&active, s->stretch[i], &slope),
               fp = p->passive[i] * f * sn_law_eval(&passive, s->stretch[i], &slope);
        int32_t c = p->control[p->s->path_unit[i]];
        for (int32_t k = w->rowadr[i]; k < w->rowadr[i + 1]; ++k) {
            s->R[(size_t)w->col[k] * nz + (size_t)c] -= w->P[k] * fa;
            s->free[w->col[k]] -= w->P[k] * fp;
        }
    }
    for (int32_t k = 0; k < p->nq; ++k) {
        double gain = frame / (M[(size_t)k * (size_t)(ld + 1)] / frame + friction);
        if (p->fused[k]) gain = 0;
        for (size_t j = 0; j < nz; ++j) s->R[(size_t)k * nz + j] *= gain;
        s->free[k] = q[k] + frame * s->w[k] + gain * (s->free[k] - friction * s->w[k]);
    }
}

static double objective(void *user, const double *c, double *gradient)
{
    const Paper *s = user;
    const snPatient *p = s->p;
    double value = 0;
    for (int32_t j = 0; j < p->nz; ++j) {
        value += effort_weight / 4 * c[j] * c[j];
        gradient[j] = effort_weight / 2 * c[j];
    }
    for (int32_t k = 0; k < p->nq; ++k) {
        const double *row = s->R + (size_t)k * (size_t)p->nz;
        double off = s->free[k] - s->target[k];
        if (!s->row[k]) continue;
        for (int32_t j = 0; j < p->nz; ++j) off += row[j] * c[j];
        value += pose_weight / 2 * off * off;
        for (int32_t j = 0; j < p->nz; ++j) gradient[j] += pose_weight * off * row[j];
    }
    return value;
}

/* One stage; the units that may change are those of the stage. */
static snStatus solve_stage(Paper *s, bool root, snError *error)
{
    snPatient *p = s->p;
    for (int32_t k = 0; k < p->nq; ++k) s->row[k] = p->s->tree.driven[k] && is_root(p, k) == root && !p->ignored[k];
    for (int32_t j = 0; j < p->nz; ++j) s->lo[j] = 0, s->hi[j] = 1;
    for (int32_t u = 0; root && u < p->nu; ++u)
        if (!moves_root_only(p, u)) s->lo[p->control[u]] = s->hi[p->control[u]] = s->c[p->control[u]];
    snSmoothProblem problem = {
        .n = p->nz, .lo = s->lo, .hi = s->hi, .value = objective, .user = s, .max_evaluations = 300};
    return sn_lbfgsb_minimise(s->solver, &problem, s->c, NULL, error);
}

static void move(Paper *s, double *q)
{
    snPatient *p = s->p;
    const snPathWork *w = p->path;
    for (int32_t k = 0; k < p->nq; ++k) {
        double to = s->free[k];
        for (int32_t j = 0; j < p->nz; ++j) to += s->R[(size_t)k * (size_t)p->nz + (size_t)j] * s->c[j];
        to = fmin(fmax(to, p->s->tree.lower[k]), p->s->tree.upper[k]);
        s->w[k] = (to - q[k]) / frame;
        q[k] = to;
    }
    for (int32_t i = 0; i < p->np; ++i) {
        double x = s->stretch[i];
        for (int32_t k = w->rowadr[i]; k < w->rowadr[i + 1]; ++k)
            x += w->P[k] * frame * s->w[w->col[k]] / p->s->relative_fiber[i];
        s->stretch[i] = fmin(fmax(x, 0.5), 1.5);
    }
}

static snStatus run(Paper *s, snPursue *u, snTrack *replay, snError *error)
{
    snPatient *p = s->p;
    int32_t n = (int32_t)floor((u->end - u->begin) / frame + 1e-6);
    sn_pursue_reference(u, u->begin, u->sim->q, NULL, NULL);
    sn_patient_place(p, u->sim->q, NULL);
    start_lengths(s);
    snStatus status = sn_pursue_begin(u, error);
    for (int32_t i = u->first; i <= n && status == SN_OK; ++i) {
        double time = u->begin + i * frame;
        sn_pursue_mark(u, i);
        if (u->def->progress.call && u->def->progress.call(u->def->progress.user, "track", i, n)) return SN_CANCELLED;
        for (int32_t unit = 0; unit < p->nu; ++unit) p->activation[unit] = s->c[p->control[unit]];
        status = sn_pursue_record(u, time, replay);
        if (i == n || status != SN_OK) break;
        sn_pursue_reference(u, time + frame, u->target, NULL, NULL);
        sn_patient_place(p, u->sim->q, NULL);
        linearise(s, u->sim->q, u->sim->U, u->sim->ld);
        status = solve_stage(s, false, error);
        if (status == SN_OK) status = solve_stage(s, true, error);
        if (status == SN_OK) move(s, u->sim->q);
        ++u->report->steps;
    }
    return status;
}

snStatus sn_pursue_paper(snPursue *u, snTrack *replay, snError *error)
{
    Paper s = {0};
    u->h = frame;
    snStatus status = open_paper(u->p, false, &s, error);
    if (status == SN_OK) status = sn_lbfgsb_create(u->p->nz, &s.solver, error);
    s.target = u->target;
    u->own[0].at = s.w, u->own[0].count = (size_t)u->p->nq;
    u->own[1].at = s.stretch, u->own[1].count = (size_t)u->p->np;
    u->own[2].at = s.c, u->own[2].count = (size_t)u->p->nz;
    if (status == SN_OK) status = run(&s, u, replay, error);
    if (status == SN_OK) u->report->repetitions = 1;
    close_paper(&s);
    return status;
}

snStatus sn_paper_frame(snPatient *p, const double *activation, bool newtons, double *moved)
{
    Paper s = {0};
    snTreeSim *sim = sn_patient_sim(p);
    snStatus status = sim ? open_paper(p, newtons, &s, NULL) : SN_NO_MEMORY;
    if (status == SN_OK) {
        sn_patient_place(p, p->zero, NULL);
        start_lengths(&s);
        linearise(&s, p->zero, sim->U, sim->ld);
        for (int32_t u = 0; u < p->nu; ++u) s.c[p->control[u]] = activation[u];
        for (int32_t k = 0; k < p->nq; ++k) {
            moved[k] = s.free[k];
            for (int32_t j = 0; j < p->nz; ++j) moved[k] += s.R[(size_t)k * (size_t)p->nz + (size_t)j] * s.c[j];
        }
    }
    sn_treesim_destroy(sim);
    close_paper(&s);
    return status;
}

/* The same objective as w_s/2 |free + R c - t|^2 + w_c/4 |c|^2 = 1/2 c'Qc + g'c + constant. */
static snStatus solve_exactly(Paper *s, double *Q, double *g, double *c)
{
    int32_t n = s->p->nz;
    for (int32_t i = 0; i < n; ++i) {
        g[i] = c[i] = 0;
        for (int32_t j = 0; j < n; ++j) Q[(size_t)i * (size_t)n + (size_t)j] = i == j ? effort_weight / 2 : 0;
    }
    for (int32_t k = 0; k < s->p->nq; ++k) {
        const double *row = s->R + (size_t)k * (size_t)n;
        for (int32_t i = 0; s->row[k] && i < n; ++i) {
            g[i] += pose_weight * row[i] * (s->free[k] - s->target[k]);
            for (int32_t j = 0; j < n; ++j) Q[(size_t)i * (size_t)n + (size_t)j] += pose_weight * row[i] * row[j];
        }
    }
    snBoxQp *qp = sn_boxqp_create(n);
    snBoxQpProblem problem = {.n = n, .Q = Q, .c = g, .lo = s->lo, .hi = s->hi};
    snStatus status = qp ? sn_boxqp_solve(qp, &problem, c, NULL) : SN_NO_MEMORY;
    sn_boxqp_destroy(qp);
    return status;
}

/* rms over the rows of R (a - b). */
static double poses_apart(const Paper *s, const double *a, const double *b)
{
    double sum = 0;
    int32_t count = 0, n = s->p->nz;
    for (int32_t k = 0; k < s->p->nq; ++k) {
        double off = 0;
        for (int32_t j = 0; j < n; ++j) off += s->R[(size_t)k * (size_t)n + (size_t)j] * (a[j] - b[j]);
        if (s->row[k]) sum += off * off, ++count;
    }
    return sqrt(sum / (count ? count : 1));
}

snStatus sn_paper_compare(snPatient *p, const double *q, const double *target, double *above, double *apart)
{
    Paper s = {0};
    snTreeSim *sim = sn_patient_sim(p);
    size_t n = (size_t)p->nz;
    double *block = SN_NEW_ARRAY(double, n *n + 3 * n), *g = block ? block + n * n : NULL;
    snStatus status = sim && block ? open_paper(p, false, &s, NULL) : SN_NO_MEMORY;
    if (status == SN_OK) status = sn_lbfgsb_create(p->nz, &s.solver, NULL);
    if (status == SN_OK) {
        s.target = target;
        sn_patient_place(p, q, NULL);
        start_lengths(&s);
        linearise(&s, q, sim->U, sim->ld);
        for (int32_t k = 0; k < p->nq; ++k) s.row[k] = p->s->tree.driven[k];
        snSmoothProblem problem = {
            .n = p->nz, .lo = s.lo, .hi = s.hi, .value = objective, .user = &s, .max_evaluations = 300};
        status = sn_lbfgsb_minimise(s.solver, &problem, s.c, NULL, NULL);
    }
    if (status == SN_OK) status = solve_exactly(&s, block, g, g + n);
    if (status == SN_OK) {
        *above = objective(&s, g + n, g + 2 * n) - objective(&s, s.c, g + 2 * n);
        *apart = poses_apart(&s, g + n, s.c);
    }
    sn_treesim_destroy(sim);
    close_paper(&s);
    sn_free(block);
    return status;
}
