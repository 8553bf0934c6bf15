#include "child.h"
#include "foresee/csp.h"

enum { ABORTED = 128 + 6, DEADLOCKED = 2 };

struct pair {
    foresee_chan *c;
    int n, got, done;
};

static void send_one(void *arg)
{
    struct pair *p = arg;
    foresee_send(p->c, &p->n);
    p->done = 1;
}

static void unbuffered_send_waits_for_its_receiver(void)
{
    struct pair p = {foresee_make(sizeof(int), 0), 7, 0, 0};
    int v = 0;
    foresee_go(send_one, &p);
    foresee_yield();
    assert_int_equal(p.done, 0);
    assert_true(foresee_recv(p.c, &v));
    assert_int_equal(v, 7);
    foresee_yield();
    assert_int_equal(p.done, 1);
    foresee_free(p.c);
}

static void receive_first(void *arg)
{
    struct pair *p = arg;
    p->done = foresee_recv(p->c, &p->got);
}

static void receiver_may_come_first(void)
{
    struct pair p = {foresee_make(sizeof(int), 0), 0, 0, 0};
    int v = 9;
    foresee_go(receive_first, &p);
    foresee_yield();
    foresee_send(p.c, &v);
    foresee_yield();
    assert_int_equal(p.got, 9);
    assert_int_equal(p.done, 1);
    foresee_free(p.c);
}

static void send_three(void *arg)
{
    struct pair *p = arg;
    for (int i = 1; i <= 3; i++) {
        foresee_send(p->c, &i);
        p->done = i;
    }
}

static void buffered_send_waits_only_when_full_and_order_is_kept(void)
{
    struct pair p = {foresee_make(sizeof(int), 2), 0, 0, 0};
    int v;
    foresee_go(send_three, &p);
    foresee_yield();
    assert_int_equal(p.done, 2);
    assert_int_equal(foresee_len(p.c), 2);
    assert_int_equal(foresee_cap(p.c), 2);
    for (int i = 1; i <= 3; i++) {
        foresee_recv(p.c, &v);
        assert_int_equal(v, i);
    }
    assert_int_equal(foresee_len(p.c), 0);
    foresee_yield();
    foresee_free(p.c);
}

static void closed_channel_gives_what_is_left_then_zeros(void)
{
    foresee_chan *c = foresee_make(sizeof(int), 2);
    int v = 5;
    foresee_send(c, &v);
    foresee_close(c);
    assert_true(foresee_recv(c, &v));
    assert_int_equal(v, 5);
    assert_false(foresee_recv(c, &v));
    assert_int_equal(v, 0);
    assert_false(foresee_recv(c, NULL));
    foresee_free(c);
}

static void close_wakes_every_receiver(void)
{
    struct pair p[3];
    foresee_chan *c = foresee_make(sizeof(int), 0);
    for (int i = 0; i < 3; i++) {
        p[i] = (struct pair){c, 0, 1, 1};
        foresee_go(receive_first, &p[i]);
    }
    foresee_yield();
    foresee_close(c);
    foresee_yield();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(p[i].got, 0);
        assert_int_equal(p[i].done, 0);
    }
    foresee_free(c);
}

static void an_element_of_no_size_is_an_event(void)
{
    foresee_chan *c = foresee_make(0, 1);
    foresee_send(c, NULL);
    assert_true(foresee_recv(c, NULL));
    foresee_free(c);
}

/* ---- misuse ---- */

static void send_closed(void)
{
    foresee_chan *c = foresee_make(0, 1);
    foresee_close(c);
    foresee_send(c, NULL);
}

static void close_closed(void)
{
    foresee_chan *c = foresee_make(0, 1);
    foresee_close(c);
    foresee_close(c);
}

static void close_nil(void)
{
    foresee_close(NULL);
}

static void closer(void *c)
{
    foresee_close(c);
}

static void blocked_sender_is_closed(void)
{
    foresee_chan *c = foresee_make(0, 0);
    foresee_go(closer, c);
    foresee_send(c, NULL);
}

static void misuse_panics_with_a_message(void)
{
    char said[2048];
    assert_int_equal(run_child(send_closed, said, sizeof said), ABORTED);
    ASSERT_SAYS(said, "panic: send on closed channel at ");
    ASSERT_SAYS(said, "test_chan.c:");
    assert_int_equal(run_child(close_closed, said, sizeof said), ABORTED);
    ASSERT_SAYS(said, "panic: close of closed channel");
    assert_int_equal(run_child(close_nil, said, sizeof said), ABORTED);
    ASSERT_SAYS(said, "panic: close of nil channel");
    assert_int_equal(run_child(blocked_sender_is_closed, said, sizeof said), ABORTED);
    ASSERT_SAYS(said, "panic: send on closed channel");
}

static void receive_nil(void)
{
    foresee_recv(NULL, NULL);
}

static void wait_for_each_other(void)
{
    struct pair p = {foresee_make(sizeof(int), 0), 0, 0, 0};
    foresee_go(receive_first, &p);
    foresee_recv(p.c, NULL);
}

static void deadlock_says_who_waits(void)
{
    char said[2048];
    assert_int_equal(run_child(receive_nil, said, sizeof said), DEADLOCKED);
    ASSERT_SAYS(said, "all processes are asleep - deadlock!");
    ASSERT_SAYS(said, "process 1 (main) [chan receive] at ");
    assert_int_equal(run_child(wait_for_each_other, said, sizeof said), DEADLOCKED);
    ASSERT_SAYS(said, "(receive_first) [chan receive]");
    ASSERT_SAYS(said, "created at ");
}

/* ---- select ---- */

static void select_takes_what_is_ready(void)
{
    foresee_chan *a = foresee_make(sizeof(int), 1), *b = foresee_make(sizeof(int), 1);
    int v = 3, w = 0;
    bool ok = false;
    assert_int_equal(foresee_select(FORESEE_RECV(a, &w), FORESEE_DEFAULT), 1);
    foresee_send(b, &v);
    assert_int_equal(foresee_select(FORESEE_RECV(a, &w), FORESEE_RECV_OK(b, &w, &ok)), 1);
    assert_int_equal(w, 3);
    assert_true(ok);
    assert_int_equal(foresee_select(FORESEE_SEND(a, &v), FORESEE_RECV(b, &w)), 0);
    assert_int_equal(foresee_select(FORESEE_SEND(a, &v), FORESEE_DEFAULT), 1);
    foresee_close(b);
    assert_int_equal(
        foresee_select(FORESEE_RECV(NULL, NULL), FORESEE_RECV_OK(b, &w, &ok)), 1);
    assert_false(ok);
    assert_int_equal(w, 0);
    foresee_free(a);
    foresee_free(b);
}

static void select_waits_for_the_first_partner_and_takes_it_once(void)
{
    struct pair p = {foresee_make(sizeof(int), 0), 4, 0, 0};
    foresee_chan *other = foresee_make(sizeof(int), 0);
    int v = 0;
    foresee_go(send_one, &p);
    assert_int_equal(foresee_select(FORESEE_RECV(other, &v), FORESEE_RECV(p.c, &v)), 1);
    assert_int_equal(v, 4);
    assert_int_equal(
        foresee_select(FORESEE_RECV(other, &v), FORESEE_RECV(p.c, &v), FORESEE_DEFAULT),
        2);
    foresee_yield();
    foresee_free(other);
    foresee_free(p.c);
}

static void select_times_out(void)
{
    foresee_chan *c = foresee_make(0, 0);
    int64_t before = foresee_now();
    assert_int_equal(foresee_select(FORESEE_RECV(c, NULL), FORESEE_TIMEOUT(2000000)), 1);
    assert_true(foresee_now() - before >= 2000000);
    foresee_free(c);
}

static void select_chooses_any_of_several(void)
{
    int seen[2] = {0};
    foresee_chan *a = foresee_make(0, 1), *b = foresee_make(0, 1);
    foresee_send(a, NULL);
    foresee_send(b, NULL);
    for (int i = 0; i < 200; i++) {
        int k = foresee_select(FORESEE_RECV(a, NULL), FORESEE_RECV(b, NULL));
        seen[k]++;
        foresee_send(k ? b : a, NULL);
    }
    assert_true(seen[0] > 50 && seen[1] > 50);
    foresee_free(a);
    foresee_free(b);
}

static void select_of_many_cases_waits_on_all(void)
{
    enum { MANY = 40 };
    foresee_case cases[MANY];
    struct pair p = {NULL, 6, 0, 0};
    int v = 0;
    for (int i = 0; i < MANY; i++)
        cases[i] = FORESEE_RECV(foresee_make(sizeof(int), 0), &v);
    p.c = cases[33].chan;
    foresee_go(send_one, &p);
    assert_int_equal(foresee_select_array(cases, MANY), 33);
    assert_int_equal(v, 6);
    foresee_yield();
    for (int i = 0; i < MANY; i++)
        foresee_free(cases[i].chan);
}

static void select_waits_on_no_more_cases_than_it_has(void)
{
    struct pair p = {foresee_make(sizeof(int), 0), 5, 0, 0};
    foresee_chan *idle = foresee_make(sizeof(int), 0);
    int v = 0;
    foresee_case cases[] = {FORESEE_RECV(idle, &v), FORESEE_TIMEOUT(1000000),
                            FORESEE_RECV(p.c, &v)};
    foresee_go(send_one, &p);
    assert_int_equal(foresee_select_array(cases, 2), 1);
    assert_int_equal(v, 0);
    assert_true(foresee_recv(p.c, &v));
    assert_int_equal(v, 5);
    foresee_yield();
    foresee_free(idle);
    foresee_free(p.c);
}

static void timer_fires_once_unless_stopped(void)
{
    int64_t when = 0;
    foresee_timer *t = foresee_after(1000000), *never = foresee_after(3600000000000);
    assert_true(foresee_recv(foresee_timer_chan(t), &when));
    assert_true(when >= 1000000);
    assert_false(foresee_timer_stop(t));
    assert_true(foresee_timer_stop(never));
    foresee_yield();
    assert_int_equal(foresee_len(foresee_timer_chan(never)), 0);
    foresee_timer_free(t);
    foresee_timer_free(never);
    foresee_yield();
}

RUN_CASES(CASE(unbuffered_send_waits_for_its_receiver), CASE(receiver_may_come_first),
          CASE(buffered_send_waits_only_when_full_and_order_is_kept),
          CASE(closed_channel_gives_what_is_left_then_zeros),
          CASE(close_wakes_every_receiver), CASE(an_element_of_no_size_is_an_event),
          CASE(misuse_panics_with_a_message), CASE(deadlock_says_who_waits),
          CASE(select_takes_what_is_ready),
          CASE(select_waits_for_the_first_partner_and_takes_it_once),
          CASE(select_times_out), CASE(select_chooses_any_of_several),
          CASE(select_of_many_cases_waits_on_all),
          CASE(select_waits_on_no_more_cases_than_it_has),
          CASE(timer_fires_once_unless_stopped))
