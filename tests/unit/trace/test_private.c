#include "traces.h"

/* How many events of the text are left if the locks whose names begin with h are hidden. */
static size_t left(const char *text)
{
    struct fore_trace t;
    read_text(&t, text);
    for (uint32_t x = 1; x < t.tables.objects.n; x++)
        if (fore_tables_name(&t.tables, x)[0] == 'h')
            t.tables.objects.at[x].flags |= FORE_OBJ_HIDDEN;
    fore_trace_drop_private(&t);
    size_t n = t.events.n;
    fore_trace_release(&t);
    return n;
}

#define BOTH "1: signal(2)\n2: wait(2)\n"

static void a_hidden_lock_of_one_thread_is_left_out(void)
{
    assert_int_equal(left(BOTH "1: lock(h); unlock(h); end\n2: end\n"), 4);
    assert_int_equal(left(BOTH "1: lock(m); unlock(m); end\n2: end\n"), 6);
}

static void one_that_is_shared_and_under_which_nothing_happens_too(void)
{
    assert_int_equal(left(BOTH "1: pre(lock(h)); lock(h); unlock(h); end\n"
                               "2: pre(lock(h)); lock(h); unlock(h); end\n"),
                     4);
    assert_int_equal(
        left(BOTH "1: lock(m); unlock(m); end\n2: lock(m); unlock(m); end\n"), 8);
}

static void one_under_which_something_happens_is_kept(void)
{
    assert_int_equal(left(BOTH "1: lock(h); close(c); unlock(h); end\n"
                               "2: lock(h); unlock(h); end\n"),
                     9);
    assert_int_equal(left(BOTH "1: lock(h1); lock(h2); unlock(h2); unlock(h1); end\n"
                               "2: lock(h1); unlock(h1); lock(h2); unlock(h2); end\n"),
                     12);
}

static void one_that_is_held_or_waited_for_at_the_end_is_kept(void)
{
    assert_int_equal(left(BOTH "1: lock(h); unlock(h); end\n2: lock(h)\n"), 6);
    assert_int_equal(left(BOTH "1: lock(h)\n2: pre(lock(h))\n"), 4);
}

RUN_CASES(CASE(a_hidden_lock_of_one_thread_is_left_out),
          CASE(one_that_is_shared_and_under_which_nothing_happens_too),
          CASE(one_under_which_something_happens_is_kept),
          CASE(one_that_is_held_or_waited_for_at_the_end_is_kept))
