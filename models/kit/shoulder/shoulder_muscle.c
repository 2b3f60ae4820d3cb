/* Meshes of the shoulder's muscles, to look at and to fill with strands: a closed sheet around the strands of each
 * part. The physics does not use them; they are hidden in the scene, since strands lie inside them.
 *
 * The middle surface goes through the strands as they are drawn, and a little beyond the outermost ones. It is as thick
 * as makes the volume that of the strands: cross-section times fibre length, both of the tables, or times the path
 * where that is shorter. A mesh has fewer than SN_SHOULDER_MUSCLE_TRIANGLES triangles: 4 (across * along - 1).
 *
 * Invariant: `side` turns smoothly along the belly. Where the strands of a muscle cross each other on the way to its
 * insertion, as those of pectoralis major do, they are taken in the opposite order from there on. */
#include "common/sheet.h"
#include "shoulder/shoulder.h"

#include "base/error.h"
#include "math/spline.h"

#include <stdio.h>
#include <string.h>

enum { GRID = SN_SHOULDER_MUSCLE_TRIANGLES / 4, MAX_STRANDS = 32, MAX_ACROSS = 11, MAX_ALONG = 20, ROUNDS = 30 };
enum { SMOOTHINGS = 4 };

/* Half the thickness where it is largest: the range in which it is looked for, m. */
static const double THINNEST = 0.0010, THICKEST = 0.0250;
static const double RIM = 0.5;       /* half the thickness at the edges over that in the middle */
static const double MARGIN = 0.8;    /* how far the edges are beyond the outermost strands, over half the thickness */
static const double BEND = 0.8;      /* how much a bend of one rad counts, over the length, for the rows */
static const double CLOSE = 0.0010;  /* a strand nearer to the one before, on average, is left out of the sheet */
static const double NARROW = 0.0050; /* strands closer together than that in all are spread to one side and the other */

typedef struct belly {
    int32_t nstrand, across, along;
    double volume;                      /* that is wanted, m^3 */
    double t[MAX_ALONG];                /* places of the rows along the strands */
    v3 strand[MAX_STRANDS * MAX_ALONG]; /* sampled, along fastest */
    v3 side[MAX_ALONG];                 /* from the first strand to the last, square to the belly */
    v3 up[MAX_ALONG];                   /* square to both */
    int32_t column[MAX_ACROSS];         /* strands through which the columns between the edges go */
    v3 middle[GRID], normal[GRID];
    double half[GRID];
} belly;

/* A place on the curve of a node: a clamped uniform cubic. */
static v3 on_curve(const snNodeDef *node, double t)
{
    enum { MAX_POINTS = 64 };
    double knot[MAX_POINTS + 4], b[4];
    int32_t n = node->npoint < MAX_POINTS ? node->npoint : MAX_POINTS, spans = n - 3;
    for (int32_t i = 0; i < n + 4; ++i) knot[i] = fmin(fmax(i - 3, 0), spans) / (double)spans;
    int32_t span = spline_basis(knot, n, t, 0, b, NULL, NULL);
    v3 at = v3_of(0, 0, 0);
    for (int k = 0; k < 4; ++k) at = v3_mad(at, b[k], v3_load(node->point + 3 * (span + k)));
    return at;
}

static const snNodeDef *curve_of(const snShoulder *s, const snShoulderPart *p, const snSpec *spec, int32_t i)
{
    return sn_spec_node(spec, sn_spec_find(spec, SN_KIND_NODE, s->strand.at[p->first + i].name));
}

/* Places of the rows along the strands: closer together where these bend. */
static void place_rows(const snShoulder *s, const snShoulderPart *p, const snSpec *spec, int32_t count, double *t)
{
    enum { FINE = 64 };
    double done[FINE + 1] = {0};
    for (int32_t i = 0; i < p->nstrand; ++i) {
        const snNodeDef *node = curve_of(s, p, spec, i);
        v3 at = on_curve(node, 0), along = v3_sub(on_curve(node, 1.0 / FINE), at);
        for (int32_t k = 1; k <= FINE; ++k) {
            v3 next = on_curve(node, (double)k / FINE), step = v3_sub(next, at);
            done[k] += (1.0 / FINE + BEND * v3_len(v3_sub(v3_unit(step), v3_unit(along)))) / p->nstrand;
            at = next, along = step;
        }
    }
    for (int32_t k = 1; k <= FINE; ++k) done[k] += done[k - 1];
    for (int32_t j = 0, k = 1; j < count; ++j) {
        double want = done[FINE] * j / (count - 1);
        while (k < FINE && done[k] < want) ++k;
        t[j] = fmin((k - 1 + (want - done[k - 1]) / (done[k] - done[k - 1])) / FINE, 1);
    }
}

static snStatus sample(const snShoulder *s, const snShoulderPart *p, const snSpec *spec, belly *b, snError *error)
{
    if (p->nstrand < 2 || p->nstrand > MAX_STRANDS)
        return sn_fail(error, SN_BAD_FILE, "muscles.tsv: \"%s\" has %d strands, 2 to %d are needed for its mesh",
                       p->name, (int)p->nstrand, MAX_STRANDS);
    b->nstrand = p->nstrand;
    b->across = p->nstrand + 2 < MAX_ACROSS ? p->nstrand + 2 : MAX_ACROSS;
    b->along = GRID / b->across < MAX_ALONG ? GRID / b->across : MAX_ALONG;
    b->volume = 0;
    place_rows(s, p, spec, b->along, b->t);
    for (int32_t i = 0; i < p->nstrand; ++i) {
        const snShoulderStrand *strand = &s->strand.at[p->first + i];
        const snNodeDef *node = curve_of(s, p, spec, i);
        b->volume += p->area / p->nstrand * fmin(p->fiber_length, sn_shoulder_path_length(strand));
        for (int32_t j = 0; j < b->along; ++j) b->strand[i * b->along + j] = on_curve(node, b->t[j]);
    }
    return SN_OK;
}

static v3 tangent_of(const v3 *line, int32_t n, int32_t j)
{
    return v3_unit(v3_sub(line[j + 1 < n ? j + 1 : j], line[j > 0 ? j - 1 : j]));
}

/* The part of a that is square to a unit vector. */
static v3 square_to(v3 a, v3 unit)
{
    return v3_mad(a, -v3_dot(a, unit), unit);
}

static void reverse_row(belly *b, int32_t j)
{
    for (int32_t i = 0, k = b->nstrand - 1; i < k; ++i, --k) {
        v3 kept = b->strand[i * b->along + j];
        b->strand[i * b->along + j] = b->strand[k * b->along + j];
        b->strand[k * b->along + j] = kept;
    }
}

/* The wider the strands lie at a place, the more it counts. */
static void find_sides(belly *b)
{
    v3 line[MAX_ALONG], raw[MAX_ALONG];
    int32_t n = b->along;
    for (int32_t j = 0; j < n; ++j) {
        line[j] = v3_of(0, 0, 0);
        for (int32_t i = 0; i < b->nstrand; ++i) line[j] = v3_mad(line[j], 1.0 / b->nstrand, b->strand[i * n + j]);
    }
    for (int32_t j = 0; j < n; ++j) {
        raw[j] = square_to(v3_sub(b->strand[(b->nstrand - 1) * n + j], b->strand[j]), tangent_of(line, n, j));
        if (j > 0 && v3_dot(raw[j], raw[j - 1]) < 0) {
            raw[j] = v3_neg(raw[j]);
            reverse_row(b, j);
        }
    }
    for (int round = 0; round < SMOOTHINGS; ++round) {
        for (int32_t j = 0; j < n; ++j)
            b->side[j] = v3_add(v3_scale(raw[j], 2), v3_add(raw[j > 0 ? j - 1 : j], raw[j + 1 < n ? j + 1 : j]));
        for (int32_t j = 0; j < n; ++j) raw[j] = v3_scale(b->side[j], 0.25);
    }
    for (int32_t j = 0; j < n; ++j) {
        b->side[j] = v3_unit(square_to(raw[j], tangent_of(line, n, j)));
        b->up[j] = v3_cross(b->side[j], tangent_of(line, n, j));
    }
}

/* Leaves out strands that lie over the sheet of those before, as where origins fill an area: it would fold back. The
 * thickness covers them. */
static void drop_folded(belly *b)
{
    int32_t kept = 1, n = b->along;
    for (int32_t i = 1; i < b->nstrand; ++i) {
        const v3 *last = b->strand + (kept - 1) * n, *next = b->strand + i * n;
        double sum = 0;
        for (int32_t j = 0; j < n; ++j)
            sum += v3_dot(v3_cross(v3_sub(next[j], last[j]), tangent_of(last, n, j)), b->up[j]);
        if (sum <= (kept > 2 ? n * CLOSE : 0)) continue;
        if (kept < i) memcpy(b->strand + kept * n, next, (size_t)n * sizeof *next);
        ++kept;
    }
    b->nstrand = kept;
    if (b->across > kept + 2) b->across = kept + 2;
}

/* Furthest that a strand is from the straight lines between two others, m. */
static double distance_between(const belly *b, int32_t strand, int32_t first, int32_t last)
{
    double worst = 0;
    for (int32_t j = 0; j < b->along; ++j) {
        v3 from = b->strand[first * b->along + j], span = v3_sub(b->strand[last * b->along + j], from);
        v3 p = v3_sub(b->strand[strand * b->along + j], from);
        double t = fmin(fmax(v3_dot(p, span) / fmax(v3_dot(span, span), 1e-12), 0), 1);
        worst = fmax(worst, v3_len(v3_mad(p, -t, span)));
    }
    return worst;
}

/* Takes the outermost strands, then whichever is furthest from the sheet through those taken. */
static void choose_columns(belly *b)
{
    int32_t inner = b->across - 2, count = 2;
    b->column[0] = 0, b->column[1] = b->nstrand - 1;
    for (; count < inner; ++count) {
        double worst = -1;
        int32_t best = 0, before = 0;
        for (int32_t k = 0; k + 1 < count; ++k)
            for (int32_t i = b->column[k] + 1; i < b->column[k + 1]; ++i) {
                double d = distance_between(b, i, b->column[k], b->column[k + 1]);
                if (d > worst) worst = d, best = i, before = k;
            }
        for (int32_t k = count; k > before + 1; --k) b->column[k] = b->column[k - 1];
        b->column[before + 1] = best;
    }
}

/* Columns through the strands that were chosen, spread where they come together. */
static void place_columns(belly *b)
{
    int32_t inner = b->across - 2, n = b->along;
    for (int32_t j = 0; j < n; ++j) {
        v3 first = b->strand[j], last = b->strand[(b->nstrand - 1) * n + j];
        double width = v3_dot(v3_sub(last, first), b->side[j]);
        double spread = fmin(fmax(1 - width / NARROW, 0), 1);
        for (int32_t i = 0; i < inner; ++i) {
            v3 p = b->strand[b->column[i] * n + j];
            double u = (double)i / (inner - 1) - 0.5, at = v3_dot(v3_sub(p, v3_lerp(first, last, 0.5)), b->side[j]);
            b->middle[(i + 1) * n + j] = v3_mad(p, spread * (u * NARROW - at), b->side[j]);
        }
    }
}

/* The edge of the sheet beside column `next`, square to it and in the sheet. */
static void place_edge(belly *b, int32_t edge, int32_t next, double sign)
{
    int32_t n = b->along;
    const v3 *line = b->middle + next * n;
    for (int32_t j = 0; j < n; ++j) {
        v3 out = v3_unit(v3_cross(tangent_of(line, n, j), b->up[j]));
        b->middle[edge * n + j] = v3_mad(line[j], sign * MARGIN * b->half[next * n + j], out);
    }
}

/* Across x along, the mean over neighbours by area: where strands run one behind the other, a single cell says little.
 */
static void find_normals(belly *b)
{
    v3 sum[GRID];
    int32_t n = b->along, m = b->across;
    for (int32_t k = 0; k < m * n; ++k) {
        int32_t i = k / n, j = k % n;
        v3 across = v3_sub(b->middle[(i + 1 < m ? k + n : k)], b->middle[(i > 0 ? k - n : k)]);
        v3 along = v3_sub(b->middle[(j + 1 < n ? k + 1 : k)], b->middle[(j > 0 ? k - 1 : k)]);
        b->normal[k] = v3_cross(across, along);
    }
    for (int round = 0; round < SMOOTHINGS; ++round) {
        for (int32_t k = 0; k < m * n; ++k) {
            int32_t i = k / n, j = k % n;
            v3 rows = v3_add(b->normal[j > 0 ? k - 1 : k], b->normal[j + 1 < n ? k + 1 : k]);
            v3 columns = v3_add(b->normal[i > 0 ? k - n : k], b->normal[i + 1 < m ? k + n : k]);
            sum[k] = v3_mad(v3_add(rows, columns), 2, b->normal[k]);
        }
        for (int32_t k = 0; k < m * n; ++k) b->normal[k] = v3_scale(sum[k], 1.0 / 6);
    }
    for (int32_t k = 0; k < m * n; ++k) b->normal[k] = v3_unit(b->normal[k]);
}

/* Thin towards the ends and at the edges. */
static void thicken(belly *b, double half)
{
    for (int32_t i = 0; i < b->across; ++i)
        for (int32_t j = 0; j < b->along; ++j) {
            double ends = pow(sin(SN_PI * (0.06 + 0.88 * b->t[j])), 0.7);
            bool edge = i == 0 || i == b->across - 1;
            b->half[i * b->along + j] = half * ends * (edge ? RIM : 1);
        }
    place_edge(b, 0, 1, -1);
    place_edge(b, b->across - 1, b->across - 2, 1);
    find_normals(b);
}

/* The thickness that gives the volume; the volume grows with a power of it between one and two. */
static snStatus find_mesh(belly *b, snTriMesh *mesh, snError *error)
{
    double half = 0.004;
    snStatus status = SN_OK;
    for (int round = 0; round < ROUNDS && status == SN_OK; ++round) {
        double reached;
        sn_trimesh_free(mesh);
        thicken(b, half);
        snSheetDef def = {
            .across = b->across, .along = b->along, .middle = b->middle, .half = b->half, .normal = b->normal};
        status = sn_sheet_mesh(&def, mesh, error);
        if (status != SN_OK) break;
        sn_trimesh_integrals(mesh, &reached, NULL, NULL);
        if (fabs(reached / b->volume - 1) < 1e-3) break;
        half = fmin(fmax(half * pow(b->volume / reached, 0.6), THINNEST), THICKEST);
    }
    return status;
}

static snStatus add_mesh(snSpec *spec, const char *name, snId parent, const snTriMesh *mesh)
{
    snNodeDef node = sn_default_node_def();
    node.name = name;
    node.kind = SN_NODE_MESH;
    node.parent = parent;
    node.visible = false;
    node.nvertex = mesh->nvertex, node.vertex = mesh->vertex;
    node.ntriangle = mesh->ntriangle, node.triangle = mesh->triangle;
    node.color[0] = 0.70, node.color[1] = 0.28, node.color[2] = 0.24;
    return sn_add_node(spec, &node, NULL);
}

static snStatus add_part(const snShoulder *s, const snShoulderPart *p, snSpec *spec, snId parent, snError *error)
{
    char name[SN_SHOULDER_NAME + 8];
    belly b;
    snTriMesh mesh = {0};
    snStatus status = sample(s, p, spec, &b, error);
    if (status != SN_OK) return status;
    find_sides(&b);
    drop_folded(&b);
    find_sides(&b);
    choose_columns(&b);
    place_columns(&b);
    status = find_mesh(&b, &mesh, error);
    snprintf(name, sizeof name, "%s_muscle", p->name);
    if (status == SN_OK) status = add_mesh(spec, name, parent, &mesh);
    sn_trimesh_free(&mesh);
    return status;
}

snStatus sn_shoulder_add_muscles(const snShoulder *s, snSpec *spec, snError *error)
{
    snNodeDef group = sn_default_node_def();
    group.name = "muscles";
    snId parent = 0;
    snStatus status = sn_add_node(spec, &group, &parent);
    for (int32_t i = 0; i < s->part.count && status == SN_OK; ++i)
        status = add_part(s, &s->part.at[i], spec, parent, error);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(error) : status;
}
