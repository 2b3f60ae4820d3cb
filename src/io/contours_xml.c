/* Contours as XML that people edit:
 *
 *     <Contours version="1" size="192 144 60" spacing="0.5 0.5 5" origin="0 0 0" axes="1 0 0  0 1 0  0 0 1">
 *       <Muscle name="biceps" low="57" high="140">
 *         <Seed at="96 72 30"/>
 *         <Wall from="80 60" to="90 60" slice="31"/>
 *         <Slice number="30" state="grown">
 *           <Loop>88.2 61 89 60.7 ...</Loop>
 *         </Slice>
 *       </Muscle>
 *     </Contours>
 *
 * Lengths of the root are mm, everything else pixels. A loop within another one is a hole, whichever way it runs. */
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "image/outline.h"
#include "image/stack.h"
#include "io/stack_read.h"
#include "io/xml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MUSCLES = 1000 };

typedef struct Reader {
    snContours *contours;
    snOutline *muscle;
    snSlice *slice;
    SN_ARRAY(double) seed, wall;
    snNumbers numbers;
    int depth;
    bool in_loop;
} Reader;

/* ---- reading ---------------------------------------------------------------------------------- */

/* `count` numbers of an attribute. */
static snStatus read_numbers(snXml *xml, const char *tag, const char **attribute, const char *name, int count,
                             double *to)
{
    const char *text = sn_xml_attribute(attribute, name);
    if (!text) return sn_xml_fail(xml, 0, tag, NULL, "attribute %s is missing", name);
    const char *at = text;
    for (int i = 0; i < count; ++i) {
        at += strspn(at, " \t\n");
        size_t length = strcspn(at, " \t\n");
        if (!sn_text_number(at, length, to + i))
            return sn_xml_fail(xml, 0, tag, NULL, "%s=\"%.60s\": expected %d number%s", name, text, count,
                               count > 1 ? "s" : "");
        at += length;
    }
    at += strspn(at, " \t\n");
    if (*at)
        return sn_xml_fail(xml, 0, tag, NULL, "%s=\"%.60s\": expected %d number%s", name, text, count,
                           count > 1 ? "s" : "");
    return SN_OK;
}

static snStatus start_root(Reader *r, snXml *xml, const char *tag, const char **attribute)
{
    const char *version = sn_xml_attribute(attribute, "version");
    double size[3] = {0};
    snStackPlace *p = &r->contours->place;
    if (strcmp(tag, "Contours") != 0)
        return sn_xml_fail(xml, 0, tag, NULL, "the root element is %.60s; expected Contours", tag);
    if (!version || strcmp(version, "1") != 0)
        return sn_xml_fail(xml, 0, tag, "write version=\"1\"", "the version is missing or not known");
    snStatus status = read_numbers(xml, tag, attribute, "size", 3, size);
    if (status == SN_OK) status = read_numbers(xml, tag, attribute, "spacing", 3, p->spacing);
    if (status == SN_OK) status = read_numbers(xml, tag, attribute, "origin", 3, p->origin);
    if (status == SN_OK) status = read_numbers(xml, tag, attribute, "axes", 9, p->axis);
    if (status != SN_OK) return status;
    for (int a = 0; a < 3; ++a) {
        if (!(size[a] >= 1 && size[a] <= SN_STACK_SIDE))
            return sn_xml_fail(xml, 0, tag, NULL, "a size of %g pixels", size[a]);
        p->n[a] = (int32_t)size[a], p->spacing[a] *= 1e-3, p->origin[a] *= 1e-3;
    }
    snError error = {0};
    status = sn_stack_place_check(p, &error);
    return status == SN_OK ? SN_OK
                           : sn_xml_fail(xml, 0, tag, error.remedy[0] ? error.remedy : NULL, "%s", error.message);
}

static snStatus start_muscle(Reader *r, snXml *xml, const char *tag, const char **attribute)
{
    const char *name = sn_xml_attribute(attribute, "name");
    snOutline muscle = {0};
    if (!name || !name[0] || strlen(name) >= SN_MUSCLE_NAME)
        return sn_xml_fail(xml, 0, tag, NULL, "the name is missing or longer than %d characters", SN_MUSCLE_NAME - 1);
    if (sn_contours_find(r->contours, name))
        return sn_xml_fail(xml, 0, tag, "rename one", "muscle %s appears twice", name);
    if (r->contours->nmuscle == MOST_MUSCLES)
        return sn_xml_fail(xml, 0, tag, NULL, "more than %d muscles", MOST_MUSCLES);
    if (!sn_outline_create(&muscle, name, r->contours->place.n[2])) return sn_xml_fail_no_memory(xml);
    snStatus status = SN_OK;
    if (sn_xml_attribute(attribute, "low")) status = read_numbers(xml, tag, attribute, "low", 1, &muscle.low);
    if (status == SN_OK && sn_xml_attribute(attribute, "high"))
        status = read_numbers(xml, tag, attribute, "high", 1, &muscle.high);
    if (status == SN_OK && sn_xml_attribute(attribute, "volume"))
        status = read_numbers(xml, tag, attribute, "volume", 1, &muscle.volume);
    muscle.volume *= 1e-9;
    if (status == SN_OK && sn_contours_put(r->contours, &muscle, NULL) != SN_OK) status = sn_xml_fail_no_memory(xml);
    sn_outline_free(&muscle);
    if (status == SN_OK) r->muscle = r->contours->muscle + r->contours->nmuscle - 1;
    return status;
}

static snStatus check_pixel(Reader *r, snXml *xml, const char *tag, const double *at, int count)
{
    for (int c = 0; c < count; ++c)
        if (!(at[c] >= -0.5 && at[c] <= r->contours->place.n[c] - 0.5))
            return sn_xml_fail(xml, 0, tag, NULL, "%g is outside the stack, 0 to %d", at[c],
                               (int)r->contours->place.n[c] - 1);
    return SN_OK;
}

static snStatus start_seed(Reader *r, snXml *xml, const char *tag, const char **attribute)
{
    double at[3];
    snStatus status = read_numbers(xml, tag, attribute, "at", 3, at);
    if (status == SN_OK) status = check_pixel(r, xml, tag, at, 3);
    for (int c = 0; status == SN_OK && c < 3; ++c)
        if (!sn_array_push(&r->seed, fmax(0, fmin(r->contours->place.n[c] - 1, at[c]))))
            status = sn_xml_fail_no_memory(xml);
    return status;
}

static snStatus start_wall(Reader *r, snXml *xml, const char *tag, const char **attribute)
{
    double v[5];
    snStatus status = read_numbers(xml, tag, attribute, "from", 2, v);
    if (status == SN_OK) status = read_numbers(xml, tag, attribute, "to", 2, v + 2);
    if (status == SN_OK) status = read_numbers(xml, tag, attribute, "slice", 1, v + 4);
    if (status == SN_OK && !(v[4] >= 0 && v[4] <= r->contours->place.n[2] - 1))
        return sn_xml_fail(xml, 0, tag, NULL, "slice %g; the stack has 0 to %d", v[4],
                           (int)r->contours->place.n[2] - 1);
    for (int c = 0; status == SN_OK && c < 5; ++c)
        if (!sn_array_push(&r->wall, v[c])) status = sn_xml_fail_no_memory(xml);
    return status;
}

static snStatus start_slice(Reader *r, snXml *xml, const char *tag, const char **attribute)
{
    const char *state = sn_xml_attribute(attribute, "state");
    double number;
    snStatus status = read_numbers(xml, tag, attribute, "number", 1, &number);
    if (status != SN_OK) return status;
    if (!(number >= 0 && number <= r->muscle->nslice - 1) || number != floor(number))
        return sn_xml_fail(xml, 0, tag, NULL, "slice %g; the stack has 0 to %d", number, (int)r->muscle->nslice - 1);
    r->slice = r->muscle->slice + (int32_t)number;
    if (r->slice->state != SN_SLICE_EMPTY || r->slice->nloop)
        return sn_xml_fail(xml, 0, tag, "put all its loops into one Slice", "slice %g appears twice", number);
    for (int s = 0; s <= SN_SLICE_HAND; ++s)
        if (state && strcmp(state, sn_slice_state_name((snSliceState)s)) == 0) {
            r->slice->state = (snSliceState)s;
            return SN_OK;
        }
    return sn_xml_fail(xml, 0, tag, "write state=\"hand\" for what you draw",
                       "the state is missing or not one of empty, grown, leaking, bridged, hand");
}

static snStatus on_start(void *user, snXml *xml, const char *tag, const char **attribute)
{
    Reader *r = user;
    int depth = r->depth++;
    if (depth == 0) return start_root(r, xml, tag, attribute);
    if (depth == 1 && strcmp(tag, "Muscle") == 0) return start_muscle(r, xml, tag, attribute);
    if (depth == 2 && strcmp(tag, "Seed") == 0) return start_seed(r, xml, tag, attribute);
    if (depth == 2 && strcmp(tag, "Wall") == 0) return start_wall(r, xml, tag, attribute);
    if (depth == 2 && strcmp(tag, "Slice") == 0) return start_slice(r, xml, tag, attribute);
    if (depth == 3 && r->slice && strcmp(tag, "Loop") == 0) {
        r->in_loop = true;
        sn_numbers_clear(&r->numbers);
        return SN_OK;
    }
    return sn_xml_fail(xml, 0, tag, "remove it", "%.60s is not allowed here", tag);
}

static snStatus end_loop(Reader *r, snXml *xml)
{
    snStatus status = sn_numbers_end(&r->numbers, xml, "Loop");
    if (status != SN_OK) return status;
    if (r->numbers.count % 2 != 0 || r->numbers.count < 6)
        return sn_xml_fail(xml, 0, "Loop", NULL, "%d numbers; expected x and y of at least 3 points",
                           (int)r->numbers.count);
    for (int32_t i = 0; i < r->numbers.count; i += 2) {
        /* marching squares may put a contour half-way to the pixel beyond the border */
        const double *p = r->numbers.number + i;
        for (int c = 0; c < 2; ++c)
            if (!(p[c] >= -1 && p[c] <= r->contours->place.n[c]))
                return sn_xml_fail(xml, 0, "Loop", NULL, "the point %g %g is outside the image", p[0], p[1]);
    }
    size_t n = (size_t)r->slice->nloop;
    snLoop *more = sn_realloc(r->slice->loop, n, n + 1, sizeof *more);
    double *point = more ? SN_NEW_ARRAY(double, r->numbers.count) : NULL;
    if (more) r->slice->loop = more;
    if (!point) return sn_xml_fail_no_memory(xml);
    memcpy(point, r->numbers.number, (size_t)r->numbers.count * sizeof *point);
    r->slice->loop[r->slice->nloop++] = (snLoop){r->numbers.count / 2, point};
    return SN_OK;
}

/* Outer loops counter-clockwise, holes clockwise. */
static void turn_loop(const snSlice *slice, int32_t l)
{
    snLoop *loop = slice->loop + l;
    bool hole = false;
    for (int32_t k = 0; k < slice->nloop; ++k) {
        snSlice other = {.nloop = 1, .loop = slice->loop + k};
        if (k != l && sn_slice_inside(&other, loop->point[0], loop->point[1])) hole = !hole;
    }
    if ((sn_loop_area(loop) < 0) == hole) return;
    for (int32_t i = 0, j = loop->npoint - 1; i < j; ++i, --j)
        for (int c = 0; c < 2; ++c) {
            double swap = loop->point[2 * i + c];
            loop->point[2 * i + c] = loop->point[2 * j + c], loop->point[2 * j + c] = swap;
        }
}

static snStatus end_slice(Reader *r, snXml *xml)
{
    int32_t pair[4];
    if (r->slice->nloop > 0 && sn_slice_crossing(r->slice, pair)) {
        const double *p = r->slice->loop[pair[0]].point + 2 * pair[1];
        return sn_xml_fail(xml, 0, "Slice", "draw it again without crossing",
                           "loop %d crosses loop %d near %.1f %.1f in slice %d", (int)pair[0] + 1, (int)pair[2] + 1,
                           p[0], p[1], (int)(r->slice - r->muscle->slice));
    }
    if (r->slice->nloop > 0 && r->slice->state == SN_SLICE_EMPTY)
        return sn_xml_fail(xml, 0, "Slice", "write state=\"hand\"", "an empty slice has loops");
    for (int32_t l = 0; l < r->slice->nloop; ++l) turn_loop(r->slice, l);
    r->slice = NULL;
    return SN_OK;
}

static snStatus end_muscle(Reader *r, snXml *xml)
{
    snOutline *m = r->muscle;
    m->seed = SN_NEW_ARRAY(double, r->seed.count), m->wall = SN_NEW_ARRAY(double, r->wall.count);
    if (!m->seed || !m->wall) return sn_xml_fail_no_memory(xml);
    if (r->seed.count) memcpy(m->seed, r->seed.at, (size_t)r->seed.count * sizeof(double));
    if (r->wall.count) memcpy(m->wall, r->wall.at, (size_t)r->wall.count * sizeof(double));
    m->nseed = r->seed.count / 3, m->nwall = r->wall.count / 5;
    r->seed.count = r->wall.count = 0;
    r->muscle = NULL;
    return SN_OK;
}

static snStatus on_end(void *user, snXml *xml, const char *tag)
{
    Reader *r = user;
    (void)tag;
    int depth = --r->depth;
    if (r->in_loop) {
        r->in_loop = false;
        return end_loop(r, xml);
    }
    if (depth == 2 && r->slice) return end_slice(r, xml);
    return depth == 1 ? end_muscle(r, xml) : SN_OK;
}

static snStatus on_text(void *user, snXml *xml, const char *text, size_t length)
{
    Reader *r = user;
    if (r->in_loop) return sn_numbers_text(&r->numbers, xml, "Loop", text, length);
    for (size_t i = 0; i < length; ++i)
        if (!memchr(" \t\r\n", text[i], 4))
            return sn_xml_fail(xml, i, NULL, "remove it", "text where only elements are allowed");
    return SN_OK;
}

snStatus sn_parse_contours(const char *file, const char *data, size_t size, snContours *contours, snError *error)
{
    static const snXmlHandler handler = {on_start, on_end, on_text};
    snContours made = {.place = sn_default_stack_place()};
    Reader r = {.contours = &made};
    snStatus status = sn_xml_read(file, data, size, &handler, &r, error);
    sn_array_free(&r.seed);
    sn_array_free(&r.wall);
    sn_numbers_free(&r.numbers);
    if (status == SN_OK)
        *contours = made;
    else
        sn_contours_free(&made);
    return status;
}

snStatus sn_load_contours(const char *path, snContours *contours, snError *error)
{
    char *data;
    size_t size;
    snStatus status = sn_file_read_text(path, false, &data, &size, error);
    if (status != SN_OK) return status;
    status = sn_parse_contours(path, data, size, contours, error);
    sn_free(data);
    return status;
}
