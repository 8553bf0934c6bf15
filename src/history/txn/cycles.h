/* Cycles of transactions, the most telling kind first and of that kind a shortest. */
#ifndef FORE_HISTORY_TXN_CYCLES_H
#define FORE_HISTORY_TXN_CYCLES_H

#include "base/budget.h"
#include "history/txn/guess.h"
#include "history/txn/zone.h"

struct fore_dep_cycle {
    enum fore_txn_anomaly kind;
    FORE_VEC(struct fore_dep) deps; /* each begins where the one before ends */
};

/* Among what is known of a zone (of serializability or strict serializability). False if
 * there is no cycle that `level` forbids. */
bool fore_dep_cycle_find(struct fore_dep_cycle *c, const struct fore_zone *z,
                         enum fore_txn_level level, struct fore_budget *budget);
/* The same for edges that already are a cycle of the zone: moments and starts are left out,
 * and it gets its name. */
void fore_dep_cycle_take(struct fore_dep_cycle *c, const struct fore_zone *z,
                         const struct fore_guarded_edge *edges, size_t n);
void fore_dep_cycle_release(struct fore_dep_cycle *c);

#endif
