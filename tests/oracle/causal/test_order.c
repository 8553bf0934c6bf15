/* The streaming pass against the transitive closure, for every kind of edge, on thousands of
 * random traces; cuts and algorithm A against their definitions. */
#include "../../unit/causal/relation.h"
#include "../../unit/check.h"

#include "causal/relevant.h"
#include "closure.h"
#include "random_trace.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS = 40 };

static void assert_agrees(const struct random_trace *r, unsigned mask, uint64_t seed)
{
    struct fore_order o;
    struct fore_err e;
    struct closure c;
    assert_int_equal(fore_order_build(&o, &r->trace, mask, &e), FORE_OK);
    closure_make(&c, r, mask);
    for (uint32_t i = 0; i < c.n; i++)
        for (uint32_t j = 0; j < c.n; j++) {
            bool known = stamp_known(&o.clocks, o.stamps.at[i], o.stamps.at[j]);
            if (known != c.reach[i * c.n + j])
                fail_msg("seed %lu mask %x: %u before %u is %d", (unsigned long)seed,
                         mask, i, j, known);
        }
    closure_release(&c);
    fore_order_release(&o);
}

static void sweep(unsigned features, unsigned mask, uint64_t seeds)
{
    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct random_trace r;
        random_trace_make(&r, seed, features, EVENTS);
        assert_agrees(&r, mask, seed);
        random_trace_release(&r);
    }
}

static void every_kind_of_edge_alone_agrees_with_the_closure(void)
{
    static const struct {
        unsigned features, edge;
    } rows[] = {
        {RANDOM_FORK | RANDOM_MEMORY, FORE_EDGE_FORK},
        {RANDOM_FORK | RANDOM_JOIN | RANDOM_MEMORY, FORE_EDGE_JOIN},
        {RANDOM_CHANNEL | RANDOM_MEMORY, FORE_EDGE_CHANNEL},
        {RANDOM_CHANNEL | RANDOM_BUFFER | RANDOM_CLOSE, FORE_EDGE_CHANNEL},
        {RANDOM_LOCK | RANDOM_MEMORY, FORE_EDGE_LOCK},
        {RANDOM_LOCK | RANDOM_RWLOCK | RANDOM_COND, FORE_EDGE_LOCK},
        {RANDOM_LOCK | RANDOM_COND, FORE_EDGE_CONDITION},
        {RANDOM_SEM | RANDOM_MEMORY, FORE_EDGE_CONDITION},
        {RANDOM_BARRIER | RANDOM_MEMORY, FORE_EDGE_CONDITION},
        {RANDOM_ONCE | RANDOM_WG | RANDOM_TIMER, FORE_EDGE_CONDITION},
        {RANDOM_MEMORY, FORE_EDGE_MEMORY},
        {RANDOM_ATOMIC, FORE_EDGE_ATOMIC},
        {RANDOM_ATOMIC | RANDOM_MEMORY, FORE_EDGE_ATOMIC | FORE_EDGE_MEMORY},
        {RANDOM_MESSAGE | RANDOM_MEMORY, FORE_EDGE_MESSAGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        sweep(rows[i].features, rows[i].edge | FORE_EDGE_PROGRAM, 1500);
}

static void random_masks_agree_with_the_closure(void)
{
    struct fore_rng rng;
    fore_rng_seed(&rng, 7);
    for (uint64_t seed = 0; seed < 8000; seed++) {
        struct random_trace r;
        unsigned features = (unsigned)fore_rng_below(&rng, RANDOM_ALL + 1);
        unsigned mask = (unsigned)fore_rng_below(&rng, FORE_EDGES_ALL + 1);
        random_trace_make(&r, seed, features, EVENTS);
        assert_agrees(&r, mask | FORE_EDGE_PROGRAM, seed);
        random_trace_release(&r);
    }
    sweep(RANDOM_ALL, FORE_EDGES_ALL, 3000);
}

/* What the visitor is shown comes after all that happened before it. */
struct seen {
    const struct closure *c;
    bool *shown;
};

static enum fore_flow show(void *ctx, const struct fore_moment *m)
{
    struct seen *s = ctx;
    for (size_t i = 0; i < s->c->n; i++)
        if (s->c->reach[i * s->c->n + m->at] && !s->c->reach[m->at * s->c->n + i])
            assert_true(s->shown[i]);
    assert_false(s->shown[m->at]);
    s->shown[m->at] = true;
    return FORE_CONTINUE;
}

static void the_visiting_order_is_a_linear_extension(void)
{
    for (uint64_t seed = 0; seed < 1500; seed++) {
        struct random_trace r;
        struct closure c;
        struct fore_clocks clocks;
        random_trace_make(&r, seed, RANDOM_ALL, EVENTS);
        closure_make(&c, &r, FORE_EDGES_ALL);
        fore_clocks_init(&clocks);
        struct seen s = {&c, calloc(c.n + 1, 1)};
        struct fore_pass_options o = {.mask = FORE_EDGES_ALL, .visit = show, .ctx = &s};
        struct fore_pass *p = fore_pass_new(&clocks, &o);
        assert_int_equal(fore_trace_replay(&r.trace, fore_pass_sink(p), NULL), FORE_OK);
        for (size_t i = 0; i < c.n; i++)
            assert_true(s.shown[i]);
        fore_pass_free(p);
        assert_int_equal(clocks.live, 0);
        fore_clocks_release(&clocks);
        free(s.shown);
        closure_release(&c);
        random_trace_release(&r);
    }
}

/* A trace written by hand may have one line per thread. */
static void grouping_by_thread_does_not_change_the_order(void)
{
    unsigned features =
        RANDOM_FORK | RANDOM_JOIN | RANDOM_CHANNEL | RANDOM_CLOSE | RANDOM_MESSAGE;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct random_trace r;
        struct fore_order o, by_thread;
        random_trace_make(&r, seed, features, EVENTS);
        assert_int_equal(fore_order_build(&o, &r.trace, FORE_EDGES_ALL, NULL), FORE_OK);
        size_t n = r.trace.events.n;
        struct fore_event *observed = malloc(n * sizeof *observed);
        memcpy(observed, r.trace.events.at, n * sizeof *observed);
        for (size_t i = 0; i < n; i++)
            r.trace.events.at[i] = observed[o.events.at[i]];
        assert_int_equal(fore_order_build(&by_thread, &r.trace, FORE_EDGES_ALL, NULL),
                         FORE_OK);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                assert_int_equal(compare_events(&by_thread, i, j),
                                 compare_events(&o, o.events.at[i], o.events.at[j]));
        free(observed);
        fore_order_release(&o);
        fore_order_release(&by_thread);
        random_trace_release(&r);
    }
}

struct observer {
    const struct random_trace *r;
    const struct closure *c;
    struct fore_clocks *clocks;
    size_t delivered;
};

static bool is_write(void *ctx, const struct fore_event *e)
{
    (void)ctx;
    return e->kind == FORE_EV_WRITE;
}

static enum fore_flow observe(void *ctx, const struct fore_moment *m)
{
    struct observer *v = ctx;
    for (uint32_t t = 1; t <= RANDOM_THREADS; t++) {
        uint32_t want = 0;
        for (size_t i = 0; i < v->c->n; i++)
            want += v->r->trace.events.at[i].thread == t &&
                    is_write(NULL, &v->r->trace.events.at[i]) &&
                    v->c->reach[i * v->c->n + m->at];
        assert_int_equal(fore_stamp_get(v->clocks, m->stamp, t), want);
    }
    v->delivered++;
    return FORE_CONTINUE;
}

/* Lemma 1 of the second paper. */
static void algorithm_a_counts_the_relevant_past(void)
{
    for (uint64_t seed = 0; seed < 1500; seed++) {
        struct random_trace r;
        struct closure c;
        struct fore_clocks clocks;
        unsigned features =
            seed & 1 ? RANDOM_ALL : RANDOM_MEMORY | RANDOM_LOCK | RANDOM_FORK;
        random_trace_make(&r, seed, features, EVENTS);
        closure_make(&c, &r, FORE_EDGES_ALL);
        fore_clocks_init(&clocks);
        struct observer v = {&r, &c, &clocks, 0};
        struct fore_relevant_options o = {
            .mask = FORE_EDGES_ALL, .relevant = is_write, .deliver = observe, .ctx = &v};
        struct fore_relevant *a = fore_relevant_new(&clocks, &o);
        assert_int_equal(fore_trace_replay(&r.trace, fore_relevant_sink(a), NULL),
                         FORE_OK);
        size_t writes = 0;
        for (size_t i = 0; i < c.n; i++)
            writes += is_write(NULL, &r.trace.events.at[i]);
        assert_int_equal(v.delivered, writes);
        fore_relevant_free(a);
        fore_clocks_release(&clocks);
        closure_release(&c);
        random_trace_release(&r);
    }
}

RUN_CASES(CASE(every_kind_of_edge_alone_agrees_with_the_closure),
          CASE(random_masks_agree_with_the_closure),
          CASE(the_visiting_order_is_a_linear_extension),
          CASE(grouping_by_thread_does_not_change_the_order),
          CASE(algorithm_a_counts_the_relevant_past))
