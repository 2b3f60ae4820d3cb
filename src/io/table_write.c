/* Scalars of a track as a table: OpenSim .sto or .csv. */
#include "base/error.h"
#include "base/text.h"
#include "io/file.h"
#include "io/frames.h"
#include "sinew/io.h"

#include <string.h>

static bool chosen(const char *name, const char *which)
{
    return !which || strncmp(name, which, strlen(which)) == 0;
}

/* A separator, quote or line end would break the table. */
static snStatus check_names(const snTrackDef *def, const char *which, bool sto, int32_t *count, snError *error)
{
    *count = 0;
    for (int32_t i = 0; i < def->nscalar; ++i) {
        const char *name = def->scalar_name[i];
        if (!chosen(name, which)) continue;
        ++*count;
        if (strpbrk(name, sto ? " \t\r\n" : ",\"\r\n"))
            return sn_fail(error, SN_BAD_INPUT, "the name \"%.100s\" cannot be used in a table", name);
        if (!sto && sn_name_fault(name)) { /* others' tables may have such headings; OpenSim's form may keep them */
            sn_fail(error, SN_BAD_INPUT, "the name \"%.100s\" %s", name, sn_name_fault(name));
            sn_error_remedy(error, "rename the column, or write a .sto");
            return SN_BAD_INPUT;
        }
    }
    if (*count) return SN_OK;
    sn_fail(error, SN_BAD_INPUT, "the motion has no scalar that begins with \"%.100s\"", which ? which : "");
    return SN_BAD_INPUT;
}

static void write_header(snWriter *out, const snFrameSource *source, const char *which, bool sto, int32_t count)
{
    const snTrackDef *def = source->def;
    if (sto)
        sn_writer_printf(out, "%s\nversion=1\nnRows=%d\nnColumns=%d\ninDegrees=no\nendheader\n",
                         def->model[0] ? def->model : "sinew", source->count, count + 1);
    sn_writer_text(out, "time");
    for (int32_t i = 0; i < def->nscalar; ++i)
        if (chosen(def->scalar_name[i], which)) sn_writer_printf(out, "%s%s", sto ? "\t" : ",", def->scalar_name[i]);
    sn_writer_text(out, "\n");
}

static void write_row(snWriter *out, const snTrackDef *def, const snTrackFrame *frame, const char *which,
                      const char *separator)
{
    sn_writer_number(out, frame->time);
    for (int32_t i = 0; i < def->nscalar; ++i) {
        if (!chosen(def->scalar_name[i], which)) continue;
        sn_writer_text(out, separator);
        sn_writer_number(out, frame->scalar[i]);
    }
    sn_writer_text(out, "\n");
}

snStatus sn_write_table(const snFrameSource *source, const char *path, const char *which, snError *error)
{
    bool sto = sn_path_ends(path, ".sto");
    int32_t count;
    snWriter out;
    if (!sto && !sn_path_ends(path, ".csv")) {
        sn_fail(error, SN_BAD_INPUT, "the name does not end in .sto or .csv");
        sn_error_place(error, path, 0, 0);
        return SN_BAD_INPUT;
    }
    snStatus status = check_names(source->def, which, sto, &count, error);
    if (status == SN_OK) status = sn_writer_open(&out, path, error);
    if (status != SN_OK) return status;
    write_header(&out, source, which, sto, count);
    for (int32_t f = 0; f < source->count && status == SN_OK; ++f) {
        snTrackFrame frame;
        status = source->read(source->from, f, &frame, error);
        if (status == SN_OK) write_row(&out, source->def, &frame, which, sto ? "\t" : ",");
    }
    if (status == SN_OK) return sn_writer_commit(&out, error);
    sn_writer_abort(&out);
    return status;
}

snStatus sn_save_table(const snTrack *track, const char *path, const char *which, snError *error)
{
    if (!path) return sn_fail_argument(error, "sn_save_table without path");
    snFrameSource source = sn_track_source(track);
    return sn_write_table(&source, path, which, error);
}
