/* The levels of isolation, by name, and whether a history has one. */
#ifndef FORE_HISTORY_TXN_LEVELS_H
#define FORE_HISTORY_TXN_LEVELS_H

#include "history/txn/decide.h"

struct fore_txn_level_row {
    const char *name;  /* as the command line has it */
    const char *words; /* as sentences have it */
};
extern const struct fore_txn_level_row
    fore_txn_levels[]; /* by level; ends without name */

/* Oddities of the index first, then the order of the transactions. */
void fore_txn_judge(struct fore_txn_guess *g, enum fore_txn_level level,
                    struct fore_budget *budget, struct fore_txn_decision *d);
/* Is there something in the index that the level forbids? */
bool fore_txn_has_oddity(const struct fore_txn_index *x, enum fore_txn_level level);

#endif
