/* Key poses from a table of joint angles. */
#include "io/pose.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/table_read.h"
#include "io/track_xml.h"
#include "math/vec.h"
#include "motion/poses.h"
#include "sinew/io.h"

#include <string.h>

/* Columns that are no angles: weights in kg, levels of muscles, places in m (docs/files.md). */
static bool is_plain(const char *name)
{
    static const char *const plain[] = {"load.", "activation.", "place.", "look."};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i)
        if (strncmp(name, plain[i], strlen(plain[i])) == 0) return true;
    return false;
}

bool sn_pose_is_extra(const char *name)
{
    return is_plain(name) || strncmp(name, "turn.", 5) == 0;
}

/* joint.coordinate, or one word, as models on a tree may name a coordinate. */
static snStatus check_names(const char *file, const snTable *table, snError *error)
{
    for (int32_t c = 0; c < table->columns; ++c) {
        const char *name = table->name[c], *dot = strrchr(name, '.');
        if (!dot || (dot > name && dot[1])) continue;
        sn_fail(error, SN_BAD_FILE, "the column \"%.100s\" is not joint.coordinate", name);
        sn_error_place(error, file, 0, 0);
        sn_error_remedy(error, "name it after a joint and one of its motions, such as elbow.flexion or elbow.0");
        return SN_BAD_FILE;
    }
    return SN_OK;
}

snStatus sn_parse_poses(const char *file, const char *data, size_t size, bool csv, snPoses **poses, snError *error)
{
    snTable table;
    snStatus status = sn_parse_gappy_table(file, data, size, csv, SN_TRACK_MIN_STEP * (1 - 1e-6), true, &table, error);
    if (status != SN_OK) return status;
    double unit = csv || table.in_degrees ? SN_DEG : 1;
    for (int32_t c = 0; c < table.columns; ++c)
        for (int32_t r = 0; r < table.rows && !is_plain(table.name[c]); ++r)
            table.value[(size_t)r * (size_t)table.columns + (size_t)c] *= unit;
    status = check_names(file, &table, error);
    if (status == SN_OK)
        status = sn_poses_create_gappy(table.columns, (const char *const *)table.name, table.rows, table.time,
                                       table.value, true, poses, error);
    if (status != SN_OK && error && !error->file[0]) sn_error_place(error, file, 0, 0);
    sn_table_free(&table);
    return status;
}

/* As sn_load_poses reads them: degrees, but for weights and levels. */
snStatus sn_save_poses(const snPoses *poses, const char *path, snError *error)
{
    snWriter w;
    if (!poses || !path) return sn_fail_argument(error, "sn_save_poses without poses or path");
    snStatus status = sn_writer_open(&w, path, error);
    if (status != SN_OK) return status;
    sn_writer_text(&w, "time");
    for (int32_t c = 0; c < sn_poses_columns(poses); ++c) sn_writer_printf(&w, ",%s", sn_poses_name(poses, c));
    sn_writer_text(&w, "\n");
    for (int32_t f = 0; f < sn_poses_frames(poses); ++f) {
        sn_writer_number(&w, sn_poses_time(poses, f));
        for (int32_t c = 0; c < sn_poses_columns(poses); ++c) {
            sn_writer_text(&w, ",");
            sn_writer_number(&w, sn_poses_key(poses, f)[c] / (is_plain(sn_poses_name(poses, c)) ? 1 : SN_DEG));
        }
        sn_writer_text(&w, "\n");
    }
    return sn_writer_commit(&w, error);
}

snStatus sn_load_poses(const char *path, snPoses **poses, snError *error)
{
    char *data;
    size_t size;
    snStatus status = sn_file_read_text(path, false, &data, &size, error);
    if (status != SN_OK) return status;
    bool csv = !sn_path_ends(path, ".sto") && !sn_path_ends(path, ".mot");
    status = sn_parse_poses(path, data, size, csv, poses, error);
    sn_free(data);
    return status;
}
