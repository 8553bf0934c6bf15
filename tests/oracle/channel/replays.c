/* Every trace that some program could have left replays, whatever it uses; and what is predicted
 * from it are runs. */
#include "unit/check.h"

#include "analysis/channel/clocks.h"
#include "machine/witness.h"
#include "oracle/causal/random_trace.h"
#include "oracle/channel/show.h"

#include <stdio.h>
#include <stdlib.h>

static void check_run(const struct fore_comm *c, const struct fore_reach *r)
{
    struct fore_witness note = {.fresh = 0};
    struct fore_machine m;
    struct fore_err e = {0};
    fore_machine_init(&m, c->p);
    for (size_t i = 0; i < r->run.list.n; i++)
        fore_witness_step(&note, &m, r->run.list.at[i]);
    struct fore_trace w = {.name = (char *)"witness", .tables = c->t->tables};
    w.events.at = note.events.at;
    w.events.n = note.events.n;
    w.cases.at = c->t->cases.at;
    w.cases.n = c->t->cases.n;
    if (fore_witness_check(&w, c->t, &e) != FORE_OK) {
        show_trace(c->t);
        show_trace(&w);
        fail_msg("%s", e.msg);
    }
    fore_machine_release(&m);
    fore_witness_release(&note);
}

static size_t predict(struct fore_comm *c)
{
    struct fore_groups g;
    struct fore_reach r;
    fore_groups_init(&g, c, true);
    fore_reach_init(&r, c);
    fore_comm_clocks(c, &g);
    fore_groups_verify(&g, &r, NULL, NULL);
    size_t n = g.list.n;
    for (size_t i = 0; i < n; i++) {
        assert_true(fore_reach_find(&r, g.list.at[i].sample[0]));
        check_run(c, &r);
    }
    fore_reach_release(&r);
    fore_groups_release(&g);
    return n;
}

static size_t try_one(uint64_t seed, unsigned features)
{
    struct random_trace r;
    struct fore_run o = {0};
    struct fore_comm c = {0};
    struct fore_err e = {0};
    random_trace_make(&r, seed, features, 20 + seed % 40);
    if (fore_run_replay(&o, &r.trace, &e) != FORE_OK) {
        show_trace(&r.trace);
        fail_msg("seed %llu: %s", (unsigned long long)seed, e.msg);
    }
    fore_comm_build(&c, &o);
    size_t n = predict(&c);
    fore_comm_release(&c);
    fore_run_release(&o);
    random_trace_release(&r);
    return n;
}

static void whatever_can_happen_replays(void)
{
    const char *only = getenv("SEED");
    size_t found = 0;
    for (uint64_t seed = 1; seed <= 6000; seed++)
        if (!only || strtoull(only, NULL, 10) == seed)
            found +=
                try_one(seed, RANDOM_WHOLE |
                                  (RANDOM_ALL & (seed % 3 ? (unsigned)(seed * 2654435761u)
                                                          : RANDOM_ALL)));
    fprintf(stderr, "%zu predictions, all of them runs\n", found);
}

RUN_CASES(CASE(whatever_can_happen_replays))
