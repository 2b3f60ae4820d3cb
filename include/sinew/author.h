/* Tools that make models of any anatomy: mirroring, skins from sections, filling a muscle with strands. The programs
 * that make the shipped models from their tables are no part of the library: see models/README.md. */
#ifndef SINEW_AUTHOR_H
#define SINEW_AUTHOR_H

#include "sinew/mesh.h"
#include "sinew/skin.h"
#include "sinew/spec.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same model seen in a mirror: the coordinate `axis` (0, 1 or 2) of the scene changes its sign. Names and the signs
 * of joint coordinates stay, so that a motion in joint coordinates is the mirrored motion. */
SN_API snStatus sn_mirror_spec(const snSpec *spec, int axis, snSpec **mirrored, snError *error);

/* AutoStrands [Kaufman 2008, 3.4.1]: fills a closed muscle mesh with evenly spread strands that run as the given ones.
 *
 * The strands are polylines of `samples` points that relax: repulsion moves each point to the middle of the part of
 * its section of the muscle that is nearer to it than to other strands, stiffness straightens the strand, the wall
 * keeps it inside. Step it as often as you like (to pause, stop calling step), look at the points in between, change
 * the parameters; then take the curves. Lengths are in m. */
typedef struct snAutoStrandInput {
    const char *name;       /* for messages, may be NULL */
    int32_t nposition;      /* at least 2 */
    const double *position; /* 3 each, along the strand from origin to insertion */
} snAutoStrandInput;

typedef struct snAutoStrandsDef {
    size_t size;        /* of this struct: set by its default function */
    const snMesh *mesh; /* closed, not crossing itself; copied */
    int32_t ninput;
    const snAutoStrandInput *input;
    int32_t count;            /* strands in all, shared among the inputs by volume; 0: `duplicates` of each input */
    int32_t duplicates;       /* for each input strand */
    int32_t samples;          /* points for each strand, at least 4 */
    int32_t control_points;   /* of the curves made in the end, 4 to samples; 0: as many as samples */
    double stiffness;         /* how much a strand wants to be straight, not negative */
    double repulsion;         /* how much it wants to be in the middle between its neighbours, positive */
    double attachment_radius; /* m: ends stay so near to the input's ends; 0: share the point; INFINITY: the section */
    double tolerance;         /* m: how far an input strand may be outside the mesh */
} snAutoStrandsDef;

typedef struct snAutoStrands snAutoStrands;

/* Of the curves that sn_autostrands_finish makes. */
typedef struct snAutoStrandsQuality {
    double spacing;           /* m: mean distance to the nearest neighbour, over the sections between the ends */
    double spacing_variation; /* standard deviation over mean of the same, each section over its own mean */
    double nearest;           /* least distance between two strands over the mean of its section */
    int32_t crossings; /* neighbours that change sides: within 2 spacings, turned by over 90 deg more than the muscle */
    double outside;    /* m: furthest that a curve is outside the mesh, 0 when all are inside */
    double wall;       /* m: mean distance to the wall */
    double wall_least; /* m: least distance to the wall of what is inside, between the ends */
    double bend;       /* deg: largest angle between neighbouring pieces of a strand */
    double mean_length; /* m */
} snAutoStrandsQuality;

static inline snAutoStrandsDef sn_default_autostrands_def(void)
{
    SN_DEF(snAutoStrandsDef, def);
    def.duplicates = 10;
    def.samples = 24;
    def.control_points = 12;
    def.stiffness = 10;
    def.repulsion = 1;
    def.attachment_radius = INFINITY;
    def.tolerance = 1e-3;
    return def;
}
/* A step that moves the points less than this, of the spacing, ends the relaxation. */
#define SN_AUTOSTRANDS_CONVERGED 0.002
/* The strands now, for whoever watches them relax; valid until the next step. */
typedef struct snAutoStrandsView {
    int32_t count, samples, control_points;
    const int32_t *input; /* count: which input each strand was made from */
    const double *point;  /* count x samples x 3, strand by strand */
} snAutoStrandsView;
SN_API snAutoStrandsView sn_autostrands_view(const snAutoStrands *strands);
/* Changes parameters while it runs. SN_BAD_INPUT: out of range, nothing is changed. */
SN_API snStatus sn_autostrands_tune(snAutoStrands *strands, double stiffness, double repulsion, int32_t control_points,
                                    snError *error);
/* What a muscle can do, from its shape: volume of its mesh, mean length of its strands (n positions each, 3 numbers a
 * position), physiological cross-section = volume over mean length [Lee 2009, figure 6]. */
typedef struct snMuscleMeasure {
    double volume;        /* m^3 */
    double fiber_length;  /* m */
    double cross_section; /* m^2 */
} snMuscleMeasure;

/* Looks at the strands while they relax: called before the first step (step 0, moved infinite) and after each. It may
 * tune them, show them, and take its time: to pause, do not return. */
typedef enum snFillAnswer { SN_FILL_STEP, SN_FILL_FINISH, SN_FILL_GIVE_UP } snFillAnswer;
typedef snFillAnswer (*snFillWatch)(void *user, snAutoStrands *strands, int32_t step, double moved);

/* A mesh of a model filled with strands of one muscle group. */
typedef struct snFillDef {
    size_t size;           /* of this struct: set by its default function */
    const char *mesh;      /* mesh node of the scene */
    const char *strands;   /* names of the inputs, separated by blanks; they are disabled in the new model */
    const char *group;     /* name of the new group, its strands are NAME_1, NAME_2, ...; empty: the mesh's name */
    snGroupType type;      /* of the group */
    bool preserve;         /* the group keeps its volume: volumetric only */
    int32_t struts;        /* between neighbouring strands: sheet only */
    snAutoStrandsDef fill; /* its mesh and inputs are not looked at */
    int32_t steps;         /* at most; not looked at with watch */
    snFillWatch watch;     /* decides when it is done; NULL: it is when they have converged */
    void *watch_user;
} snFillDef;

typedef struct snFillReport {
    int32_t strands, steps;
    bool converged; /* the last step moved the strands by less than SN_AUTOSTRANDS_CONVERGED of their spacing */
    snAutoStrandsQuality quality;
    snMuscleMeasure muscle;
} snFillReport;

static inline snFillDef sn_default_fill_def(void)
{
    SN_DEF(snFillDef, def);
    def.fill = sn_default_autostrands_def();
    def.steps = 400;
    def.type = SN_GROUP_VOLUMETRIC;
    return def;
}
/* A copy of the model with the strands added. Each gets the attributes and attachments of its input, an equal share of
 * its force and of the muscle's physiological cross-section. Functions that activate the input activate the group.
 * SN_BAD_INPUT: no such mesh or strand, a name that is taken, and what sn_autostrands_create refuses. */
SN_API snStatus sn_fill_muscle(const snSpec *spec, const snFillDef *def, snProgress progress, snSpec **filled,
                               snFillReport *report, snError *error);

/* The skin of a model, ready to deform: its mesh, the poses of its bodies as drawn, bones from the meshes below them,
 * its strands with their bellies. Bodies, strands and control points are in the order of the compiled model. */
typedef struct snModelSkinDef {
    size_t size;                /* of this struct: set by its default function */
    const char *mesh;           /* node; NULL or empty: the model's skin */
    const int32_t *weight_body; /* 4 per vertex: bodies of the compiled model, or NULL: computed from the bones */
    const double *weight;       /* 4 per vertex, sum 1 */
    const double *influence;    /* per vertex, 0 to 1, or NULL: by nearness */
    snSkinBlend blend;
    double prominence, belly;
    double height, lateral, depth; /* a, b (m), c (m) of the bulge; NaN: the model's skin_a, skin_b, skin_c */
    bool base_given;               /* for sn_skin_deform_base: no weights */
    const void *bound; /* what sn_skin_bound gave for the same model and def, so that it is made faster; or NULL */
    size_t bound_size;
} snModelSkinDef;

static inline snModelSkinDef sn_default_model_skin_def(void)
{
    SN_DEF(snModelSkinDef, def);
    def.prominence = 1;
    def.belly = 1;
    def.height = NAN;
    def.lateral = NAN;
    def.depth = NAN;
    return def;
}
SN_API snStatus sn_create_model_skin(const snSpec *spec, const snModelSkinDef *def, snSkin **skin, snError *error);

#ifdef __cplusplus
}
#endif
#endif
