/* How far the bones of a replay are from the motion that it follows, frame by frame. */
#include "plot_error.h"

#include <math.h>
#include <stdlib.h>

enum { AXES = 4 }; /* points of a body without a mesh */

typedef struct snPair { /* a body of the replay and of the motion */
    int32_t body, target;
    snMesh mesh;
} snPair;

/* Distance between the places of a vertex in two poses, by the difference of the rotation matrices. */
typedef struct snGap {
    double turn[9], shift[3];
} snGap;

static void matrix(const double q[4], double m[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; ++i) m[i] = r[i];
}

static snGap gap_between(const double a[7], const double b[7])
{
    snGap gap;
    double other[9];
    matrix(a + 3, gap.turn);
    matrix(b + 3, other);
    for (int i = 0; i < 9; ++i) gap.turn[i] -= other[i];
    for (int k = 0; k < 3; ++k) gap.shift[k] = a[k] - b[k];
    return gap;
}

static double distance(const snGap *gap, const double *v)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        const double *row = gap->turn + 3 * k;
        double d = gap->shift[k] + row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
        sum += d * d;
    }
    return sqrt(sum);
}

/* Bodies that both have and that move; one without a mesh counts as sn_follow counts it: by its origin and by the
 * points at its length from there along each axis. */
static snStatus pair_up(const snTrack *replay, const snTrack *motion, const snSpec *spec, snPair *pair, int32_t *npair,
                        snError *error)
{
    const snTrackDef *def = sn_track_def(replay);
    for (int32_t b = 0; b < def->nbody; ++b) {
        snId id = sn_spec_find(spec, SN_KIND_BODY, def->body_name[b]);
        int32_t target = sn_track_find_body(motion, def->body_name[b]);
        if (target < 0 || !id || sn_spec_body(spec, id)->pinned) continue;
        snPair *p = &pair[(*npair)++];
        p->body = b, p->target = target;
        snStatus status = sn_body_mesh(spec, def->body_name[b], &p->mesh, error);
        if (status != SN_OK) return status;
        if (p->mesh.nvertex > 0) continue;
        p->mesh.vertex = calloc(3 * (size_t)AXES, sizeof *p->mesh.vertex);
        if (!p->mesh.vertex) return SN_NO_MEMORY;
        p->mesh.nvertex = -AXES; /* ours to free */
        for (int k = 0; k < 3; ++k) p->mesh.vertex[3 * (k + 1) + k] = sn_spec_body(spec, id)->length;
    }
    return SN_OK;
}

static void measure(const snTrack *replay, const snTrack *motion, const snPair *pair, int32_t npair, int32_t frame,
                    double value[2])
{
    double sum = 0, worst = 0, count = 0;
    for (int32_t i = 0; i < npair; ++i) {
        double aim[7];
        sn_track_pose_at(motion, pair[i].target, sn_track_time(replay, frame), aim, NULL);
        snGap gap = gap_between(sn_track_pose(replay, frame) + 7 * pair[i].body, aim);
        int32_t n = abs(pair[i].mesh.nvertex);
        for (int32_t v = 0; v < n; ++v) {
            double d = distance(&gap, pair[i].mesh.vertex + 3 * v);
            sum += d, worst = fmax(worst, d), ++count;
        }
    }
    value[0] = count > 0 ? sum / count : 0, value[1] = worst;
}

static void free_pairs(snPair *pair, int32_t npair)
{
    for (int32_t i = 0; pair && i < npair; ++i) {
        if (pair[i].mesh.nvertex >= 0)
            sn_mesh_free(&pair[i].mesh);
        else
            free(pair[i].mesh.vertex);
    }
    free(pair);
}

snStatus cli_tracking_error(const snTrack *replay, const snTrack *motion, const snSpec *spec, snTrack **result,
                            snError *error)
{
    static const char *const names[] = {"error/worst", "error/mean"};
    snTrackDef def = {.size = sizeof(snTrackDef), .model = "", .nscalar = 2, .scalar_name = names};
    int32_t npair = 0;
    snTrack *made = NULL;
    snPair *pair = calloc((size_t)sn_track_def(replay)->nbody + 1, sizeof *pair);
    snStatus status = pair ? pair_up(replay, motion, spec, pair, &npair, error) : SN_NO_MEMORY;
    if (status == SN_OK) status = sn_track_create(&def, &made);
    for (int32_t f = 0; status == SN_OK && f < sn_track_frames(replay); ++f) {
        double value[2];
        measure(replay, motion, pair, npair, f, value);
        status = sn_track_append(made, sn_track_time(replay, f), NULL, NULL, (double[2]){value[1], value[0]});
    }
    free_pairs(pair, npair);
    if (status == SN_OK)
        *result = made;
    else if (made)
        sn_track_destroy(made);
    return status;
}
