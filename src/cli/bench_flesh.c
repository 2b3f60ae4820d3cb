/* sinew bench --rung flesh: the upper body in flesh in the middle of the curl, or the hand while it closes to a fist,
 * at 24 frames a second, in two sizes.
 *
 * Each frame is solved to the precision of a preview and to the final one from the same start, and then much more
 * tightly, which tells how far off both were. Medians over the frames; processor time of all threads together too,
 * since the wall clock counts what else the machine does. */
#include "bench_flesh.h"

#include "bench_case.h"

#include "sinew/author.h"
#include "sinew/flesh.h"
#include "sinew/playback.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAMES = 5, SIZES = 2, LEAD = 3 }; /* frames that lead to the measured ones */

typedef struct snFleshCase {
    const char *motion;
    snStatus (*run)(snCli *cli, snBenchRun *run);
    int32_t first;       /* frame: joints turn fastest there */
    int32_t size[SIZES]; /* wishes: a lattice has some more */
} snFleshCase;

static const snFleshCase cases[] = {
    {"curl", cli_steer_curl, 17, {46500, 340000}},  /* 50,000 and 354,000; in the middle of the bend */
    {"fist", cli_follow_fist, 13, {46500, 340000}}, /* half closed: the fingers do not touch yet */
};
static const double FINAL = 1e-5, PREVIEW = 5e-5, TIGHT = 5e-7; /* m */

typedef struct snFleshBench {
    snCli *cli;
    const snFleshCase *what;
    snBenchRun run;
    snPlayback *playback;
    int32_t threads;
} snFleshBench;

/* Of one frame to one precision. */
typedef struct snFleshTimes {
    double wall, cpu, newton, cg, error;
} snFleshTimes;

typedef struct snFleshFigures {
    snFleshSize size;
    snFleshTimes final, preview;
    double volume, build_s;
    int32_t inverted, unconverged;
} snFleshFigures;

static snStatus set_up(snFleshBench *b)
{
    const char *motion = cli_option_text(b->cli, "motion", cases[0].motion);
    snError error = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        if (strcmp(cases[i].motion, motion) == 0) b->what = &cases[i];
    if (!b->what) return cli_fail(b->cli, SN_USAGE, "--motion %s: the rung flesh has curl and fist", motion);
    snStatus status = b->what->run(b->cli, &b->run);
    if (status != SN_OK) return status;
    status = sn_playback_create(b->run.model, b->run.replay, &b->playback, &error);
    return cli_fail_file(b->cli, status, &error, motion);
}

static double median(const snFleshTimes *t, int32_t n, size_t offset)
{
    double value[FRAMES];
    for (int32_t i = 0; i < n; ++i) value[i] = *(const double *)(const void *)((const char *)(t + i) + offset);
    return cli_median(value, n);
}

static snFleshTimes medians(const snFleshTimes *t, int32_t n)
{
    snFleshTimes m = {.wall = median(t, n, offsetof(snFleshTimes, wall)),
                      .cpu = median(t, n, offsetof(snFleshTimes, cpu)),
                      .newton = median(t, n, offsetof(snFleshTimes, newton)),
                      .cg = median(t, n, offsetof(snFleshTimes, cg))};
    for (int32_t i = 0; i < n; ++i) m.error = fmax(m.error, t[i].error);
    return m;
}

/* The frame before (tightly), then this one to a precision. */
static snStatus solve(snDeformer *deformer, snFlesh *flesh, const snFrame *frame, double tolerance, double *point,
                      snFleshTimes *times, snError *error)
{
    clock_t cpu = clock();
    double start = cli_seconds();
    sn_flesh_set_tolerance(flesh, tolerance);
    snStatus status = sn_deform(deformer, frame, point, error);
    if (times) {
        snFleshInfo info = sn_flesh_info(flesh);
        times->wall = cli_seconds() - start, times->cpu = (double)(clock() - cpu) / CLOCKS_PER_SEC;
        times->newton = info.newton, times->cg = info.cg;
    }
    return status;
}

static double furthest(const double *a, const double *b, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i) {
        double d = 0;
        for (int c = 0; c < 3; ++c) d += (a[3 * i + c] - b[3 * i + c]) * (a[3 * i + c] - b[3 * i + c]);
        most = fmax(most, d);
    }
    return sqrt(most);
}

/* Both precisions of one frame, each from the same state after the frame before, and the tight one. */
static snStatus measure_frame(snFleshBench *b, snDeformer *d, snFlesh *flesh, int32_t index, double *point[3],
                              snFleshFigures *f, snFleshTimes *preview, snFleshTimes *final, snError *error)
{
    double now = index / 24.0;
    size_t size = sn_flesh_save(flesh, NULL);
    void *state = malloc(size);
    if (!state) return SN_NO_MEMORY;
    (void)sn_flesh_save(flesh, state);
    snStatus status = solve(d, flesh, sn_playback_at(b->playback, now), PREVIEW, point[0], preview, error);
    if (status == SN_OK) status = sn_flesh_load(flesh, state, size, error);
    if (status == SN_OK) status = solve(d, flesh, sn_playback_at(b->playback, now), FINAL, point[1], final, error);
    snFleshInfo info = sn_flesh_info(flesh);
    f->volume = info.volume_ratio, f->inverted += info.inverted, f->unconverged += !info.converged;
    (void)sn_flesh_save(flesh, state);
    if (status == SN_OK) status = solve(d, flesh, sn_playback_at(b->playback, now), TIGHT, point[2], NULL, error);
    if (status == SN_OK) status = sn_flesh_load(flesh, state, size, error); /* the next one follows the final one */
    free(state);
    int32_t n = sn_deformer_points(d);
    preview->error = furthest(point[0], point[2], n), final->error = furthest(point[1], point[2], n);
    return status;
}

static snStatus measure_frames(snFleshBench *b, snDeformer *d, snFlesh *flesh, snFleshFigures *f, snError *error)
{
    int32_t n = sn_deformer_points(d), first = b->what->first;
    snFleshTimes preview[FRAMES] = {{0}}, final[FRAMES] = {{0}};
    double *all = malloc(9 * (size_t)n * sizeof *all), *point[3] = {all, all + 3 * (size_t)n, all + 6 * (size_t)n};
    snStatus status = all ? SN_OK : SN_NO_MEMORY;
    for (int32_t i = -LEAD; status == SN_OK && i < 0; ++i) {
        snFrame start = *sn_playback_at(b->playback, (first + i) / 24.0);
        start.restart = i == -LEAD;
        status = solve(d, flesh, &start, FINAL, point[0], NULL, error);
    }
    for (int32_t i = 0; status == SN_OK && i < FRAMES; ++i) {
        status = measure_frame(b, d, flesh, first + i, point, f, &preview[i], &final[i], error);
        if (status == SN_OK && cli_progress(b->cli, "flesh", i + 1, FRAMES)) status = SN_CANCELLED;
    }
    f->preview = medians(preview, FRAMES), f->final = medians(final, FRAMES);
    free(all);
    return status;
}

static snStatus measure_size(snFleshBench *b, int32_t tetrahedra, snFleshFigures *f)
{
    snFleshDef def = sn_default_flesh_def();
    snFlesh *flesh = NULL;
    snDeformer *deformer = NULL;
    snError error = {0};
    double start = cli_seconds();
    def.tetrahedra = tetrahedra, def.threads = b->threads;
    snStatus status = sn_create_model_flesh(b->run.spec, &def, cli_progress_callback(b->cli), &flesh, &error);
    if (status == SN_OK) {
        status = sn_flesh_deformer(flesh, &deformer, &error);
        if (status != SN_OK) sn_flesh_destroy(flesh);
    }
    f->build_s = cli_seconds() - start;
    if (status == SN_OK) f->size = sn_flesh_size(flesh);
    if (status == SN_OK) status = measure_frames(b, deformer, flesh, f, &error);
    sn_deformer_destroy(deformer);
    return cli_fail_file(b->cli, status, &error, "flesh");
}

static void tell(const snFleshBench *b, const snFleshFigures *f)
{
    snCli *cli = b->cli;
    cli_say(cli, "%s: %d tetrahedra (%.2f mm, %d nodes, %.0f MB, made in %.1f s), %d threads\n", b->what->motion,
            f->size.tetrahedra, 1e3 * f->size.spacing, f->size.nodes, (double)f->size.bytes / 1e6, f->build_s,
            b->threads);
    cli_say(cli, "    final   %.3f s a frame, %.3f s of processor, %.0f Newton, %.0f CG, %.4f mm off\n", f->final.wall,
            f->final.cpu, f->final.newton, f->final.cg, 1e3 * f->final.error);
    cli_say(cli, "    preview %.3f s a frame, %.3f s of processor, %.0f Newton, %.0f CG, %.4f mm off\n",
            f->preview.wall, f->preview.cpu, f->preview.newton, f->preview.cg, 1e3 * f->preview.error);
    json_open(&cli->json, NULL, '{');
    json_string(&cli->json, "motion", b->what->motion);
    json_integer(&cli->json, "tetrahedra", f->size.tetrahedra);
    json_number(&cli->json, "frame_s", f->final.wall);
    json_number(&cli->json, "preview_frame_s", f->preview.wall);
    json_number(&cli->json, "frame_cpu_s", f->final.cpu);
    json_number(&cli->json, "preview_frame_cpu_s", f->preview.cpu);
    json_number(&cli->json, "newton", f->final.newton);
    json_number(&cli->json, "cg", f->final.cg);
    json_integer(&cli->json, "threads", b->threads);
    json_number(&cli->json, "max_error_mm", 1e3 * f->final.error);
    json_number(&cli->json, "preview_max_error_mm", 1e3 * f->preview.error);
    json_number(&cli->json, "volume_ratio", f->volume);
    json_integer(&cli->json, "inverted", f->inverted);
    json_integer(&cli->json, "unconverged", f->unconverged);
    json_number(&cli->json, "bytes", (double)f->size.bytes);
    json_close(&cli->json, '}');
}

snStatus cli_bench_flesh(snCli *cli)
{
    snFleshBench b = {.cli = cli, .threads = cli->threads > 0 ? cli->threads : 2};
    snStatus status = set_up(&b);
    json_open(&cli->json, "flesh", '[');
    for (int i = 0; status == SN_OK && i < (cli_given(cli, "tetrahedra") ? 1 : SIZES); ++i) {
        snFleshFigures f = {.volume = 1};
        status = measure_size(&b, (int32_t)cli_option_number(cli, "tetrahedra", b.what->size[i]), &f);
        cli_progress_end(cli);
        if (status == SN_OK) tell(&b, &f);
    }
    json_close(&cli->json, ']');
    sn_playback_destroy(b.playback);
    cli_bench_run_free(&b.run);
    return status;
}
