/* What a prepared tree remembers: nothing is found twice for one state, and nothing stays that has changed. */
#include "tree_case.h"

#include "sim/tree_sim.h"

#include <string.h>

/* Lengths, forces and arms of a sim that has never seen another state. */
static void assert_as_if_new(const treeCase *c, const snTreeSim *s)
{
    snTreeSim *fresh = sn_treesim_create(&c->tree, &c->paths);
    assert_non_null(fresh);
    size_t n = sizeof(double) * (size_t)c->tree.ndof, np = sizeof(double) * (size_t)c->paths.npath;
    memcpy(fresh->q, s->q, n), memcpy(fresh->v, s->v, n);
    memcpy(fresh->strength, s->strength, np), memcpy(fresh->weight, s->weight, np);
    sn_treesim_prepare(fresh);
    assert_memory_equal(fresh->line->length, s->line->length, np);
    assert_memory_equal(fresh->line->rate, s->line->rate, np);
    assert_memory_equal(fresh->line->passive, s->line->passive, np);
    assert_memory_equal(fresh->line->active, s->line->active, np);
    assert_memory_equal(fresh->work->rotation, s->work->rotation, 9 * n);
    assert_memory_equal(fresh->work->V, s->work->V, 6 * n);
    sn_treesim_destroy(fresh);
}

static void what_has_changed_is_seen(void **state)
{
    (void)state;
    treeCase c;
    case_upper_body(&c);
    snTreeSim *s = sn_treesim_create(&c.tree, &c.paths);
    assert_non_null(s);
    sn_treesim_prepare(s);
    assert_as_if_new(&c, s);
    double *changed[4] = {s->q + 3, s->v + 7, s->strength + 11, s->weight + 500};
    for (int k = 0; k < 4; ++k) {
        *changed[k] += 0.01;
        sn_treesim_prepare(s);
        assert_as_if_new(&c, s);
    }
    double mark = s->line->length[5], other = mark + 1;
    s->line->length[5] = other; /* prepared for this state already: left as it is */
    sn_treesim_prepare(s);
    assert_near(s->line->length[5], other, 0);
    s->line->length[5] = mark;
    sn_tree_place(s->tree, s->work, c.tree.rest); /* elsewhere, and said so */
    s->is_seen = false;
    sn_treesim_prepare(s);
    assert_as_if_new(&c, s);
    sn_treesim_destroy(s);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_has_changed_is_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
