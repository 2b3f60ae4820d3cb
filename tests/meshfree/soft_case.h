/* Bodies that the tests of src/meshfree share: solids of revolution and bars as meshes, bodies of points or cubes. */
#ifndef SN_TESTS_SOFT_CASE_H
#define SN_TESTS_SOFT_CASE_H

#include "check.h"

#include "base/alloc.h"
#include "base/error.h"
#include "meshfree/soft.h"

#include <stdlib.h>
#include <string.h>

enum { CASE_RINGS = 25, CASE_ANGLES = 24 };

/* A closed solid along z from 0 to length; radius(t) at the fraction t; power 2 is round, large is square. */
static inline void case_mesh(double length, double (*radius)(double), double power, double bend, snTriMesh *mesh)
{
    double position[CASE_RINGS * CASE_ANGLES * 3];
    for (int r = 0; r < CASE_RINGS; ++r)
        for (int a = 0; a < CASE_ANGLES; ++a) {
            double t = (double)r / (CASE_RINGS - 1), angle = 2 * SN_PI * (a + 0.5) / CASE_ANGLES;
            double c = cos(angle), s = sin(angle),
                   R = radius(t) / pow(pow(fabs(c), power) + pow(fabs(s), power), 1 / power);
            v3_store(position + 3 * (r * CASE_ANGLES + a), v3_of(R * c + bend * sin(SN_PI * t), R * s, t * length));
        }
    snError error;
    assert_int_equal(sn_trimesh_loft(CASE_RINGS, CASE_ANGLES, position, NULL, NULL, mesh, &error), SN_OK);
}

/* About 193 cm^3 over 260 mm. */
static inline double case_spindle_radius(double t)
{
    return 0.0065 + 0.0135 * sin(SN_PI * t);
}
static inline void case_spindle(snTriMesh *mesh)
{
    case_mesh(0.26, case_spindle_radius, 2, 0.012, mesh);
}

typedef struct softCase {
    uint64_t seed; /* of the points; 0: the default one */
    snTriMesh mesh;
    snSoftPoints points;
    snSoftQuads quads;
    snSoftMaterial *material;
    int32_t *attached;
    snSoftDef def;
    snSoftBone bone[2];
    snSoftBody *body;
    snSoftState *state;
} softCase;

static inline void case_free(softCase *c)
{
    sn_soft_state_destroy(c->state);
    sn_soft_destroy(c->body);
    sn_soft_quads_free(&c->quads);
    sn_soft_points_free(&c->points);
    sn_trimesh_free(&c->mesh);
    sn_free(c->material);
    sn_free(c->attached);
    memset(c, 0, sizeof *c);
}

static inline void require_ok(snStatus status, const snError *error)
{
    char text[1024];
    if (status != SN_OK) print_error("%s\n", sn_error_format(error, text, sizeof text));
    assert_int_equal(status, SN_OK);
}

/* Points in c->mesh, fibres along z. */
static inline void case_points(softCase *c, int32_t count, bool stabilise)
{
    snError error = {0};
    snSoftPointsDef def = sn_default_soft_points_def();
    def.mesh = &c->mesh;
    def.count = count;
    if (c->seed) def.seed = c->seed;
    require_ok(sn_soft_points_create(&def, &c->points, &error), &error);
    require_ok(sn_soft_quads_from_points(&c->points, stabilise, &c->quads, &error), &error);
}

/* The bones end at low and high. */
static inline int32_t case_bone(const void *context, v3 place, v3 *border)
{
    const double *end = context;
    int32_t bone = place.z < end[0] ? 0 : place.z > end[1] ? 1 : -1;
    *border = v3_of(place.x, place.y, bone == 0 ? end[0] : end[1]);
    return bone;
}

/* Fills the muscle again, with points of its own for what the bones hold. */
static inline void case_hold(softCase *c, double low, double high)
{
    snError error = {0};
    double end[2] = {low, high};
    bool stabilise = c->quads.hold != NULL, deep = c->def.depth && c->def.depth == c->points.depth;
    snSoftPointsDef def = sn_default_soft_points_def();
    def.mesh = &c->mesh, def.count = c->points.n, def.bone = case_bone, def.context = end;
    if (c->seed) def.seed = c->seed;
    sn_soft_points_free(&c->points);
    sn_soft_quads_free(&c->quads);
    require_ok(sn_soft_points_create(&def, &c->points, &error), &error);
    require_ok(sn_soft_quads_from_points(&c->points, stabilise, &c->quads, &error), &error);
    if (deep) c->def.depth = c->points.depth;
}

/* Makes the body. Nodes with z below `low` are held by bone 0, above `high` by bone 1. */
static inline void case_body(softCase *c, double mu, double lambda, double passive, double active, double low,
                             double high)
{
    snError error = {0};
    const snSoftQuads *q = &c->quads;
    if (c->points.wall && low > 0) case_hold(c, low, high);
    c->material = SN_NEW_ARRAY(snSoftMaterial, q->n);
    c->attached = SN_NEW_ARRAY(int32_t, q->nnode);
    for (int32_t e = 0; e < q->n; ++e) c->material[e] = (snSoftMaterial){mu, lambda, passive, active, v3_of(0, 0, 1)};
    for (int32_t i = 0; i < q->nnode; ++i)
        c->attached[i] = q->rest[3 * i + 2] < low ? 0 : q->rest[3 * i + 2] > high ? 1 : -1;
    if (c->points.attached) memcpy(c->attached, c->points.attached, (size_t)q->nnode * sizeof *c->attached);
    const double *depth = c->def.depth;
    double s = c->def.stabilisation, density = c->def.density;
    snSoftLaw law = c->def.law;
    c->def = sn_default_soft_def();
    if (s > 0) c->def.stabilisation = s;
    if (density > 0) c->def.density = density;
    c->def.depth = depth;
    if (law.prestretch > 0) c->def.law = law;
    c->def.quads = q, c->def.material = c->material, c->def.attached = c->attached;
    c->def.nbone = 2, c->def.bone = c->bone;
    c->bone[0].rest = c->bone[1].rest = rigid_identity();
    require_ok(sn_soft_create(&c->def, &c->body, &error), &error);
    require_ok(sn_soft_state_create(c->body, &c->state, &error), &error);
}

/* Free nodes by their fraction along z between the two bones' motions. */
static inline void case_skin(softCase *c, double length)
{
    for (int32_t i = 0; i < c->quads.nnode; ++i) {
        v3 p = v3_load(c->quads.rest + 3 * i);
        double t = fmin(fmax(p.z / length, 0), 1);
        rigid a = c->state->pose[0], b = c->state->pose[1];
        if (q_dot(a.q, b.q) < 0) b.q = (quat){-b.q.w, -b.q.x, -b.q.y, -b.q.z};
        v3_store(c->state->x + 3 * i, v3_lerp(rigid_apply(a, p), rigid_apply(b, p), t));
    }
}

#endif
