/* Closed meshes of sheet-like muscles: a middle surface given as a grid of points, with a thickness everywhere. */
#ifndef SN_KIT_SHEET_H
#define SN_KIT_SHEET_H

#include "geom/mesh.h"

typedef struct snSheetDef {
    int32_t across, along; /* points of the grid, at least 2 each */
    const v3 *middle;      /* across * along, along fastest: from origin to insertion */
    const double *half;    /* half the thickness at each, m, above 0 */
    const v3 *normal;      /* unit, across x along, at each; NULL: those of the grid */
} snSheetDef;

/* Closed and oriented outwards; does not cross itself as long as the sheet bends with radii above its thickness. */
snStatus sn_sheet_mesh(const snSheetDef *def, snTriMesh *mesh, snError *error);

#endif
