/* Going on after an interruption: a state from bytes, and a followed motion from its checkpoint, bit for bit. */
#include "compiled.h"

#include "scenes.h"
#include "sim/measure.h"
#include "sim/state.h"
#include "sinew/record.h"

#include <stdlib.h>
#include <string.h>

static void run_steps(const snModel *m, snState *s, int count)
{
    for (int i = 0; i < count; ++i) {
        for (int32_t k = 0; k < m->nmuscle; ++k) s->activation[k] = 0.02 + 0.01 * ((k + i) % 5);
        assert_int_equal(sn_step(m, s), SN_OK);
    }
}

static void saved_state_goes_on_bit_for_bit(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    snState *a = NULL, *b = NULL;
    assert_int_equal(sn_state_create(m, NULL, &a, NULL), SN_OK);
    assert_int_equal(sn_state_create(m, NULL, &b, NULL), SN_OK);
    run_steps(m, a, 20);
    size_t size = sn_state_save(m, a, NULL);
    unsigned char *bytes = malloc(size);
    assert_int_equal(sn_state_save(m, a, bytes), size);
    assert_int_equal(sn_state_load(m, b, bytes, size), SN_OK);
    assert_true(sn_state_hash(a) == sn_state_hash(b));
    run_steps(m, a, 20);
    run_steps(m, b, 20);
    assert_true(sn_state_hash(a) == sn_state_hash(b));

    uint64_t before = sn_state_hash(b);
    assert_int_equal(sn_state_load(m, b, bytes, size - 1), SN_BAD_INPUT);
    bytes[size / 2] ^= 1;
    assert_int_equal(sn_state_load(m, b, bytes, size), SN_BAD_INPUT);
    assert_true(sn_state_hash(b) == before);
    bytes[size / 2] ^= 1;
    b->h *= 2; /* another step: not the same run */
    assert_int_equal(sn_state_load(m, b, bytes, size), SN_BAD_INPUT);
    free(bytes);
    sn_state_destroy(a);
    sn_state_destroy(b);
    sn_model_destroy(m);
}

static snTrack *bend(const snModel *m)
{
    enum { FRAMES = 41 };
    double time[FRAMES], c[4 * FRAMES];
    snTrack *motion = NULL;
    for (int i = 0; i < FRAMES; ++i) {
        double k = 0.5 - 0.5 * cos(2 * SN_PI * i / (FRAMES - 1.0));
        time[i] = 0.02 * i;
        c[4 * i] = c[4 * i + 2] = 30 * SN_DEG * k;
        c[4 * i + 1] = 0;
        c[4 * i + 3] = 10 * SN_DEG * k;
    }
    assert_int_equal(sn_motion_from_coordinates(m, FRAMES, time, c, &motion), SN_OK);
    return motion;
}

static int stop_at(void *user, const char *stage, double done, double total)
{
    (void)stage, (void)total;
    return done >= *(double *)user;
}

static void assert_same(const snTrack *a, const snTrack *b)
{
    const snTrackDef *def = sn_track_def(a);
    assert_int_equal(sn_track_frames(a), sn_track_frames(b));
    for (int32_t f = 0; f < sn_track_frames(a); ++f) {
        assert_true(sn_track_time(a, f) == sn_track_time(b, f));
        assert_memory_equal(sn_track_pose(a, f), sn_track_pose(b, f), sizeof(double) * 7 * (size_t)def->nbody);
        assert_memory_equal(sn_track_point(a, f), sn_track_point(b, f),
                            sizeof(double) * 3 * (size_t)sn_track_points(a));
        assert_memory_equal(sn_track_scalar(a, f), sn_track_scalar(b, f), sizeof(double) * (size_t)def->nscalar);
    }
}

/* The whole motion, and the same stopped at a frame and taken up again. */
static void check_resume(bool keep_input_motion, double stop)
{
    snModel *m = compiled(sn_scene("finger"));
    snTrack *motion = bend(m), *whole = NULL, *half = NULL, *rest = NULL;
    snFollowDef def = sn_default_follow_def();
    snFollowReport first, second, third;
    def.keep_input_motion = keep_input_motion;
    assert_int_equal(sn_follow(m, motion, &def, &whole, &first, NULL), SN_OK);
    def.progress = (snProgress){stop_at, &stop};
    assert_int_equal(sn_follow(m, motion, &def, &half, &second, NULL), SN_CANCELLED);
    assert_int_equal(sn_track_frames(half), (int)stop + 1);
    assert_non_null(second.checkpoint);
    def.progress = (snProgress){0};
    def.resume = half;
    def.checkpoint = second.checkpoint;
    def.checkpoint_size = second.checkpoint_size;
    assert_int_equal(sn_follow(m, motion, &def, &rest, &third, NULL), SN_OK);
    assert_true(third.resumed);
    assert_same(whole, rest);
    assert_at_most(third.max_activation, first.max_activation);
    if (!keep_input_motion) assert_near(third.all.rms, first.all.rms, 1e-12);
    sn_follow_report_free(&first);
    sn_follow_report_free(&second);
    sn_follow_report_free(&third);
    sn_track_destroy(motion);
    sn_track_destroy(whole);
    sn_track_destroy(half);
    sn_track_destroy(rest);
    sn_model_destroy(m);
}

static void followed_motion_goes_on_bit_for_bit(void **state)
{
    (void)state;
    check_resume(false, 23);
}

static void kept_input_motion_goes_on_too(void **state)
{
    (void)state;
    check_resume(true, 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_state_goes_on_bit_for_bit),
        cmocka_unit_test(followed_motion_goes_on_bit_for_bit),
        cmocka_unit_test(kept_input_motion_goes_on_too),
    };
    return cmocka_run_group_tests_name("control.resume", tests, NULL, NULL);
}
