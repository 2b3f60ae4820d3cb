/* Muscles: who contracts together; and the cross-sections of groups, at which volume is measured and may be kept. */
#include "model/compile.h"

#include "base/error.h"
#include "math/spline.h"

#include <math.h>
#include <string.h>

/* Of the mean second moment of a bundle: keeps the area of one that is flattened regular. */
static const double LEAST_DISC = 1e-4;
static const double LEAST_HULL = 0.1; /* of a section: a smaller hull is a flat one */

static snStatus start_muscle(snCompiler *c, const char *name)
{
    snModel *m = c->m;
    int32_t k = m->nmuscle++;
    m->muscle_name[k] = sn_compile_text(c, name);
    m->muscle_strandadr[k + 1] = m->muscle_strandadr[k];
    if (!m->muscle_name[k] || !sn_map_put(&m->muscle_map, m->muscle_name[k], k)) return sn_fail_no_memory(c->error);
    return SN_OK;
}

static void add_to_muscle(snModel *m, int32_t strand)
{
    int32_t k = m->nmuscle - 1;
    if (m->strand_muscle[strand] >= 0 || !(m->strand_force[strand] > 0)) return;
    m->muscle_strand[m->muscle_strandadr[k + 1]++] = strand;
    m->strand_muscle[strand] = k;
}

/* Next name of a blank-separated list as a strand index, -1 for a disabled one; false at the end. */
static bool next_strand(const snCompiler *c, const char **list, int32_t *strand)
{
    char name[256];
    size_t n = 0;
    while (**list == ' ' || **list == '\n' || **list == '\t' || **list == '\r') ++*list;
    if (!**list) return false;
    while (**list && !strchr(" \n\t\r", **list)) {
        if (n + 1 < sizeof name) name[n++] = **list;
        ++*list;
    }
    name[n] = 0;
    snId id = sn_spec_find(c->spec, SN_KIND_STRAND, name);
    *strand = id ? c->strand_of[id - 1] : -1;
    return true;
}

/* ---- cross-sections ------------------------------------------------------------------------- */

static snStatus compile_crossings(snCompiler *c, const snVolume *v, snStation *station)
{
    snModel *m = c->m;
    snCrossing *crossing;
    if (!COMPILE_ARRAY(c, crossing, v->nstrand)) return SN_NO_MEMORY;
    for (int32_t i = 0; i < v->nstrand; ++i) {
        const snStrand *st = &m->strand[v->strand[i]];
        snCrossing *x = &crossing[i];
        x->span = spline_basis(st->knot, st->n, sn_strand_parameter(st, station->position), 0, x->b, x->d, NULL);
        for (int k = 0; k < 4; ++k) x->d[k] *= st->knot[st->n] - st->knot[3];
    }
    station->crossing = crossing;
    return SN_OK;
}

/* The section as drawn; point and tangent are scratch. */
static snSection drawn_section(const snModel *m, const snVolume *v, const snStation *station, double *point,
                               double *tangent)
{
    sn_station_cross(m, station, m->rest_point, point, tangent);
    return sn_section(v->nstrand, point, tangent, v->disc, 1, NULL, NULL);
}

/* Sheets and one or two strands have no area but through the strands' own thickness; a bundle
 * is what its strands fill. */
static double disc_of(const snModel *m, const snGroupDef *def, const snVolume *v, double *point, double *tangent)
{
    double radius = 0, area = 0;
    for (int32_t i = 0; i < v->nstrand; ++i) radius += m->strand_radius[v->strand[i]] / v->nstrand;
    if (def->type == SN_GROUP_SHEET || v->nstrand < 3) return radius * radius / 4;
    for (int32_t k = 0; k < v->nstation; ++k) {
        snSection s = drawn_section(m, v, &m->station[v->station + k], point, tangent);
        area += s.area / v->nstation;
    }
    return area > 0 ? LEAST_DISC * area : radius * radius / 4;
}

/* Points and weights of Gauss on 0 to 1: three for a division that is kept, the middle for one that is measured. */
enum { KEPT_POINTS = 3 };
static const double kept_at[KEPT_POINTS] = {0.1127016653792583, 0.5, 0.8872983346207417},
                    kept_weight[KEPT_POINTS] = {5 / 18.0, 8 / 18.0, 5 / 18.0};

static bool is_kept(const snGroupDef *def, int32_t nstrand)
{
    return def->preserve && def->type == SN_GROUP_VOLUMETRIC && nstrand > 1;
}

static snStatus place_stations(snCompiler *c, const snGroupDef *def, snVolume *v)
{
    snModel *m = c->m;
    int32_t points = is_kept(def, v->nstrand) ? KEPT_POINTS : 1;
    double width = (def->end - def->start) / def->divisions;
    for (int32_t k = 0; k < def->divisions * points; ++k) {
        snStation *s = &m->station[m->nstation++];
        double at = points > 1 ? kept_at[k % points] : 0.5, weight = points > 1 ? kept_weight[k % points] : 1;
        *s = (snStation){
            .group = m->nvolume, .position = def->start + width * (k / points + at), .weight = width * weight};
        snStatus status = compile_crossings(c, v, s);
        if (status != SN_OK) return status;
        ++v->nstation;
    }
    return SN_OK;
}

static void compile_divisions(snModel *m, const snGroupDef *def, const snVolume *v, double *point, double *tangent)
{
    for (int32_t k = 0; k < def->divisions; ++k) {
        snDivision *d = &m->division[m->ndivision++];
        *d = (snDivision){.group = m->nvolume, .station = v->station + k * KEPT_POINTS, .nstation = KEPT_POINTS};
        double volume = 0;
        for (int32_t i = d->station; i < d->station + d->nstation; ++i) {
            snSection drawn = drawn_section(m, v, &m->station[i], point, tangent);
            d->rest_length += m->station[i].weight * drawn.speed;
            volume += m->station[i].weight * drawn.area * drawn.speed;
        }
        d->rest_radius = sqrt(volume / (SN_PI * d->rest_length));
    }
}

static snStatus compile_stations(snCompiler *c, const snGroupDef *def, snVolume *v)
{
    snModel *m = c->m;
    double *point, *tangent;
    if (!COMPILE_ARRAY(c, point, 3 * v->nstrand) || !COMPILE_ARRAY(c, tangent, 3 * v->nstrand)) return SN_NO_MEMORY;
    snStatus status = place_stations(c, def, v);
    if (status != SN_OK) return status;
    v->disc = disc_of(m, def, v, point, tangent);
    for (int32_t k = v->station; k < v->station + v->nstation; ++k) {
        snSection drawn = drawn_section(m, v, &m->station[k], point, tangent);
        double hull = sn_section_hull(v->nstrand, point, tangent);
        m->station[k].rest_speed = drawn.speed;
        m->station[k].fill = def->type == SN_GROUP_VOLUMETRIC && hull > LEAST_HULL * drawn.area ? drawn.area / hull : 0;
    }
    if (is_kept(def, v->nstrand)) compile_divisions(m, def, v, point, tangent);
    return SN_OK;
}

static snStatus compile_volume(snCompiler *c, const snGroupDef *def)
{
    snModel *m = c->m;
    snVolume *v = &m->volume[m->nvolume];
    int32_t *list, strand, n = 0;
    if (!COMPILE_ARRAY(c, list, m->nstrand)) return SN_NO_MEMORY;
    for (const char *at = def->strands; next_strand(c, &at, &strand);)
        if (strand >= 0) list[n++] = strand;
    *v = (snVolume){.nstrand = n, .strand = list, .station = m->nstation, .kp = def->kp, .kd = def->kd};
    snStatus status = n > 0 ? compile_stations(c, def, v) : SN_OK;
    ++m->nvolume;
    return status;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static snStatus compile_group(snCompiler *c, const snGroupDef *def)
{
    int32_t strand;
    snStatus status = start_muscle(c, def->name);
    if (status != SN_OK) return status;
    for (const char *at = def->strands; next_strand(c, &at, &strand);)
        if (strand >= 0) add_to_muscle(c->m, strand);
    return compile_volume(c, def);
}

static snStatus list_actuators(snCompiler *c)
{
    snModel *m = c->m;
    if (!COMPILE_ARRAY(c, m->actuator, m->nstrand)) return SN_NO_MEMORY;
    for (int32_t i = 0; i < m->nstrand; ++i)
        if (m->strand_muscle[i] >= 0)
            m->actuator[m->nactuator++] = (snActuator){.muscle = m->strand_muscle[i],
                                                       .through = i < m->nspline ? SN_THROUGH_STRAND : SN_THROUGH_PATH,
                                                       .index = i,
                                                       .force = m->strand_force[i]};
    return SN_OK;
}

snStatus sn_compile_muscles(snCompiler *c)
{
    snModel *m = c->m;
    int32_t ngroup = sn_spec_count(c->spec, SN_KIND_GROUP), ndivision = 0;
    for (snId id = 1; id <= ngroup; ++id) ndivision += sn_spec_group(c->spec, id)->divisions;
    if (!COMPILE_ARRAY(c, m->muscle_name, ngroup + m->nstrand) ||
        !COMPILE_ARRAY(c, m->muscle_strandadr, ngroup + m->nstrand + 1) ||
        !COMPILE_ARRAY(c, m->muscle_strand, m->nstrand) || !COMPILE_ARRAY(c, m->volume, ngroup) ||
        !COMPILE_ARRAY(c, m->station, KEPT_POINTS * (int64_t)ndivision) || !COMPILE_ARRAY(c, m->division, ndivision))
        return SN_NO_MEMORY;
    for (snId id = 1; id <= ngroup; ++id) {
        snStatus status = compile_group(c, sn_spec_group(c->spec, id));
        if (status != SN_OK) return status;
    }
    for (int32_t i = 0; i < m->nstrand; ++i) {
        if (m->strand_muscle[i] >= 0 || !(m->strand_force[i] > 0)) continue;
        snStatus status = start_muscle(c, m->strand_name[i]);
        if (status != SN_OK) return status;
        add_to_muscle(m, i);
    }
    return list_actuators(c);
}
