/* The tables of schema.h for models on a tree. */
#include "model/schema_rows.h"

static const char *const coordinate_names[] = {"turn", "slide", "none", NULL};
static const char *const following_names[] = {"polynomial", "table", "spline", NULL};

#define DEF snCoordinateDef
static const snAttr coordinate_attr[] = {
    STRING_(name, SN_ATTR_REQUIRED,
            "Name, unique among the coordinates: joint.motion (elbow.flexion) lets tools group them."),
    ENUM_(type, coordinate_names, SN_COORDINATE_TURN,
          "Turn about the axis, slide along it, or none: it moves nothing itself, others follow it."),
    STRING_(parent, SN_ATTR_REQUIRED, "Body that the joint is fixed to; world: held in space."),
    STRING_(body, SN_ATTR_REQUIRED,
            "Body that it moves. Coordinates of one body have one parent and compose in the order of the file."),
    VECTOR_(axis, 3, 0, 0, 1, 0, -1, 1, SN_ATTR_REQUIRED, "", "Unit vector in the world, as drawn."),
    VECTOR_(center, 3, 0, 0, 0, 0, -1000, 1000, 0, "m", "A point on the axis in the world, as drawn."),
    VECTOR_(range, 2, NAN, NAN, 0, 0, -1e4, 1e4, SN_ATTR_MAY_BE_NAN, "deg or m",
            "Lower and upper limit; without it there is none."),
    NUMBER_(stiffness, 0, 0, 1e9, 0, "N m/rad or N/m", "Passive spring."),
    NUMBER_(damping, 0, 0, 1e9, 0, "N m s/rad or N s/m", "Passive damper."),
    NUMBER_(rest, 0, -1e4, 1e4, 0, "deg or m", "Where the spring is at rest."),
    NUMBER_(stop_stiffness, 20, 0, 1e9, 0, "N m/rad or N/m", "Spring beyond the range; 0: no stop."),
    NUMBER_(stop_damping, 0, 0, 1e9, 0, "N m s/rad^2 or N s/m^2", "Damper beyond the range, growing with the depth."),
    NUMBER_(
        compression, 0, 0, 1, 0, "m/rad",
        "Stiffness for each newton of tension of the muscles that cross it: contact and ligaments of a loaded joint."),
    NUMBER_(tolerance, 0.02, 0, 1e6, SN_ATTR_POSITIVE, "N m or N",
            "Torque that may be missing before a pose counts as out of reach; what missing torques are weighed by."),
    BOOL_(driven, true, "Whether muscles are asked to move it; otherwise it is passive."),
    BOOL_(yields, false,
          "With driven false: a motion of track may name it all the same, and muscles move it as far as costs little."),
    STRING_(label, 0, "What people call it (index finger MCP flexion); for tools."),
    STRING_(
        follows, 0,
        "Another coordinate, one that follows none: this one is the function of it that Values give. Its own range, "
        "springs and stops then have no effect."),
    ENUM_(function, following_names, SN_FOLLOWING_POLYNOMIAL,
          "With follows, what Values are: coefficients of a polynomial, the constant first (0 1: equal); or pairs of "
          "the other's and this one's value, joined by straight lines or a cubic spline and continued straight."),
    {.name = "Values",
     .type = SN_ATTR_NUMBERS,
     .flags = SN_ATTR_CHILD,
     .offset = AT(value),
     .count_offset = AT(nvalue),
     .width = 1,
     .min = -1e9,
     .max = 1e9,
     .unit = "deg or m",
     .doc = "With follows: the numbers of the function, in degrees or metres of either coordinate."},
};
#undef DEF

#define DEF snSpringDef
static const snAttr spring_attr[] = {
    STRING_(name, SN_ATTR_REQUIRED, "Name, unique among the springs."),
    STRING_(body_a, SN_ATTR_REQUIRED, "First of the two bodies; world: held in space."),
    STRING_(body_b, SN_ATTR_REQUIRED, "Second body, or world."),
    VECTOR_(point, 3, 0, 0, 0, 0, -1000, 1000, SN_ATTR_REQUIRED, "m", "Where both ends are in the world, as drawn."),
    NUMBER_(stiffness, 0, 0, 1e9, 0, "N/m", "Spring of length zero."),
    NUMBER_(damping, 0, 0, 1e9, 0, "N s/m", "Damper."),
};
#undef DEF

#define DEF snLineMuscleDef
static const snAttr line_muscle_attr[] = {
    STRING_(name, SN_ATTR_REQUIRED, "Name, unique among the line muscles."),
    STRING_(bodies, SN_ATTR_REQUIRED, "Body of each of the Points, separated by blanks; world: held in space."),
    STRING_(
        wraps, 0,
        "For each stretch between two points a Shape of the scene (cylinder or sphere, below the group of a body) that "
        "it passes over on the side where it is drawn, or -; without it all are straight."),
    STRING_(
        passes, 0,
        "For each stretch how it passes its wrap: - (default: the middle between its points stays on the side), side "
        "(where it touches is on the side; also where it would run free on the other), shorter (either side), "
        "inside (through the sphere or cylinder, not around it)."),
    BOOL_(enabled, true, "Takes part; otherwise it is only kept as a donor of tendon transfers."),
    NUMBER_(max_force, 0, 0, 1e9, 0, "N", "Maximal active force along the fibres; 0: 0.3 MPa times pcsa."),
    NUMBER_(pcsa, 0, 0, 1, 0, "m^2", "Physiological cross-section."),
    NUMBER_(fiber_length, 0.1, 0, 10, SN_ATTR_POSITIVE, "m", "Optimal length of the fibres."),
    NUMBER_(fiber_neutral, 1, -100, 100, 0, "",
            "Length of the fibres as drawn, over the optimal one; below 0 where the path as drawn is shorter than the "
            "tendon."),
    NUMBER_(pennation, 0, 0, 89, 0, "deg", "Angle of the fibres to the line of pull."),
    NUMBER_(
        slack_length, 0, 0, 10, 0, "m",
        "Length of the path at which passive force begins, the stretch of the passive law being the length over it; "
        "0: its stretch is that of the fibres over passive_rest."),
    NUMBER_(passive_rest, 1, 0, 10, SN_ATTR_POSITIVE, "",
            "Without slack_length: fibre length over the optimal one at which the stretch of the passive law is 1."),
    NUMBER_(passive_scale, 1, 0, 1e6, 0, "", "Passive force over the maximal one, times the law."),
    NUMBER_(passive_damping, 0, 0, 1e3, 0, "s", "Damper of the passive part over the maximal force."),
    NUMBER_(max_velocity, 0, 0, 1e3, 0, "1/s",
            "Shortening, in optimal lengths a second, at which no active force is left; 0: force does not depend on "
            "speed."),
    STRING_(active_fl, 0,
            "Active force-length law: hill-active (default), another built-in law, or a ForceLength element."),
    STRING_(passive_fl, 0,
            "Passive force-length law: hill-passive (default), another built-in law, or a ForceLength element."),
    NUMBER_(radius, 0.001, 0, 1, SN_ATTR_POSITIVE, "m", "Radius of the tendon, for drawing."),
    STRING_(unit, 0, "Muscles of the same unit have one activation; without it the muscle is a unit of its own name."),
    STRING_(coupled, 0, "Group of units that tend to act together: neighbours in the order of the file are coupled."),
    STRING_(nerve, 0, "Names of the nerve lesions that paralyse the muscle, separated by blanks."),
    STRING_(part, 0, "Region of the body that it belongs to."),
    NUMBER_(relative_force, 0, 0, 100, 0, "%",
            "Share of the tension of all muscles, for methods that use relative forces."),
    NUMBER_(relative_fiber, 0, 0, 10, 0, "m", "Resting fibre length of the same source as relative_force."),
    VECTOR_(
        fatigue, 3, 0.01227, 0.00134, 9.1, 0, 0, 1e6, 0, "1/s, 1/s, 1",
        "Rates of fatigue and recovery, and how many times faster recovery is at rest (hand muscles, [Rakshit 2021])."),
    STRING_(label, 0, "What people call it (flexor digitorum profundus, index); for tools."),
    NUMBER_(tone, 0, 0, 1, 0, "1", "Activation of its unit when the limb is relaxed (sinew rest)."),
    NUMBER_(effort, 1, 0.01, 1e6, 0, "",
            "How much its squared activation counts where muscles share a task; of a unit, that of its first muscle."),
    {.name = "Points",
     .type = SN_ATTR_NUMBERS,
     .flags = SN_ATTR_CHILD,
     .offset = AT(point),
     .count_offset = AT(npoint),
     .width = 3,
     .min = -1000,
     .max = 1000,
     .unit = "m",
     .doc = "The path from origin to insertion: three numbers per point, in the world, as drawn."},
    {.name = "Sides",
     .type = SN_ATTR_NUMBERS,
     .flags = SN_ATTR_CHILD,
     .offset = AT(side),
     .count_offset = AT(nside),
     .width = 3,
     .min = -1000,
     .max = 1000,
     .unit = "",
     .doc =
         "With wraps: three numbers per stretch, the direction from the axis of its cylinder to the side on which it "
         "passes, in the world, as drawn; 0 0 0, or without Sides: the side on which it is drawn."},
};
#undef DEF

const snElement sn_tree_elements[3] = {
    ROW("Coordinate", snCoordinateDef, coordinate_attr, "A degree of freedom of a model on a tree."),
    ROW("Spring", snSpringDef, spring_attr, "A spring of length zero between two bodies of a tree; closes loops."),
    ROW("LineMuscle", snLineMuscleDef, line_muscle_attr,
        "A muscle of a tree: straight from point to point, or over wraps."),
};
