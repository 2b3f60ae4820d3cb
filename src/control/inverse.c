/* Activations that a step of driven bodies demands: R a = need about every joint coordinate, 0 <= a <= 1. */
#include "control/inverse.h"

#include "base/alloc.h"
#include "opt/boxqp.h"
#include "sim/plant.h"

#include <string.h>

static const double UNIT = 1e-3;  /* N m (N): what counts as one */
static const double PRICE = 1e-3; /* of activation 1, in squared units: breaks ties and gives up no demand */

struct snInverse {
    const snModel *m;
    snState *s;
    int32_t every;
    snEffort *effort;
    double *R, *need; /* ncoord x nmuscle, ncoord: in units */
    double *Q, *c, *lower, *upper, *unmet;
    snBoxQp *qp;
    bool acts;           /* on the state */
    snController before; /* what the state had */
};

/* ---- one choice of activations -------------------------------------------------------------- */

static void form_qp(snInverse *v)
{
    size_t n = (size_t)v->m->nmuscle;
    memset(v->Q, 0, sizeof(double) * n * n);
    memset(v->c, 0, sizeof(double) * n);
    for (int32_t r = 0; r < v->m->ncoord; ++r) {
        const double *R = v->R + (size_t)r * n;
        for (size_t i = 0; i < n; ++i) {
            if (R[i] == 0) continue;
            for (size_t j = 0; j <= i; ++j) v->Q[i * n + j] += R[i] * R[j];
            v->c[i] -= R[i] * v->need[r];
        }
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) v->Q[j * n + i] = v->Q[i * n + j];
        v->Q[i * n + i] += PRICE;
    }
}

static void find_activations(snInverse *v)
{
    int32_t n = v->m->nmuscle;
    form_qp(v);
    snBoxQpProblem problem = {.n = n, .Q = v->Q, .c = v->c, .lo = v->lower, .hi = v->upper};
    double *activation = sn_plant_activation(v->s);
    sn_boxqp_solve(v->qp, &problem, activation, NULL);
    for (int32_t r = 0; r < v->m->ncoord; ++r) {
        const double *R = v->R + (size_t)r * (size_t)n;
        double unmet = v->need[r];
        for (int32_t i = 0; i < n; ++i) unmet -= R[i] * activation[i];
        v->unmet[r] = unmet * UNIT;
    }
}

static bool is_due(const snInverse *v)
{
    return sn_info(v->s)->steps % v->every == 0;
}

static void choose(void *context, const snModel *m, snState *s)
{
    (void)m, (void)s;
    snInverse *v = context;
    if (!is_due(v)) return;
    sn_effort_find(v->effort, UNIT, v->R, v->need);
    find_activations(v);
}

snStatus sn_inverse_step(snInverse *v, const rigid *next)
{
    const snModel *m = v->m;
    for (int32_t b = 0; b < m->nbody; ++b)
        if (m->body_mode[b] != SN_BODY_PINNED) sn_plant_aim(v->s, b, next[b]);
    return sn_step(m, v->s);
}

const double *sn_inverse_unmet(const snInverse *v)
{
    return v->unmet;
}

/* ---- set-up --------------------------------------------------------------------------------- */

bool sn_inverse_applies(const snModel *m)
{
    int32_t reached = 0, nfree = 0;
    for (int32_t b = 0; b < m->nbody; ++b) {
        int32_t joints = 0;
        for (int32_t j = 0; j < m->njoint; ++j) joints += m->joint_b[j] == b && m->joint_a[j] != b;
        nfree += sn_body_is_free(m, b);
        reached += sn_body_is_free(m, b) && joints == 1;
    }
    return reached == nfree && m->nmuscle > 0 && m->ncoord > 0;
}

static bool allocate(snInverse *v)
{
    size_t nc = (size_t)v->m->ncoord, nm = (size_t)v->m->nmuscle;
    return (v->R = SN_NEW_ARRAY(double, nc *nm)) && (v->need = SN_NEW_ARRAY(double, nc)) &&
           (v->Q = SN_NEW_ARRAY(double, nm *nm)) && (v->c = SN_NEW_ARRAY(double, nm)) &&
           (v->lower = SN_NEW_ARRAY(double, nm)) && (v->upper = SN_NEW_ARRAY(double, nm)) &&
           (v->unmet = SN_NEW_ARRAY(double, nc)) && (v->qp = sn_boxqp_create(v->m->nmuscle)) &&
           (v->effort = sn_effort_create(v->m, v->s));
}

static void drive(snInverse *v, bool on)
{
    for (int32_t b = 0; b < v->m->nbody; ++b) sn_plant_drive(v->m, v->s, b, on);
}

snInverse *sn_inverse_create(const snModel *m, snState *s, int32_t every)
{
    snInverse *v = SN_NEW(snInverse);
    if (!v) return NULL;
    v->m = m, v->s = s, v->every = every;
    if (!allocate(v)) {
        sn_inverse_destroy(v);
        return NULL;
    }
    drive(v, true);
    for (int32_t k = 0; k < m->nmuscle; ++k) v->upper[k] = 1;
    v->before = sn_plant_control(s, (snController){choose, v});
    v->acts = true;
    return v;
}

void sn_inverse_destroy(snInverse *v)
{
    if (!v) return;
    if (v->acts) {
        drive(v, false);
        sn_plant_control(v->s, v->before);
    }
    sn_effort_destroy(v->effort);
    void *block[] = {v->R, v->need, v->Q, v->c, v->lower, v->upper, v->unmet};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    sn_boxqp_destroy(v->qp);
    sn_free(v);
}
