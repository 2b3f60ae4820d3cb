/* Making, resetting and reading states. */
#include "sim/state.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

snSimDef sn_default_sim_def(void)
{
    return (snSimDef){.threads = 1, .solver = SN_SOLVER_STRAND, .gravity_scale = 1, .contact_rounds = 6, .refine = 1};
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Every array of a state, so that making, measuring and freeing are one list. */
#define STATE_ARRAYS(X)                                                                                                \
    X(body, nb)                                                                                                        \
    X(velocity, 6 * nb)                                                                                                \
    X(body_target, nb)                                                                                                 \
    X(driven, nb)                                                                                                      \
    X(force, 3 * nb)                                                                                                   \
    X(torque, 3 * nb)                                                                                                  \
    X(point, 3 * np)                                                                                                   \
    X(pointdot, 3 * np)                                                                                                \
    X(s, nc)                                                                                                           \
    X(span, nc)                                                                                                        \
    X(other_span, nc)                                                                                                  \
    X(hint, nc)                                                                                                        \
    X(flips, m->pattern.nown + m->pattern.njoint)                                                                      \
    X(own_gap, m->pattern.nown)                                                                                        \
    X(link_gap, m->pattern.nlink)                                                                                      \
    X(joint_gap, m->pattern.njoint)                                                                                    \
    X(own_sided, m->pattern.nown)                                                                                      \
    X(joint_sided, m->pattern.njoint)                                                                                  \
    X(eyelet_force, 3 * nc)                                                                                            \
    X(joint_row, 12 * m->ncoord)                                                                                       \
    X(activation, m->nmuscle)                                                                                          \
    X(strength, m->nmuscle)                                                                                            \
    X(stiff_activation, ns)                                                                                            \
    X(active, 3 * np)                                                                                                  \
    X(level, ns)                                                                                                       \
    X(impulse, size)                                                                                                   \
    X(rhs, size)                                                                                                       \
    X(residual, size)                                                                                                  \
    X(settled_solution, size)                                                                                          \
    X(solution, size)                                                                                                  \
    X(strand_dirty, ns)                                                                                                \
    X(out_position, 3 * nb)                                                                                            \
    X(out_rotation, 4 * nb)                                                                                            \
    X(out_velocity, 3 * nb)                                                                                            \
    X(out_angular, 3 * nb)                                                                                             \
    X(out_coordinate, m->ncoord)                                                                                       \
    X(out_length, ns)                                                                                                  \
    X(out_tension, ns)                                                                                                 \
    X(out_origin, 3 * ns)                                                                                              \
    X(out_insertion, 3 * ns)                                                                                           \
    X(out_force, nc)                                                                                                   \
    X(out_gap, nc)                                                                                                     \
    X(out_s, nc)                                                                                                       \
    X(section, 9 * ns)                                                                                                 \
    X(out_volume, m->nvolume)                                                                                          \
    X(out_area, m->nvolume)                                                                                            \
    X(out_axis, m->nvolume)                                                                                            \
    X(worst, ns)                                                                                                       \
    X(origin, ns)                                                                                                      \
    X(insertion, ns)                                                                                                   \
    X(settled_point, 3 * np)                                                                                           \
    X(settled_s, nc)                                                                                                   \
    X(settled_span, nc)                                                                                                \
    X(settled_hint, nc)

static bool allocate(const snModel *m, snState *s)
{
    int32_t nb = m->nbody, np = m->npoint, nc = m->nconstraint, ns = m->nstrand, size = s->size;
#define X(array, count)                                                                                                \
    s->array = sn_alloc((size_t)(count), sizeof *s->array);                                                            \
    if (!s->array) return false;
    STATE_ARRAYS(X)
#undef X
    return true;
}

int64_t sn_state_bytes(const snState *s)
{
    const snModel *m = s->model;
    int32_t nb = m->nbody, np = m->npoint, nc = m->nconstraint, ns = m->nstrand, size = s->size;
    int64_t bytes = (int64_t)sizeof *s + sn_kkt_bytes(s->kkt);
#define X(array, count) bytes += (int64_t)(count) * (int64_t)sizeof *s->array;
    STATE_ARRAYS(X)
#undef X
    return bytes;
}

void sn_state_destroy(snState *s)
{
    if (!s) return;
#define X(array, count) sn_free(s->array);
    STATE_ARRAYS(X)
#undef X
    sn_kkt_destroy(s->kkt);
    sn_pool_destroy(s->pool);
    sn_free(s);
}

/* ---- start ---------------------------------------------------------------------------------- */

/* The fixed constraint nearest to each end of a strand is its origin or insertion. */
static void find_ends(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < m->nstrand; ++i) s->origin[i] = s->insertion[i] = -1;
    for (int32_t k = 0; k < m->nconstraint; ++k) {
        const snConstraint *c = &m->constraint[k];
        if (c->type != SN_CONSTRAINT_FIXED) continue;
        const snStrand *st = &m->strand[c->strand];
        bool first_half = c->s - st->knot[3] < st->knot[st->n] - c->s;
        int32_t *end = first_half ? &s->origin[c->strand] : &s->insertion[c->strand];
        if (*end < 0 || (first_half ? c->s < m->constraint[*end].s : c->s > m->constraint[*end].s)) *end = k;
    }
}

static void mark_one_sided(const snModel *m, snState *s)
{
    for (int32_t k = 0; k < m->strand_constraintadr[m->nstrand]; ++k) {
        const snConstraint *c = &m->constraint[k];
        if (c->type != SN_CONSTRAINT_SURFACE) continue;
        s->own_sided[c->row] = c->one_sided;
        if (c->lateral >= 0) s->own_sided[c->row + 1] = c->lateral > 0;
    }
    for (int32_t k = 0; k < m->ncoord; ++k)
        if (m->coord_limit_row[k] >= 0) s->joint_sided[m->coord_limit_row[k]] = 1;
    for (int32_t j = 0; j < m->njoint; ++j) {
        if (m->joint_cone[j].swing_row >= 0) s->joint_sided[m->joint_cone[j].swing_row] = 1;
        if (m->joint_cone[j].twist_row >= 0) s->joint_sided[m->joint_cone[j].twist_row] = 1;
    }
}

static void start_as_drawn(const snModel *m, snState *s)
{
    memcpy(s->point, m->rest_point, sizeof(double) * 3 * (size_t)m->npoint);
    memset(s->pointdot, 0, sizeof(double) * 3 * (size_t)m->npoint);
    memset(s->velocity, 0, sizeof(double) * 6 * (size_t)m->nbody);
    memset(s->hint, 0, sizeof *s->hint * (size_t)m->nconstraint);
    for (int32_t b = 0; b < m->nbody; ++b) s->body[b] = s->body_target[b] = m->body_rest[b];
    for (int32_t k = 0; k < m->nconstraint; ++k) s->s[k] = m->constraint[k].s;
    for (int32_t k = 0; k < m->nmuscle; ++k) s->strength[k] = 1;
    s->settle_damping = 1;
}

static void keep_settled(const snModel *m, snState *s)
{
    memcpy(s->settled_point, s->point, sizeof(double) * 3 * (size_t)m->npoint);
    memcpy(s->settled_s, s->s, sizeof(double) * (size_t)m->nconstraint);
    memcpy(s->settled_span, s->span, sizeof(int32_t) * (size_t)m->nconstraint);
    memcpy(s->settled_hint, s->hint, sizeof *s->hint * (size_t)m->nconstraint);
    memcpy(s->settled_solution, s->solution, sizeof(double) * (size_t)s->size); /* reactions at time zero */
}

snStatus sn_state_reset(const snModel *m, snState *s)
{
    start_as_drawn(m, s);
    memcpy(s->point, s->settled_point, sizeof(double) * 3 * (size_t)m->npoint);
    memcpy(s->s, s->settled_s, sizeof(double) * (size_t)m->nconstraint);
    memcpy(s->span, s->settled_span, sizeof(int32_t) * (size_t)m->nconstraint);
    memcpy(s->hint, s->settled_hint, sizeof *s->hint * (size_t)m->nconstraint);
    memcpy(s->solution, s->settled_solution, sizeof(double) * (size_t)s->size);
    memset(s->eyelet_force, 0, sizeof(double) * 3 * (size_t)m->nconstraint);
    memset(s->activation, 0, sizeof(double) * (size_t)m->nmuscle);
    memset(s->force, 0, sizeof(double) * 3 * (size_t)m->nbody);
    memset(s->torque, 0, sizeof(double) * 3 * (size_t)m->nbody);
    memset(s->value->own_on, 0, (size_t)m->pattern.nown);
    memset(s->value->joint_on, 0, (size_t)m->pattern.njoint);
    s->time = 0;
    memset(&s->info, 0, sizeof s->info);
    sn_measure(m, s);
    return SN_OK;
}

static snStatus settle_and_check(const snModel *m, snState *s, snError *error)
{
    if (sn_settle(m, s, m->settle) != SN_OK) {
        sn_fail(error, SN_BAD_INPUT, "the rest pose cannot be settled: %s runs away", s->info.culprit);
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

snStatus sn_state_create(const snModel *m, const snSimDef *def, snState **out, snError *error)
{
    snSimDef d = def ? *def : sn_default_sim_def();
    snState *s = SN_NEW(snState);
    if (!s) return sn_fail_no_memory(error);
    s->model = m;
    s->def = d;
    s->h = d.step > 0 ? d.step : m->step;
    s->pool = sn_pool_create(d.threads > 0 ? d.threads : sn_hardware_threads());
    if (s->pool) s->kkt = sn_kkt_create(&m->pattern, d.solver == SN_SOLVER_PLAIN ? SN_KKT_PLAIN : SN_KKT_STRAND, s->pool);
    if (s->kkt) s->size = sn_kkt_size(s->kkt);
    if (!s->kkt || !allocate(m, s)) {
        sn_state_destroy(s);
        return sn_fail_no_memory(error);
    }
    s->value = sn_kkt_values(s->kkt);
    s->point0 = 6 * m->nfree;
    s->own0 = s->point0 + 3 * m->npoint;
    s->link0 = s->own0 + m->pattern.nown;
    s->joint0 = s->link0 + m->pattern.nlink;
    mark_one_sided(m, s);
    find_ends(m, s);
    start_as_drawn(m, s);
    snStatus status = d.skip_settle ? SN_OK : settle_and_check(m, s, error);
    if (status != SN_OK) {
        sn_state_destroy(s);
        return status;
    }
    keep_settled(m, s);
    sn_state_reset(m, s);
    *out = s;
    return SN_OK;
}

/* ---- fields --------------------------------------------------------------------------------- */

#define FIELD_TABLE(X)                                                                                                 \
    X("body.position", out_position, nbody, 3, false, "position of each body's node, m")                              \
    X("body.rotation", out_rotation, nbody, 4, false, "orientation of each body's node, w first")                     \
    X("body.velocity", out_velocity, nbody, 3, false, "velocity of each body's node, world axes, m/s")                \
    X("body.angular_velocity", out_angular, nbody, 3, false, "angular velocity, node axes, rad/s")                    \
    X("body.force", force, nbody, 3, true, "external force at the centre of mass, world axes, N")                     \
    X("body.torque", torque, nbody, 3, true, "external torque, world axes, N m")                                      \
    X("strand.point", point, npoint, 3, false, "control points of all strands, m")                                    \
    X("strand.velocity", pointdot, npoint, 3, false, "velocities of the control points, m/s")                         \
    X("strand.length", out_length, nstrand, 1, false, "length of each strand, m")                                     \
    X("strand.tension", out_tension, nstrand, 1, false, "mean of the reactions at both ends, N")                      \
    X("strand.force_origin", out_origin, nstrand, 3, false, "force on what holds the origin, world axes, N")          \
    X("strand.force_insertion", out_insertion, nstrand, 3, false, "force on what holds the insertion, world axes, N") \
    X("muscle.activation", activation, nmuscle, 1, true, "activation of each muscle, 0 to 1")                         \
    X("muscle.strength", strength, nmuscle, 1, true, "factor on the active force of each muscle, 0 to 1")             \
    X("group.volume", out_volume, nvolume, 1, false, "volume of each group between its start and end, m^3")           \
    X("group.area", out_area, nvolume, 1, false, "mean cross-section of each group: volume over length, m^2")         \
    X("group.length", out_axis, nvolume, 1, false, "length of each group's axis between its start and end, m")        \
    X("joint.coordinate", out_coordinate, ncoord, 1, false, "coordinates of all joints, rad or m")                    \
    X("constraint.force", out_force, nconstraint, 1, false, "force of each constraint; surface: push, N")             \
    X("constraint.gap", out_gap, nconstraint, 1, false, "error of each constraint; surface: height above it, m")      \
    X("constraint.position", out_s, nconstraint, 1, false, "parameter on the strand of each constraint")

snStatus sn_field(const snModel *m, snState *s, const char *name, snView *view)
{
#define X(text, array, count, width, write, doc)                                                                       \
    if (strcmp(name, text) == 0) {                                                                                     \
        *view = (snView){.data = s->array, .rows = m->count, .columns = width, .writable = write};                    \
        return SN_OK;                                                                                                  \
    }
    FIELD_TABLE(X)
#undef X
    return SN_BAD_INPUT;
}

static const char *const field_text[][2] = {
#define X(text, array, count, width, write, doc) {text, doc},
    FIELD_TABLE(X)
#undef X
};

const char *sn_field_name(int32_t index)
{
    return index >= 0 && index < (int32_t)(sizeof field_text / sizeof *field_text) ? field_text[index][0] : NULL;
}

const char *sn_field_doc(int32_t index)
{
    return sn_field_name(index) ? field_text[index][1] : NULL;
}
