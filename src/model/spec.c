/* Storage of a spec: one list per kind, each def copied deeply into the spec's arena by the schema.
 *
 * Invariants:
 * 1. Strings of stored defs are never NULL; arrays with a count of 0 may be.
 * 2. names of a list maps each name to the first item that has it; later ones of the same name are found by sn_check.
 * 3. The fields that exist for building in code (pose of a body or joint, points of a strand) live on in the node that
 *    was made from them and are cleared in the stored def, so that a spec read from files equals the one written. */
#include "base/alloc.h"
#include "base/array.h"
#include "base/def.h"
#include "base/hash.h"
#include "model/nodes.h"
#include "model/spec_internal.h"

#include <assert.h>
#include <stdatomic.h>
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
    atomic_bool *sound; /* checked without errors and not changed since; beside the spec: a check does not change it */
    bool forgiving;
    SN_ARRAY(snError) misread, missing;
};

/* Room for the def of any element. */
typedef union AnyDef {
    size_t size;
    double number;
    void *pointer;
    char bytes[2048];
} AnyDef;

static void make_default(snKind kind, AnyDef *def)
{
    size_t known = sn_element((int)kind)->size;
    assert(known <= sizeof *def);
    memset(def, 0, sizeof *def);
    sn_element_defaults((int)kind, def);
    def->size = known;
    /* The pose that only code sets is not in the table: identity. */
    if (kind == SN_KIND_BODY) ((snBodyDef *)(void *)def)->rotation[0] = 1;
    if (kind == SN_KIND_JOINT) ((snJointDef *)(void *)def)->rotation[0] = 1;
}

/* size: what the program knows, which may be less than we do, or more. */
void sn_default_def(snKind kind, void *def, size_t size)
{
    AnyDef whole;
    if (!def || (unsigned)kind >= SN_ELEMENT_COUNT || size <= sizeof size) return;
    size_t known = sn_element((int)kind)->size;
    make_default(kind, &whole);
    memset(def, 0, size);
    memcpy(def, &whole, size < known ? size : known);
    memcpy(def, &size, sizeof size);
}

/* ---- storage ------------------------------------------------------------------------------ */

snSpec *sn_spec_create(void)
{
    snSpec *spec = SN_NEW(snSpec);
    if (!spec) return NULL;
    spec->sound = sn_alloc(1, sizeof *spec->sound);
    if (!spec->sound) {
        sn_free(spec);
        return NULL;
    }
    atomic_init(spec->sound, false);
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
    sn_array_free(&spec->missing);
    sn_arena_free(&spec->arena);
    sn_free(spec->sound);
    sn_free(spec);
}

bool sn_spec_is_sound(const snSpec *spec)
{
    return atomic_load(spec->sound);
}

void sn_spec_set_sound(const snSpec *spec, bool sound)
{
    atomic_store(spec->sound, sound);
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

bool sn_spec_add_missing(snSpec *spec, const snError *note)
{
    return sn_array_push(&spec->missing, *note);
}

int32_t sn_spec_missing(const snSpec *spec, const snError **note)
{
    if (note) *note = spec->missing.at;
    return spec->missing.count;
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
    sn_spec_set_sound(spec, false);
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
    if (!spec || (unsigned)kind >= SN_ELEMENT_COUNT) return NULL;
    if (kind == SN_KIND_SCENE) return &spec->scene;
    if (kind == SN_KIND_MODEL) return &spec->model;
    const List *list = &spec->list[kind];
    if (id < 1 || id > list->count) return NULL;
    return list->at + (size_t)(id - 1) * sn_element((int)kind)->size;
}

void *sn_spec_edit(snSpec *spec, snKind kind, snId id)
{
    List *list = &spec->list[kind];
    sn_spec_set_sound(spec, false);
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
    sn_spec_set_sound(spec, false);
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

static snStatus add_curve(snSpec *spec, const snStrandDef *def)
{
    snNodeDef node = sn_default_node_def();
    node.name = def->name;
    node.kind = SN_NODE_CURVE;
    node.npoint = def->npoint;
    node.point = def->point;
    return sn_add_node(spec, &node, NULL);
}

/* The node of an element that was described in code alone. */
static snStatus add_missing_node(snSpec *spec, snKind kind, const void *def)
{
    if (kind == SN_KIND_BODY) {
        const snBodyDef *d = def;
        if (lacks_node(spec, d->name, d->node))
            return add_frame(spec, SN_NODE_GROUP, d->name, d->position, d->rotation);
    } else if (kind == SN_KIND_JOINT) {
        const snJointDef *d = def;
        if (lacks_node(spec, d->name, d->node))
            return add_frame(spec, SN_NODE_LOCATOR, d->name, d->position, d->rotation);
    } else if (kind == SN_KIND_STRAND) {
        const snStrandDef *d = def;
        if (d->npoint > 0 && lacks_node(spec, d->name, d->node)) return add_curve(spec, d);
    }
    return SN_OK;
}

static snStatus set_model(snSpec *spec, const snModelDef *def)
{
    snModelDef copy = *def;
    if (!own(&spec->arena, SN_ELEMENT_MODEL, &copy)) return SN_NO_MEMORY;
    spec->model = copy;
    return SN_OK;
}

snStatus sn_add(snSpec *spec, snKind kind, const void *def, snId *id)
{
    if (!spec || (unsigned)kind >= SN_ELEMENT_COUNT) return SN_BAD_ARGUMENT;
    AnyDef taken;
    make_default(kind, &taken);
    snStatus status = sn_take_def(def, &taken, sn_element((int)kind)->size, sn_element((int)kind)->tag, NULL);
    if (status) return status;
    def = &taken;
    sn_spec_set_sound(spec, false);
    if (kind == SN_KIND_SCENE) {
        spec->scene = *(const snSceneDef *)def;
        return SN_OK;
    }
    if (kind == SN_KIND_MODEL) return set_model(spec, def);
    status = add_missing_node(spec, kind, def);
    return status ? status : sn_spec_add(spec, kind, def, in_code, id);
}

/* ---- reading back ------------------------------------------------------------------------- */

int32_t sn_spec_count(const snSpec *spec, snKind kind)
{
    return spec && (unsigned)kind < SN_KINDS ? spec->list[kind].count : 0;
}

snId sn_spec_find(const snSpec *spec, snKind kind, const char *name)
{
    if (!spec || (unsigned)kind >= SN_KINDS || !name || !*name) return 0;
    return sn_map_get(&spec->list[kind].names, name) + 1;
}
