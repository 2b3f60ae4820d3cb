/* sinew simulate: forward dynamics from activations or from named anatomical functions. */
#include "cache.h"
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How far a run has come; with the state after it, this is what --resume starts from. */
typedef struct Progress {
    int64_t step, frame, frames; /* steps made; index of the last frame due; frames recorded */
    int64_t divided, most;       /* steps that were taken in pieces; the most pieces of one */
    int64_t unresolved;          /* steps of which no piece was short enough */
    double last_recorded;
} Progress;

typedef struct snRun {
    snCli *cli;
    snSpec *spec;
    snModel *model;
    snState *state;
    snRunFile *file; /* NULL without -o */
    snText settings;
    char replay[4096], table[4096]; /* empty without -o */
    snDrive *drive;                 /* what the options ask for */
    snLoads *loads;                 /* the same from outside; NULL: none */
    double time, step, frame_rate, ramp;
    int64_t total; /* steps */
    Progress at;
    int32_t resumed;
    double seconds;
    snStatus outcome; /* of the stepping */
    snError torn;     /* a joint came apart */
} snRun;

/* ---- set-up ------------------------------------------------------------------------------- */

static snStatus check_outputs(snRun *run)
{
    const char *out = cli_option_text(run->cli, "o", NULL);
    if (!out) return SN_OK;
    int a = snprintf(run->replay, sizeof run->replay, "%s%s", out, cli_replay_ending(run->cli));
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
    void *settled = cli_settle(cli, run->spec, run->model, &def);
    snStatus status = sn_state_create(run->model, &def, &run->state, &error);
    sn_kept_free(settled);
    error.status = status;
    if (status != SN_OK) return cli_fail_error(cli, &error);
    run->step = def.step > 0 ? def.step : sn_model_step(run->model);
    return SN_OK;
}

/* Puts the bodies, at rest, where the last pose of a motion has them. */
static snStatus take_pose(snRun *run)
{
    snCli *cli = run->cli;
    const char *name = cli_option_text(cli, "pose", NULL);
    if (!name) return SN_OK;
    snMotionDef def = sn_default_motion_def();
    snPoses *poses = NULL;
    snTargets keys = {0};
    snError error = {0};
    def.model = cli->argument[0];
    snStatus status = cli_fail_file(cli, sn_load_motion_poses(name, &def, &poses, &error), &error, name);
    if (status != SN_OK) return status;
    status = cli_fail_file(cli, sn_targets_create(run->model, poses, 0, &keys, NULL, 0, &error), &error, name);
    if (status == SN_OK)
        status = sn_pose(run->model, run->state, keys.q + (size_t)(keys.nframe - 1) * (size_t)keys.ncoordinate);
    sn_targets_free(&keys);
    sn_poses_destroy(poses);
    return status;
}

/* What drives the muscles, as it was given; of a file its contents. */
static snStatus list_drive(snRun *run)
{
    snCli *cli = run->cli;
    const char *path = cli_option_text(cli, "activations", NULL);
    static const char *const option[] = {"activation", "function"};
    for (int k = 0; k < 2; ++k) {
        text_add(&run->settings, "%s:", option[k]);
        for (int i = 0; cli_option_nth(cli, option[k], i); ++i)
            text_add(&run->settings, " %s", cli_option_nth(cli, option[k], i));
        text_add(&run->settings, "\n");
    }
    if (!path) return SN_OK;
    snTrack *levels = NULL;
    snStatus status = cli_load_table(cli, path, &levels);
    if (status != SN_OK) return status;
    text_add(&run->settings, "activations: %s (%016llx)\n", cli_file_name(path),
             (unsigned long long)sn_hash_track(levels));
    sn_track_destroy(levels);
    return SN_OK;
}

static snStatus list_settings(snRun *run)
{
    snCli *cli = run->cli;
    snText *s = &run->settings;
    snStatus status = cli_list_run(cli, s, "simulate", run->spec);
    if (status != SN_OK) return status;
    text_add_number(s, "step: ", run->step, " s\n");
    text_add_number(s, "frame rate: ", run->frame_rate, " Hz\n");
    text_add_number(s, "ramp: ", run->ramp, " s\n");
    text_add_number(s, "gravity scale: ", cli_option_number(cli, "gravity-scale", 1), "\n");
    text_add(s, "settled: %s\n", cli_given(cli, "no-settle") ? "no" : "yes");
    text_add(s, "pose: %s\n", cli_option_text(cli, "pose", "as drawn"));
    text_add(s, "solver: %s\n", cli_option_text(cli, "solver", "strand"));
    status = list_drive(run);
    if (status == SN_OK) status = cli_list_loads(cli, s);
    return status == SN_OK && !s->text ? SN_NO_MEMORY : status;
}

/* Takes the state and the counts from where an interrupted run had come. */
static snStatus take_up(snRun *run)
{
    size_t size;
    const char *bytes = cli_run_checkpoint(run->file, &size);
    if (!bytes) return SN_OK;
    snStatus status = size < sizeof run->at
                          ? SN_BAD_INPUT
                          : sn_state_load(run->model, run->state, bytes + sizeof run->at, size - sizeof run->at);
    if (status != SN_OK)
        return cli_fail(run->cli, SN_BAD_FILE, "the interrupted run cannot be continued; start again without --resume");
    memcpy(&run->at, bytes, sizeof run->at);
    run->resumed = (int32_t)run->at.frames;
    if (run->at.step <= run->total) return SN_OK;
    return cli_fail(run->cli, SN_BAD_INPUT,
                    "--resume: the interrupted run has reached %.4g s already, but --time is only %.4g s",
                    sn_time(run->state), run->time);
}

static snStatus open_run(snRun *run)
{
    const char *out = cli_option_text(run->cli, "o", NULL);
    bool resume = cli_given(run->cli, "resume");
    if (!out) return resume ? cli_fail(run->cli, SN_USAGE, "--resume needs -o OUT, the run to continue") : SN_OK;
    snStatus status = list_settings(run);
    if (status == SN_OK)
        status = cli_run_open(run->cli, run->model, run->loads, out, run->settings.text, resume, &run->file);
    if (status != SN_OK || !resume) return status;
    if (cli_run_found(run->file)) return take_up(run);
    cli_warn(run->cli, "there is no interrupted run to continue: starting at the beginning");
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
    if (status == SN_OK) status = cli_read_loads(cli, run->model, &run->loads);
    run->time = cli_option_number(cli, "time", end > 0 ? end : 1);
    if (status == SN_OK) status = create_state(run);
    if (status == SN_OK) status = take_pose(run);
    if (status == SN_OK) run->total = (int64_t)ceil(run->time / run->step - 1e-9);
    if (status == SN_OK) status = open_run(run);
    return status;
}

static void tear_down(snRun *run)
{
    text_free(&run->settings);
    sn_drive_destroy(run->drive);
    sn_loads_destroy(run->loads);
    if (run->state) sn_state_destroy(run->state);
    if (run->model) sn_model_destroy(run->model);
    if (run->spec) sn_spec_destroy(run->spec);
}

/* ---- the run ------------------------------------------------------------------------------ */

static snStatus record(snRun *run)
{
    run->at.last_recorded = sn_time(run->state);
    ++run->at.frames;
    if (!run->file) return SN_OK;
    size_t size = sizeof run->at + sn_state_save(run->model, run->state, NULL);
    char *bytes = cli_run_state(run->file, size);
    if (!bytes) return SN_NO_MEMORY;
    memcpy(bytes, &run->at, sizeof run->at);
    (void)sn_state_save(run->model, run->state, bytes + sizeof run->at);
    snStatus status = cli_run_frame(run->file, run->state, sn_time(run->state));
    if (status == SN_OK || !cli_run_error(run->file)->message[0]) return status;
    return cli_fail_error(run->cli, cli_run_error(run->file));
}

/* What acts during the step that ends at this time. */
static snStatus set_inputs(snRun *run, double time)
{
    snView view;
    snStatus status = sn_field(run->model, run->state, "muscle.activation", &view);
    double scale = run->ramp > 0 ? fmin(1, time / run->ramp) : 1;
    if (status != SN_OK) return status;
    (void)sn_drive_at(run->drive, time, view.data);
    sn_loads_apply(run->loads, run->state, time);
    for (int32_t i = 0; scale < 1 && i < view.rows; ++i) view.data[i] *= scale;
    return SN_OK;
}

/* One step; a frame where one is due. */
static snStatus advance(snRun *run)
{
    double after = (double)(run->at.step + 1) * run->step;
    snStatus status = set_inputs(run, after);
    if (status != SN_OK) return status;
    run->outcome = sn_step(run->model, run->state);
    if (run->outcome != SN_OK) return SN_OK;
    ++run->at.step;
    int32_t pieces = sn_info(run->state)->substeps;
    if (sn_info(run->state)->unresolved) ++run->at.unresolved;
    if (pieces > 1) ++run->at.divided;
    if (pieces > run->at.most) run->at.most = pieces;
    run->outcome = sn_check_gaps(run->state, &run->torn);
    if (run->outcome != SN_OK) return SN_OK;
    int64_t due = (int64_t)floor(after * run->frame_rate + 1e-6);
    if (due > run->at.frame) {
        run->at.frame = due;
        status = record(run);
    }
    if (cli_progress(run->cli, "simulate", after, run->time)) run->outcome = SN_CANCELLED;
    return status;
}

/* Steps to the end, to divergence or to Ctrl-C; the state is then at the last good step. A run that is cut short keeps
 * the frame of its last step only if it is not to be continued: such a frame would not be there otherwise. */
static snStatus step_through(snRun *run)
{
    double start = cli_seconds();
    snStatus status = run->at.frames ? SN_OK : record(run);
    while (status == SN_OK && run->outcome == SN_OK && run->at.step < run->total) status = advance(run);
    if (status == SN_OK && run->outcome != SN_CANCELLED && !run->torn.message[0] &&
        sn_time(run->state) > run->at.last_recorded)
        status = record(run);
    run->seconds = cli_seconds() - start;
    return status;
}

static void report(snRun *run)
{
    snCli *cli = run->cli;
    const snStepInfo *info = sn_info(run->state);
    double simulated = sn_time(run->state), factor = run->seconds > 0 ? simulated / run->seconds : 0;
    int64_t steps = (int64_t)llround(simulated / run->step);
    if (run->resumed) cli_say(cli, "continued after frame %d\n", run->resumed);
    cli_say(cli, "simulated %.4g s in %.3g s: %.3g times real time, %lld steps of %g ms\n", simulated, run->seconds,
            factor, (long long)steps, 1000 * run->step);
    if (run->at.divided)
        cli_say(cli,
                "%lld of these steps were too long for what happened in them and were taken in up to %lld pieces\n",
                (long long)run->at.divided, (long long)run->at.most);
    if (run->at.unresolved)
        cli_warn(cli,
                 "in %lld steps something moved too fast even for the shortest pieces: what happened there is not "
                 "resolved; make the muscles weaker or the bodies heavier, or use a smaller step (--step)",
                 (long long)run->at.unresolved);
    cli_say(cli, "worst gap of a constraint in the last step: %.2g mm%s%s\n", 1000 * info->worst_gap,
            info->culprit[0] ? ", " : "", info->culprit);
    cli_say_demands(cli, run->drive);
    json_string(&cli->json, "model", cli->argument[0]);
    json_number(&cli->json, "simulated_s", simulated);
    json_number(&cli->json, "seconds", run->seconds);
    json_number(&cli->json, "real_time_factor", factor);
    json_integer(&cli->json, "steps", steps);
    json_number(&cli->json, "step_s", run->step);
    json_integer(&cli->json, "steps_divided", (int)run->at.divided);
    json_integer(&cli->json, "most_pieces", (int)run->at.most);
    json_integer(&cli->json, "steps_unresolved", (int)run->at.unresolved);
    json_integer(&cli->json, "frames", (int)run->at.frames);
    json_integer(&cli->json, "resumed", run->resumed);
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
    const char *kept = run->replay[0] ? "; everything before it is kept" : "";
    if (run->torn.message[0]) return cli_fail_error(run->cli, &run->torn);
    if (run->outcome == SN_DIVERGED)
        return cli_fail(
            run->cli, SN_DIVERGED,
            "the simulation diverged in step %lld, after %.4g s, even in smaller pieces: %s, residual %.3g; "
            "make the muscles and loads that act there weaker, or the bodies heavier%s",
            (long long)llround(time / run->step) + 1, time, info->culprit, info->residual, kept);
    if (run->outcome == SN_CANCELLED)
        return cli_fail(run->cli, SN_CANCELLED, "stopped at %.4g s%s%s", time, kept,
                        run->file ? "; --resume continues after it" : "");
    if (run->outcome == SN_BAD_INPUT) return cli_fail(run->cli, SN_BAD_INPUT, "at %.4g s: %s", time, info->culprit);
    return run->outcome;
}

static snStatus finish(snRun *run)
{
    snStatus status = run->file ? cli_run_save(run->file, run->replay, run->table) : SN_OK;
    if (status != SN_OK) return status;
    report(run);
    if (run->file) cli_say(run->cli, "wrote %s and %s\n", run->replay, run->table);
    return SN_OK;
}

static snStatus run_command(snCli *cli)
{
    snRun run = {.cli = cli};
    snStatus status = set_up(&run);
    if (status == SN_OK) status = step_through(&run);
    if (status == SN_OK) status = finish(&run);
    bool finished = status == SN_OK && run.outcome != SN_CANCELLED;
    if (status == SN_OK) status = explain(&run);
    cli_run_close(run.file, finished);
    tear_down(&run);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "OUT", "write OUT.replay.xml and OUT.sto", 0, 0},
    CLI_REPLAY_OPTION,
    {"resume", SN_OPTION_FLAG, "", "continue after the last frame of an interrupted run", 0, 0},
    {"time", SN_OPTION_NUMBER, "T", "seconds to simulate (1; with --activations to the end of the file)", 1e-6, 1e6},
    {"step", SN_OPTION_NUMBER, "H", "step in seconds (the model's)", 1e-7, 0.1},
    {"frame-rate", SN_OPTION_NUMBER, "F", "frames a second in the output (50)", 1e-3, 1e6},
    {"activations", SN_OPTION_TEXT, "FILE", "levels over time: .sto or .csv, a column for each muscle or function", 0,
     0},
    {"activation", SN_OPTION_COURSE, "NAME=LEVEL", "activate a muscle, 0 to 1, or NAME=TIME:LEVEL,...; may be repeated",
     0, 1},
    {"function", SN_OPTION_COURSE, "NAME=LEVEL", "activate a function of the model in the same way; may be repeated", 0,
     1},
    {"load", SN_OPTION_TEXT, "BODY=X,Y,Z",
     "a force in N, in the axes of the drawn pose, turning with the body; BODY=2kg, grip=10", 0, 0},
    CLI_LOADS_OPTION,
    {"pose", SN_OPTION_TEXT, "MOTION", "start at rest from the last pose of this motion, a file or a name", 0, 0},
    {"ramp", SN_OPTION_NUMBER, "S", "seconds in which activations rise to their levels (0)", 0, 1e6},
    {"gravity-scale", SN_OPTION_NUMBER, "X", "multiply gravity (1)", -100, 100},
    {"no-settle", SN_OPTION_FLAG, "", "start from the pose as drawn", 0, 0},
    {"solver", SN_OPTION_CHOICE, "strand|plain", "linear solver: by strands (default) or the plain reference", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_simulate = {
    .name = "simulate",
    .arguments = "MODEL [-o OUT]",
    .about = "Simulate forward from activations or named anatomical functions",
    .details = "A level may change over time: --function elbow.flexion=0:0,0.1:0.8,0.3:0 rises to 0.8 at 0.1 s and is "
               "back at 0 at\n"
               "0.3 s; levels are linear between the times and held before the first and after the last. A FILE has a "
               "column time\n"
               "and columns named by muscle or function (function.NAME, muscle.NAME, or NAME alone if it is unique). "
               "Levels from\n"
               "several sources add up, to 1 at most.\n"
               "If the simulation diverges, or on Ctrl-C, the replay up to the last good step is kept. While it runs, "
               "every finished\n"
               "frame is in OUT.resume; after an interruption run the same command with --resume: it continues after "
               "the last frame\n"
               "kept, and the result is the same bit for bit.",
    .example = "sinew simulate pulley -o lift --time 0.5 --activation rope=0.3",
    .output = "simulated 0.5 s in ... s: ... times real time, 125 steps of 4 ms\n"
              "worst gap of a constraint in the last step: ... mm, ...\n"
              "wrote lift.replay.xml and lift.sto",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run_command,
};
