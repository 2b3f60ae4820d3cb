/* The size of a def: right, missing, of an older and of a newer program. */
#include "base/def.h"
#include "check.h"
#include "sinew/spec.h"

#include <stddef.h>
#include <string.h>

typedef struct Older {
    size_t size;
    double value;
} Older;

typedef struct Known {
    size_t size;
    double value, since;
} Known;

typedef struct Newer {
    size_t size;
    double value, since, more;
} Newer;

/* As the library's functions do it: the def that the caller gave, over the defaults. */
static snStatus take(const void *given, Known *out, snError *error)
{
    Known taken = {.size = sizeof taken, .value = 1, .since = 7};
    const Known *def = given;
    if (SN_TAKE_DEF(def, Known, taken, error)) return SN_BAD_ARGUMENT;
    *out = *def;
    return SN_OK;
}

static void a_def_of_the_known_size_is_taken(void **state)
{
    (void)state;
    Known def = {.size = sizeof def, .value = 3, .since = 4}, out = {0};
    assert_int_equal(take(&def, &out, NULL), SN_OK);
    assert_true(out.value == 3 && out.since == 4 && out.size == sizeof out);
}

static void what_an_older_def_lacks_is_the_default(void **state)
{
    (void)state;
    Known out = {0};
    struct {
        Older def;
        double behind; /* not its own */
    } program = {.def = {.size = sizeof(Older), .value = 3}, .behind = 99};
    assert_int_equal(take(&program.def, &out, NULL), SN_OK);
    assert_true(out.value == 3 && out.since == 7 && out.size == sizeof out);
}

static void a_newer_def_is_taken_while_it_asks_for_nothing_new(void **state)
{
    (void)state;
    snError error = {0};
    Newer def = {.size = sizeof def, .value = 3};
    Known out = {0};
    assert_int_equal(take(&def, &out, &error), SN_OK);
    assert_true(out.value == 3 && out.size == sizeof out);
    def.more = 1;
    assert_int_equal(take(&def, &out, &error), SN_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "Known is 32, expected 24"));
}

static void other_sizes_are_refused(void **state)
{
    (void)state;
    static const size_t wrong[] = {0, 1, sizeof(size_t), sizeof(Known) - 1, (size_t)-1};
    Known out = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        snError error = {0};
        Known def = {.size = wrong[i]};
        assert_int_equal(take(&def, &out, &error), SN_BAD_ARGUMENT);
        assert_non_null(strstr(error.remedy, "default function"));
    }
    snError error = {0};
    assert_int_equal(take(NULL, &out, &error), SN_BAD_ARGUMENT);
    assert_string_equal(error.message, "the Known is NULL");
}

/* A program from before the last fields: defs of the library as they were then. */
static void an_old_program_goes_on_working(void **state)
{
    (void)state;
    enum { MODEL = offsetof(snModelDef, method) };
    union {
        snModelDef model;
        unsigned char bytes[1024];
    } room;
    snSpec *spec = sn_spec_create();
    memset(&room, 0xff, sizeof room);
    sn_default_def(SN_KIND_MODEL, &room, MODEL);
    for (size_t i = MODEL; i < sizeof room; ++i) assert_int_equal(room.bytes[i], 0xff); /* nothing behind its end */
    assert_int_equal(room.model.size, MODEL);
    room.model.type = SN_MODEL_TREE;
    assert_int_equal(sn_set_model(spec, &room.model), SN_OK);
    assert_int_equal(sn_spec_model(spec)->type, SN_MODEL_TREE);
    assert_int_equal(sn_spec_model(spec)->method, SN_METHOD_TORQUE);
    assert_int_equal(sn_spec_model(spec)->size, sizeof(snModelDef));
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_def_of_the_known_size_is_taken),
                                       cmocka_unit_test(what_an_older_def_lacks_is_the_default),
                                       cmocka_unit_test(an_old_program_goes_on_working),
                                       cmocka_unit_test(a_newer_def_is_taken_while_it_asks_for_nothing_new),
                                       cmocka_unit_test(other_sizes_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
