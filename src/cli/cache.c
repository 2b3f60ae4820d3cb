/* What depends only on the model is taken from the user's cache folder, and put there by the first run. */
#include "cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t h, const void *bytes, size_t size)
{
    const unsigned char *c = bytes;
    for (size_t i = 0; i < size; ++i) h = (h ^ c[i]) * 0x100000001b3ull; /* FNV-1a */
    return h;
}

static uint64_t model_key(snCli *cli, const snSpec *spec)
{
    return cli_given(cli, "no-cache") ? 0 : sn_hash_model(spec, NULL);
}

void *cli_settle(snCli *cli, const snSpec *spec, const snModel *model, snSimDef *def)
{
    uint64_t key = def->skip_settle ? 0 : model_key(cli, spec);
    if (!key) return NULL;
    double step = def->step > 0 ? def->step : sn_model_step(model);
    int64_t how[] = {def->solver, def->contact_rounds, def->refine};
    key = mix(mix(mix(key, &step, sizeof step), how, sizeof how), &def->gravity_scale, sizeof def->gravity_scale);
    void *bytes = sn_kept_read("settled", key, &def->settled_size);
    if (!bytes) {
        snState *state = NULL;
        if (sn_state_create(model, def, &state, NULL) != SN_OK) return NULL; /* the run itself says what is wrong */
        def->settled_size = sn_state_save(model, state, NULL);
        void *made = malloc(def->settled_size);
        if (made) {
            (void)sn_state_save(model, state, made);
            sn_kept_write("settled", key, made, def->settled_size);
        }
        sn_state_destroy(state);
        free(made);
        bytes = sn_kept_read("settled", key, &def->settled_size);
    }
    def->settled = bytes;
    return bytes;
}

snStatus cli_create_skin(snCli *cli, const snSpec *spec, const snModelSkinDef *def, snSkin **skin, snError *error)
{
    snModelSkinDef d = *def;
    bool own = d.weight || d.influence || d.base_given; /* given from outside: not of the model alone */
    uint64_t key = own ? 0 : model_key(cli, spec);
    if (key) {
        double shape[] = {d.height, d.lateral, d.depth};
        for (int i = 0; i < 3; ++i)
            if (isnan(shape[i])) shape[i] = -1; /* the model's; one bit pattern */
        key = mix(mix(key, shape, sizeof shape), d.mesh ? d.mesh : "", d.mesh ? strlen(d.mesh) : 0);
        d.bound = sn_kept_read("skin", key, &d.bound_size);
    }
    snStatus status = sn_create_model_skin(spec, &d, skin, error);
    sn_kept_free((void *)d.bound);
    size_t size = 0;
    const void *bound = status == SN_OK && key ? sn_skin_bound(*skin, &size) : NULL;
    if (bound) sn_kept_write("skin", key, bound, size);
    return status;
}
