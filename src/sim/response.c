/* How velocities answer to activations, from the factors of the step at hand.
 *
 * Invariants
 * 1. While a response exists, the right-hand sides it needs are attached to the system: each strand is eliminated for
 *    them while it is in the cache, so that asking costs little.
 * 2. Finding a response leaves the factors as they were. */
#include "sim/response.h"

#include "base/alloc.h"
#include "opt/dense.h"
#include "sim/paths.h"

#include <string.h>

/* First rows of the free bodies; returns how many rows there are. */
static int32_t place_rows(const snModel *m, int32_t *row)
{
    int32_t n = 6 * m->nfree;
    for (int32_t b = 0; b < m->nbody; ++b) {
        row[b] = m->body_free[b] >= 0 ? 6 * m->body_free[b] : -1;
        if (row[b] < 0 && sn_body_is_free(m, b)) row[b] = n, n += 6;
    }
    return n;
}

static bool allocate(snResponse *r)
{
    const snModel *m = r->m;
    r->ld = sn_dense_ld(m->nactuator + m->ncoord + 1);
    r->row = SN_NEW_ARRAY(int32_t, m->nbody);
    if (!r->row) return false;
    return (r->strand = SN_NEW_ARRAY(int32_t, m->nactuator)) && (r->scale = SN_NEW_ARRAY(double, m->nactuator)) &&
           (r->velocity = SN_NEW_ARRAY(double, (size_t)r->ld *(size_t)place_rows(m, r->row))) &&
           (r->force = SN_NEW_ARRAY(double, 6 * (size_t)m->nfree * (size_t)(m->nactuator + m->ncoord))) &&
           (r->released = SN_NEW_ARRAY(int32_t, m->ncoord)) && (r->was_on = SN_NEW_ARRAY(uint8_t, m->ncoord)) &&
           (r->clean = SN_NEW_ARRAY(uint8_t, m->nstrand));
}

snResponse *sn_response_create(const snModel *m, snState *s)
{
    snResponse *r = SN_NEW(snResponse);
    if (!r) return NULL;
    r->m = m;
    if (!allocate(r)) {
        sn_response_destroy(r);
        return NULL;
    }
    r->s = s;
    r->one_each = m->nactuator == m->nmuscle;
    for (int32_t j = 0; j < m->nactuator; ++j) {
        r->one_each &= m->actuator[j].muscle == j;
        if (m->actuator[j].through == SN_THROUGH_STRAND) r->strand[r->nstrand++] = m->actuator[j].index;
    }
    sn_kkt_attach(s->kkt, s->impulse, s->active);
    return r;
}

void sn_response_destroy(snResponse *r)
{
    if (!r) return;
    if (r->s) sn_kkt_attach(r->s->kkt, NULL, NULL);
    void *block[] = {r->row, r->strand, r->scale, r->velocity, r->force, r->released, r->was_on, r->clean};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    sn_free(r);
}

bool sn_plant_has_stop(const snModel *m, int32_t coordinate)
{
    return m->coord_limit_row[coordinate] >= 0;
}

bool sn_plant_at_stop(const snModel *m, const snState *s, int32_t coordinate)
{
    int32_t row = m->coord_limit_row[coordinate];
    return row >= 0 && s->joint_on[row];
}

/* Lets go of the stops; true where one of them was on, so that there are other factors meanwhile. Only the bodies' part
 * of the system changes, which costs little. */
static bool release(const snResponse *r)
{
    int32_t culprit;
    bool any = false;
    for (int32_t i = 0; i < r->nreleased; ++i) {
        uint8_t *on = &r->s->joint_on[r->m->coord_limit_row[r->released[i]]];
        r->was_on[i] = *on, any |= *on, *on = 0;
    }
    if (!any) return false;
    sn_kkt_set_aside(r->s->kkt);
    (void)sn_kkt_factor(r->s->kkt, r->clean, &culprit);
    return true;
}

static void hold(const snResponse *r)
{
    for (int32_t i = 0; i < r->nreleased; ++i) r->s->joint_on[r->m->coord_limit_row[r->released[i]]] = r->was_on[i];
    sn_kkt_put_back(r->s->kkt);
}

/* The row of a stop says how fast its gap opens, so that a push acts along it. */
static void push_of_stop(const snModel *m, const snState *s, int32_t coordinate, double *force)
{
    int32_t row = m->coord_limit_row[coordinate];
    for (int side = 0; side < 2; ++side) {
        int32_t body = m->pattern.joint_body[2 * row + side];
        for (int i = 0; i < 6 && body >= 0; ++i) force[6 * body + i] += s->value->joint_J[12 * row + 6 * side + i];
    }
}

/* Columns of the actuators behind the strands and of the stops: forces on the bodies themselves. The column of what
 * moves without them goes behind all. */
static void respond_to_forces(const snModel *m, snState *s, snResponse *r)
{
    int32_t n = 6 * m->nfree, end = m->nactuator + r->nreleased;
    for (int32_t i = 0; i < n; ++i) {
        double *row = r->velocity + (size_t)i * (size_t)r->ld;
        row[end] = row[r->nstrand];
    }
    for (int32_t j = r->nstrand; j < end; ++j) {
        double *force = r->force + (size_t)n * (size_t)(j - r->nstrand);
        memset(force, 0, sizeof(double) * (size_t)n);
        if (j >= m->nactuator)
            push_of_stop(m, s, r->released[j - m->nactuator], force);
        else if (m->actuator[j].through == SN_THROUGH_PATH)
            sn_path_active_force(m, s, m->actuator[j].index, force);
    }
    sn_kkt_respond_bodies(s->kkt, end - r->nstrand, r->force, r->ld, r->velocity + r->nstrand);
}

void sn_system_respond(const snModel *m, snState *s, snResponse *r)
{
    bool released = release(r);
    sn_kkt_attached_response(s->kkt, r->nstrand, r->strand, r->ld, r->velocity);
    if (r->nstrand < m->nactuator + r->nreleased) respond_to_forces(m, s, r);
    if (released) hold(r);
}

void sn_response_find(snResponse *r, int32_t nreleased, const int32_t *released)
{
    const snModel *m = r->m;
    snState *s = r->s;
    r->nreleased = nreleased;
    for (int32_t i = 0; i < nreleased; ++i) r->released[i] = released[i];
    for (int32_t j = 0; j < m->nactuator; ++j) r->scale[j] = s->h * s->strength[m->actuator[j].muscle];
    for (const snPart *const *part = sn_parts; *part; ++part)
        if ((*part)->respond) (*part)->respond(m, s, r);
}

void sn_response_of_body(const snResponse *r, int32_t body, int32_t ld, double *rows)
{
    const snModel *m = r->m;
    const double *velocity = r->velocity + (size_t)r->row[body] * (size_t)r->ld;
    double *restrict H = rows;
    const int32_t count = m->nmuscle + r->nreleased + 1; /* of columns; the rest of a row is nothing */
    for (int k = 0; k < 6; ++k, H += ld, velocity += r->ld) {
        if (r->one_each) /* a loop that the compiler turns into vectors */
            for (int32_t j = 0; j < m->nactuator; ++j) H[j] = r->scale[j] * velocity[j];
        else {
            memset(H, 0, sizeof(double) * (size_t)m->nmuscle);
            for (int32_t j = 0; j < m->nactuator; ++j) H[m->actuator[j].muscle] += r->scale[j] * velocity[j];
        }
        for (int32_t j = 0; j < r->nreleased; ++j) H[m->nmuscle + j] = r->s->h * velocity[m->nactuator + j];
        H[count - 1] = velocity[m->nactuator + r->nreleased];
        memset(H + count, 0, sizeof(double) * (size_t)(ld - count));
    }
}
