/* Counting: dynamic programming over the states of the machine. How many schedules go on from a
 * state depends on the state alone, so each is counted once, however many ways lead to it.
 *
 * Operations that are no communication are done as soon as possible: creating, ending and
 * joining threads only lets others go on. A close is done when nothing is left that must come
 * before it.
 *
 * Exact:    for threads and channels. With locks and other waits (not done here) the observed
 *           schedule is what there is at least.
 * Cost:     states * threads.                       Source: [goscout], definition 12. */
#include "analysis/channel/schedules.h"

#include "base/vec.h"

enum {
    MOST_VISITS = 32,     /* of threads, for each state: some tenths of a second in all */
    MOST_LIMBS = 1 << 23, /* of all counts together: 32 MB */
};

struct counter_frame {
    uint64_t print;
    size_t moves;  /* where its own begin */
    size_t silent; /* number of steps that were done at once, before it */
    struct fore_big sum;
};

struct counter {
    const struct fore_comm *c;
    struct fore_machine m;
    uint32_t *left; /* channel -> operations that must come before its close */
    struct fore_moves moves;
    FORE_VEC(struct counter_frame) path;
    FORE_VEC(struct fore_big) counts;
    struct fore_map known;            /* fingerprint -> index in counts */
    FORE_VEC(struct fore_move) taken; /* all steps, to take `left` back */
    FORE_VEC(uint32_t) fresh;         /* threads that may have silent steps */
    size_t most, visits, limbs;
    bool others_wait;
    bool exact;
};

static bool is_visible(const struct fore_move *v)
{
    return v->act >= FORE_ACT_SYNC && v->act <= FORE_ACT_DEFAULT;
}

/* How a step changes what must come before a close. */
static void count_left(struct counter *k, uint32_t op, uint32_t by)
{
    const struct fore_insn *e = &k->c->p->ops[op];
    if (e->kind == FORE_EV_SEND && !(e->flags & FORE_F_CLOSED))
        k->left[e->object] += by;
    if (e->kind != FORE_EV_SELECT || e->flags & FORE_F_TIMEOUT)
        return;
    struct fore_case one;
    size_t n;
    const struct fore_case *c = fore_insn_cases(k->c->p, op, &one, &n);
    for (size_t i = 0; i < n; i++)
        if (c[i].chan)
            k->left[c[i].chan] += by;
}

static void count_move(struct counter *k, struct fore_move v)
{
    count_left(k, fore_machine_next(&k->m, v.thread), UINT32_MAX);
    fore_machine_step(&k->m, v);
    fore_vec_push(&k->taken, v);
}

static void take_back(struct counter *k)
{
    fore_machine_undo(&k->m);
    struct fore_move v = fore_vec_pop(&k->taken);
    count_left(k, fore_machine_next(&k->m, v.thread), 1);
}

/* The thread's recorded step, if it can be taken and is not held back. */
static bool step_of(const struct counter *k, uint32_t thread, struct fore_move *v)
{
    uint32_t op = fore_machine_next(&k->m, thread);
    if (op == FORE_NO_OP || !fore_machine_recorded(&k->m, thread, v))
        return false;
    const struct fore_event *e = fore_insn_event(k->c->p, op);
    bool held =
        e->kind == FORE_EV_CLOSE && !(e->flags & FORE_F_CLOSED) && k->left[e->object];
    return !held && v->thread == thread;
}

/* The thread's silent steps; returns how many there were. */
static size_t settle_one(struct counter *k, uint32_t thread)
{
    size_t n = 0;
    struct fore_move v;
    k->visits++;
    while (step_of(k, thread, &v) && !is_visible(&v)) {
        const struct fore_event *e =
            fore_insn_event(k->c->p, fore_machine_next(&k->m, thread));
        count_move(k, v);
        n++;
        if (e->kind == FORE_EV_SIGNAL || e->kind == FORE_EV_SPAWN)
            fore_vec_push(&k->fresh, (uint32_t)e->a);
    }
    return n;
}

/* Takes every silent step; returns how many. After a communication only its two threads, and
 * those that they create, have any; unless some wait for others without communicating. */
static size_t take_silent_steps(struct counter *k)
{
    size_t n = 0, last;
    if (k->taken.n && !k->others_wait) {
        fore_vec_clear(&k->fresh);
        fore_vec_push(&k->fresh, fore_vec_last(&k->taken).thread);
        if (fore_vec_last(&k->taken).other)
            fore_vec_push(&k->fresh, fore_vec_last(&k->taken).other);
        for (size_t i = 0; i < k->fresh.n; i++)
            n += settle_one(k, k->fresh.at[i]);
        return n;
    }
    do {
        last = n;
        for (uint32_t t = 1; t <= k->c->p->threads; t++)
            n += settle_one(k, t);
    } while (n > last);
    return n;
}

/* Joins, closes and the like: they may become possible by what other threads do. */
static bool waits_silently(const struct fore_program *p)
{
    for (uint32_t op = 0; op < p->op_count; op++)
        switch (fore_insn_kind(p, op)) {
        case FORE_EV_JOIN:
        case FORE_EV_CLOSE:
        case FORE_EV_ARECV:
        case FORE_EV_FIRE:
            return true;
        default:
            break;
        }
    return false;
}

/* Pushes the visible steps; false if the trace is replayed to its end. */
static bool push_visible_steps(struct counter *k)
{
    bool more = false;
    for (uint32_t t = 1; t <= k->c->p->threads; t++) {
        uint32_t op = fore_machine_next(&k->m, t);
        struct fore_move v;
        k->visits++;
        if (op == FORE_NO_OP || !fore_insn_ended(k->c->p, op))
            continue;
        more = true;
        if (step_of(k, t, &v))
            fore_vec_push(&k->moves.list, v);
    }
    return more;
}

static void add_to_parent(struct counter *k, const struct fore_big *n)
{
    if (k->path.n)
        fore_big_add(&fore_vec_last(&k->path).sum, n);
}

/* Gives up a state for which there was no room: at least one schedule follows it, if nothing can
 * get stuck. */
static void give_up(struct counter *k)
{
    struct fore_big one = {0};
    k->exact = false;
    if (!k->c->queues)
        fore_big_set(&one, 1);
    add_to_parent(k, &one);
    fore_big_release(&one);
}

static void enter_frame(struct counter *k)
{
    size_t silent = take_silent_steps(k);
    uint64_t print = fore_machine_fingerprint(&k->m);
    uint64_t *known = fore_map_get(&k->known, print);
    bool spent = k->counts.n + k->path.n >= k->most ||
                 k->visits / MOST_VISITS > k->most || k->limbs > MOST_LIMBS ||
                 (k->c->budget && fore_budget_spent(k->c->budget));
    if (known || (spent && k->path.n)) {
        if (known)
            add_to_parent(k, &k->counts.at[*known]);
        else
            give_up(k);
        for (; silent; silent--)
            take_back(k);
        if (k->path.n)
            take_back(k);
        return;
    }
    fore_vec_push(&k->path, (struct counter_frame){print, k->moves.list.n, silent, {0}});
    if (!push_visible_steps(k))
        fore_big_set(&fore_vec_last(&k->path).sum, 1);
}

static void leave_frame(struct counter *k)
{
    struct counter_frame f = fore_vec_pop(&k->path);
    bool fresh;
    *fore_map_put(&k->known, f.print, &fresh) = k->counts.n;
    fore_vec_push(&k->counts, f.sum);
    k->limbs += f.sum.n;
    add_to_parent(k, &f.sum);
    for (size_t i = 0; i < f.silent + (k->path.n ? 1 : 0); i++)
        take_back(k);
}

static void count_all(struct counter *k)
{
    for (uint32_t op = 0; op < k->c->p->op_count; op++)
        count_left(k, op, 1);
    k->others_wait = waits_silently(k->c->p);
    enter_frame(k);
    while (k->path.n) {
        if (k->moves.list.n > fore_vec_last(&k->path).moves) {
            count_move(k, fore_vec_pop(&k->moves.list));
            enter_frame(k);
        } else {
            leave_frame(k);
        }
    }
}

void fore_schedules_count(const struct fore_comm *c, size_t most_states,
                          struct fore_schedules *out)
{
    struct counter k = {.c = c, .most = most_states, .exact = true};
    *out = (struct fore_schedules){.exact = false};
    fore_big_set(&out->count, 1);
    if (!c->simple || c->t->torn || c->t->lost)
        return;
    k.left = fore_calloc((size_t)c->p->objects + 1, sizeof *k.left);
    fore_machine_init(&k.m, c->p);
    count_all(&k);
    /* No state at all: the trace has a default that only replay.h accepts. */
    out->exact = k.exact && fore_vec_last(&k.counts).n;
    if (fore_big_cmp(&fore_vec_last(&k.counts), &out->count) > 0)
        fore_big_copy(&out->count, &fore_vec_last(&k.counts));
    for (size_t i = 0; i < k.counts.n; i++)
        fore_big_release(&k.counts.at[i]);
    fore_machine_release(&k.m);
    fore_free(k.left);
    fore_vec_release(&k.moves.list);
    fore_vec_release(&k.path);
    fore_vec_release(&k.counts);
    fore_vec_release(&k.taken);
    fore_vec_release(&k.fresh);
    fore_map_release(&k.known);
}
