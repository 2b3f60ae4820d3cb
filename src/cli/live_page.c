#include "live_page.h"

enum { MOST_COORDINATES = 29 }; /* of a clinical model: what one message holds */

static snStatus add_clinic(snCli *cli, const char *model_name, const snModel *model, snLivePage *page, snStudioDef *def)
{
    snStatus status = clinic_poses_shipped(cli, model_name, model, &page->poses);
    if (status == SN_OK) status = clinic_motions_shipped(cli, model_name, model, CLINIC_RATE, &page->poses);
    page->clinic = sn_default_clinic_def();
    page->clinic.model = model;
    if (status == SN_OK) status = clinic_poses_into(cli, &page->poses, &page->clinic);
    def->clinic = &page->clinic;
    return status;
}

snStatus cli_live_page(snCli *cli, const char *model_name, const snSpec *spec, const snModel *model, snLivePage *page,
                       snStudioDef *def)
{
    page->clinical = sn_spec_model(spec)->type == SN_MODEL_TREE && sn_count(model, SN_ITEM_LINE) > 0 &&
                     sn_count(model, SN_ITEM_COORDINATE) <= MOST_COORDINATES;
    if (page->clinical) return add_clinic(cli, model_name, model, page, def);
    snStatus status = cli_load_postures(cli, model_name, model, &page->postures);
    def->live = true;
    def->nposture = page->postures.count, def->posture_name = page->postures.name;
    def->posture = page->postures.value;
    return status;
}

void cli_live_page_free(snLivePage *page)
{
    clinic_poses_free(&page->poses);
    cli_free_postures(&page->postures);
    *page = (snLivePage){0};
}
