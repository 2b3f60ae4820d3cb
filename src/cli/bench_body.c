/* sinew bench --rung body: processor time of a controlled step of the upper body and of its parts, on one core. */
#include "bench_body.h"

#include <stdio.h>

static const char *const stage[4] = {"inverse", "torques", "program", "step"};

static void tell(snCli *cli, const char *name, const snSteerReport *r, double step)
{
    double factor = r->step_mean > 0 ? step / r->step_mean : 0;
    cli_say(cli, "%-8s %8.3f %8.3f %8.3f ", name, 1e3 * r->step_mean, 1e3 * r->step_worst, 1e3 * r->step_cold);
    for (int k = 0; k < 4; ++k) cli_say(cli, " %8.3f", 1e3 * r->stage[k]);
    cli_say(cli, " %7.2f %6.0f %8.2f %9.2g\n", r->rounds, r->worst_rounds, factor, r->trust.worst_angle);
}

static void tell_json(snCli *cli, const snSteerReport *r, double step)
{
    snJson *json = &cli->json;
    json_number(json, "control_step_ms_mean", 1e3 * r->step_mean);
    json_number(json, "control_step_ms_worst", 1e3 * r->step_worst);
    json_number(json, "control_step_ms_first", 1e3 * r->step_cold);
    json_number(json, "real_time_factor", r->step_mean > 0 ? step / r->step_mean : 0);
    json_number(json, "step_s", step);
    json_number(json, "program_rounds_mean", r->rounds);
    json_number(json, "program_rounds_worst", r->worst_rounds);
    json_number(json, "worst_error_rad", r->trust.worst_angle);
    json_open(json, "stage_us", '{');
    for (int k = 0; k < 4; ++k) json_number(json, stage[k], 1e6 * r->stage[k]);
    json_close(json, '}');
}

/* One way to step; the JSON is that of the light one. */
static snStatus measure(snCli *cli, const snModel *model, const snPoses *poses, bool levers)
{
    snSteerDef def = sn_default_steer_def();
    def.skip_step_check = true;
    snSteerReport report;
    snError error = {0};
    def.frame_rate = 1 / sn_model_step(model), def.geometric = levers;
    def.start = 0, def.end = cli_option_number(cli, "seconds", 2);
    snStatus status = sn_steer(model, poses, &def, &report, &error);
    if (status == SN_OK) tell(cli, levers ? "levers" : "light", &report, sn_model_step(model));
    if (status == SN_OK && !levers) tell_json(cli, &report, sn_model_step(model));
    if (status == SN_OK && levers) {
        json_open(&cli->json, "levers", '{');
        tell_json(cli, &report, sn_model_step(model));
        json_close(&cli->json, '}');
    }
    sn_steer_report_free(&report);
    error.status = status;
    return status == SN_OK ? SN_OK : cli_fail_error(cli, &error);
}

snStatus cli_bench_body(snCli *cli)
{
    const char *motion = cli_option_text(cli, "motion", "hold");
    snMotionDef def = sn_default_motion_def();
    snModel *model = NULL;
    snPoses *poses = NULL;
    snError error = {0};
    def.model = "body";
    snStatus status = cli_compile_model(cli, "body", NULL, &model);
    if (status == SN_OK)
        status = cli_fail_file(cli, sn_load_motion_poses(motion, &def, &poses, &error), &error, motion);
    if (status == SN_OK) {
        cli_say(cli, "processor time of a controlled step of %g ms, in ms\n", 1e3 * sn_model_step(model));
        cli_say(cli, "%-8s %8s %8s %8s  %8s %8s %8s %8s %7s %6s %8s %9s\n", "steps", "mean", "worst", "first", stage[0],
                stage[1], stage[2], stage[3], "rounds", "worst", "x real", "error rad");
    }
    if (status == SN_OK) status = measure(cli, model, poses, false);
    if (status == SN_OK) status = measure(cli, model, poses, true);
    sn_poses_destroy(poses);
    if (model) sn_model_destroy(model);
    return status;
}
