/* The shipped motions of the hand: inside the joint ranges with a margin, smooth, from rest to rest. And BVH. */
#include "io_case.h"

#include "io/bvh.h"
#include "io/pose.h"
#include "math/vec.h"

#include <dirent.h>

#define MOTIONS SINEW_SOURCE_DIR "/models/hand/motions"

/* Ranges of the joints of the hand (deg), as in the model's table of joints. */
static const struct {
    const char *name;
    double lower, upper;
} range[] = {
    {"prosup.pronation", -85, 70}, {"wrist.flexion", -70, 75}, {"wrist.deviation", -35, 20}, {"cmc1.flexion", -25, 28},
    {"cmc1.abduction", -20, 22},   {"mcp1.flexion", -10, 55},  {"ip1.flexion", -15, 80},     {"mcp2.flexion", -30, 90},
    {"mcp2.deviation", -20, 20},   {"pip2.flexion", 0, 100},   {"dip2.flexion", 0, 80},      {"mcp3.flexion", -30, 90},
    {"mcp3.deviation", -15, 15},   {"pip3.flexion", 0, 100},   {"dip3.flexion", 0, 80},      {"mcp4.flexion", -30, 90},
    {"mcp4.deviation", -15, 20},   {"pip4.flexion", 0, 100},   {"dip4.flexion", 0, 80},      {"mcp5.flexion", -30, 90},
    {"mcp5.deviation", -25, 15},   {"pip5.flexion", 0, 100},   {"dip5.flexion", 0, 80}};
enum { NRANGE = sizeof range / sizeof *range };

static int find_range(const char *name)
{
    char plain[80]; /* radial_deviation is deviation, palmar_abduction abduction */
    const char *dot = strchr(name, '.'), *word = dot ? strchr(dot, '_') : NULL;
    (void)snprintf(plain, sizeof plain, "%.*s%s", word ? (int)(dot + 1 - name) : 79, name, word ? word + 1 : "");
    for (int i = 0; i < NRANGE; ++i)
        if (!strcmp(range[i].name, plain)) return i;
    print_error("%s is not a coordinate of the hand\n", name);
    fail();
    return -1;
}

/* Rest is zero, which is the end of some ranges, and a fist bends the outer joints of the fingers to the end of theirs:
 * the margin is kept elsewhere. */
static void check_value(const char *file, const char *name, double degrees, double time)
{
    int i = find_range(name);
    double margin = strncmp(name, "pip", 3) && strncmp(name, "dip", 3) ? 3 : 0;
    double low = fmin(range[i].lower + 3, 0) - 1e-6, high = fmax(range[i].upper - margin, 0) + 1e-6;
    if (degrees >= low && degrees <= high) return;
    print_error("%s: %s is %g at %g s, outside %g to %g\n", file, name, degrees, time, low, high);
    fail();
}

static void check_motion(const char *file, const snPoses *p)
{
    double x[NRANGE], v[NRANGE], a[NRANGE], end = sn_poses_time(p, sn_poses_frames(p) - 1), fastest = 0, hardest = 0;
    int n = sn_poses_columns(p);
    assert_true(sn_poses_time(p, 0) == 0 && end >= 2 && end <= 6);
    for (double t = 0; t <= end; t += 0.002) {
        sn_poses_at(p, t, x, v, a);
        for (int c = 0; c < n; ++c) {
            check_value(file, sn_poses_name(p, c), x[c] / SN_DEG, t);
            fastest = fmax(fastest, fabs(v[c]));
            hardest = fmax(hardest, fabs(a[c]));
            if (t <= 0.2) assert_near(x[c], 0, 1e-12);
        }
    }
    sn_poses_at(p, end, x, v, a);
    for (int c = 0; c < n; ++c) {
        assert_near(x[c], 0, 1e-12);
        assert_near(v[c], 0, 1e-9);
    }
    /* fingers reach some 1000 deg/s in fast tapping; ours are ordinary movements */
    print_message("%-28s %.1f s, %2d coordinates, at most %4.0f deg/s, %6.0f deg/s^2\n", file, end, n, fastest / SN_DEG,
                  hardest / SN_DEG);
    assert_at_most(fastest, 700 * SN_DEG);
    assert_at_most(hardest, 12000 * SN_DEG);
}

static void shipped_motions_are_inside_the_ranges(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        "fist",      "point",        "pinch",         "spread",          "wave",     "thumb_circle", "finger_extension",
        "pronation", "wrist_circle", "typing",        "letter_a",        "letter_s", "letter_v",     "letter_l",
        "letter_y",  "key_grip",     "cylinder_grip", "precision_pinch", "thumbs_up"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
        char path[600];
        snPoses *p = NULL;
        snError error;
        snprintf(path, sizeof path, "%s/%s.pose.csv", MOTIONS, wanted[i]);
        assert_ok(sn_load_poses(path, &p, &error), error);
        check_motion(wanted[i], p);
        sn_poses_destroy(p);
    }
}

/* ---- BVH ------------------------------------------------------------------------------------ */

static snModel *hand(void)
{
    char path[4096];
    snSpec *spec = NULL;
    snModel *model = NULL;
    snError error = {0};
    assert_ok(sn_find_model("hand", path, sizeof path, &error), error);
    assert_ok(sn_load_model(path, &spec, &error), error);
    assert_ok(sn_compile(spec, &model, &error), error);
    sn_spec_destroy(spec);
    return model;
}

static void shipped_mapping_and_motion_fit(void **state)
{
    (void)state;
    snPoses *p = NULL;
    snError error;
    snModel *model = hand();
    assert_ok(
        sn_load_bvh_poses(MOTIONS "/beckon.bvh", SINEW_SOURCE_DIR "/models/hand/hand.bvhmap", model, &p, NULL, &error),
        error);
    assert_int_equal(sn_poses_columns(p), NRANGE);
    double most = 0;
    for (int f = 0; f < sn_poses_frames(p); ++f)
        for (int c = 0; c < NRANGE; ++c) {
            double degrees = sn_poses_key(p, f)[c] / SN_DEG;
            check_value("beckon", sn_poses_name(p, c), degrees, sn_poses_time(p, f));
            most = fmax(most, degrees);
        }
    assert_true(most > 45); /* it does beckon */
    sn_poses_destroy(p);
    sn_model_destroy(model);
}

static const char small_bvh[] =
    "HIERARCHY\nROOT Hips\n{\n OFFSET 1 2 3\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    " JOINT Left Arm\n {\n  OFFSET 0 10 0\n  CHANNELS 3 Yrotation Zrotation Xrotation\n"
    "  JOINT Hand {\n OFFSET 5 0 0\n CHANNELS 1 Xrotation\n End Site\n { OFFSET 0 1 0 } } }\n}\nMOTION\nFrames: 2\n"
    "Frame Time: 0.5\n 0 0 0 0 0 0 0 0 0 0\n 10 20 30 90 0 0  30 40 50 -60\n";

static void world_poses_follow_the_hierarchy(void **state)
{
    (void)state;
    snTrack *track = NULL;
    snError error;
    FILE *file = fopen("io_small.bvh", "wb");
    fputs(small_bvh, file);
    fclose(file);
    assert_ok(sn_load_bvh("io_small.bvh", 0.01, &track, &error), error);
    unlink("io_small.bvh");
    assert_int_equal(sn_track_frames(track), 2);
    assert_near(sn_track_time(track, 1), 0.5, 0);
    assert_int_equal(sn_track_find_body(track, "Left Arm"), 1);
    const double *pose = sn_track_pose(track, 1);
    v3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    quat hips = q_axis_angle(z, SN_PI / 2);
    quat arm = q_mul(q_axis_angle(y, 30 * SN_DEG), q_mul(q_axis_angle(z, 40 * SN_DEG), q_axis_angle(x, 50 * SN_DEG)));
    v3 arm_at = v3_add(v3_of(0.1, 0.2, 0.3), q_rotate(hips, v3_of(0, 0.1, 0)));
    v3 hand_at = v3_add(arm_at, q_rotate(q_mul(hips, arm), v3_of(0.05, 0, 0)));
    assert_at_most(v3_dist(v3_load(pose), v3_of(0.1, 0.2, 0.3)), 1e-15);
    assert_at_most(v3_dist(v3_load(pose + 7), arm_at), 1e-15);
    assert_at_most(v3_dist(v3_load(pose + 14), hand_at), 1e-15);
    quat hand = q_mul(q_mul(hips, arm), q_axis_angle(x, -60 * SN_DEG));
    assert_near(fabs(q_dot(hand, q_load(pose + 17))), 1, 1e-14);
    sn_track_destroy(track);
}

static void missing_joints_rest_and_are_named(void **state)
{
    (void)state;
    const char *map_text =
        "# comment\nHand w.0 1 0 0 offset 5 scale -1\nElbow e.0 1 0 0\nElbow e.1 0 1 0\nKnee k.0 1 0 0\n";
    const char *strange_text = "Elbow e.0 1 0 0\n";
    snBvhFile bvh;
    snBvhMap map;
    snPoses *p = NULL;
    snError error;
    snMotionSource note = {0};
    assert_ok(sn_parse_bvh("a.bvh", small_bvh, strlen(small_bvh), &bvh, &error), error);
    assert_ok(sn_parse_bvh_map("a.bvhmap", strange_text, strlen(strange_text), &map, &error), error);
    assert_int_equal(sn_bvh_to_poses(&bvh, &map, "a.bvh", &p, NULL, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "the file has Hips, Left Arm, Hand"));
    sn_bvh_map_free(&map);
    assert_ok(sn_parse_bvh_map("a.bvhmap", map_text, strlen(map_text), &map, &error), error);
    assert_ok(sn_bvh_to_poses(&bvh, &map, "a.bvh", &p, &note, &error), error);
    assert_int_equal(sn_poses_columns(p), 1);
    assert_near(sn_poses_key(p, 0)[0], 5 * SN_DEG, 1e-15);
    assert_near(sn_poses_key(p, 1)[0], 65 * SN_DEG, 1e-14);
    assert_int_equal(note.wanted, 4);
    assert_int_equal(note.found, 1);
    assert_int_equal(note.unused, 2);
    assert_string_equal(note.held, "e.0, e.1, k.0");
    sn_poses_destroy(p);
    sn_bvh_map_free(&map);
    sn_bvh_free(&bvh);
}

/* Angles of two and three axes, also ones that are not at right angles, come back from their product. */
static void rotations_are_taken_apart(void **state)
{
    (void)state;
    uint32_t seed = 77;
    for (int i = 0; i < 2000; ++i) {
        v3 axis[3] = {v3_unit(v3_of(0.2162, 0.5495, -0.8070)), v3_unit(v3_of(0.8188, 0.3482, 0.4565)), {0, 0, 1}};
        if (i % 2) axis[0] = v3_of(1, 0, 0), axis[1] = v3_of(0, 1, 0);
        int count = 1 + i % 3;
        double angle[3], found[3] = {0};
        quat q = q_identity();
        for (int k = 0; k < count; ++k) {
            angle[k] = 1.2 * noise(&seed);
            q = q_mul(q, q_axis_angle(axis[k], angle[k]));
        }
        if (i % 5 == 0) q = (quat){-q.w, -q.x, -q.y, -q.z};
        sn_split_rotation(q, axis, count, found);
        quat back = q_identity();
        for (int k = 0; k < count; ++k) back = q_mul(back, q_axis_angle(axis[k], found[k]));
        assert_at_most(v3_len(q_log(q_mul(q_conj(back), q))), 1e-9);
    }
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    snModel *model = hand();
    int64_t before = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    for (int n = 0; status != SN_OK; ++n) {
        snPoses *p = NULL;
        snTrack *track = NULL;
        snError error;
        sn_alloc_fail_after(n);
        status = sn_load_bvh_poses(MOTIONS "/beckon.bvh", SINEW_SOURCE_DIR "/models/hand/hand.bvhmap", model, &p, NULL,
                                   &error);
        if (status == SN_OK) status = sn_load_bvh(MOTIONS "/beckon.bvh", 0.01, &track, &error);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        sn_poses_destroy(p);
        sn_track_destroy(track);
        assert_int_equal(sn_alloc_live(), before);
    }
    sn_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_motions_are_inside_the_ranges),
        cmocka_unit_test(shipped_mapping_and_motion_fit),
        cmocka_unit_test(world_poses_follow_the_hierarchy),
        cmocka_unit_test(missing_joints_rest_and_are_named),
        cmocka_unit_test(rotations_are_taken_apart),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("io.motions", tests, NULL, NULL);
}
