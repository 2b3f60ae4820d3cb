/* One step: semi-implicit Euler on velocities, [Sueda 2008] section 3.4. What each stage does is in the parts. */
#include "sim/measure.h"
#include "sim/retry.h"
#include "sim/state.h"

#include "base/clock.h"
#include "sim/own/state.h"

#include <stdio.h>
#include <string.h>

enum { MAX_STIFFEN = 4 }; /* times within a step */

/* Asks all parts for the same thing. */
#define EACH(stage)                                                                                                    \
    for (const snPart *const *part = sn_parts; *part; ++part)                                                          \
        if ((*part)->stage) (*part)->stage(m, s)

static void lap(snState *s, int stage)
{
    double now = sn_clock();
    s->info.stage_seconds[stage] += now - s->lap;
    s->lap = now;
}

static snStatus factor(const snModel *m, snState *s, bool all)
{
    snStatus status = SN_OK;
    for (const snPart *const *part = sn_parts; *part && status == SN_OK; ++part)
        if ((*part)->factor) status = (*part)->factor(m, s, all);
    lap(s, SN_STAGE_FACTOR);
    return status;
}

static snStatus check(const snModel *m, snState *s)
{
    snStatus status = SN_OK;
    for (const snPart *const *part = sn_parts; *part && status == SN_OK; ++part)
        if ((*part)->check) status = (*part)->check(m, s);
    return status;
}

static int32_t stiffen(const snModel *m, snState *s)
{
    int32_t count = 0;
    for (const snPart *const *part = sn_parts; *part; ++part)
        if ((*part)->stiffen) count += (*part)->stiffen(m, s);
    return count;
}

static int32_t repair(const snModel *m, snState *s)
{
    int32_t changed = 0;
    for (const snPart *const *part = sn_parts; *part; ++part)
        if ((*part)->repair) changed += (*part)->repair(m, s);
    return changed;
}

/* Factors the system and lets the controller choose activations; again where they make something too stiff for the
 * factors, as long as *left allows. */
static snStatus factor_and_choose(const snModel *m, snState *s, bool all, int32_t *left)
{
    snStatus status = factor(m, s, all);
    while (status == SN_OK && s->choose) {
        s->choose(s->choose_context, m, s);
        bool again = *left > 0 && stiffen(m, s) > 0;
        lap(s, SN_STAGE_CONTROL);
        if (!again) break;
        --*left;
        status = factor(m, s, false);
    }
    return status;
}

/* New velocities, with the contacts that push among all that may: repaired until none changes. */
static snStatus find_velocities(const snModel *m, snState *s)
{
    int32_t left = MAX_STIFFEN, round = 0;
    do {
        snStatus status = factor_and_choose(m, s, round == 0, &left);
        if (status != SN_OK) return status;
        EACH(activate);
        lap(s, SN_STAGE_CONTROL);
        EACH(solve);
        lap(s, SN_STAGE_SOLVE);
        s->info.contact_rounds = round;
    } while (round++ < s->def.contact_rounds && repair(m, s) > 0);
    lap(s, SN_STAGE_CONTACTS);
    return check(m, s);
}

snStatus sn_step_once(const snModel *m, snState *s)
{
    EACH(prepare);
    lap(s, SN_STAGE_CONTACTS);
    EACH(evaluate);
    lap(s, SN_STAGE_FORCES);
    EACH(assemble);
    lap(s, SN_STAGE_ASSEMBLY);
    snStatus status = find_velocities(m, s);
    if (status != SN_OK) return status;
    EACH(advance);
    lap(s, SN_STAGE_INTEGRATE);
    return SN_OK;
}

snStatus sn_step(const snModel *m, snState *s)
{
    if (!sn_fits(m, s)) return SN_BAD_ARGUMENT;
    snStatus status = sn_check_inputs(m, s);
    if (status != SN_OK) return status;
    s->lap = sn_clock();
    status = sn_step_or_pieces(m, s);
    if (status != SN_OK) return status;
    s->time += s->h;
    ++s->info.steps;
    sn_measure(m, s);
    lap(s, SN_STAGE_RECORD);
    return SN_OK;
}

/* ---- what is read from a state -------------------------------------------------------------- */

static void note_worst_gap(const snModel *m, snState *s)
{
    snWorst all = sn_worst_constraint(m, s);
    int32_t joint = sn_worst_joint(m, s, &all.gap);
    s->info.worst_gap = all.gap;
    s->info.active_contacts = all.contacts;
    char *text = s->info.culprit;
    text[0] = '\0';
    if (joint >= 0)
        snprintf(text, sizeof s->info.culprit, "joint \"%s\"", m->joint_name[joint]);
    else if (all.constraint >= 0)
        snprintf(text, sizeof s->info.culprit, "constraint \"%s\"", m->constraint_name[all.constraint]);
}

void sn_measure(const snModel *m, snState *s)
{
    EACH(measure);
    note_worst_gap(m, s);
}

snEnergy sn_energy(const snModel *m, const snState *s)
{
    if (!sn_fits(m, s)) return (snEnergy){0};
    snEnergy sum = {0};
    for (const snPart *const *part = sn_parts; *part; ++part)
        if ((*part)->energy) (*part)->energy(m, s, &sum);
    return sum;
}

const snStepInfo *sn_info(const snState *s)
{
    return s ? &s->info : NULL;
}
double sn_time(const snState *s)
{
    return s ? s->time : 0;
}

const char *sn_stage_name(int32_t stage)
{
    static const char *const name[] = {
#define X(id, text) text,
        SN_STAGE_TABLE(X)
#undef X
    };
    return stage >= 0 && stage < SN_STAGE_COUNT ? name[stage] : NULL;
}
