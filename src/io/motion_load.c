/* A motion for a model, whatever the format: found, read, matched with the model, turned into poses of bodies. */
#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "io/bvh.h"
#include "io/file.h"
#include "io/gltf_read.h"
#include "io/motion_library.h"
#include "io/motion_limit.h"
#include "io/own/files.h"
#include "io/pose.h"
#include "model/model.h"
#include "sinew/control.h"
#include "sinew/io.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, MAX_SAMPLES = 1000000 };

static const double GAP_FACTOR = 10; /* times the usual distance of frames ... */
static const double GAP_LEAST = 0.5; /* s: ... and at least this is a hole in a recording */

enum { NENDING = SN_MOTION_ENDINGS };

/* ---- finding -------------------------------------------------------------------------------- */

/* Folder of the model's file with the slash, and the name of the file without .muscle.xml. */
static bool place_of_model(const snMotionDef *def, char *folder, char *stem, size_t size)
{
    char path[PATH_SIZE];
    if (!def->model || sn_find_model(def->model, path, sizeof path, NULL) != SN_OK || strlen(path) >= size)
        return false;
    char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    strcpy(stem, base);
    char *ending = strstr(stem, ".muscle.xml");
    if (ending) *ending = '\0';
    *base = '\0';
    strcpy(folder, path[0] ? path : "./");
    return true;
}

static bool has_ending(const char *name, const char *ending)
{
    return strlen(name) > strlen(ending) && sn_path_ends(name, ending);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Names of the motions in a folder, in alphabetical order, as far as they fit. */
static void list_motions(const char *folder, char *list, size_t size)
{
    enum { MOST = 64, NAME = 64 };
    char name[MOST][NAME];
    size_t count = 0;
    DIR *directory = opendir(folder);
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory)) && count < MOST;)
        for (int i = 0; i < NENDING; ++i) {
            size_t length = strlen(entry->d_name) - strlen(sn_motion_endings[i]);
            if (!has_ending(entry->d_name, sn_motion_endings[i]) || length >= NAME) continue;
            memcpy(name[count], entry->d_name, length);
            name[count++][length] = '\0';
            break;
        }
    closedir(directory);
    qsort(name, count, NAME, by_name);
    for (size_t i = 0; i < count; ++i) {
        size_t used = strlen(list);
        if (used + strlen(name[i]) + 2 < size) snprintf(list + used, size - used, " %s", name[i]);
    }
}

static snStatus fail_unknown(const char *name, const char *folder, snError *error)
{
    char list[230] = "";
    if (folder) list_motions(folder, list, sizeof list);
    sn_fail(error, SN_NO_FILE, "\"%.200s\" is neither a file nor the name of a motion of this model", name);
    if (*list)
        sn_error_remedy(error, "the motions are:%s", list);
    else
        sn_error_remedy(error, "the model has no motions of its own: give the path of a file");
    return SN_NO_FILE;
}

/* FILE.glb#NAME, where the file is there. */
static bool names_animation(const char *name)
{
    char file[PATH_SIZE];
    size_t length;
    if (!name || !sn_is_gltf(name, &length) || length >= sizeof file) return false;
    (void)snprintf(file, sizeof file, "%.*s", (int)length, name);
    return sn_file_exists(file);
}

static snStatus find_motion(const snMotionDef *def, const char *name, char *path, size_t size, snError *error)
{
    char folder[PATH_SIZE], stem[PATH_SIZE], motions[PATH_SIZE + 16];
    if ((sn_file_exists(name) || names_animation(name)) && strlen(name) < size) {
        strcpy(path, name);
        return SN_OK;
    }
    if (!place_of_model(def, folder, stem, sizeof folder)) return fail_unknown(name, NULL, error);
    snprintf(motions, sizeof motions, "%smotions", folder);
    for (int i = 0; *name && !strchr(name, '/') && i < NENDING; ++i) {
        int n = snprintf(path, size, "%s/%s%s", motions, name, sn_motion_endings[i]);
        if (n > 0 && (size_t)n < size && sn_file_exists(path)) return SN_OK;
    }
    char own[PATH_SIZE];
    for (int i = 0; *name && !strchr(name, '/') && sn_user_motion_folder(stem, own, sizeof own) && i < NENDING; ++i) {
        int n = snprintf(path, size, "%s/%s%s", own, name, sn_motion_endings[i]);
        if (n > 0 && (size_t)n < size && sn_file_exists(path)) return SN_OK;
    }
    return fail_unknown(name, motions, error);
}

/* ---- key poses ------------------------------------------------------------------------------ */

static snStatus name_file(snStatus status, const char *path, snError *error)
{
    if (status != SN_OK && error && !error->file[0]) sn_error_place(error, path, error->line, error->column);
    return status;
}

static const double HOLD = 1; /* s: a single pose is held that long */

static double length_of_poses(const snPoses *poses)
{
    if (sn_poses_frames(poses) == 1) return HOLD;
    return sn_poses_time(poses, sn_poses_frames(poses) - 1) - sn_poses_time(poses, 0);
}

static void sample(const snModel *m, const snPoses *poses, const int32_t *column, int32_t count, double *time,
                   double *value, double *row)
{
    int32_t nc = sn_count(m, SN_ITEM_COORDINATE);
    double first = sn_poses_time(poses, 0), length = length_of_poses(poses);
    for (int32_t i = 0; i < count; ++i) {
        time[i] = i + 1 < count ? first + length * i / (count - 1) : first + length;
        sn_poses_at(poses, time[i], row, NULL, NULL);
        for (int32_t c = 0; c < nc; ++c) value[(size_t)i * (size_t)nc + (size_t)c] = column[c] < 0 ? 0 : row[column[c]];
    }
}

static snStatus check_length(double length, double rate, snError *error)
{
    if (ceil(length * rate) <= MAX_SAMPLES) return SN_OK;
    sn_fail(error, SN_BAD_INPUT, "the motion lasts %g s; at most %g s are supported", length,
            floor(MAX_SAMPLES / rate));
    sn_error_remedy(error, "times are in seconds: check the unit in the file, or split the motion");
    return SN_BAD_INPUT;
}

/* Which column drives which coordinate, -1 where the poses say nothing. The words behind the dot are the model's. What
 * a joint does that the model holds still is left out. */
static snStatus match(const snModel *m, const snPoses *poses, int32_t *column, snError *error)
{
    char unknown[400] = "";
    for (int32_t i = 0; i < sn_count(m, SN_ITEM_COORDINATE); ++i) column[i] = -1;
    for (int32_t c = 0; c < sn_poses_columns(poses); ++c) {
        const char *name = sn_poses_name(poses, c);
        int32_t i = sn_find(m, SN_ITEM_COORDINATE, name);
        size_t used = strlen(unknown);
        if (i < 0 && (sn_model_holds(m, name) || sn_pose_is_extra(name))) continue;
        if (i < 0)
            (void)snprintf(unknown + used, sizeof unknown - used, "%s%s", used ? ", " : "", name);
        else if (column[i] >= 0)
            return sn_fail(error, SN_BAD_INPUT, "the columns %.80s and %.80s mean the same coordinate",
                           sn_poses_name(poses, column[i]), name);
        else
            column[i] = c;
    }
    if (!unknown[0]) return SN_OK;
    sn_fail(error, SN_BAD_INPUT, "the model has no joint coordinates called %s", unknown);
    sn_error_remedy(error, "`sinew info` lists the joints of a model and what it calls their motions");
    return SN_BAD_INPUT;
}

static snStatus motion_of_poses(const snModel *m, const snPoses *poses, double rate, const snMotionDef *def,
                                snTrack **motion, snError *error)
{
    int32_t nc = sn_count(m, SN_ITEM_COORDINATE), count = (int32_t)ceil(length_of_poses(poses) * rate) + 1;
    snStatus status = SN_OK;
    int32_t *column = SN_NEW_ARRAY(int32_t, nc);
    double *time = SN_NEW_ARRAY(double, count), *value = SN_NEW_ARRAY(double, (int64_t)count *nc);
    double *row = SN_NEW_ARRAY(double, sn_poses_columns(poses));
    if (column && time && value && row) {
        status = match(m, poses, column, error);
        if (status == SN_OK) {
            sample(m, poses, column, count, time, value, row);
            sn_limit_coordinates(m, count, value, def->source);
            status = sn_motion_from_coordinates(m, count, time, value, motion);
            if (status != SN_OK) sn_fail(error, status, "%s", sn_status_text(status));
        }
    } else
        status = sn_fail_no_memory(error);
    sn_free(column);
    sn_free(time);
    sn_free(value);
    sn_free(row);
    return status;
}

static double rate_of_poses(const snPoses *poses)
{
    int32_t n = sn_poses_frames(poses);
    return n > 1 ? (n - 1) / (sn_poses_time(poses, n - 1) - sn_poses_time(poses, 0)) : 0;
}

static snStatus load_poses(const snModel *m, const char *path, const snMotionDef *def, snTrack **motion, snError *error)
{
    snPoses *poses = NULL;
    snStatus status = sn_load_poses(path, &poses, error);
    if (status != SN_OK) return status;
    if (def->source) def->source->gaps = sn_poses_gaps(poses);
    status = name_file(check_length(length_of_poses(poses), def->sample_rate, error), path, error);
    if (status == SN_OK)
        status = name_file(motion_of_poses(m, poses, def->sample_rate, def, motion, error), path, error);
    sn_poses_destroy(poses);
    return status;
}

/* ---- BVH and glTF --------------------------------------------------------------------------- */

static bool is_skeleton(const char *path)
{
    size_t length;
    return sn_path_ends(path, ".bvh") || sn_is_gltf(path, &length);
}

static snStatus find_map(const snMotionDef *def, const char *path, char *map, size_t size, snError *error)
{
    char folder[PATH_SIZE], stem[PATH_SIZE];
    if (def->bvh_map && strlen(def->bvh_map) < size) {
        strcpy(map, def->bvh_map);
        return SN_OK;
    }
    if (place_of_model(def, folder, stem, sizeof folder)) {
        int n = snprintf(map, size, "%s%s.bvhmap", folder, stem);
        if (n > 0 && (size_t)n < size && sn_file_exists(map)) return SN_OK;
    }
    sn_fail(error, SN_NO_FILE,
            "a BVH or glTF needs a mapping from its joints to those of the model, and the model has none");
    sn_error_place(error, path, 0, 0);
    sn_error_remedy(error, "`sinew convert FILE my.bvhmap --model MODEL` writes one to fill in; use it with --bvh-map");
    return SN_NO_FILE;
}

/* The model that a mapping by bones is for: the one at hand, or the one of that name, which *own then holds. */
static snStatus get_model(const snMotionDef *def, const snModel **model, snModel **own, snError *error)
{
    char path[PATH_SIZE];
    snSpec *spec = NULL;
    *model = def->compiled, *own = NULL;
    if (def->compiled || !def->model) return SN_OK;
    snStatus status = sn_find_model(def->model, path, sizeof path, error);
    if (status == SN_OK) status = sn_load_model(path, &spec, error);
    if (status == SN_OK) status = sn_compile(spec, own, error);
    if (spec) sn_spec_destroy(spec);
    *model = *own;
    return status;
}

static snStatus load_bvh(const snModel *m, const char *path, const snMotionDef *def, double *rate, snTrack **motion,
                         snError *error)
{
    char map[2 * PATH_SIZE];
    snPoses *poses = NULL;
    snStatus status = find_map(def, path, map, sizeof map, error);
    if (status == SN_OK) status = sn_load_bvh_poses(path, map, m, &poses, def->source, error);
    if (status != SN_OK) return status;
    *rate = rate_of_poses(poses);
    double finer = fmax(def->sample_rate, *rate);
    status = name_file(check_length(length_of_poses(poses), finer, error), path, error);
    if (status == SN_OK) status = name_file(motion_of_poses(m, poses, finer, def, motion, error), map, error);
    sn_poses_destroy(poses);
    return status;
}

snStatus sn_save_starter_map(const char *motion, const snMotionDef *def, const char *path, snError *error)
{
    snMotionDef d = def ? *def : sn_default_motion_def();
    char file[2 * PATH_SIZE], map_file[2 * PATH_SIZE];
    const snModel *model = NULL;
    snModel *own = NULL;
    snBvhFile bvh = {0};
    snBvhMap map = {0};
    snStatus status = find_motion(&d, motion, file, sizeof file, error);
    if (status == SN_OK) status = sn_load_skeleton(file, &bvh, error);
    if (status == SN_OK && find_map(&d, file, map_file, sizeof map_file, error) == SN_OK) {
        status = sn_load_bvh_map(map_file, &map, error);
    } else if (status == SN_OK) {
        status = get_model(&d, &model, &own, error);
        if (status == SN_OK && !model) status = sn_fail(error, SN_BAD_INPUT, "the mapping needs a model");
        if (status == SN_OK) status = sn_bvh_map_of_model(model, &map, error);
    }
    if (status == SN_OK) status = sn_write_starter_map(&bvh, &map, file, path, d.source, error);
    sn_bvh_free(&bvh);
    sn_bvh_map_free(&map);
    if (own) sn_model_destroy(own);
    return status;
}

/* ---- tracks --------------------------------------------------------------------------------- */

static snStatus check_bodies(const snModel *m, const snTrack *track, snError *error)
{
    const snTrackDef *def = sn_track_def(track);
    char unknown[256] = "";
    int32_t count = 0;
    for (int32_t c = 0; c < def->nbody; ++c) {
        if (sn_find(m, SN_ITEM_BODY, def->body_name[c]) >= 0) continue;
        size_t used = strlen(unknown);
        ++count;
        if (used < 200)
            snprintf(unknown + used, sizeof unknown - used, "%s\"%.40s\"", used ? ", " : "", def->body_name[c]);
    }
    if (!count && def->nbody > 0) return SN_OK;
    if (!count) return sn_fail(error, SN_BAD_INPUT, "the motion moves no body");
    sn_fail(error, SN_BAD_INPUT, "%d %s not in the model: %s", count, count == 1 ? "body is" : "bodies are", unknown);
    sn_error_remedy(error, "`sinew info --list` names the bodies of a model");
    return SN_BAD_INPUT;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A recording with a hole would be followed along whatever the interpolation makes of it. */
static snStatus check_gaps(const snTrack *track, snError *error)
{
    int32_t n = sn_track_frames(track) - 1;
    if (n < 3) return SN_OK;
    double *step = SN_NEW_ARRAY(double, n);
    if (!step) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < n; ++i) step[i] = sn_track_time(track, i + 1) - sn_track_time(track, i);
    qsort(step, (size_t)n, sizeof *step, ascending);
    double most = fmax(GAP_LEAST, GAP_FACTOR * step[n / 2]);
    sn_free(step);
    for (int32_t i = 0; i < n; ++i) {
        double a = sn_track_time(track, i), b = sn_track_time(track, i + 1);
        if (b - a <= most) continue;
        sn_fail(error, SN_BAD_INPUT, "there is a gap of %.3g s after frame %d, between %g s and %g s", b - a, i + 1, a,
                b);
        sn_error_remedy(error, "fill it with frames, or split the motion there");
        return SN_BAD_INPUT;
    }
    return SN_OK;
}

static snStatus load_track(const snModel *m, const char *path, const snMotionDef *def, double *rate, snTrack **motion,
                           snError *error)
{
    snTrack *track = NULL;
    snStatus status = sn_load_track(path, &track, error);
    if (status != SN_OK) return status;
    int32_t n = sn_track_frames(track);
    double length = sn_track_time(track, n - 1) - sn_track_time(track, 0);
    status = check_bodies(m, track, error);
    if (status == SN_OK) status = check_gaps(track, error);
    if (status == SN_OK) status = check_length(length, def->sample_rate, error);
    if (status != SN_OK) {
        sn_track_destroy(track);
        return name_file(status, path, error);
    }
    *rate = n > 1 ? (n - 1) / length : 0;
    *motion = track;
    return SN_OK;
}

/* ---- all together --------------------------------------------------------------------------- */

/* Poses of bodies over time, not of joints. */
static bool is_track(const char *path)
{
    return sn_path_ends(path, ".xml") || sn_path_ends(path, ".xml.gz") || sn_path_ends(path, ".replay.bin");
}

static snStatus load_any(const snModel *m, const char *path, const snMotionDef *def, double *rate, snTrack **motion,
                         snError *error)
{
    if (is_track(path)) return load_track(m, path, def, rate, motion, error);
    if (is_skeleton(path)) return load_bvh(m, path, def, rate, motion, error);
    for (int i = 0; i < NENDING; ++i)
        if (sn_path_ends(path, sn_motion_endings[i])) return load_poses(m, path, def, motion, error);
    sn_fail(error, SN_BAD_INPUT, "unknown motion format");
    sn_error_place(error, path, 0, 0);
    sn_error_remedy(error, "motions end in .control.xml, .replay.xml, .replay.xml.gz, .replay.bin, .pose.csv, .bvh, "
                           ".glb, .gltf, .sto or .mot");
    return SN_BAD_INPUT;
}

snStatus sn_load_motion_poses(const char *name, const snMotionDef *def, snPoses **poses, snError *error)
{
    snMotionDef taken = sn_default_motion_def();
    if (def && SN_TAKE_DEF(def, snMotionDef, taken, error)) return SN_BAD_ARGUMENT;
    snMotionDef d = def ? *def : sn_default_motion_def();
    char path[2 * PATH_SIZE], map[2 * PATH_SIZE];
    snStatus status = find_motion(&d, name, path, sizeof path, error);
    if (status != SN_OK) return status;
    if (d.source) snprintf(d.source->path, sizeof d.source->path, "%.*s", (int)sizeof d.source->path - 1, path);
    if (is_track(path)) {
        sn_fail(error, SN_BAD_INPUT, "this motion has poses of bodies; joint angles are needed");
        sn_error_place(error, path, 0, 0);
        sn_error_remedy(error, "use key poses (*.pose.csv), .bvh, .glb, .gltf, .sto or .mot");
        return SN_BAD_INPUT;
    }
    if (!is_skeleton(path)) {
        status = name_file(sn_load_poses(path, poses, error), path, error);
        if (status == SN_OK && d.source) d.source->gaps = sn_poses_gaps(*poses);
        return status;
    }
    const snModel *model = NULL;
    snModel *own = NULL;
    status = find_map(&d, path, map, sizeof map, error);
    if (status == SN_OK) status = get_model(&d, &model, &own, error);
    if (status == SN_OK) status = sn_load_bvh_poses(path, map, model, poses, d.source, error);
    if (own) sn_model_destroy(own);
    return status;
}

snStatus sn_load_motion(const snModel *m, const char *name, const snMotionDef *def, snTrack **motion, snError *error)
{
    snMotionDef taken = sn_default_motion_def();
    if (def && SN_TAKE_DEF(def, snMotionDef, taken, error)) return SN_BAD_ARGUMENT;
    snMotionDef d = def ? *def : sn_default_motion_def();
    char path[2 * PATH_SIZE];
    double rate = 0;
    if (!(d.sample_rate >= 10 && d.sample_rate <= 10000))
        return sn_fail(error, SN_BAD_INPUT, "sample rate %g Hz is outside 10 to 10000 Hz", d.sample_rate);
    snStatus status = find_motion(&d, name, path, sizeof path, error);
    if (status == SN_OK) status = load_any(m, path, &d, &rate, motion, error);
    if (status != SN_OK || !d.source) return status;
    /* As written: at 0.0333333 s a frame a round 30 would end just before the last frame. */
    d.source->frame_rate = rate;
    snprintf(d.source->path, sizeof d.source->path, "%.*s", (int)sizeof d.source->path - 1, path);
    return SN_OK;
}
