/* The thorax to look at, with skull, spine and pelvis: the bones of models/body carried to the landmarks of the
 * shoulder. Vertebrae are moved and scaled as wholes, so that their spinous processes lie on the line where muscles
 * begin; ribs, cartilages and sternum are drawn through places that were carried, pulled in where they would stand out
 * of the ellipsoid on which muscles glide. Estimated (C) but for the landmarks. */
#include "shoulder/shoulder.h"
#include "upper_body/upper_body_bone.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { NECK = 7, CHEST = 12, LOINS = 5, SPINE = NECK + CHEST + LOINS };
static const double INSIDE = 0.955; /* of the half axes of the ellipsoid: ribs lie under the muscles */

/* A bone of the body's frame in the frame of the shoulder: from + d goes to `to` + scale d. */
typedef struct carried {
    v3 from, to;
    double scale;
} carried;

typedef struct cage {
    const snShoulder *s;
    v3 notch, center, half;
    carried vertebra[SPINE], skull, pelvis; /* C1 to C7, T1 to T12, L1 to L5 */
} cage;

static v3 carry(const carried *c, v3 at)
{
    return v3_mad(c->to, c->scale, v3_sub(at, c->from));
}

static const char *vertebra_name(int i, char name[8])
{
    int number = i < NECK ? i + 1 : i < NECK + CHEST ? i - NECK + 1 : i - NECK - CHEST + 1;
    (void)snprintf(name, 8, "%c%d", i < NECK ? 'C' : i < NECK + CHEST ? 'T' : 'L', number);
    return name;
}

/* ---- the spine ------------------------------------------------------------------------------------------------ */

/* The line of the spinous processes at a height, from C7 down; straight on below L5. */
static double line_at(const snShoulder *s, double y)
{
    char name[8], mark[16];
    v3 above = sn_shoulder_landmark(s, "SP_C7");
    for (int i = NECK; i < SPINE; ++i) {
        (void)snprintf(mark, sizeof mark, "SP_%s", vertebra_name(i, name));
        v3 below = sn_shoulder_landmark(s, mark);
        if (y >= below.y || i == SPINE - 1) return above.x + (below.x - above.x) * (y - above.y) / (below.y - above.y);
        above = below;
    }
    return above.x;
}

/* From C7 to the sacrum heights go by one scale, and the tips of the spinous processes lie on the line. In the neck,
 * where trapezius begins at the ligament behind the processes, vertebrae take the way from C7 to the skull step by
 * step. */
static bool carry_spine(cage *c, snUpperBodyDrawing *d)
{
    v3 tip[SPINE], c7 = sn_shoulder_landmark(c->s, "SP_C7");
    char name[8];
    bool ok = true;
    for (int i = 0; i < SPINE; ++i) ok = ok && sn_upper_body_landmark(d, vertebra_name(i, name), "SP", &tip[i]);
    if (!ok) return false;
    v3 low = tip[NECK - 1];
    double scale = (c7.y - c->pelvis.to.y) / (low.y - c->pelvis.from.y);
    v3 lower = v3_sub(c7, low), upper = v3_sub(c->skull.to, c->skull.from);
    for (int i = 0; i < SPINE; ++i) {
        carried *v = &c->vertebra[i];
        v->from = tip[i], v->scale = i < NECK - 1 ? 1 : scale;
        double y = c7.y + scale * (tip[i].y - low.y), up = (tip[i].y - low.y) / (c->skull.from.y - low.y);
        v->to = i < NECK - 1 ? v3_add(tip[i], v3_lerp(lower, upper, up)) : v3_of(line_at(c->s, y), y, 0);
    }
    return true;
}

/* ---- ribs, cartilages and sternum ------------------------------------------------------------------------- */

/* A rib leaves its vertebra where that was carried to and comes to the front where the sternum is. */
static v3 carry_place(const void *context, const char *body, double along, v3 at)
{
    const cage *c = context;
    int number;
    v3 p = v3_sub(at, c->notch);
    if (sscanf(body, "rib%d", &number) == 1 && number >= 1 && number <= CHEST)
        p = v3_lerp(carry(&c->vertebra[NECK + number - 1], at), p, along * along * (3 - 2 * along));
    v3 out = v3_sub(p, c->center);
    double far = v3_len(v3_of(out.x / c->half.x, out.y / c->half.y, out.z / c->half.z));
    return far > INSIDE ? v3_mad(c->center, INSIDE / far, out) : p;
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

static snStatus start(cage *c, const snShoulder *s, snUpperBodyDrawing *d, snError *error)
{
    *c = (cage){.s = s};
    for (int32_t i = 0; i < s->surface.count; ++i)
        if (strcmp(s->surface.at[i].name, "rib_cage") == 0)
            c->center = s->surface.at[i].frame.p, c->half = s->surface.at[i].size;
    if (!(c->half.x > 0)) return sn_fail(error, SN_BAD_FILE, "surfaces.tsv has no \"rib_cage\"");
    v3 atlas = {0, 0, 0}, sacrum = atlas;
    bool ok = sn_upper_body_landmark(d, "sternum", "notch", &c->notch) &&
              sn_upper_body_landmark(d, "C1", "TP", &atlas) && sn_upper_body_landmark(d, "pelvis", "S1_SP", &sacrum);
    c->skull = (carried){atlas, sn_shoulder_landmark(s, "TP_C1"), 1};
    c->pelvis = (carried){sacrum, sn_shoulder_landmark(s, "SP_S1"), 1};
    c->skull.to.z = atlas.z, c->pelvis.to.z = sacrum.z; /* the middle stays the middle */
    if (!ok || !carry_spine(c, d))
        return sn_fail(error, SN_BAD_FILE, "the tables of models/body lack a landmark of the spine, sternum or skull");
    d->carry = carry_place, d->context = c; /* from here on */
    return SN_OK;
}

static const carried *moved_whole(const cage *c, const char *bone)
{
    char name[8];
    if (strcmp(bone, "pelvis") == 0) return &c->pelvis;
    if (strcmp(bone, "skull") == 0 || strcmp(bone, "mandible") == 0) return &c->skull;
    for (int i = 0; i < SPINE; ++i)
        if (strcmp(bone, vertebra_name(i, name)) == 0) return &c->vertebra[i];
    return NULL;
}

static snStatus add_bone(const cage *c, snUpperBodyDrawing *d, const char *bone, snShoulderMeshFn add, void *context,
                         snError *error)
{
    snBoneMesh mesh = {0};
    const carried *whole = moved_whole(c, bone);
    if (whole) d->carry = NULL;
    snStatus status = sn_upper_body_bone(d, bone, &mesh, error);
    d->carry = carry_place;
    for (int32_t i = 0; whole && i < mesh.vertex.count; i += 3)
        v3_store(mesh.vertex.at + i, carry(whole, v3_load(mesh.vertex.at + i)));
    if (status == SN_OK) status = add(context, bone, sn_upper_body_color(bone), &mesh);
    sn_bone_free(&mesh);
    return status;
}

snStatus sn_shoulder_thorax(const snShoulder *s, const char *folder, snShoulderMeshFn add, void *context,
                            snError *error)
{
    static const char *const other[] = {"skull", "mandible", "sternum", "pelvis", "cc3_R",    "cc3_L",
                                        "cc4_R", "cc4_L",    "cc5_R",   "cc5_L",  "cc6_10_R", "cc6_10_L"};
    enum { RIBS = 10 }; /* the last two belong to their vertebrae */
    char name[16];
    cage c;
    snUpperBodyDrawing drawing = {0};
    snStatus status = sn_upper_body_drawing_load(&drawing, folder, error);
    if (status == SN_OK) status = start(&c, s, &drawing, error);
    for (size_t i = 0; i < sizeof other / sizeof *other && status == SN_OK; ++i)
        status = add_bone(&c, &drawing, other[i], add, context, error);
    for (int i = 0; i < SPINE && status == SN_OK; ++i)
        status = add_bone(&c, &drawing, vertebra_name(i, name), add, context, error);
    for (int i = 0; i < 2 * RIBS && status == SN_OK; ++i) {
        (void)snprintf(name, sizeof name, "rib%d_%c", i / 2 + 1, i % 2 ? 'L' : 'R');
        status = add_bone(&c, &drawing, name, add, context, error);
    }
    sn_upper_body_drawing_free(&drawing);
    return status;
}
