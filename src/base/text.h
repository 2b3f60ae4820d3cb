/* Text that comes from outside and is shown again: on a terminal, in a table, in a page. */
#ifndef SN_BASE_TEXT_H
#define SN_BASE_TEXT_H

/* What is wrong with a name, in words that follow "the name "; NULL: nothing. Control characters and those that turn the
 * direction of text (U+202E and its kind) make a listing show something else than it says; a spreadsheet takes a cell
 * that begins with = + - @ for a formula. */
const char *sn_name_fault(const char *name);
/* Puts ? in place of such characters; tabs and line ends stay. */
void sn_text_tame(char *text);

#endif
