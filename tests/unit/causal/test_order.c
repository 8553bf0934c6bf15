#include "../check.h"
#include "relation.h"

#include "trace/format.h"

#include <string.h>

struct fixture {
    struct fore_trace t;
    struct fore_order o;
};

static void order_of(struct fixture *f, const char *text, unsigned mask)
{
    struct fore_err e = {0};
    fore_trace_init(&f->t, "t");
    if (fore_trace_parse(&f->t, text, strlen(text), &e) != FORE_OK ||
        fore_order_build(&f->o, &f->t, mask, &e) != FORE_OK)
        fail_msg("%s", e.msg);
}

static void release(struct fixture *f)
{
    fore_order_release(&f->o);
    fore_trace_release(&f->t);
}

/* Of the events at two positions. */
static void assert_relation(struct fixture *f, uint32_t a, uint32_t b, enum relation r)
{
    static const enum relation mirror[] = {
        [FORE_BEFORE] = FORE_AFTER,
        [FORE_AFTER] = FORE_BEFORE,
        [FORE_CONCURRENT] = FORE_CONCURRENT,
        [FORE_TOGETHER] = FORE_TOGETHER,
    };
    assert_int_equal(compare_events(&f->o, a, b), r);
    assert_int_equal(compare_events(&f->o, b, a), mirror[r]);
}

static void halves_of_a_communication_happen_together(void)
{
    struct fixture f;
    order_of(&f,
             "1: pre(x!); post(x!); write(v)=1\n"
             "2: write(u)=1; pre(x?); post(1#x?)\n",
             FORE_EDGES_RACE);
    assert_relation(&f, 1, 5, FORE_TOGETHER); /* the posts */
    assert_relation(&f, 3, 2,
                    FORE_BEFORE); /* before the receive, so before what follows */
    assert_relation(&f, 0, 4, FORE_CONCURRENT);
    release(&f);
}

static void a_mask_without_locks_does_not_see_them(void)
{
    const char *text =
        "1: lock(m); write(v)=1; unlock(m)\n2: lock(m); write(v)=2; unlock(m)\n";
    struct fixture f;
    order_of(&f, text, FORE_EDGES_RACE);
    assert_relation(&f, 1, 4, FORE_BEFORE);
    release(&f);
    order_of(&f, text, FORE_EDGES_DEADLOCK & ~FORE_EDGE_MEMORY);
    assert_relation(&f, 1, 4, FORE_CONCURRENT);
    release(&f);
    order_of(&f, text, FORE_EDGES_DEADLOCK);
    assert_relation(&f, 1, 4, FORE_BEFORE); /* by the place */
    release(&f);
}

static void a_full_buffer_orders_the_receive_before_the_send(void)
{
    struct fixture f;
    order_of(&f,
             "chan y cap=1\n"
             "1: post(y!#1); post(y!#2)\n"
             "2: post(1#y?)\n",
             FORE_EDGES_RACE);
    assert_relation(&f, 0, 2, FORE_BEFORE);
    assert_relation(&f, 2, 1, FORE_BEFORE); /* though it stands behind */
    release(&f);
}

static void what_has_no_partner_comes_out_at_the_end(void)
{
    struct fixture f;
    order_of(&f, "1: pre(x!); post(x!); write(v)=1\n2: write(u)=1\n", FORE_EDGES_RACE);
    assert_int_equal(fore_order_event(&f.o, 1, 3), 2);
    assert_relation(&f, 1, 2, FORE_BEFORE);
    release(&f);
}

static void edges_are_found_by_name(void)
{
    for (unsigned k = 0; k < FORE_EDGE_KINDS; k++)
        assert_int_equal(fore_edge_named(fore_edge_name(k), strlen(fore_edge_name(k))),
                         1u << k);
    assert_int_equal(fore_edge_named("locks", 5), 0);
}

RUN_CASES(CASE(halves_of_a_communication_happen_together),
          CASE(a_mask_without_locks_does_not_see_them),
          CASE(a_full_buffer_orders_the_receive_before_the_send),
          CASE(what_has_no_partner_comes_out_at_the_end), CASE(edges_are_found_by_name))
