/* The verdicts on every example, over all states: correct ones are, seeded bugs are found. */
#include "subject.h"

static void every_system_gets_its_verdict(void)
{
    static const struct {
        const char *system, *harness;
        bool linearizable, answers; /* every operation is answered in the end */
    } all[] = {
        {"dr", "2r1w", true, false},
        {"dr", "2r2w", true, false},
        {"edr", "2r1w", false, true},
        {"edr", "2r2w", false, true},
        {"adr", "2r1w", true, false},
        {"adr", "2r2w", true, false},
        {"chord", "2r1w", false, true},
        {"chord", "2r2w", false, true},
        {"paxos", "2r1w", true, true},
        {"paxos", "2r2w", true, true},
        {"queue", "2e2d", true, true},
        {"queue-bug", "2e2d", false, true},
        {"2pc", "1a2c", true, true},
        {"2pc-bug", "1a2c", false, true},
        {"2pc", "2a2c", true, true},
        {"2pc-bug", "2a2c", false, true},
        {"raft", "2r1w", true, true},
        {"raft", "election", true, false},
        {"raft-bug", "election", false, false},
        {"zab", "2r1w", true, true},
        {"zab-bug", "2r1w", false, true},
        {"zab-bug", "recovery", false, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct subject x;
        struct fore_explorer s;
        struct fore_explore_options o = {.scheduler = &fore_scheduler_stateful,
                                         .jobs = 1};
        subject_open(&x, all[i].system, all[i].harness);
        subject_explore(&x, &o, &s);
        if (!s.bugs[FORE_BUG_NOT_LINEARIZABLE].count != all[i].linearizable ||
            !s.bugs[FORE_BUG_BLOCKED].count != all[i].answers ||
            s.bugs[FORE_BUG_LIVELOCK].count || s.bugs[FORE_BUG_REQUIRED].count ||
            s.bugs[FORE_BUG_SYSTEM].count || s.row.bound != FORE_BOUND_NONE)
            fail_msg("%s %s: %d violations, %d unanswered", all[i].system, all[i].harness,
                     (int)s.bugs[FORE_BUG_NOT_LINEARIZABLE].count,
                     (int)s.bugs[FORE_BUG_BLOCKED].count);
        fore_explorer_release(&s);
        subject_close(&x);
    }
}

/* A crash makes the queue lose items; in dr the replicas then disagree and do
 * not answer. Paxos counts acknowledgements, not who sent them. With three agents, edr
 * has an acknowledgement to spare. */
static void faults_find_what_they_should(void)
{
    static const struct {
        const char *system, *harness;
        struct fore_faults faults;
        bool linearizable, answers;
    } all[] = {
        {"dr", "2r1w", {.crash = 1}, true, false},
        {"queue", "2e2d", {.crash = 1}, false, true},
        {"paxos", "2r1w", {.drop = 1}, true, false},
        {"paxos", "2r1w", {.crash = 1}, false, false},
        {"paxos", "2r1w", {.duplicate = 1}, false, true},
        {"2pc", "1a2c", {.drop = 1, .partition = 1}, true, false},
        {"raft", "2r1w", {.duplicate = 1}, true, true},
        {"edr", "2r1w", {.drop = 1}, false, true},
        {"zab", "2r1w", {.drop = 1}, true, false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct subject x;
        struct fore_explorer s;
        struct fore_explore_options o = {
            .scheduler = &fore_scheduler_stateful, .jobs = 1, .faults = all[i].faults};
        subject_open(&x, all[i].system, all[i].harness);
        subject_explore(&x, &o, &s);
        if (!s.bugs[FORE_BUG_NOT_LINEARIZABLE].count != all[i].linearizable ||
            !s.bugs[FORE_BUG_BLOCKED].count != all[i].answers)
            fail_msg("%s %s, row %zu: %d violations, %d unanswered", all[i].system,
                     all[i].harness, i, (int)s.bugs[FORE_BUG_NOT_LINEARIZABLE].count,
                     (int)s.bugs[FORE_BUG_BLOCKED].count);
        fore_explorer_release(&s);
        subject_close(&x);
    }
}

/* A message that was there on the same path before, and is not any more: its sender decides by something else than its
 * state. The step is not taken, and the search ends with that as its only answer. */
static void a_system_that_does_not_do_it_again_is_left(void)
{
    struct subject x;
    struct fore_explorer s;
    struct fore_explore_options o = {.scheduler = &fore_scheduler_ex};
    struct fore_err e = {0};
    subject_open(&x, "edr", "2r1w");
    assert_int_equal(fore_explorer_init(&s, &x.system, &x.harness, &o, &e), FORE_OK);
    uint32_t there = fore_actors_first(&s.world), gone = (uint32_t)s.world.msgs.n;
    assert_true(fore_explorer_expects(&s, there, FORE_DELIVER));
    assert_false(s.stop);
    assert_false(fore_explorer_expects(&s, gone, FORE_DELIVER));
    assert_true(s.stop);
    assert_int_equal(s.bugs[FORE_BUG_SYSTEM].count, 1);
    fore_explorer_release(&s);
    subject_close(&x);
}

RUN_CASES(CASE(every_system_gets_its_verdict), CASE(faults_find_what_they_should),
          CASE(a_system_that_does_not_do_it_again_is_left))
