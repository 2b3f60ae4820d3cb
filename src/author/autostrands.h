/* AutoStrands: what its parts share.
 *
 * Every strand has the same number of points; point k of all strands lies in section k of the muscle. Sections are the
 * level sets of a fraction along the input strands, known through sample points spread evenly inside the mesh. Filling
 * a section evenly is then Lloyd's relaxation over its samples: each strand moves to the mean of the samples nearest to
 * it.
 *
 * Invariants: strands made from input a follow each other; section k has samples first[k] .. first[k + 1] - 1; every
 * point is inside the mesh by at least the margin of its section where the section is wide enough. */
#ifndef SN_AUTHOR_AUTOSTRANDS_H
#define SN_AUTHOR_AUTOSTRANDS_H

#include "geom/bvh.h"
#include "sinew/author.h"

struct snAutoStrands {
    snTriMesh mesh;
    snBvh *tree;
    snMeshSide side;
    double stiffness, repulsion, attachment_radius;
    int32_t ninput, count, samples, control_points;
    double *path;           /* ninput x samples x 3: the inputs, evenly spaced along their length */
    double *tangent;        /* the same shape, unit */
    int32_t *input;         /* count: input that a strand was made from */
    double *point, *target; /* count x samples x 3 */
    int32_t *first;         /* samples + 1 */
    double *place;          /* 3 for each sample of the muscle */
    int32_t *owner;         /* for each sample of the muscle: nearest input */
    int32_t *weight;        /* count: scratch, samples in each strand's part */
    double *lane;           /* 7 x count: scratch, a section's points side by side */
    double *spacing;        /* samples: wished distance between strands in a section */
    int32_t steps;          /* since the beginning, or since parameters changed */
    double moved;           /* in the last step, over the spacing */
};

static inline v3 sn_autostrands_at(const snAutoStrands *a, int32_t strand, int32_t k)
{
    return v3_load(a->point + 3 * ((size_t)strand * (size_t)a->samples + (size_t)k));
}
static inline v3 sn_autostrands_path(const snAutoStrands *a, int32_t input, int32_t k)
{
    return v3_load(a->path + 3 * ((size_t)input * (size_t)a->samples + (size_t)k));
}
static inline v3 sn_autostrands_tangent(const snAutoStrands *a, int32_t input, int32_t k)
{
    return v3_load(a->tangent + 3 * ((size_t)input * (size_t)a->samples + (size_t)k));
}

/* Spreads sample points over the sections: fills first, place, owner, spacing; SN_NO_MEMORY, or SN_BAD_INPUT when
 * nothing of the mesh lies beside the inputs. per_section: wished number. (autostrands_sample.c) */
snStatus sn_autostrands_sample(snAutoStrands *a, int32_t per_section, snError *error);
/* Shares `count` strands among the inputs by the samples they own, in every one at least one. */
void sn_autostrands_share(snAutoStrands *a);
/* Puts the strands around their inputs, evenly in the widest section and alike in the others. (autostrands_relax.c) */
void sn_autostrands_begin(snAutoStrands *a);

/* SN_BAD_INPUT with place and remedy: a mesh that is open or crosses itself, a strand outside it, wrong parameters. */
snStatus sn_autostrands_create(const snAutoStrandsDef *def, snAutoStrands **strands, snError *error);
void sn_autostrands_destroy(snAutoStrands *strands); /* NULL is fine */
/* One step without allocating; returns how far the points moved (root mean square) over the spacing. */
double sn_autostrands_step(snAutoStrands *strands);
/* Steps until a step moves less than SN_AUTOSTRANDS_CONVERGED of the spacing, at most `steps` times. SN_CANCELLED when
 * progress says so: the strands are then as far as they got. steps_done may be NULL. */
snStatus sn_autostrands_run(snAutoStrands *strands, int32_t steps, snProgress progress, int32_t *steps_done);
snStatus sn_autostrands_quality(const snAutoStrands *strands, snAutoStrandsQuality *quality, snError *error);

/* Of strands of nposition points each, 3 numbers a point. */
snStatus sn_measure_muscle(const snMesh *mesh, int32_t nstrand, int32_t nposition, const double *position,
                           snMuscleMeasure *measure, snError *error);
/* Adds the struts of a whole group as constraints of their own, to be moved or removed one by one (the group's
 * attribute `struts` places the same ones without showing them): `count` between each two neighbouring strands, evenly
 * from the group's start to its end, each to the nearest point of the other, as long as drawn, with the group's kp and
 * kd. Neighbours are the pairs of the shortest tree through all strands. They are called GROUP.strut1.1, ...
 * SN_BAD_INPUT, nothing added: no such group, a strand without a sound curve, a name that is taken. */
snStatus sn_add_struts(snSpec *spec, snId group, int32_t count, snStrutMode mode, snError *error);

#endif
