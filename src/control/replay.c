/* A motion of the bodies from joint coordinates. */
#include "base/alloc.h"
#include "sim/plant.h"
#include "sinew/control.h"

snStatus sn_motion_from_coordinates(const snModel *m, int32_t count, const double *time, const double *coordinate,
                                    snTrack **motion)
{
    if (!m || count < 0 || !time || !coordinate || !motion) return SN_BAD_ARGUMENT;
    snTrackDef def = {.size = sizeof(snTrackDef), .model = "", .nbody = m->nbody, .body_name = m->body_name};
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
