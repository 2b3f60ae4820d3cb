/* A table of clinical signs and the model's answers: one row, one number, one verdict. docs/clinical.md explains the
 * columns. */
#ifndef SN_CLI_SIGNS_H
#define SN_CLI_SIGNS_H

#include "cli.h"

typedef enum snSignColumn {
    SIGN_NAME,
    SIGN_CASE,
    SIGN_QUESTION,
    SIGN_MEASURE,
    SIGN_AGAINST,
    SIGN_COMPARISON,
    SIGN_THRESHOLD,
    SIGN_UNIT,
    SIGN_FITTED,
    SIGN_SOURCE,
    SIGN_REASON,
    SIGN_COLUMNS
} snSignColumn;

typedef struct snSign {
    const char *text[SIGN_COLUMNS];
    int line;
    double threshold, value;
    bool right;
} snSign;

typedef struct snSigns {
    snCli *cli;
    const snSpec *spec;
    const snModel *model;
    char path[4200];
    char *bytes; /* the table, cut into its cells */
    snSign *sign;
    int32_t count;
} snSigns;

/* Reads the table beside the model. Free with signs_close also when this fails. */
snStatus signs_open(snCli *cli, const snSpec *spec, const snModel *model, snSigns *signs);
void signs_close(snSigns *signs);
/* Answers one row: value and right. A name that the model does not have is bad input, with file and line. */
snStatus signs_ask(snSigns *signs, snSign *sign);

#endif
