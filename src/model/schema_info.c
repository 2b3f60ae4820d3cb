/* The schema tables as public functions give them: the roots, every kind of node by itself, the elements of a muscle
 * file, in the order of docs/reference.md. */
#include "model/own/schema.h"
#include "model/schema.h"

static const struct {
    int element;
    int node; /* kind of node, or -1 */
} order[] = {
    {SN_ELEMENT_SCENE, -1},
    {SN_KIND_NODE, SN_NODE_GROUP},
    {SN_KIND_NODE, SN_NODE_MESH},
    {SN_KIND_NODE, SN_NODE_CURVE},
    {SN_KIND_NODE, SN_NODE_SURFACE},
    {SN_KIND_NODE, SN_NODE_SHAPE},
    {SN_KIND_NODE, SN_NODE_LOCATOR},
    {SN_ELEMENT_MODEL, -1},
    {SN_KIND_BODY, -1},
    {SN_KIND_JOINT, -1},
    {SN_KIND_STRAND, -1},
    {SN_KIND_GROUP, -1},
    {SN_KIND_CONSTRAINT, -1},
    {SN_KIND_FORCE_LENGTH, -1},
    {SN_KIND_FUNCTION, -1},
    {SN_KIND_COORDINATE, -1},
    {SN_KIND_SPRING, -1},
    {SN_KIND_LINE_MUSCLE, -1},
};
static const int count = (int)(sizeof order / sizeof order[0]);

static const char *const type_names[] = {
    [SN_ATTR_BOOL] = "bool",     [SN_ATTR_INT] = "int",   [SN_ATTR_NUMBER] = "number",   [SN_ATTR_VECTOR] = "vector",
    [SN_ATTR_STRING] = "string", [SN_ATTR_ENUM] = "enum", [SN_ATTR_NUMBERS] = "numbers", [SN_ATTR_INTS] = "ints",
};

bool sn_schema_element(int element, snElementInfo *info)
{
    if (!info) return false;
    if (element < 0 || element >= count) return false;
    int node = order[element].node;
    const snElement *e = sn_element(order[element].element);
    *info = (snElementInfo){.tag = e->tag, .doc = e->doc};
    if (node >= 0) *info = (snElementInfo){sn_node_tag((snNodeKind)node), sn_node_doc((snNodeKind)node), true};
    return true;
}

static const snAttr *find(int element, int attribute)
{
    int node = order[element].node;
    const snElement *e = sn_element(order[element].element);
    for (int i = 0; i < e->nattr; ++i) {
        unsigned kinds = e->attr[i].kinds;
        if (node >= 0 && kinds && !(kinds >> node & 1u)) continue;
        if (attribute-- == 0) return &e->attr[i];
    }
    return NULL;
}

bool sn_schema_attribute(int element, int attribute, snAttributeInfo *info)
{
    if (!info) return false;
    if (element < 0 || element >= count || attribute < 0) return false;
    const snAttr *attr = find(element, attribute);
    if (!attr) return false;
    *info = (snAttributeInfo){
        .name = attr->name,
        .type = type_names[attr->type],
        .width = attr->width,
        .required = attr->flags & SN_ATTR_REQUIRED,
        .above_min = attr->flags & SN_ATTR_POSITIVE,
        .child = attr->flags & SN_ATTR_CHILD,
        .min = attr->min,
        .max = attr->max,
        .names = attr->names,
        .unit = attr->unit,
        .doc = attr->doc,
    };
    for (int i = 0; i < 4; ++i) info->initial[i] = attr->initial[i];
    return true;
}
