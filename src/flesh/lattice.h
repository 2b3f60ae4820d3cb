/* The lattice that carries flesh: body-centred cubic tetrahedra, kept as octahedra of four, over sampled material.
 *
 * Nodes are the corners (A) and the centres (B) of cubes. Every face of a cube is the waist of one octahedron: its four
 * corners and the centres on both sides. The octahedra fill space, the four tetrahedra of one share the edge between
 * its two centres, and all tetrahedra are congruent. The lattice of twice the spacing has nodes at every second corner
 * and at the corners between: the finer nodes are the coarser ones and the middles of the coarser edges.
 *
 * Material is given as samples on a regular grid, four to a spacing, with links between neighbours that the surface
 * does not part. Samples of one octahedron that are not linked inside it (two fingers in one cell) get an octahedron
 * each, and nodes of neighbouring octahedra are one only where linked samples connect them [Lee 2009, 3.3.2].
 *
 * Deep inside, cells may have twice or four times the spacing: they are octahedra of the nested lattices, and each of
 * their tetrahedra stands for eight smaller ones. Smaller neighbours have corners in the middle of their edges; such a
 * corner hangs: it is the mean of the two ends. Octahedra beside larger ones may be half: two of their four tetrahedra
 * lie in the larger one and hold nothing.
 *
 * Invariants: octahedra are sorted by layers along the lattice's longest side; every octahedron has six nodes; every
 * node belongs to an octahedron; no node hangs on one that hangs. */
#ifndef SN_FLESH_LATTICE_H
#define SN_FLESH_LATTICE_H

#include "math/vec.h"
#include "sinew/base.h"

#include <string.h>

enum {
    SN_LATTICE_SIZES = 3, /* of cells: the finest spacing, twice and four times as much */
    SN_LATTICE_FINE = 4,  /* samples to a spacing of the finest lattice */
    SN_SAMPLE_INSIDE = 8  /* bits 1, 2, 4 of a sample: linked to its neighbour in +x, +y, +z */
};

typedef struct snSamples {
    v3 low;         /* corner of the grid */
    double spacing; /* m, between samples */
    int32_t n[3];   /* z fastest */
    uint8_t *flag;  /* SN_SAMPLE_INSIDE and links */
    uint8_t *size;  /* its cell has the finest spacing times 2^size; NULL: all have the finest */
} snSamples;

/* Sample i lies at low + spacing (i + shift): off the planes between tetrahedra, on any level. */
static inline v3 sn_sample_point(const snSamples *s, int32_t x, int32_t y, int32_t z)
{
    return v3_of(s->low.x + s->spacing * (x + 0.53), s->low.y + s->spacing * (y + 0.48),
                 s->low.z + s->spacing * (z + 0.515));
}

static inline v3 sn_sample_at(const snSamples *s, int32_t sample)
{
    return sn_sample_point(s, sample / (s->n[1] * s->n[2]), sample / s->n[2] % s->n[1], sample % s->n[2]);
}

typedef struct snLattice {
    v3 low;
    double spacing; /* m: side of the smallest cubes */
    int32_t n[3];   /* cubes */
    int32_t axis;   /* of the layers */
    int32_t noct, nnode, nhang;
    int32_t *oct_node;   /* 6 each: centres below and above the face, its corners counter-clockwise about its axis.
                          * From nnode on they hang */
    int32_t *oct_face;   /* 4 each: axis + 4 * size, and the cube of that size whose lower side it is */
    int32_t *node_at;    /* 3 each, in half spacings from low; those that hang too */
    int32_t *hang;       /* 2 per node that hangs: the ends of its edge */
    int32_t *sample_oct; /* per sample, -1 outside; freed by sn_lattice_forget */
} snLattice;             /* zeroed memory is an empty lattice */

/* Level 0 has four samples to a spacing, each further level twice as many; larger cells stay as they are until all are
 * as large. SN_NO_MEMORY is all that fails. */
snStatus sn_lattice_create(const snSamples *samples, int32_t level, snLattice *lattice);
void sn_lattice_free(snLattice *lattice);
void sn_lattice_forget(snLattice *lattice);
/* Two coarse nodes for each fine one, their mean is where it is (twice the same: they coincide). Both lattices must
 * still have their samples. */
snStatus sn_lattice_parents(const snSamples *samples, const snLattice *fine, const snLattice *coarse, int32_t *parent);
/* New numbers for the nodes that do not hang. */
snStatus sn_lattice_renumber(snLattice *lattice, const int32_t *number);

static inline v3 sn_lattice_point(const snLattice *l, int32_t node)
{
    const int32_t *at = l->node_at + 3 * (size_t)node;
    double half = 0.5 * l->spacing;
    return v3_of(l->low.x + half * at[0], l->low.y + half * at[1], l->low.z + half * at[2]);
}

static inline int32_t sn_face_axis(const int32_t face[4])
{
    return face[0] & 3;
}
static inline int32_t sn_face_size(const int32_t face[4])
{
    return face[0] >> 2;
}
static inline int32_t sn_oct_size(const snLattice *l, int32_t oct)
{
    return sn_face_size(l->oct_face + 4 * (size_t)oct);
}
static inline int32_t sn_oct_axis(const snLattice *l, int32_t oct)
{
    return sn_face_axis(l->oct_face + 4 * (size_t)oct);
}
/* The face of the octahedron of a size around a point (as oct_face), and which of its four tetrahedra. */
int32_t sn_lattice_locate(const snLattice *lattice, int32_t size, v3 point, int32_t face[4]);
/* Corners of tetrahedron k of an octahedron: centre below, centre above, corner k, corner k + 1. */
static inline void sn_oct_tet(const int32_t *oct_node, int32_t k, int32_t node[4])
{
    node[0] = oct_node[0], node[1] = oct_node[1];
    node[2] = oct_node[2 + k], node[3] = oct_node[2 + (k + 1) % 4];
}
/* Two nodes that do not hang and whose mean a corner is (twice the same: it is that node). */
static inline void sn_lattice_rows(const snLattice *l, int32_t node, int32_t row[2])
{
    row[0] = row[1] = node;
    if (node >= l->nnode) memcpy(row, l->hang + 2 * (size_t)(node - l->nnode), 2 * sizeof *row);
}
/* A point of a tetrahedron by nodes that do not hang: their weights. Returns how many, 4 to 8. */
int32_t sn_lattice_spread(const snLattice *lattice, int32_t oct, int32_t tet, const double weight[4], int32_t row[8],
                          double share[8]);
/* Unit vectors of a tetrahedron's own frame: along the octahedron's axis, outwards, along its outer edge. */
void sn_tet_frame(int32_t axis, int32_t k, v3 frame[3]);
/* Weights of the four corners of tetrahedron k at a point, which may lie outside. */
void sn_tet_weights(const snLattice *lattice, const int32_t face[4], int32_t k, v3 point, double weight[4]);

/* Fills in the sizes: larger cells from `deep` samples on below the surface and below places where it parts samples,
 * half as far from samples to keep (may be NULL: none). Neighbours differ by one size. sizes: 1 to SN_LATTICE_SIZES;
 * deep: at least two spacings, so that larger cells do not touch those that the surface cuts. */
snStatus sn_samples_grade(snSamples *samples, int32_t sizes, int32_t deep, const uint8_t *keep);

/* Takes samples away that are not connected to any marked one; returns how many parts went. -1: out of memory. */
int32_t sn_samples_keep_marked(snSamples *samples, const uint8_t *marked);

#endif
