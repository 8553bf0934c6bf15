#include "analysis/channel/graph.h"

#include "base/bitset.h"
#include "trace/format.h"

enum { MOST_NODES = 16384, MOST_DRAWN = 400 };

static bool has_node(const struct fore_program *p, uint32_t op)
{
    return fore_insn_offers(p, op) || fore_insn_kind(p, op) == FORE_EV_CLOSE;
}

static uint32_t add_node(struct fore_dependencies *d, uint32_t op)
{
    const struct fore_program *p = d->c->p;
    uint32_t chan = fore_insn_event(p, op)->object;
    if (fore_insn_kind(p, op) == FORE_EV_CLOSE && chan) {
        uint32_t first = d->c->closes[d->c->chans[chan].close];
        if (d->node[first] != FORE_NO_OP)
            return d->node[op] = d->node[first];
    }
    fore_vec_push(&d->ops, op);
    return d->node[op] = (uint32_t)d->ops.n - 1;
}

static void add_edge(struct fore_dependencies *d, uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    fore_vec_push(&d->edges, from);
    fore_vec_push(&d->edges, to);
}

/* Adds nodes in the order of the replay, so that edges lead forward; operations that never ended
 * come last. */
static void add_nodes(struct fore_dependencies *d)
{
    const struct fore_program *p = d->c->p;
    for (uint32_t i = 0; i < d->c->steps; i++) {
        uint32_t op = d->c->order[i], link = p->ops[op].link;
        if (!has_node(p, op))
            continue;
        add_node(d, op);
        if (link != FORE_NO_OP && d->c->when[link] == i)
            add_node(d, link);
    }
    for (uint32_t op = 0; op < p->op_count; op++)
        if (!fore_insn_ended(p, op) && has_node(p, op))
            add_node(d, op);
}

void fore_dependencies_build(struct fore_dependencies *d, const struct fore_comm *c)
{
    const struct fore_program *p = c->p;
    *d = (struct fore_dependencies){.c = c};
    d->node = fore_alloc(((size_t)p->op_count + 1) * sizeof *d->node);
    memset(d->node, 0xff, ((size_t)p->op_count + 1) * sizeof *d->node);
    add_nodes(d);
    for (uint32_t t = 1; t <= p->threads; t++) {
        uint32_t last = FORE_NO_OP;
        for (uint32_t op = p->first[t]; op < p->first[t + 1]; op++) {
            if (d->node[op] == FORE_NO_OP)
                continue;
            if (last != FORE_NO_OP)
                add_edge(d, d->node[last], d->node[op]);
            last = op;
        }
    }
    for (uint32_t op = 0; op < p->op_count; op++) {
        const struct fore_event *e = fore_insn_event(p, op);
        if (e->kind != FORE_EV_RECV || d->node[op] == FORE_NO_OP)
            continue;
        if (!(e->flags & FORE_F_CLOSED) && p->ops[op].link != FORE_NO_OP)
            add_edge(d, d->node[p->ops[op].link], d->node[op]);
        else if (e->flags & FORE_F_CLOSED && c->chans[e->object].closes)
            add_edge(d, d->node[c->closes[c->chans[e->object].close]], d->node[op]);
    }
}

void fore_dependencies_release(struct fore_dependencies *d)
{
    fore_vec_release(&d->ops);
    fore_vec_release(&d->edges);
    fore_free(d->node);
}

/* ---- alternatives ----------------------------------------------------------------------------- */

/* Row n: the nodes from which n can be reached. All closes of a channel being one node, an edge
 * may lead backwards: repeat until nothing grows. */
static uint64_t *reachability(const struct fore_dependencies *d, size_t words)
{
    uint64_t *rows = fore_calloc(d->ops.n * words + 1, sizeof *rows);
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = 0; i < d->edges.n; i += 2) {
            uint64_t *to = rows + d->edges.at[i + 1] * words;
            grew |= !fore_bit_has(to, d->edges.at[i]);
            fore_bit_add(to, d->edges.at[i]);
            grew |= fore_bits_or(to, rows + d->edges.at[i] * words, words);
        }
    }
    return rows;
}

static void match(const struct fore_dependencies *d, const uint64_t *rows, size_t words,
                  uint32_t chan, struct fore_comm_sink *out)
{
    const struct fore_program *p = d->c->p;
    for (uint32_t a = 0; a < d->ops.n; a++) {
        uint32_t s = d->ops.at[a];
        if (!fore_insn_has_case(p, s, chan, FORE_CASE_SEND))
            continue;
        for (uint32_t b = 0; b < d->ops.n; b++) {
            uint32_t r = d->ops.at[b];
            if (a != b && fore_insn_has_case(p, r, chan, FORE_CASE_RECV) &&
                !fore_comm_was(p, chan, s, r) && !fore_bit_has(rows + a * words, b) &&
                !fore_bit_has(rows + b * words, a))
                out->pair(out,
                          (struct fore_comm_pair){FORE_COMM_ALTERNATIVE, chan, s, r});
        }
    }
}

bool fore_dependencies_pairs(const struct fore_dependencies *d,
                             struct fore_comm_sink *out)
{
    size_t words = FORE_BITSET_WORDS(d->ops.n);
    if (d->ops.n > MOST_NODES)
        return false;
    uint64_t *rows = reachability(d, words);
    for (uint32_t x = 1; x <= d->c->p->objects; x++)
        if (d->c->chans[x].threads[0] && d->c->chans[x].threads[1])
            match(d, rows, words, x, out);
    fore_free(rows);
    return true;
}

/* ---- the picture ------------------------------------------------------------------------------- */

static const char *node_label(const struct fore_dependencies *d, uint32_t op,
                              struct fore_findings *out)
{
    const struct fore_program *p = d->c->p;
    const struct fore_tables *t = &p->trace->tables;
    const struct fore_event *e = fore_insn_event(p, op);
    const char *name = fore_tables_name(t, e->object);
    struct fore_strbuf b = FORE_STRBUF_INIT;
    if (e->kind == FORE_EV_CLOSE)
        fore_strbuf_printf(&b, "close(%s)", name);
    else if (e->kind == FORE_EV_SELECT)
        fore_strbuf_puts(&b, "select");
    else if (e->kind == FORE_EV_PRE)
        fore_event_text(t, e, p->trace->cases.at, &b);
    else
        fore_strbuf_printf(&b, "%s%s", name, e->kind == FORE_EV_SEND ? "!" : "?");
    if (t->wheres.at[fore_comm_where(p, op)].file) {
        fore_strbuf_puts(&b, "|");
        fore_tables_place(t, fore_comm_where(p, op), &b);
    }
    const char *text = fore_arena_strndup(&out->arena, b.at, b.n);
    fore_strbuf_release(&b);
    return text;
}

void fore_dependencies_draw(const struct fore_dependencies *d, struct fore_findings *out)
{
    const struct fore_program *p = d->c->p;
    if (d->ops.n > MOST_DRAWN)
        return;
    uint32_t *level = fore_calloc(d->ops.n + 1, sizeof *level);
    for (size_t round = 0; round < d->ops.n; round++)
        for (size_t i = 0; i < d->edges.n; i += 2) {
            uint32_t from = level[d->edges.at[i]], *to = &level[d->edges.at[i + 1]];
            if (*to <= from && from < d->ops.n)
                *to = from + 1;
        }
    out->graph.title = "dependencies";
    for (uint32_t n = 0; n < d->ops.n; n++) {
        uint32_t op = d->ops.at[n];
        fore_graph_node(&out->graph, node_label(d, op, out), level[n],
                        fore_insn_thread(p, op),
                        fore_insn_ended(p, op) ? "observed" : "pruned");
    }
    for (size_t i = 0; i < d->edges.n; i += 2) {
        uint32_t from = d->edges.at[i], to = d->edges.at[i + 1];
        bool within =
            fore_insn_thread(p, d->ops.at[from]) == fore_insn_thread(p, d->ops.at[to]);
        fore_graph_edge(&out->graph, from, to, "", within ? "dashed" : "observed");
    }
    fore_free(level);
}
