/* PGM and PPM, text or binary (P2, P3, P5, P6), up to 16 bits. Colours become grey. */
#include "base/alloc.h"
#include "base/error.h"
#include "image/stack.h"
#include "io/stack_read.h"

#include <string.h>

typedef struct {
    const char *file;
    const unsigned char *at, *end;
} Pnm;

/* The next whole number, at most `most`; comments and blanks before it are passed over. -1: there is none. */
static int32_t next_number(Pnm *p, int32_t most)
{
    bool comment = false;
    for (; p->at < p->end; ++p->at) {
        if (*p->at == '#') comment = true;
        if (*p->at == '\n') comment = false;
        if (!comment && !strchr(" \t\r\n", *p->at)) break;
    }
    int32_t value = -1;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; ++p->at) {
        value = (value < 0 ? 0 : value) * 10 + (*p->at - '0');
        if (value > most) return -1;
    }
    return value;
}

/* One sample of a picture; -1: the file ends, or it is too large. */
static int32_t next_sample(Pnm *p, bool text, int32_t most)
{
    if (text) return next_number(p, most);
    int32_t wide = most > 255 ? 2 : 1, value = 0;
    if (p->end - p->at < wide) return -1;
    for (; wide > 0; --wide) value = value * 256 + *p->at++;
    return value <= most ? value : -1;
}

static snStatus read_samples(Pnm *p, char kind, int32_t most, const snPicture *picture, snError *error)
{
    static const double share[3] = {0.299, 0.587, 0.114};
    bool text = kind == '2' || kind == '3', color = kind == '3' || kind == '6';
    size_t i = 0;
    for (int32_t y = 0; y < picture->rows; ++y)
        for (int32_t x = 0; x < picture->columns; ++x, ++i) {
            double sum = 0;
            for (int c = 0; c < (color ? 3 : 1); ++c) {
                int32_t v = next_sample(p, text, most);
                if (v < 0)
                    return sn_stack_fail(p->file, error, "the file may be truncated; copy or download it again",
                                         "pixel %d,%d is missing or larger than %d", (int)x, (int)y, (int)most);
                sum += (color ? share[c] : 1) * v;
            }
            picture->value[i] = (float)sum;
        }
    return SN_OK;
}

snStatus sn_parse_pnm(const char *file, const char *data, size_t size, snPicture *picture, snError *error)
{
    Pnm p = {file, (const unsigned char *)data, (const unsigned char *)data + size};
    char kind = size > 2 && data[0] == 'P' ? data[1] : 0;
    if (!kind || !strchr("2356", kind))
        return sn_stack_fail(file, error, "save it as PGM or PNG", "not a PGM or PPM file (P2, P3, P5 or P6)");
    p.at += 2;
    snPicture made = {.columns = next_number(&p, SN_STACK_SIDE)};
    made.rows = made.columns < 0 ? -1 : next_number(&p, SN_STACK_SIDE);
    int32_t most = made.rows < 0 ? -1 : next_number(&p, 65535);
    if (made.columns < 1 || made.rows < 1 || most < 1)
        return sn_stack_fail(file, error, NULL, "width, height (1 to %d) or largest value (1 to 65535) is wrong",
                             SN_STACK_SIDE);
    if (p.at < p.end) ++p.at; /* one blank before binary samples */
    size_t samples = (size_t)made.columns * (size_t)made.rows * (kind == '3' || kind == '6' ? 3 : 1);
    bool text = kind == '2' || kind == '3';
    size_t least = text ? 2 * samples - 1 : samples * (most > 255 ? 2 : 1);
    if ((size_t)(p.end - p.at) < least)
        return sn_stack_fail(file, error, "the file may be truncated; copy or download it again",
                             "%d x %d pixels need %zu bytes, but %zu are left", (int)made.columns, (int)made.rows,
                             least, (size_t)(p.end - p.at));
    made.value = SN_NEW_ARRAY(float, (size_t)made.columns *(size_t)made.rows);
    if (!made.value) return sn_fail_no_memory(error);
    snStatus status = read_samples(&p, kind, most, &made, error);
    if (status == SN_OK)
        *picture = made;
    else
        sn_free(made.value);
    return status;
}
