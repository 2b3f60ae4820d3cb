/* Readers and writers of scene and muscle files, apart from what they refer to. */
#ifndef SN_IO_MODEL_FILES_H
#define SN_IO_MODEL_FILES_H

#include "io/xml.h"
#include "model/spec_internal.h"
#include "sinew/io.h"

/* The kinds of root element a reader may be asked for. */
typedef enum snDocument { SN_DOCUMENT_SCENE, SN_DOCUMENT_MUSCLE, SN_DOCUMENT_FORCE_LENGTH } snDocument;

/* Adds what the bytes describe to the spec; name is what errors and origins call the file. Files that it refers to are
 * not opened. After a failure the spec is to be destroyed. */
snStatus sn_model_read(snSpec *spec, snDocument document, const char *name, const char *bytes, size_t size,
                       snError *error);
snStatus sn_model_read_file(snSpec *spec, snDocument document, const char *path, snError *error);

/* Points of a force-length file: two columns of numbers (blanks, comma or semicolon between; a first line of headings
 * and lines that begin with # are skipped), or a ForceLength document. */
snStatus sn_force_length_read(const char *path, snNumbers *stretch, snNumbers *force, snError *error);
snStatus sn_force_length_parse(const char *name, const char *bytes, size_t size, snNumbers *stretch, snNumbers *force,
                               snError *error);

/* Writes one document, which remains to be committed; path also tells which referenced files can be found from it. */
snStatus sn_model_write(const snSpec *spec, snDocument document, const char *path, snWriter *out, snError *error);

#endif
