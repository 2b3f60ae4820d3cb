/* The thread behind the studio's Strands mode: it starts, is tuned, pauses, begins anew, keeps, gives up, and takes no
 * nonsense. Waiting is for states, never for times. */
#define _GNU_SOURCE /* memmem */
#include "check.h"

#include "author/muscle_shapes.h"
#include "studio/server/filling.h"
#include "watched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static snSpec *make_model(void)
{
    static Shape shape;
    shape_make(&shape, SPINDLE);
    snSpec *spec = sn_spec_create();
    snNodeDef node = sn_default_node_def();
    node.name = "muscle", node.kind = SN_NODE_MESH;
    node.nvertex = shape.tri.nvertex, node.vertex = shape.tri.vertex;
    node.ntriangle = shape.tri.ntriangle, node.triangle = shape.tri.triangle;
    sn_add_node(spec, &node, NULL);
    snStrandDef strand = sn_default_strand_def();
    strand.name = "line", strand.npoint = SHAPE_POSITIONS, strand.point = shape.position[0];
    sn_add_strand(spec, &strand, NULL);
    shape_free(&shape);
    return spec;
}

typedef struct Case {
    snSpec *spec;
    snFilling *filling;
    unsigned char *bytes;
    uint32_t sequence;
} Case;

static void nobody(void *user)
{
    (void)user;
}

static void begin(Case *c)
{
    *c = (Case){.spec = make_model()};
    assert_int_equal(sn_filling_create(c->spec, nobody, NULL, &c->filling), SN_OK);
}

static void end(Case *c)
{
    sn_filling_destroy(c->filling);
    sn_spec_destroy(c->spec);
    free(c->bytes);
}

static uint32_t word(const Case *c, int index)
{
    uint32_t w;
    memcpy(&w, c->bytes + 4 * index, 4);
    return w;
}

/* The next snapshot that is in a state. */
static void await(Case *c, snFillState state)
{
    struct timespec pause = {0, 1000000};
    size_t size;
    do {
        unsigned char *newer = sn_filling_snapshot(c->filling, &c->sequence, &size);
        if (newer) free(c->bytes), c->bytes = newer;
        if (!newer) nanosleep(&pause, NULL);
    } while (!c->bytes || word(c, 1) != (uint32_t)state);
    assert_int_equal(word(c, 0), 0x54534e53u);
}

static void forget(Case *c)
{
    free(c->bytes);
    c->bytes = NULL;
}

static bool say(Case *c, int count, const uint32_t *words)
{
    return sn_filling_message(c->filling, (const unsigned char *)words, 4 * (size_t)count);
}

static uint32_t bits(float f)
{
    uint32_t b;
    memcpy(&b, &f, 4);
    return b;
}

static bool start(Case *c, uint32_t count)
{
    return say(c, 7, (const uint32_t[]){SN_FILL_START, 0, count, 8, bits(10), bits(1), 0});
}

static void it_relaxes_and_is_kept(void **state)
{
    (void)state;
    Case c;
    size_t size = 0;
    begin(&c);
    await(&c, SN_FILLING_IDLE);
    assert_null(sn_filling_result(c.filling, false, &size));
    assert_true(start(&c, 6));
    await(&c, SN_FILLING_AT_REST);
    assert_int_equal(word(&c, 4), 6);
    uint32_t step = word(&c, 2);
    assert_true(say(&c, 4, (const uint32_t[]){SN_FILL_TUNE, 8, bits(200), bits(1)})); /* moves again */
    while (await(&c, SN_FILLING_AT_REST), word(&c, 2) <= step) forget(&c);
    assert_true(start(&c, 10)); /* another number begins anew */
    while (await(&c, SN_FILLING_MOVING), word(&c, 4) != 10) forget(&c);
    assert_true(say(&c, 2, (const uint32_t[]){SN_FILL_PAUSE, 1}));
    await(&c, SN_FILLING_PAUSED);
    assert_true(say(&c, 1, (const uint32_t[]){SN_FILL_KEEP})); /* as they are */
    await(&c, SN_FILLING_DONE);
    assert_non_null(memmem(c.bytes + 28, word(&c, 6), "10 strands after", 16));
    char *muscle = sn_filling_result(c.filling, false, &size);
    assert_non_null(muscle);
    assert_non_null(memmem(muscle, size, "line_filled_10", 14));
    char *scene = sn_filling_result(c.filling, true, &size);
    assert_non_null(scene);
    assert_non_null(memmem(scene, size, "<Curve name=\"line_filled_1\"", 27));
    free(muscle);
    free(scene);
    end(&c);
}

/* What passes through the disk does so in a folder that appears in TMPDIR and is gone again. */
static void its_folder_is_removed(void **state)
{
    (void)state;
    Case c;
    Watched w;
    watch_begin(&w);
    begin(&c);
    assert_true(start(&c, 4));
    await(&c, SN_FILLING_MOVING);
    assert_true(say(&c, 1, (const uint32_t[]){SN_FILL_KEEP}));
    await(&c, SN_FILLING_DONE);
    end(&c);
    assert_int_equal(watch_end(&w), 1);
}

static void it_gives_up_and_takes_no_nonsense(void **state)
{
    (void)state;
    Case c;
    unsigned char noise[125];
    unsigned random = 99;
    begin(&c);
    assert_false(say(&c, 6, (const uint32_t[]){SN_FILL_START, 0, 6, 8, bits(10), bits(1)})); /* no input */
    assert_false(say(&c, 7, (const uint32_t[]){SN_FILL_START, 7, 6, 8, bits(10), bits(1), 0}));
    assert_false(say(&c, 7, (const uint32_t[]){SN_FILL_START, 0, 6, 8, bits(10), bits(1), 3}));
    assert_false(start(&c, 0));
    assert_false(start(&c, 100000));
    assert_false(say(&c, 1, (const uint32_t[]){9}));
    assert_true(start(&c, 8));
    await(&c, SN_FILLING_MOVING);
    assert_true(say(&c, 1, (const uint32_t[]){SN_FILL_STOP}));
    await(&c, SN_FILLING_IDLE);
    assert_true(say(&c, 7, (const uint32_t[]){SN_FILL_START, 0, 6, 8, bits(-5), bits(1), 0})); /* out of range */
    await(&c, SN_FILLING_FAILED);
    assert_true(word(&c, 6) > 10);
    for (int k = 0; k < 3000; ++k) {
        size_t size = (size_t)(k % 126);
        for (size_t i = 0; i < size; ++i) noise[i] = (unsigned char)((random = random * 1664525u + 1013904223u) >> 24);
        if (size > 3 && k % 2) noise[1] = noise[2] = noise[3] = 0, noise[0] = (unsigned char)(2 + noise[0] % 4);
        (void)sn_filling_message(c.filling, noise, size);
    }
    assert_true(start(&c, 4)); /* and it works all the same */
    await(&c, SN_FILLING_AT_REST);
    end(&c); /* in the middle of it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_relaxes_and_is_kept),
        cmocka_unit_test(its_folder_is_removed),
        cmocka_unit_test(it_gives_up_and_takes_no_nonsense),
    };
    return cmocka_run_group_tests_name("studio.filling", tests, NULL, NULL);
}
