#include "oracle/txn/random_txns.h"

/* A client runs its transaction step by step, against what is committed now, against what
 * was committed when it began (or, key by key, some time before), or against what anybody
 * wrote. */
enum sight { SEES_LATEST, SEES_SNAPSHOT, SEES_DIRTY };

struct client {
    int txn, next; /* -1: none yet */
    enum sight sight;
    struct small_list snapshot[MAX_KEYS], own[MAX_KEYS];
};

struct database {
    struct small_list committed[MAX_KEYS], dirty[MAX_KEYS];
    struct small_list past[MAX_TXNS + 1][MAX_KEYS]; /* after so many commits */
    int time, fresh, commits;
};

static void put(struct small_list *l, bool lists, int value)
{
    if (!lists)
        l->n = 0;
    if (l->n < MAX_LIST)
        l->at[l->n++] = value;
}

static void look(const struct small_history *h, const struct database *db,
                 const struct client *c, struct small_op *op)
{
    const struct small_list *from = c->sight == SEES_DIRTY      ? db->dirty
                                    : c->sight == SEES_SNAPSHOT ? c->snapshot
                                                                : db->committed;
    op->read = from[op->key];
    if (c->sight != SEES_DIRTY)
        for (int i = 0; i < c->own[op->key].n; i++)
            put(&op->read, h->lists, c->own[op->key].at[i]);
}

static void falsify(const struct small_history *h, struct small_op *op, int values,
                    struct fore_rng *rng)
{
    if (h->lists && op->read.n && fore_rng_below(rng, 2)) {
        op->read.n -= 1 + (int)fore_rng_below(rng, (uint64_t)op->read.n);
    } else if (h->lists && op->read.n > 1) {
        int last = op->read.at[op->read.n - 1];
        op->read.at[op->read.n - 1] = op->read.at[op->read.n - 2];
        op->read.at[op->read.n - 2] = last;
    } else if (!h->lists) {
        op->read.n = (int)fore_rng_below(rng, 4) > 0;
        op->read.at[0] = (int)fore_rng_below(rng, (uint64_t)values + 1);
    }
}

static void step(struct small_history *h, const struct small_shape *shape,
                 struct database *db, struct client *c, struct fore_rng *rng)
{
    struct small_txn *t = &h->txns[c->txn];
    struct small_op *op = &t->ops[c->next++];
    op->key = (int)fore_rng_below(rng, (uint64_t)shape->keys);
    op->act = fore_rng_below(rng, 2) ? SMALL_WRITE : SMALL_READ;
    if (shape->split) {
        op->act = t->n == 1 ? SMALL_WRITE : SMALL_READ;
        op->key = t->n > 1 ? c->next - 1 : c->txn < 2 ? c->txn : op->key;
    }
    if (op->act == SMALL_READ) {
        look(h, db, c, op);
        if (fore_rng_below(rng, 100) < shape->wrong)
            falsify(h, op, db->fresh, rng);
        return;
    }
    op->value = shape->repeats ? (int)fore_rng_below(rng, 2) : db->fresh++;
    put(&c->own[op->key], h->lists, op->value);
    put(&db->dirty[op->key], h->lists, op->value);
}

static void end(struct small_history *h, struct database *db, struct client *c,
                struct fore_rng *rng)
{
    struct small_txn *t = &h->txns[c->txn];
    uint64_t dice = fore_rng_below(rng, 16);
    t->fate = dice == 0 ? SMALL_ABORTED : dice == 1 ? SMALL_UNKNOWN : SMALL_COMMITTED;
    bool happens = t->fate == SMALL_COMMITTED ||
                   (t->fate == SMALL_UNKNOWN && fore_rng_below(rng, 2));
    for (int k = 0; happens && k < h->keys; k++)
        for (int i = 0; i < c->own[k].n; i++)
            put(&db->committed[k], h->lists, c->own[k].at[i]);
    if (happens) {
        db->commits++;
        for (int k = 0; k < h->keys; k++)
            db->past[db->commits][k] = db->committed[k];
    }
    t->end = ++db->time;
    c->txn = -1;
}

static void begin(struct small_history *h, const struct small_shape *shape,
                  struct database *db, struct client *c, struct fore_rng *rng)
{
    *c = (struct client){.txn = h->n++};
    uint64_t dice = fore_rng_below(rng, 16);
    c->sight = dice == 0 ? SEES_DIRTY : dice < 3 ? SEES_LATEST : SEES_SNAPSHOT;
    bool stale = shape->split || dice > 12;
    for (int k = 0; k < MAX_KEYS; k++) {
        int back = stale ? (int)fore_rng_below(rng, 3) : 0;
        int at = db->commits > back ? db->commits - back : 0;
        c->snapshot[k] = db->past[at][k];
    }
    struct small_txn *t = &h->txns[c->txn];
    t->n = 1 + (int)fore_rng_below(rng, (uint64_t)shape->ops);
    if (shape->split)
        t->n = c->txn < 2 || !fore_rng_below(rng, 4) ? 1 : shape->keys;
    t->begin = ++db->time;
}

void random_txns(struct small_history *h, const struct small_shape *shape,
                 struct fore_rng *rng)
{
    struct database db = {.fresh = 1};
    struct client clients[4];
    *h = (struct small_history){.lists = shape->lists, .keys = shape->keys};
    for (int i = 0; i < 4; i++)
        clients[i].txn = -1;
    for (int open = 0; h->n < shape->txns || open;) {
        struct client *c = &clients[fore_rng_below(rng, 4)];
        bool wait = shape->split && h->n >= 2 && !(h->txns[0].end && h->txns[1].end);
        if (c->txn < 0 && h->n < shape->txns && !wait)
            begin(h, shape, &db, c, rng);
        else if (c->txn >= 0 && c->next < h->txns[c->txn].n)
            step(h, shape, &db, c, rng);
        else if (c->txn >= 0)
            end(h, &db, c, rng);
        open = 0;
        for (int i = 0; i < 4; i++)
            open += clients[i].txn >= 0;
    }
}

/* Text. */

static void list_text(const struct small_history *h, const struct small_list *l,
                      struct fore_strbuf *out)
{
    if (!h->lists) {
        if (l->n)
            fore_strbuf_printf(out, "%d", l->at[0]);
        else
            fore_strbuf_puts(out, "null");
        return;
    }
    fore_strbuf_putc(out, '[');
    for (int i = 0; i < l->n; i++)
        fore_strbuf_printf(out, "%s%d", i ? "," : "", l->at[i]);
    fore_strbuf_putc(out, ']');
}

static void event_text(const struct small_history *h, int txn, const char *type,
                       struct fore_strbuf *out)
{
    const struct small_txn *t = &h->txns[txn];
    fore_strbuf_printf(out, "{\"process\":%d,\"type\":\"%s\",\"f\":\"txn\",\"value\":[",
                       txn, type);
    for (int i = 0; i < t->n; i++) {
        const struct small_op *op = &t->ops[i];
        fore_strbuf_puts(out, i ? "," : "");
        if (op->act == SMALL_WRITE) {
            fore_strbuf_printf(out, "[\"%s\",%d,%d]", h->lists ? "append" : "w", op->key,
                               op->value);
            continue;
        }
        fore_strbuf_printf(out, "[\"r\",%d,", op->key);
        if (*type == 'o')
            list_text(h, &op->read, out);
        else
            fore_strbuf_puts(out, "null");
        fore_strbuf_putc(out, ']');
    }
    fore_strbuf_puts(out, "]}\n");
}

void txns_text(const struct small_history *h, struct fore_strbuf *out)
{
    static const char *const types[] = {"ok", "fail", "info"};
    int last = 0;
    for (int i = 0; i < h->n; i++)
        last = h->txns[i].end > last ? h->txns[i].end : last;
    for (int now = 1; now <= last; now++)
        for (int i = 0; i < h->n; i++) {
            if (h->txns[i].begin == now)
                event_text(h, i, "invoke", out);
            if (h->txns[i].end == now)
                event_text(h, i, types[h->txns[i].fate], out);
        }
}
