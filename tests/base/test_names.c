/* Names: the map from names to indices, hashes of bytes, what a misspelt name meant; and errors as text. */
#include "check.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/nearest.h"

#include <string.h>

/* Every length up to a few rounds of all chains: each bit counts, and so do the length and the seed. */
static void checksum_sees_every_bit(void **state)
{
    (void)state;
    enum { LONGEST = 100 };
    unsigned char bytes[LONGEST];
    for (int i = 0; i < LONGEST; ++i) bytes[i] = (unsigned char)(7 * i + 1);
    for (size_t size = 0; size <= LONGEST; ++size) {
        uint64_t sum = sn_checksum(0, bytes, size);
        assert_true(sum == sn_checksum(0, bytes, size) && sum != sn_checksum(1, bytes, size));
        if (size > 0) assert_true(sum != sn_checksum(0, bytes, size - 1));
        for (size_t bit = 0; bit < 8 * size; ++bit) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_true(sn_checksum(0, bytes, size) != sum);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
    }
    unsigned char zero[2 * sizeof(uint64_t) * 4] = {0}; /* zeros behind the end are not what pads it */
    for (size_t size = 1; size <= sizeof zero; ++size)
        assert_true(sn_checksum(0, zero, size) != sn_checksum(0, zero, size - 1));
}

static void hash_is_fnv_1a(void **state)
{
    (void)state;
    assert_true(sn_hash_bytes(0, "", 0) == 0xcbf29ce484222325ull); /* published test vectors */
    assert_true(sn_hash_bytes(0, "a", 1) == 0xaf63dc4c8601ec8cull);
    assert_true(sn_hash_bytes(0, "foobar", 6) == 0x85944171f73967e8ull);
    assert_true(sn_hash_bytes(1, "a", 1) != sn_hash_bytes(0, "a", 1));
}

static void map_finds_what_was_put(void **state)
{
    (void)state;
    enum { N = 2000 };
    static char name[N][8];
    int64_t live = sn_alloc_live();
    snNameMap map = {0};
    assert_int_equal(sn_map_get(&map, "n0"), -1);
    for (int32_t i = 0; i < N; ++i) {
        snprintf(name[i], sizeof name[i], "n%d", i);
        assert_true(sn_map_put(&map, name[i], 3 * i));
    }
    assert_true(sn_map_put(&map, "n7", 1)); /* the first value stays */
    assert_int_equal(map.count, N);
    for (int32_t i = 0; i < N; ++i) assert_int_equal(sn_map_get(&map, name[i]), 3 * i);
    assert_int_equal(sn_map_get(&map, "n2000"), -1);
    assert_int_equal(sn_map_get(&map, ""), -1);
    sn_map_free(&map);
    assert_int_equal(sn_alloc_live(), live);
}

/* Without memory a map keeps what it has. */
static void map_survives_a_failure(void **state)
{
    (void)state;
    static const char *const name[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    int64_t live = sn_alloc_live();
    for (int64_t n = 0; n < 4; ++n) {
        snNameMap map = {0};
        int32_t put = 0;
        sn_alloc_fail_after(n);
        while (put < 10 && sn_map_put(&map, name[put], put)) ++put;
        sn_alloc_fail_after(-1);
        assert_int_equal(put, n < 2 ? 0 : 8); /* two allocations for the first, two more at the ninth */
        for (int32_t i = 0; i < put; ++i) assert_int_equal(sn_map_get(&map, name[i]), i);
        sn_map_free(&map);
    }
    assert_int_equal(sn_alloc_live(), live);
}

static void distances_are_those_counted_by_hand(void **state)
{
    (void)state;
    assert_int_equal(sn_name_distance("strand", "strand"), 0);
    assert_int_equal(sn_name_distance("Strand", "sTRAND"), 0);
    assert_int_equal(sn_name_distance("strand", "strnad"), 1); /* neighbours swapped */
    assert_int_equal(sn_name_distance("strand", "stand"), 1);
    assert_int_equal(sn_name_distance("strand", "strands"), 1);
    assert_int_equal(sn_name_distance("strand", "strind"), 1);
    assert_int_equal(sn_name_distance("kitten", "sitting"), 3);
    assert_int_equal(sn_name_distance("", "abc"), 3);
}

static void nearest_name_is_one_that_helps(void **state)
{
    (void)state;
    static const char *const name[] = {"track", "simulate", "studio", "skin", NULL};
    assert_string_equal(sn_nearest_name("trakc", name), "track");
    assert_string_equal(sn_nearest_name("simulat", name), "simulate");
    assert_string_equal(sn_nearest_name("SKIN", name), "skin");
    assert_null(sn_nearest_name("convert", name));
    char long_name[200];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    (void)sn_nearest_name(long_name, name); /* no overflow */
}

static void errors_say_place_element_message_and_remedy(void **state)
{
    (void)state;
    snError error;
    char text[1024];
    assert_int_equal(sn_fail(&error, SN_BAD_FILE, "found %d points", 3), SN_BAD_FILE);
    assert_int_equal(error.status, SN_BAD_FILE);
    assert_string_equal(sn_error_format(&error, text, sizeof text), "found 3 points");
    sn_error_place(&error, "hand.scene.xml", 12, 7);
    sn_error_element(&error, "Strand", "FDP2");
    sn_error_remedy(&error, "a strand needs %d", 4);
    sn_error_format(&error, text, sizeof text);
    const char *part[] = {"hand.scene.xml:12:7: ", "Strand \"FDP2\": ", "found 3 points", "a strand needs 4"},
               *at = text;
    for (int i = 0; i < 4; ++i) assert_non_null(at = strstr(at, part[i]));
    assert_int_equal(strlen(sn_error_format(&error, text, 10)), 9); /* cut, never over the end */
    sn_fail(&error, SN_NO_FILE, "nothing there");                   /* starts afresh */
    assert_string_equal(sn_error_format(&error, text, sizeof text), "nothing there");
    assert_int_equal(sn_fail(NULL, SN_USAGE, "nobody asks"), SN_USAGE);
    sn_error_place(NULL, "x", 1, 1);
    sn_error_element(NULL, "x", "y");
    sn_error_remedy(NULL, "x");
}

static void every_status_has_name_text_and_exit_code(void **state)
{
    (void)state;
    for (int s = SN_OK; s <= SN_BAD_INPUT; ++s) {
        assert_true(strncmp(sn_status_name((snStatus)s), "SN_", 3) == 0);
        assert_true(strlen(sn_status_text((snStatus)s)) > 3);
        int code = sn_status_exit_code((snStatus)s);
        assert_true(s == SN_OK ? code == 0 : code >= 1 && code <= 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_is_fnv_1a),
        cmocka_unit_test(checksum_sees_every_bit),
        cmocka_unit_test(map_finds_what_was_put),
        cmocka_unit_test(map_survives_a_failure),
        cmocka_unit_test(distances_are_those_counted_by_hand),
        cmocka_unit_test(nearest_name_is_one_that_helps),
        cmocka_unit_test(errors_say_place_element_message_and_remedy),
        cmocka_unit_test(every_status_has_name_text_and_exit_code),
    };
    return cmocka_run_group_tests_name("base.names", tests, NULL, NULL);
}
