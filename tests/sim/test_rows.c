/* Constraint rows against finite differences of their gaps, for every kind of constraint: the state is moved along
 * random velocities of all bodies and points, forwards and backwards, and the change of each gap is compared with its
 * row. */
#include "sim/rig.h"

#include "math/spline.h"

#include <stdlib.h>

static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

typedef struct Moved {
    rigid *body;
    double *point, *own, *link, *joint;
} Moved;

static void all_rows(Rig *r)
{
    for (int32_t i = 0; i < r->m->nstrand; ++i) sn_rows_of_strand(r->m, r->s, i);
    sn_rows_of_links(r->m, r->s);
    sn_part_groups.assemble(r->m, r->s);
    memcpy(r->s->ahead, r->s->body, sizeof(rigid) * (size_t)r->m->nbody);
    sn_rows_of_joints(r->m, r->s);
}

/* Gaps of sliding rows along the directions that the rows had before the state was moved. */
static void frozen_sliding_gaps(Rig *r, const snKktPart *before, double *gap)
{
    for (int32_t i = 0; i < r->m->strand_constraintadr[r->m->nstrand]; ++i) {
        const snConstraint *c = &r->m->constraint[i];
        if (c->type != SN_CONSTRAINT_SLIDING) continue;
        const double *q = r->s->point + 3 * r->m->strand_pointadr[c->strand];
        v3 p = sn_strand_point(&r->m->strand[c->strand], q, r->s->s[i], NULL, NULL);
        v3 apart = v3_sub(p, rigid_apply(r->s->body[c->body], c->point));
        for (int32_t k = 0; k < 2; ++k) gap[c->row + k] = v3_dot(v3_load(before[c->row + k].n), apart);
    }
}

static void move(Rig *r, const Moved *base, const double *velocity, const double *pointdot, double t)
{
    for (int32_t b = 0; b < r->m->nbody; ++b) {
        r->s->body[b] = base->body[b];
        if (r->m->body_free[b] < 0) continue;
        sn_body_advance(&r->s->body[b].q, &r->s->body[b].p, velocity + 6 * b, t);
    }
    for (int32_t i = 0; i < 3 * r->m->npoint; ++i) r->s->point[i] = base->point[i] + t * pointdot[i];
}

static double part_speed(const Rig *r, int32_t strand, const snKktPart *p, const double *pointdot)
{
    double sum = 0;
    const double *v = pointdot + 3 * r->m->strand_pointadr[strand];
    for (int k = 0; k < 4; ++k)
        for (int c = 0; c < 3; ++c) sum += p->b[k] * p->n[c] * v[3 * (p->span + k) + c];
    return sum;
}

static double body_speed(const Rig *r, int32_t free_body, const double *row, const double *velocity)
{
    double sum = 0;
    for (int32_t b = 0; b < r->m->nbody; ++b)
        for (int i = 0; i < 6 && free_body >= 0 && r->m->body_free[b] == free_body; ++i)
            sum += row[i] * velocity[6 * b + i];
    return sum;
}

/* Largest difference between rows and differences of gaps, relative to the largest row speed. */
static double worst_row(Rig *r, double e)
{
    const snModel *m = r->m;
    const snKktPattern *k = &m->pattern;
    size_t n[4] = {(size_t)m->nbody, 3 * (size_t)m->npoint, (size_t)(k->nown + k->nlink + k->njoint), (size_t)k->nown};
    Moved base = {malloc(n[0] * sizeof(rigid)), malloc(n[1] * 8), NULL, NULL, NULL};
    double *velocity = calloc(6 * n[0], 8), *pointdot = calloc(n[1], 8), *speed = calloc(n[2] + 1, 8),
           *low = calloc(n[2] + 1, 8), *high = calloc(n[2] + 1, 8), worst = 0, largest = 0;
    snKktPart *before = malloc((n[3] + 1) * sizeof *before);
    uint64_t seed = 11;
    memcpy(base.body, r->s->body, n[0] * sizeof(rigid));
    memcpy(base.point, r->s->point, n[1] * 8);
    for (size_t i = 0; i < 6 * n[0]; ++i) velocity[i] = noise(&seed) * (i % 6 < 3 ? 5 : 0.2);
    for (size_t i = 0; i < n[1]; ++i) pointdot[i] = 0.2 * noise(&seed);
    all_rows(r);
    memcpy(before, r->s->value->own, n[3] * sizeof *before);
    for (int32_t i = 0, strand = 0; i < k->nown; ++i) {
        while (i >= k->strand_ownadr[strand + 1]) ++strand;
        speed[i] = part_speed(r, strand, &r->s->value->own[i], pointdot) +
                   body_speed(r, k->own_body[i], r->s->value->own_J + 6 * i, velocity);
    }
    for (int32_t i = 0; i < k->nlink; ++i)
        for (int32_t p = k->link_partadr[i]; p < k->link_partadr[i + 1]; ++p)
            speed[k->nown + i] += part_speed(r, k->part_strand[p], &r->s->value->part[p], pointdot);
    for (int32_t i = 0; i < k->njoint; ++i)
        for (int side = 0; side < 2; ++side)
            speed[k->nown + k->nlink + i] +=
                body_speed(r, k->joint_body[2 * i + side], r->s->value->joint_J + 12 * i + 6 * side, velocity);
    for (int way = -1; way <= 1; way += 2) {
        double *gap = way < 0 ? low : high;
        move(r, &base, velocity, pointdot, way * e);
        all_rows(r);
        memcpy(gap, r->s->own_gap, n[3] * 8);
        memcpy(gap + k->nown, r->s->link_gap, (size_t)k->nlink * 8);
        memcpy(gap + k->nown + k->nlink, r->s->joint_gap, (size_t)k->njoint * 8);
        frozen_sliding_gaps(r, before, gap);
    }
    for (size_t i = 0; i < n[2]; ++i) {
        worst = fmax(worst, fabs((high[i] - low[i]) / (2 * e) - speed[i]));
        largest = fmax(largest, fabs(speed[i]));
    }
    void *block[] = {base.body, base.point, velocity, pointdot, speed, low, high, before};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) free(block[i]);
    return worst / largest;
}

static void rows_match_differences_of_gaps(void **state)
{
    (void)state;
    /* finger: fixed, sliding, surface and lateral, hinge and universal with limits; crane: joint to a held body; sheet:
     * struts; spindle: cross-sections */
    static const char *const scene[] = {"finger", "crane", "sheet", "spindle", "hand-synthetic"};
    for (int k = 0; k < 5; ++k) {
        Rig r = rig_scene(scene[k], 0.004);
        if (r.m->nvolume) r.s->activation[0] = 0.3; /* the spindle bulges: its sections have changed */
        rig_run(&r, 0.1);
        double worst = worst_row(&r, 1e-6);
        print_message("%s: rows against finite differences %.1e\n", scene[k], worst);
        assert_at_most(worst, 5e-9);
        rig_drop(&r);
    }
}

/* A strand fixed to the middle of another. */
static void strand_on_strand(void **state)
{
    (void)state;
    double origin[3] = {0, 0, 0}, half[3] = {0.01, 0.01, 0.01};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0.05, 0.004);
    sn_build_body(&b, "frame", origin, NULL, half, 0);
    snVia along[] = {{.p = {-0.1, 0, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                     {.p = {0.1, 0, 0}, .kind = SN_VIA_FIXED, .on = "frame"}};
    snVia down[] = {{.p = {0, 0, 0}, .kind = SN_VIA_FIXED, .on = "rope"},
                    {.p = {0, -0.1, 0.02}, .kind = SN_VIA_FIXED, .on = "frame"}};
    snPath rope = {.via = along, .nvia = 2, .npoint = 12}, branch = {.via = down, .nvia = 2, .npoint = 9};
    snStrandDef def = sn_default_strand_def();
    def.radius = 0.001, def.belly_start = def.belly_end = 0;
    def.name = "rope";
    sn_build_strand(&b, &def, &rope);
    def.name = "branch";
    sn_build_strand(&b, &def, &branch);
    Rig r = rig_of(sn_build_end(&b), sn_default_sim_def());
    assert_int_equal(r.m->pattern.nlink, 3);
    rig_run(&r, 0.1);
    assert_at_most(worst_row(&r, 1e-6), 1e-9);
    assert_at_most(r.s->info.worst_gap, 1e-10);
    rig_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_match_differences_of_gaps),
        cmocka_unit_test(strand_on_strand),
    };
    return cmocka_run_group_tests_name("sim.rows", tests, NULL, NULL);
}
