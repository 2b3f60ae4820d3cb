/* The upper body as written from its tables: the model that it compiles into has the arrays that the tables give, and a
 * table that is missing or wrong is refused by name. */
#include "tree_case.h"

#include "base/alloc.h"
#include "model/model.h"
#include "sinew/author.h"
#include "upper_body/upper_body.h"

static snSpec *author(bool meshes)
{
    snUpperBodyDef def = sn_default_upper_body_def();
    snSpec *spec = NULL;
    snError error = {0};
    def.tables = CASE_FOLDER, def.meshes = meshes;
    snStatus status = sn_author_upper_body(&def, &spec, &error);
    if (status != SN_OK) print_error("%s\n", error.message);
    assert_int_equal(status, SN_OK);
    return spec;
}

static int32_t index_of(const char *const *names, int32_t n, const char *name)
{
    for (int32_t i = 0; i < n; ++i)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

/* The compiled tree may list links in another order: mapped by name. */
static void model_has_the_dynamics_of_the_tables(void **state)
{
    (void)state;
    enum { N = 147 };
    static double M[N * N], other[N * N];
    double q[N], v[N] = {0}, tau[N], bias[N];
    int32_t map[N];
    treeCase c;
    caseRandom r = {31};
    snSpec *spec = author(false);
    snModel *m = NULL;
    snError error = {0};
    assert_int_equal(sn_compile(spec, &m, &error), SN_OK);
    const snSkeleton *k = m->skeleton;
    case_upper_body(&c);
    pose_at_random(&c, &r, 0.9, 1);
    case_measure(&c);
    assert_int_equal(k->tree.ndof, N);
    assert_int_equal(k->path.npath, 814);
    for (int32_t i = 0; i < N; ++i) {
        map[i] = index_of(c.coordinate, N, m->coord_name[i]);
        assert_true(map[i] >= 0);
        q[i] = c.q[map[i]], v[i] = c.v[map[i]];
        assert_int_equal(k->tree.driven[i], c.tree.driven[map[i]]);
        assert_near(k->tree.stiffness[i], c.tree.stiffness[map[i]], 1e-9 * c.tree.stiffness[map[i]]);
        assert_near(k->tree.rest[i], c.tree.rest[map[i]], 1e-9);
        assert_near(k->tree.upper[i], c.tree.upper[map[i]], 1e-8);
    }
    snTreeWork *work = sn_tree_create(&k->tree);
    snPathWork *line = sn_path_create(&k->path, N, k->tree.parent);
    const v3 gravity = {0, -9.81, 0};
    sn_tree_place(&k->tree, work, q);
    sn_tree_move(&k->tree, work, v);
    sn_tree_mass(&k->tree, work, M, N);
    sn_tree_inverse(&k->tree, work, NULL, gravity, tau);
    sn_tree_mass(&c.tree, c.work, other, N);
    sn_tree_inverse(&c.tree, c.work, NULL, gravity, bias);
    for (int32_t i = 0; i < N; ++i) {
        assert_near(tau[i], bias[map[i]], 1e-6);
        for (int32_t j = 0; j < N; ++j) assert_near(M[i * N + j], other[map[i] * N + map[j]], 1e-7);
    }
    snPathLinks links = {N, k->tree.parent, k->tree.slides, work->rotation, work->shift, work->S, work->bend};
    sn_path_lengths(&k->path, &links, line);
    sn_path_rates(&k->path, line, v);
    sn_path_forces(&k->path, line, NULL, NULL);
    for (int32_t p = 0; p < 814; ++p) {
        int32_t same = index_of(c.muscle, 814, k->path_name[p]);
        assert_true(same >= 0);
        assert_near(line->length[p], c.line->length[same], 1e-8);
        assert_near(line->active[p], c.line->active[same], 1e-4 * (1 + c.line->active[same]));
        assert_near(line->passive[p], c.line->passive[same], 1e-4 * (1 + c.line->passive[same]));
    }
    sn_path_destroy(line);
    sn_tree_destroy(work);
    case_free(&c);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
}

static void every_body_has_a_mesh(void **state)
{
    (void)state;
    heavy_case();
    snSpec *spec = author(true);
    int32_t meshes = 0;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE); ++id)
        meshes += sn_spec_node(spec, id)->kind == SN_NODE_MESH;
    assert_int_equal(meshes, 68);
    sn_spec_destroy(spec);
}

static void a_missing_table_is_named(void **state)
{
    (void)state;
    snUpperBodyDef def = sn_default_upper_body_def();
    snSpec *spec = NULL;
    snError error = {0};
    def.tables = SINEW_SOURCE_DIR "/models/shoulder"; /* it has a bones.tsv, but another one */
    assert_int_not_equal(sn_author_upper_body(&def, &spec, &error), SN_OK);
    assert_null(spec);
    assert_non_null(strstr(error.file, "coordinates.tsv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_has_the_dynamics_of_the_tables),
        cmocka_unit_test(every_body_has_a_mesh),
        cmocka_unit_test(a_missing_table_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
