/* Random small systems that can go round in circles, with a property each. The graph of states is
 * built once more by plain enumeration, and the fair runs without the goal are found by another
 * algorithm (Emerson and Lei's fixpoint). Then:
 *   - the checker reports a lasso exactly if there is such a run,
 *   - every lasso, followed step by step, comes back to where its circle began, never meets the
 *     goal behind the moment that calls for it, and keeps to fairness.
 *     liveness [SYSTEMS [FIRST]], or liveness lassos SYSTEM HARNESS: those of one system */
#include "named_system.h"
#include "random_system.h"

#include "base/arena.h"
#include "base/map.h"
#include "explore/liveness.h"
#include "explore/print.h"
#include "explore/walk.h"

#include <stdlib.h>

enum { NODES = 3000, EDGES = 30000 };

struct link {
    uint32_t from, to;
    uint64_t content; /* 0: a fault */
};

static struct {
    struct fore_map known;
    struct link links[EDGES];
    bool when[NODES], goal[NODES], in[NODES], near[NODES], over[NODES];
    size_t nodes, edges;
    bool too_many;
} graph;

static void fail_at(uint64_t seed, const char *what)
{
    fprintf(stderr, "seed %d: %s\n", (int)seed, what);
    exit(1);
}

static uint32_t node_here(struct fore_explorer *s, bool *fresh)
{
    uint32_t judge = s->histories.nodes.at[fore_explorer_node(s)].state;
    const struct fore_promise *p = &s->world.harness->properties.at[0];
    uint64_t *at = fore_map_put(&graph.known, fore_print_of(s, judge).at, fresh);
    if (*fresh) {
        *at = graph.nodes++;
        graph.too_many |= graph.nodes >= NODES;
        graph.goal[*at] = fore_condition_holds(&s->world, &p->goal);
        graph.when[*at] = !p->leads_to || fore_condition_holds(&s->world, &p->when);
        graph.over[*at] = !s->world.pending;
    }
    return (uint32_t)*at;
}

static void build(struct fore_explorer *s, uint32_t here)
{
    for (uint32_t m = fore_actors_first(&s->world); m; m = fore_actors_next(&s->world, m))
        for (enum fore_how how = FORE_DELIVER; how < FORE_HOWS && !graph.too_many;
             how = fore_explorer_next_how(s, m, how)) {
            uint64_t content = how == FORE_DELIVER ? s->world.msgs.at[m].content : 0;
            bool fresh = false;
            fore_explorer_step(s, m, how);
            bool dead = fore_histories_dead(&s->histories, fore_explorer_node(s));
            uint32_t to = dead || s->world.trouble ? UINT32_MAX : node_here(s, &fresh);
            graph.links[graph.edges++] = (struct link){here, to, content};
            graph.too_many |= graph.edges >= EDGES || fore_explorer_depth(s) > 400;
            if (fresh)
                build(s, to);
            fore_explorer_undo(s);
        }
}

static bool possible(uint32_t node, uint64_t content)
{
    for (size_t i = 0; i < graph.edges; i++)
        if (graph.links[i].from == node && graph.links[i].content == content)
            return true;
    return false;
}

static bool inside(uint32_t node)
{
    return node != UINT32_MAX && graph.in[node];
}

/* Keeps those nodes of `in` from which, within it, one comes by at least one step to where the
 * message is received or cannot be. True if all are kept. */
static bool keep_fair(uint64_t content)
{
    bool changed = true, same = true;
    memset(graph.near, 0, sizeof graph.near);
    while (changed) {
        changed = false;
        for (size_t i = 0; i < graph.edges; i++) {
            const struct link *e = &graph.links[i];
            if (!inside(e->from) || !inside(e->to) || graph.near[e->from])
                continue;
            if (e->content == content || graph.near[e->to] || !possible(e->to, content))
                changed = graph.near[e->from] = true;
        }
    }
    for (size_t i = 0; i < graph.nodes; i++)
        if (graph.in[i] && !graph.near[i] && !graph.over[i]) {
            graph.in[i] = false;
            same = false;
        }
    return same;
}

/* Marks the nodes from which a fair run never meets the goal. What is `over` counts as going round in place. */
static void find_broken(void)
{
    for (size_t i = 0; i < graph.nodes; i++)
        graph.in[i] = !graph.goal[i];
    for (bool same = false; !same;) {
        same = true;
        for (size_t i = 0; i < graph.edges; i++)
            if (graph.links[i].content)
                same &= keep_fair(graph.links[i].content);
    }
    /* Nodes that lead to over ones within those without the goal. */
    for (size_t i = 0; i < graph.nodes; i++)
        graph.in[i] |= graph.over[i] && !graph.goal[i];
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < graph.edges; i++) {
            const struct link *e = &graph.links[i];
            if (inside(e->to) && !graph.goal[e->from] && !graph.in[e->from])
                changed = graph.in[e->from] = true;
        }
    }
}

static bool expected(bool leads_to)
{
    find_broken();
    for (size_t i = 0; i < (leads_to ? graph.nodes : 1); i++)
        if (graph.in[i] && graph.when[i])
            return true;
    return false;
}

/* Whether a message that can be received now can be so at every moment of the circle, and is
 * not. */
static bool is_starved(struct fore_explorer *s, const struct fore_lasso *x,
                       uint64_t content)
{
    bool starved = true;
    for (size_t n = x->circle; n < x->schedule.n && starved; n++) {
        fore_explorer_follow(s, x->schedule.at, n);
        bool here = false;
        for (uint32_t m = fore_actors_first(&s->world); m;
             m = fore_actors_next(&s->world, m))
            here |= s->world.msgs.at[m].content == content;
        uint32_t next = fore_actors_find(&s->world, x->schedule.at[n].id);
        starved = here && !(s->world.msgs.at[next].content == content &&
                            x->schedule.at[n].how == FORE_DELIVER);
    }
    return starved;
}

static void check_lasso(struct fore_explorer *s, const struct fore_lasso *x,
                        uint64_t seed)
{
    const struct fore_promise *p = &s->world.harness->properties.at[x->property];
    bool called = false, lacks = false;
    for (size_t n = 0; n <= x->schedule.n; n++) {
        if (!fore_explorer_follow(s, x->schedule.at, n))
            fail_at(seed, "a lasso does not fit");
        bool goal = fore_condition_holds(&s->world, &p->goal);
        bool when = !p->leads_to ? n == 0 : fore_condition_holds(&s->world, &p->when);
        called = (called || when) && !goal;
        lacks = called;
        if (n >= x->circle && !lacks)
            fail_at(seed, "the goal is met on a circle");
    }
    if (x->circle == x->schedule.n) {
        if (s->world.pending)
            fail_at(seed, "a run that is over is not");
        return;
    }
    uint64_t end = fore_actors_hash(&s->world);
    fore_explorer_follow(s, x->schedule.at, x->circle);
    if (fore_actors_hash(&s->world) != end)
        fail_at(seed, "a circle does not come back");
    FORE_VEC(uint64_t) here = {0};
    for (uint32_t m = fore_actors_first(&s->world); m; m = fore_actors_next(&s->world, m))
        fore_vec_push(&here, s->world.msgs.at[m].content);
    for (size_t i = 0; i < here.n; i++)
        if (is_starved(s, x, here.at[i]))
            fail_at(seed, "a message waits for ever");
    fore_vec_release(&here);
}

static void draw_property(struct fore_rng *r, char *out, size_t size)
{
    static const char *const conditions[] = {
        "pending(D)", "not pending(D)", "pending(E)",    "not pending(E)",
        "pending(C)", "not pending(C)", "not pending(B)"};
    const char *a = conditions[fore_rng_below(r, 7)],
               *b = conditions[fore_rng_below(r, 7)];
    if (fore_rng_below(r, 2))
        snprintf(out, size, "[properties]\np: eventually %s\n", a);
    else
        snprintf(out, size, "[properties]\np: %s leads-to %s\n", a, b);
}

static bool check_one(uint64_t seed, unsigned *broken)
{
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_err e = {0};
    struct fore_rng r;
    char text[2048];
    struct fore_system system;
    struct fore_harness harness;
    fore_rng_seed(&r, seed);
    draw_rules(&r, true);
    draw_harness(&r, text, sizeof text);
    draw_property(&r, text + strlen(text), sizeof text - strlen(text));
    struct fore_explore_options o = {.scheduler = &fore_scheduler_stateful};
    if (!fore_rng_below(&r, 3))
        o.faults.drop = 1;
    struct fore_explorer s;
    if (fore_system_init(&system, &a, &definition, &e) ||
        fore_harness_parse(&harness, &a, &system, "random", text, strlen(text), &e) ||
        fore_explorer_init(&s, &system, &harness, &o, &e))
        fail_at(seed, e.msg);
    graph.nodes = graph.edges = 0;
    graph.too_many = false;
    fore_map_clear(&graph.known);
    bool fresh;
    build(&s, node_here(&s, &fresh));
    bool small = !graph.too_many && graph.nodes <= 200;
    if (small) {
        bool want = expected(harness.properties.at[0].leads_to);
        if (!fore_liveness_check(&s))
            fail_at(seed, "the check did not end");
        if (want != (s.lassos.n > 0))
            fail_at(seed, want ? "a violation was missed" : "a violation was made up");
        if (s.lassos.n)
            check_lasso(&s, &s.lassos.at[0], seed);
        *broken += want;
    }
    fore_explorer_release(&s);
    fore_harness_release(&harness);
    fore_arena_release(&a);
    return small;
}

/* Follows every lasso of a system step by step. */
static int check_lassos(const char *system_name, const char *harness_name)
{
    struct named n;
    struct fore_explore_options o = {.scheduler = &fore_scheduler_stateful};
    if (!open_named(&n, system_name, harness_name, &o))
        return 1;
    struct fore_explorer *s = &n.s;
    if (!fore_liveness_check(s))
        fail_at(0, "the check did not end");
    for (size_t i = 0; i < s->lassos.n; i++) {
        const struct fore_lasso *x = &s->lassos.at[i];
        check_lasso(s, x, 0);
        printf("%s: %zu steps, then %zu for ever\n",
               n.harness.properties.at[x->property].name, x->circle,
               x->schedule.n - x->circle);
    }
    close_named(&n);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "lassos"))
        return check_lassos(argv[2], argv[3]);
    uint64_t systems = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, checked = 0;
    unsigned broken = 0;
    for (uint64_t seed = first; seed < first + systems; seed++)
        checked += check_one(seed, &broken);
    fore_map_release(&graph.known);
    printf("%d of %d systems checked, %u of them break their property\n", (int)checked,
           (int)systems, broken);
    return checked * 2 < systems || (systems >= 1000 && broken * 10 < systems);
}
