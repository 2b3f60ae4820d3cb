/* sinew studio --slices: contours of a muscle in a stack of images, by clicking. */
#include "studio_slices.h"

#include "slices.h"

#include "studio/server/server.h"
#include "studio/server/slices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The page of the studio, told to show slices. NULL: out of memory, or a page without the place for it. */
static char *mark(const char *page, size_t size, size_t *marked)
{
    static const char before[] = "<html lang=\"en\"", word[] = " data-slices";
    const char *at = strstr(page, before);
    char *out = at ? malloc(size + sizeof word) : NULL;
    if (!out) return NULL;
    size_t head = (size_t)(at - page) + sizeof before - 1;
    memcpy(out, page, head);
    memcpy(out + head, word, sizeof word - 1);
    memcpy(out + head + sizeof word - 1, page + head, size - head + 1);
    *marked = size + sizeof word - 1;
    return out;
}

static bool should_stop(void *user)
{
    return cli_interrupted() || cli_seconds() > *(const double *)user;
}

static snStatus serve(snCli *cli, snSlices *slices, const char *page, size_t size)
{
    snError error = {0};
    snServer *server = NULL;
    char address[80];
    double timeout = cli_option_number(cli, "timeout", 0), ends = timeout > 0 ? cli_seconds() + timeout : INFINITY;
    snServerDef def = {.page = page,
                       .page_size = size,
                       .scene = "",
                       .extra = sn_slices_answer,
                       .user = slices,
                       .port = (int)cli_option_number(cli, "port", 8137),
                       .threads = cli->threads};
    snStatus status = sn_server_create(&def, &server, &error);
    if (status != SN_OK) return cli_fail_error(cli, &error);
    sn_server_address(server, address, sizeof address);
    cli_say(cli, "%s\nPress Ctrl-C to stop.\n", address);
    if (cli->quiet || cli->want_json) (void)fprintf(stderr, "%s\n", address); /* without it the page is closed */
    (void)fflush(stdout);
    json_string(&cli->json, "address", address);
    json_integer(&cli->json, "port", sn_server_port(server));
    status = sn_server_run(server, should_stop, &ends);
    sn_server_destroy(server);
    return status;
}

snStatus cli_studio_slices(snCli *cli)
{
    const char *path = cli_option_text(cli, "slices", NULL), *text = cli_option_text(cli, "spacing", NULL);
    snSlices *slices = NULL;
    snError error = {0};
    char *page = NULL, *marked = NULL;
    size_t size = 0, marked_size = 0;
    double spacing[3];
    if (cli->nargument > 0) return cli_fail(cli, SN_USAGE, "--slices STACK and MODEL cannot be combined");
    snStatus status = text ? cli_numbers(cli, "spacing", text, 3, spacing) : SN_OK;
    if (status != SN_OK) return status;
    for (int c = 0; c < 3 && text; ++c) spacing[c] *= 1e-3;
    status = sn_slices_create(path, text ? spacing : NULL, cli_option_text(cli, "muscle", "muscle"), &slices, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, path);
    status = sn_load_page(&page, &size, &error);
    if (status != SN_OK) status = cli_fail_error(cli, &error);
    if (status == SN_OK) {
        marked = mark(page, size, &marked_size);
        status =
            marked ? serve(cli, slices, marked, marked_size)
                   : cli_fail(cli, SN_FAILED, "the page of the studio was built for another version: run make studio");
    }
    free(marked);
    sn_studio_free(page);
    sn_slices_destroy(slices);
    return status;
}
