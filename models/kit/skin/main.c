/* kit_skin TABLES OUT.ply [--left] [--triangles N]: a skin from the cross-sections in skin_sections.tsv and
 * skin_chains.tsv. */
#include "author/own/skin_mesh.h"
#include "common/program.h"
#include "sinew/author.h"

int main(int argc, char **argv)
{
    kitRun run;
    int wrong = kit_read_arguments(&run, argc, argv, "[--left] [--triangles N]");
    if (wrong) return wrong;
    snSkinMeshDef def = sn_default_skin_mesh_def();
    snMesh mesh = {0};
    snError error = {0};
    def.tables = run.tables, def.left = run.left;
    if (run.triangles > 0) def.triangles = run.triangles;
    snStatus status = sn_author_skin(&def, &mesh, &error);
    if (status == SN_OK) status = sn_save_mesh(&mesh, run.out, &error);
    sn_mesh_free(&mesh);
    return status == SN_OK ? 0 : kit_complain(&run, status, &error);
}
