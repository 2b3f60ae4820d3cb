/* Making, resetting and measuring states: all of it goes through the table of arrays.
 *
 * Invariants
 * 1. A half-built state can be destroyed: pointers are NULL until they are allocated.
 * 2. What a reset brings back is what a snapshot holds: the settled state is kept as one, so that no second list says
 *    what belongs to it. */
#include "sim/state.h"
#include "base/def.h"
#include "sim/measure.h"
#include "sim/paths.h"
#include "sim/retry.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "sim/own/state.h"

#include <stddef.h>
#include <string.h>

/* ---- the table at run time ------------------------------------------------------------------ */

const snStateArray sn_state_array[SN_ARRAY_COUNT] = {
#define X(type, name, rows, columns, flags, field, doc)                                                                \
    {#name, offsetof(snState, name), sizeof(type), columns, flags, field, doc},
    SN_STATE_TABLE(X)
#undef X
};

static void count_rows(const snModel *m, snState *s)
{
#define X(type, name, rows_, columns, flags, field, doc) s->rows[SN_ARRAY_##name] = rows_;
    SN_STATE_TABLE(X)
#undef X
}

void *sn_state_data(const snState *s, int32_t array)
{
    void *data; /* copied as bytes: the member is a pointer to some other type */
    memcpy(&data, (const char *)s + sn_state_array[array].offset, sizeof data);
    return data;
}

static void set_data(snState *s, int32_t array, void *data)
{
    memcpy((char *)s + sn_state_array[array].offset, &data, sizeof data);
}

size_t sn_state_data_bytes(const snState *s, int32_t array)
{
    return (size_t)s->rows[array] * (size_t)sn_state_array[array].columns * sn_state_array[array].size;
}

static bool allocate(const snModel *m, snState *s)
{
    count_rows(m, s);
    for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i) {
        if (sn_state_array[i].flags & SN_BORROWED) continue;
        void *data = sn_alloc(sn_state_data_bytes(s, i), 1);
        if (!data) return false;
        set_data(s, i, data);
    }
    if (s->tree) s->tree_q = s->tree->q, s->tree_v = s->tree->v;
    s->own_on = s->value->own_on;
    s->joint_on = s->value->joint_on;
    return true;
}

int64_t sn_state_bytes(const snState *s)
{
    if (!s) return 0;
    int64_t bytes = (int64_t)sizeof *s + sn_kkt_bytes(s->kkt) + 3 * (int64_t)s->settled_size;
    for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i)
        if (!(sn_state_array[i].flags & SN_BORROWED)) bytes += (int64_t)sn_state_data_bytes(s, i);
    return bytes;
}

void sn_state_destroy(snState *s)
{
    if (!s) return;
    for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i)
        if (!(sn_state_array[i].flags & SN_BORROWED)) sn_free(sn_state_data(s, i));
    sn_free(s->settled);
    sn_retry_end(s);
    sn_treesim_destroy(s->tree);
    sn_kkt_destroy(s->kkt);
    sn_pool_destroy(s->pool);
    sn_free(s);
}

uint64_t sn_state_hash(const snState *s)
{
    if (!s) return 0;
    uint64_t h = 0;
    for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i)
        if (sn_state_array[i].flags & SN_HASHED) h = sn_hash_bytes(h, sn_state_data(s, i), sn_state_data_bytes(s, i));
    return h;
}

/* ---- start ---------------------------------------------------------------------------------- */

/* At rest, nothing pulling, no contact taken for granted. */
static void begin(const snModel *m, snState *s)
{
    for (const snPart *const *part = sn_parts; *part; ++part)
        if ((*part)->start) (*part)->start(m, s);
    memset(s->activation, 0, sn_state_data_bytes(s, SN_ARRAY_activation));
    for (int32_t k = 0; k < m->nmuscle; ++k) s->strength[k] = 1;
    s->settle_damping = 1;
    s->time = 0;
    memset(&s->info, 0, sizeof s->info);
}

/* Keeps what settling found: paths of the strands, where their constraints are, and the reactions. */
static bool keep_settled(const snModel *m, snState *s)
{
    s->settled_size = sn_state_save(m, s, NULL);
    s->settled = sn_alloc(s->settled_size, 1);
    if (!s->settled) return false;
    sn_state_save(m, s, s->settled);
    return true;
}

snStatus sn_state_reset(const snModel *m, snState *s)
{
    if (!sn_fits(m, s)) return SN_BAD_ARGUMENT;
    memset(&s->info, 0, sizeof s->info);
    sn_state_restore(m, s, s->settled);
    return SN_OK;
}

static snStatus settle_and_check(const snModel *m, snState *s, snError *error)
{
    if (sn_settle(m, s, m->settle) != SN_OK) {
        sn_fail(error, SN_BAD_INPUT, "the rest pose cannot be settled: %s diverges", s->info.culprit);
        sn_error_remedy(error, "look for strands far from their constraints or drawn much longer than at rest");
        return SN_BAD_INPUT;
    }
    double depth;
    int32_t wrong = sn_wrong_side(m, s, &depth);
    if (wrong < 0) return SN_OK;
    sn_fail(error, SN_BAD_INPUT, "strand \"%s\" settles %.1f mm on the wrong side of its surface",
            m->strand_name[m->constraint[wrong].strand], 1e3 * depth);
    sn_error_element(error, "Constraint", m->constraint_name[wrong]);
    sn_error_remedy(error, "draw the strand on the side that the constraint names, or change its side");
    return SN_BAD_INPUT;
}

static bool make_system(const snModel *m, snState *s)
{
    s->pool = sn_pool_create(s->def.threads > 0 ? s->def.threads : sn_hardware_threads());
    snKktKind kind = s->def.solver == SN_SOLVER_PLAIN ? SN_KKT_PLAIN : SN_KKT_STRAND;
    if (s->pool) s->kkt = sn_kkt_create(&m->pattern, kind, s->pool);
    if (!s->kkt) return false;
    s->value = sn_kkt_values(s->kkt);
    s->size = sn_kkt_size(s->kkt);
    s->point0 = 6 * m->nfree;
    s->own0 = s->point0 + 3 * m->nspline_point;
    s->link0 = s->own0 + m->pattern.nown;
    s->joint0 = s->link0 + m->pattern.nlink;
    return true;
}

/* Time zero: the paths that settling found, with no memory of how they were found. */
static void leave_settling(const snModel *m, snState *s)
{
    memset(s->own_on, 0, (size_t)m->pattern.nown);
    memset(s->joint_on, 0, (size_t)m->pattern.njoint);
    s->piece = SN_STEP_PIECES;
    memset(s->eyelet_force, 0, sn_state_data_bytes(s, SN_ARRAY_eyelet_force));
    memset(&s->info, 0, sizeof s->info);
}

snStatus sn_state_create(const snModel *m, const snSimDef *def, snState **out, snError *error)
{
    if (!m || !out) return sn_fail_argument(error, "the model or the place for the state is NULL");
    snSimDef taken = sn_default_sim_def();
    if (def && SN_TAKE_DEF(def, snSimDef, taken, error)) return SN_BAD_ARGUMENT;
    snSimDef d = def ? *def : sn_default_sim_def();
    if (sn_check_sim_def(&d, error) != SN_OK) return SN_BAD_INPUT;
    snState *s = SN_NEW(snState);
    if (!s) return sn_fail_no_memory(error);
    s->model = m;
    s->def = d;
    s->h = d.step > 0 ? d.step : m->step;
    snStatus status = make_system(m, s) && sn_tree_begin(m, s) && allocate(m, s) && sn_retry_begin(m, s)
                          ? SN_OK
                          : sn_fail_no_memory(error);
    if (status == SN_OK) {
        begin(m, s);
        bool known = d.settled && !d.skip_settle && sn_state_load(m, s, d.settled, d.settled_size) == SN_OK;
        if (!d.skip_settle && !m->skeleton && !known) status = settle_and_check(m, s, error);
    }
    if (status == SN_OK) {
        leave_settling(m, s);
        if (!keep_settled(m, s)) status = sn_fail_no_memory(error);
    }
    if (status != SN_OK) {
        sn_state_destroy(s);
        return status;
    }
    sn_measure(m, s);
    *out = s;
    return SN_OK;
}
