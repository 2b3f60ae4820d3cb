#include "base/memo.h"

#include "base/alloc.h"

#include <string.h>

bool sn_memo_take(snMemo *m, void *data, size_t size)
{
    uint64_t length;
    if (!m || !m->from) return false;
    bool fits = m->size - m->at >= sizeof length;
    if (fits) memcpy(&length, m->from + m->at, sizeof length);
    if (!fits || length != size || m->size - m->at - sizeof length < size) {
        m->from = NULL;
        return false;
    }
    if (size) memcpy(data, m->from + m->at + sizeof length, size);
    m->at += sizeof length + size;
    return true;
}

void sn_memo_keep(snMemo *m, const void *data, size_t size)
{
    uint64_t length = size;
    if (!m || m->failed) return;
    m->failed = size > INT32_MAX / 2 || !sn_array_reserve(&m->kept, (int32_t)(size + sizeof length));
    if (m->failed) {
        sn_memo_free(m);
        m->failed = true;
        return;
    }
    memcpy(m->kept.at + m->kept.count, &length, sizeof length);
    if (size) memcpy(m->kept.at + m->kept.count + sizeof length, data, size); /* nothing may be NULL */
    m->kept.count += (int32_t)(size + sizeof length);
}

void sn_memo_free(snMemo *m)
{
    if (m) sn_array_free(&m->kept);
}
