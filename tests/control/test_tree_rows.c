/* The rows that the program of activations has, against the program of tree_control.h as it reads there. */
#include "tree_case.h"

#include "control/tree_control.h"
#include "opt/dense.h"

#include <string.h>

typedef struct rig {
    treeCase c;
    snTreeSim *sim;
    snTreeControl *control;
} rig;

/* The program of tree_control.h as it reads there, passive coordinates eliminated: B, tau and metric by rows of driven
 * coordinates, then those that ask passive ones to come to rest. G by columns. */
typedef struct eliminated {
    int32_t nm, np, ld, driven[160], passive[160];
    double *G, *Bt, *M, *tau, *y, *a; /* np rows of ld; npath rows of ld; ld rows of ld; ld; ld; npath */
} eliminated;

static void eliminate(rig *r, eliminated *e)
{
    const snTreeSim *s = r->sim;
    int32_t n = r->c.tree.ndof;
    double *App = CASE_ARRAY(&r->c, double, s->ld * s->ld), *least = CASE_ARRAY(&r->c, double, s->ld), column[160];
    e->nm = e->np = 0, e->ld = s->ld;
    for (int32_t i = 0; i < n; ++i)
        if (r->c.tree.driven[i])
            e->driven[e->nm++] = i;
        else
            e->passive[e->np++] = i;
    e->G = CASE_ARRAY(&r->c, double, e->np * e->ld);
    for (int32_t i = 0; i < e->np; ++i)
        for (int32_t j = 0; j < e->np; ++j) App[i * s->ld + j] = s->A[e->passive[i] * s->ld + e->passive[j]];
    assert_true(sn_dense()->factor(e->np, App, s->ld, least));
    for (int32_t m = 0; m < e->nm; ++m) {
        for (int32_t k = 0; k < e->np; ++k) column[k] = s->A[e->driven[m] * s->ld + e->passive[k]];
        sn_dense()->solve(e->np, App, s->ld, column);
        for (int32_t k = 0; k < e->np; ++k) e->G[k * e->ld + m] = column[k];
    }
}

/* Torques, metric and muscles; dv: of the driven coordinates wanted, of the passive ones -h k_v v. */
static void write_program(rig *r, eliminated *e, const double *dv, const double *active)
{
    const snTreeSim *s = r->sim;
    const snPathWork *line = s->line;
    int32_t n = r->c.tree.ndof, np = r->c.paths.npath;
    double *need = CASE_ARRAY(&r->c, double, n), *pull = CASE_ARRAY(&r->c, double, n);
    e->Bt = CASE_ARRAY(&r->c, double, np * e->ld), e->M = CASE_ARRAY(&r->c, double, e->ld * e->ld);
    e->tau = CASE_ARRAY(&r->c, double, e->ld), e->y = CASE_ARRAY(&r->c, double, e->ld);
    e->a = CASE_ARRAY(&r->c, double, np);
    for (int32_t i = 0; i < n; ++i) {
        need[i] = -s->b[i];
        for (int32_t j = 0; j < n; ++j) need[i] += s->A[i * s->ld + j] * dv[j];
    }
    for (int32_t m = 0; m < e->nm; ++m) {
        e->tau[m] = need[e->driven[m]] / s->h;
        for (int32_t k = 0; k < e->np; ++k) e->tau[m] -= e->G[k * e->ld + m] * need[e->passive[k]] / s->h;
        for (int32_t i = 0; i < e->nm; ++i) e->M[m * e->ld + i] = s->M[e->driven[m] * s->ld + e->driven[i]];
    }
    for (int32_t k = 0; k < e->np; ++k) {
        e->tau[e->nm + k] = need[e->passive[k]] / s->h;
        for (int32_t i = 0; i < e->np; ++i)
            e->M[(e->nm + k) * e->ld + e->nm + i] =
                s->A[e->passive[k] * s->ld + e->passive[i]] / (r->control->steady * r->control->eps);
    }
    for (int32_t p = 0; p < np; ++p) {
        memset(pull, 0, (size_t)n * sizeof *pull);
        for (int32_t i = line->rowadr[p]; i < line->rowadr[p + 1]; ++i) pull[line->col[i]] = -line->P[i] * active[p];
        for (int32_t k = 0; k < e->np; ++k) e->Bt[p * e->ld + e->nm + k] = pull[e->passive[k]];
        for (int32_t m = 0; m < e->nm; ++m) {
            e->Bt[p * e->ld + m] = pull[e->driven[m]];
            for (int32_t k = 0; k < e->np; ++k) e->Bt[p * e->ld + m] -= e->G[k * e->ld + m] * pull[e->passive[k]];
        }
    }
}

/* Activations while an elbow speeds up, from the rows of the step against those of the eliminated program. */
static void rows_of_the_step_are_the_eliminated_program(void **state)
{
    (void)state;
    rig r;
    eliminated e;
    case_upper_body(&r.c);
    r.sim = sn_treesim_create(&r.c.tree, &r.c.paths), r.control = sn_treecontrol_create(r.sim, 0, NULL);
    assert_true(r.sim && r.control);
    int32_t n = r.c.tree.ndof, np = r.c.paths.npath, elbow = 0;
    while (strcmp(r.c.coordinate[elbow], "ulna_R_flex") != 0) ++elbow;
    double *q = CASE_ARRAY(&r.c, double, n), *v = CASE_ARRAY(&r.c, double, n), *a = CASE_ARRAY(&r.c, double, n);
    double *dv = CASE_ARRAY(&r.c, double, n), *active = CASE_ARRAY(&r.c, double, np), worst = 0;
    double *memory = CASE_ARRAY(&r.c, double, (int32_t)sn_treecontrol_save(r.control, r.sim, NULL));
    for (int32_t t = 0; t < 30; ++t) {
        sn_treesim_prepare(r.sim);
        sn_treesim_evaluate(r.sim);
        a[elbow] = 3, v[elbow] += 3 * r.sim->h, q[elbow] = r.sim->q[elbow];
        sn_treecontrol_save(r.control, r.sim, memory);
        assert_int_equal(sn_treecontrol_choose(r.control, r.sim, q, v, a), SN_OK);
        if (t < 29) assert_int_equal(sn_treesim_advance(r.sim), SN_OK);
    }
    memcpy(dv, memory + 2, (size_t)n * sizeof *dv); /* passive ones as guessed */
    for (int32_t i = 0; i < n; ++i)
        if (r.c.tree.driven[i]) dv[i] = r.sim->h * r.control->wanted[i];
    sn_treesim_active_after(r.sim, dv, active);
    for (int32_t i = 0; i < n; ++i)
        if (!r.c.tree.driven[i]) dv[i] = -r.sim->h * r.control->k_v * r.sim->v[i];
    eliminate(&r, &e);
    write_program(&r, &e, dv, active);
    snDualQp *qp = sn_dualqp_create(n, np);
    snDualQpProblem p = {.m = n, .n = np, .ld = e.ld, .Bt = e.Bt, .M = e.M, .tau = e.tau};
    p.lo = r.control->lo, p.hi = r.control->hi, p.eps = r.control->eps;
    assert_int_equal(sn_dualqp_solve(qp, &p, e.y, e.a, NULL), SN_OK);
    for (int32_t i = 0; i < np; ++i) worst = fmax(worst, fabs(e.a[i] - r.control->activation[i]));
    print_message("rows of the step against the eliminated program: activations differ by %.1g\n", worst);
    assert_at_most(worst, 1e-9);
    sn_dualqp_destroy(qp);
    sn_treecontrol_destroy(r.control);
    sn_treesim_destroy(r.sim);
    case_free(&r.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_the_step_are_the_eliminated_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
