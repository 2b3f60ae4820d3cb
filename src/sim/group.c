/* Muscle groups: the rows that keep their volume, and the measure of it.
 *
 * At each station a spring acts on f = radius sqrt(stretch of the axis), which is constant where the section keeps its
 * volume (see strand/section.h). The row holds the whole gradient, by points and by tangents, so that the force is
 * that of an energy: a bundle that is squeezed gets longer, one that shortens gets thicker, and neither gains energy.
 */
#include "sim/state.h"

#include <math.h>
#include <string.h>

static void station_row(const snModel *m, snState *s, const snStation *station)
{
    const snVolume *g = &m->volume[station->group];
    snKktPart *part = s->value->part + m->pattern.link_partadr[station->link];
    double *point = s->section, *tangent = point + 3 * g->nstrand, *dpoint = tangent + 3 * g->nstrand, dtangent[3];
    sn_station_cross(m, station, s->point, point, tangent);
    snSection now = sn_section(g->nstrand, point, tangent, g->disc, station->rest_speed, dpoint, dtangent);
    for (int32_t i = 0; i < g->nstrand; ++i) {
        const snCrossing *x = &station->crossing[i];
        part[2 * i].span = part[2 * i + 1].span = x->span;
        memcpy(part[2 * i].b, x->b, sizeof x->b);
        memcpy(part[2 * i].n, dpoint + 3 * i, sizeof part->n);
        memcpy(part[2 * i + 1].b, x->d, sizeof x->d);
        memcpy(part[2 * i + 1].n, dtangent, sizeof part->n);
    }
    double gap = now.radius * sqrt(now.speed / station->rest_speed) - station->rest_radius;
    sn_rows_link_spring(s, station->link, gap, g->kp, g->kd);
}

void sn_rows_of_stations(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < m->nstation; ++i)
        if (m->station[i].link >= 0) station_row(m, s, &m->station[i]);
}

static snSection section_of(const snModel *m, const snState *s, const snStation *station)
{
    const snVolume *g = &m->volume[station->group];
    double *tangent = s->section + 3 * g->nstrand;
    sn_station_cross(m, station, s->point, s->section, tangent);
    return sn_section(g->nstrand, s->section, tangent, g->disc, station->rest_speed, NULL, NULL);
}

void sn_measure_groups(const snModel *m, snState *s)
{
    for (int32_t g = 0; g < m->nvolume; ++g) {
        const snVolume *v = &m->volume[g];
        double volume = 0, length = 0;
        for (int32_t k = v->station; k < v->station + v->nstation; ++k) {
            snSection now = section_of(m, s, &m->station[k]);
            volume += m->station[k].weight * now.area * now.speed, length += m->station[k].weight * now.speed;
        }
        s->out_volume[g] = volume, s->out_axis[g] = length, s->out_area[g] = length > 0 ? volume / length : 0;
    }
}

double sn_group_energy(const snModel *m, const snState *s)
{
    double energy = 0;
    for (int32_t i = 0; i < m->nstation; ++i) {
        const snStation *station = &m->station[i];
        if (station->link < 0) continue;
        snSection now = section_of(m, s, station);
        double gap = now.radius * sqrt(now.speed / station->rest_speed) - station->rest_radius;
        energy += 0.5 * m->volume[station->group].kp * gap * gap;
    }
    return energy;
}
