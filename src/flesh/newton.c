/* The search for rest: inexact Newton, conjugate gradients with the multigrid cycle, Armijo's rule.
 *
 * The true Hessian is used as long as it has no negative curvature where the gradients look; when it has, the elements
 * are assembled again with positive eigenvalues and the step is found anew. Near rest the gradient is measured by a
 * cycle of the matrix that the last step was made with: that tells how much is left, and where it is little, the same
 * matrix serves for one more step. */
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

static Rows rows_of(snTissue *t)
{
    return (Rows){t, t->gradient, t->cg_x, t->cg_p, t->cg_r, t->cg_z, t->cg_q, 0, 0, 0};
}

/* Square of the gradient's size, as the cycle sees it: the first cycle of a search for a direction. */
static double measure_gradient(snTissue *t)
{
    Rows w = rows_of(t);
    sn_rows_loop(t->pool, 0, t->n, start_rows, &w);
    sn_multigrid_cycle(&t->grid, w.r, w.z);
    return sn_rows_dot(t->pool, t->n, w.r, w.z, t->sums);
}

/* Solves H d = -g in t->cg_x, after measure_gradient, which gave `first`. False: negative curvature (d is then what was
 * found before it). */
static bool find_direction(snTissue *t, const snTissueSettings *s, double forcing, double first, int32_t *iterations)
{
    snPool *pool = t->pool;
    Rows w = rows_of(t);
    const snBlocks *m = &t->grid.level[0].matrix;
    double before = 0;
    for (int32_t k = 0; k < s->cg; ++k) {
        if (k > 0) sn_multigrid_cycle(&t->grid, w.r, w.z);
        double rz = k > 0 ? sn_rows_dot(pool, t->n, w.r, w.z, t->sums) : first, fall = k > 0 ? rz / before : 1;
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
    bool keep;             /* the matrix of the iteration before, which has measured the gradient already */
    bool project, coarsen; /* coarsen: the coarser matrices of an earlier iteration serve almost as well as new ones */
    double forcing;
} Manner;

/* Matrix and direction; the report counts. size: of the gradient. */
static bool newton_direction(snTissue *t, const snTissueSettings *s, Manner how, double *size, snTissueReport *report)
{
    double start = sn_clock();
    if (!how.keep) sn_tissue_assemble(t, t->x, how.project), sn_multigrid_refresh(&t->grid);
    double assembled = sn_clock();
    bool fine = how.keep || !how.coarsen || sn_multigrid_coarsen(&t->grid);
    double coarse = sn_clock();
    if (fine && !how.keep) *size = measure_gradient(t);
    if (fine) fine = find_direction(t, s, how.forcing, *size, &report->cg);
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
 * the step, or what the next step will be: Newton's method squares the contraction; where eigenvalues were changed or
 * the matrix was kept it stays as it is, and about a third is left of a frame's first step. */
static double error_left(double step, double before, const Manner *how, bool changed)
{
    double ratio = before > 0 ? step / before : changed ? 0.25 : 0;
    if (ratio >= 1) return INFINITY;
    if (how->keep) return step * fmax(3 * how->forcing, 2 * ratio);
    return step * fmax(2 * how->forcing, changed ? ratio / (1 - ratio) : ratio * ratio);
}

/* No more precision than what is left asks for: a last step that is small may be rough. Near the end a little more
 * makes one iteration less. */
static double forcing_for(const snTissueSettings *s, double left)
{
    if (!(left < INFINITY)) return s->forcing;
    double least = left < 50 * s->tolerance ? 0.4 * s->forcing : s->forcing;
    return fmin(fmax(0.4 * s->tolerance / left, least), fmax(s->forcing, 0.3));
}

/* Where the iteration stands. */
typedef struct {
    bool project, stale, keep;
    double left, size; /* m, estimated; of the gradient, by the last matrix */
    snOctMeasure now;
} Search;

/* After a step of a true matrix that may have been the last: measures what it has left of the gradient. Where steps
 * hardly shrink, the flesh lies in a long valley that the gradient does not show: then that is not believed. */
static void look_back(snTissue *t, const snTissueSettings *s, double before, double safety, Search *at,
                      snTissueReport *report)
{
    double start = sn_clock(), size = at->size;
    at->size = measure_gradient(t);
    double rest = sqrt(fabs(at->size) / size);
    if (at->size >= 0 && report->step < 0.6 * before) {
        at->left = safety * rest * report->step;
        at->keep = at->size > 0 && rest < 0.1;
        report->converged = at->left <= s->tolerance;
    }
    report->cg_s += sn_clock() - start;
}

/* One iteration; false: the energy falls no further. */
static bool iterate(snTissue *t, const snTissueSettings *s, Search *at, snTissueReport *report)
{
    double largest = 0, small = 0.1 * t->lattice.spacing;
    int32_t cg = report->cg;
    Manner how = {at->keep, at->project, at->stale, forcing_for(s, at->left)};
    bool fine = newton_direction(t, s, how, &at->size, report);
    if (!fine && !at->project) {
        at->project = how.project = how.coarsen = true, how.keep = false;
        (void)newton_direction(t, s, how, &at->size, report);
    }
    at->stale = report->cg - cg > 15, at->keep = false;
    double slope = slope_along(t, &largest), before = report->step;
    if (!(slope < 0) || !isfinite(slope)) return false;
    bool changed = at->project || at->now.least < SN_J_CRUSHED;
    double factor = search_line(t, slope, at->project, &at->now, report);
    report->step = factor * largest;
    if (report->newton == 0) report->first = report->step;
    if (factor == 0) return false;
    at->left = error_left(report->step, before, &how, changed);
    bool whole = factor == 1 && report->step < small;
    report->converged = whole && at->left <= s->tolerance;
    if (whole && !changed && !report->converged && 2 * how.forcing * report->step < 4 * s->tolerance)
        look_back(t, s, before, how.keep ? 3 : 2, at, report);
    at->project = at->project && (factor != 1 || report->step > small);
    return true;
}

snTissueReport sn_tissue_solve(snTissue *t, const snTissueSettings *s)
{
    snTissueReport report = {0};
    double start = sn_clock();
    Search at = {.project = s->project, .stale = true, .left = INFINITY};
    at.now = sn_tissue_evaluate(t, t->x, t->gradient);
    report.evaluate_s += sn_clock() - start;
    for (; report.newton < s->newton && !report.converged; ++report.newton) {
        report.residual = largest_component(t);
        if (report.residual == 0) {
            report.converged = true;
            break;
        }
        if (!iterate(t, s, &at, &report)) break;
    }
    const snOctMeasure *now = &at.now;
    report.energy = now->energy, report.least = now->least, report.volume = now->volume,
    report.inverted = now->inverted;
    report.seconds = sn_clock() - start;
    return report;
}
