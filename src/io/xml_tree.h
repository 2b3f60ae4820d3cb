/* A whole XML document as a tree, for formats whose elements refer to each other. On the stream of xml.h, with its
 * refusals; the tree has a budget of elements of its own. */
#ifndef SN_IO_XML_TREE_H
#define SN_IO_XML_TREE_H

#include "base/arena.h"
#include "io/xml.h"

typedef struct snXmlNode {
    const char *tag;
    const char **attribute; /* name, value, ..., NULL */
    const char *text;       /* of an element without children, without blanks around it; never NULL */
    int line, column;
    struct snXmlNode *parent, *child, *next;
} snXmlNode;

enum { SN_XML_TREE_MAX = 4 * 1000 * 1000 }; /* elements; the largest public .osim has 200,000 */

/* The root element; everything lives in the arena. name is what errors call the file. */
snStatus sn_xml_tree(const char *name, const char *bytes, size_t size, snArena *arena, const snXmlNode **root,
                     snError *error);

/* The first child of this tag, NULL when there is none; NULL of NULL. */
const snXmlNode *sn_xml_child(const snXmlNode *node, const char *tag);
/* The next element in the order of the file within `within`; begin with within itself. NULL at the end. */
const snXmlNode *sn_xml_next(const snXmlNode *node, const snXmlNode *within);

#endif
