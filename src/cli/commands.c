/* The table of commands, in the order of `sinew help`. A new one is a file cmd_NAME.c and a line here. */
#include "cli.h"

#define COMMAND_TABLE(X)                                                                                               \
    X(demo)                                                                                                            \
    X(check)                                                                                                           \
    X(info)                                                                                                            \
    X(certify)                                                                                                         \
    X(simulate)                                                                                                        \
    X(track)                                                                                                           \
    X(sweep)                                                                                                           \
    X(skin)                                                                                                            \
    X(flesh)                                                                                                           \
    X(plot)                                                                                                            \
    X(export)                                                                                                          \
    X(convert)                                                                                                         \
    X(bench)                                                                                                           \
    X(studio)                                                                                                          \
    X(strands)                                                                                                         \
    X(library)                                                                                                         \
    X(phantom)                                                                                                         \
    X(contours)                                                                                                        \
    X(surface)                                                                                                         \
    X(motions)                                                                                                         \
    X(strength)                                                                                                        \
    X(hold)                                                                                                            \
    X(rest)                                                                                                            \
    X(signs)                                                                                                           \
    X(compensate)                                                                                                      \
    X(clinic)                                                                                                          \
    X(explore)                                                                                                         \
    X(completion)

#define X(name) extern const snCommand cmd_##name;
COMMAND_TABLE(X)
#undef X

const snCommand *const cli_commands[] = {
#define X(name) &cmd_##name,
    COMMAND_TABLE(X)
#undef X
        NULL,
};
