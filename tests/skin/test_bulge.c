/* The search for closest points against looking at every arc: a tube with many strands in it, in random motion, with
 * jumps, backwards, far from the origin, and with numbers that are none. On the plain machine and on this one. */
#include "check.h"

#include "base/alloc.h"
#include "math/vec.h"
#include "skin/bulge.h"

#include <string.h>

enum { RINGS = 70, ANGLES = 36, STRANDS = 70, POINTS = 9 };

typedef struct {
    snTriMesh mesh; /* at rest */
    double point[3 * STRANDS * POINTS];
    snSkinStrand strand[STRANDS];
    snBulgeShape shape[STRANDS];
    snArcs arcs;
    snBulge bulge;
    double *vertex, *normal, *loose, *fast, *slow; /* of a frame */
    double now[3 * STRANDS * POINTS];
    uint64_t seed;
} Tube;

static double uniform(Tube *t, double low, double high)
{
    t->seed = t->seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(t->seed >> 11) * 0x1p-53;
}

/* Strands run along the tube under its skin or deep in it, some askew, some short, some nearly on top of each other. */
static void place_strands(Tube *t)
{
    for (int s = 0; s < STRANDS; ++s) {
        double angle = uniform(t, 0, 2 * SN_PI), turn = uniform(t, -1, 1), start = uniform(t, 0, 0.06);
        double radius = s % 5 == 0 ? uniform(t, 0, 0.006) : uniform(t, 0.007, 0.0125), length = uniform(t, 0.02, 0.08);
        if (s % 7 == 1) angle += 1e-7; /* beside the strand before it */
        for (int i = 0; i < POINTS; ++i) {
            double u = (double)i / (POINTS - 1), a = angle + turn * u, r = radius + uniform(t, -5e-4, 5e-4);
            v3_store(t->point + 3 * (s * POINTS + i), v3_of(r * cos(a), start + length * u, r * sin(a)));
        }
        if (s % 7 == 1)
            for (int i = 0; i < 3 * POINTS; ++i)
                t->point[3 * s * POINTS + i] = t->point[3 * (s - 1) * POINTS + i] + 1e-9;
        t->strand[s] = (snSkinStrand){.npoint = POINTS, .point = t->point + 3 * s * POINTS};
        t->shape[s] = (snBulgeShape){uniform(t, 0.5, 1.5), uniform(t, 0.001, 0.004), uniform(t, -0.001, 0.006)};
    }
}

static void make_tube(Tube *t)
{
    double position[3 * RINGS * ANGLES];
    memset(t, 0, sizeof *t);
    t->seed = 11;
    for (int r = 0; r < RINGS; ++r)
        for (int a = 0; a < ANGLES; ++a) {
            double turn = 2 * SN_PI * a / ANGLES, radius = 0.012 + uniform(t, -4e-4, 4e-4);
            v3_store(position + 3 * (ANGLES * r + a),
                     v3_of(radius * sin(turn), 0.14 * r / (RINGS - 1), radius * cos(turn)));
        }
    assert_int_equal(sn_trimesh_loft(RINGS, ANGLES, position, NULL, NULL, &t->mesh, NULL), SN_OK);
    place_strands(t);
    size_t n = (size_t)t->mesh.nvertex;
    t->vertex = SN_NEW_ARRAY(double, 3 * n), t->normal = SN_NEW_ARRAY(double, 3 * n);
    t->loose = SN_NEW_ARRAY(double, n), t->fast = SN_NEW_ARRAY(double, n), t->slow = SN_NEW_ARRAY(double, n);
    sn_trimesh_normals(&t->mesh, t->normal);
    assert_int_equal(sn_arcs_create(STRANDS, t->strand, 0.018, &t->arcs, NULL), SN_OK);
    assert_int_equal(sn_bulge_create(&t->mesh, t->normal, &t->arcs, t->shape, NULL, NULL, &t->bulge, NULL), SN_OK);
}

static void free_tube(Tube *t)
{
    sn_trimesh_free(&t->mesh);
    sn_arcs_free(&t->arcs);
    sn_bulge_free(&t->bulge);
    sn_free(t->vertex), sn_free(t->normal), sn_free(t->loose), sn_free(t->fast), sn_free(t->slow);
}

/* Bends and twists the tube, and its strands with it and by themselves. */
static v3 bent(v3 p, double bend, double twist)
{
    double a = twist * p.y / 0.14, b = bend * p.y / 0.14, x = p.x * cos(a) - p.z * sin(a);
    double z = p.x * sin(a) + p.z * cos(a), radius = fabs(bend) > 1e-6 ? 0.14 / bend : 0;
    if (radius == 0) return v3_of(x, p.y, z);
    return v3_of(x, (radius - z) * sin(b), radius - (radius - z) * cos(b));
}

static void pose(Tube *t, double bend, double twist, double stray, v3 at)
{
    snTriMesh moved = t->mesh;
    for (int32_t v = 0; v < t->mesh.nvertex; ++v) {
        v3_store(t->vertex + 3 * v, v3_add(at, bent(sn_trimesh_point(&t->mesh, v), bend, twist)));
        t->loose[v] = uniform(t, 0, 1);
    }
    moved.vertex = t->vertex;
    sn_trimesh_normals(&moved, t->normal);
    for (int i = 0; i < STRANDS * POINTS; ++i) {
        v3 p = v3_add(at, bent(v3_load(t->point + 3 * i), bend, twist));
        v3 way = v3_of(uniform(t, -1, 1), uniform(t, -1, 1), uniform(t, -1, 1));
        v3_store(t->now + 3 * i, v3_mad(p, stray, way));
    }
}

/* Both ways, with the loops of the plain machine and of this one: how many vertices bulge. */
static int32_t compare(Tube *t, v3 origin)
{
    int32_t n = t->mesh.nvertex, bulged = 0;
    const snChords *loops[2] = {&sn_chords_portable, sn_chords_best()};
    sn_arcs_update(&t->arcs, t->now, origin);
    memset(t->slow, 0, sizeof(double) * (size_t)n);
    sn_bulge_heights_brute_force(&t->bulge, &t->arcs, t->vertex, t->normal, t->loose, t->slow);
    for (int k = 0; k < 2; ++k) {
        t->bulge.chords = loops[k];
        memset(t->fast, 0, sizeof(double) * (size_t)n);
        sn_bulge_heights(&t->bulge, &t->arcs, t->vertex, t->normal, t->loose, t->fast);
        for (int32_t v = 0; v < n; ++v) assert_near(t->fast[v], t->slow[v], 1e-9);
    }
    for (int32_t v = 0; v < n; ++v) bulged += t->slow[v] > 1e-6;
    return bulged;
}

static void random_motions_and_jumps_equal_brute_force(void **state)
{
    (void)state;
    Tube t;
    make_tube(&t);
    v3 none = {0};
    for (int frame = 0; frame < 60; ++frame) {
        double time = frame < 20 ? 0.05 * frame : frame < 30 ? 0.05 * (30 - frame) : uniform(&t, -3, 3);
        double stray = frame % 10 == 9 ? 0.01 : frame % 10 == 8 ? 0.1 : 3e-4;
        pose(&t, 1.5 * sin(time), time, stray, none);
        int32_t bulged = compare(&t, v3_load(t.vertex));
        if (frame < 8) assert_true(bulged > 500);
    }
    assert_true(t.arcs.narc > 64 && t.bulge.evaluations > 0);
    free_tube(&t);
}

/* Single precision loses the micrometres; the bounds give way accordingly. */
static void far_from_the_origin_it_is_the_same(void **state)
{
    (void)state;
    Tube t;
    make_tube(&t);
    for (int i = 0; i < 4; ++i) {
        v3 at = v3_scale(v3_of(1, -2, 0.5), pow(10, i - 1));
        pose(&t, 0.7, 0.3, 3e-4, at);
        assert_true(compare(&t, (v3){0}) > 500);
        assert_true(compare(&t, at) > 500);
    }
    free_tube(&t);
}

/* A vertex or a strand that is no number does not bulge; what lies beside it does as ever. */
static void what_is_no_number_harms_nothing_else(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e30, -1e5};
    Tube t;
    make_tube(&t);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        v3 origin;
        pose(&t, 0.7, 0.3, 3e-4, (v3){0});
        origin = v3_load(t.vertex);
        for (int32_t v = 7; v < t.mesh.nvertex; v += 50) t.vertex[3 * v + v % 3] = bad[i];
        t.normal[3 * 100] = t.loose[200] = bad[i];
        assert_true(compare(&t, origin) > 500);
        for (int32_t v = 7; v < t.mesh.nvertex; v += 50) assert_true(t.fast[v] == 0);
        pose(&t, 0.7, 0.3, 3e-4, (v3){0});
        for (int s = 0; s < STRANDS; s += 3) t.now[3 * (s * POINTS + s % POINTS) + s % 3] = bad[i];
        assert_true(compare(&t, origin) > 200);
        for (int k = 0; k < 3 * STRANDS * POINTS; ++k) t.now[k] = bad[i];
        assert_int_equal(compare(&t, origin), 0);
    }
    pose(&t, 0.7, 0.3, 3e-4, (v3){0});
    assert_true(compare(&t, v3_load(t.vertex)) > 500); /* and nothing of it stays */
    free_tube(&t);
}

/* Pairs of arc and point of all kinds: to the bit what one pair alone gives. */
static void pairs_are_decided_as_one_alone(void **state)
{
    (void)state;
    enum { PAIRS = 3001 };
    Tube t;
    make_tube(&t);
    int32_t which[PAIRS], vertex[PAIRS];
    double *distance2 = SN_NEW_ARRAY(double, PAIRS), *at = SN_NEW_ARRAY(double, 3 * PAIRS);
    for (int round = 0; round < 4; ++round) {
        pose(&t, 0.7, 0.3, round == 2 ? 0.02 : 3e-4, (v3){0});
        for (int i = 0; round == 3 && i < 3 * POINTS; ++i) t.now[i] = t.now[i % 3]; /* a strand without length */
        sn_arcs_update(&t.arcs, t.now, (v3){0});
        for (int i = 0; i < PAIRS; ++i) {
            which[i] = (int32_t)uniform(&t, 0, round == 3 ? 8 : t.arcs.narc - 1e-9);
            vertex[i] = (int32_t)uniform(&t, 0, t.mesh.nvertex - 1e-9);
        }
        const snChords *loops[2] = {&sn_chords_portable, sn_chords_best()};
        for (int k = 0; k < 2; ++k) {
            int32_t n = PAIRS - round;
            loops[k]->closest(n, t.arcs.arc, which, t.vertex, vertex, distance2, at);
            for (int32_t i = 0; i < n; ++i) {
                double s;
                v3 place, p = v3_load(t.vertex + 3 * vertex[i]);
                assert_true(sn_arc_closest(t.arcs.arc + which[i], p, &s, &place) == distance2[i]);
                assert_true(v3_dist(place, v3_load(at + 3 * i)) == 0);
            }
        }
    }
    sn_free(distance2), sn_free(at);
    free_tube(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_motions_and_jumps_equal_brute_force),
        cmocka_unit_test(far_from_the_origin_it_is_the_same),
        cmocka_unit_test(what_is_no_number_harms_nothing_else),
        cmocka_unit_test(pairs_are_decided_as_one_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
