/* The interpreter itself, on programs whose runs can be counted by hand. */
#include "oracle/verdict/world.h"

#include "unit/check.h"

#include <string.h>

static struct graph graph;

static void add_thread(struct program *p, const struct insn *code, unsigned n)
{
    unsigned t = p->threads++;
    memcpy(p->code[t], code, n * sizeof *code);
    p->root[t] = true;
    p->length[t] = n + 1; /* what is zero is the end */
}

#define THREAD(p, ...)                                                                   \
    add_thread(p, (const struct insn[]){__VA_ARGS__},                                    \
               sizeof((const struct insn[]){__VA_ARGS__}) / sizeof(struct insn))

static void build(const struct program *p)
{
    assert_true(graph_build(&graph, p, 10000));
}

/* Threads 1 and 2, or only the one whose place is not CODE, wait there for ever. */
static bool stuck(unsigned one, unsigned two)
{
    struct waits w = {{one < CODE, two < CODE}, {(uint8_t)one, (uint8_t)two}};
    return graph_stuck(&graph, &w);
}

static void independent_steps_come_in_every_order(void)
{
    struct program p = {0};
    THREAD(&p, {OP_WRITE, 0, 1}, {OP_WRITE, 0, 2});
    THREAD(&p, {OP_WRITE, 1, 1}, {OP_WRITE, 1, 2});
    build(&p);
    assert_int_equal(graph.nodes.n, 9);
    assert_int_equal(graph_finals(&graph), 1);
    assert_false(graph.racy);
}

static void accesses_side_by_side_race(void)
{
    struct program p = {0}, q = {0};
    THREAD(&p, {OP_LOCK, 0}, {OP_WRITE, 0, 1}, {OP_UNLOCK, 0}, {OP_READ, 1, 1});
    THREAD(&p, {OP_LOCK, 0}, {OP_READ, 0, 1}, {OP_UNLOCK, 0}, {OP_WRITE, 1, 1});
    build(&p);
    assert_true(graph.races[op_id(0, 3)][op_id(1, 3)]);
    assert_true(graph.races[op_id(1, 3)][op_id(0, 3)]);
    assert_false(graph.races[op_id(0, 1)][op_id(1, 1)]);
    THREAD(&q, {OP_READ, 0, 1});
    THREAD(&q, {OP_READ, 0, 1});
    build(&q);
    assert_false(graph.racy);
}

static void locks_in_two_orders_deadlock(void)
{
    struct program p = {0};
    THREAD(&p, {OP_LOCK, 0}, {OP_LOCK, 1}, {OP_UNLOCK, 1}, {OP_UNLOCK, 0});
    THREAD(&p, {OP_LOCK, 1}, {OP_LOCK, 0}, {OP_UNLOCK, 0}, {OP_UNLOCK, 1});
    build(&p);
    assert_true(stuck(1, 1));
    assert_false(stuck(0, CODE));
    assert_false(stuck(0, 1));
    assert_int_equal(graph_finals(&graph), 2);
}

static void what_a_branch_forbids_does_not_happen(void)
{
    struct program p = {0};
    /* Who comes second finds x set and leaves d alone. */
    p.capacity[1] = 1;
    THREAD(&p, {OP_LOCK, 0}, {OP_WRITE, 0, 1}, {OP_CLOSE, 1}, {OP_UNLOCK, 0});
    THREAD(&p, {OP_LOCK, 0}, {OP_READ, 0, 1}, {OP_IF, 1, 0, 0, 4}, {OP_SEND, 1, 1},
           {OP_UNLOCK, 0});
    build(&p);
    assert_false(graph.sends[op_id(1, 3)][op_id(0, 2)]);
    p.code[1][2].b = 1;
    build(&p);
    assert_true(graph.sends[op_id(1, 3)][op_id(0, 2)]);
}

static void compare_and_swap_elects_one(void)
{
    struct program p = {0};
    struct insn code[] = {
        {OP_CAS, 0, 0, 1, 1}, {OP_IF, 1, 1, 0, 4}, {OP_WRITE, 0, 1}, {OP_STORE, 0, 0}};
    add_thread(&p, code, 4);
    add_thread(&p, code, 4);
    build(&p);
    assert_false(graph.racy);
}

static void fetch_and_add_counts(void)
{
    struct program p = {0};
    struct insn code[] = {{OP_FADD, 0, 1, 0, 1}, {OP_IF, 1, 2, 0, 3}, {OP_CLOSE, 0}};
    add_thread(&p, code, 3);
    add_thread(&p, code, 3);
    build(&p);
    for (size_t i = 0; i < graph.nodes.n; i++)
        assert_false(graph.nodes.at[i].s.closed[0]);
    add_thread(&p, code, 3);
    build(&p);
    for (size_t i = 0; i < graph.nodes.n; i++)
        if (!graph.nodes.at[i].count)
            assert_true(graph.nodes.at[i].s.closed[0]);
}

static void one_of_two_senders_finds_no_receiver(void)
{
    struct program p = {0};
    THREAD(&p, {OP_SEND, 0, 1});
    THREAD(&p, {OP_SEND, 0, 2});
    THREAD(&p, {OP_RECV, 0, 1});
    build(&p);
    assert_true(stuck(0, CODE));
    assert_true(stuck(CODE, 0));
    assert_false(stuck(0, 0));
    assert_true(graph.meets[op_id(0, 0)][op_id(2, 0)]);
    assert_int_equal(graph_finals(&graph), 2);
}

static void a_buffer_takes_as_much_as_it_holds(void)
{
    struct program p = {0};
    p.capacity[0] = 1;
    THREAD(&p, {OP_SEND, 0, 1}, {OP_SEND, 0, 2});
    build(&p);
    assert_true(stuck(1, CODE));
    assert_false(stuck(0, CODE));
    p.capacity[0] = 2;
    build(&p);
    assert_false(stuck(1, CODE));
}

static void default_is_taken_only_if_the_buffer_is_empty(void)
{
    struct program p = {.capacity = {1}, .select_count = 1};
    p.selects[0] = (struct choice){.chan = {0}, .n = 1, .otherwise = true};
    THREAD(&p, {OP_SEND, 0, 1}, {OP_SELECT, 0, 1}, {OP_IF, 1, 1, 0, 4}, {OP_CLOSE, 1});
    build(&p);
    assert_int_equal(graph_finals(&graph), 1);
    for (size_t i = 0; i < graph.nodes.n; i++)
        assert_false(graph.nodes.at[i].s.closed[1]);
    /* Unbuffered, the receiver may come too early, and two that try never meet. */
    struct program q = {.select_count = 2};
    q.selects[0] = (struct choice){.chan = {0}, .n = 1, .otherwise = true};
    q.selects[1] =
        (struct choice){.chan = {0}, .send = {true}, .n = 1, .otherwise = true};
    THREAD(&q, {OP_SELECT, 0, 1});
    THREAD(&q, {OP_SEND, 0, 1});
    build(&q);
    assert_true(stuck(CODE, 0));
    assert_true(graph.meets[op_id(1, 0)][op_id(0, 0)]);
    q.code[1][0] = (struct insn){OP_SELECT, 1, 1, 0, 0};
    build(&q);
    assert_false(graph.meets[op_id(1, 0)][op_id(0, 0)]);
}

static void a_select_that_times_out_waits_for_nobody(void)
{
    struct program p = {.select_count = 1};
    p.selects[0] = (struct choice){.chan = {0}, .n = 1, .timeout = true};
    THREAD(&p, {OP_SELECT, 0, 1});
    build(&p);
    assert_false(stuck(0, CODE));
    p.selects[0].timeout = false;
    build(&p);
    assert_true(stuck(0, CODE));
}

static void a_writer_that_waits_keeps_readers_out_if_it_goes_first(void)
{
    struct program p = {.locks = {LOCK_WRITERS_FIRST}};
    THREAD(&p, {OP_RLOCK, 0}, {OP_RLOCK, 0}, {OP_RUNLOCK, 0}, {OP_RUNLOCK, 0});
    THREAD(&p, {OP_LOCK, 0}, {OP_UNLOCK, 0});
    build(&p);
    assert_true(stuck(1, 0));
    p.locks[0] = LOCK_READERS_FIRST;
    build(&p);
    assert_false(stuck(1, 0));
}

static void a_signal_before_the_wait_is_lost(void)
{
    struct program p = {0};
    THREAD(&p, {OP_LOCK, 0}, {OP_CWAIT, 0, 0}, {OP_UNLOCK, 0});
    THREAD(&p, {OP_LOCK, 0}, {OP_WRITE, 0, 1}, {OP_CSIGNAL, 0}, {OP_UNLOCK, 0});
    build(&p);
    assert_true(stuck(1, CODE));
    struct program q = {0};
    THREAD(&q, {OP_LOCK, 0}, {OP_READ, 0, 1}, {OP_IF, 1, 0, 0, 4}, {OP_CWAIT, 0, 0},
           {OP_UNLOCK, 0});
    THREAD(&q, {OP_LOCK, 0}, {OP_WRITE, 0, 1}, {OP_CSIGNAL, 0}, {OP_UNLOCK, 0});
    build(&q);
    assert_false(stuck(3, CODE));
}

static void a_broadcast_wakes_all_and_a_signal_one(void)
{
    struct program p = {0};
    struct insn wait[] = {{OP_LOCK, 0},
                          {OP_READ, 0, 1},
                          {OP_IF, 1, 0, 0, 4},
                          {OP_CWAIT, 0, 0},
                          {OP_UNLOCK, 0}};
    add_thread(&p, wait, 5);
    add_thread(&p, wait, 5);
    THREAD(&p, {OP_LOCK, 0}, {OP_WRITE, 0, 1}, {OP_CBROADCAST, 0}, {OP_UNLOCK, 0});
    build(&p);
    assert_false(stuck(3, CODE));
    p.code[2][2].op = OP_CSIGNAL;
    build(&p);
    assert_true(stuck(3, CODE));
    assert_true(stuck(CODE, 3));
    assert_false(stuck(3, 3));
}

static void counts_can_come_late_or_be_too_many(void)
{
    struct program p = {0};
    THREAD(&p, {OP_WGADD, 0, 1}, {OP_WGDONE, 0});
    THREAD(&p, {OP_WGWAIT, 0});
    build(&p);
    assert_true(graph.early[op_id(1, 0)][op_id(0, 0)]);
    assert_false(stuck(CODE, 0));
    struct program q = {0};
    THREAD(&q, {OP_WGADD, 0, 1}, {OP_FORK, 1}, {OP_WGWAIT, 0});
    THREAD(&q, {OP_WGDONE, 0});
    q.root[1] = false;
    build(&q);
    assert_false(stuck(2, CODE));
    assert_false(graph.early[op_id(0, 2)][op_id(0, 0)]);
}

static void a_barrier_opens_for_its_size(void)
{
    struct program p = {0};
    for (unsigned i = 0; i < 3; i++)
        THREAD(&p, {OP_BARRIER, 0, 2});
    build(&p);
    assert_int_equal(graph_finals(&graph), 3);
    assert_true(stuck(0, CODE));
    assert_false(stuck(0, 0));
}

static void one_runs_it_and_the_others_wait(void)
{
    struct program p = {0};
    struct insn code[] = {{OP_ONCE, 0, 0, 0, 3}, {OP_WRITE, 0, 1}, {OP_RAN, 0}};
    add_thread(&p, code, 3);
    add_thread(&p, code, 3);
    build(&p);
    assert_false(graph.racy);
    p.code[0][1] = p.code[1][1] = (struct insn){OP_RECV, 0, 1, 0, 0};
    build(&p);
    assert_true(stuck(1, 0));
    assert_true(stuck(0, 1));
    assert_false(stuck(1, 1));
}

static void a_pipe_keeps_its_order(void)
{
    struct program p = {0};
    THREAD(&p, {OP_OUT, 0, 1}, {OP_OUT, 0, 2});
    THREAD(&p, {OP_IN, 0, 1}, {OP_IF, 1, 2, 0, 3}, {OP_CLOSE, 0});
    build(&p);
    for (size_t i = 0; i < graph.nodes.n; i++)
        assert_false(graph.nodes.at[i].s.closed[0]);
    assert_false(stuck(CODE, 0));
}

static void who_joins_waits_for_the_end(void)
{
    struct program p = {0};
    THREAD(&p, {OP_FORK, 1}, {OP_JOIN, 1}, {OP_CLOSE, 0});
    THREAD(&p, {OP_SEND, 0, 1});
    p.root[1] = false;
    p.capacity[0] = 1;
    build(&p);
    assert_false(graph.sends[op_id(1, 0)][op_id(0, 2)]);
    p.capacity[0] = 0;
    build(&p);
    assert_true(stuck(1, 0));
}

static void a_timer_fires_after_it_was_armed(void)
{
    struct program p = {.capacity = {1}};
    THREAD(&p, {OP_SEND, 0, 1}, {OP_ARM, 0}, {OP_SEND, 0, 1});
    THREAD(&p, {OP_FIRE, 0}, {OP_CLOSE, 0});
    build(&p);
    assert_false(graph.sends[op_id(0, 0)][op_id(1, 1)]);
    assert_true(graph.sends[op_id(0, 2)][op_id(1, 1)]);
}

static void tokens_let_so_many_in(void)
{
    struct program p = {0};
    struct insn code[] = {{OP_ACQUIRE, 0}, {OP_WRITE, 0, 1}, {OP_RELEASE, 0, 1}};
    THREAD(&p, {OP_RELEASE, 0, 1});
    add_thread(&p, code, 3);
    add_thread(&p, code, 3);
    build(&p);
    assert_false(graph.racy);
    p.code[0][0].b = 2;
    build(&p);
    assert_true(graph.racy);
}

static void a_try_never_waits(void)
{
    struct program p = {0};
    struct insn code[] = {
        {OP_TRYLOCK, 0, 1}, {OP_IF, 1, 1, 0, 4}, {OP_WRITE, 0, 1}, {OP_UNLOCK, 0}};
    add_thread(&p, code, 4);
    add_thread(&p, code, 4);
    build(&p);
    assert_false(graph.racy);
    assert_false(stuck(0, CODE));
    for (size_t i = 0; i < graph.nodes.n; i++)
        if (!graph.nodes.at[i].count)
            assert_true(world_ended(&p, &graph.nodes.at[i].s, 0));
}

static void an_exit_ends_everything_else(void)
{
    struct program p = {0};
    THREAD(&p, {OP_EXIT});
    THREAD(&p, {OP_RECV, 0, 1});
    build(&p);
    assert_true(stuck(CODE, 0)); /* nobody would ever have sent */
    struct program q = {.capacity = {1}};
    THREAD(&q, {OP_EXIT}, {OP_CLOSE, 0});
    THREAD(&q, {OP_SEND, 0, 1});
    build(&q);
    assert_false(graph.sends[op_id(1, 0)][op_id(0, 1)]);
}

static void deadlocks_are_found_on_recorded_paths_only(void)
{
    struct program p = {0};
    struct deadlocks d = {{0}};
    struct paths paths;
    THREAD(&p, {OP_LOCK, 0}, {OP_LOCK, 1}, {OP_UNLOCK, 1}, {OP_UNLOCK, 0});
    THREAD(&p, {OP_LOCK, 1}, {OP_LOCK, 0}, {OP_UNLOCK, 0}, {OP_UNLOCK, 1});
    memset(&paths, CODE, sizeof paths);
    for (unsigned t = 0; t < 2; t++)
        for (unsigned i = 0; i < 4; i++)
            paths.next[t][i] = (uint8_t)(i + 1);
    find_deadlocks(&p, &paths, &d);
    assert_int_equal(d.list.n, 1);
    assert_int_equal(d.list.at[0].pc[0], 1);
    paths.next[1][0] = CODE;
    find_deadlocks(&p, &paths, &d);
    assert_int_equal(d.list.n, 0);
    fore_vec_release(&d.list);
}

RUN_CASES(CASE(independent_steps_come_in_every_order), CASE(accesses_side_by_side_race),
          CASE(locks_in_two_orders_deadlock), CASE(what_a_branch_forbids_does_not_happen),
          CASE(compare_and_swap_elects_one), CASE(fetch_and_add_counts),
          CASE(one_of_two_senders_finds_no_receiver),
          CASE(a_buffer_takes_as_much_as_it_holds),
          CASE(default_is_taken_only_if_the_buffer_is_empty),
          CASE(a_select_that_times_out_waits_for_nobody),
          CASE(a_writer_that_waits_keeps_readers_out_if_it_goes_first),
          CASE(a_signal_before_the_wait_is_lost),
          CASE(a_broadcast_wakes_all_and_a_signal_one),
          CASE(counts_can_come_late_or_be_too_many), CASE(a_barrier_opens_for_its_size),
          CASE(one_runs_it_and_the_others_wait), CASE(a_pipe_keeps_its_order),
          CASE(who_joins_waits_for_the_end), CASE(a_timer_fires_after_it_was_armed),
          CASE(tokens_let_so_many_in), CASE(a_try_never_waits),
          CASE(an_exit_ends_everything_else),
          CASE(deadlocks_are_found_on_recorded_paths_only))
