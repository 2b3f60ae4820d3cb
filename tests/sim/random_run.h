/* A random model run for a second, and what became of it. */
#ifndef SN_TESTS_SIM_RANDOM_RUN_H
#define SN_TESTS_SIM_RANDOM_RUN_H

#include "check.h"

#include "random_models.h"
#include "sinew/model.h"
#include "sinew/sim.h"

#include <string.h>

typedef struct RandomRun {
    bool valid;      /* the model compiles and settles */
    snStatus status; /* of the run: SN_OK or SN_DIVERGED */
    snError error;
    RandomClass kind;
    bool wild;
    double end;     /* s */
    int32_t most;   /* pieces of a step */
    int64_t pieces; /* of all steps */
    int unresolved; /* steps of which no piece was short enough */
} RandomRun;

static inline void random_drive(const RandomModel *r, const snModel *m, double time, snView *activation)
{
    for (int32_t i = 0; i < activation->rows; ++i)
        activation->data[i] = random_activation(r, sn_name(m, SN_ITEM_MUSCLE, i), time);
}

static inline void random_steps(const RandomModel *r, const snModel *m, snState *s, RandomRun *run)
{
    snView activation;
    double h = sn_spec_model(r->build.spec)->step;
    assert_int_equal(sn_field(m, s, "muscle.activation", &activation), SN_OK);
    for (int k = 0; k * h < 1 && run->status == SN_OK; ++k) {
        random_drive(r, m, k * h, &activation);
        run->status = sn_step(m, s);
        const snStepInfo *info = sn_info(s);
        run->most = info->substeps > run->most ? info->substeps : run->most, run->pieces += info->substeps;
        run->unresolved += info->unresolved > 0;
        if (run->status != SN_OK)
            snprintf(run->error.message, sizeof run->error.message, "%s diverged", info->culprit);
        else
            run->status = sn_check_gaps(s, &run->error);
    }
    run->end = sn_time(s);
}

/* At the model's step. *change holds what to change of the model (all zero: nothing). */
static inline RandomRun random_run(uint64_t seed, const RandomModel *change)
{
    RandomModel r = {0};
    RandomRun run = {0};
    snModel *m = NULL;
    snState *s = NULL;
    if (change) memcpy(r.shorter, change->shorter, sizeof r.shorter), r.weaker = change->weaker;
    snSpec *spec = random_model(seed, &r);
    assert_non_null(spec);
    run.kind = r.kind, run.wild = r.wild;
    run.valid = sn_compile(spec, &m, &run.error) == SN_OK && sn_state_create(m, NULL, &s, &run.error) == SN_OK;
    if (run.valid) random_steps(&r, m, s, &run);
    sn_state_destroy(s);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
    return run;
}

/* Does what the remedy of a failed run says until the model runs; how many times, 0: that does not help. */
static inline int random_follow_remedy(uint64_t seed, RandomRun run)
{
    RandomModel change = {0};
    for (int round = 1; round <= 8; ++round) {
        const char *by = strstr(run.error.remedy, "let the belly end ");
        if (by)
            change.shorter[strchr(run.error.message, '"')[2] - '0'] += 1e-3 * atof(by + strlen("let the belly end "));
        else
            change.weaker = 0.1 * (change.weaker > 0 ? change.weaker : 1);
        run = random_run(seed, &change);
        if (run.valid && run.status == SN_OK) return round;
    }
    return 0;
}

#endif
