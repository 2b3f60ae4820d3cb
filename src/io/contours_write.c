/* See contours_xml.c. Points are kept to a thousandth of a pixel. */
#include "base/error.h"
#include "image/outline.h"
#include "io/file.h"
#include "io/xml.h"

#include <math.h>

static void write_numbers(snWriter *out, const char *name, int count, const double *value, double scale)
{
    sn_writer_printf(out, " %s=\"", name);
    for (int i = 0; i < count; ++i) {
        if (i) sn_writer_text(out, " ");
        sn_writer_number(out, scale * value[i]);
    }
    sn_writer_text(out, "\"");
}

static void write_loop(snWriter *out, const snLoop *loop)
{
    enum { LINE = 12 };
    sn_writer_text(out, "      <Loop>");
    for (int32_t i = 0; i < 2 * loop->npoint; ++i) {
        if (i > 0) sn_writer_text(out, i % LINE == 0 ? "\n        " : " ");
        sn_writer_number(out, round(1e3 * loop->point[i]) / 1e3);
    }
    sn_writer_text(out, "</Loop>\n");
}

static void write_slice(snWriter *out, int32_t number, const snSlice *slice)
{
    sn_writer_printf(out, "    <Slice number=\"%d\" state=\"%s\">\n", (int)number, sn_slice_state_name(slice->state));
    for (int32_t l = 0; l < slice->nloop; ++l) write_loop(out, slice->loop + l);
    sn_writer_text(out, "    </Slice>\n");
}

static bool write_muscle(snWriter *out, const snOutline *m)
{
    sn_writer_text(out, "  <Muscle name=\"");
    if (!sn_xml_write_text(out, m->name)) return false;
    sn_writer_text(out, "\"");
    if (isfinite(m->low)) write_numbers(out, "low", 1, &m->low, 1);
    if (isfinite(m->high)) write_numbers(out, "high", 1, &m->high, 1);
    if (m->volume > 0) write_numbers(out, "volume", 1, &m->volume, 1e9); /* cubic mm */
    sn_writer_text(out, ">\n");
    for (int32_t s = 0; s < m->nseed; ++s) {
        sn_writer_text(out, "    <Seed");
        write_numbers(out, "at", 3, m->seed + 3 * s, 1);
        sn_writer_text(out, "/>\n");
    }
    for (int32_t w = 0; w < m->nwall; ++w) {
        sn_writer_text(out, "    <Wall");
        write_numbers(out, "from", 2, m->wall + 5 * w, 1);
        write_numbers(out, "to", 2, m->wall + 5 * w + 2, 1);
        write_numbers(out, "slice", 1, m->wall + 5 * w + 4, 1);
        sn_writer_text(out, "/>\n");
    }
    for (int32_t k = 0; k < m->nslice; ++k)
        if (m->slice[k].nloop > 0 || m->slice[k].state == SN_SLICE_HAND) write_slice(out, k, m->slice + k);
    sn_writer_text(out, "  </Muscle>\n");
    return true;
}

snStatus sn_save_contours(const snContours *contours, const char *path, snError *error)
{
    if (!path) return sn_fail_argument(error, "sn_save_contours without path");
    snWriter out;
    const snStackPlace *p = &contours->place;
    snStatus status = sn_writer_open(&out, path, error);
    if (status != SN_OK) return status;
    sn_writer_printf(&out, "<Contours version=\"1\" size=\"%d %d %d\"", (int)p->n[0], (int)p->n[1], (int)p->n[2]);
    write_numbers(&out, "spacing", 3, p->spacing, 1e3);
    write_numbers(&out, "origin", 3, p->origin, 1e3);
    write_numbers(&out, "axes", 9, p->axis, 1);
    sn_writer_text(&out, ">\n");
    for (int32_t i = 0; i < contours->nmuscle; ++i)
        if (!write_muscle(&out, contours->muscle + i)) {
            sn_writer_abort(&out);
            return sn_fail(error, SN_BAD_INPUT, "the name of muscle %d cannot be used in XML", (int)i + 1);
        }
    sn_writer_text(&out, "</Contours>\n");
    return sn_writer_commit(&out, error);
}
