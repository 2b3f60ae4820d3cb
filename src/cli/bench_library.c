/* sinew bench --rung library: a library of the scene spindle with 400 points, and how long a frame of it takes, scaled
 * to 23 muscles of 3,000 vertices. Times of samples are processor time of one core. */
#include "bench_library.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { PASSES = 40000, MUSCLES = 23, VERTICES = 3000 };

/* Least time of a frame, s. One takes some microseconds: a few hundred are over in a millisecond, and were up to 1.5
 * times as slow where other work shared the core in just that one. */
static snStatus time_blend(snCli *cli, const snSpec *spec, snLibrary *library, double *seconds)
{
    snError error = {0};
    snDeformer *deformer = NULL;
    snModel *model = NULL;
    snStatus status = sn_compile(spec, &model, &error);
    if (status == SN_OK) status = sn_library_deformer(spec, library, &deformer, &error);
    if (status != SN_OK) {
        if (model) sn_model_destroy(model);
        sn_library_destroy(library);
        return cli_fail_error(cli, &error);
    }
    int32_t ncoord = sn_count(model, SN_ITEM_COORDINATE), nbody = sn_count(model, SN_ITEM_BODY);
    double *coordinate = calloc((size_t)ncoord + 1, sizeof *coordinate),
           *pose = calloc(7 * (size_t)nbody, sizeof *pose);
    double *point = calloc(3 * (size_t)sn_deformer_points(deformer), sizeof *point), activation[1] = {0.4};
    status = coordinate && pose && point ? SN_OK : SN_NO_MEMORY;
    *seconds = INFINITY;
    for (int i = 0; i < PASSES && status == SN_OK; ++i) {
        coordinate[0] = 0.008 * sin(0.1 * i);
        status = sn_body_poses(model, coordinate, pose);
        snFrame frame = {.pose = pose, .activation = activation};
        double before = cli_seconds();
        if (status == SN_OK) status = sn_deform(deformer, &frame, point, &error);
        *seconds = fmin(*seconds, cli_seconds() - before);
    }
    *seconds *= (double)MUSCLES * VERTICES / sn_deformer_points(deformer);
    free(coordinate), free(pose), free(point);
    sn_deformer_destroy(deformer);
    sn_model_destroy(model);
    return status;
}

snStatus cli_bench_library(snCli *cli)
{
    snSpec *spec = NULL;
    snLibrary *library = NULL;
    snError error = {0};
    snLibraryInfo info;
    double blend = 0;
    const snLibraryAxisDef axis = {"slide.0", 6, -0.015, 0.015};
    snLibraryDef def = sn_default_library_def();
    def.muscle = "belly", def.naxis = 1, def.axis = &axis;
    def.most_samples = 6, def.threads = cli->threads, def.progress = cli_progress_callback(cli);
    snStatus status = cli_load_model(cli, "spindle", &spec);
    clock_t began = clock();
    if (status == SN_OK) {
        status = sn_create_library(spec, &def, &library, &error);
        cli_progress_end(cli);
        if (status != SN_OK) status = cli_fail_error(cli, &error);
    }
    if (status == SN_OK) {
        snLibraryTimes t = sn_library_times(library);
        double processor =
            (double)(clock() - began) / CLOCKS_PER_SEC; /* of all cores: a busy machine does not matter */
        (void)sn_library_info(library, 0, &info);
        double jump = info.jump;
        int32_t samples = info.samples;
        status = time_blend(cli, spec, library, &blend);
        cli_say(cli, "sample of 400 points: %.1f ms on average, %.1f at most, of one core\n", t.mean * 1e3,
                t.worst * 1e3);
        cli_say(cli,
                "library of %d samples: %.2f s for the samples, %.2f s with filling, middles and the check of jumps "
                "(%.2f s of processor time)\n",
                (int)samples, t.samples, t.seconds, processor);
        cli_say(cli, "blend of 23 muscles of 3,000 vertices: %.3f ms; largest jump %.3f mm\n", blend * 1e3, jump * 1e3);
        json_number(&cli->json, "sample_ms_mean", t.mean * 1e3);
        json_number(&cli->json, "sample_ms_worst", t.worst * 1e3);
        json_number(&cli->json, "library_s", t.seconds);
        json_number(&cli->json, "library_samples_s", t.samples);
        json_number(&cli->json, "library_processor_s", processor);
        json_number(&cli->json, "blend_ms", blend * 1e3);
        json_number(&cli->json, "largest_jump_mm", jump * 1e3);
        json_integer(&cli->json, "samples", samples);
    }
    if (spec) sn_spec_destroy(spec);
    return status;
}
