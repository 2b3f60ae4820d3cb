/* sinew demo: the main job end to end on a shipped model. Runs the other commands, as a user would, and shows them. */
#include "demo_motions.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_WORDS = 16 };

/* ---- running a command --------------------------------------------------------------------------- */

/* The words of a command, as they would be typed. */
typedef struct snCall {
    char *word[MOST_WORDS];
    int nword;
    char text[MOST_WORDS][4096];
} snCall;

static void add_word(snCall *call, const char *format, ...) SN_PRINTF(2, 3);
static void add_word(snCall *call, const char *format, ...)
{
    va_list arguments;
    if (call->nword == MOST_WORDS) return;
    va_start(arguments, format);
    (void)vsnprintf(call->text[call->nword], sizeof call->text[0], format, arguments);
    va_end(arguments);
    call->word[call->nword] = call->text[call->nword];
    ++call->nword;
}

/* silent: not shown. The answer is the JSON object that the command would print; NULL: not wanted. */
static snStatus run_call(snCli *cli, const char *name, snCall *call, bool silent, snJson *answer)
{
    snCli inner = {.command = cli_find_command(name)};
    bool help = false;
    if (!silent) {
        cli_say(cli, "$ sinew %s", name);
        for (int i = 0; i < call->nword; ++i) cli_say(cli, " %s", call->word[i]);
        cli_say(cli, "\n");
    }
    json_open(&inner.json, NULL, '{');
    snStatus status = cli_parse(&inner, call->nword, call->word, &help);
    inner.progress = cli->progress, inner.threads = cli->threads;
    inner.quiet = cli->quiet || silent, inner.want_json = cli->want_json;
    if (status == SN_OK) status = inner.command->run(&inner);
    cli_progress_end(&inner);
    cli_close_json(&inner);
    if (status != SN_OK && !inner.failed_said) (void)cli_fail(cli, status, "%s: %s", name, sn_status_text(status));
    if (!cli->failed_said) cli->failed_said = inner.failed_said, cli->failure = inner.failure;
    if (answer)
        *answer = inner.json;
    else
        json_free(&inner.json);
    return status;
}

/* A number of an answer; NaN when it is not there. */
static double figure(const snJson *answer, const char *key)
{
    char quoted[80];
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *text = json_text(answer), *at = text ? strstr(text, quoted) : NULL;
    return at ? strtod(at + strlen(quoted), NULL) : NAN;
}

/* ---- one motion ------------------------------------------------------------------------------------ */

static snStatus track(snCli *cli, const snDemo *demo, snDemoMotion *m)
{
    snCall call = {0};
    snJson answer = {0};
    add_word(&call, "%s", demo->model);
    add_word(&call, "%s", m->name);
    add_word(&call, "-o");
    add_word(&call, "%s/%s", demo->folder, m->name);
    snStatus status = run_call(cli, "track", &call, false, &answer);
    m->frames = figure(&answer, "frames"), m->simulated = figure(&answer, "simulated_s");
    m->seconds = figure(&answer, "seconds"), m->real_time_factor = figure(&answer, "real_time_factor");
    m->mean_error = figure(&answer, "mean_error_mm"), m->rms_error = figure(&answer, "rms_error_mm");
    m->worst_error = figure(&answer, "worst_error_mm");
    if (demo->tree)
        m->mean_error = figure(&answer, "mean_error_rad"), m->worst_error = figure(&answer, "worst_error_rad");
    m->max_activation = figure(&answer, "max_activation");
    json_free(&answer);
    return status;
}

enum { FEW = 8, MOST_ROWS = 40 }; /* lines of a plot that can be told apart; rows of a heat map that fit a page */

/* A plot as PNG for the page and, without a word, as SVG for print. */
static snStatus plot(snCli *cli, const snDemo *demo, const snDemoMotion *m, const char *file, const char *what, int top)
{
    static const char *const endings[] = {"png", "svg"};
    snStatus status = SN_OK;
    for (int i = 0; demo->plots && i < 2 && status == SN_OK; ++i) {
        snCall call = {0};
        add_word(&call, "%s/%s.replay.xml", demo->folder, m->name);
        add_word(&call, "--what");
        add_word(&call, "%s", what);
        if (top > 0) {
            add_word(&call, "--top");
            add_word(&call, "%d", top);
        }
        if (demo->many && top > FEW) {
            add_word(&call, "--by");
            add_word(&call, "group");
        }
        if (strcmp(what, "error") == 0) {
            add_word(&call, "--motion");
            add_word(&call, "%s", m->name);
        }
        add_word(&call, "-o");
        add_word(&call, "%s/%s.%s.%s", demo->folder, m->name, file, endings[i]);
        status = run_call(cli, "plot", &call, i > 0, NULL);
    }
    return status;
}

static snStatus export_as(snCli *cli, const snDemo *demo, const snDemoMotion *m, const char *ending, const char *option,
                          const char *value)
{
    snCall call = {0};
    add_word(&call, "%s/%s.replay.xml", demo->folder, m->name);
    if (option) {
        add_word(&call, "%s", option);
        add_word(&call, "%s", value);
    }
    add_word(&call, "-o");
    add_word(&call, "%s/%s%s", demo->folder, m->name, ending);
    return run_call(cli, "export", &call, false, NULL);
}

static snStatus skin(snCli *cli, const snDemo *demo, snDemoMotion *m)
{
    snCall call = {0};
    snJson answer = {0};
    add_word(&call, "%s", demo->model);
    add_word(&call, "%s/%s.replay.xml", demo->folder, m->name);
    add_word(&call, "-o");
    add_word(&call, "%s/%s.skin.pc2", demo->folder, m->name);
    add_word(&call, "--frame-rate");
    add_word(&call, "24");
    snStatus status = run_call(cli, "skin", &call, false, &answer);
    m->skin_ms = figure(&answer, "ms_per_frame"), m->bulge = figure(&answer, "max_bulge_mm");
    m->volume_low = figure(&answer, "volume_ratio_min"), m->volume_high = figure(&answer, "volume_ratio_max");
    json_free(&answer);
    return status;
}

/* A coarse flesh, a few frames a second: the page blends between them. */
static snStatus flesh_page(snCli *cli, const snDemo *demo, const snDemoMotion *m)
{
    snCall call = {0};
    add_word(&call, "%s/%s.replay.xml", demo->folder, m->name);
    add_word(&call, "--flesh");
    add_word(&call, "draft");
    add_word(&call, "--frame-rate");
    add_word(&call, "8");
    add_word(&call, "-o");
    add_word(&call, "%s/%s.flesh.html", demo->folder, m->name);
    return run_call(cli, "export", &call, false, NULL);
}

static snStatus show(snCli *cli, const snDemo *demo, snDemoMotion *m)
{
    snStatus status = track(cli, demo, m);
    if (status == SN_OK) status = plot(cli, demo, m, "activation", "activation", demo->many ? MOST_ROWS : 0);
    if (status == SN_OK) status = plot(cli, demo, m, "lines", "activation", FEW);
    if (status == SN_OK) status = plot(cli, demo, m, "force", "force", FEW);
    if (status == SN_OK && !demo->tree) status = plot(cli, demo, m, "error", "error", 0);
    if (status == SN_OK && demo->skin) status = skin(cli, demo, m);
    if (status == SN_OK) status = export_as(cli, demo, m, ".strands.pc2", "--what", "strands");
    if (status == SN_OK) status = export_as(cli, demo, m, ".glb", NULL, NULL);
    if (status == SN_OK && demo->page) status = export_as(cli, demo, m, ".html", "--motion", m->name);
    m->flesh = m->flesh && demo->page && demo->skin;
    if (status == SN_OK && m->flesh) status = flesh_page(cli, demo, m);
    if (status == SN_OK && cli_interrupted()) status = SN_CANCELLED;
    return status;
}

/* ---- the command ----------------------------------------------------------------------------------- */

static snStatus make_folder(snCli *cli, const char *path)
{
    char part[3000];
    for (const char *at = path; *at;) {
        at += strspn(at, "/"), at += strcspn(at, "/");
        (void)snprintf(part, sizeof part, "%.*s", (int)(at - path), path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return cli_fail(cli, SN_WRITE_FAILED, "cannot create the folder %s: %s", part, strerror(errno));
    }
    return SN_OK;
}

/* A name becomes part of file names and of the page. */
static snStatus add_motion(snCli *cli, snDemo *demo, const char *motion)
{
    if (!*motion || strpbrk(motion, "/\"<>&# "))
        return cli_fail(cli, SN_BAD_INPUT, "--motion %s: expected the name of a motion shipped with the model", motion);
    if (demo->nmotion == DEMO_MOTIONS) return cli_fail(cli, SN_USAGE, "at most %d motions", DEMO_MOTIONS);
    demo->motion[demo->nmotion++].name = motion;
    return SN_OK;
}

static snStatus choose_motions(snCli *cli, snDemo *demo)
{
    const char *motion;
    snStatus status = SN_OK;
    for (int k = 0; status == SN_OK && (motion = cli_option_nth(cli, "motion", k)) != NULL; ++k)
        status = add_motion(cli, demo, motion);
    if (cli_given(cli, "motion")) return status;
    int count = 0;
    status = cli_demo_motions(cli, demo, &count);
    for (int k = 0; status == SN_OK && k < count; ++k) {
        status = add_motion(cli, demo, demo->chosen[k]);
        if (status == SN_OK) demo->motion[k].flesh = demo->chosen_flesh[k];
    }
    return status;
}

static snStatus set_up(snCli *cli, snDemo *demo)
{
    const char *folder = cli_option_text(cli, "o", "sinew-demo");
    char path[1024];
    snSpec *spec = NULL;
    demo->model = cli->nargument > 0 ? cli->argument[0] : "hand";
    snStatus status = choose_motions(cli, demo);
    if (status == SN_OK) status = cli_load_model(cli, demo->model, &spec);
    if (status != SN_OK) return status;
    const char *skin = sn_spec_model(spec)->skin;
    demo->skin = skin && *skin;
    demo->tree = sn_spec_model(spec)->type == SN_MODEL_TREE;
    demo->many = sn_spec_count(spec, SN_KIND_LINE_MUSCLE) > 200;
    sn_spec_destroy(spec);
    if (snprintf(demo->folder, sizeof demo->folder, "%s", folder) >= (int)sizeof demo->folder || !*folder)
        return cli_fail(cli, SN_USAGE, "-o: the path is empty or too long");
    demo->plots = sn_plot_available();
    demo->page = sn_find_page(path, sizeof path, NULL) == SN_OK;
    return make_folder(cli, demo->folder);
}

static void tell(snCli *cli, const snDemo *demo, const char *index)
{
    json_string(&cli->json, "model", demo->model);
    json_string(&cli->json, "folder", demo->folder);
    json_string(&cli->json, "index", index);
    json_boolean(&cli->json, "page", demo->page);
    json_boolean(&cli->json, "plots", demo->plots);
    json_number(&cli->json, "seconds", demo->seconds);
    json_open(&cli->json, "motions", '[');
    cli_say(cli, "\n%-18s %10s %11s %12s %12s\n", "motion", "mean error", "worst error", "x real time", "activation");
    for (int i = 0; i < demo->nmotion; ++i) {
        const snDemoMotion *m = &demo->motion[i];
        cli_say(cli, "%-18s %7.4f %s %8.3f %s %11.2f %12.2f\n", m->name, m->mean_error, demo->tree ? "rad" : "mm",
                m->worst_error, demo->tree ? "rad" : "mm", m->real_time_factor, m->max_activation);
        json_open(&cli->json, NULL, '{');
        json_string(&cli->json, "name", m->name);
        json_number(&cli->json, "frames", m->frames);
        json_number(&cli->json, "real_time_factor", m->real_time_factor);
        json_number(&cli->json, demo->tree ? "mean_error_rad" : "mean_error_mm", m->mean_error);
        if (!demo->tree) json_number(&cli->json, "rms_error_mm", m->rms_error);
        json_number(&cli->json, demo->tree ? "worst_error_rad" : "worst_error_mm", m->worst_error);
        if (demo->skin) json_number(&cli->json, "skin_ms_per_frame", m->skin_ms);
        if (demo->skin) json_number(&cli->json, "max_bulge_mm", m->bulge);
        json_close(&cli->json, '}');
    }
    json_close(&cli->json, ']');
    if (!demo->page)
        cli_say(cli, "The studio's page is not built (node and npm are missing): make studio builds it.\n");
    if (!demo->plots) cli_say(cli, "Plots are left out: this sinew was built without cairo.\n");
    cli_say(cli, "Everything is in %s, made in %.0f s. Open %s in a browser.\n", demo->folder, demo->seconds, index);
}

static snStatus run(snCli *cli)
{
    snDemo *demo = calloc(1, sizeof *demo);
    char index[3100];
    double start = cli_seconds();
    if (!demo) return SN_NO_MEMORY;
    snStatus status = set_up(cli, demo);
    for (int i = 0; status == SN_OK && i < demo->nmotion; ++i) status = show(cli, demo, &demo->motion[i]);
    demo->seconds = cli_seconds() - start;
    (void)snprintf(index, sizeof index, "%s/index.html", demo->folder);
    if (status == SN_OK) {
        snText page = cli_demo_page(demo);
        status = page.text ? cli_save_text(cli, index, page.text) : SN_NO_MEMORY;
        text_free(&page);
    }
    if (status == SN_OK) tell(cli, demo, index);
    free(demo);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "FOLDER", "where to put the results (sinew-demo)", 0, 0},
    {"motion", SN_OPTION_TEXT, "NAME", "a motion of the model instead of the usual ones; may be repeated", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_demo = {
    .name = "demo",
    .arguments = "[MODEL] [-o FOLDER]",
    .about = "Run the whole pipeline on a shipped model; results in one folder with an index page",
    .details = "Tracks motions of the model (hand if you name none), skins them if it has a skin, and writes replays, "
               "tables, plots,\n"
               "point caches, GLB and the studio's pages. It prints each command as you would type it. "
               "FOLDER/index.html shows the\n"
               "results. Shipped models with a demo: hand, hand-left, shoulder and body.",
    .example = "sinew demo hand -o out/demo",
    .output = "$ sinew track hand fist -o out/demo/fist\n"
              "171 frames, 3.4 s simulated in ... s: ... times real time\n"
              "...\n"
              "Everything is in out/demo, made in ... s. Open out/demo/index.html in a browser.",
    .least = 0,
    .most = 1,
    .options = options,
    .run = run,
};
