/* Gates: walls that stand on a wrap and confine a cord sideways.
 *
 * The way from a to b over the wrap is the shortest one that crosses the plane of every gate between its walls. Where
 * it would cross outside, it leans on a wall: it stops at x = at + side half aside + y out, and since the length is least
 *     dl/dy = (arriving - leaving direction at x) . out = 0,   or > 0 at the foot of the wall, on the wrap
 * By the envelope theorem its gradient is then that of the straight pieces with the stop carried by the body, whether it
 * leans or not, so that forces have a potential and change continuously as the cord comes to touch a wall or leaves it.
 * Walls are smooth and have no top: a cord that is lifted off the wrap stays between them, as the point of a spline
 * does.
 *
 * Which walls are leant on is found by adding the gate that is passed furthest outside, one at a time; a stop that
 * would be pulled off its wall is given up. A way that does not cross a gate's plane (both ends on one side of it) is
 * not confined by it.
 *
 * On a surface of any shape the same holds with geodesics from stop to stop (geodesic.c). Directions there are
 * gradients of the length and known better than places, so that a wall counts as leant on by the direction in which it
 * pushes. */
#include "path/internal.h"

#include <math.h>

static const double FOOT = 1e-10;     /* of the radius: a wall begins so much above the wrap */
static const double FOOT_ON = 1e-9;   /* of the reach: the same on a surface of any shape */
static const double BELOW = 0.02;     /* of the size: a way that passes so far below the feet passes on the far side */
static const double TOUCH = 1e-13;    /* m: no gate is passed that little outside */
static const double TOUCH_ON = 1e-11; /* m: nor moves a stop on a surface, whose geodesics are known to that */
static const double LEVEL = 1e-3;     /* rad: on a surface, so little lifts no cord off it */
static const double DOUBT = 2e-4;     /* of the reach: so far inside a wall a way over a surface may lean on it */
enum { ARC_PARTS = 8, ROUNDS = 4 * SN_CORD_GATES, SWEEPS = 200, SWEEPS_ON = 100, TRACES = 60 };

typedef struct Piece { /* the way between two places, kept while they stay */
    v3 from, to;
    bool known;
    pathArc arc;
    v3 row[SN_GEODESIC_ROW]; /* over a surface */
} Piece;

typedef struct Gates { /* one wrap with its gates, and what is leant on */
    const snCord *c;
    const rigid *pose;
    int32_t wrap;
    const snCordWrap *w;
    v3 end[2];
    int32_t side[SN_CORD_GATES]; /* -1, 1: the wall; 0: none */
    bool given_up[SN_CORD_GATES];
    v3 stop[SN_CORD_GATES];
    Piece piece[SN_CORD_GATES + 1]; /* by where they begin: at the first end, then at the gates */
} Gates;

/* ---- walls ---------------------------------------------------------------------------------------- */

static double size_of(const snCordWrap *w)
{
    return w->kind == SN_WRAP_SURFACE ? w->over->reach : w->radius;
}

static double height_over(const snCordWrap *w, const snCordGate *g, v3 x)
{
    if (w->kind == SN_WRAP_SURFACE) {
        snSurfaceHint hint = g->near;
        return sn_surface_height(w->over->surface, w->over->offset, x, &hint);
    }
    v3 r = v3_sub(x, w->centre);
    if (w->kind == SN_WRAP_CYLINDER) r = v3_mad(r, -v3_dot(r, w->axis), w->axis);
    return v3_len(r) - w->radius;
}

static bool is_past_edge(const snCordWrap *w, const snCordGate *g, v3 x)
{
    if (w->kind != SN_WRAP_SURFACE) return false;
    snSurfaceHint hint = g->near;
    return sn_surface_spot(w->over->surface, w->over->offset, x, &hint).edge;
}

/* Down from far above, then the last bit by secants. */
static bool stand(const snCordWrap *w, const snCordGate *g, double aside, double *low)
{
    double size = size_of(w), foot = (w->kind == SN_WRAP_SURFACE ? FOOT_ON : FOOT) * size;
    v3 base = v3_mad(g->at, aside, g->aside);
    double y = 2 * size, height = INFINITY;
    for (int i = 0; i < TRACES && y > -size; ++i) {
        height = height_over(w, g, v3_mad(base, y, g->out));
        if (height < 1e-3 * size) break;
        y -= height;
    }
    if (!(height < 1e-3 * size)) return false;
    double last = y + 1e-3 * size, last_height = height_over(w, g, v3_mad(base, last, g->out));
    for (int i = 0; i < TRACES && fabs(height - foot) > 1e-3 * foot; ++i) {
        double slope = (height - last_height) / (y - last);
        if (!(slope > 0.1)) return fabs(height - foot) < 1e-13; /* grazes, or nothing left to gain */
        last = y, last_height = height;
        y -= (height - foot) / slope;
        if (y == last) break;
        height = height_over(w, g, v3_mad(base, y, g->out));
    }
    *low = y;
    return isfinite(y) && !is_past_edge(w, g, v3_mad(base, y, g->out));
}

bool sn_cord_gate_stand(const snCordWrap *w, snCordGate *g)
{
    g->near = (snSurfaceHint){0};
    if (w->kind == SN_WRAP_SURFACE) sn_surface_closest(w->over->surface, g->at, &g->near);
    return stand(w, g, -g->half, &g->low[0]) && stand(w, g, g->half, &g->low[1]);
}

static v3 wall_point(const Gates *v, int32_t k, double y)
{
    const snCordGate *g = &v->w->gate[k];
    v3 x = v3_mad(v3_mad(g->at, v->side[k] * g->half, g->aside), y, g->out);
    return rigid_apply(v->pose[v->w->slot], x);
}

/* ---- ways between stops --------------------------------------------------------------------------- */

/* Which way about a cylinder a cord goes that passes the gate. */
static int32_t sense_of(const Gates *v, int32_t k)
{
    const snCordGate *g = &v->w->gate[k];
    double turn = v3_dot(v->w->axis, v3_cross(g->out, v3_cross(g->aside, g->out)));
    return v->w->kind != SN_WRAP_CYLINDER || fabs(turn) < 0.1 ? 0 : turn < 0 ? -1 : 1;
}

static int32_t neighbour(const Gates *v, int32_t k, int32_t step)
{
    do k += step;
    while (k >= 0 && k < v->w->ngate && v->side[k] == 0);
    return k;
}

static v3 place_of(const Gates *v, int32_t k)
{
    return k < 0 ? v->end[0] : k >= v->w->ngate ? v->end[1] : v->stop[k];
}

/* Where the way between two places is over a surface, as seen from within: gates are passed forwards, so that it is
 * behind the gate where it ends and ahead of the one where it begins. */
static v3 side_between(const Gates *v, int32_t from, int32_t to)
{
    v3 side = {0, 0, 0};
    for (int e = 0; e < 2; ++e) {
        int32_t k = e ? to : from;
        if (k < 0 || k >= v->w->ngate) continue;
        const snCordGate *g = &v->w->gate[k];
        side = v3_add(side, v3_mad(g->out, e ? -1 : 1, v3_cross(g->aside, g->out)));
    }
    return v3_len(side) > 0.1 ? v3_unit(side) : v->w->over->side;
}

static bool same(v3 a, v3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static const Piece *piece_between(Gates *v, int32_t from, int32_t to)
{
    bool whole = from < 0 && to >= v->w->ngate;
    Piece *p = &v->piece[from + 1];
    v3 a = place_of(v, from), b = place_of(v, to);
    if (p->known && same(p->from, a) && same(p->to, b)) return p;
    p->known = true, p->from = a, p->to = b;
    if (v->w->kind == SN_WRAP_SURFACE) {
        snGeodesicWrap over = *v->w->over;
        if (!whole) {
            over.side = side_between(v, from, to), over.direct = true;
            over.start = v->w->gate[from < 0 ? to : from].near;
        }
        p->arc = path_find_arc_on_surface(&over, v->pose[v->w->slot], a, b, p->row);
    } else {
        int32_t sense = whole ? 0 : sense_of(v, from < 0 ? to : from);
        p->arc = path_find_arc(v->c, v->pose, v->wrap, sense, a, b);
    }
    return p;
}

/* How the directions differ before and behind a stop: dl/dx. */
static v3 pull_at(Gates *v, int32_t k)
{
    const Piece *in = piece_between(v, neighbour(v, k, -1), k), *out = piece_between(v, k, neighbour(v, k, 1));
    return v3_sub(in->arc.lead[1], out->arc.lead[0]);
}

/* A root between a and b, f(a) < 0 < f(b): regula falsi that halves the value of an end that stays. */
typedef struct {
    double a, fa, b, fb;
    int stayed; /* -1: b stayed last, 1: a did */
} Bracket;

static double bracket_guess(const Bracket *k)
{
    return (k->a * k->fb - k->b * k->fa) / (k->fb - k->fa);
}

static void bracket_narrow(Bracket *k, double c, double f)
{
    if (f < 0) {
        k->a = c, k->fa = f;
        if (k->stayed < 0) k->fb *= 0.5;
        k->stayed = -1;
    } else {
        k->b = c, k->fb = f;
        if (k->stayed > 0) k->fa *= 0.5;
        k->stayed = 1;
    }
}

/* ---- heights of stops ------------------------------------------------------------------------------ */

/* dl/dy with the stop at low + root^2: over an arc the length grows with the power 3/2 of the height. */
static double rise(Gates *v, int32_t k, double low, double root)
{
    v->stop[k] = wall_point(v, k, low + root * root);
    return v3_dot(pull_at(v, k), q_rotate(v->pose[v->w->slot].q, v->w->gate[k].out));
}

/* The shortest way along the wall. */
static void find_height(Gates *v, int32_t k)
{
    double low = v->w->gate[k].low[v->side[k] > 0], far = sqrt(v3_dist(v->end[0], v->end[1]));
    bool on = v->w->kind == SN_WRAP_SURFACE; /* a surface of any shape, whose directions are known less well */
    double least = on ? 1e-12 : 1e-15;
    Bracket r = {.fa = rise(v, k, low, 0), .b = 0.05 * far};
    if (!(r.fa < (on ? -LEVEL : 0))) return;
    for (r.fb = rise(v, k, low, r.b); r.fb < 0 && r.b < 4 * far; r.fb = rise(v, k, low, r.b))
        r.a = r.b, r.fa = r.fb, r.b *= 2;
    for (int i = 0; i < (on ? 40 : 100) && r.fb > 0 && r.b - r.a > (on ? 1e-13 : 1e-15) * far; ++i) {
        double c = bracket_guess(&r);
        if (!(c > r.a && c < r.b)) c = 0.5 * (r.a + r.b);
        double f = rise(v, k, low, c);
        if (f == 0 || c == r.a || c == r.b) return;
        bracket_narrow(&r, c, f);
        if (fabs(f) < least) return;
    }
}

/* Each stop in turn between its neighbours until none moves: mostly they stand on the wrap and do not. */
static void settle(Gates *v)
{
    bool on = v->w->kind == SN_WRAP_SURFACE;
    double moved = INFINITY, still = on ? TOUCH_ON : TOUCH;
    int32_t count = 0, most = on ? SWEEPS_ON : SWEEPS;
    for (int32_t k = 0; k < v->w->ngate; ++k) count += v->side[k] != 0;
    for (int sweep = 0; sweep < (count > 1 ? most : 1) && moved > still; ++sweep) {
        moved = 0;
        for (int32_t k = 0; k < v->w->ngate; ++k) {
            if (v->side[k] == 0) continue;
            v3 before = v->stop[k];
            find_height(v, k);
            moved = fmax(moved, v3_dist(before, v->stop[k]));
        }
    }
}

/* ---- where a way crosses a gate --------------------------------------------------------------------- */

typedef struct Crossing {
    const Gates *v;
    const Piece *piece;
    v3 at, along; /* world */
} Crossing;

/* A place of a row, 0 .. 1: the polynomial through the six points about it. */
static v3 row_point(const v3 *row, double part)
{
    enum { POINTS = 6 };
    double at = part * (SN_GEODESIC_ROW - 1);
    int first = (int)at - POINTS / 2 + 1;
    if (first < 0) first = 0;
    if (first > SN_GEODESIC_ROW - POINTS) first = SN_GEODESIC_ROW - POINTS;
    v3 sum = {0, 0, 0};
    for (int i = first; i < first + POINTS; ++i) {
        double weight = 1;
        for (int k = first; k < first + POINTS; ++k)
            if (k != i) weight *= (at - k) / (i - k);
        sum = v3_mad(sum, weight, row[i]);
    }
    return sum;
}

/* The way as a line over 0 .. 3: straight, the arc, straight. */
static v3 way_point(const Crossing *x, double part)
{
    const Piece *p = x->piece;
    const pathArc *arc = &p->arc;
    if (!arc->touches) return v3_lerp(p->from, p->to, part / 3);
    bool row = x->v->w->kind == SN_WRAP_SURFACE;
    if (part <= 1) return v3_lerp(p->from, row ? p->row[0] : arc->on[0], part);
    if (part >= 2) return v3_lerp(row ? p->row[SN_GEODESIC_ROW - 1] : arc->on[1], p->to, part - 2);
    if (row) return row_point(p->row, part - 1);
    snCordNode a = {.p = arc->on[0], .t = arc->lead[0], .length = arc->length, .wrap = x->v->wrap, .arc = true};
    snCordNode b = {.p = arc->on[1], .t = arc->lead[1]};
    return path_arc_point(x->v->c, x->v->pose, &a, &b, part - 1).p;
}

static double beyond(const Crossing *x, double part)
{
    return v3_dot(x->along, v3_sub(way_point(x, part), x->at));
}

/* The root between two parts of the way on different sides of the plane. */
static double cross_between(const Crossing *x, double a, double fa, double b, double fb)
{
    Bracket r = {.a = a, .fa = fa, .b = b, .fb = fb};
    double c = b;
    for (int i = 0; i < 60 && r.b - r.a > 1e-16; ++i) {
        c = bracket_guess(&r);
        double f = beyond(x, c);
        if (f == 0 || c == r.a || c == r.b) break;
        bracket_narrow(&r, c, f);
    }
    return c;
}

/* How far aside the way passes the gate, going forwards, and how high over the feet of the walls; false where it does
 * not. */
static bool crosses(const Gates *v, int32_t k, const Piece *piece, double *aside, double *up)
{
    const snCordGate *g = &v->w->gate[k];
    rigid pose = v->pose[v->w->slot];
    Crossing x = {.v = v, .piece = piece, .at = rigid_apply(pose, g->at)};
    x.along = q_rotate(pose.q, v3_cross(g->aside, g->out));
    double a = 0, fa = beyond(&x, 0);
    for (int i = 0; i < ARC_PARTS + 2; ++i) {
        double b = i == 0 ? 1 : i == ARC_PARTS + 1 ? 3 : 1 + 1.0 * i / ARC_PARTS, fb = beyond(&x, b);
        if (fa < 0 && fb >= 0) {
            v3 at = v3_sub(way_point(&x, cross_between(&x, a, fa, b, fb)), x.at);
            *aside = v3_dot(q_rotate(pose.q, g->aside), at);
            *up = v3_dot(q_rotate(pose.q, g->out), at) - fmin(g->low[0], g->low[1]);
            return true;
        }
        a = b, fa = fb;
    }
    return false;
}

/* ---- which gates are leant on ------------------------------------------------------------------------ */

/* How far outside its walls a way passes a gate (< 0: between them). One that passes below, on the other side of the
 * wrap, would have to go over its nearer wall. */
static double outside(const Gates *v, int32_t k, double aside, double up)
{
    double out = fabs(aside) - v->w->gate[k].half;
    return up < -BELOW * size_of(v->w) ? fmax(out, -up) : out;
}

/* Adds the gate that the way passes furthest outside. On a surface the place of a way is known less well than its
 * directions, so that gates in doubt are added too, and given up by these. */
static bool add_stop(Gates *v)
{
    int32_t from = -1, best = -1, n = v->w->ngate;
    double most = v->w->kind == SN_WRAP_SURFACE ? -DOUBT * size_of(v->w) : TOUCH, sign = 0;
    for (int32_t to = neighbour(v, -1, 1); from < n; from = to, to = to < n ? neighbour(v, to, 1) : n) {
        if (to - from > 1) {
            const Piece *piece = piece_between(v, from, to);
            for (int32_t k = from + 1; k < to; ++k) {
                double aside, up;
                if (v->given_up[k] || !crosses(v, k, piece, &aside, &up)) continue;
                double out = outside(v, k, aside, up);
                if (out > most) most = out, best = k, sign = aside;
            }
        }
        if (to >= n) break;
    }
    if (best < 0) return false;
    v->side[best] = sign < 0 ? -1 : 1;
    v->stop[best] = wall_point(v, best, v->w->gate[best].low[sign > 0]);
    return true;
}

/* Gives up a stop at which the cord is pulled away from its wall. */
static bool drop_stop(Gates *v)
{
    for (int32_t k = 0; k < v->w->ngate; ++k) {
        if (v->side[k] == 0) continue;
        v3 aside = q_rotate(v->pose[v->w->slot].q, v->w->gate[k].aside);
        if (v->side[k] * v3_dot(pull_at(v, k), aside) <= 0) continue;
        v->side[k] = 0, v->given_up[k] = true;
        return true;
    }
    return false;
}

static void find_stops(Gates *v)
{
    for (int i = 0; i < ROUNDS; ++i) {
        bool changed = add_stop(v);
        if (changed) settle(v);
        while (drop_stop(v)) settle(v), changed = true;
        if (!changed) break;
    }
}

void path_find_way(const snCord *c, const rigid *pose, int32_t wrap, v3 a, v3 b, pathWay *way)
{
    if (c->wrap[wrap].ngate == 0) {
        way->n = 1, way->arc[0] = path_find_arc(c, pose, wrap, 0, a, b);
        return;
    }
    Gates v = {.c = c, .pose = pose, .wrap = wrap, .w = &c->wrap[wrap], .end = {a, b}};
    find_stops(&v);
    way->n = 0;
    for (int32_t from = -1, to; from < v.w->ngate; from = to) {
        to = neighbour(&v, from, 1);
        way->arc[way->n] = piece_between(&v, from, to)->arc;
        if (to >= v.w->ngate) break;
        way->stop[way->n] = v.stop[to], way->gate[way->n] = to;
        ++way->n;
    }
    ++way->n;
}

bool sn_cord_passes_gate(const snCord *c, const rigid *pose, int32_t wrap, int32_t gate, v3 a, v3 b)
{
    Gates v = {.c = c, .pose = pose, .wrap = wrap, .w = &c->wrap[wrap], .end = {a, b}};
    double aside, up;
    find_stops(&v);
    if (v.side[gate] != 0) return true;
    return crosses(&v, gate, piece_between(&v, neighbour(&v, gate, -1), neighbour(&v, gate, 1)), &aside, &up);
}
