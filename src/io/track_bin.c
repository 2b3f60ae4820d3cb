/* See track_bin.h. */
#include "io/track_bin.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "io/little.h"

#include <math.h>

static const double STEP = 1e-7;
static const double LARGEST = 1e9; /* m: what counts in steps can hold, with room to predict */
enum { MAX_COUNT = 1000 * 1000, MAX_NAME = 4096, MAX_VARINT = 10 };
static const int64_t MAX_VALUES = 300 * 1000 * 1000;

bool sn_bin_init(snBinFrames *f, const snTrackDef *def, int64_t npoint)
{
    f->ncoarse = 7 * (size_t)def->nbody + 3 * (size_t)npoint;
    f->npose = 7 * (size_t)def->nbody;
    f->nscalar = (size_t)def->nscalar;
    size_t n = f->ncoarse + f->nscalar;
    f->last = SN_NEW_ARRAY(int64_t, n + 1);
    f->before = SN_NEW_ARRAY(int64_t, n + 1);
    f->bytes = sn_alloc(n * MAX_VARINT + 16, 1);
    return f->last && f->before && f->bytes;
}

void sn_bin_free(snBinFrames *f)
{
    sn_free(f->last);
    sn_free(f->before);
    sn_free(f->bytes);
    *f = (snBinFrames){0};
}

/* ---- numbers ------------------------------------------------------------------------------ */

static size_t put_varint(unsigned char *to, uint64_t value)
{
    size_t n = 0;
    for (; value >= 128; value >>= 7) to[n++] = (unsigned char)(value | 128);
    to[n++] = (unsigned char)value;
    return n;
}

static void write_varint(snWriter *out, uint64_t value)
{
    unsigned char bytes[MAX_VARINT];
    sn_writer_bytes(out, bytes, put_varint(bytes, value));
}

static bool read_varint(snInput *in, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        int byte = sn_input_byte(in);
        if (byte < 0) return false;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return true;
    }
    return false;
}

static uint64_t fold(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? ~(uint64_t)0 : 0);
}

static int64_t unfold(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* The bits of single precision as a number that grows with the value. */
static int64_t count_of_float(double value)
{
    int64_t bits = sn_float_bits(value);
    return bits < 0x80000000 ? bits : 0x80000000 - bits;
}

static double float_of_count(int64_t count)
{
    uint32_t bits = count >= 0 ? (uint32_t)count : (uint32_t)(0x80000000 - count);
    return sn_float_of(bits);
}

/* Wraps around instead of overflowing, so that any bytes of a file are harmless. */
static int64_t predicted(const snBinFrames *f, size_t i)
{
    if (f->frames == 0) return 0;
    if (f->frames == 1) return f->last[i];
    return (int64_t)(2 * (uint64_t)f->last[i] - (uint64_t)f->before[i]);
}

static void shift(snBinFrames *f)
{
    int64_t *oldest = f->before;
    f->before = f->last;
    f->last = oldest;
    ++f->frames;
}

/* ---- writing ------------------------------------------------------------------------------ */

static void write_names(snWriter *out, int32_t count, const char *const *name)
{
    for (int32_t i = 0; i < count; ++i) sn_writer_bytes(out, name[i], strlen(name[i]) + 1);
}

void sn_bin_write_head(snWriter *out, const snTrackDef *def)
{
    const char *model = def->model ? def->model : "";
    sn_writer_bytes(out, SN_TRACK_BIN_MARK, sizeof SN_TRACK_BIN_MARK);
    write_varint(out, 0);
    write_varint(out, (uint64_t)def->nbody);
    write_varint(out, (uint64_t)def->nstrand);
    write_varint(out, (uint64_t)def->nscalar);
    for (int32_t i = 0; i < def->nstrand; ++i) write_varint(out, (uint64_t)def->strand_npoint[i]);
    write_names(out, 1, &model);
    write_names(out, def->nbody, def->body_name);
    write_names(out, def->nstrand, def->strand_name);
    write_names(out, def->nscalar, def->scalar_name);
}

static bool fits(const double *value, size_t count, double largest)
{
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(value[i]) <= largest)) return false;
    return true;
}

bool sn_bin_write_frame(snWriter *out, snBinFrames *f, double time, const double *pose, const double *point,
                        const double *scalar)
{
    size_t at = 9, n = f->ncoarse + f->nscalar, first = f->npose;
    uint64_t bits;
    memcpy(&bits, &time, sizeof bits);
    f->bytes[0] = 1;
    sn_little_put(f->bytes + 1, bits, 8);
    if (!fits(pose, first, LARGEST) || !fits(point, f->ncoarse - first, LARGEST) || !fits(scalar, f->nscalar, 3e38))
        return false;
    for (size_t i = 0; i < n; ++i) {
        double value = i < first ? pose[i] : i < f->ncoarse ? point[i - first] : scalar[i - f->ncoarse];
        int64_t count = i < f->ncoarse ? llround(value / STEP) : count_of_float(value);
        int64_t difference = (int64_t)((uint64_t)count - (uint64_t)predicted(f, i));
        f->before[i] = count; /* becomes the last one */
        at += put_varint(f->bytes + at, fold(difference));
    }
    shift(f);
    sn_writer_bytes(out, f->bytes, at);
    return true;
}

void sn_bin_write_end(snWriter *out, const snBinFrames *f)
{
    sn_writer_bytes(out, "", 1);
    write_varint(out, (uint64_t)f->frames);
}

/* ---- reading ------------------------------------------------------------------------------ */

typedef struct Reader {
    snInput *in;
    const char *name;
    snError *error;
    snArena arena;
    snTrackDef def;
    int64_t npoint;
    snTrack *track;
    snBinFrames frames;
    double *value;
} Reader;

static snStatus fail(Reader *r, const char *what)
{
    snStatus status = sn_input_status(r->in, r->error);
    if (status != SN_OK) return status;
    sn_fail(r->error, SN_BAD_FILE, "%s (frame %lld)", what, (long long)r->frames.frames + 1);
    sn_error_place(r->error, r->name, 0, 0);
    return SN_BAD_FILE;
}

static snStatus read_name(Reader *r, const char **name)
{
    char text[MAX_NAME];
    for (int n = 0; n < MAX_NAME; ++n) {
        int byte = sn_input_byte(r->in);
        if (byte < 0) return fail(r, "the file ends within its names");
        text[n] = (char)byte;
        if (byte) continue;
        *name = sn_arena_strdup(&r->arena, text);
        return *name ? SN_OK : sn_fail_no_memory(r->error);
    }
    return fail(r, "a name of more than 4095 bytes");
}

static snStatus read_names(Reader *r, int32_t count, const char *const **names)
{
    const char **list = sn_arena_alloc(&r->arena, (size_t)count + 1, sizeof *list);
    snStatus status = list ? SN_OK : sn_fail_no_memory(r->error);
    for (int32_t i = 0; i < count && status == SN_OK; ++i) status = read_name(r, &list[i]);
    *names = list;
    return status;
}

static snStatus read_counts(Reader *r)
{
    uint64_t count[4];
    for (int i = 0; i < 4; ++i)
        if (!read_varint(r->in, &count[i]) || count[i] > MAX_COUNT)
            return fail(r, "the counts of channels are damaged");
    r->def.nbody = (int32_t)count[1], r->def.nstrand = (int32_t)count[2], r->def.nscalar = (int32_t)count[3];
    int32_t *npoint = sn_arena_alloc(&r->arena, (size_t)r->def.nstrand + 1, sizeof *npoint);
    if (!npoint) return sn_fail_no_memory(r->error);
    for (int32_t i = 0; i < r->def.nstrand; ++i) {
        uint64_t n;
        if (!read_varint(r->in, &n) || n < 1 || n > MAX_COUNT) return fail(r, "the counts of points are damaged");
        npoint[i] = (int32_t)n;
        r->npoint += (int64_t)n;
    }
    r->def.strand_npoint = npoint;
    return 3 * r->npoint <= MAX_VALUES ? SN_OK : fail(r, "too many control points");
}

static snStatus read_head(Reader *r)
{
    char mark[sizeof SN_TRACK_BIN_MARK];
    if (sn_input_read(r->in, mark, sizeof mark) != sizeof mark || memcmp(mark, SN_TRACK_BIN_MARK, sizeof mark) != 0)
        return fail(r, "not a compact replay");
    r->def = sn_default_track_def();
    snStatus status = read_counts(r);
    if (status == SN_OK) status = read_name(r, &r->def.model);
    if (status == SN_OK) status = read_names(r, r->def.nbody, &r->def.body_name);
    if (status == SN_OK) status = read_names(r, r->def.nstrand, &r->def.strand_name);
    if (status == SN_OK) status = read_names(r, r->def.nscalar, &r->def.scalar_name);
    if (status != SN_OK) return status;
    status = sn_track_create(&r->def, &r->track);
    if (status == SN_BAD_INPUT) return fail(r, "a name is empty or appears twice");
    if (status == SN_OK && sn_bin_init(&r->frames, &r->def, r->npoint))
        r->value = SN_NEW_ARRAY(double, r->frames.ncoarse + r->frames.nscalar + 1);
    return r->value ? SN_OK : sn_fail_no_memory(r->error);
}

static snStatus read_frame(Reader *r)
{
    snBinFrames *f = &r->frames;
    unsigned char time[8];
    if (sn_input_read(r->in, time, sizeof time) != sizeof time) return fail(r, "the file ends within a frame");
    for (size_t i = 0; i < f->ncoarse + f->nscalar; ++i) {
        uint64_t folded;
        if (!read_varint(r->in, &folded)) return fail(r, "the file ends within a frame");
        int64_t count = (int64_t)((uint64_t)predicted(f, i) + (uint64_t)unfold(folded));
        f->before[i] = count;
        if (i >= f->ncoarse && (count > 0x7fffffff || count < -0x7fffffff)) return fail(r, "a scalar is damaged");
        r->value[i] = i < f->ncoarse ? (double)count * STEP : float_of_count(count);
    }
    shift(f);
    uint64_t bits = sn_little_get(time, 8);
    double t;
    memcpy(&t, &bits, sizeof t);
    const double *point = r->value + f->npose;
    snStatus status = sn_track_append(r->track, t, r->value, point, r->value + f->ncoarse);
    if (status == SN_NO_MEMORY) return sn_fail_no_memory(r->error);
    return status == SN_OK ? SN_OK
                           : fail(r, "a frame has a time that does not increase, or a value that is not finite");
}

static snStatus read_frames(Reader *r)
{
    for (;;) {
        uint64_t frames;
        int byte = sn_input_byte(r->in);
        if (byte == 1) {
            snStatus status = read_frame(r);
            if (status != SN_OK) return status;
            continue;
        }
        if (byte != 0 || !read_varint(r->in, &frames)) return fail(r, "the file was cut off");
        if (frames != (uint64_t)r->frames.frames) return fail(r, "the number of frames is wrong");
        return frames > 0 ? SN_OK : fail(r, "the motion has no frames");
    }
}

snStatus sn_bin_read(snInput *in, const char *name, snTrack **track, snError *error)
{
    Reader r = {.in = in, .name = name, .error = error};
    snStatus status = read_head(&r);
    if (status == SN_OK) status = read_frames(&r);
    if (status == SN_OK)
        *track = r.track;
    else
        sn_track_destroy(r.track);
    sn_arena_free(&r.arena);
    sn_bin_free(&r.frames);
    sn_free(r.value);
    return status;
}
