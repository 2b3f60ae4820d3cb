/* Segments of a path: straight, or the shortest curve over a cylinder or a sphere. In closed form, as are the
 * derivatives.
 *
 * Seen along the axis of a cylinder, or in the plane of centre and ends of a sphere, the curve is two tangents and an
 * arc. In polar coordinates (rho, phi) of the ends its length is a sum of functions of one variable, L = f(rho_a) +
 * f(rho_b) + r theta,  f(rho) = sqrt(rho^2 - r^2) - r acos(r / rho), which makes gradient and second derivative easy.
 * On a cylinder the unrolled curve is straight, so the rise zeta along the axis joins in by Pythagoras: l^2 = L^2 +
 * zeta^2. The curve lifts off where theta is less than both angles acos(r / rho) together; there length and gradient
 * are those of the straight line. An end inside the surface: straight. */
#include "path/internal.h"

static m3 outer(double s, v3 a, v3 b)
{
    return (m3){{s * a.x * b.x, s * a.x * b.y, s * a.x * b.z, s * a.y * b.x, s * a.y * b.y, s * a.y * b.z,
                 s * a.z * b.x, s * a.z * b.y, s * a.z * b.z}};
}

static void add_outer(m3 *to, double s, v3 a, v3 b)
{
    m3 o = outer(s, a, b);
    for (int k = 0; k < 9; ++k) to->m[k] += o.m[k];
}

static pathSegment straight(v3 a, v3 b, bool second)
{
    pathSegment s = {0};
    s.length = path_straight(a, b, &s.gb);
    s.ga = v3_neg(s.gb);
    if (!second) return s;
    s.aa = outer(-1 / s.length, s.gb, s.gb);
    for (int k = 0; k < 9; k += 4) s.aa.m[k] += 1 / s.length;
    s.bb = s.aa;
    for (int k = 0; k < 9; ++k) s.ab.m[k] = -s.aa.m[k];
    return s;
}

/* One end in polar coordinates: radial and turning unit vectors, the latter along growing theta at end b. */
typedef struct polarEnd {
    double rho, tangent, angle, f, f1, f2; /* length of the tangent; angle: up to where it touches */
    v3 e, t;
} polarEnd;

/* Length of the tangent from a distance of the middle, and the angle up to where it touches. Next to the surface both
 * are differences that rounding would spoil, and f a difference of the two. */
static double tangent_from(double rho, double r, double *angle)
{
    if (rho < (1 + 1e-6) * r) {
        double tangent = sqrt((rho - r) * (rho + r));
        *angle = atan2(tangent, r);
        return tangent;
    }
    *angle = acos(r / rho);
    return sqrt(rho * rho - r * r);
}

static polarEnd polar_end(v3 planar, double r)
{
    polarEnd p = {.rho = v3_len(planar)};
    double tangent = p.tangent = tangent_from(p.rho, r, &p.angle);
    p.e = v3_scale(planar, 1 / p.rho);
    p.f = tangent - r * p.angle;
    p.f1 = tangent / p.rho;
    p.f2 = r * r / (p.rho * p.rho * tangent);
    return p;
}

/* The planar problem: ends and the angle between them on the way that the path takes. */
typedef struct polarPair {
    polarEnd a, b;
    double theta;
    v3 normal; /* the way from a to b turns about it, by the right hand */
} polarPair;

/* Angle from a to b about a cylinder on the chosen side. */
static void cylinder_way(polarPair *p, const pathWrap *wrap)
{
    double cosine = v3_dot(p->a.e, p->b.e), sine = v3_dot(wrap->axis, v3_cross(p->a.e, p->b.e));
    double turn = atan2(sine, cosine), sign = turn < 0 ? -1 : 1; /* the shorter way */
    p->theta = fabs(turn);
    if (wrap->sense != 0) {
        /* against the sense by less than a quarter turn: an end beyond the other */
        if (sign != wrap->sense && p->theta > SN_PI / 2) sign = -sign, p->theta = 2 * SN_PI - p->theta;
        p->normal = v3_scale(wrap->axis, sign);
        return;
    }
    v3 side = v3_mad(wrap->side, -v3_dot(wrap->side, wrap->axis), wrap->axis);
    if (v3_len2(side) > 0) {
        /* The middle of the shorter way, unless the ends are opposite: then a turned by 90 degrees. */
        v3 middle = v3_add(p->a.e, p->b.e);
        if (v3_len2(middle) < 1e-20) middle = v3_scale(v3_cross(wrap->axis, p->a.e), sign);
        if (v3_dot(middle, side) < 0) sign = -sign, p->theta = 2 * SN_PI - p->theta;
    }
    p->normal = v3_scale(wrap->axis, sign);
}

static void sphere_way(polarPair *p)
{
    v3 cross = v3_cross(p->a.e, p->b.e);
    double sine = v3_len(cross);
    p->theta = atan2(sine, v3_dot(p->a.e, p->b.e));
    p->normal = sine > 1e-12 ? v3_scale(cross, 1 / sine) : v3_perp(p->a.e);
}

/* False where the path does not touch. */
static bool planar_pair(v3 a, v3 b, const pathWrap *wrap, polarPair *p)
{
    double r = wrap->radius;
    if (!(v3_len(a) > r && v3_len(b) > r)) return false;
    *p = (polarPair){polar_end(a, r), polar_end(b, r), 0, {0, 0, 0}};
    if (wrap->kind == SN_WRAP_CYLINDER)
        cylinder_way(p, wrap);
    else
        sphere_way(p);
    p->a.t = v3_cross(p->normal, p->a.e);
    p->b.t = v3_cross(p->normal, p->b.e);
    return p->theta > p->a.angle + p->b.angle;
}

/* Second derivative of f(rho) -+ r phi at one end; sign is that of phi in theta. */
static m3 end_second(const polarEnd *p, double r, double sign)
{
    m3 H = outer(p->f2, p->e, p->e);
    add_outer(&H, p->f1 / p->rho, p->t, p->t);
    add_outer(&H, -sign * r / (p->rho * p->rho), p->e, p->t);
    add_outer(&H, -sign * r / (p->rho * p->rho), p->t, p->e);
    return H;
}

/* Out of the plane: on a sphere the plane turns with the ends. */
static void sphere_second(const polarPair *p, double r, pathSegment *s)
{
    v3 n = p->normal;
    double sine = sin(p->theta), cot = cos(p->theta) / sine;
    add_outer(&s->aa, p->a.f1 / p->a.rho + r * cot / (p->a.rho * p->a.rho), n, n);
    add_outer(&s->bb, p->b.f1 / p->b.rho + r * cot / (p->b.rho * p->b.rho), n, n);
    s->ab = outer(-r / (p->a.rho * p->b.rho * sine), n, n);
}

static pathSegment arc(const polarPair *p, double r, bool second)
{
    pathSegment s = {.touches = true, .length = p->a.f + p->b.f + r * p->theta};
    s.ga = v3_mad(v3_scale(p->a.e, p->a.f1), -r / p->a.rho, p->a.t);
    s.gb = v3_mad(v3_scale(p->b.e, p->b.f1), r / p->b.rho, p->b.t);
    if (second) s.aa = end_second(&p->a, r, -1), s.bb = end_second(&p->b, r, 1);
    return s;
}

/* Joins the rise along the axis to the planar length: l = sqrt(L^2 + zeta^2). */
static void add_rise(pathSegment *s, v3 axis, double rise, bool second)
{
    double L = s->length, l = sqrt(L * L + rise * rise);
    v3 pa = s->ga, pb = s->gb;
    s->length = l;
    s->ga = v3_mad(v3_scale(pa, L / l), -rise / l, axis);
    s->gb = v3_mad(v3_scale(pb, L / l), rise / l, axis);
    if (!second) return;
    for (int k = 0; k < 9; ++k) s->aa.m[k] *= L / l, s->bb.m[k] *= L / l;
    add_outer(&s->aa, 1 / l, pa, pa), add_outer(&s->aa, 1 / l, axis, axis), add_outer(&s->aa, -1 / l, s->ga, s->ga);
    add_outer(&s->bb, 1 / l, pb, pb), add_outer(&s->bb, 1 / l, axis, axis), add_outer(&s->bb, -1 / l, s->gb, s->gb);
    s->ab = outer(1 / l, pa, pb);
    add_outer(&s->ab, -1 / l, axis, axis), add_outer(&s->ab, -1 / l, s->ga, s->gb);
}

static v3 across(v3 x, v3 axis)
{
    return v3_mad(x, -v3_dot(x, axis), axis);
}

/* The pair of two points about a wrap; false where the path does not touch it. */
static bool find_pair(v3 a, v3 b, const pathWrap *wrap, polarPair *p)
{
    v3 ra = v3_sub(a, wrap->centre), rb = v3_sub(b, wrap->centre);
    if (wrap->kind == SN_WRAP_CYLINDER) ra = across(ra, wrap->axis), rb = across(rb, wrap->axis);
    return planar_pair(ra, rb, wrap, p);
}

static pathSegment over_wrap(v3 a, v3 b, const pathWrap *wrap, const polarPair *p, bool second)
{
    pathSegment s = arc(p, wrap->radius, second);
    if (wrap->kind == SN_WRAP_CYLINDER)
        add_rise(&s, wrap->axis, v3_dot(wrap->axis, v3_sub(b, a)), second);
    else if (second)
        sphere_second(p, wrap->radius, &s);
    return s;
}

pathSegment path_segment(v3 a, v3 b, const pathWrap *wrap, bool second)
{
    polarPair p;
    if (!wrap || !find_pair(a, b, wrap, &p)) return straight(a, b, second);
    return over_wrap(a, b, wrap, &p, second);
}

static void places_on(v3 a, v3 b, const pathWrap *wrap, const polarPair *p, int32_t count, v3 *on)
{
    v3 ra = v3_sub(a, wrap->centre), rb = v3_sub(b, wrap->centre);
    bool cylinder = wrap->kind == SN_WRAP_CYLINDER;
    double r = wrap->radius, alpha = p->a.angle, beta = p->b.angle, L = p->a.f + p->b.f + r * p->theta;
    double before = p->a.tangent, rise = v3_dot(wrap->axis, v3_sub(rb, ra));
    for (int32_t k = 0; k < count; ++k) {
        double arc_angle = (p->theta - alpha - beta) * k / (count - 1), angle = alpha + arc_angle;
        on[k] = v3_scale(v3_add(v3_scale(p->a.e, cos(angle)), v3_scale(p->a.t, sin(angle))), r);
        /* the rise is even along the unrolled curve */
        if (cylinder) on[k] = v3_mad(on[k], v3_dot(ra, wrap->axis) + (before + r * arc_angle) / L * rise, wrap->axis);
        on[k] = v3_add(on[k], wrap->centre);
    }
}

void path_arc(v3 a, v3 b, const pathWrap *wrap, int32_t count, v3 *on)
{
    polarPair p;
    find_pair(a, b, wrap, &p);
    places_on(a, b, wrap, &p, count, on);
}

void path_segment_on(v3 a, v3 b, const pathWrap *wrap, pathSegment *segment, v3 on[2])
{
    polarPair p;
    bool touches = find_pair(a, b, wrap, &p);
    *segment = touches ? over_wrap(a, b, wrap, &p, false) : straight(a, b, false);
    if (touches) places_on(a, b, wrap, &p, 2, on);
}
