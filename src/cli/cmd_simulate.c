/* sinew simulate: forward dynamics from activations or from named anatomical functions. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct snRun {
    snCli *cli;
    snSpec *spec;
    snModel *model;
    snState *state;
    snRecorder *recorder;
    char replay[4096], table[4096]; /* empty without -o */
    snDrive *drive;                 /* what the options ask for */
    double time, step, frame_rate, ramp;
    int64_t total; /* steps */
    double seconds, last_recorded;
    snStatus outcome; /* of the stepping */
} snRun;

/* ---- set-up ------------------------------------------------------------------------------- */

static snStatus check_outputs(snRun *run)
{
    const char *out = cli_option_text(run->cli, "o", NULL);
    if (!out) return SN_OK;
    int a = snprintf(run->replay, sizeof run->replay, "%s.replay.xml", out);
    int b = snprintf(run->table, sizeof run->table, "%s.sto", out);
    if (a >= (int)sizeof run->replay || b >= (int)sizeof run->table)
        return cli_fail(run->cli, SN_USAGE, "-o: the path is too long");
    snStatus status = cli_check_output(run->cli, run->replay);
    return status == SN_OK ? cli_check_output(run->cli, run->table) : status;
}

static snStatus create_state(snRun *run)
{
    snCli *cli = run->cli;
    snSimDef def = sn_default_sim_def();
    snError error = {0};
    def.step = cli_option_number(cli, "step", 0);
    if (cli_given(cli, "threads")) def.threads = cli->threads;
    if (strcmp(cli_option_text(cli, "solver", "strand"), "plain") == 0) def.solver = SN_SOLVER_PLAIN;
    def.gravity_scale = cli_option_number(cli, "gravity-scale", def.gravity_scale);
    def.skip_settle = cli_given(cli, "no-settle");
    snStatus status = sn_state_create(run->model, &def, &run->state, &error);
    error.status = status;
    if (status != SN_OK) return cli_fail_error(cli, &error);
    run->step = def.step > 0 ? def.step : sn_model_step(run->model);
    return SN_OK;
}

static snStatus set_up(snRun *run)
{
    snCli *cli = run->cli;
    double end = 1;
    run->frame_rate = cli_option_number(cli, "frame-rate", 50);
    run->ramp = cli_option_number(cli, "ramp", 0);
    snStatus status = check_outputs(run);
    if (status == SN_OK) status = cli_compile_model(cli, cli->argument[0], &run->spec, &run->model);
    if (status == SN_OK) status = cli_read_drive(cli, run->spec, run->model, &run->drive, &end);
    run->time = cli_option_number(cli, "time", end > 0 ? end : 1);
    if (status == SN_OK) status = create_state(run);
    if (status == SN_OK) status = cli_recorder_create(run->model, run->state, cli->argument[0], &run->recorder);
    if (status == SN_OK) run->total = (int64_t)ceil(run->time / run->step - 1e-9);
    return status;
}

static void tear_down(snRun *run)
{
    sn_drive_destroy(run->drive);
    cli_recorder_destroy(run->recorder);
    if (run->state) sn_state_destroy(run->state);
    if (run->model) sn_model_destroy(run->model);
    if (run->spec) sn_spec_destroy(run->spec);
}

/* ---- the run ------------------------------------------------------------------------------ */

static snStatus record(snRun *run)
{
    run->last_recorded = sn_time(run->state);
    return cli_record(run->recorder);
}

static snStatus set_activations(snRun *run, double time)
{
    snView view;
    snStatus status = sn_field(run->model, run->state, "muscle.activation", &view);
    double scale = run->ramp > 0 ? fmin(1, time / run->ramp) : 1;
    if (status != SN_OK) return status;
    (void)sn_drive_at(run->drive, time, view.data);
    for (int32_t i = 0; scale < 1 && i < view.rows; ++i) view.data[i] *= scale;
    return SN_OK;
}

/* Steps to the end, to divergence or to Ctrl-C; the state is then at the last good step. */
static snStatus step_through(snRun *run)
{
    snStatus status = record(run);
    double start = cli_seconds();
    int64_t frame = 0;
    for (int64_t i = 0; status == SN_OK && run->outcome == SN_OK && i < run->total; ++i) {
        double after = (double)(i + 1) * run->step;
        status = set_activations(run, after);
        if (status != SN_OK) break;
        run->outcome = sn_step(run->model, run->state);
        if (run->outcome != SN_OK) break;
        int64_t due = (int64_t)floor(after * run->frame_rate + 1e-6);
        if (due > frame) status = record(run);
        frame = due > frame ? due : frame;
        if (cli_progress(run->cli, "simulate", after, run->time)) run->outcome = SN_CANCELLED;
    }
    if (status == SN_OK && sn_time(run->state) > run->last_recorded) status = record(run);
    run->seconds = cli_seconds() - start;
    return status;
}

static snStatus save(snRun *run)
{
    snError error = {0};
    const snTrack *track = cli_recorded(run->recorder);
    if (!run->replay[0]) return SN_OK;
    snStatus status = cli_fail_file(run->cli, sn_save_track(track, run->replay, &error), &error, run->replay);
    if (status == SN_OK)
        status = cli_fail_file(run->cli, sn_save_table(track, run->table, NULL, &error), &error, run->table);
    if (status != SN_OK) return status;
    cli_say(run->cli, "wrote %s and %s\n", run->replay, run->table);
    return SN_OK;
}

static void report(snRun *run)
{
    snCli *cli = run->cli;
    const snStepInfo *info = sn_info(run->state);
    double simulated = sn_time(run->state), factor = run->seconds > 0 ? simulated / run->seconds : 0;
    int64_t steps = (int64_t)llround(simulated / run->step);
    cli_say(cli, "simulated %.4g s in %.3g s: %.3g times real time, %lld steps of %g ms\n", simulated, run->seconds,
            factor, (long long)steps, 1000 * run->step);
    cli_say(cli, "worst gap of a constraint in the last step: %.2g mm%s%s\n", 1000 * info->worst_gap,
            info->culprit[0] ? ", " : "", info->culprit);
    cli_say_demands(cli, run->drive);
    json_string(&cli->json, "model", cli->argument[0]);
    json_number(&cli->json, "simulated_s", simulated);
    json_number(&cli->json, "seconds", run->seconds);
    json_number(&cli->json, "real_time_factor", factor);
    json_integer(&cli->json, "steps", steps);
    json_number(&cli->json, "step_s", run->step);
    json_integer(&cli->json, "frames", sn_track_frames(cli_recorded(run->recorder)));
    json_boolean(&cli->json, "diverged", run->outcome == SN_DIVERGED);
    json_boolean(&cli->json, "cancelled", run->outcome == SN_CANCELLED);
    json_number(&cli->json, "worst_gap_m", info->worst_gap);
    json_number(&cli->json, "residual", info->residual);
    json_string(&cli->json, "culprit", info->culprit);
    if (!run->replay[0]) return;
    json_string(&cli->json, "replay", run->replay);
    json_string(&cli->json, "table", run->table);
}

/* What to say when the stepping did not reach its end. */
static snStatus explain(snRun *run)
{
    const snStepInfo *info = sn_info(run->state);
    double time = sn_time(run->state);
    const char *kept = run->replay[0] ? "; what came before is kept" : "";
    if (run->outcome == SN_DIVERGED)
        return cli_fail(run->cli, SN_DIVERGED,
                        "the simulation diverged in step %lld, after %.4g s: %s, residual %.3g%s",
                        (long long)llround(time / run->step) + 1, time, info->culprit, info->residual, kept);
    if (run->outcome == SN_CANCELLED) return cli_fail(run->cli, SN_CANCELLED, "stopped at %.4g s%s", time, kept);
    return run->outcome;
}

static snStatus run_command(snCli *cli)
{
    snRun run = {.cli = cli};
    snStatus status = set_up(&run);
    if (status == SN_OK) status = step_through(&run);
    if (status == SN_OK) {
        report(&run);
        status = save(&run);
        if (status == SN_OK) status = explain(&run);
    }
    tear_down(&run);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "OUT", "write OUT.replay.xml and OUT.sto", 0, 0},
    {"time", SN_OPTION_NUMBER, "T", "seconds to simulate (1; with --activations to the end of the file)", 1e-6, 1e6},
    {"step", SN_OPTION_NUMBER, "H", "step in seconds (the model's)", 1e-7, 0.1},
    {"frame-rate", SN_OPTION_NUMBER, "F", "frames a second in the output (50)", 1e-3, 1e6},
    {"activations", SN_OPTION_TEXT, "FILE", "levels over time: .sto or .csv, a column for each muscle or function", 0,
     0},
    {"activation", SN_OPTION_COURSE, "NAME=LEVEL", "activate a muscle, 0 to 1, or NAME=TIME:LEVEL,...; may be repeated",
     0, 1},
    {"function", SN_OPTION_COURSE, "NAME=LEVEL", "activate a function of the model in the same way; may be repeated", 0,
     1},
    {"ramp", SN_OPTION_NUMBER, "S", "seconds in which activations rise to their levels (0)", 0, 1e6},
    {"gravity-scale", SN_OPTION_NUMBER, "X", "multiply gravity (1)", -100, 100},
    {"no-settle", SN_OPTION_FLAG, "", "start from the pose as drawn", 0, 0},
    {"solver", SN_OPTION_CHOICE, "strand|plain", "linear solver: by strands (default) or the plain reference", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_simulate = {
    .name = "simulate",
    .arguments = "MODEL [-o OUT]",
    .about = "Forward dynamics from activations or from named anatomical functions",
    .details =
        "A level may change over time: --function elbow.flexion=0:0,0.1:0.8,0.3:0 rises to 0.8 at 0.1 s and is back "
        "at\n"
        "0 at 0.3 s; levels are linear between the times and held before the first and after the last. A FILE has a\n"
        "column time and columns named by muscle or function (function.NAME, muscle.NAME, or NAME alone where it is\n"
        "unique). What several ask of a muscle is added up and kept at 1 at most.\n"
        "When the simulation diverges, or on Ctrl-C, the replay up to the last good step is kept.",
    .example = "sinew simulate pulley -o lift --time 0.5 --activation rope=0.3",
    .output = "simulated 0.5 s in ... s: ... times real time, 125 steps of 4 ms\n"
              "worst gap of a constraint in the last step: ... mm, ...\n"
              "wrote lift.replay.xml and lift.sto",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run_command,
};
