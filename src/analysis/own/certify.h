/* The certificate of a model: do moment arms by two ways agree, and where do lengths and arms jump. */
#ifndef SN_ANALYSIS_OWN_CERTIFY_H
#define SN_ANALYSIS_OWN_CERTIFY_H

#include "sinew/control.h"

/* Every strand (on a tree: line muscle) about every coordinate: over its range with the others at rest, and at random
 * poses: do both ways to find the arm agree, and where does a length or an arm jump? Random pose k also takes one
 * coordinate, in turn, through its range with the others where they are. On a tree each jump is followed by bisection,
 * so that its place and its size are exact; on strands it is as fine as the steps. */
typedef struct snCertifyDef {
    size_t size;        /* of this struct: set by its default function */
    double turn, slide; /* rad, m: from pose to pose */
    int32_t poses;      /* random ones; on strands each takes about a second, as all has to settle */
    uint64_t seed;
    double length_jump; /* m: smallest jump of a length that is reported; strands: at least 0.5 mm */
    double arm_jump;    /* m: the same of an arm; strands: at least 1 mm */
    int32_t threads;    /* strands only; 0: all cores */
    snProgress progress;
} snCertifyDef;

typedef enum snJumpKind {
    SN_JUMP_LENGTH, /* the length of the path is not continuous: energy appears or vanishes */
    SN_JUMP_ARM     /* a kink: the length is continuous, its derivative is not */
} snJumpKind;

typedef struct snJump {
    snJumpKind kind;
    int32_t strand, coordinate; /* as in snArmCurve */
    bool slides;
    double value;         /* rad or m: where */
    double size;          /* m */
    double before, after; /* m: length, or arm */
    int32_t pose;         /* number of the random pose, from 1; 0: the others at rest */
} snJump;

typedef struct snCertifyPair {
    int32_t strand, coordinate;
    bool slides;
    double range[2];      /* rad or m: as far as measured */
    double mean, neutral; /* arm, m */
    double worst;         /* between the two ways, m, random poses included */
    double steepest;      /* m: largest change of the arm from pose to pose, the others at rest */
    int32_t njump;
} snCertifyPair;

typedef struct snCertificate {
    int32_t npair, njump;
    snCertifyPair *pair;
    snJump *jump;            /* the largest first */
    int64_t measured, slack; /* arms compared, and those that a slack strand does not have */
    int32_t poses;           /* random ones that were measured */
    double worst_difference; /* m */
    int32_t worst_pair;
} snCertificate;

static inline snCertifyDef sn_default_certify_def(void)
{
    SN_DEF(snCertifyDef, def);
    def.turn = 0.017453292519943295; /* a degree */
    def.slide = 5e-4;
    def.poses = 200;
    def.seed = 1;
    def.length_jump = 1e-5;
    def.arm_jump = 1e-4;
    def.threads = 1;
    return def;
}
/* SN_BAD_INPUT: nothing could be measured. */
snStatus sn_certify(const snModel *model, const snCertifyDef *def, snCertificate **certificate, snError *error);
void sn_certificate_destroy(snCertificate *certificate);

#endif
