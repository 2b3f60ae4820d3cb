/* Sections are interpolated along the chain by monotone cubics (Fritsch and Carlson): centre, axes, exponent, and the
 * squares of the widths, because the square of an ellipsoid's width goes to zero with a finite slope and so a round
 * end needs nothing but one more station of width zero. */
#include "author/skin_loft.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"

#include <string.h>

enum { CHANNELS = 13, MAX_RINGS = 4000 }; /* centre, ex, ez, breadth^2, depth^2, exponent, arch */

typedef struct {
    double s, value[CHANNELS], slope[CHANNELS];
    int32_t section;
} Station;

typedef SN_ARRAY(Station) Stations;

static void station_of(const snSkinSection *section, double scale2, v3 shift, Station *to)
{
    v3_store(to->value, v3_add(section->center, shift));
    v3_store(to->value + 3, section->ex), v3_store(to->value + 6, section->ez);
    to->value[9] = scale2 * section->breadth * section->breadth;
    to->value[10] = scale2 * section->depth * section->depth;
    to->value[11] = section->exponent, to->value[12] = section->arch;
}

/* Stations of an end, from the tip inwards: the tip and, for a flat end, two more that make a rounded edge. */
static bool add_cap(Stations *to, const snSkinSection *end, v3 outward, double length, bool flat, bool start,
                    int32_t section)
{
    static const double flat_at[3] = {1, 0.93, 0.6}, round_at[1] = {1};
    int n = flat ? 3 : 1;
    for (int i = 0; i < n; ++i) {
        double t = (flat ? flat_at : round_at)[start ? i : n - 1 - i];
        double scale2 = flat ? sqrt(fmax(0, 1 - t * t * t * t)) : fmax(0, 1 - t * t);
        Station station = {.s = (start ? -1 : 1) * t * length, .section = section};
        station_of(end, scale2, v3_scale(outward, t * length), &station);
        if (!sn_array_push(to, station)) return false;
    }
    return true;
}

static v3 section_normal(const snSkinSection *section)
{
    return v3_unit(v3_cross(section->ex, section->ez));
}

static bool make_stations(const snSkinChain *chain, Stations *to)
{
    const snSkinSection *first = chain->section, *last = chain->section + chain->nsection - 1;
    v3 along = v3_sub(last->center, first->center), first_out = section_normal(first), last_out = section_normal(last);
    if (v3_dot(first_out, along) > 0) first_out = v3_neg(first_out);
    if (v3_dot(last_out, along) < 0) last_out = v3_neg(last_out);
    if (!add_cap(to, first, first_out, chain->start_cap, chain->flat_start, true, 0)) return false;
    double s = 0;
    for (int32_t i = 0; i < chain->nsection; ++i) {
        if (i) s += v3_dist(chain->section[i].center, chain->section[i - 1].center);
        Station station = {.s = s, .section = i};
        station_of(&chain->section[i], 1, v3_of(0, 0, 0), &station);
        if (!sn_array_push(to, station)) return false;
    }
    int32_t tail = to->count;
    if (!add_cap(to, last, last_out, chain->end_cap, false, false, chain->nsection - 1)) return false;
    for (int32_t i = tail; i < to->count; ++i) to->at[i].s += s;
    return true;
}

/* Slopes that keep each channel monotone between stations where its values are. */
static void set_slopes(Stations *st)
{
    for (int32_t i = 0; i < st->count; ++i)
        for (int c = 0; c < CHANNELS; ++c) {
            double left = 0, right = 0, hl = 1, hr = 1;
            if (i > 0) hl = st->at[i].s - st->at[i - 1].s, left = (st->at[i].value[c] - st->at[i - 1].value[c]) / hl;
            if (i + 1 < st->count)
                hr = st->at[i + 1].s - st->at[i].s, right = (st->at[i + 1].value[c] - st->at[i].value[c]) / hr;
            double *slope = &st->at[i].slope[c];
            if (i == 0)
                *slope = right;
            else if (i + 1 == st->count)
                *slope = left;
            else if (left * right <= 0)
                *slope = 0;
            else
                *slope = 3 * (hl + hr) / ((2 * hr + hl) / left + (hr + 2 * hl) / right);
        }
}

/* The squares of the widths fall to a tip like a parabola's: an ellipsoid. */
static void round_tips(Stations *st)
{
    for (int c = 9; c < 11; ++c) {
        Station *a = st->at, *b = a + 1, *y = st->at + st->count - 1, *x = y - 1;
        a->slope[c] = 2 * (b->value[c] - a->value[c]) / (b->s - a->s) - b->slope[c];
        y->slope[c] = 2 * (y->value[c] - x->value[c]) / (y->s - x->s) - x->slope[c];
    }
}

static void interpolate(const Stations *st, int32_t k, double t, double value[CHANNELS])
{
    const Station *a = st->at + k, *b = a + 1;
    double h = b->s - a->s, t2 = t * t, t3 = t2 * t;
    for (int c = 0; c < CHANNELS; ++c)
        value[c] = (2 * t3 - 3 * t2 + 1) * a->value[c] + (t3 - 2 * t2 + t) * h * a->slope[c] +
                   (3 * t2 - 2 * t3) * b->value[c] + (t3 - t2) * h * b->slope[c];
}

static void put_ring(const double value[CHANNELS], int32_t nangle, bool reverse, double *position)
{
    v3 center = v3_load(value), ex = v3_unit(v3_load(value + 3)), ez = v3_unit(v3_load(value + 6));
    double half_x = 0.5 * sqrt(fmax(0, value[9])), half_z = 0.5 * sqrt(fmax(0, value[10])), n = value[11];
    for (int32_t j = 0; j < nangle; ++j) {
        double angle = 2 * SN_PI * (reverse ? nangle - j : j) / nangle, c = cos(angle), s = sin(angle);
        double r = pow(pow(fabs(c), n) + pow(fabs(s), n), -1 / n);
        double x = r * c * half_x, z = r * s * half_z - value[12] * x * x;
        v3_store(position + 3 * j, v3_mad(v3_mad(center, x, ex), z, ez));
    }
}

typedef struct {
    Stations station;
    SN_ARRAY(double) ring; /* CHANNELS per ring */
    SN_ARRAY(int32_t) section;
    double *position;
} Work;

/* Rings between two stations; at a tip they crowd towards it so that the dome is round. */
static bool add_rings(Work *w, int32_t k, double detail)
{
    const Stations *st = &w->station;
    bool from_tip = k == 0, to_tip = k + 2 == st->count;
    double length = st->at[k + 1].s - st->at[k].s;
    int32_t n = (int32_t)ceil(length / detail * (from_tip || to_tip ? 2 : 1));
    n = n < 4 ? 4 : n > MAX_RINGS ? MAX_RINGS : n;
    for (int32_t i = from_tip ? 1 : 0; i < n; ++i) {
        double t = (double)i / n, eased = from_tip ? t * t : to_tip ? 1 - (1 - t) * (1 - t) : t;
        if (!sn_array_reserve(&w->ring, CHANNELS) ||
            !sn_array_push(&w->section, st->at[eased < 0.5 ? k : k + 1].section))
            return false;
        interpolate(st, k, eased, w->ring.at + w->ring.count);
        w->ring.count += CHANNELS;
    }
    return true;
}

static snStatus loft_mesh(Work *w, const snSkinChain *chain, double detail, snSkinLoft *loft, snError *error)
{
    if (!make_stations(chain, &w->station)) return sn_fail_no_memory(error);
    set_slopes(&w->station);
    round_tips(&w->station);
    for (int32_t k = 0; k + 1 < w->station.count; ++k)
        if (!add_rings(w, k, detail)) return sn_fail_no_memory(error);
    double girth = 0;
    for (int32_t i = 0; i < chain->nsection; ++i)
        girth = fmax(girth, 1.6 * (chain->section[i].breadth + chain->section[i].depth));
    int32_t nring = w->section.count, nangle = (int32_t)fmin(160, fmax(32, girth / detail));
    w->position = SN_NEW_ARRAY(double, 3 * nring * nangle);
    loft->section = SN_NEW_ARRAY(int32_t, nring * nangle + 2);
    if (!w->position || !loft->section) return sn_fail_no_memory(error);
    /* angles run from ex to ez: counter-clockwise seen along ex x ez */
    const snSkinSection *first = chain->section, *last = chain->section + chain->nsection - 1;
    bool reverse = v3_dot(section_normal(first), v3_sub(last->center, first->center)) < 0;
    for (int32_t r = 0; r < nring; ++r) {
        put_ring(w->ring.at + CHANNELS * r, nangle, reverse, w->position + 3 * r * nangle);
        for (int32_t j = 0; j < nangle; ++j) loft->section[r * nangle + j] = w->section.at[r];
    }
    loft->section[nring * nangle + 1] = chain->nsection - 1;
    v3 tip = v3_load(w->station.at[0].value), end = v3_load(w->station.at[w->station.count - 1].value);
    return sn_trimesh_loft(nring, nangle, w->position, &tip, &end, &loft->mesh, error);
}

static snStatus check_chain(const snSkinChain *chain, snError *error)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < chain->nsection && status == SN_OK; ++i) {
        const snSkinSection *s = chain->section + i;
        bool sizes = s->breadth > 0 && s->depth > 0 && s->exponent >= 1 && s->exponent <= 20;
        bool axes =
            fabs(v3_len(s->ex) - 1) < 0.01 && fabs(v3_len(s->ez) - 1) < 0.01 && fabs(v3_dot(s->ex, s->ez)) < 0.05;
        bool place = isfinite(v3_len(s->center)) && (i == 0 || v3_dist(s->center, s[-1].center) > 1e-6);
        if (!sizes)
            status =
                sn_fail(error, SN_BAD_INPUT, "section %d: breadth %g, depth %g and exponent %g do not make a section",
                        (int)i, s->breadth, s->depth, s->exponent);
        if (!axes)
            status = sn_fail(error, SN_BAD_INPUT, "section %d: ex and ez are not unit vectors at right angles", (int)i);
        if (!place)
            status = sn_fail(error, SN_BAD_INPUT,
                             "section %d: its centre is not finite, or equals that of the section before", (int)i);
    }
    if (chain->nsection < 2)
        status = sn_fail(error, SN_BAD_INPUT, "%d sections, expected two or more", (int)chain->nsection);
    if (!(chain->start_cap > 0 && chain->end_cap > 0))
        status = sn_fail(error, SN_BAD_INPUT, "the ends need a positive length");
    if (status != SN_OK) sn_error_element(error, "Chain", chain->name ? chain->name : "");
    return status;
}

snStatus sn_skin_loft_create(const snSkinChain *chain, double detail, snSkinLoft *loft, snError *error)
{
    Work work = {0};
    *loft = (snSkinLoft){0};
    snStatus status = check_chain(chain, error);
    if (status == SN_OK) status = loft_mesh(&work, chain, detail, loft, error);
    if (status == SN_OK) status = sn_trimesh_require(&loft->mesh, true, chain->name ? chain->name : "", error);
    if (status == SN_OK) {
        loft->tree = sn_bvh_create(&loft->mesh);
        if (!loft->tree || !sn_mesh_side_create(&loft->mesh, &loft->side)) status = sn_fail_no_memory(error);
    }
    loft->low = v3_of(INFINITY, INFINITY, INFINITY), loft->high = v3_neg(loft->low);
    for (int32_t v = 0; v < loft->mesh.nvertex; ++v) {
        v3 p = sn_trimesh_point(&loft->mesh, v);
        loft->low = v3_of(fmin(loft->low.x, p.x), fmin(loft->low.y, p.y), fmin(loft->low.z, p.z));
        loft->high = v3_of(fmax(loft->high.x, p.x), fmax(loft->high.y, p.y), fmax(loft->high.z, p.z));
    }
    sn_array_free(&work.station);
    sn_array_free(&work.ring);
    sn_array_free(&work.section);
    sn_free(work.position);
    return status;
}

void sn_skin_loft_free(snSkinLoft *loft)
{
    sn_bvh_destroy(loft->tree);
    sn_mesh_side_free(&loft->side);
    sn_trimesh_free(&loft->mesh);
    sn_free(loft->section);
    *loft = (snSkinLoft){0};
}

static double outside_box(const snSkinLoft *loft, v3 p)
{
    double x = fmax(loft->low.x - p.x, p.x - loft->high.x), y = fmax(loft->low.y - p.y, p.y - loft->high.y);
    return fmax(fmax(x, y), fmax(loft->low.z - p.z, p.z - loft->high.z));
}

double sn_skin_loft_distance(const snSkinLoft *loft, v3 point, double limit, int32_t *section)
{
    if (outside_box(loft, point) > limit) return limit;
    snMeshHit hit;
    double d = sn_bvh_signed_distance(loft->tree, &loft->side, point, limit, &hit);
    if (hit.triangle < 0) return sn_bvh_inside(loft->tree, point) ? -limit : limit;
    if (section) *section = loft->section[loft->mesh.triangle[3 * hit.triangle]];
    return d;
}
