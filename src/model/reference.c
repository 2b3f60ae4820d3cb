#include "model/reference.h"

#include "model/schema.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct Page {
    void (*emit)(void *user, const char *text);
    void *user;
} Page;

SN_PRINTF(2, 3) static void put(const Page *page, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    page->emit(page->user, text);
}

/* ---- one row ------------------------------------------------------------------------------ */

static void put_type(const Page *page, const snAttr *attr)
{
    switch (attr->type) {
    case SN_ATTR_BOOL:
        put(page, "`true` or `false`");
        break;
    case SN_ATTR_INT:
        put(page, "whole number");
        break;
    case SN_ATTR_NUMBER:
        put(page, "number");
        break;
    case SN_ATTR_VECTOR:
        put(page, "%d numbers", attr->width);
        break;
    case SN_ATTR_STRING:
        put(page, "text");
        break;
    case SN_ATTR_ENUM:
        for (int i = 0; attr->names[i]; ++i) put(page, "%s`%s`", i ? ", " : "", attr->names[i]);
        break;
    case SN_ATTR_NUMBERS:
        put(page, attr->width == 1 ? "numbers" : "%d numbers per item", attr->width);
        break;
    case SN_ATTR_INTS:
        put(page, "%d whole numbers per item", attr->width);
        break;
    }
}

static void put_default(const Page *page, const snAttr *attr)
{
    if (attr->flags & SN_ATTR_REQUIRED) {
        put(page, "*required*");
        return;
    }
    switch (attr->type) {
    case SN_ATTR_BOOL:
        put(page, "`%s`", attr->initial[0] != 0 ? "true" : "false");
        break;
    case SN_ATTR_INT:
    case SN_ATTR_NUMBER:
        put(page, "%g", attr->initial[0]);
        break;
    case SN_ATTR_ENUM:
        put(page, "`%s`", attr->names[(int)attr->initial[0]]);
        break;
    case SN_ATTR_VECTOR:
        for (int i = 0; i < attr->width && !isnan(attr->initial[i]); ++i)
            put(page, "%s%g", i ? " " : "", attr->initial[i]);
        break;
    case SN_ATTR_STRING:
    case SN_ATTR_NUMBERS:
    case SN_ATTR_INTS:
        break; /* empty */
    }
}

static bool has_range(const snAttr *attr)
{
    switch (attr->type) {
    case SN_ATTR_INT:
    case SN_ATTR_NUMBER:
    case SN_ATTR_VECTOR:
    case SN_ATTR_NUMBERS:
        return !isinf(attr->min) || !isinf(attr->max);
    default:
        return false;
    }
}

static void put_range(const Page *page, const snAttr *attr)
{
    if (!has_range(attr)) return;
    const char *sign = attr->flags & SN_ATTR_POSITIVE ? ">" : ">=";
    if (isinf(attr->max))
        put(page, "%s %g", sign, attr->min);
    else if (attr->flags & SN_ATTR_POSITIVE)
        put(page, "> %g, <= %g", attr->min, attr->max);
    else
        put(page, "%g to %g", attr->min, attr->max);
}

static void put_row(const Page *page, const snAttr *attr)
{
    put(page, attr->flags & SN_ATTR_CHILD ? "| `<%s>` | " : "| `%s` | ", attr->name);
    put_type(page, attr);
    put(page, " | ");
    put_default(page, attr);
    put(page, " | ");
    put_range(page, attr);
    put(page, " | %s | %s |\n", attr->unit, attr->doc);
}

/* ---- tables ------------------------------------------------------------------------------- */

static void put_head(const Page *page)
{
    put(page, "| attribute | type | default | range | unit | meaning |\n|---|---|---|---|---|---|\n");
}

static void put_element(const Page *page, int element)
{
    const snElement *e = sn_element(element);
    bool root = element == SN_ELEMENT_SCENE || element == SN_ELEMENT_MODEL;
    put(page, "\n### %s\n\n%s\n\n", e->tag, e->doc);
    put_head(page);
    if (root) put(page, "| `version` | whole number | *required* | 1 |  | Version of the format. |\n");
    for (int i = 0; i < e->nattr; ++i) put_row(page, &e->attr[i]);
}

/* What all nodes have, then each kind with what only it has. */
static void put_nodes(const Page *page)
{
    const snElement *e = sn_element(SN_KIND_NODE);
    put(page, "\n### All nodes\n\nNodes may stand inside each other; a node moves with the one around it.\n\n");
    put_head(page);
    for (int i = 0; i < e->nattr; ++i)
        if (!e->attr[i].kinds) put_row(page, &e->attr[i]);
    for (int kind = 0; kind < SN_NODE_KINDS; ++kind) {
        int count = 0;
        put(page, "\n### %s\n\n%s\n", sn_node_tag((snNodeKind)kind), sn_node_doc((snNodeKind)kind));
        for (int i = 0; i < e->nattr; ++i) {
            if (!(e->attr[i].kinds >> kind & 1u)) continue;
            if (count++ == 0) {
                put(page, "\n");
                put_head(page);
            }
            put_row(page, &e->attr[i]);
        }
    }
}

static const char intro[] =
    "# Elements and attributes of scene and muscle files\n\n"
    "Made by `make docs` from the tables that the readers, the writers and `sinew check` use; do not edit it here.\n"
    "[Files](files.md) explains what the files are for.\n\n"
    "Lengths in a scene are in the scene's units; everything else is SI, angles in degrees. Quaternions are w first. "
    "Numbers\n"
    "are decimal with a point; several are separated by blanks. A row written `<Name>` is a child element that holds "
    "the\n"
    "numbers as text, any number of them to a line. An attribute that has its default may be left out, and writers "
    "leave it\n"
    "out. Names are at most 127 bytes long; names of strands and groups have no blanks, because lists of them do.\n\n"
    "Defaults follow Table 3.1 of [Kaufman 2008], turned from centimetres and grams into SI, where it has them.\n";

static const char curve_files[] =
    "\n## Force-length files\n\n"
    "A force-length curve may stand in a file of its own: two columns of numbers, stretch and force, separated by "
    "blanks,\n"
    "commas or semicolons, with `#` for comments and one line of headings at most; or an XML document whose root is\n"
    "`<ForceLength version=\"1\">` with `<Stretch>` and `<Force>` inside. The file is named by `file` of a "
    "ForceLength\n"
    "element, or directly by `passive_fl` or `active_fl` of a strand, relative to the muscle file. Between its points "
    "a curve\n"
    "is a monotone cubic, beyond them it is linear.\n";

void sn_reference_write(void (*emit)(void *user, const char *text), void *user)
{
    const Page page = {emit, user};
    emit(user, intro);
    put(&page, "\n## Scene file\n");
    put_element(&page, SN_ELEMENT_SCENE);
    put_nodes(&page);
    put(&page, "\n## Muscle file\n");
    put_element(&page, SN_ELEMENT_MODEL);
    for (int kind = SN_KIND_BODY; kind < SN_KINDS; ++kind) put_element(&page, kind);
    emit(user, curve_files);
}
