#include "machine/build.h"

#include "machine/replay.h"
#include "machine/witness.h"

struct world {
    struct fore_trace t;
    struct fore_program p;
    struct fore_machine m;
};

static void open_world(struct world *w, const char *text)
{
    struct fore_err e = {0};
    trace_of(&w->t, text);
    if (fore_program_build(&w->p, &w->t, &e) != FORE_OK)
        fail_msg("%s", e.msg);
    fore_machine_init(&w->m, &w->p);
}

static void close_world(struct world *w)
{
    fore_machine_release(&w->m);
    fore_program_release(&w->p);
    fore_trace_release(&w->t);
}

static uint32_t id(const struct world *w, const char *label)
{
    uint32_t text = fore_intern_find(&w->t.tables.strings, label, strlen(label));
    return fore_tables_find_thread(&w->t.tables, text);
}

/* Runs the thread as recorded, as far as it goes; returns how many of its operations are done. */
static uint32_t run(struct world *w, const char *label)
{
    struct fore_move v;
    uint32_t t = id(w, label);
    while (fore_machine_recorded(&w->m, t, &v))
        fore_machine_step(&w->m, v);
    return fore_machine_done(&w->m, t);
}

static size_t moves(struct world *w, const char *label, struct fore_moves *v)
{
    fore_vec_clear(&v->list);
    fore_machine_moves(&w->m, id(w, label), true, v);
    return v->list.n;
}

static void replays(const char *text)
{
    struct world w;
    struct fore_err e = {0};
    open_world(&w, text);
    if (fore_replay_run(&w.m, NULL, &e) != FORE_OK)
        fail_msg("%s", e.msg);
    close_world(&w);
}

static void contradicts(const char *text, const char *part)
{
    struct world w;
    struct fore_err e = {0};
    open_world(&w, text);
    assert_int_equal(fore_replay_run(&w.m, NULL, &e), FORE_MEANING);
    if (!strstr(e.msg, part))
        fail_msg("no \"%s\" in: %s", part, e.msg);
    close_world(&w);
}

static void a_rendezvous_takes_both_threads(void)
{
    struct world w;
    open_world(
        &w,
        "1: signal(2); pre(x!); post(x!); end\n2: wait(2); pre(x?); post(1#x?); end\n");
    assert_int_equal(run(&w, "1"), 1);
    assert_true(fore_machine_blocked(&w.m, id(&w, "1")));
    assert_int_equal(run(&w, "2"), 3);
    assert_int_equal(run(&w, "1"), 3);
    assert_true(fore_machine_ended(&w.m, id(&w, "2")));
    close_world(&w);
}

static void another_message_takes_the_receiver_off_the_trace(void)
{
    struct world w;
    struct fore_moves v = {{0}};
    open_world(&w, "1: pre(x!); post(x!); end\n2: pre(x!); post(x!); end\n"
                   "3: pre(x?); post(1#x?); pre(x?); post(2#x?); end\n");
    assert_int_equal(moves(&w, "3", &v), 2);
    for (size_t i = 0; i < v.list.n; i++)
        if (v.list.at[i].thread == id(&w, "2"))
            fore_machine_step(&w.m, v.list.at[i]);
    assert_true(fore_machine_flags(&w.m, id(&w, "3")) & FORE_T_OFF);
    assert_false(fore_machine_flags(&w.m, id(&w, "2")) & FORE_T_OFF);
    assert_int_equal(moves(&w, "3", &v), 0);
    assert_int_equal(moves(&w, "1", &v), 0);
    fore_vec_release(&v.list);
    close_world(&w);
}

static void undo_restores_state_and_fingerprint(void)
{
    struct world w;
    struct fore_moves v = {{0}};
    open_world(
        &w, "chan y cap=2\nlock m\n1: pre(y!); post(y!#1); lock(m); unlock(m); close(y)\n"
            "2: pre(y?); post(1#y?); pre(lock(m)); lock(m); unlock(m); pre(y?); "
            "post(0#y?)\n");
    uint64_t before = fore_machine_fingerprint(&w.m);
    uint32_t *words = fore_alloc(w.m.words * sizeof *words);
    memcpy(words, w.m.w, w.m.words * sizeof *words);
    run(&w, "1");
    run(&w, "2");
    assert_true(fore_machine_ended(&w.m, id(&w, "2")));
    assert_true(fore_machine_fingerprint(&w.m) != before);
    while (w.m.frames.n)
        fore_machine_undo(&w.m);
    assert_int_equal(fore_machine_fingerprint(&w.m), before);
    assert_memory_equal(words, w.m.w, w.m.words * sizeof *words);
    fore_free(words);
    fore_vec_release(&v.list);
    close_world(&w);
}

static void buffers_are_queues_of_their_capacity(void)
{
    struct world w;
    open_world(&w, "chan y cap=1\n1: pre(y!); post(y!#1); pre(y!); post(y!#2)\n"
                   "2: pre(y?); post(1#y?); pre(y?); post(2#y?)\n");
    assert_int_equal(run(&w, "1"), 1);
    assert_int_equal(fore_machine_queued(&w.m, 1), 1);
    assert_int_equal(run(&w, "2"), 1);
    assert_int_equal(run(&w, "1"), 2);
    assert_int_equal(run(&w, "2"), 2);
    close_world(&w);
}

static void nil_channels_block_for_ever(void)
{
    struct world w;
    open_world(&w, "1: pre(nil?)\n2: pre(nil!)\n");
    assert_true(fore_machine_blocked(&w.m, id(&w, "1")));
    assert_true(fore_machine_blocked(&w.m, id(&w, "2")));
    close_world(&w);
}

static void default_waits_for_no_one_but_sees_a_closed_channel(void)
{
    struct world w;
    struct fore_move v;
    open_world(&w, "1: pre(x?, default); post(select)\n2: close(x)\n");
    assert_true(fore_machine_recorded(&w.m, id(&w, "1"), &v));
    run(&w, "2");
    assert_false(fore_machine_recorded(&w.m, id(&w, "1"), &v));
    close_world(&w);
}

static void a_send_on_a_closed_channel_panics(void)
{
    struct world w;
    struct fore_moves v = {{0}};
    open_world(&w, "1: pre(x!); post(x!)\n2: pre(x?); post(1#x?)\n3: close(x)\n");
    run(&w, "3");
    assert_int_equal(moves(&w, "1", &v), 1);
    assert_int_equal(v.list.at[0].act, FORE_ACT_PANIC);
    fore_machine_step(&w.m, v.list.at[0]);
    assert_true(fore_machine_flags(&w.m, id(&w, "1")) & FORE_T_PANICKED);
    assert_int_equal(moves(&w, "2", &v), 1);
    assert_int_equal(v.list.at[0].act, FORE_ACT_CLOSED);
    fore_vec_release(&v.list);
    close_world(&w);
}

static void locks_exclude_and_recursive_ones_nest(void)
{
    struct world w;
    open_world(&w,
               "lock m\nlock r recursive\n1: lock(m); lock(r); lock(r); unlock(r); "
               "unlock(r); unlock(m)\n"
               "2: pre(lock(m)); lock(m); unlock(m); pre(lock(r)); lock(r); unlock(r)\n"
               "3: lock(m); pre(lock(m))\n");
    assert_int_equal(run(&w, "3"), 1);
    assert_true(fore_machine_blocked(&w.m, id(&w, "3")));
    assert_true(fore_machine_blocked(&w.m, id(&w, "2")));
    fore_machine_undo(&w.m);
    assert_int_equal(run(&w, "1"), 6);
    assert_int_equal(run(&w, "2"), 4);
    close_world(&w);
}

/* A reader, then a writer that has come, then the reader again. */
static bool second_reader_gets_in(const char *kind)
{
    struct world w;
    char text[200];
    snprintf(
        text, sizeof text,
        "lock m rw %s\n1: rlock(m); pre(rlock(m)); rlock(m); runlock(m); runlock(m)\n"
        "2: pre(lock(m)); lock(m); unlock(m)\n",
        kind);
    open_world(&w, text);
    struct fore_move v;
    fore_machine_recorded(&w.m, id(&w, "1"), &v);
    fore_machine_step(&w.m, v);
    v = (struct fore_move){.thread = id(&w, "2"), .act = FORE_ACT_ARRIVE};
    if (fore_machine_can(&w.m, v))
        fore_machine_step(&w.m, v);
    bool in = !fore_machine_blocked(&w.m, id(&w, "1"));
    assert_true(fore_machine_blocked(&w.m, id(&w, "2")));
    close_world(&w);
    return in;
}

static void a_waiting_writer_keeps_readers_out_only_if_it_is_first(void)
{
    assert_true(second_reader_gets_in("readers-first"));
    assert_true(second_reader_gets_in(""));
    assert_false(second_reader_gets_in("writers-first"));
}

static void a_signal_before_the_wait_is_lost(void)
{
    struct world w;
    struct fore_moves v = {{0}};
    const char *text = "lock m\n1: lock(m); cwait(c, m)\n"
                       "2: lock(m); csignal(c, 1); unlock(m)\n"
                       "1: cwoken(c, m); unlock(m)\n";
    replays(text);
    open_world(&w, text);
    assert_int_equal(run(&w, "2"), 3);
    run(&w, "1");
    assert_true(fore_machine_blocked(&w.m, id(&w, "1")));
    while (w.m.frames.n)
        fore_machine_undo(&w.m);
    assert_int_equal(run(&w, "1"), 2);
    assert_int_equal(run(&w, "2"), 3);
    assert_int_equal(run(&w, "1"), 4);
    fore_vec_release(&v.list);
    close_world(&w);
}

/* So do those that wait for some time only. */
static void a_wait_may_end_without_a_signal(void)
{
    struct world w;
    const char *text =
        "lock m\n1: lock(m); cwait(c, m)\n2: lock(m); csignal(c); unlock(m)\n"
        "1: cwoken(c, m); cwait(c, m); pre(cwoken(c, m)); cwoken(c, m); unlock(m)\n";
    replays(text);
    open_world(&w, text);
    assert_int_equal(run(&w, "1"), 2); /* the first was signalled */
    assert_true(fore_machine_blocked(&w.m, id(&w, "1")));
    assert_int_equal(run(&w, "2"), 3);
    assert_int_equal(run(&w, "1"), 6); /* the second was not */
    while (w.m.frames.n)
        fore_machine_undo(&w.m);
    assert_int_equal(run(&w, "1"), 2);
    close_world(&w);
}

static void a_broadcast_wakes_all(void)
{
    replays("lock m\n1: lock(m); cwait(c, m)\n2: lock(m); cwait(c, m)\n"
            "3: lock(m); cbroadcast(c); unlock(m)\n1: cwoken(c, m); unlock(m)\n"
            "2: pre(cwoken(c, m)); cwoken(c, m); unlock(m)\n");
}

static void each_operation_has_a_rank_of_its_own(void)
{
    struct world w;
    bool taken[32] = {false};
    open_world(&w, "sees locks\nlock m\n1: pre(lock(m)); lock(m); cwait(c, m)\n2: "
                   "lock(m); cwait(c, m)\n"
                   "3: lock(m); cbroadcast(c); unlock(m)\n1: cwoken(c, m); unlock(m)\n"
                   "2: pre(cwoken(c, m)); cwoken(c, m); unlock(m)\n");
    assert_true(w.p.blind);
    for (uint32_t op = 0; op < w.p.op_count; op++) {
        assert_true(w.p.rank[op] < w.p.op_count);
        assert_false(taken[w.p.rank[op]]);
        taken[w.p.rank[op]] = true;
    }
    close_world(&w);
}

static void barriers_open_when_all_have_come(void)
{
    struct world w;
    open_world(&w, "1: pre(barrier(b, 2)); barrier(b, 2); barrier(b, 2)\n"
                   "2: pre(barrier(b, 2)); barrier(b, 2); barrier(b, 2)\n");
    assert_int_equal(run(&w, "1"), 0);
    assert_int_equal(run(&w, "2"), 1);
    assert_int_equal(run(&w, "1"), 2);
    assert_int_equal(run(&w, "2"), 2);
    close_world(&w);
}

static void semaphores_start_with_what_was_taken_first(void)
{
    struct world w;
    open_world(&w,
               "1: acquire(s); release(s)\n2: acquire(s); acquire(s); release(s, 2)\n");
    assert_int_equal(w.p.initial[1], 2);
    assert_int_equal(run(&w, "2"), 3);
    assert_int_equal(run(&w, "1"), 2);
    close_world(&w);
}

static void wait_groups_wait_for_zero(void)
{
    struct world w;
    open_world(
        &w,
        "1: wgadd(g, 1); signal(2); pre(wgwait(g)); wgwait(g)\n2: wait(2); wgdone(g)\n");
    assert_int_equal(run(&w, "1"), 2);
    assert_true(fore_machine_blocked(&w.m, id(&w, "1")));
    assert_int_equal(run(&w, "2"), 2);
    assert_int_equal(run(&w, "1"), 3);
    close_world(&w);
}

static void whoever_waits_for_a_once_might_have_run_it(void)
{
    struct world w;
    struct fore_moves v = {{0}};
    open_world(&w,
               "1: write(a)=1; once(o)=ran\n2: pre(once(o)=waited); once(o)=waited\n");
    assert_int_equal(run(&w, "2"), 0);
    assert_int_equal(moves(&w, "2", &v), 1);
    assert_int_equal(run(&w, "1"), 2);
    assert_int_equal(run(&w, "2"), 1);
    fore_vec_release(&v.list);
    close_world(&w);
}

static void join_waits_for_the_end(void)
{
    struct world w;
    open_world(&w, "1: signal(2); pre(join(2)); join(2)\n2: wait(2); end\n");
    assert_int_equal(run(&w, "1"), 1);
    assert_int_equal(run(&w, "2"), 2);
    assert_int_equal(run(&w, "1"), 2);
    close_world(&w);
}

static void another_value_takes_the_reader_off_the_trace(void)
{
    struct world w;
    struct fore_moves v = {{0}};
    open_world(&w, "init a=0\n1: write(a)=1; write(a)=0\n2: read(a)=0; write(b)=1\n");
    struct fore_move first;
    fore_machine_recorded(&w.m, id(&w, "1"), &first);
    fore_machine_step(&w.m, first);
    assert_false(fore_machine_recorded(&w.m, id(&w, "2"), &first));
    assert_int_equal(moves(&w, "2", &v), 1);
    fore_machine_step(&w.m, v.list.at[0]);
    assert_true(fore_machine_flags(&w.m, id(&w, "2")) & FORE_T_OFF);
    fore_machine_undo(&w.m);
    run(&w, "1");
    assert_int_equal(run(&w, "2"), 2);
    fore_vec_release(&v.list);
    close_world(&w);
}

/* As by a system call that fills a buffer. */
static void what_was_written_unseen_is_read_after_the_same_writer(void)
{
    struct world w;
    struct fore_move v;
    replays("init a=0\n1: write(a)=1; read(a)=7; write(a)=2; read(a)=2\n");
    open_world(&w, "init a=0\n1: write(a)=1; write(a)=2\n2: read(a)=7\n");
    assert_false(fore_machine_recorded(&w.m, id(&w, "2"), &v));
    assert_int_equal(run(&w, "1"), 2);
    assert_int_equal(run(&w, "2"), 1);
    close_world(&w);
}

static void a_trylock_that_was_lucky_may_not_be(void)
{
    struct world w;
    struct fore_move v;
    open_world(&w, "lock m\n1: lock(m); unlock(m)\n2: trylock(m)=ok; unlock(m)\n");
    fore_machine_recorded(&w.m, id(&w, "1"), &v);
    fore_machine_step(&w.m, v);
    assert_false(fore_machine_recorded(&w.m, id(&w, "2"), &v));
    close_world(&w);
}

static void lines_grouped_by_thread_replay(void)
{
    replays(
        "chan y cap=2\n3: wait(3); pre(y?); post(7#y?); pre(y?); post(0#y?)\n"
        "2: wait(2); pre(x?, y?, default); post(1#x?); pre(y!); post(y!#7); close(y)\n"
        "1: signal(2); signal(3); signal(4); pre(x!)@main.go:4; post(x!)\n"
        "4: wait(4); read(w); write(v)=50; pre(lock(m)); lock(m); unlock(m); "
        "pre(lock(n))\n");
}

static void a_timer_fires_in_its_order(void)
{
    struct world w;
    open_world(&w,
               "chan t cap=1\n1: arm(k)\n2: fire(k); pre(t!); post(t!#1)\n"
               "3: fire(k); pre(t!, default); post(select)\n1: pre(t?); post(1#t?)\n");
    assert_int_equal(run(&w, "2"), 0);
    assert_int_equal(run(&w, "1"), 1);
    assert_int_equal(run(&w, "3"), 0);
    assert_int_equal(run(&w, "2"), 2);
    assert_int_equal(run(&w, "3"), 2);
    close_world(&w);
}

static void a_stopped_timer_drops_its_message(void)
{
    replays("chan t cap=1\n1: pre(t!); post(t!#1)\n1: pre(t!); post(t!#2)\n"
            "2: pre(t?); post(2#t?)\n");
    contradicts("chan t cap=2\n1: pre(t!); post(t!#1)\n1: pre(t!); post(t!#2)\n"
                "2: pre(t?); post(2#t?)\n",
                "cannot have happened in this order");
}

static void contradictions_are_told(void)
{
    contradicts("1: pre(x!); post(x!); pre(y?); post(2#y?)\n2: pre(y!); post(y!); "
                "pre(x?); post(1#x?)\n",
                "cannot have happened in this order: thread 1: post(x!): ");
    contradicts("chan y cap=2\n1: pre(y!); post(y!#1); pre(y!); post(y!#2)\n"
                "2: pre(y?); post(2#y?); pre(y?); post(1#y?)\n",
                "cannot have happened in this order");
}

static void verifies(const char *trace, const char *witness, const char *problem)
{
    struct fore_trace t, w;
    struct fore_err e = {0};
    trace_of(&t, trace);
    trace_of(&w, witness);
    enum fore_status st = fore_witness_check(&w, &t, &e);
    if (!problem && st != FORE_OK) {
        fail_msg("%s", e.msg);
    } else if (problem && (st == FORE_OK || !strstr(e.msg, problem))) {
        fail_msg("no \"%s\" in: %s", problem, st ? e.msg : "(accepted)");
    }
    fore_trace_release(&t);
    fore_trace_release(&w);
}

static const char two_locks[] =
    "lock a\nlock b\n"
    "1: lock(a); pre(lock(b)); lock(b); unlock(b); unlock(a)\n"
    "2: lock(b); pre(lock(a)); lock(a); unlock(a); unlock(b)\n";

static void a_trace_is_a_witness_of_itself(void)
{
    verifies(two_locks, two_locks, NULL);
}

static void a_deadlock_is_verified(void)
{
    verifies(two_locks,
             "lock a\nlock b\n1: lock(a)\n2: lock(b); pre(lock(a))\n1: "
             "pre(lock(b))\nexpect blocked 1 2\n",
             NULL);
    verifies(two_locks, "lock a\n1: lock(a); pre(lock(b))\nexpect blocked 1\n",
             "thread 1 is not blocked");
    verifies(two_locks, "lock a\n1: pre(lock(b)); lock(b)\n", "did something else");
}

static void a_thread_off_the_trace_may_not_go_on(void)
{
    const char *trace = "1: pre(x!); post(x!)\n2: pre(x!); post(x!)\n"
                        "3: pre(x?); post(1#x?); pre(x?); post(2#x?)\n";
    verifies(trace, "2: pre(x!)\n3: pre(x?)\n2: post(x!)\n3: post(2#x?)\n", NULL);
    verifies(trace,
             "2: pre(x!); post(x!)\n3: pre(x?); post(2#x?)\n1: pre(x!); post(x!)\n"
             "3: pre(x?); post(1#x?)\n",
             "may have branched");
}

static void a_panic_is_verified(void)
{
    const char *trace = "1: pre(x!); post(x!)\n2: pre(x?); post(1#x?)\n3: close(x)\n";
    verifies(trace, "3: close(x)\n1: pre(x!); post(x!closed)\nexpect panic 1\n", NULL);
    verifies(trace, "3: close(x)\nexpect panic 1\n", "does not panic");
}

/* What the machine does, noted as a witness, is one. */
static void noted_runs_are_witnesses(void)
{
    struct world w;
    struct fore_witness note = {.fresh = 0};
    struct fore_moves v = {{0}};
    open_world(
        &w,
        "chan y cap=1\nlock m\n1: signal(2); pre(y!); post(y!#1); pre(x!); post(x!); "
        "close(y)\n"
        "2: wait(2); pre(x?, y?); post(1#y?); lock(m); unlock(m); pre(x?); post(1#x?)\n"
        "3: lock(m); pre(y?); post(0#y?); unlock(m)\n");
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t t = w.p.threads; t >= 1; t--) {
            fore_vec_clear(&v.list);
            fore_machine_moves(&w.m, t, false, &v);
            if (v.list.n) {
                fore_witness_step(&note, &w.m, v.list.at[v.list.n - 1]);
                moved = true;
            }
        }
    }
    struct fore_trace as = {.name = (char *)"noted", .tables = w.t.tables, .cases = {0}};
    as.events.at = note.events.at;
    as.events.n = note.events.n;
    as.cases.at = w.t.cases.at;
    as.cases.n = w.t.cases.n;
    struct fore_err e = {0};
    if (fore_witness_check(&as, &w.t, &e) != FORE_OK)
        fail_msg("%s", e.msg);
    fore_witness_release(&note);
    fore_vec_release(&v.list);
    close_world(&w);
}

RUN_CASES(CASE(a_rendezvous_takes_both_threads),
          CASE(another_message_takes_the_receiver_off_the_trace),
          CASE(undo_restores_state_and_fingerprint),
          CASE(buffers_are_queues_of_their_capacity), CASE(nil_channels_block_for_ever),
          CASE(default_waits_for_no_one_but_sees_a_closed_channel),
          CASE(a_send_on_a_closed_channel_panics),
          CASE(locks_exclude_and_recursive_ones_nest),
          CASE(a_waiting_writer_keeps_readers_out_only_if_it_is_first),
          CASE(a_signal_before_the_wait_is_lost), CASE(a_wait_may_end_without_a_signal),
          CASE(a_broadcast_wakes_all), CASE(each_operation_has_a_rank_of_its_own),
          CASE(barriers_open_when_all_have_come),
          CASE(semaphores_start_with_what_was_taken_first),
          CASE(wait_groups_wait_for_zero),
          CASE(whoever_waits_for_a_once_might_have_run_it), CASE(join_waits_for_the_end),
          CASE(another_value_takes_the_reader_off_the_trace),
          CASE(what_was_written_unseen_is_read_after_the_same_writer),
          CASE(a_trylock_that_was_lucky_may_not_be), CASE(lines_grouped_by_thread_replay),
          CASE(a_timer_fires_in_its_order), CASE(a_stopped_timer_drops_its_message),
          CASE(contradictions_are_told), CASE(a_trace_is_a_witness_of_itself),
          CASE(a_deadlock_is_verified), CASE(a_thread_off_the_trace_may_not_go_on),
          CASE(a_panic_is_verified), CASE(noted_runs_are_witnesses))
