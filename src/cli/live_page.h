/* What a page offers that simulates: a live model with postures to aim at, or, for a small model on a tree, clinical
 * questions with poses to choose from. The same for a page that is served and for one with the solver in it. */
#ifndef SN_CLI_LIVE_PAGE_H
#define SN_CLI_LIVE_PAGE_H

#include "clinic_page.h"
#include "postures.h"

/* Zeroed memory is an empty one. */
typedef struct snLivePage {
    bool clinical;
    snPoseList poses;
    snClinicDef clinic;
    snPostures postures;
} snLivePage;

/* Fills the def, which points into the page. */
snStatus cli_live_page(snCli *cli, const char *model_name, const snSpec *spec, const snModel *model, snLivePage *page,
                       snStudioDef *def);
void cli_live_page_free(snLivePage *page);

#endif
