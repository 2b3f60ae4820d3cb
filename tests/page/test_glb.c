/* Writes an animation as GLB, with and without skinning, and beside it what a reader must find in it at some times: the
 * test web.glb reads both with three.js. Here only the frame of the file is looked at. */
#include "io/io_case.h"

#include "io/file.h"
#include "motion/track.h"
#include "page/gltf.h"

enum { BODIES = 3, POINTS = 8, STRANDS = 2, FRAMES = 41, ROUND = 16, ALONG = 25, SHAPES = 10 };

static const char *const bodies[] = {"ulna", "radius \"r\"", "hand"}, *const strands[] = {"FDP2", "EDC2"};
static const char *const scalars[] = {"length/FDP2", "activation/FDP2", "activation/EDC2"};
static const int32_t npoint[] = {POINTS, 3};

static void pose_at(double t, int body, double pose[7])
{
    v3 at = {0, -0.1 * body, 0.05 * sin(2 * t) * body};
    v3_store(pose, at);
    q_store(pose + 3, q_axis_angle(v3_unit(v3_of(1, 0.3, 0)), 0.9 * body * sin(3 * t)));
}

static snTrack *arm_track(void)
{
    snTrackDef def = {.size = sizeof(snTrackDef),
                      .model = "arm",
                      .nbody = BODIES,
                      .body_name = bodies,
                      .nstrand = STRANDS,
                      .strand_name = strands,
                      .strand_npoint = npoint,
                      .nscalar = 3,
                      .scalar_name = scalars};
    snTrack *track = NULL;
    assert_int_equal(sn_track_create(&def, &track), SN_OK);
    for (int f = 0; f < FRAMES; ++f) {
        double t = 1 + f / 20.0, pose[7 * BODIES], point[3 * (POINTS + 3)],
               scalar[3] = {0.2, 0.5 + 0.5 * sin(4 * t), 0};
        for (int b = 0; b < BODIES; ++b) pose_at(t, b, pose + 7 * b);
        for (int i = 0; i < POINTS + 3; ++i)
            v3_store(point + 3 * i, v3_of(0.02 * sin(i + t), -0.03 * i, 0.01 * cos(t)));
        assert_int_equal(sn_track_append(track, t, pose, point, scalar), SN_OK);
    }
    return track;
}

typedef struct skinCase {
    snMesh mesh;
    const snTrack *track;
    double vertex[3 * ROUND * ALONG], weight[4 * ROUND * ALONG];
    int32_t triangle[6 * ROUND * (ALONG - 1)], bone[4 * ROUND * ALONG];
} skinCase;

/* A sleeve around the three bones, each vertex bound to the two nearest. */
static void make_skin(skinCase *c, const snTrack *track)
{
    int t = 0;
    for (int j = 0; j < ALONG; ++j)
        for (int i = 0; i < ROUND; ++i) {
            int v = j * ROUND + i, low = j < ALONG / 2 ? 0 : 1;
            double angle = 2 * SN_PI * i / ROUND, along = 0.2 * j / (ALONG - 1), share = fmin(1, 10 * along - low);
            v3_store(c->vertex + 3 * v, v3_of(0.03 * cos(angle), -along, 0.03 * sin(angle)));
            c->bone[4 * v] = low, c->bone[4 * v + 1] = low + 1;
            c->weight[4 * v] = 1 - share, c->weight[4 * v + 1] = share;
            if (j == 0) continue;
            int a = v - ROUND, b = a - i + (i + 1) % ROUND, next = b + ROUND;
            int32_t quad[] = {a, v, b, b, v, next};
            memcpy(c->triangle + t, quad, sizeof quad);
            t += 6;
        }
    c->track = track;
    c->mesh = (snMesh){.nvertex = ROUND * ALONG, .ntriangle = t / 3, .vertex = c->vertex, .triangle = c->triangle};
}

/* Linear blend skinning from the pose at time 0 of the formulae, and a bulge that comes and goes on one side. */
static snStatus skin_at(void *user, double time, double *vertex)
{
    skinCase *c = user;
    for (int v = 0; v < c->mesh.nvertex; ++v) {
        v3 p = v3_load(c->vertex + 3 * v), sum = {0, 0, 0};
        p = v3_scale(p, 1 + (v % ROUND < 3 ? 0.2 * (1 + sin(5 * time)) : 0));
        for (int k = 0; k < 2; ++k) {
            double now[7], rest[7];
            int b = c->bone[4 * v + k];
            sn_track_pose_at(c->track, b, time, now, NULL);
            pose_at(0, b, rest);
            rigid e = {q_load(now + 3), v3_load(now)}, r = {q_load(rest + 3), v3_load(rest)};
            sum = v3_mad(sum, c->weight[4 * v + k], rigid_apply(e, rigid_unapply(r, p)));
        }
        v3_store(vertex + 3 * v, sum);
    }
    return SN_OK;
}

/* ---- what a reader must find ------------------------------------------------------------------ */

static void put_point(FILE *file, const char *before, const double *p)
{
    fprintf(file, "%s[%.17g,%.17g,%.17g]", before, p[0], p[1], p[2]);
}

static void put_moment(FILE *file, skinCase *c, double time, double start)
{
    double vertex[3 * ROUND * ALONG], point[3 * (POINTS + 3)], scalar[3];
    fprintf(file, "{\"time\":%.17g,\"bodies\":[", time - start);
    for (int b = 0; b < BODIES; ++b) {
        double pose[7], corner[3];
        sn_track_pose_at(c->track, b, time, pose, NULL);
        v3_store(corner, rigid_apply((rigid){q_load(pose + 3), v3_load(pose)}, v3_of(0.01, 0, 0)));
        put_point(file, b ? "," : "", corner); /* where the first corner of the bone's mesh is */
    }
    sn_track_points_at(c->track, time, point);
    sn_track_scalars_at(c->track, time, scalar);
    put_point(file, "],\"tips\":[", point);
    put_point(file, ",", point + 3 * POINTS);
    fprintf(file, "],\"activation\":%.17g,\"skin\":[", scalar[1]);
    skin_at(c, time, vertex);
    for (int v = 0; v < c->mesh.nvertex; ++v) put_point(file, v ? "," : "", vertex + 3 * v);
    fprintf(file, "]}");
}

static void put_expected(const char *path, skinCase *c, const char *glb)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "{\"glb\":\"%s\",\"duration\":2,\"bodies\":[\"ulna\",\"radius \\\"r\\\"\",\"hand\"],\"moments\":[",
            glb);
    for (int i = 0; i <= SHAPES; ++i) {
        if (i) fprintf(file, ",");
        put_moment(file, c, 1 + 2.0 * i / SHAPES, 1);
    }
    fprintf(file, "]}\n");
    fclose(file);
}

static uint32_t word_at(const char *data, size_t at)
{
    uint32_t w;
    memcpy(&w, data + at, sizeof w);
    return w;
}

static void check_frame(const char *path, size_t *size)
{
    char *data;
    snError error;
    assert_ok(sn_file_read(path, SN_FILE_LIMIT, &data, size, &error), error);
    assert_memory_equal(data, "glTF", 4);
    assert_int_equal(word_at(data, 4), 2);
    assert_int_equal(word_at(data, 8), *size);
    size_t json = word_at(data, 12);
    assert_memory_equal(data + 16, "JSON", 4);
    assert_int_equal(json % 4, 0);
    assert_memory_equal(data + 20 + json + 4, "BIN\0", 4);
    assert_int_equal(word_at(data, 20 + json) + 28 + json, *size);
    sn_free(data);
}

static snGlbDef arm_def(skinCase *c, snMesh *bone, double *rest)
{
    snGlbDef def = sn_default_glb_def();
    def.track = c->track, def.body_mesh = bone, def.rest_pose = rest;
    def.skin = &c->mesh, def.skin_at = skin_at, def.skin_user = c, def.skin_opacity = 0.6;
    def.max_shapes = SHAPES, def.rate = 60;
    static const double belly[] = {0.008, 0, 0.4, 0, 0, 0};
    def.strand_belly = belly;
    for (int b = 0; b < BODIES; ++b) pose_at(0, b, rest + 7 * b);
    return def;
}

static void animations_are_written(void **state)
{
    (void)state;
    double corner[] = {0.01, 0, 0, 0, 0.01, 0, 0, 0, 0.01, -0.01, -0.01, -0.01}, rest[7 * BODIES];
    int32_t side[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    snMesh one = {.nvertex = 4, .ntriangle = 4, .vertex = corner, .triangle = side}, bone[] = {one, one, one};
    static skinCase c;
    snTrack *track = arm_track();
    snError error;
    size_t skinned, morphed;
    make_skin(&c, track);
    snGlbDef def = arm_def(&c, bone, rest);
    assert_ok(sn_save_glb(&def, NULL, "glb_morphed.glb", &error), error);
    put_expected("glb_morphed.json", &c, "glb_morphed.glb");
    check_frame("glb_morphed.glb", &morphed);
    def.skin_bone = c.bone, def.skin_weight = c.weight;
    assert_ok(sn_save_glb(&def, NULL, "glb_skinned.glb", &error), error);
    put_expected("glb_skinned.json", &c, "glb_skinned.glb");
    check_frame("glb_skinned.glb", &skinned);
    assert_true(skinned < morphed); /* only the bulge is stored */
    def = sn_default_glb_def();
    def.track = track, def.start = def.end = 1.5;
    assert_ok(sn_save_glb(&def, NULL, "glb_strands.glb", &error), error);
    unlink("glb_strands.glb");
    sn_track_destroy(track);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    double rest[7 * BODIES];
    static skinCase c;
    snTrack *track = arm_track();
    snError error;
    make_skin(&c, track);
    snGlbDef def = arm_def(&c, NULL, rest);
    def.skin_bone = c.bone, def.skin_weight = c.weight;
    c.bone[5] = 9;
    assert_int_equal(sn_save_glb(&def, NULL, "glb_no.glb", &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "skin vertex 2 is bound to bone 9, which does not exist");
    c.bone[5] = 1, c.vertex[4] = NAN;
    assert_int_equal(sn_save_glb(&def, NULL, "glb_no.glb", &error), SN_BAD_INPUT);
    def.skin_bone = NULL, def.skin_at = NULL, c.vertex[4] = 0;
    assert_int_equal(sn_save_glb(&def, NULL, "glb_no.glb", &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "the skin has neither bone weights nor shapes");
    assert_int_equal(access("glb_no.glb", F_OK), -1);
    sn_track_destroy(track);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    double rest[7 * BODIES];
    static skinCase c;
    snTrack *track = arm_track();
    make_skin(&c, track);
    snGlbDef def = arm_def(&c, NULL, rest);
    def.skin_bone = c.bone, def.skin_weight = c.weight, def.max_shapes = 2, def.rate = 5;
    int64_t before = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    for (int n = 0; status != SN_OK; ++n) {
        snError error;
        sn_alloc_fail_after(n);
        status = sn_save_glb(&def, NULL, "glb_alloc.glb", &error);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        assert_int_equal(sn_alloc_live(), before);
    }
    unlink("glb_alloc.glb");
    sn_track_destroy(track);
}

/* Meshes under the node of a body come out in the axes of that node, in metres, and facing outward also when mirrored.
 */
static void bodies_bring_their_meshes(void **state)
{
    (void)state;
    snSpec *spec = sn_spec_create();
    snSceneDef scene = sn_default_scene_def();
    snNodeDef group = sn_default_node_def(), leaf = sn_default_node_def();
    snBodyDef body = sn_default_body_def();
    double corner[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    int32_t side[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    snId id;
    snError error;
    scene.units = SN_UNITS_CM;
    assert_int_equal(sn_set_scene(spec, &scene), SN_OK);
    group.name = "hand", group.kind = SN_NODE_GROUP, group.translate[0] = 5;
    q_store(group.rotate, q_axis_angle(v3_of(0, 0, 1), SN_PI / 2));
    assert_int_equal(sn_add_node(spec, &group, &id), SN_OK);
    leaf.name = "carpus", leaf.kind = SN_NODE_MESH, leaf.parent = id, leaf.translate[1] = 2, leaf.scale[0] = -3;
    leaf.nvertex = leaf.ntriangle = 4, leaf.vertex = corner, leaf.triangle = side;
    assert_int_equal(sn_add_node(spec, &leaf, &id), SN_OK);
    body.name = "hand";
    assert_int_equal(sn_add_body(spec, &body, &id), SN_OK);
    snMesh mesh = {0};
    assert_ok(sn_body_mesh(spec, "hand", &mesh, &error), error);
    assert_int_equal(mesh.nvertex, 4);
    v3 a = v3_load(mesh.vertex), b = v3_load(mesh.vertex + 3);
    assert_at_most(v3_dist(a, v3_of(0, 0.02, 0)), 1e-15);
    assert_at_most(v3_dist(b, v3_of(-0.03, 0.02, 0)), 1e-15);
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
        const int32_t *t = mesh.triangle + 3 * i;
        sum += v3_dot(v3_load(mesh.vertex + 3 * t[0]),
                      v3_cross(v3_load(mesh.vertex + 3 * t[1]), v3_load(mesh.vertex + 3 * t[2]))) /
               6;
    }
    assert_near(sum, 3e-6 / 6, 1e-15);
    sn_mesh_free(&mesh);
    assert_int_equal(sn_body_mesh(spec, "foot", &mesh, &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "the model has no body \"foot\"");
    sn_spec_destroy(spec);
}

/* Volume that a closed tube encloses. */
static double tube_volume(snTube *tube, const double *point)
{
    double *vertex = SN_NEW_ARRAY(double, 3 * tube->nvertex), *normal = SN_NEW_ARRAY(double, 3 * tube->nvertex),
           sum = 0;
    sn_tube_shape(tube, point, vertex, normal);
    for (int i = 0; i < tube->ntriangle; ++i) {
        const int32_t *t = tube->triangle + 3 * i;
        v3 a = v3_load(vertex + 3 * t[0]), b = v3_load(vertex + 3 * t[1]), d = v3_load(vertex + 3 * t[2]);
        sum += v3_dot(a, v3_cross(b, d)) / 6;
    }
    sn_free(vertex);
    sn_free(normal);
    return sum;
}

enum { TUBE_POINTS = 6, TUBE_SIDES = 32 };

static void straight_line(double *point, double spacing)
{
    for (int i = 0; i < TUBE_POINTS; ++i) v3_store(point + 3 * i, v3_of(0.1, 0.2 + spacing * i, 0.3));
}

/* The tube around a straight strand is a closed prism that encloses its length times the area of a ring. */
static void tubes_are_closed_and_face_outward(void **state)
{
    (void)state;
    double point[3 * TUBE_POINTS];
    straight_line(point, 0.1);
    snTubeDef def = {.npoint = TUBE_POINTS, .sides = TUBE_SIDES, .tendon = 0.01};
    snTube tube;
    assert_int_equal(sn_tube_create(&tube, &def), SN_OK);
    assert_int_equal(tube.ntendon, tube.ntriangle);
    assert_near(tube_volume(&tube, point), 0.5 * TUBE_SIDES / 2.0 * sin(2 * SN_PI / TUBE_SIDES) * 1e-4, 1e-12);
    sn_tube_free(&tube);
    def.npoint = 1;
    assert_int_equal(sn_tube_create(&tube, &def), SN_BAD_INPUT);
}

/* A belly has a material of its own, is closed with the tendon, and keeps its volume when the strand gets shorter. */
/* A leaning cylinder, ring by ring: along it the height, around it to 1 and back without a jump. */
static void any_mesh_gets_a_texture(void **state)
{
    (void)state;
    enum { RINGS = 9, SIDES = 24, N = RINGS * SIDES };
    double vertex[3 * N], uv[2 * N], low = 1, high = 0;
    quat lean = q_axis_angle(v3_unit(v3_of(1, 2, -1)), 0.8);
    for (int i = 0; i < N; ++i) {
        double angle = 2 * SN_PI * (i % SIDES) / SIDES;
        v3 p = {0.012 * cos(angle), 0.009 * sin(angle), 0.1 * (i / SIDES) / (RINGS - 1)};
        v3_store(vertex + 3 * i, v3_add(q_rotate(lean, p), v3_of(0.3, -0.2, 0.1)));
    }
    sn_mesh_texture(N, vertex, uv);
    bool up = uv[2 * N - 1] > uv[1];
    for (int i = 0; i < N; ++i) {
        int next = i % SIDES == SIDES - 1 ? i + 1 - SIDES : i + 1;
        double height = (double)(i / SIDES) / (RINGS - 1);
        assert_near(uv[2 * i + 1], up ? height : 1 - height, 1e-9);
        assert_at_most(fabs(uv[2 * i] - uv[2 * next]), 0.15); /* a seam would be a jump of nearly 1 */
        low = fmin(low, uv[2 * i]), high = fmax(high, uv[2 * i]);
    }
    assert_true(low >= 0 && low < 0.1 && high > 0.9 && high <= 1);
}

static void bellies_keep_their_volume(void **state)
{
    (void)state;
    double point[3 * TUBE_POINTS];
    snTubeDef def = {.npoint = TUBE_POINTS, .sides = TUBE_SIDES, .tendon = 1e-6, .belly = 0.02, .belly_end = 1};
    snTube tube;
    assert_int_equal(sn_tube_create(&tube, &def), SN_OK);
    assert_in_range(tube.ntendon, 2 * TUBE_SIDES, tube.ntriangle / 2);
    straight_line(point, 0.1);
    double before = tube_volume(&tube, point);
    assert_in_range((int)(1e6 * before), 200, 628); /* below that of a cylinder of its radius */
    straight_line(point, 0.08);
    assert_near(tube_volume(&tube, point) / before, 1, 1e-3);
    sn_tube_free(&tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(animations_are_written),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(bodies_bring_their_meshes),
        cmocka_unit_test(tubes_are_closed_and_face_outward),
        cmocka_unit_test(any_mesh_gets_a_texture),
        cmocka_unit_test(bellies_keep_their_volume),
    };
    return cmocka_run_group_tests_name("page.glb", tests, NULL, NULL);
}
