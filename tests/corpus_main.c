/* Runs a fuzz target over every file of the folders given, and over nothing at all: what the fuzzer once
 * found stays found, in every build and with any compiler. A folder that does not exist counts as empty. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    size_t size = 0, room = 1 << 16;
    uint8_t *data = malloc(room);
    while (data) {
        size += fread(data + size, 1, room - size, file);
        if (size < room) break;
        uint8_t *more = realloc(data, room *= 2);
        if (!more) free(data);
        data = more;
    }
    int fine = data && !ferror(file);
    fclose(file);
    if (fine) LLVMFuzzerTestOneInput(data, size);
    free(data);
    return fine;
}

static int run_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) return 0;
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char name[4096];
        if (entry->d_name[0] == '.') continue;
        int length = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (length > 0 && (size_t)length < sizeof name) count += run_file(name) || run_folder(name);
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; ++i) count += run_folder(argv[i]);
    printf("%d files\n", count);
    return 0;
}
