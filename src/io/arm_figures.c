/* Published moment arms from a tab-separated table. */
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "io/file.h"
#include "io/own/files.h"
#include "io/scan.h"
#include "sinew/io.h"

#include <math.h>
#include <string.h>

enum {
    COLUMN_MUSCLE,
    COLUMN_JOINT,
    COLUMN_MOTION,
    COLUMN_MEAN,
    COLUMN_LO,
    COLUMN_HI,
    COLUMN_GRADE,
    COLUMN_POSE, /* the only one that may be missing */
    COLUMNS,
    MAX_FIELDS = 64
};
static const char *const column_name[COLUMNS] = {"muscle", "joint", "motion", "mean", "lo", "hi", "grade", "pose"};

typedef struct Reader {
    snScan scan;
    int field[COLUMNS]; /* which field of a line each column is, -1 */
    SN_ARRAY(snArmFigure) figures;
} Reader;

static int read_fields(Reader *r, snWord *field)
{
    int count = 0;
    bool more = true;
    while (count < MAX_FIELDS && more && sn_scan_field(&r->scan, '\t', &field[count], &more)) ++count;
    return count;
}

static snStatus read_header(Reader *r)
{
    snWord field[MAX_FIELDS];
    int count = read_fields(r, field);
    for (int c = 0; c < COLUMNS; ++c) {
        r->field[c] = -1;
        for (int i = 0; i < count; ++i)
            if (sn_word_is(field[i], column_name[c])) r->field[c] = i;
        if (r->field[c] < 0 && c != COLUMN_POSE)
            return sn_scan_fail(&r->scan, "the column \"%s\" is missing", column_name[c]);
    }
    return SN_OK;
}

/* Published as one value in the neutral pose, or as the mean over the range. */
static snStatus read_pose(Reader *r, const snWord *field, snArmFigure *f)
{
    if (r->field[COLUMN_POSE] < 0) return SN_OK;
    snWord pose = field[r->field[COLUMN_POSE]];
    f->neutral = sn_word_is(pose, "neutral");
    return f->neutral || sn_word_is(pose, "range") ? SN_OK
                                                   : sn_scan_fail(&r->scan, "pose is neither neutral nor range");
}

static snStatus read_row(Reader *r)
{
    snWord field[MAX_FIELDS];
    snArmFigure f = {.line = r->scan.line};
    int count = read_fields(r, field);
    for (int c = 0; c < COLUMNS; ++c)
        if (r->field[c] >= count) return sn_scan_fail(&r->scan, "the column \"%s\" has no value here", column_name[c]);
    sn_word_text(field[r->field[COLUMN_MUSCLE]], f.muscle, sizeof f.muscle);
    sn_word_text(field[r->field[COLUMN_JOINT]], f.joint, sizeof f.joint);
    sn_word_text(field[r->field[COLUMN_MOTION]], f.motion, sizeof f.motion);
    double *const number[] = {&f.mean, &f.lo, &f.hi};
    for (int i = 0; i < 3; ++i) {
        snWord word = field[r->field[COLUMN_MEAN + i]];
        if (!sn_word_number(word, number[i]) || !isfinite(*number[i]) || fabs(*number[i]) > 1)
            return sn_scan_fail(&r->scan, "%s is not a length in m", column_name[COLUMN_MEAN + i]);
    }
    if (!(f.lo <= f.hi)) return sn_scan_fail(&r->scan, "lo is above hi");
    snWord grade = field[r->field[COLUMN_GRADE]];
    f.grade = grade.size == 1 ? grade.at[0] : '?';
    snStatus status = read_pose(r, field, &f);
    if (status != SN_OK) return status;
    return sn_array_push(&r->figures, f) ? SN_OK : sn_fail_no_memory(r->scan.error);
}

static bool is_text(const snScan *scan)
{
    return scan->line_at < scan->line_end && *scan->line_at != '#';
}

static snStatus read_lines(Reader *r)
{
    bool header = false;
    snStatus status = SN_OK;
    while (status == SN_OK && sn_scan_line(&r->scan)) {
        if (!is_text(&r->scan)) continue;
        status = header ? read_row(r) : read_header(r);
        header = true;
    }
    if (status == SN_OK && !r->figures.count) status = sn_scan_fail(&r->scan, "the table has no rows");
    return status;
}

snStatus sn_load_arm_figures(const char *path, snArmFigure **figure, int32_t *count, snError *error)
{
    char *data;
    size_t size;
    snError scratch;
    Reader r = {0};
    snStatus status = sn_file_read_text(path, true, &data, &size, error);
    if (status != SN_OK) return status;
    r.scan = sn_scan_begin(path, data, size, error ? error : &scratch);
    status = read_lines(&r);
    sn_free(data);
    if (status != SN_OK) {
        sn_free(r.figures.at);
        return status;
    }
    *figure = r.figures.at;
    *count = r.figures.count;
    return SN_OK;
}
