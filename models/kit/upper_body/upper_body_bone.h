/* Shapes of the bones of the upper body. */
#ifndef SN_KIT_UPPER_BODY_BONE_H
#define SN_KIT_UPPER_BODY_BONE_H

#include "author/table.h"
#include "common/bone.h"

enum { SN_DRAWN_SHAPES, SN_DRAWN_LANDMARKS, SN_DRAWN_VERTEBRAE, SN_DRAWN_PROCESSES, SN_DRAWN_RIBS, SN_DRAWN_TABLES };

/* Where a place of the tables lies in another skeleton: `along` is the place of a rib's point from its head (0) to its
 * front end (1), 1 for all others. */
typedef v3 (*snCarryFn)(const void *context, const char *body, double along, v3 at);

typedef struct snUpperBodyDrawing {
    snFigures table[SN_DRAWN_TABLES]; /* shapes.tsv, then survey/bone_landmarks.tsv, vertebra_dimensions.tsv,
                                         vertebra_landmarks.tsv and rib_geometry.tsv */
    snCarryFn carry;                  /* NULL: places stay where they are */
    const void *context;
} snUpperBodyDrawing; /* zeroed memory may be freed */

/* Reads the tables from the folder of the body's; free the drawing also after a failure. */
snStatus sn_upper_body_drawing_load(snUpperBodyDrawing *drawing, const char *folder, snError *error);
void sn_upper_body_drawing_free(snUpperBodyDrawing *drawing);
/* Adds the shape of one body, in the world. Fails with SN_BAD_FILE, naming file and line, where a table is wrong. */
snStatus sn_upper_body_bone(snUpperBodyDrawing *drawing, const char *body, snBoneMesh *mesh, snError *error);
/* Tip of a spinous process, of the bone's landmark; false: the tables have none. */
bool sn_upper_body_landmark(snUpperBodyDrawing *drawing, const char *body, const char *name, v3 *at);

/* Colours of what is drawn: the costal cartilages (cc...) differ from bone. */
const double *sn_upper_body_color(const char *body);

#endif
