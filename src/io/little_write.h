/* Numbers as bytes, the lowest first, straight into a file. */
#ifndef SN_IO_LITTLE_WRITE_H
#define SN_IO_LITTLE_WRITE_H

#include "io/file.h"
#include "io/little.h"

static inline void sn_writer_little(snWriter *out, uint64_t bits, int size)
{
    unsigned char byte[8];
    sn_little_put(byte, bits, size);
    sn_writer_bytes(out, byte, (size_t)size);
}

static inline void sn_writer_double(snWriter *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sn_writer_little(out, bits, 8);
}

static inline void sn_writer_float(snWriter *out, double value)
{
    sn_writer_little(out, sn_float_bits(value), 4);
}

#endif
