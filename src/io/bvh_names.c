/* What a joint of the trunk, an arm or a hand is, by the names that programs give it.
 *
 * A name is cut into words at capitals, digits and signs: RightHandIndex1, mixamorig:RightHandIndex1, DEF-f_index.01.R,
 * rIndex1, index_01_r, RightFinger2Proximal and RightSecondPP all say right, index, first;
 * index-finger-phalanx-proximal of WebXR says it of either side. RightArm, upperarm_r, Bip01 R UpperArm, J_Bip_R_UpperArm
 * and rShldr are the upper arm; a RightShoulder is the clavicle where the file has an upper arm, as Mixamo, CMU and VRM
 * mean it, and the upper arm itself where it has none, as Xsens does. Names that say nothing of the kind mean themselves
 * alone. */
#include "io/bvh.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 16, WORD = 24 };

typedef struct Words {
    int count;
    char at[WORDS][WORD];
} Words;

const char *sn_bvh_plain_name(const char *name)
{
    const char *end = NULL;
    for (const char *c = name; *c; ++c)
        if ((*c == ':' || *c == '|') && c[1]) end = c + 1;
    return end ? end : name;
}

/* Whether a word ends before this character. */
static bool is_cut(const char *start, const char *c)
{
    unsigned char before = (unsigned char)c[-1], now = (unsigned char)*c, after = (unsigned char)c[1];
    if (c == start) return false;
    if ((isdigit(before) != 0) != (isdigit(now) != 0)) return true;
    return isupper(now) && (islower(before) || (isupper(before) && islower(after)));
}

static void cut(const char *name, Words *w)
{
    w->count = 0;
    for (const char *c = name; *c && w->count < WORDS;) {
        while (*c && !isalnum((unsigned char)*c)) ++c;
        const char *start = c;
        size_t n = 0;
        while (*c && isalnum((unsigned char)*c) && (c == start || !is_cut(start, c))) {
            if (n + 1 < WORD) w->at[w->count][n++] = (char)tolower((unsigned char)*c);
            ++c;
        }
        w->at[w->count][n] = '\0';
        if (n) ++w->count;
    }
}

/* Index of a word in a list of groups: words of a group have blanks between; -1: in none. */
static int group_of(const char *word, const char *const *group)
{
    size_t n = strlen(word);
    for (int i = 0; n && group[i]; ++i)
        for (const char *at = group[i]; (at = strstr(at, word)); at += n)
            if ((at == group[i] || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return i;
    return -1;
}

static const char *const sides[] = {"left l", "right r", NULL};
static const char *const digits[] = {
    "thumb first", "index second", "middle mid third", "ring fourth", "pinky pinkie little fifth", NULL};
static const char *const phalanges[] = {"metacarpal mc", "proximal pp", "intermediate medial mp middle", "distal dp",
                                        NULL};
static const char *const others[] = {
    "ik pole twist roll target helper end nub tip effector mch goal site palm top share jaw eye", NULL};

typedef struct Meaning {
    int side, digit, phalanx, number; /* -1: not said; number: 0 to 3 */
    bool hand, wrist, finger, other;
    const char *part; /* of the trunk or the arm but for the hand; NULL: none */
} Meaning;

/* Words that name a part by themselves. Those of the middle have no side. */
static const struct {
    const char *part, *words;
    bool middle;
} parts[] = {
    {"hips", "hips hip pelvis", true},
    {"neck", "neck", true},
    {"head", "head", true},
    {"clavicle", "clavicle collar collarbone", false},
    {"shoulder", "shoulder", false},
    {"upperarm", "upperarm uparm shldr humerus arm", false},
    {"forearm", "forearm lowerarm lowarm elbow", false},
};
enum { NPARTS = sizeof parts / sizeof *parts };

static void take_number(Meaning *m, const char *word)
{
    int value = 0;
    for (const char *c = word; *c && value < 100; ++c) value = 10 * value + (*c - '0');
    if (m->finger && m->digit < 0 && value >= 1 && value <= 5)
        m->digit = value - 1;
    else if (m->digit >= 0 && m->number < 0)
        m->number = value;
}

/* upper arm, fore arm, lower arm: two words for one. */
static const char *part_of(const Words *w, int i)
{
    const char *word = w->at[i], *before = i > 0 ? w->at[i - 1] : "";
    if (strcmp(word, "arm") == 0 && group_of(before, (const char *const[]){"fore lower low", NULL}) == 0)
        return "forearm";
    for (int k = 0; k < NPARTS; ++k)
        if (group_of(word, (const char *const[]){parts[k].words, NULL}) == 0) return parts[k].part;
    return NULL;
}

static void take_word(Meaning *m, const Words *w, int i)
{
    const char *word = w->at[i], *part = part_of(w, i);
    int side = group_of(word, sides), digit = group_of(word, digits), phalanx = group_of(word, phalanges);
    if (isdigit((unsigned char)word[0]))
        take_number(m, word);
    else if (side >= 0 && m->side < 0)
        m->side = side;
    else if (digit >= 0 && m->digit < 0)
        m->digit = digit;
    else if (phalanx >= 0 && m->phalanx < 0)
        m->phalanx = phalanx;
    else if (group_of(word, others) >= 0)
        m->other = true;
    else if (strcmp(word, "finger") == 0)
        m->finger = true;
    else if (strcmp(word, "hand") == 0 || strcmp(word, "wrist") == 0 || strcmp(word, "carpus") == 0)
        m->hand = true, m->wrist = word[0] == 'w';
    else if (part)
        m->part = part;
}

/* Hand, or a part: of the middle without a side, of an arm with one. */
static bool key_of_part(const Meaning *m, char key[SN_BVH_KEY])
{
    bool middle = false;
    const char *part = m->part ? m->part : m->hand ? "hand" : NULL;
    for (int k = 0; k < NPARTS; ++k)
        middle = middle || (m->part && strcmp(m->part, parts[k].part) == 0 && parts[k].middle);
    if (!part || (middle ? m->side >= 0 : m->side < 0 && !m->wrist)) return false;
    (void)snprintf(key, SN_BVH_KEY, "%c.%s", middle ? 'c' : m->side < 0 ? '?' : m->side ? 'r' : 'l', part);
    return true;
}

bool sn_bvh_key(const char *name, char key[SN_BVH_KEY])
{
    static const char phalanx_letter[] = "mpid";
    Words w;
    Meaning m = {.side = -1, .digit = -1, .phalanx = -1, .number = -1};
    cut(sn_bvh_plain_name(name), &w);
    for (int i = 0; i < w.count; ++i) take_word(&m, &w, i);
    if (m.other) return false;
    if (m.digit < 0) return key_of_part(&m, key);
    if (m.side < 0 && m.phalanx < 0) return false;
    char side = m.side < 0 ? '?' : m.side ? 'r' : 'l';
    char which = m.phalanx >= 0 ? phalanx_letter[m.phalanx] : '1';
    if (m.phalanx < 0 && m.number >= 0) {
        if (m.number > 3) return false; /* the end of the finger */
        which = m.number ? (char)('0' + m.number) : 'm';
    }
    if (m.digit > 0 && which != 'm' && m.phalanx >= 0) which = (char)('0' + m.phalanx); /* of a finger: 1 to 3 */
    (void)snprintf(key, SN_BVH_KEY, "%c.%d.%c", side, m.digit + 1, which);
    return true;
}

/* ---- finding -------------------------------------------------------------------------------- */

static int32_t find_key(const snBvhFile *bvh, const char *key)
{
    char found[SN_BVH_KEY];
    for (int32_t i = 0; i < bvh->joint.count; ++i)
        if (sn_bvh_key(bvh->joint.at[i].name, found) && strcmp(found, key) == 0) return i;
    return -1;
}

/* Bones of the thumb are counted from the metacarpal where the file has it, from the first phalanx otherwise. */
static int32_t find_thumb(const snBvhFile *bvh, char side, char which)
{
    char key[SN_BVH_KEY];
    (void)snprintf(key, sizeof key, "%c.1.m", side);
    bool whole = find_key(bvh, key) >= 0;
    const char *names = which == '1'   ? (whole ? "m" : "p")
                        : which == '2' ? (whole ? "p" : "i")
                        : which == '3' ? "d"
                                       : "";
    if (!*names) return -1;
    key[4] = names[0];
    return find_key(bvh, key);
}

/* The shoulder is the clavicle where there is an upper arm besides, and the upper arm otherwise. */
static int32_t find_shoulder(const snBvhFile *bvh, const char *key)
{
    char other[SN_BVH_KEY];
    bool clavicle = strcmp(key + 2, "clavicle") == 0;
    (void)snprintf(other, sizeof other, "%c.upperarm", key[0]);
    if (clavicle != (find_key(bvh, other) >= 0)) return -1;
    (void)snprintf(other, sizeof other, "%c.shoulder", key[0]);
    return find_key(bvh, other);
}

static int32_t find_meaning(const snBvhFile *bvh, const char *key)
{
    int32_t found = find_key(bvh, key);
    if (found >= 0) return found;
    if (strcmp(key + 2, "clavicle") == 0 || strcmp(key + 2, "upperarm") == 0) return find_shoulder(bvh, key);
    return key[2] == '1' && key[3] == '.' ? find_thumb(bvh, key[0], key[4]) : -1;
}

static bool is_above(const snBvhFile *bvh, int32_t joint, int32_t below)
{
    while (below >= 0 && below != joint) below = bvh->joint.at[below].parent;
    return below >= 0;
}

/* The joint on which both arms hang; of a file with one arm, what its shoulder hangs on. */
static int32_t find_chest(const snBvhFile *bvh)
{
    static const char *const arm[] = {"RightClavicle", "LeftClavicle", "RightArm", "LeftArm"};
    int32_t chest = -1;
    for (int i = 0; i < 4; ++i) {
        int32_t joint = sn_bvh_find(bvh, arm[i]);
        if (joint < 0) continue;
        joint = bvh->joint.at[joint].parent;
        while (chest >= 0 && joint >= 0 && !is_above(bvh, joint, chest)) joint = bvh->joint.at[joint].parent;
        if (joint >= 0) chest = joint;
    }
    return chest;
}

static int32_t find_spine(const snBvhFile *bvh)
{
    int32_t hips = sn_bvh_find(bvh, "Hips"), joint = find_chest(bvh), spine = -1;
    if (hips < 0 || !is_above(bvh, hips, joint)) return -1;
    for (; joint >= 0 && joint != hips; joint = bvh->joint.at[joint].parent) spine = joint;
    return spine;
}

/* A file of one hand alone need not name the side, as those of WebXR do not. */
int32_t sn_bvh_find(const snBvhFile *bvh, const char *name)
{
    char key[SN_BVH_KEY];
    if (name[0] == '@')
        return strcmp(name, "@chest") == 0 ? find_chest(bvh) : strcmp(name, "@spine") == 0 ? find_spine(bvh) : -1;
    int32_t found = sn_map_get(&bvh->names, name);
    for (int32_t i = 0; i < bvh->joint.count && found < 0; ++i)
        if (strcmp(sn_bvh_plain_name(bvh->joint.at[i].name), name) == 0) found = i;
    if (found >= 0 || !sn_bvh_key(name, key)) return found;
    found = find_meaning(bvh, key);
    key[0] = '?';
    return found >= 0 ? found : find_meaning(bvh, key);
}
