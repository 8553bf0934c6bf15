/* The smallest part of a wrong history that is still wrong, as far as the budget allows. */
#ifndef FORE_HISTORY_SHRINK_H
#define FORE_HISTORY_SHRINK_H

#include "history/lin.h"

struct fore_shrunk {
    struct fore_history *h;
    uint64_t budget;          /* configurations left */
    struct fore_budget time;  /* and time; both end the shrinking */
    uint32_t cut;             /* answers from this position on have not come yet */
    size_t earlier;           /* operations before the initial states */
    FORE_VEC(uint32_t) ops;   /* of the history, by invocation */
    FORE_VEC(fore_val) inits; /* values of the history: wrong from each of them */
};

/* `ops` and `inits` are given and must be wrong; everything else is filled. */
void fore_shrink(struct fore_shrunk *s);

#endif
