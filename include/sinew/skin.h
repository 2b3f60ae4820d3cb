/* Skin over moving bones and tendons: bone weights, blending, and the bulge that a tendon or a thickening belly makes.
 *
 * A skin is made once from a mesh in the pose in which it was modelled (the rest pose), the bodies' poses there, and
 * the strands' control points there. Per frame it takes poses and control points and gives vertices. World frame, SI,
 * poses are position then rotation (w first), as in tracks. A skin belongs to one thread at a time; deforming allocates
 * nothing. */
#ifndef SINEW_SKIN_H
#define SINEW_SKIN_H

#include "sinew/deform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snSkin snSkin;

typedef enum snSkinBlend { SN_SKIN_LINEAR, SN_SKIN_DUAL_QUATERNION } snSkinBlend;

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
    int32_t parent, child;  /* bodies */
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
    const snSkinTwist *twist;   /* may be missing */
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
    bool contact; /* push out of the bones what blending draws into them; bones that are no closed mesh do not count */
} snSkinDef;

SN_API snSkinDef sn_default_skin_def(void);
/* Refuses meshes that are open, non-manifold, empty or not finite, naming the place. Copies what it needs. */
SN_API snStatus sn_skin_create(const snSkinDef *def, snSkin **skin, snError *error);
SN_API void sn_skin_destroy(snSkin *skin); /* NULL is fine */

/* Vertices (3 each) and, unless NULL, unit normals of the deformed skin for the bodies' poses (7 each) and all strands'
 * control points (3 each, strand after strand). point may be NULL: bones only. */
SN_API void sn_skin_deform(snSkin *skin, const double *pose, const double *point, double *vertex, double *normal);

/* The same over a base that somebody else has skinned: vertices (3 each) of this frame, world. */
SN_API void sn_skin_deform_base(snSkin *skin, const double *base, const double *point, double *vertex, double *normal);

/* The skin's mesh in the rest pose with its weights; lives as long as the skin. */
SN_API snDeformSurface sn_skin_surface(const snSkin *skin);
/* The skin as a deformer of one surface. Destroying the deformer destroys the skin; until then sn_skin_info and the
 * setters may be used. On failure the skin stays yours. */
SN_API snStatus sn_skin_deformer(snSkin *skin, const char *name, const double color[3], snDeformer **deformer,
                                 snError *error);

/* What the last frame did. */
typedef struct snSkinInfo {
    double max_bulge;           /* m, along the normal */
    int32_t bulged;             /* vertices moved by more than a micrometre */
    double base_volume, volume; /* of the skinned base and of the result, m^3 */
    double blend_seconds, bulge_seconds, normal_seconds;
    int64_t curve_evaluations; /* closest points on pieces of curve */
    double contact_seconds;    /* keeping off the bones */
    double bulge_cpu_seconds;  /* processor time of the bulge: on a shared machine less than bulge_seconds */
    double search_cpu_seconds; /* of that the search for closest points with equation 19 */
} snSkinInfo;
SN_API snSkinInfo sn_skin_info(const snSkin *skin);

/* The skinned base of the last frame, off the bones, and the offset along its normals, per vertex. */
SN_API const double *sn_skin_base(const snSkin *skin);
SN_API const double *sn_skin_offset(const snSkin *skin);
/* Weights in use: 4 bodies and 4 weights per vertex, largest first; influence per vertex. */
SN_API const int32_t *sn_skin_weight_bodies(const snSkin *skin);
SN_API const double *sn_skin_weights(const snSkin *skin);
SN_API const double *sn_skin_influence(const snSkin *skin);

SN_API void sn_skin_set_prominence(snSkin *skin, double prominence);
SN_API void sn_skin_set_belly(snSkin *skin, double belly);
SN_API void sn_skin_set_blend(snSkin *skin, snSkinBlend blend);
/* By brute force over all strands instead of the tree: the reference for tests and benchmarks. */
SN_API void sn_skin_set_brute_force(snSkin *skin, bool on);

#ifdef __cplusplus
}
#endif
#endif
