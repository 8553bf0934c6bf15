/* A transport that is played in one thread: messages are delayed by random times, so that they
 * overtake each other, ranks take turns in random order, and a rank may be lost. */
#ifndef FORE_TESTS_ORACLE_EXPLORE_SIMULATOR_H
#define FORE_TESTS_ORACLE_EXPLORE_SIMULATOR_H

#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"
#include "explore/transport.h"

struct letter {
    uint64_t due;
    struct fore_strbuf text;
};

struct simulated {
    struct fore_transport transport; /* first: what its rank holds */
    struct simulator *all;
    FORE_VEC(struct letter) in;
};

struct simulator {
    uint32_t ranks;
    struct simulated *rank;
    struct fore_rng rng;
    uint64_t now, delay; /* the longest */
    uint64_t sent, bytes, batches_waiting;
    int64_t lost; /* or -1 */
};

static inline void simulated_send(struct fore_transport *t, uint32_t to, const char *at,
                                  size_t n)
{
    struct simulator *s = ((struct simulated *)t)->all;
    struct letter l = {.due = s->now + fore_rng_below(&s->rng, s->delay + 1),
                       .text = FORE_STRBUF_INIT};
    fore_strbuf_add(&l.text, at, n);
    fore_vec_push(&s->rank[to].in, l);
    s->sent++;
    s->bytes += n;
    s->batches_waiting += at[0] == 'B';
}

/* One of those that are due, whichever it is. */
static inline bool simulated_receive(struct fore_transport *t, struct fore_strbuf *into)
{
    struct simulated *me = (struct simulated *)t;
    struct simulator *s = me->all;
    size_t n = me->in.n, first = n ? fore_rng_below(&s->rng, n) : 0;
    for (size_t k = 0; k < n; k++) {
        struct letter *l = &me->in.at[(first + k) % n];
        if (l->due > s->now)
            continue;
        fore_strbuf_release(into);
        *into = l->text;
        *l = fore_vec_last(&me->in);
        me->in.n--;
        s->batches_waiting -= into->at[0] == 'B';
        return true;
    }
    return false;
}

static inline void simulated_idle(struct fore_transport *t)
{
    (void)t;
}

static inline int64_t simulated_lost(struct fore_transport *t)
{
    return ((struct simulated *)t)->all->lost;
}

static inline void simulator_init(struct simulator *s, uint32_t ranks, uint64_t delay,
                                  uint64_t seed)
{
    *s = (struct simulator){.ranks = ranks, .delay = delay, .lost = -1};
    fore_rng_seed(&s->rng, seed);
    s->rank = fore_calloc(ranks, sizeof *s->rank);
    for (uint32_t i = 0; i < ranks; i++) {
        s->rank[i].all = s;
        s->rank[i].transport = (struct fore_transport){.rank = i,
                                                       .ranks = ranks,
                                                       .send = simulated_send,
                                                       .receive = simulated_receive,
                                                       .idle = simulated_idle,
                                                       .lost = simulated_lost};
    }
}

static inline void simulator_release(struct simulator *s)
{
    for (uint32_t i = 0; i < s->ranks; i++) {
        for (size_t k = 0; k < s->rank[i].in.n; k++)
            fore_strbuf_release(&s->rank[i].in.at[k].text);
        fore_vec_release(&s->rank[i].in);
    }
    fore_free(s->rank);
}

#endif
