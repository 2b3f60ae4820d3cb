#include "clinic_page.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

static snStatus add(snCli *cli, snPoseList *l, const char *name, double time, const double *q)
{
    size_t nq = (size_t)l->ncoordinate;
    if (l->count == l->room) {
        int32_t room = 2 * l->room + 16;
        void *text = realloc(l->text, (size_t)room * CLINIC_NAME);
        if (text) l->text = text;
        double *more = realloc(l->q, (size_t)room * nq * sizeof *more), *times = NULL;
        if (more) l->q = more, times = realloc(l->time, (size_t)room * sizeof *times);
        if (times) l->time = times;
        if (!text || !more || !times) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
        l->room = room;
    }
    (void)snprintf(l->text[l->count], CLINIC_NAME, "%s", name);
    l->time[l->count] = time;
    memcpy(l->q + (size_t)l->count * nq, q, nq * sizeof *q);
    ++l->count;
    return SN_OK;
}

/* ignored: columns that this model lacks. */
static snStatus sample(const char *model_name, const snModel *model, const char *motion, double rate, snTargets *t,
                       char ignored[128], snError *error)
{
    snMotionDef def = sn_default_motion_def();
    snPoses *poses = NULL;
    def.model = model_name;
    snStatus status = sn_load_motion_poses(motion, &def, &poses, error);
    if (status == SN_OK) status = sn_targets_create(model, poses, rate, t, ignored, 128, error);
    sn_poses_destroy(poses);
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Names of the files in the folder `motions` beside the model, up to the first dot. */
static size_t motion_names(const char *model_name, char name[MOST][CLINIC_NAME])
{
    char folder[4096];
    size_t count = 0;
    snError error = {0};
    if (sn_find_model(model_name, folder, sizeof folder - 16, &error) != SN_OK) return 0;
    char *slash = strrchr(folder, '/');
    (void)snprintf(slash ? slash : folder, 16, "%s", slash ? "/motions" : "motions");
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && count < MOST && (entry = readdir(directory)) != NULL;) {
        size_t length = strcspn(entry->d_name, ".");
        if (length && length < CLINIC_NAME && entry->d_name[length])
            (void)snprintf(name[count++], CLINIC_NAME, "%.*s", (int)length, entry->d_name);
    }
    if (directory) (void)closedir(directory);
    qsort(name, count, CLINIC_NAME, by_name);
    return count;
}

snStatus clinic_poses_shipped(snCli *cli, const char *model_name, const snModel *model, snPoseList *l)
{
    static char name[MOST][CLINIC_NAME];
    l->ncoordinate = sn_count(model, SN_ITEM_COORDINATE);
    double *flat = calloc((size_t)l->ncoordinate, sizeof *flat);
    snStatus status = flat ? add(cli, l, "flat", 0, flat) : cli_fail(cli, SN_NO_MEMORY, "out of memory");
    free(flat);
    size_t count = motion_names(model_name, name);
    for (size_t i = 0; status == SN_OK && i < count; ++i) {
        snTargets t = {0};
        snError error = {0};
        char ignored[128] = "";
        if (sample(model_name, model, name[i], 0, &t, ignored, &error) != SN_OK) continue;
        const double *q = t.q + (size_t)sn_targets_peak(&t) * (size_t)l->ncoordinate;
        double most = 0;
        for (int32_t k = 0; k < l->ncoordinate; ++k) most = fmax(most, fabs(q[k]));
        if (most > 0.05 && !*ignored) status = add(cli, l, name[i], 0, q);
        sn_targets_free(&t);
    }
    return status;
}

snStatus clinic_poses_motion(snCli *cli, const char *model_name, const snModel *model, const char *motion, double rate,
                             snPoseList *l)
{
    snTargets t = {0};
    snError error = {0};
    char ignored[128];
    l->ncoordinate = sn_count(model, SN_ITEM_COORDINATE);
    snStatus status = cli_fail_file(cli, sample(model_name, model, motion, rate, &t, ignored, &error), &error, motion);
    const char *slash = strrchr(motion, '/');
    char name[CLINIC_NAME];
    (void)snprintf(name, sizeof name, "%s", slash ? slash + 1 : motion);
    name[strcspn(name, ".")] = '\0';
    strncat(name, " in motion", sizeof name - strlen(name) - 1);
    for (int32_t i = 0; status == SN_OK && i < t.nframe; ++i)
        status = add(cli, l, name, t.time[i], t.q + (size_t)i * (size_t)l->ncoordinate);
    sn_targets_free(&t);
    return status;
}

snStatus clinic_motions_shipped(snCli *cli, const char *model_name, const snModel *model, double rate, snPoseList *l)
{
    snStatus status = SN_OK;
    for (int32_t i = 1, n = l->count; status == SN_OK && i < n; ++i) { /* behind "flat", which is no motion */
        char name[CLINIC_NAME];
        memcpy(name, l->text[i], sizeof name); /* the list moves as it grows */
        status = clinic_poses_motion(cli, model_name, model, name, rate, l);
    }
    return status;
}

snStatus clinic_poses_into(snCli *cli, snPoseList *l, snClinicDef *def)
{
    free((void *)l->name);
    l->name = calloc((size_t)l->count + 1, sizeof *l->name);
    if (!l->name) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    for (int32_t i = 0; i < l->count; ++i) l->name[i] = l->text[i];
    def->npose = l->count, def->pose_name = l->name, def->pose = l->q, def->pose_time = l->time;
    return SN_OK;
}

void clinic_poses_free(snPoseList *l)
{
    free(l->text);
    free((void *)l->name);
    free(l->q);
    free(l->time);
    *l = (snPoseList){0};
}
