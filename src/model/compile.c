/* From a checked spec to the immutable model. */
#include "model/compile.h"

#include "base/alloc.h"
#include "base/error.h"
#include "model/model.h"
#include "model/spec_internal.h"

#include <stdio.h>
#include <string.h>

void *sn_compile_alloc(snCompiler *c, int64_t count, size_t size)
{
    void *block = sn_arena_alloc(&c->m->memory, (size_t)count, size);
    if (!block) sn_fail_no_memory(c->error);
    return block;
}

const char *sn_compile_text(snCompiler *c, const char *text)
{
    char *copy = sn_arena_strdup(&c->m->memory, text);
    if (!copy) sn_fail_no_memory(c->error);
    return copy;
}

/* The first error of the checker, with a hint at the others. */
static snStatus refuse_problems(const snSpec *spec, snError *error)
{
    if (sn_spec_is_sound(spec)) return SN_OK;
    snProblems problems;
    snStatus status = sn_check(spec, &problems);
    if (status == SN_OK) {
        sn_problems_free(&problems);
        return SN_OK;
    }
    if (status == SN_NO_MEMORY) return sn_fail_no_memory(error);
    for (int32_t i = problems.count - 1; i >= 0 && error; --i)
        if (problems.problem[i].status != SN_OK) *error = problems.problem[i];
    if (error && problems.nerror > 1 && !error->remedy[0])
        snprintf(error->remedy, sizeof error->remedy, "sinew check lists all %d errors", problems.nerror);
    sn_problems_free(&problems);
    return status;
}

/* Each finds by index what came before it: joints name bodies; strands take via points on bodies, muscles and
 * constraints name strands; cords and knots are strands of their own kind over constraints that are known by then; the
 * pattern of the linear system needs all of them. */
static snStatus compile_all(snCompiler *c)
{
    snStatus status = sn_compile_bodies(c);
    if (status == SN_OK) status = sn_compile_joints(c);
    if (status == SN_OK) status = sn_compile_strands(c);
    if (status == SN_OK) status = sn_compile_muscles(c);
    if (status == SN_OK) status = sn_compile_constraints(c);
    if (status == SN_OK) status = sn_compile_cords(c);
    if (status == SN_OK) status = sn_compile_knots(c);
    if (status == SN_OK && sn_spec_model(c->spec)->type == SN_MODEL_TREE) {
        status = sn_compile_tree(c);
        if (status == SN_OK) status = sn_compile_paths(c);
    }
    if (status == SN_OK) status = sn_compile_pattern(c);
    return status;
}

snStatus sn_compile(const snSpec *spec, snModel **model, snError *error)
{
    if (!spec || !model) return sn_fail_argument(error, "the spec or the place for the model is NULL");
    snError own;
    if (!error) error = &own;
    snStatus status = refuse_problems(spec, error);
    if (status != SN_OK) return status;
    snModel *m = SN_NEW(snModel);
    if (!m) return sn_fail_no_memory(error);
    const snModelDef *def = sn_spec_model(spec);
    m->gravity = sn_spec_gravity(spec);
    m->step = def->step;
    m->settle = def->settle;
    m->compliance = def->compliance;
    m->ahead = def->ahead;
    m->fixed_axis = v3_load(def->fixed_axis);
    snCompiler c = {.spec = spec, .m = m, .error = error};
    m->fixed = sn_compile_text(&c, def->fixed);
    status = m->fixed ? compile_all(&c) : SN_NO_MEMORY;
    if (status != SN_OK) {
        sn_model_destroy(m);
        return status;
    }
    *model = m;
    return SN_OK;
}

void sn_model_destroy(snModel *m)
{
    if (!m) return;
    snNameMap *map[] = {&m->body_map, &m->joint_map, &m->coord_map, &m->strand_map, &m->muscle_map, &m->constraint_map};
    for (size_t i = 0; i < sizeof map / sizeof *map; ++i) sn_map_free(map[i]);
    sn_arena_free(&m->memory);
    sn_free(m);
}

/* ---- what the model contains ---------------------------------------------------------------- */

int32_t sn_count(const snModel *m, snItem item)
{
    if (!m) return 0;
    switch (item) {
    case SN_ITEM_BODY:
        return m->nbody;
    case SN_ITEM_JOINT:
        return m->njoint;
    case SN_ITEM_COORDINATE:
        return m->ncoord;
    case SN_ITEM_STRAND:
        return m->nstrand;
    case SN_ITEM_POINT:
        return m->npoint;
    case SN_ITEM_MUSCLE:
        return m->nmuscle;
    case SN_ITEM_CONSTRAINT:
        return m->nconstraint;
    case SN_ITEM_GROUP:
        return m->nvolume;
    case SN_ITEM_LINE:
        return m->skeleton ? m->skeleton->path.npath : 0;
    }
    return 0;
}

static const char **names_of(const snModel *m, snItem item)
{
    switch (item) {
    case SN_ITEM_BODY:
        return m->body_name;
    case SN_ITEM_JOINT:
        return m->joint_name;
    case SN_ITEM_COORDINATE:
        return m->coord_name;
    case SN_ITEM_STRAND:
        return m->strand_name;
    case SN_ITEM_MUSCLE:
        return m->muscle_name;
    case SN_ITEM_CONSTRAINT:
        return m->constraint_name;
    case SN_ITEM_GROUP:
        return m->muscle_name;
    case SN_ITEM_LINE:
        return m->skeleton ? m->skeleton->path_name : NULL;
    case SN_ITEM_POINT:
        break;
    }
    return NULL;
}

const char *sn_name(const snModel *m, snItem item, int32_t index)
{
    if (!m) return NULL;
    const char **name = names_of(m, item);
    return name && index >= 0 && index < sn_count(m, item) ? name[index] : NULL;
}

/* Groups are the first muscles. */
static int32_t find_group(const snModel *m, const char *name)
{
    int32_t muscle = sn_map_get(&m->muscle_map, name);
    return muscle < m->nvolume ? muscle : -1;
}

const char *sn_coordinate_title(const snModel *m, int32_t coordinate)
{
    if (!m) return NULL;
    if (coordinate < 0 || coordinate >= m->ncoord) return NULL;
    return m->skeleton ? m->coord_name[coordinate] : m->coord_title[coordinate]; /* on a tree, names are words */
}

bool sn_coordinate_slides(const snModel *m, int32_t coordinate)
{
    int32_t j = 0;
    if (!m || coordinate < 0 || coordinate >= m->ncoord) return false;
    if (m->skeleton) return m->skeleton->tree.slides[coordinate];
    while (coordinate >= m->joint_coordadr[j + 1]) ++j;
    return !sn_joint_dof_is_angle(m->joint[j].kind, coordinate - m->joint_coordadr[j]);
}

static int32_t find_line(const snModel *m, const char *name)
{
    for (int32_t i = 0; m->skeleton && i < m->skeleton->path.npath; ++i)
        if (strcmp(m->skeleton->path_name[i], name) == 0) return i;
    return -1;
}

bool sn_model_holds(const snModel *m, const char *column)
{
    size_t joint = strcspn(column, ".");
    for (const char *at = m->fixed ? m->fixed : ""; *at;) {
        at += strspn(at, " ");
        size_t n = strcspn(at, " ");
        if (n && n == joint && strncmp(at, column, n) == 0) return true;
        at += n;
    }
    return false;
}

int32_t sn_find(const snModel *m, snItem item, const char *name)
{
    if (!m || !name) return -1;
    switch (item) {
    case SN_ITEM_BODY:
        return sn_map_get(&m->body_map, name);
    case SN_ITEM_JOINT:
        return sn_map_get(&m->joint_map, name);
    case SN_ITEM_COORDINATE:
        return sn_map_get(&m->coord_map, name);
    case SN_ITEM_STRAND:
        return sn_map_get(&m->strand_map, name);
    case SN_ITEM_MUSCLE:
        return sn_map_get(&m->muscle_map, name);
    case SN_ITEM_CONSTRAINT:
        return sn_map_get(&m->constraint_map, name);
    case SN_ITEM_GROUP:
        return find_group(m, name);
    case SN_ITEM_LINE:
        return find_line(m, name);
    case SN_ITEM_POINT:
        break;
    }
    return -1;
}

static bool is_strand(const snModel *m, int32_t strand)
{
    return m && strand >= 0 && strand < m->nstrand;
}

int32_t sn_strand_first_point(const snModel *m, int32_t strand)
{
    return is_strand(m, strand) ? m->strand_pointadr[strand] : 0;
}
int32_t sn_strand_point_count(const snModel *m, int32_t strand)
{
    return is_strand(m, strand) ? m->strand[strand].n : 0;
}
int32_t sn_strand_muscle(const snModel *m, int32_t strand)
{
    return is_strand(m, strand) ? m->strand_muscle[strand] : -1;
}
static bool is_line(const snModel *m, int32_t line)
{
    return m && m->skeleton && line >= 0 && line < m->skeleton->path.npath;
}

int32_t sn_line_point_count(const snModel *m, int32_t line)
{
    return is_line(m, line) ? sn_path_drawn_count(&m->skeleton->path, line) : 0;
}
int32_t sn_line_muscle(const snModel *m, int32_t line)
{
    return is_line(m, line) ? m->skeleton->path_unit[line] : -1;
}
const char *sn_line_part(const snModel *m, int32_t line)
{
    return is_line(m, line) ? m->skeleton->path_part[line] : "";
}
double sn_line_radius(const snModel *m, int32_t line)
{
    return is_line(m, line) ? m->skeleton->path_radius[line] : 0;
}
double sn_model_step(const snModel *m)
{
    return m ? m->step : 0;
}
