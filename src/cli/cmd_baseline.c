#include "cli/cli.h"
#include "cli/verbs.h"

#include "base/file.h"
#include "base/path.h"
#include "finding/baseline.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_FILE "foresee.baseline"

/* The baseline of the current folder or of the nearest one above, up to the repository's root;
 * otherwise a new one here. */
static const char *baseline_file(struct fore_cli *c, char above[PATH_MAX])
{
    const char *given = fore_params_text(&c->params, "baseline", NULL);
    if (given)
        return given;
    return access(DEFAULT_FILE, F_OK) != 0 && fore_file_above(DEFAULT_FILE, above)
               ? above
               : DEFAULT_FILE;
}

enum fore_status fore_cli_baseline(struct fore_cli *c, struct fore_baseline *b,
                                   struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    char above[PATH_MAX];
    const char *file = baseline_file(c, above);
    *b = (struct fore_baseline){0};
    bool begins = c->words.v.n && strcmp(c->words.v.at[0], "add") == 0 &&
                  c->verb == &fore_verb_baseline;
    if ((begins || !fore_params_has(&c->params, "baseline")) && access(file, F_OK) != 0)
        return FORE_OK;
    enum fore_status s = fore_strbuf_read_file(&text, file, e);
    if (s == FORE_OK)
        s = fore_baseline_read(b, file, text.at, text.n, e);
    fore_strbuf_release(&text);
    return s;
}

/* The ids named on the command line, or every finding of the last analysis. */
static bool is_chosen(struct fore_cli *c, const struct fore_finding *x)
{
    char id[17];
    fore_finding_id_text(x->id, id);
    for (size_t i = 1; i < c->words.v.n; i++)
        if (fore_begins_with(id, c->words.v.at[i]))
            return true;
    return c->words.v.n == 1;
}

static enum fore_status append_lines(struct fore_cli *c, const struct fore_strbuf *text,
                                     struct fore_err *e)
{
    char above[PATH_MAX];
    const char *file = baseline_file(c, above);
    FILE *f = fopen(file, "ae");
    if (!f)
        return fore_fail(e, FORE_IO, "%s: %s", file, strerror(errno));
    int failed = fwrite(text->at, 1, text->n, f) != text->n;
    failed |= fclose(f) != 0;
    return failed ? fore_fail(e, FORE_IO, "%s: cannot be written", file) : FORE_OK;
}

static enum fore_status add_to_baseline(struct fore_cli *c, struct fore_baseline *b,
                                        struct fore_findings *f, struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    size_t added = 0;
    char above[PATH_MAX];
    for (size_t i = 1; i < c->words.v.n; i++)
        if (!fore_store_find(f, c->words.v.at[i], e))
            return e->status;
    for (size_t i = 0; i < f->list.n; i++)
        f->list.at[i]->suppressed = false;
    fore_baseline_apply(b, f);
    for (size_t i = 0; i < f->list.n; i++)
        if (!f->list.at[i]->suppressed && is_chosen(c, f->list.at[i])) {
            fore_baseline_line(f->list.at[i], &text);
            added++;
        }
    enum fore_status s = added ? append_lines(c, &text, e) : FORE_OK;
    if (s == FORE_OK)
        fore_cli_say(c, "%zu finding%s added to %s", added, added == 1 ? "" : "s",
                     baseline_file(c, above));
    fore_strbuf_release(&text);
    return s;
}

static enum fore_status list_baseline(struct fore_cli *c, struct fore_baseline *b,
                                      struct fore_findings *f, struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_baseline_apply(b, f);
    for (size_t i = 0; i < b->lines.n; i++)
        fore_strbuf_printf(&text, "%s%s\n", b->lines.at[i].text,
                           b->lines.at[i].used ? "" : "  (not in the last analysis)");
    enum fore_status s = fore_cli_write(c, &text, e);
    fore_strbuf_release(&text);
    return s;
}

/* Keeps comments and lines that still match a finding; replaces the file in one step. */
static enum fore_status prune_lines(struct fore_cli *c, struct fore_baseline *b,
                                    struct fore_findings *f, struct fore_err *e)
{
    struct fore_strbuf kept = FORE_STRBUF_INIT, text = FORE_STRBUF_INIT;
    char above[PATH_MAX];
    const char *file = baseline_file(c, above);
    size_t gone = 0;
    enum fore_status s = fore_strbuf_read_file(&text, file, e);
    if (s != FORE_OK) {
        fore_strbuf_release(&text);
        return s;
    }
    fore_baseline_apply(b, f);
    uint64_t number = 1;
    for (const char *line = text.at; *line; number++) {
        size_t n = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        bool drop = false;
        for (size_t i = 0; i < b->lines.n; i++)
            drop |= b->lines.at[i].number == number && !b->lines.at[i].used;
        gone += drop;
        if (!drop)
            fore_strbuf_add(&kept, line, n);
        line += n;
    }
    s = fore_file_replace(file, kept.at, kept.n, e);
    fore_strbuf_release(&kept);
    fore_strbuf_release(&text);
    FORE_TRY(s);
    fore_cli_say(c, "%zu line%s removed from %s", gone, gone == 1 ? "" : "s", file);
    return FORE_OK;
}

static int run_baseline(struct fore_cli *c, struct fore_err *e)
{
    static const struct {
        const char *name;
        enum fore_status (*act)(struct fore_cli *, struct fore_baseline *,
                                struct fore_findings *, struct fore_err *);
    } actions[] = {
        {"add", add_to_baseline}, {"list", list_baseline}, {"prune", prune_lines}};
    const char *what = c->words.v.n ? c->words.v.at[0] : "";
    struct fore_baseline b;
    struct fore_findings f;
    enum fore_status s = fore_fail(
        e, FORE_USAGE, "baseline needs add, list or prune: foresee baseline add");
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(actions[i].name, what) != 0)
            continue;
        fore_findings_init(&f);
        *e = (struct fore_err){0};
        s = fore_cli_baseline(c, &b, e);
        if (s == FORE_OK)
            s = fore_store_load(&f, e);
        if (s == FORE_OK)
            s = actions[i].act(c, &b, &f, e);
        fore_findings_release(&f);
        fore_baseline_release(&b);
    }
    return s == FORE_OK ? FORE_EXIT_OK : FORE_EXIT_ERROR;
}

const struct fore_verb fore_verb_baseline = {
    .name = "baseline",
    .summary = "accepts known findings, so that only new ones fail",
    .usage = "add [ID...] | list | prune",
    .words = "add list prune",
    .details = "The baseline is a text file (foresee.baseline) in your repository: one "
               "line per\n"
               "accepted finding, by its stable id, or rule=NAME location=PATTERN.",
    .examples =
        "foresee check run.trace; foresee baseline add    # accept what is there now\n"
        "foresee baseline prune                           # forget what is fixed",
    .finds = true,
    .ends_at_once = true,
    .run = run_baseline,
};
