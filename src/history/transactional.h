/* Refuses records of transactions, which are no operations of one object: `foresee txn` judges
 * them. */
#ifndef FORE_HISTORY_TRANSACTIONAL_H
#define FORE_HISTORY_TRANSACTIONAL_H

#include "history/history.h"

/* Fails on a record of a transaction, and says which verb judges it: an operation called txn or
 * transfer that `model` (NULL: not known yet) has not, or a value [[:r x 1] [:append y 2] ...].
 * A user's own object may take such values. */
enum fore_status fore_refuse_transaction(const char *file, const struct fore_vals *t,
                                         const struct fore_model *model,
                                         const struct fore_record *r,
                                         struct fore_err *e) FORE_MUST_USE;

#endif
