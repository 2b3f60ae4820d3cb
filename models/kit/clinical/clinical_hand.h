/* The hand on a tree for questions of the clinic: forearm fixed, 16 joints, 23 coordinates, 41 units of one activation
 * each (47 paths), 29 meshes. */
#ifndef SN_KIT_CLINICAL_HAND_H
#define SN_KIT_CLINICAL_HAND_H

#include "sinew/spec.h"

typedef struct snClinicalHandDef {
    const char *hand_tables; /* folder of the tables of the hand, as in snHandDef */
    const char *tables;      /* folder of units.tsv, nerves.tsv, joints.tsv, donors.tsv, laws.tsv and arms.tsv */
    const char *scene;       /* name of the scene file that the model names; NULL: hand-clinical.scene.xml */
    bool meshes;             /* with meshes of the bones */
} snClinicalHandDef;

snClinicalHandDef sn_default_clinical_hand_def(void);
/* Fails with SN_NO_FILE or SN_BAD_FILE when a table is missing or wrong, naming file and line. */
snStatus sn_author_clinical_hand(const snClinicalHandDef *def, snSpec **spec, snError *error);

#endif
