/* Stacks of slices: room for them, and whether a place makes sense. */
#ifndef SN_IMAGE_STACK_H
#define SN_IMAGE_STACK_H

#include "image/own/image.h"

/* Bounds that a reader checks before it allocates anything. */
enum { SN_STACK_SIDE = 16384, SN_STACK_SLICES = 16384 };
#define SN_STACK_PIXELS ((size_t)1 << 29)

/* SN_BAD_INPUT: no pixels or too many, spacing that is not positive, axes that are not at right angles. Axes are made
 * exactly orthonormal. */
snStatus sn_stack_place_check(snStackPlace *place, snError *error);
/* Checks the place and gives a stack of zeros. */
snStatus sn_stack_create(const snStackPlace *place, snStack *stack, snError *error);

static inline size_t sn_stack_slice_pixels(const snStackPlace *place)
{
    return (size_t)place->n[0] * (size_t)place->n[1];
}
static inline float *sn_stack_slice(const snStack *stack, int32_t slice)
{
    return stack->value + (size_t)slice * sn_stack_slice_pixels(&stack->place);
}

snStackPlace sn_default_stack_place(void); /* no pixels, 1 mm, axes of the world */
/* World position (m) of a pixel; fractions are fine. */
void sn_stack_point(const snStackPlace *place, const double pixel[3], double point[3]);

#endif
