/* An index finger: the metacarpal held, three phalanges, eight musculotendons.
 *
 * +x radial, +y proximal (up: the hand hangs), +z dorsal; the origin is the centre of the wrist. Centres, axes, ranges,
 * masses and the widths of the phalanges follow [Buryanov & Kotiuk 2010] and [Chadwick 2014]; maximal forces and slack
 * lengths [Saul 2015] and [Lieber 1992]; via points are placed so that the moment arms of [An 1983] come out.
 * The wrist does not move here, so what lies on the forearm is fixed to the metacarpal. */
#include "build.h"
#include "list.h"

#include <math.h>

static const double flexion_axis[3] = {0.9901, 0.1216, -0.0698}; /* x of a phalanx */
static const double along_axis[3] = {-0.1219, 0.9925, 0.0000};   /* y, proximal */
static const double dorsal_axis[3] = {0.0692, 0.0085, 0.9976};   /* z */
static const double mcp[3] = {0.02200, -0.08670, 0.00400};
static const double pip[3] = {0.02767, -0.13285, 0.00400};
static const double dip[3] = {0.03091, -0.15926, 0.00400};

static void add_bones(snBuild *build)
{
    static const struct {
        const char *name;
        double center[3], half[3], mass;
    } bone[] = {
        {"metacarpal", {0.011, -0.043, 0.003}, {0.008, 0.034, 0.007}, 0},
        {"proximal", {0.02455, -0.10747, 0.00400}, {0.0069, 0.0232, 0.0054}, 0.0158},
        {"middle", {0.02913, -0.14473, 0.00400}, {0.0059, 0.0133, 0.0041}, 0.0049},
        {"distal", {0.03203, -0.16841, 0.00400}, {0.0047, 0.0102, 0.0028}, 0.0018},
    };
    double turn[4];
    sn_build_axes(flexion_axis, along_axis, dorsal_axis, turn);
    for (int i = 0; i < 4; ++i) sn_build_body(build, bone[i].name, bone[i].center, turn, bone[i].half, bone[i].mass);
}

static snJointDef joint_at(const char *name, const char *a, const char *b, const double center[3])
{
    snJointDef def = sn_default_joint_def();
    /* z: flexion; y: deviation (towards the thumb); x completes them. */
    double x[3];
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        x[k] = dorsal_axis[i] * flexion_axis[j] - dorsal_axis[j] * flexion_axis[i];
        def.position[k] = center[k];
    }
    sn_build_axes(x, dorsal_axis, flexion_axis, def.rotation);
    def.name = name;
    def.type = SN_JOINT_TYPE_HINGE;
    def.body_a = a;
    def.body_b = b;
    def.limited = true;
    def.stiffness[0] = 0.03;
    def.damping[0] = 0.004;
    def.motions = "flexion";
    return def;
}

static void add_joints(snBuild *build)
{
    snJointDef def = joint_at("MCP", "metacarpal", "proximal", mcp);
    def.type = SN_JOINT_TYPE_UNIVERSAL;
    def.motions = "flexion deviation";
    def.lower[0] = -30, def.upper[0] = 90;
    def.lower[1] = -20, def.upper[1] = 20;
    def.stiffness[1] = 0.1;
    def.damping[1] = 0.004;
    sn_build_joint(build, &def);
    def = joint_at("PIP", "proximal", "middle", pip);
    def.lower[0] = -5, def.upper[0] = 100; /* 0 would start at the stop */
    sn_build_joint(build, &def);
    def = joint_at("DIP", "middle", "distal", dip);
    def.lower[0] = -5, def.upper[0] = 80;
    sn_build_joint(build, &def);
}

static void add_wraps(snBuild *build)
{
    sn_build_cylinder(build, "MCP_wrap", "metacarpal", mcp, flexion_axis, 0.0086, 0.014);
    sn_build_cylinder(build, "PIP_wrap", "proximal", pip, flexion_axis, 0.0050, 0.012);
    sn_build_cylinder(build, "DIP_wrap", "middle", dip, flexion_axis, 0.0030, 0.010);
}

/* A musculotendon: maximal force N, radius of the tendon m, slack length of the tendon m. */
static void add_muscle(snBuild *build, const char *name, double max_force, double radius, double slack,
                       const snVia *via, int nvia, int npoint)
{
    snPath path = {.via = via, .nvia = nvia, .npoint = npoint};
    double total = 0;
    for (int i = 1; i < nvia; ++i) {
        double d2 = 0;
        for (int k = 0; k < 3; ++k) d2 += (via[i].p[k] - via[i - 1].p[k]) * (via[i].p[k] - via[i - 1].p[k]);
        double d = sqrt(d2);
        /* Points lie four times as dense from the palm on, where the tendon slides through its pulleys. */
        if (via[i].p[1] > -0.06) path.fine_from += d;
        total += d;
    }
    path.fine_ratio = path.fine_from > 0.05 ? 4 : 1;
    path.belly = total - slack;
    snStrandDef def = sn_default_strand_def();
    def.name = name;
    def.density = 1060;
    def.radius = radius;
    def.max_force = max_force;
    def.stiffness = 1e6;
    def.tendon_stiffness = 1e8;
    def.damping = 0.002;
    def.mass_damping = 1;
    def.tension_only = true;
    def.active_fl = "hill-active"; /* a force that did not fall with the length would crush a slack belly */
    sn_build_strand(build, &def, &path);
}

#define FIXED(body, x, y, z)                                                                                           \
    {                                                                                                                  \
        .p = {x, y, z}, .kind = SN_VIA_FIXED, .on = body                                                               \
    }
#define EYELET(body, x, y, z)                                                                                          \
    {                                                                                                                  \
        .p = {x, y, z}, .kind = SN_VIA_SLIDING, .on = body                                                             \
    }
#define WRAP(node, reach, x, y, z)                                                                                     \
    {                                                                                                                  \
        .p = {x, y, z}, .kind = SN_VIA_SURFACE, .on = node, .before = reach, .after = 0.004                            \
    }
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static void add_flexors(snBuild *build)
{
    static const snVia fdp[] = {
        FIXED("metacarpal", -0.0140, 0.1600, -0.0330),  EYELET("metacarpal", 0.0060, 0.0140, -0.0105),
        EYELET("metacarpal", 0.0060, -0.0140, -0.0105), EYELET("metacarpal", 0.0212, -0.0765, -0.0052),
        EYELET("proximal", 0.0237, -0.0968, -0.0052),   EYELET("proximal", 0.0263, -0.1250, -0.0021),
        EYELET("middle", 0.0282, -0.1409, -0.0021),     EYELET("middle", 0.0301, -0.1548, 0.0004),
        FIXED("distal", 0.0313, -0.1647, 0.0004)};
    static const snVia fds[] = {
        FIXED("metacarpal", -0.0140, 0.2320, -0.0480),  EYELET("metacarpal", 0.0050, 0.0140, -0.0130),
        EYELET("metacarpal", 0.0050, -0.0140, -0.0130), EYELET("metacarpal", 0.0217, -0.0757, -0.0059),
        EYELET("proximal", 0.0243, -0.0974, -0.0059),   EYELET("proximal", 0.0266, -0.1267, -0.0008),
        FIXED("middle", 0.0283, -0.1408, -0.0008)};
    add_muscle(build, "FDP2", 197.3, 0.0020, 0.2437, fdp, COUNT(fdp), 52);
    add_muscle(build, "FDS2", 162.5, 0.0018, 0.2814, fds, COUNT(fds), 44);
}

static void add_extensors(snBuild *build)
{
    static const snVia ed[] = {
        FIXED("metacarpal", -0.0210, 0.2570, -0.0120),    EYELET("metacarpal", 0.0040, 0.0140, 0.0145),
        EYELET("metacarpal", 0.0040, -0.0140, 0.0145),    EYELET("metacarpal", 0.0211, -0.0747, 0.0126),
        WRAP("MCP_wrap", 0.008, 0.0226, -0.0866, 0.0126), EYELET("proximal", 0.0241, -0.0985, 0.0126),
        EYELET("proximal", 0.0270, -0.1249, 0.0090),      WRAP("PIP_wrap", 0.004, 0.0280, -0.1328, 0.0090),
        EYELET("middle", 0.0290, -0.1408, 0.0090),        EYELET("middle", 0.0304, -0.1533, 0.0070),
        WRAP("DIP_wrap", 0.004, 0.0311, -0.1592, 0.0070), FIXED("distal", 0.0317, -0.1642, 0.0070)};
    static const snVia ei[] = {
        FIXED("metacarpal", -0.0190, 0.0850, -0.0040),    EYELET("metacarpal", 0.0010, 0.0140, 0.0135),
        EYELET("metacarpal", 0.0010, -0.0140, 0.0135),    EYELET("metacarpal", 0.0199, -0.0749, 0.0131),
        WRAP("MCP_wrap", 0.008, 0.0213, -0.0868, 0.0131), EYELET("proximal", 0.0228, -0.0987, 0.0131),
        EYELET("proximal", 0.0270, -0.1249, 0.0090),      WRAP("PIP_wrap", 0.004, 0.0280, -0.1328, 0.0090),
        EYELET("middle", 0.0290, -0.1408, 0.0090),        EYELET("middle", 0.0304, -0.1533, 0.0070),
        WRAP("DIP_wrap", 0.004, 0.0311, -0.1592, 0.0070), FIXED("distal", 0.0317, -0.1642, 0.0070)};
    add_muscle(build, "ED2", 48.8, 0.0013, 0.3749, ed, COUNT(ed), 56);
    add_muscle(build, "EI", 47.3, 0.0011, 0.2097, ei, COUNT(ei), 48);
}

static void add_intrinsics(snBuild *build)
{
    /* The lumbrical starts on the tendon of the deep flexor. */
    static const snVia lumbrical[] = {
        FIXED("FDP2", 0.0133, -0.0461, -0.0085),      EYELET("metacarpal", 0.0252, -0.0777, -0.0039),
        EYELET("proximal", 0.0273, -0.0947, -0.0039), EYELET("proximal", 0.0319, -0.1253, 0.0055),
        EYELET("middle", 0.0336, -0.1392, 0.0055),    EYELET("middle", 0.0314, -0.1532, 0.0049),
        FIXED("distal", 0.0328, -0.1641, 0.0049)};
    static const snVia radial_shallow[] = {FIXED("metacarpal", 0.0347, -0.0401, -0.0133),
                                           EYELET("metacarpal", 0.0273, -0.0810, 0.0015),
                                           FIXED("proximal", 0.0287, -0.0924, 0.0015)};
    static const snVia radial_deep[] = {FIXED("metacarpal", 0.0220, -0.0500, 0.0010),
                                        EYELET("metacarpal", 0.0273, -0.0810, 0.0015),
                                        FIXED("proximal", 0.0287, -0.0924, 0.0015)};
    static const snVia ulnar[] = {
        FIXED("metacarpal", 0.0135, -0.0550, -0.0030), EYELET("metacarpal", 0.0151, -0.0810, -0.0002),
        EYELET("proximal", 0.0167, -0.0939, -0.0002),  EYELET("proximal", 0.0220, -0.1265, 0.0067),
        EYELET("middle", 0.0237, -0.1404, 0.0067),     EYELET("middle", 0.0291, -0.1534, 0.0055),
        FIXED("distal", 0.0304, -0.1644, 0.0055)};
    add_muscle(build, "LU2", 10.8, 0.0008, 0.0673, lumbrical, COUNT(lumbrical), 34);
    add_muscle(build, "DI1_s", 73.5, 0.0012, 0.0244, radial_shallow, COUNT(radial_shallow), 16);
    add_muscle(build, "DI1_d", 73.5, 0.0012, 0.0117, radial_deep, COUNT(radial_deep), 14);
    add_muscle(build, "PI1", 73.5, 0.0010, 0.0873, ulnar, COUNT(ulnar), 32);
}

snSpec *sn_scene_finger(void)
{
    snBuild build = sn_build_begin();
    sn_build_model(&build, 0.2, 0.002);
    add_bones(&build);
    add_joints(&build);
    add_wraps(&build);
    add_flexors(&build);
    add_extensors(&build);
    add_intrinsics(&build);
    return sn_build_end(&build);
}
