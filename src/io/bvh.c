/* Reader of BVH files: a hierarchy of joints with offsets and channels in any order, then a table of channel values. */
#include "io/bvh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/scan.h"
#include "io/track_xml.h"

#include <string.h>

enum { MAX_JOINTS = 10000, MAX_FRAMES = 10 * 1000 * 1000 };
static const char *const channel_names[] = {"Xposition", "Yposition", "Zposition",
                                            "Xrotation", "Yrotation", "Zrotation"};

typedef struct bvhReader {
    snScan scan;
    snBvhFile *bvh;
} bvhReader;

static snStatus next_word(bvhReader *r, snWord *word, const char *expected)
{
    if (sn_scan_any_word(&r->scan, word)) return SN_OK;
    return sn_scan_fail(&r->scan, "the file ends where %s was expected", expected);
}

static snStatus expect(bvhReader *r, const char *text)
{
    snWord word;
    char found[40];
    snStatus status = next_word(r, &word, text);
    if (status != SN_OK || sn_word_is_any_case(word, text)) return status;
    return sn_scan_fail(&r->scan, "found \"%s\" where %s was expected", sn_word_text(word, found, sizeof found), text);
}

static snStatus read_number(bvhReader *r, const char *what, double *value)
{
    snWord word;
    char found[40];
    snStatus status = next_word(r, &word, what);
    if (status != SN_OK) return status;
    if (!sn_word_number(word, value) || !isfinite(*value))
        return sn_scan_fail(&r->scan, "\"%s\" is not a finite number, expected %s",
                            sn_word_text(word, found, sizeof found), what);
    return SN_OK;
}

static snStatus read_offset(bvhReader *r, v3 *offset)
{
    double value[3];
    for (int k = 0; k < 3; ++k) {
        snStatus status = read_number(r, "an offset", &value[k]);
        if (status != SN_OK) return status;
    }
    *offset = v3_load(value);
    return SN_OK;
}

/* ---- hierarchy ------------------------------------------------------------------------------ */

/* The rest of the line is the name: some programs put blanks in it. */
static snStatus start_joint(bvhReader *r, int32_t parent)
{
    snWord word, more;
    char text[80];
    snBvhFile *b = r->bvh;
    if (!sn_scan_word(&r->scan, &word)) return sn_scan_fail(&r->scan, "a joint without a name");
    const char *first = r->scan.word_start;
    while (sn_scan_word(&r->scan, &more) && !sn_word_is(more, "{")) word.size = (size_t)(more.at + more.size - word.at);
    r->scan.line_at = word.at + word.size;
    r->scan.word_start = first;
    if (b->joint.count >= MAX_JOINTS) return sn_scan_fail(&r->scan, "more than %d joints", MAX_JOINTS);
    if (memchr(word.at, 0, word.size)) return sn_scan_fail(&r->scan, "a joint name contains a zero byte");
    char *name = sn_arena_alloc(&b->arena, word.size + 1, 1);
    if (!name) return SN_NO_MEMORY;
    memcpy(name, word.at, word.size);
    if (sn_map_get(&b->names, name) >= 0)
        return sn_scan_fail(&r->scan, "two joints are called \"%s\"", sn_word_text(word, text, sizeof text));
    snBvhJoint joint = {.name = name, .parent = parent, .channel_adr = b->nchannel};
    bool kept = sn_map_put(&b->names, name, b->joint.count) && sn_array_push(&b->joint, joint);
    return kept ? expect(r, "{") : SN_NO_MEMORY;
}

static snStatus read_end_site(bvhReader *r)
{
    v3 unused;
    snStatus status = expect(r, "Site");
    if (status == SN_OK) status = expect(r, "{");
    if (status == SN_OK) status = expect(r, "OFFSET");
    if (status == SN_OK) status = read_offset(r, &unused);
    return status == SN_OK ? expect(r, "}") : status;
}

static snStatus read_channels(bvhReader *r, snBvhJoint *joint)
{
    double count;
    snStatus status = read_number(r, "the count of channels", &count);
    if (status != SN_OK) return status;
    if (joint->nchannel) return sn_scan_fail(&r->scan, "the joint has its channels twice");
    if (!(count >= 0 && count <= 6) || count != floor(count))
        return sn_scan_fail(&r->scan, "a joint has 0 to 6 channels");
    for (int i = 0; i < (int)count; ++i) {
        snWord word;
        char text[40];
        unsigned char kind = 0;
        if ((status = next_word(r, &word, "a channel")) != SN_OK) return status;
        while (kind < 6 && !sn_word_is_any_case(word, channel_names[kind])) ++kind;
        if (kind == 6) return sn_scan_fail(&r->scan, "unknown channel \"%s\"", sn_word_text(word, text, sizeof text));
        if (memchr(joint->channel, kind, (size_t)joint->nchannel))
            return sn_scan_fail(&r->scan, "the channel appears twice");
        joint->channel[joint->nchannel++] = kind;
    }
    r->bvh->nchannel += joint->nchannel;
    return SN_OK;
}

static snStatus read_hierarchy(bvhReader *r)
{
    int32_t open = -1; /* the joint whose braces we are in */
    snWord word;
    char text[40];
    snStatus status = expect(r, "HIERARCHY");
    while (status == SN_OK) {
        if ((status = next_word(r, &word, "MOTION")) != SN_OK) return status;
        snBvhJoint *joint = open >= 0 ? &r->bvh->joint.at[open] : NULL;
        if (!joint && sn_word_is_any_case(word, "MOTION")) return SN_OK;
        if (sn_word_is_any_case(word, joint ? "JOINT" : "ROOT")) {
            status = start_joint(r, open);
            open = r->bvh->joint.count - 1;
        } else if (joint && sn_word_is_any_case(word, "OFFSET"))
            status = read_offset(r, &joint->offset);
        else if (joint && sn_word_is_any_case(word, "CHANNELS"))
            status = read_channels(r, joint);
        else if (joint && sn_word_is_any_case(word, "End"))
            status = read_end_site(r);
        else if (joint && sn_word_is(word, "}"))
            open = joint->parent;
        else
            status = sn_scan_fail(&r->scan, "found \"%s\" where %s was expected", sn_word_text(word, text, sizeof text),
                                  joint ? "OFFSET, CHANNELS, JOINT, End Site or }" : "ROOT or MOTION");
    }
    return status;
}

/* ---- motion --------------------------------------------------------------------------------- */

static snStatus read_timing(bvhReader *r)
{
    double frames;
    snStatus status = expect(r, "Frames:");
    if (status == SN_OK) status = read_number(r, "the count of frames", &frames);
    if (status != SN_OK) return status;
    if (frames == 0) return sn_scan_fail(&r->scan, "the motion has no frames");
    if (!(frames > 0 && frames <= MAX_FRAMES) || frames != floor(frames))
        return sn_scan_fail(&r->scan, "expected a whole number of frames");
    r->bvh->frames = (int32_t)frames;
    if ((status = expect(r, "Frame")) != SN_OK || (status = expect(r, "Time:")) != SN_OK) return status;
    if ((status = read_number(r, "the time between frames", &r->bvh->frame_time)) != SN_OK) return status;
    if (!(r->bvh->frame_time >= SN_TRACK_MIN_STEP && r->bvh->frame_time <= 1e4))
        return sn_scan_fail(&r->scan, "%g s between frames, expected 0.00001 to 10000", r->bvh->frame_time);
    return SN_OK;
}

static snStatus read_motion(bvhReader *r)
{
    snBvhFile *b = r->bvh;
    snWord word;
    int64_t count = (int64_t)b->frames * b->nchannel;
    if (b->nchannel == 0) return sn_scan_fail(&r->scan, "no joint has channels");
    if (count > r->scan.end - r->scan.at) /* a number has a character and a blank */
        return sn_scan_fail(&r->scan, "the file is too short for %d frames of %d channels", b->frames, b->nchannel);
    b->value = SN_NEW_ARRAY(double, count);
    if (!b->value) return SN_NO_MEMORY;
    for (int64_t i = 0; i < count; ++i) {
        char text[40];
        if (!sn_scan_any_word(&r->scan, &word))
            return sn_scan_fail(&r->scan, "the file ends in frame %lld of %d", (long long)(i / b->nchannel) + 1,
                                b->frames);
        if (!sn_word_number(word, &b->value[i]) || !isfinite(b->value[i]))
            return sn_scan_fail(&r->scan, "\"%s\" in frame %lld is not a finite number",
                                sn_word_text(word, text, sizeof text), (long long)(i / b->nchannel) + 1);
    }
    if (sn_scan_any_word(&r->scan, &word))
        return sn_scan_fail(&r->scan, "more numbers than %d frames of %d channels", b->frames, b->nchannel);
    return SN_OK;
}

snStatus sn_parse_bvh(const char *file, const char *data, size_t size, snBvhFile *bvh, snError *error)
{
    bvhReader r = {.scan = sn_scan_begin(file, data, size, error), .bvh = bvh};
    *bvh = (snBvhFile){0};
    snStatus status = read_hierarchy(&r);
    if (status == SN_OK) status = read_timing(&r);
    if (status == SN_OK) status = read_motion(&r);
    if (status == SN_NO_MEMORY) sn_fail_no_memory(error);
    if (status != SN_OK) sn_bvh_free(bvh);
    return status;
}

void sn_bvh_free(snBvhFile *b)
{
    sn_array_free(&b->joint);
    sn_map_free(&b->names);
    sn_free(b->value);
    sn_free(b->local);
    sn_arena_free(&b->arena);
    *b = (snBvhFile){0};
}

/* The turns are applied in the order of the channels; a position channel replaces the offset on its axis. */
rigid sn_bvh_local(const snBvhFile *b, int32_t joint, int32_t frame)
{
    const snBvhJoint *j = &b->joint.at[joint];
    if (b->local) return b->local[(size_t)frame * (size_t)b->joint.count + (size_t)joint];
    const double *value = b->value + (size_t)frame * (size_t)b->nchannel + j->channel_adr;
    static const v3 axis[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double p[3] = {j->offset.x, j->offset.y, j->offset.z};
    quat q = q_identity();
    for (int i = 0; i < j->nchannel; ++i) {
        if (j->channel[i] < 3)
            p[j->channel[i]] = value[i];
        else
            q = q_mul(q, q_axis_angle(axis[j->channel[i] - 3], value[i] * SN_DEG));
    }
    return (rigid){q, v3_load(p)};
}

static snStatus fill_track(const snBvhFile *b, double scale, snTrack *track, double *pose)
{
    for (int32_t f = 0; f < b->frames; ++f) {
        for (int32_t i = 0; i < b->joint.count; ++i) {
            int32_t parent = b->joint.at[i].parent;
            rigid world = sn_bvh_local(b, i, f);
            world.p = v3_scale(world.p, scale);
            if (parent >= 0)
                world = rigid_mul((rigid){q_load(pose + 7 * parent + 3), v3_load(pose + 7 * parent)}, world);
            v3_store(pose + 7 * i, world.p);
            q_store(pose + 7 * i + 3, q_unit(world.q));
        }
        snStatus status = sn_track_append(track, f * b->frame_time, pose, NULL, NULL);
        if (status != SN_OK) return status;
    }
    return SN_OK;
}

static snStatus make_track(const snBvhFile *b, double scale, snTrack **track, snError *error)
{
    const char **name = SN_NEW_ARRAY(const char *, b->joint.count);
    double *pose = SN_NEW_ARRAY(double, 7 * b->joint.count);
    snTrack *t = NULL;
    snStatus status = name && pose ? SN_OK : SN_NO_MEMORY;
    for (int32_t i = 0; status == SN_OK && i < b->joint.count; ++i) name[i] = b->joint.at[i].name;
    snTrackDef def = {.size = sizeof(snTrackDef), .nbody = b->joint.count, .body_name = name};
    if (status == SN_OK) status = sn_track_create(&def, &t);
    if (status == SN_OK) status = fill_track(b, scale, t, pose);
    sn_free((void *)name);
    sn_free(pose);
    if (status == SN_OK)
        *track = t;
    else
        sn_track_destroy(t);
    if (status == SN_NO_MEMORY) return sn_fail_no_memory(error);
    return status == SN_OK ? SN_OK : sn_fail(error, status, "the motion has positions that are too large");
}

snStatus sn_load_bvh(const char *path, double scale, snTrack **track, snError *error)
{
    char *data;
    size_t size;
    snBvhFile bvh;
    snStatus status = sn_file_read_text(path, false, &data, &size, error);
    if (status != SN_OK) return status;
    status = sn_parse_bvh(path, data, size, &bvh, error);
    sn_free(data);
    if (status != SN_OK) return status;
    status = make_track(&bvh, scale, track, error);
    sn_bvh_free(&bvh);
    return status;
}
