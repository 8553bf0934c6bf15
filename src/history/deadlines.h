/* Some operations of a part in the order of their answers, and which of them are open at each
 * answer. For searches that use operations one by one: the used ones are a number (all that
 * answer before it) and a few bits (others, open there, that were used ahead of time). */
#ifndef FORE_HISTORY_DEADLINES_H
#define FORE_HISTORY_DEADLINES_H

#include "base/bitset.h"
#include "history/search.h"

struct fore_deadlines {
    const struct fore_op *ops; /* of the part */
    uint32_t *due;             /* answered operations, by answer */
    size_t n;
    uint32_t *pending; /* operations without an answer, by invocation */
    size_t n_pending;
    uint32_t
        *slot; /* by operation of the part: its bit, which other operations use later */
    size_t words;
    uint32_t *open; /* open[from[i]] … open[from[i + 1] - 1]: answered, open at due[i] */
    size_t *from;
};

/* `in`: which operations of the part take part. False: too many are open at once. */
bool fore_deadlines_init(struct fore_deadlines *d, const struct fore_part *p,
                         const bool *in);
void fore_deadlines_release(struct fore_deadlines *d);
/* Uses an operation; `*at` moves over all answers whose operations are used then. */
void fore_deadlines_use(const struct fore_deadlines *d, uint64_t *bits, uint32_t *at,
                        uint32_t op);

/* When the first answer is due that is not used yet; FORE_NEVER: none is. */
static inline uint32_t fore_deadline(const struct fore_deadlines *d, uint32_t at)
{
    return at < d->n ? d->ops[d->due[at]].ret : FORE_NEVER;
}

#endif
