/* Filling in an snError. error may be NULL everywhere. */
#ifndef SN_BASE_ERROR_H
#define SN_BASE_ERROR_H

#include "sinew/base.h"

/* Clears the error, sets status and message, returns status, so that callers write
 * `return sn_fail(error, SN_BAD_INPUT, "...", ...)`. */
snStatus sn_fail(snError *error, snStatus status, const char *format, ...) SN_PRINTF(3, 4);
snStatus sn_fail_no_memory(snError *error);
/* SN_BAD_ARGUMENT: what the caller did, e.g. "the model is NULL". */
snStatus sn_fail_argument(snError *error, const char *what);
/* Add to an error that sn_fail has set. */
void sn_error_place(snError *error, const char *file, int line, int column);
void sn_error_element(snError *error, const char *kind, const char *name);
void sn_error_remedy(snError *error, const char *format, ...) SN_PRINTF(2, 3);

#endif
