/* Steering: the run over steps and frames, its report, its checkpoints. Targets are in steer_target.c.
 *
 * Invariants
 * 1. A step is at most def.step long and divides a frame evenly, so that frames come at their exact times.
 * 2. Activations are chosen for HORIZON from now and reached by then in equal parts, however short the steps are. What
 * muscles do to the passive joints, and with that which muscles work, depends on the time that is looked ahead: chosen
 * for a step, activations never stop changing with the step. Within 7 ms the sternum's damping outweighs its mass,
 * within 1 ms it does not. The balance is that at the end of the horizon, with levers, lengths and weight as they will
 * be there at the present velocity; activations that jumped at its start, or levers of now, would be off by a part of
 * the horizon all the time, which throws a light bone about: the hyoid needs but 2 mN m for 10 rad/s^2.
 * 3. References are those of that arithmetic: rates are differences over the horizon, so that a body that is on the
 * target, lacks no torque and takes one step for it stays on it exactly. */
#include "control/steer.h"
#include "base/def.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "sim/own/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LEAD = 0.5;      /* s: passive joints stand still after it */
static const double HORIZON = 0.007; /* s */

/* ---- one step ------------------------------------------------------------------------------- */

void sn_steer_pace(snSteer *run, double step, double rate)
{
    run->h = step;
    run->ahead = (int32_t)fmax(1, round(HORIZON / step));
    run->every = rate > 0 ? (int32_t)fmax(1, round(1 / (rate * step))) : run->ahead;
    if (run->ahead > run->every) run->ahead = run->every;
}

static void move_to(snSteer *run, const double *q, double step, double lead)
{
    snTreeSim *sim = run->sim;
    memcpy(sim->q, q, sizeof *q * (size_t)run->m->ncoord);
    sim->h = step, sim->lead = lead;
    sn_treesim_prepare(sim);
    sn_treesim_evaluate(sim);
}

/* Where the last of the steps begins that a choice is made for. The target is moved along: errors stay those of now. */
static snStatus choose_ahead(snSteer *run)
{
    const snSteerTarget *t = &run->target;
    const snTreeSim *sim = run->sim;
    double by = (run->ahead - 1) * run->h;
    for (int32_t i = 0; i < run->m->ncoord; ++i) {
        t->here[i] = sim->q[i];
        t->then[i] = sim->q[i] + by * sim->v[i];
        t->moved[i] = t->q[i] + by * sim->v[i];
    }
    move_to(run, t->then, run->ahead * run->h, run->h);
    snStatus status = sn_treecontrol_choose(run->control, run->sim, t->moved, t->v, t->a);
    move_to(run, t->here, run->h, 0);
    return status;
}

snStatus sn_steer_choose(snSteer *run)
{
    const snSteerTarget *t = &run->target;
    run->at_once = !run->control->warm;
    if (run->ahead > 1) return choose_ahead(run);
    return sn_treecontrol_choose(run->control, run->sim, t->q, t->v, t->a);
}

void sn_steer_approach(const snSteer *run, int64_t step, double *activation)
{
    const double *chosen = run->control->activation;
    int64_t left = run->at_once ? 1 : run->ahead - step % run->every;
    if (left < 1) return;
    for (int32_t u = 0; u < run->control->nunit; ++u)
        activation[u] = left == 1 ? chosen[u] : activation[u] + (chosen[u] - activation[u]) / (double)left;
}

static void note_choice(snSteer *run, const double *activation)
{
    for (int32_t u = 0; u < run->control->nunit; ++u) {
        double chosen = run->control->activation[u], change = chosen - activation[u];
        run->at.change2 += change * change;
    }
    ++run->at.choices;
}

/* Called by sn_step once the system is there. */
static void choose(void *context, const snModel *m, snState *s)
{
    snSteer *run = context;
    double *activation = sn_plant_activation(s);
    (void)m;
    if (run->at.step % run->every == 0) {
        run->status = sn_steer_choose(run);
        if (run->status != SN_OK) return;
        note_choice(run, activation);
    }
    sn_steer_approach(run, run->at.step, activation);
}

static void note_program(snSteer *run, double time)
{
    const snTreeControl *c = run->control;
    run->at.rounds += c->info.rounds;
    run->at.worst_rounds = fmax(run->at.worst_rounds, c->info.rounds);
    const double took[3] = {c->time_inverse, c->time_B, c->time_qp};
    for (int k = 0; k < 3; ++k) run->report->stage[k] += took[k];
    for (int32_t i = 0; i < run->m->ncoord; ++i) sn_trust_note_unmet(&run->trust, time, i, c->unmet[i]);
}

/* Errors at the end of a step. */
static void note_errors(snSteer *run, double time)
{
    const double *q = run->sim->q;
    sn_steer_pose(run, time, run->target.q);
    for (int32_t i = 0; i < run->m->ncoord; ++i) {
        if (run->sim->tree->driven[i] || run->control->asked[i] > 0)
            sn_trust_note_coordinate(&run->trust, time, i, fabs(q[i] - run->target.q[i]));
    }
    sn_trust_note_activation(&run->trust, run->h, sn_plant_activation(run->s));
}

static snStatus step(snSteer *run)
{
    double time = run->begin + (double)run->at.step * run->h, began = sn_clock_thread();
    sn_steer_aim(run, time);
    run->status = SN_OK;
    snStatus status = sn_step(run->m, run->s);
    if (status == SN_OK) status = run->status;
    double took = sn_clock_thread() - began;
    run->report->step_mean += took, run->report->step_worst = fmax(run->report->step_worst, took);
    ++run->timed;
    if (status != SN_OK) return status;
    if (run->at.step % run->every == 0) note_program(run, time);
    ++run->at.step;
    note_errors(run, time + run->h);
    sn_steer_note_reach(run, time + run->h);
    return SN_OK;
}

/* ---- the run -------------------------------------------------------------------------------- */

static snStatus give_frame(snSteer *run, double time)
{
    ++run->at.frames;
    run->report->frames = run->at.frames;
    sn_steer_given(run, time, run->target.before);
    sn_trust_note_bones(&run->trust, time, run->sim->q, run->target.before);
    return run->def->frame ? run->def->frame(run->def->user, run, run->s, time) : SN_OK;
}

/* A frame at half the step, from the state of now, which is there again afterwards. False where it did not work. */
static bool repeat_frame(snSteer *run)
{
    const snSteerTally at = run->at;
    const double h = run->h;
    snStatus status = SN_OK;
    (void)sn_treecontrol_save(run->control, run->sim, run->scratch);
    (void)sn_state_save(run->m, run->s, run->trust.kept);
    sn_steer_pace(run, h / 2, run->def->control_rate);
    sn_plant_set_step(run->s, run->h);
    sn_set_quiet(run->s, true);
    run->at.step *= 2;
    for (int32_t i = 0; i < 2 * run->per_frame && status == SN_OK; ++i, ++run->at.step) {
        sn_steer_aim(run, run->begin + (double)run->at.step * run->h);
        run->status = SN_OK;
        status = sn_step(run->m, run->s);
        if (status == SN_OK) status = run->status;
    }
    if (status == SN_OK) sn_trust_halved(&run->trust, sn_plant_activation(run->s));
    run->at = at;
    sn_steer_pace(run, h, run->def->control_rate);
    sn_plant_set_step(run->s, h);
    (void)sn_state_load(run->m, run->s, run->trust.kept, run->trust.room); /* whole: it is our own */
    sn_treecontrol_load(run->control, run->sim, run->scratch);
    run->status = SN_OK;
    return status == SN_OK;
}

static snStatus go(snSteer *run)
{
    snStatus status = run->at.frames == 0 ? give_frame(run, run->begin) : SN_OK;
    const snProgress *progress = &run->def->progress;
    while (status == SN_OK && run->at.step < run->total) {
        if (progress->call && progress->call(progress->user, "track", (double)run->at.step, (double)run->total))
            return SN_CANCELLED;
        bool repeated = sn_trust_repeats(&run->trust, run->at.frames) && repeat_frame(run);
        for (int32_t i = 0; i < run->per_frame && status == SN_OK; ++i) {
            sn_set_quiet(run->s, i + 1 < run->per_frame);
            status = step(run);
        }
        if (status == SN_OK && repeated) sn_trust_whole(&run->trust, sn_plant_activation(run->s));
        if (status == SN_OK && run->at.frames == (run->total / run->per_frame + 1) / 2)
            sn_trust_note_lines(&run->trust, run->sim, sn_plant_activation(run->s));
        if (status == SN_OK) status = give_frame(run, run->begin + (double)run->at.step * run->h);
    }
    return status;
}

/* Muscles NAME_R and NAME_L, or _R_ and _L_ somewhere within. */
static double asymmetry(const snSteer *run)
{
    double most = 0;
    char name[256];
    for (int32_t u = 0; u < run->m->nmuscle; ++u) {
        const char *right = strstr(run->m->muscle_name[u], "_R");
        if (!right || (right[2] && right[2] != '_')) continue;
        (void)snprintf(name, sizeof name, "%s", run->m->muscle_name[u]);
        if ((size_t)(right - run->m->muscle_name[u]) + 1 >= sizeof name) continue;
        name[right - run->m->muscle_name[u] + 1] = 'L';
        int32_t left = sn_find(run->m, SN_ITEM_MUSCLE, name);
        if (left >= 0) most = fmax(most, fabs(run->control->activation[u] - run->control->activation[left]));
    }
    return most;
}

static void finish(snSteer *run, double began)
{
    snSteerReport *r = run->report;
    const snSteerTally *t = &run->at;
    int64_t choices = t->choices > 0 ? t->choices : 1, timed = run->timed > 0 ? run->timed : 1;
    sn_trust_finish(&run->trust);
    for (int32_t k = 0; k < r->naim; ++k) r->aim[k].error = t->missed[k];
    r->activation_step_rms = sqrt(t->change2 / (double)choices / (run->m->nmuscle > 0 ? run->m->nmuscle : 1));
    r->asymmetry = asymmetry(run);
    r->rounds = t->rounds / (double)choices, r->worst_rounds = t->worst_rounds;
    r->simulated = (double)run->timed * run->h;
    r->seconds = sn_clock() - began;
    r->real_time_factor = r->seconds > 0 ? r->simulated / r->seconds : 0;
    r->step_mean /= (double)timed;
    for (int k = 0; k < 3; ++k) r->stage[k] /= (double)timed;
    r->stage[3] = r->step_mean - r->stage[0] - r->stage[1] - r->stage[2];
}

/* ---- set-up --------------------------------------------------------------------------------- */

static bool reserve(snSteer *run)
{
    run->report->memory = run->report->clamped = SN_NEW_ARRAY(double, run->m->ncoord);
    return run->report->memory != NULL;
}

static void set_times(snSteer *run)
{
    const snSteerDef *d = run->def;
    double first = sn_poses_time(run->poses, 0), last = sn_poses_time(run->poses, sn_poses_frames(run->poses) - 1);
    double longest = d->step > 0 ? d->step : run->m->step, rate = d->frame_rate > 0 ? d->frame_rate : 24;
    run->begin = d->end > d->start ? fmin(fmax(d->start, first), last) : first;
    run->end = d->end > d->start ? fmin(fmax(d->end, run->begin), last) : last;
    run->per_frame = (int32_t)fmax(1, ceil(1 / (rate * longest) - 1e-9));
    sn_steer_pace(run, 1 / (rate * run->per_frame), d->control_rate);
    run->total = (int64_t)run->per_frame * (sn_frame_count(run->end - run->begin, rate) - 1);
}

snStatus sn_steer_take_state(snSteer *run, snError *error)
{
    run->sim = sn_plant_tree(run->s);
    run->sim->geometric = run->def->geometric;
    for (int32_t u = 0; run->def->strength && u < run->m->nmuscle; ++u)
        sn_plant_strength(run->s)[u] = run->def->strength[u];
    run->control = sn_treecontrol_create(run->sim, run->m->nmuscle, run->m->skeleton->path_unit);
    if (!run->control) return sn_fail_no_memory(error);
    run->control->k_p = run->def->stiffness, run->control->k_v = run->def->damping;
    run->control->eps = run->def->relaxation, run->control->sensor = run->def->sensor;
    run->control->paper = run->def->paper;
    memcpy(run->control->weight, run->m->skeleton->unit_effort, sizeof(double) * (size_t)run->m->nmuscle);
    return SN_OK;
}

static snStatus open_state(snSteer *run, snError *error)
{
    snSimDef sim = sn_default_sim_def();
    sim.step = run->h;
    snStatus status = sn_state_create(run->m, &sim, &run->s, error);
    return status == SN_OK ? sn_steer_take_state(run, error) : status;
}

/* On the first target, held until passive joints have settled under the weight; then with its velocity. */
static snStatus set_out(snSteer *run)
{
    size_t bytes = sizeof(double) * (size_t)run->m->ncoord;
    snStatus status = SN_OK;
    sn_steer_aim(run, run->begin);
    (void)sn_pose(run->m, run->s, run->target.q);
    sn_treecontrol_reset(run->control, run->sim);
    memset(run->target.v, 0, bytes), memset(run->target.a, 0, bytes);
    for (double t = 0; t < LEAD && status == SN_OK; t += run->h) {
        sn_set_quiet(run->s, t + run->h < LEAD);
        double began = sn_clock_thread();
        status = sn_step(run->m, run->s);
        if (status == SN_OK) status = run->status;
        if (t == 0) run->report->step_cold = sn_clock_thread() - began;
        if (++run->at.step == run->ahead) run->at.step = 0;
    }
    run->at = (snSteerTally){0};
    sn_steer_aim(run, run->begin);
    for (int32_t i = 0; i < run->m->ncoord; ++i)
        if (run->sim->tree->driven[i]) run->sim->v[i] += run->target.v[i];
    return status;
}

/* ---- checkpoints ---------------------------------------------------------------------------- */

static const char mark[8] = "SNSTEER2";

typedef struct Head {
    char mark[8];
    double h, begin, end;
    int64_t total;
    snSteerTally at;
} Head;

size_t sn_steer_save(const snSteer *run, void *bytes)
{
    if (!run) return 0;
    size_t control = sizeof(double) * sn_treecontrol_save(run->control, run->sim, NULL);
    size_t kept = sizeof(double) * (size_t)run->m->ncoord, trust = sn_trust_save(&run->trust, NULL);
    size_t state = sn_state_save(run->m, run->s, NULL), size = sizeof(Head) + control + kept + trust + state + SN_SEAL;
    if (bytes) {
        char *at = bytes;
        Head head;
        memset(&head, 0, sizeof head); /* its gaps too: they are written to disk */
        head.h = run->h, head.begin = run->begin, head.end = run->end, head.total = run->total, head.at = run->at;
        memcpy(head.mark, mark, sizeof mark);
        memcpy(at, &head, sizeof head);
        (void)sn_treecontrol_save(run->control, run->sim, run->scratch);
        memcpy(at + sizeof head, run->scratch, control);
        memcpy(at + sizeof head + control, run->report->memory, kept);
        (void)sn_trust_save(&run->trust, at + sizeof head + control + kept);
        (void)sn_state_save(run->m, run->s, at + sizeof head + control + kept + trust);
        sn_seal(bytes, size);
    }
    return size;
}

static snStatus take_up(snSteer *run, snError *error)
{
    Head head;
    const char *at = run->def->checkpoint;
    size_t control = sizeof(double) * sn_treecontrol_save(run->control, run->sim, NULL),
           size = run->def->checkpoint_size;
    size_t kept = sizeof(double) * (size_t)run->m->ncoord, trust = sizeof head + control + kept;
    size_t before = trust + sn_trust_save(&run->trust, NULL);
    bool fits = size == sn_steer_save(run, NULL) && sn_is_sealed(at, size);
    if (fits) memcpy(&head, at, sizeof head);
    fits = fits && memcmp(head.mark, mark, sizeof mark) == 0 && head.h == run->h && head.begin == run->begin &&
           head.end == run->end && head.total == run->total;
    if (!fits || sn_state_load(run->m, run->s, at + before, size - before - SN_SEAL) != SN_OK)
        return sn_fail(error, SN_BAD_INPUT, "the checkpoint is damaged, or belongs to another model, range or step");
    run->at = head.at;
    memcpy(run->scratch, at + sizeof head, control);
    sn_treecontrol_load(run->control, run->sim, run->scratch);
    memcpy(run->report->memory, at + sizeof head + control, kept);
    sn_trust_load(&run->trust, at + trust);
    run->report->resumed = run->at.frames;
    run->report->frames = run->at.frames;
    return SN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static snStatus begin(snSteer *run, snError *error)
{
    if (!reserve(run)) return sn_fail_no_memory(error);
    set_times(run);
    snStatus status = open_state(run, error);
    if (status == SN_OK) status = sn_steer_open_reach(run, error);
    if (status == SN_OK) status = sn_steer_open_targets(run, error);
    if (status != SN_OK) return status;
    run->scratch = SN_NEW_ARRAY(double, sn_treecontrol_save(run->control, run->sim, NULL));
    size_t kept = run->def->skip_step_check ? 0 : sn_state_save(run->m, run->s, NULL);
    if (!sn_trust_open(&run->trust, run->m, &run->report->trust, run->h, kept) || !run->scratch)
        return sn_fail_no_memory(error);
    sn_plant_control(run->s, (snController){choose, run});
    if (run->def->checkpoint) return take_up(run, error);
    status = set_out(run);
    if (status != SN_OK) (void)sn_fail(error, status, "the first pose cannot be held: %s", sn_info(run->s)->culprit);
    return status;
}

static void end(snSteer *run)
{
    sn_steer_close_targets(run);
    sn_steer_close_reach(run);
    sn_treecontrol_destroy(run->control);
    sn_state_destroy(run->s);
    sn_free(run->scratch);
    sn_trust_close(&run->trust);
}

static double now(const snSteer *run)
{
    return run->begin + (double)run->at.step * run->h;
}

snStatus sn_steer(const snModel *m, const snPoses *poses, const snSteerDef *def, snSteerReport *report, snError *error)
{
    snSteerDef taken = sn_default_steer_def();
    if (SN_TAKE_DEF(def, snSteerDef, taken, error)) return SN_BAD_ARGUMENT;
    if (!m || !poses || !report) return sn_fail_argument(error, "the model, the motion or the report is NULL");
    *report = (snSteerReport){.size = sizeof *report};
    if (!m->skeleton) return sn_fail(error, SN_BAD_INPUT, "the model is made of strands; this needs one on a tree");
    snSteer run = {.m = m, .poses = poses, .def = def, .report = report};
    double began = sn_clock();
    snStatus status = begin(&run, error);
    if (status == SN_OK) {
        status = go(&run);
        finish(&run, began);
        report->diverged = status == SN_DIVERGED;
        if (report->diverged) {
            (void)snprintf(report->culprit, sizeof report->culprit, "%s", sn_info(run.s)->culprit);
            (void)sn_fail(error, status, "the simulation diverged at %.4g s: %s", now(&run), report->culprit);
        }
        if (status == SN_BAD_INPUT) (void)sn_fail(error, status, "%s", sn_info(run.s)->culprit);
        if (status == SN_FAILED) (void)sn_fail(error, status, "no activations were found at %.4g s", now(&run));
        if (status == SN_CANCELLED) (void)sn_fail(error, status, "stopped at %.4g s", now(&run));
    }
    end(&run);
    return status;
}
