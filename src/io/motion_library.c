/* See io/own/motions.h. */
#include "io/motion_library.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/own/kept.h"
#include "io/own/motions.h"
#include "motion/poses.h"
#include "sinew/io.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096 };

const char *const sn_motion_endings[SN_MOTION_ENDINGS] = {".pose.csv",
                                                          ".control.xml",
                                                          ".control.xml.gz",
                                                          ".replay.xml",
                                                          ".replay.xml.gz",
                                                          ".replay.bin",
                                                          ".bvh",
                                                          ".glb",
                                                          ".sto",
                                                          ".mot",
                                                          ".csv"};

/* ---- folders ---------------------------------------------------------------------------------- */

bool sn_user_motion_folder(const char *stem, char *path, size_t size)
{
    const char *root = getenv("SINEW_MOTIONS"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length = -1;
    if (!*stem) return false;
    if (root && *root)
        length = snprintf(path, size, "%s/%s", root, stem);
    else if (data && *data)
        length = snprintf(path, size, "%s/sinew/motions/%s", data, stem);
    else if (home && *home)
        length = snprintf(path, size, "%s/.local/share/sinew/motions/%s", home, stem);
    return length > 0 && (size_t)length < size;
}

/* Folder of the model's own motions, and the stem of its file. */
static bool own_folder(const char *model, char *folder, char *stem, size_t size)
{
    char path[PATH_SIZE];
    if (!model || sn_find_model(model, path, sizeof path, NULL) != SN_OK) return false;
    char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *ending = strstr(base, ".muscle.xml");
    if (snprintf(stem, size, "%.*s", (int)(ending ? ending - base : (long)strlen(base)), base) >= (int)size)
        return false;
    *base = '\0';
    return snprintf(folder, size, "%smotions", path) < (int)size;
}

snStatus sn_motion_folder(const char *model_name, char *path, size_t size, snError *error)
{
    char folder[PATH_SIZE], stem[PATH_SIZE];
    if (!own_folder(model_name, folder, stem, sizeof folder))
        return sn_find_model(model_name, folder, sizeof folder, error);
    if (strchr(model_name, '/') || sn_path_ends(model_name, ".xml")) {
        if (snprintf(path, size, "%s", folder) < (int)size) return SN_OK;
    } else if (sn_user_motion_folder(stem, path, size)) {
        return SN_OK;
    }
    sn_fail(error, SN_NO_FILE, "there is no folder for motions of your own");
    sn_error_remedy(error, "set SINEW_MOTIONS to a folder");
    return SN_NO_FILE;
}

/* ---- listing ---------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const snMotionEntry *)a)->name, ((const snMotionEntry *)b)->name);
}

/* The name of a motion file without its ending; false: it is none. */
static bool motion_name(const char *file, char *name, size_t size)
{
    for (int i = 0; i < SN_MOTION_ENDINGS; ++i) {
        size_t length = strlen(file), ending = strlen(sn_motion_endings[i]);
        if (length <= ending || !sn_path_ends(file, sn_motion_endings[i])) continue;
        return snprintf(name, size, "%.*s", (int)(length - ending), file) < (int)size;
    }
    return false;
}

static int32_t list_folder(const char *folder, bool own, snMotionEntry *entry, int32_t count, int32_t most)
{
    DIR *directory = opendir(folder);
    int32_t first = count;
    if (!directory) return count;
    for (struct dirent *item; (item = readdir(directory));) {
        snMotionEntry e = {.own = own};
        if (item->d_name[0] == '.' || !motion_name(item->d_name, e.name, sizeof e.name)) continue;
        if (snprintf(e.path, sizeof e.path, "%s/%s", folder, item->d_name) >= (int)sizeof e.path) continue;
        if (count < most) entry[count] = e;
        ++count;
    }
    (void)closedir(directory);
    int32_t stored = (count < most ? count : most) - first;
    if (stored > 1) qsort(entry + first, (size_t)stored, sizeof *entry, by_name);
    return count;
}

int32_t sn_list_motions(const char *model, snMotionEntry *entry, int32_t most)
{
    char folder[PATH_SIZE], stem[PATH_SIZE], user[PATH_SIZE];
    if (!own_folder(model, folder, stem, sizeof folder)) return 0;
    int32_t count = list_folder(folder, false, entry, 0, most);
    return sn_user_motion_folder(stem, user, sizeof user) ? list_folder(user, true, entry, count, most) : count;
}

/* ---- examining -------------------------------------------------------------------------------- */

static void look_at(const snModel *model, const snPoses *poses, double time, const double *value,
                    const double *velocity, snMotionSummary *s)
{
    for (int32_t c = 0; c < sn_poses_columns(poses); ++c) {
        const char *name = sn_poses_name(poses, c);
        int32_t index = sn_find(model, SN_ITEM_COORDINATE, name);
        double range[2];
        if (index < 0) continue;
        sn_coordinate_range(model, index, range);
        double beyond = fmax(range[0] - value[c], value[c] - range[1]);
        if (beyond > s->beyond + 1e-9) {
            s->beyond = beyond, s->beyond_time = time;
            (void)snprintf(s->beyond_name, sizeof s->beyond_name, "%s", name);
        }
        if (fabs(velocity[c]) > s->fastest) {
            s->fastest = fabs(velocity[c]);
            (void)snprintf(s->fastest_name, sizeof s->fastest_name, "%s", name);
        }
    }
}

static snStatus examine_poses(const snModel *model, const snPoses *poses, snMotionSummary *s, snError *error)
{
    enum { RATE = 100, MOST = 100000 };
    int32_t columns = sn_poses_columns(poses), frames = sn_poses_frames(poses);
    double *value = SN_NEW_ARRAY(double, 2 * (size_t)columns), *velocity = value ? value + columns : NULL;
    double first = sn_poses_time(poses, 0), last = sn_poses_time(poses, frames - 1);
    if (!value) return sn_fail_no_memory(error);
    s->frames = frames, s->coordinates = columns;
    int32_t samples = (int32_t)fmin(MOST, ceil((last - first) * RATE));
    for (int32_t i = 0; i <= samples; ++i) {
        double time = samples > 0 ? first + (last - first) * i / samples : first;
        sn_poses_at(poses, time, value, velocity, NULL);
        look_at(model, poses, time, value, velocity, s);
    }
    sn_free(value);
    return SN_OK;
}

snStatus sn_examine_motion(const snModel *model, const char *model_name, const char *motion, snMotionSummary *summary,
                           snError *error)
{
    snMotionSummary s = {0};
    snMotionSource source = {0};
    snMotionDef def = sn_default_motion_def();
    snTrack *track = NULL;
    snPoses *poses = NULL;
    def.model = model_name, def.source = &source;
    snStatus status = sn_load_motion(model, motion, &def, &track, error);
    if (status != SN_OK) return status;
    s.frames = sn_track_frames(track), s.frame_rate = source.frame_rate;
    if (s.frames > 0) s.seconds = sn_track_time(track, s.frames - 1) - sn_track_time(track, 0);
    sn_track_destroy(track);
    /* joint angles are there for files that have them; the others are poses of bodies and have been matched above */
    if (sn_load_motion_poses(motion, &def, &poses, NULL) == SN_OK) status = examine_poses(model, poses, &s, error);
    sn_poses_destroy(poses);
    if (status == SN_OK) *summary = s;
    return status;
}

/* ---- adding ----------------------------------------------------------------------------------- */

static snStatus make_folders(const char *path, snError *error)
{
    char part[PATH_SIZE];
    size_t length = strlen(path);
    if (length >= sizeof part) return sn_fail(error, SN_BAD_INPUT, "the name of the folder is too long");
    for (size_t i = 1; i <= length; ++i) {
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(part, path, i), part[i] = '\0';
        if (mkdir(part, 0777) == 0 || errno == EEXIST || errno == EISDIR) continue;
        sn_fail(error, SN_WRITE_FAILED, "cannot create the folder: %s", strerror(errno));
        sn_error_place(error, part, 0, 0);
        return SN_WRITE_FAILED;
    }
    return SN_OK;
}

/* Tracks are written anew, since the writer compresses by the ending of the name; text is copied. */
static snStatus copy_motion(const char *from, const char *to, snError *error)
{
    if (strstr(from, ".control.xml") || strstr(from, ".replay.")) {
        snTrack *track = NULL;
        snStatus status = sn_load_track(from, &track, error);
        if (status == SN_OK) status = sn_save_track(track, to, error);
        sn_track_destroy(track);
        return status;
    }
    char *bytes;
    size_t size;
    snStatus status = sn_file_read(from, SN_FILE_LIMIT, &bytes, &size, error);
    if (status != SN_OK) return status;
    status = sn_save_bytes(to, bytes, size, error);
    sn_free(bytes);
    return status;
}

static snStatus check_free(const char *model_name, const char *name, bool replace, snError *error)
{
    enum { MOST = 1000 };
    snMotionEntry *entry = SN_NEW_ARRAY(snMotionEntry, MOST);
    if (!entry) return sn_fail_no_memory(error);
    int32_t count = sn_list_motions(model_name, entry, MOST);
    bool taken = false;
    for (int32_t i = 0; i < count && i < MOST; ++i) taken = taken || strcmp(entry[i].name, name) == 0;
    sn_free(entry);
    if (!taken || replace) return SN_OK;
    sn_fail(error, SN_BAD_INPUT, "the model has a motion \"%.60s\" already", name);
    sn_error_remedy(error, "choose another name, or replace the motion (--replace)");
    return SN_BAD_INPUT;
}

snStatus sn_add_motion(const snModel *model, const char *model_name, const char *file, const char *name, bool replace,
                       char *path, size_t size, snError *error)
{
    if (!model || !model_name || !file)
        return sn_fail_argument(error, "sn_add_motion without model, model_name or file");
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    char stem[64], folder[PATH_SIZE], to[PATH_SIZE];
    snMotionSummary summary;
    if (!motion_name(base, stem, sizeof stem))
        return sn_fail(error, SN_BAD_INPUT, "%.200s: unknown motion format, or too long a name", base);
    const char *ending = base + strlen(stem);
    if (name && (!*name || *name == '.' || strpbrk(name, "/\\") || strlen(name) >= sizeof stem))
        return sn_fail(error, SN_BAD_INPUT, "\"%.60s\" cannot be the name of a motion", name);
    snStatus status = sn_examine_motion(model, model_name, file, &summary, error);
    if (status == SN_OK) status = check_free(model_name, name ? name : stem, replace, error);
    if (status == SN_OK) status = sn_motion_folder(model_name, folder, sizeof folder, error);
    if (status == SN_OK && snprintf(to, sizeof to, "%s/%s%s", folder, name ? name : stem, ending) >= (int)sizeof to)
        status = sn_fail(error, SN_BAD_INPUT, "the path of the motion is too long");
    if (status == SN_OK) status = make_folders(folder, error);
    if (status == SN_OK) status = copy_motion(file, to, error);
    if (status == SN_OK && path) (void)snprintf(path, size, "%s", to);
    return status;
}
