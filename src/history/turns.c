/* A part that a turn does not decide starts again in the next round, with GROWTH times as
 * much: what the earlier turns cost is a fraction of the last one.
 *
 * A turn's key is its round and, within the round, the part's rank. Of all turns that find a
 * failure, the one with the smallest key counts; turns with larger keys are given up, those
 * with smaller keys are finished. Since turns are counted in configurations and not in
 * seconds, the same part is reported whichever is faster. */
#include "history/turns.h"

#include "base/sort.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Fewer operations than this are not worth a second thread in the first round. */
enum { FEW = 20000 };
enum { FIRST = 1000, PER_OPERATION = 4, GROWTH = 8, MAX_ROUNDS = 20 };

struct part_turn {
    uint32_t part, rank, round;
};

struct turn_list {
    FORE_VEC(struct part_turn) v;
};

struct crew {
    struct fore_history *h;
    const struct fore_lin_options *o;
    struct fore_lin_result *r;
    size_t max_bytes;      /* for each thread */
    bool alone;            /* one thread: it may work with the history's own values */
    atomic_size_t failing; /* the smallest key of a turn that found a failure */
    pthread_mutex_t lock;  /* for what follows */
    struct turn_list now, later;
    size_t next, running;
    pthread_cond_t more;
    uint32_t last_round; /* no turn of a later one is handed out */
};

static size_t key_of(const struct crew *c, const struct part_turn *t)
{
    return (size_t)t->round * c->r->parts.n + t->rank;
}

/* How hard a part looks. */

struct weight {
    uint32_t part, open; /* open: operations that are open at once, at most */
    size_t n;
};

static uint32_t most_open(const struct fore_history *h, const struct fore_lin_part *p,
                          uint64_t *rets)
{
    size_t n = 0, r = 0, most = 0;
    for (size_t i = 0; i < p->n; i++)
        if (!fore_op_pending(&h->ops.at[p->ops[i]]))
            rets[n++] = h->ops.at[p->ops[i]].ret;
    fore_sort_u64(rets, n);
    for (size_t i = 0; i < p->n; i++) {
        while (r < n && rets[r] < h->ops.at[p->ops[i]].invoke)
            r++;
        most = i + 1 - r > most ? i + 1 - r : most;
    }
    return (uint32_t)most;
}

static int by_weight(const void *a, const void *b)
{
    const struct weight *x = a, *y = b;
    if (x->open != y->open)
        return x->open < y->open ? -1 : 1;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

/* Is the part of this rank in our share? */
static bool is_own(const struct crew *c, uint32_t rank)
{
    return !c->o->shares || rank % c->o->shares == c->o->share;
}

/* The turns of the first round: the least concurrent parts first, then the smallest. */
static void rank_parts(struct crew *c)
{
    FORE_VEC(struct weight) w = {0};
    uint64_t *rets = fore_calloc(c->h->ops.n + 1, sizeof *rets);
    for (uint32_t k = 0; k < c->r->parts.n; k++) {
        const struct fore_lin_part *p = &c->r->parts.at[k];
        if (p->verdict != FORE_LIN_YES)
            fore_vec_push(&w, (struct weight){k, most_open(c->h, p, rets), p->n});
    }
    if (w.n)
        qsort(w.at, w.n, sizeof *w.at, by_weight);
    for (uint32_t i = 0; i < w.n; i++)
        if (is_own(c, i))
            fore_vec_push(&c->now.v, (struct part_turn){w.at[i].part, i, 0});
        else
            c->r->parts.at[w.at[i].part].verdict = FORE_LIN_YES; /* as far as we know */
    fore_vec_release(&w);
    fore_free(rets);
}

/* One turn. */

static uint32_t *to_history(const struct fore_lin_part *p, const uint32_t *ops, size_t n)
{
    uint32_t *out = fore_calloc(n + 1, sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[i] = p->ops[ops[i]];
    return out;
}

static void keep_outcome(struct crew *c, struct fore_lin_part *p,
                         struct fore_search_outcome *out)
{
    p->verdict = out->verdict;
    p->bound = out->bound;
    p->configs += out->configs;
    p->special = out->special;
    if (c->o->keep_orders && out->verdict == FORE_LIN_YES) {
        p->order = to_history(p, out->order.at, out->order.n);
        p->n_order = out->order.n;
    }
    if (out->core.n) {
        p->core = to_history(p, out->core.at, out->core.n);
        p->n_core = out->core.n;
    }
}

static void note_failure(struct crew *c, const struct part_turn *t)
{
    size_t key = key_of(c, t), seen = atomic_load(&c->failing);
    while (key < seen && !atomic_compare_exchange_weak(&c->failing, &seen, key))
        continue;
    pthread_mutex_lock(&c->lock);
    if (atomic_load(&c->failing) == key) {
        c->r->failing = t->part;
        c->r->turn = key;
    }
    pthread_mutex_unlock(&c->lock);
}

/* What this turn may visit; 0: as much as it wants. */
static uint64_t allowance(const struct crew *c, const struct part_turn *t, bool only_one)
{
    uint64_t most = c->o->limits.max_configs;
    uint64_t mine = FIRST + PER_OPERATION * (uint64_t)c->r->parts.at[t->part].n;
    if (only_one || t->round >= MAX_ROUNDS)
        return most;
    for (uint32_t i = 0; i < t->round; i++)
        mine *= GROWTH;
    return most && most < mine ? most : mine;
}

/* True if the part wants another turn. */
static bool play_turn(struct crew *c, struct fore_world *w, const struct part_turn *t,
                      bool only_one, struct fore_limits *limits)
{
    struct fore_lin_part *p = &c->r->parts.at[t->part];
    struct fore_search_outcome out;
    limits->failing = &c->failing;
    limits->index = key_of(c, t);
    limits->max_configs = allowance(c, t, only_one);
    fore_world_set(w, c->h, p->ops, p->n, p->init, FORE_NEVER);
    fore_world_decide(w, limits, c->o->general_only, &out);
    keep_outcome(c, p, &out);
    fore_outcome_release(&out);
    if (p->verdict == FORE_LIN_NO)
        note_failure(c, t);
    return p->verdict == FORE_LIN_UNKNOWN && strcmp(p->bound, "configurations") == 0 &&
           limits->max_configs != c->o->limits.max_configs;
}

/* Handing out turns. */

/* The next turn whose result can still matter; false if there is none now. */
static bool pick_turn(struct crew *c, struct part_turn *t)
{
    for (;;) {
        if (c->next == c->now.v.n) {
            struct turn_list done = c->now;
            if (!c->later.v.n || c->later.v.at[0].round > c->last_round)
                return false;
            c->now = c->later;
            c->later = done;
            c->later.v.n = c->next = 0;
        }
        *t = c->now.v.at[c->next++];
        if (key_of(c, t) < atomic_load(&c->failing))
            return true;
    }
}

/* Waits for a turn while others run, who may leave more. `only_one`: nobody else has one. */
static bool take_turn(struct crew *c, struct part_turn *t, bool *only_one)
{
    bool found;
    pthread_mutex_lock(&c->lock);
    while (!(found = pick_turn(c, t)) && c->running)
        pthread_cond_wait(&c->more, &c->lock);
    *only_one = found && !c->running && c->next == c->now.v.n && !c->later.v.n &&
                c->o->shares < 2;
    c->running += found;
    pthread_mutex_unlock(&c->lock);
    return found;
}

static void end_turn(struct crew *c, struct part_turn t, bool again)
{
    pthread_mutex_lock(&c->lock);
    t.round++;
    if (again)
        fore_vec_push(&c->later.v, t);
    c->running--;
    pthread_cond_broadcast(&c->more);
    pthread_mutex_unlock(&c->lock);
}

static void *play_turns(void *arg)
{
    struct crew *c = arg;
    struct fore_limits limits = c->o->limits;
    struct fore_world w = {.shared = c->alone ? &c->h->values : NULL};
    struct part_turn t;
    bool only_one;
    limits.max_bytes = c->max_bytes;
    while (take_turn(c, &t, &only_one)) {
        const char *spent = fore_spent_text(fore_budget_spent(&limits.budget));
        if (spent)
            c->r->parts.at[t.part].bound = spent;
        end_turn(c, t, !spent && play_turn(c, &w, &t, only_one, &limits));
    }
    fore_world_release(&w);
    return NULL;
}

static void play_with(struct crew *c, size_t threads)
{
    pthread_t *others = fore_calloc(threads + 1, sizeof *others);
    size_t started = 0, bytes = c->o->limits.max_bytes;
    c->max_bytes = (bytes ? bytes : c->o->limits.budget.max_bytes) / threads;
    while (started + 1 < threads &&
           !pthread_create(&others[started], NULL, play_turns, c))
        started++;
    play_turns(c);
    for (size_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    fore_free(others);
}

void fore_lin_take_turns(struct fore_history *h, const struct fore_lin_options *o,
                         struct fore_lin_result *r)
{
    struct crew c = {.h = h, .o = o, .r = r, .last_round = UINT32_MAX};
    size_t jobs = o->jobs ? o->jobs : 1;
    atomic_init(&c.failing, SIZE_MAX);
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.more, NULL);
    rank_parts(&c);
    if (h->ops.n < FEW || jobs == 1) {
        c.alone = true;
        c.last_round = 0;
        play_with(&c, 1);
        c.alone = false;
        c.last_round = UINT32_MAX;
    }
    size_t left = c.now.v.n - c.next + c.later.v.n;
    if (left)
        play_with(&c, jobs < left ? jobs : left);
    fore_vec_release(&c.now.v);
    fore_vec_release(&c.later.v);
    pthread_mutex_destroy(&c.lock);
    pthread_cond_destroy(&c.more);
}
