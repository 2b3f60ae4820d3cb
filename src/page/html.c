/* The page of the studio as one file: the template that the build made, with the data put into its slot. */
#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "base/where.h"
#include "io/file.h"
#include "page/html_bytes.h"
#include "page/own/studio.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const char SLOT[] = "<script id=\"sinew-data\" type=\"application/octet-stream\">";

enum { PATH_SIZE = 4096, PAGE_LIMIT = 64 << 20 };

/* The page of the build tree that this runs from. */
static bool in_build_tree(char *path, size_t size)
{
    static const char name[] = "/studio/studio.html";
    if (size <= sizeof name || !sn_build_tree(path, size - sizeof name)) return false;
    strcat(path, name);
    return sn_file_exists(path);
}

static bool installed(char *path, size_t size)
{
    return sn_beside(SN_WHERE_PROGRAM, "../share/sinew/studio/studio.html", path, size) ||
           sn_beside(SN_WHERE_LIBRARY, "../share/sinew/studio/studio.html", path, size) ||
           sn_beside(SN_WHERE_LIBRARY, "../../share/sinew/studio/studio.html", path, size);
}

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
    if (in_build_tree(path, size) || installed(path, size)) return SN_OK;
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

static snStatus write_page(const char *path, const char *page, size_t page_size, const char *text, size_t text_size,
                           snError *error)
{
    snWriter writer;
    size_t before = (size_t)(strstr(page, SLOT) - page) + strlen(SLOT);
    snStatus status = sn_writer_open(&writer, path, error);
    if (status) return status;
    sn_writer_bytes(&writer, page, before);
    sn_writer_bytes(&writer, text, text_size);
    sn_writer_bytes(&writer, page + before, page_size - before);
    return sn_writer_commit(&writer, error);
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

snStatus sn_save_html(const snStudioDef *def, const char *path, snError *error)
{
    if (!def) return sn_fail_argument(error, "sn_save_html without def");
    snStudioDef taken = sn_default_studio_def();
    if (SN_TAKE_DEF(def, snStudioDef, taken, error)) return SN_BAD_ARGUMENT;
    char *page = NULL, *text = NULL;
    void *bytes = NULL;
    unsigned char *packed = NULL;
    size_t page_size = 0, size = 0;
    snStatus status = sn_load_page(&page, &page_size, error);
    if (!status) status = sn_pack_studio(def, &bytes, &size, error);
    if (!status) status = squeeze(bytes, size, &packed, &size, error);
    if (!status && !(text = sn_alloc(sn_base64_size(size), 1))) status = sn_fail_no_memory(error);
    if (!status) {
        sn_base64(packed, size, text);
        status = write_page(path, page, page_size, text, sn_base64_size(size), error);
    }
    sn_free(page);
    sn_free(bytes);
    sn_free(packed);
    sn_free(text);
    return status;
}
