/* sinew bench: the ladder of scenes, each stepped for a while, with where the time goes.
 *
 * The plain solver is measured on a second state of the same model. Times are medians over batches of steps, so that a
 * disturbance of the machine spoils one batch and not the figure. */
#include "cli.h"

#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 8, BATCHES = 15 };

static const char *const rungs[] = {"pendulum",       "cable",              "finger",
                                    "hand-synthetic", "hand-synthetic-x10", "sheet"};

typedef struct snFigures {
    double step_us, stage_us[STAGES], solve_us;
    int64_t bytes;
} snFigures;

static int stages(void)
{
    int count = 0;
    while (count < STAGES && sn_stage_name(count)) ++count;
    return count;
}

static bool is_solve(int stage)
{
    const char *name = sn_stage_name(stage);
    return strcmp(name, "factor") == 0 || strcmp(name, "solve") == 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, by_value);
    return value[count / 2];
}

static snStatus run_steps(const snModel *model, snState *state, int64_t count)
{
    snStatus status = SN_OK;
    for (int64_t i = 0; status == SN_OK && i < count; ++i) status = cli_interrupted() ? SN_CANCELLED : sn_step(model, state);
    return status;
}

/* Steps per batch so that all batches together take about `seconds`. */
static snStatus warm_up(const snModel *model, snState *state, double seconds, int64_t *batch)
{
    double start = cli_seconds();
    int64_t done = 0;
    snStatus status = SN_OK;
    while (status == SN_OK && (done < 5 || cli_seconds() - start < 0.1 * seconds)) {
        status = run_steps(model, state, 1);
        ++done;
    }
    double each = (cli_seconds() - start) / (double)done;
    *batch = (int64_t)(seconds / (each * BATCHES)) + 1;
    return status;
}

static snStatus measure(const snModel *model, snState *state, double seconds, snFigures *figures)
{
    double whole[BATCHES], stage[STAGES][BATCHES];
    double solve[BATCHES];
    int64_t batch = 1;
    snStatus status = warm_up(model, state, seconds, &batch);
    for (int b = 0; status == SN_OK && b < BATCHES; ++b) {
        snStepInfo before = *sn_info(state);
        double start = cli_seconds();
        status = run_steps(model, state, batch);
        whole[b] = 1e6 * (cli_seconds() - start) / (double)batch;
        solve[b] = 0;
        for (int i = 0; i < stages(); ++i) {
            stage[i][b] = 1e6 * (sn_info(state)->stage_seconds[i] - before.stage_seconds[i]) / (double)batch;
            if (is_solve(i)) solve[b] += stage[i][b];
        }
    }
    if (status != SN_OK) return status;
    figures->step_us = median(whole, BATCHES);
    figures->solve_us = median(solve, BATCHES);
    for (int i = 0; i < stages(); ++i) figures->stage_us[i] = median(stage[i], BATCHES);
    figures->bytes = sn_state_bytes(state);
    return SN_OK;
}

static snStatus measure_solver(snCli *cli, const snModel *model, snSolver solver, int32_t threads, double seconds,
                               snFigures *figures)
{
    snSimDef def = sn_default_sim_def();
    snState *state = NULL;
    snError error = {0};
    def.solver = solver;
    def.threads = threads;
    snStatus status = sn_state_create(model, &def, &state, &error);
    error.status = status;
    if (status != SN_OK) return cli_fail_error(cli, &error);
    status = measure(model, state, seconds, figures);
    if (status == SN_DIVERGED)
        (void)cli_fail(cli, status, "diverged after %.4g s: %s, residual %.3g", sn_time(state), sn_info(state)->culprit,
                       sn_info(state)->residual);
    sn_state_destroy(state);
    return status;
}

static void report(snCli *cli, const char *name, const snModel *model, int32_t threads, const snFigures *f, double plain)
{
    double factor = 1e6 * sn_model_step(model) / f->step_us;
    cli_say(cli, "%-20s %10.0f %10.1f %10.1f %10.1f %10.1f %9.2f  ", name, 1e6 / f->step_us, factor, f->step_us,
            f->solve_us, plain, (double)f->bytes / 1048576);
    for (int i = 0; i < stages(); ++i) {
        double share = 100 * f->stage_us[i] / f->step_us;
        if (share >= 0.5) cli_say(cli, " %s %.0f %%", sn_stage_name(i), share);
    }
    cli_say(cli, "\n");
    json_open(&cli->json, NULL, '{');
    json_string(&cli->json, "name", name);
    json_number(&cli->json, "steps_per_s", 1e6 / f->step_us);
    json_number(&cli->json, "real_time_factor", factor);
    json_number(&cli->json, "step_us", f->step_us);
    json_number(&cli->json, "solve_us", f->solve_us);
    json_number(&cli->json, "solve_plain_us", plain);
    json_integer(&cli->json, "threads", threads);
    json_integer(&cli->json, "bytes", f->bytes);
    json_open(&cli->json, "stage_us", '{');
    for (int i = 0; i < stages(); ++i) json_number(&cli->json, sn_stage_name(i), f->stage_us[i]);
    json_close(&cli->json, '}');
    json_close(&cli->json, '}');
}

static snStatus run_rung(snCli *cli, const char *name)
{
    int32_t threads = cli_given(cli, "threads") ? cli->threads : 1;
    double seconds = cli_option_number(cli, "seconds", 1);
    snModel *model = NULL;
    snFigures strand = {0}, plain = {0};
    snStatus status = cli_compile_model(cli, name, NULL, &model);
    if (status == SN_OK) status = measure_solver(cli, model, SN_SOLVER_STRAND, threads, seconds, &strand);
    if (status == SN_OK) status = measure_solver(cli, model, SN_SOLVER_PLAIN, threads, 0.5 * seconds, &plain);
    if (status == SN_OK) report(cli, name, model, threads, &strand, plain.solve_us);
    if (model) sn_model_destroy(model);
    return status;
}

static snStatus run(snCli *cli)
{
    const char *only = cli_option_text(cli, "rung", NULL);
    int count = (int)(sizeof rungs / sizeof rungs[0]);
    snStatus worst = SN_OK;
    cli_say(cli, "%-20s %10s %10s %10s %10s %10s %9s   %s\n", "rung", "steps/s", "x real", "step us", "solve us",
            "plain us", "MiB", "where the time goes");
    json_open(&cli->json, "rungs", '[');
    for (int i = 0; i < (only ? 1 : count) && worst != SN_CANCELLED; ++i) {
        const char *name = only ? only : rungs[i];
        if (cli_progress(cli, name, i, count)) worst = SN_CANCELLED;
        snStatus status = worst == SN_CANCELLED ? worst : run_rung(cli, name);
        if (worst == SN_OK || status == SN_CANCELLED) worst = status;
    }
    json_close(&cli->json, ']');
    return worst;
}

static const snOption options[] = {
    {"rung", SN_OPTION_TEXT, "NAME", "one rung only: a name of the ladder, or any MODEL", 0, 0},
    {"seconds", SN_OPTION_NUMBER, "S", "time to spend on each rung (1)", 0.001, 600},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_bench = {
    .name = "bench",
    .arguments = "[--rung NAME]",
    .about = "The benchmark ladder: steps a second, real-time factor, where the time goes, memory",
    .details = "One thread unless --threads says otherwise. `solve us` is factor and solve of the solver by strands, `plain us`\n"
               "the same of the plain reference solver; MiB is the memory of one state.",
    .example = "sinew bench --rung pendulum",
    .output = "rung                    steps/s     x real    step us   solve us   plain us       MiB   where the time goes\n"
              "pendulum                 437979      438.0        2.3        1.2        1.2      0.01   factor 27 % solve 23 %",
    .least = 0,
    .most = 0,
    .options = options,
    .run = run,
};
