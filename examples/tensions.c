/* Loads a model from its file, activates every muscle a little for half a second and prints the tension of each strand.
 *
 *     tensions MODEL [LEVEL]        MODEL: a path, or the name of a shipped model; LEVEL: 0 to 1, default 0.1
 */
#include <stdio.h>
#include <stdlib.h>

#include "sinew/sinew.h"

static int fail(snStatus status, const snError *error)
{
    char text[1400];
    fprintf(stderr, "%s: %s\n", sn_status_text(status), sn_error_format(error, text, sizeof text));
    return sn_status_exit_code(status);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: tensions MODEL [LEVEL]\n");
        return 2;
    }
    char path[4096];
    static snError error; /* static: all zero, in C and in C++ */
    snSpec *spec = NULL;
    snModel *model = NULL;
    snState *state = NULL;
    snStatus status = sn_find_model(argv[1], path, sizeof path, &error);
    if (status == SN_OK) status = sn_load_model(path, &spec, &error);
    if (status == SN_OK) status = sn_compile(spec, &model, &error);
    if (spec) sn_spec_destroy(spec); /* the model keeps nothing of it */
    if (status != SN_OK) return fail(status, &error);

    snSimDef sim = sn_default_sim_def();
    status = sn_state_create(model, &sim, &state, &error);
    if (status != SN_OK) return fail(status, &error);

    snView activation, tension, length;
    sn_field(model, state, "muscle.activation", &activation);
    sn_field(model, state, "strand.tension", &tension);
    sn_field(model, state, "strand.length", &length);
    double level = argc > 2 ? atof(argv[2]) : 0.1;
    while (sn_time(state) < 0.5 && status == SN_OK) {
        /* Raise the level over the first quarter of a second: a jump would shake the model. */
        double now = level * (sn_time(state) < 0.25 ? sn_time(state) / 0.25 : 1);
        for (int32_t i = 0; i < activation.rows; ++i) activation.data[i] = now;
        status = sn_step(model, state);
    }
    if (status != SN_OK) fprintf(stderr, "%s: %s\n", sn_status_text(status), sn_info(state)->culprit);

    printf("%-20s %12s %12s\n", "strand", "tension N", "length mm");
    for (int32_t i = 0; i < tension.rows; ++i)
        printf("%-20s %12.3f %12.2f\n", sn_name(model, SN_ITEM_STRAND, i), tension.data[i], 1000 * length.data[i]);
    sn_state_destroy(state);
    sn_model_destroy(model);
    return sn_status_exit_code(status);
}
