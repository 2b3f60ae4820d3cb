#include "bench_case.h"

#include "sinew/io.h"
#include "sinew/record.h"
#include "sinew/steer.h"

#include <stdlib.h>

enum { FRAME_RATE = 24 };

snStatus cli_follow_fist(snCli *cli, snBenchRun *run)
{
    snMotionDef def = sn_default_motion_def();
    snFollowDef follow = sn_default_follow_def();
    follow.skip_step_check = true;
    snFollowReport report = {0};
    snTrack *motion = NULL;
    snError error = {0};
    def.model = "hand", follow.frame_rate = FRAME_RATE;
    snStatus status = cli_compile_model(cli, "hand", &run->spec, &run->model);
    if (status != SN_OK) return status;
    status = sn_load_motion(run->model, "fist", &def, &motion, &error);
    if (status == SN_OK) {
        status = sn_follow(run->model, motion, &follow, &run->replay, &report, &error);
        sn_follow_report_free(&report);
    }
    sn_track_destroy(motion);
    return cli_fail_file(cli, status, &error, "fist");
}

typedef struct {
    snRecorder *recorder;
    snTrack *replay;
} Taking;

static snStatus take_frame(void *user, const snSteer *run, snState *state, double time)
{
    (void)run;
    Taking *t = user;
    snTrackFrame frame;
    snStatus status = sn_recorder_read(t->recorder, state, time, &frame);
    return status == SN_OK ? sn_track_append(t->replay, time, frame.pose, frame.point, frame.scalar) : status;
}

static snStatus steer(const snModel *model, const snPoses *poses, snTrack **replay, snError *error)
{
    static const double always[1] = {0}, weight[1] = {5}; /* s, kg */
    snSteerLoad load[2] = {{sn_find(model, SN_ITEM_BODY, "radius_R"), 1, always, weight},
                           {sn_find(model, SN_ITEM_BODY, "radius_L"), 1, always, weight}};
    snSteerDef def = sn_default_steer_def();
    def.skip_step_check = true;
    snSteerReport report = {0};
    Taking taking = {0};
    snStatus status = sn_recorder_create(model, "body", &taking.recorder);
    if (status == SN_OK) status = sn_track_create(sn_recorder_def(taking.recorder), replay);
    taking.replay = *replay;
    def.frame_rate = FRAME_RATE, def.nload = 2, def.load = load, def.frame = take_frame, def.user = &taking;
    if (status == SN_OK) {
        status = sn_steer(model, poses, &def, &report, error);
        sn_steer_report_free(&report);
    }
    sn_recorder_destroy(taking.recorder);
    return status;
}

snStatus cli_steer_curl(snCli *cli, snBenchRun *run)
{
    snMotionDef def = sn_default_motion_def();
    snPoses *poses = NULL;
    snError error = {0};
    def.model = "body";
    snStatus status = cli_compile_model(cli, "body", &run->spec, &run->model);
    if (status != SN_OK) return status;
    status = sn_load_motion_poses("curl", &def, &poses, &error);
    if (status == SN_OK) status = steer(run->model, poses, &run->replay, &error);
    sn_poses_destroy(poses);
    return cli_fail_file(cli, status, &error, "curl");
}

void cli_bench_run_free(snBenchRun *run)
{
    sn_track_destroy(run->replay);
    sn_model_destroy(run->model);
    sn_spec_destroy(run->spec);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double cli_median(double *value, int32_t count)
{
    qsort(value, (size_t)count, sizeof *value, by_value);
    return value[count / 2];
}
