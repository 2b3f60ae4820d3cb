/* The tables of schema.h. Defaults follow Table 3.1 of [Kaufman 2008], turned from centimetres and grams into SI.
 * One file, because it is one table: an attribute is found where its element is. */
#include "model/schema.h"
#include "model/schema_rows.h"

#include <math.h>
#include <string.h>

static const char *const units_names[] = {"m", "cm", "mm", "in", NULL};
static const char *const axis_names[] = {"y", "z", NULL};
static const char *const shape_names[] = {"plane", "sphere", "cylinder", "ellipsoid", NULL};
static const char *const mass_names[] = {"auto", "given", "mesh", "cylinder", NULL};
static const char *const joint_names[] = {"ball", "hinge", "rigid", "cylindrical", "universal", "prismatic", NULL};
static const char *const group_names[] = {"volumetric", "sheet", NULL};
static const char *const method_names[] = {"torque", "body", NULL};
static const char *const constraint_names[] = {"fixed", "sliding", "surface", "strut", NULL};
static const char *const equality_names[] = {"equal", "inequal", NULL};
static const char *const side_names[] = {"above", "below", NULL};
static const char *const strut_names[] = {"spring", "row", NULL};
static const char *const junction_names[] = {"line", "free", NULL};
static const char *const strand_names[] = {"spline", "path", NULL};
static const char *const model_names[] = {"strands", "tree", NULL};

#define DEF snSceneDef
static const snAttr scene_attr[] = {
    ENUM_(units, units_names, SN_UNITS_M, "Unit of all lengths in the scene."),
    ENUM_(up, axis_names, SN_AXIS_Y, "The world's axis that points up; gravity points the other way."),
};
#undef DEF

#define MESH (1u << SN_NODE_MESH)
#define CURVE (1u << SN_NODE_CURVE)
#define SURFACE (1u << SN_NODE_SURFACE)
#define SHAPE (1u << SN_NODE_SHAPE)
#define LENGTH_UNIT "scene units"

#define DEF snNodeDef
static const snAttr node_attr[] = {
    STRING_(name, SN_ATTR_REQUIRED, "Name, unique within the scene."),
    VECTOR_(translate, 3, 0, 0, 0, 0, -NONE, NONE, 0, LENGTH_UNIT, "Place of the node in its parent."),
    VECTOR_(rotate, 4, 1, 0, 0, 0, -NONE, NONE, 0, "", "Rotation in its parent, a unit quaternion, w first."),
    VECTOR_(scale, 3, 1, 1, 1, 0, -NONE, NONE, 0, "", "Scale along the node's axes, applied before the rotation."),
    BOOL_(visible, true, "Whether viewers show the node."),
    VECTOR_(color, 3, .8, .8, .8, 0, 0, 1, 0, "", "Red, green and blue for viewers."),
    {.name = "file",
     .type = SN_ATTR_STRING,
     .offset = AT(file),
     .unit = "",
     .kinds = MESH,
     .doc = "Mesh file (.obj, .ply, .stl, .vtp), relative to the scene file; without it the mesh is inline."},
    {.name = "grid_spacing",
     .type = SN_ATTR_NUMBER,
     .offset = AT(grid_spacing),
     .min = 0,
     .max = NONE,
     .unit = LENGTH_UNIT,
     .kinds = MESH,
     .doc = "Spacing of the distance grid that is made where strands lie on the mesh; 0: a 48th of its longest side, "
            "finer "
            "where it is thin."},
    {.name = "degree",
     .type = SN_ATTR_INT,
     .offset = AT(degree),
     .initial = {3},
     .min = 1,
     .max = 9,
     .unit = "",
     .kinds = CURVE | SURFACE,
     .doc = "Degree of the curve, or of the surface along u. Strands and wraps need 3."},
    {.name = "degree_v",
     .type = SN_ATTR_INT,
     .offset = AT(degree_v),
     .initial = {3},
     .min = 1,
     .max = 9,
     .unit = "",
     .kinds = SURFACE,
     .doc = "Degree along v."},
    {.name = "closed",
     .type = SN_ATTR_BOOL,
     .offset = AT(closed),
     .unit = "",
     .kinds = CURVE | SURFACE,
     .doc = "Closed on itself (along u): the first points follow the last."},
    {.name = "closed_v",
     .type = SN_ATTR_BOOL,
     .offset = AT(closed_v),
     .unit = "",
     .kinds = SURFACE,
     .doc = "Closed along v."},
    {.name = "nu",
     .type = SN_ATTR_INT,
     .offset = AT(nu),
     .min = 0,
     .max = 100000,
     .unit = "",
     .kinds = SURFACE,
     .flags = SN_ATTR_REQUIRED,
     .doc = "Number of control points along u."},
    {.name = "nv",
     .type = SN_ATTR_INT,
     .offset = AT(nv),
     .min = 0,
     .max = 100000,
     .unit = "",
     .kinds = SURFACE,
     .flags = SN_ATTR_REQUIRED,
     .doc = "Number of control points along v; v runs fastest in Points."},
    {.name = "shape",
     .type = SN_ATTR_ENUM,
     .offset = AT(shape),
     .initial = {SN_SHAPE_SPHERE},
     .names = shape_names,
     .unit = "",
     .kinds = SHAPE,
     .flags = SN_ATTR_REQUIRED,
     .doc = "Plane (normal +z), sphere, infinite cylinder along z, or ellipsoid."},
    {.name = "size",
     .type = SN_ATTR_VECTOR,
     .offset = AT(extent),
     .width = 3,
     .initial = {1, 1, 1},
     .min = 0,
     .max = NONE,
     .flags = SN_ATTR_POSITIVE,
     .unit = LENGTH_UNIT,
     .kinds = SHAPE,
     .doc = "Radius first for sphere and cylinder (then the drawn length), half axes of an ellipsoid, drawn size of a "
            "plane."},
    {.name = "Vertices",
     .type = SN_ATTR_NUMBERS,
     .flags = SN_ATTR_CHILD,
     .offset = AT(vertex),
     .count_offset = AT(nvertex),
     .width = 3,
     .min = -NONE,
     .max = NONE,
     .unit = LENGTH_UNIT,
     .kinds = MESH,
     .doc = "Three numbers per vertex."},
    {.name = "Triangles",
     .type = SN_ATTR_INTS,
     .flags = SN_ATTR_CHILD,
     .offset = AT(triangle),
     .count_offset = AT(ntriangle),
     .width = 3,
     .min = 0,
     .max = INT32_MAX,
     .unit = "",
     .kinds = MESH,
     .doc = "Three vertices per triangle, counted from 0, counter-clockwise seen from outside."},
    {.name = "Points",
     .type = SN_ATTR_NUMBERS,
     .flags = SN_ATTR_CHILD,
     .offset = AT(point),
     .count_offset = AT(npoint),
     .width = 3,
     .min = -NONE,
     .max = NONE,
     .unit = LENGTH_UNIT,
     .kinds = CURVE | SURFACE,
     .doc = "Control points, three numbers each."},
    {.name = "Knots",
     .type = SN_ATTR_NUMBERS,
     .flags = SN_ATTR_CHILD,
     .offset = AT(knot),
     .count_offset = AT(nknot),
     .width = 1,
     .min = -NONE,
     .max = NONE,
     .unit = "",
     .kinds = CURVE | SURFACE,
     .doc = "Knots (along u): points + degree + 1 of them, or points + 2 degree + 1 when closed; without them clamped "
            "uniform, "
            "or uniform when closed."},
    {.name = "KnotsV",
     .type = SN_ATTR_NUMBERS,
     .flags = SN_ATTR_CHILD,
     .offset = AT(knot_v),
     .count_offset = AT(nknot_v),
     .width = 1,
     .min = -NONE,
     .max = NONE,
     .unit = "",
     .kinds = SURFACE,
     .doc = "Knots along v."},
    {.name = "Weights",
     .type = SN_ATTR_NUMBERS,
     .flags = SN_ATTR_CHILD,
     .offset = AT(weight),
     .count_offset = AT(nweight),
     .width = 1,
     .min = 0,
     .max = NONE,
     .unit = "",
     .kinds = CURVE | SURFACE,
     .doc = "Weights of the control points; without them all one. Strands and wraps need all one."},
};
#undef DEF

#define DEF snModelDef
static const snAttr model_attr[] = {
    ENUM_(type, model_names, SN_MODEL_STRANDS,
          "strands: bodies held by joints, muscles as strands; tree: bodies moved by Coordinates, muscles as "
          "LineMuscles."),
    STRING_(scene, 0, "File of the scene, relative to the muscle file."),
    VECTOR_(gravity, 3, NAN, NAN, NAN, 0, -1000, 1000, SN_ATTR_MAY_BE_NAN, "m/s^2",
            "Gravity in the world; without it 9.81 against the scene's up axis."),
    NUMBER_(step, 0.004, 1e-6, 0.1, SN_ATTR_POSITIVE, "s", "Suggested time step."),
    NUMBER_(settle, 0.2, 0, 100, 0, "s", "Time of damped settling before time zero."),
    NUMBER_(compliance, 1e-6, 0, 1, SN_ATTR_POSITIVE, "1/kg",
            "Regularisation of the constraint rows; makes redundant constraints harmless."),
    BOOL_(ahead, false,
          "Joints are linearised at the pose predicted for the end of the step, also in a model without paths: the "
          "activations "
          "then depend less on the step. Models with paths always do."),
    NUMBER_(skin_a, 1, 0, 100, 0, "", "Tendon bulge of the skin: height."),
    NUMBER_(skin_b, 0.003, 0, 1, SN_ATTR_POSITIVE, "m", "Tendon bulge: lateral falloff."),
    NUMBER_(skin_c, 0.004, -1, 1, 0, "m", "Tendon bulge: normal falloff, the depth from which a tendon still shows."),
    STRING_(skin, 0, "Mesh node that is the skin."),
    STRING_(fixed, 0,
            "Joints that other models of the same limb have and this one holds still: motions may move them."),
    VECTOR_(fixed_axis, 3, 0, 0, 0, 0, -1, 1, 0, "",
            "Axis in the world about which the fixed joint would turn the limb, a positive angle by the right hand: "
            "a motion of that joint turns gravity the other way. Without it such a motion is ignored."),
    STRING_(
        views, 0,
        "Names of the views that viewers offer, the opening one first, each with the axis of the world that the eye is "
        "on: Palmar=-z Dorsal=+z."),
    ENUM_(method, method_names, SN_METHOD_TORQUE,
          "How sinew track chooses activations of a model on a tree, unless --method says otherwise. torque: for the "
          "torques of its coordinates; body: for all muscles and passive coordinates at once, as a trunk needs whose "
          "ribs are held by springs."),
};
#undef DEF

#define DEF snBodyDef
static const snAttr body_attr[] = {
    STRING_(name, SN_ATTR_REQUIRED, "Name, unique among the bodies."),
    STRING_(node, 0, "Group of the scene that moves with the body; without it the node of the same name."),
    NUMBER_(density, 1000, 0, 1e5, SN_ATTR_POSITIVE, "kg/m^3", "Density."),
    BOOL_(pinned, false, "Held in place during the simulation."),
    BOOL_(kinematic, false, "Follows a given motion exactly."),
    NUMBER_(radius, 0.01, 0, 100, SN_ATTR_POSITIVE, "m", "Mean radius, taking the body as a cylinder."),
    NUMBER_(length, 0.01, 0, 100, SN_ATTR_POSITIVE, "m", "Length, taking the body as a cylinder."),
    BOOL_(enabled, true, "Takes part in the simulation."),
    ENUM_(mass_from, mass_names, SN_MASS_AUTO,
          "Where mass and inertia come from; auto: given if mass is set, else closed meshes, else the cylinder."),
    NUMBER_(mass, 0, 0, 1e5, 0, "kg", "Mass; 0: from density and shape."),
    STRING_(center_of_mass, 0, "Locator at the centre of mass; without it from the meshes, or the node's origin."),
    VECTOR_(inertia, 3, 0, 0, 0, 0, 0, 1e5, 0, "kg m^2",
            "Moments of inertia about the node's axes through the centre of mass; 0: from the shape."),
    VECTOR_(inertia_products, 3, 0, 0, 0, 0, -1e5, 1e5, 0, "kg m^2",
            "Entries xy, xz and yz of the inertia tensor; used where inertia is given."),
};
#undef DEF

#define DEF snJointDef
static const snAttr joint_attr[] = {
    STRING_(name, SN_ATTR_REQUIRED, "Name, unique among the joints."),
    STRING_(node, 0, "Locator or group whose frame is the joint's; without it the node of the same name."),
    ENUM_(type, joint_names, SN_JOINT_TYPE_BALL,
          "Hinge, cylindrical and prismatic joints have z as their axis; a universal one z of A, then y of B."),
    STRING_(body_a, SN_ATTR_REQUIRED, "First of the two bodies that the joint connects; world: held in space."),
    STRING_(body_b, SN_ATTR_REQUIRED, "Second body, or world."),
    BOOL_(enabled, true, "Takes part in the simulation."),
    BOOL_(limited, false, "Whether lower and upper are kept."),
    VECTOR_(lower, 3, 0, 0, 0, 0, -1e4, 1e4, 0, "deg or m", "Lower limit of each coordinate."),
    VECTOR_(upper, 3, 0, 0, 0, 0, -1e4, 1e4, 0, "deg or m", "Upper limit of each coordinate."),
    VECTOR_(stiffness, 3, 0, 0, 0, 0, 0, 1e9, 0, "N m/rad or N/m", "Passive spring of each coordinate."),
    VECTOR_(damping, 3, 0, 0, 0, 0, 0, 1e9, 0, "N m s/rad or N s/m", "Passive damper of each coordinate."),
    VECTOR_(rest, 3, 0, 0, 0, 0, -1e4, 1e4, 0, "deg or m", "Coordinates at which the springs are at rest."),
    NUMBER_(
        swing, 0, 0, 180, 0, "deg",
        "Ball: largest angle of the second body's x axis from swing_center, a cone; 0: no limit. With limited off."),
    VECTOR_(swing_center, 3, 1, 0, 0, 0, -1e4, 1e4, 0, "",
            "Ball: middle of the cone, in the joint's frame on the first body."),
    VECTOR_(
        twist, 2, 0, 0, 0, 0, -180, 180, 0, "deg",
        "Ball: least and largest turn about x that is left when the swing is undone the shortest way; 0 0: no limit."),
    STRING_(motions, 0,
            "What a positive change of each coordinate is called, separated by blanks (flexion radial_deviation); for "
            "tools."),
    STRING_(label, 0, "What people call it (index finger MCP); for tools."),
};
#undef DEF

#define DEF snStrandDef
static const snAttr strand_attr[] = {
    STRING_(name, SN_ATTR_REQUIRED, "Name, unique among the strands."),
    ENUM_(
        kind, strand_names, SN_STRAND_SPLINE,
        "spline: moves as a body of its own; path: straight between its constraints and over wraps, with one tension, "
        "free of friction and without unknowns."),
    STRING_(node, 0, "NURBS curve of degree 3; without it the node of the same name."),
    NUMBER_(density, 1000, 0, 1e5, SN_ATTR_POSITIVE, "kg/m^3", "Density."),
    NUMBER_(damping, 0.001, 0, 1, 0, "s",
            "Stiffness-proportional damping. 0.0 in Table 3.1 of [Kaufman 2008]; 1 to 2 ms keep strands calm without "
            "noticeable friction at pulleys."),
    NUMBER_(mass_damping, 0, 0, 1e4, 0, "1/s", "Mass-proportional damping."),
    NUMBER_(passive_scale, 1, 0, 1e6, 0, "", "Scales the passive force."),
    NUMBER_(active_scale, 1, 0, 1e6, 0, "", "Scales the active force."),
    STRING_(
        passive_fl, 0,
        "Passive force-length law: linear (default), hill-passive, blix-passive, a ForceLength element, or a file."),
    STRING_(active_fl, 0,
            "Active force-length law: shift (default), hill-active, arch-active (nothing left at half and 1.6 of the "
            "optimal "
            "length), quadratic-active, blix-active, constant, a ForceLength element, or a file."),
    NUMBER_(
        max_velocity, 0, 0, 100, 0, "1/s",
        "Path: fastest shortening of the fibres, in optimal lengths a second, at which no active force is left; about "
        "10 in human muscle. 0: the active force is the same at every speed."),
    NUMBER_(radius, 0.01, 0, 1, SN_ATTR_POSITIVE, "m", "Radius of the whole strand."),
    BOOL_(enabled, true, "Takes part in the simulation."),
    NUMBER_(stiffness, 1e6, 0, 1e12, SN_ATTR_POSITIVE, "Pa",
            "Young's modulus of the belly, or of the whole strand where it has no tendon."),
    NUMBER_(tendon_stiffness, 1e8, 0, 1e12, SN_ATTR_POSITIVE, "Pa",
            "Young's modulus of the tendon. Living tendon has 1.2 GPa, which needs steps of 4 ms or less; 0.1 GPa "
            "looks the same."),
    NUMBER_(belly_start, 0, 0, 1, 0, "", "Where the belly begins, as a fraction of the parameter."),
    NUMBER_(belly_end, 1, 0, 1, 0, "", "Where the belly ends; equal to belly_start: all tendon or ligament."),
    NUMBER_(max_force, 0, 0, 1e9, 0, "N", "Maximal active force; 0: 0.3 MPa times the cross-section."),
    NUMBER_(rest_scale, 1, 0, 100, SN_ATTR_POSITIVE, "", "Rest length over drawn length of the tendon."),
    NUMBER_(belly_rest_scale, 1, 0, 100, SN_ATTR_POSITIVE, "", "Rest length over drawn length of the belly."),
    NUMBER_(fiber_rest, 1, 0, 100, SN_ATTR_POSITIVE, "", "Normalised fibre length of the belly at strain zero."),
    BOOL_(tension_only, true, "Carries no load when shorter than at rest."),
    STRING_(color, 0, "Free text for tools."),
    STRING_(label, 0, "What people call it (flexor digitorum profundus, index); for tools."),
    STRING_(belly_mesh, 0,
            "A closed mesh of the scene: the shape of the belly as drawn, which pictures show instead of a tube."),
};
#undef DEF

#define DEF snGroupDef
static const snAttr group_attr[] = {
    STRING_(name, SN_ATTR_REQUIRED, "Name, unique among the groups."),
    ENUM_(type, group_names, SN_GROUP_VOLUMETRIC, "Volumetric or sheet muscle."),
    INT_(divisions, 5, 1, 1000, "Pieces from start to end in which the volume is measured and, with preserve, kept."),
    NUMBER_(start, 0.1, 0, 1, 0, "", "Parameter at which the first division begins, as a fraction."),
    NUMBER_(end, 0.9, 0, 1, 0, "", "Parameter at which the last division ends."),
    NUMBER_(
        kp, 1e6, 0, 1e12, 0, "N/m",
        "Spring of the volume preservation, on the radius of the cross-section, or of each of the struts. 1e2 in Table "
        "3.1 of [Kaufman 2008], which keeps no muscle from thinning."),
    NUMBER_(kd, 1e-3, 0, 1e12, 0, "N s/m", "Damper of the volume preservation, or of each of the struts."),
    STRING_(strands, SN_ATTR_REQUIRED, "Names of the strands that activate together, separated by blanks."),
    BOOL_(preserve, false, "Whether the volume of a volumetric group is kept, division by division."),
    INT_(struts, 0, 0, 1000,
         "Sheet: struts between each two neighbouring strands, evenly from start to end; they keep the spacing."),
};
#undef DEF

#define DEF snConstraintDef
static const snAttr constraint_attr[] = {
    STRING_(name, SN_ATTR_REQUIRED, "Name, unique among the constraints."),
    ENUM_(type, constraint_names, SN_CONSTRAINT_FIXED,
          "Fixed (to a body or a strand), sliding through a point of a body, on a surface, or a strut to a strand."),
    STRING_(strand, SN_ATTR_REQUIRED, "The strand that is constrained."),
    NUMBER_(position, 0, 0, 1, 0, "", "Where on the strand, as a fraction of the parameter."),
    STRING_(attachment, SN_ATTR_REQUIRED,
            "Fixed: body or strand; sliding: body; surface: surface, shape or closed mesh node; strut: strand."),
    NUMBER_(attachment_position, -1, -1, 1, 0, "", "Where on the other strand; negative: the nearest point."),
    BOOL_(enabled, true, "Takes part in the simulation."),
    ENUM_(equality, equality_names, SN_EQUAL, "Surface: equal holds the strand on it, inequal keeps it on its side."),
    ENUM_(side, side_names, SN_ABOVE, "Surface: the side on which the strand lies."),
    NUMBER_(lateral, -1, -1, 1, 0, "m", "Surface: half width of sideways play; negative: not confined."),
    NUMBER_(offset, 0, -1, 1, 0, "m", "Surface: distance that the strand's axis keeps."),
    ENUM_(mode, strut_names, SN_STRUT_SPRING, "Strut: spring and damper, or a stiff row."),
    NUMBER_(length, 0, 0, 10, 0, "m", "Strut: its length; 0: as drawn."),
    NUMBER_(kp, 1e2, 0, 1e12, 0, "N/m", "Strut: spring."),
    NUMBER_(kd, 1e-3, 0, 1e12, 0, "N s/m", "Strut: damper."),
    ENUM_(junction, junction_names, SN_JUNCTION_LINE,
          "Fixed, between two paths: they meet on the line of the other path, which bodies hold, or in a point that is "
          "free in space."),
};
#undef DEF

#define DEF snForceLengthDef
static const snAttr force_length_attr[] = {
    STRING_(name, SN_ATTR_REQUIRED, "Name, unique among the curves."),
    STRING_(file, 0, "File of two columns, stretch and force, or a curve file; without it the points are inline."),
    {.name = "Stretch",
     .type = SN_ATTR_NUMBERS,
     .flags = SN_ATTR_CHILD,
     .offset = AT(stretch),
     .count_offset = AT(npoint),
     .width = 1,
     .min = 0,
     .max = 100,
     .unit = "",
     .doc = "Normalised lengths, increasing."},
    {.name = "Force",
     .type = SN_ATTR_NUMBERS,
     .flags = SN_ATTR_CHILD,
     .offset = AT(force),
     .count_offset = AT(npoint),
     .width = 1,
     .min = -NONE,
     .max = NONE,
     .unit = "",
     .doc = "Normalised forces, as many."},
};
#undef DEF

#define DEF snFunctionDef
static const snAttr function_attr[] = {
    STRING_(name, SN_ATTR_REQUIRED, "Name, such as elbow.flexion."),
    STRING_(muscles, SN_ATTR_REQUIRED,
            "Names of groups and strands, on a tree of units or line muscles, separated by blanks."),
    {.name = "levels",
     .type = SN_ATTR_NUMBERS,
     .offset = AT(level),
     .count_offset = AT(nlevel),
     .width = 1,
     .min = 0,
     .max = 1,
     .unit = "",
     .flags = SN_ATTR_REQUIRED,
     .doc = "Activation of each muscle at level 1 of the function; with times: of all muscles for each time in turn."},
    {.name = "times",
     .type = SN_ATTR_NUMBERS,
     .offset = AT(time),
     .count_offset = AT(ntime),
     .width = 1,
     .min = 0,
     .max = 1e6,
     .unit = "s",
     .doc = "Times of the levels, increasing; linear between, held at the ends. Without it the levels are constant."},
};
#undef DEF

static const snElement elements[SN_ELEMENT_COUNT] = {
    /* those of trees: schema_tree.c */
    [SN_KIND_NODE] = ROW("Node", snNodeDef, node_attr, "A node of the scene."),
    [SN_KIND_BODY] = ROW("RigidBody", snBodyDef, body_attr, "A bone: a group of the scene that moves as one."),
    [SN_KIND_JOINT] = ROW("Joint", snJointDef, joint_attr, "Connects two bodies."),
    [SN_KIND_STRAND] = ROW("Strand", snStrandDef, strand_attr, "A muscle, tendon or ligament along a curve."),
    [SN_KIND_GROUP] = ROW("MuscleGroup", snGroupDef, group_attr, "Strands of one muscle, which activate together."),
    [SN_KIND_CONSTRAINT] = ROW("Constraint", snConstraintDef, constraint_attr, "Attaches or routes a strand."),
    [SN_KIND_FORCE_LENGTH] = ROW("ForceLength", snForceLengthDef, force_length_attr, "A force-length curve."),
    [SN_KIND_FUNCTION] = ROW("Function", snFunctionDef, function_attr, "A named anatomical function."),
    [SN_ELEMENT_SCENE] = ROW("ModelerScene", snSceneDef, scene_attr, "Root of a scene file."),
    [SN_ELEMENT_MODEL] = ROW("Muscle", snModelDef, model_attr, "Root of a muscle file."),
};

static const struct {
    const char *tag, *doc;
} node_kinds[SN_NODE_KINDS] = {
    [SN_NODE_GROUP] = {"Group", "A group of nodes with a transform; what a rigid body is made of."},
    [SN_NODE_MESH] = {"Mesh", "A triangle mesh, inline or by file; strands can lie on a closed one."},
    [SN_NODE_CURVE] = {"Curve", "A NURBS curve; what a strand is made of."},
    [SN_NODE_SURFACE] = {"Surface", "A NURBS surface; strands can lie on it."},
    [SN_NODE_SHAPE] = {"Shape", "A plane, sphere, cylinder or ellipsoid; strands can lie on it."},
    [SN_NODE_LOCATOR] = {"Locator", "A point with a frame: a joint or a centre of mass."},
};

const snElement *sn_element(int element)
{
    if (element >= SN_KIND_COORDINATE && element < SN_KINDS) return &sn_tree_elements[element - SN_KIND_COORDINATE];
    return &elements[element];
}
const char *sn_node_tag(snNodeKind kind)
{
    return (unsigned)kind < SN_NODE_KINDS ? node_kinds[kind].tag : "Node";
}
const char *sn_node_doc(snNodeKind kind)
{
    return node_kinds[kind].doc;
}

bool sn_attr_applies(int element, const snAttr *attr, const void *def)
{
    if (element != SN_KIND_NODE || !attr->kinds) return true;
    return (attr->kinds >> ((const snNodeDef *)def)->kind) & 1u;
}

const snAttr *sn_attr_find(const snElement *element, const char *name)
{
    for (int i = 0; i < element->nattr; ++i)
        if (strcmp(element->attr[i].name, name) == 0) return &element->attr[i];
    return NULL;
}

const char *sn_attr_string(const snAttr *attr, const void *def)
{
    const char *text = *(const char *const *)sn_attr_get(attr, def);
    return text ? text : "";
}

/* All enums of the defs are as wide as an int; copied, because their exact type is not int. */
int sn_attr_enum(const snAttr *attr, const void *def)
{
    int value;
    memcpy(&value, sn_attr_get(attr, def), sizeof value);
    return value;
}

int32_t sn_attr_count(const snAttr *attr, const void *def)
{
    return *(const int32_t *)(const void *)((const char *)def + attr->count_offset);
}

static void set_default(const snAttr *attr, void *def)
{
    void *at = sn_attr_at(attr, def);
    switch (attr->type) {
    case SN_ATTR_BOOL:
        *(bool *)at = attr->initial[0] != 0;
        break;
    case SN_ATTR_INT:
        *(int32_t *)at = (int32_t)attr->initial[0];
        break;
    case SN_ATTR_NUMBER:
        *(double *)at = attr->initial[0];
        break;
    case SN_ATTR_VECTOR:
        memcpy(at, attr->initial, (size_t)attr->width * sizeof(double));
        break;
    case SN_ATTR_STRING:
        *(const char **)at = "";
        break;
    case SN_ATTR_ENUM:
        memcpy(at, &(int){(int)attr->initial[0]}, sizeof(int));
        break;
    case SN_ATTR_NUMBERS:
    case SN_ATTR_INTS:
        break; /* zeroed: none */
    }
}

void sn_element_defaults(int element, void *def)
{
    const snElement *e = sn_element(element);
    memset(def, 0, e->size);
    memcpy(def, &e->size, sizeof e->size);
    for (int i = 0; i < e->nattr; ++i) set_default(&e->attr[i], def);
}

static bool same_numbers(const snAttr *attr, const double *a, const double *b)
{
    int n = attr->type == SN_ATTR_VECTOR ? attr->width : 1;
    for (int i = 0; i < n; ++i)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]))) return false;
    return true;
}

bool sn_attr_is_default(const snAttr *attr, const void *def)
{
    const void *at = sn_attr_get(attr, def);
    switch (attr->type) {
    case SN_ATTR_BOOL:
        return *(const bool *)at == (attr->initial[0] != 0);
    case SN_ATTR_INT:
        return *(const int32_t *)at == (int32_t)attr->initial[0];
    case SN_ATTR_NUMBER:
    case SN_ATTR_VECTOR:
        return same_numbers(attr, at, attr->initial);
    case SN_ATTR_STRING:
        return !*sn_attr_string(attr, def);
    case SN_ATTR_ENUM:
        return sn_attr_enum(attr, def) == (int)attr->initial[0];
    case SN_ATTR_NUMBERS:
    case SN_ATTR_INTS:
        return sn_attr_count(attr, def) == 0;
    }
    return false;
}

static bool same_array(const snAttr *attr, const void *a, const void *b)
{
    int32_t n = sn_attr_count(attr, a);
    if (n != sn_attr_count(attr, b)) return false;
    size_t item = attr->type == SN_ATTR_INTS ? sizeof(int32_t) : sizeof(double);
    const void *x = *(const void *const *)sn_attr_get(attr, a), *y = *(const void *const *)sn_attr_get(attr, b);
    return n == 0 || memcmp(x, y, (size_t)n * (size_t)attr->width * item) == 0;
}

bool sn_attr_equal(const snAttr *attr, const void *a, const void *b)
{
    const void *x = sn_attr_get(attr, a), *y = sn_attr_get(attr, b);
    switch (attr->type) {
    case SN_ATTR_BOOL:
        return *(const bool *)x == *(const bool *)y;
    case SN_ATTR_INT:
        return *(const int32_t *)x == *(const int32_t *)y;
    case SN_ATTR_NUMBER:
    case SN_ATTR_VECTOR:
        return same_numbers(attr, x, y);
    case SN_ATTR_STRING:
        return strcmp(sn_attr_string(attr, a), sn_attr_string(attr, b)) == 0;
    case SN_ATTR_ENUM:
        return sn_attr_enum(attr, a) == sn_attr_enum(attr, b);
    case SN_ATTR_NUMBERS:
    case SN_ATTR_INTS:
        return same_array(attr, a, b);
    }
    return false;
}
