#include "../check.h"

#include "ring/golength.h"

#include <string.h>

/* The line of a source, alone in its package, that asks for the length of a channel. */
static uint32_t asked(const char *text)
{
    struct fore_golength g = {{0}};
    struct fore_bytes source = {text, strlen(text)};
    fore_golength_declare(&g, 1, source);
    uint32_t line = fore_golength_asked(&g, 1, source, 0);
    fore_golength_release(&g);
    return line;
}

static void channels_are_known_by_their_declaration(void)
{
    assert_int_equal(asked("c := make(chan int)\nlen(c)"), 2);
    assert_int_equal(asked("var c = make(chan int)\n\nfor len(c) == 0 {"), 3);
    assert_int_equal(asked("a, b := make(chan int, 1), make(chan int)\nlen(a)"), 2);
    assert_int_equal(asked("func f(a, b <-chan int) {\n return len(a)"), 2);
    assert_int_equal(asked("type s struct {\n\tin, queue chan T\n}\nlen(x.y.queue)"), 4);
    assert_int_equal(asked("s{\n\tqueue: make(chan T),\n}\nlen(x.queue)"), 4);
    assert_int_equal(asked("x.queue = make(chan T)\nlen(x.queue)"), 2);
    assert_int_equal(asked("var qs []chan T\nlen(qs[i])"), 2);
    assert_int_equal(asked("qs map[string][4]chan T\nlen(s.qs[k[0]][i])"), 2);
}

static void other_lengths_are_none(void)
{
    assert_int_equal(asked("c := make(chan int)\nlen(d)"), 0);
    assert_int_equal(asked("c := make(chan int)\ncap(c)"), 0);
    assert_int_equal(asked("c := make(chan int)\nx.len(c.d) + strlen(c)"), 0);
    assert_int_equal(asked("c := make(chan int)\nlen([]int{1})"), 0);
    assert_int_equal(asked("var qs []chan T\nlen(qs)"), 0);
    assert_int_equal(asked("var qs [][]chan T\nlen(qs[i])"), 0);
    assert_int_equal(asked("channel := 1\nlen(channel)"), 0);
}

static void a_declaration_is_that_of_its_package(void)
{
    struct fore_golength g = {{0}};
    const char *declares = "c := make(chan int)", *asks = "len(c)";
    fore_golength_declare(&g, 1, (struct fore_bytes){declares, strlen(declares)});
    struct fore_bytes source = {asks, strlen(asks)};
    assert_int_equal(fore_golength_asked(&g, 1, source, 0), 1);
    assert_int_equal(fore_golength_asked(&g, 2, source, 0), 0);
    fore_golength_release(&g);
}

static void lines_come_one_after_the_other(void)
{
    struct fore_golength g = {{0}};
    const char *text = "c := make(chan int)\nlen(c)\n\nlen(c) + len(c)\n";
    struct fore_bytes source = {text, strlen(text)};
    fore_golength_declare(&g, 1, source);
    assert_int_equal(fore_golength_asked(&g, 1, source, 2), 4);
    assert_int_equal(fore_golength_asked(&g, 1, source, 4), 0);
    fore_golength_release(&g);
}

static void torn_sources_end_it(void)
{
    assert_int_equal(asked(""), 0);
    assert_int_equal(asked("chan"), 0);
    assert_int_equal(asked("]chan len("), 0);
    assert_int_equal(asked("c chan len(c"), 0);
    assert_int_equal(asked(", <-chan len"), 0);
}

RUN_CASES(CASE(channels_are_known_by_their_declaration), CASE(other_lengths_are_none),
          CASE(a_declaration_is_that_of_its_package),
          CASE(lines_come_one_after_the_other), CASE(torn_sources_end_it))
