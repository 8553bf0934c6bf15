/* The part of a formula that failed, and where. */
#include "check.h"

#include "spec/explain.h"

#include <string.h>

/* Letters: bit 0 is p, bit 1 is q, bit 2 is r. */
static void check_blame(const char *formula, const uint32_t *letters, size_t n,
                        const char *part, size_t position)
{
    struct fore_spec s;
    struct fore_err e = {0};
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_strbuf_printf(&text, "property order: p && q && r; property f: %s", formula);
    assert_int_equal(fore_spec_parse(&s, "t", text.at, text.n, &e), FORE_OK);
    struct fore_blame b = fore_explain(&s, &s.props.at[1], letters, n);
    fore_strbuf_clear(&text);
    if (b.node)
        fore_node_text(&s.symbols, b.node, &text);
    assert_string_equal(text.at, part);
    assert_int_equal(b.position, position);
    fore_strbuf_release(&text);
    fore_spec_release(&s);
}

#define BLAME(formula, part, position, ...)                                              \
    check_blame(formula, (const uint32_t[]){__VA_ARGS__},                                \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), part,        \
                position)

static void falsehood_is_followed_to_the_smallest_part(void)
{
    BLAME("[] (p && q && r)", "r", 1, 7, 3);
    BLAME("[] (p -> q && (r || q))", "q", 2, 3, 0, 1);
    BLAME("[] (p -> (q S r))", "q S r", 2, 4, 2, 1);
    BLAME("[] (p -> X q && r)", "q", 2, 7, 7, 0);
    BLAME("H p && q && r", "p", 1, 7, 6);
    BLAME("p W q", "p W q", 0, 1, 1, 4);
    BLAME("p W q || r", "p W q || r", 0, 1, 0);
}

static void what_no_part_explains_is_the_whole(void)
{
    /* No continuation satisfies it, but nothing has become false yet. */
    BLAME("[] (p && q && r) && !(r U (p && !p || X !p))", "", 0, 7);
}

RUN_CASES(CASE(falsehood_is_followed_to_the_smallest_part),
          CASE(what_no_part_explains_is_the_whole))
