#include "../check.h"

#include "causal/lockset.h"

static void equal_sets_have_equal_numbers(void)
{
    struct fore_locksets t = {0};
    fore_lockset a = fore_lockset_add(&t, fore_lockset_add(&t, 0, 7, false), 3, false);
    fore_lockset b = fore_lockset_add(&t, fore_lockset_add(&t, 0, 3, false), 7, false);
    assert_int_equal(a, b);
    assert_int_equal(fore_lockset_add(&t, a, 7, false), a);
    assert_int_equal(fore_lockset_count(&t, a), 2);
    bool shared;
    assert_int_equal(fore_lockset_member(&t, a, 0, &shared), 3);
    assert_int_equal(fore_lockset_member(&t, a, 1, &shared), 7);
    assert_false(shared);
    assert_int_equal(
        fore_lockset_remove(&t, fore_lockset_remove(&t, a, 3, false), 7, false), 0);
    assert_int_equal(fore_lockset_remove(&t, a, 5, false), a);
    fore_locksets_release(&t);
}

static void readers_do_not_exclude_each_other(void)
{
    struct fore_locksets t = {0};
    fore_lockset reads = fore_lockset_add(&t, 0, 3, true);
    fore_lockset also = fore_lockset_add(&t, reads, 9, false);
    fore_lockset writes = fore_lockset_add(&t, 0, 3, false);
    fore_lockset other = fore_lockset_add(&t, 0, 4, false);
    for (int again = 0; again < 2; again++) { /* computed, then remembered */
        assert_false(fore_lockset_excludes(&t, reads, reads));
        assert_false(fore_lockset_excludes(&t, reads, also));
        assert_true(fore_lockset_excludes(&t, reads, writes));
        assert_true(fore_lockset_excludes(&t, writes, also));
        assert_false(fore_lockset_excludes(&t, writes, other));
        assert_false(fore_lockset_excludes(&t, writes, 0));
    }
    fore_locksets_release(&t);
}

RUN_CASES(CASE(equal_sets_have_equal_numbers), CASE(readers_do_not_exclude_each_other))
