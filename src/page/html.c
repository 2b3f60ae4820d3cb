/* The page of the studio as one file: the template that the build made, with the data put into its slot. */
#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "io/file.h"
#include "page/html_bytes.h"
#include "page/own/studio.h"
#include "page/solver.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char SLOT[] = "<script id=\"sinew-data\" type=\"application/octet-stream\">";
static const char SOLVER_SLOT[] = "<script id=\"sinew-core\" type=\"application/octet-stream\">";
static const char MODEL_SLOT[] = "<script id=\"sinew-model\" type=\"application/octet-stream\">";

enum { PATH_SIZE = 4096, PAGE_LIMIT = 64 << 20 };

static bool is_page(const char *name, char *path, size_t size)
{
    if (!name || !*name || strlen(name) >= size || !sn_file_exists(name)) return false;
    strcpy(path, name);
    return true;
}

snStatus sn_find_page(char *path, size_t size, snError *error)
{
    const char *chosen = getenv("SINEW_PAGE");
    if (chosen && *chosen) {
        if (is_page(chosen, path, size)) return SN_OK;
        return sn_fail(error, SN_NO_FILE, "SINEW_PAGE names %.300s, which is not a file", chosen);
    }
    if (sn_find_shared("studio/studio.html", path, size)) return SN_OK;
    sn_fail(error, SN_NO_FILE, "the page of the studio has not been built");
    sn_error_remedy(error, "run make studio (it needs npm), or set SINEW_PAGE to a studio.html");
    return SN_NO_FILE;
}

snStatus sn_load_page(char **html, size_t *size, snError *error)
{
    if (!html || !size) return sn_fail_argument(error, "sn_load_page without html or size");
    char path[PATH_SIZE];
    snStatus status = sn_find_page(path, sizeof path, error);
    if (status) return status;
    char *page;
    size_t length;
    status = sn_file_read(path, PAGE_LIMIT, &page, &length, error);
    if (status) return status;
    if (!strstr(page, SLOT)) {
        sn_free(page);
        sn_fail(error, SN_BAD_FILE, "this is not the page of the studio: it has no slot for data");
        sn_error_place(error, path, 0, 0);
        return SN_BAD_FILE;
    }
    *html = page;
    *size = length;
    return SN_OK;
}

/* Gzip: browsers unpack it themselves. */
static snStatus squeeze(const void *bytes, size_t size, unsigned char **out, size_t *out_size, snError *error)
{
    z_stream z = {0};
    if (size > UINT32_MAX) return sn_fail(error, SN_FAILED, "the page would be larger than 4 GB: export fewer frames");
    if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return sn_fail_no_memory(error);
    uLong room = deflateBound(&z, (uLong)size);
    unsigned char *to = sn_alloc(room, 1);
    if (to) {
        z.next_in = (Bytef *)(uintptr_t)bytes, z.avail_in = (uInt)size;
        z.next_out = to, z.avail_out = (uInt)room;
        if (deflate(&z, Z_FINISH) != Z_STREAM_END) sn_free(to), to = NULL;
    }
    *out = to, *out_size = z.total_out;
    deflateEnd(&z);
    return to ? SN_OK : sn_fail_no_memory(error);
}

/* Writes the page up to a slot and fills it; *page is what remains. bytes are compressed first. */
static snStatus fill_slot(snWriter *w, const char **page, const char *slot, const void *bytes, size_t size,
                          snError *error)
{
    unsigned char *packed = NULL;
    const char *found = strstr(*page, slot);
    if (!found)
        return sn_fail(error, SN_BAD_FILE, "this page of the studio is too old for the simulation: build it anew");
    snStatus status = squeeze(bytes, size, &packed, &size, error);
    char *text = status ? NULL : sn_alloc(sn_base64_size(size), 1);
    if (!status && !text) status = sn_fail_no_memory(error);
    if (!status) {
        found += strlen(slot);
        sn_base64(packed, size, text);
        sn_writer_bytes(w, *page, (size_t)(found - *page));
        sn_writer_bytes(w, text, sn_base64_size(size));
        *page = found;
    }
    sn_free(packed);
    sn_free(text);
    return status;
}

/* The simulation itself, for a page without a server. */
static snStatus fill_solver(snWriter *w, const char **page, const snSpec *spec, snError *error)
{
    char *wasm = NULL;
    size_t size = 0;
    snBytes tar = {0};
    snStatus status = sn_load_solver(&wasm, &size, error);
    if (!status) status = sn_pack_model(spec, &tar, error);
    if (!status) status = fill_slot(w, page, SOLVER_SLOT, wasm, size, error);
    if (!status) status = fill_slot(w, page, MODEL_SLOT, tar.at, tar.size, error);
    sn_free(wasm);
    sn_bytes_free(&tar);
    return status;
}

static snStatus write_page(const snStudioDef *def, const char *path, const char *page, const void *data, size_t size,
                           snError *error)
{
    snWriter writer;
    snStatus status = sn_writer_open(&writer, path, error);
    if (status) return status;
    status = fill_slot(&writer, &page, SLOT, data, size, error);
    if (!status && def->solver) status = fill_solver(&writer, &page, def->spec, error);
    if (status) {
        sn_writer_abort(&writer);
        return status;
    }
    sn_writer_text(&writer, page);
    return sn_writer_commit(&writer, error);
}

snStatus sn_save_html(const snStudioDef *def, const char *path, snError *error)
{
    if (!def) return sn_fail_argument(error, "sn_save_html without def");
    snStudioDef taken = sn_default_studio_def();
    if (SN_TAKE_DEF(def, snStudioDef, taken, error)) return SN_BAD_ARGUMENT;
    char *page = NULL;
    void *bytes = NULL;
    size_t page_size = 0, size = 0;
    snStatus status = sn_load_page(&page, &page_size, error);
    if (!status) status = sn_pack_studio(def, &bytes, &size, error);
    if (!status) status = write_page(def, path, page, bytes, size, error);
    sn_free(page);
    sn_free(bytes);
    return status;
}
