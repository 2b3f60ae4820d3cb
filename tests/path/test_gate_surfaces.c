/* Gates over surfaces of any shape: a cylinder and a ball found by geodesics against the closed form; all poses solved;
 * gradient against differences; forces that are continuous where a wall is touched and where the surface is left. */
#include "check.h"

#include "moved_cord.h"
#include "shapes.h"

#include <math.h>
#include <string.h>

enum { GATES = 3, POSES = 36 };
static const double R = 0.01;

typedef enum Shape { CYLINDER, SPHERE, ELLIPSOID, TUBE, OVAL_TUBE, BALL_MESH, SHAPES } Shape;
static const char *name[] = {"cylinder",      "sphere", "ellipsoid", "tube as a patch", "oval tube as a patch",
                             "ball as a mesh"};

static struct {
    snPatch patch[2];
    snTriMesh mesh;
    snDistance distance;
} kept;

/* A cord along x from body 0 over a surface on body 1 to body 2, drawn over its top; gates at several angles from
 * there. */
typedef struct Example {
    snSurface surface;
    snGeodesicWrap over;
    snCordPoint point[2];
    snCordWrap wrap;
    snCordGate gate[GATES];
    snCord cord;
} Example;

static snSurface surface_of(Shape shape)
{
    switch (shape) {
    case CYLINDER:
        return (snSurface){.kind = SN_SURFACE_CYLINDER, .frame = rigid_identity(), .size = {R, 0.05, 0}};
    case SPHERE:
        return (snSurface){.kind = SN_SURFACE_SPHERE, .frame = rigid_identity(), .size = {R, R, R}};
    case ELLIPSOID:
        return (snSurface){.kind = SN_SURFACE_ELLIPSOID, .frame = rigid_identity(), .size = {1.3 * R, R, 1.7 * R}};
    case TUBE:
        return sn_patch_surface(&kept.patch[0], rigid_identity());
    case OVAL_TUBE:
        return sn_patch_surface(&kept.patch[1], rigid_identity());
    default:
        return (snSurface){.kind = SN_SURFACE_DISTANCE, .frame = rigid_identity(), .distance = &kept.distance};
    }
}

static void make(Example *e, Shape shape, bool closed_form, int ngate, double half)
{
    static const double angle[GATES + 1][GATES] = {{0}, {0}, {-0.35, 0.3}, {-0.5, 0, 0.45}};
    *e = (Example){
        .surface = surface_of(shape),
        .point = {{.slot = 0, .wrap = 0, .at = {-0.04, -0.015, 0}}, {.slot = 2, .wrap = -1, .at = {0.05, -0.02, 0}}},
        .wrap = {.kind = SN_WRAP_SURFACE, .slot = 1, .axis = {0, 0, 1}, .side = {0, 1, 0}, .radius = R}};
    e->over = (snGeodesicWrap){.surface = &e->surface, .side = {0, 1, 0}};
    sn_geodesic_prepare(&e->over, v3_of(0, R, 0));
    e->wrap.over = &e->over;
    if (closed_form) e->wrap.kind = shape == CYLINDER ? SN_WRAP_CYLINDER : SN_WRAP_SPHERE;
    e->wrap.ngate = ngate, e->wrap.gate = e->gate;
    for (int k = 0; k < ngate; ++k) {
        double a = angle[ngate][k];
        v3 at = {R * sin(a), R * cos(a), 0}, out = {sin(a), cos(a), 0};
        e->gate[k] = (snCordGate){.at = at, .aside = {0, 0, -1}, .out = out, .half = half};
        assert_true(sn_cord_gate_stand(&e->wrap, &e->gate[k]));
    }
    bool round = shape == SPHERE || shape == ELLIPSOID || shape == BALL_MESH; /* it holds no cord that runs below */
    if (round) e->point[0].at.y = 0.002, e->point[1].at.y = 0.003;
    e->cord = (snCord){.npoint = 2, .nwrap = 1, .nslot = BODIES, .point = e->point, .wrap = &e->wrap};
    assert_true(sn_cord_nodes(&e->cord) <= MOST_NODES);
}

static void some_poses(unsigned *seed, Shape shape, rigid *pose)
{
    bool round = shape == SPHERE || shape == BALL_MESH;
    for (int b = 0; b < BODIES; ++b)
        pose[b] = pose_aside(seed, 0.25, round ? 0.003 : shape == ELLIPSOID ? 0.005 : 0.01);
}

typedef struct Look {
    int leaning, lifted, unsolved;
} Look;

static Look look_at(const Example *e, const rigid *pose, int32_t n, const snCordNode *node)
{
    Look k = {0};
    for (int32_t i = 0; i < n; ++i) {
        if (node[i].arc) k.unsolved += node[i].state == SN_GEODESIC_ROUGH || node[i].state == SN_GEODESIC_EDGE;
        if (node[i].gate == 0) continue;
        ++k.leaning, k.lifted += height_at_wall(&e->gate[node[i].gate - 1], pose[1], node[i].p) > 1e-6;
    }
    return k;
}

static void the_closed_form_is_found(void **state)
{
    (void)state;
    for (Shape shape = CYLINDER; shape <= SPHERE; ++shape) {
        unsigned seed = 11;
        double worst = 0;
        int leaning[GATES + 1] = {0}, unsolved = 0;
        for (int i = 0; i < 120; ++i) {
            Example e, exact;
            make(&e, shape, false, 1 + i % GATES, 0.001);
            make(&exact, shape, true, 1 + i % GATES, 0.001);
            rigid pose[BODIES];
            some_poses(&seed, shape, pose);
            snCordNode node[MOST_NODES];
            double length;
            Look k = look_at(&e, pose, sn_cord_place(&e.cord, pose, node, &length), node);
            ++leaning[k.leaning], unsolved += k.unsolved;
            double off = fabs(length - length_at(&exact.cord, pose));
            worst = fmax(worst, off);
        }
        print_message("%s by geodesics with gates: length off the closed form by at most %.1e m; poses that lean on 0, "
                      "1, 2, 3: %d, %d, %d, %d; arcs not solved: %d\n",
                      name[shape], worst, leaning[0], leaning[1], leaning[2], leaning[3], unsolved);
        assert_int_equal(unsolved, 0);
        assert_at_most(worst, 2e-9); /* the error of geodesics without gates */
        assert_true(leaning[1] > 50 && leaning[2] > 20 && leaning[3] > 5);
    }
}

typedef struct Moved {
    double length;
    int leaning; /* which walls: a bit each */
} Moved;

static Moved move(const Example *e, const rigid *pose, int c, double d)
{
    rigid now[BODIES];
    snCordNode node[MOST_NODES];
    Moved m = {0};
    move_body(pose, c / 6, c % 6, d, now);
    int32_t n = sn_cord_place(&e->cord, now, node, &m.length);
    for (int32_t i = 0; i < n; ++i)
        if (node[i].gate) m.leaning |= 1 << (node[i].gate - 1);
    return m;
}

/* Where a wall is touched or left between the two places, the length must not jump. The grid of a mesh is not smooth:
 * there a cord near the surface may have two tangents, and the length jump from one to the other. */
static void gradient_is_the_change_of_length(void **state)
{
    (void)state;
    for (Shape shape = CYLINDER; shape < SHAPES; ++shape) {
        unsigned seed = 11;
        int leaning[GATES + 1] = {0}, lifted = 0, unsolved = 0, changed = 0;
        double worst = 0, jump = 0;
        for (int i = 0; i < POSES; ++i) {
            Example e;
            make(&e, shape, false, 1 + i % GATES, 0.001);
            rigid pose[BODIES];
            some_poses(&seed, shape, pose);
            snCordNode node[MOST_NODES];
            double length, g[6 * BODIES], d = 1e-6;
            int32_t n = sn_cord_place(&e.cord, pose, node, &length);
            Look k = look_at(&e, pose, n, node);
            ++leaning[k.leaning], lifted += k.lifted, unsolved += k.unsolved;
            sn_cord_gradient(&e.cord, pose, n, node, g);
            for (int c = i % 3; c < 6 * BODIES; c += 3) {
                Moved more = move(&e, pose, c, d), less = move(&e, pose, c, -d);
                double off = fabs(more.length - less.length - 2 * d * g[c]);
                bool rough = shape == BALL_MESH && off > 2 * d * 1e-6;
                if (more.leaning == less.leaning && !rough)
                    worst = fmax(worst, off / (2 * d));
                else
                    jump = fmax(jump, off), ++changed;
            }
        }
        print_message("%s: dl/dv with gates off by at most %.1e; poses that lean on 0, 1, 2, 3: %d, %d, %d, %d; stops "
                      "lifted off: %d; arcs not solved: %d; walls changed %d times, the length jumps by %.1e m\n",
                      name[shape], worst, leaning[0], leaning[1], leaning[2], leaning[3], lifted, unsolved, changed,
                      jump);
        assert_int_equal(unsolved, 0);
        assert_true(leaning[1] > 5 && leaning[2] > 3);
        assert_at_most(worst, shape == BALL_MESH ? 1e-6 : 1e-8);
        assert_true(shape != BALL_MESH || changed <= 2);
        assert_at_most(jump, 2e-9);
    }
}

static void gradient_at(const Example *e, const rigid *pose, double *g, int *leaning)
{
    snCordNode node[MOST_NODES];
    double length;
    int32_t n = sn_cord_place(&e->cord, pose, node, &length);
    sn_cord_gradient(&e->cord, pose, n, node, g);
    Look k = look_at(e, pose, n, node);
    *leaning = k.leaning + 10 * (k.lifted > 0);
}

/* An end goes aside and up: through touching walls, leaving them and lifting off. */
static void forces_are_continuous(void **state)
{
    (void)state;
    heavy_case();
    for (Shape shape = ELLIPSOID; shape <= OVAL_TUBE; shape += 2) {
        double jump[2] = {0, 0};
        int events = 0;
        for (int fine = 0; fine < 2; ++fine) {
            int steps = fine ? 3200 : 200, last = -1;
            double before[6 * BODIES] = {0};
            for (int i = 0; i <= steps; ++i) {
                Example e;
                make(&e, shape, false, 2, 0.001);
                rigid pose[BODIES];
                for (int b = 0; b < BODIES; ++b) pose[b] = rigid_identity();
                double u = 1.0 * i / steps, g[6 * BODIES];
                int leaning;
                pose[2].p = v3_of(0, 0.05 * u, 0.004 * sin(9 * u));
                pose[0].p = v3_of(0, 0.02 * sin(5 * u), 0.003 * sin(4 * u));
                gradient_at(&e, pose, g, &leaning);
                if (!fine && last >= 0 && leaning != last) ++events;
                jump[fine] = fmax(jump[fine], change_of(g, before, i == 0));
                last = leaning;
            }
        }
        print_message("%s: %d times walls are touched, left or left below; largest change of dl/dv in a step %.1e, in "
                      "one of a sixteenth %.1e\n",
                      name[shape], events, jump[0], jump[1]);
        assert_true(events > 3);
        assert_at_most(jump[1], 0.3 * jump[0]);
    }
}

/* On a patch with open ends a wall may stand on its edge, but not beyond. */
static void walls_beyond_an_edge_are_refused(void **state)
{
    (void)state;
    Example e;
    make(&e, TUBE, false, 1, 0.001);
    e.gate[0].half = 0.029;
    assert_true(sn_cord_gate_stand(&e.wrap, &e.gate[0]));
    e.gate[0].half = 0.031;
    assert_false(sn_cord_gate_stand(&e.wrap, &e.gate[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closed_form_is_found),
        cmocka_unit_test(gradient_is_the_change_of_length),
        cmocka_unit_test(forces_are_continuous),
        cmocka_unit_test(walls_beyond_an_edge_are_refused),
    };
    kept.patch[0] = make_patch(R, 1, false, 0.03), kept.patch[1] = make_patch(R, 0.7, false, 0.03);
    kept.mesh = make_ball(R);
    snError error;
    if (sn_distance_create(&kept.mesh, 0, &kept.distance, &error) != SN_OK) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int k = 0; k < 2; ++k) sn_patch_free(&kept.patch[k]);
    sn_distance_free(&kept.distance);
    sn_trimesh_free(&kept.mesh);
    return failed;
}
