/* Bones of the shoulder. */
#include "author/shoulder.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

snStatus sn_shoulder_shape(const snShoulder *s, const char *bone, snBoneMesh *mesh, snError *error)
{
    bool ok = true;
    if (strcmp(bone, "humerus") == 0) {
        v3 gh = sn_shoulder_landmark(s, "GH");
        ok = sn_bone_lump(mesh, (rigid){q_identity(), v3_of(gh.x, gh.y - 0.14, gh.z)}, v3_of(0.011, 0.15, 0.011), 2, 1) &&
             sn_bone_lump(mesh, (rigid){q_identity(), gh}, v3_of(0.024, 0.024, 0.024), 2, 2);
    } else if (strcmp(bone, "thorax") == 0) {
        ok = sn_bone_lump(mesh, (rigid){q_identity(), v3_of(-0.0621, -0.1521, 0)}, v3_of(0.0956, 0.2117, 0.1446), 2, 1);
    } else if (strcmp(bone, "clavicle") == 0) {
        v3 a = sn_shoulder_landmark(s, "SC"), b = sn_shoulder_landmark(s, "AC");
        rigid f = sn_bone_frame(a, b, v3_of(0, 1, 0));
        f.p = v3_lerp(a, b, 0.5);
        ok = sn_bone_lump(mesh, f, v3_of(0.006, 0.078, 0.006), 2, 1);
    } else {
        v3 ts = sn_shoulder_landmark(s, "TS");
        ok = sn_bone_lump(mesh, (rigid){q_identity(), v3_add(ts, v3_of(0.02, -0.05, 0.03))}, v3_of(0.006, 0.07, 0.04), 2, 1);
    }
    return ok ? SN_OK : sn_fail_no_memory(error);
}
