/* Semismooth Newton on the dual: see dualqp.h. With z = B'y the dual function to be minimised is
 *     phi(y) = sum over muscles of psi(z) + eps y'M y / 2 - tau'y,  psi(z) = max over a of z a - w (a - target)^2 / 2
 * whose gradient is B a(y) + eps M y - tau and whose second derivative, where it exists, is B_F W_F^-2 B_F' + eps M
 * over the muscles F between their bounds. */
#include "opt/dualqp.h"

#include "base/alloc.h"
#include "opt/dense.h"

#include <math.h>
#include <string.h>

struct snDualQp {
    int32_t max_m, max_n;
    double *z, *dz;                       /* max_n: B'y, B'd */
    double *rows;                         /* max_n rows of ld: free muscles, scaled */
    double *H;                            /* ld rows of ld */
    double *r, *d, *My, *Md, *least, *Ba; /* ld */
    void *block;
};

snDualQp *sn_dualqp_create(int32_t max_m, int32_t max_n)
{
    snDualQp *w = SN_NEW(snDualQp);
    if (!w) return NULL;
    size_t ld = (size_t)sn_dense_ld(max_m), n = (size_t)max_n;
    w->block = sn_alloc(2 * n + (n + 1) * ld + ld * ld + 6 * ld, sizeof(double));
    if (!w->block) {
        sn_free(w);
        return NULL;
    }
    double *at = w->block; /* matrices first: they stay aligned */
    w->H = at, at += ld * ld;
    w->rows = at, at += (n + 1) * ld;
    double **vector[6] = {&w->r, &w->d, &w->My, &w->Md, &w->least, &w->Ba};
    for (int k = 0; k < 6; ++k) *vector[k] = at, at += ld;
    w->z = at, at += n;
    w->dz = at;
    w->max_m = max_m, w->max_n = max_n;
    return w;
}

void sn_dualqp_destroy(snDualQp *work)
{
    if (!work) return;
    sn_free(work->block);
    sn_free(work);
}

static double weight_of(const snDualQpProblem *p, int32_t j)
{
    return p->weight ? p->weight[j] : 1;
}

static double target_of(const snDualQpProblem *p, int32_t j)
{
    return p->target ? p->target[j] : 0;
}

/* The activation that a dual force z asks for. */
static double activation(const snDualQpProblem *p, int32_t j, double z)
{
    double a = target_of(p, j) + z / weight_of(p, j);
    return a < p->lo[j] ? p->lo[j] : a > p->hi[j] ? p->hi[j] : a;
}

static double dot(int32_t n, const double *x, const double *y)
{
    double s[4] = {0};
    int32_t k = 0;
    for (; k + 4 <= n; k += 4)
        for (int i = 0; i < 4; ++i) s[i] += x[k + i] * y[k + i];
    for (; k < n; ++k) s[0] += x[k] * y[k];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static void add_scaled(int32_t n, double scale, const double *x, double *to)
{
    for (int32_t k = 0; k < n; ++k) to[k] += scale * x[k];
}

static void multiply_M(const snDualQpProblem *p, const double *x, double *out)
{
    for (int32_t i = 0; i < p->m; ++i) out[i] = dot(p->m, p->M + (int64_t)i * p->ld, x);
}

static void multiply_Bt(const snDualQpProblem *p, const double *y, double *z)
{
    for (int32_t j = 0; j < p->n; ++j) {
        if (!p->adr) {
            z[j] = dot(p->m, p->Bt + (int64_t)j * p->ld, y);
            continue;
        }
        double sum = 0;
        for (int32_t e = p->adr[j]; e < p->adr[j + 1]; ++e) sum += p->Bt[e] * y[p->col[e]];
        z[j] = sum;
    }
}

/* Adds the torques of muscle j at an activation. */
static void add_muscle(const snDualQpProblem *p, int32_t j, double activation, double *Ba)
{
    if (!p->adr) {
        add_scaled(p->m, activation, p->Bt + (int64_t)j * p->ld, Ba);
        return;
    }
    for (int32_t e = p->adr[j]; e < p->adr[j + 1]; ++e) Ba[p->col[e]] += activation * p->Bt[e];
}

/* Activations, B a and the residual of the state z, M y; returns how large the residual is. */
static double evaluate(snDualQp *w, const snDualQpProblem *p, double *a)
{
    double worst = 0, size = 0, torque = 0;
    memset(w->Ba, 0, (size_t)p->m * sizeof *w->Ba);
    for (int32_t j = 0; j < p->n; ++j) {
        a[j] = activation(p, j, w->z[j]);
        if (a[j] != 0) add_muscle(p, j, a[j], w->Ba);
    }
    for (int32_t i = 0; i < p->m; ++i) {
        w->r[i] = w->Ba[i] + p->eps * w->My[i] - p->tau[i];
        if (!isfinite(w->r[i])) return NAN;
        worst = fmax(worst, fabs(w->r[i]));
        size = fmax(size, fabs(p->tau[i])), torque = fmax(torque, fabs(w->Ba[i]));
    }
    return worst == 0 ? 0 : worst / (size + torque);
}

static bool is_free(const snDualQpProblem *p, const double *a, int32_t j)
{
    return a[j] > p->lo[j] && a[j] < p->hi[j];
}

/* H = B_F W_F^-2 B_F' from dense rows; returns how many muscles are free. */
static int32_t gram_dense(snDualQp *w, const snDualQpProblem *p, const double *a)
{
    int32_t count = 0;
    for (int32_t j = 0; j < p->n; ++j) {
        if (!is_free(p, a, j)) continue;
        double scale = 1 / sqrt(weight_of(p, j)), *row = w->rows + (int64_t)count * p->ld;
        const double *from = p->Bt + (int64_t)j * p->ld;
        for (int32_t i = 0; i < p->m; ++i) row[i] = scale * from[i];
        ++count;
    }
    sn_dense()->gram(count, p->m, w->rows, p->ld, w->H);
    return count;
}

/* The upper half of the same from entries: a muscle that crosses ten joints costs a hundredth of a dense row. */
static int32_t gram_sparse(snDualQp *w, const snDualQpProblem *p, const double *a)
{
    int32_t count = 0;
    for (int32_t i = 0; i < p->m; ++i) memset(w->H + (int64_t)i * p->ld + i, 0, (size_t)(p->m - i) * sizeof *w->H);
    for (int32_t j = 0; j < p->n; ++j) {
        if (!is_free(p, a, j)) continue;
        double scale = 1 / weight_of(p, j);
        for (int32_t e = p->adr[j]; e < p->adr[j + 1]; ++e) {
            double pull = scale * p->Bt[e], *row = w->H + (int64_t)p->col[e] * p->ld;
            for (int32_t o = e; o < p->adr[j + 1]; ++o) row[p->col[o]] += pull * p->Bt[o];
        }
        ++count;
    }
    return count;
}

/* Factors the Newton matrix; false where it is not definite. */
static bool factor(snDualQp *w, const snDualQpProblem *p, const double *a, int32_t *nfree)
{
    *nfree = p->adr ? gram_sparse(w, p, a) : gram_dense(w, p, a);
    for (int32_t i = 0; i < p->m; ++i) {
        int64_t diagonal = (int64_t)i * p->ld + i;
        add_scaled(p->m - i, p->eps, p->M + diagonal, w->H + diagonal);
        w->least[i] = 1e-15 * w->H[diagonal];
    }
    return sn_dense()->factor(p->m, w->H, p->ld, w->least);
}

/* Slope of the dual function at y + t d, along d. */
static double slope_at(const snDualQp *w, const snDualQpProblem *p, double t, double linear, double curved)
{
    double sum = linear + t * curved;
    for (int32_t j = 0; j < p->n; ++j) sum += w->dz[j] * activation(p, j, w->z[j] + t * w->dz[j]);
    return sum;
}

/* Step along d at which the slope vanishes; 1 where the whole Newton step still goes down. */
static double line_search(const snDualQp *w, const snDualQpProblem *p)
{
    double linear = p->eps * dot(p->m, w->d, w->My) - dot(p->m, w->d, p->tau), curved = p->eps * dot(p->m, w->d, w->Md);
    double first = slope_at(w, p, 0, linear, curved), last = slope_at(w, p, 1, linear, curved);
    double low = 0, high = 1, at_low = first, at_high = last;
    if (!(last > 0.1 * fabs(first))) return 1;
    /* Cheap muscles (stops) turn the slope within a hair: ending the search before that overshoots and never ends. */
    for (int k = 0; k < 150 && high - low > 1e-12 * high; ++k) {
        double t = low - at_low * (high - low) / (at_high - at_low);
        if (k % 3 == 2 || !(t > low && t < high)) t = (low + high) / 2; /* regula falsi may creep */
        double s = slope_at(w, p, t, linear, curved);
        if (fabs(s) <= 0.1 * fabs(first)) return t;
        if (s > 0)
            high = t, at_high = s;
        else
            low = t, at_low = s;
    }
    return high;
}

static void start(snDualQp *w, const snDualQpProblem *p, double *y)
{
    for (int32_t i = 0; i < p->m; ++i)
        if (!isfinite(y[i])) y[i] = 0;
    multiply_M(p, y, w->My);
    multiply_Bt(p, y, w->z);
}

snStatus sn_dualqp_solve(snDualQp *work, const snDualQpProblem *p, double *y, double *a, snDualQpInfo *info)
{
    snDualQp *w = work;
    int32_t rounds = 0, most = p->max_rounds > 0 ? p->max_rounds : 100, nfree = 0;
    start(w, p, y);
    double residual = evaluate(w, p, a), best = INFINITY;
    snStatus status = SN_OK;
    while (!(residual <= 1e-13) && rounds < most) {
        if (!isfinite(residual) || !factor(w, p, a, &nfree)) {
            status = SN_FAILED;
            break;
        }
        ++rounds;
        for (int32_t i = 0; i < p->m; ++i) w->d[i] = -w->r[i];
        sn_dense()->solve(p->m, w->H, p->ld, w->d);
        multiply_M(p, w->d, w->Md);
        multiply_Bt(p, w->d, w->dz);
        double t = line_search(w, p);
        add_scaled(p->m, t, w->d, y);
        add_scaled(p->m, t, w->Md, w->My);
        add_scaled(p->n, t, w->dz, w->z);
        residual = evaluate(w, p, a);
        if (residual < 1e-9 && residual >= 0.5 * best) break; /* rounding is all that is left */
        best = fmin(best, residual);
    }
    if (info) *info = (snDualQpInfo){rounds, nfree, residual};
    return status;
}

double sn_dualqp_gap(snDualQp *work, const snDualQpProblem *p, const double *y, const double *a)
{
    snDualQp *w = work;
    double primal = 0, dual = 0;
    multiply_M(p, y, w->My);
    multiply_Bt(p, y, w->z);
    memset(w->Ba, 0, (size_t)p->m * sizeof *w->Ba);
    for (int32_t j = 0; j < p->n; ++j) {
        double off = a[j] - target_of(p, j), best = activation(p, j, w->z[j]), away = best - target_of(p, j);
        add_muscle(p, j, a[j], w->Ba);
        primal += weight_of(p, j) * off * off / 2;
        dual += weight_of(p, j) * away * away / 2 - w->z[j] * best;
    }
    for (int32_t i = 0; i < p->m; ++i) {
        w->r[i] = w->d[i] = p->tau[i] - w->Ba[i];
        w->least[i] = 0;
        memcpy(w->H + (int64_t)i * p->ld, p->M + (int64_t)i * p->ld, (size_t)p->m * sizeof *w->H);
    }
    if (!sn_dense()->factor(p->m, w->H, p->ld, w->least)) return NAN;
    sn_dense()->solve(p->m, w->H, p->ld, w->d);
    primal += dot(p->m, w->r, w->d) / (2 * p->eps);
    dual += dot(p->m, p->tau, y) - p->eps * dot(p->m, y, w->My) / 2;
    double size = fabs(primal) + fabs(dual);
    return size > 0 ? (primal - dual) / size : 0;
}
