/* Status codes, errors and progress: what every other public header needs.
 *
 * Three kinds of trouble are never mixed. A caller's bug (NULL where something is needed, an id out of range, a state
 * of another model) is refused with SN_BAD_ARGUMENT by functions that set up or read, and trips an assert in a step;
 * functions without a status then give 0 or NULL. Every function that frees takes NULL. Bad input, a missing
 * file or exhausted memory is a status with an snError. Numerical trouble is the status of a step.
 * The library never prints, exits or writes a log. */
#ifndef SINEW_BASE_H
#define SINEW_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SN_API __attribute__((visibility("default")))
#define SN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define SN_API
#define SN_PRINTF(fmt, args)
#endif

/* A def of a type, all zero but for its size. Defs begin with their size, so that a later version can add fields at the
 * end: what a shorter def of an older program lacks is as the default function has it; a longer one is taken while what
 * the library does not know of it is zero, and otherwise refused with SN_BAD_ARGUMENT. The default function of each def,
 * in the header of the program, starts with this and then says what is not zero. */
#define SN_DEF(type, name)                                                                                             \
    type name;                                                                                                         \
    memset(&(name), 0, sizeof(name));                                                                                  \
    (name).size = sizeof(name)

#define SN_VERSION_MAJOR 0
#define SN_VERSION_MINOR 1
#define SN_VERSION_PATCH 0

/* name, text, exit code of the command */
#define SN_STATUS_TABLE(X)                                                                                             \
    X(SN_OK, "done", 0)                                                                                                \
    X(SN_DIVERGED, "the simulation diverged", 1)                                                                       \
    X(SN_CANCELLED, "stopped", 1)                                                                                      \
    X(SN_NO_MEMORY, "out of memory", 1)                                                                                \
    X(SN_WRITE_FAILED, "a file could not be written", 1)                                                               \
    X(SN_FAILED, "the run failed", 1)                                                                                  \
    X(SN_USAGE, "wrong usage", 2)                                                                                      \
    X(SN_NO_FILE, "a file could not be read", 3)                                                                       \
    X(SN_BAD_FILE, "a file is malformed", 3)                                                                           \
    X(SN_BAD_INPUT, "the input is invalid", 3)                                                                         \
    X(SN_BAD_ARGUMENT, "a function was given an argument that it cannot take", 1)

typedef enum snStatus {
#define X(name, text, exit_code) name,
    SN_STATUS_TABLE(X)
#undef X
} snStatus;

/* What went wrong, where, and what to do. line and column are 0 where they do not apply. */
typedef struct snError {
    snStatus status;
    int line, column;
    char file[256];
    char element[128]; /* e.g. Strand "FDP2" */
    char message[512]; /* what was found and what was expected */
    char remedy[256];  /* what to do about it, may be empty */
} snError;

/* Called now and then by long work; stage is a short word, done out of total. Return non-zero to cancel. */
typedef int (*snProgressFn)(void *user, const char *stage, double done, double total);

typedef struct snProgress {
    snProgressFn call; /* may be NULL */
    void *user;
} snProgress;

SN_API const char *sn_version(void);

typedef struct snStatusInfo {
    const char *name, *text; /* SN_BAD_FILE, "a file is malformed" */
    int exit_code;           /* of the command */
} snStatusInfo;
SN_API const snStatusInfo *sn_status_info(snStatus status);
static inline const char *sn_status_name(snStatus status)
{
    return sn_status_info(status)->name;
}
static inline const char *sn_status_text(snStatus status)
{
    return sn_status_info(status)->text;
}
static inline int sn_status_exit_code(snStatus status)
{
    return sn_status_info(status)->exit_code;
}

/* Frees memory that the library gave; NULL is fine. */
SN_API void sn_release(void *memory);
/* The function that frees a report whose arrays lie in one piece of memory, and leaves it all zero; NULL is fine. */
#define SN_RELEASED(function, type)                                                                                    \
    static inline void function(type *report)                                                                          \
    {                                                                                                                  \
        if (!report) return;                                                                                           \
        sn_release(report->memory);                                                                                    \
        memset(report, 0, sizeof *report);                                                                             \
    }

/* Formats as file:line:column: element: message (remedy), leaving out what is empty. Returns text. */
SN_API const char *sn_error_format(const snError *error, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
