/* The tables of the shoulder turned into an snShoulder. */
#include "author/table.h"
#include "shoulder/shoulder.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sn_shoulder_free(snShoulder *s)
{
    sn_array_free(&s->bone);
    sn_array_free(&s->joint);
    sn_array_free(&s->surface);
    sn_array_free(&s->part);
    sn_array_free(&s->strand);
    sn_array_free(&s->landmark);
    sn_array_free(&s->function);
}

v3 sn_shoulder_landmark(const snShoulder *s, const char *name)
{
    for (int32_t i = 0; i < s->landmark.count; ++i)
        if (strcmp(s->landmark.at[i].name, name) == 0) return s->landmark.at[i].at;
    return v3_of(0, 0, 0);
}

double sn_shoulder_path_length(const snShoulderStrand *strand)
{
    double sum = 0;
    for (int32_t i = 1; i < strand->npoint; ++i) sum += v3_dist(strand->at[i - 1], strand->at[i]);
    return sum;
}

/* Index of a thing by its name, which is its first member. */
static int32_t find_named(const void *at, int32_t count, size_t size, const char *name)
{
    for (int32_t i = 0; i < count; ++i)
        if (strcmp((const char *)at + (size_t)i * size, name) == 0) return i;
    return -1;
}
#define FIND(array, name) find_named((array).at, (array).count, sizeof *(array).at, name)

static int32_t find_body(const snShoulder *s, snFigures *t, int32_t row, const char *column, const char *name)
{
    int32_t found = FIND(s->bone, name);
    if (found < 0) sn_figures_complain(t, row, "column %s: no body is called \"%.40s\"", column, name);
    return found < 0 ? 0 : found;
}

static int32_t body_cell(const snShoulder *s, snFigures *t, int32_t row, const char *column)
{
    return find_body(s, t, row, column, sn_figures_text(t, row, column));
}

/* Axes from two of them, z and x; printed axes are rounded, so x is kept and z made orthogonal to it. */
static rigid frame_of(v3 z, v3 x, v3 at)
{
    x = v3_unit(x);
    v3 y = v3_unit(v3_cross(z, x));
    m3 axes = m3_columns(x, y, v3_cross(x, y));
    return (rigid){q_from_m3(&axes), at};
}

static bool read_bone(snShoulder *s, snFigures *t, int32_t row)
{
    snShoulderBone b = {.moving = sn_figures_number(t, row, "moving") != 0};
    sn_figures_name(t, row, "body", b.name, sizeof b.name);
    b.origin = sn_figures_v3(t, row, "origin");
    b.end = sn_figures_v3(t, row, "end");
    b.center_of_mass = sn_figures_v3(t, row, "center_of_mass");
    b.mass = sn_figures_number(t, row, "mass");
    b.girth_radius = sn_figures_number(t, row, "girth_radius");
    if (!(b.mass > 0 && b.girth_radius > 0)) sn_figures_complain(t, row, "mass and girth_radius must be above 0");
    b.frame = frame_of(sn_figures_v3(t, row, "axis_z"), sn_figures_v3(t, row, "axis_x"), b.origin);
    return sn_array_push(&s->bone, b);
}

static bool read_landmark(snShoulder *s, snFigures *t, int32_t row)
{
    snShoulderLandmark l = {.at = sn_figures_v3(t, row, "xyz")};
    sn_figures_name(t, row, "landmark", l.name, sizeof l.name);
    return sn_array_push(&s->landmark, l);
}

static bool read_joint(snShoulder *s, snFigures *t, int32_t row)
{
    snShoulderJoint j = {.parent = body_cell(s, t, row, "parent"), .child = body_cell(s, t, row, "child")};
    sn_figures_name(t, row, "joint", j.name, sizeof j.name);
    j.frame = frame_of(sn_figures_v3(t, row, "axis1"), sn_figures_v3(t, row, "axis3"), sn_figures_v3(t, row, "center"));
    for (int k = 0; k < 3; ++k) {
        char column[32];
        sn_figures_name(t, row, sn_figures_numbered(column, "motion", k + 1), j.motion[k], sizeof j.motion[k]);
        for (char *at = j.motion[k]; *at; ++at)
            if (*at == ' ') *at = '_';
        snFiguresTurn turn = sn_figures_turn(t, row, k + 1);
        j.lower[k] = turn.lower, j.upper[k] = turn.upper;
        j.stiffness[k] = turn.stiffness, j.damping[k] = turn.damping;
    }
    return sn_array_push(&s->joint, j);
}

static bool read_surface(snShoulder *s, snFigures *t, int32_t row)
{
    static const char *const shape[] = {"plane", "sphere", "cylinder", "ellipsoid"};
    snShoulderSurface f = {.body = body_cell(s, t, row, "body"), .size = sn_figures_v3(t, row, "size")};
    sn_figures_name(t, row, "surface", f.name, sizeof f.name);
    const char *text = sn_figures_text(t, row, "shape");
    int32_t kind = 0;
    while (kind < 4 && strcmp(shape[kind], text) != 0) ++kind;
    if (kind == 4) sn_figures_complain(t, row, "column shape: \"%.40s\" is no shape", text);
    f.shape = (snShapeKind)(kind % 4);
    v3 axis = v3_unit(sn_figures_v3(t, row, "axis")), at = sn_figures_v3(t, row, "center");
    /* an ellipsoid lies along the axes of the table */
    f.frame = f.shape == SN_SHAPE_ELLIPSOID ? (rigid){q_identity(), at} : frame_of(axis, v3_perp(axis), at);
    return sn_array_push(&s->surface, f);
}

/* The next of several things separated by semicolons, without the blanks around it; false behind the last. */
static bool next_item(const char **at, char *item, size_t size)
{
    *at += strspn(*at, " ;");
    size_t n = strcspn(*at, ";"), used = n;
    if (!n) return false;
    while (used > 0 && (*at)[used - 1] == ' ') --used;
    snprintf(item, size, "%.*s", (int)(used < size ? used : size - 1), *at);
    *at += n;
    return true;
}

static void read_contacts(const snShoulder *s, snFigures *t, int32_t row, snShoulderPart *p)
{
    char item[128], surface[64], side[16];
    const char *at = sn_figures_text(t, row, "contacts");
    if (!sn_figures_has(t, row, "contacts")) return;
    while (next_item(&at, item, sizeof item)) {
        snShoulderContact c = {0};
        int n = sscanf(item, "%63s %15s %lf %lf %d", surface, side, &c.from, &c.to, &c.count);
        c.surface = n == 5 ? FIND(s->surface, surface) : -1;
        c.side = n == 5 && strcmp(side, "below") == 0 ? SN_BELOW : SN_ABOVE;
        c.drawn = n == 5 && strcmp(side, "drawn") == 0;
        bool fine = n == 5 && c.surface >= 0 && c.count > 0 && c.from >= 0 && c.from <= c.to && c.to <= 1;
        if (!fine || p->ncontact == SN_SHOULDER_MAX_CONTACT) {
            sn_figures_complain(t, row, "contacts: expected SURFACE above|below|drawn FROM TO COUNT, found \"%.60s\"",
                                item);
            return;
        }
        p->contact[p->ncontact++] = c;
    }
}

static bool read_part(snShoulder *s, snFigures *t, int32_t row)
{
    snShoulderPart p = {.origin = body_cell(s, t, row, "origin_body"),
                        .insertion = body_cell(s, t, row, "insertion_body")};
    sn_figures_name(t, row, "group", p.name, sizeof p.name);
    sn_figures_name(t, row, "muscle", p.muscle, sizeof p.muscle);
    p.area = 1e-4 * sn_figures_number(t, row, "pcsa_cm2");
    p.max_force = sn_figures_number(t, row, "max_force");
    p.fiber_length = sn_figures_number(t, row, "fiber_length");
    p.pennation = SN_DEG * sn_figures_number(t, row, "pennation_deg");
    p.tone = sn_figures_number(t, row, "tone");
    p.passive_from = sn_figures_number(t, row, "passive_from");
    p.spacing = sn_figures_number(t, row, "spacing");
    if (!(p.area > 0 && p.max_force > 0 && p.fiber_length > 0 && p.spacing > 0.002 && p.tone > 0))
        sn_figures_complain(t, row, "area, force, fibre length, tone and spacing must be above 0");
    const char *kind = sn_figures_text(t, row, "kind");
    p.path = strcmp(kind, "path") == 0;
    if (!p.path && strcmp(kind, "spline") != 0)
        sn_figures_complain(t, row, "column kind: expected path or spline, found \"%.40s\"", kind);
    read_contacts(s, t, row, &p);
    return sn_array_push(&s->part, p);
}

/* "body x y z surface" or "body x y z sliding". */
static void read_route(const snShoulder *s, snFigures *t, int32_t row, snShoulderStrand *strand)
{
    char item[128], body[64], kind[16];
    const char *at = sn_figures_text(t, row, "route");
    if (!sn_figures_has(t, row, "route")) return;
    while (next_item(&at, item, sizeof item)) {
        v3 p;
        if (strand->npoint + 1 >= SN_SHOULDER_MAX_PATH ||
            sscanf(item, "%63s %lf %lf %lf %15s", body, &p.x, &p.y, &p.z, kind) != 5) {
            sn_figures_complain(t, row, "route: expected BODY X Y Z surface|sliding, found \"%.60s\"", item);
            return;
        }
        int32_t on = find_body(s, t, row, "route", body);
        strand->eyelet[strand->npoint] = strcmp(kind, "sliding") == 0 ? on : -1;
        strand->at[strand->npoint++] = p;
    }
}

static void read_ends(snFigures *t, int32_t row, snShoulderStrand *strand)
{
    sn_figures_name(t, row, "strand", strand->name, sizeof strand->name);
    strand->at[0] = sn_figures_v3(t, row, "origin");
    strand->npoint = 1;
    for (int i = 0; i < SN_SHOULDER_MAX_PATH; ++i) strand->eyelet[i] = -1;
}

static bool read_strand(snShoulder *s, snFigures *t, int32_t row)
{
    snShoulderStrand strand = {0};
    read_ends(t, row, &strand);
    read_route(s, t, row, &strand);
    strand.at[strand.npoint++] = sn_figures_v3(t, row, "insertion");
    const char *group = sn_figures_text(t, row, "group");
    strand.part = FIND(s->part, group);
    if (strand.part < 0) {
        sn_figures_complain(t, row, "column group: no part is called \"%.40s\"", group);
        return true;
    }
    snShoulderPart *p = &s->part.at[strand.part];
    strand.origin = p->origin, strand.insertion = p->insertion;
    if (p->nstrand++ == 0) p->first = s->strand.count;
    if (p->first + p->nstrand != s->strand.count + 1)
        sn_figures_complain(t, row, "the strands of \"%s\" do not follow each other", p->name);
    return sn_array_push(&s->strand, strand);
}

static bool read_ligament(snShoulder *s, snFigures *t, int32_t row)
{
    snShoulderStrand strand = {
        .part = -1, .stiffness = sn_figures_number(t, row, "stiffness"), .slack = sn_figures_number(t, row, "slack")};
    read_ends(t, row, &strand);
    strand.at[strand.npoint++] = sn_figures_v3(t, row, "insertion");
    strand.origin = body_cell(s, t, row, "origin_body"), strand.insertion = body_cell(s, t, row, "insertion_body");
    if (!(strand.stiffness > 0 && strand.slack > 0)) sn_figures_complain(t, row, "stiffness and slack must be above 0");
    return sn_array_push(&s->strand, strand);
}

static bool read_function(snShoulder *s, snFigures *t, int32_t row)
{
    snShoulderFunction f = {0};
    char item[128], name[64];
    sn_figures_name(t, row, "function", f.name, sizeof f.name);
    for (const char *at = sn_figures_text(t, row, "levels"); next_item(&at, item, sizeof item);) {
        double level = -1;
        int32_t part = sscanf(item, "%63s %lf", name, &level) == 2 ? FIND(s->part, name) : -1;
        if (part < 0 || !(level >= 0 && level <= 1) || f.count == SN_SHOULDER_MAX_LEVEL) {
            sn_figures_complain(t, row, "levels: expected GROUP LEVEL, found \"%.60s\"", item);
            return true;
        }
        f.part[f.count] = part, f.level[f.count++] = level;
    }
    return sn_array_push(&s->function, f);
}

typedef bool (*read_row)(snShoulder *s, snFigures *table, int32_t row);

static snStatus read_table(snShoulder *s, const char *folder, const char *name, read_row read, snError *error)
{
    snFigures table;
    sn_figures_load(&table, folder, name);
    bool ok = true;
    for (int32_t i = 0; i < table.nrow && ok && table.error.status == SN_OK; ++i) ok = read(s, &table, i);
    snStatus status = ok ? table.error.status : SN_NO_MEMORY;
    if (!ok)
        sn_fail_no_memory(error);
    else if (status != SN_OK && error)
        *error = table.error;
    sn_figures_free(&table);
    return status;
}

snStatus sn_shoulder_read(snShoulder *s, const char *folder, snError *error)
{
    static const struct {
        const char *name;
        read_row read;
    } table[] = {{"bones.tsv", read_bone},         {"landmarks.tsv", read_landmark}, {"joints.tsv", read_joint},
                 {"surfaces.tsv", read_surface},   {"muscles.tsv", read_part},       {"strands.tsv", read_strand},
                 {"ligaments.tsv", read_ligament}, {"functions.tsv", read_function}};
    snStatus status = SN_OK;
    for (size_t i = 0; i < sizeof table / sizeof *table && status == SN_OK; ++i)
        status = read_table(s, folder, table[i].name, table[i].read, error);
    for (int32_t i = 0; i < s->part.count && status == SN_OK; ++i)
        if (s->part.at[i].nstrand == 0)
            status = sn_fail(error, SN_BAD_FILE, "strands.tsv has no strand of \"%s\"", s->part.at[i].name);
    return status;
}
