/* A whole motion by inverse dynamics: the largest torque that muscles could not give, and how far it sags for that. */
#include "analysis/feasible.h"

#include "analysis/sag.h"
#include "base/alloc.h"
#include "base/error.h"
#include "control/inverse.h"
#include "control/reach.h"
#include "sim/plant.h"

#include <math.h>

enum { MOMENTS = 10 };              /* of a motion at which its sag is found */
static const double NOTHING = 5e-5; /* N m, N: does not count as unmet there */

typedef struct Demand {
    const snModel *m;
    const snTrack *motion;
    snFeasibleDef def;
    snState *s;
    snInverse *inverse;
    snReach *reach;
    int32_t *channel;
    uint8_t *has_target;
    rigid *next;
    double *rest_coord, *first_coord, *coord, *excess;
    double *moment[3]; /* ncoord: coordinates at the moments that a sag is found from */
    snFeasible out;
} Demand;

snFeasibleDef sn_default_feasible_def(void)
{
    return (snFeasibleDef){.sim = sn_default_sim_def(), .lead = 0.3, .enough = INFINITY, .every = 1};
}

static void poses_at(Demand *d, double time)
{
    for (int32_t b = 0; b < d->m->nbody; ++b) {
        d->next[b] = d->m->body_rest[b];
        if (d->channel[b] < 0) continue;
        double pose[7];
        sn_track_pose_at(d->motion, d->channel[b], time, pose, NULL);
        rigid node = {q_unit(q_load(pose + 3)), v3_load(pose)};
        d->next[b] = rigid_mul(node, rigid_inverse(d->m->body_node[b]));
    }
    sn_reach_clamp(d->reach, d->next, d->excess);
}

static snStatus approach(Demand *d, double first)
{
    snStatus status = SN_OK;
    int32_t n = (int32_t)ceil(d->def.lead / sn_plant_step(d->s));
    poses_at(d, first);
    sn_pose_coordinates(d->m, d->next, d->first_coord);
    sn_pose_coordinates(d->m, d->m->body_rest, d->rest_coord);
    for (int32_t i = 1; i <= n && status == SN_OK; ++i) {
        double t = (double)i / n, k = t * t * t * (10 + t * (6 * t - 15));
        for (int32_t c = 0; c < d->m->ncoord; ++c)
            d->coord[c] = d->rest_coord[c] + k * (d->first_coord[c] - d->rest_coord[c]);
        sn_pose_bodies(d->m, d->coord, d->next);
        status = sn_inverse_step(d->inverse, d->next);
    }
    return status;
}

static void judge(Demand *d, double time)
{
    const double *unmet = sn_inverse_unmet(d->inverse);
    for (int32_t c = 0; c < d->m->ncoord; ++c)
        if (fabs(unmet[c]) > d->out.unmet) d->out.unmet = fabs(unmet[c]), d->out.coordinate = c, d->out.time = time;
    const double *activation = sn_plant_activation(d->s);
    for (int32_t k = 0; k < d->m->nmuscle; ++k) d->out.activation = fmax(d->out.activation, activation[k]);
}

static snStatus go_through(Demand *d)
{
    double first = sn_track_time(d->motion, 0), last = sn_track_time(d->motion, sn_track_frames(d->motion) - 1);
    int32_t n = (int32_t)floor((last - first) / sn_plant_step(d->s) + 1e-6);
    snStatus status = approach(d, first);
    for (int32_t i = 1; i <= n && status == SN_OK && d->out.unmet <= d->def.enough; ++i) {
        poses_at(d, first + i * sn_plant_step(d->s));
        status = sn_inverse_step(d->inverse, d->next);
        judge(d, first + i * sn_plant_step(d->s));
    }
    return status;
}

/* At a time and one and two steps before it. */
static snStatus sag_at(Demand *d, snSag *sag, double time, double *away)
{
    for (int k = 0; k < 3; ++k) {
        poses_at(d, time + (k - 2) * sn_sag_step(sag));
        sn_pose_coordinates(d->m, d->next, d->moment[k]);
    }
    return sn_sag_find(sag, (const double *const *)d->moment, away);
}

static snStatus find_sag(Demand *d)
{
    double first = sn_track_time(d->motion, 0), last = sn_track_time(d->motion, sn_track_frames(d->motion) - 1), away;
    snSag *sag = sn_sag_create(d->m, &d->def.sim, d->def.sag);
    snStatus status = sag ? SN_OK : SN_NO_MEMORY;
    for (int i = 0; i < MOMENTS && status == SN_OK; ++i) {
        status = sag_at(d, sag, first + (i + 0.5) / MOMENTS * (last - first), &away);
        if (status == SN_OK) d->out.sag += away / MOMENTS;
    }
    sn_sag_destroy(sag);
    return status;
}

static bool allocate(Demand *d)
{
    size_t nb = (size_t)d->m->nbody, nc = (size_t)d->m->ncoord;
    return (d->channel = SN_NEW_ARRAY(int32_t, nb)) && (d->has_target = SN_NEW_ARRAY(uint8_t, nb)) &&
           (d->next = SN_NEW_ARRAY(rigid, nb)) && (d->rest_coord = SN_NEW_ARRAY(double, nc)) &&
           (d->first_coord = SN_NEW_ARRAY(double, nc)) && (d->coord = SN_NEW_ARRAY(double, nc)) &&
           (d->excess = SN_NEW_ARRAY(double, nc)) && (d->moment[0] = SN_NEW_ARRAY(double, nc)) &&
           (d->moment[1] = SN_NEW_ARRAY(double, nc)) && (d->moment[2] = SN_NEW_ARRAY(double, nc));
}

static void release(Demand *d)
{
    sn_inverse_destroy(d->inverse);
    sn_reach_destroy(d->reach);
    sn_state_destroy(d->s);
    void *block[] = {d->channel, d->has_target, d->next,      d->rest_coord, d->first_coord,
                     d->coord,   d->excess,     d->moment[0], d->moment[1],  d->moment[2]};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
}

static snStatus map_bodies(Demand *d, snError *error)
{
    for (int32_t b = 0; b < d->m->nbody; ++b) {
        d->channel[b] = sn_track_find_body(d->motion, d->m->body_name[b]);
        d->has_target[b] = d->channel[b] >= 0;
        if (sn_body_is_free(d->m, b) && d->channel[b] < 0)
            return sn_fail(error, SN_BAD_INPUT, "the motion does not say where body \"%s\" is", d->m->body_name[b]);
    }
    return SN_OK;
}

static snStatus prepare(Demand *d, snError *error)
{
    if (sn_track_frames(d->motion) < 1) return sn_fail(error, SN_BAD_INPUT, "the motion has no frames");
    if (!sn_inverse_applies(d->m)) return sn_fail(error, SN_BAD_INPUT, "the bodies do not form trees of joints");
    if (!allocate(d)) return sn_fail_no_memory(error);
    snStatus status = map_bodies(d, error);
    if (status == SN_OK) status = sn_state_create(d->m, &d->def.sim, &d->s, error);
    if (status != SN_OK) return status;
    d->reach = sn_reach_create(d->m, d->has_target);
    if (d->reach) d->inverse = sn_inverse_create(d->m, d->s, d->def.every);
    return d->inverse ? SN_OK : sn_fail_no_memory(error);
}

snStatus sn_feasible(const snModel *m, const snTrack *motion, const snFeasibleDef *def, snFeasible *demand,
                     snError *error)
{
    Demand d = {.m = m, .motion = motion, .def = def ? *def : sn_default_feasible_def()};
    snStatus status = prepare(&d, error);
    if (status == SN_OK) {
        status = go_through(&d);
        if (status == SN_OK && d.def.sag > 0 && d.out.unmet > NOTHING && d.out.unmet <= d.def.enough)
            status = find_sag(&d);
        if (status == SN_NO_MEMORY)
            sn_fail_no_memory(error);
        else if (status != SN_OK)
            sn_fail(error, status, "the strands diverged: %s", sn_info(d.s)->culprit);
    }
    if (status == SN_OK) *demand = d.out;
    release(&d);
    return status;
}
