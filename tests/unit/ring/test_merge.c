#include "merges.h"

static void a_thread_comes_after_its_signal(void)
{
    struct ringfile f;
    ringfile_init(&f);
    ringfile_op(&f, 2, FORE_RING_WAIT, 0, 0);
    ringfile_op(&f, 2, FORE_RING_END, 0, 0);
    ringfile_with(&f, 1, FORE_RING_SIGNAL, 0, 0, 2, 0);
    ringfile_with(&f, 1, FORE_RING_JOIN, 0, 0, 2, 0);
    assert_merges_to(&f, "1:signal(2) 2:wait(2) 2:end 1:pre(join(2)) 1:join(2)", 0);
    ringfile_release(&f);
}

static void both_sides_of_a_communication_come_together(void)
{
    struct ringfile f;
    ringfile_init(&f);
    ringfile_chan(&f, 1, 1, 0, "x");
    start(&f, 1);
    ringfile_op(&f, 1, FORE_RING_RECV_EVENT, 1, 1);
    ringfile_op(&f, 1, FORE_RING_RECV_EVENT, 1, 2);
    ringfile_op(&f, 2, FORE_RING_SEND_EVENT, 1, 1);
    ringfile_op(&f, 2, FORE_RING_SEND_EVENT, 1, 2);
    assert_merges_to(&f,
                     "1:signal(2) 2:wait(2) 2:pre(x!) 1:pre(x?) 2:post(x!) 1:post(2#x?) "
                     "2:pre(x!) 1:pre(x?) 2:post(x!) 1:post(2/2#x?)",
                     0);
    ringfile_release(&f);
}

static void a_buffer_orders_by_room_and_content(void)
{
    struct ringfile f;
    ringfile_init(&f);
    ringfile_chan(&f, 1, 1, 1, "y");
    start(&f, 1);
    /* Main sends twice into room for one: the second send needs the first receive. */
    ringfile_op(&f, 1, FORE_RING_SEND_EVENT, 1, 1);
    ringfile_op(&f, 1, FORE_RING_SEND_EVENT, 1, 2);
    ringfile_op(&f, 2, FORE_RING_RECV_EVENT, 1, 1);
    ringfile_op(&f, 2, FORE_RING_RECV_EVENT, 1, 2);
    assert_merges_to(
        &f,
        "1:signal(2) 1:pre(y!) 1:post(y!#1) 2:wait(2) 2:pre(y?) 2:post(1#y?) "
        "1:pre(y!) 1:post(y!#2) 2:pre(y?) 2:post(2#y?)",
        0);
    ringfile_release(&f);
}

static void tickets_order_the_users_of_a_lock(void)
{
    struct ringfile f;
    ringfile_init(&f);
    start(&f, 1);
    ringfile_op(&f, 1, FORE_RING_LOCK, 1, 3);
    ringfile_op(&f, 1, FORE_RING_UNLOCK, 1, 4);
    ringfile_op(&f, 2, FORE_RING_LOCK, 1, 1);
    ringfile_op(&f, 2, FORE_RING_UNLOCK, 1, 2);
    assert_merges_to(&f,
                     "1:signal(2) 2:wait(2) 2:pre(lock(lock1)) 2:lock(lock1) "
                     "2:unlock(lock1) 1:pre(lock(lock1)) 1:lock(lock1) 1:unlock(lock1)",
                     0);
    ringfile_release(&f);
}

static void a_condition_carries_the_tickets_of_two_objects(void)
{
    struct ringfile f;
    ringfile_init(&f);
    start(&f, 1);
    ringfile_op(&f, 1, FORE_RING_LOCK, 1, 1);
    ringfile_with(&f, 1, FORE_RING_CWAIT, 2, 1, 1, 2);
    ringfile_with(&f, 1, FORE_RING_CWOKEN, 2, 3, 1, 5);
    ringfile_op(&f, 2, FORE_RING_LOCK, 1, 3);
    ringfile_with(&f, 2, FORE_RING_CSIGNAL, 2, 2, 1, 0);
    ringfile_op(&f, 2, FORE_RING_UNLOCK, 1, 4);
    assert_merges_to(&f,
                     "1:signal(2) 1:pre(lock(lock1)) 1:lock(lock1) 1:cwait(cond2, lock1) "
                     "2:wait(2) 2:pre(lock(lock1)) 2:lock(lock1) 2:csignal(cond2, 1) "
                     "2:unlock(lock1) 1:pre(cwoken(cond2, lock1)) 1:cwoken(cond2, lock1)",
                     0);
    ringfile_release(&f);
}

static void a_place_has_its_first_value_and_its_accesses_in_order(void)
{
    struct ringfile f;
    struct fore_trace t;
    uint64_t def[6] = {FORE_RING_OBJ_PLACE, 0, 20, FORE_RING_VALUE_INT, 'w'};
    uint64_t two[4] = {24, 0, FORE_RING_VALUE_INT << FORE_F_VALUE_SHIFT};
    ringfile_init(&f);
    start(&f, 1);
    ringfile_put(&f, 1, 7, FORE_RING_DEF_OBJECT, FORE_RING_DONE | FORE_RING_INIT, 1, def,
                 3);
    ringfile_put(&f, 1, 7, FORE_RING_READ, FORE_RING_DONE | FORE_RING_TYPES, 2, two, 2);
    ringfile_put(&f, 2, 7, FORE_RING_WRITE, FORE_RING_DONE | FORE_RING_TYPES, 1, two, 2);
    assert_merges_to(&f, "1:signal(2) 2:wait(2) 2:write(w)=24 1:read(w)=24", 0);
    merge(&f, &t);
    uint32_t w = fore_tables_object(&t.tables, FORE_OBJ_PLACE, "w", 1);
    assert_int_equal(t.tables.objects.at[w].init.type, FORE_VALUE_INT);
    assert_int_equal(t.tables.objects.at[w].init.bits, 20);
    fore_trace_release(&t);
    ringfile_release(&f);
}

static void what_the_capture_says_of_itself_is_kept(void)
{
    struct ringfile f;
    struct fore_trace t;
    const uint64_t site[2] = {0, 9}, asm_text[2] = {0x65646f63, 0};
    const uint64_t name[2] = {0x632e66, 0}, member[2] = {0x6e2e50, 0};
    ringfile_init(&f);
    f.header->source = FORE_RING_C;
    f.header->sees = FORE_RING_SEES_DECLARED | FORE_RING_SEES_LOCKS;
    ringfile_put(&f, 1, 9, FORE_RING_DEF_STRING, FORE_RING_DONE, 3, name, 1);
    ringfile_put(&f, 1, 4, FORE_RING_DEF_WHERE, FORE_RING_STRAIGHT, 0, site, 1)->where =
        5;
    ringfile_put(&f, 1, 0, FORE_RING_DEF_UNSEEN, FORE_RING_DONE, 4, asm_text, 1);
    ringfile_put(&f, 1, FORE_RING_UNSEEN_MEMBER, FORE_RING_DEF_UNSEEN, FORE_RING_DONE, 3,
                 member, 1);
    ringfile_op(&f, 1, FORE_RING_USE, 0, 0);
    ringfile_op(&f, 1, FORE_RING_LOCK, 7, 1)->where = 5;
    ringfile_op(&f, 1, FORE_RING_OUT, 0, 0);
    ringfile_op(&f, 1, FORE_RING_WRITE, 8, 1);
    assert_merges_to(
        &f, "1:use 1:pre(lock(lock7)) 1:lock(lock7) 1:out(\"\") 1:write(place8)", 0);
    merge(&f, &t);
    assert_int_equal(t.tables.sees, FORE_SEES_DECLARED | FORE_SEES_LOCKS);
    const struct fore_unseen *unseen = t.tables.unseen.at;
    assert_int_equal(t.tables.unseen.n, 2);
    assert_string_equal(fore_tables_text(&t.tables, unseen[0].text), "code");
    assert_int_equal(unseen[0].member, 0);
    assert_string_equal(fore_tables_text(&t.tables, unseen[1].member), "P.n");
    assert_string_equal(fore_tables_text(&t.tables, unseen[1].text),
                        "all but the first that have P.n");
    assert_false(t.events.at[0].flags & FORE_F_STRAIGHT);
    assert_true(t.events.at[1].flags & t.events.at[2].flags & FORE_F_STRAIGHT);
    fore_trace_release(&t);
    f.header->sees = 0;
    merge(&f, &t);
    assert_int_equal(t.tables.sees, FORE_SEES_LEGACY | FORE_SEES_LEGACY_MEMORY);
    fore_trace_release(&t);
    ringfile_release(&f);
}

/* A use comes before its record: once, before all of a run, before what others tell of the thread meanwhile, and before a
 * wait that does not end. */
static void a_use_is_a_mark_of_the_next_record(void)
{
    enum { USED = FORE_RING_DONE | FORE_RING_USES };
    struct ringfile f;
    const uint64_t run[2] = {2, 1};
    ringfile_init(&f);
    f.header->source = FORE_RING_C;
    start(&f, 1);
    ringfile_put(&f, 2, 5, FORE_RING_LOCK, USED, 1, NULL, 0);
    ringfile_put(&f, 2, 7, FORE_RING_READ, USED | FORE_RING_RUN, 0, run, 1);
    ringfile_with(&f, 1, FORE_RING_PAST, 9, 1, 2 | (uint64_t)FORE_RING_WRITE << 32, 2);
    ringfile_put(&f, 2, 6, FORE_RING_LOCK, FORE_RING_USES, 0, NULL, 0);
    assert_merges_to(
        &f,
        "1:signal(2) 2:wait(2) 2:use 2:pre(lock(lock5)) 2:lock(lock5) 2:use "
        "2:write(place9) "
        "2:read(place7) 2:read(place8) 2:read(place9) 2:use 2:pre(lock(lock6))",
        0);
    ringfile_release(&f);
}

/* Thread 2 wrote between its two unlocks and read after the second one, says thread 1. */
static void put_told(struct ringfile *f)
{
    start(f, 1);
    for (uint64_t n = 1; n <= 3; n++) {
        ringfile_op(f, 2, FORE_RING_LOCK, 5, 2 * n - 1);
        ringfile_op(f, 2, FORE_RING_UNLOCK, 5, 2 * n);
    }
    ringfile_with(f, 1, FORE_RING_DEF_OBJECT, 7, 0, FORE_RING_OBJ_PLACE, 0);
    ringfile_with(f, 1, FORE_RING_PAST, 7, 2, 2 | (uint64_t)FORE_RING_READ << 32, 5);
    ringfile_with(f, 1, FORE_RING_PAST, 7, 1, 2 | (uint64_t)FORE_RING_WRITE << 32, 3);
    ringfile_with(f, 1, FORE_RING_WRITE, 7, 3, 1, 0);
}

static const char told[] =
    "1:signal(2) 2:wait(2) 2:pre(lock(lock5)) 2:lock(lock5) 2:unlock(lock5) "
    "2:write(place7) 2:pre(lock(lock5)) 2:lock(lock5) 2:unlock(lock5) 2:read(place7) "
    "2:pre(lock(lock5)) 2:lock(lock5) 2:unlock(lock5) 1:write(place7)";

static void what_another_thread_told_comes_where_it_was_done(void)
{
    struct ringfile f;
    ringfile_init(&f);
    put_told(&f);
    assert_merges_to(&f, told, 0);
    /* Thread 2 has 7 records: nothing can be after the ninth. */
    ringfile_with(&f, 1, FORE_RING_PAST, 7, 4, 2 | (uint64_t)FORE_RING_READ << 32, 9);
    ringfile_with(&f, 1, FORE_RING_PAST, 7, 5, 3 | (uint64_t)FORE_RING_READ << 32, 0);
    assert_merges_to(&f, told, 2);
    ringfile_release(&f);
}

static void a_run_is_of_many_places(void)
{
    struct ringfile f;
    uint64_t run[2] = {2, 4};
    ringfile_init(&f);
    start(&f, 1);
    ringfile_op(&f, 2, FORE_RING_END, 0, 0);
    ringfile_op(&f, 1, FORE_RING_DEF_PLACES, 100, 16);
    ringfile_with(&f, 1, FORE_RING_PAST, 101, 1,
                  2 | (uint64_t)FORE_RING_WRITE << 32 | (uint64_t)4 << 40,
                  1 | (uint64_t)2 << 32);
    ringfile_put(&f, 1, 101, FORE_RING_READ, FORE_RING_DONE | FORE_RING_RUN, 2, run, 1);
    ringfile_op(&f, 1, FORE_RING_WRITE, 101, 3);
    assert_merges_to(&f,
                     "1:signal(2) 2:wait(2) 2:write(place101) 2:write(place105) "
                     "2:write(place109) 2:end 1:read(place101) 1:read(place105) "
                     "1:read(place109) 1:write(place101)",
                     0);
    ringfile_release(&f);
}

/* Thread 2 reads, thread 3 does, and thread 2 again; then thread 1 writes. Only what thread 2 read
 * at last is told, by thread 1, whose records come first in the file. */
static void what_was_read_early_comes_before_what_is_written(void)
{
    struct ringfile f;
    const uint64_t past[2] = {2 | (uint64_t)FORE_RING_READ << 32, 3};
    ringfile_init(&f);
    start(&f, 2);
    ringfile_put(&f, 1, 7, FORE_RING_PAST, FORE_RING_DONE | FORE_RING_EARLY, 3, past, 1);
    ringfile_op(&f, 1, FORE_RING_WRITE, 7, 3);
    ringfile_op(&f, 2, FORE_RING_READ, 7, 1);
    ringfile_op(&f, 3, FORE_RING_READ, 7, 2);
    ringfile_op(&f, 3, FORE_RING_LOCK, 5, 1);
    ringfile_op(&f, 3, FORE_RING_UNLOCK, 5, 2);
    ringfile_op(&f, 2, FORE_RING_LOCK, 5, 3);
    assert_merges_to(&f,
                     "1:signal(2) 1:signal(3) 2:wait(2) 2:read(place7) 3:wait(3) "
                     "3:read(place7) 3:pre(lock(lock5)) 3:lock(lock5) 3:unlock(lock5) "
                     "2:pre(lock(lock5)) 2:lock(lock5) 2:read(place7) 1:write(place7)",
                     0);
    ringfile_release(&f);
}

static void put_brief(struct ringfile *f, unsigned kind, int64_t value, unsigned type)
{
    uint64_t in_place = ((uint64_t)value << 3 | type) & (((uint64_t)1 << 40) - 1);
    ringfile_put(f, 1, 7, kind, FORE_RING_DONE | FORE_RING_BRIEF, in_place, NULL, 0);
}

static void a_brief_value_stands_in_place_of_a_ticket(void)
{
    struct ringfile f;
    ringfile_init(&f);
    put_brief(&f, FORE_RING_WRITE, -3, FORE_RING_VALUE_INT);
    put_brief(&f, FORE_RING_READ, 4294967295, FORE_RING_VALUE_INT);
    put_brief(&f, FORE_RING_WRITE, 1, FORE_RING_VALUE_BOOL);
    put_brief(&f, FORE_RING_READ, 0, 0);
    assert_merges_to(&f,
                     "1:write(place7)=-3 1:read(place7)=4294967295 "
                     "1:write(place7)=true 1:read(place7)",
                     0);
    ringfile_release(&f);
}

/* What is accessed with the lock held needs no ticket, and who comes without it waits for the
 * lock's. */
static void after_the_ticket_of_a_lock_comes_who_does_not_hold_it(void)
{
    struct ringfile f;
    ringfile_init(&f);
    start(&f, 1);
    ringfile_op(&f, 1, FORE_RING_AFTER, 5, 3);
    ringfile_op(&f, 1, FORE_RING_READ, 7, 1);
    ringfile_op(&f, 1, FORE_RING_LOCK, 5, 3);
    ringfile_op(&f, 2, FORE_RING_LOCK, 5, 1);
    ringfile_op(&f, 2, FORE_RING_WRITE, 7, 0);
    ringfile_op(&f, 2, FORE_RING_UNLOCK, 5, 2);
    assert_merges_to(&f,
                     "1:signal(2) 2:wait(2) 2:pre(lock(lock5)) 2:lock(lock5) "
                     "2:write(place7) 2:unlock(lock5) 1:read(place7) 1:pre(lock(lock5)) "
                     "1:lock(lock5)",
                     0);
    ringfile_release(&f);
}

static void a_file_that_may_tell_is_merged_at_its_end(void)
{
    struct ringfile f;
    struct live l;
    ringfile_init(&f);
    live_open(&l, &f);
    f.header->has_past = 1;
    put_told(&f);
    for (int i = 0; i < 3; i++)
        live_poll(&l);
    assert_int_equal(l.t.events.n, 0);
    live_finish(&l);
    char *got = lines_of(&l.t);
    assert_string_equal(got, told);
    fore_free(got);
    fore_trace_release(&l.t);
    ringfile_release(&f);
}

static void what_never_completed_comes_last_and_the_exit_after_it(void)
{
    struct ringfile f;
    struct fore_ring_case cases[2] = {{1, FORE_RING_CASE_RECV}, {2, FORE_RING_CASE_SEND}};
    ringfile_init(&f);
    ringfile_chan(&f, 1, 1, 0, "x");
    ringfile_chan(&f, 1, 2, 0, "y");
    start(&f, 2);
    ringfile_put(&f, 2, 0, FORE_RING_PRE, 0, 0, cases, 1);
    ringfile_put(&f, 3, 7, FORE_RING_LOCK, 0, 0, NULL, 0);
    ringfile_op(&f, 1, FORE_RING_EXIT, 0, 0);
    assert_merges_to(&f,
                     "1:signal(2) 1:signal(3) 2:wait(2) 3:wait(3) 2:pre(x?, y!) "
                     "3:pre(lock(lock7)) 1:exit",
                     0);
    ringfile_release(&f);
}

/* The program died before thread 3 had the group's turn. */
static void a_count_that_was_only_begun_is_left_out(void)
{
    struct ringfile f;
    uint64_t one[2] = {1, 0};
    ringfile_init(&f);
    start(&f, 2);
    ringfile_put(&f, 3, 1, FORE_RING_WGADD, 0, 0, one, 1);
    ringfile_with(&f, 2, FORE_RING_WGADD, 1, 1, 1, 0);
    ringfile_op(&f, 2, FORE_RING_WGDONE, 1, 2);
    ringfile_op(&f, 1, FORE_RING_WGWAIT, 1, 3);
    ringfile_op(&f, 1, FORE_RING_EXIT, 0, 0);
    assert_merges_to(&f,
                     "1:signal(2) 1:signal(3) 2:wait(2) 2:wgadd(wg1, 1) 2:wgdone(wg1) "
                     "3:wait(3) 1:pre(wgwait(wg1)) 1:wgwait(wg1) 1:exit",
                     0);
    ringfile_release(&f);
}

static void close_comes_after_what_it_counted(void)
{
    struct ringfile f;
    ringfile_init(&f);
    ringfile_chan(&f, 1, 1, 2, "x");
    start(&f, 1);
    ringfile_with(&f, 1, FORE_RING_CLOSE_EVENT, 1, 0, 2, 1);
    ringfile_op(&f, 2, FORE_RING_SEND_EVENT, 1, 1);
    ringfile_op(&f, 2, FORE_RING_SEND_EVENT, 1, 2);
    ringfile_op(&f, 2, FORE_RING_RECV_EVENT, 1, 1);
    ringfile_op(&f, 2, FORE_RING_RECV_EVENT, 1, 2);
    ringfile_put(&f, 2, 1, FORE_RING_RECV_EVENT, FORE_RING_DONE | FORE_RING_CLOSED, 0,
                 NULL, 0);
    struct fore_trace t;
    merge(&f, &t);
    char *got = lines_of(&t);
    assert_non_null(strstr(got, "post(1#x?) "));
    assert_true(strstr(got, "close(x)") > strstr(got, "post(1#x?)"));
    assert_true(strstr(got, "post(0#x?)") > strstr(got, "close(x)"));
    assert_int_equal(t.lost, 0);
    fore_free(got);
    fore_trace_release(&t);
    ringfile_release(&f);
}

static void a_receive_whose_sender_is_lost_is_left_out(void)
{
    struct ringfile f;
    ringfile_init(&f);
    ringfile_chan(&f, 1, 1, 0, "x");
    ringfile_put(&f, 1, 1, FORE_RING_RECV_EVENT, FORE_RING_DONE, 1, NULL, 0);
    ringfile_put(&f, 1, 0, FORE_RING_END, FORE_RING_DONE, 0, NULL, 0);
    assert_merges_to(&f, "1:end", 2);
    ringfile_release(&f);
}

static void a_torn_file_is_a_beginning_of_the_run(void)
{
    struct ringfile f;
    ringfile_init(&f);
    ringfile_chan(&f, 1, 1, 0, "x");
    ringfile_put(&f, 1, 1, FORE_RING_RECV_EVENT, FORE_RING_DONE, 1, NULL, 0);
    ringfile_put(&f, 2, 1, FORE_RING_SEND_EVENT, 0, 0, NULL, 0);
    assert_merges_to(&f, "2:pre(x!) 1:pre(x?) 2:post(x!) 1:post(2#x?)", 0);
    f.header->next_chunk = f.header->chunks = 1 << 20; /* so the partner may be anybody */
    assert_merges_to(&f, "", 0);
    ringfile_release(&f);
}

static void a_lost_record_is_counted_and_the_rest_goes_on(void)
{
    struct ringfile f;
    ringfile_init(&f);
    start(&f, 1);
    ringfile_op(&f, 1, FORE_RING_LOCK, 1, 4); /* 2 and 3 are missing */
    ringfile_op(&f, 1, FORE_RING_UNLOCK, 1, 5);
    ringfile_op(&f, 2, FORE_RING_LOCK, 1, 1);
    ringfile_op(&f, 2, FORE_RING_END, 0, 0);
    assert_merges_to(&f,
                     "1:signal(2) 2:wait(2) 2:pre(lock(lock1)) 2:lock(lock1) 2:end "
                     "1:pre(lock(lock1)) 1:lock(lock1) 1:unlock(lock1)",
                     2);
    ringfile_release(&f);
}

static void a_partner_that_was_not_resumed_is_recognised(void)
{
    struct ringfile f;
    ringfile_init(&f);
    ringfile_chan(&f, 1, 1, 0, "x");
    start(&f, 1);
    ringfile_op(&f, 1, FORE_RING_RECV_EVENT, 1, 1);
    ringfile_put(&f, 2, 1, FORE_RING_SEND_EVENT, 0, 0, NULL, 0);
    assert_merges_to(
        &f, "1:signal(2) 2:wait(2) 2:pre(x!) 1:pre(x?) 2:post(x!) 1:post(2#x?)", 0);
    ringfile_release(&f);
}

static void short_and_repeated_records_are_whole_operations(void)
{
    struct ringfile f;
    struct fore_trace t;
    for (int waits = 0; waits < 2; waits++) {
        ringfile_init(&f);
        ringfile_chan(&f, 1, 1, 10, "x");
        ringfile_chan(&f, 1, 2, 10, "y");
        start(&f, 1);
        for (uint64_t i = 1; i <= 5; i++)
            ringfile_op(&f, 1, FORE_RING_SEND_EVENT, 1, i);
        put_stage(&f, waits);
        merge(&f, &t);
        char *got = lines_of(&t);
        assert_non_null(strstr(got, "2:post(5#x?)"));
        assert_non_null(strstr(got, "2:post(y!#4)"));
        assert_null(strstr(got, "2:post(y!#5)"));
        assert_int_equal(strstr(got, "2:post(5#x?) 2:pre(y!)") != NULL, waits);
        assert_int_equal(t.lost, 0);
        fore_free(got);
        fore_trace_release(&t);
        ringfile_release(&f);
    }
}

static void an_attempt_that_failed_comes_while_the_lock_is_held(void)
{
    struct ringfile f;
    ringfile_init(&f);
    start(&f, 1);
    ringfile_op(&f, 1, FORE_RING_LOCK, 1, 1);
    ringfile_put(&f, 1, 1, FORE_RING_TRYLOCK, FORE_RING_DONE | FORE_RING_BUSY, 0, NULL,
                 0);
    ringfile_op(&f, 1, FORE_RING_UNLOCK, 1, 2);
    ringfile_put(&f, 1, 1, FORE_RING_TRYLOCK, FORE_RING_DONE | FORE_RING_BUSY, 0, NULL,
                 0);
    ringfile_op(&f, 1, FORE_RING_END, 0, 0);
    assert_merges_to(&f,
                     "1:signal(2) 1:pre(lock(lock1)) 1:lock(lock1) 1:trylock(lock1)=busy "
                     "1:unlock(lock1) 1:end 2:wait(2)",
                     0);
    ringfile_release(&f);
}

static void without_room_the_trace_is_a_beginning(void)
{
    struct ringfile f;
    ringfile_init(&f);
    start(&f, 1);
    ringfile_op(&f, 1, FORE_RING_LOCK, 1, 1);
    ringfile_op(&f, 1, FORE_RING_UNLOCK, 1, 2);
    ringfile_op(&f, 2, FORE_RING_LOCK, 1, 5); /* 3 and 4 were dropped */
    ringfile_put(&f, 1, 2, FORE_RING_LOCK, 0, 0, NULL, 0);
    f.header->state = FORE_RING_FULL;
    f.header->dropped = 7;
    assert_merges_to(&f,
                     "1:signal(2) 1:pre(lock(lock1)) 1:lock(lock1) 1:unlock(lock1) "
                     "2:wait(2)",
                     7);
    ringfile_release(&f);
}

/* ---- while it is written ---- */

static void polled_after_every_record_it_is_the_same_trace(void)
{
    struct ringfile f;
    struct live l;
    ringfile_init(&f);
    live_open(&l, &f);
    ringfile_chan(&f, 1, 1, 0, "x");
    start(&f, 1);
    for (uint64_t n = 1; n <= 40; n++) {
        struct fore_ring_record *w =
            ringfile_put(&f, 2, 1, FORE_RING_SEND_EVENT, 0, 0, NULL, 0);
        live_poll(&l);
        ringfile_op(&f, 1, FORE_RING_RECV_EVENT, 1, n);
        live_poll(&l);
        w->word = FORE_RING_WORD(FORE_RING_SEND_EVENT, FORE_RING_DONE, 0, n);
        live_poll(&l);
    }
    live_poll(&l); /* reads what was there at the poll before */
    assert_int_equal(l.t.events.n, 2 + 40 * 4);
    live_finish(&l);
    char *got = lines_of(&l.t);
    assert_merges_to(&f, got, 0);
    fore_free(got);
    fore_trace_release(&l.t);
    ringfile_release(&f);
}

RUN_CASES(CASE(a_thread_comes_after_its_signal),
          CASE(both_sides_of_a_communication_come_together),
          CASE(a_buffer_orders_by_room_and_content),
          CASE(tickets_order_the_users_of_a_lock),
          CASE(a_condition_carries_the_tickets_of_two_objects),
          CASE(what_the_capture_says_of_itself_is_kept),
          CASE(a_use_is_a_mark_of_the_next_record),
          CASE(a_place_has_its_first_value_and_its_accesses_in_order),
          CASE(what_another_thread_told_comes_where_it_was_done),
          CASE(a_run_is_of_many_places),
          CASE(what_was_read_early_comes_before_what_is_written),
          CASE(a_brief_value_stands_in_place_of_a_ticket),
          CASE(after_the_ticket_of_a_lock_comes_who_does_not_hold_it),
          CASE(a_file_that_may_tell_is_merged_at_its_end),
          CASE(what_never_completed_comes_last_and_the_exit_after_it),
          CASE(a_count_that_was_only_begun_is_left_out),
          CASE(close_comes_after_what_it_counted),
          CASE(a_lost_record_is_counted_and_the_rest_goes_on),
          CASE(a_receive_whose_sender_is_lost_is_left_out),
          CASE(a_torn_file_is_a_beginning_of_the_run),
          CASE(a_partner_that_was_not_resumed_is_recognised),
          CASE(short_and_repeated_records_are_whole_operations),
          CASE(an_attempt_that_failed_comes_while_the_lock_is_held),
          CASE(without_room_the_trace_is_a_beginning),
          CASE(polled_after_every_record_it_is_the_same_trace))
