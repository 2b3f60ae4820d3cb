/* Soft muscles of the studio's data: the shapes of a deformation library as they are stored, which the page blends by
 * the joint coordinates and activations of a frame (meshfree/library.h has the formula), and the coordinates of the
 * replay's frames. */
#include "author/library_player.h"
#include "base/alloc.h"
#include "base/error.h"
#include "page/html_pack.h"

static void put_axes(snPack *p, const snLibraryMuscle *m)
{
    sn_pack_member(p, "axes");
    sn_json_text(&p->head, "[");
    for (int32_t a = 0; a < m->naxis; ++a) {
        sn_json_text(&p->head, a ? ",{\"coordinate\":" : "{\"coordinate\":");
        sn_json_int(&p->head, sn_find(p->model, SN_ITEM_COORDINATE, m->axis[a].name)); /* -1: the activation */
        sn_pack_member(p, "values");
        sn_json_numbers(&p->head, m->axis[a].value, m->axis[a].n);
        sn_json_text(&p->head, "}");
    }
    sn_json_text(&p->head, "]");
}

static void put_indices(snPack *p, const char *member, const int32_t *index, int32_t count)
{
    sn_pack_member(p, member);
    sn_json_text(&p->head, "[");
    for (int32_t i = 0; i < count; ++i) {
        if (i) sn_json_text(&p->head, ",");
        sn_json_int(&p->head, index[i]);
    }
    sn_json_text(&p->head, "]");
}

static snStatus put_muscle(snPack *p, const snLibraryPlayer *player, int32_t i)
{
    const snLibraryMuscle *m = player->library->muscle + i;
    const snLibraryPart *t = player->part + i;
    const snDeformSurface *s = player->surface + i;
    int64_t weights = (int64_t)m->nbody * m->nvertex;
    double *weight = SN_NEW_ARRAY(double, weights);
    if (!weight) return sn_fail_no_memory(p->error);
    for (int64_t k = 0; k < weights; ++k) weight[k] = (double)m->weight[k];
    sn_json_text(&p->head, i ? ",{" : "{");
    sn_pack_mesh(p, m->name, s->color, m->nvertex, t->mesh.vertex, t->mesh.ntriangle, t->mesh.triangle);
    put_indices(p, "bodies", t->body, m->nbody);
    put_indices(p, "muscles", t->muscle, t->nmuscle);
    put_axes(p, m);
    sn_pack_member(p, "weights");
    sn_run_i16(&p->head, &p->data, weight, weights, 1);
    sn_pack_member(p, "samples");
    sn_json_int(&p->head, m->nsample);
    sn_pack_member(p, "unit");
    sn_json_number(&p->head, m->unit);
    sn_pack_member(p, "deltas");
    sn_run_short(&p->head, &p->data, m->delta, 3 * (int64_t)m->nsample * m->nvertex);
    sn_json_text(&p->head, "}");
    sn_free(weight);
    return SN_OK;
}

snStatus sn_pack_soft(snPack *p)
{
    snLibraryPlayer *player = NULL;
    snStatus status = sn_library_player_create(p->def->spec, p->def->library, &player, p->error);
    if (status) return status;
    sn_pack_member(p, "soft");
    sn_json_text(&p->head, "[");
    for (int32_t i = 0; i < player->library->nmuscle && !status; ++i) status = put_muscle(p, player, i);
    sn_json_text(&p->head, "]");
    sn_library_player_release(player);
    return status;
}

snStatus sn_pack_coordinates(snPack *p)
{
    const snModel *m = p->model;
    const snTrack *track = p->def->replay;
    int64_t nframe = sn_track_frames(track);
    double *value = SN_NEW_ARRAY(double, nframe * m->ncoord + SN_JOINT_MAX_DOF), row[12 * SN_JOINT_MAX_DOF];
    if (!value) return sn_fail_no_memory(p->error);
    for (int32_t j = 0; j < m->njoint; ++j) {
        const int32_t at[2] = {m->joint_a[j], m->joint_b[j]};
        for (int32_t f = 0; f < nframe; ++f) {
            rigid body[2] = {rigid_identity(), rigid_identity()};
            for (int e = 0; e < 2; ++e) {
                if (at[e] < 0) continue;
                int32_t found = sn_track_find_body(track, m->body_name[at[e]]);
                const double *pose = found >= 0 ? sn_track_pose(track, f) + 7 * found : NULL;
                rigid node = pose ? (rigid){q_load(pose + 3), v3_load(pose)} : sn_pack_rest(p, at[e]);
                body[e] = rigid_mul(node, rigid_inverse(m->body_node[at[e]]));
            }
            double own[SN_JOINT_MAX_DOF];
            sn_joint_coordinates(&m->joint[j], body[0], body[1], own, row);
            for (int32_t c = m->joint_coordadr[j]; c < m->joint_coordadr[j + 1]; ++c)
                value[f * m->ncoord + c] = own[c - m->joint_coordadr[j]];
        }
    }
    sn_pack_member(p, "coordinates");
    sn_run_f32(&p->head, &p->data, value, nframe * m->ncoord);
    sn_free(value);
    return SN_OK;
}
