/* Volumetric groups: the volume stays while the muscle shortens, nothing gains energy, momentum is kept. The volume is
 * measured here by the convex hull of the strands at many sections, which knows nothing of the way it is kept. */
#include "sim/measure.h"
#include "sim/rig.h"

#include "base/alloc.h"
#include "sim/own/state.h"

#include <stdlib.h>

enum { SECTIONS = 60, MOST = 64 };

typedef struct Flat {
    double x, y;
} Flat;

static int by_x(const void *a, const void *b)
{
    const Flat *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return p->y < q->y ? -1 : p->y > q->y;
}

static double turn(Flat a, Flat b, Flat c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Area of the convex hull (monotone chain). */
static double hull_area(Flat *p, int n)
{
    Flat hull[2 * MOST];
    int k = 0;
    qsort(p, (size_t)n, sizeof *p, by_x);
    for (int pass = 0; pass < 2; ++pass) {
        int base = k;
        for (int i = 0; i < n; ++i) {
            Flat next = p[pass ? n - 1 - i : i];
            while (k >= base + 2 && turn(hull[k - 2], hull[k - 1], next) <= 0) --k;
            hull[k++] = next;
        }
        --k;
    }
    double area = 0;
    for (int i = 0; i < k; ++i) {
        Flat a = hull[i], b = hull[(i + 1) % k];
        area += 0.5 * (a.x * b.y - a.y * b.x);
    }
    return area;
}

/* Volume of a group between two fractions, section by section along the line of their centres. */
static double hull_volume(const Rig *r, int32_t group, double from, double to)
{
    const snVolume *v = &r->m->volume[group];
    double volume = 0, area_before = 0;
    v3 before = {0, 0, 0};
    assert_true(v->nstrand <= MOST);
    for (int k = 0; k <= SECTIONS; ++k) {
        double at = from + (to - from) * k / SECTIONS;
        v3 point[MOST], centre = {0, 0, 0}, along = {0, 0, 0};
        Flat flat[MOST];
        for (int32_t i = 0; i < v->nstrand; ++i) {
            const snStrand *st = &r->m->strand[v->strand[i]];
            v3 t;
            point[i] = sn_strand_point(st, r->s->point + 3 * r->m->strand_pointadr[v->strand[i]],
                                       sn_strand_parameter(st, at), &t, NULL);
            centre = v3_mad(centre, 1.0 / v->nstrand, point[i]), along = v3_add(along, t);
        }
        v3 e = v3_unit(along), x = v3_perp(e), y = v3_cross(e, x);
        for (int32_t i = 0; i < v->nstrand; ++i)
            flat[i] = (Flat){v3_dot(x, v3_sub(point[i], centre)), v3_dot(y, v3_sub(point[i], centre))};
        double area = hull_area(flat, v->nstrand);
        if (k) volume += 0.5 * (area + area_before) * v3_dist(centre, before);
        area_before = area, before = centre;
    }
    return volume;
}

static Rig spindle(int32_t strands, double h, snSolver solver)
{
    snSimDef def = sn_default_sim_def();
    def.step = h, def.solver = solver;
    return rig_of(sn_scene_spindle_of(strands), def);
}

/* Raises the activation to where the muscle is 30 % shorter; the widest departure of the volume on the way. */
static double worst_over_shortening(Rig *r, double *shortest)
{
    double volume = hull_volume(r, 0, 0, 1), measured = r->s->out_volume[0], length = r->s->out_length[0], worst = 0;
    *shortest = 1;
    for (double t = 0; t < 2; t += r->s->h) {
        r->s->activation[0] = fmin(0.32, 0.32 * t);
        rig_run(r, r->s->h);
        *shortest = fmin(*shortest, r->s->out_length[0] / length);
        worst = fmax(worst, fabs(hull_volume(r, 0, 0, 1) / volume - 1));
        worst = fmax(worst, fabs(r->s->out_volume[0] / measured - 1));
    }
    return worst;
}

static void volume_stays_while_the_muscle_shortens(void **state)
{
    (void)state;
    static const struct {
        int32_t strands;
        double h;
    } run[] = {{12, 0.004}, {24, 0.004}, {40, 0.004}, {24, 0.010}, {24, 0.001}};
    for (int k = 0; k < 5; ++k) {
        Rig r = spindle(run[k].strands, run[k].h, SN_SOLVER_STRAND);
        double shortest, worst = worst_over_shortening(&r, &shortest);
        print_message("%d strands, h = %g ms: shortest %.3f, volume within %.2f %%\n", (int)run[k].strands,
                      1e3 * run[k].h, shortest, 100 * worst);
        assert_at_most(shortest, 0.72);
        assert_at_most(worst, 0.05);
        rig_drop(&r);
    }
}

/* The change of what the field shows against that of the hull, both between start and end, down to 60 % of the length.
 */
static void the_field_goes_with_the_hull(void **state)
{
    (void)state;
    static const int32_t strands[] = {12, 24, 40};
    for (int k = 0; k < 3; ++k) {
        Rig r = spindle(strands[k], 0.004, SN_SOLVER_STRAND);
        double length = r.s->out_length[0], first = r.s->out_volume[0] / hull_volume(&r, 0, 0.05, 0.95);
        double shortest = 1, worst = 0, kept = 0, volume = r.s->out_volume[0];
        for (double t = 0; t < 3 && shortest > 0.6; t += r.s->h) {
            r.s->activation[0] = fmin(1, 0.5 * t);
            rig_run(&r, r.s->h);
            shortest = fmin(shortest, r.s->out_length[0] / length);
            worst = fmax(worst, fabs(r.s->out_volume[0] / hull_volume(&r, 0, 0.05, 0.95) / first - 1));
            kept = fmax(kept, fabs(r.s->out_volume[0] / volume - 1));
        }
        print_message("%d strands, down to %.3f of the length: group.volume goes with the hull to %.2f %%, is kept to "
                      "%.2f %%\n",
                      (int)strands[k], shortest, 100 * worst, 100 * kept);
        assert_at_most(shortest, 0.6);
        assert_at_most(worst, 0.03);
        rig_drop(&r);
    }
}

/* Without it the muscle thins as strings do: the test above tests something. */
static void without_preservation_it_does_not(void **state)
{
    (void)state;
    Rig r = spindle(24, 0.004, SN_SOLVER_STRAND);
    for (int32_t g = 0; g < r.m->nvolume; ++g) r.m->volume[g].kp = r.m->volume[g].kd = 0;
    double shortest, worst = worst_over_shortening(&r, &shortest);
    print_message("not kept: shortest %.3f, volume off by %.0f %%\n", shortest, 100 * worst);
    assert_true(worst > 0.2);
    rig_drop(&r);
}

/* Thrown about without damping or gravity, the muscle gains no energy. The first steps are left out of the sum: a stiff
 * spring that meets velocities which do not suit it is off by the curvature of its path, and pays it back at once. */
static void energy_does_not_grow(void **state)
{
    (void)state;
    static const double step[] = {0.001, 0.004, 0.010};
    for (int k = 0; k < 3; ++k) {
        Rig r = spindle(12, step[k], SN_SOLVER_STRAND);
        for (int32_t i = 0; i < r.m->nstrand; ++i) r.m->strand[i].alpha = r.m->strand[i].beta = 0;
        sn_set_gravity_scale(r.s, 0);
        uint64_t seed = 5;
        for (int32_t i = 0; i < 3 * r.m->npoint; ++i) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            r.s->pointdot[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
        }
        double first = sn_energy(r.m, r.s).kinetic, fastest = 0, highest = 0;
        for (int i = 0; i < 600; ++i) {
            rig_run(&r, step[k]);
            snEnergy e = sn_energy(r.m, r.s);
            fastest = fmax(fastest, e.kinetic);
            if (i >= 8) highest = fmax(highest, e.kinetic + e.elastic);
        }
        print_message("h = %g ms: kinetic energy from %.2e J to at most %.2e, all of it at most %.2e\n", 1e3 * step[k],
                      first, fastest, highest);
        assert_at_most(fastest, first);
        assert_at_most(highest, first);
        rig_drop(&r);
    }
}

static void solvers_agree(void **state)
{
    (void)state;
    Rig a = spindle(12, 0.004, SN_SOLVER_STRAND), b = spindle(12, 0.004, SN_SOLVER_PLAIN);
    double worst = 0;
    a.s->activation[0] = b.s->activation[0] = 0.3;
    rig_run(&a, 0.4);
    rig_run(&b, 0.4);
    for (int32_t i = 0; i < 3 * a.m->npoint; ++i) worst = fmax(worst, fabs(a.s->point[i] - b.s->point[i]));
    print_message("strand by strand against the plain solver: %.1e m\n", worst);
    assert_at_most(worst, 1e-13);
    rig_drop(&a);
    rig_drop(&b);
}

/* The force of a section is no outer force: it has neither resultant nor moment. */
static void sections_push_only_within(void **state)
{
    (void)state;
    Rig r = spindle(24, 0.004, SN_SOLVER_STRAND);
    r.s->activation[0] = 0.3;
    rig_run(&r, 0.5);
    sn_rows_of_links(r.m, r.s);
    sn_part_groups.assemble(r.m, r.s);
    const snKktPattern *p = &r.m->pattern;
    double worst = 0, arm = 0;
    for (int32_t l = 0; l < p->nlink; ++l) {
        v3 force = {0, 0, 0}, moment = {0, 0, 0};
        for (int32_t e = p->link_partadr[l]; e < p->link_partadr[l + 1]; ++e) {
            const snKktPart *part = &r.s->value->part[e];
            const double *q = r.s->point + 3 * (r.m->strand_pointadr[p->part_strand[e]] + part->span);
            for (int k = 0; k < 4; ++k) {
                v3 f = v3_scale(v3_load(part->n), part->b[k]);
                force = v3_add(force, f), moment = v3_add(moment, v3_cross(v3_load(q + 3 * k), f));
            }
        }
        worst = fmax(worst, v3_len(force)), arm = fmax(arm, v3_len(moment));
    }
    print_message("resultant %.1e, moment %.1e m\n", worst, arm);
    assert_at_most(worst, 1e-15);
    assert_at_most(arm, 1e-15);
    rig_drop(&r);
}

/* A bundle that keeps its volume, a sheet with struts, an octahedron that both lie on. */
static snSpec *everything(void)
{
    static const double vertex[] = {0.02, 0, 0, -0.02, 0, 0, 0, 0.02, 0, 0, -0.02, 0, 0, 0, 0.02, 0, 0, -0.02};
    static const int32_t triangle[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    double origin[3] = {0, 0, 0}, half[3] = {0.01, 0.01, 0.01};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0.004);
    sn_build_body(&b, "bone", origin, NULL, half, 0);
    snNodeDef node = sn_default_node_def();
    node.name = "wrap", node.kind = SN_NODE_MESH, node.parent = sn_spec_find(b.spec, SN_KIND_NODE, "bone");
    node.nvertex = 6, node.vertex = vertex, node.ntriangle = 8, node.triangle = triangle;
    node.grid_spacing = 0.004;
    assert_int_equal(sn_add_node(b.spec, &node, NULL), SN_OK);
    for (int i = 0; i < 8; ++i) {
        char name[8];
        double x = 0.004 * (i % 4), z = 0.024 + 0.002 * (i / 4) + 0.001 * (i % 2);
        snVia via[] = {{.p = {x, 0.05, z}, .kind = SN_VIA_FIXED, .on = "bone"},
                       {.p = {x, 0, z}, .kind = SN_VIA_SURFACE, .on = "wrap"},
                       {.p = {x, -0.05, z}, .kind = SN_VIA_FIXED, .on = "bone"}};
        snPath path = {.via = via, .nvia = 3, .npoint = 8};
        snStrandDef def = sn_default_strand_def();
        snprintf(name, sizeof name, "s%d", i);
        def.name = name, def.radius = 0.001;
        sn_build_strand(&b, &def, &path);
    }
    snGroupDef bundle = sn_default_group_def(), flat = sn_default_group_def();
    bundle.name = "bundle", bundle.strands = "s0 s1 s2 s3", bundle.preserve = true;
    flat.name = "flat", flat.strands = "s4 s5 s6 s7", flat.type = SN_GROUP_SHEET, flat.struts = 3;
    assert_int_equal(sn_add_group(b.spec, &bundle, NULL), SN_OK);
    assert_int_equal(sn_add_group(b.spec, &flat, NULL), SN_OK);
    return sn_build_end(&b);
}

static void every_failed_allocation_is_clean(void **state)
{
    (void)state;
    snSpec *spec = everything();
    assert_failures_clean(spec, 2000);
    Rig r = rig_of(spec, sn_default_sim_def());
    int64_t before = sn_alloc_count();
    for (int i = 0; i < 200; ++i) {
        r.s->activation[0] = r.s->activation[1] = 0.002 * i;
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
    }
    assert_int_equal(sn_alloc_count(), before);
    rig_drop(&r);
}

static void measures_are_fields(void **state)
{
    (void)state;
    Rig r = spindle(24, 0.004, SN_SOLVER_STRAND);
    snView volume, area, length;
    assert_int_equal(sn_count(r.m, SN_ITEM_GROUP), 1);
    assert_string_equal(sn_name(r.m, SN_ITEM_GROUP, 0), "belly");
    assert_int_equal(sn_find(r.m, SN_ITEM_GROUP, "belly"), 0);
    assert_int_equal(sn_find(r.m, SN_ITEM_GROUP, "fibre01"), -1);
    assert_int_equal(sn_field(r.m, r.s, "group.volume", &volume), SN_OK);
    assert_int_equal(sn_field(r.m, r.s, "group.area", &area), SN_OK);
    assert_int_equal(sn_field(r.m, r.s, "group.length", &length), SN_OK);
    assert_int_equal(volume.rows, 1);
    assert_near(area.data[0] * length.data[0], volume.data[0], 1e-15);
    assert_near(length.data[0], 0.9 * 0.15, 3e-5);
    /* the shape it is drawn with, a circle of radius END + (BELLY - END) sin^2, from 5 to 95 % of its length */
    double exact = 0;
    for (int i = 0; i < 1000; ++i) {
        double t = 0.05 + 0.9 * (i + 0.5) / 1000, s = sin(SN_PI * t), radius = 0.005 + 0.007 * s * s;
        exact += SN_PI * radius * radius * 0.9 * 0.15 / 1000;
    }
    print_message("volume %.3f cm^3, of the drawn shape %.3f\n", 1e6 * volume.data[0], 1e6 * exact);
    assert_near(volume.data[0], exact, 0.045 * exact);
    rig_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volume_stays_while_the_muscle_shortens),
        cmocka_unit_test(the_field_goes_with_the_hull),
        cmocka_unit_test(without_preservation_it_does_not),
        cmocka_unit_test(energy_does_not_grow),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(sections_push_only_within),
        cmocka_unit_test(measures_are_fields),
        cmocka_unit_test(every_failed_allocation_is_clean),
    };
    return cmocka_run_group_tests_name("sim.groups", tests, NULL, NULL);
}
