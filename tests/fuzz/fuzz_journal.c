/* Any bytes as the journal of an interrupted run: an error, or a run whose frames can be read and continued. The hash
 * of the head is mended first, since the fuzzer would never find one. */
#include "file_case.h"

#include "base/hash.h"
#include "io/own/journal.h"
#include "sinew/io.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 64, HASH_AT = 56 };

static void mend(uint8_t *bytes, size_t size)
{
    uint64_t settings, columns, hash = 0;
    memcpy(&settings, bytes + 24, 8);
    memcpy(&columns, bytes + 32, 8);
    if (settings > size || columns > size || HEAD + settings + columns > size) return;
    memcpy(bytes, "sinew resume 4\n", 16);
    memset(bytes + HASH_AT, 0, 8);
    hash = sn_hash_bytes(0, bytes, HEAD);
    hash = sn_hash_bytes(hash, bytes + HEAD, (size_t)(settings + columns));
    memcpy(bytes + HASH_AT, &hash, 8);
}

/* The settings that the journal has itself: others would be refused before its frames are looked at. */
static char *own_settings(const uint8_t *bytes, size_t size)
{
    uint64_t length = 0;
    if (size >= HEAD) memcpy(&length, bytes + 24, 8);
    if (size < HEAD || length > size - HEAD) length = 0;
    char *text = calloc((size_t)length + 1, 1);
    if (length) memcpy(text, bytes + HEAD, (size_t)length);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    if (size) memcpy(bytes, data, size);
    if (size >= HEAD) mend(bytes, size);
    const char *path = file_of(bytes, size, "a.resume");
    char *settings = own_settings(bytes, size);
    snJournal *journal = NULL;
    snError error;
    if (sn_journal_check(path, &error) == SN_OK && sn_journal_open(path, settings, &journal, &error) == SN_OK) {
        size_t state;
        if ((sn_journal_checkpoint(journal, &state) != NULL) != (sn_journal_frames(journal) > 0)) abort();
        (void)sn_journal_save_track(journal, "/dev/null", &error);
    }
    sn_journal_close(journal);
    free(settings);
    free(bytes);
    return 0;
}
