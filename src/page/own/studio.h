/* The studio's page: a model and its replay as one HTML file that needs no server, and the data that the page reads
 * (docs/studio.md describes it). The server behind `sinew studio` is no part of the library. */
#ifndef SN_PAGE_OWN_STUDIO_H
#define SN_PAGE_OWN_STUDIO_H

#include "sinew/clinical.h"
#include "sinew/meshfree.h"
#include "sinew/motion.h"
#include "sinew/spec.h"

/* The skin to show. Bones are indices into the spec's bodies, from zero; weights of a vertex sum to one. */
typedef struct snStudioSkin {
    int32_t nvertex, ntriangle;
    const double *vertex;    /* 3 each, m, world, in the pose as drawn */
    const int32_t *triangle; /* 3 each, counter-clockwise seen from outside */
    const int32_t *bone;     /* 4 per vertex; negative: unused */
    const double *weight;    /* 4 per vertex */
    double color[3];
    /* Writes the vertices (3 each, world) at a frame of the replay; NULL: the linear blend of the bones. What differs
     * from that blend is stored sparsely and interpolated between every `stride`-th frame. */
    snStatus (*frame)(void *user, int32_t frame, double *vertex);
    void *user;
    int32_t stride; /* 0: chosen so that the file stays small */
} snStudioSkin;

/* The clinical page of a model on a tree: poses to choose from, and cases that are answered for each of them when the
 * page is written. A page with a server needs no cases: it asks. */
typedef struct snClinicDef {
    size_t size;          /* of this struct: set by its default function */
    const snModel *model; /* compiled from the spec */
    int32_t npose, ncase;
    const char *const *pose_name;
    const double *pose;      /* npose x coordinates, rad or m */
    const double *pose_time; /* s; poses of one name are frames of a motion. NULL: none is */
    const char *const *case_name;
    const snCase *const *cases;
    const char *posture;       /* name of the gravity below, for the page */
    double gravity[3];         /* world, m/s^2 */
    const snEndureDef *endure; /* the poses held again and again, for a page without a server; NULL: not looked at */
} snClinicDef;
static inline snClinicDef sn_default_clinic_def(void)
{
    SN_DEF(snClinicDef, def);
    def.posture = "hanging";
    def.gravity[1] = -9.81;
    return def;
}

typedef struct snStudioDef {
    size_t size; /* of this struct: set by its default function */
    const snSpec *spec;
    const char *name;          /* of the model; empty: from the replay */
    const char *title;         /* of the motion, may be empty */
    const snTrack *replay;     /* may be NULL: the pose as drawn */
    const snTrack *target;     /* the input motion, shown as a wireframe; may be NULL */
    const snStudioSkin *skin;  /* may be NULL */
    snLibrary *library;        /* soft muscles, which the page blends itself; may be NULL; stays the caller's */
    const snClinicDef *clinic; /* may be NULL: no clinical page */
    bool live;                 /* the page asks for a simulation: of its server, or of the solver in it */
    int32_t nposture;          /* offered as buttons in the live mode */
    const char *const *posture_name;
    const double *posture; /* a value for each coordinate of the model, posture after posture, rad or m */
    bool solver;           /* sn_save_html: the page holds the simulation and the model, and asks no server (js/) */
} snStudioDef;

static inline snStudioDef sn_default_studio_def(void)
{
    SN_DEF(snStudioDef, def);
    def.name = "";
    def.title = "";
    return def;
}

/* One self-contained HTML file. Fails with SN_NO_FILE when the page has not been built or installed. */
snStatus sn_save_html(const snStudioDef *def, const char *path, snError *error);

/* The data alone. Free it with sn_studio_free. */
snStatus sn_pack_studio(const snStudioDef *def, void **bytes, size_t *size, snError *error);
/* The page without data, as the server hands it out. Free it with sn_studio_free. */
snStatus sn_load_page(char **html, size_t *size, snError *error);
static inline void sn_studio_free(void *bytes)
{
    sn_release(bytes);
}

/* What a page may ask beyond whether a pose can be held; NULL: nothing. */
typedef struct snClinicMore {
    const snEndureDef *endure;   /* how both limbs tire */
    const snExploreDef *explore; /* what would cost most in this pose, or give back most; needs what follows */
    const snSpec *spec;
    const snCase *base; /* the case to start from; NULL: healthy */
    const double *gravity;
} snClinicMore;
/* What a healthy limb and a case (NULL: none) say to a pose: JSON for the page, as docs/studio.md describes it.
 * nearest: also where the limb ends up that cannot hold it, who compensates, and more (may be NULL), which takes some
 * 25 ms instead of less than 1. id comes back in the answer. Both patients are of the model. Free it with
 * sn_studio_free. */
snStatus sn_clinic_answer(const snModel *model, snPatient *healthy, snPatient *changed, const double *q, bool nearest,
                          const snClinicMore *more, uint32_t id, char **json, size_t *size);
/* The patient of a case, and the healthy one that bears the same loads and coupling; *changed is NULL where c is, or
 * changes nothing else. */
snStatus sn_clinic_patients(const snSpec *spec, const snModel *model, const snCase *c, const double gravity[3],
                            snPatient **healthy, snPatient **changed, snError *error);

/* Where the page was found: SINEW_PAGE (a file), the build tree beside the program or the library, or the installed
 * share folder. */
snStatus sn_find_page(char *path, size_t size, snError *error);

#endif
