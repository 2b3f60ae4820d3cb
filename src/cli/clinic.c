#include "clinic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char clinic_notice[] = "not a medical device: the model has not been compared with any patient";

/* ---- the case ------------------------------------------------------------------------------- */

static snStatus add(snClinic *c, snChangeKind kind, const char *name, const char *to, double value, const double *force)
{
    snChange change = {.kind = kind, .name = name, .to = to, .value = value};
    if (force) memcpy(change.force, force, sizeof change.force);
    return sn_case_add(c->changes, &change) == SN_OK ? SN_OK : cli_fail(c->cli, SN_NO_MEMORY, "out of memory");
}

static snStatus read_pairs(snClinic *c)
{
    static const struct {
        const char *option;
        snChangeKind kind;
    } pairs[] = {{"strength", SN_CHANGE_STRENGTH}, {"passive", SN_CHANGE_PASSIVE}, {"cost", SN_CHANGE_COST}};
    char name[128];
    double level;
    snStatus status = SN_OK;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; status == SN_OK && cli_option_pair(c->cli, pairs[k].option, i, name, sizeof name, &level); ++i)
            status = add(c, pairs[k].kind, name, "", level, NULL);
    return status;
}

/* Splits TEXT=NUMBER; without = the number stays as it is. */
static bool split(const char *text, char name[128], double *number)
{
    const char *equals = strrchr(text, '=');
    char *end = NULL;
    size_t n = equals ? (size_t)(equals - text) : strlen(text);
    if (!n || n >= 128) return false;
    memcpy(name, text, n);
    name[n] = '\0';
    if (equals) *number = strtod(equals + 1, &end);
    return !equals || (end != equals + 1 && !*end && isfinite(*number));
}

static snStatus read_load(snClinic *c, const char *text)
{
    double force[3];
    char name[128];
    const char *equals = strchr(text, '='), *at = equals ? equals + 1 : "";
    bool fine = equals && equals > text && equals - text < 128;
    for (int i = 0; i < 3 && fine; ++i) {
        char *end;
        force[i] = strtod(at, &end);
        fine = end != at && isfinite(force[i]) && *end == (i < 2 ? ',' : '\0');
        at = end + 1;
    }
    if (!fine)
        return cli_fail(c->cli, SN_USAGE, "--load needs BODY=X,Y,Z in newtons, such as dp2=0,0,5, not '%s'", text);
    (void)snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    return add(c, SN_CHANGE_LOAD, name, "", 0, force);
}

static snStatus read_transfer(snClinic *c, const char *text)
{
    char name[128], *to;
    double value = 0;
    bool fine = split(text, name, &value);
    to = fine ? strpbrk(name, ":>") : NULL;
    if (!to || to == name || !to[1])
        return cli_fail(c->cli, SN_USAGE, "--transfer needs DONOR:RECIPIENT or DONOR:RECIPIENT=LENGTH, not '%s'", text);
    *to++ = '\0';
    return add(c, SN_CHANGE_TRANSFER, name, to, value, NULL);
}

static snStatus read_options(snClinic *c)
{
    const char *text;
    char name[128];
    snStatus status = read_pairs(c);
    for (int i = 0; status == SN_OK && (text = cli_option_nth(c->cli, "cut", i)); ++i)
        status = add(c, SN_CHANGE_CUT, text, "", 0, NULL);
    for (int i = 0; status == SN_OK && (text = cli_option_nth(c->cli, "nerve", i)); ++i) {
        double left = 0;
        if (!split(text, name, &left))
            return cli_fail(c->cli, SN_USAGE, "--nerve needs LESION or LESION=STRENGTH, not '%s'", text);
        status = add(c, SN_CHANGE_NERVE, name, "", left, NULL);
    }
    for (int i = 0; status == SN_OK && (text = cli_option_nth(c->cli, "fuse", i)); ++i) {
        double at = 0;
        if (!split(text, name, &at))
            return cli_fail(c->cli, SN_USAGE, "--fuse needs JOINT or JOINT=DEGREES, not '%s'", text);
        status = add(c, SN_CHANGE_FUSE, name, "", at, NULL);
    }
    for (int i = 0; status == SN_OK && (text = cli_option_nth(c->cli, "load", i)); ++i) status = read_load(c, text);
    for (int i = 0; status == SN_OK && (text = cli_option_nth(c->cli, "transfer", i)); ++i)
        status = read_transfer(c, text);
    if (status == SN_OK && (text = cli_option_text(c->cli, "couple", NULL)))
        status = add(c, SN_CHANGE_COUPLE, text, "", 0, NULL);
    return status;
}

static snStatus read_case(snClinic *c)
{
    const char *path = cli_option_text(c->cli, "case", NULL), *model = c->cli->argument[0];
    snError error = {0};
    if (!path) {
        c->changes = sn_case_create(model);
        return c->changes ? SN_OK : cli_fail(c->cli, SN_NO_MEMORY, "out of memory");
    }
    snStatus status = cli_fail_file(c->cli, sn_load_case(path, &c->changes, &error), &error, path);
    if (status != SN_OK) return status;
    const char *of = sn_case_model(c->changes);
    if (*of && strcmp(of, model) != 0)
        return cli_fail(c->cli, SN_BAD_INPUT, "%s is a case of the model %s, not of %s", path, of, model);
    return SN_OK;
}

bool clinic_gravity(const char *posture, double gravity[3])
{
    static const struct {
        const char *name;
        double gravity[3];
    } postures[] = {{"hanging", {0, -9.81, 0}},
                    {"palm-down", {0, 0, -9.81}},
                    {"palm-up", {0, 0, 9.81}},
                    {"thumb-up", {-9.81, 0, 0}}};
    for (size_t i = 0; i < sizeof postures / sizeof *postures; ++i)
        if (strcmp(postures[i].name, posture) == 0) {
            memcpy(gravity, postures[i].gravity, sizeof postures[i].gravity);
            return true;
        }
    return false;
}

snStatus clinic_open(snCli *cli, snClinic *c)
{
    snError error = {0};
    *c = (snClinic){.cli = cli};
    snStatus status = cli_compile_model(cli, cli->argument[0], &c->spec, &c->model);
    if (status == SN_OK) status = read_case(c);
    if (status == SN_OK) status = read_options(c);
    if (status != SN_OK) return status;
    status = sn_patient_create(c->spec, c->model, c->changes, &c->patient, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, cli_option_text(cli, "case", cli->argument[0]));
    (void)clinic_gravity(cli_option_text(cli, "posture", "hanging"), c->gravity);
    sn_patient_gravity(c->patient, c->gravity);
    const char *save = cli_option_text(cli, "save-case", NULL);
    return save ? cli_fail_file(cli, sn_save_case(c->changes, save, &error), &error, save) : SN_OK;
}

void clinic_close(snClinic *c)
{
    sn_patient_destroy(c->patient);
    sn_patient_destroy(c->healthy);
    sn_case_destroy(c->changes);
    sn_targets_free(&c->targets);
    if (c->model) sn_model_destroy(c->model);
    if (c->spec) sn_spec_destroy(c->spec);
}

/* Loads stay: the healthy hand carries them too. So does the coupling. */
snStatus clinic_healthy(snClinic *c)
{
    snError error = {0};
    snCase *loads = sn_case_create("");
    snStatus status = loads ? SN_OK : SN_NO_MEMORY;
    for (int32_t i = 0; status == SN_OK && i < sn_case_count(c->changes); ++i) {
        const snChange *change = sn_case_change(c->changes, i);
        if (change->kind == SN_CHANGE_LOAD || change->kind == SN_CHANGE_COUPLE) status = sn_case_add(loads, change);
    }
    if (status == SN_OK) status = sn_patient_create(c->spec, c->model, loads, &c->healthy, &error);
    if (status == SN_OK) sn_patient_gravity(c->healthy, c->gravity);
    sn_case_destroy(loads);
    return status == SN_OK ? SN_OK : cli_fail(c->cli, status, "%s", error.message);
}

/* ---- the motion ----------------------------------------------------------------------------- */

snStatus clinic_motion(snClinic *c, const char *name, double rate)
{
    snMotionSource source = {0};
    snMotionDef def = sn_default_motion_def();
    snPoses *poses = NULL;
    snError error = {0};
    char ignored[128];
    def.model = c->cli->argument[0];
    def.source = &source;
    snStatus status = cli_fail_file(c->cli, sn_load_motion_poses(name, &def, &poses, &error), &error, name);
    if (status != SN_OK) return status;
    status = sn_targets_create(c->model, poses, rate, &c->targets, ignored, sizeof ignored, &error);
    status = cli_fail_file(c->cli, status, &error, source.path);
    c->gaps = source.gaps;
    if (status == SN_OK && *ignored) cli_warn(c->cli, "%s is ignored: this model holds that joint still", ignored);
    sn_poses_destroy(poses);
    (void)snprintf(c->motion, sizeof c->motion, "%.4000s", source.path);
    return status;
}

snStatus clinic_frame(snClinic *c, int32_t *frame)
{
    const snTargets *t = &c->targets;
    *frame = sn_targets_peak(t);
    if (!cli_given(c->cli, "at")) return SN_OK;
    double at = cli_option_number(c->cli, "at", 0);
    if (at < t->time[0] || at > t->time[t->nframe - 1])
        return cli_fail(c->cli, SN_BAD_INPUT, "--at %g lies outside the motion, which goes from %g to %g s", at,
                        t->time[0], t->time[t->nframe - 1]);
    *frame = 0;
    for (int32_t i = 1; i < t->nframe; ++i)
        if (fabs(t->time[i] - at) < fabs(t->time[*frame] - at)) *frame = i;
    return SN_OK;
}

const double *clinic_pose(const snClinic *c, int32_t frame)
{
    return c->targets.q + (size_t)frame * (size_t)c->targets.ncoordinate;
}

void clinic_say_case(snClinic *c)
{
    snJson *json = &c->cli->json;
    json_open(json, "case", '[');
    for (int32_t i = 0; i < sn_case_count(c->changes); ++i) {
        const snChange *change = sn_case_change(c->changes, i);
        cli_say(c->cli, "%s%s %s%s%s", i ? ", " : "case: ", sn_change_name(change->kind), change->name,
                *change->to ? " to " : "", change->to);
        json_open(json, NULL, '{');
        json_string(json, "kind", sn_change_name(change->kind));
        json_string(json, "name", change->name);
        if (*change->to) json_string(json, "to", change->to);
        json_number(json, "value", change->value);
        json_close(json, '}');
    }
    json_close(json, ']');
    cli_say(c->cli, sn_case_count(c->changes) ? "\n" : "healthy\n");
}

void clinic_say_clamped(snClinic *c, const bool *clamped)
{
    json_open(&c->cli->json, "clamped", '[');
    for (int32_t k = 0; k < sn_count(c->model, SN_ITEM_COORDINATE); ++k)
        if (clamped[k]) {
            const char *name = sn_name(c->model, SN_ITEM_COORDINATE, k);
            cli_say(c->cli, "  %s: target outside its range, clamped\n", name);
            json_string(&c->cli->json, NULL, name);
        }
    json_close(&c->cli->json, ']');
}

snEndureDef clinic_endure(const snCli *cli)
{
    snEndureDef def = sn_default_endure_def();
    def.work = cli_option_number(cli, "work", def.work);
    def.rest = cli_option_number(cli, "rest", def.rest);
    def.repeat = (int32_t)cli_option_number(cli, "repeat", def.repeat);
    return def;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* What people say of a coordinate beyond zero and below it; NULL: the number alone. */
typedef struct Words {
    const char *motion, *above, *below;
} Words;

static const Words words_for[] = {{"flexion", "bent", "overextended"},
                                  {"deviation", "to the thumb side", "to the little finger side"},
                                  {"abduction", "abducted", "adducted"}};

void clinic_describe(const char *name, double degrees, char text[80])
{
    const char *dot = strrchr(name, '.'), *motion = dot ? dot + 1 : "";
    bool wrist = strncmp(name, "wrist", 5) == 0;
    (void)snprintf(text, 80, "%.0f deg", degrees);
    if (fabs(degrees) < 0.5) {
        (void)snprintf(text, 80, "0 deg");
        return;
    }
    for (size_t i = 0; i < sizeof words_for / sizeof *words_for; ++i)
        if (strcmp(words_for[i].motion, motion) == 0) {
            const char *word = degrees > 0 ? words_for[i].above : wrist && i == 0 ? "extended" : words_for[i].below;
            (void)snprintf(text, 80, "%.0f deg %s", fabs(degrees), word);
        }
}

void clinic_joint(const snSpec *spec, const char *name, char text[80])
{
    const snCoordinateDef *d = sn_spec_coordinate(spec, sn_spec_find(spec, SN_KIND_COORDINATE, name));
    (void)snprintf(text, 80, "%s", d && *d->label ? d->label : name);
    char *last = strrchr(text, ' ');
    if (d && *d->label && last && strcmp(last, " flexion") == 0) *last = '\0';
}
