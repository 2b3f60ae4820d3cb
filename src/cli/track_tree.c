/* sinew track for models on a tree: activations by one of three methods, forward dynamics, the case, fatigue. */
#include "track_tree.h"

#include "clinic.h"
#include "track_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREES = 57.29577951308232;

typedef struct snPursuitRun {
    snClinic clinic;
    snPursueDef def;
    snPursueReport report;
    snPoses *poses;
    snRunFile *file;
    snText settings;
    snMotionSource source;
    snTracked out;
} snPursuitRun;

/* What makes this run this run: nothing of it may change between an interruption and --resume. */
static snStatus list_settings(snPursuitRun *r)
{
    static const char *const option[] = {"method",    "step",     "frame-rate", "control-rate", "feedback",
                                         "keys-only", "fatigue",  "repeat",     "rest",         "strength",
                                         "passive",   "cost",     "cut",        "nerve",        "fuse",
                                         "load",      "transfer", "couple",     "posture"};
    snCli *cli = r->clinic.cli;
    snStatus status = cli_list_run(cli, &r->settings, "track", r->clinic.spec);
    if (status != SN_OK) return status;
    cli_list_file(&r->settings, "motion", r->source.path);
    cli_list_file(&r->settings, "bvh-map", cli_option_text(cli, "bvh-map", NULL));
    for (int i = 0; i == 0 || cli_option_nth(cli, "case", i); ++i)
        cli_list_file(&r->settings, "case", cli_option_nth(cli, "case", i));
    cli_list_options(cli, &r->settings, option, sizeof option / sizeof *option);
    return r->settings.text ? SN_OK : cli_fail(cli, SN_NO_MEMORY, "out of memory");
}

static snStatus keep_frame(void *user, const snPursue *run, const snTrackDef *columns, const snTrackFrame *frame)
{
    snPursuitRun *r = user;
    void *bytes = cli_run_state(r->file, sn_pursue_save(run, NULL));
    if (!bytes) return SN_NO_MEMORY;
    (void)sn_pursue_save(run, bytes);
    return cli_run_keep(r->file, columns, frame);
}

static snStatus open_run(snPursuitRun *r)
{
    snCli *cli = r->clinic.cli;
    bool resume = cli_given(cli, "resume");
    const char *out = cli_option_text(cli, "o", NULL);
    snStatus status = list_settings(r);
    if (status == SN_OK) status = cli_run_open(cli, NULL, NULL, out, r->settings.text, resume, &r->file);
    if (status != SN_OK || !resume) return status;
    if (!cli_run_found(r->file)) cli_warn(cli, "there is no interrupted run to continue: starting at the beginning");
    r->def.checkpoint = cli_run_checkpoint(r->file, &r->def.checkpoint_size);
    return SN_OK;
}

static snStatus set_up(snPursuitRun *r, snCli *cli)
{
    static const char *const method[] = {"torque", "step", "paper"};
    r->def = sn_default_pursue_def();
    const char *text = cli_option_text(cli, "method", "torque");
    snMotionDef motion = sn_default_motion_def();
    snError error = {0};
    snStatus status = clinic_open(cli, &r->clinic);
    if (status == SN_OK) status = cli_track_outputs(cli, r->out.path);
    if (status != SN_OK) return status;
    for (int i = 0; i < 3; ++i)
        if (strcmp(method[i], text) == 0) r->def.method = (snPursuit)i;
    motion.model = r->def.model_name = cli->argument[0];
    motion.bvh_map = cli_option_text(cli, "bvh-map", NULL);
    motion.source = &r->source, motion.compiled = r->clinic.model;
    r->def.step = cli_option_number(cli, "step", 0);
    r->def.frame_rate = cli_option_number(cli, "frame-rate", 24);
    r->def.control_rate = cli_option_number(cli, "control-rate", 0);
    r->def.feedback = cli_option_number(cli, "feedback", 0);
    r->def.keys_only = cli_given(cli, "keys-only");
    r->def.fatigue = cli_given(cli, "fatigue");
    r->def.repeat = (int32_t)cli_option_number(cli, "repeat", 1);
    r->def.rest = cli_option_number(cli, "rest", 0);
    r->def.progress = cli_progress_callback(cli);
    r->def.frame = keep_frame, r->def.user = r;
    status = cli_fail_file(cli, sn_load_motion_poses(cli->argument[1], &motion, &r->poses, &error), &error,
                           cli->argument[1]);
    if (status == SN_OK) cli_say_bones(cli, &r->source);
    if (status == SN_OK)
        status = clinic_motion(&r->clinic, cli->argument[1], 0); /* names that the model lacks are said there */
    return status == SN_OK ? open_run(r) : status;
}

/* The joint from which all others hang, by the name of its first coordinate; of a hand, the wrist. */
static bool is_root(const snModel *m, int32_t coordinate)
{
    const char *root = sn_name(m, SN_ITEM_COORDINATE, 0), *name = sn_name(m, SN_ITEM_COORDINATE, coordinate);
    size_t n = strcspn(root, ".");
    return strncmp(name, root, n) == 0 && name[n] == root[n];
}

/* Rms over the coordinates of the root, or over the others. */
static double rms_of(const snPursuitRun *r, bool root)
{
    double sum = 0;
    int n = 0;
    for (int32_t k = 0; k < sn_count(r->clinic.model, SN_ITEM_COORDINATE); ++k)
        if (is_root(r->clinic.model, k) == root) sum += r->report.rms[k] * r->report.rms[k], ++n;
    return n ? DEGREES * sqrt(sum / n) : 0;
}

/* What the report holds, as all ways to track hold it. */
static void gather(snPursuitRun *r, snStatus outcome)
{
    const snPursueReport *p = &r->report;
    snCli *cli = r->clinic.cli;
    snTracked *t = &r->out;
    t->cli = cli, t->model = r->clinic.model, t->trust = &p->trust, t->settings = r->settings.text;
    t->motion = r->source.path, t->method = cli_option_text(cli, "method", "torque"), t->culprit = "";
    t->frames = p->frames, t->resumed = p->resumed, t->frame_rate = r->def.frame_rate, t->simulated = p->simulated;
    t->seconds = p->seconds, t->real_time_factor = p->seconds > 0 ? p->simulated / p->seconds : 0;
    t->activation_step_rms = NAN, t->diverged = outcome == SN_DIVERGED, t->cancelled = outcome == SN_CANCELLED;
}

static void tell(snPursuitRun *r)
{
    snCli *cli = r->clinic.cli;
    snJson *json = &cli->json;
    const snPursueReport *p = &r->report;
    const snTrust *t = &p->trust;
    const snModel *m = r->clinic.model;
    const char *worst = t->worst_angle_coordinate >= 0 ? sn_name(m, SN_ITEM_COORDINATE, t->worst_angle_coordinate) : "";
    clinic_say_case(&r->clinic);
    if (r->source.gaps) cli_say(cli, "%d empty cells: their joints are moved by the muscles alone\n", r->source.gaps);
    json_integer(json, "empty_cells", r->source.gaps);
    clinic_say_clamped(&r->clinic, p->clamped);
    cli_track_say(&r->out);
    const char *root = sn_name(m, SN_ITEM_COORDINATE, 0);
    cli_say(cli, "error: %.*s %.2f deg rms, the others %.2f deg rms, worst %.1f deg (%s at %.2f s)\n",
            (int)strcspn(root, "."), root, rms_of(r, true), rms_of(r, false), DEGREES * t->worst_angle, worst,
            t->worst_angle_time);
    cli_say(cli, "largest activation %.3f, missing torque up to %.2f tolerances\n", t->max_activation, p->unmet);
    cli_track_json(&r->out);
    json_number(json, "other_error_deg", rms_of(r, false));
    json_number(json, "root_error_deg", rms_of(r, true));
    json_number(json, "unmet_tolerances", p->unmet);
    json_integer(json, "repetitions", p->repetitions);
    if (r->def.fatigue) {
        double most = 0;
        int32_t who = 0;
        json_open(json, "fatigued", '{');
        for (int32_t u = 0; u < sn_count(m, SN_ITEM_MUSCLE); ++u) {
            json_number(json, sn_name(m, SN_ITEM_MUSCLE, u), p->fatigued[u]);
            if (p->fatigued[u] > most) most = p->fatigued[u], who = u;
        }
        json_close(json, '}');
        cli_say(cli, "fatigue after %d repetitions: %s most, %.1f %% of its motor units\n", p->repetitions,
                sn_name(m, SN_ITEM_MUSCLE, who), 100 * most);
    }
}

static snStatus save(snPursuitRun *r)
{
    snCli *cli = r->clinic.cli;
    snText t = {0};
    snStatus status = cli_run_save(r->file, r->out.path[0], r->out.path[1]);
    if (status != SN_OK) return status;
    text_add(&t, "# %s\n# model %s, motion %s, method %s\n# rms error of each coordinate, deg\n", clinic_notice,
             cli->argument[0], r->source.path, cli_option_text(cli, "method", "torque"));
    for (int32_t k = 0; k < sn_count(r->clinic.model, SN_ITEM_COORDINATE); ++k)
        text_add(&t, "%-20s %9.3f\n", sn_name(r->clinic.model, SN_ITEM_COORDINATE, k), DEGREES * r->report.rms[k]);
    text_add(&t, "\n");
    cli_track_lines(&r->out, &t);
    cli_track_settings(&r->out, &t);
    status = t.text ? cli_save_text(cli, r->out.path[2], t.text) : SN_NO_MEMORY;
    text_free(&t);
    cli_track_warn(&r->out);
    if (status == SN_OK)
        cli_say(cli, "wrote %s, %s and %s\n%s\n", r->out.path[0], r->out.path[1], r->out.path[2], clinic_notice);
    json_string(&cli->json, "notice", clinic_notice);
    return status;
}

/* What the run came to: its figures, its files, and what is to be said where it ended early. */
static snStatus conclude(snPursuitRun *r, snStatus outcome, snError *error)
{
    snStatus status = SN_OK;
    gather(r, outcome);
    if (cli_run_frames(r->file) > 0 && outcome != SN_WRITE_FAILED) {
        tell(r);
        status = save(r);
    }
    if (status != SN_OK) return status;
    if (!error->message[0] && outcome != SN_OK) *error = *cli_run_error(r->file);
    return cli_track_verdict(&r->out, outcome, error);
}

snStatus cli_track_tree(snCli *cli)
{
    snPursuitRun *r = calloc(1, sizeof *r);
    snError error = {0};
    bool finished = false;
    if (!r) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    snStatus status = cli_track_refuse(cli, CLI_TRACK_CLINICAL);
    if (status == SN_OK) status = set_up(r, cli);
    if (status == SN_OK) {
        snStatus outcome = sn_pursue(r->clinic.patient, r->poses, &r->def, NULL, &r->report, &error);
        cli_progress_end(cli);
        status = conclude(r, outcome, &error);
        finished = outcome != SN_CANCELLED && (status == SN_OK || outcome != SN_OK);
    }
    cli_run_close(r->file, finished);
    sn_pursue_report_free(&r->report);
    if (r->poses) sn_poses_destroy(r->poses);
    text_free(&r->settings);
    clinic_close(&r->clinic);
    free(r);
    return status;
}
