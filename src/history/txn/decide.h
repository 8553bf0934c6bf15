/* Decides whether there is an order of the transactions that a level allows.
 *
 * The guess decides most histories at once: its graph has no cycle. Where it has one, the
 * transactions of the cycle are a zone, which is solved by itself. Without a solution the level
 * is violated; with one the guess is improved, and zones that turn out to depend on each other
 * become one, until the guess is a proof or the zone is the whole. */
#ifndef FORE_HISTORY_TXN_DECIDE_H
#define FORE_HISTORY_TXN_DECIDE_H

#include "base/budget.h"
#include "history/txn/guess.h"

enum fore_txn_answer { FORE_TXN_HOLDS, FORE_TXN_VIOLATED, FORE_TXN_UNDECIDED };

struct fore_txn_decision {
    enum fore_txn_answer answer;
    const char *bound; /* if undecided: the budget that was spent */
    /* if violated: transactions that show it, one set after another */
    FORE_VEC(uint32_t) zone;
    FORE_VEC(size_t) zone_ends; /* where the sets end */
    FORE_VEC(uint32_t) stuck;   /* read committed: a cycle of reads, in order */
    uint64_t rounds, zones, conflicts;
};

/* `level` above read committed. Oddities (index.h) are not looked at. */
void fore_txn_decide(struct fore_txn_guess *g, enum fore_txn_level level,
                     struct fore_budget *budget, struct fore_txn_decision *d);
/* Read committed: can the transactions be placed one after the other, so that each reads what
 * was there before, at whatever time? */
void fore_txn_decide_committed(const struct fore_txn_index *x, struct fore_budget *budget,
                               struct fore_txn_decision *d);
void fore_txn_decision_release(struct fore_txn_decision *d);

#endif
