/* kit_hand TABLES NAME.muscle.xml [--left] [--hood] [--splines] [--skin FILE]: a hand from its tables. */
#include "common/program.h"
#include "hand/hand.h"

int main(int argc, char **argv)
{
    kitRun run;
    int wrong = kit_read_arguments(&run, argc, argv, "[--left] [--hood] [--splines] [--skin FILE]");
    if (wrong) return wrong;
    snHandDef def = sn_default_hand_def();
    def.tables = run.tables, def.scene = run.scene, def.left = run.left, def.hood = run.hood, def.splines = run.splines;
    snError error = {0};
    snSpec *spec = NULL;
    snStatus status = sn_author_hand(&def, &spec, &error);
    return status == SN_OK ? kit_write_model(&run, spec) : kit_complain(&run, status, &error);
}
