/* sinew library --compare: one muscle as strands, points, elements and flesh: force, section and volume. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROWS = 17 * 17, PANELS = 3, LEVELS = 2, SERIES = SN_FIDELITIES * LEVELS };
static const char *const NAME[SN_FIDELITIES] = {"strands", "points", "elements", "flesh"};
static const double DEGREE = 3.14159265358979323846 / 180;

typedef struct snCompareRun {
    snCli *cli;
    snFidelities *row;
    int32_t rows;
    char axis[64];
    bool angle;
} snCompareRun;

static double shown(const snCompareRun *r, int32_t i)
{
    return r->row[i].coordinate / (r->angle ? DEGREE : 1e-3);
}

static void say_table(const snCompareRun *r)
{
    snCli *cli = r->cli;
    cli_say(cli, "%-12s %6s   %-35s   %-35s   %-35s\n", r->axis[0] ? r->axis : "pose", "activ.", "force (N)",
            "belly section (of drawn)", "volume (of drawn)");
    cli_say(cli, "%-12s %6s ", r->angle ? "(deg)" : "(mm)", "");
    for (int k = 0; k < PANELS; ++k) cli_say(cli, "  %8s %8s %8s %8s", NAME[0], NAME[1], NAME[2], NAME[3]);
    cli_say(cli, "\n");
    for (int32_t i = 0; i < r->rows; ++i) {
        const snFidelity *f = r->row[i].of;
        cli_say(cli, "%-12.4g %6.2f ", shown(r, i), r->row[i].activation);
        cli_say(cli, "  %8.2f %8.2f %8.2f %8.2f", f[0].force, f[1].force, f[2].force, f[3].force);
        cli_say(cli, "  %8.3f %8.3f %8.3f %8.3f", f[0].bulge, f[1].bulge, f[2].bulge, f[3].bulge);
        cli_say(cli, "  %8.4f %8.4f %8.4f %8.4f\n", f[0].volume, f[1].volume, f[2].volume, f[3].volume);
        for (int k = 0; k < SN_FIDELITIES; ++k)
            if (!f[k].converged)
                cli_warn(cli, "%s: not at rest at %.4g, activation %.2f", NAME[k], shown(r, i), r->row[i].activation);
    }
}

/* Largest difference to the elements, as a fraction of the largest force of the elements, or of their bulge. */
static void differences(const snCompareRun *r, int k, double *force, double *section)
{
    double most = 0;
    *force = *section = 0;
    for (int32_t i = 0; i < r->rows; ++i) most = fmax(most, r->row[i].of[2].force);
    for (int32_t i = 0; i < r->rows; ++i) {
        const snFidelity *f = r->row[i].of;
        *force = fmax(*force, fabs(f[k].force - f[2].force) / most);
        *section = fmax(*section, fabs(f[k].bulge / f[2].bulge - 1));
    }
}

static void put_json(const snCompareRun *r)
{
    snJson *json = &r->cli->json;
    json_string(json, "axis", r->axis);
    json_open(json, "rows", '[');
    for (int32_t i = 0; i < r->rows; ++i) {
        json_open(json, NULL, '{');
        json_number(json, "coordinate", r->row[i].coordinate);
        json_number(json, "activation", r->row[i].activation);
        for (int k = 0; k < SN_FIDELITIES; ++k) {
            const snFidelity *f = r->row[i].of + k;
            json_open(json, NAME[k], '{');
            json_boolean(json, "converged", f->converged);
            json_number(json, "force", f->force);
            if (isfinite(f->section)) json_number(json, "section_mm2", 1e6 * f->section);
            if (isfinite(f->bulge)) json_number(json, "bulge", f->bulge);
            if (isfinite(f->volume)) json_number(json, "volume", f->volume);
            json_number(json, "ms", 1e3 * f->seconds);
            json_close(json, '}');
        }
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Curves over the coordinate at the least and the full activation. */
static snStatus plot(const snCompareRun *r, const char *title, const char *path)
{
    static const char *const label[PANELS] = {"force (N)", "belly section (of drawn)", "volume (of drawn)"};
    snPlotDef def[PANELS];
    snPlotSeries series[PANELS][SERIES];
    char name[SERIES][40], x_label[96];
    snError error = {0};
    int32_t levels = 1, poses;
    while (levels < r->rows && r->row[levels].coordinate == r->row[0].coordinate) ++levels;
    poses = r->rows / levels;
    double *value = calloc((size_t)(1 + PANELS * SERIES) * (size_t)poses, sizeof *value), *at = value + poses;
    if (!value) return cli_fail(r->cli, SN_NO_MEMORY, "out of memory");
    (void)snprintf(x_label, sizeof x_label, "%s (%s)", r->axis, r->angle ? "deg" : "mm");
    for (int32_t i = 0; i < poses; ++i) value[i] = shown(r, i * levels);
    for (int p = 0; p < PANELS; ++p) {
        def[p] = sn_default_plot_def();
        def[p].title = p == 0 ? title : "", def[p].x_label = x_label, def[p].y_label = label[p];
        def[p].series = series[p], def[p].nseries = SN_FIDELITIES * (levels > 1 ? LEVELS : 1);
        for (int s = 0; s < def[p].nseries; ++s, at += poses) {
            int32_t level = s < SN_FIDELITIES ? 0 : levels - 1;
            (void)snprintf(name[s], sizeof name[s], "%s, %.2g", NAME[s % SN_FIDELITIES], r->row[level].activation);
            for (int32_t i = 0; i < poses; ++i) {
                const snFidelity *f = r->row[i * levels + level].of + s % SN_FIDELITIES;
                at[i] = p == 0 ? f->force : p == 1 ? f->bulge : f->volume;
            }
            series[p][s] = (snPlotSeries){name[s], poses, value, at};
        }
    }
    snStatus status = sn_plot_panels(def, PANELS, path, &error);
    free(value);
    if (status == SN_OK) cli_say(r->cli, "%s\n", path);
    if (status == SN_OK) json_string(&r->cli->json, "plot", path);
    return cli_fail_file(r->cli, status, &error, path);
}

snStatus cli_compare_muscle(snCli *cli, const snSpec *spec, snLibraryDef *def)
{
    snCompareRun r = {.cli = cli};
    snError error = {0};
    const char *path = cli_option_text(cli, "plot", NULL);
    if (!def->muscle) return cli_fail(cli, SN_USAGE, "--compare needs --muscle NAME");
    snStatus status = path ? cli_check_output(cli, path) : SN_OK;
    if (status != SN_OK) return status;
    if (!cli_given(cli, "prestretch")) def->prestretch = 1; /* the laws of the strands as they are */
    r.row = calloc(MOST_ROWS, sizeof *r.row);
    if (!r.row) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    status = sn_compare_muscle(spec, def, r.row, &r.rows, r.axis, &r.angle, &error);
    cli_progress_end(cli);
    if (status != SN_OK) {
        free(r.row);
        return cli_fail_file(cli, status, &error, cli->argument[0]);
    }
    say_table(&r);
    put_json(&r);
    for (int k = 0; k < SN_FIDELITIES; ++k) {
        if (k == 2) continue;
        double force, section;
        char key[48];
        differences(&r, k, &force, &section);
        cli_say(cli, "%s against elements: force off by %.1f %% of the largest, section by %.1f %%\n", NAME[k],
                100 * force, 100 * section);
        (void)snprintf(key, sizeof key, "%s_force_off", NAME[k]);
        json_number(&cli->json, key, force);
        (void)snprintf(key, sizeof key, "%s_section_off", NAME[k]);
        if (isfinite(section)) json_number(&cli->json, key, section);
    }
    if (path) status = plot(&r, def->muscle, path);
    free(r.row);
    return status;
}
