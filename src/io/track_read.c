/* Reader of control and replay files (see track_xml.h for their form). */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "io/replay.h"
#include "io/track_bin.h"
#include "io/track_xml.h"
#include "io/xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHANNELS = 1000 * 1000, MAX_POINTS = 100 * 1000 * 1000 };
typedef enum part { PART_BODIES, PART_POINTS, PART_SCALARS, PART_COUNT } part;
static const char *const part_name[] = {"Bodies", "Points", "Scalars"};
static const char *const channel_name[] = {"Body", "Strand", "Scalar"};
static const char *const part_unit[] = {"7 for each body", "3 for each control point", "1 for each scalar"};

typedef enum place { PLACE_START, PLACE_ROOT, PLACE_CHANNEL, PLACE_FRAME, PLACE_PART, PLACE_END } place;

typedef struct trackReader {
    place place;
    part part; /* in PLACE_PART and PLACE_CHANNEL */
    bool control;
    snArena arena;
    char *model;
    SN_ARRAY(const char *) name[PART_COUNT];
    snNameMap map[PART_COUNT];
    SN_ARRAY(int32_t) npoint;
    int64_t expected[PART_COUNT]; /* numbers per frame */
    snTrack *track;               /* made at the first frame */
    double time;
    char element[80];
    snNumbers number[PART_COUNT];
    bool seen[PART_COUNT];
} trackReader;

static snStatus check_attributes(snXml *xml, const char *element, const char **attribute, const char *allowed,
                                 const char *also)
{
    for (; *attribute; attribute += 2)
        if (strcmp(*attribute, allowed) != 0 && (!also || strcmp(*attribute, also) != 0))
            return sn_xml_fail(xml, 0, element, NULL, "unknown attribute \"%.60s\"", *attribute);
    return SN_OK;
}

static snStatus start_root(trackReader *r, snXml *xml, const char *tag, const char **attribute)
{
    r->control = strcmp(tag, "Control") == 0;
    if (!r->control && strcmp(tag, "Replay") != 0)
        return sn_xml_fail(xml, 0, NULL, NULL, "the file begins with <%.60s>, expected <Control> or <Replay>", tag);
    snStatus status = check_attributes(xml, tag, attribute, "version", "model");
    if (status != SN_OK) return status;
    const char *version = sn_xml_attribute(attribute, "version"), *model = sn_xml_attribute(attribute, "model");
    if (!version || strcmp(version, "1") != 0)
        return sn_xml_fail(xml, 0, tag, "use a newer sinew if the file was written by one",
                           "version \"%.40s\" is not known, expected 1", version ? version : "");
    r->model = sn_arena_strdup(&r->arena, model ? model : "");
    r->place = PLACE_ROOT;
    return r->model ? SN_OK : sn_xml_fail_no_memory(xml);
}

/* ---- channels ------------------------------------------------------------------------------- */

static snStatus read_strand_points(trackReader *r, snXml *xml, const char **attribute, int64_t *count)
{
    const char *points = sn_xml_attribute(attribute, "points");
    int32_t n;
    if (!points || !sn_text_int(points, strlen(points), &n) || n < 1 || n > MAX_POINTS)
        return sn_xml_fail(xml, 0, "Strand", NULL, "points=\"%.40s\" is not a count of control points",
                           points ? points : "");
    *count = 3 * (int64_t)n;
    return sn_array_push(&r->npoint, n) ? SN_OK : sn_xml_fail_no_memory(xml);
}

static snStatus start_channel(trackReader *r, snXml *xml, part kind, const char **attribute)
{
    const char *tag = channel_name[kind], *name = sn_xml_attribute(attribute, "name");
    int64_t count = kind == PART_BODIES ? 7 : 1;
    if (r->control && kind != PART_BODIES)
        return sn_xml_fail(xml, 0, tag, "use a <Replay> for it", "a <Control> has bodies only");
    if (r->track) return sn_xml_fail(xml, 0, tag, NULL, "a channel after the first frame");
    snStatus status = check_attributes(xml, tag, attribute, "name", kind == PART_POINTS ? "points" : NULL);
    if (status != SN_OK) return status;
    if (!name || !*name) return sn_xml_fail(xml, 0, tag, NULL, "the name is missing");
    if (sn_name_fault(name)) return sn_xml_fail(xml, 0, tag, "rename it", "the name %s", sn_name_fault(name));
    if (sn_map_get(&r->map[kind], name) >= 0) return sn_xml_fail(xml, 0, tag, NULL, "\"%.100s\" appears twice", name);
    if (kind == PART_POINTS && (status = read_strand_points(r, xml, attribute, &count)) != SN_OK) return status;
    if (r->name[kind].count >= MAX_CHANNELS || r->expected[kind] + count > INT32_MAX)
        return sn_xml_fail(xml, 0, tag, NULL, "too many channels");
    const char *copy = sn_arena_strdup(&r->arena, name);
    if (!copy || !sn_map_put(&r->map[kind], copy, r->name[kind].count) || !sn_array_push(&r->name[kind], copy))
        return sn_xml_fail_no_memory(xml);
    r->expected[kind] += count;
    r->part = kind;
    r->place = PLACE_CHANNEL;
    return SN_OK;
}

static snStatus make_track(trackReader *r, snXml *xml)
{
    snTrackDef def = {.size = sizeof(snTrackDef),
                      .model = r->model,
                      .nbody = r->name[PART_BODIES].count,
                      .body_name = r->name[PART_BODIES].at,
                      .nstrand = r->name[PART_POINTS].count,
                      .strand_name = r->name[PART_POINTS].at,
                      .strand_npoint = r->npoint.at,
                      .nscalar = r->name[PART_SCALARS].count,
                      .scalar_name = r->name[PART_SCALARS].at};
    if (def.nbody + def.nstrand + def.nscalar == 0)
        return sn_xml_fail(xml, 0, r->element, "begin with the <Body name=\"...\"/> that the motion moves",
                           "a frame before any channel");
    return sn_track_create(&def, &r->track) == SN_OK ? SN_OK : sn_xml_fail_no_memory(xml);
}

/* ---- frames --------------------------------------------------------------------------------- */

static snStatus start_frame(trackReader *r, snXml *xml, const char **attribute)
{
    int32_t frames = r->track ? sn_track_frames(r->track) : 0;
    snprintf(r->element, sizeof r->element, "Frame %d", frames + 1);
    snStatus status = check_attributes(xml, r->element, attribute, "time", NULL);
    if (status != SN_OK) return status;
    if (!r->track && (status = make_track(r, xml)) != SN_OK) return status;
    const char *time = sn_xml_attribute(attribute, "time");
    if (!time || !sn_text_number(time, strlen(time), &r->time))
        return sn_xml_fail(xml, 0, r->element, NULL, "time=\"%.40s\" is not a finite number", time ? time : "");
    double before = frames ? sn_track_time(r->track, frames - 1) : -INFINITY;
    if (r->time <= before)
        return sn_xml_fail(xml, 0, r->element, "times must increase", "the time %g does not come after %g", r->time,
                           before);
    if (r->time - before < SN_TRACK_MIN_STEP * (1 - 1e-6))
        return sn_xml_fail(xml, 0, r->element, "times are in seconds",
                           "%g s after the frame before: more than 100000 frames a second", r->time - before);
    for (int i = 0; i < PART_COUNT; ++i) {
        sn_numbers_clear(&r->number[i]);
        r->seen[i] = false;
    }
    r->place = PLACE_FRAME;
    return SN_OK;
}

static snStatus start_part(trackReader *r, snXml *xml, const char *tag, const char **attribute)
{
    int i = 0;
    while (i < PART_COUNT && strcmp(tag, part_name[i]) != 0) ++i;
    if (i == PART_COUNT) return sn_xml_fail(xml, 0, r->element, NULL, "unknown element <%.60s>", tag);
    if (r->seen[i]) return sn_xml_fail(xml, 0, r->element, NULL, "<%s> appears twice", tag);
    if (*attribute) return sn_xml_fail(xml, 0, r->element, NULL, "<%s> has no attributes", tag);
    r->seen[i] = true;
    r->part = (part)i;
    r->place = PLACE_PART;
    return SN_OK;
}

static snStatus check_rotations(trackReader *r, snXml *xml)
{
    const double *pose = r->number[PART_BODIES].number;
    for (int32_t i = 0; i < r->name[PART_BODIES].count; ++i) {
        const double *q = pose + 7 * (size_t)i + 3;
        double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(n >= 0.5 && n <= 2))
            return sn_xml_fail(xml, 0, r->element, "a rotation is a unit quaternion, w first",
                               "the rotation of \"%.100s\" has the norm %g", r->name[PART_BODIES].at[i], n);
    }
    return SN_OK;
}

/* Positions farther away than anything that is simulated: of bodies (7 numbers each) or of points (3). */
static snStatus check_distance(trackReader *r, snXml *xml)
{
    const snNumbers *n = &r->number[r->part];
    int32_t stride = r->part == PART_BODIES ? 7 : 3;
    for (int32_t i = 0; r->part != PART_SCALARS && i < n->count; ++i)
        if (i % stride < 3 && fabs(n->number[i]) > SN_FARTHEST)
            return sn_xml_fail(xml, 0, r->element, "positions are in metres", "the position %g m is beyond %g m",
                               n->number[i], SN_FARTHEST);
    return SN_OK;
}

static snStatus end_part(trackReader *r, snXml *xml)
{
    snNumbers *n = &r->number[r->part];
    snStatus status = sn_numbers_end(n, xml, r->element);
    if (status != SN_OK) return status;
    r->place = PLACE_FRAME;
    if (n->count != r->expected[r->part])
        return sn_xml_fail(xml, 0, r->element, NULL, "<%s> has %d numbers, expected %lld (%s)", part_name[r->part],
                           n->count, (long long)r->expected[r->part], part_unit[r->part]);
    status = check_distance(r, xml);
    return status == SN_OK && r->part == PART_BODIES ? check_rotations(r, xml) : status;
}

static snStatus end_frame(trackReader *r, snXml *xml)
{
    for (int i = 0; i < PART_COUNT; ++i)
        if (r->expected[i] && !r->seen[i])
            return sn_xml_fail(xml, 0, r->element, NULL, "<%s> is missing", part_name[i]);
    snStatus status = sn_track_append(r->track, r->time, r->number[PART_BODIES].number, r->number[PART_POINTS].number,
                                      r->number[PART_SCALARS].number);
    if (status == SN_NO_MEMORY) return sn_xml_fail_no_memory(xml);
    if (status != SN_OK) return sn_xml_fail(xml, 0, r->element, NULL, "the frame is invalid");
    r->place = PLACE_ROOT;
    return SN_OK;
}

/* ---- the stream ----------------------------------------------------------------------------- */

static snStatus on_start(void *user, snXml *xml, const char *tag, const char **attribute)
{
    trackReader *r = user;
    if (r->place == PLACE_START) return start_root(r, xml, tag, attribute);
    if (r->place == PLACE_FRAME) return start_part(r, xml, tag, attribute);
    if (r->place == PLACE_ROOT && strcmp(tag, "Frame") == 0) return start_frame(r, xml, attribute);
    for (int i = 0; r->place == PLACE_ROOT && i < PART_COUNT; ++i)
        if (strcmp(tag, channel_name[i]) == 0) return start_channel(r, xml, (part)i, attribute);
    return sn_xml_fail(xml, 0, NULL, NULL, "<%.60s> is not known here", tag);
}

static snStatus on_end(void *user, snXml *xml, const char *tag)
{
    (void)tag;
    trackReader *r = user;
    switch (r->place) {
    case PLACE_CHANNEL:
        r->place = PLACE_ROOT;
        return SN_OK;
    case PLACE_PART:
        return end_part(r, xml);
    case PLACE_FRAME:
        return end_frame(r, xml);
    default:
        break;
    }
    r->place = PLACE_END;
    return r->track ? SN_OK : sn_xml_fail(xml, 0, NULL, NULL, "the motion has no frames");
}

static snStatus on_text(void *user, snXml *xml, const char *text, size_t length)
{
    trackReader *r = user;
    if (r->place == PLACE_PART) {
        if (r->number[r->part].count > r->expected[r->part])
            return sn_xml_fail(xml, 0, r->element, NULL, "<%s> has more than %lld numbers (%s)", part_name[r->part],
                               (long long)r->expected[r->part], part_unit[r->part]);
        return sn_numbers_text(&r->number[r->part], xml, r->element, text, length);
    }
    for (size_t i = 0; i < length; ++i)
        if (!strchr(" \t\r\n", text[i]) || !text[i])
            return sn_xml_fail(xml, i, NULL, NULL, "text where only elements are allowed");
    return SN_OK;
}

static void free_reader(trackReader *r)
{
    sn_arena_free(&r->arena);
    for (int i = 0; i < PART_COUNT; ++i) {
        sn_array_free(&r->name[i]);
        sn_map_free(&r->map[i]);
        sn_numbers_free(&r->number[i]);
    }
    sn_array_free(&r->npoint);
    sn_track_destroy(r->track);
}

/* From the stream, or without one from the bytes. */
static snStatus parse(const char *file, snInput *in, const char *data, size_t size, snTrack **track, snError *error)
{
    static const snXmlHandler handler = {on_start, on_end, on_text};
    trackReader *r = SN_NEW(trackReader);
    if (!r) return sn_fail_no_memory(error);
    snStatus status =
        in ? sn_xml_read_input(file, in, &handler, r, error) : sn_xml_read(file, data, size, &handler, r, error);
    if (status == SN_OK) {
        *track = r->track;
        r->track = NULL;
    }
    free_reader(r);
    sn_free(r);
    return status;
}

snStatus sn_parse_track(const char *file, const char *data, size_t size, snTrack **track, snError *error)
{
    return parse(file, NULL, data, size, track, error);
}

/* Just behind the last </Frame>, 0 when there is none. */
static size_t behind_last_frame(const char *data, size_t size)
{
    static const char end[] = "</Frame>";
    for (size_t i = size; i >= sizeof end - 1; --i)
        if (memcmp(data + i - (sizeof end - 1), end, sizeof end - 1) == 0) return i;
    return 0;
}

/* The root element as the file opened it: <Control or <Replay, whichever comes first. */
static const char *closing_tag(const char *data, size_t size)
{
    for (size_t i = 0; i + 8 <= size; ++i)
        if (memcmp(data + i, "<Control", 8) == 0)
            return "\n</Control>\n";
        else if (memcmp(data + i, "<Replay", 7) == 0)
            return "\n</Replay>\n";
    return "";
}

snStatus sn_parse_track_part(const char *file, const char *data, size_t size, snTrack **track, snError *error)
{
    size_t whole = behind_last_frame(data, size);
    const char *end = closing_tag(data, size);
    char *closed = sn_alloc(whole + strlen(end) + 1, 1);
    if (!closed) return sn_fail_no_memory(error);
    if (whole) memcpy(closed, data, whole);
    memcpy(closed + whole, end, strlen(end));
    snStatus status = whole ? sn_parse_track(file, closed, whole + strlen(end), track, error)
                            : sn_fail(error, SN_BAD_FILE, "the file has no whole frame");
    if (!whole) sn_error_place(error, file, 0, 0);
    sn_free(closed);
    return status;
}

snStatus sn_load_track(const char *path, snTrack **track, snError *error)
{
    if (!track) return sn_fail_argument(error, "sn_load_track without track");
    snInput in;
    snTrack *before = *track; /* an output is untouched on failure */
    char mark[sizeof SN_TRACK_BIN_MARK];
    snStatus status = sn_input_open(&in, path, error);
    if (status != SN_OK) return status;
    bool compact =
        sn_input_peek(&in, mark, sizeof mark) == sizeof mark && memcmp(mark, SN_TRACK_BIN_MARK, sizeof mark) == 0;
    status = compact ? sn_bin_read(&in, path, track, error) : parse(path, &in, NULL, 0, track, error);
    /* The checksum of compressed data comes last. */
    if (status == SN_OK && (sn_input_byte(&in) >= 0 || in.damaged)) {
        status =
            in.damaged ? sn_input_status(&in, error) : sn_fail(error, SN_BAD_FILE, "the file has data after its end");
        sn_error_place(error, path, 0, 0);
        sn_track_destroy(*track);
        *track = before;
    }
    sn_input_close(&in);
    return status;
}

snStatus sn_recover_track(const char *path, snTrack **track, snError *error)
{
    char *data;
    size_t size;
    snStatus status = sn_file_read(path, SN_FILE_LIMIT, &data, &size, error);
    if (status != SN_OK) return status;
    status = sn_parse_track_part(path, data, size, track, error);
    sn_free(data);
    return status;
}
