/* Random small programs in which locks are often held for nothing: what is found in their thin traces, and at the
 * whole end of these, against what is found in the whole trace. Nothing that the whole trace shows may be missing in
 * the thin one; nothing may be told of the end that the whole trace does not show, with every order tried, and no
 * more may be predicted. */
#include "oracle/deadlock/world.h"
#include "oracle/generated.h"

#include "analysis/deadlock/deadlock_state.h"
#include "causal/settle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct totals {
    unsigned runs, thinner, whole, again, predicted;
    unsigned shown;
    unsigned missed, invented, dearer; /* in the thin one; at the end; predicted there */
};

/* A thread locks and unlocks once more, somewhere. */
static void insert_section(struct plan *p, int lock, struct fore_rng *r)
{
    int t = (int)fore_rng_below(r, (uint64_t)p->threads), n = p->count[t];
    int at = (int)fore_rng_below(r, (uint64_t)n + 1);
    enum op_kind before = at ? p->ops[t][at - 1].kind : OP_LOCK;
    bool reads = !fore_rng_below(r, 4);
    if (n + 2 > OPS || before == OP_SLEEP || before == OP_ARRIVE)
        return;
    memmove(&p->ops[t][at + 2], &p->ops[t][at], (size_t)(n - at) * sizeof p->ops[t][0]);
    p->ops[t][at] = (struct op){reads ? OP_RLOCK : OP_LOCK, lock};
    p->ops[t][at + 1] = (struct op){reads ? OP_RUNLOCK : OP_UNLOCK, lock};
    p->count[t] += 2;
}

static void add_ops(struct plan *p, int t, struct op op)
{
    if (p->count[t] < OPS)
        p->ops[t][p->count[t]++] = op;
}

/* Threads that take two locks in either order, and a third one before, between and after. */
static void plan_crossed(struct plan *p, struct fore_rng *r)
{
    *p = (struct plan){.threads = 2 + (int)fore_rng_below(r, 2)};
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < 2; i++) {
            int first = (int)fore_rng_below(r, 2);
            bool single = fore_rng_below(r, 2),
                 nested = i == t % 2 || !fore_rng_below(r, 3);
            for (int k = 0; k < 2 && single; k++)
                add_ops(p, t, (struct op){k ? OP_UNLOCK : OP_LOCK, 2});
            for (int k = 0; k < 4 && nested && p->count[t] <= OPS - 4 + k; k++)
                add_ops(p, t,
                        (struct op){k < 2 ? OP_LOCK : OP_UNLOCK,
                                    k == 0 || k == 3 ? first : 1 - first});
        }
}

/* Each event has a place of its own: what is told is then known by its places. Where memory is not seen, most steps
 * need nothing of what was not recorded. */
static void make_trace(uint64_t seed, struct fore_rng *r, struct fore_trace *t,
                       struct fore_strbuf *text)
{
    struct plan p;
    struct fore_strbuf run = FORE_STRBUF_INIT;
    if (seed % 5 < 2)
        plan_crossed(&p, r);
    else if (seed % 5 < 4)
        plan_random(&p, r);
    else
        plan_flow(&p, r);
    for (int i = 0; i < 6; i++)
        insert_section(&p, seed % 5 < 2 ? 2 : (int)fore_rng_below(r, LOCKS), r);
    plan_run(&p, r, &run);
    fore_strbuf_printf(text, "%s%s",
                       seed % 2 ? "sees threads channels locks atomics outside\n" : "",
                       run.at);
    load_generated(t, text);
    uint32_t file = fore_tables_string(&t->tables, "f", 1);
    for (size_t i = 0; i < t->events.n; i++) {
        struct fore_where at = {.file = file, .line = (uint32_t)i + 1};
        t->events.at[i].where = fore_tables_where(&t->tables, at);
        t->events.at[i].flags |= fore_rng_below(r, 4) ? FORE_F_STRAIGHT : 0;
    }
    fore_trace_settle(t);
    fore_strbuf_release(&run);
}

static void look(struct fore_dl *d, struct fore_trace *t, bool patterns_only)
{
    struct fore_findings f;
    struct fore_params params = {0};
    struct fore_budget budget = {0};
    struct fore_progress progress = {0};
    struct fore_err e = {0};
    struct fore_run o = {0};
    fore_findings_init(&f);
    struct fore_analysis_ctx ctx = {.out = &f,
                                    .params = &params,
                                    .budget = &budget,
                                    .progress = &progress,
                                    .unsaved = true};
    *d = (struct fore_dl){.trace = t, .ctx = &ctx, .patterns_only = patterns_only};
    fore_trace_settle(t);
    if (fore_dl_look(d, &o, &e) != FORE_OK) {
        printf("not ok the analysis runs: %s\n", e.msg);
        exit(1);
    }
    fore_run_release(&o);
    fore_findings_release(&f);
}

static enum fore_claim_verdict verdict_of(const struct fore_dl *d, uint64_t core)
{
    const uint64_t *at = fore_map_get(&d->told, core);
    return at ? d->tellings.at[*at - 1].verdict : FORE_CLAIM_NONE;
}

/* How many were told of `d`, and how many of them with less of `other`. */
static unsigned more_than(const struct fore_dl *d, const struct fore_dl *other,
                          enum fore_claim_verdict least, unsigned *all)
{
    unsigned more = 0;
    uint64_t core, at;
    for (size_t i = 0; fore_map_next(&d->told, &i, &core, &at);) {
        bool told = verdict_of(d, core) >= least;
        *all += told;
        more += told && verdict_of(other, core) < least;
    }
    return more;
}

static void compare(uint64_t seed, struct totals *n)
{
    struct fore_rng r;
    struct fore_trace t;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_thin x = {0};
    struct fore_dl whole, every, thin, ending;
    fore_rng_seed(&r, seed);
    make_trace(seed, &r, &t, &text);
    size_t end = (size_t)fore_rng_below(&r, t.events.n + 1);
    fore_thin_begin(&x, end, t.events.at, t.events.n);
    fore_thin_finish(&x);
    t.thin = &x;
    struct fore_trace few = fore_trace_thin(&t), last = fore_trace_ending(&t);
    look(&whole, &t, true);
    look(&every, &t, false);
    look(&thin, &few, true);
    look(&ending, &last, true);
    unsigned missed = more_than(&whole, &thin, FORE_CLAIM_POSSIBLE, &n->whole);
    unsigned invented = more_than(&ending, &every, FORE_CLAIM_POSSIBLE, &n->again);
    unsigned dearer = more_than(&ending, &every, FORE_CLAIM_PREDICTED, &n->predicted);
    n->runs++;
    n->thinner += few.events.n < t.events.n;
    n->missed += missed;
    n->invented += invented;
    n->dearer += dearer;
    if (missed + invented + dearer && n->shown++ < 3)
        printf(
            "# seed %llu, end %zu: %u missed, %u invented, %u only predicted there\n%s",
            (unsigned long long)seed, end, missed, invented, dearer, text.at);
    fore_dl_release(&whole);
    fore_dl_release(&every);
    fore_dl_release(&thin);
    fore_dl_release(&ending);
    t.thin = NULL;
    fore_thin_release(&x);
    fore_trace_release(&t);
    fore_strbuf_release(&text);
}

static bool passed(bool good, const char *name, unsigned of, unsigned all)
{
    printf("%s %s (%u of %u)\n", good ? "ok" : "not ok", name, of, all);
    return good;
}

int main(int argc, char **argv)
{
    struct totals n = {0};
    unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 6000;
    for (unsigned i = 0; i < runs; i++)
        compare(i + 1, &n);
    printf("# %u runs, %u thinner\n", n.runs, n.thinner);
    bool good =
        passed(n.thinner > n.runs / 10, "many_traces_get_thinner", n.thinner, n.runs);
    good &= passed(n.whole && !n.missed, "nothing_is_missing_in_the_thin_trace", n.missed,
                   n.whole);
    good &=
        passed(n.again && !n.invented, "the_end_tells_nothing_new", n.invented, n.again);
    good &= passed(n.predicted && !n.dearer, "the_end_predicts_nothing_more", n.dearer,
                   n.predicted);
    return !good;
}
