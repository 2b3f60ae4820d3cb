/* Moment arms over the range of a joint coordinate, with the published range behind them. */
#include "plot_arms.h"

#include "plot_style.h"

#include "coordinates.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CURVES = 24, PANEL_CURVES = 7 }; /* of a panel: as many as there are colours */
static const double RAD_TO_DEG = 57.29577951308232;

typedef struct snArmPlot {
    snCli *cli;
    const char *model_name, *to;
    snSpec *spec;
    snModel *model;
    snArms *arms;
    snArmFigure *figure;
    int32_t nfigure, coordinate, ncurve, nband;
    const snArmCurve *curve[MOST_CURVES];
    double *value; /* per curve: x, then y, count each */
    snPlotSeries series[MOST_CURVES];
    snPlotBand band[MOST_CURVES];
    double band_value[MOST_CURVES][6]; /* two x, two lower, two upper */
} snArmPlot;

/* Curves that are drawn together, with their bands. */
typedef struct snArmPanel {
    snPlotDef def;
    snPlotSeries series[MOST_CURVES];
    snPlotBand band[MOST_CURVES];
} snArmPanel;

static snStatus read_joint(snArmPlot *a, snArmDef *def)
{
    char joint[128];
    const char *text = cli_option_text(a->cli, "joint", NULL);
    if (!text) return cli_fail(a->cli, SN_USAGE, "--joint JOINT is missing, such as elbow.flexion");
    a->coordinate = cli_find_coordinate(a->model, text);
    if (a->coordinate < 0)
        return cli_fail(a->cli, SN_BAD_INPUT, "the model has no joint coordinate '%s'; sinew info --list names them",
                        text);
    const char *name = sn_name(a->model, SN_ITEM_COORDINATE, a->coordinate), *dot = strrchr(name, '.');
    (void)snprintf(joint, sizeof joint, "%.*s", dot ? (int)(dot - name) : 0, name);
    def->joint = sn_find(a->model, SN_ITEM_JOINT, joint);
    def->coordinate = &a->coordinate, def->ncoordinate = 1;
    return SN_OK;
}

static bool wanted(const snCli *cli, const char *name)
{
    const char *pattern;
    for (int i = 0; (pattern = cli_option_nth(cli, "muscle", i)) != NULL; ++i)
        if (fnmatch(pattern, name, 0) == 0) return true;
    return !cli_given(cli, "muscle");
}

static snStatus choose_curves(snArmPlot *a)
{
    for (int32_t i = 0; i < a->arms->ncurve; ++i) {
        const snArmCurve *c = &a->arms->curve[i];
        if (c->coordinate != a->coordinate || !wanted(a->cli, cli_strand_name(a->model, c->strand))) continue;
        if (a->ncurve == MOST_CURVES)
            return cli_fail(a->cli, SN_BAD_INPUT, "more than %d tendons cross %s: choose some with --muscle",
                            MOST_CURVES, sn_name(a->model, SN_ITEM_COORDINATE, a->coordinate));
        a->curve[a->ncurve++] = c;
    }
    if (a->ncurve > 0) return SN_OK;
    return cli_fail(a->cli, SN_BAD_INPUT, "none of these tendons crosses %s",
                    sn_name(a->model, SN_ITEM_COORDINATE, a->coordinate));
}

/* The table that is given, or the one beside the model's tables; without one there are no bands. */
static snStatus load_figures(snArmPlot *a)
{
    char path[4200] = "";
    snError error = {0};
    const char *given = cli_option_text(a->cli, "compare", NULL);
    if (given) {
        (void)snprintf(path, sizeof path, "%s", given);
    } else {
        const char *folders = getenv("SINEW_MODELS");
        for (const char *at = folders; at && *at; at += strcspn(at, ":"), at += *at == ':') {
            (void)snprintf(path, sizeof path, "%.*s/%.80s/moment_arms.tsv", (int)strcspn(at, ":"), at, a->model_name);
            if (access(path, R_OK) == 0) break;
            path[0] = '\0';
        }
        if (!path[0]) return SN_OK;
    }
    return cli_fail_file(a->cli, sn_load_arm_figures(path, &a->figure, &a->nfigure, &error), &error, path);
}

static const snArmFigure *find_figure(const snArmPlot *a, const char *strand)
{
    char name[96];
    for (int32_t i = 0; i < a->nfigure; ++i) {
        const snArmFigure *f = &a->figure[i];
        (void)snprintf(name, sizeof name, "%s.%s", f->joint, f->motion);
        if (!strcmp(f->muscle, strand) && sn_find(a->model, SN_ITEM_COORDINATE, name) == a->coordinate) return f;
    }
    return NULL;
}

static void add_band(snArmPlot *a, int32_t series, const snArmFigure *figure)
{
    double *v = a->band_value[a->nband];
    const snPlotSeries *s = &a->series[series];
    v[0] = s->x[0], v[1] = s->x[s->count - 1];
    v[2] = v[3] = 1000 * figure->lo, v[4] = v[5] = 1000 * figure->hi;
    a->band[a->nband++] = (snPlotBand){.series = series, .count = 2, .x = v, .lower = v + 2, .upper = v + 4};
}

static snStatus fill_series(snArmPlot *a)
{
    size_t total = 0;
    for (int32_t i = 0; i < a->ncurve; ++i) total += 2 * (size_t)a->curve[i]->count;
    double *at = a->value = calloc(total + 1, sizeof *a->value);
    if (!at) return cli_fail(a->cli, SN_NO_MEMORY, "out of memory");
    for (int32_t i = 0; i < a->ncurve; ++i) {
        const snArmCurve *c = a->curve[i];
        const char *name = cli_strand_name(a->model, c->strand);
        for (int32_t k = 0; k < c->count; ++k) {
            at[k] = c->q[k] * (c->slides ? 1000 : RAD_TO_DEG);
            at[c->count + k] = 1000 * c->excursion[k];
        }
        a->series[i] = (snPlotSeries){name, c->count, at, at + c->count};
        at += 2 * c->count;
        const snArmFigure *figure = find_figure(a, name);
        if (figure) add_band(a, i, figure);
    }
    return SN_OK;
}

/* Whether the published range of a curve runs into that of another one of a panel. */
static bool collides(const snPlotDef *panel, const snPlotBand *band)
{
    for (int32_t i = 0; i < panel->nband; ++i) {
        const snPlotBand *other = &panel->band[i];
        if (band->lower[0] < other->upper[0] && other->lower[0] < band->upper[0]) return true;
    }
    return panel->nseries >= PANEL_CURVES;
}

/* Puts a curve with its band into a panel, which has room for all. */
static void put(snArmPanel *panel, const snPlotSeries *series, const snPlotBand *band)
{
    panel->series[panel->def.nseries] = *series;
    if (band) {
        panel->band[panel->def.nband] = *band;
        panel->band[panel->def.nband++].series = panel->def.nseries;
    }
    ++panel->def.nseries;
}

/* Bands that overlap cannot be told apart: each curve goes to the first panel where its band is by itself. */
static int32_t share_out(const snArmPlot *a, snArmPanel *panel)
{
    int32_t count = 0;
    for (int32_t i = 0; i < a->ncurve; ++i) {
        const snPlotBand *band = NULL;
        for (int32_t k = 0; k < a->nband; ++k)
            if (a->band[k].series == i) band = &a->band[k];
        int32_t p = 0;
        while (band && p < count && collides(&panel[p].def, band)) ++p;
        if (p == SN_PLOT_PANELS) p = SN_PLOT_PANELS - 1;
        if (p == count) {
            panel[p].def = sn_default_plot_def();
            panel[p].def.series = panel[p].series, panel[p].def.band = panel[p].band;
            ++count;
        }
        put(&panel[p], &a->series[i], band);
    }
    return count;
}

static snStatus draw_panels(const snArmPlot *a, const char *title, const char *label, int32_t *count, snError *error)
{
    snArmPanel *panel = calloc(SN_PLOT_PANELS, sizeof *panel);
    snPlotDef def[SN_PLOT_PANELS];
    if (!panel) return SN_NO_MEMORY;
    *count = share_out(a, panel);
    for (int32_t i = 0; i < *count; ++i) {
        def[i] = panel[i].def;
        def[i].style = cli_plot_style(a->cli);
        def[i].title = i ? "" : title, def[i].x_label = i + 1 < *count ? "" : label;
        def[i].y_label = def[i].nband ? "moment arm (mm); bands: published" : "moment arm (mm)";
        def[i].y_low = def[i].y_high = 0; /* always shown: the sign is what matters first */
    }
    snStatus status = sn_plot_panels(def, *count, a->to, error);
    free(panel);
    return status;
}

static snStatus draw(snArmPlot *a)
{
    snError error = {0};
    char title[200], label[200];
    int32_t panels = 0;
    const char *name = sn_name(a->model, SN_ITEM_COORDINATE, a->coordinate);
    const char *words = sn_coordinate_title(a->model, a->coordinate);
    (void)snprintf(title, sizeof title, "%.60s: moment arms about %.60s", a->model_name, words);
    (void)snprintf(label, sizeof label, "%.60s (%s)", words, a->curve[0]->slides ? "mm" : "degrees");
    snStatus status = draw_panels(a, cli_option_text(a->cli, "title", title), label, &panels, &error);
    if (status != SN_OK) return cli_fail_file(a->cli, status, &error, a->to);
    cli_say(a->cli, "%s: moment arms of %d about %s, %d with a published range\n", a->to, a->ncurve, words, a->nband);
    json_string(&a->cli->json, "file", a->to);
    json_string(&a->cli->json, "what", "moment-arms");
    json_string(&a->cli->json, "coordinate", name);
    json_integer(&a->cli->json, "bands", a->nband);
    json_integer(&a->cli->json, "panels", panels);
    json_open(&a->cli->json, "channels", '[');
    for (int32_t i = 0; i < a->ncurve; ++i) json_string(&a->cli->json, NULL, a->series[i].name);
    json_close(&a->cli->json, ']');
    return SN_OK;
}

snStatus cli_plot_arms(snCli *cli, const char *model_name, const char *to)
{
    snArmPlot *a = calloc(1, sizeof *a);
    snArmDef def = sn_default_arm_def();
    snError error = {0};
    if (!a) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    a->cli = cli, a->model_name = model_name, a->to = to;
    def.progress = cli_progress_callback(cli);
    if (cli_given(cli, "threads")) def.threads = cli->threads;
    snStatus status = cli_compile_model(cli, model_name, &a->spec, &a->model);
    if (status == SN_OK) status = read_joint(a, &def);
    if (status == SN_OK) status = load_figures(a);
    if (status == SN_OK)
        status = cli_fail_file(cli, sn_moment_arms(a->model, &def, &a->arms, &error), &error, model_name);
    if (status == SN_OK) status = choose_curves(a);
    if (status == SN_OK) status = fill_series(a);
    if (status == SN_OK) status = draw(a);
    free(a->value);
    sn_arm_figures_free(a->figure);
    if (a->arms) sn_arms_destroy(a->arms);
    if (a->model) sn_model_destroy(a->model);
    if (a->spec) sn_spec_destroy(a->spec);
    free(a);
    return status;
}
