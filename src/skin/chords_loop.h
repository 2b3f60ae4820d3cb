/* Bounds by chords, eight lanes at a time. Included by chords.c and chords_avx2.c only, after the lanes' operations.
 * A lane that is not a number is near nothing. */
#ifndef SN_SKIN_CHORDS_LOOP_H
#define SN_SKIN_CHORDS_LOOP_H

static uint32_t pack_loop(const snPack *pack, float x, float y, float z, float limit, float *distance)
{
    vf cx = vf_get(pack->cx), cy = vf_get(pack->cy), cz = vf_get(pack->cz);
    vf px = x - vf_get(pack->ax), py = y - vf_get(pack->ay), pz = z - vf_get(pack->az);
    vf t = vf_madd(px, cx, vf_madd(py, cy, pz * cz)) * vf_get(pack->inverse);
    t = vf_min(vf_max(t, vf_all(0)), vf_all(1));
    px -= t * cx, py -= t * cy, pz -= t * cz;
    vf d = vf_sqrt(vf_madd(px, px, vf_madd(py, py, pz * pz)));
    vf_put(distance, d);
    return vf_mask(d <= limit + vf_get(pack->slack));
}

static void load_loop(const int32_t *vertex, const double *position, const double *normal, const double *loose,
                      const double *origin, snPoints *to)
{
    float row[SN_LANES][4], turned[SN_LANES][4], none[SN_LANES];
    vd from = {origin[0], origin[1], origin[2], 0};
    for (int i = 0; i < SN_LANES; ++i) {
        const double *p = position + 3 * vertex[i], *n = normal + 3 * vertex[i];
        vd at = {p[0], p[1], p[2], loose[vertex[i]]}, up = {n[0], n[1], n[2], 0};
        *(vf_half *)(void *)row[i] = __builtin_convertvector(at - from, vf_half);
        *(vf_half *)(void *)turned[i] = __builtin_convertvector(up, vf_half);
    }
    put_columns(row, to->x, to->y, to->z, to->loose);
    put_columns(turned, to->nx, to->ny, to->nz, none);
}

/* Vertices that far off are as good as not there: what lies in one region with them need not suffer. */
VD_INLINE vf not_far(vf x)
{
    return vf_select((x < 1e6f) & (x > -1e6f), x, vf_all(NAN));
}

/* As far as a row of x goes, patch i in lane i. */
VD_INLINE void turn(const snPoints *patch, float *x, float *y, float *z)
{
    for (int i = 0; i < SN_LANES; ++i)
        for (int k = 0; k < SN_LANES; ++k) {
            x[SN_LANES * k + i] = patch[i].x[k], y[SN_LANES * k + i] = patch[i].y[k];
            z[SN_LANES * k + i] = patch[i].z[k];
        }
}

static void balls_loop(const snPoints *patch, snBalls *ball)
{
    float x[SN_LANES * SN_LANES], y[SN_LANES * SN_LANES], z[SN_LANES * SN_LANES];
    vf lx = vf_all(INFINITY), ly = lx, lz = lx, hx = -lx, hy = hx, hz = hx, far = vf_all(0);
    turn(patch, x, y, z);
    for (int i = 0; i < SN_LANES * SN_LANES; i += SN_LANES) {
        vf px = not_far(vf_get(x + i)), py = not_far(vf_get(y + i)), pz = not_far(vf_get(z + i));
        lx = vf_min(px, lx), ly = vf_min(py, ly), lz = vf_min(pz, lz);
        hx = vf_max(px, hx), hy = vf_max(py, hy), hz = vf_max(pz, hz);
    }
    vf mx = 0.5f * (lx + hx), my = 0.5f * (ly + hy), mz = 0.5f * (lz + hz);
    for (int i = 0; i < SN_LANES * SN_LANES; i += SN_LANES) {
        vf px = not_far(vf_get(x + i)) - mx, py = not_far(vf_get(y + i)) - my, pz = not_far(vf_get(z + i)) - mz;
        far = vf_max(vf_madd(px, px, vf_madd(py, py, pz * pz)), far);
    }
    vf_put(ball->x, mx), vf_put(ball->y, my), vf_put(ball->z, mz), vf_put(ball->radius, vf_sqrt(far));
}

/* Squared distances of eight points to a chord. */
VD_INLINE vf chord_distance2(const snChord *c, vf x, vf y, vf z)
{
    vf cx = vf_all(c->cx), cy = vf_all(c->cy), cz = vf_all(c->cz);
    vf px = x - c->ax, py = y - c->ay, pz = z - c->az;
    vf t = vf_madd(px, cx, vf_madd(py, cy, pz * cz)) * c->inverse;
    t = vf_min(vf_max(t, vf_all(0)), vf_all(1));
    px -= t * cx, py -= t * cy, pz -= t * cz;
    return vf_madd(px, px, vf_madd(py, py, pz * pz));
}

VD_INLINE vi acting(uint32_t acts)
{
    const vi bit = {1, 2, 4, 8, 16, 32, 64, 128};
    return ((int32_t)acts & bit) == bit;
}

/* An arc that acts on a patch and whose chord is d from its middle is at most d + slack + radius from its vertices. */
static void patches_loop(int32_t n, const int32_t *list, const uint32_t *acts, const snChord *chord,
                         const snBalls *ball, float reach, float *distance2, uint32_t *open)
{
    vf x = vf_get(ball->x), y = vf_get(ball->y), z = vf_get(ball->z), radius = vf_get(ball->radius);
    vf least = vf_all(1e30f), slack = vf_all(0);
    for (int32_t j = 0; j < n; ++j) {
        const snChord *c = chord + list[j];
        vf d = chord_distance2(c, x, y, z);
        vi less = (d < least) & acting(acts[j]);
        vf_put(distance2 + SN_LANES * j, d);
        least = vf_select(less, d, least), slack = vf_select(less, vf_all(c->slack), slack);
    }
    vf limit = vf_min(vf_sqrt(least) + slack + radius, vf_all(reach)) + radius;
    for (int32_t first = 0; first < n; first += 32) {
        vi found = {0};
        for (int32_t j = first; j < n && j < first + 32; ++j) {
            vf far = limit + chord[list[j]].slack;
            vi near = (vf_get(distance2 + SN_LANES * j) <= far * far) & acting(acts[j]);
            found |= near & (int32_t)(1u << (j - first));
        }
        *(vi_any *)(void *)(open + first / 32 * SN_LANES) = found;
    }
}

/* Points under whose tangent planes the arc lies too deep, all of it, to show. */
VD_INLINE vi too_deep(const snChord *c, const snPoints *p)
{
    vf nx = vf_get(p->nx), ny = vf_get(p->ny), nz = vf_get(p->nz);
    vf start = vf_madd(c->ax - vf_get(p->x), nx, vf_madd(c->ay - vf_get(p->y), ny, (c->az - vf_get(p->z)) * nz));
    vf along = vf_madd(vf_all(c->cx), nx, vf_madd(vf_all(c->cy), ny, c->cz * nz));
    vf highest = start + vf_max(along, vf_all(0)) + c->slack;
    return highest <= -(c->cover + c->give * vf_get(p->loose));
}

static uint32_t points_loop(int32_t n, const int32_t *list, const snChord *chord, const snPoints *p, float reach,
                            float *distance2, uint8_t *open)
{
    vf x = vf_get(p->x), y = vf_get(p->y), z = vf_get(p->z), least = vf_all(1e30f), slack = vf_all(0);
    for (int32_t k = 0; k < n; ++k) {
        const snChord *c = chord + list[k];
        vf d = chord_distance2(c, x, y, z);
        vi less = d < least;
        vf_put(distance2 + SN_LANES * k, d);
        least = vf_select(less, d, least), slack = vf_select(less, vf_all(c->slack), slack);
    }
    vf limit = vf_min(vf_sqrt(least) + slack, vf_all(reach));
    uint32_t shows = 0;
    for (int32_t k = 0; k < n; ++k) {
        const snChord *c = chord + list[k];
        vf far = limit + c->slack;
        uint32_t near = vf_mask(vf_get(distance2 + SN_LANES * k) <= far * far);
        open[k] = (uint8_t)near;
        if (near & ~shows) shows |= near & ~vf_mask(too_deep(c, p));
    }
    return shows;
}

VD_INLINE vf beyond(vf x, float half)
{
    return vf_max(vf_max(x, -x) - half, vf_all(0));
}

/* A bone is as far as its box at least, and as what is left of what was seen of it last. */
static uint32_t clear_loop(const snPoints *p, const snSeenBone *b, int32_t index, const snSeen *seen, float range,
                           const float *margin, float *clear)
{
    vf px = vf_get(p->x), py = vf_get(p->y), pz = vf_get(p->z);
    vf x = vf_madd(px, vf_all(b->turn[0]), vf_madd(py, vf_all(b->turn[1]), pz * b->turn[2])) + b->shift[0];
    vf y = vf_madd(px, vf_all(b->turn[3]), vf_madd(py, vf_all(b->turn[4]), pz * b->turn[5])) + b->shift[1];
    vf z = vf_madd(px, vf_all(b->turn[6]), vf_madd(py, vf_all(b->turn[7]), pz * b->turn[8])) + b->shift[2];
    vf ox = beyond(x, b->half[0]), oy = beyond(y, b->half[1]), oz = beyond(z, b->half[2]);
    vf box = vf_sqrt(vf_madd(ox, ox, vf_madd(oy, oy, oz * oz)));
    vi near = box <= range + b->rounding;
    if (!vf_mask(near)) return 0;
    vf wx = x - vf_get(seen->x), wy = y - vf_get(seen->y), wz = z - vf_get(seen->z);
    vf left = vf_get(seen->distance) - vf_sqrt(vf_madd(wx, wx, vf_madd(wy, wy, wz * wz)));
    vi known = *(const vi_any *)(const void *)seen->bone == index;
    vf d = vf_max(vf_select(known, left, vf_all(0)), box) - b->rounding, least = vf_get(clear);
    vf_put(clear, vf_select(near, vf_min(d, least), least));
    return vf_mask(near & (d <= vf_get(margin)));
}

#endif
