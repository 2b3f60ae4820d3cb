/* Knots of path strands within a state: see path/knot.h. */
#include "sim/paths.h"

#include <string.h>

void sn_junction_add_row(const snModel *m, const snState *s, const snPathCord *k, int32_t junction, v3 n, double *row)
{
    int32_t width = 6 * k->cord.nslot;
    const double *at = s->junction_row + m->knot[k->knot].row + 3 * width * junction;
    for (int32_t e = 0; e < width; ++e) row[e] += n.x * at[e] + n.y * at[width + e] + n.z * at[2 * width + e];
}

typedef struct Solving {
    const snModel *m;
    snState *s;
    const snPathKnot *k;
    snCordSpeed speed[SN_KNOT_CORDS];
} Solving;

static void fill(Solving *v, snKnotCordNow *now)
{
    const snModel *m = v->m;
    snState *s = v->s;
    for (int32_t e = 0; e < v->k->knot.ncord; ++e) {
        int32_t i = v->k->cord[e];
        s->cord_activation[i] = sn_drive_of_strand(m, s, m->cord[i].strand);
        now[e] = (snKnotCordNow){.node = s->cord_node + m->cord[i].node,
                                 .activation = s->cord_activation[i],
                                 .x = s->cord_x[i],
                                 .g = s->cord_g + 6 * m->cord[i].slot};
        v->speed[e] = (snCordSpeed){.left = 1};
    }
}

/* The force-velocity law asks for rates, which come from the equilibrium without it. */
static bool slow_down(void *context, snKnotCordNow *now)
{
    Solving *v = context;
    bool any = false;
    for (int32_t e = 0; e < v->k->knot.ncord; ++e) {
        int32_t i = v->k->cord[e];
        double a = v->s->cord_activation[i], rate = sn_cord_rate(&v->m->cord[i], now[e].g, v->s->velocity);
        if (!(v->m->cord[i].cord.max_velocity > 0)) continue;
        v->speed[e] = sn_cord_speed(&v->m->cord[i].cord, &now[e].pull, rate, a);
        now[e].activation = v->speed[e].left * a;
        any |= now[e].activation != a; /* else speed changes nothing */
    }
    return any;
}

static void keep(const Solving *v, const snKnotCordNow *now, snCordPull *pull)
{
    for (int32_t e = 0; e < v->k->knot.ncord; ++e) {
        int32_t i = v->k->cord[e];
        v->s->cord_nnode[i] = now[e].nnode, v->s->cord_length[i] = now[e].length;
        v->s->cord_rate[i] = sn_cord_rate(&v->m->cord[i], now[e].g, v->s->velocity);
        pull[i] = now[e].pull;
        pull[i].by_a *= v->speed[e].left;
        pull[i].drag = v->speed[e].drag * pull[i].share;
    }
}

/* Where the search starts is kept within a step only, so that it does not matter who has looked in between. */
static void keep_hints(snState *s, const snPathKnot *k, const snKnotCordNow *now, const double *at)
{
    for (int32_t e = 0; e < k->knot.ncord; ++e) s->cord_x[k->cord[e]] = now[e].x;
    memcpy(s->junction_s + k->junction, at, sizeof *at * (size_t)sn_knot_unknowns(&k->knot));
}

void sn_paths_solve_knot(const snModel *m, snState *s, int32_t knot, const rigid *body, snCordPull *pull)
{
    const snPathKnot *k = &m->knot[knot];
    Solving v = {.m = m, .s = s, .k = k};
    snKnotCordNow now[SN_KNOT_CORDS];
    double at[3 * SN_KNOT_JUNCTIONS];
    rigid pose[SN_CORD_BODIES];
    memcpy(at, s->junction_s + k->junction, sizeof *at * (size_t)sn_knot_unknowns(&k->knot));
    for (int32_t b = 0; b < k->knot.nslot; ++b) pose[b] = body[k->body[b]];
    fill(&v, now);
    sn_knot_solve_twice(&k->knot, pose, now, at, s->junction_row + k->row, slow_down, &v);
    keep(&v, now, pull);
    if (pull == s->cord_pull) keep_hints(s, k, now, at);
}

double sn_paths_across_power(const snModel *m, const snState *s, int32_t constraint, const double *velocity)
{
    int32_t strand = m->constraint[constraint].strand;
    if (m->constraint[constraint].free) return 0; /* pulls balance there */
    bool first = s->origin[strand] == constraint;
    int32_t cord = first ? m->strand_cordadr[strand] : m->strand_cordadr[strand + 1] - 1;
    const snPathCord *branch = &m->cord[cord];
    const snCordNode *end = s->cord_node + branch->node + (first ? 0 : s->cord_nnode[cord] - 1);
    const snPathKnot *knot = &m->knot[branch->knot];
    double row[6 * SN_CORD_BODIES] = {0}, power = 0;
    v3 pull = v3_scale(first ? end->t : v3_neg(end->arrive), s->cord_tension[cord]), along = {0, 0, 0};
    for (int32_t e = 0; e < knot->knot.ncord; ++e) { /* the piece of the trunk that ends there */
        int32_t i = knot->cord[e];
        if (knot->knot.cord[e].branch || knot->knot.cord[e].to != end->junction - 1) continue;
        along = s->cord_node[m->cord[i].node + s->cord_nnode[i] - 1].arrive;
    }
    pull = v3_mad(pull, -v3_dot(pull, along), along);
    sn_junction_add_row(m, s, branch, end->junction - 1, pull, row);
    for (int32_t e = 0; e < 6 * branch->cord.nslot; ++e) power += row[e] * velocity[6 * branch->body[e / 6] + e % 6];
    return power;
}
