/* Bodies from links, and lines from bodies. */
#include "sim/tree_pose.h"

#include "base/alloc.h"
#include "sinew/sim.h"

void sn_pose_placed(const snModel *m, const snTreeWork *work, rigid *body)
{
    for (int32_t b = 0; b < m->nbody; ++b)
        body[b] = rigid_mul(sn_tree_motion(work, m->skeleton->tree.body_link[b]), m->body_rest[b]);
}

snStatus sn_pose_tree(const snModel *m, const double *coordinate, rigid *body)
{
    snTreeWork *work = sn_tree_create(&m->skeleton->tree);
    if (!work) return SN_NO_MEMORY;
    sn_tree_place(&m->skeleton->tree, work, coordinate);
    sn_pose_placed(m, work, body);
    sn_tree_destroy(work);
    return SN_OK;
}

/* Motions of the links that carry bodies: points and wraps ride on no others. */
static void links_of_bodies(const snModel *m, const double *pose, double *rotation, double *shift)
{
    for (int32_t b = 0; b < m->nbody; ++b) {
        int32_t link = m->skeleton->tree.body_link[b];
        if (link < 0) continue;
        rigid now = {q_unit(q_load(pose + 7 * b + 3)), v3_load(pose + 7 * b)};
        rigid motion = rigid_mul(now, rigid_inverse(rigid_mul(m->body_rest[b], m->body_node[b])));
        m3 R = m3_from_q(motion.q);
        for (int k = 0; k < 9; ++k) rotation[9 * link + k] = R.m[k];
        v3_store(shift + 3 * link, motion.p);
    }
}

snStatus sn_line_points(const snModel *m, const double *pose, double *point)
{
    if (!m || !pose || !point) return SN_BAD_ARGUMENT;
    if (!m->skeleton) return SN_OK;
    int32_t n = m->skeleton->tree.ndof;
    double *rotation = SN_NEW_ARRAY(double, 12 * (int64_t)n);
    if (!rotation) return SN_NO_MEMORY;
    snPathLinks links = {.ndof = n, .rotation = rotation, .shift = rotation + 9 * (int64_t)n};
    links_of_bodies(m, pose, rotation, rotation + 9 * (int64_t)n);
    for (int32_t i = 0; i < m->skeleton->path.npath; ++i) {
        sn_path_drawn(&m->skeleton->path, &links, i, point);
        point += 3 * (int64_t)sn_path_drawn_count(&m->skeleton->path, i);
    }
    sn_free(rotation);
    return SN_OK;
}
