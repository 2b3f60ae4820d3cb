/* Bodies, joints, wraps and strands for the scenes; see build.h. */
#include "build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void note(snBuild *build, snStatus status)
{
    if (build->status == SN_OK) build->status = status;
}

snBuild sn_build_begin(void)
{
    snBuild build = {sn_spec_create(), SN_OK};
    if (!build.spec) return (snBuild){NULL, SN_NO_MEMORY};
    snSceneDef scene = sn_default_scene_def();
    scene.units = SN_UNITS_M;
    scene.up = SN_AXIS_Y;
    note(&build, sn_set_scene(build.spec, &scene));
    return build;
}

void sn_build_model(snBuild *build, double settle, double step)
{
    if (!build->spec) return;
    snModelDef def = sn_default_model_def();
    def.settle = settle;
    if (step > 0) def.step = step;
    note(build, sn_set_model(build->spec, &def));
}

snSpec *sn_build_end(snBuild *build)
{
    if (build->status == SN_OK) return build->spec;
    if (build->spec) sn_spec_destroy(build->spec);
    return NULL;
}

/* ---- bodies ------------------------------------------------------------------------------- */

void sn_build_body(snBuild *build, const char *name, const double center[3], const double rotation[4],
                   const double half[3], double mass)
{
    static const double upright[4] = {1, 0, 0, 0};
    if (!build->spec) return;
    snNodeDef node = sn_default_node_def();
    node.name = name;
    node.kind = SN_NODE_GROUP;
    for (int k = 0; k < 3; ++k) node.translate[k] = center[k];
    for (int k = 0; k < 4; ++k) node.rotate[k] = rotation ? rotation[k] : upright[k];
    snId id;
    note(build, sn_add_node(build->spec, &node, &id));

    snBodyDef body = sn_default_body_def();
    body.name = name;
    body.pinned = mass <= 0;
    body.mass_from = SN_MASS_GIVEN;
    body.mass = mass > 0 ? mass : 1;
    for (int k = 0; k < 3; ++k) {
        double a = half[(k + 1) % 3], b = half[(k + 2) % 3];
        body.inertia[k] = body.mass * (a * a + b * b) / 3;
    }
    note(build, sn_add_body(build->spec, &body, &id));
}

void sn_build_joint(snBuild *build, const snJointDef *def)
{
    snId id;
    if (build->spec) note(build, sn_add_joint(build->spec, def, &id));
}

void sn_build_cylinder(snBuild *build, const char *name, const char *body, const double center[3], const double axis[3],
                       double radius, double length)
{
    if (!build->spec) return;
    snNodeDef node = sn_default_node_def();
    node.name = name;
    node.kind = SN_NODE_SHAPE;
    node.shape = SN_SHAPE_CYLINDER;
    node.extent[0] = radius, node.extent[1] = length;
    node.parent = sn_spec_find(build->spec, SN_KIND_NODE, body);
    const snNodeDef *parent = node.parent ? sn_spec_node(build->spec, node.parent) : NULL;
    if (!parent) {
        note(build, SN_BAD_INPUT);
        return;
    }
    /* Into the parent's frame: the conjugate rotation of offset and axis. */
    double offset[3], local[3], turned[3];
    const double *q = parent->rotate;
    for (int k = 0; k < 3; ++k) offset[k] = center[k] - parent->translate[k];
    const double *from[2] = {offset, axis};
    double *to[2] = {local, turned};
    for (int i = 0; i < 2; ++i) {
        const double *v = from[i];
        double t[3] = {2 * (q[3] * v[1] - q[2] * v[2]), 2 * (q[1] * v[2] - q[3] * v[0]),
                       2 * (q[2] * v[0] - q[1] * v[1])};
        to[i][0] = v[0] + q[0] * t[0] + (q[3] * t[1] - q[2] * t[2]);
        to[i][1] = v[1] + q[0] * t[1] + (q[1] * t[2] - q[3] * t[0]);
        to[i][2] = v[2] + q[0] * t[2] + (q[2] * t[0] - q[1] * t[1]);
    }
    for (int k = 0; k < 3; ++k) node.translate[k] = local[k];
    sn_build_z_to(turned, node.rotate);
    snId id;
    note(build, sn_add_node(build->spec, &node, &id));
}

void sn_build_axes(const double x[3], const double y[3], const double z[3], double rotation[4])
{
    double trace = x[0] + y[1] + z[2];
    double q[4] = {1 + trace, y[2] - z[1], z[0] - x[2], x[1] - y[0]};
    if (trace <= -0.9) { /* near a half turn: use the largest diagonal entry instead */
        int k = x[0] >= y[1] && x[0] >= z[2] ? 0 : y[1] >= z[2] ? 1 : 2;
        const double *column[3] = {x, y, z};
        int a = (k + 1) % 3, b = (k + 2) % 3;
        q[0] = column[a][b] - column[b][a];
        q[1 + k] = 1 + column[k][k] - column[a][a] - column[b][b];
        q[1 + a] = column[k][a] + column[a][k];
        q[1 + b] = column[k][b] + column[b][k];
    }
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k) rotation[k] = q[k] / length;
}

void sn_build_z_to(const double axis[3], double rotation[4])
{
    double z[3], y[3], length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int k = 0; k < 3; ++k) z[k] = axis[k] / length;
    double e[3] = {fabs(z[0]) < 0.6, fabs(z[0]) >= 0.6, 0};
    for (int k = 0; k < 3; ++k) y[k] = z[(k + 1) % 3] * e[(k + 2) % 3] - z[(k + 2) % 3] * e[(k + 1) % 3];
    length = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    for (int k = 0; k < 3; ++k) y[k] /= length;
    double x[3];
    for (int k = 0; k < 3; ++k) x[k] = y[(k + 1) % 3] * z[(k + 2) % 3] - y[(k + 2) % 3] * z[(k + 1) % 3];
    sn_build_axes(x, y, z, rotation);
}

/* ---- strands ------------------------------------------------------------------------------ */

/* Knot k of a clamped uniform cubic with n points, parameter 0 to 1. */
static double knot_at(int32_t n, int32_t k)
{
    int32_t span = n - 3;
    return k <= 3 ? 0 : k >= n ? 1 : (double)(k - 3) / span;
}

void sn_build_curve(const double *point, int32_t n, double s, double p[3])
{
    int32_t span = (int32_t)(s * (n - 3));
    if (span < 0) span = 0;
    if (span > n - 4) span = n - 4;
    double d[4][3];
    for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 3; ++k) d[j][k] = point[3 * (span + j) + k];
    for (int level = 1; level <= 3; ++level) {
        for (int j = 3; j >= level; --j) {
            double a = knot_at(n, span + j), b = knot_at(n, span + j + 4 - level);
            double t = (s - a) / (b - a);
            for (int k = 0; k < 3; ++k) d[j][k] = (1 - t) * d[j - 1][k] + t * d[j][k];
        }
    }
    for (int k = 0; k < 3; ++k) p[k] = d[3][k];
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

double sn_build_curve_length(const double *point, int32_t n)
{
    /* The error of 64 chords per span is under 1e-6 of the length for the curves drawn here. */
    int32_t pieces = 64 * (n - 3);
    double length = 0, a[3], b[3];
    sn_build_curve(point, n, 0, a);
    for (int32_t i = 1; i <= pieces; ++i) {
        sn_build_curve(point, n, (double)i / pieces, b);
        length += distance(a, b);
        for (int k = 0; k < 3; ++k) a[k] = b[k];
    }
    return length;
}

static double path_length(const snPath *path)
{
    double length = 0;
    for (int32_t i = 1; i < path->nvia; ++i) length += distance(path->via[i - 1].p, path->via[i].p);
    return length;
}

/* Position on the polyline at a length from its start. */
static void path_at(const snPath *path, double length, double p[3])
{
    for (int32_t i = 1; i < path->nvia; ++i) {
        const double *a = path->via[i - 1].p, *b = path->via[i].p;
        double piece = distance(a, b);
        if (length <= piece || i == path->nvia - 1) {
            double t = piece > 0 ? fmin(1, length / piece) : 0;
            for (int k = 0; k < 3; ++k) p[k] = a[k] + t * (b[k] - a[k]);
            return;
        }
        length -= piece;
    }
}

/* Length along the path that belongs to the fraction s of the parameter: even, or in two densities. */
static double path_speed(const snPath *path, double total, double s)
{
    if (path->fine_ratio <= 1 || path->fine_from <= 0 || path->fine_from >= total) return s * total;
    double coarse = path->fine_from, fine = (total - coarse) * path->fine_ratio;
    double at = s * (coarse + fine);
    return at <= coarse ? at : coarse + (at - coarse) / path->fine_ratio;
}

void sn_build_points(const snPath *path, double *point)
{
    int32_t n = path->npoint;
    double total = path_length(path);
    for (int32_t i = 0; i < n; ++i) {
        /* The Greville abscissa: control points there give a straight path an even parameter. */
        double s = (knot_at(n, i + 1) + knot_at(n, i + 2) + knot_at(n, i + 3)) / 3;
        path_at(path, path_speed(path, total, s), point + 3 * i);
    }
}

static double distance_at(const double *point, int32_t n, double s, const double *p)
{
    double x[3];
    sn_build_curve(point, n, s, x);
    return distance(x, p);
}

/* Fraction of the parameter nearest to p, not before `from`: the best of a few per span, then narrowed by thirds. */
static double nearest(const double *point, int32_t n, const double *p, double from)
{
    double best = from, least = HUGE_VAL, step = (1 - from) / (4 * n);
    for (int32_t i = 0; i <= 4 * n; ++i) {
        double d = distance_at(point, n, from + step * i, p);
        if (d < least) least = d, best = from + step * i;
    }
    double low = fmax(from, best - step), high = fmin(1, best + step);
    while (high - low > 1e-9) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (distance_at(point, n, a, p) < distance_at(point, n, b, p))
            high = b;
        else
            low = a;
    }
    return 0.5 * (low + high);
}

/* Fraction of the parameter at a distance along the curve from s, by small chords. */
static double walk(const double *point, int32_t n, double s, double along)
{
    double a[3], b[3], step = along < 0 ? -1e-4 : 1e-4, gone = 0;
    sn_build_curve(point, n, s, a);
    while (gone < fabs(along) && s + step > 0 && s + step < 1) {
        s += step;
        sn_build_curve(point, n, s, b);
        gone += distance(a, b);
        for (int k = 0; k < 3; ++k) a[k] = b[k];
    }
    return s;
}

static void constrain(snBuild *build, const char *strand, const snVia *via, double position, int32_t *count)
{
    char name[96];
    (void)snprintf(name, sizeof name, "%s.%d", strand, ++*count);
    snConstraintDef def = sn_default_constraint_def();
    def.name = name;
    def.strand = strand;
    def.position = position;
    def.attachment = via->on;
    def.attachment_position = -1;
    if (via->kind == SN_VIA_JOINED) def.junction = SN_JUNCTION_FREE;
    def.type = via->kind == SN_VIA_FIXED || via->kind == SN_VIA_JOINED ? SN_CONSTRAINT_FIXED
               : via->kind == SN_VIA_SLIDING                           ? SN_CONSTRAINT_SLIDING
                                                                       : SN_CONSTRAINT_SURFACE;
    if (def.type == SN_CONSTRAINT_SURFACE) def.equality = SN_INEQUAL;
    snId id;
    note(build, sn_add_constraint(build->spec, &def, &id));
}

/* Contact points every 4 mm: a strand slides over a bone by more than one of them could follow. */
static void constrain_surface(snBuild *build, const char *strand, const snVia *via, const double *point, int32_t n,
                              double position, int32_t *count)
{
    int32_t before = (int32_t)(via->before / 0.004), after = (int32_t)(via->after / 0.004);
    for (int32_t i = -before; i <= after; ++i)
        constrain(build, strand, via, walk(point, n, position, 0.004 * i), count);
}

void sn_build_strand(snBuild *build, const snStrandDef *base, const snPath *path)
{
    double point[3 * SN_BUILD_MAX_POINT];
    int32_t n = path->npoint, count = 0;
    if (!build->spec || n < 4 || n > SN_BUILD_MAX_POINT) return; /* a cubic has four points at least */
    sn_build_points(path, point);
    snStrandDef def = *base;
    def.npoint = n;
    def.point = point;
    if (path->belly > 0) {
        def.belly_start = 0;
        def.belly_end = walk(point, n, 0, path->belly);
    }
    snId id;
    note(build, sn_add_strand(build->spec, &def, &id));

    double position = 0;
    for (int32_t i = 0; i < path->nvia; ++i) {
        const snVia *via = &path->via[i];
        position = i == 0 ? 0 : i == path->nvia - 1 ? 1 : nearest(point, n, via->p, position);
        if (via->kind == SN_VIA_SURFACE)
            constrain_surface(build, def.name, via, point, n, position, &count);
        else if (via->kind != SN_VIA_FREE)
            constrain(build, def.name, via, position, &count);
    }
}
