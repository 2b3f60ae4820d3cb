/* What the draws of a sweep say together: a row for each draw, a row for each muscle, and the histograms of figure 17
 * of [Lee 2009]: how many of the active muscles change their activation how much, on the mean and at most. */
#include "result.h"
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 40, KEY = 48, VALUE = 40, MOST_BINS = 40 };
static const double SMALL = 0.03; /* the change that figure 17 is judged by */
static const double BIN = 0.01;

typedef struct Figure {
    char name[KEY], value[VALUE];
} Figure;

typedef struct Muscle {
    const char *name;       /* in the reference */
    int32_t scalar;         /* column of its activation there */
    double peak;            /* of the reference */
    double sum, most;       /* of its changes over all draws and frames */
    double draw, draw_most; /* the same in the current draw */
} Muscle;

typedef struct Gathering {
    snSweep *s;
    snTrack *reference;
    Muscle *muscle;
    int32_t nmuscle, nactive, finished, diverged;
    double active, frames; /* activation that counts; frames compared in all draws */
    int32_t nkey;
    char key[MOST_KEYS][KEY]; /* of the figures, from the reference */
    snText table;
} Gathering;

/* ---- what a draw said --------------------------------------------------------------------- */

static const char *skip_string(const char *c)
{
    for (++c; *c && *c != '"'; ++c)
        if (*c == '\\' && c[1]) ++c;
    return *c ? c + 1 : c;
}

static bool is_time(const char *name)
{
    return strcmp(name, "seconds") == 0 || strcmp(name, "real_time_factor") == 0 || strcmp(name, "resumed") == 0 ||
           strncmp(name, "control_step_ms", 15) == 0;
}

/* Numbers and truths of the outermost object of a line that we wrote ourselves, but for those that tell times. */
static int32_t read_figures(const char *c, Figure figure[MOST_KEYS])
{
    int32_t count = 0;
    int depth = 0;
    while (*c && count < MOST_KEYS) {
        if (*c == '{' || *c == '[') ++depth;
        if (*c == '}' || *c == ']') --depth;
        if (*c != '"') {
            ++c;
            continue;
        }
        const char *name = c + 1;
        c = skip_string(c);
        size_t length = (size_t)(c - 1 - name), value = c[0] == ':' ? strcspn(c, ",}]\n") : 0;
        if (depth != 1 || c[0] != ':' || length >= KEY || strpbrk(c, "\"{[,}") < c + value) continue;
        const char *from = c + 1 + strspn(c + 1, " ");
        if (c + value - from >= VALUE) continue;
        Figure *f = &figure[count];
        (void)snprintf(f->name, sizeof f->name, "%.*s", (int)length, name);
        (void)snprintf(f->value, sizeof f->value, "%.*s", (int)(c + value - from), from);
        if (!is_time(f->name)) ++count;
    }
    return count;
}

static int32_t load_figures(const snSweep *s, int32_t draw, Figure figure[MOST_KEYS])
{
    char path[SWEEP_PATH];
    size_t length = 0;
    snText text = {0};
    sweep_path(s, draw, ".json", path);
    char *bytes = cli_read_bytes(path, &length);
    text_add(&text, "%.*s", bytes ? (int)length : 0, bytes ? bytes : "");
    free(bytes);
    int32_t count = text.text ? read_figures(text.text, figure) : 0;
    text_free(&text);
    return count;
}

static snStatus load_track(Gathering *g, int32_t draw, snTrack **track)
{
    char path[SWEEP_PATH];
    sweep_path(g->s, draw, ".replay.bin", path);
    if (cli_file_size(path) == 0) sweep_path(g->s, draw, ".replay.xml", path);
    return cli_load_replay(g->s->cli, path, track);
}

/* ---- the reference ------------------------------------------------------------------------ */

static snStatus find_muscles(Gathering *g)
{
    static const char prefix[] = "activation/";
    const snTrackDef *def = sn_track_def(g->reference);
    g->muscle = calloc((size_t)def->nscalar + 1, sizeof *g->muscle);
    if (!g->muscle) return cli_fail(g->s->cli, SN_NO_MEMORY, "out of memory");
    for (int32_t i = 0; i < def->nscalar; ++i) {
        if (strncmp(def->scalar_name[i], prefix, sizeof prefix - 1) != 0) continue;
        Muscle *m = &g->muscle[g->nmuscle++];
        *m = (Muscle){.name = def->scalar_name[i] + sizeof prefix - 1, .scalar = i};
        for (int32_t f = 0; f < sn_track_frames(g->reference); ++f)
            m->peak = fmax(m->peak, sn_track_scalar(g->reference, f)[i]);
        g->nactive += m->peak >= g->active;
    }
    return g->nmuscle ? SN_OK : cli_fail(g->s->cli, SN_BAD_INPUT, "the result of draw 0 has no activations");
}

static snStatus open_reference(Gathering *g)
{
    Figure figure[MOST_KEYS];
    if (!sweep_is_finished(g->s, 0))
        return cli_fail(g->s->cli, SN_FAILED,
                        "draw 0, the unchanged model, is not finished: there is nothing to compare with");
    snStatus status = load_track(g, 0, &g->reference);
    if (status == SN_OK) status = find_muscles(g);
    g->nkey = load_figures(g->s, 0, figure);
    text_add(&g->table, "draw\tstate");
    for (int32_t k = 0; k < g->nkey; ++k) {
        memcpy(g->key[k], figure[k].name, KEY);
        text_add(&g->table, "\t%s", g->key[k]);
    }
    text_add(&g->table, "\tmean_change\tmax_change\tshare_below_0.03\n");
    return status;
}

/* ---- the draws ---------------------------------------------------------------------------- */

static int32_t compare(Gathering *g, const snTrack *track)
{
    int32_t frames = sn_track_frames(track), there = sn_track_frames(g->reference);
    if (there < frames) frames = there;
    for (int32_t i = 0; i < g->nmuscle; ++i) {
        Muscle *m = &g->muscle[i];
        int32_t column = sn_track_find_scalar(track, sn_track_def(g->reference)->scalar_name[m->scalar]);
        m->draw = m->draw_most = 0;
        for (int32_t f = 0; column >= 0 && f < frames; ++f) {
            double change = fabs(sn_track_scalar(track, f)[column] - sn_track_scalar(g->reference, f)[m->scalar]);
            m->draw += change, m->draw_most = fmax(m->draw_most, change);
        }
    }
    return frames;
}

/* The row of a draw after its figures; adds it to the sums where it counts. */
static void add_changes(Gathering *g, int32_t draw, int32_t frames)
{
    double mean = 0, most = 0;
    int32_t below = 0;
    for (int32_t i = 0; i < g->nmuscle; ++i) {
        Muscle *m = &g->muscle[i];
        if (draw > 0) m->sum += m->draw, m->most = fmax(m->most, m->draw_most);
        if (m->peak < g->active || frames == 0) continue;
        mean += m->draw / frames, most = fmax(most, m->draw_most), below += m->draw / frames < SMALL;
    }
    if (draw > 0) g->frames += frames;
    text_add(&g->table, "\t%.6g\t%.6g\t%.6g\n", g->nactive ? mean / g->nactive : 0, most,
             g->nactive ? (double)below / g->nactive : 1);
}

static snStatus add_draw(Gathering *g, int32_t draw)
{
    Figure figure[MOST_KEYS];
    snTrack *track = NULL;
    bool finished = sweep_is_finished(g->s, draw), diverged = false;
    int32_t count = finished ? load_figures(g->s, draw, figure) : 0;
    for (int32_t k = 0; k < count; ++k)
        diverged = diverged || (strcmp(figure[k].name, "diverged") == 0 && strcmp(figure[k].value, "true") == 0);
    text_add(&g->table, "%d\t%s", draw, !finished ? "missing" : diverged ? "diverged" : "finished");
    for (int32_t i = 0; i < g->nkey; ++i) {
        const char *value = "";
        for (int32_t k = 0; k < count; ++k)
            if (strcmp(figure[k].name, g->key[i]) == 0) value = figure[k].value;
        text_add(&g->table, "\t%s", value);
    }
    g->finished += finished, g->diverged += diverged;
    if (!finished) {
        text_add(&g->table, "\t\t\t\n");
        return SN_OK;
    }
    snStatus status = load_track(g, draw, &track);
    if (status == SN_OK) add_changes(g, draw, compare(g, track));
    if (track) sn_track_destroy(track);
    return status;
}

/* ---- what is written ---------------------------------------------------------------------- */

static snStatus save_muscles(Gathering *g, const char *path)
{
    snText t = {0};
    text_add(&t, "muscle\tactive\tpeak_activation\tmean_change\tmax_change\n");
    for (int32_t i = 0; i < g->nmuscle; ++i) {
        const Muscle *m = &g->muscle[i];
        text_add(&t, "%s\t%d\t%.6g\t%.6g\t%.6g\n", m->name, m->peak >= g->active, m->peak,
                 g->frames > 0 ? m->sum / g->frames : 0, m->most);
    }
    snStatus status =
        t.text ? cli_save_text(g->s->cli, path, t.text) : cli_fail(g->s->cli, SN_NO_MEMORY, "out of memory");
    text_free(&t);
    return status;
}

/* Outline of a histogram over bins of 0.01: four corners for each. Changes beyond the last bin are counted in it. */
typedef struct Histogram {
    double x[2 * MOST_BINS + 2], y[2 * MOST_BINS + 2];
    int32_t count;
} Histogram;

static double change_of(const Gathering *g, const Muscle *m, bool most)
{
    return most ? m->most : g->frames > 0 ? m->sum / g->frames : 0;
}

static void count_bins(const Gathering *g, bool most, Histogram *h)
{
    int32_t bin[MOST_BINS] = {0}, bins = 5;
    for (int32_t i = 0; i < g->nmuscle; ++i) {
        const Muscle *m = &g->muscle[i];
        if (m->peak < g->active) continue;
        int32_t k = (int32_t)fmin(change_of(g, m, most) / BIN, MOST_BINS - 1);
        ++bin[k];
        if (k + 1 > bins) bins = k + 1;
    }
    h->count = 0;
    for (int32_t k = 0; k < bins; ++k) {
        double share = g->nactive ? 100.0 * bin[k] / g->nactive : 0;
        h->x[h->count] = k * BIN + 1e-9, h->y[h->count++] = share; /* a hair, so that x increases */
        h->x[h->count] = (k + 1) * BIN, h->y[h->count++] = share;
    }
    h->x[h->count] = bins * BIN + 1e-9, h->y[h->count++] = 0;
}

static snStatus draw_histogram(Gathering *g, const char *path)
{
    Histogram h[2];
    snPlotDef def[2];
    snPlotSeries series[2];
    snPlotBand band[2];
    snError error = {0};
    static const double zero[2 * MOST_BINS + 2] = {0};
    for (int k = 0; k < 2; ++k) {
        count_bins(g, k == 1, &h[k]);
        series[k] = (snPlotSeries){k ? "largest change" : "mean change", h[k].count, h[k].x, h[k].y};
        band[k] = (snPlotBand){0, h[k].count, h[k].x, zero, h[k].y};
        def[k] = sn_default_plot_def();
        def[k].title = k ? "" : "how much activations change";
        def[k].x_label = k ? "largest change of activation" : "mean change of activation";
        def[k].y_label = "% of active muscles";
        def[k].nseries = def[k].nband = 1, def[k].series = &series[k], def[k].band = &band[k];
        def[k].y_low = 0;
    }
    return cli_fail_file(g->s->cli, sn_plot_panels(def, 2, path, &error), &error, path);
}

static void tell(Gathering *g, char paths[3][SWEEP_PATH])
{
    snCli *cli = g->s->cli;
    int32_t below = 0;
    double sum = 0;
    for (int32_t i = 0; i < g->nmuscle; ++i) {
        const Muscle *m = &g->muscle[i];
        if (m->peak < g->active) continue;
        below += change_of(g, m, false) < SMALL, sum += change_of(g, m, false);
    }
    double share = g->nactive ? (double)below / g->nactive : 1;
    cli_say(cli, "%d of %d draws finished\n", g->finished, g->s->draws + 1);
    if (g->diverged) cli_say(cli, "%d of them diverged; they are compared up to that point\n", g->diverged);
    cli_say(cli, "mean change of activation below %.2f for %.0f %% of %d active muscles\n", SMALL, 100 * share,
            g->nactive);
    json_integer(&cli->json, "draws", g->s->draws);
    json_integer(&cli->json, "finished", g->finished);
    json_integer(&cli->json, "diverged", g->diverged);
    json_integer(&cli->json, "active_muscles", g->nactive);
    json_number(&cli->json, "mean_change", g->nactive ? sum / g->nactive : 0);
    json_number(&cli->json, "share_below_0.03", share);
    json_string(&cli->json, "table", paths[0]);
    json_string(&cli->json, "muscles", paths[1]);
    json_string(&cli->json, "histogram", paths[2]);
    cli_say(cli, "wrote %s, %s and %s\n", paths[0], paths[1], paths[2]);
}

static snStatus save(Gathering *g)
{
    static const char *const name[] = {"sweep.tsv", "muscles.tsv", "histogram.svg"};
    char paths[3][SWEEP_PATH];
    for (int i = 0; i < 3; ++i) (void)snprintf(paths[i], SWEEP_PATH, "%.4000s/%s", g->s->out, name[i]);
    snStatus status = g->table.text ? cli_save_text(g->s->cli, paths[0], g->table.text)
                                    : cli_fail(g->s->cli, SN_NO_MEMORY, "out of memory");
    if (status == SN_OK) status = save_muscles(g, paths[1]);
    if (status == SN_OK) status = draw_histogram(g, paths[2]);
    if (status == SN_OK) tell(g, paths);
    return status;
}

snStatus sweep_gather(snSweep *s)
{
    Gathering *g = calloc(1, sizeof *g);
    if (!g) return cli_fail(s->cli, SN_NO_MEMORY, "out of memory");
    g->s = s, g->active = cli_option_number(s->cli, "active", 0.01);
    snStatus status = open_reference(g);
    for (int32_t k = 0; status == SN_OK && k <= s->draws; ++k) {
        status = add_draw(g, k);
        if (status == SN_OK && cli_progress(s->cli, "gathering", k, s->draws + 1) != 0) status = SN_CANCELLED;
    }
    cli_progress_end(s->cli);
    if (status == SN_OK) status = save(g);
    if (status == SN_OK && g->finished <= s->draws)
        status = cli_fail(s->cli, SN_FAILED,
                          "%d of %d draws are missing; --resume runs them, see their .log files for the reason",
                          s->draws + 1 - g->finished, s->draws + 1);
    if (g->reference) sn_track_destroy(g->reference);
    text_free(&g->table);
    free(g->muscle);
    free(g);
    return status;
}
