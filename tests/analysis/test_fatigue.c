/* 3CC-r: what is conserved, what is known in closed form, and that steps do not matter. */
#include "check.h"

#include "analysis/fatigue.h"

static void check_shares(snFatigue x)
{
    assert_near(x.active + x.fatigued + x.resting, 1, 1e-12);
    assert_at_most(-1e-9, x.active);
    assert_at_most(-1e-9, x.fatigued);
    assert_at_most(-1e-9, x.resting);
}

static void shares_always_add_up(void **state)
{
    (void)state;
    snFatigueLaw law = sn_fatigue_hand();
    snFatigue x = sn_fatigue_rested();
    double off = 0;
    for (int i = 0; i < 400; ++i) {
        sn_fatigue_advance(&law, &x, 0.5 + 0.5 * sin(0.3 * i), 1);
        check_shares(x);
        off = fmax(off, fabs(x.active + x.fatigued + x.resting - 1));
    }
    print_message("3CC-r: the sum is off by %.1e (1e-12)\n", off);
}

/* Held at full load everything that can is active: MA settles where tiring and recovery balance, R / (F + R). */
static void endless_full_load_leaves_the_published_rest(void **state)
{
    (void)state;
    snFatigueLaw law = sn_fatigue_hand();
    snFatigue x = sn_fatigue_rested();
    sn_fatigue_advance(&law, &x, 1, 4000);
    double left = law.recovery / (law.fatigue + law.recovery);
    print_message("3CC-r: MA at full load %.5f, R/(F+R) %.5f (1 %%)\n", x.active, left);
    assert_near(x.active, left, 0.01 * left);
    check_shares(x);
}

/* At rest MA goes as exp(-(LR + F) t) and, that gone, MF as exp(-r R t). */
static void rest_recovers_exponentially(void **state)
{
    (void)state;
    snFatigueLaw law = sn_fatigue_hand();
    snFatigue x = {.active = 0.4, .fatigued = 0.5, .resting = 0.1};
    sn_fatigue_advance(&law, &x, 0, 0.2);
    assert_near(x.active, 0.4 * exp(-0.2 * (law.relax + law.fatigue)), 1e-5);
    sn_fatigue_advance(&law, &x, 0, 5);
    double before = x.fatigued;
    sn_fatigue_advance(&law, &x, 0, 60);
    assert_near(x.fatigued, before * exp(-60 * law.rest * law.recovery), 1e-8);
}

static void a_light_load_is_held_and_steps_do_not_matter(void **state)
{
    (void)state;
    snFatigueLaw law = sn_fatigue_hand();
    snFatigue once = sn_fatigue_rested(), often = once;
    sn_fatigue_advance(&law, &once, 0.3, 30);
    for (int i = 0; i < 3000; ++i) sn_fatigue_advance(&law, &often, 0.3, 0.01);
    assert_near(once.active, 0.3, 0.001);
    assert_near(once.active, often.active, 1e-7);
    assert_near(once.fatigued, often.fatigued, 1e-7);
    snFatigue same = once;
    sn_fatigue_advance(&law, &same, 0.3, 0);
    assert_near(same.fatigued, once.fatigued, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_always_add_up),
        cmocka_unit_test(endless_full_load_leaves_the_published_rest),
        cmocka_unit_test(rest_recovers_exponentially),
        cmocka_unit_test(a_light_load_is_held_and_steps_do_not_matter),
    };
    return cmocka_run_group_tests_name("analysis.fatigue", tests, NULL, NULL);
}
