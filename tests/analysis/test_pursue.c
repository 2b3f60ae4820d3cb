/* Following a motion with the clinical hand: what the run says about itself, and its checkpoints. */
#include "clinical_group.h"

#include "sinew/io.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 30 };

typedef struct Keep {
    int32_t frames;
    unsigned char *bytes;
    size_t size;
} Keep;

static snStatus keep_frame(void *user, const snPursue *run, const snTrackDef *columns, const snTrackFrame *frame)
{
    Keep *k = user;
    (void)columns, (void)frame;
    if (++k->frames != KEPT) return SN_OK;
    k->size = sn_pursue_save(run, NULL);
    k->bytes = malloc(k->size);
    assert_non_null(k->bytes);
    assert_int_equal(sn_pursue_save(run, k->bytes), k->size);
    return SN_OK;
}

static snStatus pursue_fist(snPatient *p, const snPursueDef *def, snPursueReport *report)
{
    snMotionDef load = sn_default_motion_def();
    snPoses *poses = NULL;
    load.model = "hand-clinical";
    assert_int_equal(sn_load_motion_poses("fist", &load, &poses, NULL), SN_OK);
    snStatus status = sn_pursue(p, poses, def, NULL, report, NULL);
    sn_poses_destroy(poses);
    return status;
}

static void asking_changes_nothing(void **state)
{
    (void)state;
    snPursueDef def = sn_default_pursue_def();
    for (int method = SN_PURSUE_TORQUE; method <= SN_PURSUE_STEP; ++method) {
        snPursueReport a, b;
        snPatient *p = with(0, NULL), *q = with(0, NULL); /* one each: a patient starts from its last answer */
        def.method = (snPursuit)method, def.skip_step_check = false;
        assert_int_equal(pursue_fist(p, &def, &a), SN_OK);
        def.skip_step_check = true;
        assert_int_equal(pursue_fist(q, &def, &b), SN_OK);
        assert_true(a.steps == b.steps);
        assert_memory_equal(a.stored, b.stored, sizeof(double) * (size_t)(a.steps * sn_count(m, SN_ITEM_MUSCLE)));
        assert_true(isfinite(a.trust.step_error) && isnan(b.trust.step_error));
        assert_true(isnan(a.trust.unmet_torque) == (method == SN_PURSUE_STEP));
        assert_true(a.trust.conditioning > 0 && a.trust.conditioning <= 1);
        assert_true(method == SN_PURSUE_STEP || a.trust.reached);
        sn_pursue_report_free(&a);
        sn_pursue_report_free(&b);
        sn_patient_destroy(p), sn_patient_destroy(q);
    }
}

static void a_lesion_is_missed_by_name(void **state)
{
    (void)state;
    const snChange lesion = {.kind = SN_CHANGE_NERVE, .name = "median-high"};
    snPatient *p = with(1, &lesion);
    snPursueDef def = sn_default_pursue_def();
    snPursueReport r;
    assert_int_equal(pursue_fist(p, &def, &r), SN_OK);
    int32_t pip = sn_find(m, SN_ITEM_COORDINATE, "pip2.flexion"),
            wrist = sn_find(m, SN_ITEM_COORDINATE, "wrist.flexion");
    assert_false(r.trust.reached);
    assert_true(r.trust.off[pip] > 45 * SN_DEG && !isnan(r.trust.off_from[pip]) && r.trust.unmet[pip] > 1e-3);
    assert_true(isnan(r.trust.off_from[wrist]));
    sn_pursue_report_free(&r);
    sn_patient_destroy(p);
}

static void a_changed_checkpoint_is_refused(void **state)
{
    (void)state;
    enum { FLIPS = 40 };
    snPatient *p = with(0, NULL);
    snPursueDef def = sn_default_pursue_def();
    snPursueReport whole, rest;
    Keep keep = {0}, none = {.frames = KEPT};
    def.frame = keep_frame, def.user = &keep;
    assert_int_equal(pursue_fist(p, &def, &whole), SN_OK);
    def.user = &none, def.checkpoint = keep.bytes, def.checkpoint_size = keep.size;
    for (size_t k = 0; k < FLIPS; ++k) {
        unsigned char *byte = keep.bytes + k * (keep.size - 1) / (FLIPS - 1);
        *byte ^= 4;
        assert_int_equal(pursue_fist(p, &def, &rest), SN_BAD_INPUT);
        sn_pursue_report_free(&rest);
        *byte ^= 4;
    }
    assert_int_equal(pursue_fist(p, &def, &rest), SN_OK);
    assert_int_equal(rest.resumed, KEPT);
    assert_true(rest.trust.step_error == whole.trust.step_error && rest.trust.mean_angle == whole.trust.mean_angle);
    assert_true(rest.trust.mean_distance == whole.trust.mean_distance);
    assert_true(rest.trust.unmet_torque == whole.trust.unmet_torque);
    sn_pursue_report_free(&whole);
    sn_pursue_report_free(&rest);
    free(keep.bytes);
    sn_patient_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(asking_changes_nothing),
                                       cmocka_unit_test(a_lesion_is_missed_by_name),
                                       cmocka_unit_test(a_changed_checkpoint_is_refused)};
    return cmocka_run_group_tests_name("analysis.pursue", tests, set_up, tear_down);
}
