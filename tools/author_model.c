/* Writes a shipped model from its tables: author_model hand TABLES OUT writes OUT/hand and OUT/hand-left,
 * folders that must exist; author_model skin TABLES OUT writes their skins, which takes longer; author_model shoulder
 * TABLES OUT writes OUT/shoulder. Run by the build. author_model hood TABLES OUT writes OUT/hand-hood, the variant of
 * the hand with branching extensor hoods, without a skin. */
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

/* The skin stays in its own file, beside the scene that names it. */
static snStatus add_skin(snSpec *spec)
{
    snModelDef model = *sn_spec_model(spec);
    snNodeDef node = sn_default_node_def();
    node.name = "skin", node.kind = SN_NODE_MESH, node.file = "skin.ply";
    node.color[0] = 0.87, node.color[1] = 0.68, node.color[2] = 0.58;
    model.skin = node.name;
    snStatus status = sn_add_node(spec, &node, &(snId){0});
    return status == SN_OK ? sn_set_model(spec, &model) : status;
}

static int write_skins(const char *tables, const char *folder)
{
    snSkinMeshDef def = sn_default_skin_mesh_def();
    snMesh mesh = {0};
    snError error = {0};
    def.tables = tables;
    for (int left = 0; left < 2; ++left) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s/skin.ply", folder, left ? "hand-left" : "hand");
        def.left = left;
        snStatus status = sn_author_skin(&def, &mesh, &error);
        if (status == SN_OK) status = sn_save_mesh(&mesh, path, &error);
        sn_mesh_free(&mesh);
        if (status != SN_OK) return complain(status, &error);
    }
    return 0;
}

static int write_hand(const char *tables, const char *folder, bool left, bool hood)
{
    snHandDef def = sn_default_hand_def();
    def.tables = tables;
    def.left = left;
    def.hood = hood;
    snError error = {0};
    snSpec *spec = NULL;
    snStatus status = sn_author_hand(&def, &spec, &error);
    if (status != SN_OK) return complain(status, &error);
    char path[1024];
    const char *name = hood ? "hand-hood" : left ? "hand-left" : "hand";
    snprintf(path, sizeof path, "%s/%s/%s.muscle.xml", folder, name, name);
    status = hood ? SN_OK : add_skin(spec);
    if (status == SN_OK) status = sn_save_model(spec, path, &error);
    sn_spec_destroy(spec);
    return status == SN_OK ? 0 : complain(status, &error);
}

static int write_shoulder(const char *tables, const char *folder)
{
    snShoulderDef def = sn_default_shoulder_def();
    def.tables = tables;
    snError error = {0};
    snSpec *spec = NULL;
    snStatus status = sn_author_shoulder(&def, &spec, &error);
    if (status != SN_OK) return complain(status, &error);
    char path[1024];
    snprintf(path, sizeof path, "%s/shoulder/shoulder.muscle.xml", folder);
    status = sn_save_model(spec, path, &error);
    sn_spec_destroy(spec);
    return status == SN_OK ? 0 : complain(status, &error);
}

int main(int argc, char **argv)
{
    const char *what = argc == 4 ? argv[1] : "";
    if (strcmp(what, "hand") != 0 && strcmp(what, "skin") != 0 && strcmp(what, "shoulder") != 0 &&
        strcmp(what, "hood") != 0) {
        fprintf(stderr, "usage: author_model hand|skin|shoulder|hood TABLES OUT\n");
        return 2;
    }
    if (strcmp(what, "hood") == 0) return write_hand(argv[2], argv[3], false, true);
    if (strcmp(what, "shoulder") == 0) return write_shoulder(argv[2], argv[3]);
    if (strcmp(what, "skin") == 0) return write_skins(argv[2], argv[3]);
    int failed = write_hand(argv[2], argv[3], false, false);
    return failed ? failed : write_hand(argv[2], argv[3], true, false);
}
