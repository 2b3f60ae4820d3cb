/* The part of zlib's interface that the library's readers use, for builds without zlib (WebAssembly): files as they
 * are. What is compressed cannot be opened; js/sinew.mjs expands it before the library sees it. Writing is refused. */
#ifndef SN_STANDIN_ZLIB_H
#define SN_STANDIN_ZLIB_H

#include <stddef.h>
#include <stdio.h>

#define Z_OK 0
#define Z_STREAM_END 1
#define Z_ERRNO (-1)

typedef FILE *gzFile;
typedef unsigned long uLong, uLongf;

gzFile gzopen(const char *path, const char *mode);
gzFile gzdopen(int descriptor, const char *mode);
int gzread(gzFile file, void *bytes, unsigned size);
size_t gzfwrite(const void *bytes, size_t size, size_t count, gzFile file);
const char *gzerror(gzFile file, int *code);
long gzoffset(gzFile file);
int gzdirect(gzFile file);
int gzclose(gzFile file);
/* Compressed pieces of a mesh (.vtp): refused. */
int uncompress(unsigned char *to, uLongf *room, const unsigned char *from, uLong size);

#endif
