/* Line-oriented text in memory: words of a line, numbers, and errors that name file, line and column. */
#ifndef SN_IO_SCAN_H
#define SN_IO_SCAN_H

#include "sinew/base.h"

typedef struct snWord {
    const char *at;
    size_t size;
} snWord;

/* One file being read. The text need not end in a zero byte and may contain anything. */
typedef struct snScan {
    const char *at, *end;           /* what is left of the file, behind the current line */
    const char *line_at, *line_end; /* what is left of the current line */
    const char *line_start, *word_start;
    int line; /* number of the current line, 0 before the first */
    const char *file;
    snError *error;
} snScan;

snScan sn_scan_begin(const char *file, const char *data, size_t size, snError *error);
bool sn_scan_line(snScan *scan);               /* goes to the next line; false at the end. Ends with LF, CR LF or CR. */
bool sn_scan_word(snScan *scan, snWord *word); /* next word of this line, between blanks; false at its end */
bool sn_scan_any_word(snScan *scan, snWord *word); /* next word on this or a later line; false at the end of the file */
/* Next field of this line up to the separator, blanks and one pair of double quotes around it taken off; false behind
 * the last. *more says whether a separator followed: call again then even for an empty field. */
bool sn_scan_field(snScan *scan, char separator, snWord *word, bool *more);

bool sn_word_is(snWord word, const char *text);
bool sn_word_is_any_case(snWord word, const char *text);
/* The whole word is a number; false otherwise. */
bool sn_word_number(snWord word, double *value);
bool sn_word_integer(snWord word, int64_t *value);
/* A copy of at most size - 1 bytes that ends in zero, for messages; control characters become '?'. */
const char *sn_word_text(snWord word, char *text, size_t size);

/* Fails with the place of the last word read. */
snStatus sn_scan_fail(snScan *scan, const char *format, ...) SN_PRINTF(2, 3);
/* The next word of this line must be a finite number; what: its name in the message. */
snStatus sn_scan_number(snScan *scan, const char *what, double *value);

#endif
