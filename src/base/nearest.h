/* What a misspelt name probably meant, for the remedy of an error. */
#ifndef SN_BASE_NEAREST_H
#define SN_BASE_NEAREST_H

/* The candidate (list ended by NULL) that is nearest to the name; NULL when none is near. */
const char *sn_nearest_name(const char *name, const char *const *candidates);
/* Edits that turn a into b, case not counting; for lists that are not arrays of strings. */
int sn_name_distance(const char *a, const char *b);
/* Names further apart than this are no help. */
int sn_name_near(const char *name);

#endif
