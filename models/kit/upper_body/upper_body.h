/* The upper body: 68 bodies, 147 coordinates, 814 line muscles on a tree. */
#ifndef SN_KIT_UPPER_BODY_H
#define SN_KIT_UPPER_BODY_H

#include "sinew/spec.h"

typedef struct snUpperBodyDef {
    const char *tables; /* folder of bones.tsv, coordinates.tsv, ... and of the survey */
    const char *scene;  /* name of the scene file that the model names; NULL: body.scene.xml */
    bool meshes;        /* with meshes of the bones */
} snUpperBodyDef;

snUpperBodyDef sn_default_upper_body_def(void);
/* Fails with SN_NO_FILE or SN_BAD_FILE when a table is missing or wrong, naming file and line. */
snStatus sn_author_upper_body(const snUpperBodyDef *def, snSpec **spec, snError *error);

#endif
