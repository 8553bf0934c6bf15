/* Schedules are read, and strategies choose as they say. */
#include "tests/unit/check.h"

#include "capture/control/schedule.h"

#include <string.h>

static bool parse(struct fore_schedule *s, const char *text, char *why)
{
    return fore_schedule_parse(s, strdup(text), why, 128);
}

static void a_schedule_has_steps_and_a_strategy(void)
{
    struct fore_schedule s;
    char why[128];
    assert_true(
        parse(&s,
              "foresee-schedule 2\n# words\nclock virtual 5\npoints sync\n"
              "timers 7\nobject 2 tank[3].level\n"
              "1 0 create\n1.1 3 read a:b.c:12:5 2\n1.12 1 lock waits\n1.1 goes 7\n"
              "then pct 3 9 250\n",
              why));
    assert_int_equal(s.n, 4);
    assert_int_equal(s.paths_n, 3);
    assert_string_equal(s.paths[s.steps[1].path], "1.1");
    assert_int_equal(s.steps[1].kind, FORE_OP_read);
    assert_string_equal(s.steps[1].file, "a:b.c");
    assert_int_equal(s.steps[1].line, 12);
    assert_int_equal(s.steps[1].column, 5);
    assert_int_equal(s.steps[1].count, 2);
    assert_int_equal(s.steps[2].how, FORE_SCHEDULE_WAITS);
    assert_int_equal(s.steps[3].how, FORE_SCHEDULE_GOES);
    assert_int_equal(s.steps[3].path, s.steps[1].path);
    assert_int_equal(s.steps[3].count, 7);
    assert_true(s.sync_points);
    assert_int_equal(s.early_ns, 7000000);
    assert_true(s.objects_n > 2 && !s.objects[1]);
    assert_string_equal(s.objects[2], "tank[3].level");
    assert_int_equal(s.base_seconds, 5);
    assert_int_equal(s.then, FORE_STRATEGY_pct);
    assert_int_equal(s.depth, 3);
    assert_int_equal(s.seed, 9);
    assert_int_equal(s.length, 250);
    fore_schedule_release(&s);
}

static void what_is_no_schedule_is_refused_with_its_line(void)
{
    static const char *const bad[] = {
        "",
        "foresee-schedule 1\n",
        "foresee-schedule 2\n1.1 0\n",
        "foresee-schedule 2\n2 0 lock\n",
        "foresee-schedule 2\n1..1 0 lock\n",
        "foresee-schedule 2\n1.2.0 0 lock\n",
        "foresee-schedule 2\n1 x lock\n",
        "foresee-schedule 2\n1 0 jump\n",
        "foresee-schedule 2\n1 0 read\n",
        "foresee-schedule 2\n1 0 read f.c:x:1\n",
        "foresee-schedule 2\n1 goes 0\n",
        "foresee-schedule 2\nobject 0 tank\n",
        "foresee-schedule 2\nobject 2\n",
        "foresee-schedule 2\nthen pct 3\n",
        "foresee-schedule 2\nthen luck 3\n",
        "foresee-schedule 2\nclock broken\n",
        "foresee-schedule 2\nwhat\n",
        "foresee-schedule 2\n1 99999999999999999999 lock\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fore_schedule s;
        char why[128];
        assert_false(parse(&s, bad[i], why));
        assert_non_null(strstr(why, bad[i][0] && strstr(bad[i], " 2\n") ? "2: " : "1: "));
        fore_schedule_release(&s);
    }
}

static void each_operation_has_a_word_of_its_own(void)
{
#define X(word, number)                                                                  \
    assert_int_equal(fore_schedule_kind(#word), number);                                 \
    assert_string_equal(fore_schedule_word(number), #word);
    FORE_OPERATIONS(X)
#undef X
}

/* ---- strategies, on a program of n threads with so many steps each ---- */

struct toy {
    uint64_t mark[8];
    unsigned left[8], n;
    uint64_t object[8];
};

static struct toy toy_of(unsigned n, unsigned steps)
{
    struct toy t = {.n = n};
    for (unsigned i = 0; i < n; i++) {
        t.left[i] = steps;
        t.object[i] = 1;
    }
    return t;
}

/* Who goes, as a word of digits. */
static void play(struct toy *t, struct fore_strategy *s, char *word)
{
    uint32_t running = 0;
    for (;;) {
        struct fore_goer c[8];
        size_t n = 0;
        for (unsigned i = 0; i < t->n; i++)
            if (t->left[i])
                c[n++] = (struct fore_goer){&t->mark[i], i, t->object[i], true, false};
        if (!n)
            break;
        running = c[fore_strategy_pick(s, c, n, running)].thread;
        t->left[running]--;
        *word++ = (char)('0' + running);
    }
    *word = 0;
}

static void word_of(enum fore_strategy_kind kind, unsigned depth, uint64_t seed,
                    unsigned n, unsigned steps, char *word)
{
    struct fore_strategy s;
    struct toy t = toy_of(n, steps);
    fore_strategy_start(&s, kind, depth, seed, n * steps - steps);
    play(&t, &s, word);
}

static unsigned switches(const char *word)
{
    unsigned n = 0;
    for (; word[0] && word[1]; word++)
        n += word[0] != word[1];
    return n;
}

static void free_goes_on_until_it_cannot(void)
{
    char word[64];
    word_of(FORE_STRATEGY_free, 0, 1, 3, 4, word);
    assert_string_equal(word, "000011112222");
}

static void the_same_seed_makes_the_same_choices(void)
{
    for (unsigned kind = 0; kind < FORE_STRATEGY_KINDS; kind++)
        for (uint64_t seed = 1; seed < 50; seed++) {
            char one[64], two[64];
            word_of((enum fore_strategy_kind)kind, 3, seed, 4, 5, one);
            word_of((enum fore_strategy_kind)kind, 3, seed, 4, 5, two);
            assert_string_equal(one, two);
        }
}

/* Two threads of two steps have six orders: all come, and random walks are as likely as
 * they should be (its six have probabilities of 1/8 and 1/4). */
static void random_comes_to_every_order(void)
{
    enum { RUNS = 4000 };
    unsigned seen[6] = {0};
    static const char *const orders[] = {"0011", "0101", "0110", "1001", "1010", "1100"};
    static const double share[] = {.25, .125, .125, .125, .125, .25};
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        char word[8];
        word_of(FORE_STRATEGY_random, 0, seed, 2, 2, word);
        for (unsigned i = 0; i < 6; i++)
            seen[i] += !strcmp(word, orders[i]);
    }
    for (unsigned i = 0; i < 6; i++)
        assert_true(seen[i] > RUNS * share[i] * .85 && seen[i] < RUNS * share[i] * 1.15);
}

static void pct_switches_no_more_than_its_depth_allows(void)
{
    unsigned most = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        char word[64];
        word_of(FORE_STRATEGY_pct, 3, seed, 2, 10, word);
        unsigned n = switches(word);
        assert_true(n <= 3); /* two falls, and the end of one thread */
        most = n > most ? n : most;
    }
    assert_int_equal(most, 3);
}

static void delay_passes_over_no_more_often_than_it_may(void)
{
    unsigned most = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        char word[64];
        word_of(FORE_STRATEGY_delay, 2, seed, 2, 10, word);
        unsigned n = switches(word);
        assert_true(n <= 3);
        most = n > most ? n : most;
    }
    assert_int_equal(most, 3);
}

/* [pos], section 3: with operations on one object all orders of two threads come. */
static void pos_comes_to_every_order(void)
{
    unsigned seen = 0;
    static const char *const orders[] = {"0011", "0101", "0110", "1001", "1010", "1100"};
    for (uint64_t seed = 0; seed < 500; seed++) {
        char word[8];
        word_of(FORE_STRATEGY_pos, 0, seed, 2, 2, word);
        for (unsigned i = 0; i < 6; i++)
            if (!strcmp(word, orders[i]))
                seen |= 1u << i;
    }
    assert_int_equal(seen, 63);
}

RUN_CASES(CASE(a_schedule_has_steps_and_a_strategy),
          CASE(what_is_no_schedule_is_refused_with_its_line),
          CASE(each_operation_has_a_word_of_its_own), CASE(free_goes_on_until_it_cannot),
          CASE(the_same_seed_makes_the_same_choices), CASE(random_comes_to_every_order),
          CASE(pct_switches_no_more_than_its_depth_allows),
          CASE(delay_passes_over_no_more_often_than_it_may),
          CASE(pos_comes_to_every_order))
