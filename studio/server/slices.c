/* slices.h. */
#include "studio/server/slices.h"
#include "author/own/surface.h"
#include "image/own/image.h"
#include "studio/server/passing.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEEDS = 500 };
static const char CONTOURS[] = "muscle.contours.xml"; /* while it passes through the disk */
static const double FARTHEST = 1e6;                   /* pixels: beyond, a place is a mistake */

typedef enum snDeedKind { SN_DEED_SEED, SN_DEED_WALL, SN_DEED_PUSH, SN_DEED_PLAIN } snDeedKind;
typedef struct snDeed {
    snDeedKind kind;
    int32_t slice;
    double at[5]; /* seed: x, y; wall and push: from x, y to x, y; push: reach in pixels */
} snDeed;

struct snSlices {
    snStack stack;
    snContours contours; /* nothing before the first seed */
    char muscle[SN_MUSCLE_NAME], name[128];
    float low, high; /* grey values shown as black and white */
    int32_t ndeed;
    snDeed deed[MOST_DEEDS];
};

/* ---- answers ---------------------------------------------------------------------------------- */

typedef struct text {
    char *at;
    size_t size, room;
    bool failed;
} text;

static void put(text *t, const char *format, ...)
{
    char some[256];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(some, sizeof some, format, list);
    va_end(list);
    if (n < 0 || t->failed) return;
    if (n >= (int)sizeof some) n = (int)sizeof some - 1;
    if (t->size + (size_t)n + 1 > t->room) {
        size_t room = 2 * t->room + 4096;
        char *more = realloc(t->at, room);
        t->failed = !more;
        if (!more) return;
        t->at = more, t->room = room;
    }
    memcpy(t->at + t->size, some, (size_t)n + 1);
    t->size += (size_t)n;
}

static void put_string(text *t, const char *s)
{
    put(t, "\"");
    for (; *s; ++s) put(t, (unsigned char)*s < 32 ? "\\u%04x" : *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    put(t, "\"");
}

static unsigned char *finish(text *t, size_t *size)
{
    if (t->failed) {
        free(t->at);
        return NULL;
    }
    *size = t->size;
    return (unsigned char *)t->at;
}

static void put_outline(text *t, const snOutline *m)
{
    put(t, ",\"volume\":%.9g,\"slices\":[", m->volume);
    for (int32_t k = 0; k < m->nslice; ++k) {
        static const char *const state[] = {
#define X(name, text, meaning) text,
            SN_SLICE_STATE_TABLE(X)
#undef X
        };
        put(t, "%s{\"state\":\"%s\",\"loops\":[", k ? "," : "", state[m->slice[k].state]);
        for (int32_t i = 0; i < m->slice[k].nloop; ++i) {
            const snLoop *loop = m->slice[k].loop + i;
            put(t, i ? ",[" : "[");
            for (int32_t j = 0; j < 2 * loop->npoint; ++j) put(t, j ? ",%.2f" : "%.2f", loop->point[j]);
            put(t, "]");
        }
        put(t, "]}");
    }
    put(t, "]");
}

static unsigned char *describe(const snSlices *s, const char *trouble, size_t *size)
{
    text t = {0};
    const snStackPlace *p = &s->stack.place;
    put(&t, "{\"name\":");
    put_string(&t, s->name);
    put(&t, ",\"muscle\":");
    put_string(&t, s->muscle);
    put(&t, ",\"n\":[%d,%d,%d],\"spacing\":[%.9g,%.9g,%.9g]", p->n[0], p->n[1], p->n[2], p->spacing[0], p->spacing[1],
        p->spacing[2]);
    put(&t, ",\"deeds\":[");
    for (int32_t i = 0; i < s->ndeed; ++i) {
        const snDeed *d = s->deed + i;
        static const char *const kind[] = {"seed", "wall", "push", "plain"};
        put(&t, "%s{\"kind\":\"%s\",\"slice\":%d,\"at\":[%.2f,%.2f,%.2f,%.2f]}", i ? "," : "", kind[d->kind], d->slice,
            d->at[0], d->at[1], d->at[2], d->at[3]);
    }
    put(&t, "]");
    if (trouble) {
        put(&t, ",\"trouble\":");
        put_string(&t, trouble);
    }
    if (s->contours.nmuscle > 0) put_outline(&t, s->contours.muscle);
    put(&t, "}");
    return finish(&t, size);
}

/* ---- what people do --------------------------------------------------------------------------- */

static void forget(snSlices *s)
{
    snStackPlace place = s->stack.place;
    sn_contours_free(&s->contours);
    s->contours = (snContours){.place = place};
}

/* Grows from all seeds up to `count` deeds; slices that were pushed by hand stay. */
static snStatus grow(snSlices *s, int32_t count, snError *error)
{
    double *seed = calloc(3 * (size_t)count + 1, sizeof *seed), *wall = calloc(5 * (size_t)count + 1, sizeof *wall);
    snGrowDef def = sn_default_grow_def();
    snOutline made = {0};
    for (int32_t i = 0; i < count && seed && wall; ++i) {
        const snDeed *d = s->deed + i;
        if (d->kind == SN_DEED_SEED) {
            double *at = seed + 3 * (size_t)def.nseed++;
            at[0] = d->at[0], at[1] = d->at[1], at[2] = d->slice;
        } else if (d->kind == SN_DEED_WALL) {
            double *at = wall + 5 * (size_t)def.nwall++;
            memcpy(at, d->at, 4 * sizeof *at);
            at[4] = d->slice;
        }
    }
    def.name = s->muscle, def.seed = seed, def.wall = wall;
    def.kept = s->contours.nmuscle > 0 ? s->contours.muscle : NULL;
    snStatus status = seed && wall ? SN_OK : SN_NO_MEMORY;
    if (status == SN_OK && def.nseed > 0) {
        status = sn_grow_contours(&s->stack, &def, &made, error);
        if (status == SN_OK) status = sn_contours_put(&s->contours, &made, error);
        if (status != SN_OK) sn_outline_free(&made);
    }
    free(seed);
    free(wall);
    return status;
}

/* Takes the points near the start of a push along, those farther away less. */
static void push(snSlices *s, const snDeed *d)
{
    if (s->contours.nmuscle == 0) return;
    snSlice *slice = s->contours.muscle->slice + d->slice;
    double reach = d->at[4] > 1 ? d->at[4] : 1, step[2] = {d->at[2] - d->at[0], d->at[3] - d->at[1]};
    for (int32_t i = 0; i < slice->nloop; ++i)
        for (int32_t j = 0; j < slice->loop[i].npoint; ++j) {
            double *p = slice->loop[i].point + 2 * (size_t)j, far = hypot(p[0] - d->at[0], p[1] - d->at[1]) / reach;
            if (far >= 1) continue;
            double share = (1 - far * far) * (1 - far * far);
            for (int e = 0; e < 2; ++e) p[e] = fmin(fmax(p[e] + share * step[e], 0), s->stack.place.n[e] - 1);
        }
    if (slice->nloop > 0) slice->state = SN_SLICE_HAND;
}

/* All deeds in their order; grown where something asks for it. */
static snStatus do_all(snSlices *s, snError *error)
{
    bool stale = false;
    snStatus status = SN_OK;
    forget(s);
    for (int32_t i = 0; i < s->ndeed && status == SN_OK; ++i) {
        const snDeed *d = s->deed + i;
        if (d->kind == SN_DEED_SEED || d->kind == SN_DEED_WALL) stale = true;
        if (stale && d->kind > SN_DEED_WALL) {
            status = grow(s, i, error);
            stale = false;
        }
        if (d->kind == SN_DEED_PUSH) push(s, d);
        if (d->kind == SN_DEED_PLAIN && s->contours.nmuscle > 0) {
            snSlice *slice = s->contours.muscle->slice + d->slice;
            if (slice->state == SN_SLICE_HAND) slice->state = SN_SLICE_GROWN, stale = true;
        }
    }
    if (status == SN_OK && stale) status = grow(s, s->ndeed, error);
    return status;
}

/* Whether what is written can be read again: the reader refuses loops that cross themselves. */
static bool loops_are_sound(const snSlices *s, snError *error)
{
    char folder[SN_PASSING_FOLDER], path[SN_PASSING_PATH];
    snContours back = {0};
    if (sn_passing_begin(folder, error) != SN_OK) return false;
    sn_passing_path(path, folder, CONTOURS);
    bool sound = sn_save_contours(&s->contours, path, error) == SN_OK && sn_load_contours(path, &back, error) == SN_OK;
    sn_contours_free(&back);
    sn_passing_end(folder, path);
    return sound;
}

static unsigned char *act(snSlices *s, const snDeed *deed, size_t *size)
{
    snError error = {0};
    int32_t before = s->ndeed;
    if (deed && s->ndeed == MOST_DEEDS)
        return describe(s, "there are too many seeds, walls and pushes: undo one first", size);
    for (int i = 0; deed && i < 5; ++i) /* NaN too */
        if (!(fabs(deed->at[i]) < FARTHEST)) return describe(s, "that point is outside the image", size);
    if (deed && (deed->slice < 0 || deed->slice >= s->stack.place.n[2]))
        return describe(s, "the stack has no such slice", size);
    if (deed && deed->kind == SN_DEED_PUSH && s->contours.nmuscle > 0) { /* the rest stays as it is */
        s->deed[s->ndeed++] = *deed;
        push(s, deed);
        if (loops_are_sound(s, &error)) return describe(s, NULL, size);
        error.status = SN_BAD_INPUT;
    } else {
        if (deed) s->deed[s->ndeed++] = *deed;
        error.status = do_all(s, &error);
    }
    if (error.status == SN_OK) return describe(s, NULL, size);
    snError ignored = {0}; /* what failed is taken back */
    s->ndeed = deed ? before : 0;
    (void)do_all(s, &ignored);
    return describe(s, error.message[0] ? error.message : "the contours could not be computed", size);
}

/* ---- files ------------------------------------------------------------------------------------ */

static unsigned char *contour_file(const snSlices *s, size_t *size)
{
    char folder[SN_PASSING_FOLDER], path[SN_PASSING_PATH];
    snError error = {0};
    if (s->contours.nmuscle == 0 || sn_passing_begin(folder, &error) != SN_OK) return NULL;
    sn_passing_path(path, folder, CONTOURS);
    unsigned char *bytes = sn_save_contours(&s->contours, path, &error) == SN_OK ? sn_passing_read(path, size) : NULL;
    sn_passing_end(folder, path);
    return bytes;
}

/* Vertices and triangles: two counts, then numbers of 32 bits. */
static unsigned char *surface(const snSlices *s, size_t *size)
{
    snSurfaceDef def = sn_default_surface_def();
    snMesh mesh = {0};
    snError error = {0};
    if (s->contours.nmuscle == 0 || sn_make_surface(&s->contours, &def, &mesh, NULL, &error) != SN_OK) return NULL;
    size_t nv = 3 * (size_t)mesh.nvertex, nt = 3 * (size_t)mesh.ntriangle;
    unsigned char *bytes = malloc(8 + 4 * (nv + nt));
    if (bytes) {
        memcpy(bytes, &mesh.nvertex, 4), memcpy(bytes + 4, &mesh.ntriangle, 4);
        for (size_t i = 0; i < nv; ++i) {
            float x = (float)mesh.vertex[i];
            memcpy(bytes + 8 + 4 * i, &x, 4);
        }
        memcpy(bytes + 8 + 4 * nv, mesh.triangle, 4 * nt);
        *size = 8 + 4 * (nv + nt);
    }
    sn_mesh_free(&mesh);
    return bytes;
}

static unsigned char *image(const snSlices *s, int32_t k, size_t *size)
{
    const int32_t *n = s->stack.place.n;
    size_t count = (size_t)n[0] * (size_t)n[1];
    if (k < 0 || k >= n[2]) return NULL;
    unsigned char *grey = malloc(count);
    const float *from = s->stack.value + (size_t)k * count;
    for (size_t i = 0; i < count && grey; ++i) {
        float t = 255 * (from[i] - s->low) / (s->high - s->low);
        grey[i] = (unsigned char)(t > 0 ? (t < 255 ? t : 255) : 0); /* NaN is black */
    }
    *size = count;
    return grey;
}

unsigned char *sn_slices_answer(void *slices, const char *path, size_t *size, const char **type)
{
    snSlices *s = slices;
    snDeed d = {0};
    int32_t k;
    double *a = d.at;
    *type = "application/json";
    if (strcmp(path, "/slices") == 0) return describe(s, NULL, size);
    if (sscanf(path, "/slices/seed/%lf,%lf,%d", a, a + 1, &d.slice) == 3)
        return d.kind = SN_DEED_SEED, act(s, &d, size);
    if (sscanf(path, "/slices/wall/%lf,%lf,%lf,%lf,%d", a, a + 1, a + 2, a + 3, &d.slice) == 5)
        return d.kind = SN_DEED_WALL, act(s, &d, size);
    if (sscanf(path, "/slices/push/%lf,%lf,%lf,%lf,%lf,%d", a, a + 1, a + 2, a + 3, a + 4, &d.slice) == 6)
        return d.kind = SN_DEED_PUSH, act(s, &d, size);
    if (sscanf(path, "/slices/plain/%d", &d.slice) == 1) return d.kind = SN_DEED_PLAIN, act(s, &d, size);
    if (strcmp(path, "/slices/undo") == 0) return s->ndeed -= s->ndeed > 0, act(s, NULL, size);
    if (strcmp(path, "/slices/clear") == 0) return s->ndeed = 0, act(s, NULL, size);
    *type = "application/octet-stream";
    if (sscanf(path, "/slices/image/%d", &k) == 1) return image(s, k, size);
    if (strcmp(path, "/slices/surface") == 0) return surface(s, size);
    *type = "application/xml";
    return strcmp(path, "/slices/file.contours.xml") == 0 ? contour_file(s, size) : NULL;
}

/* ---- opening ---------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Black and white at the hundredths of the grey values, of a sample of them. */
static bool find_window(snSlices *s)
{
    enum { SAMPLE = 20000 };
    const int32_t *n = s->stack.place.n;
    size_t total = (size_t)n[0] * (size_t)n[1] * (size_t)n[2], step = total / SAMPLE + 1, count = 0;
    float *some = malloc((total / step + 1) * sizeof *some);
    if (!some) return false;
    for (size_t i = 0; i < total; i += step)
        if (isfinite(s->stack.value[i])) some[count++] = s->stack.value[i];
    qsort(some, count, sizeof *some, by_value);
    s->low = count ? some[count / 100] : 0, s->high = count ? some[count - 1 - count / 100] : 1;
    if (!(s->high > s->low)) s->high = s->low + 1;
    free(some);
    return true;
}

snStatus sn_slices_create(const char *path, const double *spacing, const char *muscle, snSlices **out, snError *error)
{
    snSlices *s = calloc(1, sizeof *s);
    const char *slash = strrchr(path, '/');
    *out = NULL;
    if (!s) return error->status = SN_NO_MEMORY;
    (void)snprintf(s->muscle, sizeof s->muscle, "%s", muscle);
    (void)snprintf(s->name, sizeof s->name, "%s", slash && slash[1] ? slash + 1 : path);
    snStatus status = sn_load_stack(path, spacing, &s->stack, error);
    if (status == SN_OK && !find_window(s)) status = error->status = SN_NO_MEMORY;
    if (status != SN_OK) {
        sn_slices_destroy(s);
        return status;
    }
    forget(s);
    *out = s;
    return SN_OK;
}

void sn_slices_destroy(snSlices *s)
{
    if (!s) return;
    sn_stack_free(&s->stack);
    sn_contours_free(&s->contours);
    free(s);
}
