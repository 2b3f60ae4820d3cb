/* See xml.h. Expat's own memory goes through sn_alloc, so that a failing allocation there is a clean error too. */
#include "io/xml.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"

#include <expat.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

struct snXml {
    XML_Parser parser;
    const snXmlHandler *handler;
    void *user;
    const char *name, *bytes; /* bytes: the piece that is parsed, `before` bytes after the beginning */
    size_t size, before;
    snError *error;
    snStatus status;
    int depth;
};

/* ---- memory for expat --------------------------------------------------------------------- */

/* expat's realloc does not say the old size: it stands in the 16 bytes before the block. */
enum { HEAD = 16 };

static void *give(size_t size)
{
    char *block = size <= SIZE_MAX / 8 ? sn_alloc(size + HEAD, 1) : NULL;
    if (!block) return NULL;
    memcpy(block, &size, sizeof size);
    return block + HEAD;
}

static void take(void *block)
{
    sn_free(block ? (char *)block - HEAD : NULL);
}

static void *resize(void *block, size_t size)
{
    if (!block) return give(size);
    size_t old;
    memcpy(&old, (char *)block - HEAD, sizeof old);
    void *bigger = give(size);
    if (!bigger) return NULL;
    memcpy(bigger, block, old < size ? old : size);
    take(block);
    return bigger;
}

/* ---- errors ------------------------------------------------------------------------------- */

void sn_xml_place(const snXml *xml, int *line, int *column)
{
    XML_Size l = XML_GetCurrentLineNumber(xml->parser), c = XML_GetCurrentColumnNumber(xml->parser) + 1;
    *line = l < INT_MAX ? (int)l : INT_MAX;
    *column = c < INT_MAX / 2 ? (int)c : INT_MAX / 2;
}

snStatus sn_xml_fail(snXml *xml, size_t skip, const char *element, const char *remedy, const char *format, ...)
{
    char message[sizeof xml->error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    int line, column;
    sn_xml_place(xml, &line, &column);
    sn_fail(xml->error, SN_BAD_FILE, "%s", message);
    sn_error_place(xml->error, xml->name, line, column + (int)(skip < 1000000 ? skip : 1000000));
    if (element) sn_error_element(xml->error, element, NULL);
    if (remedy) sn_error_remedy(xml->error, "%s", remedy);
    return SN_BAD_FILE;
}

snStatus sn_xml_fail_no_memory(snXml *xml)
{
    return sn_fail_no_memory(xml->error);
}

/* Whether the byte that stopped expat is no character at all. */
static bool stopped_by_encoding(const snXml *xml)
{
    XML_Index at = XML_GetCurrentByteIndex(xml->parser) - (XML_Index)xml->before;
    return at >= 0 && (size_t)at < xml->size && !sn_xml_is_character(xml->bytes + at, xml->size - (size_t)at);
}

/* What expat itself found wrong. */
static snStatus fail_syntax(snXml *xml)
{
    enum XML_Error code = XML_GetErrorCode(xml->parser);
    switch (code) {
    case XML_ERROR_NO_MEMORY:
        return sn_xml_fail_no_memory(xml);
    case XML_ERROR_NO_ELEMENTS:
    case XML_ERROR_UNCLOSED_TOKEN:
    case XML_ERROR_PARTIAL_CHAR:
    case XML_ERROR_UNCLOSED_CDATA_SECTION:
        return sn_xml_fail(xml, 0, NULL, "the file may be truncated; copy or download it again",
                           "the file ends in the middle: %s", XML_ErrorString(code));
    case XML_ERROR_UNDEFINED_ENTITY:
        return sn_xml_fail(xml, 0, NULL, "write the text itself; only &amp; &lt; &gt; &quot; &apos; are known",
                           "an entity that is not defined");
    case XML_ERROR_INVALID_TOKEN:
        if (stopped_by_encoding(xml))
            return sn_xml_fail(xml, 0, NULL, "save the file as UTF-8", "not valid UTF-8, or a control character");
        return sn_xml_fail(xml, 0, NULL, "the file must be well-formed XML",
                           "not well-formed: a character that is not allowed here");
    case XML_ERROR_UNKNOWN_ENCODING:
    case XML_ERROR_INCORRECT_ENCODING:
        return sn_xml_fail(xml, 0, NULL, "save the file as UTF-8", "the encoding cannot be read");
    default:
        return sn_xml_fail(xml, 0, NULL, "the file must be well-formed XML in UTF-8", "not well-formed: %s",
                           XML_ErrorString(code));
    }
}

/* ---- callbacks ---------------------------------------------------------------------------- */

static void stop(snXml *xml, snStatus status)
{
    if (!status || xml->status) return;
    xml->status = status;
    XML_StopParser(xml->parser, XML_FALSE);
}

static void XMLCALL on_start(void *user, const XML_Char *tag, const XML_Char **attribute)
{
    snXml *xml = user;
    if (xml->status) return;
    if (++xml->depth > SN_XML_DEPTH) {
        stop(xml,
             sn_xml_fail(xml, 0, NULL, "flatten the hierarchy", "elements are nested more than %d deep", SN_XML_DEPTH));
        return;
    }
    stop(xml, xml->handler->start(xml->user, xml, tag, attribute));
}

static void XMLCALL on_end(void *user, const XML_Char *tag)
{
    snXml *xml = user;
    if (xml->status) return;
    --xml->depth;
    stop(xml, xml->handler->end(xml->user, xml, tag));
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
    snXml *xml = user;
    if (xml->status) return;
    if (xml->handler->text) {
        stop(xml, xml->handler->text(xml->user, xml, text, (size_t)length));
        return;
    }
    for (int i = 0; i < length; ++i) {
        if (strchr(" \t\r\n", text[i]) && text[i]) continue;
        stop(xml, sn_xml_fail(xml, (size_t)i, NULL, "remove it", "text where only elements are allowed"));
        return;
    }
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system_id, const XML_Char *public_id,
                               int has_internal_subset)
{
    (void)name, (void)system_id, (void)public_id, (void)has_internal_subset;
    snXml *xml = user;
    stop(xml, sn_xml_fail(xml, 0, NULL, "remove the <!DOCTYPE ...>; entities are not supported",
                          "a document type declaration is not allowed"));
}

/* ---- reading ------------------------------------------------------------------------------ */

/* A tag or comment that goes on and on: expat begins it anew with every piece (quadratic) and keeps all of it. fed: bytes
 * given so far. */
static snStatus check_token(snXml *xml, size_t fed)
{
    XML_Index begun = XML_GetCurrentByteIndex(xml->parser);
    if (begun < 0 || fed < (size_t)begun || fed - (size_t)begun <= SN_XML_TAG_MAX) return SN_OK;
    return sn_xml_fail(xml, 0, NULL, "numbers and long texts stand between tags, not in attributes or comments",
                       "a tag or comment of more than %d bytes", SN_XML_TAG_MAX);
}

static snStatus parse(snXml *xml, const char *bytes, size_t size)
{
    enum { PIECE = 1 << 18 };
    size_t fed = 0;
    for (;;) {
        int piece = size < PIECE ? (int)size : PIECE;
        bool last = (size_t)piece == size;
        enum XML_Status ok = XML_Parse(xml->parser, bytes, piece, last);
        if (xml->status) return xml->status;
        if (ok != XML_STATUS_OK) return fail_syntax(xml);
        if (last) return SN_OK;
        fed += (size_t)piece;
        snStatus status = check_token(xml, fed);
        if (status != SN_OK) return status;
        bytes += piece;
        size -= (size_t)piece;
    }
}

/* A piece at a time; expat keeps what it needs of the one before. */
static snStatus parse_input(snXml *xml, snInput *in)
{
    enum { PIECE = 1 << 18 };
    for (;;) {
        void *room = XML_GetBuffer(xml->parser, PIECE);
        if (!room) return sn_xml_fail_no_memory(xml);
        size_t n = sn_input_read(in, room, PIECE);
        xml->bytes = room;
        xml->size = n;
        if (n == 0 && in->damaged) return sn_input_status(in, xml->error);
        enum XML_Status ok = XML_ParseBuffer(xml->parser, (int)n, n == 0);
        if (xml->status) return xml->status;
        if (ok != XML_STATUS_OK) return fail_syntax(xml);
        if (n == 0) return SN_OK;
        xml->before += n;
        snStatus status = check_token(xml, xml->before);
        if (status != SN_OK) return status;
    }
}

static snStatus read_with(snXml *xml, snInput *in)
{
    static const XML_Memory_Handling_Suite memory = {give, resize, take};
    xml->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (!xml->parser) return sn_fail_no_memory(xml->error);
    XML_SetUserData(xml->parser, xml);
    XML_SetElementHandler(xml->parser, on_start, on_end);
    XML_SetCharacterDataHandler(xml->parser, on_text);
    XML_SetStartDoctypeDeclHandler(xml->parser, on_doctype);
    snStatus status = in ? parse_input(xml, in) : parse(xml, xml->bytes, xml->size);
    XML_ParserFree(xml->parser);
    return status;
}

snStatus sn_xml_read_input(const char *name, snInput *input, const snXmlHandler *handler, void *user, snError *error)
{
    snXml xml = {.handler = handler, .user = user, .name = name, .error = error};
    return read_with(&xml, input);
}

snStatus sn_xml_read(const char *name, const char *bytes, size_t size, const snXmlHandler *handler, void *user,
                     snError *error)
{
    snXml xml = {.handler = handler, .user = user, .name = name, .bytes = bytes, .size = size, .error = error};
    return read_with(&xml, NULL);
}

const char *sn_xml_attribute(const char **attribute, const char *name)
{
    for (; *attribute; attribute += 2)
        if (strcmp(attribute[0], name) == 0) return attribute[1];
    return NULL;
}

/* ---- numbers ------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool reserve(snNumbers *n)
{
    return n->whole ? sn_array_grow_((void **)(void *)&n->integer, &n->capacity, n->count + 1, sizeof *n->integer)
                    : sn_array_grow_((void **)(void *)&n->number, &n->capacity, n->count + 1, sizeof *n->number);
}

/* One complete token into the list. */
static snStatus push_token(snNumbers *n, snXml *xml, const char *element, const char *token, size_t length, size_t skip)
{
    double value = 0;
    int32_t whole = 0;
    if (!(n->whole ? sn_text_int(token, length, &whole) : sn_text_number(token, length, &value)))
        return sn_xml_fail(xml, skip, element, NULL, "\"%.*s%s\" is not %s", (int)(length < 40 ? length : 40), token,
                           length < 40 ? "" : "...", n->whole ? "a whole number" : "a finite number");
    if (n->count == INT32_MAX || !reserve(n)) return sn_xml_fail_no_memory(xml);
    if (n->whole)
        n->integer[n->count++] = whole;
    else
        n->number[n->count++] = value;
    return SN_OK;
}

snStatus sn_numbers_text(snNumbers *n, snXml *xml, const char *element, const char *text, size_t length)
{
    size_t i = 0;
    while (i < length) {
        if (is_blank(text[i])) {
            snStatus status = sn_numbers_end(n, xml, element);
            if (status) return status;
            ++i;
            continue;
        }
        size_t first = i;
        while (i < length && !is_blank(text[i])) ++i;
        if (n->ntoken == 0 && i < length) { /* whole token in this piece: no copy */
            snStatus status = push_token(n, xml, element, text + first, i - first, first);
            if (status) return status;
            continue;
        }
        size_t room = sizeof n->token - (size_t)n->ntoken, some = i - first;
        if (some > room)
            return sn_xml_fail(xml, first, element, NULL, "a number of more than %d characters", SN_TOKEN_MAX);
        if (n->ntoken == 0) {
            sn_xml_place(xml, &n->line, &n->column);
            n->column += (int32_t)first;
        }
        memcpy(n->token + n->ntoken, text + first, some);
        n->ntoken += (int32_t)some;
    }
    return SN_OK;
}

snStatus sn_numbers_end(snNumbers *n, snXml *xml, const char *element)
{
    if (n->ntoken == 0) return SN_OK;
    size_t length = (size_t)n->ntoken;
    n->ntoken = 0;
    snStatus status = push_token(n, xml, element, n->token, length, 0);
    if (status == SN_BAD_FILE) sn_error_place(xml->error, xml->name, n->line, n->column);
    return status;
}

void sn_numbers_clear(snNumbers *n)
{
    n->count = n->ntoken = 0;
}

void sn_numbers_free(snNumbers *n)
{
    sn_free(n->number);
    sn_free(n->integer);
    *n = (snNumbers){0};
}
