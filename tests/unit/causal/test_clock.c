#include "../check.h"

#include "base/rng.h"
#include "causal/clock.h"
#include "relation.h"

#include <stdlib.h>
#include <string.h>

enum { CLOCKS = 6, THREADS = 5000 };

/* Clocks beside plain arrays of the same entries. */
struct world {
    struct fore_clocks pool;
    struct fore_clock clock[CLOCKS];
    uint32_t (*want)[THREADS + 1];
};

static void world_init(struct world *w)
{
    memset(w, 0, sizeof *w);
    fore_clocks_init(&w->pool);
    w->want = calloc(CLOCKS, sizeof *w->want);
}

static void world_release(struct world *w)
{
    for (int i = 0; i < CLOCKS; i++)
        fore_clock_drop(&w->pool, &w->clock[i]);
    assert_int_equal(w->pool.live, 0); /* nothing leaks, nothing is freed twice */
    fore_clocks_release(&w->pool);
    free(w->want);
}

static void assert_same(struct world *w, int c)
{
    uint32_t time = 0, last = 0;
    for (uint32_t t = 1; fore_clock_next(&w->pool, w->clock[c], &t, &time); t++) {
        for (uint32_t between = last + 1; between < t; between++)
            assert_int_equal(w->want[c][between], 0);
        assert_int_equal(w->want[c][t], time);
        last = t;
    }
    for (uint32_t t = 1; t <= THREADS; t++)
        assert_int_equal(fore_clock_get(&w->pool, w->clock[c], t), w->want[c][t]);
}

static void join(struct world *w, int a, int b)
{
    for (int t = 0; t <= THREADS; t++)
        if (w->want[a][t] < w->want[b][t])
            w->want[a][t] = w->want[b][t];
    fore_clock_join(&w->pool, &w->clock[a], w->clock[b]);
}

static void step(struct world *w, struct fore_rng *r)
{
    int a = (int)fore_rng_below(r, CLOCKS), b = (int)fore_rng_below(r, CLOCKS);
    uint32_t room = fore_rng_below(r, 4) ? 60 : THREADS;
    uint32_t t = 1 + (uint32_t)fore_rng_below(r, room);
    switch (fore_rng_below(r, 7)) {
    case 0:
    case 1:
        join(w, a, b);
        break;
    case 2: {
        struct fore_clock copy = fore_clock_keep(&w->pool, w->clock[b]);
        fore_clock_drop(&w->pool, &w->clock[a]);
        w->clock[a] = copy;
        memmove(w->want[a], w->want[b], sizeof *w->want);
        break;
    }
    default:
        w->want[a][t] += 1 + (uint32_t)fore_rng_below(r, 3);
        fore_clock_raise(&w->pool, &w->clock[a], t, w->want[a][t]);
        fore_clock_raise(&w->pool, &w->clock[a], t, w->want[a][t] - 1);
    }
}

struct news {
    const uint32_t *a, *b;
    uint32_t last;
};

static void check_news(void *ctx, uint32_t thread, uint32_t time)
{
    struct news *n = ctx;
    for (uint32_t t = n->last + 1; t < thread; t++)
        assert_true(n->a[t] <= n->b[t]);
    assert_true(n->a[thread] > n->b[thread]);
    assert_int_equal(n->a[thread], time);
    n->last = thread;
}

static void assert_news(struct world *w, int a, int b)
{
    struct news n = {w->want[a], w->want[b], 0};
    fore_clock_news(&w->pool, w->clock[a], w->clock[b], check_news, &n);
    for (uint32_t t = n.last + 1; t <= THREADS; t++)
        assert_true(n.a[t] <= n.b[t]);
}

static void clocks_agree_with_arrays(void)
{
    struct world w;
    struct fore_rng r;
    for (uint64_t seed = 0; seed < 40; seed++) {
        fore_rng_seed(&r, seed);
        world_init(&w);
        for (int i = 0; i < 400; i++)
            step(&w, &r);
        for (int c = 0; c < CLOCKS; c++)
            assert_same(&w, c);
        for (int a = 0; a < CLOCKS; a++)
            for (int b = 0; b < CLOCKS; b++)
                assert_news(&w, a, b);
        world_release(&w);
    }
}

static void copies_do_not_see_later_changes(void)
{
    struct fore_clocks p;
    fore_clocks_init(&p);
    struct fore_clock a = {0}, b;
    fore_clock_set(&p, &a, 3, 7);
    b = fore_clock_keep(&p, a);
    assert_int_equal(p.live, 1);
    fore_clock_set(&p, &a, 3, 8);
    fore_clock_set(&p, &a, 100000, 1);
    assert_int_equal(fore_clock_get(&p, b, 3), 7);
    assert_int_equal(fore_clock_get(&p, b, 100000), 0);
    assert_int_equal(fore_clock_get(&p, a, 3), 8);
    assert_int_equal(fore_clock_get(&p, a, 100000), 1);
    fore_clock_drop(&p, &a);
    fore_clock_drop(&p, &b);
    assert_int_equal(p.live, 0);
    fore_clocks_release(&p);
}

static void a_join_that_learns_nothing_allocates_nothing(void)
{
    struct fore_clocks p;
    fore_clocks_init(&p);
    struct fore_clock a = {0}, b = {0};
    for (uint32_t t = 1; t <= 1000; t++)
        fore_clock_set(&p, &a, t, t);
    b = fore_clock_keep(&p, a);
    fore_clock_set(&p, &a, 500, 501);
    uint32_t live = p.live;
    fore_clock_join(&p, &a, b);
    assert_int_equal(p.live, live);
    fore_clock_join(&p, &b, a); /* now equal, and after one more join the same */
    fore_clock_join(&p, &a, b);
    assert_int_equal(a.root, b.root);
    assert_true(p.live < live);
    fore_clock_drop(&p, &a);
    fore_clock_drop(&p, &b);
    fore_clocks_release(&p);
}

static void a_stamp_adds_the_thread_itself(void)
{
    struct fore_clocks p;
    fore_clocks_init(&p);
    struct fore_stamp s = {{0, 0}, 4, 9}, later = {{0, 0}, 5, 1};
    fore_clock_set(&p, &later.past, 4, 9);
    assert_true(stamp_known(&p, s, later));
    assert_false(stamp_known(&p, later, s));
    struct fore_clock c = fore_stamp_clock(&p, later);
    assert_int_equal(fore_clock_get(&p, c, 4), 9);
    assert_int_equal(fore_clock_get(&p, c, 5), 1);
    fore_clock_drop(&p, &c);
    fore_clock_drop(&p, &later.past);
    assert_int_equal(p.live, 0);
    fore_clocks_release(&p);
}

RUN_CASES(CASE(clocks_agree_with_arrays), CASE(copies_do_not_see_later_changes),
          CASE(a_join_that_learns_nothing_allocates_nothing),
          CASE(a_stamp_adds_the_thread_itself))
