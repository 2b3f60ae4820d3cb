/* Results of long computations in the order in which they are made, so that they need not be made again.
 *
 *     if (!sn_memo_take(memo, data, size)) {
 *         ... compute data ...
 *         sn_memo_keep(memo, data, size);
 *     }
 *
 * Whoever hands in bytes answers for their belonging to the same computation; a piece of another size ends the taking,
 * and everything from there on is computed. */
#ifndef SN_BASE_MEMO_H
#define SN_BASE_MEMO_H

#include "base/array.h"

typedef struct snMemo {
    const unsigned char *from; /* NULL: nothing to take (any more) */
    size_t size, at;
    SN_ARRAY(unsigned char) kept; /* what was computed; empty where all was taken */
    bool failed;                  /* out of memory: nothing is kept */
} snMemo;                         /* zeroed memory is an empty one; NULL is fine everywhere */

bool sn_memo_take(snMemo *memo, void *data, size_t size);
void sn_memo_keep(snMemo *memo, const void *data, size_t size);
void sn_memo_free(snMemo *memo);

#endif
