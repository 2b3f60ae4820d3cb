/* Gates: walls that stand on a wrap and confine a cord sideways.
 *
 * The way from a to b over the wrap is the shortest one that crosses the plane of every gate between its walls. Where
 * it would cross outside, it leans on a wall: it stops at x = at + side half aside + y out, and dl/dy = (arriving -
 * leaving direction at x) . out = 0,   or > 0 at the foot of the wall, on the wrap since the length is least. By the
 * envelope theorem its gradient is then that of the straight pieces with the stop carried by the body, whether it leans
 * or not, so that forces have a potential and change continuously as the cord comes to touch a wall or leaves it. Walls
 * are smooth and have no top: a cord that is lifted off the wrap stays between them, as the point of a spline does.
 *
 * Which walls are leant on is found by adding the gate that is passed furthest outside, one at a time; a stop that
 * would be pulled off its wall is given up. A way that does not cross a gate's plane (both ends on one side of it) is
 * not confined by it. */
#include "path/internal.h"

#include <math.h>

static const double FOOT = 1e-10;  /* of the radius: a wall begins so much above the wrap */
static const double BELOW = 0.02;  /* of the radius: a way that passes so far below the feet passes on the far side */
static const double TOUCH = 1e-13; /* m: no gate is passed that little outside */
enum { ARC_PARTS = 8, ROUNDS = 4 * SN_CORD_GATES, SWEEPS = 200, TRACES = 60 };

typedef struct Gates { /* one wrap with its gates, and what is leant on */
    const snCord *c;
    const rigid *pose;
    int32_t wrap;
    const snCordWrap *w;
    v3 end[2];
    int32_t side[SN_CORD_GATES]; /* -1, 1: the wall; 0: none */
    bool given_up[SN_CORD_GATES];
    v3 stop[SN_CORD_GATES];
} Gates;

/* ---- walls ---------------------------------------------------------------------------------------- */

static double height_over(const snCordWrap *w, v3 x)
{
    v3 r = v3_sub(x, w->centre);
    if (w->kind == SN_WRAP_CYLINDER) r = v3_mad(r, -v3_dot(r, w->axis), w->axis);
    return v3_len(r) - w->radius;
}

/* Down from far above, then the last bit by secants. */
static bool stand(const snCordWrap *w, const snCordGate *g, double aside, double *low)
{
    double size = w->radius, foot = FOOT * size;
    v3 base = v3_mad(g->at, aside, g->aside);
    double y = 2 * size, height = INFINITY;
    for (int i = 0; i < TRACES && y > -size; ++i) {
        height = height_over(w, v3_mad(base, y, g->out));
        if (height < 1e-3 * size) break;
        y -= height;
    }
    if (!(height < 1e-3 * size)) return false;
    double last = y + 1e-3 * size, last_height = height_over(w, v3_mad(base, last, g->out));
    for (int i = 0; i < TRACES && fabs(height - foot) > 1e-3 * foot; ++i) {
        double slope = (height - last_height) / (y - last);
        if (!(slope > 0.1)) return fabs(height - foot) < 1e-13; /* grazes, or nothing left to gain */
        last = y, last_height = height;
        y -= (height - foot) / slope;
        if (y == last) break;
        height = height_over(w, v3_mad(base, y, g->out));
    }
    *low = y;
    return isfinite(y);
}

bool sn_cord_gate_stand(const snCordWrap *w, snCordGate *g)
{
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

static pathArc arc_between(const Gates *v, int32_t from, int32_t to)
{
    bool whole = from < 0 && to >= v->w->ngate;
    int32_t sense = whole ? 0 : sense_of(v, from < 0 ? to : from);
    return path_find_arc(v->c, v->pose, v->wrap, sense, place_of(v, from), place_of(v, to));
}

/* How the directions differ before and behind a stop: dl/dx. */
static v3 pull_at(const Gates *v, int32_t k)
{
    pathArc in = arc_between(v, neighbour(v, k, -1), k), out = arc_between(v, k, neighbour(v, k, 1));
    return v3_sub(in.lead[1], out.lead[0]);
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
    Bracket r = {.fa = rise(v, k, low, 0), .b = 0.05 * far};
    if (!(r.fa < 0)) return;
    for (r.fb = rise(v, k, low, r.b); r.fb < 0 && r.b < 4 * far; r.fb = rise(v, k, low, r.b))
        r.a = r.b, r.fa = r.fb, r.b *= 2;
    for (int i = 0; i < 100 && r.fb > 0 && r.b - r.a > 1e-15 * far; ++i) {
        double c = bracket_guess(&r);
        if (!(c > r.a && c < r.b)) c = 0.5 * (r.a + r.b);
        double f = rise(v, k, low, c);
        if (f == 0 || c == r.a || c == r.b) return;
        bracket_narrow(&r, c, f);
        if (fabs(f) < 1e-15) return;
    }
}

/* Each stop in turn between its neighbours until none moves: mostly they stand on the wrap and do not. */
static void settle(Gates *v)
{
    double moved = INFINITY;
    int32_t count = 0;
    for (int32_t k = 0; k < v->w->ngate; ++k) count += v->side[k] != 0;
    for (int sweep = 0; sweep < (count > 1 ? SWEEPS : 1) && moved > TOUCH; ++sweep) {
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
    const snCordGate *gate;
    const pathArc *arc;
    v3 from, to;
    v3 at, along; /* world */
} Crossing;

/* The way as a line over 0 .. 3: straight, the arc, straight. */
static v3 way_point(const Crossing *x, double part)
{
    const pathArc *arc = x->arc;
    if (!arc->touches) return v3_lerp(x->from, x->to, part / 3);
    if (part <= 1) return v3_lerp(x->from, arc->on[0], part);
    if (part >= 2) return v3_lerp(arc->on[1], x->to, part - 2);
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
static bool crosses(const Gates *v, int32_t k, const pathArc *arc, v3 from, v3 to, double *aside, double *up)
{
    const snCordGate *g = &v->w->gate[k];
    rigid pose = v->pose[v->w->slot];
    Crossing x = {.v = v, .gate = g, .arc = arc, .from = from, .to = to, .at = rigid_apply(pose, g->at)};
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
    return up < -BELOW * v->w->radius ? fmax(out, -up) : out;
}

/* Adds the gate that the way passes furthest outside. */
static bool add_stop(Gates *v)
{
    int32_t from = -1, best = -1, n = v->w->ngate;
    double most = TOUCH, sign = 0;
    for (int32_t to = neighbour(v, -1, 1); from < n; from = to, to = to < n ? neighbour(v, to, 1) : n) {
        if (to - from > 1) {
            pathArc arc = arc_between(v, from, to);
            for (int32_t k = from + 1; k < to; ++k) {
                double aside, up;
                if (v->given_up[k] || !crosses(v, k, &arc, place_of(v, from), place_of(v, to), &aside, &up)) continue;
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

void path_find_way(const snCord *c, const rigid *pose, int32_t wrap, v3 a, v3 b, pathWay *way)
{
    if (c->wrap[wrap].ngate == 0) {
        way->n = 1, way->arc[0] = path_find_arc(c, pose, wrap, 0, a, b);
        return;
    }
    Gates v = {.c = c, .pose = pose, .wrap = wrap, .w = &c->wrap[wrap], .end = {a, b}};
    for (int i = 0; i < ROUNDS; ++i) {
        bool changed = add_stop(&v);
        if (changed) settle(&v);
        while (drop_stop(&v)) settle(&v), changed = true;
        if (!changed) break;
    }
    way->n = 0;
    for (int32_t from = -1, to; from < v.w->ngate; from = to) {
        to = neighbour(&v, from, 1);
        way->arc[way->n] = arc_between(&v, from, to);
        if (to >= v.w->ngate) break;
        way->stop[way->n] = v.stop[to], way->gate[way->n] = to;
        ++way->n;
    }
    ++way->n;
}

bool sn_cord_passes_gate(const snCord *c, const rigid *pose, int32_t wrap, int32_t gate, v3 a, v3 b)
{
    Gates v = {.c = c, .pose = pose, .wrap = wrap, .w = &c->wrap[wrap], .end = {a, b}};
    pathWay way;
    double aside, up;
    path_find_way(c, pose, wrap, a, b, &way);
    for (int32_t i = 0; i < way.n; ++i) {
        bool last = i + 1 == way.n;
        if (!last && way.gate[i] == gate) return true;
        if (!last && way.gate[i] < gate) continue;
        return crosses(&v, gate, &way.arc[i], i > 0 ? way.stop[i - 1] : a, last ? b : way.stop[i], &aside, &up);
    }
    return false;
}
