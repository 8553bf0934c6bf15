/* The binary format: round trips, tears, flipped bits, and what newer versions may add. */
#include "frames.h"

#include "trace/fst_decode.h"
#include "traces.h"

#include "base/rng.h"

static void events_come_back_as_they_were(void)
{
    struct fore_trace t, u;
    read_text(&t, every_act);
    through(&t, &u, "fst");
    assert_same(&t, &u);
    assert_int_equal(u.expects.n, 4);
    fore_trace_release(&t);
    fore_trace_release(&u);
}

enum { FILE_HEADER = 52 };

static void that_threads_were_recorded_apart_is_kept(void)
{
    struct fore_trace t, u;
    read_text(&t, "1: write(x)=1\n");
    assert_false(t.tables.merged);
    t.tables.merged = true;
    through(&t, &u, "fst");
    assert_true(u.tables.merged);
    fore_trace_release(&t);
    fore_trace_release(&u);
}

/* Many chunks, tables that grow all along, declarations between events. */
static void make_long(struct fore_trace *t, unsigned rounds)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    for (unsigned i = 1; i <= rounds; i++) {
        if (i % 100 == 0)
            fore_strbuf_printf(&b, "chan c%u cap=%u @f.go:%u\n", i, i, i);
        fore_strbuf_printf(&b, "1: signal(t%u)\nt%u: wait(t%u)\n", i, i, i);
        fore_strbuf_printf(
            &b, "1: pre(x!); post(x!); pre(y%u?, x!, default); post(select)\n", i % 977);
        fore_strbuf_printf(&b, "t%u: pre(x?)@f.go:%u; post(1#x?); write(v)=%u; end\n", i,
                           i % 50, i * 7919);
    }
    read_text(t, b.at);
    fore_strbuf_release(&b);
}

static void many_chunks_come_back_as_they_were(void)
{
    struct fore_trace t, u;
    make_long(&t, 20000);
    through(&t, &u, "fst");
    assert_same(&t, &u);
    fore_trace_release(&t);
    fore_trace_release(&u);
}

/* Streamed, in whatever batches the reader makes. */
static char *converted(const char *bytes, size_t n, const char *format, size_t *m)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_tables tables;
    struct fore_input in;
    struct fore_err e;
    char *out = NULL;
    FILE *f = open_memstream(&out, m);
    fore_tables_init(&tables);
    fore_input_memory(&in, "t", bytes, n);
    struct fore_sink *s = fore_format_named(format)->write(&a, f);
    assert_int_equal(fore_input_stream(&in, &tables, s, &e), FORE_OK);
    fclose(f);
    fore_input_release(&in);
    fore_tables_release(&tables);
    fore_arena_release(&a);
    return out;
}

static void text_converts_there_and_back_to_the_same_bytes(void)
{
    struct fore_trace t;
    size_t n, m, k;
    make_long(&t, 3000);
    char *text = written(&t, "text", &n);
    char *again = converted(text, n, "text", &m);
    char *bytes = converted(again, m, "fst", &k);
    char *back = converted(bytes, k, "text", &n);
    assert_string_equal(text, again);
    assert_string_equal(text, back);
    free(text);
    free(again);
    free(bytes);
    free(back);
    fore_trace_release(&t);
}

static size_t events_within(struct fore_trace *t, const char *bytes, size_t n)
{
    struct fore_err e = {0};
    char *copy = malloc(n + 1); /* its own allocation: overruns are caught */
    memcpy(copy, bytes, n);
    enum fore_status s = load(t, copy, n, &e);
    free(copy);
    assert_true(s == FORE_OK || e.has_offset || e.line);
    return s ? SIZE_MAX : t->events.n;
}

static void a_file_cut_at_any_byte_is_read_up_to_the_tear(void)
{
    struct fore_trace t, u;
    size_t n;
    read_text(&t, every_act);
    char *bytes = written(&t, "fst", &n);
    assert_true(n > 1000);
    for (size_t cut = 0; cut < n; cut++) {
        size_t got = events_within(&u, bytes, cut);
        if (got != SIZE_MAX) {
            assert_true(u.torn);
            assert_int_equal(got + u.lost, t.events.n);
        } else {
            assert_true(cut < FILE_HEADER);
        }
        fore_trace_release(&u);
    }
    free(bytes);
    fore_trace_release(&t);
}

static void a_tear_loses_only_what_is_behind_it(void)
{
    struct fore_trace t, u;
    size_t n;
    make_long(&t, 20000);
    char *bytes = written(&t, "fst", &n);
    size_t got = events_within(&u, bytes, n - n / 4);
    assert_true(got > 0 && got < t.events.n);
    assert_int_equal(got + u.lost, t.events.n);
    assert_memory_equal(u.events.at, t.events.at, 1000 * sizeof *t.events.at);
    free(bytes);
    fore_trace_release(&t);
    fore_trace_release(&u);
}

static void a_flipped_bit_is_noticed(void)
{
    struct fore_trace t, u;
    size_t n;
    read_text(&t, every_act);
    char *bytes = written(&t, "fst", &n);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        if (events_within(&u, bytes, n) != SIZE_MAX)
            assert_true(u.torn);
        fore_trace_release(&u);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    free(bytes);
    fore_trace_release(&t);
}

static void a_newer_minor_version_is_read_without_what_is_new(void)
{
    /* A string "1"; a thread with a column more; an unknown section; a known and an unknown
     * kind of event; five events. */
    static const char payload[] = "\1\2\1"
                                  "1"
                                  "\4\x8\7\1\0\0\0\7\0\7"
                                  "\x30\3abc"
                                  "\5\16\6\3\0\1\0\0\0\6\x64\0\1\0\0\0"
                                  "\6\11\5\1\0\1\1\1\0\0\0";
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct fore_trace t;
    wrap(&b, payload, sizeof payload - 1, 5);
    read_bytes(&t, b.at, b.n);
    assert_int_equal(t.events.n, 2);
    assert_int_equal(t.unknown, 3 + 1);
    assert_int_equal(t.events.at[1].kind, FORE_EV_END);
    assert_int_equal(t.tables.threads.at[1].goroutine, 7);
    fore_strbuf_release(&b);
    fore_trace_release(&t);
}

/* Strings "1" and the name; a thread; its end. Since 1.4 a name is no more than a name. */
static void goroutines_of_an_older_file_are_told_by_their_names(void)
{
    static const char payload[] = "\1\x12\1"
                                  "1"
                                  "\17"
                                  "goroutine 7 (f)"
                                  "\4\4\3\1\2\0"
                                  "\5\6\5\3\0\1\0\0"
                                  "\6\5\1\1\0\0\0";
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct fore_trace t;
    for (unsigned minor = 3; minor < 5; minor++) {
        wrap_minor(&b, payload, sizeof payload - 1, 1, minor);
        read_bytes(&t, b.at, b.n);
        const struct fore_thread_info *x = &t.tables.threads.at[1];
        assert_string_equal(fore_tables_text(&t.tables, x->name), "goroutine 7 (f)");
        assert_int_equal(x->goroutine, minor == 3 ? 7 : 0);
        assert_string_equal(fore_tables_text(&t.tables, x->begins),
                            minor == 3 ? "f" : "");
        fore_trace_release(&t);
    }
    fore_strbuf_release(&b);
}

/* A string "1" and one "x"; a thread; a place; a write of it. */
static void what_an_older_file_saw_follows_from_what_it_holds(void)
{
    static const char ends[] = "\1\2\1"
                               "1"
                               "\4\4\3\1\0\0"
                               "\5\6\5\3\0\1\0\0"
                               "\6\5\1\1\0\0\0";
    static const char writes[] = "\1\4\1"
                                 "1"
                                 "\1"
                                 "x"
                                 "\3\x8\7\x9\0\2\0\0\0\0"
                                 "\4\4\3\1\0\0"
                                 "\5\6\5\x20\0\1\1\0"
                                 "\6\5\1\1\0\0\0";
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct fore_trace t;
    wrap_minor(&b, ends, sizeof ends - 1, 1, 1);
    read_bytes(&t, b.at, b.n);
    assert_int_equal(t.tables.sees, FORE_SEES_LEGACY);
    fore_trace_release(&t);
    wrap_minor(&b, writes, sizeof writes - 1, 1, 1);
    read_bytes(&t, b.at, b.n);
    assert_true(fore_trace_sees(&t, FORE_SEES_MEMORY | FORE_SEES_VALUES));
    assert_false(fore_trace_sees(&t, FORE_SEES_OUTSIDE));
    fore_trace_release(&t);
    wrap(&b, writes, sizeof writes - 1, 1);
    read_bytes(&t, b.at, b.n);
    assert_int_equal(t.tables.sees, 0);
    fore_trace_release(&t);
    fore_strbuf_release(&b);
}

static void another_major_version_is_refused(void)
{
    const uint64_t file[] = {2, 0, 0};
    struct fore_strbuf b = FORE_STRBUF_INIT;
    add_frame(&b, FORE_FST_FILE, file, 3);
    refused_bytes(b.at, b.n,
                  "t: offset 12: version 2.0 of the format: this program reads 1.x");
    fore_strbuf_release(&b);
}

/* Chunks that no foresee wrote, with checksums that are right: read or refused. */
static void malformed_content_is_refused(void)
{
    struct fore_trace t, u;
    struct fore_rng rng;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    size_t n;
    read_text(&t, every_act);
    char *bytes = written(&t, "fst", &n);
    struct fore_fst_chunk c;
    memcpy(&c, bytes + FILE_HEADER + 12, sizeof c);
    char *payload = malloc(c.payload), *copy = malloc(c.payload);
    assert_int_equal(
        ZSTD_decompress(payload, c.payload, bytes + FILE_HEADER + 60, c.size), c.payload);
    fore_rng_seed(&rng, 7);
    for (int round = 0; round < 20000; round++) {
        memcpy(copy, payload, c.payload);
        for (uint64_t k = 1 + fore_rng_below(&rng, 3); k; k--)
            copy[fore_rng_below(&rng, c.payload)] = (char)fore_rng_next(&rng);
        wrap(&b, copy, c.payload, c.events);
        if (events_within(&u, b.at, b.n) != SIZE_MAX) {
            size_t m;
            free(written(&u, "text", &m)); /* every id leads somewhere */
        }
        fore_trace_release(&u);
    }
    free(payload);
    free(copy);
    free(bytes);
    fore_strbuf_release(&b);
    fore_trace_release(&t);
}

static enum fore_flow stop(struct fore_sink *s, const struct fore_batch *b)
{
    (void)s;
    return b->n ? FORE_STOP : FORE_CONTINUE;
}

static enum fore_status stopped(struct fore_sink *s, const struct fore_trace_end *end,
                                struct fore_err *e)
{
    (void)e;
    s->events = NULL;
    assert_false(end->torn);
    return FORE_OK;
}

/* A few bytes that decompress to very much are refused before they take the memory. */
static void what_would_not_fit_is_refused(void)
{
    struct fore_trace t;
    struct fore_trace_collector c;
    struct fore_fst_decoder d;
    fore_trace_init(&t, "t");
    fore_trace_collector_init(&c, &t);
    fore_fst_decoder_init(&d, &t.tables, &c.sink);
    static const unsigned char one[] = {FORE_FST_STRINGS, 3, 2, 'a', 'b'};
    struct fore_fst_bytes bytes = {one, one + sizeof one};
    d.held = FORE_FST_TABLES - 3;
    assert_null(fore_fst_decode(&d, bytes, 0));
    assert_int_equal(d.held, FORE_FST_TABLES);
    static const unsigned char more[] = {FORE_FST_STRINGS, 3, 2, 'c', 'd'};
    bytes = (struct fore_fst_bytes){more, more + sizeof more};
    assert_non_null(strstr(fore_fst_decode(&d, bytes, 0), "gigabyte"));
    fore_fst_decoder_release(&d);
    fore_trace_release(&t);
}

/* Selects count with their cases: of those a trace keeps no more than its bound. */
static void cases_count_as_what_is_kept(void)
{
    struct fore_trace t;
    struct fore_trace_collector c;
    struct fore_case cases[8] = {{0}};
    struct fore_event e = {
        .thread = 1, .kind = FORE_EV_PRE, .flags = FORE_F_CASES, .a = 0, .b = 8};
    fore_trace_init(&t, "t");
    t.most = 20;
    fore_tables_thread(&t.tables, "1", 1);
    fore_trace_collector_init(&c, &t);
    struct fore_batch b = {&t.tables, &e, 1, cases, false};
    for (int i = 0; i < 4; i++)
        c.sink.events(&c.sink, &b);
    assert_int_equal(t.events.n, 2);
    assert_int_equal(t.cases.n, 16);
    assert_int_equal(t.cut, 2);
    fore_trace_release(&t);
}

static void a_sink_may_stop_the_reading(void)
{
    struct fore_trace t;
    make_long(&t, 3000);
    for (int i = 0; i < 2; i++) {
        size_t n;
        char *bytes = written(&t, i ? "fst" : "text", &n);
        struct fore_sink s = {stop, stopped};
        struct fore_tables tables;
        struct fore_input in;
        struct fore_err e;
        fore_tables_init(&tables);
        fore_input_memory(&in, "t", bytes, n);
        assert_int_equal(fore_input_stream(&in, &tables, &s, &e), FORE_OK);
        assert_null(s.events);
        fore_input_release(&in);
        fore_tables_release(&tables);
        free(bytes);
    }
    fore_trace_release(&t);
}

RUN_CASES(CASE(events_come_back_as_they_were),
          CASE(that_threads_were_recorded_apart_is_kept),
          CASE(many_chunks_come_back_as_they_were),
          CASE(text_converts_there_and_back_to_the_same_bytes),
          CASE(a_file_cut_at_any_byte_is_read_up_to_the_tear),
          CASE(a_tear_loses_only_what_is_behind_it), CASE(a_flipped_bit_is_noticed),
          CASE(a_newer_minor_version_is_read_without_what_is_new),
          CASE(what_an_older_file_saw_follows_from_what_it_holds),
          CASE(goroutines_of_an_older_file_are_told_by_their_names),
          CASE(another_major_version_is_refused), CASE(malformed_content_is_refused),
          CASE(what_would_not_fit_is_refused), CASE(cases_count_as_what_is_kept),
          CASE(a_sink_may_stop_the_reading))
