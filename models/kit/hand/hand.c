/* A hand: tables in, spec out. */
#include "hand/hand.h"

#include "base/error.h"

snHandDef sn_default_hand_def(void)
{
    return (snHandDef){.tables = "", .meshes = true, .fine_spacing = 0.006, .coarse_spacing = 0.025};
}

/* s: the largest that keeps the activations of every shipped motion within 5 % of those at a quarter of it
 * (docs/sliding.md); splines are not converged at the default of 4 ms either. */
static const double STEP_OF_PATHS = 0.007;

static snStatus build(const snHand *hand, const snHandDef *def, snSpec *spec, snError *error)
{
    snModelDef model = sn_default_model_def();
    model.scene = def->scene ? def->scene : "hand.scene.xml";
    model.views = "Palmar=-z Dorsal=+z Radial=+x Ulnar=-x Proximal=+y Distal=-y";
    if (sn_hand_has_paths(def)) model.step = STEP_OF_PATHS;
    snStatus status = sn_set_model(spec, &model);
    if (status != SN_OK) return sn_fail_no_memory(error);
    status = sn_hand_add_bones(hand, def, spec, error);
    if (status == SN_OK) status = sn_hand_add_strands(hand, def, spec, error);
    return status == SN_OK && def->meshes ? sn_hand_add_bellies(hand, def, spec, error) : status;
}

snStatus sn_author_hand(const snHandDef *def, snSpec **spec, snError *error)
{
    if (!(def->fine_spacing > 0 && def->coarse_spacing >= def->fine_spacing))
        return sn_fail(error, SN_BAD_INPUT, "spacing %g to %g m: expected fine above 0 and coarse not below it",
                       def->fine_spacing, def->coarse_spacing);
    snHand hand = {0};
    snSpec *made = sn_spec_create(), *mirrored = NULL;
    snStatus status = made ? sn_hand_read(&hand, def->tables, error) : sn_fail_no_memory(error);
    if (status == SN_OK && def->hood) status = sn_hand_read_hood(&hand, def->tables, error);
    if (status == SN_OK) status = build(&hand, def, made, error);
    if (status == SN_OK && def->left) {
        status = sn_mirror_spec(made, 2, &mirrored, error);
        sn_spec_destroy(made);
        made = mirrored;
    }
    sn_hand_free(&hand);
    if (status == SN_OK)
        *spec = made;
    else
        sn_spec_destroy(made);
    return status;
}
