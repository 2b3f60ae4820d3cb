/* Records a state into a track, frame by frame.
 *
 * Scalars: activation/MUSCLE; force_origin/STRAND, force_insertion/STRAND and tension/STRAND, N; length/STRAND, m;
 * coordinate/JOINT.k, rad or m; volume/GROUP, m^3; area/GROUP, m^2. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 8, CHANNEL_NAME = 192 };

/* A group of scalars: one per item, read from a field of one column (the value) or three (its length). */
typedef struct snChannel {
    const char *prefix, *field;
    snItem item;
} snChannel;

static const snChannel channels[CHANNELS] = {
    {"activation", "muscle.activation", SN_ITEM_MUSCLE},
    {"force_origin", "strand.force_origin", SN_ITEM_STRAND},
    {"force_insertion", "strand.force_insertion", SN_ITEM_STRAND},
    {"tension", "strand.tension", SN_ITEM_STRAND},
    {"length", "strand.length", SN_ITEM_STRAND},
    {"coordinate", "joint.coordinate", SN_ITEM_COORDINATE},
    {"volume", "group.volume", SN_ITEM_GROUP},
    {"area", "group.area", SN_ITEM_GROUP},
};

struct snRecorder {
    const snModel *model;
    snState *state;
    snTrack *track;
    snView position, rotation, point, channel[CHANNELS];
    int32_t nbody, nscalar;
    double *pose, *scalar;
    char *names; /* of scalars, CHANNEL_NAME each */
    const char **body_name, **strand_name, **scalar_name;
    int32_t *strand_npoint;
};

static int32_t count_scalars(const snModel *model)
{
    int32_t count = 0;
    for (int c = 0; c < CHANNELS; ++c) count += sn_count(model, channels[c].item);
    return count;
}

static bool allocate(snRecorder *r, int32_t nstrand)
{
    size_t nbody = (size_t)r->nbody + 1, nscalar = (size_t)r->nscalar + 1, strands = (size_t)nstrand + 1;
    r->pose = calloc(7 * nbody, sizeof *r->pose);
    r->scalar = calloc(nscalar, sizeof *r->scalar);
    r->names = calloc(nscalar, CHANNEL_NAME);
    r->body_name = calloc(nbody, sizeof *r->body_name);
    r->strand_name = calloc(strands, sizeof *r->strand_name);
    r->scalar_name = calloc(nscalar, sizeof *r->scalar_name);
    r->strand_npoint = calloc(strands, sizeof *r->strand_npoint);
    return r->pose && r->scalar && r->names && r->body_name && r->strand_name && r->scalar_name && r->strand_npoint;
}

static void name_everything(snRecorder *r, int32_t nstrand)
{
    int32_t k = 0;
    for (int32_t i = 0; i < r->nbody; ++i) r->body_name[i] = sn_name(r->model, SN_ITEM_BODY, i);
    for (int32_t i = 0; i < nstrand; ++i) {
        r->strand_name[i] = sn_name(r->model, SN_ITEM_STRAND, i);
        r->strand_npoint[i] = sn_strand_point_count(r->model, i);
    }
    for (int c = 0; c < CHANNELS; ++c) {
        for (int32_t i = 0; i < sn_count(r->model, channels[c].item); ++i, ++k) {
            char *name = r->names + (size_t)k * CHANNEL_NAME;
            (void)snprintf(name, CHANNEL_NAME, "%s/%s", channels[c].prefix, sn_name(r->model, channels[c].item, i));
            r->scalar_name[k] = name;
        }
    }
}

static snStatus find_fields(snRecorder *r)
{
    snStatus status = sn_field(r->model, r->state, "body.position", &r->position);
    if (status == SN_OK) status = sn_field(r->model, r->state, "body.rotation", &r->rotation);
    if (status == SN_OK) status = sn_field(r->model, r->state, "strand.point", &r->point);
    for (int c = 0; c < CHANNELS && status == SN_OK; ++c)
        status = sn_field(r->model, r->state, channels[c].field, &r->channel[c]);
    return status;
}

snStatus cli_recorder_create(const snModel *model, snState *state, const char *model_name, snRecorder **recorder)
{
    snRecorder *r = calloc(1, sizeof *r);
    if (!r) return SN_NO_MEMORY;
    r->model = model;
    r->state = state;
    r->nbody = sn_count(model, SN_ITEM_BODY);
    r->nscalar = count_scalars(model);
    int32_t nstrand = sn_count(model, SN_ITEM_STRAND);
    snStatus status = allocate(r, nstrand) ? find_fields(r) : SN_NO_MEMORY;
    if (status == SN_OK) {
        name_everything(r, nstrand);
        snTrackDef def = {.model = model_name,
                          .nbody = r->nbody,
                          .body_name = r->body_name,
                          .nstrand = nstrand,
                          .strand_name = r->strand_name,
                          .strand_npoint = r->strand_npoint,
                          .nscalar = r->nscalar,
                          .scalar_name = r->scalar_name};
        status = sn_track_create(&def, &r->track);
    }
    if (status == SN_OK)
        *recorder = r;
    else
        cli_recorder_destroy(r);
    return status;
}

void cli_recorder_destroy(snRecorder *r)
{
    if (!r) return;
    if (r->track) sn_track_destroy(r->track);
    free(r->pose);
    free(r->scalar);
    free(r->names);
    free((void *)r->body_name);
    free((void *)r->strand_name);
    free((void *)r->scalar_name);
    free(r->strand_npoint);
    free(r);
}

snStatus cli_record(snRecorder *r)
{
    for (int32_t i = 0; i < r->nbody; ++i) {
        memcpy(r->pose + 7 * i, r->position.data + 3 * i, 3 * sizeof(double));
        memcpy(r->pose + 7 * i + 3, r->rotation.data + 4 * i, 4 * sizeof(double));
    }
    int32_t k = 0;
    for (int c = 0; c < CHANNELS; ++c) {
        const snView *view = &r->channel[c];
        for (int32_t i = 0; i < view->rows && k < r->nscalar; ++i) {
            const double *v = view->data + (size_t)i * (size_t)view->columns;
            r->scalar[k++] = view->columns == 3 ? sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) : v[0];
        }
    }
    return sn_track_append(r->track, sn_time(r->state), r->pose, r->point.data, r->scalar);
}

const snTrack *cli_recorded(const snRecorder *recorder)
{
    return recorder->track;
}
