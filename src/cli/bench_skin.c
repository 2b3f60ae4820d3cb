/* sinew bench --rung skin: the skin of the hand over its fist, one core. The search for closest points against looking
 * at every strand in the same run, and ten seconds at 24 frames a second written as a point cache. */
#include "bench_skin.h"

#include "skinned.h"

#include "sinew/control.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 240, BRUTE_FRAMES = 5 };

typedef struct snSkinBench {
    snCli *cli;
    snSpec *spec;
    snModel *model;
    snTrack *motion, *replay;
    snSkinned skinned;
    double *fast, *slow;
    double bulge_ms, brute_ms, apart, frame_ms, seconds; /* what came out */
} snSkinBench;

static snStatus set_up(snSkinBench *b)
{
    snMotionDef motion = sn_default_motion_def();
    snFollowDef follow = sn_default_follow_def();
    snModelSkinDef skin = sn_default_model_skin_def();
    snFollowReport report = {0};
    snError error = {0};
    motion.model = "hand", follow.frame_rate = 24;
    snStatus status = cli_compile_model(b->cli, "hand", &b->spec, &b->model);
    if (status != SN_OK) return status;
    status = sn_load_motion(b->model, "fist", &motion, &b->motion, &error);
    if (status == SN_OK) {
        status = sn_follow(b->model, b->motion, &follow, &b->replay, &report, &error);
        sn_follow_report_free(&report);
    }
    if (status != SN_OK) return cli_fail_file(b->cli, status, &error, "fist");
    status = cli_skin_open(b->cli, b->spec, b->replay, &skin, &b->skinned);
    size_t n = 3 * (size_t)b->skinned.nvertex;
    if (status != SN_OK) return status;
    b->fast = malloc(n * sizeof *b->fast), b->slow = malloc(n * sizeof *b->slow);
    return b->fast && b->slow ? SN_OK : SN_NO_MEMORY;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Frames in order, as a motion goes: what was nearest in the last frame helps. */
static snStatus measure_bulge(snSkinBench *b)
{
    int32_t n = sn_track_frames(b->replay);
    double *all = malloc((size_t)n * sizeof *all), slow[BRUTE_FRAMES] = {0};
    if (!all) return SN_NO_MEMORY;
    for (int32_t i = 0; i < n; ++i) {
        (void)cli_skin_frame(&b->skinned, i, b->fast);
        all[i] = sn_skin_info(b->skinned.skin).bulge_seconds;
    }
    qsort(all, (size_t)n, sizeof *all, by_value);
    b->bulge_ms = 1e3 * all[n / 2];
    free(all);
    for (int32_t k = 0; k < BRUTE_FRAMES && !cli_interrupted(); ++k) {
        int32_t frame = k * (n - 1) / (BRUTE_FRAMES - 1);
        (void)cli_skin_frame(&b->skinned, frame, b->fast);
        sn_skin_set_brute_force(b->skinned.skin, true);
        (void)cli_skin_frame(&b->skinned, frame, b->slow);
        sn_skin_set_brute_force(b->skinned.skin, false);
        slow[k] = sn_skin_info(b->skinned.skin).bulge_seconds;
        for (int32_t i = 0; i < 3 * b->skinned.nvertex; ++i) b->apart = fmax(b->apart, fabs(b->fast[i] - b->slow[i]));
    }
    qsort(slow, BRUTE_FRAMES, sizeof *slow, by_value);
    b->brute_ms = 1e3 * slow[BRUTE_FRAMES / 2];
    return cli_interrupted() ? SN_CANCELLED : SN_OK;
}

static snStatus measure_cache(snSkinBench *b)
{
    snCacheDef def = sn_default_cache_def();
    snCacheWriter *writer = NULL;
    snError error = {0};
    const char *path = "sinew-bench.pc2";
    def.npoint = b->skinned.nvertex, def.ntriangle = b->skinned.ntriangle, def.triangle = b->skinned.triangle;
    def.frames = FRAMES, def.rate = 24;
    double start = cli_seconds(), last = sn_track_frames(b->replay) - 1;
    snStatus status = sn_cache_create(&def, path, &writer, &error);
    for (int32_t i = 0; status == SN_OK && i < FRAMES; ++i) {
        double phase = fmod(i, 2 * last); /* forth and back */
        (void)cli_skin_frame(&b->skinned, (int32_t)(phase <= last ? phase : 2 * last - phase), b->fast);
        status = cli_interrupted() ? SN_CANCELLED : sn_cache_append(writer, b->fast, &error);
    }
    if (status == SN_OK)
        status = sn_cache_finish(writer, &error);
    else
        sn_cache_abandon(writer);
    b->seconds = cli_seconds() - start, b->frame_ms = 1e3 * b->seconds / FRAMES;
    (void)remove(path);
    return cli_fail_file(b->cli, status, &error, path);
}

static void tell(const snSkinBench *b)
{
    snCli *cli = b->cli;
    cli_say(cli,
            "skin of %d triangles under %d strands: bulge %.2f ms a frame, by brute force %.1f ms (%.1f times), %.1e m "
            "apart\n",
            b->skinned.ntriangle, sn_count(b->model, SN_ITEM_STRAND), b->bulge_ms, b->brute_ms,
            b->brute_ms / b->bulge_ms, b->apart);
    cli_say(cli, "10 s at 24 frames/s with writing PC2: %.2f s, %.2f ms a frame, %.1f times real time\n", b->seconds,
            b->frame_ms, 10 / b->seconds);
    json_open(&cli->json, "skin", '{');
    json_integer(&cli->json, "triangles", b->skinned.ntriangle);
    json_number(&cli->json, "bulge_ms", b->bulge_ms);
    json_number(&cli->json, "brute_force_ms", b->brute_ms);
    json_number(&cli->json, "brute_force_ratio", b->brute_ms / b->bulge_ms);
    json_number(&cli->json, "apart_m", b->apart);
    json_number(&cli->json, "cache_seconds", b->seconds);
    json_number(&cli->json, "real_time_factor", 10 / b->seconds);
    json_close(&cli->json, '}');
}

snStatus cli_bench_skin(snCli *cli)
{
    snSkinBench b = {.cli = cli};
    snStatus status = set_up(&b);
    if (status == SN_OK) status = measure_bulge(&b);
    if (status == SN_OK) status = measure_cache(&b);
    if (status == SN_OK) tell(&b);
    cli_skin_close(&b.skinned);
    free(b.fast);
    free(b.slow);
    if (b.replay) sn_track_destroy(b.replay);
    if (b.motion) sn_track_destroy(b.motion);
    if (b.model) sn_model_destroy(b.model);
    if (b.spec) sn_spec_destroy(b.spec);
    return status;
}
