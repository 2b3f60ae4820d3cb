/* Takes the place of the files that draw when the library is built without cairo. */
#include "base/error.h"
#include "plot/heat.h"
#include "sinew/io.h"

bool sn_plot_available(void)
{
    return false;
}

void sn_plot_font_used(const char *font, char *used, size_t size)
{
    (void)font;
    if (size > 0) used[0] = '\0';
}

static snStatus absent(const char *path, snError *error)
{
    snStatus status = sn_fail(error, SN_FAILED, "this sinew was built without plots");
    sn_error_remedy(error, "install cairo (on Debian libcairo2-dev) and build sinew again");
    sn_error_place(error, path, 0, 0);
    return status;
}

snStatus sn_plot_panels(const snPlotDef *def, int32_t count, const char *path, snError *error)
{
    (void)def, (void)count;
    return absent(path, error);
}

snStatus sn_plot_heat(const snHeatDef *def, const char *path, snError *error)
{
    (void)def;
    return absent(path, error);
}
