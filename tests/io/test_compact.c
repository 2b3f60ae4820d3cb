/* Compressed and compact replays: what is written is read, to the precision that the form promises; what is damaged is
 * refused. */
#include "io_case.h"

#include "io/file.h"

#include <stdio.h>

enum { FRAMES = 60 };
static const char *const bodies[] = {"radius", "ulna"}, *const strands[] = {"FDP2"},
                         *const scalars[] = {"activation/FDP2", "tension/FDP2", "volume/FDP2"};
static const int32_t npoint[] = {40};

static snTrack *smooth_track(void)
{
    snTrackDef def = {.size = sizeof(snTrackDef),
                      .model = "arm",
                      .nbody = 2,
                      .body_name = bodies,
                      .nstrand = 1,
                      .strand_name = strands,
                      .strand_npoint = npoint,
                      .nscalar = 3,
                      .scalar_name = scalars};
    snTrack *track = NULL;
    assert_int_equal(sn_track_create(&def, &track), SN_OK);
    for (int f = 0; f < FRAMES; ++f) {
        double pose[14], point[120], scalar[3], t = f / 50.0;
        for (int b = 0; b < 2; ++b) {
            double a = 0.4 * sin(3 * t + b), p[7] = {0.1 * sin(t), 0.2 * b, -1e-4 * t, cos(a), 0, sin(a), 0};
            memcpy(pose + 7 * b, p, sizeof p);
        }
        for (int i = 0; i < 120; ++i) point[i] = 0.3 * sin(0.1 * i + 2 * t);
        scalar[0] = f % 7 ? 0.5 + 0.5 * sin(5 * t) : 0, scalar[1] = -150 * cos(2 * t),
        scalar[2] = 1.2e-5 + 1e-7 * sin(t);
        assert_int_equal(sn_track_append(track, t, pose, point, scalar), SN_OK);
    }
    return track;
}

static double largest(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static long size_of(const char *path)
{
    char *data;
    size_t size;
    snError error = {0};
    assert_ok(sn_file_read(path, SN_FILE_LIMIT, &data, &size, &error), error);
    sn_free(data);
    return (long)size;
}

static void every_form_is_read_back(void **state)
{
    (void)state;
    static const char *const path[] = {"io_c.replay.xml", "io_c.replay.xml.gz", "io_c.replay.bin"};
    static const double coarse[] = {0, 0, 0.501e-7}, relative[] = {0, 0, 6.1e-8};
    snTrack *track = smooth_track();
    snError error = {0};
    for (int k = 0; k < 3; ++k) {
        snTrack *back = NULL;
        assert_ok(sn_save_track(track, path[k], &error), error);
        assert_ok(sn_load_track(path[k], &back, &error), error);
        assert_int_equal(sn_track_frames(back), FRAMES);
        assert_string_equal(sn_track_def(back)->scalar_name[2], "volume/FDP2");
        for (int f = 0; f < FRAMES; ++f) {
            assert_true(sn_track_time(back, f) == sn_track_time(track, f));
            assert_at_most(largest(sn_track_pose(track, f), sn_track_pose(back, f), 14), coarse[k]);
            assert_at_most(largest(sn_track_point(track, f), sn_track_point(back, f), 120), coarse[k]);
            for (int i = 0; i < 3; ++i) {
                double a = sn_track_scalar(track, f)[i];
                assert_at_most(fabs(a - sn_track_scalar(back, f)[i]), relative[k] * fabs(a));
            }
        }
        sn_track_destroy(back);
    }
    assert_true(10 * size_of(path[2]) < size_of(path[0]));
    assert_true(2 * size_of(path[1]) < size_of(path[0]));
    for (int k = 0; k < 3; ++k) (void)remove(path[k]);
    sn_track_destroy(track);
}

static void write_bytes(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    static const char *const path[] = {"io_d.replay.xml.gz", "io_d.replay.bin"};
    snTrack *track = smooth_track();
    snError error = {0};
    for (int k = 0; k < 2; ++k) {
        char *data;
        size_t size;
        snTrack *back = NULL;
        assert_ok(sn_save_track(track, path[k], &error), error);
        assert_ok(sn_file_read(path[k], SN_FILE_LIMIT, &data, &size, &error), error);
        for (size_t cut = 0; cut < size; cut += size / 40 + 1) {
            write_bytes("io_part.replay", data, cut);
            assert_int_equal(sn_load_track("io_part.replay", &back, &error), SN_BAD_FILE);
            assert_string_equal(error.file, "io_part.replay");
        }
        for (size_t at = 20; at < size; at += size / 30 + 1) { /* one byte wrong: gzip's checksum shows it */
            data[at] = (char)(data[at] ^ 0x55);
            write_bytes("io_part.replay", data, size);
            assert_int_equal(sn_load_track("io_part.replay", &back, &error), SN_BAD_FILE);
            data[at] = (char)(data[at] ^ 0x55);
        }
        assert_null(back);
        sn_free(data);
        (void)remove(path[k]);
    }
    (void)remove("io_part.replay");
    sn_track_destroy(track);
}

/* Every n-th allocation fails: no leak, no crash, and the message says so. */
static void out_of_memory(void **state)
{
    (void)state;
    snTrack *track = smooth_track();
    snError error = {0};
    int64_t live = sn_alloc_live();
    for (int n = 0, done = 0; !done; ++n) {
        snTrack *back = NULL;
        sn_alloc_fail_after(n);
        snStatus status = sn_save_track(track, "io_m.replay.bin", &error);
        if (status == SN_OK) status = sn_load_track("io_m.replay.bin", &back, &error);
        sn_alloc_fail_after(-1);
        done = status == SN_OK;
        if (!done) assert_int_equal(status, SN_NO_MEMORY);
        sn_track_destroy(back);
        assert_int_equal(sn_alloc_live(), live);
    }
    (void)remove("io_m.replay.bin");
    sn_track_destroy(track);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read_back),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests_name("io.compact", tests, NULL, NULL);
}
