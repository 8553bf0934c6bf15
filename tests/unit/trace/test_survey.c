#include "traces.h"

#include "base/strbuf.h"
#include "trace/waits.h"

static const struct fore_use *use_of(const struct fore_trace *t, const char *chan,
                                     unsigned kind, unsigned nth)
{
    for (uint32_t x = 1; x < t->tables.objects.n; x++) {
        uint32_t u = fore_survey_users(&t->survey, x, kind);
        if (strcmp(fore_tables_name(&t->tables, x), chan) != 0)
            continue;
        for (; u && nth; nth--)
            u = t->survey.uses.at[u - 1].next;
        return u ? &t->survey.uses.at[u - 1] : NULL;
    }
    return NULL;
}

static void uses_are_counted_per_thread_and_direction(void)
{
    struct fore_trace t;
    read_text(&t, "1: signal(2)\n2: wait(2)\n"
                  "1: pre(x!)@a.go:1\n2: pre(x?)@a.go:2\n"
                  "1: post(x!)\n2: post(1#x?)\n"
                  "1: pre(x!)@a.go:3\n2: pre(x?, y?)\n1: post(x!)\n2: post(1#x?)\n"
                  "1: pre(y!)\n");
    const struct fore_use *send = use_of(&t, "x", FORE_CASE_SEND, 0);
    const struct fore_use *recv = use_of(&t, "x", FORE_CASE_RECV, 0);
    assert_int_equal(t.survey.events, t.events.n);
    assert_int_equal(send->offers, 2);
    assert_int_equal(send->taken, 2);
    assert_true(send->mixed);
    assert_false(send->chose);
    assert_true(recv->chose);
    assert_null(use_of(&t, "x", FORE_CASE_SEND, 1));
    assert_int_equal(use_of(&t, "y", FORE_CASE_SEND, 0)->offers, 1);
    assert_int_equal(use_of(&t, "y", FORE_CASE_SEND, 0)->taken, 0);
    assert_int_equal(t.survey.met, 2);
    assert_true(t.survey.threads.at[1].open);
    assert_int_equal(t.survey.threads.at[2].parent, 1);
    fore_trace_release(&t);
}

static void a_panic_that_a_closed_channel_explains_is_marked(void)
{
    struct fore_trace t;
    read_text(&t, "1: close(x); pre(x!); post(x!closed); panic\n");
    assert_int_equal(t.survey.faults.n, 2);
    assert_int_equal(t.survey.faults.at[0].index, 2);
    assert_false(t.survey.faults.at[0].again);
    assert_true(t.survey.faults.at[1].again);
    assert_true(t.survey.exited);
    fore_trace_release(&t);
}

static void waiting_under_a_lock_is_seen(void)
{
    static const struct {
        const char *text;
        bool waits;
    } cases[] = {
        {"1: lock(m); unlock(m); pre(x!)\n", false},
        {"1: lock(m); pre(x!)\n", true},
        {"1: lock(m); lock(n); unlock(n); unlock(m)\n", true},
        {"1: lock(m); write(v)=1; unlock(m); lock(m)\n", false},
        {"1: trylock(m)=busy; pre(x!)\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fore_trace t;
        read_text(&t, cases[i].text);
        assert_int_equal(t.survey.waited_locked, cases[i].waits);
        fore_trace_release(&t);
    }
}

static void expect_same_threads(const struct fore_survey *a, const struct fore_survey *b)
{
    assert_int_equal(a->threads.n, b->threads.n);
    for (size_t i = 0; i < a->threads.n; i++) {
        const struct fore_survey_thread *x = &a->threads.at[i], *y = &b->threads.at[i];
        assert_int_equal(x->count, y->count);
        assert_int_equal(x->first, y->first);
        assert_int_equal(x->last, y->last);
        assert_int_equal(x->held, y->held);
        assert_int_equal(x->open, y->open);
        assert_int_equal(x->fault, y->fault);
        assert_memory_equal(&x->end, &y->end, sizeof x->end);
    }
}

static void expect_same_uses(const struct fore_survey *a, const struct fore_survey *b)
{
    assert_int_equal(a->uses.n, b->uses.n);
    for (size_t i = 0; i < a->uses.n; i++) {
        const struct fore_use *x = &a->uses.at[i], *y = &b->uses.at[i];
        assert_int_equal(x->offers, y->offers);
        assert_int_equal(x->taken, y->taken);
        assert_int_equal(x->taken_at, y->taken_at);
        assert_int_equal(x->mixed, y->mixed);
        assert_int_equal(x->served, y->served);
        assert_int_equal(x->served_at, y->served_at);
        assert_int_equal(x->served_index, y->served_index);
        assert_int_equal(x->last, y->last);
        assert_memory_equal(&x->done, &y->done, sizeof x->done);
    }
}

/* What is usual is looked at in one go. */
static void events_one_by_one_give_the_same_survey(void)
{
    static const char *const texts[] = {
        "chan y cap=2\n1: signal(2)\n2: wait(2)\n1: pre(y!)@a:1; post(y!#1); "
        "pre(y!)@a:2; "
        "post(y!#2)\n2: pre(y?); post(1#y?); pre(y?); post(2#y?); end\n1: close(y); "
        "end\n",
        "chan y cap=1\n1: pre(lock(m)); lock(m); unlock(m); pre(lock(n)); lock(n); "
        "pre(y!); "
        "post(y!#1); unlock(n); rlock(r); runlock(r); pre(lock(m))\n",
        ("1: signal(2)\n2: wait(2)\n1: pre(x!)\n2: pre(x?)\n1: post(x!)\n2: post(1#x?)\n"
         "2: lock(a); pre(lock(b)); lock(b); unlock(a); unlock(b); pre(x?, y!)\n"),
        "1: close(x); pre(x?); post(0#x?); pre(x!); post(x!closed); lock(m); panic\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fore_trace t;
        struct fore_survey one = {0};
        read_text(&t, texts[i]);
        for (size_t k = 0; k < t.events.n; k++)
            fore_survey_events(&one, t.events.at + k, 1, t.cases.at);
        assert_int_equal(one.events, t.survey.events);
        assert_int_equal(one.kinds, t.survey.kinds);
        assert_int_equal(one.waited_locked, t.survey.waited_locked);
        assert_int_equal(one.met, t.survey.met);
        expect_same_threads(&one, &t.survey);
        expect_same_uses(&one, &t.survey);
        fore_survey_release(&one);
        fore_trace_release(&t);
    }
}

/* What an analysis needs of a long trace: the survey alone, the links too, or everything. */
static void calm_traces_need_little(void)
{
    static const char workers[] =
        "1: signal(2); signal(3)\n2: wait(2)\n3: wait(3)\n"
        "1: pre(x?)@a:1\n2: pre(x!)@a:2\n2: post(x!)\n1: post(2#x?)\n"
        "1: pre(x?)@a:1\n3: pre(x!)@a:2\n3: post(x!)\n1: post(3#x?)\n";
    static const struct {
        const char *more;
        enum fore_calm calm;
    } cases[] = {
        {"", FORE_CALM_BY_LINKS},
        {"2: lock(m); unlock(m)\n", FORE_CALM_IN_PART}, /* links do not tell all then */
        {"1: pre(y!)\n2: pre(y?)\n1: post(y!)\n2: post(1#y?); pre(x!)\n1: pre(x?)\n"
         "2: post(x!)\n1: post(2#x?); lock(m); unlock(m)\n",
         FORE_NOT_CALM}, /* they may wait for each other */
        {"2: lock(m); pre(x!)\n", FORE_NOT_CALM},
    };
    struct fore_trace t;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", workers, cases[i].more);
        read_text(&t, text);
        assert_int_equal(fore_survey_calm(&t.survey), cases[i].calm);
        fore_trace_release(&t);
    }
    read_text(&t, "1: signal(2); lock(m); unlock(m)\n2: wait(2)\n"
                  "1: pre(x?)@a:1\n2: pre(x!)@a:2\n2: post(x!)\n1: post(2#x?)\n");
    assert_int_equal(fore_survey_calm(&t.survey), FORE_CALM);
    fore_trace_release(&t);
}

static void a_trace_made_by_hand_is_surveyed_when_asked(void)
{
    struct fore_trace t;
    struct fore_survey own = {0};
    fore_trace_init(&t, "t");
    fore_vec_push(&t.events, (struct fore_event){.thread = 1, .kind = FORE_EV_END});
    const struct fore_survey *s = fore_trace_survey(&t, &own);
    assert_ptr_equal(s, &own);
    assert_true(fore_survey_has(s, FORE_EV_END));
    assert_false(fore_survey_has(s, FORE_EV_EXIT));
    fore_survey_release(&own);
    fore_trace_release(&t);
}

/* Of a calm trace only the beginning is stored, and of the rest each thread's last event: the first of those follows at once. */
static void what_follows_the_stored_events_is_found(void)
{
    struct fore_trace t;
    fore_trace_init(&t, "test");
    fore_vec_push(&t.events, (struct fore_event){.thread = 1, .kind = FORE_EV_IN});
    fore_vec_push(&t.kept,
                  (struct fore_kept_event){1, {.thread = 2, .kind = FORE_EV_END}});
    assert_int_equal(fore_trace_event(&t, 0)->thread, 1);
    assert_int_equal(fore_trace_event(&t, 1)->thread, 2);
    fore_trace_release(&t);
}

static void what_is_not_over_may_still_end(void)
{
    static const char *const open[] = {
        "1: lock(m)\n", "1: wgadd(g, 1); wgdone(g); wgwait(g); wgadd(g, 1)\n"};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        struct fore_trace t;
        read_text(&t, open[i]);
        assert_true(fore_survey_waits_end(&t.survey, true));
        assert_false(fore_survey_waits_end(&t.survey, false));
        fore_trace_release(&t);
    }
}

/* As many threads send as receive, over one channel. */
static bool pairs_end(unsigned pairs)
{
    struct fore_trace t;
    struct fore_strbuf b = FORE_STRBUF_INIT;
    for (unsigned i = 2; i < 2 * pairs + 2; i++)
        fore_strbuf_printf(&b, "1: signal(%u)\n%u: wait(%u)\n", i, i, i);
    for (unsigned i = 2; i < 2 * pairs + 2; i += 2)
        fore_strbuf_printf(&b,
                           "%u: pre(x!)\n%u: pre(x?)\n%u: post(x!)\n%u: post(%u#x?)\n", i,
                           i + 1, i, i + 1, i);
    read_text(&t, b.at);
    bool end = fore_survey_waits_end(&t.survey, false);
    fore_trace_release(&t);
    fore_strbuf_release(&b);
    return end;
}

static void waits_of_too_many_for_too_many_are_not_judged(void)
{
    assert_true(pairs_end(300));
    assert_false(pairs_end(600));
}

RUN_CASES(CASE(uses_are_counted_per_thread_and_direction),
          CASE(a_panic_that_a_closed_channel_explains_is_marked),
          CASE(waiting_under_a_lock_is_seen),
          CASE(events_one_by_one_give_the_same_survey), CASE(calm_traces_need_little),
          CASE(a_trace_made_by_hand_is_surveyed_when_asked),
          CASE(what_follows_the_stored_events_is_found),
          CASE(what_is_not_over_may_still_end),
          CASE(waits_of_too_many_for_too_many_are_not_judged))
