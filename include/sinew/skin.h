/* Skin over moving bones and tendons: bone weights, blending, and the bulge that a tendon or a thickening belly makes.
 *
 * sn_create_model_skin (sinew/author.h) makes the skin of a model, sn_skin_deformer the deformer that moves it frame by
 * frame. World frame, SI. A skin belongs to one thread at a time; deforming allocates nothing. */
#ifndef SINEW_SKIN_H
#define SINEW_SKIN_H

#include "sinew/deform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snSkin snSkin;

typedef enum snSkinBlend { SN_SKIN_LINEAR, SN_SKIN_DUAL_QUATERNION } snSkinBlend;

SN_API void sn_skin_destroy(snSkin *skin); /* NULL is fine */

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
    double touch_seconds;      /* processor time of parting skin from skin */
    double touch_depth;        /* m: how deep blending had driven one limb into another, before they were parted */
    int32_t touching;          /* vertices that were inside another limb */
} snSkinInfo;
SN_API snSkinInfo sn_skin_info(const snSkin *skin);

#ifdef __cplusplus
}
#endif
#endif
