#include "body_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREES = 57.29577951308232;

typedef struct Reader {
    snCli *cli;
    const snModel *model;
    snBodyOptions *o;
    snSteerDef *def;
} Reader;

static snStatus read_parts(Reader *r)
{
    double level;
    int n = 0;
    for (; cli_option_pair(r->cli, "coactivation", n, r->o->part_name[n], sizeof r->o->part_name[n], &level); ++n) {
        r->o->part[n] = (snSteerPart){r->o->part_name[n], level};
        if (n + 1 == CLI_MOST_PARTS) return cli_fail(r->cli, SN_USAGE, "--coactivation is given too many times");
    }
    r->def->npart = n, r->def->part = r->o->part;
    return SN_OK;
}

/* A mass, with or without its unit: 2, 2kg. */
static double read_mass(const char *text, char **end)
{
    double kg = strtod(text, end);
    if (*end != text && strncmp(*end, "kg", 2) == 0) *end += 2;
    return kg;
}

/* KG, or T:KG/T:KG/... as for other loads; commas will do as well. */
static bool read_course(const char *text, double *time, double *kg, int32_t *count)
{
    char *end;
    *count = 0;
    if (!strchr(text, ':')) {
        kg[0] = read_mass(text, &end), time[0] = 0, *count = 1;
        return end != text && !*end;
    }
    while (*text && *count < CLI_MOST_TIMES) {
        time[*count] = strtod(text, &end);
        if (end == text || *end != ':') return false;
        text = end + 1;
        kg[*count] = read_mass(text, &end);
        if (end == text || (*end && !strchr(",/", *end)) || (*count > 0 && time[*count] <= time[*count - 1]))
            return false;
        text = end + (*end != '\0');
        ++*count;
    }
    return *count > 0 && !*text;
}

static snStatus read_loads(Reader *r)
{
    const char *text;
    for (int n = 0; (text = cli_option_nth(r->cli, "load", n)); ++n) {
        char body[128];
        const char *equals = strchr(text, '=');
        snSteerLoad *l = &r->o->load[n];
        if (n == CLI_MOST_LOADS) return cli_fail(r->cli, SN_USAGE, "--load is given too many times");
        (void)snprintf(body, sizeof body, "%.*s", equals ? (int)(equals - text) : 0, text);
        l->time = r->o->time[n], l->kg = r->o->kg[n];
        if (!equals || !read_course(equals + 1, r->o->time[n], r->o->kg[n], &l->count))
            return cli_fail(r->cli, SN_USAGE, "--load needs BODY=2kg or BODY=0:0kg/1:2kg (times in s), not '%s'", text);
        l->body = sn_find(r->model, SN_ITEM_BODY, body);
        if (l->body < 0)
            return cli_fail(r->cli, SN_BAD_INPUT, "--load: the model has no body '%s'; sinew info --list names them",
                            body);
        r->def->nload = n + 1;
    }
    r->def->load = r->o->load;
    return SN_OK;
}

/* DEG or DEG:PERIOD; one breath is the motion called breath beside the model. */
static snStatus read_breathing(Reader *r)
{
    const char *text = cli_option_text(r->cli, "breathing", NULL);
    snMotionDef motion = sn_default_motion_def();
    snError error = {0};
    char *end;
    if (!text) return SN_OK;
    double depth = strtod(text, &end), period = 0;
    bool fine = end != text;
    if (fine && *end == ':') {
        const char *second = end + 1;
        period = strtod(second, &end);
        fine = end != second && period >= 0.5 && period <= 60;
    }
    if (!fine || *end || !(depth > 0 && depth <= 10))
        return cli_fail(r->cli, SN_USAGE,
                        "--breathing needs DEG or DEG:SECONDS (up to 10 degrees, 0.5 to 60 s), not '%s'", text);
    motion.model = r->cli->argument[0], motion.source = &r->o->breath_source;
    r->def->breath_depth = depth / DEGREES, r->def->breath_period = period;
    snStatus status = sn_load_motion_poses("breath", &motion, &r->o->breath, &error);
    r->def->breath = r->o->breath;
    return status == SN_OK ? SN_OK : cli_fail_file(r->cli, status, &error, "breath");
}

snStatus cli_read_body_options(snCli *cli, const snModel *model, snBodyOptions *options, snSteerDef *def)
{
    Reader r = {cli, model, options, def};
    snStatus status = read_parts(&r);
    if (status == SN_OK) status = read_loads(&r);
    return status == SN_OK ? read_breathing(&r) : status;
}

void cli_free_body_options(snBodyOptions *options)
{
    sn_poses_destroy(options->breath);
}
