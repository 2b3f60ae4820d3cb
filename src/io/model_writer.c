/* A spec as scene and muscle documents. Attributes at their default are left out, numbers have as few digits as read
 * back bit for bit, one item of an array stands on a line: a written file reads back as the same model, a second
 * writing gives the same bytes, and a change to a model is a small change to its file.
 *
 * Nodes are nested below their parents, so that they come back in depth-first order. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/model_files.h"
#include "io/own/kept.h"

#include <math.h>
#include <string.h>

typedef struct Writer {
    const snSpec *spec;
    const char *path;
    snWriter out;
    snError *error;
    snId *first_child, *next_sibling; /* by node; index 0: the scene */
} Writer;

static snStatus fail_element(Writer *w, int element, snId id, const snAttr *attr, const char *what)
{
    const snElement *e = sn_element(element);
    const char *name = id ? sn_attr_string(sn_attr_find(e, "name"), sn_spec_def(w->spec, (snKind)element, id)) : "";
    sn_fail(w->error, SN_BAD_INPUT, "%s %s, so the model cannot be written", attr ? attr->name : "the node", what);
    sn_error_element(w->error, e->tag, name);
    sn_error_remedy(w->error, "sn_check lists all such problems");
    return SN_BAD_INPUT;
}

static void indent(Writer *w, int depth)
{
    for (int i = 0; i < depth; ++i) sn_writer_text(&w->out, "  ");
}

/* ---- values ------------------------------------------------------------------------------- */

static bool write_numbers(Writer *w, const double *value, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!isfinite(value[i])) return false;
        if (i) sn_writer_text(&w->out, " ");
        sn_writer_number(&w->out, value[i]);
    }
    return true;
}

static bool write_enum(Writer *w, const snAttr *attr, const void *def)
{
    int value = sn_attr_enum(attr, def), count = 0;
    while (attr->names[count]) ++count;
    if (value < 0 || value >= count) return false;
    sn_writer_text(&w->out, attr->names[value]);
    return true;
}

/* False when the value cannot be written. */
static bool write_value(Writer *w, const snAttr *attr, const void *def)
{
    const void *field = sn_attr_get(attr, def);
    switch (attr->type) {
    case SN_ATTR_BOOL:
        sn_writer_text(&w->out, *(const bool *)field ? "true" : "false");
        return true;
    case SN_ATTR_INT:
        sn_writer_printf(&w->out, "%d", (int)*(const int32_t *)field);
        return true;
    case SN_ATTR_NUMBER:
        return write_numbers(w, field, 1);
    case SN_ATTR_VECTOR:
        return write_numbers(w, field, attr->width);
    case SN_ATTR_STRING:
        return sn_xml_write_text(&w->out, sn_attr_string(attr, def));
    case SN_ATTR_ENUM:
        return write_enum(w, attr, def);
    case SN_ATTR_NUMBERS:
        return write_numbers(w, *(const double *const *)field, attr->width * sn_attr_count(attr, def));
    case SN_ATTR_INTS:
        return false; /* only as child elements */
    }
    return false;
}

/* As numbers, which is ten times as fast as a format: a mesh has a hundred thousand of them. */
static void write_integers(Writer *w, const int32_t *item, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        if (k) sn_writer_text(&w->out, " ");
        sn_writer_number(&w->out, item[k]);
    }
}

/* The array as it lies in memory: text of a hundred thousand numbers would take longer than all that a cache spares. */
static bool hash_array(Writer *w, const snAttr *attr, const void *items, int32_t n)
{
    bool whole = attr->type == SN_ATTR_INTS;
    for (int32_t i = 0; !whole && i < n; ++i)
        if (!isfinite(((const double *)items)[i])) return false;
    w->out.hash = sn_checksum(w->out.hash, items, (size_t)n * (whole ? sizeof(int32_t) : sizeof(double)));
    return true;
}

/* An array with an item per line, short scalars twelve to a line. */
static bool write_array(Writer *w, const snAttr *attr, const void *def, int depth)
{
    int32_t count = sn_attr_count(attr, def), per_line = attr->width == 1 ? 12 : 1;
    const void *items = *(const void *const *)sn_attr_get(attr, def);
    indent(w, depth);
    sn_writer_printf(&w->out, "<%s>\n", attr->name);
    if (w->out.counts_only) return hash_array(w, attr, items, attr->width * count);
    for (int32_t i = 0; i < count; i += per_line) {
        int32_t n = attr->width * (count - i < per_line ? count - i : per_line), at = attr->width * i;
        indent(w, depth + 1);
        if (attr->type == SN_ATTR_INTS)
            write_integers(w, (const int32_t *)items + at, n);
        else if (!write_numbers(w, (const double *)items + at, n))
            return false;
        sn_writer_text(&w->out, "\n");
    }
    indent(w, depth);
    sn_writer_printf(&w->out, "</%s>\n", attr->name);
    return true;
}

/* ---- elements ----------------------------------------------------------------------------- */

/* Whether inline arrays of an element are left to the file that it names: the file must be there for a reader of the
 * document, otherwise the data is written inline and the name dropped. *status: SN_NO_MEMORY. */
static bool by_file(const Writer *w, int element, const void *def, snStatus *status)
{
    const char *file = "";
    bool empty = true;
    if (element == SN_KIND_NODE && ((const snNodeDef *)def)->kind == SN_NODE_MESH)
        file = ((const snNodeDef *)def)->file, empty = ((const snNodeDef *)def)->nvertex == 0;
    if (element == SN_KIND_FORCE_LENGTH)
        file = ((const snForceLengthDef *)def)->file, empty = ((const snForceLengthDef *)def)->npoint == 0;
    if (!*file || empty) return *file != '\0';
    if (w->out.counts_only) return false; /* a hash covers the data, wherever it lies */
    char *path = sn_path_beside(w->path, file);
    if (!path) *status = sn_fail_no_memory(w->error);
    bool there = path && sn_file_exists(path);
    sn_free(path);
    return there;
}

static bool is_written(const snAttr *attr, int element, const void *def)
{
    if (!sn_attr_applies(element, attr, def)) return false;
    return (attr->flags & SN_ATTR_REQUIRED) || !sn_attr_is_default(attr, def);
}

/* <tag a="..." ... without the end of the tag. */
static snStatus write_start(Writer *w, int element, snId id, const void *def, const char *tag, bool drop_file)
{
    const snElement *e = sn_element(element);
    sn_writer_printf(&w->out, "<%s", tag);
    if (!id) sn_writer_text(&w->out, " version=\"1\"");
    for (int i = 0; i < e->nattr; ++i) {
        const snAttr *attr = &e->attr[i];
        if ((attr->flags & SN_ATTR_CHILD) || !is_written(attr, element, def)) continue;
        if (drop_file && strcmp(attr->name, "file") == 0) continue;
        sn_writer_printf(&w->out, " %s=\"", attr->name);
        if (!write_value(w, attr, def)) return fail_element(w, element, id, attr, "has no value that a file can hold");
        sn_writer_text(&w->out, "\"");
    }
    return SN_OK;
}

/* The arrays of an element, each closing the start tag if it is still open. */
static snStatus write_arrays(Writer *w, int element, snId id, const void *def, int depth, bool *open)
{
    const snElement *e = sn_element(element);
    for (int i = 0; i < e->nattr; ++i) {
        const snAttr *attr = &e->attr[i];
        if (!(attr->flags & SN_ATTR_CHILD) || !is_written(attr, element, def)) continue;
        if (*open) sn_writer_text(&w->out, ">\n");
        *open = false;
        if (!write_array(w, attr, def, depth + 1))
            return fail_element(w, element, id, attr, "has a value that is not finite");
    }
    return SN_OK;
}

static void write_end(Writer *w, const char *tag, int depth, bool open)
{
    if (open) {
        sn_writer_text(&w->out, "/>\n");
        return;
    }
    indent(w, depth);
    sn_writer_printf(&w->out, "</%s>\n", tag);
}

/* Start tag and arrays; *open tells whether the start tag still lacks its end. */
static snStatus write_head(Writer *w, int element, snId id, const char *tag, int depth, bool *open)
{
    const void *def = sn_spec_def(w->spec, (snKind)element, id);
    snStatus status = SN_OK;
    bool file = by_file(w, element, def, &status);
    *open = true;
    indent(w, depth);
    if (!status) status = write_start(w, element, id, def, tag, !file);
    if (!status && !file) status = write_arrays(w, element, id, def, depth, open);
    return status;
}

static snStatus write_node(Writer *w, snId id, int depth)
{
    const char *tag = sn_node_tag(sn_spec_node(w->spec, id)->kind);
    bool open;
    if (depth >= SN_XML_DEPTH - 1) return fail_element(w, SN_KIND_NODE, id, NULL, "is nested too deep");
    snStatus status = write_head(w, SN_KIND_NODE, id, tag, depth, &open);
    for (snId child = w->first_child[id]; child && !status; child = w->next_sibling[child]) {
        if (open) sn_writer_text(&w->out, ">\n");
        open = false;
        status = write_node(w, child, depth + 1);
    }
    if (!status) write_end(w, tag, depth, open);
    return status;
}

/* Lists of children in the order of the nodes. */
static snStatus link_nodes(Writer *w)
{
    int32_t n = sn_spec_count(w->spec, SN_KIND_NODE);
    w->first_child = SN_NEW_ARRAY(snId, n + 1);
    w->next_sibling = SN_NEW_ARRAY(snId, n + 1);
    if (!w->first_child || !w->next_sibling) return sn_fail_no_memory(w->error);
    for (snId id = n; id > 0; --id) {
        const snNodeDef *def = sn_spec_node(w->spec, id);
        if ((unsigned)def->kind >= SN_NODE_KINDS)
            return fail_element(w, SN_KIND_NODE, id, NULL, "is of an unknown kind");
        if (def->parent < 0 || def->parent >= id)
            return fail_element(w, SN_KIND_NODE, id, NULL, "comes before its parent");
        w->next_sibling[id] = w->first_child[def->parent];
        w->first_child[def->parent] = id;
    }
    return SN_OK;
}

static snStatus write_scene(Writer *w)
{
    snStatus status = link_nodes(w);
    if (!status)
        status = write_start(w, SN_ELEMENT_SCENE, 0, sn_spec_scene(w->spec), sn_element(SN_ELEMENT_SCENE)->tag, false);
    sn_writer_text(&w->out, ">\n");
    for (snId id = status ? 0 : w->first_child[0]; id && !status; id = w->next_sibling[id])
        status = write_node(w, id, 1);
    sn_writer_text(&w->out, "</ModelerScene>\n");
    return status;
}

static snStatus write_muscle(Writer *w)
{
    snStatus status =
        write_start(w, SN_ELEMENT_MODEL, 0, sn_spec_model(w->spec), sn_element(SN_ELEMENT_MODEL)->tag, false);
    sn_writer_text(&w->out, ">\n");
    for (int kind = SN_KIND_BODY; kind < SN_KINDS; ++kind) {
        int32_t n = sn_spec_count(w->spec, (snKind)kind);
        for (snId id = 1; id <= n && !status; ++id) {
            bool open;
            status = write_head(w, kind, id, sn_element(kind)->tag, 1, &open);
            if (!status) write_end(w, sn_element(kind)->tag, 1, open);
        }
    }
    sn_writer_text(&w->out, "</Muscle>\n");
    return status;
}

static snStatus write_document(Writer *w, snDocument document)
{
    sn_writer_text(&w->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    snStatus status = document == SN_DOCUMENT_SCENE ? write_scene(w) : write_muscle(w);
    sn_free(w->first_child);
    sn_free(w->next_sibling);
    w->first_child = w->next_sibling = NULL;
    return status;
}

snStatus sn_model_write(const snSpec *spec, snDocument document, const char *path, snWriter *out, snError *error)
{
    Writer w = {.spec = spec, .path = path, .error = error};
    snStatus status = sn_writer_open(&w.out, path, error);
    if (status) return status;
    status = write_document(&w, document);
    if (status)
        sn_writer_abort(&w.out);
    else
        *out = w.out;
    return status;
}

uint64_t sn_hash_model(const snSpec *spec, snError *error)
{
    if (!spec) return 0;
    Writer w = {.spec = spec, .path = "", .error = error};
    sn_writer_open_hash(&w.out);
    snStatus status = write_document(&w, SN_DOCUMENT_SCENE);
    if (!status) status = write_document(&w, SN_DOCUMENT_MUSCLE);
    uint64_t hash = w.out.hash;
    sn_writer_abort(&w.out);
    return status ? 0 : hash ? hash : 1;
}
