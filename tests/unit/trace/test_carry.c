#include "../check.h"

#include "trace/carry.h"
#include "trace/event.h"

#include <string.h>

/* A run of two threads, as it comes. */
struct part_fixture {
    struct fore_tables t;
    struct fore_carry c;
    uint32_t lock, cond, barrier;
};

static uint32_t object(struct part_fixture *f, enum fore_object_kind kind,
                       const char *name)
{
    return fore_tables_object(&f->t, kind, name, strlen(name));
}

static void begin(struct part_fixture *f)
{
    *f = (struct part_fixture){0};
    fore_tables_init(&f->t);
    fore_tables_thread(&f->t, "1", 1);
    fore_tables_thread(&f->t, "2", 1);
    object(f, FORE_OBJ_PLACE, "forgotten");
    f->lock = object(f, FORE_OBJ_LOCK, "m");
    f->cond = object(f, FORE_OBJ_COND, "c");
    f->barrier = object(f, FORE_OBJ_BARRIER, "b");
}

static void release(struct part_fixture *f)
{
    fore_carry_release(&f->c);
    fore_tables_release(&f->t);
}

static struct fore_batch one(struct part_fixture *f, uint32_t thread, unsigned kind,
                             uint32_t on, uint64_t a)
{
    struct fore_event e = {
        .thread = thread, .kind = (uint16_t)kind, .object = on, .a = a};
    struct fore_batch b = {.tables = &f->t, .events = &e, .n = 1};
    return fore_carry_events(&f->c, &f->t, &b);
}

static struct fore_batch next(struct part_fixture *f)
{
    struct fore_map moved = {0};
    struct fore_batch b = fore_carry_next(&f->c, &f->t, &moved);
    const uint64_t *lock = fore_map_get(&moved, f->lock);
    const uint64_t *cond = fore_map_get(&moved, f->cond);
    f->lock = lock ? (uint32_t)*lock : object(f, FORE_OBJ_LOCK, "m");
    f->cond = cond ? (uint32_t)*cond : object(f, FORE_OBJ_COND, "c");
    f->barrier = object(f, FORE_OBJ_BARRIER, "b");
    fore_map_release(&moved);
    return b;
}

static void a_lock_that_is_held_begins_the_next_part(void)
{
    struct part_fixture f;
    begin(&f);
    assert_int_equal(one(&f, 2, FORE_EV_LOCK, f.lock, 0).n, 1);
    struct fore_batch b = next(&f);
    assert_int_equal(b.n, 3);
    assert_int_equal(b.events[0].flags, FORE_F_PRE);
    assert_int_equal(b.events[1].kind, FORE_EV_LOCK);
    assert_int_equal(b.events[1].thread, 2);
    assert_string_equal(fore_tables_name(&f.t, b.events[1].object), "m");
    assert_int_equal(b.events[2].kind, FORE_EV_OUT);
    b = one(&f, 1, FORE_EV_USE, 0, 0); /* everything comes after that */
    assert_int_equal(b.n, 2);
    assert_int_equal(b.events[0].kind, FORE_EV_IN);
    assert_int_equal(one(&f, 1, FORE_EV_USE, 0, 0).n, 1); /* which is said once */
    one(&f, 2, FORE_EV_UNLOCK, f.lock, 0);
    assert_int_equal(next(&f).n, 0);
    release(&f);
}

static void what_was_given_back_is_not_carried(void)
{
    struct part_fixture f;
    begin(&f);
    one(&f, 1, FORE_EV_LOCK, f.lock, 0);
    one(&f, 1, FORE_EV_UNLOCK, f.lock, 0);
    assert_int_equal(next(&f).n, 0);
    assert_int_equal(one(&f, 1, FORE_EV_USE, 0, 0).n, 1);
    release(&f);
}

static void tables_forget_what_is_not_carried(void)
{
    struct part_fixture f;
    begin(&f);
    one(&f, 1, FORE_EV_LOCK, f.lock, 0);
    next(&f);
    assert_int_equal(f.t.threads.n, 3);
    for (size_t i = 1; i < f.t.objects.n; i++)
        assert_string_not_equal(fore_tables_name(&f.t, (uint32_t)i), "forgotten");
    release(&f);
}

static void waits_for_what_was_earlier_are_left_out(void)
{
    struct part_fixture f;
    begin(&f);
    one(&f, 1, FORE_EV_SIGNAL, 0, 2);
    next(&f);
    assert_int_equal(one(&f, 2, FORE_EV_WAIT, 0, 2).n, 0);
    assert_int_equal(one(&f, 2, FORE_EV_END, 0, 0).n, 1);
    assert_int_equal(one(&f, 1, FORE_EV_JOIN, 0, 2).n, 1); /* in the same part */
    next(&f);
    assert_int_equal(one(&f, 1, FORE_EV_JOIN, 0, 2).n, 0);
    release(&f);
}

static void who_sleeps_is_woken_by_something_outside(void)
{
    struct part_fixture f;
    begin(&f);
    one(&f, 2, FORE_EV_LOCK, f.lock, 0);
    one(&f, 2, FORE_EV_CWAIT, f.cond, f.lock);
    assert_int_equal(fore_carry_end(&f.c, &f.t).n, 1); /* it waits */
    assert_int_equal(next(&f).n, 0);
    struct fore_batch b = one(&f, 1, FORE_EV_CSIGNAL, f.cond, 0);
    assert_int_equal(b.n, 2);
    assert_int_equal(b.events[0].kind, FORE_EV_OUT);
    b = one(&f, 2, FORE_EV_CWOKEN, f.cond, f.lock);
    assert_int_equal(b.n, 2);
    assert_int_equal(b.events[0].kind, FORE_EV_IN);
    assert_int_equal(b.events[1].kind, FORE_EV_LOCK);
    assert_int_equal(b.events[1].object, f.lock);
    assert_int_equal(next(&f).n, 3); /* it has the lock */
    release(&f);
}

static void no_part_ends_within_the_round_of_a_barrier(void)
{
    struct part_fixture f;
    begin(&f);
    assert_true(fore_carry_may_end(&f.c));
    one(&f, 1, FORE_EV_BARRIER, f.barrier, 2);
    assert_false(fore_carry_may_end(&f.c));
    one(&f, 2, FORE_EV_BARRIER, f.barrier, 2);
    assert_true(fore_carry_may_end(&f.c));
    release(&f);
}

static void a_run_without_its_beginning_begins_with_what_was_so(void)
{
    struct part_fixture f;
    begin(&f);
    uint32_t chan = object(&f, FORE_OBJ_CHAN, "x"), group = object(&f, FORE_OBJ_WG, "g");
    f.t.objects.at[chan].capacity = 3;
    fore_tables_adopt(&f.t, 1, 2);
    fore_carry_created(&f.c, 2, true);
    fore_carry_hold(&f.c, (struct fore_carried_hold){2, f.lock, 0, false});
    fore_carry_state(&f.c, (struct fore_carried_state){chan, FORE_OBJ_CHAN, 5, 2, true});
    fore_carry_state(&f.c, (struct fore_carried_state){
                               .object = group, .kind = FORE_OBJ_WG, .count = 4});
    struct fore_batch b = fore_carry_begin(&f.c, &f.t);
    static const uint16_t kinds[] = {
        FORE_EV_PRE,   FORE_EV_SEND, FORE_EV_PRE, FORE_EV_SEND, FORE_EV_CLOSE,
        FORE_EV_WGADD, FORE_EV_OUT,  FORE_EV_END, FORE_EV_IN,   FORE_EV_LOCK,
        FORE_EV_LOCK,  FORE_EV_OUT,  FORE_EV_IN};
    assert_int_equal(b.n, sizeof kinds / sizeof *kinds);
    for (size_t i = 0; i < b.n; i++)
        assert_int_equal(b.events[i].kind, kinds[i]);
    assert_int_equal(b.events[1].a, 5);
    assert_int_equal(b.events[3].a, 6);
    assert_int_equal(b.events[5].a, 4);
    assert_int_equal(b.events[9].thread, 2);
    assert_int_equal(f.t.threads.at[2].parent, 0); /* nobody creates it here */
    assert_int_equal(one(&f, 2, FORE_EV_WAIT, 0, 2).n, 0);
    b = one(&f, 1, FORE_EV_WGDONE, group, 0); /* everything comes behind it */
    assert_int_equal(b.n, 2);
    assert_int_equal(b.events[0].kind, FORE_EV_IN);
    release(&f);
}

static void what_is_first_read_is_what_was_there(void)
{
    struct part_fixture f;
    begin(&f);
    next(&f);
    uint32_t x = object(&f, FORE_OBJ_PLACE, "x");
    struct fore_event e = {.thread = 1,
                           .kind = FORE_EV_READ,
                           .flags = FORE_VALUE_INT << FORE_F_VALUE_SHIFT,
                           .object = x,
                           .a = 7};
    struct fore_batch b = {.tables = &f.t, .events = &e, .n = 1};
    fore_carry_events(&f.c, &f.t, &b);
    e.a = 8;
    fore_carry_events(&f.c, &f.t, &b);
    assert_int_equal(f.t.objects.at[x].init.type, FORE_VALUE_INT);
    assert_int_equal(f.t.objects.at[x].init.bits, 7);
    release(&f);
}

RUN_CASES(CASE(a_lock_that_is_held_begins_the_next_part),
          CASE(what_was_given_back_is_not_carried),
          CASE(tables_forget_what_is_not_carried),
          CASE(waits_for_what_was_earlier_are_left_out),
          CASE(who_sleeps_is_woken_by_something_outside),
          CASE(no_part_ends_within_the_round_of_a_barrier),
          CASE(a_run_without_its_beginning_begins_with_what_was_so),
          CASE(what_is_first_read_is_what_was_there))
