/* sinew flesh --section: the skin around a bone, frame by frame. */
#include "flesh_tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

snStatus cli_tape_read(snCli *cli, snFleshTape *tape)
{
    const char *text = cli_option_text(cli, "section", NULL), *at = text ? strchr(text, '@') : NULL;
    char *end = NULL;
    if (!text) return SN_OK;
    tape->at = at ? strtod(at + 1, &end) : 0.5;
    if (at && (end == at + 1 || *end || !(tape->at >= 0 && tape->at <= 1)))
        return cli_fail(cli, SN_USAGE, "--section %s: the place after @ is a number from 0 to 1", text);
    (void)snprintf(tape->bone, sizeof tape->bone, "%.*s", at ? (int)(at - text) : 250, text);
    return SN_OK;
}

snStatus cli_tape_measure(snFleshTape *tape, const snFlesh *flesh, const double *vertex, snError *error)
{
    double ray[SN_FLESH_RAYS];
    if (!tape->bone[0]) return SN_OK;
    snStatus status = sn_flesh_section(flesh, tape->bone, tape->at, vertex, ray, error);
    tape->area = 0;
    for (int k = 0; k < SN_FLESH_RAYS && status == SN_OK; ++k)
        tape->area += PI / SN_FLESH_RAYS * fmin(ray[k], tape->reach) * fmin(ray[k], tape->reach);
    return status;
}

snStatus cli_tape_start(snCli *cli, snFleshTape *tape, const snFlesh *flesh, const double *vertex)
{
    snError error = {0};
    double ray[SN_FLESH_RAYS], least = INFINITY;
    if (!tape->bone[0]) return SN_OK;
    snStatus status = sn_flesh_section(flesh, tape->bone, tape->at, vertex, ray, &error);
    for (int k = 0; k < SN_FLESH_RAYS && status == SN_OK; ++k) least = fmin(least, ray[k]);
    tape->reach = 2 * least;
    return cli_fail_file(cli, status, &error, "--section");
}

void cli_tape_note(snFleshTape *tape, double area)
{
    if (tape->first == 0) tape->first = area;
    tape->most = fmax(tape->most, area);
}

void cli_tape_tell(snCli *cli, const snFleshTape *tape)
{
    if (!tape->bone[0]) return;
    cli_say(cli, "section of the skin across %s at %g: %.2f cm2 at first, %.2f at most (%+.2f %%)\n", tape->bone,
            tape->at, 1e4 * tape->first, 1e4 * tape->most, 100 * (tape->most / tape->first - 1));
    json_number(&cli->json, "section_cm2_first", 1e4 * tape->first);
    json_number(&cli->json, "section_cm2_most", 1e4 * tape->most);
}
