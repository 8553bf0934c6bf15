/* A checked history of transactions as findings, a remark and statistics. */
#include "analysis/txn/txn.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_SHOWN = 12, MAX_TEXT = 160 };

const char *fore_isolation_verdict(const struct fore_isolation *i)
{
    static const char *const names[] = {"holds", "violated", "unknown"};
    return names[i->decision.answer];
}

int fore_isolation_badness(const struct fore_isolation *i)
{
    static const int of[] = {
        [FORE_TXN_HOLDS] = 0, [FORE_TXN_UNDECIDED] = 1, [FORE_TXN_VIOLATED] = 2};
    return of[i->decision.answer];
}

/* The finding that is being written. Transactions are T1, T2 ... in the order in which they
 * are first named. */
struct txn_writer {
    const struct fore_isolation *i;
    struct fore_findings *f;
    struct fore_finding *x;
    FORE_VEC(uint32_t) named;
};

static const char *keep_text(struct txn_writer *w, struct fore_strbuf *b)
{
    if (b->n > MAX_TEXT) { /* both ends tell more than the middle */
        struct fore_strbuf cut = FORE_STRBUF_INIT;
        fore_strbuf_add(&cut, b->at, MAX_TEXT / 2);
        fore_strbuf_puts(&cut, " ... ");
        fore_strbuf_puts(&cut, b->at + b->n - MAX_TEXT / 2);
        fore_strbuf_release(b);
        *b = cut;
    }
    const char *s = fore_arena_strndup(&w->f->arena, b->at, b->n);
    fore_strbuf_release(b);
    return s;
}

static const char *txn_name(struct txn_writer *w, uint32_t t)
{
    size_t k = 0;
    while (k < w->named.n && w->named.at[k] != t)
        k++;
    if (k == w->named.n)
        fore_vec_push(&w->named, t);
    return fore_findings_printf(w->f, "T%zu", k + 1);
}

static const char *txn_text(struct txn_writer *w, uint32_t t)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_txn_text(&w->i->h, t, &b);
    return keep_text(w, &b);
}

static const char *op_text(struct txn_writer *w, uint32_t op)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_txn_op_text(&w->i->h, &w->i->h.ops.at[op], &b);
    return keep_text(w, &b);
}

static const char *key_text(struct txn_writer *w, uint32_t key)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_val name = w->i->h.keys.at[key].name;
    struct fore_bytes bytes = fore_val_bytes(&w->i->h.values, name);
    if (bytes.n)
        fore_strbuf_add(&b, bytes.at, bytes.n);
    else
        fore_val_text(&w->i->h.values, name, &b);
    return keep_text(w, &b);
}

/* What `t` did to the key: its last write, or its first read. */
static const char *deed_text(struct txn_writer *w, uint32_t t, uint32_t key, bool read)
{
    const struct fore_txn *txn = &w->i->h.list.at[t];
    uint32_t found = UINT32_MAX;
    for (uint32_t k = 0; k < txn->n; k++) {
        const struct fore_txn_op *op = &w->i->h.ops.at[txn->first + k];
        bool fits = op->key == key && (op->act == FORE_ACT_READ) == read;
        if (fits && !(read && found != UINT32_MAX))
            found = txn->first + k;
    }
    return found == UINT32_MAX ? key_text(w, key) : op_text(w, found);
}

static const char *dep_words(struct txn_writer *w, const struct fore_dep *d)
{
    const char *a = txn_name(w, d->from), *b = txn_name(w, d->to);
    switch (d->kind) {
    case FORE_DEP_WW:
        return fore_findings_printf(w->f, "%s's %s came before %s's %s", a,
                                    deed_text(w, d->from, d->key, false), b,
                                    deed_text(w, d->to, d->key, false));
    case FORE_DEP_WR:
        return fore_findings_printf(w->f, "%s saw %s's %s: %s", b, a,
                                    deed_text(w, d->from, d->key, false),
                                    deed_text(w, d->to, d->key, true));
    case FORE_DEP_RW:
        return fore_findings_printf(w->f, "%s did not see %s's %s: %s", a, b,
                                    deed_text(w, d->to, d->key, false),
                                    deed_text(w, d->from, d->key, true));
    case FORE_DEP_TIME:
    case FORE_DEP_SELF:
        break;
    }
    return fore_findings_printf(w->f, "%s ended before %s began", a, b);
}

static const char *dep_label(struct txn_writer *w, const struct fore_dep *d)
{
    static const char *const kinds[] = {"ww", "wr", "rw", "real time", ""};
    return d->kind == FORE_DEP_TIME
               ? kinds[d->kind]
               : fore_findings_printf(w->f, "%s %s%s", kinds[d->kind],
                                      key_text(w, d->key),
                                      d->by_time ? ", real time" : "");
}

/* "T1 -> T2 (rw x) -> T1 (wr y)" */
static const char *cycle_text(struct txn_writer *w, const struct fore_dep_cycle *c)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    for (size_t k = 0; k < c->deps.n; k++) {
        if (!k)
            fore_strbuf_puts(&b, txn_name(w, c->deps.at[k].from));
        if (k == MAX_SHOWN) {
            fore_strbuf_printf(&b, " -> ... %zu more", c->deps.n - k);
            break;
        }
        fore_strbuf_printf(&b, " -> %s (%s)", txn_name(w, c->deps.at[k].to),
                           dep_label(w, &c->deps.at[k]));
    }
    return keep_text(w, &b);
}

static void add_place(struct txn_writer *w, uint32_t t, const char *kind)
{
    const struct fore_isolation *i = w->i;
    const struct fore_txn *txn = &i->h.list.at[t];
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_val process = i->h.processes.at[txn->process];
    if (fore_val_kind(process) == FORE_VAL_INT)
        fore_strbuf_putc(&b, 'c');
    fore_val_text(&i->h.values, process, &b);
    const char *thread = keep_text(w, &b);
    fore_vec_push(&w->x->places,
                  (struct fore_place){.role = txn_name(w, t),
                                      .thread = thread,
                                      .name = "",
                                      .path = thread,
                                      .event = txn_text(w, t),
                                      .location = fore_findings_printf(
                                          w->f, "%s:%u", i->h.name, txn->line),
                                      .function = kind,
                                      .source = "",
                                      .index = txn->begin,
                                      .committed = FORE_YES});
}

/* Transactions and what leads from one to the next, in a ring: down the left side and up the
 * right one. */
static void draw_cycle(struct txn_writer *w, const struct fore_dep_cycle *c)
{
    struct fore_graph *g = &w->x->graph;
    uint32_t n = (uint32_t)(c->deps.n < MAX_SHOWN ? c->deps.n : MAX_SHOWN);
    g->title = w->x->message;
    for (uint32_t k = 0; k < 2 * n; k++) {
        const struct fore_dep *d = &c->deps.at[k / 2];
        const char *label =
            k % 2 ? dep_label(w, d)
                  : fore_findings_printf(w->f, "%s: %s", txn_name(w, d->from),
                                         txn_text(w, d->from));
        fore_graph_node(g, label, k < n ? k : 2 * n - 1 - k, k >= n,
                        k % 2 ? "pruned" : "");
    }
    for (uint32_t k = 0; k < 2 * n; k++)
        fore_graph_edge(g, k, (k + 1) % (2 * n), "", "");
}

static void add_cycle(struct txn_writer *w, const struct fore_txn_evidence *v)
{
    const struct fore_dep_cycle *c = &v->cycle;
    const char *name = fore_txn_anomaly_name(v->kind);
    size_t n = c->deps.n ? c->deps.n : v->txns.n;
    for (size_t k = 0; k < n && k < MAX_SHOWN; k++)
        add_place(w, c->deps.n ? c->deps.at[k].from : v->txns.at[k], name);
    for (size_t k = 0; k < v->lemmas.n; k++) {
        const struct fore_txn_lemma *l = &v->lemmas.at[k];
        fore_finding_fact(
            w->f, w->x, "inferred", "%s's writes come before %s's; otherwise %s",
            txn_name(w, l->before), txn_name(w, l->after), cycle_text(w, &l->otherwise));
    }
    if (!c->deps.n) {
        fore_finding_fact(
            w->f, w->x, "why",
            "every order of the writes of these %zu transactions was tried; "
            "none explains what they read",
            v->txns.n);
        return;
    }
    fore_finding_fact(w->f, w->x, "cycle", "%s", cycle_text(w, c));
    for (size_t k = 0; k < c->deps.n && k < MAX_SHOWN; k++)
        fore_finding_fact(w->f, w->x, k ? "" : "because", "%s",
                          dep_words(w, &c->deps.at[k]));
    draw_cycle(w, c);
    for (size_t k = 0; k < w->named.n && k < MAX_SHOWN; k++) {
        bool placed = false;
        for (size_t p = 0; p < c->deps.n && p < MAX_SHOWN; p++)
            placed = placed || c->deps.at[p].from == w->named.at[k];
        if (!placed)
            add_place(w, w->named.at[k], name);
    }
}

/* What is odd: `a` did `did`, `b` did `other`; empty if there is none. */
static const char *oddity_words(struct txn_writer *w, enum fore_txn_anomaly kind,
                                const char *a, const char *did, const char *b,
                                const char *other)
{
    struct fore_findings *f = w->f;
    switch (kind) {
    case FORE_ANOMALY_G1A:
        return fore_findings_printf(f, "%s's %s has %s's %s, which was aborted", a, did,
                                    b, other);
    case FORE_ANOMALY_G1B:
        return fore_findings_printf(
            f, "%s's %s has %s's %s, which was not the last that it wrote there", a, did,
            b, other);
    case FORE_ANOMALY_DIRTY_UPDATE:
        return fore_findings_printf(f, "%s's %s is behind %s's %s, which was aborted", a,
                                    did, b, other);
    case FORE_ANOMALY_OWN_WRITE:
    case FORE_ANOMALY_INTERNAL:
        return fore_findings_printf(f, "%s did %s, and before that %s", a, did, other);
    case FORE_ANOMALY_LOST_UPDATE:
        return fore_findings_printf(
            f, "%s did %s, %s did %s: the same version, and both replaced it", b, other,
            a, did);
    case FORE_ANOMALY_DUPLICATE:
        return fore_findings_printf(f, "%s read a list with the element of %s's %s twice",
                                    a, b, other);
    case FORE_ANOMALY_INCOMPATIBLE:
        return *did ? fore_findings_printf(
                          f,
                          "%s did %s, and %s read a list of the same key that does not "
                          "begin alike",
                          a, did, b)
                    : fore_findings_printf(f,
                                           "%s read a list that lacks what %s appended "
                                           "before its %s, or has it in another place",
                                           a, b, other);
    case FORE_ANOMALY_WRONG_TOTAL:
        return fore_findings_printf(
            f, "the accounts have %" PRId64 " together in most reads", w->i->bank.total);
    default:
        return fore_findings_printf(f, "%s did %s", a, did);
    }
}

/* What is odd about a transaction by itself, or about two. */
static void add_oddity(struct txn_writer *w, const struct fore_txn_evidence *v)
{
    const struct fore_txn_oddity *o = &v->odd;
    const char *name = fore_txn_anomaly_name(v->kind), *a = txn_name(w, o->txn);
    add_place(w, o->txn, name);
    if (v->kind == FORE_ANOMALY_GARBAGE && o->op == UINT32_MAX) {
        fore_finding_fact(w->f, w->x, "why",
                          "%s read a list of %s with an element that no transaction "
                          "appended",
                          a, key_text(w, o->other_op));
        return;
    }
    if (o->other != FORE_NO_TXN && o->other != o->txn)
        add_place(w, o->other, name);
    const char *did = o->op == UINT32_MAX ? "" : op_text(w, o->op);
    const char *b = o->other == FORE_NO_TXN ? "" : txn_name(w, o->other);
    const char *other = o->other_op == UINT32_MAX ? "" : op_text(w, o->other_op);
    fore_finding_fact(w->f, w->x, "why", "%s",
                      oddity_words(w, v->kind, a, did, b, other));
}

static void add_finding(const struct fore_isolation *i, const struct fore_txn_evidence *v,
                        struct fore_findings *f)
{
    struct txn_writer w = {.i = i, .f = f};
    w.x = fore_findings_add(f, "isolation-violation", FORE_VERDICT_OBSERVED);
    w.x->object = fore_arena_strdup(&f->arena, fore_txn_anomaly_name(v->kind));
    w.x->object_kind = FORE_OBJ_OBJECT;
    w.x->trace = fore_arena_strdup(&f->arena, i->h.name);
    w.x->message = fore_findings_printf(
        f, "not %s, %s: %s", fore_txn_levels[i->level].words,
        fore_txn_anomaly_name(v->kind), fore_txn_anomaly_words(v->kind));
    if (v->odd.count)
        add_oddity(&w, v);
    else
        add_cycle(&w, v);
    if (v->count > 1)
        fore_finding_fact(f, w.x, "also", "%" PRIu64 " more of this kind", v->count - 1);
    fore_vec_release(&w.named);
}

static const char *strongest_words(const struct fore_isolation *i)
{
    if (i->strongest_unknown)
        return "not known within the limits";
    return i->strongest >= 0 ? fore_txn_levels[i->strongest].words : "none";
}

void fore_isolation_report(const struct fore_isolation *i, struct fore_findings *f)
{
    enum fore_txn_answer answer = i->decision.answer;
    for (size_t k = 0; k < i->why.list.n; k++)
        add_finding(i, &i->why.list.at[k], f);
    const char *more = "";
    if (i->h.bank)
        more = fore_findings_printf(f, "; a bank: judged by the total %" PRId64,
                                    i->bank.total);
    else if (answer == FORE_TXN_VIOLATED)
        more = fore_findings_printf(f, "; the strongest level that holds: %s",
                                    strongest_words(i));
    else if (answer == FORE_TXN_UNDECIDED)
        more = fore_findings_printf(f, "; spent: %s", i->decision.bound);
    fore_findings_remark(
        f, "%s: %s%s (%zu transaction%s, %zu aborted, %zu unknown, %zu key%s%s)",
        i->h.name,
        answer == FORE_TXN_HOLDS      ? ""
        : answer == FORE_TXN_VIOLATED ? "not "
                                      : "unknown: ",
        fore_txn_levels[i->level].words, i->h.list.n, i->h.list.n == 1 ? "" : "s",
        i->h.aborted, i->h.unknown, i->h.keys.n, i->h.keys.n == 1 ? "" : "s", more);
    if (answer == FORE_TXN_UNDECIDED)
        fore_findings_incomplete(f, "%s: %s spent", i->h.name, i->decision.bound);
    if (i->x.excused)
        fore_findings_incomplete(
            f,
            "%s: %" PRIu64 " reads of values that nobody wrote; they "
            "may be of transactions that did not tell what they wrote",
            i->h.name, i->x.excused);
}

void fore_isolation_stats(const struct fore_isolation *i, struct fore_jsonw *w)
{
    fore_jsonw_text(w, "verdict", fore_isolation_verdict(i));
    fore_jsonw_text(w, "level", fore_txn_levels[i->level].name);
    if (i->decision.answer == FORE_TXN_VIOLATED)
        fore_jsonw_text(w, "strongest",
                        i->strongest >= 0 ? fore_txn_levels[i->strongest].name : NULL);
    fore_jsonw_text(w, "judged_by", i->h.bank ? "total" : "order");
    fore_jsonw_open(w, "anomalies", '[');
    for (size_t k = 0; k < i->why.list.n; k++)
        fore_jsonw_text(w, NULL, fore_txn_anomaly_name(i->why.list.at[k].kind));
    fore_jsonw_close(w, ']');
    fore_jsonw_u64(w, "transactions", i->h.list.n);
    fore_jsonw_u64(w, "aborted", i->h.aborted);
    fore_jsonw_u64(w, "unknown", i->h.unknown);
    fore_jsonw_u64(w, "operations", i->h.ops.n);
    fore_jsonw_u64(w, "keys", i->h.keys.n);
    fore_jsonw_u64(w, "rounds", i->decision.rounds);
    fore_jsonw_u64(w, "zones", i->decision.zones);
    fore_jsonw_u64(w, "conflicts", i->decision.conflicts);
    fore_jsonw_text(w, "bound", i->decision.bound);
    fore_jsonw_real(w, "parse", (double)i->parse_ns / 1e9);
    fore_jsonw_real(w, "search", (double)i->search_ns / 1e9);
}
