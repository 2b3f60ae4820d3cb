/* The section tables of a skin, read into chains for the builder. */
#ifndef SN_AUTHOR_SKIN_TABLE_H
#define SN_AUTHOR_SKIN_TABLE_H

#include "author/skin_builder.h"
#include "base/arena.h"

typedef struct snSkinTables {
    snArena arena;
    int32_t nsection, nchain, nnail, nbody;
    snSkinSection *section; /* in the order of the table; those of a chain follow each other */
    snSkinChain *chain;
    snSkinNail *nail;
    const char **body; /* names by the numbers used in the sections */
} snSkinTables;        /* zeroed memory is an empty one */

/* Reads folder/skin_sections.tsv and folder/skin_chains.tsv. Free also after a failure. */
snStatus sn_skin_tables_load(snSkinTables *tables, const char *folder, snError *error);
void sn_skin_tables_free(snSkinTables *tables);

#endif
