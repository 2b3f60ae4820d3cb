/* What readers of other programs' models share. */
#ifndef SN_IO_FOREIGN_H
#define SN_IO_FOREIGN_H

#include "base/arena.h"
#include "sinew/spec.h"

/* Up to 399 bytes, in the arena; NULL: no memory. */
char *sn_foreign_text(snArena *arena, const char *format, ...) SN_PRINTF(2, 3);
/* A name as our files may have it, and that nothing of this kind has yet; NULL: no memory. */
const char *sn_foreign_name(snSpec *spec, snArena *arena, snKind kind, const char *name);

#endif
