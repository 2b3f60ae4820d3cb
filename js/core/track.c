/* Motions followed, poses held: see core.h. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* ---- replays ------------------------------------------------------------------------------ */

/* What a run came to, in the order in which js/sinew.mjs names them. */
typedef struct Figures {
    double frames, simulated, seconds, mean_error, worst_error, worst_time, max_activation;
} Figures;

/* The same choice as `sinew track` makes: strands, a tree whose muscles all work, a tree with passive joints. */
typedef struct Run {
    const snCore *core;
    snPoses *poses;
    snRecorder *recorder;
    snTrack *replay;
    snPatient *patient;
    snError *error;
    Figures *figures;
    double frame_rate;
} Run;

static snStatus follow_strands(Run *r, const char *motion_name, const snMotionDef *source)
{
    snTrack *motion = NULL;
    snFollowReport report = {0};
    snFollowDef def = sn_default_follow_def();
    def.frame_rate = r->frame_rate;
    snStatus status = sn_load_motion(r->core->model, motion_name, source, &motion, r->error);
    if (status == SN_OK && r->frame_rate == 0 && source->source->frame_rate == 0) def.frame_rate = 50;
    if (status == SN_OK) status = sn_follow(r->core->model, motion, &def, &r->replay, &report, r->error);
    *r->figures = (Figures){report.frames,    report.simulated,      report.seconds,       report.all.mean,
                            report.all.worst, report.all.worst_time, report.max_activation};
    sn_follow_report_free(&report);
    sn_track_destroy(motion);
    return status;
}

static Figures figures_of(int32_t frames, double simulated, double seconds, const snTrust *t)
{
    return (Figures){frames, simulated, seconds, t->mean_angle, t->worst_angle, t->worst_angle_time, t->max_activation};
}

static snStatus pursue(Run *r)
{
    snPursueReport report = {0};
    snPursueDef def = sn_default_pursue_def();
    def.frame_rate = r->frame_rate;
    snStatus status = sn_pursue(r->patient, r->poses, &def, &r->replay, &report, r->error);
    *r->figures = figures_of(report.frames, report.simulated, report.seconds, &report.trust);
    sn_pursue_report_free(&report);
    return status;
}

static snStatus record(void *user, const snSteer *run, snState *state, double time)
{
    Run *r = user;
    snTrackFrame frame;
    (void)run;
    snStatus status = sn_recorder_read(r->recorder, state, time, &frame);
    return status == SN_OK ? sn_track_append(r->replay, frame.time, frame.pose, frame.point, frame.scalar) : status;
}

static snStatus steer(Run *r)
{
    snSteerReport report = {0};
    snSteerDef def = sn_default_steer_def();
    if (r->frame_rate > 0) def.frame_rate = r->frame_rate;
    def.frame = record, def.user = r;
    snStatus status = sn_recorder_create(r->core->model, "", &r->recorder);
    if (status == SN_OK) status = sn_track_create(sn_recorder_def(r->recorder), &r->replay);
    if (status == SN_OK) status = sn_steer(r->core->model, r->poses, &def, &report, r->error);
    *r->figures = figures_of(report.frames, report.simulated, report.seconds, &report.trust);
    sn_steer_report_free(&report);
    sn_recorder_destroy(r->recorder);
    return status;
}

static snStatus follow_tree(Run *r, const char *motion, const snMotionDef *source, const snCase *changes)
{
    bool closed = sn_spec_count(r->core->spec, SN_KIND_SPRING) > 0;
    snStatus status = sn_load_motion_poses(motion, source, &r->poses, r->error);
    if (status == SN_OK && !closed)
        status = sn_patient_create(r->core->spec, r->core->model, changes, &r->patient, r->error);
    if (status == SN_OK) status = closed ? steer(r) : pursue(r);
    sn_poses_destroy(r->poses);
    sn_patient_destroy(r->patient);
    return status;
}

/* motion: the name of one that is shipped with the model, or a path. changes: the case of a model on a tree, or NULL. */
SN_EXPORT(sinew_track)
snTrack *sinew_track(const snCore *core, const char *motion, double frame_rate, const snCase *changes,
                     Figures *figures);
snTrack *sinew_track(const snCore *core, const char *motion, double frame_rate, const snCase *changes, Figures *figures)
{
    Run run = {.core = core, .error = sn_core_error(), .figures = figures, .frame_rate = frame_rate};
    snMotionSource source = {0};
    snMotionDef def = sn_default_motion_def();
    def.model = core->path, def.source = &source;
    bool tree = sn_spec_model(core->spec)->type == SN_MODEL_TREE;
    snStatus status = tree ? follow_tree(&run, motion, &def, changes) : follow_strands(&run, motion, &def);
    if (status == SN_OK) return run.replay;
    sn_track_destroy(run.replay);
    return sn_core_fail(status);
}

SN_EXPORT(sinew_replay_close) void sinew_replay_close(snTrack *replay);
void sinew_replay_close(snTrack *replay)
{
    sn_track_destroy(replay);
}

SN_EXPORT(sinew_replay_frames) int32_t sinew_replay_frames(const snTrack *replay);
int32_t sinew_replay_frames(const snTrack *replay)
{
    return sn_track_frames(replay);
}

SN_EXPORT(sinew_replay_count) int32_t sinew_replay_count(const snTrack *replay, int32_t channel);
int32_t sinew_replay_count(const snTrack *replay, int32_t channel)
{
    const snTrackDef *def = sn_track_def(replay);
    const int32_t count[] = {def->nbody, def->nstrand, def->nscalar};
    return count[channel];
}

SN_EXPORT(sinew_replay_name) const char *sinew_replay_name(const snTrack *replay, int32_t channel, int32_t index);
const char *sinew_replay_name(const snTrack *replay, int32_t channel, int32_t index)
{
    const snTrackDef *def = sn_track_def(replay);
    const char *const *const name[] = {def->body_name, def->strand_name, def->scalar_name};
    return name[channel][index];
}

SN_EXPORT(sinew_replay_points) int32_t sinew_replay_points(const snTrack *replay, int32_t strand);
int32_t sinew_replay_points(const snTrack *replay, int32_t strand)
{
    return sn_track_def(replay)->strand_npoint[strand];
}

SN_EXPORT(sinew_replay_time) double sinew_replay_time(const snTrack *replay, int32_t frame);
double sinew_replay_time(const snTrack *replay, int32_t frame)
{
    return sn_track_time(replay, frame);
}

/* Of a frame: 0 poses (7 a body), 1 points (3 each), 2 scalars. */
SN_EXPORT(sinew_replay_values) const double *sinew_replay_values(const snTrack *replay, int32_t frame, int32_t channel);
const double *sinew_replay_values(const snTrack *replay, int32_t frame, int32_t channel)
{
    snTrackFrame f = sn_track_frame(replay, frame);
    const double *const value[] = {f.pose, f.point, f.scalar};
    return value[channel];
}

/* ---- cases and poses ---------------------------------------------------------------------- */

SN_EXPORT(sinew_case_open) snCase *sinew_case_open(void);
snCase *sinew_case_open(void)
{
    (void)sn_core_error();
    snCase *made = sn_case_create("");
    return made ? made : sn_core_fail(SN_NO_MEMORY);
}

SN_EXPORT(sinew_case_close) void sinew_case_close(snCase *changes);
void sinew_case_close(snCase *changes)
{
    sn_case_destroy(changes);
}

/* kind: its name, such as nerve. False: there is no such kind, or no memory. */
SN_EXPORT(sinew_case_add)
bool sinew_case_add(snCase *changes, const char *kind, const char *name, const char *to, double value,
                    const double *force);
bool sinew_case_add(snCase *changes, const char *kind, const char *name, const char *to, double value,
                    const double *force)
{
    snChange change = {.name = name, .to = to, .value = value};
    memcpy(change.force, force, sizeof change.force);
    const char *known;
    for (int k = 0; (known = sn_change_name((snChangeKind)k)); ++k)
        if (strcmp(known, kind) == 0) {
            change.kind = (snChangeKind)k;
            return sn_case_add(changes, &change) == SN_OK;
        }
    return false;
}

SN_EXPORT(sinew_patient_open) snPatient *sinew_patient_open(const snCore *core, const snCase *changes);
snPatient *sinew_patient_open(const snCore *core, const snCase *changes)
{
    snPatient *patient = NULL;
    snStatus status = sn_patient_create(core->spec, core->model, changes, &patient, sn_core_error());
    return status == SN_OK ? patient : sn_core_fail(status);
}

SN_EXPORT(sinew_patient_close) void sinew_patient_close(snPatient *patient);
void sinew_patient_close(snPatient *patient)
{
    sn_patient_destroy(patient);
}

/* figures: missing torque over its tolerance, reserve, effort, verdict. activation, force and missing are the arrays of
 * the answer, until the next question. */
SN_EXPORT(sinew_hold)
bool sinew_hold(snPatient *patient, const double *pose, double figures[4], const double *array[3]);
bool sinew_hold(snPatient *patient, const double *pose, double figures[4], const double *array[3])
{
    snHeld held = {0};
    (void)sn_core_error();
    snStatus status = sn_hold(patient, pose, NULL, NULL, &held);
    if (status != SN_OK) return sn_core_fail(status) != NULL;
    figures[0] = held.unmet, figures[1] = held.reserve, figures[2] = held.effort;
    figures[3] = (double)sn_verdict(patient, &held, NULL);
    array[0] = held.activation, array[1] = held.force, array[2] = held.missing;
    return true;
}
