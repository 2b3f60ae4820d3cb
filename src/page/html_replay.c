/* The replay of the studio's data: the track's channels put into the model's order, in few bits. */
#include "base/alloc.h"
#include "base/error.h"
#include "page/html_pack.h"

#include <stdio.h>
#include <string.h>

/* Steps of places of strands, m: far below a pixel of any close look. */
static const double FINEST = 5e-6;

/* Channel of a scalar such as activation/FDP2, or of the first of several names for the same; -1 when absent. */
static int32_t find_scalar(const snTrack *track, const char *const *kind, int32_t nkind, const char *name)
{
    char text[320];
    for (int32_t k = 0; k < nkind; ++k) {
        snprintf(text, sizeof text, "%s/%s", kind[k], name);
        int32_t found = sn_track_find_scalar(track, text);
        if (found >= 0) return found;
    }
    return -1;
}

/* Values of one column per item; what the track does not have is zero. */
static snStatus put_scalars(snPack *p, const char *member, const char *const *kind, int32_t nkind,
                            const char *const *name, int32_t count)
{
    const snTrack *track = p->def->replay;
    int32_t nframe = sn_track_frames(track);
    double *value = SN_NEW_ARRAY(double, (int64_t)nframe *count);
    if (!value) return sn_fail_no_memory(p->error);
    for (int32_t i = 0; i < count; ++i) {
        int32_t at = find_scalar(track, kind, nkind, name[i]);
        for (int32_t f = 0; at >= 0 && f < nframe; ++f) value[(int64_t)f * count + i] = sn_track_scalar(track, f)[at];
    }
    sn_pack_member(p, member);
    sn_run_frames(&p->head, &p->data, value, (int64_t)nframe * count, 1, count, 0);
    sn_free(value);
    return SN_OK;
}

/* ---- poses -------------------------------------------------------------------------------- */

/* Poses of all bodies at the replay's frames; the target is asked at the replay's times. A body that the track does not
 * have stays where `otherwise` has it. */
static void read_poses(const snPack *p, const snTrack *track, bool by_time, double *position, double *rotation)
{
    int32_t nb = p->model->nbody, nframe = sn_track_frames(p->def->replay);
    for (int32_t b = 0; b < nb; ++b) {
        rigid rest = sn_pack_rest(p, b);
        int32_t at = sn_track_find_body(track, p->model->body_name[b]);
        for (int32_t f = 0; f < nframe; ++f) {
            double pose[7];
            v3_store(pose, rest.p), q_store(pose + 3, rest.q);
            if (at >= 0 && by_time)
                sn_track_pose_at(track, at, sn_track_time(p->def->replay, f), pose, NULL);
            else if (at >= 0)
                memcpy(pose, sn_track_pose(track, f) + 7 * at, sizeof pose);
            memcpy(position + 3 * ((int64_t)f * nb + b), pose, 3 * sizeof *pose);
            memcpy(rotation + 4 * ((int64_t)f * nb + b), pose + 3, 4 * sizeof *pose);
        }
    }
}

static snStatus put_poses(snPack *p, const snTrack *track, bool by_time, const char *positions, const char *rotations)
{
    int64_t n = (int64_t)p->model->nbody * sn_track_frames(p->def->replay);
    double *position = SN_NEW_ARRAY(double, 3 * n), *rotation = SN_NEW_ARRAY(double, 4 * n);
    bool fine = position && rotation;
    if (fine) {
        read_poses(p, track, by_time, position, rotation);
        sn_pack_member(p, positions);
        sn_run_frames(&p->head, &p->data, position, 3 * n, 3, 3 * (int64_t)p->model->nbody, 0);
        sn_pack_member(p, rotations);
        sn_run_frames(&p->head, &p->data, rotation, 4 * n, 4, 4 * (int64_t)p->model->nbody, 0);
    }
    sn_free(position);
    sn_free(rotation);
    return fine ? SN_OK : sn_fail_no_memory(p->error);
}

/* ---- strands ------------------------------------------------------------------------------ */

/* Where the points of each of the model's strands begin in a frame of the track, -1 when it does not have it. */
static snStatus find_points(const snPack *p, int32_t *first)
{
    const snTrackDef *def = sn_track_def(p->def->replay);
    const snModel *m = p->model;
    for (int32_t s = 0; s < m->nstrand; ++s) {
        int32_t at = sn_track_find_strand(p->def->replay, m->strand_name[s]), adr = 0;
        first[s] = -1;
        if (at < 0) continue;
        for (int32_t i = 0; i < at; ++i) adr += def->strand_npoint[i];
        first[s] = adr;
        if (def->strand_npoint[at] == m->strand[s].n) continue;
        sn_fail(p->error, SN_BAD_INPUT, "the replay has %d control points, the model %d", def->strand_npoint[at],
                m->strand[s].n);
        sn_error_element(p->error, "Strand", m->strand_name[s]);
        sn_error_remedy(p->error, "use the model that the replay was made with");
        return SN_BAD_INPUT;
    }
    return SN_OK;
}

static void read_points(const snPack *p, const int32_t *first, double *point)
{
    const snModel *m = p->model;
    for (int32_t f = 0; f < sn_track_frames(p->def->replay); ++f) {
        const double *from = sn_track_point(p->def->replay, f);
        double *to = point + (int64_t)f * 3 * m->npoint;
        for (int32_t s = 0; s < m->nstrand; ++s) {
            int32_t adr = m->strand_pointadr[s];
            const double *source = first[s] >= 0 ? from + 3 * (int64_t)first[s] : m->rest_point + 3 * adr;
            memcpy(to + 3 * adr, source, 3 * (size_t)m->strand[s].n * sizeof *to);
        }
    }
}

static snStatus put_points(snPack *p)
{
    int64_t n = 3 * (int64_t)p->model->npoint * sn_track_frames(p->def->replay);
    int32_t *first = SN_NEW_ARRAY(int32_t, p->model->nstrand);
    double *point = SN_NEW_ARRAY(double, n);
    snStatus status = first && point ? find_points(p, first) : sn_fail_no_memory(p->error);
    if (!status) {
        read_points(p, first, point);
        sn_pack_member(p, "points");
        sn_run_frames(&p->head, &p->data, point, n, 3, 3 * (int64_t)p->model->npoint, FINEST);
    }
    sn_free(first);
    sn_free(point);
    return status;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static snStatus put_times(snPack *p)
{
    int32_t n = sn_track_frames(p->def->replay);
    double *time = SN_NEW_ARRAY(double, n);
    if (!time) return sn_fail_no_memory(p->error);
    for (int32_t f = 0; f < n; ++f) time[f] = sn_track_time(p->def->replay, f);
    sn_json_text(&p->head, "\"count\":");
    sn_json_int(&p->head, n);
    sn_pack_member(p, "times");
    sn_run_f32(&p->head, &p->data, time, n);
    sn_free(time);
    return SN_OK;
}

snStatus sn_pack_replay(snPack *p)
{
    static const char *const activation[] = {"activation"}, *const length[] = {"length"};
    static const char *const force[] = {"tension", "force_insertion", "force", "force_origin"};
    const snModel *m = p->model;
    if (sn_track_frames(p->def->replay) < 1) return sn_fail(p->error, SN_BAD_INPUT, "the replay has no frames");
    sn_pack_member(p, "replay");
    sn_json_text(&p->head, "{");
    snStatus status = put_times(p);
    if (!status) status = put_poses(p, p->def->replay, false, "positions", "rotations");
    if (!status) status = put_points(p);
    if (!status) status = put_scalars(p, "activation", activation, 1, m->muscle_name, m->nmuscle);
    int32_t nline = m->skeleton ? m->skeleton->path.npath : 0, n = m->nstrand + nline;
    const char **name = SN_NEW_ARRAY(const char *, n);
    if (!status && !name) status = sn_fail_no_memory(p->error);
    for (int32_t i = 0; !status && i < n; ++i)
        name[i] = i < m->nstrand ? m->strand_name[i] : m->skeleton->path_name[i - m->nstrand];
    if (!status) status = put_scalars(p, "force", force, 4, name, n);
    if (!status) status = put_scalars(p, "length", length, 1, name, n);
    sn_free((void *)name);
    if (!status && p->def->target) status = put_poses(p, p->def->target, true, "targetPositions", "targetRotations");
    if (!status && p->def->library) status = sn_pack_coordinates(p);
    if (!status && p->def->skin && p->def->skin->frame) status = sn_pack_skin_offsets(p);
    sn_json_text(&p->head, "}");
    return status;
}
