/* Strands over meshes: the same as over the analytic shape that the mesh stands for, and better with a finer grid. */
#include "sim/rig.h"

#include "base/alloc.h"
#include "geom/mesh.h"

enum { RINGS = 65, ANGLES = 256, TOUCH = 13 };
static const double RADIUS = 0.02, LEG = 0.04, OFFSET = 0.001;

/* Latitude of a ring: one on the equator of a ball, two on that of a capsule, so that it is round where the strand
 * lies. */
static double latitude_of(int ring, double half)
{
    enum { LOWER = RINGS / 2 };
    if (!(half > 0)) return -SN_PI / 2 + SN_PI * (ring + 1) / (RINGS + 1);
    return ring < LOWER ? SN_PI / 2 * ((ring + 1.0) / LOWER - 1) : SN_PI / 2 * (ring - LOWER) / (RINGS - LOWER);
}

/* A ball, or with a half length a capsule along z. */
static snTriMesh make_capsule(double half)
{
    double *position = SN_NEW_ARRAY(double, 3 * RINGS * ANGLES);
    for (int i = 0; i < RINGS * ANGLES; ++i) {
        double latitude = latitude_of(i / ANGLES, half), turn = 2 * SN_PI * (i % ANGLES) / ANGLES;
        double r = RADIUS * cos(latitude), z = RADIUS * sin(latitude) + (i / ANGLES < RINGS / 2 ? -half : half);
        v3_store(position + 3 * i, v3_of(r * cos(turn), r * sin(turn), z));
    }
    v3 south = v3_of(0, 0, -RADIUS - half), north = v3_of(0, 0, RADIUS + half);
    snTriMesh mesh;
    assert_int_equal(sn_trimesh_loft(RINGS, ANGLES, position, &south, &north, &mesh, NULL), SN_OK);
    sn_free(position);
    return mesh;
}

/* spacing 0: the analytic shape. A mirroring scale and a tilt of the mesh must not matter. */
static void add_surface(snBuild *b, double half, double spacing, bool mirrored)
{
    snTriMesh mesh = {0};
    snNodeDef node = sn_default_node_def();
    node.name = "wrap", node.parent = sn_spec_find(b->spec, SN_KIND_NODE, "bone");
    node.kind = SN_NODE_SHAPE, node.shape = half > 0 ? SN_SHAPE_CYLINDER : SN_SHAPE_SPHERE, node.extent[0] = RADIUS;
    if (spacing > 0) {
        mesh = make_capsule(half);
        node.kind = SN_NODE_MESH;
        node.nvertex = mesh.nvertex, node.vertex = mesh.vertex, node.ntriangle = mesh.ntriangle,
        node.triangle = mesh.triangle;
        node.grid_spacing = spacing;
        node.rotate[0] = cos(0.2), node.rotate[3] = sin(0.2);
        if (mirrored) node.scale[0] = -1;
    }
    assert_int_equal(sn_add_node(b->spec, &node, NULL), SN_OK);
    sn_trimesh_free(&mesh);
}

static void add_pull(snBuild *b, double x, double y)
{
    snBodyDef def = sn_default_body_def();
    def.name = "pull", def.kinematic = true, def.mass = 1;
    def.position[0] = x, def.position[1] = y, def.rotation[0] = 1;
    assert_int_equal(sn_add_body(b->spec, &def, NULL), SN_OK);
}

/* A tendon that leaves a quarter turn around the shape on two straight legs; one end can be moved. */
static Rig over(double half, double spacing, bool mirrored, snEquality equality, double h)
{
    enum { VIAS = 161 };
    double origin[3] = {0, 0, 0}, size[3] = {0.01, 0.01, 0.01}, r = RADIUS + OFFSET;
    double arc = r * SN_PI / 2, total = arc + 2 * LEG;
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0.3, h);
    sn_build_body(&b, "bone", origin, NULL, size, 0);
    add_surface(&b, half, spacing, mirrored);
    snVia via[VIAS] = {0};
    for (int i = 0; i < VIAS; ++i) {
        double at = total * i / (VIAS - 1), turn = fmin(fmax((at - LEG) / r, 0), SN_PI / 2), a = 0.75 * SN_PI - turn;
        double out = at < LEG ? at - LEG : at > LEG + arc ? at - LEG - arc : 0;
        via[i].p[0] = r * cos(a) + out * sin(a);
        via[i].p[1] = r * sin(a) - out * cos(a);
    }
    via[0].kind = via[VIAS - 1].kind = SN_VIA_FIXED;
    via[0].on = "bone", via[VIAS - 1].on = "pull";
    add_pull(&b, via[VIAS - 1].p[0], via[VIAS - 1].p[1]);
    snPath path = {.via = via, .nvia = VIAS, .npoint = 42};
    snStrandDef def = sn_default_strand_def();
    def.name = "tendon", def.radius = 0.001, def.belly_start = def.belly_end = 0, def.rest_scale = 0.97;
    sn_build_strand(&b, &def, &path);
    for (int i = 0; i < TOUCH; ++i) {
        char name[16];
        snConstraintDef c = sn_default_constraint_def();
        snprintf(name, sizeof name, "touch%d", i);
        c.name = name, c.type = SN_CONSTRAINT_SURFACE, c.strand = "tendon", c.attachment = "wrap",
        c.equality = equality;
        c.offset = OFFSET, c.lateral = 0.0005; /* a taut strand slips off a ball */
        c.position = 0.5 + (equality == SN_EQUAL ? 0.3 : 0.8) * (i - TOUCH / 2) / (TOUCH - 1.0) * arc / total * 1.6;
        assert_int_equal(sn_add_constraint(b.spec, &c, NULL), SN_OK);
    }
    snSimDef sim = sn_default_sim_def();
    sim.step = h, sim.gravity_scale = 0;
    return rig_of(sn_build_end(&b), sim);
}

typedef struct Measured {
    double length, tension, arm, ratio, least;
} Measured;

/* Turns the pulled end about the axis of the shape. */
static void turn_to(Rig *r, const double start[3], double angle, double seconds)
{
    double turn[4] = {1, 0, 0, 0};
    int32_t body = sn_find(r->m, SN_ITEM_BODY, "pull");
    double at[3] = {start[0] * cos(angle) - start[1] * sin(angle), start[0] * sin(angle) + start[1] * cos(angle),
                    start[2]};
    for (double t = 0; t < seconds; t += r->s->h) {
        assert_int_equal(sn_move_body(r->m, r->s, body, at, turn), SN_OK);
        assert_int_equal(sn_step(r->m, r->s), SN_OK);
    }
}

static Measured measure(double half, double spacing, bool mirrored)
{
    Rig r = over(half, spacing, mirrored, SN_INEQUAL, 0.004);
    Measured m = {0};
    double start[3], longer, shorter;
    memcpy(start, r.s->out_position + 3 * sn_find(r.m, SN_ITEM_BODY, "pull"), sizeof start);
    rig_run(&r, 1);
    m.length = r.s->out_length[0], m.tension = r.s->out_tension[0];
    m.ratio = v3_len(v3_load(r.s->out_origin)) / v3_len(v3_load(r.s->out_insertion));
    for (int32_t c = 0; c < r.m->nconstraint; ++c)
        if (r.m->constraint[c].one_sided) m.least = fmin(m.least, r.s->out_force[c]);
    turn_to(&r, start, -0.1, 1), longer = r.s->out_length[0];
    turn_to(&r, start, 0.1, 1), shorter = r.s->out_length[0];
    m.arm = (longer - shorter) / 0.2;
    rig_drop(&r);
    return m;
}

static void print_measured(const char *name, double spacing, Measured m, Measured exact)
{
    print_message(
        "%s, spacing %.1f mm: length %+.4f mm, tension %+.3f %%, arm %.3f mm (%+.4f), ends %.4f, least %.3f\n", name,
        1e3 * spacing, 1e3 * (m.length - exact.length), 100 * (m.tension / exact.tension - 1), 1e3 * m.arm,
        1e3 * (m.arm - exact.arm), m.ratio, m.least);
}

static void compare_with(double half, const char *name)
{
    Measured exact = measure(half, 0, false);
    print_message("%s itself: length %.3f mm, tension %.3f N, arm %.3f mm\n", name, 1e3 * exact.length, exact.tension,
                  1e3 * exact.arm);
    assert_near(exact.arm, RADIUS + OFFSET, 5e-5);
    double before = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double spacing = 0.01 / (1 << k);
        Measured m = measure(half, spacing, k == 1);
        print_measured(name, spacing, m, exact);
        double off = fabs(m.length - exact.length);
        assert_at_most(off, before / 2 + 5e-6); /* the facets of the mesh are 1.5e-6 m deep */
        before = off;
        assert_at_most(-m.least, 1e-3);
        if (k == 0) continue;
        assert_at_most(off, 1e-5);
        assert_near(m.tension / exact.tension, 1, 0.005);
        assert_near(m.arm, exact.arm, 2e-5);
        assert_near(m.ratio, exact.ratio, 4e-4);
    }
}

static void mesh_of_a_sphere_is_a_sphere(void **state)
{
    (void)state;
    compare_with(0, "sphere");
}

static void mesh_of_a_capsule_is_a_cylinder(void **state)
{
    (void)state;
    compare_with(0.03, "capsule");
}

/* Equality holds the strand on the mesh, pulling too. */
static void equality_holds_the_strand_on_the_mesh(void **state)
{
    (void)state;
    Rig r = over(0, 0.002, false, SN_EQUAL, 0.004);
    rig_run(&r, 1);
    double worst = 0;
    for (int32_t c = 0; c < r.m->nconstraint; ++c)
        if (r.m->constraint[c].type == SN_CONSTRAINT_SURFACE) worst = fmax(worst, fabs(r.s->out_gap[c]));
    print_message("equality on a mesh: gap %.1e m\n", worst);
    assert_at_most(worst, 1e-6);
    rig_drop(&r);
}

/* Below a mesh is inside it: a slack strand that gravity drops lies on the inner wall. */
static void below_is_inside(void **state)
{
    (void)state;
    double origin[3] = {0, 0, 0}, size[3] = {0.01, 0.01, 0.01};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0.004);
    sn_build_body(&b, "bone", origin, NULL, size, 0);
    add_surface(&b, 0, 0.002, false);
    snVia via[] = {{.p = {-0.015, 0, 0}, .kind = SN_VIA_FIXED, .on = "bone"},
                   {.p = {0, -0.002, 0}},
                   {.p = {0.015, 0, 0}, .kind = SN_VIA_FIXED, .on = "bone"}};
    snPath path = {.via = via, .nvia = 3, .npoint = 16};
    snStrandDef def = sn_default_strand_def();
    def.name = "cord", def.radius = 0.001, def.belly_start = def.belly_end = 0, def.rest_scale = 1.8,
    def.mass_damping = 20;
    sn_build_strand(&b, &def, &path);
    for (int i = 1; i < 10; ++i) {
        char name[16];
        snConstraintDef c = sn_default_constraint_def();
        snprintf(name, sizeof name, "in%d", i);
        c.name = name, c.type = SN_CONSTRAINT_SURFACE, c.strand = "cord", c.attachment = "wrap",
        c.equality = SN_INEQUAL;
        c.side = SN_BELOW, c.position = 0.1 * i;
        assert_int_equal(sn_add_constraint(b.spec, &c, NULL), SN_OK);
    }
    Rig r = rig_of(sn_build_end(&b), sn_default_sim_def());
    rig_run(&r, 1.5);
    double lowest = 0, furthest = 0, push = 0;
    for (int i = 0; i <= 100; ++i) {
        int32_t hint = 0;
        v3 p =
            sn_strand_point(&r.m->strand[0], r.s->point, sn_strand_parameter(&r.m->strand[0], 0.01 * i), NULL, &hint);
        lowest = fmin(lowest, p.y), furthest = fmax(furthest, v3_len(p));
    }
    for (int32_t c = 0; c < r.m->nconstraint; ++c)
        push = fmax(push, r.m->constraint[c].one_sided ? r.s->out_force[c] : 0);
    print_message("inside a mesh of 20 mm: lowest %.2f mm, furthest %.2f mm from the middle, push %.1e N\n",
                  1e3 * lowest, 1e3 * furthest, push);
    assert_near(lowest, -RADIUS, 2e-6);
    assert_at_most(furthest, RADIUS + 2e-6);
    assert_true(push > 1e-5);
    rig_drop(&r);
}

/* A bone that turns carries its surface along: nothing changes in its own frame. */
static void surface_is_rigid_on_its_body(void **state)
{
    (void)state;
    Rig r = over(0.03, 0.002, false, SN_INEQUAL, 0.004), moved = over(0.03, 0.002, false, SN_INEQUAL, 0.004);
    quat q = q_axis_angle(v3_unit(v3_of(1, 2, 3)), 0.7);
    v3 shift = v3_of(0.1, -0.2, 0.3);
    for (int32_t i = 0; i < moved.m->npoint; ++i)
        v3_store(moved.s->point + 3 * i, v3_add(shift, q_rotate(q, v3_load(moved.s->point + 3 * i))));
    for (int32_t b = 0; b < moved.m->nbody; ++b) {
        rigid to = rigid_mul((rigid){q, shift}, moved.s->body[b]);
        moved.s->body[b] = moved.s->body_target[b] = to;
    }
    rig_run(&r, 0.5);
    rig_run(&moved, 0.5);
    assert_near(moved.s->out_length[0], r.s->out_length[0], 1e-12);
    assert_near(moved.s->out_tension[0], r.s->out_tension[0], 1e-9);
    rig_drop(&r);
    rig_drop(&moved);
}

/* Every constraint of a mesh refers to the one grid. */
static void field_is_made_once(void **state)
{
    (void)state;
    Rig r = over(0, 0.002, false, SN_INEQUAL, 0.004);
    assert_int_equal(r.m->nsurface, 1);
    assert_int_equal(r.m->surface[0].kind, SN_SURFACE_DISTANCE);
    print_message("sphere of 20 mm, spacing 2 mm: field off by %.4f mm\n", 1e3 * r.m->surface[0].distance->error);
    assert_at_most(r.m->surface[0].distance->error, 2e-5);
    rig_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_of_a_sphere_is_a_sphere),          cmocka_unit_test(mesh_of_a_capsule_is_a_cylinder),
        cmocka_unit_test(equality_holds_the_strand_on_the_mesh), cmocka_unit_test(below_is_inside),
        cmocka_unit_test(surface_is_rigid_on_its_body),          cmocka_unit_test(field_is_made_once),
    };
    return cmocka_run_group_tests_name("sim.wraps", tests, NULL, NULL);
}
