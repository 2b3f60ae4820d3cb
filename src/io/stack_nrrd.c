/* NRRD with its data in the same file, raw or compressed by gzip: a text header of lines "field: value", an empty line,
 * then the numbers. World axes are made right, front and up, whichever the file has. */
#include "base/alloc.h"
#include "base/error.h"
#include "image/stack.h"
#include "io/number.h"
#include "io/scan.h"
#include "io/stack_read.h"
#include "math/vec.h"

#include <string.h>

typedef struct {
    snScan *scan;
    snStackPlace place;
    snVoxel type;
    bool big, endian_given, gzip, encoding_given, sizes_given, spacing_given;
    double flip[3]; /* to right, front and up */
} Nrrd;

static bool words_are(snScan *scan, const char *text)
{
    size_t size = (size_t)(scan->line_end - scan->line_at);
    while (size > 0 && scan->line_at[size - 1] == ' ') --size;
    return size == strlen(text) && memcmp(scan->line_at, text, size) == 0;
}

static snStatus read_type(Nrrd *n)
{
    static const struct {
        const char *name;
        snVoxel type;
    } known[] = {
        {"uchar", SN_VOXEL_U8},       {"unsigned char", SN_VOXEL_U8},
        {"uint8", SN_VOXEL_U8},       {"uint8_t", SN_VOXEL_U8},
        {"signed char", SN_VOXEL_I8}, {"int8", SN_VOXEL_I8},
        {"int8_t", SN_VOXEL_I8},      {"short", SN_VOXEL_I16},
        {"short int", SN_VOXEL_I16},  {"signed short", SN_VOXEL_I16},
        {"int16", SN_VOXEL_I16},      {"int16_t", SN_VOXEL_I16},
        {"ushort", SN_VOXEL_U16},     {"unsigned short", SN_VOXEL_U16},
        {"uint16", SN_VOXEL_U16},     {"uint16_t", SN_VOXEL_U16},
        {"int", SN_VOXEL_I32},        {"signed int", SN_VOXEL_I32},
        {"int32", SN_VOXEL_I32},      {"int32_t", SN_VOXEL_I32},
        {"uint", SN_VOXEL_U32},       {"unsigned int", SN_VOXEL_U32},
        {"uint32", SN_VOXEL_U32},     {"uint32_t", SN_VOXEL_U32},
        {"float", SN_VOXEL_F32},      {"double", SN_VOXEL_F64},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (words_are(n->scan, known[i].name)) return n->type = known[i].type, SN_OK;
    return sn_scan_fail(n->scan, "this type of numbers cannot be read; expected one such as uchar, short or float");
}

static snStatus read_sizes(Nrrd *n)
{
    for (int a = 0; a < 3; ++a) {
        double size;
        snStatus status = sn_scan_number(n->scan, "size", &size);
        if (status != SN_OK) return status;
        if (!(size >= 1 && size <= SN_STACK_SIDE))
            return sn_scan_fail(n->scan, "size %g is outside 1 to %d", size, SN_STACK_SIDE);
        n->place.n[a] = (int32_t)size;
    }
    n->sizes_given = true;
    return SN_OK;
}

static snStatus read_spacings(Nrrd *n)
{
    for (int a = 0; a < 3; ++a) {
        snStatus status = sn_scan_number(n->scan, "spacing", n->place.spacing + a);
        if (status != SN_OK) return status;
        n->place.spacing[a] = fabs(n->place.spacing[a]) * 1e-3;
    }
    n->spacing_given = true;
    return SN_OK;
}

/* (a,b,c) with blanks anywhere. */
static snStatus read_vector(Nrrd *n, double v[3])
{
    snScan *s = n->scan;
    s->word_start = s->line_at;
    for (int c = 0; c < 3; ++c) {
        while (s->line_at < s->line_end && *s->line_at == ' ') ++s->line_at;
        if (s->line_at == s->line_end || *s->line_at != (c ? ',' : '('))
            return sn_scan_fail(s, "expected a vector such as (0.5,0,0)");
        ++s->line_at;
        while (s->line_at < s->line_end && *s->line_at == ' ') ++s->line_at;
        const char *end = sn_number_parse(s->line_at, s->line_end, v + c);
        if (!end || !isfinite(v[c])) return sn_scan_fail(s, "expected a vector of three finite numbers");
        s->line_at = end;
    }
    while (s->line_at < s->line_end && *s->line_at == ' ') ++s->line_at;
    if (s->line_at == s->line_end || *s->line_at != ')') return sn_scan_fail(s, "the vector does not end with )");
    ++s->line_at;
    return SN_OK;
}

static snStatus read_directions(Nrrd *n)
{
    for (int a = 0; a < 3; ++a) {
        double v[3];
        snStatus status = read_vector(n, v);
        if (status != SN_OK) return status;
        n->place.spacing[a] = 1e-3 * v3_len(v3_load(v));
        v3_store(n->place.axis + 3 * a, v3_unit(v3_load(v)));
    }
    n->spacing_given = true;
    return SN_OK;
}

static snStatus read_space(Nrrd *n)
{
    bool left = words_are(n->scan, "left-posterior-superior") || words_are(n->scan, "LPS");
    bool las = words_are(n->scan, "left-anterior-superior") || words_are(n->scan, "LAS");
    n->flip[0] = left || las ? -1 : 1, n->flip[1] = left ? -1 : 1;
    return SN_OK;
}

static snStatus read_encoding(Nrrd *n)
{
    n->gzip = words_are(n->scan, "gzip") || words_are(n->scan, "gz");
    n->encoding_given = true;
    return n->gzip || words_are(n->scan, "raw")
               ? SN_OK
               : sn_scan_fail(n->scan, "this encoding cannot be read; save it as raw or gzip");
}

static snStatus read_endian(Nrrd *n)
{
    n->big = words_are(n->scan, "big");
    n->endian_given = true;
    return n->big || words_are(n->scan, "little") ? SN_OK : sn_scan_fail(n->scan, "endian is little or big");
}

static snStatus read_dimension(Nrrd *n)
{
    return words_are(n->scan, "3") ? SN_OK : sn_scan_fail(n->scan, "expected 3 dimensions: columns, rows and slices");
}

static snStatus read_origin(Nrrd *n)
{
    snStatus status = read_vector(n, n->place.origin);
    for (int c = 0; c < 3; ++c) n->place.origin[c] *= 1e-3;
    return status;
}

static snStatus refuse_other_file(Nrrd *n)
{
    return sn_scan_fail(n->scan,
                        "the numbers are in another file, or not right after the header; save it as one .nrrd file");
}

static snStatus read_field(Nrrd *n)
{
    static const struct {
        const char *name;
        snStatus (*read)(Nrrd *n);
    } field[] = {{"type", read_type},
                 {"dimension", read_dimension},
                 {"sizes", read_sizes},
                 {"spacings", read_spacings},
                 {"space directions", read_directions},
                 {"space origin", read_origin},
                 {"space", read_space},
                 {"encoding", read_encoding},
                 {"endian", read_endian},
                 {"data file", refuse_other_file},
                 {"datafile", refuse_other_file},
                 {"line skip", refuse_other_file},
                 {"byte skip", refuse_other_file}};
    snScan *s = n->scan;
    const char *colon = memchr(s->line_at, ':', (size_t)(s->line_end - s->line_at));
    if (*s->line_at == '#') return SN_OK;
    if (!colon) return sn_scan_fail(s, "expected a line such as \"sizes: 192 144 60\"");
    size_t length = (size_t)(colon - s->line_at);
    if (colon + 1 < s->line_end && colon[1] == '=') return SN_OK; /* a remark for other programs */
    for (size_t i = 0; i < sizeof field / sizeof *field; ++i) {
        if (strlen(field[i].name) != length || memcmp(s->line_at, field[i].name, length) != 0) continue;
        for (s->line_at = colon + 1; s->line_at < s->line_end && *s->line_at == ' ';) ++s->line_at;
        s->word_start = s->line_at;
        return field[i].read(n);
    }
    return SN_OK;
}

static snStatus check_header(Nrrd *n, const char *file, snError *error)
{
    const char *missing = !n->sizes_given                                  ? "sizes"
                          : n->type == SN_VOXEL_NONE                       ? "type"
                          : !n->encoding_given                             ? "encoding"
                          : sn_voxel_size(n->type) > 1 && !n->endian_given ? "endian"
                          : !n->spacing_given                              ? "spacings or space directions"
                                                                           : NULL;
    if (missing) return sn_stack_fail(file, error, "add it to the header", "the header has no %s", missing);
    for (int c = 0; c < 3; ++c) {
        n->place.origin[c] *= n->flip[c];
        for (int a = 0; a < 3; ++a) n->place.axis[3 * a + c] *= n->flip[c];
    }
    snStatus status = sn_stack_place_check(&n->place, error);
    if (status != SN_OK) sn_error_place(error, file, 0, 0);
    return status;
}

snStatus sn_parse_nrrd(const char *file, const char *data, size_t size, snStack *stack, snError *error)
{
    snScan scan = sn_scan_begin(file, data, size, error);
    Nrrd n = {.scan = &scan, .place = sn_default_stack_place(), .flip = {1, 1, 1}};
    if (size < 8 || memcmp(data, "NRRD000", 7) != 0) return sn_stack_fail(file, error, NULL, "not an NRRD file");
    snStatus status = SN_OK;
    bool ended = false;
    (void)sn_scan_line(&scan);
    while (status == SN_OK && !ended && sn_scan_line(&scan)) {
        ended = scan.line_at == scan.line_end;
        if (!ended) status = read_field(&n);
    }
    if (status == SN_OK && !ended)
        status = sn_stack_fail(file, error, NULL, "the header does not end with an empty line");
    if (status == SN_OK) status = check_header(&n, file, error);
    if (status != SN_OK) return status;
    size_t left = (size_t)(data + size - scan.at), wanted = sn_voxel_size(n.type);
    for (int a = 0; a < 3; ++a) wanted *= (size_t)n.place.n[a];
    unsigned char *bytes = NULL;
    if (n.gzip)
        status = sn_expand(file, scan.at, left, wanted, &bytes, error);
    else if (left < wanted)
        status = sn_stack_fail(file, error, "the file may be truncated; copy or download it again",
                               "the file has %zu of %zu bytes", left, wanted);
    if (status != SN_OK) return status;
    const unsigned char *voxel = bytes ? bytes : (const unsigned char *)scan.at;
    status = sn_voxels_to_stack(file, &n.place, voxel, n.type, n.big, 1, 0, stack, error);
    sn_free(bytes);
    return status;
}
