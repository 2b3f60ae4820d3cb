/* kit_shoulder TABLES NAME.muscle.xml: a shoulder from its tables. */
#include "common/program.h"
#include "shoulder/shoulder.h"

int main(int argc, char **argv)
{
    kitRun run;
    int wrong = kit_read_arguments(&run, argc, argv, "");
    if (wrong) return wrong;
    snShoulderDef def = sn_default_shoulder_def();
    def.tables = run.tables, def.scene = run.scene;
    snError error = {0};
    snSpec *spec = NULL;
    snStatus status = sn_author_shoulder(&def, &spec, &error);
    return status == SN_OK ? kit_write_model(&run, spec) : kit_complain(&run, status, &error);
}
