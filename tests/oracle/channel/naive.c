#include "naive.h"

#include "base/hash.h"
#include "base/map.h"

#include <stdlib.h>

enum { T = 8, X = 4, OPS = 64, Q = 32, MOST = 60000 };

struct op {
    uint32_t pre, kind, chan; /* kind: of its done event, 0 if it has none */
    bool closed, timeout;
    bool waited; /* while another ran what is run once */
    struct fore_case cases[4];
    size_t n;
    uint32_t other;  /* receive: the pre of the send that it took; signal: the thread */
    uint64_t number; /* buffered: of its message */
    bool at_barrier; /* for two, as far as it has come */
};

enum { ASLEEP = 1, WOKEN = 2 };

/* How far each thread is, and what is in the channels. */
struct state {
    uint8_t pc[T];
    bool started[T];
    bool closed[X];
    uint8_t queued[X];
    uint32_t queue[X][Q]; /* pres of sends */
    uint8_t owner;        /* of the lock */
    uint8_t units, tasks, ran, arrivals;
    uint8_t arrival[T]; /* at the barrier, from 1; 0: it has not come */
    uint8_t sleeps[T];  /* for the condition: ASLEEP, WOKEN */
    uint32_t odd;       /* pre of a send that went into a buffer against the record */
};

struct world {
    struct naive *out;
    const struct fore_trace *t;
    struct op op[T][OPS];
    unsigned n[T], threads;
    uint64_t capacity[X];
    struct fore_map seen;
};

static void note(struct world *w, int rule, uint32_t chan, uint32_t a, uint32_t b)
{
    struct naive_pair p = {(uint32_t)rule, chan, a, b};
    for (size_t i = 0; i < w->out->pairs.n; i++) {
        struct naive_pair *q = &w->out->pairs.at[i];
        if (q->rule == p.rule && q->chan == chan && q->a == a && q->b == b)
            return;
    }
    fore_vec_push(&w->out->pairs, p);
}

static uint32_t find_send(struct world *w, const struct fore_event *e)
{
    for (unsigned t = 1; t <= w->threads; t++)
        for (unsigned i = 0, k = 0; i < w->n[t]; i++) {
            struct op *o = &w->op[t][i];
            if (o->kind != FORE_EV_SEND || o->chan != e->object || o->closed)
                continue;
            k++;
            if (w->capacity[e->object] ? o->number == e->a : t == e->a && k == e->b)
                return o->pre;
        }
    abort();
}

static void finish_op(struct world *w, struct op *o, const struct fore_event *e)
{
    o->kind = e->kind;
    o->chan = e->object;
    o->closed = e->flags & FORE_F_CLOSED;
    o->timeout = e->flags & FORE_F_TIMEOUT;
    o->number = e->a;
    if (e->kind == FORE_EV_RECV && !o->closed)
        o->other = find_send(w, e);
}

static void load(struct world *w)
{
    const struct fore_trace *t = w->t;
    w->threads = (unsigned)t->tables.threads.n - 1;
    for (size_t x = 1; x < X && x < t->tables.objects.n; x++)
        w->capacity[x] = t->tables.objects.at[x].capacity;
    for (uint32_t i = 0; i < t->events.n; i++) {
        const struct fore_event *e = &t->events.at[i];
        struct op *o = &w->op[e->thread][w->n[e->thread]];
        if (e->kind == FORE_EV_PRE) {
            struct fore_case one;
            const struct fore_case *c = fore_trace_cases(t, e, &one, &o->n);
            o->pre = i;
            memcpy(o->cases, c, o->n * sizeof *c);
            w->n[e->thread]++;
        } else if (e->kind == FORE_EV_SEND || e->kind == FORE_EV_RECV ||
                   e->kind == FORE_EV_SELECT) {
            finish_op(w, o - 1, e);
        } else if (e->kind == FORE_EV_BARRIER && e->flags & FORE_F_PRE) {
            *o = (struct op){.pre = i, .at_barrier = true};
            w->n[e->thread]++;
        } else if (e->kind == FORE_EV_BARRIER) {
            o[-1].kind = e->kind;
        } else {
            *o = (struct op){.pre = i,
                             .kind = e->kind,
                             .chan = e->object,
                             .closed = e->flags & FORE_F_CLOSED,
                             .waited = e->flags & FORE_F_BUSY,
                             .other = (uint32_t)e->a};
            w->n[e->thread]++;
        }
    }
}

static struct op *next(struct world *w, const struct state *s, unsigned t)
{
    return s->started[t] && s->pc[t] < w->n[t] ? &w->op[t][s->pc[t]] : NULL;
}

static bool offers(const struct op *o, uint32_t chan, unsigned kind)
{
    for (size_t i = 0; o && i < o->n; i++)
        if (o->cases[i].chan == chan && o->cases[i].kind == kind)
            return true;
    return false;
}

static bool default_ok(struct world *w, const struct state *s, const struct op *o)
{
    for (size_t i = 0; i < o->n && !o->timeout; i++) {
        uint32_t x = o->cases[i].chan;
        if (!x)
            continue;
        bool room = w->capacity[x] && s->queued[x] < w->capacity[x];
        if (s->closed[x] ||
            (o->cases[i].kind == FORE_CASE_SEND ? room : s->queued[x] != 0))
            return false;
    }
    return true;
}

/* Wakes `whom`, which must wait; 0: nobody, as nobody does. */
static bool wake_one(struct world *w, struct state *s, unsigned whom)
{
    for (unsigned t = 1; t <= w->threads && !whom; t++)
        if (s->sleeps[t] == ASLEEP)
            return false;
    if (whom && s->sleeps[whom] != ASLEEP)
        return false;
    s->sleeps[whom] = whom ? WOKEN : 0;
    return true;
}

/* A step of locks, conditions, semaphores, barriers, once and wait groups. A signal wakes `whom`. */
static bool synchronise(struct world *w, struct state *s, unsigned t, unsigned whom)
{
    struct op *o = next(w, s, t);
    switch (o->kind) {
    case FORE_EV_CWOKEN:
        if (s->sleeps[t] != WOKEN || s->owner)
            return false;
        s->sleeps[t] = 0;
        s->owner = (uint8_t)t;
        return true;
    case FORE_EV_LOCK:
        if (s->owner)
            return false;
        s->owner = (uint8_t)t;
        return true;
    case FORE_EV_CWAIT:
        s->sleeps[t] = ASLEEP;
        s->owner = 0;
        return true;
    case FORE_EV_UNLOCK:
        s->owner = 0;
        return true;
    case FORE_EV_CSIGNAL:
        return wake_one(w, s, whom);
    case FORE_EV_CBROADCAST:
        for (unsigned u = 1; u <= w->threads; u++)
            s->sleeps[u] = s->sleeps[u] ? WOKEN : 0;
        return true;
    case FORE_EV_ACQUIRE:
        return s->units && s->units--;
    case FORE_EV_RELEASE:
        s->units++;
        return true;
    case FORE_EV_ONCE:
        if (o->waited != s->ran)
            return false;
        s->ran = 1;
        return true;
    case FORE_EV_WGADD:
        s->tasks++;
        return true;
    case FORE_EV_WGDONE:
        return s->tasks && s->tasks--;
    case FORE_EV_WGWAIT:
        return !s->tasks;
    case FORE_EV_BARRIER:
        if (!s->arrival[t] || (s->arrival[t] + 1) / 2 > s->arrivals / 2)
            return false;
        s->arrival[t] = 0;
        return true;
    default:
        return true;
    }
}

/* Thread t comes to the barrier, and waits there. */
static bool arrive(struct world *w, struct state *s, unsigned t)
{
    struct op *o = next(w, s, t);
    if (!o || !o->at_barrier || s->arrival[t])
        return false;
    s->arrival[t] = ++s->arrivals;
    return true;
}

/* One recorded step of thread t alone; a signal wakes `whom`. `*visible` tells whether it is a communication. */
static bool alone(struct world *w, struct state *s, unsigned t, unsigned whom,
                  bool *visible)
{
    struct op *o = next(w, s, t);
    if (!o || !o->kind || (whom && o->kind != FORE_EV_CSIGNAL))
        return false;
    uint32_t x = o->chan;
    *visible =
        o->kind == FORE_EV_SEND || o->kind == FORE_EV_RECV || o->kind == FORE_EV_SELECT;
    if (o->kind == FORE_EV_SIGNAL) {
        s->started[o->other] = true;
    } else if (o->kind == FORE_EV_CLOSE) {
        if (s->closed[x] != o->closed)
            return false;
        s->closed[x] = true;
    } else if (o->kind == FORE_EV_SELECT) {
        if (!default_ok(w, s, o))
            return false;
    } else if (o->kind == FORE_EV_SEND && o->closed) {
        *visible = false;
        if (!s->closed[x])
            return false;
    } else if (o->kind == FORE_EV_RECV && o->closed) {
        if (!s->closed[x] || s->queued[x])
            return false;
    } else if (o->kind == FORE_EV_SEND) {
        if (!w->capacity[x] || s->queued[x] >= w->capacity[x] || s->closed[x])
            return false;
        s->queue[x][s->queued[x]++] = o->pre;
    } else if (o->kind == FORE_EV_RECV) {
        if (!w->capacity[x] || !s->queued[x] || s->queue[x][0] != o->other)
            return false;
        memmove(s->queue[x], s->queue[x] + 1, (Q - 1) * sizeof(uint32_t));
        s->queue[x][--s->queued[x]] = 0;
    } else if (!synchronise(w, s, t, whom)) {
        return false;
    }
    s->pc[t]++;
    return true;
}

static bool together(struct world *w, struct state *s, unsigned t, unsigned u)
{
    struct op *a = next(w, s, t), *b = next(w, s, u);
    if (t == u || !a || !b || a->kind != FORE_EV_SEND || b->kind != FORE_EV_RECV ||
        a->closed || b->closed || w->capacity[a->chan] || a->chan != b->chan ||
        b->other != a->pre || s->closed[a->chan])
        return false;
    s->pc[t]++;
    s->pc[u]++;
    return true;
}

static uint32_t closer(struct world *w, uint32_t x)
{
    for (unsigned t = 1; t <= w->threads; t++)
        for (unsigned i = 0; i < w->n[t]; i++)
            if (w->op[t][i].kind == FORE_EV_CLOSE && w->op[t][i].chan == x &&
                !w->op[t][i].closed)
                return w->op[t][i].pre;
    abort();
}

static void look_closed(struct world *w, const struct state *s, struct op *o, uint32_t x)
{
    if (offers(o, x, FORE_CASE_SEND) &&
        !(o->kind == FORE_EV_SEND && o->chan == x && o->closed))
        note(w, 's', x, closer(w, x), o->pre);
    if (offers(o, x, FORE_CASE_RECV) && !s->queued[x] &&
        !(o->kind == FORE_EV_RECV && o->chan == x && o->closed))
        note(w, 'r', x, closer(w, x), o->pre);
}

/* What else could happen here? */
static void look(struct world *w, const struct state *s)
{
    for (unsigned t = 1; t <= w->threads; t++)
        for (uint32_t x = 1; x < X && x < w->t->tables.objects.n; x++) {
            struct op *o = next(w, s, t);
            if (!o)
                continue;
            if (s->closed[x] && !s->odd)
                look_closed(w, s, o, x);
            if (w->capacity[x] && s->queued[x] && offers(o, x, FORE_CASE_RECV) &&
                (!s->odd || s->queue[x][0] == s->odd - 1) &&
                !(o->kind == FORE_EV_RECV && o->chan == x && !o->closed &&
                  o->other == s->queue[x][0]))
                note(w, 'a', x, s->queue[x][0], o->pre);
            for (unsigned u = 1; u <= w->threads; u++) {
                struct op *r = next(w, s, u);
                if (u != t && !s->odd && !w->capacity[x] && !s->closed[x] &&
                    offers(o, x, FORE_CASE_SEND) && offers(r, x, FORE_CASE_RECV) &&
                    !(o->kind == FORE_EV_SEND && o->chan == x &&
                      r->kind == FORE_EV_RECV && r->chan == x && !r->closed &&
                      r->other == o->pre))
                    note(w, 'a', x, o->pre, r->pre);
            }
        }
}

static bool at_end(struct world *w, const struct state *s)
{
    for (unsigned t = 1; t <= w->threads; t++) {
        struct op *o = next(w, s, t);
        if (o && o->kind)
            return false;
    }
    return true;
}

static uint64_t visit(struct world *w, const struct state *s);

/* A send into a buffer against the record: only what comes of it counts. */
static void try_odd(struct world *w, const struct state *s, unsigned t)
{
    struct op *o = next(w, s, t);
    for (uint32_t x = 1; x < X && !s->odd; x++) {
        if (!offers(o, x, FORE_CASE_SEND) || !w->capacity[x] || s->closed[x] ||
            s->queued[x] >= w->capacity[x] ||
            (o->kind == FORE_EV_SEND && o->chan == x && !o->closed))
            continue;
        struct state n = *s;
        n.queue[x][n.queued[x]++] = o->pre;
        n.pc[t] = OPS;
        n.odd = o->pre + 1;
        visit(w, &n);
    }
}

/* States are visited once for what can be seen in them; schedules are counted apart. */
static uint64_t visit(struct world *w, const struct state *s)
{
    bool fresh;
    fore_map_put(&w->seen, fore_hash(s, sizeof *s), &fresh);
    if (!fresh || w->seen.n > MOST) {
        w->out->too_big |= w->seen.n > MOST;
        return 0;
    }
    look(w, s);
    for (unsigned t = 1; t <= w->threads; t++) {
        struct state n = *s;
        bool visible;
        if (arrive(w, &n, t))
            visit(w, &n);
        try_odd(w, s, t);
        for (unsigned u = 0; u <= w->threads; u++) {
            n = *s;
            if (alone(w, &n, t, u, &visible))
                visit(w, &n);
            n = *s;
            if (u && together(w, &n, t, u))
                visit(w, &n);
        }
    }
    return 0;
}

/* The distinct sequences of communications, as hashes of their texts, by brute force. */
static void sequences(struct world *w, const struct state *s, uint64_t text,
                      struct fore_map *seen, struct fore_map *ends)
{
    bool fresh;
    fore_map_put(seen, fore_hash_mix(text, fore_hash(s, sizeof *s)), &fresh);
    if (!fresh || seen->n > MOST) {
        w->out->too_big |= seen->n > MOST;
        return;
    }
    if (at_end(w, s))
        fore_map_put(ends, text, NULL);
    for (unsigned t = 1; t <= w->threads; t++) {
        struct state n = *s;
        bool visible = false;
        struct op *o = next(w, s, t);
        if (arrive(w, &n, t))
            sequences(w, &n, text, seen, ends);
        for (unsigned u = 0; u <= w->threads; u++) {
            n = *s;
            if (alone(w, &n, t, u, &visible))
                sequences(w, &n, visible ? fore_hash_mix(text, o->pre + 1ull) : text,
                          seen, ends);
            n = *s;
            if (u && together(w, &n, t, u))
                sequences(w, &n, fore_hash_mix(text, o->pre + 1ull), seen, ends);
        }
    }
}

static int by_all(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct naive_pair));
}

void naive_run(struct naive *n, const struct fore_trace *t)
{
    struct world *w = calloc(1, sizeof *w);
    struct state s;
    struct fore_map seen = {0}, ends = {0};
    *n = (struct naive){.too_big = false};
    w->out = n;
    w->t = t;
    load(w);
    memset(&s, 0, sizeof s);
    for (unsigned i = 1; i <= w->threads; i++)
        s.started[i] = !t->tables.threads.at[i].parent;
    visit(w, &s);
    sequences(w, &s, 1, &seen, &ends);
    n->schedules = ends.n;
    if (n->pairs.n)
        qsort(n->pairs.at, n->pairs.n, sizeof *n->pairs.at, by_all);
    fore_map_release(&seen);
    fore_map_release(&ends);
    fore_map_release(&w->seen);
    free(w);
}

void naive_release(struct naive *n)
{
    fore_vec_release(&n->pairs);
}
