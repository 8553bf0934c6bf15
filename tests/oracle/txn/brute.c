/* The levels as they are defined, not as graphs: somebody runs the transactions, in every
 * order (and with every choice of what is visible), and looks whether the reads come out. */
#include "oracle/txn/random_txns.h"

#include "history/txn/index.h"

struct world {
    const struct small_history *h;
    unsigned in;                                      /* transactions that happened */
    struct small_list states[MAX_TXNS + 1][MAX_KEYS]; /* after so many of the order */
    int order[MAX_TXNS];
    unsigned sees[MAX_TXNS]; /* parallel snapshot isolation: who sees whom */
    int level;
};

static void put(struct small_list *l, bool lists, int value)
{
    if (!lists)
        l->n = 0;
    l->at[l->n++] = value;
}

static bool same(const struct small_list *a, const struct small_list *b)
{
    bool equal = a->n == b->n;
    for (int i = 0; equal && i < a->n; i++)
        equal = a->at[i] == b->at[i];
    return equal;
}

static bool writes(const struct small_txn *t, int key)
{
    for (int i = 0; i < t->n; i++)
        if (t->ops[i].act == SMALL_WRITE && t->ops[i].key == key)
            return true;
    return false;
}

/* Runs the transaction on `state`; false if a read is not what it would be. A transaction
 * that nobody heard of again has no reads. */
static bool execute(const struct small_history *h, const struct small_txn *t,
                    struct small_list *state)
{
    for (int i = 0; i < t->n; i++) {
        const struct small_op *op = &t->ops[i];
        if (op->act == SMALL_WRITE)
            put(&state[op->key], h->lists, op->value);
        else if (t->fate == SMALL_COMMITTED && !same(&op->read, &state[op->key]))
            return false;
    }
    return true;
}

static void copy(struct small_list *to, const struct small_list *from)
{
    for (int k = 0; k < MAX_KEYS; k++)
        to[k] = from[k];
}

/* Serial orders. */

static bool must_wait(const struct world *w, int t, unsigned done)
{
    for (int u = 0; u < w->h->n; u++)
        if ((w->in & ~done) >> u & 1 && w->h->txns[u].fate == SMALL_COMMITTED &&
            w->h->txns[u].end < w->h->txns[t].begin)
            return true;
    return false;
}

static bool serial(struct world *w, unsigned done, int depth)
{
    if (done == w->in)
        return true;
    for (int t = 0; t < w->h->n; t++) {
        if (!((w->in & ~done) >> t & 1))
            continue;
        if (w->level == FORE_TXN_STRICT && must_wait(w, t, done))
            continue;
        copy(w->states[depth + 1], w->states[depth]);
        if (execute(w->h, &w->h->txns[t], w->states[depth + 1]) &&
            serial(w, done | 1u << t, depth + 1))
            return true;
    }
    return false;
}

/* Read committed: any earlier state of a key may be read, each time another. */

static bool was_state(const struct world *w, int depth, int key,
                      const struct small_list *l)
{
    for (int d = 0; d <= depth; d++)
        if (same(l, &w->states[d][key]))
            return true;
    return false;
}

static bool execute_committed(struct world *w, const struct small_txn *t, int depth)
{
    bool own[MAX_KEYS] = {0};
    struct small_list *state = w->states[depth + 1];
    copy(state, w->states[depth]);
    for (int i = 0; i < t->n; i++) {
        const struct small_op *op = &t->ops[i];
        if (op->act == SMALL_WRITE) {
            put(&state[op->key], w->h->lists, op->value);
            own[op->key] = true;
        } else if (t->fate == SMALL_COMMITTED &&
                   !(own[op->key] ? same(&op->read, &state[op->key])
                                  : was_state(w, depth, op->key, &op->read))) {
            return false;
        }
    }
    return true;
}

static bool committed(struct world *w, unsigned done, int depth)
{
    if (done == w->in)
        return true;
    for (int t = 0; t < w->h->n; t++)
        if ((w->in & ~done) >> t & 1 && execute_committed(w, &w->h->txns[t], depth) &&
            committed(w, done | 1u << t, depth + 1))
            return true;
    return false;
}

/* Snapshots: starts and commits in every order. */

struct snapshots {
    struct small_list at_start[MAX_TXNS][MAX_KEYS];
    unsigned open_with[MAX_TXNS]; /* who committed since its start */
};

static bool conflict_with(const struct small_history *h, int a, unsigned others)
{
    for (int u = 0; u < h->n; u++)
        for (int k = 0; others >> u & 1 && k < h->keys; k++)
            if (writes(&h->txns[a], k) && writes(&h->txns[u], k))
                return true;
    return false;
}

static bool snapshot(struct world *w, const struct snapshots *s, unsigned started,
                     unsigned done, const struct small_list *state)
{
    if (done == w->in)
        return true;
    for (int t = 0; t < w->h->n; t++) {
        struct snapshots next = *s;
        struct small_list then[MAX_KEYS];
        copy(then, state);
        if (!((w->in & ~done) >> t & 1))
            continue;
        if (!(started >> t & 1)) {
            if (!execute(w->h, &w->h->txns[t], then))
                continue;
            copy(next.at_start[t], then);
            next.open_with[t] = 0;
            if (snapshot(w, &next, started | 1u << t, done, state))
                return true;
            continue;
        }
        if (conflict_with(w->h, t, s->open_with[t]))
            continue;
        for (int k = 0; k < w->h->keys; k++)
            if (writes(&w->h->txns[t], k))
                then[k] = s->at_start[t][k];
        for (int u = 0; u < w->h->n; u++)
            next.open_with[u] |= 1u << t;
        if (snapshot(w, &next, started, done | 1u << t, then))
            return true;
    }
    return false;
}

/* Parallel snapshots: each sees a set of those before it that is closed (who is seen by what
 * I see, I see too) and has everybody in it that wrote what I write. */

static bool closed(const struct world *w, unsigned set)
{
    for (int u = 0; u < w->h->n; u++)
        if (set >> u & 1 && (w->sees[u] & ~set))
            return false;
    return true;
}

static bool parallel(struct world *w, unsigned done, int depth)
{
    if (done == w->in)
        return true;
    for (int t = 0; t < w->h->n; t++) {
        if (!((w->in & ~done) >> t & 1))
            continue;
        w->order[depth] = t;
        for (unsigned set = done;; set = (set - 1) & done) {
            struct small_list state[MAX_KEYS] = {0};
            bool fits = closed(w, set) && !conflict_with(w->h, t, done & ~set);
            for (int i = 0; fits && i < depth; i++)
                for (int k = 0; set >> w->order[i] & 1 && k < w->h->txns[w->order[i]].n;
                     k++) {
                    const struct small_op *op = &w->h->txns[w->order[i]].ops[k];
                    if (op->act == SMALL_WRITE)
                        put(&state[op->key], w->h->lists, op->value);
                }
            w->sees[t] = set;
            if (fits && execute(w->h, &w->h->txns[t], state) &&
                parallel(w, done | 1u << t, depth + 1))
                return true;
            w->order[depth] = t;
            if (!set)
                break;
        }
        w->sees[t] = 0;
    }
    return false;
}

static bool explained(struct world *w)
{
    static const struct small_list nothing[MAX_KEYS];
    struct snapshots s = {0};
    switch (w->level) {
    case FORE_TXN_READ_COMMITTED:
        return committed(w, 0, 0);
    case FORE_TXN_PARALLEL_SNAPSHOT:
        return parallel(w, 0, 0);
    case FORE_TXN_SNAPSHOT:
        return snapshot(w, &s, 0, 0, nothing);
    default:
        return serial(w, 0, 0);
    }
}

bool brute_force(const struct small_history *h, int level)
{
    unsigned committed_ones = 0, unknown = 0;
    for (int t = 0; t < h->n; t++) {
        committed_ones |= (unsigned)(h->txns[t].fate == SMALL_COMMITTED) << t;
        unknown |= (unsigned)(h->txns[t].fate == SMALL_UNKNOWN) << t;
    }
    for (unsigned some = unknown;; some = (some - 1) & unknown) {
        struct world w = {.h = h, .in = committed_ones | some, .level = level};
        if (explained(&w))
            return true;
        if (!some)
            return false;
    }
}
