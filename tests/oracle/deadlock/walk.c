#include "oracle/deadlock/world.h"

/* What a walk may do besides sending and receiving. */
enum feature {
    CLOSES,
    SELECTS,
    COUNTS,   /* a wait group */
    LOCKED,   /* for a moment, or until the end */
    NESTS,    /* other things are done while a lock is held */
    CREATES,  /* threads that are not there from the beginning */
    ACQUIRES, /* a semaphore */
    FAULTS,   /* sends on and closes of closed channels */
    FEATURES,
    WITH = 2 /* of them a program has */
};

struct walk {
    struct plan *p;
    struct fore_rng *r;
    struct world w;
    enum feature features[WITH];
    unsigned users[CHANS][2]; /* who receives, who sends: sets of threads */
    int owed[THREADS];        /* what the thread has to count the group down */
    bool over[THREADS];       /* the thread does no more */
    bool held[THREADS];       /* the thread has its lock */
};

static bool one_in(struct walk *k, uint64_t n)
{
    return fore_rng_below(k->r, n) == 0;
}

static bool may(const struct walk *k, enum feature f)
{
    return k->features[0] == f || k->features[1] == f;
}

/* One of the set that has been created, or -1. */
static int some_thread(struct walk *k, unsigned set)
{
    int able[THREADS], n = 0;
    for (int t = 0; t < k->p->threads; t++)
        if (set >> t & 1 && k->w.created[t])
            able[n++] = t;
    return n ? able[fore_rng_below(k->r, (uint64_t)n)] : -1;
}

static bool has_room(const struct walk *k, int t)
{
    return k->p->count[t] + k->held[t] < OPS && !k->over[t];
}

static void append(struct walk *k, int t, enum op_kind kind, int object)
{
    k->p->ops[t][k->p->count[t]++] = (struct op){kind, object};
}

/* Does the thread's new operation, if it can be done at once; else takes it back. */
static void do_at_once(struct walk *k, int t)
{
    int choices[THREADS], got, n = choices_of(k->p, &k->w, t, choices);
    if (!n) {
        k->p->count[t]--;
        return;
    }
    int *o = k->p->order[k->p->ordered++];
    o[0] = t;
    o[1] = choices[fore_rng_below(k->r, (uint64_t)n)];
    world_step(k->p, &k->w, t, o[1], &got);
}

static void add_operation(struct walk *k, int t, enum op_kind kind, int object)
{
    if (!has_room(k, t))
        return;
    append(k, t, kind, object);
    do_at_once(k, t);
}

static enum op_kind some_receive(struct walk *k)
{
    return may(k, SELECTS) && one_in(k, 2) ? OP_SELECT : OP_RECV;
}

static void add_message(struct walk *k, int chan)
{
    int from = some_thread(k, k->users[chan][1]), to = some_thread(k, k->users[chan][0]);
    if (from < 0 || to < 0)
        return;
    if (one_in(k, 2)) {
        add_operation(k, to, some_receive(k), chan);
    } else if (k->p->capacity[chan] || k->w.closed[chan]) {
        if (!k->w.closed[chan] || may(k, FAULTS))
            add_operation(k, from, OP_SEND, chan);
    } else if (from != to && has_room(k, from) && has_room(k, to)) {
        append(k, to, some_receive(k), chan);
        append(k, from, OP_SEND, chan);
        do_at_once(k, from);
    }
}

/* A thread counts down what it has added itself: the count is never below 0. */
static void add_counting(struct walk *k, int t)
{
    if (one_in(k, 3)) {
        add_operation(k, t, OP_WAIT, 0);
    } else if (k->owed[t]) {
        k->owed[t]--;
        add_operation(k, t, OP_DONE, 0);
    } else if (has_room(k, t) && k->p->count[t] + 1 < OPS) {
        k->owed[t]++;
        add_operation(k, t, OP_ADD, 0);
    }
}

/* Whoever takes a lock gives it back, or ends with it. */
static void add_locking(struct walk *k, int t)
{
    if (k->p->count[t] + 2 > OPS || k->over[t] || k->w.owner[0])
        return;
    add_operation(k, t, OP_LOCK, 0);
    k->over[t] = one_in(k, 4);
    add_operation(k, t, OP_UNLOCK, 0);
}

/* A lock that the thread takes, or gives back. */
static void add_nesting(struct walk *k, int t)
{
    bool unlocks = k->held[t];
    if (k->over[t] || (!unlocks && (k->w.owner[1] || k->p->count[t] + 2 > OPS)))
        return;
    k->held[t] = false;
    add_operation(k, t, unlocks ? OP_UNLOCK : OP_LOCK, 1);
    k->held[t] = !unlocks;
}

static void add_thread(struct walk *k, int t)
{
    for (int n = 1; n < k->p->threads; n++)
        if (!k->w.created[n]) {
            add_operation(k, t, OP_CREATE, n);
            return;
        }
}

static void add_something(struct walk *k)
{
    int t = some_thread(k, ~0u), chan = (int)fore_rng_below(k->r, CHANS);
    switch (one_in(k, 2) ? FEATURES : k->features[fore_rng_below(k->r, WITH)]) {
    case FEATURES:
        add_message(k, chan);
        break;
    case CLOSES:
    case FAULTS:
        if (!k->w.closed[chan] || may(k, FAULTS))
            add_operation(k, t, OP_CLOSE, chan);
        break;
    case COUNTS:
        add_counting(k, t);
        break;
    case LOCKED:
        add_locking(k, t);
        break;
    case NESTS:
        add_nesting(k, t);
        break;
    case CREATES:
        add_thread(k, t);
        break;
    case ACQUIRES:
        add_operation(k, t, one_in(k, 2) ? OP_ACQUIRE : OP_RELEASE, 0);
        break;
    default:
        break;
    }
}

/* Thread 0 lets thread 1 go on. */
static void add_handover(struct walk *k)
{
    switch (k->features[0]) {
    case CLOSES:
    case FAULTS:
        add_operation(k, 0, OP_CLOSE, 1);
        add_operation(k, 1, OP_RECV, 1);
        break;
    case COUNTS:
        add_operation(k, 0, OP_DONE, 0);
        add_operation(k, 1, OP_WAIT, 0);
        break;
    case CREATES:
        add_thread(k, 0); /* the first that is not there */
        break;
    default:
        k->users[1][0] = 1 << 1;
        k->users[1][1] = 1 << 0;
        for (int i = 0; i < 3; i++)
            add_message(k, 1);
        break;
    }
}

/* Thread 1 empties a buffer after a handover. In another order thread 2 has filled it, and thread 0 waits before
 * that. In between anything may happen. */
static void add_jam(struct walk *k)
{
    bool counts = k->features[0] == COUNTS;
    if (counts)
        add_operation(k, 0, OP_ADD, 0);
    add_something(k);
    add_operation(k, 0, OP_SEND, 0);
    add_handover(k);
    add_operation(k, 1, OP_RECV, 0);
    add_something(k);
    add_operation(k, 2, OP_SEND, 0);
    add_operation(k, 1, OP_RECV, 0);
}

void plan_walk(struct plan *p, struct fore_rng *r)
{
    *p = (struct plan){.threads = 3 + (int)fore_rng_below(r, THREADS - 2)};
    struct walk k = {.p = p, .r = r};
    for (int i = 0; i < WITH; i++)
        k.features[i] = (enum feature)fore_rng_below(r, FEATURES);
    for (int c = 0; c < CHANS; c++) {
        p->capacity[c] = (int)fore_rng_below(r, 3);
        for (int side = 0; side < 2; side++)
            k.users[c][side] = 1 + (unsigned)fore_rng_below(r, (1u << p->threads) - 1);
    }
    for (int t = 1; t < p->threads; t++)
        p->late[t] = may(&k, CREATES) && fore_rng_below(r, 2);
    bool jams = fore_rng_below(r, 2);
    if (jams) {
        p->capacity[0] = 1;
        p->late[1] = k.features[0] == CREATES;
        p->late[2] = false;
    }
    k.w = world_of(p);
    if (jams)
        add_jam(&k);
    for (uint64_t n = jams ? fore_rng_below(r, 4) : 6 + fore_rng_below(r, 16); n; n--)
        add_something(&k);
    for (int t = 0; t < p->threads; t++)
        if (k.held[t])
            add_nesting(&k, t);
}
