#include "subject.h"

#include "explore/script.h"
#include "explore/shrink.h"
#include "explore/story.h"

#include <string.h>

/* The first violation of edr, shrunk, with the explorer on its path. */
static void find_violation(struct subject *x, struct fore_explorer *s,
                           struct fore_explore_options *o)
{
    *o = (struct fore_explore_options){.scheduler = &fore_scheduler_ex};
    subject_open(x, "edr", "2r1w");
    subject_explore(x, o, s);
    assert_true(s->bugs[FORE_BUG_NOT_LINEARIZABLE].count > 0);
    while (fore_explorer_depth(s))
        fore_explorer_undo(s);
    assert_true(fore_explorer_shrink(s, FORE_BUG_NOT_LINEARIZABLE, 100000));
    const struct fore_bug_report *b = &s->bugs[FORE_BUG_NOT_LINEARIZABLE];
    assert_true(fore_explorer_follow(s, b->schedule.at, b->schedule.n));
}

static void shrinking_finds_the_shortest(void)
{
    struct subject x;
    struct fore_explorer s;
    struct fore_explore_options o;
    find_violation(&x, &s, &o);
    /* write, one replica, a read there, a read elsewhere: none of the four can be missing */
    assert_int_equal(s.bugs[FORE_BUG_NOT_LINEARIZABLE].schedule.n, 4);
    assert_true(fore_histories_dead(&s.histories, fore_explorer_node(&s)));
    fore_explorer_release(&s);
    subject_close(&x);
}

static void without_room_the_schedule_is_only_cut(void)
{
    struct subject x;
    struct fore_explorer s;
    struct fore_explore_options o = {.scheduler = &fore_scheduler_ex};
    subject_open(&x, "edr", "2r1w");
    subject_explore(&x, &o, &s);
    size_t before = s.bugs[FORE_BUG_NOT_LINEARIZABLE].schedule.n;
    assert_false(fore_explorer_shrink(&s, FORE_BUG_NOT_LINEARIZABLE, 2));
    assert_true(s.bugs[FORE_BUG_NOT_LINEARIZABLE].schedule.n < before);
    fore_explorer_release(&s);
    subject_close(&x);
}

static void a_witness_reads_back_as_its_schedule(void)
{
    struct subject x;
    struct fore_explorer s;
    struct fore_explore_options o;
    struct fore_script script;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_err e = {0};
    find_violation(&x, &s, &o);
    fore_script_write(&s, "edr", "2r1w", "expect violation linearizable", &text);
    assert_int_equal(fore_script_read(&script, "w", text.at, text.n, &e), FORE_OK);
    assert_string_equal(script.system, "edr");
    assert_string_equal(script.harness, "2r1w");
    assert_int_equal(script.steps.n, s.world.steps.n);
    for (size_t i = 0; i < script.steps.n; i++) {
        assert_int_equal(script.steps.at[i].msg, s.world.steps.at[i].msg);
        assert_int_equal(script.steps.at[i].how, s.world.steps.at[i].how);
    }
    fore_script_release(&script);
    fore_strbuf_release(&text);
    fore_explorer_release(&s);
    subject_close(&x);
}

static void the_reason_names_what_could_have_been_answered(void)
{
    struct subject x;
    struct fore_explorer s;
    struct fore_explore_options o;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    find_violation(&x, &s, &o);
    fore_story_reason(&s, &text);
    assert_non_null(strstr(text.at, "answered 0"));
    assert_non_null(strstr(text.at, "could only answer 1"));
    fore_strbuf_release(&text);
    fore_explorer_release(&s);
    subject_close(&x);
}

static void faults_stand_before_the_receive_they_belong_to(void)
{
    static const char text[] = "# a comment\n2: send(9->1) \"Start()\"\n3\ndrop 4\n"
                               "# crash 5\n1: receive(5)\n"
                               "1: receive(6)   # plain\n# drop 7\n";
    static const struct {
        uint32_t msg;
        enum fore_how how;
    } want[] = {{3, FORE_DELIVER},
                {4, FORE_DROP},
                {5, FORE_CRASH},
                {6, FORE_DELIVER},
                {7, FORE_DROP}};
    struct fore_script script;
    struct fore_err e = {0};
    assert_int_equal(fore_script_read(&script, "s", text, sizeof text - 1, &e), FORE_OK);
    assert_int_equal(script.steps.n, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(script.steps.at[i].msg, want[i].msg);
        assert_int_equal(script.steps.at[i].how, want[i].how);
    }
    fore_script_release(&script);
    assert_int_not_equal(fore_script_read(&script, "s", "1\nwhat\n", 7, &e), FORE_OK);
    assert_int_equal(e.line, 2);
    fore_script_release(&script);
}

RUN_CASES(CASE(shrinking_finds_the_shortest), CASE(without_room_the_schedule_is_only_cut),
          CASE(a_witness_reads_back_as_its_schedule),
          CASE(the_reason_names_what_could_have_been_answered),
          CASE(faults_stand_before_the_receive_they_belong_to))
