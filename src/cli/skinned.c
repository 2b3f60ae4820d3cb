/* Poses and control points of a replay in the order that the skin wants, frame by frame. */
#include "skinned.h"

#include <stdlib.h>
#include <string.h>

bool cli_has_skin(const snSpec *spec)
{
    const char *name = sn_spec_model(spec)->skin;
    return name && *name;
}

/* The pose as drawn is that of a state that has not settled. */
static snStatus read_rest(snSkinned *s, snError *error)
{
    snSimDef def = sn_default_sim_def();
    snState *state = NULL;
    snView position, rotation;
    def.skip_settle = true, def.threads = 1;
    snStatus status = sn_state_create(s->model, &def, &state, error);
    if (status == SN_OK) status = sn_field(s->model, state, "body.position", &position);
    if (status == SN_OK) status = sn_field(s->model, state, "body.rotation", &rotation);
    for (int32_t b = 0; status == SN_OK && b < s->nbody; ++b) {
        memcpy(s->rest + 7 * b, position.data + 3 * b, 3 * sizeof(double));
        memcpy(s->rest + 7 * b + 3, rotation.data + 4 * b, 4 * sizeof(double));
    }
    if (state) sn_state_destroy(state);
    return status;
}

static bool allocate(snSkinned *s)
{
    size_t nbody = (size_t)s->nbody + 1, nstrand = (size_t)sn_count(s->model, SN_ITEM_STRAND) + 1;
    size_t npoint = (size_t)sn_count(s->model, SN_ITEM_POINT) + 1;
    size_t there = s->replay ? (size_t)sn_track_points(s->replay) + 1 : 1;
    s->rest = calloc(7 * nbody, sizeof *s->rest);
    s->pose = calloc(7 * nbody, sizeof *s->pose);
    s->body_at = calloc(nbody, sizeof *s->body_at);
    s->point_at = calloc(nstrand, sizeof *s->point_at);
    s->point = calloc(3 * npoint, sizeof *s->point);
    s->all = calloc(3 * there, sizeof *s->all);
    s->vertex = calloc(3 * (size_t)s->nvertex, sizeof *s->vertex);
    return s->rest && s->pose && s->body_at && s->point_at && s->point && s->all && s->vertex;
}

/* Where the channels of the model are in the replay. */
static snStatus match(snCli *cli, snSkinned *s)
{
    if (!s->replay) return SN_OK;
    const snTrackDef *def = sn_track_def(s->replay);
    for (int32_t b = 0; b < s->nbody; ++b)
        s->body_at[b] = sn_track_find_body(s->replay, sn_name(s->model, SN_ITEM_BODY, b));
    for (int32_t i = 0; i < sn_count(s->model, SN_ITEM_STRAND); ++i) {
        const char *name = sn_name(s->model, SN_ITEM_STRAND, i);
        int32_t found = sn_track_find_strand(s->replay, name), first = 0;
        if (found < 0) return cli_fail(cli, SN_BAD_INPUT, "the replay has no strand \"%s\", which the model has", name);
        if (def->strand_npoint[found] != sn_strand_point_count(s->model, i))
            return cli_fail(cli, SN_BAD_INPUT, "strand \"%s\" has %d control points in the replay, %d in the model",
                            name, def->strand_npoint[found], sn_strand_point_count(s->model, i));
        for (int32_t k = 0; k < found; ++k) first += def->strand_npoint[k];
        s->point_at[i] = first;
    }
    return SN_OK;
}

static snStatus find_mesh(snCli *cli, const snSpec *spec, const char *name, snSkinned *s)
{
    if (!name || !*name) name = sn_spec_model(spec)->skin;
    if (!name || !*name) return cli_fail(cli, SN_BAD_INPUT, "the model names no skin: give --mesh NODE");
    snId id = sn_spec_find(spec, SN_KIND_NODE, name);
    const snNodeDef *node = id ? sn_spec_node(spec, id) : NULL;
    if (!node || node->kind != SN_NODE_MESH)
        return cli_fail(cli, SN_BAD_INPUT, "the skin \"%s\" is no mesh of the scene", name);
    s->nvertex = node->nvertex, s->ntriangle = node->ntriangle, s->triangle = node->triangle;
    return SN_OK;
}

snStatus cli_skin_open(snCli *cli, const snSpec *spec, const snTrack *replay, const snModelSkinDef *def, snSkinned *s)
{
    snError error = {0};
    s->replay = replay;
    snStatus status = find_mesh(cli, spec, def->mesh, s);
    if (status != SN_OK) return status;
    status = sn_compile(spec, &s->model, &error);
    if (status == SN_OK) {
        s->nbody = sn_count(s->model, SN_ITEM_BODY);
        status = allocate(s) ? SN_OK : SN_NO_MEMORY;
    }
    if (status == SN_OK) status = read_rest(s, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, "skin");
    status = match(cli, s);
    if (status != SN_OK) return status;
    status = sn_create_model_skin(spec, def, &s->skin, &error);
    if (status == SN_OK) sn_skin_deform(s->skin, s->rest, NULL, s->vertex, NULL);
    return cli_fail_file(cli, status, &error, def->weights ? def->weights : "skin");
}

void cli_skin_close(snSkinned *s)
{
    sn_skin_destroy(s->skin);
    if (s->model) sn_model_destroy(s->model);
    free(s->rest);
    free(s->pose);
    free(s->body_at);
    free(s->point_at);
    free(s->point);
    free(s->all);
    free(s->vertex);
    free(s->page_bone);
    *s = (snSkinned){0};
}

/* Puts the points of a frame in the model's order. */
static void order_points(snSkinned *s, const double *all)
{
    double *to = s->point;
    for (int32_t i = 0; i < sn_count(s->model, SN_ITEM_STRAND); ++i) {
        size_t n = 3 * (size_t)sn_strand_point_count(s->model, i);
        memcpy(to, all + 3 * s->point_at[i], n * sizeof *to);
        to += n;
    }
}

static void deform(snSkinned *s, const double *all, double *vertex)
{
    order_points(s, all);
    sn_skin_deform(s->skin, s->pose, s->point, vertex, NULL);
}

snStatus cli_skin_at(void *skinned, double time, double *vertex)
{
    snSkinned *s = skinned;
    for (int32_t b = 0; b < s->nbody; ++b) {
        if (s->body_at[b] >= 0)
            sn_track_pose_at(s->replay, s->body_at[b], time, s->pose + 7 * b, NULL);
        else
            memcpy(s->pose + 7 * b, s->rest + 7 * b, 7 * sizeof(double));
    }
    sn_track_points_at(s->replay, time, s->all);
    deform(s, s->all, vertex);
    return SN_OK;
}

void cli_skin_over(snSkinned *s, double time, const float *base, double *vertex)
{
    sn_track_points_at(s->replay, time, s->all);
    order_points(s, s->all);
    for (int32_t i = 0; i < 3 * s->nvertex; ++i) s->vertex[i] = base[i];
    sn_skin_deform_base(s->skin, s->vertex, s->point, vertex, NULL);
}

snStatus cli_skin_frame(void *skinned, int32_t frame, double *vertex)
{
    snSkinned *s = skinned;
    const double *pose = sn_track_pose(s->replay, frame);
    for (int32_t b = 0; b < s->nbody; ++b)
        memcpy(s->pose + 7 * b, s->body_at[b] >= 0 ? pose + 7 * s->body_at[b] : s->rest + 7 * b, 7 * sizeof(double));
    deform(s, sn_track_point(s->replay, frame), vertex);
    return SN_OK;
}

int32_t *cli_skin_replay_bones(const snSkinned *s)
{
    const int32_t *body = sn_skin_weight_bodies(s->skin);
    int32_t *bone = calloc(4 * (size_t)s->nvertex, sizeof *bone);
    for (int32_t i = 0; bone && i < 4 * s->nvertex; ++i) bone[i] = body[i] >= 0 ? s->body_at[body[i]] : 0;
    return bone;
}

int32_t *cli_skin_spec_bones(const snSkinned *s, const snSpec *spec)
{
    const int32_t *body = sn_skin_weight_bodies(s->skin);
    int32_t *bone = calloc(4 * (size_t)s->nvertex, sizeof *bone), *id = calloc((size_t)s->nbody + 1, sizeof *id);
    for (int32_t b = 0; id && b < s->nbody; ++b)
        id[b] = sn_spec_find(spec, SN_KIND_BODY, sn_name(s->model, SN_ITEM_BODY, b));
    for (int32_t i = 0; bone && id && i < 4 * s->nvertex; ++i) bone[i] = body[i] >= 0 ? id[body[i]] - 1 : -1;
    if (!id) {
        free(bone);
        bone = NULL;
    }
    free(id);
    return bone;
}

snStatus cli_skin_for_page(snSkinned *s, const snSpec *spec, snStudioSkin *skin)
{
    const snNodeDef *node = sn_spec_node(spec, sn_spec_find(spec, SN_KIND_NODE, sn_spec_model(spec)->skin));
    s->page_bone = cli_skin_spec_bones(s, spec);
    if (!s->page_bone) return SN_NO_MEMORY;
    *skin = (snStudioSkin){
        .nvertex = s->nvertex, .ntriangle = s->ntriangle, .vertex = s->vertex, .triangle = s->triangle};
    skin->bone = s->page_bone, skin->weight = sn_skin_weights(s->skin);
    memcpy(skin->color, node->color, sizeof skin->color);
    if (s->replay) skin->frame = cli_skin_frame, skin->user = s;
    return SN_OK;
}

double *cli_skin_replay_rest(const snSkinned *s)
{
    double *rest = calloc(7 * ((size_t)sn_track_def(s->replay)->nbody + 1), sizeof *rest);
    for (int32_t b = 0; rest && b < sn_track_def(s->replay)->nbody; ++b) rest[7 * b + 3] = 1;
    for (int32_t b = 0; rest && b < s->nbody; ++b)
        if (s->body_at[b] >= 0) memcpy(rest + 7 * s->body_at[b], s->rest + 7 * b, 7 * sizeof *rest);
    return rest;
}
