/* Flesh: soft tissue by finite elements around the bones and muscles of a model, with the skin embedded in it.
 *
 * From a model: its outer surface (the skin, or one grown over bones and muscles) is filled with a lattice of
 * tetrahedra; bones hold the flesh around them, muscles pull along their fibres by their activation, and each frame is
 * the rest that all of it comes to [Lee 2009, section 3.3]. A flesh belongs to one thread at a time and works with
 * several of its own; results do not depend on their number. World frame, SI. */
#ifndef SINEW_FLESH_H
#define SINEW_FLESH_H

#include "sinew/deform.h"
#include "sinew/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snFlesh snFlesh;

typedef struct snFleshDef {
    size_t size;          /* of this struct: set by its default function */
    const char *mesh;     /* closed mesh node: the outer surface; NULL: the model's skin, or grown where it has none */
    int32_t tetrahedra;   /* wished number, or what the thinnest part needs; the spacing follows */
    double spacing;       /* m: side of the lattice's cubes; 0: from the wished number */
    int32_t sizes;        /* of cells: 1: all alike; 2, 3: twice and four times as large deep inside */
    double mu10, mu01;    /* Pa [Lee 2009: 20 and 60 kPa] */
    double kappa;         /* Pa: bulk modulus [10 MPa] */
    double muscle_stress; /* Pa: of fully active muscle [0.3 MPa] */
    double optimum;       /* stretch at which fibres are strongest [1.4] */
    double density;       /* kg/m^3 */
    double hold;          /* N/m^4: how firmly a bone holds the flesh inside it */
    double cover;         /* m: flesh over bones and muscles where the surface is grown */
    bool gravity;         /* the model's, beyond what the drawn shape already carries: none at rest */
    bool contact;         /* parts of the surface that are far from each other in the drawn pose do not pass through */
    bool muscles;         /* muscle meshes are surfaces of the deformer too */
    double tolerance;     /* m: how far a frame may be from rest */
    double jiggle;        /* s between frames: with inertia, by backward Euler; 0: at rest in every frame */
    int32_t threads;      /* 0: all cores */
} snFleshDef;

static inline snFleshDef sn_default_flesh_def(void)
{
    SN_DEF(snFleshDef, def);
    def.tetrahedra = 100000;
    def.sizes = 1;
    def.mu10 = 2e4;
    def.mu01 = 6e4;
    def.kappa = 1e7;
    def.muscle_stress = 3e5;
    def.optimum = 1.4;
    def.density = 1060;
    def.hold = 1e11;
    def.cover = 0.005;
    def.gravity = true;
    def.contact = true;
    def.tolerance = 1e-5;
    return def;
}
/* SN_BAD_INPUT with place and remedy: a surface that is open, faces inwards or crosses itself, no bone inside it, a
 * lattice too coarse for a part, constants that are not positive, more memory than there is. */
SN_API snStatus sn_create_model_flesh(const snSpec *spec, const snFleshDef *def, snProgress progress, snFlesh **flesh,
                                      snError *error);
SN_API void sn_flesh_destroy(snFlesh *flesh); /* NULL is fine */
/* As a deformer, which destroys the flesh in the end. On failure the flesh stays yours. */
SN_API snStatus sn_flesh_deformer(snFlesh *flesh, snDeformer **deformer, snError *error);
/* What the last frame did. */
typedef struct snFleshInfo {
    int32_t newton, cg, projected, halvings; /* iterations; with positive eigenvalues; halved steps */
    double energy;                           /* J */
    double volume_ratio;                     /* of the surface, to that as drawn */
    double least_j;                          /* least volume ratio of a tetrahedron */
    int32_t inverted;
    double step;     /* m: largest move of the last iteration */
    double residual; /* N */
    bool converged;
    int32_t substeps; /* 1, or more where the bones had to be moved little by little */
    int32_t contacts; /* points pushed out of another part */
    double deepest;   /* m: how far a point of one part is inside another one, also without contact */
    double seconds, evaluate_s, assemble_s, coarsen_s, cg_s;
} snFleshInfo;
SN_API snFleshInfo sn_flesh_info(const snFlesh *flesh);

#ifdef __cplusplus
}
#endif
#endif
