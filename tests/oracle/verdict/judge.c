#include "oracle/verdict/judge.h"

#include "analysis/analysis.h"
#include "machine/clause.h"
#include "oracle/generated.h"

#include <string.h>

static bool run_analyses(const struct fore_trace *t, uint32_t ablated,
                         struct fore_findings *out, struct fore_err *e)
{
    struct fore_params params = {0};
    struct fore_budget budget = {0};
    struct fore_progress progress = {0};
    /* Runs begin at marks in every other trace. */
    struct fore_run observed = {.ablated = ablated, .mark_all = t->events.n % 2};
    bool good = true;
    struct fore_analysis_ctx ctx = {.out = out,
                                    .params = &params,
                                    .budget = &budget,
                                    .progress = &progress,
                                    .possible = true,
                                    .observed = &observed};
    for (size_t i = 0; fore_analyses[i] && good; i++) {
        const struct fore_analysis *a = fore_analyses[i];
        if (a->run && (!a->applies || a->applies(t, &params)))
            good = a->run(t, &ctx, e) == FORE_OK;
    }
    fore_run_release(&observed);
    return good;
}

bool analyse_text(const struct fore_strbuf *text, uint32_t ablated,
                  struct fore_findings *out, struct fore_err *e)
{
    struct fore_trace t;
    load_generated(&t, text);
    fore_findings_init(out);
    bool good = run_analyses(&t, ablated, out, e);
    fore_trace_release(&t);
    return good;
}

uint32_t clause_named(const char *name)
{
    for (unsigned i = 1; i < FORE_CLAUSES; i++)
        if (strcmp(fore_clause_names[i], name) == 0)
            return 1u << i;
    printf("not ok there is no clause %s\n", name);
    exit(2);
}

unsigned kind_named(const char *name)
{
    for (unsigned i = 1; i < FORE_KINDS; i++)
        if (strcmp(fore_kind_name(i), name) == 0)
            return i;
    printf("not ok there is no kind of event %s\n", name);
    exit(2);
}

bool is_claim(const struct fore_finding *x)
{
    return x->verdict != FORE_VERDICT_POSSIBLE && x->level != FORE_LEVEL_NOTE;
}

static unsigned op_of(const struct fore_place *x)
{
    const char *colon = strchr(x->location, ':');
    return colon ? line_op((unsigned)atoi(colon + 1)) : 0;
}

/* The n-th place whose role begins so; OPS if there is none. */
static unsigned place_op(const struct fore_finding *x, const char *role, unsigned n)
{
    for (size_t i = 0; i < x->places.n; i++)
        if (strncmp(x->places.at[i].role, role, strlen(role)) == 0 && !n--)
            return op_of(&x->places.at[i]);
    return OPS;
}

bool waits_of(const struct fore_finding *x, struct waits *out)
{
    bool any = false;
    *out = (struct waits){{false}, {0}};
    for (size_t i = 0; i < x->places.n; i++) {
        unsigned op = op_of(&x->places.at[i]);
        if (strcmp(x->places.at[i].role, "waits") != 0)
            continue;
        out->in[op / CODE] = any = true;
        out->pc[op / CODE] = (uint8_t)(op % CODE);
    }
    return any;
}

bool covers(const struct waits *finding, const struct waits *deadlock)
{
    for (unsigned t = 0; t < THREADS; t++)
        if (finding->in[t] && (!deadlock->in[t] || deadlock->pc[t] != finding->pc[t]))
            return false;
    return true;
}

static bool pair_in(const bool table[OPS][OPS], unsigned a, unsigned b)
{
    return a < OPS && b < OPS && table[a][b];
}

bool is_reachable(const struct graph *g, const struct fore_finding *x, bool *known)
{
    const char *rule = x->rule->name;
    struct waits w;
    *known = true;
    if (strcmp(rule, "send-on-closed") == 0)
        return pair_in(g->sends, place_op(x, "send", 0), place_op(x, "close", 0));
    if (strcmp(rule, "close-of-closed") == 0) {
        unsigned a = op_of(&x->places.at[0]), b = op_of(&x->places.at[1]);
        return pair_in(g->closes, a, b) || pair_in(g->closes, b, a);
    }
    if (strcmp(rule, "blocked-forever") == 0 || strcmp(rule, "lock-cycle") == 0)
        return waits_of(x, &w) && graph_stuck(g, &w);
    if (strcmp(rule, "wait-before-add") == 0)
        return pair_in(g->early, op_of(&x->places.at[0]), op_of(&x->places.at[1]));
    if (strcmp(rule, "data-race") == 0)
        return pair_in(g->races, op_of(&x->places.at[0]), op_of(&x->places.at[1]));
    if (strcmp(rule, "panic") == 0)
        return x->verdict == FORE_VERDICT_OBSERVED;
    *known = false;
    return false;
}

void finding_print(const struct fore_finding *x, struct fore_strbuf *out)
{
    fore_strbuf_printf(out, "# %s (%s): %s\n", x->rule->name,
                       fore_verdict_name(x->verdict), x->message);
    for (size_t i = 0; i < x->places.n; i++)
        fore_strbuf_printf(out, "#   %s: thread %s %s at %s\n", x->places.at[i].role,
                           x->places.at[i].thread, x->places.at[i].event,
                           x->places.at[i].location);
    for (size_t i = 0; i < x->facts.n; i++)
        fore_strbuf_printf(out, "#   %s: %s\n", x->facts.at[i].label,
                           x->facts.at[i].text);
    fore_strbuf_puts(out, x->witness_trace);
}
