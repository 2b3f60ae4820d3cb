/* kit_upper_body TABLES NAME.muscle.xml [--skin FILE]: the upper body from its tables. */
#include "common/program.h"
#include "upper_body/upper_body.h"

int main(int argc, char **argv)
{
    kitRun run;
    int wrong = kit_read_arguments(&run, argc, argv, "[--skin FILE]");
    if (wrong) return wrong;
    snUpperBodyDef def = sn_default_upper_body_def();
    def.tables = run.tables, def.scene = run.scene;
    snError error = {0};
    snSpec *spec = NULL;
    snStatus status = sn_author_upper_body(&def, &spec, &error);
    return status == SN_OK ? kit_write_model(&run, spec) : kit_complain(&run, status, &error);
}
