/* sinew bench --rung skin: the skin of the hand over its fist, one core. The search for closest points against looking
 * at every strand in the same run, and ten seconds at 24 frames a second written as a point cache. */
#include "bench_skin.h"

#include "bench_case.h"
#include "deformed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char BUILT[] = "skin-built";

enum { FRAMES = 240, BRUTE_FRAMES = 7, MOST_FRAMES = 240, LEAST_FRAMES = 10, PASSES = 3 };

/* Of one frame, ms: all of the bulge as it passes and in processor time, and the search for closest points alone. */
typedef struct snBulgeTimes {
    double wall, cpu, search;
} snBulgeTimes;

typedef struct snSkinBench {
    snCli *cli;
    snBenchRun fist;
    snDeformed skinned;
    double *fast, *slow;
    snBulgeTimes quick, brute; /* what came out */
    double whole_ratio, search_ratio, apart, frame_ms, seconds;
    int32_t cached; /* frames written */
} snSkinBench;

/* Another mesh than the shipped one, from the tables beside the model: adds a node to the spec. */
static snStatus build_skin(snSkinBench *b, int32_t triangles)
{
    snSkinMeshDef def = sn_default_skin_mesh_def();
    snNodeDef node = sn_default_node_def();
    snMesh mesh = {0};
    snError error = {0};
    char tables[4200] = "", path[4300];
    const char *folders = getenv("SINEW_MODELS");
    for (const char *at = folders; at && *at && !tables[0]; at += strcspn(at, ":"), at += *at == ':') {
        (void)snprintf(path, sizeof path, "%.*s/hand/skin_sections.tsv", (int)strcspn(at, ":"), at);
        if (access(path, R_OK) == 0) (void)snprintf(tables, sizeof tables, "%.*s/hand", (int)strcspn(at, ":"), at);
    }
    if (!tables[0]) return cli_fail(b->cli, SN_NO_FILE, "--triangles needs the tables of the hand's skin");
    def.tables = tables, def.triangles = triangles;
    snStatus status = sn_author_skin(&def, &mesh, &error);
    if (status != SN_OK) return cli_fail_file(b->cli, status, &error, tables);
    node.name = BUILT, node.kind = SN_NODE_MESH;
    node.nvertex = mesh.nvertex, node.ntriangle = mesh.ntriangle;
    node.vertex = mesh.vertex, node.triangle = mesh.triangle;
    status = sn_add_node(b->fist.spec, &node, &(snId){0});
    sn_mesh_free(&mesh);
    return status == SN_OK ? SN_OK : cli_fail(b->cli, status, "the skin cannot be added to the model");
}

static snStatus set_up(snSkinBench *b)
{
    snModelSkinDef skin = sn_default_model_skin_def();
    snStatus status = cli_follow_fist(b->cli, &b->fist);
    if (status != SN_OK) return status;
    if (cli_given(b->cli, "triangles")) {
        status = build_skin(b, (int32_t)cli_option_number(b->cli, "triangles", 50000));
        if (status != SN_OK) return status;
        skin.mesh = BUILT;
    }
    status = cli_skin_open(b->cli, b->fist.spec, b->fist.replay, &skin, NULL, &b->skinned);
    size_t n = 3 * (size_t)b->skinned.nvertex;
    if (status != SN_OK) return status;
    b->fast = malloc(n * sizeof *b->fast), b->slow = malloc(n * sizeof *b->slow);
    return b->fast && b->slow ? SN_OK : SN_NO_MEMORY;
}

/* Medians in ms; count at most MOST_FRAMES. */
static snBulgeTimes medians(const snSkinInfo *info, int32_t count)
{
    double wall[MOST_FRAMES], cpu[MOST_FRAMES], search[MOST_FRAMES];
    for (int32_t i = 0; i < count; ++i) {
        wall[i] = 1e3 * info[i].bulge_seconds, cpu[i] = 1e3 * info[i].bulge_cpu_seconds;
        search[i] = 1e3 * info[i].search_cpu_seconds;
    }
    return (snBulgeTimes){cli_median(wall, count), cli_median(cpu, count), cli_median(search, count)};
}

/* Frames in order, as a motion goes: what was nearest in the last frame helps. The least of some passes counts for each
 * frame, which takes out what else the machine does. */
static void measure_frames(snSkinBench *b, int32_t n)
{
    snSkinInfo info[MOST_FRAMES];
    for (int32_t i = 0; i < PASSES * n && !cli_interrupted(); ++i) {
        snSkinInfo *to = info + i % n;
        (void)cli_deform_frame(&b->skinned, i % n, b->fast);
        snSkinInfo now = sn_skin_info(b->skinned.skin);
        if (i < n) *to = now;
        to->bulge_seconds = fmin(to->bulge_seconds, now.bulge_seconds);
        to->bulge_cpu_seconds = fmin(to->bulge_cpu_seconds, now.bulge_cpu_seconds);
        to->search_cpu_seconds = fmin(to->search_cpu_seconds, now.search_cpu_seconds);
    }
    if (!cli_interrupted()) b->quick = medians(info, n);
}

/* A frame both ways one right after the other, so that both meet the same machine; the frame before it comes first. */
static void measure_brute_force(snSkinBench *b, int32_t n)
{
    snSkinInfo info[BRUTE_FRAMES];
    double whole[BRUTE_FRAMES], search[BRUTE_FRAMES];
    for (int32_t k = 0; k < BRUTE_FRAMES && !cli_interrupted(); ++k) {
        int32_t frame = (k + 1) * (n - 1) / BRUTE_FRAMES;
        (void)cli_deform_frame(&b->skinned, frame > 0 ? frame - 1 : 0, b->fast);
        (void)cli_deform_frame(&b->skinned, frame, b->fast);
        snSkinInfo fast = sn_skin_info(b->skinned.skin);
        sn_skin_set_brute_force(b->skinned.skin, true);
        (void)cli_deform_frame(&b->skinned, frame, b->slow);
        sn_skin_set_brute_force(b->skinned.skin, false);
        info[k] = sn_skin_info(b->skinned.skin);
        whole[k] = info[k].bulge_cpu_seconds / fast.bulge_cpu_seconds;
        search[k] = info[k].search_cpu_seconds / fast.search_cpu_seconds;
        for (int32_t i = 0; i < 3 * b->skinned.nvertex; ++i) b->apart = fmax(b->apart, fabs(b->fast[i] - b->slow[i]));
    }
    if (cli_interrupted()) return;
    b->brute = medians(info, BRUTE_FRAMES);
    b->whole_ratio = cli_median(whole, BRUTE_FRAMES), b->search_ratio = cli_median(search, BRUTE_FRAMES);
}

/* All frames and ten seconds of cache, or less where --seconds asks for less than a second. */
static snStatus measure_bulge(snSkinBench *b)
{
    double share = fmin(1, cli_option_number(b->cli, "seconds", 1));
    b->cached = (int32_t)fmax(LEAST_FRAMES, share * FRAMES);
    int32_t n = sn_track_frames(b->fist.replay);
    if (n > MOST_FRAMES) n = MOST_FRAMES;
    n = (int32_t)fmin(n, fmax(LEAST_FRAMES, share * n));
    measure_frames(b, n);
    measure_brute_force(b, n);
    return cli_interrupted() ? SN_CANCELLED : SN_OK;
}

static snStatus measure_cache(snSkinBench *b)
{
    snCacheDef def = sn_default_cache_def();
    snCacheWriter *writer = NULL;
    snError error = {0};
    const char *path = "sinew-bench.pc2";
    def.npoint = b->skinned.nvertex, def.ntriangle = b->skinned.ntriangle, def.triangle = b->skinned.triangle;
    def.rate = 24;
    def.frames = b->cached;
    double start = cli_seconds(), last = sn_track_frames(b->fist.replay) - 1;
    snStatus status = sn_cache_create(&def, path, &writer, &error);
    for (int32_t i = 0; status == SN_OK && i < b->cached; ++i) {
        double phase = fmod(i, 2 * last); /* forth and back */
        (void)cli_deform_frame(&b->skinned, (int32_t)(phase <= last ? phase : 2 * last - phase), b->fast);
        status = cli_interrupted() ? SN_CANCELLED : sn_cache_append(writer, b->fast, &error);
    }
    if (status == SN_OK)
        status = sn_cache_finish(writer, &error);
    else
        sn_cache_abandon(writer);
    b->seconds = cli_seconds() - start, b->frame_ms = 1e3 * b->seconds / b->cached;
    (void)remove(path);
    return cli_fail_file(b->cli, status, &error, path);
}

static void tell(const snSkinBench *b)
{
    snCli *cli = b->cli;
    cli_say(cli,
            "skin of %d triangles under %d strands: bulge %.2f ms a frame, %.2f ms of processor time, of which the "
            "search %.2f ms\n",
            b->skinned.ntriangle, sn_count(b->fist.model, SN_ITEM_STRAND), b->quick.wall, b->quick.cpu,
            b->quick.search);
    cli_say(cli,
            "by brute force %.1f ms of processor time (%.1f times), the search %.1f ms (%.1f times), %.1e m apart\n",
            b->brute.cpu, b->whole_ratio, b->brute.search, b->search_ratio, b->apart);
    double length = b->cached / 24.0;
    cli_say(cli, "%g s at 24 frames/s with writing PC2: %.2f s, %.2f ms a frame, %.1f times real time\n", length,
            b->seconds, b->frame_ms, length / b->seconds);
    json_open(&cli->json, "skin", '{');
    json_integer(&cli->json, "triangles", b->skinned.ntriangle);
    json_number(&cli->json, "bulge_ms", b->quick.wall);
    json_number(&cli->json, "bulge_cpu_ms", b->quick.cpu);
    json_number(&cli->json, "search_cpu_ms", b->quick.search);
    json_number(&cli->json, "brute_force_ms", b->brute.cpu);
    json_number(&cli->json, "brute_force_ratio", b->whole_ratio);
    json_number(&cli->json, "search_brute_force_ms", b->brute.search);
    json_number(&cli->json, "search_ratio", b->search_ratio);
    json_number(&cli->json, "apart_m", b->apart);
    json_number(&cli->json, "cache_seconds", b->seconds);
    json_number(&cli->json, "real_time_factor", length / b->seconds);
    json_close(&cli->json, '}');
}

snStatus cli_bench_skin(snCli *cli)
{
    snSkinBench b = {.cli = cli};
    snStatus status = set_up(&b);
    if (status == SN_OK) status = measure_bulge(&b);
    if (status == SN_OK) status = measure_cache(&b);
    if (status == SN_OK) tell(&b);
    cli_deform_close(&b.skinned);
    free(b.fast);
    free(b.slow);
    cli_bench_run_free(&b.fist);
    return status;
}
