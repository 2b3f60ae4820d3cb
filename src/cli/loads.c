/* Forces from outside from the options --load and --loads. */
#include "result.h"

snStatus cli_read_loads(snCli *cli, const snModel *model, snLoads **loads)
{
    const char *path = cli_option_text(cli, "loads", NULL), *text;
    snError error = {0};
    if (!path && !cli_given(cli, "load")) return SN_OK;
    snStatus status = sn_loads_create(model, loads, &error);
    if (status != SN_OK) return cli_fail_error(cli, &error);
    if (path) status = cli_fail_file(cli, sn_load_loads(path, *loads, &error), &error, path);
    for (int i = 0; status == SN_OK && (text = cli_option_nth(cli, "load", i)); ++i) {
        status = sn_loads_read(*loads, text, &error);
        if (status != SN_OK)
            return cli_fail(cli, status, "--load %s: %s%s%s", text, error.message, error.remedy[0] ? "; " : "",
                            error.remedy);
    }
    return status;
}

snStatus cli_list_loads(snCli *cli, snText *settings)
{
    const char *path = cli_option_text(cli, "loads", NULL), *text;
    if (!path && !cli_given(cli, "load")) return SN_OK;
    text_add(settings, "load:");
    for (int i = 0; (text = cli_option_nth(cli, "load", i)); ++i) text_add(settings, " %s", text);
    text_add(settings, "\n");
    if (!path) return SN_OK;
    snTrack *table = NULL;
    snStatus status = cli_load_table(cli, path, &table);
    if (status != SN_OK) return status;
    text_add(settings, "loads: %s (%016llx)\n", cli_file_name(path), (unsigned long long)sn_hash_track(table));
    sn_track_destroy(table);
    return SN_OK;
}
