/* The plain part of the plant: reading and setting between steps. Responses are in response.c, efforts in effort.c. */
#include "sim/plant.h"

#include "math/spline.h"
#include "sim/paths.h"

#include <string.h>

double sn_plant_step(const snState *s)
{
    return s->h;
}

void sn_plant_set_step(snState *s, double h)
{
    s->h = h;
}

const rigid *sn_plant_bodies(const snState *s)
{
    return s->body;
}

const double *sn_plant_coordinates(const snState *s)
{
    return s->out_coordinate;
}

double *sn_plant_activation(snState *s)
{
    return s->activation;
}

double *sn_plant_strength(snState *s)
{
    return s->strength;
}

double *sn_plant_force(snState *s)
{
    return s->force;
}

double *sn_plant_torque(snState *s)
{
    return s->torque;
}

snTreeSim *sn_plant_tree(snState *s)
{
    return s->tree;
}

rigid sn_node_pose(const snModel *m, const snState *s, int32_t body)
{
    return rigid_mul(s->body[body], m->body_node[body]);
}

void sn_plant_aim(snState *s, int32_t body, rigid pose)
{
    s->body_target[body] = pose;
}

void sn_plant_drive(const snModel *m, snState *s, int32_t body, bool on)
{
    s->driven[body] = on && m->body_free[body] >= 0;
}

void sn_plant_put_body(snState *s, int32_t body, rigid pose, const double velocity[6])
{
    s->body[body] = pose;
    s->cords_placed = false;
    memcpy(s->velocity + 6 * body, velocity, sizeof(double) * 6);
}

void sn_plant_put_points(const snModel *m, snState *s, const double *point, const double *pointdot)
{
    memcpy(s->point, point, sizeof(double) * 3 * (size_t)m->npoint);
    memcpy(s->pointdot, pointdot, sizeof(double) * 3 * (size_t)m->npoint);
}

snController sn_plant_control(snState *s, snController controller)
{
    snController before = {s->choose, s->choose_context};
    s->choose = controller.choose;
    s->choose_context = controller.context;
    return before;
}

/* ---- strands -------------------------------------------------------------------------------- */

v3 sn_plant_strand_point(const snModel *m, const snState *s, int32_t strand, double parameter, v3 *tangent)
{
    const snStrand *st = &m->strand[strand];
    const double *q = s->point + 3 * m->strand_pointadr[strand];
    double b[4], d[4];
    int32_t span = spline_basis(st->knot, st->n, parameter, 0, b, d, NULL);
    v3 p = {0, 0, 0}, t = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        p = v3_mad(p, b[k], v3_load(q + 3 * (span + k)));
        t = v3_mad(t, d[k], v3_load(q + 3 * (span + k)));
    }
    *tangent = v3_unit(t);
    return p;
}

double sn_plant_strand_energy(const snModel *m, const snState *s, int32_t strand)
{
    if (strand >= m->nspline) return sn_paths_strand_energy(m, s, strand);
    const double *q = s->point + 3 * m->strand_pointadr[strand];
    return sn_strand_energy(&m->strand[strand], q, sn_drive_of_strand(m, s, strand));
}

v3 sn_plant_strand_end(const snState *s, int32_t strand, bool insertion)
{
    return v3_load((insertion ? s->out_insertion : s->out_origin) + 3 * strand);
}

bool sn_plant_end_is_held(const snState *s, int32_t strand, bool insertion)
{
    return (insertion ? s->insertion : s->origin)[strand] >= 0;
}

double sn_plant_strand_length(const snState *s, int32_t strand)
{
    return s->out_length[strand];
}

double sn_plant_parameter(const snState *s, int32_t constraint)
{
    return s->s[constraint];
}

v3 sn_plant_link_force(const snModel *m, const snState *s, int32_t constraint)
{
    int32_t strand = m->constraint[constraint].strand;
    if (strand >= m->nspline) return sn_plant_strand_end(s, strand, s->insertion[strand] == constraint);
    return v3_scale(v3_load(s->solution + s->link0 + m->constraint[constraint].link), 1 / s->h);
}

double sn_plant_across_power(const snModel *m, const snState *s, int32_t constraint, const double *velocity)
{
    return sn_paths_across_power(m, s, constraint, velocity);
}

double sn_plant_power(const snModel *m, const snState *s, int32_t constraint, const double velocity[6])
{
    const snConstraint *c = &m->constraint[constraint];
    if (c->strand >= m->nspline) return sn_paths_power(m, s, constraint, velocity);
    double power = 0;
    for (int32_t r = c->row; r < c->row + c->nrow; ++r) {
        double speed = 0;
        if (!s->own_on[r]) continue;
        for (int i = 0; i < 6; ++i) speed += s->value->own_J[6 * r + i] * velocity[i];
        power -= s->solution[s->own0 + r] / s->h * speed;
    }
    return power;
}
