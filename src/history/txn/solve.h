/* Looks for a choice of truth values that makes clauses true and keeps a graph free of
 * forbidden cycles, where edges hold if their guards do. Conflict-driven: every cycle and
 * every contradiction is learnt from, so that it is met once.
 *
 * A graph has two kinds of edges. Plain edges must not form a cycle. A `last` edge must not
 * close a path of plain edges; two `last` edges never count together. (With only plain edges
 * this is acyclicity; the other is what parallel snapshot isolation asks for.) */
#ifndef FORE_HISTORY_TXN_SOLVE_H
#define FORE_HISTORY_TXN_SOLVE_H

#include "base/budget.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* A variable and whether it is negated: variable << 1 | negated. */
typedef uint32_t fore_lit;
#define FORE_NO_LIT UINT32_MAX

static inline fore_lit fore_lit_of(uint32_t var, bool negated)
{
    return var << 1 | negated;
}

struct fore_guarded_edge {
    uint32_t from, to;
    fore_lit guard[2]; /* FORE_NO_LIT: none */
    uint32_t tag;      /* the caller's */
    bool last;
};

enum fore_solved { FORE_SATISFIABLE, FORE_UNSATISFIABLE, FORE_UNDECIDED };

struct fore_solver;

struct fore_solver *fore_solver_new(uint32_t nodes);
void fore_solver_free(struct fore_solver *s);
/* `likely`: the value that is tried first. */
uint32_t fore_solver_var(struct fore_solver *s, bool likely);
void fore_solver_clause(struct fore_solver *s, const fore_lit *lits, size_t n);
void fore_solver_edge(struct fore_solver *s, struct fore_guarded_edge edge);
/* Where a node stands before anything is known: a good guess saves work. */
void fore_solver_place(struct fore_solver *s, uint32_t node, uint32_t position);

/* Gives up after `max_conflicts` (0: never) or when the budget is spent. */
enum fore_solved fore_solver_run(struct fore_solver *s, struct fore_budget *budget,
                                 uint64_t max_conflicts);
/* After FORE_SATISFIABLE: values, and the nodes' places in an order of the plain edges. */
bool fore_solver_value(const struct fore_solver *s, uint32_t var);
uint32_t fore_solver_position(const struct fore_solver *s, uint32_t node);
uint64_t fore_solver_conflicts(const struct fore_solver *s);

/* What follows at once, step by step: which choices a cycle excludes. Each step is a literal
 * that must hold and the cycle (edges, in order) that its opposite would close; the last one
 * has no literal: its cycle closes although nothing was assumed, which is a proof. */
struct fore_forced_step {
    fore_lit lit; /* FORE_NO_LIT: of the end */
    uint32_t first, n;
};
struct fore_forced_steps {
    FORE_VEC(struct fore_forced_step) steps;
    FORE_VEC(struct fore_guarded_edge) edges;
};
/* True if it ended in a proof. To be called on a solver that was not run. */
bool fore_solver_force(struct fore_solver *s, struct fore_budget *budget,
                       struct fore_forced_steps *out);
void fore_forced_steps_release(struct fore_forced_steps *f);

#endif
