#include "machine/build.h"

#include "analysis/channel/clocks.h"
#include "analysis/channel/explore.h"
#include "analysis/channel/graph.h"
#include "analysis/channel/schedules.h"

struct world {
    struct fore_trace t;
    struct fore_run o;
    struct fore_comm c;
};

static void open_world(struct world *w, const char *text)
{
    struct fore_err e = {0};
    trace_of(&w->t, text);
    w->c = (struct fore_comm){0};
    w->o = (struct fore_run){0};
    if (fore_run_replay(&w->o, &w->t, &e) != FORE_OK)
        fail_msg("%s", e.msg);
    fore_comm_build(&w->c, &w->o);
}

static void close_world(struct world *w)
{
    fore_comm_release(&w->c);
    fore_run_release(&w->o);
    fore_trace_release(&w->t);
}

static uint64_t schedules(const char *text, bool *exact)
{
    struct world w;
    struct fore_schedules s;
    uint64_t n = 0;
    open_world(&w, text);
    fore_schedules_count(&w.c, 100000, &s);
    assert_true(fore_big_u64(&s.count, &n));
    *exact = s.exact;
    fore_big_release(&s.count);
    close_world(&w);
    return n;
}

/* n pairs of threads, each on a channel of its own. */
static void independent_pairs(struct fore_strbuf *out, unsigned n)
{
    for (unsigned i = 1; i <= n; i++)
        fore_strbuf_printf(out,
                           "%u: pre(c%u!); post(c%u!)\n%u: pre(c%u?); post(%u#c%u?)\n",
                           2 * i, i, i, 2 * i + 1, i, 2 * i, i);
}

static void independent_communications_come_in_any_order(void)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    bool exact;
    independent_pairs(&b, 7);
    assert_int_equal(schedules(b.at, &exact), 5040);
    assert_true(exact);
    fore_strbuf_release(&b);
}

static void too_many_states_leave_a_lower_bound(void)
{
    struct world w;
    struct fore_schedules s;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    uint64_t n = 0;
    independent_pairs(&b, 12);
    open_world(&w, b.at);
    fore_schedules_count(&w.c, 100, &s);
    assert_false(s.exact);
    assert_true(!fore_big_u64(&s.count, &n) || (n > 1 && n <= 479001600));
    fore_big_release(&s.count);
    close_world(&w);
    fore_strbuf_release(&b);
}

static void sends_come_before_a_close_and_default_too(void)
{
    bool exact;
    assert_int_equal(schedules("1: pre(x!); post(x!)\n2: pre(x?); post(1#x?)\n"
                               "3: pre(x?, default); post(select)\n4: close(x)\n"
                               "5: pre(x?); post(0#x?)\n",
                               &exact),
                     2);
    assert_true(exact);
}

static void locks_leave_a_lower_bound(void)
{
    bool exact;
    assert_int_equal(schedules("1: lock(m); unlock(m); pre(x!); post(x!)\n"
                               "2: pre(x?); post(1#x?)\n",
                               &exact),
                     1);
    assert_false(exact);
}

struct listing {
    size_t n;
    uint64_t hash;
};

static void note_schedule(void *ctx, const uint32_t *ops, size_t n)
{
    struct listing *l = ctx;
    l->n++;
    for (size_t i = 0; i < n; i++)
        l->hash = l->hash * 31 + ops[i];
}

static void listed_schedules_are_as_many_as_counted(void)
{
    struct world w;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct listing one = {0, 0}, two = {0, 0}, few = {0, 0};
    independent_pairs(&b, 5);
    open_world(&w, b.at);
    assert_int_equal(fore_schedules_list(&w.c, 1000, note_schedule, &one), 120);
    fore_schedules_list(&w.c, 1000, note_schedule, &two);
    assert_true(one.n == 120 && one.hash == two.hash);
    assert_int_equal(fore_schedules_list(&w.c, 7, note_schedule, &few), 7);
    close_world(&w);
    fore_strbuf_release(&b);
}

/* What clocks find: groups, and pairs in them. */
static uint64_t alternatives(struct world *w, size_t *groups)
{
    struct fore_groups g;
    struct fore_reach r;
    uint64_t n = 0;
    fore_groups_init(&g, &w->c, !w->c.simple || w->c.queues);
    fore_reach_init(&r, &w->c);
    assert_int_equal(fore_comm_clocks(&w->c, &g), 0);
    fore_groups_verify(&g, &r, NULL, NULL);
    *groups = g.list.n;
    for (size_t i = 0; i < g.list.n; i++)
        n += g.list.at[i].rule == FORE_COMM_ALTERNATIVE ? g.list.at[i].count : 0;
    fore_reach_release(&r);
    fore_groups_release(&g);
    return n;
}

static void pairs_at_the_same_places_are_one_group(void)
{
    struct world w;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    size_t groups;
    for (unsigned i = 2; i <= 11; i++)
        fore_strbuf_printf(
            &b, "%u: pre(x!)@c.go:1; post(x!)\n1: pre(x?)@c.go:2; post(%u#x?)\n", i, i);
    open_world(&w, b.at);
    assert_int_equal(alternatives(&w, &groups), 45);
    assert_int_equal(groups, 1);
    close_world(&w);
    fore_strbuf_release(&b);
}

static void channels_of_two_who_always_met_need_no_clocks(void)
{
    struct world w;
    open_world(&w, "1: pre(x!); post(x!); pre(x!); post(x!); close(x)\n"
                   "2: pre(x?); post(1#x?); pre(x?); post(1#x?); pre(x?); post(0#x?)\n");
    assert_false(w.c.chans[1].busy);
    close_world(&w);
}

static void a_send_needs_the_creation_of_its_receiver(void)
{
    struct world w;
    size_t groups;
    open_world(&w, "1: signal(2); signal(3)\n2: wait(2); pre(x!); post(x!)\n"
                   "3: wait(3); pre(x?); post(2#x?); signal(4); signal(5)\n"
                   "4: wait(4); pre(x!); post(x!)\n5: wait(5); pre(x?); post(4#x?)\n");
    assert_int_equal(alternatives(&w, &groups), 0);
    close_world(&w);
}

static void two_under_one_lock_never_meet(void)
{
    struct world w;
    size_t groups;
    open_world(
        &w, "lock m\n1: lock(m); pre(x!); post(x!); unlock(m)\n2: pre(x?); post(1#x?)\n"
            "3: lock(m); pre(x?); post(4#x?); unlock(m)\n4: pre(x!); post(x!)\n");
    assert_int_equal(alternatives(&w, &groups), 1);
    close_world(&w);
}

static void a_wait_group_orders_the_close(void)
{
    struct world w;
    size_t groups;
    const char *ordered = "1: wgadd(g, 1); signal(2); signal(3)\n"
                          "2: wait(2); pre(x!); post(x!); wgdone(g)\n"
                          "3: wait(3); pre(x?); post(2#x?)\n"
                          "1: pre(wgwait(g)); wgwait(g); close(x)\n";
    open_world(&w, ordered);
    alternatives(&w, &groups);
    assert_int_equal(groups, 0);
    close_world(&w);
}

static void a_torn_trace_is_analysed_as_far_as_it_goes(void)
{
    struct world w;
    size_t groups;
    struct fore_schedules s;
    struct fore_err e = {0};
    trace_of(&w.t, "1: pre(x!); post(x!)\n2: pre(x?); post(1#x?)\n3: pre(x?)\n");
    w.t.torn = true;
    w.t.events.at[3].b = 7; /* a send that was lost */
    w.c = (struct fore_comm){0};
    w.o = (struct fore_run){0};
    assert_int_equal(fore_run_replay(&w.o, &w.t, &e), FORE_OK);
    fore_comm_build(&w.c, &w.o);
    alternatives(&w, &groups);
    fore_schedules_count(&w.c, 100, &s);
    assert_false(s.exact);
    fore_big_release(&s.count);
    close_world(&w);
}

RUN_CASES(CASE(independent_communications_come_in_any_order),
          CASE(too_many_states_leave_a_lower_bound),
          CASE(sends_come_before_a_close_and_default_too),
          CASE(locks_leave_a_lower_bound), CASE(listed_schedules_are_as_many_as_counted),
          CASE(pairs_at_the_same_places_are_one_group),
          CASE(channels_of_two_who_always_met_need_no_clocks),
          CASE(a_send_needs_the_creation_of_its_receiver),
          CASE(two_under_one_lock_never_meet), CASE(a_wait_group_orders_the_close),
          CASE(a_torn_trace_is_analysed_as_far_as_it_goes))
