/* A file as a stream of bytes, read piece by piece; what gzip has compressed is expanded on the way. */
#ifndef SN_IO_INPUT_H
#define SN_IO_INPUT_H

#include "sinew/base.h"

typedef struct snInput {
    void *gz;
    const char *path;
    unsigned char *piece;
    size_t at, count;  /* in the piece */
    bool damaged;      /* the compressed data is not whole */
    bool bomb;         /* it expands beyond reason */
    uint64_t expanded; /* bytes so far */
    int error_number;
} snInput;

/* The path must outlive the input. */
snStatus sn_input_open(snInput *input, const char *path, snError *error);
/* Up to size bytes, fewer only at the end of the file. */
size_t sn_input_read(snInput *input, void *bytes, size_t size);
/* The next bytes without taking them, as many as are there of the first ones asked for. */
size_t sn_input_peek(snInput *input, void *bytes, size_t size);
/* SN_OK, or why the data ended too early. To be asked at the end. */
snStatus sn_input_status(const snInput *input, snError *error);
bool sn_input_compressed(const snInput *input);
void sn_input_close(snInput *input); /* all zero is fine */

static inline int sn_input_byte(snInput *input) /* -1 at the end */
{
    unsigned char byte;
    if (input->at < input->count) return input->piece[input->at++];
    return sn_input_read(input, &byte, 1) == 1 ? byte : -1;
}

#endif
