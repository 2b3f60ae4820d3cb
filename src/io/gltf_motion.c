/* The animation of a glTF file as the motion of a skeleton. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/gltf_read.h"
#include "io/track_xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_CHANNELS = 40000, MAX_POSES = 10 * 1000 * 1000, MAX_SECONDS = 36000 };
static const double DENSE = 0.05;     /* s: keys this close together are frames as they stand */
static const double SAMPLE_RATE = 60; /* 1/s, of all others */
static const double EVEN = 1e-3;      /* by what part of a step even keys may differ: times are single precision */

typedef enum Way { WAY_LINEAR, WAY_STEP, WAY_CUBIC } Way;

typedef struct Channel {
    int32_t node;
    bool rotation; /* or else the translation */
    Way way;
    int32_t count;
    double *time;  /* count */
    double *value; /* count x 3 or 4; three times as many where the way is cubic: tangent in, value, tangent out */
} Channel;

typedef struct Motion {
    snGltf gltf;
    snGltfNodes nodes;
    SN_ARRAY(Channel) channel;
    double first, last;
    double slack; /* s: keys this close to a frame are meant to lie on it */
} Motion;

/* ---- channels ------------------------------------------------------------------------------- */

static snStatus read_way(const Motion *m, int32_t animation, const snJsonValue *sampler, Way *way)
{
    const char *text = sn_json_member_text(sampler, "interpolation", "LINEAR");
    *way = strcmp(text, "STEP") == 0 ? WAY_STEP : strcmp(text, "CUBICSPLINE") == 0 ? WAY_CUBIC : WAY_LINEAR;
    if (*way != WAY_LINEAR || strcmp(text, "LINEAR") == 0) return SN_OK;
    return sn_gltf_fail(&m->gltf, "animations", animation, "unknown interpolation \"%.40s\"", text);
}

static snStatus check_keys(const Motion *m, int32_t accessor, const Channel *c, int32_t values)
{
    int width = c->rotation ? 4 : 3, per = c->way == WAY_CUBIC ? 3 : 1;
    if (values != per * c->count)
        return sn_gltf_fail(&m->gltf, "accessors", accessor, "%d values for %d keys, expected %d", values, c->count,
                            per * c->count);
    for (int32_t i = 0; i < c->count; ++i) {
        if (c->time[i] < 0 || c->time[i] > MAX_SECONDS || (i && !(c->time[i] > c->time[i - 1])))
            return sn_gltf_fail(&m->gltf, "accessors", accessor,
                                "key %d is at %g s: times must increase from 0 to %d s", i, c->time[i], MAX_SECONDS);
        double length = 0;
        const double *value = c->value + (size_t)width * ((size_t)(per * i) + (per == 3));
        for (int k = 0; k < width; ++k) length += value[k] * value[k];
        if (c->rotation && !(length > 1e-6 && length < 1e12))
            return sn_gltf_fail(&m->gltf, "accessors", accessor, "key %d is a rotation without length", i);
    }
    return SN_OK;
}

static snStatus read_channel(Motion *m, int32_t animation, const snJsonValue *samplers, const snJsonValue *json)
{
    const snJsonValue *target = sn_json_member(json, "target");
    const char *path = sn_json_member_text(target, "path", "");
    Channel c = {.node = sn_json_member_index(target, "node"), .rotation = strcmp(path, "rotation") == 0};
    if (!sn_json_member(target, "node") || (!c.rotation && strcmp(path, "translation") != 0)) return SN_OK;
    if (c.node < 0 || c.node >= m->nodes.count)
        return sn_gltf_fail(&m->gltf, "animations", animation, "a channel moves a node that does not exist");
    int32_t index = sn_json_member_index(json, "sampler"), values = 0;
    const snJsonValue *sampler = sn_json_item(samplers, index);
    if (!sampler) return sn_gltf_fail(&m->gltf, "animations", animation, "there is no samplers[%d]", index);
    if (m->channel.count >= MAX_CHANNELS)
        return sn_gltf_fail(&m->gltf, "animations", animation, "more than %d channels", MAX_CHANNELS);
    snStatus status = read_way(m, animation, sampler, &c.way);
    if (status == SN_OK)
        status = sn_gltf_numbers(&m->gltf, sn_json_member_index(sampler, "input"), 1, &c.time, &c.count);
    int32_t output = sn_json_member_index(sampler, "output");
    if (status == SN_OK) status = sn_gltf_numbers(&m->gltf, output, c.rotation ? 4 : 3, &c.value, &values);
    if (status == SN_OK) status = check_keys(m, output, &c, values);
    if (status == SN_OK && !sn_array_push(&m->channel, c)) status = sn_fail_no_memory(m->gltf.error);
    if (status == SN_OK) return SN_OK;
    sn_free(c.time);
    sn_free(c.value);
    return status;
}

static bool turns_nodes(const snJsonValue *animation)
{
    const snJsonValue *channels = sn_json_member(animation, "channels");
    for (int32_t i = 0; channels && i < channels->count; ++i) {
        const snJsonValue *target = sn_json_member(sn_json_item(channels, i), "target");
        if (strcmp(sn_json_member_text(target, "path", ""), "rotation") == 0 && sn_json_member(target, "node"))
            return true;
    }
    return false;
}

static snStatus fail_animation(const Motion *m, const snJsonValue *list, const char *name)
{
    char names[200] = "";
    for (int32_t i = 0; list && i < list->count; ++i) {
        size_t n = strlen(names);
        if (!turns_nodes(&list->item[i])) continue;
        (void)snprintf(names + n, sizeof names - n, "%s%.60s", n ? ", " : "",
                       sn_json_member_text(&list->item[i], "name", "?"));
    }
    bool other = name && *names;
    if (other) {
        sn_fail(m->gltf.error, SN_BAD_INPUT, "the file has no animation \"%.60s\" that turns a joint", name);
        sn_error_remedy(m->gltf.error, "it has %s", names);
    } else {
        sn_fail(m->gltf.error, SN_BAD_FILE, "no animation of the file turns a joint");
        sn_error_remedy(m->gltf.error, "export the file with its animation, as rotations of bones");
    }
    sn_error_place(m->gltf.error, m->gltf.file, 0, 0);
    return other ? SN_BAD_INPUT : SN_BAD_FILE;
}

static bool is_wanted(const snJsonValue *animation, const char *name)
{
    return turns_nodes(animation) && (!name || strcmp(sn_json_member_text(animation, "name", ""), name) == 0);
}

static snStatus read_animation(Motion *m, const char *name)
{
    const snJsonValue *list = sn_gltf_list(&m->gltf, "animations");
    int32_t which = 0;
    while (list && which < list->count && !is_wanted(&list->item[which], name)) ++which;
    if (!list || which == list->count) return fail_animation(m, list, name);
    const snJsonValue *channels = sn_json_member(&list->item[which], "channels");
    const snJsonValue *samplers = sn_json_member(&list->item[which], "samplers");
    snStatus status = SN_OK;
    for (int32_t i = 0; status == SN_OK && i < channels->count; ++i)
        status = read_channel(m, which, samplers, &channels->item[i]);
    return status;
}

/* ---- interpolation -------------------------------------------------------------------------- */

static quat slerp(quat a, quat b, double t)
{
    return q_mul(a, q_exp(v3_scale(q_log(q_mul(q_conj(a), b)), t)));
}

static quat rotation_key(const double *v)
{
    return q_unit((quat){v[3], v[0], v[1], v[2]});
}

/* Hermite: p0, m0, p1, m1 are value, tangent out, value, tangent in; tangents a second. */
static void hermite(const Channel *c, int32_t key, double t, double step, double *result)
{
    int width = c->rotation ? 4 : 3;
    const double *a = c->value + 3 * (size_t)width * (size_t)key, *b = a + 3 * (size_t)width;
    double t2 = t * t, t3 = t2 * t;
    for (int k = 0; k < width; ++k)
        result[k] = (2 * t3 - 3 * t2 + 1) * a[width + k] + (t3 - 2 * t2 + t) * step * a[2 * width + k] +
                    (3 * t2 - 2 * t3) * b[width + k] + (t3 - t2) * step * b[k];
}

/* The key before the time, by halving; held at both ends. */
static int32_t key_before(const Channel *c, double time, double slack, double *t)
{
    int32_t low = 0, high = c->count - 1;
    *t = 0;
    if (time <= c->time[0]) return 0;
    if (time >= c->time[high]) return high;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (c->time[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    if (c->time[high] - time <= slack) return high;
    if (time - c->time[low] > slack) *t = (time - c->time[low]) / (c->time[high] - c->time[low]);
    return low;
}

static void evaluate(const Channel *c, double time, double slack, rigid *local)
{
    int width = c->rotation ? 4 : 3, per = c->way == WAY_CUBIC ? 3 : 1;
    double t, value[4];
    int32_t key = key_before(c, time, slack, &t);
    const double *a = c->value + (size_t)width * ((size_t)per * (size_t)key + (per == 3)), *b = a + width;
    if (t == 0 || c->way == WAY_STEP)
        b = a, t = 0;
    else if (c->way == WAY_CUBIC) {
        hermite(c, key, t, c->time[key + 1] - c->time[key], value);
        double length = 0;
        for (int k = 0; k < width; ++k) length += value[k] * value[k];
        if (length > 1e-12 && length < 1e12) a = value; /* or else the key before */
        b = a, t = 0;
    }
    if (c->rotation)
        local->q = t > 0 ? slerp(rotation_key(a), rotation_key(b), t) : rotation_key(a);
    else
        local->p = v3_lerp(v3_load(a), v3_load(b), t);
}

/* ---- frames --------------------------------------------------------------------------------- */

/* Whether all channels have the same even keys, close together; then those are the frames. */
static bool even_keys(Motion *m, double *step)
{
    *step = INFINITY;
    for (int32_t i = 0; i < m->channel.count; ++i) {
        const Channel *c = &m->channel.at[i];
        if (c->count > 1) *step = fmin(*step, (c->time[c->count - 1] - c->time[0]) / (c->count - 1));
    }
    if (!(*step <= DENSE && *step >= SN_TRACK_MIN_STEP)) return false;
    double slack = EVEN * *step + 1e-6 * m->last;
    for (int32_t i = 0; i < m->channel.count; ++i) {
        const Channel *c = &m->channel.at[i];
        for (int32_t k = 0; k < c->count; ++k) { /* keys that are left out are filled in at the same times */
            double place = (c->time[k] - m->first) / *step;
            if (fabs(place - round(place)) * *step > slack) return false;
        }
    }
    m->slack = slack;
    return true;
}

static snStatus choose_frames(Motion *m, snBvhFile *b)
{
    double step;
    m->first = INFINITY, m->last = 0;
    for (int32_t i = 0; i < m->channel.count; ++i) {
        m->first = fmin(m->first, m->channel.at[i].time[0]);
        m->last = fmax(m->last, m->channel.at[i].time[m->channel.at[i].count - 1]);
    }
    double length = m->last - m->first;
    double frames = even_keys(m, &step) ? round(length / step) + 1 : ceil(length * SAMPLE_RATE) + 1;
    if (frames * b->joint.count > MAX_POSES) {
        sn_fail(m->gltf.error, SN_BAD_FILE, "%.0f frames of %d joints are too many", frames, b->joint.count);
        sn_error_place(m->gltf.error, m->gltf.file, 0, 0);
        sn_error_remedy(m->gltf.error, "split the animation, or export only the joints of the hand");
        return SN_BAD_FILE;
    }
    if (frames > 1 && length / (frames - 1) < SN_TRACK_MIN_STEP) frames = 1;
    b->frames = (int32_t)frames;
    b->frame_time = frames > 1 ? length / (frames - 1) : 1 / SAMPLE_RATE;
    b->local = SN_NEW_ARRAY(rigid, (int64_t)b->frames * b->joint.count);
    return b->local ? SN_OK : sn_fail_no_memory(m->gltf.error);
}

/* A turn of the node against its parent becomes one in the axes of the scene at rest:
 * parent's rest x turn x rest^-1. */
static void fill_frames(const Motion *m, snBvhFile *b)
{
    for (int32_t f = 0; f < b->frames; ++f) {
        rigid *frame = b->local + (size_t)f * (size_t)b->joint.count;
        double time = f + 1 < b->frames ? m->first + f * b->frame_time : b->frames > 1 ? m->last : m->first;
        for (int32_t i = 0; i < m->nodes.count; ++i)
            if (m->nodes.at[i].joint >= 0) frame[m->nodes.at[i].joint] = m->nodes.at[i].local;
        for (int32_t i = 0; i < m->channel.count; ++i)
            evaluate(&m->channel.at[i], time, m->slack, &frame[m->nodes.at[m->channel.at[i].node].joint]);
        for (int32_t i = 0; i < m->nodes.count; ++i) {
            const snGltfNode *node = &m->nodes.at[i];
            if (node->joint < 0) continue;
            rigid *local = &frame[node->joint];
            v3 moved = q_rotate(node->seen, v3_sub(local->p, node->local.p));
            local->q = q_mul(q_mul(node->seen, local->q), q_conj(node->rest.q));
            local->p = v3_add(b->joint.at[node->joint].offset, moved);
        }
    }
}

/* ---- joints --------------------------------------------------------------------------------- */

/* Joints of the skin, what the animation moves, and all above them; every node where there is no skin. */
static void mark_joints(Motion *m)
{
    const snJsonValue *skins = sn_gltf_list(&m->gltf, "skins");
    for (int32_t i = 0; i < m->channel.count; ++i) m->nodes.at[m->channel.at[i].node].joint = 0;
    for (int32_t i = m->nodes.count - 1; i >= 0; --i) {
        snGltfNode *node = &m->nodes.at[m->nodes.order[i]];
        if (!skins || skins->count == 0) node->joint = 0;
        if (node->joint == 0 && node->parent >= 0) m->nodes.at[node->parent].joint = 0;
    }
}

/* Blanks and control characters become _, so that a mapping can name every joint. */
static char *name_of(snBvhFile *b, const snJsonValue *node, int32_t index)
{
    char number[32];
    const char *name = sn_json_member_text(node, "name", "");
    (void)snprintf(number, sizeof number, "node_%d", index);
    char *copy = sn_arena_strdup(&b->arena, *name ? name : number);
    for (char *c = copy; c && *c; ++c)
        if ((unsigned char)*c <= 32 || *c == 127) *c = '_';
    return copy;
}

static snStatus make_joints(Motion *m, snBvhFile *b)
{
    const snJsonValue *list = sn_gltf_list(&m->gltf, "nodes");
    mark_joints(m);
    for (int32_t i = 0; i < m->nodes.count; ++i) {
        int32_t index = m->nodes.order[i];
        snGltfNode *node = &m->nodes.at[index];
        const snGltfNode *parent = node->parent >= 0 ? &m->nodes.at[node->parent] : NULL;
        if (node->joint < 0) continue;
        node->joint = b->joint.count;
        snBvhJoint joint = {.name = name_of(b, sn_json_item(list, index), index),
                            .parent = parent ? parent->joint : -1};
        joint.offset = parent ? v3_sub(node->rest.p, parent->rest.p) : node->rest.p;
        if (!joint.name || !sn_map_put(&b->names, joint.name, b->joint.count) || !sn_array_push(&b->joint, joint))
            return sn_fail_no_memory(m->gltf.error);
    }
    return SN_OK;
}

snStatus sn_parse_gltf(const char *file, const char *data, size_t size, bool alone, const char *animation, snBvhFile *b,
                       snError *error)
{
    Motion m = {0};
    *b = (snBvhFile){0};
    snStatus status = sn_gltf_open(file, data, size, alone, &m.gltf, error);
    if (status == SN_OK) status = sn_gltf_nodes(&m.gltf, &m.nodes);
    if (status == SN_OK) status = read_animation(&m, animation);
    if (status == SN_OK) status = make_joints(&m, b);
    if (status == SN_OK) status = choose_frames(&m, b);
    if (status == SN_OK) fill_frames(&m, b);
    if (status != SN_OK) sn_bvh_free(b);
    for (int32_t i = 0; i < m.channel.count; ++i) {
        sn_free(m.channel.at[i].time);
        sn_free(m.channel.at[i].value);
    }
    sn_array_free(&m.channel);
    sn_gltf_nodes_free(&m.nodes);
    sn_gltf_close(&m.gltf);
    return status;
}

bool sn_is_gltf(const char *path, size_t *length)
{
    const char *hash = strrchr(path, '#');
    *length = strlen(path);
    if (sn_path_ends(path, ".glb") || sn_path_ends(path, ".gltf")) return true;
    if (!hash) return false;
    *length = (size_t)(hash - path);
    return (*length > 4 && strncasecmp(hash - 4, ".glb", 4) == 0) ||
           (*length > 5 && strncasecmp(hash - 5, ".gltf", 5) == 0);
}

snStatus sn_load_gltf_file(const char *path, snBvhFile *b, snError *error)
{
    char *data, *file = sn_strdup(path);
    size_t size, length;
    if (!file) return sn_fail_no_memory(error);
    (void)sn_is_gltf(path, &length);
    const char *animation = file[length] ? file + length + 1 : NULL;
    file[length] = '\0';
    snStatus status = sn_file_read_reference(file, SN_FILE_LIMIT, &data, &size, error);
    if (status == SN_OK) {
        status = sn_parse_gltf(file, data, size, false, animation, b, error);
        sn_free(data);
    }
    sn_free(file);
    return status;
}
