/* A small finger whose muscles are paths. */
#include "build.h"
#include "scenes.h"

static const double half[3] = {0.01, 0.01, 0.01};

static void add_hinge(snBuild *b, const char *name, const char *a, const char *c, double x)
{
    snJointDef def = sn_default_joint_def();
    def.name = name, def.type = SN_JOINT_TYPE_HINGE, def.body_a = a, def.body_b = c;
    def.position[0] = x;
    def.damping[0] = 4e-3;
    sn_build_joint(b, &def);
}

/* Both with a Hill belly of 80 mm. */
static void add_muscles(snBuild *b, double stiffness)
{
    snStrandDef def = sn_default_strand_def();
    def.kind = SN_STRAND_PATH, def.radius = 0.0018, def.tendon_stiffness = stiffness, def.damping = 0.0015;
    def.passive_fl = "hill-passive", def.active_fl = "hill-active", def.max_force = 20, def.stiffness = 1e6;
    def.name = "flexor";
    static const snVia flexor[] = {{.p = {-0.15, -0.01, 0}, .kind = SN_VIA_FIXED, .on = "base"},
                                   {.p = {-0.03, -0.009, 0}, .kind = SN_VIA_SLIDING, .on = "base"},
                                   {.p = {-0.01, -0.009, 0}, .kind = SN_VIA_SLIDING, .on = "base"},
                                   {.p = {0.01, -0.008, 0}, .kind = SN_VIA_SLIDING, .on = "one"},
                                   {.p = {0.02, -0.008, 0}, .kind = SN_VIA_SLIDING, .on = "one"},
                                   {.p = {0.032, -0.007, 0}, .kind = SN_VIA_SLIDING, .on = "one"},
                                   {.p = {0.047, -0.006, 0}, .kind = SN_VIA_SLIDING, .on = "two"},
                                   {.p = {0.06, -0.003, 0}, .kind = SN_VIA_FIXED, .on = "two"}};
    snPath path = {.via = flexor, .nvia = 8, .npoint = 60, .belly = 0.08};
    sn_build_strand(b, &def, &path);
    def.name = "extensor";
    static const snVia extensor[] = {{.p = {-0.15, 0.01, 0}, .kind = SN_VIA_FIXED, .on = "base"},
                                     {.p = {-0.02, 0.008, 0}, .kind = SN_VIA_SLIDING, .on = "base"},
                                     {.p = {0, 0.0085, 0}, .kind = SN_VIA_SURFACE, .on = "head"},
                                     {.p = {0.02, 0.008, 0}, .kind = SN_VIA_SLIDING, .on = "one"},
                                     {.p = {0.04, 0.0075, 0}, .kind = SN_VIA_SURFACE, .on = "neck"},
                                     {.p = {0.055, 0.004, 0}, .kind = SN_VIA_FIXED, .on = "two"}};
    snPath back = {.via = extensor, .nvia = 6, .npoint = 60, .belly = 0.08};
    sn_build_strand(b, &def, &back);
}

/* Two bones of 20 and 10 g, a flexor through six eyelets and an extensor over two knuckles. */
snSpec *sn_scene_path_finger(double stiffness)
{
    double nowhere[3] = {-0.02, 0, 0}, first[3] = {0.02, 0, 0}, second[3] = {0.055, 0, 0}, axis[3] = {0, 0, 1};
    double bone1[3] = {0.02, 0.005, 0.005}, bone2[3] = {0.015, 0.004, 0.004}, knuckle[3] = {0, 0, 0},
           joint[3] = {0.04, 0, 0};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0.004);
    sn_build_body(&b, "base", nowhere, NULL, half, 0);
    sn_build_body(&b, "one", first, NULL, bone1, 0.02);
    sn_build_body(&b, "two", second, NULL, bone2, 0.01);
    add_hinge(&b, "mcp", "base", "one", 0);
    add_hinge(&b, "pip", "one", "two", 0.04);
    sn_build_cylinder(&b, "head", "base", knuckle, axis, 0.006, 0.03);
    sn_build_cylinder(&b, "neck", "one", joint, axis, 0.005, 0.03);
    add_muscles(&b, stiffness);
    return sn_build_end(&b);
}
