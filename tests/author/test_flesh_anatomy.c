/* What of a model makes its flesh: strands of groups belong to the group's muscle; bellies of line muscles are where
 * the model has their fibres. */
#include "check.h"

#include "author/flesh.h"
#include "model/model.h"
#include "sinew/io.h"

#include <math.h>
#include <string.h>

static void open_anatomy(const char *name, snSpec **spec, snAnatomy *a)
{
    snError error = {0};
    char path[4096];
    assert_int_equal(sn_find_model(name, path, sizeof path, &error), SN_OK);
    assert_int_equal(sn_load_model(path, spec, &error), SN_OK);
    assert_int_equal(sn_anatomy_create(*spec, NULL, a, &error), SN_OK);
}

static void strands_of_groups_pull(void **state)
{
    (void)state;
    snSpec *spec = NULL;
    snAnatomy a;
    open_anatomy("shoulder", &spec, &a);
    int32_t grouped = 0, contract = 0;
    for (int32_t s = 0; s < a.model->nstrand; ++s) {
        int32_t muscle = a.model->strand_muscle[s];
        contract += muscle >= 0;
        grouped += muscle >= 0 && strcmp(a.model->muscle_name[muscle], sn_name(a.model, SN_ITEM_STRAND, s)) != 0;
    }
    assert_true(grouped > 0); /* else it shows nothing */
    assert_int_equal(a.nstrand, contract);
    sn_anatomy_free(&a);
    sn_spec_destroy(spec);
}

static void bellies_are_as_long_as_the_fibres(void **state)
{
    (void)state;
    snSpec *spec = NULL;
    snAnatomy a;
    open_anatomy("body", &spec, &a);
    const snSkeleton *k = a.model->skeleton;
    int32_t found = 0, over = a.nfibers - sn_count(a.model, SN_ITEM_MUSCLE);
    assert_true(over > 800);
    for (int32_t i = 0; i < a.nstrand; ++i) {
        const snFleshStrand *s = &a.strand[i];
        const snPathMuscle *m = &k->path.muscle[s->line];
        double belly = fmin(m->fibre_length * m->x_neutral, s->path_length), length = 0;
        for (int32_t p = 0; p + 1 < s->npoint; ++p) length += v3_dist(s->point[p], s->point[p + 1]);
        assert_near(s->path_length, m->neutral_length, 0.02 * m->neutral_length); /* arcs are drawn as chords */
        assert_near(length, belly, 1e-9);
        assert_near(s->optimum, 1 / m->x_neutral, 1e-12); /* strongest at the optimal length of its fibres */
        assert_near(SN_PI * s->radius * s->radius * length, m->max_force / 50.8e4 * m->fibre_length, 1e-10);
        found += strcmp(s->name, "biceps_long_R") == 0;
    }
    assert_int_equal(found, 1);
    sn_anatomy_free(&a);
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_of_groups_pull),
        cmocka_unit_test(bellies_are_as_long_as_the_fibres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
