/* track --converge: a second run at half the step. What differs is the error of the step, about half of it. */
#include "track_converge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TENTH = 0.1;
static const double LEAST_ERROR = 1e-5;      /* m: tracking errors below a hundredth of a millimetre are no worry */
static const double LEAST_ACTIVATION = 0.01; /* nor are activations below this */

snStatus converge_create(snConverge *c, snCli *cli, const snModel *model, int32_t frames)
{
    c->cli = cli, c->nmuscle = sn_count(model, SN_ITEM_MUSCLE), c->room = frames;
    for (int i = 0; i < 2; ++i) {
        c->activation[i] = calloc((size_t)frames * (size_t)c->nmuscle + 1, sizeof(double));
        if (!c->activation[i]) return SN_NO_MEMORY;
    }
    return SN_OK;
}

void converge_free(snConverge *c)
{
    for (int i = 0; i < 2; ++i) free(c->activation[i]), c->activation[i] = NULL;
}

snStatus converge_note(snConverge *c, int which, const snModel *model, snState *state)
{
    snView view;
    if (!c->activation[which] || c->frames[which] >= c->room) return SN_OK;
    snStatus status = sn_field(model, state, "muscle.activation", &view);
    if (status != SN_OK) return status;
    memcpy(c->activation[which] + (size_t)c->frames[which]++ * (size_t)c->nmuscle, view.data,
           (size_t)c->nmuscle * sizeof(double));
    return SN_OK;
}

typedef struct Second {
    snConverge *c;
    const snModel *model;
} Second;

static snStatus note_second(void *user, const snFollow *follow, snState *state, double time)
{
    (void)follow, (void)time;
    Second *s = user;
    return converge_note(s->c, 1, s->model, state);
}

static void compare(snConverge *c)
{
    int32_t frames = c->frames[0] < c->frames[1] ? c->frames[0] : c->frames[1];
    double off2 = 0, size2 = 0;
    for (int64_t i = 0; i < (int64_t)frames * c->nmuscle; ++i) {
        double a = c->activation[0][i], b = c->activation[1][i], off = fabs(a - b);
        off2 += off * off, size2 += b * b;
        c->largest[0] = fmax(c->largest[0], a), c->largest[1] = fmax(c->largest[1], b);
        if (off <= c->worst) continue;
        c->worst = off, c->worst_muscle = (int32_t)(i % c->nmuscle), c->worst_frame = (int32_t)(i / c->nmuscle);
    }
    c->rms = size2 > 0 ? sqrt(off2 / size2) : 0;
    c->done = frames > 0;
}

snStatus converge_run(snConverge *c, const snModel *model, const snTrack *motion, const snFollowDef *def,
                      const snFollowReport *first, snError *error)
{
    snFollowDef half = *def;
    snFollowReport report = {0};
    Second second = {c, model};
    c->step = half.sim.step = 0.5 * (def->sim.step > 0 ? def->sim.step : sn_model_step(model));
    half.frame = note_second, half.user = &second;
    half.checkpoint = NULL, half.checkpoint_size = 0;
    snStatus status = sn_follow_frames(model, motion, &half, &report, error);
    c->error[0] = first->all.rms, c->error[1] = report.all.rms;
    sn_follow_report_free(&report);
    if (status == SN_OK) compare(c);
    return status;
}

static bool differ(double a, double b, double least)
{
    return fmax(a, b) > least && fabs(a - b) > TENTH * fmax(a, b);
}

static bool converged(const snConverge *c)
{
    return !differ(c->largest[0], c->largest[1], LEAST_ACTIVATION) && !differ(c->error[0], c->error[1], LEAST_ERROR);
}

void converge_report(const snConverge *c, const snModel *model, snText *text)
{
    if (!c->done) return;
    text_add(text, "\n# At half the step (%g s)\n", c->step);
    text_add(text, "largest activation        %.4f, was %.4f\n", c->largest[1], c->largest[0]);
    text_add(text, "change of activations     %.2f %% rms\n", 100 * c->rms);
    text_add(text, "largest change            %.4f, %s at frame %d\n", c->worst,
             sn_name(model, SN_ITEM_MUSCLE, c->worst_muscle), (int)c->worst_frame);
    text_add(text, "error of the bones        %.4f mm rms, was %.4f mm\n", 1000 * c->error[1], 1000 * c->error[0]);
    text_add(text, "converged                 %s\n", converged(c) ? "yes" : "no: use a smaller --step");
}

void converge_tell(const snConverge *c, const snModel *model)
{
    if (!c->done) return; /* nor is there a command then */
    snJson *json = &c->cli->json;
    const char *muscle = sn_name(model, SN_ITEM_MUSCLE, c->worst_muscle);
    cli_say(c->cli, "at half the step: activations change by %.2f %% rms, at most by %.3f (%s); error %.3f mm rms\n",
            100 * c->rms, c->worst, muscle, 1000 * c->error[1]);
    if (differ(c->largest[0], c->largest[1], LEAST_ACTIVATION))
        cli_warn(c->cli, "the largest activation is %.3f, and %.3f at half the step: use a smaller --step",
                 c->largest[0], c->largest[1]);
    if (differ(c->error[0], c->error[1], LEAST_ERROR))
        cli_warn(c->cli, "the error of the bones is %.3f mm rms, and %.3f mm at half the step: use a smaller --step",
                 1000 * c->error[0], 1000 * c->error[1]);
    json_open(json, "converge", '{');
    json_number(json, "step_s", c->step);
    json_number(json, "max_activation", c->largest[1]);
    json_number(json, "activation_change_rms", c->rms);
    json_number(json, "activation_change_max", c->worst);
    json_string(json, "muscle", muscle);
    json_number(json, "rms_error_mm", 1000 * c->error[1]);
    json_boolean(json, "converged", converged(c));
    json_close(json, '}');
}
