/* A scene compiled and ready to step, for the tests of the simulator. */
#ifndef SN_TESTS_SIM_RIG_H
#define SN_TESTS_SIM_RIG_H

#include "check.h"

#include "base/alloc.h"
#include "build.h"
#include "scenes.h"
#include "sim/plant.h"
#include "sim/state.h"
#include "sinew/sim.h"

#include <stdlib.h>
#include <string.h>

typedef struct Rig {
    snSpec *spec;
    snModel *m;
    snState *s;
} Rig;

static inline Rig rig_of(snSpec *spec, snSimDef def)
{
    Rig r = {.spec = spec};
    snError error = {0};
    assert_non_null(spec);
    if (sn_compile(spec, &r.m, &error) != SN_OK) fail_msg("%s", error.message);
    if (sn_state_create(r.m, &def, &r.s, &error) != SN_OK) fail_msg("%s", error.message);
    return r;
}

static inline Rig rig_scene(const char *name, double h)
{
    snSimDef def = sn_default_sim_def();
    def.step = h;
    return rig_of(sn_scene(name), def);
}

static inline void rig_drop(Rig *r)
{
    sn_state_destroy(r->s);
    sn_model_destroy(r->m);
    sn_spec_destroy(r->spec);
}

static inline void rig_run(Rig *r, double seconds)
{
    int64_t n = (int64_t)(seconds / r->s->h + 0.5);
    for (int64_t i = 0; i < n; ++i) assert_int_equal(sn_step(r->m, r->s), SN_OK);
}

/* What was saved goes on as if nothing had been in between, bit for bit. */
static inline void rig_goes_on_after_loading(Rig *r, int32_t strand)
{
    size_t size = sn_state_save(r->m, r->s, NULL);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    sn_state_save(r->m, r->s, bytes);
    rig_run(r, 0.1);
    uint64_t hash = sn_state_hash(r->s);
    double tension = r->s->out_tension[strand];
    assert_int_equal(sn_state_load(r->m, r->s, bytes, size), SN_OK);
    rig_run(r, 0.1);
    assert_true(sn_state_hash(r->s) == hash);
    assert_near(r->s->out_tension[strand], tension, 0);
    free(bytes);
}

/* The model is refused with these words about this element. The spec goes with it. */
static inline void assert_refused(snSpec *spec, const char *words, const char *element)
{
    snModel *m = NULL;
    snError error = {0};
    assert_int_equal(sn_compile(spec, &m, &error), SN_BAD_INPUT);
    if (!strstr(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    if (!strstr(error.element, element)) fail_msg("\"%s\" is not \"%s\"", error.element, element);
    sn_spec_destroy(spec);
}

/* Compiles a model and makes a state with every allocation failing in turn: nothing is left behind. */
static inline void assert_failures_clean(const snSpec *spec, int64_t most)
{
    int64_t live = sn_alloc_live();
    bool done = false;
    for (int64_t n = 0; !done; ++n) {
        snModel *m = NULL;
        snState *s = NULL;
        snError error = {0};
        sn_alloc_fail_after(n);
        snStatus status = sn_compile(spec, &m, &error);
        if (status == SN_OK) status = sn_state_create(m, NULL, &s, &error);
        sn_alloc_fail_after(-1);
        done = status == SN_OK;
        if (!done) {
            assert_int_equal(status, SN_NO_MEMORY);
            assert_int_equal(error.status, SN_NO_MEMORY);
            assert_null(s);
        }
        sn_state_destroy(s);
        sn_model_destroy(m);
        assert_int_equal(sn_alloc_live(), live);
        assert_true(n < most);
        assert_true(!done || n > 20);
    }
}

/* ---- what a controller is told ------------------------------------------------------------------ */

typedef struct Asked {
    snResponse *response;
    int32_t muscles;
    double row[2][6 * 8]; /* of both bones */
    bool done;
} Asked;

static inline void rig_ask(void *context, const snModel *m, snState *s)
{
    static const double little = 1e-4; /* activation that does not make the controller's system change */
    Asked *a = context;
    (void)m;
    if (a->done) return;
    a->done = true;
    sn_response_find(a->response, 0, NULL);
    for (int b = 0; b < 2; ++b) sn_response_of_body(a->response, b + 1, 8, a->row[b]);
    for (int32_t k = 0; k < a->muscles; ++k) s->activation[k] += little * (k + 1);
}

/* Takes a step in which a controller changes the activations: how far the velocities of the bodies 1 and 2 are from
 * what it was told, relative to the largest. */
static inline double rig_response_error(Rig *r, int32_t muscles)
{
    Asked a = {.response = sn_response_create(r->m, r->s), .muscles = muscles};
    sn_plant_control(r->s, (snController){rig_ask, &a});
    assert_int_equal(sn_step(r->m, r->s), SN_OK);
    double worst = 0, size = 0;
    for (int e = 0; e < 12; ++e) {
        const double *row = a.row[e / 6] + 8 * (e % 6);
        double told = row[muscles], is = r->s->velocity[6 + e];
        for (int32_t k = 0; k < muscles; ++k) told += row[k] * r->s->activation[k];
        worst = fmax(worst, fabs(told - is)), size = fmax(size, fabs(is));
    }
    sn_response_destroy(a.response);
    return worst / size;
}

#endif
