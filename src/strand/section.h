/* The cross-section of a bundle of strands, from where its strands pass and which way they run.
 *
 * Axis: the mean of the tangents. Area: that of the ellipse which, evenly filled, has the same second moments about the
 * centre as the points seen along the axis, 4 pi sqrt(det C). Each strand may count as a disc of its own, which gives
 * sheets and single strands an area. Volume per unit of the parameter is area times speed, so that a bundle keeps its
 * volume where f = radius sqrt(speed / speed0),  radius = sqrt(area / pi), stays as it is. f is smooth in points and
 * tangents, and its gradient is exact. */
#ifndef SN_STRAND_SECTION_H
#define SN_STRAND_SECTION_H

#include "math/vec.h"

#include <stdint.h>

typedef struct snSection {
    double area;   /* m^2 */
    double radius; /* of the circle with this area, m */
    double speed;  /* length of the mean tangent: of the axis per unit of the parameter, m */
} snSection;

/* n points and n tangents (derivatives by the parameter), 3 numbers each. disc: second moment of a strand's own disc,
 * r^2 / 4, or a little to keep flat bundles regular, m^2. When dpoint is not NULL it gets the gradient of f by each
 * point (3 n) and dtangent that by any one tangent (3, the same for all). */
snSection sn_section(int32_t n, const double *point, const double *tangent, double disc, double speed0, double *dpoint,
                     double *dtangent);
/* Area of the convex hull of the points as seen along the axis, m^2: what the bundle reaches to, however its strands
 * are spread within. */
double sn_section_hull(int32_t n, const double *point, const double *tangent);

#endif
