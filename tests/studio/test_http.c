/* The server's reading of requests and frames, and the thread of the live simulation behind it, without a socket. */
#include "check.h"

#include "scenes.h"
#include "studio/server/http.h"
#include "studio/server/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int parse(const char *text, snRequest *r)
{
    return sn_request_parse(text, strlen(text), r);
}

static void test_plain_request(void **state)
{
    (void)state;
    snRequest r;
    const char *text =
        "GET /scene.bin HTTP/1.1\r\nHost: 127.0.0.1:8137\r\nOrigin: http://localhost:8137\r\nX: y\r\n\r\nmore";
    assert_int_equal(parse(text, &r), (int)strlen(text) - 4);
    assert_string_equal(r.method, "GET");
    assert_string_equal(r.path, "/scene.bin");
    assert_true(sn_request_host_fits(&r, 8137) && sn_request_origin_fits(&r, 8137));
    assert_false(sn_request_host_fits(&r, 8138) || sn_request_origin_fits(&r, 8138));
    assert_false(r.upgrade);
    /* every beginning of it is a request that is not all here yet */
    for (size_t n = 0; n < strlen(text) - 4; ++n) assert_int_equal(sn_request_parse(text, n, &r), 0);
}

static void test_token(void **state)
{
    (void)state;
    snRequest r;
    char token[SN_TOKEN_SIZE], other[SN_TOKEN_SIZE], path[64];
    assert_true(sn_token_make(token) && sn_token_make(other));
    assert_int_equal(strspn(token, "0123456789abcdef"), 32);
    assert_string_not_equal(token, other);
    for (int i = 0; i < 32; ++i) { /* any digit that is wrong */
        (void)snprintf(path, sizeof path, "/%s/scene.bin", token);
        path[1 + i] = path[1 + i] == '0' ? '1' : '0';
        (void)snprintf(r.path, sizeof r.path, "%s", path);
        assert_false(sn_request_take_token(&r, token));
        assert_string_equal(r.path, path);
    }
    for (int length = 0; length < 34; ++length) { /* any part of it */
        (void)snprintf(path, sizeof path, "/%s/", token);
        (void)snprintf(r.path, sizeof r.path, "%.*s", length, path);
        assert_false(sn_request_take_token(&r, token));
    }
    (void)snprintf(r.path, sizeof r.path, "/%s/", token);
    assert_true(sn_request_take_token(&r, token));
    assert_string_equal(r.path, "/");
    assert_false(sn_request_take_token(&r, token));
    (void)snprintf(r.path, sizeof r.path, "/%s/scene.bin", token);
    assert_true(sn_request_take_token(&r, token));
    assert_string_equal(r.path, "/scene.bin");
}

static void test_strangers(void **state)
{
    (void)state;
    static const char *const host[] = {
        "evil.example",        "127.0.0.1",      "127.0.0.1:80", "127.0.0.1:8137.evil.example",
        "localhost:8137.evil", "127.0.0.2:8137", "[::1]:8137",   "",
        "a@127.0.0.1:8137",    "127.0.0.1:08137"};
    static const char *const origin[] = {"http://evil.example",
                                         "https://127.0.0.1:8137",
                                         "null",
                                         "http://127.0.0.1:81370",
                                         "http://localhost",
                                         "http://127.0.0.1:8137.evil.example",
                                         "file://"};
    snRequest r = {0};
    for (size_t i = 0; i < sizeof host / sizeof *host; ++i) {
        strcpy(r.host, host[i]);
        assert_false(sn_request_host_fits(&r, 8137));
    }
    for (size_t i = 0; i < sizeof origin / sizeof *origin; ++i) {
        strcpy(r.origin, origin[i]);
        assert_false(sn_request_origin_fits(&r, 8137));
    }
    r.origin[0] = '\0';
    assert_true(sn_request_origin_fits(&r, 8137));
}

static void test_bad_requests(void **state)
{
    (void)state;
    snRequest r;
    assert_int_equal(parse("GET\r\n\r\n", &r), -400);
    assert_int_equal(parse("GET nowhere HTTP/1.1\r\n\r\n", &r), -400);
    assert_int_equal(parse("VERYLONGMETHOD / HTTP/1.1\r\n\r\n", &r), -400);
    assert_int_equal(parse("GET / HTTP/2.0\r\n\r\n", &r), -505);
    assert_int_equal(parse("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", &r), -400);
    assert_int_equal(parse("GET / HTTP/1.1\r\n folded: x\r\n\r\n", &r), -400);
    assert_int_equal(parse("GET / HTTP/1.1\r\nHost : a\r\n\r\n", &r), -400);
    assert_int_equal(parse("GET / HTTP/1.1\r\nno colon\r\n\r\n", &r), -400);
    assert_int_equal(sn_request_parse("GET /\0x HTTP/1.1\r\n\r\n", 21, &r), -400);
    char path[400] = "GET /";
    memset(path + 5, 'a', 300);
    strcpy(path + 305, " HTTP/1.1\r\n\r\n");
    assert_int_equal(parse(path, &r), -414);
    assert_true(parse("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", &r) > 0);
    assert_true(r.body);
    static char endless[2 * SN_HTTP_LIMIT];
    memset(endless, 'x', sizeof endless);
    assert_int_equal(sn_request_parse(endless, SN_HTTP_LIMIT - 1, &r), 0);
    assert_int_equal(sn_request_parse(endless, SN_HTTP_LIMIT, &r), -431);
}

static void test_handshake(void **state)
{
    (void)state;
    char accept[SN_WS_ACCEPT_SIZE];
    snRequest r;
    assert_true(
        parse("GET /live HTTP/1.1\r\nHost: localhost:1\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"
              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
              &r) > 0);
    assert_true(r.upgrade);
    sn_ws_accept(r.key, accept);
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="); /* the example of RFC 6455 */
    assert_true(parse("GET /live HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
                      "Sec-WebSocket-Key: x\r\n\r\n",
                      &r) > 0);
    assert_false(r.upgrade);
}

static void test_frames(void **state)
{
    (void)state;
    snWsFrame f;
    /* "Hello", masked: the example of RFC 6455 */
    const unsigned char hello[] = {0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58};
    assert_int_equal(sn_ws_parse(hello, sizeof hello, &f), (int)sizeof hello);
    assert_int_equal(f.kind, SN_WS_TEXT);
    assert_int_equal(f.size, 5);
    assert_memory_equal(f.payload, "Hello", 5);
    for (size_t n = 0; n < sizeof hello; ++n) assert_int_equal(sn_ws_parse(hello, n, &f), 0);
    const unsigned char unmasked[] = {0x81, 0x05, 'H', 'e', 'l', 'l', 'o'};
    assert_int_equal(sn_ws_parse(unmasked, sizeof unmasked, &f), -1002);
    const unsigned char piece[] = {0x01, 0x81, 0, 0, 0, 0, 'x'};
    assert_int_equal(sn_ws_parse(piece, sizeof piece, &f), -1002);
    const unsigned char unknown[] = {0x83, 0x80, 0, 0, 0, 0};
    assert_int_equal(sn_ws_parse(unknown, sizeof unknown, &f), -1002);
    const unsigned char reserved[] = {0xc2, 0x80, 0, 0, 0, 0};
    assert_int_equal(sn_ws_parse(reserved, sizeof reserved, &f), -1002);
    /* two bytes are enough to see that a message is too long */
    const unsigned char longer[] = {0x82, 0xfe};
    assert_int_equal(sn_ws_parse(longer, sizeof longer, &f), -1009);
    const unsigned char longest[] = {0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    assert_int_equal(sn_ws_parse(longest, sizeof longest, &f), -1009);
    unsigned char header[10];
    assert_int_equal(sn_ws_header(SN_WS_BINARY, 125, header), 2);
    assert_int_equal(sn_ws_header(SN_WS_BINARY, 126, header), 4);
    assert_int_equal(header[2] << 8 | header[3], 126);
    assert_int_equal(sn_ws_header(SN_WS_BINARY, 70000, header), 10);
    assert_int_equal(header[7] << 16 | header[8] << 8 | header[9], 70000);
}

/* ---- the live simulation ------------------------------------------------------------------ */

static void nobody(void *user)
{
    (void)user;
}

typedef struct Case {
    snSpec *spec;
    snModel *model;
    snLive *live;
    unsigned char *bytes;
    uint32_t sequence;
} Case;

static void setup(Case *c, const char *scene)
{
    snError error = {0};
    static const double both[] = {0.5, 0.25}, one = 1;
    snFunctionDef function = sn_default_function_def();
    c->spec = sn_scene(scene);
    if (strcmp(scene, "finger") == 0) {
        function.name = "flex", function.muscles = "FDP2 FDS2", function.nlevel = 2, function.level = both;
        assert_int_equal(sn_add_function(c->spec, &function, NULL), SN_OK);
        function.name = "hook", function.muscles = "FDP2", function.nlevel = 1, function.level = &one;
        assert_int_equal(sn_add_function(c->spec, &function, NULL), SN_OK);
    }
    assert_int_equal(sn_compile(c->spec, &c->model, &error), SN_OK);
    assert_int_equal(sn_live_create(c->spec, c->model, NULL, 1, nobody, NULL, &c->live, &error), SN_OK);
    c->bytes = malloc(sn_live_size(c->live));
    c->sequence = 0;
    sn_live_watch(c->live, true);
}

static void teardown(Case *c)
{
    sn_live_destroy(c->live);
    sn_model_destroy(c->model);
    sn_spec_destroy(c->spec);
    free(c->bytes);
}

static void take(Case *c)
{
    struct timespec pause = {0, 2000000};
    while (!sn_live_snapshot(c->live, &c->sequence, c->bytes)) nanosleep(&pause, NULL);
}

static uint32_t flags_of(const Case *c)
{
    uint32_t flags;
    memcpy(&flags, c->bytes + 4, 4);
    return flags;
}

static double time_of(const Case *c)
{
    double time;
    memcpy(&time, c->bytes + 16, 8);
    return time;
}

/* Floats of the snapshot: index counted from the end of the header. */
static double float_of(const Case *c, int64_t index)
{
    float f;
    memcpy(&f, c->bytes + 24 + 4 * index, 4);
    return (double)f;
}

static int64_t activation_at(const Case *c)
{
    return 7 * (int64_t)sn_count(c->model, SN_ITEM_BODY) + 3 * (int64_t)sn_count(c->model, SN_ITEM_POINT);
}

static int64_t coordinate_at(const Case *c)
{
    return activation_at(c) + sn_count(c->model, SN_ITEM_MUSCLE) + 2 * (int64_t)sn_count(c->model, SN_ITEM_STRAND);
}

static bool say(Case *c, uint32_t op, int64_t index, int count, const float *number)
{
    unsigned char m[4 * (2 + SN_LIVE_MAX_ARGUMENT)];
    uint32_t i = (uint32_t)index;
    size_t n = 4;
    memcpy(m, &op, 4);
    if (index >= 0) memcpy(m + n, &i, 4), n += 4;
    if (count) memcpy(m + n, number, 4 * (size_t)count);
    return sn_live_message(c->live, m, n + 4 * (size_t)count);
}

static void test_messages_that_are_none(void **state)
{
    (void)state;
    Case c;
    setup(&c, "finger");
    const float half = 0.5f, none = NAN;
    unsigned char noise[125];
    unsigned random = 12345;
    for (int k = 0; k < 20000; ++k) {
        size_t size = (size_t)(k % 126);
        for (size_t i = 0; i < size; ++i) noise[i] = (unsigned char)((random = random * 1664525u + 1013904223u) >> 24);
        if (size > 3 && k % 2) noise[1] = noise[2] = noise[3] = 0, noise[0] = (unsigned char)(noise[0] % 12);
        (void)sn_live_message(c.live, noise, size);
    }
    assert_false(sn_live_message(c.live, noise, 0));
    assert_false(say(&c, 0, -1, 0, NULL));
    assert_false(say(&c, SN_LIVE_LAST + 1, -1, 0, NULL));
    assert_false(say(&c, SN_LIVE_DRIVE, sn_count(c.model, SN_ITEM_MUSCLE), 1, &half));
    assert_false(say(&c, SN_LIVE_DRIVE, 0, 0, NULL));
    assert_false(say(&c, SN_LIVE_AIM, sn_count(c.model, SN_ITEM_COORDINATE), 1, &half));
    assert_true(say(&c, SN_LIVE_RESET, -1, 0, NULL));
    assert_true(say(&c, SN_LIVE_PAUSE, 0, 0, NULL));
    assert_true(say(&c, SN_LIVE_FOLLOW, 0, 0, NULL));
    assert_true(say(&c, SN_LIVE_DRIVE, 0, 1, &none)); /* not a number counts as zero */
    for (int k = 0; k < 6; ++k) take(&c);
    assert_false(flags_of(&c) & SN_LIVE_DIVERGED);
    assert_near(float_of(&c, activation_at(&c)), 0, 0);
    teardown(&c);
}

/* Functions add up, a muscle's slider is for the whole of it, and the controller hands over what it has. */
static void test_functions_mix(void **state)
{
    (void)state;
    Case c;
    setup(&c, "finger");
    int64_t fdp = activation_at(&c) + sn_find(c.model, SN_ITEM_MUSCLE, "FDP2");
    int64_t fds = activation_at(&c) + sn_find(c.model, SN_ITEM_MUSCLE, "FDS2");
    int64_t levels = (int64_t)(sn_live_size(c.live) - 24) / 4 - 2;
    const float half = 0.5f, one = 1, low = 0.1f, seven = 0.7f;
    assert_false(say(&c, SN_LIVE_FUNCTION, 2, 1, &half));
    assert_true(say(&c, SN_LIVE_PAUSE, 1, 0, NULL));
    assert_true(say(&c, SN_LIVE_FUNCTION, 0, 1, &one));
    assert_true(say(&c, SN_LIVE_FUNCTION, 1, 1, &half));
    while (take(&c), float_of(&c, levels + 1) < 0.4) continue;
    assert_near(float_of(&c, fdp), 1, 1e-6);
    assert_near(float_of(&c, fds), 0.25, 1e-6);
    assert_near(float_of(&c, levels), 1, 1e-6);
    assert_true(say(&c, SN_LIVE_DRIVE, fds - activation_at(&c), 1, &seven));
    while (take(&c), float_of(&c, fds) < 0.6) continue;
    assert_near(float_of(&c, fds), 0.7, 1e-6);
    assert_true(say(&c, SN_LIVE_DRIVE, fds - activation_at(&c), 1, &low)); /* less than the function gives */
    while (take(&c), float_of(&c, fds) > 0.6) continue;
    assert_near(float_of(&c, fds), 0.25, 1e-6);
    assert_true(say(&c, SN_LIVE_RELAX, -1, 0, NULL));
    while (take(&c), float_of(&c, fdp) > 0) continue;
    assert_near(float_of(&c, levels), 0, 0);
    teardown(&c);
}

static void test_drive_pause_reset(void **state)
{
    (void)state;
    Case c;
    setup(&c, "finger");
    const float level = 0.75f, beyond = 7;
    assert_true(say(&c, SN_LIVE_DRIVE, 1, 1, &level));
    while (take(&c), time_of(&c) < 0.1) continue;
    assert_near(float_of(&c, activation_at(&c) + 1), 0.75, 1e-6);
    assert_true(say(&c, SN_LIVE_DRIVE, 1, 1, &beyond));
    assert_true(say(&c, SN_LIVE_PAUSE, 1, 0, NULL));
    while (take(&c), !(flags_of(&c) & SN_LIVE_PAUSED)) continue;
    assert_near(float_of(&c, activation_at(&c) + 1), 1, 0);
    double stopped = time_of(&c);
    take(&c);
    assert_near(time_of(&c), stopped, 0);
    assert_true(say(&c, SN_LIVE_RESET, -1, 0, NULL));
    while (take(&c), time_of(&c) != 0) continue;
    assert_near(float_of(&c, activation_at(&c) + 1), 0, 0);
    teardown(&c);
}

/* The controller brings a joint to where its slider is put. */
static void test_follow(void **state)
{
    (void)state;
    Case c;
    setup(&c, "finger");
    take(&c);
    assert_true(flags_of(&c) & SN_LIVE_CAN_FOLLOW);
    /* flexion of the knuckle: the end joint alone has no muscle of its own */
    double before = float_of(&c, coordinate_at(&c)), middle = before + 0.4;
    const float goal = (float)middle;
    assert_true(say(&c, SN_LIVE_FOLLOW, 1, 0, NULL));
    assert_true(say(&c, SN_LIVE_AIM, 0, 1, &goal));
    double got = before;
    for (int k = 0; k < 600 && fabs(got - middle) > 0.5 * fabs(before - middle); ++k) {
        take(&c);
        got = float_of(&c, coordinate_at(&c));
    }
    assert_at_most(fabs(got - middle), 0.5 * fabs(before - middle));
    assert_false(flags_of(&c) & SN_LIVE_DIVERGED);
    teardown(&c);
}

/* Dragging the tip moves the target's tip towards the pointer. */
static void test_drag(void **state)
{
    (void)state;
    Case c;
    setup(&c, "finger");
    take(&c);
    int32_t body = sn_count(c.model, SN_ITEM_BODY) - 1, nb = body + 1;
    int64_t pose = coordinate_at(&c) + 2 * (int64_t)sn_count(c.model, SN_ITEM_COORDINATE) + 7 * body;
    assert_int_equal(sn_live_size(c.live), 24 + 4 * (size_t)(pose + 7 * (nb - body) + 2)); /* two functions */
    double start[3], distance = 0, first = 0;
    for (int i = 0; i < 3; ++i) start[i] = float_of(&c, pose + i);
    float m[6] = {0, 0, 0, (float)start[0], (float)start[1], (float)start[2]};
    m[5] -= 0.012f; /* towards the palm */
    for (int i = 0; i < 3; ++i) first += (m[3 + i] - start[i]) * (m[3 + i] - start[i]);
    assert_true(say(&c, SN_LIVE_FOLLOW, 1, 0, NULL));
    assert_true(say(&c, SN_LIVE_DRAG, body, 6, m));
    for (int k = 0; k < 120; ++k) {
        take(&c);
        distance = 0;
        for (int i = 0; i < 3; ++i) distance += pow(float_of(&c, pose + i) - (double)m[3 + i], 2);
        if (distance < 0.5 * first) break;
    }
    assert_at_most(distance, 0.5 * first);
    teardown(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_request), cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_bad_requests),  cmocka_unit_test(test_handshake),
        cmocka_unit_test(test_frames),        cmocka_unit_test(test_messages_that_are_none),
        cmocka_unit_test(test_functions_mix), cmocka_unit_test(test_drive_pause_reset),
        cmocka_unit_test(test_follow),        cmocka_unit_test(test_drag),
        cmocka_unit_test(test_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
