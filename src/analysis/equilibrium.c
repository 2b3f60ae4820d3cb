/* Derivative of the sum of all torques by the pose, and the nearest pose that can be held.
 *
 *     min |q - q*|^2 + rho |c|^2 + mu |tau(q, c)|^2,  mu = 300, 3e3, 3e4 /(N m)^2 in turn
 *
 * by Gauss-Newton steps with bounds, each a quadratic program, damped until they descend. A joint that is asked to lie
 * on its stop ends there, and the push of the stop is an unknown of its own: a spring that begins at the stop has a
 * kink just where such a search goes on, and it gets stuck there. Elsewhere a joint may press into its stop by a few
 * degrees, where the stop's spring answers. Several starts, because the problem has several valleys. */
#include "analysis/patient.h"

#include "base/alloc.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double effort = 1e-4;            /* rho */
static const double into_stop = 4 * SN_DEG;   /* how far a joint may press into its stop */
static const double same_pose = 0.5 * SN_DEG; /* starts that end nearer than this agree */
static const double difference = 1e-6;        /* rad: of the loads' derivative */
static const double unasked = 1e-3;           /* what the distance of a coordinate counts that is not asked for */
enum { STARTS = 8, STEPS = 25, STAGES = 3 };

/* ---- stiffness ------------------------------------------------------------------------------ */

/* Torque of the loads alone. */
static void load_torque(snPatient *p, const double *q, double *tau)
{
    memset(tau, 0, sizeof *tau * (size_t)p->nq);
    sn_tree_place(&p->s->tree, p->tree, q);
    sn_patient_loads(p, tau);
}

static void add_loads(snPatient *p, double *work, double *K, int32_t ld)
{
    int32_t n = p->nq;
    double *q = work, *up = work + n, *down = work + 2 * n;
    memcpy(q, p->q, sizeof *q * (size_t)n);
    for (int32_t j = 0; p->nload && j < n; ++j) {
        q[j] = p->q[j] + difference;
        load_torque(p, q, up);
        q[j] = p->q[j] - difference;
        load_torque(p, q, down);
        q[j] = p->q[j];
        for (int32_t i = 0; i < n; ++i) K[(size_t)i * (size_t)ld + (size_t)j] -= (up[i] - down[i]) / (2 * difference);
    }
    if (p->nload) sn_tree_place(&p->s->tree, p->tree, p->q);
}

/* Compression: tau_k = -g (q_k - rest) T, T the tension across k. */
static void add_compression(const snPatient *p, const double *f, const double *slope, double *K, int32_t ld)
{
    const snPathWork *w = p->path;
    for (int32_t i = 0; i < p->np; ++i)
        for (int32_t a = w->rowadr[i]; a < w->rowadr[i + 1]; ++a) {
            int32_t k = w->col[a];
            double g = p->s->compression[k];
            if (g == 0) continue;
            double *row = K + (size_t)k * (size_t)ld;
            row[k] += g * f[i];
            for (int32_t b = w->rowadr[i]; b < w->rowadr[i + 1]; ++b)
                row[w->col[b]] += g * (p->q[k] - p->s->tree.rest[k]) * slope[i] * w->P[b];
        }
}

/* h D + h^2 K at h = 1 and 2: K is half of the second less twice the first. */
static void add_tissue(snPatient *p, double *scratch, double *K, int32_t ld)
{
    size_t n = (size_t)p->nq * (size_t)ld;
    for (int pass = 1; pass <= 2; ++pass) {
        memset(scratch, 0, sizeof *scratch * n);
        sn_tree_passive_stiffness(&p->s->tree, p->tree, p->q, p->zero, pass, true, scratch, ld);
        for (size_t i = 0; i < n; ++i) K[i] += pass == 1 ? -scratch[i] : scratch[i] / 2;
    }
}

void sn_patient_slopes(snPatient *p, const double *activation, bool full, double *K, int32_t ld, double *scratch)
{
    size_t n = (size_t)p->nq * (size_t)ld;
    double *f = scratch + n, *slope = f + p->np;
    memset(K, 0, sizeof *K * n);
    for (int32_t i = 0; i < p->np; ++i) {
        double a = activation[p->s->path_unit[i]];
        f[i] = p->path->passive[i] + a * p->path->active[i];
        slope[i] = p->path->passive_l[i] + a * p->path->active_l[i];
        if (!full) slope[i] = fmax(slope[i], 0);
    }
    add_tissue(p, scratch, K, ld);
    sn_path_stiffness(&p->s->path, p->path, slope, K, ld);
    sn_dense_mirror(p->nq, K, ld);
    if (!full) return;
    sn_tree_inverse_derivative(&p->s->tree, p->tree, NULL, p->gravity, scratch, NULL, ld);
    for (int32_t i = 0; i < p->nq; ++i)
        for (int32_t j = 0; j < p->nq; ++j) K[i * ld + j] += scratch[i * ld + j];
    sn_path_geometric(&p->s->path, &p->links, p->path, f, 1, K, ld);
    add_compression(p, f, slope, K, ld);
    add_loads(p, slope + p->np, K, ld);
}

/* ---- nearest pose --------------------------------------------------------------------------- */

typedef struct Search {
    snPatient *p;
    int32_t n, ld; /* variables: coordinates, then controls, then pushes of stops (N m) */
    int32_t nstop, *stop;
    double *push; /* nq: 1, -1: which way the stop of a coordinate pushes; 0 off the stops */
    const double *target;
    const bool *asked; /* nq; NULL: all coordinates are asked for */
    double mu, damping;
    snBoxQp *qp;
    double *x, *trial, *best, *step, *g, *lo, *hi, *tau, *activation; /* n, n, n, n, n, n, n, nq, nu */
    double *J, *Q, *K, *scratch;
    void *block;
} Search;

static void unpack(const Search *s, const double *x, double *activation)
{
    for (int32_t u = 0; u < s->p->nu; ++u) activation[u] = x[s->p->nq + s->p->control[u]];
}

/* Of a coordinate the distance counts, of a control its effort; the push of a stop costs nothing to speak of. */
static double weight_of(const Search *s, int32_t i)
{
    const snPatient *p = s->p;
    if (i < p->nq) return s->asked && !s->asked[i] ? unasked : 1;
    return i < p->nq + p->nz ? effort : sn_stop_effort;
}

static double merit(Search *s, const double *x)
{
    snPatient *p = s->p;
    double sum = 0;
    unpack(s, x, s->activation);
    sn_patient_torque(p, x, s->activation, s->tau);
    for (int32_t j = 0; j < s->nstop; ++j) s->tau[s->stop[j]] += s->push[s->stop[j]] * x[p->nq + p->nz + j];
    for (int32_t k = 0; k < p->nq; ++k) {
        double off = x[k] - s->target[k], tau = p->fused[k] ? 0 : s->tau[k];
        sum += weight_of(s, k) * off * off + s->mu * tau * tau;
    }
    for (int32_t i = p->nq; i < s->n; ++i) sum += weight_of(s, i) * x[i] * x[i];
    return sum;
}

/* Rows of J: sqrt(mu) (dtau/dq, dtau/dc) at x, whose torques are in s->tau. */
static void linearise(Search *s, const double *x)
{
    snPatient *p = s->p;
    double root = sqrt(s->mu);
    unpack(s, x, s->activation);
    sn_patient_assemble(p, x, NULL, NULL);
    sn_patient_slopes(p, s->activation, true, s->K, s->ld, s->scratch);
    memset(s->J, 0, sizeof *s->J * (size_t)p->nq * (size_t)s->ld);
    for (int32_t k = 0; k < p->nq; ++k) {
        double *row = s->J + (size_t)k * (size_t)s->ld;
        if (p->fused[k]) continue;
        for (int32_t j = 0; j < p->nq; ++j) row[j] = -root * s->K[(size_t)k * (size_t)s->ld + (size_t)j];
        for (int32_t u = 0; u < p->nu; ++u)
            row[p->nq + p->control[u]] += root * p->A[(size_t)k * (size_t)p->nu + (size_t)u];
    }
    for (int32_t j = 0; j < s->nstop; ++j)
        s->J[(size_t)s->stop[j] * (size_t)s->ld + (size_t)(p->nq + p->nz + j)] = root * s->push[s->stop[j]];
}

static snStatus find_step(Search *s, const double *x)
{
    snPatient *p = s->p;
    double root = sqrt(s->mu);
    size_t ld = (size_t)s->ld;
    p->dense->gram(p->nq, s->n, s->J, s->ld, s->Q);
    memset(s->g, 0, sizeof *s->g * ld);
    for (int32_t k = 0; k < p->nq; ++k)
        for (int32_t i = 0; i < s->n; ++i) s->g[i] += root * s->tau[k] * s->J[(size_t)k * ld + (size_t)i];
    for (int32_t i = 0; i < s->n; ++i) {
        double weight = weight_of(s, i), off = i < p->nq ? x[i] - s->target[i] : x[i];
        s->Q[(size_t)i * (ld + 1)] += weight + s->damping * (i < p->nq ? 1 : 1e-2);
        s->g[i] += weight * off;
        s->lo[i] = -x[i], s->hi[i] = i < p->nq + p->nz ? 1 - x[i] : sn_stop_limit;
        if (i < p->nq) {
            s->lo[i] = p->s->tree.lower[i] - (s->push[i] > 0 ? 0 : into_stop) - x[i];
            s->hi[i] = p->s->tree.upper[i] + (s->push[i] < 0 ? 0 : into_stop) - x[i];
            if (p->fused[i]) s->lo[i] = s->hi[i] = 0;
        }
        s->step[i] = 0;
    }
    snBoxQpProblem problem = {.n = s->n, .Q = s->Q, .c = s->g, .lo = s->lo, .hi = s->hi, .ld = s->ld};
    return sn_boxqp_solve(s->qp, &problem, s->step, NULL);
}

/* Descends from s->x; returns the merit reached. */
static double descend(Search *s)
{
    double now = merit(s, s->x);
    s->damping = 1e-3;
    for (int i = 0; i < STEPS; ++i) {
        double before = now;
        linearise(s, s->x);
        merit(s, s->x); /* the torques at x */
        for (int tries = 0; tries < 8; ++tries) {
            (void)find_step(s, s->x); /* an inexact step is judged by the merit like any other */
            for (int32_t k = 0; k < s->n; ++k) s->trial[k] = s->x[k] + s->step[k];
            double there = merit(s, s->trial);
            if (there < now) {
                memcpy(s->x, s->trial, sizeof *s->x * (size_t)s->n);
                now = there;
                s->damping *= 0.2;
                break;
            }
            s->damping = fmax(10 * s->damping, 1e-6);
            merit(s, s->x);
        }
        if (before - now <= 1e-7 * before + 1e-14) break;
    }
    return now;
}

/* Where to start: from the target or half way to it, with the activations that hold it, none, or some of them. */
static void start(Search *s, int32_t which, const double *held)
{
    static const double way[STARTS] = {1, 1, 0.5, 0, 0.8, 0.3, 1, 0.6}, share[STARTS] = {1, 0, 1, 1, 0.5, 0.3, 0.2, 0};
    snPatient *p = s->p;
    for (int32_t k = 0; k < p->nq; ++k) s->x[k] = p->fused[k] ? p->fused_at[k] : way[which] * s->target[k];
    for (int32_t u = 0; u < p->nu; ++u) s->x[p->nq + p->control[u]] = share[which] * held[u];
    for (int32_t j = 0; j < s->nstop; ++j) s->x[p->nq + p->nz + j] = 0;
}

/* The stops that the target lies on. */
static void find_stops(Search *s)
{
    snPatient *p = s->p;
    s->nstop = 0;
    for (int32_t k = 0; k < p->nq; ++k) {
        s->push[k] = p->fused[k] ? 0 : sn_patient_stop(p, k, s->target[k]);
        if (s->push[k] != 0) s->stop[s->nstop++] = k;
    }
    s->n = p->nq + p->nz + s->nstop;
}

static bool reserve(Search *s, snPatient *p)
{
    s->p = p;
    s->n = 2 * p->nq + p->nz;
    s->ld = sn_dense_ld(s->n);
    size_t ld = (size_t)s->ld, nq = (size_t)p->nq;
    double *at = s->block =
        SN_NEW_ARRAY(double, ld *ld + 3 * nq * ld + 8 * ld + 7 * nq + 5 * (size_t)p->np + 2 * (size_t)p->nu);
    s->qp = sn_boxqp_create(s->n);
    s->stop = SN_NEW_ARRAY(int32_t, nq);
    if (!at || !s->qp || !s->stop) return false;
    s->Q = at, s->J = s->Q + ld * ld, s->K = s->J + nq * ld, s->x = s->K + nq * ld;
    double **vector[] = {&s->trial, &s->best, &s->step, &s->g, &s->lo, &s->hi, &s->tau};
    double *next = s->x + ld;
    for (size_t i = 0; i < sizeof vector / sizeof *vector; ++i, next += ld) *vector[i] = next;
    s->activation = next;
    s->push = next + p->nu;
    s->scratch = s->push + nq;
    return true;
}

static double pose_distance(const snPatient *p, const double *a, const double *b)
{
    double far = 0;
    for (int32_t k = 0; k < p->nq; ++k) far = fmax(far, fabs(a[k] - b[k]));
    return far;
}

static void report(Search *s, const double *target, snNearest *out)
{
    snPatient *p = s->p;
    int32_t driven = 0;
    out->error = out->rms = out->unbalanced = 0, out->worst = -1;
    merit(s, s->best);
    for (int32_t k = 0; k < p->nq; ++k) {
        double off = fabs(s->best[k] - target[k]);
        out->pose[k] = s->best[k];
        if (!p->fused[k]) out->unbalanced = fmax(out->unbalanced, fabs(s->tau[k]));
        if (!p->s->tree.driven[k] || (s->asked && !s->asked[k])) continue;
        ++driven;
        out->rms += off * off;
        if (off > out->error) out->error = off, out->worst = k;
    }
    out->rms = sqrt(out->rms / (driven ? driven : 1));
    unpack(s, s->best, out->activation);
}

snStatus sn_attempt(snPatient *p, const double *q, const bool *asked, snNearest *out)
{
    if (!p) return SN_BAD_ARGUMENT;
    static const double weight[STAGES] = {300, 3e3, 3e4};
    Search s = {.asked = asked};
    snHeld hold;
    double *poses = SN_NEW_ARRAY(double, STARTS *(size_t)p->nq), *target = SN_NEW_ARRAY(double, p->nq);
    double *held = SN_NEW_ARRAY(double, p->nu), least = DBL_MAX;
    snStatus status = reserve(&s, p) && poses && target && held ? SN_OK : SN_NO_MEMORY;
    if (status == SN_OK) {
        status = sn_hold(p, q, NULL, NULL, &hold);
        if (status == SN_FAILED) status = SN_OK; /* the best point will do as a start */
    }
    if (status == SN_OK) {
        memcpy(target, p->q, sizeof *target * (size_t)p->nq);
        memcpy(held, p->activation, sizeof *held * (size_t)p->nu);
        s.target = target;
        find_stops(&s);
        for (int32_t i = 0; i < STARTS; ++i) {
            double end = 0;
            start(&s, i, held);
            for (int stage = 0; stage < STAGES; ++stage) s.mu = weight[stage], end = descend(&s);
            memcpy(poses + i * p->nq, s.x, sizeof *poses * (size_t)p->nq);
            if (end < least) {
                least = end;
                memcpy(s.best, s.x, sizeof *s.x * (size_t)s.n);
            }
        }
        out->starts = STARTS, out->agree = 0;
        for (int32_t i = 0; i < STARTS; ++i) out->agree += pose_distance(p, poses + i * p->nq, s.best) < same_pose;
        report(&s, target, out);
    }
    sn_boxqp_destroy(s.qp);
    sn_free(s.block);
    sn_free(s.stop);
    sn_free(poses);
    sn_free(target);
    sn_free(held);
    return status;
}

void sn_patient_stiffness(snPatient *p, const double *q, const double *activation, double *tau, bool full, double *K,
                          int32_t ld)
{
    size_t room = (size_t)p->nq * (size_t)ld + 5 * ((size_t)p->nq + (size_t)p->np);
    double *scratch = SN_NEW_ARRAY(double, room);
    sn_patient_torque(p, q, activation, tau);
    if (scratch) sn_patient_slopes(p, activation, full, K, ld, scratch);
    sn_free(scratch);
}
