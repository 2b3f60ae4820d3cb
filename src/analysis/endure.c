/* How long a pose can be held again and again: fatigue takes strength from the muscles that work, the others take over,
 * and at some time the torque is no longer there. Between the moments that are solved the activations stand still: at
 * most a second, which is short against the minutes that fatigue takes. */
#include "analysis/fatigue.h"
#include "analysis/patient.h"
#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

static const double longest = 1; /* s between two solutions */
enum { MAX_SAMPLES = 20000 };

typedef struct Run {
    snPatient *p;
    const double *q;
    snEndurance *out;
    double *strength; /* of the case, rested */
    snFatigue *state;
    double time;
} Run;

static void weaken(Run *r)
{
    snPatient *p = r->p;
    for (int32_t i = 0; i < p->np; ++i) p->strength[i] = r->strength[i] * (1 - r->state[p->s->path_unit[i]].fatigued);
}

static void tire(Run *r, double time, bool resting)
{
    snFatigueLaw law = sn_fatigue_hand();
    for (int32_t u = 0; u < r->p->nu; ++u) {
        const double *figures = r->p->s->unit_fatigue + 3 * u;
        law.fatigue = figures[0], law.recovery = figures[1], law.rest = figures[2];
        double load = resting ? 0 : r->p->activation[u] * (1 - r->state[u].fatigued);
        sn_fatigue_advance(&law, &r->state[u], load, time);
    }
    r->time += time;
}

static void keep(Run *r, const snHeld *held, int32_t repetition)
{
    snEndurance *out = r->out;
    size_t nu = (size_t)r->p->nu, at = (size_t)out->count++;
    out->time[at] = r->time;
    out->unmet[at] = held->unmet;
    memcpy(out->activation + at * nu, held->activation, nu * sizeof(double));
    for (size_t u = 0; u < nu; ++u) out->fatigued[at * nu + u] = r->state[u].fatigued;
    if (held->unmet <= 1 || out->fails_at >= 0) return;
    out->fails_at = r->time, out->fails_in = repetition, out->worst = held->worst;
}

static snStatus go(Run *r, const snEndureDef *def)
{
    snStatus status = SN_OK;
    int32_t parts = (int32_t)fmax(1, ceil(def->work / longest));
    for (int32_t i = 0; i < def->repeat && status == SN_OK; ++i) {
        for (int32_t k = 0; k < parts && status == SN_OK; ++k) {
            snHeld held;
            weaken(r);
            status = sn_hold(r->p, r->q, NULL, NULL, &held);
            if (status == SN_FAILED) status = SN_OK; /* its best point */
            if (status == SN_OK) keep(r, &held, i + 1);
            tire(r, def->work / parts, false);
        }
        tire(r, def->rest, true);
    }
    return status;
}

snStatus sn_endure(snPatient *p, const double *q, const snEndureDef *def, snEndurance *out, snError *error)
{
    if (!p || !q || !out) return sn_fail_argument(error, "sn_endure without patient, pose or place for the answer");
    snEndureDef taken = sn_default_endure_def();
    if (SN_TAKE_DEF(def, snEndureDef, taken, error)) return SN_BAD_ARGUMENT;
    if (!(def->work > 0 && def->work <= 3600 && def->rest >= 0 && def->rest <= 3600 && def->repeat > 0))
        return sn_fail(error, SN_BAD_INPUT, "work and rest must each last 0 to 3600 s, with at least one repetition");
    double samples = fmax(1, ceil(def->work / longest)) * def->repeat;
    if (samples > MAX_SAMPLES || def->repeat * (def->work + def->rest) > 86400)
        return sn_fail(error, SN_BAD_INPUT, "%d repetitions of %g s with %g s of rest are too many to compute",
                       (int)def->repeat, def->work, def->rest);
    size_t n = (size_t)samples, nu = (size_t)p->nu, np = (size_t)p->np;
    Run r = {.p = p, .q = q, .out = out};
    *out = (snEndurance){.fails_at = -1, .worst = -1};
    double *at = out->memory = SN_NEW_ARRAY(double, 2 * n + 2 * n * nu);
    r.strength = SN_NEW_ARRAY(double, np);
    r.state = SN_NEW_ARRAY(snFatigue, nu);
    snStatus status = at && r.strength && r.state ? SN_OK : sn_fail_no_memory(error);
    if (status == SN_OK) {
        out->time = at, out->unmet = at + n, out->activation = at + 2 * n, out->fatigued = at + 2 * n + n * nu;
        memcpy(r.strength, p->strength, np * sizeof(double));
        for (size_t u = 0; u < nu; ++u) r.state[u] = sn_fatigue_rested();
        status = go(&r, def);
        memcpy(p->strength, r.strength, np * sizeof(double));
        if (status != SN_OK) (void)sn_fail(error, status, "%s", sn_status_text(status));
    }
    sn_free(r.strength);
    sn_free(r.state);
    if (status != SN_OK) sn_endurance_free(out);
    return status;
}
