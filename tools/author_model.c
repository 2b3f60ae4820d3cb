/* Writes a shipped model from its tables: author_model hand TABLES OUT writes OUT/hand and OUT/hand-left,
 * folders that must exist. Run by the build. */
#include "sinew/author.h"
#include "sinew/io.h"

#include <stdio.h>
#include <string.h>

static int complain(snStatus status, const snError *error)
{
    char text[1400];
    fprintf(stderr, "author_model: %s\n", sn_error_format(error, text, sizeof text));
    return sn_status_exit_code(status);
}

static int write_hand(const char *tables, const char *folder, bool left)
{
    snHandDef def = sn_default_hand_def();
    def.tables = tables;
    def.left = left;
    snError error = {0};
    snSpec *spec = NULL;
    snStatus status = sn_author_hand(&def, &spec, &error);
    if (status != SN_OK) return complain(status, &error);
    char path[1024];
    const char *name = left ? "hand-left" : "hand";
    snprintf(path, sizeof path, "%s/%s/%s.muscle.xml", folder, name, name);
    status = sn_save_model(spec, path, &error);
    sn_spec_destroy(spec);
    return status == SN_OK ? 0 : complain(status, &error);
}

int main(int argc, char **argv)
{
    if (argc != 4 || strcmp(argv[1], "hand") != 0) {
        fprintf(stderr, "usage: author_model hand TABLES OUT\n");
        return 2;
    }
    int failed = write_hand(argv[2], argv[3], false);
    return failed ? failed : write_hand(argv[2], argv[3], true);
}
