/* What the programs of the kit share: reading the command line, writing the model, complaining. */
#ifndef SN_KIT_PROGRAM_H
#define SN_KIT_PROGRAM_H

#include "sinew/io.h"
#include "sinew/spec.h"

/* PROGRAM TABLES OUT [--FLAG ...] [--skin FILE]. OUT is the file to write: NAME.muscle.xml, or a mesh. */
typedef struct kitRun {
    const char *program, *tables, *out;
    const char *skin; /* mesh beside OUT that is the skin, or NULL */
    char scene[256];  /* NAME.scene.xml of the same NAME as OUT */
    bool left, hood, splines;
    int triangles; /* wished number of a mesh, 0: as it comes */
} kitRun;

/* Exit code 2, and a line on stderr, when the words make no sense; else 0. */
int kit_read_arguments(kitRun *run, int argc, char **argv, const char *flags);
/* Gives the model its skin and writes it; ends the spec. The exit code. */
int kit_write_model(const kitRun *run, snSpec *spec);
int kit_complain(const kitRun *run, snStatus status, const snError *error);

#endif
