/* Random small programs with a wait group, locks and a channel: the waits and additions that are
 * reported to meet at zero, against those of every cut of the run. */
#include "oracle/generated.h"
#include "oracle/waitgroup/world.h"

#include "analysis/waitgroup/waitgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct totals {
    unsigned runs, with, pairs, found, missed, missed_orderly, false_alarms;
};

/* The operation at a place "p:LINE". */
static int op_at(const struct fore_place *x)
{
    return atoi(strchr(x->location, ':') + 1) - 1;
}

static void predict(const struct fore_trace *t, const struct fore_strbuf *text,
                    bool pairs[STEPS][STEPS])
{
    struct fore_findings f;
    struct fore_params params = {0};
    struct fore_budget budget = {0};
    struct fore_progress progress = {0};
    struct fore_err e = {0};
    fore_findings_init(&f);
    struct fore_analysis_ctx ctx = {
        .out = &f, .params = &params, .budget = &budget, .progress = &progress};
    memset(pairs, 0, STEPS * sizeof *pairs);
    if (fore_analysis_waitgroup.run(t, &ctx, &e) != FORE_OK) {
        printf("not ok every witness is a run: %s\n%s", e.msg, text->at);
        exit(1);
    }
    for (size_t i = 0; i < f.list.n; i++)
        pairs[op_at(&f.list.at[i]->places.at[0])][op_at(&f.list.at[i]->places.at[1])] =
            true;
    fore_findings_release(&f);
}

/* All that is `found` is among what can be at all (`may`), and it is what keeps the causes of
 * the run (`must`). */
static void count(const struct plan *p, bool must[STEPS][STEPS], bool may[STEPS][STEPS],
                  bool found[STEPS][STEPS], struct totals *n)
{
    bool any = false;
    for (int w = 0; w < STEPS; w++)
        for (int a = 0; a < STEPS; a++) {
            any |= must[w][a];
            n->pairs += must[w][a];
            n->found += found[w][a];
            n->missed += must[w][a] && !found[w][a];
            n->missed_orderly += p->orderly && must[w][a] && !found[w][a];
            n->false_alarms += found[w][a] && !may[w][a];
        }
    n->with += any;
}

static void compare(uint64_t seed, struct totals *n)
{
    static bool must[STEPS][STEPS], may[STEPS][STEPS], found[STEPS][STEPS];
    struct fore_rng r;
    struct plan p;
    struct run run;
    struct fore_trace t;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    unsigned bad = n->missed_orderly + n->false_alarms;
    fore_rng_seed(&r, seed);
    plan_random(&p, &r);
    if (plan_run(&p, &r, &run, &text)) {
        load_generated(&t, &text);
        run_pairs(&p, &run, must);
        run.free = true;
        run_pairs(&p, &run, may);
        predict(&t, &text, found);
        count(&p, must, may, found, n);
        if (n->missed_orderly + n->false_alarms > bad && bad < 4)
            printf("# seed %llu: missed or false\n%s", (unsigned long long)seed, text.at);
        n->runs++;
        fore_trace_release(&t);
    }
    fore_strbuf_release(&text);
}

int main(int argc, char **argv)
{
    struct totals n = {0};
    unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 10000;
    for (uint64_t seed = 1; n.runs < runs; seed++)
        compare(seed, &n);
    printf("# %u runs, %u with a wait that can be too early; %u pairs, %u found\n",
           n.runs, n.with, n.pairs, n.found);
    printf("%s no_prediction_is_false (%u)\n", n.false_alarms ? "not ok" : "ok",
           n.false_alarms);
    bool orderly = n.missed_orderly * 1000 <= n.pairs;
    printf("%s next_to_nothing_is_missed_where_counts_come_first (%u)\n",
           orderly ? "ok" : "not ok", n.missed_orderly);
    bool enough = n.with * 10 > n.runs && n.missed * 50 <= n.pairs;
    printf("%s one_in_fifty_is_missed_at_most (%u of %u)\n", enough ? "ok" : "not ok",
           n.missed, n.pairs);
    return n.false_alarms || !orderly || !enough;
}
