/* Key poses from a table of joint angles. */
#include "io/pose.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/table_read.h"
#include "io/track_xml.h"
#include "math/vec.h"

#include <string.h>

/* Columns that are no angles: weights in kg and levels of muscles (docs/files.md). */
static bool is_plain(const char *name)
{
    return strncmp(name, "load.", 5) == 0 || strncmp(name, "activation.", 11) == 0;
}

/* joint.coordinate, or one word with underscores, as models on a tree may name a coordinate. */
static snStatus check_names(const char *file, const snTable *table, snError *error)
{
    for (int32_t c = 0; c < table->columns; ++c) {
        const char *name = table->name[c], *dot = strrchr(name, '.');
        if ((dot && dot > name && dot[1]) || (!dot && strchr(name, '_'))) continue;
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
    snStatus status = sn_parse_table(file, data, size, csv, SN_TRACK_MIN_STEP * (1 - 1e-6), &table, error);
    if (status != SN_OK) return status;
    double unit = csv || table.in_degrees ? SN_DEG : 1;
    for (int32_t c = 0; c < table.columns; ++c)
        for (int32_t r = 0; r < table.rows && !is_plain(table.name[c]); ++r)
            table.value[(size_t)r * (size_t)table.columns + (size_t)c] *= unit;
    status = check_names(file, &table, error);
    if (status == SN_OK)
        status = sn_poses_create(table.columns, (const char *const *)table.name, table.rows, table.time, table.value,
                                 true, poses, error);
    sn_table_free(&table);
    return status;
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
