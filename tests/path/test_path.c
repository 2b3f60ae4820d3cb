/* Paths: lengths against the tables and by hand, P and the second derivative against differences, wraps through
 * lift-off, muscle figures; at the size of a hand (with wraps) and of the upper body. */
#include "tree_case.h"

#include "base/alloc.h"

#include <stdlib.h>

typedef struct caseSet {
    treeCase c[2];
    double *before, *H, *a, *b; /* nnz; max_row^2; ndof, ndof */
} caseSet;

static int open_cases(void **state)
{
    caseSet *s = calloc(1, sizeof *s);
    case_small(&s->c[0]);
    case_upper_body(&s->c[1]);
    s->before = calloc(2 * (size_t)s->c[1].line->nnz, sizeof(double));
    s->H = calloc(200 * 200, sizeof(double));
    s->a = calloc(400, sizeof(double)), s->b = s->a + 200;
    *state = s;
    return 0;
}

static int close_cases(void **state)
{
    caseSet *s = *state;
    for (int k = 0; k < 2; ++k) case_free(&s->c[k]);
    free(s->before), free(s->H), free(s->a);
    free(s);
    return 0;
}

static void lengths_are_those_of_the_tables(void **state)
{
    treeCase *c = &((caseSet *)*state)->c[1];
    snFigures t = {0};
    case_load(&t, "muscles.tsv");
    memset(c->q, 0, (size_t)c->tree.ndof * sizeof *c->q);
    case_place(c, c->q, c->v);
    case_measure(c);
    for (int32_t p = 0; p < c->paths.npath; ++p)
        assert_near(c->line->length[p], sn_figures_number(&t, p, "neutral_length"), 2e-6);
    sn_figures_free(&t);
    assert_int_equal(c->line->nnz, 10650);
}

static void moment_arms_are_differences_of_the_length(void **state)
{
    caseSet *s = *state;
    caseRandom r = {11};
    for (int k = 0; k < 2; ++k)
        for (int trial = 0; trial < (k ? 2 : 10); ++trial) {
            treeCase *c = &s->c[k];
            double e = 1e-6;
            pose_at_random(c, &r, 0.9, 1);
            case_measure(c);
            memcpy(s->before, c->line->P, (size_t)c->line->nnz * sizeof(double));
            for (int32_t j = 0; j < c->tree.ndof; ++j) {
                double *up = s->before + c->line->nnz;
                c->q[j] += e;
                case_place(c, c->q, c->v);
                case_measure(c);
                memcpy(up, c->line->length, (size_t)c->paths.npath * sizeof(double));
                c->q[j] -= 2 * e;
                case_place(c, c->q, c->v);
                case_measure(c);
                c->q[j] += e;
                for (int32_t p = 0; p < c->paths.npath; ++p) {
                    double arm = 0;
                    for (int32_t a = c->line->rowadr[p]; a < c->line->rowadr[p + 1]; ++a)
                        if (c->line->col[a] == j) arm = s->before[a];
                    assert_near((up[p] - c->line->length[p]) / (2 * e), arm, 1e-6);
                }
            }
        }
}

/* sum of f d2l/dq2 by differences of P'f. */
static void second_derivative_is_that_of_differences(void **state)
{
    caseSet *s = *state;
    caseRandom r = {12};
    int32_t touched = 0;
    for (int k = 0; k < 2; ++k) {
        treeCase *c = &s->c[k];
        int32_t n = c->tree.ndof, np = c->paths.npath;
        double e = 1e-6, *f = CASE_ARRAY(c, double, np);
        pose_at_random(c, &r, 0.6, 0);
        case_measure(c);
        for (int32_t p = 0; p < c->paths.npoint; ++p) touched += c->line->touches[p];
        for (int32_t p = 0; p < np; ++p) f[p] = random_between(&r, 0, 10);
        memset(s->H, 0, 200 * 200 * sizeof *s->H);
        snPathLinks links = case_links(c);
        sn_path_geometric(&c->paths, &links, c->line, f, 1, s->H, 200);
        double scale = 0;
        for (int32_t i = 0; i < n; ++i) scale = fmax(scale, fabs(s->H[200 * i + i]));
        for (int32_t j = 0; j < n; ++j) {
            for (int side = 0; side < 2; ++side) {
                double *out = side ? s->b : s->a;
                memset(out, 0, 200 * sizeof *out);
                c->q[j] += side ? -e : e;
                case_place(c, c->q, c->v);
                case_measure(c);
                c->q[j] -= side ? -e : e;
                sn_path_push(&c->paths, c->line, f, out);
            }
            for (int32_t i = 0; i < n; ++i) {
                assert_near(-(s->a[i] - s->b[i]) / (2 * e), s->H[200 * i + j], 1e-6 * scale);
                assert_near(s->H[200 * i + j], s->H[200 * j + i], 1e-12 * scale);
            }
        }
    }
    assert_true(touched >= 8); /* wraps were at work */
}

/* Entries of one path one by one, so that small ones count as much as large ones. */
static void second_derivative_of_single_paths(void **state)
{
    caseSet *s = *state;
    treeCase *c = &s->c[0];
    caseRandom r = {13};
    for (int trial = 0; trial < 5; ++trial) {
        pose_at_random(c, &r, 0.7, 0);
        for (int32_t p = 0; p < c->paths.npath; ++p) {
            case_place(c, c->q, c->v);
            case_measure(c);
            snPathLinks links = case_links(c);
            int32_t first = c->line->rowadr[p], n = c->line->rowadr[p + 1] - first;
            sn_path_hessian(&c->paths, &links, c->line, p, s->H);
            double e = 1e-6, size = 0;
            for (int32_t i = 0; i < n * n; ++i) size = fmax(size, fabs(s->H[i]));
            for (int32_t j = 0; j < n; ++j) {
                int32_t col = c->line->col[first + j];
                for (int side = 0; side < 2; ++side) {
                    c->q[col] += side ? -e : e;
                    case_place(c, c->q, c->v);
                    case_measure(c);
                    c->q[col] -= side ? -e : e;
                    memcpy(side ? s->b : s->a, c->line->P + first, (size_t)n * sizeof(double));
                }
                for (int32_t i = 0; i < n; ++i)
                    assert_near((s->a[i] - s->b[i]) / (2 * e), s->H[i * n + j], 1e-6 * size + 1e-8);
            }
        }
    }
}

/* A string over a wheel that turns: what a ruler would say, on both sides of lift-off, and continuous there. */
static const double wheel_point[6] = {-0.05, 0.005, 0.01, 0.04, 0.005, 0.03}, wheel_radius = 0.008;

static void make_wheel(treeCase *c)
{
    static const int32_t parent = -1, adr[2] = {0, 2}, link[2] = {-1, 0}, wrap[2] = {0, -1}, on = -1;
    static const bool slides = false, driven = true;
    static const snWrapKind kind = SN_WRAP_CYLINDER;
    static const double axis[3] = {0, 0, 1}, zero[6] = {0}, side[3] = {0, 1, 0}, low = -1, high = 1;
    static const snPathMuscle none = {0};
    static const snLaw law = {.kind = SN_LAW_CONSTANT};
    c->tree = (snTree){.ndof = 1,
                       .parent = &parent,
                       .slides = &slides,
                       .axis = axis,
                       .centre = zero,
                       .lower = &low,
                       .upper = &high,
                       .stiffness = zero,
                       .damping = zero,
                       .rest = zero,
                       .stop_stiffness = zero,
                       .stop_damping = zero,
                       .driven = &driven};
    c->paths = (snPathSet){.npath = 1,
                           .npoint = 2,
                           .nwrap = 1,
                           .pointadr = adr,
                           .point_link = link,
                           .point = wheel_point,
                           .point_wrap = wrap,
                           .wrap_kind = &kind,
                           .wrap_link = &on,
                           .wrap_centre = zero,
                           .wrap_axis = axis,
                           .wrap_radius = &wheel_radius,
                           .wrap_side = side,
                           .muscle = &none,
                           .law = &law,
                           .nlaw = 1};
    case_finish(c);
}

/* What is drawn lies on the cylinder, and is shorter than the path by what chords are shorter than their arcs. */
static void check_drawn(const treeCase *c, const snPathLinks *links, double radius)
{
    double point[3 * (SN_PATH_ARC + 2)], sum = 0;
    assert_int_equal(sn_path_drawn_count(&c->paths, 0), SN_PATH_ARC + 2);
    sn_path_drawn(&c->paths, links, 0, point);
    for (int k = 1; k <= SN_PATH_ARC; ++k) assert_near(hypot(point[3 * k], point[3 * k + 1]), radius, 1e-12);
    for (int k = 0; k <= SN_PATH_ARC; ++k) sum += v3_dist(v3_load(point + 3 * k), v3_load(point + 3 * k + 3));
    assert_true(sum <= c->line->length[0] + 1e-12);
    assert_near(sum, c->line->length[0], 2e-3 * c->line->length[0]);
}

/* By hand: unrolled, the curve is one straight line. */
static void check_touching(treeCase *c, double q)
{
    v3 t[2];
    double length = c->line->length[0], radius = wheel_radius;
    snPathLinks links = case_links(c);
    assert_true(sn_path_arc(&c->paths, &links, c->line, 0, t));
    for (int k = 0; k < 2; ++k) assert_near(hypot(t[k].x, t[k].y), radius, 1e-12);
    check_drawn(c, &links, radius);
    double ra = hypot(-0.05, 0.005), rb = hypot(0.04, 0.005);
    double theta = fabs(atan2(0.005, -0.05) - (atan2(0.005, 0.04) + q));
    double flat = sqrt(ra * ra - radius * radius) + sqrt(rb * rb - radius * radius) +
                  radius * (theta - acos(radius / ra) - acos(radius / rb));
    assert_near(length, hypot(flat, 0.02), 1e-14);
    assert_near(fabs(c->line->P[0]), radius * flat / length, 1e-14);
}

static void a_cylinder_lifts_off_smoothly(void **state)
{
    (void)state;
    treeCase c = {0};
    const double zero = 0, h = 1e-4;
    make_wheel(&c);
    double last = NAN, last_arm = NAN;
    int touching = 0, lifted = 0;
    for (double q = -0.8; q < 0.8; q += h) {
        case_place(&c, &q, &zero);
        case_measure(&c);
        double length = c.line->length[0], arm = c.line->P[0];
        if (c.line->touches[0]) {
            ++touching;
            check_touching(&c, q);
        } else {
            ++lifted;
        }
        if (!isnan(last)) {
            assert_near((length - last) / h, (arm + last_arm) / 2, 1e-6);
            assert_at_most(fabs(arm - last_arm), 1e-3 * 0.1); /* no jump of the arm */
        }
        last = length, last_arm = arm;
    }
    assert_true(touching > 1000 && lifted > 1000);
    case_free(&c);
}

static void figures_of_the_muscle_laws(void **state)
{
    (void)state;
    treeCase c = {0};
    snPathSet set = {.npath = 1};
    double length, rate, f[6];
    snPathWork work = {.length = &length,
                       .rate = &rate,
                       .passive = f,
                       .passive_l = f + 1,
                       .passive_v = f + 2,
                       .active = f + 3,
                       .active_l = f + 4,
                       .active_v = f + 5};
    snPathMuscle m = case_muscle(100, 0.1, 0.3, 1, 0.3, 1);
    set.muscle = &m;
    c.paths.nlaw = 0;
    set.law = case_laws(&c);
    const double x[3] = {0.3, 0.65, 1}, want[3] = {0, 0.5, 1}, speed[3] = {0, -4, -8}, by_speed[3] = {1, 0.5, 0};
    for (int k = 0; k < 3; ++k) {
        length = 0.3 + (x[k] - 1) * 0.1, rate = 0;
        sn_path_forces(&set, &work, NULL, NULL);
        assert_near(f[3] / 100, want[k], 1e-4);
        length = 0.3, rate = speed[k] * 0.1;
        sn_path_forces(&set, &work, NULL, NULL);
        assert_near(f[3] / 100, by_speed[k], 1e-4);
    }
    rate = 0, length = 0.33;
    sn_path_forces(&set, &work, NULL, NULL);
    assert_near(f[0] / 100, 0.6577, 1e-4);
    length = 0.36;
    sn_path_forces(&set, &work, NULL, NULL);
    assert_near(f[0] / 100, 1.8561, 1e-4);
    double half = 0.5, twice = 2, passive = f[0], active = f[3];
    sn_path_forces(&set, &work, &half, &twice);
    assert_near(f[0], 2 * passive, 1e-12);
    assert_near(f[3], active / 2, 1e-12);
    sn_arena_free(&c.arena);
}

static void slopes_of_the_force_are_differences(void **state)
{
    caseSet *s = *state;
    caseRandom r = {14};
    for (int k = 0; k < 2; ++k) {
        treeCase *c = &s->c[k];
        pose_at_random(c, &r, 0.8, 0.5);
        case_measure(c);
        snPathWork *w = c->line;
        for (int32_t p = 0; p < c->paths.npath; ++p) {
            double l = w->length[p], v = w->rate[p], e = 1e-7, up[2], down[2];
            double exact[4] = {w->passive_l[p], w->active_l[p], w->passive_v[p], w->active_v[p]};
            if (fabs(v) < 1e-6) continue; /* on a kink */
            for (int which = 0; which < 2; ++which) {
                double *x = which ? &w->rate[p] : &w->length[p], keep = *x;
                *x = keep + e;
                sn_path_forces(&c->paths, w, NULL, NULL);
                up[0] = w->passive[p], up[1] = w->active[p];
                *x = keep - e;
                sn_path_forces(&c->paths, w, NULL, NULL);
                down[0] = w->passive[p], down[1] = w->active[p];
                *x = keep;
                for (int part = 0; part < 2; ++part) {
                    double slope = exact[2 * which + part];
                    assert_near((up[part] - down[part]) / (2 * e), slope, 1e-5 * (1 + fabs(slope)));
                }
            }
            assert_near(w->length[p], l, 0);
        }
    }
}

/* Whether the first `n` letters of a name fit one of the patterns, separated by blanks, each with at most one *. */
static bool fits_any(const char *patterns, const char *name, size_t n)
{
    char word[64];
    for (int used; sscanf(patterns, "%63s%n", word, &used) == 1; patterns += used) {
        const char *star = strchr(word, '*');
        size_t before = star ? (size_t)(star - word) : strlen(word);
        if (n >= before && strncmp(name, word, before) == 0 && (star || n == before)) return true;
    }
    return false;
}

/* The lines of a muscle have its force together, on either side, and one tension. */
static void strengths_are_those_of_their_table(void **state)
{
    treeCase *c = &((caseSet *)*state)->c[1];
    snFigures strengths = {0};
    assert_int_equal(sn_figures_load(&strengths, CASE_FOLDER "/survey", "strengths.tsv"), SN_OK);
    double *sum = CASE_ARRAY(c, double, 2 * strengths.nrow);
    for (int32_t m = 0; m < c->paths.npath; ++m) {
        size_t n = strlen(c->muscle[m]) - 2;
        int32_t row = 0;
        while (row < strengths.nrow && !fits_any(sn_figures_text(&strengths, row, "lines"), c->muscle[m], n)) ++row;
        assert_true(row < strengths.nrow);
        sum[2 * row + (c->muscle[m][n + 1] == 'L')] += c->paths.muscle[m].max_force;
        assert_near(c->paths.muscle[m].max_force / c->pcsa[m], 50.8e4, 1e-2);
    }
    for (int32_t k = 0; k < 2 * strengths.nrow; ++k)
        assert_near(sum[k] / sn_figures_number(&strengths, k / 2, "force"), 1, 1e-7);
    sn_figures_free(&strengths);
}

/* Every line of the paper's Table I. */
static void muscles_are_those_of_the_published_table(void **state)
{
    (void)state;
    snFigures counts = {0}, muscles = {0};
    assert_int_equal(sn_figures_load(&counts, CASE_FOLDER "/survey", "table1_counts.tsv"), SN_OK);
    case_load(&muscles, "muscles.tsv");
    int32_t all = 0;
    for (int32_t r = 0; r < counts.nrow; ++r) {
        const char *region = sn_figures_text(&counts, r, "region"), *name = sn_figures_text(&counts, r, "muscle");
        bool arm = strcmp(region, "arm") == 0;
        int32_t found = 0;
        for (int32_t m = 0; m < muscles.nrow; ++m)
            found += strcmp(sn_figures_text(&muscles, m, "muscle"), name) == 0 &&
                     strcmp(sn_figures_text(&muscles, m, "part"), arm ? "arm_R" : region) == 0;
        assert_int_equal(found, (int)sn_figures_number(&counts, r, "table1"));
        all += arm ? 2 * found : found;
    }
    assert_int_equal(all, 814);
    sn_figures_free(&counts);
    sn_figures_free(&muscles);
}

/* Mirror image of a coordinate or muscle by name, -1 where it is its own. */
static int32_t mirror_of(const char **names, int32_t n, int32_t i)
{
    char other[128];
    snprintf(other, sizeof other, "%s", names[i]);
    char *at = NULL, *found = other;
    while ((found = strpbrk(found, "_")) != NULL) {
        if ((found[1] == 'R' || found[1] == 'L') && (found[2] == '_' || found[2] == 0)) at = found + 1;
        ++found;
    }
    if (!at) return -1;
    *at = *at == 'R' ? 'L' : 'R';
    for (int32_t k = 0; k < n; ++k)
        if (strcmp(names[k], other) == 0) return k;
    return -1;
}

static void left_and_right_are_mirror_images(void **state)
{
    treeCase *c = &((caseSet *)*state)->c[1];
    caseRandom r = {15};
    int32_t n = c->tree.ndof;
    for (int32_t i = 0; i < n; ++i) { /* a pose that is its own mirror image: bends to the side and turns stay zero */
        int32_t m = mirror_of(c->coordinate, n, i);
        const char *name = c->coordinate[i];
        bool odd = strstr(name, "_LB") || strstr(name, "_AR") || strstr(name, "yaw") || strstr(name, "_tz") ||
                   strstr(name, "sternum_rx") || strstr(name, "sternum_ry");
        if (m >= 0 && m < i) {
            bool flips = strncmp(name, "cc", 2) == 0 && (strstr(name, "_rx") || strstr(name, "_ry"));
            c->q[i] = flips ? -c->q[m] : c->q[m];
        } else {
            c->q[i] = odd ? 0 : 0.5 * random_between(&r, c->tree.lower[i], c->tree.upper[i]);
        }
    }
    memset(c->v, 0, (size_t)n * sizeof *c->v);
    case_place(c, c->q, c->v);
    case_measure(c);
    int32_t pairs = 0;
    for (int32_t p = 0; p < c->paths.npath; ++p) {
        int32_t m = mirror_of(c->muscle, c->paths.npath, p);
        assert_true(m >= 0);
        assert_near(c->line->length[p], c->line->length[m], 1e-9);
        pairs += m > p;
        for (int32_t e = c->line->rowadr[p]; e < c->line->rowadr[p + 1]; ++e) {
            int32_t j = c->line->col[e], k = mirror_of(c->coordinate, n, j);
            const char *name = c->coordinate[j];
            bool odd = strstr(name, "_LB") || strstr(name, "_AR") || strstr(name, "yaw") || strstr(name, "_tz") ||
                       strstr(name, "_rx") || strstr(name, "_ry");
            if (k < 0) k = j;
            double other = 0;
            for (int32_t b = c->line->rowadr[m]; b < c->line->rowadr[m + 1]; ++b)
                if (c->line->col[b] == k) other = c->line->P[b];
            assert_near(c->line->P[e], odd ? -other : other, 1e-9);
        }
    }
    assert_int_equal(pairs, 407);
}

static void measuring_allocates_nothing(void **state)
{
    caseSet *s = *state;
    caseRandom r = {16};
    int64_t count = sn_alloc_count();
    pose_at_random(&s->c[1], &r, 1, 1);
    case_measure(&s->c[1]);
    assert_int_equal(sn_alloc_count(), count);
    int64_t live = sn_alloc_live();
    for (int n = 0; n < 4; ++n) {
        sn_alloc_fail_after(n);
        assert_null(sn_path_create(&s->c[1].paths, s->c[1].tree.ndof, s->c[1].tree.parent));
        sn_alloc_fail_after(-1);
        assert_int_equal(sn_alloc_live(), live);
    }
    sn_path_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_those_of_the_tables),
        cmocka_unit_test(moment_arms_are_differences_of_the_length),
        cmocka_unit_test(second_derivative_is_that_of_differences),
        cmocka_unit_test(second_derivative_of_single_paths),
        cmocka_unit_test(a_cylinder_lifts_off_smoothly),
        cmocka_unit_test(figures_of_the_muscle_laws),
        cmocka_unit_test(slopes_of_the_force_are_differences),
        cmocka_unit_test(strengths_are_those_of_their_table),
        cmocka_unit_test(muscles_are_those_of_the_published_table),
        cmocka_unit_test(left_and_right_are_mirror_images),
        cmocka_unit_test(measuring_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, open_cases, close_cases);
}
