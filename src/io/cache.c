/* Point caches.
 *
 * PC2: "POINTCACHE2", version, points, first frame, sample rate, samples; then 3 floats a point and sample, all
 * little-endian. MDD: frames, points, the time of each frame; then 3 floats a point and frame, all big-endian. Both say
 * the number of frames first: it is put right at the end if fewer came. */
#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "io/file.h"
#include "io/little.h"
#include "io/own/point_cache.h"
#include "sinew/io.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { PC2_SAMPLES_AT = 28 };

struct snCacheWriter {
    snCacheDef def;
    snWriter out; /* not used for OBJ */
    char *path;
    int32_t frames;
    unsigned char *block; /* bytes of one frame */
};

static void put_u32(unsigned char *to, uint32_t bits, bool big)
{
    if (big) bits = bits >> 24 | (bits >> 8 & 0xff00) | (bits << 8 & 0xff0000) | bits << 24;
    sn_little_put(to, bits, 4);
}

static void put_float(unsigned char *to, double value, bool big)
{
    put_u32(to, sn_float_bits(value), big);
}

static void write_pc2_header(snCacheWriter *w)
{
    unsigned char header[32] = "POINTCACHE2";
    put_u32(header + 12, 1, false);
    put_u32(header + 16, (uint32_t)w->def.npoint, false);
    put_float(header + 20, w->def.start, false);
    put_float(header + 24, 1, false);
    put_u32(header + PC2_SAMPLES_AT, (uint32_t)w->def.frames, false);
    sn_writer_bytes(&w->out, header, sizeof header);
}

static void write_mdd_header(snCacheWriter *w)
{
    unsigned char bytes[8];
    put_u32(bytes, (uint32_t)w->def.frames, true);
    put_u32(bytes + 4, (uint32_t)w->def.npoint, true);
    sn_writer_bytes(&w->out, bytes, 8);
    for (int32_t f = 0; f < w->def.frames; ++f) {
        put_float(bytes, f / w->def.rate, true);
        sn_writer_bytes(&w->out, bytes, 4);
    }
}

static snStatus check_def(const snCacheDef *def, snError *error)
{
    bool mdd = def->format == SN_CACHE_MDD;
    if (def->npoint < 1) return sn_fail(error, SN_BAD_INPUT, "a point cache needs points");
    if (mdd && !(def->rate > 0 && isfinite(def->rate)))
        return sn_fail(error, SN_BAD_INPUT, "%g frames a second", def->rate);
    if (def->frames < 0 || (mdd && def->frames == 0))
        return sn_fail(error, SN_BAD_INPUT, "an MDD cache needs the number of its frames first");
    for (int64_t i = 0; def->format == SN_CACHE_OBJ && i < 3 * (int64_t)def->ntriangle; ++i)
        if (def->triangle[i] < 0 || def->triangle[i] >= def->npoint)
            return sn_fail(error, SN_BAD_INPUT, "triangle %lld has a corner out of range", (long long)(i / 3 + 1));
    return SN_OK;
}

snStatus sn_cache_create(const snCacheDef *def, const char *path, snCacheWriter **writer, snError *error)
{
    if (!def) return sn_fail_argument(error, "sn_cache_create without def");
    snCacheDef taken = sn_default_cache_def();
    if (SN_TAKE_DEF(def, snCacheDef, taken, error)) return SN_BAD_ARGUMENT;
    snStatus status = check_def(def, error);
    if (status != SN_OK) return status;
    snCacheWriter *w = SN_NEW(snCacheWriter);
    if (!w) return sn_fail_no_memory(error);
    bool file = def->format != SN_CACHE_OBJ;
    w->def = *def;
    w->path = sn_strdup(path);
    w->block = sn_alloc(file ? 12 * (size_t)def->npoint : 1, 1);
    status = w->path && w->block ? SN_OK : sn_fail_no_memory(error);
    if (status == SN_OK && file) status = sn_writer_open(&w->out, path, error);
    if (status != SN_OK) {
        sn_cache_abandon(w);
        return status;
    }
    if (def->format == SN_CACHE_PC2) write_pc2_header(w);
    if (def->format == SN_CACHE_MDD) write_mdd_header(w);
    *writer = w;
    return SN_OK;
}

/* skin.obj and 12 give skin.0012.obj. */
static snStatus write_obj(snCacheWriter *w, const double *point, snError *error)
{
    size_t n = strlen(w->path), stem = sn_path_ends(w->path, ".obj") ? n - 4 : n;
    char *path = sn_alloc(n + 32, 1);
    if (!path) return sn_fail_no_memory(error);
    snprintf(path, n + 32, "%.*s.%04d.obj", (int)stem, w->path, (int)w->def.start + w->frames);
    snMesh mesh = {.nvertex = w->def.npoint,
                   .ntriangle = w->def.ntriangle,
                   .vertex = (double *)(uintptr_t)point,
                   .triangle = (int32_t *)(uintptr_t)w->def.triangle};
    snStatus status = sn_save_mesh(&mesh, path, error);
    sn_free(path);
    return status;
}

snStatus sn_cache_append(snCacheWriter *w, const double *point, snError *error)
{
    if (!w) return sn_fail_argument(error, "sn_cache_append without writer");
    size_t n = 3 * (size_t)w->def.npoint;
    if (w->def.frames && w->frames == w->def.frames)
        return sn_fail(error, SN_BAD_INPUT, "more than the %d frames that were announced", w->def.frames);
    for (size_t i = 0; i < n; ++i)
        if (!(fabs(point[i]) <= 3e38))
            return sn_fail(error, SN_BAD_INPUT, "point %zu of frame %d is not finite", i / 3 + 1, w->frames + 1);
    if (w->def.format == SN_CACHE_OBJ) {
        snStatus status = write_obj(w, point, error);
        if (status != SN_OK) return status;
    } else {
        for (size_t i = 0; i < n; ++i) put_float(w->block + 4 * i, point[i], w->def.format == SN_CACHE_MDD);
        sn_writer_bytes(&w->out, w->block, 4 * n);
        if (w->out.status)
            return sn_fail(error, w->out.status, "the cache cannot be written: %s", strerror(w->out.error_number));
    }
    ++w->frames;
    return SN_OK;
}

/* Moves the bytes from `from` on down to `to` within an open file, and cuts it off behind them. */
static bool move_down(FILE *file, long from, long to)
{
    unsigned char bytes[4096];
    size_t n;
    do {
        if (fseek(file, from, SEEK_SET)) return false;
        n = fread(bytes, 1, sizeof bytes, file);
        if (ferror(file) || fseek(file, to, SEEK_SET) || fwrite(bytes, 1, n, file) != n) return false;
        from += (long)n;
        to += (long)n;
    } while (n == sizeof bytes);
    return fflush(file) == 0 && ftruncate(fileno(file), to) == 0;
}

/* The number of frames that came, where the header said another. */
static bool put_frame_count(snCacheWriter *w)
{
    unsigned char count[4];
    bool mdd = w->def.format == SN_CACHE_MDD;
    if (w->frames == w->def.frames) return true;
    FILE *file = w->out.file;
    if (!w->out.temporary || fflush(file)) return false;
    put_u32(count, (uint32_t)w->frames, mdd);
    bool fine = !fseek(file, mdd ? 0 : PC2_SAMPLES_AT, SEEK_SET) && fwrite(count, 1, 4, file) == 4;
    if (fine && mdd) fine = move_down(file, 8 + 4 * (long)w->def.frames, 8 + 4 * (long)w->frames);
    return fine;
}

snStatus sn_cache_finish(snCacheWriter *w, snError *error)
{
    if (!w) return sn_fail_argument(error, "sn_cache_finish without writer");
    snStatus status = SN_OK;
    if (w->frames == 0)
        status = sn_fail(error, SN_FAILED, "the cache has no frames: nothing was written");
    else if (w->def.format != SN_CACHE_OBJ && !put_frame_count(w))
        status = sn_fail(error, SN_WRITE_FAILED, "the cache cannot be written: %s", strerror(errno));
    else if (w->def.format != SN_CACHE_OBJ)
        status = sn_writer_commit(&w->out, error);
    sn_cache_abandon(w);
    return status;
}

void sn_cache_abandon(snCacheWriter *w)
{
    if (!w) return;
    if (w->out.file) sn_writer_abort(&w->out);
    sn_free(w->path);
    sn_free(w->block);
    sn_free(w);
}
