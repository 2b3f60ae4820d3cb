/* Contours of one slice: loops around where a field is positive, and how to ask them. */
#ifndef SN_IMAGE_OUTLINE_H
#define SN_IMAGE_OUTLINE_H

#include "image/own/image.h"

void sn_slice_free(snSlice *slice);
/* Marching squares: loops around the pixels where the field is positive, with the crossing found between pixels; outer
 * loops have positive area, holes negative, those of less than least (square pixels) are left out. Beyond the image the
 * field is negative. The state is left as it is. False: out of memory, no loops. */
bool sn_slice_trace(snSlice *slice, const float *field, int32_t columns, int32_t rows, double least);
/* Takes the tremor of noise off the loops: parabolas over `reach` pixels to either side along them. Loops that would
 * cross stay as they are. False: out of memory. */
bool sn_slice_smooth(snSlice *slice, double reach, int32_t columns, int32_t rows);
/* 1 at the pixels whose centre is inside. */
void sn_slice_fill(const snSlice *slice, int32_t columns, int32_t rows, uint8_t *mask);
/* Whether a point is inside: an odd number of loops around it. */
bool sn_slice_inside(const snSlice *slice, double x, double y);
double sn_loop_area(const snLoop *loop);
/* Room for the slices; false: out of memory. */
bool sn_outline_create(snOutline *muscle, const char *name, int32_t nslice);
bool sn_outline_copy_slice(snSlice *to, const snSlice *from);
/* The first two segments of the slice's loops that cross: loop and point of each, in pair; false: there are none. */
bool sn_slice_crossing(const snSlice *slice, int32_t pair[4]);

const char *sn_slice_state_name(snSliceState state);

#endif
