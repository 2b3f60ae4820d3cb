/* A JSON object built piece by piece in memory, printed as one line.
 * Numbers that are not finite become null. Out of memory makes the text empty and json_text NULL. */
#ifndef SN_CLI_JSON_H
#define SN_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct snJson {
    char *text;
    size_t length, room;
    bool comma, failed;
    char open[16]; /* the brackets that are open, the outermost first */
    int depth;
} snJson;

/* key is NULL inside an array and for the outermost object. */
void json_open(snJson *json, const char *key, char bracket); /* '{' or '[' */
void json_close(snJson *json, char bracket);                 /* '}' or ']' */
/* Closes all but the outermost: an error may come while others are open. */
void json_leave(snJson *json);
void json_string(snJson *json, const char *key, const char *value);
void json_number(snJson *json, const char *key, double value);
void json_integer(snJson *json, const char *key, int64_t value);
void json_boolean(snJson *json, const char *key, bool value);
const char *json_text(const snJson *json);
void json_free(snJson *json);

#endif
