/* Replays of a model: which channels they have, and one frame from a state. */
#include "base/alloc.h"
#include "sim/plant.h"
#include "sinew/control.h"

#include <stdio.h>
#include <string.h>

/* Scalar channels: one per muscle, strand or group. */
enum {
    CHANNEL_ACTIVATION,
    CHANNEL_ORIGIN,
    CHANNEL_INSERTION,
    CHANNEL_LENGTH,
    CHANNEL_VOLUME,
    CHANNEL_AREA,
    CHANNEL_COUNT
};
static const char *const channel_prefix[CHANNEL_COUNT] = {"activation/", "force_origin/", "force_insertion/",
                                                          "length/",     "volume/",       "area/"};

static int32_t scalar_count(const snModel *m)
{
    return m->nmuscle + 3 * m->nstrand + 2 * m->nvolume;
}

static char *joined(snArena *memory, const char *prefix, const char *name)
{
    size_t a = strlen(prefix), b = strlen(name);
    char *text = sn_arena_alloc(memory, a + b + 1, 1);
    if (!text) return NULL;
    memcpy(text, prefix, a);
    memcpy(text + a, name, b + 1);
    return text;
}

static bool name_scalars(const snModel *m, snArena *memory, const char **name)
{
    int32_t n = 0;
    for (int channel = 0; channel < CHANNEL_COUNT; ++channel) {
        bool groups = channel == CHANNEL_VOLUME || channel == CHANNEL_AREA; /* the first muscles */
        bool muscles = channel == CHANNEL_ACTIVATION || groups;
        int32_t count = groups ? m->nvolume : muscles ? m->nmuscle : m->nstrand;
        for (int32_t i = 0; i < count; ++i)
            if (!(name[n++] = joined(memory, channel_prefix[channel], (muscles ? m->muscle_name : m->strand_name)[i])))
                return false;
    }
    return true;
}

snStatus sn_recording_create(const snModel *m, const char *model_name, snTrack **replay)
{
    snArena memory = {0};
    int32_t nscalar = scalar_count(m);
    const char **scalar = sn_arena_alloc(&memory, (size_t)nscalar, sizeof *scalar);
    int32_t *npoint = sn_arena_alloc(&memory, (size_t)m->nstrand, sizeof *npoint);
    snStatus status = SN_NO_MEMORY;
    if (scalar && npoint && name_scalars(m, &memory, scalar)) {
        for (int32_t i = 0; i < m->nstrand; ++i) npoint[i] = m->strand[i].n;
        snTrackDef def = {.model = model_name ? model_name : "",
                          .nbody = m->nbody,
                          .body_name = m->body_name,
                          .nstrand = m->nstrand,
                          .strand_name = m->strand_name,
                          .strand_npoint = npoint,
                          .nscalar = nscalar,
                          .scalar_name = scalar};
        status = sn_track_create(&def, replay);
    }
    sn_arena_free(&memory);
    return status;
}

static const double *field(const snModel *m, snState *s, const char *name)
{
    snView view = {0};
    (void)sn_field(m, s, name, &view);
    return view.data;
}

snStatus sn_recording_append(const snModel *m, snState *s, double time, snTrack *replay)
{
    int32_t nscalar = scalar_count(m), n = 0;
    double *pose = SN_NEW_ARRAY(double, 7 * m->nbody + nscalar), *scalar = pose + 7 * m->nbody;
    if (!pose) return SN_NO_MEMORY;
    for (int32_t b = 0; b < m->nbody; ++b) {
        rigid node = sn_node_pose(m, s, b);
        v3_store(pose + 7 * b, node.p);
        q_store(pose + 7 * b + 3, node.q);
    }
    const double *activation = sn_plant_activation(s), *volume = field(m, s, "group.volume");
    const double *area = field(m, s, "group.area");
    for (int32_t i = 0; i < m->nmuscle; ++i) scalar[n++] = activation[i];
    for (int32_t i = 0; i < m->nstrand; ++i) scalar[n++] = v3_len(sn_plant_strand_end(s, i, false));
    for (int32_t i = 0; i < m->nstrand; ++i) scalar[n++] = v3_len(sn_plant_strand_end(s, i, true));
    for (int32_t i = 0; i < m->nstrand; ++i) scalar[n++] = sn_plant_strand_length(s, i);
    for (int32_t i = 0; i < m->nvolume; ++i) scalar[n++] = volume[i];
    for (int32_t i = 0; i < m->nvolume; ++i) scalar[n++] = area[i];
    snStatus status = sn_track_append(replay, time, pose, field(m, s, "strand.point"), scalar);
    sn_free(pose);
    return status;
}

snStatus sn_motion_from_coordinates(const snModel *m, int32_t count, const double *time, const double *coordinate,
                                    snTrack **motion)
{
    snTrackDef def = {.model = "", .nbody = m->nbody, .body_name = m->body_name};
    snTrack *track = NULL;
    snStatus status = sn_track_create(&def, &track);
    rigid *body = SN_NEW_ARRAY(rigid, m->nbody);
    double *pose = SN_NEW_ARRAY(double, 7 * m->nbody);
    if (!body || !pose) status = SN_NO_MEMORY;
    for (int32_t k = 0; k < count && status == SN_OK; ++k) {
        sn_pose_bodies(m, coordinate + (size_t)k * (size_t)m->ncoord, body);
        for (int32_t b = 0; b < m->nbody; ++b) {
            rigid node = rigid_mul(body[b], m->body_node[b]);
            v3_store(pose + 7 * b, node.p);
            q_store(pose + 7 * b + 3, node.q);
        }
        status = sn_track_append(track, time[k], pose, NULL, NULL);
    }
    sn_free(body);
    sn_free(pose);
    if (status != SN_OK)
        sn_track_destroy(track);
    else
        *motion = track;
    return status;
}
