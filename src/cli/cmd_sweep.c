/* sinew sweep: how much a result depends on parameters that nobody knows exactly. sweep.h tells what lies where. */
#include "sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Options of track that a sweep takes and hands on; the first two make the draws. */
static const char *const handed_on[] = {"--vary",    "--seed",     "--frames",      "--start",    "--end",
                                        "--step",    "--strength", "--weights",     "--feedback", "--frame-rate",
                                        "--bvh-map", "--method",   "--control-rate"};

static int add_options(const snSweep *s, size_t from, const char **words, int n)
{
    for (int i = 0; i < s->cli->nset; ++i)
        for (size_t k = from; k < sizeof handed_on / sizeof *handed_on; ++k) {
            if (strcmp(handed_on[k] + 2, s->cli->set[i]->name) != 0) continue;
            words[n++] = handed_on[k];
            words[n++] = s->cli->set_value[i];
        }
    return n;
}

void sweep_words(const snSweep *s, int32_t draw, const char *words[SWEEP_WORDS], char out[SWEEP_PATH], char number[16])
{
    int n = 0;
    char resume[SWEEP_PATH];
    sweep_path(s, draw, "", out);
    sweep_path(s, draw, ".resume", resume);
    (void)snprintf(number, 16, "%d", draw);
    words[n++] = s->program, words[n++] = "track";
    n = add_options(s, 0, words, n);
    words[n++] = "--draw", words[n++] = number;
    words[n++] = "--threads", words[n++] = "1";
    words[n++] = "--json", words[n++] = "--quiet";
    words[n++] = "--replay", words[n++] = "bin";
    words[n++] = "-o", words[n++] = out;
    if (access(resume, F_OK) == 0) words[n++] = "--resume";
    words[n++] = "--", words[n++] = s->cli->argument[0], words[n++] = s->cli->argument[1];
    words[n] = NULL;
}

void sweep_own_words(const snSweep *s, const char *words[SWEEP_WORDS], char draws[16])
{
    int n = 0;
    words[n++] = s->program, words[n++] = "sweep", words[n++] = s->cli->argument[0], words[n++] = s->cli->argument[1];
    n = add_options(s, 0, words, n);
    (void)snprintf(draws, 16, "%d", s->draws);
    words[n++] = "--draws", words[n++] = draws;
    words[n++] = "-o", words[n++] = s->out;
    words[n] = NULL;
}

/* ---- settings ----------------------------------------------------------------------------- */

/* The number of draws may grow. */
static snStatus list_settings(snSweep *s, const snSpec *spec)
{
    snError error = {0};
    const char *words[SWEEP_WORDS];
    uint64_t model = sn_hash_model(spec, &error);
    if (!model) return cli_fail_error(s->cli, &error);
    text_add(&s->settings, "version: %s\nmodel: %s (%016llx)\n", sn_version(), s->cli->argument[0],
             (unsigned long long)model);
    if (access(s->cli->argument[1], R_OK) == 0)
        cli_list_file(&s->settings, "motion", s->cli->argument[1]);
    else
        text_add(&s->settings, "motion: %s\n", s->cli->argument[1]);
    text_add(&s->settings, "seed: %.0f\n", cli_option_number(s->cli, "seed", 1));
    for (int32_t i = 0; i < s->nvariation; ++i)
        text_add(&s->settings, "%s: %g\n", sn_vary_name((int32_t)s->variation[i].what), s->variation[i].by);
    int n = add_options(s, 2, words, 0);
    text_add(&s->settings, "options:");
    for (int i = 0; i < n; ++i) text_add(&s->settings, " %s", words[i]);
    text_add(&s->settings, "\n");
    return s->settings.text ? SN_OK : cli_fail(s->cli, SN_NO_MEMORY, "out of memory");
}

static snStatus read_model(snSweep *s)
{
    snSpec *spec = NULL;
    snError error = {0};
    snStatus status = cli_load_model(s->cli, s->cli->argument[0], &spec);
    if (status == SN_OK) status = list_settings(s, spec);
    if (status == SN_OK) /* so that what the model does not have is said once, now */
        status = cli_fail_file(s->cli, sn_vary_spec(spec, s->variation, s->nvariation, 1, 1, &error), &error,
                               s->cli->argument[0]);
    if (spec) sn_spec_destroy(spec);
    return status;
}

static bool may_go_on(const snCli *cli)
{
    return cli_given(cli, "resume") || cli_given(cli, "task") || cli_given(cli, "gather");
}

/* A sweep of which nothing came: what it was does not matter any more. */
static bool is_empty(const snSweep *s)
{
    char path[SWEEP_PATH];
    for (int32_t i = 0; i <= s->draws; ++i) {
        sweep_path(s, i, ".resume", path);
        if (sweep_is_finished(s, i) || access(path, F_OK) == 0) return false;
    }
    return true;
}

/* The folder: a new one, or that of the same sweep. */
static snStatus open_folder(snSweep *s)
{
    char path[SWEEP_PATH];
    size_t length = 0;
    snError error = {0};
    (void)snprintf(path, sizeof path, "%.4000s/sweep.txt", s->out);
    if (mkdir(s->out, 0777) != 0 && errno != EEXIST)
        return cli_fail(s->cli, SN_WRITE_FAILED, "cannot create %s: %s", s->out, strerror(errno));
    char *before = cli_read_bytes(path, &length);
    if (!before || is_empty(s)) {
        free(before);
        if (cli_given(s->cli, "gather"))
            return cli_fail(s->cli, SN_NO_FILE, "%s holds no sweep: there is no %s", s->out, path);
        return cli_save_text(s->cli, path, s->settings.text);
    }
    snText text = {0};
    text_add(&text, "%.*s", (int)length, before);
    free(before);
    snStatus status = !text.text ? cli_fail(s->cli, SN_NO_MEMORY, "out of memory") : SN_OK;
    if (status == SN_OK && !may_go_on(s->cli))
        status = cli_fail(s->cli, SN_BAD_INPUT,
                          "%s holds a sweep already: --resume continues it, another -o starts a new one", s->out);
    if (status == SN_OK)
        status = cli_fail_file(s->cli, sn_compare_settings(text.text, s->settings.text, path, &error), &error, path);
    text_free(&text);
    return status;
}

static snStatus set_up(snSweep *s)
{
    snCli *cli = s->cli;
    s->out = cli_option_text(cli, "o", NULL);
    if (!s->out) return cli_fail(cli, SN_USAGE, "-o OUT is missing: the folder of the results");
    if (strlen(s->out) > 3000) return cli_fail(cli, SN_USAGE, "-o: the path is too long");
    s->draws = (int32_t)cli_option_number(cli, "draws", 10);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    s->jobs = (int32_t)cli_option_number(cli, "jobs", cores > 0 ? (double)cores : 1);
    ssize_t length = readlink("/proc/self/exe", s->program, sizeof s->program - 1);
    if (length <= 0) return cli_fail(cli, SN_FAILED, "the program cannot find its own path in /proc/self/exe");
    s->program[length] = '\0';
    snStatus status = cli_read_variations(cli, s->variation, &s->nvariation);
    if (status == SN_OK && s->nvariation == 0)
        status = cli_fail(cli, SN_USAGE, "--vary WHAT=PERCENT is missing: what to change, such as pcsa=5%%");
    if (status == SN_OK && cli_given(cli, "task") && cli_option_number(cli, "task", 0) > s->draws)
        status =
            cli_fail(cli, SN_USAGE, "--task %s: the draws go from 0 to %d", cli_option_text(cli, "task", ""), s->draws);
    if (status == SN_OK) status = read_model(s);
    return status == SN_OK ? open_folder(s) : status;
}

static snStatus run(snCli *cli)
{
    snSweep s = {.cli = cli};
    const char *slurm = cli_option_text(cli, "slurm", NULL);
    snStatus status = set_up(&s);
    if (status == SN_OK && slurm)
        status = sweep_write_slurm(&s, slurm);
    else if (status == SN_OK && cli_given(cli, "task")) {
        int32_t task = (int32_t)cli_option_number(cli, "task", 0);
        status = sweep_run(&s, task, task);
        if (status == SN_OK && !sweep_is_finished(&s, task))
            status = cli_fail(cli, SN_FAILED, "draw %d is not finished", task);
    } else if (status == SN_OK) {
        if (!cli_given(cli, "gather")) status = sweep_run(&s, 0, s.draws);
        cli_progress_end(cli);
        if (status == SN_OK) status = sweep_gather(&s);
    }
    text_free(&s.settings);
    return status;
}

static const snOption options[] = {
    {"o", SN_OPTION_TEXT, "OUT", "folder of the results", 0, 0},
    CLI_VARY_OPTION,
    {"draws", SN_OPTION_COUNT, "N", "how many models besides the unchanged one (10)", 1, 100000},
    CLI_SEED_OPTION,
    {"jobs", SN_OPTION_COUNT, "N", "draws at the same time (one for each core)", 1, 256},
    {"resume", SN_OPTION_FLAG, "", "continue an interrupted sweep; --draws may have grown", 0, 0},
    {"gather", SN_OPTION_FLAG, "", "run nothing: make the tables from the draws that are finished", 0, 0},
    {"task", SN_OPTION_COUNT, "N", "run draw N only and make no tables: for schedulers", 0, 100000},
    {"slurm", SN_OPTION_TEXT, "FILE", "run nothing: write a job array for Slurm", 0, 0},
    {"active", SN_OPTION_NUMBER, "A", "activation that a muscle must reach to be counted (0.01)", 0, 1},
    {"frames", SN_OPTION_TEXT, "FIRST:LAST", "as for track", 0, 0},
    {"start", SN_OPTION_NUMBER, "S", "as for track", -1e9, 1e9},
    {"end", SN_OPTION_NUMBER, "S", "as for track", -1e9, 1e9},
    {"frame-rate", SN_OPTION_NUMBER, "F", "as for track", 1, 1000},
    {"step", SN_OPTION_NUMBER, "H", "as for track", 1e-5, 0.02},
    {"strength", SN_OPTION_PAIR, "MUSCLE=LEVEL", "as for track", 0, 1},
    {"weights", SN_OPTION_TEXT, "A,S", "as for track", 0, 0},
    {"feedback", SN_OPTION_NUMBER, "K", "as for track", 0, 1000},
    {"bvh-map", SN_OPTION_TEXT, "FILE", "as for track", 0, 0},
    {"method", SN_OPTION_CHOICE, "torque|step|paper", "as for track", 0, 0},
    {"control-rate", SN_OPTION_NUMBER, "F", "as for track", 1, 1000},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_sweep = {
    .name = "sweep",
    .arguments = "MODEL MOTION --vary WHAT=PERCENT -o OUT",
    .about = "Measure how much the activations depend on uncertain parameters",
    .details =
        "Tracks the motion with the model as it is and with models that differ a little at random, each as a process\n"
        "of its own, and writes OUT/sweep.tsv (a row for each draw), OUT/muscles.tsv (a row for each muscle) and\n"
        "OUT/histogram.svg (how many muscles change how much). A draw depends on --seed and its number only.\n"
        "After an interruption the same command with --resume continues. --slurm writes a job array instead; when\n"
        "its tasks are done, --gather makes the tables.",
    .example = "sinew sweep hand-clinical fist --vary pcsa=5% --draws 10 -o strength",
    .output = "11 of 11 draws finished\n"
              "mean change of activation below 0.03 for 100 % of 25 active muscles\n"
              "wrote strength/sweep.tsv, strength/muscles.tsv and strength/histogram.svg",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run,
};
