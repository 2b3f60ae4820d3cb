/* Golden hashes: where each scene is after a quarter of a second, bit for bit, with either family of compilers.
 *
 * The second line of defence behind tests that check certificates: a change that is meant to leave results alone leaves
 * these hashes alone. One that is not replaces them by what `SINEW_GOLDEN=print build/tests/test_scenes_golden` prints,
 * and says why. They hold where the processor has AVX2 and the sines and exponentials are those of the machine they
 * were made on; elsewhere the test asks only that a scene which runs twice ends at the same place, which it always
 * asks. */
#include "check.h"

#include "base/hash.h"
#include "scenes.h"
#include "sim/measure.h"
#include "sinew/sim.h"

#include <stdlib.h>
#include <string.h>

typedef struct Golden {
    const char *scene;
    uint64_t hash; /* of gcc and of clang: no fused or reordered arithmetic, so they agree to the bit */
} Golden;

static const uint64_t LIBM = 0x03e2bccdb136deb5; /* hash_of_libm() there: glibc 2.36 */
static const Golden golden[] = {
    {"pendulum", 0x98e9ddc4d1d92af4},
    {"cable", 0x0fc6e5fda493214d},
    {"string", 0x8795b3eb6a5c7291},
    {"pulley", 0xab8f88bb302b2cf9},
    {"crane", 0x02ab9362413ae09a},
    {"finger", 0x1bc394fc4c0326e3},
    {"spindle", 0x8b595d5b83214fb7},
    {"hand-synthetic", 0x27f6ece61568e265},
    {"hand-synthetic-x10", 0x75165ef633c575e8},
    {"hand-paths", 0x9c8514c83a29f47b},
    {"hand-paths-x10", 0x80854def9aa72111},
    {"sheet", 0x61802f4ae5b1cbee},
};
enum { COUNT = sizeof golden / sizeof *golden };

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
static bool has_avx2(void)
{
    return false;
}
#endif

/* The last bits of the functions that a step uses differ from one C library to the next. */
static uint64_t hash_of_libm(void)
{
    uint64_t h = 0;
    for (int i = 1; i < 1000; ++i) {
        volatile double x = 0.0031 * i; /* at run time, not by the compiler */
        double y[] = {sin(x), cos(x), exp(-x), atan2(x, 1.7), acos(x / 4), pow(x, 1.3), log(x)};
        h = sn_hash_bytes(h, y, sizeof y);
    }
    return h;
}

static uint64_t hash_after(const char *scene, double seconds)
{
    snSpec *spec = sn_scene(scene);
    snModel *m = NULL;
    snState *s = NULL;
    snView activation;
    assert_int_equal(sn_compile(spec, &m, NULL), SN_OK);
    assert_int_equal(sn_state_create(m, NULL, &s, NULL), SN_OK);
    assert_int_equal(sn_field(m, s, "muscle.activation", &activation), SN_OK);
    for (int i = 0; sn_time(s) < seconds; ++i) {
        for (int32_t k = 0; k < activation.rows; ++k) activation.data[k] = 0.02 * ((i + k) % 7);
        assert_int_equal(sn_step(m, s), SN_OK);
    }
    uint64_t hash = sn_state_hash(s);
    sn_state_destroy(s);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
    return hash;
}

static void scenes_end_where_they_did(void **state)
{
    (void)state;
    const char *ask = getenv("SINEW_GOLDEN");
    bool print = ask && strcmp(ask, "print") == 0, compare = !print && has_avx2() && hash_of_libm() == LIBM;
    int different = 0, count = 0;
    if (print) print_message("libm 0x%016llx\n", (unsigned long long)hash_of_libm());
    for (const snSceneInfo *info; (info = sn_scene_info(count)) != NULL; ++count) {
        uint64_t hash = hash_after(info->name, 0.25);
        if (count % 3 == 0) assert_true(hash == hash_after(info->name, 0.25));
        if (print) print_message("%s 0x%016llx\n", info->name, (unsigned long long)hash);
        assert_true(count < COUNT && strcmp(golden[count].scene, info->name) == 0);
        if (!compare || hash == golden[count].hash) continue;
        print_error("%s ends elsewhere: 0x%016llx\n", info->name, (unsigned long long)hash);
        ++different;
    }
    assert_int_equal(count, COUNT);
    assert_int_equal(different, 0);
    if (!print && !compare) print_message("another machine: hashes not compared\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scenes_end_where_they_did)};
    return cmocka_run_group_tests_name("scenes.golden", tests, NULL, NULL);
}
