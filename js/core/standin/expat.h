/* The part of expat's interface that src/io/xml.c uses, for builds where the library itself is not to be had
 * (WebAssembly). expat.c beside it is a reader of our own: well-formed XML in UTF-8, nothing else. What differs:
 * the whole text is kept until the last piece has come, and other encodings are refused. */
#ifndef SN_STANDIN_EXPAT_H
#define SN_STANDIN_EXPAT_H

#include <stddef.h>

#define XMLCALL
#define XML_TRUE ((XML_Bool)1)
#define XML_FALSE ((XML_Bool)0)

typedef char XML_Char;
typedef unsigned char XML_Bool;
typedef unsigned long XML_Size;
typedef long XML_Index;
typedef struct XML_ParserStruct *XML_Parser;
typedef void(XMLCALL *XML_StartElementHandler)(void *user, const XML_Char *name, const XML_Char **attribute);
typedef void(XMLCALL *XML_EndElementHandler)(void *user, const XML_Char *name);
typedef void(XMLCALL *XML_CharacterDataHandler)(void *user, const XML_Char *text, int length);
typedef void(XMLCALL *XML_StartDoctypeDeclHandler)(void *user, const XML_Char *name, const XML_Char *system_id,
                                                   const XML_Char *public_id, int has_internal_subset);

typedef struct XML_Memory_Handling_Suite {
    void *(*malloc_fcn)(size_t size);
    void *(*realloc_fcn)(void *block, size_t size);
    void (*free_fcn)(void *block);
} XML_Memory_Handling_Suite;

enum XML_Status { XML_STATUS_ERROR, XML_STATUS_OK };

/* What can be wrong, in the words of expat. */
#define SN_STANDIN_XML_ERRORS(X)                                                                                       \
    X(XML_ERROR_NONE, "")                                                                                              \
    X(XML_ERROR_NO_MEMORY, "out of memory")                                                                            \
    X(XML_ERROR_SYNTAX, "syntax error")                                                                                \
    X(XML_ERROR_NO_ELEMENTS, "no element found")                                                                       \
    X(XML_ERROR_INVALID_TOKEN, "not well-formed (invalid token)")                                                      \
    X(XML_ERROR_UNCLOSED_TOKEN, "unclosed token")                                                                      \
    X(XML_ERROR_PARTIAL_CHAR, "partial character")                                                                     \
    X(XML_ERROR_TAG_MISMATCH, "mismatched tag")                                                                        \
    X(XML_ERROR_DUPLICATE_ATTRIBUTE, "duplicate attribute")                                                            \
    X(XML_ERROR_JUNK_AFTER_DOC_ELEMENT, "junk after document element")                                                 \
    X(XML_ERROR_UNDEFINED_ENTITY, "undefined entity")                                                                  \
    X(XML_ERROR_BAD_CHAR_REF, "reference to invalid character number")                                                 \
    X(XML_ERROR_MISPLACED_XML_PI, "XML or text declaration not at start of entity")                                    \
    X(XML_ERROR_UNKNOWN_ENCODING, "unknown encoding")                                                                  \
    X(XML_ERROR_INCORRECT_ENCODING, "encoding specified in XML declaration is incorrect")                              \
    X(XML_ERROR_UNCLOSED_CDATA_SECTION, "unclosed CDATA section")                                                      \
    X(XML_ERROR_ABORTED, "parsing aborted")

enum XML_Error {
#define X(name, text) name,
    SN_STANDIN_XML_ERRORS(X)
#undef X
};

XML_Parser XML_ParserCreate_MM(const XML_Char *encoding, const XML_Memory_Handling_Suite *memory,
                               const XML_Char *separator);
void XML_ParserFree(XML_Parser parser);
void XML_SetUserData(XML_Parser parser, void *user);
void XML_SetElementHandler(XML_Parser parser, XML_StartElementHandler start, XML_EndElementHandler end);
void XML_SetCharacterDataHandler(XML_Parser parser, XML_CharacterDataHandler text);
void XML_SetStartDoctypeDeclHandler(XML_Parser parser, XML_StartDoctypeDeclHandler doctype);
enum XML_Status XML_Parse(XML_Parser parser, const char *bytes, int size, int last);
void *XML_GetBuffer(XML_Parser parser, int size);
enum XML_Status XML_ParseBuffer(XML_Parser parser, int size, int last);
enum XML_Status XML_StopParser(XML_Parser parser, XML_Bool resumable);
enum XML_Error XML_GetErrorCode(XML_Parser parser);
const char *XML_ErrorString(enum XML_Error code);
/* Of the event that is being told, or that went wrong. The index is -1 until the last piece has come. */
XML_Size XML_GetCurrentLineNumber(XML_Parser parser);
XML_Size XML_GetCurrentColumnNumber(XML_Parser parser);
XML_Index XML_GetCurrentByteIndex(XML_Parser parser);

#endif
