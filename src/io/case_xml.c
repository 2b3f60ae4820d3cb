/* Cases as XML:
 *
 *     <Case version="1" model="hand-clinical">
 *       <Nerve name="ulnar-low"/>
 *       <Strength name="FDP2" value="0.3"/>
 *       <Load name="dp2" force="0 0 5"/>
 *       <Transfer name="FDS4" to="APB" value="1"/>
 *     </Case>
 *
 * One child per change, called like its kind; which attributes each has is in the table. Names are looked up when the
 * case is applied to a model, not here. */
#include "io/case_xml.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/nearest.h"
#include "io/xml.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { KINDS = SN_CHANGE_COUPLE + 1, TAG = 16, MAX_CHANGES = 10000 };

/* Which of the attributes a kind has besides name: 1 required, 2 optional, 0 none. */
static const struct {
    int value, force, to;
} has[KINDS] = {
    [SN_CHANGE_STRENGTH] = {1, 0, 0}, [SN_CHANGE_PASSIVE] = {1, 0, 0},  [SN_CHANGE_COST] = {1, 0, 0},
    [SN_CHANGE_CUT] = {0, 0, 0},      [SN_CHANGE_NERVE] = {2, 0, 0},    [SN_CHANGE_FUSE] = {2, 0, 0},
    [SN_CHANGE_LOAD] = {0, 1, 0},     [SN_CHANGE_TRANSFER] = {2, 0, 1}, [SN_CHANGE_COUPLE] = {0, 0, 0},
};

/* Strength of strength. */
static const char *tag_of(int kind, char tag[TAG])
{
    (void)snprintf(tag, TAG, "%s", sn_change_name((snChangeKind)kind));
    tag[0] = (char)toupper((unsigned char)tag[0]);
    return tag;
}

typedef struct Reader {
    snCase *c;
    int depth;
} Reader;

static snStatus start_root(Reader *r, snXml *xml, const char *tag, const char **attribute)
{
    const char *version = sn_xml_attribute(attribute, "version"), *model = sn_xml_attribute(attribute, "model");
    if (strcmp(tag, "Case") != 0)
        return sn_xml_fail(xml, 0, tag, NULL, "the root element is %.60s; expected Case", tag);
    if (!version) return sn_xml_fail(xml, 0, tag, "add version=\"1\"", "attribute version is missing");
    if (strcmp(version, "1") != 0)
        return sn_xml_fail(xml, 0, tag, "use a newer sinew",
                           "version \"%.20s\" is not known; this sinew reads version 1", version);
    for (; *attribute; attribute += 2)
        if (strcmp(*attribute, "version") != 0 && strcmp(*attribute, "model") != 0)
            return sn_xml_fail(xml, 0, tag, "remove it", "unknown attribute %.60s", *attribute);
    r->c = sn_case_create(model ? model : "");
    return r->c ? SN_OK : sn_xml_fail_no_memory(xml);
}

static int kind_of(const char *tag)
{
    char name[TAG];
    for (int k = 0; k < KINDS; ++k)
        if (strcmp(tag_of(k, name), tag) == 0) return k;
    return -1;
}

static snStatus fail_unknown(snXml *xml, const char *tag)
{
    char name[KINDS][TAG], remedy[80] = "remove it";
    const char *names[KINDS + 1] = {NULL};
    for (int k = 0; k < KINDS; ++k) names[k] = tag_of(k, name[k]);
    const char *near = sn_nearest_name(tag, names);
    if (near) snprintf(remedy, sizeof remedy, "did you mean %s?", near);
    return sn_xml_fail(xml, 0, "Case", remedy, "unknown element %.60s", tag);
}

static snStatus read_numbers(snXml *xml, const char *tag, const char *attribute, const char *text, int n, double *out)
{
    const char *at = text;
    for (int i = 0; i < n; ++i) {
        at += strspn(at, " \t\r\n");
        size_t length = strcspn(at, " \t\r\n");
        if (!length || !sn_text_number(at, length, &out[i])) n = -1;
        at += length;
    }
    at += strspn(at, " \t\r\n");
    if (n < 0 || *at)
        return sn_xml_fail(xml, 0, tag, NULL, "%s is \"%.60s\"; expected %s", attribute, text,
                           strcmp(attribute, "force") == 0 ? "3 finite numbers" : "a finite number");
    return SN_OK;
}

static snStatus read_change(snXml *xml, const char *tag, const char **attribute, int kind, snChange *change)
{
    bool value = false, force = false;
    snStatus status = SN_OK;
    for (; *attribute && status == SN_OK; attribute += 2) {
        const char *name = attribute[0], *text = attribute[1];
        if (strcmp(name, "name") == 0)
            change->name = text;
        else if (strcmp(name, "to") == 0 && has[kind].to)
            change->to = text;
        else if (strcmp(name, "value") == 0 && has[kind].value)
            value = true, status = read_numbers(xml, tag, name, text, 1, &change->value);
        else if (strcmp(name, "force") == 0 && has[kind].force)
            force = true, status = read_numbers(xml, tag, name, text, 3, change->force);
        else
            status = sn_xml_fail(xml, 0, tag, "remove it", "unknown attribute %.60s", name);
    }
    if (status != SN_OK) return status;
    const char *missing = !change->name ? "name" : has[kind].to == 1 && !change->to ? "to" : NULL;
    if (has[kind].value == 1 && !value) missing = "value";
    if (has[kind].force == 1 && !force) missing = "force";
    return missing ? sn_xml_fail(xml, 0, tag, NULL, "attribute %s is missing", missing) : SN_OK;
}

static snStatus on_start(void *user, snXml *xml, const char *tag, const char **attribute)
{
    Reader *r = user;
    if (r->depth++ == 0) return start_root(r, xml, tag, attribute);
    int kind = kind_of(tag);
    if (r->depth > 2)
        return sn_xml_fail(xml, 0, tag, "changes have no elements inside", "element %.60s inside another one", tag);
    if (kind < 0) return fail_unknown(xml, tag);
    if (sn_case_count(r->c) == MAX_CHANGES) return sn_xml_fail(xml, 0, tag, NULL, "more than %d changes", MAX_CHANGES);
    snChange change = {.kind = (snChangeKind)kind};
    snStatus status = read_change(xml, tag, attribute, kind, &change);
    if (status != SN_OK) return status;
    int line = 0, column = 0;
    sn_xml_place(xml, &line, &column);
    change.line = line;
    return sn_case_add(r->c, &change) == SN_OK ? SN_OK : sn_xml_fail_no_memory(xml);
}

static snStatus on_end(void *user, snXml *xml, const char *tag)
{
    (void)xml, (void)tag;
    --((Reader *)user)->depth;
    return SN_OK;
}

snStatus sn_parse_case(const char *name, const char *bytes, size_t size, snCase **c, snError *error)
{
    static const snXmlHandler handler = {on_start, on_end, NULL};
    Reader r = {0};
    snStatus status = sn_xml_read(name, bytes, size, &handler, &r, error);
    if (status == SN_OK)
        *c = r.c;
    else
        sn_case_destroy(r.c);
    return status;
}

snStatus sn_load_case(const char *path, snCase **c, snError *error)
{
    char *bytes = NULL;
    size_t size = 0;
    snStatus status = sn_file_read(path, (size_t)1 << 24, &bytes, &size, error);
    if (status == SN_OK) status = sn_parse_case(path, bytes, size, c, error);
    sn_free(bytes);
    return status;
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool write_attribute(snWriter *w, const char *name, const char *text)
{
    sn_writer_printf(w, " %s=\"", name);
    bool fine = sn_xml_write_text(w, text);
    sn_writer_text(w, "\"");
    return fine;
}

static bool write_change(snWriter *w, const snChange *c)
{
    char tag[TAG];
    bool fine = isfinite(c->value) && isfinite(c->force[0]) && isfinite(c->force[1]) && isfinite(c->force[2]);
    if (!fine) return false;
    sn_writer_printf(w, "  <%s", tag_of((int)c->kind, tag));
    fine = write_attribute(w, "name", c->name);
    if (has[c->kind].to) fine = write_attribute(w, "to", c->to) && fine;
    if (has[c->kind].value == 1 || (has[c->kind].value == 2 && c->value != 0)) {
        sn_writer_text(w, " value=\"");
        sn_writer_number(w, c->value);
        sn_writer_text(w, "\"");
    }
    for (int i = 0; has[c->kind].force && i < 3; ++i) {
        sn_writer_text(w, i ? " " : " force=\"");
        sn_writer_number(w, c->force[i]);
        if (i == 2) sn_writer_text(w, "\"");
    }
    sn_writer_text(w, "/>\n");
    return fine;
}

snStatus sn_save_case(const snCase *c, const char *path, snError *error)
{
    if (!c) return sn_fail_argument(error, "sn_save_case without c");
    snWriter w;
    snStatus status = sn_writer_open(&w, path, error);
    if (status != SN_OK) return status;
    sn_writer_text(&w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Case version=\"1\"");
    bool fine = !*sn_case_model(c) || write_attribute(&w, "model", sn_case_model(c));
    sn_writer_text(&w, ">\n");
    for (int32_t i = 0; i < sn_case_count(c) && fine; ++i) fine = write_change(&w, sn_case_change(c, i));
    sn_writer_text(&w, "</Case>\n");
    if (fine) return sn_writer_commit(&w, error);
    sn_writer_abort(&w);
    return sn_fail(error, SN_BAD_INPUT, "a change of the case has a value or a name that a file cannot hold");
}
