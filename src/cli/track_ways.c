/* Which options of sinew track mean something for which models: one that would be ignored is refused. */
#include "track_tree.h"

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

snStatus cli_track_refuse(snCli *cli, snTrackWay way)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        const char *option = known[i].option;
        if (known[i].ways & 1 << way || !cli_given(cli, option)) continue;
        if (way == CLI_TRACK_STRANDS)
            return cli_fail(cli, SN_USAGE, "--%s needs a model on a tree, and %s is not one; use a model such as %s",
                            option, cli->argument[0], known[i].ways & CLINICAL ? "hand-clinical" : "body");
        if (way == CLI_TRACK_BODY) return cli_fail(cli, SN_USAGE, "--%s cannot be combined with --method body", option);
        if (known[i].ways == BODY) return cli_fail(cli, SN_USAGE, "--%s needs --method body", option);
        if (known[i].ways == STRANDS) return cli_fail(cli, SN_USAGE, "--%s does not work on a model on a tree", option);
        return cli_fail(cli, SN_USAGE, "--%s does not work on a model on a tree, other than with --method body",
                        option);
    }
    return SN_OK;
}
