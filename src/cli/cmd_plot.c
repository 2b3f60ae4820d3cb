/* sinew plot: activations, forces, lengths and tracking error over time, and moment arms, as SVG or PNG. */
#include "plot_analysis.h"
#include "plot_arms.h"
#include "plot_error.h"
#include "plot_groups.h"
#include "plot_law.h"
#include "plot_style.h"
#include "result.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_ROWS = 200 }; /* of a heat map that one can still read: parts of muscles become one row */
enum { MOST_LINES = 24 }; /* as sn_plot_lines has colours and dashes for */

/* What can be plotted, and how its channels are called. */
typedef struct snQuantity {
    const char *name, *prefix, *title;
} snQuantity;

static const snQuantity quantities[] = {
    {"activation", "activation/", "activation"},
    {"force", "force_insertion/", "force at the insertion"},
    {"tension", "tension/", "tension"},
    {"length", "length/", "length"},
    {"fibre-length", "fibre_length/", "fibre length"},
    {"fibre-velocity", "fibre_velocity/", "fibre velocity"},
    {"angle", "coordinate/", "joint coordinates"},
    {"volume", "volume/", "volume of the groups"},
    {"area", "area/", "mean cross-section of the groups"},
    {"error", "error/", "distance of the bones from the motion"},
    {NULL, NULL, NULL},
};

typedef struct snPlot {
    snCli *cli;
    const char *from, *to;
    const snQuantity *what;
    snTrack *track;   /* what is plotted */
    int32_t *channel; /* chosen scalars */
    int32_t nchannel, nthere;
} snPlot;

/* ---- which channels ---------------------------------------------------------------------------- */

static const char *short_name(const snPlot *p, int32_t scalar)
{
    return sn_track_def(p->track)->scalar_name[scalar] + strlen(p->what->prefix);
}

static bool is_listed(const snPlot *p, int32_t scalar)
{
    for (int32_t i = 0; i < p->nchannel; ++i)
        if (p->channel[i] == scalar) return true;
    return false;
}

/* Adds the channels whose names fit a pattern such as FDP2 or FDP*; the number of those that fit. */
static int32_t add_matching(snPlot *p, const char *pattern)
{
    const snTrackDef *def = sn_track_def(p->track);
    int32_t count = 0;
    for (int32_t i = 0; i < def->nscalar; ++i) {
        if (strncmp(def->scalar_name[i], p->what->prefix, strlen(p->what->prefix)) != 0) continue;
        if (fnmatch(pattern, short_name(p, i), 0) != 0) continue;
        ++count;
        if (!is_listed(p, i)) p->channel[p->nchannel++] = i;
    }
    return count;
}

static double peak(const snPlot *p, int32_t scalar)
{
    double low = sn_track_scalar(p->track, 0)[scalar], high = low;
    bool bounded =
        !strstr(p->what->name, "length") && !strstr(p->what->name, "velocity") && strcmp(p->what->name, "angle") != 0;
    for (int32_t f = 1; f < sn_track_frames(p->track); ++f) {
        double v = sn_track_scalar(p->track, f)[scalar];
        if (v < low) low = v;
        if (v > high) high = v;
    }
    return bounded ? high : high - low; /* lengths: by how much they change */
}

/* Keeps the n channels that reach highest, in the order of the track. */
static snStatus keep_top(snPlot *p, int32_t n)
{
    double *height = calloc((size_t)p->nchannel + 1, sizeof *height);
    if (!height) return cli_fail(p->cli, SN_NO_MEMORY, "out of memory");
    for (int32_t i = 0; i < p->nchannel; ++i) height[i] = peak(p, p->channel[i]);
    while (p->nchannel > n) {
        int32_t least = 0;
        for (int32_t i = 1; i < p->nchannel; ++i)
            if (height[i] <= height[least]) least = i;
        --p->nchannel;
        for (int32_t i = least; i < p->nchannel; ++i) p->channel[i] = p->channel[i + 1], height[i] = height[i + 1];
    }
    free(height);
    return SN_OK;
}

static snStatus choose_channels(snPlot *p)
{
    char pattern[256];
    const char *text;
    p->channel = calloc((size_t)sn_track_def(p->track)->nscalar + 1, sizeof *p->channel);
    if (!p->channel) return cli_fail(p->cli, SN_NO_MEMORY, "out of memory");
    for (int i = 0; (text = cli_option_nth(p->cli, "muscle", i)) != NULL; ++i) {
        for (size_t length; *text; text += length + (text[length] == ',')) {
            length = strcspn(text, ",");
            (void)snprintf(pattern, sizeof pattern, "%.*s", (int)length, text);
            if (add_matching(p, pattern) == 0)
                return cli_fail(p->cli, SN_BAD_INPUT, "%s has no %s of '%s'; sinew info --list names what there is",
                                p->from, p->what->name, pattern);
        }
    }
    if (!cli_given(p->cli, "muscle") && add_matching(p, "*") == 0)
        return cli_fail(p->cli, SN_BAD_INPUT, "%s has no columns %s*", p->from, p->what->prefix);
    p->nthere = p->nchannel;
    return cli_given(p->cli, "top") ? keep_top(p, (int32_t)cli_option_number(p->cli, "top", 0)) : SN_OK;
}

/* ---- drawing ------------------------------------------------------------------------------------ */

static void make_title(const snPlot *p, char *title, size_t size)
{
    char stem[4096];
    cli_stem(p->from, stem, sizeof stem);
    const char *slash = strrchr(stem, '/');
    (void)snprintf(title, size, "%.60s: %s", slash ? slash + 1 : stem, p->what->title);
}

static snStatus draw(snPlot *p)
{
    snText names = {0};
    snError error = {0};
    char title[200];
    make_title(p, title, sizeof title);
    bool heat = cli_given(p->cli, "heat") || p->nchannel > MOST_LINES;
    for (int32_t i = 0; i < p->nchannel; ++i) text_add(&names, "%s%s", i ? " " : "", short_name(p, p->channel[i]));
    snTrackPlot plot = sn_default_track_plot();
    plot.which = p->what->prefix, plot.names = names.text, plot.heat = heat;
    plot.title = cli_option_text(p->cli, "title", title), plot.top = cli_option_number(p->cli, "max", 0);
    plot.style = cli_plot_style(p->cli);
    snStatus status = names.text ? sn_plot_track_as(p->track, &plot, p->to, &error) : SN_NO_MEMORY;
    text_free(&names);
    if (status != SN_OK) return cli_fail_file(p->cli, status, &error, p->to);
    cli_say(p->cli, "%s: %s of %d, %d frames, as %s\n", p->to, p->what->name, p->nchannel, sn_track_frames(p->track),
            heat ? "a heat map" : "lines");
    json_string(&p->cli->json, "file", p->to);
    json_string(&p->cli->json, "what", p->what->name);
    json_string(&p->cli->json, "kind", heat ? "heat" : "lines");
    json_integer(&p->cli->json, "frames", sn_track_frames(p->track));
    json_open(&p->cli->json, "channels", '[');
    for (int32_t i = 0; i < p->nchannel; ++i) json_string(&p->cli->json, NULL, short_name(p, p->channel[i]));
    json_close(&p->cli->json, ']');
    for (int32_t i = 0; i < p->nchannel && strcmp(p->what->name, "error") == 0; ++i)
        if (strcmp(short_name(p, p->channel[i]), "worst") == 0)
            json_number(&p->cli->json, "worst_mm", 1000 * peak(p, p->channel[i]));
    return SN_OK;
}

/* ---- the command -------------------------------------------------------------------------------- */

static snStatus load_error(snPlot *p, snTrack *replay)
{
    const char *motion_name = cli_option_text(p->cli, "motion", NULL), *model = cli_option_text(p->cli, "model", NULL);
    snSpec *spec = NULL;
    snTrack *motion = NULL;
    snError error = {0};
    char followed[4096];
    if (!motion_name && cli_followed_motion(p->from, followed, sizeof followed)) motion_name = followed;
    if (!motion_name)
        return cli_fail(p->cli, SN_USAGE, "--motion MOTION is missing: the motion that the replay follows");
    snStatus status = cli_replay_model(p->cli, replay, p->from, model, &spec);
    if (status == SN_OK) status = cli_replay_motion(p->cli, replay, model, spec, motion_name, &motion);
    if (status == SN_OK)
        status = cli_fail_file(p->cli, cli_tracking_error(replay, motion, spec, &p->track, &error), &error, p->from);
    if (motion) sn_track_destroy(motion);
    if (spec) sn_spec_destroy(spec);
    return status;
}

static bool is_of_fibres(const snPlot *p)
{
    return strncmp(p->what->name, "fibre-", 6) == 0;
}

/* Fibre lengths and velocities, from the replay and its model. */
static snStatus load_fibres(snPlot *p, const snTrack *replay)
{
    snSpec *spec = NULL;
    snModel *model = NULL;
    snError error = {0};
    snStatus status = cli_replay_model(p->cli, replay, p->from, cli_option_text(p->cli, "model", NULL), &spec);
    if (status != SN_OK) return status;
    status = sn_compile(spec, &model, &error);
    if (status == SN_OK) status = sn_fibre_course(spec, model, replay, &p->track, &error);
    sn_model_destroy(model);
    sn_spec_destroy(spec);
    return cli_fail_file(p->cli, status, &error, p->from);
}

static snStatus load(snPlot *p)
{
    bool table = cli_ends_with(p->from, ".sto") || cli_ends_with(p->from, ".csv") || cli_ends_with(p->from, ".mot");
    snTrack *replay = NULL;
    if (table && is_of_fibres(p))
        return cli_fail(p->cli, SN_BAD_INPUT, "%s is a table: fibres need the replay, which has the paths", p->from);
    if (table) return cli_load_table(p->cli, p->from, &p->track);
    snStatus status = cli_load_replay(p->cli, p->from, &replay);
    if (status == SN_OK && strcmp(p->what->name, "error") == 0)
        status = load_error(p, replay);
    else if (status == SN_OK && is_of_fibres(p))
        status = load_fibres(p, replay);
    else
        p->track = replay, replay = NULL;
    if (replay) sn_track_destroy(replay);
    return status;
}

static int32_t count_columns(const snPlot *p)
{
    const snTrackDef *def = sn_track_def(p->track);
    int32_t count = 0;
    for (int32_t i = 0; i < def->nscalar; ++i)
        count += strncmp(def->scalar_name[i], p->what->prefix, strlen(p->what->prefix)) == 0;
    return count;
}

/* Line muscles have one force, called tension. Hundreds of muscles are drawn by groups, unless single ones are asked
 * for. */
static snStatus adapt(snPlot *p)
{
    const snQuantity *tension = p->what + 1;
    const char *by = cli_option_text(p->cli, "by", "");
    if (strcmp(p->what->name, "force") == 0 && count_columns(p) == 0) p->what = tension;
    int32_t there = count_columns(p);
    bool many = there > MOST_ROWS && !cli_given(p->cli, "muscle") && !cli_given(p->cli, "top");
    if (strcmp(by, "group") != 0 && (!many || *by)) return SN_OK;
    snTrack *grouped = NULL;
    snStatus status = cli_group_scalars(p->track, p->what->prefix, &grouped);
    if (status != SN_OK) return cli_fail(p->cli, status, "%s", sn_status_text(status));
    sn_track_destroy(p->track);
    p->track = grouped;
    if (many && !*by) cli_say(p->cli, "%d channels: drawn as means of their groups; --by single draws each\n", there);
    return SN_OK;
}

/* A family that is not installed is replaced by another one, which nobody should find out from the printed paper. */
static void tell_font(snCli *cli)
{
    static const char *const any[] = {"sans-serif", "sans", "serif", "monospace", "cursive", "fantasy", "system-ui"};
    const char *font = cli_option_text(cli, "font", "sans");
    char used[100];
    for (size_t i = 0; i < sizeof any / sizeof *any; ++i)
        if (strcasecmp(font, any[i]) == 0) return;
    sn_plot_font_used(font, used, sizeof used);
    if (used[0] && strcasecmp(font, used) != 0)
        cli_warn(cli, "the font '%s' is not installed; %s is used (fc-list : family lists the fonts)", font, used);
}

static snStatus run(snCli *cli)
{
    snPlot p = {.cli = cli, .from = cli->argument[0], .to = cli_option_text(cli, "o", NULL)};
    const char *what = cli_option_text(cli, "what", "activation");
    bool arms = strcmp(what, "moment-arms") == 0,
         table = cli_ends_with(p.to ? p.to : "", ".sto") || cli_ends_with(p.to ? p.to : "", ".csv");
    for (p.what = quantities; p.what->name && strcmp(p.what->name, what) != 0;) ++p.what;
    bool laws = strcmp(what, "force-length") == 0, analysis = !arms && !laws && !p.what->name;
    if (!p.to) return cli_fail(cli, SN_USAGE, "-o FILE is missing: a .svg, .pdf or .png to write");
    if (!cli_ends_with(p.to, ".svg") && !cli_ends_with(p.to, ".pdf") && !cli_ends_with(p.to, ".png") &&
        !(analysis && table))
        return cli_fail(cli, SN_USAGE, "-o %s: plots are .svg, .pdf or .png", p.to);
    snStatus status = cli_check_output(cli, p.to);
    if (status == SN_OK) tell_font(cli);
    if (status == SN_OK && arms) return cli_plot_arms(cli, p.from, p.to);
    if (status == SN_OK && laws) return cli_plot_laws(cli, p.from, p.to);
    if (status == SN_OK && analysis) return cli_plot_analysis(cli, what, p.from, p.to);
    if (status == SN_OK) status = load(&p);
    if (status == SN_OK) status = adapt(&p);
    if (status == SN_OK) status = choose_channels(&p);
    if (status == SN_OK) status = draw(&p);
    free(p.channel);
    if (p.track) sn_track_destroy(p.track);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "FILE", "the .svg, .pdf or .png to write; fascicles, sums, moment: also .sto or .csv", 0, 0},
    {"what", SN_OPTION_CHOICE,
     "activation|force|tension|length|fibre-length|fibre-velocity|angle|volume|area|error|moment-arms|fascicles|sums|"
     "moment|force-length",
     "what to plot (activation)", 0, 0},
    {"muscle", SN_OPTION_TEXT, "NAME", "only these: a name, a pattern such as 'FDP*', several with commas; repeatable",
     0, 0},
    {"top", SN_OPTION_COUNT, "N", "only the N that reach highest (length, angle: the N that change most)", 1, 1000},
    {"by", SN_OPTION_CHOICE, "single|group",
     "a row for each, or for the mean of the parts of a muscle (group above 200)", 0, 0},
    {"heat", SN_OPTION_FLAG, "", "a heat map, one row each; always used for more than 24", 0, 0},
    {"max", SN_OPTION_NUMBER, "VALUE",
     "end of the scale, in its unit (a round value above the largest): to compare plots", 1e-9, 1e12},
    {"motion", SN_OPTION_TEXT, "MOTION",
     "error: the motion that was followed, by name or path (the one that the report names)", 0, 0},
    {"model", SN_OPTION_TEXT, "MODEL",
     "error, fascicles, sums, moment: the model of the replay (the one that it names)", 0, 0},
    {"joint", SN_OPTION_TEXT, "JOINT",
     "moment-arms, moment, fascicles, sums: the joint coordinate, such as elbow.flexion", 0, 0},
    {"compare", SN_OPTION_TEXT, "FILE", "moment-arms: table of published ranges (that of the shipped model)", 0, 0},
    {"title", SN_OPTION_TEXT, "TEXT", "title of the plot", 0, 0},
    {"width", SN_OPTION_NUMBER, "PT", "width in points, 72 to an inch (360); a PNG has 3 pixels to a point", 100, 5000},
    {"height", SN_OPTION_NUMBER, "PT", "height of a line plot in points, at least (as the labels need)", 50, 5000},
    {"font", SN_OPTION_TEXT, "FAMILY", "font, such as 'Linux Libertine' (sans-serif)", 0, 0},
    {"font-size", SN_OPTION_NUMBER, "PT", "size of ordinary text in points (9)", 4, 72},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_plot = {
    .name = "plot",
    .arguments = "RESULT|MODEL -o FILE",
    .about = "Plot activations, forces, lengths, tracking error or moment arms as SVG, PDF or PNG",
    .details =
        "RESULT is a replay (.replay.xml .replay.xml.gz .replay.bin) or a table (.sto .csv). Up to 24 channels are "
        "drawn as\n"
        "lines, more as a heat map.\n"
        "Force is the force at the insertion; error is the distance of the bones' vertices from the motion. Fibre "
        "length\n"
        "is the length of the belly along its path; fibre velocity is its rate, negative while it shortens.\n"
        "These draw a replay: fascicles, the force at the insertion and the length of each strand of a muscle\n"
        "(--muscle GROUP); sums, the same added up for each muscle; moment, what each muscle contributes to the "
        "moment\n"
        "about a joint (--joint). With --joint the first two show these moments too.\n"
        "These take a model as RESULT: moment-arms, the arms of its tendons over the range of a joint, with the "
        "published\n"
        "ranges behind them; force-length, its laws. force-length also takes a force-length file, or built-in laws "
        "such as\n"
        "hill-active,hill-passive.",
    .example = "sinew plot out.replay.xml --muscle 'FDP*' -o flexors.svg",
    .output = "flexors.svg: activation of 4, 171 frames, as lines",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
