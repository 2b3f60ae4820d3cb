/* Masses: of <inertial>, or of the geoms as MuJoCo does it; then of welded bodies together. */
#include "io/mjcf.h"

#include <string.h>

typedef struct Lump {
    double mass, inertia[6]; /* about com, world axes: xx yy zz xy xz yz */
    v3 com;
} Lump;

static m3 tensor_of(const double i[6])
{
    return (m3){{i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]}};
}

/* A tensor in axes q, in world axes. */
static void turn_inertia(quat q, const double from[6], double to[6])
{
    m3 r = m3_from_q(q), t = tensor_of(from), rt = m3_mul(&r, &t), w;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            w.m[3 * i + j] = 0;
            for (int k = 0; k < 3; ++k) w.m[3 * i + j] += rt.m[3 * i + k] * r.m[3 * j + k];
        }
    to[0] = w.m[0], to[1] = w.m[4], to[2] = w.m[8], to[3] = w.m[1], to[4] = w.m[2], to[5] = w.m[5];
}

/* Adds the inertia of a point mass at d. */
static void add_steiner(double mass, v3 d, double i[6])
{
    i[0] += mass * (d.y * d.y + d.z * d.z), i[1] += mass * (d.x * d.x + d.z * d.z);
    i[2] += mass * (d.x * d.x + d.y * d.y);
    i[3] -= mass * d.x * d.y, i[4] -= mass * d.x * d.z, i[5] -= mass * d.y * d.z;
}

static void join(mjcfBody *b, const Lump *l)
{
    double mass = b->mass + l->mass;
    if (!(l->mass > 0)) return;
    v3 com = v3_scale(v3_add(v3_scale(b->com, b->mass), v3_scale(l->com, l->mass)), 1 / mass);
    add_steiner(b->mass, v3_sub(b->com, com), b->inertia);
    add_steiner(l->mass, v3_sub(l->com, com), b->inertia);
    for (int i = 0; i < 6; ++i) b->inertia[i] += l->inertia[i];
    b->mass = mass, b->com = com;
}

/* ---- geoms -------------------------------------------------------------------------------- */

typedef struct Solid {
    double volume, moment[3]; /* of density 1, about its own axes */
} Solid;

static Solid capsule(double r, double half)
{
    double tube = SN_PI * r * r * 2 * half, ball = 4 * SN_PI * r * r * r / 3;
    double across = tube * (3 * r * r + 4 * half * half) / 12 + ball * (0.4 * r * r + half * half + 0.75 * half * r);
    return (Solid){tube + ball, {across, across, tube * r * r / 2 + ball * 0.4 * r * r}};
}

static bool solid_of(const char *type, const double s[3], Solid *out)
{
    double v, x2 = s[0] * s[0], y2 = s[1] * s[1], z2 = s[2] * s[2];
    if (strcmp(type, "sphere") == 0) {
        v = 4 * SN_PI * s[0] * x2 / 3;
        *out = (Solid){v, {0.4 * v * x2, 0.4 * v * x2, 0.4 * v * x2}};
    } else if (strcmp(type, "capsule") == 0)
        *out = capsule(s[0], s[1]);
    else if (strcmp(type, "cylinder") == 0) {
        v = SN_PI * x2 * 2 * s[1];
        *out = (Solid){v, {v * (3 * x2 + 4 * y2) / 12, v * (3 * x2 + 4 * y2) / 12, v * x2 / 2}};
    } else if (strcmp(type, "ellipsoid") == 0) {
        v = 4 * SN_PI * s[0] * s[1] * s[2] / 3;
        *out = (Solid){v, {v * (y2 + z2) / 5, v * (x2 + z2) / 5, v * (x2 + y2) / 5}};
    } else if (strcmp(type, "box") == 0) {
        v = 8 * s[0] * s[1] * s[2];
        *out = (Solid){v, {v * (y2 + z2) / 3, v * (x2 + z2) / 3, v * (x2 + y2) / 3}};
    } else
        return false;
    return true;
}

static snStatus add_geom(snMjcf *m, const mjcfPlace *g, mjcfBody *b, bool *mesh)
{
    double size[3] = {0}, ends[6], mass = -1, density = 1000;
    int given = 0, has_ends = 0;
    Solid solid;
    const char *type = mjcf_get(m, g->node, g->childclass, "type", "sphere");
    snStatus status = mjcf_numbers(m, g->node, g->childclass, "size", 0, 3, size, &given);
    if (!status) status = mjcf_numbers(m, g->node, g->childclass, "fromto", 6, 6, ends, &has_ends);
    if (!status) status = mjcf_numbers(m, g->node, g->childclass, "mass", 1, 1, &mass, NULL);
    if (!status) status = mjcf_numbers(m, g->node, g->childclass, "density", 1, 1, &density, NULL);
    if (status) return status;
    if (has_ends) size[1] = v3_dist(v3_load(ends), v3_load(ends + 3)) / 2;
    *mesh = *mesh || strcmp(type, "mesh") == 0;
    if (!solid_of(type, size, &solid) || !(solid.volume > 0)) return SN_OK;
    if (mass >= 0) density = mass / solid.volume;
    Lump l = {.mass = density * solid.volume, .com = g->frame.p};
    double own[6] = {density * solid.moment[0], density * solid.moment[1], density * solid.moment[2], 0, 0, 0};
    turn_inertia(g->frame.q, own, l.inertia);
    join(b, &l);
    return SN_OK;
}

static snStatus from_geoms(snMjcf *m, int32_t body)
{
    mjcfBody *b = &m->body.at[body];
    bool mesh = false;
    snStatus status = SN_OK;
    for (int32_t i = 0; i < m->geom.count && !status; ++i)
        if (m->geom.at[i].body == body) status = add_geom(m, &m->geom.at[i], b, &mesh);
    b->estimated = mesh;
    if (!status && mesh)
        status = mjcf_miss(m, b->node, "body without inertial: its meshes do not count, so that its mass is %.3g kg",
                           b->mass);
    return status;
}

static snStatus from_inertial(snMjcf *m, mjcfBody *b, const snXmlNode *node)
{
    rigid frame;
    double full[6] = {0}, moment[6] = {0};
    int is_full = 0;
    snStatus status = mjcf_frame(m, node, NULL, &frame);
    if (!status) status = mjcf_numbers(m, node, NULL, "mass", 1, 1, &b->mass, NULL);
    if (!status) status = mjcf_numbers(m, node, NULL, "diaginertia", 3, 3, moment, NULL);
    if (!status) status = mjcf_numbers(m, node, NULL, "fullinertia", 6, 6, full, &is_full);
    if (status) return status;
    if (b->mass < 0) return mjcf_fail(m, node, "give a mass of 0 or more", "the mass is %g kg", b->mass);
    frame = rigid_mul(b->drawn, frame);
    b->com = frame.p;
    turn_inertia(frame.q, is_full ? full : moment, b->inertia);
    return SN_OK;
}

/* What MuJoCo does with boundmass, boundinertia and balanceinertia: no less than so much, and a tensor that some solid
 * has. */
static snStatus make_sound(snMjcf *m, mjcfBody *b)
{
    static const double least_mass = 1e-9, least_inertia = 1e-12; /* kg, kg m^2: what stands for nothing */
    double moment[3];
    m3 t = tensor_of(b->inertia), axes;
    b->mass = fmax(b->mass, fmax(m->least_mass, least_mass));
    double least = fmax(m->least_inertia, least_inertia);
    m3_eigen_symmetric(&t, moment, &axes);
    bool solid = moment[0] >= least && moment[2] <= (moment[0] + moment[1]) * (1 + 1e-9);
    if (solid) return SN_OK;
    double most = fmax(least, (fabs(moment[0]) + fabs(moment[1]) + fabs(moment[2])) / 3);
    for (int i = 0; i < 6; ++i) b->inertia[i] = i < 3 ? most : 0;
    return m->least_inertia > 0 || !(moment[2] > 0)
               ? SN_OK
               : mjcf_miss(m, b->node, "no solid has its inertia: %.3g kg m^2 about every axis stands for it", most);
}

snStatus mjcf_read_masses(snMjcf *m)
{
    snStatus status = SN_OK;
    for (int32_t i = 1; i < m->body.count && !status; ++i) {
        mjcfBody *b = &m->body.at[i];
        const snXmlNode *inertial = sn_xml_child(b->node, "inertial");
        b->com = b->drawn.p;
        if (inertial && !m->mass_by_geoms)
            status = from_inertial(m, b, inertial);
        else if (!m->mass_by_inertial)
            status = from_geoms(m, i);
    }
    /* welded bodies, the last first: what hangs on them is in them already */
    for (int32_t i = m->body.count - 1; i > 0; --i) {
        mjcfBody *b = &m->body.at[i], *owner = &m->body.at[b->owner];
        Lump l = {.mass = b->mass, .com = b->com};
        memcpy(l.inertia, b->inertia, sizeof l.inertia);
        if (b->owner != i && b->owner) join(owner, &l);
    }
    for (int32_t i = 1; i < m->body.count && !status; ++i)
        if (m->body.at[i].owner == i) status = make_sound(m, &m->body.at[i]);
    return status;
}
