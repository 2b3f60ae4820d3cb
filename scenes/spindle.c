/* A spindle: strands of one volumetric muscle between a plate that is held and one that slides along the axis. Its
 * volume is kept, so that it bulges when it shortens. */
#include "build.h"
#include "list.h"
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STRANDS = 24, MOST_STRANDS = 99, POINTS = 14, VIAS = 33 };
static const double LENGTH = 0.15, BELLY = 0.012, END = 0.005; /* m: length, radius in the middle and at the ends */
static const double GOLDEN = 2.39996322972865332;              /* rad: spreads points evenly over a disc */

static void lay_strand(snBuild *build, int i, int count)
{
    char name[24];
    snVia via[VIAS] = {{.kind = SN_VIA_FREE}};
    double turn = i * GOLDEN, share = sqrt((i + 0.5) / count);
    for (int k = 0; k < VIAS; ++k) {
        double t = (double)k / (VIAS - 1), bulge = sin(3.14159265358979 * t);
        double r = share * (END + (BELLY - END) * bulge * bulge);
        via[k].p[0] = r * cos(turn), via[k].p[1] = -LENGTH * t, via[k].p[2] = r * sin(turn);
    }
    via[0].kind = via[VIAS - 1].kind = SN_VIA_FIXED;
    via[0].on = "origin", via[VIAS - 1].on = "insertion";
    snPath path = {.via = via, .nvia = VIAS, .npoint = POINTS};
    snStrandDef def = sn_default_strand_def();
    (void)snprintf(name, sizeof name, "fibre%02d", i + 1);
    def.name = name, def.density = 1060, def.radius = BELLY / sqrt(count);
    def.stiffness = 1e6, def.max_force = 96.0 / count, def.damping = 0.002, def.mass_damping = 5;
    sn_build_strand(build, &def, &path);
}

static void add_slide(snBuild *build)
{
    snJointDef slide = sn_default_joint_def();
    double down[3] = {0, -1, 0};
    slide.name = "slide", slide.type = SN_JOINT_TYPE_PRISMATIC, slide.body_a = "origin", slide.body_b = "insertion";
    slide.position[1] = -LENGTH;
    sn_build_z_to(down, slide.rotation);
    sn_build_joint(build, &slide);
}

snSpec *sn_scene_spindle_of(int32_t strands)
{
    snBuild build = sn_build_begin();
    double top[3] = {0, 0.005, 0}, bottom[3] = {0, -LENGTH - 0.005, 0}, half[3] = {0.01, 0.005, 0.01};
    sn_build_model(&build, 0.2, 0.004);
    sn_build_body(&build, "origin", top, NULL, half, 0);
    sn_build_body(&build, "insertion", bottom, NULL, half, 1);
    add_slide(&build);
    char list[MOST_STRANDS * 10] = "";
    for (int i = 0; i < strands && i < MOST_STRANDS; ++i) {
        char name[16];
        lay_strand(&build, i, strands);
        (void)snprintf(name, sizeof name, "fibre%02d ", i + 1);
        strcat(list, name);
    }
    snGroupDef group = sn_default_group_def();
    group.name = "belly", group.strands = list, group.preserve = true, group.start = 0.05, group.end = 0.95;
    snId id;
    if (build.status == SN_OK) build.status = sn_add_group(build.spec, &group, &id);
    return sn_build_end(&build);
}

snSpec *sn_scene_spindle(void)
{
    return sn_scene_spindle_of(STRANDS);
}
