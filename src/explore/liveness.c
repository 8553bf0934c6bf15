/* Checks:    `eventually G` and `W leads-to G` under weak fairness: a receive that is possible
 *            from some moment on for ever is taken some time. Losing a message needs no fairness.
 * Sound:     yes: the witness is a lasso, a way there and a circle that keeps to fairness, or a
 *            way to a state in which nothing happens any more.
 * Complete:  yes, if all states fit into memory.
 * Cost:      linear in states and steps, which are kept: about 40 bytes per state and 12 per step.
 *
 * A violation is a run that from some state on never meets G. Its end lies in one strongly
 * connected component of the graph of states without G; and there is a fair run in a component
 * exactly if every receive that is possible in all of its states is taken between two of them.
 * (If one is not, no part of the component is any better.) So one search for components, after
 * Tarjan, replaces the nested search that other notions of acceptance need. */
#include "explore/liveness.h"

#include "base/bitset.h"
#include "base/map.h"
#include "explore/print.h"

#include <string.h>

#define OUT UINT32_MAX  /* the target of a step to a violation of another kind */
#define NONE UINT32_MAX /* no edge, no component */

struct state_edge {
    uint32_t to, action, next; /* next: of the same state */
};

struct state_node {
    uint32_t first;      /* edge */
    uint16_t when, goal; /* by property, as bits */
};

/* What a step does: its message's content and how it comes. */
struct action {
    uint64_t content;
    enum fore_how how;
};

struct graph {
    struct fore_explorer *s;
    FORE_VEC(struct state_node) nodes;
    FORE_VEC(struct state_edge) edges;
    FORE_VEC(struct action) actions;
    struct fore_map known, named; /* fingerprint -> node, action -> number */
};

_Static_assert(FORE_PROMISES_MAX <= 16, "a node has 16 bits for them");

static uint32_t add_node(struct graph *g)
{
    const struct fore_harness *h = g->s->world.harness;
    struct state_node n = {.first = NONE};
    for (size_t i = 0; i < h->properties.n; i++) {
        const struct fore_promise *p = &h->properties.at[i];
        bool goal = fore_condition_holds(&g->s->world, &p->goal);
        bool when = !p->leads_to || fore_condition_holds(&g->s->world, &p->when);
        n.goal = (uint16_t)(n.goal | goal << i);
        n.when = (uint16_t)(n.when | when << i);
    }
    fore_vec_push(&g->nodes, n);
    return (uint32_t)g->nodes.n - 1;
}

static uint32_t action_of(struct graph *g, uint32_t msg, enum fore_how how)
{
    bool fresh;
    struct action a = {g->s->world.msgs.at[msg].content, how};
    uint64_t *number =
        fore_map_put(&g->named, a.content * FORE_HOWS + (uint64_t)how, &fresh);
    if (fresh) {
        *number = g->actions.n;
        fore_vec_push(&g->actions, a);
    }
    return (uint32_t)*number;
}

static void add_edge(struct graph *g, uint32_t from, uint32_t to, uint32_t action)
{
    fore_vec_push(&g->edges, (struct state_edge){to, action, g->nodes.at[from].first});
    g->nodes.at[from].first = (uint32_t)g->edges.n - 1;
}

struct liveness_frame {
    uint32_t node, judge, msg;
    enum fore_how how;
};

/* The node that the last step led to, or OUT. */
static uint32_t arrive_at_node(struct graph *g, uint32_t *judge, bool *fresh)
{
    struct fore_explorer *s = g->s;
    *fresh = false;
    if (s->world.trouble)
        return OUT;
    *judge = fore_judge_follow(&s->histories.judge, *judge, &s->world);
    if (*judge == FORE_JUDGE_BROKEN)
        return OUT;
    uint64_t *at = fore_map_put(&g->known, fore_print_of(s, *judge).at, fresh);
    if (*fresh)
        *at = add_node(g);
    return (uint32_t)*at;
}

/* Depth first over all states. False if a budget ended it. */
static bool build_graph(struct graph *g)
{
    struct fore_explorer *s = g->s;
    FORE_VEC(struct liveness_frame) path = {0};
    uint32_t judge = s->histories.nodes.at[s->history.at[0]].state;
    *fore_map_put(&g->known, fore_print_of(s, judge).at, NULL) = add_node(g);
    fore_vec_push(&path,
                  (struct liveness_frame){0, judge, fore_actors_first(&s->world), 0});
    while (path.n && !s->stop) {
        struct liveness_frame *f = &fore_vec_last(&path);
        if (!f->msg) {
            path.n--;
            if (path.n)
                fore_actors_undo(&s->world);
            continue;
        }
        uint32_t msg = f->msg, after = f->judge, from = f->node;
        enum fore_how how = f->how;
        uint32_t action = action_of(g, msg, how);
        f->how = fore_explorer_next_how(s, msg, how);
        if (f->how == FORE_HOWS) {
            f->how = FORE_DELIVER;
            f->msg = fore_actors_next(&s->world, msg);
        }
        bool fresh;
        fore_explorer_bare_step(s, msg, how);
        uint32_t to = arrive_at_node(g, &after, &fresh);
        add_edge(g, from, to, action);
        if (fresh)
            fore_vec_push(&path,
                          (struct liveness_frame){to, after, fore_actors_first(&s->world),
                                                  FORE_DELIVER});
        else
            fore_actors_undo(&s->world);
    }
    while (s->world.steps.n)
        fore_actors_undo(&s->world);
    fore_vec_release(&path);
    return !s->stop;
}

/* One property. */
struct component_search {
    const struct graph *g;
    unsigned bit;
    bool leads_to;
    FORE_VEC(uint32_t) index, low, component; /* by node; index 0: not met */
    FORE_VEC(uint32_t) stack;
    FORE_VEC(uint64_t) on_stack;
    uint32_t met, components;
    FORE_VEC(uint64_t)
    bad; /* nodes from which a fair run never meets the goal, as bits */
    FORE_VEC(uint32_t)
    possible, taken; /* by action: in how many states; last component */
};

static bool lacks_goal(const struct component_search *c, uint32_t node)
{
    return node != OUT && !(c->g->nodes.at[node].goal >> c->bit & 1);
}

/* Whether a fair run can stay among the last `n` nodes of the stack. */
static bool stays_fair(struct component_search *c, const uint32_t *nodes, size_t n)
{
    const struct graph *g = c->g;
    bool inner = false, fair = true;
    for (size_t i = 0; i < n; i++)
        for (uint32_t e = g->nodes.at[nodes[i]].first; e != NONE;
             e = g->edges.at[e].next) {
            const struct state_edge *x = &g->edges.at[e];
            bool inside = lacks_goal(c, x->to) &&
                          c->component.at[x->to] == c->component.at[nodes[i]];
            inner |= inside;
            c->possible.at[x->action]++;
            if (inside)
                c->taken.at[x->action] = c->component.at[nodes[i]];
        }
    for (size_t i = 0; i < n; i++)
        for (uint32_t e = g->nodes.at[nodes[i]].first; e != NONE;
             e = g->edges.at[e].next) {
            uint32_t a = g->edges.at[e].action;
            if (g->actions.at[a].how == FORE_DELIVER && c->possible.at[a] >= n &&
                c->taken.at[a] != c->component.at[nodes[i]])
                fair = false;
        }
    for (size_t i = 0; i < n; i++)
        for (uint32_t e = g->nodes.at[nodes[i]].first; e != NONE; e = g->edges.at[e].next)
            c->possible.at[g->edges.at[e].action] = 0;
    return inner && fair;
}

/* Is the run over, because nothing can happen any more, without having met the goal? */
static bool is_over(const struct component_search *c, uint32_t node)
{
    return c->g->nodes.at[node].first == NONE;
}

static void close_component(struct component_search *c, uint32_t root)
{
    size_t from = c->stack.n;
    c->components++;
    do {
        from--;
        c->component.at[c->stack.at[from]] = c->components;
        c->on_stack.at[c->stack.at[from] / 64] &=
            ~((uint64_t)1 << c->stack.at[from] % 64);
    } while (c->stack.at[from] != root);
    bool bad = is_over(c, root) || stays_fair(c, c->stack.at + from, c->stack.n - from);
    for (size_t i = from; bad && i < c->stack.n; i++)
        fore_bit_add(c->bad.at, c->stack.at[i]);
    c->stack.n = from;
}

static void push_node(struct component_search *c, uint32_t node)
{
    c->index.at[node] = c->low.at[node] = ++c->met;
    fore_vec_push(&c->stack, node);
    fore_bit_add(c->on_stack.at, node);
}

struct visit {
    uint32_t node, edge;
};

/* Tarjan's search from one node, among those without the goal. */
static void search_from(struct component_search *c, uint32_t start)
{
    FORE_VEC(struct visit) path = {0};
    push_node(c, start);
    fore_vec_push(&path, (struct visit){start, c->g->nodes.at[start].first});
    while (path.n) {
        struct visit *v = &fore_vec_last(&path);
        uint32_t node = v->node;
        if (v->edge == NONE) {
            if (c->low.at[node] == c->index.at[node])
                close_component(c, node);
            path.n--;
            if (path.n && c->low.at[node] < c->low.at[fore_vec_last(&path).node])
                c->low.at[fore_vec_last(&path).node] = c->low.at[node];
            continue;
        }
        const struct state_edge *e = &c->g->edges.at[v->edge];
        v->edge = e->next;
        if (!lacks_goal(c, e->to))
            continue;
        if (!c->index.at[e->to]) {
            push_node(c, e->to);
            fore_vec_push(&path, (struct visit){e->to, c->g->nodes.at[e->to].first});
        } else if (fore_bit_has(c->on_stack.at, e->to) &&
                   c->index.at[e->to] < c->low.at[node]) {
            c->low.at[node] = c->index.at[e->to];
        }
    }
    fore_vec_release(&path);
}

/* A walk in the graph, as edges. */
struct steps {
    FORE_VEC(uint32_t) edges;
};

/* Breadth first from `from`; goes on through edges that `passes` allows until `ends` says so of a
 * node or of the edge to it. The walk is appended. Nodes are doubled for `leads-to`: the second
 * copies are behind the moment from which the goal is missing. */
struct hunt {
    struct component_search *c;
    bool inside;   /* keep to the component of the start, else look for a bad node */
    uint32_t home; /* inside: what to look for, a node, if it is not OUT */
    const uint64_t *wanted; /* else an action to be taken, or to be impossible, as bits */
    uint32_t reached;
};

static bool possible_at(const struct graph *g, uint32_t node, uint32_t action)
{
    for (uint32_t e = g->nodes.at[node].first; e != NONE; e = g->edges.at[e].next)
        if (g->edges.at[e].action == action)
            return true;
    return false;
}

/* Whether some action that is wanted is not possible there. */
static bool relieves_wanted(const struct hunt *h, uint32_t node)
{
    const struct graph *g = h->c->g;
    for (uint32_t a = 0; a < g->actions.n; a++)
        if (fore_bit_has(h->wanted, a) && !possible_at(g, node, a))
            return true;
    return false;
}

static bool ends_there(const struct hunt *h, uint32_t copy, const struct state_edge *by)
{
    uint32_t n = (uint32_t)h->c->g->nodes.n, node = copy % n;
    if (!h->inside)
        return copy >= n && fore_bit_has(h->c->bad.at, node);
    if (h->home != OUT)
        return by && node == h->home;
    return by && (fore_bit_has(h->wanted, by->action) || relieves_wanted(h, node));
}

/* The copies that a step may lead to, as bits: first, second. */
static unsigned copies_of(const struct hunt *h, uint32_t copy, uint32_t to)
{
    const struct component_search *c = h->c;
    uint32_t n = (uint32_t)c->g->nodes.n;
    if (to == OUT)
        return 0;
    if (h->inside)
        return lacks_goal(c, to) && c->component.at[to] == c->component.at[copy % n];
    bool lacks = lacks_goal(c, to);
    if (copy >= n)
        return lacks ? 2 : 0;
    bool begins = c->leads_to && lacks && (c->g->nodes.at[to].when >> c->bit & 1);
    return begins ? 3 : 1;
}

struct trail {
    uint32_t copy, by, edge; /* edge NONE: a start */
};

/* Appends the shortest walk from `from`; h->reached is where it ends. */
static bool hunt_from(struct hunt *h, uint32_t from, struct steps *out)
{
    const struct graph *g = h->c->g;
    uint32_t n = (uint32_t)g->nodes.n;
    FORE_VEC(struct trail) queue = {0};
    FORE_VEC(uint64_t) seen = {0};
    fore_vec_ensure(&seen, FORE_BITSET_WORDS(2 * (size_t)n));
    fore_vec_push(&queue, (struct trail){from, NONE, NONE});
    bool start_lacks =
        lacks_goal(h->c, from % n) && (g->nodes.at[from % n].when >> h->c->bit & 1);
    if (!h->inside && start_lacks)
        fore_vec_push(&queue, (struct trail){from + n, NONE, NONE});
    uint32_t found = NONE;
    for (uint32_t i = 0; i < queue.n && found == NONE; i++) {
        struct trail t = queue.at[i];
        if (ends_there(h, t.copy, t.edge == NONE ? NULL : &g->edges.at[t.edge])) {
            found = i;
            break;
        }
        for (uint32_t e = g->nodes.at[t.copy % n].first; e != NONE;
             e = g->edges.at[e].next) {
            unsigned copies = copies_of(h, t.copy, g->edges.at[e].to);
            for (unsigned k = 0; k < 2; k++) {
                uint32_t to = g->edges.at[e].to + k * n;
                bool goal = copies >> k & 1 && ends_there(h, to, &g->edges.at[e]);
                if (!(copies >> k & 1) || (fore_bit_has(seen.at, to) && !goal))
                    continue;
                fore_bit_add(seen.at, to);
                fore_vec_push(&queue, (struct trail){to, i, e});
            }
        }
    }
    size_t at = out->edges.n;
    if (found != NONE)
        h->reached = queue.at[found].copy % n;
    for (uint32_t i = found; i != NONE && queue.at[i].edge != NONE; i = queue.at[i].by)
        fore_vec_push(&out->edges, queue.at[i].edge);
    for (size_t a = at, b = out->edges.n; a + 1 < b; a++, b--) {
        uint32_t t = out->edges.at[a];
        out->edges.at[a] = out->edges.at[b - 1];
        out->edges.at[b - 1] = t;
    }
    fore_vec_release(&queue);
    fore_vec_release(&seen);
    return found != NONE;
}

/* Strikes out what the node makes impossible and what the edges take. */
static void strike_actions(const struct component_search *c, uint64_t *wanted,
                           uint32_t node, const struct steps *walk, size_t from)
{
    for (uint32_t a = 0; a < c->g->actions.n; a++)
        if (fore_bit_has(wanted, a) && !possible_at(c->g, node, a))
            wanted[a / 64] &= ~((uint64_t)1 << a % 64);
    for (size_t i = from; i < walk->edges.n; i++) {
        uint32_t a = c->g->edges.at[walk->edges.at[i]].action;
        wanted[a / 64] &= ~((uint64_t)1 << a % 64);
    }
}

/* A circle from `home` on which every receive is taken or impossible somewhere. */
static void add_circle(struct component_search *c, uint32_t home, struct steps *walk)
{
    const struct graph *g = c->g;
    FORE_VEC(uint64_t) wanted = {0};
    size_t words = FORE_BITSET_WORDS(g->actions.n + 1);
    fore_vec_ensure(&wanted, words);
    for (uint32_t e = g->nodes.at[home].first; e != NONE; e = g->edges.at[e].next)
        if (g->actions.at[g->edges.at[e].action].how == FORE_DELIVER)
            fore_bit_add(wanted.at, g->edges.at[e].action);
    struct hunt h = {
        .c = c, .inside = true, .home = OUT, .wanted = wanted.at, .reached = home};
    while (fore_bits_count(wanted.at, words)) {
        size_t from = walk->edges.n;
        FORE_BUG_IF(!hunt_from(&h, h.reached, walk));
        for (size_t i = from; i < walk->edges.n; i++)
            strike_actions(c, wanted.at, g->edges.at[walk->edges.at[i]].to, walk, i);
    }
    h.home = home;
    if (h.reached != home)
        FORE_BUG_IF(!hunt_from(&h, h.reached, walk));
    fore_vec_release(&wanted);
}

/* Executes the walk, which gives its steps the names that are good in every run. */
static void keep_lasso(struct fore_explorer *s, const struct graph *g, uint32_t property,
                       const struct steps *walk, size_t circle)
{
    struct fore_lasso x = {.property = property, .circle = circle};
    for (size_t i = 0; i < walk->edges.n; i++) {
        const struct action *a = &g->actions.at[g->edges.at[walk->edges.at[i]].action];
        uint32_t m = fore_actors_first(&s->world);
        while (s->world.msgs.at[m].content != a->content)
            m = fore_actors_next(&s->world, m);
        fore_vec_push(&x.schedule,
                      (struct fore_schedule_choice){s->world.msgs.at[m].id, a->how});
        fore_explorer_step(s, m, a->how);
    }
    while (fore_explorer_depth(s))
        fore_explorer_undo(s);
    fore_vec_push(&s->lassos, x);
}

static void check_property(struct graph *g, uint32_t property)
{
    struct component_search c = {.g = g, .bit = property};
    size_t n = g->nodes.n;
    c.leads_to = g->s->world.harness->properties.at[property].leads_to;
    fore_vec_ensure(&c.index, n);
    fore_vec_ensure(&c.low, n);
    fore_vec_ensure(&c.component, n);
    fore_vec_ensure(&c.on_stack, FORE_BITSET_WORDS(n));
    fore_vec_ensure(&c.bad, FORE_BITSET_WORDS(n));
    fore_vec_ensure(&c.possible, g->actions.n);
    fore_vec_ensure(&c.taken, g->actions.n);
    for (uint32_t i = 0; i < (c.leads_to ? n : 1); i++)
        if (lacks_goal(&c, i) && (g->nodes.at[i].when >> property & 1) && !c.index.at[i])
            search_from(&c, i);
    struct steps walk = {0};
    struct hunt h = {.c = &c, .home = OUT};
    if (hunt_from(&h, 0, &walk)) {
        size_t circle = walk.edges.n;
        if (!is_over(&c, h.reached))
            add_circle(&c, h.reached, &walk);
        keep_lasso(g->s, g, property, &walk, circle);
    }
    fore_vec_release(&walk.edges);
    fore_vec_release(&c.index);
    fore_vec_release(&c.low);
    fore_vec_release(&c.component);
    fore_vec_release(&c.stack);
    fore_vec_release(&c.on_stack);
    fore_vec_release(&c.bad);
    fore_vec_release(&c.possible);
    fore_vec_release(&c.taken);
}

bool fore_liveness_check(struct fore_explorer *s)
{
    struct graph g = {.s = s};
    bool whole = build_graph(&g);
    for (uint32_t i = 0; whole && i < s->world.harness->properties.n; i++)
        check_property(&g, i);
    fore_vec_release(&g.nodes);
    fore_vec_release(&g.edges);
    fore_vec_release(&g.actions);
    fore_map_release(&g.known);
    fore_map_release(&g.named);
    return whole;
}
