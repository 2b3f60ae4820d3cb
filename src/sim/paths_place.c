/* What a path strand shows: control points of a smooth curve with the topology of its drawn one, lengths, forces of its
 * constraints, energy. The control points lie on the path, each where its material is, so that the spline through them
 * rounds every corner within the distance of its neighbours. */
#include "sim/paths.h"

#include <math.h>
#include <string.h>

void sn_cord_poses(const snPathCord *k, const rigid *body, rigid *pose)
{
    for (int32_t i = 0; i < k->cord.nslot; ++i) pose[i] = body[k->body[i]];
}

static void place_points(const snModel *m, snState *s, int32_t i, const rigid *pose)
{
    const snPathCord *k = &m->cord[i];
    for (int32_t p = m->strand_pointadr[k->strand]; p < m->strand_pointadr[k->strand + 1]; ++p) {
        const snPathPoint *at = &m->path_point[p - m->nspline_point];
        if (at->cord != i) continue;
        double along = sn_cord_along(&s->cord_now[i], at->tendon, at->belly);
        v3_store(s->point + 3 * p, sn_cord_point(&k->cord, pose, s->cord_nnode[i], s->cord_node + k->node, along));
    }
}

static void place_cord(snState *s, int32_t i, rigid *pose)
{
    const snPathCord *k = &s->model->cord[i];
    double a = sn_drive_of_strand(s->model, s, k->strand), x = s->cord_x[i];
    sn_cord_poses(k, s->body, pose);
    s->cord_nnode[i] = sn_cord_place(&k->cord, pose, s->cord_node + k->node, &s->cord_length[i]);
    s->cord_now[i] = sn_cord_pull(&k->cord, s->cord_length[i], a, &x);
}

static void place_one(void *context, int32_t i)
{
    snState *s = context;
    rigid pose[SN_CORD_BODIES];
    if (s->model->cord[i].knot >= 0) return;
    place_cord(s, i, pose);
    place_points(s->model, s, i, pose);
}

static void place_knot(void *context, int32_t i)
{
    snState *s = context;
    const snPathKnot *knot = &s->model->knot[i];
    rigid pose[SN_CORD_BODIES];
    sn_paths_solve_knot(s->model, s, i, s->body, s->cord_now);
    sn_cord_poses(&s->model->cord[knot->cord[0]], s->body, pose);
    for (int32_t e = 0; e < knot->knot.ncord; ++e) place_points(s->model, s, knot->cord[e], pose);
}

void sn_paths_place(const snModel *m, snState *s)
{
    sn_pool_loop(s->pool, m->ncord, place_one, s);
    sn_pool_loop(s->pool, m->nknot, place_knot, s);
    s->cords_placed = true;
    s->points_late = 0;
}

/* ---- fields ----------------------------------------------------------------------------------- */

/* Parameter of the strand at some material: between the control points, which know theirs. */
static double parameter_at(const snModel *m, const snPathCord *k, int32_t cord, double rest)
{
    const snStrand *st = &m->strand[k->strand];
    const snPathPoint *point = m->path_point + m->strand_pointadr[k->strand] - m->nspline_point;
    double last = st->knot[3], last_rest = 0;
    for (int32_t p = 0; p < st->n; ++p) {
        if (point[p].cord != cord) continue;
        double here = point[p].tendon + point[p].belly;
        double s = (st->knot[p + 1] + st->knot[p + 2] + st->knot[p + 3]) / 3;
        if (here >= rest) return here > last_rest ? last + (s - last) * (rest - last_rest) / (here - last_rest) : s;
        last = s, last_rest = here;
    }
    return last;
}

/* Constraints of the wrap that an arc lies on: among those between two points of the strand, the ones on its surface
 * that follow each other. */
static void arc_range(const snModel *m, const snPathCord *k, const snCordNode *arc, int32_t *from, int32_t *to)
{
    const snCordPoint *p = k->cord.point;
    while (p->wrap < 0 || arc->wrap < p->wrap || arc->wrap > p->wrap + p->more) ++p;
    int32_t a = k->constraint[p - k->cord.point], b = k->constraint[p - k->cord.point + 1];
    int32_t end = m->constraint[b].body < 0 ? m->strand_constraintadr[k->strand + 1] : b;
    *from = m->constraint[a].body < 0 ? m->strand_constraintadr[k->strand] : a + 1;
    while (m->constraint[a].body < 0 && m->constraint[*from].s < k->from) ++*from; /* a junction on the way */
    while (m->constraint[b].body < 0 && m->constraint[end - 1].s > k->to) --end;
    *to = *from;
    for (int32_t wrap = p->wrap;; ++wrap, *from = *to) {
        while (*to < end && m->constraint[*to].surface == m->constraint[*from].surface) ++*to;
        if (wrap == arc->wrap || *to == end) return;
    }
}

/* The constraint whose bounds a stop leans on. */
static int32_t gate_constraint(const snModel *m, const snPathCord *k, const snCordNode *stop)
{
    int32_t c, to;
    arc_range(m, k, stop, &c, &to);
    for (int32_t i = 1; m->constraint[c].lateral < 0 || i++ < stop->gate;) ++c;
    return c;
}

/* Surfaces between two points share what presses on their wrap; gates divide it into several arcs. */
static void measure_wrap(const snModel *m, snState *s, const snPathCord *k, const snCordNode *node, double force)
{
    int32_t from, to;
    arc_range(m, k, node, &from, &to);
    for (int32_t c = from; c < to; ++c) s->out_force[c] += force / (to - from);
}

static void measure_cord(const snModel *m, snState *s, int32_t i)
{
    const snPathCord *k = &m->cord[i];
    const snCordNode *node = s->cord_node + k->node;
    double tension = s->cord_tension[i], along = 0, tendon, belly;
    for (int32_t e = 0; e < s->cord_nnode[i]; along += node[e++].length) {
        v3 turn = v3_sub(node[e].t, node[e].arrive);
        bool end = e == 0 || e + 1 == s->cord_nnode[i];
        if (node[e].arc) measure_wrap(m, s, k, &node[e], tension * v3_len(v3_sub(node[e + 1].t, node[e].t)));
        if (node[e].point < 0) continue;
        int32_t c = k->constraint[node[e].point];
        s->out_force[c] = end ? tension : tension * v3_len(turn);
        sn_cord_material(&k->cord, &s->cord_now[i], along, &tendon, &belly);
        s->out_s[c] = end ? m->constraint[c].s : parameter_at(m, k, i, tendon + belly);
    }
}

static void measure_ends(const snModel *m, snState *s, int32_t strand)
{
    int32_t first = m->strand_cordadr[strand], last = m->strand_cordadr[strand + 1] - 1;
    const snPathCord *a = &m->cord[first], *b = &m->cord[last];
    const snCordNode *end = s->cord_node + b->node + s->cord_nnode[last] - 1;
    v3_store(s->out_origin + 3 * strand, v3_scale(s->cord_node[a->node].t, s->cord_tension[first]));
    v3_store(s->out_insertion + 3 * strand, v3_scale(end->arrive, -s->cord_tension[last]));
    s->out_tension[strand] = 0.5 * (s->cord_tension[first] + s->cord_tension[last]);
    s->out_length[strand] = 0;
    for (int32_t i = first; i <= last; ++i) s->out_length[strand] += s->cord_length[i];
}

/* The constraint by which a path holds on to another shows its tension there. */
static void measure_junctions(const snModel *m, snState *s)
{
    for (int32_t c = m->strand_constraintadr[m->nstrand]; c < m->nconstraint; ++c) {
        int32_t strand = m->constraint[c].strand;
        if (strand < m->nspline) continue;
        bool first = s->origin[strand] == c;
        int32_t cord = first ? m->strand_cordadr[strand] : m->strand_cordadr[strand + 1] - 1;
        s->out_force[c] = s->cord_tension[cord], s->out_gap[c] = 0, s->out_s[c] = m->constraint[c].s;
    }
}

void sn_paths_measure(const snModel *m, snState *s)
{
    int32_t from = m->strand_constraintadr[m->nspline], to = m->strand_constraintadr[m->nstrand];
    if (s->quiet) return;
    for (int32_t c = from; c < to; ++c) s->out_force[c] = s->out_gap[c] = 0, s->out_s[c] = m->constraint[c].s;
    for (int32_t i = 0; i < m->ncord; ++i) {
        rigid pose[SN_CORD_BODIES];
        if (!s->cords_placed && m->cord[i].knot < 0) place_cord(s, i, pose);
    }
    for (int32_t i = 0; i < m->nknot && !s->cords_placed; ++i) sn_paths_solve_knot(m, s, i, s->body, s->cord_now);
    for (int32_t i = 0; i < m->ncord; ++i) measure_cord(m, s, i);
    s->cords_placed = true;
    measure_junctions(m, s);
    for (int32_t k = m->nspline; k < m->nstrand; ++k) {
        measure_ends(m, s, k);
        s->worst[k] = (snWorst){.constraint = -1};
    }
}

double sn_paths_jam(const snModel *m, const snState *s, int32_t *cord, int32_t *point)
{
    double worst = 0;
    for (int32_t i = 0; i < m->ncord; ++i) {
        const snPathCord *k = &m->cord[i];
        const snCordNode *node = s->cord_node + k->node;
        double along = 0;
        if (!(k->cord.belly_rest > 0) || k->first_eyelet >= k->cord.npoint - 1) continue;
        if (!(s->cord_now[i].tension > 0)) continue; /* slack: lies in folds, nothing pulls it through */
        double end = sn_cord_along(&s->cord_now[i], k->cord.tendon_before, k->cord.belly_rest);
        int32_t e = 0;
        while (e < s->cord_nnode[i] && node[e].point < k->first_eyelet) along += node[e++].length;
        if (e == s->cord_nnode[i]) continue; /* that eyelet lies behind a junction */
        if (end - along > worst) worst = end - along, *cord = i, *point = k->first_eyelet;
    }
    return worst;
}

/* ---- energy ----------------------------------------------------------------------------------- */

static v3 junction_velocity(const snState *s, const snPathCord *k, int32_t junction)
{
    double v[3] = {0}, row[6 * SN_CORD_BODIES];
    for (int axis = 0; axis < 3; ++axis) {
        memset(row, 0, sizeof *row * 6 * (size_t)k->cord.nslot);
        sn_junction_add_row(s->model, s, k, junction, v3_of(axis == 0, axis == 1, axis == 2), row);
        for (int32_t e = 0; e < 6 * k->cord.nslot; ++e) v[axis] += row[e] * s->velocity[6 * k->body[e / 6] + e % 6];
    }
    return v3_load(v);
}

static v3 node_velocity(const snState *s, const snPathCord *k, const snCordNode *node)
{
    if (node->junction) return junction_velocity(s, k, node->junction - 1);
    int32_t b = k->body[node->slot];
    return sn_body_point_velocity(s->body[b].q, s->velocity + 6 * b, node->r);
}

/* Rate of the length of the piece behind a node. */
static double piece_rate(const snState *s, const snPathCord *k, const snCordNode *node)
{
    if (node->arc) return 0;
    return v3_dot(node->t, v3_sub(node_velocity(s, k, node + 1), node_velocity(s, k, node)));
}

static void cord_energy(const snModel *m, const snState *s, int32_t i, v3 gravity, snEnergy *sum)
{
    const snPathCord *k = &m->cord[i];
    const snCordNode *node = s->cord_node + k->node;
    int32_t n = s->cord_nnode[i];
    double a = sn_drive_of_strand(m, s, k->strand), rate = 0, along = 0, before = 0, last = 0, flow = 0;
    const snCordPull *pull = &s->cord_now[i];
    sum->elastic += sn_cord_energy(&k->cord, s->cord_length[i], a);
    for (int32_t e = 0; e + 1 < n; ++e) rate += piece_rate(s, k, &node[e]);
    for (int32_t e = 0; e + 1 < n; ++e) {
        double tendon, belly;
        along += node[e].length, before += piece_rate(s, k, &node[e]);
        sn_cord_material(&k->cord, pull, along, &tendon, &belly);
        double mass = k->cord.line_mass * (tendon + belly - last), next = sn_cord_share(&k->cord, pull, tendon, belly);
        double out = next * rate - before;
        v3 leave = node[e].arc ? node[e + 1].t : node[e].t;
        v3 wa = v3_mad(node_velocity(s, k, &node[e]), flow, node[e].t);
        v3 wb = v3_mad(node_velocity(s, k, &node[e + 1]), out, leave);
        if (node[e].arc)
            sum->kinetic += mass / 4 * (v3_len2(wa) + v3_len2(wb));
        else
            sum->kinetic += mass / 6 * (v3_len2(wa) + v3_dot(wa, wb) + v3_len2(wb));
        sn_energy_add_mass(sum, mass / 2, node[e].p, wa, gravity);
        sn_energy_add_mass(sum, mass / 2, node[e + 1].p, wb, gravity);
        last = tendon + belly, flow = out;
    }
}

void sn_paths_energy(const snModel *m, const snState *s, snEnergy *sum)
{
    for (int32_t i = 0; i < m->ncord; ++i) cord_energy(m, s, i, sn_gravity(m, s), sum);
}

double sn_paths_strand_energy(const snModel *m, const snState *s, int32_t strand)
{
    double sum = 0;
    for (int32_t i = m->strand_cordadr[strand]; i < m->strand_cordadr[strand + 1]; ++i)
        sum += sn_cord_energy(&m->cord[i].cord, s->cord_length[i], sn_drive_of_strand(m, s, strand));
    return sum;
}

/* What a cord pulls with at a node, along the piece behind it (way 1) or before it (-1), times the velocity there. */
static double node_power(const snState *s, int32_t body, const snCordNode *node, v3 t, const double velocity[6],
                         double pull)
{
    return pull * v3_dot(t, sn_body_point_velocity(s->body[body].q, velocity, node->r));
}

double sn_paths_power(const snModel *m, const snState *s, int32_t constraint, const double velocity[6])
{
    const snConstraint *c = &m->constraint[constraint];
    double power = 0;
    for (int32_t i = m->strand_cordadr[c->strand]; i < m->strand_cordadr[c->strand + 1]; ++i) {
        const snPathCord *k = &m->cord[i];
        const snCordNode *node = s->cord_node + k->node;
        double pull = s->cord_tension[i];
        for (int32_t e = 0; e < s->cord_nnode[i]; ++e) {
            bool first = e == 0, last = e + 1 == s->cord_nnode[i];
            if (node[e].point >= 0 && k->constraint[node[e].point] == constraint) {
                if (!last) power += node_power(s, c->body, &node[e], node[e].t, velocity, pull);
                if (!first) power -= node_power(s, c->body, &node[e], node[e].arrive, velocity, pull);
            }
            if (node[e].gate && gate_constraint(m, k, &node[e]) == constraint)
                power += node_power(s, c->body, &node[e], v3_sub(node[e].t, node[e].arrive), velocity, pull);
            if (!node[e].arc) continue;
            int32_t from, to;
            arc_range(m, k, &node[e], &from, &to);
            if (constraint < from || constraint >= to) continue;
            power += (node_power(s, c->body, &node[e + 1], node[e + 1].t, velocity, pull) -
                      node_power(s, c->body, &node[e], node[e].t, velocity, pull)) /
                     (to - from);
        }
    }
    return power;
}
