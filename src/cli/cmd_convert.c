/* sinew convert: from one file format to another, chosen by the endings. */
#include "cli.h"

#include "sinew/author.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const mesh_endings[] = {".obj", ".ply", ".stl", ".vtp", NULL};
static const char *const track_endings[] = {".replay.xml",  ".replay.xml.gz",  ".replay.bin",
                                            ".control.xml", ".control.xml.gz", NULL};
static const char *const table_endings[] = {".sto", ".csv", NULL};
static const char *const model_endings[] = {".muscle.xml", ".scene.xml", NULL};

static bool one_of(const char *path, const char *const *endings)
{
    for (; *endings; ++endings)
        if (cli_ends_with(path, *endings)) return true;
    return false;
}

static snStatus convert_mesh(snCli *cli, const char *from, const char *to)
{
    snMesh mesh = {0};
    snError error = {0};
    snStatus status = sn_load_mesh(from, &mesh, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, from);
    json_integer(&cli->json, "vertices", mesh.nvertex);
    json_integer(&cli->json, "triangles", mesh.ntriangle);
    status = sn_save_mesh(&mesh, to, &error);
    if (status == SN_OK) cli_say(cli, "%s: %d vertices, %d triangles\n", to, mesh.nvertex, mesh.ntriangle);
    sn_mesh_free(&mesh);
    return cli_fail_file(cli, status, &error, to);
}

/* A control is a track of bodies alone. */
static snStatus bodies_only(const snTrack *track, snTrack **bodies)
{
    snTrackDef def = *sn_track_def(track);
    def.nstrand = def.nscalar = 0;
    snStatus status = sn_track_create(&def, bodies);
    for (int32_t i = 0; status == SN_OK && i < sn_track_frames(track); ++i)
        status = sn_track_append(*bodies, sn_track_time(track, i), sn_track_pose(track, i), NULL, NULL);
    return status;
}

static snStatus save_track_as(snCli *cli, const snTrack *track, const char *to)
{
    snError error = {0};
    snTrack *bodies = NULL;
    snStatus status;
    if (one_of(to, table_endings)) {
        status = sn_save_table(track, to, cli_option_text(cli, "only", NULL), &error);
    } else if (cli_ends_with(to, ".control.xml") || cli_ends_with(to, ".control.xml.gz")) {
        status = bodies_only(track, &bodies);
        if (status == SN_OK) status = sn_save_track(bodies, to, &error);
        if (bodies) sn_track_destroy(bodies);
    } else {
        status = sn_save_track(track, to, &error);
    }
    return cli_fail_file(cli, status, &error, to);
}

static snStatus convert_track(snCli *cli, const char *from, const char *to)
{
    snTrack *track = NULL;
    snError error = {0};
    snStatus status = sn_load_track(from, &track, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, from);
    json_integer(&cli->json, "frames", sn_track_frames(track));
    status = save_track_as(cli, track, to);
    if (status == SN_OK) cli_say(cli, "%s: %d frames\n", to, sn_track_frames(track));
    sn_track_destroy(track);
    return status;
}

/* The same motion at even times. */
static snStatus resample(const snTrack *track, double rate, snTrack **even)
{
    const snTrackDef def = *sn_track_def(track);
    int32_t frames = sn_track_frames(track);
    double begin = sn_track_time(track, 0), length = sn_track_time(track, frames - 1) - begin;
    double *pose = calloc(7 * (size_t)def.nbody + 1, sizeof *pose);
    snStatus status = pose ? sn_track_create(&def, even) : SN_NO_MEMORY;
    for (int64_t i = 0; status == SN_OK && i < sn_frame_count(length, rate); ++i) {
        double time = begin + (double)i / rate;
        for (int32_t b = 0; b < def.nbody; ++b) sn_track_pose_at(track, b, time, pose + 7 * b, NULL);
        status = sn_track_append(*even, time, pose, NULL, NULL);
    }
    free(pose);
    return status;
}

/* Key poses, a BVH or a shipped motion by name: where the bodies are depends on the model. */
static snStatus convert_motion(snCli *cli, const char *from, const char *to)
{
    snModel *model = NULL;
    snTrack *motion = NULL, *bodies = NULL, *even = NULL;
    snError error = {0};
    snMotionDef def = sn_default_motion_def();
    snMotionSource source = {0};
    def.model = cli_option_text(cli, "model", NULL);
    def.bvh_map = cli_option_text(cli, "bvh-map", NULL);
    def.source = &source;
    snStatus status = cli_compile_model(cli, def.model, NULL, &model);
    if (status != SN_OK) return status;
    status = sn_load_motion(model, from, &def, &motion, &error);
    (void)cli_fail_file(cli, status, &error, from);
    if (status == SN_OK) cli_say_match(cli, &source), cli_say_joints(cli, &source);
    if (status == SN_OK) status = bodies_only(motion, &bodies);
    if (status == SN_OK && cli_given(cli, "frame-rate"))
        status = resample(bodies, cli_option_number(cli, "frame-rate", 0), &even);
    if (status == SN_OK) {
        const snTrack *result = even ? even : bodies;
        json_integer(&cli->json, "frames", sn_track_frames(result));
        status = save_track_as(cli, result, to);
        if (status == SN_OK) cli_say(cli, "%s: %d frames\n", to, sn_track_frames(result));
    }
    if (even) sn_track_destroy(even);
    if (bodies) sn_track_destroy(bodies);
    if (motion) sn_track_destroy(motion);
    sn_model_destroy(model);
    return status;
}

/* Joint angles of a BVH or glTF as key poses, to be looked at and edited. */
static snStatus convert_poses(snCli *cli, const char *from, const char *to)
{
    snError error = {0};
    snPoses *poses = NULL;
    snMotionSource source = {0};
    snMotionDef def = sn_default_motion_def();
    def.model = cli_option_text(cli, "model", NULL);
    def.bvh_map = cli_option_text(cli, "bvh-map", NULL);
    def.source = &source;
    if (!def.model && !def.bvh_map)
        return cli_fail(cli, SN_USAGE, "--model MODEL is missing: the model whose joint angles to write");
    snStatus status = sn_load_motion_poses(from, &def, &poses, &error);
    (void)cli_fail_file(cli, status, &error, from);
    if (status != SN_OK) return status;
    cli_say_match(cli, &source);
    cli_say_joints(cli, &source);
    status = sn_save_poses(poses, to, &error);
    (void)cli_fail_file(cli, status, &error, to);
    if (status == SN_OK) cli_say(cli, "%s: joint angles of %s\n", to, from);
    sn_poses_destroy(poses);
    return status;
}

/* A mapping to fill in, from the joints of a motion to the coordinates of a model. */
static snStatus write_starter_map(snCli *cli, const char *from, const char *to)
{
    snError error = {0};
    snMotionSource source = {0};
    snMotionDef def = sn_default_motion_def();
    def.model = cli_option_text(cli, "model", NULL);
    def.source = &source;
    if (!def.model) return cli_fail(cli, SN_USAGE, "--model MODEL is missing: the model that the mapping is for");
    snStatus status = sn_save_starter_map(from, &def, to, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, from);
    json_integer(&cli->json, "lines_found", source.found);
    json_integer(&cli->json, "lines_wanted", source.wanted);
    cli_say(cli, "%s: %d of %d lines have their joints; %suse it with --bvh-map\n", to, source.found, source.wanted,
            source.found < source.wanted ? "fill in the others, then " : "");
    return SN_OK;
}

/* Puts a changed model in the place of the one it was made from. */
static snStatus replace(snCli *cli, snStatus status, snError *error, snSpec **spec, snSpec *changed)
{
    error->status = status;
    if (status != SN_OK) return cli_fail_error(cli, error);
    sn_spec_destroy(*spec);
    *spec = changed;
    return SN_OK;
}

/* --mirror and --plain; and a scene file of its own, so that the one that was read is not written over. */
static snStatus change_model(snCli *cli, snSpec **spec)
{
    const char *axis = cli_option_text(cli, "mirror", NULL), *names = cli_option_text(cli, "plain", NULL);
    snSpec *changed = NULL;
    snError error = {0};
    snModelDef def = *sn_spec_model(*spec);
    def.scene = "";
    snStatus status = sn_set_model(*spec, &def);
    if (status == SN_OK && axis) {
        status = sn_mirror_spec(*spec, axis[0] - 'x', &changed, &error);
        status = replace(cli, status, &error, spec, changed);
    }
    if (status == SN_OK && names) {
        status = sn_make_plain(*spec, names, &changed, &error);
        status = replace(cli, status, &error, spec, changed);
    }
    return status;
}

static snStatus convert_model(snCli *cli, const char *from, const char *to)
{
    snSpec *spec = NULL;
    snError error = {0};
    snStatus status = cli_load_model(cli, from, &spec);
    if (status == SN_OK) status = change_model(cli, &spec);
    if (status == SN_OK) {
        bool plain = cli_ends_with(to, ".scene.xml");
        int32_t bodies = plain ? 0 : sn_spec_count(spec, SN_KIND_BODY);
        int32_t strands = plain ? 0 : sn_spec_count(spec, SN_KIND_STRAND);
        status = plain ? sn_save_scene(spec, to, &error) : sn_save_model(spec, to, &error);
        (void)cli_fail_file(cli, status, &error, to);
        if (status == SN_OK && plain)
            cli_say(cli, "%s: %d plain nodes\n", to, sn_spec_count(spec, SN_KIND_NODE));
        else if (status == SN_OK)
            cli_say(cli, "%s: %d bodies, %d strands\n", to, bodies, strands);
        json_integer(&cli->json, "bodies", bodies);
        json_integer(&cli->json, "strands", strands);
        json_integer(&cli->json, "nodes", sn_spec_count(spec, SN_KIND_NODE));
    }
    if (spec) sn_spec_destroy(spec);
    return status;
}

static bool is_folder(const char *path)
{
    struct stat info;
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    if (stat(path, &info) == 0) return S_ISDIR(info.st_mode);
    return !strchr(last, '.');
}

/* What the file of another program says and the model does not. */
static void say_missing(snCli *cli, const char *name, int32_t count, const snError *note)
{
    json_open(&cli->json, "missing", '[');
    for (int32_t i = 0; i < count; ++i) {
        json_open(&cli->json, NULL, '{');
        cli_json_error(&cli->json, &note[i]);
        json_close(&cli->json, '}');
    }
    json_close(&cli->json, ']');
    if (count)
        cli_say(cli, "%d thing%s left out or replaced: see %s.missing.txt\n", count, count == 1 ? " is" : "s are",
                name);
}

/* Into a folder, under the name of the file. */
static snStatus convert_folder(snCli *cli, const char *from, const char *to)
{
    snSpec *spec = NULL;
    snError error = {0}, *missing = NULL;
    const snError *note = NULL;
    const char *slash = strrchr(from, '/');
    char name[256];
    (void)snprintf(name, sizeof name, "%s", slash ? slash + 1 : from);
    name[strcspn(name, ".")] = '\0';
    snStatus status = cli_load_model(cli, from, &spec);
    if (status != SN_OK) return status;
    int32_t count = sn_spec_missing(spec, &note); /* kept: a mirrored model is another one, without notes */
    if (count && !(missing = malloc((size_t)count * sizeof *missing)))
        status = cli_fail(cli, SN_NO_MEMORY, "out of memory");
    if (missing) memcpy(missing, note, (size_t)count * sizeof *missing);
    if (status == SN_OK) status = change_model(cli, &spec);
    if (status == SN_OK) {
        status = sn_save_model_folder(spec, to, name, count, missing, &error);
        (void)cli_fail_file(cli, status, &error, to);
    }
    if (status == SN_OK) {
        int32_t bodies = sn_spec_count(spec, SN_KIND_BODY), coordinates = sn_spec_count(spec, SN_KIND_COORDINATE);
        int32_t muscles = sn_spec_count(spec, SN_KIND_LINE_MUSCLE) + sn_spec_count(spec, SN_KIND_STRAND);
        json_integer(&cli->json, "bodies", bodies);
        json_integer(&cli->json, "coordinates", coordinates);
        json_integer(&cli->json, "muscles", muscles);
        cli_say(cli, "%s/%s.muscle.xml: %d bodies, %d coordinates, %d muscles\n", to, name, bodies, coordinates,
                muscles);
        say_missing(cli, name, count, missing);
    }
    free(missing);
    sn_spec_destroy(spec);
    return status;
}

static snStatus run(snCli *cli)
{
    const char *from = cli->argument[0], *to = cli->argument[1];
    json_string(&cli->json, "from", from);
    json_string(&cli->json, "to", to);
    bool to_track = one_of(to, track_endings) || one_of(to, table_endings);
    snStatus (*convert)(snCli *, const char *, const char *) = NULL;
    if (cli_ends_with(to, ".bvhmap"))
        convert = write_starter_map;
    else if (cli_ends_with(to, ".pose.csv") && !one_of(from, track_endings))
        convert = convert_poses;
    else if (cli_given(cli, "model") && to_track)
        convert = convert_motion;
    else if (one_of(from, mesh_endings) && one_of(to, mesh_endings))
        convert = convert_mesh;
    else if (one_of(from, track_endings) && to_track)
        convert = convert_track;
    else if (!one_of(from, track_endings) && one_of(to, model_endings))
        convert = convert_model;
    else if (!one_of(from, track_endings) && !one_of(from, mesh_endings) && is_folder(to))
        return convert_folder(cli, from, to);
    if (!convert)
        return cli_fail(
            cli, SN_USAGE,
            "cannot convert %s to %s: meshes (.obj .ply .stl) become meshes, motion (.replay.xml .replay.bin "
            ".control.xml; others with --model) becomes motion or a table (.sto .csv), a model becomes a .muscle.xml, "
            "a .scene.xml or a folder",
            from, to);
    snStatus status = cli_check_output(cli, to);
    return status == SN_OK ? convert(cli, from, to) : status;
}

static const snOption options[] = {
    {"only", SN_OPTION_TEXT, "PREFIX", "columns of a table whose names start with this, such as tension/", 0, 0},
    {"model", SN_OPTION_TEXT, "MODEL", "the model for key poses, BVH, glTF, or the name of a shipped motion", 0, 0},
    {"bvh-map", SN_OPTION_TEXT, "FILE",
     "with --model: from the joints of a BVH or glTF to those of the model (the model's own)", 0, 0},
    {"frame-rate", SN_OPTION_NUMBER, "F", "with --model: frames a second (those of the motion; 125 for key poses)", 1,
     10000},
    {"mirror", SN_OPTION_CHOICE, "x|y|z", "a model: mirror it across this axis of the scene", 0, 0},
    {"plain", SN_OPTION_TEXT, "NAMES", "a model: remove these primitives and what depends on them; their nodes stay", 0,
     0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_convert = {
    .name = "convert",
    .arguments = "IN OUT",
    .about = "Convert between file formats, chosen by the endings",
    .details = "Meshes (.obj .ply .stl) become meshes; motion (.replay.xml .replay.bin .control.xml, .gz too) becomes "
               "motion or a\n"
               "table (.sto .csv); a model or scene becomes a .muscle.xml with its .scene.xml beside it, in the normal "
               "form, or a\n"
               ".scene.xml alone: plain nodes, no muscles; or a folder that has all of it, meshes too. A model of "
               "OpenSim (.osim) is\n"
               "a model like any other; what ours cannot say of it is listed in NAME.missing.txt and in --json.\n"
               "With --model, key poses, BVH, glTF animations (.glb .gltf) and shipped motions become a .control.xml, "
               "which says where\n"
               "the bodies are; a BVH or glTF also becomes key poses (.pose.csv), which you can edit, or a .bvhmap: a "
               "mapping to fill in\n"
               "if the joints of the file have names of their own (sinew convert shot.bvh my.bvhmap --model body).",
    .example = "sinew convert lift.replay.xml lift.csv --only tension/",
    .output = "lift.csv: 26 frames",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run,
};
