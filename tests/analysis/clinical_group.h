/* The clinical hand that a group of tests shares: made before the first, gone after the last. */
#ifndef SN_TESTS_ANALYSIS_CLINICAL_GROUP_H
#define SN_TESTS_ANALYSIS_CLINICAL_GROUP_H

#include "clinical_case.h"

static snSpec *spec;
static snModel *m;

static inline int set_up(void **state)
{
    (void)state;
    hand_of(false, &spec, &m);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    sn_model_destroy(m);
    sn_spec_destroy(spec);
    return 0;
}

/* A hand with these changes. */
static inline snPatient *with(int32_t n, const snChange *change)
{
    snCase *c = sn_case_create("");
    snPatient *p = NULL;
    snError error = {0};
    for (int32_t i = 0; i < n; ++i) assert_int_equal(sn_case_add(c, &change[i]), SN_OK);
    if (sn_patient_create(spec, m, c, &p, &error) != SN_OK) print_error("%s\n", error.message);
    assert_non_null(p);
    sn_case_destroy(c);
    return p;
}

#endif
