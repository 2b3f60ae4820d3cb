/* Random specs, filled through the schema so that no attribute is forgotten, and whether two are the same. */
#ifndef SN_TESTS_RANDOM_SPEC_H
#define SN_TESTS_RANDOM_SPEC_H

#include "check.h"
#include "model/spec_internal.h"

#include <string.h>

static uint64_t seed;

static inline uint64_t bits(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (seed ^ (seed >> 33)) * 0xff51afd7ed558ccdull >> 7;
}

static inline int below(int n)
{
    return (int)(bits() % (uint64_t)n);
}

static inline double number(void)
{
    switch (below(6)) {
    case 0:
        return 0;
    case 1:
        return -0.0;
    case 2:
        return below(100);
    case 3:
        return (double)(int64_t)bits() * 1e-12;
    case 4:
        return ldexp((double)bits(), below(1200) - 600);
    default:
        return (double)bits() / 3e18 - 0.01;
    }
}

static const char *text(snArena *arena)
{
    static const char *const some[] = {"",
                                       "a",
                                       "FDP2",
                                       "with \"quotes\" & <tags>",
                                       "tab\tline\nend\r.",
                                       "Ger\xc3\xa4t \xe2\x82\xac",
                                       "  blanks  ",
                                       "\xf0\x9f\x92\xaa"};
    char buffer[64];
    snprintf(buffer, sizeof buffer, "%s%d", some[below(8)], below(1000));
    return below(4) ? sn_arena_strdup(arena, buffer) : "";
}

static inline void fill_array(snArena *arena, const snAttr *attr, void *def, int32_t count)
{
    size_t n = (size_t)count * (size_t)attr->width;
    void *items;
    if (attr->type == SN_ATTR_INTS) {
        int32_t *v = items = sn_arena_alloc(arena, n, sizeof *v);
        for (size_t i = 0; i < n; ++i) v[i] = below(5);
    } else {
        double *v = items = sn_arena_alloc(arena, n, sizeof *v);
        for (size_t i = 0; i < n; ++i) v[i] = number();
    }
    memcpy((char *)def + attr->offset, &items, sizeof items);
    memcpy((char *)def + attr->count_offset, &count, sizeof count);
}

static inline void fill(snArena *arena, const snAttr *attr, void *def)
{
    void *at = sn_attr_at(attr, def);
    int count = 0;
    switch (attr->type) {
    case SN_ATTR_BOOL:
        *(bool *)at = below(2);
        break;
    case SN_ATTR_INT:
        *(int32_t *)at = below(1000) - 500;
        break;
    case SN_ATTR_NUMBER:
        *(double *)at = number();
        break;
    case SN_ATTR_VECTOR:
        for (int i = 0; i < attr->width; ++i) ((double *)at)[i] = number();
        break;
    case SN_ATTR_STRING:
        *(const char **)at = text(arena);
        break;
    case SN_ATTR_ENUM:
        while (attr->names[count]) ++count;
        memcpy(at, &(int){below(count)}, sizeof(int));
        break;
    case SN_ATTR_NUMBERS:
    case SN_ATTR_INTS:
        fill_array(arena, attr, def, attr->type == SN_ATTR_INTS ? 3 : 5 + below(20));
        break;
    }
}

static inline void fill_def(snArena *arena, int element, void *def)
{
    const snElement *e = sn_element(element);
    for (int i = 0; i < e->nattr; ++i)
        if (sn_attr_applies(element, &e->attr[i], def) && below(3)) fill(arena, &e->attr[i], def);
}

static inline void add_node(snSpec *spec, snArena *arena, int i)
{
    snNodeDef def = sn_default_node_def();
    def.kind = (snNodeKind)below(SN_NODE_KINDS);
    fill_def(arena, SN_KIND_NODE, &def);
    char name[16];
    snprintf(name, sizeof name, "n%d", i);
    def.name = name;
    def.parent = (snId)below(i + 1);
    def.file = "";
    if (def.nvertex < 5) def.ntriangle = 0;
    if (def.kind == SN_NODE_SURFACE) {
        def.nu = 1 + below(3), def.nv = 2;
        fill_array(arena, sn_attr_find(sn_element(SN_KIND_NODE), "Points"), &def, def.nu * def.nv);
    } else
        def.nu = def.nv = 0;
    assert_int_equal(sn_add_node(spec, &def, NULL), SN_OK);
}

static inline void add_part(snSpec *spec, snArena *arena, snKind kind)
{
    snPartDef def;
    sn_element_defaults((int)kind, &def);
    fill_def(arena, (int)kind, &def);
    if (kind == SN_KIND_BODY) def.body.rotation[0] = 1;
    if (kind == SN_KIND_JOINT) def.joint.rotation[0] = 1;
    if (kind == SN_KIND_STRAND) def.strand.passive_fl = "linear", def.strand.active_fl = "";
    if (kind == SN_KIND_FORCE_LENGTH) {
        def.curve.file = "";
        fill_array(arena, sn_attr_find(sn_element((int)kind), "Stretch"), &def, 7);
        fill_array(arena, sn_attr_find(sn_element((int)kind), "Force"), &def, 7);
    }
    assert_int_equal(sn_spec_add(spec, kind, &def, (snOrigin){"", 0, 0}, NULL), SN_OK);
}

static inline snSpec *random_spec(uint64_t start)
{
    seed = start;
    snArena arena = {0};
    snSpec *spec = sn_spec_create();
    snSceneDef scene = {sizeof scene, (snUnits)below(4), (snAxis)below(2)};
    snModelDef model = sn_default_model_def();
    fill_def(&arena, SN_ELEMENT_MODEL, &model);
    model.scene = "";
    sn_set_scene(spec, &scene);
    sn_set_model(spec, &model);
    for (int i = 0; i < 20; ++i) add_node(spec, &arena, i);
    for (int kind = SN_KIND_BODY; kind < SN_KINDS; ++kind)
        for (int i = below(6); i > 0; --i) add_part(spec, &arena, (snKind)kind);
    sn_arena_free(&arena);
    return spec;
}

/* ---- comparing ---------------------------------------------------------------------------- */

static inline void expect_same_def(int element, const void *a, const void *b)
{
    const snElement *e = sn_element(element);
    for (int i = 0; i < e->nattr; ++i) {
        if (!sn_attr_applies(element, &e->attr[i], a) || sn_attr_equal(&e->attr[i], a, b)) continue;
        print_error("%s.%s differs\n", e->tag, e->attr[i].name);
        fail();
    }
}

static const char *parent_name(const snSpec *spec, const snNodeDef *node)
{
    return node->parent ? sn_spec_node(spec, node->parent)->name : "";
}

/* Nodes by name, because nesting orders them depth first; everything else in order. */
static inline void expect_same(const snSpec *a, const snSpec *b)
{
    expect_same_def(SN_ELEMENT_SCENE, sn_spec_scene(a), sn_spec_scene(b));
    expect_same_def(SN_ELEMENT_MODEL, sn_spec_model(a), sn_spec_model(b));
    for (int kind = 0; kind < SN_KINDS; ++kind) {
        assert_int_equal(sn_spec_count(a, (snKind)kind), sn_spec_count(b, (snKind)kind));
        for (snId id = 1; id <= sn_spec_count(a, (snKind)kind); ++id) {
            snId other = id;
            if (kind == SN_KIND_NODE) {
                other = sn_spec_find(b, SN_KIND_NODE, sn_spec_node(a, id)->name);
                assert_true(other > 0);
                assert_int_equal(sn_spec_node(a, id)->kind, sn_spec_node(b, other)->kind);
                assert_string_equal(parent_name(a, sn_spec_node(a, id)), parent_name(b, sn_spec_node(b, other)));
            }
            expect_same_def(kind, sn_spec_def(a, (snKind)kind, id), sn_spec_def(b, (snKind)kind, other));
        }
    }
}

#endif
