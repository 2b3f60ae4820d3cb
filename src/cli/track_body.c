/* sinew track --method body, for models on a tree: activations of all muscles by one program a step. */
#include "body_options.h"
#include "track_tree.h"

#include "result.h"
#include "track_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREES = 57.29577951308232;

typedef struct BodyRun {
    snCli *cli;
    snSpec *spec;
    snModel *model;
    snPoses *poses;
    snDrive *drive;
    double *strength;
    snMotionSource source;
    snSteerDef def;
    snSteerReport report;
    snBodyOptions options;
    snRunFile *file;
    snText settings;
    snTracked out;
    snStatus outcome;
    snError error;
} BodyRun;

/* ---- options -------------------------------------------------------------------------------- */

static void read_settings(BodyRun *r)
{
    snCli *cli = r->cli;
    double feedback = cli_option_number(cli, "feedback", 10);
    r->def = sn_default_steer_def();
    r->def.step = cli_option_number(cli, "step", 0);
    r->def.frame_rate = cli_option_number(cli, "frame-rate", 24);
    r->def.control_rate = cli_option_number(cli, "control-rate", 0);
    r->def.relaxation = cli_option_number(cli, "relax", r->def.relaxation);
    r->def.sensor = cli_option_number(cli, "sensor", 0);
    r->def.stiffness = feedback * feedback, r->def.damping = 2 * feedback;
    r->def.paper = strcmp(cli_option_text(cli, "inverse", "step"), "paper") == 0;
    r->def.start = cli_option_number(cli, "start", 0), r->def.end = cli_option_number(cli, "end", 0);
    r->def.progress = cli_progress_callback(cli);
}

static snStatus load_motion(BodyRun *r)
{
    snMotionDef motion = sn_default_motion_def();
    snError error = {0};
    motion.model = r->cli->argument[0], motion.source = &r->source, motion.compiled = r->model;
    motion.bvh_map = cli_option_text(r->cli, "bvh-map", NULL);
    snStatus status = sn_load_motion_poses(r->cli->argument[1], &motion, &r->poses, &error);
    if (status == SN_OK) cli_say_bones(r->cli, &r->source);
    return cli_fail_file(r->cli, status, &error, r->cli->argument[1]);
}

/* ---- the run -------------------------------------------------------------------------------- */

static snStatus list_settings(BodyRun *r)
{
    static const char *const option[] = {"step",         "frame-rate", "start",    "end",        "feedback",
                                         "control-rate", "sensor",     "relax",    "inverse",    "coactivation",
                                         "breathing",    "load",       "strength", "activation", "function"};
    snStatus status = cli_list_run(r->cli, &r->settings, "track", r->spec);
    if (status != SN_OK) return status;
    cli_list_file(&r->settings, "motion", r->source.path);
    cli_list_file(&r->settings, "bvh-map", cli_option_text(r->cli, "bvh-map", NULL));
    cli_list_file(&r->settings, "activations", cli_option_text(r->cli, "activations", NULL));
    cli_list_file(&r->settings, "breath", r->options.breath ? r->options.breath_source.path : NULL);
    cli_list_options(r->cli, &r->settings, option, sizeof option / sizeof *option);
    return r->settings.text ? SN_OK : SN_NO_MEMORY;
}

static snStatus keep_frame(void *user, const snSteer *run, snState *state, double time)
{
    BodyRun *r = user;
    void *bytes = cli_run_state(r->file, sn_steer_save(run, NULL));
    if (!bytes) return SN_NO_MEMORY;
    (void)sn_steer_save(run, bytes);
    return cli_run_frame(r->file, state, time);
}

static snStatus open_run(BodyRun *r)
{
    bool resume = cli_given(r->cli, "resume");
    const char *out = cli_option_text(r->cli, "o", NULL);
    snStatus status = list_settings(r);
    if (status == SN_OK) status = cli_run_open(r->cli, r->model, NULL, out, r->settings.text, resume, &r->file);
    if (status == SN_OK && resume && !cli_run_found(r->file))
        cli_warn(r->cli, "there is no interrupted run to continue: starting at the beginning");
    if (status == SN_OK && resume) r->def.checkpoint = cli_run_checkpoint(r->file, &r->def.checkpoint_size);
    r->def.frame = keep_frame, r->def.user = r;
    return status;
}

static snStatus set_up(BodyRun *r)
{
    snStatus status = cli_track_refuse(r->cli, CLI_TRACK_BODY);
    if (status == SN_OK) status = cli_track_outputs(r->cli, r->out.path);
    read_settings(r);
    if (status == SN_OK) status = cli_compile_model(r->cli, r->cli->argument[0], &r->spec, &r->model);
    if (status == SN_OK) status = load_motion(r);
    if (status == SN_OK) status = cli_read_body_options(r->cli, r->model, &r->options, &r->def);
    if (status == SN_OK) status = cli_read_strengths(r->cli, r->model, &r->strength);
    r->def.strength = r->strength;
    if (status == SN_OK &&
        (cli_given(r->cli, "activation") || cli_given(r->cli, "function") || cli_given(r->cli, "activations")))
        status = cli_read_drive(r->cli, r->spec, r->model, &r->drive, NULL);
    r->def.drive = r->drive;
    return status == SN_OK ? open_run(r) : status;
}

/* ---- what came out -------------------------------------------------------------------------- */

static const char *coordinate_name(const BodyRun *r, int32_t i)
{
    return i >= 0 ? sn_name(r->model, SN_ITEM_COORDINATE, i) : "none";
}

static void tell_clamped(BodyRun *r)
{
    json_open(&r->cli->json, "clamped", '[');
    for (int32_t i = 0; i < sn_count(r->model, SN_ITEM_COORDINATE); ++i) {
        if (!(r->report.clamped[i] > 0)) continue;
        json_string(&r->cli->json, NULL, coordinate_name(r, i));
        cli_warn(r->cli, "the motion leaves the range of %s by up to %.3g degrees; the target was clamped to it",
                 coordinate_name(r, i), DEGREES * r->report.clamped[i]);
    }
    json_close(&r->cli->json, ']');
}

/* Targets of bodies: how far off the joints end at best, how far the body was off. */
static void tell_aims(BodyRun *r)
{
    static const double FAR = 1e-3; /* m or rad */
    snJson *json = &r->cli->json;
    json_open(json, "targets", '[');
    for (int32_t k = 0; k < r->report.naim; ++k) {
        const snSteerAim *a = &r->report.aim[k];
        double scale = a->turns ? DEGREES : 1e3;
        const char *unit = a->turns ? "degrees" : "mm";
        cli_say(r->cli, "%s: missed by up to %.3g %s\n", a->name, scale * a->error, unit);
        if (a->unreachable > FAR)
            cli_warn(r->cli, "%s is out of reach by up to %.3g %s; joints end as near as their ranges allow", a->name,
                     scale * a->unreachable, unit);
        json_open(json, NULL, '{');
        json_string(json, "target", a->name);
        json_number(json, a->turns ? "error_rad" : "error_m", a->error);
        json_number(json, a->turns ? "unreachable_rad" : "unreachable_m", a->unreachable);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* What the report holds, as all ways to track hold it. */
static void gather(BodyRun *r)
{
    const snSteerReport *p = &r->report;
    snTracked *t = &r->out;
    t->cli = r->cli, t->model = r->model, t->trust = &p->trust, t->settings = r->settings.text;
    t->motion = r->source.path, t->method = "body", t->culprit = p->culprit, t->frames = p->frames;
    t->resumed = p->resumed, t->frame_rate = r->def.frame_rate, t->simulated = p->simulated, t->seconds = p->seconds;
    t->real_time_factor = p->real_time_factor, t->activation_step_rms = p->activation_step_rms;
    t->diverged = p->diverged, t->cancelled = r->outcome == SN_CANCELLED;
}

static void tell(BodyRun *r)
{
    snCli *cli = r->cli;
    snJson *json = &cli->json;
    const snSteerReport *p = &r->report;
    const snTrust *t = &p->trust;
    cli_track_say(&r->out);
    cli_say(cli, "error: mean %.2g rad, worst %.3g rad (%s at %.2f s)\n", t->mean_angle, t->worst_angle,
            coordinate_name(r, t->worst_angle_coordinate), t->worst_angle_time);
    cli_say(cli, "largest activation %.3f, worst missing torque %.3g N m (%s)\n", t->max_activation, t->unmet_torque,
            coordinate_name(r, t->unmet_coordinate));
    cli_track_json(&r->out);
    json_number(json, "asymmetry", p->asymmetry);
    json_number(json, "control_step_ms_mean", 1e3 * p->step_mean);
    json_number(json, "control_step_ms_worst", 1e3 * p->step_worst);
    tell_aims(r);
    tell_clamped(r);
}

static snStatus save(BodyRun *r)
{
    snText t = {0};
    snStatus status = cli_run_save(r->file, r->out.path[0], r->out.path[1]);
    if (status != SN_OK) return status;
    text_add(
        &t,
        "# model %s, motion %s\n# largest error of each driven coordinate, deg or mm, and missing torque, N m or N\n",
        r->cli->argument[0], r->source.path);
    for (int32_t i = 0; i < sn_count(r->model, SN_ITEM_COORDINATE); ++i) {
        double off = r->report.trust.off[i] * (sn_coordinate_slides(r->model, i) ? 1e3 : DEGREES);
        if (off > 0 || r->report.trust.unmet[i] > 0)
            text_add(&t, "%-24s %9.4f %9.4f\n", coordinate_name(r, i), off, r->report.trust.unmet[i]);
    }
    text_add(&t, "\n");
    cli_track_lines(&r->out, &t);
    cli_track_settings(&r->out, &t);
    status = t.text ? cli_save_text(r->cli, r->out.path[2], t.text) : SN_NO_MEMORY;
    text_free(&t);
    return status;
}

static snStatus finish(BodyRun *r)
{
    snStatus status = save(r);
    if (status != SN_OK) return status;
    tell(r);
    cli_track_warn(&r->out);
    cli_say(r->cli, "wrote %s, %s and %s\n", r->out.path[0], r->out.path[1], r->out.path[2]);
    return SN_OK;
}

static void tear_down(BodyRun *r)
{
    sn_steer_report_free(&r->report);
    sn_poses_destroy(r->poses);
    cli_free_body_options(&r->options);
    if (r->drive) sn_drive_destroy(r->drive);
    free(r->strength);
    text_free(&r->settings);
    if (r->model) sn_model_destroy(r->model);
    if (r->spec) sn_spec_destroy(r->spec);
    free(r);
}

snStatus cli_track_body(snCli *cli)
{
    BodyRun *r = calloc(1, sizeof *r);
    bool finished = false;
    if (!r) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    r->cli = cli;
    snStatus status = set_up(r);
    if (status == SN_OK) {
        r->outcome = sn_steer(r->model, r->poses, &r->def, &r->report, &r->error);
        cli_progress_end(cli);
        gather(r);
        if (cli_run_frames(r->file) > 0 && r->outcome != SN_WRITE_FAILED) status = finish(r);
        finished = status == SN_OK && r->outcome != SN_CANCELLED;
        if (!r->error.message[0] && r->outcome != SN_OK) r->error = *cli_run_error(r->file);
        if (status == SN_OK) status = cli_track_verdict(&r->out, r->outcome, &r->error);
    }
    cli_run_close(r->file, finished);
    tear_down(r);
    return status;
}
