/* The watcher of sinew strands --live. One line out for each step, lines in at any time. */
#include "strands_live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_points(snJson *json, const snAutoStrands *strands)
{
    int32_t n = sn_autostrands_view(strands).count * sn_autostrands_view(strands).control_points;
    double *point = malloc(3 * (size_t)n * sizeof *point);
    json_open(json, "points", '[');
    if (point && sn_autostrands_finish(strands, point, NULL) == SN_OK)
        for (int32_t i = 0; i < 3 * n; ++i) json_number(json, NULL, point[i]);
    json_close(json, ']');
    free(point);
}

static void show(const snAutoStrands *strands, int32_t step, double moved)
{
    snJson json = {0};
    int32_t count = sn_autostrands_view(strands).count;
    json_open(&json, NULL, '{');
    json_integer(&json, "step", step);
    json_number(&json, "moved", moved);
    json_boolean(&json, "converged", moved < SN_AUTOSTRANDS_CONVERGED);
    json_integer(&json, "strands", count);
    json_integer(&json, "control_points", sn_autostrands_view(strands).control_points);
    if (step == 0) {
        json_open(&json, "inputs", '[');
        for (int32_t s = 0; s < count; ++s) json_integer(&json, NULL, sn_autostrands_view(strands).input[s]);
        json_close(&json, ']');
    }
    add_points(&json, strands);
    json_close(&json, '}');
    if (json_text(&json)) (void)printf("%s\n", json_text(&json));
    (void)fflush(stdout);
    json_free(&json);
}

/* One line of whoever watches. What cannot be is noted and changes nothing. */
static void obey(snStrandsLive *live, snAutoStrands *strands, const snTalkLine *line)
{
    double stiffness = live->stiffness, repulsion = live->repulsion,
           points = sn_autostrands_view(strands).control_points;
    snError error = {0};
    for (int i = 0; i < line->count; ++i) {
        const char *name = line->name[i];
        double value = line->value[i];
        if (strcmp(name, "stiffness") == 0)
            stiffness = value;
        else if (strcmp(name, "repulsion") == 0)
            repulsion = value;
        else if (strcmp(name, "control_points") == 0)
            points = fmin(fmax(value, -1), 1e6);
        else if (strcmp(name, "pause") == 0)
            live->paused = value != 0;
        else if (strcmp(name, "finish") == 0)
            live->finish = value != 0;
        else if (strcmp(name, "cancel") == 0)
            live->cancel = value != 0;
        else
            cli_warn(live->cli, "unknown parameter \"%s\"", name);
    }
    if (sn_autostrands_tune(strands, stiffness, repulsion, (int32_t)points, &error) == SN_OK) {
        live->stiffness = stiffness, live->repulsion = repulsion;
        live->changed = true;
    } else {
        cli_warn(live->cli, "%s", error.message);
    }
}

static bool is_over(const snStrandsLive *live)
{
    return live->finish || live->cancel || cli_interrupted();
}

/* Listens until the next step is due; as long as it takes when there is nothing to do. */
static void listen(snStrandsLive *live, snAutoStrands *strands, bool converged)
{
    snTalkLine line;
    live->changed = false;
    for (;;) {
        bool idle = (live->paused || (converged && !live->changed)) && !live->talk.ended;
        double due = idle ? 0.2 : fmax(0, live->stepped_at + live->pause - cli_seconds());
        if (cli_talk(live->cli, &live->talk, due, &line))
            obey(live, strands, &line);
        else if (!idle)
            return;
        if (is_over(live)) return;
    }
}

static snFillAnswer watch(void *user, snAutoStrands *strands, int32_t step, double moved)
{
    snStrandsLive *live = user;
    bool converged = moved < SN_AUTOSTRANDS_CONVERGED || step >= live->steps;
    show(strands, step, moved);
    listen(live, strands, converged);
    if (live->cancel || cli_interrupted()) return SN_FILL_GIVE_UP;
    if (live->finish || (converged && live->talk.ended && !live->changed)) return SN_FILL_FINISH;
    live->stepped_at = cli_seconds();
    return SN_FILL_STEP;
}

void cli_watch_strands(snCli *cli, snStrandsLive *live, snFillDef *def)
{
    double pace = cli_option_number(cli, "pace", 30);
    cli->want_json = true; /* the end is an object too */
    *live = (snStrandsLive){.cli = cli,
                            .stiffness = def->fill.stiffness,
                            .repulsion = def->fill.repulsion,
                            .steps = cli_given(cli, "steps") ? def->steps : INT32_MAX,
                            .pause = pace > 0 ? 1 / pace : 0};
    def->watch = watch, def->watch_user = live;
}
