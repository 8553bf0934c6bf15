#include "../check.h"

#include "ring/goselect.h"
#include "trace/event.h"

#include <stdio.h>
#include <string.h>

/* "14!" is a send on line 14, "15?" a receive, "16-" a default. */
static const char *cases(const char *text, uint32_t line)
{
    static char out[256];
    struct fore_goselect s = {{0}};
    size_t n = 0;
    out[0] = '\0';
    fore_goselect_read((struct fore_bytes){text, strlen(text)}, line, &s);
    for (size_t i = 0; i < s.v.n; i++)
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%u%c", i ? " " : "",
                              s.v.at[i].line, "?!-"[s.v.at[i].kind]);
    fore_vec_release(&s.v);
    return out;
}

static void sends_receives_and_default_in_their_order(void)
{
    assert_string_equal(cases("select {\n"
                              "case a <- 1:\n"
                              "case <-b:\n"
                              "case v := <-c:\n"
                              "case v, ok = <-d:\n"
                              "default:\n"
                              "}\n",
                              1),
                        "2! 3? 4? 5? 6-");
}

static void what_is_nested_is_not_a_case(void)
{
    assert_string_equal(cases("for {\n"
                              "\tselect {\n"
                              "\tcase f(<-a)[0] <- g{x: 1}:\n"
                              "\t\tswitch { case true: default: }\n"
                              "\t\tselect {\n\t\tcase <-z:\n\t\t}\n"
                              "\tcase x[<-i] = <-b:\n"
                              "\t}\n\tcase <-no:\n",
                              2),
                        "3! 8?");
}

static void comments_and_strings_are_no_code(void)
{
    assert_string_equal(cases("// select {\n"
                              "s := \"select {\"; select { // case <-x:\n"
                              "/* case <-y: */ case a <- `\n:}`:\n"
                              "case m[\":}\"] <- ':':\n"
                              "}",
                              2),
                        "3! 5!");
}

static void a_select_is_looked_for_on_its_line_only(void)
{
    assert_string_equal(
        cases("select {\ncase <-a:\n}\nx := 1\nselect {\ncase <-b:\n}", 4), "");
    assert_string_equal(cases("selected { case <-a: }\n", 1), "");
    assert_string_equal(cases("", 1), "");
}

static void a_torn_source_ends_it(void)
{
    assert_string_equal(cases("select {\ncase a <- \"", 1), "2!");
    assert_string_equal(cases("select {\ncase )<-", 1), "2?");
    assert_string_equal(cases("select {\ncase", 1), "2?");
}

RUN_CASES(CASE(sends_receives_and_default_in_their_order),
          CASE(what_is_nested_is_not_a_case), CASE(comments_and_strings_are_no_code),
          CASE(a_select_is_looked_for_on_its_line_only), CASE(a_torn_source_ends_it))
