/* Defs carry their own size, so that a library that has learnt new fields can tell an older program from a newer one.
 */
#ifndef SN_BASE_DEF_H
#define SN_BASE_DEF_H

#include "sinew/base.h"

/* SN_BAD_ARGUMENT unless the def is one that this library can read: as large as the type that it knows, or larger with
 * nothing but zeros in what it does not know (a newer program that uses nothing new). error may be NULL. */
#define SN_CHECK_DEF(def, type, error) sn_check_def((def), sizeof(type), #type, (error))
snStatus sn_check_def(const void *def, size_t known, const char *type, snError *error);

#endif
