/* What passes through the disk: the library reads and writes files, the page asks for their text. */
#ifndef SN_STUDIO_PASSING_H
#define SN_STUDIO_PASSING_H

#include "sinew/base.h"

#include <stddef.h>

enum { SN_PASSING_FOLDER = 256, SN_PASSING_PATH = 300 };

/* A new folder in TMPDIR, or in /tmp where that is not set, which only this user can enter. The caller removes it. */
snStatus sn_passing_begin(char folder[SN_PASSING_FOLDER], snError *error);
/* A file of that folder. */
void sn_passing_path(char path[SN_PASSING_PATH], const char *folder, const char *name);
/* A whole file in memory that the caller frees; NULL: it cannot be read. */
void *sn_passing_read(const char *path, size_t *size);
/* Removes a file, if it is there, and the folder, if it is empty then. */
void sn_passing_end(const char *folder, const char *path);

#endif
