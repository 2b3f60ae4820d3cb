/* The table of signs. A cell of cases is a list of changes (nerve=ulnar-low cut=FDS3 fuse=mcp2-5=30), one of questions a
 * verb with a posture and angles (rest | try | hold, palm-down, pip3=90), one of measures a sum of angles (pip5 + dip5),
 * `load` or `activation UNIT`. A joint without a motion means its flexion; 2-5 stands for four fingers. */
#include "signs.h"

#include "clinic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREES = 57.29577951308232;
enum { MAX_WORD = 120, MAX_ROWS = 1000 };

static const char *const column_name[SIGN_COLUMNS] = {
    "sign", "case", "question", "measure", "against", "comparison", "threshold", "unit", "fitted", "source", "reason"};

/* ---- the file ------------------------------------------------------------------------------- */

static snStatus wrong(const snSigns *s, int line, const char *what, const char *text)
{
    return cli_fail(s->cli, SN_BAD_INPUT, "%s:%d: %s \"%.100s\"", s->path, line, what, text);
}

/* Cuts a line into cells; false: not as many as there are columns. */
static bool cut(char *line, const char *cell[SIGN_COLUMNS])
{
    int n = 0;
    for (char *at = line; at && n < SIGN_COLUMNS; ++n) {
        char *tab = strchr(at, '\t');
        cell[n] = at;
        if (tab) *tab++ = '\0';
        at = tab;
        if (at && n == SIGN_COLUMNS - 1) return false;
    }
    return n == SIGN_COLUMNS;
}

static snStatus check_row(const snSigns *s, snSign *sign)
{
    char *end;
    sign->threshold = strtod(sign->text[SIGN_THRESHOLD], &end);
    if (end == sign->text[SIGN_THRESHOLD] || *end || !isfinite(sign->threshold))
        return wrong(s, sign->line, "the threshold is not a number:", sign->text[SIGN_THRESHOLD]);
    if (strcmp(sign->text[SIGN_COMPARISON], "<") != 0 && strcmp(sign->text[SIGN_COMPARISON], ">") != 0)
        return wrong(s, sign->line, "the comparison is neither < nor >:", sign->text[SIGN_COMPARISON]);
    return SN_OK;
}

static snStatus read_rows(snSigns *s)
{
    bool heading = true;
    int line = 0;
    snStatus status = SN_OK;
    for (char *at = s->bytes; at && *at && status == SN_OK;) {
        char *next = strchr(at, '\n');
        snSign sign = {.line = ++line};
        if (next) *next++ = '\0';
        if (*at != '#' && *at != '\0') {
            if (!cut(at, sign.text)) return wrong(s, line, "this row has too few or too many cells:", at);
            for (int k = 0; heading && k < SIGN_COLUMNS; ++k)
                if (strcmp(sign.text[k], column_name[k]) != 0) return wrong(s, line, "unexpected column", sign.text[k]);
            if (!heading) {
                if (s->count == MAX_ROWS) return wrong(s, line, "more than 1000 signs:", sign.text[SIGN_NAME]);
                status = check_row(s, &sign);
                s->sign[s->count++] = sign;
            }
            heading = false;
        }
        at = next;
    }
    if (status == SN_OK && s->count == 0) return wrong(s, line, "there are no signs in", s->path);
    return status;
}

snStatus signs_open(snCli *cli, const snSpec *spec, const snModel *model, snSigns *s)
{
    size_t size = 0;
    snError error = {0};
    *s = (snSigns){.cli = cli, .spec = spec, .model = model};
    const char *table = cli_option_text(cli, "table", NULL);
    if (table)
        (void)snprintf(s->path, sizeof s->path, "%.4000s", table);
    else {
        snStatus status = sn_find_model(cli->argument[0], s->path, 4096, &error);
        if (status != SN_OK) return cli_fail_file(cli, status, &error, cli->argument[0]);
        char *slash = strrchr(s->path, '/');
        (void)snprintf(slash ? slash + 1 : s->path, 16, "signs.tsv");
    }
    char *bytes = cli_read_bytes(s->path, &size);
    s->bytes = calloc(size + 1, 1);
    s->sign = calloc(MAX_ROWS, sizeof *s->sign);
    if (bytes && s->bytes) memcpy(s->bytes, bytes, size);
    free(bytes);
    if (!size)
        return cli_fail(cli, SN_NO_FILE, "%s: cannot read the table of signs; --table names another one", s->path);
    return s->bytes && s->sign ? read_rows(s) : cli_fail(cli, SN_NO_MEMORY, "out of memory");
}

void signs_close(snSigns *s)
{
    free(s->bytes);
    free(s->sign);
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool next_word(const char **at, char word[MAX_WORD])
{
    *at += strspn(*at, " ");
    size_t n = strcspn(*at, " ");
    if (!n || n >= MAX_WORD) return false;
    memcpy(word, *at, n);
    word[n] = '\0';
    *at += n;
    return true;
}

/* The index-th name that a name with a range of digits (mcp2-5) stands for; without a range there is one. */
static bool expand(const char *name, int index, char out[MAX_WORD])
{
    const char *dash = strchr(name, '-');
    bool range = dash && dash > name && dash[-1] >= '1' && dash[-1] <= '5' && dash[1] >= '1' && dash[1] <= '5';
    if (!range) return index == 0 && snprintf(out, MAX_WORD, "%s", name) > 0;
    if (dash[-1] + index > dash[1]) return false;
    (void)snprintf(out, MAX_WORD, "%.*s%c%s", (int)(dash - name - 1), name, dash[-1] + index, dash + 2);
    return true;
}

/* pip5 is pip5.flexion. */
static int32_t coordinate(const snSigns *s, const char *name)
{
    char full[MAX_WORD + 16];
    (void)snprintf(full, sizeof full, "%s%s", name, strchr(name, '.') ? "" : ".flexion");
    return sn_find(s->model, SN_ITEM_COORDINATE, full);
}

/* NAME=NUMBER, the name possibly with further = in front of it. */
static bool number_after(char *word, double *number)
{
    char *equals = strrchr(word, '='), *end;
    if (!equals || equals == word) return false;
    *number = strtod(equals + 1, &end);
    if (end == equals + 1 || *end) return false;
    *equals = '\0';
    return true;
}

/* ---- cases ---------------------------------------------------------------------------------- */

static bool fill_change(snChangeKind kind, char *rest, snChange *change)
{
    *change = (snChange){.kind = kind, .name = rest, .to = ""};
    char *equals = strchr(rest, '='), *colon = strchr(rest, ':');
    switch (kind) {
    case SN_CHANGE_LOAD:
        if (!equals) return false;
        *equals = '\0';
        return sscanf(equals + 1, "%lf,%lf,%lf", &change->force[0], &change->force[1], &change->force[2]) == 3;
    case SN_CHANGE_TRANSFER:
        if (!colon) return false;
        *colon = '\0';
        change->to = colon + 1;
        return true;
    case SN_CHANGE_STRENGTH:
    case SN_CHANGE_PASSIVE:
    case SN_CHANGE_COST:
        return number_after(rest, &change->value);
    default:
        return !equals || number_after(rest, &change->value);
    }
}

static snStatus add_change(const snSigns *s, const snSign *sign, char *word, snCase *c)
{
    char whole[MAX_WORD], name[MAX_WORD], *equals = strchr(word, '=');
    snChange change;
    (void)snprintf(whole, sizeof whole, "%s", word);
    if (equals) *equals++ = '\0';
    for (int kind = 0; equals && sn_change_name((snChangeKind)kind); ++kind) {
        if (strcmp(sn_change_name((snChangeKind)kind), word) != 0) continue;
        if (!fill_change((snChangeKind)kind, equals, &change)) break;
        for (int i = 0; expand(change.name, i, name); ++i) {
            snChange one = change;
            one.name = name;
            if (sn_case_add(c, &one) != SN_OK) return cli_fail(s->cli, SN_NO_MEMORY, "out of memory");
        }
        return SN_OK;
    }
    return wrong(s, sign->line, "not a change of a case:", whole);
}

static snStatus make_patient(const snSigns *s, const snSign *sign, const char *changes, snPatient **patient)
{
    char word[MAX_WORD];
    snError error = {0};
    snCase *c = sn_case_create("");
    snStatus status = c ? SN_OK : cli_fail(s->cli, SN_NO_MEMORY, "out of memory");
    for (const char *at = changes; status == SN_OK && next_word(&at, word);)
        if (strcmp(word, "-") != 0 && strcmp(word, "healthy") != 0) status = add_change(s, sign, word, c);
    if (status == SN_OK) {
        status = sn_patient_create(s->spec, s->model, c, patient, &error);
        error.line = sign->line;
        if (status != SN_OK) (void)cli_fail_file(s->cli, status, &error, s->path);
    }
    sn_case_destroy(c);
    return status;
}

/* ---- questions ------------------------------------------------------------------------------ */

typedef struct Asked {
    snPatient *p;
    double *target, *pose, *activation, load;
    bool *asked;
    char verb[MAX_WORD];
} Asked;

static snStatus read_angle(const snSigns *s, const snSign *sign, char *word, Asked *a)
{
    double degrees;
    char name[MAX_WORD], whole[MAX_WORD];
    (void)snprintf(whole, sizeof whole, "%s", word);
    if (!number_after(word, &degrees)) return wrong(s, sign->line, "neither a posture nor an angle:", whole);
    for (int32_t k = 0; strcmp(word, "all") == 0 && k < sn_count(s->model, SN_ITEM_COORDINATE); ++k)
        a->target[k] = degrees / DEGREES, a->asked[k] = true;
    for (int i = 0; strcmp(word, "all") != 0 && expand(word, i, name); ++i) {
        int32_t k = coordinate(s, name);
        if (k < 0) return wrong(s, sign->line, "the model has no coordinate", name);
        a->target[k] = degrees / DEGREES, a->asked[k] = true;
    }
    return SN_OK;
}

/* Posture first: the pose at rest, from which joints start that nobody asks for, depends on it. */
static snStatus read_question(const snSigns *s, const snSign *sign, Asked *a)
{
    char word[MAX_WORD];
    double gravity[3] = {0, -9.81, 0}, unbalanced;
    const char *at = sign->text[SIGN_QUESTION];
    if (!next_word(&at, a->verb) ||
        (strcmp(a->verb, "rest") != 0 && strcmp(a->verb, "try") != 0 && strcmp(a->verb, "hold") != 0))
        return wrong(s, sign->line, "a question begins with rest, try or hold, not", sign->text[SIGN_QUESTION]);
    for (const char *ahead = at; next_word(&ahead, word);)
        if (!strchr(word, '=') && !clinic_gravity(word, gravity))
            return wrong(s, sign->line, "neither a posture nor an angle:", word);
    sn_patient_gravity(a->p, gravity);
    if (strcmp(a->verb, "hold") != 0 && sn_rest(a->p, NULL, a->target, &unbalanced) != SN_OK)
        return wrong(s, sign->line, "the limb does not come to rest in", sign->text[SIGN_NAME]);
    snStatus status = SN_OK;
    while (status == SN_OK && next_word(&at, word))
        if (strchr(word, '=')) status = read_angle(s, sign, word, a);
    return status;
}

static snStatus answer(const snSigns *s, const snSign *sign, Asked *a)
{
    size_t nq = (size_t)sn_count(s->model, SN_ITEM_COORDINATE);
    snNearest near = {.pose = a->pose, .activation = a->activation};
    snHeld held;
    snStatus status = read_question(s, sign, a);
    if (status != SN_OK) return status;
    memcpy(a->pose, a->target, nq * sizeof *a->pose);
    if (strcmp(a->verb, "try") == 0) status = sn_attempt(a->p, a->target, a->asked, &near);
    if (strcmp(a->verb, "hold") == 0) {
        status = sn_load_factor(a->p, a->target, &a->load);
        if (status == SN_OK) status = sn_hold(a->p, a->target, NULL, NULL, &held);
        if (status == SN_OK)
            memcpy(a->activation, held.activation,
                   sizeof *held.activation * (size_t)sn_count(sn_patient_model(a->p), SN_ITEM_MUSCLE));
    }
    return status == SN_OK ? SN_OK : cli_fail(s->cli, status, "%s:%d: %s", s->path, sign->line, sn_status_text(status));
}

/* ---- measures ------------------------------------------------------------------------------- */

static snStatus measure(const snSigns *s, const snSign *sign, const Asked *a, double *value)
{
    char word[MAX_WORD];
    double sign_of = 1;
    const char *at = sign->text[SIGN_MEASURE];
    *value = 0;
    if (strcmp(at, "load") == 0) {
        *value = a->load;
        return SN_OK;
    }
    while (next_word(&at, word)) {
        if (strcmp(word, "+") == 0 || strcmp(word, "-") == 0) {
            sign_of = *word == '+' ? 1 : -1;
        } else if (strcmp(word, "activation") == 0) {
            int32_t unit = next_word(&at, word) ? sn_find(sn_patient_model(a->p), SN_ITEM_MUSCLE, word) : -1;
            if (unit < 0) return wrong(s, sign->line, "the model has no unit", word);
            *value += 100 * a->activation[unit];
        } else {
            int32_t k = coordinate(s, word);
            if (k < 0) return wrong(s, sign->line, "the model has no coordinate", word);
            *value += sign_of * DEGREES * a->pose[k];
        }
    }
    return SN_OK;
}

static snStatus ask_case(const snSigns *s, const snSign *sign, const char *changes, double *value)
{
    size_t nq = (size_t)sn_count(s->model, SN_ITEM_COORDINATE);
    Asked a = {0};
    snStatus status = make_patient(s, sign, changes, &a.p);
    if (status != SN_OK) return status;
    size_t nu = (size_t)sn_count(sn_patient_model(a.p), SN_ITEM_MUSCLE);
    double *block = calloc(2 * nq + nu, sizeof *block);
    a.asked = calloc(nq, sizeof *a.asked);
    a.target = block, a.pose = block ? block + nq : NULL, a.activation = block ? block + 2 * nq : NULL;
    status = block && a.asked ? answer(s, sign, &a) : cli_fail(s->cli, SN_NO_MEMORY, "out of memory");
    if (status == SN_OK) status = measure(s, sign, &a, value);
    sn_patient_destroy(a.p);
    free(block);
    free(a.asked);
    return status;
}

/* against: minus CASE, percent of CASE, or nothing. */
snStatus signs_ask(snSigns *s, snSign *sign)
{
    const char *against = sign->text[SIGN_AGAINST];
    bool minus = strncmp(against, "minus ", 6) == 0, percent = strncmp(against, "percent of ", 11) == 0;
    double other = 0;
    if (!minus && !percent && strcmp(against, "-") != 0)
        return wrong(s, sign->line, "against is neither minus CASE nor percent of CASE:", against);
    snStatus status = ask_case(s, sign, sign->text[SIGN_CASE], &sign->value);
    if (status == SN_OK && (minus || percent)) status = ask_case(s, sign, against + (minus ? 6 : 11), &other);
    if (minus) sign->value -= other;
    if (percent) sign->value = other != 0 ? 100 * sign->value / other : 0;
    sign->right = *sign->text[SIGN_COMPARISON] == '>' ? sign->value > sign->threshold : sign->value < sign->threshold;
    return status;
}
