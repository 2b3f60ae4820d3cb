#include "image/stack.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"

#include <math.h>

snStackPlace sn_default_stack_place(void)
{
    return (snStackPlace){.spacing = {1e-3, 1e-3, 1e-3}, .axis = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

void sn_stack_free(snStack *stack)
{
    if (!stack) return;
    sn_free(stack->value);
    *stack = (snStack){0};
}

void sn_stack_point(const snStackPlace *place, const double pixel[3], double point[3])
{
    for (int c = 0; c < 3; ++c) {
        point[c] = place->origin[c];
        for (int a = 0; a < 3; ++a) point[c] += pixel[a] * place->spacing[a] * place->axis[3 * a + c];
    }
}

/* Axes of files are rounded; beyond half a degree they are sheared on purpose. */
static snStatus straighten(snStackPlace *place, snError *error)
{
    static const double MOST_SHEAR = 0.01;
    v3 axis[3];
    for (int a = 0; a < 3; ++a) {
        axis[a] = v3_load(place->axis + 3 * a);
        if (!(fabs(v3_len(axis[a]) - 1) < MOST_SHEAR))
            return sn_fail(error, SN_BAD_INPUT, "axis %d of the stack has length %g instead of 1", a, v3_len(axis[a]));
    }
    for (int a = 0; a < 3; ++a) {
        double shear = v3_dot(axis[a], axis[(a + 1) % 3]);
        if (!(fabs(shear) < MOST_SHEAR)) {
            sn_fail(error, SN_BAD_INPUT, "the axes of the stack are sheared: two of them are %.1f degrees apart",
                    acos(fmax(-1, fmin(1, shear))) / SN_DEG);
            sn_error_remedy(error, "resample the images onto a straight grid");
            return SN_BAD_INPUT;
        }
    }
    axis[0] = v3_unit(axis[0]);
    axis[1] = v3_unit(v3_mad(axis[1], -v3_dot(axis[0], axis[1]), axis[0]));
    v3 third = v3_cross(axis[0], axis[1]);
    axis[2] = v3_dot(third, axis[2]) < 0 ? v3_neg(third) : third;
    for (int a = 0; a < 3; ++a) v3_store(place->axis + 3 * a, axis[a]);
    return SN_OK;
}

snStatus sn_stack_place_check(snStackPlace *place, snError *error)
{
    const int32_t *n = place->n;
    if (n[0] < 1 || n[1] < 1 || n[2] < 1)
        return sn_fail(error, SN_BAD_INPUT, "a stack of %d x %d pixels and %d slices", (int)n[0], (int)n[1], (int)n[2]);
    if (n[0] > SN_STACK_SIDE || n[1] > SN_STACK_SIDE || n[2] > SN_STACK_SLICES ||
        (size_t)n[0] * (size_t)n[1] > SN_STACK_PIXELS / (size_t)n[2]) {
        sn_fail(error, SN_BAD_INPUT, "a stack of %d x %d pixels and %d slices is too large", (int)n[0], (int)n[1],
                (int)n[2]);
        sn_error_remedy(error, "crop the images to the part that you need");
        return SN_BAD_INPUT;
    }
    for (int a = 0; a < 3; ++a) {
        if (!(place->spacing[a] > 1e-7 && place->spacing[a] < 1)) {
            sn_fail(error, SN_BAD_INPUT, "a spacing of %g mm is outside 0.0001 to 1000 mm", 1e3 * place->spacing[a]);
            sn_error_remedy(error, "give the spacing of columns, rows and slices in mm");
            return SN_BAD_INPUT;
        }
        if (!(fabs(place->origin[a]) < 1e4))
            return sn_fail(error, SN_BAD_INPUT, "an origin of %g mm", 1e3 * place->origin[a]);
    }
    return straighten(place, error);
}

snStatus sn_stack_create(const snStackPlace *place, snStack *stack, snError *error)
{
    snStack made = {.place = *place};
    snStatus status = sn_stack_place_check(&made.place, error);
    if (status != SN_OK) return status;
    made.value = SN_NEW_ARRAY(float, sn_stack_slice_pixels(&made.place) * (size_t)made.place.n[2]);
    if (!made.value) return sn_fail_no_memory(error);
    *stack = made;
    return SN_OK;
}
