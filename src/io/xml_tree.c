/* See xml_tree.h. */
#include "io/xml_tree.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"

#include <string.h>

typedef struct Builder {
    snArena *arena;
    snXmlNode *root, *open, *last; /* last: the youngest child of what is open */
    int32_t count;
    SN_ARRAY(char) text;
} Builder;

static bool copy_attributes(snArena *arena, const char **from, snXmlNode *node)
{
    size_t n = 0;
    while (from[n]) ++n;
    node->attribute = sn_arena_alloc(arena, n + 1, sizeof *from);
    for (size_t i = 0; node->attribute && i < n; ++i)
        if (!(node->attribute[i] = sn_arena_strdup(arena, from[i]))) return false;
    return node->attribute != NULL;
}

static snStatus on_start(void *user, snXml *xml, const char *tag, const char **attribute)
{
    Builder *b = user;
    if (++b->count > SN_XML_TREE_MAX) return sn_xml_fail(xml, 0, NULL, NULL, "more than %d elements", SN_XML_TREE_MAX);
    snXmlNode *node = sn_arena_alloc(b->arena, 1, sizeof *node);
    if (!node || !(node->tag = sn_arena_strdup(b->arena, tag)) || !copy_attributes(b->arena, attribute, node))
        return sn_xml_fail_no_memory(xml);
    sn_xml_place(xml, &node->line, &node->column);
    node->text = "";
    node->parent = b->open;
    if (b->last)
        b->last->next = node;
    else if (b->open)
        b->open->child = node;
    if (!b->root) b->root = node;
    b->open = node;
    b->last = NULL;
    b->text.count = 0;
    return SN_OK;
}

static snStatus on_end(void *user, snXml *xml, const char *tag)
{
    (void)tag;
    Builder *b = user;
    snXmlNode *node = b->open;
    int32_t first = 0, n = b->text.count;
    while (n > 0 && strchr(" \t\r\n", b->text.at[n - 1])) --n;
    while (first < n && strchr(" \t\r\n", b->text.at[first])) ++first;
    if (!node->child && n > first) {
        char *text = sn_arena_alloc(b->arena, (size_t)(n - first) + 1, 1);
        if (!text) return sn_xml_fail_no_memory(xml);
        memcpy(text, b->text.at + first, (size_t)(n - first));
        node->text = text;
    }
    b->text.count = 0;
    b->last = node;
    b->open = node->parent;
    return SN_OK;
}

static snStatus on_text(void *user, snXml *xml, const char *text, size_t length)
{
    Builder *b = user;
    if (!sn_array_reserve(&b->text, (int32_t)length)) return sn_xml_fail_no_memory(xml);
    memcpy(b->text.at + b->text.count, text, length);
    b->text.count += (int32_t)length;
    return SN_OK;
}

snStatus sn_xml_tree(const char *name, const char *bytes, size_t size, snArena *arena, const snXmlNode **root,
                     snError *error)
{
    static const snXmlHandler handler = {on_start, on_end, on_text};
    Builder b = {.arena = arena};
    snStatus status = sn_xml_read(name, bytes, size, &handler, &b, error);
    sn_array_free(&b.text);
    *root = b.root;
    return status;
}

const snXmlNode *sn_xml_child(const snXmlNode *node, const char *tag)
{
    for (node = node ? node->child : NULL; node; node = node->next)
        if (strcmp(node->tag, tag) == 0) return node;
    return NULL;
}

const snXmlNode *sn_xml_next(const snXmlNode *node, const snXmlNode *within)
{
    if (node->child) return node->child;
    while (node != within && !node->next) node = node->parent;
    return node == within ? NULL : node->next;
}
