/* A second opinion: the same trees and paths written as MJCF and evaluated by MuJoCo. Mass matrix, bias forces, lengths
 * of tendons and their moment arms at 20 random poses. Built where MuJoCo is found (Debian: libmujoco-dev). */
#include "tree_case.h"

#include <mujoco/mujoco.h>

#include <stdlib.h>
#include <unistd.h>

static const v3 gravity = {0.3, -9.81, 0.2};

/* Body that a link's joint belongs to: the body that rides on it or on the next link of the chain. */
static int32_t body_of_link(const treeCase *c, int32_t link)
{
    for (int32_t at = link; at < c->tree.ndof; ++at) {
        for (int32_t b = 0; b < c->tree.nbody; ++b)
            if (c->tree.body_link[b] == at) return b;
        assert_true(at + 1 < c->tree.ndof && c->tree.parent[at + 1] == at);
    }
    return -1;
}

static void write_sites(const treeCase *c, int32_t link, FILE *out)
{
    for (int32_t k = 0; k < c->paths.npoint; ++k)
        if (c->paths.point_link[k] == link) {
            const double *p = c->paths.point + 3 * k;
            fprintf(out, "<site name=\"p%d\" pos=\"%.17g %.17g %.17g\"/>\n", k, p[0], p[1], p[2]);
        }
    for (int32_t w = 0; w < c->paths.nwrap; ++w) {
        if (c->paths.wrap_link[w] != link) continue;
        const double *p = c->paths.wrap_centre + 3 * w, *z = c->paths.wrap_axis + 3 * w,
                     *s = c->paths.wrap_side + 3 * w;
        double r = c->paths.wrap_radius[w];
        bool cylinder = c->paths.wrap_kind[w] == SN_WRAP_CYLINDER;
        fprintf(
            out,
            "<geom name=\"w%d\" type=\"%s\" size=\"%.17g%s\" pos=\"%.17g %.17g %.17g\" zaxis=\"%.17g %.17g %.17g\"/>\n",
            w, cylinder ? "cylinder" : "sphere", r, cylinder ? " 0.1" : "", p[0], p[1], p[2], z[0], z[1], z[2]);
        fprintf(out, "<site name=\"s%d\" pos=\"%.17g %.17g %.17g\"/>\n", w, p[0] + 3 * r * s[0], p[1] + 3 * r * s[1],
                p[2] + 3 * r * s[2]);
    }
}

/* By principal axes: MuJoCo's own diagonalisation of a full tensor is good to ten digits only. */
static void write_inertia(const treeCase *c, int32_t body, FILE *out)
{
    const double *com = c->tree.com + 3 * body, *I = c->tree.inertia + 6 * body;
    m3 full = {{I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}}, axes;
    double value[3];
    m3_eigen_symmetric(&full, value, &axes);
    if (m3_det(&axes) < 0)
        for (int r = 0; r < 3; ++r) axes.m[3 * r + 2] = -axes.m[3 * r + 2];
    quat q = q_from_m3(&axes);
    fprintf(out, "<body name=\"b%d\"><inertial pos=\"%.17g %.17g %.17g\" mass=\"%.17g\" ", body, com[0], com[1], com[2],
            c->tree.mass[body]);
    fprintf(out, "diaginertia=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"/>\n", value[0], value[1], value[2],
            q.w, q.x, q.y, q.z);
}

static void write_body(const treeCase *c, int32_t body, FILE *out)
{
    int32_t last = c->tree.body_link[body], first = last;
    while (c->tree.parent[first] >= 0 && body_of_link(c, c->tree.parent[first]) == body) first = c->tree.parent[first];
    write_inertia(c, body, out);
    for (int32_t i = first; i <= last; ++i) {
        const double *u = c->tree.axis + 3 * i, *p = c->tree.centre + 3 * i;
        fprintf(out, "<joint name=\"j%d\" type=\"%s\" axis=\"%.17g %.17g %.17g\" pos=\"%.17g %.17g %.17g\"/>\n", i,
                c->tree.slides[i] ? "slide" : "hinge", u[0], u[1], u[2], p[0], p[1], p[2]);
    }
    write_sites(c, last, out);
    for (int32_t b = 0; b < c->tree.nbody; ++b) {
        int32_t link = c->tree.body_link[b];
        if (link < 0 || b == body) continue;
        while (c->tree.parent[link] >= 0 && body_of_link(c, c->tree.parent[link]) == b) link = c->tree.parent[link];
        if (c->tree.parent[link] == last) write_body(c, b, out);
    }
    fprintf(out, "</body>\n");
}

static void write_tendons(const treeCase *c, FILE *out)
{
    fprintf(out, "<tendon>\n");
    for (int32_t p = 0; p < c->paths.npath; ++p) {
        fprintf(out, "<spatial name=\"t%d\">\n", p);
        for (int32_t k = c->paths.pointadr[p]; k < c->paths.pointadr[p + 1]; ++k) {
            int32_t w = c->paths.point_wrap ? c->paths.point_wrap[k] : -1;
            fprintf(out, "<site site=\"p%d\"/>", k);
            if (w < 0) continue;
            fprintf(out, "<geom geom=\"w%d\"", w);
            if (c->paths.wrap_kind[w] == SN_WRAP_CYLINDER) fprintf(out, " sidesite=\"s%d\"", w);
            fprintf(out, "/>");
        }
        fprintf(out, "</spatial>\n");
    }
    fprintf(out, "</tendon>\n");
}

static mjModel *write_and_load(const treeCase *c, const char *name)
{
    FILE *out = fopen(name, "w");
    char error[1000] = "";
    assert_non_null(out);
    fprintf(out,
            "<mujoco><compiler angle=\"radian\" coordinate=\"local\" inertiafromgeom=\"false\"/><size nconmax=\"0\"/>"
            "<option gravity=\"%.17g %.17g %.17g\" jacobian=\"dense\"><flag contact=\"disable\"/></option>"
            "<default><geom contype=\"0\" conaffinity=\"0\"/></default><worldbody>\n",
            gravity.x, gravity.y, gravity.z);
    write_sites(c, -1, out);
    for (int32_t b = 0; b < c->tree.nbody; ++b) {
        int32_t link = c->tree.body_link[b];
        while (link >= 0 && c->tree.parent[link] >= 0 && body_of_link(c, c->tree.parent[link]) == b)
            link = c->tree.parent[link];
        if (link >= 0 && c->tree.parent[link] < 0) write_body(c, b, out);
    }
    fprintf(out, "</worldbody>\n");
    write_tendons(c, out);
    fprintf(out, "</mujoco>\n");
    fclose(out);
    mjModel *m = mj_loadXML(name, NULL, error, sizeof error);
    if (!m) print_error("%s\n", error);
    assert_non_null(m);
    unlink(name);
    return m;
}

typedef struct comparison {
    double M, bias, length, arm; /* largest differences, each over the largest value */
    int touched;
} comparison;

static void compare_pose(treeCase *c, const mjModel *m, mjData *d, double *M, double *full, double *tau,
                         comparison *worst)
{
    int32_t n = c->tree.ndof;
    int *dof = calloc((size_t)n, sizeof *dof);
    double most = 0, largest = 0;
    for (int32_t i = 0; i < n; ++i) {
        char name[16];
        snprintf(name, sizeof name, "j%d", i);
        int joint = mj_name2id(m, mjOBJ_JOINT, name);
        dof[i] = m->jnt_dofadr[joint];
        d->qpos[m->jnt_qposadr[joint]] = c->q[i];
        d->qvel[dof[i]] = c->v[i];
    }
    mj_forward(m, d);
    mj_fullM(m, full, d->qM);
    sn_tree_mass(&c->tree, c->work, M, n);
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j) {
            most = fmax(most, fabs(M[i * n + j] - full[dof[i] * n + dof[j]]));
            largest = fmax(largest, fabs(M[i * n + j]));
        }
    worst->M = fmax(worst->M, most / largest);
    sn_tree_inverse(&c->tree, c->work, NULL, gravity, tau);
    most = largest = 0;
    for (int32_t i = 0; i < n; ++i)
        most = fmax(most, fabs(tau[i] - d->qfrc_bias[dof[i]])), largest = fmax(largest, fabs(tau[i]));
    worst->bias = fmax(worst->bias, most / largest);
    case_measure(c);
    for (int32_t p = 0; p < c->paths.npath; ++p) {
        worst->length = fmax(worst->length, fabs(c->line->length[p] - d->ten_length[p]));
        for (int32_t j = 0; j < n; ++j) {
            double arm = 0;
            for (int32_t e = c->line->rowadr[p]; e < c->line->rowadr[p + 1]; ++e)
                if (c->line->col[e] == j) arm = c->line->P[e];
            worst->arm = fmax(worst->arm, fabs(arm - d->ten_J[p * n + dof[j]]));
        }
    }
    for (int32_t k = 0; k < c->paths.npoint; ++k) worst->touched += c->line->touches[k];
    free(dof);
}

static comparison compare(treeCase *c, const char *name, double fraction)
{
    comparison worst = {0};
    caseRandom r = {20};
    size_t n = (size_t)c->tree.ndof;
    mjModel *m = write_and_load(c, name);
    assert_int_equal(m->nv, c->tree.ndof);
    assert_int_equal(m->ntendon, c->paths.npath);
    mjData *d = mj_makeData(m);
    double *M = calloc(2 * n * n + n, sizeof *M);
    for (int trial = 0; trial < 20; ++trial) {
        pose_at_random(c, &r, fraction, 2);
        compare_pose(c, m, d, M, M + n * n, M + 2 * n * n, &worst);
    }
    free(M);
    mj_deleteData(d);
    mj_deleteModel(m);
    print_message("%s: M %.2g, bias %.2g, lengths %.2g m, arms %.2g m\n", name, worst.M, worst.bias, worst.length,
                  worst.arm);
    return worst;
}

static void upper_body(void **state)
{
    (void)state;
    treeCase c;
    case_upper_body(&c);
    comparison w = compare(&c, "upper_body.mjcf.xml", 1);
    assert_at_most(w.M, 1e-9);
    assert_at_most(w.bias, 1e-9);
    assert_at_most(w.length, 1e-9);
    assert_at_most(w.arm, 1e-9);
    case_free(&c);
}

/* Every link with a body of its own, because MuJoCo wants masses; wraps are touched and left. */
static void small_tree_with_wraps(void **state)
{
    (void)state;
    treeCase c;
    case_small(&c);
    double *mass = CASE_ARRAY(&c, double, SMALL_DOF), *inertia = CASE_ARRAY(&c, double, 6 * SMALL_DOF);
    for (int32_t i = 0; i < SMALL_DOF; ++i) {
        mass[i] = c.tree.mass[i] > 0 ? c.tree.mass[i] : 0.02;
        for (int k = 0; k < 6; ++k) inertia[6 * i + k] = k < 3 ? 1e-5 * (1 + 0.1 * k) : 1e-7 * i;
    }
    c.tree.mass = mass, c.tree.inertia = inertia;
    sn_tree_destroy(c.work);
    c.work = sn_tree_create(&c.tree);
    comparison w = compare(&c, "small_tree.mjcf.xml", 0.5);
    assert_true(w.touched > 50);
    assert_at_most(w.M, 1e-9);
    assert_at_most(w.bias, 1e-9);
    assert_at_most(w.length, 1e-9);
    assert_at_most(w.arm, 1e-9);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(upper_body), cmocka_unit_test(small_tree_with_wraps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
