/* What commands ask of a flesh beside deforming: its size, its precision, going on after an interruption. */
#ifndef SN_AUTHOR_OWN_FLESH_H
#define SN_AUTHOR_OWN_FLESH_H

#include "sinew/flesh.h"

/* What it is made of. */
typedef struct snFleshSize {
    int32_t tetrahedra, nodes, levels, bones, muscles, colors;
    int32_t tetrahedra_of[3], hanging; /* of the spacing, twice and four times as large; corners between them */
    double spacing, volume;            /* m; m^3 inside the surface as drawn */
    double muscle_volume;              /* m^3 */
    int64_t bytes;                     /* of the solver */
    int32_t parts_dropped;             /* pieces of flesh that no bone holds */
    int32_t muscles_outside;           /* the surface: they pull nothing here */
    const char *first_outside;         /* name of one of them, or NULL */
    int32_t muscles_thin;              /* inside it, but so thin that they fall between the cells: they pull nothing */
    const char *thinnest;              /* of them, or NULL */
    double thin_spacing;               /* m: a spacing that would take it in */
} snFleshSize;
snFleshSize sn_flesh_size(const snFlesh *flesh);

/* Precision for the frames that follow, m: 1e-5 is the default, 5e-5 is good enough for a preview. */
void sn_flesh_set_tolerance(snFlesh *flesh, double tolerance);
/* How far the skin is from the middle of a bone in the pose of the last frame, m, all around it in a plane across it,
 * `at` (0 to 1) of the way from the bone's upper end as drawn to its lower end; rays turn with the bone, infinite: no
 * skin there. point: what the last frame gave. SN_BAD_INPUT: no such bone, or no skin around it. */
enum { SN_FLESH_RAYS = 72 };
snStatus sn_flesh_section(const snFlesh *flesh, const char *bone, double at, const double *point, double *ray,
                          snError *error);
/* The state after a frame, so that the next one comes out the same in another process. Returns its size, which is
 * always the same for a flesh; bytes may be NULL. */
size_t sn_flesh_save(const snFlesh *flesh, void *bytes);
/* SN_BAD_INPUT: a state of another size, hence of another flesh. */
snStatus sn_flesh_load(snFlesh *flesh, const void *bytes, size_t size, snError *error);

#endif
