/* Clavicle, scapula and humerus from the pieces of shapes.tsv. */
#include "common/shape.h"
#include "shoulder/shoulder.h"

#include "base/error.h"

#include <string.h>

static const double SPACING = 0.002, EDGE = 0.0055; /* m */

static bool find_landmark(void *context, const char *name, size_t length, v3 *at)
{
    const snShoulder *s = context;
    for (int32_t i = 0; i < s->landmark.count; ++i) {
        const snShoulderLandmark *l = &s->landmark.at[i];
        if (strlen(l->name) == length && strncmp(l->name, name, length) == 0) return *at = l->at, true;
    }
    return false;
}

snStatus sn_shoulder_shape(const snShoulder *s, const char *folder, const char *bone, snBoneMesh *mesh, snError *error)
{
    snFigures table;
    snStatus status = sn_figures_load(&table, folder, "shapes.tsv");
    if (status == SN_OK)
        status = sn_shape_carve(&table, bone, find_landmark, (void *)(uintptr_t)s, SPACING, EDGE, mesh, error);
    else if (error)
        *error = table.error;
    sn_figures_free(&table);
    return status;
}
