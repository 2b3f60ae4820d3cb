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

/* Rays that lead into another part are cut off. */
static void measure_rays(snFleshTape *tape, const double *ray)
{
    tape->area = tape->bulge = 0;
    for (int k = 0; k < SN_FLESH_RAYS; ++k) {
        double r = fmin(ray[k], tape->reach);
        tape->area += PI / SN_FLESH_RAYS * r * r;
        if (r < tape->reach && tape->drawn[k] < tape->reach) tape->bulge = fmax(tape->bulge, r - tape->drawn[k]);
    }
}

snStatus cli_tape_start(snCli *cli, snFleshTape *tape, const snFlesh *flesh, const double *vertex)
{
    snError error = {0};
    double least = INFINITY;
    if (!tape->bone[0]) return SN_OK;
    snStatus status = sn_flesh_section(flesh, tape->bone, tape->at, vertex, tape->drawn, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, "--section");
    for (int k = 0; k < SN_FLESH_RAYS; ++k) least = fmin(least, tape->drawn[k]);
    tape->reach = 2 * least;
    measure_rays(tape, tape->drawn);
    tape->drawn_area = tape->area;
    return SN_OK;
}

snStatus cli_tape_measure(snFleshTape *tape, const snFlesh *flesh, const double *vertex, snError *error)
{
    double ray[SN_FLESH_RAYS];
    if (!tape->bone[0]) return SN_OK;
    snStatus status = sn_flesh_section(flesh, tape->bone, tape->at, vertex, ray, error);
    if (status == SN_OK) measure_rays(tape, ray);
    return status;
}

void cli_tape_tell(snCli *cli, const snFleshTape *tape)
{
    if (!tape->bone[0]) return;
    cli_say(cli, "around %s at %g: section %.2f cm2 as drawn, %.2f at most; the skin stands out by %.2f mm at most\n",
            tape->bone, tape->at, 1e4 * tape->drawn_area, 1e4 * tape->most_area, 1e3 * tape->most);
    json_number(&cli->json, "section_cm2_drawn", 1e4 * tape->drawn_area);
    json_number(&cli->json, "section_cm2_most", 1e4 * tape->most_area);
    json_number(&cli->json, "bulge_mm", 1e3 * tape->most);
}
