/* Writing a deformation library. Bytes, the lowest first:
 *
 *   "SNLIB1\0\0", count of muscles (4), then for each muscle
 *     name (64), mesh (64), note (256), hash (8), nvertex, nbody, naxis, nsample (4 each), bodies (64 each),
 *     for each axis: name (64), whether it is an angle (4), n (4), values (8 each),
 *     unit (8), midpoint rms and max (4 each), weights (nbody x nvertex, 4 each),
 *     samples (8 numbers of 4 each), deltas (nsample x 3 x nvertex, 2 each).
 *
 * Texts are filled up with zeros and end with one. Numbers of 8 are doubles, of 4 floats or counts. */
#include "base/error.h"
#include "io/file.h"
#include "io/little_write.h"
#include "meshfree/library.h"
#include "sinew/meshfree.h"

static void write_muscle(snWriter *w, const snLibraryMuscle *m)
{
    sn_writer_bytes(w, m->name, SN_LIBRARY_NAME);
    sn_writer_bytes(w, m->mesh, SN_LIBRARY_NAME);
    sn_writer_bytes(w, m->note, SN_LIBRARY_NOTE);
    sn_writer_little(w, m->hash, 8);
    sn_writer_little(w, (uint32_t)m->nvertex, 4), sn_writer_little(w, (uint32_t)m->nbody, 4);
    sn_writer_little(w, (uint32_t)m->naxis, 4), sn_writer_little(w, (uint32_t)m->nsample, 4);
    for (int32_t b = 0; b < m->nbody; ++b) sn_writer_bytes(w, m->body[b], SN_LIBRARY_NAME);
    for (int32_t a = 0; a < m->naxis; ++a) {
        sn_writer_bytes(w, m->axis[a].name, SN_LIBRARY_NAME);
        sn_writer_little(w, m->axis[a].angle, 4), sn_writer_little(w, (uint32_t)m->axis[a].n, 4);
        for (int32_t k = 0; k < m->axis[a].n; ++k) sn_writer_double(w, m->axis[a].value[k]);
    }
    sn_writer_double(w, m->unit);
    sn_writer_float(w, m->midpoint_rms), sn_writer_float(w, m->midpoint_max);
    size_t weights = (size_t)m->nbody * (size_t)m->nvertex, deltas = 3 * (size_t)m->nsample * (size_t)m->nvertex;
    for (size_t i = 0; i < weights; ++i) sn_writer_float(w, m->weight[i]);
    for (int32_t s = 0; s < m->nsample; ++s) {
        const snLibrarySample *p = m->sample + s;
        sn_writer_float(w, p->residual), sn_writer_float(w, p->energy), sn_writer_float(w, p->least),
            sn_writer_float(w, p->volume);
        sn_writer_float(w, p->force), sn_writer_float(w, p->jump), sn_writer_float(w, p->step),
            sn_writer_float(w, p->left_out);
    }
    for (size_t i = 0; i < deltas; ++i) sn_writer_little(w, (uint16_t)m->delta[i], 2);
}

snStatus sn_save_library(const snLibrary *library, const char *path, snError *error)
{
    if (!library) return sn_fail_argument(error, "sn_save_library without library");
    snWriter writer;
    snStatus status = sn_writer_open(&writer, path, error);
    if (status != SN_OK) return status;
    sn_writer_bytes(&writer, "SNLIB1\0\0", 8);
    sn_writer_little(&writer, (uint32_t)library->nmuscle, 4);
    for (int32_t i = 0; i < library->nmuscle; ++i) write_muscle(&writer, library->muscle + i);
    return sn_writer_commit(&writer, error);
}
