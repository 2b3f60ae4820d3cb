/* Tables of figures: tab-separated text, lines that begin with # are comments, the first other line names the columns.
 * A cell of a single - is empty. Reading is sticky: the first thing that is wrong is kept in the table's error,
 * later reads give zeros, and the caller looks at the status once. */
#ifndef SN_AUTHOR_TABLE_H
#define SN_AUTHOR_TABLE_H

#include "base/arena.h"
#include "math/vec.h"
#include "sinew/base.h"

typedef struct snFigures {
    snArena arena;
    const char *file;
    int32_t nrow, ncolumn;
    const char **column; /* ncolumn names */
    const char **cell;   /* nrow * ncolumn */
    int32_t *line;       /* nrow: line in the file */
    snError error;       /* status SN_OK while nothing is wrong */
} snFigures;

/* Reads folder/name. The table must be freed also after a failure. */
snStatus sn_figures_load(snFigures *table, const char *folder, const char *name);
void sn_figures_free(snFigures *table);

bool sn_figures_has(snFigures *table, int32_t row, const char *column); /* neither missing nor empty */
const char *sn_figures_text(snFigures *table, int32_t row, const char *column);
double sn_figures_number(snFigures *table, int32_t row, const char *column);
v3 sn_figures_v3(snFigures *table, int32_t row, const char *column); /* three numbers separated by blanks */
/* Copies a name into size characters; complains of one that is missing or does not fit. */
void sn_figures_name(snFigures *table, int32_t row, const char *column, char *name, size_t size);

/* A turn of a joint: columns lower, upper (deg), stiffness and damping, each with its number from 1. */
typedef struct snFiguresTurn {
    double lower, upper, stiffness, damping;
} snFiguresTurn;
snFiguresTurn sn_figures_turn(snFigures *table, int32_t row, int32_t number);
/* Name of a numbered column, in text. */
const char *sn_figures_numbered(char text[32], const char *column, int32_t number);

/* Records that the row is wrong, unless something was already. */
void sn_figures_complain(snFigures *table, int32_t row, const char *format, ...) SN_PRINTF(3, 4);

#endif
