/* Activations at the keys of a motion, and straight lines between: how [Tsang 2005] fills in coarse keys. Nothing looks
 * at what happens on the way, so that between keys the limb goes where the muscles take it. */
#include "analysis/pursue.h"

#include "base/alloc.h"
#include "motion/poses.h"

#include <string.h>

snStatus sn_pursue_keys(snPursue *u)
{
    snPatient *p = u->p;
    int32_t n = sn_poses_frames(u->poses);
    snStatus status = SN_OK;
    u->key = SN_NEW_ARRAY(double, (size_t)n *(size_t)p->nu);
    if (!u->key) return SN_NO_MEMORY;
    for (int32_t i = 0; i < n && status == SN_OK; ++i) {
        snHeld held;
        sn_pursue_reference(u, sn_poses_time(u->poses, i), u->target, NULL, NULL);
        status = sn_hold(p, u->target, NULL, NULL, &held);
        if (status == SN_FAILED) status = SN_OK; /* the best that was found */
        memcpy(u->key + (size_t)i * (size_t)p->nu, p->activation, sizeof(double) * (size_t)p->nu);
    }
    return status;
}

void sn_pursue_between_keys(snPursue *u, double time)
{
    int32_t n = sn_poses_frames(u->poses), i = 0;
    size_t nu = (size_t)u->p->nu;
    double part = 0;
    if (n > 1) {
        double first = sn_poses_time(u->poses, 0), last = sn_poses_time(u->poses, n - 1);
        double at = time < first ? first : time > last ? last : time;
        while (i + 2 < n && sn_poses_time(u->poses, i + 1) <= at) ++i;
        double begin = sn_poses_time(u->poses, i);
        part = (at - begin) / (sn_poses_time(u->poses, i + 1) - begin);
    }
    const double *a = u->key + (size_t)i * nu, *b = n > 1 ? a + nu : a;
    for (size_t k = 0; k < nu; ++k) u->p->activation[k] = a[k] + part * (b[k] - a[k]);
}
