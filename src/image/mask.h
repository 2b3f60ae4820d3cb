/* Masks of one slice: distance, growing and shrinking by discs, connected parts. Pixels are bytes, 0 or 1. */
#ifndef SN_IMAGE_MASK_H
#define SN_IMAGE_MASK_H

#include "sinew/base.h"

typedef struct snMaskRoom {
    int32_t n[2];
    float *square;      /* per pixel: squared distance of the last sn_mask_distance */
    double *line, *cut; /* scratch of one row or column */
    int32_t *at, *stack;
} snMaskRoom; /* zeroed memory is an empty room */

bool sn_mask_room_create(snMaskRoom *room, int32_t columns, int32_t rows); /* false: out of memory, room empty */
void sn_mask_room_free(snMaskRoom *room);

/* room->square: squared distance of each pixel to the nearest one that is `of`; huge where there is none. The border of
 * the image does not count. (Felzenszwalb and Huttenlocher 2012) */
void sn_mask_distance(snMaskRoom *room, const uint8_t *mask, uint8_t of);
/* Pixels further than r from any that is 0; pixels within r of one that is 1. out may be mask. */
void sn_mask_shrink(snMaskRoom *room, const uint8_t *mask, double r, uint8_t *out);
void sn_mask_expand(snMaskRoom *room, const uint8_t *mask, double r, uint8_t *out);
/* The parts of mask (joined along sides) that hold a pixel of seed. out may be seed but not mask. Returns the pixels.
 */
int32_t sn_mask_flood(snMaskRoom *room, const uint8_t *mask, const uint8_t *seed, uint8_t *out);
/* Takes the part of mask around a pixel out of it. Its pixels are then the first ones of room->stack; returns how many.
 */
int32_t sn_mask_take(snMaskRoom *room, uint8_t *mask, int32_t pixel);
int32_t sn_mask_count(const snMaskRoom *room, const uint8_t *mask);

#endif
