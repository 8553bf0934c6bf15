#include "../check.h"

#include "ring/goname.h"

#include <stdio.h>

static struct fore_gopackage known[] = {{"example.com/my-shop/pool", "pool"},
                                        {"example.com/my-shop/store/v2", "store"},
                                        {"programs/live", "main"}};

/* What the user calls `name` if `asked` may be of it, or "". */
static const char *word(const char *name, const char *asked, bool by_path)
{
    static char said[128];
    struct fore_strbuf base = FORE_STRBUF_INIT;
    struct fore_gopackages packages = {{0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        fore_vec_push(&packages.v, known[i]);
    bool is = fore_goname_asked(&packages, name, asked, by_path, &base);
    snprintf(said, sizeof said, "%s", is ? base.at : "");
    fore_strbuf_release(&base);
    fore_vec_release(&packages.v);
    return said;
}

static void a_path_names_exactly(void)
{
    assert_string_equal(word("main.tank", "main.tank.level", true), "main.tank");
    assert_string_equal(word("main.tank", "main.tanks", true), "");
    assert_string_equal(word("example.com/my-shop/pool.size", "pool.size", true), "");
}

static void a_package_is_called_by_its_name(void)
{
    assert_string_equal(word("example.com/my-shop/pool.size", "pool.size", false),
                        "pool.size");
    assert_string_equal(word("example.com/my-shop/pool.forks", "pool.forks[2]", false),
                        "pool.forks");
    assert_string_equal(word("example.com/my-shop/store/v2.size", "store.size", false),
                        "store.size");
    assert_string_equal(word("programs/live.level", "main.level", false), "main.level");
    assert_string_equal(word("example.com/my-shop/pool.size", "pool.sizes", false), "");
    assert_string_equal(word("example.com/my-shop/pool.size", "shop.size", false), "");
}

static void or_by_the_last_element_of_its_path(void)
{
    assert_string_equal(word("programs/live.level", "live.level", false), "live.level");
    assert_string_equal(
        word("other/thing.Pair[example.com/a.T]", "thing.Pair[example.com/a.T].x", false),
        "thing.Pair[example.com/a.T]");
}

RUN_CASES(CASE(a_path_names_exactly), CASE(a_package_is_called_by_its_name),
          CASE(or_by_the_last_element_of_its_path))
