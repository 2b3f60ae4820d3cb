/* Sweeps of the hand's joints, judged: how far the two ways to a moment arm are apart, and how much an arm changes from
 * degree to degree. */
#ifndef HAND_ARMS_H
#define HAND_ARMS_H

#include "check.h"
#include "hand/hand.h"
#include "sinew/author.h"
#include "sinew/control.h"
#include "sinew/model.h"

#include <math.h>

typedef struct sweep_result {
    double apart, worst, jump; /* m: mean and largest difference of the two ways, largest change between poses */
    int32_t poses, wrong_sides;
    const char *worst_strand, *worst_at, *jump_strand, *jump_at;
} sweep_result;

static snModel *hand_model(void)
{
    snHandDef def = sn_default_hand_def();
    def.tables = SINEW_SOURCE_DIR "/models/hand";
    def.meshes = false;
    snSpec *spec = NULL;
    snModel *model = NULL;
    assert_int_equal(sn_author_hand(&def, &spec, NULL), SN_OK);
    assert_int_equal(sn_compile(spec, &model, NULL), SN_OK);
    sn_spec_destroy(spec);
    return model;
}

static void add_curves(const snModel *model, const snArms *arms, sweep_result *r)
{
    for (int32_t i = 0; i < arms->ncurve; ++i) {
        const snArmCurve *c = &arms->curve[i];
        const char *strand = sn_name(model, SN_ITEM_STRAND, c->strand),
                   *at = sn_name(model, SN_ITEM_COORDINATE, c->coordinate);
        r->apart += c->difference * c->count;
        r->poses += c->count;
        if (c->worst > r->worst) r->worst = c->worst, r->worst_strand = strand, r->worst_at = at;
        if (c->jump > r->jump) r->jump = c->jump, r->jump_strand = strand, r->jump_at = at;
    }
    r->wrong_sides += arms->wrong_sides;
}

/* joint: -1 for all; pose: of the joints that rest, NULL for the neutral one; turn in degrees. */
static sweep_result sweep(const snModel *model, int32_t joint, const double *pose, double turn)
{
    const double degree = acos(-1.0) / 180;
    sweep_result r = {.worst_strand = "", .worst_at = "", .jump_strand = "", .jump_at = ""};
    snArmDef def = sn_default_arm_def();
    def.joint = joint;
    def.pose = pose;
    def.turn = turn * degree;
    snArms *arms = NULL;
    assert_int_equal(sn_moment_arms(model, &def, &arms, NULL), SN_OK);
    add_curves(model, arms, &r);
    sn_arms_destroy(arms);
    r.apart /= r.poses;
    print_message("%s: %d poses, two ways %.3f mm apart, at worst %.2f (%s, %s); largest change %.2f mm (%s, %s)\n",
                  joint < 0 ? "all joints" : sn_name(model, SN_ITEM_JOINT, joint), r.poses, 1e3 * r.apart,
                  1e3 * r.worst, r.worst_strand, r.worst_at, 1e3 * r.jump, r.jump_strand, r.jump_at);
    return r;
}

#endif
