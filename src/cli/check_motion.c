/* sinew check MODEL MOTION: which frames of a motion no activations can make. */
#include "check_motion.h"

#include "clinic.h"

static const double RATE = 50, DEGREES = 57.29577951308232;

static void say_stretch(snClinic *c, const snImpossible *s)
{
    snJson *json = &c->cli->json;
    const char *where = sn_name(c->model, SN_ITEM_COORDINATE, s->coordinate);
    const double *time = c->targets.time;
    cli_say(c->cli, "%s: %.2f to %.2f s, %s lacks %.1f mN m at %.2f s; the nearest pose is %.1f deg off\n",
            sn_verdict_name(s->verdict), time[s->first], time[s->last], where, 1e3 * s->torque, time[s->worst_frame],
            DEGREES * s->distance);
    json_open(json, NULL, '{');
    json_string(json, "verdict", sn_verdict_name(s->verdict));
    json_number(json, "from_s", time[s->first]);
    json_number(json, "to_s", time[s->last]);
    json_string(json, "worst", where);
    json_number(json, "worst_s", time[s->worst_frame]);
    json_number(json, "unmet_mNm", 1e3 * s->torque);
    json_number(json, "distance_deg", DEGREES * s->distance);
    json_close(json, '}');
}

snStatus cli_check_motion(snCli *cli)
{
    snClinic c;
    snMotionCheck r = {0};
    snStatus status = clinic_open(cli, &c);
    if (status == SN_OK) status = clinic_motion(&c, cli->argument[1], cli_option_number(cli, "frame-rate", RATE));
    if (status == SN_OK) {
        status = sn_check_motion(c.patient, &c.targets, &r);
        if (status != SN_OK) (void)cli_fail(cli, status, "%s", sn_status_text(status));
    }
    if (status == SN_OK) {
        json_string(&cli->json, "model", cli->argument[0]);
        json_string(&cli->json, "motion", c.motion);
        clinic_say_case(&c);
        json_integer(&cli->json, "frames", r.nframe);
        json_integer(&cli->json, "failing_frames", r.nbad);
        json_integer(&cli->json, "clamped_frames", r.nclamped);
        json_open(&cli->json, "intervals", '[');
        for (int32_t i = 0; i < r.count; ++i) say_stretch(&c, &r.stretch[i]);
        json_close(&cli->json, ']');
        if (r.nclamped)
            cli_say(cli, "%d frames have a target beyond the range of a joint; it was clamped\n", r.nclamped);
        cli_say(cli, "%s: %d of %d frames out of reach\n", cli->argument[1], r.nbad, r.nframe);
        cli_say(cli, "%s\n", clinic_notice);
        json_string(&cli->json, "notice", clinic_notice);
    }
    sn_motion_check_free(&r);
    clinic_close(&c);
    return status;
}
