#include "cli/cli.h"
#include "cli/verbs.h"

#include "base/jsonw.h"
#include "finding/diff.h"
#include "report/html.h"
#include "trace/format.h"

#include <string.h>

static const struct fore_option options[] = {
    {"html", 0, NULL, "write a page that shows both runs (with -o)"},
    {NULL, 0, NULL, NULL},
};

enum { MOST_ROWS = 40 };

static void write_text(struct fore_cli *c, const struct fore_diff *d,
                       const struct fore_trace runs[2], struct fore_strbuf *out)
{
    size_t shown = 0, same = 0;
    fore_strbuf_printf(
        out,
        "first   %s: %llu events\nsecond  %s: %llu events\n"
        "threads %zu in both, %zu only in the first, %zu only in the second\n"
        "shared  %llu events, from the start of each thread\n",
        runs[0].name, (unsigned long long)d->events[0], runs[1].name,
        (unsigned long long)d->events[1], d->both, d->only[0], d->only[1],
        (unsigned long long)d->shared);
    for (size_t i = 0; i < d->threads.n; i++) {
        const struct fore_diff_thread *t = &d->threads.at[i];
        same += !fore_diff_parts(t);
        if (!fore_diff_parts(t) || (shown >= MOST_ROWS && !c->report.all))
            continue;
        fore_strbuf_printf(out, "\nthread %s%s%s (%s) parts after %llu event%s\n",
                           t->label, t->name[0] ? " " : "", t->name, t->path,
                           (unsigned long long)t->shared, t->shared == 1 ? "" : "s");
        for (int k = 0; k < 2; k++)
            fore_strbuf_printf(out, "  %s  %s%s%s\n", k ? "second" : "first ",
                               t->next[k][0] ? t->next[k] : "(nothing more)",
                               t->location[k][0] ? " " : "", t->location[k]);
        shown++;
    }
    if (d->threads.n > same + shown)
        fore_strbuf_printf(out, "\n%zu more threads part (--all)\n",
                           d->threads.n - same - shown);
    if (same == d->threads.n)
        fore_strbuf_puts(out, "\nevery thread did the same in both runs\n");
}

static void write_json(const struct fore_diff *d, struct fore_strbuf *out)
{
    struct fore_jsonw w;
    fore_jsonw_init(&w, out);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_text(&w, "schema", "foresee.diff/1");
    fore_jsonw_u64(&w, "shared", d->shared);
    fore_jsonw_open(&w, "threads", '[');
    for (size_t i = 0; i < d->threads.n; i++) {
        const struct fore_diff_thread *t = &d->threads.at[i];
        static const char *const sides[] = {"first", "second"};
        fore_jsonw_open(&w, NULL, '{');
        fore_jsonw_text(&w, "path", t->path);
        fore_jsonw_text(&w, "thread", t->label);
        fore_jsonw_text(&w, "name", t->name);
        fore_jsonw_u64(&w, "shared", t->shared);
        for (int k = 0; k < 2; k++) {
            fore_jsonw_open(&w, sides[k], '{');
            fore_jsonw_u64(&w, "events", t->events[k]);
            fore_jsonw_text(&w, "next", t->next[k]);
            fore_jsonw_text(&w, "location", t->location[k]);
            fore_jsonw_close(&w, '}');
        }
        fore_jsonw_close(&w, '}');
    }
    fore_jsonw_close(&w, ']');
    fore_jsonw_close(&w, '}');
    fore_strbuf_putc(out, '\n');
}

static enum fore_status write_page(const struct fore_diff *d,
                                   const struct fore_trace runs[2],
                                   struct fore_strbuf *out, struct fore_err *e)
{
    struct fore_findings none;
    struct fore_strbuf json = FORE_STRBUF_INIT;
    const struct fore_trace *both[2] = {&runs[0], &runs[1]};
    fore_findings_init(&none);
    fore_findings_trace(&none, &runs[0]);
    fore_findings_trace(&none, &runs[1]);
    write_json(d, &json);
    enum fore_status s = fore_report_html(&none, both, 2, json.at, out, e);
    fore_strbuf_release(&json);
    fore_findings_release(&none);
    return s;
}

static bool differ(const struct fore_diff *d)
{
    for (size_t i = 0; i < d->threads.n; i++)
        if (fore_diff_parts(&d->threads.at[i]))
            return true;
    return false;
}

static int run_diff(struct fore_cli *c, struct fore_err *e)
{
    struct fore_trace runs[2];
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_diff d = {0};
    struct fore_strbuf out = FORE_STRBUF_INIT;
    if (c->words.v.n != 2) {
        fore_fail(e, FORE_USAGE, "diff needs two traces: foresee diff a.trace b.trace");
        return FORE_EXIT_ERROR;
    }
    enum fore_status s = FORE_OK;
    for (int k = 0; k < 2; k++) {
        fore_trace_init(&runs[k], c->words.v.at[k]);
        if (s == FORE_OK)
            s = fore_cli_load_whole(c, runs[k].name, &runs[k], e);
    }
    bool page = fore_params_has(&c->params, "html");
    bool json = strcmp(c->reporter->name, "json") == 0;
    if (s == FORE_OK) {
        fore_diff_compute(&d, &a, &runs[0], &runs[1]);
        if (page)
            s = write_page(&d, runs, &out, e);
        else if (json)
            write_json(&d, &out);
        else
            write_text(c, &d, runs, &out);
    }
    if (s == FORE_OK)
        s = page || json ? fore_cli_write(c, &out, e) : fore_cli_write_lines(c, &out, e);
    int status = s != FORE_OK ? FORE_EXIT_ERROR
                 : differ(&d) ? FORE_EXIT_FINDINGS
                              : FORE_EXIT_OK;
    fore_diff_release(&d);
    fore_arena_release(&a);
    fore_strbuf_release(&out);
    fore_trace_release(&runs[0]);
    fore_trace_release(&runs[1]);
    return status;
}

const struct fore_verb fore_verb_diff = {
    .name = "diff",
    .summary = "compares two runs of a program: what they share, and where they part",
    .usage = "A B [--html -o d.html]",
    .details = "Matches threads by how they were created, and compares them event by "
               "event. Exits with\n"
               "0 if every thread did the same, 1 if not.",
    .examples =
        "foresee diff good.fst bad.fst\nforesee diff good.fst bad.fst --html -o d.html",
    .options = options,
    .finds = true,
    .ends_at_once = true,
    .run = run_diff,
};
