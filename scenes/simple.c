/* Pendulum, cable, string, pulley and crane: the scenes that have an analytic result. */
#include "build.h"
#include "list.h"
#include "scenes.h"

#include <math.h>

static const double nowhere[3] = {0, 0, 0};
static const double small[3] = {0.01, 0.01, 0.01};

snSpec *sn_scene_pendulum(void)
{
    snBuild build = sn_build_begin();
    sn_build_model(&build, 0, 0.001); /* settling would let it fall */
    double middle[3] = {SN_SCENE_PENDULUM_LENGTH / 2, 0, 0};
    double half[3] = {SN_SCENE_PENDULUM_LENGTH / 2, 0.005, 0.005};
    sn_build_body(&build, "ground", nowhere, NULL, small, 0);
    sn_build_body(&build, "rod", middle, NULL, half, 1);
    snJointDef hinge = sn_default_joint_def();
    hinge.name = "hinge";
    hinge.type = SN_JOINT_TYPE_HINGE; /* about z */
    hinge.body_a = "ground";
    hinge.body_b = "rod";
    sn_build_joint(&build, &hinge);
    return sn_build_end(&build);
}

/* 2 c sinh(span / 2 c) = length, by bisection. */
double sn_scene_catenary(void)
{
    double low = 0.01, high = 10;
    for (int i = 0; i < 80; ++i) {
        double c = 0.5 * (low + high);
        if (2 * c * sinh(SN_SCENE_CABLE_SPAN / (2 * c)) > SN_SCENE_CABLE_LENGTH)
            low = c;
        else
            high = c;
    }
    return 0.5 * (low + high);
}

snSpec *sn_scene_cable(void)
{
    enum { VIAS = 201, POINTS = 19 };
    snVia via[VIAS] = {0};
    double c = sn_scene_catenary(), top = c * cosh(SN_SCENE_CABLE_SPAN / (2 * c)), half = SN_SCENE_CABLE_LENGTH / 2;
    for (int i = 0; i < VIAS; ++i) {
        double along = half * (2.0 * i / (VIAS - 1) - 1), x = c * asinh(along / c);
        via[i].p[0] = x + SN_SCENE_CABLE_SPAN / 2;
        via[i].p[1] = c * cosh(x / c) - top;
    }
    via[0].kind = via[VIAS - 1].kind = SN_VIA_FIXED;
    via[0].on = via[VIAS - 1].on = "ground";
    snPath path = {.via = via, .nvia = VIAS, .npoint = POINTS};

    snBuild build = sn_build_begin();
    sn_build_model(&build, 0, 0.004);
    sn_build_body(&build, "ground", nowhere, NULL, small, 0);
    snStrandDef def = sn_default_strand_def();
    def.name = "cable";
    def.density = 1000;
    def.radius = 0.001;
    def.tendon_stiffness = def.stiffness = 1e8;
    def.mass_damping = 4;
    def.belly_start = def.belly_end = 0;
    double point[3 * POINTS];
    sn_build_points(&path, point);
    def.rest_scale = SN_SCENE_CABLE_LENGTH / sn_build_curve_length(point, POINTS);
    sn_build_strand(&build, &def, &path);
    return sn_build_end(&build);
}

snSpec *sn_scene_string(void)
{
    enum { VIAS = 101 };
    snVia via[VIAS] = {0};
    for (int i = 0; i < VIAS; ++i) {
        double t = (double)i / (VIAS - 1);
        via[i].p[0] = SN_SCENE_STRING_LENGTH * t;
        via[i].p[2] = 0.001 * sin(3.14159265358979 * t); /* sideways, so that gravity does not matter */
    }
    via[0].kind = via[VIAS - 1].kind = SN_VIA_FIXED;
    via[0].on = via[VIAS - 1].on = "ground";
    snPath path = {.via = via, .nvia = VIAS, .npoint = 19};

    snBuild build = sn_build_begin();
    sn_build_model(&build, 0, 0.00025);
    sn_build_body(&build, "ground", nowhere, NULL, small, 0);
    snStrandDef def = sn_default_strand_def();
    def.name = "string";
    def.density = 1000;
    def.radius = 0.001;
    def.tendon_stiffness = def.stiffness = 1e8;
    def.damping = def.mass_damping = 0;
    def.belly_start = def.belly_end = 0;
    def.rest_scale = 1 / (1 + SN_SCENE_STRING_STRAIN);
    sn_build_strand(&build, &def, &path);
    return sn_build_end(&build);
}

/* A rope with a muscle at its start that holds about `load` N at the length drawn. */
static snStrandDef hoist(const char *name, double load)
{
    snStrandDef def = sn_default_strand_def();
    def.name = name;
    def.density = 1000;
    def.radius = 0.002;
    def.damping = 0.001;
    def.stiffness = 1e7;
    def.tendon_stiffness = 1e8;
    def.max_force = 2 * load;
    def.active_fl = "constant"; /* so that the lift has a closed form */
    def.tension_only = false; /* activation shifts the rest length; a slack belly under constant force would collapse */
    double section = 3.14159265358979 * def.radius * def.radius;
    def.belly_rest_scale = 1 / (1 + load / (def.stiffness * section));
    def.rest_scale = 1 / (1 + load / (def.tendon_stiffness * section));
    return def;
}

snSpec *sn_scene_pulley(void)
{
    snVia via[] = {{.p = {-0.2, 0, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                   {.p = {0, 0, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                   {.p = {0, -0.2, 0}, .kind = SN_VIA_FIXED, .on = "weight"}};
    snPath path = {.via = via, .nvia = 3, .npoint = 80, .belly = 0.12};
    snBuild build = sn_build_begin();
    sn_build_model(&build, 0.2, 0);
    sn_build_body(&build, "frame", nowhere, NULL, small, 0);
    double hangs[3] = {0, -0.22, 0}, half[3] = {0.02, 0.02, 0.02};
    sn_build_body(&build, "weight", hangs, NULL, half, SN_SCENE_PULLEY_LOAD);
    snStrandDef def = hoist("rope", 9.81 * SN_SCENE_PULLEY_LOAD);
    sn_build_strand(&build, &def, &path);
    return sn_build_end(&build);
}

static void add_boom(snBuild *build)
{
    double middle[3] = {0.25, 0, 0}, half[3] = {0.25, 0.01, 0.01};
    sn_build_body(build, "boom", middle, NULL, half, 0.3);
    snJointDef heel = sn_default_joint_def();
    heel.name = "heel";
    heel.type = SN_JOINT_TYPE_HINGE;
    heel.body_a = "tower";
    heel.body_b = "boom";
    heel.damping[0] = 0.05;
    sn_build_joint(build, &heel);
}

snSpec *sn_scene_crane(void)
{
    /* The stay holds the boom's tip from the tower's top; the hoist runs from the foot over top and tip to the load. */
    snVia stay[] = {{.p = {0, 0.3, 0.01}, .kind = SN_VIA_FIXED, .on = "tower"},
                    {.p = {0.48, 0, 0.01}, .kind = SN_VIA_FIXED, .on = "boom"}};
    snVia rope[] = {{.p = {-0.15, 0, 0}, .kind = SN_VIA_FIXED, .on = "tower"},
                    {.p = {-0.03, 0.3, 0}, .kind = SN_VIA_SLIDING, .on = "tower"},
                    {.p = {0.5, 0, 0}, .kind = SN_VIA_SLIDING, .on = "boom"},
                    {.p = {0.5, -0.2, 0}, .kind = SN_VIA_FIXED, .on = "load"}};
    snPath stay_path = {.via = stay, .nvia = 2, .npoint = 8};
    snPath rope_path = {.via = rope, .nvia = 4, .npoint = 90, .belly = 0.15};
    snBuild build = sn_build_begin();
    sn_build_model(&build, 0.3, 0);
    sn_build_body(&build, "tower", nowhere, NULL, small, 0);
    add_boom(&build);
    double hangs[3] = {0.5, -0.22, 0}, half[3] = {0.02, 0.02, 0.02};
    sn_build_body(&build, "load", hangs, NULL, half, 0.5);
    snStrandDef def = sn_default_strand_def();
    def.name = "stay";
    def.density = 1000;
    def.radius = 0.002;
    def.tendon_stiffness = def.stiffness = 1e8;
    def.belly_start = def.belly_end = 0;
    sn_build_strand(&build, &def, &stay_path);
    def = hoist("hoist", 9.81 * 0.5);
    sn_build_strand(&build, &def, &rope_path);
    return sn_build_end(&build);
}
