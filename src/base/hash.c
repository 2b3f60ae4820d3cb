#include "base/hash.h"

#include "base/alloc.h"

#include <string.h>

uint64_t sn_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* FNV-1a, 64 bits. */
uint64_t sn_hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    uint64_t h = 14695981039346656037ull ^ seed;
    for (size_t i = 0; i < size; ++i) h = (h ^ b[i]) * 1099511628211ull;
    return h;
}

static uint64_t mixed(uint64_t h, uint64_t word)
{
    h ^= word;
    return (h << 29 | h >> 35) * 0x9e3779b97f4a7c15ull; /* one to one in the word: no single change goes unseen */
}

/* Four chains of words side by side, so that no multiplication waits for the last. */
uint64_t sn_checksum(uint64_t seed, const void *bytes, size_t size)
{
    enum { CHAINS = 4 };
    const unsigned char *b = bytes;
    uint64_t h[CHAINS] = {seed, seed + 1, seed + 2, seed + 3}, word[CHAINS], sum = size;
    size_t left = size;
    for (; left >= sizeof word; left -= sizeof word, b += sizeof word) {
        memcpy(word, b, sizeof word);
        for (int i = 0; i < CHAINS; ++i) h[i] = mixed(h[i], word[i]);
    }
    memset(word, 0, sizeof word);
    if (left > 0) memcpy(word, b, left);
    for (int i = 0; i < CHAINS; ++i) sum = mixed(sum, mixed(h[i], word[i]));
    return sum ^ sum >> 32;
}

static int32_t slot_of(const snNameMap *m, const char *key)
{
    uint64_t mask = (uint64_t)m->capacity - 1;
    uint64_t i = sn_hash_bytes(0, key, strlen(key)) & mask;
    while (m->key[i] && strcmp(m->key[i], key) != 0) i = (i + 1) & mask;
    return (int32_t)i;
}

static bool grow(snNameMap *m)
{
    snNameMap bigger = {.capacity = m->capacity ? 2 * m->capacity : 16, .count = m->count};
    bigger.key = SN_NEW_ARRAY(const char *, bigger.capacity);
    bigger.value = SN_NEW_ARRAY(int32_t, bigger.capacity);
    if (!bigger.key || !bigger.value) {
        sn_map_free(&bigger);
        return false;
    }
    for (int32_t i = 0; i < m->capacity; ++i) {
        if (!m->key[i]) continue;
        int32_t slot = slot_of(&bigger, m->key[i]);
        bigger.key[slot] = m->key[i];
        bigger.value[slot] = m->value[i];
    }
    sn_map_free(m);
    *m = bigger;
    return true;
}

void sn_seal(void *bytes, size_t size)
{
    uint64_t sum = sn_checksum(0, bytes, size - SN_SEAL);
    memcpy((char *)bytes + size - SN_SEAL, &sum, SN_SEAL);
}

bool sn_is_sealed(const void *bytes, size_t size)
{
    uint64_t sum;
    if (!bytes || size < SN_SEAL) return false;
    memcpy(&sum, (const char *)bytes + size - SN_SEAL, SN_SEAL);
    return sum == sn_checksum(0, bytes, size - SN_SEAL);
}

bool sn_map_put(snNameMap *m, const char *key, int32_t value)
{
    if (2 * (m->count + 1) > m->capacity && !grow(m)) return false;
    int32_t slot = slot_of(m, key);
    if (m->key[slot]) return true;
    m->key[slot] = key;
    m->value[slot] = value;
    ++m->count;
    return true;
}

int32_t sn_map_get(const snNameMap *m, const char *key)
{
    if (!m->capacity) return -1;
    int32_t slot = slot_of(m, key);
    return m->key[slot] ? m->value[slot] : -1;
}

void sn_map_free(snNameMap *m)
{
    sn_free((void *)m->key);
    sn_free(m->value);
    memset(m, 0, sizeof *m);
}
