/* Angles that a pose of bodies cannot tell from others: a joint turned by 200 degrees looks as one turned by -160.
 *
 * A motion becomes poses of bodies before it is followed, so that such angles would silently change their sign. They
 * are held at the end on their own side instead, and named. */
#include "io/motion_limit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double INSIDE = 1e-6; /* rad: the end itself is of either sign */

/* Largest angle of a coordinate that its pose shows; infinite for a length. */
static double farthest(const snModel *m, int32_t coordinate)
{
    int32_t joint = 0;
    while (m->joint_coordadr[joint + 1] <= coordinate) ++joint;
    int32_t dof = coordinate - m->joint_coordadr[joint];
    if (!sn_joint_dof_is_angle(m->joint[joint].kind, dof)) return INFINITY;
    bool middle = m->joint[joint].kind == SN_JOINT_BALL && dof == 1;
    return (middle ? SN_PI / 2 : SN_PI) - INSIDE;
}

static void note(const snModel *m, int32_t coordinate, double most, double end, snMotionSource *source)
{
    size_t n = strlen(source->beyond), room = sizeof source->beyond - n;
    if (room < 80) return;
    (void)snprintf(source->beyond + n, room, "%s%.40s reaches %.0f degrees, held at %.0f", n ? "; " : "",
                   sn_coordinate_title(m, coordinate), most / SN_DEG, end / SN_DEG);
}

void sn_limit_coordinates(const snModel *m, int32_t count, double *value, snMotionSource *source)
{
    int32_t n = m->ncoord;
    if (source) source->beyond[0] = '\0';
    for (int32_t c = 0; c < n; ++c) {
        double end = farthest(m, c), most = 0;
        for (int32_t i = 0; i < count; ++i) {
            double *v = &value[(size_t)i * (size_t)n + (size_t)c];
            if (fabs(*v) > fabs(most)) most = *v;
            *v = fmin(fmax(*v, -end), end);
        }
        if (fabs(most) > end + 2 * INSIDE && source) note(m, c, most, copysign(end, most), source);
    }
}
