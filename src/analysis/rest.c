/* How a relaxed limb lies. It is let go in the drawn pose and falls, by the implicit step of the forward dynamics, until
 * it stands still: what is found is an equilibrium that is stable, which a root finder would not promise. */
#include "analysis/patient.h"
#include "sim/tree_sim.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

static const double step = 1.0 / 240;       /* s */
static const double standing_still = 1e-5;  /* rad/s: slower moves by less than a hundredth of a degree in 20 s */
enum { LONGEST = 60 * 240, AT_LEAST = 24 }; /* steps */

static double fastest(const snTreeSim *sim, int32_t n)
{
    double most = 0;
    for (int32_t k = 0; k < n; ++k) most = fmax(most, fabs(sim->v[k]));
    return most;
}

static snStatus fall(const snPatient *p, snTreeSim *sim)
{
    for (int i = 0; i < LONGEST; ++i) {
        snStatus status = sn_treesim_step(sim);
        if (status != SN_OK) return status;
        if (i >= AT_LEAST && fastest(sim, p->nq) < standing_still) return SN_OK;
    }
    return SN_FAILED;
}

snStatus sn_rest(snPatient *p, const double *tone, double *pose, double *unbalanced)
{
    if (!p || !pose) return SN_BAD_ARGUMENT;
    size_t nq = (size_t)p->nq, nu = (size_t)p->nu;
    for (size_t u = 0; tone && u < nu; ++u)
        if (!(tone[u] >= 0 && tone[u] <= 1)) return SN_BAD_INPUT;
    snTreeSim *sim = sn_patient_sim(p);
    double *tau = SN_NEW_ARRAY(double, nq), *active = SN_NEW_ARRAY(double, nu);
    snStatus status = sim && tau && active ? SN_OK : SN_NO_MEMORY;
    if (status == SN_OK) {
        sim->h = step;
        memcpy(active, tone ? tone : p->s->unit_tone, nu * sizeof *active);
        sn_patient_drive(p, active, sim);
        for (size_t k = 0; k < nq; ++k) sim->q[k] = p->fused[k] ? p->fused_at[k] : 0;
        status = fall(p, sim);
        memcpy(pose, sim->q, nq * sizeof *pose);
        sn_patient_torque(p, pose, active, tau);
        if (unbalanced) *unbalanced = 0;
        for (size_t k = 0; unbalanced && k < nq; ++k)
            if (!p->fused[k]) *unbalanced = fmax(*unbalanced, fabs(tau[k]));
    }
    sn_treesim_destroy(sim);
    sn_free(tau);
    sn_free(active);
    return status;
}
