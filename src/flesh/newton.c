/* The search for rest: inexact Newton, conjugate gradients with the multigrid cycle, Armijo's rule.
 *
 * The true Hessian is used as long as it has no negative curvature where the gradients look; when it has, the elements
 * are assembled again with positive eigenvalues and the step is found anew. */
#include "base/clock.h"
#include "flesh/tissue.h"

#include <math.h>
#include <string.h>

snTissueSettings sn_default_tissue_settings(void)
{
    return (snTissueSettings){.tolerance = 1e-5, .forcing = 0.05, .newton = 60, .cg = 100};
}

typedef struct {
    snTissue *t;
    const double *from;
    float *x, *p, *r, *z, *q;
    float alpha, beta;
    double factor;
} Rows;

static void start_rows(void *context, int32_t first, int32_t last)
{
    const Rows *w = context;
    for (int32_t i = 4 * first; i < 4 * last; ++i) w->x[i] = 0, w->r[i] = i % 4 == 3 ? 0 : (float)-w->from[i];
}

static void step_rows(void *context, int32_t first, int32_t last)
{
    const Rows *w = context;
    for (int32_t i = 4 * first; i < 4 * last; ++i) w->x[i] += w->alpha * w->p[i], w->r[i] -= w->alpha * w->q[i];
}

static void turn_rows(void *context, int32_t first, int32_t last)
{
    const Rows *w = context;
    for (int32_t i = 4 * first; i < 4 * last; ++i) w->p[i] = w->z[i] + w->beta * w->p[i];
}

/* Solves H d = -g in t->cg_x. False: negative curvature (d is then what was found before it). */
static bool find_direction(snTissue *t, const snTissueSettings *s, double forcing, int32_t *iterations)
{
    snPool *pool = t->pool;
    Rows w = {.t = t, .from = t->gradient, .x = t->cg_x, .p = t->cg_p, .r = t->cg_r, .z = t->cg_z, .q = t->cg_q};
    const snBlocks *m = &t->grid.level[0].matrix;
    double first = 0, before = 0;
    sn_rows_loop(pool, 0, t->n, start_rows, &w);
    for (int32_t k = 0; k < s->cg; ++k) {
        sn_multigrid_cycle(&t->grid, w.r, w.z);
        double rz = sn_rows_dot(pool, t->n, w.r, w.z, t->sums), fall = k > 0 ? rz / before : 1;
        if (k == 0) first = rz;
        if (rz == 0 || (k > 0 && rz <= forcing * forcing * first && rz > 0)) return true;
        if (!(rz > 0)) return false;
        w.beta = k > 0 ? (float)(rz / before) : 0;
        before = rz;
        sn_rows_loop(pool, 0, t->n, turn_rows, &w);
        sn_blocks_product(m, pool, w.p, w.q);
        double pq = sn_rows_dot(pool, t->n, w.p, w.q, t->sums);
        if (!(pq > 0)) return false;
        w.alpha = (float)(rz / pq);
        sn_rows_loop(pool, 0, t->n, step_rows, &w);
        ++*iterations;
        if (fall * rz <= 0.5 * forcing * forcing * first) return true; /* it will be there: no cycle to see it */
    }
    return true;
}

static void move_rows(void *context, int32_t first, int32_t last)
{
    const Rows *w = context;
    for (int32_t i = 4 * first; i < 4 * last; ++i) w->t->trial[i] = w->t->x[i] + w->factor * (double)w->x[i];
}

/* Slope of the energy along the direction, and its largest move. */
static double slope_along(const snTissue *t, double *largest)
{
    double sum = 0, most = 0;
    for (int32_t i = 0; i < t->n; ++i) {
        const float *d = t->cg_x + 4 * (size_t)i;
        double way = 0;
        for (int c = 0; c < 3; ++c) {
            sum += t->gradient[4 * (size_t)i + (size_t)c] * (double)d[c];
            way += (double)d[c] * (double)d[c];
        }
        most = way > most ? way : most;
    }
    *largest = sqrt(most);
    return sum;
}

static double largest_component(const snTissue *t)
{
    double most = 0;
    for (int32_t i = 0; i < 4 * t->n; ++i) {
        double size = fabs(t->gradient[i]);
        most = size > most ? size : most; /* fmax is a call */
    }
    return most;
}

/* How an iteration is made. */
typedef struct {
    bool project, coarsen; /* coarsen: the coarser matrices of an earlier iteration serve almost as well as new ones */
    double forcing;
} Manner;

/* Matrix and direction; the report counts. */
static bool newton_direction(snTissue *t, const snTissueSettings *s, Manner how, snTissueReport *report)
{
    double start = sn_clock();
    sn_tissue_assemble(t, t->x, how.project);
    sn_multigrid_refresh(&t->grid);
    double assembled = sn_clock();
    bool fine = !how.coarsen || sn_multigrid_coarsen(&t->grid);
    double coarse = sn_clock();
    if (fine) fine = find_direction(t, s, how.forcing, &report->cg);
    report->assemble_s += assembled - start, report->coarsen_s += coarse - assembled;
    report->cg_s += sn_clock() - coarse;
    report->projected += how.project;
    return fine;
}

/* Goes `factor` further along the direction and stays there when the energy is below the limit. */
static bool try_step(snTissue *t, double factor, double limit, snOctMeasure *now, snTissueReport *report)
{
    Rows w = {.t = t, .x = t->cg_x, .factor = factor};
    sn_rows_loop(t->pool, 0, t->n, move_rows, &w);
    double start = sn_clock();
    snOctMeasure there = sn_tissue_evaluate(t, t->trial, t->gradient);
    report->evaluate_s += sn_clock() - start;
    if (!(there.energy <= limit)) return false;
    double *old = t->x;
    t->x = t->trial, t->trial = old;
    *now = there;
    return true;
}

/* Goes along the direction until the energy falls enough; returns how far, 0: it never does. Where eigenvalues were
 * made positive the direction is right but short, in a long valley by orders of magnitude: it is doubled as long as
 * that pays, if half of the slope is left. */
static double search_line(snTissue *t, double slope, bool project, snOctMeasure *now, snTissueReport *report)
{
    double noise = 1e-13 * (fabs(now->energy) + fabs(t->pull_energy)), factor = 1, more = 0, largest;
    while (!try_step(t, factor, now->energy + 1e-4 * factor * slope + noise, now, report)) {
        ++report->halvings;
        factor *= 0.5;
        if (factor < 1e-7) break;
    }
    if (project && factor == 1 && slope_along(t, &largest) < 0.5 * slope)
        for (more = 1; more < 64 && try_step(t, more, now->energy + 0.1 * more * slope, now, report); more *= 2)
            factor += more;
    if (more > 0 || factor < 1e-7) (void)sn_tissue_evaluate(t, t->x, t->gradient);
    return factor < 1e-7 ? 0 : factor;
}

/* How far from rest a full step has left it, by that step and the one before. What is left is the forcing's part of
 * the step, or what the next step will be: Newton's method squares the contraction; where eigenvalues were changed it
 * stays as it is, and about a third is left of a frame's first step. */
static double error_left(double step, double before, double forcing, bool changed)
{
    double ratio = before > 0 ? step / before : changed ? 0.25 : 0;
    if (ratio >= 1) return INFINITY;
    return step * fmax(2 * forcing, changed ? ratio / (1 - ratio) : ratio * ratio);
}

/* No more precision than what is left asks for: a last step that is small may be rough. */
static double forcing_for(const snTissueSettings *s, double left)
{
    return left < INFINITY ? fmin(fmax(0.4 * s->tolerance / left, s->forcing), fmax(s->forcing, 0.3)) : s->forcing;
}

snTissueReport sn_tissue_solve(snTissue *t, const snTissueSettings *s)
{
    snTissueReport report = {0};
    double start = sn_clock(), left = INFINITY;
    snOctMeasure now = sn_tissue_evaluate(t, t->x, t->gradient);
    bool project = s->project, stale = true;
    report.evaluate_s += sn_clock() - start;
    for (; report.newton < s->newton && !report.converged; ++report.newton) {
        double largest = 0;
        report.residual = largest_component(t);
        if (report.residual == 0) {
            report.converged = true;
            break;
        }
        int32_t cg = report.cg;
        Manner how = {project, stale, forcing_for(s, left)};
        bool fine = newton_direction(t, s, how, &report);
        if (!fine && !project) {
            project = how.project = how.coarsen = true;
            (void)newton_direction(t, s, how, &report);
        }
        stale = report.cg - cg > 15;
        double slope = slope_along(t, &largest), before = report.step;
        if (!(slope < 0) || !isfinite(slope)) break;
        bool changed = project || now.least < SN_J_CRUSHED;
        double factor = search_line(t, slope, project, &now, &report);
        report.step = factor * largest;
        if (report.newton == 0) report.first = report.step;
        if (factor == 0) break;
        left = error_left(report.step, before, how.forcing, changed);
        report.converged = factor == 1 && report.step < 0.1 * t->lattice.spacing && left <= s->tolerance;
        project = project && (factor != 1 || report.step > 0.1 * t->lattice.spacing);
    }
    report.energy = now.energy, report.least = now.least, report.volume = now.volume, report.inverted = now.inverted;
    report.seconds = sn_clock() - start;
    return report;
}
