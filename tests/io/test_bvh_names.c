/* Joints by the names of the common programs; a file that rests in another pose gives the same angles. */
#include "io/bvh.h"

#include "check.h"

#include <string.h>

static const struct {
    const char *name, *key;
} cases[] = {
    {"RightHandIndex1", "r.2.1"},
    {"mixamorig:RightHandIndex1", "r.2.1"},
    {"mixamorig1:LeftHandPinky3", "l.5.3"},
    {"Armature|mixamorig:RightForeArm", "r.forearm"},
    {"RightForearm", "r.forearm"},
    {"DEF-forearm.R", "r.forearm"},
    {"lowerarm_l", "l.forearm"},
    {"RightLowerArm", "r.forearm"},
    {"rForeArm", "r.forearm"},
    {"rHand", "r.hand"},
    {"DEF-hand.R", "r.hand"},
    {"DEF-f_index.01.R", "r.2.1"},
    {"f_pinky.03.L", "l.5.3"},
    {"DEF-thumb.02.R", "r.1.2"},
    {"thumb_01_r", "r.1.1"},
    {"RThumb", "r.1.1"},
    {"rMid2", "r.3.2"},
    {"RightFinger2Proximal", "r.2.1"},
    {"RightFinger3Medial", "r.3.2"},
    {"RightFinger5Distal", "r.5.3"},
    {"RightFinger1Metacarpal", "r.1.m"},
    {"RightFinger4Metacarpal", "r.4.m"},
    {"RightSecondPP", "r.2.1"},
    {"RightSecondMP", "r.2.2"},
    {"RightSecondDP", "r.2.3"},
    {"RightFirstMC", "r.1.m"},
    {"RightFirstPP", "r.1.p"},
    {"RightThumbProximal", "r.1.p"},
    {"RightMiddleIntermediate", "r.3.2"},
    {"RightLittleDistal", "r.5.3"},
    {"RightHandMiddle1", "r.3.1"},
    {"RightCarpus", "r.hand"},
    {"index-finger-phalanx-proximal", "?.2.1"},
    {"middle-finger-phalanx-intermediate", "?.3.2"},
    {"thumb-metacarpal", "?.1.m"},
    {"wrist", "?.hand"},
    {"J_Bip_R_Little2", "r.5.2"},
    {"Right Ring Distal", "r.4.3"},
    {"RightArm", "r.upperarm"},
    {"mixamorig:LeftShoulder", "l.shoulder"},
    {"rShldr", "r.upperarm"},
    {"rCollar", "r.clavicle"},
    {"clavicle_l", "l.clavicle"},
    {"upperarm_r", "r.upperarm"},
    {"DEF-upper_arm.R", "r.upperarm"},
    {"Bip01 R UpperArm", "r.upperarm"},
    {"J_Bip_L_UpperArm", "l.upperarm"},
    {"UpperArm_R", "r.upperarm"},
    {"LowerArm_L", "l.forearm"},
    {"RightElbow", "r.forearm"},
    {"LeftWrist", "l.hand"},
    {"Right Upper Arm", "r.upperarm"},
    {"mixamorig:Hips", "c.hips"},
    {"pelvis", "c.hips"},
    {"J_Bip_C_Neck", "c.neck"},
    {"neck_01", "c.neck"},
    {"Head", "c.head"},
};
static const char *const nothing[] = {"LHipJoint",
                                      "Arm_ForeArm_x",
                                      "HeadTop_End",
                                      "RightArmTwist",
                                      "RightHandIndex4",
                                      "hand_ik.R",
                                      "RightForeArmRoll",
                                      "Hand",
                                      "",
                                      ":",
                                      "1",
                                      "RightUpLeg",
                                      "palm.01.R",
                                      "index-finger-tip",
                                      "Index"};

static void names_of_programs_mean_the_same(void **state)
{
    (void)state;
    char key[SN_BVH_KEY];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (!sn_bvh_key(cases[i].name, key)) fail_msg("%s means nothing", cases[i].name);
        if (strcmp(key, cases[i].key) != 0) fail_msg("%s is %s, expected %s", cases[i].name, key, cases[i].key);
    }
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; ++i)
        if (sn_bvh_key(nothing[i], key)) fail_msg("%s is taken for %s", nothing[i], key);
}

static const char map_text[] = "rest RightHand RightHandMiddle1 -1 0 0\nrest RightHandPinky1 RightHandIndex1 0 0 1\n"
                               "RightHandIndex1 mcp2.flexion 0 0 1\nRightHandIndex1 mcp2.deviation 0 1 0\n"
                               "RightHandThumb1 cmc1.flexion 0 1 0\nRightHandThumb2 mcp1.flexion 0 1 0\n";

static snPoses *poses_of(const char *motion, snMotionSource *note)
{
    snBvhFile bvh;
    snBvhMap map;
    snPoses *p = NULL;
    snError error = {0};
    if (sn_parse_bvh("a.bvh", motion, strlen(motion), &bvh, &error) != SN_OK) fail_msg("%s", error.message);
    if (sn_parse_bvh_map("a.bvhmap", map_text, strlen(map_text), &map, &error) != SN_OK) fail_msg("%s", error.message);
    if (sn_bvh_to_poses(&bvh, &map, "a.bvh", &p, note, &error) != SN_OK) fail_msg("%s", error.message);
    sn_bvh_map_free(&map);
    sn_bvh_free(&bvh);
    return p;
}

static double angle_of(const snPoses *p, const char *name)
{
    for (int32_t c = 0; c < sn_poses_columns(p); ++c)
        if (strcmp(sn_poses_name(p, c), name) == 0) return sn_poses_key(p, 0)[c] / SN_DEG;
    return NAN;
}

/* The same finger, bent by 40 degrees and leaning by 10: in a T-pose with Mixamo's names, and hanging with z up, facing
 * -y, with Rokoko's. */
static void another_rest_pose_gives_the_same_angles(void **state)
{
    (void)state;
    static const char t_pose[] =
        "HIERARCHY\nROOT mixamorig:RightHand\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n"
        "JOINT mixamorig:RightHandIndex1\n{\nOFFSET -8 0 2\nCHANNELS 3 Zrotation Yrotation Xrotation\nEnd "
        "Site\n{\nOFFSET -4 0 0\n}\n}\n"
        "JOINT mixamorig:RightHandMiddle1\n{\nOFFSET -8 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\nEnd "
        "Site\n{\nOFFSET -4 0 0\n}\n}\n"
        "JOINT mixamorig:RightHandPinky1\n{\nOFFSET -7 0 -3\nCHANNELS 3 Zrotation Yrotation Xrotation\nEnd "
        "Site\n{\nOFFSET -4 0 0\n}\n}\n"
        "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0  40 10 0  0 0 0  0 0 0\n";
    /* distal -z, radial -y (forward): the map's -x becomes -z, its z becomes -y; so its y becomes cross(-y, z) = -x. */
    static const char hanging[] =
        "HIERARCHY\nROOT RightHand\n{\nOFFSET 0 0 0\nCHANNELS 3 Yrotation Xrotation Zrotation\n"
        "JOINT RightFinger2Proximal\n{\nOFFSET 0 -2 -8\nCHANNELS 3 Yrotation Xrotation Zrotation\nEnd Site\n{\nOFFSET "
        "0 0 -4\n}\n}\n"
        "JOINT RightFinger3Proximal\n{\nOFFSET 0 0 -8\nCHANNELS 3 Yrotation Xrotation Zrotation\nEnd Site\n{\nOFFSET 0 "
        "0 -4\n}\n}\n"
        "JOINT RightFinger5Proximal\n{\nOFFSET 0 3 -7\nCHANNELS 3 Yrotation Xrotation Zrotation\nEnd Site\n{\nOFFSET 0 "
        "0 -4\n}\n}\n"
        "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0  -40 -10 0  0 0 0  0 0 0\n";
    snMotionSource note = {0};
    snPoses *p = poses_of(t_pose, &note);
    assert_false(note.turned);
    assert_int_equal(note.found, 2);
    assert_string_equal(note.held, "cmc1.flexion, mcp1.flexion");
    assert_near(angle_of(p, "mcp2.flexion"), 40, 1e-9);
    assert_near(angle_of(p, "mcp2.deviation"), 10, 1e-9);
    sn_poses_destroy(p);
    p = poses_of(hanging, &note);
    assert_true(note.turned);
    assert_near(angle_of(p, "mcp2.flexion"), 40, 1e-9);
    assert_near(angle_of(p, "mcp2.deviation"), 10, 1e-9);
    sn_poses_destroy(p);
}

/* With a metacarpal the thumb is counted from it, without from the first phalanx. */
static void the_thumb_is_counted_from_its_first_bone(void **state)
{
    (void)state;
    static const char form[] = "HIERARCHY ROOT RightHand\n{ OFFSET 0 0 0 CHANNELS 1 Xrotation JOINT %s\n"
                               "{ OFFSET 0 0 1 CHANNELS 1 Yrotation JOINT %s\n{ OFFSET 0 0 1 CHANNELS 1 Yrotation\n"
                               "JOINT %s\n{ OFFSET 0 0 1 CHANNELS 1 Yrotation } } } }\n"
                               "MOTION Frames: 1 Frame Time: 0.1\n0 11 22 33\n";
    static const char *const names[][3] = {{"RightFirstMC", "RightFirstPP", "RightFirstDP"},
                                           {"RightThumbProximal", "RightThumbIntermediate", "RightThumbDistal"},
                                           {"DEF-thumb.01.R", "DEF-thumb.02.R", "DEF-thumb.03.R"}};
    for (size_t i = 0; i < 3; ++i) {
        char motion[1000];
        snMotionSource note = {0};
        (void)snprintf(motion, sizeof motion, form, names[i][0], names[i][1], names[i][2]);
        snPoses *p = poses_of(motion, &note);
        assert_near(angle_of(p, "cmc1.flexion"), 11, 1e-9);
        assert_near(angle_of(p, "mcp1.flexion"), 22, 1e-9);
        sn_poses_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_programs_mean_the_same),
        cmocka_unit_test(another_rest_pose_gives_the_same_angles),
        cmocka_unit_test(the_thumb_is_counted_from_its_first_bone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
