#include "path/section.h"

#include <math.h>

enum { SAMPLES = 12, RAYS = PATH_RAYS, TRACES = 60, TURNS = 6 };

static v3 without(v3 x, v3 unit)
{
    return v3_mad(x, -v3_dot(x, unit), unit);
}

v3 path_section_point(const pathSection *s, v3 place)
{
    return v3_mad(v3_mad(s->from, place.x, s->along), place.y, s->up);
}

/* How high the surface stands over a place of the straight line; 0: not above it. */
static double find_height(const snGeodesicWrap *w, const pathSection *s, double x, snSurfaceHint *hint)
{
    v3 foot = v3_mad(s->from, x, s->along);
    double z = v3_dot(s->up, v3_sub(w->centre, foot)) + w->reach + w->offset, least = 1e-4 * w->reach;
    for (int i = 0; i < TRACES && z > 0; ++i) {
        double height = sn_surface_height(w->surface, w->offset, v3_mad(foot, z, s->up), hint);
        if (height < least) return z;
        z -= height;
    }
    return fmax(z, 0);
}

static bool turns_up(v3 a, v3 b, v3 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) >= 0;
}

static double sample_at(const pathSection *s, int i)
{
    return s->low + (s->high - s->low) * i / SAMPLES;
}

/* Adds a corner; those before it that lie under the string go. */
static void add_corner(pathSection *s, v3 next)
{
    while (s->n > 1 && turns_up(s->place[s->n - 2], s->place[s->n - 1], next)) --s->n;
    s->place[s->n++] = next;
    s->highest = fmax(s->highest, next.y);
}

/* The surface as rays from outside find it that run towards the point within it, from one end of the line over the
 * drawn side to the other: for lines that pass under it. */
static void find_loop(const snGeodesicWrap *w, pathSection *s)
{
    snSurfaceHint hint = w->start;
    v3 o = s->within, from = path_section_point(s, o);
    double first = atan2(-o.y, -o.x), sweep = 2 * SN_PI - (atan2(-o.y, s->length - o.x) - first);
    double far = v3_dist(from, w->centre) + w->reach + w->offset, least = 1e-4 * w->reach;
    s->n = 0, s->highest = 0;
    add_corner(s, v3_of(0, 0, 0));
    for (int i = 1; i < RAYS; ++i) {
        double angle = first - sweep * i / RAYS, z = far;
        v3 ray = v3_add(v3_scale(s->along, cos(angle)), v3_scale(s->up, sin(angle)));
        for (int k = 0; k < TRACES && z > 0; ++k) {
            double height = sn_surface_height(w->surface, w->offset, v3_mad(from, z, ray), &hint);
            if (height < least) break;
            z -= height;
        }
        if (z > 0) add_corner(s, v3_of(o.x + z * cos(angle), o.y + z * sin(angle), 0));
    }
    add_corner(s, v3_of(s->length, 0, 0));
}

static void find_heights(const snGeodesicWrap *w, pathSection *s)
{
    snSurfaceHint hint = w->start;
    s->n = 0, s->highest = 0;
    for (int i = 0; i <= SAMPLES; ++i) {
        v3 next = {i == 0 ? 0 : i < SAMPLES ? sample_at(s, i) : s->length, 0, 0};
        if (i > 0 && i < SAMPLES) {
            next.y = find_height(w, s, next.x, &hint);
            if (!(next.y > 0)) continue;
        }
        add_corner(s, next);
    }
}

void path_section_string(const snGeodesicWrap *w, pathSection *s)
{
    v3 centre = v3_sub(w->centre, s->from);
    snSurfaceHint hint = w->start;
    s->within = v3_of(v3_dot(centre, s->along), v3_dot(centre, s->up), 0);
    s->deep = s->within.y > 0 && sn_surface_height(w->surface, w->offset, path_section_point(s, s->within), &hint) < 0;
    if (s->deep)
        find_loop(w, s);
    else
        find_heights(w, s);
}

bool path_section_find(const snGeodesicWrap *w, v3 a, v3 b, pathSection *s)
{
    v3 way = v3_sub(b, a);
    *s = (pathSection){.from = a, .length = v3_len(way)};
    if (!(s->length > 1e-9)) return false;
    s->along = v3_scale(way, 1 / s->length);
    s->up = without(w->side, s->along);
    if (v3_len(s->up) < 0.05) s->up = without(v3_sub(w->centre, v3_lerp(a, b, 0.5)), s->along);
    s->up = v3_len2(s->up) > 0 ? v3_unit(s->up) : v3_perp(s->along);
    double middle = v3_dot(s->along, v3_sub(w->centre, s->from)), reach = w->reach + w->offset;
    s->low = fmin(fmax(middle - reach, 0), s->length), s->high = fmax(fmin(middle + reach, s->length), s->low);
    return true;
}

/* Whether the straight line meets the surface, and where it is deepest. Heights change by no more than the way gone. */
bool path_section_meets(const snGeodesicWrap *w, const pathSection *s, double *deepest)
{
    double least = INFINITY, at = 0;
    snSurfaceHint hint = w->start, best = hint;
    if (!(s->low < s->high)) return false;
    for (int i = 1; i < SAMPLES; ++i) {
        double x = sample_at(s, i);
        double height = sn_surface_height(w->surface, w->offset, v3_mad(s->from, x, s->along), &hint);
        if (height < least) least = height, at = x, best = hint;
    }
    double apart = (s->high - s->low) / SAMPLES, low = fmax(at - apart, s->low), high = fmin(at + apart, s->high);
    if (least > 0.6 * apart) return false;
    for (int i = 0; i < 50 && high - low > 1e-13 * s->length; ++i) {
        snSurfaceSpot spot = sn_surface_spot(w->surface, w->offset, v3_mad(s->from, at, s->along), &best);
        double slope = v3_dot(spot.normal, s->along), curve = v3_dot(s->along, m3_mulv(&spot.bend, s->along));
        least = fmin(least, spot.height);
        *(slope < 0 ? &low : &high) = at;
        double next = curve > 0 ? at - slope / curve : -1;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (fabs(next - at) < 1e-12 * s->length) break;
        at = next;
    }
    *deepest = at;
    return least < 0;
}

/* The section turned about the straight line, and how long the string over it is. */
static double turned_length(const snGeodesicWrap *w, const pathSection *from, double angle, pathSection *to)
{
    double sum = 0;
    *to = *from;
    to->up = q_rotate(q_axis_angle(from->along, angle), from->up);
    path_section_string(w, to);
    for (int i = 0; i + 1 < to->n; ++i) sum += v3_dist(to->place[i], to->place[i + 1]);
    return sum;
}

/* Turns the section downhill to where the string over it is shorter than on both sides. */
void path_section_slip(const snGeodesicWrap *w, pathSection *s)
{
    const double step = 0.3;
    pathSection side[2];
    double now = turned_length(w, s, 0, s), next[2];
    for (int e = 0; e < 2; ++e) next[e] = turned_length(w, s, e ? step : -step, &side[e]);
    int way = next[1] < next[0];
    for (int i = 0; i < TURNS && next[way] < now && side[way].n > 2; ++i) {
        *s = side[way], now = next[way];
        next[way] = turned_length(w, s, way ? step : -step, &side[way]);
    }
}
