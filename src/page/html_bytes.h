/* A growing run of bytes with what the studio's data is written with: JSON text, numbers in few bits, base64.
 * The first failed allocation sticks: later calls do nothing, and the end asks `failed`. */
#ifndef SN_IO_HTML_BYTES_H
#define SN_IO_HTML_BYTES_H

#include "sinew/base.h"

typedef struct snBytes {
    char *at;
    size_t size, capacity;
    bool failed;
} snBytes; /* zeroed memory is an empty one */

void sn_bytes_free(snBytes *bytes);
void sn_bytes_add(snBytes *bytes, const void *from, size_t size);
void sn_bytes_pad(snBytes *bytes, size_t alignment, char with);

void sn_json_text(snBytes *bytes, const char *text); /* as it is */
void sn_json_int(snBytes *bytes, int64_t value);
void sn_json_number(snBytes *bytes, double value); /* not finite: null */
void sn_json_numbers(snBytes *bytes, const double *value, int32_t count);
/* In quotes, escaped; bytes that are no UTF-8 become question marks. NULL is empty. */
void sn_json_string(snBytes *bytes, const char *text);

/* Each appends numbers to data, aligned to 4, and the description of the run to head. */
void sn_run_f32(snBytes *head, snBytes *data, const double *value, int64_t count);
void sn_run_u8(snBytes *head, snBytes *data, const int32_t *value, int64_t count);
/* 16 bits where the largest fits, else 32. */
void sn_run_index(snBytes *head, snBytes *data, const int32_t *value, int64_t count);
/* Whole numbers of 16 bits as they are. */
void sn_run_short(snBytes *head, snBytes *data, const int16_t *value, int64_t count);
/* Quantised to 16 bits over the range of the values, one bias for each of `width` columns. What is not finite becomes
 * the middle. width is at most 4. */
void sn_run_i16(snBytes *head, snBytes *data, const double *value, int64_t count, int32_t width);
/* The same for frames of `frame` numbers, each stored as the difference to the frame before (modulo 2^16): what moves
 * smoothly then packs well. Steps are no finer than `finest`. */
void sn_run_frames(snBytes *head, snBytes *data, const double *value, int64_t count, int32_t width, int64_t frame,
                   double finest);

size_t sn_base64_size(size_t size);
void sn_base64(const void *bytes, size_t size, char *text);

#endif
