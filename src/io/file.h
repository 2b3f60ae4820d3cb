/* Files as a whole: reading with a limit, writing beside the name and renaming, paths.
 *
 * A writer remembers its first failure; the calls in between may be made without checking. Either commit or abort ends
 * it. Until commit succeeds, whatever stood under the name is untouched (a device or pipe is written directly). The new
 * file has no name until it is finished (or is created exclusively where there is no such thing), is never opened
 * through a link, and is on the disk before it takes the name over; a name that is a symbolic link is followed, so that
 * the link stays and what it leads to is replaced. A name that ends in .gz or .replay.bin is compressed. */
#ifndef SN_IO_FILE_H
#define SN_IO_FILE_H

#include "sinew/base.h"

#include <stdio.h>

typedef struct snWriter {
    FILE *file;
    void *gz;               /* instead of file: a gzFile */
    char *buffer;           /* of file */
    char *path, *temporary; /* temporary is NULL where the name is written directly */
    int nameless;           /* 0: none. A file that has no name before it is finished */
    snStatus status;
    int error_number;
    bool quick;       /* set by the caller of a sequence of small files: do not wait for the disk */
    bool counts_only; /* writes nothing; hash is what is wanted */
    uint64_t hash;
} snWriter;

snStatus sn_writer_open(snWriter *writer, const char *path, snError *error);
/* A writer whose only result is the hash of what is written. Ends with sn_writer_abort. */
void sn_writer_open_hash(snWriter *writer);
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

/* The whole file with a 0 byte behind it, to be freed with sn_free. Larger than limit bytes: an error, before more than
 * that is read. */
snStatus sn_file_read(const char *path, size_t limit, char **bytes, size_t *size, snError *error);
/* The same for a file that another file names: only a regular file will do, so that a model cannot make sinew read a
 * device or wait for a pipe. */
snStatus sn_file_read_reference(const char *path, size_t limit, char **bytes, size_t *size, snError *error);
/* A text file: a byte order mark of UTF-8 is taken off, UTF-16 is refused by name. reference: as above. */
snStatus sn_file_read_text(const char *path, bool reference, char **bytes, size_t *size, snError *error);
bool sn_file_exists(const char *path); /* a readable regular file */

/* Largest text file that is read as a whole. */
#define SN_FILE_LIMIT ((size_t)1 << 30)

/* name as seen from the folder of `beside`: unchanged when it is absolute. To be freed with
 * sn_free; NULL: no memory. */
char *sn_path_beside(const char *beside, const char *name);
bool sn_path_ends(const char *path, const char *ending); /* not minding case */

#endif
