/* The upper body held by its muscles: processor time of a controlled step and of its parts, for the light step and for
 * the one with the turning of levers. Prints means over the run and the worst step.
 *
 *     bench_body MODEL_TABLES [seconds of simulated time, default 3] */
#include "base/clock.h"
#include "control/tree_control.h"
#include "model/model.h"
#include "upper_body/upper_body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Sums {
    double inverse, B, qp, rest, worst, all, error;
    int32_t rounds, most_rounds, steps;
} Sums;

static snStatus controlled_step(snTreeSim *sim, snTreeControl *control, const double *zero, Sums *sum)
{
    double start = sn_clock_thread();
    sn_treesim_prepare(sim);
    sn_treesim_evaluate(sim);
    snStatus status = sn_treecontrol_choose(control, sim, zero, zero, NULL);
    if (status == SN_OK) status = sn_treesim_advance(sim);
    double took = sn_clock_thread() - start;
    sum->inverse += control->time_inverse, sum->B += control->time_B, sum->qp += control->time_qp;
    sum->rest += took - control->time_inverse - control->time_B - control->time_qp;
    sum->all += took, sum->worst = fmax(sum->worst, took);
    sum->rounds += control->info.rounds;
    if (control->info.rounds > sum->most_rounds) sum->most_rounds = control->info.rounds;
    ++sum->steps;
    for (int32_t i = 0; i < sim->tree->ndof; ++i)
        if (sim->tree->driven[i]) sum->error = fmax(sum->error, fabs(sim->q[i]));
    return status;
}

static snStatus run(const snModel *m, bool geometric, double seconds)
{
    const snSkeleton *k = m->skeleton;
    snTreeSim *sim = sn_treesim_create(&k->tree, &k->path);
    snTreeControl *control = sim ? sn_treecontrol_create(sim, 0, NULL) : NULL;
    double *zero = calloc((size_t)k->tree.ndof, sizeof *zero);
    snStatus status = control && zero ? SN_OK : SN_NO_MEMORY;
    Sums sum = {0}, cold = {0};
    if (sim) sim->geometric = geometric;
    if (status == SN_OK) status = controlled_step(sim, control, zero, &cold); /* its program starts from nothing */
    while (status == SN_OK && sim->time < seconds) status = controlled_step(sim, control, zero, &sum);
    double ms = sum.steps ? 1e3 / sum.steps : 0;
    if (status == SN_OK)
        printf("%-6s %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %7.2f %7d %9.2g\n", geometric ? "levers" : "light",
               ms * sum.all, 1e3 * sum.worst, ms * sum.inverse, ms * sum.B, ms * sum.qp, ms * sum.rest, 1e3 * cold.all,
               sum.rounds * ms / 1e3, sum.most_rounds, sum.error);
    free(zero);
    sn_treecontrol_destroy(control);
    sn_treesim_destroy(sim);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_body MODEL_TABLES [SECONDS]\n");
        return 2;
    }
    snUpperBodyDef def = sn_default_upper_body_def();
    snSpec *spec = NULL;
    snModel *m = NULL;
    snError error = {0};
    def.tables = argv[1], def.meshes = false;
    double seconds = argc > 2 ? atof(argv[2]) : 3;
    snStatus status = sn_author_upper_body(&def, &spec, &error);
    if (status == SN_OK) status = sn_compile(spec, &m, &error);
    if (status == SN_OK)
        printf(
            "step    mean ms  worst ms   inverse         B        QP      rest   cold ms  rounds    most error rad\n");
    if (status == SN_OK) status = run(m, false, seconds);
    if (status == SN_OK) status = run(m, true, seconds);
    if (status != SN_OK) fprintf(stderr, "bench_body: %s\n", error.message);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
    return status == SN_OK ? 0 : 1;
}
