/* What the fascicles of a muscle did over a replay: force at the insertion and length of each, sums by muscle,
 * contributions to the moment about a joint [Kaufman 2008, figure 4.16]. */
#include "plot_analysis.h"

#include "plot_style.h"

#include "coordinates.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 24, MOST_PANELS = 6 };

/* One plot of the page. */
typedef struct snPanel {
    const char *prefix, *title, *label;
    double factor; /* from SI */
    int32_t count, channel[MOST_LINES];
    int32_t left_out;
} snPanel;

typedef struct snAnalysisPlot {
    snCli *cli;
    const char *from, *to, *what, *joint;
    snTrack *replay, *result;
    snSpec *spec;
    snModel *model;
    char joint_title[160]; /* in the words of the model */
    int32_t *strand, nstrand;
    bool one; /* fascicles of a single muscle: moments are shown for each of them */
    snPanel panel[MOST_PANELS];
    int32_t npanel;
} snAnalysisPlot;

/* ---- which strands -------------------------------------------------------------------------- */

static void add_strand(snAnalysisPlot *a, int32_t strand)
{
    for (int32_t i = 0; i < a->nstrand; ++i)
        if (a->strand[i] == strand) return;
    a->strand[a->nstrand++] = strand;
}

/* Adds the strands whose name or whose muscle's name fits; how many fit. */
static int32_t add_matching(snAnalysisPlot *a, const char *pattern)
{
    int32_t count = 0;
    for (int32_t i = 0; i < sn_count(a->model, SN_ITEM_STRAND); ++i) {
        int32_t muscle = sn_strand_muscle(a->model, i);
        bool fits = fnmatch(pattern, sn_name(a->model, SN_ITEM_STRAND, i), 0) == 0 ||
                    (muscle >= 0 && fnmatch(pattern, sn_name(a->model, SN_ITEM_MUSCLE, muscle), 0) == 0);
        if (fits) add_strand(a, i);
        count += fits;
    }
    return count;
}

static snStatus choose_strands(snAnalysisPlot *a)
{
    const char *text;
    char pattern[256];
    a->strand = calloc((size_t)sn_count(a->model, SN_ITEM_STRAND) + 1, sizeof *a->strand);
    if (!a->strand) return cli_fail(a->cli, SN_NO_MEMORY, "out of memory");
    if (!cli_given(a->cli, "muscle")) (void)add_matching(a, "*");
    for (int i = 0; (text = cli_option_nth(a->cli, "muscle", i)) != NULL; ++i) {
        for (size_t length; *text; text += length + (text[length] == ',')) {
            length = strcspn(text, ",");
            (void)snprintf(pattern, sizeof pattern, "%.*s", (int)length, text);
            if (add_matching(a, pattern) == 0)
                return cli_fail(a->cli, SN_BAD_INPUT,
                                "the model has no muscle, group or strand '%s'; "
                                "sinew info --list names what there is",
                                pattern);
        }
    }
    a->one = true;
    for (int32_t i = 1; i < a->nstrand; ++i)
        a->one = a->one && sn_strand_muscle(a->model, a->strand[i]) == sn_strand_muscle(a->model, a->strand[0]);
    return SN_OK;
}

static snStatus analyse(snAnalysisPlot *a)
{
    snAnalysisDef def = sn_default_analysis_def();
    snError error = {0};
    def.nstrand = a->nstrand, def.strand = a->strand;
    if (a->joint) {
        def.coordinate = cli_find_coordinate(a->model, a->joint);
        if (def.coordinate < 0)
            return cli_fail(a->cli, SN_BAD_INPUT,
                            "the model has no joint coordinate '%s'; sinew info --list names them", a->joint);
        a->joint = sn_name(a->model, SN_ITEM_COORDINATE, def.coordinate);
        (void)snprintf(a->joint_title, sizeof a->joint_title, "%s", sn_coordinate_title(a->model, def.coordinate));
    }
    snStatus status = sn_analyse(a->model, a->replay, &def, &a->result, &error);
    return cli_fail_file(a->cli, status, &error, a->from);
}

/* ---- panels --------------------------------------------------------------------------------- */

static double peak(const snTrack *track, int32_t scalar)
{
    double most = 0;
    for (int32_t f = 0; f < sn_track_frames(track); ++f) {
        double v = sn_track_scalar(track, f)[scalar];
        if (v > most || -v > most) most = v > 0 ? v : -v;
    }
    return most;
}

/* Of more lines than can be told apart, those that reach furthest stay. */
static void keep(snAnalysisPlot *a, snPanel *p, int32_t scalar)
{
    if (p->count < MOST_LINES) {
        p->channel[p->count++] = scalar;
        return;
    }
    int32_t least = 0;
    ++p->left_out;
    for (int32_t i = 1; i < p->count; ++i)
        if (peak(a->result, p->channel[i]) < peak(a->result, p->channel[least])) least = i;
    if (peak(a->result, scalar) <= peak(a->result, p->channel[least])) return;
    for (int32_t i = least; i + 1 < p->count; ++i) p->channel[i] = p->channel[i + 1];
    p->channel[p->count - 1] = scalar;
}

static void add_panel(snAnalysisPlot *a, const char *prefix, const char *title, const char *label, double factor)
{
    const snTrackDef *def = sn_track_def(a->result);
    snPanel *p = &a->panel[a->npanel];
    *p = (snPanel){.prefix = prefix, .title = title, .label = label, .factor = factor};
    for (int32_t i = 0; i < def->nscalar; ++i)
        if (strncmp(def->scalar_name[i], prefix, strlen(prefix)) == 0) keep(a, p, i);
    a->npanel += p->count > 0;
}

/* Whether the coordinate is a length. */
static bool slides(const snAnalysisPlot *a)
{
    const char *dot = strrchr(a->joint, '.');
    char name[128];
    (void)snprintf(name, sizeof name, "%.*s", (int)(dot - a->joint), a->joint);
    snId joint = sn_spec_find(a->spec, SN_KIND_JOINT, name);
    snJointType type = joint ? sn_spec_joint(a->spec, joint)->type : SN_JOINT_TYPE_HINGE;
    return type == SN_JOINT_TYPE_PRISMATIC || (type == SN_JOINT_TYPE_CYLINDRICAL && dot[1] == '1');
}

static void choose_panels(snAnalysisPlot *a)
{
    const char *unit = a->joint && slides(a) ? "force along the joint (N)" : "moment (N m)";
    if (strcmp(a->what, "fascicles") == 0) {
        add_panel(a, "force_insertion/", "force at the insertion", "force (N)", 1);
        if (a->nstrand > 1) add_panel(a, "sum_force/", "sum of these forces", "force (N)", 1);
        add_panel(a, "length/", "length", "length (mm)", 1000);
    } else if (strcmp(a->what, "sums") == 0) {
        add_panel(a, "sum_force/", "sum of the forces at the insertions", "force (N)", 1);
        add_panel(a, "mean_length/", "mean length", "length (mm)", 1000);
    }
    if (a->joint && a->one) add_panel(a, "moment/", "contributions to the moment", unit, 1);
    if (a->joint && !a->one) add_panel(a, "sum_moment/", "moment by muscle", unit, 1);
}

/* ---- writing -------------------------------------------------------------------------------- */

static snStatus draw(snAnalysisPlot *a)
{
    int32_t frames = sn_track_frames(a->result), nline = 0;
    for (int32_t i = 0; i < a->npanel; ++i) nline += a->panel[i].count;
    snPlotDef def[MOST_PANELS];
    char title[MOST_PANELS][200], stem[4096];
    snPlotSeries *series = calloc((size_t)nline + 1, sizeof *series);
    double *value = calloc((size_t)(nline + 1) * (size_t)frames, sizeof *value);
    snError error = {0};
    cli_stem(a->from, stem, sizeof stem);
    const char *slash = strrchr(stem, '/'), *given = cli_option_text(a->cli, "title", slash ? slash + 1 : stem);
    for (int32_t f = 0; value && f < frames; ++f) value[f] = sn_track_time(a->result, f);
    for (int32_t i = 0, line = 0; series && value && i < a->npanel; ++i) {
        const snPanel *p = &a->panel[i];
        bool moment = strstr(p->prefix, "moment/") != NULL;
        (void)snprintf(title[i], sizeof title[i], "%.60s: %s%s%.60s", given, p->title, moment ? " about " : "",
                       moment ? a->joint_title : "");
        def[i] = sn_default_plot_def();
        def[i].style = cli_plot_style(a->cli);
        def[i].title = title[i], def[i].x_label = "time (s)", def[i].y_label = p->label;
        if (strstr(p->prefix, "force")) def[i].y_low = 0;
        def[i].nseries = p->count, def[i].series = series + line;
        for (int32_t k = 0; k < p->count; ++k, ++line) {
            double *y = value + (size_t)(line + 1) * (size_t)frames;
            const char *name = sn_track_def(a->result)->scalar_name[p->channel[k]];
            for (int32_t f = 0; f < frames; ++f) y[f] = p->factor * sn_track_scalar(a->result, f)[p->channel[k]];
            series[line] = (snPlotSeries){name + strlen(p->prefix), frames, value, y};
        }
    }
    snStatus status = series && value ? sn_plot_panels(def, a->npanel, a->to, &error) : SN_NO_MEMORY;
    free(series);
    free(value);
    return cli_fail_file(a->cli, status, &error, a->to);
}

static void report(snAnalysisPlot *a, bool table)
{
    snJson *json = &a->cli->json;
    cli_say(a->cli, "%s: %s of %d strands, %d frames%s%s\n", a->to, a->what, (int)a->nstrand,
            (int)sn_track_frames(a->result), a->joint ? ", about " : "", a->joint ? a->joint_title : "");
    json_string(json, "file", a->to);
    json_string(json, "what", a->what);
    json_integer(json, "strands", a->nstrand);
    json_integer(json, "frames", sn_track_frames(a->result));
    if (a->joint) json_string(json, "coordinate", a->joint);
    json_open(json, "peaks", '{');
    for (int32_t i = 0; i < sn_track_def(a->result)->nscalar; ++i)
        if (strncmp(sn_track_def(a->result)->scalar_name[i], "sum_", 4) == 0)
            json_number(json, sn_track_def(a->result)->scalar_name[i], peak(a->result, i));
    json_close(json, '}');
    for (int32_t i = 0; i < a->npanel && !table; ++i)
        if (a->panel[i].left_out)
            cli_say(a->cli, "note: %d lines of '%s' are left out, those that reach least; a .sto has them all\n",
                    (int)a->panel[i].left_out, a->panel[i].title);
}

static snStatus write_out(snAnalysisPlot *a)
{
    bool table = cli_ends_with(a->to, ".sto") || cli_ends_with(a->to, ".csv");
    snError error = {0};
    choose_panels(a);
    snStatus status =
        table ? cli_fail_file(a->cli, sn_save_table(a->result, a->to, NULL, &error), &error, a->to) : draw(a);
    if (status == SN_OK) report(a, table);
    return status;
}

snStatus cli_plot_analysis(snCli *cli, const char *what, const char *from, const char *to)
{
    snAnalysisPlot a = {.cli = cli, .what = what, .from = from, .to = to, .joint = cli_option_text(cli, "joint", NULL)};
    snError error = {0};
    if (!a.joint && strcmp(what, "moment") == 0)
        return cli_fail(cli, SN_USAGE, "--joint JOINT is missing, such as elbow.flexion");
    if (!cli_is_replay(from))
        return cli_fail(cli, SN_USAGE, "%s: --what %s needs a replay, which has the strands", from, what);
    snStatus status = cli_load_replay(cli, from, &a.replay);
    if (status == SN_OK) status = cli_replay_model(cli, a.replay, from, cli_option_text(cli, "model", NULL), &a.spec);
    if (status == SN_OK) status = cli_fail_file(cli, sn_compile(a.spec, &a.model, &error), &error, from);
    if (status == SN_OK) status = choose_strands(&a);
    if (status == SN_OK) status = analyse(&a);
    if (status == SN_OK) status = write_out(&a);
    free(a.strand);
    if (a.result) sn_track_destroy(a.result);
    if (a.model) sn_model_destroy(a.model);
    if (a.spec) sn_spec_destroy(a.spec);
    if (a.replay) sn_track_destroy(a.replay);
    return status;
}
