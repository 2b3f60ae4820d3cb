/* The thorax to look at: twelve pairs of ribs on the ellipsoid of the tables, sternum, spine with its spinous
 * processes, base of the skull and iliac crests, where muscles begin. Estimated (C) but for the ellipsoid and the
 * spinous line. */
#include "shoulder/shoulder.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { RIBS = 12, RIB_POINTS = 22 };

/* Each rib: height at the back over that of its spinous process, at its front end, and how far round it goes (1: to the
 * sternum). The lower ones end in front in the cartilage of the costal arch, the last two free. */
static const struct {
    double rise, front, share;
} rib_figures[RIBS] = {{0.010, -0.012, 0.95}, {0.010, -0.030, 0.96}, {0.008, -0.052, 0.97}, {0.006, -0.074, 0.97},
                       {0.004, -0.095, 0.97}, {0.002, -0.114, 0.97}, {0.000, -0.134, 0.96}, {0.000, -0.172, 0.86},
                       {0.000, -0.204, 0.80}, {0.000, -0.234, 0.74}, {0.000, -0.262, 0.55}, {0.000, -0.272, 0.38}};

typedef struct cage {
    v3 center, half;
    snBoneMesh *mesh;
} cage;

/* On the ellipsoid, slightly inside, at a height and an angle from the back (0) over the side to the front (pi). */
static v3 on_cage(const cage *c, double y, double angle)
{
    double inside = 0.955, up = (y - c->center.y) / c->half.y;
    double k = inside * sqrt(fmax(1 - up * up, 0.05));
    return v3_of(c->center.x - k * c->half.x * cos(angle), y, k * c->half.z * sin(angle));
}

static v3 outwards(const cage *c, v3 p)
{
    v3 d = v3_sub(p, c->center), h = c->half;
    return v3_unit(v3_of(d.x / (h.x * h.x), d.y / (h.y * h.y), d.z / (h.z * h.z)));
}

static bool add_rib(const cage *c, int i, double back, double side)
{
    v3 at[RIB_POINTS], out[RIB_POINTS];
    for (int k = 0; k < RIB_POINTS; ++k) {
        double t = (double)k / (RIB_POINTS - 1), around = rib_figures[i].share * t;
        double start = 0.13, angle = SN_PI * (start + (1 - start) * around);
        /* down from the back, level or rising again towards the sternum */
        double fall = 0.5 - 0.5 * cos(SN_PI * fmin(around * 1.15, 1)), low = fmin(rib_figures[i].front, back) - 0.012;
        double rise = around > 0.75 ? (around - 0.75) / 0.25 : 0;
        double y = back + (low - back) * fall + (rib_figures[i].front - low) * rise * rise;
        at[k] = on_cage(c, y, angle);
        at[k].z *= side;
        out[k] = outwards(c, at[k]);
    }
    return sn_bone_sweep(c->mesh, at, out, RIB_POINTS, 0.0055, 0.0030, 8);
}

static bool add_ribs(const cage *c, const snShoulder *s)
{
    bool ok = true;
    for (int i = 0; i < RIBS && ok; ++i) {
        char name[16];
        snprintf(name, sizeof name, "SP_T%d", i + 1);
        double back = sn_shoulder_landmark(s, name).y + rib_figures[i].rise;
        ok = add_rib(c, i, back, 1) && add_rib(c, i, back, -1);
    }
    return ok;
}

static bool add_sternum(const cage *c, const snShoulder *s)
{
    v3 top = sn_shoulder_landmark(s, "IJ"), tip = sn_shoulder_landmark(s, "PX"), at[6], out[6];
    for (int k = 0; k < 6; ++k) {
        double t = k / 5.0;
        at[k] = v3_lerp(top, tip, t);
        at[k].x += 0.010 * sin(SN_PI * t) - 0.006;
        out[k] = v3_of(1, 0, 0);
    }
    return sn_bone_sweep(c->mesh, at, out, 3, 0.024, 0.005, 12) &&
           sn_bone_sweep(c->mesh, at + 2, out + 2, 4, 0.016, 0.005, 12);
}

/* A vertebra: a short drum and its spinous process. */
static bool add_vertebra(const cage *c, v3 process, double width, double height)
{
    v3 body = v3_of(process.x + 0.034 + width, process.y + 0.012, 0), lateral = v3_of(0, 0, 1);
    v3 drum[2] = {v3_of(body.x, body.y - height, 0), v3_of(body.x, body.y + height, 0)},
       side[3] = {lateral, lateral, lateral};
    v3 spine[3] = {v3_of(body.x - width, body.y, 0), v3_lerp(body, process, 0.6), process};
    v3 wings[3] = {v3_of(body.x - width - 0.006, body.y, -1.7 * width), v3_of(body.x - width, body.y, 0),
                   v3_of(body.x - width - 0.006, body.y, 1.7 * width)},
       back[3] = {{-1, 0, 0}, {-1, 0, 0}, {-1, 0, 0}};
    return sn_bone_sweep(c->mesh, drum, side, 2, width, 1.15 * width, 12) &&
           sn_bone_sweep(c->mesh, spine, side, 3, 0.0065, 0.0035, 8) &&
           sn_bone_sweep(c->mesh, wings, back, 3, 0.005, 0.004, 8);
}

static bool add_spine(const cage *c, const snShoulder *s)
{
    static const char *const name[] = {"SP_C2",  "SP_C4",  "SP_C6", "SP_C7", "SP_T1", "SP_T2", "SP_T3",
                                       "SP_T4",  "SP_T5",  "SP_T6", "SP_T7", "SP_T8", "SP_T9", "SP_T10",
                                       "SP_T11", "SP_T12", "SP_L1", "SP_L2", "SP_L3", "SP_L4", "SP_L5"};
    bool ok = true;
    for (size_t i = 0; i < sizeof name / sizeof *name && ok; ++i) {
        double t = (double)i / 20;
        v3 process = sn_shoulder_landmark(s, name[i]);
        ok = add_vertebra(c, process, 0.0095 + 0.010 * t, 0.0075 + 0.004 * t);
        /* the cervical landmarks leave out every second vertebra */
        if (i < 2) {
            v3 next = sn_shoulder_landmark(s, name[i + 1]);
            ok = ok && add_vertebra(c, v3_lerp(process, next, 0.5), 0.0095 + 0.010 * t, 0.0075);
        }
    }
    return ok;
}

/* The base of the skull, as far as muscles begin there. */
static bool add_skull(const cage *c, const snShoulder *s)
{
    v3 knob = sn_shoulder_landmark(s, "SP_EOP");
    rigid frame = {q_identity(), v3_add(knob, v3_of(0.063, 0.020, 0))};
    return sn_bone_lump(c->mesh, frame, v3_of(0.070, 0.036, 0.058), 2.1, 3);
}

/* Halves the corners of a line: each point between two others to the mean of all three. */
static void round_off(v3 *at, int n)
{
    v3 before = at[0];
    for (int k = 1; k + 1 < n; ++k) {
        v3 here = at[k];
        at[k] = v3_scale(v3_add(v3_add(before, here), at[k + 1]), 1.0 / 3);
        before = here;
    }
}

/* From the fifth lumbar process over the iliac crest, where the broad back muscle begins. */
static bool add_crests(const cage *c, const snShoulder *s)
{
    enum { CORNERS = 6, POINTS = 16 };
    v3 l5 = sn_shoulder_landmark(s, "SP_L5");
    bool ok = true;
    for (int side = -1; side <= 1; side += 2) {
        const v3 corner[CORNERS] = {v3_of(l5.x + 0.006, l5.y - 0.020, 0.018),
                                    v3_of(-0.108, -0.386, 0.045),
                                    v3_of(-0.095, -0.372, 0.075),
                                    v3_of(-0.082, -0.346, 0.104),
                                    v3_of(-0.050, -0.336, 0.126),
                                    v3_of(-0.012, -0.352, 0.128)};
        v3 at[POINTS], out[POINTS];
        for (int k = 0; k < POINTS; ++k) {
            double u = (double)k / (POINTS - 1) * (CORNERS - 1);
            int i = (int)fmin(floor(u), CORNERS - 2);
            at[k] = v3_lerp(corner[i], corner[i + 1], u - i);
            at[k].z *= side, out[k] = v3_of(0, 1, 0);
        }
        for (int round = 0; round < 3; ++round) round_off(at, POINTS);
        ok = ok && sn_bone_sweep(c->mesh, at, out, POINTS, 0.006, 0.010, 10);
    }
    rigid sacrum = {q_identity(), v3_of(l5.x + 0.028, l5.y - 0.040, 0)};
    return ok && sn_bone_lump(c->mesh, sacrum, v3_of(0.022, 0.034, 0.036), 2.2, 1);
}

snStatus sn_shoulder_thorax(const snShoulder *s, snBoneMesh *mesh, snError *error)
{
    cage c = {.mesh = mesh};
    for (int32_t i = 0; i < s->surface.count; ++i)
        if (strcmp(s->surface.at[i].name, "rib_cage") == 0)
            c.center = s->surface.at[i].frame.p, c.half = s->surface.at[i].size;
    if (!(c.half.x > 0)) return sn_fail(error, SN_BAD_FILE, "surfaces.tsv has no \"rib_cage\"");
    bool ok = add_ribs(&c, s) && add_sternum(&c, s) && add_spine(&c, s) && add_skull(&c, s) && add_crests(&c, s);
    return ok ? SN_OK : sn_fail_no_memory(error);
}
