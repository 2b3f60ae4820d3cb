/* The columns of a replay and one frame of them from a state. Only the fields that a state shows are used, so that a
 * new column is a line in the table below. */
#include "control/load.h"
#include "model/model.h"
#include "sinew/record.h"

#include "base/alloc.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

/* A group of scalars: one per item, read from a field of one column (the value) or three (its length). */
typedef struct Channel {
    const char *prefix, *field;
    snItem item;
} Channel;

static const Channel channels[] = {
    {"activation/", "muscle.activation", SN_ITEM_MUSCLE},
    {"force_origin/", "strand.force_origin", SN_ITEM_STRAND},
    {"force_insertion/", "strand.force_insertion", SN_ITEM_STRAND},
    {"tension/", "strand.tension", SN_ITEM_STRAND},
    {"length/", "strand.length", SN_ITEM_STRAND},
    {"tension/", "line.tension", SN_ITEM_LINE},
    {"length/", "line.length", SN_ITEM_LINE},
    {"coordinate/", "joint.coordinate", SN_ITEM_COORDINATE},
    {"volume/", "group.volume", SN_ITEM_GROUP},
    {"area/", "group.area", SN_ITEM_GROUP},
};
enum { CHANNELS = sizeof channels / sizeof channels[0] };

/* Of a body with loads: one scalar for each column of a field. */
static const struct {
    const char *prefix, *field;
    int column;
} load_channels[] = {
    {"load_fx/", "body.force", 0},  {"load_fy/", "body.force", 1},  {"load_fz/", "body.force", 2},
    {"load_mx/", "body.torque", 0}, {"load_my/", "body.torque", 1}, {"load_mz/", "body.torque", 2},
};
enum { LOAD_CHANNELS = sizeof load_channels / sizeof load_channels[0] };

struct snRecorder {
    const snModel *model;
    snArena arena; /* names and the def's arrays */
    snTrackDef def;
    double *pose, *scalar;
    int32_t nloaded, *loaded; /* bodies with loads */
};

static char *joined(snArena *arena, const char *prefix, const char *name)
{
    size_t a = strlen(prefix), b = strlen(name);
    char *text = sn_arena_alloc(arena, a + b + 1, 1);
    if (!text) return NULL;
    memcpy(text, prefix, a);
    memcpy(text + a, name, b + 1);
    return text;
}

static int32_t count_scalars(const snRecorder *r)
{
    int32_t count = LOAD_CHANNELS * r->nloaded;
    for (int c = 0; c < CHANNELS; ++c) count += sn_count(r->model, channels[c].item);
    return count;
}

static bool name_scalars(snRecorder *r, const char **name)
{
    int32_t k = 0;
    for (int c = 0; c < CHANNELS; ++c)
        for (int32_t i = 0; i < sn_count(r->model, channels[c].item); ++i)
            if (!(name[k++] = joined(&r->arena, channels[c].prefix, sn_name(r->model, channels[c].item, i))))
                return false;
    for (int c = 0; c < LOAD_CHANNELS; ++c)
        for (int32_t i = 0; i < r->nloaded; ++i) {
            const char *body = sn_name(r->model, SN_ITEM_BODY, r->loaded[i]);
            if (!(name[k++] = joined(&r->arena, load_channels[c].prefix, body))) return false;
        }
    return true;
}

static bool copy_names(snRecorder *r, snItem item, const char **name)
{
    for (int32_t i = 0; i < sn_count(r->model, item); ++i)
        if (!(name[i] = sn_arena_strdup(&r->arena, sn_name(r->model, item, i)))) return false;
    return true;
}

static bool describe(snRecorder *r, const char *model_name)
{
    snTrackDef *d = &r->def;
    *d = sn_default_track_def();
    d->nbody = sn_count(r->model, SN_ITEM_BODY);
    snItem strands = sn_count(r->model, SN_ITEM_LINE) > 0 ? SN_ITEM_LINE : SN_ITEM_STRAND;
    d->nstrand = sn_count(r->model, strands);
    d->nscalar = count_scalars(r);
    const char **body = sn_arena_alloc(&r->arena, (size_t)d->nbody + 1, sizeof *body);
    const char **strand = sn_arena_alloc(&r->arena, (size_t)d->nstrand + 1, sizeof *strand);
    const char **scalar = sn_arena_alloc(&r->arena, (size_t)d->nscalar + 1, sizeof *scalar);
    int32_t *npoint = sn_arena_alloc(&r->arena, (size_t)d->nstrand + 1, sizeof *npoint);
    r->pose = sn_arena_alloc(&r->arena, 7 * (size_t)d->nbody + 1, sizeof *r->pose);
    r->scalar = sn_arena_alloc(&r->arena, (size_t)d->nscalar + 1, sizeof *r->scalar);
    d->model = sn_arena_strdup(&r->arena, model_name ? model_name : "");
    if (!body || !strand || !scalar || !npoint || !r->pose || !r->scalar || !d->model) return false;
    for (int32_t i = 0; i < d->nstrand; ++i)
        npoint[i] = strands == SN_ITEM_LINE ? sn_line_point_count(r->model, i) : sn_strand_point_count(r->model, i);
    d->body_name = body, d->strand_name = strand, d->scalar_name = scalar, d->strand_npoint = npoint;
    return copy_names(r, SN_ITEM_BODY, body) && copy_names(r, strands, strand) && name_scalars(r, scalar);
}

static bool list_loaded(snRecorder *r, const snLoads *loads)
{
    r->nloaded = sn_loads_bodies(loads);
    r->loaded = sn_arena_alloc(&r->arena, (size_t)r->nloaded + 1, sizeof *r->loaded);
    for (int32_t i = 0; r->loaded && i < r->nloaded; ++i) r->loaded[i] = sn_loads_body(loads, i);
    return r->loaded != NULL;
}

snStatus sn_recorder_create_loaded(const snModel *model, const char *model_name, const snLoads *loads,
                                   snRecorder **recorder)
{
    if (!model || !recorder) return SN_BAD_ARGUMENT;
    snRecorder *r = SN_NEW(snRecorder);
    if (!r) return SN_NO_MEMORY;
    r->model = model;
    if (!list_loaded(r, loads) || !describe(r, model_name)) {
        sn_recorder_destroy(r);
        return SN_NO_MEMORY;
    }
    *recorder = r;
    return SN_OK;
}

void sn_recorder_destroy(snRecorder *r)
{
    if (!r) return;
    sn_arena_free(&r->arena);
    sn_free(r);
}

const snTrackDef *sn_recorder_def(const snRecorder *r)
{
    if (!r) return NULL;
    return &r->def;
}

static snStatus read_loads(snRecorder *r, snState *state, int32_t k)
{
    for (int c = 0; c < LOAD_CHANNELS && r->nloaded; ++c) {
        snView view;
        snStatus status = sn_field(r->model, state, load_channels[c].field, &view);
        if (status != SN_OK) return status;
        for (int32_t i = 0; i < r->nloaded; ++i) r->scalar[k++] = view.data[3 * r->loaded[i] + load_channels[c].column];
    }
    return SN_OK;
}

static snStatus read_scalars(snRecorder *r, snState *state)
{
    int32_t k = 0;
    for (int c = 0; c < CHANNELS; ++c) {
        snView view;
        snStatus status = sn_field(r->model, state, channels[c].field, &view);
        if (status != SN_OK) return status;
        for (int32_t i = 0; i < view.rows && k < r->def.nscalar; ++i) {
            const double *v = view.data + (size_t)i * (size_t)view.columns;
            r->scalar[k++] = view.columns == 3 ? sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) : v[0];
        }
    }
    return read_loads(r, state, k);
}

snStatus sn_recorder_read(snRecorder *r, snState *state, double time, snTrackFrame *frame)
{
    if (!r || !state || !frame) return SN_BAD_ARGUMENT;
    snView position, rotation, point;
    snStatus status = sn_field(r->model, state, "body.position", &position);
    if (status == SN_OK) status = sn_field(r->model, state, "body.rotation", &rotation);
    if (status == SN_OK)
        status =
            sn_field(r->model, state, sn_count(r->model, SN_ITEM_LINE) > 0 ? "line.point" : "strand.point", &point);
    if (status == SN_OK) status = read_scalars(r, state);
    if (status != SN_OK) return status;
    for (int32_t i = 0; i < r->def.nbody; ++i) {
        memcpy(r->pose + 7 * i, position.data + 3 * i, 3 * sizeof(double));
        memcpy(r->pose + 7 * i + 3, rotation.data + 4 * i, 4 * sizeof(double));
    }
    *frame = (snTrackFrame){.time = time, .pose = r->pose, .point = point.data, .scalar = r->scalar};
    return SN_OK;
}
