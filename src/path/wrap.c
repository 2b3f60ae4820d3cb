/* Segments of a path: straight, or the shortest curve over a cylinder or a sphere. In closed form, as are the
 * derivatives.
 *
 * Seen along the axis of a cylinder, or in the plane of centre and ends of a sphere, the curve is two tangents and an
 * arc. In polar coordinates (rho, phi) of the ends its length is a sum of functions of one variable, L = f(rho_a) +
 * f(rho_b) + r theta,  f(rho) = sqrt(rho^2 - r^2) - r acos(r / rho), which makes gradient and second derivative easy.
 * On a cylinder the unrolled curve is straight, so the rise zeta along the axis joins in by Pythagoras: l^2 = L^2 +
 * zeta^2. The curve lifts off where theta is less than both angles acos(r / rho) together; there length and gradient
 * are those of the straight line. An end inside the surface: straight.
 *
 * A path that must pass through the circle (SN_WRAP_INSIDE) and misses it consists of two straight pieces that meet on
 * it where their sum is least; second derivatives follow from how that point gives way. */
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
    bool inside;
    v3 bend; /* inside: where the path bends, from the middle */
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

/* Point of a straight line that is nearest to the middle. */
static v3 nearest_on(v3 a, v3 b)
{
    v3 along = v3_sub(b, a);
    double length2 = v3_len2(along), t = length2 > 0 ? -v3_dot(along, a) / length2 : 0;
    return v3_mad(a, fmin(fmax(t, 0), 1), along);
}

/* A unit vector turned about another one that is at right angles to it. */
static v3 turned(v3 e, v3 axis, double angle)
{
    return v3_add(v3_scale(e, cos(angle)), v3_scale(v3_cross(axis, e), sin(angle)));
}

/* Whether two straight pieces in a plane meet. */
static bool pieces_meet(v3 a, v3 b, v3 c, v3 d, v3 normal)
{
    v3 ab = v3_sub(b, a), cd = v3_sub(d, c), ca = v3_sub(a, c);
    double det = v3_dot(normal, v3_cross(ab, cd));
    if (fabs(det) < 1e-15) return false;
    double s = v3_dot(normal, v3_cross(cd, ca)) / det, t = v3_dot(normal, v3_cross(ab, ca)) / det;
    return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

/* The way whose touching points lie more to the side; false where the straight line is free and on that side, or where
 * the two tangents of the way cross. */
static bool tangent_way(polarPair *p, v3 a, v3 b, const pathWrap *wrap)
{
    v3 n = wrap->kind == SN_WRAP_CYLINDER ? wrap->axis : p->normal, near = nearest_on(a, b);
    v3 side = v3_mad(wrap->side, -v3_dot(wrap->side, n), n);
    bool sided = v3_len2(side) > 1e-24;
    double turn = atan2(v3_dot(n, v3_cross(p->a.e, p->b.e)), v3_dot(p->a.e, p->b.e)), best = -INFINITY;
    if (v3_len2(near) > wrap->radius * wrap->radius && (!sided || v3_dot(side, near) >= 0)) return false;
    for (int sign = -1; sign <= 1; sign += 2) {
        double theta = sign * turn < 0 ? sign * turn + 2 * SN_PI : sign * turn;
        v3 ta = turned(p->a.e, n, sign * p->a.angle), tb = turned(p->b.e, n, -sign * p->b.angle);
        double good = sided ? v3_dot(v3_unit(v3_add(ta, tb)), side) : -v3_len2(v3_sub(ta, tb));
        if (pieces_meet(a, v3_scale(ta, wrap->radius), b, v3_scale(tb, wrap->radius), n) || !(good > best)) continue;
        if (theta < p->a.angle + p->b.angle) theta += 2 * SN_PI; /* past its own start: an end is next to the surface */
        best = good;
        p->theta = theta;
        p->normal = v3_scale(n, sign);
    }
    return best > -INFINITY;
}

/* Angle from a to where the path bends: the sum of both distances to the circle is least there. Its derivative rises
 * between the angles up to which a and b see the circle from without. */
static double bend_angle(const polarPair *p, double r)
{
    double low = fmax(0, p->theta - p->b.angle), high = fmin(p->theta, p->a.angle), at = (low + high) / 2;
    for (int i = 0; i < 60 && high - low > 1e-15; ++i) {
        double sa = sin(at), sb = sin(p->theta - at), ca = cos(at), cb = cos(p->theta - at);
        double la = p->a.rho, lb = p->b.rho, da = sqrt(la * la + r * r - 2 * la * r * ca);
        double db = sqrt(lb * lb + r * r - 2 * lb * r * cb), f = la * sa / da - lb * sb / db;
        double slope = la * ca / da - r * la * la * sa * sa / (da * da * da) + lb * cb / db -
                       r * lb * lb * sb * sb / (db * db * db);
        if (f > 0)
            high = at;
        else
            low = at;
        double next = at - f / slope;
        if (fabs(next - at) < 1e-15) break;
        at = slope > 0 && next > low && next < high ? next : (low + high) / 2;
    }
    return at;
}

/* Through the circle: false where the straight line goes through it, or where it is not clear on which side it misses
 * it. */
static bool inside_way(polarPair *p, v3 a, v3 b, const pathWrap *wrap)
{
    v3 near = nearest_on(a, b), n = v3_cross(p->a.e, p->b.e);
    double sine = v3_len(n), r = wrap->radius;
    if (v3_len2(near) <= r * r) return false;
    p->theta = atan2(sine, v3_dot(p->a.e, p->b.e));
    if (p->theta > SN_PI - 1e-9) return false;
    p->normal = sine > 1e-12 ? v3_scale(n, 1 / sine) : v3_perp(p->a.e);
    p->inside = true;
    p->bend = v3_scale(turned(p->a.e, p->normal, bend_angle(p, r)), r);
    return true;
}

/* False where the path does not touch. */
static bool planar_pair(v3 a, v3 b, const pathWrap *wrap, polarPair *p)
{
    double r = wrap->radius;
    if (!(v3_len(a) > r && v3_len(b) > r)) return false;
    *p = (polarPair){.a = polar_end(a, r), .b = polar_end(b, r)};
    if (wrap->rule == SN_WRAP_INSIDE) return inside_way(p, a, b, wrap);
    if (wrap->kind == SN_WRAP_CYLINDER)
        cylinder_way(p, wrap);
    else
        sphere_way(p);
    if (wrap->rule == SN_WRAP_TANGENT && !tangent_way(p, a, b, wrap)) return false;
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

/* Takes out of a second derivative what the point where the path bends gives way along one direction. */
static void give_way(pathSegment *s, v3 by_a, v3 by_b, double stiffness)
{
    add_outer(&s->aa, -1 / stiffness, by_a, by_a);
    add_outer(&s->ab, -1 / stiffness, by_a, by_b);
    add_outer(&s->bb, -1 / stiffness, by_b, by_b);
}

/* Two straight pieces that meet in a point which moves along the circle, on a sphere also across its plane. */
static pathSegment bent(const polarPair *p, v3 a, v3 b, double r, bool sphere, bool second)
{
    pathSegment s = {.touches = true}, sa = straight(p->bend, a, second), sb = straight(p->bend, b, second);
    v3 e = v3_scale(p->bend, 1 / r), along = v3_cross(p->normal, e), n = p->normal;
    s.length = sa.length + sb.length;
    s.ga = sa.gb, s.gb = sb.gb;
    if (!second) return s;
    s.aa = sa.bb, s.bb = sb.bb;
    if (!sphere) add_outer(&s.aa, -1 / sa.length, n, n), add_outer(&s.bb, -1 / sb.length, n, n);
    double out = r * (v3_dot(e, s.ga) + v3_dot(e, s.gb)), ta = v3_dot(along, s.ga), tb = v3_dot(along, s.gb);
    v3 by_a = v3_scale(v3_mad(along, -ta, s.ga), -r / sa.length),
       by_b = v3_scale(v3_mad(along, -tb, s.gb), -r / sb.length);
    give_way(&s, by_a, by_b, out + r * r * ((1 - ta * ta) / sa.length + (1 - tb * tb) / sb.length));
    if (sphere)
        give_way(&s, v3_scale(n, -r / sa.length), v3_scale(n, -r / sb.length),
                 out + r * r * (1 / sa.length + 1 / sb.length));
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
    for (int k = 0; k < 9; ++k) s->ab.m[k] *= L / l;
    add_outer(&s->ab, 1 / l, pa, pb);
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
    bool cylinder = wrap->kind == SN_WRAP_CYLINDER;
    v3 ra = v3_sub(a, wrap->centre), rb = v3_sub(b, wrap->centre);
    if (cylinder) ra = across(ra, wrap->axis), rb = across(rb, wrap->axis);
    pathSegment s = p->inside ? bent(p, ra, rb, wrap->radius, !cylinder, second) : arc(p, wrap->radius, second);
    if (cylinder)
        add_rise(&s, wrap->axis, v3_dot(wrap->axis, v3_sub(b, a)), second);
    else if (second && !p->inside)
        sphere_second(p, wrap->radius, &s);
    return s;
}

pathSegment path_segment(v3 a, v3 b, const pathWrap *wrap, bool second)
{
    polarPair p;
    if (!wrap || !find_pair(a, b, wrap, &p)) return straight(a, b, second);
    return over_wrap(a, b, wrap, &p, second);
}

/* The one point where a path bends inside, as an arc of no length. */
static void place_bend(v3 ra, v3 rb, const pathWrap *wrap, const polarPair *p, int32_t count, v3 *on)
{
    bool cylinder = wrap->kind == SN_WRAP_CYLINDER;
    double start = v3_dot(ra, wrap->axis), rise = v3_dot(rb, wrap->axis) - start;
    v3 a = cylinder ? across(ra, wrap->axis) : ra, b = cylinder ? across(rb, wrap->axis) : rb;
    double before = v3_dist(a, p->bend), behind = v3_dist(b, p->bend);
    v3 at = v3_add(wrap->centre, p->bend);
    if (cylinder) at = v3_mad(at, start + rise * before / (before + behind), wrap->axis);
    for (int32_t k = 0; k < count; ++k) on[k] = at;
}

static void places_on(v3 a, v3 b, const pathWrap *wrap, const polarPair *p, int32_t count, v3 *on)
{
    v3 ra = v3_sub(a, wrap->centre), rb = v3_sub(b, wrap->centre);
    bool cylinder = wrap->kind == SN_WRAP_CYLINDER;
    if (p->inside) {
        place_bend(ra, rb, wrap, p, count, on);
        return;
    }
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
