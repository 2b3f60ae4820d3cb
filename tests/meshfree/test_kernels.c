/* Inner loops that are compiled for several instruction sets: each against the formula in double. */
#include "check.h"

#include "base/alloc.h"
#include "meshfree/blend.h"
#include "meshfree/blocks.h"
#include "meshfree/quads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 7;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

static void place_with(const snBlendKernel *kernel)
{
    enum { BODIES = 3 };
    static const int32_t counts[] = {1, 2, 3, 4, 5, 7, 8, 255, SN_BLEND_BLOCK};
    static float shape[3][SN_BLEND_BLOCK], weight[BODIES][SN_BLEND_BLOCK];
    const float *each[BODIES] = {weight[0], weight[1], weight[2]};
    float R[BODIES][12];
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
        double out[3 * SN_BLEND_BLOCK + 1];
        int32_t n = counts[c];
        for (int b = 0; b < BODIES; ++b) {
            for (int k = 0; k < 12; ++k) R[b][k] = (float)uniform();
            for (int32_t v = 0; v < n; ++v) weight[b][v] = (float)uniform();
        }
        for (int e = 0; e < 3; ++e)
            for (int32_t v = 0; v < n; ++v) shape[e][v] = (float)uniform();
        out[3 * n] = 17; /* nothing is written behind the last point */
        kernel->place(n, BODIES, each, R, shape, out);
        assert_true(out[3 * n] == 17);
        for (int32_t k = 0; k < 3 * n; ++k) {
            double sum = 0;
            for (int b = 0; b < BODIES; ++b) {
                const float *r = R[b] + 4 * (k % 3);
                sum += (double)weight[b][k / 3] *
                       ((double)r[0] * (double)shape[0][k / 3] + (double)r[1] * (double)shape[1][k / 3] +
                        (double)r[2] * (double)shape[2][k / 3] + (double)r[3]);
            }
            assert_near(out[k], sum, 2e-6);
        }
    }
}

/* H_ab = volume g_a' C g_b over a stencil whose nodes are in no order and of which two are held. */
static void add_with(const snBlocksKernel *kernel)
{
    enum { NODES = 60, STENCIL = 12, HELD = 2, UNKNOWNS = 3 * (NODES - HELD) };
    static double full[UNKNOWNS][UNKNOWNS];
    int32_t place[NODES], node[STENCIL], entry[STENCIL], reach[UNKNOWNS] = {0};
    double g[3 * STENCIL], C[81], scale = 0;
    snTiles tiles;
    memset(full, 0, sizeof full);
    for (int i = 0; i < NODES; ++i) place[i] = i < HELD ? -1 : (i * 7) % (NODES - HELD);
    for (int k = 0; k < STENCIL; ++k) node[k] = k < HELD ? k : 5 * k;
    for (int k = 0; k < 3 * STENCIL; ++k) g[k] = uniform();
    for (int r = 0; r < 9; ++r)
        for (int s = 0; s <= r; ++s) C[9 * r + s] = C[9 * s + r] = uniform();
    for (int k = 0; k < STENCIL; ++k) {
        int at = k;
        for (; at > 0 && place[node[entry[at - 1]]] > place[node[k]]; --at) entry[at] = entry[at - 1];
        entry[at] = k;
    }
    for (int a = HELD; a < STENCIL; ++a)
        for (int b = HELD; b < STENCIL; ++b)
            for (int r = 0; r < 81; ++r) {
                int i = r / 27, j = r / 9 % 3, k = r / 3 % 3, l = r % 3;
                full[3 * place[node[a]] + i][3 * place[node[b]] + k] +=
                    0.5 * g[3 * a + j] * C[9 * (3 * i + j) + 3 * k + l] * g[3 * b + l];
            }
    assert_true(sn_tiles_create(UNKNOWNS, reach, &tiles));
    float *value = SN_NEW_ARRAY(float, sn_tiles_count(&tiles) + 1);
    sn_tiles_clear(&tiles, value);
    kernel->add(&tiles, value, STENCIL - HELD, entry + HELD, node, place, g, 0.5, C);
    for (int r = 0; r < UNKNOWNS; ++r)
        for (int c = 0; c <= r; ++c) scale = fmax(scale, fabs(full[r][c]));
    for (int r = 0; r < UNKNOWNS; ++r)
        for (int c = 0; c <= r; ++c) assert_near((double)value[sn_tiles_at(&tiles, r, c)], full[r][c], 1e-6 * scale);
    sn_free(value);
    sn_tiles_free(&tiles);
}

static void points_are_placed(void **state)
{
    (void)state;
    place_with(sn_blend_portable());
    if (sn_blend_avx2()) place_with(sn_blend_avx2());
}

static void blocks_are_added(void **state)
{
    (void)state;
    add_with(sn_blocks_portable());
    if (sn_blocks_avx2()) add_with(sn_blocks_avx2());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_placed),
        cmocka_unit_test(blocks_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
