#include "cli/cli.h"
#include "cli/verbs.h"

static int run(struct fore_cli *c, struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    int status = FORE_EXIT_ERROR;
    const char *shell = c->words.v.n ? c->words.v.at[0] : "";
    if (fore_help_completion(shell, &out, e) == FORE_OK &&
        fore_cli_write(c, &out, e) == FORE_OK)
        status = FORE_EXIT_OK;
    fore_strbuf_release(&out);
    return status;
}

const struct fore_verb fore_verb_completion = {
    .name = "completion",
    .summary = "prints the completion script of a shell",
    .usage = "bash|zsh|fish",
    .words = "bash zsh fish",
    .examples = "source <(foresee completion bash)",
    .run = run,
};
