/* sinew skin: the skin of a model over a replay, with the tendons under it, as a point cache. */
#include "deformed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct snSkinRun {
    snCli *cli;
    const char *to;
    snSpec *spec;
    snTrack *replay;
    snDeformed skinned;
    double *influence, *weight;
    int32_t *weight_body;
    snCacheReader *base;
    float *base_point; /* of a frame */
    snModelSkinDef def;
    snCacheDef cache;
    snFrames frames;
    int32_t first, count;                                            /* frames of them to do */
    double seconds, deform_seconds, bulge_seconds, low, high, bulge; /* what came out */
    int32_t done;
} snSkinRun;

static snStatus read_options(snSkinRun *run)
{
    snCli *cli = run->cli;
    run->to = cli_option_text(cli, "o", NULL);
    if (!run->to) return cli_fail(cli, SN_USAGE, "-o OUT is missing: a .pc2, .mdd or .obj to write");
    run->cache = sn_default_cache_def();
    if (cli_ends_with(run->to, ".pc2"))
        run->cache.format = SN_CACHE_PC2;
    else if (cli_ends_with(run->to, ".mdd"))
        run->cache.format = SN_CACHE_MDD;
    else if (cli_ends_with(run->to, ".obj"))
        run->cache.format = SN_CACHE_OBJ;
    else
        return cli_fail(cli, SN_USAGE, "-o %s: a skin is written as .pc2, .mdd or .obj", run->to);
    if (cli_given(cli, "linear") && cli_given(cli, "dual-quaternion"))
        return cli_fail(cli, SN_USAGE, "--linear and --dual-quaternion cannot be combined");
    if (cli_given(cli, "base") && cli_given(cli, "library"))
        return cli_fail(cli, SN_USAGE, "--base and --library cannot be combined");
    run->def = sn_default_model_skin_def();
    if (cli_given(cli, "linear")) run->def.blend = SN_SKIN_LINEAR;
    if (cli_given(cli, "dual-quaternion")) run->def.blend = SN_SKIN_DUAL_QUATERNION;
    run->def.mesh = cli_option_text(cli, "mesh", NULL);
    run->def.prominence = cli_option_number(cli, "prominence", run->def.prominence);
    /* the muscles of a library have their bellies already */
    run->def.belly = cli_option_number(cli, "belly", cli_given(cli, "library") ? 0 : run->def.belly);
    run->def.height = cli_option_number(cli, "height", NAN);
    run->def.lateral = cli_option_number(cli, "lateral", NAN) / 1e3;
    run->def.depth = cli_option_number(cli, "depth", NAN) / 1e3;
    run->def.base_given = cli_given(cli, "base");
    return cli_check_output(cli, run->to);
}

/* Bone weights name bodies; the skin takes their indices among the enabled ones. */
static snStatus read_weights(snSkinRun *run, int32_t nvertex)
{
    const char *path = cli_option_text(run->cli, "weights", NULL);
    int32_t nbody = sn_spec_count(run->spec, SN_KIND_BODY), count = 0;
    snError error = {0};
    if (!path || run->def.base_given) return SN_OK;
    const char **name = calloc((size_t)nbody + 1, sizeof *name);
    run->weight = calloc(4 * (size_t)nvertex + 1, sizeof *run->weight);
    run->weight_body = calloc(4 * (size_t)nvertex + 1, sizeof *run->weight_body);
    snStatus status = name && run->weight && run->weight_body ? SN_OK : SN_NO_MEMORY;
    for (snId id = 1; status == SN_OK && id <= nbody; ++id)
        if (sn_spec_body(run->spec, id)->enabled) name[count++] = sn_spec_body(run->spec, id)->name;
    if (status == SN_OK)
        status = sn_load_skin_weights(path, nvertex, count, name, run->weight_body, run->weight, &error);
    run->def.weight = run->weight, run->def.weight_body = run->weight_body;
    free(name);
    return cli_fail_file(run->cli, status, &error, path);
}

/* What is given for each vertex of the mesh. */
static snStatus read_influence(snSkinRun *run)
{
    const char *path = cli_option_text(run->cli, "influence", NULL);
    const char *name = run->def.mesh ? run->def.mesh : sn_spec_model(run->spec)->skin;
    snId id = name && *name ? sn_spec_find(run->spec, SN_KIND_NODE, name) : 0;
    snError error = {0};
    if (!id) return SN_OK;
    int32_t n = sn_spec_node(run->spec, id)->nvertex;
    snStatus status = read_weights(run, n);
    if (status != SN_OK || !path) return status;
    run->def.influence = run->influence = calloc((size_t)n + 1, sizeof *run->influence);
    if (!run->influence) return SN_NO_MEMORY;
    return cli_fail_file(run->cli, sn_load_skin_influence(path, n, run->influence, &error), &error, path);
}

static snStatus save_weights(snSkinRun *run)
{
    const char *path = cli_option_text(run->cli, "save-weights", NULL);
    const snDeformed *s = &run->skinned;
    snError error = {0};
    if (!path) return SN_OK;
    int32_t nbody = sn_count(s->model, SN_ITEM_BODY);
    const char **name = calloc((size_t)nbody + 1, sizeof *name);
    if (!name) return SN_NO_MEMORY;
    for (int32_t b = 0; b < nbody; ++b) name[b] = sn_name(s->model, SN_ITEM_BODY, b);
    const snDeformSurface *skin = sn_deformer_surface(s->deformer, 0);
    snStatus status = sn_save_skin_weights(path, s->nvertex, nbody, name, skin->body, skin->weight, &error);
    free(name);
    return cli_fail_file(run->cli, status, &error, path);
}

static snStatus read_base(snSkinRun *run)
{
    snCli *cli = run->cli;
    const char *path = cli_option_text(cli, "base", NULL);
    snError error = {0};
    if (!path) return SN_OK;
    snStatus status = cli_fail_file(cli, sn_cache_open(path, &run->base, &error), &error, path);
    if (status != SN_OK) return status;
    int32_t points = sn_cache_def(run->base)->npoint, frames = sn_cache_def(run->base)->frames;
    if (points != run->skinned.nvertex)
        return cli_fail(cli, SN_BAD_INPUT, "%s has %d points, the skin has %d vertices", path, (int)points,
                        (int)run->skinned.nvertex);
    if (frames != run->count)
        return cli_fail(cli, SN_BAD_INPUT, "%s has %d frames, but there are %d to be written", path, (int)frames,
                        (int)run->count);
    run->base_point = malloc(3 * (size_t)points * sizeof *run->base_point);
    return run->base_point ? SN_OK : SN_NO_MEMORY;
}

static snStatus set_up(snSkinRun *run)
{
    snCli *cli = run->cli;
    snStatus status = read_options(run);
    if (status == SN_OK) status = cli_load_replay(cli, cli->argument[1], &run->replay);
    if (status == SN_OK) status = cli_replay_model(cli, run->replay, cli->argument[1], cli->argument[0], &run->spec);
    if (status == SN_OK) status = read_influence(run);
    if (status == SN_OK) status = cli_choose_frames(cli, run->replay, &run->frames, &run->first, &run->count);
    if (status == SN_OK)
        status =
            cli_skin_open(cli, run->spec, run->replay, &run->def, cli_option_text(cli, "library", NULL), &run->skinned);
    if (status == SN_OK) status = read_base(run);
    if (status != SN_OK) return status;
    run->low = INFINITY, run->high = 0;
    return save_weights(run);
}

static void measure(snSkinRun *run)
{
    snSkinInfo info = sn_skin_info(run->skinned.skin);
    double ratio = info.base_volume > 0 ? info.volume / info.base_volume : 1;
    run->low = fmin(run->low, ratio), run->high = fmax(run->high, ratio);
    run->bulge = fmax(run->bulge, info.max_bulge);
    run->bulge_seconds += info.bulge_seconds;
}

static snStatus write_frames(snSkinRun *run, snCacheWriter *writer, double *vertex, snError *error)
{
    for (run->done = 0; run->done < run->count; ++run->done) {
        double before = cli_seconds(), time = cli_frame_time(&run->frames, run->first + run->done);
        snStatus status = run->base ? sn_cache_next(run->base, run->base_point, error) : SN_OK;
        if (status != SN_OK) return status;
        if (run->base)
            cli_skin_over(&run->skinned, time, run->base_point, vertex);
        else
            status = cli_deform_at(&run->skinned, time, vertex);
        run->deform_seconds += cli_seconds() - before;
        if (status != SN_OK) return *error = run->skinned.error, status;
        measure(run);
        status = sn_cache_append(writer, vertex, error);
        if (status != SN_OK) return status;
        if (cli_progress(run->cli, "skin", run->done + 1, run->count)) return ++run->done, SN_CANCELLED;
    }
    return SN_OK;
}

static snStatus write_cache(snSkinRun *run)
{
    const snDeformed *s = &run->skinned;
    snCacheWriter *writer = NULL;
    snError error = {0};
    double start = cli_seconds(), *vertex = malloc(3 * (size_t)s->nvertex * sizeof *vertex);
    run->cache.npoint = s->nvertex, run->cache.ntriangle = s->ntriangle, run->cache.triangle = s->triangle;
    run->cache.frames = run->count, run->cache.rate = run->frames.rate;
    snStatus status = vertex ? sn_cache_create(&run->cache, run->to, &writer, &error) : SN_NO_MEMORY;
    if (status == SN_OK) {
        status = write_frames(run, writer, vertex, &error);
        if (status == SN_OK || status == SN_CANCELLED) { /* what is finished is kept */
            snStatus finished = sn_cache_finish(writer, &error);
            if (finished != SN_OK) status = finished;
        } else {
            sn_cache_abandon(writer);
        }
    }
    free(vertex);
    run->seconds = cli_seconds() - start;
    return cli_fail_file(run->cli, status, &error, run->to);
}

static void tell(snSkinRun *run)
{
    snCli *cli = run->cli;
    double n = fmax(1, run->done), ms = 1000 * run->deform_seconds / n, length = (run->done - 1) / run->frames.rate;
    cli_say(cli, "%d frames of %d vertices, %.3g ms each; %.3g s with writing: %.3g times real time\n", run->done,
            run->skinned.nvertex, ms, run->seconds, length / run->seconds);
    cli_say(cli, "highest bulge %.3g mm; volume %.2f to %.2f %% of the skin that only follows the bones\n",
            1000 * run->bulge, 100 * run->low, 100 * run->high);
    char name[CLI_CACHE_NAME];
    cli_say(cli, "wrote %s\n", cli_cache_name(run->to, run->done, name, sizeof name));
    json_string(&cli->json, "file", run->to);
    json_integer(&cli->json, "frames", run->done);
    json_integer(&cli->json, "vertices", run->skinned.nvertex);
    json_integer(&cli->json, "triangles", run->skinned.ntriangle);
    json_number(&cli->json, "ms_per_frame", ms);
    json_number(&cli->json, "bulge_ms_per_frame", 1000 * run->bulge_seconds / n);
    json_number(&cli->json, "seconds", run->seconds);
    json_number(&cli->json, "real_time_factor", length / run->seconds);
    json_number(&cli->json, "volume_ratio_min", run->low);
    json_number(&cli->json, "volume_ratio_max", run->high);
    json_number(&cli->json, "max_bulge_mm", 1000 * run->bulge);
}

static snStatus run_command(snCli *cli)
{
    snSkinRun run = {.cli = cli};
    snStatus status = set_up(&run);
    if (status == SN_OK) {
        status = write_cache(&run);
        if (status == SN_OK || status == SN_CANCELLED) tell(&run);
    }
    cli_deform_close(&run.skinned);
    sn_cache_close(run.base);
    free(run.base_point);
    free(run.influence);
    free(run.weight);
    free(run.weight_body);
    if (run.replay) sn_track_destroy(run.replay);
    if (run.spec) sn_spec_destroy(run.spec);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "OUT", "the .pc2, .mdd or .obj to write", 0, 0},
    {"frame-rate", SN_OPTION_NUMBER, "F", "frames a second, interpolated (the replay's own)", 1, 1000},
    {"prominence", SN_OPTION_NUMBER, "X", "how far tendons stand out: 0 not at all, 1 as they are (1)", 0, 10},
    {"belly", SN_OPTION_NUMBER, "X", "how far bellies thicken: 0 not at all, 1 at constant volume (1)", 0, 10},
    {"library", SN_OPTION_TEXT, "FILE",
     "let the soft muscles of this library lift the skin; --belly is then 0 (sinew library)", 0, 0},
    {"linear", SN_OPTION_FLAG, "", "blend the bones linearly", 0, 0},
    {"dual-quaternion", SN_OPTION_FLAG, "", "blend the bones by dual quaternions", 0, 0},
    {"weights", SN_OPTION_TEXT, "FILE", "bone weights from a file (computed from the bones)", 0, 0},
    {"save-weights", SN_OPTION_TEXT, "FILE", "write the bone weights in use", 0, 0},
    {"influence", SN_OPTION_TEXT, "FILE", "influence of tendons for each vertex: first column of a .csv, red of a .ply",
     0, 0},
    {"base", SN_OPTION_TEXT, "FILE",
     "add the bulge to this skin: a .pc2 in world metres, with one frame for each frame written", 0, 0},
    {"frames", SN_OPTION_TEXT, "FIRST:LAST",
     "only these frames, counted from 0; leave out either for all before or after", 0, 0},
    {"height", SN_OPTION_NUMBER, "A", "height of the bulge (the model's skin_a)", 0, 100},
    {"lateral", SN_OPTION_NUMBER, "MM", "how far it reaches sideways (the model's skin_b)", 1e-3, 1000},
    {"depth", SN_OPTION_NUMBER, "MM", "the depth from which a tendon still shows (the model's skin_c)", -1000, 1000},
    {"mesh", SN_OPTION_TEXT, "NODE", "mesh of the scene to deform (the model's skin)", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_skin = {
    .name = "skin",
    .arguments = "MODEL REPLAY -o OUT",
    .about = "Deform the skin with the tendons under it, as a point cache",
    .details = "The skin follows the bones, is raised where a tendon runs under it, and thickens with the bellies of "
               "muscles. With\n"
               "--base, an animation tool has already skinned it, and only the bulge is added. sinew export writes the "
               "skin as GLB\n"
               "or as a page.",
    .example = "sinew skin hand out.replay.xml -o out.pc2 --frame-rate 24",
    .output = "82 frames of 19027 vertices, ... ms each; ... s with writing: ... times real time\n"
              "highest bulge ... mm; volume ... to ... % of the skin that only follows the bones\n"
              "wrote out.pc2",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run_command,
};
