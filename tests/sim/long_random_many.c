/* Heavy: a thousand models at random, a second each, at their default step. At most one in a hundred fails, and every
 * one that does runs once its remedy is followed. Prints the table of docs/physics.md. */
#include "sim/random_run.h"

enum { MODELS = 1000 };

typedef struct Tally {
    int valid, in_pieces, unresolved, failed;
    int64_t pieces;
} Tally;

static void a_thousand_models_run(void **state)
{
    (void)state;
    Tally sum[RANDOM_CLASSES] = {{0}}, all = {0};
    for (uint64_t seed = 0; seed < MODELS; ++seed) {
        RandomRun run = random_run(seed, NULL);
        Tally *t = &sum[run.kind];
        if (!run.valid) continue;
        ++t->valid, t->in_pieces += run.most > 1, t->pieces += run.pieces, t->unresolved += run.unresolved > 0;
        if (run.status == SN_OK) continue;
        ++t->failed;
        int rounds = random_follow_remedy(seed, run);
        print_message("%d, %s%s, %.3f s: %s; %s: %s after %d\n", (int)seed, run.wild ? "wild " : "",
                      random_class_name[run.kind], run.end, run.error.message, run.error.remedy,
                      rounds ? "runs" : "does not run", rounds);
        assert_true(rounds > 0);
    }
    for (int k = 0; k < RANDOM_CLASSES; ++k) {
        print_message("| %s | %d | %d | %.2f | %d | %d |\n", random_class_name[k], sum[k].valid, sum[k].in_pieces,
                      (double)sum[k].pieces / (250 * sum[k].valid), sum[k].unresolved, sum[k].failed);
        all.valid += sum[k].valid, all.in_pieces += sum[k].in_pieces;
        all.unresolved += sum[k].unresolved, all.failed += sum[k].failed, all.pieces += sum[k].pieces;
    }
    print_message("| all | %d | %d | %.2f | %d | %d |\n", all.valid, all.in_pieces,
                  (double)all.pieces / (250 * all.valid), all.unresolved, all.failed);
    assert_true(all.valid > 0.8 * MODELS);
    assert_true(all.failed <= 0.01 * all.valid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thousand_models_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
