/* Writes the upper body from its tables: author_body TABLES OUT writes OUT/body, a folder that must exist. Run by the
 * build. */
#include "sinew/author.h"
#include "sinew/io.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: author_body TABLES OUT\n");
        return 2;
    }
    snUpperBodyDef def = sn_default_upper_body_def();
    def.tables = argv[1];
    snError error = {0};
    snSpec *spec = NULL;
    snStatus status = sn_author_upper_body(&def, &spec, &error);
    char path[1024], text[1400];
    (void)snprintf(path, sizeof path, "%s/body/body.muscle.xml", argv[2]);
    if (status == SN_OK) status = sn_save_model(spec, path, &error);
    if (status != SN_OK) fprintf(stderr, "author_body: %s\n", sn_error_format(&error, text, sizeof text));
    sn_spec_destroy(spec);
    return sn_status_exit_code(status);
}
