/* The slices screen: a stack of images, the contours of one muscle in it, and what a person does to them.
 *
 * What was done is kept as a list: seeds, walls, pushes of a contour. Undoing drops the last one and does the rest
 * again, so that the same list always gives the same contours. docs/slices.md describes the requests. */
#ifndef SN_STUDIO_SLICES_H
#define SN_STUDIO_SLICES_H

#include "author/own/surface.h"
#include "image/own/image.h"
#include "sinew/sinew.h"

typedef struct snSlices snSlices;

/* spacing: three numbers in m that count instead of the file's, or NULL. */
snStatus sn_slices_create(const char *path, const double *spacing, const char *muscle, snSlices **slices,
                          snError *error);
void sn_slices_destroy(snSlices *slices); /* NULL is fine */
/* The answer to a request of the page, an snServerDef.extra: memory that the caller frees; NULL: there is nothing of
 * that name. */
unsigned char *sn_slices_answer(void *slices, const char *path, size_t *size, const char **type);

#endif
