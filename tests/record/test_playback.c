/* Replays as frames in the model's order, deformers of several surfaces, and the bones that explain them. */
#include "check.h"

#include "base/alloc.h"
#include "geom/deform.h"
#include "math/vec.h"
#include "model/model.h"
#include "record/own/playback.h"
#include "scenes.h"
#include "sinew/playback.h"
#include "sinew/sim.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 30 };

typedef struct Case {
    snSpec *spec;
    snModel *model;
    snTrack *replay; /* bodies and strands in reverse order, bodies turning by formula */
    int32_t nbody, nstrand, nmuscle;
} Case;

static void pose_of(int32_t body, double time, double *pose)
{
    quat q = q_exp(v3_of(0.3 * time * (body + 1), 0.1 * body, 0.2 * time));
    v3_store(pose, v3_of(0.1 * body, time * (1 + body), 0));
    q_store(pose + 3, q);
}

static double activation_of(int32_t muscle, double time)
{
    return 0.1 * (muscle % 5) + 0.05 * time;
}

static void make_replay(Case *c)
{
    const char *body[64], *strand[64], *scalar[64];
    static char text[64][80];
    int32_t count[64], npoint = sn_count(c->model, SN_ITEM_POINT);
    for (int32_t b = 0; b < c->nbody; ++b) body[b] = sn_name(c->model, SN_ITEM_BODY, c->nbody - 1 - b);
    for (int32_t s = 0; s < c->nstrand; ++s) {
        strand[s] = sn_name(c->model, SN_ITEM_STRAND, c->nstrand - 1 - s);
        count[s] = sn_strand_point_count(c->model, c->nstrand - 1 - s);
    }
    for (int32_t i = 0; i < c->nmuscle; ++i) {
        snprintf(text[i], sizeof text[i], "activation/%s", sn_name(c->model, SN_ITEM_MUSCLE, c->nmuscle - 1 - i));
        scalar[i] = text[i];
    }
    snTrackDef def = {sizeof(snTrackDef), "finger", c->nbody, body, c->nstrand, strand, count, c->nmuscle, scalar};
    assert_int_equal(sn_track_create(&def, &c->replay), SN_OK);
    double *pose = calloc(7 * (size_t)c->nbody, 8), *point = calloc(3 * (size_t)npoint, 8), *level = calloc(64, 8);
    for (int f = 0; f < FRAMES; ++f) {
        double time = 0.02 * f, *to = point;
        for (int32_t b = 0; b < c->nbody; ++b) pose_of(c->nbody - 1 - b, time, pose + 7 * b);
        for (int32_t s = c->nstrand - 1; s >= 0; --s)
            for (int32_t k = 0; k < sn_strand_point_count(c->model, s); ++k) *to++ = s, *to++ = k, *to++ = time;
        for (int32_t i = 0; i < c->nmuscle; ++i) level[i] = activation_of(c->nmuscle - 1 - i, time);
        assert_int_equal(sn_track_append(c->replay, time, pose, point, level), SN_OK);
    }
    free(pose), free(point), free(level);
}

static Case make_case(void)
{
    Case c = {.spec = sn_scene("finger")};
    assert_non_null(c.spec);
    assert_int_equal(sn_compile(c.spec, &c.model, NULL), SN_OK);
    c.nbody = sn_count(c.model, SN_ITEM_BODY), c.nstrand = sn_count(c.model, SN_ITEM_STRAND);
    c.nmuscle = sn_count(c.model, SN_ITEM_MUSCLE);
    make_replay(&c);
    return c;
}

static void free_case(Case *c)
{
    sn_track_destroy(c->replay);
    sn_model_destroy(c->model);
    sn_spec_destroy(c->spec);
}

static void frames_are_in_the_order_of_the_model(void **state)
{
    (void)state;
    Case c = make_case();
    snPlayback *p;
    snError error = {0};
    assert_int_equal(sn_playback_create(c.model, c.replay, &p, &error), SN_OK);
    int64_t before = sn_alloc_count();
    for (int f = 0; f < FRAMES; f += 7) {
        for (int by_time = 0; by_time < 2; ++by_time) {
            const snFrame *frame = by_time ? sn_playback_at(p, 0.02 * f) : sn_playback_frame(p, f);
            double expected[7];
            const double *point = frame->point;
            for (int32_t b = 0; b < c.nbody; ++b) {
                pose_of(b, 0.02 * f, expected);
                for (int k = 0; k < 7; ++k) assert_near(fabs(frame->pose[7 * b + k]), fabs(expected[k]), 1e-12);
            }
            for (int32_t s = 0; s < c.nstrand; ++s)
                for (int32_t k = 0; k < sn_strand_point_count(c.model, s); ++k, point += 3) {
                    assert_near(point[0], s, 1e-12);
                    assert_near(point[1], k, 1e-12);
                }
            for (int32_t i = 0; i < c.nmuscle; ++i)
                assert_near(frame->activation[i], activation_of(i, 0.02 * f), 1e-12);
            assert_int_equal(frame->restart, f == 0 && !by_time);
        }
    }
    assert_true(sn_playback_frame(p, 3)->restart); /* back in time */
    assert_int_equal(sn_alloc_count(), before);
    assert_int_equal(sn_playback_body(p, 0), c.nbody - 1);
    assert_int_equal(sn_playback_body(p, c.nbody), -1);
    sn_playback_destroy(p);
    free_case(&c);
}

/* The pose as drawn without a simulation is that of a state which has not settled. */
static void rest_is_that_of_a_state(void **state)
{
    (void)state;
    Case c = make_case();
    snPlayback *p;
    snState *s;
    snView position, rotation;
    snSimDef sim = sn_default_sim_def();
    sim.skip_settle = true;
    assert_int_equal(sn_playback_create(c.model, NULL, &p, NULL), SN_OK);
    assert_int_equal(sn_state_create(c.model, &sim, &s, NULL), SN_OK);
    assert_int_equal(sn_field(c.model, s, "body.position", &position), SN_OK);
    assert_int_equal(sn_field(c.model, s, "body.rotation", &rotation), SN_OK);
    const snFrame *rest = sn_playback_rest(p), *still = sn_playback_at(p, 3);
    for (int32_t b = 0; b < c.nbody; ++b) {
        for (int k = 0; k < 3; ++k) assert_true(rest->pose[7 * b + k] == position.data[3 * b + k]);
        for (int k = 0; k < 4; ++k) assert_true(rest->pose[7 * b + 3 + k] == rotation.data[4 * b + k]);
        for (int k = 0; k < 7; ++k) assert_true(rest->pose[7 * b + k] == still->pose[7 * b + k]);
    }
    assert_null(rest->point);
    assert_null(still->activation);
    sn_state_destroy(s);
    sn_playback_destroy(p);
    free_case(&c);
}

/* ---- a deformer of two surfaces, the second one without weights ---------------------------------- */

static const double corner[12] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1};
static const int32_t face[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

typedef struct Blob {
    const snFrame *rest;
    double rest_pose[7 * 64];
    int destroyed;
} Blob;

static void carry(const double *rest, const double *now, double *point)
{
    rigid from = {q_load(rest + 3), v3_load(rest)}, to = {q_load(now + 3), v3_load(now)};
    rigid motion = rigid_mul(to, rigid_inverse(from));
    for (int i = 0; i < 4; ++i) v3_store(point + 3 * i, rigid_apply(motion, v3_load(corner + 3 * i)));
}

static snStatus deform_blob(void *self, const snFrame *frame, double *point, snDeformInfo *info, snError *error)
{
    Blob *blob = self;
    (void)error;
    carry(blob->rest_pose, frame->pose, point);
    carry(blob->rest_pose + 14, frame->pose + 14, point + 12);
    if (frame->point) point[12 + 7] += 0.001 * frame->time;
    info->iterations = 3, info->residual = 1e-5;
    return frame->time > 100 ? SN_DIVERGED : SN_OK;
}

static void destroy_blob(void *self)
{
    ++((Blob *)self)->destroyed;
}

static void surfaces_are_bound_to_the_bodies_that_carry_them(void **state)
{
    (void)state;
    Case c = make_case();
    snPlayback *p;
    snDeformer *deformer;
    snError error = {0};
    static Blob blob;
    int32_t given[16], body[32];
    double weight_given[16], weight[32], point[24];
    for (int i = 0; i < 16; ++i) given[i] = i % 4 ? -1 : 0, weight_given[i] = i % 4 ? 0 : 1;
    snDeformSurface surface[2] = {{"a", 4, 4, corner, face, {1, 0, 0}, given, weight_given},
                                  {"b", 4, 4, corner, face, {0, 1, 0}, NULL, NULL}};
    snDeformerDef def = sn_default_deformer_def();
    def.nsurface = 2, def.surface = surface, def.self = &blob, def.deform = deform_blob, def.destroy = destroy_blob;
    assert_int_equal(sn_playback_create(c.model, c.replay, &p, &error), SN_OK);
    memcpy(blob.rest_pose, sn_playback_rest(p)->pose, 7 * (size_t)c.nbody * sizeof(double));
    assert_int_equal(sn_deformer_create(&def, &deformer, &error), SN_OK);
    assert_int_equal(sn_deformer_points(deformer), 8);
    assert_string_equal(sn_deformer_surface(deformer, 1)->name, "b");
    assert_null(sn_deformer_surface(deformer, 2));
    assert_int_equal(sn_playback_bind(p, deformer, body, weight, &error), SN_OK);
    for (int i = 0; i < 32; i += 4) {
        assert_int_equal(body[i], i < 16 ? 0 : 2);
        assert_near(weight[i] + weight[i + 1] + weight[i + 2] + weight[i + 3], 1, 0);
    }
    assert_int_equal(sn_deform(deformer, sn_playback_frame(p, 5), point, &error), SN_OK);
    assert_int_equal(sn_deform_info(deformer).iterations, 3);
    assert_true(sn_deform_info(deformer).seconds >= 0);
    snFrame late = *sn_playback_rest(p);
    late.time = 101;
    assert_int_equal(sn_deform(deformer, &late, point, &error), SN_DIVERGED);
    sn_deformer_destroy(deformer);
    assert_int_equal(blob.destroyed, 1);
    sn_deformer_destroy(NULL);
    sn_playback_destroy(p);
    free_case(&c);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    Case c = make_case();
    snDeformer *deformer = NULL;
    snPlayback *p = NULL;
    snError error = {0};
    int32_t bad[12];
    memcpy(bad, face, sizeof bad);
    bad[7] = 4;
    snDeformSurface surface = {"b", 4, 4, corner, bad, {0, 1, 0}, NULL, NULL};
    snDeformerDef def = {.nsurface = 1, .surface = &surface, .deform = deform_blob};
    assert_int_equal(sn_deformer_create(&def, &deformer, &error), SN_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "snDeformerDef"));
    def.size = sizeof def;
    assert_int_equal(sn_deformer_create(&def, &deformer, &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "triangle 2 is out of range");
    assert_non_null(strstr(error.element, "b"));
    surface.nvertex = 0;
    assert_int_equal(sn_deformer_create(&def, &deformer, &error), SN_BAD_INPUT);
    def.nsurface = 0;
    assert_int_equal(sn_deformer_create(&def, &deformer, &error), SN_BAD_INPUT);
    assert_null(deformer);
    const char *stranger = "stranger";
    int32_t four = 4;
    snTrackDef track = {.size = sizeof(snTrackDef), .nstrand = 1, .strand_name = &stranger, .strand_npoint = &four};
    snTrack *other;
    assert_int_equal(sn_track_create(&track, &other), SN_OK);
    assert_int_equal(sn_playback_create(c.model, other, &p, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "the replay has no strand"));
    assert_null(p);
    sn_track_destroy(other);
    free_case(&c);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    Case c = make_case();
    int64_t before = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    for (int n = 0; status != SN_OK; ++n) {
        snPlayback *p = NULL;
        sn_alloc_fail_after(n);
        status = sn_playback_create(c.model, c.replay, &p, NULL);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || (status == SN_NO_MEMORY && !p));
        sn_playback_destroy(p);
        assert_int_equal(sn_alloc_live(), before);
    }
    free_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_in_the_order_of_the_model),
        cmocka_unit_test(rest_is_that_of_a_state),
        cmocka_unit_test(surfaces_are_bound_to_the_bodies_that_carry_them),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
