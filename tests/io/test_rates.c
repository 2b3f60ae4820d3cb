/* BVH at the rates that are usual, as they are usually rounded: every motion has as many frames as the file says. */
#include "io_case.h"

#include "compiled.h"
#include "scenes.h"

#include <stdio.h>

static void write_bvh(const char *path, const char *frame_time, int frames)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "HIERARCHY\nROOT Base\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT Tip\n{\n"
            "OFFSET 1 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\n}\nMOTION\n");
    fprintf(file, "Frames: %d\nFrame Time: %s\n", frames, frame_time);
    for (int f = 0; f < frames; ++f) fprintf(file, "0 0 0 %g 0 0\n", 20 * sin(0.05 * f));
    fclose(file);
}

static void last_frame_is_kept(void **state)
{
    (void)state;
    static const double rates[] = {23.976, 24, 25,  29.97,  30,  48,  50,  59.94, 60,
                                   72,     90, 100, 119.88, 120, 144, 200, 240};
    static const int lengths[] = {2, 3, 7, 16, 31, 61, 100, 121, 240, 301, 601};
    snModel *m = compiled(sn_scene("finger"));
    FILE *map = fopen("io_rates.bvhmap", "w");
    fprintf(map, "Tip PIP.flexion 0 0 1\n");
    fclose(map);
    snMotionSource source;
    snMotionDef def = sn_default_motion_def();
    def.bvh_map = "io_rates.bvhmap";
    def.source = &source;
    int cases = 0;
    for (size_t r = 0; r < sizeof rates / sizeof *rates; ++r)
        for (int digits = 5; digits <= 8; ++digits)
            for (size_t n = 0; n < sizeof lengths / sizeof *lengths; ++n) {
                char text[40];
                snTrack *motion = NULL;
                snError error = {0};
                snprintf(text, sizeof text, "%.*f", digits, 1 / rates[r]);
                write_bvh("io_rates.bvh", text, lengths[n]);
                assert_ok(sn_load_motion(m, "io_rates.bvh", &def, &motion, &error), error);
                double length = sn_track_time(motion, sn_track_frames(motion) - 1) - sn_track_time(motion, 0);
                assert_near(source.frame_rate, 1 / atof(text), 1e-9 * source.frame_rate); /* as written */
                assert_int_equal(sn_frame_count(length, source.frame_rate), lengths[n]);
                sn_track_destroy(motion);
                ++cases;
            }
    assert_int_equal(cases, 17 * 4 * 11);
    (void)remove("io_rates.bvh");
    (void)remove("io_rates.bvhmap");
    sn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(last_frame_is_kept)};
    return cmocka_run_group_tests_name("io.rates", tests, NULL, NULL);
}
