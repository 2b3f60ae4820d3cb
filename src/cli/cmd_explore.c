/* sinew explore: one thing after the other taken away or given back, ranked. */
#include "clinic.h"

#include <stdio.h>
#include <string.h>

static const double RATE = 10; /* frames a second: what is lost hardly depends on it */

static snStatus read_def(snCli *cli, snExploreDef *d)
{
    static const char *const each[] = {"unit", "nerve", "joint", "transfer"};
    const char *text = cli_option_text(cli, "each", "unit");
    int sets = cli_given(cli, "top") + cli_given(cli, "threshold") + cli_given(cli, "random");
    if (sets + cli_given(cli, "each") > 1)
        return cli_fail(cli, SN_USAGE, "give one of --each, --top, --threshold and --random");
    for (int i = 0; i < 4; ++i)
        if (strcmp(each[i], text) == 0) d->each = (snExplore)i;
    if (cli_given(cli, "top")) d->each = SN_EXPLORE_TOP, d->count = (int32_t)cli_option_number(cli, "top", 5);
    if (cli_given(cli, "threshold"))
        d->each = SN_EXPLORE_THRESHOLD, d->level = cli_option_number(cli, "threshold", 0.3);
    if (cli_given(cli, "random")) d->each = SN_EXPLORE_RANDOM, d->count = (int32_t)cli_option_number(cli, "random", 5);
    d->recipient = cli_option_text(cli, "to", NULL);
    d->strength = cli_option_number(cli, "weak", 0.3);
    d->seed = (uint64_t)cli_option_number(cli, "seed", 1);
    if (d->each == SN_EXPLORE_TRANSFER && !d->recipient)
        return cli_fail(cli, SN_USAGE, "--each transfer needs --to RECIPIENT, such as --to ECRB");
    return SN_OK;
}

static void tell(snClinic *c, const snExploreDef *d, const snFindings *f)
{
    snJson *json = &c->cli->json;
    int shown = (int)cli_option_number(c->cli, "show", 12);
    json_string(json, "model", c->cli->argument[0]);
    json_string(json, "motion", c->motion);
    json_integer(json, "frames", c->targets.nframe);
    if (d->each == SN_EXPLORE_RANDOM) {
        cli_say(c->cli, "seed %llu\n", (unsigned long long)d->seed);
        json_integer(json, "seed", (int64_t)d->seed);
    }
    clinic_say_case(c);
    cli_say(c->cli, "%d frames; missing torque of the base: %.3f tolerances, summed over the joints, on average\n",
            c->targets.nframe, f->base);
    cli_say(c->cli, "%-16s %10s %10s  %s\n", "", "missing", "change", "worst");
    json_number(json, "base", f->base);
    json_open(json, "findings", '[');
    for (int32_t i = 0; i < f->count; ++i) {
        const snFinding *x = &f->finding[i];
        const char *where = x->coordinate >= 0 ? sn_name(c->model, SN_ITEM_COORDINATE, x->coordinate) : "";
        if (i < shown)
            cli_say(c->cli, "%-16s %10.3f %+10.3f  %s %.1f mN m\n", x->name, x->missing, x->change, where,
                    1e3 * x->torque);
        json_open(json, NULL, '{');
        json_string(json, "name", x->name);
        json_number(json, "missing", x->missing);
        json_number(json, "change", x->change);
        json_number(json, "torque_mNm", 1e3 * x->torque);
        json_string(json, "worst", where);
        json_close(json, '}');
    }
    json_close(json, ']');
    if (f->count > shown) cli_say(c->cli, "... %d more: --show %d\n", f->count - shown, f->count);
    cli_say(c->cli, "%s\n", clinic_notice);
    json_string(json, "notice", clinic_notice);
}

static snStatus run(snCli *cli)
{
    snClinic c = {0};
    snExploreDef def = sn_default_explore_def();
    snFindings found = {0};
    snError error = {0};
    snStatus status = read_def(cli, &def);
    if (status != SN_OK) return status;
    status = clinic_open(cli, &c);
    if (status == SN_OK) status = clinic_motion(&c, cli->argument[1], cli_option_number(cli, "frame-rate", RATE));
    if (status == SN_OK) {
        status = sn_explore(c.spec, c.model, c.changes, &def, &c.targets, c.gravity, &found, cli_progress_callback(cli),
                            &error);
        cli_progress_end(cli);
        if (status != SN_OK && status != SN_CANCELLED) (void)cli_fail_file(cli, status, &error, cli->argument[0]);
    }
    if (status == SN_OK || (status == SN_CANCELLED && found.count)) tell(&c, &def, &found);
    sn_findings_free(&found);
    clinic_close(&c);
    return status;
}

static const snOption options[] = {
    {"each", SN_OPTION_CHOICE, "unit|nerve|joint|transfer",
     "what to try in turn: cut each muscle (default) or nerve, fuse each joint, transfer each muscle --to one", 0, 0},
    {"to", SN_OPTION_TEXT, "RECIPIENT", "with --each transfer: unit, or group such as ED", 0, 0},
    {"top", SN_OPTION_COUNT, "N", "weaken the N most used units, one after the other", 1, 1000},
    {"threshold", SN_OPTION_NUMBER, "A", "weaken all units whose activation exceeds A", 0, 1},
    {"random", SN_OPTION_COUNT, "N", "weaken N units at random", 1, 1000},
    {"seed", SN_OPTION_COUNT, "N", "random seed of --random (1)", 0, 1e9},
    {"weak", SN_OPTION_NUMBER, "LEVEL", "what weakened units keep (0.3)", 0, 1},
    {"show", SN_OPTION_COUNT, "N", "how many lines of the ranking to print (12)", 1, 1000},
    {"frame-rate", SN_OPTION_NUMBER, "F", "frames a second to examine (10)", 1, 1000},
    CLINIC_OPTIONS,
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_explore = {
    .name = "explore",
    .arguments = "MODEL MOTION",
    .about = "Rank what matters most for a motion: each muscle, nerve, joint or tendon transfer",
    .details = "Figures are torques that no activations can produce, relative to the tolerance of each joint. With a "
               "case, the case is\n"
               "the base: a transfer is ranked by what it restores. --top, --threshold and --random weaken a set of "
               "muscles, one more\n"
               "in each line; to choose the set yourself, use --strength.",
    .example = "sinew explore hand-clinical fist --each nerve",
    .output = "healthy\n"
              "... frames; missing torque of the base: ... tolerances, summed over the joints, on average\n"
              "...",
    .least = 2,
    .most = 2,
    .options = options,
    .run = run,
};
