/* What the programs of the kit share. */
#include "common/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int kit_complain(const kitRun *run, snStatus status, const snError *error)
{
    char text[1400];
    (void)fprintf(stderr, "%s: %s\n", run->program, sn_error_format(error, text, sizeof text));
    return sn_status_exit_code(status);
}

static int usage(const kitRun *run, const char *flags)
{
    (void)fprintf(stderr, "usage: %s TABLES OUT %s\n", run->program, flags);
    return 2;
}

/* NAME.scene.xml for the NAME of FOLDER/NAME.muscle.xml. */
static void name_scene(kitRun *run)
{
    const char *slash = strrchr(run->out, '/'), *base = slash ? slash + 1 : run->out;
    const char *ending = strstr(base, ".muscle.xml");
    (void)snprintf(run->scene, sizeof run->scene, "%.*s.scene.xml", ending ? (int)(ending - base) : (int)strlen(base),
                   base);
}

/* flags: those that this program knows, as its usage shows them. */
int kit_read_arguments(kitRun *run, int argc, char **argv, const char *flags)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    *run = (kitRun){.program = slash ? slash + 1 : "kit"};
    if (argc < 3) return usage(run, flags);
    run->tables = argv[1], run->out = argv[2];
    name_scene(run);
    for (int i = 3; i < argc; ++i) {
        if (!strstr(flags, argv[i])) return usage(run, flags);
        if (strcmp(argv[i], "--left") == 0)
            run->left = true;
        else if (strcmp(argv[i], "--hood") == 0)
            run->hood = true;
        else if (strcmp(argv[i], "--splines") == 0)
            run->splines = true;
        else if (strcmp(argv[i], "--skin") == 0 && i + 1 < argc)
            run->skin = argv[++i];
        else if (strcmp(argv[i], "--triangles") == 0 && i + 1 < argc)
            run->triangles = atoi(argv[++i]);
        else
            return usage(run, flags);
    }
    return 0;
}

/* The skin stays in its own file, beside the scene that names it. */
static snStatus add_skin(snSpec *spec, const char *file)
{
    snModelDef model = *sn_spec_model(spec);
    snNodeDef node = sn_default_node_def();
    node.name = "skin", node.kind = SN_NODE_MESH, node.file = file;
    node.color[0] = 0.87, node.color[1] = 0.68, node.color[2] = 0.58;
    model.skin = node.name;
    snStatus status = sn_add_node(spec, &node, &(snId){0});
    return status == SN_OK ? sn_set_model(spec, &model) : status;
}

int kit_write_model(const kitRun *run, snSpec *spec)
{
    snError error = {0};
    snStatus status = run->skin ? add_skin(spec, run->skin) : SN_OK;
    if (status == SN_OK) status = sn_save_model(spec, run->out, &error);
    sn_spec_destroy(spec);
    return status == SN_OK ? 0 : kit_complain(run, status, &error);
}
