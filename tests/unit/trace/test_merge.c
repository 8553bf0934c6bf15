#include "../check.h"
#include "ringfile.h"
#include "trace/format.h"
#include "trace/merge.h"

#include <stdio.h>

/* The merged trace as text, without its declarations. */
static char *lines_of(const struct fore_trace *t)
{
    struct fore_strbuf out = FORE_STRBUF_INIT;
    for (size_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        fore_strbuf_printf(&out, "%s%s:", i ? " " : "",
                           fore_tables_label(&t->tables, e->thread));
        fore_event_text(&t->tables, e, t->cases.at, &out);
    }
    return fore_strbuf_detach(&out);
}

static void merge(const struct ringfile *f, struct fore_trace *t)
{
    struct fore_trace_collector c;
    struct fore_merge m;
    struct fore_err e = {0};
    fore_trace_init(t, "t.fsr");
    fore_trace_collector_init(&c, t);
    assert_int_equal(
        fore_merge_open(&m, "t.fsr", f->base, f->size, &t->tables, &c.sink, &e), FORE_OK);
    assert_int_equal(fore_merge_finish(&m, f->size, &e), FORE_OK);
    fore_merge_release(&m);
}

static void assert_merges_to(const struct ringfile *f, const char *want, uint64_t lost)
{
    struct fore_trace t;
    merge(f, &t);
    char *got = lines_of(&t);
    assert_string_equal(got, want);
    assert_int_equal(t.lost, lost);
    fore_free(got);
    fore_trace_release(&t);
}

static void start(struct ringfile *f, uint32_t children)
{
    for (uint32_t i = 2; i < 2 + children; i++) {
        ringfile_with(f, 1, FORE_RING_SIGNAL, 0, 0, i, 0);
        ringfile_op(f, i, FORE_RING_WAIT, 0, 0);
    }
}

static void a_thread_comes_after_its_signal(void **state)
{
    struct ringfile f;
    (void)state;
    ringfile_init(&f);
    ringfile_op(&f, 2, FORE_RING_WAIT, 0, 0);
    ringfile_op(&f, 2, FORE_RING_END, 0, 0);
    ringfile_with(&f, 1, FORE_RING_SIGNAL, 0, 0, 2, 0);
    ringfile_with(&f, 1, FORE_RING_JOIN, 0, 0, 2, 0);
    assert_merges_to(&f, "1:signal(2) 2:wait(2) 2:end 1:pre(join(2)) 1:join(2)", 0);
    ringfile_release(&f);
}

static void both_sides_of_a_communication_come_together(void **state)
{
    struct ringfile f;
    (void)state;
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

static void a_buffer_orders_by_room_and_content(void **state)
{
    struct ringfile f;
    (void)state;
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

static void tickets_order_the_users_of_a_lock(void **state)
{
    struct ringfile f;
    (void)state;
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

static void a_condition_carries_the_tickets_of_two_objects(void **state)
{
    struct ringfile f;
    (void)state;
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

static void a_place_has_its_first_value_and_its_accesses_in_order(void **state)
{
    struct ringfile f;
    struct fore_trace t;
    uint64_t def[6] = {FORE_RING_OBJ_PLACE, 0, 20, FORE_RING_VALUE_INT, 'w'};
    uint64_t two[4] = {24, 0, FORE_RING_VALUE_INT << FORE_F_VALUE_SHIFT};
    (void)state;
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

static void what_another_thread_told_comes_where_it_was_done(void **state)
{
    struct ringfile f;
    (void)state;
    ringfile_init(&f);
    put_told(&f);
    assert_merges_to(&f, told, 0);
    /* Thread 2 has 7 records: nothing can be after the ninth. */
    ringfile_with(&f, 1, FORE_RING_PAST, 7, 4, 2 | (uint64_t)FORE_RING_READ << 32, 9);
    ringfile_with(&f, 1, FORE_RING_PAST, 7, 5, 3 | (uint64_t)FORE_RING_READ << 32, 0);
    assert_merges_to(&f, told, 2);
    ringfile_release(&f);
}

static void a_run_is_of_many_places(void **state)
{
    struct ringfile f;
    uint64_t run[2] = {2, 4};
    (void)state;
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

static void a_file_that_may_tell_is_merged_at_its_end(void **state)
{
    struct ringfile f;
    struct fore_trace live;
    struct fore_trace_collector c;
    struct fore_merge m;
    struct fore_err e = {0};
    (void)state;
    ringfile_init(&f);
    fore_trace_init(&live, "t.fsr");
    fore_trace_collector_init(&c, &live);
    assert_int_equal(
        fore_merge_open(&m, "t.fsr", f.base, f.size, &live.tables, &c.sink, &e), FORE_OK);
    f.header->has_past = 1;
    put_told(&f);
    for (int i = 0; i < 3; i++)
        fore_merge_poll(&m, f.size);
    assert_int_equal(live.events.n, 0);
    assert_int_equal(fore_merge_finish(&m, f.size, &e), FORE_OK);
    char *got = lines_of(&live);
    assert_string_equal(got, told);
    fore_free(got);
    fore_merge_release(&m);
    fore_trace_release(&live);
    ringfile_release(&f);
}

/* A file, a function and a place in them: site 4. */
static void one_site(struct ringfile *f)
{
    uint64_t where[2] = {1, 2};
    ringfile_init(f);
    ringfile_put(f, 1, 1, FORE_RING_DEF_STRING, FORE_RING_DONE, 7,
                 "dir/a.c\0\0\0\0\0\0\0\0", 1);
    ringfile_put(f, 1, 2, FORE_RING_DEF_STRING, FORE_RING_DONE, 4,
                 "main\0\0\0\0\0\0\0\0\0\0\0", 1);
    ringfile_put(f, 1, 12, FORE_RING_DEF_WHERE, FORE_RING_DONE, 0, where, 1)->where = 4;
}

static void write_to(struct ringfile *f, uint32_t place)
{
    ringfile_put(f, 1, place, FORE_RING_WRITE, FORE_RING_DONE, 1, NULL, 0);
}

static void a_place_without_name_is_called_by_its_site(void **state)
{
    struct ringfile f;
    (void)state;
    one_site(&f);
    ringfile_put(&f, 1, 10, FORE_RING_DEF_PLACES, FORE_RING_DONE, 2, NULL, 0)->where = 4;
    write_to(&f, 11);
    write_to(&f, 10);
    assert_merges_to(&f, "1:write(\"memory@a.c:12\") 1:write(\"memory@a.c:12_2\")", 0);
    ringfile_release(&f);
}

/* Places of a block of `size` bytes from `offset` on. */
static void block(struct ringfile *f, uint32_t first, uint32_t count, uint64_t offset,
                  uint64_t size, uint64_t number, uint64_t shape)
{
    uint64_t unit[2] = {offset | size << FORE_RING_SIZE, number | shape << 32};
    ringfile_put(f, 1, first, FORE_RING_DEF_PLACES, FORE_RING_DONE, count, unit, 1)
        ->where = 4;
}

static void shape(struct ringfile *f, uint32_t id, const char *text)
{
    char bytes[64] = {0};
    size_t n = strlen(text);
    memcpy(bytes, text, n);
    ringfile_put(f, 1, id, FORE_RING_DEF_STRING, FORE_RING_DONE, n, bytes,
                 (unsigned)(n + 15) / 16);
}

static void a_place_in_a_block_is_called_by_where_that_was_made(void **state)
{
    struct ringfile f;
    (void)state;
    one_site(&f);
    shape(&f, 3, "h tank 16 {0 level i4;8 flow f8;}");
    shape(&f, 4, "l n 4 i4");
    block(&f, 10, 16, 0, 16, 7, 3);
    block(&f, 30, 48, 256, 1024, 9, 3);
    block(&f, 100, 20, 0, 20, 11, 0);
    block(&f, 130, 4, 0, 4, 12, 4);
    block(&f, 140, 16, 0, 24, 13, 3);
    write_to(&f, 18);  /* a member */
    write_to(&f, 46);  /* of an array, the second block of the site */
    write_to(&f, 55);  /* not at the beginning of a member */
    write_to(&f, 108); /* nothing is known of it */
    write_to(&f, 130); /* a local */
    write_to(&f, 140); /* no whole number of its type */
    write_to(&f, 10);
    assert_merges_to(&f,
                     "1:write(\"tank@a.c:12.flow\") 1:write(\"tank@a.c:12#2[17].level\") "
                     "1:write(\"tank@a.c:12#2[17].flow+1\") 1:write(\"heap@a.c:12[8]\") "
                     "1:write(\"n@main\") 1:write(\"tank@a.c:12#3.level\") "
                     "1:write(\"tank@a.c:12.level\")",
                     0);
    ringfile_release(&f);
}

static void what_never_completed_comes_last_and_the_exit_after_it(void **state)
{
    struct ringfile f;
    struct fore_ring_case cases[2] = {{1, FORE_RING_CASE_RECV}, {2, FORE_RING_CASE_SEND}};
    (void)state;
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

static void close_comes_after_what_it_counted(void **state)
{
    struct ringfile f;
    (void)state;
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

static void a_receive_whose_sender_is_lost_is_left_out(void **state)
{
    struct ringfile f;
    (void)state;
    ringfile_init(&f);
    ringfile_chan(&f, 1, 1, 0, "x");
    ringfile_put(&f, 1, 1, FORE_RING_RECV_EVENT, FORE_RING_DONE, 1, NULL, 0);
    ringfile_put(&f, 1, 0, FORE_RING_END, FORE_RING_DONE, 0, NULL, 0);
    assert_merges_to(&f, "1:end", 2);
    ringfile_release(&f);
}

static void a_torn_file_is_a_beginning_of_the_run(void **state)
{
    struct ringfile f;
    (void)state;
    ringfile_init(&f);
    ringfile_chan(&f, 1, 1, 0, "x");
    ringfile_put(&f, 1, 1, FORE_RING_RECV_EVENT, FORE_RING_DONE, 1, NULL, 0);
    ringfile_put(&f, 2, 1, FORE_RING_SEND_EVENT, 0, 0, NULL, 0);
    assert_merges_to(&f, "2:pre(x!) 1:pre(x?) 2:post(x!) 1:post(2#x?)", 0);
    f.header->next_chunk = f.header->chunks = 1 << 20; /* so the partner may be anybody */
    assert_merges_to(&f, "", 0);
    ringfile_release(&f);
}

static void a_lost_record_is_counted_and_the_rest_goes_on(void **state)
{
    struct ringfile f;
    (void)state;
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

static void a_partner_that_was_not_resumed_is_recognised(void **state)
{
    struct ringfile f;
    (void)state;
    ringfile_init(&f);
    ringfile_chan(&f, 1, 1, 0, "x");
    start(&f, 1);
    ringfile_op(&f, 1, FORE_RING_RECV_EVENT, 1, 1);
    ringfile_put(&f, 2, 1, FORE_RING_SEND_EVENT, 0, 0, NULL, 0);
    assert_merges_to(
        &f, "1:signal(2) 2:wait(2) 2:pre(x!) 1:pre(x?) 2:post(x!) 1:post(2#x?)", 0);
    ringfile_release(&f);
}

#define SHORT(kind, base, ticket)                                                        \
    FORE_RING_WORD(FORE_RING_SHORT + FORE_RING_##kind##_EVENT, FORE_RING_DONE, base,     \
                   ticket)

/* A stage of a pipe: receives from x, sends to y, four times and once more. */
static void put_stage(struct ringfile *f, bool waits)
{
    unsigned done = waits ? 0 : FORE_RING_DONE;
    struct fore_ring_record *r = ringfile_op(f, 2, FORE_RING_RECV_EVENT, 1, 1);
    r->where = 1;
    r = ringfile_op(f, 2, FORE_RING_SEND_EVENT, 2, 1);
    r->where = 2;
    ringfile_short(f, 2, SHORT(RECV, 1, 2), SHORT(SEND, 2, 2));
    ringfile_short(f, 2, FORE_RING_WORD(FORE_RING_AGAIN, done, 0, 5), 0);
}

static void short_and_repeated_records_are_whole_operations(void **state)
{
    struct ringfile f;
    struct fore_trace t;
    (void)state;
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

static void strings_and_places_of_any_length_arrive(void **state)
{
    struct ringfile f;
    struct fore_trace t;
    char piece[80];
    uint64_t where[2] = {1, 2};
    (void)state;
    ringfile_init(&f);
    memset(piece, 'a', sizeof piece);
    ringfile_put(&f, 1, 1, FORE_RING_DEF_STRING, FORE_RING_DONE | FORE_RING_MORE, 80,
                 piece, 5);
    ringfile_put(&f, 1, 1, FORE_RING_DEF_STRING, FORE_RING_DONE, 2,
                 ".c\0\0\0\0\0\0\0\0\0\0\0\0\0", 1);
    ringfile_put(&f, 1, 2, FORE_RING_DEF_STRING, FORE_RING_DONE, 4,
                 "main\0\0\0\0\0\0\0\0\0\0\0", 1);
    struct fore_ring_record *r =
        ringfile_put(&f, 1, 42, FORE_RING_DEF_WHERE, FORE_RING_DONE, 0, where, 1);
    r->where = 7;
    r = ringfile_op(&f, 1, FORE_RING_END, 0, 0);
    r->where = 7;
    merge(&f, &t);
    struct fore_strbuf place = FORE_STRBUF_INIT;
    fore_tables_place(&t.tables, t.events.at[0].where, &place);
    assert_int_equal(place.n, 85);
    assert_string_equal(place.at + 78, "aa.c:42");
    fore_strbuf_release(&place);
    fore_trace_release(&t);
    ringfile_release(&f);
}

static void an_attempt_that_failed_comes_while_the_lock_is_held(void **state)
{
    struct ringfile f;
    (void)state;
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

static void without_room_the_trace_is_a_beginning(void **state)
{
    struct ringfile f;
    (void)state;
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

/* Two threads take turns with a lock, far longer than the file is. */
static void chunks_that_were_read_are_used_again(void **state)
{
    enum { TURNS = 5000 };
    struct ringfile f;
    struct fore_trace live;
    struct fore_trace_collector c;
    struct fore_merge m;
    struct fore_err e = {0};
    (void)state;
    ringfile_init(&f);
    f.header->limit = 8;
    fore_trace_init(&live, "t.fsr");
    fore_trace_collector_init(&c, &live);
    assert_int_equal(
        fore_merge_open(&m, "t.fsr", f.base, f.size, &live.tables, &c.sink, &e), FORE_OK);
    start(&f, 3);
    ringfile_op(&f, 4, FORE_RING_END, 0, 0);
    for (uint32_t i = 0; i < TURNS; i++) {
        ringfile_op(&f, 2 + i % 3 / 2, FORE_RING_LOCK, 1, 2 * i + 1);
        ringfile_op(&f, 2 + i % 3 / 2, FORE_RING_UNLOCK, 1, 2 * i + 2);
        if (i % 7)
            continue;
        fore_merge_poll(&m, f.size);
        fore_fsr_give_back(&m.file);
    }
    assert_in_range(f.header->next_chunk, 4, 24);
    assert_in_range(f.header->given_back, TURNS / 4, TURNS);
    assert_int_equal(fore_merge_finish(&m, f.size, &e), FORE_OK);
    assert_int_equal(live.events.n, 7 + 3 * TURNS);
    assert_int_equal(live.lost, 0);
    fore_merge_release(&m);
    fore_trace_release(&live);
    ringfile_release(&f);
}

static void polled_after_every_record_it_is_the_same_trace(void **state)
{
    struct ringfile f;
    struct fore_trace live;
    struct fore_trace_collector c;
    struct fore_merge m;
    struct fore_err e = {0};
    (void)state;
    ringfile_init(&f);
    fore_trace_init(&live, "t.fsr");
    fore_trace_collector_init(&c, &live);
    assert_int_equal(
        fore_merge_open(&m, "t.fsr", f.base, f.size, &live.tables, &c.sink, &e), FORE_OK);
    ringfile_chan(&f, 1, 1, 0, "x");
    start(&f, 1);
    for (uint64_t n = 1; n <= 40; n++) {
        struct fore_ring_record *w =
            ringfile_put(&f, 2, 1, FORE_RING_SEND_EVENT, 0, 0, NULL, 0);
        fore_merge_poll(&m, f.size);
        ringfile_op(&f, 1, FORE_RING_RECV_EVENT, 1, n);
        fore_merge_poll(&m, f.size);
        w->word = FORE_RING_WORD(FORE_RING_SEND_EVENT, FORE_RING_DONE, 0, n);
        fore_merge_poll(&m, f.size);
    }
    fore_merge_poll(&m, f.size); /* reads what was there at the poll before */
    assert_int_equal(live.events.n, 2 + 40 * 4);
    assert_int_equal(fore_merge_finish(&m, f.size, &e), FORE_OK);
    char *got = lines_of(&live);
    assert_merges_to(&f, got, 0);
    fore_free(got);
    fore_merge_release(&m);
    fore_trace_release(&live);
    ringfile_release(&f);
}

/* ---- bad files ---- */

static void put_some_of_everything(struct ringfile *f)
{
    struct fore_ring_case cases[2] = {{1, FORE_RING_CASE_RECV}, {2, FORE_RING_CASE_SEND}};
    ringfile_chan(f, 1, 1, 3, "x");
    ringfile_chan(f, 1, 2, 0, "y");
    start(f, 3);
    put_stage(f, true);
    ringfile_put(f, 3, 0, FORE_RING_PRE, 0, 0, cases, 1);
    for (uint64_t i = 1; i < 20; i++)
        ringfile_op(f, 3 + i % 2, FORE_RING_LOCK, 5, i);
    uint64_t run[2] = {7, 4};
    ringfile_op(f, 3, FORE_RING_DEF_PLACES, 100, 64);
    ringfile_put(f, 3, 101, FORE_RING_WRITE, FORE_RING_DONE | FORE_RING_RUN, 1, run, 1);
    ringfile_with(f, 3, FORE_RING_PAST, 101, 2,
                  4 | (uint64_t)FORE_RING_READ << 32 | (uint64_t)4 << 40,
                  5 | (uint64_t)7 << 32);
}

static void a_file_cut_anywhere_is_read_or_refused(void **state)
{
    struct ringfile f;
    (void)state;
    ringfile_init(&f);
    put_some_of_everything(&f);
    size_t used = FORE_RING_HEADER + f.header->next_chunk * RINGFILE_CHUNK;
    for (size_t n = 1; n <= used; n += n < FORE_RING_HEADER ? 97 : 1) {
        struct fore_trace t;
        struct fore_input in;
        struct fore_trace_collector c;
        struct fore_err e = {0};
        fore_trace_init(&t, "cut");
        fore_trace_collector_init(&c, &t);
        fore_input_memory(&in, "cut", f.base, n);
        enum fore_status s = fore_format_named("fsr")->read(&in, &t.tables, &c.sink, &e);
        assert_int_equal(s == FORE_OK, n >= FORE_RING_HEADER);
        if (n >= FORE_RING_HEADER && n < used - RINGFILE_CHUNK)
            assert_true(t.torn);
        fore_input_release(&in);
        fore_trace_release(&t);
    }
    ringfile_release(&f);
}

static void other_versions_and_odd_sizes_are_refused(void **state)
{
    struct ringfile f;
    struct fore_merge m;
    struct fore_tables tables;
    struct fore_err e = {0};
    (void)state;
    ringfile_init(&f);
    fore_tables_init(&tables);
    f.header->version = 9;
    assert_int_equal(fore_merge_open(&m, "t", f.base, f.size, &tables, NULL, &e),
                     FORE_SYNTAX);
    assert_non_null(strstr(e.msg, "version 9"));
    f.header->version = FORE_RING_VERSION;
    f.header->chunk_size = 7;
    assert_int_equal(fore_merge_open(&m, "t", f.base, f.size, &tables, NULL, &e),
                     FORE_SYNTAX);
    fore_merge_release(&m);
    fore_tables_release(&tables);
    ringfile_release(&f);
}

RUN_CASES(CASE(a_thread_comes_after_its_signal),
          CASE(both_sides_of_a_communication_come_together),
          CASE(a_buffer_orders_by_room_and_content),
          CASE(tickets_order_the_users_of_a_lock),
          CASE(a_condition_carries_the_tickets_of_two_objects),
          CASE(a_place_has_its_first_value_and_its_accesses_in_order),
          CASE(what_another_thread_told_comes_where_it_was_done),
          CASE(a_run_is_of_many_places), CASE(a_file_that_may_tell_is_merged_at_its_end),
          CASE(a_place_without_name_is_called_by_its_site),
          CASE(a_place_in_a_block_is_called_by_where_that_was_made),
          CASE(what_never_completed_comes_last_and_the_exit_after_it),
          CASE(close_comes_after_what_it_counted),
          CASE(a_lost_record_is_counted_and_the_rest_goes_on),
          CASE(a_receive_whose_sender_is_lost_is_left_out),
          CASE(a_torn_file_is_a_beginning_of_the_run),
          CASE(a_partner_that_was_not_resumed_is_recognised),
          CASE(short_and_repeated_records_are_whole_operations),
          CASE(strings_and_places_of_any_length_arrive),
          CASE(an_attempt_that_failed_comes_while_the_lock_is_held),
          CASE(without_room_the_trace_is_a_beginning),
          CASE(chunks_that_were_read_are_used_again),
          CASE(polled_after_every_record_it_is_the_same_trace),
          CASE(a_file_cut_anywhere_is_read_or_refused),
          CASE(other_versions_and_odd_sizes_are_refused))
