/* A caller's bugs are refused in every build: NULL, ids out of range, a state of another model. */
#include "compiled.h"

#include "base/alloc.h"
#include "scenes.h"
#include "sinew/sinew.h"

static void nothing_is_freed(void **state)
{
    (void)state;
    sn_autostrands_destroy(NULL);
    sn_tracker_destroy(NULL);
    sn_follow_report_free(NULL);
    sn_arms_destroy(NULL);
    sn_statics_free(NULL);
    sn_deformer_destroy(NULL);
    sn_drive_destroy(NULL);
    sn_journal_close(NULL);
    sn_journal_remove(NULL);
    sn_replay_abandon(NULL);
    sn_table_free(NULL);
    sn_arm_figures_free(NULL);
    sn_mesh_free(NULL);
    sn_cache_abandon(NULL);
    sn_cache_close(NULL);
    sn_model_destroy(NULL);
    sn_track_destroy(NULL);
    sn_poses_destroy(NULL);
    sn_playback_destroy(NULL);
    sn_recorder_destroy(NULL);
    sn_state_destroy(NULL);
    sn_skin_destroy(NULL);
    sn_spec_destroy(NULL);
    sn_problems_free(NULL);
    sn_studio_free(NULL);
}

#define assert_refused(call) assert_int_equal(call, SN_BAD_ARGUMENT)

static void nothing_is_set_up(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger")), *made = NULL;
    snSpec *spec = sn_scene("finger");
    snState *s = NULL;
    snTrack *track = NULL, *motion = NULL;
    snTracker *tracker = NULL;
    snDrive *drive = NULL;
    snRecorder *recorder = NULL;
    snArms *arms = NULL;
    snFollowReport report;
    snProblems problems;
    snError error = {0};
    int64_t live = sn_alloc_live();
    assert_refused(sn_compile(NULL, &made, &error));
    assert_true(error.status == SN_BAD_ARGUMENT && error.message[0]);
    assert_refused(sn_compile(spec, NULL, NULL));
    assert_refused(sn_check(NULL, &problems));
    assert_refused(sn_check(spec, NULL));
    assert_refused(sn_state_create(NULL, NULL, &s, &error));
    assert_refused(sn_state_create(m, NULL, NULL, &error));
    assert_refused(sn_tracker_create(m, NULL, NULL, &tracker, &error));
    assert_refused(sn_drive_create(NULL, m, &drive, &error));
    assert_refused(sn_drive_create(spec, NULL, &drive, &error));
    assert_refused(sn_recorder_create(NULL, "", &recorder));
    assert_refused(sn_follow(NULL, NULL, NULL, &track, &report, &error));
    assert_refused(sn_follow_frames(m, NULL, NULL, &report, &error));
    assert_refused(sn_moment_arms(NULL, NULL, &arms, &error));
    assert_refused(sn_motion_from_coordinates(NULL, 0, NULL, NULL, &motion));
    assert_refused(sn_track_create(NULL, &track));
    assert_refused(sn_track_create(&(snTrackDef){.nbody = -1}, &track));
    assert_refused(sn_track_create(&(snTrackDef){.nbody = 1}, &track));
    assert_refused(sn_track_append(NULL, 0, NULL, NULL, NULL));
    assert_int_equal(sn_alloc_live(), live);
    sn_spec_destroy(spec);
    sn_model_destroy(m);
}

static void nothing_is_read(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    int32_t n = sn_count(m, SN_ITEM_STRAND);
    double range[2] = {7, 7};
    assert_int_equal(sn_count(NULL, SN_ITEM_BODY), 0);
    assert_null(sn_name(NULL, SN_ITEM_BODY, 0));
    for (int32_t bad = -1; bad <= n; bad += n + 1) {
        assert_null(sn_name(m, SN_ITEM_STRAND, bad));
        assert_int_equal(sn_strand_first_point(m, bad), 0);
        assert_int_equal(sn_strand_point_count(m, bad), 0);
        assert_int_equal(sn_strand_muscle(m, bad), -1);
    }
    sn_coordinate_range(m, 1000, range);
    assert_true(range[0] == 0 && range[1] == 0);
    assert_int_equal(sn_find(m, SN_ITEM_BODY, NULL), -1);
    assert_true(sn_model_step(NULL) == 0 && sn_time(NULL) == 0 && !sn_info(NULL));
    assert_true(sn_state_hash(NULL) == 0 && sn_state_bytes(NULL) == 0 && sn_state_save(m, NULL, NULL) == 0);
    assert_true(sn_track_frames(NULL) == 0 && !sn_track_def(NULL) && !sn_track_pose(NULL, 0));
    assert_string_equal(sn_status_name((snStatus)999), "SN_BAD_ARGUMENT");
    sn_model_destroy(m);
}

static void state_of_another_model(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger")), *other = compiled(sn_scene("pulley"));
    snState *s = NULL;
    snTracker *tracker = NULL;
    snView view;
    double zero[64] = {0}, pose[7] = {0, 0, 0, 1, 0, 0, 0};
    char bytes[8] = "";
    assert_int_equal(sn_state_create(m, NULL, &s, NULL), SN_OK);
    assert_refused(sn_field(other, s, "body.position", &view));
    assert_refused(sn_field(m, s, NULL, &view));
    assert_refused(sn_field(m, NULL, "body.position", &view));
    assert_int_equal(sn_field(m, s, "no.such", &view), SN_BAD_INPUT);
    assert_refused(sn_pose(other, s, zero));
    assert_refused(sn_pose(m, s, NULL));
    assert_refused(sn_move_body(m, s, -1, pose, pose + 3));
    assert_refused(sn_move_body(m, s, 1000, pose, pose + 3));
    assert_refused(sn_state_reset(other, s));
    assert_refused(sn_state_load(other, s, bytes, sizeof bytes));
    assert_int_equal(sn_state_save(other, s, NULL), 0);
    assert_refused(sn_tracker_create(other, s, NULL, &tracker, NULL));
    assert_int_equal(sn_field(m, s, "body.position", &view), SN_OK); /* and the state is as it was */
    assert_int_equal(sn_step(m, s), SN_OK);
    sn_state_destroy(s);
    sn_model_destroy(m);
    sn_model_destroy(other);
}

static void positions_beyond_reach(void **state)
{
    (void)state;
    const char *body = "a";
    snTrackDef def = {.nbody = 1, .body_name = &body};
    snTrack *track = NULL;
    double near[7] = {9.9e5, 0, 0, 1, 0, 0, 0}, far[7] = {0, -1.1e6, 0, 1, 0, 0, 0};
    assert_int_equal(sn_track_create(&def, &track), SN_OK);
    assert_int_equal(sn_track_append(track, 0, near, NULL, NULL), SN_OK);
    assert_int_equal(sn_track_append(track, 1, far, NULL, NULL), SN_BAD_INPUT);
    assert_null(sn_track_pose(track, 1));
    assert_null(sn_track_scalar(track, -1));
    sn_track_destroy(track);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_freed),       cmocka_unit_test(nothing_is_set_up),
        cmocka_unit_test(nothing_is_read),        cmocka_unit_test(state_of_another_model),
        cmocka_unit_test(positions_beyond_reach),
    };
    return cmocka_run_group_tests_name("record.arguments", tests, NULL, NULL);
}
