/* sinew info --moment-arms: arms of all tendons about all joints by two ways, the published figures, the static check.
 */
#include "coordinates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double WIDER = 0.15;                           /* of the width of a published range, on both sides */
static const double GREATEST_JUMP = 1e-3;                   /* m between neighbouring poses */
static const double AGREE_PART = 0.02, AGREE_LENGTH = 2e-4; /* the two ways: relative, or m */
static const double HOLD_SHARE = 0.1;                       /* of a coordinate's torque */
static const double MUCH_MORE = 3;                          /* times the activation that the torque alone would take */
static const double RAD_TO_DEG = 57.29577951308232;

typedef struct snArmRun {
    snCli *cli;
    snSpec *spec;
    snModel *model;
    snArms *arms;
    snArmFigure *figure;
    int32_t nfigure;
    char table[4096];
} snArmRun;

static const char *strand_name(const snArmRun *run, const snArmCurve *curve)
{
    return cli_strand_name(run->model, curve->strand);
}

static const char *coordinate_name(const snArmRun *run, int32_t coordinate)
{
    return sn_name(run->model, SN_ITEM_COORDINATE, coordinate);
}

/* The same in the words of the model, for people. */
static const char *title(const snArmRun *run, int32_t coordinate)
{
    return sn_coordinate_title(run->model, coordinate);
}

/* ---- the curves --------------------------------------------------------------------------- */

static bool agrees(const snArmCurve *c, int32_t k)
{
    double difference = fabs(c->work[k] - c->excursion[k]);
    return difference <= fmax(AGREE_LENGTH, AGREE_PART * fabs(c->excursion[k]));
}

typedef struct snAgreement {
    double mean, worst, jump, stretch;
    int32_t poses, good, slack;
    const snArmCurve *worst_curve, *jump_curve;
} snAgreement;

static snAgreement add_up(const snArms *arms)
{
    snAgreement a = {0};
    for (int32_t i = 0; i < arms->ncurve; ++i) {
        const snArmCurve *c = &arms->curve[i];
        for (int32_t k = 0; k < c->count; ++k) {
            if (!isfinite(c->work[k]) || !isfinite(c->excursion[k])) {
                ++a.slack;
                continue;
            }
            ++a.poses;
            a.good += agrees(c, k);
            a.mean += fabs(c->work[k] - c->excursion[k]);
        }
        if (c->worst > a.worst || !a.worst_curve) a.worst = c->worst, a.worst_curve = c;
        if (c->jump > a.jump || !a.jump_curve) a.jump = c->jump, a.jump_curve = c;
        a.stretch = fmax(a.stretch, c->stretch);
    }
    a.mean = a.poses ? a.mean / a.poses : 0;
    return a;
}

static void say_curves(snArmRun *run)
{
    snCli *cli = run->cli;
    cli_say(cli, "%-10s %-22s %8s %8s %8s %8s %8s\n", "strand", "coordinate", "mean", "at rest", "differ", "worst",
            "jump");
    json_open(&cli->json, "moment_arms", '[');
    for (int32_t i = 0; i < run->arms->ncurve; ++i) {
        const snArmCurve *c = &run->arms->curve[i];
        cli_say(cli, "%-10s %-22s %8.2f %8.2f %8.2f %8.2f %8.2f\n", strand_name(run, c), title(run, c->coordinate),
                1000 * c->mean, 1000 * c->neutral, 1000 * c->difference, 1000 * c->worst, 1000 * c->jump);
        json_open(&cli->json, NULL, '{');
        json_string(&cli->json, "strand", strand_name(run, c));
        json_string(&cli->json, "coordinate", coordinate_name(run, c->coordinate));
        json_number(&cli->json, "mean_mm", 1000 * c->mean);
        json_number(&cli->json, "neutral_mm", 1000 * c->neutral);
        json_number(&cli->json, "difference_mm", 1000 * c->difference);
        json_number(&cli->json, "worst_difference_mm", 1000 * c->worst);
        json_number(&cli->json, "jump_mm", 1000 * c->jump);
        json_close(&cli->json, '}');
    }
    json_close(&cli->json, ']');
}

/* Where each pair that jumps by more than GREATEST_JUMP does so most. */
static void list_jumps(snArmRun *run)
{
    snJson *json = &run->cli->json;
    json_open(json, "jumps", '[');
    for (int32_t i = 0; i < run->arms->ncurve; ++i) {
        const snArmCurve *c = &run->arms->curve[i];
        const double *arm = cli_is_tree(run->model) ? c->work : c->excursion;
        int32_t at = 1;
        if (!(c->jump > GREATEST_JUMP)) continue;
        for (int32_t k = 1; k < c->count; ++k)
            if (fabs(arm[k] - arm[k - 1]) > fabs(arm[at] - arm[at - 1])) at = k;
        json_open(json, NULL, '{');
        json_string(json, "muscle", strand_name(run, c));
        json_string(json, "coordinate", coordinate_name(run, c->coordinate));
        json_number(json, c->slides ? "value_m" : "value_deg",
                    (c->slides ? 1 : RAD_TO_DEG) * (c->q[at] + c->q[at - 1]) / 2);
        json_number(json, "size_mm", 1000 * c->jump);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void say_agreement(snArmRun *run)
{
    snCli *cli = run->cli;
    snAgreement a = add_up(run->arms);
    int32_t jumps = 0;
    for (int32_t i = 0; i < run->arms->ncurve; ++i) jumps += run->arms->curve[i].jump > GREATEST_JUMP;
    double share = a.poses ? (double)a.good / a.poses : 0;
    cli_say(cli,
            "\n%d pairs of %s and coordinate, %d poses. Path length and %s agree to %.3f mm on average, "
            "%.2f mm at\n"
            "worst%s%s; within 2 %% or 0.2 mm at %.1f %% of the poses.\n",
            run->arms->ncurve, cli_is_tree(run->model) ? "muscle" : "strand", a.poses,
            cli_is_tree(run->model) ? "its derivative" : "virtual work", 1000 * a.mean, 1000 * a.worst,
            a.worst_curve ? " for " : "", a.worst_curve ? strand_name(run, a.worst_curve) : "", 100 * share);
    if (!cli_is_tree(run->model))
        cli_say(cli, "Sharp bends stretch strands locally; with that left in the length it differs by up to %.2f mm.\n",
                1000 * a.stretch);
    if (a.jump_curve)
        cli_say(cli, "largest jump from pose to pose %.2f mm (%s about %s); %d pairs jump by more than 1 mm\n",
                1000 * a.jump, strand_name(run, a.jump_curve), title(run, a.jump_curve->coordinate), jumps);
    if (a.slack) cli_say(cli, "slack, so without a moment arm: %d poses\n", a.slack);
    if (run->arms->wrong_sides)
        cli_say(cli, "on the wrong side of a surface: %d poses, the worst %s\n", run->arms->wrong_sides,
                run->arms->wrong_side);
    json_integer(&cli->json, "pairs", run->arms->ncurve);
    json_integer(&cli->json, "poses", a.poses);
    json_number(&cli->json, "agreement_mean_mm", 1000 * a.mean);
    json_number(&cli->json, "agreement_worst_mm", 1000 * a.worst);
    json_number(&cli->json, "agreement_share", share);
    json_number(&cli->json, "local_stretch_worst_mm", 1000 * a.stretch);
    json_number(&cli->json, "largest_jump_mm", 1000 * a.jump);
    json_number(&cli->json, "worst_jump_mm", 1000 * a.jump);
    json_integer(&cli->json, "jumping_pairs", jumps);
    list_jumps(run);
    json_integer(&cli->json, "slack_poses", a.slack);
    json_integer(&cli->json, "wrong_sides", run->arms->wrong_sides);
}

/* ---- published figures -------------------------------------------------------------------- */

/* Of a strand about a coordinate; of a group the mean over its strands. */
typedef struct snArmValue {
    double mean, neutral; /* m */
    int32_t count;        /* strands that have an arm there */
} snArmValue;

static void add_strand(const snArmRun *run, const char *name, int32_t coordinate, snArmValue *sum)
{
    int32_t strand = cli_find_strand(run->model, name);
    for (int32_t i = 0; strand >= 0 && i < run->arms->ncurve; ++i) {
        const snArmCurve *c = &run->arms->curve[i];
        if (c->strand == strand && c->coordinate == coordinate)
            sum->mean += c->mean, sum->neutral += c->neutral, ++sum->count;
    }
}

static snArmValue find_value(const snArmRun *run, const snArmFigure *f)
{
    char name[160];
    snArmValue sum = {0};
    (void)snprintf(name, sizeof name, "%s.%s", f->joint, f->motion);
    int32_t coordinate = sn_find(run->model, SN_ITEM_COORDINATE, name);
    add_strand(run, f->muscle, coordinate, &sum);
    snId group = sum.count ? 0 : sn_spec_find(run->spec, SN_KIND_GROUP, f->muscle);
    for (const char *at = group ? sn_spec_group(run->spec, group)->strands : ""; *at;) {
        size_t blank = strspn(at, " \t\n"), n = strcspn(at + blank, " \t\n");
        (void)snprintf(name, sizeof name, "%.*s", (int)n, at + blank);
        add_strand(run, name, coordinate, &sum);
        at += blank + n;
    }
    if (sum.count) sum.mean /= sum.count, sum.neutral /= sum.count;
    return sum;
}

typedef struct snComparison {
    int32_t graded, inside, signs, right_signs, absent;
} snComparison;

static void compare_one(snArmRun *run, const snArmFigure *f, snComparison *sum)
{
    snCli *cli = run->cli;
    snArmValue arm = find_value(run, f);
    if (!arm.count) {
        ++sum->absent;
        cli_say(cli, "%-10s %-6s %-17s is in the table, but the strand does not cross the joint\n", f->muscle, f->joint,
                f->motion);
        return;
    }
    double value = f->neutral ? arm.neutral : arm.mean, margin = WIDER * (f->hi - f->lo);
    bool inside = value >= f->lo - margin && value <= f->hi + margin, graded = f->grade == 'A' || f->grade == 'B';
    bool has_sign = f->lo * f->hi > 0, right = value * f->lo > 0;
    sum->graded += graded, sum->inside += graded && inside;
    sum->signs += has_sign, sum->right_signs += has_sign && right;
    if (inside && (!has_sign || right)) return;
    cli_say(cli, "%-10s %-6s %-17s %8.2f outside %6.2f to %6.2f mm, grade %c%s\n", f->muscle, f->joint, f->motion,
            1000 * value, 1000 * f->lo, 1000 * f->hi, f->grade, has_sign && !right ? ", WRONG SIGN" : "");
    json_open(&cli->json, NULL, '{');
    json_string(&cli->json, "muscle", f->muscle);
    json_string(&cli->json, "joint", f->joint);
    json_string(&cli->json, "motion", f->motion);
    json_number(&cli->json, "value_mm", 1000 * value);
    json_number(&cli->json, "lo_mm", 1000 * f->lo);
    json_number(&cli->json, "hi_mm", 1000 * f->hi);
    json_string(&cli->json, "grade", (char[]){f->grade, '\0'});
    json_boolean(&cli->json, "wrong_sign", has_sign && !right);
    json_close(&cli->json, '}');
}

/* With --joint only that joint was measured. */
static bool is_measured(const snArmRun *run, const snArmFigure *f)
{
    const char *joint = cli_option_text(run->cli, "joint", NULL);
    return !joint || strcmp(joint, f->joint) == 0;
}

static void compare(snArmRun *run)
{
    snCli *cli = run->cli;
    snComparison sum = {0};
    if (!run->nfigure) return;
    cli_say(cli, "\ncompared with %s:\n", run->table);
    json_open(&cli->json, "outside", '[');
    for (int32_t i = 0; i < run->nfigure; ++i)
        if (is_measured(run, &run->figure[i])) compare_one(run, &run->figure[i], &sum);
    json_close(&cli->json, ']');
    double share = sum.graded ? (double)sum.inside / sum.graded : 1;
    cli_say(
        cli,
        "%d of %d signs right; %d of %d pairs graded A or B (%.1f %%) inside the published range widened by 15 %%\n",
        sum.right_signs, sum.signs, sum.inside, sum.graded, 100 * share);
    json_string(&cli->json, "table", run->table);
    json_integer(&cli->json, "signs", sum.signs);
    json_integer(&cli->json, "right_signs", sum.right_signs);
    json_integer(&cli->json, "graded_pairs", sum.graded);
    json_integer(&cli->json, "inside_pairs", sum.inside);
    json_number(&cli->json, "inside_share", share);
    json_integer(&cli->json, "absent_pairs", sum.absent);
}

/* ---- the static check --------------------------------------------------------------------- */

static void say_hold(snArmRun *run, const snHold *h)
{
    snCli *cli = run->cli;
    bool weight = h->coordinate < 0;
    double more = h->alone > 0 ? h->norm / h->alone : 1;
    const char *name = weight ? "weight" : title(run, h->coordinate);
    const char *reach = h->unmet > 0.05 ? ", OUT OF REACH" : "";
    if (weight)
        cli_say(cli, "  %-22s %+9.4f N m at most: largest activation %.3f%s\n", name, h->torque, h->largest, reach);
    else if (more > MUCH_MORE || h->unmet > 0.05)
        cli_say(cli, "  %-22s %+9.4f N m: largest activation %.3f, %.1f times as much as alone%s\n", name, h->torque,
                h->largest, more, reach);
    json_open(&cli->json, NULL, '{');
    json_string(&cli->json, "coordinate", weight ? name : coordinate_name(run, h->coordinate));
    json_number(&cli->json, "torque_nm", h->torque);
    json_number(&cli->json, "largest_activation", h->largest);
    json_number(&cli->json, "norm", h->norm);
    json_number(&cli->json, "norm_alone", h->alone);
    json_number(&cli->json, "unmet", h->unmet);
    json_close(&cli->json, '}');
}

static void say_statics(snArmRun *run, const snStatics *s)
{
    snCli *cli = run->cli;
    cli_say(
        cli,
        "\nholding 10 %% of each coordinate's torque and none about the others; where it takes more than 3 times the\n"
        "activation that the torque alone would:\n");
    json_open(&cli->json, "hold", '[');
    for (int32_t i = 0; i < s->nhold; ++i) say_hold(run, &s->hold[i]);
    json_close(&cli->json, ']');
    cli_say(cli, "muscles that pull nearly the same way: %d pairs", s->ntwins);
    json_open(&cli->json, "twins", '[');
    for (int32_t i = 0; i < s->ntwins; ++i) {
        const char *a = sn_name(run->model, SN_ITEM_MUSCLE, s->twins[i].a),
                   *b = sn_name(run->model, SN_ITEM_MUSCLE, s->twins[i].b);
        if (i < 12) cli_say(cli, "%s %s/%s", i ? "," : ":", a, b);
        json_open(&cli->json, NULL, '{');
        json_string(&cli->json, "a", a);
        json_string(&cli->json, "b", b);
        json_number(&cli->json, "cosine", s->twins[i].cosine);
        json_close(&cli->json, '}');
    }
    json_close(&cli->json, ']');
    cli_say(cli, "%s\n", s->ntwins > 12 ? " ..." : "");
}

static snStatus check_statics(snArmRun *run)
{
    snError error = {0};
    snStatics statics = {0};
    if (cli_given(run->cli, "joint")) return SN_OK; /* needs the arms about all joints */
    if (cli_is_tree(run->model)) return SN_OK;      /* sinew hold says it of a tree, with its springs and stops */
    snStatus status = sn_static_check(run->model, run->arms->neutral, HOLD_SHARE, &statics, &error);
    error.status = status;
    if (status != SN_OK) return cli_fail_error(run->cli, &error);
    say_statics(run, &statics);
    sn_statics_free(&statics);
    return SN_OK;
}

/* ---- files -------------------------------------------------------------------------------- */

static snStatus save_csv(snArmRun *run)
{
    const char *path = cli_option_text(run->cli, "csv", NULL);
    snText text = {0};
    if (!path) return SN_OK;
    text_add(&text,
             "# angles in degrees (lengths in m), lengths and moment arms in m, tension in N\n"
             "# arm_length: from the length of the path, pieces counted by their tension; arm_work: from virtual\n"
             "# work; arm_plain: minus the derivative of the column length, which sharp bends stretch locally\n");
    text_add(&text, "strand,coordinate,value,arm_length,arm_work,length,tension,arm_plain\n");
    for (int32_t i = 0; i < run->arms->ncurve; ++i) {
        const snArmCurve *c = &run->arms->curve[i];
        for (int32_t k = 0; k < c->count; ++k)
            text_add(&text, "%s,%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", strand_name(run, c),
                     coordinate_name(run, c->coordinate), (c->slides ? 1 : RAD_TO_DEG) * c->q[k], c->excursion[k],
                     c->work[k], c->length[k], c->tension[k], c->path[k]);
    }
    snStatus status = text.text ? cli_save_text(run->cli, path, text.text) : SN_NO_MEMORY;
    text_free(&text);
    if (status == SN_OK) cli_say(run->cli, "\nwrote %s\n", path);
    return status;
}

/* A joint that the model has must have the motion too; figures of other joints are only counted. */
static snStatus check_figures(const snArmRun *run, snError *error)
{
    for (int32_t i = 0; i < run->nfigure; ++i) {
        const snArmFigure *f = &run->figure[i];
        char name[96];
        (void)snprintf(name, sizeof name, "%s.%s", f->joint, f->motion);
        if (sn_find(run->model, SN_ITEM_JOINT, f->joint) < 0 || sn_find(run->model, SN_ITEM_COORDINATE, name) >= 0)
            continue;
        error->line = f->line;
        (void)snprintf(error->message, sizeof error->message,
                       "the joint \"%s\" of the model has no motion called \"%s\"", f->joint, f->motion);
        (void)snprintf(error->remedy, sizeof error->remedy,
                       "its attribute motions names them, or give the number from 0");
        return SN_BAD_INPUT;
    }
    return SN_OK;
}

/* The table asked for, else the one beside a shipped model. */
static snStatus load_table(snArmRun *run)
{
    snError error = {0};
    const char *asked = cli_option_text(run->cli, "table", NULL);
    if (asked) {
        (void)snprintf(run->table, sizeof run->table, "%s", asked);
    } else {
        if (sn_find_model(run->cli->argument[0], run->table, sizeof run->table - 20, &error) != SN_OK) return SN_OK;
        char *slash = strrchr(run->table, '/');
        strcpy(slash ? slash + 1 : run->table, "moment_arms.tsv");
    }
    snStatus status = sn_load_arm_figures(run->table, &run->figure, &run->nfigure, &error);
    if (status == SN_NO_FILE && !asked) return SN_OK;
    if (status == SN_OK) status = check_figures(run, &error);
    return cli_fail_file(run->cli, status, &error, run->table);
}

/* --joint by its own name or by that of one of its coordinates, as sinew plot takes it. */
static snStatus choose_joint(const snArmRun *run, snArmDef *def, int32_t *wanted)
{
    const char *joint = cli_option_text(run->cli, "joint", NULL);
    if (!joint) return SN_OK;
    def->coordinate = wanted;
    def->ncoordinate = cli_joint_coordinates(run->model, joint, wanted);
    return def->ncoordinate ? SN_OK
                            : cli_fail(run->cli, SN_BAD_INPUT,
                                       "--joint: the model has no joint '%s'; sinew info --list names them", joint);
}

static snStatus measure(snArmRun *run)
{
    snCli *cli = run->cli;
    snArmDef def = sn_default_arm_def();
    snError error = {0};
    int32_t *wanted = calloc((size_t)sn_count(run->model, SN_ITEM_COORDINATE) + 1, sizeof *wanted);
    if (!wanted) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    snStatus status = choose_joint(run, &def, wanted);
    def.whole = cli_is_tree(run->model);
    if (cli_given(cli, "threads")) def.threads = cli->threads;
    def.progress = cli_progress_callback(cli);
    if (status == SN_OK) {
        status = sn_moment_arms(run->model, &def, &run->arms, &error);
        error.status = status;
        if (status != SN_OK) status = cli_fail_error(cli, &error);
    }
    free(wanted);
    if (status != SN_OK || run->arms->ncurve) return status;
    return cli_fail(cli, SN_BAD_INPUT, "nothing was measured: no muscle of %s crosses %s", cli->argument[0],
                    cli_option_text(cli, "joint", "a joint"));
}

snStatus cli_moment_arms(snCli *cli)
{
    snArmRun run = {.cli = cli};
    const char *csv = cli_option_text(cli, "csv", NULL);
    snStatus status = csv ? cli_check_output(cli, csv) : SN_OK;
    if (status == SN_OK) status = cli_compile_model(cli, cli->argument[0], &run.spec, &run.model);
    if (status == SN_OK) status = load_table(&run);
    if (status == SN_OK) status = measure(&run);
    if (status == SN_OK) {
        json_string(&cli->json, "model", cli->argument[0]);
        say_curves(&run);
        say_agreement(&run);
        compare(&run);
        status = check_statics(&run);
        if (status == SN_OK) status = save_csv(&run);
    }
    sn_arms_destroy(run.arms);
    sn_arm_figures_free(run.figure);
    if (run.model) sn_model_destroy(run.model);
    if (run.spec) sn_spec_destroy(run.spec);
    return status;
}
