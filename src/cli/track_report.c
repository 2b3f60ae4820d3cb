/* The figures of a tracking run: see track_report.h. A new figure is a row of the table. */
#include "track_report.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const double DEGREES = 57.29577951308232;
static const double COARSE = 0.05; /* change of activations at half the step above which a run warns */
enum { MOST_NAMED = 3 };           /* coordinates that are warned of one by one */

typedef enum Kind { NUMBER, COUNT, FLAG, TEXT, COORDINATE } Kind;

/* key: of --json; label: of the report, NULL: not there; unit and scale: of both. */
static const struct Figure {
    const char *key, *label, *unit;
    double scale;
    Kind kind;
    bool trust; /* a member of snTrust, not of snTracked */
    size_t at;
} figures[] = {
#define RUN(member) false, offsetof(snTracked, member)
#define TRUST(member) true, offsetof(snTrust, member)
    {"motion", NULL, "", 1, TEXT, RUN(motion)},
    {"method", "method", "", 1, TEXT, RUN(method)},
    {"frames", "frames", "", 1, COUNT, RUN(frames)},
    {"resumed", NULL, "", 1, COUNT, RUN(resumed)},
    {"frame_rate", "frame rate", "Hz", 1, NUMBER, RUN(frame_rate)},
    {"simulated_s", NULL, "s", 1, NUMBER, RUN(simulated)},
    {"seconds", NULL, "s", 1, NUMBER, RUN(seconds)},
    {"real_time_factor", NULL, "", 1, NUMBER, RUN(real_time_factor)},
    {"reached", "reached", "", 1, FLAG, TRUST(reached)},
    {"mean_error_mm", "mean error of the bones", "mm", 1e3, NUMBER, TRUST(mean_distance)},
    {"worst_error_mm", "worst error of the bones", "mm", 1e3, NUMBER, TRUST(worst_distance)},
    {"mean_error_rad", "mean error of the joints", "rad", 1, NUMBER, TRUST(mean_angle)},
    {"worst_error_rad", "worst error of the joints", "rad", 1, NUMBER, TRUST(worst_angle)},
    {"worst_coordinate", "  of", "", 1, COORDINATE, TRUST(worst_angle_coordinate)},
    {"worst_angle_time_s", "  at", "s", 1, NUMBER, TRUST(worst_angle_time)},
    {"max_activation", "largest activation", "", 1, NUMBER, TRUST(max_activation)},
    {"activation_step_rms", "rms change of activation", "per step", 1, NUMBER, RUN(activation_step_rms)},
    {"unmet_torque", "missing torque, at most", "N m", 1, NUMBER, TRUST(unmet_torque)},
    {"unmet_coordinate", "  about", "", 1, COORDINATE, TRUST(unmet_coordinate)},
    {"unmet_time_s", "  at", "s", 1, NUMBER, TRUST(unmet_time)},
    {"step_s", "step", "s", 1, NUMBER, TRUST(step)},
    {"step_error", "change at half the step", "", 1, NUMBER, TRUST(step_error)},
    {"conditioning", "free range of activations", "", 1, NUMBER, TRUST(conditioning)},
    {"diverged", NULL, "", 1, FLAG, RUN(diverged)},
    {"cancelled", NULL, "", 1, FLAG, RUN(cancelled)},
    {"culprit", NULL, "", 1, TEXT, RUN(culprit)},
#undef RUN
#undef TRUST
};
enum { FIGURES = sizeof figures / sizeof *figures };

/* ---- one figure ------------------------------------------------------------------------------- */

static const void *member(const snTracked *t, const struct Figure *f)
{
    return (f->trust ? (const char *)t->trust : (const char *)t) + f->at;
}

static const char *coordinate_name(const snTracked *t, int32_t c)
{
    return c >= 0 ? sn_name(t->model, SN_ITEM_COORDINATE, c) : NULL;
}

static const char *text_of(const snTracked *t, const struct Figure *f)
{
    const void *at = member(t, f);
    return f->kind == TEXT ? *(const char *const *)at : coordinate_name(t, *(const int32_t *)at);
}

static void figure_json(const snTracked *t, const struct Figure *f)
{
    snJson *json = &t->cli->json;
    const void *at = member(t, f);
    if (f->kind == NUMBER) json_number(json, f->key, f->scale * *(const double *)at);
    if (f->kind == COUNT) json_integer(json, f->key, *(const int32_t *)at);
    if (f->kind == FLAG) json_boolean(json, f->key, *(const bool *)at);
    if (f->kind != TEXT && f->kind != COORDINATE) return;
    if (text_of(t, f))
        json_string(json, f->key, text_of(t, f));
    else
        json_number(json, f->key, NAN); /* null */
}

static void figure_line(const snTracked *t, const struct Figure *f, snText *text)
{
    const void *at = member(t, f);
    double number = f->kind == NUMBER ? f->scale * *(const double *)at : 0;
    const char *words = f->kind == TEXT || f->kind == COORDINATE ? text_of(t, f) : NULL;
    if (!f->label || isnan(number) || (!words && (f->kind == TEXT || f->kind == COORDINATE))) return;
    text_add(text, "%-28s", f->label);
    if (f->kind == NUMBER) text_add(text, "%.5g", number);
    if (f->kind == COUNT) text_add(text, "%d", *(const int32_t *)at);
    if (f->kind == FLAG) text_add(text, "%s", *(const bool *)at ? "yes" : "no");
    if (words) text_add(text, "%s", words);
    text_add(text, "%s%s\n", *f->unit ? " " : "", f->unit);
}

/* ---- all of them ------------------------------------------------------------------------------- */

static bool is_saturated(const snTracked *t, int32_t muscle)
{
    return t->trust->saturated && t->trust->saturated[muscle] > 0;
}

static bool has_missed(const snTracked *t, int32_t c)
{
    return t->trust->off_from && !isnan(t->trust->off_from[c]);
}

void cli_track_json(const snTracked *t)
{
    static const char *const file[] = {"replay", "table", "report"};
    snJson *json = &t->cli->json;
    json_string(json, "model", t->cli->argument[0]);
    for (int i = 0; i < FIGURES; ++i) figure_json(t, &figures[i]);
    json_open(json, "saturated", '[');
    for (int32_t u = 0; u < t->trust->nmuscle; ++u)
        if (is_saturated(t, u)) json_string(json, NULL, sn_name(t->model, SN_ITEM_MUSCLE, u));
    json_close(json, ']');
    json_open(json, "missed", '[');
    for (int32_t c = 0; c < t->trust->ncoordinate; ++c) {
        if (!has_missed(t, c)) continue;
        json_open(json, NULL, '{');
        json_string(json, "coordinate", sn_name(t->model, SN_ITEM_COORDINATE, c));
        json_number(json, sn_coordinate_slides(t->model, c) ? "error_m" : "error_rad", t->trust->off[c]);
        json_number(json, "from_s", t->trust->off_from[c]);
        json_number(json, "until_s", t->trust->off_until[c]);
        json_number(json, "unmet_torque", isnan(t->trust->unmet_torque) ? NAN : t->trust->unmet[c]);
        json_close(json, '}');
    }
    json_close(json, ']');
    for (int i = 0; i < 3; ++i) json_string(json, file[i], t->path[i]);
}

void cli_track_lines(const snTracked *t, snText *text)
{
    for (int i = 0; i < FIGURES; ++i) figure_line(t, &figures[i], text);
    for (int32_t u = 0; u < t->trust->nmuscle; ++u)
        if (is_saturated(t, u))
            text_add(text, "%-28s%s for %.3g s\n", "at full activation", sn_name(t->model, SN_ITEM_MUSCLE, u),
                     t->trust->saturated[u]);
    for (int32_t c = 0; c < t->trust->ncoordinate; ++c)
        if (has_missed(t, c))
            text_add(text, "%-28s%s from %.4g to %.4g s\n", "missed", sn_name(t->model, SN_ITEM_COORDINATE, c),
                     t->trust->off_from[c], t->trust->off_until[c]);
}

void cli_track_settings(const snTracked *t, snText *text)
{
    text_add(text, "\n# Settings\n");
    for (const char *line = t->settings; *line; line += strcspn(line, "\n") + 1)
        text_add(text, "# %.*s\n", (int)strcspn(line, "\n"), line);
}

void cli_track_say(const snTracked *t)
{
    if (t->resumed) cli_say(t->cli, "continued after frame %d\n", t->resumed);
    cli_say(t->cli, "%d %s, %.4g s simulated in %.3g s: %.3g times real time\n", t->frames,
            t->frames == 1 ? "frame" : "frames", t->simulated, t->seconds, t->real_time_factor);
}

/* ---- what is off ------------------------------------------------------------------------------- */

/* The coordinate that misses its target most of those that miss it by less than `below` tolerances; -1: none. */
static int32_t next_missed(const snTracked *t, double below, double *by)
{
    int32_t worst = -1;
    *by = 0;
    for (int32_t c = 0; c < t->trust->ncoordinate; ++c) {
        double off = t->trust->off[c] * (sn_coordinate_slides(t->model, c) ? 1e3 : DEGREES);
        if (has_missed(t, c) && off > *by && off < below) *by = off, worst = c;
    }
    return worst;
}

static void warn_missed(const snTracked *t)
{
    double by = INFINITY;
    int32_t named = 0, count = 0;
    for (int32_t c = 0; c < t->trust->ncoordinate; ++c) count += has_missed(t, c);
    for (; named < MOST_NAMED; ++named) {
        int32_t c = next_missed(t, by, &by);
        char torque[64] = "";
        if (c < 0) break;
        bool slides = sn_coordinate_slides(t->model, c);
        if (t->trust->unmet[c] > 1e-6)
            (void)snprintf(torque, sizeof torque, "; muscles lack up to %.3g %s", t->trust->unmet[c],
                           slides ? "N" : "N m");
        cli_warn(t->cli, "the motion was not reached: %s misses its target by up to %.3g %s from %.2f to %.2f s%s",
                 sn_coordinate_title(t->model, c), by, slides ? "mm" : "degrees", t->trust->off_from[c],
                 t->trust->off_until[c], torque);
    }
    if (count > named)
        cli_warn(t->cli, "%d more coordinates miss their targets: %s names them", count - named, t->path[2]);
}

static void say_saturated(const snTracked *t)
{
    snText names = {0};
    int32_t count = 0;
    for (int32_t u = 0; u < t->trust->nmuscle; ++u) {
        if (!is_saturated(t, u)) continue;
        if (count++ < 2 * MOST_NAMED)
            text_add(&names, "%s%s", count > 1 ? ", " : "", sn_name(t->model, SN_ITEM_MUSCLE, u));
    }
    if (count > 2 * MOST_NAMED) text_add(&names, " and %d more", count - 2 * MOST_NAMED);
    if (count > 0 && names.text) cli_say(t->cli, "at full activation: %s\n", names.text);
    text_free(&names);
}

void cli_track_warn(const snTracked *t)
{
    const snTrust *trust = t->trust;
    warn_missed(t);
    say_saturated(t);
    if (trust->step_error > COARSE)
        cli_warn(t->cli, "activations change by about %.0f %% at half the step: use --step %.2g or less",
                 100 * trust->step_error, trust->step / 2);
}

snStatus cli_track_verdict(const snTracked *t, snStatus outcome, snError *error)
{
    if (outcome == SN_OK && (t->trust->reached || !cli_given(t->cli, "strict"))) return SN_OK;
    if (outcome == SN_OK) return cli_fail(t->cli, SN_FAILED, "the motion was not reached, and --strict asks for it");
    error->status = outcome;
    if (!error->message[0]) (void)snprintf(error->message, sizeof error->message, "%s", sn_status_text(outcome));
    if (t->frames > 0 && !error->remedy[0])
        (void)snprintf(error->remedy, sizeof error->remedy, "the first %d frames are kept%s", t->frames,
                       outcome == SN_CANCELLED ? "; --resume continues after them" : "");
    return cli_fail_error(t->cli, error);
}

snStatus cli_track_outputs(snCli *cli, char path[3][4096])
{
    const char *out = cli_option_text(cli, "o", NULL);
    const char *const ending[] = {cli_replay_ending(cli), ".sto", ".report.txt"};
    snStatus status = out ? SN_OK : cli_fail(cli, SN_USAGE, "-o OUT is missing: where to write the result");
    for (int i = 0; i < 3 && status == SN_OK; ++i) {
        if (snprintf(path[i], sizeof path[i], "%s%s", out, ending[i]) >= (int)sizeof path[i])
            return cli_fail(cli, SN_USAGE, "-o: the path is too long");
        status = cli_check_output(cli, path[i]);
    }
    return status;
}
