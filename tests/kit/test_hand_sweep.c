/* The hand in the simulator over the range of motion of every joint: passive tension, tendons outside their surfaces,
 * and lengths that follow the tight strings of the tables.
 * Heavy: minutes under a sanitizer, which sees the same code in shorter tests. */
#include "check.h"
#include "hand/hand.h"
#include "sim/state.h"
#include "sinew/author.h"

#include <stdlib.h>
#include <string.h>

#define TABLES SINEW_SOURCE_DIR "/models/hand"

typedef struct rig {
    snHand hand;
    snModel *model;
    snState *state;
    snView length, tension, activation, gap;
} rig;

static int set_up(void **state)
{
    rig *r = calloc(1, sizeof *r);
    snHandDef def = sn_default_hand_def();
    def.tables = TABLES;
    def.meshes = false;
    snSimDef sim = sn_default_sim_def();
    sim.threads = 1;
    snSpec *spec = NULL;
    if (!r || sn_hand_read(&r->hand, TABLES, NULL) != SN_OK || sn_author_hand(&def, &spec, NULL) != SN_OK) return 1;
    snStatus status = sn_compile(spec, &r->model, NULL);
    sn_spec_destroy(spec);
    if (status != SN_OK || sn_state_create(r->model, &sim, &r->state, NULL) != SN_OK) return 1;
    sn_field(r->model, r->state, "strand.length", &r->length);
    sn_field(r->model, r->state, "strand.tension", &r->tension);
    sn_field(r->model, r->state, "muscle.activation", &r->activation);
    sn_field(r->model, r->state, "constraint.gap", &r->gap);
    *state = r;
    return 0;
}

static int tear_down(void **state)
{
    rig *r = *state;
    sn_state_destroy(r->state);
    sn_model_destroy(r->model);
    sn_hand_free(&r->hand);
    free(r);
    return 0;
}

/* Goes to a coordinate in a few small moves, strands following, bodies held. */
static void move_to(rig *r, int32_t coordinate, double from, double to)
{
    enum { MOVES = 3 };
    double q[SN_HAND_MAX_COORDINATE] = {0};
    for (int k = 1; k <= MOVES; ++k) {
        q[coordinate] = from + (to - from) * k / MOVES;
        assert_int_equal(sn_pose(r->model, r->state, q), SN_OK);
        assert_int_equal(sn_settle(r->model, r->state, 0.012), SN_OK);
    }
}

static double deepest(const rig *r)
{
    double depth = 0;
    for (int32_t i = 0; i < r->gap.rows; ++i)
        if (r->model->constraint[i].one_sided) depth = fmax(depth, -r->gap.data[i]);
    return depth;
}

/* Passive tension stays under 5 % of the maximal force over the middle 80 % of every joint's range, and no tendon
 * leaves the side of its surface. */
static void passive_tension_is_small(void **state)
{
    rig *r = *state;
    bool high[64] = {false};
    double depth = 0;
    for (int32_t c = 0; c < r->hand.ncoordinate; ++c) {
        double lower = 0, upper = 0, at = 0;
        sn_hand_range(&r->hand, c, &lower, &upper);
        sn_state_reset(r->model, r->state);
        for (int k = 0; k < 4; ++k) {
            static const double stop[4] = {0.1, 0.35, 0.65, 0.9};
            double to = lower + stop[k] * (upper - lower);
            move_to(r, c, at, to);
            at = to;
            depth = fmax(depth, deepest(r));
            for (int32_t i = 0; i < r->hand.muscle.count; ++i)
                high[i] = high[i] || r->tension.data[i] > 0.05 * r->hand.muscle.at[i].max_force;
        }
    }
    int low = 0;
    for (int32_t i = 0; i < r->hand.muscle.count; ++i) {
        low += !high[i];
        if (high[i]) print_message("passive tension above 5 %%: %s\n", r->hand.muscle.at[i].name);
    }
    print_message("passive tension under 5 %% of the maximal force: %d of %d; deepest into a surface %.3f mm\n", low,
                  r->hand.muscle.count, 1e3 * depth);
    assert_true(low >= 50);
    assert_at_most(depth, 1e-3);
}

/* Between two poses the simulated paths shorten as the tight strings do: the moment arms of the tables are those of the
 * model. Lumbricals are left out, since their origin moves with the deep flexors. */
static void lengths_follow_the_tables(void **state)
{
    rig *r = *state;
    double worst = 0;
    for (int32_t c = 1; c < r->hand.ncoordinate; c += 6) { /* wrist and index flexion among them */
        double q[SN_HAND_MAX_COORDINATE] = {0}, lower = 0, upper = 0, before[64], straight[2];
        rigid motion[2][SN_HAND_MAX_BODY];
        sn_hand_range(&r->hand, c, &lower, &upper);
        sn_state_reset(r->model, r->state);
        for (int32_t i = 0; i < r->activation.rows; ++i) r->activation.data[i] = 0.1;
        move_to(r, c, 0, 0);
        memcpy(before, r->length.data, sizeof(double) * (size_t)r->length.rows);
        move_to(r, c, 0, 0.6 * upper);
        for (int k = 0; k < 2; ++k) {
            q[c] = k * 0.6 * upper;
            sn_hand_pose(&r->hand, q, motion[k]);
        }
        for (int32_t i = 0; i < r->hand.muscle.count; ++i) {
            if (r->hand.muscle.at[i].on >= 0) continue;
            for (int k = 0; k < 2; ++k) straight[k] = sn_hand_path_length(&r->hand, motion[k], i, NULL);
            worst = fmax(worst, fabs(r->length.data[i] - before[i] - straight[1] + straight[0]));
        }
    }
    print_message("excursions differ from those of tight strings by %.2f mm at most\n", 1e3 * worst);
    assert_at_most(worst, 1.5e-3);
}

/* Joints at the ends of their ranges, all muscles slack or all pulling: a tendon that was pulled through until its
 * belly is 10 mm inside an eyelet would end a run. */
static void bellies_stay_clear_of_eyelets(void **state)
{
    enum { POSES = 400 };
    rig *r = *state;
    uint64_t seed = 12345;
    for (int i = 0; i < POSES; ++i) {
        double q[SN_HAND_MAX_COORDINATE];
        snError error = {0};
        for (int32_t c = 0; c < r->model->ncoord; ++c) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            q[c] = seed >> 40 & 1 ? r->model->coord_upper[c] : r->model->coord_lower[c];
        }
        for (int32_t k = 0; k < r->model->nmuscle; ++k) r->activation.data[k] = i & 1;
        assert_int_equal(sn_pose(r->model, r->state, q), SN_OK);
        if (sn_check_gaps(r->state, &error) != SN_OK) fail_msg("pose %d: %s", i, error.message);
    }
    memset(r->activation.data, 0, sizeof(double) * (size_t)r->model->nmuscle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passive_tension_is_small),
        cmocka_unit_test(lengths_follow_the_tables),
        cmocka_unit_test(bellies_stay_clear_of_eyelets),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
