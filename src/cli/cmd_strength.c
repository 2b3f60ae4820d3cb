/* sinew strength: the largest torque about every joint, beside what was published. */
#include "cli.h"

#include "analysis/own/strength.h"
#include "author/own/strength_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct snStrengthRun {
    snCli *cli;
    snSpec *spec;
    snModel *model;
    snPatient *patient;
    snStrengthTable *table;
    double *q, *direction; /* per coordinate */
    bool *balanced;
} snStrengthRun;

static snStatus fail(snStrengthRun *run, snStatus status)
{
    return cli_fail(run->cli, status, "the strength could not be found: %s", sn_status_text(status));
}

/* The table asked for, else the one beside a shipped model. */
static snStatus load_table(snStrengthRun *run)
{
    char path[4096];
    snError error = {0};
    const char *asked = cli_option_text(run->cli, "table", NULL);
    if (asked) {
        (void)snprintf(path, sizeof path, "%s", asked);
    } else {
        if (sn_find_model(run->cli->argument[0], path, sizeof path - 20, &error) != SN_OK) return SN_OK;
        char *slash = strrchr(path, '/');
        strcpy(slash ? slash + 1 : path, "strength.tsv");
    }
    snStatus status = sn_load_strengths(path, run->model, &run->table, &error);
    if (status == SN_NO_FILE && !asked) return SN_OK;
    return cli_fail_file(run->cli, status, &error, path);
}

static const char *verdict(const snStrengthRow *row, double torque)
{
    return torque < row->lower ? "weak" : torque > row->upper ? "strong" : "inside";
}

static snStatus compare(snStrengthRun *run)
{
    snCli *cli = run->cli;
    int32_t inside = 0, count = run->table ? run->table->count : 0;
    if (count) cli_say(cli, "%-10s %-18s %7s %9s %13s  %-7s %s\n", "", "", "N m", "published", "band", "", "posture");
    json_open(&cli->json, "published", '[');
    for (int32_t i = 0; i < count; ++i) {
        const snStrengthRow *row = &run->table->row[i];
        snStrength s;
        snStatus status = sn_strength(run->patient, row->q, row->direction, row->balanced, NULL, &s);
        if (status != SN_OK) return fail(run, status);
        char band[40];
        (void)snprintf(band, sizeof band, "%.3g to %.3g", row->lower, row->upper);
        inside += s.torque >= row->lower && s.torque <= row->upper;
        cli_say(cli, "%-10s %-18s %7.1f %9.1f %13s  %-7s %s\n", row->joint, row->action, s.torque, row->published, band,
                verdict(row, s.torque), row->posture);
        json_open(&cli->json, NULL, '{');
        json_string(&cli->json, "joint", row->joint);
        json_string(&cli->json, "action", row->action);
        json_string(&cli->json, "posture", row->posture);
        json_number(&cli->json, "torque", s.torque);
        json_number(&cli->json, "published", row->published);
        json_number(&cli->json, "lower", row->lower);
        json_number(&cli->json, "upper", row->upper);
        json_string(&cli->json, "band", row->band);
        json_string(&cli->json, "verdict", verdict(row, s.torque));
        json_string(&cli->json, "seen", row->seen);
        json_string(&cli->json, "source", row->source);
        json_close(&cli->json, '}');
    }
    json_close(&cli->json, ']');
    json_integer(&cli->json, "inside", inside);
    if (count) cli_say(cli, "%d of %d inside the published band\n\n", inside, count);
    return SN_OK;
}

/* One coordinate, both ways, the other coordinates of its body without torque. */
static snStatus measure(snStrengthRun *run, const snCoordinateDef *d, double torque[2])
{
    int32_t n = sn_count(run->model, SN_ITEM_COORDINATE), own = sn_find(run->model, SN_ITEM_COORDINATE, d->name);
    memset(run->balanced, 0, sizeof *run->balanced * (size_t)n);
    for (snId id = 1; id <= sn_spec_count(run->spec, SN_KIND_COORDINATE); ++id) {
        const snCoordinateDef *other = sn_spec_coordinate(run->spec, id);
        if (other->driven && strcmp(other->body, d->body) == 0)
            run->balanced[sn_find(run->model, SN_ITEM_COORDINATE, other->name)] = true;
    }
    for (int k = 0; k < 2; ++k) {
        snStrength s;
        run->direction[own] = k ? -1 : 1;
        snStatus status = sn_strength(run->patient, run->q, run->direction, run->balanced, NULL, &s);
        run->direction[own] = 0;
        if (status != SN_OK) return fail(run, status);
        torque[k] = s.torque;
    }
    return SN_OK;
}

static snStatus list(snStrengthRun *run)
{
    snCli *cli = run->cli;
    cli_say(cli, "%-24s %10s %10s\n", "drawn pose, N m or N", "+", "-");
    json_open(&cli->json, "coordinates", '[');
    for (snId id = 1; id <= sn_spec_count(run->spec, SN_KIND_COORDINATE); ++id) {
        const snCoordinateDef *d = sn_spec_coordinate(run->spec, id);
        double torque[2];
        if (!d->driven || *d->follows) continue;
        snStatus status = measure(run, d, torque);
        if (status != SN_OK) return status;
        cli_say(cli, "%-24s %10.4g %10.4g\n", d->name, torque[0], torque[1]);
        json_open(&cli->json, NULL, '{');
        json_string(&cli->json, "coordinate", d->name);
        json_string(&cli->json, "unit", d->type == SN_COORDINATE_SLIDE ? "N" : "N m");
        json_number(&cli->json, "positive", torque[0]);
        json_number(&cli->json, "negative", torque[1]);
        json_close(&cli->json, '}');
    }
    json_close(&cli->json, ']');
    return SN_OK;
}

static snStatus open_run(snStrengthRun *run)
{
    snCli *cli = run->cli;
    snError error = {0};
    snStatus status = cli_compile_model(cli, cli->argument[0], &run->spec, &run->model);
    if (status != SN_OK) return status;
    status = sn_patient_create(run->spec, run->model, NULL, &run->patient, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, cli->argument[0]);
    size_t n = (size_t)sn_count(run->model, SN_ITEM_COORDINATE) + 1;
    run->q = calloc(2 * n, sizeof *run->q);
    run->balanced = calloc(n, sizeof *run->balanced);
    if (!run->q || !run->balanced) return fail(run, SN_NO_MEMORY);
    run->direction = run->q + n;
    return load_table(run);
}

static snStatus start(snCli *cli)
{
    snStrengthRun run = {.cli = cli};
    snStatus status = open_run(&run);
    if (status == SN_OK) json_string(&cli->json, "model", cli->argument[0]);
    if (status == SN_OK) status = compare(&run);
    if (status == SN_OK) status = list(&run);
    sn_strengths_free(run.table);
    sn_patient_destroy(run.patient);
    if (run.model) sn_model_destroy(run.model);
    if (run.spec) sn_spec_destroy(run.spec);
    free(run.balanced);
    free(run.q);
    return status;
}

static const snOption options[] = {
    {"table", SN_OPTION_TEXT, "FILE", "published strengths to compare with (strength.tsv beside a shipped model)", 0,
     0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_strength = {
    .name = "strength",
    .arguments = "MODEL",
    .about = "Find the largest torque that the muscles of a model give about every joint, beside published strengths",
    .details = "MODEL is on a tree. Torques are isometric, without passive forces: a linear program over activations "
               "from 0 to 1.\n"
               "Published strengths are compared in their own posture, with the joints balanced that the table names. "
               "Then comes "
               "every\n"
               "driven coordinate in the drawn pose, both ways, with the other coordinates of its body balanced.",
    .example = "sinew strength body",
    .output = "                           N m published          band           posture\n"
              "elbow      flexion      ...\n"
              "...",
    .least = 1,
    .most = 1,
    .options = options,
    .run = start,
};
