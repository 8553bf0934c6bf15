#include "../check.h"

#include "trace/trace.h"

#include <string.h>

static void ids_are_dense_and_names_per_kind(void)
{
    struct fore_tables t;
    fore_tables_init(&t);
    assert_int_equal(fore_tables_object(&t, FORE_OBJ_CHAN, "x", 1), 1);
    assert_int_equal(fore_tables_object(&t, FORE_OBJ_LOCK, "x", 1), 2);
    assert_int_equal(fore_tables_object(&t, FORE_OBJ_CHAN, "x", 1), 1);
    assert_string_equal(fore_tables_name(&t, 2), "x");
    struct fore_where w = {
        .file = fore_tables_string(&t, "a.c", 3), .line = 3, .column = 7};
    uint32_t id = fore_tables_where(&t, w);
    assert_int_equal(fore_tables_where(&t, w), id);
    w.line = 4;
    assert_int_not_equal(fore_tables_where(&t, w), id);
    assert_int_equal(fore_tables_where(&t, (struct fore_where){0}), 0);
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_tables_place(&t, id, &b);
    assert_string_equal(b.at, "a.c:3:7");
    fore_strbuf_release(&b);
    fore_tables_release(&t);
}

static void paths_are_creation_paths(void)
{
    struct fore_tables t;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_tables_init(&t);
    uint32_t main_ = fore_tables_thread(&t, "main", 4),
             a = fore_tables_thread(&t, "9", 1);
    uint32_t c = fore_tables_thread(&t, "c", 1);
    assert_true(fore_tables_adopt(&t, main_, a));
    assert_true(fore_tables_adopt(&t, a, c));
    assert_false(fore_tables_adopt(&t, main_, c));
    assert_false(fore_tables_adopt(&t, c, main_));
    fore_tables_path(&t, c, &b);
    assert_string_equal(b.at, "1.1.1");
    fore_strbuf_release(&b);
    fore_tables_release(&t);
}

/* Collecting a replay gives the same trace, cases of selects included. */
static void a_replayed_trace_is_collected_whole(void)
{
    struct fore_trace a, b;
    struct fore_trace_collector collect;
    struct fore_err e;
    fore_trace_init(&a, "a");
    fore_trace_init(&b, "b");
    for (uint32_t i = 0; i < 10000; i++) {
        struct fore_event ev = {.thread = 1, .kind = FORE_EV_PRE, .object = i};
        if (i % 3 == 0) {
            ev.flags = FORE_F_CASES;
            ev.a = a.cases.n;
            ev.b = 2;
            fore_vec_push(&a.cases, (struct fore_case){i, FORE_CASE_SEND});
            fore_vec_push(&a.cases, (struct fore_case){0, FORE_CASE_DEFAULT});
        }
        fore_vec_push(&a.events, ev);
    }
    fore_trace_collector_init(&collect, &b);
    assert_int_equal(fore_trace_replay(&a, &collect.sink, &e), FORE_OK);
    assert_int_equal(b.events.n, a.events.n);
    assert_int_equal(b.cases.n, a.cases.n);
    assert_memory_equal(b.events.at, a.events.at, a.events.n * sizeof *a.events.at);
    struct fore_case one;
    size_t n;
    assert_int_equal(fore_trace_cases(&b, &b.events.at[3], &one, &n)[0].chan, 3);
    assert_int_equal(n, 2);
    assert_int_equal(fore_trace_cases(&b, &b.events.at[4], &one, &n)->chan, 4);
    assert_int_equal(n, 1);
    fore_trace_release(&a);
    fore_trace_release(&b);
}

RUN_CASES(CASE(ids_are_dense_and_names_per_kind), CASE(paths_are_creation_paths),
          CASE(a_replayed_trace_is_collected_whole))
