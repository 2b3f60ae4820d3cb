/* Inverse dynamics (recursive Newton-Euler), mass matrix (composite rigid bodies) and the derivative of the inverse,
 * all in world axes, so that inertias and forces of a subtree are plain sums.
 *
 * Derivative. Turning link j by a little carries everything behind it along and leaves the rest. With
 *     a = V_p x S_j,  b = A_p x S_j + V_p x a      (p above j; A the acceleration, gravity included)
 * and B y = I (y x V) + y x* (I V) + V x* (I y) of each link, summed over the subtree like I and F:
 *     d tau_k / d q_j = S_k . (S_j x* F_j + B_j a + I_j b)  k = j or above it
 *                       S_k . (B_k a + I_k b)               k behind j
 *     d tau_k / d v_j = S_k . (B_m S_j + 2 I_m a)           m the one of j, k that is further out  */
#include "tree/internal.h"

/* Acceleration and force of each link by itself. */
static void outward(const snTree *tree, const snTreeWork *work, const double *qdd, v3 gravity, double *A, double *F)
{
    spatial root = {{0, 0, 0}, v3_neg(gravity)};
    for (int32_t i = 0; i < tree->ndof; ++i) {
        int32_t p = tree->parent[i];
        const double *inertia = work->inertia + SN_INERTIA_SIZE * i;
        spatial V = sp_load(work->V + 6 * i),
                Ai = sp_add(p < 0 ? root : sp_load(A + 6 * p), sp_load(work->bias + 6 * i));
        if (qdd) Ai = sp_mad(Ai, qdd[column_of(tree, i)], sp_load(work->S + 6 * i));
        sp_store(A + 6 * i, Ai);
        sp_store(F + 6 * i, sp_add(sp_inertia_mul(inertia, Ai), sp_cross_force(V, sp_inertia_mul(inertia, V))));
    }
}

static void add_numbers(double *to, const double *from, int n)
{
    for (int k = 0; k < n; ++k) to[k] += from[k];
}

void sn_tree_inverse(const snTree *tree, snTreeWork *work, const double *qdd, v3 gravity, double *tau)
{
    double *A = work->scratch, *F = A + 6 * tree->ndof;
    outward(tree, work, qdd, gravity, A, F);
    memset(tau, 0, (size_t)tree->ndof * sizeof *tau);
    for (int32_t i = tree->ndof - 1; i >= 0; --i) {
        tau[column_of(tree, i)] += sp_dot(sp_load(work->S + 6 * i), sp_load(F + 6 * i));
        if (tree->parent[i] >= 0) add_numbers(F + 6 * tree->parent[i], F + 6 * i, 6);
    }
}

/* Entry (i, j) of a symmetric matrix over links, and (j, i), where the coordinates of the links are. */
static void add_pair(const snTree *tree, int32_t i, int32_t j, double value, double *M, int32_t ld)
{
    int64_t a = column_of(tree, i), b = column_of(tree, j);
    M[a * ld + b] += value;
    if (i != j) M[b * ld + a] += value;
}

void sn_tree_mass(const snTree *tree, snTreeWork *work, double *M, int32_t ld)
{
    int32_t n = tree->ndof;
    double *composite = work->scratch;
    memcpy(composite, work->inertia, (size_t)n * SN_INERTIA_SIZE * sizeof *composite);
    for (int32_t i = 0; i < n; ++i) memset(M + (int64_t)i * ld, 0, (size_t)n * sizeof *M);
    for (int32_t j = n - 1; j >= 0; --j) {
        const double *Ij = composite + SN_INERTIA_SIZE * j;
        spatial F = sp_inertia_mul(Ij, sp_load(work->S + 6 * j));
        for (int32_t i = j; i >= 0; i = tree->parent[i])
            add_pair(tree, i, j, sp_dot(sp_load(work->S + 6 * i), F), M, ld);
        if (tree->parent[j] >= 0) add_numbers(composite + SN_INERTIA_SIZE * tree->parent[j], Ij, SN_INERTIA_SIZE);
    }
    for (int32_t i = 0; i < n; ++i)
        if (column_of(tree, i) != i) M[(int64_t)i * ld + i] = 1;
}

/* Derivative. ------------------------------------------------------------------------------------------------------ */

typedef struct derivativeScratch {
    double *A, *F, *inertia, *B, *a, *b; /* 6, 6, 10, 36 (row-major), 6, 6 per link */
} derivativeScratch;

/* The matrix B of one link, by its columns. */
static void velocity_matrix(const double *inertia, spatial V, double *B)
{
    spatial momentum = sp_inertia_mul(inertia, V);
    for (int c = 0; c < 6; ++c) {
        double e[6] = {0}, column[6];
        e[c] = 1;
        spatial y = sp_load(e);
        spatial sum = sp_add(sp_inertia_mul(inertia, sp_cross(y, V)), sp_cross_force(y, momentum));
        sp_store(column, sp_add(sum, sp_cross_force(V, sp_inertia_mul(inertia, y))));
        for (int r = 0; r < 6; ++r) B[6 * r + c] = column[r];
    }
}

static spatial matrix_mul(const double *B, spatial x)
{
    double in[6], out[6];
    sp_store(in, x);
    for (int r = 0; r < 6; ++r) {
        out[r] = 0;
        for (int c = 0; c < 6; ++c) out[r] += B[6 * r + c] * in[c];
    }
    return sp_load(out);
}

static spatial matrix_mul_transposed(const double *B, spatial x)
{
    double in[6], out[6] = {0};
    sp_store(in, x);
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) out[c] += B[6 * r + c] * in[r];
    return sp_load(out);
}

static derivativeScratch prepare_derivative(const snTree *tree, snTreeWork *work, const double *qdd, v3 gravity)
{
    int32_t n = tree->ndof;
    double *at = work->scratch;
    derivativeScratch d = {at, at + 6 * n, at + 12 * n, at + 22 * n, at + 58 * n, at + 64 * n};
    spatial root = {{0, 0, 0}, v3_neg(gravity)};
    outward(tree, work, qdd, gravity, d.A, d.F);
    memcpy(d.inertia, work->inertia, (size_t)n * SN_INERTIA_SIZE * sizeof *d.inertia);
    for (int32_t i = 0; i < n; ++i) {
        int32_t p = tree->parent[i];
        spatial S = sp_load(work->S + 6 * i), V = velocity_above(tree, work, i), a = sp_cross(V, S);
        sp_store(d.a + 6 * i, a);
        sp_store(d.b + 6 * i, sp_add(sp_cross(p < 0 ? root : sp_load(d.A + 6 * p), S), sp_cross(V, a)));
        if (work->inertia[SN_INERTIA_SIZE * i] > 0)
            velocity_matrix(work->inertia + SN_INERTIA_SIZE * i, sp_load(work->V + 6 * i), d.B + 36 * i);
        else
            memset(d.B + 36 * i, 0, 36 * sizeof *d.B);
    }
    return d;
}

/* All entries of link j with itself and the links above it. */
static void derivative_of_link(const snTree *tree, const snTreeWork *work, const derivativeScratch *d, int32_t j,
                               double *dq, double *dv, int32_t ld)
{
    const double *inertia = d->inertia + SN_INERTIA_SIZE * j, *B = d->B + 36 * j;
    spatial S = sp_load(work->S + 6 * j), a = sp_load(d->a + 6 * j), b = sp_load(d->b + 6 * j);
    spatial by_q =
        sp_add(sp_cross_force(S, sp_load(d->F + 6 * j)), sp_add(matrix_mul(B, a), sp_inertia_mul(inertia, b)));
    spatial by_v = sp_mad(matrix_mul(B, S), 2, sp_inertia_mul(inertia, a));
    spatial row_B = matrix_mul_transposed(B, S), row_I = sp_inertia_mul(inertia, S);
    int64_t cj = column_of(tree, j);
    if (cj != j) dq[cj * ld + cj] += sp_dot(sp_load(work->bend + 6 * j), sp_load(d->F + 6 * j));
    for (int32_t k = j; k >= 0; k = tree->parent[k]) {
        spatial Sk = sp_load(work->S + 6 * k), ak = sp_load(d->a + 6 * k), bk = sp_load(d->b + 6 * k);
        int64_t ck = column_of(tree, k);
        dq[ck * ld + cj] += sp_dot(Sk, by_q);
        if (dv) dv[ck * ld + cj] += sp_dot(Sk, by_v);
        if (k == j) continue;
        dq[cj * ld + ck] += sp_dot(row_B, ak) + sp_dot(row_I, bk);
        if (dv) dv[cj * ld + ck] += sp_dot(row_B, Sk) + 2 * sp_dot(row_I, ak);
    }
}

void sn_tree_inverse_derivative(const snTree *tree, snTreeWork *work, const double *qdd, v3 gravity, double *dq,
                                double *dv, int32_t ld)
{
    derivativeScratch d = prepare_derivative(tree, work, qdd, gravity);
    for (int32_t i = 0; i < tree->ndof; ++i) {
        memset(dq + (int64_t)i * ld, 0, (size_t)tree->ndof * sizeof *dq);
        if (dv) memset(dv + (int64_t)i * ld, 0, (size_t)tree->ndof * sizeof *dv);
    }
    for (int32_t j = tree->ndof - 1; j >= 0; --j) {
        int32_t p = tree->parent[j];
        derivative_of_link(tree, work, &d, j, dq, dv, ld);
        if (p < 0) continue;
        add_numbers(d.F + 6 * p, d.F + 6 * j, 6);
        add_numbers(d.inertia + SN_INERTIA_SIZE * p, d.inertia + SN_INERTIA_SIZE * j, SN_INERTIA_SIZE);
        add_numbers(d.B + 36 * p, d.B + 36 * j, 36);
    }
}
