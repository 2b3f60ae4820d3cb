/* What a kind of deformer brings: its surfaces, and the function that moves them. To use one: sinew/deform.h. */
#ifndef SN_GEOM_DEFORM_H
#define SN_GEOM_DEFORM_H

#include "sinew/deform.h"

/* What the last frame took. */
typedef struct snDeformInfo {
    double seconds;
    int32_t iterations; /* 0: not iterative */
    double residual;    /* relative, of an iterative one */
    bool converged;     /* true for one that is not iterative */
} snDeformInfo;

/* An implementation. The surfaces, all that they point to, and `self` live until destroy is called. */
typedef struct snDeformerDef {
    size_t size; /* of this struct, set by sn_default_deformer_def */
    int32_t nsurface;
    const snDeformSurface *surface;
    void *self;
    /* Writes the points (3 each) of all surfaces, one surface after the other. May change `info`, which comes in as
     * that of a method that is not iterative; seconds are measured by the caller. */
    snStatus (*deform)(void *self, const snFrame *frame, double *point, snDeformInfo *info, snError *error);
    void (*destroy)(void *self); /* may be NULL */
} snDeformerDef;
static inline snDeformerDef sn_default_deformer_def(void)
{
    SN_DEF(snDeformerDef, def);
    return def;
}
/* SN_BAD_INPUT: no surface, a triangle out of range, a weight without body. On failure `self` stays yours. */
snStatus sn_deformer_create(const snDeformerDef *def, snDeformer **deformer, snError *error);
snDeformInfo sn_deform_info(const snDeformer *deformer);

#endif
