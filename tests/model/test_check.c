/* The checker: a sound arm has no problem at all; each way of breaking it is found and named. */
#include "broken_arm.h"

#include <math.h>

#include "model/spec_internal.h"
#include "scenes.h"
#include "sinew/model.h"

#include <string.h>

/* ---- tests -------------------------------------------------------------------------------- */

static void test_sound(void **state)
{
    (void)state;
    Arm a;
    init(&a);
    snSpec *s = build(&a);
    snProblems p;
    snStatus status = sn_check(s, &p);
    if (p.count) show(&p);
    assert_int_equal(status, SN_OK);
    assert_int_equal(p.count, 0);
    sn_problems_free(&p);
    sn_spec_destroy(s);
}

static void test_scenes_are_sound(void **state)
{
    (void)state;
    for (int32_t i = 0; sn_scene_info(i); ++i) {
        snSpec *s = sn_scene(sn_scene_info(i)->name);
        snProblems p;
        snStatus status = sn_check(s, &p);
        if (status) show(&p);
        assert_int_equal(status, SN_OK);
        sn_problems_free(&p);
        sn_spec_destroy(s);
    }
}

static void test_ranges(void **state)
{
    (void)state;
    ERROR("mass is -1 kg; it must be at least 0", a.ulna.mass = -1);
    ERROR("density is 0 kg/m^3; it must be greater than 0", a.ulna.density = 0);
    ERROR("radius has a value that is not a finite number", a.biceps.radius = NAN);
    ERROR("lower has a value that is not a finite number", a.elbow.lower[0] = INFINITY);
    ERROR("gravity has a value that is not a finite number", a.model.gravity[0] = 0);
    ERROR("position is 1.2", a.insertion.position = 1.2);
    ERROR("step is -0.1 s", a.model.step = -0.1);
    ERROR("type is 77", a.elbow.type = (snJointType)77);
    ERROR("Points has a value that is not", a.curve.point = (const double[18]){[4] = NAN});
    ERROR("levels is 2", a.flexion.level = (const double[]){2});
}

static void test_names(void **state)
{
    (void)state;
    ERROR("Strand \"biceps\": node is \"bicps\", but there is no node of that name; did you mean \"biceps\"?",
          a.biceps.node = "bicps");
    ERROR("body_b is \"ulnar\", but there is no body of that name; did you mean \"ulna\"?", a.elbow.body_b = "ulnar");
    ERROR("attachment is \"radius\", but there is no body or strand", a.insertion.attachment = "radius");
    ERROR("attachment is \"biceps\", but there is no body", a.eyelet.attachment = "biceps");
    ERROR("strand is \"triceps\", but there is no strand", a.origin.strand = "triceps");
    ERROR("RigidBody \"ulna\": a second one of this name", a.humerus.name = "ulna");
    ERROR("the name is empty", a.law.name = "");
    ERROR("the name has a blank", a.group.name = "two words");
    ERROR("skin is \"shin\", but there is no node", a.model.skin = "shin");
    ERROR("skin is \"wrap\", which is not a mesh", a.model.skin = "wrap");
    ERROR("views: \"Back=z\" is not a named view", a.model.views = "Front=+z Back=z");
    ERROR("views: \"=+z\" is not a named view", a.model.views = " =+z");
    ERROR("active_fl is \"bel\", which is neither", a.biceps.active_fl = "bel");
    ERROR("strands is \"bicep\", but there is no strand of that name; did you mean \"biceps\"",
          a.group.strands = "bicep");
    ERROR("center_of_mass is \"middle\"", a.ulna.center_of_mass = "middle");
    ERROR("muscles is \"flexor\", but there is no group or strand", a.flexion.muscles = "flexor");
}

static void test_scene(void **state)
{
    (void)state;
    ERROR("does not come before it: the hierarchy would be cyclic", a.lower.parent = 4);
    ERROR("rotate is zero", memset(a.lower.rotate, 0, sizeof a.lower.rotate));
    WARNING("rotate has length 2", a.lower.rotate[0] = 2);
    ERROR("scale is 0 along y", a.lower.scale[1] = 0);
    ERROR("triangle 1 has vertex 9, but there are 4 vertices",
          a.mesh.triangle = (const int32_t[]){0, 2, 1, 0, 9, 3, 1, 2, 3, 0, 3, 2});
    WARNING("the mesh is empty", a.mesh.ntriangle = 0);
    ERROR("Knots has 3 knots; 6 points of degree 3 need 10", a.curve.nknot = 3, a.curve.knot = points);
    ERROR("there are 2 weights for 6 points", a.curve.nweight = 2, a.curve.weight = (const double[]){1, 1});
    ERROR("decreases at knot 3", a.curve.nknot = 10, a.curve.knot = (const double[]){0, 0, 1, 0, 1, 1, 1, 1, 1, 1});
    ERROR("nu is 2 and nv is 3, but there are 5 points", a.extra.name = "patch", a.extra.kind = SN_NODE_SURFACE,
          a.extra.nu = 2, a.extra.nv = 3, a.extra.npoint = 5, a.extra.point = points);
    ERROR("control points are too few", a.extra.name = "patch", a.extra.kind = SN_NODE_SURFACE, a.extra.nu = 2,
          a.extra.nv = 3, a.extra.point = points);
}

static void test_bodies(void **state)
{
    (void)state;
    ERROR("mass_from is given, but mass is 0", a.ulna.mass_from = SN_MASS_GIVEN);
    ERROR("mass_from is mesh, but the body has no mesh", a.humerus.mass_from = SN_MASS_MESH);
    ERROR("mass_from is mesh, but mesh \"shaft\" cannot be used: an edge has a triangle on one side only",
          a.ulna.mass_from = SN_MASS_MESH, a.mesh.ntriangle = 3);
    WARNING("mesh \"shaft\" gives no mass", a.mesh.ntriangle = 3);
    ERROR("inertia has 2 of 3 moments", a.ulna.inertia[0] = a.ulna.inertia[1] = 1);
    ERROR("no solid has the inertia", a.ulna.inertia[0] = a.ulna.inertia[1] = 1, a.ulna.inertia[2] = 3);
    ERROR("body \"humerus\" has the same node", a.ulna.node = "humerus");
    WARNING("pinned and kinematic", a.humerus.kinematic = true);
    WARNING("neither a joint nor a strand holds the body", a.extra.name = "loose", a.third.name = "loose");
    WARNING("mirrored by a negative scale", a.lower.scale[0] = -1);
    WARNING("is not part of the body", a.ulna.center_of_mass = "wrap");
}

static void test_joints(void **state)
{
    (void)state;
    ERROR("both ends of the joint are \"ulna\"", a.elbow.body_a = "ulna");
    ERROR("both ends of the joint are \"world\"", a.elbow.body_a = a.elbow.body_b = "world");
    ERROR("lower limit 30 deg above upper limit -20 deg", a.elbow.lower[0] = 30, a.elbow.upper[0] = -20);
    WARNING("outside its limits 10 to 140 deg as drawn", a.elbow.lower[0] = 10);
    ERROR("the joint closes a loop", a.second = a.elbow, a.second.name = "again", a.second.node = "elbow");
    ERROR("the joint closes a loop", a.extra.name = "radius", a.third.name = "radius", a.second = a.elbow,
          a.second.name = "radial", a.second.node = "elbow", a.second.body_a = "ulna", a.second.body_b = "radius",
          a.elbow.body_b = "radius", a.other.name = "x", a.other.attachment = "radius", a.second.body_b = "radius",
          a.second.body_a = "humerus");
    WARNING("both bodies are pinned or kinematic", a.ulna.kinematic = true);
    WARNING("body \"ulna\" is disabled", a.ulna.enabled = false);
    ERROR("node is \"elbw\"", a.elbow.node = "elbw");
    WARNING("swing and twist do nothing: the joint is not a ball joint", a.elbow.swing = 30);
    ERROR("swing_center is zero", a.elbow.type = SN_JOINT_TYPE_BALL, a.elbow.swing = 30, a.elbow.swing_center[0] = 0);
    ERROR("swing is 200 deg; it must be at least 0 and at most 180", a.elbow.swing = 200);
    ERROR("twist has its lower limit 30 deg above the upper one -30", a.elbow.type = SN_JOINT_TYPE_BALL,
          a.elbow.twist[0] = 30, a.elbow.twist[1] = -30);
    WARNING("x is outside its cone of 30 deg as drawn", a.elbow.type = SN_JOINT_TYPE_BALL, a.elbow.swing = 30,
            a.elbow.swing_center[1] = 1);
}

static void test_strands(void **state)
{
    (void)state;
    ERROR("its curve has 3 control points; a strand needs at least 4", a.curve.npoint = 3);
    ERROR("its curve has degree 2; strands need 3", a.curve.degree = 2);
    ERROR("weights other than 1", a.curve.nweight = 6, a.curve.weight = (const double[]){1, 1, 2, 1, 1, 1});
    ERROR("its curve is closed", a.curve.closed = true);
    ERROR("is a Mesh, not a curve", a.biceps.node = "shaft");
    ERROR("control points 0 and 1 coincide", a.curve.point = (const double[18]){[6] = 1, [9] = 2, [12] = 3, [15] = 4});
    ERROR("the strand has no length", a.curve.point = (const double[18]){0});
    ERROR("belly_start 0.8 is after belly_end 0.2", a.biceps.belly_start = .8, a.biceps.belly_end = .2);
    WARNING("no constraint holds the strand",
            a.origin.enabled = a.eyelet.enabled = a.surface.enabled = a.insertion.enabled = false);
    WARNING("fixed nowhere", a.origin.enabled = a.insertion.enabled = false);
    WARNING("the strand crosses no joint", a.insertion.attachment = "humerus");
    ERROR("the curve has 1 points", a.law.npoint = 1);
    ERROR("stretch does not increase from point 1 to 2", a.law.stretch = (const double[]){1, 1, 2});
    ERROR("a built-in law has this name", a.law.name = "linear", a.biceps.active_fl = "linear");
}

static void test_groups(void **state)
{
    (void)state;
    ERROR("the group has no strands", a.group.strands = "  ");
    ERROR("strand \"biceps\" is listed twice", a.group.strands = "biceps biceps");
    ERROR("groups cannot contain groups", a.group.strands = "biceps flexors");
    ERROR("is in group \"flexors\" already", a.other_group.name = "more", a.other_group.strands = "biceps");
    ERROR("start is 0.9 and end is 0.1", a.group.start = .9, a.group.end = .1);
    WARNING("all strands of the group are disabled", a.biceps.enabled = false);
    ERROR("a strand that is not in the group has the same name", a.other_group.name = "biceps",
          a.other_group.strands = "flexors");
    ERROR("there are 1 levels for 2 muscles", a.flexion.muscles = "flexors flexors");
    ERROR("activates with its group", a.flexion.muscles = "biceps");
    WARNING("preserve does nothing in a sheet; set struts", a.group.type = SN_GROUP_SHEET, a.group.preserve = true);
    WARNING("struts do nothing in a volumetric group", a.group.struts = 3);
    ERROR("struts is -1", a.group.struts = -1);
}

/* Two tetrahedra through each other, as one mesh. */
static const double two_tetra[] = {0,    0,    0,    0.05, 0,    0,    0,    0.05, 0,    0,    0,    0.05,
                                   0.01, 0.01, 0.01, 0.06, 0.01, 0.01, 0.01, 0.06, 0.01, 0.01, 0.01, 0.06};
static const int32_t two_faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2, 4, 6, 5, 4, 5, 7, 5, 6, 7, 4, 7, 6};
static const int32_t inside_out[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 0, 2, 3};

static void test_mesh_surfaces(void **state)
{
    (void)state;
    ERROR("Constraint \"over\": strands cannot lie on mesh \"shaft\": an edge has a triangle on one side only: the "
          "mesh is "
          "open (edge of vertices",
          a.surface.attachment = "shaft", a.mesh.ntriangle = 3);
    ERROR("close and repair the mesh", a.surface.attachment = "shaft", a.mesh.ntriangle = 3);
    ERROR("the mesh has no triangles", a.surface.attachment = "shaft", a.mesh.ntriangle = 0);
    ERROR("the triangles face inwards", a.surface.attachment = "shaft", a.mesh.triangle = inside_out);
    ERROR("\"shaft\": it crosses itself", a.surface.attachment = "shaft", a.mesh.nvertex = 8, a.mesh.vertex = two_tetra,
          a.mesh.ntriangle = 8, a.mesh.triangle = two_faces);
    ERROR("no body carries surface \"shaft\"", a.surface.attachment = "shaft", a.mesh.parent = 0);
    ERROR("on the other side of \"shaft\"", a.surface.attachment = "shaft", a.other = a.surface, a.other.name = "under",
          a.other.side = SN_BELOW);
    ERROR("grid_spacing is -1", a.mesh.grid_spacing = -1);
    WARNING("the strand must be below the surface but is drawn", a.surface.attachment = "shaft",
            a.surface.side = SN_BELOW, a.mesh.translate[0] = -0.06);
}

/* What only the grid finds out: the model is not compiled, and the message names the mesh. */
static void test_thin_mesh(void **state)
{
    (void)state;
    Arm a;
    snModel *m = NULL;
    snError error = {0};
    char text[1400];
    init(&a);
    a.surface.attachment = "shaft", a.mesh.scale[2] = 2e-3;
    snSpec *s = build(&a);
    assert_int_equal(sn_compile(s, &m, &error), SN_BAD_INPUT);
    sn_error_format(&error, text, sizeof text);
    assert_non_null(strstr(text, "Mesh \"shaft\": the mesh is too thin for a distance grid"));
    assert_non_null(strstr(text, "grid_spacing"));
    sn_spec_destroy(s);
    /* a mirroring scale turns the triangles around; the mesh stays the right way out */
    init(&a);
    a.surface.attachment = "shaft", a.mesh.scale[0] = -1;
    s = build(&a);
    if (sn_compile(s, &m, &error) != SN_OK) fail_msg("%s", error.message);
    sn_model_destroy(m);
    sn_spec_destroy(s);
}

static void test_constraints(void **state)
{
    (void)state;
    ERROR("attachment is \"wrp\", but there is no surface, shape or mesh of that name; did you mean \"wrap\"",
          a.surface.attachment = "wrp");
    ERROR("is a Curve, which strands cannot lie on", a.surface.attachment = "biceps");
    ERROR("no body carries surface \"wrap\"", a.wrap.parent = 0);
    ERROR("turn it into another shape", a.wrap.scale[0] = 2);
    ERROR("on the other side of \"wrap\"", a.other = a.surface, a.other.name = "under", a.other.side = SN_BELOW);
    ERROR("on the other side of \"wrap\"", a.other = a.surface, a.other.name = "under", a.other.side = SN_BELOW,
          a.other.position += 5e-4);
    WARNING("holds the same point of the strand", a.other = a.origin, a.other.name = "twin",
            a.other.attachment = "ulna");
    ERROR("the strand is attached to itself", a.other.name = "self", a.other.type = SN_CONSTRAINT_FIXED,
          a.other.attachment = "biceps");
    ERROR("attachment is \"humerus\", but there is no strand", a.other.name = "strut",
          a.other.type = SN_CONSTRAINT_STRUT);
    WARNING("strand \"biceps\" is disabled, so the constraint does nothing", a.biceps.enabled = false);
    WARNING("must be above the surface but is drawn 3.0 mm on the wrong side", a.wrap.shape = SN_SHAPE_PLANE,
            a.wrap.translate[2] = 0.003);
    WARNING("is drawn 10.0 mm from where it must be", a.wrap.shape = SN_SHAPE_PLANE, a.wrap.translate[2] = 0.010,
            a.surface.equality = SN_EQUAL);
    WARNING("is drawn 90 mm away from the surface", a.wrap.shape = SN_SHAPE_PLANE, a.wrap.translate[2] = -0.09);
}

/* An eyelet 30 mm off the axis needs 30 tan(140 / 2) = 82.4 mm along the bone; the surface in between excuses it. */
static void test_eyelet_rule(void **state)
{
    (void)state;
    WARNING("with its arm of ", a.surface.enabled = false, a.eyelet.position = 0.7);
    WARNING("140 degrees it needs", a.surface.enabled = false, a.eyelet.position = 0.7);
    Arm a;
    init(&a);
    /* a straight strand whose figures are known: 20 mm from the axis, eyelet 50 mm before it, 90 degrees need 20 mm */
    const double straight[] = {0.02, 0.3, 0, 0.02, 0.2, 0, 0.02, 0.1, 0, 0.02, 0.0, 0};
    a.curve.npoint = 4, a.curve.point = straight;
    a.lower.translate[1] = 0;
    a.surface.enabled = false;
    a.eyelet.position = 0.5; /* y = 0.15 */
    a.extra.name = "axis", a.elbow.node = "axis";
    a.elbow.lower[0] = -10, a.elbow.upper[0] = 90;
    a.extra.translate[1] = 0.1; /* 50 mm below the eyelet */
    snSpec *s = build(&a);
    snProblems p;
    assert_int_equal(sn_check(s, &p), SN_OK);
    assert_false(reports(&p, false, "needs"));
    sn_problems_free(&p);
    sn_spec_destroy(s);
    a.extra.translate[1] = 0.135; /* 15 mm */
    expect(&a, false,
           "is 15.0 mm along the bone from the axis of joint \"elbow\"; with its arm of 20.0 mm and 90 degrees it "
           "needs 20.0 mm");
    a.elbow.lower[0] = -90, a.elbow.upper[0] = 0; /* it only opens on this side */
    s = build(&a);
    assert_int_equal(sn_check(s, &p), SN_OK);
    assert_false(reports(&p, false, "needs"));
    sn_problems_free(&p);
    sn_spec_destroy(s);
}

static bool warns(const Arm *a, const char *text)
{
    snProblems p;
    snSpec *s = build(a);
    assert_int_equal(sn_check(s, &p), SN_OK);
    bool found = reports(&p, false, text);
    sn_problems_free(&p);
    sn_spec_destroy(s);
    return found;
}

/* By hand: eyelet 50 mm before and insertion 100 mm behind the axis, 20 mm off it; at -90 degrees the line between
 * (20, 50) and (-100, -20) passes the axis at 33.1 mm on the other side. */
static void test_lost_arm(void **state)
{
    (void)state;
    Arm a;
    init(&a);
    const double straight[] = {0.02, 0.3, 0, 0.02, 0.2, 0, 0.02, 0.1, 0, 0.02, 0.0, 0};
    a.curve.npoint = 4, a.curve.point = straight;
    a.surface.enabled = false;
    a.eyelet.position = 0.5;
    a.extra.name = "axis", a.extra.translate[1] = 0.1, a.elbow.node = "axis";
    a.elbow.lower[0] = -90, a.elbow.upper[0] = 10;
    expect(&a, false, "arm about joint \"elbow\" falls from 20.0 mm as drawn to -33.1 mm at -90 degrees");
    /* a cylinder around the axis leaves its radius, if that is enough */
    a.surface.enabled = true, a.surface.position = 0.6;
    a.wrap.translate[1] = 0.1;
    assert_false(warns(&a, "falls from"));
    a.wrap.extent[0] = 0.003;
    expect(&a, false, "arm about joint \"elbow\" falls from 20.0 mm as drawn to 3.0 mm at -90 degrees");
    a.wrap.extent[0] = 0.015, a.wrap.translate[0] = -0.012; /* wide, but behind the axis */
    expect(&a, false, "arm about joint \"elbow\" falls from 20.0 mm as drawn to 3.0 mm at -90 degrees");
}

/* Two axes across the strand, which is 20 mm off one of them. The arm about the other may vanish where it is small in
 * comparison, not where it is one that the strand works with. */
static void test_lost_small_arm(void **state)
{
    (void)state;
    Arm a;
    init(&a);
    double straight[] = {0.02, 0.3, 0, 0.02, 0.2, 0, 0.02, 0.1, 0, 0.02, 0.0, 0};
    a.curve.npoint = 4, a.curve.point = straight;
    a.surface.enabled = false;
    a.eyelet.position = 0.5;
    a.extra.name = "axis", a.extra.translate[1] = 0.1, a.elbow.node = "axis";
    a.extra.rotate[0] = a.extra.rotate[3] = sqrt(0.5); /* 90 degrees about z: its second axis, y, along -x */
    a.elbow.type = SN_JOINT_TYPE_UNIVERSAL;
    for (int k = 0; k < 2; ++k) a.elbow.lower[k] = -60, a.elbow.upper[k] = 60;
    a.elbow.lower[0] = a.elbow.upper[0] = 0;
    for (int i = 0; i < 4; ++i) straight[3 * i + 2] = 0.006;
    assert_false(warns(&a, "falls from"));
    for (int i = 0; i < 4; ++i) straight[3 * i + 2] = 0.015;
    expect(&a, false, "arm about joint \"elbow\" falls from 15.0 mm as drawn to");
}

static void test_all_at_once(void **state)
{
    (void)state;
    Arm a;
    init(&a);
    a.ulna.mass = -1;
    a.elbow.body_b = "ulnar";
    a.curve.npoint = 2;
    a.group.strands = "";
    snSpec *s = build(&a);
    snProblems p;
    assert_int_equal(sn_check(s, &p), SN_BAD_INPUT);
    assert_true(p.nerror >= 4);
    assert_true(reports(&p, true, "mass is -1") && reports(&p, true, "ulnar") &&
                reports(&p, true, "2 control points") && reports(&p, true, "no strands"));
    sn_problems_free(&p);
    sn_spec_destroy(s);
}

static void test_no_memory(void **state)
{
    (void)state;
    Arm a;
    init(&a);
    a.ulna.mass = -1;
    snSpec *s = build(&a);
    int64_t live = sn_alloc_live();
    for (int64_t n = 0;; ++n) {
        snProblems p;
        sn_alloc_fail_after(n);
        snStatus status = sn_check(s, &p);
        sn_alloc_fail_after(-1);
        sn_problems_free(&p);
        assert_int_equal(sn_alloc_live(), live);
        if (status == SN_BAD_INPUT) break;
        assert_int_equal(status, SN_NO_MEMORY);
    }
    sn_spec_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),          cmocka_unit_test(test_scenes_are_sound),
        cmocka_unit_test(test_ranges),         cmocka_unit_test(test_names),
        cmocka_unit_test(test_scene),          cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_joints),         cmocka_unit_test(test_strands),
        cmocka_unit_test(test_groups),         cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_mesh_surfaces),  cmocka_unit_test(test_thin_mesh),
        cmocka_unit_test(test_eyelet_rule),    cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_no_memory),      cmocka_unit_test(test_lost_arm),
        cmocka_unit_test(test_lost_small_arm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
