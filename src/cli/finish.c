#include "cli/cli.h"

#include "base/path.h"
#include "cli/frames.h"
#include "cli/ignore.h"
#include "cli/live.h"
#include "cli/verbs.h"

#include "causal/settle.h"
#include "trace/format.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool fore_cli_names_notes(const struct fore_cli *c)
{
    const char *only = fore_params_text(&c->params, "only", NULL);
    for (const struct fore_rule *r = fore_rules; r->name; r++)
        if (only && r->level == FORE_LEVEL_NOTE && fore_list_has(only, r->name))
            return true;
    return false;
}

/* Were notes asked for, by name or all of them? */
static bool wants_notes(const struct fore_cli *c)
{
    return fore_cli_names_notes(c) || fore_params_has(&c->params, "notes") ||
           fore_params_has(&c->params, "all");
}

struct fore_analysis_ctx fore_cli_context(struct fore_cli *c, struct fore_findings *f)
{
    return (struct fore_analysis_ctx){
        .out = f,
        .params = &c->params,
        .budget = &c->budget,
        .progress = &c->progress,
        .seed = c->seed,
        .jobs = c->jobs,
        .possible = fore_params_has(&c->params, "possible"),
        .notes = wants_notes(c),
        .brief = c->brief && !wants_notes(c),
        .unsaved = c->verb == &fore_verb_check && fore_params_has(&c->params, "no-save"),
        .on_finding = fore_cli_react,
        .watcher = c,
    };
}

static bool any_rule_wanted(const char *rules, const char *only)
{
    if (!only)
        return true;
    for (const struct fore_rule *r = fore_rules; r->name; r++)
        if (fore_list_has(rules, r->name) && fore_list_has(only, r->name))
            return true;
    return false;
}

static enum fore_status no_rule(const char *word, struct fore_err *e)
{
    struct fore_strbuf all = FORE_STRBUF_INIT;
    const char *names[32];
    size_t n = 0;
    for (; fore_rules[n].name; n++) {
        names[n] = fore_rules[n].name;
        fore_strbuf_printf(&all, "%s%s", n ? ", " : "", names[n]);
    }
    const char *near = fore_nearest(word, names, n);
    enum fore_status s = fore_fail(
        e, FORE_USAGE, "--only: there is no rule '%s'; %s %s%s", word,
        near ? "did you mean" : "there are", near ? near : all.at, near ? "?" : "");
    fore_strbuf_release(&all);
    return s;
}

static enum fore_status check_only(const struct fore_cli *c, struct fore_err *e)
{
    const char *only = fore_params_text(&c->params, "only", NULL);
    char word[64];
    while (only && *only) {
        size_t n = strcspn(only, ",");
        snprintf(word, sizeof word, "%.*s", (int)(n < 63 ? n : 63), only);
        if (!fore_rule_named(word))
            return no_rule(word, e);
        only += n + (only[n] == ',');
    }
    return FORE_OK;
}

enum fore_status fore_cli_accepts(const struct fore_cli *c, struct fore_err *e)
{
    FORE_TRY(check_only(c, e));
    for (size_t i = 0; c->verb->with_analyses && fore_analyses[i]; i++)
        if (fore_analyses[i]->accepts)
            FORE_TRY(fore_analyses[i]->accepts(&c->params, e));
    return FORE_OK;
}

bool fore_cli_wants(const struct fore_cli *c, const struct fore_analysis *a)
{
    return any_rule_wanted(a->rules, fore_params_text(&c->params, "only", NULL));
}

/* Drops findings that are only about a library's own objects, because the user cannot act on
 * them. */
static void drop_hidden(struct fore_findings *f, size_t from)
{
    size_t kept = from;
    for (size_t i = from; i < f->list.n; i++) {
        struct fore_finding *x = f->list.at[i];
        if (!fore_finding_hidden(x))
            f->list.at[kept++] = x;
        else
            fore_finding_release(x);
    }
    f->list.n = kept;
}

static bool brief_is_enough(struct fore_cli *c, const struct fore_trace *t)
{
    struct fore_analysis_ctx ctx = fore_cli_context(c, NULL);
    for (size_t i = 0; fore_analyses[i]; i++) {
        const struct fore_analysis *a = fore_analyses[i];
        if (a->run && fore_cli_wants(c, a) &&
            (!a->applies || a->applies(t, &c->params)) &&
            !(a->brief && a->brief(t, &ctx)))
            return false;
    }
    return true;
}

/* If there is no time left, nothing more is read. */
static bool is_enough(struct fore_cli *c, const struct fore_trace *t)
{
    return !t->brief || fore_budget_spent_now(&c->budget) || brief_is_enough(c, t);
}

/* The bytes that an event of a long trace takes, with everything that the analyses make of it. */
enum { BYTES_PER_EVENT = 96 };

void fore_cli_shorten_paths(struct fore_trace *t)
{
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here))
        return;
    for (size_t i = 1; i < t->tables.wheres.n; i++) {
        struct fore_where *w = &t->tables.wheres.at[i];
        const char *file = fore_path_below(fore_tables_text(&t->tables, w->file), here);
        if (file)
            w->file = fore_tables_string(&t->tables, file, strlen(file));
    }
}

enum fore_status fore_cli_load(struct fore_cli *c, const char *path, struct fore_trace *t,
                               struct fore_err *e)
{
    t->most = c->budget.max_bytes / BYTES_PER_EVENT;
    t->budget = &c->budget;
    FORE_TRY(fore_trace_load_brief(path, t, e));
    bool enough = is_enough(c, t);
    if (!enough && t->thin && t->thin->wanted) {
        FORE_TRY(fore_trace_load_ending(path, t, t->thin->wanted, e));
        enough = is_enough(c, t);
    }
    if (!enough)
        FORE_TRY(fore_trace_load_again(path, t, e));
    fore_cli_shorten_paths(t);
    return FORE_OK;
}

enum fore_status fore_cli_load_whole(const struct fore_cli *c, const char *path,
                                     struct fore_trace *t, struct fore_err *e)
{
    t->most = c->budget.max_bytes / BYTES_PER_EVENT;
    FORE_TRY(fore_trace_load(path, t, e));
    fore_cli_shorten_paths(t);
    if (t->cut)
        fore_cli_say(c, "%s: only the first %zu of %llu events are read (--max-mem)",
                     path, t->events.n, (unsigned long long)(t->events.n + t->cut));
    return FORE_OK;
}

static enum fore_status run_each(struct fore_cli *c, const struct fore_trace *t,
                                 struct fore_analysis_ctx *ctx, bool streamed,
                                 struct fore_err *e)
{
    struct fore_findings *f = ctx->out;
    size_t first = f->list.n;
    for (size_t i = 0; fore_analyses[i]; i++) {
        const struct fore_analysis *a = fore_analyses[i];
        if (fore_budget_spent_now(&c->budget))
            break;
        if (!a->run || (streamed && a->open) || !fore_cli_wants(c, a) ||
            (a->applies && !a->applies(t, &c->params)))
            continue;
        size_t before = f->list.n;
        fore_progress_start(&c->progress, c->progress_mode, a->name);
        enum fore_status s = a->run(t, ctx, e);
        fore_progress_finish(&c->progress);
        if (s == FORE_SPENT) {
            *e = (struct fore_err){0};
            break;
        }
        FORE_TRY(s);
        drop_hidden(f, before);
        for (size_t k = before; k < f->list.n; k++)
            if (!f->list.at[k]->trace[0])
                f->list.at[k]->trace = fore_arena_strdup(&f->arena, t->name);
    }
    fore_findings_observe(f, first, t);
    if (c->budget.spent)
        fore_findings_incomplete(f, "%s", fore_spent_text(c->budget.spent));
    return FORE_OK;
}

/* The order is established once, for every analysis. */
static enum fore_status run_analyses(struct fore_cli *c, struct fore_trace *t,
                                     struct fore_findings *f, bool streamed,
                                     struct fore_err *e)
{
    struct fore_analysis_ctx ctx = fore_cli_context(c, f);
    struct fore_run observed = {0};
    ctx.observed = &observed;
    fore_trace_settle(t);
    f->name_callers = fore_frames_name;
    f->unnamed = &t->tables;
    enum fore_status s = run_each(c, t, &ctx, streamed, e);
    f->unnamed = NULL;
    fore_run_release(&observed);
    return s;
}

enum fore_status fore_cli_analyse(struct fore_cli *c, struct fore_trace *t,
                                  struct fore_findings *f, struct fore_err *e)
{
    fore_findings_trace(f, t);
    if (t->cut && !c->budget.spent)
        fore_findings_incomplete(
            f, "memory: only the first %zu of %llu events were analysed (--max-mem)",
            t->events.n, (unsigned long long)(t->events.n + t->cut));
    return run_analyses(c, t, f, false, e);
}

enum fore_status fore_cli_analyse_rest(struct fore_cli *c, struct fore_trace *t,
                                       struct fore_findings *f, struct fore_err *e)
{
    return run_analyses(c, t, f, true, e);
}

enum fore_status fore_cli_beside(struct fore_cli *c, struct fore_err *e)
{
    const char *format = c->reporter->name;
    if (c->output || fore_params_has(&c->params, "output"))
        return FORE_OK;
    c->beside = true;
    if (!strcmp(format, "text") || !strcmp(format, "github"))
        return FORE_OK;
    return fore_fail(e, FORE_USAGE,
                     "standard output is the program's: --format %s needs -o FILE (-o - "
                     "writes to standard output all the same)",
                     format);
}

enum fore_status fore_cli_write(struct fore_cli *c, const struct fore_strbuf *text,
                                struct fore_err *e)
{
    FILE *to = c->output ? fopen(c->output, "we") : c->beside ? stderr : stdout;
    if (!to)
        return fore_fail(e, FORE_IO, "%s: %s", c->output, strerror(errno));
    size_t wrote = fwrite(text->at, 1, text->n, to);
    int failed = wrote != text->n || fflush(to) != 0;
    int why = errno;
    if (c->output && fclose(to) != 0)
        failed = 1;
    /* A reader that has seen enough (head, less) is not an error. */
    if (failed && why != EPIPE)
        return fore_fail(e, FORE_IO, "%s: %s", c->output ? c->output : "standard output",
                         strerror(why));
    return FORE_OK;
}

enum fore_status fore_cli_write_lines(struct fore_cli *c, const struct fore_strbuf *text,
                                      struct fore_err *e)
{
    struct fore_strbuf lines = FORE_STRBUF_INIT;
    fore_strbuf_lines(&lines, text->at, text->n);
    enum fore_status s = fore_cli_write(c, &lines, e);
    fore_strbuf_release(&lines);
    return s;
}

void fore_cli_say(const struct fore_cli *c, const char *fmt, ...)
{
    va_list ap;
    if (c->quiet)
        return;
    va_start(ap, fmt);
    fputs("foresee: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}

/* Drops findings of rules that were not asked for. */
static void keep_wanted(struct fore_cli *c, struct fore_findings *f)
{
    const char *only = fore_params_text(&c->params, "only", NULL);
    size_t kept = 0;
    for (size_t i = 0; i < f->list.n; i++) {
        struct fore_finding *x = f->list.at[i];
        if (!only || fore_list_has(only, x->rule->name))
            f->list.at[kept++] = x;
        else
            fore_finding_release(x);
    }
    f->list.n = kept;
}

/* The possible finding, its place and its reason for a single line; --possible shows all of it. */
static const char *brief_reason(struct fore_findings *f, const struct fore_finding *x)
{
    const char *where = x->places.n ? x->places.at[0].location : "";
    return x->doubt && *x->doubt
               ? fore_findings_printf(f, "%s%s%s: %s", x->rule->name,
                                      *where ? " at " : "", where, x->doubt)
               : x->rule->name;
}

/* Counts errors and warnings that are only possible, with a reason, unless they were asked for.
 * Notes that have a run are facts about the recorded operations, possible or not. */
static void withhold_possible(struct fore_cli *c, struct fore_findings *f)
{
    size_t kept = 0;
    if (fore_params_has(&c->params, "possible"))
        return;
    for (size_t i = 0; i < f->list.n; i++) {
        struct fore_finding *x = f->list.at[i];
        bool fact = x->level == FORE_LEVEL_NOTE && x->witness.n;
        if (x->verdict != FORE_VERDICT_POSSIBLE || fact) {
            f->list.at[kept++] = x;
            continue;
        }
        if (x->level > FORE_LEVEL_NOTE && !f->withheld++)
            f->withheld_why = brief_reason(f, x);
        fore_finding_release(x);
    }
    f->list.n = kept;
}

static int exit_status(struct fore_cli *c, const struct fore_findings *f)
{
    if (c->budget.interrupted && *c->budget.interrupted)
        return FORE_EXIT_SIGNAL + *c->budget.interrupted;
    for (size_t i = 0; i < f->list.n; i++)
        if (!f->list.at[i]->suppressed &&
            f->list.at[i]->verdict != FORE_VERDICT_POSSIBLE &&
            (unsigned)f->list.at[i]->level >= c->fail_on)
            return FORE_EXIT_FINDINGS;
    if (!f->completeness.exhausted && !f->completeness.sampled &&
        !fore_params_has(&c->params, "allow-incomplete"))
        return FORE_EXIT_INCOMPLETE;
    return FORE_EXIT_OK;
}

int fore_cli_finish(struct fore_cli *c, struct fore_findings *f, struct fore_err *e)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    struct fore_err unsaved = {0};
    struct fore_baseline known;
    fore_progress_finish(&c->progress);
    if (fore_ignore_apply(f, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    keep_wanted(c, f);
    fore_findings_seal(f);
    enum fore_status s = fore_cli_baseline(c, &known, e);
    fore_baseline_apply(&known, f);
    fore_baseline_release(&known);
    if (s != FORE_OK)
        return FORE_EXIT_ERROR;
    if (fore_params_has(&c->params, "no-source"))
        fore_excerpts_release(&f->excerpts);
    else
        fore_findings_read_excerpts(f);
    if (!fore_params_has(&c->params, "no-save") &&
        fore_store_save(f, &unsaved) != FORE_OK)
        fore_cli_say(c, "the findings were not saved: %s", unsaved.msg);
    withhold_possible(c, f);
    c->reporter->write(f, &c->report, &out);
    s = fore_cli_write(c, &out, e);
    fore_strbuf_release(&out);
    return s == FORE_OK ? exit_status(c, f) : FORE_EXIT_ERROR;
}
