/* skin_sections.tsv gives the sections by segment, skin_chains.tsv says which segments make one solid. */
#include "author/skin_table.h"

#include "author/table.h"
#include "base/error.h"

#include <string.h>

void sn_skin_tables_free(snSkinTables *tables)
{
    sn_arena_free(&tables->arena);
    *tables = (snSkinTables){0};
}

static int32_t body_number(snSkinTables *t, const char *name)
{
    for (int32_t i = 0; i < t->nbody; ++i)
        if (strcmp(t->body[i], name) == 0) return i;
    t->body[t->nbody] = sn_arena_strdup(&t->arena, name);
    return t->body[t->nbody] ? t->nbody++ : -1;
}

static bool read_section(snSkinTables *t, snFigures *f, int32_t row, snSkinSection *s)
{
    s->center = sn_figures_v3(f, row, "center");
    s->ex = v3_unit(sn_figures_v3(f, row, "ex")), s->ez = sn_figures_v3(f, row, "ez");
    s->ez = v3_unit(v3_mad(s->ez, -v3_dot(s->ez, s->ex), s->ex)); /* the printed axes are rounded */
    s->breadth = sn_figures_number(f, row, "breadth"), s->depth = sn_figures_number(f, row, "depth");
    s->exponent = sn_figures_number(f, row, "exponent"), s->arch = sn_figures_number(f, row, "arch");
    s->edge = sn_figures_has(f, row, "edge") ? sn_figures_number(f, row, "edge") : 1;
    s->body = body_number(t, sn_figures_text(f, row, "body"));
    return s->body >= 0;
}

/* Whether the word is one of those in a list separated by blanks. */
static bool listed(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; n && (at = strstr(at, word)) != NULL; at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) return true;
    return false;
}

static void read_nail(snSkinTables *t, snFigures *chains, int32_t row, int32_t chain, int32_t section)
{
    t->nail[t->nnail++] = (snSkinNail){chain, section, sn_figures_number(chains, row, "nail_length"),
                                       sn_figures_number(chains, row, "nail_width")};
}

static bool read_chain(snSkinTables *t, snFigures *sections, snFigures *chains, int32_t row)
{
    int32_t index = t->nchain++;
    snSkinChain *c = t->chain + index;
    const char *list = sn_figures_text(chains, row, "segments"), *start = sn_figures_text(chains, row, "start");
    bool nail = sn_figures_has(chains, row, "nail"), found = false;
    *c = (snSkinChain){.name = sn_arena_strdup(&t->arena, sn_figures_text(chains, row, "chain")),
                       .section = t->section + t->nsection,
                       .start_cap = sn_figures_number(chains, row, "start_cap"),
                       .end_cap = sn_figures_number(chains, row, "end_cap"),
                       .flat_start = strcmp(start, "flat") == 0,
                       .fillet = sn_figures_number(chains, row, "fillet"),
                       .group = (int32_t)sn_figures_number(chains, row, "group"),
                       .edge = sn_figures_number(chains, row, "edge")};
    if (!c->name) return false;
    for (int32_t i = 0; i < sections->nrow; ++i) {
        if (!listed(sn_figures_text(sections, i, "segment"), list)) continue;
        if (t->nsection >= sections->nrow) {
            sn_figures_complain(chains, row, "its segments belong to another chain already");
            return true;
        }
        if (nail && strcmp(sn_figures_text(sections, i, "station"), sn_figures_text(chains, row, "nail")) == 0)
            read_nail(t, chains, row, index, c->nsection), nail = false, found = true;
        if (!read_section(t, sections, i, t->section + t->nsection++)) return false;
        ++c->nsection;
    }
    if (c->nsection < 2) sn_figures_complain(chains, row, "fewer than two sections have the segments \"%s\"", list);
    if (nail && !found)
        sn_figures_complain(chains, row, "no section is called \"%s\"", sn_figures_text(chains, row, "nail"));
    if (!c->flat_start && strcmp(start, "round") != 0)
        sn_figures_complain(chains, row, "start is flat or round, not \"%s\"", start);
    return true;
}

static bool read_all(snSkinTables *t, snFigures *sections, snFigures *chains)
{
    size_t nsection = (size_t)sections->nrow + 1, nchain = (size_t)chains->nrow + 1;
    t->section = sn_arena_alloc(&t->arena, nsection, sizeof *t->section);
    t->body = sn_arena_alloc(&t->arena, nsection, sizeof *t->body);
    t->chain = sn_arena_alloc(&t->arena, nchain, sizeof *t->chain);
    t->nail = sn_arena_alloc(&t->arena, nchain, sizeof *t->nail);
    if (!t->section || !t->body || !t->chain || !t->nail) return false;
    for (int32_t row = 0; row < chains->nrow; ++row)
        if (!read_chain(t, sections, chains, row)) return false;
    return true;
}

snStatus sn_skin_tables_load(snSkinTables *tables, const char *folder, snError *error)
{
    snFigures sections = {0}, chains = {0};
    *tables = (snSkinTables){0};
    bool memory = true;
    if (sn_figures_load(&sections, folder, "skin_sections.tsv") == SN_OK &&
        sn_figures_load(&chains, folder, "skin_chains.tsv") == SN_OK)
        memory = read_all(tables, &sections, &chains);
    snError *found = sections.error.status != SN_OK ? &sections.error : &chains.error;
    snStatus status = !memory ? SN_NO_MEMORY : found->status;
    if (status != SN_OK && error) {
        if (memory)
            *error = *found;
        else
            sn_fail_no_memory(error);
    }
    sn_figures_free(&sections);
    sn_figures_free(&chains);
    return status;
}
