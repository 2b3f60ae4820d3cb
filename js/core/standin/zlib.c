/* See zlib.h. */
#include "zlib.h"

#include <errno.h>

gzFile gzopen(const char *path, const char *mode)
{
    (void)mode;
    FILE *file = fopen(path, "rb");
    unsigned char head[2];
    if (!file) return NULL;
    if (fread(head, 1, 2, file) == 2 && head[0] == 0x1f && head[1] == 0x8b) {
        (void)fclose(file);
        errno = ENOTSUP;
        return NULL;
    }
    rewind(file);
    return file;
}

gzFile gzdopen(int descriptor, const char *mode)
{
    (void)descriptor, (void)mode;
    errno = ENOTSUP;
    return NULL;
}

int gzread(gzFile file, void *bytes, unsigned size)
{
    size_t n = fread(bytes, 1, size, file);
    return ferror(file) ? -1 : (int)n;
}

size_t gzfwrite(const void *bytes, size_t size, size_t count, gzFile file)
{
    (void)bytes, (void)size, (void)count, (void)file;
    return 0;
}

const char *gzerror(gzFile file, int *code)
{
    *code = ferror(file) ? Z_ERRNO : Z_OK;
    return "";
}

long gzoffset(gzFile file)
{
    return ftell(file);
}

int gzdirect(gzFile file)
{
    (void)file;
    return 1;
}

int gzclose(gzFile file)
{
    return fclose(file) ? Z_ERRNO : Z_OK;
}

int uncompress(unsigned char *to, uLongf *room, const unsigned char *from, uLong size)
{
    (void)to, (void)room, (void)from, (void)size;
    return Z_ERRNO;
}
