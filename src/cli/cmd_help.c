#include "cli/cli.h"
#include "cli/verbs.h"

static const struct fore_option options[] = {
    {"man", 0, NULL, "print the man page (troff) instead"},
    {NULL, 0, NULL, NULL},
};

static int run_help(struct fore_cli *c, struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    const struct fore_verb *v = NULL;
    int status = FORE_EXIT_OK;
    if (c->words.v.n) {
        v = fore_verb_named(c->words.v.at[0]);
        if (!v) {
            fore_verb_unknown(c->words.v.at[0], e);
            return FORE_EXIT_ERROR;
        }
    }
    if (fore_params_has(&c->params, "man"))
        fore_help_man(v, &out);
    else if (v)
        fore_help_verb(v, &out);
    else
        fore_help_all(&out);
    if (fore_cli_write(c, &out, e) != FORE_OK)
        status = FORE_EXIT_ERROR;
    fore_strbuf_release(&out);
    return status;
}

const struct fore_verb fore_verb_help = {
    .name = "help",
    .summary = "explains a verb",
    .usage = "[VERB]",
    .examples = "foresee help check",
    .options = options,
    .ends_at_once = true,
    .run = run_help,
};
