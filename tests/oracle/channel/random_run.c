#include "random_run.h"

#include <stdio.h>

enum { THREADS = 5, CHANS = 2, CAPACITY = 2, QUEUE = 64, CASES = 4, PARTIES = 2 };

struct runner {
    uint32_t id;
    bool waits; /* at a pre */
    struct fore_case cases[CASES];
    size_t n;
    unsigned left; /* operations that it may still begin */
    unsigned sends[CHANS];
    bool holds;
    bool at_barrier, asleep, woken; /* by the condition */
    unsigned arrival;               /* at the barrier, from 0 */
};

struct chan {
    uint32_t id;
    unsigned capacity, queued, next;
    uint64_t queue[QUEUE];
    bool closed;
};

struct world {
    struct fore_trace *t;
    struct fore_rng rng;
    unsigned features;
    struct runner runner[THREADS];
    unsigned runners;
    struct chan chan[CHANS];
    uint32_t lock;
    bool locked;
    uint32_t semaphore, barrier, once, group, condition;
    unsigned units, arrivals, tasks, kind; /* kind: of what the run uses */
    bool ran;
};

static uint64_t below(struct world *w, uint64_t n)
{
    return fore_rng_below(&w->rng, n);
}

static struct fore_event *emit(struct world *w, const struct runner *r, unsigned kind,
                               uint32_t object)
{
    fore_vec_push(
        &w->t->events,
        (struct fore_event){.thread = r->id, .kind = (uint16_t)kind, .object = object});
    return &fore_vec_last(&w->t->events);
}

static struct chan *chan_of(struct world *w, uint32_t id)
{
    for (unsigned i = 0; i < CHANS; i++)
        if (w->chan[i].id == id)
            return &w->chan[i];
    return NULL;
}

static void add_runner(struct world *w, struct runner *parent, unsigned left)
{
    char label[16];
    int n = snprintf(label, sizeof label, "%u", w->runners + 1);
    struct runner *r = &w->runner[w->runners++];
    *r = (struct runner){.id = fore_tables_thread(&w->t->tables, label, (size_t)n),
                         .left = left};
    if (!parent)
        return;
    fore_tables_adopt(&w->t->tables, parent->id, r->id);
    emit(w, parent, FORE_EV_SIGNAL, 0)->a = r->id;
    emit(w, r, FORE_EV_WAIT, 0)->a = r->id;
}

static void begin(struct world *w, struct runner *r)
{
    r->n = w->features & RUN_SELECT && below(w, 3) == 0 ? 2 : 1;
    for (size_t i = 0; i < r->n; i++)
        r->cases[i] =
            (struct fore_case){w->chan[below(w, CHANS)].id, (uint32_t)below(w, 2)};
    if (w->features & RUN_DEFAULT && below(w, 6) == 0)
        r->cases[r->n++] =
            (struct fore_case){0, below(w, 2) ? FORE_CASE_DEFAULT : FORE_CASE_TIMEOUT};
    struct fore_event *e = emit(w, r, FORE_EV_PRE, 0);
    if (r->n == 1) {
        e->object = r->cases[0].chan;
        e->flags = r->cases[0].kind == FORE_CASE_SEND ? FORE_F_SEND : 0;
    } else {
        e->flags = FORE_F_CASES;
        e->a = w->t->cases.n;
        e->b = r->n;
        for (size_t i = 0; i < r->n; i++)
            fore_vec_push(&w->t->cases, r->cases[i]);
    }
    r->waits = true;
    r->left--;
}

static void sync(struct world *w, struct runner *s, struct runner *r, struct chan *c)
{
    unsigned k = ++s->sends[c - w->chan];
    emit(w, s, FORE_EV_SEND, c->id)->a = k;
    struct fore_event *e = emit(w, r, FORE_EV_RECV, c->id);
    e->a = s->id;
    e->b = k;
    s->waits = r->waits = false;
}

static bool try_partner(struct world *w, struct runner *r, struct fore_case x)
{
    struct chan *c = chan_of(w, x.chan);
    for (unsigned i = 0; i < w->runners; i++) {
        struct runner *o = &w->runner[i];
        for (size_t k = 0; o != r && o->waits && k < o->n; k++)
            if (o->cases[k].chan == x.chan && o->cases[k].kind == !x.kind) {
                sync(w, x.kind ? r : o, x.kind ? o : r, c);
                return true;
            }
    }
    return false;
}

static bool try_case(struct world *w, struct runner *r, struct fore_case x)
{
    struct chan *c = chan_of(w, x.chan);
    if (!c)
        return false;
    if (x.kind == FORE_CASE_SEND && c->closed) {
        emit(w, r, FORE_EV_SEND, c->id)->flags = FORE_F_CLOSED;
    } else if (c->capacity && x.kind == FORE_CASE_SEND) {
        if (c->queued == c->capacity)
            return false;
        c->queue[c->queued++] = ++c->next;
        emit(w, r, FORE_EV_SEND, c->id)->a = c->next;
    } else if (x.kind == FORE_CASE_RECV && c->queued) {
        emit(w, r, FORE_EV_RECV, c->id)->a = c->queue[0];
        for (unsigned i = 1; i < c->queued; i++)
            c->queue[i - 1] = c->queue[i];
        c->queued--;
    } else if (x.kind == FORE_CASE_RECV && c->closed) {
        emit(w, r, FORE_EV_RECV, c->id)->flags = FORE_F_CLOSED;
    } else {
        return !c->capacity && !c->closed && try_partner(w, r, x);
    }
    r->waits = false;
    return true;
}

static void go_on(struct world *w, struct runner *r)
{
    size_t from = below(w, r->n);
    for (size_t i = 0; i < r->n; i++)
        if (try_case(w, r, r->cases[(from + i) % r->n]))
            return;
    for (size_t i = 0; i < r->n; i++)
        if (r->cases[i].kind > FORE_CASE_SEND) {
            emit(w, r, FORE_EV_SELECT, 0)->flags =
                r->cases[i].kind == FORE_CASE_TIMEOUT ? FORE_F_TIMEOUT : 0;
            r->waits = false;
            return;
        }
}

static bool use_lock(struct world *w, struct runner *r)
{
    if (r->holds) {
        emit(w, r, FORE_EV_UNLOCK, w->lock);
        r->holds = w->locked = false;
        return true;
    }
    if (w->locked)
        return false;
    emit(w, r, FORE_EV_LOCK, w->lock);
    r->holds = w->locked = true;
    return true;
}

static void use_condition(struct world *w, struct runner *r)
{
    if (r->holds) {
        emit(w, r, FORE_EV_CWAIT, w->condition)->a = w->lock;
        r->holds = w->locked = false;
        r->asleep = true;
        return;
    }
    bool all = below(w, 2);
    emit(w, r, all ? FORE_EV_CBROADCAST : FORE_EV_CSIGNAL, w->condition);
    unsigned from = (unsigned)below(w, w->runners);
    for (unsigned i = 0; i < w->runners; i++) {
        struct runner *o = &w->runner[(from + i) % w->runners];
        if (o->asleep && !o->woken) {
            o->woken = true;
            if (!all)
                return;
        }
    }
}

static void use_group(struct world *w, struct runner *r)
{
    switch (below(w, 3)) {
    case 0:
        w->tasks++;
        emit(w, r, FORE_EV_WGADD, w->group)->a = 1;
        return;
    case 1:
        if (w->tasks) {
            w->tasks--;
            emit(w, r, FORE_EV_WGDONE, w->group);
        }
        return;
    default:
        if (!w->tasks)
            emit(w, r, FORE_EV_WGWAIT, w->group);
    }
}

static void use_other(struct world *w, struct runner *r)
{
    struct fore_event *e;
    switch (w->kind) {
    case 0:
        if (w->units && below(w, 2)) {
            w->units--;
            emit(w, r, FORE_EV_ACQUIRE, w->semaphore)->a = 1;
        } else {
            w->units++;
            emit(w, r, FORE_EV_RELEASE, w->semaphore)->a = 1;
        }
        return;
    case 1:
        e = emit(w, r, FORE_EV_BARRIER, w->barrier);
        e->flags = FORE_F_PRE;
        e->a = PARTIES;
        r->at_barrier = true;
        r->arrival = w->arrivals++;
        return;
    case 2:
        emit(w, r, FORE_EV_ONCE, w->once)->flags = w->ran ? FORE_F_BUSY : 0;
        w->ran = true;
        return;
    case 3:
        use_group(w, r);
        return;
    default:
        use_condition(w, r);
    }
}

/* Does it wait for a barrier or a condition? It goes on if it can. */
static bool is_kept(struct world *w, struct runner *r)
{
    bool kept = r->at_barrier || r->asleep;
    if (r->at_barrier && w->arrivals / PARTIES > r->arrival / PARTIES) {
        emit(w, r, FORE_EV_BARRIER, w->barrier)->a = PARTIES;
        r->at_barrier = false;
    } else if (r->woken && !w->locked) {
        emit(w, r, FORE_EV_CWOKEN, w->condition)->a = w->lock;
        r->holds = w->locked = true;
        r->asleep = r->woken = false;
    }
    return kept;
}

static void act(struct world *w, struct runner *r)
{
    if (r->waits) {
        go_on(w, r);
        return;
    }
    if (is_kept(w, r))
        return;
    if (!r->left)
        return;
    unsigned what = (unsigned)below(w, 12);
    struct chan *c = &w->chan[below(w, CHANS)];
    if (what == 0 && w->runners < THREADS) {
        add_runner(w, r, w->features & RUN_SYNC ? 5 : 3);
    } else if (what == 1 && w->features & RUN_CLOSE && below(w, 2)) {
        emit(w, r, FORE_EV_CLOSE, c->id)->flags = c->closed ? FORE_F_CLOSED : 0;
        c->closed = true;
        r->left--;
    } else if (what <= 4 && w->features & RUN_LOCK) {
        if (use_lock(w, r))
            r->left -= r->holds;
    } else if (what >= 6 && w->features & RUN_SYNC) {
        use_other(w, r);
        r->left -= (unsigned)below(w, 2);
    } else {
        begin(w, r);
    }
}

void random_run(struct fore_trace *t, uint64_t seed, unsigned features, unsigned steps)
{
    struct world w = {.t = t, .features = features};
    fore_rng_seed(&w.rng, seed);
    fore_trace_init(t, "random");
    for (unsigned i = 0; i < CHANS; i++) {
        char name[2] = {(char)('x' + i), 0};
        w.chan[i].id = fore_tables_object(&t->tables, FORE_OBJ_CHAN, name, 1);
        if (features & RUN_BUFFER && below(&w, 3))
            w.chan[i].capacity = 1 + (unsigned)below(&w, CAPACITY);
        t->tables.objects.at[w.chan[i].id].capacity = w.chan[i].capacity;
    }
    if (features & RUN_LOCK)
        w.lock = fore_tables_object(&t->tables, FORE_OBJ_LOCK, "m", 1);
    if (features & RUN_SYNC) {
        w.kind = (unsigned)below(&w, features & RUN_LOCK ? 5 : 4);
        w.semaphore = fore_tables_object(&t->tables, FORE_OBJ_SEM, "s", 1);
        w.barrier = fore_tables_object(&t->tables, FORE_OBJ_BARRIER, "b", 1);
        w.once = fore_tables_object(&t->tables, FORE_OBJ_ONCE, "o", 1);
        w.group = fore_tables_object(&t->tables, FORE_OBJ_WG, "g", 1);
        w.condition = fore_tables_object(&t->tables, FORE_OBJ_COND, "c", 1);
    }
    for (unsigned i = 1 + (unsigned)below(&w, 3); i > 0; i--)
        add_runner(&w, NULL, features & RUN_SYNC ? 5 : 3);
    for (unsigned i = 0; i < steps; i++)
        act(&w, &w.runner[below(&w, w.runners)]);
}
