/* Every array of a state keeps the promise of its life (sim/state_table.h), shown on running simulations.
 *
 * A run is interrupted and goes on in another state. What the table does not save is filled with rubbish first: nothing
 * may come of it. What it saves is disturbed: the run, or what users see right after loading, must come out different.
 * So an array that the next step needs and that nobody marks as kept makes a test fail, and so does one that is kept
 * for no reason. */
#include "sim/measure.h"
#include "sim/rig.h"

#include "base/hash.h"
#include "sinew/control.h"

#include <stdlib.h>

enum { BEFORE = 25, BEHIND = 15, MAX_COORD = 64 };
static const char *const scene[] = {"finger", "pulley",         "crane", "spindle",
                                    "sheet",  "hand-synthetic", "tree",  "path-finger"};
enum { SCENES = sizeof scene / sizeof *scene };

/* A scene twice, the first state run to the interruption and saved, and what going on from there gives. */
typedef struct Case {
    Rig r, other;
    snFollower *follower, *other_follower;
    unsigned char *bytes;
    size_t size;
    uint64_t seen, end; /* what users see at the interruption, and where it ends */
} Case;

static void aim(const Rig *r, snFollower *t)
{
    double q[MAX_COORD] = {0}, *now = calloc(7 * (size_t)r->m->nbody, 8), *next = calloc(7 * (size_t)r->m->nbody, 8);
    assert_true(r->m->ncoord <= MAX_COORD);
    for (int32_t c = 0; c < r->m->ncoord; ++c) q[c] = 0.1 * sin(20 * r->s->time + c);
    assert_int_equal(sn_body_poses(r->m, q, now), SN_OK);
    for (int32_t c = 0; c < r->m->ncoord; ++c) q[c] = 0.1 * sin(20 * (r->s->time + r->s->h) + c);
    assert_int_equal(sn_body_poses(r->m, q, next), SN_OK);
    for (int32_t i = 0; i < sn_follower_targets(t); ++i) {
        int32_t b = sn_follower_target_body(t, i);
        sn_follower_aim(t, i, now + 7 * b, next + 7 * b);
    }
    free(now);
    free(next);
}

/* Steps; false when one fails, as it may with disturbed arrays. */
static bool run(Rig *r, snFollower *t, int count)
{
    for (int i = 0; i < count; ++i) {
        if (t)
            aim(r, t);
        else
            for (int32_t k = 0; k < r->m->nmuscle; ++k)
                r->s->activation[k] = 0.05 + 0.02 * (double)((k + r->s->info.steps) % 5);
        if (sn_step(r->m, r->s) != SN_OK) return false;
    }
    return true;
}

static uint64_t hash_of_fields(const Rig *r)
{
    uint64_t h = sn_hash_bytes(0, &r->s->info.worst_gap, sizeof(double));
    for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i)
        if (sn_state_array[i].field) h = sn_hash_bytes(h, sn_state_data(r->s, i), sn_state_data_bytes(r->s, i));
    return h;
}

/* All that is visible, positions and velocities included. */
static uint64_t hash_of_all(const Rig *r)
{
    uint64_t h[2] = {hash_of_fields(r), sn_state_hash(r->s)};
    return sn_hash_bytes(0, h, sizeof h);
}

static snFollower *follower_of(const Rig *r)
{
    snFollower *t = NULL;
    bool tracks = strcmp(r->m->body_name[0], "metacarpal") == 0 || r->m->nmuscle > 20;
    if (tracks) assert_int_equal(sn_follower_create(r->m, r->s, NULL, &t, NULL), SN_OK);
    return t;
}

/* Two links on a tree with a muscle on either side. */
static Rig tree_rig(double h)
{
    const double turn[4] = {1, 0, 0, 0}, half[3] = {0.02, 0.15, 0.02};
    snBuild b = sn_build_begin();
    snModelDef model = *sn_spec_model(b.spec);
    snSimDef sim = sn_default_sim_def();
    model.type = SN_MODEL_TREE, sim.step = h;
    assert_int_equal(sn_set_model(b.spec, &model), SN_OK);
    sn_build_body(&b, "upper", (double[3]){0, 0.35, 0}, turn, half, 2);
    sn_build_body(&b, "lower", (double[3]){0, 0.05, 0}, turn, half, 1);
    for (int i = 0; i < 2; ++i) {
        snCoordinateDef d = sn_default_coordinate_def();
        d.name = i ? "elbow.flexion" : "shoulder.flexion", d.parent = i ? "upper" : "world",
        d.body = i ? "lower" : "upper";
        d.axis[2] = 1, d.center[1] = i ? 0.2 : 0.5, d.damping = 0.1;
        assert_int_equal(sn_add_coordinate(b.spec, &d, NULL), SN_OK);
    }
    for (int i = 0; i < 2; ++i) {
        const double x = i ? -0.03 : 0.03, point[9] = {x, 0.6, 0, x, 0.3, 0, x, 0.1, 0};
        snLineMuscleDef d = sn_default_line_muscle_def();
        d.name = i ? "back" : "front", d.bodies = "world upper lower", d.npoint = 3, d.point = point;
        d.max_force = 100, d.fiber_length = 0.1;
        assert_int_equal(sn_add_line_muscle(b.spec, &d, NULL), SN_OK);
    }
    return rig_of(sn_build_end(&b), sim);
}

static Rig rig_named(const char *name)
{
    snSimDef def = sn_default_sim_def();
    def.step = 0.004;
    if (strcmp(name, "tree") == 0) return tree_rig(0.004);
    return strcmp(name, "path-finger") == 0 ? rig_of(sn_scene_path_finger(1e8), def) : rig_scene(name, 0.004);
}

static Case begin(const char *name)
{
    Case c = {.r = rig_named(name), .other = rig_named(name)};
    c.follower = follower_of(&c.r);
    c.other_follower = follower_of(&c.other);
    for (int32_t b = 0; b < c.r.m->nbody; ++b) c.r.s->force[3 * b] = 0.01, c.r.s->torque[3 * b + 1] = 1e-4;
    assert_true(run(&c.r, c.follower, BEFORE));
    c.size = sn_state_save(c.r.m, c.r.s, NULL);
    c.bytes = malloc(c.size);
    sn_state_save(c.r.m, c.r.s, c.bytes);
    c.seen = hash_of_fields(&c.r);
    assert_true(run(&c.r, c.follower, BEHIND));
    c.end = hash_of_all(&c.r);
    return c;
}

static void drop(Case *c)
{
    sn_follower_destroy(c->follower);
    sn_follower_destroy(c->other_follower);
    rig_drop(&c->r);
    rig_drop(&c->other);
    free(c->bytes);
}

static unsigned life_of(int32_t array)
{
    return sn_state_array[array].flags & SN_LIFE;
}

/* As doubles 0x46 is 3e30, which no comparison overlooks, and 0xFF is NaN, which nothing cancels. */
enum { HUGE_BYTE = 0x46, NAN_BYTE = 0xFF };

static void spoil(const Rig *r, int32_t array, int byte)
{
    size_t bytes = sn_state_data_bytes(r->s, array);
    if (bytes) memset(sn_state_data(r->s, array), byte, bytes);
}

/* Different numbers that can still be stepped: switches flipped, indices and hints zeroed, doubles off by a little. */
static void disturb(const Rig *r, int32_t array)
{
    void *data = sn_state_data(r->s, array);
    size_t bytes = sn_state_data_bytes(r->s, array);
    if (!bytes) return;
    if (sn_state_array[array].flags & SN_HINT) {
        memset(data, 0, bytes);
    } else if (sn_state_array[array].size == 1) {
        for (size_t i = 0; i < bytes; ++i) ((uint8_t *)data)[i] = !((uint8_t *)data)[i];
    } else {
        for (size_t i = 0; i < bytes / sizeof(double); ++i) ((double *)data)[i] += 1e-3 + 0.01 * ((double *)data)[i];
    }
}

static void load(Case *c)
{
    assert_int_equal(sn_state_load(c->other.m, c->other.s, c->bytes, c->size), SN_OK);
}

static void every_array_leads_one_life(void **state)
{
    (void)state;
    for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i) {
        unsigned life = life_of(i);
        if (life != SN_KEPT && life != SN_MEASURED && life != SN_WORK && life != SN_CONSTANT)
            fail_msg("%s leads %s life", sn_state_array[i].name, life ? "more than one" : "no");
        assert_true(strlen(sn_state_array[i].doc) > 0);
        assert_true(!sn_state_array[i].field || sn_state_array[i].size == sizeof(double));
    }
}

static void nothing_but_the_kept_is_missed(void **state)
{
    (void)state;
    heavy_case();
    for (int k = 0; k < SCENES; ++k) {
        Case c = begin(scene[k]);
        load(&c);
        if (!run(&c.other, c.other_follower, BEHIND) || hash_of_all(&c.other) != c.end)
            fail_msg("%s: the resumed run differs: an array that it needs is not marked SN_KEPT", scene[k]);
        for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i) {
            if (life_of(i) == SN_CONSTANT) continue;
            spoil(&c.other, i, HUGE_BYTE);
            load(&c);
            if (life_of(i) == SN_WORK) spoil(&c.other, i, NAN_BYTE);
            if (hash_of_fields(&c.other) != c.seen)
                fail_msg("%s: users see that %s is lost: mark it SN_KEPT", scene[k], sn_state_array[i].name);
            if (!run(&c.other, c.other_follower, BEHIND) || hash_of_all(&c.other) != c.end)
                fail_msg("%s: the resumed run differs when %s is lost: mark it SN_KEPT", scene[k],
                         sn_state_array[i].name);
        }
        drop(&c);
    }
}

static void all_that_is_kept_is_missed(void **state)
{
    (void)state;
    bool missed[SN_ARRAY_COUNT] = {false};
    for (int k = 0; k < SCENES; ++k) {
        Case c = begin(scene[k]);
        for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i) {
            if (life_of(i) != SN_KEPT || missed[i]) continue;
            load(&c);
            disturb(&c.other, i);
            sn_measure(c.other.m, c.other.s);
            missed[i] = hash_of_fields(&c.other) != c.seen || !run(&c.other, c.other_follower, BEHIND) ||
                        hash_of_all(&c.other) != c.end;
        }
        drop(&c);
    }
    for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i)
        if (life_of(i) == SN_KEPT && !missed[i] && !(sn_state_array[i].flags & SN_HINT))
            fail_msg("%s is kept, but nothing changes when it is disturbed", sn_state_array[i].name);
}

static void constants_stay(void **state)
{
    (void)state;
    for (int k = 0; k < SCENES; ++k) {
        Case c = begin(scene[k]); /* the first state has run, the second has not */
        for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i)
            if (life_of(i) == SN_CONSTANT)
                assert_memory_equal(sn_state_data(c.r.s, i), sn_state_data(c.other.s, i),
                                    sn_state_data_bytes(c.r.s, i));
        drop(&c);
    }
}

static void reset_goes_back_to_the_beginning(void **state)
{
    (void)state;
    for (int k = 0; k < SCENES; ++k) {
        Case c = begin(scene[k]);
        uint64_t first = hash_of_all(&c.other);
        for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i)
            if (life_of(i) != SN_CONSTANT) spoil(&c.r, i, HUGE_BYTE);
        assert_int_equal(sn_state_reset(c.r.m, c.r.s), SN_OK);
        assert_true(hash_of_all(&c.r) == first);
        assert_true(sn_time(c.r.s) == 0 && sn_info(c.r.s)->steps == 0);
        assert_true(run(&c.r, c.follower, BEHIND) && run(&c.other, c.other_follower, BEHIND));
        assert_true(hash_of_all(&c.r) == hash_of_all(&c.other));
        drop(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_array_leads_one_life),       cmocka_unit_test(nothing_but_the_kept_is_missed),
        cmocka_unit_test(all_that_is_kept_is_missed),       cmocka_unit_test(constants_stay),
        cmocka_unit_test(reset_goes_back_to_the_beginning),
    };
    return cmocka_run_group_tests_name("sim.state_table", tests, NULL, NULL);
}
