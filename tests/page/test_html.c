/* The studio's data and its page: numbers in few bits, the head, a replay in another order, trouble. */
#include "check.h"
#include "page/whole_file.h"

#include "base/alloc.h"
#include "model/model.h"
#include "page/html_bytes.h"
#include "page/own/studio.h"
#include "scenes.h"
#include "sinew/sinew.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- bytes -------------------------------------------------------------------------------- */

static void test_base64(void **state)
{
    (void)state;
    static const char *const pair[][2] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                                          {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; ++i) {
        char text[32] = {0};
        sn_base64(pair[i][0], strlen(pair[i][0]), text);
        assert_string_equal(text, pair[i][1]);
        assert_int_equal(sn_base64_size(strlen(pair[i][0])), strlen(pair[i][1]));
    }
}

static void check_string(const char *text, const char *expected)
{
    snBytes b = {0};
    sn_json_string(&b, text);
    assert_false(b.failed);
    assert_int_equal(b.size, strlen(expected));
    assert_memory_equal(b.at, expected, b.size);
    sn_bytes_free(&b);
}

static void test_json_strings(void **state)
{
    (void)state;
    check_string("plain", "\"plain\"");
    check_string(NULL, "\"\"");
    check_string("a\"b\\c\n", "\"a\\u0022b\\u005cc\\u000a\"");
    check_string("m\xc3\xbcsculus \xe2\x82\xac", "\"m\xc3\xbcsculus \xe2\x82\xac\"");
    check_string("\xff\xc0\xaf\xed\xa0\x80z", "\"??????z\""); /* stray, overlong and surrogate bytes */
    check_string("cut\xe2\x82", "\"cut??\"");
}

static void test_quantised_numbers(void **state)
{
    (void)state;
    double value[300];
    for (int i = 0; i < 300; ++i) value[i] = (i % 3) * 10 + sin(0.1 * i) * 0.3;
    value[77] = NAN;
    snBytes head = {0}, data = {0};
    sn_run_i16(&head, &data, value, 300, 3);
    sn_bytes_add(&head, "", 1);
    double scale = strtod(strstr(head.at, "\"scale\":") + 8, NULL), bias[3];
    assert_int_equal(sscanf(strstr(head.at, "\"bias\":"), "\"bias\":[%lf,%lf,%lf]", bias, bias + 1, bias + 2), 3);
    assert_at_most(scale, 0.6 / 65534 * 1.0001);
    for (int i = 0; i < 300; ++i) {
        const unsigned char *raw = (const unsigned char *)data.at + 2 * i;
        double got = bias[i % 3] + scale * (int16_t)(uint16_t)(raw[0] | raw[1] << 8);
        if (i != 77) assert_near(got, value[i], 0.5001 * scale);
        if (i == 77) assert_near(got, bias[2], 1e-12);
    }
    sn_bytes_free(&head);
    sn_bytes_free(&data);
}

/* Frames as differences to the one before, modulo 16 bits: they add up to what was quantised. */
static void test_frames_as_differences(void **state)
{
    (void)state;
    enum { FRAMES = 40, WIDE = 6 };
    double value[FRAMES * WIDE], finest = 1e-3;
    for (int i = 0; i < FRAMES * WIDE; ++i) value[i] = sin(0.7 * i) * (i % 2 ? 30 : 2);
    snBytes head = {0}, data = {0};
    sn_run_frames(&head, &data, value, FRAMES * WIDE, 1, WIDE, finest);
    sn_bytes_add(&head, "", 1);
    double scale = strtod(strstr(head.at, "\"scale\":") + 8, NULL),
           bias = strtod(strstr(head.at, "\"bias\":[") + 8, NULL);
    assert_near(scale, finest, 1e-15);
    assert_non_null(strstr(head.at, "\"delta\":6"));
    uint16_t sum[WIDE] = {0};
    for (int i = 0; i < FRAMES * WIDE; ++i) {
        const unsigned char *raw = (const unsigned char *)data.at + 2 * i;
        sum[i % WIDE] = (uint16_t)(sum[i % WIDE] + (raw[0] | raw[1] << 8));
        assert_near(bias + scale * (int16_t)sum[i % WIDE], value[i], 0.5001 * scale);
    }
    sn_bytes_free(&head);
    sn_bytes_free(&data);
}

/* ---- the data ----------------------------------------------------------------------------- */

/* A replay of a model in code, with the strands of the track in reverse order and one body left out. */
static snTrack *make_replay(const snModel *m, int32_t nframe, int32_t cut)
{
    const char *body[32], *strand[64], *scalar[200];
    static char names[200][64];
    int32_t npoint[64], ns = m->nstrand, nscalar = 0, total = 0;
    for (int32_t i = 1; i < m->nbody; ++i) body[i - 1] = m->body_name[i];
    for (int32_t i = 0; i < ns; ++i) {
        strand[i] = m->strand_name[ns - 1 - i];
        npoint[i] = m->strand[ns - 1 - i].n - cut;
        total += npoint[i];
    }
    for (int32_t i = 0; i < m->nmuscle; ++i) snprintf(names[nscalar++], 64, "activation/%s", m->muscle_name[i]);
    for (int32_t i = 0; i < ns; ++i) snprintf(names[nscalar++], 64, "length/%s", m->strand_name[i]);
    for (int32_t i = 0; i < nscalar; ++i) scalar[i] = names[i];
    snTrackDef def = {sizeof(snTrackDef), "test", m->nbody - 1, body, ns, strand, npoint, nscalar, scalar};
    snTrack *track;
    if (sn_track_create(&def, &track) != SN_OK) return NULL;
    double *pose = calloc(7 * 32, sizeof *pose), *point = calloc(3 * (size_t)total, sizeof *point), value[200];
    for (int32_t f = 0; f < nframe; ++f) {
        for (int32_t i = 0; i < m->nbody - 1; ++i) pose[7 * i] = 0.01 * f + i, pose[7 * i + 3] = 1;
        for (int32_t i = 0; i < 3 * total; ++i) point[i] = 1e-3 * i + f;
        for (int32_t i = 0; i < nscalar; ++i) value[i] = i < m->nmuscle ? 0.5 : 0.1 * f;
        assert_int_equal(sn_track_append(track, 0.1 * f, pose, point, value), SN_OK);
    }
    free(pose);
    free(point);
    return track;
}

static const char *head_of(const void *bytes, size_t size, size_t *length)
{
    const unsigned char *b = bytes;
    assert_true(size > 16);
    assert_memory_equal(b, "SWNS\1\0\0\0", 8);
    *length = b[8] | (size_t)b[9] << 8 | (size_t)b[10] << 16 | (size_t)b[11] << 24;
    assert_int_equal(*length % 8, 0);
    assert_true(16 + *length <= size);
    return (const char *)bytes + 16;
}

/* Every quote and bracket of the head is closed, in order. */
static void check_balanced(const char *text, size_t length)
{
    char stack[64];
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < length; ++i) {
        char c = text[i];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == '{' || c == '[') stack[depth++] = c == '{' ? '}' : ']';
        if (c == '}' || c == ']') assert_true(depth > 0 && stack[--depth] == c);
        assert_true(depth < 64);
    }
    assert_int_equal(depth, 0);
    assert_false(quoted);
}

static void test_scenes_are_packed(void **state)
{
    (void)state;
    for (int i = 0; sn_scene_info(i); ++i) {
        snSpec *spec = sn_scene(sn_scene_info(i)->name);
        snStudioDef def = sn_default_studio_def();
        def.spec = spec, def.name = sn_scene_info(i)->name;
        void *bytes = NULL;
        size_t size = 0, length;
        snError error = {0};
        assert_int_equal(sn_pack_studio(&def, &bytes, &size, &error), SN_OK);
        const char *head = head_of(bytes, size, &length);
        check_balanced(head, length);
        sn_studio_free(bytes);
        sn_spec_destroy(spec);
    }
}

/* The run behind a member of the replay, unpacked at one index. */
static double value_of(const void *bytes, size_t size, const char *member, int64_t index, int64_t expected_count)
{
    size_t length;
    const char *head = head_of(bytes, size, &length), *at = strstr(head, "\"replay\":{");
    char key[64], type[8];
    long long offset, count;
    snprintf(key, sizeof key, "\"%s\":{\"type\":", member);
    at = strstr(at, key);
    assert_non_null(at);
    at += strlen(key);
    assert_int_equal(sscanf(at, "\"%3[a-z0-9]\",\"offset\":%lld,\"count\":%lld", type, &offset, &count), 3);
    assert_int_equal(count, expected_count);
    const char *data = head + length + offset;
    if (strcmp(type, "f32") == 0) {
        float f;
        memcpy(&f, data + 4 * index, 4);
        return (double)f;
    }
    double bias[4], scale = strtod(strstr(at, "\"scale\":") + 8, NULL);
    const char *delta = strstr(at, "\"delta\":"), *end = strchr(at, '}');
    int64_t frame = delta && delta < end ? strtol(delta + 8, NULL, 10) : 0;
    uint16_t sum = 0;
    for (int64_t i = index; i >= 0; i = frame ? i - frame : -1) {
        uint16_t part;
        memcpy(&part, data + 2 * i, 2);
        sum = (uint16_t)(sum + part);
    }
    int16_t raw = (int16_t)sum;
    int width = sscanf(strstr(at, "\"bias\":["), "\"bias\":[%lf,%lf,%lf,%lf]", bias, bias + 1, bias + 2, bias + 3);
    return bias[index % width] + scale * raw;
}

static void test_replay_in_the_models_order(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("finger");
    snModel *m;
    assert_int_equal(sn_compile(spec, &m, NULL), SN_OK);
    snTrack *track = make_replay(m, 5, 0);
    snStudioDef def = sn_default_studio_def();
    def.spec = spec, def.replay = track, def.target = track;
    void *bytes;
    size_t size;
    snError error = {0};
    assert_int_equal(sn_pack_studio(&def, &bytes, &size, &error), SN_OK);
    /* body 2 of the model is body 1 of the track, at frame 3 */
    assert_near(value_of(bytes, size, "positions", 3 * (3 * m->nbody + 2), 15 * (int64_t)m->nbody), 0.03 + 1, 1e-3);
    assert_near(value_of(bytes, size, "targetPositions", 3 * (3 * m->nbody + 2), 15 * (int64_t)m->nbody), 0.03 + 1,
                1e-3);
    /* the body left out stays as drawn */
    rigid rest = rigid_mul(m->body_rest[0], m->body_node[0]);
    assert_near(value_of(bytes, size, "positions", 9 * m->nbody, 15 * (int64_t)m->nbody), rest.p.x, 1e-3);
    /* the first strand of the model is the last of the track */
    double first = 1e-3 * 3 * (m->npoint - m->strand[0].n) + 2;
    assert_near(value_of(bytes, size, "points", 2 * 3 * (int64_t)m->npoint, 15 * (int64_t)m->npoint), first, 2e-3);
    assert_near(value_of(bytes, size, "activation", 1, 5 * (int64_t)m->nmuscle), 0.5, 1e-4);
    assert_near(value_of(bytes, size, "length", 4 * (int64_t)m->nstrand, 5 * (int64_t)m->nstrand), 0.4, 1e-4);
    assert_near(value_of(bytes, size, "force", 0, 5 * (int64_t)m->nstrand), 0, 1e-12);
    sn_studio_free(bytes);
    sn_track_destroy(track);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
}

static void test_replay_of_another_model(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("finger");
    snModel *m;
    assert_int_equal(sn_compile(spec, &m, NULL), SN_OK);
    snTrack *track = make_replay(m, 2, 1);
    snStudioDef def = sn_default_studio_def();
    def.spec = spec, def.replay = track;
    void *bytes = NULL;
    size_t size = 0;
    snError error = {0};
    assert_int_equal(sn_pack_studio(&def, &bytes, &size, &error), SN_BAD_INPUT);
    assert_null(bytes);
    assert_non_null(strstr(error.element, "Strand"));
    assert_non_null(strstr(error.message, "control points"));
    sn_track_destroy(track);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
}

/* ---- skin --------------------------------------------------------------------------------- */

static const double tetrahedron[12] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1};
static const int32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

/* The blend of one body as make_replay moves it, and a bulge of 3 mm along y at vertex 2 that grows with time. */
static snStatus bulged(void *user, int32_t frame, double *vertex)
{
    rigid now = {q_identity(), {0.01 * frame + 1, 0, 0}}, motion = rigid_mul(now, rigid_inverse(*(rigid *)user));
    for (int i = 0; i < 4; ++i) v3_store(vertex + 3 * i, rigid_apply(motion, v3_load(tetrahedron + 3 * i)));
    vertex[7] += 0.003 * frame / 4;
    return SN_OK;
}

static void test_skin_keeps_what_shows(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("finger");
    snModel *m;
    assert_int_equal(sn_compile(spec, &m, NULL), SN_OK);
    snTrack *track = make_replay(m, 5, 0);
    int32_t bone[16];
    double weight[16];
    rigid rest = rigid_mul(m->body_rest[2], m->body_node[2]);
    for (int i = 0; i < 16; ++i) bone[i] = i % 4 ? -1 : 2, weight[i] = i % 4 ? 0 : 1;
    snStudioSkin skin = {4, 4, tetrahedron, faces, bone, weight, {0.8, 0.6, 0.5}, bulged, &rest, 2};
    snStudioDef def = sn_default_studio_def();
    def.spec = spec, def.replay = track, def.skin = &skin;
    void *bytes;
    size_t size, length;
    snError error = {0};
    assert_int_equal(sn_pack_studio(&def, &bytes, &size, &error), SN_OK);
    const char *head = head_of(bytes, size, &length), *at = strstr(head, "\"skinOffsets\":");
    assert_non_null(at);
    static const char expected[] = "\"skinOffsets\":{\"stride\":2,\"frames\":3,\"nvertex\":1,";
    assert_memory_equal(at, expected, sizeof expected - 1);
    assert_near(value_of(bytes, size, "values", 7, 9), 0.003, 5e-6);
    assert_near(value_of(bytes, size, "values", 4, 9), 0.0015, 5e-6);
    sn_studio_free(bytes);
    bone[4] = 99;
    assert_int_equal(sn_pack_studio(&def, &bytes, &size, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "vertex 1 of the skin refers to body 99"));
    sn_track_destroy(track);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
}

/* ---- line muscles --------------------------------------------------------------------------- */

/* A bone that turns about the origin, with a muscle from the world over it. */
static snSpec *make_tree(void)
{
    static const double place[6] = {0, 0.1, 0, 0.02, -0.1, 0};
    snSpec *spec = sn_spec_create();
    snModelDef model = sn_default_model_def();
    model.type = SN_MODEL_TREE;
    assert_int_equal(sn_set_model(spec, &model), SN_OK);
    snNodeDef node = sn_default_node_def();
    node.name = "bone";
    node.kind = SN_NODE_MESH, node.nvertex = 4, node.vertex = tetrahedron, node.ntriangle = 4, node.triangle = faces;
    assert_int_equal(sn_add_node(spec, &node, NULL), SN_OK);
    snBodyDef body = sn_default_body_def();
    body.name = body.node = "bone";
    body.mass = 1;
    assert_int_equal(sn_add_body(spec, &body, NULL), SN_OK);
    snCoordinateDef coordinate = sn_default_coordinate_def();
    coordinate.name = "swing", coordinate.body = "bone";
    assert_int_equal(sn_add_coordinate(spec, &coordinate, NULL), SN_OK);
    snLineMuscleDef line = sn_default_line_muscle_def();
    line.name = "puller", line.bodies = "world bone", line.npoint = 2, line.point = place;
    line.max_force = 100, line.fiber_length = 0.1;
    assert_int_equal(sn_add_line_muscle(spec, &line, NULL), SN_OK);
    return spec;
}

static void test_line_muscles_ride_on_bodies(void **state)
{
    (void)state;
    snSpec *spec = make_tree();
    snStudioDef def = sn_default_studio_def();
    void *bytes = NULL;
    size_t size = 0, length;
    snError error = {0};
    def.spec = spec;
    assert_int_equal(sn_pack_studio(&def, &bytes, &size, &error), SN_OK);
    const char *head = head_of(bytes, size, &length);
    check_balanced(head, length);
    assert_non_null(strstr(head, "\"name\":\"puller\""));
    assert_non_null(strstr(head, "\"bodies\":[-1,0]"));
    assert_non_null(strstr(head, "\"points\":[0,0.1,0,0.02,-0.1,0]"));
    sn_studio_free(bytes);
    int64_t live = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    for (int64_t n = 0; status == SN_NO_MEMORY; ++n) {
        sn_alloc_fail_after(n);
        status = sn_pack_studio(&def, &bytes, &size, &error);
        sn_alloc_fail_after(-1);
        if (status == SN_OK) sn_studio_free(bytes);
        assert_int_equal(sn_alloc_live(), live);
    }
    assert_int_equal(status, SN_OK);
    sn_spec_destroy(spec);
}

/* ---- memory and files --------------------------------------------------------------------- */

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("pulley");
    snModel *m;
    assert_int_equal(sn_compile(spec, &m, NULL), SN_OK);
    snTrack *track = make_replay(m, 3, 0);
    snStudioDef def = sn_default_studio_def();
    def.spec = spec, def.replay = track;
    int64_t live = sn_alloc_live();
    for (int64_t n = 0;; ++n) {
        void *bytes = NULL;
        size_t size = 0;
        snError error = {0};
        sn_alloc_fail_after(n);
        snStatus status = sn_pack_studio(&def, &bytes, &size, &error);
        sn_alloc_fail_after(-1);
        if (status == SN_OK) {
            sn_studio_free(bytes);
            break;
        }
        assert_int_equal(status, SN_NO_MEMORY);
        assert_null(bytes);
        assert_int_equal(sn_alloc_live(), live);
    }
    assert_int_equal(sn_alloc_live(), live);
    sn_track_destroy(track);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
}

static void test_page_with_data(void **state)
{
    (void)state;
    char folder[] = "/tmp/sinew-html-XXXXXX", page[64], out[64];
    assert_non_null(mkdtemp(folder));
    snprintf(page, sizeof page, "%s/page.html", folder);
    snprintf(out, sizeof out, "%s/out.html", folder);
    snStudioDef def = sn_default_studio_def();
    snSpec *spec = sn_scene("pulley");
    snError error = {0};
    def.spec = spec;
    setenv("SINEW_PAGE", page, 1);
    assert_int_equal(sn_save_html(&def, out, &error), SN_NO_FILE);
    write_all(page, "<p>something else</p>");
    assert_int_equal(sn_save_html(&def, out, &error), SN_BAD_FILE);
    assert_int_equal(access(out, F_OK), -1);
    write_all(page, "<p>before</p><script id=\"sinew-data\" type=\"application/octet-stream\"></script><p>after</p>");
    assert_int_equal(sn_save_html(&def, out, &error), SN_OK);
    char *text = read_all(out);
    assert_non_null(strstr(text, "octet-stream\">H4sI")); /* a gzip in base64 */
    assert_non_null(strstr(text, "</script><p>after</p>"));
    free(text);
    assert_int_equal(sn_save_html(&def, "/nowhere/at/all.html", &error), SN_WRITE_FAILED);
    unsetenv("SINEW_PAGE");
    unlink(out);
    unlink(page);
    rmdir(folder);
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_json_strings),
        cmocka_unit_test(test_quantised_numbers),
        cmocka_unit_test(test_frames_as_differences),
        cmocka_unit_test(test_scenes_are_packed),
        cmocka_unit_test(test_replay_in_the_models_order),
        cmocka_unit_test(test_replay_of_another_model),
        cmocka_unit_test(test_skin_keeps_what_shows),
        cmocka_unit_test(test_line_muscles_ride_on_bodies),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_page_with_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
