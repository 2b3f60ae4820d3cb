/* Point caches: the vertices of a mesh over time, for animation tools. */
#ifndef SN_IO_OWN_POINT_CACHE_H
#define SN_IO_OWN_POINT_CACHE_H

#include "sinew/base.h"

/* Point caches, frame by frame: PC2 (little-endian) and MDD (big-endian) for animation tools, or numbered OBJ files
 * (skin.obj gives skin.0001.obj, skin.0002.obj, ...). The PC2 or MDD file appears when it is finished; finished early
 * it holds the frames that are there. */
typedef enum snCacheFormat { SN_CACHE_PC2, SN_CACHE_MDD, SN_CACHE_OBJ } snCacheFormat;
typedef struct snCacheDef {
    size_t size; /* of this struct: set by its default function */
    snCacheFormat format;
    int32_t npoint;
    int32_t frames;          /* at most; MDD writes a table of that length first, the others may give 0: any number */
    double start;            /* first frame number; PC2 and OBJ */
    double rate;             /* frames per second; MDD */
    int32_t ntriangle;       /* OBJ only */
    const int32_t *triangle; /* 3 each; must outlive the writer */
} snCacheDef;
static inline snCacheDef sn_default_cache_def(void)
{
    SN_DEF(snCacheDef, def);
    def.format = SN_CACHE_PC2;
    def.start = 1;
    def.rate = 24;
    return def;
}
typedef struct snCacheWriter snCacheWriter;
snStatus sn_cache_create(const snCacheDef *def, const char *path, snCacheWriter **writer, snError *error);
snStatus sn_cache_append(snCacheWriter *writer, const double *point, snError *error); /* 3 npoint, finite */
snStatus sn_cache_finish(snCacheWriter *writer, snError *error);                      /* ends the writer in any case */
void sn_cache_abandon(snCacheWriter *writer);                                         /* NULL is fine */

/* A PC2 file, frame by frame: memory for one. SN_BAD_FILE: not a PC2, cut off, a number that is not finite. */
typedef struct snCacheReader snCacheReader;
snStatus sn_cache_open(const char *path, snCacheReader **reader, snError *error);
/* Its points, frames and the number of its first frame. */
const snCacheDef *sn_cache_def(const snCacheReader *reader);
snStatus sn_cache_next(snCacheReader *reader, float *point, snError *error); /* 3 a point */
void sn_cache_close(snCacheReader *reader);                                  /* NULL is fine */

#endif
