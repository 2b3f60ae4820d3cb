/* See file.h. */
#include "io/file.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static snStatus fail_at(snError *error, snStatus status, const char *path, const char *what, int error_number)
{
    sn_fail(error, status, "%s: %s", what, strerror(error_number));
    sn_error_place(error, path, 0, 0);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* A new file beside `path` that nobody else has; -1 and errno when that fails. */
static int create_beside(const char *path, char *name, size_t size)
{
    for (int attempt = 0; attempt < 1000; ++attempt) {
        snprintf(name, size, "%s.%ld-%d.part", path, (long)getpid(), attempt);
        int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

static void close_writer(snWriter *w)
{
    if (w->file) fclose(w->file);
    sn_free(w->path);
    sn_free(w->temporary);
    *w = (snWriter){0};
}

snStatus sn_writer_open(snWriter *w, const char *path, snError *error)
{
    *w = (snWriter){0};
    struct stat info;
    bool direct = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    size_t room = strlen(path) + 64;
    w->path = sn_strdup(path);
    w->temporary = direct ? NULL : sn_alloc(room, 1);
    if (!w->path || (!direct && !w->temporary)) {
        close_writer(w);
        return sn_fail_no_memory(error);
    }
    int descriptor = direct ? open(path, O_WRONLY | O_CLOEXEC) : create_beside(path, w->temporary, room);
    if (descriptor >= 0) w->file = fdopen(descriptor, "wb");
    if (!w->file) {
        int why = errno;
        if (descriptor >= 0) close(descriptor);
        fail_at(error, SN_WRITE_FAILED, path, "cannot write the file", why);
        sn_error_remedy(error, "check that the folder exists and may be written to");
        close_writer(w);
        return SN_WRITE_FAILED;
    }
    return SN_OK;
}

static void note_failure(snWriter *w)
{
    if (w->status) return;
    w->status = SN_WRITE_FAILED;
    w->error_number = errno;
}

void sn_writer_bytes(snWriter *w, const void *bytes, size_t size)
{
    if (!w->status && size && fwrite(bytes, 1, size, w->file) != size) note_failure(w);
}

void sn_writer_text(snWriter *w, const char *text)
{
    sn_writer_bytes(w, text, strlen(text));
}

void sn_writer_printf(snWriter *w, const char *format, ...)
{
    if (w->status) return;
    va_list args;
    va_start(args, format);
    if (vfprintf(w->file, format, args) < 0) note_failure(w);
    va_end(args);
}

void sn_writer_number(snWriter *w, double value)
{
    char text[SN_NUMBER_SIZE];
    sn_writer_bytes(w, text, sn_number_format(value, text));
}

void sn_writer_flush(snWriter *w)
{
    if (!w->status && fflush(w->file) != 0) note_failure(w);
}

/* No fsync: a killed program leaves either file whole, and a sequence of a thousand small files stays quick. */
static void finish(snWriter *w)
{
    sn_writer_flush(w);
    if (fclose(w->file) != 0) note_failure(w);
    w->file = NULL;
    if (!w->status && w->temporary && rename(w->temporary, w->path) != 0) note_failure(w);
}

snStatus sn_writer_commit(snWriter *w, snError *error)
{
    finish(w);
    snStatus status = w->status;
    if (status) {
        if (w->temporary) unlink(w->temporary);
        fail_at(error, status, w->path, "cannot write the file", w->error_number);
        if (w->error_number == ENOSPC) sn_error_remedy(error, "free some space; nothing was overwritten");
    }
    close_writer(w);
    return status;
}

void sn_writer_abort(snWriter *w)
{
    if (w->temporary) unlink(w->temporary);
    close_writer(w);
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Reads until the end, growing: the size that stat gives is not to be trusted (a pipe has none). */
static snStatus read_all(FILE *file, const char *path, size_t limit, char **bytes, size_t *size, snError *error)
{
    size_t room = 1 << 16, used = 0;
    char *data = sn_alloc(room + 1, 1);
    while (data) {
        used += fread(data + used, 1, room - used, file);
        if (used < room) break;
        if (used > limit) {
            sn_free(data);
            sn_fail(error, SN_BAD_FILE, "the file is larger than %zu bytes", limit);
            sn_error_place(error, path, 0, 0);
            return SN_BAD_FILE;
        }
        char *bigger = sn_realloc(data, used, 2 * room + 1, 1);
        if (!bigger) sn_free(data);
        data = bigger;
        room *= 2;
    }
    if (!data) return sn_fail_no_memory(error);
    if (ferror(file)) {
        int why = errno;
        sn_free(data);
        return fail_at(error, SN_NO_FILE, path, "cannot read the file", why);
    }
    data[used] = '\0';
    *bytes = data;
    *size = used;
    return SN_OK;
}

snStatus sn_file_read(const char *path, size_t limit, char **bytes, size_t *size, snError *error)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail_at(error, SN_NO_FILE, path, "cannot read the file", errno);
        sn_error_remedy(error, "check the name and the folder");
        return SN_NO_FILE;
    }
    snStatus status = read_all(file, path, limit, bytes, size, error);
    fclose(file);
    return status;
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
