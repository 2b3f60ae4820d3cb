/* Levers, weight, compression and loads: see tree_slope.h. */
#include "sim/tree_slope.h"

#include <math.h>
#include <string.h>

static const double DIFFERENCE = 1e-6; /* rad: of the loads' derivative */

/* tau_k = -g (q_k - rest) T, T the tension across k. */
static void add_compression(snTreeSim *s)
{
    const snPathWork *w = s->line;
    for (int32_t p = 0; p < s->paths->npath; ++p) {
        double slope = w->passive_l[p] + s->activation[p] * w->active_l[p];
        for (int32_t e = w->rowadr[p]; e < w->rowadr[p + 1]; ++e) {
            int32_t k = w->col[e];
            double g = s->compression[k], *row = s->K + (int64_t)k * s->ld;
            if (g == 0) continue;
            row[k] += g * s->force[p];
            for (int32_t o = w->rowadr[p]; o < w->rowadr[p + 1]; ++o)
                row[w->col[o]] += g * (s->q[k] - s->tree->rest[k]) * slope * w->P[o];
        }
    }
}

static void load_torque(snTreeSim *s, double *tau)
{
    memset(tau, 0, (size_t)s->tree->ndof * sizeof *tau);
    sn_tree_place(s->tree, s->work, s->q);
    sn_treesim_push_loads(s, NULL, tau);
}

static void add_loads(snTreeSim *s)
{
    int32_t n = s->tree->ndof;
    double *up = s->turn, *down = s->least;
    for (int32_t j = 0; j < n; ++j) {
        double at = s->q[j];
        s->q[j] = at + DIFFERENCE, load_torque(s, up);
        s->q[j] = at - DIFFERENCE, load_torque(s, down);
        s->q[j] = at;
        for (int32_t i = 0; i < n; ++i) s->K[(int64_t)i * s->ld + j] -= (up[i] - down[i]) / (2 * DIFFERENCE);
    }
    sn_tree_place(s->tree, s->work, s->q);
}

/* What activations do not change. */
static void start_slopes(snTreeSim *s)
{
    size_t bytes = (size_t)s->tree->ndof * (size_t)s->ld * sizeof *s->K;
    if (s->is_kept) {
        memcpy(s->K, s->kept, bytes);
        return;
    }
    memset(s->K, 0, bytes);
    if (s->full) sn_tree_inverse_derivative(s->tree, s->work, NULL, s->gravity, s->K, NULL, s->ld);
    sn_tree_passive_levers(s->tree, s->work, s->v, 1, s->K, s->ld);
    if (s->full && s->nload) add_loads(s);
    s->is_kept = s->kept && s->full;
    if (s->is_kept) memcpy(s->kept, s->K, bytes);
}

void sn_treesim_slopes(snTreeSim *s)
{
    snPathLinks links = {s->tree->ndof,  s->tree->parent, s->tree->slides, s->work->rotation,
                         s->work->shift, s->work->S,      s->work->bend};
    start_slopes(s);
    sn_treesim_tensions(s, s->force);
    sn_path_geometric(s->paths, &links, s->line, s->force, 1, s->K, s->ld);
    if (s->full && s->compression) add_compression(s);
}
