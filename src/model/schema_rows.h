/* How rows of the schema tables are written. A table defines DEF as the def that its rows describe. */
#ifndef SN_MODEL_SCHEMA_ROWS_H
#define SN_MODEL_SCHEMA_ROWS_H

#include "model/schema.h"

#include <math.h>

#define NONE HUGE_VAL
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define AT(field) offsetof(DEF, field)

#define STRING_(field_, flags_, doc_)                                                                                  \
    {                                                                                                                  \
        .name = #field_, .type = SN_ATTR_STRING, .flags = flags_, .offset = AT(field_), .unit = "", .doc = doc_        \
    }
#define BOOL_(field_, initial_, doc_)                                                                                  \
    {                                                                                                                  \
        .name = #field_, .type = SN_ATTR_BOOL, .offset = AT(field_), .initial = {initial_}, .unit = "", .doc = doc_    \
    }
#define ENUM_(field_, names_, initial_, doc_)                                                                          \
    {                                                                                                                  \
        .name = #field_, .type = SN_ATTR_ENUM, .offset = AT(field_), .initial = {initial_}, .names = names_,           \
        .unit = "", .doc = doc_                                                                                        \
    }
#define INT_(field_, initial_, min_, max_, doc_)                                                                       \
    {                                                                                                                  \
        .name = #field_, .type = SN_ATTR_INT, .offset = AT(field_), .initial = {initial_}, .min = min_, .max = max_,   \
        .unit = "", .doc = doc_                                                                                        \
    }
#define NUMBER_(field_, initial_, min_, max_, flags_, unit_, doc_)                                                     \
    {                                                                                                                  \
        .name = #field_, .type = SN_ATTR_NUMBER, .flags = flags_, .offset = AT(field_), .initial = {initial_},         \
        .min = min_, .max = max_, .unit = unit_, .doc = doc_                                                           \
    }
#define VECTOR_(field_, width_, a_, b_, c_, d_, min_, max_, flags_, unit_, doc_)                                       \
    {                                                                                                                  \
        .name = #field_, .type = SN_ATTR_VECTOR, .flags = flags_, .offset = AT(field_), .width = width_,               \
        .initial = {a_, b_, c_, d_}, .min = min_, .max = max_, .unit = unit_, .doc = doc_                              \
    }

#define ROW(tag, type, attr, doc)                                                                                      \
    {                                                                                                                  \
        tag, sizeof(type), attr, COUNT(attr), doc                                                                      \
    }

#endif
