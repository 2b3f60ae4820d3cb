/* soft.h: equilibrium by Newton steps, with a projected stiffness far from it. Near it the stiffness as it is gives
 * quadratic convergence, where the projected one, which leaves out the compressed matter, creeps. The matrix is
 * factored in single precision; energy, force and positions are in double, so that the float only costs a little of
 * Newton's speed at the very end. */
#include "meshfree/soft.h"

#include "base/clock.h"

#include <string.h>

static const double ARMIJO = 1e-4;
static const double SHORTEST = 1e-6; /* of a line search */
static const double NEAR = 5e-3;     /* m: after a step from it on the stiffness is projected wholly... */
static const double CLOSE = 5e-4;    /* m: ... below it not at all... */
static const double LESS = 0.25;     /* ... and between them by so much of what it was, after each whole step... */
static const double LEAST = 0.05;    /* ... until that is not worth while */
static const double KEEP = 2e-3;     /* m: after a whole step below it the factors are used once more... */
static const double RATE = 0.5;      /* ... and again as long as each step is so much shorter than the last one */
static const double STEADY = 0.25;   /* the same by projected factors, which hide a long valley */
static const double SURE = 0.1;      /* of the tolerance: what steps by projected factors must fall below */
static const double DEEPEST = 3e-4;  /* m: of a node in a bone */
enum { HARDER = 4 };                 /* times that contact is made four times as stiff for that, at most */
enum {
    ENOUGH = 2
}; /* steps below the tolerance end a solve: a short one may only restore the volume, and a long one
      along the valley follows */
enum {
    RECENT = 3
}; /* states of which a step must beat the worst: matter that hardly changes its
      volume moves along curved valleys, whose walls a straight step may climb */

snSoftSolveDef sn_default_soft_solve_def(void)
{
    return (snSoftSolveDef){.tolerance = 2e-5, .most_steps = 150, .longest = 0.05};
}

void sn_soft_place_attached(const snSoftBody *body, snSoftState *state)
{
    for (int32_t i = 0; i < body->quads->nnode; ++i) {
        int32_t b = body->attached[i];
        if (b < 0) continue;
        v3 local = rigid_unapply(body->bone[b].rest, v3_load(body->quads->rest + 3 * i));
        v3_store(state->x + 3 * i, rigid_apply(state->pose[b], local));
    }
}

void sn_soft_move_bones(const snSoftBody *body, snSoftState *state, const rigid *pose)
{
    for (int32_t i = 0; i < body->quads->nnode; ++i) {
        const double *follow = body->follow + (size_t)i * (size_t)body->nbone;
        v3 x = v3_load(state->x + 3 * i), moved = {0, 0, 0};
        double sum = 0;
        for (int32_t b = 0; b < body->nbone; ++b) {
            if (follow[b] == 0) continue;
            moved = v3_mad(moved, follow[b], rigid_apply(pose[b], rigid_unapply(state->pose[b], x)));
            sum += follow[b];
        }
        if (sum > 0) v3_store(state->x + 3 * i, moved);
    }
    memcpy(state->pose, pose, (size_t)body->nbone * sizeof *pose);
    sn_soft_place_attached(body, state);
}

/* What the factors are of. The stiffness as it is gives the longest steps, but need not be positive definite; projected
 * it always is, but steps along a valley get short, by orders of magnitude. Mostly a part of the projection does. */
typedef struct manner {
    double share;   /* of the projection that the next factors get */
    bool fresh;     /* the present ones were made for this step */
    bool projected; /* and have some of it */
} manner;

static double stiffen(const snSoftBody *body, snSoftState *state, double shift)
{
    double size = 0;
    for (int32_t r = 0; r < 3 * body->nfree; ++r) {
        float *d = state->value + sn_tiles_at(&body->tiles, r, r);
        size = fmax(size, *d);
        *d += (float)shift;
    }
    return size;
}

/* The stiffness with a share of the projection, when that is positive definite; else with all of it, and the diagonal
 * grows until it is. */
static bool factor(const snSoftBody *body, snSoftState *state, const snTileKernel *kernel, manner *how)
{
    double shift = 0;
    how->fresh = true;
    for (int attempt = 0; attempt < 9; ++attempt) {
        sn_soft_assemble(body, state, how->share);
        double size = stiffen(body, state, shift);
        how->projected = how->share > 0;
        if (kernel->factor(&body->tiles, state->value)) return true;
        if (how->share == 1) shift = shift > 0 ? 10 * shift : 1e-6 * size;
        how->share = 1;
    }
    return false;
}

/* What the next factors are to be of, after a step of so many metres; whole: it was not shortened. */
static void choose_share(manner *how, double step, bool whole)
{
    if (!how->fresh) return;
    if (whole) how->share *= LESS;
    if (step < CLOSE || how->share < LEAST) how->share = 0;
    if (step >= NEAR) how->share = 1;
}

/* The step by the present factors into state->step, the largest move of a node, and the slope of the energy along it.
 */
static void solve_step(const snSoftBody *body, snSoftState *state, double *largest, double *slope)
{
    int32_t n = body->quads->nnode;
    *largest = *slope = 0;
    memset(state->right, 0, (size_t)body->tiles.nrow * SN_TILE * sizeof *state->right);
    for (int32_t i = 0; i < n; ++i) {
        int32_t at = body->order[i];
        for (int e = 0; e < 3 && at >= 0; ++e) state->right[3 * at + e] = -(float)state->force[3 * i + e];
    }
    sn_tile()->solve(&body->tiles, state->value, state->right);
    for (int32_t i = 0; i < n; ++i) {
        int32_t at = body->order[i];
        for (int e = 0; e < 3; ++e) state->step[3 * i + e] = at < 0 ? 0 : (double)state->right[3 * at + e];
        *largest = fmax(*largest, v3_len(v3_load(state->step + 3 * i)));
        *slope += v3_dot(v3_load(state->force + 3 * i), v3_load(state->step + 3 * i));
    }
}

/* A step by the factors of the last one where that converges fast, else by new ones. previous: the last step where it
 * was taken whole, else infinite. */
static bool next_step(const snSoftBody *body, snSoftState *state, manner *how, double previous, double *largest,
                      double *slope)
{
    how->fresh = false;
    if (previous < KEEP) {
        solve_step(body, state, largest, slope);
        if (*largest < (how->projected ? STEADY : RATE) * previous) return true;
    }
    if (!factor(body, state, sn_tile(), how)) return false;
    solve_step(body, state, largest, slope);
    return isfinite(*largest);
}

/* Moves state->x along the step as far as the energy falls below `bar`; the part of the step that was taken, 0: none.
 */
static double line_search(const snSoftBody *body, snSoftState *state, double first, double slope, double bar,
                          snSoftInfo *info)
{
    size_t n = 3 * (size_t)body->quads->nnode;
    double noise = 1e-14 * fabs(info->energy) + 1e-18;
    for (double t = first; t > SHORTEST; t /= 2) {
        for (size_t i = 0; i < n; ++i) state->trial[i] = state->x[i] + t * state->step[i];
        double energy = sn_soft_evaluate(body, state, state->trial, NULL);
        ++info->energies;
        if (!(energy <= bar + ARMIJO * t * slope + noise)) continue;
        memcpy(state->x, state->trial, n * sizeof *state->x);
        info->energy = energy;
        return t;
    }
    return 0;
}

static void measure(const snSoftBody *body, const snSoftState *state, snSoftInfo *info)
{
    const snSoftQuads *q = body->quads;
    double volume = 0, F[9];
    m3 f;
    info->least_J = INFINITY;
    for (int32_t e = 0; e < q->n; ++e) {
        if (q->part[e] == SN_SOFT_SHAPE) continue;
        sn_soft_quads_gradient(q, e, state->x, F);
        memcpy(f.m, F, sizeof f.m);
        double J = m3_det(&f);
        volume += q->volume[e] * J;
        info->least_J = fmin(info->least_J, J);
    }
    info->volume = volume / body->volume;
    info->contact_depth = 0;
    if (body->nbone > 0) sn_soft_contact(body, state, state->x, NULL, NULL, 0, &info->contact_depth);
}

/* The pressures where the nodes are, or, to first order, after a step. */
static void find_pressures(const snSoftBody *body, const snSoftState *state, const double *step, double *pressure)
{
    double F[9], D[9];
    for (int32_t e = 0; e < body->quads->n; ++e) {
        sn_soft_quads_gradient(body->quads, e, state->x, F);
        if (step) sn_soft_quads_gradient(body->quads, e, step, D);
        pressure[e] = sn_soft_pressure(body->material + e, F, step ? D : NULL);
    }
}

/* Whether all nodes are within the tolerance of an equilibrium that is known. */
static bool arrived(const snSoftBody *body, const snSoftState *state, const snSoftSolveDef *def)
{
    for (int32_t i = 0; i < body->quads->nnode && def->known; ++i)
        if (v3_dist(v3_load(state->x + 3 * i), v3_load(def->known + 3 * i)) > def->tolerance) return false;
    return def->known != NULL;
}

/* Newton steps until two are below the tolerance. The stiffness has the pressures that the steps so far make one
 * expect: a straight step along a curved valley of equal volume leaves it by its square, and the pressure found there,
 * which is that times lambda, would belong to no state near by. After a step that had to be shortened they are found
 * anew.
 */
static void descend(const snSoftBody *body, snSoftState *state, const snSoftSolveDef *def, snSoftInfo *info)
{
    double largest = 0, slope, previous = INFINITY, recent[RECENT];
    int32_t last = info->steps + def->most_steps;
    manner how = {.share = 1};
    int below = 0;
    info->converged = false;
    find_pressures(body, state, NULL, state->pressure);
    state->expects = true;
    for (int k = 0; k < RECENT; ++k) recent[k] = -INFINITY;
    while (info->steps < last) {
        info->energy = sn_soft_evaluate(body, state, state->x, state->force);
        recent[info->steps % RECENT] = info->energy;
        double bar = info->energy;
        for (int k = 0; k < RECENT; ++k) bar = fmax(bar, recent[k]);
        if (!isfinite(info->energy) || !next_step(body, state, &how, previous, &largest, &slope)) break;
        ++info->steps;
        find_pressures(body, state, state->step, state->coming);
        double t = line_search(body, state, largest > def->longest ? def->longest / largest : 1, slope, bar, info);
        if (t == 1)
            memcpy(state->pressure, state->coming, (size_t)body->quads->n * sizeof *state->pressure);
        else
            find_pressures(body, state, NULL, state->pressure);
        info->last_step = t > 0 ? t * largest : largest;
        below = largest < (how.projected ? SURE : 1) * def->tolerance ? below + 1 : 0;
        info->converged = below == ENOUGH || arrived(body, state, def);
        previous = t == 1 ? largest : INFINITY;
        choose_share(&how, info->last_step, t == 1);
        if (info->converged || t == 0) break;
    }
    state->expects = false;
}

snSoftInfo sn_soft_solve(const snSoftBody *body, snSoftState *state, const snSoftSolveDef *def)
{
    snSoftInfo info = {0};
    double began = sn_clock_thread();
    sn_soft_place_attached(body, state);
    state->contact_stiffness = body->contact_stiffness;
    descend(body, state, def, &info);
    measure(body, state, &info);
    /* where a bone is too deep in, it pushes harder: soft at first, so that the way there is short */
    for (int k = 0; k < HARDER && info.converged && info.contact_depth > DEEPEST; ++k) {
        state->contact_stiffness *= 4;
        descend(body, state, def, &info);
        measure(body, state, &info);
    }
    sn_soft_evaluate(body, state, state->x, state->force);
    info.residual = 0;
    for (int32_t i = 0; i < body->quads->nnode; ++i)
        if (body->order[i] >= 0) info.residual = fmax(info.residual, v3_len(v3_load(state->force + 3 * i)));
    info.seconds = sn_clock_thread() - began;
    return info;
}

snSoftInfo sn_soft_advance(const snSoftBody *body, snSoftState *state, double dt, const snSoftSolveDef *def)
{
    int32_t n = 3 * body->quads->nnode;
    for (int32_t i = 0; i < n; ++i) {
        state->target[i] = state->x[i] + dt * state->velocity[i];
        state->velocity[i] = state->x[i];
    }
    state->dt = dt;
    snSoftInfo info = sn_soft_solve(body, state, def);
    state->dt = 0;
    for (int32_t i = 0; i < n; ++i) state->velocity[i] = (state->x[i] - state->velocity[i]) / dt;
    return info;
}
