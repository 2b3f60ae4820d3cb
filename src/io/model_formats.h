/* Model files of other programs: each format is a row of one table, so that whatever takes a model takes them all. */
#ifndef SN_IO_MODEL_FORMATS_H
#define SN_IO_MODEL_FORMATS_H

#include "model/spec_internal.h"

/* Adds what the file says to an empty spec; after a failure the spec is to be destroyed. What a spec cannot say is added
 * with sn_spec_add_missing: never dropped silently. */
typedef struct snModelFormat {
    const char *name;   /* for people: OpenSim */
    const char *ending; /* that belongs to this format alone, such as .osim; NULL: the root element decides */
    const char *root;   /* root element of its documents, whatever the file is called */
    snStatus (*read)(snSpec *spec, const char *path, snError *error);
} snModelFormat;

/* The format of a file that is not our own; NULL: ours, or not to be read (the reader of our own files says why). */
const snModelFormat *sn_model_format(const char *path);

snStatus sn_osim_load(snSpec *spec, const char *path, snError *error); /* osim.c */
snStatus sn_mjcf_load(snSpec *spec, const char *path, snError *error); /* mjcf.c */

#endif
