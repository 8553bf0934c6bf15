#include "cli/cli.h"
#include "cli/verbs.h"

#include "actor/find.h"

#include <string.h>

/* Writes words that are known only at run time: ids of the last findings, systems to explore. */
static void write_words(const char *kind, struct fore_strbuf *out)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_findings f;
    struct fore_err unheard;
    size_t n = 0;
    fore_findings_init(&f);
    if (strcmp(kind, "systems") == 0) {
        const char **names = fore_system_list(&a, &n);
        for (size_t i = 0; i < n; i++)
            fore_strbuf_printf(out, "%s\n", names[i]);
    } else if (fore_store_load(&f, &unheard) == FORE_OK) {
        for (size_t i = 0; i < f.list.n; i++) {
            char id[17];
            fore_finding_id_text(f.list.at[i]->id, id);
            fore_strbuf_printf(out, "%.8s\n", id);
        }
    }
    fore_findings_release(&f);
    fore_arena_release(&a);
}

static int run_completion(struct fore_cli *c, struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    int status = FORE_EXIT_ERROR;
    const char *shell = c->words.v.n ? c->words.v.at[0] : "";
    if (strcmp(shell, "words") == 0 && c->words.v.n > 1) {
        write_words(c->words.v.at[1], &out);
        status = fore_cli_write(c, &out, e) == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
    } else if (fore_help_completion(shell, &out, e) == FORE_OK &&
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
    .ends_at_once = true,
    .run = run_completion,
};
