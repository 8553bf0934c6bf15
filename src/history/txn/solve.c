/* Cost: what a CDCL solver costs; the graph answers only with conflicts, never by itself with
 * consequences, because with a good first guess there is little left to conclude.
 * Source:   [minisat] for the search, [pearce-kelly] for the order in cycle_free.c. */
#include "history/txn/solve.h"

#include "history/txn/cycle_free.h"

enum { UNSET = -1, RESTART_UNIT = 100 };
#define NO_REASON UINT32_MAX

struct watched_list {
    FORE_VEC(uint32_t) v; /* clauses, or edges */
};

struct fore_solver {
    struct fore_cycle_free graph;
    FORE_VEC(struct fore_guarded_edge) edges;
    FORE_VEC(uint32_t) texts;                       /* clauses: length, literals */
    FORE_VEC(struct watched_list) watches, guarded; /* by literal */
    FORE_VEC(int8_t) value;                         /* by variable: 0, 1 or UNSET */
    FORE_VEC(int8_t) phase;
    FORE_VEC(uint32_t) level, reason, trail_at, heap_at;
    FORE_VEC(double) activity;
    FORE_VEC(uint32_t) heap; /* variables, the most active first */
    FORE_VEC(fore_lit) trail;
    FORE_VEC(uint32_t) edges_of; /* by trail position: how many edges it brought */
    FORE_VEC(uint32_t) level_at; /* where levels begin in the trail */
    FORE_VEC(fore_lit) conflict, learnt;
    FORE_VEC(uint8_t) seen;
    FORE_VEC(uint32_t) wish; /* nodes' first positions */
    size_t next;             /* of the trail, to be looked at */
    double bump;
    uint64_t conflicts;
    bool contradiction, from_cycle;
};

struct fore_solver *fore_solver_new(uint32_t nodes)
{
    struct fore_solver *s = fore_calloc(1, sizeof *s);
    fore_cycle_free_init(&s->graph, nodes);
    fore_vec_ensure(&s->wish, (size_t)nodes + 1);
    for (uint32_t i = 0; i < nodes; i++)
        s->wish.at[i] = i;
    s->bump = 1;
    return s;
}

void fore_solver_free(struct fore_solver *s)
{
    for (size_t i = 0; i < s->watches.n; i++) {
        fore_vec_release(&s->watches.at[i].v);
        fore_vec_release(&s->guarded.at[i].v);
    }
    fore_cycle_free_release(&s->graph);
    fore_vec_release(&s->edges);
    fore_vec_release(&s->texts);
    fore_vec_release(&s->watches);
    fore_vec_release(&s->guarded);
    fore_vec_release(&s->value);
    fore_vec_release(&s->phase);
    fore_vec_release(&s->level);
    fore_vec_release(&s->reason);
    fore_vec_release(&s->trail_at);
    fore_vec_release(&s->heap_at);
    fore_vec_release(&s->activity);
    fore_vec_release(&s->heap);
    fore_vec_release(&s->trail);
    fore_vec_release(&s->edges_of);
    fore_vec_release(&s->level_at);
    fore_vec_release(&s->conflict);
    fore_vec_release(&s->learnt);
    fore_vec_release(&s->seen);
    fore_vec_release(&s->wish);
    fore_free(s);
}

void fore_solver_place(struct fore_solver *s, uint32_t node, uint32_t position)
{
    s->wish.at[node] = position;
}

uint64_t fore_solver_conflicts(const struct fore_solver *s)
{
    return s->conflicts;
}

/* The heap of variables. */

static bool more_active(const struct fore_solver *s, uint32_t a, uint32_t b)
{
    return s->activity.at[a] > s->activity.at[b] ||
           (s->activity.at[a] == s->activity.at[b] && a < b);
}

static void heap_set(struct fore_solver *s, size_t at, uint32_t var)
{
    s->heap.at[at] = var;
    s->heap_at.at[var] = (uint32_t)at + 1;
}

static void heap_up(struct fore_solver *s, size_t at)
{
    uint32_t var = s->heap.at[at];
    for (; at && more_active(s, var, s->heap.at[(at - 1) / 2]); at = (at - 1) / 2)
        heap_set(s, at, s->heap.at[(at - 1) / 2]);
    heap_set(s, at, var);
}

static void heap_down(struct fore_solver *s, size_t at)
{
    uint32_t var = s->heap.at[at];
    for (size_t child; (child = 2 * at + 1) < s->heap.n; at = child) {
        if (child + 1 < s->heap.n &&
            more_active(s, s->heap.at[child + 1], s->heap.at[child]))
            child++;
        if (!more_active(s, s->heap.at[child], var))
            break;
        heap_set(s, at, s->heap.at[child]);
    }
    heap_set(s, at, var);
}

static void heap_insert(struct fore_solver *s, uint32_t var)
{
    if (s->heap_at.at[var])
        return;
    fore_vec_push(&s->heap, var);
    heap_up(s, s->heap.n - 1);
}

static uint32_t heap_pop(struct fore_solver *s)
{
    uint32_t top = s->heap.at[0], var = fore_vec_pop(&s->heap);
    s->heap_at.at[top] = 0;
    if (s->heap.n) {
        heap_set(s, 0, var);
        heap_down(s, 0);
    }
    return top;
}

static void bump_variable(struct fore_solver *s, uint32_t var)
{
    s->activity.at[var] += s->bump;
    if (s->activity.at[var] > 1e100) {
        for (size_t i = 0; i < s->activity.n; i++)
            s->activity.at[i] *= 1e-100;
        s->bump *= 1e-100;
    }
    if (s->heap_at.at[var])
        heap_up(s, s->heap_at.at[var] - 1);
}

uint32_t fore_solver_var(struct fore_solver *s, bool likely)
{
    uint32_t var = (uint32_t)s->value.n;
    fore_vec_push(&s->value, UNSET);
    fore_vec_push(&s->phase, likely);
    fore_vec_push(&s->level, 0);
    fore_vec_push(&s->reason, NO_REASON);
    fore_vec_push(&s->trail_at, 0);
    fore_vec_push(&s->heap_at, 0);
    fore_vec_push(&s->activity, 0);
    fore_vec_push(&s->seen, 0);
    fore_vec_ensure(&s->watches, 2 * (size_t)var + 2);
    fore_vec_ensure(&s->guarded, 2 * (size_t)var + 2);
    heap_insert(s, var);
    return var;
}

/* Assignments. */

static bool is_true(const struct fore_solver *s, fore_lit l)
{
    return s->value.at[l >> 1] == !(l & 1);
}

static bool is_false(const struct fore_solver *s, fore_lit l)
{
    return s->value.at[l >> 1] == (int8_t)(l & 1);
}

static void assign_literal(struct fore_solver *s, fore_lit l, uint32_t reason)
{
    uint32_t var = l >> 1;
    s->value.at[var] = !(l & 1);
    s->level.at[var] = (uint32_t)s->level_at.n;
    s->reason.at[var] = reason;
    s->trail_at.at[var] = (uint32_t)s->trail.n;
    fore_vec_push(&s->trail, l);
    fore_vec_push(&s->edges_of, 0);
}

static void back_to_level(struct fore_solver *s, size_t level)
{
    if (s->level_at.n <= level)
        return;
    size_t keep = s->level_at.at[level];
    while (s->trail.n > keep) {
        uint32_t var = fore_vec_pop(&s->trail) >> 1;
        for (uint32_t n = fore_vec_pop(&s->edges_of); n; n--)
            fore_cycle_free_pop(&s->graph);
        s->phase.at[var] = s->value.at[var];
        s->value.at[var] = UNSET;
        heap_insert(s, var);
    }
    s->level_at.n = level;
    s->next = s->trail.n;
}

static uint32_t add_clause(struct fore_solver *s, const fore_lit *lits, size_t n)
{
    uint32_t at = (uint32_t)s->texts.n;
    fore_vec_push(&s->texts, (uint32_t)n);
    for (size_t i = 0; i < n; i++)
        fore_vec_push(&s->texts, lits[i]);
    fore_vec_push(&s->watches.at[lits[0]].v, at);
    fore_vec_push(&s->watches.at[lits[1]].v, at);
    return at;
}

void fore_solver_clause(struct fore_solver *s, const fore_lit *lits, size_t n)
{
    if (!n || (n == 1 && is_false(s, lits[0])))
        s->contradiction = true;
    else if (n == 1 && !is_true(s, lits[0]))
        assign_literal(s, lits[0], NO_REASON);
    else if (n > 1)
        add_clause(s, lits, n);
}

void fore_solver_edge(struct fore_solver *s, struct fore_guarded_edge edge)
{
    for (int i = 0; i < 2; i++)
        if (edge.guard[i] != FORE_NO_LIT)
            fore_vec_push(&s->guarded.at[edge.guard[i]].v, (uint32_t)s->edges.n);
    fore_vec_push(&s->edges, edge);
}

static void conflict_of_cycle(struct fore_solver *s)
{
    fore_vec_clear(&s->conflict);
    s->from_cycle = true;
    for (size_t i = 0; i < s->graph.cycle.n; i++) {
        const struct fore_guarded_edge *e = &s->edges.at[s->graph.cycle.at[i]];
        for (int k = 0; k < 2; k++)
            if (e->guard[k] != FORE_NO_LIT)
                fore_vec_push(&s->conflict, e->guard[k] ^ 1);
    }
}

/* Is every guard true, and looked at already but for that at trail position `now`? */
static bool edge_is_due(const struct fore_solver *s, const struct fore_guarded_edge *e,
                        size_t now)
{
    for (int k = 0; k < 2; k++)
        if (e->guard[k] != FORE_NO_LIT &&
            (!is_true(s, e->guard[k]) || s->trail_at.at[e->guard[k] >> 1] > now))
            return false;
    return true;
}

static bool add_edges_of(struct fore_solver *s, size_t now)
{
    const struct watched_list *l = &s->guarded.at[s->trail.at[now]];
    for (size_t i = 0; i < l->v.n; i++) {
        const struct fore_guarded_edge *e = &s->edges.at[l->v.at[i]];
        if (e->guard[0] == e->guard[1] && i && l->v.at[i - 1] == l->v.at[i])
            continue;
        if (!edge_is_due(s, e, now))
            continue;
        if (!fore_cycle_free_add(&s->graph, e->from, e->to, l->v.at[i], e->last)) {
            conflict_of_cycle(s);
            return false;
        }
        s->edges_of.at[now]++;
    }
    return true;
}

static bool visit_clauses(struct fore_solver *s, fore_lit now_false)
{
    struct watched_list *w = &s->watches.at[now_false];
    size_t kept = 0, i = 0;
    bool fine = true;
    for (; i < w->v.n && fine; i++) {
        uint32_t at = w->v.at[i], n = s->texts.at[at];
        fore_lit *lits = &s->texts.at[at + 1];
        if (lits[0] == now_false) {
            lits[0] = lits[1];
            lits[1] = now_false;
        }
        w->v.at[kept++] = at;
        if (is_true(s, lits[0]))
            continue;
        for (uint32_t k = 2; k < n; k++)
            if (!is_false(s, lits[k])) {
                lits[1] = lits[k];
                lits[k] = now_false;
                kept--;
                fore_vec_push(&s->watches.at[lits[1]].v, at);
                break;
            }
        if (lits[1] != now_false)
            continue;
        if (is_false(s, lits[0])) {
            fore_vec_clear(&s->conflict);
            s->from_cycle = false;
            for (uint32_t k = 0; k < n; k++)
                fore_vec_push(&s->conflict, lits[k]);
            fine = false;
        } else {
            assign_literal(s, lits[0], at);
        }
    }
    while (i < w->v.n)
        w->v.at[kept++] = w->v.at[i++];
    w->v.n = kept;
    return fine;
}

static bool propagate(struct fore_solver *s)
{
    while (s->next < s->trail.n) {
        size_t now = s->next++;
        if (!visit_clauses(s, s->trail.at[now] ^ 1) || !add_edges_of(s, now))
            return false;
    }
    return true;
}

/* Learning. */

static void mark_literals(struct fore_solver *s, const fore_lit *lits, size_t n,
                          size_t *open)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t var = lits[i] >> 1;
        if (s->seen.at[var] || !s->level.at[var])
            continue;
        s->seen.at[var] = 1;
        bump_variable(s, var);
        if (s->level.at[var] == s->level_at.n)
            ++*open;
        else
            fore_vec_push(&s->learnt, lits[i]);
    }
}

/* The clause that excludes the conflict and has one literal of the current level, first;
 * returns the level to go back to. */
static size_t learn_from_conflict(struct fore_solver *s)
{
    size_t open = 0, at = s->trail.n, back = 0;
    fore_vec_clear(&s->learnt);
    fore_vec_push(&s->learnt, 0);
    mark_literals(s, s->conflict.at, s->conflict.n, &open);
    for (;;) {
        while (!s->seen.at[s->trail.at[--at] >> 1])
            continue;
        uint32_t var = s->trail.at[at] >> 1, reason = s->reason.at[var];
        if (--open) {
            FORE_BUG_IF(reason == NO_REASON);
            mark_literals(s, &s->texts.at[reason + 1], s->texts.at[reason], &open);
        }
        s->seen.at[var] = 0;
        if (!open)
            break;
    }
    s->learnt.at[0] = s->trail.at[at] ^ 1;
    for (size_t i = 1; i < s->learnt.n; i++) {
        uint32_t var = s->learnt.at[i] >> 1;
        s->seen.at[var] = 0;
        if (s->level.at[var] > back) {
            fore_lit swap = s->learnt.at[1];
            back = s->level.at[var];
            s->learnt.at[1] = s->learnt.at[i];
            s->learnt.at[i] = swap;
        }
    }
    return back;
}

static void take_lesson(struct fore_solver *s)
{
    size_t back = learn_from_conflict(s);
    back_to_level(s, back);
    if (s->learnt.n == 1)
        assign_literal(s, s->learnt.at[0], NO_REASON);
    else
        assign_literal(s, s->learnt.at[0], add_clause(s, s->learnt.at, s->learnt.n));
    s->bump *= 1.0 / 0.95;
}

/* 1 1 2 1 1 2 4 ... */
static uint64_t luby(uint64_t i)
{
    uint64_t size = 1, sequence = 0;
    for (; size < i + 1; size = 2 * size + 1)
        sequence++;
    while (size - 1 != i) {
        size = (size - 1) / 2;
        sequence--;
        i = i % size;
    }
    return (uint64_t)1 << sequence;
}

/* Edges without guards; false if they contradict themselves. */
static bool add_plain_facts(struct fore_solver *s)
{
    fore_cycle_free_sort(&s->graph, s->wish.at);
    for (size_t i = 0; i < s->edges.n; i++) {
        const struct fore_guarded_edge *e = &s->edges.at[i];
        if (e->guard[0] != FORE_NO_LIT || e->guard[1] != FORE_NO_LIT)
            continue;
        if (!fore_cycle_free_add(&s->graph, e->from, e->to, (uint32_t)i, e->last)) {
            conflict_of_cycle(s);
            return false;
        }
    }
    return true;
}

static bool decide_variable(struct fore_solver *s)
{
    while (s->heap.n) {
        uint32_t var = heap_pop(s);
        if (s->value.at[var] != UNSET)
            continue;
        fore_vec_push(&s->level_at, (uint32_t)s->trail.n);
        assign_literal(s, fore_lit_of(var, !s->phase.at[var]), NO_REASON);
        return true;
    }
    return false;
}

enum fore_solved fore_solver_run(struct fore_solver *s, struct fore_budget *budget,
                                 uint64_t max_conflicts)
{
    uint64_t restarts = 0, since = 0;
    if (s->contradiction || !add_plain_facts(s))
        return FORE_UNSATISFIABLE;
    for (;;) {
        if (!propagate(s)) {
            s->conflicts++;
            since++;
            if (!s->level_at.n)
                return FORE_UNSATISFIABLE;
            take_lesson(s);
            if (fore_budget_spent(budget) ||
                (max_conflicts && s->conflicts >= max_conflicts))
                return FORE_UNDECIDED;
        } else if (since > RESTART_UNIT * luby(restarts)) {
            restarts++;
            since = 0;
            back_to_level(s, 0);
        } else if (!decide_variable(s)) {
            return FORE_SATISFIABLE;
        } else if (fore_budget_spent(budget)) {
            return FORE_UNDECIDED;
        }
    }
}

bool fore_solver_value(const struct fore_solver *s, uint32_t var)
{
    return s->value.at[var] == 1;
}

uint32_t fore_solver_position(const struct fore_solver *s, uint32_t node)
{
    return s->graph.position[node];
}

/* Forcing. */

static void keep_step(struct fore_solver *s, fore_lit lit, struct fore_forced_steps *out)
{
    struct fore_forced_step step = {lit, (uint32_t)out->edges.n, 0};
    if (s->from_cycle)
        for (size_t i = 0; i < s->graph.cycle.n; i++, step.n++)
            fore_vec_push(&out->edges, s->edges.at[s->graph.cycle.at[i]]);
    fore_vec_push(&out->steps, step);
}

/* Supposes `l`; if that leads to a conflict, its opposite holds. False at the proof's end. */
static bool suppose_literal(struct fore_solver *s, fore_lit l,
                            struct fore_forced_steps *out, bool *learnt)
{
    fore_vec_push(&s->level_at, (uint32_t)s->trail.n);
    assign_literal(s, l, NO_REASON);
    bool fine = propagate(s);
    back_to_level(s, 0);
    if (fine)
        return true;
    keep_step(s, l ^ 1, out);
    *learnt = true;
    assign_literal(s, l ^ 1, NO_REASON);
    if (propagate(s))
        return true;
    keep_step(s, FORE_NO_LIT, out);
    return false;
}

bool fore_solver_force(struct fore_solver *s, struct fore_budget *budget,
                       struct fore_forced_steps *out)
{
    if (s->contradiction || !add_plain_facts(s) || !propagate(s)) {
        keep_step(s, FORE_NO_LIT, out);
        return true;
    }
    for (bool learnt = true; learnt;) {
        learnt = false;
        for (uint32_t v = 0; v < s->value.n; v++)
            for (unsigned k = 0; k < 2 && s->value.at[v] == UNSET; k++) {
                if (fore_budget_spent(budget))
                    return false;
                if (!suppose_literal(s, fore_lit_of(v, k), out, &learnt))
                    return true;
            }
    }
    return false;
}

void fore_forced_steps_release(struct fore_forced_steps *f)
{
    fore_vec_release(&f->steps);
    fore_vec_release(&f->edges);
}
