/* Loads over time from a table: three columns for each place, as sn_loads_read writes it, with the endings .fx, .fy and
 * .fz, in newtons; or a column grip. */
#include "base/alloc.h"
#include "base/error.h"
#include "control/load.h"
#include "sinew/io.h"

#include <string.h>

static snStatus place_error(snStatus status, const char *path, snError *error)
{
    if (status != SN_OK && error && !error->file[0]) sn_error_place(error, path, 0, 0);
    return status;
}

static int32_t find_column(const snTable *t, const char *name, size_t length, const char *ending)
{
    for (int32_t c = 0; c < t->columns; ++c)
        if (strlen(t->name[c]) == length + strlen(ending) && strncmp(t->name[c], name, length) == 0 &&
            strcmp(t->name[c] + length, ending) == 0)
            return c;
    return -1;
}

/* The columns that belong to the one at hand: one of a grip, else three; 0: it is not the first of them. */
static snStatus gather(const snTable *t, int32_t c, int32_t column[3], int *count, snError *error)
{
    static const char *const ending[] = {".fx", ".fy", ".fz"};
    const char *name = t->name[c], *dot = strrchr(name, '.');
    int which = -1;
    *count = 0;
    for (int k = 0; k < 3; ++k)
        if (dot && strcmp(dot, ending[k]) == 0) which = k;
    if (which < 0 && strcmp(name, "grip") == 0) {
        column[0] = c, *count = 1;
        return SN_OK;
    }
    if (which < 0) {
        (void)sn_fail(error, SN_BAD_INPUT, "the column \"%.100s\" is not a load", name);
        sn_error_remedy(error, "name columns BODY.fx, BODY.fy and BODY.fz, or grip");
        return SN_BAD_INPUT;
    }
    size_t length = (size_t)(dot - name);
    int first = 3;
    for (int k = 2; k >= 0; --k) {
        column[k] = find_column(t, name, length, ending[k]);
        if (column[k] >= 0) first = k;
    }
    if (first == which) *count = 3;
    return SN_OK;
}

static snStatus add_place(const snTable *t, const int32_t column[3], int count, snLoads *l, double *force,
                          snError *error)
{
    snLoadPlace place;
    const char *name = NULL;
    for (int k = 0; k < count; ++k)
        if (column[k] >= 0) name = t->name[column[k]];
    size_t length = count == 3 ? (size_t)(strrchr(name, '.') - name) : strlen(name);
    snStatus status = sn_loads_read_place(l, name, length, &place, error);
    if (status != SN_OK) return status;
    if (place.grip != (count == 1)) return sn_fail(error, SN_BAD_INPUT, "the column \"%.100s\" is not a load", name);
    for (int32_t i = 0; i < t->rows; ++i)
        for (int k = 0; k < count; ++k) /* an axis that is left out has no force */
            force[count * i + k] = column[k] < 0 ? 0 : t->value[(int64_t)i * t->columns + column[k]];
    return sn_loads_add_at(l, &place, t->rows, t->time, force, error);
}

snStatus sn_load_loads(const char *path, snLoads *l, snError *error)
{
    if (!path || !l) return sn_fail_argument(error, "the path or the loads are NULL");
    snTable t = {0};
    int32_t mark = sn_loads_mark(l), column[3];
    int count;
    snStatus status = sn_load_table(path, &t, error);
    double *force = status == SN_OK ? SN_NEW_ARRAY(double, 3 * (size_t)t.rows) : NULL;
    if (status == SN_OK && !force) status = sn_fail_no_memory(error);
    for (int32_t c = 0; c < t.columns && status == SN_OK; ++c) {
        status = gather(&t, c, column, &count, error);
        if (status == SN_OK && count) status = add_place(&t, column, count, l, force, error);
    }
    if (status == SN_OK && sn_loads_mark(l) == mark) status = sn_fail(error, SN_BAD_INPUT, "there is no load in it");
    if (status != SN_OK) sn_loads_take_back(l, mark);
    sn_free(force);
    sn_table_free(&t);
    return place_error(status, path, error);
}
