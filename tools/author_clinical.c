/* Writes the clinical hand from its tables: author_clinical HAND_TABLES TABLES OUT writes OUT/hand-clinical, a folder
 * that must exist. Run by the build. */
#include "sinew/author.h"
#include "sinew/io.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: author_clinical HAND_TABLES TABLES OUT\n");
        return 2;
    }
    snClinicalHandDef def = sn_default_clinical_hand_def();
    def.hand_tables = argv[1];
    def.tables = argv[2];
    snError error = {0};
    snSpec *spec = NULL;
    snStatus status = sn_author_clinical_hand(&def, &spec, &error);
    char path[1024], text[1400];
    (void)snprintf(path, sizeof path, "%s/hand-clinical/hand-clinical.muscle.xml", argv[3]);
    if (status == SN_OK) status = sn_save_model(spec, path, &error);
    if (status != SN_OK) fprintf(stderr, "author_clinical: %s\n", sn_error_format(&error, text, sizeof text));
    sn_spec_destroy(spec);
    return sn_status_exit_code(status);
}
