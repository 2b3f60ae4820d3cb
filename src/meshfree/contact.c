/* Bones as distance grids: a node's centre keeps a distance from each, with a penalty, and friction along the surface.
 *
 * E = k/2 min(d - keep, 0)^2, k as the solve has it (solve.c raises it where a node is deep). Friction (direct solves
 * only): mu_f N f(u), u the slip since the last state, N and the place of sticking from it, f = u^2/2e below e, else u
 * - e/2. */
#include "meshfree/soft.h"

static const double SLIP = 1e-4; /* e, m: slip below which friction is a spring */

typedef struct touch {
    double depth; /* m, positive */
    v3 normal;    /* world */
    v3 local;     /* of the node in the bone's frame */
} touch;

/* Where a node is against a bone; false: the two never touch. */
static bool approach(const snSoftBody *body, const snSoftState *state, const double *x, int32_t node, int32_t bone,
                     touch *t)
{
    double keep = body->keep[(size_t)node * (size_t)body->nbone + (size_t)bone];
    if (!isfinite(keep)) return false;
    v3 gradient;
    t->local = rigid_unapply(state->pose[bone], v3_load(x + 3 * node));
    double distance = sn_distance_sample(body->bone[bone].distance, t->local, &gradient);
    t->depth = keep - distance;
    t->normal = q_rotate(state->pose[bone].q, gradient);
    return true;
}

/* What the bone's curvature adds to the stiffness: a node that is pressed against a round bone slides off it. */
static void bend(const snSoftBody *body, const snSoftState *state, int32_t bone, const touch *t, double part,
                 double block[9])
{
    m3 second, turn = m3_from_q(state->pose[bone].q);
    v3 gradient;
    sn_distance_bend(body->bone[bone].distance, t->local, &gradient, &second);
    m3 half = m3_mul(&turn, &second);
    for (int r = 0; r < 9; ++r) {
        const double *a = half.m + r / 3 * 3, *b = turn.m + r % 3 * 3;
        block[r] -= part * state->contact_stiffness * t->depth * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
}

static void block_of(v3 n, double scale, double tangent, double block[9])
{
    double c[3] = {n.x, n.y, n.z};
    for (int r = 0; r < 9; ++r)
        block[r] = scale * c[r / 3] * c[r % 3] + (r % 4 == 0 ? tangent : 0) - tangent * c[r / 3] * c[r % 3];
}

/* Energy of friction; its force and tangential stiffness (a lower bound of it that is never negative). */
static double slide(const snSoftState *state, int32_t bone, size_t slot, const touch *t, v3 *force, double *stiffness)
{
    double pressure = state->friction * state->normal_force[slot];
    v3 d = q_rotate(state->pose[bone].q, v3_sub(t->local, v3_load(state->stick + 3 * slot)));
    v3 n = v3_unit(t->normal);
    d = v3_mad(d, -v3_dot(d, n), n);
    double u = v3_len(d);
    *stiffness = u < SLIP ? pressure / SLIP : pressure / u;
    *force = v3_scale(d, *stiffness);
    return pressure * (u < SLIP ? u * u / (2 * SLIP) : u - SLIP / 2);
}

double sn_soft_contact(const snSoftBody *body, const snSoftState *state, const double *x, double *gradient,
                       float *value, double share, double *deepest)
{
    double energy = 0, k = state->contact_stiffness;
    touch t;
    for (int32_t node = 0; node < body->quads->nnode; ++node) {
        if (body->order[node] < 0) continue;
        for (int32_t bone = 0; bone < body->nbone; ++bone) {
            if (!approach(body, state, x, node, bone, &t)) continue;
            size_t slot = (size_t)node * (size_t)body->nbone + (size_t)bone;
            bool rubs = state->friction > 0 && state->normal_force[slot] > 0; /* by the last state, touching or not */
            if (t.depth <= 0 && !rubs) continue;
            double tangent = 0, block[9], depth = fmax(t.depth, 0);
            v3 force = v3_scale(t.normal, -k * depth), slip = {0, 0, 0};
            energy += k / 2 * depth * depth;
            if (deepest) *deepest = fmax(*deepest, t.depth);
            if (rubs) energy += slide(state, bone, slot, &t, &slip, &tangent);
            if (gradient) v3_store(gradient + 3 * node, v3_add(v3_load(gradient + 3 * node), v3_add(force, slip)));
            if (!value) continue;
            block_of(t.normal, depth > 0 ? k : 0, tangent, block);
            if (depth > 0 && share < 1) bend(body, state, bone, &t, 1 - share, block);
            sn_soft_add_block(body, value, node, node, block);
        }
    }
    return energy;
}

void sn_soft_remember_contact(const snSoftBody *body, snSoftState *state)
{
    touch t;
    for (int32_t node = 0; node < body->quads->nnode; ++node)
        for (int32_t bone = 0; bone < body->nbone; ++bone) {
            size_t slot = (size_t)node * (size_t)body->nbone + (size_t)bone;
            bool on = body->order[node] >= 0 && approach(body, state, state->x, node, bone, &t) && t.depth > 0;
            state->normal_force[slot] = on ? state->contact_stiffness * t.depth : 0;
            if (on) v3_store(state->stick + 3 * slot, t.local);
        }
}

void sn_soft_bone_force(const snSoftBody *body, snSoftState *state, int32_t bone, double attached[3], double contact[3])
{
    v3 hold = {0, 0, 0}, push = {0, 0, 0}, slip;
    touch t;
    double tangent;
    sn_soft_evaluate(body, state, state->x, state->force);
    for (int32_t node = 0; node < body->quads->nnode; ++node) {
        if (body->attached[node] == bone) hold = v3_sub(hold, v3_load(state->force + 3 * node));
        if (body->order[node] < 0 || !approach(body, state, state->x, node, bone, &t)) continue;
        size_t slot = (size_t)node * (size_t)body->nbone + (size_t)bone;
        push = v3_mad(push, -state->contact_stiffness * fmax(t.depth, 0), t.normal);
        if (state->friction > 0 && state->normal_force[slot] > 0) {
            slide(state, bone, slot, &t, &slip, &tangent);
            push = v3_add(push, slip);
        }
    }
    v3_store(attached, hold);
    v3_store(contact, push);
}
