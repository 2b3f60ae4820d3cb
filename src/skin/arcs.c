/* Cubic B-splines as arcs. A piece [s0, s1] of a knot span is a cubic in t = (s - s0) / (s1 - s0); its coefficients
 * follow from the basis and its derivatives at s0, which depend on the knots only. */
#include "skin/arcs.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "math/spline.h"

#include <string.h>

/* Single precision: what rounding can do to a distance near a place, m. */
static double rounding(v3 a)
{
    return 2e-7 + 4e-7 * v3_len(a);
}

/* ---- cutting ---------------------------------------------------------------------------------- */

typedef struct {
    SN_ARRAY(double) matrix, s0, s1;
    SN_ARRAY(int32_t) point, strand;
    bool out_of_memory;
} Cut;

/* Rows c0 .. c3 over the four control points: Taylor's series at s0, the third derivative from the second's change. */
static void piece_matrix(const double *knot, int32_t n, int32_t span, double s0, double s1, double to[16])
{
    double b[4], d[4], dd[4], b1[4], d1[4], dd1[4], h = s1 - s0, inner = 1e-3 * h;
    /* both ends are taken from inside the span: at a knot the neighbour's pieces would answer */
    spline_basis(knot, n, s0 + inner, span, b, d, dd);
    spline_basis(knot, n, s1 - inner, span, b1, d1, dd1);
    for (int i = 0; i < 4; ++i) {
        double third = (dd1[i] - dd[i]) / (h - 2 * inner), second = dd[i] - third * inner;
        double first = d[i] - second * inner - 0.5 * third * inner * inner;
        double value = b[i] - first * inner - 0.5 * second * inner * inner - third * inner * inner * inner / 6;
        to[i] = value, to[4 + i] = first * h, to[8 + i] = 0.5 * second * h * h, to[12 + i] = third * h * h * h / 6;
    }
}

static void add_piece(Cut *cut, const double *knot, int32_t n, int32_t span, double s0, double s1, int32_t point,
                      int32_t strand)
{
    double low = knot[3], range = knot[n] - knot[3];
    if (!sn_array_reserve(&cut->matrix, 16) || !sn_array_push(&cut->s0, (s0 - low) / range) ||
        !sn_array_push(&cut->s1, (s1 - low) / range) || !sn_array_push(&cut->point, point) ||
        !sn_array_push(&cut->strand, strand)) {
        cut->out_of_memory = true;
        return;
    }
    piece_matrix(knot, n, span, s0, s1, cut->matrix.at + cut->matrix.count);
    cut->matrix.count += 16;
}

static void cut_strand(Cut *cut, const snSkinStrand *s, int32_t strand, int32_t first, double length)
{
    double *knot = SN_NEW_ARRAY(double, s->npoint + 4);
    if (!knot) {
        cut->out_of_memory = true;
        return;
    }
    if (s->knot)
        memcpy(knot, s->knot, sizeof(double) * (size_t)(s->npoint + 4));
    else
        spline_clamped_knots(knot, s->npoint);
    for (int32_t span = 0; span + 3 < s->npoint; ++span) {
        double from = knot[span + 3], to = knot[span + 4], way = 0;
        if (!(to > from)) continue;
        for (int i = 0; i < 3; ++i)
            way += v3_dist(v3_load(s->point + 3 * (span + i)), v3_load(s->point + 3 * (span + i + 1))) / 3;
        int pieces = (int)fmin(16, fmax(1, ceil(way / length)));
        for (int i = 0; i < pieces; ++i)
            add_piece(cut, knot, s->npoint, span, from + (to - from) * i / pieces,
                      from + (to - from) * (i + 1) / pieces, first + span, strand);
    }
    sn_free(knot);
}

/* ---- set-up and update ------------------------------------------------------------------------ */

/* A cubic strays from the point of its chord with the same parameter by an eighth of its largest second derivative at
 * most, which is at an end. Where the arc runs forwards along the chord all the way, only what is across the chord
 * counts: that it runs faster here than there does not take it away from the chord. */
static double slack_of(const snArc *arc)
{
    v3 start = v3_scale(arc->c[2], 2), end = v3_mad(start, 6, arc->c[3]);
    double forward0 = v3_dot(arc->c[1], arc->chord), forward1 = v3_dot(v3_add(arc->c[1], arc->c[2]), arc->chord);
    double forward2 = v3_dot(v3_add(v3_add(arc->c[1], start), v3_scale(arc->c[3], 3)), arc->chord);
    if (forward0 > 0 && forward1 > 0 && forward2 > 0) {
        start = v3_mad(start, -v3_dot(start, arc->chord) * arc->inverse, arc->chord);
        end = v3_mad(end, -v3_dot(end, arc->chord) * arc->inverse, arc->chord);
    }
    double bend0 = v3_len2(start), bend1 = v3_len2(end);
    return 0.125 * sqrt(bend0 > bend1 ? bend0 : bend1);
}

static void set_arc(snArc *arc, const double *m, const double *point)
{
    for (int r = 0; r < 4; ++r) {
        v3 sum = {0};
        for (int i = 0; i < 4; ++i) sum = v3_mad(sum, m[4 * r + i], v3_load(point + 3 * i));
        arc->c[r] = sum;
    }
    arc->chord = v3_add(arc->c[1], v3_add(arc->c[2], arc->c[3]));
    double length2 = v3_len2(arc->chord);
    arc->inverse = length2 > 1e-18 ? 1 / length2 : 0;
    arc->slack = slack_of(arc) + 1e-12;
}

static void set_pack(const snArcs *arcs, snPack *pack)
{
    int32_t n = arcs->strand_arc[pack->strand + 1] - pack->arc;
    v3 first = arcs->arc[pack->arc].c[0], low = first, high = first;
    double slack = 0;
    if (n > SN_LANES) n = SN_LANES;
    for (int32_t i = 0; i < n; ++i) {
        const snArc *arc = arcs->arc + pack->arc + i;
        v3 a = v3_sub(arc->c[0], arcs->origin), end = sn_arc_end(arc);
        pack->ax[i] = (float)a.x, pack->ay[i] = (float)a.y, pack->az[i] = (float)a.z;
        pack->cx[i] = (float)arc->chord.x, pack->cy[i] = (float)arc->chord.y, pack->cz[i] = (float)arc->chord.z;
        pack->inverse[i] = (float)arc->inverse, pack->slack[i] = (float)(arc->slack + rounding(a));
        low = v3_of(end.x < low.x ? end.x : low.x, end.y < low.y ? end.y : low.y, end.z < low.z ? end.z : low.z);
        high = v3_of(end.x > high.x ? end.x : high.x, end.y > high.y ? end.y : high.y, end.z > high.z ? end.z : high.z);
        slack = arc->slack > slack ? arc->slack : slack;
    }
    v3 middle = v3_sub(v3_lerp(low, high, 0.5), arcs->origin);
    pack->x = (float)middle.x, pack->y = (float)middle.y, pack->z = (float)middle.z;
    pack->radius = (float)(0.5 * v3_dist(low, high) + slack + rounding(middle));
}

void sn_arcs_update(snArcs *arcs, const double *point, v3 origin)
{
    arcs->origin = origin;
    for (int32_t i = 0; i < arcs->narc; ++i) set_arc(arcs->arc + i, arcs->matrix + 16 * i, point + 3 * arcs->point[i]);
    for (int32_t i = 0; i < arcs->npack; ++i) set_pack(arcs, arcs->pack + i);
}

static void make_packs(snArcs *arcs)
{
    for (int32_t s = 0; s < arcs->nstrand; ++s)
        for (int32_t first = arcs->strand_arc[s]; first < arcs->strand_arc[s + 1]; first += SN_LANES) {
            snPack *pack = arcs->pack + arcs->npack++;
            pack->strand = s, pack->arc = first;
            for (int i = 0; i < SN_LANES; ++i) pack->ax[i] = NAN;
            set_pack(arcs, pack);
        }
}

static bool take(snArcs *arcs, Cut *cut)
{
    arcs->narc = cut->strand.count;
    arcs->arc = SN_NEW_ARRAY(snArc, arcs->narc);
    arcs->strand_arc = SN_NEW_ARRAY(int32_t, arcs->nstrand + 1);
    arcs->pack = SN_NEW_ARRAY(snPack, arcs->narc / SN_LANES + arcs->nstrand);
    arcs->matrix = cut->matrix.at, arcs->point = cut->point.at, arcs->s0 = cut->s0.at, arcs->s1 = cut->s1.at;
    cut->matrix.at = cut->s0.at = cut->s1.at = NULL, cut->point.at = NULL;
    if (!arcs->arc || !arcs->strand_arc || !arcs->pack) return false;
    for (int32_t i = 0; i < arcs->narc; ++i) {
        arcs->arc[i].strand = cut->strand.at[i];
        ++arcs->strand_arc[cut->strand.at[i] + 1];
    }
    for (int32_t s = 0; s < arcs->nstrand; ++s) arcs->strand_arc[s + 1] += arcs->strand_arc[s];
    return true;
}

static snStatus check_strand(const snSkinStrand *s, int32_t strand, snError *error)
{
    if (s->npoint < 4)
        return sn_fail(error, SN_BAD_INPUT, "strand %d has %d control points, expected 4 or more", (int)strand,
                       (int)s->npoint);
    for (int32_t i = 0; i < 3 * s->npoint; ++i)
        if (!isfinite(s->point[i]))
            return sn_fail(error, SN_BAD_INPUT, "control point %d of strand %d is not finite", (int)(i / 3),
                           (int)strand);
    return SN_OK;
}

snStatus sn_arcs_create(int32_t nstrand, const snSkinStrand *strand, double length, snArcs *arcs, snError *error)
{
    Cut cut = {0};
    *arcs = (snArcs){.nstrand = nstrand};
    snStatus status = SN_OK;
    for (int32_t s = 0; s < nstrand && status == SN_OK; ++s) {
        status = check_strand(&strand[s], s, error);
        if (status == SN_OK) cut_strand(&cut, &strand[s], s, arcs->npoint, length);
        arcs->npoint += strand[s].npoint;
    }
    if (status == SN_OK && (cut.out_of_memory || !take(arcs, &cut))) status = sn_fail_no_memory(error);
    sn_array_free(&cut.matrix);
    sn_array_free(&cut.s0);
    sn_array_free(&cut.s1);
    sn_array_free(&cut.point);
    sn_array_free(&cut.strand);
    if (status != SN_OK) return status;
    for (int32_t i = 0, base = 0, s = 0; i < arcs->narc; ++i) {
        for (; s < arcs->arc[i].strand; ++s) base += strand[s].npoint;
        set_arc(arcs->arc + i, arcs->matrix + 16 * i, strand[s].point + 3 * (arcs->point[i] - base));
    }
    make_packs(arcs);
    return SN_OK;
}

void sn_arcs_free(snArcs *arcs)
{
    sn_free(arcs->arc), sn_free(arcs->point), sn_free(arcs->matrix), sn_free(arcs->s0), sn_free(arcs->s1);
    sn_free(arcs->strand_arc), sn_free(arcs->pack);
    *arcs = (snArcs){0};
}

/* ---- closest point ----------------------------------------------------------------------------- */

/* Half the slope of the squared distance, and its derivative. */
static double slope_at(const snArc *arc, v3 p, double t, double *derivative)
{
    v3 d = v3_mad(arc->c[1], t, v3_mad(v3_scale(arc->c[2], 2), 3 * t, arc->c[3]));
    v3 r = v3_sub(sn_arc_at(arc, t), p), dd = v3_mad(v3_scale(arc->c[2], 2), 6 * t, arc->c[3]);
    *derivative = v3_len2(d) + v3_dot(r, dd);
    return v3_dot(r, d);
}

/* Newton's method kept between two places where the slope has different signs. */
static double minimum_between(const snArc *arc, v3 p, double g0, double g1)
{
    double low = 0, high = 1, t = g0 / (g0 - g1), derivative;
    for (int i = 0; i < SN_ARC_NEWTON; ++i) {
        double g = slope_at(arc, p, t, &derivative);
        if (g < 0)
            low = t;
        else
            high = t;
        double step = -g / derivative;
        if (fabs(step) <
            SN_ARC_AT_REST) { /* what is left is its square; also where the step would touch the bracket's end */
            t += step;
            break;
        }
        t += step;
        if (!(t > low && t < high)) t = 0.5 * (low + high);
    }
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t;
}

double sn_arc_closest(const snArc *arc, v3 p, double *t, v3 *at)
{
    double g0 = v3_dot(v3_sub(arc->c[0], p), arc->c[1]), unused, g1 = slope_at(arc, p, 1, &unused);
    v3 end = sn_arc_at(arc, 1);
    if (g0 < 0 && g1 > 0) {
        *t = minimum_between(arc, p, g0, g1);
        *at = sn_arc_at(arc, *t);
        return v3_len2(v3_sub(*at, p));
    }
    double d0 = v3_len2(v3_sub(arc->c[0], p)), d1 = v3_len2(v3_sub(end, p));
    *t = d1 < d0, *at = d1 < d0 ? end : arc->c[0];
    return d1 < d0 ? d1 : d0;
}
