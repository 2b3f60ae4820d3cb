/* Muscles in flesh: a block that is all muscle shortens as the closed form says; a spindle inside a cylinder makes it
 * as much thicker as it gets shorter, and none of its volume is lost. */
#include "check.h"
#include "slab.h"

#include <math.h>

typedef struct {
    snSamples s;
    snBoneSample *bone;
    snMuscleSample *muscle;
    snTissue t;
} Muscle;

enum { LONG = 20, WIDE = 6 }; /* cells */
static const double H = 0.01, RADIUS = 0.028;

static double from_axis(v3 p)
{
    return hypot(p.y - 0.5 * WIDE * H, p.z - 0.5 * WIDE * H);
}

/* Radius of the muscle at x: a spindle over the middle two thirds, or everything. */
static double belly_at(double x, bool spindle)
{
    double t = (x - 0.5 * LONG * H) / (LONG * H / 3);
    return spindle ? (fabs(t) < 1 ? 0.018 * (1 - t * t) : 0) : 1;
}

/* Held below x = low and above x = high. */
static void muscle_create(Muscle *m, bool spindle, double low, double high)
{
    snError error = {0};
    m->s = slab_create(LONG, WIDE, WIDE, H);
    int32_t n = m->s.n[0] * m->s.n[1] * m->s.n[2], nmuscle = 0;
    m->muscle = SN_NEW_ARRAY(snMuscleSample, n);
    for (int32_t x = 0, i = 0; x < m->s.n[0]; ++x)
        for (int32_t y = 0; y < m->s.n[1]; ++y)
            for (int32_t z = 0; z < m->s.n[2]; ++z, ++i) {
                v3 p = sn_sample_point(&m->s, x, y, z);
                if (spindle && from_axis(p) > RADIUS) m->s.flag[i] = 0;
                if (!(m->s.flag[i] & SN_SAMPLE_INSIDE)) continue;
                m->s.flag[i] = SN_SAMPLE_INSIDE;
                if (from_axis(p) < belly_at(p.x, spindle)) m->muscle[nmuscle++] = (snMuscleSample){i, 0, {1, 0, 0}};
            }
    slab_link(&m->s);
    snTissueDef def = slab_def(&m->s);
    def.nbone_sample = slab_hold(&m->s, low, high, 100, NULL);
    m->bone = SN_NEW_ARRAY(snBoneSample, def.nbone_sample + 1);
    (void)slab_hold(&m->s, low, high, 100, m->bone);
    def.bone_sample = m->bone, def.nmuscle = 1, def.nmuscle_sample = nmuscle, def.muscle_sample = m->muscle;
    assert_int_equal(sn_tissue_create(&def, &m->t, &error), SN_OK);
}

static void muscle_free(Muscle *m)
{
    sn_tissue_free(&m->t);
    sn_free(m->bone);
    sn_free(m->muscle);
    sn_free(m->s.flag);
}

/* Where a point of the material is now. */
static v3 now_at(const Muscle *m, v3 p)
{
    const snLattice *l = &m->t.lattice;
    int32_t face[4], tet = sn_lattice_locate(l, 0, p, face), node[4], oct = 0;
    double weight[4];
    v3 sum = {0};
    while (oct < l->noct && memcmp(face, l->oct_face + 4 * (size_t)oct, sizeof face) != 0) ++oct;
    assert_true(oct < l->noct);
    sn_tet_weights(l, face, tet, p, weight);
    sn_oct_tet(l->oct_node + 6 * (size_t)oct, tet, node);
    for (int i = 0; i < 4; ++i) sum = v3_mad(sum, weight[i], v3_load(m->t.x + 4 * (size_t)node[i]));
    return sum;
}

/* Energy density by the material's formula, all of it muscle, with free sides. */
static double density(const snTissue *t, double along, double side)
{
    const snFleshMaterial *m = &t->elements.material;
    double j = along * side * side, l = log(j), i1 = along * along + 2 * side * side;
    double i2 = 2 * along * along * side * side + side * side * side * side;
    double fiber = sn_fiber_law(along * pow(j, -1.0 / 3), &t->muscle[0]).energy;
    return m->mu10 * (i1 * pow(j, -2.0 / 3) - 3) + m->mu01 * (i2 * pow(j, -4.0 / 3) - 3) + m->stress * fiber +
           0.5 * m->kappa * ((1 - m->own) * l * l + m->own * (j - 1) * (j - 1));
}

/* Least energy over one stretch after the other. */
static void least_energy(const snTissue *t, double *along, double *side)
{
    *along = *side = 1;
    for (double step = 0.05; step > 1e-9; step *= 0.5)
        for (bool moved = true; moved;) {
            const double way[4][2] = {{1, -0.5}, {-1, 0.5}, {0, 0.1}, {0, -0.1}};
            moved = false;
            for (int k = 0; k < 4; ++k) {
                double a = *along + step * way[k][0], s = *side + step * way[k][1];
                if (density(t, a, s) < density(t, *along, *side)) *along = a, *side = s, moved = true;
            }
        }
}

static void block_shortens_as_the_closed_form_says(void **state)
{
    (void)state;
    const snFiberState drive[] = {{.activation = 0.6, .optimum = 1.4},
                                  {.activation = 0.3, .optimum = 0.8},
                                  {.activation = 0.1, .optimum = 0.8, .follow = 4, .length = 0.7}};
    snTissueSettings settings = sn_default_tissue_settings();
    settings.tolerance = 1e-9, settings.forcing = 1e-3;
    for (int k = 0; k < 3; ++k) {
        Muscle m;
        double along, side;
        muscle_create(&m, false, -1, 1);
        m.t.muscle[0] = drive[k];
        m.t.step = 0.05; /* nothing holds it: an anchor that is the result in the end */
        memcpy(m.t.inertia_at, m.t.rest, 4 * (size_t)m.t.n * sizeof *m.t.rest);
        for (int i = 0; i < 14; ++i) {
            assert_true(sn_tissue_solve(&m.t, &settings).converged);
            memcpy(m.t.inertia_at, m.t.x, 4 * (size_t)m.t.n * sizeof *m.t.x);
        }
        least_energy(&m.t, &along, &side);
        double c = 0.5 * WIDE * H;
        double now = (now_at(&m, v3_of(0.13, c, c)).x - now_at(&m, v3_of(0.07, c, c)).x) / 0.06;
        double wide = (now_at(&m, v3_of(0.1, c + 0.02, c)).y - now_at(&m, v3_of(0.1, c - 0.02, c)).y) / 0.04;
        print_message("all muscle: shortens to %.5f, closed form %.5f; thickens to %.5f, %.5f\n", now, along, wide,
                      side);
        assert_true(along < 0.95);
        assert_near(now, along, 1e-4);
        assert_near(wide, side, 1e-4);
        muscle_free(&m);
    }
}

enum { AROUND = 48 };

static v3 rim_point(double x, double radius, int k)
{
    double angle = 2 * SN_PI * k / AROUND, c = 0.5 * WIDE * H;
    return v3_of(x, c + radius * cos(angle), c + radius * sin(angle));
}

/* Volume of the slice of material between two discs, and the mean area of their outlines now. */
static double slice(const Muscle *m, double low, double high, double radius, double *area)
{
    v3 rim[2][AROUND + 1], mid[2], c = v3_of(0, 0.5 * WIDE * H, 0.5 * WIDE * H);
    double volume = 0;
    *area = 0;
    for (int e = 0; e < 2; ++e) {
        double x = e ? high : low;
        mid[e] = now_at(m, v3_of(x, c.y, c.z));
        for (int k = 0; k <= AROUND; ++k) rim[e][k] = now_at(m, rim_point(x, radius, k % AROUND));
        for (int k = 0; k < AROUND; ++k) {
            v3 a = v3_sub(rim[e][k], mid[e]), b = v3_sub(rim[e][k + 1], mid[e]);
            *area += 0.25 * (a.y * b.z - a.z * b.y);
        }
    }
    for (int k = 0; k < AROUND; ++k) {
        const v3 *a = &rim[0][k], *b = &rim[1][k];
        volume += v3_dot(b[0], v3_cross(b[1], mid[1])) - v3_dot(a[0], v3_cross(a[1], mid[0]));
        volume += v3_dot(a[0], v3_cross(a[1], b[1])) + v3_dot(a[0], v3_cross(b[1], b[0]));
    }
    return fabs(volume) / 6;
}

/* held: both ends, so that it works without moving them; else one end is free. */
static void spindle_thickens(bool held)
{
    Muscle m;
    snTissueSettings settings = sn_default_tissue_settings();
    double before, after, radius = RADIUS - 0.004, length = 0.03, x = 0.5 * LONG * H;
    muscle_create(&m, true, 0.02, held ? LONG * H - 0.02 : 1);
    double drawn = slice(&m, x - 0.5 * length, x + 0.5 * length, radius, &before);
    m.t.muscle[0] = (snFiberState){.activation = 1, .optimum = 1};
    snTissueReport r = sn_tissue_solve(&m.t, &settings);
    assert_true(r.converged && r.inverted == 0);
    double now = slice(&m, x - 0.5 * length, x + 0.5 * length, radius, &after);
    double shorter = now / after / length;
    print_message("%s: middle shortens to %.4f, its section grows by %.4f, volume %.5f, %.5f in all\n",
                  held ? "both ends held" : "one end free", shorter, after / before, now / drawn,
                  r.volume / sn_tissue_evaluate(&m.t, m.t.rest, NULL).volume);
    assert_near(now / drawn, 1, 0.01); /* its ends bow, which fans of triangles miss */
    assert_near(r.volume / sn_tissue_evaluate(&m.t, m.t.rest, NULL).volume, 1, 0.003);
    assert_true(after / before > (held ? 1.08 : 1.1));
    double end = now_at(&m, v3_of(LONG * H - 0.001, 0.5 * WIDE * H, 0.5 * WIDE * H)).x;
    assert_true(held ? fabs(end - LONG * H + 0.001) < 5e-4 : end < LONG * H - 0.005);
    muscle_free(&m);
}

static void spindle_thickens_between_held_ends(void **state)
{
    (void)state;
    spindle_thickens(true);
}

static void spindle_thickens_as_it_shortens(void **state)
{
    (void)state;
    spindle_thickens(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_shortens_as_the_closed_form_says),
        cmocka_unit_test(spindle_thickens_between_held_ends),
        cmocka_unit_test(spindle_thickens_as_it_shortens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
