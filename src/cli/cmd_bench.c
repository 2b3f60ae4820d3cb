/* sinew bench: the ladder of scenes, each stepped for a while, with where the time goes.
 *
 * A rung with a motion has the tracking controller at work, as in sinew track: the motion runs forth and back, and
 * strands are placed for the steps that a frame is recorded of. The plain solver is measured on a second state of the
 * same model. Times are medians over batches of steps, so that a disturbance of the machine spoils one batch and not
 * the figure; processor time, beside the wall clock, leaves out what other programs take. */
#include "bench_body.h"
#include "bench_case.h"
#include "bench_clinical.h"
#include "bench_flesh.h"
#include "bench_library.h"
#include "bench_skin.h"
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STAGES = 8, BATCHES = 15, FRAME_RATE = 50 };

typedef struct snRung {
    const char *name, *motion; /* motion: NULL without a controller */
} snRung;

static const snRung rungs[] = {
    {"pendulum", NULL},           {"cable", NULL},      {"finger", NULL},         {"hand-synthetic", NULL},
    {"hand-synthetic-x10", NULL}, {"hand-paths", NULL}, {"hand-paths-x10", NULL}, {"sheet", NULL},
    {"shoulder", NULL},           {"hand", "fist"},
};
enum { RUNGS = (int)(sizeof rungs / sizeof rungs[0]) };

/* What is stepped. */
typedef struct snWork {
    const snModel *model;
    snState *state;
    const snTrack *motion; /* may be NULL, and then the follower is too */
    snFollower *follower;
} snWork;

typedef struct snFigures {
    double step_us, cpu_us, stage_us[STAGES], solve_us;
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

/* The time of the motion that belongs to a time of the run: forth and back without a jump. */
static double motion_time(const snTrack *motion, double time)
{
    double first = sn_track_time(motion, 0), length = sn_track_time(motion, sn_track_frames(motion) - 1) - first;
    if (length <= 0) return first;
    double phase = fmod(time, 2 * length);
    return first + (phase < length ? phase : 2 * length - phase);
}

static void aim(const snWork *work)
{
    double now = sn_time(work->state), next = now + sn_model_step(work->model);
    for (int32_t i = 0; i < sn_follower_targets(work->follower); ++i) {
        double a[7], b[7];
        const char *name = sn_name(work->model, SN_ITEM_BODY, sn_follower_target_body(work->follower, i));
        int32_t body = sn_track_find_body(work->motion, name);
        if (body < 0) continue;
        sn_track_pose_at(work->motion, body, motion_time(work->motion, now), a, NULL);
        sn_track_pose_at(work->motion, body, motion_time(work->motion, next), b, NULL);
        sn_follower_aim(work->follower, i, a, b);
    }
}

/* As sinew track does between the frames of a motion. */
static void look(const snWork *work)
{
    double now = FRAME_RATE * sn_time(work->state), next = now + FRAME_RATE * sn_model_step(work->model);
    sn_set_quiet(work->state, floor(next) <= floor(now));
}

static snStatus run_steps(const snWork *work, int64_t count)
{
    snStatus status = SN_OK;
    for (int64_t i = 0; status == SN_OK && i < count; ++i) {
        if (cli_interrupted()) return SN_CANCELLED;
        if (work->follower) aim(work), look(work);
        status = sn_step(work->model, work->state);
    }
    return status;
}

/* Steps per batch so that all batches together take about `seconds`. */
static snStatus warm_up(const snWork *work, double seconds, int64_t *batch)
{
    double start = cli_seconds();
    int64_t done = 0;
    snStatus status = SN_OK;
    while (status == SN_OK && (done < 5 || cli_seconds() - start < 0.1 * seconds)) {
        status = run_steps(work, 1);
        ++done;
    }
    double each = (cli_seconds() - start) / (double)done;
    *batch = (int64_t)(seconds / (each * BATCHES)) + 1;
    return status;
}

static snStatus measure(const snWork *work, double seconds, snFigures *figures)
{
    double whole[BATCHES], cpu[BATCHES], solve[BATCHES], stage[STAGES][BATCHES];
    int64_t batch = 1;
    const snStepInfo *info = sn_info(work->state);
    snStatus status = warm_up(work, seconds, &batch);
    for (int b = 0; status == SN_OK && b < BATCHES; ++b) {
        snStepInfo before = *info;
        double start = cli_seconds();
        clock_t busy = clock();
        status = run_steps(work, batch);
        cpu[b] = 1e6 * (double)(clock() - busy) / CLOCKS_PER_SEC / (double)batch;
        whole[b] = 1e6 * (cli_seconds() - start) / (double)batch;
        solve[b] = 0;
        for (int i = 0; i < stages(); ++i) {
            stage[i][b] = 1e6 * (info->stage_seconds[i] - before.stage_seconds[i]) / (double)batch;
            if (is_solve(i)) solve[b] += stage[i][b];
        }
    }
    if (status != SN_OK) return status;
    figures->step_us = cli_median(whole, BATCHES);
    figures->cpu_us = cli_median(cpu, BATCHES);
    figures->solve_us = cli_median(solve, BATCHES);
    for (int i = 0; i < stages(); ++i) figures->stage_us[i] = cli_median(stage[i], BATCHES);
    figures->bytes = sn_state_bytes(work->state);
    return SN_OK;
}

static snStatus measure_solver(snCli *cli, const snModel *model, const snTrack *motion, snSolver solver,
                               int32_t threads, double seconds, snFigures *figures)
{
    snSimDef def = sn_default_sim_def();
    snFollowerDef follower = sn_default_follower_def();
    snWork work = {.model = model, .motion = motion};
    snError error = {0};
    def.solver = solver;
    def.threads = threads;
    snStatus status = sn_state_create(model, &def, &work.state, &error);
    if (status == SN_OK && motion) status = sn_follower_create(model, work.state, &follower, &work.follower, &error);
    error.status = status;
    if (status != SN_OK)
        (void)cli_fail_error(cli, &error);
    else
        status = measure(&work, seconds, figures);
    if (status == SN_DIVERGED)
        (void)cli_fail(cli, status, "diverged after %.4g s: %s, residual %.3g", sn_time(work.state),
                       sn_info(work.state)->culprit, sn_info(work.state)->residual);
    if (work.follower) sn_follower_destroy(work.follower);
    if (work.state) sn_state_destroy(work.state);
    return status;
}

static void report(snCli *cli, const char *name, const snModel *model, int32_t threads, const snFigures *f,
                   double plain)
{
    double simulated = 1e6 * sn_model_step(model), factor = simulated / f->step_us;
    cli_say(cli, "%-20s %10.0f %10.1f %10.1f %10.1f %10.1f %10.1f %10.1f %9.2f  ", name, 1e6 / f->step_us, factor,
            simulated / f->cpu_us, f->step_us, f->cpu_us, f->solve_us, plain, (double)f->bytes / 1048576);
    for (int i = 0; i < stages(); ++i) {
        double share = 100 * f->stage_us[i] / f->step_us;
        if (share >= 0.5) cli_say(cli, " %s %.0f %%", sn_stage_name(i), share);
    }
    cli_say(cli, "\n");
    json_open(&cli->json, NULL, '{');
    json_string(&cli->json, "name", name);
    json_number(&cli->json, "steps_per_s", 1e6 / f->step_us);
    json_number(&cli->json, "real_time_factor", factor);
    json_number(&cli->json, "real_time_factor_cpu", simulated / f->cpu_us);
    json_number(&cli->json, "step_us", f->step_us);
    json_number(&cli->json, "cpu_us", f->cpu_us);
    json_number(&cli->json, "solve_us", f->solve_us);
    json_number(&cli->json, "solve_plain_us", plain);
    json_integer(&cli->json, "threads", threads);
    json_integer(&cli->json, "bytes", f->bytes);
    json_open(&cli->json, "stage_us", '{');
    for (int i = 0; i < stages(); ++i) json_number(&cli->json, sn_stage_name(i), f->stage_us[i]);
    json_close(&cli->json, '}');
    json_close(&cli->json, '}');
}

static snStatus load_motion(snCli *cli, const snModel *model, const snRung *rung, snTrack **motion)
{
    snMotionDef def = sn_default_motion_def();
    snError error = {0};
    if (!rung->motion) return SN_OK;
    def.model = rung->name;
    return cli_fail_file(cli, sn_load_motion(model, rung->motion, &def, motion, &error), &error, rung->motion);
}

static snStatus run_rung(snCli *cli, const snRung *rung)
{
    int32_t threads = cli_given(cli, "threads") ? cli->threads : 1;
    double seconds = cli_option_number(cli, "seconds", 1);
    snModel *model = NULL;
    snTrack *motion = NULL;
    snFigures strand = {0}, plain = {0};
    snStatus status = cli_compile_model(cli, rung->name, NULL, &model);
    if (status == SN_OK) status = load_motion(cli, model, rung, &motion);
    if (status == SN_OK) status = measure_solver(cli, model, motion, SN_SOLVER_STRAND, threads, seconds, &strand);
    if (status == SN_OK) status = measure_solver(cli, model, NULL, SN_SOLVER_PLAIN, threads, 0.5 * seconds, &plain);
    if (status == SN_OK) report(cli, rung->name, model, threads, &strand, plain.solve_us);
    if (motion) sn_track_destroy(motion);
    if (model) sn_model_destroy(model);
    return status;
}

/* The rung of that name; any other model without a motion. --motion takes precedence. */
static snRung find_rung(snCli *cli, const char *name)
{
    snRung rung = {name, NULL};
    for (int i = 0; i < RUNGS; ++i)
        if (strcmp(rungs[i].name, name) == 0) rung = rungs[i];
    rung.motion = cli_option_text(cli, "motion", rung.motion);
    return rung;
}

static snStatus run(snCli *cli)
{
    const char *only = cli_option_text(cli, "rung", NULL);
    int count = only ? 1 : RUNGS;
    snStatus worst = SN_OK;
    if (cli_given(cli, "triangles") && (!only || strcmp(only, "skin") != 0))
        return cli_fail(cli, SN_USAGE, "--triangles needs --rung skin");
    if (cli_given(cli, "tetrahedra") && (!only || strcmp(only, "flesh") != 0))
        return cli_fail(cli, SN_USAGE, "--tetrahedra needs --rung flesh");
    if (cli_given(cli, "motion") && !only) return cli_fail(cli, SN_USAGE, "--motion needs --rung");
    if (only && strcmp(only, "skin") == 0) return cli_bench_skin(cli);
    if (only && strcmp(only, "hand-clinical") == 0) return cli_bench_clinical(cli);
    if (only && strcmp(only, "body") == 0) return cli_bench_body(cli);
    if (only && strcmp(only, "flesh") == 0) return cli_bench_flesh(cli);
    if (only && strcmp(only, "library") == 0) return cli_bench_library(cli);
    cli_say(cli, "%-20s %10s %10s %10s %10s %10s %10s %10s %9s   %s\n", "rung", "steps/s", "x real", "x cpu", "step us",
            "cpu us", "solve us", "plain us", "MiB", "where the time goes");
    json_open(&cli->json, "rungs", '[');
    for (int i = 0; i < count && worst != SN_CANCELLED; ++i) {
        snRung rung = find_rung(cli, only ? only : rungs[i].name);
        if (cli_progress(cli, rung.name, i, count)) worst = SN_CANCELLED;
        snStatus status = worst == SN_CANCELLED ? worst : run_rung(cli, &rung);
        if (worst == SN_OK || status == SN_CANCELLED) worst = status;
    }
    json_close(&cli->json, ']');
    return worst;
}

static const snOption options[] = {
    {"rung", SN_OPTION_TEXT, "NAME",
     "one rung only: a name of the ladder, skin, flesh, library, hand-clinical, body, or any MODEL", 0, 0},
    {"motion", SN_OPTION_TEXT, "NAME",
     "with the tracking controller on this motion (rung hand: fist); flesh: curl of the body or fist", 0, 0},
    {"seconds", SN_OPTION_NUMBER, "S", "time to spend on each rung (1)", 0.001, 600},
    {"triangles", SN_OPTION_COUNT, "N",
     "with --rung skin: build a skin of about N triangles instead of the shipped one", 1000, 200000},
    {"tetrahedra", SN_OPTION_COUNT, "N", "with --rung flesh: this one size instead of 50,000 and 354,000", 1000,
     10000000},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_bench = {
    .name = "bench",
    .arguments = "[--rung NAME]",
    .about = "Run the benchmark ladder: steps a second, real-time factor, where the time goes, memory",
    .details =
        "Uses one thread unless you give --threads. `x real` is the real-time factor by the wall clock, `x cpu` by "
        "processor\n"
        "time, which other programs on the machine do not change; `step us` and `cpu us` are a step in both. `solve "
        "us` "
        "is the\n"
        "time to factor and solve with the strand solver, `plain us` the same with the plain reference solver; MiB is "
        "the\n"
        "memory of one state. The rung `hand` includes the controller. Some rungs have columns of their own: skin "
        "times the bulge of the hand's tendons and the writing\n"
        "of ten seconds as PC2, hand-clinical times the clinical questions, body times a controlled step of the upper\n"
        "body (with --motion, 2 s of it), and flesh runs frames of the body's curl in flesh on two threads: seconds a\n"
        "frame, iterations, error, memory.",
    .example = "sinew bench --rung pendulum",
    .output =
        "rung                    steps/s     x real      x cpu    step us     cpu us   solve us   plain us       MiB   "
        "where the time goes\n"
        "pendulum                 437979      438.0      438.2        2.3        2.3        1.2        1.2      0.01   "
        "...",
    .least = 0,
    .most = 0,
    .options = options,
    .run = run,
};
