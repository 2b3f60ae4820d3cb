/* See solver.h. The model is written as a file is, into a folder of its own that is gone afterwards, so that the page
 * gets the model as it stands in memory, with the meshes that it took from elsewhere. */
#include "page/solver.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/where.h"
#include "io/file.h"
#include "sinew/io.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, BLOCK = 512, NAME_SIZE = 100 /* of tar */ };
static const size_t MODULE_LIMIT = (size_t)64 << 20;

bool sn_find_shared(const char *relative, char *path, size_t size)
{
    char name[256];
    size_t more = strlen(relative) + 2;
    if (size > more && sn_build_tree(path, size - more)) {
        strcat(strcat(path, "/"), relative);
        if (sn_file_exists(path)) return true;
    }
    (void)snprintf(name, sizeof name, "../../share/sinew/%s", relative);
    return sn_beside(SN_WHERE_PROGRAM, name + 3, path, size) || sn_beside(SN_WHERE_LIBRARY, name + 3, path, size) ||
           sn_beside(SN_WHERE_LIBRARY, name, path, size);
}

snStatus sn_load_solver(char **wasm, size_t *size, snError *error)
{
    char path[PATH_SIZE];
    const char *chosen = getenv("SINEW_WASM");
    if (chosen && *chosen) return sn_file_read(chosen, MODULE_LIMIT, wasm, size, error);
    if (sn_find_shared("js/sinew.wasm", path, sizeof path)) return sn_file_read(path, MODULE_LIMIT, wasm, size, error);
    sn_fail(error, SN_NO_FILE, "the WebAssembly module has not been built");
    sn_error_remedy(error, "run tools/install_deps.sh wasm and make, or set SINEW_WASM to a sinew.wasm");
    return SN_NO_FILE;
}

/* ---- tar ---------------------------------------------------------------------------------- */

static void add_file(snBytes *tar, const char *name, const char *bytes, size_t size)
{
    char head[BLOCK] = {0};
    unsigned sum = 0;
    (void)snprintf(head, NAME_SIZE, "%.99s", name);
    memcpy(head + 100,
           "0000644\0"
           "0000000\0"
           "0000000",
           24); /* rights, owner, group */
    (void)snprintf(head + 124, 12, "%011llo", (unsigned long long)size);
    memcpy(head + 136, "00000000000", 12); /* no date: the same model gives the same bytes */
    memset(head + 148, ' ', 8);
    head[156] = '0';
    memcpy(head + 257,
           "ustar\0"
           "00",
           8);
    for (int i = 0; i < BLOCK; ++i) sum += (unsigned char)head[i];
    (void)snprintf(head + 148, 7, "%06o", sum);
    sn_bytes_add(tar, head, BLOCK);
    sn_bytes_add(tar, bytes, size);
    sn_bytes_pad(tar, BLOCK, '\0');
}

/* Every file of a folder, which is emptied. */
static snStatus take_files(const char *folder, snBytes *tar, snError *error)
{
    snStatus status = SN_OK;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[PATH_SIZE + 300], name[300], *bytes = NULL;
        size_t size = 0;
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        (void)snprintf(name, sizeof name, "model/%s", entry->d_name);
        if (strlen(name) >= NAME_SIZE)
            status = sn_fail(error, SN_BAD_INPUT, "the name %.200s is too long for a page", entry->d_name);
        if (status == SN_OK) status = sn_file_read(path, SN_FILE_LIMIT, &bytes, &size, error);
        if (status == SN_OK) add_file(tar, name, bytes, size);
        sn_free(bytes);
        (void)unlink(path);
    }
    if (directory) (void)closedir(directory);
    return status;
}

snStatus sn_pack_model(const snSpec *spec, snBytes *tar, snError *error)
{
    char folder[PATH_SIZE], path[PATH_SIZE + 32];
    const char *place = getenv("TMPDIR");
    int n = snprintf(folder, sizeof folder, "%s/sinew-XXXXXX", place && *place ? place : "/tmp");
    if (n < 0 || n >= (int)sizeof folder || !mkdtemp(folder))
        return sn_fail(error, SN_WRITE_FAILED, "cannot make a folder for temporary files: %s", strerror(errno));
    (void)snprintf(path, sizeof path, "%s/model.muscle.xml", folder);
    snStatus status = sn_save_model(spec, path, error);
    snStatus taken = take_files(folder, tar, error);
    (void)rmdir(folder);
    if (status == SN_OK) status = taken;
    static const char end[2 * BLOCK];
    sn_bytes_add(tar, end, sizeof end);
    return status == SN_OK && tar->failed ? sn_fail_no_memory(error) : status;
}
