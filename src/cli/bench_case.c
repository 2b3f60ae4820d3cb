#include "bench_case.h"

#include "sinew/io.h"
#include "sinew/record.h"

#include <stdlib.h>

snStatus cli_follow_fist(snCli *cli, snFist *fist)
{
    snMotionDef motion = sn_default_motion_def();
    snFollowDef follow = sn_default_follow_def();
    snFollowReport report = {0};
    snError error = {0};
    motion.model = "hand", follow.frame_rate = 24;
    snStatus status = cli_compile_model(cli, "hand", &fist->spec, &fist->model);
    if (status != SN_OK) return status;
    status = sn_load_motion(fist->model, "fist", &motion, &fist->motion, &error);
    if (status == SN_OK) {
        status = sn_follow(fist->model, fist->motion, &follow, &fist->replay, &report, &error);
        sn_follow_report_free(&report);
    }
    return cli_fail_file(cli, status, &error, "fist");
}

void cli_fist_free(snFist *fist)
{
    sn_track_destroy(fist->replay);
    sn_track_destroy(fist->motion);
    sn_model_destroy(fist->model);
    sn_spec_destroy(fist->spec);
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
