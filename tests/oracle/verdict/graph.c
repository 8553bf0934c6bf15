/* Every state of a program, and questions about them. */
#include "oracle/verdict/world.h"

#include "base/hash.h"

#include <string.h>

void graph_init(struct graph *g)
{
    *g = (struct graph){0};
}

void graph_release(struct graph *g)
{
    fore_vec_release(&g->nodes);
    fore_vec_release(&g->edges);
    fore_vec_release(&g->order);
    fore_free(g->slots);
}

/* ---- what is seen in one state ------------------------------------------------------------- */

static const struct insn *next_of(const struct graph *g, const struct state *s,
                                  unsigned t)
{
    static const struct insn none = {.op = OP_END};
    return s->started[t] ? &g->p->code[t][s->pc[t]] : &none;
}

static void note_pair(struct graph *g, const struct state *s, unsigned t, unsigned u)
{
    const struct insn *x = next_of(g, s, t), *y = next_of(g, s, u);
    unsigned a = op_id(t, s->pc[t]), b = op_id(u, s->pc[u]);
    if (s->started[t] && s->started[u])
        g->together[a][b] = true;
    bool one = x->op == OP_WRITE && (y->op == OP_WRITE || y->op == OP_READ);
    if (one && x->a == y->a)
        g->races[a][b] = g->races[b][a] = g->racy = true;
    if (x->op == OP_WGWAIT && y->op == OP_WGADD && x->a == y->a && !s->count[x->a])
        g->early[a][b] = true;
}

static unsigned channel_of(const struct graph *g, const struct insn *x, unsigned which)
{
    return x->op == OP_SELECT ? g->p->selects[x->a].chan[which] : x->a;
}

static void note_move(struct graph *g, const struct state *s, struct move m)
{
    const struct insn *x = next_of(g, s, m.thread);
    unsigned op = op_id(m.thread, s->pc[m.thread]);
    unsigned chan = channel_of(g, x, m.which);
    if (m.fault == FAULT_SEND)
        g->sends[op][s->closed[chan] - 1] = true;
    if (m.fault == FAULT_CLOSE)
        g->closes[op][s->closed[chan] - 1] = true;
    if (m.partner < THREADS)
        g->meets[op][op_id(m.partner, s->pc[m.partner])] = true;
}

static void note_state(struct graph *g, const struct state *s, const struct move *moves,
                       unsigned n)
{
    if (s->exited || s->dead)
        return;
    for (unsigned t = 0; t < g->p->threads; t++)
        for (unsigned u = 0; u < g->p->threads; u++)
            if (t != u)
                note_pair(g, s, t, u);
    for (unsigned i = 0; i < n; i++)
        note_move(g, s, moves[i]);
}

/* ---- all states ---------------------------------------------------------------------------- */

/* The slot of the state, which may be empty. */
static uint32_t *slot_of(const struct graph *g, const struct state *s)
{
    size_t i = fore_hash(s, sizeof *s) & (g->size - 1);
    while (g->slots[i] && memcmp(&g->nodes.at[g->slots[i] - 1].s, s, sizeof *s) != 0)
        i = (i + 1) & (g->size - 1);
    return &g->slots[i];
}

static uint32_t explore(struct graph *g, const struct state *s)
{
    struct move moves[MOVES];
    uint32_t to[MOVES];
    uint32_t *slot = slot_of(g, s);
    if (*slot)
        return *slot - 1;
    if (g->nodes.n == g->most) {
        g->cut = true;
        return 0;
    }
    uint32_t me = (uint32_t)g->nodes.n;
    fore_vec_push(&g->nodes, (struct node){.s = *s});
    *slot = me + 1;
    unsigned n = world_moves(g->p, s, moves);
    note_state(g, s, moves, n);
    for (unsigned i = 0; i < n && !g->cut; i++) {
        struct state next = *s;
        world_apply(g->p, &next, moves[i]);
        to[i] = explore(g, &next);
    }
    if (g->cut)
        return 0;
    g->nodes.at[me].edges = (uint32_t)g->edges.n;
    g->nodes.at[me].count = n;
    for (unsigned i = 0; i < n; i++)
        fore_vec_push(&g->edges, to[i]);
    fore_vec_push(&g->order, me);
    return me;
}

static void clear_slots(struct graph *g, size_t most)
{
    size_t size = 64;
    while (size < 2 * most)
        size *= 2;
    if (size != g->size) {
        fore_free(g->slots);
        g->slots = fore_calloc(size, sizeof *g->slots);
    } else {
        memset(g->slots, 0, size * sizeof *g->slots);
    }
    g->size = size;
}

bool graph_build(struct graph *g, const struct program *p, size_t most)
{
    struct state s;
    clear_slots(g, most);
    fore_vec_clear(&g->nodes);
    fore_vec_clear(&g->edges);
    fore_vec_clear(&g->order);
    memset(g->sends, 0, sizeof g->sends);
    memset(g->closes, 0, sizeof g->closes);
    memset(g->early, 0, sizeof g->early);
    memset(g->races, 0, sizeof g->races);
    memset(g->meets, 0, sizeof g->meets);
    memset(g->together, 0, sizeof g->together);
    g->p = p;
    g->most = most;
    g->cut = g->racy = false;
    world_start(p, &s);
    explore(g, &s);
    return !g->cut;
}

size_t graph_finals(const struct graph *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->nodes.n; i++)
        n += !g->nodes.at[i].count;
    return n;
}

static bool are_there(const struct state *s, const struct waits *w)
{
    for (unsigned t = 0; t < THREADS; t++)
        if (w->in[t] && (!s->started[t] || s->pc[t] != w->pc[t]))
            return false;
    return true;
}

bool graph_stuck(const struct graph *g, const struct waits *w)
{
    uint8_t *stay = fore_calloc(g->nodes.n, 1);
    bool found = false;
    for (size_t i = 0; i < g->order.n && !found; i++) {
        const struct node *x = &g->nodes.at[g->order.at[i]];
        bool stays = are_there(&x->s, w);
        for (uint32_t k = 0; k < x->count && stays; k++)
            stays = stay[g->edges.at[x->edges + k]];
        stay[g->order.at[i]] = stays;
        found = stays && !x->s.exited && !x->s.dead;
    }
    fore_free(stay);
    return found;
}

bool graph_meets(const struct graph *g, const struct waits *w)
{
    unsigned at[2], n = 0;
    for (unsigned t = 0; t < THREADS && n < 2; t++)
        if (w->in[t])
            at[n++] = op_id(t, w->pc[t]);
    return n == 2 && g->together[at[0]][at[1]];
}

/* ---- deadlocks on recorded paths ----------------------------------------------------------- */

struct walk {
    const struct program *p;
    const struct paths *paths;
    struct graph seen;
    struct deadlocks *out;
};

static bool follows(const struct walk *w, const struct state *from,
                    const struct state *to)
{
    for (unsigned t = 0; t < w->p->threads; t++) {
        if (to->started[t] && !from->started[t] && to->pc[t] != w->paths->first[t])
            return false;
        if (from->started[t] && to->pc[t] != from->pc[t] &&
            to->pc[t] != w->paths->next[t][from->pc[t]])
            return false;
    }
    return true;
}

static void note_deadlock(struct walk *w, const struct state *s)
{
    struct waits x = {{false}, {0}};
    bool any = false;
    if (s->exited || s->dead)
        return;
    for (unsigned t = 0; t < w->p->threads; t++) {
        uint8_t op = w->p->code[t][s->pc[t]].op;
        if (!s->started[t] || op == OP_END)
            continue;
        if (op == OP_IN || op == OP_OUT || op == OP_FIRE)
            return;
        x.in[t] = any = true;
        x.pc[t] = s->pc[t];
    }
    for (size_t i = 0; i < w->out->list.n; i++)
        any &= memcmp(&w->out->list.at[i], &x, sizeof x) != 0;
    if (any)
        fore_vec_push(&w->out->list, x);
}

static void walk_paths(struct walk *w, const struct state *s)
{
    struct move moves[MOVES];
    uint32_t *slot = slot_of(&w->seen, s);
    if (*slot || w->seen.nodes.n == w->seen.most)
        return;
    fore_vec_push(&w->seen.nodes, (struct node){.s = *s});
    *slot = (uint32_t)w->seen.nodes.n;
    unsigned n = world_moves(w->p, s, moves);
    if (!n)
        note_deadlock(w, s);
    for (unsigned i = 0; i < n; i++) {
        struct state next = *s;
        world_apply(w->p, &next, moves[i]);
        if (!next.dead && follows(w, s, &next))
            walk_paths(w, &next);
    }
}

void find_deadlocks(const struct program *p, const struct paths *paths,
                    struct deadlocks *out)
{
    struct walk w = {.p = p, .paths = paths, .out = out};
    struct state s;
    w.seen.most = 1 << 15;
    clear_slots(&w.seen, w.seen.most);
    fore_vec_clear(&out->list);
    world_start(p, &s);
    walk_paths(&w, &s);
    graph_release(&w.seen);
}
