/* The tables of the hand turned into an snHand. */
#include "author/table.h"
#include "hand/hand.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

void sn_hand_free(snHand *hand)
{
    sn_array_free(&hand->bone);
    sn_array_free(&hand->joint);
    sn_array_free(&hand->muscle);
    sn_array_free(&hand->point);
    sn_array_free(&hand->surface);
}

static int32_t find_bone(const snHand *hand, snFigures *table, int32_t row, const char *column)
{
    const char *name = sn_figures_text(table, row, column);
    for (int32_t i = 0; i < hand->bone.count; ++i)
        if (strcmp(hand->bone.at[i].name, name) == 0) return i;
    sn_figures_complain(table, row, "column %s: no body is called \"%s\"", column, name);
    return 0;
}

static bool read_bone(snHand *hand, snFigures *t, int32_t row)
{
    snHandBone b = {.moving = sn_figures_number(t, row, "moving") != 0};
    sn_figures_name(t, row, "body", b.name, sizeof b.name);
    b.proximal = sn_figures_v3(t, row, "proximal");
    b.distal = sn_figures_v3(t, row, "distal");
    b.center_of_mass = sn_figures_v3(t, row, "center_of_mass");
    b.proximal_ml = sn_figures_number(t, row, "proximal_ml");
    b.proximal_dp = sn_figures_number(t, row, "proximal_dp");
    b.distal_ml = sn_figures_number(t, row, "distal_ml");
    b.distal_dp = sn_figures_number(t, row, "distal_dp");
    b.mass = sn_figures_number(t, row, "mass");
    b.girth_radius = sn_figures_number(t, row, "girth_radius");
    if (!(b.mass > 0 && b.girth_radius > 0)) sn_figures_complain(t, row, "mass and girth_radius must be above 0");
    if (hand->bone.count >= SN_HAND_MAX_BODY) sn_figures_complain(t, row, "more than %d bodies", SN_HAND_MAX_BODY);
    /* the printed axes are rounded: y is kept, x made orthogonal to it */
    v3 y = v3_unit(sn_figures_v3(t, row, "axis_y")), z = v3_unit(v3_cross(sn_figures_v3(t, row, "axis_x"), y));
    m3 axes = m3_columns(v3_cross(y, z), y, z);
    b.frame = (rigid){q_from_m3(&axes), b.proximal};
    return sn_array_push(&hand->bone, b);
}

static void read_dof(snFigures *t, int32_t row, snHandJoint *j, int32_t dof)
{
    char column[32];
    j->axis[dof] = v3_unit(sn_figures_v3(t, row, sn_figures_numbered(column, "axis", dof + 1)));
    sn_figures_name(t, row, sn_figures_numbered(column, "motion", dof + 1), j->motion[dof], sizeof j->motion[dof]);
    snFiguresTurn turn = sn_figures_turn(t, row, dof + 1);
    j->lower[dof] = turn.lower, j->upper[dof] = turn.upper;
    j->stiffness[dof] = turn.stiffness, j->damping[dof] = turn.damping;
}

static bool read_joint(snHand *hand, snFigures *t, int32_t row)
{
    snHandJoint j = {.dofs = sn_figures_has(t, row, "axis2") ? 2 : 1, .first = hand->ncoordinate};
    sn_figures_name(t, row, "joint", j.name, sizeof j.name);
    j.parent = find_bone(hand, t, row, "parent");
    j.child = find_bone(hand, t, row, "child");
    j.center = sn_figures_v3(t, row, "center");
    for (int32_t dof = 0; dof < j.dofs; ++dof) read_dof(t, row, &j, dof);
    /* a universal joint needs right angles; the printed axes miss them by rounding */
    if (j.dofs == 2) j.axis[1] = v3_unit(v3_mad(j.axis[1], -v3_dot(j.axis[0], j.axis[1]), j.axis[0]));
    hand->ncoordinate += j.dofs;
    if (hand->ncoordinate > SN_HAND_MAX_COORDINATE) sn_figures_complain(t, row, "too many joint coordinates");
    return sn_array_push(&hand->joint, j);
}

static bool read_surface(snHand *hand, snFigures *t, int32_t row)
{
    snHandSurface s = {.body = find_bone(hand, t, row, "body")};
    sn_figures_name(t, row, "surface", s.name, sizeof s.name);
    s.center = sn_figures_v3(t, row, "center");
    s.axis = v3_unit(sn_figures_v3(t, row, "axis"));
    s.radius = sn_figures_number(t, row, "radius");
    s.end_radius = sn_figures_number(t, row, "end_radius");
    s.length = sn_figures_number(t, row, "length");
    s.lateral = sn_figures_has(t, row, "lateral") ? sn_figures_number(t, row, "lateral") : -1;
    if (!(s.radius > 0 && s.end_radius > 0 && s.length > 0)) sn_figures_complain(t, row, "sizes must be above 0");
    return sn_array_push(&hand->surface, s);
}

static int32_t find_muscle(const snHand *hand, const char *name)
{
    for (int32_t i = 0; i < hand->muscle.count; ++i)
        if (strcmp(hand->muscle.at[i].name, name) == 0) return i;
    return -1;
}

static bool read_muscle(snHand *hand, snFigures *t, int32_t row)
{
    snHandMuscle m = {.on = -1, .into = -1};
    sn_figures_name(t, row, "abbr", m.name, sizeof m.name);
    (void)snprintf(m.label, sizeof m.label, "%s", sn_figures_text(t, row, "name"));
    m.max_force = sn_figures_number(t, row, "max_force");
    m.fiber_length = sn_figures_number(t, row, "fiber_length");
    m.fiber_neutral = sn_figures_number(t, row, "fiber_neutral");
    m.fiber_neutral_path = sn_figures_number(t, row, "fiber_neutral_path");
    m.pennation = sn_figures_number(t, row, "pennation_deg") * SN_DEG;
    m.radius = sn_figures_number(t, row, "tendon_radius");
    m.pcsa = 1e-4 * sn_figures_number(t, row, "pcsa_cm2");
    if (!(m.max_force > 0 && m.fiber_length > 0 && m.fiber_neutral > 0 && m.fiber_neutral_path > 0 && m.radius > 0))
        sn_figures_complain(t, row, "force, fibre length and radius must be above 0");
    if (sn_figures_has(t, row, "on")) {
        m.on = find_muscle(hand, sn_figures_text(t, row, "on"));
        if (m.on < 0) sn_figures_complain(t, row, "starts on a muscle that is not listed above it");
    }
    return sn_array_push(&hand->muscle, m);
}

static int32_t find_surface(const snHand *hand, snFigures *t, int32_t row)
{
    const char *name = sn_figures_text(t, row, "surface");
    for (int32_t i = 0; i < hand->surface.count; ++i)
        if (strcmp(hand->surface.at[i].name, name) == 0) return i;
    sn_figures_complain(t, row, "no surface is called \"%s\"", name);
    return 0;
}

static snHandKind read_kind(snFigures *t, int32_t row)
{
    static const char *const name[] = {"origin", "sliding", "surface", "insertion"};
    const char *text = sn_figures_text(t, row, "kind");
    for (int i = 0; i < 4; ++i)
        if (strcmp(text, name[i]) == 0) return (snHandKind)i;
    sn_figures_complain(t, row, "kind \"%s\": expected origin, sliding, surface or insertion", text);
    return SN_HAND_SLIDING;
}

static bool read_point(snHand *hand, snFigures *t, int32_t row)
{
    snHandPoint p = {.body = find_bone(hand, t, row, "body"), .surface = -1, .guard = -1, .kind = read_kind(t, row)};
    p.at = sn_figures_v3(t, row, "point");
    if (p.kind == SN_HAND_SURFACE)
        p.surface = find_surface(hand, t, row);
    else if (sn_figures_has(t, row, "surface") && find_muscle(hand, sn_figures_text(t, row, "surface")) < 0)
        p.guard = find_surface(hand, t, row);
    int32_t index = find_muscle(hand, sn_figures_text(t, row, "abbr"));
    if (index < 0) {
        sn_figures_complain(t, row, "no muscle is called \"%s\"", sn_figures_text(t, row, "abbr"));
        return true;
    }
    snHandMuscle *m = &hand->muscle.at[index];
    if (!m->npoint) m->first = hand->point.count;
    if (m->first + m->npoint != hand->point.count || m->npoint >= SN_HAND_MAX_PATH)
        sn_figures_complain(t, row, "the points of a muscle must follow each other, at most %d", SN_HAND_MAX_PATH);
    if ((m->npoint == 0) != (p.kind == SN_HAND_ORIGIN)) sn_figures_complain(t, row, "a path begins with its origin");
    ++m->npoint;
    return sn_array_push(&hand->point, p);
}

typedef bool (*read_row)(snHand *hand, snFigures *table, int32_t row);

static snStatus read_table(snHand *hand, const char *folder, const char *name, read_row read, snError *error)
{
    snFigures table;
    snStatus status = sn_figures_load(&table, folder, name);
    for (int32_t row = 0; status == SN_OK && row < table.nrow; ++row)
        status = read(hand, &table, row) ? table.error.status : sn_fail_no_memory(&table.error);
    if (status != SN_OK && error) *error = table.error;
    sn_figures_free(&table);
    return status;
}

static snStatus check_paths(const snHand *hand, snError *error)
{
    for (int32_t i = 0; i < hand->muscle.count; ++i) {
        const snHandMuscle *m = &hand->muscle.at[i];
        if (m->npoint >= 2 && hand->point.at[m->first + m->npoint - 1].kind == SN_HAND_INSERTION) continue;
        sn_fail(error, SN_BAD_FILE, "points.tsv gives no path from an origin to an insertion");
        sn_error_element(error, "muscle", m->name);
        return SN_BAD_FILE;
    }
    return SN_OK;
}

/* A muscle that is listed already gets a new path, which may end on another strand; other rows are bands. */
static bool read_hood_strand(snHand *hand, snFigures *t, int32_t row)
{
    int32_t index = find_muscle(hand, sn_figures_text(t, row, "abbr"));
    snHandMuscle band = {.on = -1, .into = -1, .band = true, .pennation = 0};
    snHandMuscle *m = index >= 0 ? &hand->muscle.at[index] : &band;
    m->npoint = 0;
    if (sn_figures_has(t, row, "into")) {
        m->into = find_muscle(hand, sn_figures_text(t, row, "into"));
        if (m->into < 0) sn_figures_complain(t, row, "ends on a strand that is not listed above it");
    }
    if (index >= 0) return true;
    sn_figures_name(t, row, "abbr", band.name, sizeof band.name);
    band.on = find_muscle(hand, sn_figures_text(t, row, "on"));
    if (band.on < 0) sn_figures_complain(t, row, "a band starts on a muscle that is listed");
    band.max_force = sn_figures_number(t, row, "force");
    band.radius = sn_figures_number(t, row, "tendon_radius");
    band.fiber_length = band.fiber_neutral = band.fiber_neutral_path = 1;
    if (!(band.max_force > 0 && band.radius > 0)) sn_figures_complain(t, row, "force and radius must be above 0");
    return sn_array_push(&hand->muscle, band);
}

snStatus sn_hand_read_hood(snHand *hand, const char *folder, snError *error)
{
    snStatus status = read_table(hand, folder, "hood_strands.tsv", read_hood_strand, error);
    if (status == SN_OK) status = read_table(hand, folder, "hood_points.tsv", read_point, error);
    return status == SN_OK ? check_paths(hand, error) : status;
}

snStatus sn_hand_read(snHand *hand, const char *folder, snError *error)
{
    static const struct {
        const char *name;
        read_row read;
    } tables[] = {{"bones.tsv", read_bone},
                  {"joints.tsv", read_joint},
                  {"surfaces.tsv", read_surface},
                  {"muscles.tsv", read_muscle},
                  {"points.tsv", read_point}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
        snStatus status = read_table(hand, folder, tables[i].name, tables[i].read, error);
        if (status != SN_OK) return status;
    }
    return check_paths(hand, error);
}
