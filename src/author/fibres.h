/* The strands of a muscle as what a soft muscle needs of them: where its fibres run, what they are attached to, how
 * strong they are. */
#ifndef SN_AUTHOR_FIBRES_H
#define SN_AUTHOR_FIBRES_H

#include "geom/mesh.h"
#include "sinew/model.h"

enum { SN_FIBRE_POINTS = 48 };

typedef struct snFibre {
    v3 at[SN_FIBRE_POINTS];        /* world, as drawn, from origin to insertion, even in the parameter */
    double length;                 /* m */
    double belly_start, belly_end; /* fractions of the parameter; equal: all tendon */
    int32_t body[2];               /* of the model, at origin and insertion; -1: free */
    double force, area;            /* N at full activation, m^2 */
    double stiffness, tendon;      /* Pa */
    double optimal;                /* normalised fibre length of the drawn shape: 1 pulls best */
} snFibre;

typedef struct snFibres {
    int32_t n;
    snFibre *fibre;
    char passive[32], active[32]; /* built-in laws of the first strand; empty: the default */
} snFibres;                       /* zeroed memory is empty */

/* The enabled strands of a list of names separated by blanks. */
snStatus sn_fibres_read(const snSpec *spec, const snModel *model, const char *strands, snFibres *fibres,
                        snError *error);
void sn_fibres_free(snFibres *fibres);

/* Direction of the fibres at a place: tangents of the strands by nearness. Gives the nearest strand, and how far along
 * it the place is (0 to 1). Either may be NULL. */
v3 sn_fibres_direction(const snFibres *fibres, v3 place, int32_t *nearest, double *along);

/* The ends of all strands: what is next to the first or the last `share` of one. */
typedef struct snFibreEnds {
    const snFibres *fibres;
    int32_t count;    /* samples of each strand at each end */
    v3 middle[2];     /* of a ball around those at an end... */
    double radius[2]; /* ... and its radius */
    v3 other;         /* a sample that belongs to neither and was next to the last place */
} snFibreEnds;
snFibreEnds sn_fibre_ends(const snFibres *fibres, double share);
/* 0 or 1: a place is next to the first or the last part of a strand, `which`; -1: to neither. Places that follow each
 * other should be near each other. */
int sn_fibres_end(snFibreEnds *ends, v3 place, int32_t *which);

/* A closed tube around the strands, where the model has no mesh of the muscle. */
snStatus sn_fibres_mesh(const snFibres *fibres, snTriMesh *mesh, snError *error);

#endif
