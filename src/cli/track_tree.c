/* sinew track for models on a tree: activations by one of three methods, forward dynamics, the case, fatigue. */
#include "track_tree.h"

#include "clinic.h"

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
    snTrack *replay;
    snMotionSource source;
    char path[3][4096]; /* replay, table, report */
} snPursuitRun;

static snStatus name_outputs(snPursuitRun *r)
{
    const char *const ending[] = {cli_replay_ending(r->clinic.cli), ".sto", ".report.txt"};
    const char *out = cli_option_text(r->clinic.cli, "o", NULL);
    snStatus status = out ? SN_OK : cli_fail(r->clinic.cli, SN_USAGE, "-o OUT is missing: where to write the result");
    for (int i = 0; i < 3 && status == SN_OK; ++i) {
        if (snprintf(r->path[i], sizeof r->path[i], "%s%s", out, ending[i]) >= (int)sizeof r->path[i])
            return cli_fail(r->clinic.cli, SN_USAGE, "-o: the path is too long");
        status = cli_check_output(r->clinic.cli, r->path[i]);
    }
    return status;
}

static snStatus set_up(snPursuitRun *r, snCli *cli)
{
    static const char *const method[] = {"torque", "step", "paper"};
    r->def = sn_default_pursue_def();
    const char *text = cli_option_text(cli, "method", "torque");
    snMotionDef motion = sn_default_motion_def();
    snError error = {0};
    snStatus status = clinic_open(cli, &r->clinic);
    if (status == SN_OK) status = name_outputs(r);
    if (status != SN_OK) return status;
    for (int i = 0; i < 3; ++i)
        if (strcmp(method[i], text) == 0) r->def.method = (snPursuit)i;
    motion.model = r->def.model_name = cli->argument[0];
    motion.bvh_map = cli_option_text(cli, "bvh-map", NULL);
    motion.source = &r->source;
    r->def.step = cli_option_number(cli, "step", 0);
    r->def.frame_rate = cli_option_number(cli, "frame-rate", 24);
    r->def.control_rate = cli_option_number(cli, "control-rate", 0);
    r->def.feedback = cli_option_number(cli, "feedback", 0);
    r->def.keys_only = cli_given(cli, "keys-only");
    r->def.fatigue = cli_given(cli, "fatigue");
    r->def.repeat = (int32_t)cli_option_number(cli, "repeat", 1);
    r->def.rest = cli_option_number(cli, "rest", 0);
    r->def.progress = cli_progress_callback(cli);
    status = cli_fail_file(cli, sn_load_motion_poses(cli->argument[1], &motion, &r->poses, &error), &error,
                           cli->argument[1]);
    if (status == SN_OK)
        status = clinic_motion(&r->clinic, cli->argument[1], 0); /* names that the model lacks are said there */
    return status;
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

static void tell(snPursuitRun *r)
{
    snCli *cli = r->clinic.cli;
    snJson *json = &cli->json;
    const snPursueReport *p = &r->report;
    const snModel *m = r->clinic.model;
    const char *worst = p->worst_coordinate >= 0 ? sn_name(m, SN_ITEM_COORDINATE, p->worst_coordinate) : "";
    double factor = p->seconds > 0 ? p->simulated / p->seconds : 0;
    json_string(json, "model", cli->argument[0]);
    json_string(json, "motion", r->source.path);
    json_string(json, "method", cli_option_text(cli, "method", "torque"));
    clinic_say_case(&r->clinic);
    if (r->source.gaps) cli_say(cli, "%d empty cells: their joints are moved by the muscles alone\n", r->source.gaps);
    json_integer(json, "empty_cells", r->source.gaps);
    clinic_say_clamped(&r->clinic, p->clamped);
    cli_say(cli, "%d frames, %.4g s simulated in %.3g s: %.3g times real time\n", p->frames, p->simulated, p->seconds,
            factor);
    const char *root = sn_name(m, SN_ITEM_COORDINATE, 0);
    cli_say(cli, "error: %.*s %.2f deg rms, the others %.2f deg rms, worst %.1f deg (%s at %.2f s)\n",
            (int)strcspn(root, "."), root, rms_of(r, true), rms_of(r, false), DEGREES * p->worst, worst, p->worst_time);
    cli_say(cli, "largest activation %.3f, missing torque up to %.2f tolerances\n", p->max_activation, p->unmet);
    json_integer(json, "frames", p->frames);
    json_number(json, "simulated_s", p->simulated);
    json_number(json, "seconds", p->seconds);
    json_number(json, "real_time_factor", factor);
    json_number(json, "other_error_deg", rms_of(r, false));
    json_number(json, "root_error_deg", rms_of(r, true));
    json_number(json, "mean_error_rad", p->mean);
    json_number(json, "worst_error_rad", p->worst);
    json_number(json, "worst_error_deg", DEGREES * p->worst);
    json_string(json, "worst", worst);
    json_number(json, "worst_time_s", p->worst_time);
    json_number(json, "max_activation", p->max_activation);
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
    snError error = {0};
    snText t = {0};
    snStatus status = cli_fail_file(cli, sn_save_track(r->replay, r->path[0], &error), &error, r->path[0]);
    if (status == SN_OK)
        status = cli_fail_file(cli, sn_save_table(r->replay, r->path[1], NULL, &error), &error, r->path[1]);
    if (status != SN_OK) return status;
    text_add(&t, "# %s\n# model %s, motion %s, method %s\n# rms error of each coordinate, deg\n", clinic_notice,
             cli->argument[0], r->source.path, cli_option_text(cli, "method", "torque"));
    for (int32_t k = 0; k < sn_count(r->clinic.model, SN_ITEM_COORDINATE); ++k)
        text_add(&t, "%-20s %9.3f\n", sn_name(r->clinic.model, SN_ITEM_COORDINATE, k), DEGREES * r->report.rms[k]);
    status = t.text ? cli_save_text(cli, r->path[2], t.text) : SN_NO_MEMORY;
    text_free(&t);
    if (status == SN_OK) cli_say(cli, "wrote %s, %s and %s\n%s\n", r->path[0], r->path[1], r->path[2], clinic_notice);
    json_string(&cli->json, "replay", r->path[0]);
    json_string(&cli->json, "table", r->path[1]);
    json_string(&cli->json, "report", r->path[2]);
    json_string(&cli->json, "notice", clinic_notice);
    return status;
}

snTreeKind cli_tree_kind(const char *model)
{
    char path[4096];
    snSpec *spec = NULL;
    snTreeKind kind = CLI_NO_TREE;
    if (sn_find_model(model, path, sizeof path, NULL) == SN_OK && sn_load_model(path, &spec, NULL) == SN_OK &&
        sn_spec_model(spec)->type == SN_MODEL_TREE)
        kind = sn_spec_count(spec, SN_KIND_SPRING) > 0 ? CLI_CLOSED_TREE : CLI_OPEN_TREE;
    if (spec) sn_spec_destroy(spec);
    return kind;
}

snStatus cli_track_tree(snCli *cli)
{
    snPursuitRun *r = calloc(1, sizeof *r);
    snError error = {0};
    if (!r) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    snStatus status = cli_track_refuse(cli, CLI_TRACK_CLINICAL);
    if (status == SN_OK) status = set_up(r, cli);
    if (status == SN_OK) {
        snStatus outcome = sn_pursue(r->clinic.patient, r->poses, &r->def, &r->replay, &r->report, &error);
        cli_progress_end(cli);
        bool kept = r->replay && sn_track_frames(r->replay) > 0;
        if (kept) tell(r);
        if (kept) status = save(r);
        if (outcome != SN_OK) error.status = outcome, status = cli_fail_error(cli, &error);
    }
    sn_pursue_report_free(&r->report);
    if (r->replay) sn_track_destroy(r->replay);
    if (r->poses) sn_poses_destroy(r->poses);
    clinic_close(&r->clinic);
    free(r);
    return status;
}
