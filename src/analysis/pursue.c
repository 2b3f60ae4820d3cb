/* Following a motion: control, steps, fatigue, what is recorded. The published method is in paper.c.
 * One file, because control, steps and record share one run and its order. */
#include "analysis/pursue.h"
#include "base/def.h"

#include "analysis/fatigue.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "motion/poses.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double one_degree = SN_DEG; /* `step`: what a pose error is weighed by */
static const double step_effort = 1e-3;
/* A finger weighs so little that 14 deg of error ask for 2 mN m, which effort at its full weight would rather save: a
 * joint then stays on its stop. */
static const double thrift = 0.1;
/* Torques are those over the time that activations are held, but not over more than this, s: the full stiffness is not
 * definite for much longer steps. */
static const double horizon = 1.0 / 120;
enum { NAME = 160 };

/* ---- control -------------------------------------------------------------------------------- */

/* The step with the activations of now, stops left to themselves: they push without being asked. */
static void look_ahead(snPursue *u, double h)
{
    snTreeSim *sim = u->sim;
    sim->h = h, sim->free_stops = true;
    sn_patient_apply(u->p, sim);
    sn_patient_drive(u->p, u->p->activation, sim);
    sn_treesim_prepare(sim);
    sn_treesim_evaluate(sim);
    sn_treesim_form(sim, false);
    sn_dense_mirror(u->p->nq, sim->U, sim->ld);
    sim->free_stops = false;
}

/* What was not seen has no wanted acceleration: muscles at their last activation and passive tissue tell it. */
static void foresee(snPursue *u, double h)
{
    snPatient *p = u->p;
    snTreeSim *sim = u->sim;
    bool any = false;
    for (int32_t k = 0; k < p->nq; ++k) any = any || p->ignored[k];
    if (!any) return;
    memcpy(sim->K, sim->U, sizeof *sim->K * (size_t)p->nq * (size_t)sim->ld);
    for (int32_t i = 0; i < p->nq; ++i) {
        double sum = 0;
        for (int32_t unit = 0; unit < p->nu && !p->fused[i]; ++unit)
            sum += p->A[(size_t)i * (size_t)p->nu + (size_t)unit] * p->activation[unit];
        sim->dv[i] = sim->x[i] + h * sum;
        sim->least[i] = 1e-14 * sim->M[(size_t)i * (size_t)(sim->ld + 1)];
    }
    if (!p->dense->factor(p->nq, sim->K, sim->ld, sim->least)) return;
    p->dense->solve(p->nq, sim->K, sim->ld, sim->dv);
    for (int32_t k = 0; k < p->nq; ++k)
        if (p->ignored[k]) u->acceleration[k] = sim->dv[k] / h;
}

/* The torques of the wanted acceleration, solved backwards through the implicit step: a finger weighs so little that
 * damping and stiffness over a step outweigh its inertia. */
static snStatus by_torque(snPursue *u, double time, double h)
{
    snPatient *p = u->p;
    snTreeSim *sim = u->sim;
    const double n = u->def->feedback > 0 ? u->def->feedback : 20;
    sn_pursue_rates(u, time, h);
    for (int32_t k = 0; k < p->nq; ++k)
        u->acceleration[k] += 2 * n * (u->rate[k] - sim->v[k]) + n * n * (u->target[k] - sim->q[k]);
    sim->full = u->full;
    look_ahead(u, h);
    sim->full = true;
    sim->stays = true; /* until it moves */
    sn_patient_borrow(p, sim);
    foresee(u, h);
    for (int32_t i = 0; i < p->nq; ++i) {
        double sum = -sim->x[i];
        for (int32_t j = 0; j < p->nq; ++j) sum += sim->U[(int64_t)i * sim->ld + j] * h * u->acceleration[j];
        p->b[i] = sum / h;
    }
    /* A stop that may push where the joint is to leave it would be an actuator of its own, and the joint would stay. */
    for (int32_t k = 0; k < p->nq; ++k) p->leaves[k] = sn_patient_stop(p, k, u->target[k]) == 0;
    p->thrift = thrift;
    snStatus status = sn_patient_solve(p, NULL);
    p->thrift = 1;
    return status;
}

/* The step as q' = free + B c: affine in the activations but for the stiffness that they make. */
static bool find_response(snPursue *u, double h)
{
    snPatient *p = u->p;
    snTreeSim *sim = u->sim;
    int32_t nu = p->nu;
    look_ahead(u, h);
    sim->stays = true;
    bool fine = sn_treesim_factor(sim);
    if (!fine) {
        sim->full = false;
        look_ahead(u, h);
        sim->full = true;
        if (!sn_treesim_factor(sim)) return false;
    }
    p->dense->solve(p->nq, sim->U, sim->ld, sim->x);
    for (int32_t k = 0; k < p->nq; ++k) u->free[k] = sim->q[k] + h * (sim->v[k] + sim->x[k]);
    sn_patient_borrow(p, sim);
    for (int32_t unit = 0; unit < nu; ++unit) {
        for (int32_t k = 0; k < p->nq; ++k)
            sim->x[k] = p->fused[k] ? 0 : h * p->A[(size_t)k * (size_t)nu + (size_t)unit];
        p->dense->solve(p->nq, sim->U, sim->ld, sim->x);
        for (int32_t k = 0; k < p->nq; ++k) u->B[(size_t)k * (size_t)nu + (size_t)unit] = h * sim->x[k];
    }
    return true;
}

/* Stops that the pose ahead lies on: each a column of the torque with which it pushes. */
static void add_stops(snPursue *u, double h)
{
    snPatient *p = u->p;
    snTreeSim *sim = u->sim;
    p->nstop = 0;
    for (int32_t k = 0; k < p->nq; ++k) {
        double push = p->fused[k] || p->ignored[k] ? 0 : sn_patient_stop(p, k, u->target[k]);
        if (push == 0) continue;
        memset(sim->x, 0, sizeof *sim->x * (size_t)p->nq);
        sim->x[k] = h * push;
        p->dense->solve(p->nq, sim->U, sim->ld, sim->x);
        for (int32_t r = 0; r < p->nrow; ++r)
            p->H[(size_t)r * (size_t)p->ld + (size_t)(p->nz + p->nstop)] = h * sim->x[p->row[r]] / one_degree;
        p->stop[p->nstop++] = k;
    }
    p->nvar = p->nz + p->nstop;
}

/* Its program has a row for each driven coordinate, a column for each control and each stop that may push. */
static void fill_ahead(snPursue *u, double h)
{
    snPatient *p = u->p;
    size_t wide = (size_t)p->ld;
    int32_t nu = p->nu;
    memset(p->H, 0, sizeof *p->H * wide * (size_t)p->nq);
    p->nrow = 0;
    for (int32_t k = 0; k < p->nq; ++k) {
        if (!p->s->tree.driven[k] || p->fused[k] || p->ignored[k]) continue;
        double *row = p->H + (size_t)p->nrow * wide;
        for (int32_t unit = 0; unit < nu; ++unit)
            row[p->control[unit]] += u->B[(size_t)k * (size_t)nu + (size_t)unit] / one_degree;
        p->rhs[p->nrow] = (u->target[k] - u->free[k]) / one_degree;
        p->row[p->nrow++] = k;
    }
    add_stops(u, h);
    p->dense->gram(p->nrow, p->nvar, p->H, p->ld, p->Q);
    for (int32_t unit = 0; unit < nu; ++unit)
        p->Q[(size_t)p->control[unit] * (wide + 1)] += step_effort * p->cost[unit];
    for (int32_t i = p->nz; i < p->nvar; ++i) p->Q[(size_t)i * (wide + 1)] += sn_stop_effort;
}

static snStatus ahead(snPursue *u, double time, double h)
{
    snPatient *p = u->p;
    size_t wide = (size_t)p->ld;
    int32_t nu = p->nu;
    sn_pursue_reference(u, time + h, u->target, NULL, NULL);
    if (!find_response(u, h)) return SN_FAILED; /* the activations of the last step will do */
    fill_ahead(u, h);
    memset(p->c, 0, sizeof *p->c * wide);
    for (int32_t r = 0; r < p->nrow; ++r)
        for (int32_t i = 0; i < p->nvar; ++i) p->c[i] -= p->rhs[r] * p->H[(size_t)r * wide + (size_t)i];
    for (int32_t i = 0; i < p->nvar; ++i) p->lo[i] = 0, p->hi[i] = i < p->nz ? 1 : sn_stop_limit, p->z[i] = 0;
    for (int32_t unit = 0; unit < nu; ++unit) p->z[p->control[unit]] = p->activation[unit];
    snBoxQpProblem problem = {.n = p->nvar, .Q = p->Q, .c = p->c, .lo = p->lo, .hi = p->hi, .ld = p->ld};
    snStatus status = sn_boxqp_solve(p->qp, &problem, p->z, NULL);
    for (int32_t unit = 0; unit < nu; ++unit) p->activation[unit] = p->z[p->control[unit]];
    return status;
}

/* Again with the stiffness of the activations found. */
static snStatus by_step(snPursue *u, double time, double h)
{
    enum { ROUNDS = 3 };
    snStatus status = SN_OK;
    for (int i = 0; i < ROUNDS && status == SN_OK; ++i) status = ahead(u, time, h);
    return status;
}

static snStatus choose(snPursue *u, int32_t step, double time)
{
    const snPursueDef *d = u->def;
    snPatient *p = u->p;
    if (d->activations) {
        int32_t at = step < d->nactivation ? step : d->nactivation - 1;
        memcpy(p->activation, d->activations + (size_t)at * (size_t)p->nu, sizeof(double) * (size_t)p->nu);
        return SN_OK;
    }
    if (step % u->every) return SN_OK;
    if (u->key) {
        sn_pursue_between_keys(u, time);
        return SN_OK;
    }
    snStatus status =
        d->method == SN_PURSUE_TORQUE ? by_torque(u, time, u->ahead * u->h) : by_step(u, time, u->every * u->h);
    for (int32_t k = 0; d->method == SN_PURSUE_TORQUE && k < p->nq && !u->repeating; ++k) {
        u->report->unmet = fmax(u->report->unmet, fabs(p->missing[k]) / p->s->tolerance[k]);
        sn_trust_note_unmet(&u->trust, time, k, p->missing[k]);
    }
    return status == SN_FAILED ? SN_OK : status; /* the best point found is within the bounds */
}

/* ---- recording ------------------------------------------------------------------------------ */

static rigid node_pose(const snPatient *p, int32_t body)
{
    rigid drawn = rigid_mul(p->m->body_rest[body], p->m->body_node[body]);
    return rigid_mul(sn_tree_motion(p->tree, p->s->tree.body_link[body]), drawn);
}

/* Units, paths, coordinates: activation/FDP2, tension/FDP2, length/FDP2, coordinate/mcp2.flexion. */
static snStatus start_replay(snPursue *u, snTrack **replay)
{
    const snPatient *p = u->p;
    int32_t n = p->nu + 2 * p->np + p->nq, k = 0;
    char *text = SN_NEW_ARRAY(char, (size_t)n *NAME);
    const char **name = SN_NEW_ARRAY(const char *, n);
    int32_t *npoint = SN_NEW_ARRAY(int32_t, p->np);
    snStatus status = text && name && npoint ? SN_OK : SN_NO_MEMORY;
    for (int32_t i = 0; status == SN_OK && i < p->np; ++i) npoint[i] = sn_path_drawn_count(&p->s->path, i);
    for (; status == SN_OK && k < n; ++k) {
        int32_t a = k - p->nu, b = a - p->np, c = b - p->np;
        const char *kind = a < 0 ? "activation" : b < 0 ? "tension" : c < 0 ? "length" : "coordinate";
        const char *of = a < 0   ? p->m->muscle_name[k]
                         : b < 0 ? p->s->path_name[a]
                         : c < 0 ? p->s->path_name[b]
                                 : p->m->coord_name[c];
        name[k] = text + (size_t)k * NAME;
        (void)snprintf(text + (size_t)k * NAME, NAME, "%s/%.140s", kind, of);
    }
    snTrackDef def = {.size = sizeof(snTrackDef),
                      .model = u->def->model_name ? u->def->model_name : "",
                      .nbody = p->m->nbody,
                      .body_name = p->m->body_name,
                      .nstrand = p->np,
                      .strand_name = p->s->path_name,
                      .strand_npoint = npoint,
                      .nscalar = n,
                      .scalar_name = name};
    if (status == SN_OK) status = sn_track_create(&def, replay);
    sn_free(text);
    sn_free((void *)name);
    sn_free(npoint);
    return status;
}

static snStatus record(snPursue *u, double time, snTrack *replay)
{
    snPatient *p = u->p;
    double *s = u->scalar, *point = u->point;
    bool again = u->again;
    u->again = false;
    ++u->report->frames;
    if (again || !u->columns) return SN_OK;
    sn_patient_place(p, u->sim->q, u->sim->v);
    for (int32_t i = 0; i < p->np; ++i) {
        sn_path_drawn(&p->s->path, &p->links, i, point);
        point += 3 * sn_path_drawn_count(&p->s->path, i);
    }
    for (int32_t b = 0; b < p->m->nbody; ++b) {
        rigid pose = node_pose(p, b);
        v3_store(u->pose + 7 * b, pose.p);
        q_store(u->pose + 7 * b + 3, pose.q);
    }
    memcpy(s, p->activation, sizeof *s * (size_t)p->nu);
    for (int32_t i = 0; i < p->np; ++i) {
        s[p->nu + i] = p->path->passive[i] + p->activation[p->s->path_unit[i]] * p->path->active[i];
        s[p->nu + p->np + i] = p->path->length[i];
    }
    memcpy(s + p->nu + 2 * p->np, u->sim->q, sizeof *s * (size_t)p->nq);
    snTrackFrame frame = {.time = time, .pose = u->pose, .point = u->point, .scalar = s};
    snStatus status = replay ? sn_track_append(replay, time, u->pose, u->point, s) : SN_OK;
    if (status != SN_OK || !u->def->frame) return status;
    return u->def->frame(u->def->user, u, sn_track_def(u->columns), &frame);
}

static void compare(snPursue *u, double time)
{
    snPursueReport *r = u->report;
    sn_pursue_reference(u, time, u->target, NULL, NULL);
    for (int32_t k = 0; k < u->p->nq; ++k) {
        double off = fabs(u->sim->q[k] - u->target[k]);
        if (u->p->ignored[k]) continue;
        r->rms[k] += off * off;
        ++u->compared[k];
        if (u->p->s->tree.driven[k]) sn_trust_note_coordinate(&u->trust, time, k, off);
    }
    /* What nobody saw is nowhere; a fused joint is where it is fused, whatever is given. */
    sn_pursue_given(u, time, u->before);
    for (int32_t k = 0; k < u->p->nq; ++k)
        if (u->p->ignored[k]) u->before[k] = u->sim->q[k];
    sn_trust_note_bones(&u->trust, time, u->sim->q, u->before);
    sn_trust_note_activation(&u->trust, 1 / u->frame_rate, u->p->activation);
}

/* ---- fatigue -------------------------------------------------------------------------------- */

static void tire(snPursue *u, double time, bool resting)
{
    snPatient *p = u->p;
    snFatigueLaw law = sn_fatigue_hand();
    for (int32_t unit = 0; u->def->fatigue && unit < p->nu; ++unit) {
        const double *figures = p->s->unit_fatigue + 3 * unit;
        law.fatigue = figures[0], law.recovery = figures[1], law.rest = figures[2];
        snFatigue *x = &u->fatigue[unit];
        sn_fatigue_advance(&law, x, resting ? 0 : p->activation[unit] * (1 - x->fatigued), time);
        for (int32_t i = p->s->unit_pathadr[unit]; i < p->s->unit_pathadr[unit + 1]; ++i)
            p->strength[p->s->unit_path[i]] = u->strength[p->s->unit_path[i]] * (1 - x->fatigued);
    }
}

/* ---- the run -------------------------------------------------------------------------------- */

static snStatus step(snPursue *u, double h)
{
    snTreeSim *sim = u->sim;
    sim->h = h;
    sn_patient_apply(u->p, sim);
    sn_patient_drive(u->p, u->p->activation, sim);
    snStatus status = sn_treesim_step(sim);
    u->full = !sim->left_out;
    return status;
}

/* One step; where it fails (at 1/24 s neither stiffness may factor) ten short ones. */
static bool advance(snPursue *u)
{
    enum { PARTS = 10 };
    if (step(u, u->h) == SN_OK) return true;
    for (int i = 0; i < PARTS; ++i)
        if (step(u, u->h / PARTS) != SN_OK) return false;
    return true;
}

/* A frame of so many steps at half the step, from the state of now, which is there again afterwards. False where it did
 * not work. */
static bool repeat_frame(snPursue *u, int32_t first, int32_t steps)
{
    const double h = u->h;
    const int32_t every = u->every, ahead = u->ahead;
    const bool full = u->full;
    bool fine = true;
    (void)sn_pursue_keep(u, u->trust.kept);
    u->h = h / 2, u->every = 2 * every, u->repeating = true;
    u->ahead = (int32_t)fmax(1, fmin(u->every, round(horizon / u->h)));
    for (int32_t i = 2 * first; i < 2 * (first + steps) && fine; ++i) {
        fine = choose(u, i, u->begin + i * u->h) == SN_OK && advance(u);
        if (fine && i % u->every == 0) tire(u, u->every * u->h, false);
    }
    if (fine) sn_trust_halved(&u->trust, u->p->activation);
    u->h = h, u->every = every, u->ahead = ahead, u->full = full, u->repeating = false;
    sn_pursue_give(u, u->trust.kept);
    u->sim->is_seen = u->sim->stays = false;
    return fine;
}

static snStatus run_once(snPursue *u, double offset, snTrack *replay)
{
    snStatus status = SN_OK;
    bool repeated = false;
    int32_t n = (int32_t)floor((u->end - u->begin) / u->h + 1e-6),
            frame = (int32_t)fmax(1, round(1 / (u->frame_rate * u->h)));
    for (int32_t i = u->first; i <= n && status == SN_OK; ++i) {
        double time = u->begin + i * u->h;
        if (u->def->progress.call &&
            i % u->every == 0 && /* often: what is finished can be kept only if this ends soon */
            u->def->progress.call(u->def->progress.user, "track", offset + time - u->begin, u->total))
            return SN_CANCELLED;
        if (i % frame == 0) sn_pursue_mark(u, i);
        if (i % frame == 0) compare(u, time);
        if (i < n && i + frame <= n && i % frame == 0 && sn_trust_repeats(&u->trust, u->report->frames))
            repeated = repeat_frame(u, i, frame);
        if (i < n) status = choose(u, i, time);
        if (status == SN_OK && i % frame == 0) status = record(u, offset + time, replay);
        if (i == n || status != SN_OK) break;
        if (u->report->stored && u->report->steps < u->room)
            memcpy(u->report->stored + (size_t)u->report->steps * (size_t)u->p->nu, u->p->activation,
                   sizeof(double) * (size_t)u->p->nu);
        if (!advance(u)) return SN_DIVERGED;
        ++u->report->steps;
        u->report->full_steps += u->full;
        if (i % u->every == 0) tire(u, u->every * u->h, false);
        if (repeated && (i + 1) % frame == 0) sn_trust_whole(&u->trust, u->p->activation), repeated = false;
        if (i == n / 2 && u->repetition == 0) sn_trust_note_lines(&u->trust, u->sim, u->p->activation);
    }
    return status;
}

static snStatus run(snPursue *u, snTrack *replay, snError *error)
{
    int32_t repeat = u->def->repeat > 0 ? u->def->repeat : 1;
    double length = u->end - u->begin;
    snStatus status = sn_pursue_begin(u, error);
    u->total = repeat * length;
    for (; u->repetition < repeat && status == SN_OK; ++u->repetition, u->first = 0) {
        if (!u->again) sn_pursue_reference(u, u->begin, u->sim->q, u->sim->v, NULL);
        status = run_once(u, u->repetition * (length + u->def->rest + 1 / u->frame_rate), replay);
        if (status == SN_OK) ++u->report->repetitions;
        if (u->repetition + 1 < repeat) tire(u, u->def->rest, true);
    }
    return status;
}

static bool reserve(snPursue *u)
{
    const snPatient *p = u->p;
    size_t nq = (size_t)p->nq, nu = (size_t)p->nu, np = (size_t)p->np, ns = nu + 2 * np + nq;
    size_t steps = (size_t)ceil((u->end - u->begin) / u->h) + 2;
    size_t drawn = 0;
    for (int32_t i = 0; i < p->np; ++i) drawn += 3 * (size_t)sn_path_drawn_count(&p->s->path, i);
    double *at = u->block = SN_NEW_ARRAY(double, 6 * nq + nq * nu + 7 * (size_t)p->m->nbody + ns + np + drawn +
                                                     3 * (size_t)sn_poses_columns(u->poses));
    if (u->def->frame) steps = 0; /* an hour would take a quarter of a gigabyte */
    u->room = (int32_t)steps;
    double *out = u->report->memory = SN_NEW_ARRAY(double, 3 * nq + nu + steps * nu);
    u->column = SN_NEW_ARRAY(int32_t, 2 * nq);
    u->fatigue = SN_NEW_ARRAY(snFatigue, nu);
    if (!at || !out || !u->column || !u->fatigue || !(u->sim = sn_patient_sim(u->p))) return false;
    if (!sn_treesim_keep(u->sim)) return false;
    u->target = at, u->rate = u->target + nq, u->acceleration = u->rate + nq;
    u->before = u->acceleration + nq, u->after = u->before + nq, u->free = u->after + nq;
    u->B = u->free + nq, u->pose = u->B + nq * nu, u->scalar = u->pose + 7 * (size_t)p->m->nbody;
    u->strength = u->scalar + ns, u->point = u->strength + np, u->row = u->point + drawn;
    u->report->rms = out, u->report->final_pose = out + nq, u->report->fatigued = out + 2 * nq,
    u->report->clamped = (bool *)(out + 2 * nq + nu), u->report->stored = steps ? out + 3 * nq + nu : NULL;
    u->compared = u->column + nq;
    memcpy(u->strength, p->strength, sizeof(double) * np);
    for (size_t i = 0; i < nu; ++i) u->fatigue[i] = sn_fatigue_rested();
    for (int32_t k = 0; k < p->nq; ++k) u->column[k] = sn_poses_find(u->poses, p->m->coord_name[k]);
    u->turned = -1;
    for (int32_t c = 0; c < sn_poses_columns(u->poses); ++c)
        if (sn_model_holds(p->m, sn_poses_name(u->poses, c))) u->turned = c;
    return true;
}

static void set_rates(snPursue *u)
{
    const snPursueDef *d = u->def;
    int32_t last = sn_poses_frames(u->poses) - 1;
    double rate = d->control_rate > 0 ? d->control_rate : d->method == SN_PURSUE_TORQUE ? 0 : 24;
    u->h = d->step > 0 ? d->step : d->method == SN_PURSUE_STEP ? 1 / rate : 1.0 / 240;
    u->every = rate > 0 ? (int32_t)fmax(1, round(1 / (rate * u->h))) : 1;
    u->ahead = (int32_t)fmax(1, fmin(u->every, round(horizon / u->h)));
    u->frame_rate = d->frame_rate > 0 ? d->frame_rate : 24;
    u->begin = sn_poses_time(u->poses, 0), u->end = sn_poses_time(u->poses, last);
}

static void finish(snPursue *u, double started)
{
    snPursueReport *r = u->report;
    sn_trust_finish(&u->trust);
    if (u->def->method != SN_PURSUE_TORQUE || u->def->keys_only || u->def->activations) r->trust.unmet_torque = NAN;
    for (int32_t k = 0; k < u->p->nq; ++k) r->rms[k] = sqrt(r->rms[k] / (u->compared[k] ? u->compared[k] : 1));
    for (int32_t i = 0; i < u->p->nu; ++i) r->fatigued[i] = u->fatigue[i].fatigued;
    memcpy(r->final_pose, u->sim->q, sizeof(double) * (size_t)u->p->nq);
    memcpy(u->p->strength, u->strength, sizeof(double) * (size_t)u->p->np);
    memset(u->p->ignored, 0, sizeof *u->p->ignored * (size_t)u->p->nq);
    sn_patient_turn(u->p, 0);
    memset(u->p->leaves, 0, sizeof *u->p->leaves * (size_t)u->p->nq);
    r->simulated = r->steps * u->h;
    r->seconds = sn_clock() - started;
}

snStatus sn_pursue(snPatient *p, const snPoses *poses, const snPursueDef *def, snTrack **replay, snPursueReport *report,
                   snError *error)
{
    if (!p || !poses) return sn_fail_argument(error, "sn_pursue without patient or poses");
    snPursueDef taken = sn_default_pursue_def();
    if (SN_TAKE_DEF(def, snPursueDef, taken, error)) return SN_BAD_ARGUMENT;
    *report = (snPursueReport){.size = sizeof *report};
    snPursue u = {.p = p, .poses = poses, .def = def, .report = report, .full = true};
    snTrack *track = NULL;
    double started = sn_clock();
    set_rates(&u);
    snStatus status = reserve(&u) ? SN_OK : SN_NO_MEMORY;
    if (status == SN_OK && (replay || def->frame)) status = start_replay(&u, &track);
    u.columns = track;
    if (!replay) track = NULL;
    bool repeats = !def->skip_step_check && def->method != SN_PURSUE_PAPER && !def->activations;
    if (status == SN_OK && !sn_trust_open(&u.trust, p->m, &report->trust, u.h, repeats ? sn_pursue_keep(&u, NULL) : 0))
        status = SN_NO_MEMORY;
    if (status == SN_OK && def->keys_only && def->method != SN_PURSUE_PAPER) status = sn_pursue_keys(&u);
    if (status == SN_OK) {
        status = def->method == SN_PURSUE_PAPER ? sn_pursue_paper(&u, track, error) : run(&u, track, error);
        finish(&u, started);
        if (status == SN_DIVERGED) (void)sn_fail(error, status, "the limb moved faster than %g rad/s", 1e3);
    }
    if (status == SN_NO_MEMORY) (void)sn_fail_no_memory(error);
    if (status == SN_CANCELLED) (void)sn_fail(error, status, "stopped");
    if (replay) *replay = track;
    if (!replay && u.columns) sn_track_destroy(u.columns);
    sn_treesim_destroy(u.sim);
    sn_trust_close(&u.trust);
    sn_free(u.checkpoint);
    sn_free(u.block);
    sn_free(u.key);
    sn_free(u.column);
    sn_free(u.fatigue);
    return status;
}

snStatus sn_pursue_record(snPursue *u, double time, snTrack *replay)
{
    compare(u, time);
    return record(u, time, replay);
}
