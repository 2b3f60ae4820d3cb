/* --vary, --seed and --draw: models that differ a little from the one that is named. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int32_t find(const char *name, size_t length)
{
    for (int32_t i = 0; sn_vary_name(i); ++i)
        if (strlen(sn_vary_name(i)) == length && strncmp(sn_vary_name(i), name, length) == 0) return i;
    return -1;
}

static snStatus read_one(snCli *cli, const char *text, snVariation *v)
{
    const char *equals = strchr(text, '=');
    char *end = NULL;
    int32_t what = equals ? find(text, (size_t)(equals - text)) : -1;
    if (what < 0)
        return cli_fail(
            cli, SN_USAGE,
            "--vary needs WHAT=PERCENT with pcsa, via, fiber, slack, mass or stiffness, such as pcsa=5%%, not '%s'",
            text);
    *v = (snVariation){.what = (snVary)what, .by = strtod(equals + 1, &end)};
    bool percent = end != equals + 1 && *end == '%';
    if (percent) v->by /= 100, ++end;
    if (end == equals + 1 || *end || !(v->by >= 0 && v->by < 1))
        return cli_fail(cli, SN_USAGE, "--vary %s: expected 0%% to less than 100%%", text);
    return SN_OK;
}

snStatus cli_read_variations(snCli *cli, snVariation variation[CLI_MAX_VARY], int32_t *count)
{
    const char *text;
    snStatus status = SN_OK;
    for (*count = 0; status == SN_OK && (text = cli_option_nth(cli, "vary", *count)); ++*count) {
        if (*count == CLI_MAX_VARY) return cli_fail(cli, SN_USAGE, "--vary is given more than %d times", CLI_MAX_VARY);
        status = read_one(cli, text, &variation[*count]);
        for (int32_t i = 0; status == SN_OK && i < *count; ++i)
            if (variation[i].what == variation[*count].what)
                return cli_fail(cli, SN_USAGE, "--vary %s is given twice", sn_vary_name((int32_t)variation[i].what));
    }
    return status;
}

snStatus cli_vary(snCli *cli, snSpec *spec)
{
    snVariation variation[CLI_MAX_VARY];
    snError error = {0};
    int32_t count = 0, draw = (int32_t)cli_option_number(cli, "draw", 0);
    snStatus status = cli_read_variations(cli, variation, &count);
    if (status != SN_OK) return status;
    status = sn_vary_spec(spec, variation, count, (uint64_t)cli_option_number(cli, "seed", 1), draw, &error);
    return cli_fail_file(cli, status, &error, cli->argument[0]);
}
