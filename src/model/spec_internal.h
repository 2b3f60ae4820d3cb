/* What the readers and the checker know of a spec beyond the public header. */
#ifndef SN_MODEL_SPEC_INTERNAL_H
#define SN_MODEL_SPEC_INTERNAL_H

#include "base/arena.h"
#include "model/own/missing.h"
#include "model/schema.h"

/* Where an element was read from. file is "" for elements made in code. */
typedef struct snOrigin {
    const char *file;
    int line, column;
} snOrigin;

/* Room for the def of any kind that the file of a model has. */
typedef union snPartDef {
    snBodyDef body;
    snJointDef joint;
    snStrandDef strand;
    snGroupDef group;
    snConstraintDef constraint;
    snForceLengthDef curve;
    snFunctionDef function;
    snCoordinateDef coordinate;
    snSpringDef spring;
    snLineMuscleDef line;
} snPartDef;

/* Adds a def as it is, without making nodes for it; def is of the kind's type. */
snStatus sn_spec_add(snSpec *spec, snKind kind, const void *def, snOrigin origin, snId *id);
/* A def to be changed in place; strings and arrays of it are the spec's own copies. */
void *sn_spec_edit(snSpec *spec, snKind kind, snId id);
snOrigin sn_spec_origin(const snSpec *spec, int element, snId id);   /* id 0: of a root element */
void sn_spec_set_origin(snSpec *spec, int element, snOrigin origin); /* of a root element */
/* Whether sn_check found no error in it as it is now, so that a model is checked once from file to compiled model. */
bool sn_spec_is_sound(const snSpec *spec);
void sn_spec_set_sound(const snSpec *spec, bool sound);
/* A copy of the text that lives as long as the spec; NULL when out of memory. */
const char *sn_spec_text(snSpec *spec, const char *text);
/* Gives an element an array of count items (copied), in the field and count field of the attribute. */
snStatus sn_spec_set_array(snSpec *spec, snKind kind, snId id, const snAttr *attr, int32_t count, const void *items);

/* What a reader could not read and went on after, for sn_check to report: values of attributes, unknown and missing
 * ones. Such a spec holds the defaults in their place and cannot be compiled. Adding: false when out of memory. */
void sn_spec_forgive(snSpec *spec);
bool sn_spec_is_forgiving(const snSpec *spec);
bool sn_spec_add_misread(snSpec *spec, const snError *error);
int32_t sn_spec_misread(const snSpec *spec, const snError **error);

/* What a file of another program says and a spec cannot, by name and with its effect: a warning of sn_check, and in
 * sn_spec_missing. Adding: false when out of memory. */
bool sn_spec_add_missing(snSpec *spec, const snError *note);

#endif
