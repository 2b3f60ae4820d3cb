/* sinew track: activations that make a model follow a motion, and the strand motion that results.
 * One file, because it is one command: its options, its run, its report. */
#include "cache.h"
#include "clinic.h"
#include "coordinates.h"
#include "result.h"
#include "track_converge.h"
#include "track_report.h"
#include "track_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double KEY_POSE_RATE = 50; /* frames a second where the motion has none of its own: 5 steps of 4 ms each */
static const double RISE_TIME = 0.010, FALL_TIME = 0.040; /* s, of activation [Winters 1995] */
static const double RAD_TO_DEG = 57.29577951308232;

typedef struct snRun {
    snCli *cli;
    snSpec *spec;
    snModel *model;
    snTrack *motion;
    snRunFile *file;
    snText settings;
    snMotionSource source;
    snFollowDef def;
    snFollowReport report;
    snConverge converge;
    double *strength;
    snLoads *loads;
    void *settled; /* of the cache */
    snTracked out;
    bool complete;    /* --resume found nothing left to do */
    snStatus outcome; /* of the tracking */
    snError error;
} snRun;

/* ---- options ------------------------------------------------------------------------------ */

static bool read_index(const char *text, const char *end, double *value)
{
    char *stop;
    if (text == end) return true; /* left out */
    *value = strtod(text, &stop);
    return stop == end && *value >= 0 && *value == floor(*value) && *value < 1e9;
}

/* --frames a:b counts frames of the result from 0, both ends included; either may be left out. */
static snStatus read_frames(snRun *run, double rate)
{
    const char *text = cli_option_text(run->cli, "frames", NULL);
    if (!text) return SN_OK;
    if (cli_given(run->cli, "start") || cli_given(run->cli, "end"))
        return cli_fail(run->cli, SN_USAGE,
                        "--frames and --start or --end are two ways to choose a range: give one of them");
    const char *colon = strchr(text, ':');
    double first = 0, last = -1;
    if (!colon || !read_index(text, colon, &first) || !read_index(colon + 1, text + strlen(text), &last))
        return cli_fail(run->cli, SN_USAGE, "--frames needs FIRST:LAST, such as 20:60, not '%s'", text);
    if (colon[1] && last < first)
        return cli_fail(run->cli, SN_USAGE, "--frames %s: the last frame comes before the first", text);
    double begin = sn_track_time(run->motion, 0),
           length = sn_track_time(run->motion, sn_track_frames(run->motion) - 1) - begin;
    double there = sn_frame_count(length, rate) - 1;
    if (first > there || last > there)
        return cli_fail(run->cli, SN_BAD_INPUT, "--frames %s: the motion has frames 0 to %.0f at %g frames/s", text,
                        there, rate);
    run->def.start = begin + first / rate;
    run->def.end = colon[1] ? begin + last / rate + 1e-9 : 0; /* a hair more, so that one frame is a range too */
    return SN_OK;
}

static snStatus read_range(snRun *run)
{
    snCli *cli = run->cli;
    int32_t n = sn_track_frames(run->motion);
    double begin = sn_track_time(run->motion, 0), end = sn_track_time(run->motion, n - 1);
    double rate = run->source.frame_rate > 0 ? run->source.frame_rate : KEY_POSE_RATE;
    rate = cli_option_number(cli, "frame-rate", fmin(fmax(rate, 24), 240));
    run->def.frame_rate = rate;
    run->def.start = cli_option_number(cli, "start", begin);
    run->def.end = cli_option_number(cli, "end", end);
    if (run->def.start < begin || run->def.start > end || (cli_given(cli, "end") && run->def.end < run->def.start))
        return cli_fail(cli, SN_BAD_INPUT,
                        "the range %g to %g s does not lie within the motion, which goes from %g to %g s",
                        run->def.start, run->def.end, begin, end);
    return read_frames(run, rate);
}

static snStatus read_weights(snRun *run)
{
    const char *text = cli_option_text(run->cli, "weights", NULL);
    snFollowerDef *t = &run->def.follower;
    if (!text) return SN_OK;
    char *end;
    t->activation_weight = strtod(text, &end);
    bool fine = end != text && *end == ',';
    const char *second = end + (*end == ',');
    t->smoothness_weight = strtod(second, &end);
    fine = fine && end != second && !*end && t->activation_weight >= 0 && t->smoothness_weight >= 0;
    fine = fine && t->activation_weight < 1e6 && t->smoothness_weight < 1e6;
    if (fine) return SN_OK;
    return cli_fail(run->cli, SN_USAGE, "--weights needs ACTIVATION,SMOOTHNESS, two numbers of 0 or more, not '%s'",
                    text);
}

static snStatus read_settings(snRun *run)
{
    snCli *cli = run->cli;
    run->def = sn_default_follow_def();
    run->def.sim.step = cli_option_number(cli, "step", 0);
    if (cli_given(cli, "threads")) run->def.sim.threads = cli->threads;
    run->def.follower.feedback = cli_option_number(cli, "feedback", run->def.follower.feedback);
    run->def.keep_input_motion = cli_given(cli, "keep-input-motion");
    run->def.follower.cost_by_volume = cli_given(cli, "cost-by-volume");
    if (cli_given(cli, "activation-dynamics"))
        run->def.follower.rise_time = RISE_TIME, run->def.follower.fall_time = FALL_TIME;
    run->def.progress = cli_progress_callback(cli);
    run->def.model_name = cli->argument[0];
    return read_weights(run);
}

/* ---- set-up ------------------------------------------------------------------------------- */

static snStatus load_motion(snRun *run)
{
    snMotionDef def = sn_default_motion_def();
    snError error = {0};
    def.model = run->cli->argument[0];
    def.bvh_map = cli_option_text(run->cli, "bvh-map", NULL);
    def.source = &run->source;
    snStatus status = sn_load_motion(run->model, run->cli->argument[1], &def, &run->motion, &error);
    error.status = status;
    if (status != SN_OK) return cli_fail_error(run->cli, &error);
    cli_say_match(run->cli, &run->source);
    return SN_OK;
}

/* What makes this run this run: nothing of it may change between an interruption and --resume. */
static snStatus list_settings(snRun *run)
{
    const snFollowerDef *t = &run->def.follower;
    snText *s = &run->settings;
    snStatus status = cli_list_run(run->cli, s, "track", run->spec);
    if (status != SN_OK) return status;
    text_add(s, "motion: %s (%016llx)\n", cli_file_name(run->source.path),
             (unsigned long long)sn_hash_track(run->motion));
    text_add_number(s, "start: ", run->def.start, " s\n");
    text_add_number(s, "frame rate: ", run->def.frame_rate, " Hz\n");
    text_add_number(s, "step: ", run->def.sim.step > 0 ? run->def.sim.step : sn_model_step(run->model), " s\n");
    text_add_number(s, "weights: ", t->activation_weight, ",");
    text_add_number(s, "", t->smoothness_weight, "\n");
    text_add_number(s, "feedback: ", t->feedback, " 1/s\n");
    if (t->rise_time > 0) text_add(s, "activation dynamics: %g s up, %g s down\n", t->rise_time, t->fall_time);
    if (t->cost_by_volume) text_add(s, "cost of activation: by volume\n");
    text_add(s, "keep input motion: %s\nstrength:", run->def.keep_input_motion ? "yes" : "no");
    bool full = true;
    for (int32_t i = 0; i < sn_count(run->model, SN_ITEM_MUSCLE); ++i) {
        if (run->strength[i] == 1) continue;
        text_add(s, " %s=", sn_name(run->model, SN_ITEM_MUSCLE, i));
        text_add_number(s, "", run->strength[i], "");
        full = false;
    }
    text_add(s, full ? " full\n" : "\n");
    status = cli_list_loads(run->cli, s);
    return status == SN_OK && !s->text ? SN_NO_MEMORY : status;
}

/* Frames of this run, the first one included. As sn_follow_frames counts them. */
static int32_t frame_count(const snRun *run)
{
    double last = sn_track_time(run->motion, sn_track_frames(run->motion) - 1);
    double end = run->def.end > run->def.start ? fmin(last, run->def.end) : last;
    return sn_frame_count(end - run->def.start, run->def.frame_rate);
}

/* No interrupted run: either it is complete, which its report tells, or there is none. */
static snStatus look_for_whole_run(snRun *run)
{
    int32_t frames = 0;
    snStatus status = cli_report_matches(run->cli, run->out.path[2], run->settings.text, &frames);
    if (status != SN_OK) return status;
    bool there = frames > 0 && cli_file_size(run->out.path[0]) > 0 && cli_file_size(run->out.path[1]) > 0;
    if (there && frames > frame_count(run))
        return cli_fail(run->cli, SN_BAD_INPUT, "--resume: %s has %d frames already, but the range has only %d",
                        run->out.path[0], frames, frame_count(run));
    run->complete = there && frames == frame_count(run);
    if (run->complete)
        cli_say(run->cli, "%s has all %d frames already: nothing was simulated\n", run->out.path[0], frames);
    else
        cli_warn(run->cli, "there is no interrupted run to continue: starting at the beginning");
    json_integer(&run->cli->json, "resumed", run->complete ? frames : 0);
    return SN_OK;
}

static snStatus open_run(snRun *run)
{
    bool resume = cli_given(run->cli, "resume");
    const char *out = cli_option_text(run->cli, "o", NULL);
    snStatus status = list_settings(run);
    if (status == SN_OK)
        status = cli_run_open(run->cli, run->model, run->loads, out, run->settings.text, resume, &run->file);
    if (status != SN_OK || !resume) return status;
    if (!cli_run_found(run->file)) return look_for_whole_run(run);
    if (cli_run_frames(run->file) > frame_count(run))
        return cli_fail(run->cli, SN_BAD_INPUT,
                        "--resume: the interrupted run has %d frames already, but the range has only %d",
                        cli_run_frames(run->file), frame_count(run));
    run->def.checkpoint = cli_run_checkpoint(run->file, &run->def.checkpoint_size);
    return SN_OK;
}

static snStatus keep_frame(void *user, const snFollow *follow, snState *state, double time)
{
    snRun *run = user;
    void *bytes = cli_run_state(run->file, sn_follow_save(follow, NULL));
    if (!bytes) return SN_NO_MEMORY;
    (void)sn_follow_save(follow, bytes);
    snStatus status = converge_note(&run->converge, 0, run->model, state);
    return status == SN_OK ? cli_run_frame(run->file, state, time) : status;
}

static snStatus prepare_converge(snRun *run)
{
    if (cli_given(run->cli, "resume"))
        return cli_fail(run->cli, SN_USAGE, "--converge compares whole runs: leave out --resume");
    return converge_create(&run->converge, run->cli, run->model, frame_count(run));
}

static snStatus set_up(snRun *run)
{
    snStatus status = cli_track_outputs(run->cli, run->out.path);
    if (status == SN_OK) status = read_settings(run);
    if (status == SN_OK) status = cli_compile_model(run->cli, run->cli->argument[0], &run->spec, &run->model);
    if (status == SN_OK) status = cli_read_strengths(run->cli, run->model, &run->strength);
    run->def.strength = run->strength;
    if (status == SN_OK) status = cli_read_loads(run->cli, run->model, &run->loads);
    run->def.loads = run->loads;
    if (status == SN_OK) status = load_motion(run);
    if (status == SN_OK) status = read_range(run);
    if (status == SN_OK && cli_given(run->cli, "converge")) status = prepare_converge(run);
    if (status == SN_OK) status = open_run(run);
    if (status == SN_OK && !run->complete) run->settled = cli_settle(run->cli, run->spec, run->model, &run->def.sim);
    run->def.frame = keep_frame;
    run->def.user = run;
    return status;
}

static void tear_down(snRun *run)
{
    free(run->strength);
    sn_loads_destroy(run->loads);
    sn_kept_free(run->settled);
    converge_free(&run->converge);
    sn_follow_report_free(&run->report);
    if (run->motion) sn_track_destroy(run->motion);
    text_free(&run->settings);
    if (run->model) sn_model_destroy(run->model);
    if (run->spec) sn_spec_destroy(run->spec);
}

/* ---- what came out ------------------------------------------------------------------------ */

/* One clamped coordinate in words; false where it kept its range. */
static bool clamped_text(const snRun *run, int32_t c, char *text, size_t size)
{
    double by = run->report.clamped[c];
    if (by <= 1e-3) return false; /* as sn_follow counts */
    bool angle = !sn_coordinate_slides(run->model, c);
    (void)snprintf(text, size, "%s by up to %.3g %s", sn_coordinate_title(run->model, c),
                   angle ? by * RAD_TO_DEG : 1000 * by, angle ? "degrees" : "mm");
    return true;
}

static void warn_clamped(snRun *run)
{
    char text[240];
    for (int32_t c = 0; run->report.clamped && c < sn_count(run->model, SN_ITEM_COORDINATE); ++c)
        if (clamped_text(run, c, text, sizeof text))
            cli_warn(run->cli, "the motion leaves the range of %s; the target was clamped to it", text);
}

static void add_row(snText *t, const char *name, const snFollowBody *body)
{
    text_add(t, "%-20s %9.3f %9.3f %9.3f %9.3f\n", name, 1000 * body->mean, 1000 * body->rms, 1000 * body->worst,
             body->worst_time);
}

static void write_report(snRun *run, snText *t)
{
    const snFollowReport *r = &run->report;
    text_add(t, "# Tracking error over the vertices of each bone, mm, and when it was worst, s\n");
    text_add(t, "# model %s, motion %s\n", run->cli->argument[0], run->source.path);
    text_add(t, "%-20s %9s %9s %9s %9s\n", "body", "mean", "rms", "worst", "at");
    add_row(t, "all", &r->all);
    if (r->clamped_targets) add_row(t, "all, within ranges", &r->within);
    for (int32_t b = 0; b < r->nbody; ++b)
        if (r->body[b].worst > 0) add_row(t, sn_name(run->model, SN_ITEM_BODY, b), &r->body[b]);
    text_add(t, "\nsimulated                   %.4f s\ncomputed in                 %.4f s (%.2f times real time)\n",
             r->simulated, r->seconds, r->real_time_factor);
    cli_track_lines(&run->out, t);
    char text[240];
    for (int32_t c = 0; c < sn_count(run->model, SN_ITEM_COORDINATE); ++c)
        if (clamped_text(run, c, text, sizeof text)) text_add(t, "clamped                     %s\n", text);
    if (r->wrong_sides) text_add(t, "on the wrong side           %d frames, first %s\n", r->wrong_sides, r->wrong_side);
    if (r->diverged) text_add(t, "diverged                    %s\n", r->culprit);
    converge_report(&run->converge, run->model, t);
    cli_track_settings(&run->out, t);
}

static snStatus save(snRun *run)
{
    snText text = {0};
    snStatus status = cli_run_save(run->file, run->out.path[0], run->out.path[1]);
    if (status != SN_OK) return status;
    write_report(run, &text);
    status = text.text ? cli_save_text(run->cli, run->out.path[2], text.text) : SN_NO_MEMORY;
    text_free(&text);
    return status;
}

static void json_bodies(snRun *run)
{
    snJson *json = &run->cli->json;
    const snFollowReport *r = &run->report;
    json_open(json, "bodies", '[');
    for (int32_t b = 0; b < r->nbody; ++b) {
        if (r->body[b].worst <= 0) continue;
        json_open(json, NULL, '{');
        json_string(json, "name", sn_name(run->model, SN_ITEM_BODY, b));
        json_number(json, "mean_error_mm", 1000 * r->body[b].mean);
        json_number(json, "rms_error_mm", 1000 * r->body[b].rms);
        json_number(json, "worst_error_mm", 1000 * r->body[b].worst);
        json_number(json, "worst_time_s", r->body[b].worst_time);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "clamped", '[');
    for (int32_t c = 0; c < sn_count(run->model, SN_ITEM_COORDINATE); ++c)
        if (r->clamped[c] > 1e-3) json_string(json, NULL, sn_name(run->model, SN_ITEM_COORDINATE, c));
    json_close(json, ']');
}

/* What the report holds, as all ways to track hold it. */
static void gather(snRun *run)
{
    const snFollowReport *r = &run->report;
    snTracked *t = &run->out;
    t->cli = run->cli, t->model = run->model, t->trust = &r->trust, t->settings = run->settings.text;
    t->motion = run->source.path, t->method = "strands", t->culprit = r->culprit;
    t->frames = r->frames, t->resumed = r->resumed, t->frame_rate = run->def.frame_rate, t->simulated = r->simulated;
    t->seconds = r->seconds, t->real_time_factor = r->real_time_factor, t->diverged = r->diverged;
    t->activation_step_rms = r->activation_step_rms, t->cancelled = run->outcome == SN_CANCELLED;
}

static void tell(snRun *run)
{
    snCli *cli = run->cli;
    const snFollowReport *r = &run->report;
    cli_track_say(&run->out);
    cli_say(cli, "error of the bones: mean %.3f mm, rms %.3f mm, worst %.3f mm at %.3f s%s\n", 1000 * r->all.mean,
            1000 * r->all.rms, 1000 * r->all.worst, r->all.worst_time,
            run->def.keep_input_motion ? "; the replay has them on the motion itself" : "");
    if (r->clamped_targets)
        cli_say(cli, "against the motion within the ranges: mean %.3f mm, rms %.3f mm, worst %.3f mm at %.3f s\n",
                1000 * r->within.mean, 1000 * r->within.rms, 1000 * r->within.worst, r->within.worst_time);
    cli_say(cli, "largest activation %.3f, rms change %.5f per step\n", r->max_activation, r->activation_step_rms);
    cli_track_json(&run->out);
    json_number(&cli->json, "rms_error_mm", 1000 * r->all.rms);
    json_number(&cli->json, "worst_time_s", r->all.worst_time);
    json_number(&cli->json, "mean_error_within_mm", 1000 * r->within.mean);
    json_number(&cli->json, "rms_error_within_mm", 1000 * r->within.rms);
    json_number(&cli->json, "worst_error_within_mm", 1000 * r->within.worst);
    json_integer(&cli->json, "clamped_targets", r->clamped_targets);
    json_integer(&cli->json, "wrong_sides", r->wrong_sides);
    json_bodies(run);
}

static snStatus finish(snRun *run)
{
    snCli *cli = run->cli;
    warn_clamped(run);
    if (run->report.wrong_sides)
        cli_warn(cli, "%d frames have a strand on the wrong side of its surface, first %s", run->report.wrong_sides,
                 run->report.wrong_side);
    snStatus status = save(run);
    if (status != SN_OK) return status;
    tell(run);
    converge_tell(&run->converge, run->model);
    cli_track_warn(&run->out);
    cli_say(cli, "wrote %s, %s and %s\n", run->out.path[0], run->out.path[1], run->out.path[2]);
    return SN_OK;
}

static snStatus run_command(snCli *cli)
{
    snTrackWay way = cli_track_way(cli);
    if (way == CLI_TRACK_BODY) return cli_track_body(cli);
    if (way == CLI_TRACK_CLINICAL) return cli_track_tree(cli);
    snRun run = {.cli = cli};
    bool finished = false;
    snStatus status = cli_track_refuse(cli, CLI_TRACK_STRANDS);
    if (status == SN_OK) status = set_up(&run);
    if (status == SN_OK && !run.complete) {
        run.outcome = sn_follow_frames(run.model, run.motion, &run.def, &run.report, &run.error);
        if (run.outcome == SN_OK && run.converge.room > 0)
            run.outcome = converge_run(&run.converge, run.model, run.motion, &run.def, &run.report, &run.error);
        gather(&run);
        if (cli_run_frames(run.file) > 0 && run.outcome != SN_WRITE_FAILED) status = finish(&run);
        finished = status == SN_OK && (run.outcome == SN_OK || run.outcome == SN_DIVERGED);
        if (!run.error.message[0] && run.outcome != SN_OK) run.error = *cli_run_error(run.file);
        if (status == SN_OK) status = cli_track_verdict(&run.out, run.outcome, &run.error);
    }
    cli_run_close(run.file, finished);
    tear_down(&run);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "OUT", "write OUT.replay.xml, OUT.sto and OUT.report.txt", 0, 0},
    CLI_REPLAY_OPTION,
    {"frames", SN_OPTION_TEXT, "FIRST:LAST",
     "only these frames of the result, counted from 0; leave out either for all before or after", 0, 0},
    {"start", SN_OPTION_NUMBER, "S", "begin at this time of the motion", -1e9, 1e9},
    {"end", SN_OPTION_NUMBER, "S", "end at this time of the motion", -1e9, 1e9},
    {"frame-rate", SN_OPTION_NUMBER, "F", "frames a second in the result (that of the motion; 50 for key poses)", 1,
     1000},
    {"step", SN_OPTION_NUMBER, "H", "largest step in seconds (the model's)", 1e-5, 0.02},
    {"converge", SN_OPTION_FLAG, "", "run again at half the step and report what changes", 0, 0},
    {"keep-input-motion", SN_OPTION_FLAG, "", "keep the bones exactly on the input motion", 0, 0},
    {"strength", SN_OPTION_PAIR, "MUSCLE=LEVEL",
     "weaken a muscle, or all of a pattern such as 'FDP*', 0 to 1; may be repeated", 0, 1},
    {"weights", SN_OPTION_TEXT, "A,S", "what activation and its change cost, relative to tracking (5e-4,1e-2)", 0, 0},
    {"cost-by-volume", SN_OPTION_FLAG, "", "weigh the cost of activation by the volume of the muscle", 0, 0},
    {"activation-dynamics", SN_OPTION_FLAG, "",
     "let activations rise and fall only with time constants of 10 and 40 ms", 0, 0},
    {"feedback", SN_OPTION_NUMBER, "K", "how fast an error is corrected, 1/s (100)", 0, 1000},
    {"bvh-map", SN_OPTION_TEXT, "FILE", "from the joints of a BVH or glTF to those of the model (the model's own)", 0,
     0},
    CLI_STRICT_OPTION,
    {"resume", SN_OPTION_FLAG, "", "continue after the last frame of an interrupted run", 0, 0},
    {"method", SN_OPTION_CHOICE, "torque|step|paper|body",
     "on a tree: torques, the pose a step ahead, [Tsang 2005], or all muscles and passive joints (what the model's "
     "attribute method says)",
     0, 0},
    {"control-rate", SN_OPTION_NUMBER, "F",
     "on a tree: how often activations are chosen, Hz (every step; step: 24; body: 143)", 1, 1000},
    {"keys-only", SN_OPTION_FLAG, "", "on a tree: find activations for the keys alone, straight lines between", 0, 0},
    {"fatigue", SN_OPTION_FLAG, "", "on a tree: muscles tire as they work", 0, 0},
    {"repeat", SN_OPTION_COUNT, "N", "on a tree: do the motion N times", 1, 10000},
    {"rest", SN_OPTION_NUMBER, "S", "on a tree: seconds of rest between repetitions", 0, 1e5},
    CLI_VARY_OPTION,
    CLI_SEED_OPTION,
    {"draw", SN_OPTION_COUNT, "N", "which of the models that --vary makes; 0: the unchanged one (see sinew sweep)", 0,
     1e6},
    {"coactivation", SN_OPTION_PAIR, "PART=X", "body: co-contract the muscles of a part; may be repeated", 0, 100},
    {"breathing", SN_OPTION_TEXT, "DEG[:S]", "body: breathe while moving: angle of the ribs, seconds a breath (4)", 0,
     0},
    {"sensor", SN_OPTION_NUMBER, "R", "body: how fast loads are felt, 1/s (at once)", 1e-3, 1e6},
    {"inverse", SN_OPTION_CHOICE, "step|paper", "body: torques by inverting the step (step) or as in [Lee 2009]", 0, 0},
    {"relax", SN_OPTION_NUMBER, "E",
     "body: slack in the torques; small is exact but saturates muscles where they are out of reach (0.1)", 1e-6, 100},
    {"activation", SN_OPTION_COURSE, "NAME=LEVEL",
     "body: stay near this activation, or NAME=TIME:LEVEL,...; may be repeated", 0, 1},
    {"function", SN_OPTION_COURSE, "NAME=LEVEL", "body: the same for a function of the model", 0, 1},
    {"activations", SN_OPTION_TEXT, "FILE", "body: the same from a .sto or .csv", 0, 0},
    CLINIC_MORE_OPTIONS,
    CLI_LOADS_OPTION,
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_track = {
    .name = "track",
    .arguments = "MODEL MOTION -o OUT",
    .about = "Find the activations that make a model follow a motion, and the strand motion that results",
    .details =
        "MOTION is the name of a motion shipped with the model, or a file: key poses (*.pose.csv with the columns time "
        "and\n"
        "joint.coordinate in degrees), a *.bvh, a glTF animation (*.glb, *.gltf), a *.control.xml or a replay\n"
        "(*.replay.xml, .xml.gz or .bin). Targets outside the range of a joint are clamped to it, and named. If the "
        "simulation\n"
        "diverges, or on Ctrl-C, the frames that are finished are kept.\n"
        "While it runs, every finished frame is in OUT.resume. After Ctrl-C, a crash or a power failure run the same "
        "command\n"
        "with --resume: it continues after the last frame kept, and the result is the same bit for bit. All settings "
        "must be\n"
        "the same; differences are named.\n"
        "--load adds a force that the motion has to carry: dp2@tip=0,0,5 pushes the tip of a bone with 5 N along the Z "
        "axis\n"
        "of the scene as drawn and turns with the bone, hand:world=0,-20,0 keeps its direction, hand=2kg is a weight, "
        "grip=10\n"
        "is an object that presses every digit with 10 N, and grip=0:0/1:10 does so over time. See docs/loads.md.",
    .example = "sinew track hand fist -o out",
    .output = "171 frames, 3.4 s simulated in ... s: ... times real time\n"
              "error of the bones: mean 0.001 mm, rms 0.004 mm, worst 0.023 mm at 2.740 s\n"
              "largest activation 0.118, rms change 0.00036 per step\n"
              "wrote out.replay.xml, out.sto and out.report.txt",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run_command,
};
