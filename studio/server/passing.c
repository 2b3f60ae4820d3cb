/* passing.h. */
#include "passing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

snStatus sn_passing_begin(char folder[SN_PASSING_FOLDER], snError *error)
{
    const char *base = getenv("TMPDIR");
    if (!base || !*base || strlen(base) > SN_PASSING_FOLDER - 32) base = "/tmp";
    snprintf(folder, SN_PASSING_FOLDER, "%s/sinew-studio-XXXXXX", base);
    if (mkdtemp(folder)) return SN_OK;
    snprintf(error->message, sizeof error->message, "cannot create a temporary folder in %.200s", base);
    return SN_WRITE_FAILED;
}

void sn_passing_path(char path[SN_PASSING_PATH], const char *folder, const char *name)
{
    snprintf(path, SN_PASSING_PATH, "%s/%s", folder, name);
}

void *sn_passing_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long length = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) length = ftell(file);
    if (length >= 0 && fseek(file, 0, SEEK_SET) == 0 && (bytes = malloc((size_t)length + 1)))
        *size = fread(bytes, 1, (size_t)length, file);
    if (bytes && *size != (size_t)length) {
        free(bytes);
        bytes = NULL;
    }
    if (file) (void)fclose(file);
    return bytes;
}

void sn_passing_end(const char *folder, const char *path)
{
    (void)unlink(path);
    (void)rmdir(folder);
}
