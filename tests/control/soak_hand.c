/* Random motions of the hand by the thousand, one line each, for a night: `make soak`.
 *
 *   soak_hand FILE [COUNT]
 *
 * The motions are those of long_robust_many.c, numbered from 1: kind, size and seed follow from the number. FILE gets a
 * line for each as it is done; a run that was ended, however, goes on behind the last whole line. It ends with 1 where
 * any line, also of an earlier run, tells of a divergence, a strand on the wrong side or a bone that is far away.
 *
 * Whether muscles could make a motion takes longer to find out than following it, so it is asked only where the bones
 * were more than FOLLOWED away: then it decides whether that is a failure. */
#define _GNU_SOURCE
#include "robust_case.h"

#include <stdio.h>
#include <unistd.h>

static const double BOUND = 0.3; /* m: of a vertex, in motions that cannot be made */
static const char heading[] =
    "motion\tkind\tfingertips\tscale\tfeasible\tstatus\tmean_mm\tworst_mm\tworst_s\tactivation\twrong_sides\tculprit\n";

typedef enum Feasible { NOT_ASKED, FEASIBLE_NO, FEASIBLE_YES, FEASIBLES } Feasible;
static const char *const feasible_name[FEASIBLES] = {"-", "no", "yes"};

typedef struct Tally {
    long done, diverged, wrong, far, followed;
    double mean, worst;
} Tally;

/* Of nine motions one goes beyond the ranges. Of the others one in four is as drawn, over the whole range of every
 * coordinate, and the rest have smaller angles. */
static Case choose(long i)
{
    static const double scale[4] = {1, 0.4, 0.6, 0.8};
    Case c = {.kind = (MotionKind)(i % 9 / 2), .coupled = i % 2, .scale = 1, .seed = (uint64_t)i, .seconds = 1};
    if (c.kind != MOTION_BEYOND) c.scale = scale[i % 4];
    return c;
}

static Feasible judge(const snModel *m, const Case *c, const Outcome *o)
{
    if (o->mean <= FOLLOWED) return NOT_ASKED;
    return c->kind != MOTION_BEYOND && is_feasible(m, c) ? FEASIBLE_YES : FEASIBLE_NO;
}

static void write_line(FILE *file, long i, const Case *c, Feasible feasible, const Outcome *o)
{
    (void)fprintf(file, "%ld\t%s\t%s\t%.1f\t%s\t%s\t%.4f\t%.3f\t%.3f\t%.4f\t%d\t%s%s\n", i, motion_name[c->kind],
                  c->coupled ? "coupled" : "free", c->scale, feasible_name[feasible],
                  o->status == SN_OK ? "followed" : "diverged", 1e3 * o->mean, 1e3 * o->worst, o->worst_time,
                  o->activation, (int)o->wrong_sides, o->culprit, o->wrong_side);
    (void)fflush(file);
    (void)fsync(fileno(file));
}

/* Adds a line to the sums; false for one that is none. */
static bool read_line(const char *line, long *motion, Tally *t)
{
    char kind[16], tips[16], status[16], feasible[16];
    double scale, mean, worst;
    int wrong;
    if (sscanf(line, "%ld %15s %15s %lf %15s %15s %lf %lf %*f %*f %d", motion, kind, tips, &scale, feasible, status,
               &mean, &worst, &wrong) != 9)
        return false;
    ++t->done;
    t->diverged += strcmp(status, "diverged") == 0;
    t->wrong += wrong > 0;
    bool followed = mean <= 1e3 * FOLLOWED;
    t->followed += followed;
    t->far += worst > 1e3 * BOUND || (!followed && strcmp(feasible, "yes") == 0);
    if (followed) t->mean = fmax(t->mean, mean);
    t->worst = fmax(t->worst, worst);
    return true;
}

/* What is there already; the file is cut behind its last whole line. Returns the last motion in it. */
static long read_earlier(FILE *file, Tally *t)
{
    char *line = NULL;
    size_t room = 0;
    long whole = 0, last = 0, motion;
    ssize_t n;
    while ((n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n') {
        if (read_line(line, &motion, t)) last = motion;
        whole = ftell(file);
    }
    free(line);
    if (ftruncate(fileno(file), whole) != 0 || fseek(file, whole, SEEK_SET) != 0) abort();
    if (whole == 0) (void)fputs(heading, file);
    return last;
}

int main(int argc, char **argv)
{
    Tally t = {0};
    if (argc < 2) {
        (void)fprintf(stderr, "soak_hand FILE [COUNT]\n");
        return 2;
    }
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : 2000, ignored;
    FILE *file = fopen(argv[1], "a+");
    if (!file) {
        perror(argv[1]);
        return 2;
    }
    rewind(file);
    long last = read_earlier(file, &t);
    snModel *m = shipped_hand();
    char *line = NULL;
    for (long i = last + 1; i <= count; ++i) {
        Case c = choose(i);
        Outcome o = follow_case(m, &c);
        Feasible feasible = judge(m, &c, &o);
        write_line(file, i, &c, feasible, &o);
        if (o.status != SN_OK || o.wrong_sides) print_outcome(&c, &o);
        size_t size = 0;
        FILE *memory = open_memstream(&line, &size);
        write_line(memory, i, &c, feasible, &o);
        (void)fclose(memory);
        (void)read_line(line, &ignored, &t);
        (void)fputs(line, stdout);
        (void)fflush(stdout);
        free(line);
    }
    sn_model_destroy(m);
    (void)fclose(file);
    printf("%ld motions, %ld of them followed (largest mean error of those %.3f mm), worst of all %.1f mm\n"
           "%ld diverged, %ld with a strand on the wrong side, %ld too far away\n",
           t.done, t.followed, t.mean, t.worst, t.diverged, t.wrong, t.far);
    return t.diverged || t.wrong || t.far ? 1 : 0;
}
