/* kit_clinical TABLES NAME.muscle.xml: the clinical hand, from its tables and those of the
 * hand in the folder beside. */
#include "clinical/clinical_hand.h"
#include "common/program.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    kitRun run;
    int wrong = kit_read_arguments(&run, argc, argv, "");
    if (wrong) return wrong;
    char hand[4096];
    (void)snprintf(hand, sizeof hand, "%s/../hand", run.tables);
    snClinicalHandDef def = sn_default_clinical_hand_def();
    def.tables = run.tables, def.hand_tables = hand, def.scene = run.scene;
    snError error = {0};
    snSpec *spec = NULL;
    snStatus status = sn_author_clinical_hand(&def, &spec, &error);
    return status == SN_OK ? kit_write_model(&run, spec) : kit_complain(&run, status, &error);
}
