#include "../check.h"

#include "base/budget.h"
#include "base/jsonw.h"
#include "base/option.h"

#include <string.h>

static const struct fore_option table[] = {{"window", 'w', "W", ""},
                                           {"all", 'a', NULL, ""},
                                           {"model", 0, "M", ""},
                                           {NULL, 0, NULL, NULL}};
static const struct fore_option *const tables[] = {table, NULL};

struct given {
    struct fore_params p;
    struct fore_words w;
    struct fore_err e;
};

static enum fore_status parse(struct given *g, enum fore_option_rest rest, int argc,
                              const char **argv)
{
    *g = (struct given){0};
    return fore_params_parse(&g->p, &g->w, tables, rest, argc, (char **)argv, &g->e);
}

static void drop(struct given *g)
{
    fore_params_release(&g->p);
    fore_vec_release(&g->w.v);
}

static void options_and_words_mix(void)
{
    struct given g;
    uint64_t w;
    const char *argv[] = {"a", "-aw3", "b", "--model=x", "--", "--all"};
    assert_int_equal(parse(&g, FORE_REST_MIXED, 6, argv), FORE_OK);
    assert_int_equal(g.w.v.n, 3);
    assert_string_equal(g.w.v.at[2], "--all");
    assert_int_equal(fore_params_u64(&g.p, "window", 9, &w, &g.e), FORE_OK);
    assert_int_equal(w, 3);
    assert_string_equal(fore_params_text(&g.p, "model", ""), "x");
    assert_true(fore_params_has(&g.p, "all"));
    drop(&g);
}

static void the_first_word_may_end_the_options(void)
{
    struct given g;
    const char *argv[] = {"-a", "run", "-w", "--race"};
    assert_int_equal(parse(&g, FORE_REST_FIRST, 4, argv), FORE_OK);
    assert_int_equal(g.w.v.n, 3);
    assert_string_equal(g.w.v.at[1], "-w");
    drop(&g);
}

static void a_command_of_go_may_end_the_options(void)
{
    struct given g;
    const char *argv[] = {"-a", "go", "test", "-run", "X"};
    assert_int_equal(parse(&g, FORE_REST_GO, 5, argv), FORE_OK);
    assert_true(g.w.dashed);
    assert_int_equal(g.w.behind, 0);
    assert_int_equal(g.w.v.n, 4);
    assert_string_equal(g.w.v.at[0], "go");
    assert_string_equal(g.w.v.at[2], "-run");
    drop(&g);
    const char *system[] = {"go", "-a"};
    assert_int_equal(parse(&g, FORE_REST_GO, 2, system), FORE_OK);
    assert_false(g.w.dashed);
    assert_int_equal(g.w.v.n, 1);
    drop(&g);
}

static void all_may_be_words_but_for_a_lone_help(void)
{
    struct given g;
    const char *argv[] = {"-O2", "--", "--all"}, *help[] = {"--help"};
    assert_int_equal(parse(&g, FORE_REST_ALL, 3, argv), FORE_OK);
    assert_int_equal(g.w.v.n, 3);
    assert_string_equal(g.w.v.at[1], "--");
    drop(&g);
    assert_int_equal(parse(&g, FORE_REST_ALL, 1, help),
                     FORE_USAGE); /* not in this table */
    drop(&g);
}

static void mistakes_are_explained(void)
{
    struct given g;
    uint64_t n;
    unsigned choice;
    const char *misspelt[] = {"--windwo", "3"}, *no_value[] = {"--window"};
    const char *a_value[] = {"--all=3"}, *no_number[] = {"-w", "-3"};
    const char *large[] = {"-w", "99999999999999999999"}, *odd[] = {"--model", "z"};
    assert_int_equal(parse(&g, FORE_REST_MIXED, 2, misspelt), FORE_USAGE);
    assert_non_null(strstr(g.e.msg, "did you mean --window"));
    drop(&g);
    assert_int_equal(parse(&g, FORE_REST_MIXED, 1, no_value), FORE_USAGE);
    drop(&g);
    assert_int_equal(parse(&g, FORE_REST_MIXED, 1, a_value), FORE_USAGE);
    drop(&g);
    assert_int_equal(parse(&g, FORE_REST_MIXED, 2, no_number), FORE_OK);
    assert_int_equal(fore_params_u64(&g.p, "window", 0, &n, &g.e), FORE_USAGE);
    drop(&g);
    assert_int_equal(parse(&g, FORE_REST_MIXED, 2, large), FORE_OK);
    assert_int_equal(fore_params_u64(&g.p, "window", 0, &n, &g.e), FORE_USAGE);
    drop(&g);
    assert_int_equal(parse(&g, FORE_REST_MIXED, 2, odd), FORE_OK);
    assert_int_equal(fore_params_choice(&g.p, "model", "x|y", 0, &choice, &g.e),
                     FORE_USAGE);
    assert_non_null(strstr(g.e.msg, "x or y"));
    drop(&g);
}

static void lists_hold_whole_words(void)
{
    assert_true(fore_list_has("a,bc,d", "bc"));
    assert_false(fore_list_has("a,bc,d", "b"));
    assert_false(fore_list_has("", "b"));
}

static void large_numbers_are_strings_in_json(void)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct fore_jsonw w;
    struct fore_big x = {0};
    fore_jsonw_init(&w, &b);
    fore_jsonw_open(&w, NULL, '{');
    fore_jsonw_u64(&w, "small", 9007199254740992u);
    fore_jsonw_u64(&w, "large", 9007199254740993u);
    fore_big_set(&x, UINT64_MAX);
    fore_big_add(&x, &x);
    fore_jsonw_big(&w, "big", &x);
    fore_jsonw_open(&w, "none", '[');
    fore_jsonw_close(&w, ']');
    fore_jsonw_close(&w, '}');
    assert_string_equal(b.at, "{\n  \"small\": 9007199254740992,\n  \"large\": "
                              "\"9007199254740993\",\n  \"big\": "
                              "\"36893488147419103230\",\n  \"none\": []\n}");
    fore_big_release(&x);
    fore_strbuf_release(&b);
}

static void a_budget_says_what_was_spent(void)
{
    volatile sig_atomic_t stop = 0;
    struct fore_budget none = {0}, time = {.deadline_ns = 1},
                       asked = {.interrupted = &stop};
    assert_false(fore_budget_spent(NULL));
    assert_false(fore_budget_spent(&none));
    assert_int_equal(fore_budget_spent(&time), FORE_SPENT_TIME);
    assert_false(fore_budget_spent(&asked));
    stop = 1;
    assert_int_equal(fore_budget_spent(&asked), FORE_SPENT_INTERRUPTED);
}

RUN_CASES(CASE(options_and_words_mix), CASE(the_first_word_may_end_the_options),
          CASE(a_command_of_go_may_end_the_options),
          CASE(all_may_be_words_but_for_a_lone_help), CASE(mistakes_are_explained),
          CASE(lists_hold_whole_words), CASE(large_numbers_are_strings_in_json),
          CASE(a_budget_says_what_was_spent))
