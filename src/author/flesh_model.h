/* The flesh of a model, as its files see it. */
#ifndef SN_AUTHOR_FLESH_MODEL_H
#define SN_AUTHOR_FLESH_MODEL_H

#include "author/flesh.h"

enum { SN_FLESH_BONES = 4 }; /* that predict a node */

struct snFlesh {
    snFleshDef def;
    snAnatomy anatomy;
    snBvh *tree;            /* of the skin as drawn */
    snFleshSamples samples; /* while it is made */
    snTissue tissue;
    snPool *pool;
    double spacing, volume, muscle_volume, gravity[3];
    int32_t held, dropped, outside, thin;
    const char *first_outside, *thinnest;
    double thin_spacing;
    int32_t *body;  /* SN_FLESH_BONES per node */
    double *weight; /* the same */
    double *predicted, *before,
        *good;                     /* 4 per node: skinned nodes of the last pose, frame before the last, last rest */
    double *beside, *drift, *turn; /* 4 per node: way from the skinned node, its change, and the change of that */
    double *pose, *part_pose;      /* 7 per body: of the last frame; in between */
    int32_t ndrive; /* what the muscles do: activation per muscle, then stretch per strand that its tendons leave it */
    double *drive, *part_drive, *target; /* of the last frame; in between; of this one */
    double *line;                        /* points of all line muscles, scratch */
    bool started;
    double frames_moved; /* since it started, for the inertia */
    int32_t nsurface, npoint;
    snDeformSurface *surface;
    snEmbedded *embedded;           /* of all points */
    struct snFleshContact *contact; /* pushes only where the def asks for contact */
    snFleshInfo info;
};

/* Back to the pose as drawn. */
void sn_flesh_restart(snFlesh *f);

/* Parts of the surface that may meet, and the pushes that keep them apart. */
snStatus sn_flesh_contact_create(snFlesh *f);
void sn_flesh_contact_free(snFlesh *f);
/* Finds the pushes for the state of the tissue and counts them in the info; returns by how much a point is pushed
 * further or less far than by the last ones, m. */
double sn_flesh_contact_update(snFlesh *f);
void sn_flesh_contact_forget(snFlesh *f); /* no pushes */
/* How far the deepest point of a part is inside another one, m. Forgets how pushes have changed. */
double sn_flesh_contact_deepest(snFlesh *f);

#endif
