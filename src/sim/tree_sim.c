/* The implicit step of a tree with line muscles: see tree_sim.h. */
#include "sim/tree_sim.h"

#include "base/alloc.h"
#include "opt/dense.h"
#include "sim/tree_slope.h"

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
    s->block = sn_alloc(4 * ld * ld + 13 * ld + 7 * np, sizeof(double));
    s->load = SN_NEW_ARRAY(snTreeLoad, SN_TREE_MAX_LOAD);
    if (!s->work || !s->line || !s->block || !s->load) {
        sn_treesim_destroy(s);
        return NULL;
    }
    double *at = s->block;
    double **matrix[4] = {&s->M, &s->A, &s->U, &s->K};
    double **vector[11] = {&s->q,     &s->v,    &s->b,      &s->pushed, &s->dv,      &s->x,
                           &s->least, &s->turn, &s->stop_A, &s->stop_b, &s->external};
    double **each[5] = {&s->activation, &s->strength, &s->weight, &s->wide, &s->force};
    for (int k = 0; k < 4; ++k) *matrix[k] = at, at += ld * ld;
    for (int k = 0; k < 11; ++k) *vector[k] = at, at += ld;
    for (int k = 0; k < 5; ++k) *each[k] = at, at += np;
    s->seen = at;
    for (size_t p = 0; p < np; ++p) s->strength[p] = s->weight[p] = 1;
    sn_treesim_prepare(s);
    return s;
}

bool sn_treesim_keep(snTreeSim *s)
{
    if (!s->kept) s->kept = SN_NEW_ARRAY(double, (size_t)s->ld *(size_t)s->ld);
    return s->kept && sn_path_keep(s->paths, s->line);
}

void sn_treesim_destroy(snTreeSim *sim)
{
    if (!sim) return;
    sn_free(sim->kept);
    sn_tree_destroy(sim->work);
    sn_path_destroy(sim->line);
    sn_free(sim->load);
    sn_free(sim->block);
    sn_free(sim);
}

static snPathLinks links_of(const snTreeSim *s)
{
    return (snPathLinks){s->tree->ndof,  s->tree->parent, s->tree->slides, s->work->rotation,
                         s->work->shift, s->work->S,      s->work->bend};
}

/* Whether the last prepare was for what is there now; notes what is. */
static bool seen_before(snTreeSim *s)
{
    size_t n = (size_t)s->tree->ndof, np = (size_t)s->paths->npath;
    const double *now[4] = {s->q, s->v, s->strength, s->weight};
    const size_t bytes[4] = {n * sizeof(double), n * sizeof(double), np * sizeof(double), np * sizeof(double)};
    double *at = s->seen;
    bool same = s->is_seen;
    for (int k = 0; k < 4; at += bytes[k] / sizeof(double), ++k) {
        same = same && memcmp(at, now[k], bytes[k]) == 0;
        if (!same) memcpy(at, now[k], bytes[k]);
    }
    s->is_seen = true;
    return same;
}

void sn_treesim_prepare(snTreeSim *s)
{
    if (s->stays) return;
    s->is_kept = false;
    sn_tree_couple(s->tree, s->q, s->v);
    if (seen_before(s)) return;
    sn_tree_place(s->tree, s->work, s->q);
    sn_tree_move(s->tree, s->work, s->v);
    snPathLinks links = links_of(s);
    sn_path_lengths(s->paths, &links, s->line);
    sn_path_rates(s->paths, s->line, s->v);
    sn_path_forces(s->paths, s->line, s->strength, s->weight);
}

void sn_treesim_push_loads(const snTreeSim *s, const double *forces, double *tau)
{
    for (int32_t k = 0; k < s->nload; ++k) {
        const snTreeLoad *l = &s->load[k];
        v3 force = v3_load(forces ? forces + 3 * k : l->force);
        if (l->turns) force = q_rotate(sn_tree_motion(s->work, l->link).q, force);
        sn_tree_push(s->tree, s->work, l->link, v3_load(l->point), force, tau);
    }
}

void sn_treesim_pull(const snTreeSim *s, const double *force, double *tau)
{
    sn_path_push(s->paths, s->line, force, tau);
    for (int32_t p = 0; s->compression && p < s->paths->npath; ++p)
        for (int32_t e = s->line->rowadr[p]; e < s->line->rowadr[p + 1]; ++e) {
            int32_t k = s->line->col[e];
            tau[k] -= s->compression[k] * (s->q[k] - s->tree->rest[k]) * force[p];
        }
}

/* Slopes enter the matrix only as far as they keep it definite, but where the whole slope is asked for. */
static double stiffening(const snTreeSim *s, double slope)
{
    return slope > 0 || (s->levers && s->full) ? slope : 0;
}

static double lead_of(const snTreeSim *s)
{
    return s->lead > 0 ? s->lead : s->h;
}

/* Right side without contractile elements and levers. A passive element pulls with the force that it would have at the
 * end of the step at the present rate, which is where -h K v comes in (or -lead K v). */
static void find_b(snTreeSim *s)
{
    int32_t n = s->tree->ndof;
    double h = s->h, lead = lead_of(s), *C = s->x;
    sn_tree_inverse(s->tree, s->work, NULL, s->gravity, C);
    memset(s->b, 0, (size_t)n * sizeof *s->b);
    memset(s->pushed, 0, (size_t)n * sizeof *s->pushed);
    memset(s->turn, 0, (size_t)n * sizeof *s->turn);
    sn_tree_passive(s->tree, s->work, s->q, s->v, s->b);
    sn_tree_passive_product(s->tree, s->work, s->q, s->v, lead, s->v, s->turn);
    sn_treesim_push_loads(s, NULL, s->pushed);
    for (int32_t p = 0; p < s->paths->npath; ++p)
        s->force[p] = s->line->passive[p] + lead * stiffening(s, s->line->passive_l[p]) * s->line->rate[p];
    sn_treesim_pull(s, s->force, s->b);
    for (int32_t i = 0; i < n; ++i) s->b[i] = h * (s->b[i] + s->external[i] + s->pushed[i] - C[i] - s->turn[i]);
}

static void find_A(snTreeSim *s)
{
    double h = s->h;
    memcpy(s->A, s->M, (size_t)s->tree->ndof * (size_t)s->ld * sizeof *s->A);
    sn_tree_passive_stiffness(s->tree, s->work, s->q, s->v, h, false, s->A, s->ld);
    for (int32_t p = 0; p < s->paths->npath; ++p)
        s->wide[p] = h * s->line->passive_v[p] + h * h * stiffening(s, s->line->passive_l[p]);
    sn_path_stiffness(s->paths, s->line, s->wide, s->A, s->ld);
    sn_dense_mirror(s->tree->ndof, s->A, s->ld);
}

/* The rest of the slope: h^2 K to A, half of it from either side since loads and compression are not symmetric, and
 * -h lead K v to b. */
static void add_slopes(snTreeSim *s)
{
    int32_t n = s->tree->ndof;
    double h2 = s->h * s->h, ahead = s->h * lead_of(s);
    sn_treesim_slopes(s);
    for (int32_t i = 0; i < n; ++i) {
        const double *row = s->K + (int64_t)i * s->ld;
        double *to = s->A + (int64_t)i * s->ld, sum = 0;
        for (int32_t j = 0; j < n; ++j) {
            to[j] += h2 * (row[j] + s->K[(int64_t)j * s->ld + i]) / 2;
            sum += row[j] * s->v[j];
        }
        s->b[i] -= ahead * sum;
    }
}

/* What the stop of one coordinate adds to A and b, in place of what it added. */
static void set_stop(snTreeSim *s, int32_t i, double to_A, double to_b)
{
    s->A[(int64_t)i * s->ld + i] += to_A - s->stop_A[i];
    s->b[i] += to_b - s->stop_b[i];
    s->stop_A[i] = to_A, s->stop_b[i] = to_b;
}

/* A stop that pushes, with its damping at a depth: depth times speed, both unknown, would be wrong by its own size. */
static void push_stop(snTreeSim *s, int32_t i, double at, double depth)
{
    double h = s->h, k = s->tree->stop_stiffness[i], c = s->tree->stop_damping[i] * fabs(depth), edge = at - depth;
    set_stop(s, i, h * c + h * h * k, h * (k * (edge - s->q[i] - lead_of(s) * s->v[i]) - c * s->v[i]));
}

static double depth_at(const snTreeSim *s, int32_t i, double q)
{
    const snTree *t = s->tree;
    if (!(t->stop_stiffness[i] > 0) || s->free_stops) return 0;
    return q > t->upper[i] ? q - t->upper[i] : q < t->lower[i] ? q - t->lower[i] : 0;
}

static bool pushes(const snTreeSim *s, int32_t i, double depth, double v)
{
    double sign = depth < 0 ? -1 : 1;
    return depth != 0 && s->tree->stop_stiffness[i] + s->tree->stop_damping[i] * sign * v > 0;
}

/* Stops are first looked at where the joints would be at the end of the step, else a fast one is deep in before it is
 * seen. The kernels count them where the joints are now: that is taken off. */
static void find_stops(snTreeSim *s)
{
    double h = s->h, lead = lead_of(s);
    for (int32_t i = 0; i < s->tree->ndof; ++i) {
        double now_q, now_v, now = sn_tree_stop(s->tree, i, s->q[i], s->v[i], &now_q, &now_v);
        double then = s->q[i] + lead * s->v[i], depth = depth_at(s, i, then);
        s->A[(int64_t)i * s->ld + i] -= h * now_v + h * h * now_q;
        s->b[i] -= h * now - h * lead * now_q * s->v[i];
        s->stop_A[i] = s->stop_b[i] = 0;
        if (pushes(s, i, depth, s->v[i])) push_stop(s, i, then, depth);
    }
}

/* Whether a stop that was counted pushes over the step, rather than pulls. */
static bool pushed(const snTreeSim *s, int32_t i)
{
    double impulse = s->stop_b[i] - s->stop_A[i] * s->x[i];
    bool upper = s->tree->upper[i] - s->q[i] < s->q[i] - s->tree->lower[i];
    return upper ? impulse < 0 : impulse > 0;
}

/* Stops push and never pull, and joints that end the step beyond a stop are pushed; true when some had to change. */
static bool repair_stops(snTreeSim *s)
{
    bool changed = false;
    for (int32_t i = 0; i < s->tree->ndof; ++i) {
        if (!(s->tree->stop_stiffness[i] > 0) || (s->fused && s->fused[i])) continue;
        double end = s->q[i] + s->h * (s->v[i] + s->x[i]), depth = depth_at(s, i, end);
        bool on = s->stop_A[i] > 0, should = on ? pushed(s, i) : pushes(s, i, depth, s->v[i] + s->x[i]);
        if (on == should) continue;
        changed = true;
        if (should)
            push_stop(s, i, end, depth);
        else
            set_stop(s, i, 0, 0);
    }
    return changed;
}

static void assemble(snTreeSim *s, bool levers)
{
    s->levers = levers;
    find_b(s);
    find_A(s);
    find_stops(s);
    if (levers) add_slopes(s);
}

void sn_treesim_evaluate(snTreeSim *s)
{
    if (!s->stays) sn_tree_mass(s->tree, s->work, s->M, s->ld);
    assemble(s, s->geometric || s->full);
}

static void stand_still(snTreeSim *s)
{
    int32_t n = s->tree->ndof;
    for (int32_t i = 0; s->fused && i < n; ++i) {
        if (!s->fused[i]) continue;
        for (int32_t j = 0; j < n; ++j) s->U[(int64_t)i * s->ld + j] = s->U[(int64_t)j * s->ld + i] = i == j;
        s->x[i] = -s->v[i];
    }
}

void sn_treesim_form(snTreeSim *s, bool pull)
{
    int32_t n = s->tree->ndof;
    double h = s->h;
    memcpy(s->U, s->A, (size_t)n * (size_t)s->ld * sizeof *s->U);
    memcpy(s->x, s->b, (size_t)n * sizeof *s->x);
    for (int32_t p = 0; p < s->paths->npath; ++p) {
        double a = s->activation[p], slope = stiffening(s, s->line->active_l[p]);
        s->force[p] = h * a * ((pull ? s->line->active[p] : 0) + h * slope * s->line->rate[p]);
        s->wide[p] = a * (h * s->line->active_v[p] + h * h * slope);
    }
    sn_treesim_pull(s, s->force, s->x);
    sn_path_stiffness(s->paths, s->line, s->wide, s->U, s->ld);
    stand_still(s);
}

bool sn_treesim_factor(snTreeSim *s)
{
    for (int32_t i = 0; i < s->tree->ndof; ++i) s->least[i] = 1e-14 * s->M[(int64_t)i * s->ld + i];
    return sn_dense()->factor(s->tree->ndof, s->U, s->ld, s->least);
}

/* The answer is in x; false where the matrix is not definite. */
static bool solve(snTreeSim *s)
{
    enum { ROUNDS = 6 };        /* of stops; the last answer is taken as it is */
    const double fastest = 1e3; /* rad/s, m/s: faster than anything that lives */
    for (int round = 0; round < ROUNDS; ++round) {
        sn_treesim_form(s, true);
        if (!sn_treesim_factor(s)) return false;
        sn_dense()->solve(s->tree->ndof, s->U, s->ld, s->x);
        for (int32_t i = 0; i < s->tree->ndof; ++i)
            if (!(fabs(s->v[i] + s->x[i]) < fastest)) return false;
        if (!repair_stops(s)) break;
    }
    return true;
}

snStatus sn_treesim_solve(snTreeSim *s)
{
    s->left_out = false;
    if (!solve(s)) {
        if (!s->levers) return SN_FAILED;
        assemble(s, false);
        s->left_out = true;
        if (!solve(s)) return SN_FAILED;
    }
    memcpy(s->dv, s->x, (size_t)s->tree->ndof * sizeof *s->dv);
    return SN_OK;
}

void sn_treesim_move(snTreeSim *s)
{
    s->stays = false;
    for (int32_t i = 0; i < s->tree->ndof; ++i) {
        s->v[i] += s->dv[i];
        s->q[i] += s->h * s->v[i];
    }
    s->time += s->h;
}

snStatus sn_treesim_advance(snTreeSim *s)
{
    snStatus status = sn_treesim_solve(s);
    if (status == SN_OK) sn_treesim_move(s);
    return status;
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
        double change = 0, slope = stiffening(s, s->line->active_l[p]);
        for (int32_t e = s->line->rowadr[p]; e < s->line->rowadr[p + 1]; ++e)
            change += s->line->P[e] * dv[s->line->col[e]];
        double c = s->line->active[p] + s->line->active_v[p] * change + s->h * slope * (s->line->rate[p] + change);
        c += (lead_of(s) - s->h) * slope * s->line->rate[p];
        active[p] = c > 0 ? c : 0;
    }
}

void sn_treesim_tensions(const snTreeSim *s, double *force)
{
    for (int32_t p = 0; p < s->paths->npath; ++p)
        force[p] = s->line->passive[p] + s->activation[p] * s->line->active[p];
}

double sn_treesim_stretched(const snTreeSim *s)
{
    double sum = 0;
    for (int32_t p = 0; p < s->paths->npath; ++p) {
        const snPathMuscle *m = &s->paths->muscle[p];
        double stretch = m->passive_neutral + (s->line->length[p] - m->neutral_length) / m->passive_length;
        sum += s->weight[p] * m->max_force * m->passive_scale * m->passive_length *
               sn_law_integral(&s->paths->law[m->passive_law], 1, stretch);
    }
    return sum;
}

double sn_treesim_energy(snTreeSim *s)
{
    sn_treesim_prepare(s);
    return sn_tree_kinetic_energy(s->tree, s->work) + sn_tree_potential_energy(s->tree, s->work, s->gravity) +
           sn_tree_passive_energy(s->tree, s->work, s->q) + sn_treesim_stretched(s);
}
