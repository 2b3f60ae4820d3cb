/* What the readers and the checker know of a spec beyond the public header. */
#ifndef SN_MODEL_SPEC_INTERNAL_H
#define SN_MODEL_SPEC_INTERNAL_H

#include "base/arena.h"
#include "model/schema.h"

/* Where an element was read from. file is "" for elements made in code. */
typedef struct snOrigin {
    const char *file;
    int line, column;
} snOrigin;

/* Adds a def as it is, without making nodes for it; def is of the kind's type. */
snStatus sn_spec_add(snSpec *spec, snKind kind, const void *def, snOrigin origin, snId *id);
const void *sn_spec_def(const snSpec *spec, snKind kind, snId id);
snOrigin sn_spec_origin(const snSpec *spec, int element, snId id);   /* id 0: of a root element */
void sn_spec_set_origin(snSpec *spec, int element, snOrigin origin); /* of a root element */
/* A copy of the text that lives as long as the spec; NULL when out of memory. */
const char *sn_spec_text(snSpec *spec, const char *text);
/* Replaces what a reader fetched from another file: vertices and triangles of a mesh, points of a force-length curve.
 * The arrays are copied. */
snStatus sn_spec_fill_mesh(snSpec *spec, snId node, int32_t nvertex, const double *vertex, int32_t ntriangle,
                           const int32_t *triangle);
snStatus sn_spec_fill_force_length(snSpec *spec, snId id, int32_t npoint, const double *stretch, const double *force);

#endif
