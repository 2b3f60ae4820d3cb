/* The implicit step of section "what the limb does":
 *
 *     (M + h D + h^2 K) dv = h (tau - C) - h^2 K v,  v += dv,  q += h v
 *
 * K is the whole slope of the static torques while A factors; above about 8 ms it may not, and only the parts that are
 * never negative are kept. A is made symmetric: loads and compression are not, by little. A stop pushes and never
 * pulls: it counts in a step if and only if the joint ends the step beyond it, found in a few rounds. */
#include "analysis/forward.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

static const double fastest = 1e3; /* rad/s: faster than anything that lives */

bool sn_forward_create(snPatient *p, snForward *f)
{
    size_t nq = (size_t)p->nq, ld = (size_t)sn_dense_ld(p->nq);
    *f = (snForward){.p = p, .ld = (int32_t)ld, .full = true};
    double *at = f->block = SN_NEW_ARRAY(double, 3 * ld * ld + 2 * nq * ld + 5 * (nq + (size_t)p->np) + 8 * ld);
    if (!at) return false;
    f->A = at, f->base = f->A + ld * ld, f->K = f->base + ld * ld, f->x = f->K + ld * ld;
    double **vector[] = {&f->tau, &f->least, &f->stop, &f->edge, &f->rhs, &f->q, &f->v, &f->scratch};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; ++i) *vector[i] = f->x + (i + 1) * ld;
    return true;
}

void sn_forward_free(snForward *f)
{
    sn_free(f->block);
    *f = (snForward){0};
}

double sn_forward_stop_torque(const snForward *f, int32_t k)
{
    const snTree *t = &f->p->s->tree;
    double depth = f->q[k] < t->lower[k] ? t->lower[k] - f->q[k] : f->q[k] > t->upper[k] ? t->upper[k] - f->q[k] : 0;
    return t->stop_stiffness[k] * depth;
}

void sn_forward_stops(snForward *f)
{
    const snTree *t = &f->p->s->tree;
    for (int32_t k = 0; k < f->p->nq; ++k) {
        bool low = f->q[k]<t->lower[k], high = f->q[k]> t->upper[k];
        f->stop[k] = low || high ? t->stop_stiffness[k] : 0;
        f->edge[k] = high ? t->upper[k] : t->lower[k];
    }
}

bool sn_forward_factor(snForward *f, double h)
{
    size_t ld = (size_t)f->ld;
    memcpy(f->A, f->base, sizeof *f->A * ld * ld);
    for (int32_t k = 0; k < f->p->nq; ++k) {
        f->A[(size_t)k * (ld + 1)] += f->p->fused[k] ? 0 : h * h * f->stop[k];
        f->least[k] = 1e-12;
    }
    return f->p->dense->factor(f->p->nq, f->A, f->ld, f->least);
}

/* Fused coordinates stand still. */
static void assemble(snForward *f, const double *activation, double h, bool full)
{
    snPatient *p = f->p;
    size_t ld = (size_t)f->ld;
    sn_patient_slopes(p, activation, full, f->K, f->ld, f->scratch);
    for (int32_t k = 0; k < p->nq; ++k)
        if (sn_forward_stop_torque(f, k) != 0) f->K[(size_t)k * (ld + 1)] -= p->s->tree.stop_stiffness[k];
    memset(f->base, 0, sizeof *f->base * ld * ld);
    sn_tree_mass(&p->s->tree, p->tree, f->base, f->ld);
    for (int32_t i = 0; i < p->nq; ++i) {
        for (int32_t j = 0; j < p->nq; ++j)
            f->base[(size_t)i * ld + (size_t)j] +=
                h * h * (f->K[(size_t)i * ld + (size_t)j] + f->K[(size_t)j * ld + (size_t)i]) / 2;
        f->base[(size_t)i * (ld + 1)] += h * p->s->tree.damping[i];
    }
    for (int32_t i = 0; i < p->nq; ++i)
        for (int32_t j = 0; p->fused[i] && j < p->nq; ++j)
            f->base[(size_t)i * ld + (size_t)j] = f->base[(size_t)j * ld + (size_t)i] = i == j;
}

bool sn_forward_matrix(snForward *f, const double *activation, double h)
{
    assemble(f, activation, h, true);
    f->full = sn_forward_factor(f, h);
    if (f->full) return true;
    assemble(f, activation, h, false);
    return sn_forward_factor(f, h);
}

/* Solves for dv with the stops that push; true when those are the ones that push at the end of the step. */
static bool solve(snForward *f, double h, const double *rhs)
{
    snPatient *p = f->p;
    const snTree *t = &p->s->tree;
    bool same = true;
    memcpy(f->x, rhs, sizeof *f->x * (size_t)p->nq);
    for (int32_t k = 0; k < p->nq; ++k)
        if (!p->fused[k]) f->x[k] += h * f->stop[k] * (f->edge[k] - f->q[k] - h * f->v[k]);
    p->dense->solve(p->nq, f->A, f->ld, f->x);
    for (int32_t k = 0; k < p->nq; ++k) {
        double next = f->q[k] + h * (f->v[k] + f->x[k]);
        bool low = next<t->lower[k], high = next> t->upper[k], pushes = low || high;
        if (p->fused[k] ||
            (pushes == (f->stop[k] > 0) && (!pushes || f->edge[k] == (high ? t->upper[k] : t->lower[k]))))
            continue;
        f->stop[k] = pushes ? t->stop_stiffness[k] : 0;
        f->edge[k] = high ? t->upper[k] : t->lower[k];
        same = same && !(t->stop_stiffness[k] > 0);
    }
    return same;
}

/* h (tau - C) - h^2 K v without stops. */
static void right_side(const snForward *f, double h, double *rhs)
{
    const snPatient *p = f->p;
    size_t ld = (size_t)f->ld;
    for (int32_t i = 0; i < p->nq; ++i) {
        double sum = 0;
        for (int32_t j = 0; j < p->nq; ++j) sum += f->K[(size_t)i * ld + (size_t)j] * f->v[j];
        rhs[i] = p->fused[i] ? -f->v[i] : h * f->tau[i] - h * h * sum;
    }
}

bool sn_forward_step(snForward *f, const double *activation, double h)
{
    enum { ROUNDS = 6 };
    snPatient *p = f->p;
    sn_patient_place(p, f->q, f->v);
    sn_tree_inverse(&p->s->tree, p->tree, NULL, p->gravity, f->x);
    for (int32_t k = 0; k < p->nq; ++k) f->tau[k] = -f->x[k] - sn_forward_stop_torque(f, k);
    sn_tree_passive(&p->s->tree, p->tree, p->q, p->v, f->tau);
    sn_patient_loads(p, f->tau);
    for (int32_t i = 0; i < p->np; ++i)
        sn_patient_pull(p, i, p->path->passive[i] + activation[p->s->path_unit[i]] * p->path->active[i], f->tau);
    sn_forward_stops(f);
    if (!sn_forward_matrix(f, activation, h)) return false;
    right_side(f, h, f->rhs);
    for (int i = 0; i < ROUNDS; ++i) {
        if (i && !sn_forward_factor(f, h)) return false;
        if (solve(f, h, f->rhs)) break;
    }
    for (int32_t k = 0; k < p->nq; ++k)
        if (!(fabs(f->v[k] + f->x[k]) < fastest)) return false;
    for (int32_t k = 0; k < p->nq; ++k) f->v[k] += f->x[k], f->q[k] += h * f->v[k];
    return true;
}

double sn_forward_energy(snForward *f)
{
    snPatient *p = f->p;
    sn_patient_place(p, f->q, f->v);
    double sum = sn_tree_kinetic_energy(&p->s->tree, p->tree) +
                 sn_tree_potential_energy(&p->s->tree, p->tree, p->gravity) +
                 sn_tree_passive_energy(&p->s->tree, p->tree, p->q);
    for (int32_t i = 0; i < p->np; ++i) {
        const snPathMuscle *m = &p->s->path.muscle[i];
        double s = m->passive_neutral + (p->path->length[i] - m->neutral_length) / m->passive_length;
        sum += p->passive[i] * m->max_force * m->passive_scale * m->passive_length *
               sn_law_integral(&p->s->path.law[m->passive_law], 1, s);
    }
    return sum;
}
