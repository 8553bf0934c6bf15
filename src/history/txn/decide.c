#include "history/txn/decide.h"

#include "base/sort.h"
#include "history/txn/cycle_free.h"
#include "history/txn/zone.h"

#define NO_GROUP UINT32_MAX
enum { MAX_SHOWN = 32, TRY_CONFLICTS = 1000, TRY_ROUNDS = 20 };

/* Transactions that were solved together. */
struct decided_group {
    FORE_VEC(uint32_t) members;
    bool
        given_up; /* it was too hard, or has no solution: only when something is tried out */
};

struct decider {
    struct fore_txn_guess *g;
    enum fore_txn_level level;
    struct fore_budget *budget;
    struct fore_txn_decision *d;
    uint32_t *group_of; /* by transaction */
    FORE_VEC(struct decided_group) groups;
    FORE_VEC(uint32_t) touched; /* groups to be solved in this round */
    uint64_t max_conflicts;     /* 0: any number; else this is only tried out */
};

static uint32_t txn_of(const struct decider *m, uint32_t node)
{
    uint32_t n = (uint32_t)m->g->x->h->list.n;
    if (m->level == FORE_TXN_SNAPSHOT)
        return node / 2;
    return node < n ? node : FORE_NO_TXN;
}

static bool add_to_group(struct decider *m, uint32_t group, uint32_t txn)
{
    uint32_t old = m->group_of[txn];
    if (old == group)
        return false;
    if (old == NO_GROUP) {
        m->group_of[txn] = group;
        fore_vec_push(&m->groups.at[group].members, txn);
        return true;
    }
    struct decided_group *from = &m->groups.at[old];
    m->groups.at[group].given_up |= from->given_up;
    for (size_t i = 0; i < from->members.n; i++) {
        m->group_of[from->members.at[i]] = group;
        fore_vec_push(&m->groups.at[group].members, from->members.at[i]);
    }
    fore_vec_release(&from->members);
    return true;
}

/* No transaction was added to these groups, and still the guess does not fit: their neighbours
 * belong to them. `stuck` by group. */
static void add_neighbours(struct decider *m, const struct fore_txn_graph *graph,
                           const bool *stuck)
{
    const struct fore_txn_index *x = m->g->x;
    size_t plain = graph->edges.n, all = plain + graph->closing.n;
    FORE_VEC(uint64_t) found = {0}; /* member << 32 | neighbour */
    for (size_t i = 0; i < all; i++) {
        uint64_t e = i < plain ? graph->edges.at[i] : graph->closing.at[i - plain];
        uint32_t a = txn_of(m, (uint32_t)(e >> 32)), b = txn_of(m, (uint32_t)e);
        if (a == FORE_NO_TXN || b == FORE_NO_TXN || m->group_of[a] == m->group_of[b])
            continue;
        if (m->group_of[a] != NO_GROUP && stuck[m->group_of[a]])
            fore_vec_push(&found, (uint64_t)a << 32 | b);
        if (m->group_of[b] != NO_GROUP && stuck[m->group_of[b]])
            fore_vec_push(&found, (uint64_t)b << 32 | a);
    }
    for (size_t g = 0; g < m->groups.n; g++)
        for (size_t i = 0; stuck[g] && i < m->groups.at[g].members.n; i++) {
            uint32_t t = m->groups.at[g].members.at[i];
            for (uint32_t k = x->readings_of_at[t]; k < x->readings_of_at[t + 1]; k++) {
                uint32_t w = x->readings.at[x->readings_of[k]].write;
                for (; w; w = x->writes.at[w - 1].next)
                    if (fore_txn_may_read(x, w - 1, t))
                        fore_vec_push(&found,
                                      (uint64_t)t << 32 | x->writes.at[w - 1].txn);
            }
        }
    for (size_t i = 0; i < found.n; i++)
        add_to_group(m, m->group_of[found.at[i] >> 32], (uint32_t)found.at[i]);
    fore_vec_release(&found);
}

/* Under parallel snapshot isolation not every cycle is forbidden. Which components have a
 * forbidden one? */
static void find_forbidden(const struct fore_txn_graph *graph, uint8_t *forbidden)
{
    struct fore_cycle_free c;
    uint32_t *place = fore_calloc((size_t)graph->nodes + 1, sizeof *place);
    fore_cycle_free_init(&c, graph->nodes);
    for (uint32_t i = 0; i < graph->nodes; i++)
        place[i] = graph->components - graph->component[i];
    fore_cycle_free_sort(&c, place);
    for (size_t i = 0; i < graph->edges.n + graph->closing.n; i++) {
        bool last = i >= graph->edges.n;
        uint64_t e = last ? graph->closing.at[i - graph->edges.n] : graph->edges.at[i];
        uint32_t from = (uint32_t)(e >> 32), to = (uint32_t)e;
        uint32_t k = graph->component[from];
        if (k != graph->component[to] || graph->size[k] == 1 || forbidden[k])
            continue;
        if (!fore_cycle_free_add(&c, from, to, 0, last))
            forbidden[k] = 1;
    }
    fore_cycle_free_release(&c);
    fore_free(place);
}

/* Every component with a cycle becomes a group, with those groups that it touches. */
static void make_groups(struct decider *m, const struct fore_txn_graph *graph)
{
    uint8_t *wanted = fore_calloc((size_t)graph->components + 1, 1);
    uint32_t *group = fore_calloc((size_t)graph->components + 1, sizeof *group);
    bool *grown = fore_calloc(graph->components + 1, sizeof *grown);
    if (m->level == FORE_TXN_PARALLEL_SNAPSHOT)
        find_forbidden(graph, wanted);
    else
        for (uint32_t i = 0; i < graph->components; i++)
            wanted[i] = graph->size[i] > 1;
    for (uint32_t node = 0; node < graph->nodes; node++) {
        uint32_t k = graph->component[node], t = txn_of(m, node);
        if (!wanted[k] || graph->size[k] == 1 || t == FORE_NO_TXN)
            continue;
        if (!group[k]) {
            uint32_t old = m->group_of[t];
            if (old == NO_GROUP) {
                old = (uint32_t)m->groups.n;
                fore_vec_push(&m->groups, (struct decided_group){0});
                grown[k] = true;
            }
            group[k] = old + 1;
        }
        /* The group may have become part of another component's meanwhile. */
        uint32_t now = m->group_of[t];
        if (now != NO_GROUP && now != group[k] - 1 &&
            !m->groups.at[group[k] - 1].members.n)
            group[k] = now + 1;
        grown[k] |= add_to_group(m, group[k] - 1, t);
    }
    fore_vec_clear(&m->touched);
    bool *stuck = fore_calloc(m->groups.n + 1, sizeof *stuck), any = false;
    for (uint32_t k = 0; k < graph->components; k++) {
        if (!group[k] || m->groups.at[group[k] - 1].given_up)
            continue;
        if (!grown[k])
            any = stuck[group[k] - 1] = true;
        fore_vec_push(&m->touched, group[k] - 1);
    }
    if (any)
        add_neighbours(m, graph, stuck);
    fore_free(stuck);
    fore_free(wanted);
    fore_free(group);
    fore_free(grown);
}

static void take_solution(struct decider *m, const struct fore_zone *z)
{
    uint32_t *order = fore_calloc((size_t)z->n + 1, sizeof *order);
    fore_zone_order(z, order);
    fore_txn_guess_reorder(m->g, order, z->n);
    for (size_t i = 0; i < z->sources.n; i++)
        if (fore_solver_value(z->solver, z->sources.at[i].var))
            m->g->chosen[z->sources.at[i].reading] = z->sources.at[i].write;
    fore_free(order);
}

static enum fore_txn_answer solve_group(struct decider *m, struct decided_group *group)
{
    struct fore_zone z;
    m->d->zones++;
    fore_zone_init(&z, m->g, m->level, group->members.at, (uint32_t)group->members.n,
                   true, m->budget);
    enum fore_solved s = fore_solver_run(z.solver, m->budget, m->max_conflicts);
    m->d->conflicts += fore_solver_conflicts(z.solver);
    if (fore_budget_spent(m->budget))
        s = FORE_UNDECIDED;
    if (m->max_conflicts && s != FORE_SATISFIABLE) {
        group->given_up = true;
        fore_zone_release(&z);
        return FORE_TXN_HOLDS;
    }
    if (s == FORE_SATISFIABLE && z.too_large) {
        m->d->bound = "order of writes";
        s = FORE_UNDECIDED;
    } else if (s == FORE_UNDECIDED) {
        m->d->bound = fore_spent_text(m->budget->spent);
    } else if (s == FORE_SATISFIABLE) {
        take_solution(m, &z);
    }
    fore_zone_release(&z);
    if (s != FORE_UNSATISFIABLE)
        return s == FORE_SATISFIABLE ? FORE_TXN_HOLDS : FORE_TXN_UNDECIDED;
    for (size_t i = 0; i < group->members.n; i++)
        fore_vec_push(&m->d->zone, group->members.at[i]);
    fore_vec_push(&m->d->zone_ends, m->d->zone.n);
    return FORE_TXN_VIOLATED;
}

/* One zone that is violated settles it, but a few are worth showing; one that is undecided
 * settles nothing. */
static enum fore_txn_answer solve_groups(struct decider *m)
{
    enum fore_txn_answer all = FORE_TXN_HOLDS;
    for (size_t i = 0; i < m->touched.n; i++) {
        struct decided_group *group = &m->groups.at[m->touched.at[i]];
        if (!group->members.n)
            continue;
        enum fore_txn_answer a = solve_group(m, group);
        if (a == FORE_TXN_VIOLATED || (a == FORE_TXN_UNDECIDED && all == FORE_TXN_HOLDS))
            all = a;
        if (m->d->zone_ends.n == MAX_SHOWN || fore_budget_spent(m->budget))
            break;
    }
    return all;
}

static void decider_init(struct decider *m)
{
    size_t n = m->g->x->h->list.n;
    m->group_of = fore_calloc(n + 1, sizeof *m->group_of);
    for (size_t i = 0; i < n; i++)
        m->group_of[i] = NO_GROUP;
}

static void decider_release(struct decider *m)
{
    for (size_t i = 0; i < m->groups.n; i++)
        fore_vec_release(&m->groups.at[i].members);
    fore_vec_release(&m->groups);
    fore_vec_release(&m->touched);
    fore_free(m->group_of);
}

/* Looks at the guess and at what is wrong with it; false if nothing is. */
static bool find_trouble(struct decider *m)
{
    struct fore_txn_graph graph;
    fore_txn_graph_make(&graph, m->g, m->level, m->budget);
    m->d->rounds++;
    fore_vec_clear(&m->touched);
    if (!fore_budget_spent(m->budget))
        make_groups(m, &graph);
    fore_txn_graph_release(&graph);
    return m->touched.n;
}

/* Most systems keep real time even where they do not promise it, and real time leaves little
 * open: so its solutions are looked for first, as far as they are easily had. */
static void improve_guess(const struct decider *of)
{
    struct decider m = {.g = of->g, .budget = of->budget, .d = of->d};
    m.level = FORE_TXN_STRICT;
    m.max_conflicts = TRY_CONFLICTS;
    decider_init(&m);
    for (int i = 0; i < TRY_ROUNDS && find_trouble(&m); i++)
        if (solve_groups(&m) != FORE_TXN_HOLDS || fore_budget_spent(m.budget))
            break;
    decider_release(&m);
}

void fore_txn_decide(struct fore_txn_guess *g, enum fore_txn_level level,
                     struct fore_budget *budget, struct fore_txn_decision *d)
{
    struct decider m = {.g = g, .level = level, .budget = budget, .d = d};
    *d = (struct fore_txn_decision){.answer = FORE_TXN_HOLDS};
    decider_init(&m);
    bool trouble = find_trouble(&m);
    if (trouble && g->x->any_open) {
        decider_release(&m);
        improve_guess(&m);
        m = (struct decider){.g = g, .level = level, .budget = budget, .d = d};
        decider_init(&m);
        trouble = find_trouble(&m);
    }
    while (trouble && d->answer == FORE_TXN_HOLDS) {
        d->answer = solve_groups(&m);
        trouble = d->answer == FORE_TXN_HOLDS && find_trouble(&m);
    }
    if (d->answer == FORE_TXN_HOLDS && fore_budget_spent(budget)) {
        d->answer = FORE_TXN_UNDECIDED;
        d->bound = fore_spent_text(budget->spent);
    }
    decider_release(&m);
}

void fore_txn_decision_release(struct fore_txn_decision *d)
{
    fore_vec_release(&d->zone);
    fore_vec_release(&d->zone_ends);
    fore_vec_release(&d->stuck);
}
