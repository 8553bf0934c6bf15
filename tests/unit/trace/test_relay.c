#include "traces.h"

#include "trace/relay.h"

enum { BATCH = 100, BATCHES = 500 };

static void push(struct fore_sink *s, size_t batch)
{
    struct fore_event e[BATCH];
    struct fore_case cases[BATCH];
    for (size_t i = 0; i < BATCH; i++) {
        e[i] = (struct fore_event){
            .thread = 1, .kind = FORE_EV_PRE, .where = (uint32_t)(batch * BATCH + i)};
        cases[i] = (struct fore_case){(uint32_t)i + 1, FORE_CASE_RECV};
        if (i % 2) {
            e[i].flags = FORE_F_CASES;
            e[i].a = i - 1;
            e[i].b = 2;
        }
    }
    s->events(s, &(struct fore_batch){NULL, e, BATCH, cases, false});
}

/* The batches are reused as soon as they are pushed. */
static void events_come_in_their_order_with_their_cases(void)
{
    struct fore_trace t;
    struct fore_trace_collector c;
    struct fore_relay r;
    struct fore_trace_end end = {.lost = 3};
    struct fore_err e = {0};
    fore_trace_init(&t, "t");
    fore_trace_collector_init(&c, &t);
    fore_relay_init(&r, &c.sink);
    for (size_t i = 0; i < BATCHES; i++)
        push(&r.sink, i);
    assert_int_equal(r.sink.end(&r.sink, &end, &e), FORE_OK);
    fore_relay_release(&r);
    assert_int_equal(t.events.n, BATCH * BATCHES);
    assert_int_equal(t.lost, 3);
    for (size_t i = 0; i < t.events.n; i++) {
        const struct fore_event *x = &t.events.at[i];
        assert_int_equal(x->where, i);
        if (i % 2)
            assert_int_equal(t.cases.at[x->a + 1].chan, i % BATCH + 1);
    }
    fore_trace_release(&t);
}

static enum fore_flow stop(struct fore_sink *s, const struct fore_batch *b)
{
    (void)s, (void)b;
    return FORE_STOP;
}

static void a_sink_that_has_had_enough_stops_the_source(void)
{
    struct fore_sink enough = {stop, NULL};
    struct fore_relay r;
    struct fore_event e = {.thread = 1, .kind = FORE_EV_END};
    struct fore_batch b = {NULL, &e, 1, NULL, false};
    fore_relay_init(&r, &enough);
    while (r.sink.events(&r.sink, &b) != FORE_STOP)
        ;
    fore_relay_release(&r); /* although the end did not come */
}

RUN_CASES(CASE(events_come_in_their_order_with_their_cases),
          CASE(a_sink_that_has_had_enough_stops_the_source))
