#include "../check.h"

#include "history/value.h"

#include <string.h>

static void shows(struct fore_vals *t, const char *text, const char *as)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_val v;
    assert_true(fore_val_parse(t, text, strlen(text), &v));
    fore_val_text(t, v, &b);
    assert_string_equal(b.at, as);
    fore_strbuf_release(&b);
}

static void text_and_value_are_inverse(void)
{
    static const char *const texts[] = {"nil",
                                        "true",
                                        "false",
                                        "?",
                                        "0",
                                        "-7",
                                        "1.5",
                                        "\"a b\"",
                                        "[]",
                                        "[1, [nil, \"x\"]]",
                                        "9223372036854775807",
                                        "123456789012345678901"};
    struct fore_vals t = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        shows(&t, texts[i], texts[i]);
    shows(&t, "  [1 2,3]", "[1, 2, 3]");
    shows(&t, "word", "\"word\"");
    fore_vals_release(&t);
}

static void what_is_no_value_is_refused(void)
{
    static const char *const bad[] = {"", "[1", "\"open", "1 2", "]"};
    struct fore_vals t = {0};
    fore_val v;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(fore_val_parse(&t, bad[i], strlen(bad[i]), &v));
    fore_vals_release(&t);
}

static void equal_values_are_equal_words_and_hash_alike_in_every_table(void)
{
    struct fore_vals t = {0}, u = {0};
    fore_val a, b, c;
    fore_val_string(&u, "other", 5);
    assert_true(fore_val_parse(&t, "[1, \"x\"]", 8, &a));
    assert_true(fore_val_parse(&t, "[1,\"x\"]", 7, &b));
    assert_true(fore_val_is(a, b));
    c = fore_val_import(&u, &t, a);
    assert_int_equal(fore_val_hash(&t, a), fore_val_hash(&u, c));
    fore_vals_release(&t);
    fore_vals_release(&u);
}

static void numbers_compare_by_size_across_kinds(void)
{
    static const char *const ascending[] = {"nil", "-3",    "1.5", "2",
                                            "1e3", "\"a\"", "[1]"};
    struct fore_vals t = {0};
    fore_val v[7];
    for (size_t i = 0; i < 7; i++)
        assert_true(fore_val_parse(&t, ascending[i], strlen(ascending[i]), &v[i]));
    for (size_t i = 0; i < 7; i++)
        for (size_t k = 0; k < 7; k++)
            assert_int_equal((fore_val_compare(&t, v[i], v[k]) > 0) -
                                 (fore_val_compare(&t, v[i], v[k]) < 0),
                             (i > k) - (i < k));
    fore_vals_release(&t);
}

static void a_chain_is_the_list_of_its_elements(void)
{
    struct fore_vals t = {0}, u = {0};
    fore_val list, chain = fore_val_list(&t, NULL, 0);
    for (int i = 1; i <= 3; i++)
        chain = fore_val_chain(&t, chain, fore_val_int(&t, i));
    assert_true(fore_val_parse(&t, "[1,2,3]", 7, &list));
    assert_true(fore_val_is(fore_val_chain_list(&t, chain), list));
    assert_int_equal(fore_val_chain_length(&t, chain), 3);
    fore_val moved = fore_val_import_state(&u, &t, chain);
    assert_int_equal(fore_val_hash(&u, moved), fore_val_hash(&t, chain));
    fore_vals_release(&t);
    fore_vals_release(&u);
}

RUN_CASES(CASE(text_and_value_are_inverse), CASE(what_is_no_value_is_refused),
          CASE(equal_values_are_equal_words_and_hash_alike_in_every_table),
          CASE(numbers_compare_by_size_across_kinds),
          CASE(a_chain_is_the_list_of_its_elements))
