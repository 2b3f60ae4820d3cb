/* The compact form of a replay: about a tenth of the XML.
 *
 * In a gzip stream:
 *     "sinew replay 1\n\0"
 *     flags (1: bodies only), counts of bodies, strands and scalars, points of each strand: varints
 *     names of model, bodies, strands, scalars, each ending in a zero byte
 *     frames: the byte 1, the time as a double, then every value as a varint
 *     the byte 0 and the number of frames, varint
 * Positions and rotations are counted in steps of 1e-7 (m; half of that is the error), scalars as single precision,
 * whose bits are counted in the order of the values. Of each count only the difference to what the two frames before
 * predict is written, its sign in the lowest bit. Times are exact. */
#ifndef SN_IO_TRACK_BIN_H
#define SN_IO_TRACK_BIN_H

#include "io/file.h"
#include "io/input.h"
#include "sinew/motion.h"

#define SN_TRACK_BIN_MARK "sinew replay 1\n" /* with its zero byte */

/* The last two frames as counts. */
typedef struct snBinFrames {
    int64_t *last, *before;
    size_t npose, ncoarse, nscalar; /* values of poses; of poses and points, in steps; in single precision */
    int64_t frames;
    unsigned char *bytes; /* room for a frame */
} snBinFrames;

bool sn_bin_init(snBinFrames *frames, const snTrackDef *def, int64_t npoint); /* false: no memory */
void sn_bin_free(snBinFrames *frames);

void sn_bin_write_head(snWriter *out, const snTrackDef *def);
/* False, nothing written: a value is too large for this form. */
bool sn_bin_write_frame(snWriter *out, snBinFrames *frames, double time, const double *pose, const double *point,
                        const double *scalar);
void sn_bin_write_end(snWriter *out, const snBinFrames *frames);

snStatus sn_bin_read(snInput *in, const char *name, snTrack **track, snError *error);

#endif
