/* sinew export: a replay for other programs: point caches, GLB, a page, tables. */
#include "deformed.h"
#include "live_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SKIN_OPACITY = 0.45; /* so that bones and strands show through it */
enum { SKIN_SHAPES = 24 };               /* of the skin in a GLB; each is some 100 kB */

typedef struct snExport {
    snCli *cli;
    const char *from;
    char to[4096];
    snTrack *replay, *motion;
    snSpec *spec;
    snFrames frames;
    snMesh *bone; /* per body of the replay, in its axes */
    snDeformed skinned;
} snExport;

/* ---- points --------------------------------------------------------------------------------- */

/* What goes into a point cache: how many points, which triangles, and where the points are at a time. */
typedef struct snPoints {
    int32_t npoint, ntriangle;
    const int32_t *triangle;
    int32_t *own; /* triangles of ours */
    snStatus (*at)(snExport *e, double time, double *point, snError *error);
} snPoints;

static snStatus strands_at(snExport *e, double time, double *point, snError *error)
{
    (void)error;
    sn_track_points_at(e->replay, time, point);
    return SN_OK;
}

/* v + 2 w (u x v) + 2 u x (u x v) */
static void rotate(const double q[4], const double v[3], double out[3])
{
    double c[3] = {q[2] * v[2] - q[3] * v[1], q[3] * v[0] - q[1] * v[2], q[1] * v[1] - q[2] * v[0]};
    out[0] = v[0] + 2 * (q[0] * c[0] + q[2] * c[2] - q[3] * c[1]);
    out[1] = v[1] + 2 * (q[0] * c[1] + q[3] * c[0] - q[1] * c[2]);
    out[2] = v[2] + 2 * (q[0] * c[2] + q[1] * c[1] - q[2] * c[0]);
}

static snStatus bones_at(snExport *e, double time, double *point, snError *error)
{
    (void)error;
    for (int32_t b = 0; b < sn_track_def(e->replay)->nbody; ++b) {
        double pose[7];
        sn_track_pose_at(e->replay, b, time, pose, NULL);
        for (int32_t i = 0; i < e->bone[b].nvertex; ++i, point += 3) {
            rotate(pose + 3, e->bone[b].vertex + 3 * i, point);
            for (int k = 0; k < 3; ++k) point[k] += pose[k];
        }
    }
    return SN_OK;
}

static snStatus gather_bones(snExport *e, snPoints *points)
{
    const snTrackDef *def = sn_track_def(e->replay);
    snError error = {0};
    e->bone = calloc((size_t)def->nbody + 1, sizeof *e->bone);
    if (!e->bone) return cli_fail(e->cli, SN_NO_MEMORY, "out of memory");
    for (int32_t b = 0; b < def->nbody; ++b) {
        snStatus status = sn_body_mesh(e->spec, def->body_name[b], &e->bone[b], &error);
        if (status != SN_OK) return cli_fail_file(e->cli, status, &error, e->from);
        points->npoint += e->bone[b].nvertex;
        points->ntriangle += e->bone[b].ntriangle;
    }
    if (points->npoint == 0) return cli_fail(e->cli, SN_BAD_INPUT, "the bodies of the model have no meshes");
    points->triangle = points->own = calloc(3 * (size_t)points->ntriangle, sizeof *points->own);
    if (!points->own) return cli_fail(e->cli, SN_NO_MEMORY, "out of memory");
    int32_t *to = points->own, first = 0;
    for (int32_t b = 0; b < def->nbody; first += e->bone[b++].nvertex)
        for (int32_t i = 0; i < 3 * e->bone[b].ntriangle; ++i) *to++ = first + e->bone[b].triangle[i];
    points->at = bones_at;
    return SN_OK;
}

static snStatus gather_strands(snExport *e, snPoints *points)
{
    points->npoint = sn_track_points(e->replay);
    points->at = strands_at;
    if (points->npoint > 0) return SN_OK;
    return cli_fail(e->cli, SN_BAD_INPUT, "%s has no strands", e->from);
}

static snStatus skin_at(snExport *e, double time, double *point, snError *error)
{
    snStatus status = cli_deform_at(&e->skinned, time, point);
    if (status != SN_OK) *error = e->skinned.error;
    return status;
}

static snStatus open_flesh(snExport *e)
{
    snFleshDef def = sn_default_flesh_def();
    snFlesh *flesh = NULL;
    cli_flesh_quality(e->cli, "flesh", &def);
    def.threads = e->cli->threads, def.muscles = cli_given(e->cli, "muscles");
    return cli_flesh_open(e->cli, e->spec, e->replay, &def, &flesh, &e->skinned);
}

/* A surface to show: the model's own skin or one that a library or flesh brings. */
static bool has_surface(const snExport *e)
{
    return cli_has_skin(e->spec) || cli_given(e->cli, "library") || cli_given(e->cli, "flesh");
}

static snStatus open_skin(snExport *e)
{
    snModelSkinDef def = sn_default_model_skin_def();
    const char *library = cli_option_text(e->cli, "library", NULL);
    if (library) return cli_library_open(e->cli, e->spec, e->replay, library, &e->skinned);
    if (cli_given(e->cli, "flesh")) return open_flesh(e);
    def.prominence = cli_option_number(e->cli, "prominence", def.prominence);
    return cli_skin_open(e->cli, e->spec, e->replay, &def, NULL, &e->skinned);
}

static snStatus gather_skin(snExport *e, snPoints *points)
{
    snStatus status = open_skin(e);
    points->npoint = e->skinned.nvertex, points->ntriangle = e->skinned.ntriangle;
    points->triangle = e->skinned.triangle, points->at = skin_at;
    return status;
}

static snStatus write_frames(snExport *e, const snPoints *points, snCacheWriter *writer)
{
    snError error = {0};
    double *point = malloc(3 * (size_t)points->npoint * sizeof *point);
    snStatus status = point ? SN_OK : SN_NO_MEMORY;
    for (int32_t i = 0; status == SN_OK && i < e->frames.count; ++i) {
        status = points->at(e, cli_frame_time(&e->frames, i), point, &error);
        if (status == SN_OK) status = sn_cache_append(writer, point, &error);
        if (status == SN_OK && cli_progress(e->cli, "export", i + 1, e->frames.count)) status = SN_CANCELLED;
    }
    free(point);
    if (status == SN_OK || status == SN_CANCELLED) {
        snStatus finished = sn_cache_finish(writer, &error);
        return cli_fail_file(e->cli, finished != SN_OK ? finished : status, &error, e->to);
    }
    sn_cache_abandon(writer);
    return cli_fail_file(e->cli, status, &error, e->to);
}

static snStatus write_cache(snExport *e, const snPoints *points, snCacheFormat format)
{
    snCacheDef def = sn_default_cache_def();
    snCacheWriter *writer = NULL;
    snError error = {0};
    if (format == SN_CACHE_OBJ && points->ntriangle == 0)
        return cli_fail(e->cli, SN_USAGE, "strands have no triangles for an OBJ: --what skin or bones, or --to pc2");
    def.format = format, def.npoint = points->npoint, def.frames = e->frames.count, def.rate = e->frames.rate;
    def.ntriangle = points->ntriangle, def.triangle = points->triangle;
    snStatus status = sn_cache_create(&def, e->to, &writer, &error);
    if (status != SN_OK) return cli_fail_file(e->cli, status, &error, e->to);
    status = write_frames(e, points, writer);
    json_integer(&e->cli->json, "points", points->npoint);
    char name[CLI_CACHE_NAME];
    if (status == SN_OK)
        cli_say(e->cli, "%s: %d frames of %d points, %g a second\n",
                cli_cache_name(e->to, e->frames.count, name, sizeof name), e->frames.count, points->npoint,
                e->frames.rate);
    return status;
}

/* The skin where the model has one, else the strands, or the bones where triangles are wanted. */
static snStatus export_points(snExport *e, snCacheFormat format)
{
    snPoints points = {0};
    const char *otherwise = has_surface(e) ? "skin" : format == SN_CACHE_OBJ ? "bones" : "strands";
    const char *what = cli_option_text(e->cli, "what", otherwise);
    snStatus status;
    if (strcmp(what, "skin") == 0)
        status = gather_skin(e, &points);
    else if (strcmp(what, "bones") == 0)
        status = gather_bones(e, &points);
    else
        status = gather_strands(e, &points);
    if (status == SN_OK) status = write_cache(e, &points, format);
    free(points.own);
    json_string(&e->cli->json, "what", what);
    return status;
}

static snStatus export_pc2(snExport *e)
{
    return export_points(e, SN_CACHE_PC2);
}

static snStatus export_mdd(snExport *e)
{
    return export_points(e, SN_CACHE_MDD);
}

static snStatus export_obj(snExport *e)
{
    return export_points(e, SN_CACHE_OBJ);
}

/* ---- whole scenes and tables ------------------------------------------------------------------ */

static bool with_skin(const snExport *e)
{
    return has_surface(e) && !cli_given(e->cli, "no-skin");
}

/* The skin as a skinned mesh with shapes for what the bones do not explain. */
static snStatus save_skinned_glb(snExport *e, snGlbDef *def, snError *error)
{
    const snDeformed *s = &e->skinned;
    snMesh mesh = {.nvertex = s->nvertex, .ntriangle = s->ntriangle, .vertex = s->vertex};
    size_t size = 3 * (size_t)s->ntriangle * sizeof *mesh.triangle;
    int32_t *bone = cli_deform_replay_bones(s);
    double *rest = cli_deform_replay_rest(s);
    mesh.triangle = malloc(size + 1);
    snStatus status = bone && rest && mesh.triangle ? SN_OK : SN_NO_MEMORY;
    if (status == SN_OK) {
        memcpy(mesh.triangle, s->triangle, size);
        def->skin = &mesh, def->rest_pose = rest, def->skin_bone = bone, def->skin_weight = s->weight;
        def->skin_at = cli_deform_at, def->skin_user = &e->skinned;
        def->skin_opacity = SKIN_OPACITY, def->max_shapes = SKIN_SHAPES;
        status = sn_save_model_glb(e->spec, def, e->to, error);
    }
    free(mesh.triangle);
    free(bone);
    free(rest);
    return status;
}

static snStatus export_glb(snExport *e)
{
    snGlbDef def = sn_default_glb_def();
    snError error = {0};
    snStatus status = with_skin(e) ? open_skin(e) : SN_OK;
    if (status != SN_OK) return status;
    if (with_skin(e)) status = cli_deform_bind(e->cli, &e->skinned);
    if (status != SN_OK) return status;
    def.track = e->replay;
    def.rate = cli_option_number(e->cli, "frame-rate", def.rate);
    status = with_skin(e) ? save_skinned_glb(e, &def, &error) : sn_save_model_glb(e->spec, &def, e->to, &error);
    if (status != SN_OK) return cli_fail_file(e->cli, status, &error, e->to);
    cli_say(e->cli, "%s: %.3g s, %.2f MB\n", e->to, cli_frame_time(&e->frames, e->frames.count - 1),
            1e-6 * (double)cli_file_size(e->to));
    return SN_OK;
}

static double replay_rate(const snExport *e)
{
    int32_t last = sn_track_frames(e->replay) - 1;
    double length = last > 0 ? sn_track_time(e->replay, last) - sn_track_time(e->replay, 0) : 0;
    return length > 0 ? last / length : e->frames.rate;
}

/* Said before minutes of flesh are computed for a page that is not there. */
static snStatus check_page(snExport *e)
{
    snError error = {0};
    char *page = NULL;
    size_t size = 0;
    snStatus status = sn_load_page(&page, &size, &error);
    sn_studio_free(page);
    return cli_fail_file(e->cli, status, &error, e->to);
}

static snStatus save_page(snExport *e, snStudioDef *def, snError *error)
{
    snStudioSkin skin;
    snStatus status = e->skinned.deformer ? cli_deform_for_page(e->cli, &e->skinned, e->spec, &skin) : SN_OK;
    if (e->skinned.deformer) def->skin = &skin;
    if (status == SN_OK && cli_given(e->cli, "frame-rate"))
        skin.stride = (int32_t)fmax(1, round(replay_rate(e) / e->frames.rate));
    if (status == SN_OK) status = sn_save_html(def, e->to, error);
    cli_progress_end(e->cli);
    return status;
}

/* The page as above, or with the simulation inside. */
static snStatus save_live(snExport *e, snStudioDef *def, snError *error)
{
    snLivePage live = {0};
    snModel *model = NULL;
    snStatus status = SN_OK;
    def->solver = cli_given(e->cli, "live");
    if (def->solver) status = sn_compile(e->spec, &model, error);
    if (status == SN_OK && def->solver) status = cli_live_page(e->cli, def->name, e->spec, model, &live, def);
    if (status == SN_OK) status = save_page(e, def, error);
    cli_live_page_free(&live);
    if (model) sn_model_destroy(model);
    return status;
}

static snStatus export_html(snExport *e)
{
    snStudioDef def = sn_default_studio_def();
    snError error = {0};
    const char *motion = cli_option_text(e->cli, "motion", NULL), *model = cli_option_text(e->cli, "model", NULL);
    char stem[4096];
    snStatus status = check_page(e);
    if (status == SN_OK && !motion) cli_load_followed(e->replay, e->from, model, e->spec, &e->motion);
    if (status == SN_OK && motion) status = cli_replay_motion(e->cli, e->replay, model, e->spec, motion, &e->motion);
    const char *soft = cli_option_text(e->cli, "library", NULL);
    if (status == SN_OK && soft)
        status = cli_fail_file(e->cli, sn_load_library(soft, &def.library, &error), &error, soft);
    else if (status == SN_OK && with_skin(e))
        status = open_skin(e);
    if (status != SN_OK) return status;
    cli_stem(e->from, stem, sizeof stem);
    const char *slash = strrchr(stem, '/');
    def.spec = e->spec, def.replay = e->replay, def.target = e->motion;
    def.name = model ? model : sn_track_def(e->replay)->model;
    def.title = slash ? slash + 1 : stem;
    status = save_live(e, &def, &error);
    sn_library_destroy(def.library);
    if (status != SN_OK) return cli_fail_file(e->cli, status, &error, e->to);
    cli_say(e->cli, "%s: %d frames, %.2f MB; open it in a browser\n", e->to, e->frames.count,
            1e-6 * (double)cli_file_size(e->to));
    return SN_OK;
}

static snStatus export_table(snExport *e)
{
    snError error = {0};
    snStatus status = sn_save_table(e->replay, e->to, cli_option_text(e->cli, "only", NULL), &error);
    if (status != SN_OK) return cli_fail_file(e->cli, status, &error, e->to);
    cli_say(e->cli, "%s: %d rows\n", e->to, e->frames.count);
    return SN_OK;
}

/* ---- the command ------------------------------------------------------------------------------ */

typedef struct snFormat {
    const char *name, *ending;
    bool needs_model;
    snStatus (*write)(snExport *e);
} snFormat;

static const snFormat formats[] = {
    {"pc2", ".pc2", true, export_pc2},    {"mdd", ".mdd", true, export_mdd},
    {"obj", ".obj", true, export_obj},    {"glb", ".glb", true, export_glb},
    {"html", ".html", true, export_html}, {"sto", ".sto", false, export_table},
    {"csv", ".csv", false, export_table}, {NULL, NULL, false, NULL},
};

static const snFormat *find_format(const char *text, bool by_ending)
{
    for (const snFormat *f = formats; text && f->name; ++f)
        if (by_ending ? cli_ends_with(text, f->ending) : strcmp(text, f->name) == 0) return f;
    return NULL;
}

/* The format is said by --to or by the ending of -o; where to is said by -o or follows from the name of the replay. */
static snStatus choose(snExport *e, const snFormat **format)
{
    const char *out = cli_option_text(e->cli, "o", NULL), *to = cli_option_text(e->cli, "to", NULL);
    *format = to ? find_format(to, false) : find_format(out, true);
    if (!*format)
        return cli_fail(e->cli, SN_USAGE, "--to FORMAT is missing: one of pc2, mdd, obj, glb, html, sto, csv");
    if (out && !cli_ends_with(out, (*format)->ending))
        return cli_fail(e->cli, SN_USAGE, "-o %s does not end in %s, as --to %s asks", out, (*format)->ending,
                        (*format)->name);
    char stem[4000];
    cli_stem(e->from, stem, sizeof stem);
    if (out)
        (void)snprintf(e->to, sizeof e->to, "%s", out);
    else
        (void)snprintf(e->to, sizeof e->to, "%s%s", stem, (*format)->ending);
    if (strcmp(e->to, e->from) == 0) return cli_fail(e->cli, SN_USAGE, "%s would overwrite itself", e->from);
    return cli_check_output(e->cli, e->to);
}

static void tear_down(snExport *e)
{
    for (int32_t b = 0; e->bone && b < sn_track_def(e->replay)->nbody; ++b) sn_mesh_free(&e->bone[b]);
    free(e->bone);
    cli_deform_close(&e->skinned);
    if (e->motion) sn_track_destroy(e->motion);
    if (e->replay) sn_track_destroy(e->replay);
    if (e->spec) sn_spec_destroy(e->spec);
}

static snStatus run(snCli *cli)
{
    snExport e = {.cli = cli, .from = cli->argument[0]};
    const snFormat *format = NULL;
    snStatus status = choose(&e, &format);
    if (status == SN_OK && cli_given(cli, "muscles") && !cli_given(cli, "flesh"))
        status = cli_fail(cli, SN_USAGE, "--muscles needs --flesh: without it, muscles do not deform");
    if (status == SN_OK && cli_given(cli, "live") && strcmp(format->name, "html") != 0)
        status = cli_fail(cli, SN_USAGE, "--live needs --to html: only a page can simulate");
    if (status == SN_OK) status = cli_load_replay(cli, e.from, &e.replay);
    if (status == SN_OK) {
        e.frames = cli_frames(e.replay, cli_option_number(cli, "frame-rate", 0));
        if (format->needs_model)
            status = cli_replay_model(cli, e.replay, e.from, cli_option_text(cli, "model", NULL), &e.spec);
    }
    if (status == SN_OK) status = format->write(&e);
    if (status == SN_OK) {
        json_string(&cli->json, "file", e.to);
        json_string(&cli->json, "format", format->name);
        json_integer(&cli->json, "frames", e.frames.count);
        json_number(&cli->json, "frame_rate", e.frames.rate);
        json_integer(&cli->json, "bytes", cli_file_size(e.to));
    }
    tear_down(&e);
    return status;
}

static const snOption options[] = {
    {"to", SN_OPTION_CHOICE, "pc2|mdd|obj|glb|html|sto|csv", "the format (by the ending of OUT)", 0, 0},
    {"o", SN_OPTION_TEXT, "OUT", "file to write (that of the replay with the ending of the format)", 0, 0},
    {"model", SN_OPTION_TEXT, "MODEL", "the model of the replay (the one that it names)", 0, 0},
    {"what", SN_OPTION_CHOICE, "skin|strands|bones", "points of pc2, mdd, obj (skin if the model has one)", 0, 0},
    {"library", SN_OPTION_TEXT, "FILE", "soft muscles of this deformation library instead of the skin (sinew library)",
     0, 0},
    {"flesh", SN_OPTION_CHOICE, "draft|preview|final", "the skin by finite elements, at this quality (sinew flesh)", 0,
     0},
    {"muscles", SN_OPTION_FLAG, "", "with --flesh: the muscle meshes of the scene too, which deform with it", 0, 0},
    {"no-skin", SN_OPTION_FLAG, "", "glb, html: bones and strands only", 0, 0},
    {"prominence", SN_OPTION_NUMBER, "X", "how far tendons stand out of the skin: 0 not at all (1)", 0, 10},
    {"frame-rate", SN_OPTION_NUMBER, "F", "frames a second, interpolated (the replay's own)", 1, 1000},
    {"motion", SN_OPTION_TEXT, "MOTION",
     "html: the motion that was followed, shown as a wireframe (the one that the report names)", 0, 0},
    {"live", SN_OPTION_FLAG, "", "html: the page also simulates by itself, without a server", 0, 0},
    {"only", SN_OPTION_TEXT, "PREFIX", "sto, csv: columns whose names start with this, such as activation/", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_export = {
    .name = "export",
    .arguments = "REPLAY --to FORMAT [-o OUT]",
    .about = "Export a replay for other programs: point caches, GLB, a page, tables",
    .details = "pc2 and mdd are point caches that animation tools play; obj is one numbered file for each frame. glb "
               "plays in any\n"
               "viewer: bones, strands coloured by their activation, and the skin. html is the studio's page in one "
               "file that needs no\n"
               "server. sto and csv are tables of activations, forces and lengths. The model is found by the name in "
               "the replay.",
    .example = "sinew export out.replay.xml --to glb",
    .output = "out.glb: 3.4 s, 7.21 MB",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
