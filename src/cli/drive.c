/* Activations from the options that drive a simulation: --function, --activation and --activations. */
#include "cli.h"

#include <stdio.h>

/* Adds the levels of every --function or --activation that was given. */
static snStatus add_levels(snCli *cli, const char *option, const char *prefix, snDrive *drive)
{
    snCourse course;
    for (int i = 0; cli_option_course(cli, option, i, &course); ++i) {
        char name[2 * sizeof course.name];
        int32_t channel;
        snError error = {0};
        (void)snprintf(name, sizeof name, "%s%s", prefix, course.name);
        snStatus status = sn_drive_find(drive, name, &channel, &error);
        if (status == SN_OK) status = sn_drive_add(drive, channel, course.count, course.time, course.level, &error);
        if (status != SN_OK)
            return cli_fail(cli, status, "--%s %s: %s%s%s", option, course.name, error.message,
                            error.remedy[0] ? "; " : "", error.remedy);
    }
    return SN_OK;
}

snStatus cli_read_drive(snCli *cli, const snSpec *spec, const snModel *model, snDrive **drive, double *end)
{
    const char *path = cli_option_text(cli, "activations", NULL);
    snError error = {0};
    snStatus status = sn_drive_create(spec, model, drive, &error);
    if (status != SN_OK) return cli_fail_error(cli, &error);
    if (path) status = cli_fail_file(cli, sn_load_activations(path, *drive, end, &error), &error, path);
    if (status == SN_OK) status = add_levels(cli, "function", "function.", *drive);
    if (status == SN_OK) status = add_levels(cli, "activation", "muscle.", *drive);
    return status;
}

void cli_say_demands(snCli *cli, const snDrive *drive)
{
    int32_t count = 0;
    json_open(&cli->json, "clamped_muscles", '[');
    for (int32_t m = 0; m < sn_drive_muscles(drive); ++m) {
        snDemand demand = sn_drive_demand(drive, m);
        if (!(demand.most > 1 + 1e-9)) continue;
        json_string(&cli->json, NULL, sn_drive_name(drive, m));
        if (count++ < 5)
            cli_say(cli, "note: the levels add up to %.3g for %s at %.4g s; it was limited to 1\n", demand.most,
                    sn_drive_name(drive, m), demand.time);
    }
    json_close(&cli->json, ']');
    if (count > 5) cli_say(cli, "note: the same for %d more muscles\n", (int)count - 5);
}
