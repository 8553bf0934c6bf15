#include "oracle/deadlock/world.h"

#include "base/hash.h"
#include "base/map.h"

#include <string.h>

/* ---- random plans -------------------------------------------------------------------------- */

static void add(struct plan *p, int t, enum op_kind kind, int object)
{
    if (p->count[t] < OPS)
        p->ops[t][p->count[t]++] = (struct op){kind, object};
}

static int room(const struct plan *p, int t)
{
    return OPS - p->count[t];
}

static void random_piece(struct plan *p, int t, int depth, unsigned held,
                         struct fore_rng *r);

/* What the first operation begins, the operation after it in the list of kinds ends: a lock is given back, a function has been
 * called. */
static void random_section(struct plan *p, int t, int depth, unsigned held,
                           struct op first, struct fore_rng *r)
{
    int from = p->count[t], closing = 1 + depth; /* keep room for the ends */
    if (room(p, t) < 3 || held >> first.object & 1 || depth > 2)
        return;
    add(p, t, first.kind, first.object);
    while (room(p, t) > closing + 1 && fore_rng_below(r, 2))
        random_piece(p, t, depth + 1, held | 1u << first.object, r);
    if (room(p, t) < 1)
        p->count[t] = from;
    else
        add(p, t, first.kind + 1, first.object);
}

/* Something that may wait, perhaps inside a lock that is given back afterwards. */
static void random_piece(struct plan *p, int t, int depth, unsigned held,
                         struct fore_rng *r)
{
    int lock = (int)fore_rng_below(r, LOCKS), chan = (int)fore_rng_below(r, CHANS);
    enum op_kind first;
    switch (fore_rng_below(r, 10)) {
    case 0:
    case 1:
    case 2:
        first = fore_rng_below(r, 5) ? OP_LOCK : OP_RLOCK;
        random_section(p, t, depth, held, (struct op){first, lock}, r);
        return;
    case 9:
        if (p->calls)
            random_section(p, t, depth, held, (struct op){OP_CALL, LOCKS}, r);
        return;
    case 3:
    case 4:
        if (room(p, t) > depth)
            add(p, t, OP_SEND, chan);
        return;
    case 5:
        if (room(p, t) > depth)
            add(p, t, OP_RECV, chan);
        return;
    case 6:
        if (room(p, t) > depth)
            add(p, t, fore_rng_below(r, 2) ? OP_ACQUIRE : OP_RELEASE, 0);
        return;
    case 7:
        if (!p->meets || room(p, t) < depth + 2)
            return;
        add(p, t, OP_ARRIVE, 0);
        add(p, t, OP_DEPART, 0);
        return;
    default:
        if (room(p, t) > depth)
            add(p, t, t == 0 ? OP_WAIT : OP_SIGNAL, 0);
        return;
    }
}

void plan_random(struct plan *p, struct fore_rng *r)
{
    *p = (struct plan){.threads = 2 + (int)fore_rng_below(r, THREADS - 1)};
    for (int c = 0; c < CHANS; c++)
        p->capacity[c] = (int)fore_rng_below(r, 3);
    p->units = (int)fore_rng_below(r, 3);
    p->meets = fore_rng_below(r, 3) == 0;
    p->calls = fore_rng_below(r, 2) == 0;
    bool sleeper = fore_rng_below(r, 4) == 0;
    for (int t = 0; t < p->threads; t++) {
        int pieces = 1 + (int)fore_rng_below(r, 4);
        if (sleeper && t == 1) {
            add(p, t, OP_LOCK, 0);
            add(p, t, OP_SLEEP, 0);
            add(p, t, OP_WOKEN, 0);
            add(p, t, OP_UNLOCK, 0);
        }
        for (int i = 0; i < pieces; i++)
            random_piece(p, t, 0, 0, r);
        if (t && room(p, t) && fore_rng_below(r, 2)) {
            add(p, t, OP_DONE, 0);
            p->members++;
        }
    }
}

/* One of the threads of the set. */
static int some_thread(const struct plan *p, unsigned set, struct fore_rng *r)
{
    int t;
    do
        t = (int)fore_rng_below(r, (uint64_t)p->threads);
    while (!(set >> t & 1));
    return t;
}

static unsigned random_set(const struct plan *p, struct fore_rng *r)
{
    return 1 + (unsigned)fore_rng_below(r, (1u << p->threads) - 1);
}

static void close_flow(struct plan *p, int chan, unsigned senders, unsigned receivers)
{
    for (int t = 0; t < p->threads; t++)
        if (senders == 1u << t)
            add(p, t, OP_CLOSE, chan);
    for (int t = 0; t < p->threads && !(senders & (senders - 1)); t++)
        if (receivers >> t & 1)
            add(p, t, OP_RECV, chan);
}

void plan_flow(struct plan *p, struct fore_rng *r)
{
    unsigned senders[CHANS], receivers[CHANS];
    *p = (struct plan){.threads = 2 + (int)fore_rng_below(r, THREADS - 1)};
    for (int c = 0; c < CHANS; c++) {
        p->capacity[c] = (int)fore_rng_below(r, 3);
        senders[c] = random_set(p, r);
        receivers[c] = random_set(p, r);
    }
    for (uint64_t n = 2 + fore_rng_below(r, 6); n; n--) {
        int c = (int)fore_rng_below(r, CHANS), from = some_thread(p, senders[c], r),
            to = some_thread(p, receivers[c], r);
        if (room(p, from) < 4 || room(p, to) < 4)
            break;
        add(p, from, OP_SEND, c);
        add(p, to, OP_RECV, c);
        if (fore_rng_below(r, 4) == 0) {
            add(p, to, OP_LOCK, 0);
            add(p, to, OP_UNLOCK, 0);
        }
    }
    for (int c = 0; c < CHANS; c++)
        if (fore_rng_below(r, 2))
            close_flow(p, c, senders[c], receivers[c]);
    for (int t = 1; t < p->threads; t++)
        if (room(p, t) && fore_rng_below(r, 2)) {
            add(p, t, OP_DONE, 0);
            p->members++;
        }
    if (fore_rng_below(r, 2))
        add(p, 0, OP_WAIT, 0);
}

/* ---- steps --------------------------------------------------------------------------------- */

static bool done(const struct plan *p, const struct world *w, int t)
{
    return w->at[t] >= p->count[t];
}

static const struct op *next(const struct plan *p, const struct world *w, int t)
{
    return &p->ops[t][w->at[t]];
}

static bool receives_from(const struct op *o, int chan)
{
    return o->kind == OP_SELECT || (o->kind == OP_RECV && o->object == chan);
}

static int receivers_of(const struct plan *p, const struct world *w, int t,
                        int out[THREADS])
{
    int n = 0;
    for (int o = 0; o < p->threads; o++)
        if (o != t && w->created[o] && !done(p, w, o) &&
            receives_from(next(p, w, o), next(p, w, t)->object))
            out[n++] = o;
    return n;
}

/* Can it be done without a partner? */
static bool can_alone(const struct plan *p, const struct world *w, int t)
{
    const struct op *o = next(p, w, t);
    switch (o->kind) {
    case OP_LOCK:
        return !w->owner[o->object] && !w->readers[o->object];
    case OP_RLOCK:
        return !w->owner[o->object];
    case OP_SEND:
        return w->closed[o->object] || w->queued[o->object] < p->capacity[o->object];
    case OP_RECV:
        /* unbuffered: the sender's step */
        return w->queued[o->object] > 0 || w->closed[o->object];
    case OP_WAIT:
        return w->members == 0;
    case OP_WOKEN:
        return w->asleep[t] == 2 && !w->owner[o->object] && !w->readers[o->object];
    case OP_ACQUIRE:
        return w->units > 0;
    case OP_DEPART:
        return w->arrivals / 2 > w->arrival[t] / 2;
    case OP_CALL:
        return w->once != ONCE_RUNNING;
    default:
        return true;
    }
}

int choices_of(const struct plan *p, const struct world *w, int t, int out[THREADS])
{
    int n = 0;
    if (done(p, w, t) || !w->created[t])
        return 0;
    const struct op *o = next(p, w, t);
    if (o->kind == OP_SEND && !p->capacity[o->object] && !w->closed[o->object])
        return receivers_of(p, w, t, out);
    for (int c = 0; c < CHANS && o->kind == OP_SELECT; c++)
        if (w->queued[c] > 0 || w->closed[c])
            out[n++] = c;
    if (o->kind != OP_SELECT && can_alone(p, w, t))
        out[n++] = -1;
    return n;
}

/* The index of the operation that ends the call. */
static int return_of(const struct plan *p, int t, int at)
{
    while (p->ops[t][at].kind != OP_RETURN)
        at++;
    return at;
}

static int receive(struct world *w, int chan)
{
    int got = w->queued[chan] ? w->queue[chan][0] : FOUND_CLOSED - chan;
    if (got < 0)
        return got;
    memmove(w->queue[chan], w->queue[chan] + 1, QUEUE - 1);
    w->queue[chan][QUEUE - 1] = 0;
    w->queued[chan]--;
    return got;
}

static int send(const struct plan *p, struct world *w, int t, int other)
{
    int chan = next(p, w, t)->object, message = t * OPS + w->at[t];
    if (w->closed[chan])
        return FOUND_CLOSED - chan;
    if (p->capacity[chan]) {
        w->queue[chan][w->queued[chan]++] = (signed char)message;
        return -1;
    }
    w->at[other]++;
    return message;
}

void world_step(const struct plan *p, struct world *w, int t, int choice, int *got)
{
    const struct op *o = next(p, w, t);
    *got = -1;
    switch (o->kind) {
    case OP_WOKEN:
        w->asleep[t] = 0;
        w->owner[o->object] = (signed char)(t + 1);
        break;
    case OP_LOCK:
        w->owner[o->object] = (signed char)(t + 1);
        break;
    case OP_UNLOCK:
        w->owner[o->object] = 0;
        break;
    case OP_RLOCK:
        w->readers[o->object]++;
        break;
    case OP_RUNLOCK:
        w->readers[o->object]--;
        break;
    case OP_SEND:
        *got = send(p, w, t, choice);
        break;
    case OP_CLOSE:
        *got = w->closed[o->object] ? FOUND_CLOSED - o->object : -1;
        w->closed[o->object] = 1;
        break;
    case OP_RECV:
        *got = receive(w, o->object);
        break;
    case OP_SELECT:
        *got = receive(w, choice);
        break;
    case OP_ADD:
        w->members++;
        break;
    case OP_CREATE:
        w->created[o->object] = 1;
        break;
    case OP_DONE:
        w->members--;
        break;
    case OP_SLEEP:
        w->owner[o->object] = 0;
        w->asleep[t] = 1;
        break;
    case OP_SIGNAL:
        for (int s = 0; s < p->threads; s++)
            if (w->asleep[s] == 1) {
                w->asleep[s] = 2;
                break;
            }
        break;
    case OP_ACQUIRE:
        w->units--;
        break;
    case OP_RELEASE:
        w->units++;
        break;
    case OP_ARRIVE:
        w->arrival[t] = w->arrivals++;
        break;
    case OP_CALL:
        *got = w->once == ONCE_NEW;
        if (w->once == ONCE_RAN)
            w->at[t] = (signed char)return_of(p, t, w->at[t]);
        else
            w->once = ONCE_RUNNING;
        break;
    case OP_RETURN:
        w->once = ONCE_RAN;
        break;
    case OP_WAIT:
    case OP_DEPART:
        break;
    }
    w->at[t]++;
}

/* ---- a run, as a trace --------------------------------------------------------------------- */

static void line(struct fore_strbuf *b, int t, const char *before, const struct op *o,
                 const char *after)
{
    static const struct {
        const char *name, *of; /* NULL: a lock */
    } words[] = {
        [OP_LOCK] = {"lock", NULL},        [OP_UNLOCK] = {"unlock", NULL},
        [OP_RLOCK] = {"rlock", NULL},      [OP_RUNLOCK] = {"runlock", NULL},
        [OP_DONE] = {"wgdone", "g"},       [OP_WAIT] = {"wgwait", "g"},
        [OP_SLEEP] = {"cwait", "c, l0"},   [OP_WOKEN] = {"cwoken", "c, l0"},
        [OP_SIGNAL] = {"csignal", "c"},    [OP_ACQUIRE] = {"acquire", "s"},
        [OP_RELEASE] = {"release", "s"},   [OP_ARRIVE] = {"pre(barrier", "b, 2)"},
        [OP_DEPART] = {"barrier", "b, 2"}, [OP_ADD] = {"wgadd", "g, 1"},
    };
    fore_strbuf_printf(b, "%d: %s%s(", t + 1, before, words[o->kind].name);
    if (words[o->kind].of)
        fore_strbuf_puts(b, words[o->kind].of);
    else
        fore_strbuf_printf(b, "l%d", o->object);
    fore_strbuf_printf(b, ")%s\n", after);
}

static void announce(struct fore_strbuf *b, int t, const struct op *o)
{
    if (o->kind == OP_SEND || o->kind == OP_RECV)
        fore_strbuf_printf(b, "%d: pre(x%d%c)\n", t + 1, o->object,
                           o->kind == OP_SEND ? '!' : '?');
    else if (o->kind == OP_LOCK || o->kind == OP_RLOCK || o->kind == OP_WAIT ||
             o->kind == OP_ACQUIRE)
        line(b, t, "pre(", o, ")");
    else if (o->kind == OP_CALL)
        fore_strbuf_printf(b, "%d: pre(once(o))\n", t + 1);
    else if (o->kind == OP_SELECT)
        fore_strbuf_printf(b, "%d: pre(x0?, x1?)\n", t + 1);
}

static void write_create(struct fore_strbuf *b, int t, int created)
{
    fore_strbuf_printf(b, "%d: signal(%d)\n%d: wait(%d)\n", t + 1, created + 1,
                       created + 1, created + 1);
}

static void write_receive(struct fore_strbuf *b, int t, int chan, int got)
{
    fore_strbuf_printf(b, "%d: post(%d#x%d?)\n", t + 1, got < 0 ? 0 : 1 + got, chan);
}

static void write_send(struct fore_strbuf *b, const struct plan *p, int t,
                       const struct op *o, int other, const struct op *met, int got)
{
    if (got <= FOUND_CLOSED) {
        fore_strbuf_printf(b, "%d: post(x%d!closed)\n", t + 1, o->object);
    } else if (p->capacity[o->object]) {
        fore_strbuf_printf(b, "%d: post(x%d!#%d)\n", t + 1, o->object,
                           1 + t * OPS + (int)(o - p->ops[t]));
    } else {
        announce(b, other, met);
        fore_strbuf_printf(b, "%d: post(x%d!)\n%d: post(%d#x%d?)\n", t + 1, o->object,
                           other + 1, t + 1, o->object);
    }
}

/* `met`: what the receiver of an unbuffered send does. */
static void write_step(struct fore_strbuf *b, const struct plan *p, int t,
                       const struct op *o, int choice, const struct op *met, int got)
{
    if (o->kind != OP_CALL || !got)
        announce(b, t, o);
    if (o->kind == OP_CALL)
        fore_strbuf_printf(b, "%d: %s\n", t + 1, got ? "lock(f)" : "once(o)=waited");
    else if (o->kind == OP_RETURN)
        fore_strbuf_printf(b, "%d: unlock(f)@p:1; once(o)=ran@p:1\n", t + 1);
    else if (o->kind == OP_SEND)
        write_send(b, p, t, o, choice, met, got);
    else if (o->kind == OP_RECV)
        write_receive(b, t, o->object, got);
    else if (o->kind == OP_SELECT)
        write_receive(b, t, choice, got);
    else if (o->kind == OP_CLOSE)
        fore_strbuf_printf(b, "%d: close(x%d)%s\n", t + 1, o->object,
                           got <= FOUND_CLOSED ? "=closed" : "");
    else if (o->kind == OP_CREATE)
        write_create(b, t, o->object);
    else
        line(b, t, "", o, "");
}

static void start(const struct plan *p, struct fore_strbuf *b)
{
    fore_strbuf_puts(b, "lock l0 rw readers-first\nlock l1 rw readers-first\n"
                        "lock l2 rw readers-first\n");
    for (int c = 0; c < CHANS; c++)
        if (p->capacity[c])
            fore_strbuf_printf(b, "chan x%d cap=%d\n", c, p->capacity[c]);
    if (p->members)
        fore_strbuf_printf(b, "1: wgadd(g, %d)\n", p->members);
    if (p->units)
        fore_strbuf_printf(b, "1: release(s, %d)\n", p->units);
    for (int t = 1; t < p->threads; t++)
        if (!p->late[t])
            write_create(b, 0, t);
}

struct world world_of(const struct plan *p)
{
    struct world w = {.members = (signed char)p->members, .units = (signed char)p->units};
    for (int t = 0; t < p->threads; t++)
        w.created[t] = !p->late[t];
    return w;
}

/* The thread that goes next, or -1 if none can, and what with. */
static int random_step(const struct plan *p, const struct world *w, struct fore_rng *r,
                       int *choice)
{
    int able[THREADS], choices[THREADS], n = 0;
    for (int t = 0; t < p->threads; t++)
        if (choices_of(p, w, t, choices))
            able[n++] = t;
    if (!n)
        return -1;
    int t = able[fore_rng_below(r, (uint64_t)n)];
    choices_of(p, w, t, choices);
    *choice = choices[0];
    return t;
}

void plan_run(struct plan *p, struct fore_rng *r, struct fore_strbuf *b)
{
    struct world w = world_of(p);
    start(p, b);
    for (int i = 0;; i++) {
        int got, choice = p->order[i][1], t = p->order[i][0];
        if (!p->ordered)
            t = random_step(p, &w, r, &choice);
        if (t < 0 || (p->ordered && i == p->ordered))
            break;
        const struct op *o = next(p, &w, t);
        int who = o->kind == OP_SEND && choice >= 0 ? choice : t, at = w.at[who];
        world_step(p, &w, t, choice, &got);
        p->got[who][at] = got;
        write_step(b, p, t, o, choice, &p->ops[who][at], got);
    }
    p->left_running = w.once == ONCE_RUNNING;
    for (int t = 0; t < p->threads; t++) {
        p->ended[t] = w.at[t];
        if (done(p, &w, t) && w.created[t])
            fore_strbuf_printf(b, "%d: end\n", t + 1);
        else if (w.created[t])
            announce(b, t, next(p, &w, t));
    }
}

/* ---- every order ---------------------------------------------------------------------------- */

struct explorer {
    const struct plan *p;
    struct fore_map seen;
    bool found;
};

/* Did the run do this, and with the same result? Not what comes after it. */
static bool is_recorded(const struct plan *p, const struct world *w, int t, int choice,
                        int got)
{
    const struct op *o = next(p, w, t);
    int who = o->kind == OP_SEND && choice >= 0 ? choice : t;
    return w->at[t] < p->ended[t] && w->at[who] < p->ended[who] &&
           p->got[who][w->at[who]] == got;
}

static bool newly_blocked(const struct plan *p, const struct world *w)
{
    for (int t = 0; t < p->threads; t++)
        if (w->at[t] < p->ended[t])
            return true;
    return false;
}

static void explore(struct explorer *x, const struct world *w)
{
    bool fresh, any = false;
    int choices[THREADS];
    fore_map_put(&x->seen, fore_hash(w, sizeof *w), &fresh);
    if (!fresh || x->found)
        return;
    for (int t = 0; t < x->p->threads; t++)
        for (int n = choices_of(x->p, w, t, choices); n; n--) {
            struct world then = *w;
            int got;
            any = true;
            world_step(x->p, &then, t, choices[n - 1], &got);
            if (is_recorded(x->p, w, t, choices[n - 1], got))
                explore(x, &then);
        }
    x->found |= !any && newly_blocked(x->p, w);
}

bool plan_can_block(const struct plan *p)
{
    struct explorer x = {.p = p};
    struct world w = world_of(p);
    explore(&x, &w);
    fore_map_release(&x.seen);
    return x.found;
}
