/* All memory of the library comes from here, so that tests can count allocations (stepping makes
 * none) and make the n-th one fail (loading and compiling then end with SN_NO_MEMORY and no leak). */
#ifndef SN_BASE_ALLOC_H
#define SN_BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

/* count * size zeroed bytes aligned to 64, or NULL. A count of 0 gives a valid pointer. */
void *sn_alloc(size_t count, size_t size);
/* Keeps the first old_count items; new ones are zero. On failure the old block is untouched. */
void *sn_realloc(void *block, size_t old_count, size_t new_count, size_t size);
char *sn_strdup(const char *text);
void sn_free(void *block); /* NULL is fine */

#define SN_NEW(type) ((type *)sn_alloc(1, sizeof(type)))
#define SN_NEW_ARRAY(type, count) ((type *)sn_alloc((size_t)(count), sizeof(type)))

/* For tests. Successful allocations so far, blocks alive now, bytes alive now. */
int64_t sn_alloc_count(void);
int64_t sn_alloc_live(void);
int64_t sn_alloc_bytes(void);
/* Let n more allocations succeed and every one after that fail; negative: never fail. */
void sn_alloc_fail_after(int64_t n);

#endif
