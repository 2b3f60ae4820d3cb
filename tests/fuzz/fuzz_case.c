/* Any bytes as a case: an error or a case that can be written, never a crash, never a leak. */
#include "io/case_xml.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snError error;
    snCase *c = NULL;
    if (sn_parse_case("fuzz", (const char *)data, size, &c, &error) != SN_OK) return 0;
    if (sn_save_case(c, "/dev/null", &error) != SN_OK) abort();
    sn_case_destroy(c);
    return 0;
}
