#include "explore/wakeup.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

static uint64_t link_of(const struct fore_harness *h, const struct foresee_received *r)
{
    return fore_harness_fifo(h, r->from, r->to)
               ? fore_hash_mix((uint64_t)r->from, (uint64_t)r->to) | 1
               : 0;
}

static uint64_t goes_on(const struct fore_harness *h)
{
    uint64_t ops = 0;
    for (size_t i = 0; i < h->then.n; i++)
        ops |= (uint64_t)(h->then.at[i] >= 0) << i;
    return ops;
}

struct fore_recv fore_recv_else(const struct fore_actors *w, uint32_t msg,
                                enum fore_how how)
{
    const struct fore_message *m = &w->msgs.at[msg];
    int64_t cut = fore_actors_cuts_off(w, msg, how);
    bool lost = cut || how == FORE_DROP;
    return (struct fore_recv){.id = m->id,
                              .actor = lost ? 0 : m->r.to,
                              .cut = cut,
                              .how = how,
                              .op = lost ? -1 : m->op,
                              .goes_on = w->harness->waits ? goes_on(w->harness) : 0,
                              .link = link_of(w->harness, &m->r)};
}

struct fore_recv fore_recv_of(const struct fore_actors *w, uint32_t step)
{
    const struct fore_receipt *s = &w->steps.at[step - 1];
    struct fore_recv r = fore_recv_else(w, s->msg, s->how);
    r.op = s->op;
    r.answers = s->answered;
    return r;
}

void fore_wakeup_pool_release(struct fore_wakeup_pool *pool)
{
    for (struct fore_wakeup *n; (n = pool->spare);) {
        pool->spare = n->next;
        fore_free(n);
    }
}

static struct fore_wakeup *make_wakeup(struct fore_wakeup_pool *pool,
                                       struct fore_wakeup *parent,
                                       const struct fore_recv *m)
{
    struct fore_wakeup *n = pool->spare;
    if (n)
        pool->spare = n->next;
    else
        n = fore_alloc(sizeof *n);
    *n = (struct fore_wakeup){.move = *m, .parent = parent};
    return n;
}

static void publish_node(struct fore_wakeup *n)
{
    struct fore_wakeup *to = n->parent;
    atomic_store_explicit(to->last ? &to->last->next : &to->child, n,
                          memory_order_release);
    to->last = n;
}

struct fore_wakeup *fore_wakeup_append(struct fore_wakeup_pool *pool,
                                       struct fore_wakeup *to, const struct fore_recv *m)
{
    struct fore_wakeup *n = make_wakeup(pool, to, m);
    publish_node(n);
    return n;
}

void fore_wakeup_start(struct fore_wakeup *n)
{
    n->started = true;
    atomic_store_explicit(&n->leaf, !n->child, memory_order_release);
}

void fore_wakeup_clear(struct fore_wakeup_pool *pool, struct fore_wakeup *n)
{
    for (struct fore_wakeup *c = n->child, *next; c; c = next) {
        next = c->next;
        fore_wakeup_clear(pool, c);
        atomic_store_explicit(&c->next, pool->spare, memory_order_relaxed);
        pool->spare = c;
    }
    n->last = NULL;
    atomic_store_explicit(&n->child, NULL, memory_order_relaxed);
}

struct fore_wakeup *fore_wakeup_waiting(const struct fore_wakeup *n)
{
    struct fore_wakeup *c = n->child;
    while (c && c->started)
        c = c->next;
    return c;
}

bool fore_wakeup_may_begin(const struct fore_recv *m, const struct fore_recv *v, size_t n,
                           enum fore_dependence d)
{
    for (size_t i = 0; i < n; i++) {
        if (fore_recv_is(m, &v[i]))
            return true;
        if (fore_recvs_dependent(m, &v[i], d))
            return false;
    }
    return true;
}

static size_t remove_message(struct fore_recv *v, size_t n, const struct fore_recv *m)
{
    for (size_t i = 0; i < n; i++)
        if (fore_recv_is(m, &v[i])) {
            memmove(v + i, v + i + 1, (n - i - 1) * sizeof *v);
            return n - 1;
        }
    return n;
}

/* The first child that the sequence may begin with, or NULL. What comes before `current`
 * sleeps. */
static struct fore_wakeup *child_beginning(const struct fore_wakeup *at,
                                           const struct fore_wakeup *current,
                                           const struct fore_recv *v, size_t n,
                                           enum fore_dependence d, bool *asleep)
{
    *asleep = current != NULL;
    for (struct fore_wakeup *c = at->child; c; c = c->next) {
        if (c == current)
            *asleep = false;
        else if (fore_wakeup_may_begin(&c->move, v, n, d))
            return c;
    }
    return NULL;
}

/* What is below a leaf belongs to the worker that explores it. It became a leaf before anything
 * came below, so the one is to be looked at after the other. */
static bool covers(const struct fore_wakeup *c, bool asleep)
{
    const struct fore_wakeup *below = c->child;
    return asleep || !below || c->leaf;
}

bool fore_wakeup_covers(const struct fore_wakeup *at, const struct fore_wakeup *current,
                        struct fore_recv *v, size_t n, enum fore_dependence d)
{
    bool asleep;
    const struct fore_wakeup *c;
    while (n && (c = child_beginning(at, current, v, n, d, &asleep))) {
        if (covers(c, asleep))
            return true;
        n = remove_message(v, n, &c->move);
        at = c;
        current = NULL;
    }
    return !n;
}

/* A leaf covers every sequence that may begin with it: whatever slept above has been woken on
 * the way there. An inner node covers only what is below it, even when it is being explored:
 * in a parallel search, what the branches to the left find out must still be added. */
struct fore_wakeup *fore_wakeup_insert(struct fore_wakeup_pool *pool,
                                       struct fore_wakeup *at,
                                       const struct fore_wakeup *current,
                                       struct fore_recv *v, size_t n,
                                       enum fore_dependence d)
{
    bool asleep;
    struct fore_wakeup *c = child_beginning(at, current, v, n, d, &asleep);
    if (c && covers(c, asleep))
        return NULL;
    if (c) {
        n = remove_message(v, n, &c->move);
        return n ? fore_wakeup_insert(pool, c, NULL, v, n, d) : NULL;
    }
    struct fore_wakeup *head = make_wakeup(pool, at, &v[0]), *last = head;
    for (size_t i = 1; i < n; i++)
        last = fore_wakeup_append(pool, last, &v[i]);
    publish_node(head); /* the whole sequence at once */
    return at;
}
