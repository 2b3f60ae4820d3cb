/* Files as a whole: reading with a limit, writing beside the name and renaming, paths.
 *
 * A writer remembers its first failure; the calls in between may be made without checking. Either commit or abort ends
 * it. Until commit succeeds, whatever stood under the name is untouched (a device or pipe is written directly). */
#ifndef SN_IO_FILE_H
#define SN_IO_FILE_H

#include "sinew/base.h"

#include <stdio.h>

typedef struct snWriter {
    FILE *file;
    char *path, *temporary; /* temporary is NULL where the name is written directly */
    snStatus status;
    int error_number;
} snWriter;

snStatus sn_writer_open(snWriter *writer, const char *path, snError *error);
void sn_writer_bytes(snWriter *writer, const void *bytes, size_t size);
void sn_writer_text(snWriter *writer, const char *text);
/* For text that no locale changes: strings and integers. */
void sn_writer_printf(snWriter *writer, const char *format, ...) SN_PRINTF(2, 3);
/* A finite number, shortest decimal that reads back bit for bit. */
void sn_writer_number(snWriter *writer, double value);
/* Hands everything to the system, so that a full disk shows before several files are committed together. */
void sn_writer_flush(snWriter *writer);
/* Frees the writer. Anything that went wrong since opening (a full disk) is reported here. */
snStatus sn_writer_commit(snWriter *writer, snError *error);
void sn_writer_abort(snWriter *writer);

/* The whole file with a 0 byte behind it, to be freed with sn_free. Larger than limit bytes: an error. */
snStatus sn_file_read(const char *path, size_t limit, char **bytes, size_t *size, snError *error);
bool sn_file_exists(const char *path); /* a readable regular file */

/* Largest text file that is read. */
#define SN_FILE_LIMIT ((size_t)1 << 30)

/* name as seen from the folder of `beside`: unchanged when it is absolute. To be freed with sn_free; NULL: no memory.
 */
char *sn_path_beside(const char *beside, const char *name);
bool sn_path_ends(const char *path, const char *ending); /* not minding case */

#endif
