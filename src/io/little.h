/* Numbers as bytes, the lowest first, whatever the machine; and the bits of single precision. */
#ifndef SN_IO_LITTLE_H
#define SN_IO_LITTLE_H

#include <stdint.h>
#include <string.h>

static inline void sn_little_put(void *to, uint64_t value, int size)
{
    unsigned char *byte = to;
    for (int i = 0; i < size; ++i) byte[i] = (unsigned char)(value >> (8 * i));
}

static inline uint64_t sn_little_get(const void *from, int size)
{
    const unsigned char *byte = from;
    uint64_t value = 0;
    for (int i = 0; i < size; ++i) value |= (uint64_t)byte[i] << (8 * i);
    return value;
}

static inline uint32_t sn_float_bits(double value)
{
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline float sn_float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline void sn_little_put_float(void *to, double value)
{
    sn_little_put(to, sn_float_bits(value), 4);
}

static inline float sn_little_get_float(const void *from)
{
    return sn_float_of((uint32_t)sn_little_get(from, 4));
}

#endif
