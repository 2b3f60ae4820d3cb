/* A map from names to indices, and hashes of bytes. */
#ifndef SN_BASE_HASH_H
#define SN_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t sn_hash_bytes(uint64_t seed, const void *bytes, size_t size); /* FNV-1a: trajectories, names */
/* Many bytes, twenty times as fast: whether what was written is whole. Depends on the byte order of the machine. */
uint64_t sn_checksum(uint64_t seed, const void *bytes, size_t size);

/* The last mixing step of splitmix64: every bit of the input reaches every bit of the output. For random numbers that
 * are a function of what they are for. */
uint64_t sn_mix(uint64_t x);

/* Bytes that end with a checksum of all that is before it, SN_SEAL bytes of the size. */
enum { SN_SEAL = sizeof(uint64_t) };
void sn_seal(void *bytes, size_t size);
bool sn_is_sealed(const void *bytes, size_t size);

/* Keys are not copied: they must outlive the map. Zeroed memory is an empty map. */
typedef struct snNameMap {
    const char **key;
    int32_t *value;
    int32_t count, capacity;
} snNameMap;

/* False when out of memory. An existing key keeps its first value. */
bool sn_map_put(snNameMap *map, const char *key, int32_t value);
int32_t sn_map_get(const snNameMap *map, const char *key); /* -1 when absent */
void sn_map_free(snNameMap *map);

#endif
