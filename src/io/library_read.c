/* Reading a deformation library, see library_write.c for the format. Nothing is allocated before the file is known to
 * be long enough for it. */
#include "io/library_read.h"
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/little.h"
#include "meshfree/library.h"
#include "sinew/meshfree.h"

#include <math.h>

enum {
    MOST_MUSCLES = 10000,
    MOST_VERTICES = 10000000,
    MOST_SAMPLES = SN_LIBRARY_VALUES * SN_LIBRARY_VALUES * SN_LIBRARY_VALUES
};
static const size_t LARGEST = (size_t)1 << 32;

typedef struct reader {
    const unsigned char *at, *end;
    bool failed; /* the bytes ran out */
} reader;

static const unsigned char *take(reader *r, size_t size)
{
    static const unsigned char nothing[SN_LIBRARY_NOTE] = {0};
    if (r->failed || (size_t)(r->end - r->at) < size) {
        r->failed = true;
        return nothing;
    }
    r->at += size;
    return r->at - size;
}

static uint32_t get_count(reader *r)
{
    return (uint32_t)sn_little_get(take(r, 4), 4);
}

static double get_double(reader *r)
{
    uint64_t bits = sn_little_get(take(r, 8), 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float get_float(reader *r)
{
    return sn_little_get_float(take(r, 4));
}

/* False: it does not end. */
static bool get_text(reader *r, char *to, size_t size)
{
    memcpy(to, take(r, size), size);
    bool ends = to[size - 1] == 0;
    to[size - 1] = 0;
    return ends;
}

static bool read_axis(reader *r, snLibraryAxis *axis)
{
    bool ok = get_text(r, axis->name, sizeof axis->name);
    uint32_t angle = get_count(r), n = get_count(r);
    axis->angle = angle == 1;
    if (!ok || angle > 1 || n < 1 || n > SN_LIBRARY_VALUES) return false;
    axis->n = (int32_t)n;
    for (int32_t k = 0; k < axis->n; ++k) {
        axis->value[k] = get_double(r);
        if (!isfinite(axis->value[k]) || (k > 0 && !(axis->value[k] > axis->value[k - 1]))) return false;
    }
    return true;
}

/* What is wrong, or NULL. */
static const char *read_head(reader *r, snLibraryMuscle *m)
{
    bool texts = get_text(r, m->name, sizeof m->name);
    texts = get_text(r, m->mesh, sizeof m->mesh) && texts;
    texts = get_text(r, m->note, sizeof m->note) && texts;
    m->hash = sn_little_get(take(r, 8), 8);
    uint32_t nvertex = get_count(r), nbody = get_count(r), naxis = get_count(r), nsample = get_count(r);
    if (r->failed) return "the file ends too early";
    if (!texts) return "a name does not end";
    if (nvertex < 1 || nvertex > MOST_VERTICES) return "the number of vertices is out of range";
    if (nbody < 1 || nbody > SN_LIBRARY_BODIES) return "the number of bodies is out of range";
    if (naxis > SN_LIBRARY_AXES) return "there are too many axes";
    if (nsample < 1 || nsample > MOST_SAMPLES) return "the number of samples is out of range";
    m->nvertex = (int32_t)nvertex, m->nbody = (int32_t)nbody, m->naxis = (int32_t)naxis, m->nsample = (int32_t)nsample;
    for (int32_t b = 0; b < m->nbody; ++b) texts = get_text(r, m->body[b], sizeof m->body[b]) && texts;
    int32_t product = 1;
    for (int32_t a = 0; a < m->naxis; ++a) {
        if (!read_axis(r, m->axis + a)) return r->failed ? "the file ends too early" : "an axis is wrong";
        product *= m->axis[a].n;
    }
    m->unit = get_double(r);
    m->midpoint_rms = get_float(r), m->midpoint_max = get_float(r);
    if (r->failed) return "the file ends too early";
    if (!texts) return "the name of a body does not end";
    if (product != m->nsample) return "the number of samples does not fit the axes";
    if (!(m->unit > 0) || !isfinite(m->unit) || !isfinite(m->midpoint_rms) || !isfinite(m->midpoint_max))
        return "a number is not finite";
    return NULL;
}

static const char *read_body(reader *r, snLibraryMuscle *m, bool *memory)
{
    size_t weights = (size_t)m->nbody * (size_t)m->nvertex, deltas = 3 * (size_t)m->nsample * (size_t)m->nvertex;
    if ((size_t)(r->end - r->at) < 4 * weights + 32 * (size_t)m->nsample + 2 * deltas) return "the file ends too early";
    m->weight = SN_NEW_ARRAY(float, weights), m->sample = SN_NEW_ARRAY(snLibrarySample, m->nsample);
    m->delta = SN_NEW_ARRAY(int16_t, deltas);
    if (!m->weight || !m->sample || !m->delta) return *memory = false, "out of memory";
    for (size_t i = 0; i < weights; ++i) {
        m->weight[i] = get_float(r);
        if (!(m->weight[i] >= -1e-6f && m->weight[i] <= 1 + 1e-6f)) return "a weight is not between 0 and 1";
    }
    for (int32_t s = 0; s < m->nsample; ++s) {
        float v[8];
        for (int k = 0; k < 8; ++k) {
            v[k] = get_float(r);
            if (!isfinite(v[k])) return "a figure of a sample is not finite";
        }
        m->sample[s] = (snLibrarySample){v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
    }
    const unsigned char *bytes = take(r, 2 * deltas);
    for (size_t i = 0; i < deltas; ++i) m->delta[i] = (int16_t)(uint16_t)sn_little_get(bytes + 2 * i, 2);
    return NULL;
}

snStatus sn_read_library(const void *bytes, size_t size, snLibrary **out, snError *error)
{
    if (!out) return sn_fail_argument(error, "sn_read_library without library");
    reader r = {bytes, (const unsigned char *)bytes + size, false};
    bool memory = true;
    *out = NULL;
    if (size < 12 || memcmp(take(&r, 8), "SNLIB1\0\0", 8) != 0)
        return sn_fail(error, SN_BAD_FILE, "not a deformation library, or one of another version");
    uint32_t count = get_count(&r);
    if (count < 1 || count > MOST_MUSCLES) return sn_fail(error, SN_BAD_FILE, "%u muscles are out of range", count);
    if (count > size / 400) return sn_fail(error, SN_BAD_FILE, "the file is too short for %u muscles", count);
    snLibrary *library = SN_NEW(snLibrary);
    if (library) library->muscle = SN_NEW_ARRAY(snLibraryMuscle, count);
    if (!library || !library->muscle) {
        sn_free(library);
        return sn_fail_no_memory(error);
    }
    const char *wrong = NULL;
    for (uint32_t i = 0; i < count && !wrong; ++i) {
        snLibraryMuscle *m = library->muscle + library->nmuscle++;
        wrong = read_head(&r, m);
        if (!wrong) wrong = read_body(&r, m, &memory);
    }
    if (!wrong && r.at != r.end) wrong = "the file has data after its last muscle";
    if (!wrong) {
        *out = library;
        return SN_OK;
    }
    snStatus status = memory ? sn_fail(error, SN_BAD_FILE, "muscle %d of the library: %s", library->nmuscle, wrong)
                             : sn_fail_no_memory(error);
    sn_library_clear(library);
    sn_free(library);
    return status;
}

snStatus sn_load_library(const char *path, snLibrary **library, snError *error)
{
    if (!library) return sn_fail_argument(error, "sn_load_library without library");
    char *bytes = NULL;
    size_t size = 0;
    snStatus status = sn_file_read(path, LARGEST, &bytes, &size, error);
    if (status != SN_OK) return status;
    status = sn_read_library(bytes, size, library, error);
    if (status != SN_OK) sn_error_place(error, path, 0, 0);
    sn_free(bytes);
    return status;
}
