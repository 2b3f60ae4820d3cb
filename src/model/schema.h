/* One table per element of the scene and muscle files: every attribute with its type, place in the def struct,
 * default, range, unit and one line of documentation. Default functions, spec storage, reader, writer, range checks
 * and docs/reference.md all come from these tables and from nothing else.
 *
 * Invariants:
 * 1. An attribute's name is unique within its element and node kind.
 * 2. Every field of a def that belongs in a file has exactly one row; the others are filled in by code only.
 * 3. Arrays that share a count field have the same length. */
#ifndef SN_MODEL_SCHEMA_H
#define SN_MODEL_SCHEMA_H

#include "sinew/spec.h"

typedef enum snAttrType {
    SN_ATTR_BOOL,
    SN_ATTR_INT,
    SN_ATTR_NUMBER,
    SN_ATTR_VECTOR, /* `width` doubles inside the def */
    SN_ATTR_STRING,
    SN_ATTR_ENUM,
    SN_ATTR_NUMBERS, /* pointer to doubles, `width` per item */
    SN_ATTR_INTS     /* pointer to int32_t, `width` per item */
} snAttrType;

enum {
    SN_ATTR_REQUIRED = 1,  /* must be given */
    SN_ATTR_POSITIVE = 2,  /* greater than min, not equal to it */
    SN_ATTR_CHILD = 4,     /* an array written as a child element instead of an attribute */
    SN_ATTR_MAY_BE_NAN = 8 /* NaN stands for a default that depends on something else */
};

typedef struct snAttr {
    const char *name;
    snAttrType type;
    int flags;
    size_t offset;       /* of the field in the def */
    size_t count_offset; /* arrays: of the int32_t number of items */
    int width;
    double initial[4];
    double min, max;          /* of each component */
    const char *const *names; /* enum: value names, ended by NULL */
    const char *unit;         /* empty: none */
    const char *doc;
    unsigned kinds; /* nodes: bit per snNodeKind that has it; 0: all */
} snAttr;

typedef struct snElement {
    const char *tag; /* of a node: see sn_node_tag */
    size_t size;
    const snAttr *attr;
    int nattr;
    const char *doc;
} snElement;

/* The elements in the order of snKind, then the two roots. */
enum { SN_ELEMENT_SCENE = SN_KIND_SCENE, SN_ELEMENT_MODEL = SN_KIND_MODEL, SN_ELEMENT_COUNT };

extern const snElement sn_tree_elements[3]; /* SN_KIND_COORDINATE and on: schema_tree.c */
const snElement *sn_element(int element);   /* an snKind or SN_ELEMENT_* */
const char *sn_node_tag(snNodeKind kind);
const char *sn_node_doc(snNodeKind kind);
enum { SN_NODE_KINDS = SN_NODE_LOCATOR + 1 };

/* Whether an attribute belongs to the def (nodes: to its kind). */
bool sn_attr_applies(int element, const snAttr *attr, const void *def);
const snAttr *sn_attr_find(const snElement *element, const char *name);

/* Fields of a def through the table. */
static inline void *sn_attr_at(const snAttr *attr, void *def)
{
    return (char *)def + attr->offset;
}
static inline const void *sn_attr_get(const snAttr *attr, const void *def)
{
    return (const char *)def + attr->offset;
}
const char *sn_attr_string(const snAttr *attr, const void *def); /* "" for NULL */
int sn_attr_enum(const snAttr *attr, const void *def);
int32_t sn_attr_count(const snAttr *attr, const void *def); /* of an array's items */

/* Fills a def with the defaults of its element. */
void sn_element_defaults(int element, void *def);
/* Whether a field has its default, bit for bit. */
bool sn_attr_is_default(const snAttr *attr, const void *def);
/* Whether two defs have the same value there, bit for bit. */
bool sn_attr_equal(const snAttr *attr, const void *a, const void *b);

#endif
