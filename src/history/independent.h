/* Jepsen's independent histories: many keys in one file, every value is [key value], and each
 * key is an object of its own. */
#ifndef FORE_HISTORY_INDEPENDENT_H
#define FORE_HISTORY_INDEPENDENT_H

#include "history/format.h"

/* Is the file of that kind? It is if all operations up to the first without an argument (or with
 * a pair of them) have a pair as value, and that one a key with nothing (or with a pair). */
bool fore_is_independent(const struct fore_record_source *from,
                         const struct fore_model *model);
/* Would the operation, as it is written, look like one with a key? A writer must then mark it
 * (`exact`), or refuse. */
bool fore_looks_independent(const struct fore_history *h, const struct fore_op *op);
/* Takes the key out of the value. Fails on an invocation that has none. */
enum fore_status fore_independent_split(const struct fore_history *h,
                                        struct fore_record *r,
                                        struct fore_err *e) FORE_MUST_USE;

#endif
