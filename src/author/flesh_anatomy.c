/* What of a model makes its flesh: skin, bones, muscles, in the pose as drawn. */
#include "author/flesh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "model/model.h"
#include "model/nodes.h"

#include <string.h>

/* Stress of a muscle at full force, Pa: with it the maximal force tells the cross-section of the belly. */
static const double SPECIFIC_TENSION = 0.3e6;
/* Volume of a living muscle over that of its fibres by area and length, which come from cadavers: the deltoid of the
 * upper body has 0.19 l by them, 15.2 % of 1.4 to 4.4 l in the young adults of Holzbaur 2007. */
static const double FULLNESS = 2;

void sn_anatomy_free(snAnatomy *a)
{
    for (int32_t i = 0; i < a->nbone; ++i) sn_bvh_destroy(a->bone[i].tree), sn_trimesh_free(&a->bone[i].mesh);
    for (int32_t i = 0; i < a->nmuscle; ++i) sn_bvh_destroy(a->muscle[i].tree), sn_trimesh_free(&a->muscle[i].mesh);
    sn_trimesh_free(&a->skin);
    if (a->model) sn_model_destroy(a->model);
    sn_arena_free(&a->arena);
    *a = (snAnatomy){0};
}

static int32_t body_index(const snModel *model, const char *name)
{
    for (int32_t i = 0; i < sn_count(model, SN_ITEM_BODY); ++i)
        if (strcmp(sn_name(model, SN_ITEM_BODY, i), name) == 0) return i;
    return -1;
}

/* The muscle that a strand belongs to: its own, or that of its group. */
static int32_t muscle_of(const snModel *model, const char *strand)
{
    for (int32_t i = 0; i < sn_count(model, SN_ITEM_STRAND); ++i)
        if (strcmp(sn_name(model, SN_ITEM_STRAND, i), strand) == 0) return model->strand_muscle[i];
    return -1;
}

static bool world_mesh(const snSpec *spec, snId id, snTriMesh *mesh)
{
    const snNodeDef *node = sn_spec_node(spec, id);
    affine world = sn_node_world(spec, id);
    if (!sn_trimesh_alloc(mesh, node->nvertex, node->ntriangle)) return false;
    for (int32_t i = 0; i < node->nvertex; ++i)
        v3_store(mesh->vertex + 3 * i, affine_apply(&world, v3_load(node->vertex + 3 * i)));
    memcpy(mesh->triangle, node->triangle, 3 * (size_t)node->ntriangle * sizeof *mesh->triangle);
    return true;
}

static snStatus read_bodies(const snSpec *spec, snAnatomy *a)
{
    a->nbody = sn_count(a->model, SN_ITEM_BODY);
    a->rest = sn_arena_alloc(&a->arena, 7 * (size_t)a->nbody + 1, sizeof *a->rest);
    if (!a->rest) return SN_NO_MEMORY;
    for (int32_t i = 0; i < a->nbody; ++i) {
        snId id = sn_spec_find(spec, SN_KIND_BODY, sn_name(a->model, SN_ITEM_BODY, i));
        rigid frame = sn_node_frame(spec, sn_body_node(spec, id));
        v3_store(a->rest + 7 * i, frame.p), q_store(a->rest + 7 * i + 3, frame.q);
    }
    return SN_OK;
}

/* A mesh below a body is a bone, any other closed one but the skin may be a muscle. Open ones do not count. */
static snStatus read_mesh(const snSpec *spec, snId id, snAnatomy *a)
{
    const snNodeDef *node = sn_spec_node(spec, id);
    snId body = sn_node_body(spec, id);
    int32_t index = body ? body_index(a->model, sn_spec_body(spec, body)->name) : -1;
    snTriMesh mesh = {0};
    snMeshPlace place;
    if (body && index < 0) return SN_OK;
    if (!world_mesh(spec, id, &mesh)) return SN_NO_MEMORY;
    snStatus status = sn_trimesh_check(&mesh, true, &place);
    if (status != SN_OK || place.defect != SN_MESH_SOUND) return sn_trimesh_free(&mesh), status;
    if (body) {
        snFleshBone *to = &a->bone[a->nbone++];
        *to = (snFleshBone){.name = sn_name(a->model, SN_ITEM_BODY, index), .body = index, .mesh = mesh};
        to->tree = sn_bvh_create(&to->mesh);
        return to->tree ? SN_OK : SN_NO_MEMORY;
    }
    snFleshMuscle *to = &a->muscle[a->nmuscle++];
    *to = (snFleshMuscle){.name = sn_arena_strdup(&a->arena, node->name), .mesh = mesh};
    memcpy(to->color, node->color, sizeof to->color);
    to->tree = sn_bvh_create(&to->mesh);
    return to->tree && to->name ? SN_OK : SN_NO_MEMORY;
}

static snStatus read_meshes(const snSpec *spec, snId skin, snAnatomy *a)
{
    int32_t n = sn_spec_count(spec, SN_KIND_NODE);
    snStatus status = SN_OK;
    a->bone = sn_arena_alloc(&a->arena, (size_t)n + 1, sizeof *a->bone);
    a->muscle = sn_arena_alloc(&a->arena, (size_t)n + 1, sizeof *a->muscle);
    if (!a->bone || !a->muscle) return SN_NO_MEMORY;
    for (snId id = 1; status == SN_OK && id <= n; ++id) {
        const snNodeDef *node = sn_spec_node(spec, id);
        if (node->kind == SN_NODE_MESH && node->ntriangle > 0 && id != skin) status = read_mesh(spec, id, a);
    }
    return status;
}

/* The mesh that holds most of the strand's belly, where that is over half of it. */
static int32_t mesh_around(const snAnatomy *a, const snFleshStrand *s)
{
    for (int32_t m = 0; m < a->nmuscle; ++m) {
        int32_t inside = 0;
        for (int32_t i = 0; i < s->npoint; ++i) inside += sn_bvh_inside(a->muscle[m].tree, s->point[i]);
        if (2 * inside > s->npoint) return m;
    }
    return -1;
}

static void find_box(snFleshStrand *s)
{
    s->low = v3_of(INFINITY, INFINITY, INFINITY), s->high = v3_neg(s->low);
    for (int32_t i = 0; i < s->npoint; ++i) {
        s->low = v3_of(fmin(s->low.x, s->point[i].x), fmin(s->low.y, s->point[i].y), fmin(s->low.z, s->point[i].z));
        s->high = v3_of(fmax(s->high.x, s->point[i].x), fmax(s->high.y, s->point[i].y), fmax(s->high.z, s->point[i].z));
    }
}

/* The control polygon between the ends of the belly: strands have a control point every centimetre or so. */
static bool belly_of(const snSpec *spec, snId node_id, const snStrandDef *def, snAnatomy *a, snFleshStrand *s)
{
    const snNodeDef *node = sn_spec_node(spec, node_id);
    affine world = sn_node_world(spec, node_id);
    double start = def->belly_start, end = def->belly_end, last = node->npoint - 1;
    s->point = sn_arena_alloc(&a->arena, (size_t)node->npoint + 2, sizeof *s->point);
    if (!s->point) return false;
    for (int32_t i = -1; i <= node->npoint; ++i) { /* the ends of the belly are points of it too */
        double at = i < 0 ? start * last : i == node->npoint ? end * last : i;
        if (i >= 0 && i < node->npoint && (at <= start * last || at >= end * last)) continue;
        int32_t k = (int32_t)fmin(floor(at), last - 1);
        v3 p = v3_lerp(v3_load(node->point + 3 * k), v3_load(node->point + 3 * (k + 1)), at - k);
        s->point[s->npoint++] = affine_apply(&world, p);
    }
    find_box(s);
    return true;
}

/* The part of a line of n points from `start` to `end`, both measured along it. */
static void cut_line(const double *line, int32_t n, double start, double end, snFleshStrand *s)
{
    double passed = 0;
    for (int32_t i = 0; i + 1 < n; ++i) {
        v3 p = v3_load(line + 3 * i), q = v3_load(line + 3 * (i + 1));
        double length = v3_dist(p, q), from = fmax(start - passed, 0), to = fmin(end - passed, length);
        passed += length;
        if (!(to > from)) continue;
        if (s->npoint == 0) s->point[s->npoint++] = v3_lerp(p, q, from / length);
        s->point[s->npoint++] = v3_lerp(p, q, to / length);
    }
}

double sn_line_length(const double *point, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i + 1 < n; ++i) sum += v3_dist(v3_load(point + 3 * i), v3_load(point + 3 * (i + 1)));
    return sum;
}

/* Cross-section of living muscle, m^2: the one that is given, or what the force asks for. */
static double section_of(const snSpec *spec, const char *name, double force)
{
    snId id = sn_spec_find(spec, SN_KIND_LINE_MUSCLE, name);
    double pcsa = id ? sn_spec_line_muscle(spec, id)->pcsa : 0;
    return pcsa > 0 ? pcsa : FULLNESS * force / SPECIFIC_TENSION;
}

/* A line muscle's belly: as long as its fibres now, in the middle of its path, with the volume that living muscle of
 * this cross-section and optimal length has. */
static bool line_belly(const snPathSet *set, int32_t path, double section, snAnatomy *a, snFleshStrand *s)
{
    const snPathMuscle *m = &set->muscle[path];
    int32_t n = sn_path_drawn_count(set, path);
    double *line = sn_arena_alloc(&a->arena, 3 * (size_t)n, sizeof *line), whole;
    s->point = sn_arena_alloc(&a->arena, (size_t)n + 1, sizeof *s->point);
    if (!line || !s->point) return false;
    sn_path_drawn(set, NULL, path, line);
    whole = sn_line_length(line, n);
    double belly = fmin(m->fibre_length * fmax(m->x_neutral, 0.1), whole);
    cut_line(line, n, 0.5 * (whole - belly), 0.5 * (whole + belly), s);
    s->path_length = whole, s->length = belly, s->optimum = 1 / fmin(fmax(m->x_neutral, 0.6), 1.6);
    s->radius = sqrt(section * m->fibre_length / (SN_PI * belly));
    find_box(s);
    return true;
}

static snStatus read_lines(const snSpec *spec, snAnatomy *a)
{
    const snSkeleton *k = a->model->skeleton;
    for (int32_t i = 0, count; k && i < k->path.npath; ++i, a->nline_point += count) {
        count = sn_path_drawn_count(&k->path, i);
        if (!(k->path.muscle[i].max_force > 0 && k->path.muscle[i].fibre_length > 0)) continue;
        snFleshStrand *s = &a->strand[a->nstrand];
        *s = (snFleshStrand){.name = k->path_name[i],
                             .muscle = k->path_unit[i],
                             .fibers = a->nfibers++,
                             .mesh = -1,
                             .line = i,
                             .path_start = 3 * a->nline_point,
                             .path_count = count};
        double section = section_of(spec, k->path_name[i], k->path.muscle[i].max_force);
        if (!line_belly(&k->path, i, section, a, s)) return SN_NO_MEMORY;
        a->nstrand += s->npoint >= 2;
    }
    return SN_OK;
}

static snStatus read_strands(const snSpec *spec, snAnatomy *a)
{
    int32_t n = sn_spec_count(spec, SN_KIND_STRAND);
    size_t lines = a->model->skeleton ? (size_t)a->model->skeleton->path.npath : 0;
    a->nfibers = sn_count(a->model, SN_ITEM_MUSCLE);
    a->strand = sn_arena_alloc(&a->arena, (size_t)n + lines + 1, sizeof *a->strand);
    if (!a->strand) return SN_NO_MEMORY;
    for (snId id = 1; id <= n; ++id) {
        const snStrandDef *def = sn_spec_strand(spec, id);
        int32_t muscle = def->enabled ? muscle_of(a->model, def->name) : -1;
        snId node = sn_strand_node(spec, id);
        if (muscle < 0 || !node || !(def->belly_end > def->belly_start) || sn_spec_node(spec, node)->npoint < 2)
            continue;
        snFleshStrand *s = &a->strand[a->nstrand++];
        double section = def->max_force > 0 ? def->max_force / SPECIFIC_TENSION : SN_PI * def->radius * def->radius;
        *s = (snFleshStrand){
            .name = sn_name(a->model, SN_ITEM_MUSCLE, muscle), .muscle = muscle, .fibers = muscle, .line = -1};
        if (!belly_of(spec, node, def, a, s)) return SN_NO_MEMORY;
        s->mesh = mesh_around(a, s);
        s->radius = s->mesh < 0 ? sqrt(section / SN_PI) : 0;
        if (s->mesh >= 0) ++a->muscle[s->mesh].nstrand;
    }
    return SN_OK;
}

static snStatus find_skin(const snSpec *spec, const char *name, snId *id, snError *error)
{
    if (!name || !*name) name = sn_spec_model(spec)->skin;
    *id = name && *name ? sn_spec_find(spec, SN_KIND_NODE, name) : 0;
    if (!name || !*name || (*id && sn_spec_node(spec, *id)->kind == SN_NODE_MESH)) return SN_OK;
    return sn_fail(error, SN_BAD_INPUT, "the scene has no mesh \"%.100s\" for the surface of the flesh", name);
}

static snStatus read_skin(const snSpec *spec, snId id, snAnatomy *a, snError *error)
{
    if (!id) return SN_OK;
    const snNodeDef *node = sn_spec_node(spec, id);
    a->skin_name = sn_arena_strdup(&a->arena, node->name);
    memcpy(a->skin_color, node->color, sizeof a->skin_color);
    if (!a->skin_name || !world_mesh(spec, id, &a->skin)) return sn_fail_no_memory(error);
    return sn_trimesh_require(&a->skin, true, a->skin_name, error);
}

snStatus sn_anatomy_create(const snSpec *spec, const char *mesh, snAnatomy *a, snError *error)
{
    snId skin = 0;
    *a = (snAnatomy){.skin_name = ""};
    snStatus status = find_skin(spec, mesh, &skin, error);
    if (status == SN_OK) status = sn_compile(spec, &a->model, error);
    if (status == SN_OK) status = read_skin(spec, skin, a, error);
    if (status == SN_OK) {
        status = read_bodies(spec, a);
        if (status == SN_OK) status = read_meshes(spec, skin, a);
        if (status == SN_OK) status = read_strands(spec, a);
        if (status == SN_OK) status = read_lines(spec, a);
        if (status != SN_OK) (void)sn_fail_no_memory(error);
    }
    if (status == SN_OK && a->nbone == 0) {
        status = sn_fail(error, SN_BAD_INPUT, "the model has no closed mesh of a bone to hold the flesh");
        sn_error_remedy(error, "give at least one body a closed mesh in the scene");
    }
    if (status != SN_OK) sn_anatomy_free(a);
    return status;
}
