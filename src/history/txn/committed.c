/* Read committed asks only that the transactions can be placed one after the other so that
 * whatever a transaction read was there before it, and recorded versions come in their order.
 * Placing one never makes another impossible, so the first order that works out decides. */
#include "history/txn/decide.h"

/* Waits: `txn` for `other`, or for one of several (an unclear reading). */
struct placing {
    const struct fore_txn_index *x;
    uint32_t *waits;            /* by transaction: for how many */
    uint32_t *after_at, *after; /* which wait for a transaction: CSR */
    FORE_VEC(uint64_t) pairs;   /* before << 32 | after */
    FORE_VEC(uint32_t) ready, unclear;
    uint8_t *placed;
};

static void wait_for(struct placing *p, uint32_t before, uint32_t after)
{
    if (before != after)
        fore_vec_push(&p->pairs, (uint64_t)before << 32 | after);
}

static void wait_for_key(struct placing *p, uint32_t key)
{
    const struct fore_txn_index *x = p->x;
    const struct fore_txn_versions *v = &x->versions[key];
    bool list = x->h->keys.at[key].kind == FORE_KEY_LIST;
    for (size_t i = 1; i < v->chain.n; i++)
        wait_for(p, v->chain.at[i - 1], v->chain.at[i]);
    for (size_t i = 0; v->chain.n && i < v->others.n; i++)
        wait_for(p, fore_vec_last(&v->chain), v->others.at[i]);
    for (uint32_t i = x->readings_at[key]; i < x->readings_at[key + 1]; i++) {
        const struct fore_txn_reading *r = &x->readings.at[i];
        if (list && r->seen)
            wait_for(p, v->chain.at[r->seen - 1], r->txn);
        else if (!list && r->unclear && !r->initial)
            fore_vec_push(&p->unclear, i);
        else if (!list && r->write && !r->initial)
            wait_for(p, x->writes.at[r->write - 1].txn, r->txn);
    }
}

static void count_waits(struct placing *p)
{
    size_t n = p->x->h->list.n;
    p->after_at = fore_calloc(n + 2, sizeof *p->after_at);
    p->after = fore_calloc(p->pairs.n + 1, sizeof *p->after);
    for (size_t i = 0; i < p->pairs.n; i++) {
        p->after_at[(p->pairs.at[i] >> 32) + 1]++;
        p->waits[(uint32_t)p->pairs.at[i]]++;
    }
    for (size_t i = 0; i < n; i++)
        p->after_at[i + 1] += p->after_at[i];
    uint32_t *next = fore_calloc(n + 1, sizeof *next);
    for (size_t i = 0; i < p->pairs.n; i++) {
        uint32_t before = (uint32_t)(p->pairs.at[i] >> 32);
        p->after[p->after_at[before] + next[before]++] = (uint32_t)p->pairs.at[i];
    }
    fore_free(next);
    for (size_t i = 0; i < p->unclear.n; i++)
        p->waits[p->x->readings.at[p->unclear.at[i]].txn]++;
}

static void place_ready(struct placing *p)
{
    while (p->ready.n) {
        uint32_t t = fore_vec_pop(&p->ready);
        p->placed[t] = 1;
        for (uint32_t i = p->after_at[t]; i < p->after_at[t + 1]; i++)
            if (!--p->waits[p->after[i]])
                fore_vec_push(&p->ready, p->after[i]);
    }
}

/* A writer of what was read that is placed, or else any of them. */
static uint32_t a_source(const struct placing *p, const struct fore_txn_reading *r)
{
    uint32_t any = FORE_NO_TXN;
    for (uint32_t w = r->write; w; w = p->x->writes.at[w - 1].next) {
        if (!fore_txn_may_read(p->x, w - 1, r->txn))
            continue;
        any = p->x->writes.at[w - 1].txn;
        if (p->placed[any])
            return any;
    }
    return any;
}

static bool settle_unclear(struct placing *p)
{
    size_t kept = 0, n = p->unclear.n;
    for (size_t i = 0; i < n; i++) {
        const struct fore_txn_reading *r = &p->x->readings.at[p->unclear.at[i]];
        if (!p->placed[a_source(p, r)])
            p->unclear.at[kept++] = p->unclear.at[i];
        else if (!--p->waits[r->txn])
            fore_vec_push(&p->ready, r->txn);
    }
    p->unclear.n = kept;
    return kept < n;
}

/* By transaction that could not be placed: one that it waits for and that could not be
 * either. The caller frees. */
static uint32_t *find_blockers(const struct placing *p)
{
    uint32_t *blocker = fore_calloc(p->x->h->list.n + 1, sizeof *blocker);
    for (size_t i = 0; i < p->unclear.n; i++) {
        const struct fore_txn_reading *r = &p->x->readings.at[p->unclear.at[i]];
        blocker[r->txn] = a_source(p, r);
    }
    for (size_t i = 0; i < p->pairs.n; i++)
        if (!p->placed[p->pairs.at[i] >> 32])
            blocker[(uint32_t)p->pairs.at[i]] = (uint32_t)(p->pairs.at[i] >> 32);
    return blocker;
}

/* Going from one to whom it waits for comes round. */
static void find_circle(const struct placing *p, uint32_t start,
                        struct fore_txn_decision *d)
{
    uint32_t *blocker = find_blockers(p);
    struct fore_map at = {0};
    FORE_VEC(uint32_t) path = {0};
    for (uint32_t t = start;; t = blocker[t]) {
        bool fresh;
        uint64_t *seen = fore_map_put(&at, t, &fresh);
        if (!fresh) {
            for (size_t i = path.n; i-- > *seen;)
                fore_vec_push(&d->stuck, path.at[i]);
            break;
        }
        *seen = path.n;
        fore_vec_push(&path, t);
    }
    for (uint32_t t = 0; t < p->x->h->list.n; t++)
        if (!p->placed[t])
            fore_vec_push(&d->zone, t);
    fore_vec_push(&d->zone_ends, d->zone.n);
    fore_map_release(&at);
    fore_vec_release(&path);
    fore_free(blocker);
}

void fore_txn_decide_committed(const struct fore_txn_index *x, struct fore_budget *budget,
                               struct fore_txn_decision *d)
{
    size_t n = x->h->list.n;
    struct placing p = {.x = x};
    *d = (struct fore_txn_decision){.answer = FORE_TXN_HOLDS, .rounds = 1};
    p.waits = fore_calloc(n + 1, sizeof *p.waits);
    p.placed = fore_calloc(n + 1, sizeof *p.placed);
    for (uint32_t k = 0; k < x->h->keys.n; k++)
        wait_for_key(&p, k);
    count_waits(&p);
    for (uint32_t t = 0; t < n; t++)
        if (!p.waits[t])
            fore_vec_push(&p.ready, t);
    do {
        place_ready(&p);
        d->rounds++;
    } while (settle_unclear(&p) && !fore_budget_spent(budget));
    for (uint32_t t = 0; t < n && d->answer == FORE_TXN_HOLDS; t++)
        if (!p.placed[t]) {
            d->answer = FORE_TXN_VIOLATED;
            if (!fore_budget_spent(budget))
                find_circle(&p, t, d);
        }
    if (d->answer == FORE_TXN_VIOLATED && !d->stuck.n) {
        d->answer = FORE_TXN_UNDECIDED;
        d->bound = budget ? fore_spent_text(budget->spent) : "time";
    }
    fore_free(p.waits);
    fore_free(p.placed);
    fore_free(p.after);
    fore_free(p.after_at);
    fore_vec_release(&p.pairs);
    fore_vec_release(&p.ready);
    fore_vec_release(&p.unclear);
}
