#include "io/replay.h"
#include "io_case.h"

#include "io/file.h"
#include "io/track_xml.h"

static const char *const bodies[] = {"radius", "hand & \"co\" <é>"};
static const char *const strands[] = {"FDP2", "EDC2"}, *const scalars[] = {"activation/FDP2", "length/FDP2",
                                                                           "length/EDC2"};
static const int32_t npoint[] = {4, 6};

static snTrackDef replay_def(void)
{
    return (snTrackDef){.size = sizeof(snTrackDef),
                        .model = "arm",
                        .nbody = 2,
                        .body_name = bodies,
                        .nstrand = 2,
                        .strand_name = strands,
                        .strand_npoint = npoint,
                        .nscalar = 3,
                        .scalar_name = scalars};
}

typedef struct frame {
    double pose[14], point[30], scalar[3];
} frame;

static frame random_frame(uint32_t *seed)
{
    frame f;
    for (int i = 0; i < 14; ++i) f.pose[i] = noise(seed);
    f.pose[3] = 1, f.pose[10] = -1;
    for (int i = 0; i < 30; ++i) f.point[i] = noise(seed) * pow(10, 6 * noise(seed));
    for (int i = 0; i < 3; ++i) f.scalar[i] = i == 1 ? -0.0 : noise(seed) * 1e300;
    return f;
}

static snTrack *random_track(const snTrackDef *def, int frames)
{
    snTrack *track = NULL;
    uint32_t seed = 5;
    assert_int_equal(sn_track_create(def, &track), SN_OK);
    for (int i = 0; i < frames; ++i) {
        frame f = random_frame(&seed);
        assert_int_equal(sn_track_append(track, i / 240.0, f.pose, f.point, f.scalar), SN_OK);
    }
    return track;
}

static void assert_same(const snTrack *a, const snTrack *b)
{
    const snTrackDef *d = sn_track_def(a), *e = sn_track_def(b);
    assert_string_equal(d->model, e->model);
    assert_int_equal(d->nbody, e->nbody);
    assert_int_equal(d->nstrand, e->nstrand);
    assert_int_equal(d->nscalar, e->nscalar);
    for (int i = 0; i < d->nbody; ++i) assert_string_equal(d->body_name[i], e->body_name[i]);
    for (int i = 0; i < d->nstrand; ++i) assert_string_equal(d->strand_name[i], e->strand_name[i]);
    for (int i = 0; i < d->nscalar; ++i) assert_string_equal(d->scalar_name[i], e->scalar_name[i]);
    assert_int_equal(sn_track_frames(a), sn_track_frames(b));
    size_t stride = 7 * (size_t)d->nbody + 3 * (size_t)sn_track_points(a) + (size_t)d->nscalar;
    for (int f = 0; f < sn_track_frames(a); ++f) {
        double ta = sn_track_time(a, f), tb = sn_track_time(b, f);
        assert_memory_equal(&ta, &tb, sizeof ta);
        assert_memory_equal(sn_track_pose(a, f), sn_track_pose(b, f), stride * sizeof(double));
    }
}

static void replay_comes_back_bit_for_bit(void **state)
{
    (void)state;
    snTrackDef def = replay_def();
    snTrack *track = random_track(&def, 50), *back = NULL;
    snError error;
    assert_ok(sn_save_track(track, "io_track.replay.xml", &error), error);
    assert_ok(sn_load_track("io_track.replay.xml", &back, &error), error);
    assert_same(track, back);
    sn_track_destroy(track);
    sn_track_destroy(back);
    unlink("io_track.replay.xml");
}

static void control_keeps_the_bodies(void **state)
{
    (void)state;
    snTrackDef def = replay_def();
    snTrack *track = random_track(&def, 3), *back = NULL;
    snError error;
    assert_ok(sn_save_track(track, "io_track.control.xml", &error), error);
    assert_ok(sn_load_track("io_track.control.xml", &back, &error), error);
    assert_int_equal(sn_track_def(back)->nbody, 2);
    assert_int_equal(sn_track_def(back)->nstrand + sn_track_def(back)->nscalar, 0);
    for (int f = 0; f < 3; ++f)
        assert_memory_equal(sn_track_pose(track, f), sn_track_pose(back, f), 14 * sizeof(double));
    sn_track_destroy(track);
    sn_track_destroy(back);
    unlink("io_track.control.xml");
}

/* Stopped after 20 frames and gone on with from its last frame, the file is that of an uninterrupted run. */
static void interrupted_replay_goes_on(void **state)
{
    (void)state;
    const char *path = "io_resumed.replay.xml";
    snTrackDef def = replay_def();
    snTrack *track = random_track(&def, 50), *back = NULL, *last = NULL;
    snReplayWriter *writer = NULL;
    snError error;
    assert_ok(sn_replay_create(&def, path, &writer, &error), error);
    for (int f = 0; f < 50; ++f) {
        if (f == 20) {
            assert_ok(sn_replay_finish(writer, &error), error);
            assert_ok(sn_replay_resume(&def, path, &writer, &last, &error), error);
            assert_int_equal(sn_track_frames(last), 1);
            assert_near(sn_track_time(last, 0), 19 / 240.0, 0);
            assert_int_equal(sn_replay_frames(writer), 20);
        }
        assert_ok(sn_replay_append(writer, f / 240.0, sn_track_pose(track, f), sn_track_point(track, f),
                                   sn_track_scalar(track, f), &error),
                  error);
    }
    assert_ok(sn_replay_finish(writer, &error), error);
    assert_ok(sn_load_track(path, &back, &error), error);
    assert_same(track, back);
    sn_track_destroy(track);
    sn_track_destroy(back);
    sn_track_destroy(last);
    unlink(path);
}

static void refused_frames_leave_no_trace(void **state)
{
    (void)state;
    const char *path = "io_refused.replay.xml";
    snTrackDef def = replay_def();
    snReplayWriter *writer = NULL;
    snTrack *back = NULL, *last = NULL;
    snError error;
    uint32_t seed = 3;
    frame good = random_frame(&seed), bad = good;
    assert_ok(sn_replay_create(&def, path, &writer, &error), error);
    assert_int_equal(access(path, F_OK), -1);
    assert_ok(sn_replay_append(writer, 0, good.pose, good.point, good.scalar, &error), error);
    assert_int_equal(sn_replay_append(writer, 0, good.pose, good.point, good.scalar, &error), SN_BAD_INPUT);
    bad.point[7] = NAN;
    assert_int_equal(sn_replay_append(writer, 1, bad.pose, bad.point, bad.scalar, &error), SN_BAD_INPUT);
    bad = good;
    memset(bad.pose, 0, sizeof bad.pose);
    assert_int_equal(sn_replay_append(writer, 1, bad.pose, bad.point, bad.scalar, &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "the rotation of \"radius\" at time 1 has the norm 0");
    assert_ok(sn_replay_append(writer, 1, good.pose, good.point, good.scalar, &error), error);
    assert_ok(sn_replay_finish(writer, &error), error);
    assert_ok(sn_load_track(path, &back, &error), error);
    assert_int_equal(sn_track_frames(back), 2);
    sn_track_destroy(back);
    def.nscalar = 2;
    assert_int_equal(sn_replay_resume(&def, path, &writer, &last, &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "the replay has other bodies, strands or scalars than this run");
    assert_ok(sn_replay_create(&def, path, &writer, &error), error);
    assert_int_equal(sn_replay_finish(writer, &error), SN_FAILED);
    assert_int_equal(access(path, F_OK), 0); /* the old file is still there */
    unlink(path);
}

/* Cut off at any byte, a replay still gives its whole frames, bit for bit. */
static void cut_off_replays_are_recovered(void **state)
{
    (void)state;
    const char *path = "io_cut.replay.xml";
    snTrackDef def = replay_def();
    snTrack *track = random_track(&def, 6);
    snError error;
    char *data;
    size_t size;
    assert_ok(sn_save_track(track, path, &error), error);
    assert_ok(sn_file_read(path, SN_FILE_LIMIT, &data, &size, &error), error);
    int most = 0;
    for (size_t cut = 0; cut <= size; cut += cut + 40 < size ? 37 : 1) {
        snTrack *back = NULL;
        snStatus status = sn_parse_track_part(path, data, cut, &back, &error);
        int frames = status == SN_OK ? sn_track_frames(back) : 0;
        assert_true(frames >= most && frames <= 6);
        for (int f = 0; f < frames; ++f)
            assert_memory_equal(sn_track_pose(back, f), sn_track_pose(track, f), 47 * sizeof(double));
        if (!frames) assert_string_equal(error.message, "the file has no whole frame");
        most = frames;
        sn_track_destroy(back);
    }
    assert_int_equal(most, 6);
    snTrack *back = NULL; /* the same from a file */
    assert_int_equal(truncate(path, (off_t)size - 40), 0);
    assert_ok(sn_recover_track(path, &back, &error), error);
    assert_in_range(sn_track_frames(back), 5, 6);
    sn_track_destroy(back);
    sn_free(data);
    sn_track_destroy(track);
    unlink(path);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    const char *path = "io_alloc.replay.xml";
    snTrackDef def = replay_def();
    snTrack *track = random_track(&def, 3);
    snError error;
    assert_ok(sn_save_track(track, path, &error), error);
    int64_t before = sn_alloc_live();
    for (int n = 0; n < 2000; ++n) {
        snTrack *back = NULL, *last = NULL;
        snReplayWriter *writer = NULL;
        sn_alloc_fail_after(n);
        snStatus status = sn_load_track(path, &back, &error);
        if (status == SN_OK) status = sn_replay_resume(&def, path, &writer, &last, &error);
        sn_alloc_fail_after(-1);
        sn_replay_abandon(writer);
        sn_track_destroy(back);
        sn_track_destroy(last);
        assert_int_equal(sn_alloc_live(), before);
        if (status == SN_OK) {
            sn_track_destroy(track);
            unlink(path);
            return;
        }
        assert_int_equal(status, SN_NO_MEMORY);
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_comes_back_bit_for_bit), cmocka_unit_test(control_keeps_the_bodies),
        cmocka_unit_test(cut_off_replays_are_recovered), cmocka_unit_test(interrupted_replay_goes_on),
        cmocka_unit_test(refused_frames_leave_no_trace), cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("io.track", tests, NULL, NULL);
}
