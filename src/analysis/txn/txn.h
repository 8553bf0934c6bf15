/* Transactions as an analysis: histories in, findings out. */
#ifndef FORE_ANALYSIS_TXN_TXN_H
#define FORE_ANALYSIS_TXN_TXN_H

#include "base/budget.h"
#include "finding/finding.h"
#include "history/txn/bank.h"
#include "history/txn/explain.h"

struct fore_isolation_options {
    enum fore_txn_level level;
    const char *init;     /* of registers; NULL: nil */
    const int64_t *total; /* of a bank's accounts; NULL: that of most reads */
    bool may_be_negative; /* a bank's balances */
    struct fore_budget *budget;
};

/* One checked history. Released with fore_isolation_release, whatever became of it. */
struct fore_isolation {
    struct fore_txns h;
    struct fore_txn_index x;
    struct fore_txn_guess g;
    struct fore_bank bank;
    struct fore_txn_decision decision;
    struct fore_txn_evidences why; /* if the level is violated */
    enum fore_txn_level level;
    int strongest; /* if it is violated: the strongest level below that holds; -1: none */
    bool strongest_unknown;       /* a limit was reached before that was known */
    uint64_t parse_ns, search_ns; /* what reading and judging took */
    bool loaded, indexed;
};

enum fore_status fore_isolation_check(struct fore_isolation *i, const char *path,
                                      const struct fore_isolation_options *o,
                                      struct fore_err *e) FORE_MUST_USE;
void fore_isolation_release(struct fore_isolation *i);

/* Adds the findings, a remark, what is incomplete, and stats.txn (given twice, the later
 * history counts; `histories` of them in all). */
void fore_isolation_report(const struct fore_isolation *i, struct fore_findings *f);
/* One history's part of stats.txn. */
void fore_isolation_stats(const struct fore_isolation *i, struct fore_jsonw *w);
/* Worst first: violated, unknown, holds. */
int fore_isolation_badness(const struct fore_isolation *i);
const char *fore_isolation_verdict(const struct fore_isolation *i);

#endif
