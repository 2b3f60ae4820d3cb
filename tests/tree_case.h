/* Trees and paths for tests: the upper body from models/body (147 coordinates, 814 paths), and a random tree of the
 * size of a hand (23 coordinates, 47 paths) with slides, springs, cylinders and spheres. */
#ifndef SN_TESTS_TREE_CASE_H
#define SN_TESTS_TREE_CASE_H

#include "check.h"

#include "author/table.h"
#include "base/arena.h"
#include "base/hash.h"
#include "path/path.h"
#include "tree/tree.h"

#include <string.h>

typedef struct treeCase {
    snArena arena;
    snTree tree;
    snPathSet paths;
    const char **coordinate, **body, **muscle, **part; /* names; NULL in the random case */
    const double *pcsa, *effort;                       /* m^2 */
    int32_t *body_parent; /* nbody: body that the first link of the body hangs on, -1: none */
    snTreeWork *work;
    snPathWork *line;
    double *q, *v; /* ndof each: set by pose_at_random */
} treeCase;

#define CASE_ARRAY(c, type, n) ((type *)sn_arena_alloc(&(c)->arena, (size_t)(n) + 1, sizeof(type)))

/* The same numbers with any compiler. */
typedef struct caseRandom {
    uint64_t state;
} caseRandom;

static inline double random_between(caseRandom *r, double low, double high)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(r->state >> 11) / 9007199254740992.0;
}

static inline v3 random_v3(caseRandom *r, double size)
{
    double x = random_between(r, -size, size), y = random_between(r, -size, size);
    return v3_of(x, y, random_between(r, -size, size));
}

static inline snPathLinks case_links(const treeCase *c)
{
    return (snPathLinks){c->tree.ndof,   c->tree.parent, c->tree.slides, c->work->rotation,
                         c->work->shift, c->work->S,     c->work->bend};
}

static inline void case_place(treeCase *c, const double *q, const double *v)
{
    sn_tree_place(&c->tree, c->work, q);
    sn_tree_move(&c->tree, c->work, v);
}

static inline void case_measure(treeCase *c)
{
    snPathLinks links = case_links(c);
    sn_path_lengths(&c->paths, &links, c->line);
    sn_path_rates(&c->paths, c->line, c->v);
    sn_path_forces(&c->paths, c->line, NULL, NULL);
}

/* A pose within a fraction of the ranges, with velocities of up to `speed`. */
static inline void pose_at_random(treeCase *c, caseRandom *r, double fraction, double speed)
{
    for (int32_t i = 0; i < c->tree.ndof; ++i) {
        c->q[i] = fraction * random_between(r, c->tree.lower[i], c->tree.upper[i]);
        c->v[i] = random_between(r, -speed, speed) * (c->tree.slides[i] ? 0.1 : 1);
    }
    case_place(c, c->q, c->v);
}

static inline void case_finish(treeCase *c)
{
    c->q = CASE_ARRAY(c, double, c->tree.ndof);
    c->v = CASE_ARRAY(c, double, c->tree.ndof);
    c->work = sn_tree_create(&c->tree);
    c->line = sn_path_create(&c->paths, c->tree.ndof, c->tree.parent);
    assert_non_null(c->work);
    assert_non_null(c->line);
    case_place(c, c->q, c->v);
    case_measure(c);
}

static inline void case_free(treeCase *c)
{
    sn_tree_destroy(c->work);
    sn_path_destroy(c->line);
    sn_arena_free(&c->arena);
}

/* The upper body. -------------------------------------------------------------------------------------------------- */

#define CASE_FOLDER SINEW_SOURCE_DIR "/models/body"

static inline void case_load(snFigures *table, const char *name)
{
    snStatus status = sn_figures_load(table, CASE_FOLDER, name);
    if (status != SN_OK) print_error("%s\n", table->error.message);
    assert_int_equal(status, SN_OK);
}

static inline const char *case_name(treeCase *c, snFigures *t, int32_t row, const char *column)
{
    return sn_arena_strdup(&c->arena, sn_figures_text(t, row, column));
}

static inline void case_six(snFigures *t, int32_t row, const char *column, double out[6])
{
    assert_int_equal(sscanf(sn_figures_text(t, row, column), "%lf %lf %lf %lf %lf %lf", out, out + 1, out + 2, out + 3,
                            out + 4, out + 5),
                     6);
}

/* link_of: body name to its last link. */
static inline void case_coordinates(treeCase *c, snNameMap *link_of)
{
    snFigures t = {0};
    case_load(&t, "coordinates.tsv");
    int32_t n = c->tree.ndof = t.nrow;
    int32_t *parent = CASE_ARRAY(c, int32_t, n);
    bool *slides = CASE_ARRAY(c, bool, n), *driven = CASE_ARRAY(c, bool, n);
    const char *const figure[] = {"lower", "upper", "stiffness", "damping", "rest", "stop_stiffness", "stop_damping"};
    double *axis = CASE_ARRAY(c, double, 3 * n), *centre = CASE_ARRAY(c, double, 3 * n), *value[7];
    for (int k = 0; k < 7; ++k) value[k] = CASE_ARRAY(c, double, n);
    c->coordinate = CASE_ARRAY(c, const char *, n);
    const char *child = "";
    for (int32_t i = 0; i < n; ++i) {
        const char *now = case_name(c, &t, i, "child");
        c->coordinate[i] = case_name(c, &t, i, "name");
        parent[i] = strcmp(now, child) == 0 ? i - 1 : sn_map_get(link_of, sn_figures_text(&t, i, "parent"));
        if (i + 1 == n || strcmp(now, sn_figures_text(&t, i + 1, "child")) != 0) sn_map_put(link_of, now, i);
        child = now;
        slides[i] = strcmp(sn_figures_text(&t, i, "kind"), "slide") == 0;
        driven[i] = strcmp(sn_figures_text(&t, i, "driven"), "yes") == 0;
        v3_store(axis + 3 * i, v3_unit(sn_figures_v3(&t, i, "axis")));
        v3_store(centre + 3 * i, sn_figures_v3(&t, i, "centre"));
        for (int k = 0; k < 7; ++k) value[k][i] = sn_figures_number(&t, i, figure[k]);
    }
    assert_int_equal(t.error.status, SN_OK);
    sn_figures_free(&t);
    c->tree.parent = parent, c->tree.slides = slides, c->tree.driven = driven, c->tree.axis = axis;
    c->tree.centre = centre, c->tree.lower = value[0], c->tree.upper = value[1], c->tree.stiffness = value[2];
    c->tree.damping = value[3], c->tree.rest = value[4], c->tree.stop_stiffness = value[5],
    c->tree.stop_damping = value[6];
}

static inline void case_bodies(treeCase *c, const snNameMap *link_of)
{
    snFigures t = {0};
    case_load(&t, "bones.tsv");
    int32_t n = c->tree.nbody = t.nrow;
    int32_t *link = CASE_ARRAY(c, int32_t, n);
    double *mass = CASE_ARRAY(c, double, n), *com = CASE_ARRAY(c, double, 3 * n),
           *inertia = CASE_ARRAY(c, double, 6 * n);
    c->body = CASE_ARRAY(c, const char *, n);
    for (int32_t i = 0; i < n; ++i) {
        c->body[i] = case_name(c, &t, i, "body");
        link[i] = sn_map_get(link_of, c->body[i]);
        mass[i] = sn_figures_number(&t, i, "mass");
        v3_store(com + 3 * i, sn_figures_v3(&t, i, "com"));
        case_six(&t, i, "inertia", inertia + 6 * i);
    }
    assert_int_equal(t.error.status, SN_OK);
    sn_figures_free(&t);
    c->tree.body_link = link, c->tree.mass = mass, c->tree.com = com, c->tree.inertia = inertia;
}

static inline void case_springs(treeCase *c, const snNameMap *link_of)
{
    snFigures t = {0};
    case_load(&t, "springs.tsv");
    int32_t n = c->tree.nspring = t.nrow, *a = CASE_ARRAY(c, int32_t, n), *b = CASE_ARRAY(c, int32_t, n);
    double *point = CASE_ARRAY(c, double, 3 * n), *k = CASE_ARRAY(c, double, n), *damping = CASE_ARRAY(c, double, n);
    for (int32_t i = 0; i < n; ++i) {
        a[i] = sn_map_get(link_of, sn_figures_text(&t, i, "body_a"));
        b[i] = sn_map_get(link_of, sn_figures_text(&t, i, "body_b"));
        v3_store(point + 3 * i, sn_figures_v3(&t, i, "point"));
        k[i] = sn_figures_number(&t, i, "k"), damping[i] = sn_figures_number(&t, i, "c");
    }
    assert_int_equal(t.error.status, SN_OK);
    sn_figures_free(&t);
    c->tree.spring_a = a, c->tree.spring_b = b, c->tree.spring_point = point;
    c->tree.spring_k = k, c->tree.spring_c = damping;
}

static inline void case_points(treeCase *c, const snNameMap *link_of, const snNameMap *muscle)
{
    snFigures t = {0};
    case_load(&t, "points.tsv");
    int32_t n = c->paths.npoint = t.nrow, *adr = CASE_ARRAY(c, int32_t, c->paths.npath + 1),
            *link = CASE_ARRAY(c, int32_t, n);
    double *point = CASE_ARRAY(c, double, 3 * n);
    for (int32_t i = 0; i < n; ++i) {
        adr[sn_map_get(muscle, sn_figures_text(&t, i, "muscle")) + 1] = i + 1;
        link[i] = sn_map_get(link_of, sn_figures_text(&t, i, "body"));
        v3_store(point + 3 * i, sn_figures_v3(&t, i, "point"));
    }
    assert_int_equal(t.error.status, SN_OK);
    sn_figures_free(&t);
    c->paths.pointadr = adr, c->paths.point_link = link, c->paths.point = point;
}

/* The laws of line muscles in a body: ramp and exponential. */
static inline const snLaw *case_laws(treeCase *c)
{
    snLaw *law = CASE_ARRAY(c, snLaw, 2);
    law[0].kind = SN_LAW_RAMP_ACTIVE, law[1].kind = SN_LAW_EXPONENTIAL_PASSIVE;
    c->paths.nlaw = 2;
    return law;
}

static inline snPathMuscle case_muscle(double force, double fibre, double neutral, double x, double slack,
                                       double passive)
{
    return (snPathMuscle){.max_force = force,
                          .neutral_length = neutral,
                          .fibre_length = fibre,
                          .x_neutral = x,
                          .v_max = 8 * fibre,
                          .passive_length = slack,
                          .passive_neutral = neutral / slack,
                          .passive_scale = passive,
                          .passive_damping = 0.1 * 0.8 * passive * force,
                          .active_law = 0,
                          .passive_law = 1};
}

static inline void case_muscles(treeCase *c, const snNameMap *link_of)
{
    snFigures t = {0};
    snNameMap index = {0};
    case_load(&t, "muscles.tsv");
    int32_t n = c->paths.npath = t.nrow;
    snPathMuscle *muscle = CASE_ARRAY(c, snPathMuscle, n);
    double *pcsa = CASE_ARRAY(c, double, n), *effort = CASE_ARRAY(c, double, n);
    c->muscle = CASE_ARRAY(c, const char *, n), c->part = CASE_ARRAY(c, const char *, n);
    for (int32_t i = 0; i < n; ++i) {
        c->muscle[i] = case_name(c, &t, i, "name"), c->part[i] = case_name(c, &t, i, "part");
        sn_map_put(&index, c->muscle[i], i);
        pcsa[i] = sn_figures_number(&t, i, "pcsa"), effort[i] = sn_figures_number(&t, i, "effort");
    }
    case_points(c, link_of, &index);
    for (int32_t i = 0; i < n; ++i)
        muscle[i] = case_muscle(sn_figures_number(&t, i, "max_force"), sn_figures_number(&t, i, "fibre_length"),
                                sn_path_neutral_length(&c->paths, i), sn_figures_number(&t, i, "x_neutral"),
                                sn_figures_number(&t, i, "slack_length"), sn_figures_number(&t, i, "passive"));
    assert_int_equal(t.error.status, SN_OK);
    sn_figures_free(&t);
    sn_map_free(&index);
    c->pcsa = pcsa, c->effort = effort, c->paths.muscle = muscle, c->paths.law = case_laws(c);
}

static inline void case_upper_body(treeCase *c)
{
    snNameMap link_of = {0};
    *c = (treeCase){0};
    case_coordinates(c, &link_of);
    case_bodies(c, &link_of);
    case_springs(c, &link_of);
    case_muscles(c, &link_of);
    sn_map_free(&link_of);
    case_finish(c);
}

/* A hand's worth of random links. ---------------------------------------------------------------------------------- */

enum { SMALL_DOF = 23, SMALL_PATH = 47, SMALL_POINT = 4 * SMALL_PATH };

/* A wrist of three links and five fingers of four, roughly 10 cm wide; one link in six slides. */
static inline void small_links(treeCase *c, caseRandom *r)
{
    int32_t n = SMALL_DOF, *parent = CASE_ARRAY(c, int32_t, n), *body = CASE_ARRAY(c, int32_t, n);
    bool *slides = CASE_ARRAY(c, bool, n), *driven = CASE_ARRAY(c, bool, n);
    double *axis = CASE_ARRAY(c, double, 3 * n), *centre = CASE_ARRAY(c, double, 3 * n), *figure[7];
    double *mass = CASE_ARRAY(c, double, n), *com = CASE_ARRAY(c, double, 3 * n),
           *inertia = CASE_ARRAY(c, double, 6 * n);
    for (int k = 0; k < 7; ++k) figure[k] = CASE_ARRAY(c, double, n);
    for (int32_t i = 0; i < n; ++i) {
        bool root_of_finger = i >= 3 && (i - 3) % 4 == 0;
        parent[i] = i == 0 ? -1 : root_of_finger ? 2 : i - 1;
        slides[i] = i % 6 == 5, driven[i] = i % 4 != 2;
        v3 at = v3_of(0.03 * (i < 3 ? 0 : (i - 3) / 4 - 2), 0.03 * (i < 3 ? i : 3 + (i - 3) % 4), 0);
        v3_store(axis + 3 * i, v3_unit(random_v3(r, 1)));
        v3_store(centre + 3 * i, v3_add(at, random_v3(r, 0.005)));
        figure[0][i] = slides[i] ? -0.01 : -0.8, figure[1][i] = slides[i] ? 0.01 : 1.1;
        figure[2][i] = slides[i] ? 500 : 0.1, figure[3][i] = slides[i] ? 3 : 0.004;
        figure[4][i] = random_between(r, -0.1, 0.1) * (slides[i] ? 0.01 : 1);
        figure[5][i] = slides[i] ? 5000 : 20, figure[6][i] = slides[i] ? 500 : 5;
        body[i] = i, mass[i] = i % 3 == 0 ? 0 : random_between(r, 0.02, 0.1);
        v3 c0 = v3_add(at, random_v3(r, 0.02));
        v3_store(com + 3 * i, c0);
        for (int k = 0; k < 3; ++k) inertia[6 * i + k] = mass[i] * random_between(r, 1e-4, 1.6e-4);
        for (int k = 3; k < 6; ++k) inertia[6 * i + k] = mass[i] * random_between(r, -2e-5, 2e-5);
    }
    mass[n - 1] = 0.02, mass[6] = mass[18] = 0.03; /* ends of fingers have a mass */
    for (int k = 0; k < 3; ++k) inertia[6 * 6 + k] = inertia[6 * 18 + k] = 4e-6;
    c->tree = (snTree){.ndof = n,
                       .parent = parent,
                       .slides = slides,
                       .axis = axis,
                       .centre = centre,
                       .driven = driven,
                       .lower = figure[0],
                       .upper = figure[1],
                       .stiffness = figure[2],
                       .damping = figure[3],
                       .rest = figure[4],
                       .stop_stiffness = figure[5],
                       .stop_damping = figure[6],
                       .nbody = n,
                       .body_link = body,
                       .mass = mass,
                       .com = com,
                       .inertia = inertia};
}

static inline void small_springs(treeCase *c, caseRandom *r)
{
    enum { N = 3 };
    static const int32_t a[N] = {6, 10, 2}, b[N] = {22, -1, 18};
    double *point = CASE_ARRAY(c, double, 3 * N), *k = CASE_ARRAY(c, double, N), *damping = CASE_ARRAY(c, double, N);
    for (int s = 0; s < N; ++s) {
        v3_store(point + 3 * s, random_v3(r, 0.1));
        k[s] = 30, damping[s] = 0.2;
    }
    c->tree.nspring = N, c->tree.spring_a = a, c->tree.spring_b = b;
    c->tree.spring_point = point, c->tree.spring_k = k, c->tree.spring_c = damping;
}

/* Four points each, down to the root or across fingers; every third path passes a wrap that lies in its way. */
static inline void small_paths(treeCase *c, caseRandom *r)
{
    int32_t *adr = CASE_ARRAY(c, int32_t, SMALL_PATH + 1), *link = CASE_ARRAY(c, int32_t, SMALL_POINT),
            *wrap = CASE_ARRAY(c, int32_t, SMALL_POINT), *on = CASE_ARRAY(c, int32_t, SMALL_PATH), nwrap = 0;
    snWrapKind *kind = CASE_ARRAY(c, snWrapKind, SMALL_PATH);
    double *point = CASE_ARRAY(c, double, 3 * SMALL_POINT), *centre = CASE_ARRAY(c, double, 3 * SMALL_PATH),
           *axis = CASE_ARRAY(c, double, 3 * SMALL_PATH), *side = CASE_ARRAY(c, double, 3 * SMALL_PATH),
           *radius = CASE_ARRAY(c, double, SMALL_PATH);
    for (int32_t p = 0; p < SMALL_PATH; ++p) {
        adr[p + 1] = 4 * p + 4;
        int32_t end = 3 + (int32_t)random_between(r, 0, SMALL_DOF - 3), mid = c->tree.parent[end];
        int32_t on_link[4] = {p % 5 == 0 ? 3 + (end + 4) % 20 : -1, mid, mid, end};
        for (int k = 0; k < 4; ++k) {
            int32_t at = 4 * p + k;
            link[at] = on_link[k], wrap[at] = -1;
            v3_store(point + 3 * at, v3_add(v3_of(0.01 * (end % 5), 0.04 * k, 0.01), random_v3(r, 0.012)));
        }
        if (p % 3 != 0) continue;
        v3 a = v3_load(point + 3 * (4 * p + 2)), b = v3_load(point + 3 * (4 * p + 3)), way = v3_unit(v3_sub(b, a));
        v3 z = v3_unit(v3_cross(way, random_v3(r, 1))), s = v3_cross(z, way);
        kind[nwrap] = p % 2 ? SN_WRAP_CYLINDER : SN_WRAP_SPHERE, on[nwrap] = p % 4 == 0 ? c->tree.parent[mid] : mid;
        radius[nwrap] = 0.008;
        v3_store(axis + 3 * nwrap, z);
        v3_store(side + 3 * nwrap, p % 2 ? s : v3_of(0, 0, 0));
        v3_store(centre + 3 * nwrap, v3_mad(v3_lerp(a, b, 0.5), -0.004, s)); /* 4 mm deep into the path */
        wrap[4 * p + 2] = nwrap++;
    }
    c->paths = (snPathSet){.npath = SMALL_PATH,
                           .npoint = SMALL_POINT,
                           .nwrap = nwrap,
                           .pointadr = adr,
                           .point_link = link,
                           .point = point,
                           .point_wrap = wrap,
                           .wrap_kind = kind,
                           .wrap_link = on,
                           .wrap_centre = centre,
                           .wrap_axis = axis,
                           .wrap_radius = radius,
                           .wrap_side = side};
}

static inline void small_muscles(treeCase *c, caseRandom *r)
{
    snPathMuscle *muscle = CASE_ARRAY(c, snPathMuscle, SMALL_PATH);
    for (int32_t p = 0; p < SMALL_PATH; ++p) {
        double length = sn_path_neutral_length(&c->paths, p), slack = length * random_between(r, 0.9, 1.05);
        muscle[p] = case_muscle(random_between(r, 5, 50), length * random_between(r, 0.3, 0.8), length,
                                random_between(r, 0.8, 1.2), slack, 1);
    }
    c->paths.muscle = muscle, c->paths.law = case_laws(c);
}

static inline void case_small(treeCase *c)
{
    caseRandom r = {7};
    *c = (treeCase){0};
    small_links(c, &r);
    small_springs(c, &r);
    small_paths(c, &r);
    small_muscles(c, &r);
    case_finish(c);
}

#endif
