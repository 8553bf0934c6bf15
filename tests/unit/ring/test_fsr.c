#include "merges.h"

/* Two threads take turns with a lock, far longer than the file is. */
static void chunks_that_were_read_are_used_again(void)
{
    enum { TURNS = 5000 };
    struct ringfile f;
    struct live l;
    ringfile_init(&f);
    f.header->limit = 8;
    live_open(&l, &f);
    start(&f, 3);
    ringfile_op(&f, 4, FORE_RING_END, 0, 0);
    for (uint32_t i = 0; i < TURNS; i++) {
        ringfile_op(&f, 2 + i % 3 / 2, FORE_RING_LOCK, 1, 2 * i + 1);
        ringfile_op(&f, 2 + i % 3 / 2, FORE_RING_UNLOCK, 1, 2 * i + 2);
        if (i % 7)
            continue;
        live_poll(&l);
        fore_fsr_give_back(&l.m.file);
    }
    assert_in_range(f.header->next_chunk, 4, 24);
    assert_in_range(f.header->given_back, TURNS / 4, TURNS);
    live_finish(&l);
    assert_int_equal(l.t.events.n, 7 + 3 * TURNS);
    assert_int_equal(l.t.lost, 0);
    fore_trace_release(&l.t);
    ringfile_release(&f);
}

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

static void a_file_cut_anywhere_is_read_or_refused(void)
{
    struct ringfile f;
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

static void other_versions_and_odd_sizes_are_refused(void)
{
    struct ringfile f;
    struct fore_merge m;
    struct fore_tables tables;
    struct fore_err e = {0};
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

RUN_CASES(CASE(chunks_that_were_read_are_used_again),
          CASE(a_file_cut_anywhere_is_read_or_refused),
          CASE(other_versions_and_odd_sizes_are_refused))
