/* A mapping for a file of unknown names, to begin with: what was found, what was not, and all joints of the file. */
#include "base/error.h"
#include "io/bvh.h"
#include "io/file.h"

#include <math.h>
#include <string.h>

static void put_number(snWriter *w, double value)
{
    sn_writer_text(w, " ");
    sn_writer_number(w, round(value * 1e6) / 1e6);
}

static void put_line(snWriter *w, const snBvhFile *bvh, const snBvhMapLine *l, int32_t joint, quat turn)
{
    v3 axis = q_rotate(turn, l->axis);
    sn_writer_printf(w, "%s%-28s %-20s", joint >= 0 ? "" : "# ", joint >= 0 ? bvh->joint.at[joint].name : "JOINT",
                     l->coordinate);
    put_number(w, axis.x), put_number(w, axis.y), put_number(w, axis.z);
    if (l->offset != 0) sn_writer_text(w, " offset"), put_number(w, l->offset / SN_DEG);
    if (l->scale != 1) sn_writer_text(w, " scale"), put_number(w, l->scale);
    sn_writer_text(w, "\n");
}

static void put_map(snWriter *w, const snBvhFile *bvh, const snBvhMap *map, const snBvhMatch *match, const char *file)
{
    const char *slash = strrchr(file, '/');
    sn_writer_printf(w, "# From the joints of %s to the coordinates of the model.\n#\n", slash ? slash + 1 : file);
    sn_writer_text(w, "#   joint of the file  joint.coordinate  axis x y z  [offset degrees]  [scale factor]\n#\n");
    sn_writer_printf(
        w,
        "# %d of %d coordinates have a joint. In lines that begin with #, replace JOINT by a joint of the file and\n"
        "# remove the #. Coordinates without a line stay at rest. Axes are those about which the joint turns.\n",
        match->found, map->line.count);
    if (match->turned)
        sn_writer_text(
            w, "# The rest pose of the file is not a T-pose with the y axis up: the axes were rotated to match.\n");
    for (int32_t i = 0; i < map->line.count; ++i)
        put_line(w, bvh, &map->line.at[i], match->joint ? match->joint[i] : -1, match->turn);
    sn_writer_text(w, "\n# Joints of the file:\n");
    for (int32_t i = 0; i < bvh->joint.count; ++i) sn_writer_printf(w, "#   %s\n", bvh->joint.at[i].name);
}

snStatus sn_write_starter_map(const snBvhFile *bvh, const snBvhMap *map, const char *file, const char *path,
                              snMotionSource *note, snError *error)
{
    snBvhMatch match;
    snWriter w;
    snStatus status = sn_bvh_match(bvh, map, file, &match, error);
    if (status == SN_NO_MEMORY) return status;
    if (status != SN_OK)
        match = (snBvhMatch){.turn = q_identity()}; /* nothing is known: all lines are to be filled in */
    if (note) note->wanted = map->line.count, note->found = match.found, note->turned = match.turned;
    status = sn_writer_open(&w, path, error);
    if (status == SN_OK) {
        put_map(&w, bvh, map, &match, file);
        status = sn_writer_commit(&w, error);
    }
    sn_bvh_match_free(&match);
    return status;
}
