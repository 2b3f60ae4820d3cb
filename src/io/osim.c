/* Models of OpenSim (.osim). */
#include "io/model_formats.h"

#include "base/error.h"

snStatus sn_osim_load(snSpec *spec, const char *path, snError *error)
{
    (void)spec;
    sn_fail(error, SN_BAD_FILE, "OpenSim models are not read yet");
    sn_error_place(error, path, 0, 0);
    return SN_BAD_FILE;
}
