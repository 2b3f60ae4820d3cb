/* Fields: the arrays of a state that users read by name, straight from the table of arrays. */
#include "sim/state.h"

#include <string.h>

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
    return (snFieldInfo){.name = sn_state_array[i].field, .doc = sn_state_array[i].doc};
}
