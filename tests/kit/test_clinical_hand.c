/* The clinical hand: what it is made of, and its arms against tight strings over the paths of the strand hand. */
#include "clinical_case.h"

#include "author/table.h"
#include "hand/hand.h"
#include "path/path.h"
#include "tree/tree.h"

static void has_the_published_counts(void **state)
{
    (void)state;
    snSpec *spec = NULL;
    snModel *m = NULL;
    snProblems problems;
    hand_of(true, &spec, &m);
    int32_t meshes = 0, moving = 0, passive = 0;
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_NODE); ++i) meshes += sn_spec_node(spec, i)->kind == SN_NODE_MESH;
    for (int32_t b = 0; b < m->nbody; ++b) moving += m->skeleton->tree.body_link[b] >= 0;
    for (int32_t k = 0; k < m->ncoord; ++k) passive += !m->skeleton->tree.driven[k];
    assert_int_equal(meshes, 29);
    assert_int_equal(moving, 16);
    assert_int_equal(m->ncoord, HAND_Q);
    assert_int_equal(passive, 1); /* the third axis of the thumb */
    assert_int_equal(m->nmuscle, HAND_U);
    assert_int_equal(m->skeleton->path.npath, HAND_P);
    assert_int_equal(m->skeleton->ncouple, 6); /* FDP and ED, three pairs of neighbours each */
    assert_int_equal(sn_check(spec, &problems), SN_OK);
    assert_int_equal(problems.count, 0);
    sn_problems_free(&problems);
    double relative = 0;
    for (int32_t i = 0; i < HAND_P; ++i) relative += m->skeleton->relative_force[i];
    assert_near(relative, 82.4, 0.05); /* of all muscles of forearm and hand: the sum of Brand's column for these */
    sn_model_destroy(m);
    sn_spec_destroy(spec);
}

/* Nerves: 12 + 13 + 15 units and FPB, which has two, make 41. */
static void every_unit_has_its_nerve(void **state)
{
    (void)state;
    snSpec *spec = NULL;
    snModel *m = NULL;
    hand_of(false, &spec, &m);
    int32_t radial = 0, median = 0, ulnar = 0;
    for (int32_t u = 0; u < m->nmuscle; ++u) {
        const snSkeleton *s = m->skeleton;
        const char *nerve = s->path_nerve[s->unit_path[s->unit_pathadr[u]]];
        if (strcmp(m->muscle_name[u], "FPB") == 0) continue;
        radial += strstr(nerve, "radial") != NULL;
        median += strstr(nerve, "median-high") != NULL;
        ulnar += strstr(nerve, "ulnar-high") != NULL;
    }
    assert_int_equal(radial, 12);
    assert_int_equal(median, 13);
    assert_int_equal(ulnar, 15);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
}

typedef struct Bench {
    snSpec *spec;
    snModel *m;
    snTreeWork *tree;
    snPathWork *path;
    snPathLinks links;
} Bench;

static Bench bench(void)
{
    Bench b = {0};
    hand_of(false, &b.spec, &b.m);
    const snSkeleton *s = b.m->skeleton;
    b.tree = sn_tree_create(&s->tree);
    b.path = sn_path_create(&s->path, s->tree.ndof, s->tree.parent);
    b.links = (snPathLinks){.ndof = s->tree.ndof,
                            .parent = s->tree.parent,
                            .slides = s->tree.slides,
                            .rotation = b.tree->rotation,
                            .shift = b.tree->shift,
                            .S = b.tree->S};
    return b;
}

static void end(Bench *b)
{
    sn_path_destroy(b->path);
    sn_tree_destroy(b->tree);
    sn_model_destroy(b->m);
    sn_spec_destroy(b->spec);
}

static void lengths(Bench *b, const double *q)
{
    sn_tree_place(&b->m->skeleton->tree, b->tree, q);
    sn_path_lengths(&b->m->skeleton->path, &b->links, b->path);
}

static void arms_are_slopes_and_loops_close(void **state)
{
    (void)state;
    Bench b = bench();
    uint64_t seed = 5;
    double q[HAND_Q] = {0}, P[HAND_Q * HAND_P], length[HAND_P], start[HAND_P], h = 1e-5, worst = 0;
    lengths(&b, q);
    memcpy(start, b.path->length, sizeof start);
    for (int round = 0; round < 50; ++round) {
        random_pose(b.m, 0.9, &seed, q);
        lengths(&b, q);
        memset(P, 0, sizeof P);
        for (int32_t i = 0; i < HAND_P; ++i)
            for (int32_t k = b.path->rowadr[i]; k < b.path->rowadr[i + 1]; ++k)
                P[HAND_Q * i + b.path->col[k]] = b.path->P[k];
        for (int32_t k = 0; k < HAND_Q; ++k) {
            double at = q[k];
            q[k] = at + h, lengths(&b, q), memcpy(length, b.path->length, sizeof length);
            q[k] = at - h, lengths(&b, q), q[k] = at;
            for (int32_t i = 0; i < HAND_P; ++i)
                worst = fmax(worst, fabs((length[i] - b.path->length[i]) / (2 * h) - P[HAND_Q * i + k]));
        }
    }
    print_message("arms against differences: %.1e m (5e-6)\n", worst);
    assert_at_most(worst, 5e-6);
    memset(q, 0, sizeof q);
    lengths(&b, q);
    double open = 0;
    for (int32_t i = 0; i < HAND_P; ++i) open = fmax(open, fabs(b.path->length[i] - start[i]));
    print_message("lengths after a closed loop of poses: %.1e m (1e-12)\n", open);
    assert_at_most(open, 1e-12);
    end(&b);
}

/* Coordinate of the strand hand that has this name; -1: none. */
static int32_t old_coordinate(const snHand *hand, const char *name)
{
    for (int32_t j = 0; j < hand->joint.count; ++j) {
        const snHandJoint *joint = &hand->joint.at[j];
        size_t n = strlen(joint->name);
        if (strncmp(joint->name, name, n) == 0 && name[n] == '.') return joint->first + (name[n + 1] != 'f');
    }
    return -1;
}

/* Row of a table that says something about this path (and this joint, unless it is NULL); -1: none. */
static int32_t row_about(snFigures *t, const char *column, const char *path, const char *coordinate)
{
    for (int32_t i = 0; i < t->nrow; ++i) {
        const char *joint = coordinate ? sn_figures_text(t, i, "joint") : "";
        if (strcmp(sn_figures_text(t, i, column), path) == 0 &&
            strncmp(joint, coordinate ? coordinate : "", strlen(joint)) == 0)
            return i;
    }
    return -1;
}

static snFigures table_called(const char *name)
{
    snFigures t = {0};
    assert_int_equal(sn_figures_load(&t, SINEW_SOURCE_DIR "/models/hand-clinical", name), SN_OK);
    return t;
}

/* arms.tsv says what it is in the drawn pose. */
static void arms_are_those_of_the_table(void **state)
{
    (void)state;
    Bench b = bench();
    snFigures arms = table_called("arms.tsv");
    double q[HAND_Q] = {0};
    int32_t found = 0;
    lengths(&b, q);
    for (int32_t i = 0; i < HAND_P; ++i)
        for (int32_t k = b.path->rowadr[i]; k < b.path->rowadr[i + 1]; ++k) {
            int32_t row = row_about(&arms, "strand", b.m->skeleton->path_name[i], b.m->coord_name[b.path->col[k]]);
            if (row < 0) continue;
            ++found;
            assert_near(-b.path->P[k], sn_figures_number(&arms, row, "arm"), 1e-9);
        }
    assert_int_equal(found, arms.nrow);
    sn_figures_free(&arms);
    end(&b);
}

/* Everywhere but where arms.tsv says otherwise and about the thumb's base, whose axes differ: 0.1 mm; 0.5 mm where a tube, here a cylinder, touches. */
static void arms_are_those_of_the_strand_hand(void **state)
{
    (void)state;
    Bench b = bench();
    snHand hand = {0};
    snFigures arms = table_called("arms.tsv");
    assert_int_equal(sn_hand_read(&hand, SINEW_SOURCE_DIR "/models/hand", NULL), SN_OK);
    uint64_t seed = 11;
    double q[HAND_Q], worst = 0, worst_over_tube = 0;
    for (int round = 0; round < 30; ++round) {
        double old[SN_HAND_MAX_COORDINATE] = {0};
        random_pose(b.m, 0.7, &seed, q);
        bend(b.m, q, "cmc1.fl", 0), bend(b.m, q, "cmc1.ab", 0), bend(b.m, q, "cmc1.ax", 0);
        for (int32_t k = 0; k < HAND_Q; ++k)
            if (strcmp(b.m->coord_name[k], "cmc1.axial") != 0) old[old_coordinate(&hand, b.m->coord_name[k])] = q[k];
        lengths(&b, q);
        for (int32_t i = 0; i < HAND_P; ++i)
            for (int32_t k = b.path->rowadr[i]; k < b.path->rowadr[i + 1]; ++k) {
                const char *name = b.m->coord_name[b.path->col[k]];
                if (strncmp(name, "cmc1", 4) == 0) continue;
                if (row_about(&arms, "strand", b.m->skeleton->path_name[i], name) >= 0) continue;
                int32_t muscle = 0;
                bool tube = false;
                while (strcmp(hand.muscle.at[muscle].name, b.m->skeleton->path_name[i]) != 0) ++muscle;
                const snHandMuscle *m = &hand.muscle.at[muscle];
                for (int32_t j = 0; j < m->npoint; ++j)
                    tube = tube || hand.point.at[m->first + j].kind == SN_HAND_SURFACE;
                double arm = sn_hand_moment_arm(&hand, old, muscle, old_coordinate(&hand, name)),
                       off = fabs(arm + b.path->P[k]);
                *(tube ? &worst_over_tube : &worst) = fmax(off, *(tube ? &worst_over_tube : &worst));
            }
    }
    print_message("largest difference of arms: %.4f mm, over tubes %.3f mm\n", 1e3 * worst, 1e3 * worst_over_tube);
    assert_at_most(worst, 1e-4);
    assert_at_most(worst_over_tube, 5e-4);
    sn_hand_free(&hand);
    sn_figures_free(&arms);
    end(&b);
}

static void laws_are_those_of_the_strand_hand(void **state)
{
    (void)state;
    snSpec *spec = NULL, *strands = NULL;
    snModel *m = NULL;
    snHandDef def = sn_default_hand_def();
    def.tables = SINEW_SOURCE_DIR "/models/hand";
    def.meshes = false;
    def.splines = true; /* paths have an active law of their own */
    hand_of(false, &spec, &m);
    assert_int_equal(sn_author_hand(&def, &strands, NULL), SN_OK);
    snFigures units = table_called("units.tsv");
    static const char *const law[] = {"fiber-passive", "fiber-active"};
    for (int i = 0; i < 2; ++i) {
        const snForceLengthDef *a = sn_spec_force_length(spec, sn_spec_find(spec, SN_KIND_FORCE_LENGTH, law[i]));
        const snForceLengthDef *b = sn_spec_force_length(strands, sn_spec_find(strands, SN_KIND_FORCE_LENGTH, law[i]));
        assert_int_equal(a->npoint, b->npoint);
        for (int32_t k = 0; k < a->npoint; ++k) {
            assert_near(a->stretch[k], b->stretch[k], 0);
            assert_near(a->force[k], b->force[k], 0);
        }
    }
    for (snId i = 1; i <= sn_spec_count(spec, SN_KIND_LINE_MUSCLE); ++i) {
        const snLineMuscleDef *a = sn_spec_line_muscle(spec, i);
        const snStrandDef *b = sn_spec_strand(strands, sn_spec_find(strands, SN_KIND_STRAND, a->name));
        assert_near(a->max_force * cos(a->pennation * SN_DEG), b->max_force, 1e-9);
        int32_t row = row_about(&units, "unit", a->unit, NULL);
        bool fitted = row >= 0 && sn_figures_has(&units, row, "onset");
        assert_near(a->passive_rest, fitted ? sn_figures_number(&units, row, "onset") : b->fiber_rest, 0.03);
    }
    sn_figures_free(&units);
    sn_spec_destroy(strands);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_published_counts),        cmocka_unit_test(every_unit_has_its_nerve),
        cmocka_unit_test(arms_are_slopes_and_loops_close), cmocka_unit_test(arms_are_those_of_the_strand_hand),
        cmocka_unit_test(arms_are_those_of_the_table),     cmocka_unit_test(laws_are_those_of_the_strand_hand),
    };
    return cmocka_run_group_tests_name("kit.clinical_hand", tests, NULL, NULL);
}
