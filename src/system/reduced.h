/* The system that is left when every strand has been eliminated: six unknowns for each body, the joint rows and the
 * link rows. Small, but with fill, so it is stored and factored in dense panels [Liu 1990].
 *
 * A node is a set of unknowns that are eliminated together: a body followed by its joint rows, or link rows that touch
 * the same strands. Nodes are numbered in the order of elimination and unknowns after them. The panel of a node holds
 * its columns of the lower triangle, column by column, ld apart: first the rows of the node itself, then those of the
 * later nodes it meets ("below"), padded with zeros to a multiple of four. Of a later node only the first unknowns can
 * be met, the exposed ones: a body's joint rows meet nothing that is eliminated before the body. After factoring a
 * panel holds L D, that is, columns not yet divided by their pivot; inverse holds the inverse pivots. */
#ifndef SN_SPARSE_REDUCED_H
#define SN_SPARSE_REDUCED_H

#include <stdbool.h>
#include <stdint.h>

typedef struct snReduced {
    int32_t nnode, n;
    int32_t *start;    /* nnode + 1: first unknown of each node */
    int32_t *exposed;  /* nnode: how many of its first unknowns earlier nodes meet */
    int32_t *belowadr; /* nnode + 1 */
    int32_t *below;    /* later nodes that each node meets, ascending */
    int32_t *height;   /* nnode: rows of the panel in use */
    int32_t *ld;       /* nnode: rows with padding */
    int64_t *paneladr; /* nnode + 1: first number of each panel */
    int32_t *mapadr;   /* nnode: first entry of each node in map */
    int32_t *map;      /* for node s and q = 0 ..: the row, in the panel of below[q], of below[q], below[q + 1], ... */
    double *panel;     /* paneladr[nnode] */
    double *inverse;   /* n */
    double *aside[2];  /* panel and inverse of the factors set aside */
    int8_t *sign;      /* n: of the pivots */
    double *work;      /* four columns of the largest height, padded, and four numbers for each column of a node */
} snReduced;

/* What comes at each place of the order is perm[place]; width and exposed are per thing that is ordered; edges are
 * pairs of things that meet, in any order and repeated at will. sign is left for the caller. False when out of memory.
 */
bool sn_reduced_create(snReduced *r, int32_t nnode, const int32_t *perm, const int32_t *width, const int32_t *exposed,
                       int32_t nedge, const int32_t *edge_i, const int32_t *edge_j);
void sn_reduced_destroy(snReduced *r);
/* Where (row, column) is in panel, row >= column, both unknowns of nodes that meet. */
int64_t sn_reduced_index(const snReduced *r, int32_t row, int32_t column);
/* Exchanges the factors with those set aside. */
void sn_reduced_swap(snReduced *r);
int32_t sn_reduced_node_of(const snReduced *r, int32_t unknown);

#endif
