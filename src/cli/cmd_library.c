/* sinew library: equilibria of soft muscles over pose and activation, for blending. */
#include "compare.h"
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 2, NAMES = 4096 };
static const double DEGREE = 3.14159265358979323846 / 180;

/* COORDINATE=N or COORDINATE=N,LOW,HIGH in degrees (m for a sliding one). */
static snStatus read_axis(snCli *cli, const char *text, char *name, size_t size, snLibraryAxisDef *axis)
{
    const char *equal = strchr(text, '=');
    char *end = NULL;
    if (!equal || (size_t)(equal - text) >= size)
        return cli_fail(cli, SN_USAGE, "--axis %s: expected COORDINATE=N or COORDINATE=N,LOW,HIGH", text);
    (void)snprintf(name, size, "%.*s", (int)(equal - text), text);
    *axis = (snLibraryAxisDef){.coordinate = name, .samples = (int32_t)strtol(equal + 1, &end, 10)};
    if (*end == ',') {
        axis->low = strtod(end + 1, &end);
        if (*end == ',')
            axis->high = strtod(end + 1, &end);
        else
            return cli_fail(cli, SN_USAGE, "--axis %s: the upper end is missing", text);
        double unit = cli_given(cli, "metres") ? 1 : DEGREE;
        axis->low *= unit, axis->high *= unit;
    }
    if (*end || axis->samples < 2)
        return cli_fail(cli, SN_USAGE, "--axis %s: expected COORDINATE=N with at least 2 samples", text);
    return SN_OK;
}

static void say_muscle(snCli *cli, const snLibraryInfo *m)
{
    cli_say(cli, "%s: %d vertices, %d samples", m->name, (int)m->vertices, (int)m->samples);
    for (int32_t a = 0; a < m->axes; ++a) {
        double unit = m->angle[a] ? 1 / DEGREE : 1;
        cli_say(cli, "%s %s %.3g..%.3g (%d)", a ? "," : " over", m->axis[a], unit * m->low[a], unit * m->high[a],
                (int)m->axis_samples[a]);
    }
    cli_say(
        cli,
        "\n  largest jump %.2f mm, at middles %.2f mm rms and %.2f at most, volume at least %.4f (%.2f at a point), ",
        m->jump * 1e3, m->midpoint_rms * 1e3, m->midpoint_max * 1e3, m->least_volume, m->least_ratio);
    cli_say(cli, "%.2f mm deep in bones\n", m->contact_depth * 1e3);
    if (m->note[0])
        cli_warn(cli,
                 "%s: %s, because beyond it the muscle snaps by more than the allowed jump or finds no equilibrium",
                 m->name, m->note);
}

/* A warning and an entry for each muscle that could not be made. */
static void say_left_out(snCli *cli, const char *lines)
{
    char name[128];
    json_open(&cli->json, "left_out", '[');
    for (const char *at = lines; *at;) {
        int length = (int)strcspn(at, "\n"), colon = (int)strcspn(at, ":");
        (void)snprintf(name, sizeof name, "%.*s", colon, at);
        cli_warn(cli, "left out %.*s", length, at);
        json_string(&cli->json, NULL, name);
        at += length + (at[length] == '\n');
    }
    json_close(&cli->json, ']');
}

static void report(snCli *cli, const snLibrary *library)
{
    say_left_out(cli, sn_library_left_out(library));
    snLibraryTimes t = sn_library_times(library);
    double jump = 0;
    json_open(&cli->json, "muscles", '[');
    for (int32_t i = 0; i < sn_library_count(library); ++i) {
        snLibraryInfo m;
        (void)sn_library_info(library, i, &m);
        say_muscle(cli, &m);
        jump = fmax(jump, m.jump);
        json_open(&cli->json, NULL, '{');
        json_string(&cli->json, "name", m.name);
        json_integer(&cli->json, "vertices", m.vertices);
        json_integer(&cli->json, "samples", m.samples);
        json_open(&cli->json, "axes", '[');
        for (int32_t a = 0; a < m.axes; ++a) {
            json_open(&cli->json, NULL, '{');
            json_string(&cli->json, "name", m.axis[a]);
            json_integer(&cli->json, "samples", m.axis_samples[a]);
            json_number(&cli->json, "low", m.low[a]), json_number(&cli->json, "high", m.high[a]);
            json_close(&cli->json, '}');
        }
        json_close(&cli->json, ']');
        json_number(&cli->json, "jump_mm", m.jump * 1e3);
        json_number(&cli->json, "step_mm", m.step * 1e3);
        json_number(&cli->json, "midpoint_rms_mm", m.midpoint_rms * 1e3);
        json_number(&cli->json, "midpoint_max_mm", m.midpoint_max * 1e3);
        json_number(&cli->json, "left_out_mm", m.left_out * 1e3);
        json_number(&cli->json, "least_volume", m.least_volume);
        json_number(&cli->json, "least_ratio", m.least_ratio);
        json_number(&cli->json, "contact_depth_mm", m.contact_depth * 1e3);
        json_number(&cli->json, "residual", m.residual);
        json_string(&cli->json, "note", m.note);
        json_close(&cli->json, '}');
    }
    json_close(&cli->json, ']');
    json_number(&cli->json, "largest_jump_mm", jump * 1e3);
    json_integer(&cli->json, "solves", t.solves);
    json_number(&cli->json, "sample_ms_mean", t.mean * 1e3);
    json_number(&cli->json, "sample_ms_worst", t.worst * 1e3);
    json_number(&cli->json, "seconds", t.seconds);
    cli_say(cli, "%d solves of %.1f ms on average, %.1f at most; %.2f s in all\n", (int)t.solves, t.mean * 1e3,
            t.worst * 1e3, t.seconds);
}

static snStatus read_options(snCli *cli, snLibraryDef *def, snLibraryAxisDef axis[MOST_AXES], char name[MOST_AXES][128],
                             char names[NAMES])
{
    const char *text;
    size_t used = 0;
    *def = sn_default_library_def();
    names[0] = 0;
    for (int i = 0; (text = cli_option_nth(cli, "muscle", i)) != NULL; ++i) {
        used += (size_t)snprintf(names + used, NAMES - used, "%s%s", i ? " " : "", text);
        if (used >= NAMES) return cli_fail(cli, SN_USAGE, "--muscle: too many names");
    }
    def->muscle = names[0] ? names : NULL;
    def->every = cli_given(cli, "every");
    def->mesh = cli_option_text(cli, "mesh", NULL);
    def->activations = (int32_t)cli_option_number(cli, "activations", def->activations);
    def->points = (int32_t)cli_option_number(cli, "points", def->points);
    def->mu = 1e3 * cli_option_number(cli, "mu", def->mu / 1e3);
    def->bulk = cli_option_number(cli, "bulk", def->bulk);
    def->prestretch = cli_option_number(cli, "prestretch", def->prestretch);
    def->tone = cli_option_number(cli, "tone", def->tone);
    def->jump = cli_option_number(cli, "jump", def->jump * 1e3) / 1e3;
    def->midpoint = cli_option_number(cli, "midpoint", def->midpoint * 1e3) / 1e3;
    def->most_samples = (int32_t)cli_option_number(cli, "most", def->most_samples);
    def->contact = !cli_given(cli, "no-contact");
    def->threads = cli->threads;
    def->progress = cli_progress_callback(cli);
    for (int i = 0; (text = cli_option_nth(cli, "axis", i)) != NULL; ++i) {
        if (i == MOST_AXES) return cli_fail(cli, SN_USAGE, "--axis can be given twice at most");
        snStatus status = read_axis(cli, text, name[i], sizeof name[i], axis + i);
        if (status != SN_OK) return status;
        def->naxis = i + 1;
    }
    def->axis = axis;
    return SN_OK;
}

/* Saves what is finished: Ctrl-C, a crash or a power cut loses one muscle at most. */
typedef struct keeper {
    snCli *cli;
    const char *path;
} keeper;

static snStatus keep(void *user, const snLibrary *so_far)
{
    const keeper *k = user;
    snError error = {0};
    return cli_fail_file(k->cli, sn_save_library(so_far, k->path, &error), &error, k->path);
}

static snStatus run(snCli *cli)
{
    const char *out = cli_option_text(cli, "o", NULL);
    snSpec *spec = NULL;
    snLibrary *library = NULL, *known = NULL;
    keeper keeping = {cli, out};
    snLibraryDef def;
    snLibraryAxisDef axis[MOST_AXES];
    char name[MOST_AXES][128], names[NAMES];
    snError error = {0};
    snStatus status;
    if (cli_given(cli, "compare")) {
        status = cli_load_model(cli, cli->argument[0], &spec);
        if (status == SN_OK) status = read_options(cli, &def, axis, name, names);
        if (status == SN_OK) status = cli_compare_muscle(cli, spec, &def);
        if (spec) sn_spec_destroy(spec);
        return status;
    }
    if (!out) return cli_fail(cli, SN_USAGE, "-o FILE.library is missing");
    if (!cli_ends_with(out, ".library")) return cli_fail(cli, SN_USAGE, "-o %s: expected a .library", out);
    status = cli_check_output(cli, out);
    if (status == SN_OK) status = cli_load_model(cli, cli->argument[0], &spec);
    if (status == SN_OK) status = read_options(cli, &def, axis, name, names);
    if (status == SN_OK && cli_given(cli, "resume") && cli_file_size(out) > 0)
        status = cli_fail_file(cli, sn_load_library(out, &known, &error), &error, out);
    if (status == SN_OK) {
        def.known = known, def.finished = keep, def.user = &keeping;
        status = sn_create_library(spec, &def, &library, &error);
        cli_progress_end(cli);
        if (status != SN_OK && status != SN_CANCELLED) status = cli_fail_file(cli, status, &error, cli->argument[0]);
    }
    if (library) { /* interrupted: the muscles that are finished are kept */
        snStatus saved = cli_fail_file(cli, sn_save_library(library, out, &error), &error, out);
        if (saved == SN_OK) report(cli, library), cli_say(cli, "%s\n", out), json_string(&cli->json, "library", out);
        if (saved == SN_OK && status == SN_CANCELLED)
            cli_warn(cli, "interrupted; run the same command with --resume to make the missing muscles");
        if (saved != SN_OK) status = saved;
    }
    sn_library_destroy(library);
    sn_library_destroy(known);
    if (spec) sn_spec_destroy(spec);
    return status;
}

static const snOption options[] = {
    {"muscle", SN_OPTION_TEXT, "NAME",
     "a muscle: a group, or a mesh after which groups are named; may be repeated (all that have a mesh)", 0, 0},
    {"every", SN_OPTION_FLAG, "", "without --muscle: every group, also those without a mesh", 0, 0},
    {"mesh", SN_OPTION_TEXT, "NODE", "closed mesh of the muscle (found by name; without one, made around the strands)",
     0, 0},
    {"axis", SN_OPTION_TEXT, "J=N[,LOW,HIGH]", "joint coordinate, samples, range in degrees; may be given twice", 0, 0},
    {"metres", SN_OPTION_FLAG, "", "the range of --axis is in metres (sliding joints)", 0, 0},
    {"activations", SN_OPTION_COUNT, "N", "samples from tone to full activation (3)", 1, 17},
    {"points", SN_OPTION_COUNT, "N", "points in each muscle (400)", 60, 5000},
    {"mu", SN_OPTION_NUMBER, "KPA", "shear modulus of the matrix between the fibres (25)", 0.1, 1000},
    {"bulk", SN_OPTION_NUMBER, "RATIO", "lambda over mu: resistance to a change of volume (120)", 5, 2000},
    {"prestretch", SN_OPTION_NUMBER, "P", "stretch of the fibres as drawn (1.1)", 0.5, 2},
    {"tone", SN_OPTION_NUMBER, "A", "lowest activation (0.1)", 0, 0.9},
    {"jump", SN_OPTION_NUMBER, "MM", "largest difference between shapes reached from two neighbours (5)", 0.1, 1000},
    {"midpoint", SN_OPTION_NUMBER, "MM", "divide a cell if blending is off by more in its middle (1)", 0.01, 1000},
    {"most", SN_OPTION_COUNT, "N", "most samples along an axis after dividing (9)", 2, 17},
    {"no-contact", SN_OPTION_FLAG, "", "let the muscle pass through bones", 0, 0},
    {"resume", SN_OPTION_FLAG, "", "keep the muscles that FILE.library has already, and add those it lacks", 0, 0},
    {"compare", SN_OPTION_FLAG, "",
     "instead of a library: the muscle as strands, points, elements and flesh, side by side", 0, 0},
    {"plot", SN_OPTION_TEXT, "FILE", "with --compare: the comparison as .svg, .png or .pdf", 0, 0},
    {"o", SN_OPTION_TEXT, "FILE.library", "where to write the library", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_library = {
    .name = "library",
    .arguments = "MODEL [--muscle NAME] [--axis J=N] -o FILE.library",
    .about = "Compute the shapes of soft muscles over pose and activation",
    .details = "Each muscle is filled with points that resist like muscle and pull along its strands. It is brought to "
               "equilibrium\n"
               "at samples of joint coordinates and activation, each starting from a neighbour that is already solved. "
               "Where blending\n"
               "is inaccurate, samples are added. Where the shape depends on the neighbour it started from (the muscle "
               "snaps), the\n"
               "range is reduced, and the library says so. Play it with sinew export REPLAY --library FILE.",
    .example =
        "sinew library spindle --muscle belly --axis slide.0=3,-0.01,0.01 --metres --points 150 -o spindle.library",
    .output = "belly: 578 vertices, 9 samples over slide.0 -0.01..0.01 (3), activation 0.1..1 (3)\n...",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
