/* Stacks of slice images, the contours of muscles in them, and phantoms whose contours are known.
 *
 * A pixel is a number x (column), y (row) and slice, counted from 0; its centre has whole coordinates. Where a pixel is
 * in the world: origin + x spacing[0] axis[0] + y spacing[1] axis[1] + slice spacing[2] axis[2], in metres. */
#ifndef SN_IMAGE_OWN_IMAGE_H
#define SN_IMAGE_OWN_IMAGE_H

#include "sinew/base.h"

#include <math.h>

/* Where the pixels of a stack are. */
typedef struct snStackPlace {
    int32_t n[3];      /* columns, rows, slices */
    double spacing[3]; /* m */
    double origin[3];  /* m: centre of the first pixel */
    double axis[9];    /* unit vectors of columns, rows and slices, at right angles; may be left-handed */
} snStackPlace;

typedef struct snStack {
    snStackPlace place;
    float *value; /* grey values: columns fastest, then rows, then slices */
} snStack;        /* zeroed memory is an empty stack */

void sn_stack_free(snStack *stack); /* NULL and all zero are fine */

/* A stack from a file: .nii, .nii.gz (NIfTI-1), .nrrd; or from a folder of .png, .pgm or .ppm slices in the
 * order of their names. A folder needs the spacing: given here, or in its file stack.txt with lines such as
 * "spacing 0.5 0.5 5", "origin 0 0 0", "axes 1 0 0 0 1 0 0 0 1" (mm). spacing, if not NULL: three numbers in m that
 * count instead of the file's. Colours become grey. World axes are right, front (anterior) and up (superior) for NIfTI
 * and NRRD. */
snStatus sn_load_stack(const char *path, const double *spacing, snStack *stack, snError *error);
/* By the ending: .nii, .nii.gz and .nrrd (single precision); anything else is a folder, which is made, of 16-bit slices
 * in the format "png" or "pgm". Grey values in slices are rounded to whole numbers from 0 to 65535. */
snStatus sn_save_stack(const snStack *stack, const char *path, const char *format, snError *error);

/* ---- contours --------------------------------------------------------------------------------- */

/* name in the file, what it means */
#define SN_SLICE_STATE_TABLE(X)                                                                                        \
    X(SN_SLICE_EMPTY, "empty", "the muscle is not in this slice")                                                      \
    X(SN_SLICE_GROWN, "grown", "found")                                                                                \
    X(SN_SLICE_LEAKING, "leaking", "the muscle runs into its surroundings and was cut there: look at it")              \
    X(SN_SLICE_BRIDGED, "bridged", "the image shows nothing; interpolated between its neighbours")                     \
    X(SN_SLICE_HAND, "hand", "drawn by hand: kept as it is")
typedef enum snSliceState {
#define X(name, text, meaning) name,
    SN_SLICE_STATE_TABLE(X)
#undef X
} snSliceState;

typedef struct snLoop {
    int32_t npoint;
    double *point; /* x, y in pixels; closed, not crossing; positive area: outer border, negative: hole */
} snLoop;

typedef struct snSlice {
    snSliceState state;
    int32_t nloop;
    snLoop *loop;
} snSlice;

enum { SN_MUSCLE_NAME = 64 };
typedef struct snOutline {
    char name[SN_MUSCLE_NAME];
    int32_t nslice; /* as many as the stack has */
    snSlice *slice;
    int32_t nseed, nwall;
    double *seed;     /* x, y, slice each: where it was grown from */
    double *wall;     /* x0, y0, x1, y1, slice each: lines that growing does not cross */
    double low, high; /* grey values of the muscle; NaN: not known */
    double volume;    /* m^3, if known otherwise than from the contours (phantoms); 0: not */
} snOutline;

/* Muscles of one stack: the contour library. */
typedef struct snContours {
    snStackPlace place;
    int32_t nmuscle;
    snOutline *muscle;
} snContours; /* zeroed memory is empty */

void sn_contours_free(snContours *contours); /* NULL and all zero are fine */
const snOutline *sn_contours_find(const snContours *contours,
                                  const char *muscle); /* NULL: none. muscle NULL: the first */
/* Puts the muscle in the place of the one of its name, or behind the last; takes its memory over unless it fails. */
snStatus sn_contours_put(snContours *contours, snOutline *muscle, snError *error);
void sn_outline_free(snOutline *muscle);

/* *.contours.xml: spacing, origin, axes (mm), then loops by slice number and muscle. Refused with line and column:
 * loops that cross themselves or each other, points outside the image, slices that the stack does not have. */
snStatus sn_load_contours(const char *path, snContours *contours, snError *error);
snStatus sn_save_contours(const snContours *contours, const char *path, snError *error);

/* Slices that show the muscle with its contours drawn over them, up to 20 in one picture, a .png: found red, leaking
 * yellow, bridged blue, drawn by hand green. */
snStatus sn_save_contour_picture(const snStack *stack, const snOutline *muscle, const char *path, snError *error);

double sn_slice_area(const snSlice *slice); /* square pixels */
/* Twice the common area over the sum of the areas: of two slices, and of two muscles of the same stack. 1: both empty.
 * NaN: out of memory, or muscles of different stacks. */
double sn_slice_dice(const snSlice *a, const snSlice *b);
double sn_outline_dice(const snOutline *a, const snOutline *b);
int32_t sn_outline_count(const snOutline *muscle, snSliceState state); /* slices in a state */

/* ---- seed growing ----------------------------------------------------------------------------- */

typedef struct snGrowDef {
    size_t size;      /* of this struct: set by its default function */
    const char *name; /* of the muscle */
    int32_t nseed;
    const double *seed; /* x, y, slice each */
    int32_t nwall;
    const double *wall;    /* x0, y0, x1, y1, slice each; may be NULL */
    double low, high;      /* grey values of the muscle; NaN: found half-way between the tissues around the seed */
    int32_t opening;       /* pixels: necks narrower than twice this are cut */
    double jump;           /* a slice leaks where it gains more than this share of its neighbour's area away from it */
    int32_t bridge;        /* slices without an image that are bridged, at most */
    const snOutline *kept; /* slices drawn by hand are kept and grown from; may be NULL */
    snProgress progress;
} snGrowDef;

static inline snGrowDef sn_default_grow_def(void)
{
    SN_DEF(snGrowDef, def);
    def.name = "muscle";
    def.low = NAN;
    def.high = NAN;
    def.opening = 4;
    def.jump = 0.08;
    def.bridge = 2;
    return def;
}
/* SN_BAD_INPUT: a seed outside the stack or off the tissue, a muscle that reaches the border
 * of the image at the seed. */
snStatus sn_grow_contours(const snStack *stack, const snGrowDef *def, snOutline *muscle, snError *error);

/* ---- phantoms --------------------------------------------------------------------------------- */

/* name, what it is */
#define SN_PHANTOM_TABLE(X)                                                                                            \
    X(SN_PHANTOM_SPINDLE, "spindle", "an ellipsoid")                                                                   \
    X(SN_PHANTOM_BENT, "bent", "an ellipsoid along an arc")                                                            \
    X(SN_PHANTOM_HEADS, "heads", "two heads that join in one belly")                                                   \
    X(SN_PHANTOM_BRANCHING, "branching", "a belly that divides into three tails")
typedef enum snPhantomKind {
#define X(name, text, meaning) name,
    SN_PHANTOM_TABLE(X)
#undef X
} snPhantomKind;
bool sn_phantom_find(const char *name, snPhantomKind *kind);

typedef struct snPhantomDef {
    size_t size; /* of this struct: set by its default function */
    snPhantomKind kind;
    int32_t n[3];
    double spacing[3]; /* m */
    double noise;      /* standard deviation; muscle is 100, fat 180 */
    double bias;       /* grey values change by this share across the stack */
    bool neighbour;    /* another muscle of the same grey behind a fascia, and a bone */
    int32_t holes;     /* slices in which the fascia has a hole */
    int32_t gaps;      /* slices that are lost: black */
    uint64_t seed;     /* of the noise */
} snPhantomDef;

static inline snPhantomDef sn_default_phantom_def(void)
{
    SN_DEF(snPhantomDef, def);
    def.n[0] = 192;
    def.n[1] = 144;
    def.n[2] = 60;
    def.spacing[0] = 0.5e-3;
    def.spacing[1] = 0.5e-3;
    def.spacing[2] = 5e-3;
    def.noise = 15;
    def.bias = 0.1;
    def.neighbour = true;
    def.holes = 3;
    def.seed = 1;
    return def;
}
/* The stack (NULL: not wanted), and the true contours in the plane of each slice, with the true volume. */
snStatus sn_make_phantom(const snPhantomDef *def, snStack *stack, snContours *truth, snError *error);

#endif
