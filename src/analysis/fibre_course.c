/* Length and velocity of the fibres over a replay: of the part of each strand that is belly, along its path. */
#include "analysis/own/muscles.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "math/spline.h"
#include "model/model.h"
#include "sinew/control.h"

#include <stdio.h>
#include <string.h>

enum { PIECES = 4, GAUSS = 4 }; /* per span of the spline, points of a piece */

typedef struct Course {
    const snSpec *spec;
    const snModel *m;
    const snTrack *replay;
    int32_t nstrand; /* with a belly */
    int32_t *strand; /* of the model */
    int32_t *point;  /* first control point of it in a frame of the replay */
    double *length;  /* frames x nstrand */
    double *row;     /* 2 nstrand */
    const char **name;
    snArena names;
} Course;

/* Length of a strand's path between two parameters. */
static double path_length(const snStrand *s, const double *q, double from, double to)
{
    static const double node[GAUSS] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                       0.8611363115940526};
    static const double weight[GAUSS] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                         0.3478548451374538};
    int32_t pieces = PIECES * s->n;
    double sum = 0, h = (to - from) / pieces;
    for (int32_t i = 0; i < pieces; ++i)
        for (int k = 0; k < GAUSS; ++k) {
            double b[4], d[4];
            int32_t span = spline_basis(s->knot, s->n, from + h * (i + 0.5 + 0.5 * node[k]), 0, b, d, NULL);
            v3 t = {0, 0, 0};
            for (int c = 0; c < 4; ++c) t = v3_mad(t, d[c], v3_load(q + 3 * (span + c)));
            sum += 0.5 * h * weight[k] * v3_len(t);
        }
    return sum;
}

static const snStrandDef *def_of(const Course *c, int32_t strand)
{
    return sn_spec_strand(c->spec, sn_spec_find(c->spec, SN_KIND_STRAND, c->m->strand_name[strand]));
}

static double fibre_length(const Course *c, int32_t i, const double *points)
{
    const snStrand *s = &c->m->strand[c->strand[i]];
    const snStrandDef *d = def_of(c, c->strand[i]);
    return path_length(s, points + 3 * (int64_t)c->point[i], sn_strand_parameter(s, d->belly_start),
                       sn_strand_parameter(s, d->belly_end));
}

static int32_t find_in_replay(const snTrackDef *def, const char *name, int32_t *first)
{
    *first = 0;
    for (int32_t i = 0; i < def->nstrand; ++i) {
        if (strcmp(def->strand_name[i], name) == 0) return i;
        *first += def->strand_npoint[i];
    }
    return -1;
}

static snStatus choose(Course *c, snError *error)
{
    const snTrackDef *def = sn_track_def(c->replay);
    for (int32_t i = 0; i < c->m->nstrand; ++i) {
        const snStrand *s = &c->m->strand[i];
        int32_t first, there = find_in_replay(def, c->m->strand_name[i], &first);
        if (!(def_of(c, i)->belly_end > def_of(c, i)->belly_start)) continue;
        if (there < 0 || def->strand_npoint[there] != s->n)
            return sn_fail(error, SN_BAD_INPUT, "the replay does not have the strand \"%.100s\" of the model",
                           c->m->strand_name[i]);
        c->strand[c->nstrand] = i, c->point[c->nstrand++] = first;
    }
    return c->nstrand ? SN_OK : sn_fail(error, SN_BAD_INPUT, "no strand of the model has a belly");
}

static bool name_columns(Course *c)
{
    for (int32_t i = 0; i < 2 * c->nstrand; ++i) {
        const char *strand = c->m->strand_name[c->strand[i % c->nstrand]];
        const char *prefix = i < c->nstrand ? "fibre_length/" : "fibre_velocity/";
        size_t size = strlen(strand) + strlen(prefix) + 1;
        char *text = sn_arena_alloc(&c->names, size, 1);
        if (!text) return false;
        (void)snprintf(text, size, "%s%s", prefix, strand);
        c->name[i] = text;
    }
    return true;
}

/* Central differences; one-sided at the ends. */
static double velocity(const Course *c, int32_t frame, int32_t i)
{
    int32_t last = sn_track_frames(c->replay) - 1, a = frame > 0 ? frame - 1 : 0, b = frame < last ? frame + 1 : last;
    double time = sn_track_time(c->replay, b) - sn_track_time(c->replay, a);
    const double *l = c->length;
    return time > 0 ? (l[(int64_t)b * c->nstrand + i] - l[(int64_t)a * c->nstrand + i]) / time : 0;
}

static snStatus fill(Course *c, snTrack *track)
{
    snStatus status = SN_OK;
    int32_t frames = sn_track_frames(c->replay);
    for (int32_t f = 0; f < frames; ++f)
        for (int32_t i = 0; i < c->nstrand; ++i)
            c->length[(int64_t)f * c->nstrand + i] = fibre_length(c, i, sn_track_point(c->replay, f));
    for (int32_t f = 0; f < frames && status == SN_OK; ++f) {
        for (int32_t i = 0; i < c->nstrand; ++i) {
            c->row[i] = c->length[(int64_t)f * c->nstrand + i];
            c->row[c->nstrand + i] = velocity(c, f, i);
        }
        status = sn_track_append(track, sn_track_time(c->replay, f), NULL, NULL, c->row);
    }
    return status;
}

static snStatus make(Course *c, snTrack **result, snError *error)
{
    size_t n = (size_t)c->m->nstrand + 1, frames = (size_t)sn_track_frames(c->replay) + 1;
    c->strand = SN_NEW_ARRAY(int32_t, n), c->point = SN_NEW_ARRAY(int32_t, n);
    c->row = SN_NEW_ARRAY(double, 2 * n), c->length = SN_NEW_ARRAY(double, frames *n);
    c->name = SN_NEW_ARRAY(const char *, 2 * n);
    if (!c->strand || !c->point || !c->row || !c->length || !c->name) return sn_fail_no_memory(error);
    snStatus status = choose(c, error);
    if (status != SN_OK) return status;
    if (!name_columns(c)) return sn_fail_no_memory(error);
    snTrackDef def = sn_default_track_def();
    def.model = sn_track_def(c->replay)->model, def.nscalar = 2 * c->nstrand, def.scalar_name = c->name;
    snTrack *track = NULL;
    status = sn_track_create(&def, &track);
    if (status == SN_OK) status = fill(c, track);
    if (status == SN_OK)
        *result = track;
    else
        sn_track_destroy(track);
    return status == SN_OK ? SN_OK : sn_fail_no_memory(error);
}

snStatus sn_fibre_course(const snSpec *spec, const snModel *m, const snTrack *replay, snTrack **result, snError *error)
{
    if (!spec || !m || !replay || !result)
        return sn_fail_argument(error, "the spec, the model, the replay or the place for the result is NULL");
    Course c = {.spec = spec, .m = m, .replay = replay};
    snStatus status = make(&c, result, error);
    sn_free(c.strand);
    sn_free(c.point);
    sn_free(c.row);
    sn_free(c.length);
    sn_free((void *)c.name);
    sn_arena_free(&c.names);
    return status;
}
