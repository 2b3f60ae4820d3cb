/* Joints and attachments that have come apart: the numbers are finite, and yet the result means nothing. */
#include "base/error.h"
#include "sinew/sim.h"

static const double TORN = 0.02; /* m; runs at a sensible step stay below a tenth of a millimetre */

snStatus sn_check_gaps(const snState *s, snError *error)
{
    if (!s) return sn_fail_argument(error, "the state is NULL");
    const snStepInfo *info = sn_info(s);
    if (info->worst_gap <= TORN) return SN_OK;
    sn_fail(error, SN_DIVERGED, "%.80s was torn apart by %.1f mm at %.4g s", info->culprit, 1000 * info->worst_gap,
            sn_time(s));
    sn_error_remedy(error, "take a smaller step (--step); if that does not help, look for forces or motions beyond reason");
    return SN_DIVERGED;
}
