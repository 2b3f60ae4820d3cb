#include "path/geodesic.h"

#include "path/band.h"
#include "path/section.h"

#include <math.h>
#include <string.h>

_Static_assert(SN_GEODESIC_ROW == PATH_BAND + 1, "a row as long as its equations");
enum { N = PATH_BAND, LIFTS = 9, ROUNDS = 40, HALVINGS = 14 };
static const double SHALLOW = 0.02;   /* of the reach: whether a surface stands higher over the line is not in doubt */
static const double NEARLY = 1e-5;    /* squares of angles: left where a curve ceases to exist */
static const double SHORTEST = 1e-12; /* m: no arc is shorter */
static const double BESIDE = 3e-3;    /* of the reach: an end that stands lower over the surface is beside it */
static const double ON = 1e-7;        /* of the reach: and one that stands lower still is on it */

typedef struct Row { /* points on the surface and what is known there */
    snSurfaceSpot at[N + 1];
    snSurfaceHint hint[N + 1];
    v3 p[N + 1], q[N + 1]; /* tangents */
} Row;

typedef struct Solve {
    const snGeodesicWrap *w;
    v3 end[2]; /* a and b */
    double scale, off;
    bool nearly;    /* on the point of slipping: there is no curve any more, but nearly */
    bool pinned[2]; /* that end of the row stays below its point: no straight piece, no equations */
    Row row;
} Solve;

/* ---- points ------------------------------------------------------------------------------------- */

static void put_point(Solve *v, Row *row, int i, v3 x)
{
    row->at[i] = sn_surface_spot(v->w->surface, v->w->offset, x, &row->hint[i]);
    row->p[i] = v3_perp(row->at[i].normal);
    row->q[i] = v3_cross(row->at[i].normal, row->p[i]);
}

static pathBlock along(const Row *row, int i, v3 first, v3 second)
{
    return (pathBlock){
        {v3_dot(first, row->p[i]), v3_dot(first, row->q[i]), v3_dot(second, row->p[i]), v3_dot(second, row->q[i])}};
}

/* ---- equations ---------------------------------------------------------------------------------- */

/* What the two equations at an end are and how they change: with its own point, the next one and the given point. */
typedef struct End {
    double r[2];
    v3 own[2], next[2], given[2];
} End;

static v3 without(v3 x, v3 unit)
{
    return v3_mad(x, -v3_dot(x, unit), unit);
}

static End end_equations(const Solve *v, const Row *row, int side)
{
    int i = side ? N : 0, j = side ? N - 1 : 1;
    const snSurfaceSpot *s = &row->at[i];
    if (v->pinned[side]) return (End){.own = {row->p[i], row->q[i]}, .given = {v3_neg(row->p[i]), v3_neg(row->q[i])}};
    v3 n = s->normal, away = v3_sub(v->end[side], s->point), chord = v3_sub(row->at[j].point, s->point);
    double far = v3_len(away), step = fmax(v3_len(chord), 1e-300);
    v3 e = v3_scale(away, 1 / far), d = v3_scale(chord, 1 / step), c = v3_cross(d, e);
    v3 turn = v3_scale(without(v3_cross(n, d), e), 1 / far), level = v3_scale(without(n, e), 1 / far);
    End end = {.r = {v3_dot(n, e), v3_dot(n, c)}};
    end.given[0] = level, end.given[1] = turn;
    end.own[0] = v3_sub(m3_mulv(&s->bend, e), level);
    end.next[1] = v3_scale(without(v3_cross(e, n), d), 1 / step);
    end.own[1] = v3_sub(v3_sub(m3_mulv(&s->bend, c), end.next[1]), turn);
    return end;
}

static void inner_equations(const Solve *v, const Row *row, int i, pathBand *y)
{
    const snSurfaceSpot *s = &row->at[i];
    v3 bow = v3_sub(v3_add(row->at[i - 1].point, row->at[i + 1].point), v3_scale(s->point, 2));
    double k = v->scale, dip = v3_dot(bow, s->normal);
    v3 own[2] = {row->p[i], row->q[i]};
    y->r[i][0] = k * v3_dot(bow, own[0]), y->r[i][1] = k * v3_dot(bow, own[1]);
    y->lower[i] = along(row, i - 1, v3_scale(own[0], k), v3_scale(own[1], k));
    y->upper[i] = along(row, i + 1, v3_scale(own[0], k), v3_scale(own[1], k));
    for (int e = 0; e < 2; ++e) own[e] = v3_scale(v3_mad(v3_scale(own[e], 2), dip, m3_mulv(&s->bend, own[e])), -k);
    y->middle[i] = along(row, i, own[0], own[1]);
}

static double set_up(const Solve *v, const Row *row, pathBand *y)
{
    double sum = 0;
    memset(y, 0, sizeof *y);
    for (int side = 0; side < 2; ++side) {
        int i = side ? N : 0, j = side ? N - 1 : 1;
        End end = end_equations(v, row, side);
        y->middle[i] = along(row, i, end.own[0], end.own[1]);
        *(side ? &y->lower[i] : &y->upper[i]) = along(row, j, end.next[0], end.next[1]);
        y->r[i][0] = end.r[0], y->r[i][1] = end.r[1];
    }
    for (int i = 1; i < N; ++i) inner_equations(v, row, i, y);
    for (int i = 0; i <= N; ++i) sum += y->r[i][0] * y->r[i][0] + y->r[i][1] * y->r[i][1];
    return sum;
}

/* ---- Newton's method ----------------------------------------------------------------------------- */

static double spacing_of(const Row *row)
{
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += v3_dist(row->at[i].point, row->at[i + 1].point);
    return sum / N;
}

/* The row moved by part of a step. */
static void moved(Solve *v, const pathBand *step, double part, Row *to)
{
    for (int i = 0; i <= N; ++i) {
        v3 x = v3_mad(v->row.at[i].point, -part * step->r[i][0], v->row.p[i]);
        to->hint[i] = v->row.hint[i];
        put_point(v, to, i, v3_mad(x, -part * step->r[i][1], v->row.q[i]));
    }
}

/* No point goes further at once than a third of the radius of the surface there, or of the row's length. */
static double longest_part(const Solve *v, const pathBand *step)
{
    double part = 1, length = N * spacing_of(&v->row);
    for (int i = 0; i <= N; ++i) {
        double bend = 0, go = hypot(step->r[i][0], step->r[i][1]);
        for (int e = 0; e < 9; ++e) bend += v->row.at[i].bend.m[e] * v->row.at[i].bend.m[e];
        double room = 0.35 / sqrt(bend + 1 / (v->w->reach * v->w->reach));
        part = fmin(part, fmin(room, fmax(length, 0.01 * room)) / go);
    }
    return part;
}

static bool is_sound(const Row *row)
{
    for (int i = 0; i <= N; ++i)
        if (!isfinite(v3_len2(row->at[i].point))) return false;
    return true;
}

static bool newton(Solve *v, int32_t *rounds, int *sign)
{
    pathBand y;
    for (*rounds = 0; *rounds < ROUNDS; ++*rounds) {
        v->scale = 1 / fmax(spacing_of(&v->row), SHORTEST / N);
        double off = v->off = set_up(v, &v->row, &y), most = 0;
        if (!isfinite(off)) return false;
        if (!path_band_solve(&y, sign)) return false;
        for (int i = 0; i <= N; ++i) most = fmax(most, hypot(y.r[i][0], y.r[i][1]));
        if (!isfinite(most)) return false;
        double part = longest_part(v, &y), next = INFINITY;
        Row to;
        for (int i = 0; i < HALVINGS; ++i, part *= 0.5) {
            pathBand z;
            moved(v, &y, part, &to);
            next = is_sound(&to) ? set_up(v, &to, &z) : INFINITY;
            if (next < off) break;
        }
        bool close = off < 1e-20; /* angles below 1e-10: what is left is rounding */
        if (next < off) v->row = to, v->off = next;
        if (close && (!(next < 0.25 * off) || most < 1e-15 * v->w->reach)) return true;
        if (!(next < off)) return close;
    }
    return false;
}

/* ---- start from the taut string ------------------------------------------------------------------ */

/* A string with one corner touches over its turn times the surface's radius there. */
static void spread(Solve *v, v3 corner)
{
    snSurfaceHint hint = v->w->start;
    snSurfaceSpot s = sn_surface_spot(v->w->surface, v->w->offset, corner, &hint);
    v3 in = v3_unit(v3_sub(s.point, v->end[0])), out = v3_unit(v3_sub(v->end[1], s.point));
    v3 t = v3_unit(without(v3_add(in, out), s.normal));
    double turn = atan2(v3_len(v3_cross(in, out)), v3_dot(in, out)), bend = v3_dot(t, m3_mulv(&s.bend, t));
    double length = fmax(turn / fmax(bend, 1 / v->w->reach), 1e-7 * v->w->reach);
    for (int i = 0; i <= N; ++i) {
        v->row.hint[i] = hint;
        put_point(v, &v->row, i, v3_mad(s.point, length * (1.0 * i / N - 0.5), t));
    }
}

/* Points evenly along the string between two of its corners. */
static void lay_out(Solve *v, const pathSection *s, int from, int to)
{
    double whole = 0, before = 0;
    snSurfaceHint hint = v->w->start;
    int k = from;
    for (int i = from; i < to; ++i) whole += v3_dist(s->place[i], s->place[i + 1]);
    for (int i = 0; i <= N; ++i) {
        double at = whole * i / N, piece = v3_dist(s->place[k], s->place[k + 1]);
        while (k + 1 < to && at > before + piece) {
            before += piece, ++k;
            piece = v3_dist(s->place[k], s->place[k + 1]);
        }
        v->row.hint[i] = hint;
        put_point(v, &v->row, i,
                  path_section_point(s, v3_lerp(s->place[k], s->place[k + 1], fmin((at - before) / piece, 1))));
        hint = v->row.hint[i];
    }
}

/* ---- what it means ------------------------------------------------------------------------------- */

/* Sum of chords over every k-th point, times a weight; and its gradient by the points. */
static double chords(const Row *row, int k, double weight, v3 *by)
{
    double sum = 0;
    for (int i = 0; i < N; i += k) {
        v3 d = v3_sub(row->at[i + k].point, row->at[i].point);
        double length = fmax(v3_len(d), 1e-300);
        sum += weight * length;
        by[i] = v3_mad(by[i], -weight / length, d);
        by[i + k] = v3_mad(by[i + k], weight / length, d);
    }
    return sum;
}

/* Direction of the straight piece at an end, outwards. */
static v3 straight_way(const Solve *v, int side)
{
    if (v->pinned[side]) return v3_of(0, 0, 0);
    return v3_unit(v3_sub(v->end[side], v->row.at[side ? N : 0].point));
}

static void find_gradient(Solve *v, snGeodesic *g, const v3 *by)
{
    pathBand y, z;
    set_up(v, &v->row, &y);
    path_band_transpose(&y, &z);
    for (int i = 0; i <= N; ++i) z.r[i][0] = v3_dot(by[i], v->row.p[i]), z.r[i][1] = v3_dot(by[i], v->row.q[i]);
    int sign;
    bool solved = !v->nearly && path_band_solve(&z, &sign);
    for (int side = 0; side < 2; ++side) {
        End end = end_equations(v, &v->row, side);
        v3 *to = side ? &g->by_b : &g->by_a;
        *to = straight_way(v, side);
        for (int e = 0; e < 2 && solved; ++e) *to = v3_mad(*to, -z.r[side ? N : 0][e], end.given[e]);
    }
}

static void measure(Solve *v, snGeodesic *g)
{
    v3 by[N + 1] = {{0, 0, 0}};
    Row *row = &v->row;
    g->on[0] = row->at[0].point, g->on[1] = row->at[N].point;
    g->arc = chords(row, 1, 64.0 / 45, by) + chords(row, 2, -20.0 / 45, by) + chords(row, 4, 1.0 / 45, by);
    double length = g->arc;
    for (int side = 0; side < 2; ++side) {
        v3 *last = &by[side ? N : 0];
        *last = v3_sub(*last, straight_way(v, side));
        if (!v->pinned[side]) length += v3_dist(v->end[side], g->on[side]);
    }
    find_gradient(v, g, by);
    for (int side = 0; side < 2; ++side) { /* onto the line along which it pulls */
        v3 way = side ? g->by_b : g->by_a, in = v3_sub(g->on[side], v->end[side]);
        g->on[side] = v3_mad(v->end[side], v3_dot(in, way) / v3_len2(way), way);
    }
    g->arc = fmax(0, length - v3_dist(v->end[0], g->on[0]) - v3_dist(g->on[1], v->end[1]));
    double deep = 0;
    for (int i = 1; i < N; ++i) {
        v3 bow = v3_sub(v3_lerp(row->at[i - 1].point, row->at[i + 1].point, 0.5), row->at[i].point);
        deep = fmax(0, deep + v3_dot(bow, row->at[i].normal));
        g->hollow = fmax(g->hollow, deep);
    }
}

/* The row runs from a to b, leaves no edge, and the surface bends towards the straight pieces. */
static snGeodesicState judge(const Solve *v, bool solved)
{
    const Row *row = &v->row;
    for (int i = 0; i <= N; ++i)
        if (row->at[i].edge) return SN_GEODESIC_EDGE;
    for (int side = 0; side < 2 && solved; ++side) {
        const snSurfaceSpot *s = &row->at[side ? N : 0];
        if (v->pinned[side]) continue;
        v3 away = v3_sub(v->end[side], s->point), chord = v3_sub(row->at[side ? N - 1 : 1].point, s->point);
        if (v3_dot(away, chord) > 0 || v3_dot(away, m3_mulv(&s->bend, away)) < 0) return SN_GEODESIC_ROUGH;
    }
    return solved ? SN_GEODESIC_SOLVED : SN_GEODESIC_ROUGH;
}

static void start(Solve *v, const pathSection *s, double deepest)
{
    if (s->n == 2)
        spread(v, v3_mad(s->from, deepest, s->along));
    else if (s->n == 3)
        spread(v, path_section_point(s, s->place[1]));
    else
        lay_out(v, s, 1, s->n - 2);
}

/* Along the taut string as it is. */
static void take_rough(Solve *v, snGeodesic *g)
{
    g->on[0] = v->row.at[0].point, g->on[1] = v->row.at[N].point;
    g->by_a = v3_unit(v3_sub(v->end[0], g->on[0])), g->by_b = v3_unit(v3_sub(v->end[1], g->on[1]));
    g->arc = N * spacing_of(&v->row);
}

/* How far before a pinned end the straight piece to its point is a tangent: by the height of the point and the bend. */
static double tangent_before(const Solve *v, int side, double height)
{
    const snSurfaceSpot *s = &v->row.at[side ? N : 0];
    v3 t = v3_unit(v3_sub(v->row.at[side ? N - 1 : 1].point, s->point));
    return sqrt(2 * height / fmax(v3_dot(t, m3_mulv(&s->bend, t)), 1e-3 / v->w->reach));
}

/* The row without a piece at both ends. */
static void cut(Solve *v, const double less[2])
{
    double apart = spacing_of(&v->row), whole = N * apart - less[0] - less[1];
    Row from = v->row;
    for (int i = 0; i <= N; ++i) {
        double at = (less[0] + whole * i / N) / apart;
        int k = (int)fmin(fmax(at, 0), N - 1);
        v->row.hint[i] = from.hint[k];
        put_point(v, &v->row, i, v3_lerp(from.at[k].point, from.at[k + 1].point, at - k));
    }
}

/* The row over a section that ends below the given points, where they are beside the surface. */
static bool pin(Solve *v, const pathSection *section, double deepest, double height[2])
{
    pathSection string = *section;
    snSurfaceHint hint[2];
    for (int e = 0; e < 2; ++e) {
        if (v3_dist(v->end[e], v->w->centre) > (1 + BESIDE) * v->w->reach + fabs(v->w->offset)) continue; /* far away */
        snSurfaceSpot s = sn_geodesic_spot(v->w, v->end[e], &hint[e]);
        height[e] = s.height;
        v->pinned[e] = height[e] >= 0 && v3_dist(s.point, v->end[e]) < BESIDE * v->w->reach;
    }
    if (!v->pinned[0] && !v->pinned[1]) return false;
    if (string.n == 2 && v->pinned[0] != v->pinned[1]) {
        string.place[2] = string.place[1], string.place[1] = v3_of(deepest, 0, 0);
        string.n = 3;
    }
    lay_out(v, &string, v->pinned[0] ? 0 : 1, v->pinned[1] ? string.n - 1 : string.n - 2);
    for (int e = 0; e < 2; ++e) {
        if (!v->pinned[e]) continue;
        v->row.hint[e ? N : 0] = hint[e];
        put_point(v, &v->row, e ? N : 0, v->end[e]);
    }
    return true;
}

/* Where an end is beside the surface, Newton's method easily finds the tangent behind it instead of the one before it.
 * So the row first ends below it, and from there is cut to where the tangent must be. The length from a point on the
 * surface is off by what the point is above it, to the power 3/2. */
static snGeodesicState attempt_beside(Solve *v, const pathSection *s, double deepest, int32_t *rounds, int *sign)
{
    double height[2], less[2] = {0, 0};
    if (!pin(v, s, deepest, height) || !newton(v, rounds, sign)) return SN_GEODESIC_ROUGH;
    bool off = false;
    for (int e = 0; e < 2; ++e) {
        if (!v->pinned[e] || height[e] < ON * v->w->reach) continue;
        less[e] = tangent_before(v, e, height[e]);
        v->pinned[e] = false, off = true;
    }
    if (less[0] + less[1] > 0.9 * N * spacing_of(&v->row)) return SN_GEODESIC_ROUGH;
    if (off) cut(v, less);
    return judge(v, !off || newton(v, rounds, sign));
}

/* From the string over a section. The determinant is negative where the curve is longer than its neighbours on both
 * sides: a strand would slip off there. */
static snGeodesicState attempt(Solve *v, const pathSection *s, double deepest, int32_t *rounds, int *sign)
{
    start(v, s, deepest);
    Row first = v->row;
    bool solved = newton(v, rounds, sign);
    if (!solved && v->off < NEARLY) solved = v->nearly = true;
    snGeodesicState state = judge(v, solved);
    if (state != SN_GEODESIC_SOLVED) v->row = first;
    return state;
}

/* The last resort: both ends raised so far that little is left to wrap over, then let down step by step. */
static snGeodesicState let_down(Solve *v, const pathSection *s, int32_t *rounds, int *sign)
{
    v3 end[2] = {v->end[0], v->end[1]};
    bool solved = true;
    for (int k = LIFTS - 1; k >= 0 && solved; --k) {
        v3 lift = v3_scale(s->up, 0.9 * s->highest * k / (LIFTS - 1));
        for (int e = 0; e < 2; ++e) v->end[e] = v3_add(end[e], lift);
        if (k == LIFTS - 1) {
            pathSection raised = *s;
            raised.from = v->end[0];
            path_section_string(v->w, &raised);
            if (raised.n < 3) return SN_GEODESIC_ROUGH;
            start(v, &raised, 0);
        }
        solved = newton(v, rounds, sign);
    }
    return judge(v, solved);
}

static bool is_better(snGeodesicState now, int now_sign, snGeodesicState before, int before_sign)
{
    if (now != SN_GEODESIC_SOLVED) return false;
    return before != SN_GEODESIC_SOLVED || now_sign > before_sign;
}

/* Where the first attempt fails, or finds a curve that would slip: the section beside it, then from above. A curve that
 * slips and finds no hold is straight, if nothing is in the way. */
static snGeodesicState solve(Solve *v, pathSection *s, double deepest, int32_t *rounds)
{
    int sign = 0, again = 0;
    Solve beside = *v;
    snGeodesicState state = attempt_beside(&beside, s, deepest, rounds, &sign);
    if (state == SN_GEODESIC_SOLVED && sign > 0) {
        *v = beside;
        return state;
    }
    state = attempt(v, s, deepest, rounds, &sign);
    if (state == SN_GEODESIC_SOLVED && (sign > 0 || s->n < 3)) return state;
    for (int way = 0; way < 2 && (state != SN_GEODESIC_SOLVED || sign < 0) && s->n > 2; ++way) {
        Solve other = *v;
        if (way == 0) path_section_slip(v->w, s);
        if (s->n < 3) break;
        snGeodesicState found =
            way == 0 ? attempt(&other, s, deepest, rounds, &again) : let_down(&other, s, rounds, &again);
        if (is_better(found, again, state, sign)) *v = other, state = found, sign = again;
    }
    bool held = state == SN_GEODESIC_EDGE || (state == SN_GEODESIC_SOLVED && sign > 0);
    return held || path_section_meets(v->w, s, &deepest) ? state : SN_GEODESIC_CLEAR;
}

/* A local search that has to go far round the surface may end where the distance is least only near by. */
static bool is_nearest(const snGeodesicWrap *w, const snSurfaceSpot *s, v3 x)
{
    return v3_dist(s->point, x) < 1.5 * fabs(s->height) + 1e-6 * w->reach;
}

snSurfaceSpot sn_geodesic_spot(const snGeodesicWrap *w, v3 x, snSurfaceHint *hint)
{
    *hint = w->start;
    snSurfaceSpot s = sn_surface_spot(w->surface, w->offset, x, hint);
    if (is_nearest(w, &s, x)) return s;
    v3 half_way = v3_unit(v3_add(w->side, v3_unit(v3_sub(x, w->centre))));
    *hint = w->start;
    sn_surface_spot(w->surface, w->offset, v3_mad(w->centre, 2 * w->reach, half_way), hint);
    s = sn_surface_spot(w->surface, w->offset, x, hint);
    if (is_nearest(w, &s, x)) return s;
    *hint = (snSurfaceHint){0};
    return sn_surface_spot(w->surface, w->offset, x, hint);
}

snGeodesic sn_geodesic_find(const snGeodesicWrap *w, v3 a, v3 b)
{
    Solve v = {.w = w, .end = {a, b}};
    snGeodesic g = {.state = SN_GEODESIC_CLEAR};
    snSurfaceHint hint;
    pathSection s;
    double deepest = 0;
    if (!path_section_find(w, a, b, &s)) return g;
    path_section_string(w, &s);
    if ((w->direct || (!s.deep && s.highest < SHALLOW * w->reach)) && !path_section_meets(w, &s, &deepest)) return g;
    g.state = solve(&v, &s, deepest, &g.rounds);
    for (int i = 0; i < 2 && g.state == SN_GEODESIC_ROUGH; ++i)
        if (sn_geodesic_spot(w, v.end[i], &hint).height < 0) g.state = SN_GEODESIC_CLEAR;
    if (g.state == SN_GEODESIC_SOLVED) {
        measure(&v, &g);
        if (v.nearly) g.state = SN_GEODESIC_SLIPS;
    } else if (g.state != SN_GEODESIC_CLEAR) {
        take_rough(&v, &g);
    }
    for (int i = 0; i <= N && g.state != SN_GEODESIC_CLEAR; ++i) g.row[i] = v.row.at[i].point;
    return g;
}

void sn_geodesic_prepare(snGeodesicWrap *w, v3 drawn)
{
    const snSurface *s = w->surface;
    v3 low = v3_neg(s->size), high = s->size;
    if (s->kind == SN_SURFACE_SPHERE) low = v3_of(-s->size.x, -s->size.x, -s->size.x), high = v3_neg(low);
    if (s->kind == SN_SURFACE_CYLINDER) low = v3_of(-s->size.x, -s->size.x, 0), high = v3_neg(low);
    if (s->kind == SN_SURFACE_DISTANCE) {
        const snDistance *f = s->distance;
        low = f->low;
        high = v3_mad(low, f->spacing, v3_of(f->n[0] - 1, f->n[1] - 1, f->n[2] - 1));
    }
    if (s->kind == SN_SURFACE_PATCH) {
        low = high = v3_load(s->point);
        for (int32_t i = 1; i < s->nu * s->nv; ++i) {
            v3 p = v3_load(s->point + 3 * i);
            low = v3_of(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = v3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
    }
    w->centre = rigid_apply(s->frame, v3_lerp(low, high, 0.5));
    w->reach = fmax(0.5 * v3_dist(low, high), 1e-9);
    w->start = (snSurfaceHint){0};
    sn_surface_closest(s, drawn, &w->start);
}
