/* sinew strands: fills a muscle mesh of a model with strands (AutoStrands). */
#include "strands_live.h"

#include <string.h>

/* The values of --from, separated by blanks. */
static void gather_inputs(const snCli *cli, snText *names)
{
    for (int i = 0; i < cli->nset; ++i)
        if (strcmp(cli->set[i]->name, "from") == 0)
            text_add(names, "%s%s", names->length ? " " : "", cli->set_value[i]);
}

static snFillDef read_options(const snCli *cli, const char *inputs)
{
    snFillDef def = sn_default_fill_def();
    def.mesh = cli_option_text(cli, "mesh", NULL);
    def.strands = inputs;
    def.group = cli_option_text(cli, "group", "");
    def.type = cli_given(cli, "sheet") ? SN_GROUP_SHEET : SN_GROUP_VOLUMETRIC;
    def.preserve = cli_given(cli, "preserve");
    def.struts = (int32_t)cli_option_number(cli, "struts", 0);
    def.steps = (int32_t)cli_option_number(cli, "steps", def.steps);
    snAutoStrandsDef *fill = &def.fill;
    fill->count = (int32_t)cli_option_number(cli, "count", 0);
    fill->samples = (int32_t)cli_option_number(cli, "samples", fill->samples);
    fill->control_points = (int32_t)cli_option_number(cli, "control-points", fill->control_points);
    fill->stiffness = cli_option_number(cli, "stiffness", fill->stiffness);
    fill->repulsion = cli_option_number(cli, "repulsion", fill->repulsion);
    fill->tolerance = cli_option_number(cli, "tolerance", 1e3 * fill->tolerance) / 1e3;
    if (cli_given(cli, "attachment-radius"))
        fill->attachment_radius = cli_option_number(cli, "attachment-radius", 0) / 1e3;
    return def;
}

static void say_report(snCli *cli, const snFillReport *report, const char *out)
{
    const snAutoStrandsQuality *q = &report->quality;
    const snMuscleMeasure *m = &report->muscle;
    cli_say(cli, "%d strands after %d steps\n", (int)report->strands, (int)report->steps);
    if (!report->converged)
        cli_warn(cli,
                 "the strands still move after %d steps: they are not spread as evenly as they could be; --steps N "
                 "allows more",
                 (int)report->steps);
    if (q->crossings)
        cli_warn(cli, "%d pairs of neighbours change sides along the muscle: draw more input strands through it",
                 (int)q->crossings);
    cli_say(cli, "spacing %.2f mm, variation %.2f; crossings %d\n", q->spacing * 1e3, q->spacing_variation,
            (int)q->crossings);
    cli_say(cli, "wall %.2f mm away, at least %.2f mm; outside by at most %.3f mm\n", q->wall * 1e3,
            q->wall_least * 1e3, q->outside * 1e3);
    cli_say(cli, "largest bend between samples %.1f deg\n", q->bend);
    cli_say(cli, "volume %.2f cm^3, mean fibre length %.1f mm, physiological cross-section %.2f cm^2\n",
            m->volume * 1e6, m->fiber_length * 1e3, m->cross_section * 1e4);
    cli_say(cli, "%s\n", out);
    json_integer(&cli->json, "strands", report->strands);
    json_integer(&cli->json, "steps", report->steps);
    json_boolean(&cli->json, "converged", report->converged);
    json_number(&cli->json, "spacing", q->spacing);
    json_number(&cli->json, "spacing_variation", q->spacing_variation);
    json_integer(&cli->json, "crossings", q->crossings);
    json_number(&cli->json, "outside", q->outside);
    json_number(&cli->json, "wall", q->wall);
    json_number(&cli->json, "wall_least", q->wall_least);
    json_number(&cli->json, "bend", q->bend);
    json_number(&cli->json, "volume", m->volume);
    json_number(&cli->json, "fiber_length", m->fiber_length);
    json_number(&cli->json, "cross_section", m->cross_section);
    json_string(&cli->json, "model", out);
}

static snStatus fill(snCli *cli, const snSpec *spec, snFillDef *def, const char *out)
{
    snError error = {0};
    snStrandsLive live;
    if (cli_given(cli, "live")) cli_watch_strands(cli, &live, def);
    snFillReport report;
    snSpec *filled = NULL;
    snStatus status = sn_fill_muscle(spec, def, cli_progress_callback(cli), &filled, &report, &error);
    cli_progress_end(cli);
    if (status != SN_OK) return cli_fail_error(cli, &error);
    status = sn_save_model(filled, out, &error);
    sn_spec_destroy(filled);
    if (status == SN_OK) say_report(cli, &report, out);
    return cli_fail_file(cli, status, &error, out);
}

static snStatus run(snCli *cli)
{
    const char *out = cli_option_text(cli, "o", NULL);
    static const char *const needed[] = {"mesh", "from", "count", "o"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; ++i)
        if (!cli_given(cli, needed[i]))
            return cli_fail(cli, SN_USAGE, "%s%s is missing", needed[i][1] ? "--" : "-", needed[i]);
    if (cli_given(cli, "struts") && !cli_given(cli, "sheet"))
        return cli_fail(cli, SN_USAGE, "--struts needs --sheet; use --preserve for a volumetric group");
    if (cli_given(cli, "preserve") && cli_given(cli, "sheet"))
        return cli_fail(cli, SN_USAGE, "--preserve is for volumetric groups; use --struts for a sheet");
    if (!cli_ends_with(out, ".muscle.xml")) return cli_fail(cli, SN_USAGE, "-o %s: expected a .muscle.xml", out);
    snStatus status = cli_check_output(cli, out);
    snSpec *spec = NULL;
    if (status == SN_OK) status = cli_load_model(cli, cli->argument[0], &spec);
    if (status != SN_OK) return status;
    snText inputs = {0};
    gather_inputs(cli, &inputs);
    snFillDef def = read_options(cli, inputs.text);
    status = inputs.text ? fill(cli, spec, &def, out) : SN_NO_MEMORY;
    text_free(&inputs);
    sn_spec_destroy(spec);
    return status;
}

static const snOption options[] = {
    {"mesh", SN_OPTION_TEXT, "NODE", "closed mesh of the scene to be filled", 0, 0},
    {"from", SN_OPTION_TEXT, "STRAND", "strand that runs through it from origin to insertion; may be repeated", 0, 0},
    {"count", SN_OPTION_COUNT, "N", "total number of strands", 1, 10000},
    {"o", SN_OPTION_TEXT, "OUT", "the new model, a .muscle.xml", 0, 0},
    {"group", SN_OPTION_TEXT, "NAME", "name of the muscle group (the mesh's name)", 0, 0},
    {"sheet", SN_OPTION_FLAG, "", "a sheet rather than a volumetric group", 0, 0},
    {"struts", SN_OPTION_COUNT, "N", "with --sheet: struts between each two neighbours, which keep the spacing", 1,
     1000},
    {"preserve", SN_OPTION_FLAG, "", "the group keeps its volume when it moves", 0, 0},
    {"samples", SN_OPTION_COUNT, "N", "points of a strand while it relaxes (24)", 4, 512},
    {"control-points", SN_OPTION_COUNT, "N", "control points of the finished curves (12); 0: as many as samples", 0,
     512},
    {"stiffness", SN_OPTION_NUMBER, "K", "how strongly strands straighten (10)", 0, 1e6},
    {"repulsion", SN_OPTION_NUMBER, "K", "how strongly strands keep away from their neighbours (1)", 1e-6, 1e6},
    {"attachment-radius", SN_OPTION_NUMBER, "MM",
     "keep the ends this close to the input's; 0: share them (the whole section)", 0, 1e6},
    {"tolerance", SN_OPTION_NUMBER, "MM", "how far an input may be outside the mesh (1)", 0, 1e6},
    {"steps", SN_OPTION_COUNT, "N", "most steps of the relaxation (400)", 1, 100000},
    {"live", SN_OPTION_FLAG, "", "print the strands after each step and listen on stdin, see above", 0, 0},
    {"pace", SN_OPTION_NUMBER, "N", "with --live: steps a second at most (30); 0: as fast as it can", 0, 1e6},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_strands = {
    .name = "strands",
    .arguments = "MODEL --mesh NODE --from STRAND --count N -o OUT",
    .about = "Fill a muscle mesh with evenly spread strands",
    .details = "The strands get the attributes and attachments of those they are made from (which are disabled) and an "
               "equal share\n"
               "of their force and of the muscle's physiological cross-section, and become one muscle group.\n"
               "With --live each step is a JSON object on a line of stdout: step, moved (over the spacing), converged, "
               "strands,\n"
               "control_points, points (m, in the world, strand after strand); the first also has inputs (which one "
               "each strand copies).\n"
               "It reads lines such as {\"stiffness\": 20, \"repulsion\": 2, \"control_points\": 8}, {\"pause\": "
               "true}, {\"pause\": false},\n"
               "{\"finish\": true} (keep what is there) and {\"cancel\": true}. Once converged, it waits for more "
               "lines; at the end of\n"
               "stdin it runs to convergence and finishes.",
    .example =
        "sinew strands arm.muscle.xml --mesh biceps_mesh --from biceps --count 20 --group belly -o full.muscle.xml",
    .output = "20 strands after 46 steps",
    .least = 1,
    .most = 1,
    .options = options,
    .run = run,
};
