/* JSON text and the binary buffer of a glTF document. */
#include "base/alloc.h"
#include "io/little.h"
#include "page/gltf.h"

#include <string.h>

/* ---- views and accessors -------------------------------------------------------------------- */

static void comma(snBytes *t)
{
    if (t->size) sn_json_text(t, ",");
}

static void put_key(snBytes *t, const char *key, int64_t value)
{
    sn_json_text(t, key);
    sn_json_int(t, value);
}

/* The bytes from `start` to the end of the buffer as a view; the buffer is filled up to a multiple of 4. */
static int32_t end_view(snGltf *g, size_t start, int target)
{
    size_t size = g->bin.size - start;
    sn_bytes_add(&g->bin, "\0\0\0", (4 - size % 4) % 4);
    comma(&g->views);
    put_key(&g->views, "{\"buffer\":0,\"byteOffset\":", (int64_t)start);
    put_key(&g->views, ",\"byteLength\":", (int64_t)size);
    if (target) put_key(&g->views, ",\"target\":", target);
    sn_json_text(&g->views, "}");
    return g->nview++;
}

/* The lowest `size` bytes of a number, at most four. */
static void put_bits(snBytes *bin, uint32_t bits, int size)
{
    unsigned char b[4];
    sn_little_put(b, bits, size);
    sn_bytes_add(bin, b, (size_t)size);
}

static void put_float(snBytes *bin, double value)
{
    put_bits(bin, sn_float_bits(value), 4);
}

static void put_bound(snBytes *t, const char *key, const double *bound, int width)
{
    sn_json_text(t, key);
    for (int k = 0; k < width; ++k) {
        if (k) sn_json_text(t, ",");
        sn_json_number(t, (double)(float)bound[k]);
    }
    sn_json_text(t, "]");
}

static bool longer(const double *v, int width, double least)
{
    double sum = 0;
    for (int k = 0; k < width; ++k) sum += v[k] * v[k];
    return sum > least * least;
}

static void put_bounds(snBytes *t, const double *value, size_t count, int width)
{
    double low[4], high[4];
    for (int k = 0; k < width; ++k) low[k] = high[k] = count ? value[k] : 0;
    for (size_t i = 0; i < count; ++i) {
        const double *v = value + i * (size_t)width;
        for (int k = 0; k < width; ++k) {
            low[k] = fmin(low[k], v[k]);
            high[k] = fmax(high[k], v[k]);
        }
    }
    put_bound(t, ",\"min\":[", low, width);
    put_bound(t, ",\"max\":[", high, width);
}

static const char *type_name(int width)
{
    return width == 1   ? "\"SCALAR\""
           : width == 2 ? "\"VEC2\""
           : width == 3 ? "\"VEC3\""
           : width == 4 ? "\"VEC4\""
                        : "\"MAT4\"";
}

static void start_accessor(snGltf *g, int32_t view, int component, size_t count, int width)
{
    comma(&g->accessors);
    put_key(&g->accessors, "{\"componentType\":", component);
    put_key(&g->accessors, ",\"count\":", (int64_t)count);
    sn_json_text(&g->accessors, ",\"type\":");
    sn_json_text(&g->accessors, type_name(width));
    if (view >= 0) put_key(&g->accessors, ",\"bufferView\":", view);
}

int32_t sn_gltf_vectors(snGltf *g, const double *value, size_t count, int width, int target)
{
    size_t start = g->bin.size;
    for (size_t i = 0; i < count * (size_t)width; ++i) put_float(&g->bin, value[i]);
    start_accessor(g, end_view(g, start, target), 5126, count, width);
    if (width <= 4) put_bounds(&g->accessors, value, count, width);
    sn_json_text(&g->accessors, "}");
    return g->naccessor++;
}

static int32_t quantum(double value, bool small)
{
    double most = small ? 127 : 32767;
    return (int32_t)rint(fmin(fmax(value, -1), 1) * most);
}

static void put_quantum(snBytes *bin, int32_t value, bool small)
{
    unsigned char b = (unsigned char)(value & 0xff);
    if (small)
        sn_bytes_add(bin, &b, 1);
    else
        put_bits(bin, (uint32_t)value & 0xffff, 2);
}

static void put_quantum_bounds(snBytes *t, const double *value, size_t count, double least)
{
    int32_t bound[2][3] = {{0}};
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3 && longer(value + 3 * i, 3, least); ++k) {
            int32_t q = quantum(value[3 * i + (size_t)k], false);
            if (q < bound[0][k]) bound[0][k] = q;
            if (q > bound[1][k]) bound[1][k] = q;
        }
    for (int e = 0; e < 2; ++e) {
        sn_json_text(t, e ? ",\"max\":[" : ",\"min\":[");
        for (int k = 0; k < 3; ++k) put_key(t, k ? "," : "", bound[e][k]);
        sn_json_text(t, "]");
    }
}

/* One view holds the indices and, behind them, the values. */
int32_t sn_gltf_differences(snGltf *g, const double *value, size_t count, double least, bool direction)
{
    bool wide = count > 65536; /* indices */
    size_t kept = 0, start = g->bin.size;
    double most = 0;
    for (size_t i = 0; i < 3 * count; ++i) most = fmax(most, fabs(value[i]));
    if (most > 1) return sn_gltf_vectors(g, value, count, 3, 34962); /* more than the format can hold */
    for (size_t i = 0; i < count; ++i) {
        if (!longer(value + 3 * i, 3, least)) continue;
        if (wide)
            put_bits(&g->bin, (uint32_t)i, 4);
        else
            put_bits(&g->bin, (uint32_t)i, 2);
        ++kept;
    }
    size_t stored = kept ? kept : 1; /* glTF wants one at least */
    if (kept == 0) sn_bytes_add(&g->bin, "\0\0\0", wide ? 4 : 2);
    size_t behind = g->bin.size - start;
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3 && longer(value + 3 * i, 3, least); ++k)
            put_quantum(&g->bin, quantum(value[3 * i + (size_t)k], direction), direction);
    for (int k = 0; k < 3 && kept == 0; ++k) put_quantum(&g->bin, 0, direction);
    int32_t view = end_view(g, start, 0);
    start_accessor(g, -1, direction ? 5120 : 5122, count, 3);
    sn_json_text(&g->accessors, ",\"normalized\":true");
    if (!direction) put_quantum_bounds(&g->accessors, value, count, least);
    put_key(&g->accessors, ",\"sparse\":{\"count\":", (int64_t)stored);
    put_key(&g->accessors, ",\"indices\":{\"componentType\":", wide ? 5125 : 5123);
    put_key(&g->accessors, ",\"bufferView\":", view);
    put_key(&g->accessors, "},\"values\":{\"bufferView\":", view);
    put_key(&g->accessors, ",\"byteOffset\":", (int64_t)behind);
    sn_json_text(&g->accessors, "}}}");
    g->quantized = true;
    return g->naccessor++;
}

int32_t sn_gltf_indices(snGltf *g, const int32_t *index, size_t count)
{
    size_t start = g->bin.size;
    int32_t most = 0;
    for (size_t i = 0; i < count; ++i) most = index[i] > most ? index[i] : most;
    bool wide = most >= 65535; /* the largest number of 16 bits has a meaning of its own */
    for (size_t i = 0; i < count; ++i)
        if (wide)
            put_bits(&g->bin, (uint32_t)index[i], 4);
        else
            put_bits(&g->bin, (uint32_t)index[i], 2);
    start_accessor(g, end_view(g, start, 34963), wide ? 5125 : 5123, count, 1);
    sn_json_text(&g->accessors, "}");
    return g->naccessor++;
}

int32_t sn_gltf_joints(snGltf *g, const int32_t *joint, size_t count)
{
    size_t start = g->bin.size;
    for (size_t i = 0; i < 4 * count; ++i) put_bits(&g->bin, (uint32_t)joint[i], 2);
    start_accessor(g, end_view(g, start, 34962), 5123, count, 4);
    sn_json_text(&g->accessors, "}");
    return g->naccessor++;
}

int32_t sn_gltf_texture(snGltf *g, const double *uv, size_t count)
{
    size_t start = g->bin.size;
    for (size_t i = 0; i < 2 * count; ++i) put_bits(&g->bin, (uint32_t)lrint(65535 * fmin(fmax(uv[i], 0), 1)), 2);
    start_accessor(g, end_view(g, start, 34962), 5123, count, 2);
    sn_json_text(&g->accessors, ",\"normalized\":true}");
    return g->naccessor++;
}

/* ---- meshes, nodes, animation --------------------------------------------------------------- */

static void put_attribute(snBytes *t, const char *name, int32_t accessor, bool *first)
{
    if (accessor < 0) return;
    sn_json_text(t, *first ? "\"" : ",\"");
    sn_json_text(t, name);
    put_key(t, "\":", accessor);
    *first = false;
}

static void put_targets(snBytes *t, const snShapes *s)
{
    sn_json_text(t, ",\"targets\":[");
    for (int32_t i = 0; i < s->count; ++i) {
        bool first = true;
        sn_json_text(t, i ? ",{" : "{");
        put_attribute(t, "POSITION", s->position[i], &first);
        if (s->normal) put_attribute(t, "NORMAL", s->normal[i], &first);
        sn_json_text(t, "}");
    }
    sn_json_text(t, "]");
}

static void put_primitive(snBytes *t, const snGltfMesh *m, const snGltfPart *part)
{
    bool first = true;
    sn_json_text(t, "{\"attributes\":{");
    put_attribute(t, "POSITION", m->position, &first);
    put_attribute(t, "NORMAL", m->normal, &first);
    put_attribute(t, "TEXCOORD_0", m->uv, &first);
    put_attribute(t, "JOINTS_0", m->joints, &first);
    put_attribute(t, "WEIGHTS_0", m->weights, &first);
    put_key(t, "},\"indices\":", part->index);
    put_key(t, ",\"material\":", part->material);
    if (m->shapes && m->shapes->count) put_targets(t, m->shapes);
    sn_json_text(t, "}");
}

int32_t sn_gltf_mesh(snGltf *g, const snGltfMesh *m)
{
    snBytes *t = &g->meshes;
    comma(t);
    sn_json_text(t, "{\"name\":");
    sn_json_string(t, m->name);
    sn_json_text(t, ",\"primitives\":[");
    for (int32_t i = 0; i < m->npart; ++i) {
        if (i) sn_json_text(t, ",");
        put_primitive(t, m, &m->part[i]);
    }
    sn_json_text(t, "]");
    sn_json_text(t, "}");
    return g->nmesh++;
}

static void put_list(snBytes *t, const char *key, const double *value, int count)
{
    sn_json_text(t, key);
    for (int k = 0; k < count; ++k) {
        if (k) sn_json_text(t, ",");
        sn_json_number(t, value[k]);
    }
    sn_json_text(t, "]");
}

int32_t sn_gltf_node(snGltf *g, const char *name, int32_t mesh, int32_t skin, const double pose[7], const char *extras)
{
    snBytes *t = &g->nodes;
    comma(t);
    sn_json_text(t, "{\"name\":");
    sn_json_string(t, name);
    if (mesh >= 0) put_key(t, ",\"mesh\":", mesh);
    if (skin >= 0) put_key(t, ",\"skin\":", skin);
    if (pose) {
        double rotation[4] = {pose[4], pose[5], pose[6], pose[3]}; /* glTF has w last */
        put_list(t, ",\"translation\":[", pose, 3);
        put_list(t, ",\"rotation\":[", rotation, 4);
    }
    if (extras) {
        sn_json_text(t, ",\"extras\":");
        sn_json_text(t, extras);
    }
    sn_json_text(t, "}");
    return g->nnode++;
}

void sn_gltf_animate(snGltf *g, int32_t node, const char *path, int32_t time_accessor, int32_t value_accessor)
{
    comma(&g->samplers);
    put_key(&g->samplers, "{\"input\":", time_accessor);
    put_key(&g->samplers, ",\"output\":", value_accessor);
    sn_json_text(&g->samplers, "}");
    comma(&g->channels);
    put_key(&g->channels, "{\"sampler\":", g->nsampler++);
    put_key(&g->channels, ",\"target\":{\"node\":", node);
    sn_json_text(&g->channels, ",\"path\":\"");
    sn_json_text(&g->channels, path);
    sn_json_text(&g->channels, "\"}}");
}

/* At the time of each shape its weight is one and the others are zero. */
void sn_gltf_animate_shapes(snGltf *g, int32_t node, const snShapes *s)
{
    size_t start = g->bin.size;
    int32_t keys = s->count + 1;
    if (s->count == 0) return;
    for (int32_t k = 0; k < keys; ++k)
        for (int32_t i = 1; i < keys; ++i) sn_bytes_add(&g->bin, i == k ? "\xff" : "", 1);
    start_accessor(g, end_view(g, start, 0), 5121, (size_t)keys * (size_t)s->count, 1);
    sn_json_text(&g->accessors, ",\"normalized\":true}");
    int32_t weights = g->naccessor++;
    sn_gltf_animate(g, node, "weights", sn_gltf_vectors(g, s->time, (size_t)keys, 1, 0), weights);
}

bool sn_gltf_failed(const snGltf *g)
{
    return g->failed || g->bin.failed || g->views.failed || g->accessors.failed || g->meshes.failed ||
           g->nodes.failed || g->skins.failed || g->channels.failed || g->samplers.failed;
}

void sn_gltf_free(snGltf *g)
{
    snBytes *all[] = {&g->bin, &g->views, &g->accessors, &g->meshes, &g->nodes, &g->skins, &g->channels, &g->samplers};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) sn_bytes_free(all[i]);
}
