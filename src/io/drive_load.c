/* Activations over time from a table: columns are muscles and functions, as sn_drive_find reads their names.
 *
 * A table that sinew wrote also has columns of other kinds, such as length/NAME: those are passed over, so that the
 * activations of one run can drive another. */
#include "base/alloc.h"
#include "base/error.h"
#include "control/drive.h"
#include "sinew/io.h"

#include <string.h>

/* Columns that a replay's table has besides activations. */
static bool is_result(const char *name)
{
    static const char *const kind[] = {"force_origin/", "force_insertion/", "tension/", "length/",     "coordinate/",
                                       "sum_force/",    "mean_length/",     "moment/",  "sum_moment/", "load_"};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; ++i)
        if (strncmp(name, kind[i], strlen(kind[i])) == 0) return true;
    return false;
}

static snStatus check_level(const char *path, const snTable *table, int32_t row, int32_t column, snError *error)
{
    double level = table->value[(int64_t)row * table->columns + column];
    if (level >= 0 && level <= 1) return SN_OK;
    (void)sn_fail(error, SN_BAD_INPUT, "column \"%.100s\" is %g at %g s, expected 0 to 1", table->name[column], level,
                  table->time[row]);
    sn_error_place(error, path, table->line[row], 0);
    return SN_BAD_INPUT;
}

static snStatus add_column(const char *path, const snTable *table, int32_t column, snDrive *drive, double *level,
                           snError *error)
{
    int32_t channel;
    snStatus status = sn_drive_find(drive, table->name[column], &channel, error);
    if (status != SN_OK) {
        if (error && !error->file[0]) sn_error_place(error, path, 0, 0);
        return status;
    }
    for (int32_t i = 0; i < table->rows && status == SN_OK; ++i) {
        status = check_level(path, table, i, column, error);
        level[i] = table->value[(int64_t)i * table->columns + column];
    }
    return status == SN_OK ? sn_drive_add(drive, channel, table->rows, table->time, level, error) : status;
}

static snStatus add_columns(const char *path, const snTable *table, snDrive *drive, snError *error)
{
    int32_t mark = sn_drive_mark(drive), used = 0;
    double *level = SN_NEW_ARRAY(double, table->rows);
    snStatus status = level ? SN_OK : sn_fail_no_memory(error);
    for (int32_t c = 0; c < table->columns && status == SN_OK; ++c) {
        if (is_result(table->name[c])) continue;
        status = add_column(path, table, c, drive, level, error);
        ++used;
    }
    if (status == SN_OK && used == 0) {
        status = sn_fail(error, SN_BAD_INPUT, "no column is a muscle or a function");
        sn_error_place(error, path, 0, 0);
        sn_error_remedy(error, "name columns by muscles, or function.NAME");
    }
    sn_free(level);
    if (status != SN_OK) sn_drive_take_back(drive, mark);
    return status;
}

snStatus sn_load_activations(const char *path, snDrive *drive, double *end, snError *error)
{
    snTable table = {0};
    snStatus status = sn_load_table(path, &table, error);
    if (status == SN_OK) status = add_columns(path, &table, drive, error);
    if (status == SN_OK && end) *end = table.time[table.rows - 1];
    sn_table_free(&table);
    return status;
}
