#include "page/tissue.h"

#include "math/vec.h"

#include <math.h>

const double sn_tissue_color[SN_TISSUES][3] = {
#define X(id, name, r, g, b) {r, g, b},
    SN_TISSUE_TABLE(X)
#undef X
};

const char *const sn_tissue_name[SN_TISSUES] = {
#define X(id, name, r, g, b) name,
    SN_TISSUE_TABLE(X)
#undef X
};

double sn_drawn_belly(const snStrandDef *strand)
{
    double physical = 0.5 * sqrt(strand->max_force / 0.3e6 / SN_PI);
    return fmin(fmax(fmax(strand->radius, physical), 0.0012), 0.03);
}

void sn_tissue_linear(int tissue, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        double c = sn_tissue_color[tissue][k];
        out[k] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
}
