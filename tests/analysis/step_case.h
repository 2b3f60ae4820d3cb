/* Motions of the clinical hand at two steps. Shared by the quick and the long test. */
#ifndef SN_TESTS_ANALYSIS_STEP_CASE_H
#define SN_TESTS_ANALYSIS_STEP_CASE_H

#include "analysis/clinical_group.h"

#include "sinew/io.h"

static inline snPursueReport pursue(snPatient *p, const char *name, double step, double control_rate)
{
    char path[512];
    snPoses *poses = NULL;
    snPursueReport report;
    snError error = {0};
    snMotionDef load = sn_default_motion_def();
    snPursueDef def = sn_default_pursue_def();
    snprintf(path, sizeof path, SINEW_SOURCE_DIR "/models/hand/motions/%s.%s", name,
             strcmp(name, "beckon") == 0 ? "bvh" : "pose.csv");
    load.model = "hand-clinical";
    if (sn_load_motion_poses(path, &load, &poses, &error) != SN_OK) fail_msg("%s: %s", path, error.message);
    def.step = step, def.control_rate = control_rate;
    assert_int_equal(sn_pursue(p, poses, &def, NULL, &report, &error), SN_OK);
    sn_poses_destroy(poses);
    return report;
}

/* Rms difference of the activations at the same instants over the rms of the second; its step is `times` shorter. */
static inline double difference(const snPursueReport *a, const snPursueReport *b, int32_t times)
{
    size_t n = (size_t)m->nmuscle;
    double apart = 0, all = 0;
    for (int32_t i = 0; i < a->steps && i * times < b->steps; ++i)
        for (size_t u = 0; u < n; ++u) {
            double x = a->stored[(size_t)i * n + u], y = b->stored[(size_t)(i * times) * n + u];
            apart += (x - y) * (x - y), all += y * y;
        }
    assert_true(all > 0);
    return sqrt(apart / all);
}

/* The largest and the smallest difference of the activations at a quarter of the step, over these motions. */
typedef struct Apart {
    double most, least;
} Apart;

static inline Apart apart_at_a_quarter(int32_t count, const char *const *name)
{
    snPatient *p = with(0, NULL);
    Apart all = {.most = 0, .least = INFINITY};
    for (int32_t i = 0; i < count; ++i) {
        snPursueReport whole = pursue(p, name[i], 1.0 / 240, 0), quarter = pursue(p, name[i], 1.0 / 960, 0);
        double apart = difference(&whole, &quarter, 4);
        print_message("%-16s activations at 1/240 and 1/960 s: %.1f %% apart\n", name[i], 100 * apart);
        all.most = fmax(all.most, apart), all.least = fmin(all.least, apart);
        sn_pursue_report_free(&whole), sn_pursue_report_free(&quarter);
    }
    print_message("at a quarter of the step: %.1f %% apart at most (5 %%)\n", 100 * all.most);
    sn_patient_destroy(p);
    return all;
}

#endif
