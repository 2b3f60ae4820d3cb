/* Skin kept off bones: bounds that are remembered from frame to frame against exact distances and against a start from
 * nothing, in random motion with jumps. On the plain machine and on this one. */
#include "check.h"

#include "base/alloc.h"
#include "skin/contact.h"

#include <string.h>

enum { RINGS = 40, ANGLES = 30, BONES = 8 };

static double random_at(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) * 0x1p-53;
}

static snTriMesh make_tube(int rings, int angles, v3 start, double length, double radius)
{
    double position[3 * RINGS * ANGLES];
    snTriMesh tube;
    for (int r = 0; r < rings; ++r)
        for (int a = 0; a < angles; ++a) {
            double turn = 2 * SN_PI * a / angles;
            v3_store(position + 3 * (angles * r + a),
                     v3_add(start, v3_of(radius * sin(turn), length * r / (rings - 1), radius * cos(turn))));
        }
    assert_int_equal(sn_trimesh_loft(rings, angles, position, NULL, NULL, &tube, NULL), SN_OK);
    return tube;
}

typedef struct {
    snTriMesh skin, mesh[BONES];
    snSkinBone bone[BONES];
    double rest[7 * BONES], pose[7 * BONES];
    double *base, *normal, *offset, *vertex, *again, *short_offset;
    uint64_t seed;
} Limb;

/* A chain of thin bones in a tube of skin; the first lies across the others' slots of what is remembered. */
static void make_limb(Limb *l)
{
    memset(l, 0, sizeof *l);
    l->seed = 5;
    l->skin = make_tube(RINGS, ANGLES, (v3){0}, 0.16, 0.011);
    for (int b = 0; b < BONES; ++b) {
        l->mesh[b] = make_tube(5, 9, v3_of(b % 2 ? 0.002 : -0.002, 0.02 * b + 0.002, 0), 0.017, 0.005);
        l->bone[b] = (snSkinBone){b, l->mesh[b].nvertex, l->mesh[b].ntriangle, l->mesh[b].vertex, l->mesh[b].triangle};
        l->rest[7 * b + 3] = 1;
    }
    size_t n = (size_t)l->skin.nvertex;
    l->base = SN_NEW_ARRAY(double, 3 * n), l->normal = SN_NEW_ARRAY(double, 3 * n), l->offset = SN_NEW_ARRAY(double, n);
    l->vertex = SN_NEW_ARRAY(double, 3 * n), l->again = SN_NEW_ARRAY(double, 3 * n);
    l->short_offset = SN_NEW_ARRAY(double, n);
}

static void free_limb(Limb *l)
{
    sn_trimesh_free(&l->skin);
    for (int b = 0; b < BONES; ++b) sn_trimesh_free(&l->mesh[b]);
    sn_free(l->base), sn_free(l->normal), sn_free(l->offset), sn_free(l->vertex), sn_free(l->again);
    sn_free(l->short_offset);
}

/* Bones shaken by up to `size` and about as far turned, skin carried along and dented. */
static void shake(Limb *l, double size, v3 at)
{
    double bend = random_at(&l->seed, -1, 1) * size;
    for (int b = 0; b < BONES; ++b) {
        double y = random_at(&l->seed, -1, 1), x = random_at(&l->seed, -1, 1); /* in this order with any compiler */
        v3 axis = v3_unit(v3_of(x, y, 1));
        v3 middle = v3_of(0, 0.02 * b + 0.01, 0), way = v3_scale(axis, random_at(&l->seed, 0, size));
        quat q = q_axis_angle(axis, random_at(&l->seed, -1, 1) * 40 * size);
        v3_store(l->pose + 7 * b, v3_add(v3_add(at, way), v3_sub(middle, q_rotate(q, middle))));
        q_store(l->pose + 7 * b + 3, q);
    }
    for (int32_t v = 0; v < l->skin.nvertex; ++v) {
        v3 p = sn_trimesh_point(&l->skin, v);
        double dent = 1 + 30 * bend * sin(40 * p.y);
        v3_store(l->base + 3 * v, v3_add(at, v3_of(p.x * dent, p.y, p.z / (1 + fabs(bend) * 20))));
        l->offset[v] = random_at(&l->seed, -0.004, 0.006);
    }
    snTriMesh now = l->skin;
    now.vertex = l->base;
    sn_trimesh_normals(&now, l->normal);
}

static double nearest_bone(const Limb *l, const snContact *c, v3 p)
{
    double least = INFINITY;
    for (int b = 0; b < BONES; ++b) {
        rigid pose = {q_load(l->pose + 7 * b + 3), v3_load(l->pose + 7 * b)};
        double d = sn_bvh_signed_distance(c->bone[b].tree, &c->bone[b].side, rigid_unapply(pose, p), 0.02, NULL);
        least = fmin(least, d);
    }
    return least;
}

static void run(snContact *c, const Limb *l, double *vertex, double *offset)
{
    memcpy(vertex, l->base, sizeof(double) * 3 * (size_t)l->skin.nvertex);
    memcpy(offset, l->offset, sizeof(double) * (size_t)l->skin.nvertex);
    sn_contact_push(c, l->rest, l->pose, vertex);
    sn_contact_limit(c, vertex, l->normal, offset);
}

static void frames_stand_for_themselves(void **state)
{
    (void)state;
    Limb l;
    snContact c[2];
    make_limb(&l);
    for (int k = 0; k < 2; ++k) assert_int_equal(sn_contact_create(&l.skin, BONES, l.bone, NULL, &c[k], NULL), SN_OK);
    c[1].chords = &sn_chords_portable;
    int32_t pushed = 0, shortened = 0;
    for (int frame = 0; frame < 24; ++frame) {
        shake(&l, frame % 4 == 3 ? 0.008 : 0.002 * (frame % 4), v3_scale(v3_of(3, -1, 2), frame / 5));
        snContact fresh;
        assert_int_equal(sn_contact_create(&l.skin, BONES, l.bone, NULL, &fresh, NULL), SN_OK);
        run(&fresh, &l, l.again, l.short_offset);
        sn_contact_free(&fresh);
        for (int k = 0; k < 2; ++k) {
            double offset[RINGS * ANGLES + 2];
            assert_true(l.skin.nvertex <= RINGS * ANGLES + 2);
            run(&c[k], &l, l.vertex, offset);
            for (int32_t i = 0; i < 3 * l.skin.nvertex; ++i) assert_near(l.vertex[i], l.again[i], 1e-12);
            for (int32_t v = 0; v < l.skin.nvertex; ++v) {
                assert_near(offset[v], l.short_offset[v], 1e-12);
                pushed += v3_dist(v3_load(l.vertex + 3 * v), v3_load(l.base + 3 * v)) > 1e-6;
                shortened += fabs(offset[v]) < fabs(l.offset[v]);
            }
        }
    }
    assert_true(pushed > 300 && shortened > 500);
    sn_contact_free(&c[0]), sn_contact_free(&c[1]);
    free_limb(&l);
}

static void bounds_hold_and_nothing_ends_in_a_bone(void **state)
{
    (void)state;
    Limb l;
    snContact c;
    make_limb(&l);
    assert_int_equal(sn_contact_create(&l.skin, BONES, l.bone, NULL, &c, NULL), SN_OK);
    for (int frame = 0; frame < 8; ++frame) {
        shake(&l, frame % 4 == 3 ? 0.003 : 0.0007 * (frame % 4), (v3){0});
        run(&c, &l, l.vertex, l.short_offset);
        for (int32_t k = 0; k < c.ncluster; ++k)
            for (int32_t i = c.start[k]; i < c.start[k] + c.count[k]; ++i) {
                int32_t v = c.member[i];
                v3 p = v3_load(l.vertex + 3 * v), end = v3_mad(p, l.short_offset[v], v3_load(l.normal + 3 * v));
                double d = nearest_bone(&l, &c, p);
                assert_true((double)c.clear[i] <= d + 1e-9);
                if (d > 1e-4) assert_true(nearest_bone(&l, &c, end) > -1e-9);
            }
    }
    sn_contact_free(&c);
    free_limb(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_stand_for_themselves),
        cmocka_unit_test(bounds_hold_and_nothing_ends_in_a_bone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
