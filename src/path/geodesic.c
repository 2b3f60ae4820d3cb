#include "path/geodesic.h"

#include "path/section.h"

#include <math.h>
#include <string.h>

enum { N = 16, LIFTS = 9, ROUNDS = 40, HALVINGS = 14 };
static const double SHALLOW = 0.02;   /* of the reach: whether a surface stands higher over the line is not in doubt */
static const double NEARLY = 1e-5;    /* squares of angles: left where a curve ceases to exist */
static const double SHORTEST = 1e-12; /* m: no arc is shorter */

typedef struct Row { /* points on the surface and what is known there */
    snSurfaceSpot at[N + 1];
    snSurfaceHint hint[N + 1];
    v3 p[N + 1], q[N + 1]; /* tangents */
} Row;

typedef struct Block { /* 2 x 2, by rows */
    double m[4];
} Block;

typedef struct System { /* lower[i] x_(i-1) + middle[i] x_i + upper[i] x_(i+1) = r[i] */
    Block lower[N + 1], middle[N + 1], upper[N + 1];
    double r[N + 1][2];
} System;

typedef struct Solve {
    const snGeodesicWrap *w;
    v3 end[2]; /* a and b */
    double scale, off;
    bool nearly; /* on the point of slipping: there is no curve any more, but nearly */
    Row row;
} Solve;

/* ---- points ------------------------------------------------------------------------------------- */

static void set_tangents(Row *row, int i)
{
    row->p[i] = v3_perp(row->at[i].normal);
    row->q[i] = v3_cross(row->at[i].normal, row->p[i]);
}

static void put_point(Solve *v, Row *row, int i, v3 x)
{
    row->at[i] = sn_surface_spot(v->w->surface, v->w->offset, x, &row->hint[i]);
    set_tangents(row, i);
}

static Block along(const Row *row, int i, v3 first, v3 second)
{
    return (Block){
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

static void inner_equations(const Solve *v, const Row *row, int i, System *y)
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

static double set_up(const Solve *v, const Row *row, System *y)
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

/* ---- 2 x 2 blocks along the row ------------------------------------------------------------------ */

static Block multiplied(const Block *a, const Block *b)
{
    const double *x = a->m, *y = b->m;
    return (Block){
        {x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2], x[2] * y[1] + x[3] * y[3]}};
}

static bool invert(Block *a)
{
    double *m = a->m, det = m[0] * m[3] - m[1] * m[2];
    if (!(fabs(det) > 1e-300) || !isfinite(det)) return false;
    *a = (Block){{m[3] / det, -m[1] / det, -m[2] / det, m[0] / det}};
    return true;
}

static void subtract_product(const Block *a, const double x[2], double to[2])
{
    to[0] -= a->m[0] * x[0] + a->m[1] * x[1];
    to[1] -= a->m[2] * x[0] + a->m[3] * x[1];
}

static void apply(const Block *a, double x[2])
{
    double first = a->m[0] * x[0] + a->m[1] * x[1];
    x[1] = a->m[2] * x[0] + a->m[3] * x[1];
    x[0] = first;
}

/* r becomes the solution. *sign is that of the determinant. */
static bool eliminate(System *y, int *sign)
{
    *sign = 1;
    for (int i = 0; i <= N; ++i) {
        if (i > 0) {
            Block part = multiplied(&y->lower[i], &y->upper[i - 1]);
            for (int e = 0; e < 4; ++e) y->middle[i].m[e] -= part.m[e];
            subtract_product(&y->lower[i], y->r[i - 1], y->r[i]);
        }
        if (y->middle[i].m[0] * y->middle[i].m[3] < y->middle[i].m[1] * y->middle[i].m[2]) *sign = -*sign;
        if (!invert(&y->middle[i])) return false;
        apply(&y->middle[i], y->r[i]);
        y->upper[i] = multiplied(&y->middle[i], &y->upper[i]);
    }
    for (int i = N - 1; i >= 0; --i) subtract_product(&y->upper[i], y->r[i + 1], y->r[i]);
    return true;
}

static Block transposed(const Block *a)
{
    return (Block){{a->m[0], a->m[2], a->m[1], a->m[3]}};
}

static void transpose(const System *y, System *to)
{
    memset(to, 0, sizeof *to);
    for (int i = 0; i <= N; ++i) {
        to->middle[i] = transposed(&y->middle[i]);
        if (i > 0) to->lower[i] = transposed(&y->upper[i - 1]);
        if (i < N) to->upper[i] = transposed(&y->lower[i + 1]);
    }
}

/* ---- Newton's method ----------------------------------------------------------------------------- */

static double spacing_of(const Row *row)
{
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += v3_dist(row->at[i].point, row->at[i + 1].point);
    return sum / N;
}

/* The row moved by part of a step. */
static void moved(Solve *v, const System *step, double part, Row *to)
{
    for (int i = 0; i <= N; ++i) {
        v3 x = v3_mad(v->row.at[i].point, -part * step->r[i][0], v->row.p[i]);
        to->hint[i] = v->row.hint[i];
        put_point(v, to, i, v3_mad(x, -part * step->r[i][1], v->row.q[i]));
    }
}

/* No point goes further at once than a third of the radius of the surface there, or of the row's length. */
static double longest_part(const Solve *v, const System *step)
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
    System y;
    for (*rounds = 0; *rounds < ROUNDS; ++*rounds) {
        v->scale = 1 / fmax(spacing_of(&v->row), SHORTEST / N);
        double off = v->off = set_up(v, &v->row, &y), most = 0;
        if (!isfinite(off)) return false;
        if (!eliminate(&y, sign)) return false;
        for (int i = 0; i <= N; ++i) most = fmax(most, hypot(y.r[i][0], y.r[i][1]));
        if (!isfinite(most)) return false;
        double part = longest_part(v, &y), next = INFINITY;
        Row to;
        for (int i = 0; i < HALVINGS; ++i, part *= 0.5) {
            System z;
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

/* Points evenly along the string between its first and its last corner. */
static void lay_out(Solve *v, const pathSection *s)
{
    double whole = 0, before = 0;
    snSurfaceHint hint = v->w->start;
    int k = 1;
    for (int i = 1; i + 2 < s->n; ++i) whole += v3_dist(s->place[i], s->place[i + 1]);
    for (int i = 0; i <= N; ++i) {
        double at = whole * i / N, piece = v3_dist(s->place[k], s->place[k + 1]);
        while (k + 3 < s->n && at > before + piece) {
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

static void find_gradient(Solve *v, snGeodesic *g, const v3 *by)
{
    System y, z;
    set_up(v, &v->row, &y);
    transpose(&y, &z);
    for (int i = 0; i <= N; ++i) z.r[i][0] = v3_dot(by[i], v->row.p[i]), z.r[i][1] = v3_dot(by[i], v->row.q[i]);
    int sign;
    bool solved = !v->nearly && eliminate(&z, &sign);
    for (int side = 0; side < 2; ++side) {
        End end = end_equations(v, &v->row, side);
        v3 *to = side ? &g->by_b : &g->by_a;
        *to = v3_unit(v3_sub(v->end[side], g->on[side]));
        for (int e = 0; e < 2 && solved; ++e) *to = v3_mad(*to, -z.r[side ? N : 0][e], end.given[e]);
    }
}

static void measure(Solve *v, snGeodesic *g)
{
    v3 by[N + 1] = {{0, 0, 0}};
    Row *row = &v->row;
    g->on[0] = row->at[0].point, g->on[1] = row->at[N].point;
    g->arc = chords(row, 1, 64.0 / 45, by) + chords(row, 2, -20.0 / 45, by) + chords(row, 4, 1.0 / 45, by);
    by[0] = v3_sub(by[0], v3_unit(v3_sub(v->end[0], g->on[0])));
    by[N] = v3_sub(by[N], v3_unit(v3_sub(v->end[1], g->on[1])));
    double length = v3_dist(v->end[0], g->on[0]) + g->arc + v3_dist(g->on[1], v->end[1]);
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
        lay_out(v, s);
}

/* Along the taut string as it is. */
static void take_rough(Solve *v, snGeodesic *g)
{
    g->on[0] = v->row.at[0].point, g->on[1] = v->row.at[N].point;
    g->by_a = v3_unit(v3_sub(v->end[0], g->on[0])), g->by_b = v3_unit(v3_sub(v->end[1], g->on[1]));
    g->arc = N * spacing_of(&v->row);
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
    snGeodesicState state = attempt(v, s, deepest, rounds, &sign);
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

snGeodesic sn_geodesic_find(const snGeodesicWrap *w, v3 a, v3 b)
{
    Solve v = {.w = w, .end = {a, b}};
    snGeodesic g = {.state = SN_GEODESIC_CLEAR};
    pathSection s;
    double deepest = 0;
    if (!path_section_find(w, a, b, &s)) return g;
    path_section_string(w, &s);
    if (!s.deep && s.highest < SHALLOW * w->reach && !path_section_meets(w, &s, &deepest)) return g;
    g.state = solve(&v, &s, deepest, &g.rounds);
    if (g.state == SN_GEODESIC_SOLVED) {
        measure(&v, &g);
        if (v.nearly) g.state = SN_GEODESIC_SLIPS;
    } else if (g.state != SN_GEODESIC_CLEAR) {
        take_rough(&v, &g);
    }
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
