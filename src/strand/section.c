/* With x the points seen along the axis e, from their centre, and C = mean(x x') + disc, radius = 2 det(C)^(1/4) and
 *     d radius = radius / 2 mean(x' C^-1 dx),   dx = dp across e - (e . r) de,   de = dc' across e / |c'|. */
#include "strand/section.h"

#include <math.h>

/* Symmetric 2 x 2 in the plane across the axis. */
typedef struct {
    double uu, uv, vv;
} Moments;

static v3 mean_of(int32_t n, const double *x)
{
    v3 sum = {0, 0, 0};
    for (int32_t i = 0; i < n; ++i) sum = v3_add(sum, v3_load(x + 3 * i));
    return v3_scale(sum, 1.0 / n);
}

static Moments inverse(Moments c, double det)
{
    return (Moments){c.vv / det, -c.uv / det, c.uu / det};
}

snSection sn_section(int32_t n, const double *point, const double *tangent, double disc, double speed0, double *dpoint,
                     double *dtangent)
{
    v3 centre = mean_of(n, point), along = mean_of(n, tangent);
    double speed = v3_len(along);
    v3 e = speed > 0 ? v3_scale(along, 1 / speed) : v3_of(0, 0, 1), u = v3_perp(e), v = v3_cross(e, u);
    Moments c = {disc, 0, disc};
    for (int32_t i = 0; i < n; ++i) {
        v3 r = v3_sub(v3_load(point + 3 * i), centre);
        double x = v3_dot(u, r), y = v3_dot(v, r);
        c.uu += x * x / n, c.uv += x * y / n, c.vv += y * y / n;
    }
    double det = fmax(c.uu * c.vv - c.uv * c.uv, 1e-40);
    snSection s = {.area = 4 * SN_PI * sqrt(det), .radius = 2 * sqrt(sqrt(det)), .speed = speed};
    if (!dpoint) return s;
    double f = s.radius * sqrt(speed / speed0);
    Moments b = inverse(c, det);
    v3 tilt = {0, 0, 0}; /* mean of (e . r) C^-1 x: zero when the points lie in a plane across the axis */
    for (int32_t i = 0; i < n; ++i) {
        v3 r = v3_sub(v3_load(point + 3 * i), centre);
        double x = v3_dot(u, r), y = v3_dot(v, r);
        v3 out = v3_mad(v3_scale(u, b.uu * x + b.uv * y), b.uv * x + b.vv * y, v);
        tilt = v3_mad(tilt, v3_dot(e, r) / n, out);
        v3_store(dpoint + 3 * i, v3_scale(out, f / (2 * n)));
    }
    v3_store(dtangent, v3_scale(v3_sub(e, tilt), speed > 0 ? f / (2 * n * speed) : 0));
    return s;
}

/* Around the points by the right hand, from one corner to the one that leaves all others on its left. */
double sn_section_hull(int32_t n, const double *point, const double *tangent)
{
    v3 centre = mean_of(n, point), e = v3_unit(mean_of(n, tangent)), u = v3_perp(e), v = v3_cross(e, u);
    int32_t first = 0, at, count = 0;
    double area = 0;
    if (!(v3_len2(e) > 0)) return 0;
    for (int32_t i = 1; i < n; ++i)
        if (v3_dot(u, v3_load(point + 3 * i)) < v3_dot(u, v3_load(point + 3 * first))) first = i;
    at = first;
    do {
        v3 here = v3_load(point + 3 * at);
        int32_t next = at;
        for (int32_t i = 0; i < n; ++i) {
            v3 to = v3_sub(v3_load(point + 3 * i), here), best = v3_sub(v3_load(point + 3 * next), here);
            double side = v3_dot(u, best) * v3_dot(v, to) - v3_dot(v, best) * v3_dot(u, to);
            if (i != at && (next == at || side < 0)) next = i;
        }
        v3 a = v3_sub(here, centre), b = v3_sub(v3_load(point + 3 * next), centre);
        area += 0.5 * (v3_dot(u, a) * v3_dot(v, b) - v3_dot(v, a) * v3_dot(u, b));
        at = next;
    } while (at != first && ++count < n);
    return area;
}
