/* Where the struts of a whole sheet go: between neighbouring strands, from the start to the end of the group. */
#ifndef SN_MODEL_STRUTS_H
#define SN_MODEL_STRUTS_H

#include "base/arena.h"
#include "sinew/spec.h"

typedef struct snStrutPlace {
    snId strand, other;  /* the strut leads from a point of the first to the nearest one of the other */
    double position;     /* on the first, fraction of the parameter */
    int32_t pair, index; /* which neighbours, which of their struts, from 0: for names */
} snStrutPlace;

/* Neighbours are the pairs in the shortest tree that connects the enabled strands of the group as drawn: in a sheet
 * each strand and the next. count: struts of each pair. Strands must be sound. False when out of memory. */
bool sn_place_struts(const snSpec *spec, const snGroupDef *group, int32_t count, snArena *memory, snStrutPlace **place,
                     int32_t *nplace);

#endif
