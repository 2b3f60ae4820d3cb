/* A sheet of muscle: parallel strands between a beam that is held and a bar that hangs, with struts between neighbours.
 */
#include "build.h"
#include "list.h"

#include <stdio.h>

enum { STRANDS = 132, POINTS = 16 };

static void strand_name(char *name, size_t size, int i)
{
    (void)snprintf(name, size, "strand%03d", i + 1);
}

/* Six struts towards the next strand from every even one, five from every odd one, at staggered heights. */
static void add_struts(snBuild *build, int i)
{
    char name[48], from[24], to[24];
    int count = i % 2 ? 5 : 6;
    strand_name(from, sizeof from, i);
    strand_name(to, sizeof to, i + 1);
    for (int k = 0; k < count; ++k) {
        (void)snprintf(name, sizeof name, "strut%03d.%d", i + 1, k + 1);
        snConstraintDef def = sn_default_constraint_def();
        def.name = name;
        def.type = SN_CONSTRAINT_STRUT;
        def.mode = SN_STRUT_ROW;
        def.strand = from;
        def.attachment = to;
        def.position = def.attachment_position = (k + 1.0) / (count + 1.0);
        snId id;
        if (build->status == SN_OK) build->status = sn_add_constraint(build->spec, &def, &id);
    }
}

snSpec *sn_scene_sheet(void)
{
    snBuild build = sn_build_begin();
    sn_build_model(&build, 0, 0.004);
    double width = 0.002 * (STRANDS - 1);
    double top[3] = {width / 2, 0.005, 0}, bottom[3] = {width / 2, -0.205, 0};
    sn_build_body(&build, "beam", top, NULL, (double[3]){width / 2, 0.005, 0.005}, 0);
    sn_build_body(&build, "bar", bottom, NULL, (double[3]){width / 2, 0.005, 0.005}, 1);
    for (int i = 0; i < STRANDS; ++i) {
        char name[24];
        strand_name(name, sizeof name, i);
        snVia via[2] = {{.p = {0.002 * i, 0, 0}, .kind = SN_VIA_FIXED, .on = "beam"},
                        {.p = {0.002 * i, -0.2, 0}, .kind = SN_VIA_FIXED, .on = "bar"}};
        snPath path = {.via = via, .nvia = 2, .npoint = POINTS};
        snStrandDef def = sn_default_strand_def();
        def.name = name;
        def.density = 1060;
        def.radius = 0.001;
        def.stiffness = 1e6;
        def.belly_start = 0.1;
        def.belly_end = 0.9;
        def.max_force = 0.5;
        def.damping = 0.002;
        def.mass_damping = 2;
        sn_build_strand(&build, &def, &path);
    }
    for (int i = 0; i + 1 < STRANDS; ++i) add_struts(&build, i);
    return sn_build_end(&build);
}
