/* Scene, muscle and force-length documents into a spec, driven by the schema tables.
 *
 * Invariants:
 * 1. An element is added to the spec when it starts; its arrays follow when their child elements end.
 * 2. What the reader refuses is what no later stage should have to expect: wrong types, missing attributes, counts that
 *    contradict each other, triangles without their vertices. Ranges and names are left to sn_check, which reports all
 *    problems at once.
 * 3. Reading a forgiving spec goes on after a problem with an attribute, which keeps its default: see forgive.
 * One file, because everything in it is a step of one automaton on one state. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/nearest.h"
#include "io/model_files.h"

#include <assert.h>
#include <string.h>

typedef struct Frame {
    int element;    /* snKind or SN_ELEMENT_* */
    snId id;        /* 0: a root */
    uint64_t given; /* bit per attribute of the element */
} Frame;

enum { MAX_NAMES = 64, MAX_LISTS = 2 };

typedef struct Reader {
    snSpec *spec;
    snDocument document;
    const char *file; /* owned by the spec */
    Frame frame[SN_XML_DEPTH];
    int depth;
    const snAttr *array; /* being read, or NULL */
    snNumbers numbers, integers;
    snNumbers list[MAX_LISTS]; /* attributes of the element that are lists */
    int nlist;
    char label[160]; /* of the element, for messages */
    snError *error;  /* of the reading */
} Reader;

static const struct {
    const char *root;
    int element;
} documents[] = {
    [SN_DOCUMENT_SCENE] = {"ModelerScene", SN_ELEMENT_SCENE},
    [SN_DOCUMENT_MUSCLE] = {"Muscle", SN_ELEMENT_MODEL},
    [SN_DOCUMENT_FORCE_LENGTH] = {"ForceLength", SN_KIND_FORCE_LENGTH},
};

static void set_label(Reader *r, const char *tag, const char *name)
{
    if (name && *name)
        snprintf(r->label, sizeof r->label, "%.40s \"%.90s\"", tag, name);
    else
        snprintf(r->label, sizeof r->label, "%.40s", tag);
}

static snOrigin origin_here(const Reader *r, const snXml *xml)
{
    snOrigin origin = {.file = r->file};
    sn_xml_place(xml, &origin.line, &origin.column);
    return origin;
}

/* ---- values ------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Next blank-separated token; its length, 0 at the end. */
static size_t next_token(const char **at)
{
    while (is_blank(**at)) ++*at;
    size_t n = 0;
    while ((*at)[n] && !is_blank((*at)[n])) ++n;
    return n;
}

static snStatus fail_value(Reader *r, snXml *xml, const snAttr *attr, const char *text, const char *expected)
{
    return sn_xml_fail(xml, 0, r->label, NULL, "%s is \"%.60s%s\"; expected %s", attr->name, text,
                       strlen(text) > 60 ? "..." : "", expected);
}

/* Keeps an error of reading for sn_check and goes on, if the spec wants that. */
static snStatus forgive(Reader *r, snXml *xml, snStatus status)
{
    if (status != SN_BAD_FILE || !sn_spec_is_forgiving(r->spec)) return status;
    if (!sn_spec_add_misread(r->spec, r->error)) return sn_xml_fail_no_memory(xml);
    *r->error = (snError){0};
    return SN_OK;
}

static snStatus read_vector(Reader *r, snXml *xml, const snAttr *attr, double *value, const char *text)
{
    char expected[32];
    const char *at = text;
    snprintf(expected, sizeof expected, "%d finite numbers", attr->width);
    for (int i = 0; i < attr->width; ++i) {
        size_t n = next_token(&at);
        if (n == 0 || !sn_text_number(at, n, &value[i])) return fail_value(r, xml, attr, text, expected);
        at += n;
    }
    return next_token(&at) ? fail_value(r, xml, attr, text, expected) : SN_OK;
}

static snStatus read_enum(Reader *r, snXml *xml, const snAttr *attr, void *field, const char *text)
{
    char expected[160] = "one of";
    for (int i = 0; attr->names[i]; ++i) {
        if (strcmp(attr->names[i], text) == 0) {
            memcpy(field, &i, sizeof i);
            return SN_OK;
        }
        size_t n = strlen(expected);
        snprintf(expected + n, sizeof expected - n, "%s %s", i ? "," : "", attr->names[i]);
    }
    return fail_value(r, xml, attr, text, expected);
}

/* The list stays in the reader's buffer until sn_spec_add copies it; an element has at most MAX_LISTS of them. */
static snStatus read_list(Reader *r, snXml *xml, const snAttr *attr, void *def, const char *text)
{
    assert(r->nlist < MAX_LISTS);
    snNumbers *list = &r->list[r->nlist++];
    sn_numbers_clear(list);
    snStatus status = sn_numbers_text(list, xml, r->label, text, strlen(text));
    if (!status) status = sn_numbers_end(list, xml, r->label);
    if (status) return status;
    *(const double **)sn_attr_at(attr, def) = list->number;
    memcpy((char *)def + attr->count_offset, &list->count, sizeof(int32_t));
    return SN_OK;
}

static snStatus read_value(Reader *r, snXml *xml, const snAttr *attr, void *def, const char *text)
{
    void *field = sn_attr_at(attr, def);
    size_t n = strlen(text);
    switch (attr->type) {
    case SN_ATTR_BOOL:
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
            return fail_value(r, xml, attr, text, "true or false");
        *(bool *)field = *text == 't';
        return SN_OK;
    case SN_ATTR_INT:
        return sn_text_int(text, n, field) ? SN_OK : fail_value(r, xml, attr, text, "a whole number");
    case SN_ATTR_NUMBER:
        return sn_text_number(text, n, field) ? SN_OK : fail_value(r, xml, attr, text, "a finite number");
    case SN_ATTR_VECTOR:
        return read_vector(r, xml, attr, field, text);
    case SN_ATTR_STRING:
        *(const char **)field = text;
        return SN_OK;
    case SN_ATTR_ENUM:
        return read_enum(r, xml, attr, field, text);
    case SN_ATTR_NUMBERS:
    case SN_ATTR_INTS:
        return read_list(r, xml, attr, def, text);
    }
    return SN_OK;
}

/* ---- attributes --------------------------------------------------------------------------- */

static bool is_attribute(int element, const snAttr *attr, const void *def)
{
    return !(attr->flags & SN_ATTR_CHILD) && sn_attr_applies(element, attr, def);
}

static snStatus fail_unknown_attribute(Reader *r, snXml *xml, int element, const void *def, const char *name)
{
    const snElement *e = sn_element(element);
    const char *names[MAX_NAMES];
    char remedy[160];
    int n = 0;
    for (int i = 0; i < e->nattr && n < MAX_NAMES - 1; ++i)
        if (is_attribute(element, &e->attr[i], def)) names[n++] = e->attr[i].name;
    names[n] = NULL;
    const char *nearest = sn_nearest_name(name, names);
    if (nearest)
        snprintf(remedy, sizeof remedy, "did you mean %s?", nearest);
    else if (element == SN_KIND_NODE && strcmp(name, "parent") == 0)
        snprintf(remedy, sizeof remedy, "put the element inside its parent instead");
    else
        snprintf(remedy, sizeof remedy, "remove it; docs/reference.md lists the attributes");
    return sn_xml_fail(xml, 0, r->label, remedy, "unknown attribute %.60s", name);
}

static snStatus check_required(Reader *r, snXml *xml, int element, const void *def, uint64_t given)
{
    const snElement *e = sn_element(element);
    for (int i = 0; i < e->nattr; ++i) {
        const snAttr *attr = &e->attr[i];
        if (!(attr->flags & SN_ATTR_REQUIRED) || !is_attribute(element, attr, def) || (given >> i & 1)) continue;
        snStatus status = forgive(r, xml, sn_xml_fail(xml, 0, r->label, NULL, "attribute %s is missing", attr->name));
        if (status) return status;
    }
    return SN_OK;
}

/* Fills a def that has its defaults (and its node kind) from the attributes. skip: an attribute that the caller read.
 */
static snStatus read_attributes(Reader *r, snXml *xml, int element, void *def, const char **attribute, const char *skip,
                                uint64_t *given)
{
    const snElement *e = sn_element(element);
    *given = 0;
    for (; *attribute; attribute += 2) {
        if (skip && strcmp(attribute[0], skip) == 0) continue;
        const snAttr *attr = sn_attr_find(e, attribute[0]);
        bool known = attr && is_attribute(element, attr, def);
        snStatus status = known ? read_value(r, xml, attr, def, attribute[1])
                                : fail_unknown_attribute(r, xml, element, def, attribute[0]);
        if ((status = forgive(r, xml, status))) return status;
        if (known) *given |= 1ull << (attr - e->attr);
    }
    return SN_OK;
}

/* ---- elements ----------------------------------------------------------------------------- */

static snStatus check_version(Reader *r, snXml *xml, const char **attribute)
{
    const char *version = sn_xml_attribute(attribute, "version");
    if (!version) return sn_xml_fail(xml, 0, r->label, "add version=\"1\"", "attribute version is missing");
    if (strcmp(version, "1") == 0) return SN_OK;
    return sn_xml_fail(xml, 0, r->label, "use a newer sinew, or save the file as version 1",
                       "version \"%.20s\" is not known; this sinew reads version 1", version);
}

static snStatus start_root(Reader *r, snXml *xml, const char *tag, const char **attribute)
{
    const char *expected = documents[r->document].root;
    int element = documents[r->document].element;
    set_label(r, tag, NULL);
    if (strcmp(tag, expected) != 0)
        return sn_xml_fail(xml, 0, r->label, NULL, "the root element is %.60s; expected %s", tag, expected);
    snStatus status = check_version(r, xml, attribute);
    if (status) return status;
    union {
        snSceneDef scene;
        snModelDef model;
        snForceLengthDef curve;
    } def;
    Frame *frame = &r->frame[r->depth++];
    *frame = (Frame){.element = element};
    sn_element_defaults(element, &def);
    if ((status = read_attributes(r, xml, element, &def, attribute, "version", &frame->given))) return status;
    if (r->document == SN_DOCUMENT_FORCE_LENGTH)
        status = sn_spec_add(r->spec, SN_KIND_FORCE_LENGTH, &def, origin_here(r, xml), &frame->id);
    else
        sn_spec_set_origin(r->spec, element, origin_here(r, xml));
    if (r->document == SN_DOCUMENT_SCENE) status = sn_set_scene(r->spec, &def.scene);
    if (r->document == SN_DOCUMENT_MUSCLE) status = sn_set_model(r->spec, &def.model);
    return status ? sn_xml_fail_no_memory(xml) : SN_OK;
}

/* A group inside a group of the same name can only be meant as a cycle; plain doubles are left to sn_check. */
static snStatus check_cycle(Reader *r, snXml *xml, const char *name)
{
    for (int i = 1; name && *name && i < r->depth; ++i) {
        const Frame *f = &r->frame[i];
        if (f->element == SN_KIND_NODE && strcmp(sn_spec_node(r->spec, f->id)->name, name) == 0)
            return sn_xml_fail(xml, 0, r->label, "rename one of them, or take it out of the other",
                               "a node of this name is inside a node of the same name: the hierarchy would be cyclic");
    }
    return SN_OK;
}

static snStatus add_element(Reader *r, snXml *xml, snKind kind, void *def, const char **attribute)
{
    Frame *frame = &r->frame[r->depth];
    *frame = (Frame){.element = (int)kind};
    r->nlist = 0;
    snStatus status = read_attributes(r, xml, (int)kind, def, attribute, NULL, &frame->given);
    if (!status) status = check_required(r, xml, (int)kind, def, frame->given);
    if (status) return status;
    if (sn_spec_add(r->spec, kind, def, origin_here(r, xml), &frame->id)) return sn_xml_fail_no_memory(xml);
    ++r->depth;
    return SN_OK;
}

static snStatus start_node(Reader *r, snXml *xml, snNodeKind kind, const char **attribute)
{
    const Frame *parent = &r->frame[r->depth - 1];
    snNodeDef def = sn_default_node_def();
    def.kind = kind;
    def.parent = parent->element == SN_KIND_NODE ? parent->id : 0;
    const char *name = sn_xml_attribute(attribute, "name");
    set_label(r, sn_node_tag(kind), name);
    snStatus status = check_cycle(r, xml, name);
    return status ? status : add_element(r, xml, SN_KIND_NODE, &def, attribute);
}

static snStatus start_part(Reader *r, snXml *xml, snKind kind, const char **attribute)
{
    snPartDef def;
    sn_element_defaults((int)kind, &def);
    set_label(r, sn_element((int)kind)->tag, sn_xml_attribute(attribute, "name"));
    return add_element(r, xml, kind, &def, attribute);
}

/* ---- arrays ------------------------------------------------------------------------------- */

static const void *frame_def(const Reader *r, const Frame *f)
{
    return f->id ? sn_spec_def(r->spec, (snKind)f->element, f->id) : NULL;
}

/* The array of the innermost element that has this tag; NULL when there is none. */
static const snAttr *array_of(const Reader *r, const char *tag)
{
    const Frame *f = &r->frame[r->depth - 1];
    const snAttr *attr = f->id ? sn_attr_find(sn_element(f->element), tag) : NULL;
    if (!attr || !(attr->flags & SN_ATTR_CHILD)) return NULL;
    return sn_attr_applies(f->element, attr, frame_def(r, f)) ? attr : NULL;
}

static void label_frame(Reader *r, const Frame *f)
{
    const snElement *e = sn_element(f->element);
    const char *tag = e->tag, *name = NULL;
    if (f->id) name = sn_attr_string(sn_attr_find(e, "name"), frame_def(r, f));
    if (f->element == SN_KIND_NODE) tag = sn_node_tag(sn_spec_node(r->spec, f->id)->kind);
    set_label(r, tag, name);
}

static snStatus start_array(Reader *r, snXml *xml, const snAttr *attr, const char **attribute)
{
    Frame *f = &r->frame[r->depth - 1];
    uint64_t bit = 1ull << (attr - sn_element(f->element)->attr);
    label_frame(r, f);
    if (*attribute) return sn_xml_fail(xml, 0, r->label, "remove it", "%s has no attributes", attr->name);
    if (f->given & bit) return sn_xml_fail(xml, 0, r->label, "remove one of them", "%s is given twice", attr->name);
    f->given |= bit;
    r->array = attr;
    r->integers.whole = true;
    sn_numbers_clear(&r->numbers);
    sn_numbers_clear(&r->integers);
    return SN_OK;
}

static snNumbers *buffer_of(Reader *r)
{
    return r->array->type == SN_ATTR_INTS ? &r->integers : &r->numbers;
}

/* Arrays that share a count (invariant 3 of the schema) must agree in it. */
static snStatus check_same_count(Reader *r, snXml *xml, const Frame *f, int32_t count)
{
    const snElement *e = sn_element(f->element);
    for (int i = 0; i < e->nattr; ++i) {
        const snAttr *other = &e->attr[i];
        if (other == r->array || other->count_offset != r->array->count_offset || !(other->flags & SN_ATTR_CHILD) ||
            !(f->given >> i & 1))
            continue;
        int32_t has = sn_attr_count(other, frame_def(r, f));
        if (has != count)
            return sn_xml_fail(xml, 0, r->label, NULL, "%s has %d numbers but %s has %d", r->array->name, (int)count,
                               other->name, (int)has);
    }
    return SN_OK;
}

static snStatus end_array(Reader *r, snXml *xml)
{
    const Frame *f = &r->frame[r->depth - 1];
    const snAttr *attr = r->array;
    snNumbers *buffer = buffer_of(r);
    snStatus status = sn_numbers_end(buffer, xml, r->label);
    if (status) return status;
    if (buffer->count % attr->width)
        return sn_xml_fail(xml, 0, r->label, NULL, "%s has %d numbers; expected a multiple of %d", attr->name,
                           (int)buffer->count, attr->width);
    int32_t count = buffer->count / attr->width;
    if ((status = check_same_count(r, xml, f, count))) return status;
    const void *items = attr->type == SN_ATTR_INTS ? (const void *)buffer->integer : (const void *)buffer->number;
    r->array = NULL;
    if (count && sn_spec_set_array(r->spec, (snKind)f->element, f->id, attr, count, items))
        return sn_xml_fail_no_memory(xml);
    return SN_OK;
}

/* ---- ends --------------------------------------------------------------------------------- */

static snStatus check_mesh(Reader *r, snXml *xml, const snNodeDef *d)
{
    if (*d->file && (d->nvertex || d->ntriangle))
        return sn_xml_fail(xml, 0, r->label, "keep one of the two", "the mesh has both a file and inline data");
    for (int32_t i = 0; i < 3 * d->ntriangle; ++i)
        if (d->triangle[i] < 0 || d->triangle[i] >= d->nvertex)
            return sn_xml_fail(xml, 0, r->label, "vertices count from 0",
                               "triangle %d has vertex %d, but there are %d vertices", (int)(i / 3),
                               (int)d->triangle[i], (int)d->nvertex);
    return SN_OK;
}

static snStatus check_node(Reader *r, snXml *xml, const snNodeDef *d)
{
    if (d->kind == SN_NODE_MESH) return check_mesh(r, xml, d);
    if (d->kind == SN_NODE_SURFACE && (d->nu < 0 || d->nv < 0 || (int64_t)d->nu * d->nv != d->npoint))
        return sn_xml_fail(xml, 0, r->label, "nu times nv must be the number of points",
                           "nu is %d and nv is %d, but there are %d points", (int)d->nu, (int)d->nv, (int)d->npoint);
    return SN_OK;
}

static snStatus check_curve(Reader *r, snXml *xml, const Frame *f)
{
    const snForceLengthDef *d = frame_def(r, f);
    if (*d->file && d->npoint)
        return sn_xml_fail(xml, 0, r->label, "keep one of the two", "the curve has both a file and inline points");
    if (d->npoint && (!d->stretch || !d->force))
        return sn_xml_fail(xml, 0, r->label, NULL, "%s is missing", d->stretch ? "Force" : "Stretch");
    return SN_OK;
}

static snStatus on_end(void *user, snXml *xml, const char *tag)
{
    (void)tag;
    Reader *r = user;
    if (r->array) return end_array(r, xml);
    const Frame *f = &r->frame[--r->depth];
    if (!f->id) return SN_OK;
    label_frame(r, f);
    if (f->element == SN_KIND_NODE) return check_node(r, xml, frame_def(r, f));
    if (f->element == SN_KIND_FORCE_LENGTH) return check_curve(r, xml, f);
    return SN_OK;
}

/* ---- dispatch ----------------------------------------------------------------------------- */

static int node_kind(const char *tag)
{
    for (int k = 0; k < SN_NODE_KINDS; ++k)
        if (strcmp(sn_node_tag((snNodeKind)k), tag) == 0) return k;
    return -1;
}

static int part_kind(const char *tag)
{
    for (int k = SN_KIND_BODY; k < SN_KINDS; ++k)
        if (strcmp(sn_element(k)->tag, tag) == 0) return k;
    return -1;
}

/* Every tag that may stand here, for the remedy. */
static const char *nearest_tag(const Reader *r, const char *tag)
{
    const char *names[MAX_NAMES];
    const Frame *f = &r->frame[r->depth - 1];
    const snElement *e = sn_element(f->element);
    int n = 0;
    for (int i = 0; f->id && i < e->nattr; ++i)
        if (array_of(r, e->attr[i].name)) names[n++] = e->attr[i].name;
    for (int k = 0; r->document == SN_DOCUMENT_SCENE && k < SN_NODE_KINDS; ++k) names[n++] = sn_node_tag((snNodeKind)k);
    for (int k = SN_KIND_BODY; r->document == SN_DOCUMENT_MUSCLE && r->depth == 1 && k < SN_KINDS; ++k)
        names[n++] = sn_element(k)->tag;
    names[n] = NULL;
    return sn_nearest_name(tag, names);
}

static snStatus fail_unknown_element(Reader *r, snXml *xml, const char *tag)
{
    char remedy[160];
    const char *nearest = nearest_tag(r, tag);
    if (nearest)
        snprintf(remedy, sizeof remedy, "did you mean %s?", nearest);
    else if (r->document == SN_DOCUMENT_SCENE && part_kind(tag) >= 0)
        snprintf(remedy, sizeof remedy, "%.40s belongs in the muscle file", tag);
    else if (r->document == SN_DOCUMENT_MUSCLE && node_kind(tag) >= 0)
        snprintf(remedy, sizeof remedy, "%.40s belongs in the scene file", tag);
    else
        snprintf(remedy, sizeof remedy, "remove it; docs/reference.md lists the elements");
    label_frame(r, &r->frame[r->depth - 1]);
    return sn_xml_fail(xml, 0, r->label, remedy, "unknown element %.60s here", tag);
}

static snStatus on_start(void *user, snXml *xml, const char *tag, const char **attribute)
{
    Reader *r = user;
    if (r->array)
        return sn_xml_fail(xml, 0, r->label, "only numbers are allowed there", "element %.60s inside %s", tag,
                           r->array->name);
    if (r->depth == 0) return start_root(r, xml, tag, attribute);
    const snAttr *array = array_of(r, tag);
    if (array) return start_array(r, xml, array, attribute);
    int node = r->document == SN_DOCUMENT_SCENE ? node_kind(tag) : -1;
    if (node >= 0) return start_node(r, xml, (snNodeKind)node, attribute);
    int part = r->document == SN_DOCUMENT_MUSCLE && r->depth == 1 ? part_kind(tag) : -1;
    if (part >= 0) return start_part(r, xml, (snKind)part, attribute);
    return fail_unknown_element(r, xml, tag);
}

static snStatus on_text(void *user, snXml *xml, const char *text, size_t length)
{
    Reader *r = user;
    if (r->array) return sn_numbers_text(buffer_of(r), xml, r->label, text, length);
    for (size_t i = 0; i < length; ++i) {
        if (is_blank(text[i])) continue;
        label_frame(r, &r->frame[r->depth - 1]);
        return sn_xml_fail(xml, i, r->label, "remove it", "text where only elements are allowed");
    }
    return SN_OK;
}

snStatus sn_model_read(snSpec *spec, snDocument document, const char *name, const char *bytes, size_t size,
                       snError *error)
{
    static const snXmlHandler handler = {on_start, on_end, on_text};
    Reader *r = SN_NEW(Reader);
    if (!r) return sn_fail_no_memory(error);
    r->spec = spec;
    r->document = document;
    r->file = sn_spec_text(spec, name);
    snError own;
    if (!error) error = &own;
    r->error = error;
    snStatus status = r->file ? sn_xml_read(name, bytes, size, &handler, r, error) : sn_fail_no_memory(error);
    sn_numbers_free(&r->numbers);
    sn_numbers_free(&r->integers);
    for (int i = 0; i < MAX_LISTS; ++i) sn_numbers_free(&r->list[i]);
    sn_free(r);
    return status;
}

snStatus sn_model_read_file(snSpec *spec, snDocument document, const char *path, snError *error)
{
    char *bytes = NULL;
    size_t size = 0;
    snStatus status = sn_file_read_reference(path, SN_FILE_LIMIT, &bytes, &size, error);
    if (status) return status;
    status = sn_model_read(spec, document, path, bytes, size, error);
    sn_free(bytes);
    return status;
}
