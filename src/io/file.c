/* See file.h. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "io/file.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/number.h"
#include "io/own/kept.h"
#include "sinew/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static snStatus fail_at(snError *error, snStatus status, const char *path, const char *what, int error_number)
{
    sn_fail(error, status, "%s: %s", what, strerror(error_number));
    sn_error_place(error, path, 0, 0);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* A new file beside `path` that nobody else has; -1 and errno when that fails. O_EXCL follows no link. */
static int create_beside(const char *path, char *name, size_t size)
{
    for (int attempt = 0; attempt < 1000; ++attempt) {
        snprintf(name, size, "%s.%ld-%d.part", path, (long)getpid(), attempt);
        int descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

/* A file in the folder of `path` that has no name yet, so that nothing is left of it when the process is killed; -1
 * where the file system has none such. */
static int create_nameless(const char *path)
{
#ifdef O_TMPFILE
    char *folder = sn_path_beside(path, ".");
    int descriptor = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666) : -1;
    sn_free(folder);
    return descriptor;
#else
    (void)path;
    return -1;
#endif
}

/* Gives a nameless file a name beside `path` that nobody else has. */
static bool name_beside(int descriptor, const char *path, char *name, size_t size)
{
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", descriptor);
    for (int attempt = 0; attempt < 1000; ++attempt) {
        snprintf(name, size, "%s.%ld-%d.part", path, (long)getpid(), attempt);
        if (linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) return true;
        if (errno != EEXIST) break;
    }
    name[0] = '\0';
    return false;
}

/* Where a name leads: itself, or the end of a symbolic link. NULL and errno: no memory, or a link to nothing. */
static char *follow_link(const char *path)
{
    struct stat info;
    bool link = lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
    char *resolved = link ? realpath(path, NULL) : NULL;
    if (link && !resolved) return NULL;
    errno = ENOMEM;
    char *copy = sn_strdup(link ? resolved : path);
    free(resolved);
    return copy;
}

static void close_writer(snWriter *w)
{
    if (w->gz) (void)gzclose(w->gz);
    if (w->file) fclose(w->file);
    if (w->nameless > 0) close(w->nameless);
    sn_free(w->buffer);
    sn_free(w->path);
    sn_free(w->temporary);
    *w = (snWriter){0};
}

enum { BUFFER = 1 << 18 };

static bool open_stream(snWriter *w, int descriptor)
{
    if (descriptor < 0) return false;
    if (sn_path_ends(w->path, ".gz") || sn_path_ends(w->path, ".replay.bin"))
        w->gz = gzdopen(descriptor, "wb3");
    else
        w->file = fdopen(descriptor, w->temporary ? "w+b" : "wb");
    if (w->file && w->temporary) w->buffer = sn_alloc(BUFFER, 1);
    if (w->buffer) setvbuf(w->file, w->buffer, _IOFBF, BUFFER); /* without it the system is called every 4 kB */
    if (w->gz || w->file) return true;
    int why = errno;
    close(descriptor);
    errno = why ? why : ENOMEM;
    return false;
}

static snStatus fail_open(snWriter *w, const char *path, int why, snError *error)
{
    if (w->temporary && w->temporary[0]) unlink(w->temporary);
    close_writer(w);
    if (why == ENOMEM) return sn_fail_no_memory(error);
    fail_at(error, SN_WRITE_FAILED, path, "cannot write the file", why);
    sn_error_remedy(error, "check that the folder exists and may be written to");
    return SN_WRITE_FAILED;
}

snStatus sn_writer_open(snWriter *w, const char *path, snError *error)
{
    *w = (snWriter){0};
    struct stat info;
    bool direct = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    errno = ENOMEM;
    w->path = direct ? sn_strdup(path) : follow_link(path);
    if (!w->path) return fail_open(w, path, errno, error);
    size_t room = strlen(w->path) + 64;
    w->temporary = direct ? NULL : sn_alloc(room, 1);
    if (!direct && !w->temporary) return fail_open(w, path, ENOMEM, error);
    int descriptor = direct ? open(w->path, O_WRONLY | O_CLOEXEC) : create_nameless(w->path);
    if (!direct && descriptor >= 0 && (w->nameless = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)) < 0) {
        close(descriptor);
        descriptor = -1;
    }
    if (!direct && descriptor < 0) {
        descriptor = create_beside(w->path, w->temporary, room);
        if (descriptor < 0) w->temporary[0] = '\0';
    }
    return open_stream(w, descriptor) ? SN_OK : fail_open(w, path, errno, error);
}

void sn_writer_open_hash(snWriter *w)
{
    *w = (snWriter){.counts_only = true};
}

static void note_failure(snWriter *w)
{
    if (w->status) return;
    w->status = SN_WRITE_FAILED;
    w->error_number = errno;
}

/* Numbers and words are short: for them a call of fwrite costs more than what it does. The file is ours alone. */
static bool put_bytes(FILE *file, const void *bytes, size_t size)
{
    enum { SHORT = 32 };
    const unsigned char *b = bytes;
    if (size > SHORT) return fwrite(bytes, 1, size, file) == size;
    for (size_t i = 0; i < size; ++i)
        if (putc_unlocked(b[i], file) == EOF) return false;
    return true;
}

void sn_writer_bytes(snWriter *w, const void *bytes, size_t size)
{
    if (w->status || !size) return;
    if (w->counts_only) {
        w->hash = sn_hash_bytes(w->hash, bytes, size);
    } else if (w->gz) {
        errno = EIO;
        if (gzfwrite(bytes, 1, size, w->gz) != size) note_failure(w);
    } else if (!put_bytes(w->file, bytes, size)) {
        note_failure(w);
    }
}

void sn_writer_text(snWriter *w, const char *text)
{
    sn_writer_bytes(w, text, strlen(text));
}

void sn_writer_printf(snWriter *w, const char *format, ...)
{
    char text[1024], *longer = NULL;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n >= (int)sizeof text) {
        longer = sn_alloc((size_t)n + 1, 1);
        va_start(args, format);
        if (longer) vsnprintf(longer, (size_t)n + 1, format, args);
        va_end(args);
    }
    errno = ENOMEM;
    if (n < 0 || (n >= (int)sizeof text && !longer))
        note_failure(w);
    else
        sn_writer_bytes(w, longer ? longer : text, (size_t)n);
    sn_free(longer);
}

void sn_writer_number(snWriter *w, double value)
{
    char text[SN_NUMBER_SIZE];
    if (w->counts_only) {
        sn_writer_bytes(w, &value, sizeof value);
        return;
    }
    sn_writer_bytes(w, text, sn_number_format(value, text));
}

void sn_writer_flush(snWriter *w)
{
    if (!w->status && w->file && fflush(w->file) != 0) note_failure(w);
}

/* Waits until the new file is on the disk. A file system that cannot do that is not a failure. */
static void sync_file(snWriter *w)
{
    if (w->status || w->quick || !w->temporary) return;
    int descriptor = w->nameless > 0 ? dup(w->nameless) : open(w->temporary, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    if (fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP) note_failure(w);
    close(descriptor);
}

/* A new name is on the disk when its folder is: without this a file that was called complete may be gone after a cut. */
static void sync_folder(const snWriter *w)
{
    char *folder = sn_path_beside(w->path, ".");
    int descriptor = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    sn_free(folder);
    if (descriptor < 0) return;
    (void)fsync(descriptor); /* not every file system can; the file itself is there */
    close(descriptor);
}

static void finish(snWriter *w)
{
    sn_writer_flush(w);
    errno = EIO;
    if (w->gz && gzclose(w->gz) != Z_OK) note_failure(w);
    if (w->file && fclose(w->file) != 0) note_failure(w);
    w->gz = NULL;
    w->file = NULL;
    sync_file(w);
    if (!w->status && w->nameless > 0 && !name_beside(w->nameless, w->path, w->temporary, strlen(w->path) + 64))
        note_failure(w);
    if (!w->status && w->temporary && rename(w->temporary, w->path) != 0) note_failure(w);
    if (!w->status && w->temporary && !w->quick) sync_folder(w);
}

snStatus sn_writer_commit(snWriter *w, snError *error)
{
    finish(w);
    snStatus status = w->status;
    if (status) {
        if (w->temporary && w->temporary[0]) unlink(w->temporary);
        fail_at(error, status, w->path, "cannot write the file", w->error_number);
        if (w->error_number == ENOSPC) sn_error_remedy(error, "free some space; nothing was overwritten");
    }
    close_writer(w);
    return status;
}

void sn_writer_abort(snWriter *w)
{
    if (w->temporary && w->temporary[0]) unlink(w->temporary);
    close_writer(w);
}

snStatus sn_save_bytes(const char *path, const void *bytes, size_t size, snError *error)
{
    if (!path) return sn_fail_argument(error, "sn_save_bytes without path");
    snWriter out;
    snStatus status = sn_writer_open(&out, path, error);
    if (status != SN_OK) return status;
    sn_writer_bytes(&out, bytes, size);
    return sn_writer_commit(&out, error);
}

/* ---- reading ------------------------------------------------------------------------------ */

static snStatus fail_large(const char *path, size_t limit, snError *error)
{
    sn_fail(error, SN_BAD_FILE, "the file is larger than %zu bytes", limit);
    sn_error_place(error, path, 0, 0);
    return SN_BAD_FILE;
}

/* Room for what is read next: at most one byte more than the limit, so that crossing it shows. */
static bool grow(char **data, size_t *room, size_t limit)
{
    size_t wanted = *room > limit / 2 ? limit + 1 : 2 * *room;
    char *bigger = sn_realloc(*data, *room, wanted + 1, 1);
    if (!bigger) return false;
    *data = bigger;
    *room = wanted;
    return true;
}

/* Reads until the end: the size that stat gives (first_room) is a guess only, since a pipe has none. */
static snStatus read_all(FILE *file, const char *path, size_t limit, size_t first_room, char **bytes, size_t *size,
                         snError *error)
{
    size_t room = first_room < limit + 1 ? first_room : limit + 1, used = 0;
    char *data = sn_alloc(room + 1, 1);
    if (!data) return sn_fail_no_memory(error);
    for (;;) {
        used += fread(data + used, 1, room - used, file);
        if (used < room || used > limit) break;
        if (!grow(&data, &room, limit)) {
            sn_free(data);
            return sn_fail_no_memory(error);
        }
    }
    int why = ferror(file) ? errno : 0;
    if (why || used > limit) {
        sn_free(data);
        return why ? fail_at(error, SN_NO_FILE, path, "cannot read the file", why) : fail_large(path, limit, error);
    }
    data[used] = '\0';
    *bytes = data;
    *size = used;
    return SN_OK;
}

/* Devices such as /dev/zero have no end. A terminal has, and so has /dev/null. */
static bool is_endless(FILE *file, const struct stat *info)
{
    struct stat null;
    if (S_ISBLK(info->st_mode)) return true;
    if (!S_ISCHR(info->st_mode) || isatty(fileno(file))) return false;
    return stat("/dev/null", &null) != 0 || null.st_rdev != info->st_rdev;
}

static snStatus fail_device(const char *path, snError *error)
{
    sn_fail(error, SN_BAD_FILE, "not a regular file, so it is not read");
    sn_error_place(error, path, 0, 0);
    sn_error_remedy(error, "name a file that holds the data");
    return SN_BAD_FILE;
}

snStatus sn_file_read(const char *path, size_t limit, char **bytes, size_t *size, snError *error)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_at(error, SN_NO_FILE, path, "cannot read the file", errno);
        sn_error_remedy(error, "check the name and the folder");
        return SN_NO_FILE;
    }
    size_t room = 1 << 16;
    bool known = fstat(fileno(file), &info) == 0, regular = known && S_ISREG(info.st_mode);
    if (known && is_endless(file, &info)) {
        fclose(file);
        return fail_device(path, error);
    }
    if (regular && info.st_size > 0) room = (size_t)info.st_size + 1;
    snStatus status = regular && info.st_size > 0 && (size_t)info.st_size > limit
                          ? fail_large(path, limit, error)
                          : read_all(file, path, limit, room, bytes, size, error);
    fclose(file);
    return status;
}

snStatus sn_file_read_reference(const char *path, size_t limit, char **bytes, size_t *size, snError *error)
{
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        sn_fail(error, SN_BAD_FILE, "not a regular file, so it is not opened");
        sn_error_place(error, path, 0, 0);
        sn_error_remedy(error, "name a file that holds the data");
        return SN_BAD_FILE;
    }
    return sn_file_read(path, limit, bytes, size, error);
}

snStatus sn_file_read_text(const char *path, bool reference, char **bytes, size_t *size, snError *error)
{
    snStatus status = (reference ? sn_file_read_reference : sn_file_read)(path, SN_FILE_LIMIT, bytes, size, error);
    if (status != SN_OK) return status;
    const unsigned char *c = (const unsigned char *)*bytes;
    if (*size >= 2 && ((c[0] == 0xff && c[1] == 0xfe) || (c[0] == 0xfe && c[1] == 0xff))) {
        sn_free(*bytes);
        *bytes = NULL;
        sn_fail(error, SN_BAD_FILE, "the text is UTF-16");
        sn_error_place(error, path, 0, 0);
        sn_error_remedy(error, "save the file as UTF-8");
        return SN_BAD_FILE;
    }
    if (*size >= 3 && c[0] == 0xef && c[1] == 0xbb && c[2] == 0xbf) {
        *size -= 3;
        memmove(*bytes, *bytes + 3, *size + 1);
    }
    return SN_OK;
}

bool sn_file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, R_OK) == 0;
}

/* ---- paths -------------------------------------------------------------------------------- */

char *sn_path_beside(const char *beside, const char *name)
{
    const char *slash = name[0] == '/' ? NULL : strrchr(beside, '/');
    size_t folder = slash ? (size_t)(slash - beside) + 1 : 0, n = strlen(name) + 1;
    char *path = sn_alloc(folder + n, 1);
    if (!path) return NULL;
    memcpy(path, beside, folder);
    memcpy(path + folder, name, n);
    return path;
}

bool sn_path_ends(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n >= m && strcasecmp(path + n - m, ending) == 0;
}
