/* Chains of steps: shared beginnings, freed ends, a trunk that is kept in a file. */
#include "check.h"

#include "analysis/lattice/chain.h"

static uint32_t add(struct fore_chains *c, uint32_t parent, uint32_t index)
{
    struct fore_lattice_step s = {.event = {.kind = FORE_EV_WRITE}, .index = index};
    return fore_chain_add(c, parent, &s);
}

static void check_steps(const struct fore_chains *c, uint32_t chain, uint32_t n)
{
    struct fore_lattice_steps steps = {{0}};
    fore_chain_steps(c, chain, &steps);
    assert_int_equal(steps.v.n, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(steps.v.at[i].index, i);
    fore_vec_release(&steps.v);
}

static void memory_does_not_grow_with_the_trunk(void)
{
    struct fore_chains c;
    fore_chains_init(&c);
    uint32_t last = 1;
    fore_chain_keep(&c, last);
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t next = add(&c, last, i), branch = add(&c, last, 1u << 20);
        fore_chain_drop(&c, last);
        fore_chain_drop(&c, branch); /* a run that nothing continues */
        last = next;
        fore_chains_trim(&c);
    }
    assert_true(c.nodes.n < 16);
    check_steps(&c, last, 10000);
    fore_chains_release(&c);
}

static void branches_share_their_beginning(void)
{
    struct fore_chains c;
    fore_chains_init(&c);
    fore_chain_keep(&c, 1);
    uint32_t a = add(&c, 1, 0), b = add(&c, a, 1), d = add(&c, a, 1), e = add(&c, d, 2);
    fore_chain_drop(&c, 1);
    fore_chain_drop(&c, a);
    fore_chain_drop(&c, d);
    fore_chains_trim(&c); /* the empty chain and `a` are the trunk; there they part */
    check_steps(&c, b, 2);
    check_steps(&c, e, 3);
    fore_chain_drop(&c, b);
    fore_chains_trim(&c);
    check_steps(&c, e, 3);
    fore_chains_release(&c);
}

RUN_CASES(CASE(memory_does_not_grow_with_the_trunk), CASE(branches_share_their_beginning))
