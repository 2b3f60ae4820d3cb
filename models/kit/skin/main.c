/* kit_skin TABLES OUT.ply [--left]: a skin from the cross-sections in skin_sections.tsv and skin_chains.tsv. */
#include "common/program.h"
#include "sinew/author.h"

int main(int argc, char **argv)
{
    kitRun run;
    int wrong = kit_read_arguments(&run, argc, argv, "[--left]");
    if (wrong) return wrong;
    snSkinMeshDef def = sn_default_skin_mesh_def();
    snMesh mesh = {0};
    snError error = {0};
    def.tables = run.tables, def.left = run.left;
    snStatus status = sn_author_skin(&def, &mesh, &error);
    if (status == SN_OK) status = sn_save_mesh(&mesh, run.out, &error);
    sn_mesh_free(&mesh);
    return status == SN_OK ? 0 : kit_complain(&run, status, &error);
}
