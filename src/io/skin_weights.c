/* Bone weights and painted influence as files. */
#include "sinew/io.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/number.h"
#include "io/own/files.h"

#include <math.h>
#include <string.h>

snStatus sn_save_skin_weights(const char *path, int32_t nvertex, int32_t nbody, const char *const *body_name,
                              const int32_t *body, const double *weight, snError *error)
{
    if (!path) return sn_fail_argument(error, "sn_save_skin_weights without path");
    (void)nbody;
    snWriter w;
    snStatus status = sn_writer_open(&w, path, error);
    if (status != SN_OK) return status;
    sn_writer_text(&w, "# skin weights: one line per vertex, body and weight in turn\n");
    for (int32_t v = 0; v < nvertex; ++v) {
        for (int k = 0; k < 4 && weight[4 * v + k] > 0; ++k) {
            sn_writer_printf(&w, "%s%s,", k ? "," : "", body_name[body[4 * v + k]]);
            sn_writer_number(&w, 1e-6 * round(1e6 * weight[4 * v + k]));
        }
        sn_writer_text(&w, "\n");
    }
    return sn_writer_commit(&w, error);
}

/* A file taken apart into lines and cells. */
typedef struct {
    const char *at, *end, *path;
    int line;
    snError *error;
} Lines;

static bool next_line(Lines *l, const char **start, const char **end)
{
    while (l->at < l->end) {
        *start = l->at;
        const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
        *end = stop ? stop : l->end;
        l->at = stop ? stop + 1 : l->end;
        ++l->line;
        if (*end > *start && (*end)[-1] == '\r') --*end;
        if (*end > *start && **start != '#') return true;
    }
    return false;
}

static snStatus bad_line(const Lines *l, const char *message)
{
    sn_fail(l->error, SN_BAD_FILE, "%s", message);
    if (l->error) sn_error_place(l->error, l->path, l->line, 0);
    return SN_BAD_FILE;
}

static int32_t find_body(const char *start, size_t n, int32_t nbody, const char *const *name)
{
    for (int32_t b = 0; b < nbody; ++b)
        if (strlen(name[b]) == n && memcmp(name[b], start, n) == 0) return b;
    return -1;
}

static snStatus read_weights(const Lines *l, const char *at, const char *end, int32_t nbody, const char *const *name,
                             int32_t body[4], double weight[4])
{
    double sum = 0;
    for (int k = 0; k < 4; ++k) body[k] = 0, weight[k] = 0;
    for (int k = 0; at < end; ++k) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if (k == 4) return bad_line(l, "more than four bodies");
        if (!comma) return bad_line(l, "a body without a weight");
        body[k] = find_body(at, (size_t)(comma - at), nbody, name);
        if (body[k] < 0) return bad_line(l, "no body of the model has this name");
        at = sn_number_parse(comma + 1, end, &weight[k]);
        if (!at || !(weight[k] >= 0 && weight[k] <= 1)) return bad_line(l, "a weight is a number from 0 to 1");
        sum += weight[k];
        if (at < end && *at++ != ',') return bad_line(l, "a comma is missing");
    }
    if (!(fabs(sum - 1) < 1e-3)) return bad_line(l, "the weights of a vertex must sum to 1");
    for (int k = 0; k < 4; ++k) weight[k] /= sum;
    return SN_OK;
}

/* What the lines of a file fill, vertex by vertex. */
typedef struct Vertices {
    int32_t nvertex, nbody;
    const char *const *body_name;
    int32_t *body;
    double *weight, *influence;
} Vertices;

/* One line for each vertex. */
static snStatus read_vertices(const char *path, const Vertices *to,
                              snStatus (*read)(Lines *l, const char *start, const char *end, const Vertices *to,
                                               int32_t v),
                              snError *error)
{
    char *bytes;
    size_t size;
    snStatus status = sn_file_read_text(path, true, &bytes, &size, error);
    if (status != SN_OK) return status;
    Lines l = {bytes, bytes + size, path, 0, error};
    const char *start, *end;
    int32_t v = 0;
    while (status == SN_OK && next_line(&l, &start, &end)) {
        status = v == to->nvertex ? bad_line(&l, "more lines than the skin has vertices") : read(&l, start, end, to, v);
        ++v;
    }
    if (status == SN_OK && v < to->nvertex) status = bad_line(&l, "fewer lines than the skin has vertices");
    sn_free(bytes);
    return status;
}

static snStatus take_weights(Lines *l, const char *start, const char *end, const Vertices *to, int32_t v)
{
    return read_weights(l, start, end, to->nbody, to->body_name, to->body + 4 * v, to->weight + 4 * v);
}

static snStatus take_influence(Lines *l, const char *start, const char *end, const Vertices *to, int32_t v)
{
    double value;
    if (!sn_number_parse(start, end, &value) || !(value >= 0 && value <= 1))
        return bad_line(l, "an influence is a number from 0 to 1");
    to->influence[v] = value;
    return SN_OK;
}

snStatus sn_load_skin_weights(const char *path, int32_t nvertex, int32_t nbody, const char *const *body_name,
                              int32_t *body, double *weight, snError *error)
{
    Vertices to = {.nvertex = nvertex, .nbody = nbody, .body_name = body_name, .body = body, .weight = weight};
    return read_vertices(path, &to, take_weights, error);
}

static snStatus influence_from_mesh(const char *path, int32_t nvertex, double *influence, snError *error)
{
    snMesh mesh;
    snStatus status = sn_load_mesh(path, &mesh, error);
    if (status != SN_OK) return status;
    if (mesh.nvertex != nvertex || !mesh.color)
        status = sn_fail(error, SN_BAD_FILE, "%d vertices %s colours, expected %d with colours", (int)mesh.nvertex,
                         mesh.color ? "with" : "without", (int)nvertex);
    for (int32_t v = 0; status == SN_OK && v < nvertex; ++v) influence[v] = fmax(0, fmin(1, mesh.color[3 * v]));
    sn_mesh_free(&mesh);
    return status;
}

snStatus sn_load_skin_influence(const char *path, int32_t nvertex, double *influence, snError *error)
{
    if (!path) return sn_fail_argument(error, "sn_load_skin_influence without path");
    if (!sn_path_ends(path, ".csv")) return influence_from_mesh(path, nvertex, influence, error);
    Vertices to = {.nvertex = nvertex, .influence = influence};
    return read_vertices(path, &to, take_influence, error);
}
