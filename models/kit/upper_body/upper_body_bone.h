/* Shapes of the bones of the upper body. */
#ifndef SN_KIT_UPPER_BODY_BONE_H
#define SN_KIT_UPPER_BODY_BONE_H

#include "author/table.h"
#include "common/bone.h"

typedef struct snUpperBodyDrawing {
    snFigures *shapes, *landmarks;    /* shapes.tsv, survey/bone_landmarks.tsv */
    snFigures *vertebrae, *processes; /* survey/vertebra_dimensions.tsv, survey/vertebra_landmarks.tsv */
    snFigures *ribs;                  /* survey/rib_geometry.tsv */
} snUpperBodyDrawing;

/* Adds the shape of one body, in the world. What is wrong in a table is recorded there. */
snStatus sn_upper_body_bone(const snUpperBodyDrawing *drawing, const char *body, snBoneMesh *mesh, snError *error);

#endif
