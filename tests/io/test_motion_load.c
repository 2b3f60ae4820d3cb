/* Motions for a model: formats, matching, and every allocation made to fail in turn. */
#include "io_case.h"

#include "compiled.h"

#include "io/own/files.h"
#include "io/pose.h"
#include "model/model.h"
#include "scenes.h"
#include "sinew/control.h"

static const char *write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return name;
}

/* Sampled densely: between the samples the track is the smooth motion of the keys to a micrometre. */
static void key_poses_become_poses_of_bodies(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    const char *path = write_text("io_load.pose.csv", "time,MCP.flexion,PIP.0\n0,0,0\n0.4,60,80\n0.7,20,10\n");
    snTrack *motion = NULL, *exact = NULL;
    snPoses *poses = NULL;
    snMotionSource source;
    snMotionDef def = sn_default_motion_def();
    snError error;
    def.source = &source;
    assert_ok(sn_load_motion(m, path, &def, &motion, &error), error);
    assert_string_equal(source.path, path);
    assert_true(source.frame_rate == 0);
    assert_ok(sn_load_poses(path, &poses, &error), error);
    int32_t distal = sn_find(m, SN_ITEM_BODY, "distal");
    double worst = 0;
    for (double t = 0.001; t < 0.7; t += 0.0137) {
        double q[2], row[8] = {0}, pose[7], time[1] = {t};
        sn_poses_at(poses, t, q, NULL, NULL);
        row[0] = q[0], row[2] = q[1];
        assert_int_equal(sn_motion_from_coordinates(m, 1, time, row, &exact), SN_OK);
        sn_track_pose_at(motion, distal, t, pose, NULL);
        worst = fmax(worst, v3_dist(v3_load(pose), v3_load(sn_track_pose(exact, 0) + 7 * distal)));
        sn_track_destroy(exact);
    }
    print_message("between samples: at most %.2e m off\n", worst);
    assert_at_most(worst, 5e-6);
    sn_poses_destroy(poses);
    sn_track_destroy(motion);
    sn_model_destroy(m);
    unlink(path);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    const char *path = write_text("io_fail.pose.csv", "time,PIP.0\n0,0\n0.1,30\n");
    int64_t live = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    int n = 0;
    for (; status != SN_OK && n < 2000; ++n) {
        snTrack *motion = NULL;
        snError error;
        sn_alloc_fail_after(n);
        status = sn_load_motion(m, path, NULL, &motion, &error);
        sn_alloc_fail_after(-1);
        if (status == SN_OK) sn_track_destroy(motion);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        assert_true(sn_alloc_live() == live);
    }
    assert_true(n > 5 && status == SN_OK);
    sn_model_destroy(m);
    unlink(path);
}

static void published_figures_are_read(void **state)
{
    (void)state;
    snArmFigure *figure = NULL;
    int32_t count = 0, neutral = 0;
    snError error;
    assert_ok(sn_load_arm_figures(SINEW_SOURCE_DIR "/models/hand/moment_arms.tsv", &figure, &count, &error), error);
    assert_true(count > 100);
    for (int32_t i = 0; i < count; ++i) {
        assert_true(figure[i].lo <= figure[i].hi && figure[i].grade >= 'A' && figure[i].grade <= 'C');
        neutral += figure[i].neutral;
    }
    assert_true(neutral > 50 && neutral < count);
    sn_arm_figures_free(figure);
    write_text("io_arms.tsv", "muscle\tjoint\tmotion\tmean\tlo\thi\tgrade\tpose\nA\tj\tm\t0\t0\t0\tA\tbent\n");
    assert_int_equal(sn_load_arm_figures("io_arms.tsv", &figure, &count, &error), SN_BAD_FILE);
    assert_string_equal(error.message, "pose is neither neutral nor range");
    assert_int_equal(error.line, 2);
    unlink("io_arms.tsv");
}

/* A joint with two coordinates and words for them: all of a word or its last part, or the number. */
static void the_words_are_the_models(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("finger");
    snId id = sn_spec_find(spec, SN_KIND_JOINT, "MCP");
    ((snJointDef *)(uintptr_t)sn_spec_joint(spec, id))->motions = "curl_in  side_sway";
    snModel *m = compiled(spec);
    static const char *const known[] = {"MCP.curl_in", "MCP.in", "MCP.0", "MCP.side_sway", "MCP.sway", "MCP.1"};
    for (int i = 0; i < 6; ++i) assert_int_equal(sn_find(m, SN_ITEM_COORDINATE, known[i]), i / 3);
    assert_string_equal(sn_coordinate_title(m, 0), "MCP.curl_in");
    assert_string_equal(sn_coordinate_title(m, 2), "PIP.flexion");
    assert_null(sn_coordinate_title(m, 99));
    assert_int_equal(sn_find(m, SN_ITEM_COORDINATE, "MCP.flexion"), -1); /* no word of the library's own */
    snTrack *motion = NULL;
    snError error;
    const char *path = write_text("io_words.pose.csv", "time,MCP.flexion,MCP.sway,toe.0\n0,0,0,0\n0.1,3,3,1\n");
    assert_int_equal(sn_load_motion(m, path, NULL, &motion, &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "the model has no joint coordinates called MCP.flexion, toe.0");
    write_text(path, "time,MCP.sway,MCP.1\n0,0,0\n0.1,3,3\n");
    assert_int_equal(sn_load_motion(m, path, NULL, &motion, &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "the columns MCP.sway and MCP.1 mean the same coordinate");
    sn_model_destroy(m);
    unlink(path);
}

static void unreasonable_sampling_is_refused(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    snMotionDef def = sn_default_motion_def();
    snTrack *motion = NULL;
    snError error;
    def.sample_rate = 1e9;
    assert_int_equal(sn_load_motion(m, "anything.bvh", &def, &motion, &error), SN_BAD_INPUT);
    assert_int_equal(sn_load_motion(m, "no such motion", NULL, &motion, &error), SN_NO_FILE);
    assert_non_null(strstr(error.message, "no such motion"));
    assert_null(motion);
    sn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_poses_become_poses_of_bodies), cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(published_figures_are_read),       cmocka_unit_test(the_words_are_the_models),
        cmocka_unit_test(unreasonable_sampling_is_refused),
    };
    return cmocka_run_group_tests_name("io.motion_load", tests, NULL, NULL);
}
