/* What every run that follows a motion says about itself: see sinew/trust.h. */
#include "control/trust.h"

#include "base/alloc.h"
#include "opt/spread.h"
#include "sim/tree_pose.h"

#include <math.h>
#include <string.h>

static const double FULL = 0.999;                        /* an activation that counts as saturated */
static const double TOLERANCE = 3 * SN_DEG, NEAR = 3e-3; /* rad, m: beyond it a coordinate has missed its target */
enum { MOST_SPREAD = 12 };                               /* muscles whose range is found: two programs each */

/* ---- life ----------------------------------------------------------------------------------- */

static size_t array_count(const snTrustRun *t)
{
    return 4 * (size_t)t->m->ncoord + (size_t)t->m->nmuscle;
}

static void place_arrays(snTrust *out, int32_t ncoord)
{
    double *at = out->memory;
    out->off = at, out->off_from = at + ncoord, out->off_until = at + 2 * ncoord, out->unmet = at + 3 * ncoord;
    out->saturated = at + 4 * ncoord;
}

bool sn_trust_open(snTrustRun *t, const snModel *m, snTrust *out, double step, size_t kept)
{
    *t = (snTrustRun){.m = m, .out = out, .room = kept};
    *out = (snTrust){.size = sizeof *out,
                     .ncoordinate = m->ncoord,
                     .nmuscle = m->nmuscle,
                     .worst_angle_coordinate = -1,
                     .unmet_coordinate = -1,
                     .step = step,
                     .step_error = NAN,
                     .conditioning = NAN};
    out->memory = SN_NEW_ARRAY(double, array_count(t));
    t->body = SN_NEW_ARRAY(rigid, m->nbody);
    t->once = SN_NEW_ARRAY(double, m->nmuscle);
    t->spread = sn_spread_create(m->skeleton ? m->ncoord : 6 * m->nbody, m->nmuscle);
    if (kept) t->kept = sn_alloc(1, kept);
    if (m->skeleton) t->tree = sn_tree_create(&m->skeleton->tree);
    if (m->skeleton) t->row = SN_NEW_ARRAY(double, (size_t)m->ncoord *(size_t)m->nmuscle);
    if (!out->memory || !t->body || !t->once || !t->spread || (kept && !t->kept)) return false;
    if (m->skeleton && (!t->tree || !t->row)) return false;
    place_arrays(out, m->ncoord);
    for (int32_t c = 0; c < m->ncoord; ++c) out->off_from[c] = out->off_until[c] = NAN;
    return true;
}

void sn_trust_close(snTrustRun *t)
{
    sn_free(t->body);
    sn_free(t->once);
    sn_free(t->row);
    sn_free(t->kept);
    sn_spread_destroy(t->spread);
    sn_tree_destroy(t->tree);
}

/* ---- what is noted on the way ---------------------------------------------------------------- */

void sn_trust_note_activation(snTrustRun *t, double dt, const double *activation)
{
    for (int32_t u = 0; u < t->m->nmuscle; ++u) {
        t->out->max_activation = fmax(t->out->max_activation, activation[u]);
        if (activation[u] >= FULL) t->out->saturated[u] += dt;
    }
}

void sn_trust_note_coordinate(snTrustRun *t, double time, int32_t c, double off)
{
    snTrust *out = t->out;
    bool slides = sn_coordinate_slides(t->m, c);
    out->off[c] = fmax(out->off[c], off);
    if (off > (slides ? NEAR : TOLERANCE)) {
        if (isnan(out->off_from[c])) out->off_from[c] = time;
        out->off_until[c] = time;
    }
    if (slides) return;
    t->sum.angle += off, t->sum.angles += 1;
    if (off > out->worst_angle) out->worst_angle = off, out->worst_angle_time = time, out->worst_angle_coordinate = c;
}

snBoneDistance sn_body_distance(const snModel *m, int32_t b, rigid is, rigid should)
{
    m3 turn = m3_from_q(is.q), wanted = m3_from_q(should.q);
    v3 shift = v3_sub(is.p, should.p);
    double worst2 = 0;
    snBoneDistance d = {.count = m->body_vertexadr[b + 1] - m->body_vertexadr[b]};
    for (int i = 0; i < 9; ++i) turn.m[i] -= wanted.m[i];
    for (int32_t v = m->body_vertexadr[b]; v < m->body_vertexadr[b + 1]; ++v) {
        double error2 = v3_len2(v3_add(m3_mulv(&turn, v3_load(m->body_vertex + 3 * v)), shift));
        d.sum += sqrt(error2);
        d.sum2 += error2;
        worst2 = error2 > worst2 ? error2 : worst2;
    }
    d.worst = sqrt(worst2);
    if (d.count > 0) return d;
    d.worst = v3_len(shift);
    return (snBoneDistance){.sum = d.worst, .sum2 = d.worst * d.worst, .worst = d.worst, .count = 1};
}

void sn_trust_note_bones(snTrustRun *t, double time, const double *q, const double *given)
{
    const snTree *tree = &t->m->skeleton->tree;
    sn_tree_place(tree, t->tree, q);
    sn_pose_placed(t->m, t->tree, t->body);
    sn_tree_place(tree, t->tree, given);
    for (int32_t b = 0; b < t->m->nbody; ++b) {
        if (tree->body_link[b] < 0) continue;
        rigid should = rigid_mul(sn_tree_motion(t->tree, tree->body_link[b]), t->m->body_rest[b]);
        snBoneDistance d = sn_body_distance(t->m, b, t->body[b], should);
        t->sum.distance += d.sum, t->sum.distances += d.count;
        if (d.worst > t->out->worst_distance) t->out->worst_distance = d.worst, t->out->worst_distance_time = time;
    }
}

void sn_trust_note_unmet(snTrustRun *t, double time, int32_t c, double torque)
{
    snTrust *out = t->out;
    torque = fabs(torque);
    out->unmet[c] = fmax(out->unmet[c], torque);
    if (torque > out->unmet_torque) out->unmet_torque = torque, out->unmet_time = time, out->unmet_coordinate = c;
}

/* Not the first ones: they still settle. */
bool sn_trust_repeats(const snTrustRun *t, int32_t frame)
{
    return t->kept && frame % SN_TRUST_EVERY == SN_TRUST_EVERY / 4;
}

void sn_trust_halved(snTrustRun *t, const double *activation)
{
    memcpy(t->once, activation, sizeof *activation * (size_t)t->m->nmuscle);
}

void sn_trust_whole(snTrustRun *t, const double *activation)
{
    for (int32_t u = 0; u < t->m->nmuscle; ++u) {
        double change = activation[u] - t->once[u];
        t->sum.changed2 += change * change, t->sum.size2 += t->once[u] * t->once[u];
    }
}

void sn_trust_note_spread(snTrustRun *t, int32_t nrow, const double *R, int32_t ld, const double *a)
{
    t->out->conditioning = sn_spread_find(t->spread, nrow, R, ld, a, MOST_SPREAD);
}

void sn_trust_note_lines(snTrustRun *t, const snTreeSim *sim, const double *a)
{
    const snPathWork *line = sim->line;
    int32_t n = t->m->nmuscle;
    memset(t->row, 0, sizeof *t->row * (size_t)t->m->ncoord * (size_t)n);
    for (int32_t p = 0; p < sim->paths->npath; ++p)
        for (int32_t e = line->rowadr[p]; e < line->rowadr[p + 1]; ++e) {
            int32_t c = line->col[e];
            if (sim->tree->driven[c])
                t->row[(size_t)c * (size_t)n + (size_t)t->m->skeleton->path_unit[p]] -= line->P[e] * line->active[p];
        }
    sn_trust_note_spread(t, t->m->ncoord, t->row, n, a);
}

void sn_trust_finish(snTrustRun *t)
{
    snTrust *out = t->out;
    if (t->m->skeleton) out->mean_distance = t->sum.distances > 0 ? t->sum.distance / t->sum.distances : 0;
    out->mean_angle = t->sum.angles > 0 ? t->sum.angle / t->sum.angles : 0;
    if (t->sum.size2 > 0) out->step_error = sqrt(t->sum.changed2 / t->sum.size2);
    out->reached = true;
    for (int32_t c = 0; c < t->m->ncoord; ++c) out->reached = out->reached && isnan(out->off_from[c]);
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

size_t sn_trust_save(const snTrustRun *t, void *bytes)
{
    size_t arrays = sizeof(double) * array_count(t);
    if (bytes) {
        snTrust out = *t->out;
        out.memory = out.off = out.off_from = out.off_until = out.unmet = out.saturated = NULL;
        char *at = bytes;
        memcpy(at, &t->sum, sizeof t->sum);
        memcpy(at + sizeof t->sum, &out, sizeof out);
        memcpy(at + sizeof t->sum + sizeof out, t->out->memory, arrays);
    }
    return sizeof t->sum + sizeof(snTrust) + arrays;
}

void sn_trust_load(snTrustRun *t, const void *bytes)
{
    const char *at = bytes;
    void *memory = t->out->memory;
    memcpy(&t->sum, at, sizeof t->sum);
    memcpy(t->out, at + sizeof t->sum, sizeof *t->out);
    memcpy(memory, at + sizeof t->sum + sizeof *t->out, sizeof(double) * array_count(t));
    t->out->memory = memory;
    place_arrays(t->out, t->m->ncoord);
}
