#include "history/txn/index.h"

#include "base/sort.h"
#include "history/op.h"

#include <string.h>

static const struct {
    const char *name, *words;
    enum fore_txn_level level;
} anomalies[] = {
#define X(id, text, level, words) {text, words, FORE_TXN_##level},
    FORE_TXN_ANOMALIES(X)
#undef X
};

const char *fore_txn_anomaly_name(enum fore_txn_anomaly a)
{
    return anomalies[a].name;
}

const char *fore_txn_anomaly_words(enum fore_txn_anomaly a)
{
    return anomalies[a].words;
}

enum fore_txn_level fore_txn_anomaly_level(enum fore_txn_anomaly a)
{
    return anomalies[a].level;
}

static void note_oddity(struct fore_txn_index *x, enum fore_txn_anomaly a, uint32_t txn,
                        uint32_t op, uint32_t other, uint32_t other_op)
{
    if (!x->odd[a].count++)
        x->odd[a] = (struct fore_txn_oddity){1, txn, op, other, other_op};
}

/* A number for each value, so that a key and a value fit into one word. */
static uint32_t value_id(struct fore_txn_index *x, fore_val v, bool add)
{
    int64_t i;
    bool fresh;
    if (fore_val_kind(v) == FORE_VAL_INT && fore_val_to_int(&x->h->values, v, &i) &&
        i >= 0 && i < INT32_MAX)
        return (uint32_t)i;
    if (!add && !fore_map_get(&x->value_ids, v.w))
        return UINT32_MAX;
    uint64_t *id = fore_map_put(&x->value_ids, v.w, &fresh);
    if (fresh)
        *id = (uint64_t)INT32_MAX + x->value_ids.n;
    return (uint32_t)*id;
}

/* The first write of the value, index + 1, or 0. */
static uint32_t writes_of(struct fore_txn_index *x, uint32_t key, fore_val v)
{
    const uint64_t *at =
        fore_map_get(&x->written, (uint64_t)key << 32 | value_id(x, v, false));
    return at ? (uint32_t)*at : 0;
}

static enum fore_status add_write(struct fore_txn_index *x, uint32_t txn, uint32_t op,
                                  struct fore_err *e)
{
    const struct fore_txns *h = x->h;
    const struct fore_txn_op *o = &h->ops.at[op];
    bool fresh;
    uint64_t *at = fore_map_put(
        &x->written, (uint64_t)o->key << 32 | value_id(x, o->value, true), &fresh);
    if (!fresh && o->act == FORE_ACT_APPEND) {
        struct fore_strbuf b = FORE_STRBUF_INIT;
        fore_txn_op_text(h, o, &b);
        fore_fail_at(
            e, FORE_MEANING, h->name, h->list.at[txn].line, 1,
            "%s: this element was appended to the key before, in line %u; lists "
            "tell who wrote what only if every element of a key is appended once",
            b.at, h->list.at[x->writes.at[*at - 1].txn].line);
        fore_strbuf_release(&b);
        return FORE_MEANING;
    }
    fore_vec_push(
        &x->writes,
        (struct fore_txn_write){
            .txn = txn, .op = op, .key = o->key, .next = (uint32_t)*at, .final = true});
    *at = x->writes.n;
    return FORE_OK;
}

/* What the transaction that is being looked at did to a key so far. */
struct key_so_far {
    uint32_t txn;                                 /* + 1; another one's: nothing */
    uint32_t last_write, last_append, first_read; /* operations + 1 */
    uint32_t appends, length;
};

static struct key_so_far *so_far(struct key_so_far *keys, uint32_t key, uint32_t txn)
{
    if (keys[key].txn != txn + 1)
        keys[key] = (struct key_so_far){.txn = txn + 1};
    return &keys[key];
}

static enum fore_status collect_writes(struct fore_txn_index *x, struct key_so_far *keys,
                                       struct fore_budget *budget, struct fore_err *e)
{
    const struct fore_txns *h = x->h;
    x->writes_at = fore_calloc(h->list.n + 2, sizeof *x->writes_at);
    for (uint32_t t = 0; t < h->list.n && !fore_budget_spent(budget); t++) {
        for (uint32_t i = 0; i < h->list.at[t].n; i++) {
            uint32_t op = h->list.at[t].first + i;
            if (h->ops.at[op].act == FORE_ACT_READ)
                continue;
            struct key_so_far *k = so_far(keys, h->ops.at[op].key, t);
            FORE_TRY(add_write(x, t, op, e));
            if (k->last_write)
                x->writes.at[k->last_write - 1].final = false;
            k->last_write = (uint32_t)x->writes.n;
        }
        x->writes_at[t + 1] = (uint32_t)x->writes.n;
    }
    return FORE_OK;
}

/* Lists. */

/* Is the element the next of what its transaction appended to the key, behind `previous`
 * (an operation, or UINT32_MAX for the first)? */
static bool is_next_append(const struct fore_txns *h, const struct fore_txn_write *w,
                           uint32_t previous)
{
    uint32_t first = h->list.at[w->txn].first, key = h->ops.at[w->op].key;
    for (uint32_t op = w->op; op-- > first;)
        if (h->ops.at[op].act == FORE_ACT_APPEND && h->ops.at[op].key == key)
            return op == previous;
    return previous == UINT32_MAX;
}

struct chain_maker {
    uint32_t aborted;    /* the first element of an aborted transaction, its index + 1 */
    uint32_t aborted_op; /* who appended it */
    uint32_t aborted_by;
};

static void add_element(struct fore_txn_index *x, uint32_t key, uint32_t i,
                        uint32_t *last_op, struct chain_maker *m)
{
    const struct fore_txns *h = x->h;
    struct fore_txn_versions *v = &x->versions[key];
    uint32_t reader = h->keys.at[key].longest_by;
    uint32_t at = writes_of(x, key, h->keys.at[key].longest.at[i]);
    if (!at) {
        if (x->has_silent)
            x->excused++;
        else
            note_oddity(x, FORE_ANOMALY_GARBAGE, reader, UINT32_MAX, FORE_NO_TXN, key);
        return;
    }
    const struct fore_txn_write *w = &x->writes.at[at - 1];
    if (h->list.at[w->txn].fate == FORE_TXN_ABORTED) {
        if (!m->aborted)
            *m = (struct chain_maker){i + 1, w->op, w->txn};
        return;
    }
    if (m->aborted)
        note_oddity(x, FORE_ANOMALY_DIRTY_UPDATE, w->txn, w->op, m->aborted_by,
                    m->aborted_op);
    uint32_t previous = last_op[w->txn] ? last_op[w->txn] - 1 : UINT32_MAX;
    if (previous == w->op)
        note_oddity(x, FORE_ANOMALY_DUPLICATE, reader, UINT32_MAX, w->txn, w->op);
    else if (!is_next_append(h, w, previous))
        note_oddity(x, FORE_ANOMALY_INCOMPATIBLE, reader, UINT32_MAX, w->txn, w->op);
    last_op[w->txn] = w->op + 1;
    if (!v->chain.n || fore_vec_last(&v->chain) != w->txn)
        fore_vec_push(&v->chain, w->txn);
    x->counts[w->txn] = 1;
}

/* Duplicates that are not neighbours. */
static void find_duplicates(struct fore_txn_index *x, uint32_t key)
{
    const struct fore_txn_key *k = &x->h->keys.at[key];
    struct fore_map seen = {0};
    for (size_t i = 0; i < k->longest.n; i++) {
        bool fresh;
        fore_map_put(&seen, k->longest.at[i].w, &fresh);
        uint32_t at = fresh ? 0 : writes_of(x, key, k->longest.at[i]);
        if (at)
            note_oddity(x, FORE_ANOMALY_DUPLICATE, k->longest_by, UINT32_MAX,
                        x->writes.at[at - 1].txn, x->writes.at[at - 1].op);
    }
    fore_map_release(&seen);
}

/* Elements that are in no list come behind all that are. If the list goes on behind some of a
 * transaction's elements and lacks others, that transaction is in the chain twice. */
static void add_unseen_rest(struct fore_txn_index *x, uint32_t key,
                            const uint32_t *last_op)
{
    struct fore_txn_versions *v = &x->versions[key];
    size_t n = v->chain.n;
    for (size_t i = 0; i + 1 < n; i++) {
        uint32_t t = v->chain.at[i];
        if (t == v->chain.at[n - 1])
            continue;
        for (uint32_t w = x->writes_at[t]; w < x->writes_at[t + 1]; w++)
            if (x->writes.at[w].op + 1 == last_op[t] && !x->writes.at[w].final) {
                fore_vec_push(&v->chain, t);
                return; /* one is enough to show it */
            }
    }
}

static void make_chain(struct fore_txn_index *x, uint32_t key, uint32_t *last_op,
                       struct chain_maker *m)
{
    const struct fore_txn_key *k = &x->h->keys.at[key];
    struct fore_txn_versions *v = &x->versions[key];
    uint64_t odd = x->odd[FORE_ANOMALY_INCOMPATIBLE].count;
    *m = (struct chain_maker){0};
    for (uint32_t i = 0; i < k->longest.n; i++) {
        add_element(x, key, i, last_op, m);
        fore_vec_push(&v->entry, (uint32_t)v->chain.n);
    }
    if (x->odd[FORE_ANOMALY_INCOMPATIBLE].count != odd)
        find_duplicates(x, key);
    add_unseen_rest(x, key, last_op);
    for (size_t i = 0; i < v->chain.n; i++)
        last_op[v->chain.at[i]] = 0;
}

/* Do the last elements of the list equal what the transaction appended? */
static bool ends_in_own(const struct fore_txn_index *x, const struct key_so_far *k,
                        const uint32_t *earlier, uint32_t key, uint32_t length)
{
    const struct fore_txns *h = x->h;
    const struct fore_txn_key *list = &h->keys.at[key];
    uint32_t at = length;
    for (uint32_t op = k->last_append; op;
         op = earlier[op - 1 - h->list.at[k->txn - 1].first]) {
        if (!at || !fore_val_is(list->longest.at[at - 1], h->ops.at[op - 1].value))
            return false;
        at--;
    }
    return true;
}

static void read_list(struct fore_txn_index *x, struct key_so_far *k,
                      const uint32_t *earlier, uint32_t txn, uint32_t op,
                      const struct chain_maker *m)
{
    const struct fore_txn_op *o = &x->h->ops.at[op];
    const struct fore_txn_versions *v = &x->versions[o->key];
    if (o->strays) {
        uint32_t by = x->h->keys.at[o->key].longest_by;
        note_oddity(x, FORE_ANOMALY_INCOMPATIBLE, txn, op, by, UINT32_MAX);
        return;
    }
    if (m->aborted && o->length >= m->aborted)
        note_oddity(x, FORE_ANOMALY_G1A, txn, op, m->aborted_by, m->aborted_op);
    if (!ends_in_own(x, k, earlier, o->key, o->length))
        note_oddity(x, FORE_ANOMALY_OWN_WRITE, txn, op, txn, k->last_append - 1);
    else if (k->first_read && o->length != k->length + k->appends)
        note_oddity(x, FORE_ANOMALY_INTERNAL, txn, op, txn, k->first_read - 1);
    if (k->appends)
        return;
    struct fore_txn_reading r = {.txn = txn, .op = op, .key = o->key};
    r.seen = o->length ? v->entry.at[o->length - 1] : 0;
    r.repeated = k->first_read;
    uint32_t at =
        o->length ? writes_of(x, o->key, x->h->keys.at[o->key].longest.at[o->length - 1])
                  : 0;
    if (at && !x->writes.at[at - 1].final && x->writes.at[at - 1].txn != txn &&
        x->h->list.at[x->writes.at[at - 1].txn].fate != FORE_TXN_ABORTED)
        note_oddity(x, FORE_ANOMALY_G1B, txn, op, x->writes.at[at - 1].txn,
                    x->writes.at[at - 1].op);
    if (!k->first_read) {
        k->first_read = op + 1;
        k->length = o->length;
    }
    fore_vec_push(&x->readings, r);
}

/* Registers. */

/* Why nobody can have written it, in the order of what is most telling. */
static void note_bad_read(struct fore_txn_index *x, uint32_t txn, uint32_t op)
{
    const struct fore_txn_op *o = &x->h->ops.at[op];
    const struct fore_txn_write *replaced = NULL, *aborted = NULL;
    for (uint32_t w = writes_of(x, o->key, o->value); w; w = x->writes.at[w - 1].next) {
        const struct fore_txn_write *write = &x->writes.at[w - 1];
        if (x->h->list.at[write->txn].fate == FORE_TXN_ABORTED)
            aborted = write;
        else if (write->txn != txn)
            replaced = write;
    }
    if (replaced)
        note_oddity(x, FORE_ANOMALY_G1B, txn, op, replaced->txn, replaced->op);
    else if (aborted)
        note_oddity(x, FORE_ANOMALY_G1A, txn, op, aborted->txn, aborted->op);
    else if (x->has_silent)
        x->excused++;
    else
        note_oddity(x, FORE_ANOMALY_GARBAGE, txn, op, FORE_NO_TXN, UINT32_MAX);
}

bool fore_txn_may_read(const struct fore_txn_index *x, uint32_t write, uint32_t reader)
{
    const struct fore_txn_write *w = &x->writes.at[write];
    return w->final && w->txn != reader && x->h->list.at[w->txn].fate != FORE_TXN_ABORTED;
}

static void read_register(struct fore_txn_index *x, struct key_so_far *k, uint32_t txn,
                          uint32_t op)
{
    const struct fore_txns *h = x->h;
    const struct fore_txn_op *o = &h->ops.at[op];
    struct fore_txn_reading r = {.txn = txn, .op = op, .key = o->key};
    if (k->last_write) {
        if (!fore_val_is(o->value, h->ops.at[k->last_write - 1].value))
            note_oddity(x, FORE_ANOMALY_OWN_WRITE, txn, op, txn, k->last_write - 1);
        return;
    }
    if (k->first_read) {
        if (fore_val_is(o->value, h->ops.at[k->first_read - 1].value))
            return;
        note_oddity(x, FORE_ANOMALY_INTERNAL, txn, op, txn, k->first_read - 1);
        r.repeated = true;
    } else {
        k->first_read = op + 1;
    }
    size_t possible = r.initial = fore_val_is(o->value, h->init);
    for (uint32_t w = writes_of(x, o->key, o->value); w; w = x->writes.at[w - 1].next) {
        if (!fore_txn_may_read(x, w - 1, txn))
            continue;
        r.write = r.write ? r.write : w;
        possible++;
        x->counts[x->writes.at[w - 1].txn] = 1;
    }
    r.unclear = possible > 1;
    x->any_open = x->any_open || r.unclear;
    if (possible)
        fore_vec_push(&x->readings, r);
    else
        note_bad_read(x, txn, op);
}

static void read_all_keys(struct fore_txn_index *x, struct key_so_far *keys,
                          const struct chain_maker *chains, struct fore_budget *budget)
{
    const struct fore_txns *h = x->h;
    FORE_VEC(uint32_t) earlier = {0}; /* appends to the same key, by operation */
    for (uint32_t t = 0; t < h->list.n && !fore_budget_spent(budget); t++) {
        if (h->list.at[t].fate != FORE_TXN_COMMITTED)
            continue;
        x->counts[t] = 1;
        fore_vec_clear(&earlier);
        fore_vec_ensure(&earlier, h->list.at[t].n);
        for (uint32_t i = 0; i < h->list.at[t].n; i++) {
            uint32_t op = h->list.at[t].first + i, key = h->ops.at[op].key;
            struct key_so_far *k = so_far(keys, key, t);
            if (h->ops.at[op].act == FORE_ACT_APPEND) {
                earlier.at[i] = k->last_append;
                k->last_append = op + 1;
                k->appends++;
            } else if (h->ops.at[op].act == FORE_ACT_WRITE) {
                k->last_write = op + 1;
            } else if (h->keys.at[key].kind == FORE_KEY_LIST) {
                read_list(x, k, earlier.at, t, op, &chains[key]);
            } else {
                read_register(x, k, t, op);
            }
        }
    }
    fore_vec_release(&earlier);
}

/* Writers whose place nobody recorded, sorted by when they ended. */

static uint32_t likely_time(const struct fore_txn *t)
{
    return t->end == FORE_NEVER ? t->begin : t->end;
}

static void place_in_chain(struct fore_txn_index *x, uint32_t key, uint32_t i,
                           uint32_t *stamp)
{
    uint32_t t = x->versions[key].chain.at[i];
    if (stamp[t] == key + 1) {
        x->versions[key].tangled = true;
        return;
    }
    stamp[t] = key + 1;
    for (uint32_t w = x->writes_at[t]; w < x->writes_at[t + 1]; w++)
        if (x->writes.at[w].key == key)
            x->writes.at[w].entry = i + 1;
}

static void collect_others(struct fore_txn_index *x, uint32_t *stamp)
{
    const struct fore_txns *h = x->h;
    FORE_VEC(uint64_t) order = {0};
    for (uint32_t w = 0; w < x->writes.n; w++) {
        uint32_t t = x->writes.at[w].txn;
        if (x->writes.at[w].final && x->counts[t])
            fore_vec_push(&order, (uint64_t)likely_time(&h->list.at[t]) << 32 | w);
    }
    fore_sort_u64(order.at, order.n);
    for (size_t i = 0; i < order.n; i++) {
        const struct fore_txn_write *w = &x->writes.at[(uint32_t)order.at[i]];
        fore_vec_push(&x->versions[w->key].others, w->txn);
    }
    fore_vec_release(&order);
    for (uint32_t k = 0; k < h->keys.n; k++) {
        struct fore_txn_versions *v = &x->versions[k];
        size_t kept = 0;
        for (size_t i = 0; i < v->chain.n; i++)
            place_in_chain(x, k, (uint32_t)i, stamp);
        for (size_t i = 0; i < v->others.n; i++)
            if (stamp[v->others.at[i]] != k + 1)
                v->others.at[kept++] = v->others.at[i];
        v->others.n = kept;
        x->any_open = x->any_open || kept > 1;
    }
}

static void sort_readings(struct fore_txn_index *x)
{
    size_t keys = x->h->keys.n;
    struct fore_txn_reading *sorted = fore_calloc(x->readings.n + 1, sizeof *sorted);
    x->readings_at = fore_calloc(keys + 2, sizeof *x->readings_at);
    for (size_t i = 0; i < x->readings.n; i++)
        x->readings_at[x->readings.at[i].key + 1]++;
    for (size_t k = 0; k < keys; k++)
        x->readings_at[k + 1] += x->readings_at[k];
    uint32_t *next = fore_calloc(keys + 1, sizeof *next);
    for (size_t i = 0; i < x->readings.n; i++) {
        uint32_t key = x->readings.at[i].key;
        sorted[x->readings_at[key] + next[key]++] = x->readings.at[i];
    }
    fore_free(next);
    fore_free(x->readings.at);
    x->readings.at = sorted;
    x->readings.cap = x->readings.n + 1;
}

static void group_readings(struct fore_txn_index *x)
{
    size_t n = x->h->list.n;
    x->readings_of = fore_calloc(x->readings.n + 1, sizeof *x->readings_of);
    x->readings_of_at = fore_calloc(n + 2, sizeof *x->readings_of_at);
    for (size_t i = 0; i < x->readings.n; i++)
        x->readings_of_at[x->readings.at[i].txn + 2]++;
    for (size_t t = 0; t < n; t++)
        x->readings_of_at[t + 2] += x->readings_of_at[t + 1];
    for (uint32_t i = 0; i < x->readings.n; i++)
        x->readings_of[x->readings_of_at[x->readings.at[i].txn + 1]++] = i;
}

/* Two that read the same version of the key and replaced it, whatever their order. */
static void find_lost_updates(struct fore_txn_index *x, uint32_t key, uint32_t *stamp)
{
    const struct fore_txn_versions *v = &x->versions[key];
    struct fore_map first = {0}; /* version -> reading + 1 */
    for (size_t i = 0; i < v->chain.n + v->others.n; i++) {
        uint32_t w = i < v->chain.n ? v->chain.at[i] : v->others.at[i - v->chain.n];
        stamp[w] = key + 1;
    }
    for (uint32_t i = x->readings_at[key]; i < x->readings_at[key + 1]; i++) {
        const struct fore_txn_reading *r = &x->readings.at[i];
        if (r->repeated || r->unclear || stamp[r->txn] != key + 1)
            continue;
        uint64_t version = r->write ? (uint64_t)r->write << 32 : r->seen;
        uint64_t *other = fore_map_put(&first, version, NULL);
        if (*other)
            note_oddity(x, FORE_ANOMALY_LOST_UPDATE, r->txn, r->op,
                        x->readings.at[*other - 1].txn, x->readings.at[*other - 1].op);
        else
            *other = (uint64_t)i + 1;
    }
    fore_map_release(&first);
}

static enum fore_status make_index(struct fore_txn_index *x, struct key_so_far *keys,
                                   struct chain_maker *chains, uint32_t *stamp,
                                   struct fore_budget *budget, struct fore_err *e)
{
    const struct fore_txns *h = x->h;
    FORE_TRY(collect_writes(x, keys, budget, e));
    for (uint32_t t = 0; t < h->list.n; t++)
        x->has_silent = x->has_silent ||
                        (h->list.at[t].fate == FORE_TXN_UNKNOWN && !h->list.at[t].told);
    for (uint32_t k = 0; k < h->keys.n && !fore_budget_spent(budget); k++)
        make_chain(x, k, stamp, &chains[k]);
    memset(keys, 0, h->keys.n * sizeof *keys);
    read_all_keys(x, keys, chains, budget);
    if (fore_budget_spent(budget))
        return FORE_OK;
    sort_readings(x);
    group_readings(x);
    collect_others(x, stamp);
    memset(stamp, 0, h->list.n * sizeof *stamp);
    for (uint32_t k = 0; k < h->keys.n && !fore_budget_spent(budget); k++)
        find_lost_updates(x, k, stamp);
    return FORE_OK;
}

enum fore_status fore_txn_index_make(struct fore_txn_index *x, const struct fore_txns *h,
                                     struct fore_budget *budget, struct fore_err *e)
{
    *x = (struct fore_txn_index){.h = h};
    x->counts = fore_calloc(h->list.n + 1, sizeof *x->counts);
    x->versions = fore_calloc(h->keys.n + 1, sizeof *x->versions);
    struct key_so_far *keys = fore_calloc(h->keys.n + 1, sizeof *keys);
    struct chain_maker *chains = fore_calloc(h->keys.n + 1, sizeof *chains);
    uint32_t *stamp = fore_calloc(h->list.n + 1, sizeof *stamp);
    enum fore_status st = make_index(x, keys, chains, stamp, budget, e);
    fore_free(keys);
    fore_free(chains);
    fore_free(stamp);
    if (st != FORE_OK)
        fore_txn_index_release(x);
    return st;
}

void fore_txn_index_release(struct fore_txn_index *x)
{
    for (size_t k = 0; x->versions && k < x->h->keys.n; k++) {
        fore_vec_release(&x->versions[k].chain);
        fore_vec_release(&x->versions[k].others);
        fore_vec_release(&x->versions[k].entry);
    }
    fore_free(x->versions);
    fore_free(x->counts);
    fore_free(x->readings_at);
    fore_free(x->readings_of);
    fore_free(x->readings_of_at);
    fore_free(x->writes_at);
    fore_vec_release(&x->writes);
    fore_vec_release(&x->readings);
    fore_map_release(&x->written);
    fore_map_release(&x->value_ids);
    *x = (struct fore_txn_index){0};
}
