/* sinew certify: moment arms by two ways, jumps and kinks, of every muscle about every coordinate. */
#include "coordinates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREES = 57.29577951308232;
static const double ROUNDING = 1e-7; /* m: less than this differs from machine to machine */
enum { SHOWN = 20 };

typedef struct snCertifyRun {
    snCli *cli;
    snModel *model;
    snCertificate *result;
    int32_t random; /* poses asked for */
} snCertifyRun;

static const char *coordinate_of(const snCertifyRun *run, int32_t coordinate)
{
    return sn_name(run->model, SN_ITEM_COORDINATE, coordinate);
}

static bool has_pair(const snCertificate *c, int32_t strand, int32_t coordinate)
{
    for (int32_t i = 0; i < c->npair; ++i)
        if (c->pair[i].strand == strand || c->pair[i].coordinate == coordinate) return true;
    return false;
}

/* What has no arm at all: muscles first, then coordinates. */
static void say_idle(snCertifyRun *run)
{
    const snModel *m = run->model;
    int32_t muscles = sn_count(m, cli_is_tree(m) ? SN_ITEM_LINE : SN_ITEM_STRAND), idle = 0;
    json_open(&run->cli->json, "idle_muscles", '[');
    for (int32_t i = 0; i < muscles; ++i) {
        if (has_pair(run->result, i, -1)) continue;
        json_string(&run->cli->json, NULL, cli_strand_name(m, i));
        if (idle++ < SHOWN) cli_say(run->cli, "%s%s", idle > 1 ? ", " : "across no joint: ", cli_strand_name(m, i));
    }
    if (idle) cli_say(run->cli, idle > SHOWN ? " and %d more\n" : "\n", idle - SHOWN);
    json_close(&run->cli->json, ']');
    idle = 0;
    json_open(&run->cli->json, "idle_coordinates", '[');
    for (int32_t i = 0; i < sn_count(m, SN_ITEM_COORDINATE); ++i) {
        if (has_pair(run->result, -1, i)) continue;
        json_string(&run->cli->json, NULL, coordinate_of(run, i));
        if (idle++ < SHOWN)
            cli_say(run->cli, "%s%s",
                    idle > 1 ? ", " : "coordinates without a muscle of their own: ", coordinate_of(run, i));
    }
    if (idle) cli_say(run->cli, idle > SHOWN ? " and %d more\n" : "\n", idle - SHOWN);
    json_close(&run->cli->json, ']');
}

/* ---- the tables --------------------------------------------------------------------------- */

static void say_pair(snCertifyRun *run, const snCertifyPair *p)
{
    snJson *json = &run->cli->json;
    double unit = p->slides ? 1000 : DEGREES;
    bool listed = cli_given(run->cli, "list") || p->njump;
    if (listed)
        cli_say(run->cli, "%-16s %-24s %8.4g to %-8.4g %9.2f %9.2f %9.4f %9.3f %6d\n",
                cli_strand_name(run->model, p->strand), sn_coordinate_title(run->model, p->coordinate),
                unit * p->range[0], unit * p->range[1], 1000 * p->mean, 1000 * p->neutral, 1000 * p->worst,
                1000 * p->steepest, p->njump);
    json_open(json, NULL, '{');
    json_string(json, "muscle", cli_strand_name(run->model, p->strand));
    json_string(json, "coordinate", coordinate_of(run, p->coordinate));
    json_number(json, "mean_mm", 1000 * p->mean);
    json_number(json, "neutral_mm", 1000 * p->neutral);
    json_number(json, "worst_difference_mm", 1000 * p->worst);
    json_number(json, "steepest_mm", 1000 * p->steepest);
    json_integer(json, "jumps", p->njump);
    json_close(json, '}');
}

static void say_pairs(snCertifyRun *run)
{
    const snCertificate *c = run->result;
    int32_t jumping = 0;
    for (int32_t i = 0; i < c->npair; ++i) jumping += c->pair[i].njump > 0;
    if (cli_given(run->cli, "list") || jumping)
        cli_say(run->cli, "%-16s %-24s %20s %9s %9s %9s %9s %6s\n", "muscle", "coordinate", "range deg or mm",
                "mean mm", "at rest", "differ", "steepest", "jumps");
    json_integer(&run->cli->json, "pairs", c->npair);
    json_integer(&run->cli->json, "jumping_pairs", jumping);
    json_open(&run->cli->json, "moment_arms", '[');
    for (int32_t i = 0; i < c->npair; ++i) say_pair(run, &c->pair[i]);
    json_close(&run->cli->json, ']');
}

static void say_jump(snCertifyRun *run, const snJump *j, bool say)
{
    snJson *json = &run->cli->json;
    double value = j->slides ? 1000 * j->value : DEGREES * j->value;
    const char *kind = j->kind == SN_JUMP_LENGTH ? "length" : "arm";
    if (say)
        cli_say(run->cli, "  %-6s %8.3f mm  %-16s %-24s at %9.3f %s, from %.3f to %.3f mm%s%.0d\n", kind,
                1000 * j->size, cli_strand_name(run->model, j->strand), sn_coordinate_title(run->model, j->coordinate),
                value, j->slides ? "mm" : "degrees", 1000 * j->before, 1000 * j->after, j->pose ? ", pose " : "",
                j->pose);
    json_open(json, NULL, '{');
    json_string(json, "kind", kind);
    json_string(json, "muscle", cli_strand_name(run->model, j->strand));
    json_string(json, "coordinate", coordinate_of(run, j->coordinate));
    json_number(json, j->slides ? "value_mm" : "value_deg", value);
    json_number(json, "size_mm", 1000 * j->size);
    json_number(json, "before_mm", 1000 * j->before);
    json_number(json, "after_mm", 1000 * j->after);
    json_integer(json, "pose", j->pose);
    json_close(json, '}');
}

static void say_jumps(snCertifyRun *run)
{
    const snCertificate *c = run->result;
    int32_t shown = cli_given(run->cli, "list") ? c->njump : SHOWN, lengths = 0;
    for (int32_t i = 0; i < c->njump; ++i) lengths += c->jump[i].kind == SN_JUMP_LENGTH;
    if (c->njump)
        cli_say(run->cli, "\n%d jumps: %d of a length, %d of an arm only (kinks). The largest first:\n", c->njump,
                lengths, c->njump - lengths);
    json_open(&run->cli->json, "jumps", '[');
    for (int32_t i = 0; i < c->njump; ++i) say_jump(run, &c->jump[i], i < shown);
    json_close(&run->cli->json, ']');
    if (c->njump > shown) cli_say(run->cli, "  and %d smaller ones: --list or --json shows all\n", c->njump - shown);
    json_integer(&run->cli->json, "length_jumps", lengths);
    json_integer(&run->cli->json, "arm_jumps", c->njump - lengths);
    json_number(&run->cli->json, "worst_jump_mm", c->njump ? 1000 * c->jump[0].size : 0);
}

static void say_steepest(snCertifyRun *run)
{
    const snCertificate *c = run->result;
    const snCertifyPair *p = c->pair;
    for (int32_t i = 1; i < c->npair; ++i)
        if (c->pair[i].steepest > p->steepest) p = &c->pair[i];
    cli_say(run->cli, "steepest arm: %.3g mm from one pose to the next (%s about %s)\n", 1000 * p->steepest,
            cli_strand_name(run->model, p->strand), sn_coordinate_title(run->model, p->coordinate));
}

static void say_all(snCertifyRun *run)
{
    snCli *cli = run->cli;
    const snCertificate *c = run->result;
    const snCertifyPair *worst = &c->pair[c->worst_pair];
    json_string(&cli->json, "model", cli->argument[0]);
    say_pairs(run);
    say_jumps(run);
    cli_say(cli,
            "%s%d pairs of muscle and coordinate, %d random poses, %lld arms compared: both ways differ by at most "
            "%.4f mm",
            c->njump ? "\n" : "", c->npair, c->poses, (long long)c->measured, 1000 * c->worst_difference);
    if (c->worst_difference > ROUNDING)
        cli_say(cli, " (%s about %s)", cli_strand_name(run->model, worst->strand),
                sn_coordinate_title(run->model, worst->coordinate));
    cli_say(cli, "\n");
    if (!c->njump) cli_say(cli, "no jumps\n");
    say_steepest(run);
    if (!c->poses)
        cli_say(cli, "no random poses: each coordinate was moved alone%s\n",
                run->random               ? ""
                : cli_is_tree(run->model) ? ""
                                          : "; --poses N adds some, about a second each");
    if (c->slack) cli_say(cli, "slack, so without an arm: %lld\n", (long long)c->slack);
    json_number(&cli->json, "worst_difference_mm", 1000 * c->worst_difference);
    json_integer(&cli->json, "compared", c->measured);
    json_integer(&cli->json, "slack", c->slack);
    json_integer(&cli->json, "poses", c->poses);
    say_idle(run);
}

static snStatus save_csv(snCertifyRun *run)
{
    const char *path = cli_option_text(run->cli, "o", NULL);
    const snCertificate *c = run->result;
    snText text = {0};
    if (!path) return SN_OK;
    text_add(&text, "# pair: arm over the range, mm; jump: of a length or an arm, at an angle in degrees (a length in "
                    "mm), mm\nrow,muscle,coordinate,mean,neutral,worst_difference,steepest,value,size,before,after,"
                    "pose\n");
    for (int32_t i = 0; i < c->npair; ++i) {
        const snCertifyPair *p = &c->pair[i];
        text_add(&text, "pair,%s,%s,%.9g,%.9g,%.9g,%.9g,,,,,\n", cli_strand_name(run->model, p->strand),
                 coordinate_of(run, p->coordinate), 1000 * p->mean, 1000 * p->neutral, 1000 * p->worst,
                 1000 * p->steepest);
    }
    for (int32_t i = 0; i < c->njump; ++i) {
        const snJump *j = &c->jump[i];
        text_add(&text, "%s jump,%s,%s,,,,,%.9g,%.9g,%.9g,%.9g,%d\n", j->kind == SN_JUMP_LENGTH ? "length" : "arm",
                 cli_strand_name(run->model, j->strand), coordinate_of(run, j->coordinate),
                 (j->slides ? 1000 : DEGREES) * j->value, 1000 * j->size, 1000 * j->before, 1000 * j->after, j->pose);
    }
    snStatus status = text.text ? cli_save_text(run->cli, path, text.text) : SN_NO_MEMORY;
    text_free(&text);
    if (status == SN_OK) cli_say(run->cli, "wrote %s\n", path);
    return status;
}

/* ---- the command --------------------------------------------------------------------------- */

static snStatus measure(snCertifyRun *run)
{
    snCli *cli = run->cli;
    snCertifyDef def = sn_default_certify_def();
    snError error = {0};
    run->random = def.poses = (int32_t)cli_option_number(cli, "poses", cli_is_tree(run->model) ? def.poses : 0);
    def.seed = (uint64_t)cli_option_number(cli, "seed", 1);
    def.length_jump = cli_option_number(cli, "length-jump", 1000 * def.length_jump) / 1000;
    def.arm_jump = cli_option_number(cli, "arm-jump", 1000 * def.arm_jump) / 1000;
    if (cli_given(cli, "threads")) def.threads = cli->threads;
    def.progress = cli_progress_callback(cli);
    snStatus status = sn_certify(run->model, &def, &run->result, &error);
    error.status = status;
    return status == SN_OK ? SN_OK : cli_fail_error(cli, &error);
}

static snStatus certify_run(snCli *cli)
{
    snCertifyRun run = {.cli = cli};
    const char *to = cli_option_text(cli, "o", NULL);
    snStatus status = to ? cli_check_output(cli, to) : SN_OK;
    if (status == SN_OK) status = cli_compile_model(cli, cli->argument[0], NULL, &run.model);
    if (status == SN_OK) status = measure(&run);
    if (status == SN_OK) {
        say_all(&run);
        status = save_csv(&run);
    }
    if (status == SN_OK && cli_given(cli, "strict") && run.result->njump)
        status = cli_fail(cli, SN_FAILED, "--strict: %d jumps were found", run.result->njump);
    if (run.result) sn_certificate_destroy(run.result);
    if (run.model) sn_model_destroy(run.model);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "FILE", "write pairs and jumps as CSV", 0, 0},
    {"list", SN_OPTION_FLAG, "", "show every pair and every jump, not only the largest", 0, 0},
    {"poses", SN_OPTION_COUNT, "N", "random poses (200; a model of strands: 0, as each takes about a second)", 0, 1e6},
    {"seed", SN_OPTION_COUNT, "N", "random seed of the poses (1)", 0, 1e15},
    {"length-jump", SN_OPTION_NUMBER, "MM", "smallest jump of a length to report, mm (0.01; strands: 0.5)", 1e-6, 1e3},
    {"arm-jump", SN_OPTION_NUMBER, "MM", "smallest jump of a moment arm to report, mm (0.1; strands: 1)", 1e-6, 1e3},
    {"strict", SN_OPTION_FLAG, "", "a jump is an error", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_certify = {
    .name = "certify",
    .arguments = "MODEL",
    .about = "Check that muscle lengths and moment arms agree and do not jump",
    .details = "Moves every coordinate through its range, alone and at random poses of the others, and compares the "
               "moment arms that the\n"
               "simulation uses with differences of muscle length. Reports every place where a length jumps (the path "
               "flips to another\n"
               "side, or leaves a wrap that it was inside) or an arm does (a kink), with muscle, coordinate, angle and "
               "size. Columns: mean\n"
               "over the range and value at rest, worst difference of the two ways, largest change of the arm from one "
               "degree to the\n"
               "next. Fails if nothing could be measured.",
    .example = "sinew certify hand-clinical",
    .output = "197 pairs of muscle and coordinate, 200 random poses, 191942 arms compared: both ways differ by at most "
              "0.0000 mm\nno jumps\nsteepest arm: 0.634 mm from one pose to the next (ADP_t about cmc1.flexion)",
    .least = 1,
    .most = 1,
    .options = options,
    .run = certify_run,
};
