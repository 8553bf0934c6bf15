#include "traces.h"

#include "trace/thin.h"

/* Threads take m for nothing, and a and b for each other. */
static const char crossed[] =
    "1: signal(2)\n2: wait(2)\n1: pre(lock(m)); lock(m); unlock(m)\n"
    "2: pre(lock(m)); lock(m); unlock(m)\n1: lock(a); pre(lock(b)); lock(b); unlock(b); "
    "unlock(a); lock(m)\n2: rlock(r)\n1: unlock(m)\n2: runlock(r); lock(b); lock(a); "
    "unlock(a); pre(lock(m)); lock(m); unlock(m); unlock(b)\n1: pre(lock(m)); lock(m); "
    "unlock(m); end\n2: end\n";

/* The positions of events are their places. */
static void read_placed(struct fore_trace *t, const char *text)
{
    read_text(t, text);
    for (size_t i = 0; i < t->events.n; i++)
        t->events.at[i].where = (uint32_t)i;
}

static bool is_of(const struct fore_trace *t, const struct fore_event *e,
                  const char *object)
{
    return e->object && strcmp(fore_tables_name(&t->tables, e->object), object) == 0;
}

static void sections_in_which_nothing_happens_are_left_out(void)
{
    struct fore_trace t;
    struct fore_thin x = {0};
    read_placed(&t, crossed);
    fore_thin_begin(&x, 0, t.events.at, t.events.n);
    fore_thin_finish(&x);
    assert_false(x.spoiled);
    for (size_t i = 0; i < x.events.n; i++) {
        assert_false(is_of(&t, &x.events.at[i], "m"));
        assert_false(is_of(&t, &x.events.at[i], "r"));
        assert_int_equal(x.at.at[i], x.events.at[i].where);
    }
    assert_int_equal(x.events.n, t.events.n - 16);
    assert_int_equal(x.steps, 12);
    fore_thin_release(&x);
    fore_trace_release(&t);
}

static void what_a_thread_does_under_a_lock_keeps_all_its_sections(void)
{
    struct fore_trace t;
    struct fore_thin x = {0};
    read_placed(&t, "1: lock(m); unlock(m); lock(n); unlock(n)\n1: lock(m); pre(x!)\n");
    fore_thin_begin(&x, 0, t.events.at, t.events.n);
    fore_thin_finish(&x);
    assert_false(x.spoiled);
    assert_int_equal(x.events.n, t.events.n - 2);
    fore_thin_release(&x);
    fore_trace_release(&t);
}

static void what_is_learnt_too_late_spoils_it(void)
{
    struct fore_trace t;
    struct fore_thin x = {0};
    read_placed(&t, "1: lock(m); unlock(m); lock(m); pre(x!)\n");
    fore_thin_begin(&x, 0, t.events.at, 2);
    fore_thin_pass(&x, t.events.at + 2, t.events.n - 2);
    fore_thin_finish(&x);
    assert_true(x.spoiled);
    fore_thin_release(&x);
    fore_trace_release(&t);
}

static uint64_t index_in_thread(const struct fore_trace *t, uint32_t at)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < at; i++)
        n += t->events.at[i].thread == t->events.at[at].thread;
    return n;
}

/* Wherever the end begins. */
static void the_end_is_whole_and_knows_what_is_left_out_before(void)
{
    struct fore_trace t;
    read_placed(&t, crossed);
    for (size_t end = 0; end <= t.events.n; end++) {
        struct fore_thin x = {0};
        uint64_t seen[3] = {0};
        fore_thin_begin(&x, end, t.events.at, t.events.n / 2);
        fore_thin_add(&x, t.events.at + t.events.n / 2, t.events.n - t.events.n / 2);
        fore_thin_finish(&x);
        assert_int_equal(x.ending.n - x.fixed, end);
        assert_memory_equal(x.ending.at + x.fixed, t.events.at + t.events.n - end,
                            end * sizeof *t.events.at);
        for (size_t i = 0; i < x.ending.n; i++) {
            const struct fore_event *e = &x.ending.at[i];
            uint64_t at = seen[e->thread]++;
            assert_int_equal(at + fore_thin_left_out(&x, e->thread, at),
                             index_in_thread(&t, e->where));
        }
        fore_thin_release(&x);
    }
    fore_trace_release(&t);
}

RUN_CASES(CASE(sections_in_which_nothing_happens_are_left_out),
          CASE(what_a_thread_does_under_a_lock_keeps_all_its_sections),
          CASE(what_is_learnt_too_late_spoils_it),
          CASE(the_end_is_whole_and_knows_what_is_left_out_before))
