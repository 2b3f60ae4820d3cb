/* A run in progress on disk.
 *
 *     head            the sizes below, and a hash of the head, settings and columns
 *     settings        text
 *     columns         names and counts, see journal.h
 *     4 slots         the state after some frame: count of frames, hash, bytes
 *     frames          time, poses, points, scalars, hash; each of the same size
 *
 * Invariants:
 * 1. A frame is written before the slot that counts it. Slots 0 and 1 take turns frame by frame, so that a process
 *    killed while it writes one leaves the other.
 * 2. Slots 2 and 3 take turns at each sync: the frames are on the disk before the slot is written, and the slot is on
 *    the disk before the other one is touched. After a loss of power at least one of them holds.
 * 3. Which frames are there is decided by the best slot whose hash holds and whose last frames' hashes hold.
 * Numbers are those of this machine: a journal is for continuing, not for keeping. */
#include "io/journal.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/def.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/frames.h"
#include "sinew/io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char journal_mark[16] = "sinew resume 4\n";
static const double SYNC_SECONDS = 2; /* well within the five that are promised */
enum { SLOTS = 4, VERIFIED = 1000, MAX_TEXT = 1 << 26 };
static const uint64_t MAX_STATE = (uint64_t)1 << 33;

typedef struct Head {
    char mark[16];
    uint32_t order; /* 0x01020304 as this machine writes it */
    uint32_t unused;
    uint64_t settings_size, columns_size, checkpoint_size, stride;
    uint64_t hash;
} Head;

typedef struct Slot {
    uint64_t frames, hash;
} Slot;

struct snJournal {
    int file;
    char *path;
    snArena arena;
    snTrackDef def;
    size_t stride, npoint; /* doubles of a frame, control points */
    size_t checkpoint_size, frame_size, slot_size;
    off_t slots_at, frames_at;
    int32_t frames;
    double synced; /* when, s */
    int32_t syncs;
    unsigned char *frame, *slot; /* one of each, with head and hash */
};

static snStatus fail_at(snError *error, snStatus status, const char *path, const char *what)
{
    sn_fail(error, status, "%s", what);
    sn_error_place(error, path, 0, 0);
    return status;
}

/* ---- bytes -------------------------------------------------------------------------------- */

static bool write_at(int file, off_t at, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        ssize_t n = pwrite(file, from, size, at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        from += n, at += n, size -= (size_t)n;
    }
    return true;
}

static bool read_at(int file, off_t at, void *bytes, size_t size)
{
    char *to = bytes;
    while (size > 0) {
        ssize_t n = pread(file, to, size, at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to += n, at += n, size -= (size_t)n;
    }
    return true;
}

static uint64_t head_hash(const Head *head, const char *text)
{
    Head h = *head;
    h.hash = 0;
    uint64_t hash = sn_hash_bytes(0, &h, sizeof h);
    return sn_hash_bytes(hash, text, (size_t)(head->settings_size + head->columns_size));
}

static bool lay_out(snJournal *j, const Head *head)
{
    j->checkpoint_size = (size_t)head->checkpoint_size;
    j->stride = 7 * (size_t)j->def.nbody + 3 * j->npoint + (size_t)j->def.nscalar;
    j->frame_size = (j->stride + 1) * sizeof(double) + sizeof(uint64_t);
    j->slot_size = sizeof(Slot) + j->checkpoint_size;
    j->slots_at = (off_t)(sizeof *head + head->settings_size + head->columns_size);
    j->frames_at = j->slots_at + (off_t)(SLOTS * j->slot_size);
    j->frame = sn_alloc(j->frame_size, 1);
    j->slot = sn_alloc(j->slot_size, 1);
    return j->frame && j->slot;
}

/* ---- opening ------------------------------------------------------------------------------ */

static void destroy(snJournal *j)
{
    if (j->file >= 0) close(j->file);
    sn_arena_free(&j->arena);
    sn_free(j->path);
    sn_free(j->frame);
    sn_free(j->slot);
    sn_free(j);
}

static snStatus begin(const char *path, snJournal **journal, snError *error)
{
    snJournal *j = SN_NEW(snJournal);
    if (!j) return sn_fail_no_memory(error);
    j->file = -1;
    j->path = sn_strdup(path);
    *journal = j;
    return j->path ? SN_OK : sn_fail_no_memory(error);
}

static snStatus fail_foreign(const char *path, snError *error)
{
    fail_at(error, SN_BAD_INPUT, path, "this file was not written by sinew, so it is left alone");
    sn_error_remedy(error, "move it away, or choose another -o");
    return SN_BAD_INPUT;
}

snStatus sn_journal_check(const char *path, snError *error)
{
    char mark[sizeof journal_mark];
    struct stat info;
    if (lstat(path, &info) != 0) return SN_OK;
    if (!S_ISREG(info.st_mode)) return fail_foreign(path, error);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool ours = file >= 0 && read_at(file, 0, mark, sizeof mark) && memcmp(mark, journal_mark, sizeof mark) == 0;
    /* A process killed before it wrote the mark leaves an empty file. */
    ours = ours || (file >= 0 && info.st_size == 0);
    if (file >= 0) close(file);
    return ours ? SN_OK : fail_foreign(path, error);
}

static snStatus lock(snJournal *j, snError *error)
{
    if (flock(j->file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return SN_OK;
    fail_at(error, SN_BAD_INPUT, j->path, "another run is writing this file");
    sn_error_remedy(error, "wait for it to end, or choose another -o");
    return SN_BAD_INPUT;
}

static snStatus fail_system(snJournal *j, snError *error)
{
    int why = errno;
    sn_fail(error, SN_WRITE_FAILED, "cannot write the file: %s", strerror(why));
    sn_error_place(error, j->path, 0, 0);
    if (why == ENOSPC) sn_error_remedy(error, "free some space, then continue with --resume");
    return SN_WRITE_FAILED;
}

/* Removes a journal that is to be replaced, unless a run is still writing it. */
static snStatus clear_old(const char *path, snError *error)
{
    snStatus status = sn_journal_check(path, error);
    if (status != SN_OK) return status;
    snJournal old = {.file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW), .path = (char *)path};
    if (old.file < 0) return SN_OK;
    status = lock(&old, error);
    if (status == SN_OK) (void)unlink(path);
    close(old.file);
    return status;
}

static snStatus write_head(snJournal *j, const snJournalDef *def, snError *error)
{
    size_t settings = strlen(def->settings), size = settings + sn_columns_size(def->columns);
    Head head = {.order = 0x01020304, .settings_size = settings, .checkpoint_size = def->checkpoint_size};
    char *kept = sn_arena_alloc(&j->arena, size, 1);
    if (!kept) return sn_fail_no_memory(error);
    memcpy(kept, def->settings, settings);
    sn_columns_put(kept + settings, def->columns);
    memcpy(head.mark, journal_mark, sizeof head.mark);
    head.columns_size = size - settings;
    if (!sn_columns_get(&j->arena, kept + settings, size - settings, &j->def, &j->npoint))
        return sn_fail_no_memory(error);
    if (!lay_out(j, &head)) return sn_fail_no_memory(error);
    head.stride = j->stride;
    head.hash = head_hash(&head, kept);
    /* The mark first: a process killed before the rest of the head leaves a file that is known as ours and as not
     * begun. The slots come with it, as zeros, so that frames have their place. */
    if (!write_at(j->file, 0, head.mark, sizeof head.mark) || !write_at(j->file, (off_t)sizeof head, kept, size) ||
        ftruncate(j->file, j->frames_at) != 0 || !write_at(j->file, 0, &head, sizeof head))
        return fail_system(j, error);
    return SN_OK;
}

snStatus sn_journal_create(const snJournalDef *def, const char *path, snJournal **journal, snError *error)
{
    if (!def || !def->columns || !def->settings || !path || !journal)
        return sn_fail_argument(error, "sn_journal_create without def, columns, settings, path or journal");
    snJournalDef taken = sn_default_journal_def();
    if (SN_TAKE_DEF(def, snJournalDef, taken, error)) return SN_BAD_ARGUMENT;
    snJournal *j = NULL;
    snStatus status = clear_old(path, error);
    if (status != SN_OK) return status;
    status = begin(path, &j, error);
    if (status == SN_OK) {
        j->file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        status = j->file < 0 ? fail_system(j, error) : lock(j, error);
    }
    if (status == SN_OK) status = write_head(j, def, error);
    if (status == SN_OK) {
        j->synced = sn_clock();
        *journal = j;
    } else if (j) {
        if (j->file >= 0) (void)unlink(path);
        destroy(j);
    }
    return status;
}

/* ---- continuing --------------------------------------------------------------------------- */

static snStatus fail_damaged(const char *path, snError *error)
{
    fail_at(error, SN_BAD_FILE, path, "the file is damaged, so the run cannot be continued");
    sn_error_remedy(error, "start again without --resume");
    return SN_BAD_FILE;
}

/* Whether a file with our mark, or none at all, has the rest of its head; a process killed early leaves zeros there. */
static bool has_begun(int file)
{
    static const Head nothing = {0};
    Head head = {0};
    if (!read_at(file, 0, head.mark, sizeof head.mark)) return false;
    (void)read_at(file, 0, &head, sizeof head);
    memset(head.mark, 0, sizeof head.mark);
    return memcmp(&head, &nothing, sizeof head) != 0;
}

static snStatus read_head(snJournal *j, Head *head, const char **settings, snError *error)
{
    struct stat info;
    if (fstat(j->file, &info) != 0 || !read_at(j->file, 0, head, sizeof *head)) return fail_damaged(j->path, error);
    uint64_t text = head->settings_size + head->columns_size;
    bool fine = memcmp(head->mark, journal_mark, sizeof head->mark) == 0 && head->order == 0x01020304 &&
                head->settings_size <= MAX_TEXT && head->columns_size <= MAX_TEXT && head->checkpoint_size <= MAX_STATE;
    if (!fine || text + sizeof *head > (uint64_t)info.st_size || head->checkpoint_size > (uint64_t)info.st_size)
        return fail_damaged(j->path, error);
    char *block = sn_arena_alloc(&j->arena, (size_t)text + 1, 1);
    char *copy = sn_arena_alloc(&j->arena, (size_t)head->settings_size + 1, 1);
    if (!block || !copy) return sn_fail_no_memory(error);
    if (!read_at(j->file, (off_t)sizeof *head, block, (size_t)text) || head_hash(head, block) != head->hash)
        return fail_damaged(j->path, error);
    memcpy(copy, block, (size_t)head->settings_size);
    *settings = copy;
    if (!sn_columns_get(&j->arena, block + head->settings_size, (size_t)head->columns_size, &j->def, &j->npoint))
        return fail_damaged(j->path, error);
    /* A frame is smaller than the states in front of it, whatever the names say: no memory is asked for that is not
     * there. */
    uint64_t stride = 7 * (uint64_t)j->def.nbody + 3 * (uint64_t)j->npoint + (uint64_t)j->def.nscalar;
    if (stride != head->stride || stride > (uint64_t)info.st_size / sizeof(double)) return fail_damaged(j->path, error);
    return lay_out(j, head) ? SN_OK : sn_fail_no_memory(error);
}

static uint64_t frame_hash(const snJournal *j)
{
    return sn_checksum(1, j->frame, j->frame_size - sizeof(uint64_t));
}

static bool read_frame(snJournal *j, int32_t index)
{
    uint64_t hash;
    if (!read_at(j->file, j->frames_at + (off_t)index * (off_t)j->frame_size, j->frame, j->frame_size)) return false;
    memcpy(&hash, j->frame + j->frame_size - sizeof hash, sizeof hash);
    return hash == frame_hash(j);
}

static bool read_slot(snJournal *j, int slot, Slot *head)
{
    if (!read_at(j->file, j->slots_at + (off_t)slot * (off_t)j->slot_size, j->slot, j->slot_size)) return false;
    memcpy(head, j->slot, sizeof *head);
    return head->frames > 0 && head->frames < INT32_MAX &&
           head->hash == sn_checksum(head->frames, j->slot + sizeof *head, j->checkpoint_size);
}

static bool last_frames_hold(snJournal *j, int32_t frames)
{
    for (int32_t i = frames > VERIFIED ? frames - VERIFIED : 0; i < frames; ++i)
        if (!read_frame(j, i)) return false;
    return true;
}

/* The latest state that holds, and what belongs to it. None: the run had not reached its first frame. */
static void find_state(snJournal *j)
{
    uint64_t below = UINT64_MAX;
    for (int attempt = 0; attempt < SLOTS; ++attempt) {
        Slot head;
        int best = -1;
        uint64_t most = 0;
        for (int i = 0; i < SLOTS; ++i)
            if (read_slot(j, i, &head) && head.frames < below && head.frames > most) most = head.frames, best = i;
        if (best < 0) break;
        below = most;
        if (!last_frames_hold(j, (int32_t)most)) continue;
        (void)read_slot(j, best, &head);
        j->frames = (int32_t)most;
        return;
    }
    j->frames = 0;
}

snStatus sn_journal_open(const char *path, const char *settings, snJournal **journal, snError *error)
{
    struct stat info;
    snJournal *j = NULL;
    Head head;
    const char *before = "";
    if (lstat(path, &info) != 0) return fail_at(error, SN_NO_FILE, path, "there is no interrupted run");
    snStatus status = sn_journal_check(path, error);
    if (status == SN_OK) status = begin(path, &j, error);
    if (status == SN_OK) {
        j->file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        status = j->file < 0 ? fail_system(j, error) : lock(j, error);
    }
    if (status == SN_OK && !has_begun(j->file))
        status = fail_at(error, SN_NO_FILE, path, "the interrupted run had not begun");
    if (status == SN_OK) status = read_head(j, &head, &before, error);
    if (status == SN_OK) status = sn_compare_settings(before, settings, path, error);
    if (status == SN_OK) {
        find_state(j);
        /* What stands behind the last whole state is made again, so that it cannot be half old and half new. */
        if (ftruncate(j->file, j->frames_at + (off_t)j->frames * (off_t)j->frame_size) != 0)
            status = fail_system(j, error);
        j->synced = sn_clock();
    }
    if (status == SN_OK)
        *journal = j;
    else if (j)
        destroy(j);
    return status;
}

/* ---- frames ------------------------------------------------------------------------------- */

const snTrackDef *sn_journal_columns(const snJournal *j)
{
    return &j->def;
}

int32_t sn_journal_frames(const snJournal *j)
{
    if (!j) return 0;
    return j->frames;
}

const void *sn_journal_checkpoint(const snJournal *j, size_t *size)
{
    if (!j) return NULL;
    *size = j->frames ? j->checkpoint_size : 0;
    return j->frames ? j->slot + sizeof(Slot) : NULL;
}

static void pack_frame(snJournal *j, const snTrackFrame *frame)
{
    double *to = (double *)(void *)j->frame;
    size_t npose = 7 * (size_t)j->def.nbody, npoint = 3 * j->npoint, nscalar = (size_t)j->def.nscalar;
    *to++ = frame->time;
    if (npose) memcpy(to, frame->pose, npose * sizeof *to);
    if (npoint) memcpy(to + npose, frame->point, npoint * sizeof *to);
    if (nscalar) memcpy(to + npose + npoint, frame->scalar, nscalar * sizeof *to);
    uint64_t hash = frame_hash(j);
    memcpy(j->frame + j->frame_size - sizeof hash, &hash, sizeof hash);
}

static bool write_slot(snJournal *j, int slot)
{
    return write_at(j->file, j->slots_at + (off_t)slot * (off_t)j->slot_size, j->slot, j->slot_size);
}

static bool synchronise(snJournal *j)
{
    j->synced = sn_clock();
    if (fdatasync(j->file) != 0 && errno != EINVAL) return false;
    if (!write_slot(j, 2 + (j->syncs++ & 1))) return false;
    return fdatasync(j->file) == 0 || errno == EINVAL;
}

snStatus sn_journal_append(snJournal *j, const snTrackFrame *frame, const void *checkpoint, snError *error)
{
    if (!j) return sn_fail_argument(error, "sn_journal_append without journal");
    off_t at = j->frames_at + (off_t)j->frames * (off_t)j->frame_size;
    pack_frame(j, frame);
    if (!write_at(j->file, at, j->frame, j->frame_size)) return fail_system(j, error);
    Slot head = {.frames = (uint64_t)j->frames + 1};
    memcpy(j->slot + sizeof head, checkpoint, j->checkpoint_size);
    head.hash = sn_checksum(head.frames, j->slot + sizeof head, j->checkpoint_size);
    memcpy(j->slot, &head, sizeof head);
    if (!write_slot(j, j->frames & 1)) return fail_system(j, error);
    ++j->frames;
    if (sn_clock() - j->synced > SYNC_SECONDS && !synchronise(j)) return fail_system(j, error);
    return SN_OK;
}

static snStatus read_source(void *from, int32_t index, snTrackFrame *frame, snError *error)
{
    snJournal *j = from;
    if (!read_frame(j, index)) return fail_damaged(j->path, error);
    const double *at = (const double *)(const void *)j->frame;
    const double *pose = at + 1, *point = pose + 7 * (size_t)j->def.nbody;
    *frame = (snTrackFrame){*at, pose, point, point + 3 * j->npoint};
    return SN_OK;
}

snStatus sn_journal_frame(snJournal *j, int32_t index, snTrackFrame *frame, snError *error)
{
    if (!j || !frame || index < 0 || index >= j->frames)
        return sn_fail_argument(error, "sn_journal_frame without journal, frame or an index that it has");
    return read_source(j, index, frame, error);
}

static snFrameSource source_of(snJournal *j)
{
    return (snFrameSource){&j->def, j->frames, read_source, j};
}

snStatus sn_journal_save_track(snJournal *j, const char *path, snError *error)
{
    if (!j) return sn_fail_argument(error, "sn_journal_save_track without journal");
    snFrameSource source = source_of(j);
    return sn_write_track(&source, path, error);
}

snStatus sn_journal_save_table(snJournal *j, const char *path, snError *error)
{
    if (!j) return sn_fail_argument(error, "sn_journal_save_table without journal");
    snFrameSource source = source_of(j);
    return sn_write_table(&source, path, NULL, error);
}

void sn_journal_close(snJournal *j)
{
    if (!j) return;
    (void)fdatasync(j->file);
    destroy(j);
}

void sn_journal_remove(snJournal *j)
{
    if (!j) return;
    (void)unlink(j->path);
    destroy(j);
}
