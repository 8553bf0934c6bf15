/* The observed run: its order, and steps that were logged without their moves. */
#include "machine/build.h"

#include "machine/closure.h"
#include "machine/mark.h"
#include "machine/replay.h"
#include "machine/run.h"

/* A rendezvous, a buffer, a barrier and a select, of three threads. */
static const char everything[] =
    "chan y cap=2\n"
    "1: signal(2); signal(3)\n2: wait(2)\n3: wait(3)\n"
    "2: pre(x!); post(x!)\n3: pre(x?); post(2#x?)\n"
    "2: pre(y!); post(y!#1)\n2: pre(y!); post(y!#2)\n"
    "3: pre(x?, y?); post(1#y?); pre(y?, default); post(2#y?)\n"
    "2: pre(barrier(b, 2))\n3: pre(barrier(b, 2)); barrier(b, 2)\n2: barrier(b, 2)\n"
    "2: lock(m); unlock(m); end\n3: lock(m); unlock(m); end\n1: end\n";

static void open_run(struct fore_run *o, struct fore_trace *t, const char *text)
{
    struct fore_err e = {0};
    *o = (struct fore_run){0};
    trace_of(t, text);
    if (fore_run_replay(o, t, &e) != FORE_OK)
        fail_msg("%s", e.msg);
}

static void each_operation_has_its_place_in_the_order(void)
{
    struct fore_run o;
    struct fore_trace t;
    size_t arrivals = 0, meetings = 0;
    open_run(&o, &t, everything);
    for (uint32_t op = 0; op < o.p.op_count; op++)
        assert_true(o.when[op] < o.steps);
    for (uint32_t i = 0; i < o.steps; i++) {
        uint32_t partner = fore_run_partner(&o, o.order[i]);
        arrivals += fore_run_arrives(&o, i);
        meetings += partner != FORE_NO_OP;
        if (partner != FORE_NO_OP)
            assert_int_equal(o.when[partner], i);
    }
    assert_int_equal(arrivals, 2);
    assert_int_equal(meetings, 1);
    assert_int_equal(o.steps, o.p.op_count - meetings + arrivals);
    fore_run_release(&o);
    fore_trace_release(&t);
}

static void it_is_made_once_for_a_trace(void)
{
    struct fore_run o;
    struct fore_trace t, other;
    struct fore_err e = {0};
    open_run(&o, &t, everything);
    const uint32_t *order = o.order;
    assert_int_equal(fore_run_replay(&o, &t, &e), FORE_OK);
    assert_ptr_equal(o.order, order);
    trace_of(&other, "1: lock(m); unlock(m)\n");
    assert_int_equal(fore_run_replay(&o, &other, &e), FORE_OK);
    assert_int_equal(o.p.op_count, 2);
    fore_run_release(&o);
    fore_trace_release(&other);
    fore_trace_release(&t);
}

static void selects_at_one_place_share_their_list(void)
{
    struct fore_run o;
    struct fore_trace t;
    open_run(&o, &t,
             "1: pre(x?, default)@a.go:1; post(select)\n"
             "1: pre(x?, default)@a.go:1; post(select)\n"
             "1: pre(y?, default)@a.go:1; post(select)\n");
    assert_int_equal(o.p.ops[0].cases, o.p.ops[1].cases);
    assert_int_not_equal(o.p.ops[1].cases, o.p.ops[2].cases);
    fore_run_release(&o);
    fore_trace_release(&t);
}

static void moves_are_found_again(void)
{
    struct fore_run o;
    struct fore_trace t;
    struct fore_machine a, b;
    struct fore_steps full = {0}, brief = {.ops_only = true};
    struct fore_err e = {0};
    open_run(&o, &t, everything);
    fore_machine_init(&a, &o.p);
    fore_machine_init(&b, &o.p);
    assert_int_equal(fore_replay_run(&a, &full, &e), FORE_OK);
    assert_int_equal(fore_replay_run(&b, &brief, &e), FORE_OK);
    assert_int_equal(brief.moves.n, 0);
    fore_steps_expand(&brief, &o.p);
    assert_int_equal(brief.moves.n, full.moves.n);
    for (size_t i = 0; i < full.moves.n; i++) {
        const struct fore_move *x = &full.moves.at[i], *y = &brief.moves.at[i];
        assert_true(x->thread == y->thread && x->other == y->other && x->act == y->act &&
                    x->at == y->at && x->other_at == y->other_at);
    }
    fore_steps_release(&full);
    fore_steps_release(&brief);
    fore_machine_release(&a);
    fore_machine_release(&b);
    fore_run_release(&o);
    fore_trace_release(&t);
}

static void a_machine_that_forgot_lists_its_offers_again(void)
{
    struct fore_run o;
    struct fore_trace t;
    struct fore_machine m;
    struct fore_move v;
    struct fore_moves moves = {{0}};
    open_run(&o, &t,
             "1: signal(2)\n2: wait(2); pre(x!); post(x!)\n1: pre(x?); post(2#x?)\n");
    fore_machine_init(&m, &o.p);
    fore_machine_forget(&m);
    while (fore_machine_follow(&m, 1, &v) && v.act != FORE_ACT_SYNC)
        ;
    assert_true(fore_machine_follow(&m, 2, &v));
    fore_machine_list(&m);
    fore_machine_moves(&m, 2, false, &moves);
    assert_int_equal(moves.list.n, 1);
    assert_int_equal(moves.list.at[0].act, FORE_ACT_SYNC);
    fore_vec_release(&moves.list);
    fore_machine_release(&m);
    fore_run_release(&o);
    fore_trace_release(&t);
}

/* Everything but a barrier, which a run with marks must not have. */
static const char marked[] =
    "chan y cap=2\n"
    "1: signal(2); signal(3); wgadd(g, 2)\n2: wait(2)\n3: wait(3)\n"
    "2: pre(x!); post(x!)\n3: pre(x?); post(2#x?)\n"
    "2: pre(y!); post(y!#1)\n2: pre(y!); post(y!#2)\n"
    "3: pre(x?, y?); post(1#y?)\n2: pre(y!); post(y!#3)\n"
    "3: lock(m); cwait(c, m)\n2: lock(m); csignal(c, 3); unlock(m)\n3: cwoken(c, m); "
    "unlock(m)\n"
    "2: release(s, 2)\n3: acquire(s, 1); rlock(m)\n2: acquire(s, 1); rlock(m); "
    "runlock(m)\n3: runlock(m)\n"
    "3: pre(y?, default); post(2#y?); write(v)=1\n2: read(v)=1; close(y)\n"
    "2: wgdone(g); end\n3: wgdone(g); end\n1: pre(wgwait(g)); wgwait(g); end\n";

/* Takes the steps of the order from one on. */
static void follow_order(const struct fore_run *o, struct fore_machine *m, uint32_t from)
{
    struct fore_move v;
    for (uint32_t i = from; i < o->steps; i++)
        assert_true(fore_machine_follow(m, fore_insn_thread(&o->p, o->order[i]), &v));
}

static void same_state(const struct fore_machine *a, const struct fore_machine *b)
{
    assert_memory_equal(a->w, b->w, a->queues_at * sizeof *a->w);
    if (a->ledger)
        assert_memory_equal(a->w + a->ledger_at, b->w + b->ledger_at,
                            (a->loud - a->ledger_at) * sizeof *a->w);
    for (uint32_t x = 1; x <= a->p->objects; x++)
        for (uint32_t i = 0; i < 2 && fore_chan_capacity(a->p, x); i++)
            assert_int_equal(fore_machine_message(a, x, i),
                             fore_machine_message(b, x, i));
}

static void a_run_goes_on_from_each_mark(const char *sees, size_t least)
{
    struct fore_run o = {.mark_all = true};
    struct fore_trace t;
    struct fore_err e = {0};
    char text[2048];
    snprintf(text, sizeof text, "%s%s", sees, marked);
    trace_of(&t, text);
    if (fore_run_replay(&o, &t, &e) != FORE_OK)
        fail_msg("%s", e.msg);
    assert_true(o.marks.n >= least);
    for (size_t i = 0; i < o.marks.n; i++)
        for (int strict = 0; strict < 2; strict++) {
            struct fore_machine a, b;
            (strict ? fore_machine_init_strict : fore_machine_init)(&a, &o.p);
            (strict ? fore_machine_init_strict : fore_machine_init)(&b, &o.p);
            fore_machine_forget(&a);
            follow_order(&o, &a, 0);
            fore_run_resume(&o.marks.at[i], &b);
            assert_ptr_equal(fore_run_mark_before(&o, o.marks.at[i].steps),
                             &o.marks.at[i]);
            follow_order(&o, &b, o.marks.at[i].steps);
            same_state(&a, &b);
            fore_machine_release(&a);
            fore_machine_release(&b);
        }
    fore_run_release(&o);
    fore_trace_release(&t);
}

static void machines_go_on_from_marks(void)
{
    a_run_goes_on_from_each_mark("", 20);
    a_run_goes_on_from_each_mark("sees threads channels locks\n", 20);
}

static void there_is_no_mark_behind_a_default_that_was_believed(void)
{
    struct fore_run o = {.mark_all = true};
    struct fore_trace t;
    struct fore_err e = {0};
    trace_of(&t, "chan y cap=2\n"
                 "1: pre(y!); post(y!#1); pre(y?, default); post(select)\n"
                 "1: pre(y?); post(1#y?); end\n");
    assert_int_equal(fore_run_replay(&o, &t, &e), FORE_OK);
    assert_true(o.marks.n);
    assert_int_equal(fore_vec_last(&o.marks).steps, 1);
    fore_run_release(&o);
    fore_trace_release(&t);
}

/* A lock that two threads take in turn, so often that a budget is looked at meanwhile. */
static void closing_and_playing_end_with_the_budget(void)
{
    enum { ROUNDS = 1 << 14 };
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_run o;
    struct fore_trace t;
    struct fore_closure c;
    struct fore_machine m;
    struct fore_driver d;
    volatile sig_atomic_t stop = 0;
    struct fore_budget budget = {.interrupted = &stop};
    fore_strbuf_puts(&text, "1: signal(2)\n2: wait(2)\n");
    for (int i = 0; i < ROUNDS; i++)
        fore_strbuf_puts(&text, "1: lock(m); unlock(m)\n2: lock(m); unlock(m)\n");
    open_run(&o, &t, text.at);
    t.budget = &budget;
    fore_closure_init(&c, fore_run_index(&o), FORE_KEEPS_ALL);
    fore_closure_want(&c, o.p.first[3] - 1);
    assert_true(fore_closure_close(&c));
    for (stop = 0; stop < 2; stop++) {
        budget.spent = FORE_SPENT_NOTHING;
        fore_machine_init(&m, &o.p);
        fore_driver_init(&d, &m, NULL);
        assert_int_equal(fore_closure_play(&c, &d), !stop);
        assert_int_equal(d.stopped, stop);
        fore_driver_release(&d);
        fore_machine_release(&m);
    }
    fore_closure_clear(&c);
    fore_closure_want(&c, o.p.first[3] - 1);
    assert_false(fore_closure_close(&c));
    fore_closure_release(&c);
    fore_run_release(&o);
    fore_trace_release(&t);
    fore_strbuf_release(&text);
}

RUN_CASES(CASE(closing_and_playing_end_with_the_budget), CASE(machines_go_on_from_marks),
          CASE(there_is_no_mark_behind_a_default_that_was_believed),
          CASE(each_operation_has_its_place_in_the_order),
          CASE(it_is_made_once_for_a_trace), CASE(selects_at_one_place_share_their_list),
          CASE(moves_are_found_again), CASE(a_machine_that_forgot_lists_its_offers_again))
