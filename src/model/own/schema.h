/* The elements of model files as tables. */
#ifndef SN_MODEL_OWN_SCHEMA_H
#define SN_MODEL_OWN_SCHEMA_H

#include "sinew/base.h"

/* The elements of scene and muscle files with their attributes, for tools that build a form or a page from them. */
typedef struct snElementInfo {
    const char *tag, *doc;
    bool node; /* a node of the scene */
} snElementInfo;
typedef struct snAttributeInfo {
    const char *name;
    const char *type;         /* bool, int, number, vector, string, enum, numbers or ints */
    int width;                /* vector: components; numbers and ints: of each item */
    bool required;            /* must be given */
    bool above_min;           /* greater than min, not equal to it */
    bool child;               /* an array that is written as a child element */
    double initial[4];        /* default: bool 0 or 1, enum the index of its name; NaN: depends on something else */
    double min, max;          /* of each component; infinite: no bound */
    const char *const *names; /* enum: ended by NULL */
    const char *unit, *doc;
} snAttributeInfo;
bool sn_schema_element(int element, snElementInfo *info); /* counted from 0; false past the last */
bool sn_schema_attribute(int element, int attribute, snAttributeInfo *info);

#endif
