/* A synthetic hand for measuring: as many bodies, strands, points and constraints as the real one, with a routing of
 * the same kind, but laid out by rule. 17 moving bodies (radius, palm, five digits of three), 54 strands of 12 points
 * each, in rings around the digits: fixed at both ends, sliding through eyelets on every bone between.
 *
 * +x radial, +y up and proximal, +z dorsal, the wrist in the origin; hand number i lies 0.25 m further along x. */
#include "build.h"
#include "list.h"

#include <math.h>
#include <stdio.h>

enum { DIGITS = 5, NAME = 48, POINTS = 12 };

/* Where a digit starts and points to; lengths of its bones, m. */
static const struct {
    double knuckle[3], toward[3], bone[3];
    int strands; /* long ones from the forearm, then short ones from the palm */
    int shorts;
} digit[DIGITS] = {
    {{0.030, -0.030, -0.010}, {0.55, -0.80, -0.25}, {0.044, 0.036, 0.027}, 5, 4},
    {{0.022, -0.087, 0.004}, {0.12, -0.99, 0}, {0.046, 0.027, 0.020}, 6, 5},
    {{0.000, -0.086, 0.006}, {0, -1, 0}, {0.051, 0.031, 0.021}, 6, 5},
    {{-0.017, -0.082, 0.004}, {-0.09, -0.99, 0}, {0.047, 0.030, 0.021}, 6, 5},
    {{-0.034, -0.073, 0.001}, {-0.20, -0.98, 0}, {0.037, 0.021, 0.019}, 6, 5},
};
/* ... and one strand that moves the wrist alone makes 54. */

typedef struct snHandBuild {
    snBuild build;
    double origin[3];
    char prefix[16];
    snStrandKind kind;
} snHandBuild;

static void full_name(const snHandBuild *hand, char *name, const char *text, int number)
{
    if (number < 0)
        (void)snprintf(name, NAME, "%s%s", hand->prefix, text);
    else
        (void)snprintf(name, NAME, "%s%s%d", hand->prefix, text, number);
}

static void bone_name(const snHandBuild *hand, char *name, int d, int bone)
{
    static const char *const words[3] = {"proximal", "middle", "distal"};
    full_name(hand, name, words[bone], d + 1);
}

static void place(const snHandBuild *hand, double x, double y, double z, double p[3])
{
    p[0] = hand->origin[0] + x, p[1] = hand->origin[1] + y, p[2] = hand->origin[2] + z;
}

/* Point on the axis of a digit, `along` m from its knuckle. */
static void axis_point(const snHandBuild *hand, int d, double along, double p[3])
{
    const double *t = digit[d].toward, *k = digit[d].knuckle;
    double length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    place(hand, k[0] + along * t[0] / length, k[1] + along * t[1] / length, k[2] + along * t[2] / length, p);
}

static void add_joint(snHandBuild *hand, const char *name, const char *a, const char *b, const double at[3],
                      snJointType type, double stiffness)
{
    static const double x[3] = {0, -1, 0}, y[3] = {0, 0, 1}, z[3] = {-1, 0, 0};
    snJointDef def = sn_default_joint_def();
    def.name = name;
    def.type = type;
    def.body_a = a;
    def.body_b = b;
    sn_build_axes(x, y, z, def.rotation); /* z: flexion, y: deviation */
    for (int k = 0; k < 3; ++k) {
        def.position[k] = at[k];
        def.stiffness[k] = stiffness;
        def.damping[k] = 0.05 * stiffness;
    }
    sn_build_joint(&hand->build, &def);
}

static void add_bones(snHandBuild *hand)
{
    char ulna[NAME], radius[NAME], palm[NAME], joint[NAME];
    double p[3];
    full_name(hand, ulna, "ulna", -1);
    full_name(hand, radius, "radius", -1);
    full_name(hand, palm, "palm", -1);
    place(hand, -0.02, 0.14, -0.02, p);
    sn_build_body(&hand->build, ulna, p, NULL, (double[3]){0.01, 0.12, 0.01}, 0);
    place(hand, -0.007, 0.14, -0.013, p);
    sn_build_body(&hand->build, radius, p, NULL, (double[3]){0.03, 0.12, 0.03}, 0.546);
    place(hand, 0, -0.047, 0.003, p);
    sn_build_body(&hand->build, palm, p, NULL, (double[3]){0.035, 0.04, 0.012}, 0.465);
    full_name(hand, joint, "forearm", -1);
    place(hand, -0.016, 0.243, -0.024, p);
    add_joint(hand, joint, ulna, radius, p, SN_JOINT_TYPE_HINGE, 2);
    full_name(hand, joint, "wrist", -1);
    place(hand, 0, 0, 0, p);
    add_joint(hand, joint, radius, palm, p, SN_JOINT_TYPE_UNIVERSAL, 2);

    static const double mass[3] = {0.0158, 0.0060, 0.0030};
    for (int d = 0; d < DIGITS; ++d) {
        double along = 0;
        char parent[NAME], name[NAME];
        (void)snprintf(parent, sizeof parent, "%s", palm);
        for (int b = 0; b < 3; ++b) {
            bone_name(hand, name, d, b);
            axis_point(hand, d, along + digit[d].bone[b] / 2, p);
            double half[3] = {0.007, digit[d].bone[b] / 2, 0.006};
            sn_build_body(&hand->build, name, p, NULL, half, mass[b]);
            (void)snprintf(joint, sizeof joint, "%sjoint%d.%d", hand->prefix, d + 1, b + 1);
            axis_point(hand, d, along, p);
            add_joint(hand, joint, parent, name, p, b ? SN_JOINT_TYPE_HINGE : SN_JOINT_TYPE_UNIVERSAL, 0.2);
            along += digit[d].bone[b];
            (void)snprintf(parent, sizeof parent, "%s", name);
        }
    }
}

static snStrandDef muscle(const snHandBuild *hand, const char *name, double radius)
{
    snStrandDef def = sn_default_strand_def();
    def.name = name;
    def.kind = hand->kind;
    def.density = 1060;
    def.radius = radius;
    def.stiffness = 5e5;
    def.tendon_stiffness = 1e8;
    def.damping = 0.002;
    def.mass_damping = 2;
    def.max_force = 10;
    def.tension_only = false;
    return def;
}

/* Adds a via point at the given place in the ring of a strand: side and height are the offsets along x and z. */
static void push(const snHandBuild *hand, snVia *via, int *count, snViaKind kind, const char *body, int d, double along,
                 double side, double height)
{
    snVia *v = &via[(*count)++];
    axis_point(hand, d, along, v->p);
    v->p[0] += side;
    v->p[2] += height;
    v->kind = kind;
    v->on = body;
}

/* Strand `number` of a digit: long ones start on the forearm, short ones in the palm; it ends on bone `last`. */
static void add_strand(snHandBuild *hand, int d, int number, bool is_long, int last)
{
    char name[NAME], ulna[NAME], radius[NAME], palm[NAME], bone[3][NAME];
    (void)snprintf(name, sizeof name, "%sstrand%d.%d", hand->prefix, d + 1, number + 1);
    full_name(hand, ulna, "ulna", -1);
    full_name(hand, radius, "radius", -1);
    full_name(hand, palm, "palm", -1);
    for (int b = 0; b < 3; ++b) bone_name(hand, bone[b], d, b);

    /* Around the digit at one of eleven angles. */
    double angle = 2 * 3.14159265358979 * (number + 0.25) / 11, side = 0.006 * cos(angle), height = 0.006 * sin(angle);
    snVia via[16] = {0};
    int count = 0;
    if (is_long) {
        double at = 0.5 * (d - 2);
        snVia *v = via;
        place(hand, -0.014 - 0.003 * at, 0.20 + 0.005 * number, -0.02 + 2 * height, v[0].p);
        place(hand, -0.006 * at, 0.014, 1.8 * height, v[1].p);
        place(hand, -0.006 * at, -0.014, 1.8 * height, v[2].p);
        v[0].kind = SN_VIA_FIXED, v[0].on = number % 2 ? ulna : radius;
        v[1].kind = SN_VIA_SLIDING, v[1].on = radius;
        v[2].kind = SN_VIA_SLIDING, v[2].on = palm;
        count = 3;
    } else {
        push(hand, via, &count, SN_VIA_FIXED, palm, d, d ? -0.05 : -0.025, side, height);
    }
    push(hand, via, &count, SN_VIA_SLIDING, palm, d, -0.008, side, height);
    double along = 0;
    for (int b = 0; b <= last; ++b) {
        double far = along + digit[d].bone[b] - 0.008;
        push(hand, via, &count, b == last ? SN_VIA_FIXED : SN_VIA_SLIDING, bone[b], d, along + 0.008, side, height);
        if (b < last) push(hand, via, &count, SN_VIA_SLIDING, bone[b], d, far, side, height);
        along += digit[d].bone[b];
    }
    snPath path = {.via = via, .nvia = count, .npoint = POINTS, .belly = is_long ? 0.08 : 0.02};
    snStrandDef def = muscle(hand, name, is_long ? 0.0015 : 0.001);
    sn_build_strand(&hand->build, &def, &path);
}

static void add_strands(snHandBuild *hand)
{
    for (int d = 0; d < DIGITS; ++d) {
        int all = digit[d].strands + digit[d].shorts;
        for (int i = 0; i < all; ++i) add_strand(hand, d, i, i < digit[d].strands, i % 3 == 1 ? 1 : 2);
    }
    char name[NAME], radius[NAME], palm[NAME];
    full_name(hand, name, "wrist.strand", -1);
    full_name(hand, radius, "radius", -1);
    full_name(hand, palm, "palm", -1);
    snVia via[3] = {{.kind = SN_VIA_FIXED, .on = radius},
                    {.kind = SN_VIA_SLIDING, .on = radius},
                    {.kind = SN_VIA_FIXED, .on = palm}};
    place(hand, 0.01, 0.2, -0.02, via[0].p);
    place(hand, 0.02, 0.02, -0.012, via[1].p);
    place(hand, 0.02, -0.03, -0.012, via[2].p);
    snPath path = {.via = via, .nvia = 3, .npoint = POINTS, .belly = 0.08};
    snStrandDef def = muscle(hand, name, 0.0015);
    sn_build_strand(&hand->build, &def, &path);
}

static snSpec *make_hands(int count, snStrandKind kind)
{
    snHandBuild hand = {.build = sn_build_begin(), .kind = kind};
    sn_build_model(&hand.build, 0.05, 0.004);
    for (int i = 0; i < count; ++i) {
        if (count > 1) (void)snprintf(hand.prefix, sizeof hand.prefix, "hand%d.", i + 1);
        hand.origin[0] = 0.25 * i;
        add_bones(&hand);
        add_strands(&hand);
    }
    return sn_build_end(&hand.build);
}

snSpec *sn_scene_hand(void)
{
    return make_hands(1, SN_STRAND_SPLINE);
}

snSpec *sn_scene_hand_x10(void)
{
    return make_hands(10, SN_STRAND_SPLINE);
}

snSpec *sn_scene_hand_paths(void)
{
    return make_hands(1, SN_STRAND_PATH);
}

snSpec *sn_scene_hand_paths_x10(void)
{
    return make_hands(10, SN_STRAND_PATH);
}
