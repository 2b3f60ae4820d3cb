/* The reference page of the scene and muscle files (docs/reference.md), made from the schema tables. */
#ifndef SN_MODEL_REFERENCE_H
#define SN_MODEL_REFERENCE_H

/* Gives the page in pieces, as Markdown. */
void sn_reference_write(void (*emit)(void *user, const char *text), void *user);

#endif
