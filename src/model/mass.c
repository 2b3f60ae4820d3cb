/* Mass, centre and inertia of a body: as given, from its meshes, or as a cylinder. */
#include "model/compile.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geom/mesh.h"
#include "model/own/mass.h"

#include <math.h>
#include <string.h>

static m3 diagonal(double x, double y, double z)
{
    return (m3){{x, 0, 0, 0, y, 0, 0, 0, z}};
}

/* Moves a tensor about the centre to a point `arm` away. */
static void add_shifted(m3 *sum, const m3 *inertia, double mass, v3 arm)
{
    double a[3], d2 = v3_len2(arm);
    v3_store(a, arm);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            sum->m[3 * i + j] += inertia->m[3 * i + j] + mass * ((i == j ? d2 : 0) - a[i] * a[j]);
}

/* Solid cylinder along one axis of the node. */
static snMass cylinder(const snBodyDef *def, double mass, int axis)
{
    double r2 = def->radius * def->radius, l2 = def->length * def->length;
    double across = mass * (3 * r2 + l2) / 12, along = mass * r2 / 2;
    snMass out = {.mass = mass};
    out.inertia = diagonal(axis == 0 ? along : across, axis == 1 ? along : across, axis == 2 ? along : across);
    return out;
}

/* Mass properties of one mesh node in the body's frame; volume zero when it is not closed. */
static snStatus of_mesh(const snSpec *spec, snId id, rigid frame, double density, snMass *out, snError *error)
{
    const snNodeDef *node = sn_spec_node(spec, id);
    affine world = sn_node_world(spec, id);
    snTriMesh mesh;
    snMeshPlace place;
    if (!sn_trimesh_alloc(&mesh, node->nvertex, node->ntriangle)) return sn_fail_no_memory(error);
    for (int32_t k = 0; k < node->nvertex; ++k)
        v3_store(mesh.vertex + 3 * k, rigid_unapply(frame, affine_apply(&world, v3_load(node->vertex + 3 * k))));
    memcpy(mesh.triangle, node->triangle, sizeof(int32_t) * 3 * (size_t)node->ntriangle);
    snStatus status = sn_trimesh_check(&mesh, true, &place);
    *out = (snMass){0};
    if (status == SN_OK) {
        double volume;
        sn_trimesh_integrals(&mesh, &volume, &out->center, &out->inertia);
        out->mass = density * volume;
        for (int i = 0; i < 9; ++i) out->inertia.m[i] *= density;
    }
    sn_trimesh_free(&mesh);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(error) : SN_OK;
}

static snMass combined(const snMass *a, const snMass *b)
{
    snMass sum = {.mass = a->mass + b->mass};
    sum.center = v3_scale(v3_add(v3_scale(a->center, a->mass), v3_scale(b->center, b->mass)), 1 / sum.mass);
    add_shifted(&sum.inertia, &a->inertia, a->mass, v3_sub(a->center, sum.center));
    add_shifted(&sum.inertia, &b->inertia, b->mass, v3_sub(b->center, sum.center));
    return sum;
}

/* All closed meshes of the body together; found is false when there is none. */
static snStatus from_meshes(const snSpec *spec, snId body, double density, snMass *out, bool *found, snError *error)
{
    snId own = sn_body_node(spec, body);
    rigid frame = sn_node_frame(spec, own);
    *found = false;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE); ++id) {
        const snNodeDef *node = sn_spec_node(spec, id);
        if (node->kind != SN_NODE_MESH || node->ntriangle == 0) continue;
        if (!sn_node_is_under(spec, id, own) || sn_node_body(spec, id) != body) continue; /* the quick question first */
        snMass part;
        snStatus status = of_mesh(spec, id, frame, density, &part, error);
        if (status != SN_OK) return status;
        if (!(part.mass > 0)) continue;
        *out = *found ? combined(out, &part) : part;
        *found = true;
    }
    return SN_OK;
}

static void use_given(const snSpec *spec, snId body, const snBodyDef *def, snMass *mass)
{
    if (def->mass > 0 && mass->mass > 0 && def->mass_from != SN_MASS_MESH) {
        for (int i = 0; i < 9; ++i) mass->inertia.m[i] *= def->mass / mass->mass;
        mass->mass = def->mass;
    }
    snId locator = def->center_of_mass[0] ? sn_spec_find(spec, SN_KIND_NODE, def->center_of_mass) : 0;
    if (locator)
        mass->center = rigid_unapply(sn_node_frame(spec, sn_body_node(spec, body)), sn_node_frame(spec, locator).p);
    if (def->inertia[0] > 0 && def->inertia[1] > 0 && def->inertia[2] > 0) {
        const double *d = def->inertia, *p = def->inertia_products;
        mass->inertia = (m3){{d[0], p[0], p[1], p[0], d[1], p[2], p[1], p[2], d[2]}};
    }
}

static snStatus find_mass(const snSpec *spec, snId body, snMass *mass, bool *meshes, snError *error)
{
    const snBodyDef *def = sn_spec_body(spec, body);
    bool found = false;
    if (def->mass_from == SN_MASS_AUTO || def->mass_from == SN_MASS_MESH) {
        snStatus status = from_meshes(spec, body, def->density, mass, &found, error);
        if (status != SN_OK) return status;
    }
    if (!found) *mass = cylinder(def, def->density * SN_PI * def->radius * def->radius * def->length, 1);
    use_given(spec, body, def, mass);
    *meshes = found;
    return SN_OK;
}

snStatus sn_body_mass(const snSpec *spec, snId body, snMass *mass, snError *error)
{
    bool meshes;
    return find_mass(spec, body, mass, &meshes, error);
}

snStatus sn_measure_body(const snSpec *spec, snId body, snBodyMass *out, snError *error)
{
    if (!sn_spec_body(spec, body) || !out) return sn_fail_argument(error, "sn_measure_body without spec or mass");
    snMass mass;
    bool meshes = false;
    if (!sn_body_node(spec, body)) {
        (void)sn_fail(error, SN_BAD_INPUT, "the scene has no group for the body");
        sn_error_element(error, "RigidBody", sn_spec_body(spec, body)->name);
        return SN_BAD_INPUT;
    }
    snStatus status = find_mass(spec, body, &mass, &meshes, error);
    if (status != SN_OK) return status;
    out->mass = mass.mass;
    v3_store(out->center, mass.center);
    memcpy(out->inertia, mass.inertia.m, sizeof out->inertia);
    out->shape = meshes ? SN_MASS_MESH : SN_MASS_CYLINDER;
    return SN_OK;
}
