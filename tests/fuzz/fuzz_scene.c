/* Any bytes as a scene, below an arm made in code: an error or a spec that the checker can judge. */
#include "model_case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_arm(snSpec *spec)
{
    const snOrigin none = {"", 0, 0};
    snBodyDef body = sn_default_body_def();
    snJointDef joint = sn_default_joint_def();
    snStrandDef strand = sn_default_strand_def();
    snConstraintDef constraint = sn_default_constraint_def();
    body.name = "humerus";
    sn_spec_add(spec, SN_KIND_BODY, &body, none, NULL);
    body.name = "ulna";
    sn_spec_add(spec, SN_KIND_BODY, &body, none, NULL);
    joint.name = "elbow", joint.body_a = "humerus", joint.body_b = "ulna", joint.type = SN_JOINT_TYPE_HINGE;
    sn_spec_add(spec, SN_KIND_JOINT, &joint, none, NULL);
    strand.name = "biceps";
    sn_spec_add(spec, SN_KIND_STRAND, &strand, none, NULL);
    constraint.name = "a", constraint.strand = "biceps", constraint.attachment = "humerus";
    sn_spec_add(spec, SN_KIND_CONSTRAINT, &constraint, none, NULL);
    constraint.name = "b", constraint.type = SN_CONSTRAINT_SURFACE, constraint.attachment = "wrap",
    constraint.position = 0.5;
    sn_spec_add(spec, SN_KIND_CONSTRAINT, &constraint, none, NULL);
    constraint.name = "c", constraint.attachment = "patch", constraint.equality = SN_INEQUAL;
    sn_spec_add(spec, SN_KIND_CONSTRAINT, &constraint, none, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snError error;
    snSpec *spec = sn_spec_create();
    if (!spec) return 0;
    if (sn_model_read(spec, SN_DOCUMENT_SCENE, "fuzz", (const char *)data, size, &error) == SN_OK) {
        add_arm(spec);
        use_spec(spec);
    }
    sn_spec_destroy(spec);
    return 0;
}
