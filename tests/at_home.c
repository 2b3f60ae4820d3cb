/* A test program works in the folder it was built in, from wherever it is started: what it writes lands there, never in
 * the sources. Runs before main. SINEW_MODELS is made absolute first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Appends one folder of a list as an absolute path; one that is not there is left as it is. */
static void add_absolute(char *list, size_t room, const char *folder, size_t length)
{
    char name[4096], *whole;
    size_t used = strlen(list);
    (void)snprintf(name, sizeof name, "%.*s", (int)length, folder);
    whole = realpath(name, NULL);
    (void)snprintf(list + used, room - used, "%s%s", used ? ":" : "", whole ? whole : name);
    free(whole);
}

static void make_absolute(const char *variable)
{
    char list[8192] = "";
    const char *at = getenv(variable);
    if (!at) return;
    for (size_t length; *at; at += length + (at[length] == ':')) {
        length = strcspn(at, ":");
        add_absolute(list, sizeof list, at, length);
    }
    (void)setenv(variable, list, 1);
}

__attribute__((constructor)) static void go_home(void)
{
    make_absolute("SINEW_MODELS");
    if (chdir(SINEW_TEST_FOLDER) != 0) {
        perror(SINEW_TEST_FOLDER);
        _exit(1);
    }
}
