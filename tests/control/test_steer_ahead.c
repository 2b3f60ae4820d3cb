/* Steering in steps shorter than the time that activations are chosen for: they get there in equal parts, and a run
 * that is interrupted on the way goes on bit for bit. */
#include "steer_case.h"

enum { PARTS = 4, FRAMES = 32 };

typedef struct Run {
    Course course;
    int32_t keep; /* frame whose checkpoint is kept, -1: none */
    void *bytes;
    size_t size;
} Run;

static snStatus keep_frame(void *user, const snSteer *run, snState *state, double time)
{
    Run *r = user;
    if (r->course.frames == r->keep) {
        r->size = sn_steer_save(run, NULL);
        r->bytes = malloc(r->size);
        assert_non_null(r->bytes);
        assert_int_equal(sn_steer_save(run, r->bytes), r->size);
    }
    return note_frame(&r->course, run, state, time);
}

/* The beginning of a curl in steps of a quarter of what a choice is made for. */
static snStatus try_curl(Run *r, int32_t steps_per_frame, const void *checkpoint, size_t size)
{
    snPoses *poses = NULL;
    snError error = {0};
    snMotionDef load = sn_default_motion_def();
    snSteerDef def = sn_default_steer_def();
    load.model = "body";
    if (sn_load_motion_poses("curl", &load, &poses, &error) != SN_OK) fail_msg("%s", error.message);
    r->course.room = FRAMES + 1;
    r->course.at = calloc((FRAMES + 1) * (size_t)sn_count(r->course.m, SN_ITEM_MUSCLE), sizeof(double));
    assert_non_null(r->course.at);
    def.step = CONTROL / PARTS, def.frame_rate = PARTS / (CONTROL * steps_per_frame);
    def.start = 0.3, def.end = 0.3 + FRAMES / def.frame_rate + 1e-6;
    def.checkpoint = checkpoint, def.checkpoint_size = size;
    def.frame = keep_frame, def.user = r;
    snStatus status = sn_steer(r->course.m, poses, &def, &r->course.report, &error);
    if (status != SN_OK && !checkpoint) fail_msg("%s", error.message);
    sn_poses_destroy(poses);
    return status;
}

static void run_curl(Run *r, int32_t steps_per_frame, const void *checkpoint, size_t size)
{
    assert_int_equal(try_curl(r, steps_per_frame, checkpoint, size), SN_OK);
}

static void free_run(Run *r)
{
    free_course(&r->course);
    free(r->bytes);
}

static void activations_are_reached_in_equal_parts(void **state)
{
    (void)state;
    snModel *m = shipped_body();
    size_t n = (size_t)sn_count(m, SN_ITEM_MUSCLE);
    Run r = {.course = {.m = m}, .keep = -1};
    run_curl(&r, 1, NULL, 0);
    double bend = 0, change = 0;
    assert_int_equal(r.course.frames, FRAMES + 1);
    for (size_t f = PARTS; f + PARTS <= FRAMES; f += PARTS) /* a choice is reached in frame f */
        for (size_t u = 0; u < n; ++u) {
            const double *at = r.course.at + f * n + u;
            double whole = at[PARTS * n] - at[0];
            change = fmax(change, fabs(whole));
            for (size_t k = 1; k < PARTS; ++k) bend = fmax(bend, fabs(at[k * n] - at[0] - whole * (double)k / PARTS));
        }
    assert_true(change > 1e-4);
    assert_at_most(bend, 1e-14);
    free_run(&r);
    sn_model_destroy(m);
}

static void interrupted_on_the_way(void **state)
{
    (void)state;
    snModel *m = shipped_body();
    size_t n = (size_t)sn_count(m, SN_ITEM_MUSCLE), last = (FRAMES - 1) * n;
    Run whole = {.course = {.m = m}, .keep = 9}, rest = {.course = {.m = m}, .keep = -1};
    run_curl(&whole, PARTS - 1, NULL, 0); /* frame 9: after 27 steps, three quarters of the way */
    run_curl(&rest, PARTS - 1, whole.bytes, whole.size);
    assert_int_equal(rest.course.frames, whole.course.frames - 10);
    assert_memory_equal(rest.course.at + last - 10 * n, whole.course.at + last, n * sizeof(double));
    assert_true(rest.course.report.trust.worst_angle == whole.course.report.trust.worst_angle);
    assert_true(rest.course.report.trust.step_error == whole.course.report.trust.step_error);
    enum { FLIPS = 24 };
    for (size_t k = 0; k < FLIPS; ++k) {
        Run changed = {.course = {.m = m}, .keep = -1};
        unsigned char *byte = (unsigned char *)whole.bytes + k * (whole.size - 1) / (FLIPS - 1);
        *byte ^= 4;
        assert_int_equal(try_curl(&changed, PARTS - 1, whole.bytes, whole.size), SN_BAD_INPUT);
        *byte ^= 4;
        free_run(&changed);
    }
    free_run(&whole), free_run(&rest);
    sn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(activations_are_reached_in_equal_parts),
                                       cmocka_unit_test(interrupted_on_the_way)};
    return cmocka_run_group_tests_name("control.steer_ahead", tests, NULL, NULL);
}
