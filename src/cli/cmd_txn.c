#include "cli/cli.h"
#include "cli/verbs.h"

#include "analysis/txn/txn.h"
#include "report/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fore_option options[] = {
    {"level", 0, "L", "the level that was promised (default: serializable)"},
    {"init", 0, "V", "what registers hold at first (default: nil)"},
    {"total", 0, "N",
     "the sum of a bank's accounts (default: the sum that most reads have)"},
    {"negative-balances", 0, NULL, "let a bank's accounts be overdrawn"},
    {"graph", 0, "F", "draw the first cycle of transactions (F.svg or F.dot)"},
    {NULL, 0, NULL, NULL},
};

static enum fore_status take_total(const struct fore_params *p, int64_t *total,
                                   const int64_t **out, struct fore_err *e)
{
    const char *text = fore_params_text(p, "total", NULL);
    char *end;
    *out = NULL;
    if (!text)
        return FORE_OK;
    errno = 0;
    *total = strtoll(text, &end, 10);
    if (errno || !*text || *end)
        return fore_fail(e, FORE_USAGE, "--total takes a whole number, not '%s'", text);
    *out = total;
    return FORE_OK;
}

static enum fore_status set_up(struct fore_cli *c, struct fore_isolation_options *o,
                               int64_t *total, struct fore_err *e)
{
    struct fore_strbuf names = FORE_STRBUF_INIT;
    unsigned level;
    if (!c->words.v.n)
        return fore_fail(e, FORE_USAGE,
                         "txn needs a history: foresee txn history.edn --level "
                         "snapshot-isolation");
    for (unsigned i = 0; fore_txn_levels[i].name; i++)
        fore_strbuf_printf(&names, "%s%s", i ? "|" : "", fore_txn_levels[i].name);
    enum fore_status st = fore_params_choice(&c->params, "level", names.at,
                                             FORE_TXN_SERIALIZABLE, &level, e);
    fore_strbuf_release(&names);
    FORE_TRY(st);
    FORE_TRY(take_total(&c->params, total, &o->total, e));
    const char *graph = fore_params_text(&c->params, "graph", NULL);
    const char *dot = graph ? strrchr(graph, '.') : NULL;
    if (graph && (!dot || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".dot") != 0)))
        return fore_fail(e, FORE_USAGE, "--graph takes a file F.svg or F.dot, not '%s'",
                         graph);
    o->level = (enum fore_txn_level)level;
    o->init = fore_params_text(&c->params, "init", NULL);
    o->may_be_negative = fore_params_has(&c->params, "negative-balances");
    o->budget = &c->budget;
    return FORE_OK;
}

static enum fore_status draw_first(const struct fore_cli *c,
                                   const struct fore_findings *f, struct fore_err *e)
{
    const char *path = fore_params_text(&c->params, "graph", NULL);
    const struct fore_graph *g = NULL;
    for (size_t i = 0; !g && i < f->list.n; i++)
        if (f->list.at[i]->graph.nodes.n)
            g = &f->list.at[i]->graph;
    if (!path)
        return FORE_OK;
    if (!g) {
        fore_cli_say(c, "--graph: there is no cycle to draw");
        return FORE_OK;
    }
    struct fore_strbuf b = FORE_STRBUF_INIT;
    if (strcmp(strrchr(path, '.'), ".svg") == 0)
        fore_export_svg(g, &b);
    else
        fore_export_dot(g, &b);
    FILE *to = fopen(path, "we");
    bool bad = !to || fwrite(b.at, 1, b.n, to) != b.n;
    bad = (to && fclose(to) != 0) || bad;
    fore_strbuf_release(&b);
    return bad ? fore_fail(e, FORE_IO, "%s: cannot write: %s", path, strerror(errno))
               : FORE_OK;
}

/* Statistics of one history, or of all and then of each. */
struct totals {
    struct fore_strbuf each;
    struct fore_jsonw w;
    int worst;
    const char *verdict;
    uint64_t transactions;
};

static void add_stats(struct totals *t, const struct fore_isolation *i, bool several)
{
    fore_jsonw_open(&t->w, NULL, '{');
    if (several)
        fore_jsonw_text(&t->w, "name", i->h.name);
    fore_isolation_stats(i, &t->w);
    fore_jsonw_close(&t->w, '}');
    t->transactions += i->h.list.n;
    if (fore_isolation_badness(i) >= t->worst) {
        t->worst = fore_isolation_badness(i);
        t->verdict = fore_isolation_verdict(i);
    }
}

static void end_stats(struct totals *t, struct fore_findings *f, bool several)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    if (several) {
        fore_jsonw_close(&t->w, ']');
        fore_jsonw_init(&w, &b);
        fore_jsonw_open(&w, NULL, '{');
        fore_jsonw_text(&w, "verdict", t->verdict);
        fore_jsonw_u64(&w, "transactions", t->transactions);
        fore_jsonw_raw(&w, "histories", t->each.at);
        fore_jsonw_close(&w, '}');
    }
    fore_findings_stats(f, "txn", several ? b.at : t->each.at);
    fore_strbuf_release(&b);
    fore_strbuf_release(&t->each);
}

static size_t check_all(struct fore_cli *c, const struct fore_isolation_options *o,
                        struct fore_findings *f, struct totals *t, struct fore_err *first)
{
    size_t good = 0, n = c->words.v.n;
    for (size_t k = 0; k < n; k++) {
        struct fore_isolation i;
        struct fore_err e = {0};
        char text[1200];
        if (fore_isolation_check(&i, c->words.v.at[k], o, &e) == FORE_OK) {
            fore_vec_push(&f->traces, (struct fore_trace_summary){
                                          fore_arena_strdup(&f->arena, i.h.name),
                                          i.h.events, i.h.processes.n, 0, false, NULL});
            fore_isolation_report(&i, f);
            add_stats(t, &i, n > 1);
            good++;
        } else if (first->status == FORE_OK) {
            *first = e;
        } else {
            fore_err_format(&e, text, sizeof text);
            fore_cli_say(c, "%s", text);
        }
        fore_isolation_release(&i);
    }
    return good;
}

static int run_txn(struct fore_cli *c, struct fore_err *e)
{
    struct fore_isolation_options o = {0};
    struct fore_findings f;
    struct totals t = {.each = FORE_STRBUF_INIT};
    struct fore_err first = {0};
    int64_t total;
    if (set_up(c, &o, &total, e) != FORE_OK)
        return FORE_EXIT_ERROR;
    bool several = c->words.v.n > 1;
    fore_findings_init(&f);
    fore_jsonw_init(&t.w, &t.each);
    if (several)
        fore_jsonw_open(&t.w, NULL, '[');
    fore_progress_start(&c->progress, c->progress_mode, "checking");
    size_t good = check_all(c, &o, &f, &t, &first);
    fore_progress_finish(&c->progress);
    end_stats(&t, &f, several);
    int status = FORE_EXIT_OK;
    if (good)
        status =
            draw_first(c, &f, e) == FORE_OK ? fore_cli_finish(c, &f, e) : FORE_EXIT_ERROR;
    if (first.status != FORE_OK) {
        *e = first;
        status = FORE_EXIT_ERROR;
    }
    fore_findings_release(&f);
    return status;
}

const struct fore_verb fore_verb_txn = {
    .name = "txn",
    .summary = "are recorded transactions isolated as promised?",
    .usage = "HISTORY... [--level L]",
    .details =
        "Reads histories of transactions as Jepsen's txn workloads write them\n"
        "(list-append, rw-register, multi-register, long-fork, write-skew inserts, "
        "bank),\n"
        "in EDN or as JSON lines (- is standard input), and looks for an order that\n"
        "explains what they read. L is read-committed, parallel-snapshot-isolation,\n"
        "snapshot-isolation, serializable or strict-serializable, which also keeps real\n"
        "time. foresee shows what is wrong as a shortest cycle of transactions with its "
        "name\n"
        "(G0, G1c, G-single, ...), and names the strongest level that holds. Exits with "
        "0 if\n"
        "all histories have the level, 1 if one has not, 3 if foresee could not find "
        "out\n"
        "within the limits.",
    .examples = "foresee txn history.edn\n"
                "foresee txn run1.jsonl run2.jsonl --level snapshot-isolation\n"
                "foresee txn history.edn --level strict-serializable --graph cycle.svg",
    .options = options,
    .finds = true,
    .run = run_txn,
};
