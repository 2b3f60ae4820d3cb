/* The system of a tree for a long time whose forces are those of a short step: matrix of the one, right side per second
 * of the other, also beyond stops. */
#include "tree_case.h"

#include "sim/tree_sim.h"

#include <string.h>

static const double SHORT = 0.002, LONG = 0.007; /* s */

static snTreeSim *formed(const treeCase *c, double h, double lead)
{
    snTreeSim *s = sn_treesim_create(&c->tree, &c->paths);
    assert_non_null(s);
    for (int32_t i = 0; i < c->tree.ndof; ++i) {
        bool beyond = i % 5 == 0 && c->tree.upper[i] < 1;
        s->q[i] = beyond ? c->tree.upper[i] + 0.01 : 0.02 * sin(3 * i), s->v[i] = 0.3 * cos(5 * i);
    }
    s->h = h, s->lead = lead;
    sn_treesim_prepare(s);
    sn_treesim_evaluate(s);
    return s;
}

static void forces_of_one_and_response_of_the_other(void **state)
{
    (void)state;
    treeCase c;
    case_upper_body(&c);
    size_t np = (size_t)c.paths.npath;
    snTreeSim *brief = formed(&c, SHORT, 0), *wide = formed(&c, LONG, 0), *both = formed(&c, LONG, SHORT);
    double *still = CASE_ARRAY(&c, double, c.tree.ndof), *one = CASE_ARRAY(&c, double, c.paths.npath),
           *other = CASE_ARRAY(&c, double, c.paths.npath), stops = 0;
    for (int32_t i = 0; i < c.tree.ndof; ++i) {
        const double *row = both->A + (int64_t)i * both->ld, *as = wide->A + (int64_t)i * wide->ld;
        double size = fabs(brief->stop_b[i] / SHORT) + fabs(brief->b[i] / SHORT) + 1;
        bool same = (brief->stop_A[i] > 0) == (wide->stop_A[i] > 0);
        stops += both->stop_A[i] > 0;
        assert_true((both->stop_A[i] > 0) == (brief->stop_A[i] > 0)); /* looked at where the short step ends */
        assert_near(both->b[i] / LONG, brief->b[i] / SHORT, 1e-9 * size);
        for (int32_t j = 0; j < c.tree.ndof; ++j)
            if (j != i || (same && both->stop_A[i] == 0)) assert_near(row[j], as[j], 1e-12 * (1 + fabs(as[j])));
    }
    assert_true(stops > 3);
    sn_treesim_active_after(brief, still, one);
    sn_treesim_active_after(both, still, other);
    for (size_t p = 0; p < np; ++p) assert_near(other[p], one[p], 1e-9 * (1 + fabs(one[p])));
    sn_treesim_destroy(brief), sn_treesim_destroy(wide), sn_treesim_destroy(both);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forces_of_one_and_response_of_the_other)};
    return cmocka_run_group_tests_name("sim.tree_lead", tests, NULL, NULL);
}
