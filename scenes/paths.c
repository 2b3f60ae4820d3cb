/* A small finger whose muscles are paths; its extensor is one strand, or branches. */
#include "build.h"
#include "scenes.h"

static const double half[3] = {0.01, 0.01, 0.01};

static void add_hinge(snBuild *b, const char *name, const char *a, const char *c, double x, double stiffness)
{
    snJointDef def = sn_default_joint_def();
    def.name = name, def.type = SN_JOINT_TYPE_HINGE, def.body_a = a, def.body_b = c;
    def.position[0] = x;
    def.damping[0] = 4e-3, def.stiffness[0] = stiffness;
    sn_build_joint(b, &def);
}

static snStrandDef muscle_def(const char *name, double stiffness, double force)
{
    snStrandDef def = sn_default_strand_def();
    def.kind = SN_STRAND_PATH, def.radius = 0.0018, def.tendon_stiffness = stiffness, def.damping = 0.0015;
    def.passive_fl = "hill-passive", def.active_fl = "hill-active", def.max_force = force, def.stiffness = 1e6;
    def.name = name;
    return def;
}

static void add_muscle(snBuild *b, const snStrandDef *def, const snVia *via, int32_t n, int32_t npoint, double belly)
{
    snPath path = {.via = via, .nvia = n, .npoint = npoint, .belly = belly};
    sn_build_strand(b, def, &path);
}

/* With a Hill belly of 80 mm, as the extensor. */
static void add_flexor(snBuild *b, double stiffness)
{
    snStrandDef def = muscle_def("flexor", stiffness, 20);
    static const snVia flexor[] = {{.p = {-0.15, -0.01, 0}, .kind = SN_VIA_FIXED, .on = "base"},
                                   {.p = {-0.03, -0.009, 0}, .kind = SN_VIA_SLIDING, .on = "base"},
                                   {.p = {-0.01, -0.009, 0}, .kind = SN_VIA_SLIDING, .on = "base"},
                                   {.p = {0.01, -0.008, 0}, .kind = SN_VIA_SLIDING, .on = "one"},
                                   {.p = {0.02, -0.008, 0}, .kind = SN_VIA_SLIDING, .on = "one"},
                                   {.p = {0.032, -0.007, 0}, .kind = SN_VIA_SLIDING, .on = "one"},
                                   {.p = {0.047, -0.006, 0}, .kind = SN_VIA_SLIDING, .on = "two"},
                                   {.p = {0.06, -0.003, 0}, .kind = SN_VIA_FIXED, .on = "two"}};
    add_muscle(b, &def, flexor, 8, 60, 0.08);
}

static void add_extensor(snBuild *b, double stiffness)
{
    snStrandDef def = muscle_def("extensor", stiffness, 20);
    static const snVia extensor[] = {{.p = {-0.15, 0.01, 0}, .kind = SN_VIA_FIXED, .on = "base"},
                                     {.p = {-0.02, 0.008, 0}, .kind = SN_VIA_SLIDING, .on = "base"},
                                     {.p = {0, 0.0085, 0}, .kind = SN_VIA_SURFACE, .on = "head"},
                                     {.p = {0.02, 0.008, 0}, .kind = SN_VIA_SLIDING, .on = "one"},
                                     {.p = {0.04, 0.0075, 0}, .kind = SN_VIA_SURFACE, .on = "neck"},
                                     {.p = {0.055, 0.004, 0}, .kind = SN_VIA_FIXED, .on = "two"}};
    add_muscle(b, &def, extensor, 6, 60, 0.08);
}

/* The extensor ends as a central slip over the second knuckle. Lateral bands leave it on the first bone; the muscles of
 * both sides end on them. */
static void add_hood(snBuild *b, double stiffness)
{
    static const snVia extensor[] = {{.p = {-0.15, 0.01, 0}, .kind = SN_VIA_FIXED, .on = "base"},
                                     {.p = {-0.02, 0.008, 0}, .kind = SN_VIA_SLIDING, .on = "base"},
                                     {.p = {0, 0.0085, 0}, .kind = SN_VIA_SURFACE, .on = "head"},
                                     {.p = {0.012, 0.0085, 0}, .kind = SN_VIA_SLIDING, .on = "one"},
                                     {.p = {0.04, 0.0065, 0}, .kind = SN_VIA_SURFACE, .on = "neck"},
                                     {.p = {0.05, 0.004, 0}, .kind = SN_VIA_FIXED, .on = "two"}};
    static const snVia band[2][3] = {{{.p = {0.02, 0.0081, 0}, .kind = SN_VIA_JOINED, .on = "extensor"},
                                      {.p = {0.037, 0.005, 0.006}, .kind = SN_VIA_SLIDING, .on = "one"},
                                      {.p = {0.062, 0.003, 0.001}, .kind = SN_VIA_FIXED, .on = "two"}},
                                     {{.p = {0.02, 0.0081, 0}, .kind = SN_VIA_JOINED, .on = "extensor"},
                                      {.p = {0.037, 0.005, -0.006}, .kind = SN_VIA_SLIDING, .on = "one"},
                                      {.p = {0.062, 0.003, -0.001}, .kind = SN_VIA_FIXED, .on = "two"}}};
    static const snVia lumbrical[] = {{.p = {-0.04, -0.0091, 0}, .kind = SN_VIA_FIXED, .on = "flexor"},
                                      {.p = {0.012, -0.004, 0.005}, .kind = SN_VIA_SLIDING, .on = "one"},
                                      {.p = {0.029, 0.00648, 0.00318}, .kind = SN_VIA_JOINED, .on = "radial"}};
    static const snVia interosseous[] = {{.p = {-0.05, -0.002, -0.008}, .kind = SN_VIA_FIXED, .on = "base"},
                                         {.p = {0.012, -0.001, -0.006}, .kind = SN_VIA_SLIDING, .on = "one"},
                                         {.p = {0.029, 0.00648, -0.00318}, .kind = SN_VIA_JOINED, .on = "ulnar"}};
    snStrandDef def = muscle_def("extensor", stiffness, 20);
    add_muscle(b, &def, extensor, 6, 60, 0.08);
    def = muscle_def("radial", stiffness, 1), def.active_scale = 0, def.radius = 0.001,
    def.belly_start = def.belly_end = 0;
    add_muscle(b, &def, band[0], 3, 20, 0);
    def.name = "ulnar";
    add_muscle(b, &def, band[1], 3, 20, 0);
    def = muscle_def("lumbrical", stiffness, 1), def.radius = 0.001;
    add_muscle(b, &def, lumbrical, 3, 30, 0.05);
    def = muscle_def("interosseous", stiffness, 3), def.radius = 0.001;
    add_muscle(b, &def, interosseous, 3, 30, 0.05);
}

/* Two bones of 20 and 10 g with their knuckles. */
static snBuild begin_finger(double stiffness)
{
    double nowhere[3] = {-0.02, 0, 0}, first[3] = {0.02, 0, 0}, second[3] = {0.055, 0, 0}, axis[3] = {0, 0, 1};
    double bone1[3] = {0.02, 0.005, 0.005}, bone2[3] = {0.015, 0.004, 0.004}, knuckle[3] = {0, 0, 0},
           joint[3] = {0.04, 0, 0};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0.004);
    sn_build_body(&b, "base", nowhere, NULL, half, 0);
    sn_build_body(&b, "one", first, NULL, bone1, 0.02);
    sn_build_body(&b, "two", second, NULL, bone2, 0.01);
    add_hinge(&b, "mcp", "base", "one", 0, stiffness);
    add_hinge(&b, "pip", "one", "two", 0.04, stiffness);
    sn_build_cylinder(&b, "head", "base", knuckle, axis, 0.006, 0.03);
    sn_build_cylinder(&b, "neck", "one", joint, axis, 0.005, 0.03);
    return b;
}

/* A flexor through six eyelets and an extensor over two knuckles. */
snSpec *sn_scene_path_finger(double stiffness)
{
    snBuild b = begin_finger(0);
    add_flexor(&b, stiffness);
    add_extensor(&b, stiffness);
    return sn_build_end(&b);
}

snSpec *sn_scene_path_hood(double stiffness)
{
    snBuild b = begin_finger(0.05); /* N m/rad: without it the muscles throw the bones about */
    add_flexor(&b, stiffness);
    add_hood(&b, stiffness);
    return sn_build_end(&b);
}
