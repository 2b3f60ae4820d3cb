/* A mapping for a file of unknown names, to begin with: what was found, what was not, and all joints of the file. For a
 * model that has no mapping, its bodies, each to turn as a joint of the file does. */
#include "base/error.h"
#include "io/bvh.h"
#include "io/file.h"
#include "io/model_tree.h"

#include <math.h>
#include <string.h>

static void put_number(snWriter *w, double value)
{
    sn_writer_text(w, " ");
    sn_writer_number(w, round(value * 1e6) / 1e6);
}

static void put_v3(snWriter *w, v3 v)
{
    put_number(w, v.x), put_number(w, v.y), put_number(w, v.z);
}

static void put_head(snWriter *w, const char *file, int32_t found, int32_t wanted, const char *what)
{
    const char *slash = strrchr(file, '/');
    sn_writer_printf(w, "# From the joints of %s to the model.\n#\n", slash ? slash + 1 : file);
    sn_writer_printf(
        w,
        "# %d of %d %s have a joint. In lines that begin with #, replace JOINT by a joint of the file and\n"
        "# remove the #. What has no line stays at rest.\n#\n",
        found, wanted, what);
}

static void put_joints(snWriter *w, const snBvhFile *bvh)
{
    sn_writer_text(w, "\n# Joints of the file:\n");
    for (int32_t i = 0; i < bvh->joint.count; ++i) sn_writer_printf(w, "#   %s\n", bvh->joint.at[i].name);
}

/* ---- by axes ------------------------------------------------------------------------------------ */

static void put_line(snWriter *w, const snBvhFile *bvh, const snBvhMapLine *l, int32_t joint, quat turn)
{
    sn_writer_printf(w, "%s%-28s %-20s", joint >= 0 ? "" : "# ", joint >= 0 ? bvh->joint.at[joint].name : "JOINT",
                     l->coordinate);
    put_v3(w, q_rotate(turn, l->axis));
    if (l->offset != 0) sn_writer_text(w, " offset"), put_number(w, l->offset / SN_DEG);
    if (l->scale != 1) sn_writer_text(w, " scale"), put_number(w, l->scale);
    sn_writer_text(w, "\n");
}

static void put_axes(snWriter *w, const snBvhFile *bvh, const snBvhMap *map, const snBvhMatch *match, const char *file)
{
    put_head(w, file, match->found, map->line.count, "coordinates");
    sn_writer_text(w, "#   joint of the file  joint.coordinate  axis x y z  [offset degrees]  [scale factor]\n#\n");
    if (match->turned)
        sn_writer_text(
            w, "# The rest pose of the file is not a T-pose with the y axis up: the axes were rotated to match.\n");
    for (int32_t i = 0; i < map->line.count; ++i)
        put_line(w, bvh, &map->line.at[i], match->joint ? match->joint[i] : -1, match->turn);
    put_joints(w, bvh);
}

/* ---- by bones ----------------------------------------------------------------------------------- */

static const char *joint_name(const snBvhFile *bvh, const char *name)
{
    int32_t joint = sn_bvh_find(bvh, name);
    return joint >= 0 ? bvh->joint.at[joint].name : NULL;
}

/* Names of joints may have blanks; words of a mapping cannot. */
static bool can_be_said(const char *name)
{
    return name && !strpbrk(name, " \t");
}

static bool is_found(const snBvhFile *bvh, const snBoneLine *l)
{
    return can_be_said(joint_name(bvh, l->joint)) && (!l->to_joint || can_be_said(joint_name(bvh, l->to_joint)));
}

static void put_rests(snWriter *w, const snBvhFile *bvh, const snBvhMap *map)
{
    for (int i = 0; i < map->nrest; ++i) {
        const snBvhRest *r = &map->rest[i], *pair = &map->rest[i - i % 2];
        bool found = i - i % 2 + 1 < map->nrest;
        for (int k = 0; k < 2 && found; ++k)
            found = can_be_said(joint_name(bvh, pair[k].from)) && can_be_said(joint_name(bvh, pair[k].to));
        sn_writer_printf(w, "%srest %s %s", found ? "" : "# ", found ? joint_name(bvh, r->from) : "JOINT",
                         found ? joint_name(bvh, r->to) : "JOINT");
        put_v3(w, r->direction);
        sn_writer_printf(w, "%s%s%s%s%s\n", found ? "" : "   (", found ? "" : r->from, found ? "" : " to ",
                         found ? "" : r->to, found ? "" : ")");
    }
}

static void put_bone(snWriter *w, const snBvhFile *bvh, const snBoneLine *l)
{
    static const char *const word[] = {"base", "anchor", "turn", "aim", "across"};
    bool found = is_found(bvh, l);
    sn_writer_printf(w, "%s%-6s %s", found ? "" : "# ", word[l->kind], found ? joint_name(bvh, l->joint) : "JOINT");
    if (l->to_joint) sn_writer_printf(w, " %s", found ? joint_name(bvh, l->to_joint) : "JOINT");
    sn_writer_printf(w, " %s", l->body);
    if (l->to_body)
        sn_writer_printf(w, " %s", l->to_body);
    else if (l->to_joint)
        put_v3(w, l->direction);
    if (l->untwist) sn_writer_text(w, " untwist");
    if (l->weight != 1) sn_writer_text(w, " weight"), put_number(w, l->weight);
    if (l->placed) sn_writer_text(w, " from"), put_v3(w, l->place);
    sn_writer_text(w, "\n");
}

static void count_bones(const snBvhFile *bvh, const snBvhMap *map, int32_t *found)
{
    *found = 0;
    for (int32_t i = 0; i < map->bone.count; ++i) *found += is_found(bvh, &map->bone.at[i]);
}

static void put_bones(snWriter *w, const snBvhFile *bvh, const snBvhMap *map, const char *file)
{
    int32_t found;
    count_bones(bvh, map, &found);
    put_head(w, file, found, map->bone.count, "lines");
    sn_writer_text(
        w, "#   base JOINT BODY, anchor JOINT BODY, turn JOINT BODY [weight W],\n"
           "#   aim JOINT JOINT BODY BODY|x y z [weight W], across JOINT JOINT BODY x y z;\n"
           "#   rest JOINT JOINT x y z, in pairs: directions in the axes of the model. docs/files.md explains them.\n");
    put_rests(w, bvh, map);
    for (int32_t i = 0; i < map->bone.count; ++i) put_bone(w, bvh, &map->bone.at[i]);
    put_joints(w, bvh);
}

/* ---- a model without a mapping ------------------------------------------------------------------- */

snStatus sn_bvh_map_of_model(const snModel *model, snBvhMap *map, snError *error)
{
    snModelTree t;
    *map = (snBvhMap){0};
    bool enough = sn_model_tree_make(model, &t), based = false;
    for (int32_t b = 0; enough && b < model->nbody && !based; ++b) {
        const char *name = sn_name(model, SN_ITEM_BODY, b);
        snBoneLine line = {.kind = SN_BONE_BASE, .weight = 1, .joint = name, .body = name};
        if (t.link[b] >= 0) continue;
        based = true, enough = sn_array_push(&map->bone, line);
    }
    for (int32_t i = 0; enough && i < t.tree.ndof; ++i)
        for (int32_t b = 0; b < model->nbody && enough; ++b) {
            const char *name = sn_name(model, SN_ITEM_BODY, b);
            snBoneLine line = {.kind = SN_BONE_ANCHOR, .weight = 1, .joint = name, .body = name};
            if (t.link[b] == i) enough = sn_array_push(&map->bone, line);
        }
    sn_model_tree_free(&t);
    if (enough) return SN_OK;
    sn_bvh_map_free(map);
    return sn_fail_no_memory(error);
}

/* -------------------------------------------------------------------------------------------------- */

static snStatus write_bones(const snBvhFile *bvh, const snBvhMap *map, const char *file, const char *path,
                            snMotionSource *note, snError *error)
{
    snWriter w;
    snStatus status = sn_writer_open(&w, path, error);
    if (status != SN_OK) return status;
    if (note) {
        note->wanted = map->bone.count;
        count_bones(bvh, map, &note->found);
    }
    put_bones(&w, bvh, map, file);
    return sn_writer_commit(&w, error);
}

snStatus sn_write_starter_map(const snBvhFile *bvh, const snBvhMap *map, const char *file, const char *path,
                              snMotionSource *note, snError *error)
{
    snBvhMatch match;
    snWriter w;
    if (map->bone.count || !map->line.count) return write_bones(bvh, map, file, path, note, error);
    snStatus status = sn_bvh_match(bvh, map, file, &match, error);
    if (status == SN_NO_MEMORY) return status;
    if (status != SN_OK)
        match = (snBvhMatch){.turn = q_identity()}; /* nothing is known: all lines are to be filled in */
    if (note) note->wanted = map->line.count, note->found = match.found, note->turned = match.turned;
    status = sn_writer_open(&w, path, error);
    if (status == SN_OK) {
        put_axes(&w, bvh, map, &match, file);
        status = sn_writer_commit(&w, error);
    }
    sn_bvh_match_free(&match);
    return status;
}
