#include "closure.h"

#include <stdlib.h>

struct build {
    const struct fore_event *e;
    const uint32_t *group;
    const struct fore_tables *tables;
    size_t n;
    bool *reach;
};

static void edge(struct build *b, size_t i, size_t j)
{
    b->reach[i * b->n + j] = true;
}

static bool is_pre(const struct fore_event *e)
{
    return e->flags & FORE_F_PRE;
}

static bool thread_edge(const struct build *b, size_t i, size_t j, unsigned mask)
{
    const struct fore_event *x = &b->e[i], *y = &b->e[j];
    if (x->thread == y->thread)
        return true;
    bool creates = x->kind == FORE_EV_SIGNAL || x->kind == FORE_EV_SPAWN;
    if (mask & FORE_EDGE_FORK && creates && x->a == y->thread)
        return true;
    return mask & FORE_EDGE_JOIN && y->kind == FORE_EV_JOIN && !is_pre(y) &&
           y->a == x->thread;
}

static size_t rank(const struct build *b, size_t i)
{
    size_t k = 0;
    for (size_t h = 0; h < i; h++)
        k += b->e[h].kind == b->e[i].kind && b->e[h].object == b->e[i].object &&
             !((b->e[h].flags ^ b->e[i].flags) & FORE_F_CLOSED);
    return k;
}

static bool channel_edge(const struct build *b, size_t i, size_t j)
{
    const struct fore_event *x = &b->e[i], *y = &b->e[j];
    if (x->object != y->object || x->kind == FORE_EV_PRE || y->kind == FORE_EV_PRE)
        return false;
    if (y->flags & FORE_F_CLOSED)
        return x->kind == FORE_EV_CLOSE && !(x->flags & FORE_F_CLOSED);
    uint64_t capacity = b->tables->objects.at[x->object].capacity;
    if (x->flags & FORE_F_CLOSED || !capacity)
        return false;
    if (x->kind == FORE_EV_SEND && y->kind == FORE_EV_RECV)
        return x->a == y->a;
    return x->kind == FORE_EV_RECV && y->kind == FORE_EV_SEND &&
           rank(b, i) + capacity == rank(b, j);
}

static bool takes(const struct fore_event *e, uint32_t *lock, bool *shared)
{
    *shared = e->kind == FORE_EV_RLOCK;
    *lock = e->kind == FORE_EV_CWOKEN ? (uint32_t)e->a : e->object;
    return !is_pre(e) && !(e->flags & FORE_F_BUSY) &&
           (e->kind == FORE_EV_LOCK || e->kind == FORE_EV_TRYLOCK || *shared ||
            e->kind == FORE_EV_CWOKEN);
}

static bool gives(const struct fore_event *e, uint32_t *lock, bool *shared)
{
    *shared = e->kind == FORE_EV_RUNLOCK;
    *lock = e->kind == FORE_EV_CWAIT ? (uint32_t)e->a : e->object;
    return e->kind == FORE_EV_UNLOCK || *shared || e->kind == FORE_EV_CWAIT;
}

static bool lock_edge(const struct fore_event *x, const struct fore_event *y)
{
    uint32_t l, m;
    bool s, r;
    return gives(x, &l, &s) && takes(y, &m, &r) && l == m && !(s && r);
}

/* Was the thread of the waking j waiting at i, and did it not wake in between? */
static bool waited(const struct build *b, size_t i, size_t j)
{
    for (size_t k = j; k-- > 0;) {
        if (b->e[k].thread != b->e[j].thread || b->e[k].object != b->e[j].object ||
            is_pre(&b->e[k]))
            continue;
        if (b->e[k].kind == FORE_EV_CWAIT)
            return k < i;
        if (b->e[k].kind == FORE_EV_CWOKEN)
            return false;
    }
    return false;
}

static bool condition_edge(const struct build *b, size_t i, size_t j)
{
    const struct fore_event *x = &b->e[i], *y = &b->e[j];
    if (x->object != y->object || is_pre(x) || is_pre(y))
        return false;
    switch (y->kind) {
    case FORE_EV_CWOKEN:
        if (x->kind == FORE_EV_CSIGNAL && x->a)
            return x->a == y->thread && waited(b, i, j);
        return (x->kind == FORE_EV_CSIGNAL || x->kind == FORE_EV_CBROADCAST) &&
               waited(b, i, j);
    case FORE_EV_ACQUIRE:
        return x->kind == FORE_EV_RELEASE;
    case FORE_EV_WGWAIT:
        return x->kind == FORE_EV_WGDONE ||
               (x->kind == FORE_EV_WGADD && (int64_t)x->a < 0);
    case FORE_EV_ONCE:
        return x->kind == FORE_EV_ONCE && !(x->flags & FORE_F_BUSY);
    case FORE_EV_FIRE:
        for (size_t k = i + 1; k < j; k++)
            if (b->e[k].kind == FORE_EV_ARM && b->e[k].object == y->object)
                return false;
        return x->kind == FORE_EV_ARM;
    default:
        return false;
    }
}

static bool memory_edge(const struct fore_event *x, const struct fore_event *y)
{
    bool access = fore_kind_group(x->kind) == FORE_GROUP_MEMORY &&
                  fore_kind_group(y->kind) == FORE_GROUP_MEMORY &&
                  x->kind != FORE_EV_FENCE && y->kind != FORE_EV_FENCE;
    return access && x->object == y->object &&
           (x->kind != FORE_EV_READ || y->kind != FORE_EV_READ);
}

static bool has_order(const struct fore_event *e, enum fore_memory_order one)
{
    enum fore_memory_order o = fore_event_order(e);
    return o == one || o == FORE_ORDER_ACQ_REL || o == FORE_ORDER_SEQ_CST;
}

/* Does the store i belong to the release sequence that the load j reads from? */
static bool reads_from(const struct build *b, size_t i, size_t j)
{
    const struct fore_event *x = &b->e[i], *y = &b->e[j];
    bool store = x->kind == FORE_EV_WRITE || x->kind == FORE_EV_RMW;
    bool load = y->kind == FORE_EV_READ || y->kind == FORE_EV_RMW;
    if (i >= j || !store || !load || x->object != y->object ||
        fore_event_order(x) == FORE_ORDER_PLAIN ||
        fore_event_order(y) == FORE_ORDER_PLAIN)
        return false;
    for (size_t k = i + 1; k < j; k++) {
        const struct fore_event *z = &b->e[k];
        bool plain = fore_event_order(z) == FORE_ORDER_PLAIN;
        if (z->object == x->object &&
            (z->kind == FORE_EV_WRITE || (z->kind == FORE_EV_RMW && plain)))
            return false;
    }
    return true;
}

/* From a release store or a release fence before a relaxed store, to an acquire load or an
 * acquire fence after a relaxed load. */
static void atomic_edges(struct build *b)
{
    for (size_t i = 0; i < b->n; i++)
        for (size_t j = 0; j < b->n; j++) {
            if (!reads_from(b, i, j))
                continue;
            size_t from = b->n;
            if (has_order(&b->e[i], FORE_ORDER_RELEASE))
                from = i;
            for (size_t k = i; k-- > 0 && from == b->n;)
                if (b->e[k].kind == FORE_EV_FENCE && b->e[k].thread == b->e[i].thread &&
                    has_order(&b->e[k], FORE_ORDER_RELEASE))
                    from = k;
            if (from == b->n)
                continue;
            if (has_order(&b->e[j], FORE_ORDER_ACQUIRE))
                edge(b, from, j);
            for (size_t k = j + 1; k < b->n; k++)
                if (b->e[k].kind == FORE_EV_FENCE && b->e[k].thread == b->e[j].thread &&
                    has_order(&b->e[k], FORE_ORDER_ACQUIRE))
                    edge(b, from, k);
        }
}

/* The halves of a communication, wherever they stand. */
static void together_edges(struct build *b)
{
    for (size_t i = 0; i < b->n; i++)
        for (size_t j = 0; j < b->n; j++) {
            const struct fore_event *s = &b->e[i], *r = &b->e[j];
            if (s->kind == FORE_EV_SEND && r->kind == FORE_EV_RECV &&
                !((s->flags | r->flags) & FORE_F_CLOSED) && s->object == r->object &&
                !b->tables->objects.at[s->object].capacity && r->a == s->thread &&
                r->b == s->a) {
                edge(b, i, j);
                edge(b, j, i);
            }
        }
}

/* Every arrival before every departure; a departure without arrival is both. */
static void barrier_edges(struct build *b)
{
    for (size_t i = 0; i < b->n; i++)
        for (size_t j = 0; j < b->n; j++) {
            if (!b->group[i] || b->group[i] != b->group[j] || is_pre(&b->e[j]))
                continue;
            bool arrival = is_pre(&b->e[i]), recorded = false;
            for (size_t k = 0; k < b->n; k++)
                recorded |= b->group[k] == b->group[i] && is_pre(&b->e[k]) &&
                            b->e[k].thread == b->e[i].thread;
            if (arrival || !recorded)
                edge(b, i, j);
        }
}

static bool direct(const struct build *b, size_t i, size_t j, unsigned mask)
{
    const struct fore_event *x = &b->e[i], *y = &b->e[j];
    return thread_edge(b, i, j, mask) ||
           (mask & FORE_EDGE_CHANNEL && channel_edge(b, i, j)) ||
           (mask & FORE_EDGE_LOCK && lock_edge(x, y)) ||
           (mask & FORE_EDGE_CONDITION && condition_edge(b, i, j)) ||
           (mask & FORE_EDGE_MEMORY && memory_edge(x, y)) ||
           (mask & FORE_EDGE_MESSAGE && x->kind == FORE_EV_ASEND &&
            y->kind == FORE_EV_ARECV && x->a == y->a);
}

void closure_make(struct closure *c, const struct random_trace *r, unsigned mask)
{
    struct build b = {r->trace.events.at, r->group.at, &r->trace.tables,
                      r->trace.events.n, NULL};
    b.reach = calloc(b.n * b.n, sizeof *b.reach);
    for (size_t i = 0; i < b.n; i++) {
        edge(&b, i, i);
        for (size_t j = i + 1; j < b.n; j++)
            if (direct(&b, i, j, mask))
                edge(&b, i, j);
    }
    if (mask & FORE_EDGE_CHANNEL)
        together_edges(&b);
    if (mask & FORE_EDGE_CONDITION)
        barrier_edges(&b);
    if (mask & FORE_EDGE_ATOMIC)
        atomic_edges(&b);
    for (size_t k = 0; k < b.n; k++)
        for (size_t i = 0; i < b.n; i++)
            for (size_t j = 0; b.reach[i * b.n + k] && j < b.n; j++)
                b.reach[i * b.n + j] |= b.reach[k * b.n + j];
    *c = (struct closure){b.n, b.reach};
}

void closure_release(struct closure *c)
{
    free(c->reach);
}
