/* Line muscles over poses. Of the two ways, the derivative P is what the simulation uses, by the path's closed forms and
 * the axes of the links; the other is a difference of lengths only. Central differences over 2e-5 rad are exact to
 * 1e-9 m where the length is smooth. At a kink the one side that belongs to the derivative counts. */
#include "analysis/line_arms.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

static const double WIDEST = SN_PI / 2;  /* to either side of rest, unless the whole range is asked for */
static const double WIDEST_SLIDE = 0.02; /* m */
static const double DIFFERENCE = 1e-5;   /* rad or m */
static const double ROUGH = 1e-6;        /* m: central differences that miss the derivative by so much meet a kink */

bool sn_arms_want(const snArmDef *def, int32_t coordinate)
{
    if (!def->coordinate) return true;
    for (int32_t i = 0; i < def->ncoordinate; ++i)
        if (def->coordinate[i] == coordinate) return true;
    return false;
}

double *sn_arms_grid(const snModel *m, const snArmDef *def, int32_t coordinate, bool angle, double rest, int32_t *count,
                     int32_t *at)
{
    double widest = angle ? WIDEST : WIDEST_SLIDE, step = angle ? def->turn : def->slide;
    double lower = m->coord_lower[coordinate], upper = m->coord_upper[coordinate];
    if (!def->whole || !isfinite(lower)) lower = fmax(lower, rest - widest);
    if (!def->whole || !isfinite(upper)) upper = fmin(upper, rest + widest);
    double middle = fmin(fmax(rest, lower), upper);
    int32_t down = (int32_t)floor((middle - lower) / step + 1e-6), up = (int32_t)floor((upper - middle) / step + 1e-6);
    *count = down + up + 1;
    *at = down;
    double *q = SN_NEW_ARRAY(double, *count);
    for (int32_t k = 0; q && k < *count; ++k) q[k] = middle + (k - down) * step;
    return q;
}

/* ---- one pose ------------------------------------------------------------------------------- */

/* Paths by coordinate out of the pattern of P, which has coordinates by path. */
static void list_crossings(const snPathWork *work, int32_t npath, int32_t ncoord, int32_t *adr, int32_t *cross)
{
    for (int32_t e = 0; e < work->nnz; ++e) ++adr[work->col[e] + 1];
    for (int32_t c = 0; c < ncoord; ++c) adr[c + 1] += adr[c];
    for (int32_t p = 0; p < npath; ++p)
        for (int32_t e = work->rowadr[p]; e < work->rowadr[p + 1]; ++e) cross[adr[work->col[e]]++] = p;
    for (int32_t c = ncoord; c > 0; --c) adr[c] = adr[c - 1];
    adr[0] = 0;
}

bool sn_line_arms_create(const snModel *m, snLineArms *a)
{
    const snSkeleton *s = m->skeleton;
    int32_t n = s->path.npath;
    *a = (snLineArms){.m = m};
    a->tree = sn_tree_create(&s->tree);
    a->path = sn_path_create(&s->path, s->tree.ndof, s->tree.parent);
    a->q = SN_NEW_ARRAY(double, m->ncoord);
    a->length = SN_NEW_ARRAY(double, n);
    a->derivative = SN_NEW_ARRAY(double, n);
    a->quotient = SN_NEW_ARRAY(double, n);
    a->crossadr = SN_NEW_ARRAY(int32_t, m->ncoord + 1);
    a->cross = SN_NEW_ARRAY(int32_t, a->path ? a->path->nnz : 0);
    if (!a->tree || !a->path || !a->q || !a->length || !a->derivative || !a->quotient || !a->crossadr || !a->cross)
        return false;
    list_crossings(a->path, n, m->ncoord, a->crossadr, a->cross);
    for (int32_t c = 0; c < m->ncoord; ++c) a->q[c] = fmin(fmax(0, m->coord_lower[c]), m->coord_upper[c]);
    return true;
}

void sn_line_arms_free(snLineArms *a)
{
    sn_tree_destroy(a->tree);
    sn_path_destroy(a->path);
    sn_free(a->q);
    sn_free(a->length);
    sn_free(a->derivative);
    sn_free(a->quotient);
    sn_free(a->crossadr);
    sn_free(a->cross);
}

static snPathLinks place(snLineArms *a)
{
    const snTree *tree = &a->m->skeleton->tree;
    sn_tree_place(tree, a->tree, a->q);
    return (snPathLinks){tree->ndof,     tree->parent, tree->slides, a->tree->rotation,
                         a->tree->shift, a->tree->S,   a->tree->bend};
}

static double slope_of(const snLineArms *a, int32_t path, int32_t coordinate)
{
    for (int32_t e = a->path->rowadr[path]; e < a->path->rowadr[path + 1]; ++e)
        if (a->path->col[e] == coordinate) return a->path->P[e];
    return 0;
}

double sn_line_at(snLineArms *a, int32_t path, int32_t coordinate, double *slope)
{
    snPathLinks links = place(a);
    sn_path_length(&a->m->skeleton->path, &links, a->path, path);
    *slope = slope_of(a, path, coordinate);
    return a->path->length[path];
}

bool sn_line_moves_itself(const snModel *m, int32_t coordinate)
{
    const int32_t *follows = m->skeleton->tree.follows;
    return !follows || follows[coordinate] == coordinate;
}

/* The difference quotient that belongs to a derivative. */
static double best_quotient(double below, double here, double above, double derivative)
{
    double central = (above - below) / (2 * DIFFERENCE);
    if (fabs(central - derivative) < ROUGH) return central;
    double left = (here - below) / DIFFERENCE, right = (above - here) / DIFFERENCE;
    double side = fabs(left - derivative) < fabs(right - derivative) ? left : right;
    return fabs(side - derivative) < fabs(central - derivative) ? side : central;
}

static void lengths_at(snLineArms *a, int32_t coordinate, double q, double *length)
{
    a->q[coordinate] = q;
    snPathLinks links = place(a);
    for (int32_t i = a->crossadr[coordinate]; i < a->crossadr[coordinate + 1]; ++i) {
        int32_t p = a->cross[i];
        sn_path_length(&a->m->skeleton->path, &links, a->path, p);
        length[p] = a->path->length[p];
    }
}

void sn_line_measure(snLineArms *a, int32_t coordinate)
{
    double q = a->q[coordinate], *below = a->quotient, *above = a->derivative;
    lengths_at(a, coordinate, q - DIFFERENCE, below);
    lengths_at(a, coordinate, q + DIFFERENCE, above);
    lengths_at(a, coordinate, q, a->length);
    for (int32_t i = a->crossadr[coordinate]; i < a->crossadr[coordinate + 1]; ++i) {
        int32_t p = a->cross[i];
        double slope = slope_of(a, p, coordinate);
        a->quotient[p] = -best_quotient(below[p], a->length[p], above[p], slope);
        a->derivative[p] = -slope;
    }
}

/* ---- all poses ------------------------------------------------------------------------------ */

typedef struct LineSweep {
    const snModel *m;
    const snArmDef *def;
    snLineArms at;
    snArms *arms;
} LineSweep;

static bool start_curve(const LineSweep *w, int32_t path, int32_t coordinate, int32_t count)
{
    snArmCurve *c = &w->arms->curve[w->arms->ncurve];
    double *block = SN_NEW_ARRAY(double, 5 * (int64_t)count);
    if (!block) return false;
    *c = (snArmCurve){.strand = path,
                      .coordinate = coordinate,
                      .count = count,
                      .slides = w->m->skeleton->tree.slides[coordinate],
                      .q = w->arms->grid[coordinate],
                      .length = block,
                      .tension = block + count,
                      .excursion = block + 2 * count,
                      .work = block + 3 * count,
                      .path = block + 4 * count};
    ++w->arms->ncurve;
    return true;
}

static void summarise(const LineSweep *w, snArmCurve *c, int32_t rest)
{
    double sum = 0, apart = 0;
    for (int32_t k = 0; k < c->count; ++k) {
        double difference = fabs(c->work[k] - c->excursion[k]);
        if (k) c->jump = fmax(c->jump, fabs(c->work[k] - c->work[k - 1]));
        c->path[k] = c->excursion[k];
        sum += c->work[k], apart += difference;
        c->worst = fmax(c->worst, difference);
    }
    c->mean = sum / c->count;
    c->difference = apart / c->count;
    c->neutral = c->work[rest];
    w->arms->neutral[(size_t)c->strand * (size_t)w->m->ncoord + (size_t)c->coordinate] = c->neutral;
}

static snStatus sweep_coordinate(LineSweep *w, int32_t coordinate)
{
    int32_t count, rest, first = w->arms->ncurve;
    double at_rest = w->at.q[coordinate];
    bool angle = !w->m->skeleton->tree.slides[coordinate];
    double *q = w->arms->grid[coordinate] = sn_arms_grid(w->m, w->def, coordinate, angle, at_rest, &count, &rest);
    if (!q) return SN_NO_MEMORY;
    for (int32_t i = w->at.crossadr[coordinate]; i < w->at.crossadr[coordinate + 1]; ++i)
        if (!start_curve(w, w->at.cross[i], coordinate, count)) return SN_NO_MEMORY;
    if (w->arms->ncurve == first) return SN_OK;
    for (int32_t k = 0; k < count; ++k) {
        w->at.q[coordinate] = q[k];
        sn_line_measure(&w->at, coordinate);
        for (int32_t i = first; i < w->arms->ncurve; ++i) {
            snArmCurve *c = &w->arms->curve[i];
            c->length[k] = w->at.length[c->strand];
            c->work[k] = w->at.derivative[c->strand];
            c->excursion[k] = w->at.quotient[c->strand];
        }
    }
    w->at.q[coordinate] = at_rest;
    for (int32_t i = first; i < w->arms->ncurve; ++i) summarise(w, &w->arms->curve[i], rest);
    return SN_OK;
}

static snStatus sweep_all(LineSweep *w)
{
    const snModel *m = w->m;
    snProgress p = w->def->progress;
    if (!sn_line_arms_create(m, &w->at) || !(w->arms = SN_NEW(snArms))) return SN_NO_MEMORY;
    w->arms->nstrand = m->skeleton->path.npath, w->arms->ncoordinate = m->ncoord;
    w->arms->curve = SN_NEW_ARRAY(snArmCurve, w->at.path->nnz);
    w->arms->neutral = SN_NEW_ARRAY(double, (int64_t)w->arms->nstrand * m->ncoord);
    w->arms->grid = SN_NEW_ARRAY(double *, m->ncoord);
    if (!w->arms->curve || !w->arms->neutral || !w->arms->grid) return SN_NO_MEMORY;
    if (w->def->pose) memcpy(w->at.q, w->def->pose, (size_t)m->ncoord * sizeof(double));
    for (int32_t c = 0; c < m->ncoord; ++c) {
        snStatus status = SN_OK;
        if (sn_line_moves_itself(m, c) && sn_arms_want(w->def, c)) status = sweep_coordinate(w, c);
        if (status == SN_OK && p.call && p.call(p.user, "moment arms", c + 1, m->ncoord)) status = SN_CANCELLED;
        if (status != SN_OK) return status;
    }
    return SN_OK;
}

snStatus sn_line_moment_arms(const snModel *m, const snArmDef *def, snArms **arms, snError *error)
{
    LineSweep w = {.m = m, .def = def};
    snStatus status = sweep_all(&w);
    sn_line_arms_free(&w.at);
    if (status == SN_OK) {
        *arms = w.arms;
        return SN_OK;
    }
    sn_arms_destroy(w.arms);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(error) : sn_fail(error, status, "%s", sn_status_text(status));
}
