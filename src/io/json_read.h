/* JSON in memory as a tree of values. Errors name line and column. */
#ifndef SN_IO_JSON_READ_H
#define SN_IO_JSON_READ_H

#include "base/arena.h"
#include "sinew/base.h"

#include <stdint.h>

typedef enum snJsonKind {
    SN_JSON_NULL,
    SN_JSON_BOOLEAN,
    SN_JSON_NUMBER,
    SN_JSON_STRING,
    SN_JSON_ARRAY,
    SN_JSON_OBJECT
} snJsonKind;

typedef struct snJsonValue {
    snJsonKind kind;
    int32_t count;            /* of an array or object */
    const char *key;          /* of a member of an object */
    double number;            /* a boolean is 0 or 1 */
    const char *text;         /* UTF-8, no zero byte within */
    struct snJsonValue *item; /* count */
} snJsonValue;

/* Everything lies in the arena. */
snStatus sn_json_parse(const char *file, const char *data, size_t size, snArena *arena, snJsonValue *root,
                       snError *error);

/* NULL where there is no such thing; value may be NULL, so that calls can be chained. */
const snJsonValue *sn_json_member(const snJsonValue *value, const char *key);
const snJsonValue *sn_json_item(const snJsonValue *value, int64_t index);
/* Of a member; the fallback where it is missing or of another kind. */
const char *sn_json_member_text(const snJsonValue *value, const char *key, const char *fallback);
double sn_json_member_number(const snJsonValue *value, const char *key, double fallback);
/* A whole number from 0 to INT32_MAX; -1 otherwise, missing included. */
int32_t sn_json_member_index(const snJsonValue *value, const char *key);

#endif
