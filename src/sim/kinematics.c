/* Where the bodies are at given joint coordinates, and what an interactive program changes between steps. */
#include "base/alloc.h"
#include "sim/own/state.h"
#include "sim/state.h"
#include "sim/tree_pose.h"

snStatus sn_body_poses(const snModel *m, const double *coordinate, double *pose)
{
    if (!m || !coordinate || !pose) return SN_BAD_ARGUMENT;
    rigid *body = SN_NEW_ARRAY(rigid, m->nbody);
    if (!body) return SN_NO_MEMORY;
    snStatus status = m->skeleton ? sn_pose_tree(m, coordinate, body) : SN_OK;
    if (!m->skeleton) sn_pose_bodies(m, coordinate, body);
    for (int32_t b = 0; b < m->nbody; ++b) {
        rigid node = rigid_mul(body[b], m->body_node[b]);
        v3_store(pose + 7 * b, node.p);
        q_store(pose + 7 * b + 3, node.q);
    }
    sn_free(body);
    return status;
}

void sn_set_gravity_scale(snState *s, double scale)
{
    if (!s) return;
    s->def.gravity_scale = scale;
}

void sn_set_quiet(snState *s, bool on)
{
    if (s) s->quiet = on;
}

void sn_coordinate_range(const snModel *m, int32_t coordinate, double range[2])
{
    if (!range) return;
    range[0] = range[1] = 0;
    if (!m || coordinate < 0 || coordinate >= m->ncoord) return;
    range[0] = m->coord_lower[coordinate];
    range[1] = m->coord_upper[coordinate];
}
