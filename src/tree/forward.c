/* Forward dynamics by articulated bodies, in world axes; with some accelerations given it is the hybrid of the upper
 * body's paper. Linear time, but it cannot carry implicit muscles, whose stiffness joins links that are far apart: the
 * step uses the mass matrix, and this is its second opinion. */
#include "tree/internal.h"

/* Per link: articulated inertia (36, row-major, symmetric), its bias force (6), U (6), D, u. */
enum { INERTIA = 0, FORCE = 36, U = 42, D = 48, LEFT = 49, ACCELERATION = 50, SIZE = 56 };

static void full_inertia(const double *in, double *out)
{
    for (int c = 0; c < 6; ++c) {
        double e[6] = {0}, column[6];
        e[c] = 1;
        sp_store(column, sp_inertia_mul(in, sp_load(e)));
        for (int r = 0; r < 6; ++r) out[6 * r + c] = column[r];
    }
}

static spatial mul(const double *I, spatial x)
{
    double in[6], out[6];
    sp_store(in, x);
    for (int r = 0; r < 6; ++r) {
        out[r] = 0;
        for (int c = 0; c < 6; ++c) out[r] += I[6 * r + c] * in[c];
    }
    return sp_load(out);
}

/* What link i passes to the one above it; false where its coordinate is to be found but nothing resists it. */
static bool pass_up(const snTree *tree, const snTreeWork *work, int32_t i, const double *qdd, double tau)
{
    double *at = work->scratch + (int64_t)SIZE * i;
    spatial S = sp_load(work->S + 6 * i), bias = sp_load(work->bias + 6 * i), force = sp_load(at + FORCE);
    spatial u = mul(at + INERTIA, S);
    double d = sp_dot(S, u), left = tau - sp_dot(S, force);
    sp_store(at + U, u);
    at[D] = d, at[LEFT] = left;
    if (!qdd && !(d > 0)) return false;
    double *up = tree->parent[i] < 0 ? NULL : work->scratch + (int64_t)SIZE * tree->parent[i];
    if (!up) return true;
    if (qdd) {
        force = sp_add(force, mul(at + INERTIA, sp_mad(bias, *qdd, S)));
        for (int k = 0; k < 36; ++k) up[INERTIA + k] += at[INERTIA + k];
    } else {
        double row[6];
        sp_store(row, u);
        force = sp_add(force, sp_mad(mul(at + INERTIA, bias), (left - sp_dot(u, bias)) / d, u));
        for (int k = 0; k < 36; ++k) up[INERTIA + k] += at[INERTIA + k] - row[k / 6] * row[k % 6] / d;
    }
    sp_store(up + FORCE, sp_add(sp_load(up + FORCE), force));
    return true;
}

/* A column over several links: by the mass matrix. Unknown accelerations by elimination without pivots, the matrix being
 * definite. */
static bool hybrid_by_mass(const snTree *tree, snTreeWork *work, const bool *driven, v3 gravity, double *qdd,
                           double *tau)
{
    int32_t n = tree->ndof;
    double *M = work->mass, *C = work->scratch + (int64_t)SIZE * n, *x = C + n;
    sn_tree_inverse(tree, work, NULL, gravity, C);
    sn_tree_mass(tree, work, M, n);
    for (int32_t i = 0; i < n; ++i) x[i] = driven && driven[i] ? qdd[i] : tau[i] - C[i];
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n && !(driven && driven[i]); ++j)
            if (driven && driven[j]) x[i] -= M[(int64_t)i * n + j] * qdd[j];
    for (int32_t k = 0; k < n; ++k) {
        double pivot = M[(int64_t)k * n + k];
        if (driven && driven[k]) continue;
        if (!(pivot > 0)) return false;
        for (int32_t i = k + 1; i < n; ++i) {
            double factor = driven && driven[i] ? 0 : M[(int64_t)i * n + k] / pivot;
            for (int32_t j = k + 1; j < n && factor != 0; ++j) M[(int64_t)i * n + j] -= factor * M[(int64_t)k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (int32_t k = n - 1; k >= 0; --k) {
        if (driven && driven[k]) continue;
        for (int32_t j = k + 1; j < n; ++j)
            if (!(driven && driven[j])) x[k] -= M[(int64_t)k * n + j] * x[j];
        x[k] /= M[(int64_t)k * n + k];
    }
    memcpy(qdd, x, (size_t)n * sizeof *qdd);
    if (!driven) return true;
    sn_tree_inverse(tree, work, qdd, gravity, C);
    for (int32_t i = 0; i < n; ++i)
        if (driven[i]) tau[i] = C[i];
    return true;
}

bool sn_tree_hybrid(const snTree *tree, snTreeWork *work, const bool *driven, v3 gravity, double *qdd, double *tau)
{
    if (tree->follows) return hybrid_by_mass(tree, work, driven, gravity, qdd, tau);
    for (int32_t i = 0; i < tree->ndof; ++i) {
        double *at = work->scratch + (int64_t)SIZE * i;
        const double *inertia = work->inertia + SN_INERTIA_SIZE * i;
        spatial V = sp_load(work->V + 6 * i);
        full_inertia(inertia, at + INERTIA);
        sp_store(at + FORCE, sp_cross_force(V, sp_inertia_mul(inertia, V)));
    }
    for (int32_t i = tree->ndof - 1; i >= 0; --i) {
        bool given = driven && driven[i];
        if (!pass_up(tree, work, i, given ? qdd + i : NULL, given ? 0 : tau[i])) return false;
    }
    for (int32_t i = 0; i < tree->ndof; ++i) {
        double *at = work->scratch + (int64_t)SIZE * i;
        spatial S = sp_load(work->S + 6 * i);
        spatial above = tree->parent[i] < 0 ? (spatial){{0, 0, 0}, v3_neg(gravity)}
                                            : sp_load(work->scratch + (int64_t)SIZE * tree->parent[i] + ACCELERATION);
        spatial A = sp_add(above, sp_load(work->bias + 6 * i));
        bool given = driven && driven[i];
        if (!given) qdd[i] = (at[LEFT] - sp_dot(sp_load(at + U), A)) / at[D];
        A = sp_mad(A, qdd[i], S);
        sp_store(at + ACCELERATION, A);
        if (given) tau[i] = sp_dot(S, sp_add(mul(at + INERTIA, A), sp_load(at + FORCE)));
    }
    return true;
}

bool sn_tree_forward(const snTree *tree, snTreeWork *work, const double *tau, v3 gravity, double *qdd)
{
    /* Without driven links tau is only read. */
    return sn_tree_hybrid(tree, work, NULL, gravity, qdd, (double *)(uintptr_t)tau);
}
