/* Fields: the arrays of a state that users read by name, straight from the table of arrays; and the one place where
 * what users wrote into them is checked. */
#include "sim/state.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How far beyond its range a value may be: what a solver leaves at a bound. */
static const double ROUNDING = 1e-6;

/* The index-th array with a field, -1 past the last. */
static int32_t array_of(int32_t index)
{
    for (int32_t i = 0; i < SN_ARRAY_COUNT && index >= 0; ++i)
        if (sn_state_array[i].field && index-- == 0) return i;
    return -1;
}

snStatus sn_field(const snModel *m, snState *s, const char *name, snView *view)
{
    if (!sn_fits(m, s) || !name || !view) return SN_BAD_ARGUMENT;
    for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i) {
        const snStateArray *a = &sn_state_array[i];
        if (!a->field || strcmp(name, a->field) != 0) continue;
        *view = (snView){.data = sn_state_data(s, i),
                         .rows = (int32_t)s->rows[i],
                         .columns = a->columns,
                         .writable = (a->flags & SN_WRITABLE) != 0};
        return SN_OK;
    }
    return SN_BAD_INPUT;
}

snFieldInfo sn_field_info(int32_t index)
{
    int32_t i = array_of(index);
    if (i < 0) return (snFieldInfo){0};
    const snStateArray *a = &sn_state_array[i];
    snFieldInfo info = {.name = a->field, .doc = a->doc, .low = -INFINITY, .high = INFINITY};
    info.writable = (a->flags & SN_WRITABLE) != 0;
    if (a->flags & SN_SHARE) info.low = 0, info.high = 1;
    if (a->flags & SN_LOAD) info.low = -SN_MOST_LOAD, info.high = SN_MOST_LOAD;
    return info;
}

/* ---- what comes in -------------------------------------------------------------------------- */

/* muscle.activation[3] ("FDP2") is -0.5; 0 to 1 is allowed */
static void describe(const snModel *m, int32_t array, int64_t item, double value, snFieldInfo range, char *text,
                     size_t size)
{
    const snStateArray *a = &sn_state_array[array];
    int64_t row = item / a->columns;
    bool body = array == SN_ARRAY_force || array == SN_ARRAY_torque;
    char place[32] = "";
    if (a->columns > 1) snprintf(place, sizeof place, "[%d]", (int)(item % a->columns));
    snprintf(text, size, "%s[%d]%s (%.40s) is %g, outside %g to %g", a->field, (int)row, place,
             sn_name(m, body ? SN_ITEM_BODY : SN_ITEM_MUSCLE, (int32_t)row), value, range.low, range.high);
}

snStatus sn_check_inputs(const snModel *m, snState *s)
{
    snFieldInfo range;
    for (int32_t index = 0; (range = sn_field_info(index)).name; ++index) {
        if (!range.writable) continue;
        int32_t array = array_of(index);
        const double *value = sn_state_data(s, array);
        int64_t count = s->rows[array] * sn_state_array[array].columns;
        for (int64_t i = 0; i < count; ++i) {
            if (value[i] >= range.low - ROUNDING && value[i] <= range.high + ROUNDING) continue; /* NaN is outside */
            describe(m, array, i, value[i], range, s->info.culprit, sizeof s->info.culprit);
            return SN_BAD_INPUT;
        }
    }
    return SN_OK;
}

snStatus sn_check_sim_def(const snSimDef *d, snError *error)
{
    const struct {
        const char *name;
        double value, low, high;
    } each[] = {{"step", d->step, SN_LEAST_STEP, SN_MOST_STEP},
                {"threads", d->threads, 0, 4096},
                {"gravity_scale", d->gravity_scale, -1e3, 1e3},
                {"contact_rounds", d->contact_rounds, 0, 1e4},
                {"refine", d->refine, 0, 100},
                {"solver", d->solver, 0, SN_SOLVER_PLAIN}};
    for (size_t i = 0; i < sizeof each / sizeof *each; ++i) {
        if (each[i].value >= each[i].low && each[i].value <= each[i].high) continue;
        if (i == 0 && each[i].value == 0) continue; /* the model's */
        return sn_fail(error, SN_BAD_INPUT, "%s is %g, outside %g to %g", each[i].name, each[i].value, each[i].low,
                       each[i].high);
    }
    return SN_OK;
}

bool sn_all_within(const double *value, int32_t count, double most)
{
    for (int32_t i = 0; i < count; ++i)
        if (!(fabs(value[i]) <= most)) return false;
    return true;
}
