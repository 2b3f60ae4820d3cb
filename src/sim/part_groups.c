/* Muscle groups: the rows that keep their volume, and the measure of it.
 *
 * A division of a group has the volume V = sum of area times speed over its stations. A spring acts on the radius
 * f = sqrt(V / (pi L)) of the cylinder with that volume and the division's length as drawn. With f_q = radius
 * sqrt(speed / speed as drawn) at a station, as in strand/section.h, f^2 = sum of share_q f_q^2,  share_q = weight_q
 * speed_q0 / L,  df = sum of share_q f_q / f df_q. The row holds the whole gradient, by points and by tangents, so that
 * the force is that of an energy: a bundle that is squeezed gets longer, one that shortens gets thicker, and neither
 * gains energy. */
#include "sim/measure.h"
#include "sim/state.h"

#include <math.h>
#include <string.h>

static snSection section_of(const snModel *m, const snState *s, const snStation *station, double *dpoint,
                            double *dtangent)
{
    const snVolume *g = &m->volume[station->group];
    double *tangent = s->section + 3 * g->nstrand;
    sn_station_cross(m, station, s->point, s->section, tangent);
    return sn_section(g->nstrand, s->section, tangent, g->disc, station->rest_speed, dpoint, dtangent);
}

static double share_of(const snDivision *d, const snStation *station)
{
    return station->weight * station->rest_speed / d->rest_length;
}

static double f_of(snSection now, const snStation *station)
{
    return now.radius * sqrt(now.speed / station->rest_speed);
}

/* Radius of the division's volume, m. */
static double division_radius(const snModel *m, const snState *s, const snDivision *d)
{
    double sum = 0;
    for (int32_t i = d->station; i < d->station + d->nstation; ++i) {
        double f = f_of(section_of(m, s, &m->station[i], NULL, NULL), &m->station[i]);
        sum += share_of(d, &m->station[i]) * f * f;
    }
    return sqrt(sum);
}

static void station_parts(const snModel *m, snState *s, const snDivision *d, const snStation *station, double radius,
                          snKktPart *part)
{
    const snVolume *g = &m->volume[d->group];
    double *dpoint = s->section + 6 * g->nstrand, dtangent[3];
    double factor = share_of(d, station) * f_of(section_of(m, s, station, dpoint, dtangent), station) / radius;
    v3 along = v3_scale(v3_load(dtangent), factor);
    for (int32_t i = 0; i < g->nstrand; ++i, part += 2) {
        const snCrossing *x = &station->crossing[i];
        part[0].span = part[1].span = x->span;
        memcpy(part[0].b, x->b, sizeof x->b);
        memcpy(part[1].b, x->d, sizeof x->d);
        v3_store(part[0].n, v3_scale(v3_load(dpoint + 3 * i), factor));
        v3_store(part[1].n, along);
    }
}

static void assemble(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < m->ndivision; ++i) {
        const snDivision *d = &m->division[i];
        const snVolume *g = &m->volume[d->group];
        snKktPart *part = s->value->part + m->pattern.link_partadr[d->link];
        double radius = fmax(division_radius(m, s, d), 1e-9);
        for (int32_t k = 0; k < d->nstation; ++k)
            station_parts(m, s, d, &m->station[d->station + k], radius, part + 2 * k * g->nstrand);
        sn_rows_link_spring(s, d->link, radius - d->rest_radius, g->kp, g->kd);
    }
}

/* Volumes are kept by second moments, which are smooth, and shown by the hulls of the strands, as one sees them: when
 * the strands of a bundle spread within it, the two part. As drawn they are the same. */
static void measure(const snModel *m, snState *s)
{
    for (int32_t g = 0; g < m->nvolume; ++g) {
        const snVolume *v = &m->volume[g];
        double volume = 0, length = 0;
        for (int32_t k = v->station; k < v->station + v->nstation; ++k) {
            snSection now = section_of(m, s, &m->station[k], NULL, NULL);
            double hull = sn_section_hull(v->nstrand, s->section, s->section + 3 * v->nstrand);
            double area = m->station[k].fill > 0 ? m->station[k].fill * hull : now.area;
            volume += m->station[k].weight * area * now.speed, length += m->station[k].weight * now.speed;
        }
        s->out_volume[g] = volume, s->out_axis[g] = length, s->out_area[g] = length > 0 ? volume / length : 0;
    }
}

/* Of the springs that keep volume, J. */
static void energy(const snModel *m, const snState *s, snEnergy *sum)
{
    double elastic = 0;
    for (int32_t i = 0; i < m->ndivision; ++i) {
        double gap = division_radius(m, s, &m->division[i]) - m->division[i].rest_radius;
        elastic += 0.5 * m->volume[m->division[i].group].kp * gap * gap;
    }
    sum->elastic += elastic;
}

const snPart sn_part_groups = {.name = "groups", .assemble = assemble, .measure = measure, .energy = energy};
