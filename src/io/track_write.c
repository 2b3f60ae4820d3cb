/* Writer of control and replay files (see track_xml.h for their form), frame by frame.
 *
 * The frames go to a file beside the name, which takes the name over when it is finished. Each frame is checked before
 * its first byte is written, so that whatever stands in the file ends with a whole frame. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/frames.h"
#include "io/number.h"
#include "io/own/kept.h"
#include "io/replay.h"
#include "io/track_bin.h"
#include "io/track_xml.h"
#include "io/xml.h"
#include "math/vec.h"
#include "motion/store.h"

#include <math.h>
#include <string.h>

struct snReplayWriter {
    snWriter out;
    snTrack *last; /* a track that keeps the channels, and the last frame only: it does the checking */
    bool control, compact;
    snBinFrames bin; /* compact */
    int32_t frames;
    double time; /* of the last frame */
};

/* ---- text ----------------------------------------------------------------------------------- */

/* Many at a time: handing over each by itself would cost as much as its digits. */
static void put_numbers(snWriter *out, const double *value, size_t count, size_t per_line)
{
    char text[4096];
    size_t used = 0, line = 0;
    for (size_t i = 0; i < count; ++i) {
        text[used++] = line == 0 ? '\n' : ' ';
        line = line + 1 == per_line ? 0 : line + 1;
        used += sn_number_format(value[i], text + used);
        if (used + SN_NUMBER_SIZE + 1 <= sizeof text) continue;
        sn_writer_bytes(out, text, used);
        used = 0;
    }
    sn_writer_bytes(out, text, used);
}

static snStatus put_channels(snWriter *out, const snTrackDef *def, bool control, snError *error)
{
    bool ok = true;
    const char *root = control ? "Control" : "Replay";
    sn_writer_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<%s version=\"1\" model=\"", root);
    ok = sn_xml_write_text(out, def->model ? def->model : "");
    sn_writer_text(out, "\">\n");
    for (int32_t i = 0; ok && i < def->nbody; ++i) {
        sn_writer_text(out, "<Body name=\"");
        ok = sn_xml_write_text(out, def->body_name[i]);
        sn_writer_text(out, "\"/>\n");
    }
    for (int32_t i = 0; ok && !control && i < def->nstrand; ++i) {
        sn_writer_text(out, "<Strand name=\"");
        ok = sn_xml_write_text(out, def->strand_name[i]);
        sn_writer_printf(out, "\" points=\"%d\"/>\n", def->strand_npoint[i]);
    }
    for (int32_t i = 0; ok && !control && i < def->nscalar; ++i) {
        sn_writer_text(out, "<Scalar name=\"");
        ok = sn_xml_write_text(out, def->scalar_name[i]);
        sn_writer_text(out, "\"/>\n");
    }
    return ok ? SN_OK : sn_fail(error, SN_BAD_INPUT, "a name of the motion is not UTF-8 text");
}

static void put_points(snWriter *out, const snTrackDef *def, const double *point)
{
    sn_writer_text(out, "<Points>");
    for (int32_t i = 0; i < def->nstrand; ++i) {
        size_t n = 3 * (size_t)def->strand_npoint[i];
        put_numbers(out, point, n, n);
        point += n;
    }
    sn_writer_text(out, "\n</Points>\n");
}

static void put_frame(snReplayWriter *w, double time, const double *pose, const double *point, const double *scalar)
{
    const snTrackDef *def = sn_track_def(w->last);
    snWriter *out = &w->out;
    sn_writer_text(out, "<Frame time=\"");
    sn_writer_number(out, time);
    sn_writer_text(out, "\">\n");
    if (def->nbody) {
        sn_writer_text(out, "<Bodies>");
        put_numbers(out, pose, 7 * (size_t)def->nbody, 7);
        sn_writer_text(out, "\n</Bodies>\n");
    }
    if (def->nstrand) put_points(out, def, point);
    if (def->nscalar) {
        sn_writer_text(out, "<Scalars>");
        put_numbers(out, scalar, (size_t)def->nscalar, 16);
        sn_writer_text(out, "\n</Scalars>\n");
    }
    sn_writer_text(out, "</Frame>\n");
}

/* ---- the writer ----------------------------------------------------------------------------- */

static snTrackDef bodies_only(const snTrackDef *def)
{
    return (snTrackDef){
        .size = sizeof(snTrackDef), .model = def->model, .nbody = def->nbody, .body_name = def->body_name};
}

static snStatus create(const snTrackDef *whole, const char *path, bool control, snReplayWriter **writer, snError *error)
{
    snTrackDef def = control ? bodies_only(whole) : *whole;
    snReplayWriter *w = SN_NEW(snReplayWriter);
    if (!w) return sn_fail_no_memory(error);
    w->control = control;
    w->time = -INFINITY;
    snStatus status = sn_track_create(&def, &w->last);
    if (status == SN_BAD_INPUT) sn_fail(error, status, "the channels have an empty or repeated name");
    if (status == SN_NO_MEMORY) sn_fail_no_memory(error);
    if (status == SN_OK) status = sn_writer_open(&w->out, path, error);
    if (status != SN_OK) {
        sn_track_destroy(w->last);
        sn_free(w);
        return status;
    }
    w->compact = sn_path_ends(path, ".replay.bin");
    if (!w->compact)
        status = put_channels(&w->out, &def, control, error);
    else if (sn_bin_init(&w->bin, &def, sn_track_points(w->last)))
        sn_bin_write_head(&w->out, &def);
    else
        status = sn_fail_no_memory(error);
    if (status == SN_OK)
        *writer = w;
    else
        sn_replay_abandon(w);
    return status;
}

snStatus sn_replay_create(const snTrackDef *def, const char *path, snReplayWriter **writer, snError *error)
{
    if (!def || !path || !writer) return sn_fail_argument(error, "sn_replay_create without def, path or writer");
    return create(def, path, false, writer, error);
}

static bool all_finite(const double *value, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!isfinite(value[i])) return false;
    return true;
}

static snStatus check_frame(const snReplayWriter *w, double time, const double *pose, const double *point,
                            const double *scalar, snError *error)
{
    const snTrackDef *def = sn_track_def(w->last);
    if (!isfinite(time) || time - w->time < SN_TRACK_MIN_STEP * (1 - 1e-6))
        return sn_fail(error, SN_BAD_INPUT, "the time %g does not come at least 10 microseconds after %g", time,
                       w->time);
    bool finite = all_finite(pose, 7 * (size_t)def->nbody) && all_finite(point, 3 * (size_t)sn_track_points(w->last)) &&
                  all_finite(scalar, (size_t)def->nscalar);
    if (!finite) return sn_fail(error, SN_BAD_INPUT, "a value of the frame at time %g is not finite", time);
    for (int32_t i = 0; i < def->nbody; ++i) {
        quat q = q_load(pose + 7 * (size_t)i + 3);
        double n2 = q_dot(q, q);
        if (!(n2 >= 0.25 && n2 <= 4))
            return sn_fail(error, SN_BAD_INPUT, "the rotation of \"%.100s\" at time %g has the norm %g",
                           def->body_name[i], time, sqrt(n2));
    }
    return SN_OK;
}

snStatus sn_replay_append(snReplayWriter *w, double time, const double *pose, const double *point, const double *scalar,
                          snError *error)
{
    if (!w) return sn_fail_argument(error, "sn_replay_append without writer");
    snStatus status = check_frame(w, time, pose, point, scalar, error);
    if (status != SN_OK) return status;
    if (!w->compact)
        put_frame(w, time, pose, point, scalar);
    else if (!sn_bin_write_frame(&w->out, &w->bin, time, pose, point, scalar))
        return sn_fail(error, SN_BAD_INPUT, "a value at time %g is too large for the compact form: use .replay.xml",
                       time);
    w->time = time;
    ++w->frames;
    return w->out.status
               ? sn_fail(error, w->out.status, "the replay cannot be written: %s", strerror(w->out.error_number))
               : SN_OK;
}

int32_t sn_replay_frames(const snReplayWriter *w)
{
    if (!w) return 0;
    return w->frames;
}

snStatus sn_replay_finish(snReplayWriter *w, snError *error)
{
    if (!w) return sn_fail_argument(error, "sn_replay_finish without writer");
    if (w->frames == 0) {
        sn_replay_abandon(w);
        return sn_fail(error, SN_FAILED, "the motion has no frames: nothing was written");
    }
    if (w->compact)
        sn_bin_write_end(&w->out, &w->bin);
    else
        sn_writer_text(&w->out, w->control ? "</Control>\n" : "</Replay>\n");
    snStatus status = sn_writer_commit(&w->out, error);
    sn_track_destroy(w->last);
    sn_bin_free(&w->bin);
    sn_free(w);
    return status;
}

void sn_replay_abandon(snReplayWriter *w)
{
    if (!w) return;
    sn_writer_abort(&w->out);
    sn_track_destroy(w->last);
    sn_bin_free(&w->bin);
    sn_free(w);
}

static snStatus copy_frames(snReplayWriter *w, const snTrack *track, snError *error)
{
    snStatus status = SN_OK;
    for (int32_t f = 0; f < sn_track_frames(track) && status == SN_OK; ++f)
        status = sn_replay_append(w, sn_track_time(track, f), sn_track_pose(track, f), sn_track_point(track, f),
                                  sn_track_scalar(track, f), error);
    return status;
}

static snStatus read_track(void *from, int32_t index, snTrackFrame *frame, snError *error)
{
    (void)error;
    const snTrack *track = from;
    *frame = (snTrackFrame){sn_track_time(track, index), sn_track_pose(track, index), sn_track_point(track, index),
                            sn_track_scalar(track, index)};
    return SN_OK;
}

snFrameSource sn_track_source(const snTrack *track)
{
    return (snFrameSource){sn_track_def(track), sn_track_frames(track), read_track, (void *)track};
}

uint64_t sn_hash_track(const snTrack *track)
{
    if (!track) return 0;
    const snTrackDef *d = sn_track_def(track);
    uint64_t h = 0;
    for (int32_t i = 0; i < d->nbody; ++i) h = sn_hash_bytes(h, d->body_name[i], strlen(d->body_name[i]) + 1);
    for (int32_t i = 0; i < d->nstrand; ++i) h = sn_hash_bytes(h, d->strand_name[i], strlen(d->strand_name[i]) + 1);
    for (int32_t i = 0; i < d->nscalar; ++i) h = sn_hash_bytes(h, d->scalar_name[i], strlen(d->scalar_name[i]) + 1);
    for (int32_t f = 0; f < sn_track_frames(track); ++f) {
        double time = sn_track_time(track, f);
        h = sn_hash_bytes(h, &time, sizeof time);
        h = sn_hash_bytes(h, sn_track_pose(track, f), 7 * (size_t)d->nbody * sizeof(double));
        h = sn_hash_bytes(h, sn_track_point(track, f), 3 * (size_t)sn_track_points(track) * sizeof(double));
        h = sn_hash_bytes(h, sn_track_scalar(track, f), (size_t)d->nscalar * sizeof(double));
        if (f % 10000 == 9999) sn_track_rest(track);
    }
    return h;
}

snStatus sn_write_track(const snFrameSource *source, const char *path, snError *error)
{
    snReplayWriter *w;
    bool control = sn_path_ends(path, ".control.xml") || sn_path_ends(path, ".control.xml.gz");
    snStatus status = create(source->def, path, control, &w, error);
    if (status != SN_OK) return status;
    for (int32_t f = 0; f < source->count && status == SN_OK; ++f) {
        snTrackFrame frame;
        status = source->read(source->from, f, &frame, error);
        if (status == SN_OK) status = sn_replay_append(w, frame.time, frame.pose, frame.point, frame.scalar, error);
    }
    if (status == SN_OK) return sn_replay_finish(w, error);
    sn_replay_abandon(w);
    return status;
}

snStatus sn_save_track(const snTrack *track, const char *path, snError *error)
{
    if (!track || !path) return sn_fail_argument(error, "sn_save_track without track or path");
    snFrameSource source = sn_track_source(track);
    return sn_write_track(&source, path, error);
}

/* ---- going on ------------------------------------------------------------------------------- */

static bool same_names(int32_t na, const char *const *a, int32_t nb, const char *const *b)
{
    if (na != nb) return false;
    for (int32_t i = 0; i < na; ++i)
        if (strcmp(a[i], b[i]) != 0) return false;
    return true;
}

static snStatus check_channels(const snTrackDef *a, const snTrackDef *b, const char *path, snError *error)
{
    bool same = same_names(a->nbody, a->body_name, b->nbody, b->body_name) &&
                same_names(a->nstrand, a->strand_name, b->nstrand, b->strand_name) &&
                same_names(a->nscalar, a->scalar_name, b->nscalar, b->scalar_name);
    for (int32_t i = 0; same && i < a->nstrand; ++i) same = a->strand_npoint[i] == b->strand_npoint[i];
    if (same) return SN_OK;
    sn_fail(error, SN_BAD_INPUT, "the replay has other bodies, strands or scalars than this run");
    sn_error_place(error, path, 0, 0);
    sn_error_remedy(error, "resume with the model and settings that it was made with, or write another file");
    return SN_BAD_INPUT;
}

static snStatus last_frame(const snTrack *track, snTrack **last, snError *error)
{
    int32_t f = sn_track_frames(track) - 1;
    snTrack *one = NULL;
    snStatus status = sn_track_create(sn_track_def(track), &one);
    if (status == SN_OK)
        status = sn_track_append(one, sn_track_time(track, f), sn_track_pose(track, f), sn_track_point(track, f),
                                 sn_track_scalar(track, f));
    if (status == SN_OK)
        *last = one;
    else
        sn_track_destroy(one);
    return status == SN_OK ? SN_OK : sn_fail_no_memory(error);
}

snStatus sn_replay_resume(const snTrackDef *def, const char *path, snReplayWriter **writer, snTrack **last,
                          snError *error)
{
    if (!def) return sn_fail_argument(error, "sn_replay_resume without def");
    snTrack *track, *one = NULL;
    snReplayWriter *w = NULL;
    snStatus status = sn_load_track(path, &track, error);
    if (status != SN_OK) return status;
    status = check_channels(sn_track_def(track), def, path, error);
    if (status == SN_OK) status = last_frame(track, &one, error);
    if (status == SN_OK) status = sn_replay_create(def, path, &w, error);
    if (status == SN_OK) status = copy_frames(w, track, error);
    sn_track_destroy(track);
    if (status == SN_OK) {
        *writer = w;
        *last = one;
        return SN_OK;
    }
    sn_replay_abandon(w);
    sn_track_destroy(one);
    return status;
}
