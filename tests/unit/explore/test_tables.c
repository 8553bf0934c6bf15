/* The figures of the paper's tables, and those of our own searches: S schedules, IH incomplete,
 * UH unique histories, NL not linearizable. */
#include "subject.h"

#include <string.h>

struct cell {
    const char *scheduler;
    uint64_t s, ih, uh, nl;
};

static void check_cells(const char *system, const char *harness, bool compat,
                        uint64_t cut, const struct cell *cells, size_t n)
{
    struct subject x;
    subject_open(&x, system, harness);
    for (size_t i = 0; i < n; i++) {
        const struct cell *c = &cells[i];
        struct fore_explore_options o = {.scheduler = fore_scheduler_find(c->scheduler),
                                         .compat = compat,
                                         .max_schedules = cut,
                                         .delays = 3};
        struct fore_explorer s;
        subject_explore(&x, &o, &s);
        uint64_t nl = compat ? s.histories.broken_complete : s.histories.broken;
        if (s.row.schedules != c->s || s.row.incomplete != c->ih ||
            s.histories.unique != c->uh || nl != c->nl)
            fail_msg("%s %s %s: %d/%d/%d/%d", system, harness, c->scheduler,
                     (int)s.row.schedules, (int)s.row.incomplete, (int)s.histories.unique,
                     (int)nl);
        fore_explorer_release(&s);
    }
    subject_close(&x);
}

#define CELLS(...)                                                                       \
    (const struct cell[]){__VA_ARGS__},                                                  \
        sizeof((const struct cell[]){__VA_ARGS__}) / sizeof(struct cell)

static void dr_with_full_snapshots(void)
{
    check_cells("dr", "2r1w", false, 0,
                CELLS({"EX", 4200, 1929, 170, 0}, {"DB", 4200, 1929, 170, 0},
                      {"DP", 2984, 1142, 170, 0}, {"TD", 2906, 1112, 169, 0},
                      {"IR", 2906, 1112, 169, 0}, {"LV", 88, 47, 37, 0}));
}

static void dr_as_published(void)
{
    check_cells("dr", "2r1w", true, 0,
                CELLS({"EX", 4200, 4195, 37, 0}, {"DB", 4200, 4195, 37, 0},
                      {"DP", 2984, 2979, 37, 0}, {"TD", 2906, 2901, 37, 0},
                      {"IR", 2906, 2901, 37, 0}, {"LV", 88, 83, 22, 0}));
}

static void dr_with_four_operations_as_published(void)
{
    check_cells("dr", "2r2w", true, 50000,
                CELLS({"EX", 50000, 50000, 8, 0}, {"DP", 50000, 50000, 8, 0},
                      {"TD", 50000, 50000, 8, 0}, {"IR", 50000, 50000, 8, 0},
                      {"LV", 7236, 7236, 147, 0}));
}

static void edr_as_published_and_with_full_snapshots(void)
{
    check_cells("edr", "2r1w", true, 0,
                CELLS({"EX", 252, 247, 11, 2}, {"DP", 20, 15, 11, 3},
                      {"TD", 20, 15, 12, 4}, {"IR", 14, 11, 8, 2}, {"LV", 14, 11, 8, 2}));
    check_cells("edr", "2r1w", false, 0,
                CELLS({"EX", 252, 0, 32, 12}, {"DB", 252, 0, 32, 12},
                      {"DP", 20, 0, 10, 1}, {"TD", 20, 0, 10, 1}, {"IR", 14, 0, 7, 1},
                      {"LV", 14, 0, 7, 1}));
}

static void adr_is_as_published(void)
{
    const struct cell cells[] = {{"EX", 1680, 887, 148, 0},
                                 {"DP", 908, 462, 140, 0},
                                 {"TD", 818, 419, 132, 0},
                                 {"IR", 802, 412, 124, 0},
                                 {"LV", 802, 412, 124, 0}};
    check_cells("adr", "2r1w", false, 0, cells, 5);
    check_cells("adr", "2r1w", true, 0, cells, 5);
    check_cells("adr", "2r2w", false, 50000,
                CELLS({"EX", 50000, 42890, 718, 0}, {"DP", 50000, 40152, 1610, 0},
                      {"TD", 50000, 39564, 1876, 0}, {"IR", 50000, 39884, 1907, 0},
                      {"LV", 50000, 39884, 1907, 0}));
}

static void chord_with_messages_in_order_of_sending(void)
{
    check_cells("chord", "2r1w", false, 0,
                CELLS({"EX", 18396, 0, 165, 17}, {"DB", 18396, 0, 165, 17},
                      {"DP", 7532, 0, 161, 17}, {"TD", 2972, 0, 118, 13},
                      {"IR", 2138, 0, 109, 12}, {"LV", 9, 0, 7, 0}));
}

static void all_schedules_of_dr_with_four_operations(void)
{
    check_cells("dr", "2r2w", false, 0, CELLS({"EX", 4204200, 4204200, 2280, 0}));
}

struct classes {
    const char *system, *harness;
    enum fore_dependence dependence;
    uint64_t schedules, history, violating; /* history 0: not compared */
};

static void check_classes(const struct classes *c, uint32_t jobs)
{
    struct subject x;
    struct fore_explorer s;
    struct fore_explore_options o = {
        .scheduler = &fore_scheduler_optimal, .jobs = jobs, .dependence = c->dependence};
    uint64_t history, violating;
    subject_open(&x, c->system, c->harness);
    subject_explore(&x, &o, &s);
    fore_histories_classes(&s.histories, &history, &violating);
    assert_int_equal(s.row.schedules, c->schedules);
    assert_int_equal(s.row.redundant, 0);
    if (c->history) {
        assert_int_equal(history, c->history);
        assert_int_equal(violating, c->violating);
    }
    fore_explorer_release(&s);
    subject_close(&x);
}

static void optimal_explores_one_schedule_per_class(void)
{
    const struct classes all[] = {
        {"dr", "2r1w", FORE_DEPEND_HISTORY, 597, 44, 0},
        {"edr", "2r1w", FORE_DEPEND_HISTORY, 54, 32, 12},
        {"adr", "2r1w", FORE_DEPEND_HISTORY, 279, 35, 0},
        {"chord", "2r1w", FORE_DEPEND_HISTORY, 1708, 41, 9},
        {"dr", "2r2w", FORE_DEPEND_HISTORY, 147781, 399, 0},
        {"dr", "2r1w", FORE_DEPEND_ACTOR, 536, 0, 0},
        {"edr", "2r1w", FORE_DEPEND_ACTOR, 8, 0, 0},
        {"adr", "2r1w", FORE_DEPEND_ACTOR, 200, 0, 0},
        {"chord", "2r1w", FORE_DEPEND_ACTOR, 600, 0, 0},
        {"dr", "2r2w", FORE_DEPEND_ACTOR, 123076, 0, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint32_t jobs = 1; jobs <= 3; jobs += 2)
            check_classes(&all[i], jobs);
}

static void stateful_visits_every_state_once(void)
{
    const struct {
        const char *system, *harness;
        uint64_t states;
        bool broken;
    } all[] = {{"dr", "2r1w", 460, false},  {"dr", "2r2w", 15919, false},
               {"edr", "2r1w", 59, true},   {"edr", "2r2w", 4048, true},
               {"adr", "2r1w", 328, false}, {"adr", "2r2w", 10094, false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint32_t jobs = 1; jobs <= 3; jobs += 2) {
            struct subject x;
            struct fore_explorer s;
            struct fore_explore_options o = {.scheduler = &fore_scheduler_stateful,
                                             .jobs = jobs};
            subject_open(&x, all[i].system, all[i].harness);
            subject_explore(&x, &o, &s);
            assert_int_equal(s.row.states, all[i].states);
            assert_int_equal(s.bugs[FORE_BUG_NOT_LINEARIZABLE].count > 0, all[i].broken);
            fore_explorer_release(&s);
            subject_close(&x);
        }
}

/* What somebody would write for a scheduler of their own. */
static bool any_two(const struct fore_actors *w, uint32_t i, uint32_t j)
{
    (void)w, (void)i, (void)j;
    return true;
}

static void a_scheduler_is_two_predicates(void)
{
    static const struct fore_scheduler mine = {
        .name = "mine", .are_dependent = any_two, .did_enable = fore_sender_received};
    struct subject x;
    struct fore_explorer s;
    struct fore_explore_options o = {.scheduler = &mine};
    subject_open(&x, "edr", "2r1w");
    subject_explore(&x, &o, &s);
    assert_int_equal(s.row.schedules, 252); /* nothing commutes: all of them */
    assert_int_equal(s.histories.broken, 12);
    fore_explorer_release(&s);
    subject_close(&x);
}

RUN_CASES(CASE(a_scheduler_is_two_predicates), CASE(dr_with_full_snapshots),
          CASE(dr_as_published), CASE(dr_with_four_operations_as_published),
          CASE(edr_as_published_and_with_full_snapshots), CASE(adr_is_as_published),
          CASE(chord_with_messages_in_order_of_sending),
          CASE(all_schedules_of_dr_with_four_operations),
          CASE(optimal_explores_one_schedule_per_class),
          CASE(stateful_visits_every_state_once))
