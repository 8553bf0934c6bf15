/* Known answers: verdicts on words, sizes of automata, and equivalences as equality of
 * minimal automata. */
#include "check.h"

#include "spec/monitor.h"

#include <stdio.h>
#include <string.h>

struct fixture {
    struct fore_spec spec;
    struct fore_monitor *monitor;
};

static void open_property(struct fixture *f, const char *text)
{
    struct fore_err e = {0};
    if (fore_spec_parse(&f->spec, "t.spec", text, strlen(text), &e) != FORE_OK ||
        fore_monitor_new(&f->spec, &f->spec.props.at[f->spec.props.n - 1], &f->monitor,
                         &e) != FORE_OK)
        fail_msg("%s", e.msg);
}

static void close_property(struct fixture *f)
{
    fore_monitor_free(f->monitor);
    fore_spec_release(&f->spec);
}

/* Runs a word over p, q, r ("pq r -" is {p,q} {r} {}) and returns the position of the
 * first violation, or -1. */
static int violated_at(const char *property, const char *word)
{
    struct fixture f;
    char text[512];
    snprintf(text, sizeof text, "var p, q, r; property f: %s", property);
    open_property(&f, text);
    uint32_t state = fore_monitor_start(f.monitor);
    int at = fore_monitor_bad(f.monitor, state) ? 0 : -1, i = 0;
    for (const char *c = word; *c && at < 0; i++) {
        struct fore_val vals[3] = {{0}};
        for (; *c && *c != ' '; c++)
            if (*c >= 'p' && *c <= 'r')
                vals[*c - 'p'] = fore_val_int(1);
        c += *c == ' ';
        state = fore_monitor_step(f.monitor, state, fore_monitor_letter(f.monitor, vals),
                                  vals);
        if (fore_monitor_bad(f.monitor, state))
            at = i;
    }
    close_property(&f);
    return at;
}

static bool are_equal(const struct fore_dfa *a, const struct fore_dfa *b)
{
    return a->states == b->states && a->letters == b->letters && a->bad == b->bad &&
           !memcmp(a->next, b->next, (size_t)a->states * a->letters * sizeof *a->next);
}

static bool same(const char *a, const char *b)
{
    struct fixture f, g;
    char text[512];
    /* Both mention p, q, r in this order, so that their letters agree. */
    static const char form[] = "var p, q, r; property order: p || q || r; property f: %s";
    snprintf(text, sizeof text, form, a);
    open_property(&f, text);
    snprintf(text, sizeof text, form, b);
    open_property(&g, text);
    bool equal =
        are_equal(fore_monitor_dfa(f.monitor, false), fore_monitor_dfa(g.monitor, false));
    close_property(&f);
    close_property(&g);
    return equal;
}

static void known_verdicts(void)
{
    assert_int_equal(violated_at("[] (p -> q)", "pq q - p"), 3);
    assert_int_equal(violated_at("p W q", "p p - q"), 2);
    assert_int_equal(violated_at("p W q", "p p q -"), -1);
    assert_int_equal(violated_at("!(p S q)", "p - q"), 2);
    assert_int_equal(violated_at("[] (q -> O p)", "- r pq q"), -1);
    assert_int_equal(violated_at("[] (q -> Y O p)", "- r pq q"), 2);
    assert_int_equal(violated_at("[] (p -> X q)", "p q p -"), 3);
    assert_int_equal(violated_at("q R p", "p pq -"), -1);
    assert_int_equal(violated_at("q R p", "p - pq"), 1);
    assert_int_equal(violated_at("H p", "p p - p"), 2);
    assert_int_equal(violated_at("X X !p", "p p p"), 2);
    assert_int_equal(violated_at("X (p && !p)", "p"), 0);
}

static void start_and_end_need_a_state_before(void)
{
    assert_int_equal(violated_at("!start(p)", "p p - p"), 3);
    assert_int_equal(violated_at("!end(p)", "- p -"), 2);
    assert_int_equal(violated_at("Y p -> q", "p -"), 1);
    /* No infinite run keeps this, so nothing has to happen for it to be violated. */
    assert_int_equal(violated_at("!(Y true)", "-"), 0);
}

static void an_interval_is_open_at_its_end(void)
{
    /* r -> [p, q): p was true, and q never since, that state included */
    assert_int_equal(violated_at("r -> [p, q)", "p r qr"), 2);
    assert_int_equal(violated_at("r -> [p, q)", "p q r"), 2);
    assert_int_equal(violated_at("r -> [p, q)", "pq r"), 1);
    assert_int_equal(violated_at("r -> [p, q)", "pq p r"), -1);
    assert_int_equal(violated_at("r -> [p, q)", "r"), 0);
}

static void past_may_stand_over_future(void)
{
    assert_int_equal(violated_at("[] (r -> O (p && X q))", "- p q r"), -1);
    assert_int_equal(violated_at("[] (r -> O (p && X q))", "- p - r"), 3);
    assert_int_equal(violated_at("[] (r -> O (p && X q))", "pr q"), -1);
    assert_int_equal(violated_at("[] (r -> O (p && X q))", "pr -"), 1);
    assert_true(same("[] H (p -> X q)", "[] (p -> X q)"));
    assert_true(same("[] (Y X p -> p)", "true || p"));
}

static void ere_is_violated_when_a_prefix_matches(void)
{
    assert_int_equal(violated_at("ere { {p}{q} }", "p q"), 1);
    assert_int_equal(violated_at("ere { {p}{q} }", "- p q"), -1);
    assert_int_equal(violated_at("ere { {}*{p}{q} }", "- p q r"), 2);
    assert_int_equal(violated_at("ere { !({}*{p}{}*) & {}{3} }", "- - -"), 2);
    assert_int_equal(violated_at("ere { !({}*{p}{}*) & {}{3} }", "- p -"), -1);
    assert_int_equal(violated_at("ere { {p}{2,3}{q} }", "p p p q"), 3);
    assert_int_equal(violated_at("ere { {p}{2,3}{q} }", "p q"), -1);
    assert_int_equal(violated_at("ere { {p}?{q}+ }", "q"), 0);
    assert_int_equal(violated_at("ere { () }", "q"), 0);
}

static void match_is_violated_when_no_extension_matches(void)
{
    assert_int_equal(violated_at("match { ({p}{q})* }", "p q p p"), 3);
    assert_int_equal(violated_at("match { ({p}{q})* }", "p q p"), -1);
    assert_int_equal(violated_at("match { {p} & {q}{q} }", "-"), 0);
    assert_int_equal(violated_at("match { !({}*{p}{p}{}*) }", "p - p p"), 3);
}

static void equivalent_formulas_have_one_automaton(void)
{
    assert_true(same("p W q", "q R (p || q)"));
    assert_true(same("[] p && [] q && (r || !r)", "[] (p && q && (r || !r))"));
    assert_true(same("!(p U q)", "!p R !q"));
    assert_true(same("[] (p -> [q, r))", "[] (p -> (!r S (q && !r)))"));
    assert_true(same("[] (p -> q W r)", "!<> (p && (!r U (!q && !r)))"));
    assert_true(same("[] !p", "ere { {}*{p} }"));
    assert_true(same("[] !p", "match { {!p}* }"));
    assert_true(same("[] (start(p) -> q)", "[] (p && Y !p -> q)"));
    assert_true(same("[] (H p)", "[] p"));
    assert_true(same("[] (p -> O q)", "!p W q"));
    assert_true(same("ere { !!({p}{q}) }", "ere { {p}{q} }"));
    assert_true(same("ere { !(!({p}{}*) | !({}*{q})) }", "ere { {p}{}* & {}*{q} }"));
    assert_false(same("p W q", "p && q || [] p"));
    /* Safety by its meaning only */
    assert_true(same("(p U q) || [] p", "p W q"));
    assert_true(same("[] (p -> (<> q || true))", "p || !p || q"));
    assert_true(same("[] (q -> !<> p && (r U (r && O p) || [] r))",
                     "[] (q -> [] !p && (r W (r && O p)))"));
    assert_false(same("[] (p -> Y q)", "[] (p -> O q)"));
}

static const char reservoir[] = "p := w > 26  q := w > 30  r := v > 55\n"
                                "property f1: [] (q -> ((r && p) S start(p)))\n"
                                "property f2: ere { {}* {!p} {p, !q}+ ( {p, !q, !r} {p, "
                                "!q}* {q} | {q}* {q, !r} ) {}* }\n";

static void check_size(size_t index, uint32_t possible, uint32_t all)
{
    struct fixture f;
    open_property(&f, reservoir);
    fore_monitor_free(f.monitor);
    struct fore_err e = {0};
    assert_int_equal(fore_monitor_new(&f.spec, &f.spec.props.at[index], &f.monitor, &e),
                     FORE_OK);
    struct fore_monitor_size size = fore_monitor_size(f.monitor);
    assert_int_equal(size.letters, 8);
    assert_int_equal(size.possible, 6);
    assert_int_equal(size.minimal, possible);
    assert_int_equal(size.minimal_all, all);
    close_property(&f);
}

static void the_reservoir_properties_have_the_known_sizes(void)
{
    check_size(0, 4, 4);
    check_size(1, 6, 7);
}

static void the_bad_prefixes_of_the_paper_are_not_those_of_the_formula(void)
{
    static const char f1[] = "[] (q -> ((r && p) S start(p)))";
    static const char f2[] =
        "ere { {}* {!p} {p, !q}+ ( {p, !q, !r} {p, !q}* {q} | {q}* {q, !r} ) {}* }";
    assert_int_equal(violated_at(f1, "- pqr pq"), 2);
    assert_int_equal(violated_at(f2, "- pqr pq"), -1);
    assert_int_equal(violated_at(f1, "- - p p pq pqr pqr"), 4);
    assert_int_equal(violated_at(f2, "- - p p pq pqr pqr"), 4);
}

static void pictures_merge_letters_into_conditions(void)
{
    struct fixture f;
    open_property(&f, "p := w > 26 q := w > 30 property f: [] (q -> Y p)");
    struct fore_strbuf out = FORE_STRBUF_INIT;
    assert_true(fore_monitor_dot(f.monitor, &out));
    assert_non_null(strstr(out.at, "q0 -> q1 [label=\"p && !q\"]"));
    assert_non_null(strstr(out.at, "doublecircle"));
    fore_strbuf_release(&out);
    close_property(&f);
}

static void large_automata_stay_lazy_and_agree(void)
{
    /* The 13th letter from the end: 2^13 states. */
    struct fixture f;
    open_property(&f, "property f: ere { {}* {p} {}{13} {q} }");
    assert_null(fore_monitor_dfa(f.monitor, false));
    uint32_t s = fore_monitor_start(f.monitor);
    struct fore_val vals[2] = {{0}};
    for (int i = 0; i < 40; i++) {
        vals[0] = fore_val_int(i == 20);
        vals[1] = fore_val_int(i > 24);
        assert_int_equal(fore_monitor_bad(f.monitor, s), i > 34);
        s = fore_monitor_step(f.monitor, s, fore_monitor_letter(f.monitor, vals), vals);
    }
    close_property(&f);
}

RUN_CASES(CASE(known_verdicts), CASE(start_and_end_need_a_state_before),
          CASE(an_interval_is_open_at_its_end), CASE(past_may_stand_over_future),
          CASE(ere_is_violated_when_a_prefix_matches),
          CASE(match_is_violated_when_no_extension_matches),
          CASE(equivalent_formulas_have_one_automaton),
          CASE(the_reservoir_properties_have_the_known_sizes),
          CASE(the_bad_prefixes_of_the_paper_are_not_those_of_the_formula),
          CASE(pictures_merge_letters_into_conditions),
          CASE(large_automata_stay_lazy_and_agree))
