#include "postures.h"

#include "sinew/clinical.h"
#include "sinew/io.h"
#include "sinew/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The moment of a motion that is farthest from rest. */
static snStatus load_one(const char *model_name, const snModel *model, const char *motion, double *value,
                         snError *error)
{
    snMotionDef def = sn_default_motion_def();
    snPoses *poses = NULL;
    snTargets targets = {0};
    def.model = model_name;
    snStatus status = sn_load_motion_poses(motion, &def, &poses, error);
    if (status == SN_OK) status = sn_targets_create(model, poses, 0, &targets, NULL, 0, error);
    if (status == SN_OK)
        memcpy(value, targets.q + (ptrdiff_t)sn_targets_peak(&targets) * targets.ncoordinate,
               sizeof *value * (size_t)targets.ncoordinate);
    sn_targets_free(&targets);
    sn_poses_destroy(poses);
    return status;
}

snStatus cli_load_postures(snCli *cli, const char *model_name, const snModel *model, snPostures *postures)
{
    char path[4096];
    snError error = {0};
    int32_t ncoord = sn_count(model, SN_ITEM_COORDINATE);
    *postures = (snPostures){0};
    if (sn_find_model(model_name, path, sizeof path - 16, &error) != SN_OK) return SN_OK;
    char *slash = strrchr(path, '/');
    memcpy(slash ? slash + 1 : path, "postures.txt", sizeof "postures.txt");
    int32_t named = cli_read_names(path, POSTURES, postures->text);
    if (named > POSTURES) {
        cli_warn(cli, "postures.txt names %d postures; the first %d are offered", named, POSTURES);
        named = POSTURES;
    }
    if (named == 0) return SN_OK;
    postures->value = calloc((size_t)named * (size_t)ncoord + 1, sizeof *postures->value);
    if (!postures->value) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    for (int32_t i = 0; i < named; ++i) {
        double *value = postures->value + (size_t)postures->count * (size_t)ncoord;
        if (load_one(model_name, model, postures->text[i], value, &error) == SN_OK)
            postures->name[postures->count++] = postures->text[i];
        else
            cli_warn(cli, "posture %s of postures.txt is left out: %s", postures->text[i], error.message);
    }
    return SN_OK;
}

void cli_free_postures(snPostures *postures)
{
    free(postures->value);
    *postures = (snPostures){0};
}
