/* What the files that turn contours into muscles share. */
#ifndef SN_AUTHOR_CONTOURS_H
#define SN_AUTHOR_CONTOURS_H

#include "author/own/surface.h"
#include "geom/mesh.h"
#include "image/outline.h"

/* Leaves out closed parts of less than a share of the largest one's volume, and walls of
 * hollows. parts: what is left. */
snStatus sn_trimesh_drop_specks(snTriMesh *mesh, double share, int32_t *parts, snError *error);
/* SN_BAD_INPUT with the names that there are. */
snStatus sn_no_such_outline(const snContours *contours, const char *muscle, snError *error);

#endif
