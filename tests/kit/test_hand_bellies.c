/* Bellies of the shipped hand: closed, as large as PCSA and fibre length say, side by side, under the skin. */
#include "check.h"

#include "base/alloc.h"
#include "geom/bvh.h"
#include "hand/hand.h"
#include "model/nodes.h"
#include "sinew/io.h"
#include "sinew/model.h"

#include <string.h>

enum { MOST = 80 };

typedef struct {
    char name[40];
    snTriMesh mesh;
    snBvh *tree;
    v3 low, high;
    double volume;
    bool forearm; /* packed in slices across the forearm */
} Belly;

typedef struct {
    snSpec *spec;
    snHand hand;
    Belly belly[MOST];
    int32_t count;
    snTriMesh skin;
    snBvh *skin_tree;
} Bellies;

static void take_mesh(const snSpec *spec, snId id, snTriMesh *mesh)
{
    const snNodeDef *node = sn_spec_node(spec, id);
    affine world = sn_node_world(spec, id);
    assert_true(sn_trimesh_alloc(mesh, node->nvertex, node->ntriangle));
    memcpy(mesh->triangle, node->triangle, 3 * sizeof *mesh->triangle * (size_t)node->ntriangle);
    for (int32_t v = 0; v < node->nvertex; ++v)
        v3_store(mesh->vertex + 3 * v, affine_apply(&world, v3_load(node->vertex + 3 * v)));
}

static void add_belly(Bellies *b, const char *name, snId node)
{
    Belly *one = b->belly + b->count++;
    (void)snprintf(one->name, sizeof one->name, "%s", name);
    take_mesh(b->spec, node, &one->mesh);
    one->tree = sn_bvh_create(&one->mesh);
    assert_non_null(one->tree);
    snError error = {0};
    if (sn_trimesh_require(&one->mesh, true, name, &error) != SN_OK) print_error("%s: %s\n", name, error.message);
    assert_int_equal(error.status, SN_OK);
    sn_trimesh_integrals(&one->mesh, &one->volume, NULL, NULL);
    one->low = v3_of(INFINITY, INFINITY, INFINITY), one->high = v3_neg(one->low);
    for (int32_t v = 0; v < one->mesh.nvertex; ++v) {
        v3 p = sn_trimesh_point(&one->mesh, v);
        one->low = v3_of(fmin(one->low.x, p.x), fmin(one->low.y, p.y), fmin(one->low.z, p.z));
        one->high = v3_of(fmax(one->high.x, p.x), fmax(one->high.y, p.y), fmax(one->high.z, p.z));
    }
    one->forearm = one->low.y > -0.01 && one->high.y < 0.34;
}

static int open_bellies(void **state)
{
    static Bellies b;
    char path[4096];
    snError error = {0};
    memset(&b, 0, sizeof b);
    *state = &b;
    assert_int_equal(sn_hand_read(&b.hand, SINEW_SOURCE_DIR "/models/hand", &error), SN_OK);
    assert_int_equal(sn_find_model("hand", path, sizeof path, &error), SN_OK);
    assert_int_equal(sn_load_model(path, &b.spec, &error), SN_OK);
    for (snId id = 1; id <= sn_spec_count(b.spec, SN_KIND_STRAND); ++id) {
        const snStrandDef *strand = sn_spec_strand(b.spec, id);
        snId node = sn_spec_find(b.spec, SN_KIND_NODE, strand->belly_mesh);
        assert_true(node > 0 && b.count < MOST);
        add_belly(&b, strand->name, node);
    }
    take_mesh(b.spec, sn_spec_find(b.spec, SN_KIND_NODE, "skin"), &b.skin);
    b.skin_tree = sn_bvh_create(&b.skin);
    return b.skin_tree ? 0 : -1;
}

static int close_bellies(void **state)
{
    Bellies *b = *state;
    for (int32_t i = 0; i < b->count; ++i) sn_bvh_destroy(b->belly[i].tree), sn_trimesh_free(&b->belly[i].mesh);
    sn_bvh_destroy(b->skin_tree);
    sn_trimesh_free(&b->skin);
    sn_hand_free(&b->hand);
    sn_spec_destroy(b->spec);
    return 0;
}

static void volumes_are_pcsa_times_fibre_length(void **state)
{
    Bellies *b = *state;
    double forearm = 0, wanted = 0, worst = 0, plain = 0;
    for (int32_t i = 0; i < b->count; ++i) {
        const snHandMuscle *m = &b->hand.muscle.at[i];
        double target = sn_hand_belly_volume(m), off = b->belly[i].volume / target - 1;
        assert_string_equal(m->name, b->belly[i].name);
        if (fabs(off) > fabs(worst)) worst = off;
        if (fabs(off) > 0.05)
            print_message("%s: %.1f cm3, wanted %.1f\n", m->name, 1e6 * b->belly[i].volume, 1e6 * target);
        if (!strcmp(m->name, "BIC") || b->belly[i].high.y < 0.012) continue; /* upper arm, hand */
        forearm += b->belly[i].volume, wanted += target, plain += m->pcsa * m->fiber_length;
    }
    print_message("%d bellies; worst volume off by %.1f %%; forearm %.0f cm3, wanted %.0f (PCSA x fibre length of the "
                  "tables: %.0f)\n",
                  (int)b->count, 100 * worst, 1e6 * forearm, 1e6 * wanted, 1e6 * plain);
    assert_at_most(fabs(worst), 0.1);
}

static bool inside(const Belly *one, v3 p)
{
    return p.x > one->low.x && p.y > one->low.y && p.z > one->low.z && p.x < one->high.x && p.y < one->high.y &&
           p.z < one->high.z && sn_bvh_inside(one->tree, p);
}

/* Share of the bellies' common room that more than one of them has, by points on a grid of 2 mm. */
static void bellies_lie_side_by_side(void **state)
{
    Bellies *b = *state;
    int32_t once = 0, twice = 0, outside = 0;
    for (double y = 0.02; y < 0.32; y += 0.004)
        for (double x = -0.07; x < 0.06; x += 0.002)
            for (double z = -0.1; z < 0.06; z += 0.002) {
                int32_t in = 0;
                for (int32_t i = 0; i < b->count && in < 2; ++i)
                    in += b->belly[i].forearm && inside(b->belly + i, v3_of(x, y, z));
                once += in > 0, twice += in > 1;
                outside += in > 0 && !sn_bvh_inside(b->skin_tree, v3_of(x, y, z));
            }
    print_message("forearm: %.0f cm3 of room, %.1f %% of it in two bellies, %.2f %% outside the skin\n", once * 16e-3,
                  100.0 * twice / once, 100.0 * outside / once);
    assert_at_most((double)twice / once, 0.1);
    assert_int_equal(outside, 0);
}

/* Distance of the outermost bellies to the skin: of all the directions across the forearm at a level. */
static void the_outermost_are_near_the_skin(void **state)
{
    Bellies *b = *state;
    double sum = 0, most = 0, least = 1;
    int32_t n = 0;
    for (double y = 0.06; y < 0.225; y += 0.015)
        for (int a = 0; a < 24; ++a) {
            v3 way = v3_of(cos(a * SN_PI / 12), 0, sin(a * SN_PI / 12)), middle = v3_of(-0.008, y, -0.02);
            double belly = 0, skin = 0;
            for (double r = 0.002; r < 0.08; r += 0.0005) {
                v3 p = v3_mad(middle, r, way);
                for (int32_t i = 0; i < b->count; ++i)
                    if (b->belly[i].forearm && inside(b->belly + i, p)) belly = r;
                if (sn_bvh_inside(b->skin_tree, p)) skin = r;
            }
            if (belly <= 0) continue;
            ++n, sum += skin - belly, most = fmax(most, skin - belly), least = fmin(least, skin - belly);
        }
    print_message("outermost belly to the skin of the forearm: %.1f mm in the mean, %.1f to %.1f mm\n", 1e3 * sum / n,
                  1e3 * least, 1e3 * most);
    assert_true(n > 100 && least > 0.0005);
    assert_at_most(sum / n, 0.012);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_are_pcsa_times_fibre_length),
        cmocka_unit_test(bellies_lie_side_by_side),
        cmocka_unit_test(the_outermost_are_near_the_skin),
    };
    return cmocka_run_group_tests(tests, open_bellies, close_bellies);
}
