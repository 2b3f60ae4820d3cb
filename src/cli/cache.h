/* Results that depend on a model alone, from the cache. */
#ifndef SN_CLI_CACHE_H
#define SN_CLI_CACHE_H

#include "cli.h"

/* Puts the settled rest state of the model into the def, from the cache or made now. What it returns is to be freed
 * with sn_kept_free after the last state of this def is made; NULL is fine. */
void *cli_settle(snCli *cli, const snSpec *spec, const snModel *model, snSimDef *def);
/* sn_create_model_skin, with what binding it found from the cache. */
snStatus cli_create_skin(snCli *cli, const snSpec *spec, const snModelSkinDef *def, snSkin **skin, snError *error);

#endif
