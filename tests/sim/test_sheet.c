/* Sheets: struts that are placed by themselves connect neighbours, and keep the spacing
 * over contraction and bending. */
#include "author/autostrands.h"
#include "sim/rig.h"

#include "sinew/author.h"

#include <stdlib.h>

enum { STRANDS = 12, VIAS = 41, STATIONS = 9 };
static const double LENGTH = 0.12, SPACING = 0.005, SPREAD = 0.25;

static int32_t shuffled(int32_t i)
{
    return i * 5 % STRANDS; /* the order in the file says nothing about who is whose neighbour */
}

static void strand_name(char *name, size_t size, int32_t i)
{
    snprintf(name, size, "s%02d", (int)shuffled(i) + 1);
}

/* Strands side by side along x that run down along y, wider apart in the middle than at the
 * ends by a share `spread`. */
static void lay_strand(snBuild *b, int32_t i, double spread)
{
    char name[16];
    snVia via[VIAS] = {{.kind = SN_VIA_FREE}};
    strand_name(name, sizeof name, i);
    for (int k = 0; k < VIAS; ++k) {
        double t = (double)k / (VIAS - 1), s = sin(SN_PI * t);
        via[k].p[0] = SPACING * (shuffled(i) - 0.5 * (STRANDS - 1)) * (1 + spread * s * s), via[k].p[1] = -LENGTH * t;
    }
    via[0].kind = via[VIAS - 1].kind = SN_VIA_FIXED;
    via[0].on = "top", via[VIAS - 1].on = "bar";
    snPath path = {.via = via, .nvia = VIAS, .npoint = 14};
    snStrandDef def = sn_default_strand_def();
    def.name = name, def.radius = 0.002, def.stiffness = 1e6, def.max_force = 8, def.damping = 0.002,
    def.mass_damping = 5;
    sn_build_strand(b, &def, &path);
}

static const double RADIUS = 0.03, MIDDLE = -0.06; /* m: radius, y of its centre; it touches the sheet from behind */
static const double BARREL = 0.08;                 /* m: half its length along x */

/* A barrel behind the sheet, and points of each strand that stay in front of it. */
static void add_barrel(snBuild *b)
{
    snNodeDef node = sn_default_node_def();
    node.name = "barrel", node.kind = SN_NODE_SHAPE, node.shape = SN_SHAPE_ELLIPSOID;
    node.extent[0] = BARREL, node.extent[1] = node.extent[2] = RADIUS;
    node.parent = sn_spec_find(b->spec, SN_KIND_NODE, "top");
    node.translate[1] = MIDDLE - 0.005, node.translate[2] = -RADIUS;
    assert_int_equal(sn_add_node(b->spec, &node, NULL), SN_OK);
    for (int32_t i = 0; i < 9 * STRANDS; ++i) {
        char strand[16], name[24];
        snConstraintDef c = sn_default_constraint_def();
        strand_name(strand, sizeof strand, i / 9);
        snprintf(name, sizeof name, "%s.on%d", strand, (int)i % 9);
        c.name = name, c.type = SN_CONSTRAINT_SURFACE, c.strand = strand, c.attachment = "barrel",
        c.equality = SN_INEQUAL;
        c.position = 0.1 + 0.1 * (i % 9);
        assert_int_equal(sn_add_constraint(b->spec, &c, NULL), SN_OK);
    }
}

static snSpec *sheet(int32_t struts, bool hinged)
{
    char list[STRANDS * 5] = "", name[16];
    snBuild b = sn_build_begin();
    double top[3] = {0, 0.005, 0}, bar[3] = {0, -LENGTH - 0.005, 0}, half[3] = {0.03, 0.005, 0.005};
    sn_build_model(&b, 0.2, 0.004);
    sn_build_body(&b, "top", top, NULL, half, 0);
    if (!hinged) sn_build_body(&b, "bar", bar, NULL, half, 1);
    if (hinged) {
        snBodyDef def = sn_default_body_def();
        def.name = "bar", def.kinematic = true, def.mass = 1, def.rotation[0] = 1, def.position[1] = -LENGTH;
        assert_int_equal(sn_add_body(b.spec, &def, NULL), SN_OK);
    }
    for (int32_t i = 0; i < STRANDS; ++i) {
        lay_strand(&b, i, hinged ? 0 : SPREAD);
        strand_name(name, sizeof name, i);
        strcat(list, name), strcat(list, " ");
    }
    if (hinged) add_barrel(&b);
    if (!hinged) {
        snJointDef slide = sn_default_joint_def();
        double down[3] = {0, -1, 0};
        slide.name = "slide", slide.type = SN_JOINT_TYPE_PRISMATIC, slide.body_a = "top", slide.body_b = "bar";
        slide.position[1] = -LENGTH;
        sn_build_z_to(down, slide.rotation);
        sn_build_joint(&b, &slide);
    }
    snGroupDef group = sn_default_group_def();
    group.name = "sheet", group.type = SN_GROUP_SHEET, group.strands = list, group.struts = struts;
    assert_int_equal(sn_add_group(b.spec, &group, NULL), SN_OK);
    return sn_build_end(&b);
}

static v3 point_of(const Rig *r, int32_t strand, double at)
{
    const snStrand *st = &r->m->strand[strand];
    return sn_strand_point(st, r->s->point + 3 * r->m->strand_pointadr[strand], sn_strand_parameter(st, at), NULL,
                           NULL);
}

/* Distance of a point from another strand. */
static double gap_to(const Rig *r, v3 p, int32_t strand)
{
    double least = INFINITY;
    for (int k = 0; k <= 100; ++k) least = fmin(least, v3_dist(p, point_of(r, strand, k / 100.0)));
    return least;
}

static void spacings(const Rig *r, double *gap)
{
    for (int32_t i = 0; i + 1 < STRANDS; ++i)
        for (int k = 0; k < STATIONS; ++k) {
            char a[16], b[16];
            snprintf(a, sizeof a, "s%02d", (int)i + 1), snprintf(b, sizeof b, "s%02d", (int)i + 2);
            v3 p = point_of(r, sn_find(r->m, SN_ITEM_STRAND, a), 0.1 + 0.8 * k / (STATIONS - 1));
            gap[i * STATIONS + k] = gap_to(r, p, sn_find(r->m, SN_ITEM_STRAND, b));
        }
}

static double worst_change(const Rig *r, const double *before)
{
    double now[STRANDS * STATIONS], worst = 0;
    spacings(r, now);
    for (int i = 0; i < (STRANDS - 1) * STATIONS; ++i) worst = fmax(worst, fabs(now[i] / before[i] - 1));
    return worst;
}

static void struts_connect_neighbours(void **state)
{
    (void)state;
    Rig r = rig_of(sheet(5, false), sn_default_sim_def());
    int32_t count = 0;
    for (int32_t c = 0; c < r.m->nconstraint; ++c) {
        const snConstraint *k = &r.m->constraint[c];
        if (k->type != SN_CONSTRAINT_STRUT) continue;
        int a = atoi(r.m->strand_name[k->strand] + 1), b = atoi(r.m->strand_name[k->other] + 1);
        assert_int_equal(abs(a - b), 1);
        assert_true(k->length > 0.9 * SPACING && k->length < 1.4 * SPACING);
        ++count;
    }
    assert_int_equal(count, 5 * (STRANDS - 1));
    rig_drop(&r);
}

/* The same struts as constraints of their own: the muscle moves alike. */
static void struts_can_be_added_one_by_one(void **state)
{
    (void)state;
    snSpec *spec = sheet(0, false);
    snError error = {0};
    snId group = sn_spec_find(spec, SN_KIND_GROUP, "sheet");
    int32_t before = sn_spec_count(spec, SN_KIND_CONSTRAINT);
    assert_int_equal(sn_add_struts(spec, group, 5, SN_STRUT_SPRING, &error), SN_OK);
    assert_int_equal(sn_spec_count(spec, SN_KIND_CONSTRAINT), before + 5 * (STRANDS - 1));
    assert_int_equal(sn_add_struts(spec, group, 5, SN_STRUT_SPRING, &error), SN_BAD_INPUT); /* they are there */
    assert_non_null(strstr(error.message, "sheet.strut1.1"));
    assert_int_equal(sn_add_struts(spec, 7, 5, SN_STRUT_SPRING, &error), SN_BAD_ARGUMENT);
    Rig a = rig_of(spec, sn_default_sim_def()), b = rig_of(sheet(5, false), sn_default_sim_def());
    a.s->activation[0] = b.s->activation[0] = 0.2;
    rig_run(&a, 0.4);
    rig_run(&b, 0.4);
    for (int32_t i = 0; i < 3 * a.m->npoint; ++i) assert_near(a.s->point[i], b.s->point[i], 1e-12);
    rig_drop(&a);
    rig_drop(&b);
}

static double over_contraction(int32_t struts, double h, double *shortest)
{
    snSimDef sim = sn_default_sim_def();
    sim.step = h;
    Rig r = rig_of(sheet(struts, false), sim);
    double drawn[STRANDS * STATIONS], worst = 0, length = r.s->out_length[0];
    Rig as_drawn = r;
    snState *s = NULL;
    sim.skip_settle = true;
    assert_int_equal(sn_state_create(r.m, &sim, &s, NULL), SN_OK);
    as_drawn.s = s;
    spacings(&as_drawn, drawn);
    sn_state_destroy(s);
    *shortest = 1;
    for (int i = 0; i * h < 2; ++i) {
        r.s->activation[0] = fmin(0.32, 0.32 * i * h);
        rig_run(&r, h);
        *shortest = fmin(*shortest, r.s->out_length[0] / length);
        if (i % 10 == 0) worst = fmax(worst, worst_change(&r, drawn));
    }
    double out = 0;
    for (int32_t i = 0; i < r.m->npoint; ++i) out = fmax(out, fabs(r.s->point[3 * i + 2]));
    assert_at_most(out, 0.5 * SPACING); /* it arches a little, and has not buckled */
    rig_drop(&r);
    return worst;
}

static void spacing_stays_over_contraction(void **state)
{
    (void)state;
    static const double step[] = {0.004, 0.010};
    double shortest, without = over_contraction(0, 0.004, &shortest);
    print_message("without struts: shortest %.3f, spacing off by %.1f %%\n", shortest, 100 * without);
    for (int k = 0; k < 2; ++k) {
        double worst = over_contraction(7, step[k], &shortest);
        print_message("7 struts, h = %g ms: shortest %.3f, spacing within %.1f %%\n", 1e3 * step[k], shortest,
                      100 * worst);
        assert_at_most(shortest, 0.75);
        assert_at_most(worst, 0.1);
    }
    assert_true(without > 0.15);
}

/* The bar swings back about the axis of the barrel: the sheet is bent over it, and slides down its sides if nothing
 * holds it. */
static double over_bending(int32_t struts, double degrees)
{
    snSimDef sim = sn_default_sim_def();
    Rig r = rig_of(sheet(struts, true), sim);
    double drawn[STRANDS * STATIONS], worst = 0, gap = 0;
    int32_t bar = sn_find(r.m, SN_ITEM_BODY, "bar");
    spacings(&r, drawn);
    for (int i = 0; i < 400; ++i) {
        quat q = q_axis_angle(v3_of(1, 0, 0), degrees * SN_DEG * fmin(1, i / 200.0));
        v3 centre = v3_of(0, MIDDLE, -RADIUS);
        double at[3], turn[4];
        v3_store(at, v3_add(centre, q_rotate(q, v3_sub(v3_of(0, -LENGTH, 0), centre))));
        q_store(turn, q);
        assert_int_equal(sn_move_body(r.m, r.s, bar, at, turn), SN_OK);
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
        if (i % 20 == 0) worst = fmax(worst, worst_change(&r, drawn));
    }
    for (int32_t c = 0; c < r.m->nconstraint; ++c)
        if (r.m->constraint[c].type == SN_CONSTRAINT_SURFACE) gap = fmin(gap, r.s->out_gap[c]);
    assert_at_most(-gap, 1e-9);
    rig_drop(&r);
    return worst;
}

static void spacing_stays_over_bending(void **state)
{
    (void)state;
    double without = over_bending(0, 60), worst = over_bending(7, 60);
    print_message("bent by 60 degrees over a barrel: spacing off by %.1f %% without struts, within %.1f %% with 7\n",
                  100 * without, 100 * worst);
    assert_at_most(worst, 1.2e-3);
    assert_true(without > 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(struts_connect_neighbours),
        cmocka_unit_test(struts_can_be_added_one_by_one),
        cmocka_unit_test(spacing_stays_over_contraction),
        cmocka_unit_test(spacing_stays_over_bending),
    };
    return cmocka_run_group_tests_name("sim.sheet", tests, NULL, NULL);
}
