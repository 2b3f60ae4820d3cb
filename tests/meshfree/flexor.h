/* A flexor of the elbow for tests: a spindle in front of a round bone, its insertion on a bone that turns about y. */
#ifndef SN_TESTS_FLEXOR_H
#define SN_TESTS_FLEXOR_H

#include "soft_case.h"

static const double FLEXOR_LOW = 0.015, FLEXOR_HIGH = 0.245; /* m along z: where the bones end */

typedef struct flexor {
    softCase c;
    snDistance shaft;
    snSoftEmbedding surface;
    double *vertex;
} flexor;

static inline double flexor_shaft_radius(double t)
{
    (void)t;
    return 0.011;
}

/* Bones, laws and attachments for quadrature points that c has already. */
static inline void flexor_body(flexor *f, double mu, double prestretch)
{
    snError error = {0};
    snTriMesh bone;
    softCase *c = &f->c;
    case_mesh(0.21, flexor_shaft_radius, 2, 0, &bone);
    for (int32_t i = 0; i < bone.nvertex; ++i) bone.vertex[3 * i] -= 0.03;
    require_ok(sn_distance_create_reaching(&bone, 0.002, 0.021, &f->shaft, &error), &error);
    sn_trimesh_free(&bone);
    c->bone[0].distance = &f->shaft;
    c->def.law = sn_default_soft_def().law;
    c->def.law.prestretch = prestretch;
    c->def.law.optimal = 1.6; /* on the rising side of the law everywhere: see test_muscle.c */
    case_body(c, mu, 120 * mu, 5e4, 3e5, FLEXOR_LOW, FLEXOR_HIGH);
}

/* seed: of the points, 0: the default one. */
static inline void flexor_create(flexor *f, int32_t points, double mu, double prestretch, uint64_t seed)
{
    snError error = {0};
    memset(f, 0, sizeof *f);
    softCase *c = &f->c;
    c->seed = seed;
    case_spindle(&c->mesh);
    case_points(c, points, true);
    flexor_body(f, mu, prestretch);
    snBvh *tree = sn_bvh_create(&c->mesh);
    require_ok(sn_soft_embed(&c->points, tree, c->mesh.nvertex, c->mesh.vertex, &f->surface, &error), &error);
    sn_bvh_destroy(tree);
    f->vertex = SN_NEW_ARRAY(double, 3 * c->mesh.nvertex);
}

/* The depth of nodes matters for contact: the body is made again with it. */
static inline void flexor_use_depth(flexor *f, const double *depth)
{
    snError error = {0};
    softCase *c = &f->c;
    sn_soft_state_destroy(c->state);
    sn_soft_destroy(c->body);
    c->def.depth = depth;
    require_ok(sn_soft_create(&c->def, &c->body, &error), &error);
    require_ok(sn_soft_state_create(c->body, &c->state, &error), &error);
}

static inline void flexor_free(flexor *f)
{
    case_free(&f->c);
    sn_distance_free(&f->shaft);
    sn_soft_embedding_free(&f->surface);
    sn_free(f->vertex);
}

static inline rigid flexor_pose(double degrees)
{
    v3 joint = v3_of(-0.03, 0, 0.22);
    quat q = q_axis_angle(v3_of(0, 1, 0), degrees * SN_DEG);
    return (rigid){q, v3_sub(joint, q_rotate(q, joint))};
}

static inline snSoftInfo flexor_solve(flexor *f, double degrees, double activation)
{
    snSoftSolveDef def = sn_default_soft_solve_def();
    rigid pose[2] = {rigid_identity(), flexor_pose(degrees)};
    sn_soft_move_bones(f->c.body, f->c.state, pose);
    f->c.state->activation = activation;
    return sn_soft_solve(f->c.body, f->c.state, &def);
}

/* Largest distance between two sets of positions, and the root of the mean square. */
static inline double largest_move(int32_t n, const double *a, const double *b, double *rms)
{
    double most = 0, sum = 0;
    for (int32_t i = 0; i < n; ++i) {
        double d = v3_dist(v3_load(a + 3 * i), v3_load(b + 3 * i));
        most = fmax(most, d);
        sum += d * d;
    }
    if (rms) *rms = sqrt(sum / n);
    return most;
}

#endif
