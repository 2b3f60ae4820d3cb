/* A soft muscle from a model: mesh, fibres, attachments, bones in the way. */
#include "author/library.h"

#include "base/alloc.h"
#include "base/error.h"
#include "model/node_surface.h"
#include "model/nodes.h"

#include <stdio.h>
#include <string.h>

static const double SPACING = 0.004;  /* m: of the bones' distance grids */
static const double REACH = 0.024;    /* m: of these grids. Points that lie deeper in a muscle count as so deep */
static const double STIFFEST = 2e7;   /* Pa: tendon. A real one is fifty times stiffer, which single precision cannot
                                         hold beside a soft belly; the stretch that is left is below two percent */
static const double END_SHARE = 0.05; /* of a strand's length that counts as its attachment, at least */
static const double CUBES_PER_POINT = 1.5;
static const double ROOM = 0.02; /* m: bones this near to the muscle's box may touch it */

/* ---- bones ---- */

bool sn_bone_distances_create(const snSpec *spec, const snModel *model, snBoneDistances *f)
{
    size_t n = (size_t)sn_count(model, SN_ITEM_BODY);
    *f = (snBoneDistances){.spec = spec, .model = model, .n = (int32_t)n};
    f->known = SN_NEW_ARRAY(uint8_t, n), f->distance = SN_NEW_ARRAY(snDistance, n);
    f->low = SN_NEW_ARRAY(v3, n), f->high = SN_NEW_ARRAY(v3, n);
    if (f->known && f->distance && f->low && f->high) return true;
    sn_bone_distances_free(f);
    return false;
}

void sn_bone_distances_free(snBoneDistances *f)
{
    for (int32_t b = 0; b < f->n && f->distance; ++b) sn_distance_free(f->distance + b);
    sn_free(f->known), sn_free(f->distance), sn_free(f->low), sn_free(f->high);
    *f = (snBoneDistances){0};
}

/* The largest visible closed mesh that hangs on a body. */
static snId bone_mesh(const snSpec *spec, const char *name)
{
    snId body = sn_spec_find(spec, SN_KIND_BODY, name), node = body ? sn_body_node(spec, body) : 0, best = 0;
    for (snId id = 1; node && id <= sn_spec_count(spec, SN_KIND_NODE); ++id) {
        const snNodeDef *def = sn_spec_node(spec, id);
        if (def->kind != SN_NODE_MESH || !def->visible || def->ntriangle == 0 || !sn_node_is_under(spec, id, node))
            continue;
        if (!best || def->ntriangle > sn_spec_node(spec, best)->ntriangle) best = id;
    }
    return best;
}

/* NULL: no closed mesh. */
static const snDistance *bone_distance(snBoneDistances *f, int32_t body, rigid frame)
{
    snTriMesh mesh;
    snError ignored;
    snMeshPlace place;
    if (f->known[body]) return f->distance[body].coefficient ? f->distance + body : NULL;
    f->known[body] = 1;
    snId id = bone_mesh(f->spec, sn_name(f->model, SN_ITEM_BODY, body));
    f->low[body] = v3_of(1, 1, 1), f->high[body] = v3_of(-1, -1, -1);
    if (!id || !sn_node_mesh(f->spec, id, frame, &mesh)) return NULL;
    if (sn_trimesh_check(&mesh, true, &place) == SN_OK && place.defect == SN_MESH_SOUND &&
        sn_distance_create_reaching(&mesh, SPACING, REACH, f->distance + body, &ignored) == SN_OK) {
        f->low[body] = v3_of(INFINITY, INFINITY, INFINITY), f->high[body] = v3_scale(f->low[body], -1);
        for (int32_t i = 0; i < mesh.nvertex; ++i) {
            v3 p = rigid_apply(frame, sn_trimesh_point(&mesh, i));
            v3 *l = f->low + body, *h = f->high + body;
            *l = v3_of(fmin(l->x, p.x), fmin(l->y, p.y), fmin(l->z, p.z));
            *h = v3_of(fmax(h->x, p.x), fmax(h->y, p.y), fmax(h->z, p.z));
        }
    }
    sn_trimesh_free(&mesh);
    return f->distance[body].coefficient ? f->distance + body : NULL;
}

static bool near_box(const snTriMesh *mesh, v3 low, v3 high)
{
    for (int32_t i = 0; i < mesh->nvertex; ++i) {
        v3 p = sn_trimesh_point(mesh, i);
        if (p.x > low.x - ROOM && p.y > low.y - ROOM && p.z > low.z - ROOM && p.x < high.x + ROOM &&
            p.y < high.y + ROOM && p.z < high.z + ROOM)
            return true;
    }
    return false;
}

/* ---- names ---- */

/* "deltoid" owns the groups deltoid and deltoid_...; a mesh deltoid or deltoid_muscle. */
static bool owns(const char *muscle, const char *group)
{
    size_t n = strlen(muscle);
    return strncmp(muscle, group, n) == 0 && (group[n] == 0 || group[n] == '_');
}

static snId find_mesh(const snSpec *spec, const char *name, const char *mesh_name)
{
    char with[SN_LIBRARY_NAME + 16];
    (void)snprintf(with, sizeof with, "%s_muscle", name);
    const char *const candidates[] = {mesh_name, name, with};
    for (int i = 0; i < 3; ++i) {
        snId id = candidates[i] ? sn_spec_find(spec, SN_KIND_NODE, candidates[i]) : 0;
        if (id && sn_spec_node(spec, id)->kind == SN_NODE_MESH) return id;
    }
    return 0;
}

char *sn_muscle_strands(const snSpec *spec, const char *name, const char *mesh_name, snId *mesh)
{
    size_t length = 1;
    *mesh = find_mesh(spec, name, mesh_name);
    bool exact = sn_spec_find(spec, SN_KIND_GROUP, name) != 0;
    for (snId g = 1; g <= sn_spec_count(spec, SN_KIND_GROUP); ++g)
        length += strlen(sn_spec_group(spec, g)->strands) + 1;
    char *list = SN_NEW_ARRAY(char, length);
    for (snId g = 1; list && g <= sn_spec_count(spec, SN_KIND_GROUP); ++g) {
        const snGroupDef *def = sn_spec_group(spec, g);
        if (exact ? strcmp(name, def->name) != 0 : !owns(name, def->name)) continue;
        strcat(list, def->strands);
        strcat(list, " ");
    }
    if (list && !list[0]) {
        sn_free(list);
        list = NULL;
    }
    return list;
}

/* ---- attachments and matter ---- */

static int32_t bone_index(snSoftMuscle *m, int32_t body)
{
    for (int32_t b = 0; b < m->nbone; ++b)
        if (m->bone[b] == body) return b;
    if (m->nbone == SN_LIBRARY_BODIES) return -1;
    m->bone[m->nbone] = body;
    return m->nbone++;
}

/* What lies within `share` of a strand's end belongs to the bone there. */
typedef struct holders {
    snSoftMuscle *muscle;
    double share;
    snFibreEnds *ends;
} holders;

/* snSoftBoneFn. The bone ends where `share` of the strand does, across its direction there. */
static int32_t holder_of(const void *context, v3 place, v3 *border)
{
    const holders *h = context;
    const snFibres *fibres = &h->muscle->fibres;
    int32_t which = 0;
    int end = sn_fibres_end(h->ends, place, &which);
    int32_t body = end >= 0 ? fibres->fibre[which].body[end] : -1, bone = body >= 0 ? bone_index(h->muscle, body) : -1;
    if (bone < 0 || !border) return bone;
    const v3 *at = fibres->fibre[which].at;
    double t = (SN_FIBRE_POINTS - 1) * (end == 0 ? h->share : 1 - h->share);
    int32_t k = (int32_t)fmin(t, SN_FIBRE_POINTS - 2);
    v3 last = v3_lerp(at[k], at[k + 1], t - k), direction = v3_unit(v3_sub(at[k + 1], at[k]));
    *border = v3_mad(place, v3_dot(v3_sub(last, place), direction), direction);
    return bone;
}

/* How many of the attached nodes are at each end of the strands. */
static void count_ends(const snSoftMuscle *m, int32_t n, const double *x, const int32_t *attached, int32_t count[2])
{
    count[0] = count[1] = 0;
    for (int32_t i = 0; i < n; ++i) {
        double along = 0;
        if (attached[i] < 0) continue;
        (void)sn_fibres_direction(&m->fibres, v3_load(x + 3 * i), NULL, &along);
        ++count[along > 0.5];
    }
}

/* At least the END_SHARE of a strand, or half a spacing, spacing: of the points. */
static double least_share(const snSoftMuscle *m, double spacing, double squeeze)
{
    double length = 0;
    for (int32_t i = 0; i < m->fibres.n; ++i) length += m->fibres.fibre[i].length / m->fibres.n;
    return fmax(END_SHARE, 0.6 * spacing / squeeze / length);
}

/* Points that the bones at the ends hold, enough of them at each. */
static snStatus fill_muscle(snSoftMuscle *m, snSoftPointsDef *def, int32_t count[2], snError *error)
{
    double volume;
    sn_trimesh_integrals(&m->mesh, &volume, NULL, NULL);
    snFibreEnds ends;
    holders h = {m, least_share(m, cbrt(volume / def->count), def->squeeze), &ends};
    snStatus status = SN_OK;
    count[0] = count[1] = 0;
    def->bone = holder_of, def->context = &h;
    for (int round = 0; round < 6 && (count[0] < 6 || count[1] < 6) && status == SN_OK; ++round, h.share *= 1.25) {
        sn_soft_points_free(&m->points);
        ends = sn_fibre_ends(&m->fibres, h.share);
        status = sn_soft_points_create(def, &m->points, error);
        if (status == SN_OK) count_ends(m, m->points.n, m->points.x, m->points.attached, count);
    }
    m->attached = SN_NEW_ARRAY(int32_t, def->count);
    if (status != SN_OK) return status;
    if (!m->attached) return sn_fail_no_memory(error);
    memcpy(m->attached, m->points.attached, (size_t)def->count * sizeof *m->attached);
    return SN_OK;
}

static snStatus attach_cubes(snSoftMuscle *m, int32_t count[2], snError *error)
{
    snFibreEnds ends;
    holders h = {m, least_share(m, m->points.spacing, m->points.squeeze), &ends};
    m->attached = SN_NEW_ARRAY(int32_t, m->quads.nnode);
    if (!m->attached) return sn_fail_no_memory(error);
    for (int round = 0; round < 6 && (count[0] < 6 || count[1] < 6); ++round, h.share *= 1.25) {
        ends = sn_fibre_ends(&m->fibres, h.share);
        for (int32_t i = 0; i < m->quads.nnode; ++i)
            m->attached[i] = holder_of(&h, v3_load(m->quads.rest + 3 * i), NULL);
        count_ends(m, m->quads.nnode, m->quads.rest, m->attached, count);
    }
    return SN_OK;
}

static snStatus check_ends(snSoftMuscle *m, const int32_t count[2], snError *error)
{
    if (count[0] < 3 || count[1] < 3) {
        sn_fail(error, SN_BAD_INPUT, "the muscle \"%s\" is attached to a bone at %s only", m->name,
                count[0] + count[1] == 0 ? "neither end" : "one end");
        sn_error_remedy(error, "fix both ends of its strands to bodies");
        return SN_BAD_INPUT;
    }
    m->nattached = m->nbone;
    for (int32_t i = 0; i < m->fibres.n; ++i)
        for (int32_t b = 0; b < m->nbone; ++b)
            if (m->bone[b] == m->fibres.fibre[i].body[1]) m->insertion = b;
    return SN_OK;
}

static void make_material(snSoftMuscle *m, const snLibraryDef *def)
{
    double force = 0, passive = 0, length = 0, tendon = 0, volume = 0;
    for (int32_t i = 0; i < m->fibres.n; ++i) {
        const snFibre *f = m->fibres.fibre + i;
        force += f->force, passive += f->stiffness * f->area, tendon += f->tendon * f->area;
        length += f->length / m->fibres.n;
    }
    for (int32_t q = 0; q < m->quads.n; ++q)
        if (m->quads.part[q] != SN_SOFT_VOLUME) volume += m->quads.volume[q];
    m->area = volume / length;
    for (int32_t q = 0; q < m->quads.n; ++q) {
        int32_t which = 0;
        double along = 0;
        snSoftMaterial *s = m->material + q;
        s->fibre = sn_fibres_direction(&m->fibres, v3_load(m->quads.centre + 3 * q), &which, &along);
        const snFibre *f = m->fibres.fibre + which;
        bool belly = f->belly_end <= f->belly_start || (along >= f->belly_start && along <= f->belly_end);
        s->mu = def->mu, s->lambda = def->bulk * def->mu;
        s->passive = belly ? fmin(passive / m->area, STIFFEST) : fmin(tendon / m->area, STIFFEST);
        s->active = belly ? force / m->area : 0;
    }
}

static void find_bones(snSoftMuscle *m, const snLibraryDef *def, const double *poses, snBoneDistances *distances)
{
    for (int32_t b = 0; b < distances->n && def->contact && m->nbone < SN_SOFT_BONES; ++b) {
        bool known = false;
        for (int32_t k = 0; k < m->nbone; ++k) known = known || m->bone[k] == b;
        if (known || !bone_distance(distances, b, sn_pose_at(poses, b))) continue;
        if (near_box(&m->mesh, distances->low[b], distances->high[b])) m->bone[m->nbone++] = b;
    }
    for (int32_t k = 0; k < m->nbone; ++k) {
        rigid rest = sn_pose_at(poses, m->bone[k]);
        m->soft_bone[k] = (snSoftBone){def->contact ? bone_distance(distances, m->bone[k], rest) : NULL, rest};
    }
}

static snSoftLaw laws(const snSoftMuscle *m, const snLibraryDef *def)
{
    snSoftLaw law = sn_default_soft_def().law;
    snLawKind kind;
    double drawn = 0;
    law.passive.kind = SN_LAW_LINEAR, law.active.kind = SN_LAW_SHIFT; /* those of a strand that names none */
    if (m->fibres.passive[0] && sn_law_by_name(m->fibres.passive, &kind)) law.passive.kind = kind;
    if (m->fibres.active[0] && sn_law_by_name(m->fibres.active, &kind)) law.active.kind = kind;
    for (int32_t i = 0; i < m->fibres.n; ++i) drawn += m->fibres.fibre[i].optimal / m->fibres.n;
    law.prestretch = def->prestretch;
    law.optimal = def->prestretch / drawn;
    return law;
}

static snStatus make_body(snSoftMuscle *m, const snLibraryDef *def, const int32_t count[2], const double *poses,
                          snBoneDistances *distances, snError *error)
{
    snSoftDef soft = sn_default_soft_def();
    m->material = SN_NEW_ARRAY(snSoftMaterial, m->quads.n);
    if (!m->material) return sn_fail_no_memory(error);
    snStatus status = check_ends(m, count, error);
    if (status != SN_OK) return status;
    make_material(m, def);
    find_bones(m, def, poses, distances);
    soft.quads = &m->quads, soft.material = m->material, soft.law = laws(m, def);
    soft.nbone = m->nbone, soft.bone = m->soft_bone, soft.attached = m->attached, soft.depth = m->points.depth;
    return sn_soft_create(&soft, &m->body, error);
}

snStatus sn_soft_muscle_outline(const snSpec *spec, const snModel *model, const snLibraryDef *def, const char *name,
                                snSoftMuscle *m, snError *error)
{
    snId mesh;
    *m = (snSoftMuscle){0};
    (void)snprintf(m->name, sizeof m->name, "%s", name);
    char *strands = sn_muscle_strands(spec, name, def->mesh, &mesh);
    if (!strands) {
        sn_fail(error, SN_BAD_INPUT, "the model has no muscle group \"%.60s\"", name);
        sn_error_remedy(error, "name a muscle group, or a mesh after which groups are named");
        return SN_BAD_INPUT;
    }
    snStatus status = sn_fibres_read(spec, model, strands, &m->fibres, error);
    sn_free(strands);
    if (status == SN_OK && mesh) {
        (void)snprintf(m->mesh_name, sizeof m->mesh_name, "%s", sn_spec_node(spec, mesh)->name);
        if (!sn_node_mesh(spec, mesh, rigid_identity(), &m->mesh)) status = sn_fail_no_memory(error);
    } else if (status == SN_OK)
        status = sn_fibres_mesh(&m->fibres, &m->mesh, error);
    if (status != SN_OK) sn_soft_muscle_free(m);
    return status;
}

snStatus sn_soft_muscle_create(const snSpec *spec, const snModel *model, const snLibraryDef *def, const char *name,
                               const double *poses, snBoneDistances *distances, snPool *pool, snSoftMuscle *m,
                               snError *error)
{
    snStatus status = sn_soft_muscle_outline(spec, model, def, name, m, error);
    snSoftPointsDef points = sn_default_soft_points_def();
    v3 axis = {0, 0, 0};
    for (int32_t i = 0; i < m->fibres.n; ++i)
        axis = v3_add(axis, v3_sub(m->fibres.fibre[i].at[SN_FIBRE_POINTS - 1], m->fibres.fibre[i].at[0]));
    points.mesh = &m->mesh, points.count = def->points, points.axis = v3_unit(axis), points.pool = pool;
    int32_t count[2];
    if (status == SN_OK) status = fill_muscle(m, &points, count, error);
    if (status == SN_OK) status = sn_soft_quads_from_points(&m->points, true, &m->quads, error);
    if (status == SN_OK) status = make_body(m, def, count, poses, distances, error);
    if (status == SN_OK) {
        snBvh *tree = sn_bvh_create(&m->mesh);
        status = tree ? sn_soft_embed(&m->points, tree, m->mesh.nvertex, m->mesh.vertex, &m->embedding, error)
                      : sn_fail_no_memory(error);
        sn_bvh_destroy(tree);
    }
    if (status == SN_OK) return SN_OK;
    if (error && !error->element[0]) sn_error_element(error, "muscle", name);
    sn_soft_muscle_free(m);
    return status;
}

typedef struct lattice {
    const snBvh *tree;
    v3 start;
    double size;
} lattice;

/* A cube counts whole or not at all: slivers of one would be too soft to be solved. centre: of one of its eighths. */
static double part_inside(const void *context, v3 centre, double size)
{
    const lattice *l = context;
    v3 at = v3_scale(v3_sub(centre, l->start), 1 / l->size);
    v3 low = v3_mad(l->start, l->size, v3_of(floor(at.x), floor(at.y), floor(at.z)));
    int32_t count = 0;
    (void)size;
    for (int k = 0; k < 27; ++k) {
        v3 place = v3_of((k % 3 + 0.5) / 3, (k / 3 % 3 + 0.5) / 3, (k / 9 + 0.5) / 3);
        count += sn_bvh_inside(l->tree, v3_mad(low, l->size, place));
    }
    return count > 13;
}

static snStatus make_cubes(const snSoftMuscle *points, snSoftMuscle *m, snError *error)
{
    double volume, sum = 0;
    v3 low = sn_trimesh_point(&m->mesh, 0), high = low;
    for (int32_t i = 1; i < m->mesh.nvertex; ++i) {
        v3 p = sn_trimesh_point(&m->mesh, i);
        low = v3_of(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    sn_trimesh_integrals(&m->mesh, &volume, NULL, NULL);
    double size = cbrt(volume / (CUBES_PER_POINT * points->points.n));
    v3 side = v3_sub(high, low);
    int32_t cells[3] = {(int32_t)ceil(side.x / size), (int32_t)ceil(side.y / size), (int32_t)ceil(side.z / size)};
    v3 start = v3_mad(v3_scale(v3_add(low, high), 0.5), -0.5 * size, v3_of(cells[0], cells[1], cells[2]));
    snBvh *tree = sn_bvh_create(&m->mesh);
    if (!tree) return sn_fail_no_memory(error);
    lattice l = {tree, start, size};
    snStatus status =
        sn_soft_quads_from_cubes(start, cells, v3_of(size, size, size), part_inside, &l, &m->quads, error);
    sn_bvh_destroy(tree);
    for (int32_t q = 0; q < m->quads.n; ++q)
        if (m->quads.part[q] != SN_SOFT_VOLUME) sum += m->quads.volume[q];
    for (int32_t q = 0; q < m->quads.n; ++q) m->quads.volume[q] *= volume / sum;
    return status;
}

snStatus sn_soft_muscle_elements(const snSpec *spec, const snLibraryDef *def, const snSoftMuscle *points,
                                 const double *poses, snBoneDistances *distances, snSoftMuscle *m, snError *error)
{
    snId mesh;
    *m = (snSoftMuscle){0};
    memcpy(m->name, points->name, sizeof m->name);
    m->points.spacing = points->points.spacing, m->points.squeeze = points->points.squeeze;
    char *strands = sn_muscle_strands(spec, m->name, def->mesh, &mesh);
    snStatus status =
        strands ? sn_fibres_read(spec, distances->model, strands, &m->fibres, error) : sn_fail_no_memory(error);
    sn_free(strands);
    if (status == SN_OK && !sn_trimesh_alloc(&m->mesh, points->mesh.nvertex, points->mesh.ntriangle))
        status = sn_fail_no_memory(error);
    if (status == SN_OK) {
        memcpy(m->mesh.vertex, points->mesh.vertex, 3 * (size_t)m->mesh.nvertex * sizeof *m->mesh.vertex);
        memcpy(m->mesh.triangle, points->mesh.triangle, 3 * (size_t)m->mesh.ntriangle * sizeof *m->mesh.triangle);
    }
    int32_t count[2] = {0, 0};
    if (status == SN_OK) status = make_cubes(points, m, error);
    if (status == SN_OK) status = attach_cubes(m, count, error);
    if (status == SN_OK) status = make_body(m, def, count, poses, distances, error);
    if (status != SN_OK) sn_soft_muscle_free(m);
    return status;
}

void sn_soft_muscle_free(snSoftMuscle *m)
{
    sn_soft_destroy(m->body);
    sn_soft_embedding_free(&m->embedding);
    sn_soft_quads_free(&m->quads);
    sn_soft_points_free(&m->points);
    sn_trimesh_free(&m->mesh);
    sn_fibres_free(&m->fibres);
    sn_free(m->material), sn_free(m->attached);
    *m = (snSoftMuscle){0};
}
