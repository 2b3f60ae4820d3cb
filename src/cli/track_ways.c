/* Which options of sinew track mean something for which models: one that would be ignored is refused. */
#include "track_tree.h"

#include <string.h>

enum { STRANDS = 1 << CLI_TRACK_STRANDS, CLINICAL = 1 << CLI_TRACK_CLINICAL, BODY = 1 << CLI_TRACK_BODY };

/* Those that are not here belong to all three. */
static const struct {
    const char *option;
    int ways;
} known[] = {
    {"frames", STRANDS},
    {"converge", STRANDS},
    {"keep-input-motion", STRANDS},
    {"weights", STRANDS},
    {"cost-by-volume", STRANDS},
    {"activation-dynamics", STRANDS},
    {"loads", STRANDS},
    {"start", STRANDS | BODY},
    {"end", STRANDS | BODY},
    {"method", CLINICAL | BODY},
    {"control-rate", CLINICAL | BODY},
    {"fatigue", CLINICAL},
    {"repeat", CLINICAL},
    {"rest", CLINICAL},
    {"case", CLINICAL},
    {"passive", CLINICAL},
    {"cost", CLINICAL},
    {"cut", CLINICAL},
    {"nerve", CLINICAL},
    {"fuse", CLINICAL},
    {"transfer", CLINICAL},
    {"couple", CLINICAL},
    {"posture", CLINICAL},
    {"save-case", CLINICAL},
    {"coactivation", BODY},
    {"breathing", BODY},
    {"sensor", BODY},
    {"inverse", BODY},
    {"relax", BODY},
    {"activation", BODY},
    {"function", BODY},
    {"activations", BODY},
};

static const char *const means[] = {"a model of strands", "--method torque, step or paper", "--method body"};
static const char *const such_as[] = {"hand", "hand-clinical", "body"};

snTrackWay cli_track_way(snCli *cli)
{
    char path[4096];
    snSpec *spec = NULL;
    snTrackWay way = CLI_TRACK_STRANDS;
    if (sn_find_model(cli->argument[0], path, sizeof path, NULL) == SN_OK &&
        sn_load_muscle_alone(path, &spec, NULL) == SN_OK && sn_spec_model(spec)->type == SN_MODEL_TREE) {
        const char *word = sn_spec_model(spec)->method == SN_METHOD_BODY ? "body" : "torque";
        way = strcmp(cli_option_text(cli, "method", word), "body") == 0 ? CLI_TRACK_BODY : CLI_TRACK_CLINICAL;
    }
    if (spec) sn_spec_destroy(spec);
    return way;
}

/* Says which method refuses an option and which one takes it. A model is on a tree or it is not: only there is there a
 * method to choose. */
snStatus cli_track_refuse(snCli *cli, snTrackWay way)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        const char *option = known[i].option, *model = cli->argument[0];
        if (known[i].ways & 1 << way || !cli_given(cli, option)) continue;
        int other = known[i].ways & CLINICAL ? CLI_TRACK_CLINICAL
                    : known[i].ways & BODY   ? CLI_TRACK_BODY
                                             : CLI_TRACK_STRANDS;
        if (way == CLI_TRACK_STRANDS)
            return cli_fail(cli, SN_USAGE, "--%s needs a model on a tree, and %s is not one; use a model such as %s",
                            option, model, such_as[other]);
        if (other == CLI_TRACK_STRANDS)
            return cli_fail(cli, SN_USAGE, "--%s needs a model of strands, and %s is on a tree; use a model such as %s",
                            option, model, such_as[other]);
        if (way == CLI_TRACK_BODY && !cli_given(cli, "method"))
            return cli_fail(cli, SN_USAGE,
                            "--%s does not work with --method body, which the model %s asks for; %s does it", option,
                            model, means[other]);
        return cli_fail(cli, SN_USAGE, "--%s does not work with --method %s; %s does it", option,
                        way == CLI_TRACK_BODY ? "body" : cli_option_text(cli, "method", "torque"), means[other]);
    }
    return SN_OK;
}
