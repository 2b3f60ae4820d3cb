/* The struts of a whole sheet as constraints of their own. */
#include "model/struts.h"
#include "author/autostrands.h"
#include "base/error.h"
#include "model/check.h"
#include "sinew/author.h"

#include <stdio.h>

static snStatus check_group(const snSpec *spec, snId group, snError *error)
{
    char name[SN_NAME_MAX + 1];
    if (group < 1 || group > sn_spec_count(spec, SN_KIND_GROUP))
        return sn_fail(error, SN_BAD_INPUT, "there is no group %d", (int)group);
    const snGroupDef *def = sn_spec_group(spec, group);
    for (const char *at = def->strands; sn_next_name(&at, name);) {
        if (sn_strand_is_sound(spec, sn_spec_find(spec, SN_KIND_STRAND, name))) continue;
        sn_fail(error, SN_BAD_INPUT, "strand \"%s\" is missing or has no valid curve", name);
        sn_error_element(error, "MuscleGroup", def->name);
        sn_error_remedy(error, "sinew check says what is wrong with it");
        return SN_BAD_INPUT;
    }
    return SN_OK;
}

static void name_strut(char *name, size_t size, const snGroupDef *group, const snStrutPlace *place)
{
    snprintf(name, size, "%.100s.strut%d.%d", group->name, (int)place->pair + 1, (int)place->index + 1);
}

static snStatus check_names(const snSpec *spec, const snGroupDef *group, const snStrutPlace *place, int32_t n,
                            snError *error)
{
    for (int32_t i = 0; i < n; ++i) {
        char name[140];
        name_strut(name, sizeof name, group, &place[i]);
        if (!sn_spec_find(spec, SN_KIND_CONSTRAINT, name)) continue;
        sn_fail(error, SN_BAD_INPUT, "there is a constraint \"%s\" already", name);
        sn_error_element(error, "MuscleGroup", group->name);
        sn_error_remedy(error, "remove the struts that are there");
        return SN_BAD_INPUT;
    }
    return SN_OK;
}

static snStatus add_strut(snSpec *spec, snId group, const snStrutPlace *place, snStrutMode mode)
{
    char name[140];
    const snGroupDef *g = sn_spec_group(spec, group);
    snConstraintDef def = sn_default_constraint_def();
    name_strut(name, sizeof name, g, place);
    def.name = name, def.type = SN_CONSTRAINT_STRUT, def.mode = mode, def.kp = g->kp, def.kd = g->kd;
    def.strand = sn_spec_strand(spec, place->strand)->name, def.attachment = sn_spec_strand(spec, place->other)->name;
    def.position = place->position;
    return sn_add_constraint(spec, &def, NULL);
}

snStatus sn_add_struts(snSpec *spec, snId group, int32_t count, snStrutMode mode, snError *error)
{
    if (!sn_spec_group(spec, group)) return sn_fail_argument(error, "sn_add_struts without a group of the model");
    snArena memory = {0};
    snStrutPlace *place = NULL;
    int32_t n = 0;
    snStatus status = check_group(spec, group, error);
    if (status != SN_OK) return status;
    if (!sn_place_struts(spec, sn_spec_group(spec, group), count, &memory, &place, &n))
        status = sn_fail_no_memory(error);
    if (status == SN_OK) status = check_names(spec, sn_spec_group(spec, group), place, n, error);
    for (int32_t i = 0; i < n && status == SN_OK; ++i)
        if (add_strut(spec, group, &place[i], mode) != SN_OK) status = sn_fail_no_memory(error);
    sn_arena_free(&memory);
    return status;
}
