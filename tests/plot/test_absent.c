/* A library that was built without cairo says so, and writes nothing. */
#include "io/io_case.h"
#include "plot/heat.h"

#include <unistd.h>

/* A plot of a track with the usual scale. */
static snStatus plot_track(const snTrack *track, const char *which, const char *names, bool heat, const char *title,
                           const char *path, snError *error)
{
    snTrackPlot plot = sn_default_track_plot();
    plot.which = which, plot.names = names, plot.title = title, plot.heat = heat;
    return sn_plot_track_as(track, &plot, path, error);
}

static void expect_absent(snStatus status, const snError *error)
{
    assert_int_equal(status, SN_FAILED);
    assert_non_null(strstr(error->message, "without plots"));
    assert_non_null(strstr(error->remedy, "cairo"));
    assert_string_equal(error->file, "absent.svg");
    assert_int_not_equal(access("absent.svg", F_OK), 0);
}

static void plots_are_refused(void **state)
{
    (void)state;
    snError error = {0};
    snPlotDef lines = sn_default_plot_def();
    snHeatDef heat = {.title = "", .x_label = "", .value_label = ""};
    assert_false(sn_plot_available());
    expect_absent(sn_plot_lines(&lines, "absent.svg", &error), &error);
    expect_absent(sn_plot_panels(&lines, 1, "absent.svg", &error), &error);
    expect_absent(sn_plot_heat(&heat, "absent.svg", &error), &error);
}

static void tracks_are_refused(void **state)
{
    (void)state;
    static const char *const name[] = {"activation/a"};
    snTrackDef def = {.size = sizeof(snTrackDef), .nscalar = 1, .scalar_name = name};
    snTrack *track = NULL;
    snError error = {0};
    assert_int_equal(sn_track_create(&def, &track), SN_OK);
    for (int f = 0; f < 3; ++f) assert_int_equal(sn_track_append(track, f, NULL, NULL, (double[]){0.1 * f}), SN_OK);
    expect_absent(plot_track(track, "activation/", NULL, false, "", "absent.svg", &error), &error);
    expect_absent(plot_track(track, "activation/", NULL, true, "", "absent.svg", &error), &error);
    sn_track_destroy(track);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plots_are_refused), cmocka_unit_test(tracks_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
