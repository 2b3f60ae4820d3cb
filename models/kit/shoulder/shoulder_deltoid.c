/* The deltoid: a sheet with three heads around the head of the humerus, filled by AutoStrands as [Kaufman 2008] did.
 *
 * The middle surface of the sheet lies between the paths of the tables, smoothed, outside the head of the humerus and
 * in front of the short muscles there. The sheet is thinner between the heads and at its ends. */
#include "author/autostrands.h"
#include "common/sheet.h"
#include "shoulder/shoulder.h"

#include "author/own/strands.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { HEADS = 3, ACROSS = 37, ALONG = 25, SMOOTHINGS = 80, MAX_ORIGINS = 64 };

static const char *const head_name[HEADS] = {"deltoid_clavicular", "deltoid_acromial", "deltoid_spinal"};
static const char *const surface_name[2] = {"humerus_deltoid", "shoulder_front"};
/* Half the thickness of each head at its thickest (C), m. */
static const double head_half[HEADS] = {0.0050, 0.0070, 0.0055};

typedef struct fill {
    snShoulder *s;
    int32_t part[HEADS], first, count;   /* parts of the heads; their strands */
    const snShoulderSurface *surface[2]; /* what lies below: the head of the humerus, the front of the shoulder */
    double x[MAX_ORIGINS];               /* place of each table strand's origin, as a fraction across */
    double border[HEADS + 1];            /* where the heads begin and end, as fractions across */
    v3 middle[ACROSS * ALONG];
    double half[ACROSS * ALONG];
} fill;

static int32_t find_part(const snShoulder *s, const char *name)
{
    for (int32_t i = 0; i < s->part.count; ++i)
        if (strcmp(s->part.at[i].name, name) == 0) return i;
    return -1;
}

static const snShoulderSurface *find_surface(const snShoulder *s, const char *name)
{
    for (int32_t i = 0; i < s->surface.count; ++i)
        if (strcmp(s->surface.at[i].name, name) == 0) return &s->surface.at[i];
    return NULL;
}

static snStatus find_heads(fill *f, snError *error)
{
    snShoulder *s = f->s;
    for (int h = 0; h < HEADS; ++h) {
        f->part[h] = find_part(s, head_name[h]);
        if (f->part[h] < 0) return sn_fail(error, SN_BAD_FILE, "muscles.tsv has no \"%s\"", head_name[h]);
        const snShoulderPart *p = &s->part.at[f->part[h]];
        if (h == 0) f->first = p->first;
        if (p->first != f->first + f->count)
            return sn_fail(error, SN_BAD_FILE, "strands.tsv: the heads of the deltoid do not follow each other");
        f->count += p->nstrand;
    }
    for (int i = 0; i < 2; ++i) {
        f->surface[i] = find_surface(s, surface_name[i]);
        if (!f->surface[i]) return sn_fail(error, SN_BAD_FILE, "surfaces.tsv has no \"%s\"", surface_name[i]);
    }
    return f->count <= MAX_ORIGINS ? SN_OK
                                   : sn_fail(error, SN_BAD_FILE, "the deltoid has over %d strands", MAX_ORIGINS);
}

/* Point of a table's path at a fraction of its length. */
static v3 on_strand(const snShoulderStrand *strand, double t)
{
    double left = t * sn_shoulder_path_length(strand);
    for (int32_t i = 1; i < strand->npoint; ++i) {
        double d = v3_dist(strand->at[i - 1], strand->at[i]);
        if (left <= d || i + 1 == strand->npoint) return v3_lerp(strand->at[i - 1], strand->at[i], fmin(left / d, 1));
        left -= d;
    }
    return strand->at[0];
}

/* Arc length of the strands' origins along the line through them, from 0 to 1, and where the heads meet on it. */
static void measure_origins(fill *f)
{
    const snShoulderStrand *strand = f->s->strand.at + f->first;
    for (int32_t i = 1; i < f->count; ++i) f->x[i] = f->x[i - 1] + v3_dist(strand[i - 1].at[0], strand[i].at[0]);
    for (int32_t i = 1; i < f->count; ++i) f->x[i] /= f->x[f->count - 1];
    f->x[f->count - 1] = f->border[HEADS] = 1;
    for (int h = 1; h < HEADS; ++h) {
        int32_t next = f->s->part.at[f->part[h]].first - f->first;
        f->border[h] = (f->x[next - 1] + f->x[next]) / 2;
    }
}

/* Between the paths of the tables. */
static v3 on_tables(const fill *f, double u, double t)
{
    const snShoulderStrand *strand = f->s->strand.at + f->first;
    int32_t i = 1;
    while (i + 1 < f->count && f->x[i] < u) ++i;
    return v3_lerp(on_strand(&strand[i - 1], t), on_strand(&strand[i], t), (u - f->x[i - 1]) / (f->x[i] - f->x[i - 1]));
}

static v3 head_insertion(const fill *f, int h)
{
    const snShoulderPart *p = &f->s->part.at[f->part[h]];
    v3 sum = v3_of(0, 0, 0);
    for (int32_t i = 0; i < p->nstrand; ++i) {
        const snShoulderStrand *strand = &f->s->strand.at[p->first + i];
        sum = v3_mad(sum, 1.0 / p->nstrand, strand->at[strand->npoint - 1]);
    }
    return sum;
}

/* The line of insertion: a parabola through the middles of the three heads' insertions, flatter than they are, since a
 * line along the strands has no width. */
static v3 on_insertions(const fill *f, double u)
{
    double w[HEADS] = {2 * (u - 0.5) * (u - 1), 4 * u * (1 - u), 2 * u * (u - 0.5)};
    v3 sum = v3_of(0, 0, 0);
    double level = head_insertion(f, 1).y;
    for (int h = 0; h < HEADS; ++h) sum = v3_mad(sum, w[h], head_insertion(f, h));
    return v3_of(sum.x, level + 0.3 * (sum.y - level), sum.z);
}

/* Out of the sphere and, in the clavicular head, to the front of the cylinder. */
static v3 push_out(const fill *f, v3 p, double u, double clearance)
{
    int count = u < 0.7 * f->border[1] ? 2 : 1;
    for (int i = 0; i < count; ++i) {
        const snShoulderSurface *surface = f->surface[i];
        v3 c = surface->frame.p, d = v3_sub(p, c);
        if (surface->shape == SN_SHAPE_CYLINDER) {
            v3 axis = q_rotate(surface->frame.q, v3_of(0, 0, 1));
            if (d.x < 0) continue; /* behind it */
            c = v3_mad(c, v3_dot(d, axis), axis), d = v3_sub(p, c);
        }
        double r = v3_len(d), least = surface->size.x + clearance;
        if (r < least) p = v3_mad(c, least / r, d);
    }
    return p;
}

/* Half the thickness: thin between the heads and towards the ends. */
static double half_at(const fill *f, double u, double t)
{
    int h = u < f->border[1] ? 0 : u < f->border[2] ? 1 : 2;
    double half = head_half[h], notch = 0;
    for (int b = 1; b < HEADS; ++b) {
        double d = (u - f->border[b]) / 0.05;
        notch = fmax(notch, exp(-d * d));
        double blend = 0.5 + 0.5 * tanh((u - f->border[b]) / 0.04);
        if (h == b - 1 || h == b) half = head_half[b - 1] + (head_half[b] - head_half[b - 1]) * blend;
    }
    double ends = pow(sin(SN_PI * (0.06 + 0.88 * t)), 0.7), rim = fmin(fmin(u, 1 - u) / 0.06, 1);
    return half * (1 - 0.4 * notch * (1 - t)) * ends * (0.5 + 0.5 * rim);
}

static void draw_column(fill *f, int32_t i)
{
    double u = (double)i / (ACROSS - 1);
    v3 shift = v3_sub(on_insertions(f, u), on_tables(f, u, 1));
    for (int32_t j = 0; j < ALONG; ++j) {
        double t = (double)j / (ALONG - 1);
        f->middle[i * ALONG + j] = v3_mad(on_tables(f, u, t), t, shift);
        f->half[i * ALONG + j] = half_at(f, u, t);
    }
}

/* Each point to the mean of its neighbours along and across, then out of what lies below. */
static void smooth(fill *f)
{
    for (int32_t i = 0; i < ACROSS; ++i)
        for (int32_t j = 1; j + 1 < ALONG; ++j) {
            v3 *p = f->middle + i * ALONG + j;
            v3 mean = v3_scale(v3_add(p[-1], p[1]), 0.5);
            if (i > 0 && i + 1 < ACROSS) mean = v3_lerp(mean, v3_scale(v3_add(p[-ALONG], p[ALONG]), 0.5), 0.5);
            double t = (double)j / (ALONG - 1), ease = fmin(3 * t, 1);
            *p =
                push_out(f, v3_lerp(*p, mean, 0.5), (double)i / (ACROSS - 1), ease * (f->half[i * ALONG + j] + 0.0005));
        }
}

static snStatus span_sheet(fill *f, snError *error)
{
    measure_origins(f);
    for (int32_t i = 0; i < ACROSS; ++i) draw_column(f, i);
    for (int round = 0; round < SMOOTHINGS; ++round) smooth(f);
    snSheetDef def = {.across = ACROSS, .along = ALONG, .middle = f->middle, .half = f->half};
    return sn_sheet_mesh(&def, &f->s->deltoid, error);
}

static snStatus relax(fill *f, snAutoStrands **made, snError *error)
{
    double position[HEADS][3 * ALONG];
    snAutoStrandInput input[HEADS];
    for (int h = 0; h < HEADS; ++h) {
        int32_t i = (int32_t)round((f->border[h] + f->border[h + 1]) / 2 * (ACROSS - 1));
        for (int32_t j = 0; j < ALONG; ++j) v3_store(position[h] + 3 * j, f->middle[i * ALONG + j]);
        input[h] = (snAutoStrandInput){head_name[h], ALONG, position[h]};
    }
    const snTriMesh *t = &f->s->deltoid;
    snMesh mesh = {.nvertex = t->nvertex, .ntriangle = t->ntriangle, .vertex = t->vertex, .triangle = t->triangle};
    snAutoStrandsDef def = sn_default_autostrands_def();
    def.mesh = &mesh, def.ninput = HEADS, def.input = input;
    def.count = f->count, def.control_points = SN_SHOULDER_DRAWN;
    snStatus status = sn_autostrands_create(&def, made, error);
    return status == SN_OK ? sn_autostrands_run(*made, 400, (snProgress){0}, NULL) : status;
}

/* Where a strand begins, as a fraction across: strands are numbered from front to back. */
static double across(fill *f, v3 p)
{
    double best = INFINITY, at = 0;
    for (int32_t i = 0; i < ACROSS; ++i) {
        double d = v3_dist(p, f->middle[i * ALONG]);
        if (d < best) best = d, at = (double)i / (ACROSS - 1);
    }
    return at;
}

static void place_strand(fill *f, int head, const double *point, int32_t index)
{
    snShoulderStrand strand = {.part = f->part[head], .filled = true};
    const snShoulderPart *p = &f->s->part.at[strand.part];
    strand.origin = p->origin, strand.insertion = p->insertion;
    snprintf(strand.name, sizeof strand.name, "deltoid_%02d", (int)index + 1);
    for (int32_t i = 0; i < SN_SHOULDER_DRAWN; ++i) strand.drawn[i] = v3_load(point + 3 * i);
    f->s->strand.at[f->first + index] = strand;
}

/* Head by head, from front to back. */
static void place_strands(fill *f, const snAutoStrands *made, const double *point)
{
    int32_t done = 0;
    for (int h = 0; h < HEADS; ++h) {
        snShoulderPart *p = &f->s->part.at[f->part[h]];
        p->first = f->first + done, p->nstrand = 0;
        double last = -1;
        for (;;) {
            int32_t next = -1;
            double at = INFINITY;
            for (int32_t i = 0; i < f->count; ++i) {
                double u = across(f, v3_load(point + 3 * SN_SHOULDER_DRAWN * i)) + 1e-6 * i;
                if (sn_autostrands_view(made).input[i] == h && u > last && u < at) next = i, at = u;
            }
            if (next < 0) break;
            place_strand(f, h, point + 3 * SN_SHOULDER_DRAWN * next, done++);
            ++p->nstrand, last = at;
        }
    }
}

snStatus sn_shoulder_fill_deltoid(snShoulder *shoulder, snError *error)
{
    fill *f = SN_NEW(fill);
    snAutoStrands *made = NULL;
    double *point = NULL;
    if (!f) return sn_fail_no_memory(error);
    f->s = shoulder;
    snStatus status = find_heads(f, error);
    if (status == SN_OK) status = span_sheet(f, error);
    if (status == SN_OK) status = relax(f, &made, error);
    if (status == SN_OK && !(point = SN_NEW_ARRAY(double, 3 * SN_SHOULDER_DRAWN * f->count)))
        status = sn_fail_no_memory(error);
    if (status == SN_OK) status = sn_autostrands_finish(made, point, error);
    if (status == SN_OK) place_strands(f, made, point);
    sn_free(point);
    sn_autostrands_destroy(made);
    sn_free(f);
    return status;
}
