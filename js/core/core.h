/* The library for a program that is not C: what js/sinew.mjs calls. Arguments are numbers and addresses; texts end with
 * a zero; a function that fails gives 0 (or a status) and leaves what is wrong for sinew_error.
 *
 * One thread, one error: the last one that failed. */
#ifndef SN_JS_CORE_H
#define SN_JS_CORE_H

#include "sinew/sinew.h"

#define SN_EXPORT(name) __attribute__((export_name(#name)))

typedef struct snCore {
    snSpec *spec;
    snModel *model;
    char path[1024];
} snCore;

/* Empty again, ready for a call of the library. */
snError *sn_core_error(void);
/* NULL, with the status where the library gave no words of its own. */
void *sn_core_fail(snStatus status);

#endif
