/* Where a directed run is worth trying. Each pattern is tried a few times per pair of source
 * places, so that a loop of a million rounds costs no more than one of ten. */
#include "analysis/deadlock/deadlock_state.h"

#include "base/hash.h"

enum { PER_PLACE = 3, ALL = 64, PER_PAIR = 6, VISITS = 100000 };
/* The closures of all cycles together may look at so many operations, or at so many
 * times the length of the program, whichever is more. */
enum { PASSES = 2 * ALL, FOLLOWED = 1 << 24 };
/* In a program of more operations than this, what may come too early is tried once for
 * each place, because every try plays the whole program. */
enum { LONG = 1 << 20 };
enum { SHORT_CYCLE = 4, CYCLE = FORE_DL_TARGETS }; /* locks: short ones come first */
enum {
    NEIGHBOURS = 64
}; /* on each side of a read lock, among which a writer is looked for */

/* One time that it happened; the next one is `next`, 1 + index. */
struct instance {
    uint32_t op, held_op, next;
};

/* A thread has one lock and wants another, at one place; it may have happened many times. */
struct lock_edge {
    uint32_t thread, first, last; /* instances, 1 + index */
    uint32_t others, other_count; /* all that it holds then: a slice of `sets` */
};

/* Up to PER_PAIR edges of different threads or places, for one pair of locks. */
struct lock_pair {
    uint32_t held, wanted, count, next; /* next: pair with the same `held`, 1 + index */
    struct lock_edge edges[PER_PAIR];
    bool more; /* there were others */
};

struct patterns {
    struct fore_dl *d;
    struct fore_map tries;    /* signature -> attempts */
    struct fore_map by_locks; /* held << 32 | wanted -> 1 + pair */
    struct fore_map by_held;  /* held -> 1 + first pair */
    FORE_VEC(struct lock_pair) pairs;
    FORE_VEC(struct instance) instances;
    FORE_VEC(uint32_t) sets;
    FORE_VEC(uint32_t) held; /* acquisitions of the thread being scanned */
    uint64_t visits;
    uint64_t followed;  /* operations whose needs were followed for cycles */
    size_t above, most; /* locks of the cycles that are looked for */
    bool longer;        /* there are cycles of more */
    uint64_t
        worn; /* place of something that came first, the last that was tried enough; 0: none */
};

/* Where it is in the source; an operation without location stands for itself. */
static uint64_t place_of(const struct fore_dl *d, uint32_t op)
{
    uint32_t where = d->p->ops[op].where;
    return where ? fore_hash_mix(1, where) : fore_hash_mix(2, op);
}

static const char MANY[] = "too many combinations of locks are held together";
static const char OFTEN[] = "places that occur often were tried a few times each";

/* Attempts are counted below FOUND, which is set when one of them led to a finding. */
static const uint64_t FOUND = 1u << 16;

/* Is the signature not tried as often as it may be? */
static bool may_try_again(struct patterns *x, uint64_t signature)
{
    return *fore_map_put(&x->tries, signature, NULL) % FOUND < PER_PLACE &&
           x->d->attempts < ALL && !fore_budget_spent(x->d->ctx->budget);
}

/* May one more directed run be made for this signature? */
static bool may_try(struct patterns *x, uint64_t signature)
{
    uint64_t tries = *fore_map_put(&x->tries, signature, NULL);
    x->d->candidates++;
    if (may_try_again(x, signature))
        return true;
    if (tries < FOUND)
        fore_dl_cap(x->d, OFTEN);
    return false;
}

/* `cut` is what the targets need, if that is known; else NULL. */
static enum fore_status try_it(struct patterns *x, uint64_t signature,
                               const struct fore_closure *cut,
                               const struct fore_dl_target *targets, size_t n,
                               struct fore_err *e)
{
    if (!may_try(x, signature))
        return FORE_OK;
    uint64_t before = x->d->attempts, found = x->d->found;
    enum fore_status s = cut ? fore_dl_attempt_cut(x->d, cut, targets, n, e)
                             : fore_dl_attempt(x->d, targets, n, e);
    uint64_t *tries = fore_map_put(&x->tries, signature, NULL);
    /* What the order forbids was not played, which cost little: it does not count. */
    *tries += x->d->attempts > before;
    if (x->d->found > found)
        *tries |= FOUND;
    return s;
}

static bool holds_these(const struct patterns *x, const struct lock_edge *g)
{
    uint32_t lock;
    if (g->other_count != x->held.n)
        return false;
    for (uint32_t i = 0; i < g->other_count; i++)
        if (!fore_insn_acquires(x->d->p, x->held.at[i], &lock) ||
            lock != x->sets.at[g->others + i])
            return false;
    return true;
}

/* Finds the pair of these locks, or adds it. */
static struct lock_pair *pair_of(struct patterns *x, uint32_t held, uint32_t wanted)
{
    uint64_t *at = fore_map_put(&x->by_locks, (uint64_t)held << 32 | wanted, NULL);
    if (!*at) {
        uint64_t *first = fore_map_put(&x->by_held, held, NULL);
        fore_vec_push(
            &x->pairs,
            (struct lock_pair){.held = held, .wanted = wanted, .next = (uint32_t)*first});
        *first = *at = x->pairs.n;
    }
    return &x->pairs.at[*at - 1];
}

static struct lock_edge *edge_of(struct patterns *x, struct lock_pair *p, uint32_t op)
{
    uint32_t thread = fore_insn_thread(x->d->p, op), lock;
    for (uint32_t i = 0; i < p->count; i++) {
        struct lock_edge *g = &p->edges[i];
        uint32_t other = x->instances.at[g->first - 1].op;
        if (g->thread == thread && place_of(x->d, other) == place_of(x->d, op) &&
            holds_these(x, g))
            return g;
    }
    if (p->count == PER_PAIR) {
        p->more = true;
        return NULL;
    }
    struct lock_edge *new = &p->edges[p->count++];
    *new = (struct lock_edge){.thread = thread,
                              .others = (uint32_t)x->sets.n,
                              .other_count = (uint32_t)x->held.n};
    for (size_t i = 0; i < x->held.n; i++) {
        fore_insn_acquires(x->d->p, x->held.at[i], &lock);
        fore_vec_push(&x->sets, lock);
    }
    return new;
}

static void add_edge(struct patterns *x, uint32_t op, uint32_t wanted, uint32_t held_op)
{
    uint32_t held;
    fore_insn_acquires(x->d->p, held_op, &held);
    struct lock_edge *g = edge_of(x, pair_of(x, held, wanted), op);
    if (!g)
        return;
    fore_vec_push(&x->instances, (struct instance){op, held_op, 0});
    uint32_t new = (uint32_t)x->instances.n;
    if (g->first)
        x->instances.at[g->last - 1].next = new;
    else
        g->first = new;
    g->last = new;
}

/* A reader that reads again waits behind a writer that came in between. */
static enum fore_status try_reader_again(struct patterns *x, uint32_t op, uint32_t lock,
                                         struct fore_err *e)
{
    const struct fore_index *ix = x->d->index;
    const struct fore_program *p = x->d->p;
    uint32_t me = fore_insn_thread(p, op), at = ix->rank[op], tried = 0;
    for (uint32_t far = 1; far < NEIGHBOURS && tried < PER_PLACE; far++)
        for (int side = 0; side < 2; side++) {
            uint32_t i = side ? at + far : at - far;
            if (i < ix->start[2 * lock] || i >= ix->start[2 * lock + 1])
                continue;
            uint32_t q = ix->ops[i];
            if (fore_insn_kind(p, q) != FORE_EV_LOCK || fore_insn_thread(p, q) == me)
                continue;
            struct fore_dl_target t[2] = {{fore_insn_thread(p, q), q}, {me, op}};
            tried++;
            FORE_TRY(try_it(x, fore_hash_mix(place_of(x->d, op), place_of(x->d, q)), NULL,
                            t, 2, e));
        }
    if (tried < PER_PLACE && (at - ix->start[2 * lock] >= NEIGHBOURS ||
                              ix->start[2 * lock + 1] - at > NEIGHBOURS))
        fore_dl_cap(x->d,
                    "writers were looked for near the second of two read locks only");
    return FORE_OK;
}

static enum fore_status wants_lock(struct patterns *x, uint32_t op, uint32_t lock,
                                   struct fore_err *e)
{
    for (size_t i = 0; i < x->held.n; i++) {
        uint32_t have;
        fore_insn_acquires(x->d->p, x->held.at[i], &have);
        if (have != lock)
            add_edge(x, op, lock, x->held.at[i]);
        else if (fore_insn_kind(x->d->p, op) == FORE_EV_RLOCK &&
                 fore_insn_ended(x->d->p, op))
            FORE_TRY(try_reader_again(x, op, lock, e));
    }
    return FORE_OK;
}

/* Waiting for another thread while holding a lock that that thread may need. */
static enum fore_status waits_under_lock(struct patterns *x, uint32_t op,
                                         struct fore_err *e)
{
    struct fore_dl_target t = {fore_insn_thread(x->d->p, op), op};
    uint64_t signature = fore_hash_mix(3, place_of(x->d, op));
    for (size_t i = 0; i < x->held.n; i++)
        signature = fore_hash_mix(signature, place_of(x->d, x->held.at[i]));
    return try_it(x, signature, NULL, &t, 1, e);
}

/* A signal that comes before the wait is lost; a send that comes first fills the buffer. */
static enum fore_status comes_first(struct patterns *x, uint32_t op, struct fore_err *e)
{
    const struct fore_program *p = x->d->p;
    const struct fore_insn *o = &p->ops[op];
    bool signal = o->kind == FORE_EV_CSIGNAL || o->kind == FORE_EV_CBROADCAST;
    bool put = o->kind == FORE_EV_SEND && fore_chan_capacity(p, o->object);
    bool take = o->kind == FORE_EV_ACQUIRE;
    if (!signal && !put && !take)
        return FORE_OK;
    uint64_t place = place_of(x->d, op);
    if (place == x->worn) { /* most of a loop */
        x->d->candidates++;
        return FORE_OK;
    }
    struct fore_dl_target t = {o->thread, op + signal};
    uint64_t before = x->d->attempts;
    enum fore_status s = try_it(x, fore_hash_mix(4, place), NULL, &t, 1, e);
    bool once = x->d->attempts > before && p->op_count > LONG;
    if (once)
        fore_dl_cap(x->d, OFTEN);
    if (once || (x->d->attempts == before && !may_try_again(x, fore_hash_mix(4, place))))
        x->worn = place;
    return s;
}

/* A select that got something may have been left by its timer before that came; the thread that offered it
 * then waits. Of a thread and a place the last one counts: after the others it was there again. */
static enum fore_status give_up(struct patterns *x, uint32_t thread, struct fore_err *e)
{
    const struct fore_program *p = x->d->p;
    struct fore_map seen = {0};
    enum fore_status s = FORE_OK;
    for (uint32_t op = p->first[thread + 1]; op-- > p->first[thread] && s == FORE_OK;) {
        struct fore_dl_target t = {thread, op};
        bool fresh;
        uint16_t at;
        if (!fore_insn_timeout(p, op, &at))
            continue;
        uint64_t place = fore_hash_mix(6, fore_dl_select_place(p, op));
        fore_map_put(&seen, place, &fresh);
        if (!fresh || !fore_insn_ended(p, op) || fore_dl_by_timer(x->d, op) ||
            p->ops[op].flags & FORE_F_CLOSED || !may_try(x, place))
            continue;
        ++*fore_map_put(&x->tries, place, NULL);
        s = fore_dl_give_up(x->d, &t, e);
    }
    fore_map_release(&seen);
    return s;
}

static void leave_lock(struct patterns *x, uint32_t op)
{
    uint32_t lock, have;
    if (!fore_insn_releases(x->d->p, op, &lock))
        return;
    for (size_t i = x->held.n; i-- > 0;)
        if (fore_insn_acquires(x->d->p, x->held.at[i], &have) && have == lock) {
            memmove(x->held.at + i, x->held.at + i + 1,
                    (--x->held.n - i) * sizeof *x->held.at);
            return;
        }
}

/* A thread ended while it held a lock, for example because it left a section on a path
 * without an unlock. A thread that took the lock before could have come after that,
 * and would wait for ever. */
static enum fore_status keeps_lock(struct patterns *x, uint32_t op, struct fore_err *e)
{
    const struct fore_index *ix = x->d->index;
    const struct fore_program *p = x->d->p;
    uint32_t lock, me = fore_insn_thread(p, op), at = ix->rank[op];
    if (!fore_insn_acquires(p, op, &lock) || !fore_dl_keeps_for_ever(x->d, op))
        return FORE_OK;
    bool reads = fore_insn_kind(p, op) != FORE_EV_LOCK;
    for (uint32_t far = 1; far < NEIGHBOURS && far <= at - ix->start[2 * lock]; far++) {
        uint32_t q = ix->ops[at - far];
        unsigned kind = fore_insn_kind(p, q);
        if (fore_insn_thread(p, q) == me ||
            (kind != FORE_EV_LOCK && (reads || kind != FORE_EV_RLOCK)))
            continue;
        struct fore_dl_target t[2] = {{me, op + 1}, {fore_insn_thread(p, q), q}};
        uint64_t places = fore_hash_mix(place_of(x->d, op), place_of(x->d, q));
        x->d->strays = x->d->ctx->possible;
        enum fore_status s = try_it(x, fore_hash_mix(7, places), NULL, t, 2, e);
        x->d->strays = false;
        FORE_TRY(s);
    }
    return FORE_OK;
}

static enum fore_status scan_thread(struct patterns *x, uint32_t thread,
                                    struct fore_err *e)
{
    const struct fore_program *p = x->d->p;
    uint32_t lock;
    x->held.n = 0;
    for (uint32_t op = p->first[thread]; op < p->first[thread + 1]; op++) {
        unsigned kind = fore_insn_kind(p, op);
        if (x->held.n && (kind == FORE_EV_LOCK || kind == FORE_EV_RLOCK))
            FORE_TRY(wants_lock(x, op, fore_insn_event(p, op)->object, e));
        if (x->held.n && (!fore_insn_ended(p, op) || fore_dl_waits(p, op)))
            FORE_TRY(waits_under_lock(x, op, e));
        if (fore_insn_ended(p, op))
            FORE_TRY(comes_first(x, op, e));
        leave_lock(x, op);
        if (fore_insn_acquires(p, op, &lock) && fore_insn_ended(p, op))
            fore_vec_push(&x->held, op);
    }
    for (size_t i = 0; i < x->held.n; i++)
        FORE_TRY(keeps_lock(x, x->held.at[i], e));
    return FORE_OK;
}

/* ---- cycles of locks ---------------------------------------------------------------------- */

static bool share_a_lock(const struct patterns *x, const struct lock_edge *a,
                         const struct lock_edge *b)
{
    for (uint32_t i = 0; i < a->other_count; i++)
        for (uint32_t k = 0; k < b->other_count; k++)
            if (x->sets.at[a->others + i] == x->sets.at[b->others + k])
                return true;
    return false;
}

static bool edges_fit(const struct patterns *x, const struct lock_edge *const *chosen,
                      size_t n, const struct lock_edge *next)
{
    for (size_t i = 0; i < n; i++)
        if (chosen[i]->thread == next->thread || share_a_lock(x, chosen[i], next))
            return false;
    return true;
}

/* Moves every instance behind what the others need; false when one runs out. The cut only grows,
 * so all instances together cost one pass. */
static bool move_behind_needs(struct patterns *x, struct fore_closure *cut, uint32_t *at,
                              struct fore_dl_target *t, size_t n)
{
    for (bool moved = true; moved;) {
        moved = false;
        fore_dl_close(cut, t, n);
        for (size_t i = 0; i < n; i++)
            while (cut->need[t[i].thread] > t[i].end) {
                at[i] = x->instances.at[at[i] - 1].next;
                if (!at[i])
                    return false;
                t[i].end = x->instances.at[at[i] - 1].op;
                moved = true;
            }
    }
    return true;
}

/* May one more set of edges be tried? To find out what it needs may take a pass over the program. */
static bool may_follow(struct patterns *x)
{
    uint64_t most = (uint64_t)PASSES * x->d->p->op_count;
    if (x->followed <= (most > FOLLOWED ? most : FOLLOWED))
        return !fore_budget_spent_now(x->d->ctx->budget);
    fore_dl_cap(x->d, MANY);
    return false;
}

static enum fore_status try_edges(struct patterns *x,
                                  const struct lock_edge *const *chosen, size_t n,
                                  struct fore_err *e)
{
    struct fore_dl_target t[CYCLE];
    struct fore_closure cut;
    uint32_t at[CYCLE];
    uint64_t signature = 5; /* the same whichever edge comes first */
    enum fore_status s = FORE_OK;
    if (!may_follow(x))
        return FORE_OK;
    for (size_t i = 0; i < n; i++) {
        at[i] = chosen[i]->first;
        const struct instance *o = &x->instances.at[at[i] - 1];
        t[i] = (struct fore_dl_target){chosen[i]->thread, o->op};
        signature += fore_hash_mix(place_of(x->d, o->op), place_of(x->d, o->held_op));
    }
    fore_closure_init(&cut, x->d->index, FORE_KEEPS_ALL);
    for (int tries = 0;
         tries < PER_PLACE && s == FORE_OK && move_behind_needs(x, &cut, at, t, n);
         tries++) {
        uint64_t found = x->d->found;
        s = try_it(x, signature, &cut, t, n, e);
        at[0] = x->instances.at[at[0] - 1].next;
        if (!at[0] || x->d->found > found)
            break;
        t[0].end = x->instances.at[at[0] - 1].op;
        if (tries + 1 == PER_PLACE)
            fore_dl_cap(x->d, OFTEN);
    }
    x->followed += cut.work_done;
    fore_closure_release(&cut);
    return s;
}

/* One edge for each pair of the cycle, of different threads that share no lock. */
static enum fore_status choose_edges(struct patterns *x, const uint32_t *cycle, size_t n,
                                     const struct lock_edge **chosen, size_t have,
                                     struct fore_err *e)
{
    if (have == n)
        return try_edges(x, chosen, n, e);
    const struct lock_pair *p = &x->pairs.at[cycle[have]];
    if (p->more)
        fore_dl_cap(x->d, "not every thread that takes the locks of a cycle was tried");
    for (uint32_t i = 0; i < p->count; i++)
        if (++x->visits <= VISITS && edges_fit(x, chosen, have, &p->edges[i])) {
            chosen[have] = &p->edges[i];
            FORE_TRY(choose_edges(x, cycle, n, chosen, have + 1, e));
        }
    return FORE_OK;
}

/* Does a path of pairs lead from the one lock to the other, by locks greater than that? */
static bool leads_back(struct patterns *x, uint32_t lock, uint32_t first)
{
    FORE_VEC(uint32_t) work = {0};
    struct fore_map seen = {0};
    bool found = false, fresh;
    fore_vec_push(&work, lock);
    while (work.n && !found && x->visits <= VISITS) {
        uint64_t *head = fore_map_get(&x->by_held, fore_vec_pop(&work));
        for (uint32_t i = head ? (uint32_t)*head : 0; i; i = x->pairs.at[i - 1].next) {
            uint32_t wanted = x->pairs.at[i - 1].wanted;
            x->visits++;
            found |= wanted == first;
            if (wanted > first && (fore_map_put(&seen, wanted, &fresh), fresh))
                fore_vec_push(&work, wanted);
        }
    }
    fore_map_release(&seen);
    fore_vec_release(&work);
    return found;
}

/* Extends a path of pairs that began at lock `first`, its smallest. */
static enum fore_status extend_cycle(struct patterns *x, uint32_t *cycle, size_t n,
                                     uint32_t first, struct fore_err *e)
{
    const struct lock_edge *chosen[CYCLE];
    uint32_t at = x->pairs.at[cycle[n - 1]].wanted;
    if (at == first)
        return n > x->above ? choose_edges(x, cycle, n, chosen, 0, e) : FORE_OK;
    uint64_t *head = fore_map_get(&x->by_held, at);
    if (at < first)
        return FORE_OK;
    if (n == x->most) {
        x->longer = x->longer || leads_back(x, at, first);
        return FORE_OK;
    }
    for (uint32_t i = head ? (uint32_t)*head : 0; i; i = x->pairs.at[i - 1].next) {
        if (++x->visits > VISITS)
            return FORE_OK;
        cycle[n] = i - 1;
        FORE_TRY(extend_cycle(x, cycle, n + 1, first, e));
    }
    return FORE_OK;
}

/* Cycles of more than `above` and at most `most` locks. */
static enum fore_status find_cycles(struct patterns *x, size_t above, size_t most,
                                    struct fore_err *e)
{
    x->above = above;
    x->most = most;
    x->visits = 0;
    x->longer = false;
    for (uint32_t i = 0; i < x->pairs.n; i++) {
        uint32_t cycle[CYCLE] = {i};
        FORE_TRY(extend_cycle(x, cycle, 1, x->pairs.at[i].held, e));
    }
    if (x->visits > VISITS)
        fore_dl_cap(x->d, MANY);
    return FORE_OK;
}
_Static_assert(CYCLE == 16, "as the report says");

enum fore_status fore_dl_patterns(struct fore_dl *d, struct fore_err *e)
{
    struct patterns x = {.d = d};
    enum fore_status s = FORE_OK;
    for (uint32_t t = 1; t <= d->p->threads && s == FORE_OK; t++) {
        fore_progress_step(d->ctx->progress, t, d->p->threads);
        s = scan_thread(&x, t, e);
        if (s == FORE_OK && d->ctx->possible && fore_program_selects(d->p))
            s = give_up(&x, t, e);
    }
    if (s == FORE_OK)
        s = find_cycles(&x, 1, SHORT_CYCLE, e);
    if (s == FORE_OK && x.longer)
        s = find_cycles(&x, SHORT_CYCLE, CYCLE, e);
    if (x.longer)
        fore_dl_cap(d, "only cycles of up to 16 locks were looked for");
    fore_map_release(&x.tries);
    fore_map_release(&x.by_locks);
    fore_map_release(&x.by_held);
    fore_vec_release(&x.pairs);
    fore_vec_release(&x.instances);
    fore_vec_release(&x.sets);
    fore_vec_release(&x.held);
    return s;
}
