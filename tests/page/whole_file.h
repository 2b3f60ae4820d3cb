/* Small files as a whole, for tests of pages. */
#ifndef SN_TESTS_WHOLE_FILE_H
#define SN_TESTS_WHOLE_FILE_H

#include <stdio.h>
#include <stdlib.h>

static inline char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = calloc(1 << 22, 1);
    size_t n = fread(text, 1, (1 << 22) - 1, file);
    text[n] = '\0';
    fclose(file);
    return text;
}

static inline void write_all(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    fputs(text, file);
    fclose(file);
}

#endif
