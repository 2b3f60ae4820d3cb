/* The one function of AMD that src/sparse/order.c calls, for builds where SuiteSparse is not to be had (WebAssembly).
 * amd.c beside it orders by minimum degree on the elimination graph itself, not on a quotient graph: the same idea, in
 * O(n^2 d / 32) instead of nearly linear time, which for the systems of our models is a few milliseconds. */
#ifndef SN_STANDIN_AMD_H
#define SN_STANDIN_AMD_H

enum { AMD_INFO = 20 };

/* n rows; the neighbours of row i are list[start[i]] and the length[i] - 1 after it. The order is left in `last`; the
 * other arrays are scratch of the true AMD and not used. */
void amd_2(int n, int *start, int *list, int *length, int list_size, int list_used, int *nv, int *next, int *last,
           int *head, int *elements, int *degree, int *w, double *control, double *info);

#endif
