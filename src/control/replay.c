/* A motion of the bodies from joint coordinates. */
#include "base/alloc.h"
#include "model/model.h"
#include "sinew/control.h"
#include "sinew/sim.h"

snStatus sn_motion_from_coordinates(const snModel *m, int32_t count, const double *time, const double *coordinate,
                                    snTrack **motion)
{
    if (!m || count < 0 || !time || !coordinate || !motion) return SN_BAD_ARGUMENT;
    snTrackDef def = {.size = sizeof(snTrackDef), .model = "", .nbody = m->nbody, .body_name = m->body_name};
    snTrack *track = NULL;
    snStatus status = sn_track_create(&def, &track);
    double *pose = SN_NEW_ARRAY(double, 7 * m->nbody);
    if (!pose) status = SN_NO_MEMORY;
    for (int32_t k = 0; k < count && status == SN_OK; ++k) {
        status = sn_body_poses(m, coordinate + (size_t)k * (size_t)m->ncoord, pose);
        if (status == SN_OK) status = sn_track_append(track, time[k], pose, NULL, NULL);
    }
    sn_free(pose);
    if (status != SN_OK)
        sn_track_destroy(track);
    else
        *motion = track;
    return status;
}
