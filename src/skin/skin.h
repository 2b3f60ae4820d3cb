/* A skin over bare arrays: what sn_create_model_skin fills in from a model, and what tests look at.
 *
 * A skin is made once from a mesh in the pose in which it was modelled (the rest pose), the bodies' poses there, and
 * the strands' control points there. Per frame it takes poses and control points and gives vertices. World frame, SI,
 * poses are position then rotation (w first), as in tracks. */
#ifndef SN_SKIN_SKIN_H
#define SN_SKIN_SKIN_H

#include "sinew/skin.h"

/* Shape of a body for the computation of weights, in the rest pose. Without triangles: a polyline. */
typedef struct snSkinBone {
    int32_t body;
    int32_t nvertex, ntriangle;
    const double *vertex; /* 3 each, world */
    const int32_t *triangle;
} snSkinBone;

/* A body that turns along its parent, side by side with it, as the radius about the ulna: skin over the two goes with
 * the parent at `from` and with the child at `to`, and turns gradually between. */
typedef struct snSkinTwist {
    int32_t parent, child; /* bodies */
    double from[3], to[3]; /* world, rest pose */
} snSkinTwist;

typedef struct snSkinStrand {
    int32_t npoint;                /* >= 4 control points of a cubic */
    const double *knot;            /* npoint + 4; NULL: clamped uniform */
    const double *point;           /* 3 each, in the rest pose */
    double height, lateral, depth; /* a, b, c of the bulge; NaN: the skin's */
    double belly_start, belly_end; /* fractions of the parameter; equal: no belly */
    double belly_radius;           /* m, in the rest pose */
} snSkinStrand;

typedef struct snSkinDef {
    int32_t nvertex, ntriangle;
    const double *vertex;    /* 3 each, world, rest pose; closed and oriented outwards */
    const int32_t *triangle; /* 3 each */
    int32_t nbody;
    const double *rest; /* 7 per body: its pose when the mesh was modelled */
    const int32_t
        *parent; /* per body, -1: none; keeps weights from crossing to a sibling (another finger). May be NULL */
    int32_t ntwist;
    const snSkinTwist *twist; /* may be missing */
    int32_t nbone;
    const snSkinBone *bone;     /* may be missing when weights are given */
    const int32_t *weight_body; /* 4 per vertex, or NULL: computed from the bones */
    const double *weight;       /* 4 per vertex, sum 1 */
    bool base_given; /* each frame brings its base (sn_skin_deform_base): no bones, no weights, the mesh may be open */
    int32_t nstrand;
    const snSkinStrand *strand;
    const double *influence; /* per vertex, 0 to 1: how far strands may move it; NULL: by nearness to the strands */
    snSkinBlend blend;
    double height, lateral, depth; /* a (no unit), b (m), c (m) of the bulge [Sueda 2008, eq. 19]; beyond 3 mm a strand
                                      lifts the skin less and less, and never by more than 6 mm times a */
    double prominence;             /* one factor on all of it, 0 to switch off */
    double belly;                  /* factor on the thickening of bellies, 1 keeps their volume */
    /* what sn_skin_bound gave for a skin of the same def, or NULL: most of the work is not done again */
    const void *bound;
    size_t bound_size;
    bool contact; /* push out of the bones what blending draws into them; bones that are no closed mesh do not count */
    bool touch;   /* part what blending drives into each other: finger and finger, fingertip and palm; needs parent */
} snSkinDef;

snSkinDef sn_default_skin_def(void);
/* Refuses meshes that are open, non-manifold, empty or not finite, naming the place. Copies what it needs. */
snStatus sn_skin_create(const snSkinDef *def, snSkin **skin, snError *error);

/* Vertices (3 each) and, unless NULL, unit normals of the deformed skin for the bodies' poses (7 each) and all strands'
 * control points (3 each, strand after strand). point may be NULL: bones only. */
void sn_skin_deform(snSkin *skin, const double *pose, const double *point, double *vertex, double *normal);

/* The skin's mesh in the rest pose with its weights; lives as long as the skin. */
snDeformSurface sn_skin_surface(const snSkin *skin);

/* The skinned base of the last frame, off the bones, and the offset along its normals, per vertex. */
const double *sn_skin_base(const snSkin *skin);
const double *sn_skin_offset(const snSkin *skin);
/* Influence of the strands, per vertex. */
const double *sn_skin_influence(const snSkin *skin);

void sn_skin_set_prominence(snSkin *skin, double prominence);
void sn_skin_set_belly(snSkin *skin, double belly);
void sn_skin_set_blend(snSkin *skin, snSkinBlend blend);

/* Weights in use: 4 bodies and 4 weights per vertex, largest first. */
const int32_t *sn_skin_weight_bodies(const snSkin *skin);
const double *sn_skin_weights(const snSkin *skin);

#endif
