/* A pilot: steering without a motion, for a simulation that somebody plays with.
 *
 * Goals may jump; the target goes there as a critically damped spring does, within SPEED, so that its velocity has no
 * jumps. Breathing, parts and loads are those of steering: a run with an empty motion. */
#include "control/steer.h"

#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "control/own/pilot.h"

#include <math.h>
#include <string.h>

static const double RATE = 8;       /* 1/s of the spring */
static const double SPEED = 2.5;    /* rad/s or m/s at most */
static const double DEEPEST = 0.2;  /* rad: a breath */
static const double HEAVIEST = 100; /* kg */
enum { MOST_WEIGHTS = 8 };

struct snPilot {
    snSteer run;
    snSteerDef def;
    snSteerReport report;
    snPoses *still;
    double *goal, *aim, *rate, *push; /* ncoord: where to, where the target is, its velocity, its acceleration */
    double breath_unit;               /* scale of a breath of 1 rad */
    int32_t nweight, weight_body[MOST_WEIGHTS];
    double weight[MOST_WEIGHTS];
    void *block;
};

static double clamp(double x, double low, double high)
{
    return x > low ? fmin(x, high) : low; /* a NaN becomes low */
}

/* Moves the target by what a choice is made for. */
static void approach(snPilot *p, double h)
{
    for (int32_t i = 0; i < p->run.m->ncoord; ++i) {
        double wanted = RATE * RATE * (p->goal[i] - p->aim[i]) - 2 * RATE * p->rate[i];
        double then = clamp(p->rate[i] + h * wanted, -SPEED, SPEED);
        p->push[i] = (then - p->rate[i]) / h;
        p->rate[i] = then;
        p->aim[i] += h * then;
    }
}

static void hang_weights(snPilot *p)
{
    snTreeLoad *load = p->run.sim->load + p->run.target.nload + p->def.nload;
    for (int32_t k = 0; k < p->nweight; ++k) v3_store(load[k].force, v3_scale(p->run.m->gravity, p->weight[k]));
}

static snStatus choose_next(snPilot *p, double time)
{
    snSteer *run = &p->run;
    int32_t n = run->m->ncoord;
    sn_steer_aim(run, time); /* loads, activations, and the breath alone */
    for (int32_t i = 0; i < n; ++i) run->target.q[i] += p->aim[i], run->target.v[i] += p->rate[i];
    approach(p, run->ahead * run->h);
    for (int32_t i = 0; i < n; ++i) run->target.a[i] += p->push[i];
    hang_weights(p);
    return sn_steer_choose(run);
}

/* Called by sn_step once the system is there. */
static void choose(void *context, const snModel *m, snState *s)
{
    snPilot *p = context;
    snSteer *run = &p->run;
    (void)m;
    sn_steer_pace(run, sn_plant_step(s), 0);
    int64_t step = run->at.step++;
    if (step % run->every == 0 && choose_next(p, sn_time(s)) != SN_OK) return;
    sn_steer_approach(run, step, sn_plant_activation(s));
}

void sn_pilot_aim(snPilot *p, const double *coordinate)
{
    for (int32_t i = 0; i < p->run.m->ncoord; ++i)
        if (p->run.sim->tree->driven[i] && isfinite(coordinate[i]))
            p->goal[i] = clamp(coordinate[i], p->run.m->coord_lower[i], p->run.m->coord_upper[i]);
}

void sn_pilot_dial(snPilot *p, snPilotDial dial, double value)
{
    if (dial == SN_PILOT_BREATHING) p->run.target.breath_scale = p->breath_unit * clamp(value, 0, DEEPEST);
    for (int32_t u = 0; dial == SN_PILOT_COACTIVATION && u < p->run.control->nunit; ++u)
        p->run.control->gamma[u] = clamp(value, 0, 100);
}

void sn_pilot_load(snPilot *p, int32_t body, double kg)
{
    int32_t k = 0;
    if (body < 0 || body >= p->run.m->nbody) return;
    while (k < p->nweight && p->weight_body[k] != body) ++k;
    if (k == p->nweight) {
        if (k == MOST_WEIGHTS || sn_steer_take_load(&p->run, -1, sn_name(p->run.m, SN_ITEM_BODY, body), NULL) != SN_OK)
            return;
        p->weight_body[p->nweight++] = body;
    }
    p->weight[k] = clamp(kg, 0, HEAVIEST);
}

static snStatus begin(snPilot *p, snError *error)
{
    snSteer *run = &p->run;
    size_t n = (size_t)run->m->ncoord;
    const double zero = 0;
    double *at = p->block = SN_NEW_ARRAY(double, 5 * n);
    if (!at) return sn_fail_no_memory(error);
    p->goal = at, p->aim = at + n, p->rate = at + 2 * n, p->push = at + 3 * n, p->report.clamped = at + 4 * n;
    snStatus status = sn_poses_create(0, NULL, 1, &zero, NULL, true, &p->still, error);
    run->poses = p->still, run->def = &p->def, run->report = &p->report;
    sn_steer_pace(run, sn_plant_step(run->s), 0);
    if (status == SN_OK) status = sn_steer_take_state(run, error);
    if (status == SN_OK) status = sn_steer_open_targets(run, error);
    if (status != SN_OK) return status;
    p->breath_unit = p->def.breath_depth > 0 ? run->target.breath_scale / p->def.breath_depth : 0;
    for (int32_t i = 0; i < run->m->ncoord; ++i)
        p->goal[i] = p->aim[i] =
            clamp(run->sim->tree->driven[i] ? run->sim->q[i] : 0, run->m->coord_lower[i], run->m->coord_upper[i]);
    sn_treecontrol_reset(run->control, run->sim);
    sn_plant_control(run->s, (snController){choose, p});
    return SN_OK;
}

snStatus sn_pilot_create(const snModel *m, snState *state, const snSteerDef *def, snPilot **pilot, snError *error)
{
    snSteerDef taken = sn_default_steer_def();
    if (SN_TAKE_DEF(def, snSteerDef, taken, error)) return SN_BAD_ARGUMENT;
    if (!m || !state || !pilot)
        return sn_fail_argument(error, "the model, the state or the place for the pilot is NULL");
    if (!m->skeleton) return sn_fail(error, SN_BAD_INPUT, "the model is made of strands; this needs one on a tree");
    snPilot *p = SN_NEW(snPilot);
    if (!p) return sn_fail_no_memory(error);
    p->run.m = m, p->run.s = state, p->def = *def;
    snStatus status = begin(p, error);
    if (status == SN_OK)
        *pilot = p;
    else
        sn_pilot_destroy(p);
    return status;
}

void sn_pilot_destroy(snPilot *p)
{
    if (!p) return;
    (void)sn_plant_control(p->run.s, (snController){0});
    if (p->run.sim) p->run.sim->nload = 0;
    sn_steer_close_targets(&p->run);
    sn_treecontrol_destroy(p->run.control);
    sn_poses_destroy(p->still);
    sn_free(p->block);
    sn_free(p);
}
