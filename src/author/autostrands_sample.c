/* Sections of a muscle as sample points. A sample's fraction along the muscle is the mean of its fractions along the
 * input strands, weighted by inverse square distance: smooth between the strands, exact on them. Samples beyond the
 * end of the nearest input are left out.
 *
 * First the whole mesh is sampled evenly, which gives the volume of each section; then each section is filled up to the
 * wished number inside the box of the samples it has, so that thin ends are known as well as the belly. */
#include "author/autostrands.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"

#include <string.h>

enum {
    COARSE_WISHED = 3000,  /* samples of the whole mesh */
    COARSE_TRIES = 200000, /* a mesh that fills less than 1.5 % of its box gets fewer */
    TRIES_PER_SAMPLE = 40
};

typedef struct {
    v3 low, high;
} Box;

typedef struct {
    SN_ARRAY(double) place;
    SN_ARRAY(int32_t) owner;
} Section;

/* Point i of a sequence that fills the unit cube evenly: fractions of i over powers of the root of x^4 = x + 1. */
static v3 even_point(int64_t i, Box box)
{
    static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    double f[3];
    for (int c = 0; c < 3; ++c) f[c] = fmod(0.5 + (double)i * step[c], 1);
    v3 size = v3_sub(box.high, box.low);
    return v3_add(box.low, v3_mul(size, v3_load(f)));
}

static void box_add(Box *box, v3 p)
{
    box->low = v3_of(fmin(box->low.x, p.x), fmin(box->low.y, p.y), fmin(box->low.z, p.z));
    box->high = v3_of(fmax(box->high.x, p.x), fmax(box->high.y, p.y), fmax(box->high.z, p.z));
}

static Box box_empty(void)
{
    return (Box){v3_of(INFINITY, INFINITY, INFINITY), v3_of(-INFINITY, -INFINITY, -INFINITY)};
}

static double box_volume(Box box)
{
    v3 size = v3_sub(box.high, box.low);
    return size.x * size.y * size.z;
}

/* Nearest place on an input: fraction along it, square of the distance; beyond: past one of its ends. */
static double along_input(const snAutoStrands *a, int32_t input, v3 p, double *distance2, bool *beyond)
{
    double best = 0;
    *distance2 = INFINITY;
    for (int32_t k = 0; k + 1 < a->samples; ++k) {
        v3 from = sn_autostrands_path(a, input, k), way = v3_sub(sn_autostrands_path(a, input, k + 1), from);
        double t = fmin(fmax(v3_dot(v3_sub(p, from), way) / v3_len2(way), 0), 1);
        double d = v3_len2(v3_sub(p, v3_mad(from, t, way)));
        if (d < *distance2) *distance2 = d, best = (double)k + t;
    }
    int32_t last = a->samples - 1;
    v3 off_start = v3_sub(p, sn_autostrands_path(a, input, 0)),
       off_end = v3_sub(p, sn_autostrands_path(a, input, last));
    *beyond = (best <= 0 && v3_dot(off_start, sn_autostrands_tangent(a, input, 0)) < 0) ||
              (best >= last && v3_dot(off_end, sn_autostrands_tangent(a, input, last)) > 0);
    return best / last;
}

/* Section of a place, -1 when it is beyond the ends of the nearest input. */
static int32_t section_of(const snAutoStrands *a, v3 p, int32_t *owner)
{
    double nearest = INFINITY, sum = 0, weights = 0;
    bool beyond_nearest = false;
    for (int32_t i = 0; i < a->ninput; ++i) {
        double d2;
        bool beyond;
        double s = along_input(a, i, p, &d2, &beyond), w = 1 / (d2 + 1e-12);
        sum += w * s, weights += w;
        if (d2 < nearest) nearest = d2, *owner = i, beyond_nearest = beyond;
    }
    return beyond_nearest ? -1 : (int32_t)floor(sum / weights * (a->samples - 1) + 0.5);
}

static bool section_add(Section *section, v3 p, int32_t owner)
{
    if (!sn_array_reserve(&section->place, 3) || !sn_array_push(&section->owner, owner)) return false;
    v3_store(section->place.at + section->place.count, p);
    section->place.count += 3;
    return true;
}

/* Samples the whole mesh; volume_each: what one sample stands for. */
static bool sample_all(const snAutoStrands *a, Section *section, double *volume_each)
{
    Box box = box_empty();
    for (int32_t v = 0; v < a->mesh.nvertex; ++v) box_add(&box, sn_trimesh_point(&a->mesh, v));
    int64_t tries = 0;
    for (int32_t found = 0; found < COARSE_WISHED && tries < COARSE_TRIES; ++tries) {
        v3 p = even_point(tries, box);
        if (!sn_bvh_inside(a->tree, p)) continue;
        ++found;
        int32_t owner = 0, k = section_of(a, p, &owner);
        if (k >= 0 && !section_add(&section[k], p, owner)) return false;
    }
    *volume_each = box_volume(box) / (double)tries;
    return true;
}

/* Where samples of a section may be: around those it has and the inputs' points, by half as much again. */
static Box section_box(const snAutoStrands *a, const Section *section, int32_t k)
{
    Box box = box_empty();
    for (int32_t i = 0; i < a->ninput; ++i)
        for (int32_t j = k > 0 ? k - 1 : 0; j <= k + 1 && j < a->samples; ++j)
            box_add(&box, sn_autostrands_path(a, i, j));
    for (int32_t i = 0; i < section->owner.count; ++i) box_add(&box, v3_load(section->place.at + 3 * i));
    v3 grow = v3_scale(v3_sub(box.high, box.low), 0.25);
    double least = 0.2 * v3_len(grow);
    grow = v3_add(grow, v3_of(least, least, least));
    return (Box){v3_sub(box.low, grow), v3_add(box.high, grow)};
}

static bool fill_section(const snAutoStrands *a, Section *section, int32_t k, int32_t wished)
{
    Box box = section_box(a, section, k);
    section->place.count = section->owner.count = 0;
    for (int32_t i = 0; i < TRIES_PER_SAMPLE * wished && section->owner.count < wished; ++i) {
        v3 p = even_point(i, box);
        int32_t owner = 0;
        if (section_of(a, p, &owner) == k && sn_bvh_inside(a->tree, p) && !section_add(section, p, owner)) return false;
    }
    return true;
}

/* Distance between strands in a section of the given volume. The end sections are half as thick. */
static double wished_spacing(const snAutoStrands *a, int32_t k, double volume)
{
    double length = 0;
    for (int32_t i = 0; i < a->ninput; ++i)
        for (int32_t j = 0; j + 1 < a->samples; ++j)
            length += v3_dist(sn_autostrands_path(a, i, j), sn_autostrands_path(a, i, j + 1)) / a->ninput;
    double thickness = length / (a->samples - 1) * (k == 0 || k == a->samples - 1 ? 0.5 : 1);
    return sqrt(volume / thickness / a->count);
}

static bool gather(snAutoStrands *a, const Section *section)
{
    int32_t total = 0;
    for (int32_t k = 0; k < a->samples; ++k) a->first[k] = total, total += section[k].owner.count;
    a->first[a->samples] = total;
    a->place = SN_NEW_ARRAY(double, 3 * (size_t)total);
    a->owner = SN_NEW_ARRAY(int32_t, total);
    if (!a->place || !a->owner) return false;
    for (int32_t k = 0; k < a->samples; ++k) {
        size_t n = (size_t)section[k].owner.count;
        if (n == 0) continue;
        memcpy(a->place + 3 * (size_t)a->first[k], section[k].place.at, 3 * n * sizeof(double));
        memcpy(a->owner + a->first[k], section[k].owner.at, n * sizeof(int32_t));
    }
    return true;
}

snStatus sn_autostrands_sample(snAutoStrands *a, int32_t per_section, snError *error)
{
    Section *section = SN_NEW_ARRAY(Section, a->samples);
    double each = 0;
    bool fine = section && sample_all(a, section, &each);
    for (int32_t k = 0; fine && k < a->samples; ++k) {
        a->spacing[k] = wished_spacing(a, k, each * section[k].owner.count);
        fine = fill_section(a, &section[k], k, per_section);
    }
    fine = fine && gather(a, section);
    for (int32_t k = 0; section && k < a->samples; ++k) {
        sn_array_free(&section[k].place);
        sn_array_free(&section[k].owner);
    }
    sn_free(section);
    if (!fine) return sn_fail_no_memory(error);
    if (a->first[a->samples] > 0) return SN_OK;
    sn_fail(error, SN_BAD_INPUT, "no part of the mesh lies beside the input strands");
    sn_error_remedy(error, "draw the strands through the mesh from end to end");
    return SN_BAD_INPUT;
}

void sn_autostrands_share(snAutoStrands *a)
{
    /* one each, then each further one to the input whose strands have most samples each */
    int32_t *have = a->weight; /* count >= ninput */
    for (int32_t i = 0; i < a->ninput; ++i) have[i] = 1;
    for (int32_t left = a->count - a->ninput; left > 0; --left) {
        int32_t neediest = 0;
        double most = -1;
        for (int32_t i = 0; i < a->ninput; ++i) {
            int32_t owned = 0;
            for (int32_t s = 0; s < a->first[a->samples]; ++s) owned += a->owner[s] == i;
            double need = (double)owned / (have[i] + 0.5);
            if (need > most) most = need, neediest = i;
        }
        ++have[neediest];
    }
    for (int32_t i = 0, strand = 0; i < a->ninput; ++i)
        for (int32_t n = have[i]; n > 0; --n) a->input[strand++] = i;
}
