#include "loading.h"
#include "control/own/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MOST = 200; /* N: more than a hand holds */

/* Makes the loads anew from what is set; bodies that have none any more feel nothing. */
static void update(snLoading *l)
{
    const double now = 0;
    sn_loads_clear(l->loads);
    memset(l->force.data, 0, (size_t)l->force.rows * 3 * sizeof(double));
    memset(l->torque.data, 0, (size_t)l->torque.rows * 3 * sizeof(double));
    if (l->grip > 0) (void)sn_loads_add_grip(l->loads, 1, &now, &l->grip, NULL);
    for (int32_t b = 0; b < l->force.rows; ++b) {
        const double *f = l->push + 3 * b;
        snLoadDef def = {.size = sizeof def, .body = b, .count = 1, .time = &now, .force = f};
        if (f[0] != 0 || f[1] != 0 || f[2] != 0) (void)sn_loads_add(l->loads, &def, NULL); /* a fixed body feels none */
    }
}

snStatus sn_loading_create(const snModel *model, snState *state, snLoading *l, snError *error)
{
    const double now = 0, one = 1;
    l->model = model;
    l->push = calloc(3 * (size_t)sn_count(model, SN_ITEM_BODY) + 1, sizeof *l->push);
    if (!l->push) return SN_NO_MEMORY;
    snStatus status = sn_field(model, state, "body.force", &l->force);
    if (status == SN_OK) status = sn_field(model, state, "body.torque", &l->torque);
    if (status == SN_OK) status = sn_loads_create(model, &l->loads, error);
    if (status != SN_OK) return status;
    l->can_grip = sn_loads_add_grip(l->loads, 1, &now, &one, NULL) == SN_OK;
    sn_loads_clear(l->loads);
    return SN_OK;
}

void sn_loading_destroy(snLoading *l)
{
    sn_loads_destroy(l->loads);
    free(l->push);
}

/* A NaN becomes 0. */
static double limited(double x, double least)
{
    return x > least ? fmin(x, MOST) : x <= least ? least : 0;
}

void sn_loading_grip(snLoading *l, double force)
{
    l->grip = limited(force, 0);
    update(l);
}

void sn_loading_push(snLoading *l, int32_t body, const double force[3])
{
    for (int i = 0; i < 3; ++i) l->push[3 * body + i] = limited(force[i], -MOST);
    update(l);
}

void sn_loading_clear(snLoading *l)
{
    l->grip = 0;
    memset(l->push, 0, (size_t)l->force.rows * 3 * sizeof(double));
    update(l);
}

void sn_loading_apply(const snLoading *l, snState *state)
{
    sn_loads_apply(l->loads, state, sn_time(state));
}
