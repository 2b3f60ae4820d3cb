/* Paths by their tangents and through a circle: first and second derivatives against differences, over random ends. */
#include "check.h"

#include "path/internal.h"

static double next_random(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) / 9007199254740992.0 * 2 - 1;
}

static v3 moved(v3 x, int k, double by)
{
    return v3_add(x, v3_of(k == 0 ? by : 0, k == 1 ? by : 0, k == 2 ? by : 0));
}

static double part(v3 x, int k)
{
    return k == 0 ? x.x : k == 1 ? x.y : x.z;
}

static void compare(v3 a, v3 b, const pathWrap *w, const pathSegment *s)
{
    const double h = 1e-6;
    for (int k = 0; k < 3; ++k) {
        pathSegment up = path_segment(moved(a, k, h), b, w, false), down = path_segment(moved(a, k, -h), b, w, false);
        assert_near(part(s->ga, k), (up.length - down.length) / (2 * h), 1e-6);
        for (int i = 0; i < 3; ++i) {
            assert_near(s->aa.m[3 * i + k], (part(up.ga, i) - part(down.ga, i)) / (2 * h), 1e-4);
            assert_near(s->ab.m[3 * k + i], (part(up.gb, i) - part(down.gb, i)) / (2 * h), 1e-4);
        }
        up = path_segment(a, moved(b, k, h), w, false), down = path_segment(a, moved(b, k, -h), w, false);
        assert_near(part(s->gb, k), (up.length - down.length) / (2 * h), 1e-6);
        for (int i = 0; i < 3; ++i)
            assert_near(s->bb.m[3 * i + k], (part(up.gb, i) - part(down.gb, i)) / (2 * h), 1e-4);
    }
}

static void derivatives_are_those_of_the_length(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int touched[2][2] = {{0}};
    for (int n = 0; n < 400; ++n) {
        snWrapRule rule = n % 2 ? SN_WRAP_INSIDE : SN_WRAP_TANGENT;
        pathWrap w = {.kind = n % 4 < 2 ? SN_WRAP_CYLINDER : SN_WRAP_SPHERE, .rule = rule, .radius = 0.6};
        w.axis = v3_unit(v3_of(0.3, -0.2, 1));
        w.side = v3_unit(v3_of(next_random(&seed), next_random(&seed), next_random(&seed)));
        v3 a = v3_of(2 * next_random(&seed), 2 * next_random(&seed), next_random(&seed));
        v3 b = v3_of(2 * next_random(&seed), 2 * next_random(&seed), next_random(&seed));
        pathSegment s = path_segment(a, b, &w, true);
        pathSegment near = path_segment(moved(a, 0, 1e-3), moved(b, 1, 1e-3), &w, false);
        if (!s.touches || !near.touches || fabs(near.length - s.length) > 0.01) continue; /* next to an edge */
        double ra = v3_len(v3_cross(a, w.axis)), rb = v3_len(v3_cross(b, w.axis));
        if (ra < 0.7 || rb < 0.7) continue;
        ++touched[rule == SN_WRAP_INSIDE][w.kind == SN_WRAP_SPHERE];
        compare(a, b, &w, &s);
    }
    for (int i = 0; i < 4; ++i) assert_true(touched[i / 2][i % 2] > 10);
}

/* The point where a path bends is the nearest: no other point of the circle gives a shorter way. */
static void a_ring_is_met_at_its_nearest_point(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int bent = 0;
    pathWrap w = {.kind = SN_WRAP_CYLINDER, .rule = SN_WRAP_INSIDE, .radius = 0.3, .axis = {0, 0, 1}};
    for (int n = 0; n < 300; ++n) {
        v3 a = v3_of(2 * next_random(&seed), 2 * next_random(&seed), 0);
        v3 b = v3_of(2 * next_random(&seed), 2 * next_random(&seed), 0);
        pathSegment s = path_segment(a, b, &w, false);
        double least = INFINITY;
        for (int k = 0; k < 3600; ++k) {
            v3 p = v3_of(0.3 * cos(k * 2 * SN_PI / 3600), 0.3 * sin(k * 2 * SN_PI / 3600), 0);
            least = fmin(least, v3_dist(a, p) + v3_dist(p, b));
        }
        if (s.touches) assert_near(s.length, least, 2e-6);
        if (!s.touches && v3_len(a) > 0.3 && v3_len(b) > 0.3) assert_near(least, v3_dist(a, b), 2e-5);
        bent += s.touches;
    }
    assert_true(bent > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_the_length),
        cmocka_unit_test(a_ring_is_met_at_its_nearest_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
