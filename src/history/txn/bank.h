/* Jepsen's bank: transfers between accounts, and reads of all accounts. Balances do not tell
 * which transfers were seen, but every read must have the same total, and no account may be
 * overdrawn. Such a history shows no more than that, and no more is judged. */
#ifndef FORE_HISTORY_TXN_BANK_H
#define FORE_HISTORY_TXN_BANK_H

#include "history/txn/index.h"

struct fore_bank {
    int64_t total; /* that of most reads, or the one that was asked for */
    uint64_t reads;
};

/* `total` NULL: whatever most reads have. Oddities are noted in `x`, which has none yet.
 * Fails if a balance is no whole number. */
enum fore_status fore_bank_check(struct fore_txn_index *x, const int64_t *total,
                                 bool may_be_negative, struct fore_bank *b,
                                 struct fore_err *e) FORE_MUST_USE;

#endif
