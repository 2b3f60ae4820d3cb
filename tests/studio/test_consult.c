/* The thread behind the clinical page: it answers the newest question, as the library does, and takes no nonsense. */
#define _GNU_SOURCE /* memmem */
#include "check.h"

#include "small_tree.h"
#include "studio/server/consult.h"
#include "studio/server/wire.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Case {
    snSpec *spec;
    snModel *model;
    snConsult *consult;
    uint32_t sequence;
    char *text;
} Case;

static void nobody(void *user)
{
    (void)user;
}

static int start(void **state)
{
    Case *c = calloc(1, sizeof *c);
    c->spec = small_tree();
    assert_non_null(c->spec);
    assert_int_equal(sn_compile(c->spec, &c->model, NULL), SN_OK);
    assert_int_equal(sn_consult_create(c->spec, c->model, nobody, NULL, &c->consult, NULL), SN_OK);
    *state = c;
    return 0;
}

static int end(void **state)
{
    Case *c = *state;
    sn_consult_destroy(c->consult);
    sn_model_destroy(c->model);
    sn_spec_destroy(c->spec);
    free(c->text);
    free(c);
    return 0;
}

static bool say(Case *c, uint32_t op, const uint32_t *whole, int nwhole, const double *number, int nnumber,
                const char *text)
{
    unsigned char bytes[256], *to = sn_wire_put(bytes, op);
    for (int i = 0; i < nwhole; ++i) to = sn_wire_put(to, whole[i]);
    to = sn_wire_put_floats(to, number, nnumber);
    memcpy(to, text, strlen(text));
    return sn_consult_message(c->consult, bytes, (size_t)(to - bytes) + strlen(text));
}

static bool pose(Case *c, uint32_t id, double q)
{
    return say(c, SN_CONSULT_POSE, &id, 1, &q, 1, "");
}

static bool change(Case *c, uint32_t kind, double value, const char *text)
{
    double number[4] = {value, 0, 0, 0};
    return say(c, SN_CONSULT_CHANGE, &kind, 1, number, 4, text);
}

static bool apply(Case *c, uint32_t id, uint32_t posture)
{
    uint32_t whole[2] = {id, posture};
    return say(c, SN_CONSULT_APPLY, whole, 2, NULL, 0, "");
}

/* Waits for an answer with both texts in it. */
static const char *wait_for(Case *c, const char *first, const char *second)
{
    for (int i = 0; i < 20000; ++i) {
        size_t size = 0;
        unsigned char *got = sn_consult_answer(c->consult, &c->sequence, &size);
        if (got) {
            free(c->text);
            c->text = calloc(size + 1, 1);
            memcpy(c->text, got, size);
            free(got);
            if (strstr(c->text, first) && strstr(c->text, second)) return c->text;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    fail_msg("no answer with %s and %s; the last: %.300s", first, second, c->text ? c->text : "none");
    return "";
}

/* The number behind a member, after a place in the text. */
static double number_after(const char *text, const char *place, const char *member)
{
    const char *at = strstr(text, place);
    assert_non_null(at);
    at = strstr(at, member);
    assert_non_null(at);
    return strtod(at + strlen(member), NULL);
}

static void test_answers_are_those_of_the_library(void **state)
{
    Case *c = *state;
    snPatient *p;
    snHeld held;
    double q = 0.3;
    assert_true(pose(c, 7, q));
    const char *text = wait_for(c, "\"id\":7,\"final\":true", "\"healthy\"");
    assert_null(strstr(text, "\"case\""));
    assert_int_equal(sn_patient_create(c->spec, c->model, NULL, &p, NULL), SN_OK);
    sn_patient_gravity(p, (double[3]){0, -9.81, 0});
    q = (float)q;
    assert_int_equal(sn_hold(p, &q, NULL, NULL, &held), SN_OK);
    assert_near(number_after(text, "\"healthy\"", "\"activation\":["), held.activation[0], 1e-4);
    assert_near(number_after(text, "\"healthy\"", "\"unmet\":"), 1e3 * held.unmet_torque, 1e-3);
    assert_true(held.activation[0] > 0.01);
    sn_patient_destroy(p);
}

static bool endure(Case *c, uint32_t id, uint32_t repeat, double work, double rest)
{
    uint32_t whole[2] = {id, repeat};
    double number[2] = {work, rest};
    return say(c, SN_CONSULT_ENDURE, whole, 2, number, 2, "");
}

static void test_over_time_is_told_on_request(void **state)
{
    Case *c = *state;
    assert_true(pose(c, 1, 0.3));
    assert_null(strstr(wait_for(c, "\"id\":1,\"final\":true", "\"healthy\""), "\"over\""));
    assert_true(endure(c, 2, 10, 3, 1));
    const char *text = wait_for(c, "\"id\":2,\"final\":true", "\"over\"");
    assert_near(number_after(text, "\"over\"", "\"repeat\":"), 10, 0);
    assert_near(number_after(text, "\"over\"", "\"time\":["), 0, 0);
    assert_non_null(strstr(text, "\"fatigued\":[0,"));
    assert_true(pose(c, 3, 0.2)); /* stays asked for */
    wait_for(c, "\"id\":3,\"final\":true", "\"over\"");
    assert_true(endure(c, 4, 0, 1, 0));
    assert_null(strstr(wait_for(c, "\"id\":4,\"final\":true", "\"healthy\""), "\"over\""));
    assert_false(endure(c, 5, 5000, 1, 0));
    assert_false(endure(c, 5, 10, 0, 0));
    assert_false(endure(c, 5, 10, 1, -1));
    assert_false(endure(c, 5, 1000, 500, 500));
}

static bool explore(Case *c, uint32_t id, uint32_t what, uint32_t count, double level, double strength, const char *to)
{
    uint32_t whole[4] = {id, what, count, 1};
    double number[2] = {level, strength};
    return say(c, SN_CONSULT_EXPLORE, whole, 4, number, 2, to);
}

/* The ranking is that of the library, from the case on, until it is no longer asked for. */
static void test_what_matters_most_is_told_on_request(void **state)
{
    Case *c = *state;
    double q = (float)0.3, zero = 0, still = 0;
    snTargets one = {.nframe = 1, .ncoordinate = 1, .time = &zero, .q = &q, .v = &still, .a = &still};
    snExploreDef def = sn_default_explore_def();
    snFindings found;
    assert_true(pose(c, 1, 0.3));
    assert_null(strstr(wait_for(c, "\"id\":1,\"final\":true", "\"healthy\""), "\"explore\""));
    assert_true(explore(c, 2, 1 + SN_EXPLORE_UNIT, 0, 0, 0, ""));
    const char *text = wait_for(c, "\"id\":2,\"final\":true", "\"explore\"");
    assert_int_equal(
        sn_explore(c->spec, c->model, NULL, &def, &one, (double[3]){0, -9.81, 0}, &found, (snProgress){0}, NULL),
        SN_OK);
    assert_true(found.count > 0 && found.finding[0].change > 0.1);
    assert_near(number_after(text, "\"explore\"", "\"base\":"), found.base, 1e-4);
    assert_near(number_after(text, "\"findings\"", "\"change\":"), found.finding[0].change, 1e-4);
    assert_non_null(strstr(strstr(text, "\"findings\""), found.finding[0].name));
    sn_findings_free(&found);
    /* Of a case that has lost it already, nothing more is lost. */
    assert_true(say(c, SN_CONSULT_BEGIN, NULL, 0, NULL, 0, ""));
    assert_true(change(c, SN_CHANGE_CUT, 0, "flexor"));
    assert_true(apply(c, 3, 0));
    text = wait_for(c, "\"id\":3,\"final\":true", "\"explore\"");
    assert_true(number_after(text, "\"explore\"", "\"base\":") > 0.1);
    assert_near(number_after(strstr(text, "\"findings\""), "\"name\":\"flexor\"", "\"change\":"), 0, 1e-4);
    /* What cannot be explored is told beside the rest of the answer. */
    assert_true(explore(c, 4, 1 + SN_EXPLORE_TRANSFER, 0, 0, 0, "nobody"));
    text = wait_for(c, "\"id\":4,\"final\":true", "\"findings\":[]");
    assert_null(strstr(text, "\"error\":\"\""));
    assert_true(explore(c, 5, 0, 0, 0, 0, ""));
    assert_null(strstr(wait_for(c, "\"id\":5,\"final\":true", "\"healthy\""), "\"explore\""));
    assert_false(explore(c, 6, 9, 0, 0, 0, ""));
    assert_false(explore(c, 6, 1 + SN_EXPLORE_TRANSFER, 0, 0, 0, ""));
    assert_false(explore(c, 6, 1 + SN_EXPLORE_TOP, 2000, 0, 0, ""));
    assert_false(explore(c, 6, 1 + SN_EXPLORE_THRESHOLD, 1, 2, 0, ""));
    assert_false(explore(c, 6, 1 + SN_EXPLORE_THRESHOLD, 1, 0, -1, ""));
}

static void test_case_loses_and_heals(void **state)
{
    Case *c = *state;
    assert_true(pose(c, 1, 0.2));
    assert_true(say(c, SN_CONSULT_BEGIN, NULL, 0, NULL, 0, ""));
    assert_true(change(c, SN_CHANGE_NERVE, 0, "one-nerve"));
    assert_true(apply(c, 2, 0));
    const char *text = wait_for(c, "\"id\":2,\"final\":true", "\"case\"");
    assert_near(number_after(text, "\"case\"", "\"activation\":["), 0, 0);
    assert_true(number_after(text, "\"case\"", "\"unmet\":") > 10);
    assert_non_null(strstr(text, "\"nearest\":"));
    assert_non_null(strstr(text, "\"compensators\":[]"));
    /* What cannot be is told, and the case stays. */
    assert_true(change(c, SN_CHANGE_CUT, 0, "flexr"));
    assert_true(apply(c, 3, 0));
    assert_non_null(strstr(wait_for(c, "\"id\":3", "\"error\""), "flexor"));
    assert_true(pose(c, 4, 0.1));
    wait_for(c, "\"id\":4,\"final\":true", "\"case\"");
    assert_true(say(c, SN_CONSULT_BEGIN, NULL, 0, NULL, 0, ""));
    assert_true(apply(c, 5, 1));
    text = wait_for(c, "\"id\":5,\"final\":true", "\"healthy\"");
    assert_null(strstr(text, "\"case\""));
}

static void test_nonsense_is_refused(void **state)
{
    Case *c = *state;
    unsigned char long_text[125] = {3, 0, 0, 0};
    assert_false(sn_consult_message(c->consult, NULL, 0));
    assert_false(say(c, 99, NULL, 0, NULL, 0, ""));
    assert_false(say(c, SN_CONSULT_POSE, NULL, 0, NULL, 0, ""));
    assert_false(apply(c, 1, 4));
    assert_false(change(c, 77, 0, "flexor"));
    assert_false(change(c, SN_CHANGE_CUT, 0, ""));
    assert_true(sn_consult_message(c->consult, long_text, sizeof long_text));
    for (int i = 0; i < SN_CONSULT_CHANGES - 1; ++i) assert_true(change(c, SN_CHANGE_CUT, 0, "flexor"));
    assert_false(change(c, SN_CHANGE_CUT, 0, "flexor"));
    assert_true(pose(c, 8, NAN));
    assert_near(number_after(wait_for(c, "\"id\":8", "\"healthy\""), "\"q\"", "\"q\":["), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_answers_are_those_of_the_library, start, end),
        cmocka_unit_test_setup_teardown(test_over_time_is_told_on_request, start, end),
        cmocka_unit_test_setup_teardown(test_what_matters_most_is_told_on_request, start, end),
        cmocka_unit_test_setup_teardown(test_case_loses_and_heals, start, end),
        cmocka_unit_test_setup_teardown(test_nonsense_is_refused, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
