/* The colours of anatomy, sRGB: the one palette of page, GLB and pictures. blender/sinew/shapes.py has the same. */
#ifndef SN_PAGE_TISSUE_H
#define SN_PAGE_TISSUE_H

#include "sinew/spec.h"

/* name in the page's data, red, green, blue */
#define SN_TISSUE_TABLE(X)                                                                                             \
    X(MUSCLE, "muscle", 0.56, 0.18, 0.16)                                                                              \
    X(ACTIVE, "active", 1.00, 0.72, 0.28)                                                                              \
    X(TENDON, "tendon", 0.93, 0.90, 0.84)                                                                              \
    X(BONE, "bone", 0.89, 0.82, 0.68)                                                                                  \
    X(SKIN, "skin", 0.86, 0.66, 0.56)

enum {
#define X(id, name, r, g, b) SN_TISSUE_##id,
    SN_TISSUE_TABLE(X)
#undef X
        SN_TISSUES
};

extern const double sn_tissue_color[SN_TISSUES][3];
extern const char *const sn_tissue_name[SN_TISSUES];

/* Radius that a strand's belly is drawn with, m: that of a muscle of its force at 0.3 MPa, halved, since dozens of
 * them side by side would hide each other. */
double sn_drawn_belly(const snStrandDef *strand);

/* Linear light, as glTF wants it. */
void sn_tissue_linear(int tissue, double out[3]);

#endif
