#include "../check.h"

#include "base/json.h"

#include <string.h>

static const struct fore_json *parse(struct fore_arena *a, const char *text,
                                     struct fore_err *e)
{
    const struct fore_json *v = NULL;
    return fore_json_read(a, "t.json", text, strlen(text), &v, e) == FORE_OK ? v : NULL;
}

static void documents_are_read_back(void)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_err e;
    const struct fore_json *v = parse(
        &a, " {\"a\": [1, -2, true, null], \"s\": \"x\\u00e9\\ud83d\\ude00\\n\"} ", &e);
    assert_non_null(v);
    const struct fore_json *list = fore_json_get(v, "a");
    assert_int_equal(fore_json_int(list->first, 0), 1);
    assert_int_equal(fore_json_int(list->first->next, 0), -2);
    assert_true(fore_json_true(list->first->next->next));
    assert_string_equal(fore_json_text(fore_json_get(v, "s")),
                        "x\xc3\xa9\xf0\x9f\x98\x80\n");
    assert_null(fore_json_get(v, "none"));
    assert_int_equal(fore_json_int(NULL, 5), 5);
    fore_arena_release(&a);
}

static void mistakes_are_placed(void)
{
    static const struct {
        const char *text;
        uint64_t line, column;
    } cases[] = {{"", 1, 1},     {"{\"a\" 1}", 1, 6}, {"[1,\n 2", 2, 3},
                 {"[1,]", 1, 4}, {"\"a\x01\"", 1, 3}, {"\"\\q\"", 1, 2},
                 {"{} x", 1, 4}, {"nul", 1, 1},       {"[\"abc", 1, 6}};
    struct fore_arena a = FORE_ARENA_INIT;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fore_err e = {0};
        assert_null(parse(&a, cases[i].text, &e));
        assert_int_equal(e.line, cases[i].line);
        assert_int_equal(e.column, cases[i].column);
    }
    fore_arena_release(&a);
}

static void depth_is_bounded(void)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_err e;
    char deep[5000];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_null(parse(&a, deep, &e));
    assert_non_null(strstr(e.msg, "deep"));
    fore_arena_release(&a);
}

RUN_CASES(CASE(documents_are_read_back), CASE(mistakes_are_placed),
          CASE(depth_is_bounded))
