/* A muscle over an elbow: volume, forces in balance, contact, the way out and back, friction, dynamics. The fibres work
 * on the rising side of their law: at its top they have no stiffness along them, and the way back ends 31 mm elsewhere.
 */
#include "flexor.h"

static void bent_and_back(void **state)
{
    (void)state;
    flexor f;
    flexor_create(&f, 200, 25e3, 1.3);
    flexor_use_depth(&f);
    int32_t n = f.c.quads.nnode;
    double *out[4];
    assert_true(flexor_solve(&f, 0, 0.4).converged);
    for (int k = 0; k < 4; ++k) {
        snSoftInfo info = flexor_solve(&f, 15 * (k + 1), 0.4);
        assert_true(info.converged);
        assert_at_most(0.99, info.volume);
        assert_at_most(info.contact_depth, 0.3e-3);
        out[k] = calloc(3 * (size_t)n, sizeof **out);
        memcpy(out[k], f.c.state->x, 3 * (size_t)n * sizeof **out);
        /* what the bones bear sums to nothing, up to the force that the solve left */
        v3 sum = {0, 0, 0};
        for (int32_t b = 0; b < 2; ++b) {
            double held[3], touch[3];
            sn_soft_bone_force(f.c.body, f.c.state, b, held, touch);
            sum = v3_add(sum, v3_add(v3_load(held), v3_load(touch)));
        }
        assert_at_most(v3_len(sum), n * info.residual + 1e-9);
    }
    double worst = 0;
    for (int k = 2; k >= 0; --k) {
        assert_true(flexor_solve(&f, 15 * (k + 1), 0.4).converged);
        worst = fmax(worst, largest_move(n, f.c.state->x, out[k], NULL));
    }
    print_message("out and back: %.4f mm\n", worst * 1e3);
    assert_at_most(worst, 0.05e-3);
    for (int k = 0; k < 4; ++k) free(out[k]);
    flexor_free(&f);
}

/* With friction the muscle slides less far along the bone when its activation changes. */
static void friction_holds(void **state)
{
    (void)state;
    flexor f;
    flexor_create(&f, 150, 25e3, 1.3);
    flexor_use_depth(&f);
    size_t n = 3 * (size_t)f.c.quads.nnode;
    int32_t pressed = 0;
    double *x = calloc(n, sizeof *x), slid[2] = {0, 0};
    flexor_solve(&f, 0, 0.4);
    for (int k = 1; k <= 5; ++k) flexor_solve(&f, 20 * k, 0.4);
    sn_soft_remember_contact(f.c.body, f.c.state);
    memcpy(x, f.c.state->x, n * sizeof *x);
    for (int pass = 0; pass < 2; ++pass) {
        memcpy(f.c.state->x, x, n * sizeof *x);
        f.c.state->friction = pass ? 2 : 0;
        flexor_solve(&f, 100, 0.8);
        for (size_t i = 0; i < n / 3; ++i) {
            if (f.c.state->normal_force[2 * i] < 0.01) continue;
            pressed += pass;
            slid[pass] += v3_dist(v3_load(x + 3 * i), v3_load(f.c.state->x + 3 * i));
        }
    }
    print_message("%d points touch; they slide %.3f mm in all, with friction %.3f\n", pressed, slid[0] * 1e3,
                  slid[1] * 1e3);
    assert_true(pressed > 0);
    assert_true(slid[1] < slid[0]);
    free(x);
    flexor_free(&f);
}

/* A muscle that is pulled hard over a bone hardly sinks into it: where it would, contact is made stiffer. */
static void bones_keep_points_out(void **state)
{
    (void)state;
    for (int soft = 0; soft < 2; ++soft) {
        flexor f;
        double deepest = 0, hardest = 0;
        flexor_create(&f, 150, 25e3, 1.3);
        if (soft) f.c.def.contact_stiffness = 2e3;
        flexor_use_depth(&f);
        for (int k = 0; k <= 6 - soft; ++k) {
            snSoftInfo info = flexor_solve(&f, 20 * k, k < 6 ? 0.4 : 1);
            assert_true(info.converged);
            deepest = fmax(deepest, info.contact_depth), hardest = fmax(hardest, f.c.state->contact_stiffness);
        }
        print_message("deepest point %.3f mm, contact of up to %.0f N/mm\n", deepest * 1e3, hardest / 1e3);
        assert_at_most(deepest, 0.3e-3);
        assert_true(!soft || hardest > 2e3);
        flexor_free(&f);
    }
}

/* A free body flies on: implicit steps keep its momentum. */
static void dynamics_keep_momentum(void **state)
{
    (void)state;
    softCase c = {0};
    case_spindle(&c.mesh);
    case_points(&c, 150, true);
    case_body(&c, 25e3, 3e6, 0, 0, -1, 1);
    double mass = 0, before = 0, after = 0;
    snSoftSolveDef def = sn_default_soft_solve_def();
    def.tolerance = 1e-8;
    for (int32_t i = 0; i < 150; ++i) {
        mass += c.body->mass[i];
        c.state->velocity[3 * i] = 0.5 + c.quads.rest[3 * i + 2];
        before += c.body->mass[i] * c.state->velocity[3 * i];
    }
    assert_near(mass, 1060 * c.body->volume, 1e-12);
    for (int k = 0; k < 5; ++k) sn_soft_advance(c.body, c.state, 0.01, &def);
    for (int32_t i = 0; i < 150; ++i) after += c.body->mass[i] * c.state->velocity[3 * i];
    assert_near(after, before, 1e-5 * before);
    case_free(&c);
}

static void solving_allocates_nothing(void **state)
{
    (void)state;
    flexor f;
    flexor_create(&f, 150, 25e3, 1.3);
    int64_t count = sn_alloc_count();
    flexor_solve(&f, 20, 0.3);
    assert_int_equal(sn_alloc_count(), count);
    flexor_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bent_and_back),
        cmocka_unit_test(friction_holds),
        cmocka_unit_test(bones_keep_points_out),
        cmocka_unit_test(dynamics_keep_momentum),
        cmocka_unit_test(solving_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
