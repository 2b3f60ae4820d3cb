/* sinew signs: textbook signs, each asked of the model. */
#include "clinic.h"
#include "signs.h"

#include <stdlib.h>
#include <string.h>

static void tell(snCli *cli, const snSign *sign)
{
    snJson *json = &cli->json;
    bool fitted = strcmp(sign->text[SIGN_FITTED], "yes") == 0;
    cli_say(cli, "%-7s %8.1f %s %g %s  %s%s\n", sign->right ? "right" : "MISSED", sign->value,
            sign->text[SIGN_COMPARISON], sign->threshold, sign->text[SIGN_UNIT], sign->text[SIGN_NAME],
            fitted ? " (fitted)" : "");
    if (!sign->right) cli_say(cli, "          %s\n", sign->text[SIGN_REASON]);
    json_open(json, NULL, '{');
    json_string(json, "name", sign->text[SIGN_NAME]);
    json_string(json, "case", sign->text[SIGN_CASE]);
    json_string(json, "question", sign->text[SIGN_QUESTION]);
    json_string(json, "measure", sign->text[SIGN_MEASURE]);
    json_string(json, "against", sign->text[SIGN_AGAINST]);
    json_number(json, "value", sign->value);
    json_string(json, "comparison", sign->text[SIGN_COMPARISON]);
    json_number(json, "threshold", sign->threshold);
    json_string(json, "unit", sign->text[SIGN_UNIT]);
    json_boolean(json, "right", sign->right);
    json_boolean(json, "fitted", fitted);
    json_string(json, "source", sign->text[SIGN_SOURCE]);
    json_string(json, "reason", sign->right ? "" : sign->text[SIGN_REASON]);
    json_close(json, '}');
}

/* Letters that two names share from the beginning: enough to guess which one was meant. */
static size_t alike(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n]) ++n;
    return n;
}

static snStatus unknown(snCli *cli, const snSigns *s, const char *name)
{
    int32_t best = 0;
    for (int32_t i = 1; i < s->count; ++i)
        if (alike(s->sign[i].text[SIGN_NAME], name) > alike(s->sign[best].text[SIGN_NAME], name)) best = i;
    return cli_fail(cli, SN_BAD_INPUT, "%s has no sign with \"%s\" in its name; did you mean \"%s\"?", s->path, name,
                    s->sign[best].text[SIGN_NAME]);
}

static snStatus ask_all(snCli *cli, snSigns *s)
{
    const char *only = cli_option_text(cli, "sign", NULL);
    int32_t asked = 0, right = 0, fitted = 0;
    snStatus status = SN_OK;
    json_string(&cli->json, "model", cli->argument[0]);
    json_open(&cli->json, "signs", '[');
    for (int32_t i = 0; i < s->count && status == SN_OK; ++i) {
        snSign *sign = &s->sign[i];
        if (only && !strstr(sign->text[SIGN_NAME], only)) continue;
        status = signs_ask(s, sign);
        if (status != SN_OK) break;
        tell(cli, sign);
        ++asked, right += sign->right;
        fitted += sign->right && strcmp(sign->text[SIGN_FITTED], "yes") == 0;
    }
    json_close(&cli->json, ']');
    if (status != SN_OK) return status;
    if (asked == 0) return unknown(cli, s, only);
    cli_say(cli, "%d of %d right, %d of them fitted\n%s\n", right, asked, fitted, clinic_notice);
    json_integer(&cli->json, "asked", asked);
    json_integer(&cli->json, "right", right);
    json_integer(&cli->json, "right_fitted", fitted);
    json_string(&cli->json, "notice", clinic_notice);
    return status;
}

static snStatus ask_signs(snCli *cli)
{
    snSpec *spec = NULL;
    snModel *model = NULL;
    snSigns signs = {0};
    snStatus status = cli_compile_model(cli, cli->argument[0], &spec, &model);
    if (status == SN_OK) status = signs_open(cli, spec, model, &signs);
    if (status == SN_OK) status = ask_all(cli, &signs);
    signs_close(&signs);
    sn_model_destroy(model);
    sn_spec_destroy(spec);
    return status;
}

static const snOption options[] = {
    {"sign", SN_OPTION_TEXT, "TEXT", "only the signs with this in their name", 0, 0},
    {"table", SN_OPTION_TEXT, "FILE", "another table of signs (signs.tsv beside the model)", 0, 0},
    {NULL, SN_OPTION_FLAG, NULL, NULL, 0, 0},
};

const snCommand cmd_signs = {
    .name = "signs",
    .arguments = "MODEL",
    .about = "Ask the model for textbook signs and say which it shows",
    .details =
        "Each row of the table is a case, a question (how does it lie at rest, where does it get to, what can it "
        "hold), a\n"
        "number and a threshold from a textbook. To add a sign, add a row; docs/clinical.md explains the columns.\n"
        "Signs that the model was fitted to are marked; those that it misses are listed with the reason.\n"
        "This is not a medical device.",
    .example = "sinew signs hand-clinical --sign claw",
    .output = "...\n"
              "not a medical device: the model has not been compared with any patient",
    .least = 1,
    .most = 1,
    .options = options,
    .run = ask_signs,
};
