/* See input.h. */
#include "io/input.h"

#include "base/alloc.h"
#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { PIECE = 1 << 18 };
/* What gzip may expand to: anything up to 1 GiB; beyond it a hundred times its own size, which no motion comes near. */
static const uint64_t FREE_BYTES = (uint64_t)1 << 30, MOST_RATIO = 100;

static snStatus fail_open(snInput *in, int why, snError *error)
{
    sn_fail(error, SN_NO_FILE, "cannot read the file: %s", strerror(why));
    sn_error_place(error, in->path, 0, 0);
    sn_error_remedy(error, "check the name and the folder");
    sn_input_close(in);
    return SN_NO_FILE;
}

snStatus sn_input_open(snInput *in, const char *path, snError *error)
{
    struct stat info;
    *in = (snInput){.path = path};
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return fail_open(in, EISDIR, error);
    in->piece = sn_alloc(PIECE, 1);
    if (!in->piece) return sn_fail_no_memory(error);
    errno = 0;
    in->gz = gzopen(path, "rbe");
    if (!in->gz && errno) return fail_open(in, errno, error);
    if (in->gz) return SN_OK;
    sn_input_close(in);
    return sn_fail_no_memory(error);
}

static bool refill(snInput *in)
{
    errno = 0;
    int n = in->damaged ? 0 : gzread(in->gz, in->piece, PIECE);
    int code = Z_OK;
    if (!in->damaged) (void)gzerror(in->gz, &code);
    /* Z_BUF_ERROR: the file ends within the compressed data. */
    if (n < 0 || (n == 0 && code != Z_OK && code != Z_STREAM_END)) in->damaged = true, in->error_number = errno;
    if (n > 0) in->expanded += (uint64_t)n;
    if (in->expanded > FREE_BYTES && in->expanded / MOST_RATIO > (uint64_t)gzoffset(in->gz)) {
        in->damaged = in->bomb = true;
        n = 0;
    }
    in->at = 0;
    in->count = n > 0 ? (size_t)n : 0;
    return n > 0;
}

size_t sn_input_read(snInput *in, void *bytes, size_t size)
{
    char *to = bytes;
    size_t done = 0;
    while (done < size) {
        if (in->at == in->count && !refill(in)) break;
        size_t some = in->count - in->at < size - done ? in->count - in->at : size - done;
        memcpy(to + done, in->piece + in->at, some);
        in->at += some;
        done += some;
    }
    return done;
}

size_t sn_input_peek(snInput *in, void *bytes, size_t size)
{
    if (in->at == in->count && !refill(in)) return 0;
    size_t some = in->count - in->at < size ? in->count - in->at : size;
    memcpy(bytes, in->piece + in->at, some);
    return some;
}

snStatus sn_input_status(const snInput *in, snError *error)
{
    if (!in->damaged) return SN_OK;
    if (in->bomb) {
        sn_fail(error, SN_BAD_FILE, "the compressed file expands to more than 1 GiB and %d times its size",
                (int)MOST_RATIO);
        sn_error_remedy(error, "if it is what you expect, expand it with gunzip first");
    } else if (in->error_number) {
        sn_fail(error, SN_NO_FILE, "cannot read the file: %s", strerror(in->error_number));
    } else {
        sn_fail(error, SN_BAD_FILE, "the compressed data is damaged, or the file is truncated");
        sn_error_remedy(error, "copy or download the file again");
    }
    sn_error_place(error, in->path, 0, 0);
    return in->error_number && !in->bomb ? SN_NO_FILE : SN_BAD_FILE;
}

bool sn_input_compressed(const snInput *in)
{
    return !gzdirect(in->gz);
}

void sn_input_close(snInput *in)
{
    if (in->gz) (void)gzclose(in->gz);
    sn_free(in->piece);
    *in = (snInput){0};
}
