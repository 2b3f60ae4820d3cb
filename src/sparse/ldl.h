/* Sparse LDL' of a symmetric quasi-definite matrix, without pivoting: for any ordering the pivots of a quasi-definite
 * matrix are positive for the unknowns and negative for the rows [Vanderbei 1995], so the order can be chosen for
 * sparsity alone, and a pivot of the wrong sign tells that the matrix is not quasi-definite. */
#ifndef SN_SPARSE_LDL_H
#define SN_SPARSE_LDL_H

#include <stdbool.h>
#include <stdint.h>

/* The upper triangle by columns: entries of column j are at [start[j], start[j + 1]), each with row <= j, in any
 * order; entries with the same place are summed. */
typedef struct snUpper {
    int32_t n;
    int32_t *start, *row;
    double *value;
} snUpper;

typedef struct snLdl {
    int32_t n;
    int64_t capacity;      /* entries of L below the diagonal that there is room for */
    int32_t *parent;       /* n: elimination tree, -1 at a root */
    int32_t *count;        /* n: entries of each column so far */
    int32_t *mark, *stack; /* n each: scratch of the tree walks */
    int64_t *start;        /* n + 1: first entry of each column of L */
    int32_t *row;          /* capacity */
    double *value;         /* capacity */
    double *diag, *work;   /* n each: pivots, dense scratch that is zero between rows */
} snLdl;

/* All memory for matrices of size n; zeroed on failure. */
bool sn_ldl_create(snLdl *ldl, int32_t n, int64_t capacity);
void sn_ldl_destroy(snLdl *ldl);
/* The elimination tree and the column counts. Returns the entries of L below the diagonal; the factor can be computed
 * when that is at most the capacity. Needs no values and, when called alone, no row/value arrays. */
int64_t sn_ldl_symbolic(snLdl *ldl, const snUpper *a);
/* Returns -1, or the first column whose pivot is not finite or has not the sign of sign[column]. */
int32_t sn_ldl_factor(snLdl *ldl, const snUpper *a, const int8_t *sign);
void sn_ldl_solve(const snLdl *ldl, double *x); /* in place */

/* The fill-reducing order of a symmetric pattern by approximate minimum degree [Amestoy 1996]. */
typedef struct snOrder {
    int32_t n, capacity; /* capacity: off-diagonal entries, both triangles */
    int32_t *memory;     /* one block that is cut up into the arrays below */
    int32_t *start, *length, *list, *scratch;
} snOrder;

bool sn_order_create(snOrder *order, int32_t n, int32_t nentry);
void sn_order_destroy(snOrder *order);
/* perm[k] = what comes at place k. The pattern is nentry pairs (i, j); pairs may repeat and may be diagonal. */
void sn_order_amd(snOrder *order, int32_t nentry, const int32_t *i, const int32_t *j, int32_t *perm);

#endif
