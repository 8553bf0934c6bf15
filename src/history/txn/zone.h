/* Some of the transactions of a history, and everything that is known or open about their
 * order, as a problem for solve.h. It asks less than the whole history does: if a zone has no
 * solution, the history has none. */
#ifndef FORE_HISTORY_TXN_ZONE_H
#define FORE_HISTORY_TXN_ZONE_H

#include "history/txn/guess.h"
#include "history/txn/solve.h"

/* Which write an unclear read is of, if the variable is true. */
struct fore_zone_source {
    uint32_t reading, write; /* write: index + 1; 0: the initial value */
    uint32_t var;
};

struct fore_zone {
    const struct fore_txn_index *x;
    enum fore_txn_level level;
    const struct fore_txn_guess *guess;
    const uint32_t *members;
    uint32_t n;
    struct fore_solver *solver;
    FORE_VEC(struct fore_dep) deps;          /* what the tags of edges mean */
    FORE_VEC(struct fore_guarded_edge) hard; /* edges without guard; also in the solver */
    FORE_VEC(struct fore_zone_source) sources;
    FORE_VEC(uint64_t) pair_of; /* by variable: transactions a << 32 | b, "a before b" */
    struct fore_map local;      /* transaction -> its number here, + 1 */
    struct fore_map pairs;      /* two numbers -> variable + 1 */
    bool too_large;             /* there are too many orders to write down */
};

/* `guess` and `members` must live as long as the zone. If it is too large, or the budget ends,
 * not everything is in it. `brief`: what real time says anyway is left out, which is enough to
 * solve it but not to explain it. */
void fore_zone_init(struct fore_zone *z, const struct fore_txn_guess *guess,
                    enum fore_txn_level level, const uint32_t *members, uint32_t n,
                    bool brief, struct fore_budget *budget);
void fore_zone_release(struct fore_zone *z);

/* After a solution: the members in an order of it, into `out`. */
void fore_zone_order(const struct fore_zone *z, uint32_t *out);

#endif
