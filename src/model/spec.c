/* Storage of a spec: one list per kind, each def copied deeply into the spec's arena by the schema.
 *
 * Invariants:
 * 1. Strings of stored defs are never NULL; arrays with a count of 0 may be.
 * 2. names of a list maps each name to the first item that has it; later ones of the same name are found by sn_check.
 * 3. The fields that exist for building in code (pose of a body or joint, points of a strand) live on in the node that
 *    was made from them and are cleared in the stored def, so that a spec read from files equals the one written. */
#include "base/alloc.h"
#include "base/array.h"
#include "base/hash.h"
#include "model/nodes.h"
#include "model/spec_internal.h"

#include <assert.h>
#include <string.h>


typedef struct List {
    char *at;
    snOrigin *origin;
    int32_t count, capacity, origin_capacity;
    snNameMap names;
} List;

struct snSpec {
    snArena arena;
    snSceneDef scene;
    snModelDef model;
    snOrigin scene_origin, model_origin;
    List list[SN_KINDS];
    bool forgiving;
    SN_ARRAY(snError) misread;
};

#define DEFAULT(type, function, element)                                                                               \
    type function(void)                                                                                                \
    {                                                                                                                  \
        type def;                                                                                                      \
        sn_element_defaults(element, &def);                                                                            \
        return def;                                                                                                    \
    }
DEFAULT(snSceneDef, sn_default_scene_def, SN_ELEMENT_SCENE)
DEFAULT(snNodeDef, sn_default_node_def, SN_KIND_NODE)
DEFAULT(snModelDef, sn_default_model_def, SN_ELEMENT_MODEL)
DEFAULT(snGroupDef, sn_default_group_def, SN_KIND_GROUP)
DEFAULT(snStrandDef, sn_default_strand_def, SN_KIND_STRAND)
DEFAULT(snConstraintDef, sn_default_constraint_def, SN_KIND_CONSTRAINT)
DEFAULT(snForceLengthDef, sn_default_force_length_def, SN_KIND_FORCE_LENGTH)
DEFAULT(snFunctionDef, sn_default_function_def, SN_KIND_FUNCTION)
DEFAULT(snCoordinateDef, sn_default_coordinate_def, SN_KIND_COORDINATE)
DEFAULT(snSpringDef, sn_default_spring_def, SN_KIND_SPRING)
DEFAULT(snLineMuscleDef, sn_default_line_muscle_def, SN_KIND_LINE_MUSCLE)

/* The pose that only code sets is not in the table: identity. */
snBodyDef sn_default_body_def(void)
{
    snBodyDef def;
    sn_element_defaults(SN_KIND_BODY, &def);
    def.rotation[0] = 1;
    return def;
}

snJointDef sn_default_joint_def(void)
{
    snJointDef def;
    sn_element_defaults(SN_KIND_JOINT, &def);
    def.rotation[0] = 1;
    return def;
}

/* ---- storage ------------------------------------------------------------------------------ */

snSpec *sn_spec_create(void)
{
    snSpec *spec = SN_NEW(snSpec);
    if (!spec) return NULL;
    spec->scene = sn_default_scene_def();
    spec->model = sn_default_model_def();
    spec->scene_origin.file = spec->model_origin.file = "";
    return spec;
}

void sn_spec_destroy(snSpec *spec)
{
    if (!spec) return;
    for (int k = 0; k < SN_KINDS; ++k) {
        sn_free(spec->list[k].at);
        sn_free(spec->list[k].origin);
        sn_map_free(&spec->list[k].names);
    }
    sn_array_free(&spec->misread);
    sn_arena_free(&spec->arena);
    sn_free(spec);
}

void sn_spec_forgive(snSpec *spec)
{
    spec->forgiving = true;
}

bool sn_spec_is_forgiving(const snSpec *spec)
{
    return spec->forgiving;
}

bool sn_spec_add_misread(snSpec *spec, const snError *error)
{
    return sn_array_push(&spec->misread, *error);
}

int32_t sn_spec_misread(const snSpec *spec, const snError **error)
{
    *error = spec->misread.at;
    return spec->misread.count;
}

static bool copy_string(snArena *arena, const snAttr *attr, void *def)
{
    const char **at = sn_attr_at(attr, def);
    if (!*at || !**at) {
        *at = "";
        return true;
    }
    *at = sn_arena_strdup(arena, *at);
    return *at != NULL;
}

static bool copy_array(snArena *arena, const snAttr *attr, void *def)
{
    const void **at = sn_attr_at(attr, def);
    int32_t count = sn_attr_count(attr, def);
    if (count <= 0 || !*at) {
        *at = NULL;
        *(int32_t *)(void *)((char *)def + attr->count_offset) = 0;
        return true;
    }
    size_t item = attr->type == SN_ATTR_INTS ? sizeof(int32_t) : sizeof(double);
    *at = sn_arena_copy(arena, *at, (size_t)count * (size_t)attr->width, item);
    return *at != NULL;
}

/* Lets a def that was copied byte by byte own its strings and arrays. */
static bool own(snArena *arena, int element, void *def)
{
    const snElement *e = sn_element(element);
    for (int i = 0; i < e->nattr; ++i) {
        const snAttr *attr = &e->attr[i];
        if (attr->type == SN_ATTR_STRING && !copy_string(arena, attr, def)) return false;
        if ((attr->type == SN_ATTR_NUMBERS || attr->type == SN_ATTR_INTS) && !copy_array(arena, attr, def))
            return false;
    }
    return true;
}

/* Invariant 3, and a surface in code says its number of points only by nu and nv. */
static void normalise(snKind kind, void *def)
{
    if (kind == SN_KIND_BODY) {
        snBodyDef *d = def, clean = sn_default_body_def();
        memcpy(d->position, clean.position, sizeof d->position);
        memcpy(d->rotation, clean.rotation, sizeof d->rotation);
    } else if (kind == SN_KIND_JOINT) {
        snJointDef *d = def, clean = sn_default_joint_def();
        memcpy(d->position, clean.position, sizeof d->position);
        memcpy(d->rotation, clean.rotation, sizeof d->rotation);
    } else if (kind == SN_KIND_STRAND) {
        snStrandDef *d = def;
        d->npoint = 0;
        d->point = NULL;
    } else if (kind == SN_KIND_NODE) {
        snNodeDef *d = def;
        int64_t grid = (int64_t)d->nu * d->nv;
        if (d->kind == SN_NODE_SURFACE && d->npoint == 0 && d->nu > 0 && d->nv > 0 && grid <= INT32_MAX)
            d->npoint = (int32_t)grid;
    }
}

static bool reserve(List *list, size_t size)
{
    if (list->count == INT32_MAX) return false;
    return sn_array_grow_((void **)(void *)&list->at, &list->capacity, list->count + 1, size) &&
           sn_array_grow_((void **)(void *)&list->origin, &list->origin_capacity, list->count + 1, sizeof(snOrigin));
}

snStatus sn_spec_add(snSpec *spec, snKind kind, const void *def, snOrigin origin, snId *id)
{
    List *list = &spec->list[kind];
    size_t size = sn_element((int)kind)->size;
    if (!reserve(list, size)) return SN_NO_MEMORY;
    char *slot = list->at + (size_t)list->count * size;
    memcpy(slot, def, size);
    normalise(kind, slot);
    if (!own(&spec->arena, (int)kind, slot)) return SN_NO_MEMORY;
    const char *name = sn_attr_string(sn_attr_find(sn_element((int)kind), "name"), slot);
    if (*name && !sn_map_put(&list->names, name, list->count)) return SN_NO_MEMORY;
    list->origin[list->count] = origin;
    ++list->count;
    if (id) *id = list->count;
    return SN_OK;
}

const void *sn_spec_def(const snSpec *spec, snKind kind, snId id)
{
    const List *list = &spec->list[kind];
    assert(id > 0 && id <= list->count);
    return list->at + (size_t)(id - 1) * sn_element((int)kind)->size;
}

void *sn_spec_edit(snSpec *spec, snKind kind, snId id)
{
    List *list = &spec->list[kind];
    assert(id > 0 && id <= list->count);
    return list->at + (size_t)(id - 1) * sn_element((int)kind)->size;
}

snOrigin sn_spec_origin(const snSpec *spec, int element, snId id)
{
    if (element == SN_ELEMENT_SCENE) return spec->scene_origin;
    if (element == SN_ELEMENT_MODEL) return spec->model_origin;
    return spec->list[element].origin[id - 1];
}

void sn_spec_set_origin(snSpec *spec, int element, snOrigin origin)
{
    *(element == SN_ELEMENT_SCENE ? &spec->scene_origin : &spec->model_origin) = origin;
}

const char *sn_spec_text(snSpec *spec, const char *text)
{
    return sn_arena_strdup(&spec->arena, text);
}

snStatus sn_spec_set_array(snSpec *spec, snKind kind, snId id, const snAttr *attr, int32_t count, const void *items)
{
    char *def = spec->list[kind].at + (size_t)(id - 1) * sn_element((int)kind)->size;
    size_t size = attr->type == SN_ATTR_INTS ? sizeof(int32_t) : sizeof(double);
    void *copy = sn_arena_copy(&spec->arena, items, (size_t)count * (size_t)attr->width, size);
    if (!copy) return SN_NO_MEMORY;
    memcpy(def + attr->offset, &copy, sizeof copy);
    memcpy(def + attr->count_offset, &count, sizeof count);
    return SN_OK;
}

/* ---- building in code --------------------------------------------------------------------- */

static const snOrigin in_code = {"", 0, 0};

snStatus sn_set_scene(snSpec *spec, const snSceneDef *def)
{
    spec->scene = *def;
    return SN_OK;
}

snStatus sn_set_model(snSpec *spec, const snModelDef *def)
{
    snModelDef copy = *def;
    if (!own(&spec->arena, SN_ELEMENT_MODEL, &copy)) return SN_NO_MEMORY;
    spec->model = copy;
    return SN_OK;
}

/* Whether an element made in code needs a node of its own: it names none, and none is called like it. */
static bool lacks_node(const snSpec *spec, const char *name, const char *node)
{
    return name && *name && (!node || !*node) && !sn_spec_find(spec, SN_KIND_NODE, name);
}

static snStatus add_frame(snSpec *spec, snNodeKind kind, const char *name, const double *position,
                          const double *rotation)
{
    snNodeDef node = sn_default_node_def();
    node.name = name;
    node.kind = kind;
    memcpy(node.translate, position, sizeof node.translate);
    memcpy(node.rotate, rotation, sizeof node.rotate);
    return sn_add_node(spec, &node, NULL);
}

snStatus sn_add_node(snSpec *spec, const snNodeDef *def, snId *id)
{
    return sn_spec_add(spec, SN_KIND_NODE, def, in_code, id);
}

snStatus sn_add_body(snSpec *spec, const snBodyDef *def, snId *id)
{
    if (lacks_node(spec, def->name, def->node)) {
        snStatus status = add_frame(spec, SN_NODE_GROUP, def->name, def->position, def->rotation);
        if (status) return status;
    }
    return sn_spec_add(spec, SN_KIND_BODY, def, in_code, id);
}

snStatus sn_add_joint(snSpec *spec, const snJointDef *def, snId *id)
{
    if (lacks_node(spec, def->name, def->node)) {
        snStatus status = add_frame(spec, SN_NODE_LOCATOR, def->name, def->position, def->rotation);
        if (status) return status;
    }
    return sn_spec_add(spec, SN_KIND_JOINT, def, in_code, id);
}

snStatus sn_add_strand(snSpec *spec, const snStrandDef *def, snId *id)
{
    if (def->npoint > 0 && lacks_node(spec, def->name, def->node)) {
        snNodeDef node = sn_default_node_def();
        node.name = def->name;
        node.kind = SN_NODE_CURVE;
        node.npoint = def->npoint;
        node.point = def->point;
        snStatus status = sn_add_node(spec, &node, NULL);
        if (status) return status;
    }
    return sn_spec_add(spec, SN_KIND_STRAND, def, in_code, id);
}

#define ADD(function, type, kind)                                                                                      \
    snStatus function(snSpec *spec, const type *def, snId *id)                                                         \
    {                                                                                                                  \
        return sn_spec_add(spec, kind, def, in_code, id);                                                              \
    }
ADD(sn_add_group, snGroupDef, SN_KIND_GROUP)
ADD(sn_add_constraint, snConstraintDef, SN_KIND_CONSTRAINT)
ADD(sn_add_force_length, snForceLengthDef, SN_KIND_FORCE_LENGTH)
ADD(sn_add_function, snFunctionDef, SN_KIND_FUNCTION)
ADD(sn_add_coordinate, snCoordinateDef, SN_KIND_COORDINATE)
ADD(sn_add_spring, snSpringDef, SN_KIND_SPRING)
ADD(sn_add_line_muscle, snLineMuscleDef, SN_KIND_LINE_MUSCLE)

/* ---- reading back ------------------------------------------------------------------------- */

int32_t sn_spec_count(const snSpec *spec, snKind kind)
{
    return spec->list[kind].count;
}
const snSceneDef *sn_spec_scene(const snSpec *spec)
{
    return &spec->scene;
}
const snModelDef *sn_spec_model(const snSpec *spec)
{
    return &spec->model;
}

#define READ(function, type, kind)                                                                                     \
    const type *function(const snSpec *spec, snId id)                                                                  \
    {                                                                                                                  \
        return sn_spec_def(spec, kind, id);                                                                            \
    }
READ(sn_spec_node, snNodeDef, SN_KIND_NODE)
READ(sn_spec_body, snBodyDef, SN_KIND_BODY)
READ(sn_spec_joint, snJointDef, SN_KIND_JOINT)
READ(sn_spec_strand, snStrandDef, SN_KIND_STRAND)
READ(sn_spec_group, snGroupDef, SN_KIND_GROUP)
READ(sn_spec_constraint, snConstraintDef, SN_KIND_CONSTRAINT)
READ(sn_spec_force_length, snForceLengthDef, SN_KIND_FORCE_LENGTH)
READ(sn_spec_function, snFunctionDef, SN_KIND_FUNCTION)
READ(sn_spec_coordinate, snCoordinateDef, SN_KIND_COORDINATE)
READ(sn_spec_spring, snSpringDef, SN_KIND_SPRING)
READ(sn_spec_line_muscle, snLineMuscleDef, SN_KIND_LINE_MUSCLE)

snId sn_spec_find(const snSpec *spec, snKind kind, const char *name)
{
    return name && *name ? sn_map_get(&spec->list[kind].names, name) + 1 : 0;
}
