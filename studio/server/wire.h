/* Numbers in the messages between page and server: 4 bytes each, little-endian, whole or single precision. */
#ifndef SN_STUDIO_WIRE_H
#define SN_STUDIO_WIRE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t sn_wire_get(const unsigned char *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* What is not finite becomes 0: nobody who sends garbage gets it into the simulation. */
static inline double sn_wire_get_float(const unsigned char *from)
{
    uint32_t bits = sn_wire_get(from);
    float f;
    memcpy(&f, &bits, 4);
    return isfinite(f) ? (double)f : 0;
}

/* The writers return where the next number goes. */
static inline unsigned char *sn_wire_put(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; ++i) *to++ = (unsigned char)(value >> (8 * i));
    return to;
}

static inline unsigned char *sn_wire_put_floats(unsigned char *to, const double *value, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) {
        float f = (float)value[i];
        uint32_t bits;
        memcpy(&bits, &f, 4);
        to = sn_wire_put(to, bits);
    }
    return to;
}

#endif
