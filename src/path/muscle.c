/* Force of the muscle on a path, with its derivatives by length and rate: see snPathMuscle. */
#include "path/path.h"

/* Parallel elastic element: pushes nothing, its damper is silent while the element is slack. */
static void passive_force(const snPathSet *set, const snPathMuscle *m, double l, double rate, double weight,
                          double out[3])
{
    out[0] = out[1] = out[2] = 0;
    if (!(m->passive_scale > 0)) return;
    double slope, s = m->passive_neutral + (l - m->neutral_length) / m->passive_length;
    double elastic = m->max_force * m->passive_scale * sn_law_eval(&set->law[m->passive_law], s, &slope);
    double f = elastic + m->passive_damping * rate / m->passive_length;
    if (!(elastic > 0) || !(f > 0)) return;
    out[0] = weight * f;
    out[1] = weight * m->max_force * m->passive_scale * slope / m->passive_length;
    out[2] = weight * m->passive_damping / m->passive_length;
}

/* Contractile element at activation 1. */
static void active_force(const snPathSet *set, const snPathMuscle *m, double l, double rate, double strength,
                         double out[3])
{
    out[0] = out[1] = out[2] = 0;
    if (!(m->max_force > 0)) return;
    double slope, x = m->x_neutral + (l - m->neutral_length) / m->fibre_length;
    double by_length = sn_law_eval(&set->law[m->active_law], x, &slope);
    double by_speed = rate < 0 ? 1 + rate / m->v_max : 1;
    if (!(by_speed > 0)) return;
    double scale = strength * m->max_force;
    out[0] = scale * by_length * by_speed;
    out[1] = scale * slope / m->fibre_length * by_speed;
    out[2] = rate < 0 ? scale * by_length / m->v_max : 0;
}

void sn_path_forces(const snPathSet *set, snPathWork *work, const double *strength, const double *weight)
{
    for (int32_t p = 0; p < set->npath; ++p) {
        double passive[3], active[3];
        passive_force(set, &set->muscle[p], work->length[p], work->rate[p], weight ? weight[p] : 1, passive);
        active_force(set, &set->muscle[p], work->length[p], work->rate[p], strength ? strength[p] : 1, active);
        work->passive[p] = passive[0], work->passive_l[p] = passive[1], work->passive_v[p] = passive[2];
        work->active[p] = active[0], work->active_l[p] = active[1], work->active_v[p] = active[2];
    }
}
