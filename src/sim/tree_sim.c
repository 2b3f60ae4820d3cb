/* The implicit step of a tree with line muscles: see tree_sim.h. */
#include "sim/tree_sim.h"

#include "base/alloc.h"
#include "opt/dense.h"

#include <math.h>
#include <string.h>

snTreeSim *sn_treesim_create(const snTree *tree, const snPathSet *paths)
{
    snTreeSim *s = SN_NEW(snTreeSim);
    if (!s) return NULL;
    s->tree = tree, s->paths = paths, s->h = 0.007, s->gravity = v3_of(0, -9.81, 0);
    s->ld = sn_dense_ld(tree->ndof);
    s->work = sn_tree_create(tree);
    s->line = sn_path_create(paths, tree->ndof, tree->parent);
    size_t ld = (size_t)s->ld, np = (size_t)paths->npath;
    s->block = sn_alloc(3 * ld * ld + 10 * ld + 5 * np, sizeof(double));
    s->load = SN_NEW_ARRAY(snTreeLoad, SN_TREE_MAX_LOAD);
    if (!s->work || !s->line || !s->block || !s->load) {
        sn_treesim_destroy(s);
        return NULL;
    }
    double *at = s->block;
    double **matrix[3] = {&s->M, &s->A, &s->U},
           **vector[10] = {&s->q, &s->v, &s->b, &s->pushed, &s->dv, &s->x, &s->least, &s->turn, &s->stop_A, &s->stop_b};
    double **each[5] = {&s->activation, &s->strength, &s->weight, &s->wide, &s->force};
    for (int k = 0; k < 3; ++k) *matrix[k] = at, at += ld * ld;
    for (int k = 0; k < 10; ++k) *vector[k] = at, at += ld;
    for (int k = 0; k < 5; ++k) *each[k] = at, at += np;
    for (size_t p = 0; p < np; ++p) s->strength[p] = s->weight[p] = 1;
    sn_treesim_prepare(s);
    return s;
}

void sn_treesim_destroy(snTreeSim *sim)
{
    if (!sim) return;
    sn_tree_destroy(sim->work);
    sn_path_destroy(sim->line);
    sn_free(sim->load);
    sn_free(sim->block);
    sn_free(sim);
}

static snPathLinks links_of(const snTreeSim *s)
{
    return (snPathLinks){s->tree->ndof,     s->tree->parent, s->tree->slides,
                         s->work->rotation, s->work->shift,  s->work->S};
}

void sn_treesim_prepare(snTreeSim *s)
{
    sn_tree_place(s->tree, s->work, s->q);
    sn_tree_move(s->tree, s->work, s->v);
    snPathLinks links = links_of(s);
    sn_path_lengths(s->paths, &links, s->line);
    sn_path_rates(s->paths, s->line, s->v);
    sn_path_forces(s->paths, s->line, s->strength, s->weight);
}

void sn_treesim_push_loads(const snTreeSim *s, const double *forces, double *tau)
{
    for (int32_t k = 0; k < s->nload; ++k)
        sn_tree_push(s->tree, s->work, s->load[k].link, v3_load(s->load[k].point),
                     v3_load(forces ? forces + 3 * k : s->load[k].force), tau);
}

/* Slopes enter the matrix only as far as they keep it definite. */
static double stiffening(double slope)
{
    return slope > 0 ? slope : 0;
}

/* Right side without contractile elements and levers. A passive element pulls with the force that it would have at the
 * end of the step at the present rate, which is where -h K v comes in. */
static void find_b(snTreeSim *s)
{
    int32_t n = s->tree->ndof;
    double h = s->h, *C = s->x;
    sn_tree_inverse(s->tree, s->work, NULL, s->gravity, C);
    memset(s->b, 0, (size_t)n * sizeof *s->b);
    memset(s->pushed, 0, (size_t)n * sizeof *s->pushed);
    memset(s->turn, 0, (size_t)n * sizeof *s->turn);
    sn_tree_passive(s->tree, s->work, s->q, s->v, s->b);
    sn_tree_passive_product(s->tree, s->work, s->q, s->v, h, s->v, s->turn);
    sn_treesim_push_loads(s, NULL, s->pushed);
    for (int32_t p = 0; p < s->paths->npath; ++p)
        s->force[p] = s->line->passive[p] + h * stiffening(s->line->passive_l[p]) * s->line->rate[p];
    sn_path_push(s->paths, s->line, s->force, s->b);
    for (int32_t i = 0; i < n; ++i) s->b[i] = h * (s->b[i] + s->pushed[i] - C[i] - s->turn[i]);
}

static void find_A(snTreeSim *s)
{
    double h = s->h;
    memcpy(s->A, s->M, (size_t)s->tree->ndof * (size_t)s->ld * sizeof *s->A);
    sn_tree_passive_stiffness(s->tree, s->work, s->q, s->v, h, false, s->A, s->ld);
    for (int32_t p = 0; p < s->paths->npath; ++p)
        s->wide[p] = h * s->line->passive_v[p] + h * h * stiffening(s->line->passive_l[p]);
    sn_path_stiffness(s->paths, s->line, s->wide, s->A, s->ld);
}

/* Levers under the tensions of now: h^2 K_g to A, -h^2 K_g v to b. */
static void add_levers(snTreeSim *s)
{
    int32_t n = s->tree->ndof;
    double h2 = s->h * s->h;
    snPathLinks links = links_of(s);
    memset(s->U, 0, (size_t)n * (size_t)s->ld * sizeof *s->U);
    sn_treesim_tensions(s, s->force);
    sn_path_geometric(s->paths, &links, s->line, s->force, h2, s->U, s->ld);
    sn_tree_passive_levers(s->tree, s->work, s->v, h2, s->U, s->ld);
    for (int32_t i = 0; i < n; ++i) {
        const double *row = s->U + (int64_t)i * s->ld;
        double *to = s->A + (int64_t)i * s->ld, sum = 0;
        for (int32_t j = 0; j < n; ++j) {
            to[j] += row[j];
            sum += row[j] * s->v[j];
        }
        s->b[i] -= sum;
    }
}

/* A stop is looked at where the joint would be at the end of the step, else a fast joint is deep in it before it is
 * seen. The kernels count it where the joint is now: that is taken off. */
static void find_stops(snTreeSim *s)
{
    double h = s->h;
    for (int32_t i = 0; i < s->tree->ndof; ++i) {
        double by_q, by_v, now_q, now_v, now = sn_tree_stop(s->tree, i, s->q[i], s->v[i], &now_q, &now_v);
        double then = sn_tree_stop(s->tree, i, s->q[i] + h * s->v[i], s->v[i], &by_q, &by_v);
        /* Damping with the depth held: depth times speed, both unknown, would be wrong by its own size. */
        s->stop_A[i] = by_v > 0 ? h * by_v + h * h * s->tree->stop_stiffness[i] : 0;
        s->stop_b[i] = h * then;
        s->A[(int64_t)i * s->ld + i] += s->stop_A[i] - h * now_v - h * h * now_q;
        s->b[i] += s->stop_b[i] - h * now + h * h * now_q * s->v[i];
    }
}

void sn_treesim_evaluate(snTreeSim *s)
{
    sn_tree_mass(s->tree, s->work, s->M, s->ld);
    find_b(s);
    find_A(s);
    find_stops(s);
    s->levers = s->geometric;
    if (s->levers) add_levers(s);
}

/* A and b with the contractile elements, solved; false where the matrix is not definite. The answer is in x. */
static bool solve(snTreeSim *s)
{
    int32_t n = s->tree->ndof;
    double h = s->h;
    const snDense *dense = sn_dense();
    memcpy(s->U, s->A, (size_t)n * (size_t)s->ld * sizeof *s->U);
    memcpy(s->x, s->b, (size_t)n * sizeof *s->x);
    for (int32_t p = 0; p < s->paths->npath; ++p) {
        double a = s->activation[p], slope = stiffening(s->line->active_l[p]);
        s->force[p] = h * a * (s->line->active[p] + h * slope * s->line->rate[p]);
        s->wide[p] = a * (h * s->line->active_v[p] + h * h * slope);
    }
    sn_path_push(s->paths, s->line, s->force, s->x);
    sn_path_stiffness(s->paths, s->line, s->wide, s->U, s->ld);
    for (int32_t i = 0; i < n; ++i) s->least[i] = 1e-14 * s->M[(int64_t)i * s->ld + i];
    if (!dense->factor(n, s->U, s->ld, s->least)) return false;
    dense->solve(n, s->U, s->ld, s->x);
    for (int32_t i = 0; i < n; ++i)
        if (!isfinite(s->x[i])) return false;
    return true;
}

snStatus sn_treesim_advance(snTreeSim *s)
{
    s->left_out = false;
    if (!solve(s)) {
        if (!s->levers) return SN_FAILED;
        find_b(s);
        find_A(s);
        find_stops(s);
        s->levers = false, s->left_out = true;
        if (!solve(s)) return SN_FAILED;
    }
    for (int32_t i = 0; i < s->tree->ndof; ++i) {
        s->dv[i] = s->x[i];
        s->v[i] += s->dv[i];
        s->q[i] += s->h * s->v[i];
    }
    s->time += s->h;
    return SN_OK;
}

snStatus sn_treesim_step(snTreeSim *s)
{
    sn_treesim_prepare(s);
    sn_treesim_evaluate(s);
    return sn_treesim_advance(s);
}

void sn_treesim_active_after(const snTreeSim *s, const double *dv, double *active)
{
    for (int32_t p = 0; p < s->paths->npath; ++p) {
        double change = 0, slope = stiffening(s->line->active_l[p]);
        for (int32_t e = s->line->rowadr[p]; e < s->line->rowadr[p + 1]; ++e)
            change += s->line->P[e] * dv[s->line->col[e]];
        double c = s->line->active[p] + s->line->active_v[p] * change + s->h * slope * (s->line->rate[p] + change);
        active[p] = c > 0 ? c : 0;
    }
}

void sn_treesim_tensions(const snTreeSim *s, double *force)
{
    for (int32_t p = 0; p < s->paths->npath; ++p)
        force[p] = s->line->passive[p] + s->activation[p] * s->line->active[p];
}
