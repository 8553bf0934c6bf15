#include "history/txn/levels.h"

const struct fore_txn_level_row fore_txn_levels[] = {
    [FORE_TXN_READ_COMMITTED] = {"read-committed", "read committed"},
    [FORE_TXN_PARALLEL_SNAPSHOT] = {"parallel-snapshot-isolation",
                                    "parallel snapshot isolation"},
    [FORE_TXN_SNAPSHOT] = {"snapshot-isolation", "snapshot isolation"},
    [FORE_TXN_SERIALIZABLE] = {"serializable", "serializable"},
    [FORE_TXN_STRICT] = {"strict-serializable", "strict serializable"},
    {NULL, NULL},
};

bool fore_txn_has_oddity(const struct fore_txn_index *x, enum fore_txn_level level)
{
    for (unsigned a = 0; a < FORE_TXN_ANOMALY_COUNT; a++)
        if (x->odd[a].count && fore_txn_anomaly_level((enum fore_txn_anomaly)a) <= level)
            return true;
    return false;
}

void fore_txn_judge(struct fore_txn_guess *g, enum fore_txn_level level,
                    struct fore_budget *budget, struct fore_txn_decision *d)
{
    *d = (struct fore_txn_decision){.answer = FORE_TXN_VIOLATED};
    if (fore_txn_has_oddity(g->x, level))
        return;
    if (level == FORE_TXN_READ_COMMITTED)
        fore_txn_decide_committed(g->x, budget, d);
    else
        fore_txn_decide(g, level, budget, d);
}
