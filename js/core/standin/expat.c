/* See expat.h.
 *
 * Invariants
 * 1. `at` is where reading goes on, `event` where the thing began that is being told; event <= at <= size.
 * 2. Line and column are counted up to `counted`, which only moves forward: asking for every event costs one pass.
 * 3. The first thing that is wrong ends the reading; `code` says what. */
#include "expat.h"

#include "io/xml.h"

#include <string.h>

struct XML_ParserStruct {
    XML_Memory_Handling_Suite memory;
    void *user;
    XML_StartElementHandler start;
    XML_EndElementHandler end;
    XML_CharacterDataHandler text;
    XML_StartDoctypeDeclHandler doctype;
    char *bytes; /* the whole text, with a zero behind it */
    size_t size, room, at, event;
    bool begun, stopped;
    enum XML_Error code;
    size_t counted, line, column; /* from 0 */
    char *scratch;                /* names and values of one tag, each with a zero behind it */
    size_t nscratch, scratch_room;
    size_t *offset; /* in scratch: names and values of the attributes */
    const char **attribute;
    size_t noffset, offset_room, attribute_room;
    char *open; /* names of the elements around, each with a zero behind it */
    size_t nopen, open_room;
};

static bool fail_at(XML_Parser p, size_t event, enum XML_Error code)
{
    p->event = event, p->code = code;
    return false;
}

/* ---- memory ------------------------------------------------------------------------------- */

static bool reserve(XML_Parser p, void *array, size_t *room, size_t wanted, size_t each)
{
    void **block = array;
    if (wanted <= *room) return true;
    size_t more = 2 * wanted + 64;
    void *bigger = p->memory.realloc_fcn(*block, more * each);
    if (!bigger) return fail_at(p, p->event, XML_ERROR_NO_MEMORY);
    *block = bigger, *room = more;
    return true;
}

static bool keep(XML_Parser p, char c)
{
    if (!reserve(p, &p->scratch, &p->scratch_room, p->nscratch + 1, 1)) return false;
    p->scratch[p->nscratch++] = c;
    return true;
}

XML_Parser XML_ParserCreate_MM(const XML_Char *encoding, const XML_Memory_Handling_Suite *memory,
                               const XML_Char *separator)
{
    (void)encoding, (void)separator;
    XML_Parser p = memory->malloc_fcn(sizeof *p);
    if (p) *p = (struct XML_ParserStruct){.memory = *memory};
    return p;
}

void XML_ParserFree(XML_Parser p)
{
    if (!p) return;
    void *block[] = {p->bytes, p->scratch, p->offset, (void *)p->attribute, p->open};
    void (*release)(void *) = p->memory.free_fcn;
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) release(block[i]);
    release(p);
}

void XML_SetUserData(XML_Parser p, void *user)
{
    p->user = user;
}

void XML_SetElementHandler(XML_Parser p, XML_StartElementHandler start, XML_EndElementHandler end)
{
    p->start = start, p->end = end;
}

void XML_SetCharacterDataHandler(XML_Parser p, XML_CharacterDataHandler text)
{
    p->text = text;
}

void XML_SetStartDoctypeDeclHandler(XML_Parser p, XML_StartDoctypeDeclHandler doctype)
{
    p->doctype = doctype;
}

/* ---- characters --------------------------------------------------------------------------- */

static char now(const struct XML_ParserStruct *p)
{
    return p->bytes[p->at]; /* 0 at the end, which is not a character of XML */
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (unsigned char)c >= 0x80;
}

static bool in_name(char c)
{
    return begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static bool looks_at(const struct XML_ParserStruct *p, const char *text)
{
    return strncmp(p->bytes + p->at, text, strlen(text)) == 0;
}

static void skip_blanks(XML_Parser p)
{
    while (is_blank(now(p))) ++p->at;
}

/* What stopped the reading of a tag: the end of the text, or a character that cannot stand here. */
static bool fail_here(XML_Parser p)
{
    return p->at >= p->size ? fail_at(p, p->event, XML_ERROR_UNCLOSED_TOKEN)
                            : fail_at(p, p->at, XML_ERROR_INVALID_TOKEN);
}

/* One character of any length; false when it is none. */
static bool skip_character(XML_Parser p)
{
    if (p->at >= p->size || !sn_xml_is_character(p->bytes + p->at, p->size - p->at)) return fail_here(p);
    unsigned char c = (unsigned char)now(p);
    p->at += c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    return true;
}

static bool skip_name(XML_Parser p)
{
    if (!begins_name(now(p))) return fail_here(p);
    while (in_name(now(p)))
        if (!skip_character(p)) return false;
    return true;
}

/* ---- references --------------------------------------------------------------------------- */

static int digit_of(char c, int base)
{
    int d = c >= '0' && c <= '9'   ? c - '0'
            : c >= 'a' && c <= 'f' ? c - 'a' + 10
            : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                   : 99;
    return d < base ? d : -1;
}

static size_t encode(unsigned long code, char out[4])
{
    if (code < 0x80) return out[0] = (char)code, 1;
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; --i, code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(lead[n] | code);
    return n;
}

/* &#65; or &#x41; from behind the # */
static bool read_number(XML_Parser p, size_t begun, char out[4], size_t *n)
{
    int base = now(p) == 'x' ? 16 : 10, d;
    unsigned long code = 0;
    if (base == 16) ++p->at;
    size_t first = p->at;
    for (; (d = digit_of(now(p), base)) >= 0; ++p->at)
        code = code > 0x110000 ? code : code * (unsigned long)base + (unsigned long)d;
    if (p->at == first || now(p) != ';') return fail_here(p);
    ++p->at;
    *n = code > 0x10ffff ? 0 : encode(code, out);
    return (*n && code && sn_xml_is_character(out, *n)) || fail_at(p, begun, XML_ERROR_BAD_CHAR_REF);
}

/* What an & stands for. */
static bool read_reference(XML_Parser p, char out[4], size_t *n)
{
    static const struct {
        const char *name;
        char is;
    } known[] = {{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}};
    size_t begun = p->at++;
    if (now(p) == '#') return ++p->at, read_number(p, begun, out, n);
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (looks_at(p, known[i].name)) {
            p->at += strlen(known[i].name);
            return out[0] = known[i].is, *n = 1, true;
        }
    if (!skip_name(p) || now(p) != ';') return fail_here(p);
    return fail_at(p, begun, XML_ERROR_UNDEFINED_ENTITY);
}

/* ---- tags --------------------------------------------------------------------------------- */

static bool keep_name(XML_Parser p)
{
    size_t first = p->at;
    if (!skip_name(p)) return false;
    for (size_t i = first; i < p->at; ++i)
        if (!keep(p, p->bytes[i])) return false;
    return keep(p, '\0');
}

static bool keep_value(XML_Parser p)
{
    char quote = now(p);
    if (quote != '"' && quote != '\'') return fail_here(p);
    for (++p->at; now(p) != quote;) {
        char said[4];
        size_t n = 1, first = p->at;
        if (now(p) == '<') return fail_here(p);
        if (now(p) == '&') {
            if (!read_reference(p, said, &n)) return false;
        } else if (is_blank(now(p))) {
            said[0] = ' '; /* as the standard asks: a line end becomes a blank */
            p->at += looks_at(p, "\r\n") ? 2 : 1;
        } else {
            if (!skip_character(p)) return false;
            memcpy(said, p->bytes + first, n = p->at - first);
        }
        for (size_t i = 0; i < n; ++i)
            if (!keep(p, said[i])) return false;
    }
    ++p->at;
    return keep(p, '\0');
}

static bool keep_attribute(XML_Parser p)
{
    size_t begun = p->at;
    if (!reserve(p, &p->offset, &p->offset_room, p->noffset + 2, sizeof *p->offset)) return false;
    p->offset[p->noffset++] = p->nscratch;
    if (!keep_name(p)) return false;
    for (size_t i = 0; i + 1 < p->noffset; i += 2)
        if (strcmp(p->scratch + p->offset[i], p->scratch + p->offset[p->noffset - 1]) == 0)
            return fail_at(p, begun, XML_ERROR_DUPLICATE_ATTRIBUTE);
    skip_blanks(p);
    if (now(p) != '=') return fail_here(p);
    ++p->at;
    skip_blanks(p);
    p->offset[p->noffset++] = p->nscratch;
    return keep_value(p);
}

static bool push_open(XML_Parser p)
{
    size_t n = strlen(p->scratch) + 1;
    if (!reserve(p, &p->open, &p->open_room, p->nopen + n, 1)) return false;
    memcpy(p->open + p->nopen, p->scratch, n);
    p->nopen += n;
    return true;
}

/* The innermost element; it stays where it is until something else is opened. */
static const char *pop_open(XML_Parser p)
{
    size_t i = p->nopen - 1;
    while (i > 0 && p->open[i - 1]) --i;
    p->nopen = i;
    return p->open + i;
}

static bool tell_start(XML_Parser p)
{
    if (!reserve(p, &p->attribute, &p->attribute_room, p->noffset + 1, sizeof *p->attribute)) return false;
    for (size_t i = 0; i < p->noffset; ++i) p->attribute[i] = p->scratch + p->offset[i];
    p->attribute[p->noffset] = NULL;
    if (p->start) p->start(p->user, p->scratch, p->attribute);
    return true;
}

static bool read_start(XML_Parser p)
{
    p->nscratch = p->noffset = 0;
    ++p->at;
    if (!keep_name(p)) return false;
    for (;;) {
        bool blank = is_blank(now(p));
        skip_blanks(p);
        if (now(p) == '>' || now(p) == '/') break;
        if (!blank) return fail_here(p);
        if (!keep_attribute(p)) return false;
    }
    bool empty = now(p) == '/';
    p->at += empty;
    if (now(p) != '>') return fail_here(p);
    ++p->at;
    if (!tell_start(p)) return false;
    if (p->stopped) return true;
    if (!empty) return push_open(p);
    if (p->end) p->end(p->user, p->scratch);
    return true;
}

static bool read_end(XML_Parser p)
{
    p->nscratch = 0;
    if (!p->nopen) return fail_at(p, p->at + 1, XML_ERROR_INVALID_TOKEN);
    p->at += 2;
    size_t name = p->at;
    if (!keep_name(p)) return false;
    skip_blanks(p);
    if (now(p) != '>') return fail_here(p);
    ++p->at;
    const char *opened = pop_open(p);
    if (strcmp(opened, p->scratch) != 0) return fail_at(p, name, XML_ERROR_TAG_MISMATCH);
    if (p->end) p->end(p->user, opened);
    return true;
}

/* ---- the rest ----------------------------------------------------------------------------- */

static bool read_comment(XML_Parser p)
{
    p->at += 4;
    while (!looks_at(p, "--"))
        if (!skip_character(p)) return false;
    p->at += 2;
    if (now(p) != '>') return fail_here(p);
    return ++p->at, true;
}

static bool is_utf8(const char *name, size_t n)
{
    static const char *const fine[] = {"utf-8", "us-ascii"};
    for (size_t k = 0; k < 2; ++k) {
        size_t i = 0;
        while (i < n && fine[k][i] && ((name[i] | 0x20) == fine[k][i] || name[i] == fine[k][i])) ++i;
        if (i == n && !fine[k][i]) return true;
    }
    return false;
}

/* The encoding that <?xml ...?> names. */
static bool check_encoding(XML_Parser p, size_t first, size_t last)
{
    static const char word[] = "encoding";
    for (size_t i = first; i + sizeof word < last; ++i) {
        if (memcmp(p->bytes + i, word, sizeof word - 1) != 0) continue;
        i += sizeof word - 1;
        while (i < last && (is_blank(p->bytes[i]) || p->bytes[i] == '=')) ++i;
        size_t end = ++i;
        while (end < last && p->bytes[end] != '"' && p->bytes[end] != '\'') ++end;
        return is_utf8(p->bytes + i, end - i) || fail_at(p, i, XML_ERROR_UNKNOWN_ENCODING);
    }
    return true;
}

static bool read_instruction(XML_Parser p)
{
    size_t begun = p->at;
    bool declares = looks_at(p, "<?xml") && !in_name(p->bytes[p->at + 5]);
    if (declares && begun != (size_t)(p->size >= 3 && memcmp(p->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0))
        return fail_at(p, begun, XML_ERROR_MISPLACED_XML_PI);
    p->at += 2;
    if (!skip_name(p)) return false;
    while (!looks_at(p, "?>"))
        if (!skip_character(p)) return false;
    p->at += 2;
    return !declares || check_encoding(p, begun, p->at);
}

static void tell_text(XML_Parser p, const char *text, size_t size)
{
    if (p->text && size && !p->stopped) p->text(p->user, text, (int)size);
}

static bool read_cdata(XML_Parser p)
{
    p->at += 9;
    for (;;) {
        size_t first = p->event = p->at;
        if (looks_at(p, "]]>")) return p->at += 3, true;
        if (p->at >= p->size) return fail_at(p, p->at, XML_ERROR_UNCLOSED_CDATA_SECTION);
        if (now(p) == '\n' || now(p) == '\r') {
            p->at += looks_at(p, "\r\n") ? 2 : 1;
            tell_text(p, "\n", 1);
        } else {
            while (now(p) != '\n' && now(p) != '\r' && !looks_at(p, "]]>"))
                if (!skip_character(p))
                    return p->at >= p->size ? fail_at(p, p->at, XML_ERROR_UNCLOSED_CDATA_SECTION) : false;
            tell_text(p, p->bytes + first, p->at - first);
        }
        if (p->stopped) return true;
    }
}

/* Text up to the end of its line: each line is told on its own, so that places in it are easily counted. */
static bool read_text(XML_Parser p)
{
    size_t first = p->at;
    char said[4];
    size_t n = 0;
    if (now(p) == '&') {
        if (!read_reference(p, said, &n)) return false;
        return tell_text(p, said, n), true;
    }
    if (now(p) == '\n' || now(p) == '\r') {
        p->at += looks_at(p, "\r\n") ? 2 : 1;
        return tell_text(p, "\n", 1), true;
    }
    for (char c; p->at < p->size && (c = now(p)) != '<' && c != '&' && c != '\n' && c != '\r';) {
        if (looks_at(p, "]]>")) return p->at += 2, fail_here(p);
        if (!skip_character(p)) {
            size_t wrong = p->event;
            p->event = first;
            tell_text(p, p->bytes + first, p->at - first);
            return fail_at(p, wrong, p->code);
        }
    }
    return tell_text(p, p->bytes + first, p->at - first), true;
}

/* Told where its own part begins, as expat does. What it says is not read: whoever listens refuses it. */
static bool read_doctype(XML_Parser p)
{
    while (p->at < p->size && now(p) != '[' && now(p) != '>') ++p->at;
    p->event = p->at;
    if (p->doctype) p->doctype(p->user, "", NULL, NULL, 0);
    return p->stopped || fail_at(p, p->at, XML_ERROR_INVALID_TOKEN);
}

static bool read_markup(XML_Parser p, bool *seen)
{
    if (looks_at(p, "<!--")) return read_comment(p);
    if (looks_at(p, "<?")) return read_instruction(p);
    if (p->nopen && looks_at(p, "<![CDATA[")) return read_cdata(p);
    if (!*seen && looks_at(p, "<!DOCTYPE")) return read_doctype(p);
    if (looks_at(p, "</")) return read_end(p);
    if (!p->nopen && *seen) return fail_at(p, p->at, XML_ERROR_JUNK_AFTER_DOC_ELEMENT);
    *seen = true;
    return read_start(p);
}

static bool read_all(XML_Parser p)
{
    bool seen = false;
    p->begun = true;
    if (p->size >= 3 && memcmp(p->bytes, "\xef\xbb\xbf", 3) == 0) p->at = p->counted = 3;
    while (p->at < p->size && !p->stopped) {
        p->event = p->at;
        bool fine = true;
        if (now(p) == '<')
            fine = read_markup(p, &seen);
        else if (p->nopen)
            fine = read_text(p);
        else if (is_blank(now(p)))
            ++p->at;
        else
            fine = fail_at(p, p->at, seen ? XML_ERROR_JUNK_AFTER_DOC_ELEMENT : XML_ERROR_SYNTAX);
        if (!fine) return false;
    }
    if (p->stopped) return fail_at(p, p->event, XML_ERROR_ABORTED);
    return (seen && !p->nopen) || fail_at(p, p->size, XML_ERROR_NO_ELEMENTS);
}

void *XML_GetBuffer(XML_Parser p, int size)
{
    bool fine = reserve(p, &p->bytes, &p->room, p->size + (size_t)size + 1, 1);
    return fine ? p->bytes + p->size : NULL;
}

enum XML_Status XML_ParseBuffer(XML_Parser p, int size, int last)
{
    p->size += (size_t)size;
    p->bytes[p->size] = '\0';
    return !last || read_all(p) ? XML_STATUS_OK : XML_STATUS_ERROR;
}

enum XML_Status XML_Parse(XML_Parser p, const char *bytes, int size, int last)
{
    void *room = XML_GetBuffer(p, size);
    if (!room) return XML_STATUS_ERROR;
    if (size) memcpy(room, bytes, (size_t)size);
    return XML_ParseBuffer(p, size, last);
}

enum XML_Status XML_StopParser(XML_Parser p, XML_Bool resumable)
{
    (void)resumable;
    p->stopped = true;
    return XML_STATUS_OK;
}

/* ---- what and where ----------------------------------------------------------------------- */

enum XML_Error XML_GetErrorCode(XML_Parser p)
{
    return p->code;
}

const char *XML_ErrorString(enum XML_Error code)
{
    static const char *const text[] = {
#define X(name, text) text,
        SN_STANDIN_XML_ERRORS(X)
#undef X
    };
    return text[code];
}

static void count_to_event(XML_Parser p)
{
    for (; p->counted < p->event; ++p->counted) {
        char c = p->bytes[p->counted];
        if (c == '\n' || (c == '\r' && p->bytes[p->counted + 1] != '\n'))
            ++p->line, p->column = 0;
        else if (((unsigned char)c & 0xc0) != 0x80 && c != '\r')
            ++p->column;
    }
}

XML_Size XML_GetCurrentLineNumber(XML_Parser p)
{
    count_to_event(p);
    return (XML_Size)p->line + 1;
}

XML_Size XML_GetCurrentColumnNumber(XML_Parser p)
{
    count_to_event(p);
    return (XML_Size)p->column;
}

XML_Index XML_GetCurrentByteIndex(XML_Parser p)
{
    return p->begun ? (XML_Index)p->event : -1;
}
