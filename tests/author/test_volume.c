/* Muscles filled by AutoStrands keep their volume when their ends come nearer by 30 %: a spindle, a bent tube, a
 * deltoid with three heads. The volume is summed over many more sections than it is kept in. */
#include "author/autostrands.h"
#include "check.h"

#include "author/muscle_shapes.h"
#include "author/own/strands.h"
#include "sim/state.h"

#include <stdio.h>
#include <string.h>

enum { STRANDS = 24, POINTS = 14, SECTIONS = 200 };

static snAutoStrands *filled(Shape *shape, ShapeKind kind)
{
    snAutoStrandsDef def = sn_default_autostrands_def();
    snAutoStrands *strands = NULL;
    memset(shape, 0, sizeof *shape);
    shape_make(shape, kind);
    def.mesh = &shape->mesh, def.ninput = shape->ninput, def.input = shape->input;
    def.count = STRANDS, def.control_points = POINTS;
    assert_int_equal(sn_autostrands_create(&def, &strands, NULL), SN_OK);
    assert_int_equal(sn_autostrands_run(strands, 400, (snProgress){0}, NULL), SN_OK);
    return strands;
}

static void add_fibre(snSpec *spec, int32_t i, const double *point)
{
    char name[16], end[24];
    snStrandDef def = sn_default_strand_def();
    snprintf(name, sizeof name, "f%02d", (int)i);
    def.name = name, def.radius = 0.002, def.max_force = 4, def.npoint = POINTS, def.point = point;
    def.damping = 0.002, def.mass_damping = 5;
    assert_int_equal(sn_add_strand(spec, &def, NULL), SN_OK);
    for (int k = 0; k < 2; ++k) {
        snConstraintDef c = sn_default_constraint_def();
        snprintf(end, sizeof end, "%s.%d", name, k);
        c.name = end, c.strand = name, c.position = k, c.attachment = k ? "insertion" : "origin";
        assert_int_equal(sn_add_constraint(spec, &c, NULL), SN_OK);
    }
}

static snSpec *muscle(const double *point, int32_t count)
{
    char list[STRANDS * 16] = "", name[16];
    snSpec *spec = sn_spec_create();
    snBodyDef body = sn_default_body_def();
    body.rotation[0] = 1, body.mass = 1;
    body.name = "origin", body.pinned = true;
    assert_int_equal(sn_add_body(spec, &body, NULL), SN_OK);
    body.name = "insertion", body.pinned = false, body.kinematic = true;
    assert_int_equal(sn_add_body(spec, &body, NULL), SN_OK);
    for (int32_t i = 0; i < count; ++i) {
        add_fibre(spec, i, point + 3 * POINTS * i);
        snprintf(name, sizeof name, "f%02d ", (int)i);
        strcat(list, name);
    }
    snGroupDef group = sn_default_group_def(); /* five divisions from 0.1 to 0.9 */
    group.name = "muscle", group.strands = list, group.preserve = true;
    assert_int_equal(sn_add_group(spec, &group, NULL), SN_OK);
    return spec;
}

/* Volume between 0.1 and 0.9, tangents by differences. */
static double volume_of(const snModel *m, const double *q)
{
    double point[3 * STRANDS], tangent[3 * STRANDS], volume = 0;
    const double h = 1e-5;
    for (int k = 0; k < SECTIONS; ++k) {
        double at = 0.1 + 0.8 * (k + 0.5) / SECTIONS;
        for (int32_t i = 0; i < m->nstrand; ++i) {
            const snStrand *st = &m->strand[i];
            const double *x = q + 3 * m->strand_pointadr[i];
            v3 before = sn_strand_point(st, x, sn_strand_parameter(st, at - h), NULL, NULL);
            v3 behind = sn_strand_point(st, x, sn_strand_parameter(st, at + h), NULL, NULL);
            v3_store(point + 3 * i, v3_lerp(before, behind, 0.5));
            v3_store(tangent + 3 * i, v3_scale(v3_sub(behind, before), 0.5 / h));
        }
        snSection s = sn_section(m->nstrand, point, tangent, m->volume[0].disc, 1, NULL, NULL);
        volume += s.area * s.speed * 0.8 / SECTIONS;
    }
    return volume;
}

/* Widest departure of the volume while the insertion comes nearer. */
static double worst_volume(ShapeKind kind, double h)
{
    Shape shape;
    snAutoStrands *strands = filled(&shape, kind);
    static double point[3 * STRANDS * POINTS];
    int32_t count = sn_autostrands_view(strands).count;
    assert_int_equal(count, STRANDS);
    assert_int_equal(sn_autostrands_finish(strands, point, NULL), SN_OK);
    snSpec *spec = muscle(point, count);
    snModel *m = NULL;
    snState *s = NULL;
    snSimDef sim = sn_default_sim_def();
    sim.step = h, sim.gravity_scale = 0;
    assert_int_equal(sn_compile(spec, &m, NULL), SN_OK);
    assert_int_equal(sn_state_create(m, &sim, &s, NULL), SN_OK);
    v3 chord = {0, 0, 0};
    for (int32_t i = 0; i < count; ++i) {
        const double *p = point + 3 * POINTS * i;
        chord = v3_add(chord, v3_scale(v3_sub(v3_load(p + 3 * POINTS - 3), v3_load(p)), 1.0 / count));
    }
    double drawn = volume_of(m, m->rest_point), worst = 0, turn[4] = {1, 0, 0, 0}, at[3];
    s->activation[0] = 0.3;
    for (int i = 0; i * h < 1.5; ++i) {
        v3_store(at, v3_scale(chord, -0.3 * fmin(1, i * h)));
        assert_int_equal(sn_move_body(m, s, sn_find(m, SN_ITEM_BODY, "insertion"), at, turn), SN_OK);
        assert_int_equal(sn_step(m, s), SN_OK);
        if (i % 10 == 9) worst = fmax(worst, fabs(volume_of(m, s->point) / drawn - 1));
    }
    sn_state_destroy(s);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
    sn_autostrands_destroy(strands);
    shape_free(&shape);
    return worst;
}

static void filled_muscles_keep_their_volume(void **state)
{
    (void)state;
    static const struct {
        ShapeKind kind;
        const char *name;
    } run[] = {{SPINDLE, "spindle"}, {BENT_TUBE, "bent tube"}, {DELTOID, "deltoid"}};
    static const double step[] = {0.004, 0.010};
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 2; ++j) {
            double worst = worst_volume(run[k].kind, step[j]);
            print_message("%s, h = %g ms: volume within %.2f %%\n", run[k].name, 1e3 * step[j], 100 * worst);
            assert_at_most(worst, 0.05);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(filled_muscles_keep_their_volume)};
    return cmocka_run_group_tests_name("author.volume", tests, NULL, NULL);
}
