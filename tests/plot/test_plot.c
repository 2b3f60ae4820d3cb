#include "io/io_case.h"

#include "plot/plot.h"

/* fontconfig keeps its settings until the program ends and has no way to say so. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

enum { FRAMES = 500, MUSCLES = 54 };

/* A plot of a track with the usual scale. */
static snStatus plot_track(const snTrack *track, const char *which, const char *names, bool heat, const char *title,
                           const char *path, snError *error)
{
    snTrackPlot plot = sn_default_track_plot();
    plot.which = which, plot.names = names, plot.title = title, plot.heat = heat;
    return sn_plot_track_as(track, &plot, path, error);
}

static snTrack *muscle_track(void)
{
    static char text[2 * MUSCLES][32];
    static const char *name[2 * MUSCLES];
    static const char *const base[] = {"FDP", "FDS", "EDC", "LUM", "DI", "PI", "FCR", "ECRL", "APL"};
    for (int i = 0; i < MUSCLES; ++i) {
        snprintf(text[i], sizeof text[i], "activation/%s%d", base[i % 9], 1 + i / 9);
        snprintf(text[MUSCLES + i], sizeof text[0], "length/%s%d", base[i % 9], 1 + i / 9);
        name[i] = text[i];
        name[MUSCLES + i] = text[MUSCLES + i];
    }
    snTrackDef def = {.size = sizeof(snTrackDef), .nscalar = 2 * MUSCLES, .scalar_name = name};
    snTrack *track = NULL;
    assert_int_equal(sn_track_create(&def, &track), SN_OK);
    for (int f = 0; f < FRAMES; ++f) {
        double scalar[2 * MUSCLES], t = f / 125.0;
        for (int i = 0; i < MUSCLES; ++i) {
            scalar[i] = 0.5 * (1 + sin(2 * t + 0.4 * i)) * exp(-0.1 * (i % 7));
            scalar[MUSCLES + i] = 0.2 + 0.004 * i + 0.01 * cos(3 * t + i);
        }
        assert_int_equal(sn_track_append(track, t, NULL, NULL, scalar), SN_OK);
    }
    return track;
}

static void check_file(const char *path, const char *magic)
{
    char *data;
    size_t size;
    snError error;
    assert_ok(sn_file_read(path, SN_FILE_LIMIT, &data, &size, &error), error);
    assert_true(size > 2000);
    assert_memory_equal(data, magic, strlen(magic));
    sn_free(data);
}

/* The pictures stay in the folder of the test, to be looked at. */
static void tracks_are_drawn(void **state)
{
    (void)state;
    snTrack *track = muscle_track();
    snError error;
    assert_ok(plot_track(track, "activation/", NULL, true, "Activations of 54 muscles", "plot_heat.png", &error),
              error);
    assert_ok(plot_track(track, "activation/", NULL, true, "Activations of 54 muscles", "plot_heat.svg", &error),
              error);
    assert_ok(plot_track(track, "activation/", "FDP1 FDS1 EDC1 LUM1 DI1 PI1 FCR1 ECRL1", false, "Chosen activations",
                         "plot_lines.png", &error),
              error);
    assert_ok(plot_track(track, "length/", "FDP1 FDP2 FDP3 FDP4 EDC1", false, "Lengths of tendons", "plot_length.svg",
                         &error),
              error);
    check_file("plot_heat.png", "\x89PNG");
    check_file("plot_lines.png", "\x89PNG");
    check_file("plot_heat.svg", "<?xml");
    check_file("plot_length.svg", "<?xml");
    assert_int_equal(plot_track(track, "activation/", "FDP1 XYZ", false, "", "plot_no.png", &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "the motion has no scalar \"activation/XYZ\"");
    assert_int_equal(plot_track(track, "activation/", NULL, false, "", "plot_no.png", &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "54 lines cannot be told apart; the limit is 24");
    assert_int_equal(plot_track(track, "activation/", "FDP1", false, "", "plot_no.gif", &error), SN_BAD_INPUT);
    assert_int_equal(access("plot_no.png", F_OK), -1);
    sn_track_destroy(track);
}

/* Moment arms over the range of a joint with the published bands, and twenty lines that end at the same place. */
static void bands_and_crowds_are_drawn(void **state)
{
    (void)state;
    enum { N = 61, CROWD = 20 };
    double x[N], y[CROWD][N], low[N], high[N], low2[N], high2[N];
    snPlotSeries series[CROWD];
    char name[CROWD][32];
    snPlotDef def = sn_default_plot_def();
    snError error;
    for (int i = 0; i < N; ++i) {
        x[i] = -30 + 2 * i;
        y[0][i] = 9 + 0.03 * x[i], y[1][i] = -8 + 0.02 * x[i];
        low[i] = 7 + 0.03 * x[i], high[i] = 12 + 0.03 * x[i];
        low2[i] = -10, high2[i] = -7;
    }
    series[0] = (snPlotSeries){"FDP2", N, x, y[0]},
    series[1] = (snPlotSeries){"EDC2 with a very long name indeed", N, x, y[1]};
    snPlotBand band[] = {{0, N, x, low, high}, {1, N, x, low2, high2}};
    def.title = "Moment arms about mcp2", def.x_label = "flexion (degrees)", def.y_label = "moment arm (mm)";
    def.nseries = 2, def.series = series, def.nband = 2, def.band = band;
    assert_ok(sn_plot_lines(&def, "plot_band.png", &error), error);
    assert_ok(sn_plot_lines(&def, "plot_band.svg", &error), error);
    for (int s = 0; s < CROWD; ++s) {
        snprintf(name[s], sizeof name[s], "muscle %d \xff", s + 1);
        for (int i = 0; i < N; ++i)
            y[s][i] = s == 3 && i > 20 && i < 30 ? NAN : 5 * sin(0.05 * i * (1 + 0.2 * s)) * (N - 1 - i) / N;
        series[s] = (snPlotSeries){name[s], N, x, y[s]};
    }
    def.title = "A crowd: twenty lines that end at the same place, under a title too long for its page",
    def.nseries = CROWD, def.nband = 0;
    assert_ok(sn_plot_lines(&def, "plot_crowd.png", &error), error);
    y[2][5] = INFINITY;
    assert_int_equal(sn_plot_lines(&def, "plot_crowd.png", &error), SN_BAD_INPUT);
}

/* The lightest pixel of the cells of a heat map: share of full lightness, 0 to 1. */
static double lightest_cell(const char *path)
{
    cairo_surface_t *picture = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_surface_status(picture), CAIRO_STATUS_SUCCESS);
    const unsigned char *bytes = cairo_image_surface_get_data(picture);
    int stride = cairo_image_surface_get_stride(picture), width = cairo_image_surface_get_width(picture);
    double most = 0;
    /* one row, without a title: its cells begin 6 points down; half-way down the row, away from names and edges */
    const unsigned char *line = bytes + (size_t)(3 * 10) * (size_t)stride;
    for (int x = width / 3; x < width - 60; ++x) most = fmax(most, line[4 * x + 1] / 255.0);
    cairo_surface_destroy(picture);
    return most;
}

/* Muscles that work at a tenth of what they can are seen: the scale ends at a round value above the largest one. */
static void weak_activations_are_seen(void **state)
{
    (void)state;
    const char *name[] = {"activation/FDP2"};
    snTrackDef def = {.size = sizeof(snTrackDef), .nscalar = 1, .scalar_name = name};
    snTrack *track = NULL;
    snError error;
    assert_int_equal(sn_track_create(&def, &track), SN_OK);
    for (int f = 0; f < 50; ++f) {
        double a = 0.1 * f / 49;
        assert_int_equal(sn_track_append(track, 0.02 * f, NULL, NULL, &a), SN_OK);
    }
    snTrackPlot plot = sn_default_track_plot();
    plot.heat = true;
    assert_ok(sn_plot_track_as(track, &plot, "plot_weak.png", &error), error);
    assert_true(lightest_cell("plot_weak.png") > 0.6);
    plot.top = 1; /* to compare with others: nearly as dark as nothing */
    assert_ok(sn_plot_track_as(track, &plot, "plot_weak_to_1.png", &error), error);
    assert_true(lightest_cell("plot_weak_to_1.png") < 0.3);
    assert_near(sn_plot_top("activation/", 0.102), 0.12, 1e-12);
    assert_near(sn_plot_top("activation/", 1), 1, 1e-12);
    assert_near(sn_plot_top("activation/", 0), 0.01, 1e-12);
    assert_near(sn_plot_top("force_insertion/", 23.9), 25, 1e-12);
    sn_track_destroy(track);
}

/* Names that differ only at their ends can still be told apart, and what is cut fits. */
static void long_names_keep_both_ends(void **state)
{
    (void)state;
    static const char *const names[] = {"pectoralis_major_sternal_part", "pectoralis_major_clavicular_part",
                                        "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc",
                                        "FDP2", ""};
    snPage page;
    snError error;
    char text[2][256];
    assert_ok(sn_page_measure(&page, &(snPlotStyle){.width = 0}, &error), error);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        for (double room = 200; room > 20; room -= 7) {
            sn_page_fit_middle(&page, names[i], 9, room, text[0], sizeof text[0]);
            assert_true(sn_page_text_width(&page, text[0], 9, false) <= room || strlen(text[0]) <= 9);
            assert_null(strchr(text[0], '?')); /* no character was cut in two */
        }
    sn_page_fit_middle(&page, names[0], 9, 90, text[0], sizeof text[0]);
    sn_page_fit_middle(&page, names[1], 9, 90, text[1], sizeof text[1]);
    assert_string_not_equal(text[0], text[1]);
    assert_memory_equal(text[0], "pect", 4);
    assert_string_equal(text[0] + strlen(text[0]) - 4, "part");
    assert_int_equal(sn_page_finish(&page, &error), SN_OK);
}

static double luminance(snColor c)
{
    double v[3] = {c.r, c.g, c.b}, sum = 0;
    static const double weight[3] = {0.2126, 0.7152, 0.0722};
    for (int i = 0; i < 3; ++i) sum += weight[i] * (v[i] <= 0.04045 ? v[i] / 12.92 : pow((v[i] + 0.055) / 1.055, 2.4));
    return sum;
}

/* Who sees no colour still sees the value: lightness always rises. */
static void heat_colours_rise_in_lightness(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i)
        assert_true(luminance(sn_heat_color((i + 1) / 100.0)) > luminance(sn_heat_color(i / 100.0)));
    assert_true(luminance(sn_heat_color(0)) < 0.03 && luminance(sn_heat_color(1)) > 0.6);
}

/* Blue and orange stay apart for who does not tell red from green; both darken evenly. */
static void diverging_colours_darken_both_ways(void **state)
{
    (void)state;
    assert_true(luminance(sn_diverging_color(0.5)) > 0.99);
    for (int i = 0; i < 50; ++i) {
        double a = i / 100.0, b = (i + 1) / 100.0;
        assert_true(luminance(sn_diverging_color(a)) < luminance(sn_diverging_color(b)));
        assert_true(luminance(sn_diverging_color(1 - a)) < luminance(sn_diverging_color(1 - b)));
    }
    assert_true(sn_diverging_color(0).b > sn_diverging_color(0).r + 0.3);
    assert_true(sn_diverging_color(1).r > sn_diverging_color(1).b + 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tracks_are_drawn),
        cmocka_unit_test(bands_and_crowds_are_drawn),
        cmocka_unit_test(weak_activations_are_seen),
        cmocka_unit_test(long_names_keep_both_ends),
        cmocka_unit_test(heat_colours_rise_in_lightness),
        cmocka_unit_test(diverging_colours_darken_both_ways),
    };
    return cmocka_run_group_tests_name("plot.plot", tests, NULL, NULL);
}
