/* Explains why a history does not have a level: its anomalies, each with one example as small as
 * possible. */
#ifndef FORE_HISTORY_TXN_EXPLAIN_H
#define FORE_HISTORY_TXN_EXPLAIN_H

#include "history/txn/cycles.h"
#include "history/txn/levels.h"

/* "`before` wrote `key` before `after` did, because otherwise there would be this cycle." */
struct fore_txn_lemma {
    uint32_t before, after;
    struct fore_dep_cycle otherwise;
};

struct fore_txn_evidence {
    enum fore_txn_anomaly kind;
    uint64_t count;              /* of its kind */
    struct fore_txn_oddity odd;  /* if that is what it is: count is not 0 */
    struct fore_dep_cycle cycle; /* else: without deps if no single cycle shows it */
    FORE_VEC(struct fore_txn_lemma) lemmas; /* what the cycle rests on */
    FORE_VEC(uint32_t) txns;                /* that are enough to show it */
};

struct fore_txn_evidences {
    FORE_VEC(struct fore_txn_evidence) list; /* by kind, at most one of each */
};

/* `d` is what fore_txn_decide (or _committed) said. */
void fore_txn_explain(struct fore_txn_evidences *out, struct fore_txn_guess *g,
                      enum fore_txn_level level, const struct fore_txn_decision *d,
                      struct fore_budget *budget);
void fore_txn_evidences_release(struct fore_txn_evidences *e);

#endif
