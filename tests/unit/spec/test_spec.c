/* The language: what is read, what is refused, and how errors point at the place. */
#include "check.h"

#include "spec/monitor.h"

#include <string.h>

static enum fore_status parse(struct fore_spec *s, const char *text, struct fore_err *e)
{
    return fore_spec_parse(s, "t.spec", text, strlen(text), e);
}

/* The status of reading `text` and making monitors of all its properties. */
static enum fore_status compile(const char *text, struct fore_err *e)
{
    struct fore_spec s;
    enum fore_status status = parse(&s, text, e);
    for (size_t i = 0; status == FORE_OK && i < s.props.n; i++) {
        struct fore_monitor *m;
        status = fore_monitor_new(&s, &s.props.at[i], &m, e);
        fore_monitor_free(m);
    }
    fore_spec_release(&s);
    return status;
}

static void check_error(const char *text, const char *part)
{
    struct fore_err e = {0};
    assert_int_not_equal(compile(text, &e), FORE_OK);
    char shown[2048];
    fore_err_format(&e, shown, sizeof shown);
    if (!strstr(shown, part))
        fail_msg("`%s` is not in `%s`", part, shown);
}

static void check_prints(const char *text, const char *expected)
{
    struct fore_spec s;
    struct fore_err e = {0};
    struct fore_strbuf got = FORE_STRBUF_INIT;
    if (parse(&s, text, &e) != FORE_OK)
        fail_msg("%s", e.msg);
    fore_node_text(&s.symbols, s.props.at[0].formula, &got);
    assert_string_equal(got.at, expected);
    fore_strbuf_release(&got);
    fore_spec_release(&s);
}

static void operators_bind_as_written(void)
{
    check_prints("property f: a -> b -> c", "a -> b -> c");
    check_prints("property f: (a -> b) -> c", "(a -> b) -> c");
    check_prints("property f: a || b && c", "a || b && c");
    check_prints("property f: (a || b) && c", "(a || b) && c");
    check_prints("property f: a W b && c", "a W b && c");
    check_prints("property f: [] !x > 0", "[] !(x > 0)");
    check_prints("property f: always (a U b)", "[] (a U b)");
    check_prints("property f: G x + 2 * y = -3", "[] (x + 2 * y == -3)");
    check_prints("property f: x - (y - z) > 0", "x - (y - z) > 0");
    check_prints("property f: [y = 0, y > z)", "[y == 0, y > z)");
    check_prints("property f: start(a) S end(b)", "start(a) S end(b)");
    check_prints("property f: (a S b) S c", "(a S b) S c");
    check_prints("property f: a S b S c", "a S b S c");
    check_prints("property f: \"G\" && q.r[3]", "\"G\" && q.r[3]");
    check_prints("property f: c == 'x' || d <= 1.5e3", "c == 120 || d <= 1500.0");
}

static void definitions_name_propositions(void)
{
    check_prints("p := w > 26 q := w > 30\nproperty f: [] (q -> p)", "[] (q -> p)");
    check_prints("d := w - v; property f: [] d > 3", "[] (w - v > 3)");
    check_prints("s := O p property f: [] (q -> s)", "[] (q -> O p)");
}

static void errors_have_place_and_caret(void)
{
    check_error("property f: [] (p ->\n  && q)", "t.spec:2:3: expected a proposition");
    check_error("property f: [] (p ->\n  && q)", "\n    && q)\n    ^~");
    check_error("property f: [] (p",
                "t.spec:1:18: expected `)` to close the parenthesis");
    check_error("property f p",
                "t.spec:1:12: expected `:` after the name of the property");
    check_error("p = 3", "t.spec:1:3: expected `:=` after the name of a proposition");
    check_error("property f: x + 1", "number where a proposition is needed");
    check_error("property f: (x > 1) + 2 > 3", "proposition where a number is needed");
    check_error("property f: 1 < x < 3", "comparisons do not chain");
    check_error("property f: p $$ ~", "does not belong to the language");
    check_error("property f: \"abc", "this quote is not closed");
    check_error("p := x > 0", "there is no property");
    check_error("property f: p property f: q", "already a property `f`");
    check_error("p := x > 0 p := y > 0", "`p` is already defined");
    check_error("property f: p p := x > 0", "used as a variable above");
    check_error("property f: ere { {X p} }", "temporal operators cannot stand in it");
    check_error("property f: ere { {p}{3,2} }", "ends below its beginning");
    check_error("property f: ere { {p}{2000} }", "whole number up to 1000");
    check_error("property f: ere { p }", "expected a letter");
    check_error("property f: [p, q]", "to close the interval");
    check_error("var water, valve\nproperty f: [] wafer > 3",
                "t.spec:2:16: `wafer` is not declared by `var`; did you mean `water`?");
}

static void deep_nesting_is_refused(void)
{
    char text[4096] = "property f: ";
    for (int i = 0; i < 1000; i++)
        strcat(text, "((");
    check_error(text, "nested more than");
    memset(text + 12, '!', 2000);
    check_error(text, "nested more than");
}

static void misspelt_variables_get_the_nearest_name(void)
{
    static const char *const known[] = {"level", "valve"};
    struct fore_spec s;
    struct fore_err e = {0};
    assert_int_equal(parse(&s, "property f: [] levle > 3", &e), FORE_OK);
    assert_int_equal(fore_spec_check_names(&s, known, 2, &e), FORE_MEANING);
    assert_non_null(strstr(e.msg, "no variable `levle`; did you mean `level`?"));
    assert_int_equal(e.column, 16);
    fore_spec_release(&s);
}

static void what_is_not_safety_is_refused_with_its_safe_part(void)
{
    check_error("property f: p U q", "`f` is not a safety property");
    check_error("property f: p U q", "part that can be monitored is `p W q`");
    check_error("property f: <> p", "nothing of it can be monitored");
    check_error("property f: [] p && <> q", "part that can be monitored is `[] p`");
    check_error("property f: [] (p -> <> q)", "nothing of it can be monitored");
    check_error("property f: ! [] p", "denied, `[] p` promises");
    check_error("property f: ! (p W q)", "is `!(p U q)`");
    check_error("property f: ! (p R q)", "is `!(q U (p && q))`");
    check_error("property f: p <-> [] q", "is `p -> [] q`");
    check_error("property f: (p U q) || [] r", "is `p W q || [] r`");
    check_error("property f: [] (p -> O (q U r))", "is `[] (p -> O (q W r))`");
    struct fore_err e = {0};
    assert_int_equal(compile("property f: ! (p U q)", &e), FORE_OK);
    assert_int_equal(compile("property f: ! <> p", &e), FORE_OK);
    assert_int_equal(compile("property f: <> p -> [] q", &e), FORE_OK);
    /* Where p holds, whatever waits for p has what it waits for. */
    assert_int_equal(compile("property f: [] (p -> O (q U p))", &e), FORE_OK);
}

static void letters_that_cannot_occur_are_known(void)
{
    struct fore_spec s;
    struct fore_err e = {0};
    assert_int_equal(
        parse(&s, "property f: [] (w > 26 && w > 30 && (w < 5 || v = 2 || x % 2 == 0))",
              &e),
        FORE_OK);
    struct fore_monitor *m;
    assert_int_equal(fore_monitor_new(&s, &s.props.at[0], &m, &e), FORE_OK);
    /* w: four ranges; v: equal or not; x % 2 is not looked into */
    assert_int_equal(fore_monitor_size(m).letters, 32);
    assert_int_equal(fore_monitor_size(m).possible, 4 * 2 * 2);
    fore_monitor_free(m);
    fore_spec_release(&s);
}

static void arithmetic_is_total(void)
{
    struct fore_val min = fore_val_int(INT64_MIN), one = fore_val_int(-1);
    assert_int_equal(fore_val_arith('/', min, one).i, INT64_MIN);
    assert_int_equal(fore_val_arith('%', min, one).i, 0);
    assert_int_equal(fore_val_arith('+', fore_val_int(INT64_MAX), fore_val_int(1)).i,
                     INT64_MIN);
    struct fore_val nan = fore_val_arith('/', one, fore_val_int(0));
    assert_false(fore_val_same(nan, nan));
    assert_false(fore_val_less_equal(nan, one));
    struct fore_val v;
    assert_int_equal(fore_val_scan("0x1F ", 5, &v), 4);
    assert_int_equal(v.i, 31);
    assert_int_equal(fore_val_scan("-2.5e-1;", 8, &v), 7);
    assert_true(v.real && v.r == -0.25);
    assert_int_equal(fore_val_scan("true", 4, &v), 4);
    assert_int_equal(fore_val_scan("truer", 5, &v), 0);
    char longest[65];
    memset(longest, '7', sizeof longest);
    assert_int_equal(fore_val_scan(longest, 63, &v), 63);
    assert_int_equal(fore_val_scan(longest, 64, &v),
                     0); /* no number needs as many digits */
    assert_int_equal(fore_val_scan("99999999999999999999", 20, &v), 20);
    assert_true(v.real);
}

/* A slash divides; two begin a comment, with or without a blank before them. */
static void a_slash_is_no_comment(void)
{
    struct fore_err e = {0};
    assert_int_equal(compile("var x, y\nproperty p: [] (x / 2 < y/3)\n", &e), FORE_OK);
    assert_int_equal(compile("var x// the level\nproperty p: [] (x < 3)// low\n", &e),
                     FORE_OK);
    check_error("var x\nproperty p: [] (x // 2 < 3)\n", "t.spec:");
}

static void numbers_are_written_as_short_as_they_can_be(void)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.1, "0.1"}, {2, "2.0"}, {1.0 / 3, "0.3333333333333333"}, {1e300, "1e+300"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fore_strbuf b = FORE_STRBUF_INIT;
        fore_spec_val_text((struct fore_val){.real = true, .r = cases[i].value}, &b);
        assert_string_equal(b.at, cases[i].text);
        fore_strbuf_release(&b);
    }
}

RUN_CASES(CASE(a_slash_is_no_comment), CASE(numbers_are_written_as_short_as_they_can_be),
          CASE(operators_bind_as_written), CASE(definitions_name_propositions),
          CASE(errors_have_place_and_caret), CASE(deep_nesting_is_refused),
          CASE(misspelt_variables_get_the_nearest_name),
          CASE(what_is_not_safety_is_refused_with_its_safe_part),
          CASE(letters_that_cannot_occur_are_known), CASE(arithmetic_is_total))
