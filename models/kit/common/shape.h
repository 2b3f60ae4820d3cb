/* Bones carved from a table: rods along lines and curves, slabs and eggs, united with fillets or cut away in the order
 * of the table. The zero surface of their distance field becomes a closed mesh of well-shaped triangles. */
#ifndef SN_KIT_SHAPE_H
#define SN_KIT_SHAPE_H

#include "author/table.h"
#include "base/array.h"
#include "common/bone.h"
#include "geom/mesh.h"

typedef enum snPieceKind {
    SN_PIECE_ROD,  /* from a to b, round, with two radii */
    SN_PIECE_SLAB, /* the triangle a b c, thick by twice radius_a, with a round rim */
    SN_PIECE_EGG   /* an ellipsoid about a with half axes b, turned */
} snPieceKind;

typedef struct snPiece {
    snPieceKind kind;
    int32_t row; /* pieces of one row stand together and are united without fillets before the row joins the rest */
    bool cut;    /* taken away from what stands before it */
    v3 a, b, c;
    quat turn;
    double radius_a, radius_b, blend; /* m; blend: radius of the fillet to what stands before it */
} snPiece;

typedef struct snShape {
    SN_ARRAY(snPiece) piece;
    int32_t rows;
} snShape; /* zeroed memory is an empty shape */

void sn_shape_free(snShape *shape);
/* Adds the mirror image about the plane z = 0 of the pieces from `first` on. */
bool sn_shape_mirror(snShape *shape, int32_t first);

/* Finds a named place; false: there is none. */
typedef bool (*snPlaceFn)(void *context, const char *name, size_t length, v3 *at);

/* Adds the pieces of one row. Columns:
 *   kind    rod, curve (a rod that is smooth through its points), slab (each three points in a row are a triangle),
 *           egg; with a minus sign in front what is cut away
 *   points  places separated by blanks: x,y,z in mm, the name of a place, or a name and a step from it in mm:
 *           GH+4,0,-2
 *   size    mm. rod, curve: a radius for all points or one for each; slab: half its thickness; egg: three half axes,
 *           and where it is turned three angles in deg about x, then y, then z
 *   blend   mm
 * What is wrong is recorded in the table. False: out of memory. */
bool sn_shape_read(snShape *shape, snFigures *table, int32_t row, snPlaceFn find, void *context);

/* Appends the surface of the shape: field sampled every `spacing`, edges of `edge` and shorter where pieces are
 * thin, m. Vertices are rounded to a micrometre. */
snStatus sn_shape_mesh(const snShape *shape, double spacing, double edge, snBoneMesh *mesh, snError *error);

/* The same for the rows of one bone (column bone), which the table must have. */
snStatus sn_shape_carve(snFigures *table, const char *bone, snPlaceFn find, void *context, double spacing, double edge,
                        snBoneMesh *mesh, snError *error);

#endif
