/* sinew motions: lists, checks and adds motions of a model. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 };
static const double DEGREES = 57.29577951308232;

typedef struct Listing {
    snCli *cli;
    const char *name; /* of the model */
    snModel *model;   /* NULL: motions are listed without being read */
    int32_t faults;
} Listing;

static void say_summary(Listing *l, const snMotionEntry *e, const snMotionSummary *s)
{
    snCli *cli = l->cli;
    snJson *json = &cli->json;
    cli_say(cli, "%-22s %6.2f s %6d %s%s", e->name, s->seconds, (int)s->frames, s->frame_rate > 0 ? "frames" : "keys",
            e->own ? ", yours" : "");
    if (s->coordinates > 0)
        cli_say(cli, ", %d coordinates, fastest %s %.0f deg/s", (int)s->coordinates, s->fastest_name,
                DEGREES * s->fastest);
    bool beyond = s->beyond > 0.5 / DEGREES;
    if (beyond)
        cli_say(cli, "; %s leaves its range by %.1f deg at %.2f s", s->beyond_name, DEGREES * s->beyond,
                s->beyond_time);
    cli_say(cli, "\n");
    json_number(json, "seconds", s->seconds);
    json_integer(json, "frames", s->frames);
    json_number(json, "frame_rate", s->frame_rate);
    json_integer(json, "coordinates", s->coordinates);
    if (s->coordinates > 0) {
        json_string(json, "fastest", s->fastest_name);
        json_number(json, "fastest_deg_s", DEGREES * s->fastest);
        json_number(json, "beyond_deg", DEGREES * s->beyond);
        if (beyond) json_string(json, "beyond", s->beyond_name);
    }
}

/* A motion that does not fit is counted; anything else that goes wrong ends the listing. */
static snStatus list_one(Listing *l, const snMotionEntry *e)
{
    snJson *json = &l->cli->json;
    snError error = {0};
    snMotionSummary s;
    json_open(json, NULL, '{');
    json_string(json, "name", e->name);
    json_string(json, "path", e->path);
    json_boolean(json, "own", e->own);
    snStatus status = l->model ? sn_examine_motion(l->model, l->name, e->path, &s, &error) : SN_OK;
    if (!l->model) {
        cli_say(l->cli, "  %s%s\n", e->name, e->own ? " (yours)" : "");
    } else if (status == SN_NO_MEMORY) {
        (void)cli_fail_file(l->cli, status, &error, e->path);
    } else if (status == SN_OK) {
        json_boolean(json, "fits", true);
        say_summary(l, e, &s);
    } else {
        char text[1400];
        ++l->faults;
        json_boolean(json, "fits", false);
        json_string(json, "problem", error.message);
        cli_say(l->cli, "%-22s does not fit: %s\n", e->name, sn_error_format(&error, text, sizeof text));
    }
    json_close(json, '}');
    return status == SN_NO_MEMORY ? status : SN_OK;
}

static snStatus list(Listing *l)
{
    snMotionEntry *entry = calloc(MOST, sizeof *entry);
    if (!entry) return cli_fail(l->cli, SN_NO_MEMORY, "out of memory");
    int32_t count = sn_list_motions(l->name, entry, MOST), shown = count < MOST ? count : MOST;
    json_open(&l->cli->json, "motions", '[');
    snStatus status = SN_OK;
    for (int32_t i = 0; i < shown && status == SN_OK; ++i) {
        if (cli_progress(l->cli, "motions", i, shown)) status = SN_CANCELLED;
        if (status == SN_OK) status = list_one(l, entry + i);
    }
    cli_progress_end(l->cli);
    json_close(&l->cli->json, ']');
    if (count == 0) cli_say(l->cli, "%s has no motions yet; add one with --add FILE\n", l->name);
    free(entry);
    return status;
}

static snStatus list_all(snCli *cli)
{
    char names[4000] = "";
    sn_list_models(names, sizeof names);
    json_open(&cli->json, "models", '[');
    snStatus status = SN_OK;
    for (char *rest = names, *name; status == SN_OK && (name = strtok_r(rest, " ", &rest));) {
        Listing l = {.cli = cli, .name = name};
        cli_say(cli, "%s\n", name);
        json_open(&cli->json, NULL, '{');
        json_string(&cli->json, "model", name);
        status = list(&l);
        json_close(&cli->json, '}');
    }
    json_close(&cli->json, ']');
    return status;
}

static snStatus add(Listing *l, const char *file)
{
    snError error = {0};
    char path[4096];
    snStatus status = sn_add_motion(l->model, l->name, file, cli_option_text(l->cli, "name", NULL),
                                    cli_given(l->cli, "replace"), path, sizeof path, &error);
    if (status != SN_OK) return cli_fail_file(l->cli, status, &error, file);
    cli_say(l->cli, "added %s\n", path);
    json_string(&l->cli->json, "added", path);
    return SN_OK;
}

static snStatus run(snCli *cli)
{
    const char *file = cli_option_text(cli, "add", NULL);
    if (cli_given(cli, "name") && !file) return cli_fail(cli, SN_USAGE, "--name needs --add");
    if (cli_given(cli, "replace") && !file) return cli_fail(cli, SN_USAGE, "--replace needs --add");
    if (cli->nargument == 0) return file ? cli_fail(cli, SN_USAGE, "--add needs a MODEL") : list_all(cli);
    Listing l = {.cli = cli, .name = cli->argument[0]};
    snStatus status = cli_compile_model(cli, l.name, NULL, &l.model);
    if (status == SN_OK && file) status = add(&l, file);
    if (status == SN_OK) status = list(&l);
    json_integer(&cli->json, "faults", l.faults);
    if (l.model) sn_model_destroy(l.model);
    if (status == SN_OK && l.faults > 0)
        status = cli_fail(cli, SN_BAD_INPUT, "%d motion%s not fit %s", (int)l.faults, l.faults == 1 ? " does" : "s do",
                          l.name);
    return status;
}

static const snOption options[] = {
    {"add", SN_OPTION_TEXT, "FILE", "check this motion and copy it into the library", 0, 0},
    {"name", SN_OPTION_TEXT, "NAME", "with --add: its name there (that of the file)", 0, 0},
    {"replace", SN_OPTION_FLAG, "", "with --add: replace a motion of that name", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_motions = {
    .name = "motions",
    .arguments = "[MODEL] [--add FILE]",
    .about = "List, check and add the motions of a model",
    .details = "The motions of a model are in the folder motions beside its file; those that you add to a shipped "
               "model are in a\n"
               "folder of your own (SINEW_MOTIONS, or ~/.local/share/sinew/motions). Every command that takes a motion "
               "finds both\n"
               "by name. Each motion is read and matched with the model; joints that leave their range are named.\n"
               "Without MODEL the motions of all shipped models are listed.",
    .example = "sinew motions hand",
    .output = "beckon                   3.20 s    193 frames, 23 coordinates, fastest pip5.flexion 273 deg/s\n...",
    .least = 0,
    .most = 1,
    .options = options,
    .run = run,
};
