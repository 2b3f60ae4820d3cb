/* Journals: runs that can be continued after an interruption. */
#ifndef SN_IO_OWN_JOURNAL_H
#define SN_IO_OWN_JOURNAL_H

#include "sinew/motion.h"

/* A run in progress on disk: its settings, its frames, and the state at the last one, so that a run that is killed at
 * any moment can be continued. After each frame the file is whole; at least every five seconds it is on the disk. The
 * settings are lines "name: value"; a journal is continued only with settings that are the same line by line. */
typedef struct snJournal snJournal;
typedef struct snJournalDef {
    size_t size; /* of this struct: set by its default function */
    const snTrackDef *columns;
    const char *settings;
    size_t checkpoint_size; /* bytes of the state; the same for every frame */
} snJournalDef;
static inline snJournalDef sn_default_journal_def(void)
{
    SN_DEF(snJournalDef, def);
    return def;
}
/* Whether a journal may be written there: there is no file, or a journal. SN_BAD_INPUT: some other file, which is left
 * alone. */
snStatus sn_journal_check(const char *path, snError *error);
/* A new journal, in place of one that is there. SN_BAD_INPUT as above, or a run that is still writing it. */
snStatus sn_journal_create(const snJournalDef *def, const char *path, snJournal **journal, snError *error);
/* To continue: frames behind the last whole state are dropped. SN_NO_FILE: there is none. SN_BAD_INPUT: it has other
 * settings (the message says which), or a run is still writing it. SN_BAD_FILE: not a journal, or damaged. */
snStatus sn_journal_open(const char *path, const char *settings, snJournal **journal, snError *error);
/* SN_BAD_INPUT names every setting that differs, as it was in `file` and as it is now. */
snStatus sn_compare_settings(const char *before, const char *now, const char *file, snError *error);
int32_t sn_journal_frames(const snJournal *journal);
/* The state at the last frame; NULL where there is no frame. Lives as long as the journal, until the next append. */
const void *sn_journal_checkpoint(const snJournal *journal, size_t *size);
/* A frame that was appended; its arrays live until the next call. */
snStatus sn_journal_frame(snJournal *journal, int32_t index, snTrackFrame *frame, snError *error);
snStatus sn_journal_append(snJournal *journal, const snTrackFrame *frame, const void *checkpoint, snError *error);
/* All frames as a replay (by the ending of the path, as sn_save_track) and as a table; memory for one frame only. */
snStatus sn_journal_save_track(snJournal *journal, const char *path, snError *error);
snStatus sn_journal_save_table(snJournal *journal, const char *path, snError *error);
void sn_journal_close(snJournal *journal);  /* keeps the file; NULL is fine */
void sn_journal_remove(snJournal *journal); /* closes it and deletes the file; NULL is fine */

#endif
