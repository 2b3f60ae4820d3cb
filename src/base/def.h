/* Defs carry their own size, so that a library that has learnt new fields can tell an older program from a newer one.
 *
 * New fields come last. An older program's def is shorter: what it lacks is as the default function has it. A newer one's
 * is longer and fits while there is nothing but zeros in what this library does not know. */
#ifndef SN_BASE_DEF_H
#define SN_BASE_DEF_H

#include "sinew/base.h"

/* Copies a def over `own`, which holds the defaults of its type, and points `def` there; SN_BAD_ARGUMENT where it is no
 * def that this library can read. error may be NULL. own lives as long as the block that it is declared in. */
#define SN_TAKE_DEF(def, type, own, error)                                                                             \
    (sn_take_def((def), &(own), sizeof(type), #type, (error)) ? SN_BAD_ARGUMENT : ((def) = &(own), SN_OK))
snStatus sn_take_def(const void *def, void *own, size_t known, const char *type, snError *error);

#endif
