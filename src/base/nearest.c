#include "base/nearest.h"

#include <string.h>
#include <strings.h>

enum { NAME_MAX_LENGTH = 48 };

/* Insertions, deletions, exchanges, and swaps of neighbours that turn a into b. */
static int edits(const char *a, const char *b)
{
    int row[3][NAME_MAX_LENGTH + 1];
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > NAME_MAX_LENGTH || m > NAME_MAX_LENGTH) return NAME_MAX_LENGTH;
    int *before = row[0], *above = row[1], *now = row[2];
    for (int j = 0; j <= m; ++j) above[j] = j;
    for (int i = 1; i <= n; ++i) {
        now[0] = i;
        for (int j = 1; j <= m; ++j) {
            int best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        int *oldest = before;
        before = above, above = now, now = oldest;
    }
    return above[m];
}

int sn_name_distance(const char *a, const char *b)
{
    return strcasecmp(a, b) == 0 ? 0 : edits(a, b);
}

int sn_name_near(const char *name)
{
    return (int)strlen(name) / 3 + 1;
}

const char *sn_nearest_name(const char *name, const char *const *candidates)
{
    const char *best = NULL;
    int least = sn_name_near(name) + 1;
    for (; *candidates; ++candidates) {
        int d = sn_name_distance(name, *candidates);
        if (d < least) least = d, best = *candidates;
    }
    return best;
}
