/* Columns of a journal as bytes: counts of bodies, strands and scalars, points of each strand, then the names of model,
 * bodies, strands and scalars, each followed by a zero byte. */
#ifndef SN_IO_JOURNAL_H
#define SN_IO_JOURNAL_H

#include "base/arena.h"
#include "io/own/journal.h"
#include "sinew/io.h"

size_t sn_columns_size(const snTrackDef *def);
void sn_columns_put(char *to, const snTrackDef *def);
/* The block must stay: the names lie in it. npoint: of all strands. False: damaged, or out of memory. */
bool sn_columns_get(snArena *arena, const char *block, size_t size, snTrackDef *def, size_t *npoint);

/* Of an open journal. */
const snTrackDef *sn_journal_columns(const snJournal *journal);

#endif
