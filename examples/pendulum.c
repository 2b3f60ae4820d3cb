/* Builds a pendulum that hangs on a strand, steps it for two seconds and writes a replay.
 *
 *     pendulum [OUT.replay.xml]
 */
#include <stdio.h>

#include "sinew/sinew.h"

static int fail(const char *what, snStatus status, const snError *error)
{
    char text[1400];
    fprintf(stderr, "%s: %s\n", what, error ? sn_error_format(error, text, sizeof text) : sn_status_text(status));
    return sn_status_exit_code(status);
}

/* A pinned ceiling, a bob of 0.2 kg, and a strand of 0.3 m between them, drawn level so that the bob swings. */
static snStatus describe(snSpec *spec)
{
    snId id;
    snBodyDef ceiling = sn_default_body_def();
    ceiling.name = "ceiling";
    ceiling.pinned = true;
    snStatus status = sn_add_body(spec, &ceiling, &id);

    snBodyDef bob = sn_default_body_def();
    bob.name = "bob";
    bob.mass = 0.2;
    bob.inertia[0] = bob.inertia[1] = bob.inertia[2] = 2e-5;
    bob.position[0] = 0.3;
    if (status == SN_OK) status = sn_add_body(spec, &bob, &id);

    double point[8 * 3] = {0};
    for (int i = 0; i < 8; ++i) point[3 * i] = 0.3 * i / 7;
    snStrandDef strand = sn_default_strand_def();
    strand.name = "cord";
    strand.npoint = 8;
    strand.point = point;
    if (status == SN_OK) status = sn_add_strand(spec, &strand, &id);

    snConstraintDef end = sn_default_constraint_def();
    end.name = "upper";
    end.type = SN_CONSTRAINT_FIXED;
    end.strand = "cord";
    end.position = 0;
    end.attachment = "ceiling";
    if (status == SN_OK) status = sn_add_constraint(spec, &end, &id);
    end.name = "lower";
    end.position = 1;
    end.attachment = "bob";
    return status == SN_OK ? sn_add_constraint(spec, &end, &id) : status;
}

int main(int argc, char **argv)
{
    static snError error; /* static: all zero, in C and in C++ */
    snModel *model = NULL;
    snState *state = NULL;
    snTrack *track = NULL;
    snSpec *spec = sn_spec_create();
    if (!spec) return fail("spec", SN_NO_MEMORY, NULL);
    snStatus status = describe(spec);
    if (status == SN_OK) status = sn_compile(spec, &model, &error);
    if (status != SN_OK) return fail("model", status, &error);

    snSimDef sim = sn_default_sim_def();
    sim.skip_settle = true; /* settling would let it swing down before time zero */
    status = sn_state_create(model, &sim, &state, &error);
    if (status != SN_OK) return fail("state", status, &error);

    snView position, rotation, point;
    sn_field(model, state, "body.position", &position);
    sn_field(model, state, "body.rotation", &rotation);
    sn_field(model, state, "strand.point", &point);
    static const char *const bodies[] = {"ceiling", "bob"}, *const strands[] = {"cord"};
    static const int32_t npoint[] = {8};
    snTrackDef def = sn_default_track_def();
    def.model = "pendulum";
    def.nbody = 2, def.body_name = bodies;
    def.nstrand = 1, def.strand_name = strands, def.strand_npoint = npoint;
    status = sn_track_create(&def, &track);
    for (int step = 0; step < 500 && status == SN_OK; ++step) {
        double pose[14];
        for (int b = 0; b < 2; ++b) {
            for (int k = 0; k < 3; ++k) pose[7 * b + k] = position.data[3 * b + k];
            for (int k = 0; k < 4; ++k) pose[7 * b + 3 + k] = rotation.data[4 * b + k];
        }
        if (step % 10 == 0) status = sn_track_append(track, sn_time(state), pose, point.data, NULL);
        if (step % 50 == 0) printf("%.2f s: the bob is at (%.3f, %.3f)\n", sn_time(state), pose[7], pose[8]);
        if (status == SN_OK) status = sn_step(model, state);
    }
    if (status != SN_OK) return fail("run", status, NULL);
    status = sn_save_track(track, argc > 1 ? argv[1] : "pendulum.replay.xml", &error);
    if (status != SN_OK) return fail("replay", status, &error);
    sn_track_destroy(track), sn_state_destroy(state), sn_model_destroy(model), sn_spec_destroy(spec);
    return 0;
}
