/* Forces from outside over time.
 *
 * Invariants:
 * 1. place and, unless the load keeps its direction, force are in the body's frame (centre of mass, principal axes).
 * 2. body holds each loaded body once, in rising order.
 * 3. Applying allocates nothing. */
#include "control/load.h"
#include "base/def.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "control/own/load.h"
#include "motion/interval.h"
#include "sim/plant.h"

#include <math.h>
#include <string.h>

static const double MOST = 1e4; /* N */

typedef struct Load {
    int32_t body, count;
    int32_t against; /* body that feels the opposite at the same point, -1: none */
    bool world;
    v3 place;
    double *time, *force; /* one block, time first */
} Load;

struct snLoads {
    const snModel *m;
    SN_ARRAY(Load) load;
    SN_ARRAY(int32_t) body;
};

snStatus sn_loads_create(const snModel *m, snLoads **loads, snError *error)
{
    if (!m || !loads) return sn_fail_argument(error, "the model or the place for the loads is NULL");
    snLoads *l = SN_NEW(snLoads);
    if (!l) return sn_fail_no_memory(error);
    l->m = m;
    *loads = l;
    return SN_OK;
}

const snModel *sn_loads_model(const snLoads *l)
{
    return l->m;
}

int32_t sn_loads_mark(const snLoads *l)
{
    return l->load.count;
}

static bool note_body(snLoads *l, int32_t body)
{
    int32_t at = 0;
    while (at < l->body.count && l->body.at[at] < body) ++at;
    if (at < l->body.count && l->body.at[at] == body) return true;
    if (!sn_array_push(&l->body, body)) return false;
    for (int32_t i = l->body.count - 1; i > at; --i) l->body.at[i] = l->body.at[i - 1];
    l->body.at[at] = body;
    return true;
}

void sn_loads_take_back(snLoads *l, int32_t mark)
{
    while (l->load.count > mark) sn_free(l->load.at[--l->load.count].time);
    l->body.count = 0;
    for (int32_t i = 0; i < mark; ++i) { /* there is room: they were in it */
        (void)note_body(l, l->load.at[i].body);
        if (l->load.at[i].against >= 0) (void)note_body(l, l->load.at[i].against);
    }
}

void sn_loads_clear(snLoads *l)
{
    if (l) sn_loads_take_back(l, 0);
}

void sn_loads_destroy(snLoads *l)
{
    if (!l) return;
    sn_loads_clear(l);
    sn_array_free(&l->load);
    sn_array_free(&l->body);
    sn_free(l);
}

/* ---- adding --------------------------------------------------------------------------------- */

static snStatus check_course(int32_t count, int32_t columns, const double *time, const double *force, snError *error)
{
    if (count < 1) return sn_fail(error, SN_BAD_INPUT, "there is no force");
    for (int32_t i = 0; i < count; ++i) {
        if (!isfinite(time[i]) || (i && !(time[i] > time[i - 1])))
            return sn_fail(error, SN_BAD_INPUT, "the time %g s does not come after %g s", time[i], i ? time[i - 1] : 0);
        for (int32_t k = 0; k < columns; ++k)
            if (!(fabs(force[columns * i + k]) <= MOST))
                return sn_fail(error, SN_BAD_INPUT, "the force at %g s is %g N, expected at most %g N", time[i],
                               force[columns * i + k], MOST);
    }
    return SN_OK;
}

static snStatus check_body(const snLoads *l, int32_t body, snError *error)
{
    if (body < 0 || body >= l->m->nbody) return sn_fail_argument(error, "the body of the load does not exist");
    const snModel *m = l->m;
    bool on_tree = m->skeleton && m->skeleton->tree.body_link[body] >= 0; /* moved by coordinates, which it pushes */
    if (on_tree || sn_body_is_free(m, body)) return SN_OK;
    (void)sn_fail(error, SN_BAD_INPUT, "the body \"%.100s\" is %s, so a load on it has no effect", m->body_name[body],
                  m->body_mode[body] == SN_BODY_KINEMATIC && !m->skeleton ? "moved by its motion alone" : "fixed");
    sn_error_remedy(error, "load a body that muscles can move");
    return SN_BAD_INPUT;
}

/* Takes the block over, also when it fails. */
static snStatus keep(snLoads *l, Load load, snError *error)
{
    bool noted = note_body(l, load.body) && (load.against < 0 || note_body(l, load.against));
    if (noted && sn_array_push(&l->load, load)) return SN_OK;
    sn_free(load.time);
    sn_loads_take_back(l, l->load.count);
    return sn_fail_no_memory(error);
}

static Load new_load(int32_t body, int32_t count, const double *time)
{
    double *block = SN_NEW_ARRAY(double, 4 * (size_t)count);
    if (block) memcpy(block, time, (size_t)count * sizeof *time);
    return (Load){.body = body, .against = -1, .count = count, .time = block, .force = block ? block + count : NULL};
}

snStatus sn_loads_add(snLoads *l, const snLoadDef *def, snError *error)
{
    snLoadDef taken = sn_default_load_def();
    if (SN_TAKE_DEF(def, snLoadDef, taken, error)) return SN_BAD_ARGUMENT;
    if (!l || (def->count > 0 && (!def->time || !def->force)))
        return sn_fail_argument(error, "the loads, the load, its times or its forces are NULL");
    snStatus status = check_body(l, def->body, error);
    if (status == SN_OK) status = check_course(def->count, 3, def->time, def->force, error);
    for (int k = 0; k < 3 && status == SN_OK && def->at_point; ++k)
        if (!(fabs(def->point[k]) <= 1e3))
            status = sn_fail(error, SN_BAD_INPUT, "the point of the load is %g m from the origin", def->point[k]);
    if (status != SN_OK) return status;
    Load load = new_load(def->body, def->count, def->time);
    if (!load.time) return sn_fail_no_memory(error);
    rigid rest = l->m->body_rest[def->body];
    load.world = def->world;
    if (def->at_point) load.place = q_unrotate(rest.q, v3_sub(v3_load(def->point), rest.p));
    for (int32_t i = 0; i < def->count; ++i) {
        v3 f = v3_load(def->force + 3 * i);
        v3_store(load.force + 3 * i, def->world ? f : q_unrotate(rest.q, f));
    }
    return keep(l, load, error);
}

/* ---- bones ---------------------------------------------------------------------------------- */

/* The joint that a body hangs on, -1: none or several. */
static int32_t joint_of(const snModel *m, int32_t body)
{
    int32_t found = -1;
    for (int32_t j = 0; j < m->njoint; ++j) {
        if (m->joint_b[j] != body || m->joint_a[j] == body) continue;
        if (found >= 0) return -1;
        found = j;
    }
    return found;
}

/* From the joint to the farthest vertex, in the body's frame. */
static bool reach_of(const snModel *m, int32_t body, int32_t joint, v3 *from, v3 *reach)
{
    double most = -1;
    if (joint < 0) return false;
    *from = m->joint[joint].frame_b.p;
    for (int32_t i = m->body_vertexadr[body]; i < m->body_vertexadr[body + 1]; ++i) {
        v3 to = v3_sub(v3_load(m->body_vertex + 3 * i), *from);
        if (v3_len2(to) > most) most = v3_len2(to), *reach = to;
    }
    return most > 0;
}

bool sn_loads_tip(const snLoads *l, int32_t body, double point[3])
{
    v3 from, reach;
    rigid rest = l->m->body_rest[body];
    if (!reach_of(l->m, body, joint_of(l->m, body), &from, &reach)) return false;
    v3_store(point, v3_add(rest.p, q_rotate(rest.q, v3_add(from, reach))));
    return true;
}

static bool ends_a_chain(const snModel *m, int32_t body)
{
    for (int32_t j = 0; j < m->njoint; ++j)
        if (m->joint_a[j] == body) return false;
    return m->body_free[body] >= 0;
}

/* The last bone of a digit: at the end of a chain, on a hinge. */
static bool is_fingertip(const snModel *m, int32_t body)
{
    int32_t joint = joint_of(m, body);
    return joint >= 0 && m->joint[joint].kind == SN_JOINT_HINGE && ends_a_chain(m, body);
}

/* The next bone of a digit towards the palm, -1 at its root: behind the first joint that is not a hinge. */
static int32_t inwards(const snModel *m, int32_t body)
{
    int32_t joint = joint_of(m, body);
    if (joint < 0 || m->joint[joint].kind != SN_JOINT_HINGE) return -1;
    int32_t next = m->joint_a[joint];
    return next >= 0 && m->body_free[next] >= 0 ? next : -1;
}

/* What the innermost bone of a digit hangs on, -1: the world. */
static int32_t palm_of(const snModel *m, int32_t tip)
{
    int32_t body = tip;
    for (int32_t next = tip; next >= 0; next = inwards(m, body)) body = next;
    return m->joint_a[joint_of(m, body)];
}

/* Where an object presses on a bone and along which direction, in the body's frame; how long the bone is, 0: it cannot
 * be pressed. Flexion is the way in which the first coordinate of its joint goes farther. */
static double side_of(const snModel *m, int32_t body, v3 *place, v3 *push)
{
    v3 from, reach;
    int32_t joint = joint_of(m, body);
    if (joint < 0 || sn_joint_dofs(m->joint[joint].kind) < 1 || !reach_of(m, body, joint, &from, &reach)) return 0;
    int32_t c = m->joint_coordadr[joint];
    double flexes = m->coord_upper[c] >= -m->coord_lower[c] ? 1 : -1;
    v3 travel = v3_cross(q_rotate(m->joint[joint].frame_b.q, (v3){0, 0, 1}), reach);
    if (!(v3_len2(travel) > 0)) return 0;
    *push = v3_scale(v3_unit(travel), -flexes);
    *place = v3_mad(from, 0.5, reach);
    return v3_len(reach);
}

static snStatus press_bone(snLoads *l, int32_t body, int32_t palm, double whole, int32_t count, const double *time,
                           const double *force, snError *error)
{
    v3 place, push;
    double length = side_of(l->m, body, &place, &push);
    if (!(length > 0)) return SN_OK;
    Load load = new_load(body, count, time);
    if (!load.time) return sn_fail_no_memory(error);
    load.place = place;
    load.against = palm;
    for (int32_t i = 0; i < count; ++i) v3_store(load.force + 3 * i, v3_scale(push, force[i] * length / whole));
    return keep(l, load, error);
}

static snStatus press_digit(snLoads *l, int32_t tip, int32_t count, const double *time, const double *force,
                            snError *error)
{
    v3 place, push;
    double whole = 0;
    snStatus status = SN_OK;
    for (int32_t b = tip; b >= 0; b = inwards(l->m, b)) whole += side_of(l->m, b, &place, &push);
    for (int32_t b = tip; b >= 0 && status == SN_OK; b = inwards(l->m, b))
        status = press_bone(l, b, palm_of(l->m, tip), whole, count, time, force, error);
    return status;
}

snStatus sn_loads_add_grip(snLoads *l, int32_t count, const double *time, const double *force, snError *error)
{
    if (!l || (count > 0 && (!time || !force)))
        return sn_fail_argument(error, "the loads, their times or their forces are NULL");
    int32_t mark = l->load.count, digits = 0;
    snStatus status = check_course(count, 1, time, force, error);
    for (int32_t b = 0; b < l->m->nbody && status == SN_OK; ++b) {
        if (!is_fingertip(l->m, b)) continue;
        status = press_digit(l, b, count, time, force, error);
        ++digits;
    }
    if (status == SN_OK && digits < 2) {
        status = sn_fail(error, SN_BAD_INPUT, "the model has no fingers to grip with");
        sn_error_remedy(error, "name a body: --load BODY=X,Y,Z");
    }
    if (status != SN_OK) sn_loads_take_back(l, mark);
    return status;
}

/* ---- applying ------------------------------------------------------------------------------- */

int32_t sn_loads_bodies(const snLoads *l)
{
    return l ? l->body.count : 0;
}

int32_t sn_loads_body(const snLoads *l, int32_t index)
{
    return l && index >= 0 && index < l->body.count ? l->body.at[index] : -1;
}

static v3 force_at(const Load *load, double time)
{
    if (load->count == 1 || time <= load->time[0]) return v3_load(load->force);
    int32_t last = load->count - 1;
    if (time >= load->time[last]) return v3_load(load->force + 3 * last);
    int32_t i = sn_find_interval(load->time, load->count, time);
    double part = (time - load->time[i]) / (load->time[i + 1] - load->time[i]);
    v3 a = v3_load(load->force + 3 * i), b = v3_load(load->force + 3 * i + 3);
    return v3_mad(a, part, v3_sub(b, a));
}

/* Adds a force at a point of the world. */
static void push(int32_t b, const rigid *body, v3 point, v3 f, double *force, double *torque)
{
    v3_store(force + 3 * b, v3_add(v3_load(force + 3 * b), f));
    v3_store(torque + 3 * b, v3_add(v3_load(torque + 3 * b), v3_cross(v3_sub(point, body[b].p), f)));
}

void sn_loads_apply(const snLoads *l, snState *s, double time)
{
    if (!l || !s) return;
    double *force = sn_plant_force(s), *torque = sn_plant_torque(s);
    const rigid *body = sn_plant_bodies(s);
    for (int32_t i = 0; i < l->body.count; ++i) {
        v3_store(force + 3 * l->body.at[i], (v3){0, 0, 0});
        v3_store(torque + 3 * l->body.at[i], (v3){0, 0, 0});
    }
    for (int32_t i = 0; i < l->load.count; ++i) {
        const Load *load = &l->load.at[i];
        rigid at = body[load->body];
        v3 f = force_at(load, time), p = v3_add(at.p, q_rotate(at.q, load->place));
        if (!load->world) f = q_rotate(at.q, f);
        push(load->body, body, p, f, force, torque);
        if (load->against >= 0) push(load->against, body, p, v3_neg(f), force, torque);
    }
}
