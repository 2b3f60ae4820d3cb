#include "base/error.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STR_(x) #x
#define STR(x) STR_(x)

const char *sn_version(void)
{
    return STR(SN_VERSION_MAJOR) "." STR(SN_VERSION_MINOR) "." STR(SN_VERSION_PATCH);
}

static const snStatusInfo status_table[] = {
#define X(name, text, exit_code) {#name, text, exit_code},
    SN_STATUS_TABLE(X)
#undef X
};

/* A number that is no status is the caller's bug. */
static snStatus known(snStatus status)
{
    return (size_t)status < sizeof status_table / sizeof status_table[0] ? status : SN_BAD_ARGUMENT;
}

const snStatusInfo *sn_status_info(snStatus status)
{
    return &status_table[known(status)];
}

snStatus sn_fail(snError *error, snStatus status, const char *format, ...)
{
    if (!error) return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    sn_text_tame(error->message);
    return status;
}

snStatus sn_fail_no_memory(snError *error)
{
    return sn_fail(error, SN_NO_MEMORY, "out of memory");
}

snStatus sn_fail_argument(snError *error, const char *what)
{
    return sn_fail(error, SN_BAD_ARGUMENT, "wrong call: %s", what);
}

void sn_error_place(snError *error, const char *file, int line, int column)
{
    if (!error) return;
    snprintf(error->file, sizeof error->file, "%s", file ? file : "");
    sn_text_tame(error->file);
    error->line = line;
    error->column = column;
}

void sn_error_element(snError *error, const char *kind, const char *name)
{
    if (!error) return;
    if (name && *name)
        snprintf(error->element, sizeof error->element, "%s \"%.100s\"", kind, name);
    else
        snprintf(error->element, sizeof error->element, "%s", kind);
    sn_text_tame(error->element);
}

void sn_error_remedy(snError *error, const char *format, ...)
{
    if (!error) return;
    va_list args;
    va_start(args, format);
    vsnprintf(error->remedy, sizeof error->remedy, format, args);
    va_end(args);
    sn_text_tame(error->remedy);
}

const char *sn_error_format(const snError *error, char *text, size_t size)
{
    char place[320] = "", element[160] = "", remedy[300] = "";
    if (!text || !size) return "";
    text[0] = '\0';
    if (!error) return text;
    if (error->file[0] && error->line && error->column)
        snprintf(place, sizeof place, "%s:%d:%d: ", error->file, error->line, error->column);
    else if (error->file[0] && error->line)
        snprintf(place, sizeof place, "%s:%d: ", error->file, error->line);
    else if (error->file[0])
        snprintf(place, sizeof place, "%s: ", error->file);
    if (error->element[0]) snprintf(element, sizeof element, "%s: ", error->element);
    if (error->remedy[0]) snprintf(remedy, sizeof remedy, "; %s", error->remedy);
    snprintf(text, size, "%s%s%s%s", place, element, error->message, remedy);
    return text;
}
