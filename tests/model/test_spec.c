/* Storage of a spec: defaults, deep copies, names, nodes made for elements built in code, world transforms. */
#include "base/alloc.h"
#include "check.h"
#include "model/nodes.h"
#include "model/spec_internal.h"

#include <string.h>

/* Table 3.1 of [Kaufman 2008] in SI. */
static void test_defaults(void **state)
{
    (void)state;
    snBodyDef body = sn_default_body_def();
    assert_true(body.density == 1000 && body.radius == 0.01 && body.length == 0.01 && body.enabled && !body.pinned);
    assert_true(body.rotation[0] == 1 && body.mass == 0);
    snStrandDef strand = sn_default_strand_def();
    assert_true(strand.density == 1000 && strand.radius == 0.01 && strand.passive_scale == 1 && strand.enabled);
    assert_true(strand.damping == 0.001 && strand.stiffness == 1e6 && strand.tendon_stiffness == 1e8);
    assert_true(strand.belly_start == 0 && strand.belly_end == 1 && strand.tension_only);
    assert_string_equal(strand.passive_fl, "");
    snGroupDef group = sn_default_group_def();
    assert_true(group.divisions == 5 && group.start == .1 && group.end == .9 && group.kp == 1e6 && group.kd == 1e-3);
    snConstraintDef c = sn_default_constraint_def();
    assert_true(c.lateral == -1 && c.attachment_position == -1 && c.equality == SN_EQUAL && c.side == SN_ABOVE);
    snModelDef model = sn_default_model_def();
    assert_true(model.step == 0.004 && model.settle == 0.2 && isnan(model.gravity[1]) && model.compliance == 1e-6);
    snNodeDef node = sn_default_node_def();
    assert_true(node.scale[2] == 1 && node.rotate[0] == 1 && node.visible && node.degree == 3);
    assert_true(sn_default_joint_def().type == SN_JOINT_TYPE_BALL);
}

static void test_every_default_is_in_range(void **state)
{
    (void)state;
    for (int e = 0; e < SN_ELEMENT_COUNT; ++e) {
        const snElement *element = sn_element(e);
        for (int i = 0; i < element->nattr; ++i) {
            const snAttr *a = &element->attr[i];
            assert_true(strlen(a->doc) > 5 && a->unit);
            assert_ptr_equal(sn_attr_find(element, a->name), a); /* unique */
            int n = a->type == SN_ATTR_NUMBER || a->type == SN_ATTR_INT ? 1 : a->type == SN_ATTR_VECTOR ? a->width : 0;
            for (int k = 0; k < n; ++k) {
                if (isnan(a->initial[k]) && (a->flags & SN_ATTR_MAY_BE_NAN)) continue;
                assert_true(a->initial[k] >= a->min && a->initial[k] <= a->max);
            }
        }
    }
}

static void test_copies_deeply(void **state)
{
    (void)state;
    snSpec *spec = sn_spec_create();
    char name[] = "curve";
    double point[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
    snNodeDef def = sn_default_node_def();
    def.name = name;
    def.kind = SN_NODE_CURVE;
    def.npoint = 4;
    def.point = point;
    snId id = 0;
    assert_int_equal(sn_add_node(spec, &def, &id), SN_OK);
    assert_int_equal(id, 1);
    name[0] = 'X';
    point[3] = 9;
    const snNodeDef *stored = sn_spec_node(spec, id);
    assert_string_equal(stored->name, "curve");
    assert_true(stored->point[3] == 1 && stored->npoint == 4);
    assert_int_equal(sn_spec_find(spec, SN_KIND_NODE, "curve"), 1);
    assert_int_equal(sn_spec_find(spec, SN_KIND_NODE, "nothing"), 0);
    assert_int_equal(sn_spec_find(spec, SN_KIND_BODY, "curve"), 0);
    assert_string_equal(stored->file, "");
    sn_spec_destroy(spec);
}

static void test_code_makes_nodes(void **state)
{
    (void)state;
    snSpec *spec = sn_spec_create();
    snBodyDef body = sn_default_body_def();
    body.name = "femur";
    body.position[1] = 2;
    snJointDef joint = sn_default_joint_def();
    joint.name = "hip";
    joint.body_a = joint.body_b = "femur";
    snStrandDef strand = sn_default_strand_def();
    double point[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
    strand.name = "rectus";
    strand.npoint = 4;
    strand.point = point;
    snId b, j, s;
    assert_int_equal(sn_add_body(spec, &body, &b), SN_OK);
    assert_int_equal(sn_add_joint(spec, &joint, &j), SN_OK);
    assert_int_equal(sn_add_strand(spec, &strand, &s), SN_OK);
    assert_int_equal(sn_spec_count(spec, SN_KIND_NODE), 3);
    assert_int_equal(sn_spec_node(spec, sn_body_node(spec, b))->kind, SN_NODE_GROUP);
    assert_int_equal(sn_spec_node(spec, sn_joint_node(spec, j))->kind, SN_NODE_LOCATOR);
    assert_int_equal(sn_spec_node(spec, sn_strand_node(spec, s))->npoint, 4);
    assert_near(sn_node_frame(spec, sn_body_node(spec, b)).p.y, 2, 0);
    assert_int_equal(sn_spec_strand(spec, s)->npoint, 0);
    assert_int_equal(sn_node_body(spec, sn_body_node(spec, b)), b);
    assert_int_equal(sn_node_body(spec, sn_strand_node(spec, s)), 0);
    sn_spec_destroy(spec);
}

static snId add_group(snSpec *spec, const char *name, snId parent, v3 translate, quat rotate, v3 scale)
{
    snNodeDef def = sn_default_node_def();
    def.name = name;
    def.parent = parent;
    v3_store(def.translate, translate);
    q_store(def.rotate, rotate);
    v3_store(def.scale, scale);
    snId id = 0;
    assert_int_equal(sn_add_node(spec, &def, &id), SN_OK);
    return id;
}

static void test_world_transform(void **state)
{
    (void)state;
    snSpec *spec = sn_spec_create();
    snSceneDef scene = sn_default_scene_def();
    scene.units = SN_UNITS_CM;
    scene.up = SN_AXIS_Z;
    sn_set_scene(spec, &scene);
    quat q = q_axis_angle(v3_of(0, 0, 1), 90 * SN_DEG);
    snId a = add_group(spec, "a", 0, v3_of(10, 0, 0), q, v3_of(1, 2, 3));
    snId b = add_group(spec, "b", a, v3_of(1, 1, 1), q_identity(), v3_of(1, 1, 1));
    /* by hand: (1, 1, 1) scaled (1, 2, 3), turned to (-2, 1, 3), moved to (8, 1, 3) cm */
    affine world = sn_node_world(spec, b);
    v3 origin = affine_apply(&world, v3_of(0, 0, 0)), x = affine_apply(&world, v3_of(1, 0, 0));
    assert_near(v3_dist(origin, v3_of(.08, .01, .03)), 0, 1e-16);
    assert_near(v3_dist(x, v3_of(.08, .02, .03)), 0, 1e-16);
    rigid frame = sn_node_frame(spec, b);
    assert_near(v3_dist(q_rotate(frame.q, v3_of(1, 0, 0)), v3_of(0, 1, 0)), 0, 1e-15);
    assert_near(v3_dist(frame.p, origin), 0, 0);
    assert_near(sn_spec_gravity(spec).z, -9.81, 0);
    assert_true(sn_node_is_under(spec, b, a) && !sn_node_is_under(spec, a, b));
    snId m = add_group(spec, "mirror", a, v3_of(0, 0, 0), q_identity(), v3_of(-1, 1, 1));
    quat turned = sn_node_frame(spec, m).q;
    m3 r = m3_from_q(turned);
    assert_near(m3_det(&r), 1, 1e-12);
    sn_spec_destroy(spec);
}

static void test_no_memory(void **state)
{
    (void)state;
    int64_t before = sn_alloc_live();
    for (int64_t n = 0; n < 30; ++n) {
        sn_alloc_fail_after(n);
        snSpec *spec = sn_spec_create();
        snStatus status = spec ? SN_OK : SN_NO_MEMORY;
        snBodyDef body = sn_default_body_def();
        body.name = "bone";
        if (spec) status = sn_add_body(spec, &body, NULL);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        assert_true(n < 29 || status == SN_OK);
        sn_spec_destroy(spec);
        assert_int_equal(sn_alloc_live(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),        cmocka_unit_test(test_every_default_is_in_range),
        cmocka_unit_test(test_copies_deeply),   cmocka_unit_test(test_code_makes_nodes),
        cmocka_unit_test(test_world_transform), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
