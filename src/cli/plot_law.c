/* Force-length curves: those that the strands of a model use, those of a file, or built-in laws by name. */
#include "plot_law.h"

#include "plot_style.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLES = 241, MOST = 12, NAME = 256 };
static const double LOW = 0.4, HIGH = 1.8; /* stretches: beyond them muscles are not used */

typedef struct snLawPlot {
    snCli *cli;
    snSpec *spec; /* of a model, or NULL */
    int32_t count;
    char name[MOST][NAME];
    double stretch[SAMPLES], force[MOST][SAMPLES];
} snLawPlot;

static void add(snLawPlot *p, const char *name)
{
    for (int32_t i = 0; i < p->count; ++i)
        if (strcmp(p->name[i], name) == 0) return;
    if (p->count < MOST) (void)snprintf(p->name[p->count++], NAME, "%s", name);
}

static bool is_law(const char *name)
{
    for (int32_t i = 0; sn_force_length_name(i); ++i)
        if (strcmp(sn_force_length_name(i), name) == 0) return true;
    return false;
}

/* All curves of the model, and the laws that its strands name; the defaults where none does. */
static void gather_model(snLawPlot *p)
{
    for (snId id = 1; id <= sn_spec_count(p->spec, SN_KIND_FORCE_LENGTH); ++id)
        add(p, sn_spec_force_length(p->spec, id)->name);
    for (snId id = 1; id <= sn_spec_count(p->spec, SN_KIND_STRAND); ++id) {
        const snStrandDef *d = sn_spec_strand(p->spec, id);
        add(p, d->passive_fl[0] ? d->passive_fl : "linear");
        if (d->belly_end > d->belly_start) add(p, d->active_fl[0] ? d->active_fl : "shift");
    }
}

static snStatus gather(snLawPlot *p, const char *from)
{
    char first[NAME];
    (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(from, ","), from);
    if (is_law(first)) {
        for (const char *at = from; *at; at += strcspn(at, ","), at += *at == ',') {
            (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(at, ","), at);
            add(p, first);
        }
        return SN_OK;
    }
    bool file =
        cli_ends_with(from, ".csv") || cli_ends_with(from, ".txt") || cli_ends_with(from, ".tsv") ||
        (cli_ends_with(from, ".xml") && !cli_ends_with(from, ".muscle.xml") && !cli_ends_with(from, ".scene.xml"));
    if (file) {
        add(p, from);
        return SN_OK;
    }
    snStatus status = cli_load_model(p->cli, from, &p->spec);
    if (status == SN_OK) gather_model(p);
    return status;
}

static snStatus draw(snLawPlot *p, const char *to)
{
    snPlotDef def = sn_default_plot_def();
    snPlotSeries series[MOST];
    snError error = {0};
    for (int32_t k = 0; k < SAMPLES; ++k) p->stretch[k] = LOW + (HIGH - LOW) * k / (SAMPLES - 1);
    for (int32_t i = 0; i < p->count; ++i) {
        snStatus status = sn_force_length_at(p->spec, p->name[i], SAMPLES, p->stretch, p->force[i], &error);
        if (status != SN_OK) return cli_fail_file(p->cli, status, &error, p->name[i]);
        const char *slash = strrchr(p->name[i], '/');
        series[i] = (snPlotSeries){slash ? slash + 1 : p->name[i], SAMPLES, p->stretch, p->force[i]};
    }
    def.title = cli_option_text(p->cli, "title", "force-length curves");
    def.x_label = "length over rest length (active: over optimal fibre length)";
    def.y_label = "normalised force";
    def.nseries = p->count, def.series = series, def.style = cli_plot_style(p->cli);
    return cli_fail_file(p->cli, sn_plot_lines(&def, to, &error), &error, to);
}

snStatus cli_plot_laws(snCli *cli, const char *from, const char *to)
{
    snLawPlot p = {.cli = cli};
    snStatus status = gather(&p, from);
    if (status == SN_OK && p.count == 0) status = cli_fail(cli, SN_BAD_INPUT, "%s has no strands", from);
    if (status == SN_OK) status = draw(&p, to);
    if (p.spec) sn_spec_destroy(p.spec);
    if (status != SN_OK) return status;
    cli_say(cli, "%s: %d force-length curves\n", to, (int)p.count);
    json_string(&cli->json, "file", to);
    json_string(&cli->json, "what", "force-length");
    json_open(&cli->json, "channels", '[');
    for (int32_t i = 0; i < p.count; ++i) json_string(&cli->json, NULL, p.name[i]);
    json_close(&cli->json, ']');
    return SN_OK;
}
