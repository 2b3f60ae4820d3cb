/* Phantoms: slices of a limb with one muscle whose shape is given by formulas, so that every contour and the volume are
 * known. Coordinates here are mm from the middle of the stack, on a stage of 96 x 72 x 300 mm that is stretched to the
 * stack's size.
 *
 * The volume of the ellipsoid along an arc is that of the straight one (Pappus: sections are symmetric about the arc);
 * that of tubes is summed up. */
#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "image/outline.h"
#include "image/stack.h"
#include "math/vec.h"

#include <string.h>

static const double STAGE[3] = {96, 72, 300};
/* Grey values, as in a T1-weighted scan. */
enum { AIR = 8, CORTEX = 30, MUSCLE = 100, MARROW = 170, FAT = 180 };
static const double HALF[3] = {20, 15, 126}; /* mm: half axes of spindle and bent */
static const double BEND = 0.5;              /* rad: from the middle of the arc to its end */
static const double FASCIA = 1, HOLE = 1.5;  /* mm: thickness; half width of a hole */
static const double ROUND = 4;               /* mm: fillet where tubes meet */

typedef struct {
    v3 a, b;
    double ra, rb;
    int branch;
} Tube;

/* Tubes of a branch are joined end to end, branches with a fillet. */
static const Tube heads[] = {
    {{-20, 4, 115}, {-15, 2, 60}, 5, 9, 0}, {{-15, 2, 60}, {0, 0, 5}, 9, 14, 0},    {{0, 0, 5}, {2, 0, -40}, 14, 15, 0},
    {{2, 0, -40}, {0, 0, -115}, 15, 4, 0},  {{20, -4, 120}, {14, -1, 60}, 4, 8, 1}, {{14, -1, 60}, {0, 0, 5}, 8, 13, 1},
};
static const Tube branching[] = {
    {{0, 0, 115}, {0, 0, 50}, 5, 15, 0},    {{0, 0, 50}, {0, 0, -5}, 15, 13, 0},
    {{0, 0, -5}, {-22, -6, -70}, 11, 6, 1}, {{-22, -6, -70}, {-24, -8, -115}, 6, 4, 1},
    {{0, 0, -5}, {0, 12, -70}, 11, 6, 2},   {{0, 12, -70}, {0, 14, -118}, 6, 4, 2},
    {{0, 0, -5}, {20, -6, -75}, 11, 6, 3},  {{20, -6, -75}, {22, -8, -112}, 6, 3, 3},
};

bool sn_phantom_find(const char *name, snPhantomKind *kind)
{
    if (!name) return false;
    static const char *const names[] = {
#define X(id, text, meaning) text,
        SN_PHANTOM_TABLE(X)
#undef X
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(names[i], name) == 0) return *kind = (snPhantomKind)i, true;
    return false;
}

/* ---- the muscle ------------------------------------------------------------------------------- */

/* Signed distance to first order, negative inside. */
static double ellipsoid(double x, double y, double z)
{
    double u = x / HALF[0], v = y / HALF[1], w = z / HALF[2], g = sqrt(u * u + v * v + w * w);
    double slope = sqrt(u * u / (HALF[0] * HALF[0]) + v * v / (HALF[1] * HALF[1]) + w * w / (HALF[2] * HALF[2]));
    return slope > 0 ? (g - 1) * g / slope : -HALF[1];
}

static double tube_distance(const Tube *t, v3 p)
{
    v3 d = v3_sub(t->b, t->a), q = v3_sub(p, t->a);
    double s = fmax(0, fmin(1, v3_dot(q, d) / v3_len2(d)));
    return v3_len(v3_mad(q, -s, d)) - (t->ra + s * (t->rb - t->ra));
}

static double tubes(const Tube *tube, size_t count, v3 p)
{
    double d = 1e3;
    for (size_t i = 0; i < count;) {
        double e = 1e3;
        for (int branch = tube[i].branch; i < count && tube[i].branch == branch; ++i)
            e = fmin(e, tube_distance(tube + i, p));
        double h = fmax(ROUND - fabs(d - e), 0) / ROUND;
        d = fmin(d, e) - 0.25 * h * h * ROUND;
    }
    return d;
}

static double muscle(snPhantomKind kind, v3 p)
{
    switch (kind) {
    case SN_PHANTOM_BENT: {
        double radius = HALF[2] / BEND, x = p.x + 14; /* the arc is moved so that it stays in the image */
        double out = radius - hypot(radius - x, p.z), along = radius * atan2(p.z, radius - x);
        return ellipsoid(out, p.y, along);
    }
    case SN_PHANTOM_HEADS:
        return tubes(heads, sizeof heads / sizeof *heads, p);
    case SN_PHANTOM_BRANCHING:
        return tubes(branching, sizeof branching / sizeof *branching, p);
    default:
        return ellipsoid(p.x - 1.3, p.y + 0.7, p.z);
    }
}

/* ---- the limb --------------------------------------------------------------------------------- */

typedef struct {
    const snPhantomDef *def;
    double mm[3]; /* stage per pixel */
    bool hole;    /* in this slice */
} Limb;

static v3 stage_point(const Limb *limb, double x, double y, double slice)
{
    const int32_t *n = limb->def->n;
    return v3_of((x - 0.5 * (n[0] - 1)) * limb->mm[0], (y - 0.5 * (n[1] - 1)) * limb->mm[1],
                 (slice - 0.5 * (n[2] - 1)) * limb->mm[2]);
}

/* d: distance to the muscle, which is what takes the time. */
static int tissue(const Limb *limb, v3 p, double d)
{
    if (d < 0) return MUSCLE;
    if (hypot(p.x / 47, p.y / 35) > 1) return AIR;
    if (!limb->def->neighbour) return FAT;
    double bone = hypot(p.x + 28, p.y + 22);
    if (bone < 7) return bone < 4.5 ? MARROW : CORTEX;
    bool next = hypot(p.x / 34, (p.y - 22) / 11) < 1;
    bool hole = limb->hole && fabs(p.x - 3) < HOLE;
    return next && (d > FASCIA || hole) ? MUSCLE : FAT;
}

/* The same at a place in the box of a pixel whose centre is at a distance d: far away d will do. */
static int tissue_near(const Limb *limb, v3 p, double d)
{
    static const double NEAR = 4; /* mm */
    return tissue(limb, p, fabs(d) < NEAR ? muscle(limb->def->kind, p) : d);
}

/* The mean over the pixel's box, 0.6 of the distance between slices thick: sampled finely where it is not all the same.
 */
static double pixel_value(const Limb *limb, double x, double y, double slice)
{
    enum { FINE = 4, DEEP = 5 };
    static const double THICK = 0.6;
    v3 centre = stage_point(limb, x, y, slice);
    double d = muscle(limb->def->kind, centre), sum = 0;
    int middle = tissue(limb, centre, d), same = 0;
    for (int i = 0; i < 8; ++i) {
        v3 corner = stage_point(limb, x + (i & 1) - 0.5, y + (i >> 1 & 1) - 0.5, slice + THICK * ((i >> 2) - 0.5));
        same += tissue_near(limb, corner, d) == middle;
    }
    if (same == 8) return middle;
    for (int k = 0; k < DEEP; ++k)
        for (int j = 0; j < FINE; ++j)
            for (int i = 0; i < FINE; ++i)
                sum += tissue_near(limb,
                                   stage_point(limb, x + (i + 0.5) / FINE - 0.5, y + (j + 0.5) / FINE - 0.5,
                                               slice + THICK * ((k + 0.5) / DEEP - 0.5)),
                                   d);
    return sum / (FINE * FINE * DEEP);
}

/* ---- noise ------------------------------------------------------------------------------------ */

static double uniform(uint64_t *state) /* splitmix64, above 0 and at most 1 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 1) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(2 * SN_PI * uniform(state));
}

/* Coils are nearer to one side. */
static double shading(const snPhantomDef *def, v3 p)
{
    return 1 + 0.5 * def->bias *
                   (sin(2.2 * p.x / STAGE[0] + 0.3) + 0.6 * cos(3 * p.z / STAGE[2]) * sin(2 * p.y / STAGE[1]));
}

/* Whether slice k is one of `count` spread over the middle of the muscle; the two lists do not meet. */
static bool chosen(const snPhantomDef *def, int32_t count, int32_t k, double shift)
{
    for (int32_t i = 0; i < count; ++i)
        if ((int32_t)(def->n[2] * (0.25 + 0.5 * (i + shift) / count)) == k) return true;
    return false;
}

/* ---- truth ------------------------------------------------------------------------------------ */

static bool true_slice(Limb *limb, int32_t k, float *field, snSlice *slice)
{
    const int32_t *n = limb->def->n;
    for (int32_t y = 0; y < n[1]; ++y)
        for (int32_t x = 0; x < n[0]; ++x)
            field[(size_t)y * (size_t)n[0] + (size_t)x] = (float)-muscle(limb->def->kind, stage_point(limb, x, y, k));
    if (!sn_slice_trace(slice, field, n[0], n[1], 0)) return false;
    slice->state = slice->nloop > 0 ? SN_SLICE_GROWN : SN_SLICE_EMPTY;
    return true;
}

/* In cubic millimetres of the stage. */
static double true_volume(snPhantomKind kind)
{
    if (kind == SN_PHANTOM_SPINDLE || kind == SN_PHANTOM_BENT) return 4.0 / 3 * SN_PI * HALF[0] * HALF[1] * HALF[2];
    const double h = 0.75, deep = 1.5;
    double sum = 0;
    for (double z = -0.5 * STAGE[2] + 0.5 * deep; z < 0.5 * STAGE[2]; z += deep)
        for (double y = -0.5 * STAGE[1] + 0.5 * h; y < 0.5 * STAGE[1]; y += h)
            for (double x = -0.5 * STAGE[0] + 0.5 * h; x < 0.5 * STAGE[0]; x += h)
                sum += fmax(0, fmin(1, 0.5 - muscle(kind, v3_of(x, y, z)) / h));
    return sum * h * h * deep;
}

static snStatus make_truth(Limb *limb, snOutline *truth, snError *error)
{
    const snPhantomDef *def = limb->def;
    float *field = SN_NEW_ARRAY(float, (size_t)def->n[0] * (size_t)def->n[1]);
    bool ok = sn_outline_create(truth, "phantom", def->n[2]) && field;
    for (int32_t k = 0; ok && k < def->n[2]; ++k) ok = true_slice(limb, k, field, truth->slice + k);
    sn_free(field);
    if (!ok) return sn_fail_no_memory(error);
    double scale = 1;
    for (int c = 0; c < 3; ++c) scale *= def->spacing[c] / limb->mm[c];
    truth->volume = true_volume(def->kind) * scale;
    return SN_OK;
}

static void fill_stack(Limb *limb, snStack *stack)
{
    const snPhantomDef *def = limb->def;
    uint64_t random = def->seed * 0x2545f4914f6cdd1du + 1;
    for (int32_t k = 0; k < def->n[2]; ++k) {
        float *value = sn_stack_slice(stack, k);
        if (chosen(def, def->gaps, k, 0.6)) continue;
        limb->hole = chosen(def, def->holes, k, 0.2);
        for (int32_t y = 0; y < def->n[1]; ++y)
            for (int32_t x = 0; x < def->n[0]; ++x) {
                double v = pixel_value(limb, x, y, k) * shading(def, stage_point(limb, x, y, k));
                if (def->noise > 0) v += def->noise * normal(&random);
                *value++ = (float)fmax(0, v);
            }
    }
}

snStatus sn_make_phantom(const snPhantomDef *def, snStack *stack, snContours *truth, snError *error)
{
    if (!truth) return sn_fail_argument(error, "sn_make_phantom without truth");
    snPhantomDef taken = sn_default_phantom_def();
    if (SN_TAKE_DEF(def, snPhantomDef, taken, error)) return SN_BAD_ARGUMENT;
    Limb limb = {.def = def};
    snStackPlace place = sn_default_stack_place();
    snStack made = {0};
    snContours contours = {0};
    snOutline outline = {0};
    for (int c = 0; c < 3; ++c) {
        place.n[c] = def->n[c], place.spacing[c] = def->spacing[c];
        place.origin[c] = -0.5 * (def->n[c] - 1) * def->spacing[c];
        limb.mm[c] = def->n[c] > 0 ? STAGE[c] / def->n[c] : 0;
    }
    if (def->n[0] < 16 || def->n[1] < 16 || def->n[2] < 4)
        return sn_fail(error, SN_BAD_INPUT, "a phantom needs 16 x 16 pixels and 4 slices at least");
    if (!(def->noise >= 0 && def->noise < 1e4) || !(fabs(def->bias) < 1) || def->holes < 0 || def->gaps < 0)
        return sn_fail(error, SN_BAD_INPUT, "no phantom can have noise %g, bias %g, %d holes and %d gaps", def->noise,
                       def->bias, (int)def->holes, (int)def->gaps);
    snStatus status = stack ? sn_stack_create(&place, &made, error) : sn_stack_place_check(&place, error);
    if (status == SN_OK) status = make_truth(&limb, &outline, error);
    contours.place = place;
    if (status == SN_OK) status = sn_contours_put(&contours, &outline, error);
    if (status == SN_OK) {
        if (stack) fill_stack(&limb, &made), *stack = made;
        *truth = contours;
        return SN_OK;
    }
    sn_outline_free(&outline);
    sn_contours_free(&contours);
    sn_stack_free(&made);
    return status;
}
