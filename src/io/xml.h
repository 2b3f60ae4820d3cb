/* XML as a stream of elements and text, on expat, with places for errors and with the tricks refused: document types
 * and entities, nesting without end, text outside UTF-8 (each gives an error with line and column). */
#ifndef SN_IO_XML_H
#define SN_IO_XML_H

#include "io/file.h"
#include "io/input.h"

#include <stdint.h>

typedef struct snXml snXml;

/* Each returns SN_OK or the status of an error made by sn_xml_fail, which ends the reading. The strings live only
 * during the call. Attributes are name, value, name, value, ..., NULL. */
typedef struct snXmlHandler {
    snStatus (*start)(void *user, snXml *xml, const char *tag, const char **attribute);
    snStatus (*end)(void *user, snXml *xml, const char *tag);
    /* Text in pieces of any size. NULL: only blanks are allowed. */
    snStatus (*text)(void *user, snXml *xml, const char *text, size_t length);
} snXmlHandler;

/* Nesting, characters of a number, bytes of a tag with its attributes, at most; the longest tag of a shipped model has 6
 * kB. */
enum { SN_XML_DEPTH = 256, SN_TOKEN_MAX = 400, SN_XML_TAG_MAX = 1 << 20 };

/* name is what errors call the file. */
snStatus sn_xml_read(const char *name, const char *bytes, size_t size, const snXmlHandler *handler, void *user,
                     snError *error);

/* The same from a stream, piece by piece: memory does not grow with the file. */
snStatus sn_xml_read_input(const char *name, snInput *input, const snXmlHandler *handler, void *user, snError *error);

/* Where the reader is: line and column from 1. */
void sn_xml_place(const snXml *xml, int *line, int *column);
/* SN_BAD_FILE at the current place, `skip` bytes further on; remedy may be NULL. */
snStatus sn_xml_fail(snXml *xml, size_t skip, const char *element, const char *remedy, const char *format, ...)
    SN_PRINTF(5, 6);
snStatus sn_xml_fail_no_memory(snXml *xml);

/* The whole of text[0 .. length) as a finite number or a whole one; no blanks. */
bool sn_text_number(const char *text, size_t length, double *value);
bool sn_text_int(const char *text, size_t length, int32_t *value);

/* Attribute by name, NULL when absent. */
const char *sn_xml_attribute(const char **attribute, const char *name);

/* Numbers of any count in text that comes in pieces: give each piece, then end. */
typedef struct snNumbers {
    double *number;   /* room for the caller to take over; freed by sn_numbers_free */
    int32_t *integer; /* filled instead when whole is set */
    int32_t count, capacity;
    bool whole;
    char token[SN_TOKEN_MAX];
    int32_t ntoken, line, column; /* a token that may go on in the next piece, and where it began */
} snNumbers;
/* SN_OK, SN_NO_MEMORY or SN_BAD_FILE with the error made by sn_xml_fail. element: for the message. */
snStatus sn_numbers_text(snNumbers *numbers, snXml *xml, const char *element, const char *text, size_t length);
snStatus sn_numbers_end(snNumbers *numbers, snXml *xml, const char *element);
void sn_numbers_clear(snNumbers *numbers); /* keeps the memory */
void sn_numbers_free(snNumbers *numbers);

/* Whether a UTF-8 character that XML allows begins here. */
bool sn_xml_is_character(const char *bytes, size_t size);
/* Text with the five characters escaped, and tabs and line ends kept. False when it cannot be used in XML: not UTF-8,
 * or a control character. */
bool sn_xml_write_text(snWriter *writer, const char *text);

#endif
