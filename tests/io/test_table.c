#include "io_case.h"

#include "io/table_read.h"

static const char *const scalars[] = {"activation/FDP2", "force/FDP2", "activation/EDC2"};

static snTrack *scalar_track(int frames)
{
    snTrackDef def = {.size = sizeof(snTrackDef), .model = "arm", .nscalar = 3, .scalar_name = scalars};
    snTrack *track = NULL;
    uint32_t seed = 9;
    assert_int_equal(sn_track_create(&def, &track), SN_OK);
    for (int i = 0; i < frames; ++i) {
        double scalar[3] = {noise(&seed), 1e6 * noise(&seed), i};
        assert_int_equal(sn_track_append(track, i / 30.0, NULL, NULL, scalar), SN_OK);
    }
    return track;
}

static void tables_come_back_bit_for_bit(void **state)
{
    (void)state;
    static const char *const path[] = {"io_table.sto", "io_table.csv"};
    snTrack *track = scalar_track(40);
    snError error;
    for (int i = 0; i < 2; ++i) {
        snTable table = {0};
        assert_ok(sn_save_table(track, path[i], NULL, &error), error);
        assert_ok(sn_load_table(path[i], &table, &error), error);
        assert_int_equal(table.rows, 40);
        assert_int_equal(table.columns, 3);
        for (int c = 0; c < 3; ++c) assert_string_equal(table.name[c], scalars[c]);
        for (int f = 0; f < 40; ++f) {
            assert_near(table.time[f], sn_track_time(track, f), 0);
            assert_memory_equal(table.value + 3 * f, sn_track_scalar(track, f), 3 * sizeof(double));
        }
        sn_table_free(&table);
        assert_ok(sn_save_table(track, path[i], "activation/", &error), error);
        assert_ok(sn_load_table(path[i], &table, &error), error);
        assert_int_equal(table.columns, 2);
        assert_string_equal(table.name[1], "activation/EDC2");
        sn_table_free(&table);
        unlink(path[i]);
    }
    assert_int_equal(sn_save_table(track, path[0], "strain/", &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "the motion has no scalar that begins with \"strain/\"");
    assert_int_equal(access(path[0], F_OK), -1);
    sn_track_destroy(track);
}

static void reads_what_others_write(void **state)
{
    (void)state;
    const char *mot = "Coordinates\nversion=1\nnRows=2\nnColumns=3\ninDegrees=yes\n\nUnits are S.I. units\n"
                      "endheader\r\ntime\tknee_angle\thip_flexion \r\n 0.0\t 1.5 \t-2e1\r\n\r\n0.1\t3\t4\r\n";
    const char *csv = "\xef\xbb\xbf# by hand\n\"time\"; a b ;\"c\"\n0;1;2\n#skip\n0.5; -3 ;4";
    snTable table = {0};
    snError error;
    assert_ok(sn_parse_table("x.mot", mot, strlen(mot), false, 0, &table, &error), error);
    assert_true(table.in_degrees);
    assert_int_equal(table.rows, 2);
    assert_string_equal(table.name[1], "hip_flexion");
    assert_near(table.value[1], -20, 0);
    sn_table_free(&table);
    assert_ok(sn_parse_table("x.csv", csv, strlen(csv), true, 0, &table, &error), error);
    assert_int_equal(table.rows, 2);
    assert_string_equal(table.name[0], "a b");
    assert_near(table.value[2], -3, 0);
    sn_table_free(&table);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    const char *csv = "time,a,b\n0,1,2\n1,2,3\n";
    int64_t before = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    for (int n = 0; status != SN_OK; ++n) {
        snTable table = {0};
        snError error;
        sn_alloc_fail_after(n);
        status = sn_parse_table("x", csv, strlen(csv), true, 0, &table, &error);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        sn_table_free(&table);
        assert_int_equal(sn_alloc_live(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_come_back_bit_for_bit),
        cmocka_unit_test(reads_what_others_write),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("io.table", tests, NULL, NULL);
}
