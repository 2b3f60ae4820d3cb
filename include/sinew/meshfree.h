/* Soft muscles and their deformation libraries.
 *
 * A muscle mesh of a model is filled with points and brought to equilibrium at some poses and activations; the shapes
 * are kept in a library, which then plays at the price of a blend. SI; names are those of the model. */
#ifndef SINEW_MESHFREE_H
#define SINEW_MESHFREE_H

#include "sinew/deform.h"
#include "sinew/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snLibrary snLibrary;

/* An axis of the library: a joint coordinate and how many samples along its range. */
typedef struct snLibraryAxisDef {
    const char *coordinate; /* such as GH.1 */
    int32_t samples;        /* at least 2 */
    double low, high;       /* rad or m; equal: the joint's limits */
} snLibraryAxisDef;

typedef struct snLibraryDef {
    size_t size;        /* of this struct: set by its default function */
    const char *muscle; /* muscle groups, or meshes after which groups are named, separated by blanks; NULL: every
                           group that has a mesh of its own and every such mesh. Of several, those that cannot be made
                           are left out */
    bool every;         /* without a name: every group; a mesh is made around the strands of one that has none */
    const char *mesh;   /* mesh node of the muscle; NULL: found by name, or made around the strands */
    int32_t naxis;      /* at most 2; 0: the coordinate that moves the muscle most */
    const snLibraryAxisDef *axis;
    int32_t activations;  /* samples from tone to 1; 1: tone only */
    int32_t points;       /* in each muscle */
    double mu, bulk;      /* Pa: shear modulus of the matter between the fibres, and lambda over mu */
    double prestretch;    /* of the fibres as drawn */
    double tone;          /* least activation */
    double jump;          /* m: a sample solved from another neighbour may end this far away at most */
    double midpoint;      /* m: a cell whose middle is off by more is divided */
    int32_t most_samples; /* along an axis after dividing, 2 to 17 */
    bool contact;         /* keep out of the bones */
    int32_t threads;      /* 0: all cores; the result does not depend on it */
    snProgress progress;
    const snLibrary *known; /* its muscles are taken over instead of being made again, where their meshes have not
                               changed; may be NULL */
    /* Called after each of several muscles with all that are finished, so that they can be saved; may be NULL. What it
     * returns other than SN_OK ends the work. */
    snStatus (*finished)(void *user, const snLibrary *so_far);
    void *user;
} snLibraryDef;

static inline snLibraryDef sn_default_library_def(void)
{
    SN_DEF(snLibraryDef, def);
    def.activations = 3;
    def.points = 400;
    def.mu = 25e3;
    def.bulk = 120;
    def.prestretch = 1.1;
    def.tone = 0.1;
    def.jump = 5e-3;
    def.midpoint = 1e-3;
    def.most_samples = 9;
    def.contact = true;
    return def;
}
/* Solves the samples. A sample that does not converge, or that is on another branch than its neighbours, makes the box
 * smaller, and the note in snLibraryInfo says so. SN_BAD_INPUT: no such muscle or coordinate, no attachments, a mesh
 * that cannot be filled. SN_CANCELLED by the progress: the library has the muscles that are finished, or is NULL. */
SN_API snStatus sn_create_library(const snSpec *spec, const snLibraryDef *def, snLibrary **library, snError *error);
SN_API void sn_library_destroy(snLibrary *library); /* NULL is fine */

/* What a muscle of a library is like. */
typedef struct snLibraryInfo {
    const char *name, *mesh, *note; /* note: what was restricted and why, empty where nothing was */
    int32_t vertices, samples, axes;
    const char *axis[3];
    bool angle[3]; /* values are rad */
    int32_t axis_samples[3];
    double low[3], high[3]; /* rad, m or activation */
    double jump;            /* m: how far a sample is from itself solved from another neighbour, at most: large
                               where the muscle snaps between two samples */
    double step;            /* m: largest difference of neighbouring shapes, in the frame of the bones */
    double midpoint_rms, midpoint_max; /* m: blend against true solves at the middles of cells */
    double left_out;                   /* m: worst error when a sample is left out; pessimistic */
    double least_volume;               /* over that at rest, of the worst sample */
    double least_ratio;                /* volume ratio at the worst point of all samples */
    double residual;                   /* N, of the worst sample */
    double contact_depth;              /* m: deepest point in a bone, of all samples; 0 when read from a file */
} snLibraryInfo;
SN_API int32_t sn_library_count(const snLibrary *library);
SN_API snStatus sn_library_info(const snLibrary *library, int32_t muscle,
                                snLibraryInfo *info); /* SN_BAD_INPUT past the last */

SN_API snStatus sn_save_library(const snLibrary *library, const char *path, snError *error);
/* SN_BAD_FILE with the place of what is wrong. */
SN_API snStatus sn_load_library(const char *path, snLibrary **library, snError *error);

/* The muscles as surfaces that follow bones and activations. The library belongs to the deformer from
 * then on, unless this fails.
 * SN_BAD_INPUT: the library was made for other meshes, or names bodies or coordinates that the model lacks. */
SN_API snStatus sn_library_deformer(const snSpec *spec, snLibrary *library, snDeformer **deformer, snError *error);
/* A skin that the muscles lift: what their surfaces move beyond the bones moves the skin within 3 cm of them, less with
 * depth. The skin (a deformer) and the library belong to the new deformer, and are destroyed where this fails. */
SN_API snStatus sn_library_skin_deformer(const snSpec *spec, snDeformer *skin, snLibrary *library,
                                         snDeformer **deformer, snError *error);

#ifdef __cplusplus
}
#endif
#endif
