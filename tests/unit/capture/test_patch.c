#include "../check.h"

#include "capture/go/patch.h"

#include <string.h>

static const char plan_text[] = "# a comment\n"
                                "= PC a.go: sys.PC() => sys.PC() | pc() => pc()\n"
                                "\n"
                                "@ a.go: entry\n"
                                " func f() {\n"
                                "+\thook($PC)\n"
                                "\n"
                                "@ a.go: twice x2\n"
                                "-\told\n"
                                "+\tnew\n"
                                "\n"
                                "@ a.go: spelled in two ways\n"
                                " \tx int32\n"
                                "+\ty int\n"
                                "|\n"
                                " \tx atomic.Int32\n"
                                "+\ty int\n"
                                "\n"
                                "@ b.go: of newer ones since 1.23\n"
                                "-new only\n"
                                "\n"
                                "@ b.go: of older ones until 1.22\n"
                                "-old only\n"
                                "\n"
                                "~ c.go: flag => (flag || ours) since 1.20\n"
                                "\n"
                                "> b.go: hooks.go\n";

static const char source[] = "use pc()\n"
                             "\tfunc f() {\n"
                             "func f() {\n"
                             "\told\n"
                             "\tx int32\n"
                             "\told\n";

static struct fore_bytes bytes(const char *s)
{
    return (struct fore_bytes){s, strlen(s)};
}

struct outcome {
    struct fore_go_plan plan;
    struct fore_strbuf out, missing;
};

static void apply(struct outcome *o, const char *file, const char *text, unsigned minor)
{
    struct fore_err e;
    *o = (struct outcome){.out = FORE_STRBUF_INIT, .missing = FORE_STRBUF_INIT};
    assert_int_equal(
        fore_go_plan_read(&o->plan, "plan", plan_text, sizeof plan_text - 1, &e),
        FORE_OK);
    o->plan.minor = minor;
    fore_go_plan_choose(&o->plan, file, bytes(text), &o->missing);
    fore_go_plan_apply(&o->plan, file, bytes(text), &o->out, &o->missing);
}

static void release(struct outcome *o)
{
    fore_go_plan_release(&o->plan);
    fore_strbuf_release(&o->out);
    fore_strbuf_release(&o->missing);
}

static void hunks_keep_remove_and_put_lines(void)
{
    struct outcome o;
    apply(&o, "a.go", source, 26);
    assert_string_equal(o.missing.at, "");
    assert_string_equal(o.out.at,
                        "use pc()\n\tfunc f() {\nfunc f() {\n\thook(pc())\n\tnew\n"
                        "\tx int32\n\ty int\n\tnew\n");
    release(&o);
}

static void an_anchor_matches_whole_lines_only(void)
{
    struct outcome o;
    apply(&o, "a.go", "pc()\n\tfunc f() {\n\told\n\told\n\tx int32\n", 26);
    assert_string_equal(o.missing.at, "a.go: entry");
    release(&o);
}

static void what_occurs_more_often_than_expected_is_named(void)
{
    struct outcome o;
    apply(&o, "a.go", "pc()\nfunc f() {\nfunc f() {\n\told\n\tx int32\n", 26);
    assert_string_equal(o.missing.at, "a.go: entry\na.go: twice");
    release(&o);
}

static void both_spellings_at_once_are_refused(void)
{
    struct outcome o;
    apply(&o, "a.go", "pc()\nfunc f() {\n\told\n\told\n\tx int32\n\tx atomic.Int32\n",
          26);
    assert_string_equal(o.missing.at, "a.go: spelled in two ways");
    release(&o);
}

static void a_word_that_is_not_there_is_named(void)
{
    struct outcome o;
    apply(&o, "a.go", "func f() {\n\told\n\told\n\tx int32\n", 26);
    assert_string_equal(o.missing.at, "a.go: PC");
    release(&o);
}

static void versions_bound_anchors(void)
{
    struct outcome o;
    apply(&o, "b.go", "new only\nold only\n", 23);
    assert_string_equal(o.missing.at, "");
    assert_string_equal(o.out.at, "old only\n");
    release(&o);
    apply(&o, "b.go", "new only\nold only\n", 22);
    assert_string_equal(o.out.at, "new only\n");
    release(&o);
}

static void a_line_of_no_kind_is_an_error_with_its_place(void)
{
    struct fore_go_plan p;
    struct fore_err e = {0};
    assert_int_equal(fore_go_plan_read(&p, "plan", "# fine\nwrong\n", 13, &e),
                     FORE_SYNTAX);
    assert_int_equal(e.line, 2);
    fore_go_plan_release(&p);
}

static void versions_are_read(void)
{
    assert_int_equal(fore_go_minor("go1.26.8"), 26);
    assert_int_equal(fore_go_minor("go1.27rc1"), 27);
    assert_int_equal(fore_go_minor("devel go1.28-5ad1b2c"), 28);
    assert_int_equal(fore_go_minor("go2"), 0);
    assert_int_equal(fore_go_minor("gccgo"), 0);
}

static void words_stand_for_a_text_everywhere(void)
{
    struct outcome o;
    apply(&o, "c.go", "if flag {\n}\nx = flag\n", 26);
    assert_string_equal(o.out.at, "if (flag || ours) {\n}\nx = (flag || ours)\n");
    assert_int_equal(o.missing.n, 0);
    assert_true(fore_go_plan_concerns(&o.plan, "c.go"));
    release(&o);
    apply(&o, "c.go", "nothing\n", 26);
    assert_string_equal(o.missing.at, "c.go: flag");
    release(&o);
    apply(&o, "c.go", "if flag {\n", 19);
    assert_string_equal(o.out.at, "if flag {\n");
    assert_false(fore_go_plan_concerns(&o.plan, "c.go"));
    release(&o);
}

RUN_CASES(CASE(hunks_keep_remove_and_put_lines), CASE(an_anchor_matches_whole_lines_only),
          CASE(what_occurs_more_often_than_expected_is_named),
          CASE(both_spellings_at_once_are_refused),
          CASE(a_word_that_is_not_there_is_named), CASE(versions_bound_anchors),
          CASE(a_line_of_no_kind_is_an_error_with_its_place), CASE(versions_are_read),
          CASE(words_stand_for_a_text_everywhere))
