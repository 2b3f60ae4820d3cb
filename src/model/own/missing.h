/* What came with a spec from the file of another program and is not in it. */
#ifndef SN_MODEL_OWN_MISSING_H
#define SN_MODEL_OWN_MISSING_H

#include "sinew/spec.h"

/* Each with file, line, name and effect, and status SN_OK; sn_check has them among its warnings. Returns how many; note
 * may be NULL. They live as long as the spec. */
int32_t sn_spec_missing(const snSpec *spec, const snError **note);

#endif
