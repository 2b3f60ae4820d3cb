/* What the clinical commands share: the case from options and files, the patient, the motion, the pose. */
#ifndef SN_CLI_CLINIC_H
#define SN_CLI_CLINIC_H

#include "cli.h"

typedef struct snClinic {
    snCli *cli;
    snSpec *spec;
    snModel *model;
    snCase *changes;    /* NULL before clinic_open; may be empty */
    snPatient *patient; /* with the case */
    snPatient *healthy; /* loads, posture and coupling, nothing else; made by clinic_healthy */
    snTargets targets;
    double gravity[3];
    char motion[4096]; /* path */
    int32_t gaps;      /* its empty cells, filled in */
} snClinic;

/* The rows of an option table that make a case. */
/* Holding again and again while muscles tire. */
#define CLINIC_ENDURE_OPTIONS                                                                                          \
    {"fatigue", SN_OPTION_FLAG, "", "hold the pose again and again until the tired muscles lose it", 0, 0},            \
        {"work", SN_OPTION_NUMBER, "S", "with --fatigue: seconds of holding (2)", 0.1, 3600},                          \
        {"rest", SN_OPTION_NUMBER, "S", "with --fatigue: seconds of rest after each (4)", 0, 3600},                    \
    {                                                                                                                  \
        "repeat", SN_OPTION_COUNT, "N", "with --fatigue: how often (60)", 1, 10000                                     \
    }

#define CLINIC_OPTIONS                                                                                                 \
    {"strength", SN_OPTION_PAIR, "UNIT=LEVEL", "weaken a muscle, 0 to 1; may be repeated", 0, 1}, CLINIC_MORE_OPTIONS
#define CLINIC_MORE_OPTIONS                                                                                            \
    {"case", SN_OPTION_TEXT, "FILE", "apply a *.case.xml; the other options are added to it", 0, 0},                   \
        {"passive", SN_OPTION_PAIR, "UNIT=LEVEL", "scale its passive force, 0 to 10: above 1 a contracture", 0, 10},   \
        {"cost", SN_OPTION_PAIR, "UNIT=LEVEL", "multiply the cost of its effort, as if it were tired", 0.01, 1e6},     \
        {"cut", SN_OPTION_TEXT, "UNIT", "cut its tendon", 0, 0},                                                       \
        {"nerve", SN_OPTION_TEXT, "LESION[=LEVEL]", "a nerve lesion: ulnar-low, ...; LEVEL: strength left (0)", 0, 0}, \
        {"fuse", SN_OPTION_TEXT, "JOINT[=DEG]", "fuse a joint at an angle (0)", 0, 0},                                 \
        {"load",                                                                                                       \
         SN_OPTION_TEXT,                                                                                               \
         "BODY=X,Y,Z",                                                                                                 \
         "a force in N, in the axes of the drawn pose; on body: BODY=2kg or BODY=0:0kg/1:2kg",                         \
         0,                                                                                                            \
         0},                                                                                                           \
        {"transfer",                                                                                                   \
         SN_OPTION_TEXT,                                                                                               \
         "DONOR:RECIPIENT[=LENGTH]",                                                                                   \
         "transfer a tendon; LENGTH: of its fibres over the optimal one as drawn, 0.5 to 1.5",                         \
         0,                                                                                                            \
         0},                                                                                                           \
        {"couple", SN_OPTION_CHOICE, "soft|hard|none", "how FDP and ED of the fingers act together (soft)", 0, 0},     \
        {"posture", SN_OPTION_CHOICE, "hanging|palm-down|palm-up|thumb-up", "where gravity pulls (hanging)", 0, 0},    \
    {                                                                                                                  \
        "save-case", SN_OPTION_TEXT, "FILE", "keep the case as a *.case.xml", 0, 0                                     \
    }

/* Loads and checks the model, reads the case, makes the patient. Free with clinic_close also when this fails. */
snStatus clinic_open(snCli *cli, snClinic *c);
void clinic_close(snClinic *c);
/* Gravity of a posture of the forearm, as --posture names them; false: there is no such posture. */
bool clinic_gravity(const char *posture, double gravity[3]);
/* The motion by name or path, sampled; rate 0: its keys. */
snStatus clinic_motion(snClinic *c, const char *name, double rate);
snStatus clinic_healthy(snClinic *c);
/* Frame that --at asks for, or the one farthest from rest. */
snStatus clinic_frame(snClinic *c, int32_t *frame);
const double *clinic_pose(const snClinic *c, int32_t frame);
/* Names what the case is, and that this is no medical device. */
/* Names the coordinates whose target lay beyond their range. */
void clinic_say_clamped(snClinic *c, const bool *clamped);
/* An angle in words: "38 deg bent", "5 deg overextended". name: of the coordinate. */
void clinic_describe(const char *name, double degrees, char text[80]);
/* "index finger MCP" of "index finger MCP flexion"; the name where there is no label. */
void clinic_joint(const snSpec *spec, const char *name, char text[80]);
/* The options above. */
snEndureDef clinic_endure(const snCli *cli);
void clinic_say_case(snClinic *c);
extern const char clinic_notice[];

#endif
