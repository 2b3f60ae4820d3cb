/* A caller's bugs are refused in every build: NULL, ids out of range, a state of another model. */
#include "author/autostrands.h"
#include "compiled.h"

#include "analysis/own/muscles.h"
#include "author/own/skin_mesh.h"
#include "base/alloc.h"
#include "io/own/files.h"
#include "io/own/journal.h"
#include "io/own/point_cache.h"
#include "io/replay.h"
#include "model/model.h"
#include "page/own/glb.h"
#include "page/own/studio.h"
#include "scenes.h"
#include "sim/measure.h"
#include "sim/own/state.h"
#include "sinew/sinew.h"

static void nothing_is_freed(void **state)
{
    (void)state;
    sn_autostrands_destroy(NULL);
    sn_follower_destroy(NULL);
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
    snFollower *follower = NULL;
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
    assert_refused(sn_follower_create(m, NULL, NULL, &follower, &error));
    assert_refused(sn_drive_create(NULL, m, &drive, &error));
    assert_refused(sn_drive_create(spec, NULL, &drive, &error));
    assert_refused(sn_recorder_create(NULL, "", &recorder));
    assert_refused(sn_follow(NULL, NULL, NULL, &track, &report, &error));
    assert_refused(sn_follow_frames(m, NULL, NULL, &report, &error));
    assert_refused(sn_moment_arms(NULL, NULL, &arms, &error));
    assert_refused(sn_motion_from_coordinates(NULL, 0, NULL, NULL, &motion));
    assert_refused(sn_track_create(NULL, &track));
    assert_refused(sn_track_create(&(snTrackDef){.size = sizeof(snTrackDef), .nbody = -1}, &track));
    assert_refused(sn_track_create(&(snTrackDef){.size = sizeof(snTrackDef), .nbody = 1}, &track));
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
    snFollower *follower = NULL;
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
    assert_refused(sn_follower_create(other, s, NULL, &follower, NULL));
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
    snTrackDef def = {.size = sizeof(snTrackDef), .nbody = 1, .body_name = &body};
    snTrack *track = NULL;
    double near[7] = {9.9e5, 0, 0, 1, 0, 0, 0}, far[7] = {0, -1.1e6, 0, 1, 0, 0, 0};
    assert_int_equal(sn_track_create(&def, &track), SN_OK);
    assert_int_equal(sn_track_append(track, 0, near, NULL, NULL), SN_OK);
    assert_int_equal(sn_track_append(track, 1, far, NULL, NULL), SN_BAD_INPUT);
    assert_null(sn_track_pose(track, 1));
    assert_null(sn_track_scalar(track, -1));
    sn_track_destroy(track);
}

/* A def of zeros has the size zero: whoever forgot the default function. */
static void defs_without_a_size(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    snSpec *spec = sn_scene("finger");
    snMesh mesh = {0};
    void *none = NULL;
    snError error = {0};
    assert_refused(sn_state_create(m, &(snSimDef){0}, (snState **)&none, &error));
    assert_non_null(strstr(error.message, "snSimDef"));
    assert_refused(sn_moment_arms(m, &(snArmDef){0}, (snArms **)&none, &error));
    assert_refused(sn_load_motion(m, "no", &(snMotionDef){0}, (snTrack **)&none, &error));
    assert_refused(sn_track_create(&(snTrackDef){0}, (snTrack **)&none));
    assert_refused(sn_cache_create(&(snCacheDef){0}, "no.pc2", (snCacheWriter **)&none, &error));
    assert_refused(sn_journal_create(&(snJournalDef){0}, "no", (snJournal **)&none, &error));
    assert_refused(sn_create_model_skin(spec, &(snModelSkinDef){0}, (snSkin **)&none, &error));
    assert_refused(sn_create_model_flesh(spec, &(snFleshDef){0}, (snProgress){0}, (snFlesh **)&none, &error));
    assert_refused(sn_create_library(spec, &(snLibraryDef){0}, (snLibrary **)&none, &error));
    assert_refused(
        sn_fill_muscle(spec, &(snFillDef){0}, (snProgress){0}, (snSpec **)&none, &(snFillReport){0}, &error));
    assert_refused(sn_autostrands_create(&(snAutoStrandsDef){0}, (snAutoStrands **)&none, &error));
    assert_refused(sn_author_skin(&(snSkinMeshDef){0}, &mesh, &error));
    assert_refused(sn_save_model_glb(spec, &(snGlbDef){0}, "no.glb", &error));
    assert_refused(sn_save_html(&(snStudioDef){0}, "no.html", &error));
    assert_refused(sn_pack_studio(&(snStudioDef){0}, &none, &(size_t){0}, &error));
    for (int kind = 0; kind <= SN_KIND_MODEL; ++kind) {
        snNodeDef zeros = {0}; /* the largest of them will do for all: only the size is looked at */
        assert_refused(sn_add(spec, (snKind)kind, &zeros, NULL));
    }
    assert_null(none);
    sn_spec_destroy(spec);
    sn_model_destroy(m);
}

static void ids_that_there_are_not(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("finger");
    snStrandDef def = sn_default_strand_def();
    int32_t strands = sn_spec_count(spec, SN_KIND_STRAND);
    assert_true(strands > 0);
    assert_non_null(sn_spec_strand(spec, strands));
    assert_null(sn_spec_strand(spec, 0));
    assert_null(sn_spec_strand(spec, -1));
    assert_null(sn_spec_strand(spec, strands + 1));
    assert_null(sn_spec_def(spec, (snKind)99, 1));
    assert_null(sn_spec_def(NULL, SN_KIND_BODY, 1));
    assert_int_equal(sn_spec_count(spec, (snKind)99), 0);
    assert_int_equal(sn_spec_find(spec, (snKind)-1, "a"), 0);
    assert_refused(sn_add(spec, (snKind)99, &def, NULL));
    assert_refused(sn_add(NULL, SN_KIND_STRAND, &def, NULL));
    assert_refused(sn_add(spec, SN_KIND_STRAND, NULL, NULL));
    sn_spec_destroy(spec);
}

/* A spec that was found sound is checked again as soon as it is changed. */
static void a_changed_spec_is_checked_again(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("finger");
    snModel *m = NULL;
    snProblems problems;
    snError error = {0};
    assert_int_equal(sn_check(spec, &problems), SN_OK);
    sn_problems_free(&problems);
    assert_int_equal(sn_compile(spec, &m, &error), SN_OK);
    sn_model_destroy(m);
    snModelDef def = *sn_spec_model(spec);
    def.step = -1;
    assert_int_equal(sn_set_model(spec, &def), SN_OK);
    assert_int_equal(sn_compile(spec, &m, &error), SN_BAD_INPUT);
    def.step = 1e-3;
    snJointDef joint = sn_default_joint_def();
    joint.name = "loose", joint.body_a = "nobody", joint.body_b = "nobody";
    assert_int_equal(sn_set_model(spec, &def), SN_OK);
    assert_int_equal(sn_check(spec, &problems), SN_OK);
    sn_problems_free(&problems);
    assert_int_equal(sn_add_joint(spec, &joint, NULL), SN_OK);
    assert_int_equal(sn_compile(spec, &m, &error), SN_BAD_INPUT);
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_freed),       cmocka_unit_test(nothing_is_set_up),
        cmocka_unit_test(nothing_is_read),        cmocka_unit_test(state_of_another_model),
        cmocka_unit_test(positions_beyond_reach), cmocka_unit_test(defs_without_a_size),
        cmocka_unit_test(ids_that_there_are_not), cmocka_unit_test(a_changed_spec_is_checked_again),
    };
    return cmocka_run_group_tests_name("record.arguments", tests, NULL, NULL);
}
