/* Any bytes as a MuJoCo model: an error or a spec that can be checked, never a crash, never a leak. */
#include "io/mjcf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snError error;
    snProblems problems = {0};
    snSpec *spec = sn_spec_create();
    if (!spec) return 0;
    if (sn_mjcf_read(spec, "fuzz.xml", (const char *)data, size, &error) == SN_OK) {
        (void)sn_check(spec, &problems);
        sn_problems_free(&problems);
    }
    sn_spec_destroy(spec);
    return 0;
}
